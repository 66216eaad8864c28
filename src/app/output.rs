//! The newest output of each operation, bounded, and what the output pane shows of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::scroll::Scroll;
use crate::domain::{OperationId, Table, Tail};

/// Bytes of output that are held over all operations; the oldest go first.
const HELD: usize = 4 * 1024 * 1024;

/// What one operation printed.
#[derive(Clone, Debug)]
pub struct Printout {
    /// The end of its output.
    pub tail: Tail,
    /// Its rows, for a query.
    pub table: Option<Arc<Table>>,
    /// Rows from the start.
    pub scroll: Scroll,
    /// Columns from the left.
    pub left: usize,
}

impl Default for Printout {
    fn default() -> Self {
        Self { tail: Tail::default(), table: None, scroll: Scroll::END, left: 0 }
    }
}

impl Printout {
    fn size(&self) -> usize {
        let cells = |table: &Arc<Table>| {
            table.rows.iter().flatten().map(|cell| cell.as_ref().map_or(8, |text| text.len() + 32)).sum::<usize>()
        };
        self.tail.pieces.iter().map(|piece| piece.text.len()).sum::<usize>() + self.table.as_ref().map_or(0, cells)
    }
}

/// The output pane.
#[derive(Debug, Default)]
pub struct Output {
    printouts: BTreeMap<OperationId, Printout>,
    shown: Option<OperationId>,
    /// The person chose what is shown: newer operations don't take its place while it is so.
    pinned: bool,
}

impl Output {
    /// The operation whose output is shown.
    #[must_use]
    pub fn shown(&self) -> Option<OperationId> {
        self.shown
    }

    /// What is shown of it.
    #[must_use]
    pub fn printout(&self) -> Option<&Printout> {
        self.shown.and_then(|id| self.printouts.get(&id))
    }

    /// The same, to scroll it.
    pub fn printout_mut(&mut self) -> Option<&mut Printout> {
        self.shown.and_then(|id| self.printouts.get_mut(&id))
    }

    /// What an operation printed.
    #[must_use]
    pub fn of(&self, id: OperationId) -> Option<&Printout> {
        self.printouts.get(&id)
    }

    /// A new operation started: it is shown unless the person chose another one.
    pub(super) fn start(&mut self, id: OperationId) {
        self.printouts.insert(id, Printout::default());
        if !self.pinned {
            self.shown = Some(id);
        }
        self.trim();
    }

    pub(super) fn tail(&mut self, id: OperationId, tail: Tail) {
        if let Some(printout) = self.printouts.get_mut(&id) {
            printout.tail = tail;
        }
    }

    pub(super) fn table(&mut self, id: OperationId, table: Arc<Table>) {
        if let Some(printout) = self.printouts.get_mut(&id) {
            printout.table = Some(table);
            printout.scroll = Scroll::START;
        }
    }

    /// Shows the output of an operation that the person chose.
    pub(super) fn show(&mut self, id: OperationId) {
        if self.printouts.contains_key(&id) {
            self.shown = Some(id);
            self.pinned = self.printouts.keys().next_back() != Some(&id);
        }
    }

    /// Shows the output before or after the one that is shown.
    pub(super) fn step(&mut self, forward: bool) {
        let Some(shown) = self.shown else { return };
        let next = if forward {
            self.printouts.keys().find(|id| **id > shown)
        } else {
            self.printouts.keys().rev().find(|id| **id < shown)
        };
        if let Some(id) = next.copied() {
            self.show(id);
        }
    }

    /// Lets the oldest go once the whole is over its bound.
    fn trim(&mut self) {
        let mut held: usize = self.printouts.values().map(Printout::size).sum();
        while held > HELD && self.printouts.len() > 1 {
            let Some((id, oldest)) = self.printouts.pop_first() else { break };
            held -= oldest.size();
            if self.shown == Some(id) {
                self.shown = self.printouts.keys().next_back().copied();
                self.pinned = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Printed, Stream};

    fn tail(bytes: usize) -> Tail {
        let text = "x".repeat(bytes);
        Tail { pieces: [Printed { stream: Stream::Out, text: text.into() }].into(), lines: 1, bytes: bytes as u64 }
    }

    #[test]
    fn the_oldest_output_goes_first_and_memory_stays_bounded() {
        let mut output = Output::default();
        for number in 1..=100 {
            output.start(OperationId(number));
            output.tail(OperationId(number), tail(256 * 1024));
        }
        assert!(output.printouts.len() <= 18, "{}", output.printouts.len());
        assert_eq!(output.shown(), Some(OperationId(100)));
    }

    #[test]
    fn what_the_person_chose_stays_shown() {
        let mut output = Output::default();
        output.start(OperationId(1));
        output.start(OperationId(2));
        output.step(false);
        output.start(OperationId(3));
        assert_eq!(output.shown(), Some(OperationId(1)));
    }
}
