//! A message that the person sends while the model answers or its calls are open: it waits for the end of the answer, or
//! for their results, and goes then. While the model answers another enter sends it at once. `↑`, and what stops the
//! turn, give it back to be changed.

use super::State;
use super::chat::Phase;
use super::event::Effect;
use super::keymap::{Command, Context};

impl State {
    /// Takes a message for later; several become one.
    pub(super) fn send_later(&mut self, text: String) {
        self.chat.upcoming = Some(match self.chat.upcoming.take() {
            Some(before) => format!("{before}\n\n{text}"),
            None => text,
        });
        // Whoever goes on talking ends what was said of the whole turn.
        if matches!(self.chat.phase, Phase::Working { .. }) {
            self.queue.end_turn();
        }
        let key = self.keymap.key(Context::Everywhere, Command::FocusQueue);
        let there = key.filter(|_| !self.linear && self.waits_for_person()).map(|key| format!(": {key} goes there"));
        self.hint = Some(format!("It goes to the model once {}{}.", self.until(), there.unwrap_or_default()));
        self.handed_over = true;
        self.chat.scroll = super::Scroll::END;
    }

    /// Whether open calls keep it from going, some of which the person is to decide.
    fn waits_for_person(&self) -> bool {
        matches!(self.chat.phase, Phase::Working { .. }) && self.queue.counts().0 > 0
    }

    /// What it waits for, as the end of a sentence.
    #[must_use]
    pub fn until(&self) -> &'static str {
        match self.chat.phase {
            _ if self.unbriefed => "the notes of this folder are read",
            Phase::Working { .. } if self.waits_for_person() => "what waits is decided",
            Phase::Working { .. } => "what runs has ended",
            Phase::Streaming { .. } | Phase::Idle => "this answer ends",
        }
    }

    /// Sends it once the answer has ended. Where that asks for calls, it goes with their results.
    pub(super) fn send_upcoming(&mut self, effects: &mut Vec<Effect>) {
        if !self.unbriefed
            && self.chat.phase == Phase::Idle
            && let Some(text) = self.chat.upcoming.take()
        {
            // That it goes later holds no more.
            self.hint = None;
            self.send(text, effects);
        }
    }

    /// Stops the answer for it. False if there is none.
    pub(super) fn send_upcoming_now(&mut self, effects: &mut Vec<Effect>) -> bool {
        let stops = self.chat.upcoming.is_some() && matches!(self.chat.phase, Phase::Streaming { .. });
        if stops {
            self.stop_stream(effects);
            self.chat.notice("The answer before was stopped for this message.", false);
            self.send_upcoming(effects);
        }
        stops
    }

    /// Puts it back before what is being typed, or is typed next. False if there is none.
    pub(super) fn take_back_upcoming(&mut self) -> bool {
        let Some(text) = self.chat.upcoming.take() else { return false };
        if self.linear {
            // There is nothing in which it could wait: a line is typed anew.
            self.chat.notice(format!("Your message was not sent, type it again: {text}"), true);
            return false;
        }
        let draft = self.composer.text();
        if draft.is_empty() {
            self.composer.put(&format!("{text} "));
        } else {
            self.composer.put(&format!("{text}\n\n{draft}"));
        }
        true
    }

    /// Takes it back where the text above is asked for, else the message before the one that is shown.
    pub(super) fn older(&mut self) {
        if !self.take_back_upcoming() {
            self.composer.recall(true);
        }
    }

    /// The program ends: what was said but not sent yet, and what was being typed, can be recalled in the next session.
    pub(super) fn leave_now(&mut self, effects: &mut Vec<Effect>) {
        self.take_back_upcoming();
        if !self.linear && !self.composer.is_empty() {
            effects.push(Effect::KeepTyped(self.composer.text()));
        }
        // It is in the history now.
        effects.push(Effect::KeepUnsent(String::new()));
        effects.push(Effect::Quit);
    }
}
