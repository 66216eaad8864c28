//! Which program has which session open: a lock on one byte for each session, in one file of its own. It ends with the
//! program, however that ends, and says which program it is.

use std::fs::File;
use std::io;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use sha2::{Digest as _, Sha256};

/// The file of the locks. A process opens it once: closing it would end every lock that the process has.
#[derive(Debug)]
pub struct Claims(File);

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
        Ok(Self(options.open(folder.join("sessions.lock"))?))
    }

    /// Takes a session for this process. Taking it again changes nothing.
    ///
    /// # Errors
    /// The locks can't be used.
    pub fn claim(&self, session: &str) -> io::Result<Result<(), Taken>> {
        match fcntl(&self.0, FcntlArg::F_SETLK(&range(session, libc::F_WRLCK))) {
            Ok(_) => Ok(Ok(())),
            Err(Errno::EACCES | Errno::EAGAIN) => Ok(Err(self.holder(session)?.unwrap_or(Taken { process: None }))),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Who else has a session open, if anybody has.
    ///
    /// # Errors
    /// The locks can't be used.
    pub fn holder(&self, session: &str) -> io::Result<Option<Taken>> {
        let mut found = range(session, libc::F_WRLCK);
        fcntl(&self.0, FcntlArg::F_GETLK(&mut found))?;
        if i32::from(found.l_type) == libc::F_UNLCK {
            return Ok(None);
        }
        Ok(Some(Taken { process: Some(found.l_pid).filter(|pid| *pid > 0) }))
    }

    /// Lets a session go.
    pub fn release(&self, session: &str) {
        let _held_until_the_end = fcntl(&self.0, FcntlArg::F_SETLK(&range(session, libc::F_UNLCK)));
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
    }
}
