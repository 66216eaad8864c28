//! What was typed and isn't sent: kept beside the session once the person pauses, so that a crash costs no more than the
//! last words, and put back when the session is gone on with.

use super::State;
use super::event::{Effect, Millis};

/// How long nobody must have typed before it is kept, in milliseconds.
const PAUSE: u64 = 1_000;
/// Longest text that is kept, in bytes.
const LONGEST: usize = 256 * 1024;
/// A text with more lines or bytes is folded when it comes back, as one that was pasted is.
const SHORT: (usize, usize) = (20, 2_000);

/// What is kept of what isn't sent.
#[derive(Debug, Default)]
pub(super) struct Unsent {
    /// When it is to be kept, if it may have changed.
    due: Option<Millis>,
    /// As it was kept last.
    kept: String,
}

impl Unsent {
    /// When it is to be kept.
    pub(super) fn due(&self) -> Option<Millis> {
        self.due
    }
}

impl State {
    /// The person typed or pasted something.
    pub(super) fn note_unsent(&mut self) {
        if !self.linear && !self.unattended {
            self.unsent.due = Some(self.now.plus(PAUSE));
        }
    }

    /// Keeps it once they pause, and forgets it once there is none.
    pub(super) fn keep_unsent(&mut self, effects: &mut Vec<Effect>) {
        let later = self.chat.held.is_some() || self.chat.upcoming.is_some();
        let due = self.unsent.due.is_some_and(|due| due <= self.now);
        if self.composer.is_empty() && !later {
            self.unsent.due = None;
            if !std::mem::take(&mut self.unsent.kept).is_empty() {
                effects.push(Effect::KeepUnsent(String::new()));
            }
        } else if due {
            self.unsent.due = None;
            let parts = [self.chat.held.clone(), self.chat.upcoming.clone(), Some(self.composer.text())];
            let parts: Vec<String> = parts.into_iter().flatten().filter(|text| !text.is_empty()).collect();
            let text = Some(parts.join("\n\n")).filter(|text| text.len() <= LONGEST).unwrap_or_default();
            if text != self.unsent.kept {
                self.unsent.kept.clone_from(&text);
                effects.push(Effect::KeepUnsent(text));
            }
        }
    }

    /// Puts back what was kept when the program ended without the person's leave.
    pub fn put_back_unsent(&mut self, text: String) {
        if text.lines().count() > SHORT.0 || text.len() > SHORT.1 {
            self.composer.paste(&text);
        } else {
            self.composer.put(&text);
        }
        self.unsent.kept = text;
        self.chat.remark("What you had typed when the program ended is back below: enter sends it.", false);
    }

    /// What is being typed goes along from one session to another. What was kept of this one goes before it.
    pub fn keep_draft_of(&mut self, before: &mut Self) {
        if before.composer.is_empty() {
            // The history goes along in any case; what is folded here stays folded.
            self.composer.remember(before.composer.history().to_vec());
        } else {
            let own = self.composer.text();
            self.composer = std::mem::take(&mut before.composer);
            if !own.is_empty() {
                let typed = self.composer.text();
                self.composer.put(&format!("{own}\n\n{typed}"));
            }
            self.note_unsent();
        }
    }
}
