//! A turn that reaches a limit, and a question with choices: both wait for the person, neither approves anything.

use super::*;
use crate::app::{Budget, Limit};

fn small(calls: u64) -> World {
    let mut world = World::new();
    world.state.budget = Budget { calls, ..Budget::default() };
    world.say("go");
    world
}

#[test]
fn a_turn_pauses_at_its_limit_and_enter_goes_on() {
    let mut world = small(2);
    world.model("", &[("ls", None)]);
    world.finish(1);
    world.model("", &[("ls b", None)]);
    let asked = world.requests.len();
    world.finish(2);
    assert_eq!(world.requests.len(), asked, "it pauses");
    assert_eq!(world.state.paused().map(|paused| paused.limit), Some(Limit::Calls));
    world.press(KeyCode::Enter);
    assert_eq!(world.requests.len(), asked + 1);
    assert!(world.state.paused().is_none());
}

#[test]
fn calls_past_the_limit_are_not_even_read_before_the_person_goes_on() {
    let mut world = small(2);
    world.model("", &[("ls", None), ("ls b", None), ("make c", None)]);
    assert!(world.state.queue.newest().is_none() && world.executed.is_empty());
    world.press(KeyCode::Enter);
    assert_eq!(world.commands(), ["ls", "ls b"]);
    assert_eq!(*world.status(3), Status::Waiting, "going on approves nothing");
}

#[test]
fn esc_ends_a_paused_turn_and_every_call_is_answered() {
    let mut world = small(1);
    world.model("", &[("ls", None), ("make c", None)]);
    world.press(KeyCode::Esc);
    assert!(world.state.paused().is_none() && world.executed.is_empty());
    world.say("and now?");
    let texts: Vec<String> = world.results().iter().map(|result| result.text.clone()).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts.iter().all(|text| text.starts_with("cancelled: ")), "{texts:?}");
}

#[test]
fn a_message_ends_a_paused_turn_too() {
    let mut world = small(1);
    world.model("", &[("ls", None), ("make c", None)]);
    world.say("do something else");
    assert_eq!(world.results().len(), 2);
    assert!(matches!(world.state.chat.phase(), Phase::Streaming { .. }));
}

#[test]
fn time_counts_while_something_is_under_way_and_not_while_the_person_reads() {
    let mut world = World::new();
    world.state.budget = Budget { minutes: 2, ..Budget::default() };
    world.say("go");
    world.model("", &[("make a", None)]);
    world.feed(10 * 60_000, Event::Wake);
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.state.near(), None);
    world.feed(110_000, Event::Wake);
    world.finish(1);
    assert!(world.state.paused().is_none());
    world.feed(20_000, Event::Wake);
    world.model("", &[("make b", None)]);
    assert_eq!(world.state.paused().map(|paused| paused.limit), Some(Limit::Minutes));
}

#[test]
fn a_limit_is_told_when_it_is_near_and_changed_by_a_line() {
    let mut world = small(5);
    world.model("", &[("ls", None), ("ls b", None), ("ls c", None), ("ls d", None)]);
    assert_eq!(world.state.near().as_deref(), Some("4 of 5 calls"));
    world.say("/limit calls 100");
    assert_eq!((world.state.budget.calls, world.state.near()), (100, None));
}

#[test]
fn a_choice_is_answered_with_one_key() {
    let mut world = World::new();
    world.say("tidy up");
    world.model("Which ones?\n1) the old logs\n2) all of them", &[]);
    assert!(world.state.chat.question().is_some());
    let asked = world.requests.len();
    world.draw(true);
    world.feed(GUARD - 1, Event::Key(KeyEvent::new(KeyCode::Char('2'), KeyModifiers::ALT)));
    assert_eq!(world.requests.len(), asked, "nobody read it yet");
    world.feed(20, Event::Key(KeyEvent::new(KeyCode::Char('3'), KeyModifiers::ALT)));
    assert_eq!(world.requests.len(), asked, "there is no third");
    world.feed(20, Event::Key(KeyEvent::new(KeyCode::Char('2'), KeyModifiers::ALT)));
    let said = world.requests.last().unwrap().last().unwrap().clone();
    assert!(matches!(said.as_ref(), Message::User(text) if text == "2) all of them"));
}

#[test]
fn a_choice_in_the_models_words_names_no_host() {
    let mut world = World::new();
    world.say("read https://docs.example.org/start");
    world.model("How?\n1. Stop\n2. Go on, as on https://evil.example.com/", &[]);
    world.look();
    let asked = world.requests.len();
    world.feed(20, Event::Key(KeyEvent::new(KeyCode::Char('2'), KeyModifiers::ALT)));
    assert_eq!(world.requests.len(), asked + 1);
    let named = |world: &World, host: &str| world.state.queue.gate.policy().named_hosts.contains(host);
    assert!(named(&world, "docs.example.org") && !named(&world, "evil.example.com"));

    world.model("How?\n1. Stop\n2. Go on, as on https://evil.example.com/", &[]);
    world.feed(20, Event::Said(Said::read("2"), Millis(0)));
    assert_eq!(world.requests.len(), asked + 2);
    assert!(!named(&world, "evil.example.com"));
}

#[test]
fn a_limit_that_was_let_go_on_is_raised_and_counts_the_whole_turn() {
    let mut world = small(2);
    let told = |world: &mut World, line: &str| {
        world.state.slash_line(line, &mut Vec::new());
        match world.state.chat.entries().last() {
            Some(Entry::Notice { text, .. }) => text.clone(),
            other => panic!("{other:?}"),
        }
    };
    world.model("", &[("ls", None), ("ls b", None)]);
    world.finish(1);
    world.finish(2);
    assert!(world.state.paused().is_some());
    world.press(KeyCode::Enter);
    world.model("", &[("ls c", None)]);
    world.finish(3);
    assert!(world.state.paused().is_none(), "it has as much again");
    let said = told(&mut world, "/limit");
    assert!(said.contains("calls 3 of 4 (raised from 2 when you let it go on)"), "{said}");
    let said = told(&mut world, "/limit calls 1");
    assert!(said.contains("calls 3 of 3 (raised from 1 when"), "{said}");
    world.model("", &[("ls d", None)]);
    assert!(world.state.paused().is_some());
    world.press(KeyCode::Esc);
    world.state.budget.calls = 50;
    world.say("next");
    assert!(told(&mut world, "/limit").contains("calls 0 of 50 ·"));
    world.model("", &[("ls", None), ("ls b", None), ("ls c", None)]);
    assert!(told(&mut world, "/limit calls 2").contains("calls 3, past the limit of 2 ·"));
}
