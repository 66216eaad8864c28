//! Operations as the journal has them: the entries of each put together again, and which of them are wanted.

use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};

use super::archive::{Content, Stored, Wanted, stored};
use super::journal::AGENT;
use crate::domain::{Containment, Decider, JournalEvent, Judgement, Left, OperationId, Outcome, Prepared};

/// One operation, from its proposal to its end as far as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Number of its first proposal in the log.
    pub number: i64,
    /// Its session.
    pub session: String,
    /// Whose calls that holds; none where it was deleted.
    pub agent: Option<String>,
    /// Its number within that.
    pub id: OperationId,
    /// When it was proposed, in milliseconds since 1970.
    pub at_ms: i64,
    /// What it was judged on, the last time if the person edited it; or why that can't be told.
    pub prepared: Result<Box<Prepared>, Untold>,
    /// What was decided.
    pub decided: Option<Decided>,
    /// Why it went without a decision, if it did.
    pub dropped: Option<String>,
    /// What was enforced while it ran, and since when it did.
    pub started: Option<(Containment, i64)>,
    /// How it ended, and how long it took in milliseconds.
    pub finished: Option<(Outcome, u64)>,
}

/// Why a content can't be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untold {
    /// It was deleted with its session.
    Deleted,
    /// This version of the program can't read it.
    Unreadable(String),
}

/// What was decided of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// Who.
    pub decider: Decider,
    /// True for run.
    pub allowed: bool,
    /// The derivation.
    pub judgement: Judgement,
    /// The person's reason, or what there is to note.
    pub reason: Option<String>,
    /// How long it waited for the person, in milliseconds; none where nobody had to be asked.
    pub waited: Option<u64>,
    /// What of it was left to another agent: neither allowed nor denied then.
    pub left: Option<Left>,
}

/// A page of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Behind the operation of this number, in the order of the page.
    pub behind: Option<i64>,
    /// The newest first.
    pub newest_first: bool,
    /// At most so many.
    pub limit: u32,
}

/// The first proposals of a page with all that followed them. The operations come in no order.
const ENTRIES: [&str; 2] = [
    "WITH page AS (
        SELECT number AS first, session, operation FROM entries AS e
        WHERE event = 'proposed' AND number > coalesce(?1, 0) AND (?2 IS NULL OR session = ?2)
          AND (?3 IS NULL OR at_ms >= ?3) AND (?4 IS NULL OR at_ms < ?4) AND (?5 IS NULL OR operation = ?5)
          AND NOT EXISTS (SELECT 1 FROM entries AS o WHERE o.session = e.session AND o.operation = e.operation
                          AND o.event = 'proposed' AND o.number < e.number)
        ORDER BY number LIMIT ?6)
     SELECT number, session, at_ms, operation, event, body, agent, first FROM page
     JOIN entries USING (session, operation) LEFT JOIN bodies USING (number) LEFT JOIN sessions ON id = session
     ORDER BY first, number",
    "WITH page AS (
        SELECT number AS first, session, operation FROM entries AS e
        WHERE event = 'proposed' AND (?1 IS NULL OR number < ?1) AND (?2 IS NULL OR session = ?2)
          AND (?3 IS NULL OR at_ms >= ?3) AND (?4 IS NULL OR at_ms < ?4) AND (?5 IS NULL OR operation = ?5)
          AND NOT EXISTS (SELECT 1 FROM entries AS o WHERE o.session = e.session AND o.operation = e.operation
                          AND o.event = 'proposed' AND o.number < e.number)
        ORDER BY number DESC LIMIT ?6)
     SELECT number, session, at_ms, operation, event, body, agent, first FROM page
     JOIN entries USING (session, operation) LEFT JOIN bodies USING (number) LEFT JOIN sessions ON id = session
     ORDER BY first DESC, number",
];

/// One page of the operations that are wanted; what a [`Wanted`] says of events is passed over.
pub(super) async fn page(
    connection: &mut SqliteConnection,
    wanted: &Wanted,
    page: Page,
) -> Result<Vec<Recorded>, sqlx::Error> {
    let rows = sqlx::query(ENTRIES[usize::from(page.newest_first)])
        .bind(page.behind)
        .bind(&wanted.session)
        .bind(wanted.since_ms)
        .bind(wanted.until_ms)
        .bind(wanted.operation.map(|id| i64::try_from(id.0).unwrap_or(i64::MAX)))
        .bind(page.limit)
        .fetch_all(connection)
        .await?;
    let mut found: Vec<Recorded> = Vec::new();
    for row in &rows {
        let (first, entry) = (row.try_get::<i64, _>(7)?, entry(row)?);
        match found.last_mut().filter(|last| last.number == first) {
            Some(last) => last.add(entry.1),
            None => found.push(Recorded::first(first, entry)),
        }
    }
    Ok(found)
}

fn entry(row: &SqliteRow) -> Result<(OperationId, Stored), sqlx::Error> {
    let stored = stored(row)?;
    let operation = stored.operation.ok_or_else(|| sqlx::Error::Decode("a proposal without a number".into()))?;
    Ok((operation, stored))
}

impl Recorded {
    /// The agent whose calls its session holds, if that isn't this program.
    #[must_use]
    pub fn other_agent(&self) -> Option<&str> {
        self.agent.as_deref().filter(|agent| *agent != AGENT)
    }

    fn first(number: i64, (id, entry): (OperationId, Stored)) -> Self {
        let mut recorded = Self {
            number,
            session: entry.session.clone(),
            agent: entry.agent.clone(),
            id,
            at_ms: entry.at_ms,
            prepared: Err(Untold::Deleted),
            decided: None,
            dropped: None,
            started: None,
            finished: None,
        };
        recorded.add(entry);
        recorded
    }

    fn add(&mut self, entry: Stored) {
        // What asked for it may stand before its proposal.
        if entry.number == self.number {
            self.at_ms = entry.at_ms;
        }
        match entry.content {
            Content::Event(event) => self.happened(*event, entry.at_ms),
            Content::Unreadable(why) if entry.word == "proposed" => self.prepared = Err(Untold::Unreadable(why)),
            Content::Deleted | Content::Unreadable(_) => {}
        }
    }

    fn happened(&mut self, event: JournalEvent, at_ms: i64) {
        match event {
            JournalEvent::Proposed { prepared } => self.prepared = Ok(prepared),
            JournalEvent::Decided { decider, allowed, judgement, reason, waited, left } => {
                let left = left.or_else(|| Left::of_earlier(&decider, allowed, reason.as_deref()));
                // Journals of earlier versions don't say how long it waited: until it was decided, or began.
                let asked = matches!(decider, Decider::Person | Decider::PersonAll);
                let since = u64::try_from(at_ms.saturating_sub(self.at_ms)).unwrap_or_default();
                let waited = waited.or(asked.then_some(since));
                let judgement = judgement.of_earlier();
                self.decided = Some(Decided { decider, allowed, judgement, reason, waited, left });
            }
            JournalEvent::Started { containment } => self.started = Some((containment, at_ms)),
            JournalEvent::Finished { outcome, milliseconds, .. } => self.finished = Some((outcome, milliseconds)),
            JournalEvent::Dropped { reason, .. } => self.dropped = Some(reason),
            JournalEvent::Said { .. }
            | JournalEvent::Answered { .. }
            | JournalEvent::Taken
            | JournalEvent::Untaken { .. }
            | JournalEvent::Asked { .. }
            | JournalEvent::Undoable { .. }
            | JournalEvent::Told { .. }
            | JournalEvent::Aside { .. }
            | JournalEvent::Summarised { .. }
            | JournalEvent::Notice { .. }
            | JournalEvent::Mode { .. }
            | JournalEvent::Forgotten { .. } => {}
        }
    }
}
