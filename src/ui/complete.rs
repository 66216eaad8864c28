//! What is offered for what is being typed: a small list right above the composer, over whatever stands there.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget as _};

use super::number;
use super::paint::{View, put, rule, tint};
use super::text;
use super::theme::Role;
use crate::app::Completion;

/// Most rows of the list.
const MOST: usize = 8;

/// Draws it above `bottom`, a row of the screen.
pub fn draw(view: View<'_>, screen: Rect, bottom: u16, buf: &mut Buffer, completion: &Completion) {
    let rows = completion.rows.len().min(MOST).min(usize::from(bottom.saturating_sub(screen.y) / 2));
    let Some(height) = u16::try_from(rows + 1).ok().filter(|_| rows > 0) else { return };
    let area = Rect { y: bottom - height, height, ..screen };
    Clear.render(area, buf);
    buf.set_style(area, view.theme.style(Role::Text));
    let (at, all) = (completion.at, completion.rows.len());
    let first = (at + 1).saturating_sub(rows).min(all - rows);
    let of = if all > rows { format!(" {} of {} ", at + 1, number::thousands(all as u64)) } else { String::new() };
    let keys = view.line(" tab takes it · esc closes ", Role::Dim);
    rule(view, buf, Rect { height: 1, ..area }, false, &keys, &view.line(of, Role::Dim));
    let label = completion.rows.iter().map(|(label, _)| text::width(label)).max().unwrap_or(0).min(24);
    for (row, (said, more)) in (0u16..).zip(completion.rows.iter().skip(first).take(rows)) {
        let line = Rect { y: area.y + 1 + row, height: 1, ..area };
        let chosen = first + usize::from(row) == at;
        let room = usize::from(area.width).saturating_sub(4);
        let role = if chosen { Role::Strong } else { Role::Text };
        // A path is known by both of its ends.
        let said = text::line(said);
        let mut spans = vec![view.span(if chosen { " ▸ " } else { "   " }, Role::Accent)];
        if more.is_empty() {
            spans.push(view.span(text::middle(&said, room), role));
        } else {
            spans.extend([view.span(text::column(&said, label), role), Span::raw("  ")]);
            spans.push(view.span(text::fit(more, room.saturating_sub(label + 2)), Role::Dim));
        }
        put(buf, line, 0, &Line::from(spans));
        if chosen {
            tint(buf, line, view.theme.style(Role::Selection));
        }
    }
}
