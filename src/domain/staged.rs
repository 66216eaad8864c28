//! What a staged run would change of what was there: kept apart in its layer until somebody decides, and then put in
//! place by an operation of its own.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::number::{count, size};
use super::operation::OperationId;
use super::undo::Image;

/// Name of the tool that puts the changes of a staged run in place. No model is offered it.
pub const APPLY: &str = "apply";

/// One change that waits in a layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedChange {
    /// Where, within the workspace.
    #[serde(with = "super::path")]
    pub path: PathBuf,
    /// What stood there when the run had ended.
    pub before: Image,
    /// What the run left there.
    pub after: Image,
}

/// What a change does to its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// Something new.
    Add,
    /// Another content, or another thing.
    Change,
    /// The same content with other permissions.
    Permit,
    /// Nothing is left.
    Delete,
}

impl StagedChange {
    /// What it does.
    #[must_use]
    pub fn deed(&self) -> Deed {
        match (&self.before, &self.after) {
            (Image::Nothing, _) => Deed::Add,
            (_, Image::Nothing) => Deed::Delete,
            (Image::File { digest: before, .. }, Image::File { digest: after, .. }) if before == after => Deed::Permit,
            (Image::Folder { .. }, Image::Folder { .. }) => Deed::Permit,
            _ => Deed::Change,
        }
    }

    /// What it does, in one line; not neutralised.
    #[must_use]
    pub fn told(&self) -> String {
        let path = self.path.display();
        match (self.deed(), &self.after) {
            (Deed::Add, Image::Folder { .. }) => format!("make the folder {path}"),
            (Deed::Add | Deed::Change, Image::Link { target }) => format!("make {path} a link to {}", target.display()),
            (Deed::Add, Image::File { size: bytes, .. }) => format!("add {path} ({})", size(*bytes)),
            (Deed::Change, Image::File { size: bytes, .. }) => format!("change {path} (then {})", size(*bytes)),
            (Deed::Permit, Image::File { mode, .. } | Image::Folder { mode }) => {
                format!("set the permissions of {path} to {mode:03o}")
            }
            (Deed::Delete, _) => format!("delete {path}"),
            (Deed::Add | Deed::Change | Deed::Permit, _) => format!("change {path}"),
        }
    }
}

/// Puts the changes of a staged run in place, all of them or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplyOperation {
    /// The run.
    pub of: OperationId,
    /// The workspace it ran in.
    #[serde(with = "super::path")]
    pub workspace: PathBuf,
    /// Its changes, in the order in which they are made.
    pub changes: Vec<StagedChange>,
}

impl ApplyOperation {
    /// The paths, as they are on the disk.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.changes.iter().map(|change| self.workspace.join(&change.path))
    }

    /// `2 changed, 1 deleted`.
    #[must_use]
    pub fn brief(&self) -> String {
        brief(&self.changes)
    }
}

/// What goes from one path to another as it is: the deleted and the added of each pair.
#[must_use]
pub fn moves(changes: &[StagedChange]) -> Vec<(&StagedChange, &StagedChange)> {
    let of = |deed| changes.iter().filter(move |change| change.deed() == deed);
    let mut added: Vec<&StagedChange> = of(Deed::Add).collect();
    let pairs = of(Deed::Delete).filter_map(|gone| {
        let same = |added: &&StagedChange| match (&gone.before, &added.after) {
            (Image::File { digest, .. }, Image::File { digest: then, .. }) => digest == then,
            _ => false,
        };
        let named = |added: &&StagedChange| same(added) && added.path.file_name() == gone.path.file_name();
        let at = added.iter().position(named).or_else(|| added.iter().position(same))?;
        Some((gone, added.remove(at)))
    });
    pairs.collect()
}

/// Each change in one line, a move in one line; not neutralised.
#[must_use]
pub fn change_lines(changes: &[StagedChange]) -> Vec<String> {
    let moves = moves(changes);
    let line = |change: &StagedChange| {
        if moves.iter().any(|(gone, _)| std::ptr::eq(*gone, change)) {
            return None;
        }
        match moves.iter().find(|(_, added)| std::ptr::eq(*added, change)) {
            Some((gone, added)) => Some(format!("move {} to {}", gone.path.display(), added.path.display())),
            None => Some(change.told()),
        }
    };
    changes.iter().filter_map(line).collect()
}

/// How many changes of each sort: `1 moved, 2 changed, 1 deleted`.
#[must_use]
pub fn brief(changes: &[StagedChange]) -> String {
    let moved = moves(changes).len();
    let of = |deed| changes.iter().filter(|change| change.deed() == deed).count();
    let sorts = [
        (moved, "moved"),
        (of(Deed::Change), "changed"),
        (of(Deed::Permit), "with other permissions"),
        (of(Deed::Delete) - moved, "deleted"),
        (of(Deed::Add) - moved, "added"),
    ];
    let told = sorts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    told.collect::<Vec<_>>().join(", ")
}

/// How many changes of each sort, and the first few paths: `2 changed, 1 deleted (a, b, c)`.
#[must_use]
pub fn staged_brief(changes: &[StagedChange]) -> String {
    format!("{} ({})", brief(changes), some_of(changes.iter().map(|change| change.path.as_path())))
}

/// The first few paths, and how many more there are.
#[must_use]
pub fn some_of<'a>(paths: impl Iterator<Item = &'a Path>) -> String {
    const SHOWN: usize = 5;
    // A name can hold line breaks, behind which it would read as something else that we say.
    let mut paths = paths.map(|path| path.display().to_string().replace(char::is_control, "\u{fffd}"));
    let shown: Vec<String> = paths.by_ref().take(SHOWN).collect();
    match paths.count() {
        0 => shown.join(", "),
        more => format!("{} and {}", shown.join(", "), count(more, "more path")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(some_of(["a\nb\u{1b}[31m", "c"].map(Path::new).into_iter()), "a\u{fffd}b\u{fffd}[31m, c");
    }

    #[test]
    fn changes_are_counted_by_what_they_do() {
        let file = |digest: &str, mode| Image::File { digest: digest.to_owned(), size: 3, mode };
        let change = |path: &str, before: Image, after: Image| StagedChange { path: path.into(), before, after };
        let changes = [
            change("a", file("1", 0o644), file("2", 0o644)),
            change("b", file("1", 0o644), file("1", 0o755)),
            change("c", file("1", 0o644), Image::Nothing),
            change(".envrc", Image::Nothing, file("3", 0o644)),
            change("l", file("1", 0o644), Image::Link { target: "a".into() }),
        ];
        assert_eq!(brief(&changes), "2 changed, 1 with other permissions, 1 deleted, 1 added");
        assert_eq!(changes[1].told(), "set the permissions of b to 755");
        assert_eq!(changes[4].told(), "make l a link to a");
        let moved = [
            change("new", Image::Nothing, file("1", 0o644)),
            change("copy/a", Image::Nothing, file("1", 0o644)),
            change("a", file("1", 0o644), Image::Nothing),
            change("b", file("2", 0o644), Image::Nothing),
        ];
        assert_eq!(brief(&moved), "1 moved, 1 deleted, 1 added");
        assert_eq!(change_lines(&moved), ["add new (3 B)", "move a to copy/a", "delete b"]);
        let paths: Vec<_> = ["1", "2", "3", "4", "5", "6", "7"].iter().map(Path::new).collect();
        assert_eq!(some_of(paths.into_iter()), "1, 2, 3, 4, 5 and 2 more paths");
    }
}
