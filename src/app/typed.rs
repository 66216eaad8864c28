//! Typing into the terminal of an operation that runs: entered by a key of the person's, left by one, and in between
//! every other key goes there, as a terminal would send it. Pasted text doesn't: it may be somebody else's words. The key
//! that enters may be the one that approves: who asked for a terminal of their own wants to type into it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::Value;

use super::State;
use super::event::{Effect, Pane};
use super::keymap::{Command, Context};
use super::modal::{Asking, Modal};
use super::queue::{Item, Status};
use crate::domain::{Edit, Glass, OperationId, OperationKind, Origin, ToolCall, Typed, unclaimed};

impl Item {
    /// Whether it is a command that has no terminal.
    #[must_use]
    pub fn lacks_terminal(&self) -> bool {
        matches!(self.prepared.as_ref().map(|prepared| &prepared.operation.kind),
            Some(OperationKind::Command(command)) if !command.terminal)
    }
}

impl State {
    /// The operation whose terminal gets the keys, if one does.
    #[must_use]
    pub fn typing_into(&self) -> Option<OperationId> {
        self.typing_into
    }

    /// The output pane's operation, if it runs in a terminal.
    #[must_use]
    pub fn terminal(&self) -> Option<(OperationId, &Glass)> {
        let id = self.output.shown()?;
        Some((id, self.output.printout()?.glass.as_ref()?))
    }

    /// From now on keys go into the terminal that is shown.
    pub(super) fn type_into(&mut self) {
        match self.terminal() {
            Some((id, _)) => {
                self.typing_into = Some(id);
                // Nobody types into what isn't on the screen.
                self.output.pin();
            }
            None => self.hint = Some("Keys go into a program that runs in a terminal; this one has none.".to_owned()),
        }
    }

    /// The person decided on something: if it is a command of their own in a terminal, keys are to go there once it is
    /// up. In `allow-all` no decision comes before, and the line that asked for it is the last key.
    pub(super) fn expect_terminal(&mut self, id: OperationId) {
        let own = |item: &super::Item| match &item.origin {
            Origin::Person => true,
            Origin::Again { .. } | Origin::Edited { .. } => !item.origin.by_model(),
            Origin::Model { .. } | Origin::Program { .. } | Origin::Beside { .. } => false,
        };
        self.enters = self.queue.get(id).filter(|item| own(item) && !self.linear).map(|item| item.id);
    }

    /// The terminal of an operation is up. Whoever pressed a key or clicked since, or looks at something that floats, types elsewhere.
    pub(super) fn enter_expected(&mut self, id: OperationId) {
        let free = self.modal.is_none() && self.prompt.is_none() && self.typing_into.is_none();
        if self.enters.take_if(|expected| *expected == id).is_some() && free {
            self.go(Pane::Output);
            self.output.show(id);
            self.type_into();
        }
    }

    /// Keys are the program's again.
    pub(super) fn stop_typing(&mut self) {
        if let Some(id) = self.typing_into.take() {
            self.output.show(id);
        }
    }

    /// A key while somebody types into a terminal.
    pub(super) fn terminal_key(&mut self, id: OperationId, key: KeyEvent, effects: &mut Vec<Effect>) {
        self.last_typed = Some(self.now);
        let key = named(key);
        let application = self.terminal().is_some_and(|(_, glass)| glass.application_cursor);
        match self.keymap.command(Context::Terminal, key) {
            Some(Command::LeaveTerminal) => self.stop_typing(),
            Some(_) | None => effects.extend(bytes(key, application).map(|bytes| Effect::Type(id, Typed::Keys(bytes)))),
        }
    }

    /// Something was pasted while somebody types into a terminal.
    pub(super) fn refuse_paste(&mut self) {
        self.hint = Some("Pasted text doesn't go into a terminal: type it.".to_owned());
    }

    /// Scrolls the terminal that is shown: its own side holds what scrolled out. False if none is shown.
    pub(super) fn scroll_terminal(&self, rows: isize, effects: &mut Vec<Effect>) -> bool {
        let shown = self.terminal().map(|(id, _)| id);
        effects.extend(shown.map(|id| Effect::Type(id, Typed::Scroll(rows))));
        shown.is_some()
    }

    /// Gives the terminal that is shown the size of the pane.
    pub(super) fn fit_terminal(&mut self, effects: &mut Vec<Effect>) {
        let Some(size) = self.sight.terminal else { return };
        let Some((id, printout)) = self.output.shown().zip(self.output.printout_mut()) else { return };
        if printout.glass.is_some() && printout.asked != Some(size) {
            printout.asked = Some(size);
            effects.push(Effect::Type(id, Typed::Size(size.0, size.1)));
        }
    }

    /// An operation ended: its terminal is gone. Keys that were meant for it decide nothing now.
    pub(super) fn terminal_ended(&mut self, id: OperationId) {
        if self.typing_into == Some(id) {
            self.stop_typing();
            self.last_typed = Some(self.now);
            self.hint = Some(format!("{id} ended, and its terminal with it."));
        }
    }

    /// Proposes the command of the dialog, or the selected one that waits, in a terminal, or again without one.
    pub(super) fn in_terminal(&mut self, effects: &mut Vec<Effect>) {
        let id = match &self.modal {
            Some(Modal::Confirm(dialog)) if matches!(dialog.asking, Asking::Choice) => dialog.id,
            Some(_) => return,
            None => {
                let shown = self.output.shown().filter(|_| self.focus == Pane::Output);
                match shown.or_else(|| self.queue.selected()) {
                    Some(id) => id,
                    None => return,
                }
            }
        };
        if self.queue.get(id).is_some_and(|item| item.status.closed() && item.lacks_terminal()) {
            return self.run_again_in(id, true, effects);
        }
        let changed = self.queue.get(id).filter(|item| item.status == Status::Waiting).and_then(|item| {
            let kind = &item.prepared.as_ref()?.operation.kind;
            let OperationKind::Command(command) = kind else { return None };
            let mut arguments = unclaimed(&item.call.arguments)?;
            arguments.insert("terminal".to_owned(), Value::Bool(!command.terminal));
            let (id, name) = (item.call.id.clone(), item.call.name.clone());
            let edit = if command.terminal { Edit::NoTerminal } else { Edit::Terminal };
            Some((ToolCall { id, name, arguments: Value::Object(arguments).to_string() }, edit))
        });
        let seal = self.queue.gate.seal(id);
        let proposed = match (changed, seal) {
            (Some((call, edit)), Some(seal)) => self.propose_edited((id, seal), edit, call, effects),
            _ => false,
        };
        let hint = "Only a command that waits or has ended can be given a terminal.".to_owned();
        if proposed {
            self.modal = None;
        } else if self.modal.is_some() {
            self.dialog_hint(hint);
        } else {
            self.hint = Some(hint);
        }
    }

    /// Somebody left the pane: no key goes into a terminal that isn't looked at.
    pub(super) fn left_for(&mut self, pane: Pane) {
        if pane != Pane::Output {
            self.stop_typing();
        }
    }
}

/// Terminals send ctrl and some signs as the same bytes as ctrl and a digit; they are told as the signs.
fn named(key: KeyEvent) -> KeyEvent {
    let code = match (key.code, key.modifiers) {
        (KeyCode::Char('4'), KeyModifiers::CONTROL) => KeyCode::Char('\\'),
        (KeyCode::Char('5'), KeyModifiers::CONTROL) => KeyCode::Char(']'),
        (KeyCode::Char('6'), KeyModifiers::CONTROL) => KeyCode::Char('^'),
        (KeyCode::Char('7'), KeyModifiers::CONTROL) => KeyCode::Char('_'),
        (code, _) => code,
    };
    KeyEvent { code, ..key }
}

/// A key as a terminal of the xterm family sends it; `application` is the other form of the arrow keys.
fn bytes(key: KeyEvent, application: bool) -> Option<Vec<u8>> {
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let held = 1
        + u8::from(key.modifiers.contains(KeyModifiers::SHIFT))
        + 2 * u8::from(alt)
        + 4 * u8::from(key.modifiers.contains(KeyModifiers::CONTROL));
    let letter = |letter: char| match (held, application) {
        (1, true) => format!("\x1bO{letter}"),
        (1, false) => format!("\x1b[{letter}"),
        _ => format!("\x1b[1;{held}{letter}"),
    };
    let number = |number: u8| if held == 1 { format!("\x1b[{number}~") } else { format!("\x1b[{number};{held}~") };
    let escaped = |text: &str| if alt { format!("\x1b{text}") } else { text.to_owned() };
    let sent = match key.code {
        KeyCode::Char(sign) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            let byte = match sign.to_ascii_lowercase() {
                ' ' | '@' => 0,
                letter @ 'a'..='z' => letter as u8 - b'a' + 1,
                sign @ ('[' | '\\' | ']' | '^' | '_') => sign as u8 - b'@',
                '?' => 0x7f,
                _ => return None,
            };
            escaped(&char::from(byte).to_string())
        }
        KeyCode::Char(sign) => escaped(&sign.to_string()),
        KeyCode::Enter => escaped("\r"),
        KeyCode::Tab => escaped("\t"),
        KeyCode::BackTab => "\x1b[Z".to_owned(),
        KeyCode::Backspace => escaped("\x7f"),
        KeyCode::Esc => escaped("\x1b"),
        KeyCode::Up => letter('A'),
        KeyCode::Down => letter('B'),
        KeyCode::Right => letter('C'),
        KeyCode::Left => letter('D'),
        KeyCode::Home => letter('H'),
        KeyCode::End => letter('F'),
        KeyCode::Insert => number(2),
        KeyCode::Delete => number(3),
        KeyCode::PageUp => number(5),
        KeyCode::PageDown => number(6),
        KeyCode::F(nth @ 1..=4) if held == 1 => format!("\x1bO{}", char::from(b'P' + nth - 1)),
        KeyCode::F(nth @ 1..=4) => format!("\x1b[1;{held}{}", char::from(b'P' + nth - 1)),
        KeyCode::F(5) => number(15),
        KeyCode::F(nth @ 6..=10) => number(nth + 11),
        KeyCode::F(nth @ 11..=12) => number(nth + 12),
        _ => return None,
    };
    Some(sent.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sent_as_a_terminal_sends_them() {
        let sent = |code, modifiers| String::from_utf8(bytes(KeyEvent::new(code, modifiers), false).unwrap()).unwrap();
        let (none, control, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
        for (code, modifiers, wanted) in [
            (KeyCode::Char('ü'), none, "ü"),
            (KeyCode::Char('c'), control, "\x03"),
            (KeyCode::Char(' '), control, "\0"),
            (KeyCode::Char('\\'), control, "\x1c"),
            (KeyCode::Char('b'), alt, "\x1bb"),
            (KeyCode::Enter, none, "\r"),
            (KeyCode::Backspace, none, "\x7f"),
            (KeyCode::Up, none, "\x1b[A"),
            (KeyCode::Left, control, "\x1b[1;5D"),
            (KeyCode::Delete, none, "\x1b[3~"),
            (KeyCode::F(1), none, "\x1bOP"),
            (KeyCode::F(5), none, "\x1b[15~"),
            (KeyCode::F(6), none, "\x1b[17~"),
            (KeyCode::F(10), none, "\x1b[21~"),
            (KeyCode::F(11), none, "\x1b[23~"),
            (KeyCode::F(12), none, "\x1b[24~"),
        ] {
            assert_eq!(sent(code, modifiers), wanted, "{code:?}");
        }
        assert_eq!(bytes(KeyEvent::new(KeyCode::Down, none), true).unwrap(), b"\x1bOB");
        assert_eq!(bytes(KeyEvent::new(KeyCode::Char('1'), control), true), None);
    }
}
