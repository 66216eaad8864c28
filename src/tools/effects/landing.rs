//! What `mv` and `cp` would do to the files that are there now: where each thing goes, what stands there, and whether it
//! could be done at all.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::files::{Meant, all, list, missing, other_names, settled, shown, spoken};
use super::making::within;
use super::names::paths;
use super::tally::Tally;
use super::{Effects, NAMED, named};
use crate::assess::{Clash, Goal, Word};
use crate::domain::Remedy;

/// Where things go, as it is now.
pub(super) struct Target {
    pub(super) path: PathBuf,
    /// Into a folder that is there by then; otherwise to that very name.
    pub(super) into: bool,
    /// It is written as a folder, which isn't there yet.
    folder: bool,
    /// Things go there with the folders that lie between this one and them.
    whole: Option<PathBuf>,
}

/// What goes, and what it meets.
struct Trip {
    clash: Clash,
    goes: Tally,
    /// Where something goes.
    ends: BTreeSet<PathBuf>,
    /// What is there and would be replaced.
    taken: Tally,
    kept: Vec<PathBuf>,
    renamed: Vec<PathBuf>,
    absent: Vec<PathBuf>,
    /// Folders that aren't copied.
    omitted: Vec<PathBuf>,
    /// Links at the end of the way, and the files that are written through them.
    through: Vec<(PathBuf, PathBuf)>,
    /// What can't be done, with why.
    fails: Vec<String>,
}

pub(super) fn relocate(
    effects: &mut Effects,
    folder: &Path,
    what: (&[Word], &Goal),
    cancel: &CancellationToken,
) -> Result<(), String> {
    let says = ("Moves", "moving it back");
    each(effects, folder, what, says, cancel, |trip, meant, target| trip.move_one(meant, target, cancel))
}

pub(super) fn copy(
    effects: &mut Effects,
    folder: &Path,
    what: (&[Word], &Goal),
    how: (bool, bool),
    cancel: &CancellationToken,
) -> Result<(), String> {
    let says = ("Copies", "deleting the copies");
    each(effects, folder, what, says, cancel, |trip, meant, target| trip.copy_one(meant, target, how, cancel))
}

/// Takes one after the other to where it goes, and tells of the whole.
fn each(
    effects: &mut Effects,
    folder: &Path,
    (words, goal): (&[Word], &Goal),
    (act, undo): (&str, &str),
    cancel: &CancellationToken,
    mut one: impl FnMut(&mut Trip, &Meant, &Target) -> Result<(), String>,
) -> Result<(), String> {
    let mut trip = Trip::new(goal.clash);
    let mut target = match target(goal, folder, &effects.made, cancel)? {
        Ok(target) => target,
        Err(why) => {
            trip.fail(effects, why);
            return Ok(());
        }
    };
    if goal.whole {
        target.whole = Some(straight(words, folder, cancel)?);
    }
    for meant in all(words, folder, cancel)? {
        one(&mut trip, &meant, &target)?;
    }
    trip.tell(effects, act, (words, folder), (goal, &target), undo);
    Ok(())
}

/// The folder below which all that words become lies by the very names that are written.
fn straight(words: &[Word], folder: &Path, cancel: &CancellationToken) -> Result<PathBuf, String> {
    let real = folder.canonicalize().map_err(|_| "where it runs".to_owned())?;
    for word in words {
        for path in paths(word, folder, cancel)? {
            let meant = Meant::of(&path);
            let plain = |below: &&Path| meant.name.is_some() && meant.path == real.join(below);
            let below = path.strip_prefix(folder).ok().filter(plain);
            if below.is_none_or(|below| !below.components().all(|part| matches!(part, Component::Normal(_)))) {
                return Err(format!("where {} comes to lie", word.shown()));
            }
        }
    }
    Ok(real)
}

/// Where things would come to lie, as far as that is known.
pub(super) fn ends(words: &[Word], goal: &Goal, folder: &Path, cancel: &CancellationToken) -> Vec<PathBuf> {
    let Ok(Ok(target)) = target(goal, folder, &[], cancel) else {
        return paths(&goal.to, folder, cancel).unwrap_or_default().iter().map(|path| settled(path)).collect();
    };
    if !target.into || goal.whole {
        return vec![target.path];
    }
    let names = all(words, folder, cancel).unwrap_or_default().into_iter().filter_map(|meant| meant.name);
    names.map(|name| target.path.join(name)).collect()
}

/// Where it goes, once these folders are made, or why it would fail.
pub(super) fn target(
    goal: &Goal,
    folder: &Path,
    made: &[PathBuf],
    cancel: &CancellationToken,
) -> Result<Result<Target, String>, String> {
    let (to, found) = (goal.to.shown(), paths(&goal.to, folder, cancel)?);
    let [one] = found.as_slice() else { return Err(format!("where {to} leads")) };
    if one.is_dir() && !goal.exact {
        let path = one.canonicalize().map_err(|_| format!("where {to} leads"))?;
        return Ok(Ok(Target { path, into: true, folder: true, whole: None }));
    }
    let meant = Meant::of(one);
    let bare = one.components().as_path();
    if !one.exists() && !goal.exact && within(made, &settled(bare)) {
        return Ok(Ok(Target { path: settled(bare), into: true, folder: true, whole: None }));
    }
    if goal.folder || meant.name.is_none() || meant.slash && bare.symlink_metadata().is_ok() && !goal.exact {
        return Ok(Err(format!("{to} is no folder")));
    }
    let path = settled(bare);
    if !path.parent().is_some_and(Path::is_dir) {
        return Ok(Err(format!("the folder of {to} is not there")));
    }
    Ok(Ok(Target { path, into: false, folder: meant.slash, whole: None }))
}

impl Trip {
    fn new(clash: Clash) -> Self {
        let (goes, taken) = (Tally::default(), Tally::default());
        Self {
            clash,
            goes,
            ends: BTreeSet::new(),
            taken,
            kept: Vec::new(),
            renamed: Vec::new(),
            absent: Vec::new(),
            omitted: Vec::new(),
            through: Vec::new(),
            fails: Vec::new(),
        }
    }

    /// All of it fails.
    fn fail(mut self, effects: &mut Effects, why: String) {
        self.fails.push(why);
        self.tell_failures(effects);
    }

    /// Where one thing goes. Of two that go to one name, the first stays or goes, as the program likes.
    fn end(&mut self, meant: &Meant, target: &Target) -> Result<PathBuf, String> {
        let inner = target.whole.as_ref().and_then(|whole| meant.path.strip_prefix(whole).ok());
        let end = match (&meant.name, inner) {
            (Some(_), Some(inner)) if target.into => target.path.join(inner),
            (Some(name), None) if target.into => target.path.join(name),
            _ => target.path.clone(),
        };
        if meant.name.is_some() && !self.ends.insert(end.clone()) {
            return Err(format!("what becomes of two that go to {}", end.display()));
        }
        Ok(end)
    }

    fn move_one(&mut self, meant: &Meant, target: &Target, cancel: &CancellationToken) -> Result<(), String> {
        let path = &meant.path;
        let Ok(found) = path.symlink_metadata() else {
            self.absent.push(path.clone());
            return Ok(());
        };
        let end = self.end(meant, target)?;
        let name = path.display();
        let there = end.symlink_metadata();
        let why = if meant.name.is_none() {
            Some(format!("{name} is named by a dot"))
        } else if meant.link {
            Some(format!("{name} is named by a link and a slash"))
        } else if end == *path || found.is_dir() && end.starts_with(path) {
            Some(format!("{name} would go into itself"))
        } else if target.folder && !target.into && !found.is_dir() {
            Some(format!("{} is no folder", end.display()))
        } else {
            None
        };
        if let Some(why) = why {
            self.fails.push(why);
            return Ok(());
        }
        let Ok(there) = there else {
            self.goes.add(path, true, cancel);
            return Ok(());
        };
        if self.clash == Clash::Kept {
            self.kept.push(end);
        } else if one_file(&found, &there)
            || path.canonicalize().ok().is_some_and(|real| end.canonicalize().ok() == Some(real))
        {
            return Err(format!("what `mv` does with two names of one file ({name})"));
        } else if found.is_dir() && there.is_dir() {
            if self.clash != Clash::Replaced {
                return Err(format!("what becomes of {}", end.display()));
            }
            if end.read_dir().map_or(true, |mut inside| inside.next().is_some()) {
                self.fails.push(format!("{} is there and not empty", end.display()));
            } else {
                self.goes.add(path, true, cancel);
            }
        } else if found.is_dir() || there.is_dir() {
            self.fails.push(one_is_a_folder(path, &end));
        } else if self.meets(path, &end, cancel)? {
            self.goes.add(path, true, cancel);
        }
        Ok(())
    }

    fn copy_one(
        &mut self,
        meant: &Meant,
        target: &Target,
        (recursive, links): (bool, bool),
        cancel: &CancellationToken,
    ) -> Result<(), String> {
        let path = &meant.path;
        let found = if links { path.symlink_metadata() } else { path.metadata() };
        let Ok(found) = found else {
            self.absent.push(path.clone());
            return Ok(());
        };
        let end = self.end(meant, target)?;
        let inner = end.parent().and_then(|above| above.strip_prefix(&target.path).ok()).map(Path::to_path_buf);
        if target.whole.is_some() && !way(&target.path, &inner.unwrap_or_default())? {
            self.fails.push(format!("the way to {} is no folder", end.display()));
            return Ok(());
        }
        if !found.is_dir() {
            if target.folder && !target.into {
                self.fails.push(format!("{} is no folder", end.display()));
                return Ok(());
            }
            return self.copy_file(path, found.is_symlink(), &end, cancel);
        }
        if !recursive {
            self.omitted.push(path.clone());
            return Ok(());
        }
        if end.starts_with(path) {
            return Err(format!("what copying {} into itself does", path.display()));
        }
        if !way(&end, Path::new(""))? {
            self.fails.push(one_is_a_folder(path, &end));
            return Ok(());
        }
        let mut own = Tally::default();
        own.add(path, true, cancel);
        if own.more && end.exists() {
            return Err(format!("what of {} is replaced: more would be copied than is looked at", end.display()));
        }
        self.goes.folders += own.folders;
        self.goes.more |= own.more;
        for file in own.files {
            let Ok(inner) = file.path.strip_prefix(path) else { continue };
            if way(&end, inner.parent().unwrap_or(inner))? {
                let link = file.path.symlink_metadata().is_ok_and(|found| found.is_symlink());
                self.copy_file(&file.path, link, &end.join(inner), cancel)?;
            } else {
                self.fails.push(one_is_a_folder(&file.path, &end));
            }
        }
        Ok(())
    }

    /// Copies a file, or a link as a link.
    fn copy_file(&mut self, path: &Path, link: bool, end: &Path, cancel: &CancellationToken) -> Result<(), String> {
        let Ok(there) = end.symlink_metadata() else {
            self.goes.add(path, false, cancel);
            return Ok(());
        };
        // What is there is written through a link, unless a link takes its place.
        let through = there.is_symlink() && !link;
        let real = if through { end.canonicalize() } else { Ok(end.to_path_buf()) };
        if self.clash == Clash::Kept {
            self.kept.push(end.to_path_buf());
            return Ok(());
        }
        let Ok(real) = real else {
            self.fails.push(format!("{} is a link that leads nowhere", end.display()));
            return Ok(());
        };
        let same = path.metadata().ok().zip(real.metadata().ok()).is_some_and(|(from, to)| one_file(&from, &to));
        if same {
            self.fails.push(format!("{} and {} are the same file", path.display(), end.display()));
        } else if real.is_dir() && (through || there.is_dir()) {
            self.fails.push(one_is_a_folder(path, end));
        } else if through && self.clash == Clash::Renamed {
            return Err(format!("what becomes of the link {}", end.display()));
        } else if self.meets(path, &real, cancel)? {
            if through {
                self.through.push((end.to_path_buf(), real));
            }
            self.goes.add(
                &path.canonicalize().ok().filter(|_| !link).unwrap_or_else(|| path.to_path_buf()),
                false,
                cancel,
            );
        }
        Ok(())
    }

    /// Something meets a file, or a link that would be replaced itself. False if it doesn't go then.
    fn meets(&mut self, path: &Path, end: &Path, cancel: &CancellationToken) -> Result<bool, String> {
        let replaced = match self.clash {
            Clash::Replaced => true,
            Clash::Kept => false,
            Clash::Older => newer(path, end)?,
            Clash::Renamed => {
                let mut backup = end.as_os_str().to_owned();
                backup.push("~");
                if Path::new(&backup).symlink_metadata().is_ok() {
                    return Err(format!("what becomes of {}", Path::new(&backup).display()));
                }
                self.renamed.push(end.to_path_buf());
                return Ok(true);
            }
        };
        if replaced {
            self.taken.add(end, false, cancel);
        } else {
            self.kept.push(end.to_path_buf());
        }
        Ok(replaced)
    }

    fn tell_failures(&self, effects: &mut Effects) {
        if self.fails.is_empty() {
            return;
        }
        let more = self.fails.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; {more} more") } else { String::new() };
        let first = self.fails.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
        effects.warning(format!("As things are now, it would fail: {first}{more}."));
        if self.goes.is_empty() {
            effects.briefs.push("would fail".to_owned());
        }
    }

    fn tell(
        self,
        effects: &mut Effects,
        does: &str,
        (words, folder): (&[Word], &Path),
        (goal, target): (&Goal, &Target),
        undo: &str,
    ) {
        missing(effects, &self.absent);
        self.tell_failures(effects);
        if !self.omitted.is_empty() {
            effects.effect(format!("{}: folders, which it leaves out.", named(self.omitted.iter())));
        }
        if !self.goes.is_empty() {
            let into = if target.into { "into" } else { "to" };
            effects.effect(format!("{does} {}: {} {into} {}.", self.goes.told(), shown(words), spoken(&goal.to)));
            effects.briefs.push(self.goes.brief());
            list(effects, &format!("files that it {}", does.to_lowercase()), &self.goes, (words, folder));
            // Of what is replaced, git's copy says more than that.
            let replaces = self.taken.files.len() >= self.goes.files.len() && !self.taken.files.is_empty();
            if !replaces {
                let but = match (self.kept.is_empty(), self.renamed.is_empty()) {
                    (true, true) => "",
                    // What stands where it would have gone is none of what it brings.
                    (false, true) => ", but for what is kept,",
                    (_, false) => ", and then giving what was there its name again,",
                };
                effects.remedies.push(Remedy::ByHand(format!("{undo}{but} undoes it.")));
            }
        }
        for (link, real) in self.through.iter().take(NAMED) {
            effects.effect(format!("{} is a link: what changes is {}.", named([link].into_iter()), real.display()));
        }
        if !self.kept.is_empty() {
            effects.effect(format!("What is there already is kept: {}.", named(self.kept.iter())));
        }
        if !self.renamed.is_empty() {
            effects.effect(format!("What is there already gets another name: {}.", named(self.renamed.iter())));
        }
        if !self.taken.files.is_empty() {
            for found in self.taken.files.iter().filter(|_| does == "Copies") {
                other_names(effects, &found.path);
            }
            let names = self.taken.files.iter().map(|found| &found.path).collect::<Vec<_>>();
            effects.warning(format!("Replaces {}: {}.", self.taken.told(), named(names.into_iter())));
            effects.briefs.push(format!("replaces {}", self.taken.brief()));
            effects.take(self.taken);
        }
    }
}

/// Whether the folders below `end` are there or can be made. A link among them is gone through or replaced, as the
/// program likes.
fn way(end: &Path, inner: &Path) -> Result<bool, String> {
    let mut at = end.to_path_buf();
    for part in [None].into_iter().chain(inner.iter().map(Some)) {
        at.extend(part);
        match at.symlink_metadata() {
            Err(_) => return Ok(true),
            Ok(found) if found.is_symlink() => return Err(format!("what becomes of the link {}", at.display())),
            Ok(found) if !found.is_dir() => return Ok(false),
            Ok(_) => {}
        }
    }
    Ok(true)
}

fn one_is_a_folder(one: &Path, other: &Path) -> String {
    format!("of {} and {} one is a folder, the other is not", one.display(), other.display())
}

fn one_file(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether a file was changed later than another.
fn newer(path: &Path, end: &Path) -> Result<bool, String> {
    let time = |path: &Path| match path.symlink_metadata() {
        Ok(found) if !found.is_symlink() => Ok((found.mtime(), found.mtime_nsec())),
        Ok(_) | Err(_) => Err(format!("whether {} is the newer one", path.display())),
    };
    Ok(time(path)? > time(end)?)
}
