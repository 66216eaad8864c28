//! Holds what a running operation prints: the first bytes, a ring of the last ones, and counts of all of them.
//! Memory stays bounded however much comes; what is long goes to disk, too, up to a cap. Knows no task and no channel;
//! `sink.rs` feeds and shows it.

use std::collections::VecDeque;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};

use crate::domain::{OperationId, Printed, Stream, Tail};
use crate::store::{Outputs, Spool};

/// Bytes kept of the beginning.
const HEAD: usize = 32 * 1024;
/// Bytes kept of the end; an output that is no longer is shown whole.
const RING: usize = 256 * 1024;
/// Bytes of the end that one snapshot shows of a longer one, and of any that still grows: each is taken apart into lines
/// anew. What was before is read from disk when somebody looks.
const SNAPSHOT: usize = 32 * 1024;
/// An unfinished line longer than this is taken as it is.
const LINE: usize = 64 * 1024;
/// Changes between the two streams that are kept apart; beyond it the oldest output goes.
const RUNS: usize = 8 * 1024;
/// Bytes of a binary output that the model gets to see.
const BINARY: usize = 512;

/// Output longer than this goes to disk, too, in bytes.
pub(super) const SHORT: usize = 4 * 1024;

/// Bytes of one stream in a row.
type Piece = (Stream, Vec<u8>);

/// A row of bytes that remembers which stream they came from. Drops its oldest beyond its cap.
#[derive(Debug)]
struct Window {
    bytes: VecDeque<u8>,
    runs: VecDeque<(Stream, usize)>,
    cap: usize,
}

impl Window {
    fn new(cap: usize) -> Self {
        Self { bytes: VecDeque::new(), runs: VecDeque::new(), cap }
    }

    /// Adds to the end and drops from the beginning what no longer fits.
    fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.cap)..];
        if bytes.is_empty() {
            return;
        }
        self.drop_oldest((self.bytes.len() + bytes.len()).saturating_sub(self.cap));
        self.bytes.extend(bytes);
        match self.runs.back_mut() {
            Some((last, length)) if *last == stream => *length += bytes.len(),
            _ => self.runs.push_back((stream, bytes.len())),
        }
        if self.runs.len() > RUNS {
            let oldest = self.runs.front().map_or(0, |(_, length)| *length);
            self.drop_oldest(oldest);
        }
    }

    fn drop_oldest(&mut self, mut count: usize) {
        self.bytes.drain(..count);
        while count > 0 {
            let Some((_, length)) = self.runs.front_mut() else { return };
            let taken = count.min(*length);
            *length -= taken;
            count -= taken;
            if *length == 0 {
                self.runs.pop_front();
            }
        }
    }

    fn room(&self) -> usize {
        self.cap - self.bytes.len()
    }

    /// The bytes of a range, stream by stream.
    fn pieces(&self, from: usize, to: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut start = 0;
        for (stream, length) in &self.runs {
            let (left, right) = (start.max(from), (start + length).min(to));
            if left < right {
                let (a, b) = self.bytes.as_slices();
                let mut piece = Vec::with_capacity(right - left);
                piece.extend_from_slice(&a[left.min(a.len())..right.min(a.len())]);
                piece.extend_from_slice(&b[left.saturating_sub(a.len())..right.saturating_sub(a.len())]);
                pieces.push((*stream, piece));
            }
            start += length;
        }
        pieces
    }

    /// Where the last `limit` bytes begin, moved on to the start of a line if one is near.
    fn tail_start(&self, limit: usize) -> usize {
        let start = self.bytes.len().saturating_sub(limit);
        if start == 0 {
            return 0;
        }
        let near = self.bytes.range(start - 1..).take(limit / 4);
        near.enumerate().find(|(_, byte)| **byte == b'\n').map_or(start, |(offset, _)| start + offset)
    }

    /// Where the first `limit` bytes end, moved back to the end of a line if one is near.
    fn head_end(&self, limit: usize) -> usize {
        let end = self.bytes.len().min(limit);
        let near = self.bytes.range(end.saturating_sub(limit / 4)..end).rev();
        near.enumerate().find(|(_, byte)| **byte == b'\n').map_or(end, |(offset, _)| end - offset)
    }
}

/// Everything that is held of one operation's output. Lines of the two streams are never mixed: a line is
/// taken whole, and one that isn't finished yet is shown at the end.
#[derive(Debug)]
pub(super) struct Log {
    head: Window,
    ring: Window,
    unfinished: [(Stream, Vec<u8>); 2],
    bytes: u64,
    newlines: u64,
    /// Whether the last line of each stream has no end.
    open: [bool; 2],
    binary: bool,
    /// Nothing more comes.
    closed: bool,
    /// Bytes in whole lines so far.
    kept: u64,
    store: Store,
}

/// Where an output goes once it is long.
#[derive(Debug)]
enum Store {
    /// Nowhere: it isn't kept, or there is no more room.
    Off,
    /// It is short so far.
    Later(Arc<Outputs>, OperationId),
    /// There.
    On(Arc<Outputs>, Spool),
}

impl Default for Log {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Log {
    /// Nothing yet; once it is long it goes to the outputs, too, under an operation's number.
    pub(super) fn new(outputs: Option<(Arc<Outputs>, OperationId)>) -> Self {
        Self {
            kept: 0,
            store: outputs.map_or(Store::Off, |(outputs, id)| Store::Later(outputs, id)),
            head: Window::new(HEAD),
            ring: Window::new(RING),
            unfinished: [(Stream::Out, Vec::new()), (Stream::Err, Vec::new())],
            bytes: 0,
            newlines: 0,
            open: [false; 2],
            binary: false,
            closed: false,
        }
    }

    /// Takes bytes as they were read.
    pub(super) fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.newlines += memchr_iter(b'\n', bytes).count() as u64;
        self.binary |= self.head.room() > 0 && memchr(0, bytes).is_some();
        let slot = usize::from(stream == Stream::Err);
        if let Some(last) = bytes.last() {
            self.open[slot] = *last != b'\n';
        }
        let mut unfinished = std::mem::take(&mut self.unfinished[slot].1);
        let whole = memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        if whole > 0 {
            self.keep(stream, &unfinished);
            self.keep(stream, &bytes[..whole]);
            unfinished.clear();
        }
        unfinished.extend_from_slice(&bytes[whole..]);
        if unfinished.len() > LINE {
            let end = whole_characters(&unfinished);
            self.keep(stream, &unfinished[..end]);
            unfinished.drain(..end);
        }
        self.unfinished[slot].1 = unfinished;
    }

    /// Nothing more comes: unfinished lines are taken as they are.
    pub(super) fn close(&mut self) {
        self.closed = true;
        for slot in 0..self.unfinished.len() {
            let (stream, bytes) = std::mem::replace(&mut self.unfinished[slot], (Stream::Out, Vec::new()));
            self.keep(stream, &bytes);
        }
        if let Store::On(outputs, spool) = &self.store {
            outputs.took(spool.written());
        }
    }

    fn keep(&mut self, stream: Stream, bytes: &[u8]) {
        self.store(stream, bytes);
        self.kept += bytes.len() as u64;
        self.head.push(stream, &bytes[..bytes.len().min(self.head.room())]);
        self.ring.push(stream, bytes);
    }

    /// Trouble with the disk takes nothing away from what is shown and told.
    fn store(&mut self, stream: Stream, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if let Store::Later(outputs, id) = &self.store {
            if self.head.bytes.len() + bytes.len() <= SHORT {
                return;
            }
            let spool = outputs.begin(*id).ok().flatten().map(|mut spool| {
                for (stream, before) in self.head.pieces(0, self.head.bytes.len()) {
                    spool.write(stream, &before);
                }
                spool
            });
            self.store = spool.map_or(Store::Off, |spool| Store::On(Arc::clone(outputs), spool));
        }
        if let Store::On(_, spool) = &mut self.store {
            spool.write(stream, bytes);
        }
    }

    /// Bytes that are on disk, from the first on.
    pub(super) fn stored(&self) -> u64 {
        match &self.store {
            Store::On(_, spool) => spool.written(),
            Store::Off | Store::Later(..) => 0,
        }
    }

    /// Lines so far, those without an end included.
    pub(super) fn lines(&self) -> u64 {
        self.newlines + self.open.iter().filter(|open| **open).count() as u64
    }

    /// Copies the end of the output for a snapshot. Only copies: whoever reads waits for it.
    pub(super) fn end(&self) -> End {
        let whole = self.closed && self.bytes <= RING as u64;
        let start = self.ring.tail_start(if whole { RING } else { SNAPSHOT });
        let mut pieces = self.ring.pieces(start, self.ring.bytes.len());
        let from = self.kept - (self.ring.bytes.len() - start) as u64;
        for (stream, bytes) in &self.unfinished {
            if !bytes.is_empty() {
                pieces.push((*stream, bytes[..whole_characters(bytes)].to_vec()));
            }
        }
        End { pieces, lines: self.lines(), bytes: self.bytes, from }
    }

    /// The text for a model: all of it, or beginning and end with a note of what is left out between and, where the
    /// model may read on, of how to ask for it.
    pub(super) fn for_model(&self, limit: usize, readable: Option<OperationId>) -> String {
        if self.binary {
            let end = self.head.bytes.len().min(BINARY);
            let start = as_text(&self.head.pieces(0, end)).replace('\0', "\u{2400}");
            return format!("binary output, {} bytes; it begins with:\n{start}", self.bytes);
        }
        if self.bytes <= limit as u64 && self.bytes == self.ring.bytes.len() as u64 {
            return as_text(&self.ring.pieces(0, self.ring.bytes.len()));
        }
        let head = self.head.pieces(0, self.head.head_end(limit / 2));
        let tail = self.ring.pieces(self.ring.tail_start(limit / 2), self.ring.bytes.len());
        let shown = |pieces: &[Piece]| pieces.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        let newlines =
            |pieces: &[Piece]| pieces.iter().map(|(_, bytes)| memchr_iter(b'\n', bytes).count() as u64).sum::<u64>();
        let begun = shown(&head);
        let bytes = self.bytes.saturating_sub(begun + shown(&tail));
        let lines = self.newlines.saturating_sub(newlines(&head) + newlines(&tail));
        let (head, tail) = (as_text(&head), as_text(&tail));
        let more = match readable.filter(|_| self.stored() > begun) {
            Some(id) => format!("; read_output with operation {} and from {begun} reads on", id.0),
            None => String::new(),
        };
        format!("{}\n… {bytes} bytes ({lines} lines) left out{more} …\n{tail}", head.trim_end_matches('\n'))
    }
}

/// The copied end of an output, still as bytes.
#[derive(Debug)]
pub(super) struct End {
    pieces: Vec<Piece>,
    lines: u64,
    bytes: u64,
    from: u64,
}

impl End {
    /// The snapshot for the screen.
    pub(super) fn tail(self) -> Tail {
        let pieces = self
            .pieces
            .into_iter()
            .map(|(stream, bytes)| Printed { stream, text: Arc::from(String::from_utf8_lossy(&bytes)) })
            .collect();
        Tail { pieces, lines: self.lines, bytes: self.bytes, from: self.from }
    }
}

/// How many bytes hold whole characters: a character cut off at the end is left out.
fn whole_characters(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    let start = (from..bytes.len()).find(|at| bytes[*at] >= 0xC0);
    match start.map(|at| (at, std::str::from_utf8(&bytes[at..]))) {
        Some((at, Err(error))) if error.valid_up_to() == 0 && error.error_len().is_none() => at,
        _ => bytes.len(),
    }
}

/// Pieces as text. Where the error stream spoke too, its parts are marked.
fn as_text(pieces: &[Piece]) -> String {
    let mixed = pieces.iter().any(|(stream, _)| *stream == Stream::Err);
    let mut text = String::new();
    let mut last = Stream::Out;
    for (stream, bytes) in pieces {
        if mixed && *stream != last {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(if *stream == Stream::Err { "[stderr]\n" } else { "[stdout]\n" });
            last = *stream;
        }
        text.push_str(&String::from_utf8_lossy(bytes));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(end: End) -> String {
        end.tail().pieces.iter().map(|piece| piece.text.to_string()).collect()
    }

    #[test]
    fn a_flood_keeps_its_beginning_its_end_and_its_counts() {
        let mut log = Log::default();
        let line = b"0123456789abcdef0123456789abcde\n";
        let chunk = line.repeat(8192);
        for _ in 0..40 {
            log.write(Stream::Out, &chunk);
        }
        log.write(Stream::Out, b"the end");
        log.close();
        assert_eq!((log.lines(), log.bytes), (40 * 8192 + 1, 40 * 8192 * 32 + 7));
        assert!(log.ring.bytes.len() <= RING && log.head.bytes.len() <= HEAD);
        let model = log.for_model(1000, None);
        assert!(model.len() < 1200 && model.starts_with("0123") && model.ends_with("the end"), "{model}");
        assert!(model.contains("lines) left out …"), "{model}");
        assert!(text(log.end()).len() <= SNAPSHOT);
    }

    #[test]
    fn what_is_long_is_on_disk_and_a_model_is_told_how_to_read_on() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = Arc::new(Outputs::new(folder.path(), "s", 1 << 20));
        let id = OperationId(7);
        let mut short = Log::new(Some((Arc::clone(&outputs), OperationId(6))));
        short.write(Stream::Out, b"short\n");
        short.close();
        assert!(outputs.open(OperationId(6)).is_err());
        let mut log = Log::new(Some((Arc::clone(&outputs), id)));
        let line = b"0123456789abcdef0123456789abcde\n";
        for _ in 0..1_000 {
            log.write(Stream::Out, line);
        }
        log.close();
        let told = log.for_model(1_024, Some(id));
        assert!(told.contains("left out; read_output with operation 7 and from 512 reads on …"), "{told}");
        let (text, size) = outputs.text(id, 512, 32).unwrap();
        assert_eq!((text.as_slice(), size), (line.as_slice(), 32_000));
    }

    #[test]
    fn lines_of_the_two_streams_stay_whole() {
        let mut log = Log::default();
        log.write(Stream::Out, b"one\ntw");
        log.write(Stream::Err, b"oh\n");
        log.write(Stream::Out, b"o\nthree");
        assert_eq!(text(log.end()), "one\noh\ntwo\nthree");
        log.close();
        assert_eq!(log.for_model(1000, None), "one\n[stderr]\noh\n[stdout]\ntwo\nthree");
    }

    #[test]
    fn a_last_line_without_an_end_is_one_before_and_after_the_close() {
        let mut log = Log::default();
        log.write(Stream::Out, b"hi");
        assert_eq!(log.lines(), 1);
        log.close();
        assert_eq!((log.lines(), log.end().tail().lines), (1, 1));
        let mut other = Log::default();
        other.write(Stream::Out, &b"x".repeat(LINE + 1));
        other.write(Stream::Err, b"oh\n");
        other.close();
        assert_eq!(other.lines(), 2, "one that is longer than what is held of it, too");
    }

    #[test]
    fn binary_output_is_told_and_not_dumped() {
        let mut log = Log::default();
        log.write(Stream::Out, &[0, 159, 146, 150].repeat(10_000));
        log.close();
        let model = log.for_model(10_000, None);
        assert!(model.starts_with("binary output, 40000 bytes"), "{model}");
        assert!(model.len() < 3000);
    }

    #[test]
    fn many_changes_between_the_streams_stay_bounded() {
        let mut log = Log::default();
        for _ in 0..100_000 {
            log.write(Stream::Out, b"\n");
            log.write(Stream::Err, b"\n");
        }
        assert!(log.ring.runs.len() <= RUNS);
        assert_eq!(log.ring.runs.iter().map(|(_, length)| length).sum::<usize>(), log.ring.bytes.len());
    }

    #[test]
    fn a_character_cut_in_the_middle_waits_for_its_rest() {
        let mut log = Log::default();
        log.write(Stream::Out, &"ü€".as_bytes()[..4]);
        assert_eq!(text(log.end()), "ü");
        log.write(Stream::Out, &"€".as_bytes()[2..]);
        assert_eq!(text(log.end()), "ü€");
    }
}
