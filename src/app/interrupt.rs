//! Keys that stop: what is under way, then what waits, and ctrl+c twice to leave. What waits goes only by a second key,
//! pressed right after the first one said so, and so does the program while something runs or isn't sent.

use super::event::{Effect, Millis, Pane};
use super::queue::Status;
use super::{Command, Context, Modal, State};

/// How long the second ctrl+c may take to leave, in milliseconds.
const TWICE: u64 = 1_500;
/// How long the second key or line may take to let go of what waits: as long as it takes to read what the first one
/// said. What comes later is told first again.
const SOON: u64 = 10_000;

/// What the person stopped, and the keys that may stop more.
#[derive(Debug, Default)]
pub(super) struct Stops {
    /// The person stopped the turn: its results start no further request.
    pub(super) turn: bool,
    last: Pressed,
}

/// When the key or line before was one that a second one goes on with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pressed {
    /// It was ctrl+c.
    interrupted: Option<Millis>,
    /// It stopped, and said that the next one lets go of what waits.
    warned: Option<Millis>,
    /// It said that the next one leaves, and what isn't sent.
    leaving: Option<Millis>,
}

impl Stops {
    /// When the keys were pressed that a second one goes on with.
    pub(super) fn pressed(&self) -> Pressed {
        self.last
    }

    /// Two in a row count, not one, something else and one.
    pub(super) fn settle(&mut self, before: Pressed) {
        let now = &mut self.last;
        now.interrupted.take_if(|at| before.interrupted == Some(*at));
        now.warned.take_if(|at| before.warned == Some(*at));
        now.leaving.take_if(|at| before.leaving == Some(*at));
    }

    /// Says that the next key lets go of what waits. True if the one before said so already.
    pub(super) fn warn(&mut self, now: Millis) -> bool {
        let again = self.last.warned.is_some_and(|at| now.since(at) <= SOON);
        self.last.warned = (!again).then_some(now);
        again
    }

    /// The next key leaves. True if the one before said so already.
    fn leaves(&mut self, now: Millis) -> bool {
        self.last.leaving.replace(now).is_some_and(|at| now.since(at) <= SOON)
    }
}

impl State {
    /// Ctrl+C: stops what is under way; twice in a row leaves. What waits keeps waiting.
    pub(super) fn interrupt(&mut self, effects: &mut Vec<Effect>) {
        if self.stops.last.interrupted.is_some_and(|at| self.now.since(at) <= TWICE) {
            return self.leave(effects);
        }
        self.stops.last = Pressed { interrupted: Some(self.now), warned: None, leaving: Some(self.now) };
        let typing = self.modal.take().is_none() && self.focus == Pane::Composer;
        let stopped = self.stop(effects);
        let clears = !stopped && typing && !self.linear && !self.composer.is_empty();
        if clears {
            // As a shell does, and nothing is lost by it.
            effects.push(Effect::KeepTyped(self.composer.text()));
            self.composer.set_aside();
        }
        let what = match (stopped, clears) {
            (true, _) => "Stopped. ",
            (false, true) => "Cleared, ↑ brings it back. ",
            (false, false) => "",
        };
        // What is most needed comes first: a narrow screen shows no more.
        let waits = match self.queue.counts().0 {
            0 => String::new(),
            1 => "; esc drops the one that waits".to_owned(),
            waiting => format!("; esc drops the {waiting} that wait"),
        };
        let waits = if self.stops.last.warned.is_some() { waits } else { String::new() };
        let unsent = self.unsent().map_or_else(String::new, |unsent| format!(" {unsent}"));
        self.hint = Some(format!("{what}ctrl+c again leaves{waits}.{unsent}"));
    }

    /// Leaves. What would be cut off or isn't sent yet takes a second key, pressed right after the first one said so.
    pub(super) fn leave(&mut self, effects: &mut Vec<Effect>) {
        let lost = self.lost().filter(|_| !self.linear && !self.stops.leaves(self.now));
        let key = self.keymap.key(Context::Everywhere, Command::Quit).unwrap_or_default();
        let Some(hint) = lost.map(|lost| format!("{key} again leaves. {lost}")) else {
            return self.leave_now(effects);
        };
        match &mut self.modal {
            Some(Modal::Confirm(dialog)) => dialog.hint = Some(hint),
            Some(Modal::Edit(editor)) => editor.hint = Some(hint),
            Some(Modal::Pick(_) | Modal::Page { .. } | Modal::Setup(_)) | None => self.hint = Some(hint),
        }
    }

    /// `/quit`: what would be cut off takes a second one, or the key.
    pub(super) fn quit_typed(&mut self, effects: &mut Vec<Effect>) -> Result<(), String> {
        if let Some(runs) = self.cut_off().filter(|_| !self.linear && !self.stops.leaves(self.now)) {
            let key = self.keymap.key(Context::Everywhere, Command::Quit).unwrap_or_default();
            return Err(format!("{key} leaves all the same. {runs}"));
        }
        self.composer.take();
        self.leave_now(effects);
        Ok(())
    }

    /// What leaving would cost.
    fn lost(&self) -> Option<String> {
        let said: Vec<String> = self.cut_off().into_iter().chain(self.unsent()).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    /// What runs, and what becomes of it.
    fn cut_off(&self) -> Option<String> {
        let running = self.queue.running().filter(|item| matches!(item.status, Status::Running { .. }));
        match running.map(|item| item.id).collect::<Vec<_>>().as_slice() {
            [] => None,
            [id] => Some(format!("{id} runs, and would be stopped.")),
            several => Some(format!("{} operations run, and would be stopped.", several.len())),
        }
    }

    /// What the person wrote that went nowhere, and what becomes of it.
    fn unsent(&self) -> Option<String> {
        let editing = match &self.modal {
            Some(Modal::Edit(editor)) if editor.changed() => Some(editor.id),
            _ => self.queue.waiting().find(|item| item.draft.is_some()).map(|item| item.id),
        };
        if !self.composer.is_empty() || self.chat.upcoming.is_some() {
            return Some("What isn't sent comes back by ↑, unless secret.".to_owned());
        }
        editing.map(|id| format!("Your edit of {id} isn't used and goes."))
    }
}
