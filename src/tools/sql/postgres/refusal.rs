//! What PostgreSQL refuses before it plans anything: names that lead nowhere, values that their columns' types don't read,
//! views that can't be written.

use super::super::connections::Failure;
use super::PostgresSession;

/// Refusals of a text itself, by the beginnings of their codes: syntax and names, literals, what isn't supported, a view
/// that can't be written (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
const CERTAIN: [&str; 5] = ["42", "22", "0A000", "3F000", "55000"];
/// Of those, what another role may do.
const RIGHTS: &str = "42501";

impl PostgresSession {
    /// Parses and rewrites it, which locks its tables as a write does until the transaction ends, at once.
    pub(super) async fn refused(&mut self, sql: &str) -> Result<Option<Failure>, Failure> {
        self.begin_reading().await?;
        let found = self.parsed(sql).await;
        self.undo().await?;
        found
    }

    async fn parsed(&mut self, sql: &str) -> Result<Option<Failure>, Failure> {
        // A standby grants no lock for a write, whatever its text.
        let standby = "SELECT pg_catalog.pg_is_in_recovery()";
        if sqlx::query_scalar::<_, bool>(standby).fetch_one(&mut self.connection).await? {
            return Ok(None);
        }
        match self.locked(sql).await {
            Err(Failure::Engine(sqlx::Error::Database(refusal))) => {
                let code = refusal.code().unwrap_or_default();
                let certain = *code != *RIGHTS && CERTAIN.iter().any(|begins| code.starts_with(begins));
                Ok(certain.then_some(Failure::Engine(sqlx::Error::Database(refusal))))
            }
            Err(Failure::Engine(error)) => Err(Failure::Engine(error)),
            Ok(_) | Err(_) => Ok(None),
        }
    }
}
