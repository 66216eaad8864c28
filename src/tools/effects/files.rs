//! What `rm`, `mv`, `cp`, `chmod` and redirections would do to the files that are there now.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::names::paths;
use super::tally::Tally;
use super::{Effects, named};
use crate::assess::{Does, Word};
use crate::domain::Remedy;
use crate::domain::number::size;

/// Measures one thing, on a thread that may wait for a disk.
///
/// # Errors
/// It can't be told beforehand, as what isn't known.
pub(super) async fn measure(
    effects: &mut Effects,
    folder: PathBuf,
    does: Does,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let cancel = cancel.clone();
    let measured = tokio::task::spawn_blocking(move || {
        let mut effects = Effects::default();
        let told = look(&mut effects, &folder, &does, &cancel);
        (effects, told)
    });
    let (found, told) = measured.await.map_err(|_| "what it does to files (looking failed)".to_owned())?;
    effects.join(found);
    told
}

impl Effects {
    fn join(&mut self, other: Self) {
        self.briefs.extend(other.briefs);
        self.preview.effects.extend(other.preview.effects);
        self.preview.warnings.extend(other.preview.warnings);
        self.preview.details.extend(other.preview.details);
        self.gone.extend(other.gone);
        self.roots.extend(other.roots);
        self.more |= other.more;
        self.remedies.extend(other.remedies);
        self.unmeasured.extend(other.unmeasured);
    }

    /// The content of these would be gone.
    pub(super) fn take(&mut self, tally: Tally) {
        for folder in &tally.repositories {
            self.warning(format!("{} is a git repository: its history goes with it.", folder.display()));
        }
        self.more |= tally.more;
        self.gone.extend(tally.files);
        self.roots.extend(tally.roots);
    }
}

fn look(effects: &mut Effects, folder: &Path, does: &Does, cancel: &CancellationToken) -> Result<(), String> {
    match does {
        Does::Delete { names, recursive } => delete(effects, folder, names, *recursive, cancel),
        Does::Move { names, to, spares } => relocate(effects, folder, (names, to), *spares, cancel),
        Does::Copy { names, to, recursive, spares } => {
            copy(effects, folder, (names, to), (*recursive, *spares), cancel)
        }
        Does::Rights { names, recursive } => rights(effects, folder, names, *recursive, cancel),
        Does::Redirect { name, appends } => redirect(effects, folder, name, *appends, cancel),
        Does::Git { .. } | Does::Unmeasured(_) => Ok(()),
    }
}

/// The paths that words become, real up to their last part, each once.
fn all(words: &[Word], folder: &Path, cancel: &CancellationToken) -> Result<Vec<PathBuf>, String> {
    if words.is_empty() {
        return Err("what is piped to it".to_owned());
    }
    let mut all = Vec::new();
    for word in words {
        all.extend(paths(word, folder, cancel)?.iter().map(|path| settled(path)));
    }
    all.sort();
    all.dedup();
    Ok(all)
}

/// A path whose folders are real: the last part may be a link that is meant itself.
fn settled(path: &Path) -> PathBuf {
    match (path.parent().and_then(|parent| parent.canonicalize().ok()), path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        (_, None) => path.canonicalize().unwrap_or_else(|_| path.to_path_buf()),
        (None, Some(_)) => path.to_path_buf(),
    }
}

fn shown(words: &[Word]) -> String {
    let names: Vec<String> = words.iter().take(super::NAMED).map(Word::shown).collect();
    let more = words.len().saturating_sub(names.len());
    if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
}

fn missing(effects: &mut Effects, missing: &[PathBuf]) {
    if !missing.is_empty() {
        let are = if missing.len() == 1 { "is" } else { "are" };
        effects.effect(format!("{} {are} not there.", named(missing.iter())));
    }
}

fn delete(
    effects: &mut Effects,
    folder: &Path,
    words: &[Word],
    recursive: bool,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let (mut tally, mut absent, mut spared) = (Tally::default(), Vec::new(), Vec::new());
    for path in all(words, folder, cancel)? {
        if !recursive && path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            spared.push(path);
        } else if !tally.add(&path, recursive, cancel) {
            absent.push(path);
        }
    }
    if !spared.is_empty() {
        effects
            .effect(format!("{}: folders, which it deletes only if they are empty, or leaves.", named(spared.iter())));
    }
    missing(effects, &absent);
    if !tally.is_empty() {
        effects.effect(format!("Deletes {}: {}.", tally.told(), shown(words)));
        effects.briefs.push(tally.brief());
        if tally.files.is_empty() {
            effects.remedies.push(Remedy::Possible("the folders are empty.".to_owned()));
        }
        effects.take(tally);
    } else if effects.briefs.is_empty() && spared.is_empty() {
        effects.briefs.push("nothing there".to_owned());
    }
    Ok(())
}

/// Where something goes: to that name, or into that folder.
fn target(to: &Word, folder: &Path, cancel: &CancellationToken) -> Result<(PathBuf, bool), String> {
    match paths(to, folder, cancel)?.as_slice() {
        [one] => Ok((settled(one), one.is_dir())),
        _ => Err(format!("where {} leads", to.shown())),
    }
}

/// What stands where things go, and would be replaced.
fn replaced(effects: &mut Effects, taken: Tally, spares: bool) {
    if taken.files.is_empty() {
        return;
    }
    let names = named(taken.files.iter().map(|found| &found.path).collect::<Vec<_>>().into_iter());
    if spares {
        effects.effect(format!("What is there already is kept: {names}."));
        return;
    }
    effects.warning(format!("Replaces {}: {names}.", taken.told()));
    effects.briefs.push(format!("replaces {}", taken.brief()));
    effects.take(taken);
}

fn relocate(
    effects: &mut Effects,
    folder: &Path,
    (words, to): (&[Word], &Word),
    spares: bool,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let (target, into) = target(to, folder, cancel)?;
    let (mut moved, mut taken, mut absent) = (Tally::default(), Tally::default(), Vec::new());
    for path in all(words, folder, cancel)? {
        if !moved.add(&path, true, cancel) {
            absent.push(path);
            continue;
        }
        let end = landing(&target, into, &path);
        if end != path && end.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            taken.add(&end, false, cancel);
        }
    }
    missing(effects, &absent);
    if !moved.is_empty() {
        let into = if into { " into" } else { " to" };
        effects.effect(format!("Moves {}: {}{into} {}.", moved.told(), shown(words), to.shown()));
        effects.briefs.push(moved.brief());
        effects.remedies.push(Remedy::Possible("moving it back undoes it.".to_owned()));
        replaced(effects, taken, spares);
    }
    Ok(())
}

/// Where a path goes: into a folder, or to the very name.
fn landing(target: &Path, into: bool, path: &Path) -> PathBuf {
    if into { target.join(path.file_name().unwrap_or_default()) } else { target.to_path_buf() }
}

fn copy(
    effects: &mut Effects,
    folder: &Path,
    (words, to): (&[Word], &Word),
    (recursive, spares): (bool, bool),
    cancel: &CancellationToken,
) -> Result<(), String> {
    let (target, into) = target(to, folder, cancel)?;
    let (mut copied, mut taken, mut absent) = (Tally::default(), Tally::default(), Vec::new());
    for path in all(words, folder, cancel)? {
        let mut own = Tally::default();
        if !own.add(&path, recursive, cancel) {
            absent.push(path);
            continue;
        }
        let end = landing(&target, into, &path);
        for found in &own.files {
            let inner = found.path.strip_prefix(&path).ok().filter(|inner| !inner.as_os_str().is_empty());
            let end = inner.map_or_else(|| end.clone(), |inner| end.join(inner));
            if end.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
                taken.add(&end, false, cancel);
            }
        }
        copied.join(own);
    }
    missing(effects, &absent);
    if !copied.is_empty() {
        let into = if into { " into" } else { " to" };
        effects.effect(format!("Copies {}: {}{into} {}.", copied.told(), shown(words), to.shown()));
        effects.briefs.push(copied.brief());
        effects.remedies.push(Remedy::Possible("deleting the copies undoes it.".to_owned()));
        replaced(effects, taken, spares);
    }
    Ok(())
}

fn rights(
    effects: &mut Effects,
    folder: &Path,
    words: &[Word],
    recursive: bool,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let (mut tally, mut absent) = (Tally::default(), Vec::new());
    for path in all(words, folder, cancel)? {
        if !tally.add(&path, recursive, cancel) {
            absent.push(path);
        }
    }
    missing(effects, &absent);
    if !tally.is_empty() {
        effects.effect(format!("Changes the rights or owner of {}: {}.", tally.told(), shown(words)));
        effects.briefs.push(format!("rights of {}", tally.brief()));
        effects.remedies.push(Remedy::Impossible("nobody keeps the rights as they are now.".to_owned()));
    }
    Ok(())
}

fn redirect(
    effects: &mut Effects,
    folder: &Path,
    word: &Word,
    appends: bool,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let path = match paths(word, folder, cancel)?.as_slice() {
        [one] => one.canonicalize().unwrap_or_else(|_| settled(one)),
        _ => return Err(format!("where the output goes: {} is several names", word.shown())),
    };
    let name = word.shown();
    match path.metadata() {
        Err(_) => {
            effects.effect(format!("Creates {name}."));
            effects.briefs.push("new file".to_owned());
            effects.remedies.push(Remedy::Possible("deleting the new file undoes it.".to_owned()));
        }
        Ok(found) if found.is_dir() => effects.warning(format!("It would fail: {name} is a folder.")),
        Ok(found) if appends => {
            effects.effect(format!("Adds to {name}, which has {} now.", size(found.len())));
            effects.briefs.push("adds to 1 file".to_owned());
            effects.remedies.push(Remedy::Possible("taking the added end away undoes it.".to_owned()));
        }
        Ok(found) if found.len() == 0 || !found.is_file() => {
            effects.effect(format!("Writes to {name}, which is empty or no ordinary file."));
            effects.remedies.push(Remedy::Unknown);
        }
        Ok(found) => {
            effects.effect(format!("Replaces all of {name}, which has {} now.", size(found.len())));
            effects.briefs.push(format!("replaces {}", size(found.len())));
            let mut tally = Tally::default();
            tally.add(&path, false, cancel);
            effects.take(tally);
        }
    }
    Ok(())
}
