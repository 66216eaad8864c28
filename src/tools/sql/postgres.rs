//! PostgreSQL: reads in a read-only transaction that is rolled back; every value as the text the server prints.

mod catalog;
mod refusal;
mod state;

use futures::future::BoxFuture;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgQueryResult, PgRow, PgValueFormat, Postgres};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row, SqlSafeStr, Statement, ValueRef};

use super::connections::Failure;
use super::rows::Rows;
use super::session::{
    Access, Answer, Begun, Brake, Engine, Scope, Session, State, before, collect, gather, hex, parted, text,
};
use super::wall;
use crate::assess::sql_catalog::Names;
use crate::domain::{Catalog, Dialect, Role};

/// Error code of a text that holds more than one statement where one is prepared.
const SYNTAX: &str = "42601";
/// Error code where no transaction is open, and where one has failed.
const IDLE: &str = "25P01";
const ABORTED: &str = "25P02";

struct PostgresSession {
    connection: PgConnection,
    options: Box<PgConnectOptions>,
    process: i32,
    access: Access,
    /// Whether no transaction may be open.
    clean: bool,
    /// How many texts were prepared.
    prepared: u64,
    /// Time that one read may take, in seconds.
    limit: u64,
}

impl std::fmt::Debug for PostgresSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("postgres session")
    }
}

/// The first version that looks whether the client of a running statement is still there
/// (<https://www.postgresql.org/docs/14/runtime-config-connection.html>).
const FINDS_OUT: u32 = 140_000;

/// Connects.
pub(super) async fn open(
    options: &PgConnectOptions,
    access: Access,
    limit: u64,
) -> Result<Box<dyn Session>, sqlx::Error> {
    let mut connection = options.connect().await?;
    let process: i32 = sqlx::query_scalar("SELECT pg_catalog.pg_backend_pid()").fetch_one(&mut connection).await?;
    let mut settings = format!("SET statement_timeout = '{}ms'", before(limit));
    if access == Access::ReadOnly {
        let seconds = limit.saturating_add(5).min(1_000_000);
        // An open transaction keeps the server from tidying up: one that we forgot ends by itself.
        settings.push_str(&format!(
            "; SET default_transaction_read_only = on; SET lock_timeout = '5s'; \
            SET idle_in_transaction_session_timeout = '{seconds}s'"
        ));
    }
    run_quietly(&mut connection, &settings).await?;
    if access == Access::ReadOnly && connection.server_version_num().is_some_and(|version| version >= FINDS_OUT) {
        // A read ends with this program, however that ends. Where the server can't find out, its time limit ends it.
        let _not_there = run_quietly(&mut connection, "SET client_connection_check_interval = '2s'").await;
    }
    Ok(Box::new(PostgresSession {
        connection,
        options: Box::new(options.clone()),
        process,
        access,
        clean: true,
        prepared: 0,
        limit,
    }))
}

async fn run_quietly(connection: &mut PgConnection, sql: &str) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.map(drop)
}

impl PostgresSession {
    /// Begins a transaction in which the server refuses to write. Whatever an earlier statement left ends first.
    async fn begin_reading(&mut self) -> Result<(), sqlx::Error> {
        if !std::mem::replace(&mut self.clean, false) {
            run_quietly(&mut self.connection, "ROLLBACK").await?;
        }
        // Each question to the catalog must see what others changed meanwhile.
        let limit = format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; SET LOCAL statement_timeout = '{}ms'",
            before(self.limit)
        );
        run_quietly(&mut self.connection, &limit).await
    }

    async fn undo(&mut self) -> Result<(), sqlx::Error> {
        run_quietly(&mut self.connection, "ROLLBACK").await?;
        self.clean = true;
        Ok(())
    }

    /// Runs one statement where the server refuses to write, and undoes the transaction.
    async fn read(&mut self, sql: &str, rows: &mut Rows) -> Result<(), Failure> {
        let names = wall::names(Dialect::Postgres, sql)?;
        self.begin_reading().await?;
        let done = self.walled(sql, &names, rows).await;
        let undone = self.undo().await;
        // Locks of this sort outlive a transaction.
        run_quietly(&mut self.connection, "SELECT pg_catalog.pg_advisory_unlock_all()").await?;
        done?;
        Ok(undone?)
    }

    async fn walled(&mut self, sql: &str, names: &Names, rows: &mut Rows) -> Result<(), Failure> {
        // Preparing reads the values in the text by their types, which can run code already.
        let before = catalog::ask(&mut self.connection, names).await?;
        wall::pass(Dialect::Postgres, names, &before.catalog)?;
        // Only one statement can be prepared: none can end the transaction and go on behind it. All relations that it
        // reads are locked from here on, through its views.
        wall::yields(self.locked(sql).await?)?;
        if let Some(inner) = names.inner.and_then(|start| sql.get(start..)) {
            self.locked(inner).await?;
        }
        let now = catalog::ask(&mut self.connection, names).await?;
        wall::pass(Dialect::Postgres, names, &now.catalog)?;
        wall::still(before == now)?;
        let items = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut self.connection);
        Ok(gather::<Postgres>(items, rows).await?)
    }

    /// Prepares a statement, which locks what it reads until the transaction ends; gives the number of its columns.
    async fn locked(&mut self, sql: &str) -> Result<usize, Failure> {
        // What was prepared before isn't sent again, and so locks nothing: no text comes twice.
        self.prepared += 1;
        let text = format!("{sql}\n-- {}", self.prepared);
        match self.connection.prepare(AssertSqlSafe(text).into_sql_str()).await {
            Ok(prepared) => Ok(prepared.columns().len()),
            // The server took it, and only what it then said of the type of a column isn't understood: later versions have
            // categories that the library doesn't know. A parameter may be meant, too, but with one it can't be run.
            Err(sqlx::Error::ColumnDecode { .. }) => Ok(1),
            Err(error) => Err(several(error)),
        }
    }

    /// Whether a transaction is open, one that failed included.
    async fn within(&mut self) -> Result<bool, sqlx::Error> {
        // A savepoint is refused outside of a transaction, and in one that failed.
        match run_quietly(&mut self.connection, "SAVEPOINT countersign; RELEASE SAVEPOINT countersign").await {
            Err(error) if coded(&error, IDLE) => Ok(false),
            Err(error) if !coded(&error, ABORTED) => Err(error),
            Ok(()) | Err(_) => Ok(true),
        }
    }

    async fn looked(&mut self, names: &Names) -> Result<Catalog, Failure> {
        if self.access == Access::Full {
            return Ok(catalog::ask(&mut self.connection, names).await?.catalog);
        }
        self.begin_reading().await?;
        let catalog = catalog::ask(&mut self.connection, names).await;
        self.undo().await?;
        Ok(catalog?.catalog)
    }
}

fn coded(error: &sqlx::Error, code: &str) -> bool {
    error.as_database_error().is_some_and(|refusal| refusal.code().as_deref() == Some(code))
}

/// A refusal to prepare, told apart where it is about several statements.
fn several(error: sqlx::Error) -> Failure {
    let about = |refusal: &dyn sqlx::error::DatabaseError| {
        refusal.code().as_deref() == Some(SYNTAX) && refusal.message().contains("multiple commands")
    };
    match error.as_database_error() {
        Some(refusal) if about(refusal) => Failure::Several,
        Some(_) | None => Failure::Engine(error),
    }
}

impl Session for PostgresSession {
    fn alive(&mut self) -> BoxFuture<'_, bool> {
        Box::pin(async { self.connection.ping().await.is_ok() })
    }

    fn limit(&mut self, seconds: u64) {
        self.limit = seconds;
    }

    fn look<'a>(&'a mut self, _sql: &'a str, names: &'a Names) -> BoxFuture<'a, Result<Catalog, Failure>> {
        Box::pin(self.looked(names))
    }

    fn refusal<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<Option<Failure>, Failure>> {
        Box::pin(self.refused(sql))
    }

    fn role(&mut self) -> BoxFuture<'_, Result<Role, Failure>> {
        Box::pin(async {
            self.begin_reading().await?;
            let role = catalog::who(&mut self.connection).await;
            self.undo().await?;
            Ok(role?)
        })
    }

    fn run<'a>(&'a mut self, sql: &'a str, rows: &'a mut Rows) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            match self.access {
                Access::ReadOnly => self.read(sql, rows).await,
                Access::Full => {
                    let items = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut self.connection);
                    Ok(gather::<Postgres>(items, rows).await?)
                }
            }
        })
    }

    fn ask<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<Answer, Failure>> {
        Box::pin(async move {
            if self.access == Access::ReadOnly {
                self.begin_reading().await?;
            }
            let items = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut self.connection);
            let answer = collect::<Postgres>(items).await;
            if self.access == Access::ReadOnly {
                self.undo().await?;
            }
            Ok(answer?)
        })
    }

    fn yields<'a>(
        &'a mut self,
        sql: &'a str,
        own: usize,
        rows: &'a mut Rows,
    ) -> BoxFuture<'a, Result<Answer, Failure>> {
        Box::pin(async move {
            let items = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut self.connection);
            Ok(parted::<Postgres>(items, own, rows).await?)
        })
    }

    fn begin(&mut self, scope: Scope) -> BoxFuture<'_, Result<Begun, Failure>> {
        Box::pin(async move {
            if self.within().await? {
                return Ok(Begun::Within);
            }
            let begin = match scope {
                // One snapshot for what is read beforehand and what is written.
                Scope::Write => {
                    let level = "SELECT pg_catalog.current_setting('default_transaction_isolation')";
                    let level: String = sqlx::query_scalar(level).fetch_one(&mut self.connection).await?;
                    let wanted = if level == "serializable" { "SERIALIZABLE" } else { "REPEATABLE READ" };
                    format!("BEGIN ISOLATION LEVEL {wanted}")
                }
                Scope::Own => "BEGIN; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; \
                    SET LOCAL extra_float_digits = 1; SET LOCAL standard_conforming_strings = on; \
                    SET LOCAL client_encoding = 'UTF8'"
                    .to_owned(),
            };
            run_quietly(&mut self.connection, &begin).await?;
            Ok(Begun::Ours)
        })
    }

    fn state(&mut self) -> BoxFuture<'_, Result<Option<State>, Failure>> {
        Box::pin(async {
            if self.access == Access::Full && self.within().await? {
                return Ok(None);
            }
            Ok(Some(state::read(Session::ask(self, state::QUESTION).await?)))
        })
    }

    fn brake(&self) -> Brake {
        Brake::Postgres(self.options.clone(), self.process)
    }
}

/// Stops the running statement of a server process, from a second connection.
pub(super) async fn stop(options: &PgConnectOptions, process: i32) {
    if let Ok(mut connection) = options.connect().await {
        let _gone = sqlx::query("SELECT pg_catalog.pg_cancel_backend($1)").bind(process).execute(&mut connection).await;
        let _closed = connection.close().await;
    }
}

impl Engine for Postgres {
    fn bytes(row: &PgRow, index: usize) -> Option<Vec<u8>> {
        let value = row.try_get_raw(index).ok()?;
        (!value.is_null()).then(|| value.as_bytes().map(<[u8]>::to_vec).unwrap_or_default())
    }

    fn changed(result: &PgQueryResult) -> u64 {
        result.rows_affected()
    }

    fn cell(row: &PgRow, index: usize) -> Option<String> {
        let value = row.try_get_raw(index).ok()?;
        if value.is_null() {
            return None;
        }
        match (value.format(), value.as_bytes()) {
            (PgValueFormat::Text, Ok(bytes)) => Some(text(bytes)),
            (PgValueFormat::Binary, Ok(bytes)) => Some(hex(bytes, "\\x")),
            (_, Err(_)) => Some("(can't be shown)".to_owned()),
        }
    }
}
