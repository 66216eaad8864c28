//! What the composer asks of the disk: what was sent in earlier sessions, and the files of the workspace.

use std::sync::Arc;

use super::bus::Work;
use super::engine::Engine;
use crate::app::HISTORY;
use crate::assess::holds_secret;
use crate::tools::offered;

impl Engine {
    /// Reads what was sent in earlier sessions.
    pub fn read_typed(&self) {
        let (Some(history), lane) = (self.history.clone(), self.lanes.work.clone()) else { return };
        tokio::task::spawn_blocking(move || match history.read(HISTORY) {
            Ok(earlier) => drop(lane.blocking_send(Work::Earlier(earlier))),
            Err(error) => tracing::warn!("earlier messages can't be read: {error}"),
        });
    }

    /// Keeps what was sent, unless it holds a secret.
    pub fn keep_typed(&self, text: String) {
        let (Some(history), bench) = (self.history.clone(), Arc::clone(&self.person_side.bench)) else { return };
        tokio::task::spawn_blocking(move || {
            if holds_secret(&text, &bench.settings.known) {
                return;
            }
            if let Err(error) = history.add(&text) {
                tracing::warn!("a message can't be kept for later: {error}");
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
