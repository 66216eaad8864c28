//! One server: started when it is needed, started again a few times, its tools as it lists them now.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use rmcp::model::{CallToolResult, Tool as Described};
use rmcp::service::{ClientInitializeError, QuitReason, serve_client_with_ct};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{Peer, RoleClient};
use secrecy::ExposeSecret as _;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::super::Workbench;
use super::address;
use super::child::{self, Program, variable};
use super::client::{Call, Client, News, Trouble, Word, cut, explain, late, list};
use super::config::{Config, Reach, expand};
use super::frames::{Bounded, MESSAGE, Verdict};
use super::offer::{Offer, offers};
use super::requests::Requests;
use crate::domain::{Declared, McpOperation};

/// Time that a server has from its start until its tools are listed. The first start may load packages.
const CONNECT: Duration = Duration::from_mins(1);
/// Starts within a time after which a server isn't started by itself any more.
const STARTS: usize = 3;
/// That time.
const SPAN: Duration = Duration::from_mins(5);
/// Time between the news that tools changed and the look at them, and the least time between two looks.
const LOOK: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(2));
/// Time that the end of a server may take as the program leaves.
const LEAVE: Duration = Duration::from_secs(3);
/// Time that a connection may take to close; one whose server reads nothing never does by itself.
const CLOSE: Duration = Duration::from_secs(1);

/// How exactly a time limit is counted.
const TICK: Duration = Duration::from_millis(500);

/// How a server stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// It was not needed yet.
    #[default]
    Idle,
    /// It is being started.
    Starting,
    /// It runs.
    Up {
        /// What it calls itself.
        name: String,
        /// How many of its tools are offered.
        tools: usize,
    },
    /// It doesn't run.
    Failed(String),
    /// The person switched it off.
    Disabled,
    /// The workspace brings it, and the person doesn't trust that.
    Untrusted,
}

/// A connection that stands.
#[derive(Clone, Debug)]
struct Link {
    peer: Peer<RoleClient>,
    news: Arc<News>,
    /// Ends it.
    stop: CancellationToken,
    /// It has ended.
    over: CancellationToken,
}

#[derive(Debug, Default)]
struct Seen {
    standing: Standing,
    offers: Vec<Arc<Offer>>,
    left_out: Vec<String>,
    starts: VecDeque<Instant>,
    /// Which start this is: the end of an earlier one says nothing of it.
    turn: u64,
    told: Option<String>,
}

/// Why a call has no result.
#[derive(Debug)]
pub(super) enum NoResult {
    Cancelled,
    TimedOut(u64),
    Failed(String),
}

/// One server of the configuration.
#[derive(Debug)]
pub struct Server {
    /// What the configuration says.
    pub config: Config,
    /// Where its own words on standard error are.
    pub log: PathBuf,
    bench: Arc<Workbench>,
    requests: Requests,
    news: mpsc::Sender<String>,
    link: tokio::sync::Mutex<Option<Link>>,
    seen: Mutex<Seen>,
    /// The program leaves: nothing is started any more, and what is being started ends.
    leaving: CancellationToken,
}

impl Server {
    /// A server at rest.
    pub(super) fn new(
        config: Config,
        trusted: bool,
        log: PathBuf,
        bench: Arc<Workbench>,
        requests: Requests,
        news: mpsc::Sender<String>,
    ) -> Arc<Self> {
        let standing = match (trusted, config.disabled) {
            (false, _) => Standing::Untrusted,
            (true, true) => Standing::Disabled,
            (true, false) => Standing::Idle,
        };
        let seen = Mutex::new(Seen { standing, ..Seen::default() });
        Arc::new(Self {
            config,
            log,
            bench,
            requests,
            news,
            link: tokio::sync::Mutex::new(None),
            seen,
            leaving: CancellationToken::new(),
        })
    }

    /// How it stands.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.seen().standing.clone()
    }

    /// The tools that it offers now.
    #[must_use]
    pub fn offers(&self) -> Vec<Arc<Offer>> {
        self.seen().offers.clone()
    }

    /// Tools that are not offered, each with why.
    #[must_use]
    pub fn left_out(&self) -> Vec<String> {
        self.seen().left_out.clone()
    }

    /// Whether it is being started, or may be by itself.
    #[must_use]
    pub fn wanted(&self) -> bool {
        let mut seen = self.seen();
        match seen.standing {
            Standing::Idle | Standing::Starting => true,
            Standing::Failed(_) => seen.may_start(),
            Standing::Up { .. } | Standing::Disabled | Standing::Untrusted => false,
        }
    }

    /// Forgets how often it was started: the person wants it once more.
    pub fn forgive(&self) {
        let mut seen = self.seen();
        seen.starts.clear();
        seen.told = None;
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts it, unless it runs.
    ///
    /// # Errors
    /// It can't be started or doesn't answer, in one sentence.
    pub async fn start(self: &Arc<Self>) -> Result<(), String> {
        self.link().await.map(|_up| ())
    }

    /// The connection, made where there is none. Whoever comes second waits for the first.
    async fn link(self: &Arc<Self>) -> Result<Link, String> {
        let mut link = self.link.lock().await;
        if let Some(link) = link.as_ref().filter(|link| !link.over.is_cancelled() && !link.peer.is_transport_closed()) {
            return Ok(link.clone());
        }
        *link = None;
        if self.leaving.is_cancelled() {
            return Err("it was ended".to_owned());
        }
        {
            let mut seen = self.seen();
            match seen.standing {
                Standing::Disabled => return Err("it is switched off".to_owned()),
                Standing::Untrusted => {
                    return Err(
                        "the workspace brings it, and you don't trust its file yet: `countersign trust`".to_owned()
                    );
                }
                Standing::Idle | Standing::Starting | Standing::Up { .. } | Standing::Failed(_) => {}
            }
            if !seen.may_start() {
                let why =
                    format!("it was started {STARTS} times in {} minutes and ended each time", SPAN.as_secs() / 60);
                return Err(why);
            }
            seen.starts.push_back(Instant::now());
            seen.standing = Standing::Starting;
            seen.turn += 1;
        }
        match timeout(CONNECT, self.open()).await.unwrap_or_else(|_| Err(late(CONNECT))) {
            Ok(new) => {
                *link = Some(new.clone());
                Ok(new)
            }
            Err(_) if self.leaving.is_cancelled() => {
                self.seen().standing = Standing::Idle;
                Err("it was ended".to_owned())
            }
            Err(why) => {
                self.fail(&why);
                Err(why)
            }
        }
    }

    /// Connects, lists the tools, and leaves two tasks behind: one that waits for the end, one that looks again when
    /// the tools change.
    async fn open(self: &Arc<Self>) -> Result<Link, String> {
        let news = Arc::new(News::default());
        let root = self.config.may.roots.then(|| url::Url::from_directory_path(&self.bench.workspace).ok()).flatten();
        let client = Client {
            news: Arc::clone(&news),
            root: root.map(String::from),
            server: self.config.name.clone(),
            may: self.config.may,
            requests: self.requests.clone(),
        };
        let (stop, verdict) = (self.leaving.child_token(), Verdict::default());
        // Whoever doesn't wait to the end leaves no server behind.
        let unfinished = stop.clone().drop_guard();
        let turn = self.seen().turn;
        let filled = |text: &str| expand(text, &self.bench.workspace, &variable);
        let (connected, child) = match &self.config.reach {
            Reach::Program { .. } => {
                let program = Program::of(&self.config.reach, &self.bench)?;
                let started = child::start(&self.bench, &program, self.log.clone());
                let (child, input, output) =
                    started.map_err(|error| format!("{} can't be started: {error}", program.command))?;
                let output = Bounded::new(output, Arc::clone(&verdict));
                let transport = AsyncRwTransport::new(output, input).with_max_line_length(MESSAGE + 1);
                (serve_client_with_ct(client, transport, stop.clone()).await, Some(child))
            }
            Reach::Address { url, headers } => {
                let headers: Result<Vec<(String, String)>, String> =
                    headers.iter().map(|(name, value)| Ok((name.clone(), filled(value.expose_secret())?))).collect();
                let transport = address::transport(&filled(url)?, &headers?)?;
                (serve_client_with_ct(client, transport, stop.clone()).await, None)
            }
        };
        let running = match connected {
            Ok(running) => running,
            Err(error) => {
                let last = match child {
                    Some(child) => child.stop().await,
                    None => None,
                };
                return Err(because(verdict.get().cloned().unwrap_or_else(|| unopened(error)), last));
            }
        };
        let peer = running.peer().clone();
        let link = Link { peer: peer.clone(), news, stop, over: CancellationToken::new() };
        let (server, over, stop) = (Arc::downgrade(self), link.over.clone(), link.stop.clone());
        tokio::spawn(async move {
            let stuck = async {
                stop.cancelled().await;
                sleep(CLOSE).await;
            };
            let by_us = tokio::select! {
                how = running.waiting() => matches!(how, Ok(QuitReason::Cancelled)),
                () = stuck => true,
            };
            let last = match child {
                Some(child) => child.stop().await,
                None => None,
            };
            if let Some(server) = server.upgrade().filter(|_| !by_us) {
                let why = verdict.get().cloned().unwrap_or_else(|| "it ended".to_owned());
                server.ended(turn, &because(why, last));
            }
            // Whoever waits for the end reads why.
            over.cancel();
        });
        let limit = self.config.time_limit.map_or(CONNECT, Duration::from_secs);
        let listed = tokio::select! {
            listed = timeout(limit, list(&peer)) => listed.unwrap_or_else(|_| Err(late(limit))),
            () = link.stop.cancelled() => Err("it was ended".to_owned()),
        };
        match listed {
            Ok(listed) => self.list(&peer, listed),
            Err(why) => {
                link.stop.cancel();
                link.over.cancelled().await;
                return Err(match self.standing() {
                    // The end says more than the broken list.
                    Standing::Failed(end) => end,
                    _ => why,
                });
            }
        }
        tokio::spawn(watch(Arc::downgrade(self), link.clone()));
        unfinished.disarm();
        Ok(link)
    }

    /// Takes in what it offers now.
    fn list(&self, peer: &Peer<RoleClient>, (tools, mut left_out): (Vec<Described>, Vec<String>)) {
        let (offers, others) = offers(&self.config.name, &self.config.reach.shown(), &tools);
        left_out.extend(others);
        let name = peer.peer_info().map(|info| {
            let server = info.server_info.as_ref();
            server.map(|server| cut(&format!("{} {}", server.name, server.version))).unwrap_or_default()
        });
        let mut seen = self.seen();
        seen.standing = Standing::Up { name: name.unwrap_or_default(), tools: offers.len() };
        seen.offers = offers.into_iter().map(Arc::new).collect();
        seen.left_out = left_out;
        seen.told = None;
    }

    /// Takes notice of the end of a start, unless there was another one since.
    fn ended(&self, turn: u64, why: &str) {
        let running = {
            let seen = self.seen();
            seen.turn == turn && matches!(seen.standing, Standing::Up { .. } | Standing::Starting)
        };
        if running {
            self.fail(why);
        }
    }

    /// Says it once for the same reason.
    fn fail(&self, why: &str) {
        let mut seen = self.seen();
        seen.standing = Standing::Failed(why.to_owned());
        if seen.told.as_deref() != Some(why) {
            seen.told = Some(why.to_owned());
            let log = match self.config.reach {
                Reach::Program { .. } => format!(" Its own words are in {}.", self.log.display()),
                Reach::Address { .. } => String::new(),
            };
            let _full = self.news.try_send(format!("MCP server {} doesn't run: {why}.{log}", self.config.name));
        }
    }

    /// Calls a tool, unless what the server says of it is not what it was allowed as.
    pub(super) async fn call(
        self: &Arc<Self>,
        mcp: &McpOperation,
        declared: Option<&Declared>,
        limit: u64,
        progress: mpsc::Sender<Word>,
        cancel: &CancellationToken,
    ) -> Result<CallToolResult, NoResult> {
        let failed = |why: String| NoResult::Failed(format!("MCP server {}: {why}", self.config.name));
        let starting = Arc::clone(self);
        // In a task of its own: a start goes on though nobody waits for it any more.
        let linking = tokio::spawn(async move { starting.link().await });
        let link = tokio::select! {
            link = linking => link.unwrap_or_else(|_| Err("it couldn't be started".to_owned())).map_err(failed)?,
            () = cancel.cancelled() => return Err(NoResult::Cancelled),
        };
        if !self.offers().iter().any(|offer| offer.tool == mcp.tool && Some(&offer.declared) == declared) {
            let why = "what it says of the tool changed since it was approved, or it offers the tool no more; nothing \
                       was sent. Call it again, and it is asked about anew";
            return Err(failed(why.to_owned()));
        }
        let sent = Call::send(&link.peer, &link.news, &mcp.tool, &mcp.arguments, progress).await;
        let mut call = match sent {
            Ok(call) => call,
            Err(trouble) => return Err(failed(self.after(&link, trouble).await)),
        };
        tokio::select! {
            result = call.result() => match result {
                Ok(result) => Ok(result),
                Err(trouble) => Err(failed(self.after(&link, trouble).await)),
            },
            () = cancel.cancelled() => {
                let _late = timeout(LEAVE, call.cancel("stopped by the person")).await;
                Err(NoResult::Cancelled)
            }
            () = patience(limit, &link.news) => {
                let _late = timeout(LEAVE, call.cancel("time limit")).await;
                Err(NoResult::TimedOut(limit))
            }
        }
    }

    /// Why a call failed: the end of the server says more than the end of the connection.
    async fn after(&self, link: &Link, trouble: Trouble) -> String {
        let why = match trouble {
            Trouble::Said(why) => return why,
            Trouble::Gone(why) => why,
        };
        let program = matches!(self.config.reach, Reach::Program { .. });
        if program
            && timeout(LEAVE, link.over.cancelled()).await.is_ok()
            && let Standing::Failed(end) = self.standing()
        {
            return end;
        }
        why
    }

    /// Ends it for good, whatever it is doing.
    pub async fn close(&self) {
        self.leaving.cancel();
        let ended = async {
            // Whoever makes the connection holds it, and ends now.
            if let Some(link) = self.link.lock().await.take() {
                self.seen().standing = Standing::Idle;
                link.over.cancelled().await;
            }
        };
        let _late = timeout(LEAVE, ended).await;
    }
}

impl Seen {
    fn may_start(&mut self) -> bool {
        self.starts.retain(|start| start.elapsed() < SPAN);
        self.starts.len() < STARTS
    }
}

/// Looks at the tools again when the server says that they changed.
async fn watch(server: Weak<Server>, link: Link) {
    loop {
        tokio::select! {
            () = link.news.changed.notified() => {}
            () = link.over.cancelled() => return,
        }
        sleep(LOOK.0).await;
        let listed = timeout(CONNECT, list(&link.peer)).await;
        let Some(server) = server.upgrade() else { return };
        if let Ok(Ok(listed)) = listed
            && !link.over.is_cancelled()
        {
            server.list(&link.peer, listed);
        }
        drop(server);
        sleep(LOOK.1).await;
    }
}

/// Waits for a call's time limit; the time in which the server waits for the person isn't its own.
async fn patience(seconds: u64, news: &News) {
    let mut left = Duration::from_secs(seconds);
    while !left.is_zero() {
        let step = left.min(TICK);
        sleep(step).await;
        if !news.asks() {
            left -= step;
        }
    }
}

/// A reason with what the server said last.
fn because(why: String, last: Option<String>) -> String {
    match last {
        Some(last) => format!("{why}; it said last: {}", cut(&last)),
        None => why,
    }
}

/// Why a connection couldn't be opened, without repeating what may be long.
fn unopened(error: ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended before it answered".to_owned(),
        ClientInitializeError::TransportError { error, .. } => explain(&rmcp::ServiceError::TransportSend(error)),
        ClientInitializeError::JsonRpcError(error) => format!("it refuses: {}", cut(&error.message)),
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            "its first answer isn't one to our question".to_owned()
        }
        other => cut(&other.to_string()),
    }
}
