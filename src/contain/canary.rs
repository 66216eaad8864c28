//! The canary: our own binary, run inside walls in a command's place, tries what no contained command may do and says
//! what came of it. It is sent by `proof`, which compares its word with what really happened.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::domain::Wall;

/// First argument of our own binary when it is to be the canary.
pub const CANARY: &str = "__canary";

/// What it writes where it may.
pub const CHANGED: &str = "changed in the layer";

/// What it is to try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errand {
    /// A file that it must not change: in its workspace, or beside it where its workspace has a layer.
    pub file: PathBuf,
    /// A file of its workspace that it is to change, where that has a layer.
    pub staged: Option<PathBuf>,
    /// A folder of its own person, outside the workspace.
    pub home: PathBuf,
    /// Files whose content it must not see.
    pub secrets: Vec<PathBuf>,
    /// Port of a server on this machine.
    pub port: u16,
    /// Socket of another program.
    pub socket: PathBuf,
    /// A process of the same person, if its number can't be one of the canary's own.
    pub process: Option<i32>,
    /// The other end of somebody's terminal.
    pub terminal: Option<PathBuf>,
}

/// One try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Try {
    /// The wall in its way.
    pub wall: Wall,
    /// What it tried.
    pub what: String,
    /// Why it failed; none if it got through.
    pub refused: Option<String>,
}

/// Goes on the errand that is given as the one argument, and prints what came of each try.
#[must_use]
pub fn main(errand: Option<String>) -> ExitCode {
    let Some(errand) = errand.and_then(|text| serde_json::from_str::<Errand>(&text).ok()) else {
        return ExitCode::FAILURE;
    };
    if let Some(file) = &errand.staged {
        // Whether it landed where it should is looked at from outside.
        let _seen = fs::write(file, CHANGED);
    }
    let tries = go(&errand);
    match serde_json::to_string(&tries).map(|text| writeln!(io::stdout(), "{text}")) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn go(errand: &Errand) -> Vec<Try> {
    let mut tries = Vec::new();
    let mut note = |wall, what: &str, result: io::Result<()>| {
        tries.push(Try { wall, what: what.to_owned(), refused: result.err().map(|error| error.to_string()) });
    };
    for (what, result) in changes(errand) {
        note(Wall::Write, what, result);
    }
    for secret in &errand.secrets {
        let read = fs::read_to_string(secret).and_then(|text| if text.is_empty() { Err(nothing()) } else { Ok(()) });
        note(Wall::Secrets, "read a secret", read);
    }
    let address = SocketAddr::from(([127, 0, 0, 1], errand.port));
    let patience = Duration::from_millis(500);
    note(Wall::Network, "connect", TcpStream::connect_timeout(&address, patience).map(drop));
    let sent = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(b"out", address)).map(drop);
    note(Wall::Network, "send a packet", sent);
    note(Wall::Sockets, "connect to a socket", UnixStream::connect(&errand.socket).map(drop));
    #[cfg(target_os = "linux")]
    for (wall, what, result) in super::linux::attempts(errand) {
        note(wall, what, result);
    }
    tries
}

/// Every way to change something on the disk.
fn changes(errand: &Errand) -> Vec<(&'static str, io::Result<()>)> {
    let (file, home) = (&errand.file, &errand.home);
    let beside = |name: &str| file.with_file_name(name);
    let append = |path: &Path| OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(b"x"));
    vec![
        ("append", append(file)),
        ("overwrite", fs::write(file, "x")),
        ("create", File::create_new(beside("created")).map(drop)),
        ("create at home", File::create_new(home.join("created")).map(drop)),
        ("make a folder", fs::create_dir(beside("folder"))),
        ("rename", fs::rename(file, beside("renamed"))),
        ("link", fs::hard_link(file, beside("linked"))),
        ("make a link", std::os::unix::fs::symlink(file, beside("symlink"))),
        ("change the mode", fs::set_permissions(file, Permissions::from_mode(0o777))),
        ("change the time", File::open(file).and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH))),
        ("change the owner", std::os::unix::fs::chown(file, Some(nix::unistd::getuid().as_raw()), None)),
        ("delete", fs::remove_file(file)),
    ]
}

/// Nothing was read, which is as good as a refusal.
fn nothing() -> io::Error {
    io::Error::other("it is empty")
}
