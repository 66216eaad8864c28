//! The few calls that have no safe wrapper: fork, the flags of a whole tree of mounts, capabilities, a watch. Each
//! function is safe to call from the child, which is alone in its process.

#![allow(unsafe_code)] // `fork`, `signal`, `register` are marked unsafe; nobody has `mount_setattr` and capabilities

use std::io::{Error, Result};
use std::mem::size_of;
use std::os::fd::OwnedFd;

use nix::libc;
use nix::sys::signal::{SigHandler, Signal};
use nix::unistd::{ForkResult, Pid};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Forks. The caller has one thread only, so the copy may do anything that the original may.
pub fn fork() -> Result<ForkResult> {
    // SAFETY: the child runs this before it starts any thread; no lock can be held by somebody else.
    unsafe { nix::unistd::fork() }.map_err(Error::from)
}

/// Forks a child of this process's own parent: a brother, whom that one waits for. The caller has one thread only.
pub fn fork_beside() -> Result<ForkResult> {
    // SAFETY: as above. No memory is shared and no stack is given, so this is a fork; all other arguments are unused.
    let pid = unsafe { libc::syscall(libc::SYS_clone, libc::CLONE_PARENT | libc::SIGCHLD, 0, 0, 0, 0) };
    match i32::try_from(pid) {
        Ok(0) => Ok(ForkResult::Child),
        Ok(pid) if pid > 0 => Ok(ForkResult::Parent { child: Pid::from_raw(pid) }),
        Ok(_) | Err(_) => Err(Error::last_os_error()),
    }
}

/// Gives a signal the meaning that it has for a program of which nobody said otherwise.
pub fn by_default(signal: Signal) -> Result<()> {
    // SAFETY: no code of ours runs at a signal that has its default meaning.
    unsafe { nix::sys::signal::signal(signal, SigHandler::SigDfl) }.map(drop).map_err(Error::from)
}

/// Ends this process at once: a copy that only waited has nothing to clean up.
pub fn exit(code: i32) -> ! {
    // SAFETY: it takes a number and never returns; what would run at an orderly exit is the original's.
    unsafe { libc::_exit(code) }
}

/// Watches a file that is this process's own, as others wait for it.
pub fn watch(file: OwnedFd) -> Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` gives the same number for as long as it lives, and nobody else closes that.
    unsafe { AsyncFd::register_with_interest(file, Interest::READABLE) }.map_err(Error::from)
}

/// The kernel's `struct mount_attr`.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    namespace: u64,
}

/// That nothing on a mount can be changed.
pub const READ_ONLY: u64 = 1;
/// That a mount honours no set-user-id programs.
const NO_SETUID: u64 = 2;
/// That nothing on a mount is a device: reading one may reach anything, and writing to one is no change of its disk.
pub const NO_DEVICES: u64 = 4;

/// Makes every mount read-only, and none honour set-user-id programs and devices, in one step and all the way down.
pub fn seal_mounts() -> Result<()> {
    const RECURSIVE: libc::c_int = 0x8000;
    change_mount(c"/", RECURSIVE, READ_ONLY | NO_SETUID | NO_DEVICES, 0)
}

/// Takes a part of that back from the one mount at a path.
pub fn unseal(path: &std::path::Path, part: u64) -> Result<()> {
    use std::os::unix::ffi::OsStrExt as _;
    change_mount(&std::ffi::CString::new(path.as_os_str().as_bytes())?, 0, 0, part)
}

fn change_mount(path: &std::ffi::CStr, flags: libc::c_int, set: u64, clear: u64) -> Result<()> {
    let wanted = MountAttributes { set, clear, propagation: 0, namespace: 0 };
    let size = size_of::<MountAttributes>();
    // SAFETY: the path is a C string that lives through the call, as does the structure, which is only read.
    done(unsafe {
        libc::syscall(libc::SYS_mount_setattr, libc::AT_FDCWD, path.as_ptr(), flags, &raw const wanted, size)
    })
}

/// Gives up every capability for good: those held, and those that user 0 would get back from an `exec`.
pub fn drop_capabilities() -> Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        process: libc::c_int,
    }
    const VERSION: u32 = 0x2008_0522;
    /// `NOROOT`, `NO_SETUID_FIXUP`, `NO_CAP_AMBIENT_RAISE`, each with its lock, and the lock of `KEEP_CAPS`.
    const SECURE: libc::c_ulong = 0b1110_1111;
    let (header, none) = (Header { version: VERSION, process: 0 }, [0_u32; 6]);
    // SAFETY: `prctl` takes plain numbers here; `capset` only reads the two structures, which live through it.
    unsafe {
        done(libc::prctl(libc::PR_SET_SECUREBITS, SECURE, 0, 0, 0).into())?;
        done(libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()))
    }
}

fn done(result: libc::c_long) -> Result<()> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

/// Types one letter into a terminal, as if its person had.
pub fn type_into(terminal: &impl std::os::fd::AsRawFd) -> Result<()> {
    let letter: libc::c_char = 0x20;
    // SAFETY: the request reads one byte, which lives through the call.
    done(unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSTI, &raw const letter) }.into())
}

/// Marks a file, which is open to read, as one that backups leave out.
pub fn mark(file: &impl std::os::fd::AsRawFd) -> Result<()> {
    const LEFT_OUT: libc::c_long = 0x40;
    let mut flags: libc::c_long = 0;
    // SAFETY: the first request writes one number and the second reads it; it lives through both.
    unsafe {
        done(libc::ioctl(file.as_raw_fd(), libc::FS_IOC_GETFLAGS, &raw mut flags).into())?;
        flags |= LEFT_OUT;
        done(libc::ioctl(file.as_raw_fd(), libc::FS_IOC_SETFLAGS, &raw const flags).into())
    }
}

/// Says of another process how its turns come: as they do for everybody, so nothing changes if that is let through.
pub fn schedule(process: i32) -> Result<()> {
    let ordinary: libc::c_int = 0;
    // SAFETY: the call reads one number, which lives through it.
    done(unsafe { libc::syscall(libc::SYS_sched_setparam, process, &raw const ordinary) })
}

/// Says of another process when it may use the disks: as one of which nobody said anything.
pub fn rank(process: i32) -> Result<()> {
    const PROCESS: libc::c_int = 1;
    // SAFETY: it takes numbers alone.
    done(unsafe { libc::syscall(libc::SYS_ioprio_set, PROCESS, process, 0) })
}

/// Asks to look into another process, or to stop it.
pub fn trace(process: i32) -> Result<()> {
    let none = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: `PTRACE_SEIZE` without options reads and writes no memory of ours.
    done(unsafe { libc::ptrace(libc::PTRACE_SEIZE, process, none, none) })
}
