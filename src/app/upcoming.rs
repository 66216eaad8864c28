//! A message that the person sends while the model answers: it waits for the end of the answer and goes then. Another
//! enter sends it at once, and what stops the answer gives it back to be changed.

use super::State;
use super::chat::Phase;
use super::event::Effect;

impl State {
    /// Takes a message for later; several become one.
    pub(super) fn send_later(&mut self, text: String) {
        self.chat.upcoming = Some(match self.chat.upcoming.take() {
            Some(before) => format!("{before}\n\n{text}"),
            None => text,
        });
        let until = if self.unbriefed { "the notes of this folder are read" } else { "this answer ends" };
        self.hint = Some(format!("It goes to the model once {until}."));
        self.handed_over = true;
        self.chat.scroll = super::Scroll::END;
    }

    /// Sends it once the answer has ended.
    pub(super) fn send_upcoming(&mut self, effects: &mut Vec<Effect>) {
        if !self.unbriefed
            && !matches!(self.chat.phase, Phase::Streaming { .. })
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
        let draft = self.composer.text();
        if draft.is_empty() {
            self.composer.put(&format!("{text} "));
        } else {
            self.composer.put(&format!("{text}\n\n{draft}"));
        }
        true
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
