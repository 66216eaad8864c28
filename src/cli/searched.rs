//! Searches by another agent's tools. Ours leave sensitive files out; theirs may read whatever lies in the folder, so
//! what lies there is looked at before.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::assess::Sensitive;
use crate::domain::{Class, Danger, Finding, OperationKind, Place, Prepared};

/// How many files and folders are looked at.
const ENTRIES: usize = 2_000;

/// What speaks against a search in files that leaves nothing out.
pub(super) fn unspared(prepared: &Prepared, sensitive: &Sensitive) -> Option<Finding> {
    let OperationKind::Search(search) = &prepared.operation.kind else { return None };
    let (facts, place) = (&prepared.facts, &prepared.facts.place);
    let folder = search.path.as_ref().map_or_else(
        || place.workspace.clone(),
        |path| facts.paths.get(path).map_or_else(|| place.cwd.join(path), |fact| fact.real.clone()),
    );
    let declared =
        |sentence: String| Some(Finding::new("search.unspared", Class::Declared(Danger::Sensitive), sentence));
    if sensitive.lies_below(&folder.to_string_lossy(), place) {
        return declared(format!(
            "The agent's search leaves nothing out, and sensitive files lie in {}.",
            folder.display()
        ));
    }
    match first(&folder, sensitive, place) {
        Met::Nothing => None,
        Met::Sensitive(path) => {
            declared(format!("The agent's search leaves nothing out and may read {}.", path.display()))
        }
        Met::TooMany => {
            let sentence = format!(
                "The agent's search leaves nothing out, and {} holds more than {ENTRIES} files and folders: not all were \
                 looked at for sensitive ones.",
                folder.display()
            );
            Some(Finding::new("search.unspared", Class::Unknown, sentence))
        }
    }
}

/// What a look at a folder met.
#[derive(Debug, PartialEq, Eq)]
enum Met {
    Nothing,
    /// The first sensitive file or folder.
    Sensitive(PathBuf),
    /// There is more than is looked at.
    TooMany,
}

/// Goes through a folder, what is near first. Links aren't followed, as searches don't by themselves.
fn first(folder: &Path, sensitive: &Sensitive, place: &Place) -> Met {
    let (mut folders, mut seen) = (VecDeque::from([folder.to_path_buf()]), 0);
    while let Some(folder) = folders.pop_front() {
        // What we can't open, the agent can't either.
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > ENTRIES {
                return Met::TooMany;
            }
            let (path, is_folder) = (entry.path(), entry.file_type().is_ok_and(|kind| kind.is_dir()));
            if sensitive.means(&path.to_string_lossy(), is_folder, place) {
                return Met::Sensitive(path);
            }
            if is_folder {
                folders.push_back(path);
            }
        }
    }
    Met::Nothing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sensitive_file_is_met_and_too_many_files_are_said() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let place = Place { cwd: root.clone(), workspace: root.clone(), home: None };
        let met = |at: &Path| first(at, &Sensitive::default(), &place);
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/notes.txt"), "").unwrap();
        assert_eq!((met(&root), met(&root.join("none"))), (Met::Nothing, Met::Nothing));
        std::fs::write(root.join("a/b/.env"), "").unwrap();
        assert_eq!(met(&root), Met::Sensitive(root.join("a/b/.env")));
        let many = root.join("many");
        std::fs::create_dir(&many).unwrap();
        for number in 0..=ENTRIES {
            std::fs::write(many.join(number.to_string()), "").unwrap();
        }
        assert_eq!(met(&many), Met::TooMany);
    }
}
