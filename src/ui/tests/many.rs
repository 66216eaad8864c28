//! A thousand operations in the list.

use crossterm::event::KeyCode;
use nix::time::ClockId;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;

/// How many operations there are.
const MANY: usize = 1_000;
/// What a frame may take of this thread's time at most, unoptimised and on a busy machine. Measured: about a tenth.
const FRAME: Duration = Duration::from_millis(60);

fn crowded() -> Desk {
    let mut desk = Desk::new();
    desk.send("go");
    let arguments: Vec<String> = (0..MANY)
        .map(|at| serde_json::json!({ "command": format!("make part{at} && echo done") }).to_string())
        .collect();
    let calls: Vec<_> = arguments.iter().map(|text| ("execute_command", text.as_str(), Vec::new())).collect();
    desk.call(&calls);
    desk.screen(120, 40);
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::F(2));
    desk
}

/// The shortest of some frames, each after a key, as the person sees it.
fn frame(desk: &mut Desk, key: KeyCode) -> Duration {
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
    let frames = (0..12).map(|_| {
        let began = spent();
        desk.press(key);
        terminal.draw(|frame| drop(draw(frame, &desk.state, &mut desk.cache, &desk.theme))).unwrap();
        spent().checked_sub(began).unwrap()
    });
    frames.min().unwrap()
}

/// What this thread has had of a processor.
fn spent() -> Duration {
    ClockId::CLOCK_THREAD_CPUTIME_ID.now().unwrap().into()
}

#[test]
fn a_thousand_operations_scroll_without_a_hitch() {
    let mut desk = crowded();
    let scrolled = frame(&mut desk, KeyCode::Down);
    desk.key('S');
    let sorted = frame(&mut desk, KeyCode::PageDown);
    desk.key('/');
    "part9 med".chars().for_each(|letter| desk.key(letter));
    desk.press(KeyCode::Enter);
    let filtered = frame(&mut desk, KeyCode::Up);
    println!("a key and its frame with {MANY} operations: {scrolled:?}, sorted {sorted:?}, filtered {filtered:?}");
    for took in [scrolled, sorted, filtered] {
        assert!(took < FRAME, "{took:?}");
    }
}

#[test]
fn the_title_says_what_the_list_leaves_out() {
    let mut desk = crowded();
    desk.key('S');
    desk.key('/');
    "part99".chars().for_each(|letter| desk.key(letter));
    desk.press(KeyCode::Enter);
    desk.key(' ');
    let screen = desk.screen(120, 40);
    assert!(screen.contains("OPERATIONS  by risk · /part99 · 1 marked"), "{screen}");
    let list = screen.lines().filter_map(|row| row.split('│').nth(1));
    let listed: Vec<&str> = list.filter(|row| row.contains("  M MED ")).collect();
    assert!(listed.len() > 6 && listed.iter().all(|row| row.contains(" make part99")), "{screen}");
    // Marks, the filter and the order go one by one.
    for _ in 0..3 {
        desk.press(KeyCode::Esc);
    }
    assert!(desk.screen(120, 40).contains("OPERATIONS ━"));
}

#[test]
fn the_details_of_an_operation_are_a_page() {
    let mut desk = put_off();
    desk.press(KeyCode::F(2));
    desk.key('v');
    insta::assert_snapshot!("details_waiting", desk.screen(100, 30));
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::End);
    desk.press(KeyCode::Enter);
    insta::assert_snapshot!("details_done", desk.screen(100, 30));
}

#[test]
fn a_claim_of_low_lifts_nothing_of_what_ran_unasked_and_the_words_for_its_walls_are_the_status_lines() {
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[("execute_command", r#"{"command":"ls","risk_level":"low"}"#, low("Only reads: `ls`."))]);
    desk.finish(1, Outcome::Succeeded { summary: "exit 0".to_owned() }, 4);
    desk.press(KeyCode::F(2));
    desk.key('v');
    let screen = desk.screen(100, 40);
    assert!(screen.contains("claim      low") && !screen.contains("not enough"), "{screen}");
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::F(5));
    let screen = desk.screen(100, 40);
    assert!(screen.contains("not contained · Only reads: `ls`."), "{screen}");
}

#[test]
fn what_was_stopped_before_it_started_is_not_called_denied() {
    let mut desk = put_off();
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    let screen = desk.screen(120, 40);
    assert!(screen.contains("✗ not started") && !screen.contains("denied"), "{screen}");
}

#[test]
fn the_details_are_searched_like_the_output() {
    let mut desk = put_off();
    desk.press(KeyCode::F(2));
    desk.key('v');
    assert!(desk.screen(100, 20).contains("/ find"));
    "/declared".chars().for_each(|letter| desk.key(letter));
    desk.screen(100, 20);
    let typing = desk.still(100, 20);
    assert!(typing.contains(" find declared   3 matches"), "{typing}");
    assert!(typing.contains("enter takes it · esc leaves it"), "{typing}");
    desk.press(KeyCode::Enter);
    let found = desk.screen(100, 20);
    assert!(found.contains(" match 1 of 3 ") && found.contains("╔═ 2 · Delete rows"), "{found}");
    desk.key('n');
    let next = desk.screen(100, 20);
    assert!(next.contains(" match 2 of 3 "), "{next}");
    assert!(next.lines().any(|row| row.contains("║▸") && row.contains("declared")), "{next}");
    // Esc leaves what is looked for, then the page; another page is looked at from its start.
    desk.press(KeyCode::Esc);
    let all = desk.screen(100, 20);
    assert!(!all.contains("match") && all.contains("lines "), "{all}");
    "/declared".chars().for_each(|letter| desk.key(letter));
    desk.press(KeyCode::Enter);
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::Esc);
    assert!(!desk.screen(100, 20).contains("lines "));
    desk.press(KeyCode::F(5));
    assert!(!desk.screen(100, 20).contains("match"));
}

#[test]
fn keys_that_are_named_can_be_clicked() {
    let mut desk = conversation();
    let shown = desk.screen(120, 40);
    let keys = &desk.state.sight.keys;
    for key in ["y", "n", "A", "esc"] {
        let (row, from, ..) = keys.iter().find(|(.., named)| named == key).unwrap();
        let line = shown.lines().nth(usize::from(*row)).unwrap();
        let there: String = line.chars().skip(usize::from(*from)).collect();
        assert!(there.starts_with(key), "{key}: {there}");
    }
    desk.press(KeyCode::Esc);
    assert!(desk.screen(120, 40).contains("It keeps waiting: f2 goes to the list, y there opens it."));
    desk.press(KeyCode::F(4));
    desk.press(KeyCode::Esc);
    let shown = desk.screen(120, 40);
    let (row, from, ..) = desk.state.sight.keys.iter().find(|(.., named)| named == "tab").unwrap();
    let line = shown.lines().nth(usize::from(*row)).unwrap();
    assert!(line.chars().skip(usize::from(*from)).collect::<String>().starts_with("tab"), "{line}");
}

#[test]
fn a_click_on_the_keys_below_a_page_closes_it() {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    let mut desk = put_off();
    desk.press(KeyCode::F(2));
    desk.key('v');
    desk.screen(100, 30);
    let (row, column, ..) = desk.state.sight.keys.iter().find(|(.., named)| named == "esc").cloned().unwrap();
    let kind = MouseEventKind::Down(MouseButton::Left);
    desk.event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
    assert!(desk.state.modal.is_none());
}

#[test]
fn edit_is_named_only_for_what_waits() {
    let mut desk = put_off();
    desk.press(KeyCode::F(2));
    assert!(desk.state.counts(crate::app::Command::Edit));
    desk.press(KeyCode::End);
    assert!(!desk.state.counts(crate::app::Command::Edit), "it is done");
}

#[test]
fn what_can_be_picked_is_listed_while_numbers_are_typed() {
    let mut desk = conversation();
    desk.screen(80, 24);
    desk.key('p');
    desk.screen(80, 24);
    desk.key('3');
    let screen = desk.screen(80, 24);
    assert!(screen.contains(" 2  H HIGH") && screen.contains(" 3• M MED") && screen.contains("1,3-5: 3▏"), "{screen}");
}

/// A session in which forty ran and three wait, seen in the list.
fn after_many() -> Desk {
    let mut desk = Desk::new();
    desk.send("go");
    let arguments: Vec<String> =
        (0..40).map(|at| serde_json::json!({ "command": format!("ls part{at}") }).to_string()).collect();
    let reads: Vec<_> = arguments.iter().map(|text| ("execute_command", text.as_str(), low("It reads."))).collect();
    desk.call(&reads);
    for id in 1..=40 {
        desk.finish(id, Outcome::Succeeded { summary: "done".to_owned() }, 4);
    }
    let make = |what: &'static str| ("execute_command", what, Vec::new());
    desk.call(&[r#"{"command":"make a"}"#, r#"{"command":"make b"}"#, r#"{"command":"make c"}"#].map(make));
    desk.screen(80, 24);
    desk.press(KeyCode::Esc);
    desk
}

#[test]
fn after_a_decision_the_next_that_waits_is_selected_and_stays_in_view() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = after_many();
        desk.press(KeyCode::F(2));
        assert!(desk.screen(columns, rows).contains("▸41"));
        for selected in ["▸42", "▸43"] {
            desk.key('n');
            let screen = desk.screen(columns, rows);
            assert!(screen.contains("WAITING ") && screen.contains(selected), "{selected}\n{screen}");
        }
        desk.key('n');
        let screen = desk.screen(columns, rows);
        assert!(screen.contains("WAITING 0") && screen.contains('▸'), "{screen}");
    }
}

#[test]
fn a_decision_made_far_down_the_list_brings_back_what_waits() {
    let mut desk = after_many();
    desk.press(KeyCode::F(2));
    desk.press(KeyCode::End);
    assert!(!desk.screen(120, 40).contains("WAITING"));
    desk.press(KeyCode::Home);
    let screen = desk.screen(120, 40);
    assert!(screen.contains("WAITING 3") && screen.contains("▸41"), "{screen}");
    desk.press(KeyCode::End);
    desk.screen(120, 40);
    desk.press(KeyCode::Esc);
    assert_eq!(desk.state.queue.selected(), Some(OperationId(1)), "nothing new waits: it stays where it was");
}

#[test]
fn no_room_is_kept_free_for_a_count_that_is_not_there() {
    use crate::domain::Enforceable;
    let mut desk = Desk::new();
    desk.state.setting.connection = Some("practice (sqlite)".to_owned());
    desk.event(Event::Proved(Enforceable { read_only_command: true, staged_command: true, ..Enforceable::default() }));
    let screen = desk.screen(80, 24);
    let status = screen.lines().next().unwrap().trim();
    assert!(status.starts_with("guarded   practice   practice (sqlite) "), "{status}");
    assert!(status.ends_with(" 0 waiting   contained, staged"), "{status}");
    desk.state.setting.practice = false;
    desk.state.setting.model = "gpt-4 (127.0.0.1:18080)".to_owned();
    let screen = desk.screen(80, 24);
    assert!(screen.lines().next().unwrap().contains("gpt-4 (127.0.0.1:18080)   practice (sqlite)"), "{screen}");
}

#[test]
fn where_room_is_short_the_models_name_stays_before_what_can_be_staged() {
    use crate::domain::Enforceable;
    let mut desk = Desk::new();
    desk.state.setting.practice = false;
    desk.state.setting.model = "fake-large (127.0.0.1:18080)".to_owned();
    desk.state.setting.connection = Some("test (sqlite)".to_owned());
    desk.event(Event::Proved(Enforceable { read_only_command: true, staged_command: true, ..Enforceable::default() }));
    desk.send("go");
    let calls: Vec<_> = (0..125).map(|_| ("execute_command", r#"{"command":"touch x"}"#, Vec::new())).collect();
    desk.call(&calls);
    let screen = desk.screen(80, 24);
    let status = screen.lines().find(|row| row.contains("125 waiting")).unwrap();
    assert!(status.contains("fake-large") && status.contains("staged") && !status.contains("contained,"), "{status}");
    assert!(status.contains("guarded") && status.contains("test (sqlite)"), "{status}");
}

#[test]
fn a_command_of_several_lines_is_none_of_one() {
    let mut desk = Desk::new();
    desk.send("go");
    let arguments = serde_json::json!({ "command": "touch a\ntouch b\n" }).to_string();
    desk.call(&[("execute_command", &arguments, Vec::new())]);
    desk.screen(120, 40);
    desk.press(KeyCode::Esc);
    assert!(desk.screen(120, 40).contains("touch a ⏎ touch b"));
}

#[test]
fn what_is_done_names_its_tool_its_time_and_its_outcome_where_there_is_room() {
    let mut desk = Desk::new();
    desk.send("go");
    let call = |text: &'static str| ("execute_command", text, low("It reads."));
    desk.call(&[call(r#"{"command":"ls"}"#), call(r#"{"command":"sleep 20"}"#)]);
    desk.finish(1, Outcome::Succeeded { summary: "exit 0".to_owned() }, 17);
    desk.finish(2, Outcome::Lost, 0);
    desk.press(KeyCode::F(2));
    let screen = desk.screen(120, 40);
    let row = |text: &str| screen.lines().find(|row| row.contains(text)).unwrap().to_owned();
    let done = row("  1  L low");
    assert!(done.contains("command  ls ") && done.ends_with("✓ exit 0   17 ms"), "{screen}");
    assert!(row("▸ 2  L low").ends_with("command  sleep 20               ! interrupted"), "{screen}");
}

#[test]
fn a_filter_says_of_how_many_that_wait_it_shows_some() {
    let mut desk = put_off();
    desk.press(KeyCode::F(2));
    assert!(desk.screen(120, 40).contains("WAITING 2"));
    "/high".chars().for_each(|letter| desk.key(letter));
    let screen = desk.screen(120, 40);
    assert!(screen.contains("WAITING 1 of 2"), "{screen}");
}

#[test]
fn what_came_back_says_what_it_would_do_before_why() {
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[("execute_command", r#"{"command":"make report"}"#, Vec::new())]);
    desk.screen(200, 60);
    desk.key('y');
    let mut changed = desk.state.queue.gate().prepared(OperationId(1)).unwrap().clone();
    changed.assessment.findings = vec![Finding::new("test.changed", Class::Unknown, "The program is another one.")];
    desk.event(Event::Refreshed(OperationId(1), crate::app::Proposal::Ready(Box::new(changed))));
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::F(2));
    let screen = desk.screen(200, 60);
    assert!(screen.contains("back again · ") && !screen.contains("back again: "), "{screen}");
}

#[test]
fn on_a_narrow_screen_each_row_that_waits_says_what_it_does_or_why_it_asks_before_whom_it_waits_for() {
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[
        ("execute_command", r#"{"command":"mkdir build"}"#, Vec::new()),
        ("execute_command", r#"{"command":"rm -rf src"}"#, high("rm removes files.")),
        ("execute_sql", DELETE, high("DELETE removes rows of `orders`.")),
    ]);
    desk.screen(80, 24);
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::F(2));
    let screen = desk.screen(80, 24);
    let row = |text: &str| screen.lines().find(|row| row.contains(text)).unwrap_or(&screen).to_owned();
    assert!(row(" 2  H HIGH").ends_with("rm removes files · after #1"), "{screen}");
    assert!(row(" 3  H HIGH").ends_with("practice.db · after #1"), "{screen}");
    assert!(row(" 1  M MED").contains("mkdir build  no rule says that"), "{screen}");
}

#[test]
fn a_done_row_says_that_it_can_be_undone_and_how_long_it_took_before_how_much_it_was() {
    use crate::domain::{RunEvent, Undoable};
    let mut desk = Desk::new();
    desk.send("go");
    let call = |text: &'static str| ("execute_command", text, low("It reads."));
    desk.call(&[call(r#"{"command":"touch notes.txt"}"#), call(r#"{"command":"mkdir build"}"#)]);
    desk.event(Event::Run(OperationId(1), RunEvent::Undoable(Undoable::Kept)));
    desk.finish(1, Outcome::Succeeded { summary: "created, 23 bytes".to_owned() }, 17);
    desk.finish(2, Outcome::Succeeded { summary: "exit 0".to_owned() }, 4);
    desk.press(KeyCode::F(2));
    for columns in [120, 80] {
        let screen = desk.screen(columns, 30);
        let row = |text: &str| screen.lines().rfind(|row| row.contains(text)).unwrap_or(&screen).to_owned();
        let done = row("  1  L low");
        assert!(done.contains("undo") && done.contains("✓ created") && done.ends_with("17 ms"), "{screen}");
        assert!(!row("▸ 2  L low").contains("undo") && row("▸ 2  L low").ends_with("4 ms"), "{screen}");
        let footer = screen.lines().next_back().unwrap_or_default().to_owned();
        assert!(!footer.contains("u undo"), "nothing of the selected one was kept: {footer}");
    }
    desk.press(KeyCode::End);
    assert!(desk.state.counts(crate::app::Command::Undo));
}
