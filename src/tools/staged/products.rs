//! Folders of build products: those with a usual name that git ignores, that are real folders, and in which git tracks
//! nothing. Changes there are put in place unasked. Folders of installed programs (`node_modules`, `.venv`) are none of
//! them: a person runs what is there by name, and package managers share their files by hard links.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::super::Workbench;
use super::super::git::Repository;
use super::super::ignored::{IGNORED, Ignored};
use super::super::versions::Versions;
use super::harvest::{opaque, real_folder};
use crate::assess::entered;
use crate::private;
use crate::store::Layer;

/// Usual names, lower case.
const NAMES: [&str; 24] = [
    "target",
    "build",
    "dist",
    "out",
    "obj",
    "_build",
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
    ".stack-work",
    "coverage",
    "htmlcov",
    "test-results",
    "zig-cache",
];
/// What else tests leave behind, or keeps a folder in git, under a hidden name.
const HIDDEN: [&str; 12] = [
    ".coverage",
    ".keep",
    ".gitkeep",
    ".gitignore",
    ".ds_store",
    ".nojekyll",
    ".eslintcache",
    ".stylelintcache",
    ".phpunit.cache",
    ".rspec_status",
    ".testmondata",
    ".benchmarks",
];
/// Where Python keeps what it compiled: it makes it anew, and loads it in place of the source unless that looks newer.
const COMPILED: &str = "__pycache__";
/// Products that tools tag as they make them. Any other folder that is new may say nothing of itself in the run that
/// it came with.
const TAGGED: [&str; 4] = ["target", ".pytest_cache", ".mypy_cache", ".ruff_cache"];
/// A file that says that all of its folder can be made again (Cache Directory Tagging Specification), and how it begins.
const TAG: &str = "CACHEDIR.TAG";
const SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
/// Longest `.gitignore` of a cache's own, in bytes.
const OWN: u64 = 64 * 1024;
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
        let tagged = |path: &PathBuf| {
            let there = layer.workspace.join(path);
            // There is nothing in a new one yet that could be lost.
            let made = || path.file_name().is_some_and(|name| TAGGED.iter().any(|tagged| name == *tagged));
            if real_folder(&there) { tagged(&there) } else { made() && tagged(&layer.upper().join(path)) }
        };
        let (caches, folders) = ours.partition(tagged);
        Self { caches, folders }
    }

    /// Whether a folder is a cache whose changes are put in place as they are.
    pub(super) fn write_through(&self, path: &Path) -> bool {
        self.caches.contains(path) && !obeyed(path)
    }

    /// Whether a path lies in one of the folders.
    pub(super) fn hold(&self, path: &Path) -> bool {
        path.ancestors().any(|up| self.folders.contains(up))
    }
}

/// Whether a path lies in a folder of git, an agent, an editor or a shell, which obey what is there whatever lies around
/// it.
pub(super) fn obeyed(path: &Path) -> bool {
    path.ancestors().any(|up| entered(&Path::new("/").join(up).to_string_lossy(), true))
}

/// Whether a name is that of Python's folder of compiled modules.
pub(super) fn compiled_by_python(name: &Path) -> bool {
    name.as_os_str().eq_ignore_ascii_case(COMPILED)
}

/// Whether a name is that of a module that Python compiled. It loads such a file without a source as well.
pub(super) fn bytecode(name: &Path) -> bool {
    name.extension().is_some_and(|ending| ["pyc", "pyo"].iter().any(|own| ending.eq_ignore_ascii_case(own)))
}

/// Whether a name is hidden and not one that tests leave behind: such a file is settings, and of whom isn't known.
pub(super) fn hidden(name: &Path) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    let known = || NAMES.iter().chain(&HIDDEN).any(|known| name == *known) || name.starts_with(".coverage.");
    name.starts_with('.') && !known()
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
        && private::open_regular(&tag).is_ok_and(|file| file.take(64).read_to_end(&mut start).is_ok())
        && start.starts_with(SIGNATURE)
}

/// The outermost folders of a layer that have a usual name and that git ignores.
fn candidates(upper: &Path, workspace: &Path) -> Vec<PathBuf> {
    let mut ignored = Ignored::by_git(Repository::root(workspace).unwrap_or_else(|| workspace.to_path_buf()));
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
            if usual && same && !apart && ignores(&mut ignored, &below) {
                found.push(path);
            } else {
                waiting.push(path);
            }
        }
    }
    found
}

/// Whether git ignores a folder of a workspace, as it stands there: a layer's own rules count for nothing.
fn ignores(ignored: &mut Ignored, folder: &Path) -> bool {
    // As caches do that keep themselves out of git.
    let own = private::read_text(&folder.join(IGNORED), OWN);
    own.is_ok_and(|text| text.lines().any(|line| line.trim() == "*")) || ignored.hold(folder)
}
