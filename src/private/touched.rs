//! `touched.toml`: which of the program's own files changed while a command ran, without the program itself having written
//! them. What such a file says doesn't count until the person looked at it. A command could write this record, too: so
//! what it says is never taken to excuse a change, and a run puts back what it said before.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Read as _, Result};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::pending::{self, Record};
use super::{Rights, open, open_at_once, replace};

/// Most bytes of a file that are compared: none of the program's own may be larger.
const CAP: u64 = 1024 * 1024;
/// The digest of a file that isn't there: that it went is a change, too.
const GONE: &str = "gone";
/// In the place of a digest: nobody looked at the file since an earlier run. No file holds that.
const UNSEEN: &str = "unseen";
/// How long a lock is waited for. Whoever changes one of these files is done sooner.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Page {
    /// By path: the file as a command left it.
    #[serde(default)]
    touched: BTreeMap<String, Mark>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    digest: String,
    /// What ran meanwhile, for the person.
    by: String,
}

/// A run that no wall keeps from the program's own files.
#[derive(Debug)]
pub struct Run(PathBuf);

/// The record of a data folder.
#[derive(Clone, Debug)]
pub struct Touched {
    path: PathBuf,
}

impl Touched {
    /// The one of a data folder.
    #[must_use]
    pub fn at(data: &Path) -> Self {
        Self { path: data.join("touched.toml") }
    }

    /// What a file holds now, as a digest.
    #[must_use]
    pub fn digest(file: &Path) -> String {
        let mut content = Vec::new();
        match open_at_once(file).and_then(|opened| opened.take(CAP + 1).read_to_end(&mut content)) {
            Ok(_) => format!("{:x}", Sha256::digest(&content)),
            Err(error) if error.kind() == ErrorKind::NotFound => GONE.to_owned(),
            Err(error) => error.kind().to_string(),
        }
    }

    /// Why a file doesn't count, in the middle of a sentence: it is as a command left it, and nobody looked at it since.
    #[must_use]
    pub fn why_not(&self, file: &Path) -> Option<String> {
        let told = |by: &str| {
            format!(
                "it changed while {by} ran, and nobody looked at it since, so nothing in it is used. Look at it, then \
                 run: countersign config accept"
            )
        };
        let (name, now) = (name(file), Self::digest(file));
        match self.read() {
            Ok(page) => {
                if let Some(mark) = page.touched.get(&name).filter(|mark| mark.digest == now) {
                    return Some(told(&mark.by));
                }
            }
            Err(_) => return Some(told(&format!("something that broke {}", self.path.display()))),
        }
        let Ok(records) = pending::all(self.data()) else {
            return Some(told(&format!("something that broke {}", self.data().join("pending").display())));
        };
        records.iter().find_map(|path| match pending::read(path) {
            Ok(record) => {
                let record = record?;
                record.before.get(&name).is_some_and(|before| *before != now).then(|| told(&record.by))
            }
            Err(_) => Some(told(&format!("something that broke {}", path.display()))),
        })
    }

    /// Right before something runs that no wall keeps from these files: what they hold is kept on disk until its end.
    ///
    /// # Errors
    /// It can't be written down.
    pub fn begin(&self, files: &[PathBuf], by: &str) -> Result<Run> {
        let mut runs = pending::runs();
        let look = |file: &PathBuf| match self.why_not(file) {
            Some(_) => (name(file), UNSEEN.to_owned()),
            None => (name(file), Self::digest(file)),
        };
        let mut before: BTreeMap<String, String> = files.iter().map(look).collect();
        // Files of other configurations that share the folder.
        let marked = self.read().unwrap_or_default().touched.into_keys().map(PathBuf::from);
        before.extend(marked.filter(|file| self.why_not(file).is_some()).map(|file| look(&file)));
        pending::add(self.data(), Record { by: by.to_owned(), before }, &mut runs).map(Run)
    }

    /// It ended. Notes what changed meanwhile, but for what this process wrote itself. Gives back what is noted.
    ///
    /// # Errors
    /// It can't be written down.
    pub fn end(&self, run: &Run) -> Result<Vec<PathBuf>> {
        let mut runs = pending::runs();
        let Some(live) = runs.remove(&run.0) else { return Ok(Vec::new()) };
        if let Ok(noted) = self.note(&live.record) {
            // The run may have done so itself.
            let _gone = std::fs::remove_file(&run.0);
            return Ok(noted);
        }
        // The record says the same as a mark, as long as it lies there.
        replace(&run.0, live.record.text()?.as_bytes(), Rights::Private)?;
        Ok(live.record.changed().into_iter().map(|(name, _)| name.into()).collect())
    }

    /// Notes what changed while something ran in a program that ended before it could.
    ///
    /// # Errors
    /// It can't be written down; then it doesn't count all the same.
    pub fn settle(&self) -> Result<()> {
        for path in pending::all(self.data())? {
            if let Ok(Some(record)) = pending::read_left(&path) {
                self.note(&record)?;
                std::fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    fn note(&self, record: &Record) -> Result<Vec<PathBuf>> {
        let changed = record.changed();
        if changed.is_empty() {
            return Ok(Vec::new());
        }
        self.change(|page| {
            let mut noted = Vec::new();
            for (name, digest) in changed {
                if page.touched.get(&name).is_none_or(|mark| mark.digest != digest) {
                    noted.push(PathBuf::from(&name));
                    page.touched.insert(name, Mark { digest, by: record.by.clone() });
                }
            }
            noted
        })
    }

    /// Replaces one of the program's own files. One that doesn't count stays as it is, as its change must not come to
    /// count by that.
    ///
    /// # Errors
    /// Nobody looked at it yet, or it can't be written.
    pub fn write(&self, file: &Path, text: &[u8], rights: Rights) -> Result<()> {
        let mut runs = pending::runs();
        if let Some(why) = self.why_not(file) {
            return Err(Error::other(why));
        }
        replace(file, text, rights)?;
        pending::wrote(&name(file), &mut runs)
    }

    /// The person had a file open: as it is now it counts.
    ///
    /// # Errors
    /// It can't be written down.
    pub fn looked(&self, file: &Path) -> Result<()> {
        self.settle()?;
        self.change(|page| page.touched.remove(&name(file))).map(drop)
    }

    /// The person looked at all of them: as they are now they count. Gives back which.
    ///
    /// # Errors
    /// It can't be written down.
    pub fn accept(&self) -> Result<Vec<PathBuf>> {
        if self.read().is_err() {
            std::fs::remove_file(&self.path)?;
        }
        let mut files = self.change(|page| std::mem::take(&mut page.touched))?;
        files.retain(|name, mark| mark.digest == Self::digest(Path::new(name)));
        let mut files: Vec<PathBuf> = files.into_keys().map(PathBuf::from).collect();
        let records = pending::all(self.data()).unwrap_or_default();
        for record in records.iter().filter_map(|path| pending::read(path).ok().flatten()) {
            files.extend(record.changed().into_iter().map(|(name, _)| PathBuf::from(name)));
        }
        pending::clear(self.data())?;
        files.sort();
        files.dedup();
        Ok(files)
    }

    fn data(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    fn read(&self) -> Result<Page> {
        let mut text = String::new();
        match open_at_once(&self.path) {
            Ok(file) => file.take(CAP).read_to_string(&mut text)?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Page::default()),
            Err(error) => return Err(error),
        };
        toml::from_str(&text).map_err(|error| Error::new(ErrorKind::InvalidData, error.message().to_owned()))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Page) -> T) -> Result<T> {
        super::make_folder(self.data())?;
        let lock = lock(&self.path.with_extension("lock"))?;
        let mut page = match self.read() {
            // What it said before the run that broke it is in that run's record.
            Err(error) if error.kind() == ErrorKind::InvalidData => Page::default(),
            read => read?,
        };
        let told = change(&mut page);
        let text = toml::to_string(&page).map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
        replace(&self.path, text.as_bytes(), Rights::Private)?;
        drop(lock);
        Ok(told)
    }
}

/// Waits a moment for whoever else changes a file, and keeps others out until it is dropped.
///
/// # Errors
/// The file beside it can't be made or locked, or another program keeps it.
pub fn lock(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    // A pipe in its place must not hold the program up.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::fcntl::OFlag::O_NONBLOCK.bits());
    let told = |kind, why: &str| Error::new(kind, format!("{}: {why}", path.display()));
    let file = open(path, options.create(true).truncate(false).write(true))
        .map_err(|error| told(error.kind(), &error.to_string()))?;
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::WouldBlock) => {
                return Err(told(ErrorKind::WouldBlock, "another program keeps it locked"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// A file by one name, through links and in whatever folder we are.
fn name(file: &Path) -> String {
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    let place = folder.zip(file.file_name()).map_or_else(|| file.to_path_buf(), |(folder, name)| folder.join(name));
    place.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that does something, to its end.
    fn during(touched: &Touched, file: &Path, does: impl FnOnce()) -> Vec<PathBuf> {
        let run = touched.begin(&[file.to_owned()], "`make`").unwrap();
        does();
        touched.end(&run).unwrap()
    }

    /// A data folder with a configuration in it.
    fn place() -> (tempfile::TempDir, PathBuf, Touched) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().canonicalize().unwrap().join("config.toml");
        std::fs::write(&file, "a").unwrap();
        let touched = Touched::at(folder.path());
        (folder, file, touched)
    }

    #[test]
    fn what_a_command_left_counts_only_after_a_look_and_what_the_program_wrote_at_once() {
        let (folder, file, touched) = place();
        assert_eq!(touched.why_not(&file), None);
        assert_eq!(during(&touched, &file, || std::fs::write(&file, "b").unwrap()), std::slice::from_ref(&file));
        assert!(touched.why_not(&file).unwrap().contains("while `make` ran"));
        std::fs::write(&file, "c").unwrap();
        assert_eq!(touched.why_not(&file), None, "somebody else wrote it since");
        during(&touched, &file, || std::fs::write(&file, "d").unwrap());
        assert_eq!(touched.accept().unwrap(), std::slice::from_ref(&file));
        assert_eq!(touched.why_not(&file), None);
        let wrote = || touched.write(&file, b"e", Rights::Private).unwrap();
        assert!(during(&touched, &file, wrote).is_empty(), "the program wrote that");
        let back = || {
            wrote();
            assert_eq!(touched.why_not(&file), None, "nor is it held against it while the command runs");
            std::fs::write(&file, "d").unwrap();
        };
        std::fs::write(&file, "d").unwrap();
        assert_eq!(during(&touched, &file, back), std::slice::from_ref(&file), "what the program wrote was taken back");
        assert!(during(&touched, &file, || std::fs::remove_file(&file).unwrap()) == std::slice::from_ref(&file));
        assert!(touched.why_not(&file).is_some(), "it is gone");
        assert!(!folder.path().join("pending").read_dir().unwrap().any(|_| true), "no record is left");
    }

    #[test]
    fn a_record_that_a_command_wrote_or_erased_excuses_nothing() {
        let (folder, file, touched) = place();
        let record = folder.path().join("touched.toml");
        let forge = || {
            std::fs::write(&file, "b").unwrap();
            std::fs::write(&record, format!("[left]\n{:?} = {:?}\n", file, Touched::digest(&file))).unwrap();
        };
        assert_eq!(during(&touched, &file, forge), std::slice::from_ref(&file));
        assert!(touched.why_not(&file).is_some());
        assert_eq!(during(&touched, &file, || std::fs::remove_file(&record).unwrap()), std::slice::from_ref(&file));
        assert!(touched.why_not(&file).is_some());
        assert_eq!(during(&touched, &file, || std::fs::write(&record, "[[[").unwrap()), std::slice::from_ref(&file));
        let erase = || std::fs::remove_dir_all(folder.path().join("pending")).unwrap();
        assert!(during(&touched, &file, erase).is_empty(), "it is marked already");
        assert!(touched.why_not(&file).is_some());
    }

    #[test]
    fn what_a_command_changed_that_ended_the_program_counts_only_after_a_look() {
        let (_folder, file, touched) = place();
        let run = touched.begin(std::slice::from_ref(&file), "`make`").unwrap();
        assert_eq!(touched.why_not(&file), None);
        std::fs::write(&file, "b").unwrap();
        touched.settle().unwrap();
        assert!(touched.why_not(&file).is_some() && run.0.exists(), "the program lives");
        drop(pending::runs().remove(&run.0));
        assert!(touched.why_not(&file).unwrap().contains("while `make` ran"));
        touched.settle().unwrap();
        assert!(touched.why_not(&file).is_some() && !run.0.exists());
        assert_eq!(touched.accept().unwrap(), std::slice::from_ref(&file));
        assert_eq!(touched.why_not(&file), None);
        let run = touched.begin(std::slice::from_ref(&file), "`make`").unwrap();
        drop(pending::runs().remove(&run.0));
        touched.settle().unwrap();
        assert!(touched.why_not(&file).is_none() && !run.0.exists(), "it changed nothing");
    }

    #[test]
    fn the_program_writes_nothing_over_a_file_that_nobody_looked_at() {
        let (_folder, file, touched) = place();
        during(&touched, &file, || std::fs::write(&file, "b").unwrap());
        let why = touched.write(&file, b"c", Rights::Private).unwrap_err().to_string();
        assert!(why.contains("config accept") && std::fs::read(&file).unwrap() == b"b", "{why}");
        touched.looked(&file).unwrap();
        touched.write(&file, b"c", Rights::Private).unwrap();
        assert_eq!(touched.why_not(&file), None);
    }

    #[test]
    fn a_lock_that_somebody_keeps_holds_nobody_up_and_lets_nothing_count() {
        let (folder, file, touched) = place();
        let kept = lock(&folder.path().join("touched.lock")).unwrap();
        let began = Instant::now();
        assert!(lock(&folder.path().join("touched.lock")).unwrap_err().to_string().contains("keeps it locked"));
        assert_eq!(during(&touched, &file, || std::fs::write(&file, "b").unwrap()), std::slice::from_ref(&file));
        assert!(began.elapsed() < 3 * PATIENCE && touched.why_not(&file).is_some());
        drop(kept);
        touched.settle().unwrap();
        assert!(touched.why_not(&file).is_some());
        #[cfg(unix)]
        {
            let pipe = folder.path().join("pipe.lock");
            nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
            assert!(lock(&pipe).is_err(), "nobody reads from it");
        }
    }

    #[test]
    fn a_broken_record_lets_nothing_count_until_it_is_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let (file, touched) = (folder.path().join("config.toml"), Touched::at(folder.path()));
        std::fs::write(folder.path().join("touched.toml"), "[[[").unwrap();
        assert!(touched.why_not(&file).is_some());
        touched.accept().unwrap();
        assert_eq!(touched.why_not(&file), None);
    }
}
