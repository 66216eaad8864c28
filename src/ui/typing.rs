//! What is being typed: the composer and a reason. Drawn here rather than by the text area's own widget, so that
//! hidden characters of a paste show and long lines wrap.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use tui_textarea::TextArea;

use super::paint::{View, put};
use super::text::{self, Break};
use super::theme::Role;

/// Characters of a line on each side of the cursor that are looked at.
const NEAR: usize = 4_000;

/// The rows around the cursor, and where in them the cursor is.
pub struct Rows {
    lines: Vec<Line<'static>>,
    row: usize,
    column: usize,
}

/// A line with what is folded in a few words, and the rest neutralised.
fn folded(view: View<'_>, said: &str, style: Style) -> Line<'static> {
    let mut line = Line::default();
    let mut plain = String::new();
    for letter in said.chars() {
        match view.state.composer.folded(letter) {
            Some(words) => {
                line.push_span(Span::styled(text::line(&std::mem::take(&mut plain)), style));
                line.push_span(view.span(words, Role::Accent));
            }
            None => plain.push(letter),
        }
    }
    line.push_span(Span::styled(text::line(&plain), style));
    line
}

fn bytes(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| span.content.len()).sum()
}

/// The row and the column behind so many bytes of a text that was broken into rows: at the start of the next row, where
/// one ends there.
fn behind(rows: &[Line<'_>], bytes_before: usize) -> (usize, usize) {
    let mut left = bytes_before;
    let last = rows.len().saturating_sub(1);
    for (at, row) in rows.iter().enumerate() {
        let own = bytes(row);
        if left < own || at == last {
            let text: String = row.spans.iter().map(|span| span.content.as_ref()).collect();
            return (at, text::width(&text[..text.floor_char_boundary(left)]));
        }
        left -= own;
    }
    (0, 0)
}

impl Rows {
    /// Lays the lines around the cursor out in rows: what is said breaks between words, code anywhere.
    pub fn new(view: View<'_>, area: &TextArea<'_>, how: Break, columns: usize, height: usize) -> Self {
        let tui_textarea::DataCursor(at, column) = area.cursor();
        let (columns, height) = (columns.max(2), height.max(1));
        let style = view.theme.style(Role::Text);
        let (mut lines, mut place) = (Vec::new(), (0, 0));
        let from = at.saturating_sub(height);
        for (number, line) in area.lines().iter().enumerate().skip(from).take(2 * height + 1) {
            let skip = if number == at { column.saturating_sub(NEAR) } else { 0 };
            let near = |count: usize| line.chars().skip(skip).take(count).collect::<String>();
            // One column stays free for the cursor behind a full row.
            let rows = text::wrap(&folded(view, &near(2 * NEAR), style), columns - 1, 0, how);
            if number == at {
                let before = bytes(&folded(view, &near(column - skip), style));
                let (row, column) = behind(&rows, before);
                place = (lines.len() + row, column);
            }
            lines.extend(rows);
        }
        Self { lines, row: place.0, column: place.1 }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Draws those around the cursor; says where the cursor is.
    pub fn draw(&self, area: Rect, buf: &mut Buffer) -> Position {
        let height = usize::from(area.height.max(1));
        let first = (self.row + 1).saturating_sub(height).min(self.lines.len().saturating_sub(1));
        for (row, line) in self.lines.iter().skip(first).take(height).enumerate() {
            put(buf, area, u16::try_from(row).unwrap_or(u16::MAX), line);
        }
        let inside = |value: usize, limit: u16| u16::try_from(value).unwrap_or(u16::MAX).min(limit.saturating_sub(1));
        Position { x: area.x + inside(self.column, area.width), y: area.y + inside(self.row - first, area.height) }
    }
}
