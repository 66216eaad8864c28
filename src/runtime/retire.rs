//! Old sessions go: what the configuration doesn't let the journal keep any longer is deleted in the background.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::cli::Start;
use crate::store::{Claims, expire};

/// How long after the start: nothing waits for it.
const LATER: Duration = Duration::from_secs(5);

/// Deletes what is too old, once, but what this or another program has open. What a configuration with mistakes means
/// isn't known, and what is deleted is gone: then all is left for the next time.
pub fn retire(start: &Start, claims: &Arc<io::Result<Claims>>) {
    let Some(days) = start.settings.retention.days.filter(|_| start.problems.is_empty()) else { return };
    let beside = start.folders.of_sessions();
    let (path, own, claims) = (start.folders.journal(), Arc::clone(&start.session.id), Arc::clone(claims));
    tokio::spawn(async move {
        tokio::time::sleep(LATER).await;
        let free = |session: &str| {
            let holder = claims.as_ref().as_ref().map(|claims| claims.holder(session));
            session != &*own && matches!(holder, Ok(Ok(None)))
        };
        match expire(&path, Duration::from_hours(24 * days), free, &beside).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "sessions expired"),
            Err(error) => tracing::warn!(%error, "old sessions couldn't be deleted"),
        }
    });
}
