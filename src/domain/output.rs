//! What a running operation says: a bounded tail of its output, a table, and how it ended.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::undo::Undoable;

/// Which stream of a child a piece of output came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output, or a tool's own text.
    Out,
    /// Standard error.
    Err,
}

/// A piece of output of one stream. Raw bytes of the child as lossy UTF-8: not yet neutralised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Where it came from.
    pub stream: Stream,
    /// The text.
    pub text: Arc<str>,
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
}

/// Rows of an SQL result. Cells are text as the engine prints it; none is NULL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Column names.
    pub columns: Vec<String>,
    /// The engine's type names, as many as columns.
    pub types: Vec<String>,
    /// The first rows, bounded by the task that makes it.
    pub rows: Vec<Vec<Option<String>>>,
    /// Rows in all.
    pub total: u64,
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

/// What a running operation tells the loop.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// It was journalled and has started.
    Started,
    /// The newest output; at most one for each frame.
    Tail(Tail),
    /// Rows.
    Table(Arc<Table>),
    /// What it did can be taken back.
    Undoable(Undoable),
    /// It ran staged, and what it would change of what was there waits in its layer: which, in a few words.
    Waits(String),
    /// A sentence of the program's own about the run.
    Note(String),
    /// It failed, and a wall may have stopped it.
    Stopped,
    /// The last word.
    Finished(RunReport),
}
