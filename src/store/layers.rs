//! The layers of staged runs: one private folder each, for as long as the run lasts or its changes wait. Held by a
//! lock, so that what a program left that ended badly is known as such and removed at the next start.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nix::fcntl::{Flock, FlockArg};

use crate::domain::{OperationId, StagedChange};

/// Name of the file that a program holds while its layers are in use.
const LOCK: &str = "lock";

/// The layers of one session.
#[derive(Debug)]
pub struct Layers {
    /// None where nothing can be staged.
    folder: Option<PathBuf>,
    state: Mutex<Session>,
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
        let folder = std::mem::take(&mut self.folder);
        // It may hold much; what is left if the program ends meanwhile is removed at the next start.
        std::thread::spawn(move || remove(&folder));
    }
}

impl Layers {
    /// The layers of `session` below `root`. Makes nothing until something is staged.
    #[must_use]
    pub fn new(root: &Path, session: &str) -> Self {
        Self { folder: Some(root.join(session)), state: Mutex::default() }
    }

    /// Has none.
    #[must_use]
    pub fn off() -> Self {
        Self { folder: None, state: Mutex::default() }
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
                let file = File::options().create(true).truncate(false).write(true).open(root.join(LOCK))?;
                state.lock = Some(Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| errno)?);
            }
            state.count += 1;
            state.count
        };
        let folder = root.join(number.to_string());
        make(&folder, 0o700)?;
        let mut layer = Layer { folder, workspace: workspace.to_path_buf(), since: (0, 0) };
        // It lends its own mode to the workspace as it is seen inside.
        let upper = layer.upper();
        make(&upper, 0o700)?;
        fs::set_permissions(&upper, Permissions::from_mode(fs::metadata(workspace)?.mode() & 0o777))?;
        make(&layer.folder.join("work"), 0o700)?;
        let made = fs::metadata(&upper)?;
        layer.since = (made.ctime(), made.ctime_nsec());
        Ok(layer)
    }

    /// Keeps a layer for as long as its changes wait.
    pub fn hold(&self, id: OperationId, layer: Layer, changes: Vec<StagedChange>) {
        self.state().held.insert(id, Arc::new(Held { layer, changes }));
    }

    /// What waits of a run.
    #[must_use]
    pub fn held(&self, id: OperationId) -> Option<Arc<Held>> {
        self.state().held.get(&id).cloned()
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
        if let (Some(folder), true) = (&self.folder, self.state().lock.is_some()) {
            remove(folder);
        }
    }
}

/// Removes the layers of programs that are gone. Trouble leaves them for the next time.
pub fn prune_layers(root: &Path) {
    let Ok(sessions) = fs::read_dir(root) else { return };
    for session in sessions.flatten() {
        let Ok(file) = File::options().write(true).open(session.path().join(LOCK)) else { continue };
        if Flock::lock(file, FlockArg::LockExclusiveNonblock).is_ok() {
            remove(&session.path());
        }
    }
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
        drop(layers);
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
