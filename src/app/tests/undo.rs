//! Taking back what ran, by keys.

use super::*;
use crate::domain::Undoable;

/// An approved `rm` that can be taken back by another command.
fn removed() -> World {
    let mut world = World::new();
    world.say("! rm a");
    world.look();
    world.press(KeyCode::Char('y'));
    world.draw(true);
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('1'));
    world.finish_undoable(1, r#"{"command":"make a"}"#);
    world.press(KeyCode::F(2));
    world
}

impl World {
    fn finish_undoable(&mut self, id: u64, arguments: &str) {
        let how = Undoable::Call(arguments.to_owned());
        self.feed(1, Event::Run(OperationId(id), RunEvent::Undoable(how)));
        self.finish(id);
    }

    fn undo(&self, id: u64) -> &Undo {
        &self.state.queue.get(OperationId(id)).unwrap().undo
    }
}

#[test]
fn a_key_proposes_to_take_back_and_the_dialog_decides() {
    let mut world = removed();
    assert!(matches!(world.undo(1), Undo::Possible(_)));
    world.press(KeyCode::Char('u'));
    assert_eq!(*world.status(2), Status::Waiting, "it asks like every other");
    assert_eq!(world.commands(), ["rm a"]);
    world.look();
    world.press(KeyCode::Char('y'));
    world.finish_undoable(2, r#"{"command":"rm a"}"#);
    assert_eq!(world.commands(), ["rm a", "make a"]);
    assert!(matches!(world.undo(1), Undo::Done { by: OperationId(2), .. }));
    world.press(KeyCode::Char('u'));
    assert_eq!(*world.status(3), Status::Waiting, "what was taken back can be done again");
    world.look();
    world.press(KeyCode::Char('y'));
    world.draw(true);
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('3'));
    world.finish(3);
    assert!(matches!(world.undo(2), Undo::Done { by: OperationId(3), .. }));
    assert!(matches!(world.undo(1), Undo::Possible(_)), "it stands again");
}

#[test]
fn a_key_goes_back_to_the_start_of_a_turn_the_newest_change_first() {
    let mut world = World::new();
    for (id, line) in [(1, "! rm a"), (2, "! rm b")] {
        world.say(line);
        world.look();
        world.press(KeyCode::Char('y'));
        world.draw(true);
        world.feed(300, Event::Wake);
        world.press(KeyCode::Char(char::from_digit(id, 10).unwrap()));
        world.finish_undoable(u64::from(id), r#"{"command":"make"}"#);
    }
    world.press(KeyCode::F(2));
    world.press(KeyCode::End);
    world.press(KeyCode::Char('U'));
    let takes_back = |id| world.state.queue.get(OperationId(id)).map(|item| item.takes_back.clone());
    assert_eq!(takes_back(3), Some(vec![OperationId(2)]));
    assert_eq!(takes_back(4), Some(vec![OperationId(1)]));
    assert_eq!((world.status(3), world.status(4)), (&Status::Waiting, &Status::Waiting), "both ask");
    assert_eq!(world.commands(), ["rm a", "rm b"]);
}

#[test]
fn a_denied_or_failed_undo_leaves_it_possible() {
    let mut world = removed();
    world.press(KeyCode::Char('u'));
    world.look();
    world.press(KeyCode::Char('n'));
    assert!(matches!(world.undo(1), Undo::Possible(_)));
    assert_eq!(world.commands(), ["rm a"]);
}

#[test]
fn what_changed_nothing_says_so() {
    let mut world = World::new();
    world.say("! ls");
    world.finish(1);
    world.press(KeyCode::F(2));
    world.press(KeyCode::Char('u'));
    assert_eq!(world.state.hint.as_deref(), Some("#1 changed nothing that was kept for undo."));
    world.press(KeyCode::Char('U'));
    assert!(world.state.hint.as_deref().unwrap().starts_with("Nothing that changed"));
    assert!(world.state.queue.get(OperationId(2)).is_none());
}
