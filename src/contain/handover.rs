//! The plan on its way to a child, the child's answer, and what the child is to become: one file in memory, given to
//! the child as its input. The child reads the plan, puts the walls up, says so, and waits until the program's lock on
//! the file is gone; then it reads what it is to become, says so too, and loses the file as it becomes that. So nothing
//! that a command does can pass for an answer, and walls can be up before it is known what will run behind them.
//!
//! ```text
//! 0          ENDED        ANSWER       plan's end
//! │ answer … │ exit code  │ plan       │ program
//! ```

use std::fs::File;
use std::io::{ErrorKind, Read, Result};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::Stdio;

use serde::{Deserialize, Serialize};

use super::plan::Plan;

/// Room for an answer, in bytes, and where in it the end stands: 1, and the exit code.
const ANSWER: u64 = 4096;
const ENDED: u64 = ANSWER - 2;
const UP: &str = "up";
const BEGAN: &str = "began";

/// What a child says of its walls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All of them were up before the program began, and it was told what that is: it was run.
    Began,
    /// All of them are up, and it waits. If it has ended, the program was not run.
    Up,
    /// One couldn't be put up, in one sentence; the program was not run.
    Failed(String),
    /// The child ended before it could say anything; the program was not run.
    Silent,
}

/// What a child becomes behind its walls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Where it is.
    #[serde(with = "crate::domain::path")]
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// The program's end.
#[derive(Debug)]
pub struct Handover {
    file: File,
    /// Where the plan ends.
    end: u64,
}

impl Handover {
    /// Writes a plan down for one child, which waits until it is told its program. Without a plan it gets no walls.
    ///
    /// # Errors
    /// The system has no files in memory, or no memory.
    pub fn new(plan: Option<&Plan>) -> Result<Self> {
        let file = File::from(memory_file()?);
        let text = serde_json::to_vec(&plan)?;
        file.write_all_at(&text, ANSWER)?;
        file.lock()?;
        Ok(Self { file, end: ANSWER + text.len() as u64 })
    }

    /// What the child gets as its input.
    ///
    /// # Errors
    /// No more files can be opened.
    pub fn input(&self) -> Result<Stdio> {
        Ok(self.file.try_clone()?.into())
    }

    /// The same for a copy of a template.
    #[must_use]
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Says what the child is to become, which it does once its walls are up. Said once.
    ///
    /// # Errors
    /// It can't be said: nothing is run.
    pub fn send(&self, program: &Program) -> Result<()> {
        self.file.write_all_at(&serde_json::to_vec(program)?, self.end)?;
        self.file.unlock()
    }

    /// The exit code that the program ended with, if its walls say that nobody is left behind them.
    #[must_use]
    pub fn ended(&self) -> Option<u8> {
        let mut end = [0; 2];
        self.file.read_exact_at(&mut end, ENDED).ok()?;
        (end[0] == 1).then_some(end[1])
    }

    /// What the child said: how far it is; once it has ended, for good.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let mut text = vec![0; usize::try_from(ENDED).unwrap_or_default()];
        let read = self.file.read_at(&mut text, 0).unwrap_or_default();
        text.truncate(read);
        let text = String::from_utf8_lossy(&text);
        let text = text.trim_end_matches('\0');
        match text.strip_prefix("failed: ") {
            Some(why) => Answer::Failed(why.to_owned()),
            None if text == BEGAN => Answer::Began,
            None if text == UP => Answer::Up,
            None => Answer::Silent,
        }
    }
}

/// The child's end.
#[derive(Debug)]
pub struct Orders {
    /// What is to be put up, if anything is.
    pub plan: Option<Plan>,
    file: File,
    /// Where the plan ends.
    end: u64,
}

impl Orders {
    /// Reads the plan from the input that this process was started with, and leaves it with an empty one.
    ///
    /// # Errors
    /// There is none, or it can't be read: nothing may be run.
    pub fn receive() -> Result<Self> {
        // Opened anew: the lock is on what was handed down, and would be this process's own.
        let file = File::options().read(true).write(true).open("/proc/self/fd/0")?;
        nix::unistd::dup2_stdin(File::open("/dev/null")?)?;
        let text = rest(&file, ANSWER)?;
        // The program may stand behind it by now.
        let mut values = serde_json::Deserializer::from_slice(&text).into_iter::<Option<Plan>>();
        let plan = values.next().ok_or(ErrorKind::UnexpectedEof)??;
        let end = ANSWER + values.byte_offset() as u64;
        Ok(Self { plan, file, end })
    }

    /// Says that every wall is up. Nothing but the wait for the program comes after it.
    ///
    /// # Errors
    /// It can't be said: nothing may be run.
    pub fn up(&self) -> Result<()> {
        self.file.write_all_at(UP.as_bytes(), 0)
    }

    /// Says why nothing is run.
    pub fn failed(&self, why: &str) {
        let why: String = why.chars().take(500).collect();
        // An answer that can't be given is silence, which means the same.
        let _silence = self.file.write_all_at(format!("failed: {why}").as_bytes(), 0);
    }

    /// Says that nobody is left, and which exit code the program ended with. Unsaid, whoever waits sees it later.
    pub fn ended(&self, code: u8) {
        let _unsaid = self.file.write_all_at(&[1, code], ENDED);
    }

    /// Waits until it is told what to become, and says that it was.
    ///
    /// # Errors
    /// It isn't told: whoever should have done so is gone. Or it can't say so: nothing may be run.
    pub fn program(&self) -> Result<Program> {
        while let Err(error) = self.file.lock_shared() {
            if error.kind() != ErrorKind::Interrupted {
                return Err(error);
            }
        }
        let program = serde_json::from_slice(&rest(&self.file, self.end)?)?;
        self.file.write_all_at(BEGAN.as_bytes(), 0)?;
        Ok(program)
    }
}

/// What stands in a file from a place on.
fn rest(file: &File, from: u64) -> Result<Vec<u8>> {
    use std::io::Seek as _;
    let mut file = file;
    file.seek(std::io::SeekFrom::Start(from))?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    Ok(text)
}

#[cfg(target_os = "linux")]
fn memory_file() -> Result<OwnedFd> {
    super::linux::memory_file()
}

#[cfg(not(target_os = "linux"))]
fn memory_file() -> Result<OwnedFd> {
    Err(ErrorKind::Unsupported.into())
}
