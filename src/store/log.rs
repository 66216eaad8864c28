//! The end of the log, where entries are added. Inside a transaction that began with `BEGIN IMMEDIATE`: no other program
//! adds one between the look at the end and the end of the transaction.

use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Sqlite, SqliteConnection};

use super::chain::{self, Hash, Head};

/// Most entries that are added in one go.
const TOGETHER: usize = 8;
const INSERT: &str = "INSERT INTO entries (session, seq, at_ms, operation, event, version, digest, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?);
     INSERT INTO bodies (number, salt, body) VALUES (last_insert_rowid(), ?, ?);";

/// The end of the log within one transaction.
pub(super) struct Log {
    before: Hash,
}

/// What is there as a transaction begins.
pub(super) struct Begun {
    pub(super) log: Log,
    /// The number of the session's next entry.
    pub(super) next: i64,
    /// The session is in the list.
    pub(super) listed: bool,
    /// Its last entry that is known here is there as it was written.
    pub(super) intact: bool,
}

impl Log {
    /// Looks at the end.
    pub(super) async fn at_its_end(connection: &mut SqliteConnection) -> Result<Self, sqlx::Error> {
        let hash: Option<Vec<u8>> = sqlx::query_scalar("SELECT hash FROM entries ORDER BY number DESC LIMIT 1")
            .fetch_optional(&mut *connection)
            .await?;
        Self::after(hash)
    }

    /// Begins a transaction, and looks at the end and at what the session has. All in one go: each trip to the
    /// database's thread costs more than a small statement. After an error it may be begun all the same.
    pub(super) async fn begin(
        connection: &mut SqliteConnection,
        session: &str,
        last: Option<(i64, Hash)>,
    ) -> Result<Begun, sqlx::Error> {
        let (hash, next, listed, found): (Option<Vec<u8>>, i64, bool, Option<Vec<u8>>) = sqlx::query_as(
            "BEGIN IMMEDIATE;
             SELECT (SELECT hash FROM entries ORDER BY number DESC LIMIT 1),
                    (SELECT coalesce(max(seq) + 1, 0) FROM entries WHERE session = ?1),
                    EXISTS (SELECT 1 FROM sessions WHERE id = ?1),
                    (SELECT hash FROM entries WHERE session = ?1 AND seq = ?2)",
        )
        .bind(session)
        .bind(last.map(|(seq, _)| seq))
        .fetch_one(&mut *connection)
        .await?;
        let intact = last.is_none_or(|(_, hash)| found.is_some_and(|found| found == hash));
        Ok(Begun { log: Self::after(hash)?, next, listed, intact })
    }

    fn after(hash: Option<Vec<u8>>) -> Result<Self, sqlx::Error> {
        let before = match hash {
            None => chain::START,
            Some(hash) => hash.try_into().map_err(|_| sqlx::Error::Decode("the last hash isn't one".into()))?,
        };
        Ok(Self { before })
    }

    /// Adds an entry.
    pub(super) async fn add(
        &mut self,
        connection: &mut SqliteConnection,
        head: Head<'_>,
        body: String,
    ) -> Result<(), sqlx::Error> {
        let (digest, salt) = self.follow(head, &body)?;
        let added = sqlx::query(INSERT);
        bound(added, head, (digest, self.before, salt), body).execute(&mut *connection).await.map(drop)
    }

    /// Adds entries, ends the transaction, and gives back the hash of the last. A few at a time in one go.
    pub(super) async fn finish(
        mut self,
        connection: &mut SqliteConnection,
        entries: Vec<(Head<'_>, String)>,
    ) -> Result<Hash, sqlx::Error> {
        let mut left = entries.into_iter().peekable();
        loop {
            let some: Vec<_> = left.by_ref().take(TOGETHER).collect();
            let end = if left.peek().is_none() { "COMMIT" } else { "" };
            let sql = INSERT.repeat(some.len()) + end;
            let mut added = sqlx::query(sqlx::AssertSqlSafe(sql));
            for (head, body) in some {
                let (digest, salt) = self.follow(head, &body)?;
                added = bound(added, head, (digest, self.before, salt), body);
            }
            added.execute(&mut *connection).await?;
            if !end.is_empty() {
                return Ok(self.before);
            }
        }
    }

    /// Goes on behind an entry that is to be added. Gives the digest of its body, and the salt in that.
    fn follow(&mut self, head: Head<'_>, body: &str) -> Result<(Hash, Hash), sqlx::Error> {
        let salt = chain::salt()?;
        let digest = chain::digest(&salt, body);
        self.before = chain::link(&self.before, head, &digest);
        Ok((digest, salt))
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

/// With the values of one entry: its digest, its hash and its salt, and its body.
fn bound<'q>(
    added: Query<'q, Sqlite, SqliteArguments>,
    head: Head<'_>,
    (digest, hash, salt): (Hash, Hash, Hash),
    body: String,
) -> Query<'q, Sqlite, SqliteArguments> {
    added
        .bind(head.session.to_owned())
        .bind(head.seq)
        .bind(head.at_ms)
        .bind(head.operation)
        .bind(head.event.to_owned())
        .bind(head.version)
        .bind(digest.to_vec())
        .bind(hash.to_vec())
        .bind(salt.to_vec())
        .bind(body)
}
