//! The answer: server-sent events, each with a piece of the message. Told in the kept client's words, as the answers
//! of the other formats are.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt as _, TryStreamExt as _};
use genai::chat::{ChatStreamEvent, StreamChunk, ToolCall, ToolChunk, Usage};
use serde::Deserialize;
use serde_json::Value;
use sse_stream::SseStream;

use super::super::failure::Broken;
use super::super::frames::Frames;

/// Most bytes of one event: more is no piece of an answer.
const MOST_EVENT: usize = 8 << 20;

/// What the pieces of an answer are read from.
struct Reading<S> {
    events: S,
    frames: Arc<Mutex<Frames>>,
    /// What one event said beyond its first.
    queue: VecDeque<ChatStreamEvent>,
}

/// The pieces of an answer, up to its end marker. `frames` is told what came.
pub(in super::super) fn answer(
    response: reqwest::Response,
    frames: Arc<Mutex<Frames>>,
) -> BoxStream<'static, Result<ChatStreamEvent, Broken>> {
    let tell = Arc::clone(&frames);
    let bytes = response.bytes_stream().map_err(Broken::Connection).and_then(move |bytes| {
        let room = tell.lock().unwrap_or_else(PoisonError::into_inner).came(bytes.len()) <= MOST_EVENT;
        std::future::ready(if room { Ok(bytes) } else { Err(Broken::TooLong) })
    });
    let events = Box::pin(SseStream::from_bytes_stream(Box::pin(bytes)));
    let reading = Reading { events, frames, queue: VecDeque::new() };
    stream::try_unfold(Some(reading), |reading| async move {
        let Some(mut reading) = reading else { return Ok(None) };
        let said = reading.next().await?;
        Ok(said.map(|said| {
            let over = matches!(said, ChatStreamEvent::End(_));
            (said, (!over).then_some(reading))
        }))
    })
    .boxed()
}

impl<S: Stream<Item = Result<sse_stream::Sse, sse_stream::Error>> + Unpin> Reading<S> {
    /// The next piece; none where the answer ends without a marker.
    async fn next(&mut self) -> Result<Option<ChatStreamEvent>, Broken> {
        loop {
            if let Some(said) = self.queue.pop_front() {
                return Ok(Some(said));
            }
            let Some(event) = self.events.next().await else { return Ok(None) };
            let event = event.map_err(broken)?;
            let mut frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
            match event.data.as_deref().map(str::trim) {
                None | Some("") => frames.event(false),
                Some("[DONE]") => return Ok(Some(ChatStreamEvent::End(frames.last()))),
                Some(data) => take(data, &mut frames, &mut self.queue)?,
            }
        }
    }
}

/// What went wrong below the events.
fn broken(error: sse_stream::Error) -> Broken {
    match error {
        sse_stream::Error::Body(inner) => inner.downcast::<Broken>().map_or(Broken::Unreadable, |inner| *inner),
        sse_stream::Error::InvalidLine
        | sse_stream::Error::DuplicatedEventLine
        | sse_stream::Error::DuplicatedIdLine
        | sse_stream::Error::DuplicatedRetry
        | sse_stream::Error::Utf8Parse(_)
        | sse_stream::Error::IntParse(_) => Broken::Unreadable,
    }
}

/// One event. What servers fill differently is read leniently, so that it can't cost the answer.
#[derive(Deserialize)]
struct Event {
    error: Option<Value>,
    choices: Option<Vec<Choice>>,
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<Value>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<Value>,
    tool_calls: Option<Value>,
}

/// Takes one event's data.
fn take(data: &str, frames: &mut Frames, queue: &mut VecDeque<ChatStreamEvent>) -> Result<(), Broken> {
    let event: Event = serde_json::from_str(data).map_err(|_| Broken::Unreadable)?;
    frames.event(true);
    if let Some(error) = event.error {
        return Err(Broken::Announced(error));
    }
    let choice = event.choices.unwrap_or_default().into_iter().next();
    let (delta, finish) = choice.map_or((None, None), |choice| (choice.delta, choice.finish_reason));
    if let Some(delta) = delta {
        if let Some(content) = delta.content.map(text).filter(|text| !text.is_empty()) {
            queue.push_back(ChatStreamEvent::Chunk(StreamChunk { content }));
        }
        if let Some(Value::Array(calls)) = delta.tool_calls {
            let pieces = calls.into_iter().enumerate().filter_map(|(place, call)| piece(place, call));
            queue.extend(pieces.map(|tool_call| ChatStreamEvent::ToolCallChunk(ToolChunk { tool_call })));
        }
    }
    if let Some(Value::String(reason)) = finish {
        frames.finish(reason);
    }
    if let Some(Value::Object(usage)) = event.usage {
        let count = |name| usage.get(name).and_then(Value::as_i64).and_then(|tokens| i32::try_from(tokens).ok());
        let (prompt_tokens, completion_tokens) = (count("prompt_tokens"), count("completion_tokens"));
        if prompt_tokens.is_some() || completion_tokens.is_some() {
            frames.counted(Usage { prompt_tokens, completion_tokens, ..Usage::default() });
        }
    }
    Ok(())
}

/// The text of a piece: a string, or with Mistral a list whose thoughts are left out.
fn text(content: Value) -> String {
    match content {
        Value::String(text) => text,
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| part["type"] == "text");
            texts.filter_map(|part| part["text"].as_str()).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// A piece of a call. Only the first of a call has to say id and name; some servers leave out its place, too.
fn piece(place: usize, mut call: Value) -> Option<ToolCall> {
    let function = call.get_mut("function")?.as_object_mut()?;
    let fn_name = function.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let fn_arguments = function.get_mut("arguments").map_or(Value::Null, Value::take);
    let place = call.get("index").and_then(Value::as_u64).unwrap_or(place as u64);
    let id = call.get("id").and_then(Value::as_str).map(str::to_owned);
    Some(ToolCall {
        call_id: id.unwrap_or_else(|| format!("call_{place}")),
        fn_name,
        fn_arguments,
        thought_signatures: None,
    })
}

#[cfg(test)]
mod tests {
    use genai::chat::StreamEnd;
    use serde_json::json;

    use super::*;

    /// What one event says, and what was noted.
    fn taken(event: &Value) -> (Vec<ChatStreamEvent>, StreamEnd) {
        let (mut frames, mut queue) = (Frames::default(), VecDeque::new());
        take(&event.to_string(), &mut frames, &mut queue).unwrap();
        (queue.into(), frames.last())
    }

    #[test]
    fn text_may_come_in_parts_and_beside_the_reason_to_stop() {
        let parts = json!([
            { "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] },
            { "type": "text", "text": "No" },
        ]);
        for content in [json!("No"), parts] {
            let event = json!({ "choices": [{ "delta": { "content": content }, "finish_reason": "stop" }] });
            let (said, end) = taken(&event);
            let [ChatStreamEvent::Chunk(chunk)] = &said[..] else { panic!("{said:?}") };
            assert_eq!(chunk.content, "No");
            assert!(end.captured_stop_reason.is_some());
        }
        for nothing in [json!(null), json!(""), json!([]), json!(7)] {
            assert!(taken(&json!({ "choices": [{ "delta": { "content": nothing } }] })).0.is_empty());
        }
    }

    #[test]
    fn pieces_of_calls_may_lack_what_is_usual() {
        let calls = json!([
            { "function": { "name": "one", "arguments": { "a": 1 } } },
            { "index": 4, "id": null, "function": { "arguments": "{}" } },
            { "index": 0 },
        ]);
        let (said, _) = taken(&json!({ "choices": [{ "delta": { "tool_calls": calls } }], "usage": null }));
        let [ChatStreamEvent::ToolCallChunk(one), ChatStreamEvent::ToolCallChunk(two)] = &said[..] else {
            panic!("{said:?}")
        };
        assert_eq!((one.tool_call.call_id.as_str(), &one.tool_call.fn_arguments), ("call_0", &json!({ "a": 1 })));
        assert_eq!((two.tool_call.call_id.as_str(), &two.tool_call.fn_arguments), ("call_4", &json!("{}")));
    }

    #[test]
    fn an_error_within_the_answer_is_one() {
        let (mut frames, mut queue) = (Frames::default(), VecDeque::new());
        let error = take(r#"{"error":{"message":"Busy"},"choices":null}"#, &mut frames, &mut queue);
        assert!(matches!(error, Err(Broken::Announced(told)) if told["message"] == "Busy"));
        assert!(matches!(take("{", &mut frames, &mut queue), Err(Broken::Unreadable)));
    }
}
