//! Asks git for what a preview tells: read-only, with nothing of the repository's choosing run, bounded, and ended
//! with the preview. What git would obey is looked at first.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;

use super::Workbench;
use super::children;
use super::contained;
use super::environment::{Asked, search_path};
use super::repository;
use crate::domain::Facts;

/// Most bytes that are read of an answer.
const ANSWER: u64 = 8 * 1024 * 1024;
/// Most bytes that are read of a complaint.
const COMPLAINT: u64 = 2 * 1024;

/// A repository that may be asked.
#[derive(Clone, Debug)]
pub(super) struct Repository {
    /// The folder that holds its `.git`.
    pub(super) root: PathBuf,
    /// The folder that it is asked in.
    folder: PathBuf,
    program: PathBuf,
}

impl Repository {
    /// The repository that git would use in a folder. None if there is none.
    ///
    /// # Errors
    /// It may not be asked, or there is no git, as the end of a sentence.
    pub(super) fn of(bench: &Workbench, folder: &Path) -> Result<Option<Self>, String> {
        let Some(root) = Self::root(folder) else { return Ok(None) };
        let found = repository::look(folder).unwrap_or_default();
        if let Some(key) = found.foreign_keys.first() {
            return Err(format!("its repository's configuration sets `{key}`, which git would obey"));
        }
        let program = program("git", &bench.workspace).ok_or("there is no git on this machine")?;
        Ok(Some(Self { root, folder: folder.to_path_buf(), program }))
    }

    /// The folder above, or the same, that holds a `.git`.
    pub(super) fn root(folder: &Path) -> Option<PathBuf> {
        folder.ancestors().find(|up| up.join(".git").symlink_metadata().is_ok()).map(Path::to_path_buf)
    }

    /// What git answers in the folder.
    ///
    /// # Errors
    /// It failed, answered too much or was stopped, as the end of a sentence.
    pub(super) async fn ask(
        &self,
        bench: &Arc<Workbench>,
        arguments: &[&str],
        cancel: &CancellationToken,
    ) -> Result<Vec<u8>, String> {
        let arguments: Vec<&str> = ["--no-pager"].into_iter().chain(arguments.iter().copied()).collect();
        answer(bench, (&self.folder, None), ("git", &self.program), &arguments, cancel).await
    }
}

/// What a program that only reads answers in a folder, behind the walls of a reader, who sees what an operation named.
///
/// # Errors
/// It failed, answered too much or was stopped, as the end of a sentence.
pub(super) async fn answer(
    bench: &Arc<Workbench>,
    (folder, facts): (&Path, Option<&Facts>),
    (name, program): (&str, &Path),
    arguments: &[&str],
    cancel: &CancellationToken,
) -> Result<Vec<u8>, String> {
    let contained = contained::reader(bench, folder, facts).await;
    let (mut child, pipes) = children::start(bench, Asked::No, folder, program, arguments, contained.plan())
        .map_err(|error| format!("{name} couldn't be started: {error}"))?;
    let (mut answer, mut complaint) = (Vec::new(), Vec::new());
    let (mut out, mut err) = (pipes.out.take(ANSWER + 1), pipes.err.take(COMPLAINT));
    let read = async { tokio::join!(out.read_to_end(&mut answer), err.read_to_end(&mut complaint)) };
    let stopped = tokio::select! {
        _both = read => false,
        () = cancel.cancelled() => true,
    };
    if stopped || answer.len() as u64 > ANSWER {
        child.stop().await;
        return Err(format!("{name} {}", if stopped { "took too long" } else { "had too much to say" }));
    }
    let status = child.wait().await.map_err(|error| format!("{name}'s end couldn't be seen: {error}"))?;
    child.clear_up().await;
    if status.success() {
        return Ok(answer);
    }
    let complaint = String::from_utf8_lossy(&complaint);
    Err(format!("{name} said: {}", complaint.lines().next().unwrap_or("nothing").trim_end_matches('.')))
}

/// A program on our own `PATH`, unless somebody may have put it there for us.
pub(super) fn program(name: &str, workspace: &Path) -> Option<PathBuf> {
    let path = search_path(&std::env::var_os("PATH")?);
    let mut found = std::env::split_paths(&path).map(|folder| folder.join(name)).filter(|file| file.is_file());
    let program = found.next()?.canonicalize().ok()?;
    let open = [workspace, Path::new("/tmp"), Path::new("/var/tmp"), Path::new("/dev/shm")];
    (!open.iter().any(|folder| program.starts_with(folder))).then_some(program)
}
