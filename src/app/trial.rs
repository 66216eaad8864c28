//! Trying what waits: the person's key proposes an operation that runs it and rolls it back. It goes the way of every
//! other; what it tries keeps waiting, and is shown again once the trial has ended.

use serde_json::{Value, json};

use super::State;
use super::decide::About;
use super::event::Effect;
use super::modal::{Asking, Modal};
use crate::domain::{Foresight, OperationId, ToolCall, Trial, unclaimed};

impl State {
    /// Proposes to try what the dialog shows.
    pub(super) fn try_shown(&mut self, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = &self.modal else { return };
        if !matches!(dialog.asking, Asking::Choice) {
            return;
        }
        let id = dialog.id;
        let hint = match self.queue.foresight(id) {
            Some(Foresight::Measured(preview)) => match &preview.trial {
                Trial::Offered => None,
                Trial::Refused(why) => Some(format!("It can't be tried: {why}")),
                Trial::None => Some("Only SQL that changes rows can be tried.".to_owned()),
            },
            Some(Foresight::Measuring) => Some("It is still being measured.".to_owned()),
            Some(Foresight::Nothing | Foresight::Unmeasurable(_)) | None => {
                Some("It can't be tried: what it would do can't be told beforehand.".to_owned())
            }
        };
        let proposed = self.queue.get(id).and_then(|item| Some((item.origin.beside(), trial(&item.call)?)));
        let (None, Some((origin, call))) = (&hint, proposed) else {
            self.dialog_hint(hint.unwrap_or_default());
            return;
        };
        self.modal = None;
        self.handed_over = true;
        if let Some(item) = self.queue.item_mut(id) {
            item.put_off = true;
        }
        self.propose_about(origin, call, About { takes_back: Vec::new(), tries: Some(id) }, effects);
    }

    /// A trial ended, one way or the other: what it tried is shown again.
    pub(super) fn tried(&mut self, id: OperationId) {
        let Some(of) = self.queue.get(id).and_then(|item| item.tries) else { return };
        if let Some(item) = self.queue.item_mut(of) {
            item.put_off = false;
        }
    }
}

/// The same call as a trial, without a claim. None if its arguments can't be read.
fn trial(call: &ToolCall) -> Option<ToolCall> {
    let mut arguments = unclaimed(&call.arguments)?;
    arguments.insert("trial".to_owned(), json!(true));
    Some(ToolCall { id: String::new(), name: call.name.clone(), arguments: Value::Object(arguments).to_string() })
}
