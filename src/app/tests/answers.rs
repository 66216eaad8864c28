//! What a server asks while a call runs: an operation of its own, that somebody answers or that ends with the call.

use serde_json::json;

use super::*;
use crate::domain::{ANSWER, AnswerOperation, Asks};

/// A form with one field, judged as ever.
pub(super) fn proposal(id: OperationId, origin: Origin, call: &ToolCall) -> Proposal {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
    let form = arguments["answers"].as_str().unwrap().to_owned();
    let typed = form.trim_start_matches("name:").trim();
    let open = if typed.is_empty() { vec!["name".to_owned()] } else { Vec::new() };
    let answers = (!typed.is_empty()).then(|| ("name".to_owned(), json!(typed))).into_iter().collect();
    let asks = Asks::Form { message: "Who are you?".to_owned(), form, answers, open };
    let kind = OperationKind::Answer(AnswerOperation { request: 1, server: "s".to_owned(), asks });
    let (tool, claim, cwd) = (call.name.clone(), crate::domain::Claim::Absent, "/w".into());
    Proposal::Ready(Box::new(applying(Operation { id, origin, tool, claim, kind, cwd })))
}

/// A call runs, and its server asks.
fn asked(mode: ApprovalMode) -> World {
    let mut world = World::in_mode(mode);
    world.say("hello");
    world.model("I call it.", &[("ls", None)]);
    assert_eq!(world.commands(), ["ls"]);
    let arguments = json!({ "request": 1, "answers": "name: " }).to_string();
    let call = ToolCall { id: String::new(), name: ANSWER.to_owned(), arguments };
    world.feed(1, Event::Run(OperationId(1), RunEvent::Asks(call)));
    world
}

#[test]
fn a_form_waits_in_every_mode_and_yes_opens_it_until_it_is_filled_in() {
    for mode in [ApprovalMode::Smart, ApprovalMode::AllowAll, ApprovalMode::Guarded] {
        let mut world = asked(mode);
        assert_eq!(*world.status(2), Status::Waiting, "{mode:?}");
        let why = world.state.queue.get(OperationId(2)).unwrap().judgement.clone().unwrap().reason;
        assert!(why.contains("Still open: name"), "{why}");
        world.look();
        world.press(KeyCode::Char('y'));
        assert!(matches!(world.state.modal, Some(Modal::Edit(_))), "there is nothing to approve yet");
        for letter in "Ann".chars() {
            world.press(KeyCode::Char(letter));
        }
        world.control('s');
        assert_eq!(*world.status(2), Status::Waiting);
        let item = world.state.queue.get(OperationId(2)).unwrap();
        assert_eq!(item.word(), "question");
        let judged = &item.judgement.as_ref().unwrap().reason;
        assert!(judged.starts_with("You filled it in: it needs your approval."), "{judged}");
        world.look();
        world.press(KeyCode::Char('y'));
        assert_eq!(world.executed.last().unwrap().0, OperationId(2), "{mode:?}");
        world.finish(2);
        assert!(world.declined.is_empty());
        let asides = &world.state.chat.asides;
        assert!(asides.is_empty(), "the server's form never becomes the person's own words: {asides:?}");
    }
}

#[test]
fn a_denied_one_is_declined_and_the_model_hears_of_it_from_the_call_alone() {
    let mut world = asked(ApprovalMode::Guarded);
    world.look();
    world.press(KeyCode::Char('n'));
    assert_eq!(world.declined.len(), 1);
    assert!(matches!(world.status(2), Status::Denied { .. }));
    world.finish(1);
    assert_eq!(world.results().len(), 1);
}

#[test]
fn one_that_still_waits_is_gone_with_the_call() {
    let mut world = asked(ApprovalMode::Guarded);
    world.finish(1);
    assert!(
        matches!(world.status(2), Status::Refused { reason } if reason.contains("#1 ended")),
        "{:?}",
        world.status(2)
    );
    assert_eq!(world.state.queue.waiting().count(), 0);
}

#[test]
fn by_lines_a_form_is_filled_in_field_by_field() {
    let mut world = asked(ApprovalMode::Guarded);
    world.state.go_linear();
    let seal = |world: &World| world.state.queue.gate().seal(OperationId(2)).unwrap();
    let tell = |world: &mut World, whole: bool| {
        let seal = seal(world);
        world.feed(1, Event::Told(OperationId(2), seal, whole));
    };
    let said = |world: &mut World, line: &str| {
        let typed = world.state.now.plus(10_000);
        world.feed(10_000, Event::Said(crate::app::Said::read(line), typed));
    };
    tell(&mut world, true);
    said(&mut world, "approve 2");
    assert_eq!(world.executed.len(), 1, "it is still open");
    said(&mut world, "fill 2 other: x");
    assert_eq!(*world.status(2), Status::Waiting);
    said(&mut world, "fill 2 name: Ann");
    tell(&mut world, false);
    said(&mut world, "approve 2");
    assert_eq!(world.executed.len(), 1, "the form itself wasn't told");
    assert_eq!(world.state.hint.as_deref(), Some("Not approved: #2 answers a server: type show 2 first."));
    tell(&mut world, true);
    said(&mut world, "approve 2");
    assert_eq!(world.executed.last().unwrap().0, OperationId(2));
}

#[test]
fn all_is_never_a_yes_to_a_form_that_nobody_filled_in() {
    let mut world = asked(ApprovalMode::Guarded);
    let arguments = json!({ "request": 2, "answers": "name: " }).to_string();
    let call = ToolCall { id: String::new(), name: ANSWER.to_owned(), arguments };
    world.feed(1, Event::Run(OperationId(1), RunEvent::Asks(call)));
    world.look();
    world.press(KeyCode::Char('A'));
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.executed.len(), 1, "only the call itself ran");
}
