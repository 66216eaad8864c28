//! `find_files`: files and folders by name. Goes through `walk.rs`, so it leaves out the same.

use std::sync::Arc;
use std::time::Instant;

use futures::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::search::{Found, conclude};
use super::sink::{Sink, Writer};
use super::walk::{Halt, Leash, Pattern, Scope};
use super::{RunPort, Tool, Workbench};
use crate::assess::{RiskAssessor, SearchAssessor};
use crate::domain::{Arguments, ArgumentsError, Countersigned, FindOperation, OperationKind, RunReport, ToolSpec};

/// Names after which a search ends.
const MOST: u64 = 20_000;

/// Finds files by name.
#[derive(Clone, Debug)]
pub struct FindTool {
    bench: Arc<Workbench>,
}

impl FindTool {
    /// The tool of a workbench.
    #[must_use]
    pub fn new(bench: Arc<Workbench>) -> Self {
        Self { bench }
    }
}

impl Tool for FindTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "find_files".to_owned(),
            description: "Finds files and folders by a glob, such as *.rs (names at any depth) or src/**/test_* \
                (paths). Leaves out what .gitignore names and sensitive files. Folders end in a slash."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["glob"],
                "properties": {
                    "glob": {
                        "type": "string",
                        "description": "Without a slash it matches names, with one the path within the folder."
                    },
                    "path": { "type": "string", "description": "Folder to look in; the workspace without it." }
                }
            }),
        }
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &SearchAssessor
    }

    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        FindOperation::read(arguments).map(OperationKind::Find)
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        Box::pin(async move {
            let started = Instant::now();
            let OperationKind::Find(operation) = countersigned.operation().kind.clone() else {
                return super::foreign(started);
            };
            let facts = &countersigned.prepared().facts;
            let scope = Scope::of(operation.path.as_deref(), facts, self.bench.settings.sensitive.clone());
            let prepared = scope.and_then(|scope| Ok((scope, Pattern::new(&operation.glob)?)));
            let (scope, pattern) = match prepared {
                Ok(prepared) => prepared,
                Err(reason) => return super::failed(reason, started),
            };
            let sink = Sink::new(port);
            let leash = Leash { cancel, deadline: started + self.bench.patience() };
            let (writer, limit) = (sink.writer(), self.bench.result_limit);
            let found = tokio::task::spawn_blocking(move || find(scope, &pattern, &leash, &writer, limit)).await;
            conclude(found.ok(), "path", sink, &self.bench, started).await
        })
    }
}

/// Finds, and writes each path as it is found.
fn find(scope: Scope, pattern: &Pattern, leash: &Leash, writer: &Writer, limit: usize) -> (Found, Option<Halt>) {
    let mut found = Found::new(limit);
    let done = scope.walk(leash, |entry, scope| {
        let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let inner = scope.inner(entry.path());
        // The folder itself is not among what is in it.
        if (entry.depth() > 0 || !folder) && pattern.matches(inner, folder) {
            let line = format!("{}{}\n", scope.shown(entry.path()), if folder { "/" } else { "" });
            writer.say(&line);
            found.add(&line, 1);
        }
        Ok(found.count < MOST)
    });
    found.end(done, MOST)
}
