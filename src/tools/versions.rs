//! What git has of files: whether it could bring back what a waiting operation takes away. Only what git says it
//! tracks and finds unchanged counts as kept.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Workbench;
use super::git::Repository;

/// Most paths that git is told by name.
const SPECS: usize = 200;

/// What git has of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Version {
    /// As it is now: it can be brought back.
    Kept,
    /// An older text only.
    Modified,
    /// What is staged alone, in no commit: where that goes, too, nothing.
    Staged,
    /// Nothing: it was never added.
    Untracked,
    /// Nothing: `.gitignore` names it.
    Ignored,
    /// Nothing: no repository is there.
    Nowhere,
}

impl Version {
    /// The word in lists.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Kept => "has it",
            Self::Modified => "modified",
            Self::Staged => "only staged",
            Self::Untracked => "untracked",
            Self::Ignored => "ignored",
            Self::Nowhere => "not in git",
        }
    }

    /// What of a file would be gone for good, as a sentence about `what`. None if git has it.
    pub(super) fn lost(self, what: &str) -> Option<String> {
        match self {
            Self::Kept => None,
            Self::Modified => Some(format!("{what} is modified: git has only an older text of it.")),
            Self::Staged => Some(format!("{what} is only staged: it is in no commit.")),
            Self::Untracked => Some(format!("{what} is untracked: git doesn't have it.")),
            Self::Ignored => Some(format!("{what} is ignored by git, which doesn't have it.")),
            Self::Nowhere => Some(format!("{what} is in no git repository.")),
        }
    }
}

/// What git has of the files below some paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Versions(Vec<Known>);

/// What one repository has.
#[derive(Clone, Debug, Default)]
struct Known {
    root: PathBuf,
    /// The paths that were looked at.
    paths: Vec<PathBuf>,
    /// Files that git tracks, and whether it would notice a change of them.
    tracked: HashMap<Vec<u8>, bool>,
    changed: HashSet<Vec<u8>>,
    /// Files and folders.
    ignored: HashSet<Vec<u8>>,
}

impl Versions {
    /// Looks at files and folders by their absolute paths. A folder counts as part of the repository that it lies in,
    /// not of one that it holds: that would go with it. Of a linked worktree or a submodule the repository stays.
    ///
    /// # Errors
    /// Git can't or may not be asked, as the end of a sentence.
    pub(super) async fn of(
        bench: &Arc<Workbench>,
        paths: &[PathBuf],
        cancel: &CancellationToken,
    ) -> Result<Self, String> {
        let mut groups: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for path in paths {
            let Some(parent) = path.parent() else { continue };
            let linked = path.join(".git").symlink_metadata().is_ok_and(|found| found.is_file());
            if let Some(root) = if linked { Some(path.clone()) } else { Repository::root(parent) } {
                groups.entry(root).or_default().push(path.clone());
            }
        }
        let mut known = Vec::new();
        for (root, paths) in groups {
            if let Some(repository) = Repository::of(bench, &root)? {
                known.push(Known::ask(bench, &repository, paths, cancel).await?);
            }
        }
        Ok(Self(known))
    }

    /// Whether git tracks a path or anything below it.
    pub(super) fn tracks(&self, path: &Path) -> bool {
        let within = |known: &Known| {
            let name = path.strip_prefix(&known.root).ok()?.as_os_str().as_bytes();
            let below =
                |tracked: &Vec<u8>| tracked.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest[0] == b'/');
            Some(known.tracked.keys().any(below))
        };
        self.0.iter().any(|known| within(known).unwrap_or(false))
    }

    /// What git has of a file.
    pub(super) fn version(&self, file: &Path) -> Version {
        let known = self.0.iter().filter(|known| known.paths.iter().any(|path| file.starts_with(path)));
        known.max_by_key(|known| known.root.components().count()).map_or(Version::Nowhere, |known| known.version(file))
    }
}

impl Known {
    async fn ask(
        bench: &Arc<Workbench>,
        repository: &Repository,
        paths: Vec<PathBuf>,
        cancel: &CancellationToken,
    ) -> Result<Self, String> {
        let names = pathspecs(&repository.root, &paths);
        let ask = async |head: &[&str]| {
            let names = names.iter().map(String::as_str);
            let arguments: Vec<&str> =
                ["--literal-pathspecs"].into_iter().chain(head.iter().copied()).chain(["--"]).chain(names).collect();
            repository.ask(bench, &arguments, cancel).await
        };
        let setting =
            async |name: &str| repository.ask(bench, &["config", "--get", name], cancel).await.unwrap_or_default();
        let (tracked, ends, crlf, eol, status, ignored) = tokio::join!(
            ask(&["ls-files", "-v", "-z"]),
            ask(&["ls-files", "--eol", "-z"]),
            setting("core.autocrlf"),
            setting("core.eol"),
            ask(&["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no"]),
            ask(&["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]),
        );
        let known = Self { root: repository.root.clone(), paths, ..Self::default() };
        let mut known = known.read(&tracked?, &status?, &ignored?);
        let converts = crlf.trim_ascii() == b"true" || eol.trim_ascii() == b"crlf";
        known.changed.extend(ends?.split(|byte| *byte == 0).filter_map(|entry| converted(entry, converts)));
        Ok(known)
    }

    fn read(mut self, tracked: &[u8], status: &[u8], ignored: &[u8]) -> Self {
        let entries = |bytes: &[u8]| -> Vec<Vec<u8>> {
            bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).map(<[u8]>::to_vec).collect()
        };
        // `H name`: tracked. A small letter or another one means that git doesn't look whether it changed.
        let tracked = entries(tracked).into_iter().filter(|entry| entry.len() > 2);
        self.tracked = tracked.map(|entry| (entry[2..].to_vec(), entry[0] == b'H')).collect();
        // `XY name`: the second letter is about the file against the index.
        let changed = entries(status).into_iter().filter(|entry| entry.len() > 3 && entry[1] != b' ');
        self.changed = changed.map(|entry| entry[3..].to_vec()).collect();
        let folder = |name: Vec<u8>| name.strip_suffix(b"/").map(<[u8]>::to_vec).unwrap_or(name);
        self.ignored = entries(ignored).into_iter().map(folder).collect();
        self
    }

    fn version(&self, file: &Path) -> Version {
        let Ok(name) = file.strip_prefix(&self.root) else { return Version::Nowhere };
        let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
        if let Some(watched) = self.tracked.get(&bytes(name)) {
            let same = *watched && !self.changed.contains(&bytes(name));
            return if same { Version::Kept } else { Version::Modified };
        }
        let ignored = name.ancestors().any(|up| self.ignored.contains(&bytes(up)));
        if ignored { Version::Ignored } else { Version::Untracked }
    }
}

/// The name of a file that git would bring back with other ends of lines than it has: of an entry of `ls-files --eol`,
/// `i/lf    w/crlf  attr/text eol=lf \tname`. `converts`: git makes those of Windows where nothing else is said.
fn converted(entry: &[u8], converts: bool) -> Option<Vec<u8>> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let about = std::str::from_utf8(&entry[..tab]).ok()?;
    let mut parts = about.split_ascii_whitespace();
    let (index, file) = (parts.next()?.strip_prefix("i/")?, parts.next()?.strip_prefix("w/")?);
    let said = about.split("attr/").nth(1).unwrap_or_default();
    let windows = said.contains("eol=crlf") || converts && !said.contains("eol=lf") && !said.contains("-text");
    let back = if windows && index == "lf" { "crlf" } else { index };
    (back != file).then(|| entry[tab + 1..].to_vec())
}

/// The paths as git is told them, from its root: as they are, or if they are many the folders that they are in.
fn pathspecs(root: &Path, paths: &[PathBuf]) -> BTreeSet<String> {
    let named = |path: &Path| {
        let name = path.strip_prefix(root).ok()?.to_str()?;
        Some(if name.is_empty() { ".".to_owned() } else { name.to_owned() })
    };
    let all: BTreeSet<String> = paths.iter().filter_map(|path| named(path)).collect();
    if (1..=SPECS).contains(&all.len()) {
        return all;
    }
    let parents: BTreeSet<String> = paths.iter().filter_map(|path| named(path.parent()?)).collect();
    if (1..=SPECS).contains(&parents.len()) { parents } else { [".".to_owned()].into() }
}
