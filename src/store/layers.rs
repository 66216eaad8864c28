//! The layers of staged runs: one private folder each, for as long as the run lasts or its changes wait, also from one
//! sitting to the next. Held by a lock, so that what a program left that ended badly is known as such and removed at the
//! next start, but for changes that wait: a file beside them says what they are.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use super::images::KEPT;
use crate::domain::{OperationId, StagedChange, staged_brief as told};
use crate::private::{Rights, replace};

/// Name of the file that a program holds while its layers are in use.
const LOCK: &str = "lock";
/// Name of the file in a layer that says what waits in it.
const WAITS: &str = "waits.json";
/// Longest such file that is read, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;
/// How long the layers of a session are waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// The layers of one session.
#[derive(Debug)]
pub struct Layers {
    /// None where nothing can be staged.
    folder: Option<PathBuf>,
    state: Mutex<Session>,
    /// Why nobody knows what waits in them.
    unread: Option<String>,
}

#[derive(Debug, Default)]
struct Session {
    lock: Option<Flock<File>>,
    count: u64,
    held: BTreeMap<OperationId, Arc<Held>>,
}

/// One layer. Its folder goes with it.
#[derive(Debug)]
pub struct Layer {
    /// The folder.
    pub folder: PathBuf,
    /// The workspace that it lies over.
    pub workspace: PathBuf,
    /// When it was made, by the clock of the disk: seconds and nanoseconds.
    pub since: (i64, i64),
    /// It stays when nobody holds it any more.
    stays: AtomicBool,
}

/// What waits in a layer, as its file says it.
#[derive(Serialize, Deserialize)]
struct Waiting {
    operation: OperationId,
    #[serde(with = "crate::domain::path")]
    workspace: PathBuf,
    changes: Vec<StagedChange>,
}

/// A layer whose changes wait.
#[derive(Debug)]
pub struct Held {
    /// The layer.
    pub layer: Layer,
    /// What waits in it.
    pub changes: Vec<StagedChange>,
}

impl Layer {
    /// What was changed.
    #[must_use]
    pub fn upper(&self) -> PathBuf {
        self.folder.join("upper")
    }
}

impl Drop for Layer {
    fn drop(&mut self) {
        if self.stays.load(Ordering::Acquire) {
            return;
        }
        let folder = std::mem::take(&mut self.folder);
        // It may hold much; what is left if the program ends meanwhile is removed at the next start.
        std::thread::spawn(move || remove(&folder));
    }
}

impl Layers {
    /// The layers of `session` below `root`. Makes nothing until something is staged.
    #[must_use]
    pub fn new(root: &Path, session: &str) -> Self {
        Self { folder: Some(root.join(session)), state: Mutex::default(), unread: None }
    }

    /// The layers of a session that was left, with the changes that wait in them. What can't be read isn't there, but
    /// for layers that can't be had.
    #[must_use]
    pub fn again(root: &Path, session: &str) -> Self {
        let layers = Self::new(root, session);
        let Some(folder) = layers.folder.as_ref().filter(|folder| folder.join(LOCK).exists()) else { return layers };
        let lock = match patiently(|| lock(folder)) {
            Ok(lock) => lock,
            // Removed meanwhile by a program that left: nothing waited in them.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return layers,
            Err(error) => {
                return Self {
                    unread: Some(error.to_string()),
                    folder: layers.folder.clone(),
                    state: Mutex::default(),
                };
            }
        };
        let mut state = layers.state();
        state.lock = Some(lock);
        for (number, folder) in numbered(folder) {
            state.count = state.count.max(number);
            match waiting(folder) {
                Ok((id, held)) => drop(state.held.insert(id, Arc::new(held))),
                // Its run was interrupted.
                Err(folder) => drop(std::thread::spawn(move || remove(&folder))),
            }
        }
        drop(state);
        layers
    }

    /// Why nobody knows what waits in them, where that is so: then nothing is decided about it.
    #[must_use]
    pub fn unread(&self) -> Option<&str> {
        self.unread.as_deref()
    }

    /// Has none.
    #[must_use]
    pub fn off() -> Self {
        Self { folder: None, state: Mutex::default(), unread: None }
    }

    /// A new layer over a workspace.
    ///
    /// # Errors
    /// There is no place for it.
    pub fn begin(&self, workspace: &Path) -> io::Result<Layer> {
        let root = self.folder.as_ref().ok_or_else(|| io::Error::other("this session keeps no layers"))?;
        let number = {
            let mut state = self.state();
            make(root, 0o700)?;
            if state.lock.is_none() {
                state.lock = Some(lock(root)?);
            }
            state.count += 1;
            state.count
        };
        let folder = root.join(number.to_string());
        make(&folder, 0o700)?;
        let mut layer =
            Layer { folder, workspace: workspace.to_path_buf(), since: (0, 0), stays: AtomicBool::new(false) };
        // It lends its own mode to the workspace as it is seen inside.
        let upper = layer.upper();
        make(&upper, 0o700)?;
        fs::set_permissions(&upper, Permissions::from_mode(fs::metadata(workspace)?.mode() & 0o777))?;
        make(&layer.folder.join("work"), 0o700)?;
        let made = fs::metadata(&upper)?;
        layer.since = (made.ctime(), made.ctime_nsec());
        Ok(layer)
    }

    /// Keeps a layer for as long as its changes wait, in this sitting and the next.
    pub fn hold(&self, id: OperationId, layer: Layer, changes: Vec<StagedChange>) {
        let waiting = Waiting { operation: id, workspace: layer.workspace.clone(), changes: changes.clone() };
        let text = serde_json::to_vec(&waiting).map_err(io::Error::other);
        if let Err(error) = text.and_then(|text| replace(&layer.folder.join(WAITS), &text, Rights::Private)) {
            tracing::warn!(%error, "changes of {id} wait in this sitting alone");
        }
        self.state().held.insert(id, Arc::new(Held { layer, changes }));
    }

    /// What waits of a run.
    #[must_use]
    pub fn held(&self, id: OperationId) -> Option<Arc<Held>> {
        self.state().held.get(&id).cloned()
    }

    /// Runs whose changes wait, and these in a few words.
    #[must_use]
    pub fn all(&self) -> Vec<(OperationId, String)> {
        self.state().held.iter().map(|(id, held)| (*id, told(&held.changes))).collect()
    }

    /// Nothing of a run waits any more: its layer goes.
    pub fn release(&self, id: OperationId) {
        self.state().held.remove(&id);
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Session> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Layers {
    fn drop(&mut self) {
        let state = self.state();
        for held in state.held.values() {
            held.layer.stays.store(held.layer.folder.join(WAITS).exists(), Ordering::Release);
        }
        if let (Some(folder), true, true) = (&self.folder, state.lock.is_some(), state.held.is_empty()) {
            remove(folder);
        }
    }
}

/// Removes the layers of programs that are gone, but for changes that wait: these stay for as long as what is kept for
/// undo. Trouble leaves them for the next time.
pub fn prune_layers(root: &Path) {
    let Ok(sessions) = fs::read_dir(root) else { return };
    for session in sessions.flatten() {
        let folder = session.path();
        if !folder.join(LOCK).exists() {
            continue;
        }
        let Ok(_lock) = lock(&folder) else { continue };
        let layers = numbered(&folder).into_iter().map(|(_, layer)| layer);
        let (waiting, over): (Vec<_>, Vec<_>) = layers.partition(|layer| young(&layer.join(WAITS)));
        if waiting.is_empty() {
            remove(&folder);
        } else {
            for layer in over {
                remove(&layer);
            }
        }
    }
}

/// Whether a file is there and isn't older than what is kept for undo.
fn young(file: &Path) -> bool {
    let changed = fs::metadata(file).and_then(|found| found.modified());
    // A clock that was set back makes nothing old.
    changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age <= KEPT) || at > std::time::SystemTime::now())
}

/// Takes the layers of a session for this program.
fn lock(folder: &Path) -> io::Result<Flock<File>> {
    let file = File::options().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
    Ok(Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| errno)?)
}

/// Tries for a while: another program that starts looks into each session's layers for a moment.
fn patiently<T>(attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let since = Instant::now();
    loop {
        match attempt() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && since.elapsed() < PATIENCE => {
                std::thread::sleep(PATIENCE / 50);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Err(io::Error::new(error.kind(), "another program holds them, try again when it is done"));
            }
            other => return other,
        }
    }
}

/// The layers of a session, with their numbers.
fn numbered(folder: &Path) -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path()))).collect()
}

/// What waits in a layer; its folder again if nothing does.
fn waiting(folder: PathBuf) -> Result<(OperationId, Held), PathBuf> {
    let Some(waiting) = read(&folder.join(WAITS)) else { return Err(folder) };
    let layer = Layer { folder, workspace: waiting.workspace, since: (0, 0), stays: AtomicBool::new(false) };
    Ok((waiting.operation, Held { layer, changes: waiting.changes }))
}

fn read(file: &Path) -> Option<Waiting> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    let waiting: Waiting = serde_json::from_slice(&bytes).ok()?;
    let inside = |change: &StagedChange| change.path.components().all(|part| matches!(part, Component::Normal(_)));
    waiting.changes.iter().all(inside).then_some(waiting)
}

/// Removes a folder with all that a run may have left in it: folders that nobody may enter, and deeper than a path can
/// be long. Each folder is brought up to the top before it is emptied.
fn remove(folder: &Path) {
    let mut waiting = VecDeque::from([folder.to_path_buf()]);
    let mut emptied = Vec::new();
    let mut count = 0_u64;
    while let Some(path) = waiting.pop_front() {
        let _unusual = fs::set_permissions(&path, Permissions::from_mode(0o700));
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let _left = fs::remove_file(entry.path());
                continue;
            }
            let _unusual = fs::set_permissions(entry.path(), Permissions::from_mode(0o700));
            count += 1;
            let top = folder.join(format!(".gone-{count}"));
            // A folder of the top itself stays where it is.
            if path == folder || fs::rename(entry.path(), &top).is_err() {
                waiting.push_back(entry.path());
            } else {
                waiting.push_back(top);
            }
        }
        emptied.push(path);
    }
    for path in emptied.iter().rev() {
        let _left = fs::remove_dir(path);
    }
}

fn make(folder: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(mode).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_goes_with_whoever_holds_it_and_one_left_behind_at_the_next_start() {
        let root = tempfile::tempdir().unwrap();
        let (layers, work) = (Layers::new(root.path(), "a"), root.path().join("work"));
        fs::create_dir(&work).unwrap();
        let layer = layers.begin(&work).unwrap();
        assert!(layer.since.0 > 0 && layer.upper().is_dir());
        fs::create_dir_all(layer.upper().join("x/y")).unwrap();
        fs::set_permissions(layer.upper().join("x"), Permissions::from_mode(0o000)).unwrap();
        let folder = layer.folder.clone();
        layers.hold(OperationId(3), layer, Vec::new());
        prune_layers(root.path());
        assert!(folder.exists(), "it is in use");
        assert!(layers.held(OperationId(3)).is_some());
        layers.release(OperationId(3));
        for _ in 0..200 {
            if !folder.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(!folder.exists());
        fs::create_dir_all(root.path().join("b/1/upper")).unwrap();
        fs::write(root.path().join("b").join(LOCK), "").unwrap();
        prune_layers(root.path());
        assert!(!root.path().join("b").exists());
        assert!(Layers::off().begin(&work).is_err());
    }

    #[test]
    fn changes_that_wait_are_there_in_the_next_sitting_and_nobody_elses() {
        let root = tempfile::tempdir().unwrap();
        let work = root.path().join("work");
        fs::create_dir(&work).unwrap();
        let change = |path: &str| StagedChange {
            path: path.into(),
            before: crate::domain::Image::Nothing,
            after: crate::domain::Image::Folder { mode: 0o755 },
        };
        let layers = Layers::new(root.path(), "a");
        for (id, path) in [(3, "d"), (5, "../out")] {
            let layer = layers.begin(&work).unwrap();
            fs::write(layer.upper().join("f"), "x").unwrap();
            layers.hold(OperationId(id), layer, vec![change(path)]);
        }
        let over = layers.begin(&work).unwrap();
        let gone = over.folder.clone();
        let taken = Layers::again(root.path(), "a");
        assert_eq!(
            (taken.all().len(), taken.unread()),
            (0, Some("another program holds them, try again when it is done"))
        );
        drop((over, layers, taken));
        // One that looks in for a moment hides nothing.
        let other = lock(&root.path().join("a")).unwrap();
        let leaves = std::thread::spawn(move || {
            std::thread::sleep(PATIENCE / 5);
            drop(other);
        });
        let again = Layers::again(root.path(), "a");
        assert_eq!((again.all().len(), again.unread()), (1, None));
        leaves.join().unwrap();
        drop(again);
        prune_layers(root.path());
        for _ in 0..200 {
            if !gone.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(!gone.exists());
        let again = Layers::again(root.path(), "a");
        assert_eq!(again.all(), [(OperationId(3), "1 added (d)".to_owned())], "one leads out of the workspace");
        let held = again.held(OperationId(3)).unwrap();
        assert_eq!(fs::read_to_string(held.layer.upper().join("f")).unwrap(), "x");
        assert_eq!(held.layer.workspace, work);
        drop(held);
        // The next layer has a folder of its own.
        let layer = again.begin(&work).unwrap();
        assert!(fs::read_dir(layer.upper()).unwrap().next().is_none());
        again.release(OperationId(3));
        drop((layer, again));
        assert!(Layers::again(root.path(), "a").all().is_empty());
        assert!(Layers::again(root.path(), "b").all().is_empty());
    }

    #[test]
    fn what_is_too_deep_for_a_path_is_removed_all_the_same() {
        use nix::fcntl::{OFlag, open, openat};
        use nix::sys::stat::{Mode, mkdirat};
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("deep");
        fs::create_dir(&folder).unwrap();
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
        let mut at = open(&folder, flags, Mode::empty()).unwrap();
        let name = "d".repeat(200);
        for _ in 0..60 {
            mkdirat(&at, name.as_str(), Mode::from_bits_truncate(0o700)).unwrap();
            at = openat(&at, name.as_str(), flags, Mode::empty()).unwrap();
        }
        remove(&folder);
        assert!(!folder.exists());
    }
}
