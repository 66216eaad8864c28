//! What the composer asks of the disk: what was sent in earlier sessions, and the files of the workspace.

use std::io;
use std::sync::Arc;

use super::bus::Work;
use super::engine::Engine;
use crate::app::HISTORY;
use crate::assess::holds_secret;
use crate::store::{Claims, History, Unsent};
use crate::tools::offered;

/// Where what the person types is kept; nowhere, as long as nobody says where.
#[derive(Default)]
pub struct Desk {
    /// What is sent, for later sessions.
    pub history: Option<History>,
    /// What isn't sent, meanwhile.
    pub unsent: Option<Arc<Unsent>>,
    /// How often that was kept.
    times: u64,
}

impl Engine {
    /// Reads what was sent in earlier sessions. What such a one left unsent goes there, once.
    pub fn read_typed(&self, claims: &Arc<io::Result<Claims>>) {
        let (Some(history), lane) = (self.typed.history.clone(), self.lanes.work.clone()) else { return };
        let (unsent, claims) = (self.typed.unsent.clone(), Arc::clone(claims));
        tokio::task::spawn_blocking(move || match history.read(HISTORY) {
            Ok(mut earlier) => {
                if let (Some(unsent), Ok(claims)) = (unsent, &*claims) {
                    earlier.extend(unsent.move_others(claims, |text| history.add(text)));
                }
                drop(lane.blocking_send(Work::Earlier(earlier)));
            }
            Err(error) => tracing::warn!("earlier messages can't be read: {error}"),
        });
    }

    /// Keeps what was sent, unless it holds a secret.
    pub fn keep_typed(&self, text: String) {
        let (Some(history), bench) = (self.typed.history.clone(), Arc::clone(&self.person_side.bench)) else { return };
        tokio::task::spawn_blocking(move || {
            if holds_secret(&text, &bench.settings.known) {
                return;
            }
            if let Err(error) = history.add(&text) {
                tracing::warn!("a message can't be kept for later: {error}");
            }
        });
    }

    /// Keeps what isn't sent, unless it holds a secret.
    pub fn keep_unsent(&mut self, text: String) {
        let (Some(unsent), bench) = (self.typed.unsent.clone(), Arc::clone(&self.person_side.bench)) else { return };
        self.typed.times += 1;
        let number = self.typed.times;
        tokio::task::spawn_blocking(move || {
            let text = if holds_secret(&text, &bench.settings.known) { String::new() } else { text };
            if let Err(error) = unsent.keep(number, &text) {
                tracing::warn!("what isn't sent can't be kept: {error}");
            }
        });
    }

    /// Lists the files of the workspace that the model works in.
    pub fn list_files(&self, own: bool) {
        let side = if own { &self.person_side } else { &self.model_side };
        let (bench, lane) = (Arc::clone(&side.bench), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            let _leaving = lane.blocking_send(Work::Files(offered(&bench).into()));
        });
    }
}
