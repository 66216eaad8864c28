//! The composer: what the person is typing, and what they typed before.

use crossterm::event::KeyEvent;
use tui_textarea::TextArea;

/// How many sent messages are remembered.
const HISTORY: usize = 200;

/// The text area at the bottom and its history.
#[derive(Debug, Default)]
pub struct Composer {
    area: TextArea<'static>,
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

    /// What stands in it.
    #[must_use]
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether nothing stands in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.area.lines().iter().all(String::is_empty)
    }

    /// Takes a key as typing.
    pub(super) fn key(&mut self, key: KeyEvent) {
        self.area.input(key);
    }

    pub(super) fn newline(&mut self) {
        self.area.insert_newline();
    }

    /// Takes pasted text, line ends made one kind, other control characters left out.
    pub(super) fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.area.insert_str(text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect::<String>());
    }

    /// Takes the message out and remembers it.
    pub(super) fn take(&mut self) -> String {
        let text = self.text();
        self.area = TextArea::default();
        self.back = None;
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text.clone());
            if self.history.len() > HISTORY {
                self.history.remove(0);
            }
        }
        text
    }

    /// Keeps a draft in the history, where another text comes in its place.
    pub(super) fn set_aside(&mut self) {
        if !self.is_empty() {
            self.take();
        }
    }

    /// Puts text in its place, the cursor at the end.
    pub(super) fn put(&mut self, text: &str) {
        self.area = TextArea::from(text.split('\n'));
        self.area.move_cursor(tui_textarea::CursorMove::Bottom);
        self.area.move_cursor(tui_textarea::CursorMove::End);
    }

    /// An older or newer message; the draft comes back at the end.
    pub(super) fn recall(&mut self, older: bool) {
        let (at, draft) = match self.back.take() {
            Some(place) => place,
            None if older => (self.history.len(), self.text()),
            None => return,
        };
        let next = if older { at.saturating_sub(1) } else { at + 1 };
        if let Some(text) = self.history.get(next).cloned() {
            self.put(&text);
            self.back = Some((next, draft));
        } else if older {
            self.back = Some((at, draft));
        } else {
            self.put(&draft);
        }
    }
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
        composer.recall(false);
        composer.recall(false);
        assert_eq!(composer.text(), "draft");
    }

    #[test]
    fn pasted_control_characters_are_left_out() {
        let mut composer = Composer::default();
        composer.paste("a\r\nb\x1b[31mc\u{7}");
        assert_eq!(composer.text(), "a\nb[31mc");
    }
}
