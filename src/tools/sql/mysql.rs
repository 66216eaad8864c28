//! MySQL and MariaDB: reads in a session whose transactions are all read-only; every value as the text the
//! server prints.

use futures::future::BoxFuture;
use sqlx::mysql::{MySql, MySqlConnectOptions, MySqlConnection, MySqlQueryResult, MySqlRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Decode, Executor, Row, SqlSafeStr, TypeInfo, ValueRef};

use super::connections::Failure;
use super::rows::Rows;
use super::session::{Access, Brake, Engine, Session, gather, text_or_hex};

/// Error number of a statement that can't be prepared, though it can be run.
const NOT_PREPARABLE: u16 = 1295;
/// Error number of a text that doesn't parse, several statements among them.
const SYNTAX: u16 = 1064;

struct MysqlSession {
    connection: MySqlConnection,
    options: Box<MySqlConnectOptions>,
    thread: u64,
    access: Access,
}

impl std::fmt::Debug for MysqlSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("mysql session")
    }
}

/// Connects. The server's own limits stand behind ours: a little later, in case we can't reach it.
pub(super) async fn open(
    options: &MySqlConnectOptions,
    access: Access,
    limit: u64,
) -> Result<Box<dyn Session>, sqlx::Error> {
    let mut connection = options.connect().await?;
    let thread = sqlx::query_scalar("SELECT CONNECTION_ID()").fetch_one(&mut connection).await?;
    let limit = limit.saturating_add(5).min(1_000_000);
    // MariaDB knows the first, MySQL the second; the other one is refused.
    let _mariadb = run_quietly(&mut connection, &format!("SET SESSION max_statement_time = {limit}")).await;
    let _mysql = run_quietly(&mut connection, &format!("SET SESSION max_execution_time = {}", limit * 1000)).await;
    if access == Access::ReadOnly {
        run_quietly(&mut connection, "SET SESSION TRANSACTION READ ONLY").await?;
        run_quietly(&mut connection, "SET SESSION lock_wait_timeout = 5").await?;
    }
    Ok(Box::new(MysqlSession { connection, options: Box::new(options.clone()), thread, access }))
}

async fn run_quietly(connection: &mut MySqlConnection, sql: &str) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.map(drop)
}

impl MysqlSession {
    /// Runs one statement where the server refuses to write. The session form of read-only also refuses what
    /// commits by itself (`TRUNCATE`, `CREATE`), which a read-only transaction alone doesn't.
    async fn read(&mut self, sql: &str, rows: &mut Rows) -> Result<(), Failure> {
        run_quietly(&mut self.connection, "ROLLBACK").await?;
        // Set anew each time, as a statement before may have set it otherwise.
        run_quietly(&mut self.connection, "SET SESSION TRANSACTION READ ONLY").await?;
        if let Err(error) = self.connection.prepare(AssertSqlSafe(sql).into_sql_str()).await {
            single(error, sql)?;
        }
        let items = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut self.connection);
        let done = gather::<MySql>(items, rows).await;
        let undone = run_quietly(&mut self.connection, "ROLLBACK").await;
        done?;
        Ok(undone?)
    }
}

/// Passes a statement that can't be prepared if it is surely a single one.
fn single(error: sqlx::Error, sql: &str) -> Result<(), Failure> {
    let number = error
        .as_database_error()
        .and_then(|refusal| refusal.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>())
        .map(sqlx::mysql::MySqlDatabaseError::number);
    let inner = sql.trim_end().trim_end_matches(';').contains(';');
    match number {
        Some(NOT_PREPARABLE) if !inner => Ok(()),
        Some(NOT_PREPARABLE | SYNTAX) if inner => Err(Failure::Several),
        Some(_) | None => Err(Failure::Engine(error)),
    }
}

impl Session for MysqlSession {
    fn alive(&mut self) -> BoxFuture<'_, bool> {
        Box::pin(async { self.connection.ping().await.is_ok() })
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

    fn brake(&self) -> Brake {
        Brake::Mysql(self.options.clone(), self.thread)
    }
}

/// Stops the running statement of a server thread, from a second connection.
pub(super) async fn stop(options: &MySqlConnectOptions, thread: u64) {
    if let Ok(mut connection) = options.connect().await {
        let _gone = run_quietly(&mut connection, &format!("KILL QUERY {thread}")).await;
        let _closed = connection.close().await;
    }
}

impl Engine for MySql {
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
