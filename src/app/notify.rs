//! What a person who looks at something else is told: that something waits, or that the model is done. A fixed sentence
//! and the sort of operation, never a word of the model's or of an operation.

use super::State;
use super::chat::Phase;
use super::event::Effect;
use super::queue::Status;

/// What was so before an event: how many operations waited, and whether a turn was under way.
pub(super) type Standing = (usize, bool);

impl State {
    pub(super) fn standing(&self) -> Standing {
        // Nobody is told anything while they look: then it isn't counted.
        if self.away { (self.queue.waiting().count(), self.chat.phase != Phase::Idle) } else { (0, false) }
    }

    /// Says what changed since, if the terminal lost the focus: once when something begins to wait, once when the turn
    /// has ended.
    pub(super) fn tidings(&self, before: Standing, effects: &mut Vec<Effect>) {
        if !self.away {
            return;
        }
        let (waiting, busy) = self.standing();
        if waiting > 0 && before.0 == 0 {
            let item = self.queue.all().find(|item| item.status == Status::Waiting);
            let word = item.map_or("an operation", super::Item::word);
            let word: String =
                word.chars().filter(|c| c.is_ascii_alphanumeric() || " _-".contains(*c)).take(40).collect();
            effects.push(Effect::Notify(format!("{word} waits for you")));
        } else if before.1 && !busy && waiting == 0 {
            let said = if self.paused().is_some() { "The turn paused" } else { "The model is done" };
            effects.push(Effect::Notify(said.to_owned()));
        }
    }
}
