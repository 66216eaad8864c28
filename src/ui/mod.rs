//! The pure view: state in, frame out. Imports `domain`, `app` (reading) and ratatui; called by the loop after
//! each change, and by nobody else. `text`, `ansi` and `markdown` make others' text safe to draw.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod ansi;
mod bars;
mod body;
mod bound;
mod cache;
mod cells;
mod chart;
mod chat;
mod complete;
mod derivation;
mod details;
mod dressed;
mod editor;
mod fences;
mod floating;
mod footer;
mod grouped;
mod happened;
mod highlight;
mod item;
mod linear;
mod listed;
mod markdown;
mod modal;
mod output;
mod paint;
mod picker;
mod position;
mod preview;
mod printed;
mod queue;
mod read;
mod reader;
mod remember;
mod report;
mod rows;
mod setup;
mod status;
mod table;
mod terminal;
pub mod text;
mod theme;
mod twice;
mod typing;
mod unasked;
mod welcome;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

pub use cache::Cache;
pub use happened::{End, Happened};
pub use highlight::{colour_later, load, wanted};
pub use linear::{Shown, Teller};
pub use report::Report;
pub use text::plain;
pub use theme::{Depth, Role, THEMES, Theme, themes};

use crate::app::{Pane, Sight, State};
use crate::domain::number;
use paint::{View, put, rule, title};

/// Smallest screen that is drawn at all.
const SMALLEST: (u16, u16) = (20, 5);
/// From so many columns on, operations and output stand beside the conversation.
const WIDE: u16 = 100;
/// From so many columns and rows on, they stand below it; on smaller screens panes are tabs.
const STACKED: (u16, u16) = (60, 20);
/// From so many rows on, the practice banner stays on the screen; on smaller ones the status line says it alone.
const BANNER: u16 = 30;

/// Fewest rows above a dialog that are worth it to move the conversation's end there.
const GLIMPSE: u16 = 3;

/// Draws the whole screen and says what was seen on it.
///
/// ```text
///  countersign   guarded   practice model   practice.db (sqlite)      2 waiting   not contained
///  This is the practice model …
/// ─ CHAT ──────────────────────────────┬─ OPERATIONS ────────────────────────────────────────────
///  you                                 │ WAITING 2
///    delete the cancelled orders       │ ▸1  H HIGH  sql      DELETE FROM orders WHERE …
///                                      │     practice.db (sqlite) · DELETE is declared destructive.
///  model                               │ RUNNING 1
///    I'll look first.                  ├─ OUTPUT #3 cargo tree ────────── following · 1,204 lines ─
///    ✓ sql      SELECT …  1 row  4 ms  │   ├── crossterm v0.29.0
///    ● sql      DELETE …  waiting #1   │
/// ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┷━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
///  › type a message · ! command · / for commands
///  enter send   tab pane   f2 operations   f1 keys
/// ```
pub fn draw(frame: &mut Frame, state: &State, cache: &mut Cache, theme: &Theme) -> Sight {
    let sight = whole(frame, state, cache, theme);
    cells::settle(frame.buffer_mut());
    sight
}

fn whole(frame: &mut Frame, state: &State, cache: &mut Cache, theme: &Theme) -> Sight {
    let screen = frame.area();
    let view = View { state, theme };
    let mut sight = Sight::default();
    if screen.width < SMALLEST.0 || screen.height < SMALLEST.1 {
        too_small(screen, frame.buffer_mut());
        return sight;
    }
    let buf = frame.buffer_mut();
    buf.set_style(screen, theme.style(Role::Text));
    if let Some(setup) = state.setup() {
        if let Some(cursor) = setup::draw(view, screen, buf, setup) {
            frame.set_cursor_position(cursor);
        }
        return sight;
    }
    // The status line stays in sight under every dialog.
    let mut below = screen;
    top(&mut below, 1);
    let floating = modal::lay_out(view, below, cache);
    cache.covered = floating.as_ref().and_then(modal::Floating::above);
    let typed = panes(view, screen, buf, cache, &mut sight);
    let above = typed_above(&sight);
    if let Some((completion, above)) = state.completion().zip(above) {
        complete::draw(view, screen, above, buf, completion);
    }
    let asked = sight.cursor.map(Position::from);
    let floats = floating.and_then(|floating| modal::draw(view, below, buf, cache, &mut sight, &floating));
    let cursor = floats.or(asked).or(typed);
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
    sight
}

/// The row of the rule above the composer.
fn typed_above(sight: &Sight) -> Option<u16> {
    sight.areas.iter().find(|(pane, ..)| *pane == Pane::Composer).map(|(_, _, y, ..)| y.saturating_sub(1))
}

/// Says that nothing fits, and how much would, as far as that fits.
fn too_small(screen: Rect, buf: &mut Buffer) {
    let (columns, rows) = SMALLEST;
    let said =
        ["terminal too small".to_owned(), format!("terminal too small: it needs {columns} columns, {rows} rows")];
    let wrapped = said.map(|said| text::wrap(&Line::raw(said), screen.width.into(), 0, text::Break::Words));
    let [short, long] = &wrapped;
    let lines = if long.len() <= usize::from(screen.height) { long } else { short };
    for (row, line) in (0..screen.height).zip(lines) {
        put(buf, screen, row, line);
    }
}

/// Everything below a dialog: status, banner, panes, composer, keys.
fn panes(view: View<'_>, screen: Rect, buf: &mut Buffer, cache: &mut Cache, sight: &mut Sight) -> Option<Position> {
    let mut rest = screen;
    status::draw(view, top(&mut rest, 1), buf);
    if view.state.setting.practice && screen.height >= BANNER && !view.state.chat.entries().is_empty() {
        let row = top(&mut rest, 1);
        let room = Rect { x: row.x + 1, width: row.width.saturating_sub(2), ..row };
        put(buf, room, 0, &view.line(welcome::banner(room.width.into()), Role::Notice));
    }
    if screen.height >= 8 {
        footer::hints(view, bottom(&mut rest, 1), buf, sight);
    }
    let typing = bottom(&mut rest, footer::wanted(view, screen));
    if screen.height >= 7 {
        let focused = view.focused(Pane::Composer);
        rule(view, buf, bottom(&mut rest, 1), focused, &Line::default(), &Line::default());
    }
    if view.state.zoomed {
        tabs(view, rest, buf, cache, sight);
    } else if screen.width >= WIDE && screen.height >= 12 {
        beside(view, rest, buf, cache, sight);
    } else if screen.width >= STACKED.0 && screen.height >= STACKED.1 {
        stacked(view, rest, buf, cache, sight);
    } else {
        tabs(view, rest, buf, cache, sight);
    }
    seen(sight, Pane::Composer, typing);
    footer::composer(view, typing, buf)
}

/// Conversation at the left, operations over output at the right.
fn beside(view: View<'_>, area: Rect, buf: &mut Buffer, cache: &mut Cache, sight: &mut Sight) {
    let left = area.width / 2;
    let chat = Rect { width: left, ..area };
    let mut right = Rect { x: area.x + left + 1, width: area.width - left - 1, ..area };
    let border = view.line("│", Role::Border);
    for row in 0..area.height {
        put(buf, Rect { x: area.x + left, width: 1, ..area }, row, &border);
    }
    pane(view, chat, buf, Pane::Chat, cache, sight);
    let queue = top(&mut right, (area.height / 2).max(4));
    pane(view, queue, buf, Pane::Queue, cache, sight);
    let joint = Rect { x: area.x + left, width: 1, height: 1, ..area };
    put(buf, joint, 0, &view.line("┬", Role::Border));
    put(buf, Rect { y: right.y, ..joint }, 0, &view.line("├", Role::Border));
    put(buf, Rect { y: area.bottom(), ..joint }, 0, &view.line("┴", Role::Border));
    pane(view, right, buf, Pane::Output, cache, sight);
}

/// Conversation on top, below it operations or output, with what waits in the rule between.
fn stacked(view: View<'_>, mut area: Rect, buf: &mut Buffer, cache: &mut Cache, sight: &mut Sight) {
    let shown = if view.state.tab == Pane::Output { Pane::Output } else { Pane::Queue };
    // What the person goes to gets more room.
    let fifths = if view.state.focus == shown { 3 } else { 2 };
    let rows = area.height * fifths / 5;
    let lower = bottom(&mut area, rows);
    pane(view, area, buf, Pane::Chat, cache, sight);
    tabbed(view, lower, buf, shown, &[Pane::Queue, Pane::Output], cache, sight);
}

/// One pane at a time.
fn tabs(view: View<'_>, area: Rect, buf: &mut Buffer, cache: &mut Cache, sight: &mut Sight) {
    let shown = if view.state.focus == Pane::Composer { view.state.tab } else { view.state.focus };
    let shown = if shown == Pane::Composer { Pane::Chat } else { shown };
    tabbed(view, area, buf, shown, &[Pane::Chat, Pane::Queue, Pane::Output], cache, sight);
}

/// A pane under a rule that names it and the others that may stand there. The rule is drawn last, as it says which part
/// of the pane's rows is in sight.
fn tabbed(
    view: View<'_>,
    mut area: Rect,
    buf: &mut Buffer,
    shown: Pane,
    all: &[Pane],
    cache: &mut Cache,
    sight: &mut Sight,
) {
    let head = top(&mut area, 1);
    seen(sight, shown, head);
    inner(view, area, buf, shown, cache, sight);
    let mut names = Line::default();
    let right = match shown {
        Pane::Output if head.width >= 50 => {
            let columns = usize::from(head.width) * 2 / 5;
            position::output(view, &cache.output, sight, (columns, columns))
        }
        Pane::Chat if !view.state.finds.chat.text.is_empty() => position::chat(view, sight),
        // While it is scrolled, where one is; what waits stands in the status line too.
        Pane::Queue if head.width >= 50 && view.focused(shown) && sight.limits.queue > 0 => {
            position::queue(view, sight)
        }
        _ if head.width >= 50 => queue::summary(view),
        _ => Line::default(),
    };
    for pane in all {
        let current = *pane == shown;
        let focused = current && view.focused(shown);
        let role = if focused {
            Role::Accent
        } else if current {
            Role::Strong
        } else {
            Role::Dim
        };
        let name = name(view, *pane, current);
        let said = if current { format!(" {name} ") } else { format!(" {} ", name.to_lowercase()) };
        // The others' short names stay whole; the current one's title takes what is left.
        let others: usize =
            all.iter().filter(|other| *other != pane).map(|other| self::name(view, *other, false).len() + 2).sum();
        let room = usize::from(head.width).saturating_sub(right.width() + others + 5);
        let said = if current { text::fit(said.trim_end(), room.max(5)) + " " } else { said.into() };
        names.push_span(view.span(said.into_owned(), role));
    }
    rule(view, buf, head, view.focused(shown), &names, &right);
}

/// Columns of a pane's title that what stands at its right leaves to it.
const NAME: usize = 13;

/// A pane under its own rule.
fn pane(view: View<'_>, mut area: Rect, buf: &mut Buffer, which: Pane, cache: &mut Cache, sight: &mut Sight) {
    let head = top(&mut area, 1);
    seen(sight, which, head);
    inner(view, area, buf, which, cache, sight);
    let focused = view.focused(which);
    let name = name(view, which, true);
    let wide = usize::from(head.width);
    // Where both don't fit whole, half is the name's.
    let beside_name = wide.saturating_sub(text::width(&name) + 2).max(wide / 2).min(wide.saturating_sub(NAME + 2));
    let right = match which {
        Pane::Chat => position::chat(view, sight),
        Pane::Output => position::output(view, &cache.output, sight, (beside_name, wide.saturating_sub(NAME + 6))),
        Pane::Queue => position::queue(view, sight),
        Pane::Composer => Line::default(),
    };
    // Half a name says more than a place that has no room for it.
    let beside = |right: &Line<'_>| usize::from(head.width).saturating_sub(right.width() + 6);
    let right = if beside(&right) < NAME { Line::default() } else { right };
    let room = beside(&right);
    rule(view, buf, head, focused, &title(view, &text::fit(&name, room), focused), &right);
}

fn inner(view: View<'_>, area: Rect, buf: &mut Buffer, which: Pane, cache: &mut Cache, sight: &mut Sight) {
    seen(sight, which, area);
    match which {
        Pane::Chat | Pane::Composer => chat::draw(view, uncovered(view, area, cache.covered), buf, cache, sight),
        Pane::Queue => queue::draw(view, area, buf, cache, sight),
        Pane::Output => output::draw(view, area, buf, cache, sight),
    }
}

/// What a dialog leaves of the conversation while that follows its end.
fn uncovered(view: View<'_>, area: Rect, covered: Option<u16>) -> Rect {
    let follows = view.state.chat.scroll().follow && !view.state.chat.entries().is_empty();
    let free = covered.map_or(area.height, |top| top.saturating_sub(area.y)).min(area.height);
    if follows && free >= GLIMPSE { Rect { height: free, ..area } } else { area }
}

fn name(view: View<'_>, pane: Pane, long: bool) -> String {
    match pane {
        Pane::Chat | Pane::Composer => "CHAT".to_owned(),
        Pane::Queue if long => queue::title(view),
        Pane::Queue => "OPERATIONS".to_owned(),
        Pane::Output if long => output::title(view),
        Pane::Output => "OUTPUT".to_owned(),
    }
}

fn seen(sight: &mut Sight, pane: Pane, area: Rect) {
    sight.areas.push((pane, area.x, area.y, area.width, area.height));
}

/// Takes rows off the top of an area.
fn top(rest: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(rest.height);
    let taken = Rect { height: rows, ..*rest };
    *rest = Rect { y: rest.y + rows, height: rest.height - rows, ..*rest };
    taken
}

/// Takes rows off the bottom of an area.
fn bottom(rest: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(rest.height);
    rest.height -= rows;
    Rect { y: rest.bottom(), height: rows, ..*rest }
}

#[cfg(test)]
mod tests;
