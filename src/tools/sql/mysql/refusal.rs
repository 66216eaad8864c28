//! What MySQL and MariaDB refuse before they run anything: names that lead nowhere, columns and views that can't be
//! written.

use sqlx::mysql::MySqlDatabaseError;
use sqlx::{AssertSqlSafe, Connection, Executor, SqlSafeStr};

use super::super::connections::Failure;
use super::{MysqlSession, run_quietly, timed};

/// The class of refusals of a text itself: syntax and names.
const CERTAIN: &str = "42";
/// Of those, what another account may do, and what can't be prepared
/// (<https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html>).
const RIGHTS: [u16; 9] = [1044, 1045, 1142, 1143, 1227, 1295, 1370, 1410, 1701];
/// Others: a number of values, targets that can't be written, and columns that are computed.
const TARGETS: [u16; 8] = [1136, 1288, 1348, 1394, 1395, 1471, 1906, 3105];

impl MysqlSession {
    /// Prepares it. The server prepares no write where it refuses to run one, so that it may run here while nothing but
    /// its text is sent; a session that breaks meanwhile isn't used again. Its tables are locked no longer than that takes.
    pub(super) async fn refused(&mut self, sql: &str) -> Result<Option<Failure>, Failure> {
        let timer = self.timer.map(|timer| format!("{}; ", timed(timer, self.limit))).unwrap_or_default();
        run_quietly(&mut self.connection, &format!("ROLLBACK; {timer}SET SESSION TRANSACTION READ WRITE")).await?;
        let prepared = self.connection.prepare(AssertSqlSafe(sql).into_sql_str()).await.map(drop);
        // What was prepared before isn't sent again.
        self.connection.clear_cached_statements().await?;
        run_quietly(&mut self.connection, "ROLLBACK; SET SESSION TRANSACTION READ ONLY").await?;
        match prepared {
            Err(sqlx::Error::Database(refusal)) => {
                let number = refusal.try_downcast_ref::<MySqlDatabaseError>().map(MySqlDatabaseError::number);
                let of_text = refusal.code().is_some_and(|code| code.starts_with(CERTAIN));
                let certain =
                    number.is_some_and(|number| of_text && !RIGHTS.contains(&number) || TARGETS.contains(&number));
                Ok(certain.then_some(Failure::Engine(sqlx::Error::Database(refusal))))
            }
            Err(error) => Err(error.into()),
            Ok(()) => Ok(None),
        }
    }
}
