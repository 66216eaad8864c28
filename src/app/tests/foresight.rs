//! What waits is measured once for each seal; nothing waits for it, and what comes too late is dropped.

use super::*;
use crate::domain::{Detail, Foresight, Preview, Remedy, Share};

fn told(brief: &str) -> Foresight {
    Foresight::Measured(Box::new(Preview { brief: brief.to_owned(), ..Preview::default() }))
}

fn diff() -> Foresight {
    let details = vec![Detail::Diff { text: "+a".to_owned(), language: String::new() }];
    Foresight::Measured(Box::new(Preview { details, remedy: Remedy::Unknown, ..Preview::default() }))
}

fn waiting(commands: &[(&str, Option<&str>)]) -> World {
    let mut world = World::new();
    world.say("go");
    world.model("", commands);
    world
}

fn dialog(world: &World) -> &Dialog {
    let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!("no dialog") };
    dialog
}

#[test]
fn what_begins_to_wait_is_measured_once_and_what_runs_unasked_never() {
    let mut world = waiting(&[("ls", None), ("make", None), ("rm x", None)]);
    let asked: Vec<u64> = world.measuring.iter().map(|(id, _)| id.0).collect();
    assert_eq!(asked, [2, 3]);
    assert_eq!(world.state.queue.foresight(OperationId(2)), Some(&Foresight::Measuring));
    world.look();
    world.finish(1);
    assert_eq!(world.measuring.len(), 2);
}

#[test]
fn a_decision_does_not_wait_for_the_measure_and_ends_it() {
    let mut world = waiting(&[("make", None)]);
    let (id, seal) = world.measuring[0];
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make"]);
    assert_eq!(world.unmeasured, [id]);
    world.feed(5, Event::Measured(id, seal, told("late")));
    assert_eq!(world.state.queue.foresight(id), None);
}

#[test]
fn what_changed_after_it_was_shown_is_measured_anew_and_the_old_measure_is_dropped() {
    let mut world = waiting(&[("make", None)]);
    let (id, old) = world.measuring[0];
    world.feed(5, Event::Measured(id, old, told("old")));
    world.changing = "make";
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(*world.status(1), Status::Waiting);
    let (_, new) = world.measuring[1];
    assert_ne!(old, new);
    world.feed(5, Event::Measured(id, old, told("old")));
    assert_eq!(world.state.queue.foresight(id), Some(&Foresight::Measuring));
    world.feed(5, Event::Measured(id, new, told("new")));
    assert_eq!(world.state.queue.foresight(id), Some(&told("new")));
}

#[test]
fn after_what_may_have_changed_something_the_others_are_measured_anew() {
    let mut world = waiting(&[("ls", None), ("rm x", None), ("rm y", None)]);
    let measured = |world: &World| world.measuring.iter().map(|(id, _)| id.0).collect::<Vec<_>>();
    for (id, seal) in world.measuring.clone() {
        world.feed(5, Event::Measured(id, seal, told("1 file")));
    }
    world.finish(1);
    assert_eq!(measured(&world), [2, 3], "it only read");
    world.look();
    world.press(KeyCode::Char('y'));
    world.look();
    world.type_in("2");
    world.look();
    assert_eq!(world.commands(), ["ls", "rm x"]);
    assert_eq!(measured(&world), [2, 3], "it runs still");
    world.finish(2);
    assert_eq!(measured(&world), [2, 3, 3]);
    let (id, seal) = world.measuring[2];
    assert_eq!((dialog(&world).id, world.state.queue.foresight(id)), (id, Some(&told("1 file"))), "until it lands");
    world.look();
    world.feed(5, Event::Measured(id, seal, told("1 file")));
    assert!(dialog(&world).live(world.state.now), "nothing changed");
    world.state.queue.outdated = true;
    world.feed(5, Event::Wake);
    world.feed(5, Event::Measured(id, seal, told("nothing")));
    assert!(!dialog(&world).live(world.state.now), "nobody read that yet");
    assert!(dialog(&world).hint.as_deref().is_some_and(|hint| hint.contains("Measured anew")));
}

#[test]
fn what_waits_since_the_mode_changed_is_measured_too() {
    let mut world = World::in_mode(ApprovalMode::Smart);
    world.say("go");
    world.model("", &[("rm x", None), ("make", Some("low"))]);
    assert_eq!(world.measuring.len(), 1);
    world.state.queue.gate.set_mode(ApprovalMode::Strict);
    world.state.queue.resync(crate::app::Millis(0));
    world.feed(5, Event::Wake);
    assert_eq!(world.measuring.last().map(|(id, _)| id.0), Some(2));
}

#[test]
fn a_diff_that_comes_in_the_first_moment_leads_and_the_moment_begins_anew() {
    let mut world = waiting(&[("make", None)]);
    let (id, seal) = world.measuring[0];
    let mut dialog = Dialog::new(id, seal, RiskLevel::High, Placing::Kept);
    dialog.seen(seal, true, &[], Millis(1_000));
    dialog.landed(true, Millis(1_000 + GUARD - 50));
    assert_eq!(dialog.placing, Placing::Free);
    dialog.seen(seal, true, &[], Millis(1_000 + GUARD));
    assert!(!dialog.live(Millis(1_000 + GUARD + 60)), "the text moved a moment ago");
    assert!(dialog.live(Millis(1_000 + GUARD + GUARD)));
    // Of a command the text leads, whatever comes: nothing moves, and the moment goes on.
    world.draw(true);
    world.feed(GUARD - 50, Event::Measured(id, seal, diff()));
    world.feed(60, Event::Wake);
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make"]);
}

#[test]
fn a_preview_that_comes_later_moves_nothing_and_delays_nothing() {
    let mut world = waiting(&[("make", None)]);
    let (id, seal) = world.measuring[0];
    world.look();
    world.feed(5, Event::Measured(id, seal, diff()));
    assert_eq!(dialog(&world).placing, Placing::Late);
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make"]);
}

#[test]
fn an_earlier_yes_stands_neither_for_most_of_a_table_nor_for_what_can_not_be_undone() {
    let undo = |remedy, rows, of| {
        let share = Some(Share { rows, of });
        Foresight::Measured(Box::new(Preview { share, remedy, ..Preview::default() }))
    };
    let possible = || Remedy::Possible("by u".to_owned());
    let impossible = || Remedy::Impossible("too many rows".to_owned());
    let covered = |undone, now: Option<&Foresight>| Expected::Covered { undone, meets: false }.unlike(now);
    assert_eq!(covered(true, Some(&undo(possible(), 50, 100))), None);
    assert_eq!(covered(true, Some(&undo(possible(), 1, 1))), None);
    assert!(covered(true, Some(&undo(impossible(), 1, 100))).is_some_and(|why| why.contains("this can't")));
    assert_eq!(covered(false, Some(&undo(impossible(), 1, 100))), None);
    // What can't be told in time isn't known to be undone.
    assert!(covered(true, None).is_some() && covered(true, Some(&Foresight::Unmeasurable(String::new()))).is_some());
    assert_eq!((covered(false, None), covered(true, Some(&Foresight::Nothing))), (None, None));
    let meets = |now: Option<&Foresight>| Expected::Covered { undone: false, meets: true }.unlike(now);
    assert!(meets(None).is_some_and(|why| why.contains("isn't known")));
    assert!(meets(Some(&undo(possible(), 51, 100))).is_some_and(|why| why.contains("most of the table")));
    assert_eq!(meets(Some(&undo(impossible(), 3, 100))), None);
}

#[test]
fn what_the_turns_approval_covers_waits_where_it_would_do_more() {
    let mut world = waiting(&[("rm x*", None), ("rm y*", None)]);
    for at in 0..2 {
        let (id, seal) = world.measuring[at];
        let undone = Preview { remedy: Remedy::Possible("by u".to_owned()), ..Preview::default() };
        world.feed(5, Event::Measured(id, seal, Foresight::Measured(Box::new(undone))));
    }
    let listed: Vec<_> = (1..=2).map(OperationId).map(|id| (id, world.state.queue.gate().seal(id).unwrap())).collect();
    let mut effects = Vec::new();
    world.state.approve_listed(&listed, Reach::Turn, &mut effects);
    assert!(world.state.queue.undone());
    world.state.queue.end_turn();
    assert!(!world.state.queue.undone());
}

#[test]
fn what_would_do_something_else_than_was_shown_waits_once_more() {
    let mut world = waiting(&[("rm x*", None), ("make", None)]);
    for at in 0..2 {
        let (id, seal) = world.measuring[at];
        world.feed(5, Event::Measured(id, seal, told("1 file")));
    }
    world.otherwise = Some(told("2 files"));
    let approve = |world: &mut World| {
        world.look();
        world.press(KeyCode::Char('y'));
        world.draw(true);
        world.feed(300, Event::Wake);
        world.press(KeyCode::Char('1'));
    };
    approve(&mut world);
    assert!(world.executed.is_empty());
    assert_eq!(*world.status(1), Status::Waiting);
    assert_eq!(world.state.queue.foresight(OperationId(1)), Some(&told("2 files")));
    let why = world.state.queue.get(OperationId(1)).unwrap().requeued.clone();
    assert_eq!(why.as_deref(), Some("It would do something else now than was shown."));
    world.press(KeyCode::Esc);
    world.state.open(OperationId(1));
    approve(&mut world);
    assert_eq!(world.commands(), ["rm x*"], "the second yes counts");
    world.finish(1);
    world.state.open(OperationId(2));
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["rm x*", "make"], "what isn't high starts at once");
}
