//! The request: what was serialised for the one before is kept, and what is new is added to it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::super::wire::{arguments, printed};
use crate::domain::{Message, ModelRequest, ToolSpec};

/// The parts of the latest request.
#[derive(Debug, Default)]
pub(in super::super) struct Body {
    /// The messages whose text is in `written`, oldest first.
    messages: Vec<Arc<Message>>,
    /// Each with a comma before it.
    written: Vec<u8>,
    /// The tools, as they were offered and as they are sent.
    tools: Option<(Arc<[ToolSpec]>, Vec<u8>)>,
}

impl Body {
    /// A request for a streamed answer, as JSON.
    ///
    /// # Errors
    /// None that is known: texts, numbers and trees of JSON can be serialised.
    pub(in super::super) fn of(&mut self, model: &str, request: &ModelRequest) -> serde_json::Result<Vec<u8>> {
        self.add(&request.messages)?;
        let tools = self.tools(&request.tools)?;
        let mut body = Vec::with_capacity(self.written.len() + tools + request.system.len() + 512);
        let head = json!({ "model": model, "stream": true, "stream_options": { "include_usage": true } }).to_string();
        body.extend_from_slice(head.trim_end_matches('}').as_bytes());
        // The head ended in two of them.
        body.push(b'}');
        if let Some((_, tools)) = self.tools.as_ref().filter(|(offered, _)| !offered.is_empty()) {
            body.extend_from_slice(b",\"tools\":");
            body.extend_from_slice(tools);
        }
        body.extend_from_slice(b",\"messages\":[");
        let begins = body.len();
        if !request.system.is_empty() {
            body.push(b',');
            serde_json::to_writer(&mut body, &Said::System { content: &request.system })?;
        }
        body.extend_from_slice(&self.written);
        if body.len() > begins {
            body.remove(begins);
        }
        body.extend_from_slice(b"]}");
        Ok(body)
    }

    /// Writes what is new of a conversation; all of it, if it doesn't go on from the one before.
    fn add(&mut self, messages: &[Arc<Message>]) -> serde_json::Result<()> {
        let same = self.messages.iter().zip(messages).take_while(|(ours, theirs)| Arc::ptr_eq(ours, theirs)).count();
        if same < self.messages.len() {
            self.messages.clear();
            self.written.clear();
        }
        for message in messages.iter().skip(self.messages.len()) {
            write(message, &mut self.written)?;
            self.messages.push(Arc::clone(message));
        }
        Ok(())
    }

    /// Writes the tools unless they are those of the request before; how long they are.
    fn tools(&mut self, tools: &Arc<[ToolSpec]>) -> serde_json::Result<usize> {
        if let Some((offered, written)) = &self.tools
            && Arc::ptr_eq(offered, tools)
        {
            return Ok(written.len());
        }
        let offered: Vec<Value> = tools
            .iter()
            .map(|ToolSpec { name, description, parameters }| {
                let function =
                    json!({ "name": name, "description": description, "parameters": parameters, "strict": false });
                json!({ "type": "function", "function": function })
            })
            .collect();
        let written = serde_json::to_vec(&offered)?;
        let length = written.len();
        self.tools = Some((Arc::clone(tools), written));
        Ok(length)
    }
}

/// A message as it is sent.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Said<'a> {
    System {
        content: &'a str,
    },
    User {
        content: &'a str,
    },
    Assistant {
        content: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Called<'a>>,
    },
    Tool {
        content: &'a str,
        tool_call_id: &'a str,
    },
}

/// A call that the model made.
#[derive(Serialize)]
struct Called<'a> {
    r#type: &'static str,
    id: &'a str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    /// JSON in a text.
    arguments: String,
}

/// One message, with a comma before it; nothing if it says nothing, which some servers refuse.
fn write(message: &Message, written: &mut Vec<u8>) -> serde_json::Result<()> {
    let mut one = |said: &Said<'_>| {
        written.push(b',');
        serde_json::to_writer(&mut *written, said)
    };
    match message {
        Message::User(text) if text.trim().is_empty() => Ok(()),
        Message::User(text) => one(&Said::User { content: text }),
        Message::Assistant { text, calls } => {
            let content = if text.trim().is_empty() { "" } else { text };
            if content.is_empty() && calls.is_empty() {
                return Ok(());
            }
            let called = calls.iter().map(|call| {
                let function = Function { name: &call.name, arguments: arguments(&call.arguments).to_string() };
                Called { r#type: "function", id: &call.id, function }
            });
            one(&Said::Assistant { content, tool_calls: called.collect() })
        }
        Message::Results(results) => results
            .iter()
            .try_for_each(|result| one(&Said::Tool { content: printed(result), tool_call_id: &result.call_id })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ToolCall, ToolResult};

    fn turn(nth: usize) -> [Arc<Message>; 2] {
        let id = format!("call_{nth}");
        let arguments = json!({ "command": format!("echo \"{nth}\"\n") }).to_string();
        let call = ToolCall { id: id.clone(), name: "execute_command".to_owned(), arguments };
        let result = ToolResult { call_id: id, tool: "execute_command".to_owned(), text: String::new() };
        let said = Message::Assistant { text: String::new(), calls: vec![call] };
        [Arc::new(said), Arc::new(Message::Results(vec![result]))]
    }

    fn request(messages: Vec<Arc<Message>>) -> ModelRequest {
        let tool = ToolSpec { name: "t".to_owned(), description: "d".to_owned(), parameters: json!({}) };
        ModelRequest { system: "Be \"brief\".".into(), messages, tools: vec![tool].into() }
    }

    fn read(body: &[u8]) -> Value {
        serde_json::from_slice(body).unwrap()
    }

    #[test]
    fn a_conversation_that_goes_on_or_is_another_is_sent_as_if_it_were_written_anew() {
        let mut messages = vec![Arc::new(Message::User("go".to_owned()))];
        let mut kept = Body::default();
        for nth in 0..4 {
            let request = request(messages.clone());
            let body = kept.of("m", &request).unwrap();
            assert_eq!(body, Body::default().of("m", &request).unwrap());
            assert_eq!(read(&body)["messages"].as_array().unwrap().len(), 2 + 2 * nth);
            messages.extend(turn(nth));
        }
        // A summary takes the place of what was first.
        messages.splice(..3, [Arc::new(Message::User("summary".to_owned()))]);
        let shorter = request(messages);
        assert_eq!(kept.of("m", &shorter).unwrap(), Body::default().of("m", &shorter).unwrap());
        let one = read(&kept.of("m", &request(Vec::new())).unwrap());
        assert_eq!(one["messages"], json!([{ "role": "system", "content": "Be \"brief\"." }]));
    }

    #[test]
    fn everything_is_where_the_format_has_it() {
        let [said, result] = turn(7);
        let empty = Arc::new(Message::Assistant { text: " ".to_owned(), calls: Vec::new() });
        let messages = vec![Arc::new(Message::User("go".to_owned())), empty, said, result];
        let body = read(&Body::default().of("maker::m-high", &request(messages)).unwrap());
        assert_eq!(body["model"], "maker::m-high");
        assert_eq!(body["stream"], true);
        assert_eq!(body["stream_options"], json!({ "include_usage": true }));
        assert_eq!(body["tools"][0]["function"]["parameters"], json!({}));
        let call = json!({ "type": "function", "id": "call_7", "function": {
            "name": "execute_command", "arguments": "{\"command\":\"echo \\\"7\\\"\\n\"}",
        } });
        assert_eq!(
            body["messages"],
            json!([
                { "role": "system", "content": "Be \"brief\"." },
                { "role": "user", "content": "go" },
                { "role": "assistant", "content": "", "tool_calls": [call] },
                { "role": "tool", "content": "(no output)", "tool_call_id": "call_7" },
            ])
        );
        let bare = ModelRequest { system: "".into(), messages: Vec::new(), tools: Vec::new().into() };
        let bare = read(&Body::default().of("m", &bare).unwrap());
        assert_eq!(bare["messages"], json!([]));
        assert!(bare.get("tools").is_none());
    }
}
