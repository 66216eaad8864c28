//! Our conversation in the words of the kept client, for one request in a format of which it keeps the words:
//! `completions` has its own. Pure; `remote` sends what it makes.

use genai::chat::{ChatMessage, ChatRequest, ContentPart, MessageContent, Tool, ToolCall as WireCall, ToolResponse};
use serde_json::{Map, Value, json};

use super::settings::ProviderKind;
use crate::domain::{Message, ModelRequest, ToolCall, ToolResult};

/// Signatures of its thoughts that a provider wants back with a call, by the call's id.
pub(super) type Signatures = std::collections::HashMap<String, Vec<String>>;

/// The whole request.
pub(super) fn request(kind: ProviderKind, request: &ModelRequest, signatures: &Signatures) -> ChatRequest {
    let messages = request.messages.iter().filter_map(|message| self::message(kind, message, signatures)).collect();
    let tools: Vec<Tool> = request
        .tools
        .iter()
        .map(|spec| {
            Tool::new(spec.name.clone()).with_description(spec.description.clone()).with_schema(spec.parameters.clone())
        })
        .collect();
    let made = ChatRequest::new(messages);
    let made = if request.system.is_empty() { made } else { made.with_system(&*request.system) };
    if tools.is_empty() { made } else { made.with_tools(tools) }
}

/// One message; none if the provider would refuse it for saying nothing.
fn message(kind: ProviderKind, message: &Message, signatures: &Signatures) -> Option<ChatMessage> {
    match message {
        Message::User(text) => (!text.trim().is_empty()).then(|| ChatMessage::user(text.clone())),
        Message::Assistant { text, calls } => {
            let mut parts = Vec::new();
            if !text.trim().is_empty() {
                parts.push(ContentPart::Text(text.clone()));
            }
            parts.extend(calls.iter().map(|call| ContentPart::ToolCall(self::call(kind, call, signatures))));
            (!parts.is_empty()).then(|| ChatMessage::assistant(MessageContent::from_parts(parts)))
        }
        Message::Results(results) => (!results.is_empty()).then(|| {
            let answers: Vec<ToolResponse> = results
                .iter()
                .map(|result| {
                    ToolResponse::new(id(kind, &result.call_id), printed(result)).with_fn_name(result.tool.clone())
                })
                .collect();
            ChatMessage::from(answers)
        }),
    }
}

/// A call that the model made, as its provider takes it back.
fn call(kind: ProviderKind, call: &ToolCall, signatures: &Signatures) -> WireCall {
    WireCall {
        call_id: id(kind, &call.id),
        fn_name: call.name.clone(),
        fn_arguments: arguments(&call.arguments),
        thought_signatures: signatures.get(&call.id).cloned(),
    }
}

/// Providers and local servers refuse a whole conversation for one call whose arguments are no object, so what
/// can't be read goes back under a name that says so: never as `{}`, which the model didn't say.
pub(super) fn arguments(text: &str) -> Value {
    match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => value,
        _ if text.trim().is_empty() => Value::Object(Map::new()),
        _ => json!({ "unreadable_arguments": text }),
    }
}

/// What a result says: some refuse one that says nothing.
pub(super) fn printed(result: &ToolResult) -> &str {
    if result.text.is_empty() { "(no output)" } else { &result.text }
}

/// Anthropic refuses ids with other characters, which a conversation begun elsewhere may hold.
fn id(kind: ProviderKind, id: &str) -> String {
    match kind {
        ProviderKind::OpenAi | ProviderKind::Ollama | ProviderKind::Gemini => id.to_owned(),
        ProviderKind::Anthropic => {
            id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_cannot_be_read_go_back_as_what_the_model_said() {
        assert_eq!(arguments(r#"{"sql":"x"}"#), json!({"sql": "x"}));
        assert_eq!(arguments(r#"{"sql":"DEL"#), json!({"unreadable_arguments": r#"{"sql":"DEL"#}));
        assert_eq!(arguments("[1]"), json!({"unreadable_arguments": "[1]"}));
        assert_eq!(arguments(""), json!({}));
    }

    #[test]
    fn a_message_that_says_nothing_is_left_out() {
        let empty = Message::Assistant { text: " ".to_owned(), calls: Vec::new() };
        assert!(message(ProviderKind::Anthropic, &empty, &Signatures::new()).is_none());
    }

    #[test]
    fn ids_of_other_providers_fit_anthropic() {
        assert_eq!(id(ProviderKind::Anthropic, "functions.execute_sql:0"), "functions_execute_sql_0");
        assert_eq!(id(ProviderKind::OpenAi, "functions.execute_sql:0"), "functions.execute_sql:0");
    }
}
