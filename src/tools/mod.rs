//! The tools: one external thing a file. A tool reads arguments into an operation, names its assessor, and
//! runs only what the gate countersigned. Imports `domain`, `assess` (its own assessor) and `contain`.

#[cfg(test)]
mod below_tests;
mod children;
mod command;
mod contained;
mod effects;
mod ending;
mod environment;
mod facts;
mod file;
mod find;
mod git;
mod gitconfig;
mod globs;
mod http;
mod ignored;
mod kept_from;
mod look;
#[cfg(test)]
mod loops_tests;
pub mod mcp;
mod modules;
mod names;
mod nolink;
mod objects;
mod offered;
mod output;
mod own_files;
mod parts;
mod pass;
mod proxy;
mod refs;
mod refspecs;
mod refusal;
mod repository;
mod reread;
pub mod save;
mod search;
#[cfg(test)]
mod searched_tests;
mod sink;
mod spare;
mod spared;
mod sql;
mod staged;
mod submodules;
mod tags;
mod targets;
mod terminal;
mod tracked;
#[cfg(test)]
mod tracked_tests;
mod undo;
mod unguarded;
mod veil;
mod versions;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[cfg(target_os = "linux")]
pub(crate) use children::members;
pub use command::CommandTool;
pub use contained::{look_around, stages};
pub use environment::search_path;
pub use facts::{gather, judged, prepare, with_catalog, with_declared};
pub use file::FileTool;
pub use find::FindTool;
pub use http::HttpTool;
pub use look::Seen;
pub use offered::offered;
pub use own_files::OwnFiles;
pub use pass::{Passed, pass};
pub use proxy::listed as listed_hosts;
pub use reread::RereadTool;
pub use search::SearchTool;
pub use spare::Spare;
pub use sql::{Address, Connections, Database, Results, Roles, SqlError, SqlTool};
pub use staged::ApplyTool;
pub use undo::UndoTool;
pub use unguarded::Unguarded;

use crate::assess::{AssessSettings, RiskAssessor};
use crate::contain::Walls;
use crate::domain::{
    Arguments, ArgumentsError, CLAIM, Catalog, Countersigned, Declared, Kept, Measurement, OperationId, OperationKind,
    Outcome, Prepared, RunEvent, RunReport, ToolSpec, Typed,
};
use crate::store::{Images, Layers, Outputs};

/// Bytes of a result that a model reads, where nothing else is configured.
const RESULT_LIMIT: usize = 10 * 1024;
/// Seconds that a command, a query or a request may take, where nothing else is configured.
const TIME_LIMIT: u64 = 120;

/// One tool that a model, or a person, can call.
pub trait Tool: Send + Sync {
    /// How it is offered to a model, without `risk_level`: the registry adds that.
    fn spec(&self) -> ToolSpec;

    /// Judges its operations.
    fn assessor(&self) -> &dyn RiskAssessor {
        &crate::assess::Unknown
    }

    /// Reads arguments strictly. Reads nothing else, changes nothing.
    ///
    /// # Errors
    /// A missing, wrongly typed or unknown argument, in a sentence for the model.
    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError>;

    /// Arguments that a key of the person's adds to a call. They aren't among the parameters, and no model may use them.
    fn reserved(&self) -> &'static [&'static str] {
        &[]
    }

    /// What another program's server says of the tool, now; none for a tool of ours.
    fn declared(&self) -> Option<&Declared> {
        None
    }

    /// Whether the model's claim is offered, and taken off the arguments: not where the tool has an argument of its
    /// name.
    fn takes_claim(&self) -> bool {
        true
    }

    /// Asks the other side what an operation would lead to, where its text alone doesn't say: what a database's
    /// catalog says of a statement's names. Asked of what would run unasked, when it is proposed and again right
    /// before the start. Bounded in time; changes nothing.
    ///
    /// # Errors
    /// The other side can't be reached, in full sentences that say what to do: nobody needs to be asked.
    fn look<'a>(&'a self, _kind: &'a OperationKind) -> BoxFuture<'a, Result<Option<Catalog>, String>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Finds out whether the other side can be reached, for what isn't looked up. Bounded in time; changes nothing.
    ///
    /// # Errors
    /// It can't be, in full sentences that say what to do.
    fn reach<'a>(&'a self, _kind: &'a OperationKind) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Measures what a waiting operation would do. Only reads, and never carries out any part of what waits, not
    /// even to undo it again. Bounds itself; ends soon when `cancel` fires, with what it has by then.
    ///
    /// # Errors
    /// It can't be told beforehand, in a full sentence for the person.
    fn preview<'a>(&'a self, _prepared: &'a Prepared, _cancel: CancellationToken) -> BoxFuture<'a, Measurement> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Prepares a run while its decision is being written: reads what it has to, and runs nothing and says nothing. What
    /// it gives back runs it, as [`Self::run`] does.
    fn ready(
        &self,
        countersigned: Countersigned,
        port: RunPort,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Ready<'_>> {
        let run = Box::pin(async move { self.run(countersigned, port, cancel).await });
        Box::pin(std::future::ready(Ready { run, inert: false }))
    }

    /// Runs it to its end. Ends early, cleaning up, when `cancel` fires. Never panics on outside input.
    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport>;
}

/// A run that may start once its decision is in the journal.
pub struct Ready<'a> {
    /// Runs it to its end.
    pub run: BoxFuture<'a, RunReport>,
    /// Nothing can come of it but its report: walls hold it to reading, and it reaches nobody. So it need not wait until
    /// its decision is safe from a loss of power, only its report has to.
    pub inert: bool,
}

/// Sends what one operation says. It can speak under that operation's id alone.
#[derive(Clone, Debug)]
pub struct RunPort {
    id: OperationId,
    lane: mpsc::Sender<(OperationId, RunEvent)>,
    /// Where long output is kept, too.
    outputs: Option<Arc<Outputs>>,
    /// Whether a model may read on in it.
    readable: bool,
    /// What was said last of what it printed.
    said: Arc<Mutex<Kept>>,
    /// What the person types into it, for the one that asks first.
    typed: Arc<Mutex<Option<mpsc::Receiver<Typed>>>>,
    /// The session's model, where there is one to ask.
    sampler: Option<mcp::Sampler>,
}

impl RunPort {
    /// A port of operation `id` onto the run lane.
    #[must_use]
    pub fn new(id: OperationId, lane: mpsc::Sender<(OperationId, RunEvent)>) -> Self {
        Self { id, lane, outputs: None, readable: false, said: Arc::default(), typed: Arc::default(), sampler: None }
    }

    /// Keeps long output on disk; a model may read on in it if the operation was the model's.
    #[must_use]
    pub fn keeping(self, outputs: Arc<Outputs>, readable: bool) -> Self {
        if readable {
            outputs.allow(self.id);
        }
        Self { outputs: Some(outputs), readable, ..self }
    }

    /// Hears what the person types into its terminal.
    #[must_use]
    pub fn hearing(self, typed: mpsc::Receiver<Typed>) -> Self {
        Self { typed: Arc::new(Mutex::new(Some(typed))), ..self }
    }

    /// May ask the session's model.
    #[must_use]
    pub fn asking(self, sampler: mcp::Sampler) -> Self {
        Self { sampler: Some(sampler), ..self }
    }

    /// The session's model.
    fn sampler(&self) -> Option<mcp::Sampler> {
        self.sampler.clone()
    }

    /// What the person types, for the one that asks first.
    fn typed(&self) -> Option<mpsc::Receiver<Typed>> {
        self.typed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Where what was printed is kept, once all of it was said.
    #[must_use]
    pub fn kept(&self) -> Kept {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes where what is said is kept, and keeps rows.
    async fn keep(&self, event: &RunEvent) {
        let kept = match event {
            RunEvent::Tail(tail) if tail.bytes == 0 => Kept::Nothing,
            RunEvent::Tail(tail) if tail.bytes <= output::SHORT as u64 => Kept::Here(tail.pieces.to_vec()),
            RunEvent::Tail(tail) => Kept::Apart { lines: tail.lines, bytes: tail.bytes },
            RunEvent::Table(table) => {
                let (outputs, id, table) = (self.outputs.clone(), self.id, Arc::clone(table));
                let lines = table.total;
                let kept = tokio::task::spawn_blocking(move || outputs?.keep_table(id, &table).ok());
                if !matches!(kept.await, Ok(Some(()))) {
                    return;
                }
                Kept::Apart { lines, bytes: 0 }
            }
            // A terminal's screen is gone with its next frame; its text is told in the end.
            RunEvent::Started
            | RunEvent::Glass(_)
            | RunEvent::Undoable(_)
            | RunEvent::Waits(_)
            | RunEvent::Asks(_)
            | RunEvent::Parts(_)
            | RunEvent::Used(_)
            | RunEvent::Note(_)
            | RunEvent::Warning(_)
            | RunEvent::Stopped
            | RunEvent::Finished(_) => return,
        };
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        // Rows are what is looked at, whatever else is printed.
        if !matches!(*said, Kept::Apart { bytes: 0, .. }) {
            *said = kept;
        }
    }

    /// Waits for room on the lane, then says it. Says nothing once the program is leaving.
    pub async fn send(&self, event: RunEvent) {
        self.keep(&event).await;
        let _leaving = self.lane.send((self.id, event)).await;
    }
}

/// What tools share: where they work and how they start children.
#[derive(Clone, Debug)]
pub struct Workbench {
    /// Root of the workspace: commands start here, relative paths start here.
    pub workspace: PathBuf,
    /// The person's home folder, where known.
    pub home: Option<PathBuf>,
    /// Our own binary, which starts children in a session of their own.
    pub launcher: PathBuf,
    /// Default time limit of a command, a query or a request, in seconds.
    pub time_limit: u64,
    /// About how many bytes of a result a model reads; the rest is left out in the middle.
    pub result_limit: usize,
    /// What the configuration adds to judging: searches leave sensitive files out, redirects are judged again.
    pub settings: AssessSettings,
    /// The hosts that staged commands may reach, each with its port.
    pub staged_hosts: BTreeSet<String>,
    /// What operations replaced, for undo.
    pub images: Arc<Images>,
    /// Where what staged runs change lands.
    pub layers: Arc<Layers>,
    /// What operations printed.
    pub outputs: Arc<Outputs>,
    /// What commands are contained with.
    pub walls: Arc<Walls>,
    /// The program's own files that decide.
    pub own_files: OwnFiles,
    /// A child in reserve, behind such walls already.
    pub spare: Arc<Spare>,
}

impl Workbench {
    /// A workbench with the default limits, which keeps nothing for undo.
    #[must_use]
    pub fn new(workspace: PathBuf, home: Option<PathBuf>, launcher: PathBuf) -> Self {
        Self {
            workspace,
            home,
            launcher,
            time_limit: TIME_LIMIT,
            result_limit: RESULT_LIMIT,
            settings: AssessSettings::default(),
            staged_hosts: BTreeSet::new(),
            images: Arc::new(Images::off()),
            layers: Arc::new(Layers::off()),
            outputs: Arc::new(Outputs::off()),
            walls: Arc::default(),
            own_files: OwnFiles::default(),
            spare: Arc::default(),
        }
    }

    /// The default time limit.
    fn patience(&self) -> Duration {
        Duration::from_secs(self.time_limit)
    }
}

/// The tools of a workbench: SQL among them where there is a connection.
#[must_use]
pub fn standard(bench: &Arc<Workbench>, connections: &Arc<Connections>) -> Registry {
    let mut registry = Registry::default();
    if !connections.is_empty() {
        registry.add(SqlTool::new(Arc::clone(bench), Arc::clone(connections)));
    }
    registry.add(CommandTool::new(Arc::clone(bench)));
    registry.add(FileTool::new(Arc::clone(bench)));
    registry.add(HttpTool::new(Arc::clone(bench)));
    registry.add(RereadTool::new(Arc::clone(bench)));
    registry.add(SearchTool::new(Arc::clone(bench)));
    registry.add(FindTool::new(Arc::clone(bench)));
    registry
}

/// The report of a run that failed, for the person and the model alike. A model's result that begins with
/// `error` is one that failed, as the prompt says.
fn failed(reason: String, started: Instant) -> RunReport {
    RunReport { result: format!("error: {reason}"), outcome: Outcome::Failed { reason }, took: started.elapsed() }
}

/// The report of a run that was stopped before it had done anything that lasts.
fn cancelled(started: Instant) -> RunReport {
    RunReport { outcome: Outcome::Cancelled, result: "cancelled while it ran".to_owned(), took: started.elapsed() }
}

/// The report of a tool that was handed another tool's operation.
fn foreign(started: Instant) -> RunReport {
    failed("this tool can't run an operation of another tool".to_owned(), started)
}

/// The tools on offer, by name.
#[derive(Clone, Default)]
pub struct Registry {
    tools: BTreeMap<String, Arc<dyn Tool>>,
    /// Those of MCP servers, which come and go.
    servers: Option<Arc<mcp::Servers>>,
}

impl Registry {
    /// Adds a tool under the name of its spec.
    pub fn add(&mut self, tool: impl Tool + 'static) {
        self.tools.insert(tool.spec().name, Arc::new(tool));
    }

    /// Adds the tools of MCP servers, whichever they offer at a time.
    pub fn join(&mut self, servers: Arc<mcp::Servers>) {
        self.servers = Some(servers);
    }

    /// The MCP servers.
    #[must_use]
    pub fn servers(&self) -> Option<&Arc<mcp::Servers>> {
        self.servers.as_ref()
    }

    /// The tool of that name. One of a server never takes the place of ours.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let foreign = || self.servers.as_ref()?.tools().find(|tool| tool.spec().name == name);
        self.tools.get(name).map(Arc::clone).or_else(foreign)
    }

    /// The names of the tools, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.specs().into_iter().map(|spec| spec.name).collect()
    }

    /// The tools as a model is offered them: each with an optional `risk_level`.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        let foreign = self.servers.iter().flat_map(|servers| servers.tools());
        let tools = self.tools.values().map(Arc::clone).chain(foreign);
        tools.map(|tool| if tool.takes_claim() { with_claim(tool.spec()) } else { tool.spec() }).collect()
    }
}

/// Adds the claim to a tool's parameters.
fn with_claim(mut spec: ToolSpec) -> ToolSpec {
    if let Some(properties) = spec.parameters.get_mut("properties").and_then(Value::as_object_mut) {
        properties.entry(CLAIM).or_insert_with(|| {
            json!({
                "type": "string",
                "enum": ["low", "medium", "high"],
                "description": "Your judgement of this call. low: it only reads or looks, and may run at once. \
                    medium: you are not sure; the person is asked. high: it deletes, overwrites, sends or can't \
                    be undone; the person is asked. Leave it out and the program judges conservatively."
            })
        });
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry() -> Registry {
        let mut connections = Connections::default();
        connections.add("shop", Connections::parse_url("sqlite::memory:").unwrap());
        let bench = Arc::new(Workbench::new("/".into(), None, "/".into()));
        assert!(standard(&bench, &Arc::default()).get("execute_sql").is_none(), "no connection, no tool");
        standard(&bench, &Arc::new(connections))
    }

    #[test]
    fn every_tool_takes_exactly_what_its_schema_names() {
        let calls = [
            ("execute_command", r#"{"command":"ls","timeout":1}"#),
            ("execute_sql", r#"{"sql":"SELECT 1","connection":"shop"}"#),
            ("file_operations", r#"{"operation":"read","path":"a","offset":1,"limit":1}"#),
            ("find_files", r#"{"glob":"*","path":"."}"#),
            ("http_request", r#"{"url":"https://example.org","method":"GET","headers":{},"body":null}"#),
            ("read_output", r#"{"operation":1,"from":0,"bytes":1}"#),
            ("search_files", r#"{"pattern":"x","path":".","glob":"*","ignore_case":true}"#),
        ];
        let registry = registry();
        assert_eq!(
            registry.specs().iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>(),
            calls.map(|call| call.0)
        );
        for (name, call) in calls {
            let tool = registry.get(name).unwrap();
            let schema = tool.spec().parameters;
            let arguments = Arguments::parse(call).unwrap();
            assert_eq!(schema["additionalProperties"], false, "{name}");
            assert!(arguments.values.keys().all(|key| schema["properties"].get(key).is_some()), "{name}");
            assert!(tool.prepare(&arguments).is_ok(), "{name}");
            let mut foreign = arguments.clone();
            foreign.values.insert("foreign".to_owned(), json!(1));
            assert!(tool.prepare(&foreign).is_err(), "{name}");
        }
    }

    #[test]
    fn every_offer_has_a_claim() {
        for spec in registry().specs() {
            let claim = &spec.parameters["properties"]["risk_level"];
            assert_eq!(claim["enum"], json!(["low", "medium", "high"]), "{}", spec.name);
            assert!(!spec.parameters["required"].as_array().unwrap().contains(&json!("risk_level")));
        }
    }
}
