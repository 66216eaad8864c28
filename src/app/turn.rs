//! The conversation's loop: a message of the person, a request, a stream, calls, their results, the next
//! request. Every call is answered exactly once.

use super::State;
use super::chat::{Entry, OpenCall, Phase, asks};
use super::choices::{asks_before, choices};
use super::event::{Effect, Pane};
use super::find::Within;
use super::queue::Status;
use crate::domain::{
    APPLY, ApprovalMode, FailureKind, JournalEvent, Message, ModelEvent, ModelFailure, OperationId, Origin, StepId,
    StopReason, ToolCall, ToolResult, TurnId, Usage,
};

/// Said once before the first message to a model on another machine.
const LEAVES: &str = "Your messages and the results of what runs are sent to this model's provider. Files, rows and \
    output stay here until an operation reads them.";

/// How far the calls of a message are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// Some are open.
    Open,
    /// All are.
    All,
    /// All are, and a message of the person's went with them.
    WithMessage,
}

impl State {
    /// The person sends a message of theirs: hosts that it names may be read from.
    pub(super) fn send_typed(&mut self, text: String, effects: &mut Vec<Effect>) {
        self.name_hosts(&text);
        self.send(text, effects);
    }

    /// A message is sent, in whoever's words. While the model answers it waits for the end of that; while calls are open
    /// it goes with their results.
    pub(super) fn send(&mut self, text: String, effects: &mut Vec<Effect>) {
        if self.setting.remote && !self.told_remote {
            self.told_remote = true;
            self.chat.notice(LEAVES, false);
        }
        if self.unbriefed || self.chat.phase != Phase::Idle {
            return self.send_later(text);
        }
        self.end_paused();
        self.handed_over = true;
        // Whoever goes on talking has found it.
        self.forget(Within::Chat);
        self.output.unpin();
        self.chat.scroll = super::Scroll::END;
        // Where one pane has all of the screen, the answer is what they want to see.
        if !self.sight.areas.iter().any(|(pane, ..)| *pane == Pane::Chat) {
            self.tab = Pane::Chat;
        }
        self.accept(text);
        self.next_step(effects);
    }

    /// A message of the person's is part of the conversation. In one that was recorded calls may be open: it goes with
    /// their results.
    pub(super) fn accept(&mut self, text: String) {
        self.keep(JournalEvent::Said { text: text.clone() });
        self.chat.push(Entry::Person(text.clone()));
        self.chat.asked.clone_from(&text);
        self.chat.turn = TurnId(self.chat.turn.0 + 1);
        self.spent = super::budget::Spent::default();
        self.unanswered = false;
        self.tallies.turn = super::Tally::default();
        self.queue.end_turn();
        match self.chat.phase {
            Phase::Idle | Phase::Streaming { .. } => {
                let message = self.chat.with_asides(&text);
                self.chat.remember(Message::User(message));
            }
            Phase::Working { .. } => {
                let held = match self.chat.held.take() {
                    Some(before) => format!("{before}\n\n{text}"),
                    None => text,
                };
                self.chat.held = Some(held);
            }
        }
    }

    /// The model's message is part of the conversation, as far as it came.
    pub(super) fn answered(&mut self, text: String, calls: Vec<ToolCall>) {
        self.keep(JournalEvent::Answered { text: text.clone(), calls: calls.clone() });
        self.chat.remember(Message::Assistant { text, calls });
    }

    /// Hosts that the person named in words may be read from even after private data was read. Words of the model
    /// that the person only chose name none.
    pub(super) fn name_hosts(&mut self, text: &str) {
        for word in text.split_whitespace() {
            // Only an address with its scheme: `main.rs` is a file, and somebody's domain too.
            let Some((_, word)) = word.split_once("://") else { continue };
            let host = word.split(['/', '?', '#']).next().unwrap_or_default();
            let host = host.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            if host.contains('.') {
                self.queue.gate.name_host(host.to_ascii_lowercase());
            }
        }
    }

    fn next_step(&mut self, effects: &mut Vec<Effect>) {
        if self.pause(&[]) {
            self.chat.phase = Phase::Idle;
            return;
        }
        self.request_next(effects);
    }

    /// Asks the model, whatever the turn used.
    pub(super) fn request_next(&mut self, effects: &mut Vec<Effect>) {
        self.chat.untaken.clear();
        if self.compact_if_long(effects) {
            return;
        }
        let (step, request) = self.chat.request(self.now);
        effects.push(Effect::StartStep(step, request));
    }

    /// What the model's stream says. Late words of a stopped step meet no transition.
    pub(super) fn model(&mut self, step: StepId, event: ModelEvent, effects: &mut Vec<Effect>) {
        if self.summarising(step) {
            match event {
                ModelEvent::Text(piece) => self.chat.mutter(&piece),
                // No tool was offered.
                ModelEvent::Call(_) | ModelEvent::Untaken(_) | ModelEvent::Again(_) => {}
                ModelEvent::Ended(_, usage) => self.compacted(Ok(usage), effects),
                ModelEvent::Failed(failure) => self.compacted(Err(&failure.message), effects),
            }
            return;
        }
        let Phase::Streaming { step: current, calls, again, .. } = &mut self.chat.phase else { return };
        if *current != step {
            return;
        }
        *again = None;
        match event {
            ModelEvent::Again(said) => *again = Some(said),
            ModelEvent::Text(piece) => self.chat.say(&piece),
            ModelEvent::Call(call) => calls.push(call),
            ModelEvent::Untaken(left) => self.leave_untaken(&left),
            ModelEvent::Ended(reason, usage) => {
                let calls = std::mem::take(calls);
                self.count(usage);
                self.message_ended(calls, &reason, usage, effects);
            }
            ModelEvent::Failed(failure) => self.message_failed(&failure, effects),
        }
    }

    fn message_ended(&mut self, calls: Vec<ToolCall>, reason: &StopReason, usage: Usage, effects: &mut Vec<Effect>) {
        let text = self.chat.take_said();
        if calls.is_empty() {
            let choices = if asks_before(&text) { choices(&text) } else { Vec::new() };
            if text.trim().is_empty() {
                self.chat.notice("The model answered nothing. Send the message again, or another one.", true);
            } else if asks(&text) || !choices.is_empty() {
                self.chat.mark_question(choices);
            }
            if *reason == StopReason::Length {
                let next = if self.attended() { "Send `go on` for the rest." } else { "It is cut off." };
                let said = format!("The answer reached the model's length limit. {next}");
                self.chat.notice(said, !self.attended());
            }
            self.answered(text, calls);
            self.chat.counted(usage);
            self.chat.phase = Phase::Idle;
            return;
        }
        self.answered(text, calls.clone());
        self.chat.counted(usage);
        self.chat.phase = Phase::Idle;
        if !self.pause(&calls) {
            self.take_calls(calls, effects);
        }
    }

    /// Every call of a message becomes an operation.
    pub(super) fn take_calls(&mut self, calls: Vec<ToolCall>, effects: &mut Vec<Effect>) {
        // They were asked for before the model read the message that waits: nothing that was said of all covers them.
        if self.chat.upcoming.is_some() {
            self.queue.end_turn();
        }
        self.spent.call(calls.len());
        self.keep_of(self.queue.upcoming(), JournalEvent::Taken);
        let open = calls
            .into_iter()
            .map(|call| {
                let origin = Origin::Model { call_id: call.id.clone() };
                OpenCall { operation: self.propose(origin, call.clone(), effects), call, result: None }
            })
            .collect();
        self.chat.phase = Phase::Working { calls: open };
    }

    /// A cut or refused stream: what was said stays, calls of an unfinished message are not believed.
    fn message_failed(&mut self, failure: &ModelFailure, effects: &mut Vec<Effect>) {
        let text = self.chat.take_said();
        if failure.kind == FailureKind::TooLong && text.is_empty() && self.compact_harder(effects) {
            return;
        }
        if !text.is_empty() {
            self.answered(text, Vec::new());
        }
        self.chat.notice(failure.message.clone(), true);
        if self.take_back_upcoming() {
            self.hint = Some("The answer failed: your message is here again.".to_owned());
        }
        self.chat.phase = Phase::Idle;
    }

    /// Answers the call of an operation. A direct operation's result joins the next message.
    pub(super) fn answer(&mut self, id: OperationId, text: String, effects: &mut Vec<Effect>) {
        self.answer_as(id, text, false, effects);
    }

    /// The same; `ended` if the text is what the journal's entry of its end says.
    pub(super) fn answer_as(&mut self, id: OperationId, text: String, ended: bool, effects: &mut Vec<Effect>) {
        self.tried(id);
        match self.answer_only(id, text, ended) {
            Filled::Open => {}
            Filled::All => {
                if std::mem::take(&mut self.stops.turn) {
                    self.chat.notice("Stopped. The model will see it with your next message.", false);
                } else {
                    self.next_step(effects);
                }
            }
            Filled::WithMessage => {
                self.stops.turn = false;
                self.next_step(effects);
            }
        }
    }

    /// The same, and the model isn't asked on it.
    pub(super) fn answer_only(&mut self, id: OperationId, text: String, ended: bool) -> Filled {
        let Some(item) = self.queue.get(id) else { return Filled::Open };
        let denied = matches!(item.status, Status::Denied { .. });
        let refused = matches!(item.status, Status::Refused { .. });
        // The server hears it, and the call's result says what came of it: what is in the form is the server's text, never
        // the person's to the model, even where the person filled it in.
        if item.answers().is_some() {
            return Filled::Open;
        }
        let how = match &item.origin {
            Origin::Again { after, .. } => Some(format!("I ran {after} again")),
            Origin::Edited { of, what } if !of.by_model() => Some(format!("I {} and ran it myself", what.did("this"))),
            Origin::Model { .. } | Origin::Edited { .. } => None,
            Origin::Person | Origin::Beside { .. } => Some("I ran this myself".to_owned()),
            Origin::Program { after, .. } if item.call.name == APPLY && (denied || refused) => {
                let aside = if denied {
                    format!(
                        "I denied what {after} changed of what was there; that was dropped. Files that it added stay."
                    )
                } else {
                    format!(
                        "What {after} changed could not be put in place; that was dropped. Files that it added stay."
                    )
                };
                self.aside(id, aside);
                return Filled::Open;
            }
            Origin::Program { after, .. } if item.call.name == APPLY => {
                Some(format!("I approved what {after} changed"))
            }
            Origin::Program { after, .. } => Some(format!("I let {after} run without walls")),
        };
        if let Some(how) = how {
            if matches!(item.status, Status::Ended { .. }) {
                let aside = format!("{how}: {}\nResult:\n{text}", item.gist());
                self.aside(id, aside);
            }
            return Filled::Open;
        }
        // Denied or run: the model must know that this is not what it asked for.
        let edited = item.origin.edited();
        let text = if let Some(edit) = edited {
            let reads = &item.call.arguments;
            let reads = item.prepared.as_ref().map_or_else(|| reads.clone(), |prepared| prepared.hidden(reads));
            edit.told(&reads, &text)
        } else {
            text
        };
        let open = |call: &OpenCall| call.operation == id && call.result.is_none();
        if !matches!(&self.chat.phase, Phase::Working { calls } if calls.iter().any(open)) {
            return Filled::Open;
        }
        let kept = (!ended || edited.is_some()).then(|| text.clone());
        self.keep_of(id, JournalEvent::Told { text: kept });
        self.fill(id, text)
    }

    /// The model is told something with the person's next message.
    pub(super) fn aside(&mut self, id: OperationId, text: String) {
        self.keep_of(id, JournalEvent::Aside { text: text.clone() });
        self.chat.asides.push(text);
    }

    /// A call has its result. Once every call of the message has one, they are part of the conversation, together with a
    /// message that was held for them.
    pub(super) fn fill(&mut self, id: OperationId, text: String) -> Filled {
        let Phase::Working { calls } = &mut self.chat.phase else { return Filled::Open };
        if let Some(call) = calls.iter_mut().find(|call| call.operation == id && call.result.is_none()) {
            call.result = Some(ToolResult { call_id: call.call.id.clone(), tool: call.call.name.clone(), text });
        }
        if calls.iter().any(|call| call.result.is_none()) {
            return Filled::Open;
        }
        let mut results: Vec<ToolResult> = calls.iter_mut().filter_map(|call| call.result.take()).collect();
        let untaken = std::mem::take(&mut self.chat.untaken);
        if let Some(last) = results.last_mut().filter(|_| !untaken.is_empty()) {
            last.text = format!("{}\n{untaken}", last.text);
        }
        self.chat.remember(Message::Results(results));
        self.chat.phase = Phase::Idle;
        let held = self.chat.held.take();
        let upcoming = self.chat.upcoming.take();
        if held.is_none() && upcoming.is_none() {
            return Filled::All;
        }
        // What was approved or denied for the turn before ends with it, though it was said while this one waited.
        self.queue.end_turn();
        if let Some(held) = held {
            let message = self.chat.with_asides(&held);
            self.chat.remember(Message::User(message));
        }
        if let Some(upcoming) = upcoming {
            self.accept(upcoming);
        }
        Filled::WithMessage
    }

    /// Esc: the stream and the children end; a second Esc answers what waits. True if there was something.
    pub(super) fn stop(&mut self, effects: &mut Vec<Effect>) -> bool {
        let running: Vec<OperationId> = self
            .queue
            .running()
            .filter(|item| matches!(item.status, Status::Running { .. }))
            .map(|item| item.id)
            .collect();
        for id in &running {
            effects.push(Effect::Cancel(*id));
        }
        self.queue.end_turn();
        match &self.chat.phase {
            Phase::Streaming { .. } => {
                self.stop_stream(effects);
                self.take_back_upcoming();
                self.chat.notice("Stopped.", false);
                true
            }
            Phase::Working { .. } => {
                self.take_back_upcoming();
                let again = self.stops.warn(self.now);
                self.stops.turn = true;
                self.withdraw(again, effects);
                let waiting = self.queue.counts().0;
                if waiting > 0 {
                    let that = if waiting == 1 { "waits" } else { "wait" };
                    let press = if self.linear { "Type stop" } else { "Press esc" };
                    self.hint = Some(format!("{press} again: it drops the {waiting} that {that}."));
                }
                true
            }
            Phase::Idle if self.paused.is_some() => {
                self.end_paused();
                self.chat.notice("Stopped at the limit.", false);
                true
            }
            Phase::Idle => !running.is_empty(),
        }
    }

    /// One key against everything: the stream, the children and the queue end, and from now on everything asks.
    pub(super) fn stop_everything(&mut self, effects: &mut Vec<Effect>) {
        self.modal = None;
        // What waits is answered at once, and the results start no further request.
        self.stops.turn = matches!(self.chat.phase, Phase::Working { .. });
        self.stop(effects);
        self.withdraw_all(effects);
        if self.queue.gate.policy().mode != ApprovalMode::Strict {
            self.set_mode(ApprovalMode::Strict);
        }
        self.hint = Some("Everything is stopped, and everything asks. /mode guarded goes back.".to_owned());
    }

    pub(super) fn stop_stream(&mut self, effects: &mut Vec<Effect>) {
        effects.push(Effect::StopStep);
        if self.compacting.take().is_some() {
            self.chat.phase = Phase::Idle;
            return;
        }
        let text = self.chat.take_said();
        if !text.is_empty() {
            self.answered(text, Vec::new());
        }
        self.chat.phase = Phase::Idle;
    }
}
