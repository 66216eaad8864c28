//! A view of its own: of the disk (read-only, without secrets, with private temporary folders and hardly a device),
//! of processes, of queues and, unless it needs one, of the network. Without privileges, by way of a user namespace.

use std::fs::{self, File, OpenOptions};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::{OFlag, open};
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::stat::{Mode, futimens};
use nix::sys::time::TimeSpec;
use nix::unistd::{getgid, getuid};

use super::super::plan::{ATTRIBUTES, Cover, Hidden, Need, Plan};
use super::{network, overlay, raw};

/// Most that all private temporary files may hold together, for each folder.
const ROOM: &str = "size=256m,nr_inodes=64k,mode=1777";
/// Where the decoys of hidden files are: below the private `/dev`.
const DECOYS: &str = "/dev/.hidden";
/// The devices that there are.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// What else is in a private `/dev`.
const LINKS: [(&str, &str); 4] = [
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
];

type Built<T> = Result<T, String>;

/// Leaves the common view and builds the private one. What is forked next is the first process of its own space;
/// it must still call [`processes`]. `quiet` says that this process is in a network in which there is nothing.
///
/// # Errors
/// One sentence: the kernel or the system refuses a part of it.
pub fn leave(plan: &Plan, quiet: bool) -> Built<()> {
    let mut spaces = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID;
    if !plan.shares_network() && !quiet {
        spaces |= CloneFlags::CLONE_NEWNET;
    }
    separate(spaces)?;
    // Now, as the door is out of sight afterwards.
    if let Some(door) = &plan.door {
        network::open(door)?;
    }
    disk(plan)
}

/// Enters new namespaces of these sorts, by way of a new one for users.
///
/// # Errors
/// One sentence: the kernel or the system refuses them.
pub(super) fn separate(spaces: CloneFlags) -> Built<()> {
    let (user, group) = (getuid(), getgid());
    let flags = CloneFlags::CLONE_NEWUSER | spaces;
    unshare(flags).map_err(|error| format!("there are no namespaces for it: {error}"))?;
    // The same numbers inside as outside; nobody else's exist.
    write("/proc/self/setgroups", "deny")?;
    write("/proc/self/uid_map", &format!("{user} {user} 1"))?;
    write("/proc/self/gid_map", &format!("{group} {group} 1"))
}

fn disk(plan: &Plan) -> Built<()> {
    let none = None::<&str>;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none).map_err(|e| at("/", &e))?;
    raw::seal_mounts().map_err(|error| format!("the disk can't be made read-only: {error}"))?;
    if let Some(layer) = &plan.layer {
        overlay::lay(layer)?;
    }
    // What was there a moment ago and is gone has nothing left to hide or keep.
    let seen = |path: &Path| Some((handle(path).ok()?, path.is_dir()));
    let kept = |cover: &Cover| cover.keep.iter().map(|path| seen(path)).collect();
    let kept: Vec<Vec<_>> = plan.covers.iter().map(kept).collect();
    let hidden = plan.hidden.iter().filter_map(|hidden| Some((hidden, fs::symlink_metadata(&hidden.path).ok()?)));
    let hidden: Vec<(&Hidden, fs::Metadata)> = hidden.collect();
    devices(&hidden, &plan.attributes)?;
    for (cover, kept) in plan.covers.iter().zip(&kept) {
        covered(cover, kept)?;
    }
    for (number, (hidden, _)) in hidden.iter().enumerate() {
        // A cover may lie over it by now.
        if hidden.path.symlink_metadata().is_ok() {
            bind(&format!("{DECOYS}/{number}"), &hidden.path, false)?;
        }
    }
    std::env::set_current_dir(&plan.cwd).map_err(|e| at(&plan.cwd, &e))
}

/// A private `/dev`: a few harmless devices, no disk, no terminal; and in it what hidden files are replaced by, and what
/// git reads.
fn devices(decoys: &[(&Hidden, fs::Metadata)], attributes: &str) -> Built<()> {
    let there = |name: &&'static str| Some((*name, handle(&Path::new("/dev").join(name)).ok()?));
    let opened: Vec<(&str, OwnedFd)> = DEVICES.iter().filter_map(there).collect();
    temporary(Path::new("/dev"), "size=256k,mode=755")?;
    for (name, opened) in &opened {
        let place = Path::new("/dev").join(name);
        File::create(&place).map_err(|e| at(&place, &e))?;
        bind(&descriptor(opened), &place, false)?;
        raw::unseal(&place, raw::NO_DEVICES).map_err(|e| at(&place, &e))?;
    }
    for (target, link) in LINKS {
        std::os::unix::fs::symlink(target, link).map_err(|e| at(link, &e))?;
    }
    if !attributes.is_empty() {
        write(ATTRIBUTES, attributes)?;
    }
    folder(Path::new("/dev/shm"), 0o755)?;
    folder(Path::new(DECOYS), 0o000)?;
    for (number, (hidden, seen)) in decoys.iter().enumerate() {
        decoy(&Path::new(DECOYS).join(number.to_string()), seen, hidden.instead.as_deref())?;
    }
    read_only(Path::new("/dev"))
}

/// What stands for a hidden file: it looks the same from outside (size, time, whether it can be run), so that git
/// doesn't take it for changed, and can't be read.
fn decoy(place: &Path, seen: &fs::Metadata, instead: Option<&str>) -> Built<()> {
    let wrong = |error: &dyn std::fmt::Display| at(place, error);
    if seen.is_dir() {
        return folder(place, 0o000);
    }
    if seen.file_type().is_fifo() {
        return nix::unistd::mkfifo(place, Mode::empty()).map_err(|error| wrong(&error));
    }
    let mode = if instead.is_some() { 0o444 } else { seen.mode() & 0o111 };
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(place).map_err(|error| wrong(&error))?;
    match instead {
        Some(text) => fs::write(descriptor(&file), text).map_err(|error| wrong(&error))?,
        None => file.set_len(seen.len()).map_err(|error| wrong(&error))?,
    }
    let time = TimeSpec::new(seen.mtime(), seen.mtime_nsec());
    futimens(&file, &time, &time).map_err(|error| wrong(&error))
}

/// Lays an empty folder over another, and puts what is kept back into it.
fn covered(cover: &Cover, kept: &[Option<(OwnedFd, bool)>]) -> Built<()> {
    temporary(&cover.at, if cover.writable { ROOM } else { "size=64k,mode=755" })?;
    for (path, kept) in cover.keep.iter().zip(kept) {
        let Some((opened, is_folder)) = kept else { continue };
        if *is_folder {
            folder(path, 0o755)?;
        } else {
            path.parent().map_or(Ok(()), |parent| folder(parent, 0o755))?;
            File::create(path).map_err(|e| at(path, &e))?;
        }
        bind(&descriptor(opened), path, *is_folder)?;
    }
    if cover.writable { Ok(()) } else { read_only(&cover.at) }
}

/// The first process of the new space: a `/proc` of its own, or the machine's where the table says that a reader
/// needs to see every process.
pub fn processes(plan: &Plan) -> Built<()> {
    if plan.needs.contains(&Need::Processes) {
        return Ok(());
    }
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>).map_err(|e| at("/proc", &e))?;
    if getuid().is_root() && own_pid_max() {
        // On a machine of very many processors that is less than the kernel takes.
        let _unlimited = [super::PROCESSES, 16 * super::PROCESSES]
            .into_iter()
            .find(|most| fs::write("/proc/sys/kernel/pid_max", most.to_string()).is_ok());
    }
    let sealed = flags | MsFlags::MS_RDONLY | MsFlags::MS_REMOUNT | MsFlags::MS_BIND;
    mount(None::<&str>, "/proc", None::<&str>, sealed, None::<&str>).map_err(|e| at("/proc", &e))
}

/// Whether a space of processes has a limit of its own for them, as it has since Linux 6.14. Before, root would set that
/// of the whole machine here. Root needs it: it is held to no resource limit.
fn own_pid_max() -> bool {
    let release = nix::sys::utsname::uname().ok().map(|name| name.release().to_string_lossy().into_owned());
    let mut numbers = release.iter().flat_map(|release| release.split(['.', '-'])).map(str::parse::<u32>);
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= (6, 14))
}

fn temporary(place: &Path, options: &str) -> Built<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("tmpfs"), place, Some("tmpfs"), flags, Some(options)).map_err(|e| at(place, &e))
}

fn read_only(place: &Path) -> Built<()> {
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(None::<&str>, place, None::<&str>, flags, None::<&str>).map_err(|e| at(place, &e))
}

pub(super) fn bind(from: &str, to: &Path, whole: bool) -> Built<()> {
    let flags = if whole { MsFlags::MS_BIND | MsFlags::MS_REC } else { MsFlags::MS_BIND };
    mount(Some(from), to, None::<&str>, flags, None::<&str>).map_err(|e| at(to, &e))
}

/// Holds on to a path, so that it is found again when another lies over it.
pub(super) fn handle(path: &Path) -> Built<OwnedFd> {
    open(path, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty()).map_err(|e| at(path, &e))
}

pub(super) fn descriptor(opened: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", opened.as_raw_fd())
}

fn folder(path: &Path, mode: u32) -> Built<()> {
    match fs::DirBuilder::new().recursive(mode != 0).mode(mode).create(path) {
        Err(error) => Err(at(path, &error)),
        Ok(()) => Ok(()),
    }
}

fn write(path: &str, text: &str) -> Built<()> {
    fs::write(path, text).map_err(|e| at(path, &e))
}

pub(super) fn at(path: impl AsRef<Path>, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.as_ref().display())
}
