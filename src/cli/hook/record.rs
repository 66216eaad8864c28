//! What a hook writes into the journal: each operation with everything that it was judged on, and the decision, in the
//! agent's own session.

use std::sync::Arc;

use super::{Call, Thought};
use crate::agents::{Agent, Opinion};
use crate::config::Folders;
use crate::domain::{JournalEntry, JournalEvent, Operation, OperationId, Prepared, Verdict};
use crate::store::{Journal, JournalError, Session};

/// Longest id of a session that is taken over from an agent, in bytes.
const SESSION: usize = 200;

/// Writes a call's operations down, and returns once that is on disk.
///
/// # Errors
/// It isn't on disk, in a sentence.
pub(super) fn record(folders: &Folders, agent: &dyn Agent, call: &Call, thought: &Thought) -> Result<(), String> {
    if thought.weighed.is_empty() {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| format!("no runtime could be started ({error})"))?;
    let written = runtime.block_on(write(folders, agent, call, thought)).map_err(|error| error.to_string());
    // What was acknowledged is on disk. Closing the file would tidy it up as well, which takes as long as all the rest;
    // the process ends now, and the next one that stays does it.
    std::mem::forget(runtime);
    written
}

async fn write(folders: &Folders, agent: &dyn Agent, call: &Call, thought: &Thought) -> Result<(), JournalError> {
    let mut session = Session::new(&thought.workspace);
    agent.name().clone_into(&mut session.agent);
    if let Some(id) = call.session.as_deref().and_then(plain) {
        session.id = Arc::from(format!("{}-{id}", agent.name()));
    }
    let journal = Journal::open(&folders.journal(), session).await?;
    let (asks, opinion) = (agent.title(), thought.answer.opinion);
    let weighed = thought.weighed.clone();
    let make = move |first: OperationId| {
        let mut entries = Vec::new();
        for (weighed, number) in weighed.into_iter().zip(first.0..) {
            let id = OperationId(number);
            let operation = Operation { id, ..weighed.prepared.operation };
            let prepared = Box::new(Prepared { operation, ..weighed.prepared });
            let allowed = opinion == Opinion::Allow && weighed.judgement.verdict == Verdict::Allow;
            let left = match opinion {
                Opinion::None => Some(format!("No opinion: it is left to {asks}.")),
                Opinion::Ask => Some(format!("It is left to {asks} to ask.")),
                Opinion::Allow | Opinion::Deny => None,
            };
            let decided = JournalEvent::Decided {
                decider: weighed.judgement.decider(),
                allowed,
                judgement: weighed.judgement,
                reason: weighed.note.or(left),
                waited: None,
            };
            entries.push(JournalEntry::of(id, JournalEvent::Proposed { prepared }));
            entries.push(JournalEntry::of(id, decided));
        }
        entries
    };
    journal.append_new(make).await
}

/// An id as we take it over: short, and of letters that stand anywhere.
fn plain(id: &str) -> Option<&str> {
    let known = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    (!id.is_empty() && id.len() <= SESSION && id.chars().all(known)).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn only_a_plain_id_is_taken_over() {
        assert_eq!(plain("0d8f-2.a:b_c"), Some("0d8f-2.a:b_c"));
        for id in ["", "a b", "a\n", "../x", &"x".repeat(300)] {
            assert_eq!(plain(id), None, "{id}");
        }
    }
}
