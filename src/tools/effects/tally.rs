//! Counts what commands would touch: files, folders, bytes. Looks at names and sizes alone, through no link, and
//! stops at a bound or when it is told to, saying so.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use tokio_util::sync::CancellationToken;

use crate::domain::number::{count, size};

/// Most entries that are counted for one operation.
const ENTRIES: usize = 100_000;

/// One file, link or special file.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

/// What was found below some paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) files: Vec<Found>,
    pub(super) folders: usize,
    pub(super) bytes: u64,
    /// There is more: the bound was reached, or time was up.
    pub(super) more: bool,
    /// The paths that were named, or matched.
    pub(super) roots: Vec<PathBuf>,
    /// Folders that hold a git repository of their own.
    pub(super) repositories: Vec<PathBuf>,
    /// Folders that belong to a git repository which lies elsewhere: linked worktrees and submodules.
    pub(super) linked: Vec<PathBuf>,
}

impl Tally {
    /// Adds what stands at a path; with `deep`, everything in it if it is a folder. False if nothing is there.
    pub(super) fn add(&mut self, path: &Path, deep: bool, cancel: &CancellationToken) -> bool {
        let Ok(found) = path.symlink_metadata() else { return false };
        self.roots.push(path.to_path_buf());
        if !found.is_dir() {
            self.file(path.to_path_buf(), found.len());
            return true;
        }
        if !deep {
            self.folders += 1;
            return true;
        }
        for entry in WalkBuilder::new(path).standard_filters(false).follow_links(false).build().flatten() {
            if self.files.len() + self.folders >= ENTRIES || cancel.is_cancelled() {
                self.more = true;
                break;
            }
            let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if entry.file_name() == ".git" {
                let found = if folder { &mut self.repositories } else { &mut self.linked };
                found.extend(entry.path().parent().map(Path::to_path_buf));
            }
            if folder {
                self.folders += 1;
            } else {
                let bytes = entry.path().symlink_metadata().map_or(0, |found| found.len());
                self.file(entry.into_path(), bytes);
            }
        }
        true
    }

    fn file(&mut self, path: PathBuf, bytes: u64) {
        self.bytes += bytes;
        self.files.push(Found { path, bytes });
    }

    /// Doesn't count links.
    pub(super) fn leave_links(&mut self) {
        self.files.retain(|found| !found.path.is_symlink());
        self.bytes = self.files.iter().map(|found| found.bytes).sum();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders == 0
    }

    /// `214 files, 3.2 MB`.
    pub(super) fn brief(&self) -> String {
        let least = if self.more { "at least " } else { "" };
        match (self.files.len(), self.folders) {
            (0, folders) => format!("{least}{}", count(folders, "folder")),
            (files, _) => format!("{least}{}, {}", count(files, "file"), size(self.bytes)),
        }
    }

    /// `214 files (3.2 MB) and 12 folders`.
    pub(super) fn told(&self) -> String {
        let least = if self.more { "at least " } else { "" };
        let files = format!("{least}{} ({})", count(self.files.len(), "file"), size(self.bytes));
        match (self.files.len(), self.folders) {
            (0, folders) => format!("{least}{}", count(folders, "folder")),
            (_, 0) => files,
            (_, folders) => format!("{files} and {}", count(folders, "folder")),
        }
    }
}
