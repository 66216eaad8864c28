//! Promises over any order of events: nothing executes without an allow or a person's key on a drawn dialog,
//! every call is answered exactly once.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// One thing that may happen next.
#[derive(Clone, Copy, Debug)]
enum Move {
    Say,
    Model(usize),
    Key(usize),
    Paste,
    Draw(bool),
    Wait(u64),
    Finish(u64),
}

const COMMANDS: [(&str, Option<&str>); 6] = [
    ("ls", None),
    ("make", None),
    ("rm x", None),
    ("rm y", Some("low")),
    ("cat .env", Some("low")),
    ("ls b", Some("high")),
];

const KEYS: [KeyCode; 22] = [
    KeyCode::Char(' '),
    KeyCode::Char('p'),
    KeyCode::Char('l'),
    KeyCode::Char('>'),
    KeyCode::Char(','),
    KeyCode::Char('/'),
    KeyCode::Char('v'),
    KeyCode::F(2),
    KeyCode::Char('y'),
    KeyCode::Char('n'),
    KeyCode::Char('1'),
    KeyCode::Char('2'),
    KeyCode::Char('3'),
    KeyCode::Char('A'),
    KeyCode::Char('D'),
    KeyCode::Char('r'),
    KeyCode::Char('x'),
    KeyCode::Enter,
    KeyCode::Esc,
    KeyCode::Tab,
    KeyCode::Backspace,
    KeyCode::Down,
];

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        1 => Just(Move::Say),
        2 => (0..64usize).prop_map(Move::Model),
        8 => (0..KEYS.len()).prop_map(Move::Key),
        1 => Just(Move::Paste),
        4 => any::<bool>().prop_map(Move::Draw),
        4 => prop_oneof![Just(10u64), Just(500), Just(1_100)].prop_map(Move::Wait),
        2 => (1..12u64).prop_map(Move::Finish),
    ];
    proptest::collection::vec(one, 1..60)
}

/// What a key would decide, told before it is pressed: only then may something that asks be approved.
fn may_decide(world: &World) -> bool {
    matches!(&world.state.modal, Some(Modal::Confirm(dialog)) if dialog.live(world.state.now.plus(20)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn nothing_executes_unasked_and_every_call_is_answered_once(script in moves()) {
        let mut world = World::new();
        world.say("go");
        for step in script {
            let before: BTreeSet<u64> = world.executed.iter().map(|(id, _)| id.0).collect();
            let approved: BTreeSet<u64> = world
                .state
                .queue
                .running()
                .filter(|item| matches!(item.status, Status::Allowed { .. }))
                .map(|item| item.id.0)
                .collect();
            let mut deciding = false;
            match step {
                Move::Say => {
                    if world.state.modal.is_none() { world.state.focus = Pane::Composer; world.say("more"); }
                }
                Move::Model(bits) => {
                    let chosen: Vec<_> = (0..6).filter(|n| bits >> n & 1 == 1).map(|n| COMMANDS[n]).collect();
                    if matches!(world.state.chat.phase(), Phase::Streaming { .. }) { world.model("ok", &chosen); }
                }
                Move::Key(which) => {
                    deciding = may_decide(&world) && !matches!(KEYS[which], KeyCode::Enter);
                    world.press(KEYS[which]);
                }
                Move::Paste => world.feed(1, Event::Paste("y\n1\nA\n".to_owned())),
                Move::Draw(end) => world.draw(end),
                Move::Wait(time) => world.feed(time, Event::Wake),
                Move::Finish(id) => {
                    if matches!(world.state.queue.get(OperationId(id)).map(|item| &item.status), Some(Status::Running { .. })) {
                        world.finish(id);
                    }
                }
            }
            for (id, command) in &world.executed {
                if before.contains(&id.0) { continue; }
                let whitelisted = command == "ls";
                prop_assert!(whitelisted || deciding || approved.contains(&id.0), "{command} ran after {step:?}");
            }
        }
        // Every finished message's calls have exactly one result each.
        let mut open: Vec<String> = Vec::new();
        for message in world.state.chat.history() {
            match message.as_ref() {
                Message::Assistant { calls, .. } => {
                    prop_assert!(open.is_empty());
                    open = calls.iter().map(|call| call.id.clone()).collect();
                }
                Message::Results(results) => {
                    let answered: Vec<String> = results.iter().map(|result| result.call_id.clone()).collect();
                    prop_assert_eq!(std::mem::take(&mut open), answered);
                }
                Message::User(_) => prop_assert!(open.is_empty()),
            }
        }
        if !open.is_empty() {
            let working = matches!(world.state.chat.phase(), Phase::Working { .. });
            prop_assert!(working);
        }
    }
}
