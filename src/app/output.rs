//! The newest output of each operation, bounded, and what the output pane shows of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::State;
use super::event::Effect;
use super::grid::Grid;
use super::numbers::Numbers;
use super::scroll::Scroll;
use crate::domain::{Glass, Kept, Look, OperationId, OperationKind, Page, Printed, Recalled, Table, Tail};

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
    /// Lines that stay in sight where lines begin or cease to wrap, until it is scrolled.
    pub(super) held: Option<Held>,
    /// Columns from the left.
    pub left: usize,
    /// How its rows are looked at.
    pub grid: Grid,
    /// An earlier part of the output, read back from disk, in the place of its end.
    pub page: Option<Page>,
    /// What its terminal shows, while it runs in one.
    pub glass: Option<Glass>,
    /// The size that was asked for it.
    pub(super) asked: Option<(u16, u16)>,
    /// The disk was asked for a part, and hasn't answered yet.
    pub(super) looking: bool,
    /// It was printed in an earlier sitting, and is read once somebody looks.
    unread: bool,
}

/// Lines that stay in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// How far it was scrolled then.
    scroll: Scroll,
    /// The first line, and the one that was jumped to.
    lines: (usize, Option<usize>),
}

impl Default for Printout {
    fn default() -> Self {
        let (tail, grid) = (Tail::default(), Grid::default());
        Self {
            tail,
            table: None,
            scroll: Scroll::END,
            held: None,
            left: 0,
            grid,
            page: None,
            glass: None,
            asked: None,
            looking: false,
            unread: false,
        }
    }
}

impl Printout {
    /// What is shown of the text.
    #[must_use]
    pub fn pieces(&self) -> &Arc<[Printed]> {
        self.page.as_ref().map_or(&self.tail.pieces, |page| &page.pieces)
    }

    /// Bytes before what is shown, and up to its end.
    #[must_use]
    pub fn span(&self) -> (u64, u64) {
        self.page.as_ref().map_or((self.tail.from, self.tail.bytes), |page| (page.from, page.to))
    }

    /// Whether it was printed in an earlier sitting and isn't read back yet.
    #[must_use]
    pub fn unread(&self) -> bool {
        self.unread
    }

    /// The lines that are to stay in sight: the first one, and the one that was jumped to.
    #[must_use]
    pub fn stays(&self) -> Option<(usize, Option<usize>)> {
        self.held.filter(|held| held.scroll == self.scroll).map(|held| held.lines)
    }

    /// Whether it keeps the newest output in view.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.page.is_none() && self.scroll.follow
    }

    fn size(&self) -> usize {
        let cells = |table: &Arc<Table>| {
            table.rows.iter().flatten().map(|cell| cell.as_ref().map_or(8, |text| text.len() + 32)).sum::<usize>()
        };
        let text = |pieces: &[Printed]| pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
        let page = self.page.as_ref().map_or(0, |page| text(&page.pieces));
        text(&self.tail.pieces) + page + self.table.as_ref().map_or(0, cells)
    }
}

/// The output pane.
#[derive(Debug, Default)]
pub struct Output {
    printouts: BTreeMap<OperationId, Printout>,
    shown: Option<OperationId>,
    /// The person chose what is shown: newer operations don't take its place while it is so.
    pinned: bool,
    /// Long lines go on below rather than out at the side.
    pub(super) wrap: bool,
}

impl Output {
    /// The operation whose output is shown.
    #[must_use]
    pub fn shown(&self) -> Option<OperationId> {
        self.shown
    }

    /// Whether there is output that is newer than what is shown.
    #[must_use]
    pub fn newer(&self) -> bool {
        self.shown.is_some() && self.shown != self.printouts.keys().next_back().copied()
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

    /// Whether long lines go on below.
    #[must_use]
    pub fn wraps(&self) -> bool {
        self.wrap
    }

    /// What an operation printed.
    #[must_use]
    pub fn of(&self, id: OperationId) -> Option<&Printout> {
        self.printouts.get(&id)
    }

    /// The same, to change it.
    pub(super) fn of_mut(&mut self, id: OperationId) -> Option<&mut Printout> {
        self.printouts.get_mut(&id)
    }

    /// A new operation started: it is shown unless the person chose another one, or what is shown `stays`.
    pub(super) fn start(&mut self, id: OperationId, stays: bool) {
        self.printouts.insert(id, Printout::default());
        if !self.pinned && !stays {
            self.shown = Some(id);
        }
        self.trim();
    }

    /// Another operation comes in the place of what is shown, unless the person chose that.
    pub(super) fn pass_on(&mut self, id: OperationId) {
        if !self.pinned && self.printouts.contains_key(&id) {
            self.shown = Some(id);
        }
    }

    /// An operation of an earlier sitting ended: what is short is here, the rest is read when it is wanted.
    pub(super) fn leave(&mut self, id: OperationId, kept: Kept) {
        let mut printout = Printout::default();
        match kept {
            Kept::Nothing => {}
            Kept::Here(pieces) => {
                let text = |piece: &Printed| piece.text.len() as u64;
                let lines = pieces.iter().map(|piece| piece.text.lines().count() as u64).sum();
                let bytes = pieces.iter().map(text).sum();
                printout.tail = Tail { pieces: pieces.into(), lines, bytes, from: 0 };
            }
            Kept::Apart { lines, bytes } => {
                printout.tail = Tail { pieces: Arc::default(), lines, bytes, from: bytes };
                printout.unread = true;
            }
        }
        self.printouts.insert(id, printout);
        self.shown = Some(id);
        self.trim();
    }

    pub(super) fn tail(&mut self, id: OperationId, tail: Tail) {
        if let Some(printout) = self.printouts.get_mut(&id) {
            printout.tail = tail;
        }
    }

    /// What a terminal shows; none once it is gone.
    pub(super) fn glass(&mut self, id: OperationId, glass: Option<Glass>) {
        if let Some(printout) = self.printouts.get_mut(&id) {
            printout.glass = glass;
        }
    }

    pub(super) fn table(&mut self, id: OperationId, table: Arc<Table>) {
        if let Some(printout) = self.printouts.get_mut(&id) {
            printout.grid.arrange(&table);
            printout.table = Some(table);
            printout.scroll = Scroll::START;
        }
    }

    /// Shows the output of an operation that the person chose.
    pub(super) fn show(&mut self, id: OperationId) {
        if self.printouts.contains_key(&id) {
            if let Some(left) = self.printout_mut() {
                // What was read back from disk is read again when it is wanted.
                left.page = None;
            }
            self.shown = Some(id);
            self.pinned = self.printouts.keys().next_back() != Some(&id);
        }
    }

    /// Keeps what is shown where it is, whatever starts meanwhile.
    pub(super) fn pin(&mut self) {
        self.pinned = true;
    }

    /// Lets what starts next take the place of what is shown.
    pub(super) fn unpin(&mut self) {
        self.pinned = false;
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

impl State {
    /// Asks the disk for the output that is shown, where it is of an earlier sitting.
    pub(super) fn read_back(&mut self, effects: &mut Vec<Effect>) {
        if self.linear {
            return;
        }
        if let Some((id, printout)) = self.output.shown().zip(self.output.printout_mut())
            && std::mem::take(&mut printout.unread)
        {
            effects.push(Effect::Recall(id));
        }
    }

    /// The same for those that a line asks for.
    pub(super) fn read_back_some(&mut self, numbers: &Numbers, effects: &mut Vec<Effect>) {
        for (id, printout) in &mut self.output.printouts {
            if numbers.contains(*id) && std::mem::take(&mut printout.unread) {
                effects.push(Effect::Recall(*id));
            }
        }
    }

    /// What an operation printed in an earlier sitting came back from disk. True, as the screen changes.
    pub(super) fn recalled(&mut self, id: OperationId, recalled: Option<Recalled>) -> bool {
        match recalled {
            Some(Recalled::Table(table)) => self.output.table(id, table),
            Some(Recalled::Text(page)) => {
                if let Some(printout) = self.output.printouts.get_mut(&id) {
                    printout.tail.pieces = page.pieces;
                    printout.tail.from = page.from;
                    printout.tail.bytes = page.to;
                }
            }
            None => self.hint = Some(format!("What {id} printed is no longer kept.")),
        }
        true
    }

    /// Asks the disk for what lies before or after the part that is shown, once the person scrolled to its edge.
    pub(super) fn look_beyond(&mut self, forward: bool, effects: &mut Vec<Effect>) {
        self.leaf_beyond(forward, effects);
        let limit = self.sight.limits.output;
        let Some((id, printout)) = self.output.shown().zip(self.output.printout_mut()) else { return };
        let (from, to) = printout.span();
        let at_edge = if forward { printout.scroll.top >= limit } else { printout.scroll.first(limit, 0) == 0 };
        if printout.looking || !at_edge || printout.table.is_some() {
            return;
        }
        if forward && printout.page.is_some() {
            if to >= printout.tail.from {
                printout.page = None;
                printout.scroll = Scroll::END;
            } else {
                printout.looking = true;
                effects.push(Effect::Look(id, Look::At(to)));
            }
        } else if !forward && from > 0 {
            printout.looking = true;
            effects.push(Effect::Look(id, Look::At(from)));
        }
    }

    /// To the first or the newest output, wherever it is.
    pub(super) fn output_to(&mut self, end: bool, effects: &mut Vec<Effect>) {
        if self.scroll_terminal(if end { isize::MAX } else { isize::MIN }, effects) {
            return;
        }
        let limit = self.sight.limits.output;
        let Some((id, printout)) = self.output.shown().zip(self.output.printout_mut()) else { return };
        if end {
            printout.page = None;
            printout.scroll.to_end(limit, printout.table.is_none());
        } else {
            printout.scroll.to_start();
            if printout.span().0 > 0 && printout.table.is_none() && !printout.looking {
                printout.looking = true;
                effects.push(Effect::Look(id, Look::At(0)));
            }
        }
        self.leaf_to_edge(end, effects);
    }

    /// What was read, found or answered is looked at from its start; what a command printed, from its end.
    pub(super) fn begin_at_its_start(&mut self, id: OperationId, effects: &mut Vec<Effect>) {
        let prepared = self.queue.get(id).and_then(|item| item.prepared.as_ref());
        let read = prepared.is_some_and(|prepared| !matches!(prepared.operation.kind, OperationKind::Command(_)));
        let shown = self.output.shown() == Some(id);
        let Some(printout) = self.output.of_mut(id).filter(|printout| printout.table.is_none()) else { return };
        if !read || self.linear || !printout.follows() {
            return;
        }
        if printout.tail.from == 0 {
            printout.scroll.to_start();
        } else if shown {
            self.output_to(false, effects);
        }
    }

    /// A part of an output came back from disk.
    pub(super) fn looked(&mut self, id: OperationId, look: &Look, page: Option<Page>, effects: &mut Vec<Effect>) {
        let shown = self.output.shown() == Some(id);
        let rows = self.sight.rows.output;
        let Some(printout) = self.output.printouts.get_mut(&id) else { return };
        printout.looking = false;
        if !shown {
            return;
        }
        match (page, look) {
            (Some(page), _) => {
                let missing = matches!(look, Look::At(at) if page.to < *at || (*at > 0 && *at == page.to));
                let above = match look {
                    Look::At(0) => 0,
                    Look::At(at) if *at >= printout.span().1 => rows.saturating_sub(1),
                    Look::At(_) => 1,
                    Look::For { .. } => rows / 3,
                };
                // Above a later part stands a row that says what comes before it.
                let row = page.line + usize::from(page.from > 0 && matches!(look, Look::For { .. }));
                printout.scroll.to_row(row.saturating_sub(above));
                printout.page = Some(page);
                if missing {
                    self.hint = Some("This is the last part that is kept. G goes to the newest.".to_owned());
                }
                if matches!(look, Look::For { .. }) {
                    self.finds.output.row = Some(row);
                    if self.hint.as_deref().is_some_and(|hint| hint.starts_with("Looking")) {
                        self.hint = None;
                    }
                }
            }
            (None, Look::For { text, from, forward }) => {
                let end = if *forward { 0 } else { printout.tail.bytes };
                if *from == end {
                    self.hint = Some("Not found.".to_owned());
                    return;
                }
                printout.looking = true;
                self.hint = Some("That was the last one: on from the other end.".to_owned());
                effects.push(Effect::Look(id, Look::For { text: text.clone(), from: end, forward: *forward }));
            }
            (None, Look::At(_)) => self.hint = Some("What came before is not kept.".to_owned()),
        }
    }

    /// Lets long lines go on below, or no longer; what is in sight stays there.
    pub(super) fn wrap(&mut self) {
        self.output.wrap = !self.output.wrap;
        let lines = self.sight.lines;
        if let Some(printout) = self.output.printout_mut().filter(|printout| !printout.scroll.follow) {
            printout.held = lines.map(|lines| Held { scroll: printout.scroll, lines });
        }
    }

    /// A frame told at which rows the lines are now that were to stay.
    pub(super) fn held(&mut self, (top, row): (usize, Option<usize>)) {
        if let Some(printout) = self.output.printout_mut()
            && printout.held.take().is_some()
        {
            printout.scroll.to_row(top);
            self.finds.output.row = row;
        }
    }

    /// Follows the newest output, or holds what is shown.
    pub(super) fn follow(&mut self, effects: &mut Vec<Effect>) {
        let limit = self.sight.limits.output;
        match self.output.printout_mut() {
            Some(printout) if printout.table.is_none() && printout.follows() => printout.scroll.to_row(limit),
            Some(printout) if printout.table.is_none() => self.output_to(true, effects),
            Some(_) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Printed, Stream};

    fn tail(bytes: usize) -> Tail {
        let text = "x".repeat(bytes);
        Tail {
            pieces: [Printed { stream: Stream::Out, text: text.into() }].into(),
            lines: 1,
            bytes: bytes as u64,
            from: 0,
        }
    }

    #[test]
    fn the_oldest_output_goes_first_and_memory_stays_bounded() {
        let mut output = Output::default();
        for number in 1..=100 {
            output.start(OperationId(number), false);
            output.tail(OperationId(number), tail(256 * 1024));
        }
        assert!(output.printouts.len() <= 18, "{}", output.printouts.len());
        assert_eq!(output.shown(), Some(OperationId(100)));
    }

    #[test]
    fn what_the_person_chose_stays_shown() {
        let mut output = Output::default();
        output.start(OperationId(1), false);
        output.start(OperationId(2), false);
        output.step(false);
        output.start(OperationId(3), false);
        assert_eq!(output.shown(), Some(OperationId(1)));
    }
}
