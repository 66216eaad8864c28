//! How it looks: what stands on rules keeps its own colour, what can be done stays in sight until something was, and
//! what is long is cut with a sign.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::{Color, Modifier};

use super::desk::Desk;
use super::*;
use crate::domain::{Outcome, RunEvent, Table};

const CONTROL_P: KeyEvent = KeyEvent::new(KeyCode::Char('p'), KeyModifiers::CONTROL);

#[test]
fn a_title_does_not_take_on_the_colour_of_its_rule() {
    let mut desk = Desk::new();
    desk.screen(120, 40);
    let buffer = desk.buffer(120, 40);
    let at = buffer.content.iter().position(|cell| cell.symbol() == "C" && cell.modifier.contains(Modifier::BOLD));
    let title = &buffer.content[at.unwrap()];
    assert_eq!(title.fg, Color::Reset, "{title:?}");
    assert!(buffer.content.iter().any(|cell| cell.symbol() == "─" && cell.fg != Color::Reset));
}

#[test]
fn what_can_be_done_is_said_until_somebody_speaks() {
    let mut desk = Desk::new();
    desk.event(Event::Notice("Written to config.toml.".to_owned()));
    let screen = desk.screen(80, 24);
    assert!(screen.contains("Written to config.toml.") && screen.contains("Say what you want"), "{screen}");
    desk.send("hello");
    assert!(!desk.screen(80, 24).contains("Say what you want"));
}

#[test]
fn bars_beyond_the_pane_are_scrolled_to() {
    let rows = (0..100).map(|at| vec![Some(format!("name {at}")), Some(at.to_string())]).collect();
    let columns = ["name", "n"].map(str::to_owned).to_vec();
    let types = ["text", "integer"].map(str::to_owned).to_vec();
    let table = Table { columns, types, rows, total: 100, ..Table::default() };
    let mut desk = Desk::new();
    desk.send("rows");
    desk.call(&[("execute_sql", r#"{"sql":"SELECT 1"}"#, low("It only reads."))]);
    desk.event(Event::Run(OperationId(1), RunEvent::Table(table.into())));
    desk.finish(1, Outcome::Succeeded { summary: "100 rows".to_owned() }, 4);
    desk.press(KeyCode::F(3));
    desk.key('v');
    let screen = desk.screen(120, 40);
    assert!(screen.contains("name 0 ") && screen.contains("more rows") && !screen.contains("name 99"), "{screen}");
    desk.key('G');
    let screen = desk.screen(120, 40);
    assert!(screen.contains("name 99") && !screen.contains("more rows"), "{screen}");
}

#[test]
fn the_pane_that_the_person_goes_to_gets_more_room_on_a_small_screen() {
    let mut desk = Desk::new();
    let rule = |screen: &str| screen.lines().position(|line| line.contains("OPERATIONS")).unwrap();
    let before = rule(&desk.screen(80, 24));
    desk.press(KeyCode::F(2));
    let after = rule(&desk.screen(80, 24));
    assert!(after + 3 < before, "{after} {before}");
}

#[test]
fn columns_stay_where_they_are_while_a_result_is_leafed_through() {
    let part = |first: u64, value: &str| Table {
        columns: vec!["a".to_owned(), "b".to_owned()],
        types: vec![String::new(); 2],
        rows: vec![vec![Some(value.to_owned()), Some("seen-b".to_owned())]],
        total: 2,
        first,
        kept: 2,
    };
    let mut desk = Desk::new();
    desk.send("rows");
    desk.call(&[("execute_sql", r#"{"sql":"SELECT 1"}"#, low("It only reads."))]);
    let place = |screen: &str| {
        let row = screen.lines().find(|line| line.contains("seen-b")).unwrap();
        row[..row.find("seen-b").unwrap()].chars().count()
    };
    desk.event(Event::Run(OperationId(1), RunEvent::Table(part(0, "123456").into())));
    let before = place(&desk.screen(120, 40));
    desk.event(Event::Run(OperationId(1), RunEvent::Table(part(1, "x").into())));
    assert_eq!(place(&desk.screen(120, 40)), before);
}

#[test]
fn one_pane_alone_has_the_whole_screen_and_gives_it_back() {
    let mut desk = put_off();
    let panes = |screen: &str| screen.lines().rev().skip(1).collect::<Vec<_>>().join("\n");
    for (columns, rows) in [(120, 40), (80, 24)] {
        let all = panes(&desk.screen(columns, rows));
        desk.press(KeyCode::F(2));
        desk.press(KeyCode::F(6));
        let alone = desk.screen(columns, rows);
        let said = alone.contains("One pane alone; f6 shows all again.");
        assert!(said && !alone.contains("you\n") && alone.contains("DELETE FROM orders"), "{alone}");
        assert!(alone.contains(" chat ") && !alone.contains('┬'), "{alone}");
        // The pane that was looked at last stays there while one types.
        desk.key('i');
        assert!(desk.screen(columns, rows).contains("OPERATIONS"));
        desk.press(KeyCode::F(6));
        assert_eq!(panes(&desk.screen(columns, rows)), all);
    }
    desk.screen(60, 15);
    desk.press(KeyCode::F(6));
    assert!(desk.screen(60, 15).contains("There is room for one pane alone here."));
}

#[test]
fn the_risk_of_what_waits_is_told_in_the_conversation_in_words() {
    let mut desk = put_off();
    for (columns, rows) in [(120, 40), (80, 24), (60, 15)] {
        desk.press(KeyCode::F(4));
        let screen = desk.screen(columns, rows);
        let told = |what: &str, risk: &str| {
            screen.lines().any(|row| row.contains(&format!("● {what}")) && row.contains(&format!("{risk}  waiting")))
        };
        assert!(told("sql      DELETE", "H HIGH") || told("DELETE", "H HIGH"), "{screen}");
    }
}

#[test]
fn how_it_ended_and_how_long_it_took_stay_on_a_screen_of_100_columns() {
    let mut desk = Desk::new();
    desk.send("go");
    let long = r#"{"command":"make a very long report of everything there is"}"#;
    desk.call(&vec![("execute_command", long, low("It only makes.")); 3]);
    desk.finish(1, Outcome::Succeeded { summary: "exit 0".to_owned() }, 64_000);
    desk.finish(2, Outcome::Failed { reason: "exit 3".to_owned() }, 1_200);
    desk.finish(3, Outcome::TimedOut { seconds: 120 }, 120_000);
    desk.press(KeyCode::F(2));
    for columns in [100, 80, 60] {
        let screen = desk.screen(columns, 30);
        let rows: Vec<&str> = screen.lines().filter(|row| row.contains("L low")).collect();
        assert_eq!(rows.len(), 3, "{screen}");
        assert!(rows.iter().any(|row| row.contains("✓ exit 0") && row.contains("1 min 04 s")), "{screen}");
        assert!(rows.iter().any(|row| row.contains("! failed: exit 3") && row.contains("1.2 s")), "{screen}");
        assert!(rows.iter().any(|row| row.contains("! timed out") && row.contains("2 min 00 s")), "{screen}");
    }
}

#[test]
fn the_keys_to_look_closer_deny_all_and_find_the_others_stand_on_80_columns() {
    let mut desk = put_off();
    desk.press(KeyCode::F(2));
    let foot = |desk: &mut Desk| desk.screen(80, 24).lines().last().unwrap_or_default().to_owned();
    let usual = foot(&mut desk);
    for key in ["n deny", "A approve all", "D deny all", "v details", "? keys"] {
        assert!(usual.contains(key), "{usual}");
    }
    "/make".chars().for_each(|letter| desk.key(letter));
    desk.press(KeyCode::Enter);
    assert!(foot(&mut desk).contains("D deny shown") && foot(&mut desk).contains("A approve shown"));
    desk.key(' ');
    assert!(
        foot(&mut desk).contains("n deny marked")
            && !foot(&mut desk).contains("D deny")
            && foot(&mut desk).contains("? keys")
    );
    desk.press(KeyCode::F(3));
    assert!(foot(&mut desk).contains("? keys"));
}

#[test]
fn while_nothing_waits_the_status_line_says_what_runs() {
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[("execute_command", r#"{"command":"ls"}"#, low("ls only reads."))]);
    desk.event(Event::Run(OperationId(1), RunEvent::Started));
    assert!(desk.screen(120, 40).lines().next().unwrap_or_default().contains("  1 running  "));
    desk.finish(1, Outcome::Succeeded { summary: "exit 0".to_owned() }, 4);
    assert!(desk.screen(120, 40).lines().next().unwrap_or_default().contains("  0 waiting  "));
}

#[test]
fn the_size_of_a_file_that_was_written_is_told_once() {
    let mut desk = Desk::new();
    desk.send("go");
    let arguments = r#"{"operation":"write","path":"a","content":"hi"}"#;
    desk.call(&[("file_operations", arguments, low("It writes."))]);
    desk.print(1, &[(Stream::Out, "a created, 2 B.\n")], 1);
    desk.finish(1, Outcome::Succeeded { summary: "created, 2 B".to_owned() }, 4);
    let screen = desk.screen(120, 40);
    assert!(screen.contains("✓ created, 2 B   4 ms") && !screen.contains("16 B"), "{screen}");
}

#[test]
fn the_way_into_the_terminal_of_what_runs_is_named_from_every_pane() {
    use crate::domain::Glass;
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[("execute_command", r#"{"command":"ls"}"#, low("ls only reads."))]);
    let glass = Glass { text: "name? \n".into(), size: (24, 80), ..Glass::default() };
    desk.event(Event::Run(OperationId(1), RunEvent::Glass(glass)));
    let foot = |desk: &mut Desk| desk.screen(80, 24).lines().last().unwrap_or_default().to_owned();
    assert!(foot(&mut desk).contains("f3 enter type into #1"));
    for pane in [2, 4] {
        desk.press(KeyCode::F(pane));
        assert!(foot(&mut desk).contains("f3 enter type into #1"), "f{pane}");
    }
    desk.press(KeyCode::F(3));
    assert!(foot(&mut desk).contains("enter type into its terminal"));
    desk.finish(1, Outcome::Succeeded { summary: "exit 0".to_owned() }, 4);
    desk.press(KeyCode::F(2));
    assert!(!foot(&mut desk).contains("type into"));
}

#[test]
fn a_list_says_what_it_counts() {
    for (key, title, noun) in [(KeyEvent::from(KeyCode::F(1)), "Keys", " keys "), (CONTROL_P, "Commands", " commands ")]
    {
        let mut desk = Desk::new();
        desk.event(Event::Key(key));
        let screen = desk.screen(120, 40);
        let head = screen.lines().find(|row| row.contains(title)).unwrap_or_default();
        assert!(head.contains(noun), "{head}");
        "theme".chars().for_each(|letter| desk.key(letter));
        let screen = desk.screen(120, 40);
        let head = screen.lines().find(|row| row.contains(title)).unwrap_or_default();
        assert!(head.contains(" of ") && head.contains(noun), "{head}");
    }
}

#[test]
fn the_dialog_says_after_what_an_operation_starts() {
    let mut desk = put_off();
    desk.press(KeyCode::F(2));
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Enter);
    let screen = desk.screen(120, 40);
    assert!(screen.contains("turn 1   starts after #2 (order only)"), "{screen}");
}
