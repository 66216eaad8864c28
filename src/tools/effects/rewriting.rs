//! What `truncate` and `sed -i` would do to the files that are there now.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::files::{Meant, all, missing, other_names, shown, written};
use super::tally::Tally;
use super::{Effects, named};
use crate::assess::{Size, Word};
use crate::domain::Remedy;
use crate::domain::number::size;

/// Sets the size of files.
pub(super) fn resize(
    effects: &mut Effects,
    folder: &Path,
    words: &[Word],
    (to, creates): (Size, bool),
    cancel: &CancellationToken,
) -> Result<(), String> {
    let (mut cut, mut filled, mut new, mut absent) = (Tally::default(), Tally::default(), Vec::new(), Vec::new());
    for Meant { path, .. } in all(words, folder, cancel)? {
        let Some((path, _)) = written(&path) else { return Err(format!("where {} leads", path.display())) };
        other_names(effects, &path);
        match path.metadata() {
            Ok(found) if found.is_dir() => effects.warning(format!("It leaves {}: a folder.", path.display())),
            Ok(found) => match to.of(found.len()).cmp(&found.len()) {
                Ordering::Greater => drop(filled.add(&path, false, cancel)),
                Ordering::Equal => effects.effect(format!("{} has that size already.", named([path].iter()))),
                Ordering::Less => drop(cut.add(&path, false, cancel)),
            },
            Err(_) if creates => new.push(path),
            Err(_) => absent.push(path),
        }
    }
    missing(effects, &absent);
    let sized = |tally: &Tally| match (to, tally.files.as_slice()) {
        (Size::Exactly(bytes) | Size::AtMost(bytes) | Size::AtLeast(bytes), _) => size(bytes),
        (_, [one]) => size(to.of(one.bytes)),
        (Size::More(bytes), _) => format!("{} more each", size(bytes)),
        (Size::Less(bytes), _) => format!("{} less each", size(bytes)),
        (Size::Down(bytes) | Size::Up(bytes), _) => format!("a multiple of {}", size(bytes)),
    };
    if !new.is_empty() {
        effects.effect(format!("Creates {}.", named(new.iter())));
        effects.remedies.push(Remedy::ByHand("deleting the new files undoes it.".to_owned()));
    }
    if !filled.is_empty() {
        effects.effect(format!("Fills {} up to {}: {}.", filled.told(), sized(&filled), names(&filled)));
        effects.remedies.push(Remedy::ByHand("taking the added end away undoes it.".to_owned()));
        effects.briefs.push(format!("fills {}", filled.brief()));
    }
    if !cut.is_empty() {
        effects.effect(format!("Cuts {} to {}: {}.", cut.told(), sized(&cut), names(&cut)));
        effects.briefs.push(format!("cuts {}", cut.brief()));
        effects.take(cut);
    }
    Ok(())
}

/// Puts files with other text in the place of files.
pub(super) fn rewrite(
    effects: &mut Effects,
    folder: &Path,
    words: &[Word],
    (suffix, follows): (Option<&str>, bool),
    cancel: &CancellationToken,
) -> Result<(), String> {
    let (mut tally, mut absent) = (Tally::default(), Vec::new());
    let mut copies = Tally::default();
    for Meant { path, .. } in all(words, folder, cancel)? {
        let path = if follows { path.canonicalize().unwrap_or(path) } else { path };
        match path.symlink_metadata() {
            Err(_) => absent.push(path),
            Ok(found) if found.is_symlink() && path.is_file() => {
                let name = named([path].iter());
                effects.effect(format!("{name} is a link: a file takes its place, and what it leads to stays."));
                effects.remedies.push(Remedy::ByHand("making the link again undoes it.".to_owned()));
            }
            Ok(found) if !found.is_file() => {
                effects.effect(format!("It leaves {}: no ordinary file.", named([path].iter())));
            }
            Ok(_) => {
                if let (Some(suffix), Some(name)) = (suffix, path.file_name()) {
                    let mut copy = name.to_owned();
                    copy.push(suffix);
                    copies.add(&path.with_file_name(copy), false, cancel);
                }
                tally.add(&path, false, cancel);
            }
        }
    }
    missing(effects, &absent);
    if tally.is_empty() {
        return Ok(());
    }
    effects.effect(format!("Rewrites {}: {}.", tally.told(), shown(words)));
    effects.briefs.push(format!("rewrites {}", tally.brief()));
    match suffix {
        None => effects.take(tally),
        Some(suffix) => {
            effects.effect(format!("What they hold now is kept under their names with {suffix} behind them."));
            effects.remedies.push(Remedy::ByHand("moving the copies back undoes it.".to_owned()));
        }
    }
    if !copies.is_empty() {
        effects.effect(format!("Replaces {} with the copies: {}.", copies.told(), names(&copies)));
        effects.take(copies);
    }
    Ok(())
}

fn names(tally: &Tally) -> String {
    let paths: Vec<&PathBuf> = tally.files.iter().map(|found| &found.path).collect();
    named(paths.into_iter())
}
