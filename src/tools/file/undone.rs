//! What taking changes of files back would do: a diff for each file of text, and what stands in the way.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use super::preview::{Present, compare, present};
use super::restore::{Place, still};
use crate::domain::number::count;
use crate::domain::{Change, Detail, Image, PathKind, Preview, Remedy, Text, UndoOperation};
use crate::store::Images;

/// Most diffs that are shown.
const DIFFS: usize = 20;
/// Longest text that is compared, in bytes, on either side.
const COMPARED: u64 = 1024 * 1024;

/// Measures it, reading only.
pub(in crate::tools) fn foresee(undo: &UndoOperation, images: &Images) -> Preview {
    let paths = count(undo.changes.len(), "change");
    let effects = vec![format!("Takes back {paths} of {}.", undo.numbers())];
    let remedy = Remedy::Possible("the program keeps what it replaces.".to_owned());
    let mut preview = Preview { brief: paths, effects, remedy, ..Preview::default() };
    let mut touched: BTreeSet<&Path> = BTreeSet::new();
    let mut left = 0;
    for change in &undo.changes {
        // What a later change touched stands as it should only once that one is taken back.
        let known = !change.paths().flat_map(|path| path.ancestors()).any(|path| touched.contains(path));
        touched.extend(change.paths().map(std::path::PathBuf::as_path));
        if !known {
            left += 1;
            continue;
        }
        if let Err(error) = still(change, false) {
            preview.warnings.push(format!("It would fail: {error}."));
            // Nothing is replaced then, and so nothing kept.
            preview.remedy = Remedy::Unknown;
        }
        let Some((path, diff)) = diff(change, images) else { continue };
        if preview.details.len() < DIFFS * 2 {
            // The text of the operation says which, where it is the only one.
            if undo.changes.len() > 1 {
                preview.details.push(Detail::Text(Text { language: "text", body: change.taken_back() }));
            }
            let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
            preview.details.push(Detail::Diff { text: diff, language: suffix.to_owned() });
        } else {
            left += 1;
        }
    }
    if left > 0 {
        preview.effects.push(format!("The diffs of {} are not shown.", count(left, "more change")));
    }
    preview
}

/// The diff from what stands at a path to what stood there, where both are text.
fn diff<'a>(change: &'a Change, images: &Images) -> Option<(&'a Path, String)> {
    let Change::Replaced { path, before, after: Image::File { size: now, .. } } = change else { return None };
    let Image::File { digest, size, .. } = before else { return None };
    if *size > COMPARED || *now > COMPARED {
        return None;
    }
    let mut former = String::new();
    images.open(digest).ok()?.take(COMPARED).read_to_string(&mut former).ok()?;
    let mut place = Place::at(path);
    place.fact.kind = PathKind::File;
    match present(&place.judged()).ok()? {
        Present::Text(text) if text != former => Some((path, compare(&text, &former).diff)),
        Present::Text(_) | Present::Nothing | Present::Opaque(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::OperationId;

    #[test]
    fn the_diff_leads_back_and_what_changed_since_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let images = Images::new(&root.join("images"), "s");
        let path = root.join("a.txt");
        let kept = |text: &str| Image::File {
            digest: images.keep(&mut text.as_bytes()).unwrap().unwrap(),
            size: text.len() as u64,
            mode: 0o644,
        };
        std::fs::write(&path, "one\ntwo\n").unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        let change = Change::Replaced { path: path.clone(), before: kept("one\n"), after: kept("one\ntwo\n") };
        let undo = UndoOperation { operations: vec![OperationId(1)], changes: vec![change] };
        let preview = foresee(&undo, &images);
        assert_eq!(preview.warnings, [""; 0]);
        assert!(matches!(preview.remedy, Remedy::Possible(_)));
        let Detail::Diff { text, .. } = &preview.details[0] else { panic!("{:?}", preview.details) };
        assert_eq!(text, "@@ -1,2 +1 @@\n one\n-two");
        std::fs::write(&path, "mine\n").unwrap();
        let preview = foresee(&undo, &images);
        assert!(preview.warnings[0].starts_with("It would fail: "), "{preview:?}");
        assert_eq!(preview.remedy, Remedy::Unknown, "what fails leaves nothing to undo");
    }
}
