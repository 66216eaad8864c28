//! What the tests of whole tools share: a workbench on a temporary folder, and operations that really went
//! through the gate.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)] // each test binary uses its own part

use std::path::{Path, PathBuf};
use std::sync::Arc;

use countersign::domain::{
    Admission, ApprovalMode, Assessment, Claim, Countersigned, Enforceable, Facts, Gate, Operation, OperationId,
    OperationKind, Origin, Place, Policy, Prepared, Release, RunEvent, RunReport,
};
use countersign::tools::{RunPort, Tool, Workbench};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A workbench on `folder`, whose children are started by the real binary.
pub fn bench(folder: &Path) -> Arc<Workbench> {
    let launcher = PathBuf::from(env!("CARGO_BIN_EXE_countersign"));
    Arc::new(Workbench::new(folder.to_owned(), Some(folder.to_owned()), launcher))
}

/// An operation that was judged and let through: unasked if the assessment is whitelisted, else by mode.
pub fn countersigned(kind: OperationKind, facts: Facts, assessment: Assessment) -> Countersigned {
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Person,
        tool: "test".to_owned(),
        claim: Claim::Absent,
        kind,
        cwd: facts.place.cwd.clone(),
    };
    let mode = if assessment.findings.is_empty() { ApprovalMode::AllowAll } else { ApprovalMode::Guarded };
    let enforceable = Enforceable { read_only_command: true, read_only_sql: true, staged_command: true };
    let mut gate = Gate::new(Policy { mode, ..Policy::default() }, enforceable);
    let prepared = Prepared { operation, facts, assessment };
    let Admission::Allowed(_) = gate.admit(prepared.clone()) else { panic!("not allowed") };
    let Release::Run(run) = gate.release(OperationId(1), prepared) else { panic!("not released") };
    *run
}

/// A workspace that is its own home folder.
pub fn place(folder: &Path) -> Place {
    Place { cwd: folder.to_owned(), workspace: folder.to_owned(), home: Some(folder.to_owned()) }
}

/// Facts about a folder, without any path.
pub fn facts(folder: &Path) -> Facts {
    Facts { place: place(folder), ..Facts::default() }
}

/// Runs a tool to its end and gives its events with its report.
pub async fn run(
    tool: &dyn Tool,
    countersigned: Countersigned,
    cancel: CancellationToken,
) -> (Vec<RunEvent>, RunReport) {
    let (lane, mut events) = mpsc::channel(8);
    let port = RunPort::new(OperationId(1), lane);
    let collect = tokio::spawn(async move {
        let mut all = Vec::new();
        while let Some((_, event)) = events.recv().await {
            all.push(event);
        }
        all
    });
    let report = tool.run(countersigned, port, cancel).await;
    (collect.await.unwrap(), report)
}
