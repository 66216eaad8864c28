//! `countersign sessions`: what was left, listed, searched, shown, exported, deleted; and which one `--resume` means.
//! Secrets are masked in all of it.

mod choose;
mod delete;
mod transcript;
mod written;

use std::io::{IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::json;

pub use choose::{Which, named, which};
use transcript::{Piece, Transcript};
pub use written::ago;

use super::{Options, known, runtime};
use crate::assess::{Known, conceal_text};
use crate::config::{ConfigError, Folders, process_environment};
use crate::domain::number;
use crate::store::{AGENT, Archive, Claims, JournalError, Listed, Outputs, Wanted};
use crate::ui::plain;

/// Entries that are read at a time.
const PAGE: u32 = 500;
/// Letters around what was found that are shown.
const AROUND: usize = 60;

/// What can be done with them.
#[derive(Clone, Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List them, the latest first (the default)
    List,
    /// List those in which a text stands, with the place
    Search {
        /// The text; its case doesn't matter
        text: String,
    },
    /// Show one: what was said, what ran, what came of it
    Show {
        /// Its id, or a part of it that only it has
        id: String,
    },
    /// Write one out
    Export {
        /// Its id, or a part of it that only it has
        id: String,
        /// As what
        #[arg(long, value_enum, default_value = "markdown")]
        format: Format,
        /// File to write, which must not exist yet [default: standard output]
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Delete what was said and printed in them; that something was decided stays in the audit log
    Delete {
        /// Their ids
        #[arg(required = true)]
        ids: Vec<String>,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// The forms of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Markdown,
    /// For programs
    Json,
}

/// What every one of them needs.
struct Desk {
    archive: Archive,
    folders: Folders,
    known: Known,
    sessions: Vec<Listed>,
}

/// Does it. Fails where nothing was found, so that scripts can tell.
pub(super) fn run(options: &Options, command: Option<Command>, as_json: bool) -> Result<ExitCode, ConfigError> {
    let folders = Folders::find(options.config.as_deref(), &process_environment)?;
    let runtime = runtime()?;
    runtime.block_on(async {
        let opened = Archive::open(&folders.journal()).await.map_err(journal)?;
        let Some(mut archive) = opened else {
            say(if as_json { "[]\n" } else { "No session was kept yet.\n" });
            return Ok(ExitCode::FAILURE);
        };
        let sessions = archive.sessions().await.map_err(journal)?;
        let command = command.unwrap_or(Command::List);
        let known = if matches!(command, Command::Delete { yes: true, .. }) {
            // Nothing that somebody wrote is told: no secret has to be known.
            Known::default()
        } else {
            let known = known(options);
            known.learn(archive.hidden(0).await.map_err(journal)?);
            known
        };
        let mut desk = Desk { archive, folders, known, sessions };
        let done = desk.command(command, as_json).await;
        desk.archive.close().await;
        done
    })
}

impl Desk {
    async fn command(&mut self, command: Command, as_json: bool) -> Result<ExitCode, ConfigError> {
        let (text, found) = match command {
            Command::List => (self.list(as_json)?, !self.sessions.is_empty()),
            Command::Search { text } => self.search(&text, as_json).await?,
            Command::Show { id } => (self.show(&id, as_json).await?, true),
            Command::Export { id, format, output } => (self.export(&id, format, output.as_deref()).await?, true),
            Command::Delete { ids, yes } => return self.delete(&ids, yes).await,
        };
        let written = say(&text);
        Ok(if found && written { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn list(&self, as_json: bool) -> Result<String, ConfigError> {
        if as_json {
            let all: Vec<_> = self.sessions.iter().map(|listed| self.row(listed)).collect();
            return pretty(&all);
        }
        if self.sessions.is_empty() {
            return Ok("No session was kept yet.\n".to_owned());
        }
        let now = now_ms();
        let open = Claims::open(&self.folders.data).ok();
        let lines = self.sessions.iter().map(|listed| {
            let holder = open.as_ref().and_then(|claims| claims.holder(&listed.id).ok().flatten());
            let open = if holder.is_some() { " · open" } else { "" };
            let operations = number::count(listed.operations, "operation");
            let workspace = listed.workspace.as_deref().unwrap_or("no workspace");
            let title = plain(&self.title(listed)).replace('\n', " ");
            format!(
                "{:8}  {title}\n          {} · {} · {operations}{open}\n",
                listed.short(),
                ago(listed.last_ms, now),
                plain(workspace)
            )
        });
        Ok(lines.collect())
    }

    fn row(&self, listed: &Listed) -> serde_json::Value {
        json!({
            "session": listed.id,
            "title": self.title(listed),
            "workspace": listed.workspace,
            "agent": listed.agent,
            "operations": listed.operations,
            "started_ms": listed.started_ms,
            "last_ms": listed.last_ms,
            "ended_ms": listed.ended_ms,
        })
    }

    /// What lists call a session, secrets masked.
    fn title(&self, listed: &Listed) -> String {
        match &listed.title {
            Some(title) => conceal_text(title, &self.known),
            None if listed.agent == AGENT => "(no message)".to_owned(),
            None => format!("(calls of {})", listed.agent),
        }
    }

    async fn search(&mut self, text: &str, as_json: bool) -> Result<(String, bool), ConfigError> {
        let (mut lines, mut rows) = (String::new(), Vec::new());
        for listed in self.sessions.clone() {
            let pieces = self.pieces(&listed).await?.0;
            let title = self.title(&listed);
            let mut texts = std::iter::once(title.as_str()).chain(pieces.iter().flat_map(texts));
            let Some(place) = texts.find_map(|said| around(said, text)) else { continue };
            let mut row = self.row(&listed);
            row["found"] = json!(place);
            rows.push(row);
            lines.push_str(&format!("{:8}  {}\n          {}\n", listed.short(), plain(&title), plain(&place)));
        }
        let found = !rows.is_empty();
        if as_json {
            return Ok((pretty(&rows)?, found));
        }
        Ok((
            if found { lines } else { format!("{} stands in no session.\n", plain(&conceal_text(text, &self.known))) },
            found,
        ))
    }

    async fn show(&mut self, id: &str, as_json: bool) -> Result<String, ConfigError> {
        if as_json {
            return self.export(id, Format::Json, None).await;
        }
        let listed = named(&self.sessions, id)?.clone();
        let (pieces, unreadable) = self.pieces(&listed).await?;
        let mut text = written::plain(&written::head(&listed, &self.title(&listed)), &pieces);
        if unreadable > 0 {
            let entries = number::count(unreadable, "entry").replace("entrys", "entries");
            text.push_str(&format!("\n{entries} of another version of countersign can't be read.\n"));
        }
        Ok(text)
    }

    async fn export(&mut self, id: &str, format: Format, output: Option<&Path>) -> Result<String, ConfigError> {
        let listed = named(&self.sessions, id)?.clone();
        let pieces = self.pieces(&listed).await?.0;
        let title = self.title(&listed);
        let text = match format {
            Format::Markdown => written::markdown(&written::head(&listed, &title), &pieces),
            Format::Json => written::json(&listed, &title, &pieces)
                .map_err(|error| wrong(format!("it can't be written: {error}")))?,
        };
        let Some(file) = output else { return Ok(text) };
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(file).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| wrong(format!("{} can't be written: {error}", file.display())))?;
        Ok(format!("Written to {}.\n", file.display()))
    }

    /// What is kept of a session, and how many entries can't be read.
    async fn pieces(&mut self, listed: &Listed) -> Result<(Vec<Piece>, usize), ConfigError> {
        let outputs = Outputs::new(&self.folders.outputs(), &listed.id, 0);
        let mut transcript = Transcript::new(&self.known, &outputs);
        let wanted = Wanted { session: Some(listed.id.clone()), ..Wanted::default() };
        let mut after = 0;
        loop {
            let page = self.archive.entries(&wanted, after, PAGE).await.map_err(journal)?;
            let Some(last) = page.last() else { break };
            after = last.number;
            for stored in page {
                transcript.entry(stored);
            }
        }
        let unreadable = transcript.unreadable;
        Ok((transcript.pieces(), unreadable))
    }
}

/// The texts of a piece that are searched.
fn texts(piece: &Piece) -> Vec<&str> {
    match piece {
        Piece::Person { text, .. } | Piece::Model { text, .. } | Piece::Notice { text, .. } => vec![text],
        Piece::Operation(told) => vec![&told.text, &told.title, &told.printed],
    }
}

/// Where a text stands, with what stands around it on its line.
fn around(said: &str, text: &str) -> Option<String> {
    let sought = text.to_lowercase();
    said.lines().find_map(|line| {
        let lower = line.to_lowercase();
        let at = lower.find(&sought)?;
        let before = lower[..at].chars().count();
        let shown: String = line.chars().skip(before.saturating_sub(AROUND)).take(2 * AROUND).collect();
        Some(shown.trim().to_owned())
    })
}

fn pretty(rows: &[serde_json::Value]) -> Result<String, ConfigError> {
    let text = serde_json::to_string_pretty(rows);
    text.map(|text| text + "\n").map_err(|error| wrong(format!("it can't be written: {error}")))
}

/// Writes to standard output; a reader that left early has seen what it wanted. False if it couldn't be written.
fn say(text: &str) -> bool {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// Milliseconds since 1970.
#[must_use]
pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn wrong(why: String) -> ConfigError {
    ConfigError::Option(why)
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn journal(error: JournalError) -> ConfigError {
    ConfigError::Option(error.to_string())
}

/// Whether somebody is there to be asked.
fn attended() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_shown_with_what_stands_around_it() {
        let long = format!("first\n{} the NEEDLE {}", "x ".repeat(200), "y ".repeat(200));
        let shown = around(&long, "needle").unwrap();
        assert!(shown.contains("the NEEDLE y") && shown.chars().count() <= 2 * AROUND);
        assert_eq!(around("a\nb", "c"), None);
        assert_eq!(around("İstanbul needle", "needle").unwrap(), "İstanbul needle");
    }
}
