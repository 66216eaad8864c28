//! A database in WAL mode that nobody has open: SQLite would make a `-wal` and a `-shm` beside it only to read it. Such a
//! file is opened as one that never changes, and what was read counts only if it didn't.

use std::ffi::{OsString, c_int, c_void};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::ptr;
use std::time::{Duration, SystemTime};

use libsqlite3_sys::{SQLITE_FCNTL_FILE_POINTER, SQLITE_OK, sqlite3, sqlite3_file};
use tokio::time::sleep;

/// Bytes of the part of a header that says how a database is read: two in its last one is WAL mode.
const HEADER: usize = 20;
/// Two writes may get the same time if they are no further apart.
const TICK: Duration = Duration::from_millis(20);

/// A file as it was before it was opened.
#[derive(Debug)]
pub(super) struct Still {
    path: PathBuf,
    stamp: Stamp,
}

/// What changes with a write: which file it is, its size and its times.
#[derive(Debug, PartialEq, Eq)]
struct Stamp([u64; 3], [i64; 4]);

impl Still {
    /// The file, if nothing lies beside it. None for one that somebody writes, or left without ending: what lies beside
    /// it belongs to it.
    pub(super) async fn of(path: &Path) -> Option<Self> {
        // What lies beside a database goes by the name that a link leads to.
        let path = path.canonicalize().ok()?;
        let changed = path.metadata().ok()?.modified().ok()?;
        if SystemTime::now().duration_since(changed).unwrap_or_default() < TICK {
            sleep(TICK).await;
        }
        let stamp = stamp(&path)?;
        let alone = ["-wal", "-shm", "-journal"].iter().all(|end| !beside(&path, end).exists());
        alone.then_some(Self { path, stamp })
    }

    /// Whether it is as it was, and nobody began to write it.
    pub(super) fn holds(&self) -> bool {
        !beside(&self.path, "-wal").exists() && stamp(&self.path).is_some_and(|stamp| stamp == self.stamp)
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    PathBuf::from(name)
}

fn stamp(path: &Path) -> Option<Stamp> {
    let told = path.metadata().ok()?;
    let times = [told.mtime(), told.mtime_nsec(), told.ctime(), told.ctime_nsec()];
    Some(Stamp([told.dev(), told.ino(), told.size()], times))
}

/// Whether an open database is in WAL mode, by its header. Read through SQLite's own handle: to open the file once more
/// and close it would end the locks that this process holds on it.
pub(super) fn in_wal_mode(database: *mut sqlite3) -> bool {
    let mut file: *mut sqlite3_file = ptr::null_mut();
    let mut header = [0_u8; HEADER];
    // SAFETY: the caller holds the lock of an open connection, whose file lives as long; the pointer is where SQLite
    // is told to put one, and the buffer is as long as is told.
    #[allow(unsafe_code)]
    let read = unsafe {
        let place = (&raw mut file).cast::<c_void>();
        let told = libsqlite3_sys::sqlite3_file_control(database, c"main".as_ptr(), SQLITE_FCNTL_FILE_POINTER, place);
        let methods = file.as_ref().and_then(|file| file.pMethods.as_ref()).filter(|_| told == SQLITE_OK);
        let length = c_int::try_from(HEADER).unwrap_or_default();
        methods.and_then(|methods| methods.xRead).map(|read| read(file, header.as_mut_ptr().cast(), length, 0))
    };
    read == Some(SQLITE_OK) && header[HEADER - 1] == 2
}
