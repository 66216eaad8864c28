//! Puts back what operations changed, latest first, at the real paths and through no link. What changed since
//! is left as it is, and then nothing else is touched either.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use super::keeper::Keeper;
use super::real::{Sort, Spot, explain, sort};
use super::writing::{Rights, put, relocate};
use super::{Done, FileError, Judged, counted};
use crate::domain::{Change, Image, PathFact, PathKind, UndoOperation};
use crate::store::digest;

/// Takes the changes back. Every path is looked at before the first is touched.
///
/// # Errors
/// A sentence for the person: what stopped it, and how far it came.
pub(in crate::tools) fn put_back(undo: &UndoOperation, keeper: &Keeper<'_>) -> Result<(String, String), String> {
    let mut touched: BTreeSet<&Path> = BTreeSet::new();
    let mut steps = Vec::new();
    for change in &undo.changes {
        // A path that a later change touched, or that lies in one, stands as it should only once that one is taken back.
        let ours = change.paths().flat_map(|path| path.ancestors()).any(|path| touched.contains(path));
        if !ours {
            still(change, ours).map_err(|error| format!("{error}; nothing was changed"))?;
        }
        touched.extend(change.paths().map(PathBuf::as_path));
        steps.push((change, ours));
    }
    for (number, (change, ours)) in steps.into_iter().enumerate() {
        still(change, ours).and_then(|()| back(change, keeper)).map_err(|error| match number {
            0 => format!("{error}; nothing was changed"),
            _ => format!("{error}; {} before it taken back, which undo can reverse", counted(number as u64, "change")),
        })?;
    }
    let done = Done {
        summary: counted(undo.changes.len() as u64, "change") + " undone",
        text: format!("Took back {} of {}.", counted(undo.changes.len() as u64, "change"), undo.numbers()),
    };
    Ok((done.summary, done.text))
}

/// The path of a change itself: it is gone to through no link, and compared with what the change left.
pub(in crate::tools) struct Place {
    spelled: String,
    pub(super) fact: PathFact,
}

impl Place {
    /// A path without links.
    pub(in crate::tools) fn at(path: &Path) -> Self {
        let fact = PathFact { real: path.to_path_buf(), kind: PathKind::Missing, size: 0, content: None };
        Self { spelled: path.to_string_lossy().into_owned(), fact }
    }

    pub(in crate::tools) fn judged(&self) -> Judged<'_> {
        Judged { spelled: &self.spelled, fact: &self.fact }
    }
}

/// Whether everything stands as the change left it. What this undo put there itself (`ours`) has the content
/// that it had, but not the identity.
pub(super) fn still(change: &Change, ours: bool) -> Result<(), FileError> {
    match change {
        Change::Replaced { path, after, .. } => {
            let place = Place::at(path);
            let judged = place.judged();
            let same = is(&judged, after)? && (ours || permitted(&judged, after)?);
            if same { Ok(()) } else { Err(FileError::ChangedSince(judged.name())) }
        }
        Change::Moved { from, to, identity } => {
            let (from, to) = (Place::at(from), Place::at(to));
            let there = Spot::of(&to.judged(), false)?.status(&to.judged())?;
            if there.is_none_or(|found| !ours && (found.st_dev, found.st_ino) != *identity) {
                return Err(FileError::ChangedSince(to.spelled));
            }
            if is(&from.judged(), &Image::Nothing)? { Ok(()) } else { Err(FileError::Occupied(from.spelled)) }
        }
    }
}

/// Whether the permissions are those that the change left: others were set by somebody since, who meant them.
fn permitted(path: &Judged<'_>, image: &Image) -> Result<bool, FileError> {
    let (Image::File { mode, .. } | Image::Folder { mode }) = image else { return Ok(true) };
    let status = Spot::of(path, false)?.status(path)?;
    Ok(status.is_some_and(|status| status.st_mode & 0o777 == *mode))
}

pub(in crate::tools) fn is(path: &Judged<'_>, image: &Image) -> Result<bool, FileError> {
    let spot = match Spot::of(path, false) {
        Ok(spot) => spot,
        Err(FileError::Missing(_)) => return Ok(*image == Image::Nothing),
        Err(error) => return Err(error),
    };
    let status = spot.status(path)?;
    Ok(match (image, status.as_ref().map(sort)) {
        (Image::Nothing, None) | (Image::Folder { .. }, Some(Sort::Folder)) => true,
        (Image::File { digest: kept, size, .. }, Some(Sort::File)) => {
            let (mut file, status) = spot.open(path)?;
            u64::try_from(status.st_size) == Ok(*size)
                && digest(&mut file).map_err(|error| FileError::Io(path.name(), error))? == *kept
        }
        (Image::Link { target }, Some(Sort::Link)) => spot.target(path)? == *target,
        _ => false,
    })
}

/// Takes one change back.
fn back(change: &Change, keeper: &Keeper<'_>) -> Result<(), FileError> {
    match change {
        Change::Moved { from, to, .. } => {
            let (from, to) = (Place::at(from), Place::at(to));
            relocate(&to.judged(), &to.fact.real, &from.judged(), &from.fact.real, keeper).map(|_| ())
        }
        Change::Replaced { path, before, .. } => {
            let place = Place::at(path);
            let judged = place.judged();
            let spot = Spot::of(&judged, true)?;
            let status = spot.status(&judged)?;
            let now = keeper.image(&judged, &spot, status.as_ref())?;
            let remove = |flag| unlinkat(&spot.folder, spot.name.as_os_str(), flag);
            match (before, status.as_ref().map(sort)) {
                (Image::File { digest, mode, .. }, _) => {
                    let gone = |error| FileError::ImageGone(judged.name(), error);
                    let mut content = keeper.images().open(digest).map_err(gone)?;
                    put(&judged, &spot, Some(&Rights { mode: *mode, owner: None }), &mut content)?;
                }
                (Image::Nothing, Some(Sort::Folder)) => match remove(UnlinkatFlags::RemoveDir) {
                    // Somebody put something there since: that stays, and the folder with it.
                    Err(Errno::ENOTEMPTY | Errno::EEXIST) => return Ok(()),
                    removed => removed.map_err(|errno| explain(&judged, errno))?,
                },
                (Image::Nothing, _) => remove(UnlinkatFlags::NoRemoveDir).map_err(|errno| explain(&judged, errno))?,
                (Image::Folder { mode }, Some(Sort::Folder)) => spot.permit(&judged, *mode)?,
                (Image::Link { target }, there) => {
                    if there.is_some() {
                        remove(UnlinkatFlags::NoRemoveDir).map_err(|errno| explain(&judged, errno))?;
                    }
                    spot.link(&judged, target)?;
                }
                (Image::Folder { mode }, _) => {
                    mkdirat(&spot.folder, spot.name.as_os_str(), Mode::from_bits_truncate(*mode))
                        .map_err(|errno| explain(&judged, errno))?;
                    // The person's umask may have left less.
                    spot.permit(&judged, *mode)?;
                }
            }
            keeper.became(&judged, now, before.clone());
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use crate::assess::Mentions;
    use crate::domain::{Facts, FileOperation, OperationId, Place};
    use crate::store::Images;
    use crate::tools::gather;
    use tokio_util::sync::CancellationToken;

    /// A folder that is worked in, and what was kept.
    struct Desk {
        folder: tempfile::TempDir,
        images: Images,
        count: u64,
    }

    impl Desk {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let images = Images::new(&folder.path().join("images"), "s");
            Self { folder, images, count: 0 }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().canonicalize().unwrap().join(name)
        }

        fn facts(&self, names: impl Iterator<Item = String>) -> Facts {
            let root = self.path("");
            let place = Place { cwd: root.clone(), workspace: root.clone(), home: Some(root) };
            gather(&Mentions { contents: names.collect(), ..Mentions::default() }, &place, None)
        }

        fn change(&mut self, operation: &FileOperation) -> OperationId {
            self.count += 1;
            let id = OperationId(self.count);
            let destination = match operation {
                FileOperation::Move { destination, .. } => Some(destination.clone()),
                _ => None,
            };
            let facts = self.facts([operation.path().to_owned()].into_iter().chain(destination));
            let keeper = Keeper::new(&self.images, id);
            super::super::perform(operation, &facts, 1000, &keeper, &CancellationToken::new()).unwrap();
            id
        }

        fn write(&mut self, name: &str, content: &str) -> OperationId {
            self.change(&FileOperation::Write { path: name.to_owned(), content: content.to_owned() })
        }

        fn undo(&mut self, operations: &[OperationId]) -> (OperationId, Result<(String, String), String>) {
            let changes =
                operations.iter().flat_map(|id| self.images.changes(*id).into_iter().rev()).collect::<Vec<_>>();
            self.count += 1;
            let id = OperationId(self.count);
            let undo = UndoOperation { operations: operations.to_vec(), changes };
            (id, put_back(&undo, &Keeper::new(&self.images, id)))
        }

        fn read(&self, name: &str) -> Option<String> {
            fs::read_to_string(self.path(name)).ok()
        }
    }

    #[test]
    fn every_change_is_taken_back_and_made_again() {
        let mut desk = Desk::new();
        let created = desk.write("new/a.txt", "one");
        fs::write(desk.path("b.sh"), "old").unwrap();
        fs::set_permissions(desk.path("b.sh"), fs::Permissions::from_mode(0o750)).unwrap();
        let replaced = desk.write("b.sh", "new");
        let edit = FileOperation::Edit { path: "b.sh".into(), old: "new".into(), new: "newer".into(), all: false };
        let edited = desk.change(&edit);
        let deleted = desk.change(&FileOperation::Delete { path: "b.sh".into() });
        let moved = desk.change(&FileOperation::Move { path: "new/a.txt".into(), destination: "c.txt".into() });
        fs::create_dir(desk.path("empty")).unwrap();
        let emptied = desk.change(&FileOperation::Delete { path: "empty".into() });

        let (undone, done) = desk.undo(&[emptied, moved, deleted, edited, replaced, created]);
        assert_eq!(done.unwrap().0, "7 changes undone");
        assert!(!desk.path("new").exists(), "the folder that was made for it");
        assert_eq!(
            (desk.read("b.sh").as_deref(), desk.read("c.txt"), desk.read("new/a.txt")),
            (Some("old"), None, None)
        );
        assert_eq!(fs::metadata(desk.path("b.sh")).unwrap().permissions().mode() & 0o777, 0o750);
        assert!(desk.path("empty").is_dir());

        let (_, again) = desk.undo(&[undone]);
        again.unwrap();
        assert_eq!((desk.read("b.sh"), desk.read("c.txt").as_deref()), (None, Some("one")));
        assert!(!desk.path("empty").exists());
    }

    #[test]
    fn what_changed_since_is_left_and_nothing_else_is_touched() {
        let mut desk = Desk::new();
        let (one, two) = (desk.write("a", "one"), desk.write("b", "two"));
        fs::write(desk.path("a"), "the person's own").unwrap();
        let (_, refused) = desk.undo(&[two, one]);
        assert!(refused.unwrap_err().contains("changed since then, so it is left as it is; nothing was changed"));
        assert_eq!(desk.read("b").as_deref(), Some("two"));
        fs::remove_file(desk.path("b")).unwrap();
        std::os::unix::fs::symlink(desk.path("a"), desk.path("b")).unwrap();
        assert!(desk.undo(&[two]).1.is_err(), "a link stands there now");
        assert_eq!(desk.read("a").as_deref(), Some("the person's own"));
    }

    #[test]
    fn folders_that_were_made_go_again_unless_something_else_is_in_them() {
        let mut desk = Desk::new();
        let written = desk.write("new/deep/a.txt", "one");
        fs::write(desk.path("new/mine"), "the person's own").unwrap();
        let moved =
            desk.change(&FileOperation::Move { path: "new/deep/a.txt".into(), destination: "far/away/b.txt".into() });
        let (undone, done) = desk.undo(&[moved, written]);
        done.unwrap();
        assert!(!desk.path("far").exists() && !desk.path("new/deep").exists());
        assert_eq!(desk.read("new/mine").as_deref(), Some("the person's own"));
        desk.undo(&[undone]).1.unwrap();
        assert_eq!(desk.read("far/away/b.txt").as_deref(), Some("one"));
    }

    #[test]
    fn permissions_that_somebody_set_since_are_left() {
        let mut desk = Desk::new();
        let permit = |path: PathBuf, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        fs::write(desk.path("a.txt"), "one").unwrap();
        permit(desk.path("a.txt"), 0o640);
        let written = desk.write("a.txt", "two");
        permit(desk.path("a.txt"), 0o600);
        let (_, refused) = desk.undo(&[written]);
        assert!(refused.unwrap_err().contains("changed since then"));
        let now = || fs::metadata(desk.path("a.txt")).unwrap().permissions().mode() & 0o777;
        assert_eq!((desk.read("a.txt").as_deref(), now()), (Some("two"), 0o600));
        permit(desk.path("a.txt"), 0o640);
        assert!(desk.undo(&[written]).1.is_ok());
    }

    #[test]
    fn without_room_for_what_stands_there_nothing_is_changed() {
        let mut desk = Desk::new();
        desk.write("a", "one");
        fs::remove_dir_all(desk.path("images")).unwrap();
        fs::write(desk.path("images"), "in the way").unwrap();
        let facts = desk.facts(["a".to_owned()].into_iter());
        let write = FileOperation::Write { path: "a".into(), content: "two".into() };
        let keeper = Keeper::new(&desk.images, OperationId(9));
        let refused = super::super::perform(&write, &facts, 1000, &keeper, &CancellationToken::new());
        assert!(refused.err().unwrap().to_string().contains("couldn't be kept for undo"));
        assert_eq!(desk.read("a").as_deref(), Some("one"));
        assert!(!Path::new("a").exists());
    }
}
