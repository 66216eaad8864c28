//! Lines of standard input, read by a thread of its own. Each says since when it may have lain there: what was there
//! already when the thread came to look is as old as what was read before it, however late it is read. What came with
//! other lines in one moment, or between the marks that a terminal puts around what is pasted, is as old as can be: it
//! decides nothing.

use std::io::{self, BufRead};
use std::time::Duration;

use tokio::sync::mpsc;

use crate::app::Millis;

/// Longest line that is taken, in bytes.
const LONGEST: usize = 64 * 1024;
/// Lines that are read ahead.
const AHEAD: usize = 256;
/// How long nothing else comes before and behind a line that stands by itself. Nobody types another line in that time.
const MOMENT: Duration = Duration::from_millis(80);
/// What a terminal puts around what is pasted, where it was asked to.
const PASTED: [&str; 2] = ["\x1b[200~", "\x1b[201~"];

/// A line, none if it was too long, and the time that counts as when it was typed.
pub type Heard = (Option<String>, Millis);

/// Reads lines until the input or the program ends. `now` is the session's clock.
pub fn listen(now: impl Fn() -> Millis + Send + 'static) -> mpsc::Receiver<Heard> {
    let (sender, lines) = mpsc::channel(AHEAD);
    std::thread::spawn(move || read(&mut io::stdin().lock(), quiet, now, |heard| sender.blocking_send(heard).is_ok()));
    lines
}

/// Reads lines as long as they are wanted. `quiet` says whether nothing comes to be read for so long.
fn read(
    input: &mut impl BufRead,
    quiet: impl Fn(Duration) -> bool,
    now: impl Fn() -> Millis,
    mut hand: impl FnMut(Heard) -> bool,
) {
    let mut typed = Millis(0);
    let (mut line, mut pasted) = (Line::default(), Pasted::default());
    // A line that nothing followed yet, and whether others came in this moment.
    let (mut single, mut among): (Option<Heard>, bool) = (None, false);
    loop {
        if (single.is_some() || among) && quiet(MOMENT) {
            among = false;
            if single.take().is_some_and(|single| !hand(single)) {
                return;
            }
        }
        let waited = quiet(Duration::ZERO);
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk.to_vec(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        if chunk.is_empty() {
            let rest = (!line.bytes.is_empty() || line.over).then(|| (line.take(&mut pasted).0, typed));
            single.into_iter().chain(rest).all(&mut hand);
            return;
        }
        input.consume(chunk.len());
        if waited {
            typed = now();
        }
        for part in chunk.split_inclusive(|byte| *byte == b'\n') {
            if let Some((first, _)) = single.take() {
                among = true;
                if !hand((first, Millis(0))) {
                    return;
                }
            }
            line.among |= among;
            line.push(part);
            if part.ends_with(b"\n") {
                let among = line.among;
                let (text, by_paste) = line.take(&mut pasted);
                if !among && !by_paste {
                    single = Some((text, typed));
                } else if !hand((text, Millis(0))) {
                    return;
                }
            }
        }
    }
}

/// Whether what is read lies between the marks of what is pasted.
#[derive(Default)]
struct Pasted(bool);

impl Pasted {
    /// The line without the marks, and whether some of it was pasted.
    fn strip(&mut self, line: &str) -> (String, bool) {
        let [begin, end] = PASTED;
        let pasted = self.0 || line.contains(begin) || line.contains(end);
        if let Some(last) = line.rfind('\x1b').map(|at| &line[at..]) {
            self.0 = if last.starts_with(begin) {
                true
            } else if last.starts_with(end) {
                false
            } else {
                self.0
            };
        }
        (line.replace(begin, "").replace(end, ""), pasted)
    }
}

/// A line as far as it was read.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    /// It is too long, and nothing of it is kept.
    over: bool,
    /// It came with others.
    among: bool,
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

    /// The line, and whether some of it was pasted.
    fn take(&mut self, pasted: &mut Pasted) -> (Option<String>, bool) {
        let Self { bytes, over, .. } = std::mem::take(self);
        if over {
            return (None, false);
        }
        let (text, by_paste) = pasted.strip(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']));
        (Some(text), by_paste)
    }
}

/// Whether nothing comes to be read for so long. Where that can't be said, something does: it counts as old.
#[cfg(unix)]
fn quiet(long: Duration) -> bool {
    use std::os::fd::AsFd as _;

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    let input = io::stdin();
    let long = PollTimeout::try_from(long).unwrap_or(PollTimeout::ZERO);
    poll(&mut [PollFd::new(input.as_fd(), PollFlags::POLLIN)], long) == Ok(0)
}

/// The same where the system has no word for it: what a person types at a terminal is new.
#[cfg(not(unix))]
fn quiet(_long: Duration) -> bool {
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

    /// What is heard of parts, each coming so many milliseconds after the one before was read.
    fn heard(parts: &[(&str, u64)]) -> Vec<Heard> {
        let mut lines = Vec::new();
        // The part that comes next, and how long it still takes.
        let (next, clock) = (Cell::new(0), Cell::new(0));
        let left = Cell::new(parts.first().map_or(0, |part| part.1));
        let quiet = |long: Duration| {
            let long = u64::try_from(long.as_millis()).unwrap();
            if next.get() < parts.len() && left.get() > long {
                (left.set(left.get() - long), clock.set(clock.get() + long));
                return true;
            }
            false
        };
        let now = || {
            let at = next.replace(next.get() + 1);
            clock.set(clock.get() + left.replace(parts.get(at + 1).map_or(0, |part| part.1)));
            Millis(clock.get())
        };
        // A part that was there already is read without a look at the clock.
        let bytes = parts.iter().map(|(part, _)| part.as_bytes().to_vec()).collect();
        let looked = |long: Duration| {
            let waits = quiet(long);
            if !waits && long == Duration::ZERO && next.get() < parts.len() {
                let at = next.replace(next.get() + 1);
                left.set(parts.get(at + 1).map_or(0, |part| part.1));
            }
            waits
        };
        read(&mut BufReader::with_capacity(1 << 20, Parts(bytes)), looked, now, |heard| {
            lines.push(heard);
            true
        });
        lines
    }

    fn line(text: &str, typed: u64) -> Heard {
        (Some(text.to_owned()), Millis(typed))
    }

    #[test]
    fn a_line_by_itself_is_as_old_as_it_came_and_what_lay_there_already_as_what_was_read_before_it() {
        assert_eq!(heard(&[("a\n", 1_000), ("b\r\n", 2_000)]), [line("a", 1_000), line("b", 3_000)]);
        assert_eq!(heard(&[("a\n", 0), ("b\n", 2_000)]), [line("a", 0), line("b", 2_000)]);
        assert_eq!(heard(&[("appro", 1_000), ("ve 1\n", 500)]), [line("approve 1", 1_500)], "typed with a pause in it");
    }

    #[test]
    fn what_comes_with_other_lines_in_a_moment_is_as_old_as_can_be() {
        let parts = [("log\n", 1_000), ("approve 1\n", 5), ("more", 5), ("\n", 1_000), ("approve 2\n", 1_000)];
        let told = heard(&parts);
        assert_eq!(told[..3], [line("log", 0), line("approve 1", 0), line("more", 0)], "{told:?}");
        assert!(told[3].1 > Millis(2_000), "{told:?}");
        assert_eq!(heard(&[("log\napprove 1\nmore", 1_000)])[1], line("approve 1", 0));
        assert_eq!(heard(&[("approve 1\nmore\n", 1_000)]), [line("approve 1", 0), line("more", 0)]);
    }

    #[test]
    fn what_the_terminal_says_is_pasted_is_as_old_as_can_be() {
        let parts = [("\x1b[200~approve 1\n", 1_000), ("\x1b[201~\n", 1_000), ("approve 1\n", 1_000)];
        let told = heard(&parts);
        assert_eq!(told[..2], [line("approve 1", 0), line("", 0)], "{told:?}");
        assert!(told[2].1 > Millis(2_000), "{told:?}");
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_whole() {
        let long = format!("{}approve 1", "a".repeat(LONGEST));
        let told = heard(&[(&long, 1_000), (" and more\n", 1_000), ("list\n", 1_000), (&long, 1_000)]);
        assert_eq!(told.iter().map(|(line, _)| line.as_deref()).collect::<Vec<_>>(), [None, Some("list"), None]);
        let most = "a".repeat(LONGEST - 1);
        assert_eq!(heard(&[(&format!("{most}\n"), 1_000)]), [line(&most, 1_000)]);
    }
}
