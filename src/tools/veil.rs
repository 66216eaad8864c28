//! Masks in what is passed on as it comes: the same as a model gets of what nobody was asked about. Whole lines are passed
//! on at once; a line that isn't ended waits for its end, and a private key for its own, both within bounds.

use crate::assess::{Committed, Known, withheld_spans};
use crate::domain::{Span, mask};

/// Most bytes that wait.
const HELD: usize = 64 * 1024;
/// Bytes of what was passed on that the next ones are looked at with, where a line had to be cut.
const BEHIND: usize = 1024;

/// What one stream passes through.
#[derive(Debug)]
pub(super) struct Veil {
    known: Known,
    committed: Committed,
    /// The end of what was passed on, and what waits behind it.
    bytes: Vec<u8>,
    passed: usize,
    /// Whether the last line that was passed on isn't ended, and if so whether it is hidden.
    open: Option<bool>,
    /// How many masks were put in.
    pub(super) masks: usize,
}

impl Veil {
    pub(super) fn new(known: Known, committed: Committed) -> Self {
        Self { known, committed, bytes: Vec::new(), passed: 0, open: None, masks: 0 }
    }

    /// Takes bytes as they were read, and gives what may be passed on.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.bytes.extend_from_slice(bytes);
        let waits = &self.bytes[self.passed..];
        let lines = waits.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let whole = key(&waits[..lines]).unwrap_or(lines);
        let end = if waits.len() - whole > HELD { forced(waits, lines) } else { whole };
        self.pass(self.passed + end)
    }

    /// Nothing more comes: gives all that waits.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        self.pass(self.bytes.len())
    }

    fn pass(&mut self, end: usize) -> Vec<u8> {
        if end == self.passed {
            return Vec::new();
        }
        let text = shadow(&self.bytes[..end]);
        let mut spans: Vec<Span> = withheld_spans(&text, &self.known);
        spans.extend(self.lines(&text));
        spans.sort_by_key(|span| (span.start, span.end));
        let (mut shown, mut at) = (Vec::new(), self.passed);
        for span in spans {
            let (from, to) = (span.start.max(at), span.end.min(end));
            if from >= to {
                continue;
            }
            shown.extend_from_slice(&self.bytes[at..from]);
            for line in text[from..to].split_inclusive('\n') {
                let letters = line.trim_end_matches(['\n', '\r']);
                if !letters.is_empty() {
                    self.masks += 1;
                    shown.extend_from_slice(mask(letters.chars().count()).as_bytes());
                }
                shown.extend_from_slice(&line.as_bytes()[letters.len()..]);
            }
            at = to;
        }
        shown.extend_from_slice(&self.bytes[at..end]);
        let behind = end.saturating_sub(BEHIND);
        self.bytes.drain(..behind);
        self.passed = end - behind;
        shown
    }

    /// The lines of sensitive files in what is to be passed on.
    fn lines(&mut self, text: &str) -> Vec<Span> {
        let (mut spans, mut at) = (Vec::new(), self.passed);
        for line in text[self.passed..].split_inclusive('\n') {
            let letters = line.trim_end_matches(['\n', '\r']);
            let hidden = self.open.take().unwrap_or_else(|| self.committed.hides(letters));
            if hidden {
                spans.push(at..at + letters.len());
            }
            self.open = (!line.ends_with('\n')).then_some(hidden);
            at += line.len();
        }
        spans
    }
}

/// Where lines have to be cut that wait for too long: behind the last whole one, else at a blank.
fn forced(waits: &[u8], lines: usize) -> usize {
    if lines > 0 {
        return lines;
    }
    let half = waits.len() / 2;
    let blank = waits[half..].iter().rposition(u8::is_ascii_whitespace).map(|at| half + at);
    // No character is cut in two.
    let whole = || waits.iter().rposition(|byte| byte & 0xC0 != 0x80).filter(|at| waits.len() - at <= 4);
    blank.or_else(whole).unwrap_or(waits.len())
}

/// Where a private key begins of which the end isn't there yet.
fn key(lines: &[u8]) -> Option<usize> {
    const BEGIN: &[u8] = b"-----BEGIN";
    const END: &[u8] = b"-----END";
    let begun = memchr::memmem::rfind(lines, BEGIN)?;
    let rest = &lines[begun..];
    let first = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let open = memchr::memmem::find(&rest[..first], b"PRIVATE").is_some() && memchr::memmem::find(rest, END).is_none();
    open.then(|| lines[..begun].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1))
}

/// Bytes as a text of the same length: what is no text has a sign for each byte.
fn shadow(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assess::AssessSettings;
    use crate::domain::Facts;

    fn veil() -> Veil {
        let committed = Committed::of(Some("git show"), &Facts::default(), &AssessSettings::default());
        Veil::new(Known::of(["a-value-of-ours".to_owned()]), committed)
    }

    /// What comes of bytes that are read in pieces of a size.
    fn shown(bytes: &[u8], size: usize) -> (Vec<u8>, usize) {
        let mut veil = veil();
        let mut shown: Vec<u8> = bytes.chunks(size).flat_map(|piece| veil.take(piece)).collect();
        shown.extend(veil.rest());
        (shown, veil.masks)
    }

    #[test]
    fn the_same_is_masked_however_it_comes_and_all_else_is_passed_on_to_the_byte() {
        let key = "aB3+".repeat(16);
        let text = format!(
            "a\0\r\n+DB_PASSWORD=hunter22\ndiff --git a/.env b/.env\n+PLAIN=w\ndiff --git a/a b/a\n+A=w\n\
             x a-value-of-ours\n-----BEGIN PRIVATE KEY-----\n{key}\n{key}\nZm9v\n-----END PRIVATE KEY-----\nlast"
        );
        let bytes: Vec<u8> = [&b"\xff\xfe"[..], text.as_bytes()].concat();
        let whole = shown(&bytes, bytes.len());
        let said = String::from_utf8_lossy(&whole.0).into_owned();
        for secret in ["hunter22", "PLAIN", "a-value", &key, "Zm9v"] {
            assert!(!said.contains(secret), "{said}");
        }
        assert!(whole.0.starts_with(b"\xff\xfea") && said.contains("\n+A=w\nx \u{27e6}") && said.ends_with("\nlast"));
        for size in [1, 7, 64] {
            assert_eq!(shown(&bytes, size), whole, "{size}");
        }
        let plain: Vec<u8> = (0..200_000_u32).map(|at| at.to_le_bytes()[0]).collect();
        assert_eq!(shown(&plain, 4_096), (plain.clone(), 0));
    }

    #[test]
    fn lines_are_passed_on_at_once_and_no_more_waits_than_is_bounded() {
        let mut veil = veil();
        assert_eq!(veil.take(b"one\ntw"), b"one\n");
        assert_eq!(veil.take(b"o\n"), b"two\n");
        let passed: usize = (0..64).map(|_| veil.take(&[b'x'; 8 * 1024]).len()).sum();
        assert!(passed >= 384 * 1024 && veil.bytes.len() <= HELD + BEHIND + 8 * 1024, "{passed}");
        veil.take(b"\n-----BEGIN PRIVATE KEY-----\n");
        for _ in 0..4_096 {
            veil.take(b"no end comes of this one, though many lines do\n");
        }
        assert!(veil.bytes.len() <= 2 * HELD + BEHIND);
    }
}
