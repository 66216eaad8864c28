//! SQLite: reads through a connection that can't write, and only what SQLite itself calls reading.

mod authorizer;
mod bounds;
mod catalog;
mod still;

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};
use sqlx::error::DatabaseError as _;
use sqlx::sqlite::{Sqlite, SqliteConnection, SqliteError, SqliteQueryResult, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Decode, Either, Row, TypeInfo, ValueRef};

use self::still::Still;
use super::address::SqliteFile;
use super::connections::Failure;
use super::rows::Rows;
use super::session::{Access, Answer, Begun, Brake, Engine, Scope, Session, collect, gather, hex, parted, text};
use super::statement::changes_rows;
use super::wall;
use crate::assess::sql_catalog::{self, Names, statements};
use crate::domain::{Catalog, Dialect, Role};

/// Steps of SQLite's machine between two looks at the brake.
const STEPS: i32 = 1000;
/// Time to wait for somebody else's lock.
const LOCK: Duration = Duration::from_secs(5);

/// SQLite's code for a text that doesn't compile.
const COMPILES_NOT: &str = "1";

/// An open SQLite database.
struct SqliteSession {
    connection: SqliteConnection,
    access: Access,
    stop: Arc<AtomicBool>,
    /// The file, if it is read as one that nobody writes meanwhile.
    still: Option<Still>,
}

impl std::fmt::Debug for SqliteSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("sqlite session")
    }
}

/// Opens a database. A reading session gets a file that can't be written, and a schema that isn't trusted.
pub(super) async fn open(file: &SqliteFile, access: Access) -> Result<Box<dyn Session>, sqlx::Error> {
    let mut options = file.options.clone().busy_timeout(LOCK);
    let mut still = None;
    if access == Access::ReadOnly {
        options = options.pragma("trusted_schema", "off").pragma("query_only", "on").row_buffer_size(bounds::AHEAD);
        if let Some(path) = &file.path {
            options = options.read_only(true).create_if_missing(false);
            still = Still::of(path).await;
        }
    } else if file.read_only {
        options = options.read_only(true);
    }
    let first = if still.is_some() { options.clone().immutable(true) } else { options.clone() };
    let mut connection = first.connect().await?;
    if still.is_some() && !still::in_wal_mode(connection.lock_handle().await?.as_raw_handle().as_ptr()) {
        // A reader of any other leaves nothing behind, and its locks are better than a comparison.
        still = None;
        connection.close().await?;
        connection = options.connect().await?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    let mut handle = connection.lock_handle().await?;
    handle.set_progress_handler(STEPS, move || !seen.load(Ordering::Relaxed));
    drop(handle);
    if access == Access::ReadOnly {
        narrow(&mut connection).await?;
    }
    Ok(Box::new(SqliteSession { connection, access, stop, still }))
}

impl SqliteSession {
    /// Runs one statement that SQLite says only reads, within bounds on memory.
    async fn read(&mut self, sql: &str, rows: &mut Rows) -> Result<(), Failure> {
        let names = wall::names(Dialect::Sqlite, sql)?;
        wall::pass(Dialect::Sqlite, &names, &catalog::ask(&mut self.connection, self.access, sql).await?)?;
        let tells = names.verb == "pragma";
        let columns = match probe(&mut self.connection, sql, tells).await? {
            Probe::Reads(columns) => columns,
            Probe::Writes => return Err(Failure::Writes),
            Probe::Several => return Err(Failure::Several),
        };
        self.bound(columns).await?;
        if self.still.is_some() {
            rows.hold();
        }
        // Of a file that never changes SQLite says that it is in no such mode.
        let in_wal_mode = self.still.is_some() && sql_catalog::asks_journal_mode(sql);
        let done = self.fetch(if in_wal_mode { "SELECT 'wal' AS journal_mode" } else { sql }, rows).await;
        if self.still.as_ref().is_some_and(|still| !still.holds()) {
            return Err(Failure::Moved);
        }
        rows.release();
        let unbound = self.bound(1).await;
        done?;
        unbound
    }

    /// Bounds the values of the next statement by its columns.
    async fn bound(&mut self, columns: c_int) -> Result<(), Failure> {
        bounds::value(self.connection.lock_handle().await?.as_raw_handle().as_ptr(), columns);
        Ok(())
    }

    async fn fetch(&mut self, sql: &str, rows: &mut Rows) -> Result<(), Failure> {
        // SQLite says of what changes no rows how many the one before it changed
        // (<https://www.sqlite.org/c3ref/changes.html>).
        let mut statements = statements(Dialect::Sqlite, sql).unwrap_or_default().into_iter();
        let items = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut self.connection).map_ok(move |item| match item {
            Either::Left(_) if !statements.next().is_none_or(changes_rows) => {
                Either::Left(SqliteQueryResult::default())
            }
            item => item,
        });
        gather::<Sqlite>(items.boxed(), rows).await?;
        Ok(self.connection.ping().await?)
    }
}

impl Session for SqliteSession {
    fn alive(&mut self) -> BoxFuture<'_, bool> {
        Box::pin(async { self.still.as_ref().is_none_or(Still::holds) && self.connection.ping().await.is_ok() })
    }

    /// The engine runs in this process: the brake always reaches it.
    fn limit(&mut self, _seconds: u64) {}

    fn look<'a>(&'a mut self, sql: &'a str, _names: &'a Names) -> BoxFuture<'a, Result<Catalog, Failure>> {
        self.stop.store(false, Ordering::Relaxed);
        Box::pin(async move { Ok(catalog::ask(&mut self.connection, self.access, sql).await?) })
    }

    fn refusal<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<Option<Failure>, Failure>> {
        self.stop.store(false, Ordering::Relaxed);
        Box::pin(async move {
            let mut handle = self.connection.lock_handle().await?;
            authorizer::uses(handle.as_raw_handle().as_ptr(), self.access, sql);
            // What a schema may call is bounded for reads alone.
            let of_text = |error: &SqliteError| {
                error.code().as_deref() == Some(COMPILES_NOT) && !error.message().starts_with("unsafe use of")
            };
            let refusal = handle.last_error().filter(of_text);
            Ok(refusal.map(|error| Failure::Engine(sqlx::Error::Database(Box::new(error)))))
        })
    }

    /// There are none in a file.
    fn role(&mut self) -> BoxFuture<'_, Result<Role, Failure>> {
        Box::pin(std::future::ready(Ok(Role::default())))
    }

    fn run<'a>(&'a mut self, sql: &'a str, rows: &'a mut Rows) -> BoxFuture<'a, Result<(), Failure>> {
        self.stop.store(false, Ordering::Relaxed);
        Box::pin(async move {
            match self.access {
                Access::ReadOnly => self.read(sql, rows).await,
                Access::Full => self.fetch(sql, rows).await,
            }
        })
    }

    fn ask<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<Answer, Failure>> {
        self.stop.store(false, Ordering::Relaxed);
        Box::pin(async move {
            let items = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut self.connection);
            let answer = collect::<Sqlite>(items).await?;
            self.connection.ping().await?;
            Ok(answer)
        })
    }

    fn yields<'a>(
        &'a mut self,
        sql: &'a str,
        own: usize,
        rows: &'a mut Rows,
    ) -> BoxFuture<'a, Result<Answer, Failure>> {
        self.stop.store(false, Ordering::Relaxed);
        Box::pin(async move {
            let items = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut self.connection);
            let answer = parted::<Sqlite>(items, own, rows).await?;
            self.connection.ping().await?;
            Ok(answer)
        })
    }

    /// From here on nobody else writes.
    fn begin(&mut self, _scope: Scope) -> BoxFuture<'_, Result<Begun, Failure>> {
        self.stop.store(false, Ordering::Relaxed);
        Box::pin(async move {
            match sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut self.connection).await {
                Ok(_) => Ok(Begun::Ours),
                Err(sqlx::Error::Database(refusal)) if refusal.message().contains("within a transaction") => {
                    Ok(Begun::Within)
                }
                Err(error) => Err(error.into()),
            }
        })
    }

    fn brake(&self) -> Brake {
        Brake::Sqlite(Arc::clone(&self.stop))
    }
}

impl Engine for Sqlite {
    fn changed(result: &SqliteQueryResult) -> u64 {
        result.rows_affected()
    }

    fn bytes(row: &SqliteRow, index: usize) -> Option<Vec<u8>> {
        let value = row.try_get_raw(index).ok()?;
        match value.type_info().name() {
            "TEXT" | "BLOB" => <&[u8] as Decode<Sqlite>>::decode(value).ok().map(<[u8]>::to_vec),
            _ => Self::cell(row, index).map(String::into_bytes),
        }
    }

    /// By the type of the value, which in SQLite counts more than the column's.
    fn cell(row: &SqliteRow, index: usize) -> Option<String> {
        let value = row.try_get_raw(index).ok()?;
        let kind = value.type_info();
        match kind.name() {
            _ if value.is_null() => None,
            "INTEGER" => <i64 as Decode<Sqlite>>::decode(value).ok().map(|number| number.to_string()),
            "REAL" => <f64 as Decode<Sqlite>>::decode(value).ok().map(|number| format!("{number:?}")),
            "TEXT" => <&[u8] as Decode<Sqlite>>::decode(value).ok().map(text),
            _ => <&[u8] as Decode<Sqlite>>::decode(value).ok().map(|bytes| format!("{}'", hex(bytes, "x'"))),
        }
    }
}

/// What SQLite says of a text before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Probe {
    /// So many columns.
    Reads(c_int),
    Writes,
    Several,
}

/// Lets SQLite compile the text and asks whether it is one statement and whether it writes. `tells` says that it is a
/// PRAGMA known to only tell something: of those that could set it, without a value, SQLite doesn't say that they read.
async fn probe(connection: &mut SqliteConnection, sql: &str, tells: bool) -> Result<Probe, sqlx::Error> {
    let Ok(length) = c_int::try_from(sql.len()) else { return Ok(Probe::Several) };
    let mut handle = connection.lock_handle().await?;
    let database = handle.as_raw_handle().as_ptr();
    let mut at = sql.as_ptr().cast();
    let mut left = length;
    let mut found = Probe::Reads(1);
    let mut statements = 0;
    while left > 0 {
        let mut statement = ptr::null_mut();
        let mut tail = ptr::null();
        // SAFETY: the handle is locked, so nobody else uses the connection; `at` points at `left` bytes of
        // `sql`, which outlives the call; the statement is finalized before it is forgotten; and a tail that
        // SQLite gives lies within the text.
        #[allow(unsafe_code)]
        let (code, reads, columns, rest) = unsafe {
            let code = libsqlite3_sys::sqlite3_prepare_v2(database, at, left, &raw mut statement, &raw mut tail);
            // What is explained is never run, and SQLite doesn't say that it only reads.
            let reads = tells
                || statement.is_null()
                || libsqlite3_sys::sqlite3_stmt_readonly(statement) != 0
                || libsqlite3_sys::sqlite3_stmt_isexplain(statement) != 0;
            let columns = if statement.is_null() { 0 } else { libsqlite3_sys::sqlite3_column_count(statement) };
            statements += u32::from(!statement.is_null());
            libsqlite3_sys::sqlite3_finalize(statement);
            (
                code,
                reads,
                columns,
                if tail.is_null() { 0 } else { left - c_int::try_from(tail.offset_from(at)).unwrap_or(left) },
            )
        };
        if code != libsqlite3_sys::SQLITE_OK {
            // The run itself tells what is wrong, unless something runs before that.
            return Ok(if statements > 0 { Probe::Several } else { found });
        }
        if statements > 1 {
            return Ok(Probe::Several);
        }
        match found {
            _ if !reads => found = Probe::Writes,
            Probe::Reads(known) => found = Probe::Reads(known.max(columns)),
            Probe::Writes | Probe::Several => {}
        }
        if rest >= left {
            // A NUL character: SQLite reads no further, and nobody knows what would.
            return Ok(Probe::Several);
        }
        at = tail;
        left = rest;
    }
    Ok(found)
}

/// Keeps a reading session from opening other files, from what doesn't only read, and from values of any size.
async fn narrow(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let mut handle = connection.lock_handle().await?;
    let database = handle.as_raw_handle().as_ptr();
    // SAFETY: the handle is locked and open; the calls only set numbers.
    #[allow(unsafe_code)]
    unsafe {
        libsqlite3_sys::sqlite3_limit(database, libsqlite3_sys::SQLITE_LIMIT_ATTACHED, 0);
    }
    bounds::heap();
    bounds::value(database, 1);
    authorizer::bar(database, Access::ReadOnly);
    Ok(())
}
