//! SQL on real engines, for the tests: a tool with one connection, and the servers that `COUNTERSIGN_POSTGRES` and
//! `COUNTERSIGN_MARIADB` name.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)] // each test binary uses its own part

use std::sync::Arc;
use std::time::{Duration, Instant};

use countersign::assess::AssessSettings;
use countersign::domain::{
    Arguments, Assessment, Claim, Dialect, Operation, OperationId, OperationKind, Origin, Outcome, Prepared, Preview,
    RunEvent, RunReport, Table, Undoable,
};
use countersign::store::Images;
use countersign::tools::{Connections, Database, SqlTool, Tool, Workbench, prepare, with_catalog};
use tokio_util::sync::CancellationToken;

use crate::common::{bench, countersigned, facts, place, run};
use crate::left_out::left_out;

/// A tool with one connection, on a workbench in a temporary folder.
pub struct Desk {
    pub tool: SqlTool,
    pub folder: tempfile::TempDir,
}

/// How a statement is run.
#[derive(Clone, Copy)]
pub enum As {
    /// Somebody approved it.
    Approved,
    /// It was judged to only read.
    Read,
}

/// The same server and database, reached as another user, without a password.
pub fn as_user(url: &str, user: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap();
    let server = rest.split_once('@').map_or(rest, |(_, server)| server);
    format!("{scheme}://{user}@{server}")
}

impl Desk {
    pub fn new(url: &str) -> Self {
        Self::limited(url, 30)
    }

    pub fn limited(url: &str, seconds: u64) -> Self {
        Self::of(Connections::parse_url(url).unwrap(), seconds)
    }

    pub fn of(database: impl Into<Database>, seconds: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut connections = Connections::default();
        connections.add("main", database);
        let workbench = Workbench { time_limit: seconds, ..(*bench(folder.path())).clone() };
        Self { tool: SqlTool::new(Arc::new(workbench), Arc::new(connections)), folder }
    }

    /// A tool that keeps what its writes replace.
    pub fn keeping(url: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut connections = Connections::default();
        connections.add("main", Connections::parse_url(url).unwrap());
        let images = Arc::new(Images::new(&folder.path().join("images"), "session"));
        let workbench = Workbench { images, time_limit: 30, ..(*bench(folder.path())).clone() };
        Self { tool: SqlTool::new(Arc::new(workbench), Arc::new(connections)), folder }
    }

    /// Runs an approved call; gives what it says and its report.
    pub async fn call(&self, arguments: &str) -> (Vec<RunEvent>, RunReport) {
        let kind = self.tool.prepare(&Arguments::parse(arguments).unwrap()).unwrap();
        let run_of = countersigned(kind, facts(self.folder.path()), Assessment::default());
        run(&self.tool, run_of, CancellationToken::new()).await
    }

    /// What is told of a statement while it runs, and its report.
    pub async fn events(&self, sql: &str, how: As, cancel: CancellationToken) -> (Vec<RunEvent>, RunReport) {
        let arguments = serde_json::json!({ "sql": sql }).to_string();
        let kind = self.tool.prepare(&Arguments::parse(&arguments).unwrap()).unwrap();
        let OperationKind::Sql(operation) = &kind else { panic!("not SQL") };
        assert_eq!(operation.connection, "main");
        let assessment = match how {
            As::Approved => Assessment::default(),
            As::Read => Assessment::whitelisted("test", "It reads."),
        };
        let run_of = countersigned(kind, facts(self.folder.path()), assessment);
        run(&self.tool, run_of, cancel).await
    }

    pub async fn with(&self, sql: &str, how: As, cancel: CancellationToken) -> (Table, RunReport) {
        let (events, report) = self.events(sql, how, cancel).await;
        let table = events.into_iter().rev().find_map(|event| match event {
            RunEvent::Table(table) => Some((*table).clone()),
            RunEvent::Started
            | RunEvent::Tail(_)
            | RunEvent::Undoable(_)
            | RunEvent::Glass(_)
            | RunEvent::Waits(_)
            | RunEvent::Asks(_)
            | RunEvent::Parts(_)
            | RunEvent::Used(_)
            | RunEvent::Note(_)
            | RunEvent::Warning(_)
            | RunEvent::Stopped
            | RunEvent::Finished(_) => None,
        });
        (table.unwrap_or_default(), report)
    }

    /// A call as the program judges it before it runs: by its text, and by what the database says of its names.
    pub async fn judged(&self, sql: &str) -> Prepared {
        self.judged_call(&serde_json::json!({ "sql": sql }).to_string()).await
    }

    async fn judged_call(&self, arguments: &str) -> Prepared {
        let kind = self.tool.prepare(&Arguments::parse(arguments).unwrap()).unwrap();
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: "execute_sql".to_owned(),
            claim: Claim::Absent,
            kind,
            cwd: self.folder.path().to_owned(),
        };
        let settings = AssessSettings::default();
        let prepared = prepare(self.tool.assessor(), operation, &place(self.folder.path()), None, &settings);
        let catalog = self.tool.look(&prepared.operation.kind).await.unwrap().unwrap();
        with_catalog(self.tool.assessor(), prepared, catalog, &settings)
    }

    /// Why nothing can be asked about a statement: its database can't be reached, to read or to write.
    pub async fn unreached(&self, sql: &str) -> String {
        let arguments = serde_json::json!({ "sql": sql }).to_string();
        let kind = self.tool.prepare(&Arguments::parse(&arguments).unwrap()).unwrap();
        let why = self.tool.look(&kind).await.unwrap_err();
        assert_eq!(self.tool.reach(&kind).await, Err(why.clone()));
        why
    }

    /// What is told beforehand of what a statement would do.
    pub async fn told(&self, sql: &str) -> Preview {
        self.told_of(&serde_json::json!({ "sql": sql }).to_string()).await
    }

    /// The same of a call.
    pub async fn told_of(&self, arguments: &str) -> Preview {
        let told = self.tool.preview(&self.judged_call(arguments).await, CancellationToken::new()).await;
        told.unwrap_or_else(|why| panic!("{arguments}: {why}")).unwrap_or_else(|| panic!("{arguments}: nothing"))
    }

    /// Runs what must succeed; gives its summary.
    pub async fn approved(&self, sql: &str) -> String {
        match self.with(sql, As::Approved, CancellationToken::new()).await.1.outcome {
            Outcome::Succeeded { summary } => summary,
            other => panic!("{sql}: {other:?}"),
        }
    }

    pub async fn read(&self, sql: &str) -> (Table, RunReport) {
        self.with(sql, As::Read, CancellationToken::new()).await
    }

    /// One row, as text.
    pub async fn row(&self, sql: &str) -> Vec<String> {
        let (table, report) = self.read(sql).await;
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{sql}: {}", report.result);
        assert_eq!(table.rows.len(), 1, "{sql}");
        table.rows[0].iter().map(|cell| cell.clone().unwrap_or_else(|| "NULL".to_owned())).collect()
    }

    /// The reason why it fails as a read.
    pub async fn refused(&self, sql: &str) -> String {
        match self.read(sql).await.1.outcome {
            Outcome::Failed { reason } => reason,
            other => panic!("{sql}: {other:?}"),
        }
    }

    /// Cancels a slow statement and says how long the whole took.
    pub async fn cancelled(&self, sql: &str) -> Duration {
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(400)).await;
            stop.cancel();
        });
        let started = Instant::now();
        let (_, report) = self.with(sql, As::Read, cancel).await;
        assert_eq!(report.outcome, Outcome::Cancelled, "{}", report.result);
        started.elapsed()
    }
}

/// The URL of a server, or nothing after saying what is left out. A server that must be there fails here.
/// Only one that the variable names: a server that happens to run here is somebody's.
async fn server(variable: &str) -> Option<String> {
    let Ok(url) = std::env::var(variable) else {
        left_out("a test against a database server", &format!("set {variable} to the URL of one"));
        return None;
    };
    let desk = Desk::new(&url);
    let asked = tokio::time::timeout(Duration::from_secs(3), desk.read("SELECT 1")).await;
    let reason = match asked {
        Ok((_, RunReport { outcome: Outcome::Succeeded { .. }, .. })) => return Some(url),
        Ok((_, report)) => report.result,
        Err(_) => "no answer".to_owned(),
    };
    left_out("a test against a database server", &format!("{variable} names one that fails: {reason}"));
    None
}

pub async fn postgres() -> Option<String> {
    server("COUNTERSIGN_POSTGRES").await
}

pub async fn mariadb() -> Option<String> {
    server("COUNTERSIGN_MARIADB").await
}

/// A URL with another database.
pub fn within(url: &str, database: &str) -> String {
    let (server, _) = url.rsplit_once('/').unwrap();
    format!("{server}/{database}")
}

/// How what ran can be taken back.
pub fn undoable(events: &[RunEvent]) -> Option<String> {
    events.iter().find_map(|event| match event {
        RunEvent::Undoable(Undoable::Call(arguments)) => Some(arguments.clone()),
        _ => None,
    })
}

/// A tool that keeps what its writes replace, for each engine that is there.
pub async fn desks() -> Vec<(Dialect, Desk)> {
    let mut desks = Vec::new();
    let folder = tempfile::tempdir().unwrap().keep();
    let url = format!("sqlite:{}?mode=rwc", folder.join("u.db").display());
    desks.push((Dialect::Sqlite, Desk::keeping(&url)));
    if let Some(url) = postgres().await {
        desks.push((Dialect::Postgres, Desk::keeping(&url)));
    }
    if let Some(url) = mariadb().await {
        let desk = Desk::keeping(&url);
        desk.approved("CREATE DATABASE IF NOT EXISTS countersign_undo").await;
        let url = within(&url, "countersign_undo");
        desks.push((Dialect::Mysql, Desk::keeping(&url)));
    }
    desks
}

/// Makes a table of three rows.
pub async fn three(desk: &Desk, table: &str) {
    desk.approved(&format!("DROP TABLE IF EXISTS {table}")).await;
    desk.approved(&format!("CREATE TABLE {table} (id int NOT NULL PRIMARY KEY, name varchar(20))")).await;
    desk.approved(&format!("INSERT INTO {table} VALUES (1, 'ann'), (2, 'bob'), (3, 'cy')")).await;
}
