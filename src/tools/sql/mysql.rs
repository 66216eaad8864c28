//! MySQL and MariaDB: reads in a session whose transactions are all read-only; every value as the text the
//! server prints.

mod catalog;
mod refusal;

use futures::future::BoxFuture;
use sqlx::mysql::{MySql, MySqlConnectOptions, MySqlConnection, MySqlQueryResult, MySqlRow};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Decode, Executor, Row, SqlSafeStr, Statement, TypeInfo, ValueRef,
};

use super::connections::Failure;
use super::rows::Rows;
use super::session::{
    Access, Answer, Begun, Brake, Engine, Scope, Session, before, collect, gather, parted, text_or_hex,
};
use super::value::quoted_name;
use super::wall;
use crate::assess::sql_catalog::Names;
use crate::domain::{Catalog, Dialect, Role};

/// Error number of a statement that can't be prepared, though it can be run.
const NOT_PREPARABLE: u16 = 1295;
/// First words of those, and of others, that only tell something.
const TELLS: [&str; 5] = ["show", "explain", "describe", "desc", "help"];
/// Error number of a text that doesn't parse, several statements among them.
const SYNTAX: u16 = 1064;

/// A setting that bounds the time of a statement, and how many milliseconds its unit has.
type Timer = (&'static str, u64);

/// MariaDB's, and MySQL's.
const TIMERS: [Timer; 2] = [("max_statement_time", 1000), ("max_execution_time", 1)];

/// Sets the server's own limit.
fn timed((name, unit): Timer, limit: u64) -> String {
    let milliseconds = before(limit);
    let (whole, rest) = (milliseconds / unit, milliseconds % unit);
    let rest = if unit > 1 { format!(".{rest:03}") } else { String::new() };
    format!("SET SESSION {name} = {whole}{rest}")
}

struct MysqlSession {
    connection: MySqlConnection,
    options: Box<MySqlConnectOptions>,
    thread: u64,
    access: Access,
    /// Whether it is MariaDB.
    mariadb: bool,
    /// Whether the server returns the rows that an `INSERT` added: MariaDB from 10.5 on.
    returns: bool,
    /// The setting that bounds the time of a statement.
    timer: Option<Timer>,
    /// Time that one read may take, in seconds.
    limit: u64,
}

impl std::fmt::Debug for MysqlSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("mysql session")
    }
}

/// Connects.
pub(super) async fn open(
    options: &MySqlConnectOptions,
    access: Access,
    limit: u64,
) -> Result<Box<dyn Session>, sqlx::Error> {
    let mut connection = options.connect().await?;
    let (thread, version): (u64, String) =
        sqlx::query_as("SELECT CONNECTION_ID(), VERSION()").fetch_one(&mut connection).await?;
    let mut timer = None;
    for known in TIMERS {
        // Each server refuses the other's.
        if run_quietly(&mut connection, &timed(known, limit)).await.is_ok() {
            timer = Some(known);
        }
    }
    if access == Access::ReadOnly {
        run_quietly(&mut connection, "SET SESSION TRANSACTION READ ONLY").await?;
        run_quietly(&mut connection, "SET SESSION lock_wait_timeout = 5, SESSION innodb_lock_wait_timeout = 5").await?;
    }
    Ok(Box::new(MysqlSession {
        connection,
        options: Box::new(options.clone()),
        thread,
        access,
        mariadb: version.contains("MariaDB"),
        returns: returns(&version),
        timer,
        limit,
    }))
}

async fn run_quietly(connection: &mut MySqlConnection, sql: &str) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.map(drop)
}

impl MysqlSession {
    /// Begins a transaction in which the server refuses to write. The session form also refuses what commits by
    /// itself (`TRUNCATE`, `CREATE`), which a read-only transaction alone doesn't; it is set anew each time, as a
    /// statement before may have set it otherwise.
    async fn begin_reading(&mut self) -> Result<(), sqlx::Error> {
        let timer = self.timer.map(|timer| format!("{}; ", timed(timer, self.limit))).unwrap_or_default();
        let read_only = "SET SESSION TRANSACTION READ ONLY; START TRANSACTION READ ONLY";
        run_quietly(&mut self.connection, &format!("ROLLBACK; {timer}{read_only}")).await
    }

    /// Runs one statement where the server refuses to write, and undoes the transaction.
    async fn read(&mut self, sql: &str, rows: &mut Rows) -> Result<(), Failure> {
        let names = wall::names(Dialect::Mysql, sql)?;
        self.begin_reading().await?;
        let done = self.walled(sql, &names, rows).await;
        let undone = run_quietly(&mut self.connection, "ROLLBACK").await;
        done?;
        Ok(undone?)
    }

    async fn walled(&mut self, sql: &str, names: &Names, rows: &mut Rows) -> Result<(), Failure> {
        let catalog = catalog::ask(&mut self.connection, names, self.mariadb).await?;
        wall::pass(Dialect::Mysql, names, &catalog)?;
        // Only one statement can be prepared.
        match self.connection.prepare(AssertSqlSafe(sql).into_sql_str()).await {
            // Of some of these the server says only when they run what they yield.
            Ok(_) if TELLS.contains(&names.verb.as_str()) => {}
            Ok(prepared) => wall::yields(prepared.columns().len())?,
            Err(error) => single(error, sql, names)?,
        }
        // Nothing locks a view before it is read. From then on it stays as it was read until the transaction ends, so
        // what the catalog says now is what ran: until it says the same again nobody sees a row.
        rows.hold();
        let items = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut self.connection);
        let done = gather::<MySql>(items, rows).await;
        let then = catalog::ask(&mut self.connection, names, self.mariadb).await;
        if done.is_ok() || then.is_ok() {
            wall::same(&catalog, &then?)?;
            rows.release();
        }
        Ok(done?)
    }

    async fn looked(&mut self, names: &Names) -> Result<Catalog, Failure> {
        if self.access == Access::Full {
            return Ok(catalog::ask(&mut self.connection, names, self.mariadb).await?);
        }
        self.begin_reading().await?;
        let catalog = catalog::ask(&mut self.connection, names, self.mariadb).await;
        run_quietly(&mut self.connection, "ROLLBACK").await?;
        Ok(catalog?)
    }
}

/// Passes a statement that can't be prepared if it is surely a single one that only tells something.
fn single(error: sqlx::Error, sql: &str, names: &Names) -> Result<(), Failure> {
    let number = error
        .as_database_error()
        .and_then(|refusal| refusal.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>())
        .map(sqlx::mysql::MySqlDatabaseError::number);
    let inner = sql.trim_end().trim_end_matches(';').contains(';');
    match number {
        Some(NOT_PREPARABLE) if !inner && TELLS.contains(&names.verb.as_str()) => Ok(()),
        Some(NOT_PREPARABLE | SYNTAX) if inner => Err(Failure::Several),
        Some(_) | None => Err(Failure::Engine(error)),
    }
}

impl Session for MysqlSession {
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
        Box::pin(async { Ok(catalog::role(&mut self.connection).await?) })
    }

    fn run<'a>(&'a mut self, sql: &'a str, rows: &'a mut Rows) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            match self.access {
                Access::ReadOnly => self.read(sql, rows).await,
                Access::Full => {
                    let items = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut self.connection);
                    Ok(gather::<MySql>(items, rows).await?)
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
            let answer = collect::<MySql>(items).await;
            if self.access == Access::ReadOnly {
                run_quietly(&mut self.connection, "ROLLBACK").await?;
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
            Ok(parted::<MySql>(items, own, rows).await?)
        })
    }

    fn begin(&mut self, scope: Scope) -> BoxFuture<'_, Result<Begun, Failure>> {
        Box::pin(async move {
            match Session::ask(self, "SELECT @@in_transaction, @@autocommit").await {
                Ok(state) if state.number(0) == 0 && state.number(1) == 1 => {}
                Ok(_) => return Ok(Begun::Within),
                // Only MariaDB tells it.
                Err(Failure::Engine(sqlx::Error::Database(_))) => return Ok(Begun::Unsure),
                Err(failure) => return Err(failure),
            }
            let begin = match scope {
                // What is read beforehand stays as it is until the end, other tables' rows included.
                Scope::Write => "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; START TRANSACTION",
                Scope::Own => {
                    "SET @countersign_mode = @@SESSION.sql_mode, @countersign_zone = @@SESSION.time_zone, \
                     @countersign_client = @@SESSION.character_set_client, \
                     @countersign_results = @@SESSION.character_set_results, \
                     @countersign_collation = @@SESSION.collation_connection; \
                     SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES,ALLOW_INVALID_DATES', \
                     SESSION time_zone = '+00:00'; SET NAMES utf8mb4; START TRANSACTION"
                }
            };
            run_quietly(&mut self.connection, begin).await?;
            Ok(Begun::Ours)
        })
    }

    fn restore(&mut self) -> BoxFuture<'_, Result<(), Failure>> {
        let sql = "SET SESSION sql_mode = @countersign_mode, SESSION time_zone = @countersign_zone, \
            SESSION character_set_client = @countersign_client, \
            SESSION character_set_results = @countersign_results, \
            SESSION collation_connection = @countersign_collation";
        Box::pin(async move { Ok(run_quietly(&mut self.connection, sql).await?) })
    }

    fn hides<'a>(&'a mut self, schema: &'a str, table: &'a str) -> BoxFuture<'a, Result<bool, Failure>> {
        Box::pin(async move {
            let name = |name| quoted_name(Dialect::Mysql, name);
            let made = Session::ask(self, &format!("SHOW CREATE TABLE {}.{}", name(schema), name(table))).await?;
            let made = made.rows.first().and_then(|row| row.get(1).cloned().flatten()).unwrap_or_default();
            // A view begins with how it is worked out.
            let lasting = [&b"CREATE TABLE"[..], b"CREATE ALGORITHM=", b"CREATE VIEW"];
            Ok(!lasting.iter().any(|begins| made.starts_with(begins)))
        })
    }

    fn tells(&self) -> bool {
        self.mariadb
    }

    fn returns(&self) -> bool {
        self.returns
    }

    fn brake(&self) -> Brake {
        Brake::Mysql(self.options.clone(), self.thread)
    }
}

/// Whether a server of this version returns the rows that an `INSERT` added.
fn returns(version: &str) -> bool {
    // Before 11 MariaDB puts `5.5.5-` in front, for clients that know no larger number.
    let version = version.trim_start_matches("5.5.5-");
    let mut numbers = version.split(['.', '-']).map(|number| number.parse::<u32>().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    version.contains("MariaDB") && found >= (10, 5)
}

/// Stops the running statement of a server thread, from a second connection.
pub(super) async fn stop(options: &MySqlConnectOptions, thread: u64) {
    if let Ok(mut connection) = options.connect().await {
        let _gone = run_quietly(&mut connection, &format!("KILL QUERY {thread}")).await;
        let _closed = connection.close().await;
    }
}

impl Engine for MySql {
    fn bytes(row: &MySqlRow, index: usize) -> Option<Vec<u8>> {
        let value = row.try_get_raw(index).ok()?;
        (!value.is_null()).then(|| <&[u8] as Decode<MySql>>::decode(value).map(<[u8]>::to_vec).unwrap_or_default())
    }

    fn changed(result: &MySqlQueryResult) -> u64 {
        result.rows_affected()
    }

    fn cell(row: &MySqlRow, index: usize) -> Option<String> {
        let value = row.try_get_raw(index).ok()?;
        if value.is_null() {
            return None;
        }
        let bits = value.type_info().name() == "BIT";
        let bytes = <&[u8] as Decode<MySql>>::decode(value).ok()?;
        Some(if bits { number(bytes) } else { text_or_hex(bytes, "0x") })
    }
}

/// The number that up to eight bytes are, as `BIT` comes.
fn number(bytes: &[u8]) -> String {
    bytes.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte)).to_string()
}
