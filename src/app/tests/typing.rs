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

/// What a key may change: what ran, what waits, and what is asked about what.
fn standing(world: &World) -> (usize, usize, Option<(OperationId, std::mem::Discriminant<Asking>)>, bool) {
    let asked = match &world.state.modal {
        Some(Modal::Confirm(dialog)) => Some((dialog.id, std::mem::discriminant(&dialog.asking))),
        _ => None,
    };
    (world.executed.len(), world.state.queue.counts().0, asked, matches!(world.state.modal, Some(Modal::Edit(_))))
}

/// Beside the first key, which came after a pause, nothing that is typed decides, edits or opens anything.
#[test]
fn of_what_is_typed_into_an_open_dialog_only_the_first_key_counts() {
    let texts = [
        "you know",
        "yes, 1 and 2 of them",
        "see 2026 - 1: y",
        "Approve all of it? y",
        "no way, deny 1 y1",
        "1 or 2, and then y",
        "let me look at that first",
        "God yes: G y",
        "y1y1A y y1 yyA1yy1 l y y 2 y2 A y ykj yes y 1 y1y1A y y1 yyA1yy1 l y y 2 y2 A y ykj yes y 1 ",
        "y1y1A",
        "y 2026 2 1",
        "1y1y1y1y",
    ];
    for first in ["mkdir a", "rm a"] {
        for text in texts {
            for pause in [45, 50, 95, 120] {
                let mut world = World::new();
                world.say("go");
                let calls: Vec<String> = (2..=12).map(|number| format!("mkdir {number}")).collect();
                let calls = std::iter::once(first).chain(calls.iter().map(String::as_str));
                world.model("", &calls.map(|call| (call, None)).collect::<Vec<_>>());
                world.look();
                let mut after = None;
                for (at, letter) in text.chars().enumerate() {
                    world.feed(
                        if at == 0 { 0 } else { pause },
                        Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)),
                    );
                    world.draw(true);
                    let now = standing(&world);
                    assert_eq!(*after.get_or_insert(now), now, "{first}: {text}, key {at}, {pause} ms between");
                }
            }
        }
    }
}

#[test]
fn a_yes_right_after_any_key_does_not_count() {
    for before in [KeyCode::Enter, KeyCode::Down, KeyCode::Char(' '), KeyCode::F(6), KeyCode::PageDown] {
        for (pause, counts) in [(45, false), (249, false), (250, true)] {
            let mut world = asked();
            world.press(before);
            world.feed(pause, Event::Key(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE)));
            assert_eq!(!world.executed.is_empty(), counts, "{before:?}, {pause}");
        }
    }
}

#[test]
fn the_number_of_a_high_one_does_not_count_at_once_after_its_yes() {
    for (pause, counts) in [(50, false), (100, false), (150, true)] {
        let mut world = asked();
        world.state.open(OperationId(2));
        world.look();
        world.press(KeyCode::Char('y'));
        world.draw(true);
        world.feed(pause - 1, Event::Key(KeyEvent::new(KeyCode::Char('2'), KeyModifiers::NONE)));
        assert_eq!(matches!(world.status(2), Status::Allowed { .. }), counts, "{pause}");
    }
}

#[test]
fn a_reason_and_numbers_take_every_key_at_once() {
    let mut world = asked();
    world.press(KeyCode::Char('r'));
    world.type_in("yes, but not now");
    world.press(KeyCode::Enter);
    let why = world.state.queue.get(OperationId(1)).unwrap().denied_why().map(str::to_owned);
    assert_eq!(why.as_deref(), Some("yes, but not now"), "nothing was drawn meanwhile");

    world.press(KeyCode::Esc);
    world.press(KeyCode::F(2));
    world.press(KeyCode::Char('r'));
    world.type_in("no");
    world.press(KeyCode::Enter);
    let why = world.state.queue.get(OperationId(2)).unwrap().denied_why();
    assert_eq!(why, Some("no"), "nor does its first moment lose a letter of what the list asked for");

    let mut world = asked();
    world.press(KeyCode::Char('p'));
    world.type_in("1,3");
    assert!(matches!(&world.state.modal, Some(Modal::Confirm(dialog))
        if matches!(&dialog.asking, Asking::Pick { typed } if typed == "1,3")));
    world.press(KeyCode::Enter);
    world.press(KeyCode::Char('y'));
    assert!(world.executed.is_empty(), "the list takes its key only once it was seen");
}

#[test]
fn a_number_that_came_too_soon_says_so() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("rm a", None)]);
    world.look();
    world.press(KeyCode::Char('y'));
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('1'));
    let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!() };
    assert_eq!(dialog.hint.as_deref(), Some("Too soon to count: press 1 again."));
    assert!(world.executed.is_empty());
}

#[test]
fn the_mouse_clears_what_was_said_of_the_last_key() {
    use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
    let mouse = |kind| Event::Mouse(MouseEvent { kind, column: 1, row: 1, modifiers: KeyModifiers::NONE });
    for kind in [MouseEventKind::ScrollDown, MouseEventKind::Down(MouseButton::Left)] {
        let mut world = asked();
        world.press(KeyCode::Char('s'));
        let said = |world: &World| matches!(&world.state.modal, Some(Modal::Confirm(dialog)) if dialog.hint.is_some());
        assert!(said(&world));
        world.feed(1, mouse(kind));
        assert!(!said(&world), "{kind:?}");
        world.press(KeyCode::Esc);
        assert!(world.state.hint.is_some());
        world.feed(1, mouse(kind));
        assert_eq!(world.state.hint, None, "{kind:?}");
    }
}
