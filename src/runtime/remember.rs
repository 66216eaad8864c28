//! What the person decided for later, at the edge: rules and known folders go to their files, and the wall's clock comes
//! to the state, which has none.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use super::bus::Work;
use super::engine::Engine;
use crate::app::{Event, Millis, State, update};
use crate::domain::{Draft, JournalEvent, Prepared, RuleId};
use crate::memory::{Rules, Workspaces};
use crate::store::{Archive, Content, Stored, Wanted};

/// Where that is kept.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Remembered rules.
    pub rules: Rules,
    /// Known folders.
    pub workspaces: Workspaces,
    /// The folder that the person works in.
    pub folder: PathBuf,
    /// The journal, and the session that is not an earlier one.
    pub journal: (PathBuf, String),
}

/// Entries of the journal that are looked through for earlier operations, and most of those.
const ENTRIES: (i64, u32) = (8_000, 1_000);

/// Operations of earlier sessions, as far as they are quickly read.
async fn earlier((journal, session): (PathBuf, String)) -> Option<Vec<Prepared>> {
    let mut archive = Archive::open(&journal).await.ok()??;
    let latest = archive.latest().await.unwrap_or(0);
    let wanted = Wanted { event: Some("proposed"), ..Wanted::default() };
    let found = archive.entries(&wanted, latest.saturating_sub(ENTRIES.0), ENTRIES.1).await;
    archive.close().await;
    let prepared = |stored: Stored| match stored.content {
        Content::Event(event) if stored.session != session => match *event {
            JournalEvent::Proposed { prepared } => Some(*prepared),
            _ => None,
        },
        Content::Event(_) | Content::Deleted | Content::Unreadable(_) => None,
    };
    Some(found.ok()?.into_iter().filter_map(prepared).collect())
}

/// Tells the state what time it is before a decision about an operation: rules end by the wall's clock, which also goes
/// on while the machine sleeps.
pub fn clock(state: &mut State, now: Millis, event: &Event) {
    if matches!(event, Event::Proposed(..) | Event::Refreshed(..) | Event::Key(_) | Event::Said(..)) {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        if seconds != state.queue.gate().policy().now {
            update(state, now, Event::Clock(seconds));
        }
    }
}

impl Engine {
    /// Reads operations of earlier sessions, to say what a rule would have covered.
    pub fn read_history(&self) {
        let (journal, lane) = (self.memory.journal.clone(), self.lanes.work.clone());
        tokio::spawn(async move {
            if let Some(earlier) = earlier(journal).await {
                let _leaving = lane.send(Work::History(earlier)).await;
            }
        });
    }

    /// Saves a rule that outlives the session.
    pub fn remember(&self, draft: Box<Draft>) {
        let (rules, lane) = (self.memory.rules.clone(), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            let saved = draft
                .rule(RuleId(String::new()), now)
                .and_then(|rule| rules.save(rule).map_err(|error| error.to_string()));
            let _leaving = lane.blocking_send(Work::Remembered(saved));
        });
    }

    /// Takes such a rule back.
    pub fn forget(&self, rule: RuleId) {
        let (rules, lane) = (self.memory.rules.clone(), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            if let Err(error) = rules.revoke(&rule) {
                let said = format!("Rule {rule} holds again from the next start on: {error}.");
                let _leaving = lane.blocking_send(Work::Notice(said));
            }
        });
    }

    /// The person said yes to the folder.
    pub fn know_folder(&self) {
        let (memory, lane) = (self.memory.clone(), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            if let Err(error) = memory.workspaces.add(&memory.folder) {
                let said = format!("You'll be asked about this folder again: {error}.");
                let _leaving = lane.blocking_send(Work::Notice(said));
            }
        });
    }
}
