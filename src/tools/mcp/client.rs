//! Our side of a connection as the library asks for it. What a server asks of us is refused: samples of a model,
//! questions to the person, and the workspace's place unless the person allowed that.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest, Implementation,
    ListToolsRequest, PaginatedRequestParams, ProgressNotificationParam, ProgressToken, Request, RootsCapabilities,
    ServerResult, Tool as Described,
};
#[allow(deprecated)] // servers ask for the roots all the same
use rmcp::model::{ListRootsResult, Root};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RequestHandle};
use rmcp::{ClientHandler, ErrorData, Peer, RoleClient, ServiceError};
use serde_json::{Map, Value};
use tokio::sync::{Notify, mpsc};

use super::frames::MESSAGE;

/// Most pages of a list of tools.
const PAGES: usize = 50;
/// Most tools that are taken in; what is offered is less.
const TOOLS: usize = 2_000;
/// Notes of progress that came before anybody asked for them.
const EARLY: usize = 32;
/// Longest sentence of a server that is repeated, in bytes.
const SENTENCE: usize = 400;

/// What a connection tells us unasked.
#[derive(Debug, Default)]
pub(super) struct News {
    /// The list of tools changed.
    pub(super) changed: Notify,
    progress: Mutex<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    wanted: HashMap<ProgressToken, mpsc::Sender<String>>,
    early: VecDeque<(ProgressToken, String)>,
}

impl News {
    /// From now on, and from before, the progress of a call goes to `lane`.
    fn want(&self, token: ProgressToken, lane: mpsc::Sender<String>) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        for (of, note) in std::mem::take(&mut progress.early) {
            if of == token {
                let _full = lane.try_send(note);
            }
        }
        progress.wanted.insert(token, lane);
    }

    fn done(&self, token: &ProgressToken) {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).wanted.remove(token);
    }

    fn note(&self, token: ProgressToken, note: String) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = progress.wanted.get(&token) {
            // Whoever is too slow to show it misses some of it.
            let _full = lane.try_send(note);
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
}

#[allow(deprecated)] // the same
impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.root.is_some() {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        ClientConfig::new(capabilities, Implementation::new("countersign", env!("CARGO_PKG_VERSION")))
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

/// All tools of a server.
///
/// # Errors
/// It doesn't list them, in one sentence.
pub(super) async fn list(peer: &Peer<RoleClient>) -> Result<Vec<Described>, String> {
    if peer.peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
        return Ok(Vec::new());
    }
    let (mut tools, mut cursor, mut length) = (Vec::new(), None, 0);
    for _ in 0..PAGES {
        let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
        let request = ListToolsRequest { params, ..ListToolsRequest::default() };
        let asked = peer.send_request(ClientRequest::ListToolsRequest(request)).await;
        let page = match asked {
            Ok(ServerResult::ListToolsResult(page)) => page,
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
    Ok(tools)
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
        lane: mpsc::Sender<String>,
    ) -> Result<Self, Trouble> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
        let request = ClientRequest::CallToolRequest(Request::new(params));
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let handle = sent?;
        news.want(handle.progress_token.clone(), lane);
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

/// The beginning of what a server said.
pub(super) fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.floor_char_boundary(SENTENCE);
    if end == line.len() { line } else { format!("{}…", &line[..end]) }
}
