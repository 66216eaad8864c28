//! What the canary tries on Linux beyond files and connections: other processes, terminals, rights.

use std::fs::{self, File};
use std::io::{Error, Result};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};

use nix::mount::{MsFlags, mount, umount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::kill;
use nix::unistd::Pid;

use super::super::canary::Errand;
use super::raw;
use crate::domain::Wall;

/// Each try, with the wall in its way.
pub fn attempts(errand: &Errand) -> Vec<(Wall, &'static str, Result<()>)> {
    let abstract_socket = SocketAddr::from_abstract_name(errand.socket.as_os_str().as_encoded_bytes());
    let none = None::<&str>;
    let system = |result: nix::Result<()>| result.map_err(Error::from);
    let mut tries = vec![
        (Wall::Write, "empty by opening", empty(errand)),
        (Wall::Write, "mark by opening", File::open(&errand.file).and_then(|file| raw::mark(&file))),
        (
            Wall::Sockets,
            "connect to a nameless socket",
            abstract_socket.and_then(|to| UnixStream::connect_addr(&to)).map(drop),
        ),
        (Wall::Sockets, "make a pair that reaches any socket", UnixDatagram::pair().map(drop)),
        (Wall::Processes, "signal everybody", system(kill(Pid::from_raw(-1), None))),
        (Wall::Terminal, "open the terminal", File::options().read(true).write(true).open("/dev/tty").map(drop)),
        (Wall::Rights, "make a space", system(unshare(CloneFlags::CLONE_NEWUSER))),
        (Wall::Rights, "mount", system(mount(none, "/", none, MsFlags::MS_REMOUNT | MsFlags::MS_BIND, none))),
        (Wall::Rights, "unmount", system(umount("/proc"))),
    ];
    if let Some(other) = errand.process {
        tries.extend([
            (Wall::Processes, "signal", system(kill(Pid::from_raw(other), None))),
            (Wall::Processes, "trace", raw::trace(other)),
            (Wall::Processes, "schedule", raw::schedule(other)),
            (Wall::Processes, "rank", raw::rank(other)),
            (Wall::Processes, "read an environment", fs::read(format!("/proc/{other}/environ")).map(drop)),
            (Wall::Processes, "read a memory", File::open(format!("/proc/{other}/mem")).map(drop)),
        ]);
    }
    if let Some(path) = &errand.terminal {
        tries.push((Wall::Terminal, "type", File::open(path).and_then(|terminal| raw::type_into(&terminal))));
    }
    tries
}

/// Empties a file by opening it to read, which old Landlock doesn't see.
fn empty(errand: &Errand) -> Result<()> {
    use nix::fcntl::{OFlag, open};
    use nix::sys::stat::Mode;
    open(&errand.file, OFlag::O_RDONLY | OFlag::O_TRUNC, Mode::empty()).map(drop).map_err(Error::from)
}
