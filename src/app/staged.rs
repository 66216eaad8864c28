//! What staged runs would change of what was there: proposed to the person as an operation of its own, which waits like
//! every other; dropped when it is denied.

use serde_json::json;

use super::State;
use super::event::Effect;
use crate::domain::{APPLY, OperationId, Origin, ToolCall};

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

    /// An operation was denied or can't run: if it would have put changes in place, they are dropped.
    pub(super) fn drop_changes(&self, id: OperationId, effects: &mut Vec<Effect>) {
        if let Some(item) = self.queue.get(id)
            && let (Origin::Program { after, .. }, APPLY) = (&item.origin, item.call.name.as_str())
        {
            effects.push(Effect::DropStaged(*after));
        }
    }
}
