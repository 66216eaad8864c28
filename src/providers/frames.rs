//! What the raw frames of one answer tell that the kept client doesn't hand on: whether anything came, whether it
//! was of the protocol, and the reason to stop where the end marker is missing. Pure; `remote` feeds it.

use genai::chat::{StopReason as WireStop, StreamEnd, Usage as WireUsage};
use serde_json::Value;

/// What came so far.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Something came, of whatever kind.
    any: bool,
    /// A frame of the protocol came, whole.
    begun: bool,
    finish: Option<String>,
    usage: Option<WireUsage>,
}

impl Frames {
    /// Takes the data of the next frame, empty where it had none.
    pub(super) fn take(&mut self, data: &str) {
        self.any = true;
        let Ok(frame) = serde_json::from_str::<Value>(data) else { return };
        self.begun |= frame.is_object();
        if let Some(finish) = frame.pointer("/choices/0/finish_reason").and_then(Value::as_str) {
            self.finish = Some(finish.to_owned());
        }
        if let Some(usage) = frame.get("usage").filter(|usage| usage.is_object()) {
            let count = |name| usage.get(name).and_then(Value::as_i64).and_then(|tokens| i32::try_from(tokens).ok());
            self.usage = Some(WireUsage {
                prompt_tokens: count("prompt_tokens"),
                completion_tokens: count("completion_tokens"),
                ..WireUsage::default()
            });
        }
    }

    /// Whether the answer held anything at all.
    pub(super) const fn any(&self) -> bool {
        self.any
    }

    /// Whether a frame of the protocol came.
    pub(super) const fn begun(&self) -> bool {
        self.begun
    }

    /// The end, where a reason to stop was named. Some servers close then without an end marker.
    pub(super) fn end(&self) -> Option<StreamEnd> {
        let reason = WireStop::from(self.finish.clone()?);
        Some(StreamEnd {
            captured_stop_reason: Some(reason),
            captured_usage: self.usage.clone(),
            ..StreamEnd::default()
        })
    }
}
