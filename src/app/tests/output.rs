//! What the person does in the output pane and with the conversation: finding, following, paging, saving, tables.

use std::sync::Arc;

use super::*;
use crate::domain::{Look, Page, Printed, Stream, Table, Tail};

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

/// A frame of twenty rows of output, two hundred in all, with matches in these.
fn frame(world: &mut World, found: &[usize]) {
    let rows = Rows { output: 20, chat: 20, ..Rows::default() };
    let limits = Rows { output: 180, chat: 180, ..Rows::default() };
    let found = Found { output: found.into(), chat: found.into() };
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
    world.feed(1, Event::Looked(OperationId(1), look, None));
    assert_eq!(world.state.hint.as_deref(), Some("No more matches."));
    keys(&mut world, "G");
    assert!(world.state.output.printout().unwrap().follows());
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
    let pieces = tail("text\n", 0).pieces;
    assert_eq!(world.saved, [("ab.txt".to_owned(), Content::Printed(OperationId(1), pieces))]);
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
    assert_eq!(world.saved, [("output-1.csv".to_owned(), Content::Text("name,sum\nada,9\n".to_owned()))]);
    keys(&mut world, "v");
    assert_eq!(world.state.output.printout().unwrap().grid.shape, super::super::Shape::Bar);
    keys(&mut world, "/");
    world.press(KeyCode::Esc);
    assert_eq!(world.state.output.printout().unwrap().grid.filter, "", "esc shows all rows again");
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
