//! What came of one answer, beside its pieces: whether anything came, whether it was of the protocol, and the reason
//! to stop, as some servers close without an end marker. Pure; whoever reads the answer fills it.

use genai::chat::{StopReason as WireStop, StreamEnd, Usage as WireUsage};

/// What came so far.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Something came, of whatever kind.
    any: bool,
    /// A frame of the protocol came, whole.
    begun: bool,
    /// Bytes since the last whole event.
    since: usize,
    finish: Option<String>,
    usage: Option<WireUsage>,
}

impl Frames {
    /// So many bytes came: how many there are since the last whole event.
    pub(super) const fn came(&mut self, bytes: usize) -> usize {
        self.any |= bytes > 0;
        self.since = self.since.saturating_add(bytes);
        self.since
    }

    /// An event came whole; whether it was of the protocol.
    pub(super) const fn event(&mut self, read: bool) {
        self.any = true;
        self.begun |= read;
        self.since = 0;
    }

    /// The reason to stop was named.
    pub(super) fn finish(&mut self, reason: String) {
        self.finish = Some(reason);
    }

    /// The tokens were counted.
    pub(super) fn counted(&mut self, usage: WireUsage) {
        self.usage = Some(usage);
    }

    /// Whether the answer held anything at all.
    pub(super) const fn any(&self) -> bool {
        self.any
    }

    /// Whether a frame of the protocol came.
    pub(super) const fn begun(&self) -> bool {
        self.begun
    }

    /// The end, as far as it was told.
    pub(super) fn last(&self) -> StreamEnd {
        StreamEnd {
            captured_stop_reason: self.finish.clone().map(WireStop::from),
            captured_usage: self.usage.clone(),
            ..StreamEnd::default()
        }
    }

    /// The end, where a reason to stop was named. Some servers close then without an end marker.
    pub(super) fn end(&self) -> Option<StreamEnd> {
        self.finish.is_some().then(|| self.last())
    }
}
