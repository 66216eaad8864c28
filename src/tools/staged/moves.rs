//! Moves: a run that moves a file adds one and deletes another. What it added waits with what it deleted, where it holds
//! the same or most of it: put in place alone it would be a copy that nobody asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::harvest::{Ground, Harvest};
use crate::domain::{Deed, Image, StagedChange};
use crate::private;

/// Longest file that is compared by its lines, in bytes.
const LONGEST: u64 = 256 * 1024;
/// Most pairs of files that are.
const PAIRS: usize = 400;

/// Lets additions wait that belong to deletions which wait.
pub(super) fn keep_together(ground: &Ground<'_>, harvest: &mut Harvest) {
    let gone: Vec<&StagedChange> = harvest.waits.iter().filter(|change| change.deed() == Deed::Delete).collect();
    if gone.is_empty() || harvest.adds.is_empty() {
        return;
    }
    let mut pairs = PAIRS;
    let mut same = |added: &StagedChange| {
        gone.iter().any(|gone| identical(gone, added)) || gone.iter().any(|gone| alike(ground, gone, added, &mut pairs))
    };
    let moved: BTreeSet<PathBuf> =
        harvest.adds.iter().filter(|added| same(added)).map(|added| added.path.clone()).collect();
    if moved.is_empty() {
        return;
    }
    // A new folder waits with what is in it, unless something else is put there.
    let stays = |path: &Path| {
        let inside =
            |other: &&StagedChange| other.path.starts_with(path) && !matches!(other.after, Image::Folder { .. });
        let mut inside = harvest.adds.iter().filter(inside).peekable();
        inside.peek().is_none() || inside.any(|other| !moved.contains(&other.path))
    };
    let waits = |added: &StagedChange| match added.after {
        Image::Folder { .. } => !stays(&added.path),
        Image::Nothing | Image::File { .. } | Image::Link { .. } => moved.contains(&added.path),
    };
    let together: Vec<bool> = harvest.adds.iter().map(waits).collect();
    let (mut adds, mut first) = (Vec::new(), Vec::new());
    for (change, waits) in std::mem::take(&mut harvest.adds).into_iter().zip(together) {
        if waits { first.push(change) } else { adds.push(change) }
    }
    harvest.adds = adds;
    // Nothing is deleted before it stands elsewhere.
    first.append(&mut harvest.waits);
    harvest.waits = first;
}

/// Whether an added file or link is what was deleted. Empty files are told apart by their names.
fn identical(gone: &StagedChange, added: &StagedChange) -> bool {
    match (&gone.before, &added.after) {
        (Image::File { digest, size, .. }, Image::File { digest: then, .. }) => {
            digest == then && (*size > 0 || gone.path.file_name() == added.path.file_name())
        }
        (Image::Link { target }, Image::Link { target: then }) => target == then,
        _ => false,
    }
}

/// Whether at least half of the lines of the larger file are in the other.
fn alike(ground: &Ground<'_>, gone: &StagedChange, added: &StagedChange, pairs: &mut usize) -> bool {
    let (Image::File { size: before, .. }, Image::File { size: after, .. }) = (&gone.before, &added.after) else {
        return false;
    };
    let (small, large) = (before.min(after), before.max(after));
    if *small == 0 || *large > LONGEST || small * 2 < *large || *pairs == 0 {
        return false;
    }
    *pairs -= 1;
    let text = |root: &Path, path: &Path| {
        let bytes = private::read(&root.join(path), LONGEST).ok()?;
        (!bytes.contains(&0)).then(|| String::from_utf8(bytes).ok())?
    };
    let both = text(ground.workspace, &gone.path).zip(text(ground.upper, &added.path));
    both.is_some_and(|(before, after)| shared(&before, &after) * 2 >= before.len().max(after.len()))
}

/// Bytes of the lines that two texts share.
fn shared(before: &str, after: &str) -> usize {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for line in before.split_inclusive('\n') {
        *lines.entry(line).or_default() += 1;
    }
    let mut shared = 0;
    for line in after.split_inclusive('\n') {
        if let Some(left) = lines.get_mut(line).filter(|left| **left > 0) {
            *left -= 1;
            shared += line.len();
        }
    }
    shared
}
