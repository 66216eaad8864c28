//! A run in a terminal of its own: what its program draws there, bounded, and what the person types into it. The model
//! never types. Nothing that is typed is kept; what the program prints of it is its output.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Arc;
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use vt100::{Cell, Color, Parser};

use super::RunPort;
use super::children::Child;
use super::ending::End;
use crate::domain::{Glass, RunEvent, Typed};

/// Rows and columns of a terminal that nobody looks at yet.
const SIZE: (u16, u16) = (24, 80);
/// Fewest and most rows or columns.
const SIZES: (u16, u16) = (2, 500);
/// Rows that are held of what scrolled out at the top.
const HELD: usize = 5_000;
/// Bytes of one read.
const READ: usize = 64 * 1024;
/// Bytes that were typed and that its program hasn't read yet; more are dropped.
const UNREAD: usize = 64 * 1024;
/// Time between two snapshots.
const FRAME: Duration = Duration::from_millis(33);
/// Time that output may still take once the command has ended.
const GRACE: Duration = Duration::from_millis(200);

/// Opens a terminal: our side of it, and the side of the program that is to have it.
///
/// # Errors
/// The system has none left.
pub(super) fn open() -> io::Result<(OwnedFd, OwnedFd)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    fcntl(&ours, FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC))?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?.into_string().map_err(io::Error::other)?;
    let theirs = OpenOptions::new().read(true).write(true).custom_flags(OFlag::O_NOCTTY.bits()).open(name)?;
    fcntl(&ours, FcntlArg::F_SETFL(OFlag::O_NONBLOCK | OFlag::O_RDWR))?;
    resize(&ours, SIZE)?;
    Ok((ours, theirs.into()))
}

fn resize(terminal: &OwnedFd, (rows, columns): (u16, u16)) -> io::Result<()> {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    Ok(tcsetwinsize(terminal, size)?)
}

/// Attends to a child in its terminal until its end. Gives how it ended, how many processes it left behind, and the
/// text of its terminal. The limit, in seconds, counts from the last key that was typed.
pub(super) async fn attend(
    mut child: Child,
    mut desk: Desk,
    limit: u64,
    port: &RunPort,
    cancel: &CancellationToken,
) -> (End, usize, String) {
    let mut typed = port.typed();
    let limit = Duration::from_secs(limit);
    // Shown at once: whoever types may have to begin.
    let (mut until, mut due) = (Instant::now() + limit, Some(Instant::now()));
    let end = loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => break End::Cancelled,
            word = next(&mut typed) => match word {
                Some(Typed::Keys(bytes)) => {
                    until = Instant::now() + limit;
                    desk.take(&bytes);
                    // Whoever types looks at where it goes.
                    if desk.scroll(isize::MAX) {
                        due.get_or_insert_with(Instant::now);
                    }
                }
                Some(Typed::Size(rows, columns)) => {
                    desk.fit(rows, columns);
                    due.get_or_insert_with(Instant::now);
                }
                Some(Typed::Scroll(rows)) => {
                    if desk.scroll(rows) {
                        due.get_or_insert_with(Instant::now);
                    }
                }
                None => typed = None,
            },
            () = at(due) => {
                due = None;
                port.send(RunEvent::Glass(glass(&desk.parser))).await;
            }
            () = sleep_until(until) => break End::TimedOut,
            status = child.wait() => break End::Exited(status),
            () = desk.exchange(), if desk.open => {
                due.get_or_insert_with(|| Instant::now() + FRAME);
            }
        }
    };
    let left = if let End::Exited(_) = &end {
        // What runs on in the background may hold the terminal: give the output a moment, then end it.
        let complete = timeout(GRACE, desk.drain()).await.is_ok();
        let left = child.clear_up().await;
        if !complete {
            let _what_came = timeout(GRACE, desk.drain()).await;
        }
        left
    } else {
        child.stop().await;
        let _what_came = timeout(GRACE, desk.drain()).await;
        0
    };
    (end, left, text(&mut desk.parser))
}

async fn next(typed: &mut Option<mpsc::Receiver<Typed>>) -> Option<Typed> {
    match typed {
        Some(typed) => typed.recv().await,
        None => std::future::pending().await,
    }
}

async fn at(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// Our side of a terminal, and what stands on it.
pub(super) struct Desk {
    terminal: OwnedFd,
    out: Receiver,
    keys: Sender,
    buffer: Vec<u8>,
    parser: Parser,
    /// What was typed and is still to be written.
    unread: Vec<u8>,
    /// Somebody has the other side.
    open: bool,
}

impl Desk {
    /// The desk of a terminal that was opened.
    ///
    /// # Errors
    /// It can't be waited for.
    pub(super) fn at(terminal: OwnedFd) -> io::Result<Self> {
        // A terminal is no pipe, but is read, written and waited for as one.
        let out = Receiver::from_owned_fd_unchecked(terminal.try_clone()?)?;
        let keys = Sender::from_owned_fd_unchecked(terminal.try_clone()?)?;
        let parser = Parser::new(SIZE.0, SIZE.1, HELD);
        Ok(Self { terminal, out, keys, buffer: vec![0; READ], parser, unread: Vec::new(), open: true })
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.unread.len() + bytes.len() <= UNREAD {
            self.unread.extend_from_slice(bytes);
        }
    }

    /// Shows what scrolled out, as far as it is held. True if that is something else than before.
    fn scroll(&mut self, rows: isize) -> bool {
        let before = self.parser.screen().scrollback();
        self.parser.screen_mut().set_scrollback(before.saturating_add_signed(rows.saturating_neg()));
        self.parser.screen().scrollback() != before
    }

    fn fit(&mut self, rows: u16, columns: u16) {
        let (rows, columns) = (rows.clamp(SIZES.0, SIZES.1), columns.clamp(SIZES.0, SIZES.1));
        self.lift(rows);
        self.parser.screen_mut().set_size(rows, columns);
        if let Err(error) = resize(&self.terminal, (rows, columns)) {
            tracing::warn!("a terminal can't be given another size: {error}");
        }
    }

    /// Scrolls out at the top what a lower screen has no room for, as terminals do: it would be lost at the bottom.
    fn lift(&mut self, rows: u16) {
        let screen = self.parser.screen();
        let ((row, column), (height, _)) = (screen.cursor_position(), screen.size());
        let over = (row + 1).saturating_sub(rows);
        if over > 0 && !screen.alternate_screen() {
            let feeds = "\n".repeat(over.into());
            self.parser.process(format!("\x1b[{height};1H{feeds}\x1b[{};{}H", row - over + 1, column + 1).as_bytes());
        }
    }

    /// Writes what was typed or reads what was printed, whichever can be done.
    async fn exchange(&mut self) {
        tokio::select! {
            written = self.keys.write(&self.unread), if !self.unread.is_empty() => match written {
                Ok(count) => drop(self.unread.drain(..count)),
                Err(_) => self.unread.clear(),
            },
            read = self.out.read(&mut self.buffer) => match read {
                // An error means, as the end does, that the last program that had it is gone.
                Ok(0) | Err(_) => self.open = false,
                Ok(count) => self.parser.process(&self.buffer[..count]),
            }
        }
    }

    /// Reads until nothing more comes.
    async fn drain(&mut self) {
        self.unread.clear();
        while self.open {
            self.exchange().await;
        }
    }
}

/// What the screen of a terminal shows, with colours.
fn glass(parser: &Parser) -> Glass {
    let screen = parser.screen();
    let (rows, columns) = screen.size();
    let mut text = String::new();
    for row in 0..rows {
        let mut style = Style::default();
        for column in 0..columns {
            let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else { continue };
            let now = Style::of(cell);
            if now != style {
                style = now;
                style.write(&mut text);
            }
            text.push_str(if cell.has_contents() { cell.contents() } else { " " });
        }
        text.push_str("\x1b[0m\n");
    }
    let back = screen.scrollback();
    let cursor = Some(screen.cursor_position()).filter(|_| !screen.hide_cursor() && back == 0);
    let application_cursor = screen.application_cursor();
    Glass { text: Arc::from(text), size: (rows, columns), cursor, application_cursor, back }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    colours: (Color, Color),
    /// Bold, dim, italic, underlined, inverse.
    marks: [bool; 5],
}

impl Style {
    fn of(cell: &Cell) -> Self {
        let marks = [cell.bold(), cell.dim(), cell.italic(), cell.underline(), cell.inverse()];
        Self { colours: (cell.fgcolor(), cell.bgcolor()), marks }
    }

    /// As a terminal is told it: everything anew.
    fn write(self, text: &mut String) {
        text.push_str("\x1b[0");
        for (set, code) in self.marks.into_iter().zip([";1", ";2", ";3", ";4", ";7"]) {
            text.push_str(if set { code } else { "" });
        }
        for (colour, place) in [(self.colours.0, 38), (self.colours.1, 48)] {
            match colour {
                Color::Default => {}
                Color::Idx(index) => text.push_str(&format!(";{place};5;{index}")),
                Color::Rgb(red, green, blue) => text.push_str(&format!(";{place};2;{red};{green};{blue}")),
            }
        }
        text.push('m');
    }
}

/// The text of a terminal: what scrolled out, as far as it is held, and what it shows. Lines that were broken at its
/// edge are whole again.
fn text(parser: &mut Parser) -> String {
    let (rows, columns) = parser.screen().size();
    let screen = parser.screen_mut();
    screen.set_scrollback(usize::MAX);
    let mut above = screen.scrollback();
    let mut text = String::new();
    loop {
        screen.set_scrollback(above);
        let count = if above == 0 { usize::from(rows) } else { above.min(rows.into()) };
        for (number, row) in (0..rows).zip(screen.rows(0, columns)).take(count) {
            text.push_str(&row);
            if !screen.row_wrapped(number) {
                text.truncate(text.trim_end_matches(' ').len());
                text.push('\n');
            }
        }
        if above == 0 {
            break;
        }
        above -= count;
    }
    text.truncate(text.trim_end().len());
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_whole_however_much_scrolled_out() {
        for count in [1, 3, 4, 5, 9, 12, 40] {
            let mut parser = Parser::new(4, 10, HELD);
            for line in 1..=count {
                parser.process(format!("line {line}\r\n").as_bytes());
            }
            let wanted: String = (1..=count).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
            assert_eq!(text(&mut parser), wanted, "{count}");
        }
        let mut parser = Parser::new(4, 10, HELD);
        parser.process(b"a line that is longer than the screen is wide\r\n\x1b[31mred\x1b[0m\r\n");
        assert_eq!(text(&mut parser), "a line that is longer than the screen is wide\nred\n");
    }

    #[test]
    fn a_flood_keeps_the_last_rows_and_no_more() {
        let mut parser = Parser::new(24, 80, HELD);
        for _ in 0..2_000 {
            parser.process(b"0123456789\r\n0123456789\r\n0123456789\r\n0123456789\r\n");
        }
        assert!(text(&mut parser).lines().count() <= HELD + 24);
    }

    #[test]
    fn what_scrolled_out_can_be_looked_at_and_stays_while_more_comes() {
        let (terminal, _theirs) = open().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let _entered = runtime.enter();
        let mut desk = Desk::at(terminal).unwrap();
        let says =
            |desk: &Desk| glass(&desk.parser).text.lines().next().unwrap_or_default().trim().replace("\x1b[0m", "");
        desk.fit(3, 20);
        for line in 1..=50 {
            desk.parser.process(format!("\r\nline {line}").as_bytes());
        }
        assert_eq!((says(&desk).trim(), glass(&desk.parser).back), ("line 48", 0));
        assert!(desk.scroll(-10) && !desk.scroll(0));
        assert_eq!((says(&desk).trim(), glass(&desk.parser).cursor), ("line 38", None));
        desk.parser.process(b"\r\nline 51");
        assert_eq!((says(&desk).trim(), glass(&desk.parser).back), ("line 38", 11));
        assert!(desk.scroll(isize::MIN) && desk.scroll(1));
        assert_eq!(says(&desk).trim(), "line 1");
        assert!(desk.scroll(isize::MAX));
        assert_eq!((says(&desk).trim(), glass(&desk.parser).back), ("line 49", 0));
    }

    #[test]
    fn a_lower_screen_loses_nothing() {
        let (terminal, _theirs) = open().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let _entered = runtime.enter();
        let mut desk = Desk::at(terminal).unwrap();
        let lines = (1..=30).fold(String::new(), |all, line| all + &format!("line {line}\r\n"));
        desk.parser.process(lines.as_bytes());
        desk.fit(10, 80);
        desk.parser.process(b"and on\r\n");
        let all = (1..=30).fold(String::new(), |all, line| all + &format!("line {line}\n"));
        assert_eq!(text(&mut desk.parser), format!("{all}and on\n"));
    }

    #[test]
    fn the_screen_is_shown_with_its_colours_and_its_cursor() {
        let mut parser = Parser::new(2, 6, 0);
        parser.process(b"a\x1b[31mb\x1b[0;7mc\x1b[0m \x1b[38;2;1;2;3md");
        let shown = glass(&parser);
        assert_eq!(
            &*shown.text,
            "a\x1b[0;38;5;1mb\x1b[0;7mc\x1b[0m \x1b[0;38;2;1;2;3md\x1b[0m \x1b[0m\n      \x1b[0m\n"
        );
        assert_eq!((shown.size, shown.cursor, shown.application_cursor), ((2, 6), Some((0, 5)), false));
        parser.process(b"\x1b[?25l\x1b[?1h");
        assert_eq!((glass(&parser).cursor, glass(&parser).application_cursor), (None, true));
    }
}
