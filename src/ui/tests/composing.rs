//! The composer as drawn: what completes it, and what is folded in it.

use super::desk::Desk;
use crate::app::Event;

fn typed(desk: &mut Desk, text: &str) {
    for letter in text.chars() {
        desk.key(letter);
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
fn a_large_paste_is_a_few_words() {
    let mut desk = Desk::new();
    typed(&mut desk, "sum up ");
    desk.event(Event::Paste("row\n".repeat(240)));
    typed(&mut desk, " please");
    let screen = desk.screen(80, 24);
    assert!(screen.contains("› sum up [pasted 240 lines] please"), "{screen}");
}
