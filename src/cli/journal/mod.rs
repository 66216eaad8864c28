//! `countersign journal`: what was decided and done, read back for people and programs. Nothing of it runs or changes
//! anything but `show` of an old file, which brings that up to date.

mod arguments;
mod covered;
mod replay;
mod show;
mod stats;
mod tail;
mod told;
mod when;

use std::fmt::Write as _;
use std::future::Future;
use std::io::{IsTerminal as _, Write};
use std::process::ExitCode;

use serde_json::json;

use arguments::Decision;
pub(super) use arguments::{Filters, JournalCommand};
pub(super) use covered::covered;
use told::{SCHEMA, Teller};

use super::{BAD_USAGE, Options, Start, known, runtime};
use crate::assess::AssessSettings;
use crate::config::{ConfigError, Folders, process_environment};
use crate::domain::OperationId;
use crate::store::{Archive, JournalError, Page, Recorded, Wanted, goes_by};

/// Operations that are read at a time.
const PAGE: u32 = 500;

/// Why there is nothing to tell, in a sentence.
enum Trouble {
    /// The command line names what isn't there: bad usage.
    Usage(String),
    /// The journal can't be read.
    Journal(JournalError),
}

impl From<JournalError> for Trouble {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

/// Runs one of the commands.
///
/// # Errors
/// The program's folders aren't known, or an option names nothing there is.
pub(super) fn run(command: JournalCommand, options: &mut Options) -> Result<ExitCode, ConfigError> {
    // Before there is a second thread.
    when::offset();
    let reveal = matches!(command, JournalCommand::Show { reveal: true, .. });
    if reveal && !std::io::stdout().is_terminal() {
        return Err(ConfigError::Option("--reveal shows secrets, and only on a terminal".to_owned()));
    }
    let folders = Folders::find(options.config.as_deref(), &process_environment)?;
    let path = folders.journal();
    match command {
        JournalCommand::Show { id, limit, filters, .. } => {
            let teller = if reveal { Teller::revealing() } else { Teller::masking(options) };
            block_on(with(&path, async |archive| {
                teller.learn(archive, 0).await?;
                match &id {
                    Some(id) => show::named(archive, id, (limit, &filters), &teller).await,
                    None => show::list(archive, limit, &filters, &teller).await,
                }
            }))
        }
        JournalCommand::Tail { follow, limit, filters } => {
            let teller = Teller::masking(options);
            block_on(with(&path, async |archive| {
                teller.learn(archive, 0).await?;
                tail::run(archive, (follow, limit), &filters, &teller).await
            }))
        }
        JournalCommand::Replay { ids, mode, filters } => {
            options.mode = mode.or(options.mode);
            let terms = replay::Terms::read(&Start::read(options, &process_environment)?)?;
            let teller = Teller::masking(options);
            block_on(with(&path, async |archive| {
                teller.learn(archive, 0).await?;
                replay::run(archive, &terms, (&ids, &filters), &teller).await
            }))
        }
        // Nothing that somebody wrote is told: no secret has to be known.
        JournalCommand::Verify { head, json } => {
            block_on(with(&path, async |archive| verify(archive, head.as_deref(), json).await))
        }
        JournalCommand::Stats { filters } => block_on(with(&path, async |archive| stats::run(archive, &filters).await)),
    }
}

fn block_on(work: impl Future<Output = ExitCode>) -> Result<ExitCode, ConfigError> {
    Ok(runtime()?.block_on(work))
}

/// Opens the journal and does something with it.
async fn with(path: &std::path::Path, work: impl AsyncFnOnce(&mut Archive) -> Result<ExitCode, Trouble>) -> ExitCode {
    let done = async {
        let Some(mut archive) = Archive::open(path).await? else {
            crate::say!("countersign: there is no journal yet: nothing was recorded");
            return Ok(ExitCode::SUCCESS);
        };
        let done = work(&mut archive).await;
        archive.close().await;
        done
    };
    done.await.unwrap_or_else(|trouble| {
        match trouble {
            Trouble::Usage(why) => crate::say!("countersign: {why}"),
            Trouble::Journal(error) => {
                crate::say!("countersign: {error}");
                return ExitCode::FAILURE;
            }
        }
        ExitCode::from(BAD_USAGE)
    })
}

impl Teller {
    /// Shows secrets as they are.
    fn revealing() -> Self {
        let terminal = std::io::stdout().is_terminal();
        let columns = crossterm::terminal::size().ok().filter(|_| terminal).map(|(columns, _)| usize::from(columns));
        Self { eyes: None, columns }
    }

    /// Masks by shape, and by the values that are known.
    fn masking(options: &Options) -> Self {
        let eyes = AssessSettings { known: known(options), ..AssessSettings::default() };
        Self { eyes: Some(eyes), ..Self::revealing() }
    }

    /// Masks what sessions noted as secrets in their entries after this one, from now on.
    async fn learn(&self, archive: &mut Archive, after: i64) -> Result<(), JournalError> {
        if let Some(eyes) = &self.eyes {
            eyes.known.learn(archive.hidden(after).await?);
        }
        Ok(())
    }
}

/// Prints. False if the reader has seen what it wanted.
fn print(text: &str) -> bool {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// What the filters say to the store, and the session among them.
async fn wanted(archive: &mut Archive, filters: &Filters) -> Result<Wanted, Trouble> {
    let session = match &filters.session {
        Some(named) => Some(session(archive, named).await?),
        None => None,
    };
    let (since_ms, until_ms) = (filters.since.map(|when| when.at_ms), filters.until.map(|when| when.at_ms));
    Ok(Wanted { session, since_ms, until_ms, ..Wanted::default() })
}

/// The session that is named by its id, or by the beginning or end of it.
async fn session(archive: &mut Archive, named: &str) -> Result<String, Trouble> {
    let all = archive.session_ids().await?;
    if named.is_empty() {
        return Err(Trouble::Usage("name a session by its id, or by the beginning or end of it".to_owned()));
    }
    let mut hits = all.iter().filter(|id| goes_by(id, named));
    if all.iter().any(|id| id == named) {
        return Ok(named.to_owned());
    }
    match (hits.next(), hits.next()) {
        (Some(id), None) => Ok(id.clone()),
        (Some(one), Some(other)) => {
            Err(Trouble::Usage(format!("`{named}` could be the session {one} or {other}: give more of its id")))
        }
        (None, _) => Err(Trouble::Usage(format!(
            "there is no session `{named}` in the journal; `countersign journal show` lists what there is"
        ))),
    }
}

/// The operations that `89abcdef#3`, or the number of an entry, means.
async fn operation(archive: &mut Archive, named: &str) -> Result<Recorded, Trouble> {
    let none = || {
        Trouble::Usage(format!(
            "there is no operation `{named}` in the journal; name it as `countersign journal show` lists it"
        ))
    };
    let wanted = if let Some((of, id)) = named.rsplit_once('#') {
        let id = OperationId(id.parse().map_err(|_| none())?);
        Wanted { session: Some(session(archive, of).await?), operation: Some(id), ..Wanted::default() }
    } else {
        let number: i64 = named.parse().map_err(|_| none())?;
        let entry = archive.entries(&Wanted::default(), number - 1, 1).await?.pop();
        let entry = entry.filter(|entry| entry.number == number).ok_or_else(none)?;
        let operation = Some(entry.operation.ok_or_else(none)?);
        Wanted { session: Some(entry.session), operation, ..Wanted::default() }
    };
    let page = Page { behind: None, newest_first: false, limit: 1 };
    archive.operations(&wanted, page).await?.pop().ok_or_else(none)
}

/// Whether an operation is meant, by what the store doesn't look at.
fn meant(filters: &Filters, recorded: &Recorded) -> bool {
    let of = |named: &str| {
        recorded
            .prepared
            .as_ref()
            .is_ok_and(|prepared| prepared.operation.tool == named || prepared.operation.kind.word() == named)
    };
    let has = |text: &str| {
        recorded.prepared.as_ref().is_ok_and(|prepared| {
            let whole = format!("{}\n{}", prepared.operation.kind.gist(), prepared.operation.kind.text().body);
            whole.to_lowercase().contains(&text.to_lowercase())
        })
    };
    let decider = recorded.decided.as_ref().filter(|decided| decided.left.is_none());
    let so = |wanted: Decision| {
        let word = match wanted {
            Decision::Allowed => "allowed",
            Decision::Denied => "denied",
            Decision::Asked => "asked",
            Decision::Left => "left",
            Decision::Pending => "pending",
            Decision::Dropped => "dropped",
        };
        told::decision(recorded) == Some(word)
    };
    filters.tool.as_deref().is_none_or(of)
        && filters.decision.is_none_or(so)
        && filters.decider.is_none_or(|by| decider.is_some_and(|decided| told::decider(&decided.decider) == by))
        && filters.risk.is_none_or(|risk| told::risk(recorded) == Some(risk.into()))
        && filters.text.as_deref().is_none_or(has)
}

/// Hands on every operation that is meant, the oldest first.
async fn each(archive: &mut Archive, filters: &Filters, mut take: impl FnMut(Recorded)) -> Result<(), Trouble> {
    let wanted = wanted(archive, filters).await?;
    let mut behind = None;
    loop {
        let page = archive.operations(&wanted, Page { behind, newest_first: false, limit: PAGE }).await?;
        let Some(last) = page.last() else { return Ok(()) };
        behind = Some(last.number);
        page.into_iter().filter(|recorded| meant(filters, recorded)).for_each(&mut take);
    }
}

/// `countersign journal verify`.
async fn verify(archive: &mut Archive, head: Option<&str>, json: bool) -> Result<ExitCode, Trouble> {
    let walk = archive.verify(head).await?;
    let broken = walk.broken.map(|broken| broken.to_string());
    let through = head.is_none() || walk.through;
    let mut out = String::new();
    if json {
        let object = json!({
            "schema": SCHEMA,
            "whole": broken.is_none() && through,
            "entries": walk.entries,
            "deleted": walk.deleted,
            "sessions": walk.sessions,
            "head": walk.head,
            "through": head.map(|_| walk.through),
            "broken": walk.broken.map(|broken| json!({"entry": broken.number, "why": broken.to_string()})),
        });
        let _infallible = writeln!(out, "{object}");
    } else {
        use crate::domain::number::{count, thousands};
        let entries = |entries: u64| match entries {
            1 => "1 entry".to_owned(),
            entries => format!("{} entries", thousands(entries)),
        };
        let sessions = count(walk.sessions, "session");
        if let Some(why) = &broken {
            let _infallible = writeln!(out, "broken: {why}");
            let _infallible = writeln!(out, "{} before it are as they were written.", entries(walk.entries));
        } else {
            let _infallible = writeln!(out, "whole: {} of {sessions} are as they were written.", entries(walk.entries));
        }
        if walk.deleted > 0 {
            let _infallible = writeln!(
                out,
                "{} deleted with their sessions: what they said is gone, the chain holds.",
                entries(walk.deleted)
            );
        }
        if !through {
            let _infallible = writeln!(
                out,
                "It doesn't lead through the head that you gave: what was after it was cut off, or all was written anew."
            );
        }
        if !walk.head.is_empty() && broken.is_none() {
            let _infallible = writeln!(out, "head: {}", walk.head);
        }
    }
    print(&out);
    Ok(if broken.is_none() && through { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
