//! Starts and ends children. Each runs in a session of its own, in a scrubbed environment, with nothing on its input
//! and without a terminal, or in one of its own that a person was asked about; its end is the end of everything it
//! started there.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tokio::process::{ChildStderr, ChildStdout, Command};
use tokio::time::{sleep, timeout};

use super::Workbench;
use super::environment::{self, Asked};
use super::spare::Sight;
use crate::contain::{self, Answer, Copied, Handover, Plan, Program, Setting};

/// Time between the request to end and the end by force.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Size of a pipe, where the system grants it: fewer and larger reads in a flood.
const PIPE: i32 = 1024 * 1024;
/// Where a bash may be. Never looked up on `PATH`.
const BASH: [&str; 5] =
    ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash", "/run/current-system/sw/bin/bash"];

/// The bash that runs commands, if there is one.
pub(super) fn bash() -> Option<PathBuf> {
    BASH.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// A child and its session. Dropping it ends the session by force.
#[derive(Debug)]
pub(super) struct Child {
    process: Process,
    handover: Option<Handover>,
    /// It runs among processes of its own, which the kernel ends with it.
    apart: bool,
    session: Pid,
    /// Nobody is left: its number may be somebody else's by now.
    over: bool,
}

/// How a child came to be.
#[derive(Debug)]
enum Process {
    /// It was started.
    Started(tokio::process::Child),
    /// It is a copy of the template.
    Copied(Copied),
}

impl Process {
    async fn wait(&mut self) -> io::Result<ExitStatus> {
        match self {
            Self::Started(process) => process.wait().await,
            Self::Copied(process) => process.wait().await,
        }
    }

    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        match self {
            Self::Started(process) => process.try_wait(),
            Self::Copied(process) => process.try_wait(),
        }
    }
}

/// The reading ends of a child's output.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) out: ChildStdout,
    pub(super) err: ChildStderr,
}

impl Pipes {
    fn widen(&self) {
        widen(&self.out);
        widen(&self.err);
    }
}

/// A child that waits for its program, behind the walls of a plan if it gets one: the one in reserve, a copy of the
/// template, or one that is started. None where it has to be started as the program.
pub(super) fn waiting(
    bench: &Workbench,
    asked: Asked,
    folder: &Path,
    plan: Option<&Plan>,
) -> io::Result<Option<(Child, Pipes)>> {
    let Some(plan) = plan else { return Ok(copied(bench, &setting(asked, folder, None), None)) };
    // Only readers are alike enough for one in reserve.
    let waiting = if asked == Asked::No { bench.spare.take(plan) } else { None };
    match waiting {
        Some(waiting) => Ok(Some(waiting)),
        None => walled(bench, asked, folder, plan).map(Some),
    }
}

/// Starts `program` by way of our own binary, which gives it a session of its own, puts the walls of a plan up
/// around it, and becomes it.
pub(super) fn start(
    bench: &Workbench,
    asked: Asked,
    folder: &Path,
    program: &Path,
    arguments: &[&str],
    plan: Option<&Plan>,
) -> io::Result<(Child, Pipes)> {
    let waiting = waiting(bench, asked, folder, plan)?;
    begin(waiting, bench, asked, folder, (program, arguments), plan)
}

/// The same, of the child that [`waiting`] gave.
pub(super) fn begin(
    waiting: Option<(Child, Pipes)>,
    bench: &Workbench,
    asked: Asked,
    folder: &Path,
    (program, arguments): (&Path, &[&str]),
    plan: Option<&Plan>,
) -> io::Result<(Child, Pipes)> {
    let Some((mut child, pipes)) = waiting else {
        let mut command = launch(bench, contain::OPEN, setting(asked, folder, None));
        command.arg(program).args(arguments).stdin(Stdio::null());
        return piped(command, None, false);
    };
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let program = Program { path: program.to_path_buf(), arguments };
    child.handover.as_ref().map_or(Ok(()), |handover| handover.send(&program))?;
    if plan.is_none() {
        // It had no walls to answer for.
        child.handover = None;
    }
    Ok((child, pipes))
}

/// Starts children that wait behind the walls of a reader's plan for the next ones that need just those. One that can't
/// be started is missed by nobody. Without a view of the disk of its own there is none: what may be read is listed as the
/// walls are put up, so a file that is new or was replaced since could not be.
pub(super) fn reserve(bench: &Workbench, plan: &Plan) {
    if !plan.layers.namespaces {
        return;
    }
    for _ in 0..bench.spare.room(plan) {
        let sight = Sight::of(plan);
        let Ok(started) = walled(bench, Asked::No, &plan.cwd, plan) else { return };
        bench.spare.put(plan.clone(), sight, started);
    }
}

/// Starts a child that puts up the walls of a plan, and waits behind them for its program.
fn walled(bench: &Workbench, asked: Asked, folder: &Path, plan: &Plan) -> io::Result<(Child, Pipes)> {
    if let Some(copied) = copied(bench, &setting(asked, folder, Some(plan)), Some(plan)) {
        return Ok(copied);
    }
    let handover = Handover::new(Some(plan))?;
    let mut command = launch(bench, contain::WALLED, setting(asked, folder, Some(plan)));
    command.stdin(handover.input()?);
    piped(command, Some(handover), plan.layers.namespaces)
}

/// A copy of the template, where there is one: it waits for its program, behind the walls of a plan if it got one.
fn copied(bench: &Workbench, setting: &Setting, plan: Option<&Plan>) -> Option<(Child, Pipes)> {
    let ((out, their_out), (err, their_err)) = (io::pipe().ok()?, io::pipe().ok()?);
    let pipes = Pipes {
        out: ChildStdout::from_std(OwnedFd::from(out).into()).ok()?,
        err: ChildStderr::from_std(OwnedFd::from(err).into()).ok()?,
    };
    let handover = Handover::new(plan).ok()?;
    let copied = bench.spare.copy(setting, [handover.as_fd(), their_out.as_fd(), their_err.as_fd()])?;
    pipes.widen();
    let session = Pid::from_raw(copied.id());
    let apart = plan.is_some_and(|plan| plan.layers.namespaces);
    let child = Child { process: Process::Copied(copied), handover: Some(handover), apart, session, over: false };
    Some((child, pipes))
}

/// Where a child starts, and what it gets of our environment.
fn setting(asked: Asked, folder: &Path, plan: Option<&Plan>) -> Setting {
    let mut environment = environment::of_child(std::env::vars_os(), asked, plan.is_some());
    let temporary = plan.map(|plan| plan.temporary().map(Path::to_path_buf));
    environment.retain(|(name, _)| temporary.is_none() || name != "TMPDIR");
    environment.push(("PWD".into(), folder.into()));
    environment.extend(temporary.flatten().map(|folder| ("TMPDIR".into(), folder.into())));
    if let Some(plan) = plan.filter(|plan| plan.door.is_some()) {
        environment
            .extend(environment::by_proxy(plan.layer.is_none()).map(|(name, value)| (name.into(), value.into())));
    }
    Setting { folder: folder.to_path_buf(), environment, quiet: plan.is_some_and(Plan::quiet) }
}

fn piped(mut command: Command, handover: Option<Handover>, apart: bool) -> io::Result<(Child, Pipes)> {
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (Some(id), Some(out), Some(err)) = (process.id(), process.stdout.take(), process.stderr.take()) else {
        return Err(io::Error::other("its output can't be read"));
    };
    let pipes = Pipes { out, err };
    pipes.widen();
    let session = Pid::from_raw(i32::try_from(id).map_err(io::Error::other)?);
    Ok((Child { process: Process::Started(process), handover, apart, session, over: false }, pipes))
}

/// Starts `program` in the terminal whose other side is `side`, which becomes its own. No walls are around it.
pub(super) fn start_in_terminal(
    bench: &Workbench,
    folder: &Path,
    program: &Path,
    arguments: &[&str],
    side: OwnedFd,
) -> io::Result<Child> {
    let mut command = launch(bench, contain::TERMINAL, setting(Asked::Terminal, folder, None));
    command.arg(program).args(arguments);
    command.stdin(side.try_clone()?).stdout(side.try_clone()?).stderr(side);
    let process = command.spawn()?;
    let id = process.id().ok_or_else(|| io::Error::other("it ended at once"))?;
    let session = Pid::from_raw(i32::try_from(id).map_err(io::Error::other)?);
    Ok(Child { process: Process::Started(process), handover: None, apart: false, session, over: false })
}

/// Our own binary, which becomes a program; that, its input and output are still to be said.
fn launch(bench: &Workbench, walls: &str, setting: Setting) -> Command {
    let mut command = Command::new(&bench.launcher);
    command
        .args([contain::CHILD, &std::process::id().to_string(), walls])
        .current_dir(setting.folder)
        .env_clear()
        .envs(setting.environment)
        .kill_on_drop(true);
    command
}

/// Asks for a larger pipe. Without it reading is slower, no more.
fn widen(pipe: &impl std::os::fd::AsFd) {
    #[cfg(target_os = "linux")]
    let _smaller = nix::fcntl::fcntl(pipe, nix::fcntl::FcntlArg::F_SETPIPE_SZ(PIPE));
    #[cfg(not(target_os = "linux"))]
    let _ = (pipe, PIPE);
}

impl Child {
    /// Its exit status, if nobody is left of it: the system may still be taking down what was around it.
    pub(super) fn ended(&self) -> Option<ExitStatus> {
        let code = self.handover.as_ref().and_then(Handover::ended)?;
        Some(ExitStatus::from_raw(i32::from(code) << 8))
    }

    /// Takes note of its end later, where nobody is left of it: it needn't be forced to what is happening.
    pub(super) fn leave(mut self) {
        if self.over && self.ended().is_some() {
            tokio::spawn(async move { self.wait().await });
        }
    }

    /// Waits for its end.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.process.wait().await
    }

    /// Whether it still waits for what it is to become, or is on the way there.
    pub(super) fn waits(&mut self) -> bool {
        let fit = matches!(self.answer(), Some(Answer::Up | Answer::Silent));
        fit && matches!(self.process.try_wait(), Ok(None))
    }

    /// What it said of its walls, once it has ended; none if it was to have none.
    pub(super) fn answer(&self) -> Option<Answer> {
        self.handover.as_ref().map(Handover::answer)
    }

    /// Ends it and all it started: asks first, and forces what doesn't listen.
    pub(super) async fn stop(&mut self) {
        self.signal(Signal::SIGTERM);
        // What is stopped can't hear a request.
        self.signal(Signal::SIGCONT);
        let ended = async {
            let _status = self.process.wait().await;
            while !members(self.session).is_empty() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        if timeout(PATIENCE, ended).await.is_err() {
            self.signal(Signal::SIGKILL);
            let _status = self.process.wait().await;
        }
        self.over = true;
    }

    /// Ends what it left behind in its session. Gives how many processes that were.
    pub(super) async fn clear_up(&mut self) -> usize {
        let nobody = self.apart && self.answer() == Some(Answer::Began);
        let left = if nobody { 0 } else { members(self.session).len() };
        if left > 0 || !nobody && cfg!(not(target_os = "linux")) {
            self.stop().await;
        }
        self.over = true;
        left
    }

    fn signal(&self, signal: Signal) {
        // Errors mean that nobody is left there.
        let _gone = killpg(self.session, signal);
        for member in members(self.session) {
            let _gone = kill(member, signal);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.over {
            self.signal(Signal::SIGKILL);
        }
    }
}

/// The living processes of a session, whatever group they moved to. Empty where there is no `/proc`: there
/// the process group is all that is known.
pub(crate) fn members(session: Pid) -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| lives_in(&stat, session.as_raw()))
        })
        .map(Pid::from_raw)
        .collect()
}

/// Whether a line of `/proc/PID/stat` is of a living process in `session`. The name in it may hold anything,
/// so the fields are counted from its end: state, parent, group, session.
fn lives_in(stat: &str, session: i32) -> bool {
    let Some((_, fields)) = stat.rsplit_once(')') else { return false };
    let mut fields = fields.split_ascii_whitespace();
    let alive = fields.next().is_some_and(|state| state != "Z" && state != "X");
    alive && fields.nth(2).and_then(|field| field.parse().ok()) == Some(session)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::contain::Layers;

    /// A bench whose children only wait.
    fn waiting(folder: &Path) -> Workbench {
        let mut bench = Workbench::new(folder.to_path_buf(), None, folder.to_path_buf());
        bench.launcher = folder.join("wait");
        std::fs::write(&bench.launcher, "#!/bin/sh\nexec sleep 30\n").unwrap();
        std::fs::set_permissions(&bench.launcher, std::fs::Permissions::from_mode(0o700)).unwrap();
        bench
    }

    fn plan(folder: &Path, namespaces: bool) -> Plan {
        let layers = Layers { namespaces, landlock: true, syscalls: true };
        Plan { layers, cwd: folder.to_path_buf(), ..Plan::default() }
    }

    #[tokio::test]
    async fn none_is_in_reserve_where_walls_list_what_may_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let bench = waiting(folder.path());
        for namespaces in [true, false] {
            let plan = plan(folder.path(), namespaces);
            reserve(&bench, &plan);
            assert_eq!(bench.spare.take(&plan).is_some(), namespaces);
        }
    }

    #[tokio::test]
    async fn one_that_has_ended_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let bench = waiting(folder.path());
        let plan = plan(folder.path(), true);
        let (child, pipes) = walled(&bench, Asked::No, &plan.cwd, &plan).unwrap();
        kill(child.session, Signal::SIGKILL).unwrap();
        sleep(Duration::from_millis(200)).await;
        bench.spare.put(plan.clone(), Sight::of(&plan), (child, pipes));
        assert!(bench.spare.take(&plan).is_none());
    }

    #[test]
    fn a_process_with_a_confusing_name_is_found_in_its_session() {
        assert!(lives_in("12 (a) S 9 (b) R 1 7 77 0 -1", 77));
        assert!(!lives_in("12 (sleep) Z 1 7 77 0 -1", 77));
        assert!(!lives_in("12 (sleep) S 1 77 7 0 -1", 77));
    }
}
