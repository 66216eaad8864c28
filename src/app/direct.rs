//! Direct operations: what a person starts without a model, from the composer's `!` and `/` lines. They take the same
//! path as the model's calls, without a claim.

use serde_json::{Value, json};

use super::State;
use super::event::Effect;
use super::scroll::Scroll;
use super::slash::{self, Slash};
use crate::domain::{Origin, ToolCall};

/// What a line of the composer means.
pub(super) enum Line<'a> {
    /// A message for the model.
    Message,
    /// A command line of the person's own.
    Command(&'a str),
    /// A `/` command, and what follows it.
    Slash(&'static Slash, &'a str),
    /// A line that can't be understood, and what to type instead.
    Unclear(String),
}

/// Reads a line. Only one that starts with `!` or `/` and a known word is not a message.
pub(super) fn read(text: &str) -> Line<'_> {
    let text = text.trim();
    if let Some(command) = text.strip_prefix('!') {
        return match command.trim() {
            "" => Line::Unclear("Type a command after the !, such as `! ls -la`.".to_owned()),
            command => Line::Command(command),
        };
    }
    match slash::find(text) {
        Ok(Some((slash, argument))) => Line::Slash(slash, argument),
        Ok(None) => Line::Message,
        Err(sentence) => Line::Unclear(sentence),
    }
}

/// The word of a line that changes nothing but its own shell, which ends with it: `cd src`.
pub(super) fn holds_for_itself(command: &str) -> Option<&'static str> {
    const WORDS: [&str; 8] = ["cd", "pushd", "popd", "export", "unset", "alias", "source", "."];
    let first = command.split_whitespace().next()?;
    let alone = !command.contains([';', '&', '|', '\n']);
    WORDS.into_iter().find(|word| alone && *word == first)
}

impl State {
    /// Proposes an operation of the person's own.
    pub(super) fn direct(&mut self, tool: &str, arguments: &Value, effects: &mut Vec<Effect>) {
        let call = ToolCall { id: String::new(), name: tool.to_owned(), arguments: arguments.to_string() };
        self.handed_over = true;
        self.chat.scroll = Scroll::END;
        let id = self.propose(Origin::Person, call, effects);
        self.expect_terminal(id);
    }
}

/// `GET URL`, `POST URL BODY`, or a URL alone, as the arguments of a request.
pub(super) fn http(argument: &str) -> Option<Value> {
    let mut words = argument.splitn(3, char::is_whitespace);
    let first = words.next().filter(|word| !word.is_empty())?;
    if first.contains("://") {
        return Some(json!({ "method": "GET", "url": first }));
    }
    let url = words.next()?;
    Some(match words.next() {
        Some(body) => json!({ "method": first, "url": url, "body": body }),
        None => json!({ "method": first, "url": url }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_they_are_typed() {
        let read = |text| http(text).map(|arguments| arguments.to_string());
        assert_eq!(read("https://a.example/x").unwrap(), r#"{"method":"GET","url":"https://a.example/x"}"#);
        assert_eq!(
            read("POST http://a.example {\"a\": 1}").unwrap(),
            r#"{"method":"POST","url":"http://a.example","body":"{\"a\": 1}"}"#
        );
        assert_eq!((read(""), read("GET")), (None, None));
    }

    #[test]
    fn what_ends_with_its_shell_is_told() {
        let told = ["cd src", "export A=1", "cd src && make", "cdrecord x", "ls"].map(holds_for_itself);
        assert_eq!(told, [Some("cd"), Some("export"), None, None, None]);
    }

    #[test]
    fn a_command_line_begins_with_its_sign() {
        assert!(matches!(read("! ls -la"), Line::Command("ls -la")));
        assert!(matches!(read("!"), Line::Unclear(_)));
        assert!(matches!(read("what is 1/2"), Line::Message));
        assert!(matches!(read("/sql select 1"), Line::Slash(slash, "select 1") if slash.word == "sql"));
    }
}
