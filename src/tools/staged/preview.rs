//! What putting the changes of a staged run in place would do: a diff for each file of text, a line for everything else.

use super::super::file::{Place, Sort, Spot, compare, is, sort};
use crate::domain::number::{count, size};
use crate::domain::{
    ApplyOperation, Change, Deed, Detail, Image, Preview, Remedy, StagedChange, Table, Text, moves, some_of,
};
use crate::store::{Held, Images};

/// Most diffs that are shown.
const DIFFS: usize = 20;
/// Longest text that is compared, in bytes, on either side.
const COMPARED: u64 = 1024 * 1024;
/// Most paths that are listed.
const LISTED: usize = 500;

/// Measures it, reading only.
pub(super) fn measure(apply: &ApplyOperation, held: &Held, images: &Images) -> Preview {
    let mut preview = Preview { brief: apply.brief(), ..Preview::default() };
    let (mut added, mut removed, mut left) = (0, 0, 0);
    let mut others: Vec<&StagedChange> = Vec::new();
    let moved = moves(&apply.changes);
    let within = |change: &StagedChange| moved.iter().any(|(gone, added)| [*gone, *added].contains(&change));
    for change in &apply.changes {
        if changed_since(apply, change) {
            preview.warnings.push(format!("{} changed since the run: this would fail.", change.path.display()));
        }
        match (change.deed(), texts(apply, held, change)) {
            // The text of the operation says it whole.
            _ if within(change) => {}
            (Deed::Add | Deed::Change | Deed::Delete, Some((before, after))) => {
                let compared = compare(&before, &after);
                added += compared.added;
                removed += compared.removed;
                if preview.details.len() < DIFFS * 2 {
                    preview.details.push(Detail::Text(Text { language: "text", body: change.told() }));
                    let suffix = change.path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
                    preview.details.push(Detail::Diff { text: compared.diff, language: suffix.to_owned() });
                } else {
                    left += 1;
                }
            }
            (Deed::Add | Deed::Change | Deed::Delete | Deed::Permit, _) => others.push(change),
        }
    }
    if !others.is_empty() {
        let rows = others.iter().take(LISTED).map(|change| vec![Some(change.told())]).collect();
        let (columns, types) = (vec!["change".to_owned()], vec!["text".to_owned()]);
        let table = Table { columns, types, rows, total: others.len() as u64, ..Table::default() };
        preview.details.push(Detail::Rows { title: "what is no text".to_owned(), table });
    }
    if left > 0 {
        let body = format!("{} not shown", count(left, "more diff"));
        preview.details.push(Detail::Text(Text { language: "text", body }));
    }
    preview.effects.push(format!("Puts in place what {} changed: {}.", apply.of, apply.brief()));
    let there = images.changes(apply.of);
    let there: Vec<&std::path::Path> = there
        .iter()
        .filter_map(|change| match change {
            Change::Replaced { path, before: Image::Nothing, .. } => {
                Some(path.strip_prefix(&apply.workspace).unwrap_or(path))
            }
            _ => None,
        })
        .collect();
    if !there.is_empty() {
        let there = some_of(there.into_iter());
        preview.effects.push(format!(
            "Already added by it: {there}. That stays if this is denied; `u` on {} undoes it.",
            apply.of
        ));
    }
    if added + removed > 0 {
        preview.effects.push(format!("+{added} −{removed} lines of text."));
    }
    preview.remedy = if preview.warnings.is_empty() {
        remedy(apply, images)
    } else {
        Remedy::Impossible(format!(
            "if you approve it, it fails, and what {} left is dropped: deny it, and run that again.",
            apply.of
        ))
    };
    preview
}

/// Whether what stands there is no longer what the run changed.
fn changed_since(apply: &ApplyOperation, change: &StagedChange) -> bool {
    // What lies in a folder that comes first has nothing there yet, and what is put in the place of something that
    // goes first is compared with it.
    let first = apply.changes.iter().find(|other| change.path.starts_with(&other.path));
    first == Some(change)
        && !is(&Place::at(&apply.workspace.join(&change.path)).judged(), &change.before).unwrap_or(false)
}

/// The texts before and after, if both are.
fn texts(apply: &ApplyOperation, held: &Held, change: &StagedChange) -> Option<(String, String)> {
    let text = |image: &Image, root: &std::path::Path| match image {
        Image::Nothing => Some(String::new()),
        Image::File { size, .. } if *size <= COMPARED => read(&root.join(&change.path)),
        Image::File { .. } | Image::Folder { .. } | Image::Link { .. } => None,
    };
    let both = (text(&change.before, &apply.workspace)?, text(&change.after, &held.layer.upper())?);
    (change.before != Image::Nothing || matches!(change.after, Image::File { .. })).then_some(both)
}

/// The text of a file, if it is one.
fn read(path: &std::path::Path) -> Option<String> {
    use std::io::Read as _;
    let place = Place::at(path);
    let judged = place.judged();
    let spot = Spot::of(&judged, false).ok()?;
    if spot.status(&judged).ok()?.as_ref().map(sort) != Some(Sort::File) {
        return None;
    }
    let (file, _) = spot.open(&judged).ok()?;
    let mut bytes = Vec::new();
    file.take(COMPARED + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= COMPARED && !bytes.contains(&0)).then(|| String::from_utf8(bytes).ok())?
}

/// Whether it can be taken back.
fn remedy(apply: &ApplyOperation, images: &Images) -> Remedy {
    let lost = |change: &&StagedChange| match &change.before {
        Image::File { size, .. } => !images.would_keep(*size),
        Image::Nothing | Image::Folder { .. } | Image::Link { .. } => false,
    };
    match apply.changes.iter().find(lost) {
        Some(StagedChange { path, before: Image::File { size: bytes, .. }, .. }) => {
            let why = format!("{} ({}) is too large to be kept before it is replaced.", path.display(), size(*bytes));
            Remedy::Impossible(why)
        }
        _ => Remedy::Possible("the program keeps what it replaces.".to_owned()),
    }
}
