//! Changes of staged runs: proposed as they end, told to the model, dropped when they are denied.

use super::*;
use crate::domain::APPLY;

/// A staged run ended, and changes of it wait.
fn waiting() -> World {
    let mut world = World::in_mode(ApprovalMode::Smart);
    world.say("hello");
    world.model("I run it.", &[("make", Some("low"))]);
    assert_eq!(world.commands(), ["make"]);
    world.feed(1, Event::Run(OperationId(1), RunEvent::Waits("1 changed (a)".to_owned())));
    world.finish(1);
    let item = world.state.queue.get(OperationId(2)).unwrap();
    assert_eq!((item.call.name.as_str(), item.call.arguments.as_str()), (APPLY, r#"{"operation":1}"#));
    assert_eq!(*world.status(2), Status::Waiting);
    world
}

#[test]
fn what_waits_of_a_staged_run_is_an_operation_of_its_own_and_the_model_is_told() {
    let mut world = waiting();
    let told = &world.results()[0].text;
    assert!(told.contains("Not in the workspace yet: 1 changed (a). That waits for the person as #2"), "{told}");
    let judged = world.state.queue.get(OperationId(2)).unwrap().judgement.clone().unwrap();
    assert!(judged.reason.contains("Puts what #1 changed in place"), "{judged:?}");
    world.model("Done.", &[]);
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.executed[1].0, OperationId(2));
    world.finish(2);
    assert!(world.dropped.is_empty());
    world.say("and?");
    let said = format!("{:?}", world.requests.last().unwrap().last().unwrap());
    assert!(said.contains("I approved what #1 changed"), "{said}");
}

#[test]
fn what_is_denied_is_dropped_in_every_mode_it_asks_in_and_the_model_is_told() {
    let mut world = waiting();
    world.model("Done.", &[]);
    world.look();
    world.press(KeyCode::Char('n'));
    assert_eq!(world.dropped, [OperationId(1)]);
    assert!(matches!(world.status(2), Status::Denied { .. }));
    world.say("and?");
    let said = format!("{:?}", world.requests.last().unwrap().last().unwrap());
    assert!(said.contains("I denied what #1 changed"), "{said}");
}
