//! Another session on the same screen: put together while the one before still stands, so that nothing is lost where
//! that fails; then the one before is left as if the program ended.

use std::io;
use std::mem::replace;
use std::path::Path;
use std::sync::Arc;

use super::assemble::{Assembled, assemble};
use super::bus::{self, Bus, Work};
use super::resume::claim;
use super::{Session, leave};
use crate::app::{Another, Event, Pick, PickerId, Row, update};
use crate::assess::{Known, conceal_text};
use crate::cli::{Which, ago, named, now_ms};
use crate::domain::{below_home, number};
use crate::store::{AGENT, Archive, Claims, Listed};
use crate::ui::Cache;

impl Session {
    /// Reads which other sessions were left, as rows of a list.
    pub(super) fn list_sessions(&self, picker: PickerId) {
        let (journal, own, home) =
            (self.start.folders.journal(), Arc::clone(&self.start.session.id), self.start.folders.home.clone());
        let (claims, lane) = (Arc::clone(&self.claims), self.engine.lanes.work.clone());
        let known = self.engine.person_side.bench.settings.known.clone();
        tokio::spawn(async move {
            let listed = sessions(&journal).await;
            let rows = listed.map(|listed| {
                let now = now_ms();
                let others = listed.iter().filter(|listed| *listed.id != *own);
                let row = |listed: &Listed| row(listed, &known, home.as_deref(), &claims, now);
                others.map(row).collect()
            });
            let _leaving = lane.send(Work::Filled(picker, rows)).await;
        });
    }

    /// Goes on with a session that was left, or with a new one. Where that can't be, it says why and this one stays.
    pub(super) async fn switch(&mut self, another: Another) {
        if let Err(why) = Box::pin(self.exchange(another)).await {
            let now = self.bus.now();
            update(&mut self.state, now, Event::Notice(why));
        }
    }

    async fn exchange(&mut self, another: Another) -> Result<(), String> {
        let which = match another {
            Another::Left(id) => left(&self.start.folders.journal(), &id).await?,
            Another::New => Which::New,
        };
        let start = Arc::new(self.start.another(which).map_err(|error| error.to_string())?);
        if start.session.id == self.start.session.id {
            return Err("This session is open already.".to_owned());
        }
        claim(&self.claims, &start)?;
        let (lanes, receivers) = bus::lanes();
        let assembled = Box::pin(assemble(&start, lanes, self.state.size)).await;
        let Assembled { mut state, engine, theme, effects, notices, world } = assembled.inspect_err(|_| {
            self.release(&start.session.id);
        })?;
        self.bus.release();
        let bus = match Bus::new(receivers, self.began) {
            Ok(bus) => bus,
            Err(error) => {
                self.bus.attach();
                self.release(&start.session.id);
                return Err(format!("signals can't be listened to: {error}"));
            }
        };
        state.keep_draft_of(&mut self.state);
        self.engine.keep_unsent(String::new());
        let left_waiting = self.state.queue.waiting().count();
        let before = (replace(&mut self.state, state), replace(&mut self.engine, engine), replace(&mut self.bus, bus));
        leave(before.0, before.1, before.2).await;
        self.release(&self.start.session.id);
        (self.theme, self.world, self.start) = (theme, world, start);
        self.cache = Cache::default();
        for effect in effects {
            self.engine.perform(effect);
        }
        let now = self.bus.now();
        let waits = (left_waiting > 0).then(|| {
            let (those, wait) =
                (number::count(left_waiting, "operation"), if left_waiting == 1 { "waits" } else { "wait" });
            Event::Notice(format!("{those} still {wait} in the session that you left. /sessions goes back to it."))
        });
        for notice in notices.into_iter().chain(waits) {
            update(&mut self.state, now, notice);
        }
        Ok(())
    }

    fn release(&self, session: &str) {
        if let Ok(claims) = &*self.claims {
            claims.release(session);
        }
    }
}

/// A session that was left.
async fn left(journal: &Path, id: &str) -> Result<Which, String> {
    let listed = sessions(journal).await?;
    let listed = named(&listed, id).map_err(|error| error.to_string())?;
    Ok(Which::Left(Box::new(listed.clone())))
}

/// The sessions of this program, the latest first.
async fn sessions(journal: &Path) -> Result<Vec<Listed>, String> {
    let archive = Archive::open(journal).await.map_err(|error| error.to_string())?;
    let Some(mut archive) = archive else { return Ok(Vec::new()) };
    let listed = archive.sessions().await;
    archive.close().await;
    let mut listed = listed.map_err(|error| error.to_string())?;
    listed.retain(|listed| listed.agent == AGENT);
    Ok(listed)
}

fn row(listed: &Listed, known: &Known, home: Option<&Path>, claims: &io::Result<Claims>, now_ms: i64) -> Row {
    let title = listed.title.as_deref().unwrap_or("(no message)");
    let workspace = listed.workspace.as_deref().map_or_else(String::new, |folder| below_home(Path::new(folder), home));
    let holder = claims.as_ref().ok().and_then(|claims| claims.holder(&listed.id).ok().flatten());
    let open = if holder.is_some() { "open elsewhere · " } else { "" };
    let operations = number::count(listed.operations, "operation");
    let detail = format!("{open}{} · {workspace} · {operations}", ago(listed.last_ms, now_ms));
    Row::new(&conceal_text(title, known), Pick::Line(format!("/sessions {}", listed.id))).detail(&detail)
}
