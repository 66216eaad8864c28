//! What is kept of the session as it happens: everything that a program needs to go on with it, in its order. The
//! entries of one event go to the journal together, before anything else that the event leads to.

use super::State;
use super::chat::Chat;
use super::event::Effect;
use crate::domain::{JournalEntry, JournalEvent, OperationId};

impl Chat {
    /// A sentence of the program's own that is part of the session.
    pub(super) fn notice(&mut self, text: impl Into<String>, trouble: bool) {
        let text = text.into();
        self.kept.push(JournalEntry::of_session(JournalEvent::Notice { text: text.clone(), trouble }));
        self.remark(text, trouble);
    }
}

impl State {
    /// Keeps what happened in the session.
    pub(super) fn keep(&mut self, event: JournalEvent) {
        self.chat.kept.push(JournalEntry::of_session(event));
    }

    /// Keeps what happened to an operation.
    pub(super) fn keep_of(&mut self, id: OperationId, event: JournalEvent) {
        self.chat.kept.push(JournalEntry::of(id, event));
    }

    /// Hands over what is to be kept, ahead of what else is to be done.
    pub(super) fn hand_over_kept(&mut self, effects: &mut Vec<Effect>) {
        if !self.chat.kept.is_empty() {
            effects.insert(0, Effect::Record(std::mem::take(&mut self.chat.kept)));
        }
    }
}
