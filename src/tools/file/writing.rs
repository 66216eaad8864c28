//! Writing, editing, deleting and moving. A file's content is replaced in one step by a finished one beside
//! it, so that nobody ever sees half of it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat, renameat};
use nix::sys::stat::{FileStat, Mode, fchmod, fstat};
use nix::unistd::{Gid, Uid, UnlinkatFlags, fchown, unlinkat};

use super::keeper::Keeper;
use super::real::{Sort, Spot, explain, regular, sort};
use super::restore::Place;
use super::{Done, FileError, Judged, counted};
use crate::domain::{Image, PathKind};

/// Longest file that can be edited, in bytes.
const EDITABLE: u64 = 16 * 1024 * 1024;

/// Creates a file or replaces its whole content.
pub(super) fn write(path: &Judged<'_>, content: &str, keeper: &Keeper<'_>) -> Result<Done, FileError> {
    let spot = made(path, keeper)?;
    let status = spot.status(path)?;
    match &status {
        None => {}
        Some(_) if path.fact.kind == PathKind::Missing => return Err(FileError::Changed(path.name())),
        Some(status) => regular(path, status)?,
    }
    replace(path, &spot, status.as_ref(), content.as_bytes(), keeper)?;
    let done = if status.is_some() { "replaced" } else { "created" };
    let size = counted(content.len() as u64, "byte");
    Ok(Done { summary: format!("{done}, {size}"), text: format!("{} {done}, {size}.", path.spelled) })
}

/// The place of a path. Folders that are made for it are noted, so that they go again with it.
fn made(path: &Judged<'_>, keeper: &Keeper<'_>) -> Result<Spot, FileError> {
    let above = path.fact.real.ancestors().skip(1);
    let missing: Vec<&Path> = above.take_while(|up| up.symlink_metadata().is_err()).collect();
    let spot = Spot::of(path, true)?;
    for folder in missing.into_iter().rev() {
        if let Ok(found) = folder.symlink_metadata() {
            let mode = found.permissions().mode() & 0o777;
            keeper.became(&Place::at(folder).judged(), Some(Image::Nothing), Image::Folder { mode });
        }
    }
    Ok(spot)
}

/// Replaces one text, or every occurrence of it.
pub(super) fn edit(path: &Judged<'_>, old: &str, new: &str, all: bool, keeper: &Keeper<'_>) -> Result<Done, FileError> {
    let spot = Spot::of(path, false)?;
    let (mut file, status) = spot.open(path)?;
    let text = whole(path, &mut file, &status)?;
    let (edited, count) = edited(path, &text, old, new, all)?;
    replace(path, &spot, Some(&status), edited.as_bytes(), keeper)?;
    let summary = counted(count as u64, "replacement");
    Ok(Done { text: format!("{summary} in {}.", path.spelled), summary })
}

/// The text after the edit, and how often `old` was replaced.
pub(super) fn edited(
    path: &Judged<'_>,
    text: &str,
    old: &str,
    new: &str,
    all: bool,
) -> Result<(String, usize), FileError> {
    if old.is_empty() {
        return Err(FileError::EmptyOld);
    }
    if old == new {
        return Err(FileError::SameText);
    }
    match text.matches(old).count() {
        0 => Err(FileError::NoMatch(path.name(), hint(text, old))),
        count if count == 1 || all => Ok((text.replace(old, new), count)),
        count => Err(FileError::ManyMatches(path.name(), count)),
    }
}

/// The whole text of a file that is to be edited.
pub(super) fn whole(path: &Judged<'_>, file: &mut File, status: &FileStat) -> Result<String, FileError> {
    let size = u64::try_from(status.st_size).unwrap_or(u64::MAX);
    if size > EDITABLE {
        return Err(FileError::TooLong(path.name(), size, EDITABLE));
    }
    let mut bytes = Vec::new();
    file.take(EDITABLE + 1).read_to_end(&mut bytes).map_err(|error| FileError::Io(path.name(), error))?;
    if bytes.contains(&0) {
        return Err(FileError::Binary(path.name(), size));
    }
    String::from_utf8(bytes).map_err(|_| FileError::Binary(path.name(), size))
}

/// What may help a caller whose text wasn't found.
fn hint(text: &str, old: &str) -> &'static str {
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.contains("\r\n") && !old.contains('\r') && old.contains('\n') {
        "; its lines end in CR LF"
    } else if squeezed(text).contains(&squeezed(old)) {
        "; it does with other blanks or line ends, so read that part again"
    } else {
        "; read it again, it may have changed"
    }
}

/// Puts finished content in the place of a file, or of nothing. Keeps the permissions of what was there, and
/// what was there for undo.
fn replace(
    path: &Judged<'_>,
    spot: &Spot,
    old: Option<&FileStat>,
    content: &[u8],
    keeper: &Keeper<'_>,
) -> Result<(), FileError> {
    let before = keeper.image(path, spot, old)?;
    let kept = old.map(|old| Rights { mode: old.st_mode & 0o777, owner: Some((old.st_uid, old.st_gid)) });
    let mode = put(path, spot, kept.as_ref(), &mut &*content)?;
    keeper.replaced(path, before, content, mode);
    Ok(())
}

/// Who may use a file that is put somewhere.
pub(in crate::tools) struct Rights {
    /// Permission bits.
    pub(in crate::tools) mode: u32,
    /// User and group.
    pub(in crate::tools) owner: Option<(u32, u32)>,
}

/// Puts content in the place of whatever stands there, in one step. Gives the permission bits that it has now;
/// without `rights` they are what the person's umask leaves.
pub(in crate::tools) fn put(
    path: &Judged<'_>,
    spot: &Spot,
    rights: Option<&Rights>,
    content: &mut dyn Read,
) -> Result<u32, FileError> {
    let draft = draft_name(&spot.name);
    let written = fill(path, spot, &draft, rights, content).and_then(|mode| {
        renameat(&spot.folder, draft.as_os_str(), &spot.folder, spot.name.as_os_str())
            .map_err(|errno| explain(path, errno))?;
        Ok(mode)
    });
    if written.is_err() {
        let _none = unlinkat(&spot.folder, draft.as_os_str(), UnlinkatFlags::NoRemoveDir);
    }
    written
}

fn fill(
    path: &Judged<'_>,
    spot: &Spot,
    draft: &OsStr,
    rights: Option<&Rights>,
    content: &mut dyn Read,
) -> Result<u32, FileError> {
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    // A new file gets what the person's umask leaves; a copy of an old one stays closed until it has its own.
    let mode = Mode::from_bits_truncate(if rights.is_some() { 0o600 } else { 0o666 });
    let mut file = File::from(openat(&spot.folder, draft, flags, mode).map_err(|errno| explain(path, errno))?);
    std::io::copy(content, &mut file).map_err(|error| FileError::Io(path.name(), error))?;
    if let Some(rights) = rights {
        if let Some((user, group)) = rights.owner {
            // Only an administrator can give a file away; anybody else keeps the one they write.
            let _own = fchown(&file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)));
        }
        fchmod(&file, Mode::from_bits_truncate(rights.mode)).map_err(|errno| explain(path, errno))?;
    }
    let now = fstat(&file).map_err(|errno| explain(path, errno))?;
    file.sync_all().map_err(|error| FileError::Io(path.name(), error))?;
    Ok(now.st_mode & 0o777)
}

/// A name beside a file that nobody else takes.
fn draft_name(name: &OsStr) -> OsString {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut draft = OsString::from(".");
    // A name may be as long as the system allows; the draft's must not be longer.
    draft.push(name.to_string_lossy().chars().take(40).collect::<String>());
    draft.push(format!(".{}-{number}.draft", std::process::id()));
    draft
}

/// Deletes a file or an empty folder.
pub(super) fn delete(path: &Judged<'_>, at: &Path, keeper: &Keeper<'_>) -> Result<Done, FileError> {
    refuse_link(path, at)?;
    let spot = Spot::of(path, false)?;
    let status = spot.status(path)?.ok_or_else(|| FileError::Missing(path.name()))?;
    let flag = match sort(&status) {
        Sort::Folder => UnlinkatFlags::RemoveDir,
        Sort::File | Sort::Special => UnlinkatFlags::NoRemoveDir,
        Sort::Link => return Err(FileError::Changed(path.name())),
    };
    let before = keeper.image(path, &spot, Some(&status))?;
    unlinkat(&spot.folder, spot.name.as_os_str(), flag).map_err(|errno| explain(path, errno))?;
    keeper.removed(path, before);
    Ok(Done { summary: "deleted".to_owned(), text: format!("{} deleted.", path.spelled) })
}

/// Moves a file or a folder to where nothing is.
pub(super) fn relocate(
    path: &Judged<'_>,
    at: &Path,
    target: &Judged<'_>,
    target_at: &Path,
    keeper: &Keeper<'_>,
) -> Result<Done, FileError> {
    refuse_link(path, at)?;
    refuse_link(target, target_at)?;
    let from = Spot::of(path, false)?;
    let status = from.status(path)?.ok_or_else(|| FileError::Missing(path.name()))?;
    if sort(&status) == Sort::Link {
        return Err(FileError::Changed(path.name()));
    }
    if target.fact.kind != PathKind::Missing {
        return Err(FileError::Occupied(target.name()));
    }
    let to = made(target, keeper)?;
    match rename_to_nothing(&from, &to) {
        Ok(()) => {}
        Err(Errno::EEXIST | Errno::ENOTEMPTY) => return Err(FileError::Occupied(target.name())),
        Err(Errno::EXDEV) => return Err(FileError::OtherDevice(path.name(), target.name())),
        Err(errno) => return Err(explain(path, errno)),
    }
    keeper.moved(path, target, &status);
    let text = format!("{} moved to {}.", path.spelled, target.spelled);
    Ok(Done { summary: "moved".to_owned(), text })
}

/// A link itself was judged by where it leads: deleting or moving it would be another thing.
pub(super) fn refuse_link(path: &Judged<'_>, at: &Path) -> Result<(), FileError> {
    match std::fs::symlink_metadata(at) {
        Ok(metadata) if metadata.is_symlink() => Err(FileError::Link(path.name())),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Renames, unless something is there: in one step where the system can.
pub(in crate::tools) fn rename_to_nothing(from: &Spot, to: &Spot) -> Result<(), Errno> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use nix::fcntl::{RenameFlags, renameat2};
        let flag = RenameFlags::RENAME_NOREPLACE;
        match renameat2(&from.folder, from.name.as_os_str(), &to.folder, to.name.as_os_str(), flag) {
            Err(Errno::EINVAL | Errno::ENOSYS) => {}
            other => return other,
        }
    }
    let flags = nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW;
    match nix::sys::stat::fstatat(&to.folder, to.name.as_os_str(), flags) {
        Err(Errno::ENOENT) => renameat(&from.folder, from.name.as_os_str(), &to.folder, to.name.as_os_str()),
        Ok(_) => Err(Errno::EEXIST),
        Err(errno) => Err(errno),
    }
}
