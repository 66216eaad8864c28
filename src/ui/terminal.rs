//! The terminal of an operation that runs, as its program draws it: neutralised as all output, behind the gutter. The
//! gutter says whether keys go there.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::ansi;
use super::output::shifted;
use super::paint::{View, put};
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Command, Context, Item, Pane, Printout, Sight};
use crate::domain::{Glass, Printed, Stream};

/// Columns of the gutter.
pub const GUTTER: u16 = 2;
/// What programs print that miss a terminal, in small letters.
const MISSED: [&str; 10] = [
    "not a terminal",
    "not from a terminal",
    "not a tty",
    "no tty",
    "/dev/tty",
    "a terminal is required",
    "requires a terminal",
    "error opening terminal",
    "inappropriate ioctl for device",
    "eof when reading a line",
];
/// Pieces of standard error that are looked at for it.
const LAST: usize = 4;
/// Words of the shell that wait for what somebody types, and print nothing where nobody can.
const READS: [&str; 2] = ["read", "select"];

/// What is said of a command that seems to miss a terminal: how it gets one.
pub fn lacking(view: View<'_>, item: &Item, printout: &Printout, columns: usize) -> Vec<Line<'static>> {
    let missed = |piece: &Printed| {
        let text = piece.text.to_lowercase();
        MISSED.iter().any(|said| text.contains(said))
    };
    let first = |part: &str| part.split_whitespace().next().is_some_and(|word| READS.contains(&word));
    let reads = || printout.tail.bytes == 0 && item.gist().split(['\n', ';', '|', '&']).any(first);
    // Whoever misses one complains and gives up: the last words tell, however much it printed.
    let mut errors = printout.tail.pieces.iter().rev().filter(|piece| piece.stream == Stream::Err).take(LAST);
    if !item.lacks_terminal() || !errors.any(missed) && !reads() {
        return Vec::new();
    }
    let key = |place, command| view.key(place, command, "").map(|(key, _)| key);
    let there = key(Context::Everywhere, Command::FocusOutput).filter(|_| view.state.focus != Pane::Output);
    let stop = key(Context::Output, Command::CancelRun).filter(|_| !item.status.closed());
    let again = key(Context::Output, Command::InTerminal);
    let keys: Vec<String> = there.into_iter().chain(stop).chain(again).collect();
    let said = format!("  It has no terminal and no input. {} runs it again in one.", keys.join(", then "));
    text::wrap(&view.line(said, Role::Medium), columns, 2, Break::Words)
}

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
