//! The frame of what floats above the panes: where it goes, its border and heading, and which part of it is in sight.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Widget};

use super::item;
use super::number;
use super::paint::{View, put};
use super::preview;
use super::text;
use super::theme::Role;
use crate::app::{Asking, Dialog, Reach};
use crate::domain::Prepared;

/// Widest dialog.
pub const WIDEST: u16 = 100;

/// Where a dialog goes: its last row, and with it its keys, is the same for all of them, above the composer or on a
/// small screen above the keys of the panes; it grows upwards, or takes all of a very small screen. One that must
/// `stay` is as high as it usually is.
pub fn place(screen: Rect, usual: usize, rows: usize, stay: bool) -> Rect {
    let foot = match screen.height {
        0..16 => 0,
        16..30 => 1,
        _ => 4,
    };
    let most = screen.height - foot - u16::from(foot > 0);
    let rows = if stay { usual } else { rows };
    let height = u16::try_from(rows + 2).unwrap_or(u16::MAX).min(most).max(most.min(4));
    let width = screen.width.min(WIDEST);
    Rect { x: screen.x + (screen.width - width) / 2, y: screen.bottom() - foot - height, width, height }
}

/// Clears the place and draws the double frame; gives back what is inside it.
pub fn frame(view: View<'_>, area: Rect, buf: &mut Buffer, title: &Line<'_>, corner: &Line<'_>) -> Rect {
    // Half of a wide character before the frame would swallow the frame's own sign.
    if let Some(before) = area.x.checked_sub(1) {
        for row in area.top()..area.bottom() {
            if let Some(cell) =
                buf.cell_mut(Position { x: before, y: row }).filter(|cell| text::width(cell.symbol()) > 1)
            {
                cell.set_symbol(" ");
            }
        }
    }
    Clear.render(area, buf);
    buf.set_style(area, view.theme.style(Role::Text));
    let block = Block::bordered().border_type(BorderType::Double).border_style(view.theme.style(Role::Dialog));
    let inside = block.inner(area);
    block.render(area, buf);
    let top = Rect { x: area.x + 2, width: area.width.saturating_sub(4), height: 1, ..area };
    // How bad it is has its place before what it is.
    let taken = super::paint::put_right(buf, top, 0, corner);
    put(buf, Rect { width: top.width.saturating_sub(taken), ..top }, 0, title);
    Rect { x: inside.x + 1.min(inside.width), width: inside.width.saturating_sub(2), ..inside }
}

/// Says in the lower frame which part of the whole is on the screen.
pub fn shown(view: View<'_>, buf: &mut Buffer, area: Rect, first: usize, height: usize, total: usize) {
    if total <= height || area.height == 0 {
        return;
    }
    let last = (first + height).min(total);
    let said = format!(" lines {}–{} of {} ", first + 1, last, number::thousands(total as u64));
    let low = Rect { x: area.x + 2, y: area.bottom() - 1, width: area.width.saturating_sub(4), height: 1 };
    super::paint::put_right(buf, low, 0, &view.line(said, Role::Strong));
}

pub fn column(buf: &mut Buffer, area: Rect, lines: &[Line<'_>]) {
    for (row, line) in lines.iter().take(area.height.into()).enumerate() {
        put(buf, area, u16::try_from(row).unwrap_or(u16::MAX), line);
    }
}

/// ` 1 · Delete rows `
pub fn title(view: View<'_>, dialog: &Dialog, prepared: &Prepared) -> Line<'static> {
    let what = match &dialog.asking {
        Asking::All { reach: Reach::Turn, .. } => "Approve all".to_owned(),
        Asking::All { reach: Reach::Listed, listed, .. } => format!("Approve these {}", listed.len()),
        Asking::Pick { .. } => "Pick by number".to_owned(),
        Asking::Choice | Asking::Confirm { .. } | Asking::Reason(_) | Asking::Remember(_) => {
            format!("{} · {}", dialog.id.0, text::line(&prepared.hidden(&prepared.title())))
        }
    };
    view.line(format!(" {what} "), Role::Strong)
}

/// ` WOULD FAIL  PRODUCTION  H HIGH `
pub fn corner(view: View<'_>, dialog: &Dialog, prepared: &Prepared) -> Line<'static> {
    let mut spans = Vec::new();
    match &dialog.asking {
        Asking::Pick { .. } => {}
        Asking::All { high, .. } if high.is_empty() => {}
        Asking::All { high, .. } => spans.push(view.span(format!("{} HIGH", high.len()), Role::High)),
        Asking::Choice | Asking::Confirm { .. } | Asking::Reason(_) | Asking::Remember(_) => {
            if preview::fails(view, dialog.id) {
                spans.extend([view.span("WOULD FAIL", Role::Trouble), Span::raw("  ")]);
            }
            if prepared.assessment.hits_production() {
                spans.extend([view.span("PRODUCTION", Role::High), Span::raw("  ")]);
            }
            spans.push(view.span(item::badge(dialog.risk).trim_end(), item::risk_role(dialog.risk)));
        }
    }
    if spans.is_empty() {
        return Line::default();
    }
    Line::from([vec![Span::raw(" ")], spans, vec![Span::raw(" ")]].concat())
}
