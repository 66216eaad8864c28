//! Local facts about what an operation names: real paths, programs on the child's `PATH`, what a git repository's
//! own configuration would make git do. Reads only; never opens a device or a pipe; bounded in count and size.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::hash::{Hash as _, Hasher as _};
use std::io::{ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use super::{modules, repository, targets};
use crate::assess::{AssessSettings, Mentions, RiskAssessor, Subject, assess, foreign_settings, secrets_of};
use crate::domain::{
    Assessment, Catalog, Class, Facts, FolderFact, Operation, OperationKind, PathFact, PathKind, Place, Prepared,
};

/// Most names of each sort that are looked up; more is trouble.
const NAMES: usize = 500;
/// Most repositories: every folder above each is looked into.
const REPOSITORIES: usize = 40;
/// Most names in all folders together that are looked through.
const LISTED: usize = 20_000;
/// Most links to nowhere that are followed by hand.
const LINKS: usize = 16;
/// Files of the folder that make, just, npm and their like obey without being named.
const RUNNERS: [&str; 9] = [
    "GNUmakefile",
    "makefile",
    "Makefile",
    "justfile",
    "Justfile",
    "package.json",
    "Taskfile.yml",
    "pyproject.toml",
    "build.rs",
];
/// Largest file whose content is compared, in bytes; a larger one counts by size and times alone.
const CONTENT: u64 = 256 * 1024;
/// Folders of the system, whose files count by size and times too: large programs that commands name all the time.
const SYSTEM: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib64", "/usr", "/nix"];

/// Looks at what an operation names and judges it. `path` is the `PATH` that children get.
#[must_use]
pub fn prepare(
    assessor: &dyn RiskAssessor,
    operation: Operation,
    place: &Place,
    path: Option<&OsStr>,
    settings: &AssessSettings,
) -> Prepared {
    let mentions = assessor.mentions(&operation.kind, place);
    let mut look = Look::new(place, path);
    let mut facts = look.at(&mentions);
    let mut assessment = assess(assessor, Subject { operation: &operation, facts: &facts, settings });
    facts.targets = targets::targets(&operation.kind, &mentions, &facts, assessment.class(), settings);
    assessment.production = settings.production.told(&facts.targets);
    assessment.secrets = secrets_of(&operation, settings);
    if let (OperationKind::Command(command), true) = (&operation.kind, assessment.class() != Class::Whitelisted)
        && facts.trouble.is_none()
    {
        for name in watched(&command.command, &mentions, &facts) {
            let fact = look.path(&located(&name, place), true);
            facts.paths.insert(name, fact);
        }
    }
    Prepared { operation, facts, assessment }
}

/// Judges once more, with what the other side said.
#[must_use]
pub fn with_catalog(
    assessor: &dyn RiskAssessor,
    prepared: Prepared,
    catalog: Catalog,
    settings: &AssessSettings,
) -> Prepared {
    let Prepared { operation, facts, assessment: Assessment { secrets, production, .. } } = prepared;
    let facts = Facts { catalog: Some(catalog), ..facts };
    let assessment = assess(assessor, Subject { operation: &operation, facts: &facts, settings });
    Prepared { operation, facts, assessment: Assessment { secrets, production, ..assessment } }
}

/// What a command that asks would read and run: the files it names, the programs of the workspace, and what
/// usual runners read without being told. If one of them changes after it was shown, the command comes back.
/// Nothing is decided by it, so every piece of the text that names a file may count as one.
fn watched(command: &str, mentions: &Mentions, facts: &Facts) -> BTreeSet<String> {
    let programs = facts.programs.values().flatten().filter(|program| program.starts_with(&facts.place.workspace));
    let named = mentions.paths.iter().chain(&mentions.programs).cloned();
    let files = named.chain(programs.map(|program| program.to_string_lossy().into_owned()));
    let pieces = command.split(|c: char| c.is_whitespace() || "'\"`=;&|()<>{},:".contains(c));
    let pieces: BTreeSet<&str> = pieces.filter(|piece| (1..=255).contains(&piece.len())).collect();
    let said = pieces.into_iter().filter(|piece| located(piece, &facts.place).is_file());
    files.chain(RUNNERS.map(str::to_owned)).chain(said.map(str::to_owned)).take(NAMES).collect()
}

/// Looks at everything that is mentioned.
#[must_use]
pub fn gather(mentions: &Mentions, place: &Place, path: Option<&OsStr>) -> Facts {
    Look::new(place, path).at(mentions)
}

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

/// One look at what an operation names. What several paths lead through is looked at once.
struct Look<'a> {
    place: &'a Place,
    path: Option<&'a OsStr>,
    /// Folders as they are spelled, after links and `..`; none for one that isn't there.
    folders: HashMap<OsString, Option<PathBuf>>,
    /// Parts of paths, behind a folder without links.
    steps: HashMap<PathBuf, Step>,
    /// How many names may still be looked through.
    listable: usize,
}

/// What stands at one part of a path.
#[derive(Clone, Debug)]
enum Step {
    Here,
    Link(PathBuf),
    Missing,
}

impl<'a> Look<'a> {
    fn new(place: &'a Place, path: Option<&'a OsStr>) -> Self {
        Self { place, path, folders: HashMap::new(), steps: HashMap::new(), listable: LISTED }
    }

    fn at(&mut self, mentions: &Mentions) -> Facts {
        let mut facts = Facts { place: self.place.clone(), ..Facts::default() };
        let most = [
            &mentions.paths,
            &mentions.contents,
            &mentions.programs,
            &mentions.repositories,
            &mentions.folders,
            &mentions.settings,
        ];
        if most.iter().any(|names| names.len() > NAMES) {
            facts.trouble = Some(format!("it names more than {NAMES} things"));
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
            if let Some(fact) = repository::look(&located(folder, self.place)) {
                facts.repositories.insert(folder.clone(), fact);
            }
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
    fn path(&mut self, path: &Path, content: bool) -> PathFact {
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
        if !self.folders.contains_key(name) {
            let (real, there) = self.resolved(folder);
            self.folders.insert(name.to_owned(), there.then_some(real));
        }
        self.folders.get(name)?.as_ref()
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
        if let Some(step) = self.steps.get(path) {
            return step.clone();
        }
        let step = match std::fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => path.canonicalize().map_or(Step::Missing, Step::Link),
            Ok(_) => Step::Here,
            Err(_) => Step::Missing,
        };
        self.steps.insert(path.to_owned(), step.clone());
        step
    }

    /// Whether some name in a folder begins with a dash, or holds a blank at which an unquoted variable would split
    /// it; so too where that can't be told, or would take long.
    fn dashed(&mut self, folder: &Path) -> bool {
        let Ok(names) = std::fs::read_dir(folder) else { return true };
        for name in names {
            let Ok(name) = name else { return true };
            let Some(left) = self.listable.checked_sub(1) else { return true };
            self.listable = left;
            let name = name.file_name();
            let name = name.as_encoded_bytes();
            if name.first() == Some(&b'-') || name.iter().any(u8::is_ascii_whitespace) {
                return true;
            }
        }
        false
    }

    /// The file that a program's name means: on the `PATH`, or where a path in the name points.
    fn program(&mut self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            let real = located(name, self.place).canonicalize().ok()?;
            return runnable(&real).then_some(real);
        }
        let mut file = PathBuf::new();
        for folder in std::env::split_paths(self.path?) {
            file.clone_from(&self.place.cwd);
            file.push(folder);
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
}

/// Largest settings file that is read, in bytes.
const SETTINGS: u64 = 16 * 1024;

/// The settings of a file that aren't plain, if it is an ordinary file of little size.
fn settings(path: &Path) -> Option<Vec<String>> {
    let found = std::fs::metadata(path).ok().filter(|found| found.is_file() && found.len() <= SETTINGS)?;
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(found.len().min(SETTINGS)).read_to_string(&mut text).ok()?;
    foreign_settings(path.file_name()?.to_str()?, &text)
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
    let mut file = std::fs::File::open(path).ok()?.take(CONTENT);
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
#[path = "facts_tests.rs"]
mod tests;
