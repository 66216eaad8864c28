//! Our side of a connection as the library asks for it. What a server asks of us is refused unless the person allowed
//! it to that server: samples of a model and forms for the person, which each wait as an operation, and the workspace's
//! place.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest, CustomResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode, FormElicitationCapability,
    Implementation, ListToolsRequest, PaginatedRequestParams, ProgressNotificationParam, ProgressToken, Request,
    RootsCapabilities, ServerResult, Tool as Described,
};
#[allow(deprecated)] // servers ask for both all the same
use rmcp::model::{
    CreateMessageRequestMethod, CreateMessageRequestParams, CreateMessageResult, ListRootsResult, Role, Root,
    SamplingCapability, SamplingMessage, SamplingMessageContentBlock,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RequestHandle};
use rmcp::{ClientHandler, ErrorData, Peer, RoleClient, ServiceError};
use serde_json::{Map, Value};
use tokio::sync::{Notify, mpsc};

use super::address;
use super::config::May;
use super::form::Form;
use super::frames::MESSAGE;
use super::requests::{Question, Reply, Requests};
use crate::assess::visible;
use crate::domain::ToolCall;

/// Most pages of a list of tools.
const PAGES: usize = 50;
/// Most tools that are taken in; what is offered is less.
const TOOLS: usize = 2_000;
/// Most tools that aren't described as the protocol has it and are told of one by one.
const TOLD: usize = 100;
/// Notes of progress that came before anybody asked for them.
const EARLY: usize = 32;
/// Longest sentence of a server that is repeated, in bytes.
const SENTENCE: usize = 400;
/// Most questions that a server may ask while one call runs.
const QUESTIONS: usize = 10;
/// Longest message of a form, in bytes.
const SAID: usize = 4 * 1024;
/// Longest prompt that a server may put to the model, in bytes.
const PROMPT: usize = 64 * 1024;
/// What a refusal is called, as the protocol's own examples have it.
const REFUSED: i32 = -1;

/// What a call hears while it runs.
#[derive(Debug)]
pub(super) enum Word {
    /// How far it is.
    Progress(String),
    /// The server asks for something: this operation would answer it.
    Asks(ToolCall),
    /// The server asked for something and was refused: why.
    Refused(String),
}

/// What a connection tells us unasked.
#[derive(Debug, Default)]
pub(super) struct News {
    /// The list of tools changed.
    pub(super) changed: Notify,
    progress: Mutex<Progress>,
    /// Held while a call is sent and not yet among those that run: a quick server asks before that.
    sending: tokio::sync::Mutex<()>,
    /// How many of the server's questions wait for the person.
    asking: AtomicUsize,
}

#[derive(Debug, Default)]
struct Progress {
    /// The calls that run, in the order of their starts.
    wanted: Vec<Wanted>,
    early: VecDeque<(ProgressToken, String)>,
}

/// A call that runs, where what it hears goes, and how often its server asked.
#[derive(Debug)]
struct Wanted {
    of: ProgressToken,
    lane: mpsc::Sender<Word>,
    asked: usize,
}

impl News {
    /// From now on, and from before, the progress of a call goes to `lane`.
    fn want(&self, token: ProgressToken, lane: mpsc::Sender<Word>) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        for (of, note) in std::mem::take(&mut progress.early) {
            if of == token {
                let _full = lane.try_send(Word::Progress(note));
            }
        }
        progress.wanted.push(Wanted { of: token, lane, asked: 0 });
    }

    fn done(&self, token: &ProgressToken) {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).wanted.retain(|wanted| wanted.of != *token);
    }

    /// The call that runs, the latest of several.
    fn call(&self) -> Option<mpsc::Sender<Word>> {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.wanted.last().map(|wanted| wanted.lane.clone())
    }

    /// Counts a question of the call that runs. False if it asked too often.
    fn may_ask(&self) -> bool {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.wanted.last_mut().is_some_and(|wanted| {
            wanted.asked += 1;
            wanted.asked <= QUESTIONS
        })
    }

    /// Whether something that the server asked waits for the person: its own time doesn't count then.
    pub(super) fn asks(&self) -> bool {
        self.asking.load(Ordering::Relaxed) > 0
    }

    fn note(&self, token: ProgressToken, note: String) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Wanted { lane, .. }) = progress.wanted.iter().find(|wanted| wanted.of == token) {
            // Whoever is too slow to show it misses some of it.
            let _full = lane.try_send(Word::Progress(note));
        } else {
            progress.early.push_back((token, note));
            if progress.early.len() > EARLY {
                progress.early.pop_front();
            }
        }
    }
}

/// Our side of one connection.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) news: Arc<News>,
    /// Where the workspace is, as a URL, if the server may know.
    pub(super) root: Option<String>,
    /// The server's name.
    pub(super) server: String,
    /// What it may ask.
    pub(super) may: May,
    /// Where what it asks waits.
    pub(super) requests: Requests,
}

/// One question more waits, until this is dropped.
struct Asking<'a>(&'a AtomicUsize);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Client {
    /// Puts a question into the queue of the call that runs, and waits for the answer. Its text is for the server.
    async fn put(&self, question: Question, context: &RequestContext<RoleClient>) -> Result<Reply, String> {
        drop(self.news.sending.lock().await);
        let lane = self.news.call().ok_or("nothing is answered while no call runs")?;
        if !self.news.may_ask() {
            return Err(format!("one call may ask {QUESTIONS} times"));
        }
        let (number, call, answered) =
            self.requests.take_in(&self.server, question).ok_or("too many questions wait already")?;
        self.news.asking.fetch_add(1, Ordering::Relaxed);
        let _asking = Asking(&self.news.asking);
        let gone = "nobody waits for it any more".to_owned();
        if lane.send(Word::Asks(call)).await.is_err() {
            self.requests.take(number);
            return Err(gone);
        }
        let reply = tokio::select! {
            reply = answered => reply.map_err(|_| gone),
            () = lane.closed() => Err(gone),
            () = context.ct.cancelled() => Err(gone),
        };
        self.requests.take(number);
        reply
    }

    /// Tells the person, in the call that runs, why a question was refused.
    async fn refuse(&self, why: &str) {
        drop(self.news.sending.lock().await);
        if let Some(lane) = self.news.call() {
            let _gone = lane.send(Word::Refused(why.to_owned())).await;
        }
    }
}

#[allow(deprecated)] // the same
impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.root.is_some() {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        capabilities.sampling = self.may.sampling.then(SamplingCapability::default);
        capabilities.elicitation =
            self.may.elicitation.then(|| ElicitationCapability::new().with_form(FormElicitationCapability::new()));
        ClientConfig::new(capabilities, Implementation::new("countersign", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(
        &self,
        asked: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let question = match asked {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } if self.may.elicitation => {
                let schema = serde_json::to_value(requested_schema).unwrap_or_default();
                Form::read(&schema).map(|form| Question::Form { message: beginning(&message, SAID), form })
            }
            _ => Err("it may ask you only by a form, and only where `elicitation` allows it".to_owned()),
        };
        let reply = match question {
            Ok(question) => self.put(question, &context).await,
            Err(why) => {
                self.refuse(&why).await;
                Ok(Reply::Declined)
            }
        };
        Ok(match reply {
            Ok(Reply::Filled(answers)) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(answers))
            }
            Ok(Reply::Declined | Reply::Said { .. }) => ElicitResult::new(ElicitationAction::Decline),
            Err(_) => ElicitResult::new(ElicitationAction::Cancel),
        })
    }

    async fn create_message(
        &self,
        asked: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let refused = |why: String| ErrorData::new(ErrorCode(REFUSED), why, None);
        if !self.may.sampling {
            self.refuse("it may ask the model only where `sampling` allows it").await;
            return Err(ErrorData::method_not_found::<CreateMessageRequestMethod>());
        }
        let question = match sample(asked) {
            Ok(question) => question,
            Err(why) => {
                self.refuse(&why).await;
                return Err(refused(why));
            }
        };
        match self.put(question, &context).await {
            Ok(Reply::Said { text, model, cut }) => {
                let message = SamplingMessage::new(Role::Assistant, SamplingMessageContentBlock::text(text));
                let stop = if cut {
                    CreateMessageResult::STOP_REASON_END_MAX_TOKEN
                } else {
                    CreateMessageResult::STOP_REASON_END_TURN
                };
                Ok(CreateMessageResult::new(message, model).with_stop_reason(stop))
            }
            Ok(Reply::Declined | Reply::Filled(_)) => Err(refused("the person denied it".to_owned())),
            Err(why) => Err(refused(why)),
        }
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.root.iter().map(|root| Root::new(root.clone())).collect()))
    }

    async fn on_progress(&self, said: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        let of = said.total.map(|total| format!(" of {total}")).unwrap_or_default();
        let message = said.message.map(|message| format!(": {}", cut(&message))).unwrap_or_default();
        self.news.note(said.progress_token, format!("{}{of}{message}", said.progress));
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.news.changed.notify_one();
    }
}

/// What a server puts to the model, as text; no tools, no pictures.
#[allow(deprecated)] // the same
fn sample(asked: CreateMessageRequestParams) -> Result<Question, String> {
    if asked.tools.is_some_and(|tools| !tools.is_empty()) {
        return Err("the model is asked without tools here".to_owned());
    }
    let mut messages = Vec::new();
    for message in asked.messages {
        let model = message.role == Role::Assistant;
        for part in message.content.into_vec() {
            match part {
                SamplingMessageContentBlock::Text(text) => messages.push((model, text.text)),
                _ => return Err("the model is given text alone here".to_owned()),
            }
        }
    }
    let length = messages.iter().map(|(_, text)| text.len()).sum::<usize>();
    if messages.is_empty() || length + asked.system_prompt.as_ref().map_or(0, String::len) > PROMPT {
        return Err(format!("a prompt has 1 to {PROMPT} bytes here"));
    }
    Ok(Question::Sample { system: asked.system_prompt, messages, tokens: asked.max_tokens })
}

/// All tools of a server, and why others aren't taken in.
///
/// # Errors
/// It doesn't list them, in one sentence.
pub(super) async fn list(peer: &Peer<RoleClient>) -> Result<(Vec<Described>, Vec<String>), String> {
    let (mut tools, mut left_out, mut more) = (Vec::new(), Vec::new(), 0);
    if peer.peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
        return Ok((tools, left_out));
    }
    let (mut cursor, mut length) = (None, 0);
    for _ in 0..PAGES {
        let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
        let request = ListToolsRequest { params, ..ListToolsRequest::default() };
        let asked = peer.send_request(ClientRequest::ListToolsRequest(request)).await;
        let page = match asked {
            Ok(ServerResult::ListToolsResult(page)) => page,
            // One tool that isn't described as the protocol has it is no reason to do without the others.
            Ok(ServerResult::CustomResult(CustomResult(Value::Object(mut page)))) if page.contains_key("tools") => {
                let mut told = undescribed(&mut page).into_iter();
                left_out.extend(told.by_ref().take(TOLD - left_out.len()));
                more += told.count();
                serde_json::from_value(Value::Object(page)).map_err(|_| "its list of tools isn't one".to_owned())?
            }
            Ok(_) => return Err("its list of tools isn't one".to_owned()),
            Err(error) => return Err(format!("its tools can't be listed: {}", explain(&error))),
        };
        length += serde_json::to_vec(&page.tools).map_or(0, |written| written.len());
        if length > MESSAGE {
            return Err("its list of tools is too long".to_owned());
        }
        tools.extend(page.tools);
        cursor = page.next_cursor.filter(|cursor| !cursor.is_empty());
        if cursor.is_none() || tools.len() > TOOLS {
            break;
        }
    }
    tools.truncate(TOOLS);
    if more > 0 {
        left_out.push(format!("{more} more aren't described as tools"));
    }
    Ok((tools, left_out))
}

/// Why nothing came of what a server was asked, once its time is over.
pub(super) fn late(limit: Duration) -> String {
    format!("it didn't answer within {} s", limit.as_secs())
}

/// Takes the tools that aren't described as the protocol has it out of a page, and tells of each.
fn undescribed(page: &mut Map<String, Value>) -> Vec<String> {
    let Some(Value::Array(tools)) = page.get_mut("tools") else { return Vec::new() };
    let mut told = Vec::new();
    tools.retain(|tool| {
        let trouble = serde_json::from_value::<Described>(tool.clone()).err();
        if let Some(error) = &trouble {
            let name = visible(tool.get("name").and_then(Value::as_str).unwrap_or("a tool without a name"));
            told.push(format!("{}: it isn't described as a tool ({})", cut(&name), cut(&error.to_string())));
        }
        trouble.is_none()
    });
    told
}

/// Why a call has no result.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The connection is gone, or going: its end says more.
    Gone(String),
    /// The server says so.
    Said(String),
}

impl From<ServiceError> for Trouble {
    fn from(error: ServiceError) -> Self {
        let why = explain(&error);
        match error {
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => Self::Gone(why),
            _ => Self::Said(why),
        }
    }
}

/// A call on its way.
pub(super) struct Call {
    handle: RequestHandle<RoleClient>,
    news: Arc<News>,
}

impl Call {
    /// Sends a call; its progress goes to `lane`.
    pub(super) async fn send(
        peer: &Peer<RoleClient>,
        news: &Arc<News>,
        tool: &str,
        arguments: &Map<String, Value>,
        lane: mpsc::Sender<Word>,
    ) -> Result<Self, Trouble> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
        let request = ClientRequest::CallToolRequest(Request::new(params));
        let sending = news.sending.lock().await;
        let handle = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        news.want(handle.progress_token.clone(), lane);
        drop(sending);
        Ok(Self { handle, news: Arc::clone(news) })
    }

    /// Waits for its result.
    pub(super) async fn result(&mut self) -> Result<CallToolResult, Trouble> {
        let answered = (&mut self.handle.rx).await.unwrap_or(Err(ServiceError::TransportClosed));
        self.news.done(&self.handle.progress_token);
        match answered {
            Ok(ServerResult::CallToolResult(result)) => Ok(result),
            Ok(ServerResult::InputRequiredResult(_)) => {
                Err(Trouble::Said("it asks for more than it was given; such questions are refused".to_owned()))
            }
            Ok(_) => Err(Trouble::Said("its answer isn't a tool's result".to_owned())),
            Err(error) => Err(error.into()),
        }
    }

    /// Tells the server that nobody waits for it any more.
    pub(super) async fn cancel(self, why: &str) {
        self.news.done(&self.handle.progress_token);
        let _gone = self.handle.cancel(Some(why.to_owned())).await;
    }
}

/// An error of a connection in a few words.
pub(super) fn explain(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => cut(&error.message),
        ServiceError::TransportClosed => "the connection was closed".to_owned(),
        ServiceError::TransportSend(error) => {
            if let Some(advice) = address::advice(error) {
                return advice;
            }
            // The innermost cause: the outer ones only say that something couldn't be sent.
            let mut inner: &dyn std::error::Error = error;
            while let Some(source) = inner.source() {
                inner = source;
            }
            cut(&inner.to_string())
        }
        other => cut(&other.to_string()),
    }
}

/// The beginning of a text, lines and all.
fn beginning(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    if end == text.len() { text.to_owned() } else { format!("{}… ({} bytes more)", &text[..end], text.len() - end) }
}

/// The beginning of what a server said.
pub(super) fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.floor_char_boundary(SENTENCE);
    if end == line.len() { line } else { format!("{}…", &line[..end]) }
}
