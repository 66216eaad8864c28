//! From a call to a proposal: it is read, what it names is looked at, it is judged, and that is journalled.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::engine::Side;
use super::recorder::Recorder;
use crate::app::Proposal;
use crate::contain;
use crate::domain::{
    Arguments, Claim, Class, JournalEntry, JournalEvent, Operation, OperationId, OperationKind, Origin, Prepared,
    ToolCall,
};
use crate::tools::{prepare, with_catalog, with_declared};

/// Reads a call into an operation.
pub(super) fn read(side: &Side, id: OperationId, origin: Origin, call: &ToolCall) -> Result<Operation, String> {
    let Some(tool) = side.registry.get(&call.name) else {
        let known = side.registry.names();
        return Err(format!("there is no tool `{}`; the tools are {}", call.name, known.join(", ")));
    };
    let parse = if tool.takes_claim() { Arguments::parse } else { Arguments::verbatim };
    let arguments = parse(&call.arguments).map_err(|error| format!("{}: {error}", call.name))?;
    let reserved = if origin.by_model() { tool.reserved() } else { &[] };
    let kind = arguments.without(reserved).and_then(|()| tool.prepare(&arguments));
    let kind = kind.map_err(|error| format!("{}: {error}", call.name))?;
    if let Some(why) = kind.copied_mask() {
        return Err(format!("{}: {why}", call.name));
    }
    let claim = if matches!(origin, Origin::Model { .. }) { arguments.claim } else { Claim::Absent };
    Ok(Operation { id, origin, tool: call.name.clone(), claim, kind, cwd: side.bench.workspace.clone() })
}

/// Looks and judges, off the loop: both may touch the disk. What would run unasked by its text alone is also
/// looked up at the other side, where the tool has one. Where that can't be reached, nobody needs to be asked.
pub(super) async fn look(side: Side, operation: Operation) -> Result<Prepared, String> {
    let Some(tool) = side.registry.get(&operation.tool) else {
        return Err(format!("there is no tool `{}`", operation.tool));
    };
    let asked = Arc::clone(&tool);
    let place = side.place();
    let mut settings = side.bench.settings.clone();
    if let OperationKind::Command(_) = operation.kind {
        // Whoever asks has waited for it before, as long as is worth it.
        let proof = timeout(Duration::ZERO, side.bench.walls.proof()).await;
        settings.walled = proof.is_ok_and(|proof| contain::enforceable(Some(&proof), false).read_only_command);
    }
    let (eyes, path) = (settings.clone(), side.path.clone());
    let judged = blocking(move || {
        let judged = prepare(tool.assessor(), operation, &place, path.as_deref(), &eyes);
        match tool.declared() {
            Some(declared) => with_declared(tool.assessor(), judged, declared.clone(), &eyes),
            None => judged,
        }
    })
    .await?;
    if judged.assessment.class() != Class::Whitelisted {
        asked.reach(&judged.operation.kind).await?;
        return Ok(judged);
    }
    match asked.look(&judged.operation.kind).await? {
        Some(catalog) => blocking(move || with_catalog(asked.assessor(), judged, catalog, &settings)).await,
        None => Ok(judged),
    }
}

async fn blocking<T: Send + 'static>(judge: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(judge).await.map_err(|_| "it couldn't be judged".to_owned())
}

/// Journals what is proposed. It is on disk before anything starts: a start waits for itself and all before it.
pub(super) fn propose(judged: Result<Prepared, String>, recorder: &Recorder) -> Proposal {
    let noted = judged.and_then(|prepared| {
        let event = JournalEvent::Proposed { prepared: Box::new(prepared.clone()) };
        recorder.note(&[JournalEntry::of(prepared.operation.id, event)])?;
        Ok(prepared)
    });
    noted.map_or_else(Proposal::Refused, |prepared| Proposal::Ready(Box::new(prepared)))
}
