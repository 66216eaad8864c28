//! The conversation's loop: order, stopping, answers, questions, bad calls.

use super::*;
use crate::domain::{FailureKind, MOST_CALLS, ModelFailure};

#[test]
fn calls_start_in_order_and_only_reads_overlap() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls a", None), ("ls b", None), ("make", None), ("ls c", None)]);
    assert_eq!(world.commands(), ["ls a", "ls b"]);
    assert_eq!(world.state.queue.waits_for(OperationId(4)), Some(OperationId(1)));
    world.finish(1);
    world.finish(2);
    assert_eq!(world.commands(), ["ls a", "ls b"], "one behind a waiting one waits");
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["ls a", "ls b", "make"], "nothing overlaps what isn't read-only");
    world.finish(3);
    assert_eq!(world.commands(), ["ls a", "ls b", "make", "ls c"]);
}

#[test]
fn the_persons_own_operation_does_not_wait_its_turn() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make", None)]);
    world.look();
    world.press(KeyCode::Esc);
    world.say("! ls");
    assert_eq!(world.commands(), ["ls"]);
    world.finish(2);
    world.state.queue.waiting().next().unwrap();
}

#[test]
fn a_direct_result_joins_the_next_message() {
    let mut world = World::new();
    world.say("! ls");
    world.finish(1);
    world.say("what was that");
    let Message::User(text) = world.requests[0][0].as_ref() else { panic!() };
    assert_eq!(text, "I ran this myself: ls\nResult:\noutput of 1\n\nwhat was that");
}

#[test]
fn escape_stops_and_a_second_one_answers_what_waits() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls", None), ("make", None), ("rm x", None)]);
    world.press(KeyCode::Esc);
    assert!(world.dialog().is_none(), "the first closes the dialog");
    world.press(KeyCode::Esc);
    assert_eq!(world.cancelled, [OperationId(1)]);
    world.finish(1);
    assert_eq!(*world.status(2), Status::Waiting);
    world.press(KeyCode::Esc);
    assert!(matches!(world.status(2), Status::Denied { .. }));
    assert!(matches!(world.status(3), Status::Denied { .. }));
    assert_eq!(*world.state.chat.phase(), Phase::Idle);
    assert_eq!(world.requests.len(), 1, "a stopped turn asks the model nothing");
    world.say("go on");
    assert_eq!(world.results().len(), 3, "every call was answered");
}

#[test]
fn a_message_while_calls_are_open_goes_with_their_results() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls", None)]);
    world.say("and hurry");
    assert_eq!(world.requests.len(), 1);
    assert_eq!(world.state.chat.upcoming(), Some("and hurry"));
    assert_eq!(world.state.hint.as_deref(), Some("It goes to the model once what runs has ended."));
    world.finish(1);
    let last = world.requests[1].last().unwrap();
    assert_eq!(**last, Message::User("and hurry".to_owned()));
    let said = |entry: &&Entry| matches!(entry, Entry::Person(text) if text == "and hurry");
    assert_eq!(world.state.chat.entries().iter().filter(said).count(), 1);
}

#[test]
fn a_message_that_waits_is_taken_back_and_never_sent_by_what_stops() {
    let waits = || {
        let mut world = World::new();
        world.say("go");
        world.model("", &[("make a", None)]);
        world.look();
        world.press(KeyCode::Esc);
        world.say("then b");
        assert_eq!((world.state.chat.upcoming(), world.dialog()), (Some("then b"), None));
        world
    };
    let mut world = waits();
    world.press(KeyCode::Up);
    assert_eq!((world.state.chat.upcoming(), world.state.composer.text().as_str()), (None, "then b "));
    assert_eq!(*world.status(1), Status::Waiting, "nothing else changes");

    for stop in [KeyCode::Esc, KeyCode::F(8)] {
        let mut world = waits();
        world.press(stop);
        world.press(stop);
        assert!(matches!(world.status(1), Status::Denied { .. }));
        assert_eq!((world.requests.len(), world.state.chat.upcoming()), (1, None), "it isn't sent");
        assert_eq!(world.state.composer.text(), "then b ");
    }
}

/// What was approved for the whole turn ends with the message, though it waits.
#[test]
fn a_message_that_waits_ends_what_was_approved_for_the_turn() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("mkdir a", None), ("mkdir b", None)]);
    world.look();
    world.press(KeyCode::Char('A'));
    world.look();
    world.press(KeyCode::Char('y'));
    world.say("and hurry");
    world.finish(1);
    world.finish(2);
    world.model("", &[("mkdir c", None)]);
    assert_eq!(*world.status(3), Status::Waiting);
}

#[test]
fn of_too_many_calls_the_first_are_taken_and_the_model_is_told_which_were_not() {
    // What follows of an event is performed within it here, call by call.
    let roomy = std::thread::Builder::new().stack_size(256 << 20).spawn(too_many_calls).unwrap();
    roomy.join().unwrap();
}

fn too_many_calls() {
    let mut world = World::new();
    world.state.budget.calls = 1_000;
    world.say("go");
    let left = ToolCall {
        id: "x".to_owned(),
        name: "execute_command".to_owned(),
        arguments: "{\"command\":\"ls 257\"}".to_owned(),
    };
    let commands: Vec<String> = (1..=MOST_CALLS).map(|number| format!("ls {number}")).collect();
    let calls: Vec<(&str, Option<&str>)> = commands.iter().map(|command| (command.as_str(), None)).collect();
    world.feed(1, Event::Model(world.step, ModelEvent::Untaken(vec![left; 44])));
    world.model("", &calls);
    assert_eq!(world.state.queue.all().count(), MOST_CALLS);
    let said = "The model asked for 300 calls at once: the first 256 are taken, and it is told that 44 were not.";
    assert!(world.state.chat.entries().iter().any(|entry| matches!(entry, Entry::Notice { text, .. } if text == said)));
    for id in 1..=256 {
        world.finish(id);
    }
    let told = world.requests.last().unwrap();
    let Message::Results(results) = told.last().unwrap().as_ref() else { panic!("no results") };
    let Message::Assistant { calls, .. } = told[told.len() - 2].as_ref() else { panic!("no calls") };
    assert_eq!((results.len(), calls.len()), (MOST_CALLS, MOST_CALLS));
    let last = &results.last().unwrap().text;
    assert!(
        last.starts_with("output of 256\n[") && last.contains("44 calls of yours") && last.contains("ls 257"),
        "{last}"
    );
    world.model("", &[("ls", None)]);
    world.finish(257);
    let Message::Results(results) = world.requests.last().unwrap().last().unwrap().as_ref() else {
        panic!("no results")
    };
    assert_eq!(results[0].text, "output of 257", "it is told once");
}

#[test]
fn a_message_while_the_model_answers_goes_when_it_is_done() {
    let mut world = World::new();
    world.say("go");
    world.feed(1, Event::Model(world.step, ModelEvent::Text("Half".to_owned())));
    world.say("one more");
    world.say("and this");
    assert_eq!((world.requests.len(), world.state.chat.upcoming()), (1, Some("one more\n\nand this")));
    world.feed(1, Event::Model(world.step, ModelEvent::Text(" and whole.".to_owned())));
    world.feed(1, Event::Model(world.step, ModelEvent::Ended(StopReason::Done, Usage::default())));
    let told = &world.requests[1];
    let answer = Message::Assistant { text: "Half and whole.".to_owned(), calls: Vec::new() };
    assert_eq!(*told[told.len() - 2], answer);
    assert_eq!(**told.last().unwrap(), Message::User("one more\n\nand this".to_owned()));
    assert_eq!(world.state.chat.upcoming(), None);
}

#[test]
fn such_a_message_goes_at_once_with_enter_and_comes_back_with_escape() {
    let mut world = World::new();
    world.say("go");
    world.say("rather this");
    world.press(KeyCode::Enter);
    assert_eq!(**world.requests[1].last().unwrap(), Message::User("rather this".to_owned()));
    world.say("or that");
    world.type_in("draft");
    world.press(KeyCode::Esc);
    assert_eq!((world.state.chat.upcoming(), world.requests.len()), (None, 2));
    assert_eq!(world.state.composer.text(), "or that\n\ndraft");
}

#[test]
fn such_a_message_goes_with_the_results_where_calls_come() {
    let mut world = World::new();
    world.say("go");
    world.say("and hurry");
    world.model("", &[("ls", None)]);
    assert_eq!((world.state.chat.upcoming(), world.state.chat.held()), (Some("and hurry"), None));
    world.finish(1);
    assert_eq!(**world.requests[1].last().unwrap(), Message::User("and hurry".to_owned()));
}

#[test]
fn unknown_tools_and_bad_arguments_are_answered_at_once() {
    let mut world = World::new();
    world.say("go");
    let step = world.step;
    for (name, arguments) in [("teleport", "{}"), ("execute_command", "{\"command\": \"rm")] {
        let call = ToolCall { id: name.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
        world.feed(1, Event::Model(step, ModelEvent::Call(call)));
    }
    world.feed(1, Event::Model(step, ModelEvent::Ended(StopReason::ToolCalls, Usage::default())));
    let results = world.results();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| result.text.starts_with("error: ")));
    assert!(world.executed.is_empty());
}

#[test]
fn a_cut_stream_keeps_what_was_said_and_believes_no_call() {
    let mut world = World::new();
    world.say("go");
    let step = world.step;
    world.feed(1, Event::Model(step, ModelEvent::Text("I will".to_owned())));
    let call = ToolCall {
        id: "1".to_owned(),
        name: "execute_command".to_owned(),
        arguments: r#"{"command":"ls"}"#.to_owned(),
    };
    world.feed(1, Event::Model(step, ModelEvent::Call(call)));
    let failure = crate::domain::ModelFailure {
        kind: crate::domain::FailureKind::CutOff,
        message: "The stream was cut. Send the message again.".to_owned(),
    };
    world.feed(1, Event::Model(step, ModelEvent::Failed(failure)));
    assert!(world.executed.is_empty());
    assert_eq!(*world.state.chat.phase(), Phase::Idle);
    world.say("again");
    assert_eq!(world.requests[1].len(), 3, "go, what was said, again");
}

#[test]
fn late_words_of_a_stopped_step_change_nothing() {
    let mut world = World::new();
    world.say("go");
    let step = world.step;
    world.press(KeyCode::Esc);
    let before = world.state.chat.entries().len();
    world.feed(1, Event::Model(step, ModelEvent::Text("late".to_owned())));
    assert_eq!(world.state.chat.entries().len(), before);
}

#[test]
fn a_question_is_answered_by_one_key_that_approves_nothing() {
    let mut world = World::new();
    world.say("restart it");
    world.model("Shall I restart the server?", &[]);
    assert!(world.state.chat.question().is_some());
    world.look();
    world.feed(20, Event::Key(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::ALT)));
    assert_eq!(world.requests.len(), 2);
    world.model("", &[("make restart", None)]);
    assert_eq!(*world.status(1), Status::Waiting, "the next call is assessed as ever");
}

#[test]
fn a_failed_journal_answers_what_is_open() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make", None), ("ls", None)]);
    world.feed(1, Event::JournalFailed("disk full".to_owned()));
    assert!(world.executed.is_empty() && world.dialog().is_none());
    assert_eq!(world.results().len(), 2);
}

#[test]
fn what_was_said_before_a_new_message_or_an_own_operation_is_remembered() {
    let mut world = World::new();
    world.say("go");
    let step = world.step;
    world.feed(1, Event::Model(step, ModelEvent::Text("first ".to_owned())));
    world.say("! ls");
    world.feed(1, Event::Model(step, ModelEvent::Text("second".to_owned())));
    world.say("stop it");
    world.press(KeyCode::Enter);
    let said = world.requests[1].iter().find_map(|message| match message.as_ref() {
        Message::Assistant { text, .. } => Some(text.clone()),
        Message::User(_) | Message::Results(_) => None,
    });
    assert_eq!(said.as_deref(), Some("first second"));
}

#[test]
fn a_failed_journal_starts_nothing_more() {
    let mut world = World::new();
    world.say("go");
    world.feed(1, Event::JournalFailed("disk full".to_owned()));
    world.model("", &[("ls", None)]);
    assert!(world.executed.is_empty());
}

#[test]
fn what_leaves_the_machine_is_said_once_before_the_first_message_to_a_remote_model() {
    let mut world = World::new();
    world.state.setting.remote = true;
    world.say("go");
    world.model("done", &[]);
    world.say("again");
    let notices = world.state.chat.entries().iter().filter(|entry| matches!(entry, Entry::Notice { .. })).count();
    assert_eq!(notices, 1);
    assert!(matches!(world.state.chat.entries()[0], Entry::Notice { trouble: false, .. }));
}

#[test]
fn what_the_person_does_meanwhile_leaves_the_message_in_one_piece() {
    let mut world = World::new();
    world.say("go");
    let step = world.step;
    world.feed(1, Event::Model(step, ModelEvent::Text("| a | b |\n".to_owned())));
    world.say("! ls");
    world.feed(1, Event::Saved(Ok("Saved 3 B in a.txt.".to_owned())));
    world.feed(1, Event::Model(step, ModelEvent::Text("|---|---|\nDone?".to_owned())));
    world.feed(1, Event::Model(step, ModelEvent::Ended(StopReason::Done, Usage::default())));
    let entries = world.state.chat.entries();
    let said = entries.iter().filter(|entry| matches!(entry, Entry::Model { .. })).count();
    let whole = |entry: &Entry| matches!(entry, Entry::Model { text, .. } if text == "| a | b |\n|---|---|\nDone?");
    assert!(said == 1 && entries.iter().any(whole), "{entries:?}");
    assert!(matches!(entries[1], Entry::Operation(_)), "{entries:?}");
    assert!(world.state.chat.question().is_some());
}

#[test]
fn a_message_that_waits_for_an_answer_that_fails_is_back_and_nothing_claims_that_it_goes() {
    let failure = || ModelEvent::Failed(ModelFailure { kind: FailureKind::Unavailable, message: "Down.".to_owned() });
    let mut world = World::new();
    world.say("go");
    world.say("and this");
    assert!(world.state.hint.as_ref().unwrap().contains("once this answer ends"));
    world.feed(1, Event::Model(world.step, failure()));
    assert_eq!(world.state.hint.as_deref(), Some("The answer failed: your message is here again."));
    world.type_in("please");
    assert_eq!(world.state.composer.text(), "and this please");
    world.press(KeyCode::Enter);
    world.say("one more");
    world.model("Done.", &[]);
    assert_eq!((world.state.hint.as_deref(), world.state.chat.upcoming()), (None, None), "it went");
}

#[test]
fn that_it_is_tried_again_is_known_until_something_comes() {
    let mut world = World::new();
    world.say("go");
    let again = |world: &World| match world.state.chat.phase() {
        Phase::Streaming { again, .. } => again.clone(),
        _ => None,
    };
    world.feed(1, Event::Model(world.step, ModelEvent::Again("trying again in 2 s: rate limit".to_owned())));
    assert_eq!(again(&world).as_deref(), Some("trying again in 2 s: rate limit"));
    world.feed(1, Event::Model(world.step, ModelEvent::Text("Hi".to_owned())));
    assert_eq!(again(&world), None);
}

#[test]
fn a_search_of_the_chat_ends_with_the_next_message() {
    let mut world = World::new();
    world.say("go");
    world.model("Done.", &[]);
    world.press(KeyCode::F(4));
    world.type_in("/done");
    world.press(KeyCode::Enter);
    assert_eq!(world.state.finds.chat.text, "done");
    world.press(KeyCode::Char('i'));
    world.say("next");
    assert_eq!(world.state.finds.chat.text, "");
}

#[test]
fn ctrl_c_keeps_what_waits_and_says_which_key_lets_go_of_it() {
    let control_c = || Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls", None), ("make", None), ("rm x", None)]);
    world.press(KeyCode::Esc);
    world.press(KeyCode::Esc);
    assert_eq!(world.state.hint.as_deref(), Some("Press esc again: it drops the 2 that wait."));
    // Whatever else is pressed meanwhile, a warning that was given before no longer counts.
    world.press(KeyCode::Char('a'));
    world.press(KeyCode::Backspace);
    for _ in 0..2 {
        world.feed(2_000, control_c());
        let said = "Stopped. ctrl+c again leaves; esc drops the 2 that wait.";
        assert_eq!(world.state.hint.as_deref(), Some(said));
        assert_eq!([world.status(2), world.status(3)], [&Status::Waiting, &Status::Waiting]);
    }
    world.press(KeyCode::Esc);
    assert!(matches!(world.status(3), Status::Denied { .. }));
}

#[test]
fn a_second_escape_that_comes_late_warns_again_of_what_came_meanwhile() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("ls", None), ("make", None), ("rm x", None)]);
    world.press(KeyCode::Esc);
    let escape = || Event::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
    world.feed(2_000, escape());
    for _ in 0..2 {
        world.feed(3_600_000, escape());
        assert_eq!(world.state.hint.as_deref(), Some("Press esc again: it drops the 2 that wait."));
        assert_eq!([world.status(2), world.status(3)], [&Status::Waiting, &Status::Waiting]);
    }
    world.feed(2_000, escape());
    assert!(matches!(world.status(3), Status::Denied { .. }));
}

#[test]
fn an_answer_by_a_key_says_why_it_waits_for_a_draft() {
    let mut world = World::new();
    world.say("restart it");
    world.model("Shall I restart the server?", &[]);
    world.look();
    world.press(KeyCode::Char('x'));
    world.feed(2_000, Event::Key(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::ALT)));
    assert_eq!(world.requests.len(), 1);
    assert!(world.state.hint.as_deref().is_some_and(|hint| hint.starts_with("A message is being typed")));
}
