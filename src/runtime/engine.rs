//! Performs the state's effects: reads and judges calls, asks the model, runs what the gate countersigned. Each
//! task it starts owns one external thing and speaks through its lane alone.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::bus::{Lanes, Work};
use super::composing::Desk;
use super::judging::{look, propose, read};
use super::measure::{Measuring, otherwise};
use super::proof::{PROOF, prove};
use super::recorder::Recorder;
use super::remember::Memory;
use super::swap::Switchboard;
use super::withheld::Withheld;
use super::{reached, servers};
use crate::app::{Expected, Proposal};
use crate::domain::{
    self, ANSWER, APPLY, Containment, Countersigned, FailureKind, JournalEntry, JournalEvent, ModelEvent, ModelFailure,
    ModelRequest, Operation, OperationId, OperationKind, Origin, Outcome, Place, Prepared, RunEvent, RunReport, Seal,
    StepId, ToolCall, Typed,
};
use crate::providers::{PracticeWorld, Provider};
use crate::store::Kept;
use crate::tools::mcp::Sampler;
use crate::tools::{Connections, Registry, RunPort, Workbench};

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
    /// Where its operations work.
    pub fn place(&self) -> Place {
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
    /// Where what the person types is kept.
    pub typed: Desk,
    step: Option<JoinHandle<()>>,
    /// Ends once the model's latest call is in the journal: the next one goes there after it, however soon it is judged.
    before: Option<oneshot::Receiver<()>>,
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
            typed: Desk::default(),
            step: None,
            before: None,
        }
    }

    fn side(&self, origin: &Origin, tool: &str) -> &Side {
        match origin {
            Origin::Model { .. } => &self.model_side,
            Origin::Person => &self.person_side,
            // No model is offered it, so it is among the person's tools; it knows where the run worked.
            Origin::Program { .. } if tool == APPLY || tool == ANSWER => &self.person_side,
            Origin::Program { of, .. }
            | Origin::Again { of, .. }
            | Origin::Beside { of }
            | Origin::Edited { of, .. } => self.side(of, tool),
        }
    }

    /// Reads a call, looks at what it names, judges it and journals the proposal.
    pub fn prepare(&mut self, id: OperationId, origin: Origin, call: ToolCall) {
        let (side, recorder, lane) =
            (self.side(&origin, &call.name).clone(), self.recorder.clone(), self.lanes.work.clone());
        let rules = self.memory.rules.clone();
        let (ends, ended) = oneshot::channel();
        let before = if origin.by_model() { self.before.replace(ended) } else { None };
        let (model_side, proved) = (self.model_side.clone(), lane.clone());
        let preparing = tokio::spawn(async move {
            let judged = match read(&side, id, origin, &call) {
                Ok(operation) => {
                    if matches!(operation.kind, OperationKind::Command(_)) {
                        // What is enforced is to be known when it is judged; one that takes long is judged without.
                        let _late = tokio::time::timeout(PROOF, prove(&model_side, &proved)).await;
                    }
                    reached::look(side, operation, &proved).await
                }
                Err(reason) => Err(reason),
            };
            if let Some(before) = before {
                let _noted_or_failed = before.await;
            }
            let proposal = propose(judged, &recorder);
            drop(ends);
            proposal
        });
        tokio::spawn(async move {
            let failed = |_| Proposal::Refused("it couldn't be read; the log has more".to_owned());
            let proposal = preparing.await.unwrap_or_else(failed);
            rules.hand_on(Work::Proposed(id, proposal), &lane).await;
        });
    }

    /// Reads and judges a call that the person is still editing. Nothing is journalled: nothing is proposed yet.
    pub fn assess(&self, draft: u64, id: OperationId, origin: Origin, call: ToolCall) {
        let (side, lane) = (self.side(&origin, &call.name).clone(), self.lanes.work.clone());
        let rules = self.memory.rules.clone();
        let judging = tokio::spawn(async move { look(side.clone(), read(&side, id, origin, &call)?).await });
        tokio::spawn(async move {
            let judged = judging.await.unwrap_or_else(|_| Err("it couldn't be read; the log has more".to_owned()));
            let proposal = judged.map_or_else(Proposal::Refused, |prepared| Proposal::Ready(Box::new(prepared)));
            rules.hand_on(Work::Assessed(draft, proposal), &lane).await;
        });
    }

    /// Looks at an operation again, right before its start, and whether it would still do what is `expected`.
    pub fn refresh(&self, operation: Operation, expected: Option<Expected>) {
        let (side, lane) = (self.side(&operation.origin, &operation.tool).clone(), self.lanes.work.clone());
        let (id, model_side, rules) = (operation.id, self.model_side.clone(), self.memory.rules.clone());
        tokio::spawn(async move {
            if matches!(operation.kind, OperationKind::Command(_)) {
                prove(&model_side, &lane).await;
            }
            let work = match look(side.clone(), operation).await {
                Ok(prepared) => {
                    let prepared = Box::new(prepared);
                    match otherwise(&side, &prepared, expected).await {
                        Some((foresight, why)) => Work::Otherwise(id, prepared, foresight, why),
                        None => Work::Refreshed(id, Proposal::Ready(prepared)),
                    }
                }
                Err(reason) => Work::Refreshed(id, Proposal::Refused(reason)),
            };
            rules.hand_on(work, &lane).await;
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
        let provider = Arc::clone(&self.provider);
        let sampler = Sampler::new(provider.label(), move |request| provider.stream(request));
        tokio::spawn(async move {
            let readable = countersigned.operation().origin.by_model();
            let port = RunPort::new(id, lanes.run.clone()).keeping(outputs, readable).hearing(typed).asking(sampler);
            let report = match run(&side, countersigned, waited, &recorder, port.clone(), cancel).await {
                Ok(report) => {
                    record_end(&recorder, &port, id, &report).await;
                    report
                }
                Err(reason) => lost(format!("It was not run: {reason}.")),
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
    pub fn record(&self, entries: &[JournalEntry]) {
        if let Err(reason) = self.recorder.note(entries) {
            let lane = self.lanes.work.clone();
            let said = format!("Something of this session is not in the journal: {reason}.");
            tokio::spawn(async move { lane.send(Work::Notice(said)).await });
        }
    }

    /// Drops what a staged run changed.
    pub fn drop_staged(&self, run: OperationId) {
        // Its folder is removed by a thread of its own.
        self.person_side.bench.layers.release(run);
    }

    /// Tells a server that what it asked for is not given.
    pub fn decline(&self, call: &ToolCall) {
        if let Some(servers) = self.person_side.registry.servers() {
            servers.decline(call);
        }
    }

    /// Asks the model, once everything that led to it is written. The step's task alone speaks on the model lane.
    pub fn start_step(&mut self, step: StepId, mut request: ModelRequest) {
        self.stop_step();
        let (provider, lane, work) = (Arc::clone(&self.provider), self.lanes.model.clone(), self.lanes.work.clone());
        let known = provider.context();
        let registry = self.model_side.registry.clone();
        let kept = self.recorder.all(Kept::Written);
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

    /// Stops everything that runs.
    pub fn stop_all(&mut self) {
        self.stop_step();
        self.measuring.stop_all();
        for token in self.running.values() {
            token.cancel();
        }
    }
}

/// How long the end of a run waits until it is noted where its output holds secrets.
const NOTED: Duration = Duration::from_millis(20);

/// What is journalled before a run.
fn decision(countersigned: &Countersigned, waited: Option<u64>) -> [JournalEntry; 2] {
    let id = countersigned.operation().id;
    let decided = JournalEvent::Decided {
        decider: countersigned.decider().clone(),
        allowed: true,
        judgement: countersigned.judgement().clone(),
        reason: None,
        waited,
        left: None,
    };
    let started = JournalEvent::Started { containment: countersigned.containment() };
    [JournalEntry::of(id, decided), JournalEntry::of(id, started)]
}

/// A journal that can't be written is told on the recorder's lane. It is written before the model is told: a request
/// waits for all that led to it.
async fn record_end(recorder: &Recorder, port: &RunPort, id: OperationId, report: &RunReport) {
    let milliseconds = u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX);
    let (outcome, result) = (report.outcome.clone(), report.result.clone());
    let event = JournalEvent::Finished { outcome, milliseconds, result, kept: port.kept() };
    if let Err(reason) = recorder.note(&[JournalEntry::of(id, event)]) {
        port.send(RunEvent::Warning(format!("Its end is not in the journal: {reason}."))).await;
    }
}

/// Journals the decision and the start, while the tool gets ready; then runs. Says why it was not run. What nothing can
/// come of but its report starts once that is written, and its report waits until it is safe.
///
/// Tools run in a task of their own, so that one that fails can't take the program along.
async fn run(
    side: &Side,
    countersigned: Countersigned,
    waited: Option<u64>,
    recorder: &Recorder,
    port: RunPort,
    cancel: CancellationToken,
) -> Result<RunReport, String> {
    let tool = side.registry.get(&countersigned.operation().tool).ok_or("the tool is gone")?;
    let (withheld, id) = (Withheld::of(&countersigned, &side.bench.settings), countersigned.operation().id);
    let kept = match countersigned.containment() {
        Containment::ReadOnly => Kept::Written,
        Containment::Staged | Containment::None => Kept::Synced,
    };
    let decided = recorder.append(&decision(&countersigned, waited), kept);
    let (recorder, said) = (recorder.clone(), port.clone());
    let task = tokio::spawn(async move {
        let (ready, decided) = tokio::join!(tool.ready(countersigned, port.clone(), cancel), decided);
        decided?;
        let synced = recorder.all(Kept::Synced).shared();
        if !ready.inert {
            synced.clone().await?;
        }
        port.send(RunEvent::Started).await;
        let report = ready.run.await;
        let dropped = |reason| lost(format!("What it read is dropped: {reason}."));
        Ok::<_, String>(synced.await.map_or_else(dropped, |()| report))
    });
    let report = task.await;
    // A tool that failed may have printed what it said nothing of.
    let printed = report.is_err() || said.kept() != domain::Kept::Nothing;
    let failed = |_| Ok(lost("The tool failed; the log has more.".to_owned()));
    let report = report.unwrap_or_else(failed)?;
    let values = side.bench.settings.known.values();
    if printed && !values.is_empty() {
        // Before its end is noted: what shows it later may not know what this session knows. A long one is looked
        // through beside what comes next.
        let outputs = Arc::clone(&side.bench.outputs);
        let noted = tokio::task::spawn_blocking(move || {
            if let Err(error) = outputs.note_secrets(id, &values) {
                tracing::warn!(%error, "where an output holds secrets can't be noted");
            }
        });
        let _goes_on = tokio::time::timeout(NOTED, noted).await;
    }
    Ok(withheld.from(report, &side.bench.settings.known))
}

fn lost(reason: String) -> RunReport {
    RunReport { result: format!("error: {reason}"), outcome: Outcome::Failed { reason }, took: Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;
    use crate::assess::Known;
    use crate::domain::mask;
    use crate::store::{Archive, Content, Journal, Session, Wanted};
    use crate::tools::standard;

    #[tokio::test]
    async fn a_name_that_is_no_text_is_journalled_and_what_cant_be_is_refused_alone() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let odd = root.join(std::ffi::OsStr::from_bytes(b"b\xff.txt"));
        std::fs::write(&odd, "text").unwrap();
        std::os::unix::fs::symlink(&odd, root.join("link")).unwrap();
        let journal = root.join("journal.sqlite");
        let opened = Journal::open(&journal, Session::new(&root)).await.unwrap();
        let (lane, mut told) = mpsc::channel(8);
        let recorder = Recorder::start(async { Ok(opened) }.boxed().shared(), lane, Known::default());
        let bench = Arc::new(Workbench::new(root.clone(), None, root.clone()));
        let connections = Arc::new(Connections::default());
        let side = Side { registry: standard(&bench, &connections), bench, connections, path: None };
        let arguments = serde_json::json!({ "command": "cat link" }).to_string();
        let call = ToolCall { id: String::new(), name: "execute_command".to_owned(), arguments };
        let proposed = async |id| {
            let operation = read(&side, OperationId(id), Origin::Person, &call).unwrap();
            propose(look(side.clone(), operation).await, &recorder)
        };
        let Proposal::Ready(first) = proposed(1).await else { panic!("refused") };
        assert!(first.facts.paths.values().any(|fact| fact.real == odd), "{:?}", first.facts.paths);
        assert!(matches!(proposed(u64::MAX).await, Proposal::Refused(why) if why.contains("can't be written")));
        assert!(matches!(proposed(2).await, Proposal::Ready(_)));
        recorder.all(Kept::Written).await.unwrap();
        assert!(told.try_recv().is_err(), "the session was to end");
        let stored = Archive::open(&journal).await.unwrap().unwrap().entries(&Wanted::default(), 0, 9).await.unwrap();
        assert_eq!(stored.len(), 2);
        let proposed = JournalEvent::Proposed { prepared: first };
        assert_eq!(stored[0].content, Content::Event(Box::new(proposed)));
    }

    /// The tools of a workbench with one database.
    fn shop() -> Side {
        let bench = Arc::new(Workbench::new("/".into(), None, "/".into()));
        let mut connections = Connections::default();
        connections.add("shop", Connections::parse_url("sqlite::memory:").unwrap());
        let connections = Arc::new(connections);
        Side { registry: standard(&bench, &connections), bench, connections, path: None }
    }

    #[test]
    fn a_model_can_ask_for_no_trial_and_take_nothing_back() {
        let (side, model) = (shop(), Origin::Model { call_id: "c".to_owned() });
        let asked = |origin: &Origin, arguments: String| {
            let call = ToolCall { id: String::new(), name: "execute_sql".to_owned(), arguments };
            read(&side, OperationId(1), origin.clone(), &call)
        };
        let with = |own: &str| format!(r#"{{"sql":"DELETE FROM t","{own}":true}}"#);
        for own in ["trial", "undo", "redo"] {
            let refused = asked(&model, with(own)).unwrap_err();
            assert!(refused.contains(&format!("`{own}` is no argument of yours")), "{refused}");
        }
        let tried = asked(&model.beside(), with("trial")).unwrap();
        assert!(matches!(tried.kind, OperationKind::Sql(sql) if sql.way == crate::domain::SqlWay::Trial));
    }

    #[test]
    fn a_call_that_copies_a_mask_is_refused_by_every_tool_that_writes() {
        let side = shop();
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
