//! What is typed and not sent: kept after a pause, forgotten once it is sent.

use super::*;

fn typed(text: &str) -> World {
    let mut world = World::new();
    world.type_in(text);
    world
}

#[test]
fn it_is_kept_once_after_a_pause() {
    let mut world = typed("half a sen");
    assert_eq!(world.unsent, Vec::<String>::new());
    assert_eq!(world.state.deadline(), Some(world.state.now.plus(1_000)), "one timer");
    world.feed(1_000, Event::Wake);
    assert_eq!(world.unsent, ["half a sen"]);
    assert_eq!(world.state.deadline(), None, "nothing ticks at rest");
    world.feed(5_000, Event::Wake);
    world.press(KeyCode::Left);
    world.feed(1_000, Event::Wake);
    assert_eq!(world.unsent.len(), 1, "it is the same");
    world.feed(5, Event::Paste("x".to_owned()));
    world.feed(1_000, Event::Wake);
    assert_eq!(world.unsent.last().map(String::as_str), Some("half a sexn"));
}

#[test]
fn it_is_forgotten_once_it_is_sent_or_gone() {
    let mut world = typed("go");
    world.feed(1_000, Event::Wake);
    world.press(KeyCode::Enter);
    assert_eq!(world.unsent, ["go", ""]);
    let mut world = typed("a");
    world.feed(1_000, Event::Wake);
    world.press(KeyCode::Backspace);
    assert_eq!(world.unsent, ["a", ""]);
    let mut world = typed("never kept");
    world.press(KeyCode::Enter);
    world.feed(1_000, Event::Wake);
    assert_eq!(world.unsent, Vec::<String>::new());
}

#[test]
fn a_message_that_waits_is_kept_until_the_model_has_it() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("mkdir a", None)]);
    world.look();
    world.press(KeyCode::Esc);
    world.say("and then b");
    world.type_in("more");
    world.feed(1_000, Event::Wake);
    assert_eq!(world.unsent, ["and then b\n\nmore"]);
}

#[test]
fn what_is_too_long_is_not_kept() {
    let mut world = World::new();
    world.feed(5, Event::Paste("x".repeat(300_000)));
    world.feed(1_000, Event::Wake);
    assert_eq!(world.unsent, Vec::<String>::new());
}

#[test]
fn it_comes_back_and_is_sent_whole() {
    for text in ["one\ntwo".to_owned(), "line\n".repeat(100)] {
        let mut world = World::new();
        world.state.put_back_unsent(text.clone());
        assert_eq!(world.state.composer.text(), text);
        world.press(KeyCode::Enter);
        let sent = world.requests.last().and_then(|messages| messages.last().cloned());
        assert!(matches!(sent.as_deref(), Some(Message::User(said)) if *said == text), "{sent:?}");
        assert_eq!(world.unsent, [""], "nothing is kept of it any more");
    }
}

#[test]
fn leaving_forgets_it_as_the_history_has_it() {
    let mut world = typed("a draft");
    world.feed(1_000, Event::Wake);
    world.control('q');
    world.control('q');
    assert_eq!(
        (world.remembered.as_slice(), world.unsent.last().map(String::as_str)),
        (&["a draft".to_owned()][..], Some(""))
    );
}

#[test]
fn a_draft_goes_along_behind_what_was_kept_of_the_other_session() {
    let (mut before, mut after) = (typed("typed here"), World::new());
    after.state.put_back_unsent("left there".to_owned());
    after.state.keep_draft_of(&mut before.state);
    assert_eq!(after.state.composer.text(), "left there\n\ntyped here");
}

#[test]
fn the_history_goes_along_whatever_is_typed_or_kept() {
    for (here, there) in [("", ""), ("", "left there"), ("typed here", ""), ("typed here", "left there")] {
        let (mut before, mut after) = (World::new(), World::new());
        before.say("sent before");
        before.type_in(here);
        if !there.is_empty() {
            after.state.put_back_unsent(there.to_owned());
        }
        after.state.keep_draft_of(&mut before.state);
        let both = [there, here].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
        assert_eq!(after.state.composer.text(), both);
        assert_eq!(after.state.composer.history(), ["sent before"], "{here:?} and {there:?}");
    }
}
