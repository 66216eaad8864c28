//! What the person decided for later, at the edge: rules and known folders go to their files, and the wall's clock comes
//! to the state, which has none.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::{Mutex, mpsc};

use super::bus::Work;
use super::engine::Engine;
use crate::app::{Event, Millis, State, update};
use crate::domain::{Draft, JournalEvent, Prepared, Remembered, RuleId, Says};
use crate::memory::{Rules, ThemeChoice, Workspaces};
use crate::store::{Archive, Content, Stored, Wanted};

/// The rules that outlive a session, and what of them the session was told: the rules, and whether they are broken.
/// Another program may change them at any time.
#[derive(Clone, Debug)]
pub struct Followed {
    rules: Rules,
    told: Arc<Mutex<(Vec<Remembered>, bool)>>,
}

impl Followed {
    /// Those of a file, of which the session was told this at its start.
    pub fn since(rules: Rules, told: Vec<Remembered>, broken: bool) -> Self {
        Self { rules, told: Arc::new(Mutex::new((told, broken))) }
    }

    /// Tells the session of the rules as they are now, if that is news. What is said on the lane after it is judged by
    /// them: whoever else looks meanwhile waits until it was told.
    async fn look(&self, lane: &mpsc::Sender<Work>) {
        let mut told = self.told.lock().await;
        let rules = self.rules.clone();
        let loaded = tokio::task::spawn_blocking(move || rules.load()).await;
        let (kept, wrong) = loaded.unwrap_or_else(|_| (Vec::new(), vec!["the rules couldn't be read".to_owned()]));
        let mut now = (kept, !wrong.is_empty());
        if now.1 {
            // What the person forbade stays forbidden though it can't be read any more.
            let lost = |rule: &&Remembered| {
                matches!(rule.says(), Says::Deny(_)) && now.0.iter().all(|kept| kept.id() != rule.id())
            };
            let denied: Vec<Remembered> = told.0.iter().filter(lost).cloned().collect();
            now.0.extend(denied);
        }
        if now == *told {
            return;
        }
        if lane.send(Work::Ruled(now.0.clone(), wrong.into_iter().next())).await.is_ok() {
            *told = now;
        }
    }

    /// Hands on what was read and judged of an operation, behind the rules that it is decided by.
    pub async fn hand_on(&self, work: Work, lane: &mpsc::Sender<Work>) {
        self.look(lane).await;
        let _leaving = lane.send(work).await;
    }
}

/// Where that is kept.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Remembered rules.
    pub rules: Followed,
    /// Known folders.
    pub workspaces: Workspaces,
    /// The theme that was chosen.
    pub theme: ThemeChoice,
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
    let decides = matches!(event, Event::Proposed(..) | Event::Refreshed(..) | Event::Otherwise(..) | Event::Said(..));
    if decides || matches!(event, Event::Key(_) | Event::Keys(_)) {
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
        let (Followed { rules, told }, lane) = (self.memory.rules.clone(), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            let mut told = told.blocking_lock();
            let saved = draft
                .rule(RuleId(String::new()), now)
                .and_then(|rule| rules.save(rule).map_err(|error| error.to_string()));
            told.0.extend(saved.iter().cloned());
            let _leaving = lane.blocking_send(Work::Remembered(saved));
        });
    }

    /// Takes such a rule back.
    pub fn forget(&self, rule: RuleId) {
        let (Followed { rules, told }, lane) = (self.memory.rules.clone(), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            let mut told = told.blocking_lock();
            told.0.retain(|kept| *kept.id() != rule);
            if let Err(error) = rules.revoke(&rule) {
                let said = format!("Rule {rule} is still in its file, and may hold again: {error}.");
                let _leaving = lane.blocking_send(Work::Notice(said));
            }
        });
    }

    /// The person chose a theme, and the configuration names none.
    pub fn keep_theme(&self, name: String) {
        let (choice, lane) = (self.memory.theme.clone(), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            if let Err(error) = choice.set(&name) {
                let said = format!("The theme {name} is for this session alone: {error}.");
                let _leaving = lane.blocking_send(Work::Notice(said));
            }
        });
    }

    /// The person said yes to the folder. Its notes are read now, not before.
    pub fn know_folder(&self) {
        let (memory, board, lane) = (self.memory.clone(), self.switchboard.clone(), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            let (notes, said) = board.arrive();
            let _leaving = lane.blocking_send(Work::Briefed(notes));
            for said in said {
                let _leaving = lane.blocking_send(Work::Notice(said));
            }
            if let Err(error) = memory.workspaces.add(&memory.folder) {
                let said = format!("You'll be asked about this folder again: {error}.");
                let _leaving = lane.blocking_send(Work::Notice(said));
            }
        });
    }
}
