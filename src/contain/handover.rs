//! The plan on its way to a child, and the child's answer: one file in memory, given to the child as its input. The
//! child reads the plan, puts the answer in its place, and loses the file as it becomes its program; so nothing
//! that a command does can pass for an answer.

use std::fs::File;
use std::io::{Read, Result, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::process::Stdio;

use super::plan::Plan;

/// Longest answer that is read, in bytes.
const LONGEST: u64 = 4096;
const UP: &str = "up";

/// What a child says of its walls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All of them were up before the program began.
    Up,
    /// One couldn't be put up, in one sentence; the program was not run.
    Failed(String),
    /// The child ended before it could say anything; the program was not run.
    Silent,
}

/// The program's end.
#[derive(Debug)]
pub struct Handover {
    file: File,
}

impl Handover {
    /// Writes a plan down for one child.
    ///
    /// # Errors
    /// The system has no files in memory, or no memory.
    pub fn new(plan: &Plan) -> Result<Self> {
        let mut file = File::from(memory_file()?);
        file.write_all(&serde_json::to_vec(plan)?)?;
        file.rewind()?;
        Ok(Self { file })
    }

    /// What the child gets as its input.
    ///
    /// # Errors
    /// No more files can be opened.
    pub fn input(&self) -> Result<Stdio> {
        Ok(self.file.try_clone()?.into())
    }

    /// What the child said, once it has ended.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let mut text = vec![0; usize::try_from(LONGEST).unwrap_or_default()];
        let read = self.file.read_at(&mut text, 0).unwrap_or_default();
        text.truncate(read);
        let text = String::from_utf8_lossy(&text);
        match text.strip_prefix("failed: ") {
            Some(why) => Answer::Failed(why.to_owned()),
            None if text == UP => Answer::Up,
            None => Answer::Silent,
        }
    }
}

/// The child's end.
#[derive(Debug)]
pub struct Orders {
    /// What is to be put up.
    pub plan: Plan,
    file: File,
}

impl Orders {
    /// Reads the plan from the input that this process was started with, and leaves it with an empty one.
    ///
    /// # Errors
    /// There is none, or it can't be read: nothing may be run.
    pub fn receive() -> Result<Self> {
        let mut file = File::from(nix::unistd::dup(std::io::stdin())?);
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let plan = serde_json::from_slice(&text)?;
        nix::unistd::dup2_stdin(File::open("/dev/null")?)?;
        nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC))?;
        Ok(Self { plan, file })
    }

    /// Says that every wall is up. Nothing but the program comes after it.
    ///
    /// # Errors
    /// It can't be said: nothing may be run.
    pub fn up(&self) -> Result<()> {
        self.say(UP)
    }

    /// Says why nothing is run.
    pub fn failed(&self, why: &str) {
        let why: String = why.chars().take(500).collect();
        // An answer that can't be given is silence, which means the same.
        let _silence = self.say(&format!("failed: {why}"));
    }

    fn say(&self, text: &str) -> Result<()> {
        self.file.set_len(0)?;
        self.file.write_all_at(text.as_bytes(), 0)
    }
}

#[cfg(target_os = "linux")]
fn memory_file() -> Result<OwnedFd> {
    super::linux::memory_file()
}

#[cfg(not(target_os = "linux"))]
fn memory_file() -> Result<OwnedFd> {
    Err(std::io::ErrorKind::Unsupported.into())
}
