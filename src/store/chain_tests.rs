//! The chain as a whole: what a hand in the file does to it, deleting a session, files of version 1, several writers.

use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, SqliteConnection};

use super::*;
use crate::domain::{Containment, Forgetting, JournalEntry, JournalEvent, OperationId, Outcome};

/// The tables of version 1, as it made them.
const VERSION_1: [&str; 3] = [
    "CREATE TABLE entries (
        session TEXT NOT NULL,
        seq INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        operation INTEGER NOT NULL,
        event TEXT NOT NULL,
        body TEXT NOT NULL,
        version INTEGER NOT NULL,
        PRIMARY KEY (session, seq)
    ) STRICT",
    "PRAGMA application_id = 1131636590",
    "PRAGMA user_version = 1",
];

fn started(id: u64) -> JournalEntry {
    JournalEntry::of(OperationId(id), JournalEvent::Started { containment: Containment::ReadOnly })
}

fn finished(id: u64) -> JournalEntry {
    JournalEntry::of(OperationId(id), JournalEvent::ended(Outcome::Cancelled, 3))
}

/// A journal of two sessions, `a` and `b`, with six entries that take turns.
async fn written() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    let session = |id: &str| Session { id: id.into(), ..Session::new(Path::new("/w")) };
    let journals =
        [Journal::open(&path, session("a")).await.unwrap(), Journal::open(&path, session("b")).await.unwrap()];
    for id in 1..=3 {
        journals[0].append(started(id)).await.unwrap();
        journals[1].append(finished(id)).await.unwrap();
    }
    for journal in journals {
        journal.close().await.unwrap();
    }
    (folder, path)
}

async fn walk(path: &Path) -> Walk {
    Archive::open(path).await.unwrap().unwrap().verify(None).await.unwrap()
}

/// Changes the file with a hand that takes the triggers away first.
async fn tamper(path: &Path, statements: &str) {
    let mut connection = raw(path).await;
    let guards = "DROP TRIGGER entries_stay; DROP TRIGGER entries_stay_the_same; DROP TRIGGER bodies_stay_the_same; \
                  PRAGMA foreign_keys = OFF;";
    sqlx::raw_sql(AssertSqlSafe(format!("{guards}{statements}"))).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

async fn raw(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).create_if_missing(true).connect().await.unwrap()
}

#[tokio::test]
async fn an_untouched_journal_is_whole() {
    let (_folder, path) = written().await;
    let found = walk(&path).await;
    assert_eq!((found.entries, found.deleted, found.sessions, found.broken), (6, 0, 2, None));
    assert_eq!(found.head.len(), 64);
}

#[tokio::test]
async fn a_session_whose_last_entry_is_gone_or_another_writes_nothing_more() {
    for touch in [
        "DELETE FROM bodies WHERE number > 6; DELETE FROM entries WHERE number > 6",
        "UPDATE entries SET hash = zeroblob(32) WHERE number = 7",
    ] {
        let (_folder, path) = written().await;
        let journal = Journal::open(&path, Session { id: "c".into(), ..Session::new(Path::new("/w")) }).await.unwrap();
        journal.append(started(1)).await.unwrap();
        tamper(&path, touch).await;
        assert_eq!(journal.append(finished(1)).await, Err(JournalError::Altered(path.clone())), "{touch}");
        assert_eq!(journal.append(started(2)).await, Err(JournalError::Altered(path)), "{touch}");
    }
}

#[tokio::test]
async fn the_first_entry_that_was_touched_is_named() {
    let bodies = "UPDATE bodies SET body = replace(body, 'read-only', 'none') WHERE number = 3";
    let exchanged = "UPDATE entries SET number = 99 WHERE number = 2; UPDATE entries SET number = 2 WHERE number = 4; \
                     UPDATE entries SET number = 4 WHERE number = 99";
    for (statements, number, flaw) in [
        (bodies, 3, Flaw::Changed),
        ("UPDATE bodies SET salt = zeroblob(32) WHERE number = 4", 4, Flaw::Changed),
        ("UPDATE entries SET at_ms = at_ms - 1 WHERE number = 2", 2, Flaw::Unchained),
        ("UPDATE entries SET event = 'finished' WHERE number = 5", 5, Flaw::Unchained),
        ("UPDATE entries SET hash = x'00' WHERE number = 5", 5, Flaw::Unchained),
        ("DELETE FROM entries WHERE number = 2", 2, Flaw::Missing),
        ("DELETE FROM entries WHERE number = 1", 1, Flaw::Missing),
        ("DELETE FROM entries WHERE number > 4", 5, Flaw::Cut),
        ("DELETE FROM entries", 1, Flaw::Cut),
        (exchanged, 2, Flaw::Unchained),
        ("DELETE FROM bodies WHERE number = 5", 5, Flaw::Emptied),
        ("DELETE FROM bodies WHERE number = 2; DELETE FROM sessions WHERE id = 'b'", 2, Flaw::Emptied),
    ] {
        let (_folder, path) = written().await;
        tamper(&path, statements).await;
        assert_eq!(walk(&path).await.broken, Some(Broken { number, flaw }), "{statements}");
    }
    let (_folder, path) = written().await;
    tamper(&path, bodies).await;
    let told = walk(&path).await.broken.unwrap().to_string();
    assert_eq!(told, "the content of entry 3 isn't as it was written");
}

#[tokio::test]
async fn a_slip_of_the_hand_changes_nothing() {
    let (_folder, path) = written().await;
    let mut connection = raw(&path).await;
    for statement in ["DELETE FROM entries", "UPDATE entries SET at_ms = 0", "UPDATE bodies SET body = ''"] {
        let error = sqlx::query(statement).execute(&mut connection).await.unwrap_err();
        assert!(error.to_string().contains("only ever added to"), "{error}");
    }
    assert_eq!(walk(&path).await.broken, None);
}

#[tokio::test]
async fn a_deleted_session_leaves_the_chain_and_nothing_of_what_it_said() {
    let (_folder, path) = written().await;
    let mut archive = Archive::open(&path).await.unwrap().unwrap();
    assert_eq!(archive.forget("nobody", Forgetting::Person).await, Ok(0));
    assert_eq!(archive.forget("b", Forgetting::Person).await, Ok(3));
    assert_eq!(archive.forget("b", Forgetting::Expiry).await, Ok(0));
    let found = archive.verify(None).await.unwrap();
    assert_eq!((found.entries, found.deleted, found.broken), (7, 3, None));
    let sessions = archive.sessions().await.unwrap();
    assert_eq!(sessions.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!((sessions[0].operations, sessions[0].workspace.as_deref()), (3, Some("/w")));
    assert!(sessions[0].ended_ms.is_some());
    let of = Wanted { session: Some("b".to_owned()), ..Wanted::default() };
    let entries = archive.entries(&of, 0, 100).await.unwrap();
    assert!(entries[..3].iter().all(|entry| entry.content == Content::Deleted));
    let told = JournalEvent::Forgotten { cause: Forgetting::Person, entries: 3 };
    assert_eq!(entries[3].content, Content::Event(Box::new(told)));
    archive.close().await;
    // Neither the file nor what is beside it still has the words.
    for suffix in ["", "-wal"] {
        let bytes = std::fs::read(format!("{}{suffix}", path.display())).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains("milliseconds"), "{suffix}");
    }
}

#[tokio::test]
async fn a_session_that_goes_on_after_it_was_deleted_is_whole_too() {
    let (_folder, path) = written().await;
    let session = Session { id: "a".into(), ..Session::new(Path::new("/w")) };
    let journal = Journal::open(&path, session).await.unwrap();
    let mut archive = Archive::open(&path).await.unwrap().unwrap();
    archive.forget("a", Forgetting::Person).await.unwrap();
    journal.append(started(4)).await.unwrap();
    assert_eq!(archive.verify(None).await.unwrap().broken, None);
    assert_eq!(archive.sessions().await.unwrap().len(), 2);
    assert_eq!(archive.older_than(i64::MAX).await.unwrap(), ["a", "b"]);
    assert!(archive.older_than(1).await.unwrap().is_empty());
}

#[tokio::test]
async fn entries_are_read_by_what_is_wanted_and_in_pages() {
    let (_folder, path) = written().await;
    let mut archive = Archive::open(&path).await.unwrap().unwrap();
    let numbers = |entries: Vec<Stored>| entries.into_iter().map(|entry| entry.number).collect::<Vec<_>>();
    let all = Wanted::default();
    assert_eq!(numbers(archive.entries(&all, 0, 4).await.unwrap()), [1, 2, 3, 4]);
    assert_eq!(numbers(archive.entries(&all, 4, 4).await.unwrap()), [5, 6]);
    let two = Wanted { operation: Some(OperationId(2)), ..Wanted::default() };
    assert_eq!(numbers(archive.entries(&two, 0, 9).await.unwrap()), [3, 4]);
    let ends = Wanted { event: Some("finished"), ..two.clone() };
    assert_eq!(numbers(archive.entries(&ends, 0, 9).await.unwrap()), [4]);
    let none = Wanted { until_ms: Some(1), ..Wanted::default() };
    assert!(archive.entries(&none, 0, 9).await.unwrap().is_empty());
    assert_eq!(archive.latest().await.unwrap(), 6);
}

/// A journal as version 1 wrote it: two sessions, one of them with a proposal that names its workspace.
async fn version_1(path: &Path) {
    let mut connection = raw(path).await;
    for statement in VERSION_1 {
        sqlx::query(statement).execute(&mut connection).await.unwrap();
    }
    let rows = [
        (
            "x",
            0,
            10,
            1,
            "proposed",
            r#"{"event":"proposed","prepared":{"facts":{"place":{"workspace":"/home/ann/shop"}}}}"#,
        ),
        ("y", 0, 11, 1, "started", r#"{"event":"started","containment":"none"}"#),
        ("x", 1, 12, 1, "finished", r#"{"event":"finished","outcome":"Cancelled","milliseconds":7}"#),
    ];
    for (session, seq, at, operation, event, body) in rows {
        sqlx::query("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, 1)")
            .bind(session)
            .bind(seq)
            .bind(at)
            .bind(operation)
            .bind(event)
            .bind(body)
            .execute(&mut connection)
            .await
            .unwrap();
    }
    connection.close().await.unwrap();
}

#[tokio::test]
async fn a_journal_of_version_1_becomes_one_of_this_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    version_1(&path).await;
    let mut archive = Archive::open(&path).await.unwrap().unwrap();
    let found = archive.verify(None).await.unwrap();
    assert_eq!((found.entries, found.sessions, found.broken), (3, 2, None));
    let sessions = archive.sessions().await.unwrap();
    let x = &sessions[0];
    assert_eq!((x.id.as_str(), x.started_ms, x.last_ms), ("x", 10, 12));
    assert_eq!(x.workspace.as_deref(), Some("/home/ann/shop"));
    let entries = archive.entries(&Wanted::default(), 0, 9).await.unwrap();
    assert_eq!(entries.iter().map(|entry| entry.at_ms).collect::<Vec<_>>(), [10, 11, 12]);
    let end = JournalEvent::ended(Outcome::Cancelled, 7);
    assert_eq!(entries[2].content, Content::Event(Box::new(end)));
    assert!(matches!(entries[0].content, Content::Unreadable(_)), "half a proposal is told as what it is");
    archive.close().await;
    assert_eq!(walk(&path).await.entries, 3, "a second opening changes nothing");
}

#[tokio::test]
async fn a_journal_of_version_1_that_cannot_be_brought_up_to_date_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    version_1(&path).await;
    let mut connection = raw(&path).await;
    // A view in the way of the new tables.
    sqlx::query("CREATE VIEW bodies AS SELECT 1").execute(&mut connection).await.unwrap();
    assert!(Archive::open(&path).await.is_err());
    let rows: i64 = sqlx::query_scalar("SELECT count(body) FROM entries").fetch_one(&mut connection).await.unwrap();
    let version: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut connection).await.unwrap();
    assert_eq!((rows, version), (3, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_programs_write_one_chain_and_open_an_old_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    version_1(&path).await;
    let writers = (0..3).map(|_| {
        let path = path.clone();
        tokio::spawn(async move {
            let journal = Journal::open(&path, Session::new(Path::new("/w"))).await.unwrap();
            for id in 1..=50 {
                journal.append(started(id)).await.unwrap();
            }
            journal.close().await.unwrap();
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let found = walk(&path).await;
    assert_eq!((found.entries, found.sessions, found.broken), (153, 5, None));
}

/// As hooks do: the process ends and never closes the file.
#[tokio::test]
async fn the_log_that_is_left_stays_short() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    let mut left = Vec::new();
    for _ in 0..8 {
        let journal = Journal::open(&path, Session::new(Path::new("/w"))).await.unwrap();
        let many = |id: OperationId| (0..200).map(|more| started(id.0 + more)).collect();
        journal.append_new(many).await.unwrap();
        left.push(journal);
        let log = std::fs::metadata(folder.path().join("journal.sqlite-wal")).unwrap().len();
        assert!(log < 2 << 20, "{log}");
    }
}

#[tokio::test]
async fn a_session_in_which_nothing_was_said_or_asked_for_is_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    let notice = || JournalEvent::Notice { text: "a hint".to_owned(), trouble: false };
    let event = |event| vec![JournalEntry::of_session(event)];
    for (id, more) in [
        ("empty", Vec::new()),
        ("mode", event(JournalEvent::Mode { mode: crate::domain::ApprovalMode::Smart })),
        ("said", event(JournalEvent::Said { text: "hello".to_owned() })),
        ("ran", vec![started(1)]),
    ] {
        let journal = Journal::open(&path, Session { id: id.into(), ..Session::new(Path::new("/w")) }).await.unwrap();
        journal.append(JournalEntry::of_session(notice())).await.unwrap();
        for entry in more {
            journal.append(entry).await.unwrap();
        }
        journal.close().await.unwrap();
    }
    let mut archive = Archive::open(&path).await.unwrap().unwrap();
    let mut listed: Vec<String> = archive.sessions().await.unwrap().into_iter().map(|listed| listed.id).collect();
    listed.sort();
    assert_eq!(listed, ["ran", "said"]);
    let walk = archive.verify(None).await.unwrap();
    assert_eq!((walk.entries, walk.sessions, walk.broken), (7, 4, None), "the log has them all");
    assert_eq!(archive.older_than(i64::MAX).await.unwrap().len(), 4, "and each is kept no longer than the others");
}
