//! A person who types on while requests arrive: nothing is approved, and no letter of the draft is lost.

use super::*;

/// What is typed: everything that could decide something, as text.
const TYPED: &str = "yes, approve 1 y y A 12 n: by 3 D deny\u{20}all x e 45 yyyy y1 y2 y3 ";

/// A key every 50 milliseconds; the requests of fifty calls come in between, frames are drawn after each key.
#[test]
fn twenty_keys_a_second_while_fifty_requests_arrive_decide_nothing() {
    for start in [0, 7, 400, 990, 1_010] {
        let mut world = World::new();
        world.say("go");
        // The person starts on the next message at once, or after a pause in which a dialog may have opened.
        world.feed(start, Event::Wake);
        let mut draft = String::new();
        let (mut letters, mut asked) = (TYPED.chars().cycle(), 0);
        let calls: Vec<String> = (0..50).map(|number| format!("rm file{number}")).collect();
        for tick in 0..400 {
            if tick == 3 {
                let calls: Vec<(&str, Option<&str>)> = calls.iter().map(|call| (call.as_str(), Some("low"))).collect();
                world.model("", &calls);
                asked = calls.len();
            }
            if tick % 40 == 20 {
                world.feed(0, Event::Paste("y\n1\nyes".to_owned()));
                draft.push_str("y\n1\nyes");
            }
            let letter = letters.next().unwrap();
            world.feed(50, Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
            draft.push(letter);
            world.draw(true);
            // Enter without a message in it, as a habit after a dialog: it would send; so only where nothing is typed.
            if world.state.composer.is_empty() {
                world.press(KeyCode::Enter);
            }
        }
        assert_eq!(asked, 50);
        assert_eq!(world.state.queue.counts().0, 50, "from {start}: nothing was decided");
        assert!(world.executed.is_empty());
        assert_eq!(world.state.composer.text(), draft, "from {start}");
        assert!(world.state.modal.is_none(), "no dialog opens under the fingers");
    }
}

/// The same where the composer is empty and a dialog opens right under the fingers: its first moment takes nothing,
/// and the letters go to the draft.
#[test]
fn letters_into_a_dialog_that_just_opened_go_to_the_draft() {
    let mut world = World::new();
    world.say("go");
    world.feed(1_500, Event::Wake);
    world.model("", &[("make a", None), ("rm b", None)]);
    assert!(world.dialog().is_some());
    let mut draft = String::new();
    for letter in "yyy1 approve".chars() {
        world.draw(true);
        world.feed(50, Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
        draft.push(letter);
    }
    assert_eq!(world.state.composer.text(), draft);
    assert!(world.executed.is_empty());
    assert_eq!(world.state.queue.counts().0, 2);
}

/// Keys in another pane are keys of somebody who is busy, too: none of them falls into a dialog.
#[test]
fn no_dialog_opens_under_keys_in_another_pane() {
    for pane in [KeyCode::F(4), KeyCode::F(3), KeyCode::F(2)] {
        let mut world = World::new();
        world.say("go");
        world.press(pane);
        for tick in 0..60 {
            if tick == 10 {
                world.model("", &[("make a", None), ("rm b", None)]);
            }
            world.feed(90, Event::Key(KeyEvent::new(KeyCode::Char('k'), KeyModifiers::NONE)));
            world.draw(true);
            assert!(world.dialog().is_none(), "after {tick}");
        }
        world.feed(QUIET, Event::Wake);
        assert_eq!(world.dialog(), Some(OperationId(1)));
        // The first moment of the dialog takes nothing: the key goes where the person is.
        world.draw(true);
        world.press(KeyCode::Char('k'));
        assert!(world.dialog().is_none() && world.state.composer.is_empty());
        assert_eq!(world.state.queue.counts().0, 2);
    }
}
