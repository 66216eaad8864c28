//! Keys as the keymap writes them: one with its modifiers, or two letters after one another.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers, as the keymap writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        // A shifted letter arrives as its capital; terminals disagree on whether they also say "shift".
        let plain = matches!(event.code, KeyCode::Char(_) | KeyCode::BackTab);
        let modifiers = if plain { event.modifiers - KeyModifiers::SHIFT } else { event.modifiers };
        let kept = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        Self { code: event.code, modifiers: modifiers & kept }
    }
}

impl From<Key> for KeyEvent {
    fn from(key: Key) -> Self {
        Self::new(key.code, key.modifiers)
    }
}

impl Key {
    /// Reads a key such as `ctrl+c`, `shift+tab`, `A`, `pageup`, `f1`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (modifiers, name) = match text.rsplit_once('+') {
            Some((left, name)) if !name.is_empty() => (left, name),
            _ => ("", text),
        };
        let mut held = KeyModifiers::NONE;
        for word in modifiers.split('+').filter(|word| !word.is_empty()) {
            held |= match word {
                "ctrl" => KeyModifiers::CONTROL,
                "alt" => KeyModifiers::ALT,
                "shift" => KeyModifiers::SHIFT,
                _ => return None,
            };
        }
        if name == "tab" && held.contains(KeyModifiers::SHIFT) {
            return Some(Self { code: KeyCode::BackTab, modifiers: held - KeyModifiers::SHIFT });
        }
        Some(Self { code: code(name)?, modifiers: held })
    }
}

fn code(name: &str) -> Option<KeyCode> {
    if let Some((code, ..)) = ARROWS.iter().find(|(_, word, drawn)| [*word, *drawn].contains(&name)) {
        return Some(*code);
    }
    Some(match name {
        "tab" => KeyCode::Tab,
        "esc" => KeyCode::Esc,
        "enter" => KeyCode::Enter,
        "space" => KeyCode::Char(' '),
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pageup" => KeyCode::PageUp,
        "pagedown" => KeyCode::PageDown,
        "delete" => KeyCode::Delete,
        "backspace" => KeyCode::Backspace,
        _ => {
            let mut letters = name.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => KeyCode::Char(letter),
                (Some('f'), Some(_)) => KeyCode::F(name[1..].parse().ok().filter(|n| (1..=12).contains(n))?),
                _ => return None,
            }
        }
    })
}

/// The arrows, as the keymap names them and as hints draw them.
const ARROWS: [(KeyCode, &str, &str); 4] = [
    (KeyCode::Up, "up", "↑"),
    (KeyCode::Down, "down", "↓"),
    (KeyCode::Left, "left", "←"),
    (KeyCode::Right, "right", "→"),
];

impl Key {
    /// How an arrow is drawn, if it is one, alone.
    fn arrow(self) -> Option<&'static str> {
        let drawn = ARROWS.iter().find(|(code, ..)| *code == self.code).map(|(.., drawn)| *drawn);
        drawn.filter(|_| self.modifiers.is_empty())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, word) in
            [(KeyModifiers::CONTROL, "ctrl+"), (KeyModifiers::ALT, "alt+"), (KeyModifiers::SHIFT, "shift+")]
        {
            if self.modifiers.contains(modifier) {
                f.write_str(word)?;
            }
        }
        match self.code {
            KeyCode::BackTab => f.write_str("shift+tab"),
            KeyCode::Char(' ') => f.write_str("space"),
            KeyCode::Char(letter) => write!(f, "{letter}"),
            KeyCode::F(number) => write!(f, "f{number}"),
            KeyCode::Esc => f.write_str("esc"),
            KeyCode::PageUp => f.write_str("pageup"),
            KeyCode::PageDown => f.write_str("pagedown"),
            other => f.write_str(&format!("{other:?}").to_lowercase()),
        }
    }
}

/// What a command is bound to: a key, or one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Keys {
    /// The one that is pressed before, if there is one.
    pub(super) before: Option<Key>,
    /// The one that counts.
    pub(super) key: Key,
}

impl Keys {
    /// Reads a key, or two letters such as `gg`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(key) = Key::parse(text) {
            return Some(Self { before: None, key });
        }
        let mut letters = text.chars().map(|letter| Key::parse(&letter.to_string()));
        match (letters.next(), letters.next(), letters.next()) {
            (Some(before), Some(Some(key)), None) => Some(Self { before: Some(before?), key }),
            _ => None,
        }
    }
}

impl Keys {
    /// Whether it is an arrow, alone.
    pub(super) fn is_arrow(&self) -> bool {
        self.before.is_none() && self.key.arrow().is_some()
    }

    /// How hints name it.
    pub(super) fn hint(&self) -> String {
        self.key.arrow().filter(|_| self.before.is_none()).map_or_else(|| self.to_string(), str::to_owned)
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(before) = self.before {
            write!(f, "{before}")?;
        }
        write!(f, "{}", self.key)
    }
}
