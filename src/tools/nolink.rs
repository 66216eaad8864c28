//! Opens a real path through no link, so that the path that was judged is the one that is used, or nothing is:
//! somebody may have put a link in the place of a folder since. Used by the file tools and the searches.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, mkdirat};

/// Opens what stands at an absolute path without `.` and `..`.
///
/// # Errors
/// `ELOOP` or `ENOTDIR` if a part of the path is a link, otherwise what the system says.
pub(super) fn open(path: &Path, flags: OFlag) -> Result<OwnedFd, Errno> {
    // What is opened to be read holds nobody up; openat2 refuses such flags for what is only passed through.
    let calm = if flags == passing() { OFlag::empty() } else { OFlag::O_NOCTTY | OFlag::O_NONBLOCK };
    let flags = flags | calm | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    #[cfg(target_os = "linux")]
    {
        use nix::fcntl::{OpenHow, ResolveFlag, openat2};
        // In one call where the kernel can (openat2(2), Linux 5.6).
        let how = OpenHow::new().flags(flags).resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
        match openat2(nix::fcntl::AT_FDCWD, path, how) {
            Err(Errno::ENOSYS | Errno::EPERM) => {}
            other => return other,
        }
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => openat(folder(parent, false)?, name, flags, Mode::empty()),
        _ => folder(path, false),
    }
}

/// Goes down to a folder from the root, one part at a time. With `create`, missing ones are made.
pub(super) fn folder(path: &Path, create: bool) -> Result<OwnedFd, Errno> {
    let flags = passing() | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let mut folder = nix::fcntl::open("/", flags, Mode::empty())?;
    for part in path.components() {
        folder = match part {
            Component::RootDir => continue,
            Component::Normal(name) => step(&folder, name, flags, create)?,
            Component::Prefix(_) | Component::CurDir | Component::ParentDir => return Err(Errno::EINVAL),
        };
    }
    Ok(folder)
}

fn step(folder: &OwnedFd, name: &OsStr, flags: OFlag, create: bool) -> Result<OwnedFd, Errno> {
    match openat(folder, name, flags, Mode::empty()) {
        Err(Errno::ENOENT) if create => match mkdirat(folder.as_fd(), name, Mode::from_bits_truncate(0o777)) {
            Ok(()) | Err(Errno::EEXIST) => openat(folder, name, flags, Mode::empty()),
            Err(errno) => Err(errno),
        },
        other => other,
    }
}

/// How something is opened only to pass through or to be looked at: where the system can, without reading it.
pub(super) fn passing() -> OFlag {
    #[cfg(target_os = "linux")]
    return OFlag::O_PATH;
    #[cfg(not(target_os = "linux"))]
    OFlag::O_RDONLY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_on_the_way_is_followed() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        std::fs::create_dir_all(home.join("inside/deep")).unwrap();
        std::fs::create_dir_all(home.join("outside/deep")).unwrap();
        for side in ["inside", "outside"] {
            std::fs::write(home.join(side).join("deep/file"), side).unwrap();
        }
        let file = home.join("inside/deep/file");
        assert!(open(&file, OFlag::O_RDONLY).is_ok());
        // A folder on the way becomes a link after it was judged.
        std::fs::rename(home.join("inside"), home.join("away")).unwrap();
        std::os::unix::fs::symlink(home.join("outside"), home.join("inside")).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "outside");
        assert!(open(&home.join("away/deep/file"), passing()).is_ok());
        for opened in [open(&file, OFlag::O_RDONLY), open(&file, passing()), folder(file.parent().unwrap(), false)] {
            assert!(matches!(opened, Err(Errno::ELOOP | Errno::ENOTDIR)), "{opened:?}");
        }
        assert!(open(&home.join("inside"), OFlag::O_RDONLY).is_err(), "the last part is a link");
    }

    #[test]
    fn a_pipe_does_not_hold_up_whoever_opens_it() {
        let home = tempfile::tempdir().unwrap();
        let pipe = home.path().canonicalize().unwrap().join("pipe");
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        assert!(open(&pipe, OFlag::O_RDONLY).is_ok());
    }
}
