//! The child's side on Linux: puts the walls of a plan up around itself, in an order in which none takes away what
//! the next one needs. Runs alone in its process, before the command.

mod attempts;
mod landlock;
mod network;
mod overlay;
mod quiet;
mod raw;
mod spaces;
mod syscalls;
mod template;

use std::io::Error;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid};

use super::plan::Plan;

pub use attempts::attempts;
pub use raw::{by_default, fork};
pub use template::{Copied, Setting, Template, serve};

/// How long what runs on in the background may still write once the command has ended.
const GRACE: Duration = Duration::from_millis(200);

/// Most processes of a contained command, its threads counted.
const PROCESSES: u64 = 1024;

/// Limits of every contained process: processes of this person in here, bytes of its own data, bytes of one file,
/// open files, bytes of message queues. (Address space is not limited: runtimes reserve far more than they use.)
const LIMITS: [(Resource, u64); 5] = [
    (Resource::RLIMIT_NPROC, PROCESSES),
    (Resource::RLIMIT_DATA, 4 << 30),
    (Resource::RLIMIT_FSIZE, 1 << 30),
    (Resource::RLIMIT_NOFILE, 4096),
    (Resource::RLIMIT_MSGQUEUE, 0),
];

/// Puts every wall of the plan up and returns in the process that is to become the program. With namespaces that is
/// a grandchild; the processes between it and the caller only wait, and end as it ends.
///
/// `quiet` says that this process is in a network in which there is nothing, and needs no other. Where that is all there
/// is, `ended` is told the command's exit code once nobody is left of it.
///
/// # Errors
/// One sentence: a promised wall can't be put up. Nothing may be run then.
pub fn enter(plan: &Plan, quiet: bool, ended: &dyn Fn(u8)) -> Result<(), String> {
    // Where memory runs out, this goes first, and not what the person works with.
    let _as_any_other = std::fs::write("/proc/self/oom_score_adj", "1000");
    if plan.layers.namespaces {
        spaces::leave(plan, quiet)?;
        // What is open since before still lies on disks that may be written to: its mode and times could be changed.
        let nothing = std::fs::File::open("/dev/null").map_err(|error| format!("/dev/null: {error}"))?;
        nix::unistd::dup2_stdin(nothing).map_err(|error| format!("its input can't be closed: {error}"))?;
        if let ForkResult::Parent { child } = split()? {
            stand_by(child)
        }
        tie()?;
        spaces::processes(plan)?;
        if let ForkResult::Parent { child } = split()? {
            look_after(child, ended)
        }
    }
    for (resource, limit) in LIMITS {
        // Without a space of its own, the count of processes is that of everything the person runs.
        if plan.layers.namespaces || resource != Resource::RLIMIT_NPROC {
            limited(resource, limit)?;
        }
    }
    prctl::set_no_new_privs().map_err(|error| format!("new privileges can't be refused: {error}"))?;
    if plan.layers.landlock {
        landlock::restrict(plan)?;
    }
    if plan.layers.namespaces {
        raw::drop_capabilities().map_err(|error| format!("its powers can't be given up: {error}"))?;
    }
    if plan.layers.syscalls {
        syscalls::refuse(plan)?;
    }
    Ok(())
}

/// Closes the command's output on our side. Its input is an empty one.
fn let_go() {
    let _unusual = nix::unistd::dup2_stdout(std::io::stdin()).and_then(|()| nix::unistd::dup2_stderr(std::io::stdin()));
}

fn split() -> Result<ForkResult, String> {
    raw::fork().map_err(|error| format!("no process can be started: {error}"))
}

/// Lowers a limit; one that is lower already stays.
fn limited(resource: Resource, limit: u64) -> Result<(), String> {
    let told = |error: Errno| format!("a limit can't be set: {error}");
    let (_, hard) = nix::sys::resource::getrlimit(resource).map_err(told)?;
    let limit = limit.min(hard);
    setrlimit(resource, limit, limit).map_err(told)
}

/// Ends this process with the one that started it.
fn tie() -> Result<(), String> {
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(|error| format!("it can't be tied to its parent: {error}"))
}

/// The outermost process: hears no request to end, so that the command can answer it, and ends as that ends.
fn stand_by(child: Pid) -> ! {
    deaf();
    let_go();
    loop {
        match waitpid(child, None) {
            Ok(WaitStatus::Exited(_, code)) => raw::exit(code),
            Ok(WaitStatus::Signaled(_, signal, _)) => raw::exit(128 + signal as i32),
            Err(Errno::EINTR) | Ok(_) => {}
            Err(_) => raw::exit(super::FAILED),
        }
    }
}

/// The first process of the space: takes in orphans and, once the command has ended, ends as it did; then the
/// kernel ends all that is left. Where that is nobody, it says so first, and the end of the output follows: whoever
/// reads that needn't wait until the kernel has taken the spaces down.
fn look_after(command: Pid, ended: &dyn Fn(u8)) -> ! {
    deaf();
    // Nobody inside may look into the process that still has powers.
    let _unusual = prctl::set_dumpable(false);
    let code = loop {
        match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == command => break code,
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == command => break 128 + signal as i32,
            Err(Errno::EINTR) | Ok(_) => {}
            Err(_) => break super::FAILED,
        }
    };
    let until = Instant::now() + GRACE;
    while Instant::now() < until {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => std::thread::sleep(Duration::from_millis(5)),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => {
                if let Ok(code) = u8::try_from(code) {
                    ended(code);
                }
                let_go();
                break;
            }
        }
    }
    raw::exit(code)
}

/// Hears no signal but those that nobody can refuse.
fn deaf() {
    let _unusual = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), None);
}

/// A file in memory that a child is given.
///
/// # Errors
/// The kernel has none.
pub fn memory_file() -> Result<OwnedFd, Error> {
    use nix::sys::memfd::{MFdFlags, memfd_create};
    memfd_create(c"walls", MFdFlags::MFD_CLOEXEC).map_err(Error::from)
}
