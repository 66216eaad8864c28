//! A network in which there is nothing, made once for all copies of a template. A network of its own is what takes a
//! child longest to get, and the kernel to take down; and those that can open no socket can share one. It belongs to a user
//! namespace that none of them keeps a right in, so that nobody switches even its loopback on.

use std::fs::File;
use std::io::Read as _;

use nix::sched::{CloneFlags, setns};
use nix::sys::wait::waitpid;
use nix::unistd::ForkResult;

use super::{raw, spaces};

/// The way into it.
#[derive(Debug)]
pub struct Quiet {
    user: File,
    network: File,
}

impl Quiet {
    /// Makes one, by a child that ends again. None where the kernel gives none: each has its own then. The caller has one
    /// thread only.
    pub fn new() -> Option<Self> {
        let (mut made, tell) = std::io::pipe().ok()?;
        let (wait, seen) = std::io::pipe().ok()?;
        match raw::fork().ok()? {
            ForkResult::Child => {
                drop((made, seen));
                raw::exit(i32::from(make(tell, wait).is_none()))
            }
            ForkResult::Parent { child } => {
                drop((tell, wait));
                let opened = made.read_exact(&mut [0]).ok().and_then(|()| {
                    let open = |sort: &str| File::open(format!("/proc/{child}/ns/{sort}")).ok();
                    Some(Self { user: open("user")?, network: open("net")? })
                });
                drop(seen);
                let _gone = waitpid(child, None);
                opened
            }
        }
    }

    /// Goes there. Whether that was done: if not, the caller may be in another user namespace already, and is in the network
    /// that it was in.
    pub fn enter(self) -> bool {
        setns(&self.user, CloneFlags::CLONE_NEWUSER).is_ok() && setns(&self.network, CloneFlags::CLONE_NEWNET).is_ok()
    }
}

/// Makes it, says so, and stays until it was seen.
fn make(mut tell: impl std::io::Write, mut wait: impl std::io::Read) -> Option<()> {
    spaces::separate(CloneFlags::CLONE_NEWNET).ok()?;
    tell.write_all(&[1]).ok()?;
    wait.read_to_end(&mut Vec::new()).ok().map(drop)
}
