//! Taking changes back: the person's key proposes an operation that does it, which goes the way of every other.

use serde_json::json;

use super::decide::About;
use super::event::Effect;
use super::queue::{Item, Status, Undo};
use super::{Pane, State};
use crate::domain::{Class, JournalEvent, OperationId, Origin, Prepared, ToolCall, UNDO, Undoable};

/// Whether it ran, is no mere read, and nothing can take it back.
fn nothing_kept(item: &Item) -> bool {
    let reads = |prepared: &Prepared| prepared.assessment.class() == Class::Whitelisted;
    matches!(item.status, Status::Ended { .. })
        && item.undo == Undo::Impossible
        && item.tries.is_none()
        && item.prepared.as_ref().is_some_and(|prepared| !reads(prepared))
}

impl State {
    /// What a running operation did can be taken back.
    pub(super) fn undoable(&mut self, id: OperationId, how: Undoable) {
        if let Some(item) = self.queue.item_mut(id) {
            item.undo = Undo::Possible(how.clone());
            self.keep_of(id, JournalEvent::Undoable { how });
        }
    }

    /// Proposes to take the selected operation back.
    pub(super) fn undo_selected(&mut self, effects: &mut Vec<Effect>) {
        if let Some(id) = self.queue.selected() {
            self.undo(id, effects);
        }
    }

    /// Proposes to take back what an operation did.
    pub(super) fn undo(&mut self, id: OperationId, effects: &mut Vec<Effect>) {
        let Some(item) = self.queue.get(id) else {
            self.hint = Some(format!("There is no operation {}.", id.0));
            return;
        };
        match &item.undo {
            Undo::Possible(_) if !item.status.closed() => self.hint = Some(format!("{id} still runs.")),
            Undo::Possible(Undoable::Kept) => self.take_back(vec![id], Origin::Person, kept(&[id]), effects),
            Undo::Possible(Undoable::Call(arguments)) => {
                // Beside the practice model the person's own have connections of their own.
                let own = self.setting.practice && !item.origin.by_model();
                if let Some(lacking) = self.lacks_connection(arguments).filter(|_| !own) {
                    self.hint = Some(format!("{id} can't be undone here: there is no connection {lacking}."));
                    return;
                }
                let (name, arguments) = (item.call.name.clone(), arguments.clone());
                let call = ToolCall { id: String::new(), name, arguments };
                self.take_back(vec![id], item.origin.beside(), call, effects);
            }
            Undo::Done { by, .. } => {
                self.hint = Some(format!("{id} was undone by {by}; undo that to do it again."));
            }
            Undo::Impossible if !item.status.closed() => self.hint = Some(format!("{id} changed nothing yet.")),
            Undo::Impossible => {
                let ran = matches!(item.status, Status::Ended { .. });
                self.hint = Some(match item.by_hand.as_ref().filter(|_| ran) {
                    Some(how) => format!("{id} can be undone by hand alone: {how}"),
                    None => format!("{id} changed nothing that was kept for undo."),
                });
            }
        }
    }

    /// The connection that a call names, if there is none of that name: its session was had with others.
    fn lacks_connection(&self, arguments: &str) -> Option<String> {
        let arguments: serde_json::Value = serde_json::from_str(arguments).ok()?;
        let named = arguments.get("connection")?.as_str()?.to_owned();
        (!self.setting.connections.contains_key(&named)).then_some(named)
    }

    /// Proposes to take back everything from the selected operation's turn on: changes to files at once, and what else
    /// was kept one by one, the newest first.
    pub(super) fn undo_turn(&mut self, effects: &mut Vec<Effect>) {
        let Some(turn) = self.queue.selected().and_then(|id| self.queue.get(id)).map(|item| item.turn) else { return };
        let since = || self.queue.all().filter(|item| item.turn >= turn && item.takes_back.is_empty());
        if since().any(|item| matches!(item.status, Status::Running { .. })) {
            self.hint = Some("An operation still runs; wait for it or stop it first.".to_owned());
            return;
        }
        let ids: Vec<OperationId> =
            since().filter(|item| item.undo == Undo::Possible(Undoable::Kept)).map(|item| item.id).collect();
        let calls = since().filter(|item| matches!(item.undo, Undo::Possible(Undoable::Call(_))));
        let mut calls: Vec<OperationId> = calls.map(|item| item.id).collect();
        calls.sort_unstable_by(|one, other| other.cmp(one));
        if ids.is_empty() && calls.is_empty() {
            self.hint = Some("Nothing that changed since that turn was kept for undo.".to_owned());
            return;
        }
        let left: Vec<String> = since().filter(|item| nothing_kept(item)).map(|item| item.id.to_string()).collect();
        let left = (!left.is_empty()).then(|| format!("Nothing was kept of what {} changed.", left.join(", ")));
        for id in &calls {
            self.undo(*id, effects);
        }
        if !ids.is_empty() {
            self.take_back(ids.clone(), Origin::Person, kept(&ids), effects);
        }
        let several = calls.len() + usize::from(!ids.is_empty()) > 1;
        let mut said =
            several.then(|| "Several operations wait, the newest change first: A lists them all.".to_owned());
        if let Some(left) = left {
            said = Some(said.map_or_else(String::new, |said| said + " ") + &left);
        }
        self.hint = said.or(self.hint.take());
    }

    fn take_back(&mut self, ids: Vec<OperationId>, origin: Origin, call: ToolCall, effects: &mut Vec<Effect>) {
        self.handed_over = true;
        let id = self.propose_about(origin, call, About { takes_back: ids, tries: None }, effects);
        if self.focus == Pane::Queue {
            self.queue.select(id);
        }
    }

    /// An operation succeeded: what it takes back is taken back, and what that had taken back stands again.
    pub(super) fn taken_back(&mut self, by: OperationId) {
        for id in self.queue.get(by).map(|item| item.takes_back.clone()).unwrap_or_default() {
            let Some(item) = self.queue.item_mut(id) else { continue };
            if let Undo::Possible(how) = item.undo.clone() {
                item.undo = Undo::Done { by, how };
            }
            for again in item.takes_back.clone() {
                if let Some(item) = self.queue.item_mut(again)
                    && let Undo::Done { how, .. } = item.undo.clone()
                {
                    item.undo = Undo::Possible(how);
                }
            }
        }
    }
}

/// The call that puts back what operations replaced.
fn kept(ids: &[OperationId]) -> ToolCall {
    let numbers: Vec<u64> = ids.iter().map(|id| id.0).collect();
    ToolCall { id: String::new(), name: UNDO.to_owned(), arguments: json!({ "operations": numbers }).to_string() }
}
