//! Sessions are kept for as long as the configuration says; then what they say goes, and the chain stays.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::journal::milliseconds;
use super::{Archive, JournalError, remove_beside};
use crate::domain::Forgetting;

/// Deletes the sessions of the journal at `path` whose latest entry is older than `age` and that are free to go: nobody
/// has them open. Gives how many.
///
/// # Errors
/// The journal can't be used. What is left then goes the next time.
pub async fn expire(
    path: &Path,
    age: Duration,
    free: impl Fn(&str) -> bool,
    beside: &[PathBuf],
) -> Result<usize, JournalError> {
    let Some(mut archive) = Archive::open(path).await? else { return Ok(0) };
    let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    let old = archive.older_than(milliseconds().saturating_sub(age)).await?;
    let mut count = 0;
    for session in old.iter().filter(|session| free(session)) {
        archive.forget(session, Forgetting::Expiry).await?;
        if let Err(error) = remove_beside(session, beside) {
            tracing::warn!(%error, "what was kept of a session that expired stays");
        }
        count += 1;
    }
    archive.close().await;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::super::{Journal, Session};
    use super::*;
    use crate::domain::{Containment, JournalEntry, JournalEvent, OperationId};

    #[tokio::test]
    async fn what_is_old_goes_but_for_the_session_that_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let free = |session: &str| session != "resumed";
        let beside = [folder.path().join("images")];
        assert_eq!(expire(&path, Duration::ZERO, free, &[]).await, Ok(0));
        assert!(!path.exists(), "no journal is made for it");
        for id in ["old", "resumed"] {
            std::fs::create_dir_all(beside[0].join(id)).unwrap();
            let session = Session { id: id.into(), ..Session::new(Path::new("/w")) };
            let journal = Journal::open(&path, session).await.unwrap();
            let event = JournalEvent::Started { containment: Containment::None };
            journal.append(JournalEntry::of(OperationId(1), event)).await.unwrap();
            journal.close().await.unwrap();
        }
        assert_eq!(expire(&path, Duration::from_hours(1), free, &beside).await, Ok(0));
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(expire(&path, Duration::from_millis(1), free, &beside).await, Ok(1));
        assert!(beside[0].join("resumed").exists() && !beside[0].join("old").exists());
        let mut archive = Archive::open(&path).await.unwrap().unwrap();
        assert_eq!(archive.sessions().await.unwrap()[0].id, "resumed");
        let walk = archive.verify(None).await.unwrap();
        assert_eq!((walk.deleted, walk.broken), (1, None));
    }
}
