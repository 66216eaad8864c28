//! What a containment means on this machine, and how it is put up.
//!
//! The program works out a [`Plan`] and hands it to a child of its own binary ([`Handover`]); the child puts the walls
//! up around itself ([`enter`]), says so, and becomes the command. A child that can't keep what was promised ends
//! without having run anything. What is promised is proved first: `proof` sends a canary behind the walls, and walls
//! with a hole are not used. SQL is contained by its engine, in `tools/sql`.

mod canary;
mod door;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod handover;
mod layer;
mod leads;
#[cfg(target_os = "linux")]
mod linux;
mod plan;
mod proof;
mod stamp;
mod survey;
mod walls;

use crate::domain::Enforceable;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Copied, Setting, Template, serve};
#[cfg(target_os = "linux")]
pub(crate) use linux::{Copied, Setting, Template, by_default, fork, serve};

pub use canary::{CANARY, main as canary};
pub use door::{DOOR, Door, PROXY};
pub use handover::{Answer, Handover, Orders, Program};
pub use layer::{Layer, stageable};
pub use plan::{ATTRIBUTES, Cover, Hidden, Layers, Plan, Surroundings, TEMPORARY};
pub use proof::{Proof, kept, prove};
pub use survey::{Found, Linked, Sort, Survey, TooMuch, other_names, system};
pub use walls::{Reader, Walls};

/// First argument of our own binary when it is to become a child.
pub const CHILD: &str = "__child";
/// Second argument of a child after its parent's number: it gets a plan as its input, and with it, or later, its program.
pub const WALLED: &str = "walled";
/// The same: it gets none.
pub const OPEN: &str = "open";
/// The same: it gets none, and its input is a terminal that becomes its own.
pub const TERMINAL: &str = "terminal";
/// The same: it is a template, whose copies are told the rest.
pub const TEMPLATE: &str = "template";
/// Its word where the program is kept: our own binary stays as its parent, and ends all of it with us.
pub const KEPT: &str = "kept";
/// Exit code of a child that could not put up a promised wall.
pub const FAILED: i32 = 125;

/// Puts the walls of a plan up around this process; `quiet` says that it is in a network in which there is nothing. Where
/// nobody else is left as the program ends, `ended` may be told its exit code before that end is seen.
///
/// # Errors
/// One sentence: a promised wall can't be put up here.
#[cfg(target_os = "linux")]
pub fn enter(plan: &Plan, quiet: bool, ended: &dyn Fn(u8)) -> Result<(), String> {
    linux::enter(plan, quiet, ended)
}

/// Puts no walls up: this system has none that we know.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn enter(_plan: &Plan, _quiet: bool, _ended: &dyn Fn(u8)) -> Result<(), String> {
    Err("commands can't be contained on this system".to_owned())
}

/// Keeps other programs of this person from reading this program's memory and environment, where keys are.
#[cfg(target_os = "linux")]
pub fn guard_memory() {
    if let Err(error) = nix::sys::prctl::set_dumpable(false) {
        tracing::warn!(%error, "the memory of this program can't be guarded");
    }
}

/// Keeps other programs of this person from reading this program's memory, where that can be done.
#[cfg(not(target_os = "linux"))]
pub fn guard_memory() {}

/// Sees to it that this program, and what it starts, hears of the end of its children: who started it may have ignored
/// that, and its children would take that on.
#[cfg(target_os = "linux")]
pub fn hear_of_children() {
    if let Err(error) = by_default(nix::sys::signal::Signal::SIGCHLD) {
        tracing::warn!(%error, "the end of children may not be heard of");
    }
}

/// The same where it is taken as it is.
#[cfg(not(target_os = "linux"))]
pub fn hear_of_children() {}

/// What walls without some layer can't do, for the person.
#[must_use]
pub fn lost(layers: Layers) -> Vec<&'static str> {
    let mut lost = Vec::new();
    if !layers.namespaces {
        lost.extend([
            "there is no temporary folder to write to, so a command that needs one fails",
            "the names of hidden files, other processes and files in /tmp stay visible, and /etc/passwd readable",
            "a sensitive file that comes up while a command runs beside no hidden one can be read",
            "a token in the URL of a git remote can be read",
            "a command that needs the socket of a daemon reaches those of others, too",
            "a command can't signal what it started itself (`timeout`, `kill %1`)",
        ]);
    }
    if !layers.landlock {
        lost.push("commands that list the processes of this machine run without walls");
    }
    lost
}

/// What this machine enforces, as far as it is proved; `stages` says whether a layer holds over the workspace.
#[must_use]
pub fn enforceable(proof: Option<&Proof>, stages: bool) -> Enforceable {
    Enforceable {
        read_only_command: proof.is_some_and(|proof| proof.layers.is_some()),
        read_only_sql: true,
        staged_command: stages && proof.is_some_and(Proof::stages),
    }
}
