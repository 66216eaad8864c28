//! `execute_sql`: statements on named connections to SQLite, PostgreSQL and MySQL or MariaDB. What was judged
//! to only read runs where the engine itself refuses to write; stopping stops it in the server.

mod address;
mod along;
mod code;
mod connections;
mod differ;
mod displaced;
mod error;
mod inverse;
mod keep;
mod meant;
mod mysql;
mod postgres;
mod preview;
mod reach;
mod role;
mod rows;
mod session;
mod sqlite;
mod statement;
mod table;
mod trial;
mod turned;
mod upsert;
mod value;
mod wall;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde_json::json;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

pub use address::Address;
pub use connections::{Connections, Database, Results};
pub use error::SqlError;
pub use role::Roles;

use self::connections::{Failure, Source};
use self::keep::{Keeping, Kept};
use self::rows::{Rows, some_rows};
use self::session::{Access, Session};
use super::{RunPort, Tool, Workbench};
use crate::assess::sql_catalog::{self, Names};
use crate::assess::{RiskAssessor, SqlAssessor};
use crate::domain::{
    Arguments, ArgumentsError, Catalog, Containment, Countersigned, Measurement, OperationKind, Outcome, Prepared,
    RunEvent, RunReport, SqlOperation, SqlWay, TakeBack, ToolSpec, Undoable,
};
use crate::store::Images;

/// Time that the catalog has to answer, connecting included.
const LOOK: Duration = Duration::from_secs(2);
/// Time that a stopped statement may take to end before its connection is given up.
const PATIENCE: Duration = Duration::from_secs(3);

/// Runs SQL.
#[derive(Clone, Debug)]
pub struct SqlTool {
    bench: Arc<Workbench>,
    connections: Arc<Connections>,
}

impl SqlTool {
    /// The tool of a workbench and its connections.
    #[must_use]
    pub fn new(bench: Arc<Workbench>, connections: Arc<Connections>) -> Self {
        Self { bench, connections }
    }
}

/// The SQLSTATE of what a transaction that only reads doesn't do: `read_only_sql_transaction` in PostgreSQL, 1792 in
/// MySQL and MariaDB.
const READ_ONLY: &str = "25006";

/// How a statement came to its end.
enum End {
    Done(Result<Keeping, SqlError>),
    Stopped(Why, Halt),
}

/// What is done with a text.
#[derive(Clone, Copy)]
enum Work<'a> {
    /// It runs.
    Run,
    /// It runs, and the rows that it changes are kept.
    Keep(&'a Images),
    /// It is tried, and rolled back.
    Try,
    /// It takes something back, which changes so many rows.
    TakeBack(u64),
}

/// Why a statement was stopped.
#[derive(Clone, Copy)]
enum Why {
    Cancelled,
    TimedOut,
}

/// What is known of a statement that was stopped.
#[derive(Clone, Copy)]
enum Halt {
    /// It was not sent yet.
    Before,
    /// The database ended it.
    Ended,
    /// The database was asked to, and didn't answer.
    Unsure,
}

impl Tool for SqlTool {
    fn spec(&self) -> ToolSpec {
        let names: Vec<_> = self.connections.names().collect();
        let dialects: Vec<_> = self.connections.described().collect();
        ToolSpec {
            name: "execute_sql".to_owned(),
            description: format!(
                "Runs SQL on a database and returns the rows, or how many rows changed. Send one statement at a \
                time, in the dialect of the connection. Connections: {}.",
                dialects.join(", ")
            ),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["sql"],
                "properties": {
                    "sql": { "type": "string", "description": "The statement." },
                    "connection": {
                        "type": "string", "enum": names,
                        "description": format!(
                            "Name of the connection; {} without it.", self.connections.default_name().as_deref().unwrap_or("none")
                        )
                    }
                }
            }),
        }
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &SqlAssessor
    }

    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        let back = ["undo", "redo"].into_iter().find(|name| arguments.values.contains_key(*name));
        let operation = match back {
            Some(name) => self.taking_back(arguments, name)?,
            None => trying(arguments)?,
        };
        let source = self.connections.find(&operation.connection).map_err(ArgumentsError)?;
        let (connection, dialect) = (source.name.clone(), Some(source.dialect()));
        Ok(OperationKind::Sql(SqlOperation { connection, dialect, ..operation }))
    }

    fn reserved(&self) -> &'static [&'static str] {
        &["trial", "undo", "redo"]
    }

    fn look<'a>(&'a self, kind: &'a OperationKind) -> BoxFuture<'a, Result<Option<Catalog>, String>> {
        Box::pin(async move {
            let OperationKind::Sql(operation) = kind else { return Ok(None) };
            let source = match self.connections.find(&operation.connection) {
                Ok(source) => Arc::clone(source),
                Err(reason) => return Ok(Some(Catalog::unknown(reason))),
            };
            let names = sql_catalog::names(source.dialect(), &operation.sql);
            let asked = timeout(LOOK, look(&source, &operation.sql, names, self.bench.time_limit)).await;
            Ok(Some(match asked {
                Ok(Ok(catalog)) => catalog,
                Ok(Err(error @ (SqlError::Unreachable(..) | SqlError::TurnedAway { .. } | SqlError::NoFile(_))))
                    if !source.is_unmade() =>
                {
                    return Err(error.advised());
                }
                Ok(Err(error)) => Catalog::unknown(error.to_string()),
                Err(_) => Catalog::unknown(format!("no answer within {} s", LOOK.as_secs())),
            }))
        })
    }

    fn reach<'a>(&'a self, kind: &'a OperationKind) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let OperationKind::Sql(operation) = kind else { return Ok(()) };
            self.connections.reach(&operation.connection, true).await
        })
    }

    fn preview<'a>(&'a self, prepared: &'a Prepared, cancel: CancellationToken) -> BoxFuture<'a, Measurement> {
        Box::pin(async move {
            let OperationKind::Sql(operation) = &prepared.operation.kind else { return Ok(None) };
            let source = Arc::clone(self.connections.find(&operation.connection)?);
            preview::measure(&source, &self.bench.images, prepared, operation, &cancel).await
        })
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        Box::pin(async move {
            let started = Instant::now();
            let OperationKind::Sql(operation) = &countersigned.operation().kind else {
                return super::foreign(started);
            };
            let source = match self.connections.find(&operation.connection) {
                Ok(source) => Arc::clone(source),
                Err(reason) => return super::failed(reason, started),
            };
            let read_only = countersigned.containment() == Containment::ReadOnly;
            let access = if read_only { Access::ReadOnly } else { Access::Full };
            let limit = self.bench.time_limit;
            let work = match &operation.way {
                _ if read_only => Work::Run,
                SqlWay::Plain => Work::Keep(&self.bench.images),
                SqlWay::TakeBack(back) => Work::TakeBack(back.rows),
                SqlWay::Trial => Work::Try,
            };
            let mut rows = Rows::new(port.clone());
            let end = execute(&source, access, (work, &operation.sql), limit, &mut rows, &cancel).await;
            rows.finish().await;
            if let End::Done(Ok(keeping)) = &end {
                if !read_only && rows.none_changed() && statement::changes_rows(&operation.sql) {
                    rows.decided(&preview::deciding(&source, &operation.sql).await);
                }
                tell(operation, keeping, &port).await;
            }
            if let (true, End::Done(Err(SqlError::Refused { code, .. }))) = (read_only, &end)
                && code.as_deref() == Some(READ_ONLY)
            {
                port.send(RunEvent::Stopped).await;
            }
            report(end, operation, limit, &rows, (source.database.results, self.bench.result_limit), started)
        })
    }
}

/// A statement, to run or to be tried.
fn trying(arguments: &Arguments) -> Result<SqlOperation, ArgumentsError> {
    let mut arguments = arguments.clone();
    let way = if arguments.flag("trial")? { SqlWay::Trial } else { SqlWay::Plain };
    arguments.values.remove("trial");
    Ok(SqlOperation { way, ..SqlOperation::read(&arguments)? })
}

/// Tells the person's side how a write could be taken back, or why it can't be.
async fn tell(operation: &SqlOperation, keeping: &Keeping, port: &RunPort) {
    let connection = &operation.connection;
    let call = |arguments: serde_json::Value| RunEvent::Undoable(Undoable::Call(arguments.to_string()));
    let event = match (&operation.way, keeping) {
        (SqlWay::TakeBack(back), _) => {
            let name = if back.again { "undo" } else { "redo" };
            call(json!({ "connection": connection, name: back.kept }))
        }
        (SqlWay::Plain | SqlWay::Trial, Keeping::Under(digest)) => {
            call(json!({ "connection": connection, "undo": digest }))
        }
        (_, Keeping::Not(why)) => RunEvent::Note(format!("Nothing was kept for undo: {why}")),
        (_, Keeping::Nothing) => return,
    };
    port.send(event).await;
}

impl SqlTool {
    /// The operation that takes back what was kept, or does it again.
    fn taking_back(&self, arguments: &Arguments, name: &str) -> Result<SqlOperation, ArgumentsError> {
        arguments.only(&["connection", name])?;
        let kept = arguments.text(name)?;
        let scripts = Kept::open(&self.bench.images, &kept).map_err(ArgumentsError)?;
        let again = name == "redo";
        let script = if again { scripts.again } else { scripts.back };
        Ok(SqlOperation {
            connection: arguments.text("connection")?,
            dialect: None,
            sql: script.sql,
            way: SqlWay::TakeBack(TakeBack { kept, again, rows: script.rows }),
        })
    }
}

/// Asks the catalog of a source what the names in a statement lead to, on a session that only reads.
async fn look(source: &Source, sql: &str, names: Option<Names>, limit: u64) -> Result<Catalog, SqlError> {
    let Some(names) = names else { return Ok(code::unclear()) };
    let mut session = source.take(Access::ReadOnly, limit).await?;
    match session.look(sql, &names).await {
        Ok(catalog) => {
            source.give_back(Access::ReadOnly, session).await;
            Ok(catalog)
        }
        Err(failure) => Err(source.explain(failure)),
    }
}

/// Runs it on a session of its source, within the limit. A healthy session goes back for the next use.
async fn execute(
    source: &Source,
    access: Access,
    job: (Work<'_>, &str),
    limit: u64,
    rows: &mut Rows,
    cancel: &CancellationToken,
) -> End {
    let mut session = tokio::select! {
        session = source.take(access, limit) => match session {
            Ok(session) => session,
            Err(error) => return End::Done(Err(error)),
        },
        () = cancel.cancelled() => return End::Stopped(Why::Cancelled, Halt::Before),
    };
    let sql = job.1;
    // What takes something back leaves a session as it was.
    let leaves = access == Access::Full && !matches!(job.0, Work::TakeBack(_));
    let mut end = attend(session.as_mut(), source, job, limit, rows, cancel).await;
    if let (End::Done(Err(SqlError::Refused { message, .. })), true) = &mut end {
        meant::add(session.as_mut(), message).await;
    }
    match end {
        (end, true) => {
            // The next statement is to hit the database that is told of it.
            if turned::moves(source.dialect(), sql) {
                return end;
            }
            if leaves {
                source.turn(sql, matches!(end, End::Done(Err(SqlError::Refused { .. }))));
            }
            source.give_back(access, session).await;
            end
        }
        (end, false) => end,
    }
}

/// Waits for its end, and stops it in the server at the limit or when asked to. Says whether the session may
/// be used again.
async fn attend(
    session: &mut dyn Session,
    source: &Source,
    (work, sql): (Work<'_>, &str),
    limit: u64,
    rows: &mut Rows,
    cancel: &CancellationToken,
) -> (End, bool) {
    let (brake, started) = (session.brake(), Instant::now());
    let mut running: BoxFuture<'_, Result<Keeping, Failure>> = Box::pin(async {
        match work {
            Work::Run => session.run(sql, rows).await.map(|()| Keeping::Nothing),
            Work::Keep(images) => keep::run(session, source.dialect(), sql, images, rows).await,
            Work::Try => trial::run(session, source.dialect(), sql, rows).await.map(|()| Keeping::Nothing),
            Work::TakeBack(expected) => keep::take_back(session, sql, expected, rows).await.map(|()| Keeping::Nothing),
        }
    });
    let why = tokio::select! {
        done = &mut running => {
            let error = match done {
                Ok(keeping) => return (End::Done(Ok(keeping)), true),
                // The server's own limit comes a little before ours.
                Err(failure) if failure.stopped() && started.elapsed() + Duration::from_secs(1) > Duration::from_secs(limit) => {
                    return (End::Stopped(Why::TimedOut, Halt::Ended), true);
                }
                Err(failure) => source.explain(failure),
            };
            let healthy = !matches!(error, SqlError::Broken(..) | SqlError::Copy);
            return (End::Done(Err(error)), healthy);
        }
        () = cancel.cancelled() => Why::Cancelled,
        () = sleep(Duration::from_secs(limit)) => Why::TimedOut,
    };
    let ended = async {
        brake.pull().await;
        let _error = running.await;
    };
    match timeout(PATIENCE, ended).await {
        Ok(()) => (End::Stopped(why, Halt::Ended), true),
        Err(_) => (End::Stopped(why, Halt::Unsure), false),
    }
}

/// What is said behind `USE`.
const STAYS: &str =
    "\nThe next statement starts in the connection's own database again: name the database with each table.";

/// The report of an end, with the rows for the model.
fn report(
    end: End,
    operation: &SqlOperation,
    limit: u64,
    rows: &Rows,
    (results, result_limit): (Results, usize),
    started: Instant,
) -> RunReport {
    let text = match results {
        Results::Model => rows.for_model(result_limit),
        Results::Local => rows.shapes(result_limit),
    };
    let (outcome, result) = match end {
        End::Done(Ok(_)) => {
            let summary = match operation.way {
                SqlWay::Trial => format!("{} would change; rolled back", some_rows(rows.touched())),
                SqlWay::Plain | SqlWay::TakeBack(_) => rows.summary(statement::answers(&operation.sql)),
            };
            let mut result = if text.is_empty() { summary.clone() } else { format!("{summary}\n{text}") };
            if operation.dialect.is_some_and(|dialect| turned::moves(dialect, &operation.sql)) {
                result.push_str(STAYS);
            }
            (Outcome::Succeeded { summary }, result)
        }
        End::Done(Err(error)) => {
            let advice = error.advice().map(|advice| format!(". {advice}")).unwrap_or_default();
            let told = format!("error: {}{advice}", error.told(results));
            (Outcome::Failed { reason: format!("{error}{advice}") }, told)
        }
        End::Stopped(why, halt) => {
            let (outcome, head) = match why {
                Why::Cancelled => (Outcome::Cancelled, "cancelled".to_owned()),
                Why::TimedOut => (Outcome::TimedOut { seconds: limit }, format!("time limit of {limit} s reached")),
            };
            (outcome, stopped(&head, halt, &text))
        }
    };
    RunReport { outcome, result, took: started.elapsed() }
}

fn stopped(head: &str, halt: Halt, text: &str) -> String {
    let known = match halt {
        Halt::Before => "it was not sent",
        Halt::Ended => "it was stopped in the database",
        Halt::Unsure => "the database didn't answer, so whether it stopped there is not known",
    };
    if text.is_empty() { format!("{head}; {known}") } else { format!("{head}; {known}; what came so far:\n{text}") }
}
