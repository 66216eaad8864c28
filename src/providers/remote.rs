//! A model behind HTTP, through the kept client. Builds its HTTP client at the first request and keeps it; tries
//! again only before the first piece of an answer; reads no files and decides nothing about calls.

mod again;
mod aside;
mod listing;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use genai::adapter::AdapterKind;
use genai::chat::{ChatOptions, ChatStreamEvent};
use genai::resolver::{AuthData, Endpoint as WireEndpoint};
use genai::{Client, Headers, ModelIden, ServiceTarget};
use reqwest::header::CONTENT_TYPE;
use secrecy::ExposeSecret;
use serde_json::{Map, Value};
use tokio::sync::OnceCell;
use tokio::time::timeout;
use url::Url;

pub use aside::{Answered, answers, models, try_out};
pub use listing::Listed;

use again::Trying;

use super::completions::{self, Body};
use super::failure::{Broken, Scene, Trouble};
use super::frames::Frames;
use super::reply::{Fault, Piece, Reply};
use super::settings::{Endpoint, ProviderKind, ProviderSettings};
use super::wire::{self, Signatures};
use super::{Provider, ProviderError};
use crate::domain::{FailureKind, Message, ModelEvent, ModelFailure, ModelRequest, Prices};

/// How often a request that failed before its first piece is tried again.
const RETRIES: u32 = 2;
/// Pause before the first new try; each next one is three times as long.
const PAUSE: Duration = Duration::from_millis(500);
/// Longest wait that a provider may ask of us without the person being told.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Largest list of models that is read.
const MOST_LIST: usize = 4 << 20;
/// How much is read of an answer that is no success.
const MOST_TOLD: usize = 64 << 10;
/// Longest wait for a small request beside the conversation.
const ASIDE: Duration = Duration::from_secs(30);

/// A model at a provider that is reached by HTTP.
pub(super) struct Remote {
    line: Arc<Line>,
}

/// What all requests of one provider share.
struct Line {
    settings: ProviderSettings,
    endpoint: Endpoint,
    place: String,
    patience: Duration,
    pause: Duration,
    client: OnceCell<Clients>,
    model: OnceCell<String>,
    /// Tokens that the model takes: what the configuration or the server says; zero while nobody did.
    context: AtomicU64,
    /// Whether the server was asked how many.
    asked: AtomicBool,
    signatures: Mutex<Signatures>,
    /// What was serialised of the conversation, in OpenAI's format.
    body: Mutex<Body>,
}

/// The pieces of an answer as they come.
type Pieces = BoxStream<'static, Result<ChatStreamEvent, Broken>>;

/// The HTTP client and the model client on top of it.
struct Clients {
    http: reqwest::Client,
    model: Client,
}

/// An answer while it is read.
struct Reading {
    line: Arc<Line>,
    chat: Pieces,
    reply: Reply,
    frames: Arc<Mutex<Frames>>,
    /// Pieces that are ready, last first.
    ready: Vec<ModelEvent>,
    over: bool,
}

impl Remote {
    /// Checks the settings; builds nothing yet.
    pub(super) fn new(settings: ProviderSettings) -> Result<Self, ProviderError> {
        Self::pausing(settings, PAUSE)
    }

    /// The same with another pause before a new try.
    fn pausing(settings: ProviderSettings, pause: Duration) -> Result<Self, ProviderError> {
        let maker = settings.maker;
        let endpoint = Endpoint::read(maker.kind, settings.base_url.as_deref().unwrap_or(maker.home))?;
        let place = endpoint.place();
        let home = endpoint.0.as_str() == maker.home;
        if let (None, Some(variable), true) = (&settings.key, maker.key, home) {
            return Err(ProviderError::NoKey { host: place, variable });
        }
        let known = settings.model.clone().filter(|model| !model.trim().is_empty());
        let listed = maker.kind.speaks_openai() && !home;
        let usual = if listed { None } else { maker.model };
        let model = known.or_else(|| usual.map(str::to_owned));
        let patience = settings.patience.unwrap_or(Duration::from_secs(if endpoint.loopback() { 600 } else { 120 }));
        let context = AtomicU64::new(settings.context.unwrap_or_default());
        Ok(Self {
            line: Arc::new(Line {
                asked: AtomicBool::new(settings.context.is_some()),
                context,
                settings,
                endpoint,
                place,
                patience,
                pause,
                client: OnceCell::new(),
                model: OnceCell::new_with(model),
                signatures: Mutex::default(),
                body: Mutex::default(),
            }),
        })
    }
}

impl Provider for Remote {
    fn label(&self) -> String {
        let line = &self.line;
        let home = line.endpoint.0.as_str() == line.settings.maker.home;
        let place = if home { line.settings.maker.word } else { line.place.as_str() };
        match line.model.get() {
            Some(model) => format!("{model} ({place})"),
            None => format!("first model ({place})"),
        }
    }

    fn remote(&self) -> bool {
        !self.line.endpoint.loopback()
    }

    fn context(&self) -> u64 {
        match self.line.context.load(Ordering::Relaxed) {
            0 => self.line.settings.maker.context,
            told => told,
        }
    }

    fn prices(&self) -> Option<Prices> {
        self.line.settings.prices
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent> {
        Trying::new(Arc::clone(&self.line), request).events()
    }
}

impl Line {
    /// One try, up to the first piece that says something.
    async fn attempt(self: &Arc<Self>, request: &ModelRequest) -> Result<Reading, Trouble> {
        let clients = self.clients().await?;
        let model = self.model.get_or_try_init(|| self.first_model(&clients.http)).await?.clone();
        self.ask_context(&clients.http, &model);
        let frames = Arc::new(Mutex::new(Frames::default()));
        let chat = match self.settings.kind() {
            ProviderKind::OpenAi | ProviderKind::Ollama => {
                self.complete(&clients.http, &model, request, &frames).await?
            }
            ProviderKind::Anthropic => self.chat(clients, AdapterKind::Anthropic, &model, request, &frames).await?,
            ProviderKind::Gemini => self.chat(clients, AdapterKind::Gemini, &model, request, &frames).await?,
        };
        let reply = Reply::new(self.settings.kind(), call_ids(request));
        let mut reading = Reading { line: Arc::clone(self), chat, reply, frames, ready: Vec::new(), over: false };
        reading.advance().await?;
        Ok(reading)
    }

    /// The server said how many tokens its model takes.
    fn learn(&self, context: Option<u64>) {
        self.asked.store(true, Ordering::Relaxed);
        if let Some(tokens) = context {
            self.context.store(tokens, Ordering::Relaxed);
        }
    }

    /// Asks once how many tokens the model takes, beside the first request. What isn't said stays unknown.
    fn ask_context(self: &Arc<Self>, http: &reqwest::Client, model: &str) {
        // OpenAI's own list doesn't say it, and the others' smallest figure is known.
        let says =
            self.settings.kind().speaks_openai() && self.endpoint.0.as_str() != ProviderKind::OpenAi.maker().home;
        if !says || self.asked.swap(true, Ordering::Relaxed) {
            return;
        }
        let (line, http, model) = (Arc::clone(self), http.clone(), model.to_owned());
        tokio::spawn(async move {
            if let Ok(listed) = line.list(&http).await {
                line.learn(listed.into_iter().find(|listed| listed.id == model).and_then(|listed| listed.context));
            }
        });
    }

    /// Asks by OpenAI's chat completions.
    async fn complete(
        &self,
        http: &reqwest::Client,
        model: &str,
        request: &ModelRequest,
        frames: &Arc<Mutex<Frames>>,
    ) -> Result<Pieces, Trouble> {
        let body = self.body.lock().unwrap_or_else(PoisonError::into_inner).of(model, request);
        let body = body.map_err(|error| self.scene().client(&error.into()))?;
        let post = http.post(self.chat_address(model)).header(CONTENT_TYPE, "application/json").body(body);
        let post = self.chat_headers().into_iter().fold(post, |post, (name, value)| post.header(name, value));
        let Ok(answered) = timeout(self.patience, post.send()).await else { return Err(self.scene().silent()) };
        let answered = answered.map_err(|error| self.scene().connection(&error))?;
        if answered.status().is_success() {
            return Ok(completions::answer(answered, Arc::clone(frames)));
        }
        let (status, headers) = (answered.status().as_u16(), answered.headers().clone());
        let told = timeout(self.patience, beginning(answered)).await.unwrap_or_default();
        Err(self.scene().status(status, &String::from_utf8_lossy(&told), &headers))
    }

    /// Asks by the kept client.
    async fn chat(
        &self,
        clients: &Clients,
        adapter: AdapterKind,
        model: &str,
        request: &ModelRequest,
        frames: &Arc<Mutex<Frames>>,
    ) -> Result<Pieces, Trouble> {
        let wired = {
            let signatures = self.signatures.lock().unwrap_or_else(PoisonError::into_inner);
            wire::request(self.settings.kind(), request, &signatures)
        };
        let answered =
            clients.model.exec_chat_stream(self.target(adapter, model), wired, Some(&self.options(frames))).await;
        let answered = answered.map_err(|error| self.scene().client(&error))?;
        Ok(answered.stream.map(|piece| piece.map_err(Broken::Client)).boxed())
    }

    /// The clients, built on first use and off the runtime's threads: reading the root certificates takes a while.
    async fn clients(&self) -> Result<&Clients, Trouble> {
        let loopback = self.endpoint.loopback();
        let build = || async move {
            tokio::task::spawn_blocking(move || build_clients(loopback)).await.ok().flatten().ok_or_else(|| Trouble {
                failure: ModelFailure {
                    kind: FailureKind::Unreachable,
                    message: "No HTTP client could be made on this machine. Start the program again.".to_owned(),
                },
                again: None,
            })
        };
        self.client.get_or_try_init(build).await
    }

    /// Where the request goes. We name address and headers ourselves, so that a query stays and a missing key
    /// sends no header.
    fn target(&self, adapter: AdapterKind, model: &str) -> ServiceTarget {
        ServiceTarget {
            endpoint: WireEndpoint::from_owned(self.endpoint.0.to_string()),
            auth: AuthData::RequestOverride {
                url: self.chat_address(model).to_string(),
                headers: Headers::from(self.chat_headers()),
            },
            model: ModelIden::new(adapter, model),
        }
    }

    /// The address that a conversation is sent to.
    fn chat_address(&self, model: &str) -> Url {
        match self.settings.kind() {
            ProviderKind::OpenAi | ProviderKind::Ollama => self.endpoint.call("chat/completions"),
            ProviderKind::Anthropic => self.endpoint.call("messages"),
            ProviderKind::Gemini => {
                let mut url = self.endpoint.call(&format!("models/{model}:streamGenerateContent"));
                url.query_pairs_mut().append_pair("alt", "sse");
                url
            }
        }
    }

    /// The headers that a conversation is sent with.
    fn chat_headers(&self) -> Vec<(String, String)> {
        let mut headers = self.key_headers();
        if self.settings.kind() == ProviderKind::Anthropic {
            headers.push(("anthropic-version".to_owned(), "2023-06-01".to_owned()));
        }
        headers
    }

    /// The trouble of an answer that ended without an end marker.
    fn ended(&self, any: bool, begun: bool) -> Trouble {
        match (any, begun) {
            (_, true) => self.scene().fault(Fault::CutOff),
            (false, false) => self.scene().nothing(),
            (true, false) => self.scene().garbled(),
        }
    }

    /// The header that carries the key.
    fn key_headers(&self) -> Vec<(String, String)> {
        let Some(key) = &self.settings.key else { return Vec::new() };
        let key = key.expose_secret();
        let (name, value) = match self.settings.kind() {
            ProviderKind::OpenAi | ProviderKind::Ollama => ("authorization", format!("Bearer {key}")),
            ProviderKind::Anthropic => ("x-api-key", key.to_owned()),
            ProviderKind::Gemini => ("x-goog-api-key", key.to_owned()),
        };
        vec![(name.to_owned(), value)]
    }

    /// What we ask of the client: no capturing, which would clone every piece.
    fn options(&self, frames: &Arc<Mutex<Frames>>) -> ChatOptions {
        let frames = Arc::clone(frames);
        let options = ChatOptions::default()
            .with_capture_usage(true)
            .with_stream_header_timeout(self.patience)
            .with_stream_read_timeout(self.patience)
            .with_raw_frame_fn(move |_, frame| {
                let read = serde_json::from_str::<Map<String, Value>>(frame.data).is_ok();
                frames.lock().unwrap_or_else(PoisonError::into_inner).event(read);
            });
        match self.settings.kind() {
            ProviderKind::Anthropic => options.with_cache_control(genai::chat::CacheControl::Ephemeral),
            ProviderKind::OpenAi | ProviderKind::Ollama | ProviderKind::Gemini => options,
        }
    }

    /// What messages say of this provider.
    fn scene(&self) -> Scene<'_> {
        Scene {
            settings: &self.settings,
            place: &self.place,
            model: self.model.get().map_or("the model", String::as_str),
            patience: self.patience,
            begun: false,
        }
    }
}

impl Reading {
    /// Reads until something is ready to be said.
    async fn advance(&mut self) -> Result<(), Trouble> {
        loop {
            let Ok(next) = timeout(self.line.patience, self.chat.next()).await else {
                return Err(self.line.scene().silent());
            };
            let event = match next {
                Some(Ok(event)) => event,
                Some(Err(error)) => {
                    let begun = self.frames().begun();
                    self.cut(Scene { begun, ..self.line.scene() }.broken(&error))?
                }
                None => {
                    // One guard at a time, and none while something is waited for.
                    let any = self.frames().any();
                    let begun = self.frames().begun();
                    let trouble = self.line.ended(any, begun);
                    self.cut(trouble)?
                }
            };
            match self.reply.take(event) {
                Piece::Quiet => {}
                Piece::Said(event) => {
                    self.ready.extend(event);
                    return Ok(());
                }
                Piece::Ended(events) => {
                    self.ready.extend(events.into_iter().rev());
                    self.over = true;
                    let signatures = std::mem::take(&mut self.reply.signatures);
                    self.line.signatures.lock().unwrap_or_else(PoisonError::into_inner).extend(signatures);
                    return Ok(());
                }
                Piece::Faulty(Fault::CutOff) => {
                    let any = self.frames().any();
                    let begun = self.frames().begun();
                    return Err(self.line.ended(any, begun));
                }
                Piece::Faulty(fault) => return Err(self.line.scene().fault(fault)),
            }
        }
    }

    /// What the frames told.
    fn frames(&self) -> MutexGuard<'_, Frames> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end after all, where only the end marker was cut off: the reason to stop was named, and no call lacks
    /// anything. Otherwise the trouble.
    fn cut(&self, trouble: Trouble) -> Result<ChatStreamEvent, Trouble> {
        let complete = trouble.failure.kind == FailureKind::CutOff && self.reply.whole();
        match self.frames().end().filter(|_| complete) {
            Some(end) => Ok(ChatStreamEvent::End(end)),
            None => Err(trouble),
        }
    }

    /// The rest of the answer as a stream. After the first piece nothing is tried again.
    fn events(self) -> BoxStream<'static, ModelEvent> {
        stream::unfold(Some(self), |state| async move {
            let mut reading = state?;
            loop {
                if let Some(event) = reading.ready.pop() {
                    let more = !reading.over || !reading.ready.is_empty();
                    return Some((event, more.then_some(reading)));
                }
                if let Err(trouble) = reading.advance().await {
                    return Some((ModelEvent::Failed(trouble.failure), None));
                }
            }
        })
        .boxed()
    }
}

/// Clients that follow no redirect, which would carry a key and the conversation elsewhere, and that never take a
/// detour over a proxy to this machine.
fn build_clients(loopback: bool) -> Option<Clients> {
    let builder = reqwest::Client::builder()
        .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .tcp_nodelay(true);
    let http = if loopback { builder.no_proxy() } else { builder }.build().ok()?;
    let model = Client::builder().with_reqwest(http.clone()).build().ok()?;
    Some(Clients { http, model })
}

/// The beginning of what was answered, as far as it came.
async fn beginning(mut answered: reqwest::Response) -> Vec<u8> {
    let mut told = Vec::new();
    while told.len() < MOST_TOLD
        && let Ok(Some(bytes)) = answered.chunk().await
    {
        told.extend_from_slice(&bytes);
    }
    told.truncate(MOST_TOLD);
    told
}

/// Ids of all calls in a conversation.
fn call_ids(request: &ModelRequest) -> HashSet<String> {
    request
        .messages
        .iter()
        .filter_map(|message| match &**message {
            Message::Assistant { calls, .. } => Some(calls),
            Message::User(_) | Message::Results(_) => None,
        })
        .flatten()
        .map(|call| call.id.clone())
        .collect()
}

#[cfg(test)]
mod tests;
