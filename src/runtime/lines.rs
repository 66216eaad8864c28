//! Lines of standard input, read by a thread of its own. Each says since when it may have lain there: what was there
//! already when the thread came to look is as old as what was read before it, however late it is read.

use std::io::{self, BufRead};

use tokio::sync::mpsc;

use crate::app::Millis;

/// Longest line that is taken, in bytes.
const LONGEST: usize = 64 * 1024;
/// Lines that are read ahead.
const AHEAD: usize = 256;

/// A line, none if it was too long, and the time that counts as when it was typed.
pub type Heard = (Option<String>, Millis);

/// Reads lines until the input or the program ends. `now` is the session's clock.
pub fn listen(now: impl Fn() -> Millis + Send + 'static) -> mpsc::Receiver<Heard> {
    let (sender, lines) = mpsc::channel(AHEAD);
    std::thread::spawn(move || read(&mut io::stdin().lock(), empty, now, |heard| sender.blocking_send(heard).is_ok()));
    lines
}

/// Reads lines as long as they are wanted. `empty` says whether nothing is there to be read just now.
fn read(
    input: &mut impl BufRead,
    empty: impl Fn() -> bool,
    now: impl Fn() -> Millis,
    mut hand: impl FnMut(Heard) -> bool,
) {
    let mut typed = Millis(0);
    let mut line = Line::default();
    loop {
        let waited = empty();
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk.to_vec(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        if chunk.is_empty() {
            if !line.bytes.is_empty() || line.over {
                hand((line.take(), typed));
            }
            return;
        }
        input.consume(chunk.len());
        if waited {
            typed = now();
        }
        for part in chunk.split_inclusive(|byte| *byte == b'\n') {
            line.push(part);
            if part.ends_with(b"\n") && !hand((line.take(), typed)) {
                return;
            }
        }
    }
}

/// A line as far as it was read.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    /// It is too long, and nothing of it is kept.
    over: bool,
}

impl Line {
    fn push(&mut self, part: &[u8]) {
        self.over |= self.bytes.len() + part.len() > LONGEST;
        if self.over {
            self.bytes.clear();
        } else {
            self.bytes.extend_from_slice(part);
        }
    }

    fn take(&mut self) -> Option<String> {
        let Self { bytes, over } = std::mem::take(self);
        (!over).then(|| String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned())
    }
}

/// Whether nothing is there to be read just now. Where that can't be said, something is: it counts as old.
#[cfg(unix)]
fn empty() -> bool {
    use std::os::fd::AsFd as _;

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    let input = io::stdin();
    poll(&mut [PollFd::new(input.as_fd(), PollFlags::POLLIN)], PollTimeout::ZERO) == Ok(0)
}

/// The same where the system has no word for it: what a person types at a terminal is new.
#[cfg(not(unix))]
fn empty() -> bool {
    use std::io::IsTerminal as _;

    io::stdin().is_terminal()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{BufReader, Read};

    use super::*;

    /// An input that gives a part at each read.
    struct Parts(Vec<Vec<u8>>);

    impl Read for Parts {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let part = self.0.remove(0);
            into[..part.len()].copy_from_slice(&part);
            Ok(part.len())
        }
    }

    /// What is heard of parts, each with whether it was waited for; the clock goes on by 1,000 at each look.
    fn heard(parts: &[(&str, bool)]) -> Vec<Heard> {
        let mut lines = Vec::new();
        let look = Cell::new(0);
        let empty = || {
            let at = look.replace(look.get() + 1);
            parts.get(at).is_some_and(|(_, waited)| *waited)
        };
        let now = || Millis(1_000 * look.get() as u64);
        let bytes = parts.iter().map(|(part, _)| part.as_bytes().to_vec()).collect();
        read(&mut BufReader::with_capacity(1 << 20, Parts(bytes)), empty, now, |heard| {
            lines.push(heard);
            true
        });
        lines
    }

    fn line(text: &str, typed: u64) -> Heard {
        (Some(text.to_owned()), Millis(typed))
    }

    #[test]
    fn what_lay_there_already_is_as_old_as_what_was_read_before_it() {
        let parts = [("a\nb\r\n", false), ("c\n", true), ("d\n", false), ("e\nf", false), ("g\n", true), ("h", false)];
        let old = [line("a", 0), line("b", 0), line("c", 2_000), line("d", 2_000), line("e", 2_000)];
        assert_eq!(heard(&parts), [&old[..], &[line("fg", 5_000), line("h", 5_000)]].concat());
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_whole() {
        let long = format!("{}approve 1", "a".repeat(LONGEST));
        let told = heard(&[(&long, true), (" and more\nlist\n", true), (&long, true)]);
        assert_eq!(told, [(None, Millis(2_000)), line("list", 2_000), (None, Millis(3_000))]);
        let most = "a".repeat(LONGEST - 1);
        assert_eq!(heard(&[(&format!("{most}\n"), true)]), [line(&most, 1_000)]);
    }
}
