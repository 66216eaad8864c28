//! A server that runs here: a child of a keeper, in a session and an environment of its own. What it says on standard
//! error goes to a file.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use secrecy::ExposeSecret as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::super::Workbench;
use super::super::environment::{self, Asked};
use super::config::{Reach, expand};
use crate::contain;

/// Time that a server has to end once nobody speaks to it any more; then its keeper ends it.
const LEAVE: Duration = Duration::from_millis(700);
/// Time that the keeper has for it.
const KEEPER: Duration = Duration::from_secs(2);
/// Size at which a log is put aside.
const LOG: u64 = 1024 * 1024;
/// Longest line of a log, in bytes.
const LINE: usize = 4096;
/// Last lines that are remembered, to say why a server ended.
const LAST: usize = 3;

/// What is started, with its variables put in.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) command: String,
    pub(super) arguments: Vec<String>,
    pub(super) environment: Vec<(String, String)>,
    pub(super) folder: PathBuf,
    /// What its log doesn't repeat: what it was given that isn't written in the configuration, and its variables.
    pub(super) secrets: Vec<String>,
}

impl Program {
    /// What is started, with the variables of our environment put in.
    pub(super) fn of(reach: &Reach, bench: &Workbench) -> Result<Self, String> {
        let Reach::Program { command, arguments, environment, folder } = reach else {
            return Err("it isn't a program".to_owned());
        };
        let filled = |text: &str| expand(text, &bench.workspace, &variable);
        let variables = environment.iter().map(|(name, value)| Ok((name.clone(), filled(value.expose_secret())?)));
        let folder = match folder {
            Some(folder) => {
                let folder = filled(folder)?;
                let home = bench.home.as_deref().filter(|_| folder.starts_with("~/"));
                home.map_or_else(|| bench.workspace.join(&folder), |home| home.join(&folder[2..]))
            }
            None => bench.workspace.clone(),
        };
        let environment = variables.collect::<Result<Vec<(String, String)>, String>>()?;
        let used = RefCell::new(Vec::new());
        let noted = |name: &str| {
            let value = variable(name);
            used.borrow_mut().extend(value.clone());
            value
        };
        let put_in = |argument: &String| expand(argument, &bench.workspace, &noted);
        let expanded = arguments.iter().map(put_in).collect::<Result<Vec<String>, String>>()?;
        let differing =
            expanded.iter().zip(arguments).filter(|(now, written)| now != written).map(|(now, _)| now.clone());
        let from_arguments: Vec<String> = differing.chain(used.take()).collect();
        // Where something is, is no secret, and its log says little without it.
        let from_arguments = from_arguments.into_iter().filter(|value| !is_place(value));
        let secrets = environment.iter().map(|(_, value)| value.clone()).chain(from_arguments).collect();
        Ok(Self { command: filled(command)?, arguments: expanded, environment, folder, secrets })
    }
}

/// A variable of our environment. One that is empty counts as not set.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether this is the path of something that is there.
fn is_place(text: &str) -> bool {
    let path = Path::new(text);
    path.is_absolute() && path.exists()
}

/// A server that runs. Dropping it tells its keeper to end it.
#[derive(Debug)]
pub(super) struct Child {
    keeper: tokio::process::Child,
    session: Pid,
    over: bool,
    last: Arc<Mutex<VecDeque<String>>>,
    log: AbortOnDropHandle<()>,
}

/// Starts it. Must be called on a thread that lives as long as the program: the kernel ends the child with it.
pub(super) fn start(
    bench: &Workbench,
    program: &Program,
    log: PathBuf,
) -> io::Result<(Child, ChildStdin, ChildStdout)> {
    let inherited = environment::of_child(std::env::vars_os(), Asked::Yes, false);
    let mut keeper = Command::new(&bench.launcher)
        .args([contain::CHILD, &std::process::id().to_string(), contain::KEPT])
        .arg(&program.command)
        .args(&program.arguments)
        .current_dir(&program.folder)
        .env_clear()
        // Who may use the keys of an agent is said by name.
        .envs(inherited.into_iter().filter(|(name, _)| name != "SSH_AUTH_SOCK"))
        .env("PWD", &program.folder)
        .envs(program.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pipes = (keeper.id(), keeper.stdin.take(), keeper.stdout.take(), keeper.stderr.take());
    let (Some(id), Some(input), Some(output), Some(errors)) = pipes else {
        return Err(io::Error::other("its input and output can't be used"));
    };
    let session = Pid::from_raw(i32::try_from(id).map_err(io::Error::other)?);
    let last = Arc::new(Mutex::new(VecDeque::new()));
    let mut secrets: Vec<String> = program.secrets.iter().filter(|value| value.len() >= 6).cloned().collect();
    // The longest first: one may be a part of another.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let log = AbortOnDropHandle::new(tokio::spawn(keep_log(errors, log, secrets, Arc::clone(&last))));
    Ok((Child { keeper, session, over: false, last, log }, input, output))
}

impl Child {
    /// Ends it and all it started, once its input was closed. Gives what it said last.
    pub(super) async fn stop(mut self) -> Option<String> {
        if timeout(LEAVE, self.keeper.wait()).await.is_err() {
            let _gone = kill(self.session, Signal::SIGTERM);
            if timeout(KEEPER, self.keeper.wait()).await.is_err() {
                let _gone = killpg(self.session, Signal::SIGKILL);
                let _status = self.keeper.wait().await;
            }
        }
        self.over = true;
        // Its last words may still be on their way.
        let _late = timeout(Duration::from_millis(100), &mut self.log).await;
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.iter().rev().find(|line| !line.trim().is_empty()).cloned()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.over {
            let _gone = kill(self.session, Signal::SIGTERM);
        }
    }
}

/// Writes what a server says on standard error into its log, without the secrets that it was given. A log that can't be
/// written is read all the same: a full pipe would stop the server.
async fn keep_log(mut errors: ChildStderr, path: PathBuf, secrets: Vec<String>, last: Arc<Mutex<VecDeque<String>>>) {
    let mut file = open_log(&path).await;
    let mut buffer = vec![0; 16 * 1024];
    let mut line: Vec<u8> = Vec::new();
    let (mut written, mut more) = (0_u64, true);
    while more {
        let read = errors.read(&mut buffer).await.unwrap_or(0);
        more = read > 0;
        let mut text = String::new();
        for byte in buffer[..read].iter().copied().chain((!more && !line.is_empty()).then_some(b'\n')) {
            if byte != b'\n' {
                line.push(byte);
            }
            if byte == b'\n' || line.len() == LINE {
                let said = String::from_utf8_lossy(&line).into_owned();
                let said = secrets.iter().fold(said, |said, secret| said.replace(secret.as_str(), "[secret]"));
                text.push_str(&said);
                text.push('\n');
                remember(&last, said);
                line.clear();
            }
        }
        let Some(to) = file.as_mut().filter(|_| !text.is_empty()) else { continue };
        let _unwritten = to.write_all(text.as_bytes()).await;
        let _unwritten = to.flush().await;
        written += text.len() as u64;
        if written > LOG {
            file = open_log(&path).await;
            written = 0;
        }
    }
}

fn remember(last: &Mutex<VecDeque<String>>, line: String) {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    if last.len() == LAST {
        last.pop_front();
    }
    last.push_back(line);
}

/// Opens a log for its owner alone, after putting a large one aside.
async fn open_log(path: &std::path::Path) -> Option<tokio::fs::File> {
    let folder = path.parent()?;
    let mut builder = tokio::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder).await.ok()?;
    if tokio::fs::metadata(path).await.is_ok_and(|about| about.len() > LOG) {
        tokio::fs::rename(path, path.with_extension("old.log")).await.ok()?;
    }
    tokio::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path).await.ok()
}
