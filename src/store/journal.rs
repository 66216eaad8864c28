//! The journal: every operation's proposal, decision, start and end, each on disk before the next step
//! happens. One task owns the file; a [`Journal`] is a cheap handle to it.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sqlx::Connection as _;
use tokio::sync::{mpsc, oneshot};

use super::JournalError;
use super::database::Database;
use crate::domain::{JournalEntry, JournalEvent};

/// Version of the bodies.
const BODY_VERSION: i64 = 1;

/// How long a write waits for another program that holds the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Most entries in one transaction. What waits meanwhile goes into the next.
const GROUP: usize = 128;

type Answer = oneshot::Sender<Result<(), JournalError>>;

/// What the owning task is asked.
enum Request {
    Append(Box<Line>, Answer),
    Close(Answer),
}

/// One entry as it is stored.
struct Line {
    at_ms: i64,
    operation: i64,
    event: &'static str,
    body: String,
}

/// A handle to the journal. Clones share the one owning task, which ends with the last of them.
#[derive(Clone, Debug)]
pub struct Journal {
    session: Arc<str>,
    // Everybody who runs operations sends; a drop of the receiver means that the journal was closed.
    requests: mpsc::Sender<Request>,
}

impl Journal {
    /// Opens the journal at `path` for a new session, and makes file and folder where there are none.
    ///
    /// # Errors
    /// It can't be used. Then nothing may run.
    pub async fn open(path: &Path) -> Result<Self, JournalError> {
        Self::open_patiently(path, PATIENCE).await
    }

    async fn open_patiently(path: &Path, patience: Duration) -> Result<Self, JournalError> {
        let database = Database::open(path, patience).await?;
        let session: Arc<str> = session_id().into();
        let (requests, inbox) = mpsc::channel(GROUP);
        tokio::spawn(own(database, session.clone(), inbox));
        Ok(Self { session, requests })
    }

    /// This session's id: sorts by time, and differs between programs that start at once.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Writes one entry, and returns once it is safely on disk.
    ///
    /// # Errors
    /// It isn't on disk. Then what it announces must not happen.
    pub async fn append(&self, entry: JournalEntry) -> Result<(), JournalError> {
        let line = Box::new(line(&entry)?);
        self.ask(|answer| Request::Append(line, answer)).await
    }

    /// Writes what still waits, and closes the file. Other handles can't append any more.
    ///
    /// # Errors
    /// The file couldn't be closed in order; what was acknowledged is on disk all the same.
    pub async fn close(self) -> Result<(), JournalError> {
        self.ask(Request::Close).await
    }

    async fn ask(&self, request: impl FnOnce(Answer) -> Request) -> Result<(), JournalError> {
        let (answer, answered) = oneshot::channel();
        self.requests.send(request(answer)).await.map_err(|_| JournalError::Closed)?;
        answered.await.map_err(|_| JournalError::Closed)?
    }
}

/// An entry in the form of the table.
fn line(entry: &JournalEntry) -> Result<Line, JournalError> {
    let body = serde_json::to_string(&entry.event).map_err(|error| JournalError::Entry(error.to_string()))?;
    let operation = i64::try_from(entry.id.0).map_err(|error| JournalError::Entry(error.to_string()))?;
    let event = match entry.event {
        JournalEvent::Proposed { .. } => "proposed",
        JournalEvent::Decided { .. } => "decided",
        JournalEvent::Started { .. } => "started",
        JournalEvent::Finished { .. } => "finished",
    };
    Ok(Line { at_ms: milliseconds(), operation, event, body })
}

/// The owning task: takes what waits, writes it in one transaction, and answers everybody.
async fn own(mut database: Database, session: Arc<str>, mut inbox: mpsc::Receiver<Request>) {
    let mut seq = 0;
    let mut batch = Vec::new();
    while inbox.recv_many(&mut batch, GROUP).await > 0 {
        let (mut lines, mut answers, mut closing) = (Vec::new(), Vec::new(), Vec::new());
        for request in batch.drain(..) {
            match request {
                Request::Append(line, answer) => {
                    lines.push(*line);
                    answers.push(answer);
                }
                Request::Close(answer) => closing.push(answer),
            }
        }
        let written = write(&mut database, &session, seq, &lines).await;
        if written.is_ok() {
            seq += lines.len();
        }
        reply(answers, &written);
        if !closing.is_empty() {
            let path = database.path().to_path_buf();
            let closed = database.connection.close().await.map_err(|error| JournalError::of(&path, &error));
            return reply(closing, &closed);
        }
    }
}

/// Tells everybody who waits. Somebody who stopped waiting has lost interest.
fn reply(answers: Vec<Answer>, result: &Result<(), JournalError>) {
    for answer in answers {
        let _gone = answer.send(result.clone());
    }
}

/// Writes all lines or none.
async fn write(database: &mut Database, session: &str, seq: usize, lines: &[Line]) -> Result<(), JournalError> {
    if lines.is_empty() {
        return Ok(());
    }
    if !database.in_place() {
        return Err(JournalError::Replaced(database.path().to_path_buf()));
    }
    let written = transact(database, session, seq, lines).await;
    if written.is_err() {
        // Fails where SQLite rolled back by itself; either way nothing of it stays.
        let _already = sqlx::query("ROLLBACK").execute(&mut database.connection).await;
    }
    written.map_err(|error| JournalError::of(database.path(), &error))
}

async fn transact(database: &mut Database, session: &str, seq: usize, lines: &[Line]) -> Result<(), sqlx::Error> {
    let connection = &mut database.connection;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await?;
    for (line, seq) in lines.iter().zip(seq..) {
        sqlx::query(
            "INSERT INTO entries (session, seq, at_ms, operation, event, body, version) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(session)
        .bind(i64::try_from(seq).unwrap_or(i64::MAX))
        .bind(line.at_ms)
        .bind(line.operation)
        .bind(line.event)
        .bind(&line.body)
        .bind(BODY_VERSION)
        .execute(&mut *connection)
        .await?;
    }
    sqlx::query("COMMIT").execute(&mut *connection).await?;
    Ok(())
}

/// Milliseconds since 1970; a clock before that counts as zero.
fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A new session's id: sorts by time, and differs between programs that start at once.
#[must_use]
pub fn session_id() -> String {
    // The standard library's seed of hash maps is random for each of them.
    let random = RandomState::new().build_hasher().finish();
    format!("{:012x}-{:x}-{:08x}", milliseconds(), std::process::id(), random & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Containment, OperationId, Outcome};
    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{ConnectOptions as _, SqliteConnection};

    fn started(id: u64) -> JournalEntry {
        JournalEntry { id: OperationId(id), event: JournalEvent::Started { containment: Containment::ReadOnly } }
    }

    fn finished(id: u64) -> JournalEntry {
        let event = JournalEvent::Finished { outcome: Outcome::Cancelled, milliseconds: 3 };
        JournalEntry { id: OperationId(id), event }
    }

    async fn reader(path: &Path) -> SqliteConnection {
        SqliteConnectOptions::new().filename(path).connect().await.unwrap()
    }

    async fn stored(path: &Path, session: &str) -> Vec<(i64, i64, String, String)> {
        sqlx::query_as("SELECT seq, operation, event, body FROM entries WHERE session = ? ORDER BY seq")
            .bind(session)
            .fetch_all(&mut reader(path).await)
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn an_acknowledged_entry_is_there_in_order_and_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journal = Journal::open(&path).await.unwrap();
        journal.append(started(1)).await.unwrap();
        journal.append(finished(1)).await.unwrap();
        let lines = stored(&path, journal.session()).await;
        assert_eq!(
            lines.iter().map(|line| (line.0, line.2.as_str())).collect::<Vec<_>>(),
            [(0, "started"), (1, "finished")]
        );
        assert_eq!(serde_json::from_str::<JournalEvent>(&lines[1].3).unwrap(), finished(1).event);
        let other = journal.clone();
        journal.close().await.unwrap();
        assert_eq!(other.append(started(2)).await, Err(JournalError::Closed));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn two_programs_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journals = [Journal::open(&path).await.unwrap(), Journal::open(&path).await.unwrap()];
        assert_ne!(journals[0].session(), journals[1].session());
        let appends = (0..400).map(|number| {
            let journal = journals[number % 2].clone();
            tokio::spawn(async move { journal.append(started(number as u64)).await })
        });
        for append in appends.collect::<Vec<_>>() {
            append.await.unwrap().unwrap();
        }
        for journal in journals {
            assert_eq!(stored(&path, journal.session()).await.len(), 200);
        }
    }

    #[tokio::test]
    async fn a_locked_journal_writes_nothing_and_recovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journal = Journal::open_patiently(&path, Duration::from_millis(100)).await.unwrap();
        let mut other = reader(&path).await;
        sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
        assert_eq!(journal.append(started(1)).await, Err(JournalError::Locked(path.clone())));
        sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
        journal.append(started(2)).await.unwrap();
        let lines = stored(&path, journal.session()).await;
        assert_eq!(lines.iter().map(|line| (line.0, line.1)).collect::<Vec<_>>(), [(0, 2)]);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_journal_that_was_deleted_accepts_nothing_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journal = Journal::open(&path).await.unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(journal.append(started(1)).await, Err(JournalError::Replaced(path)));
    }

    #[tokio::test]
    async fn an_entry_whose_asker_went_away_harms_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(&folder.path().join("journal.sqlite")).await.unwrap();
        drop(tokio::time::timeout(Duration::ZERO, journal.append(started(1))).await);
        journal.append(started(2)).await.unwrap();
    }
}
