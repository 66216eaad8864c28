//! Performs the state's effects: reads and judges calls, asks the model, runs what the gate countersigned. Each
//! task it starts owns one external thing and speaks through its lane alone.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::bus::{Lanes, Work};
use super::measure::Measuring;
use super::recorder::Recorder;
use super::remember::Memory;
use super::servers;
use super::swap::Switchboard;
use crate::app::{Content, Proposal};
use crate::contain;
use crate::domain::{
    APPLY, Arguments, Claim, Class, Countersigned, FailureKind, JournalEntry, JournalEvent, Look, ModelEvent,
    ModelFailure, ModelRequest, Operation, OperationId, OperationKind, Origin, Outcome, Place, Prepared, RunEvent,
    RunReport, Seal, StepId, ToolCall, Typed, number::size,
};
use crate::providers::{PracticeWorld, Provider};
use crate::store::{History, copy};
use crate::tools::{Connections, Registry, RunPort, Workbench, prepare, save, stages, with_catalog, with_declared};

/// Keys that a terminal may still have to take.
const TYPED: usize = 256;

/// The tools of one side and where they work.
#[derive(Clone)]
pub struct Side {
    /// The tools.
    pub registry: Registry,
    /// What they share.
    pub bench: Arc<Workbench>,
    /// The databases.
    pub connections: Arc<Connections>,
    /// The `PATH` that children get.
    pub path: Option<std::ffi::OsString>,
}

impl Side {
    fn place(&self) -> Place {
        let workspace: PathBuf = self.bench.workspace.clone();
        Place { cwd: workspace.clone(), workspace, home: self.bench.home.clone() }
    }
}

/// Everything that acts.
pub struct Engine {
    /// The model's tools. The practice model has its own place, which the person's operations never touch.
    pub model_side: Side,
    /// The person's tools.
    pub person_side: Side,
    /// The model.
    pub provider: Arc<dyn Provider>,
    /// The way into the journal.
    pub recorder: Recorder,
    /// The senders of the bus.
    pub lanes: Lanes,
    /// Where what the person decided for later is kept.
    pub memory: Memory,
    /// What the session can be switched by.
    pub switchboard: Switchboard,
    /// The practice model's world, where the session was switched to it; its server ends with it.
    pub world: Option<PracticeWorld>,
    running: HashMap<OperationId, CancellationToken>,
    /// Where what the person types into a terminal goes.
    terminals: HashMap<OperationId, mpsc::Sender<Typed>>,
    measuring: Measuring,
    /// Where what is sent is kept for later sessions, if it is.
    pub history: Option<History>,
    step: Option<JoinHandle<()>>,
}

impl Engine {
    /// An engine at rest.
    #[must_use]
    pub fn new(
        model_side: Side,
        person_side: Side,
        provider: Arc<dyn Provider>,
        recorder: Recorder,
        lanes: Lanes,
        memory: Memory,
        switchboard: Switchboard,
    ) -> Self {
        let (running, terminals, measuring) = (HashMap::new(), HashMap::new(), Measuring::default());
        let (history, step) = (None, None);
        Self {
            model_side,
            person_side,
            provider,
            recorder,
            lanes,
            memory,
            switchboard,
            world: None,
            running,
            terminals,
            measuring,
            history,
            step,
        }
    }

    fn side(&self, origin: &Origin, tool: &str) -> &Side {
        match origin {
            Origin::Model { .. } => &self.model_side,
            Origin::Person => &self.person_side,
            // No model is offered it, so it is among the person's tools; it knows where the run worked.
            Origin::Program { .. } if tool == APPLY => &self.person_side,
            Origin::Program { of, .. } | Origin::Again { of, .. } | Origin::Beside { of } | Origin::Edited { of } => {
                self.side(of, tool)
            }
        }
    }

    /// Reads a call, looks at what it names, judges it and journals the proposal.
    pub fn prepare(&self, id: OperationId, origin: Origin, call: ToolCall) {
        let (side, recorder, lane) =
            (self.side(&origin, &call.name).clone(), self.recorder.clone(), self.lanes.work.clone());
        let preparing = tokio::spawn(async move {
            match read(&side, id, origin, &call) {
                Ok(operation) => propose(side, operation, &recorder).await,
                Err(reason) => Proposal::Refused(reason),
            }
        });
        tokio::spawn(async move {
            let failed = |_| Proposal::Refused("it couldn't be read; the log has more".to_owned());
            let proposal = preparing.await.unwrap_or_else(failed);
            let _leaving = lane.send(Work::Proposed(id, proposal)).await;
        });
    }

    /// Reads and judges a call that the person is still editing. Nothing is journalled: nothing is proposed yet.
    pub fn assess(&self, draft: u64, id: OperationId, origin: Origin, call: ToolCall) {
        let (side, lane) = (self.side(&origin, &call.name).clone(), self.lanes.work.clone());
        let judging = tokio::spawn(async move { look(side.clone(), read(&side, id, origin, &call)?).await });
        tokio::spawn(async move {
            let judged = judging.await.unwrap_or_else(|_| Err("it couldn't be read; the log has more".to_owned()));
            let proposal = judged.map_or_else(Proposal::Refused, |prepared| Proposal::Ready(Box::new(prepared)));
            let _leaving = lane.send(Work::Assessed(draft, proposal)).await;
        });
    }

    /// Looks at an operation again, right before its start.
    pub fn refresh(&self, operation: Operation) {
        let (side, lane) = (self.side(&operation.origin, &operation.tool).clone(), self.lanes.work.clone());
        let (id, model_side) = (operation.id, self.model_side.clone());
        tokio::spawn(async move {
            if matches!(operation.kind, OperationKind::Command(_)) {
                prove(&model_side, &lane).await;
            }
            let proposal = match look(side, operation).await {
                Ok(prepared) => Proposal::Ready(Box::new(prepared)),
                Err(reason) => Proposal::Refused(reason),
            };
            let _leaving = lane.send(Work::Refreshed(id, proposal)).await;
        });
    }

    /// Measures what a waiting operation would do.
    pub fn measure(&mut self, prepared: Box<Prepared>, seal: Seal) {
        let side = self.side(&prepared.operation.origin, &prepared.operation.tool).clone();
        self.measuring.start(side, *prepared, seal, self.lanes.work.clone());
    }

    /// Stops measuring what was decided.
    pub fn stop_measuring(&mut self, id: OperationId) {
        self.measuring.stop(id);
    }

    /// Journals the decision, with how long it waited for the person in milliseconds, and the start; runs; journals the
    /// end. No journal, no run.
    pub fn execute(&mut self, countersigned: Countersigned, waited: Option<u64>) {
        let id = countersigned.operation().id;
        let cancel = CancellationToken::new();
        self.running.retain(|_, token| !token.is_cancelled());
        self.running.insert(id, cancel.clone());
        let side = self.side(&countersigned.operation().origin, &countersigned.operation().tool).clone();
        let (keys, typed) = mpsc::channel(TYPED);
        self.terminals.retain(|_, keys| !keys.is_closed());
        self.terminals.insert(id, keys);
        let (recorder, lanes) = (self.recorder.clone(), self.lanes.clone());
        let outputs = Arc::clone(&side.bench.outputs);
        tokio::spawn(async move {
            let readable = countersigned.operation().origin.by_model();
            let port = RunPort::new(id, lanes.run.clone()).keeping(outputs, readable).hearing(typed);
            let report = match record_start(&recorder, &countersigned, waited).await {
                Ok(()) => {
                    port.send(RunEvent::Started).await;
                    let report = run(&side, countersigned, port.clone(), cancel).await;
                    record_end(&recorder, &port, id, &report).await;
                    report
                }
                Err(reason) => lost(format!("It was not run, as there is no journal: {reason}.")),
            };
            port.send(RunEvent::Finished(report)).await;
        });
    }

    /// Stops a running operation; it still reports its end.
    pub fn cancel(&mut self, id: OperationId) {
        if let Some(token) = self.running.get(&id) {
            token.cancel();
        }
    }

    /// Gives a terminal what was typed. What is typed faster than it is taken, or to none, is dropped.
    pub fn type_into(&mut self, id: OperationId, typed: Typed) {
        let _dropped = self.terminals.get(&id).map(|keys| keys.try_send(typed));
    }

    /// Writes to the journal what happened in the state.
    pub fn record(&self, entries: Vec<JournalEntry>) {
        drop(self.recorder.append(entries));
    }

    /// Drops what a staged run changed.
    pub fn drop_staged(&self, run: OperationId) {
        // Its folder is removed by a thread of its own.
        self.person_side.bench.layers.release(run);
    }

    /// Asks the model, once everything that led to it is on disk. The step's task alone speaks on the model lane.
    pub fn start_step(&mut self, step: StepId, mut request: ModelRequest) {
        self.stop_step();
        let (provider, lane, work) = (Arc::clone(&self.provider), self.lanes.model.clone(), self.lanes.work.clone());
        let known = provider.context();
        let registry = self.model_side.registry.clone();
        let kept = self.recorder.append(Vec::new());
        self.step = Some(tokio::spawn(async move {
            if kept.await.is_err() {
                let message = "The model was not asked, as there is no journal.".to_owned();
                let failure = ModelFailure { kind: FailureKind::CutOff, message };
                let _leaving = lane.send((step, ModelEvent::Failed(failure))).await;
                return;
            }
            servers::complete(&registry, &mut request).await;
            // A stream that ends without its last word, or fails, still ends the step.
            let mut told = false;
            let mut stream = std::panic::AssertUnwindSafe(provider.stream(request)).catch_unwind();
            while let Some(Ok(event)) = stream.next().await {
                told |= matches!(event, ModelEvent::Ended(..) | ModelEvent::Failed(_));
                if told && provider.context() != known {
                    let _leaving = work.send(Work::Context(provider.context())).await;
                }
                if lane.send((step, event)).await.is_err() {
                    return;
                }
            }
            if !told {
                let message = "The answer broke off. Send the message again.".to_owned();
                let failure = ModelFailure { kind: FailureKind::CutOff, message };
                let _leaving = lane.send((step, ModelEvent::Failed(failure))).await;
            }
        }));
    }

    /// Cancels the model's stream by dropping it.
    pub fn stop_step(&mut self) {
        if let Some(step) = self.step.take() {
            step.abort();
        }
    }

    /// Reads back what an operation printed in an earlier sitting.
    pub fn recall(&self, id: OperationId) {
        let (outputs, lane) = (Arc::clone(&self.person_side.bench.outputs), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            let recalled = outputs.recall(id).ok();
            let _leaving = lane.blocking_send(Work::Recalled(id, recalled));
        });
    }

    /// Reads a part of what an operation printed.
    pub fn look(&self, id: OperationId, look: Look) {
        let (outputs, lane) = (Arc::clone(&self.person_side.bench.outputs), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            let page = outputs.look(id, &look).ok().flatten();
            let _leaving = lane.blocking_send(Work::Looked(id, look, page));
        });
    }

    /// Saves what the person looks at in a file of the person's workspace.
    pub fn save(&self, path: String, content: Content) {
        let (bench, lane) = (Arc::clone(&self.person_side.bench), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            let saved = save::create(&bench.workspace, &path).and_then(|mut file| {
                let written = match &content {
                    Content::Text(text) => file.write_all(text.as_bytes()).map(|()| text.len() as u64),
                    Content::Printed(id, pieces) => match bench.outputs.open(*id) {
                        Ok(kept) => copy(kept, &mut file),
                        Err(_) => pieces.iter().try_fold(0, |sum, piece| {
                            file.write_all(piece.text.as_bytes()).map(|()| sum + piece.text.len() as u64)
                        }),
                    },
                };
                written.map_err(|error| format!("{path} can't be written: {error}."))
            });
            let said = saved.map_or_else(|why| why, |bytes| format!("Saved {} in {path}.", size(bytes)));
            let _leaving = lane.blocking_send(Work::Saved(said));
        });
    }

    /// Stops everything that runs.
    pub fn stop_all(&mut self) {
        self.stop_step();
        self.measuring.stop_all();
        for token in self.running.values() {
            token.cancel();
        }
    }
}

/// Says what is enforced around commands, once that is known: whether they can be staged, in the model's workspace. A
/// command that starts waits for it.
pub async fn prove(side: &Side, lane: &mpsc::Sender<Work>) {
    let proof = side.bench.walls.proof().await;
    let stages = proof.stages() && stages(&side.bench).await.is_ok();
    let _leaving = lane.send(Work::Proved(contain::enforceable(Some(&proof), stages))).await;
}

/// Reads a call into an operation.
fn read(side: &Side, id: OperationId, origin: Origin, call: &ToolCall) -> Result<Operation, String> {
    let Some(tool) = side.registry.get(&call.name) else {
        let known = side.registry.names();
        return Err(format!("there is no tool `{}`; the tools are {}", call.name, known.join(", ")));
    };
    let parse = if tool.takes_claim() { Arguments::parse } else { Arguments::verbatim };
    let arguments = parse(&call.arguments).map_err(|error| format!("{}: {error}", call.name))?;
    let kind = tool.prepare(&arguments).map_err(|error| format!("{}: {error}", call.name))?;
    if let Some(why) = kind.copied_mask() {
        return Err(format!("{}: {why}", call.name));
    }
    let claim = if matches!(origin, Origin::Model { .. }) { arguments.claim } else { Claim::Absent };
    Ok(Operation { id, origin, tool: call.name.clone(), claim, kind, cwd: side.bench.workspace.clone() })
}

/// Looks and judges, off the loop: both may touch the disk. What would run unasked by its text alone is also
/// looked up at the other side, where the tool has one.
async fn look(side: Side, operation: Operation) -> Result<Prepared, String> {
    let Some(tool) = side.registry.get(&operation.tool) else {
        return Err(format!("there is no tool `{}`", operation.tool));
    };
    let asked = Arc::clone(&tool);
    let place = side.place();
    let settings = side.bench.settings.clone();
    let judged = blocking(move || {
        let path = side.path.as_deref();
        let judged = prepare(tool.assessor(), operation, &place, path, &side.bench.settings);
        match tool.declared() {
            Some(declared) => with_declared(tool.assessor(), judged, declared.clone(), &side.bench.settings),
            None => judged,
        }
    })
    .await?;
    if judged.assessment.class() != Class::Whitelisted {
        return Ok(judged);
    }
    match asked.look(&judged.operation.kind).await {
        Some(catalog) => blocking(move || with_catalog(asked.assessor(), judged, catalog, &settings)).await,
        None => Ok(judged),
    }
}

async fn blocking<T: Send + 'static>(judge: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(judge).await.map_err(|_| "it couldn't be judged".to_owned())
}

async fn propose(side: Side, operation: Operation, recorder: &Recorder) -> Proposal {
    let id = operation.id;
    match look(side, operation).await {
        Ok(prepared) => {
            let event = JournalEvent::Proposed { prepared: Box::new(prepared.clone()) };
            match recorder.append(vec![JournalEntry::of(id, event)]).await {
                Ok(()) => Proposal::Ready(Box::new(prepared)),
                Err(reason) => Proposal::Refused(format!("nothing runs without the journal: {reason}")),
            }
        }
        Err(reason) => Proposal::Refused(reason),
    }
}

async fn record_start(recorder: &Recorder, countersigned: &Countersigned, waited: Option<u64>) -> Result<(), String> {
    let id = countersigned.operation().id;
    let decided = JournalEvent::Decided {
        decider: countersigned.decider().clone(),
        allowed: true,
        judgement: countersigned.judgement().clone(),
        reason: None,
        waited,
    };
    let started = JournalEvent::Started { containment: countersigned.containment() };
    recorder.append(vec![JournalEntry::of(id, decided), JournalEntry::of(id, started)]).await
}

/// What can't be written is told on the recorder's lane.
async fn record_end(recorder: &Recorder, port: &RunPort, id: OperationId, report: &RunReport) {
    let milliseconds = u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX);
    let (outcome, result) = (report.outcome.clone(), report.result.clone());
    let event = JournalEvent::Finished { outcome, milliseconds, result, kept: port.kept() };
    let _told = recorder.append(vec![JournalEntry::of(id, event)]).await;
}

/// Runs in a task of its own, so that a tool that fails can't take the program along.
async fn run(side: &Side, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> RunReport {
    let Some(tool) = side.registry.get(&countersigned.operation().tool) else {
        return lost("The tool is gone.".to_owned());
    };
    let task = tokio::spawn(async move { tool.run(countersigned, port, cancel).await });
    task.await.unwrap_or_else(|_| lost("The tool failed; the log has more.".to_owned()))
}

fn lost(reason: String) -> RunReport {
    RunReport { result: format!("error: {reason}"), outcome: Outcome::Failed { reason }, took: Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::mask;
    use crate::tools::standard;

    #[test]
    fn a_call_that_copies_a_mask_is_refused_by_every_tool_that_writes() {
        let bench = Arc::new(Workbench::new("/".into(), None, "/".into()));
        let mut connections = Connections::default();
        connections.add("shop", Connections::parse_url("sqlite::memory:").unwrap());
        let connections = Arc::new(connections);
        let side = Side { registry: standard(&bench, &connections), bench, connections, path: None };
        let held = mask(7);
        let arguments = |tool: &str| match tool {
            "execute_command" => serde_json::json!({ "command": format!("echo {held} > .env") }),
            "execute_sql" => serde_json::json!({ "sql": format!("UPDATE t SET a = '{held}'"), "connection": "shop" }),
            "file_operations" => serde_json::json!({ "operation": "write", "path": "a", "content": held }),
            "http_request" => serde_json::json!({ "method": "POST", "url": "https://x.example", "body": held }),
            _ => serde_json::json!({ "pattern": held, "glob": held }),
        };
        for tool in side.registry.names() {
            let call = ToolCall { id: String::new(), name: tool.clone(), arguments: arguments(&tool).to_string() };
            let read = read(&side, OperationId(1), Origin::Person, &call);
            if tool == "read_output" {
                assert!(read.is_err(), "it takes no text at all");
            } else if tool.ends_with("_files") {
                assert!(!read.is_err_and(|why| why.contains("stands for")), "{tool} only looks");
            } else {
                assert!(read.unwrap_err().contains("stands for a secret that was not shown"), "{tool}");
            }
        }
    }
}
