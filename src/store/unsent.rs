//! What the person typed in a session and didn't send, while the program runs: for them alone, one folder a session. It
//! goes when it is sent and when the person leaves; after a crash it is there.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::private::{Rights, read_if_there, replace};

/// Most that is read, in bytes.
const READ: u64 = 1024 * 1024;
/// Texts of other sessions that are read.
const OTHERS: usize = 5;

/// The unsent text of one session.
#[derive(Debug)]
pub struct Unsent {
    root: PathBuf,
    session: String,
    /// The number of the text that was kept last: one that comes late takes no newer one's place.
    latest: Mutex<u64>,
}

impl Unsent {
    /// That of `session` below `root`. Makes nothing until something is kept.
    #[must_use]
    pub fn new(root: &Path, session: &str) -> Self {
        Self { root: root.to_path_buf(), session: session.to_owned(), latest: Mutex::default() }
    }

    /// Keeps the text with a number that grows, or removes what is kept if it is empty.
    ///
    /// # Errors
    /// It can't be written or removed.
    pub fn keep(&self, number: u64, text: &str) -> io::Result<()> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if number < *latest {
            return Ok(());
        }
        *latest = number;
        if !text.is_empty() {
            return replace(&self.file(&self.session), text.as_bytes(), Rights::Private);
        }
        match std::fs::remove_dir_all(self.root.join(&self.session)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(_) | Ok(()) => Ok(()),
        }
    }

    /// What is kept.
    ///
    /// # Errors
    /// It is there and can't be read.
    pub fn read(&self) -> io::Result<Option<String>> {
        Ok(read_if_there(&self.file(&self.session), READ)?.filter(|text| !text.trim().is_empty()))
    }

    /// What is kept of other sessions, the newest last: of one in which nothing was sent yet nobody goes on with it.
    #[must_use]
    pub fn others(&self) -> Vec<String> {
        let mut found: Vec<_> = std::fs::read_dir(&self.root)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|folder| folder.file_name() != self.session.as_str())
            .filter_map(|folder| {
                let file = self.file(&folder.file_name().to_string_lossy());
                Some((file.metadata().ok()?.modified().ok()?, file))
            })
            .collect();
        found.sort();
        let newest = found.split_off(found.len().saturating_sub(OTHERS));
        newest.into_iter().filter_map(|(_, file)| read_if_there(&file, READ).ok().flatten()).collect()
    }

    fn file(&self, session: &str) -> PathBuf {
        self.root.join(session).join("text")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_goes_with_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("unsent");
        let own = Unsent::new(&root, "a");
        assert_eq!((own.read().unwrap(), own.others()), (None, vec![]));
        own.keep(1, "one").unwrap();
        own.keep(3, "three").unwrap();
        own.keep(2, "two").unwrap();
        assert_eq!(own.read().unwrap().as_deref(), Some("three"), "a late one is passed over");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let rights = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((rights(root.join("a/text")), rights(root.join("a"))), (0o600, 0o700));
        }
        let other = Unsent::new(&root, "b");
        assert_eq!(other.others(), ["three"]);
        own.keep(4, "").unwrap();
        own.keep(5, "").unwrap();
        assert!(own.read().unwrap().is_none() && !root.join("a").exists() && other.others().is_empty());
    }
}
