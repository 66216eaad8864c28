//! Our own binary as the parent of a server that it starts: whatever the server starts in turn ends with it, and all of
//! it ends with the program, also when that is killed. Called by `child.rs`.

use std::ffi::OsString;
use std::fs::File;
use std::process::{Command, exit};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpid, getppid};

/// Time between the request to end and the end by force.
const PATIENCE: Duration = Duration::from_millis(800);
/// Time between two looks at who is left.
const STEP: Duration = Duration::from_millis(20);

/// Starts a program and stays until it has ended, or until the program that asked for it has. Never returns.
pub(super) fn keep(parent: i32, program: &OsString, arguments: impl Iterator<Item = OsString>, failed: i32) -> ! {
    let signals = signals();
    if let Err(error) = signals.thread_set_mask().map_err(std::io::Error::from).and_then(|()| adopt(parent)) {
        crate::say!("the keeper couldn't be set up: {error}");
        exit(failed)
    }
    let server = match Command::new(program).args(arguments).spawn() {
        Ok(server) => Pid::from_raw(i32::try_from(server.id()).unwrap_or_default()),
        Err(error) => {
            crate::say!("{} couldn't be run: {error}", program.display());
            exit(failed)
        }
    };
    // What is read and written is the server's alone: its end must be seen.
    if let Err(error) = let_go() {
        crate::say!("the keeper can't leave its input and output: {error}");
        end_all(descendants);
        exit(failed)
    }
    let code = wait(server, &signals);
    end_all(descendants);
    exit(code.unwrap_or(failed))
}

fn signals() -> SigSet {
    [Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT].into_iter().collect()
}

/// Asks for a signal when the parent ends, and becomes the parent of whoever loses its own below.
#[cfg(target_os = "linux")]
fn adopt(parent: i32) -> std::io::Result<()> {
    nix::sys::prctl::set_pdeathsig(Signal::SIGTERM)?;
    nix::sys::prctl::set_child_subreaper(true)?;
    still_there(parent)
}

#[cfg(not(target_os = "linux"))]
fn adopt(parent: i32) -> std::io::Result<()> {
    still_there(parent)
}

fn still_there(parent: i32) -> std::io::Result<()> {
    if getppid().as_raw() == parent {
        Ok(())
    } else {
        Err(std::io::Error::other("the program that started it is gone"))
    }
}

fn let_go() -> std::io::Result<()> {
    nix::unistd::dup2_stdin(File::open("/dev/null")?)?;
    nix::unistd::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    Ok(())
}

/// Waits for the server's end and gives its code; none if this one was told to end before.
fn wait(server: Pid, signals: &SigSet) -> Option<i32> {
    loop {
        // Others end too: those that were adopted.
        if let Some(code) = reap(server) {
            return Some(code);
        }
        match signals.wait() {
            Ok(Signal::SIGCHLD) => {}
            Ok(_) | Err(_) => return None,
        }
    }
}

/// Takes note of those that have ended: they are gone only then. The code of the server, if it is among them.
fn reap(server: Pid) -> Option<i32> {
    let mut code = None;
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, status)) if pid == server => code = Some(status),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == server => code = Some(128 + signal as i32),
            Ok(WaitStatus::StillAlive) | Err(_) => return code,
            Ok(_) => {}
        }
    }
}

/// Ends whom it is told of until that is nobody: asks first, and forces who doesn't listen.
pub(super) fn end_all(whom: fn() -> Vec<Pid>) {
    let since = Instant::now();
    let mut force = false;
    loop {
        reap(Pid::from_raw(0));
        let left = whom();
        if left.is_empty() {
            return;
        }
        let signal = if force { Signal::SIGKILL } else { Signal::SIGTERM };
        for pid in left {
            // An error means that it is gone.
            let _gone = kill(pid, signal);
            // What is stopped can't hear a request.
            let _gone = kill(pid, Signal::SIGCONT);
        }
        if force && since.elapsed() > 2 * PATIENCE {
            return;
        }
        sleep(STEP);
        force = since.elapsed() > PATIENCE;
    }
}

/// Every living process below this one. Where there is no `/proc`, nobody: there the group is ended by who started us.
fn descendants() -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let processes: Vec<(i32, i32)> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(|pid| Some((pid, parent_of(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?)))
        .collect();
    let mut found = vec![getpid().as_raw()];
    let mut at = 0;
    while at < found.len() {
        let of = found[at];
        found.extend(processes.iter().filter(|(_, parent)| *parent == of).map(|(pid, _)| *pid));
        at += 1;
    }
    found.into_iter().skip(1).map(Pid::from_raw).collect()
}

/// The parent in a line of `/proc/PID/stat` of a living process. The name in it may hold anything.
fn parent_of(stat: &str) -> Option<i32> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let alive = fields.next().is_some_and(|state| state != "Z" && state != "X");
    fields.next().filter(|_| alive)?.parse().ok()
}
