//! Lists above the panes, as drawn.

use crossterm::event::KeyCode;

use super::desk::Desk;
use super::put_off;
use crate::app::{Command, Context, Pick, Picker, Row};
use crate::ui::picker::told;

fn typed(desk: &mut Desk, text: &str) {
    for letter in text.chars() {
        desk.press(KeyCode::Char(letter));
    }
}

#[test]
fn the_palette_lists_what_can_be_done_with_its_keys() {
    let mut desk = put_off();
    desk.state.open_picker(Picker::new("none", Vec::new()));
    desk.press(KeyCode::Esc);
    desk.control('p');
    let wide = desk.screen(120, 40);
    for piece in ["╔═ Commands ═", "› type to narrow the list", "▸ /help", "/model [NAME]"] {
        assert!(wide.contains(piece), "{piece}:\n{wide}");
    }
    typed(&mut desk, "deny with");
    for (columns, rows) in [(80, 24), (40, 12)] {
        let screen = desk.screen(columns, rows);
        let row = screen.lines().find(|line| line.contains("▸ deny with a reason")).unwrap();
        assert!(row.contains("in the ope") && row.contains(" r ║") && screen.contains(" 1 of "), "{screen}");
    }
}

#[test]
fn letters_that_fit_are_underlined() {
    let mut desk = Desk::new();
    let rows = vec![Row::new("deny all", Pick::Command(Context::Queue, Command::DenyAll)).detail("in the operations")];
    desk.state.open_picker(Picker::new("Commands", rows));
    typed(&mut desk, "dall");
    let buffer = desk.buffer(80, 24);
    let marked: String = buffer
        .content()
        .iter()
        .filter(|cell| cell.modifier.contains(ratatui::style::Modifier::UNDERLINED))
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert_eq!(marked, "dall");
}

#[test]
fn what_others_wrote_is_neutralised_and_cut() {
    let mut desk = Desk::new();
    let hostile = format!("\u{1b}[2J\u{202e}evil {}", "x".repeat(500));
    desk.state.open_picker(Picker::new("Sessions", vec![Row::new(&hostile, Pick::Nothing).detail(&hostile)]));
    typed(&mut desk, "evil");
    let screen = desk.screen(60, 15);
    assert!(screen.contains("␛[2J<U+202E>evil") && !screen.contains('\u{1b}'), "{screen}");
    for (columns, rows) in [(20, 5), (21, 6), (40, 12), (200, 60)] {
        desk.screen(columns, rows);
    }
}

#[test]
fn a_list_without_rows_counts_none_and_says_why() {
    let mut desk = Desk::new();
    desk.send("/rules");
    let screen = desk.screen(80, 24);
    assert!(screen.contains("Nothing is remembered yet. m in a dialog: don't ask again."), "{screen}");
    assert!(screen.contains("═ 0 rules ═╗"), "{screen}");
    let mut desk = Desk::new();
    desk.control('r');
    assert!(desk.screen(80, 24).contains("No message was sent yet."));
}

#[test]
fn an_empty_list_says_so() {
    let mut desk = Desk::new();
    desk.state.open_picker(Picker::reading("Sessions", "No session yet."));
    assert!(desk.screen(80, 24).contains("reading…"));
}

#[test]
fn by_lines_it_is_numbered() {
    let rows = ["one", "two", "three"].map(|label| Row::new(label, Pick::Nothing).detail("more")).into();
    assert_eq!(
        told(&Picker::new("Things", rows), 2),
        [
            "Things:",
            "1: one – more",
            "2: two – more",
            "1 more: type ? and words to narrow the list",
            "type a number to choose, or ? and words to narrow; anything else closes the list"
        ]
    );
}

#[test]
fn the_question_about_a_folder_says_what_a_yes_allows() {
    let mut desk = Desk::new();
    desk.state.setting.practice = false;
    desk.state.setting.folder = "~/work/shop".to_owned();
    desk.state.ask_folder();
    for (columns, rows) in [(120, 40), (80, 24), (60, 20)] {
        let screen = desk.screen(columns, rows);
        let words = screen.replace(['║', '\n'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
        for piece in [
            "New folder: work here?",
            "~/work/shop",
            "may list, search and read here unasked, but nothing sensitive",
            "▸ Yes, work here",
            "No, leave",
            "y yes n no enter confirm",
        ] {
            assert!(words.contains(piece), "{piece}: {screen}");
        }
        assert!(!screen.contains("esc close") && !words.contains("type to narrow"), "{screen}");
    }
    let small = desk.screen(40, 10);
    assert!(
        small.contains("Yes, work here") && small.contains("No, leave") && small.contains("enter confirm"),
        "{small}"
    );
    let lines = told(desk.state.picker().unwrap(), 30);
    assert_eq!((lines[1].as_str(), lines.last().unwrap().as_str()), ("~/work/shop", "type yes or no"));
}
