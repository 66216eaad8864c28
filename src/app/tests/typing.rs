//! What a person types for the model doesn't decide, even where a dialog is open by then.

use super::*;

fn asked() -> World {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("mkdir a", None), ("rm b", None), ("mkdir c", None)]);
    world.look();
    world
}

fn typed(text: &str, pause: u64) -> usize {
    let mut world = asked();
    for letter in text.chars() {
        world.feed(pause, Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
        world.draw(true);
    }
    world.executed.len()
}

#[test]
fn a_sentence_approves_nothing() {
    for text in ["Already done, stop", "Actually yes", "maybe later", "my way", "say yes y y", "A y y y"] {
        for pause in [20, 120, 200] {
            assert_eq!(typed(text, pause), 0, "{text} with {pause} ms between");
        }
    }
    assert_eq!(typed("y", GUARD), 1, "a key by itself does");
}

#[test]
fn keys_that_come_at_once_approve_nothing() {
    let mut world = asked();
    let keys: Vec<KeyEvent> =
        "yes, do it y1y".chars().map(|c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)).collect();
    world.feed(GUARD, Event::Keys(keys));
    assert!(world.executed.is_empty());
}
