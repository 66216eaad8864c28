//! `undo`: puts back what operations changed in files. Offered to the person alone, by a key in the list.

use std::sync::Arc;
use std::time::Instant;

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::file::{Keeper, foresee, put_back};
use super::sink::Sink;
use super::{RunPort, Tool, Workbench};
use crate::assess::{RiskAssessor, UndoAssessor};
use crate::domain::{
    Arguments, ArgumentsError, Countersigned, Measurement, OperationId, OperationKind, Outcome, Prepared, RunEvent,
    RunReport, ToolSpec, UNDO, UndoOperation, Undoable,
};

/// Takes changes back.
#[derive(Clone, Debug)]
pub struct UndoTool {
    bench: Arc<Workbench>,
}

impl UndoTool {
    /// The tool of a workbench.
    #[must_use]
    pub fn new(bench: Arc<Workbench>) -> Self {
        Self { bench }
    }
}

impl Tool for UndoTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: UNDO.to_owned(),
            description: "Puts back what operations changed in files, the latest first.".to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["operations"],
                "properties": {
                    "operations": { "type": "array", "items": { "type": "integer" }, "description": "Their numbers." }
                }
            }),
        }
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &UndoAssessor
    }

    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        arguments.only(&["operations"])?;
        let numbers = arguments.values.get("operations").and_then(Value::as_array);
        let numbers: Option<Vec<u64>> = numbers.and_then(|numbers| numbers.iter().map(Value::as_u64).collect());
        let mut operations: Vec<OperationId> = numbers
            .ok_or_else(|| ArgumentsError("`operations` must be a list of numbers".to_owned()))?
            .into_iter()
            .map(OperationId)
            .collect();
        operations.sort_unstable_by(|one, other| other.cmp(one));
        operations.dedup();
        let changes: Vec<_> =
            operations.iter().flat_map(|id| self.bench.images.changes(*id).into_iter().rev()).collect();
        if changes.is_empty() {
            return Err(ArgumentsError("nothing of what they changed was kept".to_owned()));
        }
        Ok(OperationKind::Undo(UndoOperation { operations, changes }))
    }

    fn preview<'a>(&'a self, prepared: &'a Prepared, _cancel: CancellationToken) -> BoxFuture<'a, Measurement> {
        Box::pin(async move {
            let OperationKind::Undo(undo) = prepared.operation.kind.clone() else { return Ok(None) };
            let images = Arc::clone(&self.bench.images);
            let measured = tokio::task::spawn_blocking(move || foresee(&undo, &images)).await;
            measured.map(Some).map_err(|_| "Looking at it failed; the log has more.".to_owned())
        })
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        Box::pin(async move {
            let started = Instant::now();
            let OperationKind::Undo(undo) = countersigned.operation().kind.clone() else {
                return super::foreign(started);
            };
            if cancel.is_cancelled() {
                return super::cancelled(started);
            }
            let (images, id) = (Arc::clone(&self.bench.images), countersigned.operation().id);
            let done = tokio::task::spawn_blocking(move || put_back(&undo, &Keeper::new(&images, id)));
            let done = done.await;
            if !self.bench.images.changes(id).is_empty() {
                port.send(RunEvent::Undoable(Undoable::Kept)).await;
            }
            match done {
                Ok(Ok((summary, text))) => {
                    let sink = Sink::new(port);
                    sink.say(&text);
                    sink.finish(0).await;
                    RunReport { outcome: Outcome::Succeeded { summary }, result: text, took: started.elapsed() }
                }
                Ok(Err(reason)) => super::failed(reason, started),
                Err(_) => super::failed("the undo broke off; what it did is not known".to_owned(), started),
            }
        })
    }
}
