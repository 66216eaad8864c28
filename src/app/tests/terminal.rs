//! Commands in a terminal: they always ask, only the person's keys go in, and only after a key that says so.

use super::*;
use crate::domain::{Glass, Typed};

/// The model asks for a command in a terminal.
fn asked(mode: ApprovalMode, command: &str, claim: &str) -> World {
    let mut world = World::in_mode(mode);
    world.say("go");
    let arguments = serde_json::json!({ "command": command, "terminal": true, "risk_level": claim }).to_string();
    let call = ToolCall { id: "1".to_owned(), name: "execute_command".to_owned(), arguments };
    let step = world.step;
    world.feed(1, Event::Model(step, ModelEvent::Call(call)));
    world.feed(1, Event::Model(step, ModelEvent::Ended(StopReason::ToolCalls, Usage::default())));
    world
}

fn glass() -> Event {
    let glass = Glass { text: "name? \n".into(), size: (24, 80), cursor: Some((0, 6)), ..Glass::default() };
    Event::Run(OperationId(1), RunEvent::Glass(glass))
}

/// It runs, its terminal is shown, and the output pane has the focus.
fn shown() -> World {
    let mut world = asked(ApprovalMode::Guarded, "make", "low");
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make"]);
    world.feed(1, glass());
    world.press(KeyCode::F(3));
    world
}

fn keys(world: &World) -> String {
    let keys = world.typed.iter().filter_map(|(_, typed)| match typed {
        Typed::Keys(bytes) => Some(String::from_utf8(bytes.clone()).unwrap()),
        Typed::Size(..) | Typed::Scroll(_) => None,
    });
    keys.collect()
}

#[test]
fn what_runs_in_a_terminal_asks_whatever_is_claimed_and_whatever_it_is() {
    for mode in [ApprovalMode::Strict, ApprovalMode::Guarded, ApprovalMode::Smart] {
        for command in ["ls", "make", "cat .env", "rm a"] {
            let world = asked(mode, command, "low");
            assert_eq!(*world.status(1), Status::Waiting, "{mode:?} {command}");
            assert!(world.executed.is_empty());
        }
    }
    let world = asked(ApprovalMode::AllowAll, "make", "low");
    assert_eq!(world.commands(), ["make"]);
    let judged = asked(ApprovalMode::Guarded, "ls", "low").state.queue.get(OperationId(1)).unwrap().judgement.clone();
    let judged = judged.unwrap();
    assert!(judged.reason.contains("in a terminal always asks") && judged.risk == RiskLevel::Medium, "{judged:?}");
}

#[test]
fn an_earlier_yes_of_the_turn_does_not_cover_a_terminal() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make a", None), ("make b", None)]);
    world.look();
    world.press(KeyCode::Char('A'));
    world.look();
    world.press(KeyCode::Char('y'));
    world.finish(1);
    world.finish(2);
    let arguments = serde_json::json!({ "command": "make c", "terminal": true }).to_string();
    let call = ToolCall { id: "3".to_owned(), name: "execute_command".to_owned(), arguments };
    let step = world.step;
    world.feed(1, Event::Model(step, ModelEvent::Call(call)));
    world.feed(1, Event::Model(step, ModelEvent::Ended(StopReason::ToolCalls, Usage::default())));
    assert_eq!(*world.status(3), Status::Waiting);
}

#[test]
fn keys_go_in_only_between_the_key_that_enters_and_the_one_that_leaves() {
    let mut world = shown();
    world.press(KeyCode::Char('x'));
    assert_eq!(keys(&world), "");
    world.press(KeyCode::Enter);
    assert_eq!(world.state.typing_into(), Some(OperationId(1)));
    for letter in "Ann y".chars() {
        world.press(KeyCode::Char(letter));
    }
    world.press(KeyCode::Enter);
    world.press(KeyCode::F(8));
    world.feed(1, Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    assert_eq!(keys(&world), "Ann y\r\x1b[19~\x03", "every key, also those that stop");
    assert!(world.cancelled.is_empty());
    // As most terminals send ctrl+].
    world.feed(1, Event::Key(KeyEvent::new(KeyCode::Char('5'), KeyModifiers::CONTROL)));
    assert_eq!(world.state.typing_into(), None);
    world.press(KeyCode::Char('z'));
    assert_eq!(keys(&world), "Ann y\r\x1b[19~\x03");
}

#[test]
fn what_is_typed_into_stays_on_the_screen_whatever_starts() {
    let mut world = shown();
    world.press(KeyCode::Enter);
    let call =
        ToolCall { id: String::new(), name: "execute_command".to_owned(), arguments: r#"{"command":"ls"}"#.to_owned() };
    world.state.direct("execute_command", &serde_json::json!({ "command": "ls" }), &mut Vec::new());
    world.feed(1, Event::Proposed(OperationId(2), propose(OperationId(2), Origin::Person, &call)));
    assert_eq!(world.commands(), ["make", "ls"]);
    assert_eq!(world.state.output.shown(), Some(OperationId(1)));
    world.finish(1);
    world.press(KeyCode::Char(']'));
    assert_eq!(world.state.output.shown(), Some(OperationId(2)), "it can be gone to as ever");
}

#[test]
fn pasted_text_goes_into_no_terminal() {
    let mut world = shown();
    world.press(KeyCode::Enter);
    world.feed(1, Event::Paste("rm -rf x\n".to_owned()));
    assert_eq!((keys(&world).as_str(), world.state.composer.text().as_str()), ("", ""));
    assert!(world.state.hint.as_deref().unwrap().contains("Pasted text"));
}

#[test]
fn no_dialog_opens_under_somebody_who_types_and_the_end_gives_the_keys_back() {
    let mut world = shown();
    world.press(KeyCode::Enter);
    world.state.direct("execute_command", &serde_json::json!({ "command": "make b" }), &mut Vec::new());
    let call = ToolCall {
        id: String::new(),
        name: "execute_command".to_owned(),
        arguments: r#"{"command":"make b"}"#.to_owned(),
    };
    let proposal = propose(OperationId(2), Origin::Person, &call);
    world.feed(5_000, Event::Proposed(OperationId(2), proposal));
    assert_eq!(*world.status(2), Status::Waiting);
    assert_eq!(world.dialog(), None);
    world.feed(5_000, Event::Wake);
    assert_eq!(world.dialog(), None);
    world.press(KeyCode::Char('y'));
    assert_eq!(keys(&world), "y");
    world.finish(1);
    assert_eq!((world.state.typing_into(), world.dialog()), (None, None), "keys that were under way decide nothing");
    world.feed(1_000, Event::Wake);
    assert_eq!(world.dialog(), Some(OperationId(2)));
}

#[test]
fn the_terminal_gets_the_size_of_the_pane_once() {
    let mut world = shown();
    let sight = || Box::new(Sight { terminal: Some((12, 60)), ..Sight::default() });
    world.feed(1, Event::Drawn(sight()));
    world.feed(1, Event::Drawn(sight()));
    world.feed(1, glass());
    assert_eq!(world.typed, [(OperationId(1), Typed::Size(12, 60))]);
}

#[test]
fn scrolling_keys_move_its_terminal_and_nothing_is_typed() {
    let mut world = shown();
    world.press(KeyCode::Char('k'));
    world.press(KeyCode::Char('g'));
    world.press(KeyCode::Char('G'));
    let rows: Vec<Typed> = world.typed.iter().map(|(_, typed)| typed.clone()).collect();
    assert_eq!(rows, [Typed::Scroll(-1), Typed::Scroll(isize::MIN), Typed::Scroll(isize::MAX)]);
    assert_eq!(keys(&world), "");
}

#[test]
fn the_key_in_the_dialog_proposes_it_anew_in_a_terminal_and_back() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make", None)]);
    world.look();
    world.press(KeyCode::Char('T'));
    let terminal = |world: &World| {
        let prepared = world.state.queue.get(OperationId(1)).unwrap().prepared.clone().unwrap();
        matches!(&prepared.operation.kind, OperationKind::Command(command) if command.terminal)
    };
    assert!(terminal(&world) && *world.status(1) == Status::Waiting && world.executed.is_empty());
    assert_eq!(world.dialog(), Some(OperationId(1)), "it is shown anew, and needs its own approval");
    world.look();
    world.press(KeyCode::Char('T'));
    assert!(!terminal(&world));
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make"]);
}

#[test]
fn what_is_put_in_a_terminal_is_told_as_that_and_not_as_edited() {
    let told = |toggles: usize| {
        let mut world = World::new();
        world.say("go");
        world.model("", &[("make", None)]);
        for _ in 0..toggles {
            world.look();
            world.press(KeyCode::Char('T'));
        }
        let judged = world.state.queue.get(OperationId(1)).unwrap().judgement.clone().unwrap();
        assert_eq!(judged.risk, RiskLevel::Medium);
        world.look();
        world.press(KeyCode::Char('y'));
        world.finish(1);
        let result = world.results()[0].text.lines().next().unwrap().to_owned();
        (judged.reason.split(':').next().unwrap().to_owned(), result)
    };
    let (reason, result) = told(1);
    assert_eq!(reason, "You put it in a terminal");
    assert!(result.starts_with("The person put this call in a terminal. It now reads: {"), "{result}");
    let (reason, result) = told(2);
    assert_eq!(reason, "You took it out of its terminal");
    assert!(result.starts_with("The person took this call out of its terminal. It now reads: {"), "{result}");
}

/// What ended for want of a terminal runs again in one by a key; it asks, as all that runs in one.
#[test]
fn what_ended_runs_again_in_a_terminal() {
    for pane in [KeyCode::F(2), KeyCode::F(3)] {
        let mut world = World::new();
        world.say("go");
        world.model("", &[("ls", None)]);
        world.finish(1);
        world.model("done", &[]);
        world.press(pane);
        world.press(KeyCode::Char('T'));
        let again = world.state.queue.get(OperationId(2)).unwrap();
        assert!(matches!(again.origin, Origin::Again { after: OperationId(1), .. }), "{pane:?}");
        assert!(again.call.arguments.contains(r#""terminal":true"#), "{}", again.call.arguments);
        assert_eq!(world.executed.len(), 1, "it doesn't run unasked");
    }
}

#[test]
fn a_reader_in_a_terminal_is_medium_however_it_got_there() {
    let mut world = World::in_mode(crate::domain::ApprovalMode::Strict);
    world.say("go");
    world.model("", &[("ls", None)]);
    world.look();
    world.press(KeyCode::Char('T'));
    let judged = world.state.queue.get(OperationId(1)).unwrap().judgement.clone().unwrap();
    assert_eq!(judged.risk, RiskLevel::Medium);
}

#[test]
fn what_is_typed_is_shown_in_no_log() {
    assert_eq!(format!("{:?}", Typed::Keys(b"hunter2".to_vec())), "Keys(7 bytes)");
}

/// The person asked for a terminal of their own, and approved it.
fn own() -> World {
    let mut world = World::new();
    for letter in "/terminal vim notes".chars() {
        world.press(KeyCode::Char(letter));
    }
    world.press(KeyCode::Enter);
    let arguments = serde_json::json!({ "command": "vim notes", "terminal": true }).to_string();
    let call = ToolCall { id: String::new(), name: "execute_command".to_owned(), arguments };
    world.feed(1, Event::Proposed(OperationId(1), propose(OperationId(1), Origin::Person, &call)));
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["vim notes"]);
    world
}

#[test]
fn a_terminal_that_the_person_asked_for_takes_the_keys_at_once() {
    let mut world = own();
    world.feed(40, glass());
    assert_eq!((world.state.typing_into(), world.state.focus), (Some(OperationId(1)), Pane::Output));
    for letter in ":q".chars() {
        world.press(KeyCode::Char(letter));
    }
    assert_eq!(keys(&world), ":q");
    world.finish(1);
    assert_eq!((world.state.typing_into(), world.state.focus), (None, Pane::Output), "nor is what follows a message");
}

#[test]
fn a_terminal_takes_no_keys_of_somebody_who_went_on_typing_or_clicked() {
    use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
    let mut world = own();
    world.press(KeyCode::Char('x'));
    world.feed(40, glass());
    assert_eq!((world.state.typing_into(), world.state.focus), (None, Pane::Composer));
    let mut world = own();
    world.feed(1, Event::Paste("rm -rf x".to_owned()));
    world.feed(40, glass());
    assert_eq!(world.state.typing_into(), None);
    let mut world = own();
    let kind = MouseEventKind::Down(MouseButton::Left);
    world.feed(1, Event::Mouse(MouseEvent { kind, column: 1, row: 1, modifiers: KeyModifiers::NONE }));
    world.feed(40, glass());
    assert_eq!((world.state.typing_into(), world.state.focus), (None, Pane::Composer));
    let mut world = asked(ApprovalMode::Guarded, "make", "low");
    world.look();
    world.press(KeyCode::Char('y'));
    world.feed(40, glass());
    assert_eq!(world.state.typing_into(), None, "what a model asks for takes no keys unasked");
}
