//! What our own binary does as a child's first moment: a session of its own, clean signals, small limits, walls if it
//! is handed a plan of them; then it becomes the program. No thread, no async runtime, no configuration. Called by
//! `main` before anything else.

use std::ffi::{OsStr, OsString};
use std::io::Error;
use std::os::unix::process::CommandExt;
use std::process::{Command, exit};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::SigSet;
use nix::unistd::{getppid, setsid};

use crate::contain::{self, Orders, Setting};

/// Exit code of a child that couldn't become its program.
const FAILED: i32 = 126;

/// Becomes a child: `PARENT open|terminal|kept PROGRAM [ARGUMENT…]`; or `PARENT walled`, which is told its program once
/// its walls are up; or `PARENT template`, whose copies are told everything. Never returns.
pub fn main(mut arguments: impl Iterator<Item = OsString>) -> ! {
    let parent = arguments.next().and_then(|text| text.to_str()?.parse().ok());
    let (Some(parent), Some(walls)) = (parent, arguments.next()) else { missing() };
    settled(settle(parent));
    if walls == OsStr::new(contain::WALLED) {
        obey(|| exit(contain::FAILED), None);
    }
    if walls == OsStr::new(contain::TEMPLATE) {
        let setting = contain::serve();
        settled(settle(parent).and_then(|()| std::env::set_current_dir(&setting.folder)));
        obey(|| super::warden::split(parent, FAILED), Some(setting));
    }
    let Some(program) = arguments.next() else { missing() };
    if walls == OsStr::new(contain::KEPT) {
        super::keeper::keep(parent, &program, arguments, FAILED);
    }
    if walls == OsStr::new(contain::TERMINAL) {
        if let Err(error) = rustix::process::ioctl_tiocsctty(std::io::stdin()) {
            crate::say!("the terminal couldn't be given to the child: {error}");
            exit(FAILED)
        }
    } else if walls != OsStr::new(contain::OPEN) {
        missing();
    }
    super::warden::split(parent, FAILED);
    let mut command = Command::new(program);
    command.args(arguments);
    become_program(command)
}

fn settled(set_up: Result<(), Error>) {
    if let Err(error) = set_up {
        crate::say!("the child couldn't be set up: {error}");
        exit(FAILED)
    }
}

fn become_program(mut program: Command) -> ! {
    let error = program.exec();
    crate::say!("{} couldn't be run: {error}", program.get_program().display());
    exit(FAILED)
}

fn missing() -> ! {
    crate::say!("a child needs its parent's number, a word about walls and a program");
    exit(FAILED)
}

/// Puts up the walls of the plan that came as our input, and becomes what is asked for behind them; or ends with nothing
/// run. Where there is no plan, `open` is called before that. Without a setting it passes its own environment on.
fn obey(open: impl Fn(), setting: Option<Setting>) -> ! {
    let quiet = setting.as_ref().is_some_and(|setting| setting.quiet);
    let Ok(orders) = Orders::receive() else { exit(contain::FAILED) };
    let walls = orders.plan.as_ref().map_or(Ok(()), |plan| contain::enter(plan, quiet, &|code| orders.ended(code)));
    if let Err(why) = walls.and_then(|()| orders.up().map_err(|error| error.to_string())) {
        orders.failed(&why);
        exit(contain::FAILED)
    }
    let Ok(told) = orders.program() else { exit(contain::FAILED) };
    if orders.plan.is_none() {
        open();
    }
    let mut program = Command::new(told.path);
    program.args(told.arguments);
    if let Some(setting) = setting {
        program.env_clear().envs(setting.environment);
    }
    become_program(program)
}

/// Cuts the ties to our terminal, our files and our signals.
fn settle(parent: i32) -> Result<(), Error> {
    setsid()?;
    end_with_parent(parent)?;
    // A program that takes in what others leave as they crash is started at a limit of 0, too, but not at one of 1. Where
    // 0 is all that is left, nobody may raise it.
    let (_, most) = getrlimit(Resource::RLIMIT_CORE)?;
    setrlimit(Resource::RLIMIT_CORE, most.min(1), most.min(1))?;
    SigSet::empty().thread_set_mask()?;
    close_inherited();
    Ok(())
}

/// Asks the kernel to end this process with its parent, also when the parent is killed.
#[cfg(target_os = "linux")]
fn end_with_parent(parent: i32) -> Result<(), Error> {
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    if getppid().as_raw() == parent { Ok(()) } else { Err(Error::other("the program that started it is gone")) }
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent(parent: i32) -> Result<(), Error> {
    if getppid().as_raw() == parent { Ok(()) } else { Err(Error::other("the program that started it is gone")) }
}

/// Closes files that were left open to us by whoever started us; a terminal may be among them.
fn close_inherited() {
    let Ok(entries) = std::fs::read_dir("/dev/fd") else { return };
    let open: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in open.into_iter().filter(|number| *number > 2) {
        // The listing itself is among them and closed already.
        let _closed = nix::unistd::close(number);
    }
}
