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
/// How long nothing comes at the end of a line until what is pasted counts as over, whether its end was said or not:
/// the mark is lost where the line that it ends is cut or taken back.
const OVER: Duration = Duration::from_secs(1);
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
        if pasted.0 && line.empty() && quiet(OVER) {
            pasted = Pasted::default();
        }
        let waited = quiet(Duration::ZERO);
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk.to_vec(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        if chunk.is_empty() {
            let rest = (!line.empty()).then(|| {
                let (text, alone) = line.take(&mut pasted);
                (text, if alone { typed } else { Millis(0) })
            });
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
            line.push(part, &mut pasted);
            if part.ends_with(b"\n") {
                let (text, alone) = line.take(&mut pasted);
                if alone {
                    single = Some((text, typed));
                } else {
                    among = true;
                    if !hand((text, Millis(0))) {
                        return;
                    }
                }
            }
        }
    }
}

/// Whether what is read lies between the marks of what is pasted.
#[derive(Default)]
struct Pasted(bool);

impl Pasted {
    /// Whether some of a text was pasted.
    fn touches(&mut self, text: &str) -> bool {
        let [begin, end] = PASTED;
        // What was pasted up to the end of a line leaves its mark to the next one, which is typed.
        let behind = text.strip_prefix(end).filter(|behind| !behind.contains(begin) && !behind.contains(end));
        if behind.is_some() {
            self.0 = false;
            return false;
        }
        let touched = self.0 || text.contains(begin) || text.contains(end);
        match (text.rfind(begin), text.rfind(end)) {
            (None, None) => {}
            (opened, closed) => self.0 = opened > closed,
        }
        touched
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
    /// Some of what isn't kept of it was pasted.
    by_paste: bool,
}

impl Line {
    fn empty(&self) -> bool {
        self.bytes.is_empty() && !self.over
    }

    fn push(&mut self, part: &[u8], pasted: &mut Pasted) {
        self.bytes.extend_from_slice(part);
        if self.over || self.bytes.len() > LONGEST {
            self.over = true;
            self.by_paste |= pasted.touches(&String::from_utf8_lossy(&self.bytes));
            // A mark may have come in part.
            let cut = PASTED[0].len() - 1;
            self.bytes.drain(..self.bytes.len().saturating_sub(cut));
        }
    }

    /// The line without the marks, and whether it was typed and came by itself.
    fn take(&mut self, pasted: &mut Pasted) -> (Option<String>, bool) {
        let Self { bytes, over, among, by_paste } = std::mem::take(self);
        if over {
            return (None, !among && !by_paste);
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches(['\r', '\n']);
        let by_paste = pasted.touches(text);
        let stripped = PASTED.iter().fold(text.to_owned(), |text, mark| text.replace(mark, ""));
        (Some(stripped), !among && !by_paste)
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
                left.set(left.get() - long);
                clock.set(clock.get() + long);
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
        let parts = [("\x1b[200~approve 1\n", 1_000), ("approve 1\x1b[201~\n", 500), ("approve 1\n", 1_000)];
        let told = heard(&parts);
        assert_eq!(told[..2], [line("approve 1", 0), line("approve 1", 0)], "{told:?}");
        assert!(told[2].1 > Millis(2_000), "{told:?}");
        // Other sequences of a terminal in it say nothing about its end.
        let parts = [("\x1b[200~a\x1b[0m\n", 1_000), ("approve 1\x1b[0m\n", 500), ("approve 2\n", 500)];
        assert_eq!(heard(&parts)[1..], [line("approve 1\x1b[0m", 0), line("approve 2", 0)]);
    }

    #[test]
    fn a_line_that_only_begins_with_the_end_of_what_was_pasted_was_typed() {
        let told = heard(&[("\x1b[200~log\n", 1_000), ("\x1b[201~approve 1\n", 500), ("approve 2\n", 500)]);
        assert_eq!(told[0], line("log", 0));
        assert_eq!(told[1].0.as_deref(), Some("approve 1"));
        assert!(told[1].1 >= Millis(1_500) && told[2].1 >= Millis(2_000), "{told:?}");
        // Not where it came with what was pasted, or another paste follows.
        let others = [
            ("\x1b[201~approve 1\n", 5),
            ("\x1b[201~\x1b[200~approve 1\x1b[201~\n", 500),
            ("\x1b[201~approve 1\x1b[201~\n", 500),
        ];
        for other in others {
            assert_eq!(heard(&[("\x1b[200~log\n", 1_000), other])[1], line("approve 1", 0), "{other:?}");
        }
    }

    #[test]
    fn what_is_pasted_is_over_when_nothing_more_comes_though_its_end_was_lost() {
        let cut = format!("\x1b[200~{}\n", "a".repeat(4_000));
        let told = heard(&[(&cut, 1_000), ("approve 1\n", 500), ("approve 2\n", 2_000)]);
        assert_eq!(told[1], line("approve 1", 0));
        assert!(told[2].1 >= Millis(3_500), "{told:?}");
    }

    #[test]
    fn what_is_left_at_the_end_without_a_newline_is_as_old_as_a_line_would_be() {
        assert_eq!(heard(&[("x\napprove 1", 1_000)])[1], line("approve 1", 0));
        assert_eq!(heard(&[("\x1b[200~approve 1", 1_000)]), [line("approve 1", 0)]);
        assert_eq!(heard(&[("approve 1", 1_000)]), [line("approve 1", 1_000)]);
    }

    #[test]
    fn a_mark_in_a_line_that_is_too_long_counts() {
        let long = "a".repeat(LONGEST);
        for begun in [format!("\x1b[200~{long}\n"), format!("{long}\x1b[200~b\n")] {
            assert_eq!(heard(&[(&begun, 1_000), ("approve 1\n", 500)])[1], line("approve 1", 0));
        }
        // Its parts are read one after the other.
        let told = heard(&[(&long, 1_000), ("\x1b[2", 500), ("00~b\n", 500), ("approve 1\n", 500)]);
        assert_eq!(told[1], line("approve 1", 0));
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
