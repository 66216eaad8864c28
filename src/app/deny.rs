//! What is not to run: denied by the person, one or many, or withdrawn because the turn was stopped.

use super::event::Effect;
use super::queue::{Item, Status};
use super::{Phase, State};
use crate::domain::{Decider, JournalEvent, Judgement, OperationId, Standing};

/// What stands before the person's own reason.
const DENIED_WHY: &str = "The person denied it: ";

impl Item {
    /// Why the person denied it, in their words.
    #[must_use]
    pub fn denied_why(&self) -> Option<&str> {
        match (&self.status, &self.decider) {
            (Status::Denied { reason }, Some(Decider::Person)) => reason.strip_prefix(DENIED_WHY),
            _ => None,
        }
    }
}

impl State {
    /// The person denies one, with or without a reason. The others stay.
    pub(super) fn deny_one(&mut self, id: OperationId, why: Option<String>, effects: &mut Vec<Effect>) {
        self.deny_as(id, Decider::Person, why, effects);
        self.start_next(effects);
    }

    /// The person denies some of those that wait. The others stay.
    pub(super) fn deny_several(&mut self, ids: Vec<OperationId>, effects: &mut Vec<Effect>) {
        for id in ids {
            if self.queue.gate.seal(id).is_some() {
                self.deny_as(id, Decider::Person, None, effects);
            }
        }
        self.start_next(effects);
    }

    /// The person denies everything that waits, and the rest of the turn. What they approved before, starts.
    pub(super) fn deny_all(&mut self, effects: &mut Vec<Effect>) {
        // A message of theirs that waited for the results ends what is said of all: it goes with the last of them.
        if self.chat.phase != Phase::Idle {
            self.queue.gate.refuse_rest();
            let message = self.chat.held.is_some() || self.chat.upcoming.is_some();
            self.hint = Some(if message {
                "Denied: your message goes to the model.".to_owned()
            } else {
                "Denied, and so is all that the model asks for until your next message.".to_owned()
            });
        }
        let waiting: Vec<OperationId> = self.queue.waiting().map(|item| item.id).collect();
        let open = |id: &OperationId| {
            let standing = self.queue.gate.standing(*id);
            let approved = matches!(standing, Some(Standing::Allowed(Decider::Person | Decider::PersonAll)));
            self.queue.get(*id).is_some_and(|item| match item.status {
                Status::Preparing => true,
                // What needs nobody's word is of the turn, too.
                Status::Allowed { .. } => !approved,
                Status::Waiting
                | Status::Running { .. }
                | Status::Ended { .. }
                | Status::Denied { .. }
                | Status::Refused { .. } => false,
            })
        };
        // What they approved and waits again, as it needs one of these, is not of them.
        let unasked: Vec<OperationId> = self.batch().into_iter().filter(open).collect();
        for id in waiting.into_iter().chain(unasked) {
            self.deny_as(id, Decider::PersonAll, None, effects);
        }
        self.start_next(effects);
    }

    /// What has not started is answered, because the person stopped the turn; what waits for them only if
    /// `waiting` says so.
    pub(super) fn withdraw(&mut self, waiting: bool, effects: &mut Vec<Effect>) {
        let open = |id: &OperationId| {
            self.queue.get(*id).is_some_and(|item| match item.status {
                Status::Preparing | Status::Allowed { .. } => true,
                Status::Waiting => waiting,
                Status::Running { .. } | Status::Ended { .. } | Status::Denied { .. } | Status::Refused { .. } => false,
            })
        };
        let stopped: Vec<OperationId> = self.batch().into_iter().filter(open).collect();
        for id in stopped {
            self.deny_as(id, Decider::Interrupt, None, effects);
        }
    }

    /// The same for all that has not started, whoever asked for it.
    pub(super) fn withdraw_all(&mut self, effects: &mut Vec<Effect>) {
        for id in self.queue.unstarted() {
            self.deny_as(id, Decider::Interrupt, None, effects);
        }
    }

    pub(super) fn deny_as(
        &mut self,
        id: OperationId,
        decider: Decider,
        why: Option<String>,
        effects: &mut Vec<Effect>,
    ) {
        let judgement = self.queue.gate.judgement(id).cloned();
        if let Some(judgement) = judgement {
            self.deny(id, decider, judgement, why, effects);
            return;
        }
        // Not judged yet: nothing to record but the end of the wait.
        let reason = sentence(&decider, why.as_deref(), "");
        self.keep_of(id, JournalEvent::Dropped { reason: reason.clone(), stopped: true });
        if let Some(item) = self.queue.item_mut(id) {
            item.decider = Some(decider);
            item.status = Status::Denied { reason: reason.clone() };
        }
        self.answer(id, format!("cancelled: {reason}"), effects);
    }

    pub(super) fn deny(
        &mut self,
        id: OperationId,
        decider: Decider,
        judgement: Judgement,
        why: Option<String>,
        effects: &mut Vec<Effect>,
    ) {
        self.queue.gate.reject(id, &decider);
        self.queue.plan.unmark(id);
        self.queue.pass_on(id);
        let reason = sentence(&decider, why.as_deref(), &judgement.reason);
        let now = self.now;
        let waited = self.queue.item_mut(id).and_then(|item| {
            item.decided(now);
            item.waited
        });
        let event = JournalEvent::Decided {
            decider: decider.clone(),
            allowed: false,
            judgement,
            reason: why,
            waited,
            left: None,
        };
        self.keep_of(id, event);
        if let Some(item) = self.queue.item_mut(id) {
            item.decider = Some(decider);
            item.status = Status::Denied { reason: reason.clone() };
        }
        self.ask_again_without(id);
        self.drop_changes(id, effects);
        self.drop_answer(id, effects);
        self.answer(id, format!("cancelled: {reason}"), effects);
    }
}

/// Why it was not run, for the model and the list alike.
pub(super) fn sentence(decider: &Decider, why: Option<&str>, judgement: &str) -> String {
    match (decider, why) {
        (Decider::Person, Some(why)) => format!("{DENIED_WHY}{why}"),
        (Decider::Person, None) => "The person denied it.".to_owned(),
        (Decider::PersonAll, _) => "The person denied everything of this turn.".to_owned(),
        (Decider::Interrupt, _) => "The person stopped the turn before it ran.".to_owned(),
        (
            Decider::TurnApproval
            | Decider::Rule
            | Decider::Claim
            | Decider::Whitelist
            | Decider::AllowAll
            | Decider::Policy,
            _,
        ) => format!("It is not run: {judgement}"),
    }
}
