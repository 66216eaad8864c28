//! The end of the log, where entries are added. Inside a transaction that began with `BEGIN IMMEDIATE`: no other program
//! adds one between the look at the end and the end of the transaction.

use sqlx::SqliteConnection;

use super::chain::{self, Hash, Head};

/// The end of the log within one transaction.
pub(super) struct Log {
    before: Hash,
}

impl Log {
    /// Looks at the end.
    pub(super) async fn at_its_end(connection: &mut SqliteConnection) -> Result<Self, sqlx::Error> {
        let hash: Option<Vec<u8>> = sqlx::query_scalar("SELECT hash FROM entries ORDER BY number DESC LIMIT 1")
            .fetch_optional(&mut *connection)
            .await?;
        Self::after(hash)
    }

    /// The same, and the number of the session's next entry: in one go, as each trip to the database's thread costs as
    /// much as a small statement.
    pub(super) async fn of_session(
        connection: &mut SqliteConnection,
        session: &str,
    ) -> Result<(Self, i64), sqlx::Error> {
        let (hash, next): (Option<Vec<u8>>, i64) = sqlx::query_as(
            "SELECT (SELECT hash FROM entries ORDER BY number DESC LIMIT 1),
                    (SELECT coalesce(max(seq) + 1, 0) FROM entries WHERE session = ?)",
        )
        .bind(session)
        .fetch_one(&mut *connection)
        .await?;
        Ok((Self::after(hash)?, next))
    }

    fn after(hash: Option<Vec<u8>>) -> Result<Self, sqlx::Error> {
        let before = match hash {
            None => chain::START,
            Some(hash) => hash.try_into().map_err(|_| sqlx::Error::Decode("the last hash isn't one".into()))?,
        };
        Ok(Self { before })
    }

    /// Adds an entry, and gives back its hash.
    pub(super) async fn add(
        &mut self,
        connection: &mut SqliteConnection,
        head: Head<'_>,
        body: String,
    ) -> Result<Hash, sqlx::Error> {
        let salt = chain::salt()?;
        let digest = chain::digest(&salt, &body);
        let hash = chain::link(&self.before, head, &digest);
        sqlx::query(
            "INSERT INTO entries (session, seq, at_ms, operation, event, version, digest, hash)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?);
             INSERT INTO bodies (number, salt, body) VALUES (last_insert_rowid(), ?, ?)",
        )
        .bind(head.session)
        .bind(head.seq)
        .bind(head.at_ms)
        .bind(head.operation)
        .bind(head.event)
        .bind(head.version)
        .bind(&digest[..])
        .bind(&hash[..])
        .bind(&salt[..])
        .bind(body)
        .execute(&mut *connection)
        .await?;
        self.before = hash;
        Ok(hash)
    }

    /// Whether an entry of a session is there with this hash.
    pub(super) async fn holds(
        connection: &mut SqliteConnection,
        session: &str,
        seq: i64,
        hash: &Hash,
    ) -> Result<bool, sqlx::Error> {
        let found: Option<Vec<u8>> = sqlx::query_scalar("SELECT hash FROM entries WHERE session = ? AND seq = ?")
            .bind(session)
            .bind(seq)
            .fetch_optional(connection)
            .await?;
        Ok(found.is_some_and(|found| found == hash))
    }

    /// The first number of an operation that a session has left.
    pub(super) async fn next_operation(connection: &mut SqliteConnection, session: &str) -> Result<i64, sqlx::Error> {
        sqlx::query_scalar("SELECT coalesce(max(operation), 0) + 1 FROM entries WHERE session = ?")
            .bind(session)
            .fetch_one(&mut *connection)
            .await
    }

    /// The number that the next entry of a session has within it.
    pub(super) async fn next_seq(connection: &mut SqliteConnection, session: &str) -> Result<i64, sqlx::Error> {
        sqlx::query_scalar("SELECT coalesce(max(seq) + 1, 0) FROM entries WHERE session = ?")
            .bind(session)
            .fetch_one(&mut *connection)
            .await
    }
}
