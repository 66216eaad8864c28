//! The walk along the chain: whether every entry is there, in its place and as it was written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use futures::TryStreamExt as _;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};

use super::chain::{self, Hash, Head};

/// What the walk found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Entries that are as they were written.
    pub entries: u64,
    /// How many of them had their content deleted with their session.
    pub deleted: u64,
    /// Sessions that they belong to.
    pub sessions: u64,
    /// The last hash, in hexadecimal; empty without an entry. Whoever keeps it can tell later whether the log was cut.
    pub head: String,
    /// Whether it led through the head that was asked for.
    pub through: bool,
    /// Where the chain breaks, if it does: nothing behind that was looked at.
    pub broken: Option<Broken>,
}

/// Where the chain breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The entry.
    pub number: i64,
    /// What is wrong with it.
    pub flaw: Flaw,
}

/// What is wrong with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It isn't there.
    Missing,
    /// It isn't there, nor is what came after it.
    Cut,
    /// It doesn't follow from the one before it.
    Unchained,
    /// Its content isn't what was written.
    Changed,
    /// Its content isn't there, though its session wasn't deleted.
    Emptied,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number;
        match self.flaw {
            Flaw::Missing => write!(f, "entry {number} is missing"),
            Flaw::Cut => write!(f, "entry {number} and what came after it are missing"),
            Flaw::Unchained => {
                write!(f, "entry {number} isn't as it was written, or doesn't stand where it was written")
            }
            Flaw::Changed => write!(f, "the content of entry {number} isn't as it was written"),
            Flaw::Emptied => write!(f, "the content of entry {number} is missing, though its session wasn't deleted"),
        }
    }
}

/// Walks from the first entry to the last, in one reading of the file: what is added meanwhile is left for the next walk.
pub(super) async fn walk(connection: &mut SqliteConnection, head: Option<&str>) -> Result<Walk, sqlx::Error> {
    sqlx::query("BEGIN").execute(&mut *connection).await?;
    let walked = walk_all(connection, head).await;
    sqlx::query("COMMIT").execute(&mut *connection).await?;
    walked
}

async fn walk_all(connection: &mut SqliteConnection, head: Option<&str>) -> Result<Walk, sqlx::Error> {
    let ever: Option<i64> = sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = 'entries'")
        .fetch_optional(&mut *connection)
        .await?;
    let (mut walk, mut before, mut next) = (Walk::default(), chain::START, 1);
    let mut sessions = BTreeSet::new();
    // By session, the first entry without its content. A later entry that tells of the deletion makes it good.
    let mut empty = BTreeMap::<String, i64>::new();
    let mut rows = sqlx::query(
        "SELECT number, session, seq, at_ms, operation, event, version, digest, hash, salt, body
         FROM entries LEFT JOIN bodies USING (number) ORDER BY number",
    )
    .fetch(&mut *connection);
    while let Some(row) = rows.try_next().await? {
        let entry = Entry::of(&row)?;
        let flaw = if entry.number == next { entry.flaw(&before) } else { Some(Flaw::Missing) };
        if let Some(flaw) = flaw {
            walk.broken = Some(Broken { number: next, flaw });
            break;
        }
        if entry.body.is_none() {
            walk.deleted += 1;
            empty.entry(entry.session.clone()).or_insert(next);
        } else if entry.event == "forgotten" {
            empty.remove(&entry.session);
        }
        walk.through = walk.through || head.is_some_and(|head| head.eq_ignore_ascii_case(&chain::hex(entry.hash)));
        sessions.insert(entry.session);
        walk.entries += 1;
        (before, next) = (entry.hash, next + 1);
    }
    if walk.entries > 0 {
        walk.head = chain::hex(before);
    }
    walk.sessions = sessions.len() as u64;
    if walk.broken.is_none() {
        let cut = ever.is_some_and(|ever| ever >= next).then_some(Broken { number: next, flaw: Flaw::Cut });
        let emptied = empty.into_values().min().map(|number| Broken { number, flaw: Flaw::Emptied });
        walk.broken = emptied.or(cut);
    }
    Ok(walk)
}

/// An entry as it is stored.
struct Entry {
    number: i64,
    session: String,
    seq: i64,
    at_ms: i64,
    operation: Option<i64>,
    event: String,
    version: i64,
    digest: Vec<u8>,
    hash: Hash,
    salt: Vec<u8>,
    body: Option<String>,
}

impl Entry {
    fn of(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let hash: Vec<u8> = row.try_get(8)?;
        Ok(Self {
            number: row.try_get(0)?,
            session: row.try_get(1)?,
            seq: row.try_get(2)?,
            at_ms: row.try_get(3)?,
            operation: row.try_get(4)?,
            event: row.try_get(5)?,
            version: row.try_get(6)?,
            digest: row.try_get(7)?,
            // One of another length follows from nothing.
            hash: hash.try_into().unwrap_or(chain::START),
            salt: row.try_get::<Option<Vec<u8>>, _>(9)?.unwrap_or_default(),
            body: row.try_get(10)?,
        })
    }

    fn flaw(&self, before: &Hash) -> Option<Flaw> {
        let head = Head {
            session: &self.session,
            seq: self.seq,
            at_ms: self.at_ms,
            operation: self.operation,
            event: &self.event,
            version: self.version,
        };
        if chain::link(before, head, &self.digest) != self.hash {
            return Some(Flaw::Unchained);
        }
        let body = self.body.as_ref()?;
        (chain::digest(&self.salt, body)[..] != self.digest).then_some(Flaw::Changed)
    }
}
