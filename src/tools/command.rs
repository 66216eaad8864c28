//! `execute_command`: a command line in bash, live output, a time limit, and an end that takes along
//! everything the command started. Children come from `children.rs`, output goes to a `Sink`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde_json::json;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::children::{self, Child, Pipes};
use super::contained::{self, Contained};
use super::effects;
use super::ending::{End, report, without_walls};
use super::environment::Asked;
use super::kept_from;
use super::own_files::Before;
use super::proxy::Proxy;
use super::refusal::{self, Smell};
use super::sink::Sink;
use super::{Ready, RunPort, Tool, Workbench, staged, terminal};
use crate::assess::{CommandAssessor, RiskAssessor};
use crate::domain::{
    Arguments, ArgumentsError, CommandOperation, Containment, Countersigned, Decider, Measurement, Need, OperationId,
    OperationKind, Outcome, Prepared, RunEvent, RunReport, Stream, ToolSpec, Undoable,
};
use crate::store::Layer;

/// Longest time limit that a call may ask for, in seconds.
const LONGEST: u64 = 3600;
/// Time that output may still take once the command has ended.
const GRACE: Duration = Duration::from_millis(200);

/// What the model reads after a failure for which a wall may be to blame.
const STOPPED: &str = "\n[It ran contained: nothing could be written, nothing sent, no sensitive file read. That may be \
    why it failed. The person is offered to run it again without containment.]";
/// What it reads after the failure of a staged run.
const STAGED: &str = "\n[It ran staged: nothing could be written outside the workspace and /tmp, nothing sent, no \
    sensitive file read. That may be why it failed. The person is offered to run it again without containment.]";
/// The same where hosts are allowed.
const STAGED_HOSTS: &str = "\n[It ran staged: nothing could be written outside the workspace and /tmp, nothing sent but \
    to the hosts that the configuration allows, no sensitive file read. That may be why it failed. The person is offered \
    to run it again without containment.]";
/// What it reads after a staged run that was ended.
const DROPPED: &str = "\n[It ran staged, and what it changed was dropped: the workspace is as it was.]";
/// The same where only sensitive files were left out.
const HIDDEN: &str = "\n[It ran contained: sensitive files can't be read.]";

/// What the model reads where the program's own files changed meanwhile.
const OWN_FILES: &str = "\n[It changed Countersign's own files, which no tool may. The person is told.]";

/// Runs shell commands.
#[derive(Clone, Debug)]
pub struct CommandTool {
    bench: Arc<Workbench>,
}

impl CommandTool {
    /// The tool of a workbench.
    #[must_use]
    pub fn new(bench: Arc<Workbench>) -> Self {
        Self { bench }
    }
}

impl Tool for CommandTool {
    fn spec(&self) -> ToolSpec {
        let limit = self.bench.time_limit;
        ToolSpec {
            name: "execute_command".to_owned(),
            description: "Runs a command line in bash in the workspace and returns its output and exit code. There \
                is no terminal and no input: a program that asks questions fails, a pager or an editor can't be \
                used, unless `terminal` is set. Everything the command starts ends with it, background processes \
                too."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["command"],
                "properties": {
                    "command": { "type": "string", "description": "The command line, as bash -c gets it." },
                    "timeout": {
                        "type": "integer", "minimum": 1, "maximum": LONGEST,
                        "description": format!("Time limit in seconds; {limit} without it.")
                    },
                    "terminal": {
                        "type": "boolean",
                        "description": "Runs it in a terminal that the person sees and types into, for a program that \
                            asks questions. It always asks the person first, and you can't type into it."
                    }
                }
            }),
        }
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &CommandAssessor
    }

    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        CommandOperation::read(arguments).map(OperationKind::Command)
    }

    fn preview<'a>(&'a self, prepared: &'a Prepared, cancel: CancellationToken) -> BoxFuture<'a, Measurement> {
        Box::pin(async move {
            let OperationKind::Command(_) = &prepared.operation.kind else { return Ok(None) };
            // It may be approved, and is to start at once then.
            let bench = Arc::clone(&self.bench);
            self.bench.spare.later(Box::new(move || bench.spare.warm(&bench.launcher)));
            effects::measure(&self.bench, prepared, &cancel).await
        })
    }

    /// Plans its walls, and looks at our own files where it gets none.
    fn ready(
        &self,
        countersigned: Countersigned,
        port: RunPort,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Ready<'_>> {
        Box::pin(async move {
            let started = Instant::now();
            let planned = self.plan(&countersigned, started).await;
            let inert = planned.contained.inert();
            Ready { run: Box::pin(self.run_planned(countersigned, planned, port, cancel)), inert }
        })
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        Box::pin(async move { self.ready(countersigned, port, cancel).await.run.await })
    }
}

/// What a run has before its decision is written.
struct Planned {
    contained: Contained,
    /// What our own files hold, where it gets no walls.
    before: Result<Option<Before>, String>,
    /// The child that is to become it, or why there is none.
    waiting: Result<Option<(Child, Pipes)>, String>,
    /// When that began.
    started: Instant,
}

impl CommandTool {
    async fn plan(&self, countersigned: &Countersigned, started: Instant) -> Planned {
        let contained = contained::plan(&self.bench, countersigned).await;
        let mut planned = Planned { contained, before: Ok(None), waiting: Ok(None), started };
        let OperationKind::Command(command) = &countersigned.operation().kind else { return planned };
        if matches!(planned.contained, Contained::Refused(_)) {
            return planned;
        }
        if planned.contained.plan().is_none() {
            planned.before = self.bench.own_files.look(&command.command).await.map(Some);
        }
        if !command.terminal {
            planned.waiting = waiting(&self.bench, countersigned, command, &planned.contained);
        }
        planned
    }

    /// Runs it to its end.
    async fn run_planned(
        &self,
        countersigned: Countersigned,
        Planned { mut contained, before, waiting, started }: Planned,
        port: RunPort,
        cancel: CancellationToken,
    ) -> RunReport {
        let OperationKind::Command(command) = &countersigned.operation().kind else {
            return super::foreign(started);
        };
        if let Contained::Refused(why) = &contained {
            port.send(RunEvent::Stopped).await;
            let why = format!("it was not run, as {why}. The person is offered to run it without walls");
            return super::failed(why, started);
        }
        let id = countersigned.operation().id;
        let before = match before {
            Ok(before) => before,
            Err(why) => return super::failed(why, started),
        };
        let told = async move || before?.told().await;
        if command.terminal {
            let report = in_terminal(&self.bench, &countersigned, command, &contained, port.clone(), cancel).await;
            if let Some(warning) = told().await {
                port.send(RunEvent::Warning(warning)).await;
            }
            return report.unwrap_or_else(|why| super::failed(why, started));
        }
        match waiting.and_then(|waiting| begin(waiting, &self.bench, &countersigned, command, &contained)) {
            Ok((child, pipes)) => {
                let limit = command.timeout.unwrap_or(self.bench.time_limit).clamp(1, LONGEST);
                if let Some(note) = contained.note() {
                    port.send(RunEvent::Note(note)).await;
                }
                let proxy = contained.open();
                let blind = countersigned.prepared().assessment.blind.as_deref();
                let asked = Attended { command: &command.command, limit, blind };
                let (mut report, notes, ended) =
                    attend(&self.bench, &contained, (child, pipes), asked, port.clone(), cancel, started).await;
                let reached = match proxy {
                    Some(proxy) => called(proxy, &mut report, &port).await,
                    None => None,
                };
                if let Contained::By(plan, _) = &contained
                    && plan.door.is_none()
                {
                    // Now, and not as it started: it shared the machine with the walls of the next one.
                    let (bench, plan) = (Arc::clone(&self.bench), plan.clone());
                    self.bench.spare.later(Box::new(move || {
                        bench.spare.warm(&bench.launcher);
                        children::reserve(&bench, &plan);
                    }));
                }
                if let Some(warning) = told().await {
                    report.result.push_str(OWN_FILES);
                    port.send(RunEvent::Warning(warning)).await;
                }
                let mut settled = None;
                if let Contained::Staged(_, layer, _) = contained {
                    if ended {
                        settled = settle(&self.bench, id, layer, &mut report, &port).await;
                    } else {
                        report.result.push_str(DROPPED);
                    }
                }
                // A later note takes the place of an earlier one.
                let notes: Vec<String> = notes.into_iter().chain(reached).chain(settled).collect();
                if !notes.is_empty() {
                    port.send(RunEvent::Note(notes.join(" "))).await;
                }
                report
            }
            Err(reason) => {
                if let Some(warning) = told().await {
                    port.send(RunEvent::Warning(warning)).await;
                }
                super::failed(reason, started)
            }
        }
    }
}

/// Starts bash for a command, or says why it can't be started.
pub(super) fn start(
    bench: &Workbench,
    run: &Countersigned,
    command: &CommandOperation,
    contained: &Contained,
) -> Result<(Child, Pipes), String> {
    waiting(bench, run, command, contained).and_then(|waiting| begin(waiting, bench, run, command, contained))
}

/// The child that is to become bash, behind its walls, if one can wait. Says why the command couldn't be started.
fn waiting(
    bench: &Workbench,
    run: &Countersigned,
    command: &CommandOperation,
    contained: &Contained,
) -> Result<Option<(Child, Pipes)>, String> {
    let (folder, _) = fit(run, command)?;
    children::waiting(bench, asked(run), folder, contained.plan()).map_err(not_started)
}

fn begin(
    waiting: Option<(Child, Pipes)>,
    bench: &Workbench,
    run: &Countersigned,
    command: &CommandOperation,
    contained: &Contained,
) -> Result<(Child, Pipes), String> {
    let (folder, bash) = fit(run, command)?;
    let arguments = arguments(command);
    children::begin(waiting, bench, asked(run), folder, (&bash, &arguments), contained.plan()).map_err(not_started)
}

/// Runs a command in a terminal to its end, or says why it can't be started there.
async fn in_terminal(
    bench: &Workbench,
    run: &Countersigned,
    command: &CommandOperation,
    contained: &Contained,
    port: RunPort,
    cancel: CancellationToken,
) -> Result<RunReport, String> {
    let started = Instant::now();
    let (folder, bash) = fit(run, command)?;
    if !matches!(contained, Contained::Unasked) {
        return Err("no walls can be put up around a terminal, and this run was to have some".to_owned());
    }
    let opened = terminal::open().and_then(|(ours, side)| Ok((terminal::Desk::at(ours)?, side)));
    let (desk, side) = opened.map_err(|error| format!("the system gives no terminal for it: {error}"))?;
    let child = children::start_in_terminal(bench, folder, &bash, &arguments(command), side).map_err(not_started)?;
    let limit = command.timeout.unwrap_or(bench.time_limit).clamp(1, LONGEST);
    let sink = Sink::new(port.clone());
    let (end, left, text) = terminal::attend(child, desk, limit, &port, &cancel).await;
    sink.say(&text);
    let text = sink.finish(bench.result_limit).await;
    Ok(report(&end, limit, left, &text, started.elapsed()))
}

/// The folder that a command starts in, and its shell.
fn fit<'a>(run: &'a Countersigned, command: &CommandOperation) -> Result<(&'a Path, PathBuf), String> {
    let folder = &run.operation().cwd;
    if !folder.is_dir() {
        return Err(format!("the folder {} is not there", folder.display()));
    }
    if command.command.contains('\0') {
        return Err("the command holds a NUL character, which no program can be given".to_owned());
    }
    let bash = children::bash().ok_or("there is no bash on this machine; install it and try again")?;
    Ok((folder, bash))
}

fn arguments(command: &CommandOperation) -> [&str; 4] {
    ["--noprofile", "--norc", "-c", &command.command]
}

#[allow(clippy::needless_pass_by_value)] // as `map_err` gives it
fn not_started(error: std::io::Error) -> String {
    format!("the command couldn't be started: {error}")
}

/// Closes a run's proxy, and says what came of its calls, to the model and so to the journal too. Gives the same for the
/// person. What failed without having got where it wanted is offered again.
async fn called(proxy: Proxy, report: &mut RunReport, port: &RunPort) -> Option<String> {
    let (told, lacks) = proxy.close().await;
    let told = told?;
    report.result.push_str(&format!("\n[{told}]"));
    if lacks && matches!(report.outcome, Outcome::Failed { .. }) {
        port.send(RunEvent::Stopped).await;
    }
    Some(told)
}

/// Puts in place what may be of a staged run's changes, and says what became of them. Gives what the person is told.
async fn settle(
    bench: &Arc<Workbench>,
    id: OperationId,
    layer: Layer,
    report: &mut RunReport,
    port: &RunPort,
) -> Option<String> {
    let settled = staged::settle(bench, id, layer).await;
    report.result.push_str(&settled.told);
    if !bench.images.changes(id).is_empty() {
        port.send(RunEvent::Undoable(Undoable::Kept)).await;
    }
    if let Some(waits) = settled.waits {
        port.send(RunEvent::Waits(waits)).await;
    }
    if settled.again {
        port.send(RunEvent::Stopped).await;
    }
    settled.note
}

/// Whether anybody but the whitelist or a claim decided.
fn asked(run: &Countersigned) -> Asked {
    match run.containment() {
        Containment::Staged => Asked::Staged,
        Containment::None if *run.decider() != Decider::Whitelist => Asked::Yes,
        Containment::ReadOnly | Containment::None => Asked::No,
    }
}

/// What a run is attended by.
struct Attended<'a> {
    command: &'a str,
    /// Its time limit in seconds.
    limit: u64,
    /// What it can't see behind its walls, in a sentence.
    blind: Option<&'a str>,
}

/// Attends to a child until its end and reports it, with what the person is told of the run; and says whether it ended by
/// itself.
async fn attend(
    bench: &Workbench,
    contained: &Contained,
    (mut child, pipes): (Child, Pipes),
    Attended { command, limit, blind }: Attended<'_>,
    port: RunPort,
    cancel: CancellationToken,
    started: Instant,
) -> (RunReport, Vec<String>, bool) {
    let sink = Sink::new(port.clone());
    let (out, err) = (sink.drain(Stream::Out, pipes.out), sink.drain(Stream::Err, pipes.err));
    let mut drained = Box::pin(async { tokio::join!(out, err) });
    let full = async {
        match contained.upper() {
            Some(upper) => staged::over(upper).await,
            None => std::future::pending().await,
        }
    };
    // A layer is looked at once nobody holds it any more, the system included.
    let early = matches!(contained, Contained::By(..));
    let mut complete = false;
    let exited = async {
        tokio::select! {
            status = child.wait() => return status,
            _ = &mut drained => complete = true,
        }
        match child.ended().filter(|_| early) {
            Some(status) => Ok(status),
            None => child.wait().await,
        }
    };
    let end = tokio::select! {
        why = full => End::Full(why),
        status = exited => End::Exited(status),
        () = cancel.cancelled() => End::Cancelled,
        () = sleep(Duration::from_secs(limit)) => End::TimedOut,
    };
    let left = match &end {
        End::Exited(_) => {
            // What runs on in the background may hold the pipes: give the output a moment, then end it.
            complete = complete || timeout(GRACE, &mut drained).await.is_ok();
            let left = child.clear_up().await;
            if !complete {
                let _held = timeout(GRACE, &mut drained).await;
            }
            left
        }
        End::Cancelled | End::TimedOut | End::Full(_) => {
            child.stop().await;
            if !complete {
                let _held = timeout(GRACE, &mut drained).await;
            }
            0
        }
    };
    drop(drained);
    let text = sink.finish(bench.result_limit).await;
    let why = without_walls(&child);
    child.leave();
    if let (End::Exited(_), Some(why)) = (&end, why) {
        bench.walls.distrust().await;
        port.send(RunEvent::Stopped).await;
        return (super::failed(why, started), Vec::new(), false);
    }
    let mut report = report(&end, limit, left, &text, started.elapsed());
    let mut notes = Vec::new();
    if let (Some(blind), Some(_)) = (blind, contained.plan()) {
        report.result.push_str(&format!("\n{blind}"));
        notes.push(blind.to_owned());
    }
    let hidden = contained.plan().and_then(|plan| kept_from::told(command, &text, plan));
    if let Some(hidden) = &hidden {
        report.result.push_str(&format!("\n[{hidden}]"));
        notes.push(hidden.clone());
    }
    if let (Outcome::Failed { .. }, Some(plan)) = (&report.outcome, contained.plan()) {
        match refusal::smell(&text, plan) {
            // What it shows nothing of may be there all the same.
            Smell::None if blind.is_some() && plan.needs.contains(&Need::Processes) && text.trim().is_empty() => {
                port.send(RunEvent::Stopped).await;
            }
            Smell::None => {}
            Smell::Hidden => {
                report.result.push_str(HIDDEN);
                notes.extend(hidden.is_none().then(|| "Sensitive files were kept from it.".to_owned()));
            }
            Smell::Wall => {
                report.result.push_str(match (&plan.layer, &plan.door) {
                    (Some(_), Some(_)) => STAGED_HOSTS,
                    (Some(_), None) => STAGED,
                    (None, _) => STOPPED,
                });
                notes.push("A wall may have stopped it.".to_owned());
                port.send(RunEvent::Stopped).await;
            }
        }
    }
    (report, notes, matches!(end, End::Exited(_)))
}
