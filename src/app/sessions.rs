//! Other sessions: the list of those that were left, and going over to one. What is under way here keeps the person here.

use super::State;
use super::chat::Phase;
use super::event::{Another, Effect};
use super::picker::Picker;
use super::queue::Status;

/// What is said where something is under way.
const BUSY: &str = "Something is under way here: wait for it, or stop it with esc first.";

impl State {
    /// `/sessions`: the list of those that were left; with an id it goes over to that one.
    pub(super) fn sessions(&mut self, id: &str, effects: &mut Vec<Effect>) -> Result<(), String> {
        if !id.is_empty() {
            return self.go_over(Another::Left(id.to_owned()), effects);
        }
        if self.linear {
            return Err(
                "By lines: leave, see `countersign sessions`, and start again with --resume and an id.".to_owned()
            );
        }
        self.pick_session(effects);
        Ok(())
    }

    /// Opens the list of sessions that were left.
    pub fn pick_session(&mut self, effects: &mut Vec<Effect>) {
        let picker = self.open_picker(Picker::reading("Sessions", "No other session was kept yet.").of("session"));
        effects.push(Effect::ListSessions(picker));
    }

    /// Goes over to another session, unless that would cut something off.
    pub(super) fn go_over(&mut self, another: Another, effects: &mut Vec<Effect>) -> Result<(), String> {
        let runs = self.queue.running().any(|item| matches!(item.status, Status::Running { .. }));
        if runs || matches!(self.chat.phase, Phase::Streaming { .. }) {
            return Err(BUSY.to_owned());
        }
        effects.push(Effect::Switch(another));
        Ok(())
    }
}
