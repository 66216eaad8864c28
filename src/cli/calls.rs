//! The lines that `countersign assess` reads, and whether the next one was there before the last was answered.

use std::io::{self, Read};

/// Longest line that is kept, in bytes.
pub(super) const LINE_CAP: usize = 32 * 1024 * 1024;
/// How much is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// Lines of an input.
pub(super) struct Calls<R> {
    input: R,
    /// Whether something can be read without waiting, its end as well.
    ready: fn() -> bool,
    /// What was read; what lies before `start` was given out, what lies before `searched` has no end of a line.
    held: Vec<u8>,
    start: usize,
    searched: usize,
    ended: bool,
    /// Where the next piece is read to.
    piece: Box<[u8]>,
}

impl<R: Read> Calls<R> {
    pub(super) fn new(input: R, ready: fn() -> bool) -> Self {
        Self { input, ready, held: Vec::new(), start: 0, searched: 0, ended: false, piece: vec![0; CHUNK].into() }
    }

    /// Whether a whole line is there without waiting.
    ///
    /// # Errors
    /// Input that can't be read.
    pub(super) fn are_there(&mut self) -> io::Result<bool> {
        while self.end().is_none() {
            if self.ended || self.is_long() || !(self.ready)() {
                return Ok(false);
            }
            self.read()?;
        }
        Ok(true)
    }

    /// The next line without its end, or none at the end of the input. Of a line over the cap only its beginning is
    /// kept, one byte more than the cap.
    ///
    /// # Errors
    /// Input that can't be read.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut cut = None;
        loop {
            let end = self.end();
            let length = end.unwrap_or(self.held.len()) - self.start;
            if cut.is_none() && length > LINE_CAP {
                cut = Some(self.held[self.start..=self.start + LINE_CAP].to_vec());
            }
            if end.is_some() || self.ended {
                if end.is_none() && length == 0 && cut.is_none() {
                    return Ok(None);
                }
                let line = cut.unwrap_or_else(|| self.held[self.start..self.start + length].to_vec());
                self.start += length + usize::from(end.is_some());
                self.searched = self.start;
                return Ok(Some(line));
            }
            // Of what is too long no more is held than what comes next.
            if cut.is_some() {
                self.start = self.held.len();
                self.searched = self.start;
            }
            self.read()?;
        }
    }

    fn is_long(&self) -> bool {
        self.held.len() - self.start > LINE_CAP
    }

    /// Where the first line that is held ends.
    fn end(&mut self) -> Option<usize> {
        let end = memchr::memchr(b'\n', &self.held[self.searched..]).map(|at| self.searched + at);
        self.searched = end.unwrap_or(self.held.len());
        end
    }

    /// Reads once; waits for it if it must.
    fn read(&mut self) -> io::Result<()> {
        self.held.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        let read = loop {
            match self.input.read(&mut self.piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.held.extend_from_slice(&self.piece[..read]);
        self.ended = read == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut calls: Calls<impl Read>) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| calls.next().unwrap()).collect()
    }

    /// Gives one piece for each time it is read.
    struct Pieces(Vec<&'static [u8]>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn lines_come_whole_however_they_were_sent() {
        let pieces = || Pieces(vec![b"a", b"b\n\nc\nd", b"e\nf"]);
        let lines: [&[u8]; 5] = [b"ab", b"", b"c", b"de", b"f"];
        assert_eq!(all(Calls::new(pieces(), || true)), lines);
        assert_eq!(all(Calls::new(pieces(), || false)), lines);
        assert!(all(Calls::new(&b""[..], || true)).is_empty());
    }

    #[test]
    fn what_is_there_is_read_before_the_answers_are_sent_and_no_half_line_is_waited_for() {
        let mut calls = Calls::new(Pieces(vec![b"a", b"b\nc"]), || true);
        assert!(calls.are_there().unwrap());
        assert_eq!(calls.next().unwrap().unwrap(), b"ab");
        let mut calls = Calls::new(Pieces(vec![b"a\nb", b"c\n"]), || false);
        assert!(!calls.are_there().unwrap());
        assert_eq!(calls.next().unwrap().unwrap(), b"a");
        assert!(!calls.are_there().unwrap(), "half a line, and nothing more is there");
        assert_eq!(calls.next().unwrap().unwrap(), b"bc");
    }

    #[test]
    fn a_line_over_the_cap_is_cut_and_the_next_one_is_whole() {
        let mut text = vec![b'x'; LINE_CAP + 3 * CHUNK];
        text.extend(b"\nnext\n");
        let lines = all(Calls::new(&text[..], || true));
        assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [LINE_CAP + 1, 4]);
    }
}
