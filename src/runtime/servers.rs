//! The session's MCP servers: started when the person begins to type, waited for a moment before a model is asked, told
//! of when something is wrong or the person asks.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::bus::Work;
use super::engine::{Engine, Side};
use crate::cli::{Start, places};
use crate::domain::{ModelRequest, number::count};
use crate::private::Touched;
use crate::tools::Registry;
use crate::tools::mcp::{Reach, Servers, Standing};

/// How long a request waits for servers that are being started. Who comes later is offered with the next request.
const PATIENCE: Duration = Duration::from_millis(2_500);
/// News that wait to be told.
const NEWS: usize = 16;

/// Adds the servers of the configuration to a side's tools. Starts none yet.
pub fn join(side: &mut Side, start: &Start, lane: mpsc::Sender<Work>) {
    let (news, mut told) = mpsc::channel(NEWS);
    let places = places(start);
    if let Some(why) = Touched::at(&start.folders.data).why_not(&places.file) {
        let notice = format!("No MCP server starts. {}: {why}.", places.file.display());
        tokio::spawn(async move { lane.send(Work::Notice(notice)).await });
        return;
    }
    side.registry.join(Servers::new(places, Arc::clone(&side.bench), news));
    tokio::spawn(async move {
        while let Some(said) = told.recv().await {
            let _leaving = lane.send(Work::Notice(said)).await;
        }
    });
}

impl Engine {
    /// Starts the servers whose tools the model is offered.
    pub fn wake(&self) {
        if let Some(servers) = self.model_side.registry.servers() {
            servers.wake();
        }
    }

    /// Says how the servers stand, after starting the one that is named.
    pub(super) fn servers(&self, again: Option<String>) {
        let (registry, lane) = (self.person_side.registry.clone(), self.lanes.work.clone());
        let asked = self.model_side.registry.servers().is_some();
        tokio::spawn(async move {
            let Some(servers) = registry.servers() else { return };
            let reading = Arc::clone(servers);
            let _read = tokio::task::spawn_blocking(move || reading.all().len()).await;
            if let Some(name) = again {
                let started = match servers.get(&name) {
                    Some(server) => {
                        server.forgive();
                        server.start().await
                    }
                    None => Err(format!("there is no MCP server {name}")),
                };
                if let Err(why) = started {
                    let _leaving = lane.send(Work::Notice(format!("It was not started: {why}."))).await;
                }
            }
            let _leaving = lane.send(Work::Notice(told(servers, asked))).await;
        });
    }
}

/// The tools of a request: those of servers are the ones that are up by now.
pub(super) async fn complete(registry: &Registry, request: &mut ModelRequest) {
    if let Some(servers) = registry.servers() {
        let _late = timeout(PATIENCE, servers.wake()).await;
        request.tools = registry.specs().into();
    }
}

/// How each server stands, a line each.
fn told(servers: &Servers, asked: bool) -> String {
    let mut lines = Vec::new();
    for server in servers.all() {
        let how = match server.standing() {
            Standing::Idle => "starts when the model is asked".to_owned(),
            Standing::Starting => "is being started".to_owned(),
            Standing::Up { name, tools } => format!("is up: {name}, {}", count(tools, "tool")),
            Standing::Failed(why) => match server.config.reach {
                Reach::Program { .. } => format!("doesn't run: {why}. Its log: {}", server.log.display()),
                // Nothing of one by address is logged.
                Reach::Address { .. } => format!("doesn't run: {why}"),
            },
            Standing::Disabled => "is switched off".to_owned(),
            Standing::Untrusted => {
                "is brought by the workspace and not started until you trust its file: `countersign trust`".to_owned()
            }
        };
        lines.push(format!("{} {how}.", server.config.name));
    }
    if lines.is_empty() {
        lines.push(format!("No MCP server is written down yet. They go into {}.", servers.file().display()));
    } else if !asked {
        lines.push("The practice model is offered none of them.".to_owned());
    }
    lines.join("\n")
}
