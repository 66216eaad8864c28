//! Reviewing: stopping everything by one key, running something again, and what ran unasked.

use super::*;
use crate::domain::Verdict;

#[test]
fn one_key_stops_everything_and_makes_everything_ask() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls", None), ("rm a", None), ("make", None)]);
    assert_eq!(world.commands(), ["ls"]);
    let asked = world.requests.len();
    world.press(KeyCode::F(8));
    assert_eq!(world.cancelled, [OperationId(1)]);
    assert!(matches!(world.status(2), Status::Denied { .. }) && matches!(world.status(3), Status::Denied { .. }));
    assert!(world.state.modal.is_none());
    world.finish(1);
    assert_eq!(world.requests.len(), asked, "the results start no further request");
    assert_eq!(world.state.queue.gate().policy().mode, ApprovalMode::Strict);
    world.say("again");
    world.model("", &[("ls", None)]);
    assert_eq!(*world.status(4), Status::Waiting);
}

#[test]
fn the_stream_stops_by_the_same_key_and_the_next_turn_goes_on() {
    let mut world = World::new();
    world.say("go");
    world.press(KeyCode::F(8));
    assert_eq!(world.state.chat.phase, Phase::Idle);
    world.say("again");
    world.model("", &[("ls", None)]);
    world.look();
    world.press(KeyCode::Char('y'));
    world.finish(1);
    assert_eq!(world.results()[0].text, "output of 1");
}

#[test]
fn running_again_is_an_operation_of_its_own() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("rm a", Some("low"))]);
    world.look();
    world.press(KeyCode::Char('n'));
    world.press(KeyCode::F(2));
    world.press(KeyCode::Char('R'));
    let item = world.state.queue.get(OperationId(2)).unwrap();
    assert!(matches!(&item.origin, Origin::Again { after: OperationId(1), of } if of.by_model()));
    assert_eq!(item.status, Status::Waiting, "it asks like the first");
    assert!(world.executed.is_empty());
}

#[test]
fn what_is_run_again_is_hidden_by_no_filter() {
    for (filter, stays) in [("/done", false), ("/1", false), ("/rm", true)] {
        let mut world = World::new();
        world.say("go");
        world.model("", &[("rm a", None)]);
        world.look();
        world.press(KeyCode::Char('n'));
        world.press(KeyCode::F(2));
        world.type_in(filter);
        world.press(KeyCode::Enter);
        world.press(KeyCode::Char('R'));
        let listed: Vec<u64> = world.state.queue.listed().iter().map(|item| item.id.0).collect();
        assert_eq!(listed, [2, 1], "{filter}");
        assert_eq!(!world.state.queue.plan().filter().is_empty(), stays, "{filter}");
        let hint = world.state.hint.as_deref();
        assert_eq!(hint, (!stays).then_some("The filter is gone: it hid #2."), "{filter}");
    }
}

#[test]
fn what_ran_unasked_is_listed_and_nothing_else() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls", None), ("make", None), ("ls b", None)]);
    world.finish(1);
    world.look();
    world.press(KeyCode::Char('y'));
    world.finish(2);
    world.finish(3);
    let unasked: Vec<u64> = world.state.queue.unasked().map(|item| item.id.0).collect();
    assert_eq!(unasked, [1, 3]);
    let allowed = |item: &Item| item.judgement.as_ref().is_some_and(|judgement| judgement.verdict == Verdict::Allow);
    assert!(world.state.queue.unasked().all(allowed));
    world.press(KeyCode::F(5));
    assert!(matches!(world.state.modal, Some(Modal::Page { page: Page::Unasked, .. })));
    world.press(KeyCode::Esc);
    assert!(world.state.modal.is_none());
}

fn dialog_says(world: &World) -> Option<&str> {
    match &world.state.modal {
        Some(Modal::Confirm(dialog)) => dialog.hint.as_deref(),
        _ => None,
    }
}

#[test]
fn keys_that_do_nothing_in_a_dialog_say_why() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("rm a", None), ("make b", None)]);
    world.look();
    world.press(KeyCode::Char('1'));
    assert_eq!(dialog_says(&world), Some("y first, then 1."));
    world.press(KeyCode::F(2));
    assert_eq!(dialog_says(&world), Some("esc first: it keeps waiting, then f2."));
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('>'));
    world.draw(true);
    world.press(KeyCode::Char('y'));
    assert_eq!(dialog_says(&world), Some("Too soon to count: press y again."));
    assert!(world.executed.is_empty());
    world.look();
    world.press(KeyCode::Esc);
    assert!(world.state.hint.as_ref().is_some_and(|said| said.starts_with("It keeps waiting: f2")));
}

#[test]
fn a_denial_keeps_the_persons_own_reason_and_no_other() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("rm a", None), ("make b", None)]);
    world.look();
    world.press(KeyCode::Char('r'));
    world.look();
    world.type_in("not now");
    world.press(KeyCode::Enter);
    world.look();
    world.press(KeyCode::Char('n'));
    let why = |id| world.state.queue.get(OperationId(id)).unwrap().denied_why();
    assert_eq!((why(1), why(2)), (Some("not now"), None));
}

#[test]
fn the_code_of_a_message_is_copied_block_by_block() {
    let mut world = World::new();
    world.say("how?");
    world.model("First:\n```sh\ncargo build\n```\nthen\n```sh\ncargo test\n```\nor\n```\nmake\nmake test\n```\n", &[]);
    world.say("and?");
    world.model("Nothing else.", &[]);
    world.press(KeyCode::F(4));
    let copies = |world: &mut World| {
        world.press(KeyCode::Char('Y'));
        (world.copied.pop().unwrap(), world.state.hint.clone().unwrap())
    };
    let (code, hint) = copies(&mut world);
    assert_eq!(code, "make\nmake test\n");
    assert_eq!(hint, "Copied code 3 of 3, 15 B: Y again copies the one before. It begins: make");
    assert_eq!(copies(&mut world).0, "cargo test\n");
    let (code, hint) = copies(&mut world);
    assert_eq!(code, "cargo build\n");
    assert!(hint.contains("code 1 of 3") && hint.contains("copies the last one"), "{hint}");
    assert_eq!(copies(&mut world).0, "make\nmake test\n");
    // Another key between: it begins with the last one again.
    world.press(KeyCode::Char('K'));
    world.press(KeyCode::Char('G'));
    world.state.chat.chosen = None;
    assert_eq!(copies(&mut world).0, "make\nmake test\n");
    world.state.focus = Pane::Composer;
    world.say("one?");
    world.model("```\nls\n```", &[]);
    world.press(KeyCode::F(4));
    assert_eq!(copies(&mut world), ("ls\n".to_owned(), "Copied 3 B of code.".to_owned()));
}

#[test]
fn of_several_readers_the_one_that_is_shown_stays_until_it_ends() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls a", None), ("ls b", None), ("ls c", None)]);
    assert_eq!(world.executed.len(), 3);
    let shown = |world: &World| (world.state.output.shown().unwrap().0, world.state.queue.selected().unwrap().0);
    assert_eq!(shown(&world), (1, 1));
    world.finish(2);
    assert_eq!(shown(&world), (1, 1));
    world.finish(1);
    assert_eq!(shown(&world), (3, 3), "the one that still runs");
    world.finish(3);
    assert_eq!(shown(&world).0, 3);
    // What is selected in the list goes first.
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls a", None), ("ls b", None), ("ls c", None)]);
    world.press(KeyCode::F(2));
    while world.state.queue.selected() != Some(OperationId(3)) {
        world.press(KeyCode::Char('j'));
    }
    world.finish(1);
    assert_eq!(shown(&world), (3, 3));
    // What the person chose stays when it ends.
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls a", None), ("ls b", None)]);
    world.press(KeyCode::F(3));
    world.finish(1);
    assert_eq!(shown(&world).0, 1, "somebody reads it");
}

#[test]
fn what_a_filter_hides_waits_all_the_same_and_that_is_said() {
    use crate::app::{Command, Pane};
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make a", None)]);
    world.look();
    world.press(KeyCode::Esc);
    world.state.focus = Pane::Queue;
    assert!(world.state.counts(Command::ApproveAll) && world.state.counts(Command::DenyAll));
    world.press(KeyCode::Char('/'));
    world.type_in("done");
    world.press(KeyCode::Enter);
    assert!(!world.state.counts(Command::ApproveAll) && !world.state.counts(Command::DenyAll), "none shown waits");
    for key in ['n', 'A', 'D'] {
        world.press(KeyCode::Char(key));
        let hint = world.state.hint.clone().unwrap_or_default();
        assert_eq!(
            hint, "Nothing that the filter shows waits; 1 that it hides does. esc takes the filter off.",
            "{key}"
        );
    }
    assert_eq!(*world.status(1), Status::Waiting);
}

#[test]
fn what_ones_own_line_prints_is_shown_though_something_waits() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make a", None)]);
    world.look();
    world.press(KeyCode::Esc);
    world.state.tab = crate::app::Pane::Queue;
    world.say("! ls");
    world.feed(1, Event::Run(OperationId(2), RunEvent::Started));
    assert_eq!((world.state.tab, world.state.output.shown()), (crate::app::Pane::Output, Some(OperationId(2))));
    assert_eq!(*world.status(1), Status::Waiting);
}
