//! How it looks: what stands on rules keeps its own colour, what can be done stays in sight until something was, and
//! what is long is cut with a sign.

use crossterm::event::KeyCode;
use ratatui::style::{Color, Modifier};

use super::desk::Desk;
use super::*;
use crate::domain::{Outcome, RunEvent, Table};

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
