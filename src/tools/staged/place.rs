//! Puts one change of a layer in its place in the workspace, through no link, and keeps what stood there.

use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::renameat;
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use super::super::file::{FileError, Judged, Keeper, Place, Rights, Sort, Spot, explain, put, rename_to_nothing, sort};
use crate::domain::{Change, Image, StagedChange};
use crate::store::digest;

/// Puts it in place. Gives what is noted for undo; none if what stood there couldn't be kept.
pub(super) fn set(
    change: &StagedChange,
    upper: &Path,
    workspace: &Path,
    keeper: &Keeper<'_>,
) -> Result<Option<Change>, FileError> {
    let place = Place::at(&workspace.join(&change.path));
    let judged = place.judged();
    let spot = Spot::of(&judged, false)?;
    let status = spot.status(&judged)?;
    let before = keeper.image(&judged, &spot, status.as_ref())?;
    // What was kept is what was shown, or it is too large to be kept and was compared before.
    if before.as_ref().is_some_and(|before| *before != change.before) {
        return Err(FileError::ChangedSince(judged.name()));
    }
    let said = |errno| explain(&judged, errno);
    let remove = |flag| unlinkat(&spot.folder, spot.name.as_os_str(), flag).map_err(said);
    match (&change.after, status.as_ref().map(sort)) {
        (Image::File { mode, .. }, there) => {
            bring(&upper.join(&change.path), (&judged, &spot), *mode, there.is_some())?;
        }
        (Image::Nothing, Some(Sort::Folder)) => remove(UnlinkatFlags::RemoveDir)?,
        (Image::Nothing, _) => remove(UnlinkatFlags::NoRemoveDir)?,
        (Image::Folder { mode }, Some(_)) => spot.permit(&judged, *mode)?,
        (Image::Folder { mode }, None) => {
            mkdirat(&spot.folder, spot.name.as_os_str(), Mode::S_IRWXU).map_err(said)?;
            spot.permit(&judged, *mode)?;
        }
        (Image::Link { target }, there) => {
            if there.is_some() {
                remove(UnlinkatFlags::NoRemoveDir)?;
            }
            spot.link(&judged, target)?;
        }
    }
    let path = workspace.join(&change.path);
    Ok(before.map(|before| Change::Replaced { path, before, after: change.after.clone() }))
}

/// Brings a file from the layer. Where nothing is to be there, nothing is replaced.
fn bring(from: &Path, (path, to): (&Judged<'_>, &Spot), mode: u32, replace: bool) -> Result<(), FileError> {
    let source = Place::at(from);
    let source = source.judged();
    let spot = Spot::of(&source, false)?;
    let (mut file, _) = spot.open(&source)?;
    unmark(&file);
    let moved = if replace {
        renameat(&spot.folder, spot.name.as_os_str(), &to.folder, to.name.as_os_str())
    } else {
        rename_to_nothing(&spot, to)
    };
    match moved {
        Ok(()) => Ok(()),
        // The layer lies on another disk.
        Err(Errno::EXDEV) => put(path, to, Some(&Rights { mode, owner: None }), &mut file).map(|_| ()),
        Err(errno) => Err(explain(path, errno)),
    }
}

/// Takes the layer's own mark off a file.
fn unmark(file: &std::fs::File) {
    #[cfg(target_os = "linux")]
    let _none = rustix::fs::fremovexattr(file, "user.overlay.origin");
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

/// What stands at a path, its content not kept.
pub(super) fn look(path: &Path) -> Result<Image, FileError> {
    let place = Place::at(path);
    let judged = place.judged();
    let spot = match Spot::of(&judged, false) {
        Ok(spot) => spot,
        Err(FileError::Missing(_)) => return Ok(Image::Nothing),
        Err(error) => return Err(error),
    };
    let Some(status) = spot.status(&judged)? else { return Ok(Image::Nothing) };
    let mode = status.st_mode & 0o777;
    match sort(&status) {
        Sort::Folder => Ok(Image::Folder { mode }),
        Sort::Link => Ok(Image::Link { target: spot.target(&judged)? }),
        Sort::Special => Err(FileError::Special(judged.name())),
        Sort::File => {
            let (mut file, status) = spot.open(&judged)?;
            let digest = digest(&mut file).map_err(|error| FileError::Io(judged.name(), error))?;
            Ok(Image::File { digest, size: u64::try_from(status.st_size).unwrap_or_default(), mode })
        }
    }
}
