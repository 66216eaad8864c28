//! A list whose rows stand under headings, in two columns where the width allows: the help.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::floating::WIDEST;
use super::paint::{View, put, put_right, tint};
use super::picker::marked;
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Fit, Picker, Sight};

/// Columns of a screen from which on there are two.
const TWO: u16 = 72;
/// Columns between them.
const GAP: u16 = 3;

/// How many columns there are on a screen of this width.
pub fn columns(screen: u16) -> usize {
    if screen.min(WIDEST) < TWO { 1 } else { 2 }
}

/// A line of a column: a heading, or what belongs to a row.
struct Cell {
    /// Which of the rows that fit.
    of: Option<usize>,
    line: Line<'static>,
    key: Line<'static>,
}

/// Draws as many rows as there is room for, the chosen one among them.
pub fn draw(view: View<'_>, area: Rect, buf: &mut Buffer, picker: &Picker, sight: &mut Sight) {
    // The frame around takes four columns.
    let columns = columns(area.width.saturating_add(4));
    let count = u16::try_from(columns).unwrap_or(1);
    let width = area.width.saturating_sub(GAP * (count - 1)) / count;
    let height = usize::from(area.height);
    let mut first = picker.first(columns * height);
    let mut laid = lay(view, picker, first, columns, height, width);
    while first < picker.selected() && !laid.iter().flatten().any(|cell| cell.of == Some(picker.selected())) {
        first += 1;
        laid = lay(view, picker, first, columns, height, width);
    }
    let last = laid.iter().flatten().filter_map(|cell| cell.of).max().map_or(first, |last| last + 1);
    sight.rows.dialog = last - first;
    sight.limits.dialog = picker.counts().0.saturating_sub(last - first);
    for (column, cells) in (0..count).zip(&laid) {
        let x = area.x + column * (width + GAP);
        for (y, cell) in (area.y..area.bottom()).zip(cells) {
            let place = Rect { x, y, width, height: 1 };
            put(buf, place, 0, &cell.line);
            put_right(buf, place, 0, &cell.key);
            if let Some(at) = cell.of {
                if at == picker.selected() {
                    tint(buf, place, view.theme.style(Role::Selection));
                }
                sight.picks.push((y, x, x + width, at));
            }
        }
    }
}

/// The lines of each column, from a row on.
fn lay(view: View<'_>, picker: &Picker, first: usize, columns: usize, height: usize, width: u16) -> Vec<Vec<Cell>> {
    let mut laid: Vec<Vec<Cell>> = vec![Vec::new()];
    let mut group = None;
    for (at, fit) in (first..).zip(picker.fits(first, columns * height)) {
        let chosen = at == picker.selected();
        let mut cells = Vec::new();
        if group.as_ref() != Some(&fit.row.detail) {
            let name = text::fit(&text::line(&fit.row.detail), width.into()).into_owned();
            cells.push(Cell { of: None, line: view.line(name, Role::Strong), key: Line::default() });
            group = Some(fit.row.detail.clone());
        }
        cells.extend(row(view, &fit, at, chosen, width));
        let used = laid.last().map_or(0, Vec::len);
        if used > 0 && used + cells.len() > height {
            if laid.len() == columns {
                break;
            }
            laid.push(Vec::new());
        }
        if let Some(column) = laid.last_mut() {
            column.extend(cells);
        }
    }
    laid
}

/// What it does, in as many lines as that takes, and its keys at the right of the first.
fn row(view: View<'_>, fit: &Fit<'_>, at: usize, chosen: bool, width: u16) -> Vec<Cell> {
    let key = view.line(text::line(&fit.row.key), Role::Accent);
    let style = view.theme.style(if chosen { Role::Strong } else { Role::Text });
    let room = usize::from(width).saturating_sub(key.width() + 4).max(8);
    let mark = |line: Line<'static>, first: bool| {
        let mark = if chosen && first { "▸ " } else { "  " };
        let mut spans: Vec<Span<'static>> = vec![view.span(mark, Role::Accent)];
        spans.extend(line.spans);
        Line::from(spans)
    };
    let label = label(fit, style);
    text::wrap(&label, room, 0, Break::Words)
        .into_iter()
        .enumerate()
        .map(|(row, line)| {
            let key = if row == 0 { key.clone() } else { Line::default() };
            Cell { of: Some(at), line: mark(line, row == 0), key }
        })
        .collect()
}

fn label(fit: &Fit<'_>, style: Style) -> Line<'static> {
    let line = marked(&fit.row.label, &fit.label, u16::MAX, style);
    // A line's own style is lost where it is wrapped.
    Line::from(
        line.spans.into_iter().map(|span| Span::styled(span.content, line.style.patch(span.style))).collect::<Vec<_>>(),
    )
}
