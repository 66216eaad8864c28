//! `apply`: puts what a staged run changed in its place, once somebody agreed. Proposed by the program alone; no model
//! is offered it. All of it is compared with what was shown before the first path is touched.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::file::{Keeper, Place, is};
use super::super::sink::Sink;
use super::super::{RunPort, Tool, Workbench, cancelled, failed, foreign};
use super::{place, preview};
use crate::assess::{ApplyAssessor, RiskAssessor};
use crate::domain::number::count;
use crate::domain::{
    APPLY, ApplyOperation, Arguments, ArgumentsError, Countersigned, Image, Measurement, OperationId, OperationKind,
    Outcome, Prepared, RunEvent, RunReport, ToolSpec, Undoable,
};
use crate::store::{Held, Images};

/// Puts changes in place.
#[derive(Clone, Debug)]
pub struct ApplyTool {
    bench: Arc<Workbench>,
}

impl ApplyTool {
    /// The tool of a workbench.
    #[must_use]
    pub fn new(bench: Arc<Workbench>) -> Self {
        Self { bench }
    }
}

impl Tool for ApplyTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: APPLY.to_owned(),
            description: "Puts what a staged run changed in its place.".to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["operation"],
                "properties": { "operation": { "type": "integer", "description": "Number of the run." } }
            }),
        }
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &ApplyAssessor
    }

    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        arguments.only(&["operation"])?;
        let number = arguments.values.get("operation").and_then(Value::as_u64);
        let of = OperationId(number.ok_or_else(|| ArgumentsError("`operation` must be a number".to_owned()))?);
        let held = self.bench.layers.held(of).ok_or_else(|| ArgumentsError(format!("no changes of {of} wait")))?;
        let (workspace, changes) = (held.layer.workspace.clone(), held.changes.clone());
        Ok(OperationKind::Apply(ApplyOperation { of, workspace, changes }))
    }

    fn preview<'a>(&'a self, prepared: &'a Prepared, _cancel: CancellationToken) -> BoxFuture<'a, Measurement> {
        Box::pin(async move {
            let OperationKind::Apply(apply) = prepared.operation.kind.clone() else { return Ok(None) };
            let Some(held) = self.bench.layers.held(apply.of) else {
                return Err("What it would put in place is gone.".to_owned());
            };
            let images = Arc::clone(&self.bench.images);
            let measured = tokio::task::spawn_blocking(move || preview::measure(&apply, &held, &images));
            measured.await.map(Some).map_err(|_| "Looking at it failed; the log has more.".to_owned())
        })
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        Box::pin(async move {
            let started = Instant::now();
            let OperationKind::Apply(apply) = countersigned.operation().kind.clone() else { return foreign(started) };
            if cancel.is_cancelled() {
                return cancelled(started);
            }
            let Some(held) = self.bench.layers.held(apply.of) else {
                return failed(format!("no changes of {} wait any more", apply.of), started);
            };
            let (of, images, id) = (apply.of, Arc::clone(&self.bench.images), countersigned.operation().id);
            let done = tokio::task::spawn_blocking(move || put_in_place(&apply, &held, &images, id)).await;
            if !self.bench.images.changes(id).is_empty() {
                port.send(RunEvent::Undoable(Undoable::Kept)).await;
            }
            self.bench.layers.release(of);
            match done {
                Ok(Ok(summary)) => {
                    let text = format!("The changes of {of} are in place: {summary}.");
                    let sink = Sink::new(port);
                    sink.say(&text);
                    sink.finish(0).await;
                    RunReport { outcome: Outcome::Succeeded { summary }, result: text, took: started.elapsed() }
                }
                Ok(Err(reason)) => failed(reason, started),
                Err(_) => failed("it broke off; what it did is not known".to_owned(), started),
            }
        })
    }
}

/// Puts all changes in place. Every path is looked at before the first is touched.
fn put_in_place(apply: &ApplyOperation, held: &Held, images: &Images, id: OperationId) -> Result<String, String> {
    let upper = held.layer.upper();
    let mut seen = BTreeSet::new();
    for change in &apply.changes {
        let there = Place::at(&apply.workspace.join(&change.path));
        // What a change before it leaves there is known.
        if seen.insert(&change.path)
            && apply
                .changes
                .iter()
                .take_while(|other| *other != change)
                .all(|other| !change.path.starts_with(&other.path))
        {
            let same = is(&there.judged(), &change.before).map_err(|error| stopped(&error.to_string(), apply, 0))?;
            if !same {
                return Err(stopped(&format!("{} changed since then", change.path.display()), apply, 0));
            }
        }
        if matches!(change.after, Image::File { .. } | Image::Link { .. }) {
            let from = Place::at(&upper.join(&change.path));
            if !is(&from.judged(), &change.after).unwrap_or(false) {
                return Err(stopped(&format!("{} is not what was shown", change.path.display()), apply, 0));
            }
        }
    }
    let keeper = Keeper::new(images, id);
    let mut noted = Vec::new();
    let mut trouble = None;
    for (number, change) in apply.changes.iter().enumerate() {
        match place::set(change, &upper, &apply.workspace, &keeper) {
            Ok(done) => noted.extend(done),
            Err(error) => {
                trouble = Some(stopped(&error.to_string(), apply, number));
                break;
            }
        }
    }
    if let Err(error) = images.note_all(id, noted) {
        tracing::warn!("the changes of {id} can only be taken back in this session: {error}");
    }
    trouble.map_or_else(|| Ok(apply.brief()), Err)
}

/// What stopped it, how far it came, and what to do.
fn stopped(why: &str, apply: &ApplyOperation, done: usize) -> String {
    let far = match done {
        0 => "nothing was changed".to_owned(),
        done => format!("{} before it made, which undo can reverse", count(done, "change")),
    };
    format!("{why}; {far}. What {} left is dropped: run it again", apply.of)
}
