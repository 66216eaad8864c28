//! The journal against the worst end: a program that is killed while it writes.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use countersign::domain::{Containment, JournalEntry, JournalEvent, OperationId};
use countersign::store::{Journal, Session};
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

const PATH: &str = "COUNTERSIGN_TEST_JOURNAL";

/// Not a test of its own, and at once over without its variable: the program that is killed. Says each number once its entry was acknowledged.
#[tokio::test]
async fn writer() {
    let Some(path) = std::env::var_os(PATH).map(PathBuf::from) else { return };
    let journal = Journal::open(&path, Session::new(Path::new("/"))).await.unwrap();
    for number in 1.. {
        let event = JournalEvent::Started { containment: Containment::ReadOnly };
        journal.append(JournalEntry::of(OperationId(number), event)).await.unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n#{number}").and_then(|()| out.flush()).unwrap();
    }
}

/// Starts a writer, kills it after `count` acknowledged entries, and returns the last number that it said.
fn killed_after(path: &Path, count: usize) -> i64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--nocapture"])
        .env(PATH, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let said: Vec<i64> = lines.by_ref().filter_map(|line| line.strip_prefix('#')?.parse().ok()).take(count).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    // What it said between our last look and its end counts too.
    lines.filter_map(|line| line.strip_prefix('#')?.parse().ok()).last().unwrap_or(said[count - 1])
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill_and_the_next_program_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    let mut acknowledged = 0;
    for count in [1, 7, 60] {
        acknowledged += killed_after(&path, count);
    }
    let mut reader = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let (stored, sessions): (i64, i64) =
        sqlx::query_as("SELECT count(*), count(DISTINCT session) FROM entries").fetch_one(&mut reader).await.unwrap();
    // One more of each writer may be stored, whose acknowledgement it had no time to say.
    assert!((acknowledged..=acknowledged + 3).contains(&stored), "{stored} of {acknowledged}");
    assert_eq!(sessions, 3);
    let sound: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut reader).await.unwrap();
    assert_eq!(sound, "ok");
}
