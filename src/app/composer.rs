//! The composer: what the person is typing, what they pasted into it, and what they typed before. A large paste stands
//! in the text as one character that nobody can type; it is shown as a few words and sent whole.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, DataCursor, TextArea};

use crate::domain::number;

/// How many sent messages are remembered.
pub const HISTORY: usize = 1_000;
/// From so many lines or bytes on, a paste is folded.
const FOLDED: (usize, usize) = (8, 2_000);
/// Most that a draft holds of pasted text, in bytes.
const PASTED: usize = 1 << 20;
/// What stands for the first folded paste; the next ones follow. Nobody types characters of this plane.
const FOLD: char = '\u{100000}';
/// Folded pastes of one draft; further ones stay as they are.
const FOLDS: usize = 256;

/// The text area at the bottom and its history.
#[derive(Debug, Default)]
pub struct Composer {
    area: TextArea<'static>,
    /// Pasted texts that are folded.
    folds: Vec<String>,
    history: Vec<String>,
    /// Where in the history, and the draft that was left for it.
    back: Option<(usize, String)>,
}

impl Composer {
    /// The text area, to draw it.
    #[must_use]
    pub fn area(&self) -> &TextArea<'static> {
        &self.area
    }

    /// What stands in it, what is folded whole.
    #[must_use]
    pub fn text(&self) -> String {
        let raw = self.raw();
        if self.folds.is_empty() {
            return raw;
        }
        let mut text = String::with_capacity(raw.len());
        for letter in raw.chars() {
            match self.fold(letter) {
                Some(pasted) => text.push_str(pasted),
                None => text.push(letter),
            }
        }
        text
    }

    /// Whether it is a command of the person's own.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.area.lines().first().is_some_and(|line| line.starts_with('!'))
    }

    /// Whether it runs something of the person's own, of which the model reads the result.
    #[must_use]
    pub fn acts(&self) -> bool {
        const OWN: [&str; 8] = ["/sql", "/tables", "/http", "/read", "/list", "/search", "/find", "/terminal"];
        let word = self.area.lines().first().and_then(|line| line.split_whitespace().next());
        self.runs() || word.is_some_and(|word| OWN.contains(&word))
    }

    fn raw(&self) -> String {
        self.area.lines().join("\n")
    }

    fn fold(&self, letter: char) -> Option<&str> {
        let at = (letter as u32).checked_sub(FOLD as u32).and_then(|at| usize::try_from(at).ok())?;
        self.folds.get(at).map(String::as_str)
    }

    /// What is shown in the place of a character that stands for pasted text.
    #[must_use]
    pub fn folded(&self, letter: char) -> Option<String> {
        self.fold(letter).map(|pasted| {
            let lines = pasted.lines().count();
            if lines > 1 {
                format!("[pasted {}]", number::count(lines, "line"))
            } else {
                format!("[pasted {}]", number::count(pasted.chars().count(), "character"))
            }
        })
    }

    /// Whether nothing stands in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.area.lines().iter().all(String::is_empty)
    }

    /// What was sent before, the newest last.
    #[must_use]
    pub fn history(&self) -> &[String] {
        &self.history
    }

    /// Takes a key as typing.
    pub(super) fn key(&mut self, key: KeyEvent) {
        if !matches!(key.code, KeyCode::Char(letter) if reserved(letter)) {
            type_into(&mut self.area, key);
        }
    }

    pub(super) fn newline(&mut self) {
        self.area.insert_newline();
    }

    /// Takes pasted text, line ends made one kind, other control characters left out. A sentence says if it was too
    /// long.
    pub(super) fn paste(&mut self, text: &str) -> Option<String> {
        let room = PASTED.saturating_sub(self.folds.iter().map(String::len).sum::<usize>() + self.raw().len());
        let kept = &text[..text.floor_char_boundary(room)];
        let clean = clean(kept);
        let (lines, bytes) = FOLDED;
        if (clean.lines().count() >= lines || clean.len() >= bytes) && self.folds.len() < FOLDS {
            let sign = u32::try_from(self.folds.len()).ok().and_then(|at| char::from_u32(FOLD as u32 + at));
            self.folds.push(clean);
            self.area.insert_str(sign.unwrap_or(FOLD).to_string());
        } else {
            self.area.insert_str(clean);
        }
        let cut = text.len() - kept.len();
        (cut > 0).then(|| {
            format!(
                "A message holds {}: the last {} were left out.",
                number::size(PASTED as u64),
                number::size(cut as u64)
            )
        })
    }

    /// Puts what is folded in its place, to be read and edited. False if nothing is.
    pub(super) fn unfold(&mut self) -> bool {
        let raw = self.raw();
        let folded = raw.chars().any(|letter| self.fold(letter).is_some());
        if folded {
            let text = self.text();
            self.folds.clear();
            self.show(&text);
        }
        folded
    }

    /// Takes the message out and remembers it.
    pub(super) fn take(&mut self) -> String {
        let text = self.text();
        self.area = TextArea::default();
        self.folds.clear();
        self.back = None;
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text.clone());
            if self.history.len() > HISTORY {
                self.history.remove(0);
            }
        }
        text
    }

    /// What was sent in earlier sessions, before what was sent in this one.
    pub(super) fn remember(&mut self, mut earlier: Vec<String>) {
        if let Some((at, _)) = &mut self.back {
            *at += earlier.len();
        }
        earlier.append(&mut self.history);
        self.history = earlier;
    }

    /// Keeps a draft in the history, where another text comes in its place.
    pub(super) fn set_aside(&mut self) {
        if !self.is_empty() {
            self.take();
        }
    }

    /// Puts text in its place, the cursor at the end.
    pub(super) fn put(&mut self, text: &str) {
        self.show(&clean(text));
    }

    fn show(&mut self, text: &str) {
        self.area = TextArea::from(text.split('\n'));
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    /// Whether the cursor is in the first line, or in the last.
    pub(super) fn at_edge(&self, first: bool) -> bool {
        let DataCursor(row, _) = self.area.cursor();
        if first { row == 0 } else { row + 1 >= self.area.lines().len() }
    }

    /// The line of the cursor up to it, and what follows it there.
    pub(super) fn around(&self) -> (usize, String, String) {
        let DataCursor(row, column) = self.area.cursor();
        let line = self.area.lines().get(row).map_or("", String::as_str);
        (row, line.chars().take(column).collect(), line.chars().skip(column).collect())
    }

    /// Puts a text in the place of so many letters before the cursor.
    pub(super) fn replace(&mut self, letters: usize, text: &str) {
        for _ in 0..letters {
            self.area.delete_char();
        }
        self.area.insert_str(text);
    }

    /// An older or newer message; the draft comes back at the end.
    pub(super) fn recall(&mut self, older: bool) {
        let (at, draft) = match self.back.take() {
            Some(place) => place,
            None if older => (self.history.len(), self.raw()),
            None => return,
        };
        let next = if older { at.saturating_sub(1) } else { at + 1 };
        if let Some(text) = self.history.get(next).cloned() {
            self.put(&text);
            self.back = Some((next, draft));
        } else if older {
            self.back = Some((at, draft));
        } else {
            self.show(&draft);
        }
    }
}

/// Takes a key as typing, the same wherever text is typed: as in a shell, where the text area would take ctrl+u for undo.
pub(super) fn type_into(area: &mut TextArea<'static>, key: KeyEvent) {
    match (key.modifiers, key.code) {
        (KeyModifiers::CONTROL, KeyCode::Char('u')) => area.delete_line_by_head(),
        (KeyModifiers::CONTROL, KeyCode::Char('z')) => area.undo(),
        _ => area.input(key),
    };
}

/// Line ends made one kind, other control characters and those that stand for pastes left out.
fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|c| (!c.is_control() || matches!(c, '\n' | '\t')) && !reserved(*c)).collect()
}

fn reserved(letter: char) -> bool {
    letter >= FOLD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_gives_the_draft_back() {
        let mut composer = Composer::default();
        for text in ["one", "two"] {
            composer.put(text);
            composer.take();
        }
        composer.put("draft");
        composer.recall(true);
        composer.recall(true);
        composer.recall(true);
        assert_eq!(composer.text(), "one");
        composer.remember(vec!["zero".to_owned()]);
        composer.recall(true);
        assert_eq!(composer.text(), "zero");
        for _ in 0..3 {
            composer.recall(false);
        }
        assert_eq!(composer.text(), "draft");
    }

    #[test]
    fn pasted_control_characters_are_left_out() {
        let mut composer = Composer::default();
        composer.paste("a\r\nb\x1b[31mc\u{7}\u{100000}");
        assert_eq!(composer.text(), "a\nb[31mc");
    }

    #[test]
    fn a_large_paste_is_one_sign_and_is_sent_whole() {
        let mut composer = Composer::default();
        let pasted = "line\n".repeat(240);
        composer.put("look: ");
        assert_eq!(composer.paste(&pasted), None);
        composer.paste(&"x".repeat(3_000));
        let signs: Vec<String> = composer.raw().chars().filter_map(|letter| composer.folded(letter)).collect();
        assert_eq!(signs, ["[pasted 240 lines]", "[pasted 3,000 characters]"]);
        assert_eq!(composer.text(), format!("look: {pasted}{}", "x".repeat(3_000)));
        composer.replace(1, "");
        assert_eq!(composer.text(), format!("look: {pasted}"));
        // The history comes and goes; what was pasted stays.
        composer.recall(true);
        composer.recall(false);
        assert_eq!(composer.take(), format!("look: {pasted}"));
        assert_eq!((composer.text(), composer.history().len()), (String::new(), 1));
    }

    #[test]
    fn what_is_folded_can_be_unfolded() {
        let mut composer = Composer::default();
        let pasted = ["line"; 20].join("\n");
        composer.paste(&pasted);
        assert!(composer.unfold() && !composer.unfold());
        assert_eq!(composer.area().lines().len(), 20);
        assert_eq!(composer.text(), pasted);
    }

    #[test]
    fn more_than_a_message_holds_is_left_out_and_said() {
        let mut composer = Composer::default();
        let said = composer.paste(&"é".repeat(PASTED)).unwrap();
        assert!(said.starts_with("A message holds 1.0 MB: the last"), "{said}");
        assert_eq!(composer.text().len(), PASTED);
    }
}
