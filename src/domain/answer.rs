//! What an MCP server asks while a call of its tool runs: something of the person, or an answer of the session's model.
//! An operation of its own, proposed by the program alone and asked about each time.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Name of the tool that answers a server. No model is offered it.
pub const ANSWER: &str = "answer";

/// An answer to what a server asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerOperation {
    /// The number of what it asks, in this run of the program.
    pub request: u64,
    /// The server.
    pub server: String,
    /// What it asks.
    pub asks: Asks,
}

/// What a server asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asks {
    /// The person, to fill in a form.
    Form {
        /// What it says about it.
        message: String,
        /// The form with the answers so far, a line each.
        form: String,
        /// The answers, read.
        answers: Map<String, Value>,
        /// Names of the fields that need an answer and have none.
        open: Vec<String>,
    },
    /// The session's model, to say something.
    Sample {
        /// The prompt's instructions, if any.
        system: Option<String>,
        /// The conversation: whether the model said it, and the text.
        messages: Vec<(bool, String)>,
        /// Most tokens of the answer.
        tokens: u32,
    },
}

impl AnswerOperation {
    /// What it would do, in one line.
    #[must_use]
    pub fn gist(&self) -> String {
        let said = match &self.asks {
            Asks::Form { message, .. } => message.as_str(),
            Asks::Sample { messages, .. } => messages.last().map_or("", |(_, text)| text),
        };
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        match &self.asks {
            Asks::Form { .. } => format!("{} asks: {said}", self.server),
            Asks::Sample { .. } => format!("{} asks the model: {said}", self.server),
        }
    }

    /// All of it, for the dialog.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.asks {
            Asks::Form { message, form, .. } => format!("{} asks:\n{message}\n\n{form}", self.server),
            Asks::Sample { system, messages, tokens } => {
                let mut text = format!("{} asks the model, for up to {tokens} tokens:\n", self.server);
                let parts = system.iter().map(|system| ("instructions", system));
                let said = messages.iter().map(|(model, text)| (if *model { "model" } else { "user" }, text));
                for (who, said) in parts.chain(said) {
                    text.push_str(&format!("\n{who}:\n{said}\n"));
                }
                text
            }
        }
    }

    /// Every text of it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (said, more, conversation) = match &self.asks {
            Asks::Form { message, form, .. } => (Some(message), Some(form), [].as_slice()),
            Asks::Sample { system, messages, .. } => (system.as_ref(), None, messages.as_slice()),
        };
        let conversation = conversation.iter().map(|(_, text)| text.as_str());
        said.into_iter().chain(more).map(String::as_str).chain(conversation)
    }

    /// Whether the person has still to type answers.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(&self.asks, Asks::Form { open, .. } if !open.is_empty())
    }
}
