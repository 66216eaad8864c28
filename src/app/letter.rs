//! Letters in a dialog. One that would approve, deny, edit or go on counts only once no other follows it for a moment:
//! what is typed in a row is a sentence, and goes to the message that the person believed to be writing. One that asks
//! for a reason or for numbers has what follows it: that decides nothing before an enter, which denies or lists.

use crossterm::event::KeyEvent;

use super::dialog::looks;
use super::event::{Effect, Millis, Pane};
use super::keymap::{Command, Context};
use super::modal::{Asking, Modal};
use super::queue::Status;
use super::rhythm::PAUSE;
use super::{QUIET, State};
use crate::domain::{OperationId, RiskLevel, Seal};

/// A letter that counts once nothing follows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    key: KeyEvent,
    command: Command,
    /// What it was pressed about.
    id: OperationId,
    seal: Seal,
    asking: std::mem::Discriminant<Asking>,
    at: Millis,
}

impl Held {
    /// When it counts.
    pub(super) fn due(&self) -> Millis {
        self.at.plus(PAUSE)
    }
}

/// Whether a letter that means this waits for what may follow. What asks for a reason doesn't: what follows is the
/// reason. The rest only changes what this dialog shows.
fn waits(command: Command) -> bool {
    matches!(
        command,
        Command::Deny
            | Command::DenyAll
            | Command::Pick
            | Command::Edit
            | Command::Skip
            | Command::Try
            | Command::InTerminal
            | Command::ShowSecrets
            | Command::Help
    )
}

impl State {
    /// Whether a letter that means this here waits for what may follow. A yes to a high one doesn't, as it only asks for
    /// the number: that is the second key.
    pub(super) fn waits_for_more(&self, command: Command) -> bool {
        let Some(Modal::Confirm(dialog)) = &self.modal else { return false };
        let high = dialog.risk == RiskLevel::High;
        match (command, &dialog.asking) {
            (Command::Approve, Asking::Choice) | (Command::SaveRule, Asking::Remember(_)) => !high,
            (Command::Approve, Asking::All { .. }) => true,
            _ => waits(command),
        }
    }

    /// Keeps a letter until it is known to stand by itself.
    pub(super) fn hold(&mut self, key: KeyEvent, command: Command) {
        let Some(Modal::Confirm(dialog)) = &self.modal else { return };
        let asking = std::mem::discriminant(&dialog.asking);
        self.held = Some(Held { key, command, id: dialog.id, seal: dialog.seal, asking, at: self.now });
    }

    /// A key after one that is held: the same letter is the same key once more, a digit begins the numbers that it asks
    /// for, another takes its meaning from both. True if there is nothing more to do.
    pub(super) fn after_held(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) -> bool {
        let Some(held) = self.held else { return false };
        if held.key.code == key.code {
            return true;
        }
        if held.command == Command::Pick && matches!(key.code, crossterm::event::KeyCode::Char('0'..='9')) {
            return self.let_go(effects) && self.pick_key(key);
        }
        // Whatever else follows it so soon may change what it was pressed about; an enter behind an answer doesn't.
        let rule = matches!(&self.modal, Some(Modal::Confirm(dialog)) if matches!(dialog.asking, Asking::Remember(_)));
        if rule || key.code != crossterm::event::KeyCode::Enter {
            self.held = None;
        }
        false
    }

    /// Does what the held letter means, if nothing followed it. True if it did.
    pub(super) fn settle_letter(&mut self, effects: &mut Vec<Effect>) -> bool {
        self.held.is_some_and(|held| held.due() <= self.now) && self.let_go(effects)
    }

    /// Does what the held letter means now. True if there was one.
    pub(super) fn let_go(&mut self, effects: &mut Vec<Effect>) -> bool {
        let Some(held) = self.held.take() else { return false };
        let Some(Modal::Confirm(dialog)) = &self.modal else { return true };
        let same =
            (dialog.id, dialog.seal, std::mem::discriminant(&dialog.asking)) == (held.id, held.seal, held.asking);
        if same && dialog.live(self.now) {
            self.rhythm.begin();
            if held.command == Command::SaveRule {
                self.ask_save_rule(effects);
            } else {
                self.dialog_command(held.command, effects);
            }
        }
        true
    }

    /// What is typed in a row into a dialog goes to the message, and the dialog gives way until that is sent. False if
    /// it is no sentence.
    pub(super) fn gives_way(&mut self, effects: &mut Vec<Effect>) -> bool {
        let Some(id) = self.shown_in_dialog().filter(|_| self.is_sentence()) else { return false };
        self.modal = None;
        self.focus = Pane::Composer;
        for key in self.rhythm.row().to_vec() {
            self.type_key(key);
        }
        self.typed_over(id);
        self.complete(effects);
        true
    }

    /// Whether the letters in a row are typing: several, of which the last means nothing here, or three of which two do
    /// more than look around. One letter pressed again and again, and a number, are none.
    fn is_sentence(&self) -> bool {
        let row = self.rhythm.row();
        let (Some(Modal::Confirm(dialog)), [first, .., last]) = (&self.modal, row) else { return false };
        let context = if matches!(dialog.asking, Asking::Remember(_)) { Context::Remember } else { Context::Dialog };
        let command = |key: &KeyEvent| self.keymap.command(context, *key);
        let digit = |key: &KeyEvent| matches!(key.code, crossterm::event::KeyCode::Char('0'..='9'));
        if row.iter().all(|key| key.code == first.code) || row.iter().all(digit) {
            return false;
        }
        // The number that confirms follows its yes.
        if dialog.confirms() && row[1..].iter().all(digit) {
            return false;
        }
        let acts = |key: &&KeyEvent| !command(key).is_some_and(looks);
        let nothing = command(last).is_none() && !digit(last);
        nothing || row.len() > 2 && row.iter().filter(acts).count() > 1
    }

    /// The person types where a dialog was: until they pause, it is said what became of that.
    pub(super) fn typed_over(&mut self, id: OperationId) {
        self.over = Some(id).filter(|_| self.focus == Pane::Composer);
        self.say_typed_over();
    }

    /// Whether the person types on where a dialog was.
    pub(super) fn typing_away(&self) -> bool {
        self.over.is_some()
    }

    /// A key comes: who paused has read what was said.
    pub(super) fn pause_over(&mut self) {
        self.over.take_if(|_| self.last_typed.is_none_or(|typed| self.now.since(typed) >= QUIET));
    }

    /// Says it, unless there is something else to say.
    pub(super) fn say_typed_over(&mut self) {
        let waits = |id: &OperationId| self.queue.get(*id).is_some_and(|item| item.status == Status::Waiting);
        let typing = self.modal.is_none() && self.focus == Pane::Composer && !self.composer.is_empty();
        self.over = self.over.filter(|id| typing && waits(id));
        if let (Some(id), None) = (self.over, &self.hint) {
            self.hint = Some(format!("Typing decides nothing: it goes to your message, and {id} keeps waiting."));
        }
    }
}
