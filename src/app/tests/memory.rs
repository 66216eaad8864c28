//! "Don't ask again" by keys: what is shown, when it is saved, and what it changes.

use super::*;
use crate::domain::{ApprovalMode, Decider, Draft, Edit, Remembered, RuleEffect, RuleId, Scope, Verdict};

/// A turn in which the model asks for the given commands.
fn asked(commands: &[(&str, Option<&str>)]) -> World {
    let mut world = World::new();
    world.say("go");
    world.model("", commands);
    world.look();
    world
}

fn making(world: &World) -> Option<&Remembering> {
    match &world.state.modal {
        Some(Modal::Confirm(dialog)) => match &dialog.asking {
            Asking::Remember(remembering) => Some(remembering),
            _ => None,
        },
        _ => None,
    }
}

fn remembered(world: &World) -> usize {
    world.state.queue.gate().policy().remembered.len()
}

#[test]
fn saving_takes_a_second_key_that_was_drawn_and_decides_by_it() {
    let mut world = asked(&[("mkdir a", None)]);
    world.press(KeyCode::Char('m'));
    world.feed(300, Event::Wake);
    let said = |world: &World| making(world).unwrap().draft.rows()[2].value.clone();
    assert_eq!(said(&world), "a", "it begins with what is seen alone");
    world.press(KeyCode::Char('y'));
    assert_eq!((world.executed.len(), remembered(&world)), (0, 0), "not before it was drawn");
    world.draw(true);
    world.press(KeyCode::Enter);
    world.feed(1, Event::Paste("y".to_owned()));
    assert_eq!((world.executed.len(), remembered(&world)), (0, 0), "neither enter nor pasted text saves");
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('y'));
    assert_eq!((world.commands(), remembered(&world)), (vec!["mkdir a"], 1));
    world.finish(1);
    world.model("", &[("mkdir a", None), ("mkdir b", None)]);
    assert_eq!(world.commands(), ["mkdir a", "mkdir a"], "the same again runs, another doesn't");
    assert_eq!(world.state.queue.get(OperationId(2)).unwrap().decider, Some(Decider::Rule));
    assert_eq!(*world.status(3), Status::Waiting);
}

#[test]
fn a_yes_is_taken_back_by_whatever_follows_it_at_once() {
    for (key, saved) in [(None, 1), (Some(KeyCode::Right), 0), (Some(KeyCode::Down), 0), (Some(KeyCode::Enter), 0)] {
        let mut world = asked(&[("mkdir a", None)]);
        world.press(KeyCode::Char('m'));
        world.feed(300, Event::Wake);
        world.draw(true);
        world.tap(400, KeyCode::Char('y'));
        if let Some(key) = key {
            world.tap(60, key);
        }
        world.feed(1_000, Event::Wake);
        assert_eq!(remembered(&world), saved, "{key:?}");
    }
}

#[test]
fn esc_goes_back_and_saves_nothing() {
    let mut world = asked(&[("mkdir a", None)]);
    world.press(KeyCode::Char('m'));
    world.feed(300, Event::Wake);
    world.draw(true);
    world.press(KeyCode::Esc);
    assert!(making(&world).is_none() && world.dialog().is_some());
    assert_eq!((world.executed.len(), remembered(&world)), (0, 0));
}

#[test]
fn a_high_one_takes_its_number_after_its_end_was_seen() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("rm a", None)]);
    world.draw(false);
    world.feed(GUARD, Event::Wake);
    world.press(KeyCode::Char('m'));
    world.feed(300, Event::Wake);
    world.draw(true);
    world.press(KeyCode::Char('y'));
    world.draw(true);
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('1'));
    assert_eq!((world.executed.len(), remembered(&world)), (0, 0), "the end of the operation was not on the screen");
    world.press(KeyCode::Esc);
    world.draw(true);
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('m'));
    world.feed(300, Event::Wake);
    world.draw(true);
    world.press(KeyCode::Char('1'));
    assert_eq!(remembered(&world), 0, "the number counts only behind y");
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('y'));
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('1'));
    assert_eq!(remembered(&world), 0, "and once it was asked for on the screen");
    world.draw(true);
    world.press(KeyCode::Char('1'));
    assert_eq!(remembered(&world), 0, "nor right after another key");
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('2'));
    assert_eq!(remembered(&world), 0);
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('1'));
    assert_eq!((world.commands(), remembered(&world)), (vec!["rm a"], 1));
    world.finish(1);
    world.model("", &[("rm a", None), ("rm b", None), ("rm a && cat .env", None)]);
    world.finish(2);
    assert_eq!(world.commands(), ["rm a", "rm a"]);
}

#[test]
fn changing_a_part_takes_a_confirmation_back() {
    let mut world = asked(&[("rm a", None)]);
    world.press(KeyCode::Char('m'));
    world.feed(300, Event::Wake);
    world.draw(true);
    world.press(KeyCode::Char('y'));
    world.draw(true);
    world.press(KeyCode::Right);
    assert!(making(&world).unwrap().typed.is_none());
    world.press(KeyCode::Char('1'));
    assert_eq!((world.executed.len(), remembered(&world)), (0, 0));
}

#[test]
fn sensitive_ones_are_not_offered_and_say_why() {
    let mut world = asked(&[("cat .env", None)]);
    world.press(KeyCode::Char('m'));
    world.feed(300, Event::Wake);
    assert!(making(&world).is_none());
    let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!() };
    assert!(dialog.hint.as_ref().unwrap().contains(".env is sensitive"), "{:?}", dialog.hint);
}

#[test]
fn a_rule_of_the_turn_ends_with_it() {
    let mut world = asked(&[("mkdir a", None)]);
    world.press(KeyCode::Char('m'));
    world.feed(300, Event::Wake);
    world.draw(true);
    // Down to the scope, and from session to turn.
    for _ in 0..8 {
        world.press(KeyCode::Down);
    }
    world.press(KeyCode::Left);
    assert_eq!(making(&world).unwrap().draft.scope().word(), "turn");
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('y'));
    world.finish(1);
    world.model("", &[("mkdir a", None)]);
    assert_eq!(world.commands().len(), 2);
    world.finish(2);
    world.model("done", &[]);
    world.say("more");
    world.model("", &[("mkdir a", None)]);
    assert_eq!((world.commands().len(), remembered(&world)), (2, 0));
}

#[test]
fn never_again_denies_this_one_those_that_wait_and_those_to_come() {
    let mut world = asked(&[("mkdir a", None), ("mkdir b", None), ("touch c", None)]);
    world.press(KeyCode::Char('M'));
    world.feed(300, Event::Wake);
    world.draw(true);
    world.press(KeyCode::Char('y'));
    assert!(world.executed.is_empty());
    for id in [1, 2] {
        assert!(matches!(world.status(id), Status::Denied { .. }), "{id}");
    }
    assert_eq!(*world.status(3), Status::Waiting);
    world.look();
    world.press(KeyCode::Char('y'));
    world.finish(3);
    world.model("", &[("mkdir d", Some("low"))]);
    assert!(matches!(world.status(4), Status::Denied { .. }));
    assert!(world.results()[0].text.contains("rule s1 never lets it run"), "{:?}", world.results());
}

#[test]
fn a_new_rule_starts_nothing_that_waits_unseen() {
    let mut world = asked(&[("mkdir a", None)]);
    world.press(KeyCode::Esc);
    let prepared = world.state.queue.get(OperationId(1)).unwrap().prepared.clone().unwrap();
    let rule = Draft::allow(&prepared).unwrap().rule(RuleId("r1".to_owned()), 0).unwrap();
    world.feed(1, Event::Remembered(Box::new(Ok(rule))));
    assert!(world.executed.is_empty());
    assert_eq!(*world.status(1), Status::Waiting);
    assert_eq!(world.state.queue.gate().judgement(OperationId(1)).unwrap().verdict, Verdict::Allow);
    world.feed(1, Event::Remembered(Box::new(Err("the disk is full".to_owned()))));
    assert_eq!(remembered(&world), 1);
}

#[test]
fn rules_are_listed_and_revoked_and_what_they_let_through_asks_again() {
    let mut world = asked(&[("mkdir a", None)]);
    world.press(KeyCode::Char('m'));
    world.feed(300, Event::Wake);
    let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!() };
    let Asking::Remember(remembering) = &dialog.asking else { panic!() };
    let rows = remembering.draft.rows().into_iter().filter(|row| row.name != "scope");
    let told: Vec<(String, String)> = rows.map(|row| (row.name, row.value)).collect();
    world.draw(true);
    world.press(KeyCode::Char('y'));
    world.finish(1);
    world.model("done", &[]);
    world.say("/rules");
    let first = world.state.picker().unwrap().pick(0).cloned();
    assert_eq!(first, Some(Pick::Line("/rules s1".to_owned())));
    let listed = world.state.picker().unwrap().fits(0, 1)[0].row.label.clone();
    let said: Vec<String> = told.iter().map(|(part, says)| format!("{part} {says}")).collect();
    assert_eq!(listed, format!("s1  allow command: {}", said.join(", ")), "in the words of the dialog");
    world.press(KeyCode::Enter);
    assert_eq!(world.state.picker().unwrap().pick(0).cloned(), Some(Pick::Line("/rules revoke s1".to_owned())));
    world.press(KeyCode::Enter);
    assert_eq!(remembered(&world), 0);
    world.say("again");
    world.model("", &[("mkdir b", None)]);
    assert_eq!(*world.status(2), Status::Waiting);
}

#[test]
fn an_edited_one_is_not_covered_by_a_rule() {
    let mut world = asked(&[("mkdir a", None)]);
    world.press(KeyCode::Char('m'));
    world.feed(300, Event::Wake);
    world.draw(true);
    world.press(KeyCode::Char('y'));
    world.finish(1);
    let mut prepared = world.state.queue.get(OperationId(1)).unwrap().prepared.clone().unwrap();
    prepared.operation.origin = prepared.operation.origin.changed(Edit::Text);
    assert_eq!(world.state.queue.gate().weigh(&prepared).verdict, Verdict::Ask);
}

#[test]
fn an_unknown_folder_asks_first_and_takes_nothing_else() {
    let mut world = World::new();
    world.state.ask_folder();
    world.say("");
    assert!(world.state.picker().is_none(), "the first choice is to work here");
    let mut world = World::new();
    world.state.ask_folder();
    world.press(KeyCode::Esc);
    assert!(world.state.arriving() && world.state.picker().is_some(), "without an answer it is asked again");
    world.press(KeyCode::Down);
    world.press(KeyCode::Enter);
    assert!(!world.state.arriving());
    for (typed, works) in [("y", true), ("yes", true), ("n", false)] {
        let mut world = World::new();
        world.state.ask_folder();
        world.type_in("now show it");
        world.press(KeyCode::Enter);
        assert!(world.state.arriving() && world.labels().len() == 2, "a message is no answer");
        world.type_in(typed);
        let key = KeyEvent::from(KeyCode::Enter);
        let effects = crate::app::update(&mut world.state, Millis(9_000), Event::Key(key));
        let known = effects.iter().any(|effect| matches!(effect, crate::app::Effect::KnowFolder));
        assert_eq!((world.state.arriving(), known), (false, works), "{typed}");
    }
    let mut world = World::new();
    world.state.go_linear();
    world.state.ask_folder();
    for line in ["delete everything", "! ls", "/sql select 1"] {
        world.feed(500, Event::Said(Said::read(line), Millis(0)));
    }
    assert!(world.state.arriving() && world.requests.is_empty() && world.executed.is_empty());
    world.feed(500, Event::Said(Said::read("1"), Millis(0)));
    assert!(!world.state.arriving());
    for (word, works) in [("yes", true), ("No", false)] {
        let mut world = World::new();
        world.state.go_linear();
        world.state.ask_folder();
        let effects = crate::app::update(&mut world.state, Millis(9_000), Event::Said(Said::read(word), Millis(0)));
        let known = effects.iter().any(|effect| matches!(effect, crate::app::Effect::KnowFolder));
        assert_eq!((world.state.arriving(), known), (false, works), "{word}");
    }
}

#[test]
fn a_message_waits_until_the_notes_of_the_folder_were_read() {
    let mut world = World::new();
    world.state.ask_folder();
    world.press(KeyCode::Enter);
    world.say("go");
    assert!(world.requests.is_empty(), "nobody knows the notes yet");
    world.feed(10, Event::Briefed("\n\nRun the tests.".to_owned()));
    assert_eq!(world.requests.len(), 1);
    assert!(world.state.queue.gate.private_data_read(), "they are the person's");
}

#[test]
fn by_lines_a_rule_is_saved_only_once_it_was_told() {
    let mut world = World::new();
    world.state.go_linear();
    world.feed(0, Event::Said(Said::read("go"), Millis(0)));
    world.model("", &[("mkdir a", None)]);
    let seal = world.state.queue.gate().seal(OperationId(1)).unwrap();
    world.feed(10, Event::Told(OperationId(1), seal, true));
    let line = |world: &mut World, text: &str, after: u64| {
        let typed = world.state.now.plus(after);
        world.feed(after, Event::Said(Said::read(text), typed));
    };
    line(&mut world, "remember 1 session", 1_000);
    assert_eq!((world.executed.len(), remembered(&world)), (0, 0), "the rule was not told");
    line(&mut world, "remember 1", 1_000);
    line(&mut world, "remember 1 session", 10);
    assert_eq!((world.executed.len(), remembered(&world)), (0, 0), "it was typed before it was told");
    line(&mut world, "never 1 session", 1_000);
    assert_eq!((world.executed.len(), remembered(&world)), (0, 0), "another rule was told");
    line(&mut world, "remember 1 session", 1_000);
    assert_eq!((world.commands(), remembered(&world)), (vec!["mkdir a"], 1));
    assert!(matches!(Said::read("remember the milk"), Said::Line(_)));
    assert!(matches!(Said::read("never 1 soon"), Said::Line(_)));
}

#[test]
fn by_lines_a_part_of_a_rule_is_changed_and_told_again() {
    let mut world = World::new();
    world.state.go_linear();
    world.feed(0, Event::Said(Said::read("go"), Millis(0)));
    world.model("", &[("mkdir -p a", None)]);
    let (id, seal) = (OperationId(1), world.state.queue.gate().seal(OperationId(1)).unwrap());
    world.feed(10, Event::Told(id, seal, true));
    let line = |world: &mut World, text: &str| {
        let typed = world.state.now.plus(1_000);
        world.feed(1_000, Event::Said(Said::read(text), typed));
        world.state.hint.take().unwrap_or_default()
    };
    assert_eq!(line(&mut world, "remember 1 wider 1"), "Type remember 1 first: it shows the rule.");
    line(&mut world, "remember 1");
    let rows = |world: &World, ruling| world.state.drafted(id, false, ruling).unwrap().rows();
    let scope = rows(&world, Ruling::Tell).len();
    assert_eq!(line(&mut world, "remember 1 wider 9"), "It has no part 9.");
    assert!(line(&mut world, "remember 1 wider 1").contains("gets no wider"), "the program is named");
    for _ in 0..2 {
        assert_eq!(line(&mut world, &format!("remember 1 wider {scope}")), "");
    }
    assert_eq!(rows(&world, Ruling::Save("workspace")).last().unwrap().value, "until you revoke it", "a row more");
    assert_eq!(line(&mut world, &format!("remember 1 wider {}", scope + 1)), "");
    assert_eq!(rows(&world, Ruling::Save("workspace")).last().unwrap().value, "for 1 hour");
    line(&mut world, "remember 1 session");
    assert_eq!((world.commands(), remembered(&world)), (vec!["mkdir -p a"], 1));
}

/// A rule that outlives the session, made from the operation that waits.
fn kept(world: &World, id: u64, name: &str, effect: RuleEffect) -> Remembered {
    let prepared = world.state.queue.gate().prepared(OperationId(id)).unwrap();
    let mut draft = match effect {
        RuleEffect::Allow => Draft::allow(prepared),
        RuleEffect::Deny | RuleEffect::Ask => Draft::deny(prepared),
    }
    .unwrap();
    draft.set_scope(Scope::Always.word());
    draft.rule(RuleId(name.to_owned()), 0).unwrap()
}

#[test]
fn rules_that_change_outside_the_session_decide_in_it() {
    let mut world = asked(&[("mkdir a", None)]);
    let (allow, deny) = (kept(&world, 1, "r1", RuleEffect::Allow), kept(&world, 1, "r2", RuleEffect::Deny));
    world.feed(1, Event::Ruled(vec![allow.clone()], None));
    assert_eq!(*world.status(1), Status::Waiting, "nothing starts that the person didn't see");
    world.press(KeyCode::Char('y'));
    world.finish(1);
    world.model("", &[("mkdir b", None)]);
    assert_eq!(world.commands(), ["mkdir a", "mkdir b"]);
    world.finish(2);
    world.feed(1, Event::Ruled(Vec::new(), None));
    world.model("", &[("mkdir c", None)]);
    assert_eq!((*world.status(3)).clone(), Status::Waiting, "it was revoked elsewhere");
    world.feed(1, Event::Ruled(vec![allow, deny], None));
    assert!(matches!(world.status(3), Status::Denied { .. }), "a rule that denies was saved elsewhere");
    assert_eq!(world.executed.len(), 2);
}

#[test]
fn rules_that_cant_be_read_any_more_make_everything_ask_and_it_is_said_once() {
    let mut world = asked(&[("mkdir a", None)]);
    let allow = kept(&world, 1, "r1", RuleEffect::Allow);
    world.feed(1, Event::Ruled(vec![allow], None));
    let broken = || Event::Ruled(Vec::new(), Some("rules.toml: it is broken".to_owned()));
    world.feed(1, broken());
    let in_force = |world: &World| world.state.queue.gate().policy().in_force();
    assert_eq!((remembered(&world), in_force(&world)), (0, ApprovalMode::Strict));
    let said = |world: &World| {
        let is = |entry: &&Entry| matches!(entry, Entry::Notice { text, .. } if text.contains("it is broken"));
        world.state.chat.entries().iter().filter(is).count()
    };
    world.feed(1, broken());
    assert_eq!(said(&world), 1);
    // Another mode is no way around it.
    world.state.set_mode(ApprovalMode::Smart);
    assert_eq!(in_force(&world), ApprovalMode::Strict);
    let told = format!("{:?}", world.state.chat.entries());
    assert!(told.contains("Mode smart holds once what is remembered can be read"), "{told}");
    world.press(KeyCode::Char('y'));
    world.finish(1);
    world.model("", &[("ls", Some("low"))]);
    assert_eq!(*world.status(2), Status::Waiting);
    let reason = &world.state.queue.gate().judgement(OperationId(2)).unwrap().reason;
    assert!(reason.starts_with("Your rules can't be read"), "{reason}");
    world.feed(1, Event::Ruled(Vec::new(), None));
    assert_eq!(in_force(&world), ApprovalMode::Smart);
    let told = format!("{:?}", world.state.chat.entries());
    assert!(told.contains("What is remembered can be read again: mode smart holds."), "{told}");
    assert_eq!(*world.status(2), Status::Waiting, "nothing starts that the person didn't see");
}

#[test]
fn a_rule_that_was_taken_back_here_stays_so_whatever_its_file_still_says() {
    let mut world = asked(&[("mkdir a", None)]);
    let allow = kept(&world, 1, "r1", RuleEffect::Allow);
    world.feed(1, Event::Ruled(vec![allow.clone()], None));
    world.state.queue.gate.forget(allow.id());
    world.feed(1, Event::Ruled(vec![allow.clone()], None));
    assert_eq!(remembered(&world), 0);
    world.feed(1, Event::Remembered(Box::new(Ok(allow))));
    assert_eq!(remembered(&world), 1, "saved anew it holds");
}
