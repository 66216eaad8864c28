//! What staged runs would change of what was there: proposed to the person as an operation of its own, which waits like
//! every other; dropped when it is denied.

use serde_json::json;

use super::State;
use super::event::Effect;
use super::queue::{Item, Status};
use crate::domain::{APPLY, OperationId, Origin, Outcome, ToolCall};

impl State {
    /// A staged run ended: what waits in its layer is proposed. Gives the sentence that tells the model so.
    pub(super) fn propose_changes(&mut self, run: OperationId, effects: &mut Vec<Effect>) -> Option<String> {
        let item = self.queue.get(run)?;
        let (what, of) = (item.waits.clone()?, Box::new(item.origin.clone()));
        let arguments = json!({ "operation": run.0 }).to_string();
        let call = ToolCall { id: String::new(), name: APPLY.to_owned(), arguments };
        let id = self.propose(Origin::Program { after: run, of }, call, effects);
        if !self.attended() {
            return Some(format!(
                "\n[Not in the workspace: {what}. That needs a confirmation, and nobody is there to ask: these paths are \
                 as they were.]"
            ));
        }
        Some(format!(
            "\n[Not in the workspace yet: {what}. That waits for the person as {id}; until it is approved, these paths \
             are as they were.]"
        ))
    }

    /// A staged run of a session that was left still has changes that wait: they are proposed, unless they are already,
    /// and dropped if that was decided or nobody knows how the run ended.
    pub(super) fn propose_left(&mut self, run: OperationId, changes: &str, effects: &mut Vec<Effect>) {
        let applies = |item: &&Item| {
            item.call.name == APPLY && matches!(&item.origin, Origin::Program { after, .. } if *after == run)
        };
        let ended = |item: &Item| matches!(&item.status, Status::Ended { outcome, .. } if *outcome != Outcome::Lost);
        let decided = self.queue.all().find(applies).map(|apply| apply.status.closed());
        match decided {
            Some(false) => {}
            None if self.queue.get(run).is_some_and(ended) => {
                if let Some(item) = self.queue.item_mut(run) {
                    item.waits = Some(changes.to_owned());
                }
                // The model was told of it, if at all, in the run's own result.
                let _sentence = self.propose_changes(run, effects);
            }
            Some(true) | None => effects.push(Effect::DropStaged(run)),
        }
    }

    /// An operation was denied or can't run: if it would have put changes in place, they are dropped.
    pub(super) fn drop_changes(&self, id: OperationId, effects: &mut Vec<Effect>) {
        if let Some(item) = self.queue.get(id)
            && let (Origin::Program { after, .. }, APPLY) = (&item.origin, item.call.name.as_str())
        {
            effects.push(Effect::DropStaged(*after));
        }
    }
}
