//! Puts a cache's changes in place: a folder of build products that says itself that it can be made again. What it held
//! is not kept, and its files are moved rather than read, so that a large `target` costs no more than a small one.
//! Going through a layer, rather than writing right into the folder, means that a run that is stopped leaves it whole,
//! and that a file which is also somewhere else (a hard link) is replaced here and never written to.
//! What git, an agent, an editor or a shell obeys where somebody enters its folder is no build product: it stays out.

use std::ffi::{CString, OsStr};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat, renameat};
use nix::sys::stat::FchmodatFlags;
use nix::sys::stat::{FileStat, Mode, SFlag, fchmodat, fstatat, mkdirat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use super::super::file::{Sort, sort};
use super::super::nolink;
use super::harvest::marked_opaque;
use super::products::{bytecode, compiled_by_python};
use crate::assess::{entered, repository};

/// Deepest folder that is gone into.
const DEPTH: usize = 64;
/// Bits that make a program run as another user.
const SETUID: u32 = 0o6000;
const FOLDER: OFlag = OFlag::O_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC);

/// What was put in place.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// Files and folders.
    pub(super) entries: usize,
    /// What never is: links and special files.
    pub(super) left_out: usize,
    /// What isn't by its name, or by looking like a repository: paths below the folder that was merged.
    pub(super) obeyed: Vec<PathBuf>,
}

/// Whether to look or to act.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Look,
    Act,
}

/// Merges the layer's folder into the workspace's, all of it or nothing: if somebody else changed any of it since the
/// run began, they would be mixed.
///
/// # Errors
/// Why not, without the end of a sentence.
pub(super) fn merge(from: &Path, to: &Path, since: (i64, i64)) -> Result<Merged, String> {
    let told = |errno: Errno| match errno {
        Errno::EBUSY => "somebody else changed it meanwhile".to_owned(),
        errno => format!("{errno}"),
    };
    let open = |path: &Path| {
        let (parent, name) = path.parent().zip(path.file_name()).ok_or(Errno::EINVAL)?;
        Ok((nolink::folder(parent, false)?, name.to_owned()))
    };
    let ((source, name), (target, _)) = (open(from).map_err(told)?, open(to).map_err(told)?);
    let source = openat(&source, name.as_os_str(), FOLDER, Mode::empty()).map_err(told)?;
    let mut merged = Merged::default();
    for pass in [Pass::Look, Pass::Act] {
        merged = Merged::default();
        if pass == Pass::Act {
            made(&target, &name, &source).map_err(told)?;
        }
        match openat(&target, name.as_os_str(), FOLDER, Mode::empty()) {
            Ok(target) => folder((&source, &target), Path::new(""), (since, pass), &mut merged).map_err(told)?,
            Err(Errno::ENOENT) if pass == Pass::Look => {}
            Err(errno) => return Err(told(errno)),
        }
    }
    Ok(merged)
}

fn folder(
    (from, to): (&OwnedFd, &OwnedFd),
    path: &Path,
    (since, pass): ((i64, i64), Pass),
    merged: &mut Merged,
) -> Result<(), Errno> {
    if path.components().count() > DEPTH {
        return Err(Errno::ENAMETOOLONG);
    }
    let new = names(from)?;
    if is_repository(to, &new)? {
        merged.obeyed.push(path.to_path_buf());
        return Ok(());
    }
    if marked_opaque(from) {
        for name in names(to)? {
            if fstatat(from, name.as_c_str(), AtFlags::AT_SYMLINK_NOFOLLOW).is_ok() {
                continue;
            }
            let path = below(path, &name);
            let there = fstatat(to, name.as_c_str(), AtFlags::AT_SYMLINK_NOFOLLOW)?;
            if is_obeyed(&path, sort(&there) == Sort::Folder) {
                merged.obeyed.push(path);
            } else if pass == Pass::Act {
                remove(to, &name)?;
            }
        }
    }
    for name in new {
        let path = below(path, &name);
        let about = fstatat(from, name.as_c_str(), AtFlags::AT_SYMLINK_NOFOLLOW)?;
        if is_obeyed(&path, sort(&about) == Sort::Folder) {
            merged.obeyed.push(path);
            continue;
        }
        let there = match fstatat(to, name.as_c_str(), AtFlags::AT_SYMLINK_NOFOLLOW) {
            Ok(there) => Some(there),
            Err(Errno::ENOENT) => None,
            Err(errno) => return Err(errno),
        };
        // The time of a folder changes with what is put into it, by ourselves too.
        if pass == Pass::Look
            && there.is_some_and(|there| sort(&there) != Sort::Folder && (there.st_ctime, there.st_ctime_nsec) >= since)
        {
            return Err(Errno::EBUSY);
        }
        merged.entries += 1;
        match sort(&about) {
            Sort::Folder => {
                if pass == Pass::Act {
                    if there.is_some_and(|there| sort(&there) != Sort::Folder) {
                        remove(to, &name)?;
                    }
                    made(
                        to,
                        OsStr::from_bytes(name.as_bytes()),
                        &openat(from, name.as_c_str(), FOLDER, Mode::empty())?,
                    )?;
                } else if there.is_none_or(|there| sort(&there) != Sort::Folder) {
                    continue;
                }
                let (from, to) = (
                    openat(from, name.as_c_str(), FOLDER, Mode::empty())?,
                    openat(to, name.as_c_str(), FOLDER, Mode::empty())?,
                );
                folder((&from, &to), &path, (since, pass), merged)?;
            }
            Sort::File if about.st_mode & SETUID == 0 => {
                if pass == Pass::Act {
                    if there.is_some_and(|there| sort(&there) == Sort::Folder) {
                        remove(to, &name)?;
                    }
                    bring(from, to, &name, &about)?;
                }
            }
            Sort::Special if whiteout(&about) => {
                if pass == Pass::Act && there.is_some() {
                    remove(to, &name)?;
                }
            }
            Sort::File | Sort::Link | Sort::Special => merged.left_out += 1,
        }
    }
    Ok(())
}

fn below(path: &Path, name: &CString) -> PathBuf {
    path.join(OsStr::from_bytes(name.as_bytes()))
}

/// Whether whoever enters the folder of something obeys it, by its path below a cache.
fn is_obeyed(path: &Path, folder: bool) -> bool {
    let name = path.file_name().map_or(path, Path::new);
    compiled_by_python(name) || bytecode(name) || entered(&Path::new("/").join(path).to_string_lossy(), folder)
}

/// Whether git would take a folder for a repository once what is new in it lies there. What came before and what was
/// deleted meanwhile count, too: several runs may make one.
fn is_repository(to: &OwnedFd, new: &[CString]) -> Result<bool, Errno> {
    let head = |name: &CString| name.as_bytes().eq_ignore_ascii_case(b"HEAD");
    if !new.iter().any(head) && fstatat(to, "HEAD", AtFlags::AT_SYMLINK_NOFOLLOW).is_err() {
        return Ok(false);
    }
    let all = names(to)?;
    Ok(repository(new.iter().chain(&all).filter_map(|name| name.to_str().ok())))
}

/// Whether it stands for something that was deleted.
pub(super) fn whiteout(about: &FileStat) -> bool {
    SFlag::from_bits_truncate(about.st_mode) & SFlag::S_IFMT == SFlag::S_IFCHR && about.st_rdev == 0
}

/// Makes a folder like another, if it isn't there.
fn made(to: &OwnedFd, name: &OsStr, like: &OwnedFd) -> Result<(), Errno> {
    let mode = Mode::from_bits_truncate(nix::sys::stat::fstat(like)?.st_mode & 0o777);
    match mkdirat(to, name, Mode::S_IRWXU) {
        Ok(()) => fchmodat(to, name, mode, FchmodatFlags::FollowSymlink),
        Err(Errno::EEXIST) => Ok(()),
        Err(errno) => Err(errno),
    }
}

/// Moves a file, or copies it where the layer lies on another disk.
fn bring(from: &OwnedFd, to: &OwnedFd, name: &CString, about: &FileStat) -> Result<(), Errno> {
    match renameat(from, name.as_c_str(), to, name.as_c_str()) {
        Err(Errno::EXDEV) => {}
        other => return other,
    }
    let failed = |error: std::io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(nix::libc::EIO));
    let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let mut source = std::fs::File::from(openat(from, name.as_c_str(), flags, Mode::empty())?);
    let mut draft = b".".to_vec();
    draft.extend(name.as_bytes().iter().take(200));
    draft.extend(format!(".{}.draft", std::process::id()).bytes());
    let draft = OsStr::from_bytes(&draft);
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let mut file = std::fs::File::from(openat(to, draft, flags, Mode::from_bits_truncate(about.st_mode & 0o777))?);
    let copied = std::io::copy(&mut source, &mut file).map_err(failed).and_then(|_| {
        // Build tools compare times.
        let time = source.metadata().and_then(|about| about.modified()).map_err(failed)?;
        file.set_modified(time).map_err(failed)?;
        renameat(to, draft, to, name.as_c_str())
    });
    if copied.is_err() {
        let _none = unlinkat(to, draft, UnlinkatFlags::NoRemoveDir);
    }
    copied
}

fn names(folder: &OwnedFd) -> Result<Vec<CString>, Errno> {
    let own = openat(folder, ".", FOLDER, Mode::empty())?;
    let mut listing = Dir::from_fd(own)?;
    let names = listing.iter().filter_map(|entry| entry.ok().map(|entry| entry.file_name().to_owned()));
    Ok(names.filter(|name| name.as_bytes() != b"." && name.as_bytes() != b"..").collect())
}

/// Removes what stands there with all that is in it, through no link.
fn remove(folder: &OwnedFd, name: &CString) -> Result<(), Errno> {
    match unlinkat(folder, name.as_c_str(), UnlinkatFlags::NoRemoveDir) {
        Err(Errno::EISDIR | Errno::EPERM) => {}
        other => return other,
    }
    let path = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(OsStr::from_bytes(name.as_bytes()));
    let failed = |error: std::io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(nix::libc::EIO));
    std::fs::remove_dir_all(path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Merges what `layer` names over what `there` names, all of them files; gives what stands there then, and what was
    /// kept out.
    fn merged(there: &[&str], layer: &[&str]) -> (Vec<String>, Vec<String>) {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("upper/target"), root.path().join("work/target"));
        for (folder, files) in [(&to, there), (&from, layer)] {
            fs::create_dir_all(folder).unwrap();
            for file in files {
                fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
                fs::write(folder.join(file), folder.as_os_str().as_bytes()).unwrap();
            }
        }
        let done = merge(&from, &to, (i64::MAX, 0)).unwrap();
        let lies = |file: &&&str| fs::read(to.join(file)).is_ok_and(|text| text == from.as_os_str().as_bytes());
        let mut kept_out: Vec<String> = done.obeyed.iter().map(|path| path.display().to_string()).collect();
        kept_out.sort();
        (layer.iter().filter(lies).map(|file| (*file).to_owned()).collect(), kept_out)
    }

    #[test]
    fn what_is_obeyed_by_whoever_enters_a_folder_is_no_build_product() {
        let products =
            ["CACHEDIR.TAG", "debug/app", "debug/build/x/out/package.json", "doc/hooks/index.html", "a/HEAD"];
        let planted = [
            ".git/config",
            "a/.git",
            ".vscode/tasks.json",
            "x/y/.envrc",
            "CLAUDE.md",
            ".cargo/config.toml",
            "AGENTS.md",
        ];
        let (lie, kept_out) = merged(&["debug/app"], &[&products[..], &planted[..]].concat());
        assert_eq!(lie, products);
        assert_eq!(kept_out, [".cargo", ".git", ".vscode", "AGENTS.md", "CLAUDE.md", "a/.git", "x/y/.envrc"]);
    }

    #[test]
    fn no_repository_comes_into_being_among_build_products() {
        let bare = ["x/HEAD", "x/config", "x/objects/a", "x/refs/b"];
        assert_eq!(merged(&[], &bare), (vec![], vec!["x".to_owned()]));
        assert_eq!(merged(&["x/HEAD"], &bare[1..]), (vec![], vec!["x".to_owned()]), "one run after another");
        assert_eq!(merged(&["x/config"], &["x/HEAD", "ok"]), (vec!["ok".to_owned()], vec!["x".to_owned()]));
        assert_eq!(merged(&["config"], &["HEAD"]), (vec![], vec![String::new()]), "the cache itself");
    }
    #[test]
    fn of_a_folder_that_was_made_anew_what_is_obeyed_stays_and_is_named() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("upper/target"), root.path().join("work/target"));
        for folder in [&from, &to] {
            fs::create_dir_all(folder.join("doc")).unwrap();
        }
        for file in ["doc/CLAUDE.md", "doc/.envrc", "doc/old.html"] {
            fs::write(to.join(file), "").unwrap();
        }
        let opaque = "user.overlay.opaque";
        rustix::fs::lsetxattr(from.join("doc"), opaque, b"y", rustix::fs::XattrFlags::empty()).unwrap();
        let mut done = merge(&from, &to, (i64::MAX, 0)).unwrap();
        done.obeyed.sort();
        assert_eq!(done.obeyed, [Path::new("doc/.envrc"), Path::new("doc/CLAUDE.md")]);
        assert!(done.obeyed.iter().all(|path| to.join(path).exists()) && !to.join("doc/old.html").exists());
    }
}
