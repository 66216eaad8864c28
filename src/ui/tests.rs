//! Whole screens, drawn from states that events made, and the promise that no text and no size breaks one.

mod composing;
mod desk;
mod dialogs;
mod foresight;
mod linear;
mod look;
mod many;
mod output;
mod pickers;

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::KeyCode;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::app::{Event, Modal};
use crate::domain::{Class, Danger, Finding, OperationId, Outcome, RunEvent, StopReason, Stream, Table};
use desk::{Desk, lines};

fn low(sentence: &str) -> Vec<Finding> {
    vec![Finding::new("test.read", Class::Whitelisted, sentence)]
}

fn high(sentence: &str) -> Vec<Finding> {
    vec![Finding::new("sql.delete", Class::Declared(Danger::Destructive), sentence).at(0..6)]
}

const DELETE: &str = r#"{"sql":"DELETE FROM orders\nWHERE status = 'cancelled'","risk_level":"low"}"#;

/// A conversation in which one call ran, one is high and one is behind it.
fn conversation() -> Desk {
    let mut desk = Desk::new();
    desk.send("delete the cancelled orders");
    desk.say("I'll look first, then **delete**.");
    desk.call(&[
        (
            "execute_sql",
            r#"{"sql":"SELECT count(*) FROM orders WHERE status = 'cancelled'"}"#,
            low("SELECT only reads."),
        ),
        ("execute_sql", DELETE, high("DELETE removes rows of `orders`.")),
        ("execute_command", r#"{"command":"make report"}"#, Vec::new()),
    ]);
    let table = Table {
        columns: vec!["count(*)".to_owned()],
        types: vec!["INTEGER".to_owned()],
        rows: vec![vec![Some("12".to_owned())]],
        total: 1,
        ..Table::default()
    };
    desk.event(Event::Run(OperationId(1), RunEvent::Table(Arc::new(table))));
    desk.finish(1, Outcome::Succeeded { summary: "1 row".to_owned() }, 4);
    desk
}

/// The same with the dialog put off.
fn put_off() -> Desk {
    let mut desk = conversation();
    desk.screen(120, 40);
    desk.press(KeyCode::Esc);
    desk
}

#[test]
fn a_fresh_session_says_what_to_do() {
    let mut desk = Desk::new();
    insta::assert_snapshot!("empty_120", desk.screen(120, 40));
    insta::assert_snapshot!("empty_80", desk.screen(80, 24));
    insta::assert_snapshot!("empty_60", desk.screen(60, 15));
}

#[test]
fn the_smallest_screens_are_still_readable() {
    let mut desk = conversation();
    let screens: Vec<String> = [(40, 10), (20, 5), (19, 5)].map(|(columns, rows)| desk.screen(columns, rows)).into();
    desk.press(KeyCode::Esc);
    let closed: Vec<String> = [(40, 10), (20, 5)].map(|(columns, rows)| desk.screen(columns, rows)).into();
    insta::assert_snapshot!("smallest", [screens, closed].concat().join("\n~~~~\n"));
}

#[test]
fn a_wide_character_before_the_frame_does_not_swallow_it() {
    for start in ["", "a"] {
        let mut desk = Desk::new();
        desk.send(&format!("{start}{}", "宽".repeat(2_000)));
        desk.call(&[("execute_command", r#"{"command":"touch x"}"#, Vec::new())]);
        desk.screen(121, 40);
        let rows = desk.terminal(121, 40);
        let top = rows.iter().position(|row| row.contains('╔')).unwrap();
        let bottom = rows.iter().position(|row| row.contains('╚')).unwrap();
        assert!(rows[top + 1..bottom].iter().all(|row| row.matches('║').count() == 2), "{}", rows.join("\n"));
    }
}

#[test]
fn keys_of_a_dialog_are_dim_until_they_count() {
    let mut desk = conversation();
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let mut styles = Vec::new();
    for _ in 0..2 {
        terminal.draw(|frame| drop(draw(frame, &desk.state, &mut desk.cache, &desk.theme))).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let row = lines(&terminal).lines().position(|row| row.contains("y then 2 approve")).unwrap();
        styles.push(buffer[(2, u16::try_from(row).unwrap())].style());
        desk.screen(80, 24);
    }
    assert_ne!(styles[0], styles[1]);
}

#[test]
fn a_conversation_shows_what_waits() {
    let mut desk = put_off();
    insta::assert_snapshot!("conversation_120", desk.screen(120, 40));
    insta::assert_snapshot!("conversation_80", desk.screen(80, 24));
    insta::assert_snapshot!("conversation_60", desk.screen(60, 15));
    desk.press(KeyCode::F(2));
    insta::assert_snapshot!("operations_60", desk.screen(60, 15));
    desk.press(KeyCode::F(3));
    insta::assert_snapshot!("table_60", desk.screen(60, 15));
}

#[test]
fn the_dialog_shows_everything_it_asks_about() {
    let mut desk = conversation();
    insta::assert_snapshot!("dialog_120", desk.screen(120, 40));
    insta::assert_snapshot!("dialog_60", desk.screen(60, 15));
    desk.key('x');
    insta::assert_snapshot!("dialog_derivation", desk.screen(80, 24));
    desk.key('x');
    desk.screen(80, 24);
    desk.key('y');
    insta::assert_snapshot!("dialog_confirm", desk.screen(80, 24));
    desk.event(Event::Paste("2".to_owned()));
    for (columns, said) in
        [(80, "Type 2 to approve it: ▏  Pasted text decides nothing and"), (40, "Type 2 to approve it: ▏")]
    {
        let screen = desk.screen(columns, 24);
        assert!(screen.contains(said), "{screen}");
    }
    desk.press(KeyCode::Esc);
    desk.screen(80, 24);
    desk.key('r');
    desk.screen(80, 24);
    "wrong table".chars().for_each(|letter| desk.key(letter));
    insta::assert_snapshot!("dialog_reason", desk.screen(80, 24));
    desk.press(KeyCode::Esc);
    desk.screen(80, 24);
    desk.key('e');
    "\nLIMIT 3".chars().for_each(|letter| match letter {
        '\n' => desk.press(KeyCode::Enter),
        letter => desk.key(letter),
    });
    insta::assert_snapshot!("editor", desk.screen(80, 24));
    desk.press(KeyCode::Esc);
    desk.screen(80, 24);
    desk.key('A');
    insta::assert_snapshot!("dialog_all", desk.screen(80, 24));
}

#[test]
fn a_high_operation_can_be_approved_only_after_its_end_was_on_screen() {
    let mut desk = Desk::new();
    desk.send("go");
    let sql = (0..200).map(|line| format!("DELETE FROM t{line};")).collect::<Vec<_>>().join("\\n");
    desk.call(&[("execute_sql", &format!(r#"{{"sql":"{sql}"}}"#), high("It deletes."))]);
    let first = desk.screen(80, 24);
    assert!(first.contains(" of 200 "), "{first}");
    desk.key('y');
    let Some(Modal::Confirm(dialog)) = &desk.state.modal else { panic!("no dialog") };
    assert!(dialog.hint.is_some());
    desk.press(KeyCode::End);
    assert!(desk.screen(80, 24).contains("t199"));
    desk.key('y');
    assert!(desk.screen(80, 24).contains("Type 1 to approve it"));
}

#[test]
fn production_is_said_in_words_wherever_it_is_hit() {
    let mut desk = Desk::new();
    desk.state.setting.production = true;
    desk.production = vec!["the host db.prod matches `prod`".to_owned()];
    desk.send("go");
    desk.call(&[
        ("execute_sql", DELETE, high("DELETE removes rows of `orders`.")),
        ("execute_sql", r#"{"sql":"DELETE FROM t"}"#, high("It deletes.")),
    ]);
    insta::assert_snapshot!("production_120", desk.screen(120, 40));
    for (columns, rows) in [(80, 24), (40, 10)] {
        let screen = desk.screen(columns, rows);
        assert!(screen.contains("PRODUCTION  H HIGH"), "{screen}");
    }
    assert!(desk.screen(44, 16).lines().next().unwrap().contains("PROD practice.db"));
    desk.screen(80, 24);
    desk.key('A');
    let screen = desk.screen(80, 24);
    assert!(
        screen.contains("Some of them hit production") && screen.contains("PROD  sql      DELETE FROM"),
        "{screen}"
    );
}

#[test]
fn secrets_are_masked_until_a_key_shows_them_and_again_when_the_dialog_closes() {
    let mut desk = Desk::new();
    desk.send("go");
    let command = "curl -H 'Authorization: Bearer hunter2hunter2hunter2' -X POST https://ann:pa55word@x.example/a";
    let call = serde_json::json!({ "command": command }).to_string();
    desk.secrets = ["hunter2hunter2hunter2", "pa55word"].map(str::to_owned).to_vec();
    desk.call(&[("execute_command", &call, high("Sends it."))]);
    let masked = desk.screen(120, 40);
    insta::assert_snapshot!("masked_120", masked);
    assert!(!masked.contains("hunter2") && !masked.contains("pa55word"), "{masked}");
    desk.key('s');
    let shown = desk.screen(120, 40);
    assert!(
        shown.contains("Bearer hunter2hunter2hunter2") && shown.contains("2 values shown · s masks them"),
        "{shown}"
    );
    desk.press(KeyCode::Esc);
    assert!(!desk.screen(120, 40).contains("hunter2"), "nowhere but in the dialog");
    desk.press(KeyCode::F(2));
    desk.press(KeyCode::Enter);
    let again = desk.screen(120, 40);
    assert!(again.contains("2 values masked · s shows them") && !again.contains("hunter2"), "{again}");
}

#[test]
fn the_derivation_shows_all_of_the_text_that_a_rule_is_about() {
    let mut desk = Desk::new();
    desk.send("go");
    let condition = (0..12).map(|at| format!("name{at} = 'x'")).collect::<Vec<_>>().join(" AND ");
    let sql = format!("SELECT 1; DELETE FROM orders WHERE {condition}");
    let finding = Finding::new("sql.delete", Class::Declared(Danger::Destructive), "It deletes.").at(10..sql.len());
    desk.call(&[("execute_sql", &serde_json::json!({ "sql": sql }).to_string(), vec![finding])]);
    desk.screen(80, 40);
    desk.key('x');
    let screen = desk.screen(80, 40);
    let words = screen.replace(['║', '\n'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("`DELETE FROM orders WHERE {condition}`")), "{screen}");
}

#[test]
fn help_lists_every_key() {
    let mut desk = Desk::new();
    desk.press(KeyCode::F(1));
    // How many there are changes with every key: only the look is told here.
    let wide = desk.screen(120, 40);
    for piece in [
        "╔═ Keys ═",
        "║ typing a message ",
        "▸ send   ",
        "║ everywhere  ",
        "  find, or filter rows  ",
        "enter choose   ↑ ↓ move   esc close",
    ] {
        assert!(wide.contains(piece), "{piece}:\n{wide}");
    }
    desk.press(KeyCode::End);
    let last = desk.screen(120, 40);
    for piece in [" in the status line ", "mode: everything asks", "contained, staged", "there are no walls here"] {
        assert!(last.contains(piece), "{piece}:\n{last}");
    }
    desk.press(KeyCode::Home);
    let narrow = desk.screen(60, 15);
    assert!(narrow.contains("║   new line ") && narrow.contains(" alt+enter ctrl+j ║"), "{narrow}");
    let first: Vec<usize> = (0..400)
        .map(|_| {
            desk.press(KeyCode::Down);
            assert!(desk.screen(80, 24).contains('▸'), "the chosen row is in sight");
            desk.state.picker().unwrap().selected()
        })
        .collect();
    assert!(first.is_sorted() && first.last() > Some(&150));
}

fn flood() -> Desk {
    let mut desk = Desk::new();
    desk.send("build");
    desk.call(&[("execute_command", r#"{"command":"cargo build --verbose"}"#, low("It only builds."))]);
    let lines: Vec<String> =
        (900..1_204).map(|line| format!("\x1b[32mCompiling\x1b[0m crate number {line}\n")).collect();
    let text = lines.concat();
    desk.print(1, &[(Stream::Out, &text), (Stream::Err, "warning: unused\n")], 1_204);
    desk.now += 2_000;
    desk
}

#[test]
fn a_flood_of_output_follows_its_end() {
    let mut desk = flood();
    insta::assert_snapshot!("flood_120", desk.screen(120, 40));
    desk.press(KeyCode::F(3));
    insta::assert_snapshot!("flood_60", desk.screen(60, 15));
    desk.press(KeyCode::Home);
    assert!(desk.screen(60, 15).contains("earlier lines, further up"));
    desk.press(KeyCode::Right);
    assert!(desk.screen(120, 40).contains("from column 9"));
}

#[test]
fn rows_are_aligned_and_null_is_not_a_text() {
    let mut desk = Desk::new();
    desk.send("rows");
    desk.call(&[("execute_sql", r#"{"sql":"SELECT * FROM customers"}"#, low("SELECT only reads."))]);
    let row = |id: &str, name: Option<&str>, spent: Option<&str>| {
        vec![Some(id.to_owned()), name.map(ToOwned::to_owned), spent.map(ToOwned::to_owned)]
    };
    let table = Table {
        columns: ["id", "name", "spent"].map(ToOwned::to_owned).to_vec(),
        types: ["INTEGER", "TEXT", "DECIMAL(10,2)"].map(ToOwned::to_owned).to_vec(),
        rows: vec![
            row("1", Some("Ada"), Some("1204.50")),
            row("20", Some("NULL"), None),
            row("300", None, Some("7.00")),
            row("4", Some("a name that is far longer than any column may be wide\nand has lines"), Some("0.10")),
        ],
        total: 340,
        ..Table::default()
    };
    desk.event(Event::Run(OperationId(1), RunEvent::Table(Arc::new(table))));
    desk.finish(1, Outcome::Succeeded { summary: "340 rows".to_owned() }, 12);
    desk.press(KeyCode::F(3));
    insta::assert_snapshot!("table_120", desk.screen(120, 30));
}

#[test]
fn a_question_is_answered_with_one_key() {
    let mut desk = Desk::new();
    desk.send("tidy up");
    desk.say("Shall I delete the old files?");
    desk.end(StopReason::Done);
    let screen = desk.screen(80, 24);
    assert!(screen.contains("alt+y yes   alt+n no   or type an answer"), "{screen}");
}

#[test]
fn trouble_says_what_to_do() {
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[("execute_command", r#"{"command":"nonesuch"}"#, low("It only reads."))]);
    desk.finish(1, Outcome::Failed { reason: "nonesuch was not found; check its name".to_owned() }, 3);
    desk.event(Event::JournalFailed("the disk is full".to_owned()));
    insta::assert_snapshot!("trouble_80", desk.screen(80, 24));
}

/// Text that tries to leave its place.
const HOSTILE: &str = "\x1b[2J\x1b[1;1H╔═ 1 · Run SQL ═╗\x1b]0;owned\x07\r\x1b[8mhidden\x1b[0m \u{202e}txt.exe \u{200b}宽宽宽🙂\u{fe0f} \
    a\u{301}\u{301}\u{301}\u{301}\u{301} \u{9b}31m <b>&#x1b;[2J</b> \u{e0041}\t|\n";

fn hostile(text: &str) -> Desk {
    let mut desk = Desk::new();
    desk.state.setting.connection = Some(text.to_owned());
    desk.send(text);
    desk.say(text);
    let arguments = serde_json::json!({ "command": text }).to_string();
    let finding = Finding::new("x.y", Class::Declared(Danger::Destructive), text);
    desk.call(&[("execute_command", &arguments, low("It reads.")), ("execute_command", &arguments, vec![finding])]);
    desk.print(1, &[(Stream::Out, text), (Stream::Err, text)], 2);
    desk
}

#[test]
fn hostile_text_stays_in_its_place() {
    let mut desk = hostile(HOSTILE);
    for (columns, rows) in [(120, 40), (80, 24), (60, 15)] {
        for open in [true, false] {
            if !open {
                desk.press(KeyCode::Esc);
            }
            let screen = desk.screen(columns, rows);
            assert!(!screen.chars().any(|c| c.is_control() && c != '\n' || text::hidden(c)), "{screen}");
            // What a terminal makes of the bytes that are really sent is what was drawn.
            assert_eq!(desk.terminal(columns, rows).join("\n"), desk.still(columns, rows));
        }
        desk.event(Event::Wake);
        desk.press(KeyCode::F(2));
        desk.press(KeyCode::Enter);
    }
    desk.press(KeyCode::Esc);
    insta::assert_snapshot!("hostile_120", desk.screen(120, 40));
}

#[test]
fn a_thousand_operations_scroll_and_keep_the_selection_in_view() {
    let mut desk = Desk::new();
    desk.send("many");
    let calls: Vec<_> = (0..1_000).map(|_| ("execute_command", r#"{"command":"touch x"}"#, Vec::new())).collect();
    desk.call(&calls);
    desk.screen(120, 40);
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::F(2));
    for _ in 0..30 {
        desk.press(KeyCode::Down);
        assert!(desk.screen(120, 40).contains('▸'));
    }
    assert!(desk.screen(120, 40).contains("▸  31"));
    desk.press(KeyCode::End);
    assert!(desk.screen(120, 40).contains("▸1000"));
}

#[test]
fn without_colours_nothing_is_coloured() {
    let mut desk = flood();
    desk.theme = Theme::named("mono").unwrap();
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
    terminal.draw(|frame| drop(draw(frame, &desk.state, &mut desk.cache, &desk.theme))).unwrap();
    let plain = |cell: &ratatui::buffer::Cell| {
        use ratatui::style::Color;
        cell.fg == Color::Reset && cell.bg == Color::Reset
    };
    assert!(terminal.backend().buffer().content.iter().all(plain));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_size_and_no_text_breaks_a_screen(
        text in proptest::collection::vec(prop_oneof![
            Just("\x1b[31m"), Just("\x1b]8;;x\x1b\\"), Just("\r"), Just("\n"), Just("\t"), Just("宽"), Just("🙂\u{fe0f}"),
            Just("\u{202e}"), Just("\u{301}"), Just("\0"), Just("| a | b |\n|---|---|\n"), Just("```\n"), Just("- "),
            Just("&#x1b;"), Just("word "), Just("\u{200d}"), Just("> "), Just("1. "), Just("# "), Just("["), Just("]("),
        ], 0..40),
        columns in 1_u16..200,
        rows in 1_u16..60,
        keys in "[yrAxno?]{0,4}",
    ) {
        // Something must be left of it when it is sent.
        let mut desk = hostile(&format!("x{}", text.concat()));
        desk.screen(columns, rows);
        for key in keys.chars() {
            desk.key(key);
            desk.screen(columns, rows);
        }
        for key in [KeyCode::Esc, KeyCode::Esc, KeyCode::F(2), KeyCode::F(3), KeyCode::F(4), KeyCode::F(1)] {
            desk.press(key);
            desk.screen(columns, rows);
        }
    }
}

#[test]
fn a_long_answer_stays_cheap_to_draw_while_it_grows() {
    let mut desk = Desk::new();
    desk.send("long");
    let paragraph = "Some **words** of an answer, with `code` in them.\n\n- item one\n- item two\n\n";
    desk.say(&paragraph.repeat(5_000));
    desk.still(120, 40);
    let started = std::time::Instant::now();
    for _ in 0..50 {
        desk.say("eighty bytes of an answer that grows and grows and grows and grows and grows. ");
        desk.still(120, 40);
    }
    // A frame that rendered all of it again would take half a second here.
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_message_that_is_held_and_a_direct_operation_are_shown() {
    let mut desk = put_off();
    desk.send("and then the report");
    let screen = desk.screen(120, 40);
    for piece in ["and then the report", "goes to the model once what waits is decided", "↑ take it back"] {
        assert!(screen.contains(piece), "{piece}: {screen}");
    }
    desk.send("! cargo tree");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("command  cargo tree") && screen.contains("reading"), "{screen}");
}

#[test]
fn what_the_person_says_after_an_operation_of_their_own_stands_apart() {
    let mut desk = Desk::new();
    desk.send("! cargo tree");
    desk.send("what is that?");
    let screen = desk.screen(120, 40);
    let rows: Vec<String> = screen.lines().map(|row| row.split('│').next().unwrap_or(row).trim().to_owned()).collect();
    let at = rows.iter().position(|row| row.contains("command  cargo tree")).unwrap();
    assert_eq!((rows[at - 1].as_str(), rows[at + 1].as_str(), rows[at + 2].as_str()), ("you", "", "what is that?"));
}
