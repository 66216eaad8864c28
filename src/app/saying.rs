//! What a call that isn't read, or can't be, says in a row: its sort and the part of it that says what it would do, as
//! of one that was read.

use serde_json::Value;

use crate::assess::call_shown;
use crate::domain::ToolCall;

/// A tool, its short word, and the argument that says most.
const KNOWN: [(&str, &str, &str); 6] = [
    ("execute_sql", "sql", "sql"),
    ("execute_command", "command", "command"),
    ("file_operations", "file", "path"),
    ("http_request", "http", "url"),
    ("search_files", "search", "pattern"),
    ("find_files", "find", "pattern"),
];

/// The short word for the sort of a call.
pub(super) fn word(tool: &str) -> &'static str {
    KNOWN.iter().find(|(name, ..)| *name == tool).map_or("call", |(_, word, _)| word)
}

/// What it says, secrets masked; not neutralised. All of it where the part that says most can't be told.
pub(super) fn said(call: &ToolCall) -> String {
    let whole = || call_shown(&call.name, &call.arguments);
    let Some((_, word, part)) = KNOWN.iter().find(|(name, ..)| *name == call.name) else { return whole() };
    let arguments = serde_json::from_str::<Value>(&call.arguments).unwrap_or_default();
    let Some(text) = arguments.get(*part).and_then(Value::as_str) else { return whole() };
    let shown = call_shown(word, text);
    shown.strip_prefix(&format!("{word} ")).map_or_else(whole, str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_not_read_says_what_it_would_do() {
        let call = |name: &str, arguments: &str| ToolCall {
            id: String::new(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        let told = |name, arguments| (word(name), said(&call(name, arguments)));
        assert_eq!(told("execute_sql", r#"{"sql":"select 1"}"#), ("sql", "select 1".to_owned()));
        assert_eq!(told("execute_command", r#"{"command":"ls \"a b\""}"#), ("command", r#"ls "a b""#.to_owned()));
        assert_eq!(told("execute_sql", "{broken"), ("sql", "execute_sql {broken".to_owned()));
        assert_eq!(told("other", r#"{"sql":"x"}"#), ("call", r#"other {"sql":"x"}"#.to_owned()));
        let secret =
            said(&call("execute_command", r#"{"command":"export TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz"}"#));
        assert!(!secret.contains("0123456789abcdef"), "{secret}");
    }
}
