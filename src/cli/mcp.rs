//! `countersign mcp …`: the MCP servers of the configuration, their tools, and whether they work.

mod import;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio::sync::mpsc;

use super::arguments::McpCommand;
use super::{Start, runtime};
use crate::assess::visible;
use crate::config::ConfigError;
use crate::memory::Trusted;
use crate::tools::mcp::{Offer, Places, Server, Servers, Standing, Trust};

/// Longest part of a description that a list shows, in characters.
const SHOWN: usize = 160;

/// Where the servers are written down and log.
pub fn places(start: &Start) -> Places {
    let trusted = Trusted::at(&start.folders.data);
    let trust = Trust::new(move |path, text| trusted.knows(path, text));
    Places { file: start.folders.servers(), logs: start.folders.server_logs(), trust }
}

/// Does what is asked for.
///
/// # Errors
/// The system gives no runtime, or doesn't say which program this is.
pub(super) fn run(command: &McpCommand, start: &Start) -> Result<ExitCode, ConfigError> {
    let runtime = runtime()?;
    let bench = Arc::new(start.bench()?);
    // What fails is printed where it was asked for.
    let (news, _told) = mpsc::channel(1);
    let servers = Servers::new(places(start), bench, news);
    let mut out = std::io::stdout().lock();
    let worked = runtime.block_on(async {
        let worked = match command {
            McpCommand::List => list(&servers, &mut out),
            McpCommand::Tools { server } => tools(&servers, server.as_deref(), &mut out).await,
            McpCommand::Import { files, yes } => import::import(start, files, yes, &mut out),
            McpCommand::Remove { server } => import::remove(start, server, &mut out),
            McpCommand::Test { server } => test(&servers, server, &mut out).await,
        };
        servers.close().await;
        worked
    });
    for problem in servers.problems() {
        crate::say!("countersign: {}", plain(problem));
    }
    Ok(match worked {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // A reader that left early has seen what it wanted.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            crate::say!("countersign: {}: {error}", servers.file().display());
            ExitCode::FAILURE
        }
    })
}

/// What `doctor` says of the servers, a line each.
///
/// # Errors
/// The system doesn't say which program this is.
pub(super) fn lines(start: &Start) -> Result<Vec<String>, ConfigError> {
    let (news, _told) = mpsc::channel(1);
    let servers = Servers::new(places(start), Arc::new(start.bench()?), news);
    let mut text = Vec::new();
    // Nothing that is kept in memory can't be written.
    let _written = list(&servers, &mut text);
    let listed = String::from_utf8_lossy(&text).into_owned();
    let problems = servers.problems().iter().map(|problem| format!("✗ {}", plain(problem)));
    Ok(listed.lines().map(str::to_owned).chain(problems).collect())
}

/// Every server and how it is reached. Starts none.
fn list(servers: &Servers, out: &mut dyn Write) -> std::io::Result<bool> {
    for server in servers.all() {
        let note = match server.standing() {
            Standing::Disabled => "; switched off",
            Standing::Untrusted => {
                "; the workspace brings it, and it is not started until you trust its file: `countersign trust`"
            }
            Standing::Idle | Standing::Starting | Standing::Up { .. } | Standing::Failed(_) => "",
        };
        writeln!(out, "{}: {}{note}", plain(&server.config.name), plain(&server.config.reach.shown()))?;
    }
    if servers.all().is_empty() {
        writeln!(out, "No MCP server is written down yet. They go into {}.", servers.file().display())?;
    }
    Ok(true)
}

/// The tools of one server, or of all that may be started.
async fn tools(servers: &Arc<Servers>, only: Option<&str>, out: &mut dyn Write) -> std::io::Result<bool> {
    let chosen: Vec<Arc<Server>> = match only {
        Some(name) => match named(servers, name, out)? {
            Some(server) => vec![server],
            None => return Ok(false),
        },
        None => servers.all().iter().filter(|server| server.wanted()).map(Arc::clone).collect(),
    };
    let mut worked = true;
    for server in chosen {
        if let Err(why) = server.start().await {
            worked = false;
            writeln!(out, "{}: {}", plain(&server.config.name), plain(&why))?;
            continue;
        }
        for offer in server.offers() {
            writeln!(out, "{}", described(&server.config.name, &offer))?;
        }
        left_out(&server, out)?;
    }
    Ok(worked)
}

/// One tool in a few lines.
fn described(server: &str, offer: &Offer) -> String {
    let hints = match (offer.declared.destructive, offer.declared.read_only) {
        (true, _) => ", says that it may destroy",
        (false, true) => ", says that it only reads",
        (false, false) => "",
    };
    let takes: Vec<&str> = match offer.spec.parameters.get("properties") {
        Some(Value::Object(properties)) => properties.keys().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    let takes = if takes.is_empty() { "nothing".to_owned() } else { takes.join(", ") };
    let said = plain(&offer.declared.description);
    let mut shown: String = said.chars().take(SHOWN).collect();
    if shown.len() < said.len() {
        shown.push('…');
    }
    let (name, schema) = (&offer.spec.name, &offer.declared.schema);
    let matched = format!("server {}, tool {}, schema {schema}", plain(server), plain(&offer.tool));
    format!("{name}{hints}\n  {shown}\n  takes {}\n  {matched}", plain(&takes))
}

/// Starts a server and says what came of it.
async fn test(servers: &Arc<Servers>, name: &str, out: &mut dyn Write) -> std::io::Result<bool> {
    let Some(server) = named(servers, name, out)? else { return Ok(false) };
    let began = Instant::now();
    let started = server.start().await;
    let took = began.elapsed().as_millis();
    match (started, server.standing()) {
        (Ok(()), Standing::Up { name, tools }) => {
            writeln!(out, "✓ {} answered within {took} ms", plain(&name))?;
            writeln!(out, "✓ {tools} tools; `countersign mcp tools {}` lists them", plain(&server.config.name))?;
            left_out(&server, out)?;
            Ok(true)
        }
        (Err(why), _) => {
            writeln!(out, "✗ after {took} ms: {}", plain(&why))?;
            Ok(false)
        }
        (Ok(()), _) => {
            writeln!(out, "✗ it ended as soon as it had answered")?;
            Ok(false)
        }
    }
}

fn left_out(server: &Server, out: &mut dyn Write) -> std::io::Result<()> {
    server.left_out().iter().try_for_each(|why| writeln!(out, "- not offered: {}", plain(why)))
}

/// The server of that name; says which there are if it is none of them.
fn named(servers: &Servers, name: &str, out: &mut dyn Write) -> std::io::Result<Option<Arc<Server>>> {
    let found = servers.get(name).map(Arc::clone);
    if found.is_none() {
        let known: Vec<String> = servers.all().iter().map(|server| plain(&server.config.name)).collect();
        let there =
            if known.is_empty() { "there is none".to_owned() } else { format!("there is {}", known.join(", ")) };
        writeln!(out, "There is no MCP server {}; {there}.", plain(name))?;
    }
    Ok(found)
}

/// A text of somebody else's in one line, without what a terminal would obey or nobody sees.
fn plain(text: &str) -> String {
    let seen = visible(text);
    let words: Vec<&str> =
        seen.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
