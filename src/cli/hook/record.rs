//! What a hook writes into the journal: each operation with everything that it was judged on, and what was answered, in
//! the agent's own session; and what couldn't be judged, with what went wrong.

use std::sync::Arc;

use serde_json::json;

use super::{Call, Thought, Trouble, Weighed};
use crate::agents::{Agent, Answer, Opinion};
use crate::assess::{Known, conceal_text};
use crate::config::Folders;
use crate::domain::{
    Assessment, Claim, Enforceable, Facts, Grants, JournalEntry, JournalEvent, Left, Operation, OperationId,
    OperationKind, Origin, Place, Policy, Prepared, Verdict, judge,
};
use crate::store::{Journal, JournalError, Session};

/// Longest id of a session that is taken over from an agent, in bytes.
const SESSION: usize = 200;
/// The end of the id of the session that holds an agent's calls without one that could be read.
const UNREAD: &str = "unread";
/// What stands for the tool of a call that couldn't be read.
const TOOL: &str = "hook";

/// Writes a call's operations down, and returns once that is on disk.
///
/// # Errors
/// It isn't on disk, in a sentence.
pub(super) fn record(folders: &Folders, agent: &dyn Agent, call: &Call, thought: &Thought) -> Result<(), String> {
    if thought.weighed.is_empty() {
        return Ok(());
    }
    let mut session = Session::new(&thought.workspace);
    let id = call.session.as_deref().and_then(plain).map(str::to_owned);
    session.id = Arc::from(format!("{}-{}", agent.name(), id.unwrap_or_else(|| session.id.to_string())));
    written(folders, (agent, session), Some(call), (&thought.answer, &thought.weighed))
}

/// Writes down that a call couldn't be judged, and why: nothing else of what was sent.
///
/// # Errors
/// It isn't on disk, in a sentence.
pub(super) fn unjudged(folders: &Folders, agent: &dyn Agent, trouble: &Trouble) -> Result<(), String> {
    let why = conceal_text(&trouble.why, &Known::of_environment(std::env::vars_os()));
    let call = trouble.call.as_deref();
    let here = std::env::current_dir().unwrap_or_default();
    let cwd = call.and_then(|call| call.cwd.clone()).unwrap_or(here);
    let operation = Operation {
        id: OperationId(0),
        origin: Origin::Model { call_id: call.and_then(|call| call.id.clone()).unwrap_or_default() },
        tool: call.map_or_else(|| TOOL.to_owned(), |call| call.tool.clone()),
        kind: OperationKind::Other(json!({ "not judged": why })),
        claim: Claim::Absent,
        cwd: cwd.clone(),
    };
    let place = Place { cwd: cwd.clone(), workspace: cwd.clone(), home: folders.home.clone() };
    let assessment = Assessment::unreadable("hook.unread", format!("Countersign can't judge this: {why}."));
    let prepared = Prepared { operation, facts: Facts { place, ..Facts::default() }, assessment };
    let judgement = judge(&prepared, &Policy::default(), &Grants::default(), Enforceable::default(), false);
    let answer = Answer::ask(judgement.reason.clone());
    let mut session = Session::new(&cwd);
    let id = call.and_then(|call| call.session.as_deref()).or(trouble.session.as_deref()).and_then(plain);
    session.id = Arc::from(format!("{}-{}", agent.name(), id.unwrap_or(UNREAD)));
    written(folders, (agent, session), call, (&answer, &[Weighed { prepared, judgement, note: None }]))
}

fn written(
    folders: &Folders,
    (agent, mut session): (&dyn Agent, Session),
    call: Option<&Call>,
    (answer, weighed): (&Answer, &[Weighed]),
) -> Result<(), String> {
    agent.name().clone_into(&mut session.agent);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| format!("no runtime could be started ({error})"))?;
    let heard = agent.heard(call, answer);
    // It was to ask, and its hook has no word for that.
    let mute = answer.opinion == Opinion::Ask && heard.opinion == Opinion::Deny;
    let mute = mute.then(|| format!("{}'s hook can't ask here, so it was refused.", agent.title()));
    let entries = (weighed.to_vec(), heard.opinion, mute);
    let written = runtime.block_on(write(folders, session, entries)).map_err(|error| error.to_string());
    // What was acknowledged is on disk. Closing the file would tidy it up as well, which takes as long as all the rest;
    // the process ends now, and the next one that stays does it.
    std::mem::forget(runtime);
    written
}

async fn write(
    folders: &Folders,
    session: Session,
    (weighed, opinion, mute): (Vec<Weighed>, Opinion, Option<String>),
) -> Result<(), JournalError> {
    let journal = Journal::open(&folders.journal(), session).await?;
    let make = move |first: OperationId| {
        let mut entries = Vec::new();
        for (weighed, number) in weighed.into_iter().zip(first.0..) {
            let id = OperationId(number);
            let operation = Operation { id, ..weighed.prepared.operation };
            let prepared = Box::new(Prepared { operation, ..weighed.prepared });
            let decided = JournalEvent::Decided {
                decider: weighed.judgement.decider(),
                allowed: opinion == Opinion::Allow && weighed.judgement.verdict == Verdict::Allow,
                judgement: weighed.judgement,
                reason: weighed.note.or_else(|| mute.clone()),
                waited: None,
                left: match opinion {
                    Opinion::None => Some(Left::Everything),
                    Opinion::Ask => Some(Left::Question),
                    Opinion::Allow | Opinion::Deny => None,
                },
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
