//! What git has of files: whether it could bring back what a waiting operation takes away. Only what git says it
//! tracks and finds unchanged counts as kept.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Workbench;
use super::git::Repository;

/// What git has of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Version {
    /// As it is now: it can be brought back.
    Kept,
    /// An older text only.
    Modified,
    /// Nothing: it was never added.
    Untracked,
    /// Nothing: `.gitignore` names it.
    Ignored,
    /// Nothing: no repository is there.
    Nowhere,
}

impl Version {
    /// What of a file would be gone for good, as a sentence about `what`. None if git has it.
    pub(super) fn lost(self, what: &str) -> Option<String> {
        match self {
            Self::Kept => None,
            Self::Modified => Some(format!("{what} is modified: git has only an older text of it.")),
            Self::Untracked => Some(format!("{what} is untracked: git doesn't have it.")),
            Self::Ignored => Some(format!("{what} is ignored by git, which doesn't have it.")),
            Self::Nowhere => Some(format!("{what} is in no git repository: nothing brings it back.")),
        }
    }
}

/// What git has of the files below some paths of one repository.
#[derive(Clone, Debug, Default)]
pub(super) struct Versions {
    root: Option<PathBuf>,
    /// Files that git tracks, and whether it would notice a change of them.
    tracked: HashMap<Vec<u8>, bool>,
    changed: HashSet<Vec<u8>>,
    /// Files and folders.
    ignored: BTreeSet<Vec<u8>>,
}

impl Versions {
    /// Looks at files below absolute paths that lie in one repository.
    ///
    /// # Errors
    /// Git can't or may not be asked, as the end of a sentence.
    pub(super) async fn of(
        bench: &Arc<Workbench>,
        paths: &[PathBuf],
        cancel: &CancellationToken,
    ) -> Result<Self, String> {
        let Some(first) = paths.first() else { return Ok(Self::default()) };
        let Some(repository) = Repository::of(first.parent().unwrap_or(first))? else { return Ok(Self::default()) };
        let inside =
            |path: &PathBuf| path.strip_prefix(&repository.root).ok().and_then(Path::to_str).map(str::to_owned);
        let names: Vec<String> =
            paths.iter().filter_map(inside).map(|name| if name.is_empty() { ".".to_owned() } else { name }).collect();
        if names.is_empty() {
            return Ok(Self::default());
        }
        let ask = async |head: &[&str]| {
            let arguments: Vec<&str> =
                head.iter().copied().chain(["--"]).chain(names.iter().map(String::as_str)).collect();
            repository.ask(bench, &arguments, cancel).await
        };
        let (tracked, status) = tokio::join!(
            ask(&["ls-files", "-v", "-z"]),
            ask(&["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--ignored=no"]),
        );
        let ignored = ask(&["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]).await?;
        Ok(Self::read(Some(repository.root.clone()), &tracked?, &status?, &ignored))
    }

    fn read(root: Option<PathBuf>, tracked: &[u8], status: &[u8], ignored: &[u8]) -> Self {
        let entries = |bytes: &[u8]| -> Vec<Vec<u8>> {
            bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).map(<[u8]>::to_vec).collect()
        };
        // `H name`: tracked. A small letter or another one means that git doesn't look whether it changed.
        let tracked = entries(tracked).into_iter().filter(|entry| entry.len() > 2);
        let tracked = tracked.map(|entry| (entry[2..].to_vec(), entry[0] == b'H'));
        // `XY name`: the second letter is about the file against the index.
        let changed = entries(status).into_iter().filter(|entry| entry.len() > 3 && entry[1] != b' ');
        let folder = |name: Vec<u8>| name.strip_suffix(b"/").map(<[u8]>::to_vec).unwrap_or(name);
        Self {
            root,
            tracked: tracked.collect(),
            changed: changed.map(|entry| entry[3..].to_vec()).collect(),
            ignored: entries(ignored).into_iter().map(folder).collect(),
        }
    }

    /// What git has of a file.
    pub(super) fn version(&self, file: &Path) -> Version {
        let Some(name) = self.root.as_ref().and_then(|root| file.strip_prefix(root).ok()) else {
            return Version::Nowhere;
        };
        let name = name.as_os_str();
        if let Some(watched) = self.tracked.get(name.as_bytes()) {
            let same = *watched && !self.changed.contains(name.as_bytes());
            return if same { Version::Kept } else { Version::Modified };
        }
        let ignored = |name: &OsStr| self.ignored.contains(name.as_bytes());
        if Path::new(name).ancestors().any(|up| ignored(up.as_os_str())) {
            Version::Ignored
        } else {
            Version::Untracked
        }
    }
}
