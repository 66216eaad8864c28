//! The journal read back: sessions, entries, the walk along the chain; and the one thing that is ever taken out of it,
//! the contents of a session.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, Row as _};

use super::JournalError;
use super::chain::Head;
use super::database::Database;
use super::hidden;
use super::journal::milliseconds;
use super::log::Log;
use super::recorded::{self, Page, Recorded};
use super::verify::{Walk, walk};
use crate::domain::{Forgetting, JournalEvent, OperationId};

/// How long reading waits for another program that holds the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// The journal's file, opened to be read.
pub struct Archive {
    database: Database,
}

/// A session as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// When it started, in milliseconds since 1970.
    pub started_ms: i64,
    /// When it was left in order; none for one that runs or broke off.
    pub ended_ms: Option<i64>,
    /// When the latest of its entries was written.
    pub last_ms: i64,
    /// Folder it worked in.
    pub workspace: Option<String>,
    /// Whose calls it holds.
    pub agent: String,
    /// Version of the program that wrote it.
    pub program: Option<String>,
    /// What the person or the program called it.
    pub title: Option<String>,
    /// How many operations it has.
    pub operations: u64,
}

/// Which entries are wanted. The default wants all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Of this session.
    pub session: Option<String>,
    /// Not before this, in milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Before this, in milliseconds since 1970.
    pub until_ms: Option<i64>,
    /// Of this operation.
    pub operation: Option<OperationId>,
    /// Of this sort, by [`JournalEvent::word`].
    pub event: Option<&'static str>,
}

/// One entry as it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Its number in the log, from 1.
    pub number: i64,
    /// Its session.
    pub session: String,
    /// Whose calls that holds; none where it was deleted.
    pub agent: Option<String>,
    /// When it was written, in milliseconds since 1970.
    pub at_ms: i64,
    /// Its operation; none for what is about the session.
    pub operation: Option<OperationId>,
    /// What sort it is, by [`JournalEvent::word`].
    pub word: String,
    /// What it says.
    pub content: Content,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// This.
    Event(Box<JournalEvent>),
    /// It was deleted with its session.
    Deleted,
    /// This version of the program can't read it.
    Unreadable(String),
}

impl Listed {
    /// The part of its id that a person types.
    #[must_use]
    pub fn short(&self) -> Cow<'_, str> {
        short(&self.id, Some(&self.agent))
    }
}

/// The part of a session's id that a person types: its end, behind the name of the agent whose calls it holds if its id
/// begins with that.
#[must_use]
pub fn short<'a>(id: &'a str, agent: Option<&str>) -> Cow<'a, str> {
    let end = |id: &'a str| id.rsplit('-').next().unwrap_or(id);
    match agent.and_then(|agent| Some((agent, id.strip_prefix(agent)?.strip_prefix('-')?))) {
        Some((agent, rest)) => Cow::Owned(format!("{agent}-{}", end(rest))),
        None => Cow::Borrowed(end(id)),
    }
}

/// Whether a person means a session by this: its id, the beginning or end of it, or both.
#[must_use]
pub fn goes_by(id: &str, named: &str) -> bool {
    let both = |(at, _): (usize, &str)| id.starts_with(&named[..=at]) && id.ends_with(&named[at..]);
    id.starts_with(named) || id.ends_with(named) || named.match_indices('-').any(both)
}

impl Archive {
    /// Opens the journal at `path`; none if there is no file yet. One of an earlier version is brought up to date.
    ///
    /// # Errors
    /// It can't be used.
    pub async fn open(path: &Path) -> Result<Option<Self>, JournalError> {
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(Self { database: Database::open(path, PATIENCE).await? }))
    }

    /// Closes the file.
    pub async fn close(self) {
        let _read_only = self.database.connection.close().await;
    }

    /// All sessions that were not deleted, the one with the latest entry first. One in which nothing was ever said and
    /// no operation was asked for is left out: there is nothing in it to go on with.
    ///
    /// # Errors
    /// The file can't be read.
    pub async fn sessions(&mut self) -> Result<Vec<Listed>, JournalError> {
        let rows = sqlx::query(
            "SELECT id, started_ms, ended_ms, last_ms, workspace, agent, program, title, operations FROM sessions
             JOIN (SELECT session, max(at_ms) AS last_ms, count(DISTINCT operation) AS operations,
                          max(operation IS NOT NULL OR event IN ('said', 'answered')) AS used
                   FROM entries GROUP BY session) ON session = id
             WHERE used
             ORDER BY last_ms DESC, id DESC",
        )
        .fetch_all(&mut self.database.connection)
        .await;
        self.told(rows.and_then(|rows| rows.iter().map(listed).collect()))
    }

    /// Entries in the order of the log, at most `limit` of those whose number is higher than `after`.
    ///
    /// # Errors
    /// The file can't be read.
    pub async fn entries(&mut self, wanted: &Wanted, after: i64, limit: u32) -> Result<Vec<Stored>, JournalError> {
        let rows = sqlx::query(
            "SELECT number, session, at_ms, operation, event, body, agent FROM entries LEFT JOIN bodies USING (number)
             LEFT JOIN sessions ON id = session
             WHERE number > ?1 AND (?2 IS NULL OR session = ?2) AND (?3 IS NULL OR at_ms >= ?3)
               AND (?4 IS NULL OR at_ms < ?4) AND (?5 IS NULL OR operation = ?5) AND (?6 IS NULL OR event = ?6)
             ORDER BY number LIMIT ?7",
        )
        .bind(after)
        .bind(&wanted.session)
        .bind(wanted.since_ms)
        .bind(wanted.until_ms)
        .bind(wanted.operation.map(|id| i64::try_from(id.0).unwrap_or(i64::MAX)))
        .bind(wanted.event)
        .bind(limit)
        .fetch_all(&mut self.database.connection)
        .await;
        self.told(rows.and_then(|rows| rows.iter().map(stored).collect()))
    }

    /// One page of the operations that are wanted; what `wanted` says of events is passed over.
    ///
    /// # Errors
    /// The file can't be read.
    pub async fn operations(&mut self, wanted: &Wanted, page: Page) -> Result<Vec<Recorded>, JournalError> {
        let found = recorded::page(&mut self.database.connection, wanted, page).await;
        self.told(found)
    }

    /// The ids of all sessions that ever had an entry, deleted ones too.
    ///
    /// # Errors
    /// The file can't be read.
    pub async fn session_ids(&mut self) -> Result<Vec<String>, JournalError> {
        let ids = sqlx::query_scalar("SELECT session FROM entries WHERE seq = 0 ORDER BY number");
        let ids = ids.fetch_all(&mut self.database.connection).await;
        self.told(ids)
    }

    /// The secrets that sessions knew by value and noted in their entries after this one.
    ///
    /// # Errors
    /// It can't be read.
    pub async fn hidden(&mut self, after: i64) -> Result<Vec<String>, JournalError> {
        let found = sqlx::query_scalar("SELECT body FROM bodies WHERE number > ? AND instr(body, ?) > 0");
        let found = found.bind(after).bind(hidden::SIGN).fetch_all(&mut self.database.connection).await;
        let bodies: Vec<String> = self.told(found)?;
        Ok(bodies.iter().flat_map(|body| hidden::values(body)).collect())
    }

    /// The number of the latest entry; zero if there is none.
    ///
    /// # Errors
    /// The file can't be read.
    pub async fn latest(&mut self) -> Result<i64, JournalError> {
        let latest = sqlx::query_scalar("SELECT coalesce(max(number), 0) FROM entries");
        let latest = latest.fetch_one(&mut self.database.connection).await;
        self.told(latest)
    }

    /// Walks along the whole chain, and looks whether it leads through `head`, a hash in hexadecimal.
    ///
    /// # Errors
    /// The file can't be read. A broken chain is none: it is what the walk tells.
    pub async fn verify(&mut self, head: Option<&str>) -> Result<Walk, JournalError> {
        let walked = walk(&mut self.database.connection, head).await;
        self.told(walked)
    }

    /// Deletes what the entries of a session say, and their salts. The chain stays, with an entry that tells of it. Gives
    /// how many contents were deleted: zero if there is no such session. One that still goes on begins anew. What is kept
    /// beside the journal goes by [`remove_beside`].
    ///
    /// # Errors
    /// The file can't be written; then nothing was deleted.
    pub async fn forget(&mut self, session: &str, cause: Forgetting) -> Result<u64, JournalError> {
        let forgotten = forget(&mut self.database, session, cause).await;
        if forgotten.is_err() {
            let _already = sqlx::query("ROLLBACK").execute(&mut self.database.connection).await;
        }
        let count = self.told(forgotten)?;
        // What was deleted is still in the write-ahead file: into the database with it, where it is overwritten. Another
        // program that reads just now puts it off until its own end.
        let _put_off = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut self.database.connection).await;
        Ok(count)
    }

    /// Sessions whose latest entry was written before a time, in milliseconds since 1970.
    ///
    /// # Errors
    /// The file can't be read.
    pub async fn older_than(&mut self, at_ms: i64) -> Result<Vec<String>, JournalError> {
        let found = sqlx::query_scalar(
            "SELECT id FROM sessions WHERE started_ms < ?1
             AND (SELECT max(at_ms) FROM entries WHERE session = id) < ?1 ORDER BY id",
        )
        .bind(at_ms)
        .fetch_all(&mut self.database.connection)
        .await;
        self.told(found)
    }

    fn told<T>(&self, result: Result<T, sqlx::Error>) -> Result<T, JournalError> {
        result.map_err(|error| JournalError::of(self.database.path(), &error))
    }
}

/// Removes what is kept of a session in folders beside the journal.
///
/// # Errors
/// It can't be removed; the sentence names what.
pub fn remove_beside(session: &str, beside: &[PathBuf]) -> std::io::Result<()> {
    // An id is letters, digits and dashes: it leads nowhere else.
    if session.is_empty() || !session.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Ok(());
    }
    for folder in beside.iter().map(|folder| folder.join(session)) {
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let sentence = format!("{} can't be deleted: {error}", folder.display());
                return Err(std::io::Error::new(error.kind(), sentence));
            }
            Err(_) | Ok(()) => {}
        }
    }
    Ok(())
}

async fn forget(database: &mut Database, session: &str, cause: Forgetting) -> Result<u64, sqlx::Error> {
    let connection = &mut database.connection;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await?;
    let entries = sqlx::query(
        "DELETE FROM bodies WHERE number IN (SELECT number FROM entries WHERE session = ? AND event <> 'forgotten')",
    )
    .bind(session)
    .execute(&mut *connection)
    .await?
    .rows_affected();
    sqlx::query("DELETE FROM sessions WHERE id = ?").bind(session).execute(&mut *connection).await?;
    if entries > 0 {
        let event = JournalEvent::Forgotten { cause, entries };
        let body = serde_json::to_string(&event).map_err(|error| sqlx::Error::Encode(error.into()))?;
        let head = Head {
            session,
            seq: Log::next_seq(connection, session).await?,
            at_ms: milliseconds(),
            operation: None,
            event: event.word(),
            version: JournalEvent::VERSION,
        };
        Log::at_its_end(connection).await?.add(connection, head, body).await?;
    }
    sqlx::query("COMMIT").execute(&mut *connection).await?;
    Ok(entries)
}

fn listed(row: &SqliteRow) -> Result<Listed, sqlx::Error> {
    Ok(Listed {
        id: row.try_get(0)?,
        started_ms: row.try_get(1)?,
        ended_ms: row.try_get(2)?,
        last_ms: row.try_get(3)?,
        workspace: row.try_get(4)?,
        agent: row.try_get(5)?,
        program: row.try_get(6)?,
        title: row.try_get(7)?,
        operations: row.try_get::<i64, _>(8)?.unsigned_abs(),
    })
}

pub(super) fn stored(row: &SqliteRow) -> Result<Stored, sqlx::Error> {
    let body: Option<String> = row.try_get(5)?;
    let content = match body.as_deref().map(serde_json::from_str) {
        None => Content::Deleted,
        Some(Ok(event)) => Content::Event(Box::new(event)),
        Some(Err(error)) => Content::Unreadable(error.to_string()),
    };
    Ok(Stored {
        number: row.try_get(0)?,
        session: row.try_get(1)?,
        agent: row.try_get(6)?,
        at_ms: row.try_get(2)?,
        operation: row.try_get::<Option<i64>, _>(3)?.map(|id| OperationId(id.unsigned_abs())),
        word: row.try_get(4)?,
        content,
    })
}
