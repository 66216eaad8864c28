//! Operations on their way: proposed, admitted, approved, denied, looked at again, run, ended. Everything that
//! touches the gate is here.

use super::chat::Entry;
use super::event::{Effect, Pane, Proposal};
use super::modal::{Dialog, Modal, Placing, Reach};
use super::queue::Status;
use super::{Phase, State};
use crate::domain::{
    Admission, Containment, Decider, Foresight, JournalEvent, OperationId, Origin, Outcome, Release, RunEvent, Seal,
    ToolCall, Verdict,
};

/// Which operations a new one is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct About {
    /// Those that it takes back.
    pub(super) takes_back: Vec<OperationId>,
    /// The one that it tries.
    pub(super) tries: Option<OperationId>,
}

impl State {
    /// A new operation: it gets a number, a line in the conversation, and is read.
    pub(super) fn propose(&mut self, origin: Origin, call: ToolCall, effects: &mut Vec<Effect>) -> OperationId {
        self.propose_about(origin, call, About::default(), effects)
    }

    /// The same, for what is about other operations.
    pub(super) fn propose_about(
        &mut self,
        origin: Origin,
        call: ToolCall,
        about: About,
        effects: &mut Vec<Effect>,
    ) -> OperationId {
        let id = self.queue.propose(origin.clone(), call.clone(), self.chat.turn);
        self.chat.interject(Entry::Operation(id));
        if let Some(item) = self.queue.item_mut(id) {
            item.takes_back.clone_from(&about.takes_back);
            item.tries = about.tries;
        }
        // A model's own call is kept with its message.
        if !matches!(origin, Origin::Model { .. }) {
            let About { takes_back, tries } = about;
            let (origin, call) = (origin.clone(), call.clone());
            self.keep_of(id, JournalEvent::Asked { origin, call, takes_back, tries });
        }
        effects.push(Effect::Prepare { id, origin, call });
        id
    }

    /// A call was read. A model's calls are admitted together, once the last of its message was read.
    pub(super) fn proposed(&mut self, id: OperationId, proposal: Proposal, effects: &mut Vec<Effect>) {
        let proposal = self.journalled(proposal);
        if let Proposal::Ready(prepared) = &proposal {
            self.note_role(prepared);
        }
        let Some(item) = self.queue.item_mut(id).filter(|item| item.status == Status::Preparing) else { return };
        match proposal {
            Proposal::Ready(prepared) => item.prepare(Some(prepared)),
            Proposal::Refused(reason) => {
                self.refuse(id, &reason, effects);
            }
        }
        let edited = self.queue.get(id).is_some_and(|item| item.origin.edited().is_some() && item.prepared.is_some());
        let alone = self.queue.get(id).is_some_and(|item| !item.origin.by_model());
        if alone {
            self.admit(id, effects);
        } else if self
            .batch()
            .iter()
            .all(|id| self.queue.get(*id).is_some_and(|item| was_read(&item.status, item.prepared.is_some())))
        {
            for id in self.batch() {
                self.admit(id, effects);
            }
        }
        self.uncover(id);
        if edited {
            // The person is here and comes from the editor: what they made of it is shown to be approved.
            self.open(id);
        }
        self.start_next(effects);
    }

    /// Without the journal nothing is taken in and nothing starts.
    fn journalled(&self, proposal: Proposal) -> Proposal {
        match &self.journal_trouble {
            Some(reason) => Proposal::Refused(format!("nothing runs without the journal: {reason}")),
            None => proposal,
        }
    }

    /// The journal failed: what has not started is refused and answered, so that no turn hangs on it.
    pub(super) fn journal_failed(&mut self, reason: String, effects: &mut Vec<Effect>) {
        if self.journal_trouble.is_some() {
            return;
        }
        self.chat.notice(format!("Nothing runs without the journal: {reason}."), true);
        let open = self.queue.unstarted();
        let refusal = format!("nothing runs without the journal: {reason}");
        self.journal_trouble = Some(reason);
        for id in open {
            self.queue.gate.reject(id, &Decider::Policy);
            self.refuse(id, &refusal, effects);
        }
    }

    /// It is no operation, or none any more.
    pub(super) fn refuse(&mut self, id: OperationId, reason: &str, effects: &mut Vec<Effect>) {
        self.keep_of(id, JournalEvent::Dropped { reason: reason.to_owned(), stopped: false });
        self.queue.set_status(id, Status::Refused { reason: reason.to_owned() });
        self.drop_answer(id, effects);
        self.answer(id, format!("error: {reason}"), effects);
    }

    /// The operations of the model's latest message, in order.
    pub(super) fn batch(&self) -> Vec<OperationId> {
        match &self.chat.phase {
            Phase::Working { calls } => calls.iter().map(|call| call.operation).collect(),
            Phase::Idle | Phase::Streaming { .. } => Vec::new(),
        }
    }

    fn admit(&mut self, id: OperationId, effects: &mut Vec<Effect>) {
        let Some(item) = self.queue.get(id).filter(|item| item.status == Status::Preparing) else { return };
        let Some(prepared) = item.prepared.clone() else { return };
        let again = self.queue.gate.denied_before(&prepared);
        let resumed = item.resumed;
        let gate = &mut self.queue.gate;
        let admission = if resumed { gate.hold(*prepared) } else { gate.admit(*prepared) };
        let (status, judgement) = match admission {
            Admission::Allowed(judgement) => (Status::Allowed { starting: false }, judgement),
            Admission::Waiting(judgement) => (Status::Waiting, judgement),
            Admission::Denied(judgement, decider) => {
                if let Some(item) = self.queue.item_mut(id) {
                    item.judgement = Some(judgement.clone());
                    item.again = if item.origin.by_model() { again } else { 0 };
                }
                self.deny(id, decider, judgement, None, effects);
                return;
            }
        };
        if status == Status::Waiting && self.focus != Pane::Queue {
            self.queue.point_at_waiting();
        }
        let now = self.now;
        if let Some(item) = self.queue.item_mut(id) {
            item.asked = (status == Status::Waiting).then_some(now);
            item.status = status;
            item.judgement = Some(judgement);
            if std::mem::take(&mut item.resumed) {
                item.requeued = Some("It waited when the session was left, and was judged anew.".to_owned());
            }
        }
    }

    /// Starts what may start: a person's own operations at once, a model's in order. One behind an open one
    /// waits, but read-only ones may overlap one another.
    pub(super) fn start_next(&mut self, effects: &mut Vec<Effect>) {
        if self.journal_trouble.is_some() {
            return;
        }
        let own: Vec<OperationId> = self
            .queue
            .running()
            .filter(|item| !item.origin.by_model() && item.status == Status::Allowed { starting: false })
            .map(|item| item.id)
            .collect();
        for id in own {
            self.look_again(id, effects);
        }
        for id in self.batch() {
            let Some(item) = self.queue.get(id) else { return };
            let harmless = item.judgement.as_ref().is_some_and(|judgement| {
                judgement.verdict == Verdict::Allow && judgement.containment == Containment::ReadOnly
            });
            match &item.status {
                Status::Ended { .. } | Status::Denied { .. } | Status::Refused { .. } => {}
                Status::Running { .. } | Status::Allowed { starting: true } if harmless => {}
                Status::Preparing | Status::Waiting | Status::Running { .. } | Status::Allowed { starting: true } => {
                    return;
                }
                Status::Allowed { starting: false } => {
                    let alone = !self.anything_before_runs(id);
                    if !alone && !harmless {
                        return;
                    }
                    self.look_again(id, effects);
                    if !harmless {
                        return;
                    }
                }
            }
        }
    }

    fn anything_before_runs(&self, id: OperationId) -> bool {
        self.batch()
            .iter()
            .take_while(|other| **other != id)
            .any(|other| self.queue.get(*other).is_some_and(|item| !item.status.closed()))
    }

    fn look_again(&mut self, id: OperationId, effects: &mut Vec<Effect>) {
        let Some(prepared) = self.queue.gate.prepared(id) else { return };
        effects.push(Effect::Refresh(Box::new(prepared.operation.clone()), self.expected(id)));
        self.queue.set_status(id, Status::Allowed { starting: true });
    }

    /// It was looked at again: run it, or put it back.
    pub(super) fn refreshed(&mut self, id: OperationId, proposal: Proposal, effects: &mut Vec<Effect>) {
        if self.queue.get(id).is_none_or(|item| item.status != (Status::Allowed { starting: true })) {
            return;
        }
        let prepared = match self.journalled(proposal) {
            Proposal::Ready(prepared) => *prepared,
            Proposal::Refused(reason) => {
                self.queue.gate.reject(id, &Decider::Policy);
                self.refuse(id, &reason, effects);
                self.start_next(effects);
                return;
            }
        };
        match self.queue.gate.release(id, prepared) {
            Release::Run(countersigned) => {
                if let Some(item) = self.queue.item_mut(id) {
                    item.decider = Some(countersigned.decider().clone());
                    item.judgement = Some(countersigned.judgement().clone());
                    item.status = Status::Running { since: self.now, containment: countersigned.containment() };
                }
                let waited = self.queue.get(id).and_then(|item| item.waited);
                effects.push(Effect::Execute(countersigned, waited));
            }
            Release::Requeued(why) => self.requeue(id, why),
            Release::Denied(judgement) => {
                let decider = judgement.decider();
                self.deny(id, decider, judgement, None, effects);
            }
            Release::Unknown => {}
        }
        self.start_next(effects);
    }

    pub(super) fn requeue(&mut self, id: OperationId, why: String) {
        let judgement = self.queue.gate.judgement(id).cloned();
        let prepared = self.queue.gate.prepared(id).cloned().map(Box::new);
        let now = self.now;
        if let Some(item) = self.queue.item_mut(id) {
            item.status = Status::Waiting;
            item.asked = Some(now);
            item.requeued = Some(why);
            item.put_off = false;
            item.judgement = judgement;
            item.prepare(prepared);
        }
    }

    /// The person approves exactly what was shown.
    pub(super) fn approve(&mut self, id: OperationId, seal: Seal, effects: &mut Vec<Effect>) -> bool {
        if !self.queue.gate.approve(id, seal) {
            return false;
        }
        self.approved(id);
        self.expect_terminal(id);
        self.start_next(effects);
        true
    }

    /// The person approves everything that was listed, and what it reaches.
    pub(super) fn approve_listed(&mut self, listed: &[(OperationId, Seal)], reach: Reach, effects: &mut Vec<Effect>) {
        let approved = match reach {
            Reach::Turn => {
                self.queue.note_remedies(listed);
                self.queue.gate.approve_all(listed)
            }
            Reach::Listed => {
                let gate = &mut self.queue.gate;
                listed.iter().filter(|(id, seal)| gate.approve(*id, *seal)).map(|(id, _)| *id).collect()
            }
        };
        for id in approved {
            self.approved(id);
        }
        self.start_next(effects);
    }

    fn approved(&mut self, id: OperationId) {
        let hosts = self.queue.gate.prepared(id).map(|prepared| prepared.hosts().cloned().collect::<Vec<_>>());
        for host in hosts.into_iter().flatten() {
            self.queue.gate.name_host(host);
        }
        self.stops.turn = false;
        self.queue.plan.unmark(id);
        self.queue.pass_on(id);
        let now = self.now;
        if let Some(item) = self.queue.item_mut(id) {
            item.decided(now);
        }
        self.queue.set_status(id, Status::Allowed { starting: false });
    }

    /// What a running operation says.
    pub(super) fn run(&mut self, id: OperationId, event: RunEvent, effects: &mut Vec<Effect>) {
        if !self.runs(id) {
            return;
        }
        match event {
            RunEvent::Started => {
                // What the person starts is what the person wants to see.
                let own = self.queue.get(id).is_some_and(|item| matches!(item.origin, Origin::Person));
                if own && self.typing_into.is_none() {
                    self.output.unpin();
                    // Where the list and the output share their place.
                    if self.focus != Pane::Queue {
                        self.tab = Pane::Output;
                    }
                }
                if !self.looks_at_output() {
                    self.output.unpin();
                }
                // Of several that run, the one that is read stays until it ends.
                let chosen = self.focus == Pane::Queue && self.queue.selected() == Some(id);
                let stays = !own && !chosen && self.output.shown().is_some_and(|shown| self.runs(shown));
                self.output.start(id, stays);
                if !stays {
                    self.point_at_running(id);
                }
            }
            RunEvent::Tail(tail) => self.output.tail(id, tail),
            RunEvent::Glass(glass) => {
                self.output.glass(id, Some(glass));
                self.fit_terminal(effects);
                self.enter_expected(id);
            }
            RunEvent::Table(table) => self.output.table(id, table),
            RunEvent::Undoable(how) => self.undoable(id, how),
            RunEvent::Waits(what) => self.noted(id, |item| item.waits = Some(what)),
            RunEvent::Parts(parts) => self.noted(id, |item| item.parts = parts),
            RunEvent::Asks(call) => self.propose_answer(id, call, effects),
            RunEvent::Used(usage) => self.count(usage),
            RunEvent::Note(note) => self.noted(id, |item| item.note = Some(note)),
            RunEvent::Warning(warning) => {
                self.chat.notice(format!("{id}: {warning}"), true);
                self.noted(id, |item| item.note = Some(warning));
            }
            RunEvent::Stopped => self.noted(id, |item| item.stopped = true),
            RunEvent::Finished(report) => {
                if matches!(report.outcome, Outcome::Succeeded { .. }) {
                    self.taken_back(id);
                }
                self.output.glass(id, None);
                self.terminal_ended(id);
                self.begin_at_its_start(id, effects);
                self.withdraw_answers(id, effects);
                self.queue.outdated |= self.queue.get(id).is_some_and(|item| item.status.may_change());
                let took = u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX);
                self.note_private(id, &report.outcome);
                self.hint_tables(id, &report.outcome);
                self.queue.set_status(id, Status::Ended { outcome: report.outcome, took });
                let mut result = report.result;
                let changes = self.propose_changes(id, effects);
                let ended = changes.is_none();
                result.extend(changes);
                self.answer_as(id, result, ended, effects);
                self.offer(id, effects);
                self.start_next(effects);
                self.show_next_running(id);
            }
        }
    }

    fn runs(&self, id: OperationId) -> bool {
        self.queue.get(id).is_some_and(|item| matches!(item.status, Status::Running { .. }))
    }

    /// The output shows what still runs once what it showed has ended: what is selected in the list, else the first.
    fn show_next_running(&mut self, ended: OperationId) {
        if self.output.shown() != Some(ended) || self.looks_at_output() {
            return;
        }
        let selected = self.queue.selected().filter(|id| self.focus == Pane::Queue && self.runs(*id));
        let first = || self.queue.running().map(|item| item.id).find(|id| self.runs(*id));
        if let Some(next) = selected.or_else(first) {
            self.output.pass_on(next);
            self.point_at_running(next);
        }
    }

    /// Whether the person looks at something in the output: what starts doesn't take its place then.
    fn looks_at_output(&self) -> bool {
        let earlier = self.output.printout().is_some_and(|printout| printout.page.is_some());
        self.focus == Pane::Output || earlier || self.typing_into.is_some() || !self.finds.output.text.is_empty()
    }

    /// Whoever isn't in the list, and has nothing to decide there, finds what runs selected.
    fn point_at_running(&mut self, id: OperationId) {
        if self.focus != Pane::Queue && self.queue.waiting().next().is_none() {
            self.queue.select(id);
        }
    }

    fn noted(&mut self, id: OperationId, note: impl FnOnce(&mut super::Item)) {
        if let Some(item) = self.queue.item_mut(id) {
            note(item);
        }
    }

    /// Offers the person to run again, without walls, what a wall may have stopped. It waits like any other.
    fn offer(&mut self, id: OperationId, effects: &mut Vec<Effect>) {
        let offered = |item: &&super::Item| matches!(item.origin, Origin::Program { .. });
        let Some(item) = self.queue.get(id).filter(|item| item.stopped && !offered(item)) else { return };
        let (call, of) = (item.call.clone(), Box::new(item.origin.clone()));
        self.propose(Origin::Program { after: id, of }, call, effects);
    }

    /// After private data was read, a GET to an unnamed host asks once in guarded mode.
    pub(super) fn note_private(&mut self, id: OperationId, outcome: &Outcome) {
        let reads = self.queue.get(id).is_some_and(|item| {
            item.prepared.as_ref().is_some_and(|prepared| prepared.reads_private(item.decider.as_ref()))
        });
        if reads && *outcome != Outcome::Lost {
            self.queue.gate.note_private_data();
        }
    }

    /// The first operation that waits and that the person has not put off.
    pub(super) fn next_unseen(&self) -> Option<OperationId> {
        // Who asked for a trial looks at that next, and then at what was tried.
        let trial = self.queue.all().filter(|item| item.tries.is_some() && !item.status.closed()).last();
        match trial.filter(|trial| !trial.put_off) {
            Some(trial) => (trial.status == Status::Waiting).then_some(trial.id),
            None => self.queue.waiting().find(|item| !item.put_off).map(|item| item.id),
        }
    }

    /// Opens the dialog of an operation that waits.
    pub(super) fn open(&mut self, id: OperationId) -> bool {
        if self.linear {
            return false;
        }
        let risk = self.queue.gate.judgement(id).map(|judgement| judgement.risk);
        let (Some(seal), Some(risk)) = (self.queue.gate.seal(id), risk) else { return false };
        if self.focus == super::Pane::Queue {
            self.queue.select(id);
        }
        self.modal = Some(Modal::Confirm(Box::new(Dialog::new(id, seal, risk, self.placing(id)))));
        self.rhythm.begin();
        true
    }

    /// How a dialog that opens now shows its preview.
    pub(super) fn placing(&self, id: OperationId) -> Placing {
        let measured = self.queue.foresight(id).is_some_and(|foresight| *foresight != Foresight::Measuring);
        if measured { Placing::Free } else { Placing::Kept }
    }
}

/// Whether a call of a batch was read, one way or the other.
fn was_read(status: &Status, prepared: bool) -> bool {
    prepared || *status != Status::Preparing
}
