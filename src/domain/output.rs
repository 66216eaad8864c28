//! What a running operation says: a bounded tail of its output, a table, and how it ended.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::chat::{ToolCall, Usage};
use super::table::Table;
use super::undo::Undoable;

/// Which stream of a child a piece of output came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output, or a tool's own text.
    Out,
    /// Standard error.
    Err,
}

/// A piece of output of one stream. Raw bytes of the child as lossy UTF-8: not yet neutralised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// Where it came from.
    pub stream: Stream,
    /// The text.
    #[serde(with = "shared")]
    pub text: Arc<str>,
}

/// A shared text as the text that it is.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(from).map(Into::into)
    }
}

/// A snapshot of the end of an operation's output. The running task owns the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// The newest pieces, oldest first; bounded by the task that makes it.
    pub pieces: Arc<[Printed]>,
    /// Lines in all, those that are no longer held included.
    pub lines: u64,
    /// Bytes in all.
    pub bytes: u64,
    /// Bytes before the first piece.
    pub from: u64,
}

/// A part of an output that was kept on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Its pieces.
    pub pieces: Arc<[Printed]>,
    /// Bytes before it.
    pub from: u64,
    /// Bytes up to its end.
    pub to: u64,
    /// Lines of it before the one that was looked for.
    pub line: usize,
}

/// Where what an operation printed is kept once it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kept {
    /// It printed nothing.
    #[default]
    Nothing,
    /// Here: it is short.
    Here(Vec<Printed>),
    /// In files of its own, as far as there was room.
    Apart {
        /// Lines in all.
        lines: u64,
        /// Bytes in all.
        bytes: u64,
    },
}

/// What an operation printed in an earlier sitting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// Rows.
    Table(Arc<Table>),
    /// The last part of a text.
    Text(Page),
}

/// Which part of a kept output is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// The part around this byte.
    At(u64),
    /// The part around the next line with this text, before or after this byte.
    For {
        /// The text.
        text: String,
        /// The byte.
        from: u64,
        /// After it.
        forward: bool,
    },
}

/// The regular expression that finds a text that a person typed: as it stands, whatever its case unless it has a
/// capital.
#[must_use]
pub fn sought(text: &str) -> String {
    let mut expression = if text.chars().any(char::is_uppercase) { String::new() } else { "(?i)".to_owned() };
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            expression.push('\\');
        }
        expression.push(c);
    }
    expression
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It did what it was asked.
    Succeeded {
        /// Short figure for the list, such as `12 rows` or `exit 0`.
        summary: String,
    },
    /// It failed, in one sentence.
    Failed {
        /// What happened and what to do.
        reason: String,
    },
    /// The person or the end of the turn stopped it.
    Cancelled,
    /// It reached its time limit.
    TimedOut {
        /// The limit in seconds.
        seconds: u64,
    },
    /// The program ended while it ran: nobody knows.
    Lost,
}

/// The end of a run: how, and what the model reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// How it ended.
    pub outcome: Outcome,
    /// The text for the model, already cut to head and tail.
    pub result: String,
    /// Time it took.
    pub took: Duration,
}

/// What the terminal of a running operation shows. Text of others, with colours: not yet neutralised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glass {
    /// Its rows, each ending in a line feed.
    pub text: Arc<str>,
    /// How many rows and columns it has.
    pub size: (u16, u16),
    /// Row and column of the cursor, from 0, unless it is hidden.
    pub cursor: Option<(u16, u16)>,
    /// Its program wants arrow keys in their other form.
    pub application_cursor: bool,
    /// Rows between its end and what is shown: the person looks at what scrolled out.
    pub back: usize,
}

/// What goes to the terminal of a running operation.
#[derive(Clone, PartialEq, Eq)]
pub enum Typed {
    /// What the person typed, as bytes. It may be a password: it is neither kept nor shown.
    Keys(Vec<u8>),
    /// It has so many rows and columns now.
    Size(u16, u16),
    /// The person scrolls by so many rows; upwards they are negative.
    Scroll(isize),
}

impl std::fmt::Debug for Typed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Keys(bytes) => write!(f, "Keys({} bytes)", bytes.len()),
            Self::Size(rows, columns) => write!(f, "Size({rows}, {columns})"),
            Self::Scroll(rows) => write!(f, "Scroll({rows})"),
        }
    }
}

/// A part of a result that is no text, kept beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its number in the result, from 1.
    pub number: usize,
    /// What a file of it ends in, without the dot.
    pub ending: String,
    /// Its size.
    pub bytes: u64,
}

/// What a running operation tells the loop.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// It was journalled and has started.
    Started,
    /// The newest output; at most one for each frame.
    Tail(Tail),
    /// What its terminal shows; at most one for each frame.
    Glass(Glass),
    /// Rows.
    Table(Arc<Table>),
    /// What it did can be taken back.
    Undoable(Undoable),
    /// It ran staged, and what it would change of what was there waits in its layer: which, in a few words.
    Waits(String),
    /// A sentence of the program's own about the run.
    Note(String),
    /// Parts of its result are kept, which are no text.
    Parts(Vec<Part>),
    /// Somebody asks for something while it runs: this operation would answer.
    Asks(ToolCall),
    /// Tokens that it took of the session's model.
    Used(Usage),
    /// The same, and the person must not miss it.
    Warning(String),
    /// It failed, and a wall may have stopped it.
    Stopped,
    /// The last word.
    Finished(RunReport),
}
