//! A session that was left, from its journal. Each entry goes the way that it went when it was made, and nothing is
//! asked or run on it; then what was cut off is settled: what ran is interrupted and never rerun, what was pending is
//! read and judged anew and waits, calls that nobody read are answered. What was approved before counts for nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::State;
use super::chat::{Entry, Phase, asks};
use super::choices::{asks_before, choices};
use super::deny::sentence;
use super::event::Effect;
use super::queue::{Status, Undo};
use super::unattended::ATTACHED;
use crate::domain::{ApprovalMode, JournalEntry, JournalEvent, Kept, Message, OperationId, Origin, Outcome, ToolCall};

/// What the model reads of an operation that ran when its session was left.
const INTERRUPTED: &str = "interrupted, outcome unknown: the program ended while this ran. It was not run again. Look at \
    what it did before you repeat it.";
/// What it reads of calls that nobody read.
const UNREAD: &str = "cancelled: the program ended before this call was read. It was not run.";

/// Why a session can't be gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Its operations are kept, its messages aren't.
    #[error("it was kept by an earlier version, without its messages")]
    NoMessages,
    /// Its contents were deleted.
    #[error("its contents were deleted")]
    Forgotten,
}

/// A session that is read back, entry by entry.
#[derive(Debug)]
pub struct Resumed {
    state: State,
    /// Calls of the model's latest message, until they become operations.
    calls: Vec<ToolCall>,
    /// What ended operations returned, until the model has it.
    results: BTreeMap<OperationId, String>,
    answered: BTreeSet<OperationId>,
    unreadable: Option<Unreadable>,
    /// The mode that was chosen last.
    mode: Option<ApprovalMode>,
    /// Where what the program wants done on the way goes: nowhere.
    nowhere: Vec<Effect>,
}

impl Resumed {
    /// Nothing was read yet; the session goes on from a fresh state.
    #[must_use]
    pub fn onto(state: State) -> Self {
        Self {
            state,
            calls: Vec::new(),
            results: BTreeMap::new(),
            answered: BTreeSet::new(),
            unreadable: None,
            mode: None,
            nowhere: Vec::new(),
        }
    }

    /// The next entry.
    pub fn entry(&mut self, entry: JournalEntry) {
        match (entry.operation, entry.event) {
            (None, event) => self.session(event),
            (Some(id), event) => self.operation(id, event),
        }
        self.state.chat.kept.clear();
        self.nowhere.clear();
    }

    fn session(&mut self, event: JournalEvent) {
        match event {
            JournalEvent::Said { text } => {
                if text.contains(ATTACHED) {
                    self.state.queue.gate.note_private_data();
                }
                self.state.accept(text);
            }
            JournalEvent::Answered { text, calls } => {
                if !text.is_empty() {
                    self.state.chat.push(Entry::Model { text: text.clone(), question: None });
                }
                self.calls.clone_from(&calls);
                self.state.answered(text, calls);
            }
            JournalEvent::Untaken { text } => {
                let calls = std::mem::take(&mut self.calls);
                self.state.untaken(calls, &text);
            }
            JournalEvent::Summarised { messages, text } => {
                self.state.chat.replace(usize::try_from(messages).unwrap_or(usize::MAX), text);
            }
            JournalEvent::Notice { text, trouble } => self.state.chat.remark(text, trouble),
            JournalEvent::Forgotten { .. } => self.unreadable = Some(Unreadable::Forgotten),
            // The mode that holds is the one that this program was started with.
            JournalEvent::Mode { mode } => self.mode = Some(mode),
            // The rest is about operations.
            JournalEvent::Proposed { .. }
            | JournalEvent::Decided { .. }
            | JournalEvent::Started { .. }
            | JournalEvent::Finished { .. }
            | JournalEvent::Taken
            | JournalEvent::Asked { .. }
            | JournalEvent::Dropped { .. }
            | JournalEvent::Undoable { .. }
            | JournalEvent::Told { .. }
            | JournalEvent::Aside { .. } => {}
        }
    }

    fn operation(&mut self, id: OperationId, event: JournalEvent) {
        match event {
            JournalEvent::Taken => {
                self.state.queue.skip_to(id);
                let calls = std::mem::take(&mut self.calls);
                self.state.take_calls(calls, &mut self.nowhere);
            }
            JournalEvent::Asked { origin, call, takes_back, tries } => self.asked(id, origin, call, takes_back, tries),
            JournalEvent::Aside { text } => {
                self.answered.insert(id);
                self.results.remove(&id);
                self.state.aside(id, text);
            }
            JournalEvent::Told { text } => {
                self.answered.insert(id);
                let result = self.results.remove(&id);
                let _filled = self.state.fill(id, text.or(result).unwrap_or_default());
            }
            event => self.changed(id, event),
        }
    }

    fn asked(
        &mut self,
        id: OperationId,
        origin: Origin,
        call: ToolCall,
        takes_back: Vec<OperationId>,
        tries: Option<OperationId>,
    ) {
        if let Some(item) = self.state.queue.item_mut(id) {
            item.rewrite(origin, call);
            return;
        }
        self.state.queue.skip_to(id);
        let about = super::decide::About { takes_back, tries };
        self.state.propose_about(origin, call, about, &mut self.nowhere);
    }

    /// What became of an operation that is there.
    fn changed(&mut self, id: OperationId, event: JournalEvent) {
        let now = self.state.now;
        let Some(item) = self.state.queue.item_mut(id) else {
            self.unreadable.get_or_insert(Unreadable::NoMessages);
            return;
        };
        match event {
            JournalEvent::Proposed { prepared } => item.prepare(Some(prepared)),
            JournalEvent::Decided { decider, allowed, judgement, reason, .. } => {
                if !allowed {
                    let reason = sentence(&decider, reason.as_deref(), &judgement.reason);
                    item.status = Status::Denied { reason };
                }
                item.decider = Some(decider);
                item.judgement = Some(judgement);
            }
            JournalEvent::Started { containment } => item.status = Status::Running { since: now, containment },
            JournalEvent::Finished { outcome, milliseconds, result, kept } => {
                item.status = Status::Ended { outcome: outcome.clone(), took: milliseconds };
                self.ended(id, &outcome, result, kept);
            }
            JournalEvent::Dropped { reason, stopped: true } => item.status = Status::Denied { reason },
            JournalEvent::Dropped { reason, stopped: false } => item.status = Status::Refused { reason },
            JournalEvent::Undoable { how } => {
                if item.undo == Undo::Impossible {
                    item.undo = Undo::Possible(how);
                }
            }
            JournalEvent::Said { .. }
            | JournalEvent::Answered { .. }
            | JournalEvent::Taken
            | JournalEvent::Untaken { .. }
            | JournalEvent::Asked { .. }
            | JournalEvent::Told { .. }
            | JournalEvent::Aside { .. }
            | JournalEvent::Summarised { .. }
            | JournalEvent::Notice { .. }
            | JournalEvent::Mode { .. }
            | JournalEvent::Forgotten { .. } => {}
        }
    }

    fn ended(&mut self, id: OperationId, outcome: &Outcome, result: String, kept: Kept) {
        if matches!(outcome, Outcome::Succeeded { .. }) {
            self.state.taken_back(id);
        }
        self.state.note_private(id, outcome);
        self.results.insert(id, result);
        self.state.output.leave(id, kept);
    }

    /// The session as it goes on, and what is to be done first. `held` are the staged runs whose changes wait, and these
    /// in a few words.
    ///
    /// # Errors
    /// It isn't there whole.
    pub fn settle(mut self, held: &[(OperationId, String)]) -> Result<(State, Vec<Effect>), Unreadable> {
        if let Some(why) = self.unreadable {
            return Err(why);
        }
        let mut effects = Vec::new();
        self.interrupt();
        self.pend(&mut effects);
        let calls = std::mem::take(&mut self.calls);
        self.state.untaken(calls, UNREAD);
        self.answer_rest();
        for (run, changes) in held {
            self.state.propose_left(*run, changes, &mut effects);
        }
        let Self { mut state, mode, .. } = self;
        let holds = state.queue.gate.policy().mode;
        if let Some(left) = mode.filter(|left| *left != holds) {
            let (now, then) = (holds.word(), left.word());
            state.chat.remark(format!("Mode {now} holds now; the session was left in mode {then}."), false);
        }
        // Whoever comes back looks first, and may type already.
        state.last_typed = Some(state.now);
        state.rest();
        state.hand_over_kept(&mut effects);
        Ok((state, effects))
    }

    /// Nobody knows what became of what ran.
    fn interrupt(&mut self) {
        let state = &mut self.state;
        let running = |item: &&super::Item| matches!(item.status, Status::Running { .. });
        let running: Vec<OperationId> = state.queue.running().filter(running).map(|item| item.id).collect();
        for id in running {
            let (outcome, result) = (Outcome::Lost, INTERRUPTED.to_owned());
            state.queue.set_status(id, Status::Ended { outcome: outcome.clone(), took: 0 });
            state.note_private(id, &outcome);
            let kept = Kept::Nothing;
            let event = JournalEvent::Finished { outcome, milliseconds: 0, result: result.clone(), kept };
            state.keep_of(id, event);
            self.results.insert(id, result);
        }
    }

    /// What was pending is read and judged anew.
    fn pend(&mut self, effects: &mut Vec<Effect>) {
        for id in self.state.queue.unstarted() {
            let Some(item) = self.state.queue.item_mut(id) else { continue };
            item.status = Status::Preparing;
            item.prepare(None);
            item.judgement = None;
            item.decider = None;
            item.resumed = true;
            effects.push(Effect::Prepare { id, origin: item.origin.clone(), call: item.call.clone() });
        }
    }

    /// What was done with, but not told to the model yet.
    fn answer_rest(&mut self) {
        let closed = self.state.queue.all().filter(|item| item.status.closed() && !self.answered.contains(&item.id));
        let closed: Vec<(OperationId, String, bool)> = closed
            .filter_map(|item| {
                let result = match &item.status {
                    Status::Ended { .. } => (self.results.get(&item.id).cloned().unwrap_or_default(), true),
                    Status::Denied { reason } => (format!("cancelled: {reason}"), false),
                    Status::Refused { reason } => (format!("error: {reason}"), false),
                    _ => return None,
                };
                Some((item.id, result.0, result.1))
            })
            .collect();
        for (id, text, ended) in closed {
            let _asked_by_the_person = self.state.answer_only(id, text, ended);
        }
    }
}

impl State {
    /// What is said once the screen is gone: that the session is kept, what waits in it, and the command that goes on.
    /// Nothing where nothing was said or done, and where it can't be gone on with.
    #[must_use]
    pub fn farewell(&self, again: &str) -> Option<String> {
        let used = !self.chat.history().is_empty() || self.queue.all().next().is_some();
        if !used || self.setting.practice || self.journal_trouble.is_some() {
            return None;
        }
        let waits = match self.queue.waiting().count() {
            0 => String::new(),
            1 => ", and 1 operation waits in it".to_owned(),
            count => format!(", and {count} operations wait in it"),
        };
        Some(format!("The session is kept{waits}.\nTo go on with it here: {again}"))
    }

    /// The session stands still until the person does something.
    fn rest(&mut self) {
        self.spent = super::budget::Spent::default();
        self.stops.turn = false;
        self.chat.scroll = super::Scroll::END;
        self.told_remote = false;
        let last = self.chat.history().last().map(AsRef::as_ref);
        match (&self.chat.phase, last) {
            (Phase::Idle, Some(Message::User(_) | Message::Results(_))) => {
                self.unanswered = true;
                self.chat.remark("The model has not answered yet: enter asks it.", false);
            }
            (Phase::Idle, Some(Message::Assistant { text, .. })) => {
                let choices = if asks_before(text) { choices(text) } else { Vec::new() };
                let ends = matches!(self.chat.entries().last(), Some(Entry::Model { .. }));
                if ends && (asks(text) || !choices.is_empty()) {
                    self.chat.mark_question(choices);
                }
            }
            _ => {}
        }
    }
}
