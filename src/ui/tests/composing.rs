//! The composer as drawn: what completes it, and what is folded in it.

use super::desk::Desk;
use crate::app::Event;

fn typed(desk: &mut Desk, text: &str) {
    for letter in text.chars() {
        desk.key(letter);
    }
}

/// What the model reads of the person's own is said before it is run, whichever way it is typed.
#[test]
fn own_lines_say_that_the_model_reads_what_comes_of_them() {
    for (line, reads) in [("! ls", true), ("/sql SELECT 1", true), ("/read a", true), ("/help", false), ("hi", false)] {
        let mut desk = Desk::new();
        for letter in line.chars() {
            desk.key(letter);
        }
        let screen = desk.screen(120, 40);
        assert_eq!(screen.contains("run it, the model reads the result"), reads, "{line}: {screen}");
    }
}

#[test]
fn what_completes_stands_right_above() {
    let mut desk = super::put_off();
    typed(&mut desk, "/");
    let screen = desk.screen(80, 24);
    assert!(screen.contains("─ tab takes it · esc closes ─") && screen.contains("─ 1 of "), "{screen}");
    assert!(screen.contains("\n ▸ /help") && screen.contains("keys and commands"), "{screen}");
    typed(&mut desk, "lim");
    let small: Vec<String> = desk.screen(40, 12).lines().map(str::to_owned).collect();
    let at = small.iter().position(|line| line.starts_with(" ▸ /limit [calls 100]")).unwrap();
    assert!(small[at + 1].starts_with("━━") && small[at + 2].starts_with(" › /lim"), "{small:?}");
    for (columns, rows) in [(20, 5), (21, 6), (30, 8), (200, 60)] {
        desk.screen(columns, rows);
    }
}

#[test]
fn files_are_neutral_and_cut_in_their_middle() {
    let mut desk = Desk::new();
    typed(&mut desk, "look at @rs");
    let long = format!("a/{}/keys.rs", "very-long-folder/".repeat(12));
    desk.event(Event::Files([long, "b\u{202e}.rs".to_owned()].into()));
    let screen = desk.screen(80, 24);
    assert!(screen.contains("b<U+202E>.rs") && screen.contains("…") && screen.contains("/keys.rs"), "{screen}");
}

#[test]
fn what_is_typed_breaks_between_words_and_the_cursor_goes_along() {
    let mut desk = Desk::new();
    typed(&mut desk, "please look at every one of the orders and then tell");
    let screen = desk.screen(40, 16);
    let rows: Vec<&str> = screen.lines().filter(|row| row.contains("please") || row.contains("orders and")).collect();
    assert_eq!(rows, [" › please look at every one of the", "   orders and then tell"], "{screen}");
    // A word that has no room goes on in the next row, and one that is longer than a row breaks.
    typed(&mut desk, " me abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
    let screen = desk.screen(40, 16);
    assert!(screen.contains("   orders and then tell me\n") && screen.contains("   abcdefghij"), "{screen}");
}

#[test]
fn how_long_the_model_has_been_answering_is_told_in_seconds() {
    let mut desk = Desk::new();
    desk.send("go");
    assert!(desk.screen(120, 40).contains(" answering ─"), "{}", desk.screen(120, 40));
    desk.now += 12_300;
    desk.event(Event::Wake);
    let screen = desk.screen(120, 40);
    assert!(screen.contains(" answering 12 s ─"), "{screen}");
    desk.say("Done.");
    desk.end(crate::domain::StopReason::Done);
    assert_eq!(desk.state.deadline(), None, "no timer at rest");
}

#[test]
fn a_database_that_is_not_reached_is_told_in_the_status_line() {
    let mut desk = Desk::new();
    let status = |desk: &mut Desk| desk.screen(120, 40).lines().next().unwrap().to_owned();
    desk.event(Event::Reached("other".to_owned(), false));
    assert!(!status(&mut desk).contains("not reached"));
    desk.event(Event::Reached("practice.db".to_owned(), false));
    assert!(status(&mut desk).contains("not reached: practice.db (sqlite)"), "{}", status(&mut desk));
    desk.event(Event::Reached("practice.db".to_owned(), true));
    assert!(!status(&mut desk).contains("not reached"));
}

#[test]
fn where_ones_own_sql_goes_is_told_beside_the_practice_models_database() {
    let mut desk = Desk::new();
    let own = |production| Some(crate::app::OwnDatabase { label: "shop (postgres)".to_owned(), production });
    desk.state.setting.own = own(false);
    let status = |desk: &mut Desk, columns| desk.screen(columns, 24).lines().next().unwrap().to_owned();
    let wide = status(&mut desk, 120);
    assert!(wide.contains("practice.db (sqlite) · /sql shop (postgres)"), "{wide}");
    let narrow = status(&mut desk, 80);
    assert!(narrow.contains("/sql shop (postgres)") && !narrow.contains("practice.db"), "{narrow}");
    desk.event(Event::Reached("shop".to_owned(), false));
    assert!(status(&mut desk, 120).contains("/sql not reached: shop"), "{}", status(&mut desk, 120));
    desk.event(Event::Reached("shop".to_owned(), true));
    desk.state.setting.own = own(true);
    assert!(status(&mut desk, 120).contains("/sql PROD shop (postgres)"), "{}", status(&mut desk, 120));
}

#[test]
fn the_first_screen_says_what_to_try_below_a_notice_and_how_to_leave() {
    let mut desk = Desk::new();
    for name in ["shop", "notes"] {
        desk.event(Event::Notice(format!(
            "Your own SQL goes to {name}; the practice model keeps to its own database."
        )));
    }
    let screen = desk.screen(80, 24);
    assert!(screen.contains("Try: show the tables") && screen.contains("ctrl+q leave"), "{screen}");
}

#[test]
fn both_names_stay_in_a_status_line_that_is_too_narrow_for_them() {
    let mut desk = Desk::new();
    desk.state.setting.practice = false;
    desk.state.setting.model = "qwen3-coder-30b-a3b-instruct".to_owned();
    desk.state.setting.connection = Some("a_long_name_of_a_database (sqlite)".to_owned());
    let mut status = |columns| desk.screen(columns, 24).lines().next().unwrap().to_owned();
    let narrow = status(80);
    assert!(narrow.contains("qwen3-coder-3…") && narrow.contains("a_long_name_"), "{narrow}");
    assert!(status(200).contains("qwen3-coder-30b-a3b-instruct   a_long_name_of_a_database (sqlite)"));
    let least = status(60);
    assert!(least.contains("a_long_") && least.contains("0 waiting"), "{least}");
}

#[test]
fn the_keys_of_a_medium_one_have_no_gap_between_them() {
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[("execute_command", r#"{"command":"frob"}"#, Vec::new())]);
    let screen = desk.screen(120, 40);
    assert!(screen.contains("y approve   n deny   r with reason"), "{screen}");
}

#[test]
fn a_large_paste_is_a_few_words() {
    let mut desk = Desk::new();
    typed(&mut desk, "sum up ");
    desk.event(Event::Paste("row\n".repeat(240)));
    typed(&mut desk, " please");
    let screen = desk.screen(80, 24);
    assert!(screen.contains("› sum up [pasted 240 lines] please"), "{screen}");
}
