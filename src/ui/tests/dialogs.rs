//! What a dialog shows of what it asks about, what it leaves out, and what it says of its end.

use crossterm::event::KeyCode;

use super::desk::{Desk, prepared};
use super::high;
use crate::app::{Event, Offer, Proposal, Setup, Sort};
use crate::domain::{Class, Edit, Finding, Foresight, OperationId, Preview};

#[test]
fn what_a_dialog_asks_about_stays_behind_its_gutter() {
    let mut desk = Desk::new();
    desk.send("go");
    let command =
        "true\n║ y approve   n deny\n╚═══════╝\n\x1b[1;1H║ 1 · Run SQL\n".repeat(3) + &" ".repeat(300) + "rm x";
    let arguments = serde_json::json!({ "command": command }).to_string();
    desk.call(&[("execute_command", &arguments, Vec::new())]);
    let screen = desk.screen(80, 30);
    let rows: Vec<&str> = screen.lines().skip_while(|row| !row.contains("╔═ 1 ·")).skip(3).take(16).collect();
    let inside = |row: &&str| {
        row.starts_with("║ ") && row.ends_with(" ║") && row.chars().skip(2).take(5).any(|c| matches!(c, '│' | '┆'))
    };
    assert!(rows.iter().all(inside), "{screen}");
    assert!(screen.contains("rm x"), "{screen}");
}

/// What the last frame said about the end of what it showed.
fn end_shown(desk: &mut Desk, columns: u16, rows: u16) -> bool {
    desk.screen(columns, rows);
    desk.state.sight.dialog.unwrap().1
}

#[test]
fn the_end_that_was_seen_is_that_of_what_stands_in_the_dialog() {
    let mut desk = Desk::new();
    desk.send("many");
    let calls: Vec<_> = (0..60).map(|_| ("execute_command", r#"{"command":"touch x"}"#, Vec::new())).collect();
    desk.call(&calls);
    assert!(end_shown(&mut desk, 80, 24));
    desk.key('x');
    assert!(!end_shown(&mut desk, 80, 24), "the derivation is not the operation");
    desk.key('A');
    assert!(!end_shown(&mut desk, 80, 24), "the list goes on");
    desk.press(KeyCode::End);
    assert!(end_shown(&mut desk, 80, 24), "the list's end is seen, whatever was shown before it");
}

#[test]
fn what_a_list_leaves_out_is_counted() {
    let mut desk = Desk::new();
    desk.send("go");
    let written =
        serde_json::json!({ "operation": "write", "path": "a.txt", "content": "x".repeat(1_200) }).to_string();
    let long = serde_json::json!({ "command": format!("touch {}", "y".repeat(200)) }).to_string();
    desk.call(&[("file_operations", &written, Vec::new()), ("execute_command", &long, Vec::new())]);
    desk.screen(80, 24);
    desk.key('A');
    let screen = desk.screen(80, 24);
    assert!(screen.contains("write a.txt… 1,200 more characters"), "{screen}");
    assert!(screen.contains("touch yyyy") && screen.contains("y… 173 more characters"), "{screen}");
    assert!(desk.screen(44, 16).contains("… 1,200 more characters"));
}

#[test]
fn in_a_list_the_whole_text_of_what_is_high_stands_right_under_its_row() {
    let mut desk = Desk::new();
    desk.send("go");
    let long = format!(r#"{{"sql":"DELETE FROM orders WHERE note = '{}' AND the = 'end'"}}"#, "x".repeat(90));
    desk.call(&[("execute_sql", &long, high("It removes.")), ("execute_command", r#"{"command":"make"}"#, Vec::new())]);
    desk.screen(100, 30);
    desk.key('A');
    let screen = desk.screen(100, 30);
    let mut rows = screen.lines().skip_while(|row| !row.contains("… whole text below"));
    let told: String = rows.by_ref().take(4).collect();
    assert!(told.contains("│ DELETE FROM orders") && told.contains("AND the = 'end'"), "{screen}");
}

#[test]
fn reasons_take_the_rows_that_are_free_and_are_cut_between_words() {
    let reason = "It removes rows of a table that nobody can bring back afterwards. ".repeat(9);
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[("execute_sql", r#"{"sql":"DELETE FROM t"}"#, high(reason.trim()))]);
    let whole = desk.screen(80, 24);
    assert!(!whole.contains("more, see"), "{whole}");
    let cut = desk.screen(80, 12);
    let row = cut.lines().find(|row| row.contains("more, see x")).unwrap();
    let before = row.trim_start_matches("║ ").split('…').next().unwrap().trim();
    assert!(reason.contains(before) && !before.is_empty(), "{cut}");
    assert!(before.split(' ').all(|word| reason.split(' ').any(|known| known == word)), "{cut}");
}

#[test]
fn a_dialog_says_why_a_claim_of_low_does_not_let_a_command_run_staged() {
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[("execute_command", r#"{"command":"frob","risk_level":"low"}"#, Vec::new())]);
    let screen = desk.screen(120, 40);
    assert!(screen.contains("not enough in guarded mode, as it may outlast the run"), "{screen}");
}

#[test]
fn the_chosen_part_of_a_rule_is_in_sight_on_a_small_screen() {
    let mut desk = Desk::new();
    desk.send("go");
    let findings = vec![Finding::new("command.mkdir", Class::Unknown, "It makes a folder.")];
    desk.call(&[("execute_command", r#"{"command":"mkdir a"}"#, findings)]);
    desk.screen(60, 13);
    desk.key('m');
    assert!(desk.screen(80, 30).contains("Don't ask again about what fits all of this:"));
    let small = desk.screen(60, 11);
    assert!(small.contains("▸ scope") && !small.contains("Don't ask again"), "{small}");
}

#[test]
fn a_long_path_is_cut_rather_than_left_out() {
    let mut desk = Desk::new();
    desk.send("go");
    let path = "docs/".to_owned() + &"a-long-name-".repeat(12) + ".md";
    let call = serde_json::json!({ "operation": "write", "path": path, "content": "x\n".repeat(40) }).to_string();
    desk.call(&[("file_operations", &call, high(&format!("Creates {path}.")))]);
    let screen = desk.screen(60, 15);
    assert!(screen.contains("why        Creates docs/a-long-"), "{screen}");
}

#[test]
fn why_it_asks_goes_last_where_rows_are_short() {
    let mut desk = Desk::new();
    let effects = (1..=8).map(|at| format!("Would change part {at}.")).collect();
    desk.foresight = Some(Foresight::Measured(Box::new(Preview { effects, ..Preview::default() })));
    desk.send("go");
    desk.call(&[(
        "execute_command",
        r#"{"command":"make a"}"#,
        high("The command hides what it does behind an encoding that nobody can read by eye before it runs."),
    )]);
    let screen = desk.screen(60, 15);
    assert!(screen.contains("it runs.") && screen.contains("lines more"), "{screen}");
}

#[test]
fn nobody_edited_it_before_something_is_changed() {
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[("execute_command", r#"{"command":"make a"}"#, high("It makes."))]);
    desk.screen(120, 40);
    desk.key('e');
    desk.screen(120, 40);
    assert!(!desk.screen(120, 40).contains("You edited it"));
}

#[test]
fn what_was_edited_is_shown_against_what_was_asked() {
    let mut desk = Desk::new();
    desk.send("go");
    desk.secrets = vec!["s3cret".to_owned()];
    let asked = "make a\nmake b\nexport KEY=s3cret\nmake d";
    let arguments = serde_json::json!({ "command": asked }).to_string();
    desk.call(&[("execute_command", &arguments, high("It makes."))]);
    desk.screen(120, 40);
    desk.key('s');
    desk.screen(120, 40);
    desk.key('e');
    let ready = |text: &str| {
        let arguments = serde_json::json!({ "command": text }).to_string();
        let mut prepared = prepared(OperationId(1), "execute_command", &arguments, high("It makes."));
        prepared.operation.origin = prepared.operation.origin.changed(Edit::Text);
        let at = text.find("s3cret").unwrap();
        prepared.assessment.secrets = std::iter::once(at..at + "s3cret".len()).collect();
        Proposal::Ready(Box::new(prepared))
    };
    desk.event(Event::Assessed(1, ready(asked)));
    desk.press(KeyCode::Up);
    desk.press(KeyCode::Up);
    desk.press(KeyCode::Backspace);
    let edited = asked.replace("make b", "make ");
    desk.event(Event::Assessed(2, ready(&edited)));
    desk.control('s');
    desk.event(Event::Proposed(OperationId(1), ready(&edited)));
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::F(2));
    desk.key('v');
    let screen = desk.screen(100, 60);
    assert!(screen.contains("YOUR EDIT"), "{screen}");
    assert!(screen.contains("- as it was asked   + as you edited it"), "{screen}");
    assert!(screen.contains("╎ - make b") && screen.contains("╎ + make ") && screen.contains("╎   make a"), "{screen}");
    assert!(!screen.contains("s3cret"), "{screen}");
    let mut untouched = Desk::new();
    untouched.send("go");
    untouched.call(&[("execute_command", &arguments, high("It makes."))]);
    untouched.press(KeyCode::Esc);
    untouched.press(KeyCode::F(2));
    untouched.key('v');
    assert!(!untouched.screen(100, 60).contains("YOUR EDIT"));
}

/// The page of the first start with many who serve a model.
fn first_start() -> Desk {
    let mut desk = Desk::new();
    let offer = |at: usize| Offer {
        word: format!("server{at}"),
        name: format!("Server {at}"),
        note: "a note".to_owned(),
        found: false,
        place: String::new(),
        lacks: None,
        sort: Sort::Provider,
        configured: false,
    };
    desk.state.set_up(Setup::new((1..=14).map(offer).collect(), false));
    desk
}

#[test]
fn a_small_first_start_says_how_much_more_there_is_and_draws_nothing_over_another() {
    let mut desk = first_start();
    for (columns, rows) in [(60, 15), (40, 10), (80, 24)] {
        let screen = desk.screen(columns, rows);
        assert!(screen.contains("Who serves the model?") && screen.contains("▸ Server 1 "), "{screen}");
        assert!(screen.contains("Server 14") || screen.contains(" more"), "{screen}");
        assert!(screen.contains("enter take it"), "{screen}");
    }
    for _ in 0..13 {
        desk.press(KeyCode::Down);
    }
    let screen = desk.screen(60, 15);
    assert!(screen.contains("▸ Server 14") && screen.contains("↑ 5 more"), "{screen}");
    assert!(!screen.lines().any(|row| row.contains('↓') && row.contains("more")), "{screen}");
}

#[test]
fn both_modes_are_whole_on_a_small_first_start() {
    let mut desk = Desk::new();
    let practice = Offer {
        word: "practice".to_owned(),
        name: "Practice".to_owned(),
        note: String::new(),
        found: true,
        place: String::new(),
        lacks: None,
        sort: Sort::Practice,
        configured: false,
    };
    desk.state.set_up(Setup::new(vec![practice], false));
    desk.screen(60, 15);
    desk.press(KeyCode::Enter);
    let screen = desk.screen(60, 15);
    assert!(screen.contains("▸ guarded") && screen.contains("  smart"), "{screen}");
    assert!(
        screen.contains("asks you") && screen.contains("on its word") && screen.contains("enter write it"),
        "{screen}"
    );
    assert!(!screen.contains(" more"), "{screen}");
}
