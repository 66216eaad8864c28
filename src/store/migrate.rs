//! The tables of the journal's file, and how a file of an earlier version becomes one of this: in one transaction, so
//! that it is whole before and whole afterwards.

use sqlx::{Row as _, SqliteConnection};

use super::chain::Head;
use super::log::Log;

/// Version of the tables below; a file with a higher one is left alone.
pub(super) const VERSION: i64 = 2;

/// Marks the file as ours: "Csgn".
pub(super) const APPLICATION_ID: i64 = 0x4373_676e;

/// One log of everything: `entries` is only ever added to, and chained over all sessions. What an entry says is apart
/// in `bodies`, with the salt of its digest, so that it can be deleted and the chain stays. `sessions` has what lists
/// show; nothing depends on it.
const TABLES: [&str; 10] = [
    "CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        started_ms INTEGER NOT NULL,
        ended_ms INTEGER,
        workspace TEXT,
        agent TEXT NOT NULL,
        program TEXT,
        title TEXT
    ) STRICT",
    // AUTOINCREMENT: the highest number is remembered, so that a cut end is noticed.
    "CREATE TABLE entries (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        seq INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        operation INTEGER,
        event TEXT NOT NULL,
        version INTEGER NOT NULL,
        digest BLOB NOT NULL,
        hash BLOB NOT NULL,
        UNIQUE (session, seq)
    ) STRICT",
    "CREATE INDEX entries_by_operation ON entries (session, operation)",
    "CREATE INDEX entries_by_event ON entries (event, at_ms)",
    "CREATE TABLE bodies (
        number INTEGER PRIMARY KEY REFERENCES entries (number),
        salt BLOB NOT NULL,
        body TEXT NOT NULL
    ) STRICT",
    "CREATE TRIGGER entries_stay BEFORE DELETE ON entries
        BEGIN SELECT RAISE(ABORT, 'the journal is only ever added to'); END",
    "CREATE TRIGGER entries_stay_the_same BEFORE UPDATE ON entries
        BEGIN SELECT RAISE(ABORT, 'the journal is only ever added to'); END",
    "CREATE TRIGGER bodies_stay_the_same BEFORE UPDATE ON bodies
        BEGIN SELECT RAISE(ABORT, 'the journal is only ever added to'); END",
    "PRAGMA application_id = 1131636590",
    "PRAGMA user_version = 2",
];

/// Makes the tables in a file that has none.
pub(super) async fn create(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    for statement in TABLES {
        sqlx::query(statement).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Version 1 had one table, `entries`, without a chain and with the content in it. Called inside a transaction.
pub(super) async fn from_1(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query("ALTER TABLE entries RENAME TO entries_1").execute(&mut *connection).await?;
    create(connection).await?;
    sqlx::query(
        "INSERT INTO sessions (id, started_ms, ended_ms, workspace, agent)
         SELECT session, min(at_ms), max(at_ms), max(CASE WHEN event = 'proposed' AND json_valid(body)
            THEN json_extract(body, '$.prepared.facts.place.workspace') END), 'countersign'
         FROM entries_1 GROUP BY session",
    )
    .execute(&mut *connection)
    .await?;
    let (mut log, mut last) = (Log::at_its_end(connection).await?, 0_i64);
    // A piece at a time: a journal may be large.
    loop {
        let rows = sqlx::query(
            "SELECT rowid, session, seq, at_ms, operation, event, body, version FROM entries_1
             WHERE rowid > ? ORDER BY rowid LIMIT 1000",
        )
        .bind(last)
        .fetch_all(&mut *connection)
        .await?;
        for row in &rows {
            last = row.try_get(0)?;
            let (session, event): (String, String) = (row.try_get(1)?, row.try_get(5)?);
            let head = Head {
                session: &session,
                seq: row.try_get(2)?,
                at_ms: row.try_get(3)?,
                operation: row.try_get(4)?,
                event: &event,
                version: row.try_get(7)?,
            };
            log.add(connection, head, row.try_get(6)?).await?;
        }
        if rows.is_empty() {
            break;
        }
    }
    sqlx::query("DROP TABLE entries_1").execute(&mut *connection).await?;
    Ok(())
}
