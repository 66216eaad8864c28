//! What the program's own files held before a run that no wall keeps from them. It lies on disk while the run lasts, so
//! that a run which ends the program is found out, too: a file that differs from such a record doesn't count.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Read as _, Result, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Touched, make_folder, open, open_at_once};

/// Most bytes of a record.
const CAP: u64 = 1024 * 1024;
/// Most records that are read. More don't come about by themselves.
const MOST: usize = 256;

/// What the files held before one run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    /// What runs, for the person.
    pub(super) by: String,
    /// By path: the digest, or `UNSEEN`.
    pub(super) before: BTreeMap<String, String>,
}

impl Record {
    /// The files that are no longer so, with what they hold now.
    pub(super) fn changed(&self) -> Vec<(String, String)> {
        let now = self.before.keys().map(|name| (name.clone(), Touched::digest(Path::new(name))));
        now.filter(|(name, now)| self.before.get(name) != Some(now)).collect()
    }

    pub(super) fn text(&self) -> Result<String> {
        toml::to_string(self).map_err(|error| Error::new(ErrorKind::InvalidData, error))
    }
}

/// One of this process, whose file it keeps locked: by that others know that it lives.
#[derive(Debug)]
pub(super) struct Live {
    file: File,
    pub(super) record: Record,
}

impl Live {
    /// Writes it in place, as the lock is the file's.
    fn put(&mut self) -> Result<()> {
        let text = self.record.text()?;
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())?;
        self.file.set_len(text.len() as u64)
    }
}

type Runs = BTreeMap<PathBuf, Live>;

/// The runs of this process, by the file of their record. While it is held, none of them is compared.
pub(super) fn runs() -> MutexGuard<'static, Runs> {
    static RUNS: Mutex<Runs> = Mutex::new(BTreeMap::new());
    RUNS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn folder(data: &Path) -> PathBuf {
    data.join("pending")
}

/// Writes a record under a name of its own.
pub(super) fn add(data: &Path, record: Record, runs: &mut Runs) -> Result<PathBuf> {
    let folder = folder(data);
    make_folder(&folder)?;
    // Of a dead program that had the same number there may be some.
    let mut free = (0..MOST).map(|number| folder.join(format!("{}-{number}.toml", std::process::id())));
    let Some(path) = free.find(|path| path.symlink_metadata().is_err()) else {
        return Err(Error::other(format!("{} is full; run: countersign config accept", folder.display())));
    };
    // Whoever looks meanwhile is to find it whole or not at all.
    let beside = folder.join(format!(".{}.new", std::process::id()));
    let _left_over = std::fs::remove_file(&beside);
    let mut live = Live { file: open(&beside, OpenOptions::new().create_new(true).write(true))?, record };
    let locked = live.file.try_lock().map_err(Error::from);
    locked.and_then(|()| live.put()).and_then(|()| std::fs::rename(&beside, &path))?;
    runs.insert(path.clone(), live);
    Ok(path)
}

/// The program itself wrote a file: the runs of this process are to find it so.
pub(super) fn wrote(name: &str, runs: &mut Runs) -> Result<()> {
    for live in runs.values_mut().filter(|live| live.record.before.contains_key(name)) {
        live.record.before.insert(name.to_owned(), Touched::digest(Path::new(name)));
        live.put()?;
    }
    Ok(())
}

/// Where records lie.
pub(super) fn all(data: &Path) -> Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder(data)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths: Vec<PathBuf> = entries.take(MOST + 1).map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    if paths.len() > MOST {
        return Err(Error::other("too many records"));
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    Ok(paths)
}

/// Reads one; none where it went meanwhile, as its run ended.
pub(super) fn read(path: &Path) -> Result<Option<Record>> {
    match open_at_once(path) {
        Ok(file) => parse(file).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The same for a run whose program is no longer there.
pub(super) fn read_left(path: &Path) -> Result<Option<Record>> {
    let file = open_at_once(path)?;
    match file.try_lock() {
        Ok(()) => parse(file).map(Some),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn parse(file: File) -> Result<Record> {
    let mut text = String::new();
    file.take(CAP).read_to_string(&mut text)?;
    toml::from_str(&text).map_err(|error| Error::new(ErrorKind::InvalidData, error.message().to_owned()))
}

/// Takes every record away. A run of a living program still compares, as it keeps its own in memory.
pub(super) fn clear(data: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder(data)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
