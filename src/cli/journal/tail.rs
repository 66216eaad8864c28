//! `countersign journal tail`: entries as they were written, and as they are being written by whatever program.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use super::told::{self, SCHEMA, Teller};
use super::{Filters, Trouble, meant, print, wanted, when};
use crate::domain::number::{self, duration};
use crate::domain::{Containment, JournalEvent};
use crate::store::{Archive, Content, Page, Recorded, Stored, Wanted, short};
use crate::ui::text::{fit, line};

/// How often it looks for new entries.
const PACE: Duration = Duration::from_millis(200);
/// Entries that are read at a time.
const MOST: u32 = 1_000;

/// Prints the last entries, and goes on with new ones if `follow` says so.
pub(super) async fn run(
    archive: &mut Archive,
    (follow, limit): (bool, u32),
    filters: &Filters,
    teller: &Teller,
) -> Result<ExitCode, Trouble> {
    let wanted = wanted(archive, filters).await?;
    let (found, mut after) = last(archive, &wanted, limit, filters).await?;
    for (entry, recorded) in &found {
        if !print(&told(entry, recorded.as_ref(), filters.json, teller)) {
            return Ok(ExitCode::SUCCESS);
        }
    }
    if !follow {
        return Ok(ExitCode::SUCCESS);
    }
    loop {
        let entries = archive.entries(&wanted, after, MOST).await?;
        let idle = entries.is_empty();
        if !idle {
            teller.learn(archive, after).await?;
        }
        for entry in entries {
            after = entry.number;
            let recorded = of(archive, &entry).await?;
            let shown = told(&entry, recorded.as_ref(), filters.json, teller);
            if is_meant(filters, recorded.as_ref()) && !print(&shown) {
                return Ok(ExitCode::SUCCESS);
            }
        }
        if idle {
            tokio::time::sleep(PACE).await;
        }
    }
}

type Found = (Stored, Option<Recorded>);

/// The last entries that are meant, in order, and the number of the last one of all.
async fn last(
    archive: &mut Archive,
    wanted: &Wanted,
    limit: u32,
    filters: &Filters,
) -> Result<(Vec<Found>, i64), Trouble> {
    let latest = archive.latest().await?;
    let (mut found, mut until) = (Vec::new(), latest);
    // Back by pieces, until there are enough.
    while until > 0 && found.len() < limit as usize {
        let from = until.saturating_sub(i64::from(MOST)).max(0);
        let mut piece = archive.entries(wanted, from, MOST).await?;
        piece.retain(|entry| entry.number <= until);
        for entry in piece.into_iter().rev() {
            let recorded = of(archive, &entry).await?;
            if is_meant(filters, recorded.as_ref()) {
                found.push((entry, recorded));
            }
            if found.len() >= limit as usize {
                break;
            }
        }
        until = from;
    }
    found.reverse();
    Ok((found, latest))
}

/// The operation of an entry, as far as it has come by now.
async fn of(archive: &mut Archive, entry: &Stored) -> Result<Option<Recorded>, Trouble> {
    let Some(operation) = entry.operation else { return Ok(None) };
    let wanted = Wanted { session: Some(entry.session.clone()), operation: Some(operation), ..Wanted::default() };
    Ok(archive.operations(&wanted, Page { behind: None, newest_first: false, limit: 1 }).await?.pop())
}

fn is_meant(filters: &Filters, recorded: Option<&Recorded>) -> bool {
    let any = filters.tool.is_none()
        && filters.decision.is_none()
        && filters.decider.is_none()
        && filters.risk.is_none()
        && filters.text.is_none();
    recorded.map_or(any, |recorded| meant(filters, recorded))
}

/// One entry in one line.
fn told(entry: &Stored, recorded: Option<&Recorded>, json: bool, teller: &Teller) -> String {
    let words = text(entry, teller);
    if json {
        let operation = recorded.map(|recorded| teller.json(recorded, false));
        let at = when::stamp(entry.at_ms);
        let object = json!({"schema": SCHEMA, "entry": entry.number, "session": entry.session, "at": at,
            "event": entry.word, "text": words, "operation": operation});
        return format!("{object}\n");
    }
    let name = recorded.map_or_else(|| short(&entry.session, entry.agent.as_deref()).into_owned(), told::name);
    let spoken =
        || words.map(|words| line(&words.split_whitespace().collect::<Vec<_>>().join(" "))).unwrap_or_default();
    let said = recorded.map_or_else(spoken, |recorded| match entry.word.as_str() {
        "proposed" => {
            let tool = recorded.prepared.as_ref().map_or("", |prepared| prepared.operation.kind.word());
            format!("{tool} {}", teller.gist(recorded))
        }
        "decided" => told::decided(recorded),
        "started" => recorded.started.map_or_else(String::new, |(contained, _)| match contained {
            Containment::None => "not contained".to_owned(),
            contained => format!("contained: {}", contained.word()),
        }),
        "finished" => recorded.finished.as_ref().map_or_else(String::new, |(_, took)| {
            if recorded.prepared.is_ok() { teller.outcome(recorded) } else { duration(*took) }
        }),
        _ => String::new(),
    });
    let row = format!("{}  {name:<12} {:<9} {said}", when::shown(entry.at_ms), entry.word);
    let row = teller.columns.map_or_else(|| row.clone(), |columns| fit(&row, columns).into_owned());
    format!("{}\n", row.trim_end())
}

/// What was said, by whomever, with its secrets masked.
fn text(entry: &Stored, teller: &Teller) -> Option<String> {
    let Content::Event(event) = &entry.content else { return None };
    match &**event {
        JournalEvent::Said { text }
        | JournalEvent::Answered { text, .. }
        | JournalEvent::Untaken { text }
        | JournalEvent::Aside { text }
        | JournalEvent::Summarised { text, .. }
        | JournalEvent::Notice { text, .. } => Some(teller.concealed(text)),
        JournalEvent::Mode { mode } => Some(mode.word().to_owned()),
        JournalEvent::Dropped { reason, .. } => Some(teller.concealed(reason)),
        JournalEvent::Forgotten { cause, entries } => {
            Some(format!("{} by {}", number::count(*entries, "content"), told::word(cause)))
        }
        JournalEvent::Proposed { .. }
        | JournalEvent::Decided { .. }
        | JournalEvent::Started { .. }
        | JournalEvent::Finished { .. }
        | JournalEvent::Taken
        | JournalEvent::Asked { .. }
        | JournalEvent::Undoable { .. }
        | JournalEvent::Told { .. } => None,
    }
}
