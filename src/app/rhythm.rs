//! Whether a key was pressed by itself. Keys in a row are typing, and keys that come at once are pasted, by a terminal
//! that doesn't say so: neither decides anything.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::State;
use super::event::{Effect, Millis};

/// How long no other key was pressed before one that decides, in milliseconds. Who writes at 60 words a minute presses
/// five keys a second.
pub(super) const PAUSE: u64 = 250;
/// How long after a yes the number that confirms it begins at the soonest, in milliseconds: nobody reads what it asks
/// for sooner.
const STEP: u64 = 150;
/// Letters in a row that are known: more than it takes to tell a sentence.
const ROW: usize = 64;

/// The keys pressed last.
#[derive(Debug, Default)]
pub(super) struct Rhythm {
    /// The one that is dealt with now, and when it came.
    last: Option<(Millis, KeyEvent)>,
    /// The one right before it, and how long before, in milliseconds.
    before: Option<(u64, KeyEvent)>,
    /// It came at once with others.
    together: bool,
    /// It is a digit that counts, and the one before it was.
    counts: bool,
    counted: bool,
    /// The letters that came without a pause between them, this one the last. None if it is no letter.
    row: Vec<KeyEvent>,
}

impl Rhythm {
    /// A key comes, alone or at once with others.
    pub(super) fn hear(&mut self, key: KeyEvent, at: Millis, together: bool) {
        self.together = together;
        self.before = self.last.replace((at, key)).map(|(before, key)| (at.since(before), key));
        self.counted = std::mem::take(&mut self.counts);
        let goes_on = together || !self.paused();
        if !letter(key) || !goes_on {
            self.row.clear();
        }
        if letter(key) && self.row.len() < ROW {
            self.row.push(key);
        }
    }

    /// Whether the key stands by itself, or is none that is typed.
    pub(super) fn alone(&self) -> bool {
        !self.together && (self.paused() || !self.last.is_some_and(|(_, key)| letter(key)))
    }

    /// The letters that came without a pause between them, up to the key that is dealt with now.
    pub(super) fn row(&self) -> &[KeyEvent] {
        &self.row
    }

    /// Another thing is asked: what was typed before was typed for what was there before.
    pub(super) fn begin(&mut self) {
        self.row.clear();
    }

    fn paused(&self) -> bool {
        self.before.is_none_or(|(pause, _)| pause >= PAUSE)
    }

    /// Whether a digit counts: it stands by itself, goes on with a number, or follows the yes that it confirms, not at
    /// once.
    pub(super) fn digit(&mut self, says_yes: impl Fn(KeyEvent) -> bool) -> bool {
        let follows = self.before.is_some_and(|(pause, key)| pause >= STEP && says_yes(key));
        self.counts = !self.together && (self.counted || follows || self.paused());
        self.counts
    }

    /// The number is none that was asked for: what follows at once doesn't go on with it.
    pub(super) fn no_number(&mut self) {
        self.counts = false;
    }
}

/// Whether a key is one that is typed.
pub(super) fn letter(key: KeyEvent) -> bool {
    let held = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    matches!(key.code, KeyCode::Char(_)) && !held
}

impl State {
    /// Keys that came at once. True: the screen changes.
    pub(super) fn keys(&mut self, keys: Vec<KeyEvent>, effects: &mut Vec<Effect>) -> bool {
        let asked = self.shown_in_dialog().is_some();
        for key in keys {
            // What may be pasted over a dialog is sent by nobody but the person.
            if asked && self.typing_away() && key.code == KeyCode::Enter {
                self.composer.newline();
            } else {
                self.key(key, true, effects);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(letter: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)
    }

    fn heard(keys: &[(u64, KeyEvent)]) -> Rhythm {
        let mut rhythm = Rhythm::default();
        for (at, key) in keys {
            rhythm.hear(*key, Millis(*at), false);
        }
        rhythm
    }

    #[test]
    fn a_letter_right_after_any_key_is_not_alone() {
        assert!(heard(&[(0, key('y'))]).alone());
        assert!(heard(&[(0, key('a')), (250, key('y'))]).alone());
        assert!(!heard(&[(0, key('a')), (249, key('y'))]).alone());
        assert!(!heard(&[(0, key('y')), (50, key('y'))]).alone(), "nor is one that is pressed twice");
        for before in [KeyCode::Enter, KeyCode::Tab, KeyCode::Down, KeyCode::Char(' '), KeyCode::Char('1')] {
            assert!(!heard(&[(0, KeyEvent::new(before, KeyModifiers::NONE)), (50, key('y'))]).alone(), "{before:?}");
        }
        let held = KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL);
        assert!(heard(&[(0, key('a')), (50, held)]).alone(), "no letter");
    }

    #[test]
    fn a_number_follows_its_yes_or_a_digit_that_counts() {
        let yes = |pressed: KeyEvent| pressed == key('y');
        assert!(heard(&[(0, key('y')), (STEP, key('1'))]).digit(yes));
        assert!(!heard(&[(0, key('y')), (100, key('1'))]).digit(yes), "nobody read what it asks for");
        assert!(!heard(&[(0, key(' ')), (200, key('1'))]).digit(yes));
        let mut rhythm = heard(&[(0, key('1'))]);
        assert!(rhythm.digit(yes));
        rhythm.hear(key('2'), Millis(50), false);
        assert!(rhythm.digit(yes));
        rhythm.no_number();
        rhythm.hear(key('3'), Millis(100), false);
        assert!(!rhythm.digit(yes));
        rhythm.hear(key('4'), Millis(150), false);
        assert!(!rhythm.digit(yes), "nor what follows one that doesn't");
    }

    #[test]
    fn what_comes_at_once_decides_nothing() {
        let mut rhythm = Rhythm::default();
        rhythm.hear(key('y'), Millis(0), true);
        assert!(!rhythm.alone() && !rhythm.digit(|_| true));
    }
}
