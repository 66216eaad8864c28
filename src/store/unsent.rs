//! What the person typed in a session and didn't send, while the program runs: for them alone, one folder a session. It
//! goes when it is sent and when the person leaves; after a crash it is there.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::Claims;
use crate::private::{Rights, read_if_there, replace};

/// Most that is read, in bytes.
const READ: u64 = 1024 * 1024;
/// The file of the text.
const TEXT: &str = "text";
/// The same, once it was moved into the history: who goes on with the session still has it back.
const MOVED: &str = "moved";

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
            return replace(&self.file(TEXT), text.as_bytes(), Rights::Private);
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
        let text = match read_if_there(&self.file(TEXT), READ)? {
            Some(text) => Some(text),
            None => read_if_there(&self.file(MOVED), READ)?,
        };
        Ok(text.filter(|text| !text.trim().is_empty()))
    }

    /// Moves what is kept of other sessions that nobody has open into the history by `add`, each text once, the newest
    /// last: of one in which nothing was sent yet nobody goes on with it. Gives what was moved. What can't be added is
    /// left for the next time.
    pub fn move_others(&self, claims: &Claims, add: impl Fn(&str) -> io::Result<()>) -> Vec<String> {
        let mut found: Vec<_> = std::fs::read_dir(&self.root)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|folder| folder.file_name().into_string().ok())
            .filter(|session| *session != self.session)
            .filter_map(|session| {
                let other = Self::new(&self.root, &session);
                Some((other.file(TEXT).metadata().ok()?.modified().ok()?, session, other))
            })
            .collect();
        found.sort_by(|one, two| (one.0, &one.1).cmp(&(two.0, &two.1)));
        let mut moved = Vec::new();
        for (_, session, other) in found {
            claims.unless_open(&session, || moved.extend(other.move_by(&add)));
        }
        moved
    }

    fn move_by(&self, add: impl Fn(&str) -> io::Result<()>) -> Option<String> {
        let file = self.file(TEXT);
        // Another program may have been first.
        let text = read_if_there(&file, READ).ok()??;
        let moved = add(&text).and_then(|()| std::fs::rename(&file, self.file(MOVED)));
        if let Err(error) = &moved {
            tracing::warn!("what wasn't sent can't be moved into the history: {error}");
        }
        moved.ok().map(|()| text)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.root.join(&self.session).join(name)
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
        assert_eq!(own.read().unwrap(), None);
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
        own.keep(4, "").unwrap();
        own.keep(5, "").unwrap();
        assert!(own.read().unwrap().is_none() && !root.join("a").exists());
    }

    #[test]
    fn what_others_left_is_moved_once_and_what_is_open_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (root, claims) = (folder.path().join("unsent"), Claims::open(folder.path()).unwrap());
        let session = |name: &str| Unsent::new(&root, name);
        for name in ["own", "left", "open"] {
            session(name).keep(1, &format!("of {name}")).unwrap();
        }
        assert_eq!(claims.claim("open").unwrap(), Ok(()));
        let full = |_: &str| Err(io::Error::other("no space"));
        assert_eq!(session("own").move_others(&claims, full), Vec::<String>::new());
        let history = super::super::History::new(folder.path().join("history"));
        let moved = || session("own").move_others(&claims, |text| history.add(text));
        assert_eq!((moved(), moved()), (vec!["of left".to_owned()], vec![]));
        assert_eq!(history.read(9).unwrap(), ["of left"]);
        for name in ["own", "left", "open"] {
            assert_eq!(session(name).read().unwrap(), Some(format!("of {name}")), "who goes on with it has it back");
        }
        session("left").keep(1, "more").unwrap();
        assert_eq!(session("left").read().unwrap().as_deref(), Some("more"));
        claims.release("open");
        let mut both = moved();
        both.sort();
        assert_eq!(both, ["more", "of open"]);
        session("left").keep(2, "").unwrap();
        assert_eq!(session("left").read().unwrap(), None);
    }
}
