//! Reading, listing and looking whether something is there. Everything is bounded: long files are read in
//! parts, long folders cut, and what is left out is said.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

use memchr::{memchr, memchr_iter, memrchr};
use nix::dir::Dir;
use nix::fcntl::{AtFlags, readlinkat};
use nix::sys::stat::fstatat;
use tokio_util::sync::CancellationToken;

use super::super::repository;
use super::real::{self, Sort, Spot, sort};
use super::{Done, FileError, Judged, counted};
use crate::assess::{Known, conceal_text};

/// Lines read where no number is given.
const LINES: u64 = 2000;
/// How many times the usual limit of a result a text that was asked for may be long.
const SHARE: usize = 5;
/// Bytes of one read.
const READ: usize = 256 * 1024;
/// Bytes looked at for being binary.
const PROBE: usize = 8 * 1024;
/// Longest file whose lines are counted to its end.
const COUNTED: u64 = 256 * 1024 * 1024;
/// Entries of a folder that are read at most.
const ENTRIES: usize = 100_000;

/// The lines that were asked for, taken from a file that goes by in parts.
struct Excerpt {
    first: u64,
    last: u64,
    cap: usize,
    text: Vec<u8>,
    /// Number of the line that the next byte belongs to.
    line: u64,
    /// The line in which the cap was reached.
    cut: Option<u64>,
    /// Whether the last byte ended a line.
    ended: bool,
}

impl Excerpt {
    fn take(&mut self, mut part: &[u8]) {
        self.ended = part.last() == Some(&b'\n');
        while self.line < self.first {
            let Some(at) = memchr(b'\n', part) else { return };
            self.line += 1;
            part = &part[at + 1..];
        }
        while self.line <= self.last && !part.is_empty() {
            let length = memchr(b'\n', part).map_or(part.len(), |at| at + 1);
            let (line, rest) = part.split_at(length);
            let room = if self.cut.is_none() { self.cap.saturating_sub(self.text.len()) } else { 0 };
            if line.len() > room {
                self.cut.get_or_insert(self.line);
            }
            self.text.extend_from_slice(&line[..line.len().min(room)]);
            self.line += u64::from(line.ends_with(b"\n"));
            part = rest;
        }
        self.line += memchr_iter(b'\n', part).count() as u64;
    }

    /// Whether nothing more is wanted.
    fn full(&self) -> bool {
        self.cut.is_some() || self.line > self.last
    }

    /// Lines seen in all.
    fn lines(&self) -> u64 {
        if self.ended { self.line - 1 } else { self.line }
    }
}

/// Reads text, or a part of it.
pub(super) fn read(
    path: &Judged<'_>,
    offset: Option<u64>,
    lines: Option<u64>,
    limit: usize,
    cancel: &CancellationToken,
) -> Result<Done, FileError> {
    let (mut file, status) = Spot::of(path, false)?.open(path)?;
    let size = u64::try_from(status.st_size).unwrap_or(0);
    let first = offset.unwrap_or(1).max(1);
    let last = first.saturating_add(lines.unwrap_or(LINES).max(1)).saturating_sub(1);
    let mut excerpt = Excerpt { first, last, cap: limit * SHARE, text: Vec::new(), line: 1, cut: None, ended: true };
    let complete = pass(path, &mut file, size, &mut excerpt, cancel)?;
    present(path, &excerpt, size, complete)
}

/// Lets the file go by. False if it stopped before the end, as nothing more was wanted.
fn pass(
    path: &Judged<'_>,
    file: &mut File,
    size: u64,
    excerpt: &mut Excerpt,
    cancel: &CancellationToken,
) -> Result<bool, FileError> {
    let mut buffer = vec![0; READ];
    let mut begun = false;
    loop {
        let count = file.read(&mut buffer).map_err(|error| FileError::Io(path.name(), error))?;
        let part = &buffer[..count];
        if count == 0 {
            return Ok(true);
        }
        if !begun && memchr(0, &part[..count.min(PROBE)]).is_some() {
            return Err(FileError::Binary(path.name(), size));
        }
        begun = true;
        excerpt.take(part);
        if excerpt.full() && size > COUNTED {
            return Ok(false);
        }
        if cancel.is_cancelled() {
            return Err(FileError::Cancelled);
        }
    }
}

/// The excerpt as text, with a note of what is left out.
fn present(path: &Judged<'_>, excerpt: &Excerpt, size: u64, complete: bool) -> Result<Done, FileError> {
    let lines = excerpt.lines();
    if excerpt.text.is_empty() && excerpt.cut.is_none() {
        if excerpt.first > 1 {
            return Err(FileError::PastEnd { path: path.name(), lines });
        }
        return Ok(Done { summary: "empty".to_owned(), text: format!("{} is empty.", path.spelled) });
    }
    let mut bytes = excerpt.text.as_slice();
    let mut next = excerpt.last.saturating_add(1);
    if let Some(cut) = excerpt.cut {
        // Only whole lines, unless the first one alone is too long.
        let whole = memrchr(b'\n', bytes).map(|at| at + 1);
        bytes = whole.map_or(bytes, |end| &bytes[..end]);
        next = if whole.is_some() { cut } else { cut + 1 };
    }
    let shown = next.min(lines + 1).saturating_sub(excerpt.first);
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    let mut note = String::new();
    if repository::is_configuration(&path.fact.real) {
        let shown = conceal_text(&text, &Known::default());
        if shown != text {
            note.push_str(" Secrets are masked.");
            text = shown;
        }
    }
    if std::str::from_utf8(bytes).is_err() {
        note.push_str(" Some bytes are not UTF-8 and show as \u{FFFD}.");
    }
    if excerpt.cut.is_some_and(|cut| cut < next) {
        note.push_str(&format!(" Line {} is too long and cut after {} bytes.", next - 1, bytes.len()));
    }
    if next <= lines || !complete {
        let total = if complete { format!("of {lines}") } else { format!("of a file of {size} bytes") };
        note.push_str(&format!(" Lines {}-{} {total}; read on with offset {next}.", excerpt.first, next - 1));
    }
    if !note.is_empty() {
        text.push_str(&format!("{}[{}]", if text.ends_with('\n') { "" } else { "\n" }, note.trim_start()));
    }
    Ok(Done { summary: counted(shown, "line"), text })
}

/// Lists a folder: folders with a slash, files with their size, links with their target.
pub(super) fn list(path: &Judged<'_>, limit: usize, cancel: &CancellationToken) -> Result<Done, FileError> {
    let mut folder = Dir::from_fd(real::folder(path)?).map_err(|errno| real::explain(path, errno))?;
    let mut names = Vec::new();
    let mut more = false;
    for entry in folder.iter() {
        let entry = entry.map_err(|errno| real::explain(path, errno))?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        if names.len() == ENTRIES {
            more = true;
            break;
        }
        names.push(name.to_vec());
    }
    names.sort_unstable();
    let mut text = String::new();
    let mut shown = 0;
    for name in &names {
        if cancel.is_cancelled() {
            return Err(FileError::Cancelled);
        }
        let line = describe(&folder, name);
        if text.len() + line.len() > limit {
            break;
        }
        text.push_str(&line);
        shown += 1;
    }
    let total = names.len();
    let noun = if total == 1 { "entry" } else { "entries" };
    let summary = format!("{total} {noun}{}", if more { " or more" } else { "" });
    if total == 0 {
        text = format!("{} is an empty folder.", path.spelled);
    } else if shown < total || more {
        text.push_str(&format!("[{} left out of {summary}]", total - shown));
    }
    Ok(Done { summary, text })
}

/// One entry of a folder as a line. What can't be looked at is named alone.
fn describe(folder: &Dir, name: &[u8]) -> String {
    let shown = visible(name);
    let name = std::ffi::OsStr::from_bytes(name);
    match fstatat(folder.as_fd(), name, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Ok(status) => match sort(&status) {
            Sort::Folder => format!("{shown}/\n"),
            Sort::File => format!("{shown}  {} bytes\n", status.st_size),
            Sort::Link => match readlinkat(folder.as_fd(), name) {
                Ok(target) => format!("{shown} -> {}\n", visible(target.as_bytes())),
                Err(_) => format!("{shown} -> ?\n"),
            },
            Sort::Special => format!("{shown}  (device, pipe or socket)\n"),
        },
        Err(_) => format!("{shown}\n"),
    }
}

/// A file name on one line, whatever it holds.
fn visible(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    if text.chars().any(char::is_control) { text.escape_debug().to_string() } else { text.into_owned() }
}

/// Tells whether something is there, and what.
pub(super) fn exists(path: &Judged<'_>) -> Result<Done, FileError> {
    if path.fact.real.parent().is_none() {
        return Ok(told(path, "a folder"));
    }
    let spot = match Spot::of(path, false) {
        Ok(spot) => spot,
        Err(FileError::Missing(_) | FileError::Changed(_)) => return Ok(absent(path)),
        Err(error) => return Err(error),
    };
    Ok(match spot.status(path)? {
        None => absent(path),
        Some(status) => match sort(&status) {
            Sort::File => told(path, &format!("a file of {} bytes", status.st_size)),
            Sort::Folder => told(path, "a folder"),
            Sort::Link => told(path, "a link"),
            Sort::Special => told(path, "a device, a pipe or a socket"),
        },
    })
}

fn told(path: &Judged<'_>, what: &str) -> Done {
    Done { summary: "there".to_owned(), text: format!("{} exists: {what}.", path.spelled) }
}

fn absent(path: &Judged<'_>) -> Done {
    Done { summary: "not there".to_owned(), text: format!("{} does not exist.", path.spelled) }
}
