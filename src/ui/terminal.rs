//! The terminal of an operation that runs, as its program draws it: neutralised as all output, behind the gutter. The
//! gutter says whether keys go there.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::ansi;
use super::output::shifted;
use super::paint::{View, put};
use super::text;
use super::theme::Role;
use crate::app::{Pane, Sight};
use crate::domain::Glass;

/// Columns of the gutter.
pub const GUTTER: u16 = 2;

/// Draws what a terminal shows, and its cursor while somebody types into it.
pub fn draw(view: View<'_>, area: Rect, buf: &mut Buffer, glass: &Glass, sight: &mut Sight) {
    let room = shifted(area, GUTTER);
    let typing = view.state.typing_into().is_some() && view.focused(Pane::Output);
    let lines = ansi::lines([(false, &*glass.text)]);
    // Until its program heard of a smaller pane, the end of it is what matters.
    let hidden = lines.len().saturating_sub(usize::from(area.height));
    for (row, printed) in (0..area.height).zip(lines.iter().skip(hidden)) {
        let mut line = printed.line.clone();
        for span in &mut line.spans {
            span.style = view.theme.tame(span.style);
        }
        put(buf, room, row, &text::window(&line, 0, room.width.into()));
    }
    for row in 0..area.height {
        put(buf, area, row, &view.line(if typing { "▌" } else { "" }, Role::Accent));
    }
    let cursor = glass.cursor.filter(|_| typing).and_then(|(row, column)| {
        let row = usize::from(row).checked_sub(hidden).and_then(|row| u16::try_from(row).ok())?;
        (row < area.height && column < room.width).then(|| (room.x + column, room.y + row))
    });
    sight.cursor = cursor.or(sight.cursor);
}
