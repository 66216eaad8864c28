//! What files held before the program changed them, and what each operation changed: kept for undo, for the
//! person alone, one folder a session. A content is on disk before what it was is replaced.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use super::Claims;
use crate::domain::{Change, OperationId};

/// Largest file whose content is kept, in bytes. A larger one can be changed, but not by undo.
pub const LARGEST: u64 = 64 * 1024 * 1024;
/// Most bytes that one session keeps.
const MOST: u64 = 1024 * 1024 * 1024;
/// How long a session's images stay after its last change.
pub(super) const KEPT: Duration = Duration::from_hours(14 * 24);

/// The images of one session.
#[derive(Debug)]
pub struct Images {
    /// None where nothing is kept.
    folder: Option<PathBuf>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: u64,
    changes: BTreeMap<OperationId, Vec<Change>>,
}

impl Images {
    /// The images of `session` below `root`. Makes nothing until something is kept.
    #[must_use]
    pub fn new(root: &Path, session: &str) -> Self {
        Self { folder: Some(root.join(session)), kept: Mutex::default() }
    }

    /// Keeps nothing: what is changed can't be taken back.
    #[must_use]
    pub fn off() -> Self {
        Self { folder: None, kept: Mutex::default() }
    }

    /// Keeps a content and gives its digest. None if it is too large to be kept.
    ///
    /// # Errors
    /// It can't be read or written; then what it is the content of must not be replaced.
    pub fn keep(&self, content: &mut dyn Read) -> io::Result<Option<String>> {
        let Some(folder) = &self.folder else { return Ok(None) };
        make(folder)?;
        let draft = folder.join(format!("{}.draft", unique()));
        let kept = self.copy(content, folder, &draft);
        if !matches!(kept, Ok(Some(_))) {
            let _none = fs::remove_file(&draft);
        }
        kept
    }

    fn copy(&self, content: &mut dyn Read, folder: &Path, draft: &Path) -> io::Result<Option<String>> {
        let mut file = create(draft)?;
        let (mut hasher, mut size) = (Sha256::new(), 0_u64);
        let mut bytes = vec![0; 64 * 1024];
        loop {
            let count = content.read(&mut bytes)?;
            if count == 0 {
                break;
            }
            size += count as u64;
            if size > LARGEST || self.lock().bytes + size > MOST {
                return Ok(None);
            }
            hasher.update(&bytes[..count]);
            file.write_all(&bytes[..count])?;
        }
        let digest = hex(hasher);
        file.sync_all()?;
        fs::rename(draft, folder.join(&digest))?;
        self.lock().bytes += size;
        Ok(Some(digest))
    }

    /// Whether a content of so many bytes would be kept.
    #[must_use]
    pub fn would_keep(&self, bytes: u64) -> bool {
        self.folder.is_some() && bytes <= LARGEST && self.lock().bytes.saturating_add(bytes) <= MOST
    }

    /// A kept content.
    ///
    /// # Errors
    /// It isn't there any more.
    pub fn open(&self, digest: &str) -> io::Result<File> {
        // A digest comes from a record on disk: it must not lead anywhere else.
        if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "that is no digest"));
        }
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        File::open(folder.join(digest))
    }

    /// Notes what an operation changed, in memory and on disk.
    ///
    /// # Errors
    /// The note can't be written; within this session it counts all the same.
    pub fn note(&self, id: OperationId, change: Change) -> io::Result<()> {
        self.note_all(id, vec![change])
    }

    /// Notes many changes of an operation at once.
    ///
    /// # Errors
    /// The note can't be written; within this session it counts all the same.
    pub fn note_all(&self, id: OperationId, more: Vec<Change>) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let text = {
            let mut kept = self.lock();
            let changes = kept.changes.entry(id).or_default();
            changes.extend(more);
            serde_json::to_vec(changes)?
        };
        make(folder)?;
        let draft = folder.join(format!("{}.draft", unique()));
        let mut file = create(&draft)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(draft, folder.join(format!("{}.json", id.0)))
    }

    /// What an operation changed, in order. Empty if nothing that can be taken back.
    #[must_use]
    pub fn changes(&self, id: OperationId) -> Vec<Change> {
        let held = self.lock().changes.get(&id).cloned();
        held.or_else(|| self.noted(id)).unwrap_or_default()
    }

    /// What an operation changed before its session was left, as far as that was noted.
    fn noted(&self, id: OperationId) -> Option<Vec<Change>> {
        let text = fs::read(self.folder.as_ref()?.join(format!("{}.json", id.0))).ok()?;
        serde_json::from_slice(&text).ok()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The digest of a content, in hexadecimal.
///
/// # Errors
/// It can't be read.
pub fn digest(content: &mut dyn Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut bytes = vec![0; 64 * 1024];
    loop {
        match content.read(&mut bytes)? {
            0 => return Ok(hex(hasher)),
            count => hasher.update(&bytes[..count]),
        }
    }
}

/// Removes what sessions kept whose last change is long ago, but what somebody has open. Trouble leaves it for the next
/// time.
pub fn prune(root: &Path, claims: &Claims) {
    let Ok(sessions) = fs::read_dir(root) else { return };
    for session in sessions.flatten() {
        let changed = session.metadata().ok().filter(fs::Metadata::is_dir).and_then(|found| found.modified().ok());
        let old = changed.and_then(|at| SystemTime::now().duration_since(at).ok()).is_some_and(|age| age > KEPT);
        if let Some(name) = session.file_name().to_str().filter(|_| old) {
            claims.unless_open(name, || {
                let _later = fs::remove_dir_all(session.path());
            });
        }
    }
}

fn hex(hasher: Sha256) -> String {
    format!("{:x}", hasher.finalize())
}

fn unique() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Image;

    #[test]
    fn what_was_kept_comes_back_for_its_owner_alone() {
        let root = tempfile::tempdir().unwrap();
        let images = Images::new(&root.path().join("images"), "s");
        assert!(!root.path().join("images").exists(), "nothing is made before something is kept");
        let name = images.keep(&mut &b"before"[..]).unwrap().unwrap();
        assert_eq!(name, digest(&mut &b"before"[..]).unwrap());
        let mut text = String::new();
        images.open(&name).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "before");
        assert!(images.open("../../etc/passwd").is_err());
        let change =
            Change::Replaced { path: "/f".into(), before: Image::Nothing, after: Image::Folder { mode: 0o755 } };
        images.note(OperationId(3), change.clone()).unwrap();
        assert_eq!(images.changes(OperationId(3)), std::slice::from_ref(&change));
        let folder = root.path().join("images/s");
        let noted: Vec<Change> = serde_json::from_slice(&fs::read(folder.join("3.json")).unwrap()).unwrap();
        assert_eq!(noted, [change]);
        #[cfg(unix)]
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", entry.path());
        }
    }

    #[test]
    fn what_is_too_large_is_not_kept_and_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let images = Images::new(root.path(), "s");
        assert_eq!(images.keep(&mut io::repeat(7).take(LARGEST + 1)).unwrap(), None);
        assert_eq!(fs::read_dir(root.path().join("s")).unwrap().count(), 0);
    }

    #[test]
    fn only_old_sessions_that_nobody_has_open_are_pruned() {
        let root = tempfile::tempdir().unwrap();
        let claims = Claims::open(&root.path().join("data")).unwrap();
        let images = root.path().join("images");
        for session in ["old", "open", "new"] {
            Images::new(&images, session).keep(&mut &b"x"[..]).unwrap();
        }
        let past = SystemTime::now() - KEPT - Duration::from_mins(1);
        for session in ["old", "open"] {
            File::open(images.join(session)).unwrap().set_modified(past).unwrap();
        }
        claims.claim("open").unwrap().unwrap();
        prune(&images, &claims);
        let left = ["old", "open", "new"].map(|session| images.join(session).exists());
        assert_eq!(left, [false, true, true]);
    }
}
