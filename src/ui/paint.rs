//! The brush that every pane draws with: lines within bounds, rules with titles, rows of keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::text;
use super::theme::{Role, Theme};
use crate::app::{Command, Context, Masks, Pane, State};

/// What every pane is given: the state to show and the theme to show it in.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// What is shown.
    pub state: &'a State,
    /// In which look.
    pub theme: &'a Theme,
}

impl View<'_> {
    /// A piece of text in a role.
    pub fn span(&self, text: impl Into<String>, role: Role) -> Span<'static> {
        Span::styled(text.into(), self.theme.style(role))
    }

    /// A line of text in a role.
    pub fn line(&self, text: impl Into<String>, role: Role) -> Line<'static> {
        Line::from(self.span(text, role))
    }

    /// Whether keys go to a pane.
    pub fn focused(&self, pane: Pane) -> bool {
        self.state.modal.is_none() && self.state.focus == pane
    }

    /// A key and what it does, if it is bound.
    pub fn key(&self, context: Context, command: Command, says: &str) -> Option<(String, String)> {
        self.state.keymap.key(context, command).map(|key| (key, says.to_owned()))
    }
}

/// How a text becomes rows.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// Columns of a row.
    pub columns: usize,
    /// In which look.
    pub theme: &'a Theme,
    /// What isn't shown of it.
    pub masks: &'a Masks,
}

/// Draws a line at a place, no further than `columns` and the area.
pub fn put(buf: &mut Buffer, area: Rect, row: u16, line: &Line<'_>) {
    let area = area.intersection(buf.area);
    if row >= area.height || area.width == 0 {
        return;
    }
    let mut x = area.x;
    for span in &line.spans {
        let left = usize::from(area.right().saturating_sub(x));
        if left == 0 {
            break;
        }
        x = buf.set_stringn(x, area.y + row, &span.content, left, line.style.patch(span.style)).0;
    }
}

/// Draws a line so that it ends at the area's right edge; gives back the columns it took.
pub fn put_right(buf: &mut Buffer, area: Rect, row: u16, line: &Line<'_>) -> u16 {
    let wide = u16::try_from(line.width()).unwrap_or(u16::MAX).min(area.width);
    put(buf, Rect { x: area.right() - wide, width: wide, ..area }, row, line);
    wide
}

/// Draws a rule across an area's first row, with a title at its left and another at its right. A focused pane's
/// rule is thick.
pub fn rule(view: View<'_>, buf: &mut Buffer, area: Rect, focused: bool, left: &Line<'_>, right: &Line<'_>) {
    let style = view.theme.style(if focused { Role::Accent } else { Role::Border });
    let sign = if focused { "━" } else { "─" };
    put(buf, area, 0, &Line::styled(sign.repeat(usize::from(area.width)), style));
    let mut room = area;
    if right.width() > 0 && usize::from(area.width) > right.width() + left.width().min(12) + 6 {
        let wide = over(buf, Rect { width: area.width.saturating_sub(1), ..area }, right, true);
        room.width = room.width.saturating_sub(wide + 2);
    }
    if left.width() > 0 && room.width > 4 {
        over(buf, Rect { x: room.x + 1, width: room.width - 2, ..room }, left, false);
    }
}

/// Draws a line over a rule, whose colour it doesn't take on; gives back the columns it took.
fn over(buf: &mut Buffer, area: Rect, line: &Line<'_>, right: bool) -> u16 {
    let wide = u16::try_from(line.width()).unwrap_or(u16::MAX).min(area.width);
    let place = Rect { x: if right { area.right() - wide } else { area.x }, width: wide, height: 1, ..area };
    buf.set_style(place.intersection(buf.area), Style::reset());
    put(buf, place, 0, line);
    wide
}

/// A title for a rule: blanks around it, marked if the pane has the focus.
pub fn title(view: View<'_>, text: &str, focused: bool) -> Line<'static> {
    view.line(format!(" {text} "), if focused { Role::Accent } else { Role::Strong })
}

/// Columns between two keys.
pub const GAP: usize = 3;

/// Keys and what they do, as many as fit into rows of a width.
pub fn keys(view: View<'_>, keys: &[(String, String)], columns: usize, rows: usize, live: bool) -> Vec<Line<'static>> {
    let role = |live_role| view.theme.style(if live { live_role } else { Role::Dim });
    let (key_style, says_style) = (role(Role::Accent), role(Role::Text));
    let mut out: Vec<Line<'static>> = vec![Line::default()];
    let mut used = 0;
    for (key, says) in keys {
        let wide = text::width(key) + 1 + text::width(says);
        let gap = if used == 0 { 0 } else { GAP };
        if used + gap + wide > columns && used > 0 {
            if out.len() >= rows {
                break;
            }
            out.push(Line::default());
            used = 0;
        }
        let Some(current) = out.last_mut() else { break };
        if used > 0 {
            current.push_span(Span::raw(" ".repeat(GAP)));
            used += GAP;
        }
        current.push_span(Span::styled(key.clone(), key_style));
        current.push_span(Span::styled(format!(" {says}"), says_style));
        used += wide;
    }
    out
}

/// Where rows of keys were drawn, for the mouse: row, first column, column after the last, the first key named.
pub fn named(lines: &[Line<'_>], area: Rect) -> Vec<(u16, u16, u16, String)> {
    let mut found = Vec::new();
    for (row, line) in (area.y..area.bottom()).zip(lines) {
        let mut x = usize::from(area.x);
        // A key, what it does, and blanks before the next.
        for entry in line.spans.chunks(3) {
            let wide: usize = entry.iter().take(2).map(Span::width).sum();
            let end = (x + wide).min(area.right().into());
            let key = entry.first().and_then(|key| key.content.split(' ').next()).unwrap_or_default();
            if let (Ok(from), Ok(to), false) = (u16::try_from(x), u16::try_from(end), key.is_empty()) {
                found.push((row, from, to, key.to_owned()));
            }
            x += wide + entry.get(2).map_or(0, Span::width);
        }
    }
    found
}

/// Gives an area a style without changing what stands there.
pub fn tint(buf: &mut Buffer, area: Rect, style: Style) {
    buf.set_style(area.intersection(buf.area), style);
}
