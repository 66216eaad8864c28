//! What servers ask while calls of them run, until it is answered: each under a number, by which the operation that
//! answers it names it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::form::Form;
use crate::domain::{ANSWER, ToolCall};

/// Most requests that wait at a time, of all servers.
const WAITING: usize = 8;

/// What a server asks, read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Question {
    /// A form for the person.
    Form { message: String, form: Form },
    /// A prompt for the session's model.
    Sample { system: Option<String>, messages: Vec<(bool, String)>, tokens: u32 },
}

/// What is answered.
#[derive(Debug)]
pub(super) enum Reply {
    /// What the person typed.
    Filled(Map<String, Value>),
    /// What the model said, its name, and whether it was cut off at the limit.
    Said { text: String, model: String, cut: bool },
    /// Nothing: the person doesn't want it.
    Declined,
}

/// One request that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) server: String,
    pub(super) question: Question,
    pub(super) reply: oneshot::Sender<Reply>,
}

#[derive(Debug, Default)]
struct Held {
    last: u64,
    waiting: HashMap<u64, Waiting>,
}

/// All that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests(Arc<Mutex<Held>>);

impl Requests {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one in: its number, the call that answers it, and where the reply comes. None while too many wait.
    pub(super) fn take_in(
        &self,
        server: &str,
        question: Question,
    ) -> Option<(u64, ToolCall, oneshot::Receiver<Reply>)> {
        let (reply, answered) = oneshot::channel();
        let mut held = self.held();
        if held.waiting.len() >= WAITING {
            return None;
        }
        held.last += 1;
        let number = held.last;
        let mut arguments = json!({ "request": number });
        if let Question::Form { form, .. } = &question {
            arguments["answers"] = Value::String(form.blank());
        }
        held.waiting.insert(number, Waiting { server: server.to_owned(), question, reply });
        let call = ToolCall { id: String::new(), name: ANSWER.to_owned(), arguments: arguments.to_string() };
        Some((number, call, answered))
    }

    /// Who asks what under a number.
    pub(super) fn get(&self, number: u64) -> Option<(String, Question)> {
        self.held().waiting.get(&number).map(|waiting| (waiting.server.clone(), waiting.question.clone()))
    }

    /// Takes one out, to answer it or because nobody waits for it any more.
    pub(super) fn take(&self, number: u64) -> Option<Waiting> {
        self.held().waiting.remove(&number)
    }
}
