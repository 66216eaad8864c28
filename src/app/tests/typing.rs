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
    world.feed(GUARD, Event::Wake);
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

/// What a key may change: what ran, what waits, and whether another operation is asked about.
fn standing(world: &World) -> (usize, usize, Option<OperationId>, bool) {
    let shown = match &world.state.modal {
        Some(Modal::Confirm(dialog)) => Some(dialog.id),
        _ => None,
    };
    (world.executed.len(), world.state.queue.counts().0, shown, matches!(world.state.modal, Some(Modal::Edit(_))))
}

fn several(first: &str) -> World {
    let mut world = World::new();
    world.say("go");
    let calls: Vec<String> = (2..=12).map(|number| format!("mkdir {number}")).collect();
    let calls = std::iter::once(first).chain(calls.iter().map(String::as_str));
    world.model("", &calls.map(|call| (call, None)).collect::<Vec<_>>());
    world.look();
    world
}

/// Types a text, each frame drawn at once, and waits until every letter that was held would count.
fn write(world: &mut World, text: &str, pause: u64) {
    for (at, letter) in text.chars().enumerate() {
        let pause = if at == 0 { 0 } else { pause };
        world.tap(pause, KeyCode::Char(letter));
        world.draw(true);
    }
    world.feed(GUARD, Event::Wake);
}

/// Nothing that is typed decides, edits or opens anything; of a high one a yes at its start asks for the number.
#[test]
fn nothing_that_is_typed_into_an_open_dialog_counts() {
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
                let mut world = several(first);
                let mut after = None;
                for (at, letter) in text.chars().enumerate() {
                    world.feed(
                        if at == 0 { 0 } else { pause },
                        Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)),
                    );
                    world.draw(true);
                    let (ran, waits, shown, edits) = standing(&world);
                    let (before_ran, before_waits, before_shown, _) = *after.get_or_insert((ran, waits, shown, edits));
                    let same = (ran, waits) == (before_ran, before_waits) && !edits;
                    assert!(same, "{first}: {text}, key {at}, {pause} ms between");
                    // The dialog stays, or gives way.
                    assert!(shown.is_none() || shown == before_shown, "{first}: {text}, key {at}");
                }
                world.feed(GUARD, Event::Wake);
                assert!(world.executed.is_empty(), "{first}: {text}, {pause} ms between");
            }
        }
    }
}

#[test]
fn a_sentence_goes_to_the_message_whole() {
    let texts = [
        "no, rename it",
        "yes, but rename it",
        "you forgot b",
        "edit it first",
        "try the other one",
        "please don't",
        "maybe later",
        "stop",
        "Always ask me",
        "Don't",
        "just the first one",
        "go on with the next",
        "hm, why?",
        "1 of them, no",
        "xylophone",
    ];
    for first in ["mkdir a", "rm a"] {
        for text in texts {
            for pause in [45, 120, 200, 245] {
                let mut world = several(first);
                write(&mut world, text, pause);
                assert_eq!(world.state.composer.text(), text, "{first}, {pause} ms between");
                assert!(world.state.modal.is_none() && world.executed.is_empty() && world.opened.is_empty());
                assert_eq!(world.state.queue.counts().0, 12, "{text}: nothing is decided");
                let said = world.state.hint.as_deref().unwrap_or_default();
                assert!(said.starts_with("Typing decides nothing") && said.contains("#1 keeps waiting"), "{said}");
            }
        }
    }
}

#[test]
fn the_dialog_comes_back_once_the_message_is_sent() {
    let mut world = asked();
    write(&mut world, "no, rename it", 100);
    world.press(KeyCode::Enter);
    assert_eq!(world.dialog(), Some(OperationId(1)));
    assert!(world.state.composer.is_empty());
}

#[test]
fn what_became_of_the_letters_is_said_until_a_pause() {
    let mut world = asked();
    write(&mut world, "no, re", 100);
    assert!(world.state.hint.is_some());
    world.feed(100, Event::Key(KeyEvent::new(KeyCode::Char('n'), KeyModifiers::NONE)));
    assert!(world.state.hint.is_some(), "who types on may not have seen it");
    world.feed(QUIET, Event::Key(KeyEvent::new(KeyCode::Char('a'), KeyModifiers::NONE)));
    assert_eq!(world.state.hint, None);
}

#[test]
fn a_letter_by_itself_counts_a_moment_later() {
    let pressed = |letter| {
        let mut world = asked();
        world.tap(20, KeyCode::Char(letter));
        assert_eq!((world.status(1), world.dialog()), (&Status::Waiting, Some(OperationId(1))), "{letter}: not yet");
        let due = world.state.deadline();
        assert_eq!(due, Some(world.state.now.plus(250)), "{letter}: one timer");
        world.feed(250, Event::Wake);
        world
    };
    assert!(matches!(pressed('n').status(1), Status::Denied { .. }));
    assert!(matches!(pressed('e').state.modal, Some(Modal::Edit(_))));
    assert!(matches!(pressed('D').status(3), Status::Denied { .. }));
    assert_eq!(pressed('>').dialog(), Some(OperationId(2)));
}

/// Whoever presses `r` says why: however fast, no letter of it goes elsewhere, and nothing but enter denies.
#[test]
fn what_is_typed_after_r_is_the_reason_and_after_p_the_numbers() {
    for first in ["mkdir a", "rm a"] {
        for pause in [20, 45, 120, 200, 245, 400] {
            let mut world = several(first);
            write(&mut world, "rread it first: y1, then n", pause);
            let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!("{first}, {pause} ms between") };
            let Asking::Reason(area) = &dialog.asking else { panic!("{first}, {pause} ms between") };
            assert_eq!(area.lines(), ["read it first: y1, then n"], "{first}, {pause} ms between");
            assert!(world.executed.is_empty() && world.state.composer.is_empty());
            assert_eq!(world.state.queue.counts().0, 12, "nothing is decided");
            world.press(KeyCode::Enter);
            let why = world.state.queue.get(OperationId(1)).unwrap().denied_why();
            assert_eq!(why, Some("read it first: y1, then n"));

            let mut world = several(first);
            write(&mut world, "p1,3", pause);
            let asks = matches!(&world.state.modal, Some(Modal::Confirm(dialog))
                if matches!(&dialog.asking, Asking::Pick { typed } if typed == "1,3"));
            assert!(asks && world.executed.is_empty(), "{first}, {pause} ms between");
        }
    }
}

/// Neither a list of all nor a rule is agreed to by the first letter of a sentence.
#[test]
fn a_yes_to_a_list_or_a_rule_waits_for_what_follows_too() {
    for opens in ['A', 'm'] {
        for (typed, counts) in [("y", true), ("you forgot b", false)] {
            let mut world = World::new();
            world.say("go");
            world.model("", &[("mkdir a", None), ("mkdir b", None)]);
            world.look();
            world.press(KeyCode::Char(opens));
            world.feed(GUARD, Event::Wake);
            world.look();
            write(&mut world, typed, 60);
            assert_eq!(!world.executed.is_empty(), counts, "{opens}, then {typed}");
            assert_eq!(world.state.composer.text(), if counts { "" } else { typed }, "{opens}");
        }
    }
}

#[test]
fn a_letter_pressed_twice_counts_once() {
    let mut world = asked();
    write(&mut world, "nnn", 60);
    assert!(matches!(world.status(1), Status::Denied { .. }));
    assert_eq!((world.status(2), world.dialog()), (&Status::Waiting, Some(OperationId(2))));
}

#[test]
fn a_held_letter_is_taken_back() {
    for back in [KeyCode::Esc, KeyCode::Backspace] {
        let mut world = asked();
        world.tap(20, KeyCode::Char('n'));
        world.tap(20, back);
        world.feed(1_000, Event::Wake);
        assert_eq!(world.status(1), &Status::Waiting, "{back:?}");
    }
    // Enter is what one presses behind an answer: the answer stands.
    let mut world = asked();
    world.tap(20, KeyCode::Char('n'));
    world.tap(20, KeyCode::Enter);
    world.feed(250, Event::Wake);
    assert!(matches!(world.status(1), Status::Denied { .. }));
    assert_eq!(world.status(2), &Status::Waiting);
}

#[test]
fn a_held_letter_means_what_it_was_pressed_about() {
    let mut world = asked();
    world.tap(20, KeyCode::Char('n'));
    world.state.open(OperationId(2));
    world.look();
    world.feed(1_000, Event::Wake);
    assert_eq!((world.status(1), world.status(2)), (&Status::Waiting, &Status::Waiting));
}

#[test]
fn two_keys_that_both_mean_something_are_no_sentence() {
    for (keys, hint) in [("jn", "press n by itself"), ("ny", "press y by itself"), ("ne", "press e by itself")] {
        let mut world = asked();
        write(&mut world, keys, 60);
        assert_eq!((world.status(1), world.dialog()), (&Status::Waiting, Some(OperationId(1))), "{keys}");
        let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!() };
        assert!(dialog.hint.as_deref().unwrap().contains(hint), "{keys}: {:?}", dialog.hint);
    }
    let mut world = asked();
    write(&mut world, "jjkkjjGg", 40);
    assert_eq!(world.dialog(), Some(OperationId(1)), "looking around");
}

#[test]
fn what_is_pasted_without_a_word_is_not_sent() {
    let mut world = asked();
    let keys: Vec<KeyEvent> = "no\nrename it\n"
        .chars()
        .map(|c| KeyEvent::new(if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) }, KeyModifiers::NONE))
        .collect();
    let before = world.requests.len();
    world.feed(GUARD, Event::Keys(keys));
    world.feed(GUARD, Event::Wake);
    assert_eq!((world.state.composer.text().as_str(), world.requests.len()), ("no\nrename it\n", before));
    assert_eq!(world.state.queue.counts().0, 3);
}

#[test]
fn a_yes_right_after_any_key_does_not_count() {
    for before in [KeyCode::Enter, KeyCode::Down, KeyCode::Char(' '), KeyCode::F(6), KeyCode::PageDown] {
        for (pause, counts) in [(45, false), (249, false), (250, true)] {
            let mut world = asked();
            world.press(before);
            world.feed(pause, Event::Key(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE)));
            world.feed(250, Event::Wake);
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
