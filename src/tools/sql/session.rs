//! What an open session of any engine can do, and how rows of any engine are gathered.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::BoxFuture;
use futures::stream::{BoxStream, StreamExt};
use sqlx::mysql::MySqlConnectOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::{Column, Database, Either, Row, TypeInfo};

use super::connections::Failure;
use super::rows::Rows;
use crate::assess::sql_catalog::Names;
use crate::domain::{Catalog, Role};

/// What a session may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// The engine refuses every write.
    ReadOnly,
    /// What the connection's user may do.
    Full,
}

/// What a transaction of our own is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Somebody's statement, under the settings that they made, on rows that don't change meanwhile.
    Write,
    /// Statements of ours, under settings that read our literals exactly.
    Own,
}

/// What came of beginning a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begun {
    /// It is ours.
    Ours,
    /// One was open already; it is as it was.
    Within,
    /// The engine doesn't say whether one is open; nothing was begun.
    Unsure,
}

/// What the engine answered to SQL of our own.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The rows of all its statements, each value as the bytes that the engine prints.
    pub(super) rows: Vec<Vec<Option<Vec<u8>>>>,
    /// Rows that statements without rows changed.
    pub(super) changed: u64,
    /// There were more rows, or larger ones, than are kept.
    pub(super) cut: bool,
}

impl Answer {
    /// The number in a column of the first row; zero where there is none.
    pub(super) fn number(&self, column: usize) -> u64 {
        let value = self.rows.first().and_then(|row| row.get(column)).and_then(Option::as_ref);
        let text = value.map(|bytes| String::from_utf8_lossy(bytes));
        text.and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// Takes the values of a row from that column on, while there is room. `size` counts the bytes of all.
    fn take<E: Engine>(&mut self, row: &E::Row, from: usize, size: &mut usize) {
        if self.rows.len() >= ANSWER.0 || *size >= ANSWER.1 {
            self.cut = true;
            return;
        }
        let values: Vec<_> = (from..row.columns().len()).map(|index| E::bytes(row, index)).collect();
        *size += values.iter().flatten().map(Vec::len).sum::<usize>();
        self.rows.push(values);
    }
}

/// The server's own limit for a statement, in milliseconds, where we wait so many seconds: a little earlier, so that it
/// says itself that it stopped. We may not reach it by then.
pub(super) fn before(limit: u64) -> u64 {
    let milliseconds = limit.clamp(1, 1_000_000) * 1000;
    milliseconds - (milliseconds / 10).min(500)
}

/// What holds in a session, by name.
pub(super) type State = BTreeMap<String, Holds>;

/// One thing that holds in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holds {
    pub(super) value: String,
    /// It was set for this session or its role, not for every session of the database.
    pub(super) own: bool,
}

/// An open connection.
pub(super) trait Session: Send + fmt::Debug {
    /// Whether it still answers.
    fn alive(&mut self) -> BoxFuture<'_, bool>;

    /// Sets the time that we wait for one read, in seconds; the server ends it a little earlier.
    fn limit(&mut self, seconds: u64);

    /// Asks what the names in a statement lead to. On a session that only reads, in a transaction that is rolled back;
    /// on another, in the one that is open.
    fn look<'a>(&'a mut self, sql: &'a str, names: &'a Names) -> BoxFuture<'a, Result<Catalog, Failure>>;

    /// Why the engine refuses a statement as soon as it is prepared. It never runs. None if the engine takes it, or refuses
    /// it for what is this session's alone, its rights above all. Only on a session that only reads.
    fn refusal<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<Option<Failure>, Failure>>;

    /// Asks as whom the session is used.
    fn role(&mut self) -> BoxFuture<'_, Result<Role, Failure>>;

    /// Runs SQL to its end and gathers what it yields.
    fn run<'a>(&'a mut self, sql: &'a str, rows: &'a mut Rows) -> BoxFuture<'a, Result<(), Failure>>;

    /// Runs SQL of our own, several statements maybe. On a session that only reads, in a transaction that is
    /// rolled back.
    fn ask<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<Answer, Failure>>;

    /// Runs a statement of which the last `own` values of each row are ours: gives those, and the rest to `rows`.
    fn yields<'a>(&'a mut self, sql: &'a str, own: usize, rows: &'a mut Rows)
    -> BoxFuture<'a, Result<Answer, Failure>>;

    /// Begins a transaction, unless one is open.
    fn begin(&mut self, scope: Scope) -> BoxFuture<'_, Result<Begun, Failure>>;

    /// Puts back the settings that a transaction of our own changed.
    fn restore(&mut self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// What decides in this session which rows a statement means, name by name: its settings, its role, tables of its
    /// own. None while a transaction is open, or where the engine doesn't tell.
    fn state(&mut self) -> BoxFuture<'_, Result<Option<State>, Failure>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Whether a temporary table of this session stands before a table.
    fn hides<'a>(&'a mut self, _schema: &'a str, _table: &'a str) -> BoxFuture<'a, Result<bool, Failure>> {
        Box::pin(std::future::ready(Ok(false)))
    }

    /// Whether the engine says whether a transaction is open.
    fn tells(&self) -> bool {
        true
    }

    /// Whether the engine returns the rows that an `INSERT` added.
    fn returns(&self) -> bool {
        true
    }

    /// What stops a running statement from outside.
    fn brake(&self) -> Brake;
}

/// Stops the running statement of one session where it runs.
#[derive(Debug)]
pub(super) enum Brake {
    Sqlite(Arc<AtomicBool>),
    Postgres(Box<PgConnectOptions>, i32),
    Mysql(Box<MySqlConnectOptions>, u64),
}

impl Brake {
    /// Stops it. Where that fails the session is given up, as its statement doesn't end.
    pub(super) async fn pull(self) {
        match self {
            Self::Sqlite(stop) => stop.store(true, Ordering::Relaxed),
            Self::Postgres(options, process) => super::postgres::stop(&options, process).await,
            Self::Mysql(options, thread) => super::mysql::stop(&options, thread).await,
        }
    }
}

/// How values of an engine are told as text.
pub(super) trait Engine: Database {
    /// Rows that a statement changed.
    fn changed(result: &Self::QueryResult) -> u64;

    /// One value, bounded in size; none for NULL.
    fn cell(row: &Self::Row, index: usize) -> Option<String>;

    /// One value as the bytes that the engine prints, whole; none for NULL.
    fn bytes(row: &Self::Row, index: usize) -> Option<Vec<u8>>;
}

/// What a statement of an engine yields, as it comes.
type Items<'a, E> = BoxStream<'a, Result<Either<<E as Database>::QueryResult, <E as Database>::Row>, sqlx::Error>>;

/// What the end of a stream is that came before the end of its statement.
fn broke_off() -> sqlx::Error {
    sqlx::Error::Protocol("the rows broke off before their end".to_owned())
}

/// Gathers everything a statement yields. Rows past the kept ones are only counted.
pub(super) async fn gather<E: Engine>(items: Items<'_, E>, rows: &mut Rows) -> Result<(), sqlx::Error> {
    parted::<E>(items, 0, rows).await.map(drop)
}

/// The same where the last `own` values of each row are ours.
pub(super) async fn parted<E: Engine>(
    mut items: Items<'_, E>,
    own: usize,
    rows: &mut Rows,
) -> Result<Answer, sqlx::Error> {
    let (mut answer, mut size) = (Answer::default(), 0);
    let (mut within, mut unseen) = (false, 0);
    while let Some(item) = items.next().await {
        match item? {
            Either::Left(result) => {
                within = false;
                let unseen = std::mem::take(&mut unseen);
                rows.end_set(if unseen > 0 { unseen } else { E::changed(&result) });
            }
            Either::Right(row) => {
                within = true;
                let shown = row.columns().len().saturating_sub(own);
                if own > 0 {
                    answer.take::<E>(&row, shown, &mut size);
                }
                if own > 0 && shown == 0 {
                    unseen += 1;
                    continue;
                }
                if rows.is_new_set() {
                    let columns = row.columns().iter().take(shown);
                    rows.begin_set(columns.map(|column| {
                        let kind = column.type_info().name();
                        (column.name().to_owned(), if kind == "?" { String::new() } else { kind.to_lowercase() })
                    }));
                }
                if rows.has_room() {
                    rows.keep((0..shown).map(|index| E::cell(&row, index)).collect());
                } else {
                    rows.pass();
                }
                rows.show().await;
            }
        }
    }
    if within { Err(broke_off()) } else { Ok(answer) }
}

/// Rows of an answer that are kept, and bytes of them.
const ANSWER: (usize, usize) = (10_001, 8 * 1024 * 1024);

/// Gathers what statements of our own yield.
pub(super) async fn collect<E: Engine>(mut items: Items<'_, E>) -> Result<Answer, sqlx::Error> {
    let mut answer = Answer::default();
    let (mut size, mut yielded) = (0, false);
    while let Some(item) = items.next().await {
        match item? {
            Either::Left(result) => {
                // Engines count rows that they returned, too.
                answer.changed += if std::mem::take(&mut yielded) { 0 } else { E::changed(&result) };
            }
            Either::Right(row) => {
                yielded = true;
                answer.take::<E>(&row, 0, &mut size);
            }
        }
    }
    if yielded { Err(broke_off()) } else { Ok(answer) }
}

/// Longest value that is shown, in bytes.
pub(super) const CELL: usize = 10_000;

/// Bytes as text, no more of them than are shown: a value may be of any size, its copy may not.
pub(super) fn text(bytes: &[u8]) -> String {
    if bytes.len() <= CELL {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    // Not within a character: its later bytes all begin with the bits 10.
    let end = (CELL - 3..=CELL).rev().find(|at| bytes[*at] & 0xC0 != 0x80).unwrap_or(CELL);
    format!("{}… ({} more bytes)", String::from_utf8_lossy(&bytes[..end]), bytes.len() - end)
}

/// Bytes that are text, or their hexadecimal form. No more of them than are shown.
pub(super) fn text_or_hex(bytes: &[u8], prefix: &str) -> String {
    match std::str::from_utf8(bytes) {
        Ok(_) if !bytes.contains(&0) => text(bytes),
        Ok(_) | Err(_) => hex(bytes, prefix),
    }
}

/// Bytes in hexadecimal form. No more of them than are shown.
pub(super) fn hex(bytes: &[u8], prefix: &str) -> String {
    use fmt::Write as _;
    let shown = &bytes[..bytes.len().min(CELL / 2)];
    let mut text = String::with_capacity(prefix.len() + shown.len() * 2);
    text.push_str(prefix);
    for byte in shown {
        let _infallible = write!(text, "{byte:02x}");
    }
    if shown.len() < bytes.len() {
        text.push_str(&format!("… ({} more bytes)", bytes.len() - shown.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_says_how_much_is_missing() {
        let long = format!("a{}", "ä".repeat(CELL));
        let shown = text(long.as_bytes());
        assert!(shown.ends_with("ä… (10002 more bytes)") && shown.len() < CELL + 30, "{}", &shown[CELL - 20..]);
        assert_eq!(text(&[b'a', 0xff]), "a\u{FFFD}");
        assert!(hex(&[7; CELL], "0x").ends_with("07… (5000 more bytes)"));
        assert_eq!(text_or_hex(b"a\0", "0x"), "0x6100");
    }
}
