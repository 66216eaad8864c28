//! Long conversations: what is summarised, what stays, and what happens when no summary comes.

use super::*;

/// The transcript of what is sent, one line a message.
fn sent(world: &World) -> Vec<String> {
    let gist = |message: &std::sync::Arc<Message>| match message.as_ref() {
        Message::User(text) => format!("user {}", text.len()),
        Message::Assistant { calls, .. } => format!("assistant {}", calls.len()),
        Message::Results(results) => format!("results {}", results.len()),
    };
    world.requests.last().unwrap().iter().map(gist).collect()
}

fn user(world: &World, at: usize) -> String {
    match world.requests.last().unwrap()[at].as_ref() {
        Message::User(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// The text of the program's last notice.
fn notice(world: &World) -> String {
    let found = world.state.chat.entries().iter().rev().find_map(|entry| match entry {
        Entry::Notice { text, .. } => Some(text.clone()),
        _ => None,
    });
    found.unwrap_or_default()
}

/// A turn of two messages of about `bytes` each.
fn talk(world: &mut World, bytes: usize) {
    world.say(&"w".repeat(bytes));
    world.model(&"m".repeat(bytes), &[]);
}

/// Every call has its result right after it, and no result is without its call.
fn paired(messages: &[std::sync::Arc<Message>]) {
    for (at, message) in messages.iter().enumerate() {
        match message.as_ref() {
            Message::Assistant { calls, .. } if !calls.is_empty() => {
                let Some(Message::Results(results)) = messages.get(at + 1).map(AsRef::as_ref) else { panic!("{at}") };
                assert_eq!(
                    results.iter().map(|result| &result.call_id).collect::<Vec<_>>(),
                    calls.iter().map(|call| &call.id).collect::<Vec<_>>()
                );
            }
            Message::Results(_) => {
                assert!(at > 0 && matches!(messages[at - 1].as_ref(), Message::Assistant { .. }), "{at}");
            }
            Message::Assistant { .. } | Message::User(_) => {}
        }
    }
}

#[test]
fn what_would_pass_the_limit_is_summarised_by_the_same_model_and_said() {
    let mut world = World::new();
    world.state.setting.context = 4_000;
    for _ in 0..4 {
        talk(&mut world, 1_200);
    }
    let entries = world.state.chat.entries().len();
    world.say(&"last ".repeat(180));
    assert!(world.state.compacting());
    assert_eq!(sent(&world).len(), 1, "one message, and no tools");
    assert!(user(&world, 0).contains("PERSON: www") && user(&world, 0).contains("ASSISTANT: mmm"));
    world.model("They spoke of letters.", &[]);
    assert!(!world.state.compacting());
    let said = notice(&world);
    assert!(
        said.starts_with("Earlier messages were summarised: ") && said.ends_with("; the journal keeps the whole."),
        "{said}"
    );
    assert!(user(&world, 0).contains("They spoke of letters."), "{:?}", sent(&world));
    let last = world.requests.last().unwrap().last().unwrap().clone();
    assert!(matches!(last.as_ref(), Message::User(text) if text.contains("last last")));
    assert!(world.state.chat.tokens() < 3_000, "{}", world.state.chat.tokens());
    let shown = world.state.chat.entries();
    assert_eq!(shown.len(), entries + 2, "the screen keeps everything: {shown:?}");
    world.model("Fine.", &[]);
    assert_eq!(*world.state.chat.phase(), Phase::Idle);
}

#[test]
fn calls_and_results_stay_together_and_the_turn_goes_on_with_its_own_words() {
    let mut world = World::new();
    world.state.setting.context = 4_000;
    world.say("look at everything and count");
    let mut summaries = 0;
    for round in 1..=12 {
        let command = format!("ls {}", "d".repeat(2_000));
        world.model("", &[(command.as_str(), None)]);
        world.finish(round);
        if world.state.compacting() {
            summaries += 1;
            world.model("Counted so far: a few.", &[]);
            assert!(user(&world, 0).contains("word for word:\nlook at everything and count"), "{}", user(&world, 0));
        }
        paired(world.requests.last().unwrap());
        assert!(world.state.chat.tokens() < 4_000);
    }
    assert!(summaries >= 2, "{summaries}");
    assert_eq!(world.executed.len(), 12);
}

#[test]
fn without_a_summary_the_messages_are_shortened() {
    let mut world = World::new();
    world.state.setting.context = 4_000;
    for _ in 0..4 {
        talk(&mut world, 1_200);
    }
    world.say(&"last ".repeat(180));
    let failure = crate::domain::ModelFailure {
        kind: crate::domain::FailureKind::Unavailable,
        message: "x.test has trouble (500).".to_owned(),
    };
    let step = world.step;
    world.feed(1, Event::Model(step, ModelEvent::Failed(failure)));
    assert!(
        notice(&world).contains("no summary (x.test has trouble (500)): they were shortened"),
        "{}",
        notice(&world)
    );
    assert!(user(&world, 0).contains("PERSON: www"));
    assert!(world.state.chat.tokens() < 4_000);
}

#[test]
fn esc_stops_a_summary_and_loses_nothing() {
    let mut world = World::new();
    talk(&mut world, 1_200);
    talk(&mut world, 1_200);
    let before = world.state.chat.history().len();
    world.say("/compact");
    assert!(world.state.compacting());
    world.press(KeyCode::Esc);
    assert!(!world.state.compacting());
    assert_eq!((world.state.chat.history().len(), world.state.chat.phase()), (before, &Phase::Idle));
}

#[test]
fn a_line_summarises_at_once_and_the_next_message_carries_it() {
    let mut world = World::new();
    world.say("/compact");
    assert!(!world.state.compacting() && world.state.hint.is_some());
    talk(&mut world, 1_200);
    let asked = world.requests.len();
    world.say("/compact");
    world.model("Letters.", &[]);
    assert_eq!(world.requests.len(), asked + 1, "the model isn't asked to go on");
    assert!(world.state.chat.history().is_empty());
    world.say("and now?");
    assert_eq!(sent(&world).len(), 1);
    assert!(user(&world, 0).contains("Letters.") && user(&world, 0).ends_with("and now?"));
}

#[test]
fn a_server_that_takes_less_than_was_thought_teaches_it() {
    let mut world = World::new();
    for _ in 0..4 {
        talk(&mut world, 1_200);
    }
    world.say("more");
    let failure =
        crate::domain::ModelFailure { kind: crate::domain::FailureKind::TooLong, message: "too long".to_owned() };
    let step = world.step;
    world.feed(1, Event::Model(step, ModelEvent::Failed(failure)));
    assert!(world.state.compacting() && world.state.setting.context > 0);
    world.model("Letters.", &[]);
    assert!(matches!(world.state.chat.phase(), Phase::Streaming { .. }), "the message goes out again");
}

#[test]
fn tokens_and_their_cost_are_summed_and_limited() {
    use crate::domain::{Amount, Prices};
    let mut world = World::new();
    world.state.setting.prices = Some(Prices { input: Amount(1_000_000), output: Amount(2_000_000) });
    world.state.budget.cost = Some(Amount(2_000));
    world.say("go");
    let end = |world: &mut World, input, output, calls: &[&str]| {
        let step = world.step;
        for call in calls {
            let arguments = serde_json::json!({ "command": call }).to_string();
            let call = ToolCall { id: (*call).to_owned(), name: "execute_command".to_owned(), arguments };
            world.feed(1, Event::Model(step, ModelEvent::Call(call)));
        }
        let reason = if calls.is_empty() { StopReason::Done } else { StopReason::ToolCalls };
        world.feed(1, Event::Model(step, ModelEvent::Ended(reason, Usage { input, output })));
    };
    end(&mut world, 1_000, 350, &["ls"]);
    assert_eq!(world.state.used().as_deref(), Some("1,350 tokens, 0.0017"));
    assert_eq!(world.state.near().as_deref(), Some("cost 0.0017 of 0.002"));
    world.finish(1);
    end(&mut world, 1_000, 0, &["ls b"]);
    assert_eq!(world.state.paused().map(|paused| paused.limit), Some(Limit::Cost));
    assert!(notice(&world).contains("Limit of a turn's cost, 0.002, reached"), "{}", notice(&world));
    world.press(KeyCode::Esc);
    world.say("/usage");
    assert!(notice(&world).contains("The next request has about "), "{}", notice(&world));
    assert!(
        notice(&world).contains("This session: 2,000 tokens read, 350 written, cost 0.0027."),
        "{}",
        notice(&world)
    );
    world.say("/limit cost 2.5");
    assert_eq!(world.state.budget.cost, Some(Amount(2_500_000)));
}

#[test]
fn before_the_first_message_no_token_counts_as_sent() {
    let mut world = World::new();
    world.say("/usage");
    let said = notice(&world);
    assert!(said.starts_with("Nothing was sent yet. Instructions and tools, which go with every request,"), "{said}");
    world.state.setting.practice = true;
    world.say("/usage");
    let said = notice(&world);
    assert_eq!(said, "The practice model is a part of this program: it takes no tokens and costs nothing.");
}
