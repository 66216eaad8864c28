//! Pages: something to read above the panes, with the matches of what is looked for in it.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::cache::Cache;
use super::floating::{WIDEST, frame, place, shown};
use super::paint::{View, put};
use super::printed::{Matches, marked};
use super::theme::Role;
use super::{details, output, position, unasked};
use crate::app::{Page, Scroll, Sight, Within};

/// Draws a page; says where the cursor belongs, if a text to look for is being typed.
pub fn draw(
    view: View<'_>,
    screen: Rect,
    buf: &mut Buffer,
    cache: &mut Cache,
    sight: &mut Sight,
    (page, scroll): (Page, Scroll),
) -> Option<Position> {
    let columns = usize::from(screen.width.min(WIDEST).saturating_sub(4)).max(1);
    let (name, lines) = match page {
        Page::Unasked => (" What ran unasked ".to_owned(), Arc::new(unasked::lines(view, columns))),
        Page::Details(id) => (details::title(view, id), details::lines(view, cache, id, columns)),
    };
    let find = &view.state.finds.page;
    let matches = Matches::of(&find.text, lines.iter().cloned().enumerate());
    sight.found.page = matches.rows();
    let corner = if find.text.is_empty() {
        Line::default()
    } else {
        let role = if sight.found.page.is_empty() { Role::Medium } else { Role::Accent };
        view.line(format!(" {} ", position::matches(find.row, &sight.found.page)), role)
    };
    let area = place(screen, lines.len(), lines.len(), false);
    let inside = frame(view, area, buf, &view.line(name, Role::Strong), &corner);
    let inside = output::prompt(view, Within::Page, inside, buf, sight);
    let height = usize::from(inside.height);
    sight.rows.dialog = height;
    sight.limits.dialog = lines.len().saturating_sub(height);
    let first = scroll.first(lines.len(), height);
    for (row, line) in (0..inside.height).zip(&lines[first..]) {
        let at = first + usize::from(row);
        let current = find.row == Some(at);
        if let Some(regex) = matches.regex() {
            put(buf, inside, row, &marked(line.clone(), regex, current));
        } else {
            put(buf, inside, row, line);
        }
        if current {
            let gutter = Rect { x: inside.x.saturating_sub(1), width: 1, ..inside };
            put(buf, gutter, row, &Line::from(Span::styled("▸", view.theme.style(Role::Accent))));
        }
    }
    shown(view, buf, area, first, height, lines.len());
    sight.cursor.map(Position::from)
}
