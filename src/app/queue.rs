//! Every operation of the session in order, where each stands, and the gate that decides. The only caller of
//! the gate's deciding methods.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::depends::Makes;
use super::event::Millis;
use super::plan::Plan;
use super::saying;
use crate::domain::{
    Containment, Decider, Foresight, Gate, Judgement, OperationId, Origin, Outcome, Part, Prepared, Remedy, Seal,
    Standing, ToolCall, TurnId, Undoable, Verdict,
};

/// Where an operation stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is being read and judged.
    Preparing,
    /// It waits for the person.
    Waiting,
    /// It is allowed and waits for those before it, or is being looked at again.
    Allowed {
        /// True once it is being looked at again.
        starting: bool,
    },
    /// It runs.
    Running {
        /// Since when.
        since: Millis,
        /// What is enforced.
        containment: Containment,
    },
    /// It ended.
    Ended {
        /// How.
        outcome: Outcome,
        /// Time it took, in milliseconds.
        took: u64,
    },
    /// It was not run.
    Denied {
        /// In one sentence, with the person's own reason if there was one.
        reason: String,
    },
    /// The call was not an operation: an unknown tool or bad arguments.
    Refused {
        /// In one sentence.
        reason: String,
    },
}

impl Status {
    /// Whether it is under way and may change something: nothing holds it to reading.
    #[must_use]
    pub fn may_change(&self) -> bool {
        match self {
            Self::Allowed { .. } => true,
            Self::Running { containment, .. } => *containment != Containment::ReadOnly,
            Self::Preparing | Self::Waiting | Self::Ended { .. } | Self::Denied { .. } | Self::Refused { .. } => false,
        }
    }

    /// Whether nothing more will happen to it.
    #[must_use]
    pub fn closed(&self) -> bool {
        match self {
            Self::Ended { .. } | Self::Denied { .. } | Self::Refused { .. } => true,
            Self::Preparing | Self::Waiting | Self::Allowed { .. } | Self::Running { .. } => false,
        }
    }
}

/// Whether what an operation did can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// It changed nothing, or nothing that was kept.
    Impossible,
    /// It can.
    Possible(Undoable),
    /// It was, by another operation.
    Done {
        /// Which.
        by: OperationId,
        /// How it could be.
        how: Undoable,
    },
}

/// One operation as the person sees it.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its number.
    pub id: OperationId,
    /// Who asked.
    pub origin: Origin,
    /// The call as it was said.
    pub call: ToolCall,
    /// The beginning of the call as one may look at it before it was read, or if it can't be: what has the shape of a
    /// secret is masked.
    pub said: String,
    /// What would happen, once it was read.
    pub prepared: Option<Box<Prepared>>,
    /// What it would make or write, once somebody asked.
    pub(super) makes: OnceLock<Vec<Makes>>,
    /// The latest verdict with its derivation.
    pub judgement: Option<Judgement>,
    /// Who decided, once decided.
    pub decider: Option<Decider>,
    /// Since when it waits for the person, or did.
    pub asked: Option<Millis>,
    /// How long it waited for the person's decision, in milliseconds.
    pub waited: Option<u64>,
    /// Where it stands.
    pub status: Status,
    /// Why it came back, if it changed after it was shown.
    pub requeued: Option<String>,
    /// Its turn.
    pub turn: TurnId,
    /// Whether what it did can be taken back.
    pub undo: Undo,
    /// What it takes back, if it does.
    pub takes_back: Vec<OperationId>,
    /// What the program says of its run.
    pub note: Option<String>,
    /// What it would change of what was there, which waits in its layer: in a few words.
    pub waits: Option<String>,
    /// Parts of its result that are no text, kept to be saved.
    pub parts: Vec<Part>,
    /// A wall may have stopped it, or it could not have one.
    pub stopped: bool,
    /// As it was asked for, if the person edited it.
    pub unedited: Option<Box<Prepared>>,
    /// What the person made of its text and didn't use yet.
    pub draft: Option<String>,
    /// The person put it off: the dialog doesn't open by itself for it again.
    pub put_off: bool,
    /// What it tries, if it is a trial.
    pub tries: Option<OperationId>,
    /// How often exactly this was denied before in its turn.
    pub again: usize,
    /// It waited when its session was left: it never starts without the person.
    pub resumed: bool,
    /// How a person could take back what it did, as it was told before: the program kept nothing.
    pub by_hand: Option<String>,
}

impl Item {
    /// It waits no more, because somebody decided: how long it did is kept.
    pub(super) fn decided(&mut self, now: Millis) {
        self.waited = self.asked.take().map(|asked| now.since(asked)).or(self.waited);
    }

    /// One line that says what it would do, secrets masked; not neutralised.
    #[must_use]
    pub fn gist(&self) -> String {
        self.prepared.as_ref().map_or_else(|| self.said.clone(), |prepared| prepared.gist())
    }

    /// It was read, or read again.
    pub(super) fn prepare(&mut self, prepared: Option<Box<Prepared>>) {
        self.prepared = prepared;
        self.makes = OnceLock::new();
    }

    /// The person edited it: another call stands in its place, to be read and judged.
    pub(super) fn rewrite(&mut self, origin: Origin, call: ToolCall) {
        self.origin = origin;
        self.call = call;
        self.status = Status::Preparing;
        self.requeued = None;
        self.asked = None;
        self.unedited = self.unedited.take().or(self.prepared.take());
        self.prepare(None);
        self.judgement = None;
        self.draft = None;
        self.by_hand = None;
    }

    /// The short word for its sort. What a server asks is a question, not something that would be done.
    #[must_use]
    pub fn word(&self) -> &str {
        if self.answers().is_some() {
            return "question";
        }
        self.prepared.as_ref().map_or_else(|| saying::word(&self.call.name), |prepared| prepared.operation.kind.word())
    }
}

/// The operations of a session.
#[derive(Debug)]
pub struct Queue {
    /// The gate.
    pub(super) gate: Gate,
    items: BTreeMap<OperationId, Item>,
    /// What those that wait would do, as they were under this seal.
    pub(super) foresights: BTreeMap<OperationId, (Seal, Foresight)>,
    /// Whether all that the turn's approval was given to could be undone; none where it wasn't given.
    undone: Option<bool>,
    /// Something ran since they were measured that may have changed what they were told from.
    pub(super) outdated: bool,
    selected: Option<OperationId>,
    /// How they are listed.
    pub(super) plan: Plan,
    next: u64,
}

impl Queue {
    /// An empty queue before a gate.
    #[must_use]
    pub fn new(gate: Gate) -> Self {
        Self {
            gate,
            items: BTreeMap::new(),
            foresights: BTreeMap::new(),
            undone: None,
            outdated: false,
            selected: None,
            plan: Plan::default(),
            next: 1,
        }
    }

    /// The turn is over, and what was given for it.
    pub(super) fn end_turn(&mut self) {
        self.gate.end_turn();
        self.undone = None;
    }

    /// All that is listed is approved for the turn: keeps whether all of it could be undone.
    pub(super) fn note_remedies(&mut self, listed: &[(OperationId, Seal)]) {
        let undone = listed.iter().all(|(id, seal)| match self.foresights.get(id) {
            Some((measured, Foresight::Measured(preview))) => {
                measured == seal && matches!(preview.remedy, Remedy::Possible(_))
            }
            Some(_) | None => false,
        });
        self.undone = Some(undone && self.undone != Some(false));
    }

    /// Whether all that the turn's approval was given to could be undone.
    pub(super) fn undone(&self) -> bool {
        self.undone == Some(true)
    }

    /// The gate, to read mode, verdicts and seals.
    #[must_use]
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// One operation.
    #[must_use]
    pub fn get(&self, id: OperationId) -> Option<&Item> {
        self.items.get(&id)
    }

    /// What a waiting operation would do. None for one that doesn't wait.
    #[must_use]
    pub fn foresight(&self, id: OperationId) -> Option<&Foresight> {
        self.foresights.get(&id).map(|(_, foresight)| foresight)
    }

    /// The operation that is selected, or the first that waits.
    #[must_use]
    pub fn selected(&self) -> Option<OperationId> {
        let listed = |id: &OperationId| self.items.get(id).is_some_and(|item| self.plan.shows(item));
        self.selected.filter(listed).or_else(|| self.listed().first().map(|item| item.id))
    }

    /// Operations that wait for the person, in order.
    pub fn waiting(&self) -> impl Iterator<Item = &Item> {
        self.items.values().filter(|item| item.status == Status::Waiting)
    }

    /// Operations that are under way: being read, allowed, or running.
    pub fn running(&self) -> impl Iterator<Item = &Item> {
        self.items
            .values()
            .filter(|item| matches!(item.status, Status::Preparing | Status::Allowed { .. } | Status::Running { .. }))
    }

    /// What has neither started nor ended: it waits, is being read, or may start.
    pub(super) fn unstarted(&self) -> Vec<OperationId> {
        let unstarted = |item: &&Item| !item.status.closed() && !matches!(item.status, Status::Running { .. });
        self.items.values().filter(unstarted).map(|item| item.id).collect()
    }

    /// Operations that are done with, newest first.
    pub fn done(&self) -> impl Iterator<Item = &Item> {
        self.items.values().rev().filter(|item| item.status.closed())
    }

    /// How the pane lists them.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Those that the pane lists: waiting, running, done, each in the order that the person chose.
    #[must_use]
    pub fn listed(&self) -> Vec<&Item> {
        let mut listed = Vec::new();
        self.list(self.waiting(), &mut listed);
        self.list(self.running(), &mut listed);
        self.list(self.done(), &mut listed);
        listed
    }

    fn list<'a>(&self, section: impl Iterator<Item = &'a Item>, listed: &mut Vec<&'a Item>) {
        let from = listed.len();
        listed.extend(section.filter(|item| self.plan.shows(item)));
        self.plan.sort(&mut listed[from..]);
    }

    /// Those that wait and that the person marked, in order.
    pub fn marked(&self) -> impl Iterator<Item = &Item> {
        self.waiting().filter(|item| self.plan.marks(item.id))
    }

    /// The newest operation.
    #[must_use]
    pub fn newest(&self) -> Option<OperationId> {
        self.items.keys().next_back().copied()
    }

    /// The operation that one behind it waits for: the first open one of the same message before it.
    #[must_use]
    pub fn waits_for(&self, id: OperationId) -> Option<OperationId> {
        let item = self.items.get(&id)?;
        if !item.origin.by_model() || item.status.closed() || matches!(item.status, Status::Running { .. }) {
            return None;
        }
        self.items
            .values()
            .take_while(|other| other.id < id)
            .find(|other| other.origin.by_model() && !other.status.closed())
            .map(|other| other.id)
    }

    /// The number that the next operation gets.
    pub(super) fn upcoming(&self) -> OperationId {
        OperationId(self.next)
    }

    /// The next operation gets this number, or a higher one.
    pub(super) fn skip_to(&mut self, id: OperationId) {
        self.next = self.next.max(id.0);
    }

    /// A new operation from a call, being read.
    pub(super) fn propose(&mut self, origin: Origin, call: ToolCall, turn: TurnId) -> OperationId {
        let id = OperationId(self.next);
        self.next += 1;
        let item = Item {
            id,
            origin,
            said: saying::said(&call),
            call,
            prepared: None,
            makes: OnceLock::new(),
            judgement: None,
            decider: None,
            asked: None,
            waited: None,
            status: Status::Preparing,
            requeued: None,
            turn,
            undo: Undo::Impossible,
            takes_back: Vec::new(),
            note: None,
            waits: None,
            parts: Vec::new(),
            stopped: false,
            unedited: None,
            draft: None,
            put_off: false,
            tries: None,
            again: 0,
            resumed: false,
            by_hand: None,
        };
        self.items.insert(id, item);
        id
    }

    /// Every operation, oldest first.
    pub fn all(&self) -> impl Iterator<Item = &Item> {
        self.items.values()
    }

    /// Operations before one, the nearest first.
    pub(super) fn before(&self, id: OperationId) -> impl Iterator<Item = &Item> {
        self.items.range(..id).rev().map(|(_, item)| item)
    }

    pub(super) fn item_mut(&mut self, id: OperationId) -> Option<&mut Item> {
        self.items.get_mut(&id)
    }

    /// Whether anything that may change something is under way.
    pub(super) fn under_way(&self) -> bool {
        // What reads unasked and hasn't begun changes nothing either.
        let reads = |item: &Item| {
            let judgement = item.judgement.as_ref();
            judgement.is_some_and(|told| told.verdict == Verdict::Allow && told.containment == Containment::ReadOnly)
        };
        self.items.values().any(|item| match item.status {
            Status::Allowed { .. } => !reads(item),
            _ => item.status.may_change(),
        })
    }

    pub(super) fn set_status(&mut self, id: OperationId, status: Status) {
        if let Some(item) = self.items.get_mut(&id) {
            item.status = status;
        }
    }

    pub(super) fn told_by_hand(&mut self, id: OperationId, how: String) {
        if let Some(item) = self.items.get_mut(&id) {
            item.by_hand = Some(how);
        }
    }

    pub(super) fn select(&mut self, id: OperationId) {
        self.selected = Some(id);
    }

    /// A waiting operation is about to be decided: where it is the selected one, the next that waits takes its place,
    /// or the one before, so that the person goes on where they were.
    pub(super) fn pass_on(&mut self, id: OperationId) {
        if self.selected != Some(id) {
            return;
        }
        let waits = |item: &&Item| item.status == Status::Waiting;
        let listed: Vec<OperationId> = self.listed().into_iter().filter(waits).map(|item| item.id).collect();
        let Some(at) = listed.iter().position(|other| *other == id) else { return };
        let before = || at.checked_sub(1).and_then(|before| listed.get(before));
        self.selected = listed.get(at + 1).or_else(before).copied().or(self.selected);
    }

    /// Something new waits while the person is elsewhere: it is what they look for when they come back, not what is
    /// done with.
    pub(super) fn point_at_waiting(&mut self) {
        if self.selected.and_then(|id| self.get(id)).is_some_and(|item| item.status.closed()) {
            self.selected = None;
        }
    }

    /// Moves the selection along the list.
    pub(super) fn move_selection(&mut self, by: isize) {
        let listed: Vec<OperationId> = self.listed().iter().map(|item| item.id).collect();
        let Some(last) = listed.len().checked_sub(1) else { return };
        let at = self.selected().and_then(|id| listed.iter().position(|other| *other == id)).unwrap_or(0);
        self.selected = listed.get(at.saturating_add_signed(by).min(last)).copied();
    }

    /// Brings the items in line with the gate after the mode changed.
    pub(super) fn resync(&mut self, now: Millis) {
        for item in self.items.values_mut() {
            if let Some(judgement) = self.gate.judgement(item.id) {
                item.judgement = Some(judgement.clone());
            }
            match (self.gate.standing(item.id), &item.status) {
                (Some(Standing::Waiting), Status::Allowed { .. }) => {
                    item.status = Status::Waiting;
                    item.asked = Some(now);
                }
                (Some(Standing::Waiting | Standing::Allowed(_)) | None, _) => {}
            }
        }
    }

    /// How many wait, and how many of them are high.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let high = |item: &&Item| {
            item.judgement.as_ref().is_some_and(|judgement| judgement.risk == crate::domain::RiskLevel::High)
        };
        (self.waiting().count(), self.waiting().filter(high).count())
    }

    /// Operations that ran without a question in this session, oldest first.
    pub fn unasked(&self) -> impl Iterator<Item = &Item> {
        let ran = |item: &&Item| matches!(item.status, Status::Ended { .. } | Status::Running { .. });
        let asked = |item: &Item| matches!(item.decider, Some(Decider::Person | Decider::PersonAll) | None);
        self.items.values().filter(ran).filter(move |item| {
            !asked(item) && item.judgement.as_ref().is_some_and(|judgement| judgement.verdict == Verdict::Allow)
        })
    }
}
