//! `countersign hook AGENT`: one call of another agent in on standard input, our answer out in the agent's own words,
//! and both in the journal. Whatever fails here answers that a person is to be asked.

mod arguments;
mod install;
mod opinion;
mod record;

use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

pub(super) use arguments::HookArguments;
pub use install::{Scope, install, status, uninstall};
pub use opinion::{Desk, Thought, Weighed};

use crate::agents::{Agent, Answer, Call, session_of};
use crate::config::{ConfigError, Folders};
use crate::domain::Strict;

/// Longest input, in bytes.
const INPUT: u64 = 1024 * 1024;
/// Longest time for an answer. Agents wait for longer, and then go on without one.
const PATIENCE: Duration = Duration::from_secs(10);
/// Stack of the thread that judges: parsers of deeply nested text need it.
const STACK: usize = 64 * 1024 * 1024;

/// How a hook answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// It has no opinion where it would allow.
    pub advise: bool,
    /// A command that only reads is run behind walls.
    pub contain: bool,
    /// What can't be asked by the agent's hook is left to the agent.
    pub leave_asking: bool,
    /// The configuration file that was named.
    pub config: Option<PathBuf>,
}

/// What a hook that ran into trouble answers.
#[derive(Default)]
struct Trouble {
    call: Option<Box<Call>>,
    /// The session that the agent named, where that is all that could be read.
    session: Option<String>,
    why: String,
    /// The journal itself is the trouble.
    unwritten: bool,
}

impl Trouble {
    fn of(why: impl Into<String>) -> Self {
        Self { why: why.into(), ..Self::default() }
    }

    fn about(call: Call, why: impl Into<String>) -> Self {
        Self { call: Some(Box::new(call)), ..Self::of(why) }
    }

    /// The same once it is in the journal; otherwise it says that it isn't.
    fn noted(self, agent: &dyn Agent, folders: Option<&Folders>) -> Self {
        let Some(folders) = folders.filter(|_| !self.unwritten) else { return self };
        match record::unjudged(folders, agent, &self) {
            Ok(()) => self,
            Err(error) => Self { why: format!("{}; nor can the journal be written ({error})", self.why), ..self },
        }
    }
}

/// Answers the call on standard input.
#[must_use]
pub fn run(agent: &'static dyn Agent, manner: Manner, folders: Result<Folders, ConfigError>) -> ExitCode {
    // A parser that fails on hostile text is caught and answered; its words don't belong beside the answer.
    std::panic::set_hook(Box::new(|_| {}));
    let (answered, answer) = channel();
    let known = folders.as_ref().ok().cloned();
    let over = Arc::new(AtomicBool::new(false));
    let too_late = Arc::clone(&over);
    let work = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| consider(agent, &manner, folders, &too_late)));
        let failed = |_| Err(Trouble::of("the call couldn't be judged"));
        // Within the same time: a journal that doesn't answer holds no answer up.
        let note = || outcome.unwrap_or_else(failed).map_err(|trouble| trouble.noted(agent, known.as_ref()));
        let noted = catch_unwind(AssertUnwindSafe(note)).unwrap_or_else(failed);
        // Nobody listens any more once the time is over.
        let _late = answered.send(noted);
    };
    let started = thread::Builder::new().stack_size(STACK).spawn(work);
    let outcome = match started {
        Ok(_thread) => answer.recv_timeout(PATIENCE).unwrap_or_else(|error| {
            over.store(true, Ordering::SeqCst);
            let why = match error {
                RecvTimeoutError::Timeout => format!("there was no answer within {} s", PATIENCE.as_secs()),
                RecvTimeoutError::Disconnected => "the call couldn't be judged".to_owned(),
            };
            Err(Trouble::of(why))
        }),
        Err(error) => Err(Trouble::of(format!("no thread could be started ({error})"))),
    };
    let reply = match outcome {
        Ok((call, answer)) => agent.reply(Some(&call), &answer),
        Err(Trouble { call, why, .. }) => {
            agent.reply(call.as_deref(), &Answer::ask(format!("Countersign can't judge this: {why}.")))
        }
    };
    if !reply.err.is_empty() {
        crate::say!("{}", reply.err);
    }
    let mut out = std::io::stdout().lock();
    let said = out.write_all(reply.out.as_bytes()).and_then(|()| out.flush());
    // Without an answer the exit code is all that is left to say.
    if said.is_ok() && !nobody_hears() { ExitCode::from(reply.code) } else { ExitCode::from(2) }
}

/// Whether what is said on standard output goes nowhere. One that was closed is the null device by the time that a
/// program runs.
#[cfg(unix)]
fn nobody_hears() -> bool {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

    let null = std::fs::metadata("/dev/null").ok().filter(|about| about.file_type().is_char_device());
    let out = rustix::fs::fstat(std::io::stdout());
    matches!((null, out), (Some(null), Ok(out)) if null.rdev() == out.st_rdev && null.mode() == out.st_mode)
}

/// The same where the system has no word for it.
#[cfg(not(unix))]
fn nobody_hears() -> bool {
    false
}

/// Reads the call, thinks about it, and writes both down.
fn consider(
    agent: &'static dyn Agent,
    manner: &Manner,
    folders: Result<Folders, ConfigError>,
    too_late: &AtomicBool,
) -> Result<(Call, Answer), Trouble> {
    let sent = read_input().map_err(Trouble::of)?;
    let unread = |why| Trouble { session: session_of(&sent).map(str::to_owned), ..Trouble::of(why) };
    let call = agent.read(&sent).map_err(unread)?;
    if manner.contain && !agent.replaces() {
        let why = format!("--contain isn't for {}, whose hook takes no other command", agent.title());
        return Err(Trouble::about(call, why));
    }
    let folders = match folders {
        Ok(folders) => folders,
        Err(error) => return Err(Trouble::about(call, error.to_string())),
    };
    let judged = catch_unwind(AssertUnwindSafe(|| {
        Desk::new(&folders, std::env::vars_os(), (agent, &call)).think(agent, &call, manner)
    }));
    let Ok(thought) = judged else {
        return Err(Trouble::about(call, "the judging failed on it"));
    };
    if too_late.load(Ordering::SeqCst) {
        // It was answered otherwise: what isn't said has no place on record.
        return Err(Trouble { unwritten: true, ..Trouble::about(call, "its time was over") });
    }
    match record::record(&folders, agent, &call, &thought) {
        Ok(()) => Ok((call, thought.answer)),
        Err(why) => {
            let why = format!("the journal can't be written, and nothing runs without it ({why})");
            Err(Trouble { unwritten: true, ..Trouble::about(call, why) })
        }
    }
}

/// The JSON on standard input.
fn read_input() -> Result<Value, String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(INPUT + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("its input can't be read ({error})"))?;
    if bytes.len() as u64 > INPUT {
        return Err(format!("its input is longer than {INPUT} bytes"));
    }
    // Where a member comes twice, the agent may go by the other one.
    let read = serde_json::from_slice::<Strict>(&bytes);
    let Strict(value) = read.map_err(|error| format!("its input can't be read as JSON ({error})"))?;
    if value.is_object() { Ok(value) } else { Err("its input is no JSON object".to_owned()) }
}
