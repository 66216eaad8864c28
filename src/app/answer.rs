//! What a server asks while a call of it runs: proposed to the person as an operation of its own, and gone with the call.

use super::State;
use super::event::Effect;
use super::queue::{Item, Queue, Status};
use crate::domain::{ANSWER, Decider, Edit, Editable, OperationId, OperationKind, Origin, ToolCall};

impl Item {
    /// Whether it is a form that the person has still to fill in.
    #[must_use]
    pub fn is_open_form(&self) -> bool {
        matches!(self.prepared.as_ref().map(|prepared| &prepared.operation.kind),
            Some(OperationKind::Answer(answer)) if answer.is_open())
    }

    /// The call that it answers a server of.
    #[must_use]
    pub fn answers(&self) -> Option<OperationId> {
        let mut origin = &self.origin;
        while let Origin::Edited { of, .. } = origin {
            origin = of;
        }
        match origin {
            Origin::Program { after, .. } if self.call.name == ANSWER => Some(*after),
            _ => None,
        }
    }
}

impl Queue {
    /// Whether a call runs that goes on once somebody answers its server.
    #[must_use]
    pub fn waits_for_answer(&self, run: OperationId) -> bool {
        self.waiting().any(|item| item.answers() == Some(run))
    }
}

impl State {
    /// A server asks while its call `run` runs.
    pub(super) fn propose_answer(&mut self, run: OperationId, call: ToolCall, effects: &mut Vec<Effect>) {
        let Some(item) = self.queue.get(run) else { return };
        let of = Box::new(item.origin.clone());
        self.propose(Origin::Program { after: run, of }, call, effects);
    }

    /// Puts an answer into a form that waits, `FIELD: ANSWER`, in the place of what stood there.
    pub(super) fn fill_in(&mut self, id: OperationId, answer: &str, effects: &mut Vec<Effect>) {
        let form = self.queue.get(id).and_then(|item| {
            let kind = item.prepared.as_ref().map(|prepared| &prepared.operation.kind)?;
            Editable::of(&item.call, kind).filter(|_| item.call.name == ANSWER)
        });
        let (Some(form), Some(seal)) = (form, self.queue.gate.seal(id)) else {
            self.hint = Some(format!("{id} is no form that waits."));
            return;
        };
        let field = answer.split(':').next().unwrap_or_default().trim();
        let of_field = |line: &str| line.split(':').next().is_some_and(|name| name.trim() == field);
        let text = form.text();
        if !text.lines().any(of_field) {
            self.hint = Some(format!("The form of {id} has no field {field}."));
            return;
        }
        let filled: Vec<&str> = text.lines().map(|line| if of_field(line) { answer } else { line }).collect();
        match form.with(&filled.join("\n")) {
            Ok(call) => drop(self.propose_edited((id, seal), Edit::Answers, call, effects)),
            Err(why) => self.hint = Some(why),
        }
    }

    /// What would answer a server was denied: it is told so.
    pub(super) fn drop_answer(&self, id: OperationId, effects: &mut Vec<Effect>) {
        if let Some(item) = self.queue.get(id).filter(|item| item.call.name == ANSWER) {
            effects.push(Effect::Decline(item.call.clone()));
        }
    }

    /// A call ended: nobody waits for the answers to what its server asked.
    pub(super) fn withdraw_answers(&mut self, run: OperationId, effects: &mut Vec<Effect>) {
        let open = |item: &&Item| !item.status.closed() && !matches!(item.status, Status::Running { .. });
        let gone: Vec<OperationId> =
            self.queue.all().filter(open).filter(|item| item.answers() == Some(run)).map(|item| item.id).collect();
        for id in gone {
            self.queue.gate.reject(id, &Decider::Policy);
            self.refuse(id, &format!("{run} ended: nobody waits for the answer any more"), effects);
        }
    }
}
