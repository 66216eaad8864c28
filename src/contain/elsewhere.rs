//! What this system has no means for: children that are copies of one that has come up already.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// Where a copy starts and what it passes on.
#[derive(Debug)]
pub struct Setting {
    /// Its working folder.
    pub folder: PathBuf,
    /// The environment of what it becomes.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether it is to be in a network in which there is nothing.
    pub quiet: bool,
}

/// There is none.
#[derive(Debug)]
pub struct Template(Infallible);

impl Template {
    /// Starts none.
    ///
    /// # Errors
    /// Always.
    pub fn start(_launcher: &Path) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Whether it has ended.
    pub fn over(&mut self) -> bool {
        match self.0 {}
    }

    /// No copy.
    ///
    /// # Errors
    /// Never: there is no template.
    pub fn copy(&self, _setting: &Setting, _files: [BorrowedFd<'_>; 3]) -> io::Result<Copied> {
        match self.0 {}
    }
}

/// There is none.
#[derive(Debug)]
pub struct Copied(Infallible);

impl Copied {
    /// Its number.
    pub fn id(&self) -> i32 {
        match self.0 {}
    }

    /// How it ended.
    ///
    /// # Errors
    /// Never: there is none.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        match self.0 {}
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// Never: there is none.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        match self.0 {}
    }
}

/// Is no template.
pub fn serve() -> Setting {
    std::process::exit(super::FAILED)
}
