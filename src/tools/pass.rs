//! Runs one countersigned command with its output passed through as it comes, for `countersign exec`: behind the same
//! walls as on the screen, and not at all without them. What is certainly a secret is masked as in what a model is told:
//! who reads it may be one.

use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

use super::Workbench;
use super::command::start;
use super::contained::{self, Contained};
use super::refusal::{self, Smell};
use super::veil::Veil;
use crate::assess::Committed;
use crate::contain::Answer;
use crate::domain::{Countersigned, OperationKind};

/// How much of the end of its output is looked through for refusals, in bytes.
const TAIL: usize = 8 * 1024;
/// What is said where a wall may be why it failed.
const WALL: &str =
    "a wall may have stopped this: it ran contained, where nothing can be changed and no network is reached";
/// Most bytes that are passed on at once.
const PIECE: usize = 64 * 1024;

/// What became of a command whose output was passed through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Its exit code; 128 and the signal's number where one ended it.
    pub code: u8,
    /// What a wall may have to do with how it ended, in a sentence.
    pub wall: Option<String>,
    /// How many masks stand in the place of secrets.
    pub masks: usize,
}

/// Runs a command to its end behind its walls. Ended early when `cancel` fires.
///
/// # Errors
/// It was not run, in a sentence without its end: it isn't a command, or there are no walls for it.
pub async fn pass(
    bench: &Arc<Workbench>,
    run: &Countersigned,
    (out, err): (&mut (impl AsyncWrite + Unpin), &mut (impl AsyncWrite + Unpin)),
    cancel: CancellationToken,
) -> Result<Passed, String> {
    let OperationKind::Command(command) = &run.operation().kind else { return Err("it is no command".to_owned()) };
    let mut contained = contained::plan(bench, run).await;
    let proxy = contained.open();
    let plan = match &contained {
        Contained::By(plan, _) => plan.missed.map_or(Ok(plan), |missed| Err(missed.to_string()))?,
        Contained::Cannot(why) | Contained::Refused(why) => return Err(why.clone()),
        Contained::Unasked | Contained::Staged(..) => return Err("it isn't to be contained read-only".to_owned()),
    };
    let (mut child, pipes) = start(bench, run, command, &contained)?;
    let (mut tail, mut complaint) = (Vec::new(), Vec::new());
    let known = &bench.settings.known;
    let committed = || Committed::of(Some(&command.command), &run.prepared().facts, &bench.settings);
    let mut veils = [(); 2].map(|()| Veil::new(known.clone(), committed()));
    let [first, second] = &mut veils;
    let both = async {
        tokio::join!(copy(pipes.out, out, (first, &mut tail)), copy(pipes.err, err, (second, &mut complaint)))
    };
    tokio::select! {
        (first, second) = both => {
            if first.is_err() || second.is_err() {
                // Nobody reads what it prints any more.
                child.stop().await;
            }
        }
        () = cancel.cancelled() => child.stop().await,
    }
    let status = child.wait().await.map_err(|error| format!("it ran, but its end couldn't be seen ({error})"))?;
    child.clear_up().await;
    let up = match child.answer() {
        Some(Answer::Began) => Ok(()),
        Some(Answer::Failed(why)) => Err(why),
        Some(Answer::Up | Answer::Silent) | None => Err("the child ended before it began".to_owned()),
    };
    if let Err(why) = up {
        bench.walls.distrust().await;
        return Err(format!("its walls couldn't be put up ({why})"));
    }
    let reached = match proxy {
        Some(proxy) => proxy.close().await,
        None => (None, false),
    };
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    tail.extend(complaint);
    let smell = || match refusal::smell(&String::from_utf8_lossy(&tail), plan) {
        Smell::None => None,
        Smell::Hidden => Some("sensitive files can't be read here".to_owned()),
        Smell::Wall => Some(WALL.to_owned()),
    };
    let blind = run.prepared().assessment.blind.as_deref();
    let wall = match reached {
        _ if blind.is_some() => blind.map(|blind| blind.trim_end_matches('.').to_owned()),
        _ if code == 0 => None,
        (Some(told), true) => Some(told.trim_end_matches('.').to_owned()),
        _ => smell(),
    };
    let masks = veils.iter().map(|veil| veil.masks).sum();
    Ok(Passed { code: u8::try_from(code).unwrap_or(1), wall, masks })
}

/// Copies to the end through a veil, and keeps the last of what was read.
async fn copy(
    mut from: impl AsyncRead + Unpin,
    to: &mut (impl AsyncWrite + Unpin),
    (veil, tail): (&mut Veil, &mut Vec<u8>),
) -> std::io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let read = from.read(&mut piece).await?;
        let shown = if read == 0 { veil.rest() } else { veil.take(&piece[..read]) };
        to.write_all(&shown).await?;
        to.flush().await?;
        if read == 0 {
            return Ok(());
        }
        tail.extend_from_slice(&piece[..read]);
        let over = tail.len().saturating_sub(TAIL);
        tail.drain(..over);
    }
}
