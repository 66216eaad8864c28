//! Confirming: which key counts when, and what it covers.

use super::*;
use crate::domain::ApprovalMode;

/// A turn in which the model asks for the given commands.
fn asked(commands: &[(&str, Option<&str>)]) -> World {
    let mut world = World::new();
    world.say("go");
    world.model("", commands);
    world
}

#[test]
fn a_whitelisted_operation_runs_without_a_question() {
    let mut world = asked(&[("ls", None)]);
    assert_eq!(world.commands(), ["ls"]);
    assert!(world.dialog().is_none());
    world.finish(1);
    assert_eq!(world.results()[0].text, "output of 1");
}

#[test]
fn an_unknown_operation_waits_in_its_dialog_until_a_key_counts() {
    let mut world = asked(&[("make", None)]);
    assert_eq!(world.dialog(), Some(OperationId(1)));
    world.draw(true);
    world.press(KeyCode::Char('y'));
    assert!(world.executed.is_empty(), "not before its first moment passed");
    assert_eq!(world.state.composer.text(), "y", "the letter went to the composer");
    assert!(world.dialog().is_none(), "the dialog gave way to somebody typing");
    world.press(KeyCode::Backspace);
    world.feed(1_000, Event::Wake);
    world.look();
    world.press(KeyCode::Enter);
    world.feed(1, Event::Paste("y".to_owned()));
    assert!(world.executed.is_empty(), "neither enter nor pasted text approves");
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make"]);
}

#[test]
fn a_high_takes_its_number_after_its_end_was_on_the_screen() {
    let mut world = asked(&[("rm a", None)]);
    world.draw(false);
    world.feed(GUARD, Event::Wake);
    world.press(KeyCode::Char('y'));
    world.look();
    world.press(KeyCode::Char('1'));
    assert!(world.executed.is_empty(), "its end was not seen when y was pressed");
    world.look();
    world.press(KeyCode::Char('y'));
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('1'));
    assert!(world.executed.is_empty(), "the second key counts only once its prompt was drawn");
    world.draw(true);
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('2'));
    assert!(world.executed.is_empty());
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('1'));
    assert_eq!(world.commands(), ["rm a"]);
}

#[test]
fn denying_one_leaves_the_others_and_gives_the_model_the_reason() {
    let mut world = asked(&[("make a", None), ("make b", None)]);
    world.look();
    world.press(KeyCode::Char('r'));
    world.draw(true);
    for letter in "not now".chars() {
        world.press(KeyCode::Char(letter));
    }
    world.press(KeyCode::Enter);
    assert_eq!(world.dialog(), Some(OperationId(2)), "the next one is shown");
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make b"]);
    world.finish(2);
    let results = world.results();
    assert_eq!(results[0].text, "cancelled: The person denied it: not now");
    assert_eq!(results[1].text, "output of 2");
}

#[test]
fn one_that_comes_back_unchanged_is_denied_again_whatever_is_claimed() {
    let mut world = asked(&[("make a", None)]);
    world.look();
    world.press(KeyCode::Char('n'));
    world.model("", &[("make a", Some("low"))]);
    assert!(matches!(world.status(2), Status::Denied { .. }));
    assert!(world.results()[0].text.contains("denied exactly this before"));
    world.model("", &[("make  a ", None)]);
    assert!(matches!(world.status(3), Status::Denied { .. }), "blanks between words are none");
    world.model("sorry", &[]);
    world.say("again please");
    world.model("", &[("make a", None)]);
    assert_eq!(*world.status(4), Status::Waiting, "a new turn asks again");
}

#[test]
fn approve_all_lists_everything_and_takes_a_second_key() {
    let mut world = asked(&[("make a", None), ("rm b", None)]);
    world.look();
    world.press(KeyCode::Char('A'));
    world.press(KeyCode::Char('y'));
    assert!(world.executed.is_empty(), "the list was not drawn yet");
    world.look();
    assert!(matches!(&world.state.modal, Some(Modal::Confirm(dialog))
        if matches!(&dialog.asking, Asking::All { listed, high, .. } if (listed.len(), high.len()) == (2, 1))));
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make a"], "in order, one after the other");
    world.finish(1);
    world.finish(2);
    world.model("", &[("rm c", None), ("make a", None), ("cat .env", None)]);
    world.finish(3);
    world.finish(4);
    assert_eq!(world.commands(), ["make a", "rm b", "rm c", "make a"], "the rest of the turn, but nothing sensitive");
    assert_eq!(*world.status(5), Status::Waiting);
    world.say("next");
    assert!(world.state.queue.gate().seal(OperationId(5)).is_some());
}

#[test]
fn approve_all_takes_no_high_one_along_whose_end_nobody_saw() {
    let mut world = asked(&[("rm a", None), ("rm b", None)]);
    world.look();
    world.press(KeyCode::Char('A'));
    let seal = match &world.state.modal {
        Some(Modal::Confirm(dialog)) => dialog.seal,
        _ => panic!("no dialog"),
    };
    for (seen, told) in [(vec![], Some("#1")), (vec![OperationId(2)], Some("#1")), (vec![OperationId(1)], None)] {
        world.feed(1, Event::Drawn(Box::new(Sight { dialog: Some((seal, true)), ends: seen, ..Sight::default() })));
        world.feed(GUARD, Event::Wake);
        world.press(KeyCode::Char('y'));
        let hint = match &world.state.modal {
            Some(Modal::Confirm(dialog)) => dialog.hint.clone(),
            _ => None,
        };
        assert_eq!(
            hint.is_some_and(|hint| hint.contains("look at its end first") && hint.contains(told.unwrap_or("?"))),
            told.is_some()
        );
        assert_eq!(world.executed.is_empty(), told.is_some());
    }
}

#[test]
fn approve_all_reaches_the_same_unknown_command_and_no_other() {
    let mut world = asked(&[("make a", None), ("make b", None)]);
    world.look();
    world.press(KeyCode::Char('A'));
    world.look();
    world.press(KeyCode::Char('y'));
    world.finish(1);
    world.finish(2);
    world.model("", &[("make b", None), ("make c", None), ("deploy", None)]);
    world.finish(3);
    assert_eq!(world.commands(), ["make a", "make b", "make b"]);
    assert_eq!([4, 5].map(|id| world.status(id).clone()), [Status::Waiting, Status::Waiting]);
}

#[test]
fn approve_all_covers_nothing_that_the_person_begins() {
    let mut world = asked(&[("rm a", None), ("rm b", None)]);
    world.look();
    world.press(KeyCode::Char('A'));
    world.look();
    world.press(KeyCode::Char('y'));
    world.finish(1);
    world.finish(2);
    world.say("! rm c");
    assert_eq!(*world.status(3), Status::Waiting);
}

#[test]
fn approve_all_with_a_high_needs_the_end_of_the_list() {
    let mut world = asked(&[("rm a", None), ("rm b", None)]);
    world.look();
    world.press(KeyCode::Char('A'));
    world.draw(false);
    world.feed(GUARD, Event::Wake);
    world.press(KeyCode::Char('y'));
    assert!(world.executed.is_empty());
    world.draw(true);
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["rm a"]);
}

#[test]
fn a_list_on_the_screen_says_nothing_of_the_end_of_an_operation() {
    let mut world = asked(&[("rm a", None), ("rm b", None)]);
    world.draw(false);
    world.feed(GUARD, Event::Wake);
    world.press(KeyCode::Char('A'));
    world.look();
    world.press(KeyCode::Esc);
    world.draw(false);
    world.feed(GUARD, Event::Wake);
    world.press(KeyCode::Char('y'));
    world.draw(false);
    world.press(KeyCode::Char('1'));
    assert!(world.executed.is_empty());
}

#[test]
fn approve_all_takes_along_only_what_was_listed() {
    let mut world = asked(&[("make a", None), ("make b", None)]);
    world.look();
    world.press(KeyCode::Char('A'));
    world.look();
    world.state.composer.put("! make late");
    let late = ToolCall {
        id: String::new(),
        name: "execute_command".to_owned(),
        arguments: r#"{"command":"make late"}"#.to_owned(),
    };
    let mut effects = Vec::new();
    world.state.propose(Origin::Person, late, &mut effects);
    for effect in effects {
        world.perform(effect);
    }
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make a"]);
    assert_eq!(*world.status(3), Status::Waiting);
}

#[test]
fn deny_all_covers_the_rest_of_the_turn() {
    let mut world = asked(&[("make a", None), ("rm b", None)]);
    world.look();
    world.press(KeyCode::Char('D'));
    assert_eq!(world.results().len(), 2);
    world.model("", &[("make c", None), ("ls", None)]);
    assert!(matches!(world.status(3), Status::Denied { .. }));
    assert!(world.executed.is_empty(), "the rest of the turn whole, reads too");
    world.say("! make own");
    assert_eq!(*world.status(5), Status::Waiting, "the person's own operations are not meant");
}

#[test]
fn deny_all_leaves_what_was_approved_already() {
    let mut world = asked(&[("make a", None), ("make b", None), ("make c", None)]);
    world.state.open(OperationId(2));
    world.look();
    world.press(KeyCode::Char('y'));
    assert!(matches!(world.status(2), Status::Allowed { .. }));
    world.look();
    world.press(KeyCode::Char('D'));
    assert!(matches!(world.status(1), Status::Denied { .. }) && matches!(world.status(3), Status::Denied { .. }));
    assert_eq!(world.commands(), ["make b"]);
}

#[test]
fn what_was_approved_waits_again_once_what_it_needs_is_denied() {
    let calls = [("echo 1 > gen.py", None), ("python3 gen.py", None), ("make", None)];
    for all in [false, true] {
        let mut world = asked(&calls);
        for id in [2, 3] {
            let seal = world.state.queue.gate.seal(OperationId(id)).unwrap();
            assert!(world.state.approve(OperationId(id), seal, &mut Vec::new()));
        }
        world.look();
        world.press(KeyCode::Char(if all { 'D' } else { 'n' }));
        assert_eq!(*world.status(2), Status::Waiting, "it was approved to run after #1");
        let item = world.state.queue.get(OperationId(2)).unwrap();
        assert_eq!(item.requeued.as_deref(), Some("You approved it while #1 was still to run."));
        assert_eq!(world.state.queue.lacks(OperationId(2)).unwrap().by, OperationId(1));
        assert!(matches!(world.status(3), Status::Allowed { .. }), "it needs nothing of #1");
        assert!(world.executed.is_empty());
        world.feed(1_000, Event::Wake);
        world.look();
        assert_eq!(world.dialog(), Some(OperationId(2)));
        world.press(KeyCode::Char('y'));
        assert_eq!(world.commands(), ["python3 gen.py"], "whoever approves it now knows");
    }
}

#[test]
fn what_was_approved_while_it_starts_waits_again_too() {
    let mut world = asked(&[("echo 1 > gen.py", None), ("python3 gen.py", None)]);
    let seal = world.state.queue.gate.seal(OperationId(2)).unwrap();
    assert!(world.state.approve(OperationId(2), seal, &mut Vec::new()));
    world.state.queue.set_status(OperationId(2), Status::Allowed { starting: true });
    world.look();
    world.press(KeyCode::Char('n'));
    let prepared = world.state.queue.gate.prepared(OperationId(2)).unwrap().clone();
    world.feed(1, Event::Refreshed(OperationId(2), Proposal::Ready(Box::new(prepared))));
    assert_eq!((world.status(2), world.executed.len()), (&Status::Waiting, 0));
}

#[test]
fn who_stops_the_turn_is_asked_nothing_again() {
    let mut world = asked(&[("echo 1 > gen.py", None), ("python3 gen.py", None)]);
    let seal = world.state.queue.gate.seal(OperationId(2)).unwrap();
    assert!(world.state.approve(OperationId(2), seal, &mut Vec::new()));
    world.state.withdraw(true, &mut Vec::new());
    for id in [1, 2] {
        assert!(matches!(world.status(id), Status::Denied { .. }), "{id}");
    }
}

#[test]
fn deny_all_takes_along_what_nobody_was_asked_about() {
    let mut world = asked(&[("make a", None), ("ls", None)]);
    assert!(matches!(world.status(2), Status::Allowed { .. }), "it waits for the one before");
    world.state.open(OperationId(1));
    world.look();
    world.press(KeyCode::Char('D'));
    assert!(matches!(world.status(2), Status::Denied { .. }));
    assert!(world.commands().is_empty());
}

#[test]
fn what_is_said_of_all_ends_where_a_message_that_waited_begins() {
    let mut world = asked(&[("make a", None), ("make b", None)]);
    world.press(KeyCode::Esc);
    world.say("now something else");
    for id in [1, 2] {
        assert_eq!(*world.status(id), Status::Waiting, "the message waits for them");
    }
    if world.dialog().is_none() {
        world.state.open(OperationId(1));
    }
    world.look();
    world.press(KeyCode::Char('A'));
    world.look();
    world.press(KeyCode::Char('y'));
    world.finish(1);
    world.finish(2);
    world.model("", &[("make b", None)]);
    assert_eq!(*world.status(3), Status::Waiting, "its turn is over");
}

#[test]
fn denying_all_ends_where_a_message_that_waited_begins() {
    let mut world = asked(&[("make a", None), ("make b", None)]);
    world.press(KeyCode::Esc);
    world.say("now something else");
    world.press(KeyCode::F(2));
    world.look();
    world.press(KeyCode::Char('D'));
    assert_eq!(world.results().len(), 2);
    world.model("", &[("make c", None)]);
    assert_eq!(*world.status(3), Status::Waiting, "its turn is over");
}

#[test]
fn what_a_wall_may_have_stopped_is_offered_again_and_waits() {
    let mut world = asked(&[("ls a", None)]);
    assert_eq!(world.commands(), ["ls a"]);
    world.feed(1, Event::Run(OperationId(1), RunEvent::Stopped));
    world.finish(1);
    assert_eq!(*world.status(2), Status::Waiting, "whitelisted as it is");
    let (offered, judged) = {
        let item = world.state.queue.get(OperationId(2)).unwrap();
        (item.origin.clone(), item.judgement.clone().unwrap())
    };
    assert!(matches!(offered, Origin::Program { after: OperationId(1), .. }));
    assert!(judged.reason.contains("what #1 did already stays") && judged.risk == RiskLevel::Medium, "{judged:?}");
    assert_eq!(world.results().len(), 1, "the turn goes on meanwhile");
    world.model("Done.", &[]);
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["ls a", "ls a"]);
    assert_eq!(world.executed[1].0, OperationId(2));
    let Status::Running { containment, .. } = world.status(2) else { panic!("it runs") };
    assert_eq!(*containment, crate::domain::Containment::None);
    world.feed(1, Event::Run(OperationId(2), RunEvent::Stopped));
    world.finish(2);
    world.say("and?");
    let said = format!("{:?}", world.requests.last().unwrap().last().unwrap());
    assert!(said.contains("I let #1 run without walls"), "{said}");
}

#[test]
fn an_offer_that_is_denied_denies_nothing_else() {
    let mut world = asked(&[("ls a", None)]);
    world.feed(1, Event::Run(OperationId(1), RunEvent::Stopped));
    world.finish(1);
    world.look();
    world.press(KeyCode::Char('n'));
    assert!(matches!(world.status(2), Status::Denied { .. }));
    world.model("", &[("ls a", None)]);
    assert_eq!(world.commands(), ["ls a", "ls a"], "the same, contained, is no other demand than before");
}

#[test]
fn what_changed_since_it_was_shown_comes_back() {
    let mut world = asked(&[("make a", None)]);
    world.changing = "make";
    world.look();
    world.press(KeyCode::Char('y'));
    assert!(world.executed.is_empty());
    assert_eq!(*world.status(1), Status::Waiting);
    assert!(world.state.queue.get(OperationId(1)).unwrap().requeued.is_some());
    assert_eq!(world.dialog(), Some(OperationId(1)), "it is shown again, its keys dead until it was drawn");
    world.press(KeyCode::Char('y'));
    assert!(world.executed.is_empty());
}

#[test]
fn escape_puts_it_off_and_picking_by_number_moves() {
    let mut world = asked(&[("make a", None), ("make b", None), ("make c", None)]);
    world.look();
    world.press(KeyCode::Char('3'));
    assert_eq!(world.dialog(), Some(OperationId(3)));
    world.look();
    world.press(KeyCode::Esc);
    assert!(world.dialog().is_none());
    world.feed(5_000, Event::Wake);
    assert!(world.dialog().is_none(), "it was put off");
    assert_eq!(world.state.queue.waiting().count(), 3);
}

#[test]
fn no_dialog_opens_over_somebody_typing() {
    let mut world = World::new();
    world.say("go");
    world.press(KeyCode::Char('w'));
    world.model("", &[("make", None)]);
    assert!(world.dialog().is_none(), "the composer holds a draft");
    world.press(KeyCode::Backspace);
    world.feed(900, Event::Wake);
    assert!(world.dialog().is_none(), "nobody must have typed for a second");
    assert_eq!(world.state.deadline(), Some(Millis(world.state.now.0 + 100)));
    world.feed(100, Event::Wake);
    assert!(world.dialog().is_some());
}

#[test]
fn a_sentence_typed_into_a_dialog_that_opened_by_itself_decides_nothing() {
    let mut world = asked(&[("make", None)]);
    world.draw(true);
    for letter in "oh the model is slow, my friend, no matter".chars() {
        world.feed(90, Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
        world.draw(true);
    }
    assert!(world.executed.is_empty());
    assert_eq!(*world.status(1), Status::Waiting);
    assert_eq!(world.state.composer.text(), "oh the model is slow, my friend, no matter");
}

#[test]
fn the_persons_own_denied_operation_may_be_asked_for_again() {
    let mut world = World::new();
    world.say("! make a");
    world.look();
    world.press(KeyCode::Char('n'));
    world.say("! make a");
    assert_eq!(*world.status(2), Status::Waiting);
}

#[test]
fn a_storm_of_keys_approves_nothing_and_loses_no_letter() {
    let mut world = World::new();
    world.say("go");
    let mut typed = String::new();
    let commands: Vec<(String, Option<&str>)> = (0..50).map(|n| (format!("make {n}"), None)).collect();
    let commands: Vec<(&str, Option<&str>)> = commands.iter().map(|(c, claim)| (c.as_str(), *claim)).collect();
    world.press(KeyCode::Char('y'));
    typed.push('y');
    world.model("", &commands);
    for number in 0..200 {
        let letter = ['y', '1', 'a', 'n', 'A', 'D'][number % 6];
        world.feed(50, Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
        world.draw(true);
        typed.push(letter);
    }
    assert!(world.executed.is_empty());
    assert_eq!(world.state.composer.text(), typed);
    assert_eq!(world.state.queue.waiting().count(), 50);
}

#[test]
fn another_mode_judges_what_waits_anew_and_starts_nothing() {
    let mut world = asked(&[("make a", Some("low"))]);
    world.press(KeyCode::Esc);
    world.say("/mode smart");
    assert!(world.executed.is_empty());
    assert_eq!(*world.status(1), Status::Waiting);
    world.say("/mode strict");
    assert_eq!(world.state.queue.gate().policy().mode, ApprovalMode::Strict);
}
