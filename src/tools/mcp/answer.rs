//! `answer`: gives a server what it asked for while a call of it runs, once the person agreed. Proposed by the program
//! alone; no model is offered it.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::super::sink::Sink;
use super::super::{RunPort, Tool, Workbench, cancelled, failed, foreign};
use super::Servers;
use super::requests::{Question, Reply};
use crate::assess::{AnswerAssessor, RiskAssessor};
use crate::domain::number::count;
use crate::domain::{
    ANSWER, AnswerOperation, Arguments, ArgumentsError, Asks, Countersigned, Message, ModelEvent, ModelRequest,
    OperationKind, Outcome, RunEvent, RunReport, ToolCall, ToolSpec,
};

/// Bytes of a model's answer that count as one token, where its end is cut.
const TOKEN: usize = 6;

/// The session's model, lent to one run.
#[derive(Clone)]
pub struct Sampler {
    label: String,
    ask: Arc<dyn Fn(ModelRequest) -> BoxStream<'static, ModelEvent> + Send + Sync>,
}

impl fmt::Debug for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sampler({})", self.label)
    }
}

impl Sampler {
    /// The model of that name, which answers by `ask`.
    pub fn new(
        label: String,
        ask: impl Fn(ModelRequest) -> BoxStream<'static, ModelEvent> + Send + Sync + 'static,
    ) -> Self {
        Self { label, ask: Arc::new(ask) }
    }
}

/// Answers servers.
#[derive(Clone, Debug)]
pub struct AnswerTool {
    servers: Arc<Servers>,
    bench: Arc<Workbench>,
}

impl AnswerTool {
    /// The tool of these servers.
    #[must_use]
    pub fn new(servers: &Arc<Servers>) -> Self {
        Self { servers: Arc::clone(servers), bench: Arc::clone(&servers.bench) }
    }
}

impl Servers {
    /// The person denied the call that would answer a server: it is told so.
    pub fn decline(&self, call: &ToolCall) {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let waiting = arguments.get("request").and_then(Value::as_u64).and_then(|number| self.requests.take(number));
        if let Some(waiting) = waiting {
            let _gone = waiting.reply.send(Reply::Declined);
        }
    }
}

impl Tool for AnswerTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: ANSWER.to_owned(),
            description: "Answers what an MCP server asks.".to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["request"],
                "properties": {
                    "request": { "type": "integer", "description": "Number of what it asks." },
                    "answers": { "type": "string", "description": "The answers, a line each." }
                }
            }),
        }
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &AnswerAssessor
    }

    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        arguments.only(&["request", "answers"])?;
        let number = arguments.values.get("request").and_then(Value::as_u64);
        let request = number.ok_or_else(|| ArgumentsError("`request` must be a number".to_owned()))?;
        let waiting = self.servers.requests.get(request);
        let (server, question) = waiting.ok_or_else(|| ArgumentsError("no server waits for this".to_owned()))?;
        let asks = match question {
            Question::Form { message, form } => {
                let typed = arguments.values.get("answers").and_then(Value::as_str);
                let lines = typed.map_or_else(|| form.blank(), str::to_owned);
                // What isn't right yet is still open: nothing of it can be sent.
                let (answers, open) = form.filled(&lines).unwrap_or_else(|why| (Map::new(), vec![why]));
                Asks::Form { message, form: lines, answers, open }
            }
            Question::Sample { system, messages, tokens } => Asks::Sample { system, messages, tokens },
        };
        Ok(OperationKind::Answer(AnswerOperation { request, server, asks }))
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        Box::pin(async move {
            let started = Instant::now();
            let OperationKind::Answer(answer) = countersigned.operation().kind.clone() else {
                return foreign(started);
            };
            let Some(waiting) = self.servers.requests.take(answer.request) else {
                return failed(format!("{} waits for it no more", answer.server), started);
            };
            match answer.asks {
                Asks::Form { open, .. } if !open.is_empty() => {
                    let _gone = waiting.reply.send(Reply::Declined);
                    failed(
                        format!("still open: {}; {} was told that there is no answer", open.join(", "), answer.server),
                        started,
                    )
                }
                Asks::Form { answers, .. } => {
                    let told = count(answers.len(), "answer");
                    if waiting.reply.send(Reply::Filled(answers)).is_err() {
                        return failed(format!("{} waits for it no more", answer.server), started);
                    }
                    let outcome = Outcome::Succeeded { summary: told };
                    RunReport { outcome, result: "it was answered".to_owned(), took: started.elapsed() }
                }
                Asks::Sample { system, messages, tokens } => {
                    let prompt = Prompt { system, messages, tokens };
                    self.sample(&answer.server, prompt, waiting.reply, port, &cancel, started).await
                }
            }
        })
    }
}

struct Prompt {
    system: Option<String>,
    messages: Vec<(bool, String)>,
    tokens: u32,
}

impl AnswerTool {
    /// Asks the model, shows what it says, and gives it to the server.
    async fn sample(
        &self,
        server: &str,
        prompt: Prompt,
        mut reply: oneshot::Sender<Reply>,
        port: RunPort,
        cancel: &CancellationToken,
        started: Instant,
    ) -> RunReport {
        let Some(sampler) = port.sampler() else { return failed("there is no model to ask".to_owned(), started) };
        let messages = prompt.messages.into_iter().map(|(model, text)| {
            Arc::new(if model { Message::Assistant { text, calls: Vec::new() } } else { Message::User(text) })
        });
        let request = ModelRequest {
            system: prompt.system.unwrap_or_default().into(),
            messages: messages.collect(),
            tools: Vec::new().into(),
        };
        let most = usize::try_from(prompt.tokens).unwrap_or(usize::MAX).saturating_mul(TOKEN);
        let mut stream = (sampler.ask)(request);
        let (sink, mut text, mut cut) = (Sink::new(port.clone()), String::new(), false);
        let trouble = loop {
            let event = tokio::select! {
                event = stream.next() => event,
                () = cancel.cancelled() => {
                    let _gone = reply.send(Reply::Declined);
                    return cancelled(started);
                }
                () = reply.closed() => break Some(format!("{server} waits for it no more")),
            };
            match event {
                Some(ModelEvent::Text(piece)) => {
                    let end = piece.floor_char_boundary(most - text.len());
                    sink.say(&piece[..end]);
                    text.push_str(&piece[..end]);
                    if end < piece.len() {
                        cut = true;
                        break None;
                    }
                }
                Some(ModelEvent::Again(_) | ModelEvent::Call(_) | ModelEvent::Untaken(_)) => {}
                Some(ModelEvent::Ended(_, usage)) => {
                    port.send(RunEvent::Used(usage)).await;
                    break None;
                }
                Some(ModelEvent::Failed(failure)) => break Some(failure.message),
                None => break Some("the model's answer broke off".to_owned()),
            }
        };
        drop(stream);
        let _shown = sink.finish(self.bench.result_limit).await;
        if let Some(why) = trouble {
            let _gone = reply.send(Reply::Declined);
            return failed(why, started);
        }
        let summary = count(text.lines().count(), "line");
        if reply.send(Reply::Said { text, model: sampler.label, cut }).is_err() {
            return failed(format!("{server} waits for it no more"), started);
        }
        RunReport {
            outcome: Outcome::Succeeded { summary },
            result: "its answer went to the server".to_owned(),
            took: started.elapsed(),
        }
    }
}
