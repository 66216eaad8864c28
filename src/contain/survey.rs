//! Finds the sensitive files that a contained command must not read, again before every start. Folders that have not
//! changed since are not read anew: only asked for the time of their last change.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fs::{self, Metadata};
use std::os::unix::fs::{DirEntryExt, FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::stamp::Stamp;

/// Most folders that are looked through.
const FOLDERS: usize = 20_000;
/// Most sensitive files and folders that are hidden.
const HIDDEN: usize = 1_000;
/// Most files of a sensitive folder that are looked for under other names.
const WITHIN: usize = 100;
/// How long what a command names outside the workspace is looked through: a home folder can hold hundreds of thousands of
/// files, and whoever reads there waits.
const PATIENCE: Duration = Duration::from_secs(1);
/// Folders of other people's code and of build products, with very many folders in them: they are looked through last.
const LAST: [&str; 6] = ["node_modules", "target", ".venv", "venv", "vendor", "dist"];

/// Why not everything sensitive can be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    /// More folders than are looked through.
    #[error("there are more than {FOLDERS} folders to look through for sensitive files")]
    Folders,
    /// More sensitive files than are hidden.
    #[error("there are more than {HIDDEN} sensitive files to hide")]
    Files,
    /// More below the folders that a command names than can be looked through while it waits.
    #[error("there is too much in the folders that it names to look through all of it for sensitive files")]
    Time,
}

/// What a path is, to one who decides whether it is sensitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A file, or anything else that isn't a folder.
    File,
    /// A folder, with all that is in it.
    Folder,
}

/// Whether a path is sensitive.
pub type Judge<'a> = &'a (dyn Fn(&Path, Sort) -> bool + Sync);

#[derive(Clone, Debug, Default)]
struct Folder {
    /// None if it may have changed since without another one.
    stamp: Option<Stamp>,
    /// What is sensitive in it, and whether that is a link.
    hidden: Vec<(PathBuf, bool)>,
    folders: Vec<PathBuf>,
    /// Its links that leave the workspace at once: where they lead changes without their folder. Of others, what they
    /// lead to is looked at itself.
    links: Vec<PathBuf>,
    /// What is sensitive of that which they lead to.
    linked: Vec<PathBuf>,
    /// Folders outside the workspace that they lead to.
    elsewhere: Vec<PathBuf>,
    /// Folders of git that it holds, or is.
    repositories: Vec<PathBuf>,
    /// The numbers of its files on their disk: one of them may be a sensitive file under another name.
    files: Vec<u64>,
}

impl Folder {
    /// The same, with what its links lead to now.
    fn follow(mut self, workspace: &Path, judge: Judge<'_>) -> Self {
        self.linked.clear();
        self.elsewhere.clear();
        for target in self.links.iter().filter_map(|link| link.canonicalize().ok()) {
            if target.starts_with(workspace) || system(&target) {
                continue;
            }
            if !target.is_dir() {
                self.linked.extend(judge(&target, Sort::File).then_some(target));
            } else if target.parent().is_some() {
                self.elsewhere.push(target);
            }
        }
        self
    }
}

/// What is sensitive in a workspace and in the person's folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Where it really is, after links.
    pub paths: BTreeSet<PathBuf>,
    /// The folders of git that were passed, which hold what is committed.
    pub repositories: BTreeSet<PathBuf>,
    /// Why there may be more, if so: folders near the root were looked through first.
    pub missed: Option<TooMuch>,
}

/// What was found the last time.
#[derive(Debug, Default)]
pub struct Survey {
    last: Mutex<Searched>,
}

/// The folders of one search: no more are remembered.
#[derive(Debug, Default)]
struct Searched {
    /// In another workspace other paths may be sensitive.
    workspace: PathBuf,
    folders: HashMap<PathBuf, Folder>,
    /// What was sensitive in them, as it was.
    marks: Vec<Option<Mark>>,
    /// Other names of that in them.
    others: Vec<PathBuf>,
}

/// Which file or folder is sensitive, how many names it has, and when the folder last changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    path: PathBuf,
    which: (u64, u64),
    names: u64,
    folder: Option<Stamp>,
}

impl Mark {
    /// None if that can't be told, or may change under the same mark.
    fn of(path: &Path) -> Option<Self> {
        let about = fs::symlink_metadata(path).ok()?;
        let folder = if about.is_dir() { Some(Stamp::settled(&about)?) } else { None };
        Some(Self { path: path.to_path_buf(), which: which(&about), names: about.nlink(), folder })
    }
}

impl Survey {
    /// Sensitive paths, after links: all below `workspace` and below each of `named`, and those right in each of
    /// `shallow`; all are given without links in them. Names of the same files that look harmless are among them.
    pub fn find(
        &self,
        workspace: &Path,
        named: &BTreeSet<PathBuf>,
        shallow: &BTreeSet<PathBuf>,
        judge: Judge<'_>,
    ) -> Found {
        self.find_within(PATIENCE, workspace, (named, shallow), judge)
    }

    fn find_within(
        &self,
        patience: Duration,
        workspace: &Path,
        (named, shallow): (&BTreeSet<PathBuf>, &BTreeSet<PathBuf>),
        judge: Judge<'_>,
    ) -> Found {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.workspace != workspace {
            *last = Searched { workspace: workspace.to_path_buf(), ..Searched::default() };
        }
        let Searched { folders: known, marks, others, .. } = &mut *last;
        let mut before = std::mem::take(known);
        let (mut found, mut changed) = (Found::default(), false);
        let within = shallow.iter().map(|folder| (folder.clone(), false));
        let within = within.chain(std::iter::once((workspace.to_path_buf(), true))).collect();
        let elsewhere = named.iter().map(|root| (root.clone(), true)).collect();
        // The workspace, what is named, and what either has of other people's code: of what is named within its time.
        let mut stages: [VecDeque<(PathBuf, bool)>; 4] = [within, elsewhere, VecDeque::new(), VecDeque::new()];
        let (mut stage, mut until) = (0, None);
        loop {
            let Some((path, deeper)) = stages[stage].pop_front() else {
                stage += 1;
                until = match stage {
                    1 => Some(Instant::now() + patience),
                    2 => until,
                    3 => None,
                    _ => break,
                };
                continue;
            };
            // One root may lie in another. What was only looked at itself is gone into now.
            if known.contains_key(&path) && !shallow.contains(&path) {
                continue;
            }
            if known.len() >= FOLDERS {
                found.missed = Some(TooMuch::Folders);
                break;
            }
            if until.is_some_and(|until| Instant::now() > until) {
                found.missed = Some(TooMuch::Time);
                stages[1].clear();
                stages[2].clear();
                continue;
            }
            let remembered = before.remove(&path).or_else(|| known.remove(&path));
            let Some((folder, anew)) = look(&path, remembered, workspace, judge) else { continue };
            changed |= anew;
            found.repositories.extend(folder.repositories.iter().cloned());
            let hidden = folder.hidden.iter().filter_map(|(path, link)| place(path, *link));
            for place in hidden.chain(folder.linked.iter().filter_map(|path| place(path, false))) {
                if found.paths.len() == HIDDEN {
                    found.missed = Some(TooMuch::Files);
                    break;
                }
                found.paths.insert(place);
            }
            for path in folder.folders.iter().filter(|_| deeper) {
                let last = path.file_name().is_some_and(|name| LAST.iter().any(|last| name == *last));
                let to = match (stage, last) {
                    (0, true) => 3,
                    (1, true) => 2,
                    _ => stage,
                };
                stages[to].push_back((path.clone(), true));
            }
            // Whoever follows a link reads there, too.
            let elsewhere = folder.elsewhere.iter().filter(|_| deeper).cloned();
            stages[stage.max(1)].extend(elsewhere.map(|path| (path, true)));
            known.insert(path, folder);
        }
        let now: Vec<Option<Mark>> = found.paths.iter().map(|path| Mark::of(path)).collect();
        // A file gets another name by a change of the folder that has it.
        if changed || !before.is_empty() || now.iter().any(Option::is_none) || *marks != now {
            let linked = Linked::of(&found.paths);
            *others = if linked.0.is_empty() { Vec::new() } else { linked.names(known).collect() };
            *marks = now;
        }
        found.paths.extend(others.iter().cloned());
        found
    }
}

/// Files of several names, by what they are on their disks.
#[derive(Debug, Default)]
pub struct Linked(HashSet<(u64, u64)>);

impl Linked {
    /// Those at some places, and those right in the folders among them: not all where there are many.
    pub fn of<'a>(places: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        let mut linked = Self::default();
        for place in places {
            linked.add(place);
        }
        linked
    }

    fn add(&mut self, place: &Path) {
        self.0.extend(files(place).filter(other_names).map(|about| which(&about)));
    }

    /// Whether a file is among them, whatever its name.
    pub fn holds(&self, about: &Metadata) -> bool {
        self.0.contains(&which(about))
    }

    /// All names of them in the folders that were looked through.
    fn names<'a>(&'a self, known: &'a HashMap<PathBuf, Folder>) -> impl Iterator<Item = PathBuf> + use<'a> {
        let numbers: HashSet<u64> = self.0.iter().map(|(_, number)| *number).collect();
        let holds = move |folder: &(&PathBuf, &Folder)| folder.1.files.iter().any(|number| numbers.contains(number));
        let entries = known.iter().filter(holds).filter_map(|(path, _)| fs::read_dir(path).ok()).flatten().flatten();
        let is = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|about| self.holds(&about));
        entries.map(|entry| entry.path()).filter(is)
    }
}

/// A file, or the files right in a folder: not all of them where there are many.
fn files(path: &Path) -> impl Iterator<Item = Metadata> {
    let about = fs::symlink_metadata(path).ok();
    let within = about.as_ref().filter(|about| about.is_dir()).and_then(|_| fs::read_dir(path).ok());
    let entries = within.into_iter().flatten().flatten().take(WITHIN).filter_map(|entry| entry.metadata().ok());
    about.into_iter().chain(entries)
}

/// Which file it is, whatever its name.
fn which(about: &Metadata) -> (u64, u64) {
    (about.dev(), about.ino())
}

/// Whether a file has other names than the one by which it was found.
pub fn other_names(about: &Metadata) -> bool {
    about.is_file() && about.nlink() > 1
}

/// Where a sensitive file really is. None if this person couldn't read it anyway.
fn place(path: &Path, link: bool) -> Option<PathBuf> {
    use nix::unistd::{AccessFlags, access};
    let open = |flags| access(path, flags).is_ok();
    let readable = open(AccessFlags::R_OK) || open(AccessFlags::X_OK);
    if !readable {
        None
    } else if link {
        path.canonicalize().ok()
    } else {
        Some(path.to_path_buf())
    }
}

/// What a link names, by its letters; none where that can't be told by them.
fn first_step(link: &Path) -> Option<PathBuf> {
    let to = fs::read_link(link).ok()?;
    let mut step = link.parent()?.to_path_buf();
    let mut below = false;
    for part in to.components() {
        match part {
            Component::RootDir => step = PathBuf::from("/"),
            // Behind a name it goes up from wherever that leads.
            Component::ParentDir if below => return None,
            Component::ParentDir => drop(step.pop()),
            Component::Normal(name) => {
                below = true;
                step.push(name);
            }
            Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Some(step)
}

/// Whether a path lies in the system's folders, which hold programs and their data, and too much of it to look through.
pub fn system(path: &Path) -> bool {
    const SYSTEM: [&str; 12] =
        ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/proc", "/sys", "/dev", "/boot", "/nix"];
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// A folder as it is, and whether it has changed: as it was the last time, if it has not. None if there is none, or not
/// for us.
fn look(path: &Path, known: Option<Folder>, workspace: &Path, judge: Judge<'_>) -> Option<(Folder, bool)> {
    let about = fs::symlink_metadata(path).ok().filter(Metadata::is_dir)?;
    let known = known.filter(|known| known.stamp == Some(Stamp::of(&about)));
    if let Some(known) = known {
        return Some((known.follow(workspace, judge), false));
    }
    let mut folder = Folder { stamp: Stamp::settled(&about), ..Folder::default() };
    let mut of_git = 0;
    for entry in fs::read_dir(path).ok()?.flatten() {
        let (path, kind) = (entry.path(), entry.file_type().ok()?);
        let sort = if kind.is_dir() { Sort::Folder } else { Sort::File };
        if kind.is_file() {
            folder.files.push(entry.ino());
        }
        // Names in git's own folder are those of branches and objects.
        let name = entry.file_name();
        if kind.is_dir() && name == ".git" {
            folder.repositories.push(path);
            continue;
        }
        of_git += usize::from(["HEAD", "objects", "refs"].iter().any(|own| name == *own));
        // What is read from a pipe is gone for the program that it was meant for.
        if kind.is_fifo() || judge(&path, sort) {
            folder.hidden.push((path, kind.is_symlink()));
        } else if kind.is_dir() {
            folder.folders.push(path);
        } else if kind.is_symlink() {
            let within = |to: &Path| to.starts_with(workspace) || system(&path) && system(to);
            if !first_step(&path).is_some_and(|to| within(&to)) {
                folder.links.push(path);
            }
        }
    }
    // One without a working tree.
    if of_git == 3 {
        folder.repositories.push(path.to_path_buf());
    }
    Some((folder.follow(workspace, judge), true))
}

#[cfg(test)]
#[path = "survey_tests.rs"]
mod tests;
