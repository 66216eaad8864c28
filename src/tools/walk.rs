//! Goes through the files of a folder for the two searches: leaves out what `.gitignore` names, sensitive
//! files and links. Stops when asked to, and at the time limit.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkBuilder};
use tokio_util::sync::CancellationToken;

use super::ignored::Ignored;
use super::nolink;

use crate::assess::Sensitive;
use crate::domain::{Facts, Place};

/// Why a search ended before it had seen everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    Cancelled,
    TimedOut,
}

/// When a search has to stop.
#[derive(Clone, Debug)]
pub(super) struct Leash {
    pub(super) cancel: CancellationToken,
    pub(super) deadline: Instant,
}

impl Leash {
    /// The reason to stop now, if there is one.
    pub(super) fn pulled(&self) -> Option<Halt> {
        if self.cancel.is_cancelled() {
            Some(Halt::Cancelled)
        } else {
            (Instant::now() >= self.deadline).then_some(Halt::TimedOut)
        }
    }
}

/// Where a search goes.
#[derive(Debug)]
pub(super) struct Scope {
    root: PathBuf,
    place: Place,
    sensitive: Sensitive,
    /// The root itself is sensitive, and it was allowed by name: what is in it is meant.
    meant: bool,
}

impl Scope {
    /// The scope of a search in `path`, or in the workspace. The path must still be what was judged.
    pub(super) fn of(path: Option<&str>, facts: &Facts, sensitive: Sensitive) -> Result<Self, String> {
        let root = match path {
            None => facts.place.workspace.clone(),
            Some(spelled) => match facts.paths.get(spelled) {
                Some(fact) => fact.real.clone(),
                None => return Err(format!("{spelled} wasn't looked at before it was judged; ask again")),
            },
        };
        let shown = path.unwrap_or("the workspace");
        let now = root.canonicalize().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!("{shown} is not there"),
            _ => format!("{shown} can't be looked at: {error}"),
        })?;
        if path.is_some() && now != root {
            return Err(format!("{shown} leads elsewhere than when it was judged; ask again"));
        }
        let place = facts.place.clone();
        let meant = path.is_some() && sensitive.entry(&now.to_string_lossy(), &place).is_some();
        Ok(Self { root: now, place, sensitive, meant })
    }

    /// Calls `visit` with every file and folder in order, until it says stop or the leash is pulled. Gives how
    /// many sensitive ones were left out.
    pub(super) fn walk(
        self,
        leash: &Leash,
        mut visit: impl FnMut(&DirEntry, &Self) -> Result<bool, Halt>,
    ) -> Result<u64, Halt> {
        let mut left_out = 0;
        let mut builder = WalkBuilder::new(&self.root);
        let ignored = Mutex::new(Ignored::by_searches());
        let left_aside = move |entry: &DirEntry| {
            let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            ignored.lock().unwrap_or_else(PoisonError::into_inner).name(entry.path(), folder)
        };
        builder
            .standard_filters(false)
            .follow_links(false)
            .sort_by_file_name(Ord::cmp)
            .filter_entry(move |entry| entry.file_name() != ".git" && !left_aside(entry));
        let mut barred: Option<PathBuf> = None;
        for entry in builder.build() {
            if let Some(halt) = leash.pulled() {
                return Err(halt);
            }
            // What can't be read is passed over, as every search does.
            let Ok(entry) = entry else { continue };
            if barred.as_ref().is_some_and(|folder| entry.path().starts_with(folder)) {
                continue;
            }
            if !self.meant && self.sensitive.entry(&entry.path().to_string_lossy(), &self.place).is_some() {
                left_out += 1;
                barred = Some(entry.into_path());
                continue;
            }
            // A folder on the way may have become a link while the walk went on: what it finds then lies elsewhere.
            if entry.path_is_symlink() || nolink::open(entry.path(), nolink::passing()).is_err() {
                continue;
            }
            if !visit(&entry, &self)? {
                break;
            }
        }
        Ok(left_out)
    }

    /// A path as the caller can use it again: relative to where relative paths start, if it is below.
    pub(super) fn shown(&self, path: &Path) -> String {
        let near = path.strip_prefix(&self.place.cwd).unwrap_or(path);
        visible(&near.to_string_lossy())
    }

    /// The path within the searched folder; for a file that is searched itself, its name.
    pub(super) fn inner<'a>(&self, path: &'a Path) -> &'a Path {
        match path.strip_prefix(&self.root) {
            Ok(inner) if !inner.as_os_str().is_empty() => inner,
            Ok(_) | Err(_) => path.file_name().map_or(path, Path::new),
        }
    }
}

/// A glob over names, or over paths within the folder if it holds a slash.
#[derive(Debug)]
pub(super) struct Pattern {
    matcher: GlobMatcher,
    whole_path: bool,
    folders_only: bool,
}

impl Pattern {
    pub(super) fn new(glob: &str) -> Result<Self, String> {
        let body = glob.strip_prefix("./").unwrap_or(glob);
        let (body, folders_only) = body.strip_suffix('/').map_or((body, false), |body| (body, true));
        let body = body.strip_prefix('/').unwrap_or(body);
        let built = GlobBuilder::new(body).literal_separator(true).build();
        let matcher = built.map_err(|error| format!("the glob can't be read: {}", error.kind()))?.compile_matcher();
        Ok(Self { matcher, whole_path: body.contains('/') || glob.starts_with('/'), folders_only })
    }

    /// Whether it matches something at `inner`, a path within the folder.
    pub(super) fn matches(&self, inner: &Path, folder: bool) -> bool {
        if self.folders_only && !folder {
            return false;
        }
        if self.whole_path {
            self.matcher.is_match(inner)
        } else {
            inner.file_name().is_some_and(|name| self.matcher.is_match(name))
        }
    }
}

/// Text on one line, whatever it holds.
fn visible(text: &str) -> String {
    if text.chars().any(char::is_control) { text.escape_debug().to_string() } else { text.to_owned() }
}
