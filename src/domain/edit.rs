//! What of a call a person edits before it runs: the text that matters, or all of its arguments. Pure.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::Asks;
use super::arguments::CLAIM;
use super::chat::ToolCall;
use super::operation::{FileOperation, OperationKind, SqlOperation, SqlWay};

/// What the person changed of an operation before it ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edit {
    /// What it says.
    #[default]
    Text,
    /// The answers of a form.
    Answers,
    /// It gets a terminal of its own.
    Terminal,
    /// It gets none.
    NoTerminal,
}

impl Edit {
    const ALL: [Self; 4] = [Self::Text, Self::Answers, Self::Terminal, Self::NoTerminal];

    /// Whether it says something else than it did.
    #[must_use]
    pub fn says_else(self) -> bool {
        matches!(self, Self::Text | Self::Answers)
    }

    /// One change after another: another text is what counts.
    #[must_use]
    pub fn after(self, earlier: Option<Self>) -> Self {
        earlier.filter(|earlier| earlier.says_else()).unwrap_or(self)
    }

    /// What was done, as in `edited by you`.
    #[must_use]
    pub fn done(self) -> &'static str {
        match self {
            Self::Text => "edited",
            Self::Answers => "filled in",
            Self::Terminal => "put in a terminal",
            Self::NoTerminal => "taken out of its terminal",
        }
    }

    /// What somebody did to `what`, as in `You edited it`.
    #[must_use]
    pub fn did(self, what: &str) -> String {
        match self {
            Self::Text => format!("edited {what}"),
            Self::Answers => format!("filled {what} in"),
            Self::Terminal => format!("put {what} in a terminal"),
            Self::NoTerminal => format!("took {what} out of its terminal"),
        }
    }

    fn before_call(self) -> String {
        format!("The person {}. It now reads: ", self.did("this call"))
    }

    /// The result of a call that was changed so, for the model: what the call reads now comes first.
    #[must_use]
    pub fn told(self, call: &str, result: &str) -> String {
        format!("{}{call}\n{result}", self.before_call())
    }

    /// What a changed call reads now, and its result, of what the model was told.
    #[must_use]
    pub fn parted(told: &str) -> Option<(&str, &str)> {
        Self::ALL.iter().find_map(|edit| told.strip_prefix(&edit.before_call()))?.split_once('\n')
    }
}

/// A call opened for editing.
#[derive(Clone, Debug, PartialEq)]
pub struct Editable {
    tool: String,
    call_id: String,
    arguments: Map<String, Value>,
    /// The argument that is edited alone; none where all of them are, as JSON.
    field: Option<&'static str>,
    /// Whether an argument of the claim's name is the tool's own.
    own_level: bool,
}

/// The arguments of a call without the model's claim. None if they are no JSON object.
#[must_use]
pub fn unclaimed(arguments: &str) -> Option<Map<String, Value>> {
    let Ok(Value::Object(mut arguments)) = serde_json::from_str(arguments) else { return None };
    arguments.remove(CLAIM);
    Some(arguments)
}

impl Editable {
    /// Opens a call that was read as `kind`. None if its arguments are no JSON object.
    #[must_use]
    pub fn of(call: &ToolCall, kind: &OperationKind) -> Option<Self> {
        // An edited operation loses the model's claim.
        let own_level = matches!(kind, OperationKind::Mcp(mcp) if mcp.arguments.contains_key(CLAIM));
        let arguments = match kind {
            OperationKind::Mcp(mcp) => mcp.arguments.clone(),
            _ => unclaimed(&call.arguments)?,
        };
        let field = match kind {
            // What is put back, or in place, is what was kept: there is nothing to write anew.
            OperationKind::Undo(_)
            | OperationKind::Apply(_)
            | OperationKind::Sql(SqlOperation { way: SqlWay::TakeBack(_), .. }) => return None,
            OperationKind::Answer(answer) => match answer.asks {
                Asks::Form { .. } => Some("answers"),
                Asks::Sample { .. } => return None,
            },
            OperationKind::Sql(_) => Some("sql"),
            OperationKind::Command(_) => Some("command"),
            OperationKind::File(FileOperation::Write { .. }) => Some("content"),
            OperationKind::File(FileOperation::Edit { .. }) => Some("new_text"),
            OperationKind::File(_)
            | OperationKind::Http(_)
            | OperationKind::Search(_)
            | OperationKind::Find(_)
            | OperationKind::Mcp(_)
            | OperationKind::Other(_) => None,
        };
        let field = field.filter(|field| arguments.get(*field).is_some_and(Value::is_string));
        Some(Self { tool: call.name.clone(), call_id: call.id.clone(), arguments, field, own_level })
    }

    /// The text to edit.
    #[must_use]
    pub fn text(&self) -> String {
        match self.field.and_then(|field| self.arguments.get(field)) {
            Some(Value::String(text)) => text.clone(),
            _ => serde_json::to_string_pretty(&self.arguments).unwrap_or_default(),
        }
    }

    /// What is edited, for the heading.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match self.field {
            Some("new_text") => "the new text",
            Some(field) => field,
            None => "the arguments",
        }
    }

    /// Whether it is a form of a server's.
    #[must_use]
    pub fn is_form(&self) -> bool {
        self.field == Some("answers")
    }

    /// What a file with the text ends in, without the dot.
    #[must_use]
    pub fn suffix(&self) -> String {
        let of_path = || {
            let path = self.arguments.get("path").and_then(Value::as_str)?;
            let (_, suffix) = path.rsplit_once('.')?;
            let plain = suffix.len() <= 8 && suffix.bytes().all(|byte| byte.is_ascii_alphanumeric());
            (plain && !suffix.is_empty()).then(|| suffix.to_owned())
        };
        match self.field {
            Some("sql") => "sql".to_owned(),
            Some("command") => "sh".to_owned(),
            Some(_) => of_path().unwrap_or_else(|| "txt".to_owned()),
            None => "json".to_owned(),
        }
    }

    /// The call with the edited text in its place.
    ///
    /// # Errors
    /// All arguments are edited, and the text is no JSON object; in one sentence.
    pub fn with(&self, text: &str) -> Result<ToolCall, String> {
        let arguments = match self.field {
            Some(field) => {
                let mut arguments = self.arguments.clone();
                arguments.insert(field.to_owned(), Value::String(text.to_owned()));
                arguments
            }
            None => match serde_json::from_str(text) {
                Ok(Value::Object(mut arguments)) => {
                    if !self.own_level {
                        arguments.remove(CLAIM);
                    }
                    arguments
                }
                Ok(_) => return Err("The arguments must be one JSON object: { … }.".to_owned()),
                Err(error) => return Err(format!("That isn't JSON: {error}.")),
            },
        };
        let arguments = Value::Object(arguments).to_string();
        Ok(ToolCall { id: self.call_id.clone(), name: self.tool.clone(), arguments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{CommandOperation, HttpOperation, UndoOperation};

    fn call(arguments: &str) -> ToolCall {
        ToolCall { id: "c1".to_owned(), name: "execute_command".to_owned(), arguments: arguments.to_owned() }
    }

    fn command() -> OperationKind {
        OperationKind::Command(CommandOperation { command: "rm a".to_owned(), timeout: None, terminal: false })
    }

    #[test]
    fn what_was_changed_is_told_and_found_again() {
        for edit in Edit::ALL {
            let told = edit.told("{}", "one\ntwo");
            assert!(told.starts_with("The person ") && told.contains("this call"), "{told}");
            assert_eq!(Edit::parted(&told), Some(("{}", "one\ntwo")));
        }
        assert_eq!(Edit::parted("The person denied it.\n"), None);
        assert_eq!((Edit::Terminal.after(Some(Edit::Text)), Edit::Text.after(None)), (Edit::Text, Edit::Text));
        assert_eq!(Edit::NoTerminal.after(Some(Edit::Terminal)), Edit::NoTerminal);
    }

    #[test]
    fn an_origin_of_an_earlier_version_was_edited() {
        let origin: crate::domain::Origin = serde_json::from_str(r#"{"Edited":{"of":"Person"}}"#).unwrap();
        assert_eq!(origin.edited(), Some(Edit::Text));
    }

    #[test]
    fn the_text_that_matters_is_edited_and_the_claim_is_gone() {
        let call = call(r#"{"command":"rm a","timeout":5,"risk_level":"low"}"#);
        let editable = Editable::of(&call, &command()).unwrap();
        assert_eq!((editable.text().as_str(), editable.what()), ("rm a", "command"));
        assert_eq!(editable.suffix(), "sh");
        let edited = editable.with("rm b\n# \"quoted\"").unwrap();
        let arguments: Value = serde_json::from_str(&edited.arguments).unwrap();
        assert_eq!(arguments, serde_json::json!({ "command": "rm b\n# \"quoted\"", "timeout": 5 }));
        assert_eq!((edited.id.as_str(), edited.name.as_str()), ("c1", "execute_command"));
    }

    #[test]
    fn other_arguments_are_edited_as_json() {
        let http = HttpOperation { method: "GET".to_owned(), url: String::new(), headers: vec![], body: None };
        let editable = Editable::of(&call(r#"{"url":"http://a.example/"}"#), &OperationKind::Http(http)).unwrap();
        assert!(editable.text().contains("\n  \"url\": \"http://a.example/\"\n"));
        let edited = editable.with(r#"{"url":"http://b.example/","risk_level":"low"}"#).unwrap();
        assert_eq!(edited.arguments, r#"{"url":"http://b.example/"}"#);
        assert!(editable.with("{").unwrap_err().starts_with("That isn't JSON"));
        assert!(editable.with("[]").unwrap_err().contains("one JSON object"));
    }

    #[test]
    fn what_cannot_be_edited_is_not_opened() {
        assert_eq!(Editable::of(&call("no json"), &command()), None);
        let undo = OperationKind::Undo(UndoOperation { operations: vec![], changes: vec![] });
        assert_eq!(Editable::of(&call("{}"), &undo), None);
    }
}
