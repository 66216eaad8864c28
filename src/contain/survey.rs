//! Finds the sensitive files that a contained command must not read, again before every start. Folders that have not
//! changed since are not read anew: only asked for the time of their last change.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fs::{self, Metadata};
use std::os::unix::fs::{DirEntryExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

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
/// A folder that changed this recently is read anew the next time: it may change again under the same time.
const SETTLED: Duration = Duration::from_millis(50);

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

/// When a folder last changed, and which one it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp(i64, i64, u64, u64);

#[derive(Clone, Debug)]
struct Folder {
    stamp: Stamp,
    /// What is sensitive in it, and whether that is a link.
    hidden: Vec<(PathBuf, bool)>,
    folders: Vec<PathBuf>,
    /// The numbers of its files on their disk: one of them may be a sensitive file under another name.
    files: Vec<u64>,
}

/// What is sensitive in a workspace and in the person's folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Where it really is, after links.
    pub paths: BTreeSet<PathBuf>,
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
            *last = Searched { workspace: workspace.to_path_buf(), folders: HashMap::new() };
        }
        let known = &mut last.folders;
        let mut before = std::mem::take(known);
        let mut found = Found::default();
        let mut linked = Linked::default();
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
            let Some(folder) = look(&path, remembered, judge) else { continue };
            for place in folder.hidden.iter().filter_map(|(path, link)| place(path, *link)) {
                if found.paths.len() == HIDDEN {
                    found.missed = Some(TooMuch::Files);
                    break;
                }
                linked.add(&place);
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
            known.insert(path, folder);
        }
        if !linked.0.is_empty() {
            found.paths.extend(linked.names(known));
        }
        found
    }
}

/// Files of several names, by what they are on their disks.
#[derive(Debug, Default)]
pub struct Linked(HashSet<(u64, u64)>);

impl Linked {
    /// Those at some places, and those right in the folders among them: not all where there are many.
    pub fn of(places: &[PathBuf]) -> Self {
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

/// A folder as it is: as it was the last time, if it has not changed. None if there is none, or not for us.
fn look(path: &Path, known: Option<Folder>, judge: Judge<'_>) -> Option<Folder> {
    let about = fs::symlink_metadata(path).ok().filter(Metadata::is_dir)?;
    let stamp = Stamp(about.mtime(), about.mtime_nsec(), about.ino(), about.dev());
    if let Some(known) = known.filter(|known| known.stamp == stamp) {
        return Some(known);
    }
    let mut folder = Folder { stamp, hidden: Vec::new(), folders: Vec::new(), files: Vec::new() };
    for entry in fs::read_dir(path).ok()?.flatten() {
        let (path, kind) = (entry.path(), entry.file_type().ok()?);
        let sort = if kind.is_dir() { Sort::Folder } else { Sort::File };
        if kind.is_file() {
            folder.files.push(entry.ino());
        }
        // Names in git's own folder are those of branches and objects.
        if kind.is_dir() && entry.file_name() == ".git" {
            continue;
        }
        // What is read from a pipe is gone for the program that it was meant for.
        if kind.is_fifo() || judge(&path, sort) {
            folder.hidden.push((path, kind.is_symlink()));
        } else if kind.is_dir() {
            folder.folders.push(path);
        }
    }
    let settled = about.modified().ok().and_then(|time| SystemTime::now().duration_since(time).ok());
    if settled.is_none_or(|since| since < SETTLED) {
        folder.stamp = Stamp(0, 0, 0, 0);
    }
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(survey: &Survey, root: &Path) -> Vec<String> {
        let judge = |path: &Path, _| path.file_name().is_some_and(|name| name.to_string_lossy().contains("secret"));
        let found = survey.find(root, &BTreeSet::new(), &BTreeSet::from([root.to_path_buf()]), &judge);
        assert_eq!(found.missed, None);
        found.paths.iter().map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect()
    }

    #[test]
    fn what_comes_and_goes_is_seen_and_links_lead_to_what_they_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let survey = Survey::default();
        std::fs::create_dir_all(root.join("a/b/.git")).unwrap();
        std::fs::write(root.join("a/b/secret"), "").unwrap();
        std::fs::write(root.join("a/b/.git/secret-branch"), "").unwrap();
        std::fs::write(root.join("plain"), "").unwrap();
        assert_eq!(found(&survey, &root), ["a/b/secret"]);
        std::os::unix::fs::symlink("plain", root.join("link-to-secret")).unwrap();
        std::fs::create_dir(root.join("a/secrets")).unwrap();
        std::fs::write(root.join("a/secrets/inside"), "").unwrap();
        assert_eq!(found(&survey, &root), ["a/b/secret", "a/secrets", "plain"]);
        std::fs::remove_file(root.join("a/b/secret")).unwrap();
        assert_eq!(found(&survey, &root), ["a/secrets", "plain"]);
    }

    #[test]
    fn the_same_file_under_a_harmless_name_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let survey = Survey::default();
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::write(root.join("secret"), "").unwrap();
        std::fs::write(root.join("a/other"), "").unwrap();
        assert_eq!(found(&survey, &root), ["secret"]);
        std::fs::hard_link(root.join("secret"), root.join("a/notes")).unwrap();
        assert_eq!(found(&survey, &root), ["a/notes", "secret"]);
        std::fs::create_dir(root.join("secrets")).unwrap();
        std::fs::write(root.join("secrets/inside"), "").unwrap();
        std::fs::hard_link(root.join("secrets/inside"), root.join("a/plain")).unwrap();
        assert_eq!(found(&survey, &root), ["a/notes", "a/plain", "secret", "secrets"]);
        std::fs::remove_file(root.join("a/plain")).unwrap();
        std::fs::remove_dir_all(root.join("secrets")).unwrap();
        std::fs::remove_file(root.join("a/notes")).unwrap();
        assert_eq!(found(&survey, &root), ["secret"]);
    }

    #[test]
    fn more_than_can_be_hidden_is_said_and_what_lies_near_is_found_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (place, names) in [("node_modules/a", HIDDEN), ("src/b/c", 1)] {
            std::fs::create_dir_all(root.join(place)).unwrap();
            (0..names).for_each(|number| std::fs::write(root.join(place).join(number.to_string()), "").unwrap());
        }
        let none = BTreeSet::new();
        let found = || Survey::default().find(&root, &none, &none, &|_, sort| sort == Sort::File);
        assert_eq!((found().missed, found().paths.len()), (Some(TooMuch::Files), HIDDEN));
        assert!(found().paths.contains(&root.join("src/b/c/0")));
        std::fs::remove_file(root.join("node_modules/a/0")).unwrap();
        assert_eq!((found().missed, found().paths.len()), (None, HIDDEN));
    }

    #[test]
    fn what_a_command_names_is_looked_through_for_a_while_and_the_workspace_whole() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for place in ["work/a/b", "work/target/b", "named/a/b"] {
            std::fs::create_dir_all(root.join(place)).unwrap();
            std::fs::write(root.join(place).join("secret"), "").unwrap();
        }
        let (named, none) = (BTreeSet::from([root.join("named")]), BTreeSet::new());
        let found = |patience| {
            let is_file = |_: &Path, sort| sort == Sort::File;
            Survey::default().find_within(patience, &root.join("work"), (&named, &none), &is_file)
        };
        let short = found(Duration::ZERO);
        let within = BTreeSet::from(["work/a/b/secret", "work/target/b/secret"].map(|path| root.join(path)));
        assert_eq!((short.missed, short.paths), (Some(TooMuch::Time), within));
        let long = found(Duration::from_mins(1));
        assert_eq!((long.missed, long.paths.len()), (None, 3));
    }

    #[test]
    fn folders_that_a_command_names_are_searched_with_the_workspace_under_one_cap_and_none_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (place, names) in [("work", HIDDEN / 2), ("named/a", HIDDEN / 2), ("named/b", 1), ("other/c", 1)] {
            std::fs::create_dir_all(root.join(place)).unwrap();
            (0..names).for_each(|number| std::fs::write(root.join(place).join(number.to_string()), "").unwrap());
        }
        let survey = Survey::default();
        let found = |named: &[&str]| {
            let named = named.iter().map(|name| root.join(name)).collect();
            survey.find(&root.join("work"), &named, &BTreeSet::new(), &|_, sort| sort == Sort::File)
        };
        let kept = || survey.last.lock().unwrap().folders.len();
        let both = found(&["named/a", "named"]);
        assert_eq!((both.missed, both.paths.len()), (Some(TooMuch::Files), HIDDEN));
        assert_eq!(kept(), 4);
        let one = found(&["other"]);
        assert_eq!((one.missed, one.paths.len(), kept()), (None, HIDDEN / 2 + 1, 3));
        assert_eq!((found(&[]).paths.len(), kept()), (HIDDEN / 2, 1));
    }
}
