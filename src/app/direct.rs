//! Direct operations: what a person starts without a model, from the composer's `!` and `/` lines.

use serde_json::{Value, json};

use super::budget::Limit;
use crate::domain::{ApprovalMode, ToolCall};

/// What a line of the composer means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A message for the model.
    Message,
    /// An operation of the person's own: the same path, no claim.
    Direct(ToolCall),
    /// Another mode.
    Mode(ApprovalMode),
    /// What a turn may use: told, and changed if there is a limit with a figure.
    Limit(Option<(Limit, u64)>),
    /// The list of keys.
    Help,
    /// Leave.
    Quit,
    /// A line that can't be understood, and what to type instead.
    Unclear(String),
}

/// The `/` commands and what each does, for help and the palette.
pub const SLASH: [(&str, &str); 11] = [
    ("! COMMAND", "run a command yourself"),
    ("/sql QUERY", "run SQL on the connection"),
    ("/http GET URL", "send a request"),
    ("/read PATH", "read a file"),
    ("/list PATH", "list a folder"),
    ("/search PATTERN", "search in files"),
    ("/find GLOB", "find files by name"),
    ("/mode MODE", "strict, guarded or smart"),
    ("/limit calls 100", "calls, minutes or tokens of a turn"),
    ("/help", "keys and commands"),
    ("/quit", "leave"),
];

/// Reads a line. Only one that starts with `!` or `/` and a known word is not a message.
#[must_use]
pub fn read(text: &str) -> Line {
    let text = text.trim();
    if let Some(command) = text.strip_prefix('!') {
        let command = command.trim();
        return if command.is_empty() {
            Line::Unclear("Type a command after the !, such as `! ls -la`.".to_owned())
        } else {
            call("execute_command", &json!({ "command": command }))
        };
    }
    let Some(rest) = text.strip_prefix('/') else { return Line::Message };
    let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let argument = argument.trim();
    let needs = |usage: &str| Line::Unclear(format!("It needs more: {usage}"));
    match word {
        "help" => Line::Help,
        "quit" | "exit" => Line::Quit,
        "mode" => mode(argument),
        "limit" => limit(argument),
        "sql" if argument.is_empty() => needs("/sql SELECT 1"),
        "sql" => call("execute_sql", &json!({ "sql": argument })),
        "read" if argument.is_empty() => needs("/read README.md"),
        "read" => call("file_operations", &json!({ "operation": "read", "path": argument })),
        "list" => {
            let path = if argument.is_empty() { "." } else { argument };
            call("file_operations", &json!({ "operation": "list", "path": path }))
        }
        "search" if argument.is_empty() => needs("/search PATTERN"),
        "search" => call("search_files", &json!({ "pattern": argument })),
        "find" if argument.is_empty() => needs("/find '*.rs'"),
        "find" => call("find_files", &json!({ "glob": argument })),
        "http" => http(argument).unwrap_or_else(|| needs("/http GET https://example.com")),
        // A path at the start of a message is not a command.
        _ if word.contains('/') || word.is_empty() => Line::Message,
        _ => Line::Unclear(format!("There is no /{word}. Type /help for those there are.")),
    }
}

fn mode(word: &str) -> Line {
    match word {
        "strict" => Line::Mode(ApprovalMode::Strict),
        "guarded" => Line::Mode(ApprovalMode::Guarded),
        "smart" => Line::Mode(ApprovalMode::Smart),
        "allow-all" => {
            Line::Unclear("Mode allow-all comes from the command line only: countersign --allow-all".to_owned())
        }
        _ => Line::Unclear("The modes are strict, guarded and smart: /mode guarded".to_owned()),
    }
}

fn limit(argument: &str) -> Line {
    if argument.is_empty() {
        return Line::Limit(None);
    }
    let (word, figure) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let known = Limit::ALL.into_iter().find(|limit| limit.word() == word);
    let Some(limit) = known else {
        return Line::Unclear("The limits are calls, minutes and tokens: /limit calls 100".to_owned());
    };
    let (least, most) = limit.range();
    match figure.trim().replace(',', "").parse() {
        Ok(figure) if (least..=most).contains(&figure) => Line::Limit(Some((limit, figure))),
        _ => Line::Unclear(format!("It must be from {least} to {most}: /limit {word} {}", least.max(100))),
    }
}

/// `GET URL`, `POST URL BODY`, or a URL alone.
fn http(argument: &str) -> Option<Line> {
    let mut words = argument.splitn(3, char::is_whitespace);
    let first = words.next().filter(|word| !word.is_empty())?;
    if first.contains("://") {
        return Some(call("http_request", &json!({ "method": "GET", "url": first })));
    }
    let url = words.next()?;
    let arguments = match words.next() {
        Some(body) => json!({ "method": first, "url": url, "body": body }),
        None => json!({ "method": first, "url": url }),
    };
    Some(call("http_request", &arguments))
}

fn call(tool: &str, arguments: &Value) -> Line {
    Line::Direct(ToolCall { id: String::new(), name: tool.to_owned(), arguments: arguments.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn direct(text: &str) -> (String, String) {
        match read(text) {
            Line::Direct(call) => (call.name, call.arguments),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn direct_lines_become_calls_without_a_claim() {
        assert_eq!(direct("! ls -la"), ("execute_command".into(), r#"{"command":"ls -la"}"#.into()));
        assert_eq!(direct("/sql select 1").1, r#"{"sql":"select 1"}"#);
        assert_eq!(direct("/http https://a.example/x").1, r#"{"method":"GET","url":"https://a.example/x"}"#);
        assert_eq!(direct("/http POST http://a.example {\"a\": 1}").0, "http_request");
        assert_eq!(direct("/read a b.txt").1, r#"{"operation":"read","path":"a b.txt"}"#);
    }

    #[test]
    fn other_lines_are_messages_or_say_what_to_type() {
        for message in ["hello", "what is 1/2", "/etc/hosts is odd", "/"] {
            assert_eq!(read(message), Line::Message, "{message}");
        }
        for unclear in ["!", "/sql", "/http", "/nope", "/mode", "/mode allow-all", "/limit x", "/limit calls 0"] {
            assert!(matches!(read(unclear), Line::Unclear(_)), "{unclear}");
        }
        assert_eq!(read("/mode smart"), Line::Mode(ApprovalMode::Smart));
        assert_eq!(read("/limit calls 1,000"), Line::Limit(Some((Limit::Calls, 1_000))));
        assert_eq!(read("/limit"), Line::Limit(None));
    }
}
