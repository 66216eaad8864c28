//! What passes between a person, a model and its tools, independent of any provider's wire format.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One turn: from a person's message to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TurnId(pub u64);

/// One request to a model within a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StepId(pub u64);

/// Calls that are taken of one message.
pub const MOST_CALLS: usize = 256;

/// A tool call exactly as the model said it: `arguments` is its JSON text, not yet believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call; the result carries it back.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// JSON text, possibly truncated or malformed.
    pub arguments: String,
}

/// The answer to one [`ToolCall`]. Every call gets exactly one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Id of the call it answers.
    pub call_id: String,
    /// Name of the tool that was called.
    pub tool: String,
    /// What the model reads.
    pub text: String,
}

/// One entry of the conversation that a model is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// What the person said, with the results of their own direct operations before it.
    User(String),
    /// What the model said, and the calls at its end.
    Assistant {
        /// The text before the calls.
        text: String,
        /// The calls, in the model's order.
        calls: Vec<ToolCall>,
    },
    /// The results of every call of the message before.
    Results(Vec<ToolResult>),
}

/// A tool as it is offered to a model: `parameters` is a JSON Schema object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name the model calls it by.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// Everything that one request to a model needs. Cheap to clone: messages are shared.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The system prompt.
    pub system: Arc<str>,
    /// The conversation, oldest first.
    pub messages: Vec<Arc<Message>>,
    /// The tools on offer.
    pub tools: Arc<[ToolSpec]>,
}

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// It has said what it wanted to say.
    Done,
    /// It waits for the results of its calls.
    ToolCalls,
    /// Its answer reached the length limit: the last call may be cut off.
    Length,
    /// Something else, in the provider's word.
    Other(String),
}

/// Tokens of one request, where the provider counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
}

/// What kind of trouble a provider had; decides what the person is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureKind {
    /// 401 or 403: the key is missing, wrong or not allowed.
    Unauthorised,
    /// 404: no such model or endpoint.
    NotFound,
    /// 429: too many requests.
    RateLimited,
    /// 5xx, or overloaded.
    Unavailable,
    /// No connection, or no answer in time.
    Unreachable,
    /// The conversation is longer than the model takes.
    TooLong,
    /// The stream ended in the middle.
    CutOff,
    /// An answer that the protocol doesn't allow, or another status.
    BadReply,
}

/// A failure of a provider, in one sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFailure {
    /// What kind of trouble.
    pub kind: FailureKind,
    /// What happened, where, and what to do next. No secrets.
    pub message: String,
}

/// What a model's stream says, in order. `Ended` or `Failed` is the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelEvent {
    /// Nothing came yet, and it is tried again: when and why, in a few words.
    Again(String),
    /// A piece of text.
    Text(String),
    /// A complete tool call. Calls come after their last piece was read.
    Call(ToolCall),
    /// The calls behind the [`MOST_CALLS`] that are taken of a message. They are no part of the conversation.
    Untaken(Vec<ToolCall>),
    /// The end of the message.
    Ended(StopReason, Usage),
    /// The stream failed; what was said before stays said.
    Failed(ModelFailure),
}
