//! Our own binary as the parent of a command that no walls are around: what the command left running ends with the
//! program, also when that is killed. Called by `child.rs`.
//!
//! The kernel can end the direct child of a process that is killed, and nobody else. So the direct child stays what it
//! is, beside the command, and ends its session for the program. It leads that session; the command is one of it. It tells the program's death by its parent's number:
//! the signal that wakes it comes with the end of the thread that started it, too.

/// Splits this process: gives back in the one that is to become the command, while the other stays as its parent.
/// Where the kernel tells nobody of a parent's end, there is nobody who stays.
#[cfg(not(target_os = "linux"))]
pub(super) fn split(_parent: i32, _failed: i32) {}

#[cfg(target_os = "linux")]
pub(super) use linux::split;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::Error;
    use std::process::exit;

    use nix::sys::prctl::{set_name, set_pdeathsig};
    use nix::sys::signal::{SigSet, Signal, raise};
    use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
    use nix::unistd::{ForkResult, Pid, getpid, getppid};

    use super::super::keeper::end_all;
    use crate::contain;
    use crate::tools::members;

    /// See above.
    pub(in super::super) fn split(parent: i32, failed: i32) {
        if let Err(error) = fork(parent, failed) {
            crate::say!("the child couldn't be set up: {error}");
            exit(failed)
        }
    }

    fn fork(parent: i32, failed: i32) -> Result<(), Error> {
        let warden = getpid();
        // Whoever tells the whole group something, a script its own children or the program all of it, means the command.
        SigSet::all().thread_set_mask()?;
        // The one signal that also reaches a process that was stopped.
        set_pdeathsig(Signal::SIGCONT)?;
        still(Pid::from_raw(parent))?;
        match contain::fork()? {
            ForkResult::Child => {
                set_pdeathsig(Signal::SIGKILL)?;
                still(warden)?;
                SigSet::empty().thread_set_mask()?;
                Ok(())
            }
            ForkResult::Parent { child } => stay(child, Pid::from_raw(parent), failed),
        }
    }

    fn still(parent: Pid) -> Result<(), Error> {
        if getppid() == parent { Ok(()) } else { Err(Error::other("the program that started it is gone")) }
    }

    /// Stays until the command has ended, and ends as it did; or until the program has, and ends all of it.
    fn stay(command: Pid, program: Pid, failed: i32) -> ! {
        // Who ends the program by its name doesn't mean this one.
        let _as_before = set_name(c"keeper");
        // Its output is the command's alone: its end must be seen.
        let _held = let_go();
        loop {
            match waitpid(command, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(_, code)) => exit(code),
                Ok(WaitStatus::Signaled(_, signal, _)) => {
                    // Some are ignored here that the command didn't ignore.
                    let _kept = contain::by_default(signal);
                    let unblocked = SigSet::from(signal).thread_unblock();
                    let _survived = unblocked.and_then(|()| raise(signal));
                    exit(128 + signal as i32)
                }
                Ok(_) => {}
                Err(_) => exit(failed),
            }
            if getppid() != program {
                end_all(others);
                exit(failed)
            }
            let _woken = SigSet::all().wait();
        }
    }

    fn let_go() -> Result<(), Error> {
        let nothing = File::options().read(true).write(true).open("/dev/null")?;
        nix::unistd::dup2_stdin(&nothing)?;
        nix::unistd::dup2_stdout(&nothing)?;
        nix::unistd::dup2_stderr(&nothing)?;
        Ok(())
    }

    /// The living processes of this one's session but itself.
    fn others() -> Vec<Pid> {
        let own = getpid();
        members(own).into_iter().filter(|pid| *pid != own).collect()
    }
}
