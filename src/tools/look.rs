//! The looking itself: what is at a path after links and `..`, which file a program's name means. What several names
//! lead through is looked at once, and a batch of operations may share what was seen.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::hash::{Hash as _, Hasher as _};
use std::io::{ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use globset::GlobMatcher;

use super::tracked::{INDEX, Tracked};
use super::unguarded::Unguarded;
use super::{modules, objects, refs, repository, tags};
use crate::assess::{Mentions, Sensitive, foreign_settings};
use crate::domain::{Facts, FolderFact, GlobFact, PathFact, PathKind, Place, RepositoryFact, SecretFact};
use crate::private;

/// Most names of each sort that are looked up; more is trouble.
pub(super) const NAMES: usize = 500;
/// Most repositories: every folder above each is looked into.
const REPOSITORIES: usize = 40;
/// Most names in all folders together that are looked through.
const LISTED: usize = 20_000;
/// Most names below all folders of one operation together that are looked through, and most below one of them.
const ALL_BELOW: usize = 100_000;
const BELOW: usize = 50_000;
/// Most links to nowhere that are followed by hand.
const LINKS: usize = 16;
/// Largest file whose content is compared, in bytes; a larger one counts by size and times alone.
const CONTENT: u64 = 256 * 1024;
/// Folders of the system, whose files count by size and times too: large programs that commands name all the time.
const SYSTEM: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib64", "/usr", "/nix"];

/// The absolute path that a spelling means: `~` is the home folder, anything else starts from the folder.
#[must_use]
pub fn located(name: &str, place: &Place) -> PathBuf {
    match (name.strip_prefix('~'), &place.home) {
        (Some(""), Some(home)) => home.clone(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => {
            let mut path = PathBuf::with_capacity(place.cwd.as_os_str().len() + name.len() + 1);
            path.push(&place.cwd);
            path.push(name);
            path
        }
    }
}

/// What was seen so far, by absolute path.
#[derive(Debug, Default)]
pub struct Seen {
    /// Folders as they are spelled, after links and `..`; none for one that isn't there.
    folders: HashMap<OsString, Option<PathBuf>>,
    /// Parts of paths, behind a folder without links.
    steps: HashMap<PathBuf, Step>,
    /// What is at a path, its content left aside.
    paths: HashMap<PathBuf, PathFact>,
    /// Programs by name.
    programs: HashMap<String, Option<PathBuf>>,
    /// Repositories by the folder in which git would run.
    repositories: HashMap<PathBuf, Option<RepositoryFact>>,
    /// What lies below a folder, and in whose eyes: what of it is sensitive depends on where the operation happens.
    below: HashMap<(PathBuf, Place), Below>,
    /// What git's index names, by the folder of git, in the same eyes.
    pub(super) tracked: HashMap<(PathBuf, Place), Option<Arc<Tracked>>>,
    since: Option<Instant>,
    /// A `PATH`, and its folders.
    searched: Option<(OsString, Arc<[PathBuf]>)>,
    /// What steers the run, where it isn't ours.
    unguarded: Option<Unguarded>,
}

impl Seen {
    /// Forgets everything once the first of it was seen longer ago than this.
    pub fn refresh(&mut self, age: Duration) {
        if self.since.is_none_or(|since| since.elapsed() > age) {
            *self = Self { since: Some(Instant::now()), unguarded: self.unguarded.take(), ..Self::default() };
        }
    }

    /// For operations that somebody else will run: what steers them there is looked at too.
    #[must_use]
    pub fn unguarded(unguarded: Unguarded) -> Self {
        Self { unguarded: Some(unguarded), ..Self::default() }
    }
}

/// What lies below a folder.
#[derive(Clone, Debug)]
pub(super) struct Below {
    /// Whether hidden folders and build products were looked through, too.
    pub(super) all: bool,
    /// Whether a path may come apart into a sensitive one.
    pub(super) parted: GlobFact,
    /// Whether a part of a path may be a flag; none where nobody could tell.
    pub(super) dashed: Option<bool>,
    /// Whether there is a sensitive file.
    pub(super) secret: SecretFact,
}

/// One look at what an operation names.
pub(super) struct Look<'a> {
    place: &'a Place,
    path: Option<&'a OsStr>,
    pub(super) seen: &'a mut Seen,
    /// How many names may still be looked through.
    listable: usize,
    /// The same below folders.
    left_below: usize,
    /// How many bytes of git's indexes may still be read.
    pub(super) left_index: u64,
    /// Parts of patterns as they are read.
    pub(super) matchers: HashMap<OsString, Option<GlobMatcher>>,
}

/// What stands at one part of a path.
#[derive(Clone, Debug)]
enum Step {
    Here,
    Link(PathBuf),
    Missing,
}

impl<'a> Look<'a> {
    pub(super) fn new(place: &'a Place, path: Option<&'a OsStr>, seen: &'a mut Seen) -> Self {
        Self { place, path, seen, listable: LISTED, left_below: ALL_BELOW, left_index: INDEX, matchers: HashMap::new() }
    }

    pub(super) fn place(&self) -> &'a Place {
        self.place
    }

    /// Counts one more name that is looked through; false once there were too many.
    pub(super) fn may_list(&mut self) -> bool {
        let left = self.listable.checked_sub(1);
        self.listable = left.unwrap_or_default();
        left.is_some()
    }

    /// What lies below a folder, looked through once for all who ask from the same place: all of it, or what a search
    /// comes to which passes hidden folders and build products over.
    pub(super) fn below(&mut self, folder: &str, all: bool, sensitive: &Sensitive) -> Below {
        // However a folder is spelled, it is one.
        let spelled = located(folder, self.place);
        let about = (spelled.canonicalize().unwrap_or(spelled), self.place.clone());
        if let Some(known) = self.seen.below.get(&about).filter(|known| known.all || !all) {
            return known.clone();
        }
        let most = BELOW.min(self.left_below);
        let (below, left) = self.looked_below(&about.0, (&[], all), most, sensitive);
        self.left_below -= most - left;
        // What wasn't seen for what the same operation looked at before, another one may see.
        if most == BELOW || left > 0 {
            self.seen.below.insert(about, below.clone());
        }
        below
    }

    /// The same of files of some names alone.
    pub(super) fn below_named(&mut self, folder: &str, only: &[&str], all: bool, sensitive: &Sensitive) -> Below {
        let most = BELOW.min(self.left_below);
        let (below, left) = self.looked_below(&located(folder, self.place), (only, all), most, sensitive);
        self.left_below -= most - left;
        below
    }

    /// Looks at everything that is mentioned.
    pub(super) fn at(&mut self, mentions: &Mentions) -> Facts {
        let unguarded = self.seen.unguarded.is_some();
        let shell = self.seen.unguarded.as_ref().map(Unguarded::shell).unwrap_or_default();
        let mut facts = Facts { place: self.place.clone(), unguarded, shell, ..Facts::default() };
        let most = [
            &mentions.paths,
            &mentions.contents,
            &mentions.programs,
            &mentions.repositories,
            &mentions.folders,
            &mentions.globs,
            &mentions.parted,
            &mentions.refs,
            &mentions.described,
            &mentions.tracked,
            &mentions.objects,
            &mentions.below,
            &mentions.each,
            &mentions.settings,
        ];
        if most.iter().any(|names| names.len() > NAMES) || mentions.sought.len() > NAMES {
            facts.trouble = Some(format!("it names more than {NAMES} things"));
            return facts;
        }
        if let Some(why) = self.seen.unguarded.as_ref().and_then(|unguarded| unguarded.trouble(mentions)) {
            facts.trouble = Some(why);
            return facts;
        }
        if mentions.repositories.len() > REPOSITORIES {
            facts.trouble = Some(format!("it runs git in more than {REPOSITORIES} folders"));
            return facts;
        }
        for name in mentions.paths.iter().chain(&mentions.contents) {
            let fact = self.path(&located(name, self.place), mentions.contents.contains(name));
            facts.paths.insert(name.clone(), fact);
        }
        for name in &mentions.programs {
            facts.programs.insert(name.clone(), self.program(name));
        }
        for folder in &mentions.repositories {
            if let Some(fact) = self.repository(&located(folder, self.place)) {
                facts.repositories.insert(folder.clone(), fact);
            }
        }
        for folder in &mentions.refs {
            facts.refs.insert(folder.clone(), refs::plain(&located(folder, self.place)));
        }
        for folder in &mentions.described {
            facts.described.insert(folder.clone(), tags::plain(&located(folder, self.place)));
        }
        for object in &mentions.objects {
            if let Some((folder, id)) = object.rsplit_once(':') {
                facts.objects.insert(object.clone(), objects::is_file(&located(folder, self.place), id));
            }
        }
        for pattern in &mentions.parted {
            facts.parted.insert(pattern.clone(), self.parted(pattern));
        }
        for file in &mentions.settings {
            if let Some(foreign) = settings(&located(file, self.place)) {
                facts.settings.insert(file.clone(), foreign);
            }
        }
        for folder in &mentions.modules {
            facts.modules.insert(folder.clone(), modules::shadowed(&located(folder, self.place)));
        }
        for folder in &mentions.folders {
            facts.folders.insert(folder.clone(), FolderFact { dashed: self.dashed(&located(folder, self.place)) });
        }
        facts
    }

    /// What is at a path, whether or not it exists.
    pub(super) fn path(&mut self, path: &Path, content: bool) -> PathFact {
        if let Some(fact) = self.seen.paths.get(path).filter(|_| !content) {
            return fact.clone();
        }
        let fact = self.looked(path, content);
        if !content {
            self.seen.paths.insert(path.to_owned(), fact.clone());
        }
        fact
    }

    fn repository(&mut self, folder: &Path) -> Option<RepositoryFact> {
        if let Some(fact) = self.seen.repositories.get(folder) {
            return fact.clone();
        }
        let mut fact = repository::look(folder);
        if let Some(unguarded) = &self.seen.unguarded {
            unguarded.add(folder, &mut fact);
        }
        self.seen.repositories.insert(folder.to_owned(), fact.clone());
        fact
    }

    fn looked(&mut self, path: &Path, content: bool) -> PathFact {
        let (real, found) = self.entry(path).unwrap_or_else(|| {
            let real = self.real(path);
            let found = std::fs::metadata(&real);
            (real, found)
        });
        let kind = match &found {
            Ok(found) if found.is_file() => PathKind::File,
            Ok(found) if found.is_dir() => PathKind::Folder,
            Ok(_) => PathKind::Special,
            Err(error) if nowhere(error) => PathKind::Missing,
            Err(_) => PathKind::Unreadable,
        };
        // What a file holds may change without its being another one, where it only lies there.
        let (size, content) = match found {
            Ok(found) if content && kind == PathKind::File => (found.len(), self.identity(&real, &found)),
            Ok(_) | Err(_) => (0, None),
        };
        PathFact { real, kind, size, content }
    }

    /// What tells a file's content from another within one run of the program.
    fn identity(&self, real: &Path, found: &Metadata) -> Option<u64> {
        let system = SYSTEM.iter().any(|folder| real.starts_with(folder)) && !real.starts_with(&self.place.workspace);
        if system || found.len() > CONTENT { Some(times(found)) } else { hash(real) }
    }

    /// What stands at a path whose folder is real, unless that is a link: one look, where resolving the whole path
    /// takes one for each of its parts.
    fn entry(&mut self, path: &Path) -> Option<(PathBuf, std::io::Result<Metadata>)> {
        let real = self.folder(path.parent()?)?.join(path.file_name()?);
        match std::fs::symlink_metadata(&real) {
            Ok(found) if found.is_symlink() => None,
            Ok(found) => Some((real, Ok(found))),
            Err(error) if error.kind() == ErrorKind::NotFound => Some((real, Err(error))),
            Err(_) => None,
        }
    }

    /// A folder after links and `..`, if it is there.
    fn folder(&mut self, folder: &Path) -> Option<&PathBuf> {
        let name = folder.as_os_str();
        if !self.seen.folders.contains_key(name) {
            let (real, there) = self.resolved(folder);
            self.seen.folders.insert(name.to_owned(), there.then_some(real));
        }
        self.seen.folders.get(name)?.as_ref()
    }

    /// The path after links and `..`; for what doesn't exist, its nearest existing parent resolved and the rest.
    fn real(&mut self, path: &Path) -> PathBuf {
        if let Some(real) = self.folder(path) {
            return real.clone();
        }
        // A link to nowhere is where a write would go: follow it by hand, a few steps at most.
        let mut at = path.to_path_buf();
        for _ in 0..LINKS {
            match std::fs::read_link(&at) {
                Ok(target) => at = at.parent().unwrap_or(Path::new("/")).join(target),
                Err(_) => break,
            }
        }
        self.resolved(&at).0
    }

    /// Follows a path part by part: what is there resolved, from the first part that isn't on as it is written, and
    /// whether all of it is there. One look for each part that wasn't looked at before.
    fn resolved(&mut self, path: &Path) -> (PathBuf, bool) {
        let mut real = PathBuf::with_capacity(path.as_os_str().len());
        let mut there = true;
        for part in path.components() {
            match part {
                Component::Prefix(_) | Component::RootDir => real.push(part),
                Component::CurDir => {}
                Component::ParentDir => _ = real.pop(),
                Component::Normal(name) if !there => real.push(name),
                Component::Normal(name) => {
                    real.push(name);
                    match self.step(&real) {
                        Step::Here => {}
                        Step::Link(target) => real = target,
                        Step::Missing => there = false,
                    }
                }
            }
        }
        (real, there)
    }

    /// What stands at a path whose folder has neither links nor `..`.
    fn step(&mut self, path: &Path) -> Step {
        if let Some(step) = self.seen.steps.get(path) {
            return step.clone();
        }
        let step = match std::fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => path.canonicalize().map_or(Step::Missing, Step::Link),
            Ok(_) => Step::Here,
            Err(_) => Step::Missing,
        };
        self.seen.steps.insert(path.to_owned(), step.clone());
        step
    }

    /// Whether some name in a folder begins with a dash, or holds a blank at which an unquoted variable would split
    /// it; so too where that can't be told, or would take long.
    fn dashed(&mut self, folder: &Path) -> bool {
        let Ok(names) = std::fs::read_dir(folder) else { return true };
        for name in names {
            let Ok(name) = name else { return true };
            if !self.may_list() {
                return true;
            }
            let name = name.file_name();
            let name = name.as_encoded_bytes();
            if matches!(name.first(), Some(b'-' | b'+' | b'@')) || name.iter().any(u8::is_ascii_whitespace) {
                return true;
            }
        }
        false
    }

    /// The file that a program's name means: on the `PATH`, whose folders are absolute, or where a path in the name
    /// points.
    fn program(&mut self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            let real = located(name, self.place).canonicalize().ok()?;
            return runnable(&real).then_some(real);
        }
        if let Some(program) = self.seen.programs.get(name) {
            return program.clone();
        }
        let program = self.on_path(name);
        self.seen.programs.insert(name.to_owned(), program.clone());
        program
    }

    fn on_path(&mut self, name: &str) -> Option<PathBuf> {
        let mut file = PathBuf::new();
        for folder in &*self.search_folders()? {
            file.clone_from(folder);
            file.push(name);
            if runnable(&file) {
                return match self.entry(&file) {
                    Some((real, _)) => Some(real),
                    None => file.canonicalize().ok(),
                };
            }
        }
        None
    }

    /// The absolute folders of the `PATH`. Many a `PATH` names one twice.
    fn search_folders(&mut self) -> Option<Arc<[PathBuf]>> {
        let path = self.path?;
        if let Some((known, folders)) = &self.seen.searched
            && known == path
        {
            return Some(Arc::clone(folders));
        }
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let folders: Arc<[PathBuf]> = folders.into();
        self.seen.searched = Some((path.to_owned(), Arc::clone(&folders)));
        Some(folders)
    }
}

/// Largest settings file that is read, in bytes.
const SETTINGS: u64 = 16 * 1024;

/// The settings of a file that aren't plain, if it is an ordinary file of little size.
fn settings(path: &Path) -> Option<Vec<String>> {
    let text = private::read_text(path, SETTINGS).ok()?;
    foreign_settings(path.to_str()?, &text)
}

/// Whether nothing can be at a path: it doesn't exist, or lies below a file.
fn nowhere(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// When a file, or what is known of it, was last changed.
fn times(found: &Metadata) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    found.modified().ok().hash(&mut hasher);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (found.ino(), found.ctime(), found.ctime_nsec()).hash(&mut hasher);
    }
    hasher.finish()
}

/// The content of a file as a number.
fn hash(path: &Path) -> Option<u64> {
    let mut file = private::open_regular(path).ok()?.take(CONTENT);
    let mut hasher = std::hash::DefaultHasher::new();
    let mut bytes = vec![0; 16 * 1024];
    loop {
        match file.read(&mut bytes) {
            Ok(0) => return Some(hasher.finish()),
            Ok(count) => hasher.write(&bytes[..count]),
            Err(_) => return None,
        }
    }
}

#[cfg(unix)]
fn runnable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn runnable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
#[path = "look_tests.rs"]
mod tests;
