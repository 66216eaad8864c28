//! A row of a list: what is chosen, what choosing it does, and how it fits what was typed.

use super::keymap::{Command, Context};

/// Longest label or detail, and longest text typed, in bytes.
pub(super) const LONGEST: usize = 400;

/// What choosing a row does. Nothing here can approve an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// What a key would do there.
    Command(Context, Command),
    /// A `/` line, as if it were typed and sent; the draft stays.
    Line(String),
    /// Puts a text into the composer, to be completed or sent; a draft that stood there goes to the history.
    Type(String),
    /// The answer to whether to work in this folder.
    Folder(bool),
    /// Another look; shown as soon as the row is reached, put back when the list is left.
    Theme(String),
    /// Nothing: the row only says something.
    Nothing,
}

/// A row of a picker. Its texts may come from anywhere: they are neutralised where they are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What is chosen.
    pub label: String,
    /// More about it.
    pub detail: String,
    /// The key that does the same, or nothing.
    pub key: String,
    /// What choosing it does.
    pub pick: Pick,
    /// Known by both of its ends, as a path is: where there is no room it is cut in its middle.
    pub ends: bool,
}

impl Row {
    /// A row with nothing but a label.
    #[must_use]
    pub fn new(label: &str, pick: Pick) -> Self {
        Self { label: short(label), detail: String::new(), key: String::new(), pick, ends: false }
    }

    /// The same with more about it.
    #[must_use]
    pub fn detail(mut self, detail: &str) -> Self {
        self.detail = short(detail);
        self
    }

    /// The same, known by both of its ends.
    #[must_use]
    pub fn known_by_ends(mut self) -> Self {
        self.ends = true;
        self
    }

    /// The same with the key that does it.
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        key.clone_into(&mut self.key);
        self
    }
}

/// One line of a text, cut where it is too long.
fn short(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A row as it fits what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit<'a> {
    /// The row.
    pub row: &'a Row,
    /// Letters of its label that fit, by graphemes.
    pub label: Vec<u32>,
    /// Letters of its detail that fit.
    pub detail: Vec<u32>,
}
