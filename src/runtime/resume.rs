//! A session that was left, read back from the journal into the state that goes on with it.

use std::io;

use crate::app::{Effect, Resumed, State, Status};
use crate::cli::{Start, Which};
use crate::domain::JournalEntry;
use crate::store::{Archive, Claims, Content, Listed, Unsent, Wanted};
use crate::tools::Workbench;

/// Entries that are read at a time.
const PAGE: u32 = 500;

/// Takes the session for this program.
///
/// # Errors
/// It was left, and another program goes on with it just now. In one sentence.
pub fn claim(claims: &io::Result<Claims>, start: &Start) -> Result<(), String> {
    let claimed = match claims {
        Ok(claims) => claims.claim(&start.session.id).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let taken = match claimed {
        Ok(taken) => taken,
        Err(why) if matches!(start.which, Which::Left(_)) => return Err(format!("no session can be locked: {why}")),
        // Nobody else has a new one; its journal says what is wrong there.
        Err(_) => return Ok(()),
    };
    taken.map_err(|taken| {
        let short = start.session.id.rsplit('-').next().unwrap_or_default();
        format!("the session {short} can't be opened: {taken}. Close it there, or pick another one with --resume")
    })
}

/// The state with the session in it, and what is to be done first. A new session's state is as it was.
///
/// # Errors
/// It can't be read, in one sentence.
pub async fn resume(start: &Start, state: State) -> Result<(State, Vec<Effect>), String> {
    let Which::Left(listed) = &start.which else { return Ok((state, Vec::new())) };
    let short = listed.short();
    let look = format!("`countersign sessions show {short}` shows what is kept of it");
    let wrong = |why: String| format!("the session {short} can't be gone on with: {why}. {look}");
    if let Some(why) = start.layers.unread() {
        return Err(wrong(format!("the staged changes that wait in it can't be had: {why}")));
    }
    let archive = Archive::open(&start.folders.journal()).await.map_err(|error| error.to_string())?;
    let mut archive = archive.ok_or_else(|| wrong("the journal is gone".to_owned()))?;
    let known = state.masks.known.clone();
    let hidden = archive.hidden(0).await;
    let read = read(&mut archive, listed, Resumed::onto(state)).await;
    archive.close().await;
    // What the session knew by value when it was left, such as the key of another model, is masked again.
    known.learn(hidden.map_err(|error| wrong(error.to_string()))?);
    let (mut state, effects) =
        read.map_err(wrong)?.settle(&start.layers.all()).map_err(|why| wrong(why.to_string()))?;
    known.learn(state.queue.all().flat_map(|item| start.outputs.secrets(item.id)));
    match Unsent::new(&start.folders.unsent(), &start.session.id).read() {
        Ok(Some(text)) if !start.linear => state.put_back_unsent(text),
        Ok(_) => {}
        Err(error) => tracing::warn!("what wasn't sent can't be read: {error}"),
    }
    Ok((state, effects))
}

async fn read(archive: &mut Archive, listed: &Listed, mut resumed: Resumed) -> Result<Resumed, String> {
    let wanted = Wanted { session: Some(listed.id.clone()), ..Wanted::default() };
    let mut after = 0;
    loop {
        let page = archive.entries(&wanted, after, PAGE).await.map_err(|error| error.to_string())?;
        let Some(last) = page.last() else { return Ok(resumed) };
        after = last.number;
        for stored in page {
            match stored.content {
                Content::Event(event) => resumed.entry(JournalEntry { operation: stored.operation, event: *event }),
                Content::Deleted => return Err("its contents were deleted".to_owned()),
                Content::Unreadable(why) => {
                    tracing::warn!(entry = stored.number, why, "an entry can't be read");
                    return Err(
                        "another version of countersign kept it, in a form that this one doesn't know".to_owned()
                    );
                }
            }
        }
    }
}

/// Lets the model read on in what its operations printed before.
pub fn allow_outputs(state: &State, bench: &Workbench) {
    for item in state.queue.all().filter(|item| item.origin.by_model()) {
        if matches!(item.status, Status::Ended { .. }) {
            bench.outputs.allow(item.id);
        }
    }
}
