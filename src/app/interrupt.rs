//! Keys that stop: what is under way, then what waits, and ctrl+c twice to leave. What waits goes only by a second key,
//! pressed right after the first one said so.

use super::State;
use super::event::{Effect, Millis};

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
    /// When the key before was ctrl+c.
    interrupted: Option<Millis>,
    /// When the key or line before stopped, and said that the next one lets go of what waits.
    warned: Option<Millis>,
}

impl Stops {
    /// When the keys were pressed that a second one goes on with.
    pub(super) fn pressed(&self) -> (Option<Millis>, Option<Millis>) {
        (self.interrupted, self.warned)
    }

    /// Two in a row count, not one, something else and one.
    pub(super) fn settle(&mut self, (interrupted, warned): (Option<Millis>, Option<Millis>)) {
        if self.interrupted == interrupted {
            self.interrupted = None;
        }
        if self.warned == warned {
            self.warned = None;
        }
    }

    /// Says that the next key lets go of what waits. True if the one before said so already.
    pub(super) fn warn(&mut self, now: Millis) -> bool {
        let again = self.warned.is_some_and(|at| now.since(at) <= SOON);
        self.warned = (!again).then_some(now);
        again
    }
}

impl State {
    /// Ctrl+C: stops what is under way; twice in a row leaves. What waits keeps waiting.
    pub(super) fn interrupt(&mut self, effects: &mut Vec<Effect>) {
        if self.stops.interrupted.is_some_and(|at| self.now.since(at) <= TWICE) {
            return self.leave(effects);
        }
        self.stops.interrupted = Some(self.now);
        self.stops.warned = None;
        self.modal = None;
        let stopped = self.stop(effects);
        let what = if stopped { "Stopped. " } else { "" };
        let waits = match self.queue.counts().0 {
            0 => String::new(),
            1 => "The one that waits keeps waiting; esc lets go of it. ".to_owned(),
            waiting => format!("The {waiting} that wait keep waiting; esc lets go of them. "),
        };
        let waits = if self.stops.warned.is_some() { waits } else { String::new() };
        self.hint = Some(format!("{what}{waits}Press ctrl+c again to leave."));
    }
}
