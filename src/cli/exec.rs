//! `countersign exec`: runs one command that only reads, behind the walls that the screen puts around it, and passes its
//! output and its exit code through. It is its own gate: what isn't whitelisted is refused here too, whoever asked.

use std::process::ExitCode;
use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::{Start, runtime};
use crate::agents::quoted;
use crate::assess::{AssessSettings, CommandAssessor, Known};
use crate::config::process_environment;
use crate::contain;
use crate::domain::{
    Admission, Claim, CommandOperation, Containment, Countersigned, Gate, JournalEntry, JournalEvent, Judgement,
    Operation, OperationId, OperationKind, Origin, Outcome, Place, Prepared, Release, Step,
};
use crate::store::{Journal, Session};
use crate::tools;

/// Exit code of a command that was found but not run, as shells have it.
const REFUSED: u8 = 126;
/// Its number in the journal: a session of one command.
const ONLY: OperationId = OperationId(1);

/// What is to be run: one command line, or the words of one command. One word with blanks in it is a command line, too.
#[must_use]
pub fn command_line(line: Option<String>, words: &[String]) -> String {
    if let (None, [only]) = (&line, words)
        && only.contains(char::is_whitespace)
    {
        return only.clone();
    }
    line.unwrap_or_else(|| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

/// Runs a command, and gives its exit code.
#[must_use]
pub fn exec(start: &Start, command: String) -> ExitCode {
    contain::guard_memory();
    let ended = match runtime() {
        Ok(runtime) => {
            let ended = runtime.block_on(run(start, command));
            // A reader of standard output that is gone must not keep us.
            runtime.shutdown_background();
            ended
        }
        Err(error) => Err(error.to_string()),
    };
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(why) => {
            crate::say!("countersign: not run: {why}");
            ExitCode::from(REFUSED)
        }
    }
}

async fn run(start: &Start, command: String) -> Result<u8, String> {
    if let Some(notice) = crate::config::Problem::notice(&start.problems) {
        return Err(notice);
    }
    let bench = Arc::new(start.bench().map_err(|error| error.to_string())?);
    let connections = start.connections(&process_environment);
    bench.settings.known.learn(Known::of_environment(std::env::vars_os()).values());
    bench.settings.known.learn(connections.map(|(connections, _)| connections.secrets()).unwrap_or_default());
    let proof = bench.walls.proof().await;
    let enforceable = contain::enforceable(Some(&proof), false);
    if !enforceable.read_only_command {
        return Err(format!("nothing is contained on this machine ({})", proof.passed_over.join("; ")));
    }
    let cwd = std::env::current_dir().and_then(|cwd| cwd.canonicalize());
    let cwd = cwd.map_err(|error| format!("the current folder is gone ({error})"))?;
    let place = Place { cwd, workspace: start.workspace.clone(), home: start.folders.home.clone() };
    if !place.cwd.starts_with(&place.workspace) {
        return Err(format!("{} isn't in the workspace {}", place.cwd.display(), place.workspace.display()));
    }
    let session = Session { agent: "exec".to_owned(), ..Session::new(&place.workspace) };
    let journal = Journal::open(&start.folders.journal(), session).await;
    let journal = journal.map_err(|error| format!("the journal can't be written ({error})"))?;
    let append = async |event| {
        let written = journal.append(JournalEntry::of(ONLY, event)).await;
        written.map_err(|error| format!("the journal can't be written ({error})"))
    };
    let mut gate = Gate::new(start.settings.policy(), enforceable);
    let settings = AssessSettings { walled: true, ..bench.settings.clone() };
    let prepared = prepare(&settings, &place, command.clone());
    append(JournalEvent::Proposed { prepared: Box::new(prepared.clone()) }).await?;
    let released = countersign(&mut gate, prepared, || prepare(&settings, &place, command.clone()));
    let (allowed, judgement, reason) = match &released {
        Ok(run) => (true, run.judgement().clone(), None),
        Err(refusal) => (false, refusal.0.clone(), Some(refusal.1.clone())),
    };
    let decider = judgement.decider();
    append(JournalEvent::Decided { decider, allowed, judgement, reason, waited: None, left: None }).await?;
    let run = released.map_err(|(_, why)| why)?;
    append(JournalEvent::Started { containment: run.containment() }).await?;
    let started = std::time::Instant::now();
    let cancel = CancellationToken::new();
    let heard = listen(&cancel);
    let mut streams = (tokio::io::stdout(), tokio::io::stderr());
    let passed = tools::pass(&bench, &run, (&mut streams.0, &mut streams.1), cancel.clone()).await;
    let outcome = match &passed {
        _ if cancel.is_cancelled() => Outcome::Cancelled,
        Ok(passed) if passed.code == 0 => Outcome::Succeeded { summary: "exit 0".to_owned() },
        Ok(passed) => Outcome::Failed { reason: format!("exit {}", passed.code) },
        Err(why) => Outcome::Failed { reason: why.clone() },
    };
    let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    append(JournalEvent::ended(outcome, milliseconds)).await?;
    // What was acknowledged is on disk.
    let _closed = journal.close().await;
    let passed = passed?;
    match passed.masks {
        0 => {}
        1 => crate::say!("countersign: a secret is masked here"),
        more => crate::say!("countersign: {more} secrets are masked here"),
    }
    if let Some(wall) = passed.wall {
        crate::say!("countersign: {wall}");
    }
    Ok(heard.map_or(passed.code, |listening| listening.try_recv().map_or(passed.code, |signal| 128 + signal)))
}

/// Looks at a command and judges it.
fn prepare(settings: &AssessSettings, place: &Place, command: String) -> Prepared {
    let operation = Operation {
        id: ONLY,
        origin: Origin::Model { call_id: "exec".to_owned() },
        tool: "execute_command".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(CommandOperation { command, timeout: None, terminal: false }),
        cwd: place.cwd.clone(),
    };
    let path = std::env::var_os("PATH").map(|path| tools::search_path(&path));
    tools::prepare(&CommandAssessor, operation, place, path.as_deref(), settings)
}

/// Passes a command through the gate, or says why not: only what is whitelisted, and contained, comes by.
fn countersign(
    gate: &mut Gate,
    prepared: Prepared,
    again: impl FnOnce() -> Prepared,
) -> Result<Countersigned, (Judgement, String)> {
    let id = prepared.operation.id;
    let judgement = match gate.admit(prepared) {
        Admission::Allowed(judgement) => judgement,
        Admission::Waiting(judgement) | Admission::Denied(judgement, _) => {
            let why = judgement.reason.clone();
            return Err((judgement, why));
        }
    };
    let reads = judgement.step == Step::Whitelisted && judgement.containment == Containment::ReadOnly;
    if !reads || !judgement.enforced {
        let why = format!("{} Only what just reads is run here.", judgement.reason);
        return Err((judgement, why));
    }
    match gate.release(id, again()) {
        Release::Run(run) => Ok(*run),
        Release::Requeued(why) => Err((judgement, why)),
        Release::Denied(judgement) => {
            let why = judgement.reason.clone();
            Err((judgement, why))
        }
        Release::Unknown => Err((judgement, "it changed while it was judged".to_owned())),
    }
}

/// Ends the command when we are told to end, and tells by which signal.
fn listen(cancel: &CancellationToken) -> Option<std::sync::mpsc::Receiver<u8>> {
    let (heard, hearing) = std::sync::mpsc::channel();
    for (kind, number) in [(SignalKind::interrupt(), 2), (SignalKind::terminate(), 15), (SignalKind::hangup(), 1)] {
        let mut stream = signal(kind).ok()?;
        let (heard, cancel) = (heard.clone(), cancel.clone());
        tokio::spawn(async move {
            if stream.recv().await.is_some() {
                let _ended = heard.send(number);
                cancel.cancel();
            }
        });
    }
    Some(hearing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_the_words_that_they_were() {
        let words = ["ls".to_owned(), "a b".to_owned(), "$(rm x)".to_owned()];
        assert_eq!(command_line(None, &words), "'ls' 'a b' '$(rm x)'");
        assert_eq!(command_line(Some("ls | wc".to_owned()), &[]), "ls | wc");
    }
}
