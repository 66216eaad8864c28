//! Decisions by lines: only what was told before the line was typed, a High by its own number and told whole.

use super::*;
use crate::app::Said;

/// Two that wait, the second high; told at once, whole or not.
fn told(whole: bool) -> World {
    let mut world = World::new();
    world.state.go_linear();
    line(&mut world, "go");
    world.model("", &[("make a", None), ("rm b", None)]);
    for id in [OperationId(1), OperationId(2)] {
        let seal = world.state.queue.gate().seal(id).unwrap();
        world.feed(0, Event::Told(id, seal, whole));
    }
    world
}

/// A line typed now.
fn line(world: &mut World, text: &str) {
    let typed = world.state.now;
    world.feed(0, Event::Said(Said::read(text), typed));
}

fn hint(world: &World) -> &str {
    world.state.hint.as_deref().unwrap_or_default()
}

#[test]
fn no_dialog_opens_and_a_line_approves_what_was_told_before() {
    let mut world = told(true);
    assert!(world.state.modal.is_none());
    line(&mut world, "approve 1");
    assert!(world.executed.is_empty() && hint(&world).contains("came too soon"), "{}", hint(&world));
    world.feed(GUARD, Event::Wake);
    line(&mut world, "approve 1");
    assert_eq!(world.commands(), ["make a"]);
    world.finish(1);
    line(&mut world, "approve 2");
    assert_eq!(hint(&world), "#2 is high: type 2 to approve it.");
    line(&mut world, "2");
    assert!(hint(&world).contains("came too soon"), "{}", hint(&world));
    world.feed(GUARD, Event::Wake);
    line(&mut world, "2");
    assert_eq!(world.commands(), ["make a", "rm b"]);
}

#[test]
fn a_line_that_came_before_it_was_told_approves_nothing_however_late_it_is_read() {
    let mut world = told(true);
    let early = world.state.now;
    world.feed(60_000, Event::Said(Said::read("approve 1-2"), early));
    assert!(world.executed.is_empty());
}

#[test]
fn a_high_one_takes_its_own_number_and_all_of_its_text() {
    let mut world = told(false);
    world.feed(GUARD, Event::Wake);
    line(&mut world, "approve 1-2");
    assert_eq!(world.commands(), ["make a"], "the range covers the medium one alone");
    assert!(hint(&world).contains("type approve 2"), "{}", hint(&world));
    world.finish(1);
    line(&mut world, "approve 2");
    assert!(hint(&world).contains("type show 2 first"), "{}", hint(&world));
    let seal = world.state.queue.gate().seal(OperationId(2)).unwrap();
    // Both lines came in one write: nobody read what the first one told.
    let before = world.state.now;
    world.feed(0, Event::Told(OperationId(2), seal, true));
    world.feed(60_000, Event::Said(Said::read("approve 2"), before));
    assert!(hint(&world).contains("came too soon"), "{}", hint(&world));
    assert_eq!(world.commands(), ["make a"]);
    line(&mut world, "approve 2");
    assert_eq!(world.commands(), ["make a"], "its number is the second step");
    world.feed(GUARD, Event::Wake);
    line(&mut world, "2");
    assert_eq!(world.commands(), ["make a", "rm b"]);
}

#[test]
fn what_changed_since_it_was_told_is_told_again_first() {
    let mut world = told(true);
    world.changing = "make";
    world.feed(GUARD, Event::Wake);
    line(&mut world, "approve 1");
    assert_eq!(*world.status(1), Status::Waiting, "it changed, so it is back");
    line(&mut world, "approve 1");
    assert!(world.executed.is_empty() && hint(&world).contains("not told yet"), "{}", hint(&world));
}

#[test]
fn a_line_denies_with_a_reason_stops_and_sets_the_mode() {
    let mut world = told(true);
    line(&mut world, "deny 1 because it is late");
    assert!(matches!(world.status(1), Status::Denied { reason } if reason.ends_with("it is late")));
    assert_eq!(*world.status(2), Status::Waiting);
    line(&mut world, "stop all");
    assert!(matches!(world.status(2), Status::Denied { .. }));
    assert_eq!(world.state.queue.gate().policy().mode, ApprovalMode::Strict);
    line(&mut world, "/mode guarded");
    line(&mut world, "/nonsense");
    assert!(hint(&world).contains("no /nonsense") && world.state.composer.is_empty());
}

#[test]
fn a_yes_that_says_not_to_what_is_neither_a_decision_nor_a_message() {
    let mut world = told(true);
    world.feed(GUARD, Event::Wake);
    for said in ["y", "Yes.", "approve", "no"] {
        line(&mut world, said);
        assert!(hint(&world).contains("#1, #2 wait."), "{said}: {}", hint(&world));
    }
    assert!(world.executed.is_empty() && world.requests.len() == 1, "only the first message went to the model");
    line(&mut world, "deny all");
    line(&mut world, "yes");
    assert!(!hint(&world).contains("Nothing was decided"), "{}", hint(&world));
}

#[test]
fn a_number_that_is_nobodys_is_nobodys() {
    let mut world = told(true);
    line(&mut world, "deny all");
    for said in ["again 99", "undo 99"] {
        line(&mut world, said);
        assert_eq!(hint(&world), "There is no operation 99.");
    }
    assert_eq!(world.state.queue.newest(), Some(OperationId(2)), "nothing was proposed");
}

#[test]
fn a_line_edits_what_waits_and_it_needs_its_own_approval() {
    let mut world = told(true);
    world.feed(GUARD, Event::Wake);
    line(&mut world, "edit 2");
    assert_eq!(
        hint(&world),
        "Type edit 2: and all of the new text in one line: it takes the place of the whole command."
    );
    line(&mut world, "edit 2: rm b");
    assert_eq!(hint(&world), "Nothing was changed.");
    line(&mut world, "edit 9: ls");
    assert_eq!(hint(&world), "#9 doesn't wait.");
    let before = world.state.queue.gate().seal(OperationId(2));
    line(&mut world, "edit 2: make c: all");
    assert_ne!(world.state.queue.gate().seal(OperationId(2)), before);
    line(&mut world, "approve 1");
    world.finish(1);
    line(&mut world, "approve 2");
    assert!(hint(&world).contains("not told yet"), "{}", hint(&world));
    let seal = world.state.queue.gate().seal(OperationId(2)).unwrap();
    world.feed(0, Event::Told(OperationId(2), seal, true));
    world.feed(GUARD, Event::Wake);
    line(&mut world, "approve 2");
    assert_eq!(world.commands(), ["make a", "make c: all"], "what was high is what it is now");
    world.finish(2);
    let said = &world.results()[1].text;
    assert!(said.starts_with("The person edited this call. It now reads: ") && said.contains("make c: all"), "{said}");
}

#[test]
fn notes_by_lines_name_no_key() {
    let mut world = told(true);
    line(&mut world, "and hurry");
    assert_eq!(hint(&world), "It goes to the model once what waits is decided.");
    line(&mut world, "stop");
    assert!(hint(&world).starts_with("Type stop again: "), "{}", hint(&world));
    let not_sent = |entry: &Entry| matches!(entry, Entry::Notice { text, .. } if text == "Your message was not sent, type it again: and hurry");
    assert!(world.state.chat.entries().iter().any(not_sent));
}

#[test]
fn all_that_was_told_takes_a_second_line_that_stands_by_itself() {
    let mut world = told(true);
    world.feed(GUARD, Event::Wake);
    line(&mut world, "approve all");
    assert_eq!(hint(&world), "That is 2, 1 HIGH: type yes to approve them.");
    world.feed(GUARD, Event::Wake);
    line(&mut world, "list");
    line(&mut world, "yes");
    assert!(world.executed.is_empty() && hint(&world).starts_with("Nothing was decided"), "{}", hint(&world));
    line(&mut world, "approve all");
    // As what is pasted is.
    world.feed(GUARD, Event::Said(Said::read("yes"), Millis(0)));
    assert!(world.executed.is_empty(), "it came with others");
    world.feed(GUARD, Event::Wake);
    line(&mut world, "yes");
    world.finish(1);
    assert_eq!(world.commands(), ["make a", "rm b"]);
}

#[test]
fn all_leaves_out_what_was_not_told_whole_and_says_so() {
    let mut world = told(false);
    world.feed(GUARD, Event::Wake);
    line(&mut world, "approve all");
    let said = "#1 is the only one: type approve 1. Not among them: #2 is high: type show 2 first.";
    assert_eq!(hint(&world), said);
    line(&mut world, "yes");
    assert!(world.executed.is_empty());
}

#[test]
fn a_number_after_something_else_was_typed_is_no_message() {
    let mut world = told(true);
    world.feed(GUARD, Event::Wake);
    line(&mut world, "approve 2");
    line(&mut world, "deny 1");
    world.feed(GUARD, Event::Wake);
    line(&mut world, "2");
    assert!(hint(&world).starts_with("Nothing was decided or sent"), "{}", hint(&world));
    for said in ["approve 2 please", "approve 1 and 2"] {
        line(&mut world, said);
        assert!(hint(&world).starts_with("Nothing was decided or sent"), "{said}: {}", hint(&world));
    }
    line(&mut world, "approve 2");
    world.feed(GUARD, Event::Wake);
    line(&mut world, "2");
    assert_eq!(world.commands(), ["rm b"]);
}
