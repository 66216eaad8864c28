//! Whether a key was pressed by itself. Letters in a row are typing, and keys that come at once are pasted, by a terminal
//! that doesn't say so: neither decides anything.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::State;
use super::event::{Effect, Millis};

/// How long nothing else was typed before a key that decides, in milliseconds. Who writes at 60 words a minute presses
/// five keys a second.
const PAUSE: u64 = 250;

/// The letters typed last.
#[derive(Debug, Default)]
pub(super) struct Rhythm {
    last: Option<(Millis, KeyCode)>,
    /// The one that is dealt with now, and the one right before it.
    now: Option<KeyCode>,
    before: Option<KeyCode>,
    /// It came at once with others.
    together: bool,
}

impl Rhythm {
    /// A key comes, alone or at once with others.
    pub(super) fn hear(&mut self, key: KeyEvent, at: Millis, together: bool) {
        self.together = together;
        let letter = matches!(key.code, KeyCode::Char(_))
            && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        self.before = self.last.filter(|(before, _)| at.since(*before) < PAUSE).map(|(_, code)| code);
        self.now = letter.then_some(key.code);
        if letter {
            self.last = Some((at, key.code));
        }
    }

    /// What was typed so far was meant for the program.
    pub(super) fn pause(&mut self) {
        self.last = None;
    }

    /// Whether the key stands by itself. One that is pressed twice does.
    pub(super) fn alone(&self) -> bool {
        !self.together && (self.before.is_none() || self.now.is_none() || self.before == self.now)
    }

    /// Whether a digit may follow what was typed before it: another digit, or the yes that it confirms.
    pub(super) fn follows(&self, says_yes: impl Fn(KeyCode) -> bool) -> bool {
        let digit = |code: KeyCode| matches!(code, KeyCode::Char('0'..='9'));
        !self.together && self.before.is_none_or(|code| digit(code) || says_yes(code))
    }
}

impl State {
    /// Keys that came at once. True: the screen changes.
    pub(super) fn keys(&mut self, keys: Vec<KeyEvent>, effects: &mut Vec<Effect>) -> bool {
        for key in keys {
            self.key(key, true, effects);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(keys: &[(u64, char)]) -> Rhythm {
        let mut rhythm = Rhythm::default();
        for (at, letter) in keys {
            rhythm.hear(KeyEvent::new(KeyCode::Char(*letter), KeyModifiers::NONE), Millis(*at), false);
        }
        rhythm
    }

    #[test]
    fn a_letter_in_a_row_is_not_alone() {
        assert!(heard(&[(0, 'y')]).alone());
        assert!(heard(&[(0, 'a'), (250, 'y')]).alone());
        assert!(heard(&[(0, 'y'), (50, 'y')]).alone(), "one that is pressed twice");
        assert!(!heard(&[(0, 'a'), (249, 'y')]).alone());
        let mut paused = heard(&[(0, 'G')]);
        paused.pause();
        paused.hear(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE), Millis(50), false);
        assert!(paused.alone());
        let mut held = heard(&[(0, 'a')]);
        held.hear(KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL), Millis(50), false);
        assert!(held.alone(), "no letter");
    }

    #[test]
    fn a_number_follows_its_yes_or_a_digit() {
        let yes = |code| code == KeyCode::Char('y');
        assert!(heard(&[(0, 'y'), (50, '1')]).follows(yes));
        assert!(heard(&[(0, '1'), (50, '2')]).follows(yes));
        assert!(!heard(&[(0, ' '), (50, '1')]).follows(yes));
    }

    #[test]
    fn what_comes_at_once_decides_nothing() {
        let mut rhythm = Rhythm::default();
        rhythm.hear(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE), Millis(0), true);
        assert!(!rhythm.alone() && !rhythm.follows(|_| true));
    }
}
