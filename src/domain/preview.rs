//! What a waiting operation would do, measured beforehand without doing any of it. Told by the tool, kept in the
//! queue, shown in the dialog; it decides nothing, and no decision waits for it.

use super::operation::Text;
use super::risk::Span;
use super::table::Table;

/// What is known of the effects of an operation that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foresight {
    /// It is being measured.
    Measuring,
    /// There is nothing to tell: it changes nothing, or its text says everything.
    Nothing,
    /// This is what it would do.
    Measured(Box<Preview>),
    /// It can't be told beforehand; the sentence says why.
    Unmeasurable(String),
}

/// What a tool answers when it is asked for a preview: what it measured, nothing to tell, or a sentence that says
/// why it can't be told.
pub type Measurement = Result<Option<Preview>, String>;

impl From<Measurement> for Foresight {
    fn from(measured: Measurement) -> Self {
        match measured {
            Ok(Some(preview)) => Self::Measured(Box::new(preview)),
            Ok(None) => Self::Nothing,
            Err(reason) => Self::Unmeasurable(reason),
        }
    }
}

/// The effects of one operation. Its texts come from files and servers: not yet neutralised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// The effect in a few words, for the row: `328 rows`, `3 files, 12 kB`.
    pub brief: String,
    /// The effect in full sentences, the most important first. Two rows of the dialog stay in sight.
    pub effects: Vec<String>,
    /// Of the one table that it changes: how many of its rows.
    pub share: Option<Share>,
    /// What could go wrong, in full sentences; shown before the effects.
    pub warnings: Vec<String>,
    /// What it looks like in full: a diff, rows, files, a request. Shown in this order; bounded by the tool, and
    /// what is left out is said in it.
    pub details: Vec<Detail>,
    /// For each of the details, where its text (of rows: all cells, one after the other) holds secrets; filled in once
    /// all of it is measured.
    pub secrets: Vec<Vec<Span>>,
    /// Whether it could be undone.
    pub remedy: Remedy,
    /// Whether it could be tried before.
    pub trial: Trial,
}

/// What an operation comes to that surely fails, in the place of its effect.
pub const WOULD_FAIL: &str = "would fail";

impl Preview {
    /// Whether it surely fails as things are, so that nothing else of it matters.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.brief == WOULD_FAIL
    }
}

/// How many rows of a table are changed or deleted, at most, and how many it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Those that are changed or deleted.
    pub rows: u64,
    /// All of them.
    pub of: u64,
}

impl Share {
    /// Whether that is most of a table that isn't tiny: its `WHERE` then says little.
    #[must_use]
    pub fn is_most(self) -> bool {
        const TINY: u64 = 10;
        self.of > TINY && self.rows > self.of / 2
    }
}

/// Whether an operation could be tried: really run, in a transaction that is rolled back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trial {
    /// Trials are not for such operations.
    #[default]
    None,
    /// It can.
    Offered,
    /// It can't, in one sentence that says why: something of it might outlive the rollback.
    Refused(String),
}

/// One thing shown in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A unified diff.
    Diff {
        /// The lines, each behind ` `, `+`, `-`, or the `@@` of a hunk.
        text: String,
        /// The language of the file: its suffix, such as `rs`; empty where it has none.
        language: String,
    },
    /// Rows: a sample of a table's, or files.
    Rows {
        /// What they are, in a few words: `rows that match`.
        title: String,
        /// The rows; `total` counts those that are not here too.
        table: Table,
    },
    /// Any other text.
    Text(Text),
}

/// Whether an operation could be undone once it has run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing is known of it.
    #[default]
    Unknown,
    /// It can by this program, in one sentence that says how.
    Possible(String),
    /// It can, but this program doesn't: in one sentence that says how.
    ByHand(String),
    /// It can't, in one sentence that says why.
    Impossible(String),
    /// It isn't known before it runs, in one sentence that says why.
    Unsure(String),
}
