//! Where parts of one command act on the same paths. Each part is measured by what is there now; what it meets then is
//! what the others leave, so neither its numbers nor a way back would hold.

use std::path::{Path, PathBuf};

use globset::GlobMatcher;
use tokio_util::sync::CancellationToken;

use super::bringing::Brought;
use super::called::Called;
use super::commits::MEASURED;
use super::files::{all, settled, written};
use super::landing::ends;
use super::names::{paths, pattern};
use crate::assess::{Clash, Does, Size, Word};
use crate::tools::git::Repository;

/// Subcommands of git that write files of the working tree.
const WRITES: [&str; 17] = [
    "am",
    "apply",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "clean",
    "merge",
    "mv",
    "pull",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
];

/// Subcommands of git that record files: what is staged on the way to a commit is known.
const RECORDS: [&str; 2] = ["add", "commit"];

/// What a part has to do with paths.
#[derive(Default)]
pub(super) struct Trace {
    /// What is something else, or somewhere else, once it ran.
    changes: Vec<PathBuf>,
    /// What it acts on beside those.
    meets: Vec<PathBuf>,
    /// Names that it acts on if they are there by then: in which folder, and how they begin.
    patterns: Vec<(PathBuf, GlobMatcher)>,
    /// It is only where output goes: of two such, what is there now is what would be lost.
    output: bool,
    /// Where it puts things.
    lands: Vec<PathBuf>,
    /// It only makes what isn't there.
    makes: bool,
    /// And that is folders.
    folders: bool,
    git: Option<OfGit>,
}

/// A part that is git.
struct OfGit {
    /// The folder of its repository, or where it runs.
    tree: PathBuf,
    /// What it would lose is told from what the repository has now.
    measured: bool,
    subcommand: String,
    /// The branches that it deletes, where it does nothing else.
    deletes: Vec<String>,
}

impl Trace {
    /// Of one part. What isn't known is told by its own measure.
    pub(super) fn of(does: &Does, folder: &Path, cancel: &CancellationToken) -> Self {
        let mut trace = Self::default();
        match does {
            Does::Delete { names, .. } | Does::Listed { names, .. } | Does::Resize { names, .. } => {
                trace.change(names, folder, cancel);
            }
            Does::Rewrite { names, suffix, .. } => {
                trace.change(names, folder, cancel);
                if let Some(suffix) = suffix {
                    let beside = |path: &PathBuf| {
                        let mut name = path.clone().into_os_string();
                        name.push(suffix);
                        PathBuf::from(name)
                    };
                    let beside: Vec<PathBuf> = trace.changes.iter().map(beside).collect();
                    trace.changes.extend(beside);
                }
            }
            Does::Move { names, goal } => {
                trace.change(names, folder, cancel);
                trace.lands = ends(names, goal, folder, cancel);
            }
            Does::Copy { names, goal, .. } | Does::Install { names, goal: Some(goal) } => {
                trace.meet(names, folder, cancel);
                trace.lands = ends(names, goal, folder, cancel);
            }
            Does::Link { names, goal, .. } => trace.lands = ends(names, goal, folder, cancel),
            Does::Install { names, goal: None } => trace.change(names, folder, cancel),
            Does::Rights { names, .. } => trace.meet(names, folder, cancel),
            Does::Make { names, folders, .. } => {
                trace.makes = true;
                trace.folders = *folders;
                trace.change(names, folder, cancel);
            }
            Does::Redirect { name, .. } => {
                trace.output = true;
                for path in paths(name, folder, cancel).unwrap_or_default() {
                    trace.changes.extend(written(&path).map(|(path, _)| path));
                    trace.changes.push(settled(&path));
                }
            }
            Does::Search(search) => {
                trace.changes.extend(search.starts.iter().map(|start| settled(&folder.join(start))));
                if let Some(goal) = &search.goal {
                    trace.lands =
                        paths(&goal.to, folder, cancel).unwrap_or_default().iter().map(|path| settled(path)).collect();
                }
            }
            Does::Git { subcommand, words } => {
                let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
                let tree = Repository::root(&folder).unwrap_or(folder);
                if WRITES.contains(&subcommand.as_str()) {
                    trace.changes.push(tree.clone());
                }
                let measured = MEASURED.contains(&subcommand.as_str());
                if RECORDS.contains(&subcommand.as_str()) {
                    trace.meets.push(tree.clone());
                }
                let deletes = deleted(subcommand, words).unwrap_or_default();
                trace.git = Some(OfGit { tree, measured, subcommand: subcommand.clone(), deletes });
            }
            Does::Bring(bringing) => {
                trace.meets.extend(bringing.from.iter().map(|from| settled(&folder.join(from))));
            }
            Does::Signal(_) | Does::Unmeasured(_) => {}
        }
        trace
    }

    /// The same of what a listing names.
    pub(super) fn brings(mut self, brought: &Brought) -> Self {
        self.lands.extend(brought.lands());
        self.changes.extend_from_slice(&brought.deleted);
        self
    }

    fn change(&mut self, words: &[Word], folder: &Path, cancel: &CancellationToken) {
        let met = self.meets.len();
        self.meet(words, folder, cancel);
        let changed = self.meets.split_off(met);
        self.changes.extend(changed);
    }

    fn meet(&mut self, words: &[Word], folder: &Path, cancel: &CancellationToken) {
        for meant in all(words, folder, cancel).unwrap_or_default() {
            // Links are followed by some programs and not by others.
            self.meets.extend(meant.path.canonicalize());
            self.meets.push(meant.path);
        }
        self.patterns.extend(words.iter().filter_map(|word| pattern(word, folder)));
    }

    /// A path that this part changes and a `later` one acts on, so that it finds something else than is there now. Where
    /// output goes stands behind all others, and may come before any of them.
    pub(super) fn crosses<'a>(&'a self, later: &'a Self) -> Option<&'a Path> {
        let adds = self.makes && (later.makes || later.output);
        if self.output && later.output || adds {
            return None;
        }
        if let (Some(git), Some(later)) = (&self.git, &later.git) {
            // Whatever it was, what it changed is what the later one counts: files, the index, branches or what is
            // known of another side.
            let gathers = git.subcommand == "add" && RECORDS.contains(&later.subcommand.as_str());
            // Which commits other names hold is told without those that any part takes away.
            let apart = !git.deletes.is_empty()
                && !later.deletes.is_empty()
                && !later.deletes.iter().any(|name| git.deletes.contains(name));
            return (later.measured && !gathers && !apart).then_some(&git.tree);
        }
        // Into a folder that is new things go as into one that is there, if they don't come from it.
        let into = self.folders && !later.lands.is_empty() && !self.changes.iter().any(|made| later.comes_from(made));
        if into {
            return None;
        }
        let found = self.changes.iter().chain(&self.lands).find(|changed| later.acts_on(changed));
        let output = later.changes.iter().filter(|_| later.output);
        found.or_else(|| output.into_iter().find(|changed| self.acts_on(changed))).map(PathBuf::as_path)
    }

    /// A path that this part changes so that it finds something else there when it happens again.
    pub(super) fn crosses_itself(&self, does: &Does) -> Option<&Path> {
        let otherwise = match does {
            Does::Git { .. } => true,
            // The copy that is kept is then of what the first left.
            Does::Rewrite { suffix, .. } => suffix.is_some(),
            Does::Move { goal, .. } | Does::Copy { goal, .. } => goal.clash == Clash::Renamed,
            Does::Resize { to, .. } => matches!(to, Size::More(_) | Size::Less(_)),
            Does::Delete { .. }
            | Does::Listed { .. }
            | Does::Link { .. }
            | Does::Rights { .. }
            | Does::Redirect { .. }
            | Does::Make { .. }
            | Does::Install { .. }
            | Does::Search(_)
            | Does::Bring(_)
            | Does::Signal(_)
            | Does::Unmeasured(_) => false,
        };
        if otherwise { self.crosses(self) } else { None }
    }

    /// Whether it acts on a path, on what lies in that, or on a folder that it lies in.
    fn acts_on(&self, changed: &Path) -> bool {
        self.lands.iter().any(|path| path.starts_with(changed) || changed.starts_with(path)) || self.comes_from(changed)
    }

    /// The same, but for where it only puts things.
    fn comes_from(&self, changed: &Path) -> bool {
        let near = |path: &PathBuf| path.starts_with(changed) || changed.starts_with(path);
        let named = |(folder, names): &(PathBuf, GlobMatcher)| {
            let first = changed.strip_prefix(folder).ok().and_then(|below| below.components().next());
            first.is_some_and(|first| names.is_match(Path::new(first.as_os_str())))
        };
        self.changes.iter().any(near) || self.meets.iter().any(near) || self.patterns.iter().any(named)
    }
}

/// The local branches that a git command deletes. None if it is another one.
fn deleted(subcommand: &str, words: &[Word]) -> Option<Vec<String>> {
    let called = Called::read(words, &[]).filter(|_| subcommand == "branch")?;
    let deletes = |flag: &String| ["-d", "-D", "--delete"].contains(&flag.as_str());
    let only = !called.flags.is_empty() && called.flags.iter().all(deletes);
    only.then(|| [called.operands, called.paths].concat())
}
