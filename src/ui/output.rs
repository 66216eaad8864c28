//! Output of what runs and ran: the live end of it with its colours, or rows as a table. Shifts sideways, never
//! wraps. Standard error has a mark in the gutter, where output itself never writes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::ansi;
use super::cache::Cache;
use super::item;
use super::number;
use super::paint::{View, put};
use super::table;
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Item, Printout, Sight, Status};
use crate::domain::{OperationId, OperationKind, Outcome, Stream};

/// Columns of the gutter.
const GUTTER: u16 = 2;

/// Draws the output that is shown.
pub fn draw(view: View<'_>, area: Rect, buf: &mut Buffer, cache: &mut Cache, sight: &mut Sight) {
    sight.rows.output = usize::from(area.height);
    let Some((id, printout)) = view.state.output.shown().zip(view.state.output.printout()) else {
        put(buf, shifted(area, 1), 0, &view.line("Output of what runs appears here.", Role::Dim));
        return;
    };
    let item = view.state.queue.get(id);
    match &printout.table {
        Some(table) => table::draw(view, area, buf, &mut cache.output, (printout, table), sight),
        None => tail(view, area, buf, cache, (id, printout, item), sight),
    }
}

fn tail(
    view: View<'_>,
    area: Rect,
    buf: &mut Buffer,
    cache: &mut Cache,
    (id, printout, item): (OperationId, &Printout, Option<&Item>),
    sight: &mut Sight,
) {
    let rows = &mut cache.output;
    let key = Some((id, printout.tail.bytes, printout.tail.lines, view.theme.colours()));
    if rows.key != key {
        let pieces = printout.tail.pieces.iter().map(|piece| (piece.stream == Stream::Err, piece.text.as_ref()));
        rows.lines = ansi::lines(pieces);
        rows.key = key;
    }
    let height = usize::from(area.height);
    let gone = printout.tail.lines.saturating_sub(rows.lines.len() as u64);
    let above = usize::from(gone > 0);
    let end = ending(view, item, printout.tail.bytes, area.width.into());
    let total = above + rows.lines.len() + end.len();
    sight.limits.output = total.saturating_sub(height);
    let first = printout.scroll.first(total, height);
    for row in 0..area.height {
        let at = first + usize::from(row);
        if at < above {
            let said = format!("… {} earlier lines are not held here", number::thousands(gone));
            put(buf, shifted(area, GUTTER), row, &view.line(said, Role::Dim));
        } else if let Some(printed) = rows.lines.get(at - above) {
            if printed.error {
                put(buf, area, row, &view.line("!", Role::Trouble));
            }
            let room = shifted(area, GUTTER);
            let mut line = text::window(&printed.line, printout.left, room.width.into());
            for span in &mut line.spans {
                span.style = view.theme.tame(span.style);
            }
            put(buf, room, row, &line);
        } else if let Some(line) = end.get(at - above - rows.lines.len()) {
            put(buf, area, row, line);
        }
    }
}

/// What stands below the output once it ended, or where there is none.
fn ending(view: View<'_>, item: Option<&Item>, bytes: u64, columns: usize) -> Vec<Line<'static>> {
    let silent = bytes == 0;
    let Some(item) = item else { return Vec::new() };
    match &item.status {
        Status::Ended { outcome, .. } => {
            let fate = item::fate(view, item);
            let mut lines: Vec<Line<'static>> = note(view, item, columns);
            let nothing = nothing(item).filter(|_| silent && matches!(outcome, Outcome::Succeeded { .. }));
            lines.extend(nothing.map(|said| view.line(format!("  {said}"), Role::Dim)));
            let said = match outcome {
                Outcome::Failed { reason } => text::plain(reason[..reason.floor_char_boundary(4_000)].trim_end()),
                Outcome::Succeeded { .. } | Outcome::Cancelled | Outcome::TimedOut { .. } | Outcome::Lost => fate.says,
            };
            let role = if fate.role == Role::Trouble { Role::Trouble } else { Role::Dim };
            let rows = text::wrap_text(&said, columns.saturating_sub(3), view.theme.style(role), Break::Words);
            for (at, row) in rows.into_iter().enumerate() {
                let mark = if at == 0 { fate.mark } else { " " };
                let mut line = Line::from(view.span(format!("{mark} "), fate.role));
                line.spans.extend(row.spans);
                lines.push(line);
            }
            let size = if silent { String::new() } else { format!("   {}", number::size(bytes)) };
            let figures = view.span(format!("   {}{size}", fate.time), Role::Dim);
            match lines.last_mut() {
                Some(last) if last.width() + figures.width() <= columns => last.push_span(figures),
                Some(_) | None => lines.push(Line::from(figures)),
            }
            lines
        }
        _ if silent => vec![view.line("  Nothing printed yet.", Role::Dim)],
        Status::Preparing
        | Status::Waiting
        | Status::Allowed { .. }
        | Status::Running { .. }
        | Status::Denied { .. }
        | Status::Refused { .. } => note(view, item, columns),
    }
}

/// What the program says of the run.
fn note(view: View<'_>, item: &Item, columns: usize) -> Vec<Line<'static>> {
    let Some(note) = &item.note else { return Vec::new() };
    let said = view.line(format!("  {}", text::line(note)), Role::Medium);
    text::wrap(&said, columns, 2, Break::Words)
}

/// What an operation that succeeded without a word says about that; of SQL the figure says it all.
fn nothing(item: &Item) -> Option<&'static str> {
    match item.prepared.as_ref().map(|prepared| &prepared.operation.kind) {
        Some(OperationKind::Sql(_)) => None,
        Some(OperationKind::Search(_)) => Some("No matches."),
        Some(OperationKind::Find(_)) => Some("No paths."),
        Some(
            OperationKind::Command(_)
            | OperationKind::File(_)
            | OperationKind::Http(_)
            | OperationKind::Undo(_)
            | OperationKind::Apply(_)
            | OperationKind::Other(_),
        )
        | None => Some("It printed nothing."),
    }
}

fn shifted(area: Rect, by: u16) -> Rect {
    let by = by.min(area.width);
    Rect { x: area.x + by, width: area.width - by, ..area }
}

/// `OUTPUT #3 cargo tree`
pub fn title(view: View<'_>) -> String {
    let shown = view.state.output.shown().and_then(|id| view.state.queue.get(id));
    shown.map_or_else(|| "OUTPUT".to_owned(), |item| format!("OUTPUT {} {}", item.id, text::fit(&item::gist(item), 60)))
}

/// `following · 1,204 lines`
pub fn position(view: View<'_>) -> Line<'static> {
    let Some((id, printout)) = view.state.output.shown().zip(view.state.output.printout()) else {
        return Line::default();
    };
    let running = view.state.queue.get(id).is_some_and(|item| !item.status.closed());
    let count = match &printout.table {
        Some(table) => number::count(usize::try_from(table.total).unwrap_or(usize::MAX), "row"),
        None => number::count(usize::try_from(printout.tail.lines).unwrap_or(usize::MAX), "line"),
    };
    if printout.table.is_none() && !running && printout.tail.bytes == 0 {
        return Line::default();
    }
    let mut spans = Vec::new();
    if printout.table.is_none() && running {
        let (word, role) = if printout.scroll.follow { ("following", Role::Accent) } else { ("held", Role::Medium) };
        spans.push(view.span(format!(" {word}"), role));
        spans.push(view.span(" ·", Role::Dim));
    }
    spans.push(view.span(format!(" {count} "), Role::Dim));
    if printout.left > 0 {
        spans.push(Span::styled(format!("· from column {} ", printout.left + 1), view.theme.style(Role::Dim)));
    }
    Line::from(spans)
}
