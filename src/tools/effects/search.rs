//! What a search would delete or move, by itself or by a program that is given what it finds: the same search is run
//! and only lists, where the judge says that it only reads, behind a reader's walls.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::super::Workbench;
use super::super::git::{Repository, answer, program};
use super::files::Meant;
use super::tally::Tally;
use super::{Effects, files, named};
use crate::assess::{CommandAssessor, Does, Folders, Goal, Lister, Search, Subject, Word, assess};
use crate::domain::number::count;
use crate::domain::{Class, CommandOperation, Operation, OperationKind, Prepared, Remedy};

/// Measures a search.
///
/// # Errors
/// What it finds can't be told beforehand, as what isn't known.
pub(super) async fn measure(
    effects: &mut Effects,
    (bench, prepared): (&Arc<Workbench>, &Prepared),
    folder: &Path,
    search: &Search,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let name = search.lister.name();
    let acts = if search.goal.is_some() { "moves" } else { "deletes" };
    let unknown = |why: &str| format!("what `{name}` {acts} ({why})");
    if !reads(bench, prepared, folder, (name, &search.words)) {
        return Err(unknown("no rule says that its search only reads"));
    }
    let arguments: Vec<&str> = search.words.iter().map(String::as_str).collect();
    let found = match search.lister {
        Lister::Git => {
            let repository = Repository::of(bench, folder).map_err(|why| unknown(&why))?;
            let repository = repository.ok_or_else(|| unknown("no repository is there"))?;
            repository.ask(bench, &arguments, cancel).await.map_err(|why| unknown(&why))?
        }
        Lister::Find => {
            let find = program("find", &bench.workspace).ok_or_else(|| unknown("there is no find on this machine"))?;
            let seen = (folder, Some(&prepared.facts));
            answer(bench, seen, (name, &find), &arguments, cancel).await.map_err(|why| unknown(&why))?
        }
    };
    // Git writes letters beyond ASCII otherwise where zero bytes end no names.
    let written =
        |byte: &u8| search.lister == Lister::Git && (!byte.is_ascii() || byte.is_ascii_control() && *byte != 0);
    let split = |byte: &u8| byte.is_ascii_whitespace() || b"'\"\\".contains(byte) || written(byte);
    if search.parts && found.iter().any(split) {
        return Err(unknown("names with blanks or quotes are taken apart"));
    }
    if let Some(goal) = &search.goal {
        return moved(effects, folder, &found, goal, cancel).await;
    }
    let (folder, search, cancel) = (folder.to_path_buf(), search.clone(), cancel.clone());
    let counted = tokio::task::spawn_blocking(move || counted(&folder, &found, &search, &cancel)).await;
    let (tally, spared) = counted.map_err(|_| unknown("looking failed"))?;
    if !spared.is_empty() {
        let folders = count(spared.len(), "folder");
        effects.effect(format!("It leaves {folders} that would not be empty: {}.", named(spared.iter())));
    }
    if tally.is_empty() {
        effects.effect("It finds nothing that it would delete.");
        return Ok(());
    }
    let names: Vec<&PathBuf> = tally.files.iter().map(|found| &found.path).collect();
    let names = if names.is_empty() { String::new() } else { format!(": {}", named(names.into_iter())) };
    effects.effect(format!("Deletes {} that it finds{names}.", tally.told()));
    effects.briefs.push(tally.brief());
    if tally.files.is_empty() {
        effects.remedies.push(Remedy::ByHand("the folders are empty.".to_owned()));
    }
    effects.take(tally);
    Ok(())
}

/// What is found goes somewhere, one after the other.
async fn moved(
    effects: &mut Effects,
    folder: &Path,
    found: &[u8],
    goal: &Goal,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let mut names = Vec::new();
    for name in found.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let text = std::str::from_utf8(name).map_err(|_| "what it moves (a name is no text)".to_owned())?;
        if folder.join(text).symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return Err("what it finds once a folder is moved".to_owned());
        }
        names.push(Word::exact(text));
    }
    if names.is_empty() {
        effects.effect("It finds nothing that it would move.");
        return Ok(());
    }
    let does = Does::Move { names, goal: goal.clone() };
    files::measure(effects, folder.to_path_buf(), does, cancel).await
}

/// Whether the judge says of a search, or of what else lists, that it only reads.
pub(super) fn reads(bench: &Workbench, prepared: &Prepared, folder: &Path, (name, words): (&str, &[String])) -> bool {
    let quoted = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''")));
    let command = format!("{name} {}", quoted.collect::<Vec<_>>().join(" "));
    let OperationKind::Command(own) = &prepared.operation.kind else { return false };
    let kind = OperationKind::Command(CommandOperation { command, ..own.clone() });
    let operation = Operation { kind, cwd: folder.to_path_buf(), ..prepared.operation.clone() };
    let mut facts = prepared.facts.clone();
    facts.place.cwd = folder.to_path_buf();
    let subject = Subject { operation: &operation, facts: &facts, settings: &bench.settings };
    assess(&CommandAssessor, subject).class() == Class::Whitelisted
}

/// Counts what was found, in the order in which it goes, and what stays as it isn't empty.
fn counted(folder: &Path, found: &[u8], search: &Search, cancel: &CancellationToken) -> (Tally, Vec<PathBuf>) {
    // Each as it stands before what is found, and really.
    let starts = search.starts.iter().map(|start| folder.join(start));
    let starts: Vec<(PathBuf, PathBuf)> = starts.map(|start| (start.clone(), Meant::of(&start).path)).collect();
    let (mut tally, mut spared, mut gone) = (Tally::default(), Vec::new(), HashSet::new());
    let mut roots = BTreeSet::new();
    let mut found_whole: Vec<PathBuf> = Vec::new();
    let mut seen = HashSet::new();
    // Of several lists, one name may be in each.
    for name in found.split(|byte| *byte == 0).filter(|name| !name.is_empty() && seen.insert(*name)) {
        if cancel.is_cancelled() {
            tally.more = true;
            break;
        }
        // It never deletes the folder that it stands in.
        if name == b"." {
            continue;
        }
        let path = folder.join(OsStr::from_bytes(name));
        let below =
            |(start, real): &(PathBuf, PathBuf)| Some((path.strip_prefix(start).ok()?.to_path_buf(), real.clone()));
        let Some((rest, real)) = starts.iter().find_map(below) else { continue };
        let path = if rest == Path::new("") { real.clone() } else { real.join(&rest) };
        let whole = search.folders == Folders::Whole;
        if whole {
            found_whole.push(path.clone());
        } else if path.symlink_metadata().is_ok_and(|found| found.is_dir()) && !empties(&path, &gone) {
            spared.push(path);
            continue;
        } else {
            tally.add(&path, false, cancel);
        }
        roots.insert(rest.iter().next().map_or_else(|| real.clone(), |first| real.join(first)));
        gone.insert(path);
    }
    // A folder stands before what is in it, which goes with it.
    found_whole.sort();
    let mut last: Option<PathBuf> = None;
    for path in found_whole {
        if last.as_ref().is_none_or(|last| !path.starts_with(last)) {
            tally.add(&path, true, cancel);
            last = Some(path);
        }
    }
    tally.roots = roots.into_iter().collect();
    (tally, spared)
}

/// Whether a folder is empty once these are gone.
fn empties(folder: &Path, gone: &HashSet<PathBuf>) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).all(|entry| gone.contains(&entry))
}
