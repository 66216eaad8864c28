//! What operations printed, on disk up to a cap: the pane, the pager, a file that the person saves and a model's second
//! look are read from here. For the person alone, one folder a session. What is short is never written.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use memchr::{memchr, memchr_iter, memrchr};
use regex::bytes::Regex;

use super::Claims;
use crate::domain::{Look, OperationId, Page, Printed, Recalled, Stream, Table, sought};

/// Bytes of a part that is read back, each way from what was looked for.
const AROUND: u64 = 96 * 1024;
/// Bytes that are looked through at a time.
const STEP: u64 = 4 * 1024 * 1024;
/// Most bytes that one session keeps.
const MOST: u64 = 4 * 1024 * 1024 * 1024;
/// Bytes of a note of a change between the streams: where, and to which.
const NOTE: usize = 9;

/// The outputs of one session.
#[derive(Debug)]
pub struct Outputs {
    /// None where nothing is kept.
    folder: Option<PathBuf>,
    /// Bytes kept of one output.
    cap: u64,
    used: AtomicU64,
    /// Those that a model may read on in.
    readable: Mutex<BTreeSet<OperationId>>,
}

impl Outputs {
    /// The outputs of `session` below `root`, at most `cap` bytes of each. Makes nothing until something is kept.
    #[must_use]
    pub fn new(root: &Path, session: &str, cap: u64) -> Self {
        Self { folder: Some(root.join(session)), cap, used: AtomicU64::new(0), readable: Mutex::default() }
    }

    /// Keeps nothing.
    #[must_use]
    pub fn off() -> Self {
        Self { folder: None, cap: 0, used: AtomicU64::new(0), readable: Mutex::default() }
    }

    /// Lets a model read on in an output.
    pub fn allow(&self, id: OperationId) {
        self.readable.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    }

    /// Whether a model may read on in an output.
    #[must_use]
    pub fn readable(&self, id: OperationId) -> bool {
        self.readable.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }

    /// Begins to keep an output.
    ///
    /// # Errors
    /// It can't be written.
    pub fn begin(&self, id: OperationId) -> io::Result<Option<Spool>> {
        let Some((folder, left)) = self.room() else { return Ok(None) };
        make(folder)?;
        let [text, notes] = files(folder, id);
        Ok(Some(Spool { text: create(&text)?, notes: create(&notes)?, left, written: 0, stream: Stream::Out }))
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Where one more output may be kept, and how many bytes of it.
    pub(super) fn room(&self) -> Option<(&Path, u64)> {
        let left = MOST.saturating_sub(self.used.load(Ordering::Relaxed)).min(self.cap);
        self.folder().filter(|_| left > 0).map(|folder| (folder, left))
    }

    /// Counts what an output took.
    pub fn took(&self, bytes: u64) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The file of all that is kept of an output.
    ///
    /// # Errors
    /// Nothing is kept of it.
    pub fn open(&self, id: OperationId) -> io::Result<File> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        File::open(&files(folder, id)[0])
    }

    /// Keeps a part of a result that is no text, as far as there is room for it.
    ///
    /// # Errors
    /// It can't be written, or nothing is kept here.
    pub fn keep_part(&self, id: OperationId, number: usize, bytes: &[u8]) -> io::Result<()> {
        let folder = self.folder.as_ref().filter(|_| self.cap > 0).ok_or(io::ErrorKind::NotFound)?;
        let length = bytes.len() as u64;
        if length > MOST.saturating_sub(self.used.load(Ordering::Relaxed)).min(self.cap) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        make(folder)?;
        create(&of_part(folder, id, number))?.write_all(bytes)?;
        self.took(length);
        Ok(())
    }

    /// The file of such a part.
    ///
    /// # Errors
    /// It isn't kept.
    pub fn open_part(&self, id: OperationId, number: usize) -> io::Result<File> {
        File::open(of_part(self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?, id, number))
    }

    /// A part of an output. None if what is looked for isn't there.
    ///
    /// # Errors
    /// Nothing is kept of it, or it can't be read.
    pub fn look(&self, id: OperationId, look: &Look) -> io::Result<Option<Page>> {
        let file = self.open(id)?;
        let size = file.metadata()?.len();
        let at = match look {
            Look::At(at) => Some((*at).min(size)),
            Look::For { text, from, forward } => {
                let regex = Regex::new(&sought(text)).map_err(io::Error::other)?;
                if *forward { first(&file, &regex, *from, size)? } else { last(&file, &regex, *from)? }
            }
        };
        at.map(|at| self.part(&file, id, at, size)).transpose()
    }

    /// How many lines of an output hold a text.
    ///
    /// # Errors
    /// Nothing is kept of it, or it can't be read.
    pub fn count(&self, id: OperationId, text: &str) -> io::Result<u64> {
        let file = self.open(id)?;
        let size = file.metadata()?.len();
        count(&file, &Regex::new(&sought(text)).map_err(io::Error::other)?, size)
    }

    /// Bytes of an output as text, from one of its bytes on, and how many are kept in all.
    ///
    /// # Errors
    /// Nothing is kept of it, or it can't be read.
    pub fn text(&self, id: OperationId, from: u64, bytes: usize) -> io::Result<(Vec<u8>, u64)> {
        let file = self.open(id)?;
        let size = file.metadata()?.len();
        Ok((part(&file, from.min(size), from.saturating_add(bytes as u64).min(size))?, size))
    }

    /// Passes on all that is kept of an output, a piece at a time, each with its stream.
    ///
    /// # Errors
    /// Nothing is kept of it, it can't be read, or what takes it fails.
    pub fn each(&self, id: OperationId, mut take: impl FnMut(Stream, &[u8]) -> io::Result<()>) -> io::Result<()> {
        let file = self.open(id)?;
        let size = file.metadata()?.len();
        let (mut stream, mut at) = (Stream::Out, 0);
        for (place, next) in self.notes(id)?.into_iter().chain([(size, Stream::Out)]) {
            while at < place.min(size) {
                let bytes = part(&file, at, place.min(size).min(at + STEP))?;
                if bytes.is_empty() {
                    return Ok(());
                }
                take(stream, &bytes)?;
                at += bytes.len() as u64;
            }
            stream = next;
        }
        Ok(())
    }

    /// Keeps rows, as far as there is room for them.
    ///
    /// # Errors
    /// They can't be written.
    pub fn keep_table(&self, id: OperationId, table: &Table) -> io::Result<()> {
        let Some(folder) = self.folder().filter(|_| self.cap > 0) else { return Ok(()) };
        let text = serde_json::to_vec(table)?;
        let bytes = text.len() as u64;
        if self.room().is_none_or(|(_, left)| bytes > left) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        make(folder)?;
        create(&rows(folder, id))?.write_all(&text)?;
        self.took(bytes);
        Ok(())
    }

    /// What is kept of an operation of an earlier sitting: its rows, or the last part of its text.
    ///
    /// # Errors
    /// Nothing is kept of it, or it can't be read.
    pub fn recall(&self, id: OperationId) -> io::Result<Recalled> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        match File::open(rows(folder, id)) {
            Ok(file) => Ok(Recalled::Table(serde_json::from_reader::<_, Table>(io::BufReader::new(file))?.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let page = self.look(id, &Look::At(u64::MAX))?;
                page.map(Recalled::Text).ok_or_else(|| io::ErrorKind::NotFound.into())
            }
            Err(error) => Err(error),
        }
    }

    fn part(&self, file: &File, id: OperationId, at: u64, size: u64) -> io::Result<Page> {
        let mut from = at.saturating_sub(AROUND);
        let mut bytes = part(file, from, at.saturating_add(AROUND).min(size))?;
        if from > 0 {
            // From the start of a line on, if one begins before what was looked for.
            let reach = usize::try_from(at - from).unwrap_or(bytes.len()).min(bytes.len());
            let cut = memchr(b'\n', &bytes[..reach]).map_or(0, |newline| newline + 1);
            bytes.drain(..cut);
            from += cut as u64;
        }
        let to = from + bytes.len() as u64;
        let before = usize::try_from(at - from).unwrap_or(bytes.len()).min(bytes.len());
        let line = memchr_iter(b'\n', &bytes[..before]).count();
        Ok(Page { pieces: self.pieces(id, &bytes, from)?.into(), from, to, line })
    }

    /// Bytes by the stream that they came from.
    fn pieces(&self, id: OperationId, bytes: &[u8], from: u64) -> io::Result<Vec<Printed>> {
        let mut pieces = Vec::new();
        let mut push = |stream, bytes: &[u8]| {
            if !bytes.is_empty() {
                pieces.push(Printed { stream, text: String::from_utf8_lossy(bytes).into() });
            }
        };
        let (mut stream, mut at) = (Stream::Out, 0);
        for (place, next) in self.notes(id)? {
            let cut = usize::try_from(place.saturating_sub(from)).unwrap_or(bytes.len()).min(bytes.len());
            push(stream, &bytes[at..cut.max(at)]);
            (stream, at) = (next, cut.max(at));
        }
        push(stream, &bytes[at..]);
        Ok(pieces)
    }

    /// Where an output changed from one stream to the other.
    fn notes(&self, id: OperationId) -> io::Result<Vec<(u64, Stream)>> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let mut raw = Vec::new();
        File::open(&files(folder, id)[1])?.take(8 * STEP).read_to_end(&mut raw)?;
        let read = |note: &[u8]| {
            let place = note[..8].try_into().map_or(0, u64::from_le_bytes);
            (place, if note[8] == 0 { Stream::Out } else { Stream::Err })
        };
        Ok(raw.chunks_exact(NOTE).map(read).collect())
    }
}

/// An output that is being kept.
#[derive(Debug)]
pub struct Spool {
    text: File,
    notes: File,
    left: u64,
    written: u64,
    stream: Stream,
}

impl Spool {
    /// Keeps bytes as far as there is room. True while there is.
    pub fn write(&mut self, stream: Stream, bytes: &[u8]) -> bool {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        self.keep(stream, &bytes[..room]).is_ok() && self.left > 0
    }

    fn keep(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if stream != self.stream {
            let mut note = [0; NOTE];
            note[..8].copy_from_slice(&self.written.to_le_bytes());
            note[8] = u8::from(stream == Stream::Err);
            self.notes.write_all(&note)?;
            self.stream = stream;
        }
        self.text.write_all(bytes)?;
        self.written += bytes.len() as u64;
        self.left -= bytes.len() as u64;
        Ok(())
    }

    /// Bytes kept so far.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }
}

fn files(folder: &Path, id: OperationId) -> [PathBuf; 2] {
    ["txt", "streams"].map(|ending| folder.join(format!("{}.{ending}", id.0)))
}

/// The file of an operation's rows.
fn rows(folder: &Path, id: OperationId) -> PathBuf {
    folder.join(format!("{}.json", id.0))
}

/// The file of a part of an operation's result.
fn of_part(folder: &Path, id: OperationId, number: usize) -> PathBuf {
    folder.join(format!("{}.part{number}", id.0))
}

pub(super) fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

pub(super) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub(super) fn part(file: &File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or(0)];
    let mut read = 0;
    while read < bytes.len() {
        match file.read_at(&mut bytes[read..], from + read as u64)? {
            0 => break,
            count => read += count,
        }
    }
    bytes.truncate(read);
    Ok(bytes)
}

/// Lines that hold a match, from the start.
fn count(file: &File, regex: &Regex, size: u64) -> io::Result<u64> {
    let (mut from, mut lines) = (0, 0);
    while from < size {
        let to = from.saturating_add(STEP).min(size);
        let bytes = part(file, from, to)?;
        let whole = memrchr(b'\n', &bytes).filter(|_| to < size).map_or(bytes.len(), |newline| newline + 1);
        let mut at = 0;
        while let Some(hit) = regex.find_at(&bytes[..whole], at) {
            lines += 1;
            at = memchr(b'\n', &bytes[hit.start()..whole]).map_or(whole, |newline| hit.start() + newline + 1);
        }
        from += whole.max(1) as u64;
    }
    Ok(lines)
}

/// The first match from a byte on. One that is cut by a step's end is found by the next, as steps overlap by a line.
fn first(file: &File, regex: &Regex, mut from: u64, size: u64) -> io::Result<Option<u64>> {
    while from < size {
        let to = from.saturating_add(STEP).min(size);
        let bytes = part(file, from, to)?;
        if let Some(hit) = regex.find(&bytes) {
            return Ok(Some(from + hit.start() as u64));
        }
        let whole = memrchr(b'\n', &bytes).filter(|_| to < size).map_or(bytes.len(), |newline| newline + 1);
        from += whole.max(1) as u64;
    }
    Ok(None)
}

/// The last match that begins before a byte.
fn last(file: &File, regex: &Regex, mut to: u64) -> io::Result<Option<u64>> {
    while to > 0 {
        let from = to.saturating_sub(STEP);
        let bytes = part(file, from, to)?;
        if let Some(hit) = regex.find_iter(&bytes).last() {
            return Ok(Some(from + hit.start() as u64));
        }
        let whole = memchr(b'\n', &bytes).filter(|_| from > 0).map_or(0, |newline| newline + 1);
        to = if whole as u64 >= to - from { from } else { from + whole as u64 };
    }
    Ok(None)
}

/// Copies all that is kept of an output.
///
/// # Errors
/// One side fails.
pub fn copy(mut from: File, to: &mut impl io::Write) -> io::Result<u64> {
    from.seek(SeekFrom::Start(0))?;
    io::copy(&mut from, to)
}

/// Removes the outputs of sessions whose last one is long ago, but of those that somebody has open.
pub fn prune_outputs(root: &Path, claims: &Claims) {
    super::images::prune(root, claims);
    // A session that was ended in the middle may have left an empty folder.
    for session in fs::read_dir(root).into_iter().flatten().flatten() {
        if let Some(name) = session.file_name().to_str() {
            claims.unless_open(name, || {
                let _not_empty = fs::remove_dir(session.path());
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const ID: OperationId = OperationId(3);

    fn kept(cap: u64, pieces: &[(Stream, &[u8])]) -> (tempfile::TempDir, Outputs) {
        let root = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(root.path(), "s", cap);
        let mut spool = outputs.begin(ID).unwrap().unwrap();
        for (stream, bytes) in pieces {
            spool.write(*stream, bytes);
        }
        (root, outputs)
    }

    #[test]
    fn parts_come_back_with_their_streams_for_their_owner_alone() {
        let (root, outputs) =
            kept(1 << 20, &[(Stream::Out, b"one\n"), (Stream::Err, b"oh\n"), (Stream::Out, b"two\n")]);
        let page = outputs.look(ID, &Look::At(4)).unwrap().unwrap();
        let texts: Vec<(Stream, &str)> = page.pieces.iter().map(|piece| (piece.stream, &*piece.text)).collect();
        assert_eq!(texts, [(Stream::Out, "one\n"), (Stream::Err, "oh\n"), (Stream::Out, "two\n")]);
        assert_eq!((page.from, page.to, page.line), (0, 11, 1));
        for entry in fs::read_dir(root.path().join("s")).unwrap().flatten() {
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0);
        }
        let mut each = Vec::new();
        let take = |stream, bytes: &[u8]| {
            each.push((stream, String::from_utf8_lossy(bytes).into_owned()));
            Ok(())
        };
        outputs.each(ID, take).unwrap();
        assert_eq!(each.iter().map(|(stream, text)| (*stream, text.as_str())).collect::<Vec<_>>(), texts);
        assert!(outputs.look(OperationId(4), &Look::At(0)).is_err());
    }

    #[test]
    fn what_is_looked_for_is_found_both_ways_and_over_steps() {
        let line = b"0123456789abcdef0123456789abcde\n";
        let mut bytes = line.repeat(400_000);
        let places = [64_usize, 5 * 1024 * 1024, 12_000_000 / 32 * 32];
        for place in places {
            bytes[place..place + 6].copy_from_slice(b"Needle");
        }
        let (_root, outputs) = kept(1 << 30, &[(Stream::Out, &bytes)]);
        let look = |from, forward| {
            let look = Look::For { text: "needle".to_owned(), from, forward };
            let page = outputs.look(ID, &look).unwrap()?;
            let text: String = page.pieces.iter().map(|piece| &*piece.text).collect();
            assert!(text.lines().nth(page.line).unwrap().starts_with("Needle"));
            Some(page.from + page.line as u64 * 32)
        };
        let size = bytes.len() as u64;
        let expected = places.map(|place| Some(place as u64));
        assert_eq!([look(0, true), look(65, true), look(6_000_000, true)], expected);
        assert_eq!(look(12_000_001, true), None);
        assert_eq!([look(100, false), look(6_000_000, false), look(size, false)], expected);
        assert_eq!(look(10, false), None);
        assert_eq!(outputs.count(ID, "needle").unwrap(), 3);
        assert_eq!(outputs.count(ID, "abc").unwrap(), 400_000, "a line counts once");
    }

    #[test]
    fn no_more_than_the_cap_is_kept() {
        let (_root, outputs) = kept(10, &[(Stream::Out, b"0123456"), (Stream::Out, b"789abc"), (Stream::Err, b"no")]);
        assert_eq!(outputs.text(ID, 3, 100).unwrap(), (b"3456789".to_vec(), 10));
        assert_eq!(outputs.text(ID, 50, 100).unwrap().0, b"");
        assert!(Outputs::off().begin(ID).unwrap().is_none());
    }
}
