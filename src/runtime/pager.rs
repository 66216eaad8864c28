//! Shows text in the person's pager: the terminal is given back meanwhile, and taken again. What others wrote is
//! neutralised on the way; only colours stay.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;
use vte::{Params, Parser, Perform};

use super::lent;
use crate::app::Content;
use crate::domain::Stream;
use crate::store::Outputs;

/// The pager where the person named none.
const USUAL: &str = "less";
/// What a pager needs of our environment. Nothing else is passed on, since it may hold secrets.
const KEPT: [&str; 12] = [
    "PATH",
    "HOME",
    "TERM",
    "TERMINFO",
    "COLORTERM",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LESS",
    "LESSCHARSET",
    "MORE",
    "SHELL",
];

/// How long the terminal's reader may take to let go of it.
const SETTLE: Duration = Duration::from_millis(50);

/// Shows it, and waits for the pager's end.
///
/// # Errors
/// It can't be started or waited for, in a sentence.
pub async fn show(outputs: Arc<Outputs>, content: Content, back: &CancellationToken) -> Result<(), String> {
    tokio::time::sleep(SETTLE).await;
    let (from, to) = io::pipe().map_err(|error| format!("The pager can't be given anything: {error}."))?;
    // Rows of a table are read side by side.
    let options = if matches!(content, Content::Printed(..)) { "-R" } else { "-RS" };
    let child = start(from, options)?;
    let feeder = tokio::task::spawn_blocking(move || feed(&outputs, &content, to));
    let ended = lent::wait(child, back).await;
    // A pager that is gone breaks the pipe, so that this ends, too.
    let _fed = feeder.await;
    ended.map(|_| ()).map_err(|error| format!("The pager's end couldn't be seen: {error}."))
}

/// Starts it with these options for `less`, unless the person has options of their own.
fn start(text: PipeReader, options: &str) -> Result<Child, String> {
    let named = std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty());
    let pager = named.unwrap_or_else(|| USUAL.to_owned());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &pager]).env_clear().stdin(text).kill_on_drop(true);
    for name in KEPT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", options);
    }
    command.spawn().map_err(|error| format!("The pager {pager} can't be started: {error}."))
}

/// Feeds a pager until the end, or until it is left.
fn feed(outputs: &Outputs, content: &Content, pager: PipeWriter) {
    let mut filter = Filter::new(pager, true);
    let _left = match content {
        Content::Text(text, _) => filter.write_all(text.as_bytes()),
        Content::Rows(id, like, export) => {
            outputs.all_rows(*id).and_then(|rows| export.write_rows(like, rows, &mut io::BufWriter::new(&mut filter)))
        }
        // What is no text isn't paged.
        Content::Part(..) => Ok(()),
        Content::Printed(id, tail) => {
            let mut marked = |stream, bytes: &[u8]| {
                filter.error = stream == Stream::Err;
                filter.write_all(bytes)
            };
            if outputs.open(*id).is_ok() {
                outputs.each(*id, marked)
            } else {
                tail.pieces.iter().try_for_each(|piece| marked(piece.stream, piece.text.as_bytes()))
            }
        }
    }
    .and_then(|()| filter.flush());
}

/// The text without anything that steers a terminal, for a clipboard.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut filter = Filter::new(Vec::with_capacity(text.len()), false);
    let _into_memory = filter.write_all(text.as_bytes()).and_then(|()| filter.flush());
    String::from_utf8_lossy(&filter.to).into_owned()
}

/// Passes text and, if wanted, colours on, and drops every other thing that a terminal would obey.
struct Filter<W: Write> {
    to: W,
    parser: Parser,
    out: Vec<u8>,
    colours: bool,
    /// What comes was printed on standard error: its lines are marked.
    error: bool,
    begun: bool,
}

impl<W: Write> Filter<W> {
    fn new(to: W, colours: bool) -> Self {
        Self { to, parser: Parser::new(), out: Vec::new(), colours, error: false, begun: false }
    }
}

impl<W: Write> Write for Filter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut screen =
            Screen { out: std::mem::take(&mut self.out), colours: self.colours, error: self.error, begun: self.begun };
        self.parser.advance(&mut screen, bytes);
        self.begun = screen.begun;
        self.out = screen.out;
        self.to.write_all(&self.out)?;
        self.out.clear();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

struct Screen {
    out: Vec<u8>,
    colours: bool,
    error: bool,
    begun: bool,
}

impl Perform for Screen {
    fn print(&mut self, c: char) {
        if !self.begun && self.error {
            self.out.extend_from_slice(b"! ");
        }
        self.begun = true;
        self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn execute(&mut self, byte: u8) {
        if matches!(byte, b'\n' | b'\t') {
            self.begun = byte != b'\n';
            self.out.push(byte);
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        if self.colours && action == 'm' && intermediates.is_empty() && !ignore {
            let params: Vec<String> = params
                .iter()
                .map(|param| param.iter().map(u16::to_string).collect::<Vec<_>>().join(":"))
                // Nothing is hidden by its style.
                .filter(|param| param != "8")
                .collect();
            self.out.extend_from_slice(format!("\x1b[{}m", params.join(";")).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_and_colours_pass() {
        let raw = "a\x1b[31mb\x1b]0;title\x07c\x1b[2J\x07\r\nd\te\x1b[8;1mf\x1bPq\x1b\\";
        assert_eq!(plain(raw), "abc\nd\tef");
        let mut filter = Filter::new(Vec::new(), true);
        filter.write_all(raw.as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&filter.to), "a\x1b[31mbc\nd\te\x1b[1mf");
    }

    #[test]
    fn lines_of_standard_error_are_marked() {
        let mut filter = Filter::new(Vec::new(), true);
        filter.write_all(b"one\n").unwrap();
        filter.error = true;
        filter.write_all(b"two\nthree").unwrap();
        assert_eq!(String::from_utf8_lossy(&filter.to), "one\n! two\n! three");
    }
}
