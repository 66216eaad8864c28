//! What the view keeps between frames so that it draws only what changed: rows of the conversation, of the output
//! and of the dialog. It is never state: dropping it changes nothing on the screen but the time a frame takes.

use std::sync::Arc;

use ratatui::text::Line;

use super::ansi::Printed;
use super::markdown::Markdown;
use super::paint::Page;
use super::printed;
use super::text;
use crate::app::{MaskStamp, Status};
use crate::domain::{Foresight, Judgement, OperationId, Preview, Seal, Table};

/// Rows that were made for earlier frames.
#[derive(Debug, Default)]
pub struct Cache {
    pub(super) chat: ChatRows,
    pub(super) output: OutputRows,
    pub(super) dialog: Option<DialogRows>,
    pub(super) details: Option<DetailRows>,
    /// Where the list of operations was.
    pub(super) anchor: Option<Anchor>,
    /// The first row that a dialog takes in this frame.
    pub(super) covered: Option<u16>,
}

/// Where the list of operations was in the frame before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    /// The selected operation, and whether it was done with.
    pub id: OperationId,
    pub closed: bool,
    /// The first visible row, and how far below it the selected one was.
    pub first: usize,
    pub offset: usize,
}

impl Cache {
    /// Forgets the rows, as colours came that they were made without.
    pub fn forget_rows(&mut self) {
        *self = Self { anchor: self.anchor, ..Self::default() };
    }
}

/// The conversation's rows at one width, in one theme.
#[derive(Debug, Default)]
pub(super) struct ChatRows {
    pub columns: usize,
    pub theme: String,
    pub masks: MaskStamp,
    pub slots: Vec<Slot>,
    /// What was looked for, in how many entries and rows, and how long the last one was then.
    pub found: Option<((String, usize, usize, usize), printed::Matches)>,
}

impl ChatRows {
    /// Keeps the rows only if width, theme, masks and the number of entries still fit.
    pub fn fit(&mut self, page: Page<'_>, entries: usize) {
        let (columns, masks) = (page.columns, page.masks.stamp());
        if self.theme != page.theme.name() || self.masks != masks || self.slots.len() > entries {
            *self = Self { columns, theme: page.theme.name().to_owned(), masks, ..Self::default() };
        } else if self.columns != columns {
            self.columns = columns;
            self.slots.clear();
        }
        self.slots.resize_with(entries, Slot::default);
    }
}

/// The rows of one entry.
#[derive(Debug, Default)]
pub(super) enum Slot {
    /// Nothing yet.
    #[default]
    Empty,
    /// A model's text.
    Text(Box<Markdown>),
    /// Text that doesn't grow, by a stamp of what it was made of.
    Lines(u64, Vec<Line<'static>>),
}

impl Slot {
    /// How many rows it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Text(markdown) => markdown.len(),
            Self::Lines(_, lines) => lines.len(),
        }
    }

    /// One of its rows.
    pub fn row(&self, at: usize) -> Option<Line<'_>> {
        match self {
            Self::Empty => None,
            Self::Text(markdown) => markdown.row(at),
            Self::Lines(_, lines) => lines.get(at).map(text::borrowed),
        }
    }
}

/// The rows of the output that is shown.
#[derive(Debug, Default)]
pub(super) struct OutputRows {
    /// What the rows were made of.
    pub key: Option<printed::Key>,
    pub lines: Vec<Printed>,
    /// How many lines they are without wrapping.
    pub unwrapped: u64,
    /// The first row of each line, where lines wrap.
    pub starts: Vec<u32>,
    /// What was looked for in them.
    pub found: Option<printed::Matches>,
    /// The table that `widths` is of, the width of each column, and which hold numbers.
    pub table: Option<Arc<Table>>,
    pub widths: Vec<usize>,
    pub numeric: Vec<bool>,
}

impl OutputRows {
    /// The line that a row belongs to.
    pub fn line_of(&self, row: usize) -> usize {
        if self.starts.is_empty() {
            return row;
        }
        self.starts.partition_point(|start| *start as usize <= row).saturating_sub(1)
    }

    /// The first row of a line.
    pub fn row_of(&self, line: usize) -> usize {
        if self.starts.is_empty() {
            line
        } else {
            self.starts.get(line).map_or(self.lines.len(), |start| *start as usize)
        }
    }

    /// Whether a row goes on with the line of the one before.
    pub fn goes_on(&self, row: usize) -> bool {
        !self.starts.is_empty() && self.row_of(self.line_of(row)) != row
    }
}

/// The rows of the page about one operation, but for those that change while it runs.
#[derive(Debug)]
pub(super) struct DetailRows {
    pub key: DetailKey,
    pub rest: Arc<Vec<Line<'static>>>,
}

/// What those rows were made of.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DetailKey {
    pub id: OperationId,
    /// Exactly which text, while it waits: an operation that came back changed waits as before.
    pub seal: Option<Seal>,
    pub judgement: Option<Judgement>,
    pub status: Status,
    pub foresight: Option<Foresight>,
    /// Bytes that it printed.
    pub bytes: u64,
    pub masks: MaskStamp,
    pub columns: usize,
    pub theme: String,
}

/// The rows of a dialog: of its operation's text, and of its preview once there is one.
#[derive(Debug)]
pub(super) struct DialogRows {
    pub seal: Seal,
    pub columns: usize,
    pub theme: String,
    /// Whether secrets are shown.
    pub revealed: bool,
    pub lines: Arc<Vec<Line<'static>>>,
    /// The derivation of a judgement, once it was looked at.
    pub derivation: Option<(Judgement, Arc<Vec<Line<'static>>>)>,
    /// The rows of a preview: measured anew, it is another one under the same seal.
    pub details: Option<(Preview, Arc<Vec<Line<'static>>>)>,
}
