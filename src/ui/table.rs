//! Rows of a query: columns aligned, numbers right by their type, NULL told apart from the text `NULL`. Widths
//! are measured once for each table, and only visible rows are made.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::cache::OutputRows;
use super::number;
use super::paint::{View, put};
use super::text;
use super::theme::Role;
use crate::app::{Printout, Sight};
use crate::domain::Table;

/// Widest column.
const WIDEST: usize = 40;
/// Bytes of a cell that are looked at.
const CELL: usize = 400;
/// Columns between two columns.
const GAP: usize = 2;

/// Draws the table below a header that stays.
pub fn draw(
    view: View<'_>,
    area: Rect,
    buf: &mut Buffer,
    cache: &mut OutputRows,
    (printout, table): (&Printout, &Arc<Table>),
    sight: &mut Sight,
) {
    if !cache.table.as_ref().is_some_and(|known| Arc::ptr_eq(known, table)) {
        cache.widths = widths(table);
        cache.numeric = (0..table.columns.len()).map(|at| numeric(table, at)).collect();
        cache.table = Some(Arc::clone(table));
    }
    let top = if area.height >= 4 { 2 } else { 1.min(area.height) };
    let height = usize::from(area.height - top);
    let held = table.rows.len();
    let note = note(view, table);
    let total = held + usize::from(note.is_some());
    sight.rows.output = height;
    sight.limits.output = total.saturating_sub(height);
    let first = printout.scroll.first(total, height);
    let room = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(1), ..area };
    let window = |line: &Line<'static>| text::window(line, printout.left, room.width.into());
    put(buf, room, 0, &window(&header(view, table, cache)));
    if top == 2 {
        put(buf, room, 1, &window(&underline(view, &cache.widths)));
    }
    for row in 0..area.height - top {
        match table.rows.get(first + usize::from(row)) {
            Some(cells) => put(buf, room, top + row, &window(&body(view, cells, cache))),
            None if first + usize::from(row) == held => {
                if let Some(note) = &note {
                    put(buf, room, top + row, note);
                }
            }
            None => {}
        }
    }
}

/// A whole table as rows, cut at `columns`: for the few rows of a preview.
pub fn plain(view: View<'_>, table: &Table, columns: usize) -> Vec<Line<'static>> {
    let numeric = (0..table.columns.len()).map(|at| numeric(table, at)).collect();
    let cache = OutputRows { widths: widths(table), numeric, ..OutputRows::default() };
    let lines = [header(view, table, &cache), underline(view, &cache.widths)];
    let rows = table.rows.iter().map(|row| body(view, row, &cache));
    let window = |line: Line<'static>| text::window(&line, 0, columns);
    lines.into_iter().chain(rows).chain(note(view, table)).map(window).collect()
}

/// What isn't shown, or that there is nothing.
fn note(view: View<'_>, table: &Table) -> Option<Line<'static>> {
    let held = table.rows.len() as u64;
    if table.total == 0 && held == 0 {
        return Some(view.line("No rows.", Role::Dim));
    }
    let more = table.total.checked_sub(held).filter(|more| *more > 0)?;
    let rows = number::count(usize::try_from(more).unwrap_or(usize::MAX), "more row");
    Some(view.line(format!("… {rows}"), Role::Dim))
}

fn widths(table: &Table) -> Vec<usize> {
    let mut widths: Vec<usize> = table.columns.iter().map(|name| text::width(&cell(name)).clamp(1, WIDEST)).collect();
    for row in &table.rows {
        for (width, value) in widths.iter_mut().zip(row) {
            let wide = value.as_ref().map_or(4, |value| text::width(&cell(value)));
            *width = wide.clamp(*width, WIDEST.max(*width));
        }
    }
    widths
}

/// A cell on one line, neutral, its far end left out.
fn cell(raw: &str) -> String {
    let mut brief = text::line(&raw[..raw.floor_char_boundary(CELL)]);
    if raw.len() > CELL {
        brief.push('…');
    }
    brief
}

fn header(view: View<'_>, table: &Table, cache: &OutputRows) -> Line<'static> {
    let cells = table.columns.iter().zip(&cache.widths).enumerate().map(|(at, (name, width))| {
        let name = cell(name);
        let text = if right(cache, at) { text::column_right(&name, *width) } else { text::column(&name, *width) };
        view.span(text + &" ".repeat(GAP), Role::Strong)
    });
    Line::from(cells.collect::<Vec<_>>())
}

fn underline(view: View<'_>, widths: &[usize]) -> Line<'static> {
    let bars: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    view.line(bars.join(&" ".repeat(GAP)), Role::Border)
}

/// Whether a column's cells stand at its right.
fn right(cache: &OutputRows, at: usize) -> bool {
    cache.numeric.get(at).copied().unwrap_or(false)
}

fn body(view: View<'_>, row: &[Option<String>], cache: &OutputRows) -> Line<'static> {
    let mut spans = Vec::with_capacity(cache.widths.len() * 2);
    for (at, width) in cache.widths.iter().enumerate() {
        match row.get(at) {
            Some(Some(value)) => {
                let value = cell(value);
                let filled =
                    if right(cache, at) { text::column_right(&value, *width) } else { text::column(&value, *width) };
                spans.push(view.span(filled, Role::Text));
            }
            Some(None) if right(cache, at) => {
                spans.push(view.span(text::column_right("NULL", *width), Role::Comment));
            }
            Some(None) | None => spans.push(view.span(text::column("NULL", *width), Role::Comment)),
        }
        spans.push(Span::raw(" ".repeat(GAP)));
    }
    Line::from(spans)
}

/// Whether a column's type is a number's, or its values are where the type says nothing.
fn numeric(table: &Table, at: usize) -> bool {
    const STARTS: [&str; 16] = [
        "int",
        "integer",
        "bigint",
        "smallint",
        "tinyint",
        "mediumint",
        "serial",
        "bigserial",
        "numeric",
        "decimal",
        "real",
        "float",
        "double",
        "money",
        "year",
        "oid",
    ];
    const SILENT: [&str; 4] = ["", "null", "any", "unknown"];
    let kind = table.types.get(at).map_or("", String::as_str);
    let word: String = kind.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase();
    STARTS.contains(&word.as_str()) || (SILENT.contains(&word.as_str()) && numbers(table, at))
}

/// Whether a column holds numbers and nothing else.
fn numbers(table: &Table, at: usize) -> bool {
    let number = |value: &str| {
        let figures = value.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
        figures && value.len() <= CELL && value.parse::<f64>().is_ok()
    };
    let mut values = table.rows.iter().filter_map(|row| row.get(at)?.as_deref()).peekable();
    values.peek().is_some() && values.all(number)
}
