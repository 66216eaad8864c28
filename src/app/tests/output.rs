//! What the person does in the output pane and with the conversation: finding, following, paging, saving, tables.

use std::sync::Arc;

use super::*;
use crate::domain::{Leaf, Look, Page, Printed, Stream, Table, Tail};

fn tail(text: &str, from: u64) -> Tail {
    let pieces = [Printed { stream: Stream::Out, text: text.into() }].into();
    let bytes = from + text.len() as u64;
    Tail { pieces, lines: text.lines().count() as u64, bytes, from }
}

/// One command of the person's, whose output is shown and has the focus.
fn printed(text: &str, from: u64) -> World {
    let mut world = World::new();
    world.say("! ls");
    world.feed(1, Event::Run(OperationId(1), RunEvent::Tail(tail(text, from))));
    world.press(KeyCode::F(3));
    world
}

#[test]
fn a_warning_of_a_run_stands_in_the_conversation_too() {
    let mut world = printed("a", 0);
    world.feed(1, Event::Run(OperationId(1), RunEvent::Warning("look out".to_owned())));
    let told = |entry: &Entry| matches!(entry, Entry::Notice { text, .. } if text == "#1: look out");
    assert!(world.state.chat.entries().iter().any(told));
    assert_eq!(world.state.queue.get(OperationId(1)).unwrap().note.as_deref(), Some("look out"));
}

/// A frame of twenty rows of output, two hundred in all, with matches in these.
fn frame(world: &mut World, found: &[usize]) {
    let rows = Rows { output: 20, chat: 20, ..Rows::default() };
    let limits = Rows { output: 180, chat: 180, ..Rows::default() };
    let found = Found { output: found.into(), chat: found.into(), ..Found::default() };
    world.feed(1, Event::Drawn(Box::new(Sight { rows, limits, found, ..Sight::default() })));
}

fn scroll(world: &World) -> Scroll {
    world.state.output.printout().unwrap().scroll
}

fn keys(world: &mut World, text: &str) {
    for letter in text.chars() {
        world.press(KeyCode::Char(letter));
    }
}

#[test]
fn finding_jumps_from_match_to_match_and_round() {
    let mut world = printed("text\n", 0);
    world.press(KeyCode::Char('g'));
    keys(&mut world, "/ERR");
    assert_eq!(world.state.finds.output.text, "ERR");
    frame(&mut world, &[50, 120, 190]);
    assert_eq!(scroll(&world).top, 44, "the first match from here on is a third from the top");
    world.press(KeyCode::Enter);
    frame(&mut world, &[50, 120, 190]);
    keys(&mut world, "n");
    assert_eq!((world.state.finds.output.row, scroll(&world).top), (Some(120), 114));
    keys(&mut world, "nn");
    assert_eq!(world.state.finds.output.row, Some(50), "on from the other end");
    keys(&mut world, "N");
    assert_eq!(world.state.finds.output.row, Some(190));
    keys(&mut world, "/");
    world.press(KeyCode::Esc);
    assert_eq!(world.state.finds.output.text, "");
    assert_eq!(world.state.focus, Pane::Output, "esc only left the line");
}

#[test]
fn past_what_is_held_the_disk_is_asked() {
    let mut world = printed("text\n", 5_000);
    frame(&mut world, &[3]);
    keys(&mut world, "/x");
    frame(&mut world, &[3]);
    world.press(KeyCode::Enter);
    keys(&mut world, "N");
    let look = Look::For { text: "x".to_owned(), from: 5_000, forward: false };
    assert_eq!(world.looks, [(OperationId(1), look.clone())]);
    let page = Page { pieces: [].into(), from: 100, to: 900, line: 40 };
    world.feed(1, Event::Looked(OperationId(1), look.clone(), Some(page)));
    assert_eq!((world.state.finds.output.row, scroll(&world).top), (Some(41), 35));
    world.feed(1, Event::Looked(OperationId(1), Look::For { text: "x".to_owned(), from: 100, forward: false }, None));
    let all = world.state.output.printout().unwrap().tail.bytes;
    let around = Look::For { text: "x".to_owned(), from: all, forward: false };
    assert_eq!(world.looks[1..], [(OperationId(1), around.clone())], "on from the other end");
    world.feed(1, Event::Looked(OperationId(1), around, None));
    assert_eq!(world.state.hint.as_deref(), Some("Not found."));
    keys(&mut world, "G");
    assert!(world.state.output.printout().unwrap().follows());
}

#[test]
fn the_search_goes_on_where_there_are_matches_and_round_through_the_disk() {
    let mut world = printed("text\n", 5_000);
    frame(&mut world, &[]);
    keys(&mut world, "/x");
    frame(&mut world, &[]);
    assert!(world.looks.is_empty(), "not letter by letter");
    world.press(KeyCode::Enter);
    let look = |from, forward| (OperationId(1), Look::For { text: "x".to_owned(), from, forward });
    assert_eq!(world.looks, [look(5_000, false)], "nothing here: back to the nearest");
    frame(&mut world, &[3]);
    keys(&mut world, "nn");
    assert_eq!(world.state.finds.output.row, Some(3));
    assert_eq!(world.looks[1..], [look(0, true)], "behind the last one it goes on from the start");
    assert!(world.state.hint.as_deref().is_some_and(|hint| hint.contains("from the other end")));
}

#[test]
fn matches_are_counted_on_disk_once_the_text_is_typed() {
    let mut world = printed("text\n", 5_000);
    frame(&mut world, &[3]);
    keys(&mut world, "/err");
    frame(&mut world, &[3]);
    assert!(world.counts.is_empty(), "not letter by letter");
    world.press(KeyCode::Enter);
    assert_eq!(world.counts, [(OperationId(1), "err".to_owned())]);
    world.feed(1, Event::Counted(OperationId(1), "er".to_owned(), 900));
    assert_eq!(world.state.finds.output.counted, None, "of another text");
    world.feed(1, Event::Counted(OperationId(1), "err".to_owned(), 90));
    assert_eq!(world.state.finds.output.counted, Some((OperationId(1), 90)));

    let mut short = printed("text\n", 0);
    keys(&mut short, "/e");
    short.press(KeyCode::Enter);
    assert!(short.counts.is_empty(), "all of it is here");
}

#[test]
fn scrolling_past_the_top_reads_on_and_the_end_follows_again() {
    let mut world = printed("text\n", 5_000);
    frame(&mut world, &[]);
    for _ in 0..12 {
        world.press(KeyCode::PageUp);
        frame(&mut world, &[]);
    }
    assert_eq!(world.looks, [(OperationId(1), Look::At(5_000))], "asked once");
    let page = Page { pieces: tail("a\nb\nc\n", 0).pieces, from: 4_000, to: 5_005, line: 2 };
    world.feed(1, Event::Looked(OperationId(1), Look::At(5_000), Some(page)));
    assert_eq!(scroll(&world).top, 1, "what was at the top stays in view");
    assert!(!world.state.output.printout().unwrap().follows());
    for _ in 0..12 {
        world.press(KeyCode::PageDown);
        frame(&mut world, &[]);
    }
    assert!(world.state.output.printout().unwrap().follows(), "past its end stands the newest");
}

#[test]
fn following_is_held_and_taken_up_again() {
    let mut world = printed("text\n", 0);
    frame(&mut world, &[]);
    keys(&mut world, "f");
    assert_eq!(scroll(&world), Scroll { top: 180, follow: false });
    keys(&mut world, "f");
    assert!(scroll(&world).follow);
    keys(&mut world, "k");
    assert!(!scroll(&world).follow, "scrolling up holds");
}

#[test]
fn no_dialog_opens_over_a_line_that_is_asked_for() {
    let mut world = printed("text\n", 0);
    keys(&mut world, "S");
    world.feed(5_000, Event::Wake);
    world.feed(0, Event::Key(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE)));
    world.state.propose(Origin::Person, command("rm x"), &mut Vec::new());
    world.feed(5_000, Event::Proposed(OperationId(2), propose(OperationId(2), Origin::Person, &command("rm x"))));
    assert_eq!(world.dialog(), None);
    keys(&mut world, "y");
    assert!(world.executed.len() == 1 && world.state.prompt().unwrap().text.ends_with("yy"));
    world.press(KeyCode::Esc);
    world.feed(1_200, Event::Wake);
    assert_eq!(world.dialog(), Some(OperationId(2)));
}

fn command(text: &str) -> ToolCall {
    let arguments = serde_json::json!({ "command": text }).to_string();
    ToolCall { id: String::new(), name: "execute_command".to_owned(), arguments }
}

#[test]
fn saving_asks_for_a_path_and_writes_what_is_shown() {
    let mut world = printed("text\n", 0);
    keys(&mut world, "S");
    assert_eq!(world.state.prompt().unwrap().text, "output-1.txt");
    world.feed(1, Event::Key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL)));
    world.feed(1, Event::Paste("a\nb.txt".to_owned()));
    world.press(KeyCode::Enter);
    let whole = tail("text\n", 0);
    assert_eq!(world.saved, [("ab.txt".to_owned(), Content::Printed(OperationId(1), whole))]);
}

#[test]
fn a_name_that_cant_be_used_is_asked_for_again() {
    let mut world = printed("text\n", 0);
    world.feed(1, Event::Saved(Err(("a.txt".to_owned(), "It is there.".to_owned()))));
    let asked = world.state.prompt().map(|prompt| prompt.text.as_str());
    assert_eq!((asked, world.state.hint.as_deref()), (Some("a.txt"), Some("It is there.")));
}

#[test]
fn a_part_of_a_result_is_saved_by_its_number_and_the_text_without_one() {
    let mut world = printed("[image: image/png, 5 B, part 1]\n", 0);
    let part = |number| crate::domain::Part { number, ending: "png".to_owned(), bytes: 5 };
    world.feed(1, Event::Run(OperationId(1), RunEvent::Parts(vec![part(1), part(2)])));
    keys(&mut world, "S");
    assert_eq!(world.state.prompt().unwrap().text, "1 part-1-1.png");
    world.press(KeyCode::Enter);
    assert_eq!(world.saved.pop(), Some(("part-1-1.png".to_owned(), Content::Part(OperationId(1), 1))));
    for (typed, text) in [("2 b.png", false), ("3 b.png", true), ("a b.txt", true), ("out.txt", true)] {
        keys(&mut world, "S");
        world.feed(1, Event::Key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL)));
        world.feed(1, Event::Paste(typed.to_owned()));
        world.press(KeyCode::Enter);
        let (_, content) = world.saved.pop().unwrap();
        assert_eq!(matches!(content, Content::Printed(..)), text, "{typed}: {content:?}");
    }
}

#[test]
fn a_table_is_sorted_filtered_copied_and_saved_as_shown() {
    let mut world = printed("", 0);
    let row = |name: &str, sum: &str| vec![Some(name.to_owned()), Some(sum.to_owned())];
    let table = Table {
        columns: vec!["name".to_owned(), "sum".to_owned()],
        types: vec!["text".to_owned(), "INTEGER".to_owned()],
        rows: vec![row("ada", "9"), row("bo", "100"), row("cy", "20")],
        total: 3,
        ..Table::default()
    };
    world.feed(1, Event::Run(OperationId(1), RunEvent::Table(Arc::new(table))));
    keys(&mut world, "lss");
    keys(&mut world, "y");
    world.press(KeyCode::Enter);
    assert_eq!(world.copied, ["name,sum\nbo,100\ncy,20\nada,9\n"]);
    keys(&mut world, "/a");
    world.press(KeyCode::Enter);
    keys(&mut world, "S");
    world.press(KeyCode::Enter);
    assert_eq!(
        world.saved,
        [("output-1.csv".to_owned(), Content::Text("name,sum\nada,9\n".to_owned(), Some("1 of 3 rows".to_owned())))]
    );
    keys(&mut world, "v");
    assert_eq!(world.state.output.printout().unwrap().grid.shape, super::super::Shape::Bar);
    keys(&mut world, "/");
    world.press(KeyCode::Esc);
    assert_eq!(world.state.output.printout().unwrap().grid.filter, "", "esc shows all rows again");
}

#[test]
fn esc_in_the_output_shows_all_of_it_before_it_leaves() {
    let mut world = printed("", 0);
    world.feed(1, Event::Run(OperationId(1), RunEvent::Table(Arc::new(numbers(0, 100)))));
    let filter = |world: &World| world.state.output.printout().unwrap().grid.filter.clone();
    keys(&mut world, "/zz");
    world.press(KeyCode::Enter);
    assert_eq!(filter(&world), "zz");
    keys(&mut world, "/");
    assert_eq!(world.state.prompt().map(|prompt| prompt.text.as_str()), Some(""), "what is asked for begins anew");
    world.press(KeyCode::Enter);
    assert_eq!(filter(&world), "", "nothing typed shows all");
    keys(&mut world, "/zz");
    world.press(KeyCode::Enter);
    world.press(KeyCode::Esc);
    assert_eq!((filter(&world).as_str(), world.state.focus), ("", Pane::Output));
    world.press(KeyCode::Esc);
    assert_eq!(world.state.focus, Pane::Composer);
}

#[test]
fn a_chosen_call_opens_its_output() {
    let mut world = printed("text\n", 0);
    world.press(KeyCode::F(4));
    frame(&mut world, &[]);
    keys(&mut world, "K ");
    assert!(world.state.chat.unfolds(OperationId(1)));
    world.press(KeyCode::Enter);
    assert_eq!((world.state.focus, world.state.output.shown()), (Pane::Output, Some(OperationId(1))));
}

/// A result of 5,000 numbers, of which rows from one on are here and so many are kept.
fn numbers(first: u64, kept: u64) -> Table {
    let rows = (first..first + 200).map(|number| vec![Some(number.to_string())]).collect();
    Table { columns: vec!["n".to_owned()], types: vec!["INTEGER".to_owned()], rows, total: 5_000, first, kept }
}

fn leaf(world: &mut World, at: u64, first: u64) {
    let rows = numbers(first, 0).rows;
    world.feed(1, Event::Leafed(OperationId(1), at, Some(Leaf { first, rows })));
}

fn first_in_view(world: &World) -> u64 {
    let printout = world.state.output.printout().unwrap();
    printout.table.as_ref().unwrap().first + printout.scroll.first(200, 20) as u64
}

#[test]
fn a_long_result_is_leafed_through_and_nothing_jumps() {
    let mut world = printed("", 0);
    world.feed(1, Event::Run(OperationId(1), RunEvent::Table(Arc::new(numbers(0, 4_000)))));
    frame(&mut world, &[]);
    for _ in 0..12 {
        world.press(KeyCode::PageDown);
        frame(&mut world, &[]);
    }
    assert_eq!((&*world.leaves, first_in_view(&world)), (&[(OperationId(1), 200)][..], 180), "asked once, at the edge");
    leaf(&mut world, 200, 100);
    frame(&mut world, &[]);
    assert_eq!(first_in_view(&world), 180, "what was in view stays");
    world.press(KeyCode::PageDown);
    assert_eq!((world.leaves.len(), first_in_view(&world)), (1, 199));
    keys(&mut world, "G");
    assert_eq!(world.leaves.pop(), Some((OperationId(1), 4_000)), "to the last one that is kept");
    leaf(&mut world, 4_000, 3_800);
    frame(&mut world, &[]);
    assert_eq!(first_in_view(&world), 3_980);
    keys(&mut world, "jG");
    assert_eq!(world.leaves.len(), 1, "there are no more");
    for _ in 0..12 {
        world.press(KeyCode::PageUp);
        frame(&mut world, &[]);
    }
    assert_eq!(world.leaves.pop(), Some((OperationId(1), 3_800)));
    leaf(&mut world, 3_800, 3_700);
    assert_eq!(first_in_view(&world), 3_800);
    keys(&mut world, "g");
    assert_eq!(world.leaves.pop(), Some((OperationId(1), 0)));
    leaf(&mut world, 0, 0);
    assert_eq!(first_in_view(&world), 0);
    keys(&mut world, "S");
    world.press(KeyCode::Enter);
    let Some((_, content @ Content::Rows(OperationId(1), _, Export::Csv))) = world.saved.last() else {
        panic!("all of it is saved: {:?}", world.saved);
    };
    let lacks = Some(("the first 4,000 of 5,000 rows".to_owned(), "; the rest isn't kept (kept_output)"));
    assert_eq!(content.lacks(), lacks);
    keys(&mut world, "P");
    let said = "The pager has the first 4,000 of 5,000 rows; the rest isn't kept (kept_output).";
    assert_eq!(world.state.hint.as_deref(), Some(said));
    world.feed(1, Event::Paged(None));
    assert_eq!(world.state.hint.as_deref(), Some(said), "it is read when the pager is left");
    keys(&mut world, "y");
    world.press(KeyCode::Enter);
    let Some(content @ Content::Rows(OperationId(1), _, Export::Csv)) = world.collected.pop() else { panic!("all") };
    world.feed(1, Event::Collected(content.clone(), Collected::Whole("n\n1\n".to_owned())));
    assert_eq!(world.copied.pop().as_deref(), Some("n\n1\n"));
    let said = "Copied the first 4,000 of 5,000 rows; the rest isn't kept (kept_output).";
    assert_eq!(world.state.hint.as_deref(), Some(said));
    world.feed(1, Event::Collected(content, Collected::TooLong));
    assert_eq!(world.copied.pop().map(|rows| rows.lines().count()), Some(201));
    let said = "Copied 200 of 5,000 rows, those around what is in sight; S saves all.";
    assert_eq!(world.state.hint.as_deref(), Some(said));
}

#[test]
fn a_sorted_or_filtered_part_of_a_result_says_so_and_is_not_leafed() {
    let mut world = printed("", 0);
    world.feed(1, Event::Run(OperationId(1), RunEvent::Table(Arc::new(numbers(0, 5_000)))));
    frame(&mut world, &[]);
    keys(&mut world, "s");
    let said = "Only the 200 rows that are here are sorted: ORDER BY sorts all of them.";
    assert_eq!(world.state.hint.as_deref(), Some(said));
    keys(&mut world, "GG");
    assert!(world.leaves.is_empty());
    keys(&mut world, "S");
    world.press(KeyCode::Enter);
    let lacks = world.saved.last().and_then(|(_, content)| content.lacks());
    assert_eq!(lacks, Some(("200 of 5,000 rows".to_owned(), ", as shown")));
    keys(&mut world, "ss/7");
    world.press(KeyCode::Enter);
    assert!(world.state.hint.as_ref().is_some_and(|said| said.ends_with("WHERE filters all of them.")));
    leaf(&mut world, 200, 100);
    assert_eq!(
        world.state.output.printout().unwrap().table.as_ref().unwrap().first,
        0,
        "what comes late changes nothing"
    );
}

#[test]
fn the_persons_own_operation_is_shown_whatever_was_chosen_before() {
    let mut world = printed("one\n", 0);
    world.state.focus = Pane::Composer;
    world.say("! ls b");
    world.feed(1, Event::Run(OperationId(2), RunEvent::Tail(tail("two\n", 0))));
    world.press(KeyCode::F(3));
    keys(&mut world, "[");
    assert_eq!(world.state.output.shown(), Some(OperationId(1)));
    world.state.focus = Pane::Composer;
    world.say("! ls c");
    assert_eq!(world.state.output.shown(), Some(OperationId(3)));
}

#[test]
fn what_was_read_is_looked_at_from_its_start() {
    let mut world = World::new();
    world.say("! ls a");
    world.finish(1);
    assert!(world.state.output.printout().unwrap().follows(), "a command's end is what matters");
    world.say("! ls");
    let find = crate::domain::FindOperation { glob: "*".to_owned(), path: None };
    let found = world.state.queue.item_mut(OperationId(2)).and_then(|item| item.prepared.as_mut()).unwrap();
    found.operation.kind = OperationKind::Find(find);
    world.feed(1, Event::Run(OperationId(2), RunEvent::Tail(tail("one\n", 0))));
    world.finish(2);
    assert!(!world.state.output.printout().unwrap().follows());
    assert_eq!(scroll(&world).top, 0);
}

#[test]
fn a_copy_is_of_the_whole_and_says_what_and_how_much() {
    let hint = |world: &World| world.state.hint.clone().unwrap_or_default();
    let mut world = printed("one\ntwo\n", 0);
    keys(&mut world, "y");
    assert_eq!(
        (world.copied.pop().unwrap().as_str(), hint(&world).as_str()),
        ("one\ntwo\n", "Copied the output of #1 so far: 2 lines.")
    );
    world.finish(1);
    keys(&mut world, "y");
    assert_eq!(hint(&world), "Copied the output of #1: 2 lines.");
    world.press(KeyCode::F(2));
    keys(&mut world, "C");
    assert_eq!(
        (world.copied.pop().unwrap().as_str(), hint(&world).as_str()),
        ("ls", "Copied the text of #1: 2 characters.")
    );
    // Of a long one the screen holds the end, and the disk the rest.
    let mut world = printed("text\n", 5_000_000);
    world.finish(1);
    keys(&mut world, "y");
    assert!(world.copied.is_empty());
    let Some(content @ Content::Printed(OperationId(1), _)) = world.collected.pop() else { panic!("nothing is read") };
    let told = |world: &mut World, kept: Collected| {
        world.feed(1, Event::Collected(content.clone(), kept));
        (world.copied.pop().unwrap(), hint(world))
    };
    let whole = "x\n".repeat(2_500_003);
    let (text, said) = told(&mut world, Collected::Whole(whole[..5_000_005].to_owned()));
    assert_eq!(said, "Copied the first 524 kB of the output of #1, which has 5.0 MB: a clipboard takes no more.");
    assert!(text.len() <= CLIPBOARD);
    let (_, said) = told(&mut world, Collected::End("end\n".to_owned()));
    assert_eq!(said, "Copied the last 4 B of the output of #1, which has 5.0 MB; S saves all.");
    let (text, said) = told(&mut world, Collected::Gone);
    assert_eq!(text, "text\n");
    assert_eq!(said, "Copied the last 5 B of the output of #1, which has 5.0 MB; what came before isn't kept.");
    let (_, said) = told(&mut world, Collected::Whole("start\n".to_owned()));
    assert_eq!(said, "Copied the first 6 B of the output of #1, which has 5.0 MB; the rest isn't kept.");
}

#[test]
fn what_starts_is_selected_while_nobody_is_in_the_list_and_nothing_waits() {
    let mut world = printed("text\n", 0);
    world.press(KeyCode::F(2));
    world.finish(1);
    world.press(KeyCode::Esc);
    world.say("! ls");
    assert_eq!(world.state.queue.selected(), Some(OperationId(2)));
    world.press(KeyCode::F(2));
    keys(&mut world, "c");
    assert_eq!(world.cancelled, [OperationId(2)]);
}

#[test]
fn what_starts_is_shown_unless_the_person_looks_at_something_there() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls a", None), ("make b", None), ("make c", None), ("make d", None)]);
    world.finish(1);
    world.state.open(OperationId(2));
    world.look();
    world.press(KeyCode::Char('y'));
    world.press(KeyCode::Esc);
    // An older one is looked at, and left again for the list.
    world.press(KeyCode::F(3));
    keys(&mut world, "[");
    assert_eq!(world.state.output.shown(), Some(OperationId(1)));
    world.press(KeyCode::Tab);
    let approve = |world: &mut World, id: u64| {
        world.finish(id - 1);
        world.state.open(OperationId(id));
        world.look();
        world.press(KeyCode::Char('y'));
        world.press(KeyCode::Esc);
    };
    approve(&mut world, 3);
    assert_eq!(world.state.output.shown(), Some(OperationId(3)));
    world.press(KeyCode::F(3));
    keys(&mut world, "[");
    approve(&mut world, 4);
    assert_eq!(world.state.output.shown(), Some(OperationId(2)), "somebody reads it");
}
