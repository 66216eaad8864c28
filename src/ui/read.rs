//! Output as it is read by lines: its end when it ended, and from its start a part at a time, from the disk where it is
//! too long to be held.

use std::collections::BTreeMap;

use super::ansi::{self, Printed};
use super::dressed;
use super::item;
use super::linear::flat;
use super::number;
use super::paint::View;
use super::table;
use crate::app::Printout;
use crate::domain::{Look, OperationId, OperationKind, Page, Stream};

/// Lines that are told unasked.
pub const SHOWN: usize = 20;
/// Lines that are told at once when they are asked for.
const MOST: usize = 1_000;
/// Columns of a table's row.
const ROW: usize = 200;

/// How far outputs were read.
#[derive(Debug, Default)]
pub struct Reading {
    places: BTreeMap<OperationId, Place>,
    looks: Vec<(OperationId, Look)>,
}

/// Where in an output the next part begins.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The byte that the disk is asked for.
    from: u64,
    /// Lines behind it that were told already.
    skip: usize,
    /// Lines that were told in all.
    told: usize,
}

/// The last lines of what a command printed, the first ones of what was read, found or answered.
pub fn ending(view: View<'_>, id: OperationId) -> Vec<String> {
    let Some(printout) = view.state.output.of(id) else { return Vec::new() };
    let (mut rows, number) = (held(view, printout), id.0);
    let all = all(printout, &rows);
    let shown = rows.len().min(SHOWN);
    let more = all.saturating_sub(shown as u64);
    let kind = view.state.queue.get(id).and_then(|item| item.prepared.as_ref()).map(|it| &it.operation.kind);
    if printout.tail.from > 0 || matches!(kind, Some(OperationKind::Command(_))) {
        rows.drain(..rows.len() - shown);
        if more > 0 {
            rows.insert(0, format!("{} before these: output {number}", lines(more)));
        }
    } else if more > 0 {
        rows.truncate(shown);
        rows.push(format!("{} more: output {number}", lines(more)));
    }
    rows
}

impl Reading {
    /// The next part of an output, or its last one: as lines if it is held, else it is asked for.
    pub fn go_on(&mut self, view: View<'_>, id: OperationId, end: bool) -> Vec<String> {
        let number = id.0;
        let Some(printout) = view.state.output.of(id) else {
            return vec![format!("operation {number} has no output")];
        };
        if printout.unread() {
            return vec![format!("the output of operation {number} is read back:")];
        }
        let place = self.places.get(&id).copied().unwrap_or_default();
        if !end && printout.tail.from > 0 && printout.table.is_none() {
            self.looks.push((id, Look::At(place.from)));
            return vec![format!(
                "output of operation {number}, from line {}:",
                number::thousands(place.told as u64 + 1)
            )];
        }
        let rows = held(view, printout);
        let all = all(printout, &rows);
        if all == 0 {
            return vec![format!("operation {number} printed nothing")];
        }
        let (from, to) = if end { (rows.len().saturating_sub(MOST), rows.len()) } else { span(place.told, rows.len()) };
        let before = all.saturating_sub(rows.len() as u64) + from as u64;
        let mut told = vec![format!("output of operation {number}, from line {}:", number::thousands(before + 1))];
        told.extend(rows[from..to].iter().cloned());
        self.places.insert(id, Place { told: to, ..Place::default() });
        self.close(view, id, (to >= rows.len(), before + (to - from) as u64, all), &mut told);
        told
    }

    /// A part came from the disk.
    pub fn looked(&mut self, view: View<'_>, id: OperationId, page: Option<&Page>) -> Vec<String> {
        let Some((page, printout)) = page.zip(view.state.output.of(id)) else {
            return vec![format!("the output of operation {} is no longer kept", id.0)];
        };
        let place = self.places.entry(id).or_default();
        let pieces = page.pieces.iter().map(|piece| (piece.stream == Stream::Err, piece.text.as_ref()));
        let rows = printed(&dressed::masked(view, ansi::lines(pieces)));
        let from = (page.line + place.skip).min(rows.len());
        let to = rows.len().min(from + MOST);
        let mut told = rows[from..to].to_vec();
        place.told += to - from;
        if to < rows.len() {
            place.skip += to - from;
        } else {
            (place.from, place.skip) = (page.to, 0);
        }
        let (at, over) = (place.told as u64, to >= rows.len() && page.to >= printout.tail.bytes);
        self.close(view, id, (over, at, printout.tail.lines.max(at)), &mut told);
        told
    }

    /// Says how to go on, or that it was all.
    fn close(&mut self, view: View<'_>, id: OperationId, (over, at, all): (bool, u64, u64), told: &mut Vec<String>) {
        let number = id.0;
        let found = view.state.queue.get(id).and_then(item::found);
        if over {
            self.places.remove(&id);
            let all = found.unwrap_or_else(|| lines(all));
            told.push(format!("end of the output of operation {number}, {all}"));
        } else {
            let at = number::thousands(at);
            told.push(format!("{at} of {}: output {number} goes on, output {number} end tells the last", lines(all)));
        }
    }

    /// What the disk is to be asked for.
    pub fn looks(&mut self) -> Vec<(OperationId, Look)> {
        std::mem::take(&mut self.looks)
    }
}

/// The rows that come next; from the start again behind the last.
fn span(told: usize, all: usize) -> (usize, usize) {
    let from = if told >= all { 0 } else { told };
    (from, all.min(from + MOST))
}

/// The rows of an output that are held here.
fn held(view: View<'_>, printout: &Printout) -> Vec<String> {
    if let Some(table) = &printout.table {
        return table::plain(view, table, Some(&view.state.masks), ROW)
            .iter()
            .map(|row| format!("| {}", flat(row)))
            .collect();
    }
    let pieces = printout.tail.pieces.iter().map(|piece| (piece.stream == Stream::Err, piece.text.as_ref()));
    printed(&dressed::masked(view, ansi::lines(pieces)))
}

/// Others' lines behind their sign, those of standard error behind one of their own.
fn printed(lines: &[Printed]) -> Vec<String> {
    let sign = |printed: &Printed| if printed.error { "|!" } else { "|" };
    lines.iter().map(|printed| format!("{} {}", sign(printed), flat(&printed.line))).collect()
}

/// How many lines there are in all.
fn all(printout: &Printout, rows: &[String]) -> u64 {
    if printout.table.is_some() || printout.tail.from == 0 { rows.len() as u64 } else { printout.tail.lines }
}

fn lines(count: u64) -> String {
    number::count(usize::try_from(count).unwrap_or(usize::MAX), "line")
}
