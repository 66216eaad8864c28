//! `file_operations`: reads and changes files at the real paths that were judged, never through a link that
//! came since. Whole files are replaced in one step; nothing is deleted recursively, nothing is overwritten
//! by a move.

mod keeper;
mod preview;
mod reading;
mod real;
mod restore;
mod undone;
mod writing;

use std::io;
use std::sync::Arc;
use std::time::Instant;

use futures::future::BoxFuture;
use serde_json::json;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

pub(super) use keeper::Keeper;
pub(super) use preview::compare;
pub(super) use real::{Sort, Spot, explain, sort};
pub(super) use restore::{Place, is, put_back};
pub(super) use undone::foresee;
pub(super) use writing::{Rights, put, rename_to_nothing};

use super::look::located;
use super::names::Names;
use super::sink::Sink;
use super::{RunPort, Tool, Workbench};
use crate::assess::{FileAssessor, RiskAssessor};
use crate::domain::{
    Arguments, ArgumentsError, Countersigned, Facts, FileOperation, Measurement, OperationKind, Outcome, PathFact,
    Prepared, RunEvent, RunReport, ToolSpec, Undoable,
};

/// Why an operation on a file didn't happen.
#[derive(Debug, Error)]
pub(super) enum FileError {
    #[error("{0} wasn't looked at before it was judged; ask again")]
    Unjudged(String),
    #[error("{0} is not there")]
    Missing(String),
    #[error("{0} is a folder; use the operation `list`")]
    Folder(String),
    #[error("{0} is not a folder; use the operation `read`")]
    NotFolder(String),
    #[error("{0} is a device, a pipe or a socket, which can't be read or written here")]
    Special(String),
    #[error("{0} is a link; name the file that it leads to, or use a command")]
    Link(String),
    #[error("{0} changed since it was judged: a link or another thing stands in its place; ask again")]
    Changed(String),
    #[error("{0} is not text but {1} bytes of binary data")]
    Binary(String, u64),
    #[error("{0} is {1} bytes long; only up to {2} bytes can be edited")]
    TooLong(String, u64, u64),
    #[error("{path} has only {lines} lines")]
    PastEnd { path: String, lines: u64 },
    #[error("`old_text` is empty; use the operation `write` to set the whole content")]
    EmptyOld,
    #[error("`old_text` and `new_text` are the same")]
    SameText,
    #[error("`old_text` doesn't occur in {0}{1}")]
    NoMatch(String, &'static str),
    #[error("`old_text` occurs {1} times in {0}; give more of the text around it, or set `all`")]
    ManyMatches(String, usize),
    #[error("{0} is there already; a move never overwrites")]
    Occupied(String),
    #[error("{0} is not empty; only files and empty folders can be deleted")]
    NotEmpty(String),
    #[error("{0} and {1} are on different file systems; copy it with a command")]
    OtherDevice(String, String),
    #[error(
        "what stands at {0} couldn't be kept for undo ({1}), so it was not changed; free some space, or change it with a command"
    )]
    NotKept(String, io::Error),
    #[error("{0} changed since then, so it is left as it is")]
    ChangedSince(String),
    #[error("what stood at {0} is not kept any more ({1})")]
    ImageGone(String, io::Error),
    #[error("{0} belongs to Countersign itself; no tool changes it")]
    Own(String),
    #[error(
        "{0} is a sensitive file under another name, which is not read unasked; name the file itself, and the person is asked"
    )]
    OtherName(String),
    #[error("cancelled")]
    Cancelled,
    #[error("{0}: {1}")]
    Io(String, io::Error),
}

/// What an operation gives: a short figure, and the text for the model.
struct Done {
    summary: String,
    text: String,
}

/// A path as it was spelled, with what it was judged to be.
pub(super) struct Judged<'a> {
    spelled: &'a str,
    fact: &'a PathFact,
}

impl<'a> Judged<'a> {
    fn of(facts: &'a Facts, spelled: &'a str) -> Result<Self, FileError> {
        let fact = facts.paths.get(spelled).ok_or_else(|| FileError::Unjudged(spelled.to_owned()))?;
        Ok(Self { spelled, fact })
    }

    /// The path as it was spelled, for sentences.
    pub(super) fn name(&self) -> String {
        self.spelled.to_owned()
    }
}

/// Reads and changes files.
#[derive(Clone, Debug)]
pub struct FileTool {
    bench: Arc<Workbench>,
}

impl FileTool {
    /// The tool of a workbench.
    #[must_use]
    pub fn new(bench: Arc<Workbench>) -> Self {
        Self { bench }
    }
}

impl FileTool {
    /// Refuses to change the program's own files, whoever allowed it.
    fn own(&self, operation: &FileOperation, facts: &Facts) -> Option<FileError> {
        let changed = match operation {
            FileOperation::Read { .. } | FileOperation::List { .. } | FileOperation::Exists { .. } => return None,
            FileOperation::Write { path, .. } | FileOperation::Edit { path, .. } | FileOperation::Delete { path } => {
                [Some(path), None]
            }
            FileOperation::Move { path, destination } => [Some(path), Some(destination)],
        };
        let own = |path: &&String| {
            let real = facts.paths.get(*path).map(|fact| &fact.real);
            real.is_some_and(|real| self.bench.walls.own(real))
        };
        changed.into_iter().flatten().find(own).map(|path| FileError::Own(path.clone()))
    }
}

impl Tool for FileTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "file_operations".to_owned(),
            description: "Works on one file or folder. read: its text, or `limit` lines from line `offset`. list: \
                the entries of a folder. exists: whether it is there. write: creates it or replaces its whole \
                content. edit: replaces `old_text`, which must occur exactly once (or everywhere with `all`). \
                delete: a file or an empty folder. move: to `destination`, never over something. Relative paths \
                start in the workspace."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["operation", "path"],
                "properties": {
                    "operation": {
                        "type": "string",
                        "enum": ["read", "list", "exists", "write", "edit", "delete", "move"]
                    },
                    "path": { "type": "string", "description": "The file or folder." },
                    "destination": { "type": "string", "description": "For move: the new path." },
                    "content": { "type": "string", "description": "For write: the whole new text." },
                    "old_text": { "type": "string", "description": "For edit: what stands there, exactly." },
                    "new_text": { "type": "string", "description": "For edit: what shall stand there." },
                    "all": { "type": "boolean", "description": "For edit: every occurrence." },
                    "offset": { "type": "integer", "minimum": 1, "description": "For read: first line, from 1." },
                    "limit": { "type": "integer", "minimum": 1, "description": "For read: how many lines." }
                }
            }),
        }
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &FileAssessor
    }

    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        FileOperation::read(arguments).map(OperationKind::File)
    }

    fn preview<'a>(&'a self, prepared: &'a Prepared, cancel: CancellationToken) -> BoxFuture<'a, Measurement> {
        Box::pin(async move {
            match &prepared.operation.kind {
                OperationKind::File(operation) => {
                    preview::measure(&self.bench, operation, &prepared.facts, cancel).await
                }
                _ => Ok(None),
            }
        })
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        let limit = self.bench.result_limit;
        Box::pin(async move {
            let started = Instant::now();
            let OperationKind::File(operation) = countersigned.operation().kind.clone() else {
                return super::foreign(started);
            };
            let facts = countersigned.prepared().facts.clone();
            if let Some(own) = self.own(&operation, &facts) {
                return super::failed(own.to_string(), started);
            }
            let (images, id) = (Arc::clone(&self.bench.images), countersigned.operation().id);
            let names = Names::unless_asked(&self.bench, countersigned.decider());
            let done = tokio::task::spawn_blocking(move || {
                names.map_or(Ok(()), |names| shown(&operation, &facts, &names))?;
                let diff = preview::diff(&operation, &facts);
                let done = perform(&operation, &facts, limit, &Keeper::new(&images, id), &cancel)?;
                Ok((done, diff))
            });
            let done = done.await;
            if !self.bench.images.changes(id).is_empty() {
                port.send(RunEvent::Undoable(Undoable::Kept)).await;
            }
            match done {
                Ok(Ok((done, diff))) => {
                    let sink = Sink::new(port);
                    sink.say(&done.text);
                    // For the person alone: the model knows what it asked for.
                    if let Some(diff) = diff {
                        sink.say(&format!("\n{diff}"));
                    }
                    sink.finish(0).await;
                    let outcome = Outcome::Succeeded { summary: done.summary };
                    RunReport { outcome, result: done.text, took: started.elapsed() }
                }
                Ok(Err(FileError::Cancelled)) => super::cancelled(started),
                Ok(Err(error)) => super::failed(error.to_string(), started),
                Err(_) => super::failed("the operation broke off; what it did is not known".to_owned(), started),
            }
        })
    }
}

/// Refuses to read a file that has a sensitive name, too.
fn shown(operation: &FileOperation, facts: &Facts, names: &Names) -> Result<(), FileError> {
    let FileOperation::Read { path, .. } = operation else { return Ok(()) };
    let about = facts.paths.get(path).and_then(|fact| fact.real.symlink_metadata().ok());
    if about.is_some_and(|about| names.hide(&about)) { Err(FileError::OtherName(path.clone())) } else { Ok(()) }
}

/// Does it, on a thread that may wait for a disk.
fn perform(
    operation: &FileOperation,
    facts: &Facts,
    limit: usize,
    keeper: &Keeper<'_>,
    cancel: &CancellationToken,
) -> Result<Done, FileError> {
    if cancel.is_cancelled() {
        return Err(FileError::Cancelled);
    }
    let path = Judged::of(facts, operation.path())?;
    match operation {
        FileOperation::Read { offset, limit: lines, .. } => reading::read(&path, *offset, *lines, limit, cancel),
        FileOperation::List { .. } => reading::list(&path, limit, cancel),
        FileOperation::Exists { .. } => reading::exists(&path),
        FileOperation::Write { content, .. } => writing::write(&path, content, keeper),
        FileOperation::Edit { old, new, all, .. } => writing::edit(&path, old, new, *all, keeper),
        FileOperation::Delete { .. } => writing::delete(&path, &located(operation.path(), &facts.place), keeper),
        FileOperation::Move { destination, .. } => {
            let target = Judged::of(facts, destination)?;
            writing::relocate(
                &path,
                &located(operation.path(), &facts.place),
                &target,
                &located(destination, &facts.place),
                keeper,
            )
        }
    }
}

/// `1 line`, `2 lines`.
fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
