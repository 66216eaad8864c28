//! What can go wrong with the journal. Nothing runs without one, so each message says how to get it back.

use std::path::{Path, PathBuf};

/// The file that programs share beside the journal couldn't be made larger, which is a few kilobytes: what SQLite says
/// of a disk that is full from the start (SQLITE_IOERR_SHMSIZE).
const GROW: u32 = 0x130a;

/// Why something wasn't written to the journal. Shared by all that waited for the same write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// The folder or the file can't be made or used.
    #[error("the journal {} can't be used ({why}). Nothing runs without it: correct that, or set COUNTERSIGN_DATA to another folder", path.display())]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// A later version wrote it.
    #[error("the journal {} was written by a newer countersign and is left alone. Update this one, or set COUNTERSIGN_DATA to another folder", .0.display())]
    Newer(PathBuf),
    /// It is damaged, or something else.
    #[error("the journal {} is damaged or isn't a journal, and is left alone. Move it away and start again", .0.display())]
    Broken(PathBuf),
    /// It was deleted or replaced while in use.
    #[error("the journal {} was deleted or replaced while it was in use, so nothing more runs. Start again", .0.display())]
    Replaced(PathBuf),
    /// Entries that this program wrote are gone from it, or are others now.
    #[error("the journal {} doesn't hold what this session wrote to it any more: something else changed it, so nothing more runs. `countersign journal verify` says more", .0.display())]
    Altered(PathBuf),
    /// No room.
    #[error("the disk that holds the journal {} is full, so nothing runs. Free some space, then start again with --continue", .0.display())]
    Full(PathBuf),
    /// Somebody else holds it.
    #[error("the journal {} is locked by another program, so nothing runs. Close that program, then start again with --continue", .0.display())]
    Locked(PathBuf),
    /// An entry can't be expressed.
    #[error("this can't be written to the journal ({0})")]
    Entry(String),
    /// The journal was closed: the program is leaving.
    #[error("the journal is closed, so nothing more runs")]
    Closed,
}

impl JournalError {
    /// What an error of the database means.
    pub(super) fn of(path: &Path, error: &sqlx::Error) -> Self {
        let path = path.to_path_buf();
        let code = error
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code)
            .and_then(|code| code.parse::<u32>().ok());
        // The low byte is the primary code: https://sqlite.org/rescode.html
        if code == Some(GROW) {
            return Self::Full(path);
        }
        match code.map(|code| code & 0xff) {
            Some(5 | 6) => Self::Locked(path),
            Some(11 | 26) => Self::Broken(path),
            Some(13) => Self::Full(path),
            _ => Self::Unusable { path, why: error.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::{Connection as _, SqliteConnection};

    #[tokio::test]
    async fn a_full_disk_is_told_as_one() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        sqlx::query("PRAGMA max_page_count = 3").execute(&mut connection).await.unwrap();
        sqlx::query("CREATE TABLE t (x)").execute(&mut connection).await.unwrap();
        let error = sqlx::query("INSERT INTO t VALUES (zeroblob(100000))").execute(&mut connection).await.unwrap_err();
        let told = JournalError::of(Path::new("/d/journal.sqlite"), &error);
        assert_eq!(told, JournalError::Full("/d/journal.sqlite".into()));
        assert!(told.to_string().contains("Free some space"));
    }
}
