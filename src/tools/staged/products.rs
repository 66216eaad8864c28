//! Folders of build products: those with a usual name that git ignores, that are real folders, and in which git tracks
//! nothing. Changes there are put in place unasked. Folders of installed programs (`node_modules`, `.venv`) are none of
//! them: a person runs what is there by name, and package managers share their files by hard links.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use tokio_util::sync::CancellationToken;

use super::super::Workbench;
use super::super::git::Repository;
use super::super::versions::Versions;
use super::harvest::{opaque, real_folder};
use crate::store::Layer;

/// Usual names, lower case.
const NAMES: [&str; 27] = [
    "target",
    "build",
    "dist",
    "out",
    "obj",
    "_build",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".cache",
    ".vite",
    ".vitest",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".turbo",
    ".parcel-cache",
    ".nyc_output",
    ".eggs",
    ".dart_tool",
    ".stack-work",
    "coverage",
    "htmlcov",
    "test-results",
    "zig-cache",
];
/// A file that says that all of its folder can be made again (Cache Directory Tagging Specification), and how it begins.
const TAG: &str = "CACHEDIR.TAG";
const SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
/// A file that says what git leaves aside.
const IGNORED: &str = ".gitignore";
/// Most folders that are looked at.
const FOLDERS: usize = 20_000;

/// The folders of build products that a layer changes, by their paths in the workspace.
#[derive(Debug, Default)]
pub(super) struct Products {
    /// Those that say themselves that they can be made again: what they held is not kept.
    pub(super) caches: BTreeSet<PathBuf>,
    /// The others.
    pub(super) folders: BTreeSet<PathBuf>,
}

impl Products {
    /// The folders of a layer. What git can't be asked about is none.
    pub(super) async fn find(bench: &Arc<Workbench>, layer: &Layer, cancel: &CancellationToken) -> Self {
        let (upper, workspace) = (layer.upper(), layer.workspace.clone());
        let found = tokio::task::spawn_blocking(move || candidates(&upper, &workspace)).await.unwrap_or_default();
        let there: Vec<PathBuf> =
            found.iter().map(|path| layer.workspace.join(path)).filter(|path| real_folder(path)).collect();
        let Ok(versions) = Versions::of(bench, &there, cancel).await else { return Self::default() };
        let ours = found.into_iter().filter(|path| !versions.tracks(&layer.workspace.join(path)));
        // A new folder may only say so of itself: there is nothing in it yet that could be lost.
        let tagged = |path: &PathBuf| {
            let there = layer.workspace.join(path);
            tagged(&if real_folder(&there) { there } else { layer.upper().join(path) })
        };
        let (caches, folders) = ours.partition(tagged);
        Self { caches, folders }
    }

    /// Whether a path lies in one of the folders.
    pub(super) fn hold(&self, path: &Path) -> bool {
        path.ancestors().any(|up| self.folders.contains(up))
    }
}

/// Whether a file of this name may make build products of what lies around it, which then changes unasked.
pub(super) fn declares(name: &Path) -> bool {
    name == Path::new(IGNORED) || name == Path::new(TAG)
}

/// Whether a folder says that it can be made again.
fn tagged(folder: &Path) -> bool {
    use std::io::Read as _;
    let tag = folder.join(TAG);
    let mut start = Vec::new();
    tag.symlink_metadata().is_ok_and(|about| about.is_file())
        && fs::File::open(tag).is_ok_and(|file| file.take(64).read_to_end(&mut start).is_ok())
        && start.starts_with(SIGNATURE)
}

/// The outermost folders of a layer that have a usual name and that git ignores.
fn candidates(upper: &Path, workspace: &Path) -> Vec<PathBuf> {
    let mut rules = Rules::new(workspace);
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    for _ in 0..FOLDERS {
        let Some(folder) = waiting.pop() else { break };
        for entry in fs::read_dir(upper.join(&folder)).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) || entry.file_name() == ".git" {
                continue;
            }
            let path = folder.join(entry.file_name());
            let below = workspace.join(&path);
            let usual = entry.file_name().to_str().is_some_and(|name| NAMES.contains(&name.to_lowercase().as_str()));
            // In the place of a link or a file, or of a folder that is gone, it is another one.
            let same = below.symlink_metadata().is_err() || real_folder(&below) && !opaque(&entry.path());
            // What a repository of its own has is not the one around it to say.
            let apart = below.join(".git").symlink_metadata().is_ok();
            if usual && same && !apart && rules.ignore(&path) {
                found.push(path);
            } else {
                waiting.push(path);
            }
        }
    }
    found
}

/// What git ignores in a workspace, as it stands there: a layer's own rules count for nothing.
struct Rules {
    workspace: PathBuf,
    /// Root of the repository, or the workspace.
    root: PathBuf,
    /// By folder; none where its rules can't be read.
    known: BTreeMap<PathBuf, Option<Gitignore>>,
}

impl Rules {
    fn new(workspace: &Path) -> Self {
        let root = Repository::root(workspace).unwrap_or_else(|| workspace.to_path_buf());
        Self { workspace: workspace.to_path_buf(), root, known: BTreeMap::new() }
    }

    /// Whether git ignores a folder: the rules nearest to it decide first.
    fn ignore(&mut self, path: &Path) -> bool {
        let path = self.workspace.join(path);
        // As caches do that keep themselves out of git.
        if fs::read_to_string(path.join(IGNORED)).is_ok_and(|text| text.lines().any(|line| line.trim() == "*")) {
            return true;
        }
        let root = self.root.clone();
        let folders = path.ancestors().skip(1).take_while(|up| up.starts_with(&root));
        for folder in folders.map(Path::to_path_buf).collect::<Vec<_>>() {
            let rules = self.known.entry(folder).or_insert_with_key(|folder| rules(folder, *folder == root));
            match rules.as_ref().map_or(Match::None, |rules| rules.matched_path_or_any_parents(&path, true)) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}

/// The rules of one folder, and at the root those that are not part of the files.
fn rules(folder: &Path, root: bool) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    // A file that can't be read ignores nothing.
    let _unread = builder.add(folder.join(IGNORED));
    if root {
        let _unread = builder.add(folder.join(".git/info/exclude"));
    }
    builder.build().ok()
}
