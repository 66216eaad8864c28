//! Leafing through a result that is longer than what is held of it: at the edge of the rows that are here the disk is
//! asked for those around it, and what was in view stays where it is.

use std::sync::Arc;

use super::State;
use super::event::Effect;
use super::grid::Shape;
use super::output::Printout;
use crate::domain::{Leaf, OperationId};

impl Printout {
    /// Whether all rows of its table can be leafed to as it is shown now: a sorted or filtered one is that of the rows
    /// that are here.
    fn leafs(&self) -> bool {
        self.table.as_ref().is_some_and(|table| table.kept > 0) && self.grid.plain() && self.grid.shape == Shape::Rows
    }
}

impl State {
    /// Asks for more rows, once the person scrolled to the edge of those that are here.
    pub(super) fn leaf_beyond(&mut self, forward: bool, effects: &mut Vec<Effect>) {
        let limit = self.sight.limits.output;
        let Some(printout) = self.output.printout().filter(|printout| printout.leafs()) else { return };
        let Some(table) = &printout.table else { return };
        if forward && printout.scroll.top >= limit && table.end() < table.kept {
            let end = table.end();
            self.leaf_to(end, effects);
        } else if !forward && printout.scroll.top == 0 && table.first > 0 {
            let first = table.first;
            self.leaf_to(first, effects);
        }
    }

    /// To the very first rows of a table, or the last ones that are kept.
    pub(super) fn leaf_to_edge(&mut self, end: bool, effects: &mut Vec<Effect>) {
        let Some(printout) = self.output.printout().filter(|printout| printout.leafs()) else { return };
        let Some(table) = &printout.table else { return };
        let (here, wanted) = if end { (table.end(), table.kept) } else { (table.first, 0) };
        if here != wanted {
            self.leaf_to(wanted, effects);
        }
    }

    fn leaf_to(&mut self, row: u64, effects: &mut Vec<Effect>) {
        let Some((id, printout)) = self.output.shown().zip(self.output.printout_mut()) else { return };
        if !std::mem::replace(&mut printout.looking, true) {
            effects.push(Effect::Leaf(id, row));
        }
    }

    /// Rows around one came back from disk.
    pub(super) fn leafed(&mut self, id: OperationId, at: u64, leaf: Option<Leaf>) {
        let shown = self.output.shown() == Some(id);
        let Some(printout) = self.output.of_mut(id) else { return };
        printout.looking = false;
        // Whoever sorted, or went on to another output meanwhile, doesn't leaf any more.
        if !shown || !printout.leafs() {
            return;
        }
        let (Some(leaf), Some(table)) = (leaf, &printout.table) else {
            self.hint = Some("The other rows of this result are no longer kept.".to_owned());
            return;
        };
        let top = match at {
            0 => 0,
            at if at == table.kept => u64::MAX,
            _ => (table.first + printout.scroll.top as u64).saturating_sub(leaf.first),
        };
        printout.table = Some(Arc::new(table.leafed(leaf)));
        printout.scroll.to_row(usize::try_from(top).unwrap_or(usize::MAX));
    }

    /// Says that a result is longer than what is sorted or filtered.
    pub(super) fn only_held(&mut self, done: &str, all: &str) {
        let table = self.output.printout().and_then(|printout| printout.table.as_ref());
        let Some(table) = table.filter(|table| (table.rows.len() as u64) < table.total) else { return };
        let held = crate::domain::number::thousands(table.rows.len() as u64);
        self.hint = Some(format!("Only the {held} rows that are here are {done}: {all} all of them."));
    }
}
