//! Sessions that were left, at any moment, and gone on with.

use super::*;

/// The dialog of what waits is open, and its keys count.
fn rest(it: &mut World) {
    it.feed(1_100, Event::Wake);
    it.look();
    assert!(it.dialog().is_some());
}

/// A session with about everything in it: reads, a yes, a no with a reason, the person's own commands, an edit, a
/// message that was held, a stop, a failure.
fn eventful() -> World {
    let mut it = World::new();
    it.say("list, then build");
    it.model("I look first.", &[("ls", None), ("make all", None), ("rm a", Some("high"))]);
    it.finish(1);
    rest(&mut it);
    it.press(KeyCode::Char('y'));
    it.finish(2);
    rest(&mut it);
    it.press(KeyCode::Char('r'));
    it.draw(true);
    for letter in "not that one".chars() {
        it.press(KeyCode::Char(letter));
    }
    it.press(KeyCode::Enter);
    it.say("! make mine");
    rest(&mut it);
    it.press(KeyCode::Char('y'));
    it.model("Built. Shall I go on?", &[]);
    it.finish(4);
    it.say("yes");
    it.model("", &[("ls b", None), ("unknown tool", None)]);
    it.say("and hurry");
    it.finish(5);
    it
}

fn resumed(journal: &[JournalEntry]) -> World {
    resumed_in(journal, ApprovalMode::Guarded)
}

fn resumed_in(journal: &[JournalEntry], mode: ApprovalMode) -> World {
    resumed_with(journal, mode, &[])
}

fn resumed_with(journal: &[JournalEntry], mode: ApprovalMode, held: &[(OperationId, String)]) -> World {
    let mut it = World::in_mode(mode);
    let State { chat, .. } = World::in_mode(mode).state;
    assert!(chat.history().is_empty());
    let fresh = std::mem::replace(&mut it.state, World::in_mode(mode).state);
    let mut resumed = Resumed::onto(fresh);
    for entry in journal {
        resumed.entry(entry.clone());
    }
    let (state, effects) = resumed.settle(held).unwrap();
    it.state = state;
    it.journal = journal.to_vec();
    it.waiting.extend(effects);
    while let Some(effect) = it.waiting.pop_front() {
        it.perform(effect);
    }
    it
}

fn history(it: &World) -> Vec<Message> {
    it.state.chat.history().iter().map(|message| message.as_ref().clone()).collect()
}

/// Every call of the history is answered, unless it is of the latest message and still open.
fn answered(it: &World) {
    let history = history(it);
    for (at, message) in history.iter().enumerate() {
        let Message::Assistant { calls, .. } = message else { continue };
        if calls.is_empty() {
            continue;
        }
        let wanted: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        match (history.get(at + 1), it.state.chat.phase()) {
            (Some(Message::Results(results)), _) => {
                assert_eq!(results.iter().map(|result| result.call_id.as_str()).collect::<Vec<_>>(), wanted);
            }
            (None, Phase::Working { calls }) => {
                assert_eq!(calls.iter().map(|call| call.call.id.as_str()).collect::<Vec<_>>(), wanted);
            }
            (other, phase) => panic!("{wanted:?}: {other:?} {phase:?}"),
        }
    }
}

#[test]
fn a_session_comes_back_as_it_was() {
    let mut before = eventful();
    rest(&mut before);
    before.press(KeyCode::Char('n'));
    before.model("Done.", &[]);
    assert_eq!(before.state.chat.phase(), &Phase::Idle);
    let after = resumed(&before.journal);
    assert_eq!(history(&after), history(&before));
    assert_eq!(after.state.chat.turn(), before.state.chat.turn());
    let shown = |it: &World| {
        let said = |entry: &Entry| match entry {
            Entry::Model { text, .. } => text.clone(),
            other => format!("{other:?}"),
        };
        it.state.chat.entries().iter().map(said).collect::<Vec<_>>()
    };
    assert_eq!(shown(&after), shown(&before));
    for (now, then) in after.state.queue.all().zip(before.state.queue.all()) {
        assert_eq!((now.id, &now.status, &now.decider, &now.call), (then.id, &then.status, &then.decider, &then.call));
        assert_eq!(now.prepared, then.prepared);
    }
    let printed: String =
        after.state.output.of(OperationId(2)).unwrap().pieces().iter().map(|piece| piece.text.to_string()).collect();
    assert_eq!(printed, "output of 2");
    assert_eq!(after.journal.len(), before.journal.len(), "nothing was left to settle");
    assert_eq!((after.executed.len(), after.requests.len()), (0, 0));
}

#[test]
fn wherever_a_session_is_cut_off_nothing_runs_by_itself_and_no_call_stays_unanswered() {
    let whole = eventful();
    for mode in [ApprovalMode::Guarded, ApprovalMode::AllowAll] {
        for end in 0..=whole.journal.len() {
            let kept = &whole.journal[..end];
            let mut it = resumed_in(kept, mode);
            assert_eq!((it.executed.len(), it.requests.len()), (0, 0), "after {end} entries");
            answered(&it);
            let said = kept.iter().filter_map(|entry| match &entry.event {
                JournalEvent::Said { text } => Some(text.clone()),
                _ => None,
            });
            for text in said {
                let there = |message: &Message| matches!(message, Message::User(user) if user.ends_with(&text));
                let held = it.state.chat.held().is_some_and(|held| held.contains(&text));
                assert!(held || history(&it).iter().any(there), "after {end}: {text}");
            }
            for item in it.state.queue.all() {
                assert!(item.status == Status::Waiting || item.status.closed(), "after {end}: {item:?}");
            }
            // What was settled is kept: leaving at once again changes nothing.
            let again = resumed_in(&it.journal, mode);
            assert_eq!(history(&again), history(&it), "after {end}");
            // It goes on under new numbers.
            let newest = it.state.queue.newest();
            it.say("! make more");
            assert!(it.state.queue.newest() > newest, "after {end}");
        }
    }
}

#[test]
fn what_ran_is_interrupted_and_what_waited_waits_again() {
    let mut before = World::new();
    before.say("build and remove");
    before.model("", &[("make all", None), ("rm a", None)]);
    rest(&mut before);
    before.press(KeyCode::Char('y'));
    assert_eq!(before.commands(), ["make all"]);

    let mut after = resumed(&before.journal);
    let Status::Ended { outcome: Outcome::Lost, .. } = after.status(1) else { panic!("{:?}", after.status(1)) };
    assert_eq!(after.status(2), &Status::Waiting);
    assert!(after.state.queue.get(OperationId(2)).unwrap().requeued.as_ref().unwrap().contains("It waited"));
    assert!(after.executed.is_empty());
    assert!(matches!(after.journal.last().unwrap().event, JournalEvent::Proposed { .. }), "it is proposed anew");

    rest(&mut after);
    assert_eq!(after.dialog(), Some(OperationId(2)));
    after.press(KeyCode::Char('y'));
    after.draw(true);
    after.feed(300, Event::Wake);
    after.press(KeyCode::Char('2'));
    assert_eq!(after.commands(), ["rm a"], "the one that was approved now, and not the one that ran");
    after.finish(2);
    let results = after.results();
    assert!(results[0].text.starts_with("interrupted, outcome unknown"), "{results:?}");
    assert_eq!(results[1].text, "output of 2");
}

#[test]
fn an_approval_that_did_not_start_anything_counts_for_nothing() {
    let mut before = World::new();
    before.say("both");
    before.model("", &[("make a", None), ("make b", None)]);
    rest(&mut before);
    before.press(KeyCode::Char('y'));
    rest(&mut before);
    before.press(KeyCode::Char('y'));
    assert_eq!(before.commands(), ["make a"], "the second waits its turn");
    let after = resumed(&before.journal);
    assert_eq!(after.status(2), &Status::Waiting);
    assert!(after.executed.is_empty());
}

#[test]
fn calls_that_nobody_read_are_answered_and_the_person_lets_the_model_go_on() {
    let mut before = World::new();
    before.say("look");
    before.model("", &[("ls", None)]);
    let cut = before.journal.iter().position(|entry| matches!(entry.event, JournalEvent::Answered { .. })).unwrap();
    let mut after = resumed(&before.journal[..=cut]);
    answered(&after);
    assert!(history(&after).len() == 3 && after.requests.is_empty());
    after.press(KeyCode::Enter);
    assert_eq!(after.requests.len(), 1);
    assert!(after.results()[0].text.contains("before this call was read"));
}

#[test]
fn a_journal_without_messages_is_left_alone() {
    let whole = eventful();
    let old = |entry: &&JournalEntry| {
        matches!(
            entry.event,
            JournalEvent::Proposed { .. }
                | JournalEvent::Decided { .. }
                | JournalEvent::Started { .. }
                | JournalEvent::Finished { .. }
        )
    };
    let mut resumed = Resumed::onto(World::new().state);
    whole.journal.iter().filter(old).for_each(|entry| resumed.entry(entry.clone()));
    assert_eq!(resumed.settle(&[]).unwrap_err(), Unreadable::NoMessages);
}

/// What a line of the composer wants done.
fn typed(it: &mut World, line: &str) -> Vec<Effect> {
    for letter in line.chars() {
        it.press(KeyCode::Char(letter));
    }
    let now = it.state.now.plus(20);
    update(&mut it.state, now, Event::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)))
}

#[test]
fn the_list_of_sessions_leads_to_another_one_and_nothing_under_way_is_cut_off() {
    let mut it = World::new();
    let effects = typed(&mut it, "/sessions");
    let [Effect::ListSessions(picker)] = effects.as_slice() else { panic!("{effects:?}") };
    let row = |title: &str, id: &str| Row::new(title, Pick::Line(format!("/sessions {id}")));
    it.feed(5, Event::Filled(*picker, Ok(vec![row("build it", "a-1"), row("delete orders", "b-2")])));
    let effects = typed(&mut it, "dlt");
    assert!(
        matches!(effects.as_slice(), [Effect::Switch(Another::Left(id))] if id == "b-2"),
        "what fits is chosen: {effects:?}"
    );
    assert!(it.state.picker().is_none());

    assert!(matches!(typed(&mut it, "/new").as_slice(), [Effect::Switch(Another::New)]));
    it.say("go");
    assert!(typed(&mut it, "/new").is_empty(), "the model speaks");
    assert!(it.state.hint.as_ref().unwrap().contains("under way"), "{:?}", it.state.hint);
}

#[test]
fn what_a_staged_run_changed_is_said_to_be_gone_once_it_cannot_be_put_in_place() {
    let mut before = World::new();
    before.say("! make all");
    rest(&mut before);
    before.press(KeyCode::Char('y'));
    before.feed(1, Event::Run(OperationId(1), RunEvent::Waits("changes 1 file".to_owned())));
    before.finish(1);
    assert_eq!(before.status(2), &Status::Waiting);
    let mut after = resumed(&before.journal);
    // The layer is gone with the program that held it.
    let now = after.state.now.plus(1);
    after.state.queue.item_mut(OperationId(2)).unwrap().status = Status::Preparing;
    let gone = Proposal::Refused("its changes are gone".to_owned());
    update(&mut after.state, now, Event::Proposed(OperationId(2), gone));
    assert!(matches!(after.status(2), Status::Refused { .. }));
    assert!(after.state.chat.asides.last().unwrap().contains("#1 changed could not be put in place"));
}

#[test]
fn a_conversation_that_was_summarised_comes_back_summarised() {
    let mut before = World::new();
    before.state.setting.context = 4_000;
    for _ in 0..4 {
        before.say(&"w".repeat(1_200));
        before.model(&"m".repeat(1_200), &[]);
    }
    before.say(&"last ".repeat(180));
    before.model("They spoke of letters.", &[]);
    before.model("Fine.", &[]);
    before.say("/compact");
    before.model("All of it was about letters.", &[]);
    let mut after = resumed(&before.journal);
    assert_eq!(history(&after), history(&before));
    after.say("and now?");
    let Some(Message::User(text)) = history(&after).pop() else { panic!("{:?}", history(&after)) };
    assert!(text.contains("All of it was about letters.") && text.ends_with("and now?"), "{text}");
}

#[test]
fn changes_of_a_staged_run_that_waited_wait_again_and_are_dropped_once_decided() {
    use crate::domain::APPLY;
    let mut before = World::in_mode(ApprovalMode::Smart);
    before.say("hello");
    before.model("I run it.", &[("make", Some("low"))]);
    before.feed(1, Event::Run(OperationId(1), RunEvent::Waits("1 changed (a)".to_owned())));
    before.finish(1);
    before.model("Done.", &[]);
    let held = [(OperationId(1), "1 changed (a)".to_owned())];
    let after = resumed_with(&before.journal, ApprovalMode::Smart, &held);
    assert_eq!(*after.status(2), Status::Waiting);
    assert!(after.dropped.is_empty() && after.state.queue.get(OperationId(3)).is_none());
    // It was killed before it could propose them.
    let asked = |entry: &JournalEntry| entry.operation == Some(OperationId(2));
    let cut = before.journal.iter().position(asked).unwrap();
    let mut after = resumed_with(&before.journal[..cut], ApprovalMode::Smart, &held);
    assert_eq!(after.state.queue.get(OperationId(2)).unwrap().call.name, APPLY);
    assert_eq!(*after.status(2), Status::Waiting);
    rest(&mut after);
    after.press(KeyCode::Char('n'));
    assert_eq!(after.dropped, [OperationId(1)]);
    let again = resumed_with(&after.journal, ApprovalMode::Smart, &held);
    assert_eq!(again.dropped, [OperationId(1)], "it was denied");
}

#[test]
fn another_mode_than_the_session_was_left_in_is_said() {
    let mut before = World::new();
    before.say("hello");
    before.model("Hello.", &[]);
    before.press(KeyCode::F(8));
    let notices = |world: &World| {
        let entries = world.state.chat.entries().iter();
        let said = |entry: &Entry| if let Entry::Notice { text, .. } = entry { Some(text.clone()) } else { None };
        entries.filter_map(said).collect::<Vec<_>>().join(" ")
    };
    let said = notices(&resumed(&before.journal));
    assert!(said.contains("Mode guarded holds now; the session was left in mode strict."), "{said}");
    assert!(!notices(&resumed_in(&before.journal, ApprovalMode::Strict)).contains("holds now"));
}

#[test]
fn who_leaves_is_told_what_is_kept() {
    let mut world = World::new();
    assert_eq!(world.state.farewell("countersign --continue"), None, "nothing was said");
    world.say("go");
    world.model("", &[("make a", None), ("rm b", None)]);
    let told = world.state.farewell("countersign --continue").unwrap();
    assert_eq!(
        told,
        "The session is kept, and 2 operations wait in it.\nTo go on with it here: countersign --continue"
    );
    world.state.setting.practice = true;
    assert_eq!(world.state.farewell("countersign --continue"), None, "practice begins anew");
}
