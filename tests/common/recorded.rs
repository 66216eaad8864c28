//! Recorded sessions for tests and measurements of the journal: operations that were really read, looked at and judged,
//! though nothing of them ever ran.

#![allow(dead_code, clippy::unwrap_used)] // each program uses its own part

use std::path::Path;

use countersign::assess::AssessSettings;
use countersign::cli::assess::assessor;
use countersign::domain::{
    ApprovalMode, Arguments, Containment, Decider, Enforceable, Grants, JournalEntry, JournalEvent, Judgement,
    Operation, OperationId, OperationKind, Origin, Outcome, Place, Policy, Prepared, judge,
};
use countersign::store::{Journal, Session};
use countersign::tools::prepare;
use serde_json::Value;

/// A session that is written from outside.
pub struct Writer {
    pub journal: Journal,
    workspace: std::path::PathBuf,
    next: u64,
}

impl Writer {
    pub async fn open(data: &Path, id: &str, workspace: &Path) -> Self {
        Self::of(data, Session { id: id.into(), ..Session::new(workspace) }).await
    }

    /// The same for a session that holds another agent's calls.
    pub async fn of_agent(data: &Path, (id, agent): (&str, &str), workspace: &Path) -> Self {
        Self::of(data, Session { id: id.into(), agent: agent.to_owned(), ..Session::new(workspace) }).await
    }

    async fn of(data: &Path, session: Session) -> Self {
        let workspace = session.workspace.clone();
        let journal = Journal::open(&data.join("journal.sqlite"), session).await.unwrap();
        Self { journal, workspace, next: 1 }
    }

    /// An operation as a model would call for it, judged in a mode.
    pub fn proposed(&mut self, tool: &str, arguments: &Value, mode: ApprovalMode) -> (Prepared, Judgement) {
        let arguments = Arguments::parse(&arguments.to_string()).unwrap();
        let kind = OperationKind::read(tool, &arguments).unwrap().unwrap();
        let id = OperationId(self.next);
        self.next += 1;
        let operation = Operation {
            id,
            origin: Origin::Model { call_id: id.0.to_string() },
            tool: tool.to_owned(),
            claim: arguments.claim,
            kind,
            cwd: self.workspace.clone(),
        };
        let place =
            Place { cwd: self.workspace.clone(), workspace: self.workspace.clone(), home: Some("/home/nobody".into()) };
        let assessor = assessor(&operation.kind);
        let path = std::ffi::OsStr::new("/usr/bin:/bin");
        let prepared = prepare(assessor, operation, &place, Some(path), &AssessSettings::default());
        let policy = Policy { mode, ..Policy::default() };
        let enforceable = Enforceable { read_only_sql: true, ..Enforceable::default() };
        let judgement = judge(&prepared, &policy, &Grants::default(), enforceable, false);
        (prepared, judgement)
    }

    pub async fn propose(&self, prepared: &Prepared) {
        // As the program does: what asked for it stands before it.
        self.append(prepared.operation.id, JournalEvent::Taken).await;
        let event = JournalEvent::Proposed { prepared: Box::new(prepared.clone()) };
        self.append(prepared.operation.id, event).await;
    }

    pub async fn decide(
        &self,
        id: OperationId,
        judgement: Judgement,
        (decider, allowed, waited): (Decider, bool, Option<u64>),
        reason: Option<&str>,
    ) {
        let reason = reason.map(str::to_owned);
        self.append(id, JournalEvent::Decided { decider, allowed, judgement, reason, waited, left: None }).await;
    }

    pub async fn ran(&self, id: OperationId, summary: &str, milliseconds: u64) {
        self.append(id, JournalEvent::Started { containment: Containment::None }).await;
        let outcome = Outcome::Succeeded { summary: summary.to_owned() };
        self.append(id, JournalEvent::ended(outcome, milliseconds)).await;
    }

    async fn append(&self, id: OperationId, event: JournalEvent) {
        self.journal.append(JournalEntry::of(id, event)).await.unwrap();
    }
}
