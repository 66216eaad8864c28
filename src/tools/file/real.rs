//! Opens what was judged, through no link, and tells what stands there. Called by `reading.rs` and `writing.rs`.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat, readlinkat};
use nix::sys::stat::{FileStat, Mode, SFlag, fchmod, fstat, fstatat};
use nix::unistd::symlinkat;

use super::super::nolink;
use super::{FileError, Judged};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tools) enum Sort {
    File,
    Folder,
    Link,
    Special,
}

/// The sort of thing that a status is about.
pub(in crate::tools) fn sort(status: &FileStat) -> Sort {
    match SFlag::from_bits_truncate(status.st_mode) & SFlag::S_IFMT {
        SFlag::S_IFREG => Sort::File,
        SFlag::S_IFDIR => Sort::Folder,
        SFlag::S_IFLNK => Sort::Link,
        _ => Sort::Special,
    }
}

/// A folder that is open, and the name of something in it.
#[derive(Debug)]
pub(in crate::tools) struct Spot {
    pub(in crate::tools) folder: OwnedFd,
    pub(in crate::tools) name: OsString,
}

impl Spot {
    /// The spot of a judged path. With `create`, missing folders on the way are made.
    pub(in crate::tools) fn of(path: &Judged<'_>, create: bool) -> Result<Self, FileError> {
        let real = &path.fact.real;
        let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(FileError::Folder(path.name()));
        };
        let folder = nolink::folder(parent, create).map_err(|errno| explain(path, errno))?;
        Ok(Self { folder, name: name.to_owned() })
    }

    /// What stands there, links not followed. None if nothing does.
    pub(in crate::tools) fn status(&self, path: &Judged<'_>) -> Result<Option<FileStat>, FileError> {
        match fstatat(&self.folder, self.name.as_os_str(), AtFlags::AT_SYMLINK_NOFOLLOW) {
            Ok(status) => Ok(Some(status)),
            Err(Errno::ENOENT) => Ok(None),
            Err(errno) => Err(explain(path, errno)),
        }
    }

    /// Where the link there leads, as it is written.
    pub(in crate::tools) fn target(&self, path: &Judged<'_>) -> Result<PathBuf, FileError> {
        readlinkat(&self.folder, self.name.as_os_str()).map(PathBuf::from).map_err(|errno| explain(path, errno))
    }

    /// Makes a link there, where nothing is.
    pub(in crate::tools) fn link(&self, path: &Judged<'_>, target: &Path) -> Result<(), FileError> {
        symlinkat(target, &self.folder, self.name.as_os_str()).map_err(|errno| explain(path, errno))
    }

    /// Sets the permission bits of the folder there.
    pub(in crate::tools) fn permit(&self, path: &Judged<'_>, mode: u32) -> Result<(), FileError> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let folder = openat(&self.folder, self.name.as_os_str(), flags, Mode::empty());
        folder.and_then(|folder| fchmod(&folder, Mode::from_bits_truncate(mode))).map_err(|errno| explain(path, errno))
    }

    /// Opens the regular file there for reading. A device or a pipe is not even opened.
    pub(in crate::tools) fn open(&self, path: &Judged<'_>) -> Result<(File, FileStat), FileError> {
        let status = self.status(path)?.ok_or_else(|| FileError::Missing(path.name()))?;
        regular(path, &status)?;
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        let file =
            openat(&self.folder, self.name.as_os_str(), flags, Mode::empty()).map_err(|errno| explain(path, errno))?;
        let status = fstat(&file).map_err(|errno| explain(path, errno))?;
        regular(path, &status)?;
        Ok((File::from(file), status))
    }
}

/// Refuses all but a regular file.
pub(in crate::tools) fn regular(path: &Judged<'_>, status: &FileStat) -> Result<(), FileError> {
    match sort(status) {
        Sort::File => Ok(()),
        Sort::Folder => Err(FileError::Folder(path.name())),
        Sort::Link => Err(FileError::Changed(path.name())),
        Sort::Special => Err(FileError::Special(path.name())),
    }
}

/// Opens a folder for listing.
pub(in crate::tools) fn folder(path: &Judged<'_>) -> Result<OwnedFd, FileError> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    if path.fact.real.parent().is_none() {
        return nix::fcntl::open("/", flags, Mode::empty()).map_err(|errno| explain(path, errno));
    }
    let spot = Spot::of(path, false)?;
    let status = spot.status(path)?.ok_or_else(|| FileError::Missing(path.name()))?;
    match sort(&status) {
        Sort::Folder => {
            openat(&spot.folder, spot.name.as_os_str(), flags, Mode::empty()).map_err(|errno| explain(path, errno))
        }
        Sort::File | Sort::Special => Err(FileError::NotFolder(path.name())),
        Sort::Link => Err(FileError::Changed(path.name())),
    }
}

/// What an error of the system means for a path.
pub(in crate::tools) fn explain(path: &Judged<'_>, errno: Errno) -> FileError {
    match errno {
        Errno::ENOENT => FileError::Missing(path.name()),
        Errno::ELOOP | Errno::ENOTDIR => FileError::Changed(path.name()),
        Errno::ENOTEMPTY | Errno::EEXIST => FileError::NotEmpty(path.name()),
        other => FileError::Io(path.name(), std::io::Error::from(other)),
    }
}
