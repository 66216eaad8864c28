//! Puts one streamed answer together: text goes out at once, calls are gathered piece by piece and go out whole
//! at the end. Pure; `remote` feeds it. Arguments stay the text that the model sent, complete or not.

use std::collections::HashSet;

use genai::chat::{ChatStreamEvent, StopReason as WireStop, StreamEnd, ToolCall as WireCall, Usage as WireUsage};
use serde_json::Value;

use super::settings::ProviderKind;
use super::wire::Signatures;
use crate::domain::{MOST_CALLS, ModelEvent, StopReason, ToolCall, Usage};

/// Text and arguments of one answer may not be longer than this.
const MOST_BYTES: usize = 8 << 20;
/// Calls that are read of one answer. Fewer are taken, and the model is told which weren't; what passes this isn't meant.
const MOST_READ: usize = 4_096;

/// Why an answer can't be used although its transport was sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It passed a cap.
    TooLong,
    /// It said that it calls a tool, and no call could be read.
    NoCall,
    /// It ended without an end marker.
    CutOff,
}

/// What one piece of the stream leads to.
#[derive(Debug)]
pub(super) enum Piece {
    /// Nothing that anyone is shown: a sign of life, or thoughts.
    Quiet,
    /// Text, or a part of a call: from here on nothing may be tried again.
    Said(Option<ModelEvent>),
    /// The end: calls, then `Ended`.
    Ended(Vec<ModelEvent>),
    /// It can't be used.
    Faulty(Fault),
}

/// A call as far as it was streamed.
#[derive(Debug)]
struct Draft {
    wire_id: String,
    name: String,
    arguments: String,
    signatures: Vec<String>,
}

/// The answer as far as it was streamed.
#[derive(Debug)]
pub(super) struct Reply {
    kind: ProviderKind,
    taken: HashSet<String>,
    drafts: Vec<Draft>,
    bytes: usize,
    /// Signatures of the calls that ended, for the next request.
    pub(super) signatures: Signatures,
}

impl Reply {
    /// An empty answer. `taken` are the ids of all calls before it in the conversation.
    pub(super) fn new(kind: ProviderKind, taken: HashSet<String>) -> Self {
        Self { kind, taken, drafts: Vec::new(), bytes: 0, signatures: Signatures::new() }
    }

    /// Takes the next piece of the stream.
    pub(super) fn take(&mut self, event: ChatStreamEvent) -> Piece {
        match event {
            ChatStreamEvent::Start
            | ChatStreamEvent::Heartbeat
            | ChatStreamEvent::ReasoningChunk(_)
            | ChatStreamEvent::ThoughtSignatureChunk(_) => Piece::Quiet,
            ChatStreamEvent::Chunk(chunk) => {
                self.bytes += chunk.content.len();
                self.within(Some(ModelEvent::Text(chunk.content)))
            }
            ChatStreamEvent::ToolCallChunk(chunk) => {
                self.draft(chunk.tool_call);
                self.within(None)
            }
            ChatStreamEvent::End(end) => self.end(&end),
        }
    }

    /// The piece, unless a cap was passed.
    fn within(&self, said: Option<ModelEvent>) -> Piece {
        if self.bytes > MOST_BYTES || self.drafts.len() > MOST_READ {
            Piece::Faulty(Fault::TooLong)
        } else {
            Piece::Said(said)
        }
    }

    /// Adds a piece of a call to its draft. OpenAI's format sends what is new of the arguments, Anthropic's
    /// everything so far, Gemini's a whole call.
    fn draft(&mut self, call: WireCall) {
        let text = match call.fn_arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let found = match self.kind {
            ProviderKind::OpenAi | ProviderKind::Ollama => self.continued(&call.call_id, &call.fn_name),
            ProviderKind::Anthropic => self.drafts.iter().position(|draft| draft.wire_id == call.call_id),
            ProviderKind::Gemini => None,
        };
        self.bytes += text.len() + if found.is_none() { call.fn_name.len() } else { 0 };
        match found.and_then(|place| self.drafts.get_mut(place)) {
            None => self.drafts.push(Draft {
                wire_id: call.call_id,
                name: call.fn_name,
                arguments: text,
                signatures: call.thought_signatures.unwrap_or_default(),
            }),
            Some(draft) if self.kind.speaks_openai() => draft.arguments.push_str(&text),
            Some(draft) => {
                self.bytes -= draft.arguments.len();
                draft.arguments = text;
            }
        }
    }

    /// Which draft a piece in OpenAI's format continues. Only the first piece of a call has to carry id and
    /// name; for one without an id the client says `call_` and the place in the list.
    fn continued(&self, id: &str, name: &str) -> Option<usize> {
        let last = self.drafts.len().checked_sub(1)?;
        let known = self.drafts.iter().position(|draft| draft.wire_id == id && !id.is_empty());
        if !name.is_empty() {
            return known.filter(|place| self.drafts.get(*place).is_some_and(|draft| draft.name == name));
        }
        let place = id.strip_prefix("call_").and_then(|number| number.parse::<usize>().ok());
        if place == Some(last) { place } else { known.or(place.filter(|place| *place < last)).or(Some(last)) }
    }

    /// Whether each call's arguments are complete, so that nothing of it can be missing.
    pub(super) fn whole(&self) -> bool {
        self.drafts.iter().all(|draft| matches!(serde_json::from_str(&draft.arguments), Ok(Value::Object(_))))
    }

    /// The end of the answer.
    fn end(&mut self, end: &StreamEnd) -> Piece {
        let stop = match &end.captured_stop_reason {
            // Gemini has no other end marker than the reason.
            None if self.kind == ProviderKind::Gemini => return Piece::Faulty(Fault::CutOff),
            Some(WireStop::ToolCall(_)) if self.drafts.is_empty() => return Piece::Faulty(Fault::NoCall),
            Some(WireStop::MaxTokens(_)) => StopReason::Length,
            Some(WireStop::ContentFilter(word) | WireStop::Other(word)) => StopReason::Other(word.clone()),
            Some(WireStop::Completed(_) | WireStop::ToolCall(_) | WireStop::StopSequence(_)) | None => {
                if self.drafts.is_empty() { StopReason::Done } else { StopReason::ToolCalls }
            }
        };
        let mut drafts = std::mem::take(&mut self.drafts);
        let left = drafts.split_off(drafts.len().min(MOST_CALLS));
        let mut said: Vec<ModelEvent> = Vec::with_capacity(drafts.len() + 2);
        for draft in drafts {
            let id = self.unique(draft.wire_id);
            if !draft.signatures.is_empty() {
                self.signatures.insert(id.clone(), draft.signatures);
            }
            said.push(ModelEvent::Call(ToolCall { id, name: draft.name, arguments: draft.arguments }));
        }
        if !left.is_empty() {
            let call = |draft: Draft| ToolCall { id: draft.wire_id, name: draft.name, arguments: draft.arguments };
            said.push(ModelEvent::Untaken(left.into_iter().map(call).collect()));
        }
        said.push(ModelEvent::Ended(stop, end.captured_usage.as_ref().map(usage).unwrap_or_default()));
        Piece::Ended(said)
    }

    /// The id itself, or a new one if it is empty or was used before in this conversation.
    fn unique(&mut self, id: String) -> String {
        let mut unique = id;
        let mut number = self.taken.len();
        while unique.is_empty() || self.taken.contains(&unique) {
            unique = format!("call_{number}");
            number += 1;
        }
        self.taken.insert(unique.clone());
        unique
    }
}

/// Tokens as the provider counted them.
fn usage(counted: &WireUsage) -> Usage {
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(0);
    Usage { input: count(counted.prompt_tokens), output: count(counted.completion_tokens) }
}

#[cfg(test)]
mod tests {
    use genai::chat::ToolChunk;

    use super::*;

    fn piece(id: &str, name: &str, arguments: &str) -> ChatStreamEvent {
        ChatStreamEvent::ToolCallChunk(ToolChunk {
            tool_call: WireCall {
                call_id: id.to_owned(),
                fn_name: name.to_owned(),
                fn_arguments: Value::String(arguments.to_owned()),
                thought_signatures: None,
            },
        })
    }

    fn end(reason: &str) -> ChatStreamEvent {
        ChatStreamEvent::End(StreamEnd {
            captured_stop_reason: Some(WireStop::from(reason.to_owned())),
            ..StreamEnd::default()
        })
    }

    fn calls(kind: ProviderKind, taken: &[&str], pieces: Vec<ChatStreamEvent>) -> Vec<(String, String)> {
        let mut reply = Reply::new(kind, taken.iter().map(|id| (*id).to_owned()).collect());
        for piece in pieces {
            reply.take(piece);
        }
        let Piece::Ended(said) = reply.take(end("stop")) else { panic!("no end") };
        said.into_iter()
            .filter_map(|event| match event {
                ModelEvent::Call(call) => Some((call.id, call.arguments)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn pieces_of_several_calls_find_their_call() {
        let pieces = vec![
            piece("a", "one", "{\"x\""),
            piece("call_0", "", ":1}"),
            piece("b", "two", "{"),
            piece("call_1", "", "}"),
            piece("call_0", "", " "),
        ];
        let pair = |id: &str, text: &str| (id.to_owned(), text.to_owned());
        assert_eq!(calls(ProviderKind::OpenAi, &[], pieces), [pair("a", "{\"x\":1} "), pair("b", "{}")]);
        let counted_from_one =
            vec![piece("call_1", "one", "{}"), piece("call_2", "two", "{"), piece("call_1", "", "}")];
        assert_eq!(calls(ProviderKind::OpenAi, &[], counted_from_one), [pair("call_1", "{}"), pair("call_2", "{}")]);
        let repeated = vec![piece("a", "one", "{"), piece("a", "one", "}")];
        assert_eq!(calls(ProviderKind::OpenAi, &[], repeated), [pair("a", "{}")]);
        let whole_so_far = vec![piece("a", "one", ""), piece("a", "one", "{"), piece("a", "one", "{}")];
        assert_eq!(calls(ProviderKind::Anthropic, &[], whole_so_far), [pair("a", "{}")]);
    }

    #[test]
    fn calls_without_an_id_or_with_a_used_one_get_their_own() {
        let pieces = vec![piece("", "one", "{}"), piece("call_0", "two", "{}"), piece("", "three", "{}")];
        let made = calls(ProviderKind::Gemini, &["call_0", "call_1"], pieces);
        let ids: HashSet<&String> = made.iter().map(|(id, _)| id).collect();
        assert_eq!(ids.len(), 3);
        assert!(!ids.contains(&"call_0".to_owned()) && !ids.contains(&"call_1".to_owned()));
    }

    #[test]
    fn truncated_arguments_stay_what_was_said() {
        let cut = calls(ProviderKind::OpenAi, &[], vec![piece("a", "one", "{\"sql\":\"DELETE FRO")]);
        assert_eq!(cut[0].1, "{\"sql\":\"DELETE FRO");
    }

    #[test]
    fn an_answer_without_the_call_it_announces_is_a_fault() {
        let mut reply = Reply::new(ProviderKind::OpenAi, HashSet::new());
        assert!(matches!(reply.take(end("tool_calls")), Piece::Faulty(Fault::NoCall)));
    }

    #[test]
    fn of_many_calls_the_first_are_taken_and_the_others_told() {
        let mut reply = Reply::new(ProviderKind::OpenAi, HashSet::new());
        for number in 0..300 {
            reply.take(piece(&format!("c{number}"), "one", "{}"));
        }
        let Piece::Ended(said) = reply.take(end("tool_calls")) else { panic!("no end") };
        let taken = said.iter().filter(|event| matches!(event, ModelEvent::Call(_))).count();
        let left =
            |event: &ModelEvent| matches!(event, ModelEvent::Untaken(left) if left.len() == 44 && left[0].id == "c256");
        assert_eq!((taken, said.len()), (MOST_CALLS, MOST_CALLS + 2));
        assert!(left(&said[MOST_CALLS]));
    }

    #[test]
    fn an_endless_answer_is_stopped() {
        let mut reply = Reply::new(ProviderKind::OpenAi, HashSet::new());
        let long = "x".repeat(MOST_BYTES / 2 - 3);
        assert!(matches!(reply.take(piece("a", "one", &long)), Piece::Said(None)));
        assert!(matches!(reply.take(piece("call_0", "", &long)), Piece::Said(None)));
        assert!(matches!(reply.take(piece("call_0", "", "more")), Piece::Faulty(Fault::TooLong)));
        let mut reply = Reply::new(ProviderKind::OpenAi, HashSet::new());
        for number in 0..MOST_READ {
            assert!(matches!(reply.take(piece(&format!("c{number}"), "one", "{}")), Piece::Said(None)));
        }
        assert!(matches!(reply.take(piece("one more", "one", "{}")), Piece::Faulty(Fault::TooLong)));
    }
}
