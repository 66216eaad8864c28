//! What a server may send: each message a line of bounded length and bounded make, and only so many of them. One that
//! sends more is cut off, which fails its calls and nothing else.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use memchr::memchr_iter;
use tokio::io::{AsyncRead, ReadBuf};

/// Longest message, in bytes. The library would drop a longer one without a word.
pub(super) const MESSAGE: usize = 8 * 1024 * 1024;
/// Most members and items of one message: each takes many times its own length in memory.
const ITEMS: usize = 400_000;
/// Most messages of one window.
const MESSAGES: u32 = 5_000;
/// That window.
const WINDOW: Duration = Duration::from_secs(10);

/// Why a server was cut off, once it was.
pub(super) type Verdict = Arc<OnceLock<String>>;

/// A server's output, until it sends too much.
#[derive(Debug)]
pub(super) struct Bounded<R> {
    inner: R,
    line: usize,
    items: usize,
    window: Instant,
    messages: u32,
    verdict: Verdict,
}

impl<R> Bounded<R> {
    /// Reads from `inner`, and says in `verdict` why it stopped, if it did.
    pub(super) fn new(inner: R, verdict: Verdict) -> Self {
        Self { inner, line: 0, items: 0, window: Instant::now(), messages: 0, verdict }
    }

    /// Counts what came. None while it is within bounds.
    fn count(&mut self, mut bytes: &[u8], now: Instant) -> Option<String> {
        if now.duration_since(self.window) > WINDOW {
            (self.window, self.messages) = (now, 0);
        }
        loop {
            let end = memchr::memchr(b'\n', bytes);
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            self.line += piece.len();
            self.items += memchr_iter(b',', piece).count();
            if self.line > MESSAGE {
                return Some(format!("it sent a message of more than {} MB", MESSAGE / 1024 / 1024));
            }
            if self.items > ITEMS {
                return Some(format!("it sent a message of more than {ITEMS} parts"));
            }
            let Some(at) = end else { break };
            (self.line, self.items) = (0, 0);
            self.messages += 1;
            if self.messages > MESSAGES {
                return Some(format!("it sent more than {MESSAGES} messages in {} seconds", WINDOW.as_secs()));
            }
            bytes = &bytes[at + 1..];
        }
        None
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(why) = self.verdict.get() {
            return Poll::Ready(Err(io::Error::other(why.clone())));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let verdict = self.count(&buffer.filled()[before..], Instant::now());
        Poll::Ready(match verdict {
            Some(why) => {
                let _first = self.verdict.set(why.clone());
                Err(io::Error::other(why))
            }
            None => Ok(()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(pieces: &[&[u8]]) -> Option<String> {
        let mut bounded = Bounded::new(tokio::io::empty(), Verdict::default());
        let now = Instant::now();
        pieces.iter().find_map(|piece| bounded.count(piece, now))
    }

    #[test]
    fn a_line_without_an_end_a_message_of_too_many_parts_and_a_flood_are_cut_off() {
        let long = vec![b'x'; MESSAGE];
        assert!(fed(&[&long, b"x"]).unwrap().contains("8 MB"));
        assert_eq!(fed(&[&long, b"\n", &long, b"\n"]), None);
        assert!(fed(&[&vec![b','; ITEMS + 1]]).unwrap().contains("parts"));
        assert!(fed(&[&vec![b'\n'; MESSAGES as usize + 1]]).unwrap().contains("messages in 10 seconds"));
    }

    #[test]
    fn a_flood_is_counted_by_the_window() {
        let mut bounded = Bounded::new(tokio::io::empty(), Verdict::default());
        let now = Instant::now();
        let lines = vec![b'\n'; MESSAGES as usize];
        assert_eq!(bounded.count(&lines, now), None);
        assert_eq!(bounded.count(&lines, now + WINDOW + Duration::from_secs(1)), None);
    }
}
