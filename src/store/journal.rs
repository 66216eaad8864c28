//! The journal: what happens in a session, each entry on disk before the next step happens. One task owns the file; a
//! [`Journal`] is a cheap handle to it.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use super::JournalError;
use super::chain::{Hash, Head};
use super::database::Database;
use super::line::Line;
use super::log::{Begun, Log};
use crate::domain::{JournalEntry, JournalEvent, OperationId};

/// How long a write waits for another program that holds the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Most entries in one transaction. What waits meanwhile goes into the next.
const GROUP: usize = 128;

type Answer = oneshot::Sender<Result<(), JournalError>>;

/// Makes entries of operations from the first number that their session has left.
type Making = Box<dyn FnOnce(OperationId) -> Vec<JournalEntry> + Send>;

/// How safe entries are when their writer is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// In the file: they outlive this program, but perhaps not a loss of power. What comes after them takes them along.
    Written,
    /// Safely on disk.
    Synced,
}

/// What the owning task is asked.
enum Request {
    Append(Vec<Line>, Kept, Answer),
    AppendNew(Making, Answer),
    Close(Answer),
}

/// Whose calls the sessions of this program hold.
pub const AGENT: &str = "countersign";

/// What lists say of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: Arc<str>,
    /// Folder it works in.
    pub workspace: PathBuf,
    /// Whose calls it holds: `countersign`, or another agent's name.
    pub agent: String,
}

impl Session {
    /// A new session of this program.
    #[must_use]
    pub fn new(workspace: &Path) -> Self {
        Self { id: session_id().into(), workspace: workspace.to_path_buf(), agent: AGENT.to_owned() }
    }
}

/// A handle to the journal. Clones share the one owning task, which ends with the last of them.
#[derive(Clone, Debug)]
pub struct Journal {
    session: Arc<str>,
    // Everybody who runs operations sends; a drop of the receiver means that the journal was closed.
    requests: mpsc::Sender<Request>,
}

impl Journal {
    /// Opens the journal at `path` for a session, and makes file and folder where there are none. A session that is in
    /// it goes on; one that never gets an entry leaves no trace.
    ///
    /// # Errors
    /// It can't be used. Then nothing may run.
    pub async fn open(path: &Path, session: Session) -> Result<Self, JournalError> {
        Self::open_patiently(path, session, PATIENCE).await
    }

    async fn open_patiently(path: &Path, session: Session, patience: Duration) -> Result<Self, JournalError> {
        Ok(Self::over(Database::open(path, patience).await?, session))
    }

    fn over(database: Database, session: Session) -> Self {
        let (requests, inbox) = mpsc::channel(GROUP);
        let id = Arc::clone(&session.id);
        tokio::spawn(own(database, session, inbox));
        Self { session: id, requests }
    }

    /// The session's id.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Writes one entry, and returns once it is safely on disk.
    ///
    /// # Errors
    /// It isn't on disk. Then what it announces must not happen.
    pub async fn append(&self, entry: JournalEntry) -> Result<(), JournalError> {
        self.append_all(&[entry]).await
    }

    /// Writes entries, all of them or none, and returns once they are safely on disk.
    ///
    /// # Errors
    /// They aren't on disk. Then what they announce must not happen.
    pub async fn append_all(&self, entries: &[JournalEntry]) -> Result<(), JournalError> {
        self.append_lines(entries.iter().map(Line::of).collect::<Result<_, _>>()?, Kept::Synced).await
    }

    /// Writes lines, all of them or none, and returns once they are as safe as is asked, with all before them.
    ///
    /// # Errors
    /// They aren't. Then what they announce must not happen.
    pub async fn append_lines(&self, lines: Vec<Line>, kept: Kept) -> Result<(), JournalError> {
        self.ask(|answer| Request::Append(lines, kept, answer)).await
    }

    /// Writes entries of operations that are new in a session which other programs may write to as well: `make` gets the
    /// first number that is left, and may use those after it. All of it is written, or nothing.
    ///
    /// # Errors
    /// It isn't on disk. Then what it announces must not happen.
    pub async fn append_new(
        &self,
        make: impl FnOnce(OperationId) -> Vec<JournalEntry> + Send + 'static,
    ) -> Result<(), JournalError> {
        self.ask(|answer| Request::AppendNew(Box::new(make), answer)).await
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

/// The owning task: takes what waits, writes it in one transaction, and answers everybody.
async fn own(mut database: Database, session: Session, mut inbox: mpsc::Receiver<Request>) {
    let (mut begun, mut last) = (false, None);
    let mut batch = Vec::new();
    while inbox.recv_many(&mut batch, GROUP).await > 0 {
        let (mut lines, mut answers, mut new, mut closing) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut kept = Kept::Written;
        for request in batch.drain(..) {
            match request {
                Request::Append(more, asked, answer) => {
                    lines.extend(more);
                    kept = kept.max(asked);
                    answers.push(answer);
                }
                Request::AppendNew(make, answer) => new.push((make, answer)),
                Request::Close(answer) => closing.push(answer),
            }
        }
        let some = !lines.is_empty();
        let written = write(&mut database, &session, (!begun, &mut last), Batch::Lines(lines, kept)).await;
        begun |= written.is_ok() && some;
        reply(answers, &written);
        for (make, answer) in new {
            let written = write(&mut database, &session, (!begun, &mut last), Batch::New(make)).await;
            begun |= written.is_ok();
            database.shorten().await;
            reply(vec![answer], &written);
        }
        if !closing.is_empty() {
            if begun {
                end(&mut database, &session.id).await;
            }
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

/// What goes into one transaction.
enum Batch {
    /// These.
    Lines(Vec<Line>, Kept),
    /// Those that are made once it is known which numbers are left.
    New(Making),
}

/// The entry that this program wrote last: its number in the session, and its hash.
type Last = Option<(i64, Hash)>;

/// Writes all of a batch or none; the first ones of the session together with what lists say of it. Nothing is written
/// where the `last` entry isn't there any more as it was written.
async fn write(
    database: &mut Database,
    session: &Session,
    (first, last): (bool, &mut Last),
    batch: Batch,
) -> Result<(), JournalError> {
    if matches!(&batch, Batch::Lines(lines, Kept::Written) if lines.is_empty()) {
        return Ok(());
    }
    if !database.in_place() {
        return Err(JournalError::Replaced(database.path().to_path_buf()));
    }
    if matches!(&batch, Batch::Lines(lines, Kept::Synced) if lines.is_empty()) {
        let unsynced = |error: std::io::Error| JournalError::Unusable {
            path: database.path().to_path_buf(),
            why: format!("what was written can't be synced: {error}"),
        };
        return database.flush().await.map_err(unsynced);
    }
    let written = transact(database, session, (first, *last), batch).await;
    if !matches!(written, Ok(Some(_))) {
        // Fails where SQLite rolled back by itself; either way nothing of it stays.
        let _already = sqlx::query("ROLLBACK").execute(&mut database.connection).await;
    }
    match written {
        Ok(Some(now)) => *last = now,
        Ok(None) => return Err(JournalError::Altered(database.path().to_path_buf())),
        Err(error) => return Err(JournalError::of(database.path(), &error)),
    }
    Ok(())
}

/// Gives back which entry is the last one now; none, where the one before it is not as it was written.
async fn transact(
    database: &mut Database,
    session: &Session,
    (first, last): (bool, Last),
    batch: Batch,
) -> Result<Option<Last>, sqlx::Error> {
    let kept = match &batch {
        Batch::Lines(_, kept) => *kept,
        Batch::New(_) => Kept::Synced,
    };
    database.sync(kept == Kept::Synced).await?;
    let connection = &mut database.connection;
    let Begun { log, next, listed, intact } = Log::begin(connection, &session.id, last).await?;
    if !intact {
        return Ok(None);
    }
    let lines = match batch {
        Batch::Lines(lines, _) => lines,
        Batch::New(make) => {
            let number = Log::next_operation(connection, &session.id).await?;
            let entries = make(OperationId(u64::try_from(number).unwrap_or(1)));
            let lines = entries.iter().map(Line::of).collect::<Result<_, _>>();
            lines.map_err(|error: JournalError| sqlx::Error::Encode(Box::new(error)))?
        }
    };
    if let Some(line) = lines.first().filter(|_| first || !listed) {
        begin(connection, session, line.at_ms, first).await?;
    }
    for title in lines.iter().filter_map(|line| line.title.as_deref()) {
        entitle(connection, &session.id, title).await?;
    }
    let seq = next + i64::try_from(lines.len()).unwrap_or(i64::MAX) - 1;
    let entry = |(line, seq): (Line, i64)| {
        let head = Head {
            session: &session.id,
            seq,
            at_ms: line.at_ms,
            operation: line.operation,
            event: line.event,
            version: JournalEvent::VERSION,
        };
        (head, line.body)
    };
    let none = lines.is_empty();
    let hash = log.finish(connection, lines.into_iter().zip(next..).map(entry).collect()).await?;
    Ok(Some(if none { last } else { Some((seq, hash)) }))
}

/// Lists the session: one that was left goes on; one that somebody deleted meanwhile begins anew.
async fn begin(
    connection: &mut SqliteConnection,
    session: &Session,
    at_ms: i64,
    first: bool,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO sessions (id, started_ms, workspace, agent, program) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (id) DO UPDATE SET ended_ms = NULL, program = excluded.program WHERE ?6",
    )
    .bind(&*session.id)
    .bind(at_ms)
    .bind(session.workspace.to_string_lossy())
    .bind(&session.agent)
    .bind(env!("CARGO_PKG_VERSION"))
    .bind(first)
    .execute(&mut *connection)
    .await?;
    Ok(())
}

/// What the person did first names the session.
async fn entitle(connection: &mut SqliteConnection, session: &str, title: &str) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE sessions SET title = ? WHERE id = ? AND title IS NULL")
        .bind(title)
        .bind(session)
        .execute(&mut *connection)
        .await?;
    Ok(())
}

/// Notes that the session ended in order. Without the note it looks broken off, which harms nobody.
async fn end(database: &mut Database, session: &str) {
    let noted = sqlx::query("UPDATE sessions SET ended_ms = ? WHERE id = ?")
        .bind(milliseconds())
        .bind(session)
        .execute(&mut database.connection)
        .await;
    if let Err(error) = noted {
        tracing::warn!(%error, "the end of the session couldn't be noted");
    }
}

/// Milliseconds since 1970; a clock before that counts as zero.
pub(super) fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A new session's id: sorts by time, and differs between programs that start at once.
fn session_id() -> String {
    // The standard library's seed of hash maps is random for each of them.
    let random = RandomState::new().build_hasher().finish();
    format!("{:012x}-{:x}-{:08x}", milliseconds(), std::process::id(), random & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Containment, Outcome};
    use sqlx::ConnectOptions as _;
    use sqlx::sqlite::SqliteConnectOptions;

    fn started(id: u64) -> JournalEntry {
        JournalEntry::of(OperationId(id), JournalEvent::Started { containment: Containment::ReadOnly })
    }

    fn finished(id: u64) -> JournalEntry {
        let event = JournalEvent::ended(Outcome::Cancelled, 3);
        JournalEntry::of(OperationId(id), event)
    }

    fn session() -> Session {
        Session::new(Path::new("/w"))
    }

    async fn reader(path: &Path) -> SqliteConnection {
        SqliteConnectOptions::new().filename(path).connect().await.unwrap()
    }

    async fn stored(path: &Path, session: &str) -> Vec<(i64, i64, String, String)> {
        sqlx::query_as(
            "SELECT seq, operation, event, body FROM entries JOIN bodies USING (number) WHERE session = ? ORDER BY seq",
        )
        .bind(session)
        .fetch_all(&mut reader(path).await)
        .await
        .unwrap()
    }

    #[tokio::test]
    async fn an_acknowledged_entry_is_there_in_order_and_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journal = Journal::open(&path, session()).await.unwrap();
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
        let journals = [Journal::open(&path, session()).await.unwrap(), Journal::open(&path, session()).await.unwrap()];
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

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn programs_that_share_a_session_number_its_operations_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let shared = session();
        let tasks = (0..20).map(|_| {
            let (path, session) = (path.clone(), shared.clone());
            tokio::spawn(async move {
                let journal = Journal::open(&path, session).await.unwrap();
                journal.append_new(|id| vec![started(id.0), finished(id.0), started(id.0 + 1)]).await.unwrap();
                journal.close().await.unwrap();
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
        let lines = stored(&path, &shared.id).await;
        let numbers: Vec<i64> = lines.iter().map(|line| line.1).collect();
        let expected: Vec<i64> = (0..20).flat_map(|task| [2 * task + 1, 2 * task + 1, 2 * task + 2]).collect();
        assert_eq!(numbers, expected);
    }

    #[tokio::test]
    async fn a_locked_journal_writes_nothing_and_recovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journal = Journal::open_patiently(&path, session(), Duration::from_millis(100)).await.unwrap();
        let mut other = reader(&path).await;
        sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
        assert_eq!(journal.append(started(1)).await, Err(JournalError::Locked(path.clone())));
        sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
        journal.append(started(2)).await.unwrap();
        let lines = stored(&path, journal.session()).await;
        assert_eq!(lines.iter().map(|line| (line.0, line.1)).collect::<Vec<_>>(), [(0, 2)]);
    }

    #[tokio::test]
    async fn a_full_disk_writes_nothing_and_recovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let mut database = Database::open(&path, PATIENCE).await.unwrap();
        let pages: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(&mut database.connection).await.unwrap();
        let few = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {}", pages + 2));
        sqlx::query(few).execute(&mut database.connection).await.unwrap();
        let journal = Journal::over(database, session());
        let long = |id: u64| {
            let outcome = Outcome::Failed { reason: "x".repeat(20_000) };
            JournalEntry::of(OperationId(id), JournalEvent::ended(outcome, 3))
        };
        assert_eq!(journal.append(long(1)).await, Err(JournalError::Full(path.clone())));
        journal.append(started(2)).await.unwrap();
        let lines = stored(&path, journal.session()).await;
        assert_eq!(lines.iter().map(|line| (line.0, line.1)).collect::<Vec<_>>(), [(0, 2)]);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_journal_that_was_deleted_accepts_nothing_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journal = Journal::open(&path, session()).await.unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(journal.append(started(1)).await, Err(JournalError::Replaced(path)));
    }

    #[tokio::test]
    async fn an_entry_whose_asker_went_away_harms_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(&folder.path().join("journal.sqlite"), session()).await.unwrap();
        drop(tokio::time::timeout(Duration::ZERO, journal.append(started(1))).await);
        journal.append(started(2)).await.unwrap();
    }
}
