//! Other people's tools: MCP servers of the configuration, by way of the official SDK, which nothing outside of this
//! folder knows. A server is started when it is needed, and whatever it does harms its own calls alone.

mod address;
mod answer;
mod child;
mod client;
mod config;
mod form;
mod frames;
mod offer;
mod requests;
mod result;
mod server;
mod tool;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

pub use answer::{AnswerTool, Sampler};
pub use config::{Config, Reach, read_file, read_servers};
pub use offer::Offer;
pub use server::{Server, Standing};

use self::requests::Requests;
use self::tool::McpTool;
use super::{Tool, Workbench};
use crate::domain::ToolSpec;

/// Key of the servers in a file of ours.
pub const KEY: &str = "mcpServers";
/// Files by which a workspace brings servers along.
pub const BROUGHT: [&str; 2] = [".mcp.json", ".countersign/mcp.json"];
/// Most tools of all servers that are offered: providers refuse more, and a model loses its way before.
const TOOLS: usize = 120;

/// Where servers are written down, and where their logs go.
#[derive(Clone, Debug)]
pub struct Places {
    /// The person's own file.
    pub file: PathBuf,
    /// Folder of the logs.
    pub logs: PathBuf,
    /// Which files of a workspace the person trusts.
    pub trust: Trust,
}

/// What says of a file of the workspace and its text whether the person trusts it, and whether that was so with another
/// text.
type Knows = dyn Fn(&Path, &str) -> (bool, bool) + Send + Sync;

/// Which files of a workspace the person trusts.
#[derive(Clone)]
pub struct Trust(Arc<Knows>);

impl Trust {
    /// What `knows` says.
    pub fn new(knows: impl Fn(&Path, &str) -> (bool, bool) + Send + Sync + 'static) -> Self {
        Self(Arc::new(knows))
    }

    /// In no file.
    #[must_use]
    pub fn none() -> Self {
        Self::new(|_, _| (false, false))
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trust")
    }
}

/// All servers of a session. Reads no file and starts nothing before it is asked to.
#[derive(Debug)]
pub struct Servers {
    places: Places,
    bench: Arc<Workbench>,
    /// What they ask while calls run.
    requests: Requests,
    news: mpsc::Sender<String>,
    known: OnceLock<(Vec<Arc<Server>>, Vec<String>)>,
}

impl Servers {
    /// The servers that are written down in `places`. What the person should know goes to `news`.
    #[must_use]
    pub fn new(places: Places, bench: Arc<Workbench>, news: mpsc::Sender<String>) -> Arc<Self> {
        Arc::new(Self { places, bench, requests: Requests::default(), news, known: OnceLock::new() })
    }

    /// Where the person's own are written down.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.places.file
    }

    /// Each server, by name. Reads the files the first time.
    pub fn all(&self) -> &[Arc<Server>] {
        &self.known.get_or_init(|| self.read()).0
    }

    /// What is wrong with the person's own file.
    pub fn problems(&self) -> &[String] {
        &self.known.get_or_init(|| self.read()).1
    }

    /// Those that were read already.
    fn known(&self) -> &[Arc<Server>] {
        self.known.get().map(|(servers, _)| servers.as_slice()).unwrap_or_default()
    }

    fn read(&self) -> (Vec<Arc<Server>>, Vec<String>) {
        let (own, problems, _) = written(&self.places.file);
        let problems: Vec<String> =
            problems.iter().map(|problem| format!("{}: {problem}.", self.places.file.display())).collect();
        for problem in &problems {
            let _full = self.news.try_send(problem.clone());
        }
        let mut servers: Vec<(Config, bool)> = own.into_iter().map(|server| (server, true)).collect();
        for file in BROUGHT {
            let path = self.bench.workspace.join(file);
            let (brought, _theirs, text) = written(&path);
            let (trusted, changed) = if text.is_empty() { (false, false) } else { (self.places.trust.0)(&path, &text) };
            if changed {
                let said = format!("{} changed since you trusted it: its servers aren't started.", path.display());
                let _full = self.news.try_send(said);
            }
            for server in brought {
                if servers.iter().all(|(known, _)| known.name != server.name) {
                    servers.push((server, trusted));
                }
            }
        }
        let make = |(config, trusted): (Config, bool)| {
            let log = self.places.logs.join(format!("{}.log", file_name(&config.name)));
            Server::new(config, trusted, log, Arc::clone(&self.bench), self.requests.clone(), self.news.clone())
        };
        (servers.into_iter().map(make).collect(), problems)
    }

    /// The server of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Server>> {
        self.all().iter().find(|server| server.config.name == name)
    }

    /// Starts what isn't up and may be; ends when all of them are up or have failed.
    pub fn wake(self: &Arc<Self>) -> JoinHandle<()> {
        let servers = Arc::clone(self);
        tokio::spawn(async move {
            let reading = Arc::clone(&servers);
            if tokio::task::spawn_blocking(move || reading.all().len()).await.is_err() {
                return;
            }
            let wanted = servers.all().iter().filter(|server| server.wanted()).map(Arc::clone);
            // What goes wrong is among the news. Each in a task: nobody waits for the slowest but who wants all.
            let starts: Vec<_> = wanted.map(|server| tokio::spawn(async move { server.start().await })).collect();
            futures::future::join_all(starts).await;
        })
    }

    /// The tools that are offered now.
    pub(super) fn tools(&self) -> impl Iterator<Item = Arc<dyn Tool>> {
        let of = |server: &Arc<Server>| {
            let tool = |offer| -> Arc<dyn Tool> {
                Arc::new(McpTool { server: Arc::clone(server), offer, bench: Arc::clone(&self.bench) })
            };
            server.offers().into_iter().map(tool).collect::<Vec<_>>()
        };
        self.known().iter().flat_map(of).take(TOOLS)
    }

    /// How they are offered.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools().map(|tool| tool.spec()).collect()
    }

    /// Ends all of them.
    pub async fn close(&self) {
        futures::future::join_all(self.known().iter().map(|server| server.close())).await;
    }
}

/// The servers of a file, what is wrong with it, and its text; nothing where there is no such file.
fn written(file: &Path) -> (Vec<Config>, Vec<String>, String) {
    match read_file(file) {
        Ok(None) => (Vec::new(), Vec::new(), String::new()),
        Ok(Some(text)) => {
            let (servers, problems) = read_servers(&text, KEY).unwrap_or_else(|why| (Vec::new(), vec![why]));
            (servers, problems, text)
        }
        Err(why) => (Vec::new(), vec![why], String::new()),
    }
}

/// A name as that of a file.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}
