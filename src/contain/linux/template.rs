//! A process of our own binary that has come up already and only splits. To be read in, linked and set going takes a
//! program longer than all else that a child does before it becomes its command; a copy of this one is past that. It
//! knows nothing of the session and has nothing of its environment: what a copy needs comes over a socket, a message a
//! copy, with the files that become its input and output. The copies are children of the program like any other.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio, exit};
use std::sync::Arc;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::ForkResult;
use rustix::cmsg_space;
use rustix::io::retry_on_intr;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv, recvmsg, send, sendmsg, socketpair,
};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, pidfd_send_signal, waitpid,
};
use tokio::io::unix::AsyncFd;
use tokio::runtime::Handle;

use super::super::{CHILD, TEMPLATE};
use super::quiet::Quiet;
use super::raw;

/// How long the program waits for a copy before it starts a child of its own.
const PROMPT: Duration = Duration::from_millis(500);
/// How long it waits until the template has come up, on a thread that has nothing else to do.
const COMING_UP: Duration = Duration::from_secs(5);
/// What the template says once it has.
const READY: i32 = -1;
/// How long one stays without anybody asking for a copy, in milliseconds.
const PATIENCE: u32 = 10 * 60 * 1000;
/// Most bytes of a message. A larger environment is given to a child that is started.
const MOST: usize = 128 * 1024;
/// Says that it is to be in the template's network.
const QUIET: &[u8] = b"quiet";

/// Where a copy starts and what it passes on. As a message: [`QUIET`] or nothing, the folder, then `NAME=VALUE` each, all
/// behind them a NUL.
#[derive(Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its working folder.
    pub folder: PathBuf,
    /// The environment of what it becomes.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether it is to be in a network in which there is nothing; in the copy, whether it is.
    pub quiet: bool,
}

impl Setting {
    fn message(&self) -> Vec<u8> {
        let variables =
            self.environment.iter().flat_map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes(), b"\0"]);
        let quiet = if self.quiet { QUIET } else { b"" };
        let start = [quiet, b"\0", self.folder.as_os_str().as_bytes(), b"\0"];
        start.into_iter().chain(variables).flatten().copied().collect()
    }

    fn read(message: &[u8]) -> Option<Self> {
        let mut parts = message.strip_suffix(b"\0")?.split(|byte| *byte == 0).map(OsStr::from_bytes);
        let quiet = parts.next()?.as_bytes() == QUIET;
        let folder = PathBuf::from(parts.next()?);
        let variable = |part: &OsStr| {
            let at = part.as_bytes().iter().position(|byte| *byte == b'=')?;
            let (name, value) = (&part.as_bytes()[..at], &part.as_bytes()[at + 1..]);
            Some((OsStr::from_bytes(name).to_owned(), OsStr::from_bytes(value).to_owned()))
        };
        Some(Self { folder, environment: parts.map(variable).collect::<Option<_>>()?, quiet })
    }
}

/// The program's end of one. Dropping it ends it; its copies live on.
#[derive(Debug)]
pub struct Template {
    process: std::process::Child,
    socket: OwnedFd,
}

impl Template {
    /// Starts one. The kernel ends it, and its copies, with the thread that called this.
    ///
    /// # Errors
    /// The system has no room for it, or no way to wait for its copies.
    pub fn start(launcher: &Path) -> io::Result<Self> {
        pidfd_open(getpid(), PidfdFlags::empty())?;
        let (socket, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let process = Command::new(launcher)
            .args([CHILD, &std::process::id().to_string(), TEMPLATE])
            .env_clear()
            .current_dir("/")
            .stdin(theirs)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let started = Self { process, socket };
        set_socket_timeout(&started.socket, Timeout::Recv, Some(COMING_UP))?;
        if started.answer(RecvFlags::empty())? != READY {
            return Err(ErrorKind::InvalidData.into());
        }
        set_socket_timeout(&started.socket, Timeout::Recv, Some(PROMPT))?;
        Ok(started)
    }

    fn answer(&self, flags: RecvFlags) -> io::Result<i32> {
        let mut answer = [0; 4];
        let (got, _) = retry_on_intr(|| recv(&self.socket, &mut answer[..], flags))?;
        if got == answer.len() { Ok(i32::from_ne_bytes(answer)) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }

    /// Whether it has ended, as nobody asked for a copy for long.
    pub fn over(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// A copy, which goes on as a child that was started would: its input is its [`super::super::Orders`].
    ///
    /// # Errors
    /// [`ErrorKind::FileTooLarge`] for a setting that can't be told. Otherwise the template is gone, or doesn't answer: it
    /// is of no more use. A copy that it may have made is told nothing, and ends.
    pub fn copy(&self, setting: &Setting, [input, out, err]: [BorrowedFd<'_>; 3]) -> io::Result<Copied> {
        let text = setting.message();
        if text.len() > MOST {
            return Err(ErrorKind::FileTooLarge.into());
        }
        let rights = [input, out, err];
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !control.push(SendAncillaryMessage::ScmRights(&rights)) {
            return Err(ErrorKind::OutOfMemory.into());
        }
        retry_on_intr(|| sendmsg(&self.socket, &[IoSlice::new(&text)], &mut control, SendFlags::NOSIGNAL))?;
        let answer = self.answer(RecvFlags::empty())?;
        Copied::of(process(answer).ok_or(ErrorKind::UnexpectedEof)?)
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _gone = self.process.kill();
        let _gone = self.process.wait();
        // A copy that nobody waited for any more.
        while let Ok(answer) = self.answer(RecvFlags::DONTWAIT) {
            process(answer).into_iter().for_each(end_at_once);
        }
    }
}

/// The number of a process, if it is one.
fn process(number: i32) -> Option<Pid> {
    Some(number).filter(|number| *number > 0).and_then(Pid::from_raw)
}

/// Ends a child by force, and takes note of it.
fn end_at_once(pid: Pid) {
    let _gone = kill_process(pid, Signal::KILL);
    let _gone = retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()));
}

/// A copy, as its parent sees it. Dropping it ends it by force.
#[derive(Debug)]
pub struct Copied {
    pid: Pid,
    /// Becomes readable at its end.
    end: Arc<AsyncFd<OwnedFd>>,
    status: Option<ExitStatus>,
}

impl Copied {
    /// A child of this process that nobody has waited for.
    fn of(pid: Pid) -> io::Result<Self> {
        let opened = pidfd_open(pid, PidfdFlags::empty()).map_err(io::Error::from).and_then(raw::watch);
        match opened {
            Ok(end) => Ok(Self { pid, end: Arc::new(end), status: None }),
            Err(error) => {
                end_at_once(pid);
                Err(error)
            }
        }
    }

    /// Its number.
    pub fn id(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// How it ended, if it has.
    ///
    /// # Errors
    /// It is no child of this process any more.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = ended(self.pid)?;
        }
        Ok(self.status)
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// It is no child of this process any more.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        let status = end(self.pid, &self.end).await?;
        self.status = Some(status);
        Ok(status)
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        if !matches!(self.try_wait(), Ok(None)) {
            return;
        }
        let _gone = pidfd_send_signal(&*self.end, Signal::KILL);
        // It is taken note of once it has ended; as the program itself ends, nobody needs to.
        if let Ok(runtime) = Handle::try_current() {
            let (pid, over) = (self.pid, Arc::clone(&self.end));
            runtime.spawn(async move { end(pid, &over).await });
        }
    }
}

/// Takes note of the end of a child, if it has ended.
fn ended(pid: Pid) -> io::Result<Option<ExitStatus>> {
    let ended = waitpid(Some(pid), WaitOptions::NOHANG)?;
    Ok(ended.map(|(_, status)| ExitStatus::from_raw(status.as_raw())))
}

async fn end(pid: Pid, end: &AsyncFd<OwnedFd>) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = ended(pid)? {
            return Ok(status);
        }
        end.readable().await?.clear_ready();
    }
}

/// Is a template: comes back in each copy, with what it was told. Its input is the socket. Never comes back in the
/// template itself, which ends when nobody asks any more.
pub fn serve() -> Setting {
    let socket = std::io::stdin();
    let mut text = vec![0; MOST];
    let mut quiet = Quiet::new();
    answer(&socket, READY);
    loop {
        let mut asked = [PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
        match poll(&mut asked, PollTimeout::try_from(PATIENCE).unwrap_or(PollTimeout::MAX)) {
            Ok(0) => exit(0),
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(_) => exit(super::super::FAILED),
        }
        let Some((mut setting, files)) = receive(&socket, &mut text) else { exit(0) };
        match raw::fork_beside() {
            Ok(ForkResult::Child) => {
                become_copy(files).unwrap_or_else(|_| exit(super::super::FAILED));
                let quiet = quiet.take();
                setting.quiet = setting.quiet && quiet.is_some_and(Quiet::enter);
                return setting;
            }
            Ok(ForkResult::Parent { child }) => answer(&socket, child.as_raw()),
            Err(_) => answer(&socket, 0),
        }
    }
}

fn answer(socket: &impl AsFd, number: i32) {
    if send(socket, &number.to_ne_bytes(), SendFlags::NOSIGNAL).is_err() {
        exit(0)
    }
}

/// One message, or nothing where the program is gone or speaks otherwise.
fn receive(socket: &impl AsFd, text: &mut [u8]) -> Option<(Setting, [OwnedFd; 3])> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(socket, &mut [IoSliceMut::new(text)], &mut control, RecvFlags::CMSG_CLOEXEC).ok()?;
    if got.bytes == 0 || got.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return None;
    }
    let rights = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(rights) => Some(rights.collect::<Vec<_>>()),
        _ => None,
    });
    let files = rights?.try_into().ok()?;
    Some((Setting::read(&text[..got.bytes])?, files))
}

fn become_copy([input, out, err]: [OwnedFd; 3]) -> nix::Result<()> {
    nix::unistd::dup2_stdin(input)?;
    nix::unistd::dup2_stdout(out)?;
    nix::unistd::dup2_stderr(err)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn a_setting_is_read_as_it_was_told() {
        let odd = OsString::from_vec(b"a\xff=b\n".to_vec());
        let environment = vec![("A".into(), odd.clone()), ("B".into(), OsString::new())];
        for (environment, quiet) in [(environment, false), (Vec::new(), true)] {
            let told = Setting { folder: PathBuf::from(&odd), environment, quiet };
            assert_eq!(Setting::read(&told.message()), Some(told));
        }
        assert_eq!(Setting::read(b"\0/folder\0NAME\0"), None);
        assert_eq!(Setting::read(b""), None);
    }
}
