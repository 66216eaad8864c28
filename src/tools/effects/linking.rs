//! What `ln` would make, and what it would put links in the place of.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::files::{all, missing, spoken};
use super::landing::target;
use super::tally::Tally;
use super::{Effects, named};
use crate::assess::{Clash, Goal, Linking, Word};
use crate::domain::Remedy;
use crate::domain::number::count;

/// Tells which links are new, and what they replace.
pub(super) fn link(
    effects: &mut Effects,
    folder: &Path,
    (words, goal): (&[Word], &Goal),
    how: Linking,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let bare = goal.to.text().map(|to| folder.join(to.trim_end_matches('/')));
    let exact = goal.exact || how.replaces_links && bare.is_some_and(|path| path.is_symlink());
    let target = match target(&Goal { exact, ..goal.clone() }, folder, &effects.made, cancel)? {
        Ok(target) => target,
        Err(why) => {
            effects.warning(format!("As things are now, it would fail: {why}."));
            return Ok(());
        }
    };
    let (mut new, mut stands, mut absent) = (Vec::new(), Vec::new(), Vec::new());
    let mut replaced = Tally::default();
    for meant in all(words, folder, cancel)? {
        let Some(name) = meant.name.as_ref() else { return Err("what a link to `.` or `..` is called".to_owned()) };
        let end = if target.into { target.path.join(name) } else { target.path.clone() };
        let source = meant.path.symlink_metadata().ok();
        if !how.symbolic && source.is_none() {
            absent.push(meant.path);
            continue;
        }
        let there = end.symlink_metadata().ok();
        let same =
            source.zip(there.as_ref()).is_some_and(|(one, other)| (one.dev(), one.ino()) == (other.dev(), other.ino()));
        match there {
            Some(there) if there.is_dir() || goal.clash == Clash::Kept || same => stands.push(end),
            Some(there) if there.is_symlink() => {
                if let Ok(leads) = end.read_link() {
                    let (name, leads) = (named([&end].into_iter()), leads.display().to_string());
                    effects.warning(format!("Replaces {name}, a link to {leads}."));
                    effects.remedies.push(Remedy::ByHand(format!("making the link to {leads} again undoes it.")));
                }
                new.push(end);
            }
            Some(_) => {
                replaced.add(&end, false, cancel);
                new.push(end);
            }
            None => {
                effects.remedies.push(Remedy::ByHand("deleting the link undoes it.".to_owned()));
                new.push(end);
            }
        }
    }
    missing(effects, &absent);
    if !stands.is_empty() {
        let are = if stands.len() == 1 { "is" } else { "are" };
        effects.warning(format!("As things are now, it would fail: {} {are} there.", named(stands.iter())));
    }
    if !new.is_empty() {
        let place = if target.into { "in" } else { "at" };
        effects.effect(format!("Makes {} {place} {}: {}.", count(new.len(), "link"), spoken(&goal.to), names(&new)));
        effects.briefs.push(count(new.len(), "new link"));
    }
    if !replaced.is_empty() {
        let names = replaced.files.iter().map(|found| &found.path).collect::<Vec<_>>();
        effects.warning(format!("Replaces {}: {}.", replaced.told(), named(names.into_iter())));
        effects.briefs.push(format!("replaces {}", replaced.brief()));
        effects.take(replaced);
    }
    Ok(())
}

fn names(paths: &[PathBuf]) -> String {
    named(paths.iter())
}
