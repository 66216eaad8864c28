//! Which program has which session open: a lock on one byte for each session, in one file of its own. It ends with the
//! program, however that ends, and says which program it is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use sha2::{Digest as _, Sha256};

/// The file of the locks. A process opens it once: closing it would end every lock that the process has.
#[derive(Debug)]
pub struct Claims {
    file: File,
    /// What this process holds: the system tells of others' locks alone. Nobody keeps it while something takes long: the
    /// screen may wait for it.
    own: Mutex<BTreeMap<String, Held>>,
}

/// What this process holds a session for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// It is open.
    Open,
    /// Something is done in the background that nobody may open it under.
    Busy,
}

/// Another program has the session open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Which process, where the system tells.
    pub process: Option<i32>,
}

impl Claims {
    /// Opens the file in the program's data folder, and makes it where there is none.
    ///
    /// # Errors
    /// It can't be used.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self { file: options.open(folder.join("sessions.lock"))?, own: Mutex::default() })
    }

    /// Takes a session for this process. Taking it again changes nothing.
    ///
    /// # Errors
    /// The locks can't be used, or this process does something just now that nobody may open it under.
    pub fn claim(&self, session: &str) -> io::Result<Result<(), Taken>> {
        let mut own = self.own();
        if own.get(session) == Some(&Held::Busy) {
            return Err(io::Error::other("what is kept beside it is being tidied; try again in a moment"));
        }
        if self.lock(session)? {
            own.insert(session.to_owned(), Held::Open);
            return Ok(Ok(()));
        }
        Ok(Err(self.holder(session)?.unwrap_or(Taken { process: None })))
    }

    /// Does something while nobody has a session open, nor can open it. Does nothing where somebody has, this program
    /// included, or where that can't be told.
    pub fn unless_open(&self, session: &str, act: impl FnOnce()) {
        let mut own = self.own();
        if own.contains_key(session) || !self.lock(session).is_ok_and(|locked| locked) {
            return;
        }
        own.insert(session.to_owned(), Held::Busy);
        drop(own);
        act();
        self.release(session);
    }

    /// Whether nobody has a session open, neither another program nor this one. False where that can't be told.
    #[must_use]
    pub fn is_free(&self, session: &str) -> bool {
        !self.own().contains_key(session) && matches!(self.holder(session), Ok(None))
    }

    /// Who else has a session open, if anybody has.
    ///
    /// # Errors
    /// The locks can't be used.
    pub fn holder(&self, session: &str) -> io::Result<Option<Taken>> {
        let mut found = range(session, libc::F_WRLCK);
        fcntl(&self.file, FcntlArg::F_GETLK(&mut found))?;
        if i32::from(found.l_type) == libc::F_UNLCK {
            return Ok(None);
        }
        Ok(Some(Taken { process: Some(found.l_pid).filter(|pid| *pid > 0) }))
    }

    /// Lets a session go.
    pub fn release(&self, session: &str) {
        let mut own = self.own();
        own.remove(session);
        // Before anybody else of this process can take it: it would lose its lock.
        self.unlock(session);
    }

    /// Whether the lock was to be had.
    fn lock(&self, session: &str) -> io::Result<bool> {
        match fcntl(&self.file, FcntlArg::F_SETLK(&range(session, libc::F_WRLCK))) {
            Ok(_) => Ok(true),
            Err(Errno::EACCES | Errno::EAGAIN) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    fn unlock(&self, session: &str) {
        let _held_until_the_end = fcntl(&self.file, FcntlArg::F_SETLK(&range(session, libc::F_UNLCK)));
    }

    fn own(&self) -> MutexGuard<'_, BTreeMap<String, Held>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Display for Taken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.process {
            Some(process) => write!(f, "another countersign (process {process}) has it open"),
            None => write!(f, "another countersign has it open"),
        }
    }
}

/// The byte that stands for a session.
fn range(session: &str, kind: i32) -> libc::flock {
    let digest = Sha256::digest(session);
    let start = digest.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes) >> 2);
    libc::flock {
        l_type: libc::c_short::try_from(kind).unwrap_or_default(),
        l_whence: libc::c_short::try_from(libc::SEEK_SET).unwrap_or_default(),
        l_start: libc::off_t::try_from(start).unwrap_or_default(),
        l_len: 1,
        l_pid: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_claimed_by_its_own_byte_and_only_other_processes_hold_it() {
        let folder = tempfile::tempdir().unwrap();
        let claims = Claims::open(&folder.path().join("new")).unwrap();
        assert_eq!(claims.claim("a").unwrap(), Ok(()));
        assert_eq!(claims.claim("a").unwrap(), Ok(()));
        assert_eq!(claims.holder("a").unwrap(), None);
        assert_ne!(range("a", libc::F_WRLCK).l_start, range("b", libc::F_WRLCK).l_start);
        let said = Taken { process: Some(7) }.to_string();
        assert_eq!(said, "another countersign (process 7) has it open");
        let mut done = Vec::new();
        for session in ["a", "b"] {
            claims.unless_open(session, || done.push(session));
        }
        assert_eq!((done, claims.is_free("a"), claims.is_free("b")), (vec!["b"], false, true));
        claims.release("a");
        assert!(claims.is_free("a"));
    }

    #[test]
    fn what_takes_long_keeps_its_own_session_alone() {
        let folder = tempfile::tempdir().unwrap();
        let claims = Claims::open(folder.path()).unwrap();
        let mut inner = false;
        claims.unless_open("a", || {
            assert_eq!(claims.claim("b").unwrap(), Ok(()), "others need not wait");
            assert!(claims.claim("a").is_err() && !claims.is_free("a"), "nobody opens it meanwhile");
            claims.unless_open("a", || inner = true);
        });
        assert!(!inner && claims.is_free("a") && !claims.is_free("b"));
        assert_eq!(claims.claim("a").unwrap(), Ok(()));
    }
}
