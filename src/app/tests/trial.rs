//! Trying what waits, by a key in its dialog.

use super::*;
use crate::domain::{Foresight, Preview, Trial};

/// One command that waits, of which this is known.
fn waiting(trial: Trial) -> World {
    among(trial, &[])
}

/// The same with others behind it.
fn among(trial: Trial, others: &[&str]) -> World {
    let mut world = World::new();
    world.say("go");
    let others = others.iter().map(|other| (*other, None));
    world.model("", &std::iter::once(("make", Some("high"))).chain(others).collect::<Vec<_>>());
    let (id, seal) = world.measuring[0];
    let preview = Preview { trial, ..Preview::default() };
    world.feed(5, Event::Measured(id, seal, Foresight::Measured(Box::new(preview))));
    world.look();
    world
}

fn shown(world: &World) -> u64 {
    let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!("no dialog") };
    dialog.id.0
}

#[test]
fn a_trial_asks_by_itself_and_what_it_tries_comes_back() {
    let mut world = waiting(Trial::Offered);
    world.press(KeyCode::Char('t'));
    assert_eq!((world.status(1), world.status(2)), (&Status::Waiting, &Status::Waiting));
    assert_eq!(shown(&world), 2, "the trial asks");
    let item = world.state.queue.get(OperationId(2)).unwrap();
    assert!(item.call.arguments.contains(r#""trial":true"#) && !item.call.arguments.contains("risk_level"));
    assert!(matches!(&item.origin, Origin::Beside { of } if of.by_model()), "it runs where the model's would");
    world.look();
    world.press(KeyCode::Char('n'));
    assert!(matches!(world.status(2), Status::Denied { .. }));
    assert_eq!((world.status(1), shown(&world)), (&Status::Waiting, 1), "what it tries is shown again");
    assert!(world.commands().is_empty());
}

#[test]
fn a_trial_comes_before_what_else_waits_and_what_it_tries_after_it() {
    let mut world = among(Trial::Offered, &["rm a", "rm b"]);
    assert_eq!(shown(&world), 1);
    world.press(KeyCode::Char('t'));
    assert_eq!(shown(&world), 4, "the trial asks");
    world.look();
    world.press(KeyCode::Char('n'));
    assert_eq!(shown(&world), 1, "what it tries is shown again");
}

#[test]
fn what_cannot_be_tried_says_why() {
    for (trial, said) in
        [(Trial::Refused("the trigger x fires.".to_owned()), "the trigger x"), (Trial::None, "Only SQL")]
    {
        let mut world = waiting(trial);
        world.press(KeyCode::Char('t'));
        let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!("no dialog") };
        assert!(dialog.hint.as_ref().unwrap().contains(said), "{:?}", dialog.hint);
        assert!(world.state.queue.get(OperationId(2)).is_none());
    }
}
