//! Old sessions go: in the background, what is kept beside the journal for undo and to look at for a while, and what the
//! configuration doesn't let the journal keep any longer. What this or another program has open stays.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::cli::Start;
use crate::store::{Claims, expire, prune, prune_layers, prune_outputs};

/// How long after the start sessions are deleted: nothing waits for it.
const LATER: Duration = Duration::from_secs(5);

/// Removes what lies beside the journal for too long: what files held before, what was printed, the practice model's
/// worlds, messages that were never sent, layers of programs that are gone. Where it can't be told what is open, all
/// but the last is left, as layers have locks of their own.
pub fn clear_out(start: &Start, claims: &Arc<io::Result<Claims>>) {
    let (images, layers, outputs) = (start.folders.images(), start.folders.layers(), start.folders.outputs());
    let (worlds, unsent, claims) = (start.folders.practice(), start.folders.unsent(), Arc::clone(claims));
    tokio::task::spawn_blocking(move || {
        if let Ok(claims) = &*claims {
            prune(&images, claims);
            prune(&worlds, claims);
            prune(&unsent, claims);
            prune_outputs(&outputs, claims);
        }
        prune_layers(&layers);
    });
}

/// Deletes what is too old, once. What a configuration with mistakes means isn't known, and what is deleted is gone: then
/// all is left for the next time.
pub fn retire(start: &Start, claims: &Arc<io::Result<Claims>>) {
    let Some(days) = start.settings.retention.days.filter(|_| start.problems.is_empty()) else { return };
    let beside = start.folders.of_sessions();
    let (path, claims) = (start.folders.journal(), Arc::clone(claims));
    tokio::spawn(async move {
        tokio::time::sleep(LATER).await;
        let free = |session: &str| claims.as_ref().as_ref().is_ok_and(|claims| claims.is_free(session));
        match expire(&path, Duration::from_hours(24 * days), free, &beside).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "sessions expired"),
            Err(error) => tracing::warn!(%error, "old sessions couldn't be deleted"),
        }
    });
}
