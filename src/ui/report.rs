//! What a run without a person tells: events for programs, one a line, as `assets/run-events.schema.json` says them;
//! or a line for each operation for people. Follows what happens; decides nothing.

use std::collections::BTreeMap;

use super::happened::{Cause, End, Ended, Found, Happened};
use super::text;
use crate::app::{Entry, Event, Item, Phase, State, Status};
use crate::domain::{
    Decider, Judgement, ModelEvent, OperationId, Origin, Outcome, RunEvent, Step, StopReason, Verdict,
};

/// Characters of what an operation would do that one line holds.
const GIST: usize = 300;
/// Bytes of a text of the model, an operation or its result that one event holds.
const MOST: usize = 64 * 1024;

/// Puts masks in the place of the secrets of a text.
pub type Hide = Box<dyn Fn(&str) -> String + Send>;

/// How far an operation was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Called,
    Allowed,
    Over,
}

/// Follows a run.
pub struct Report {
    hide: Hide,
    /// Messages of the model so far.
    messages: u64,
    /// What the model says in its present message, and how much of it was told.
    said: String,
    told: usize,
    answer: Option<String>,
    failed: bool,
    entries: usize,
    operations: BTreeMap<OperationId, Told>,
    ran: usize,
    refused: usize,
    needed: usize,
    input: u64,
    output: u64,
}

impl Report {
    /// Nothing happened yet. `hide` masks what is told.
    #[must_use]
    pub fn new(hide: Hide) -> Self {
        Self {
            hide,
            messages: 0,
            said: String::new(),
            told: 0,
            answer: None,
            failed: false,
            entries: 0,
            operations: BTreeMap::new(),
            ran: 0,
            refused: 0,
            needed: 0,
            input: 0,
            output: 0,
        }
    }

    /// Nothing of this run happened yet, in a session that goes on: what is over in it is not told again.
    #[must_use]
    pub fn after(self, state: &State) -> Self {
        let over = state.queue.all().filter(|item| item.status.closed()).map(|item| (item.id, Told::Over));
        Self { entries: state.chat.entries().len(), operations: over.collect(), ..self }
    }

    /// The first event.
    #[must_use]
    pub fn begin(state: &State, session: &str) -> Happened {
        let setting = &state.setting;
        Happened::Started {
            session: session.to_owned(),
            version: env!("CARGO_PKG_VERSION"),
            model: setting.model.clone(),
            remote: setting.remote,
            mode: state.queue.gate().policy().in_force().word(),
            workspace: setting.workspace.clone(),
            connection: setting.connection.clone(),
        }
    }

    /// What an event says that the state doesn't keep. Asked before the state takes it.
    pub fn hear(&mut self, state: &State, event: &Event, happened: &mut Vec<Happened>) {
        match event {
            Event::Model(step, event) => {
                let Phase::Streaming { step: current, calls, .. } = state.chat.phase() else { return };
                if current == step {
                    self.model(event, calls.is_empty(), happened);
                }
            }
            Event::Run(id, RunEvent::Finished(report)) => {
                let runs = |item: &Item| matches!(item.status, Status::Running { .. });
                if state.queue.get(*id).is_some_and(runs) {
                    let (text, left_out) = capped((self.hide)(&report.result));
                    happened.push(Happened::Output { id: id.0, text, left_out });
                }
            }
            _ => {}
        }
    }

    fn model(&mut self, event: &ModelEvent, plain: bool, happened: &mut Vec<Happened>) {
        match event {
            ModelEvent::Text(piece) => {
                self.said.push_str(piece);
                let rest = &self.said[self.told..];
                let whole = rest.rfind('\n').map_or(0, |at| at + 1);
                let long = if rest.len() - whole > MOST { rest.len() } else { whole };
                self.say(self.told + long, happened);
            }
            ModelEvent::Again(_) | ModelEvent::Call(_) | ModelEvent::Untaken(_) => {}
            ModelEvent::Ended(reason, usage) => {
                self.say(self.said.len(), happened);
                self.messages += 1;
                self.input += usage.input;
                self.output += usage.output;
                let (input, output) = (usage.input, usage.output);
                happened.push(Happened::Usage { message: self.messages, input, output });
                let said = self.next_message();
                let said = (self.hide)(&said);
                if plain {
                    self.failed = said.trim().is_empty() || *reason == StopReason::Length;
                    self.answer = Some(said).filter(|said| !said.trim().is_empty());
                }
            }
            ModelEvent::Failed(_) => {
                self.say(self.said.len(), happened);
                self.messages += 1;
                self.next_message();
                self.failed = true;
            }
        }
    }

    fn next_message(&mut self) -> String {
        self.told = 0;
        std::mem::take(&mut self.said)
    }

    /// Tells what the model says up to a byte.
    fn say(&mut self, to: usize, happened: &mut Vec<Happened>) {
        if to > self.told {
            let text = (self.hide)(&self.said[self.told..to]);
            happened.push(Happened::Text { message: self.messages + 1, text });
            self.told = to;
        }
    }

    /// What became of the operations, and what the program says. Asked after the state took an event.
    pub fn look(&mut self, state: &State, happened: &mut Vec<Happened>) {
        for entry in &state.chat.entries()[self.entries..] {
            if let Entry::Notice { text, trouble } = entry {
                happened.push(Happened::Notice { text: (self.hide)(text), trouble: *trouble });
            }
        }
        // The last entry may be a text of the model that still grows; it is no notice.
        self.entries = state.chat.entries().len();
        for item in state.queue.all() {
            if self.operations.get(&item.id) != Some(&Told::Over) && item.status != Status::Preparing {
                self.operation(state, item, happened);
            }
        }
    }

    fn operation(&mut self, state: &State, item: &Item, happened: &mut Vec<Happened>) {
        let before = self.operations.get(&item.id).copied();
        if before.is_none() {
            happened.push(self.call(item));
        }
        let id = item.id.0;
        let told = match &item.status {
            Status::Preparing | Status::Waiting | Status::Allowed { .. } => Told::Called,
            Status::Running { .. } => {
                if before != Some(Told::Allowed) {
                    happened.extend(self.decided(item, Verdict::Allow));
                }
                Told::Allowed
            }
            Status::Ended { outcome, took } => {
                let (outcome, summary) = ended(outcome);
                self.ran += 1;
                let (what, summary) = (self.what(item), (self.hide)(&summary));
                happened.push(Happened::Finished { id, what, outcome, summary, milliseconds: *took });
                Told::Over
            }
            Status::Denied { reason } => {
                happened.extend(self.decided(item, Verdict::Deny));
                let cause = match (&item.decider, item.judgement.as_ref().map(|judgement| judgement.step)) {
                    (Some(Decider::Interrupt) | None, _) => Cause::Interrupted,
                    (_, Some(Step::Catastrophe | Step::DenyRule)) => Cause::Denied,
                    _ => Cause::NeedsConfirmation,
                };
                // The derivation says it; that it isn't run is said by the event.
                let judged = item.judgement.as_ref().filter(|_| cause != Cause::Interrupted);
                let reason = judged.map_or(reason, |judgement| &judgement.reason);
                happened.push(self.not_run(item, cause, reason));
                Told::Over
            }
            Status::Refused { reason } => {
                let cause = if state.journal_trouble.is_some() { Cause::Journal } else { Cause::Malformed };
                happened.push(self.not_run(item, cause, reason));
                Told::Over
            }
        };
        self.operations.insert(item.id, told);
    }

    fn call(&self, item: &Item) -> Happened {
        let prepared = item.prepared.as_deref();
        let (text, left_out) = capped(prepared.map_or_else(|| item.said.clone(), crate::domain::Prepared::shown));
        Happened::Call {
            id: item.id.0,
            tool: text::line(&item.call.name),
            origin: if matches!(item.origin, Origin::Program { .. }) { "program" } else { "model" },
            claim: prepared.and_then(|prepared| prepared.operation.claim.level()),
            target: prepared.map(|prepared| (self.hide)(&prepared.assessment.target)),
            what: self.what(item),
            text: (self.hide)(&text),
            left_out,
        }
    }

    fn decided(&self, item: &Item, verdict: Verdict) -> Option<Happened> {
        let judgement: &Judgement = item.judgement.as_ref()?;
        let prepared = item.prepared.as_deref()?;
        let hidden = |said: &str| (self.hide)(&prepared.hidden(said));
        let findings = prepared.assessment.findings.iter().map(|finding| Found {
            rule: finding.rule.clone(),
            risk: finding.level,
            sentence: hidden(&finding.sentence),
        });
        Some(Happened::Decided {
            id: item.id.0,
            verdict,
            decider: item.decider.as_ref().map(word),
            step: judgement.step,
            number: judgement.step.number(),
            risk: judgement.risk,
            reason: hidden(&judgement.reason),
            containment: judgement.containment,
            enforced: judgement.enforced,
            findings: findings.collect(),
        })
    }

    fn not_run(&mut self, item: &Item, cause: Cause, reason: &str) -> Happened {
        match cause {
            Cause::NeedsConfirmation => {
                self.refused += 1;
                self.needed += 1;
            }
            Cause::Denied => self.refused += 1,
            Cause::Malformed | Cause::Journal | Cause::Interrupted => {}
        }
        let reason = item.prepared.as_ref().map_or_else(|| reason.to_owned(), |prepared| prepared.hidden(reason));
        Happened::Refused { id: item.id.0, what: self.what(item), cause, reason: (self.hide)(&reason) }
    }

    fn what(&self, item: &Item) -> String {
        let gist = (self.hide)(&item.gist());
        let gist = text::fit(&gist, GIST);
        // Some begin with the word: "apply changes of #1".
        if gist.split(' ').next() == Some(item.word()) { gist.into_owned() } else { format!("{} {gist}", item.word()) }
    }

    /// The model's last message, if it came to one.
    #[must_use]
    pub fn answer(&self) -> Option<&str> {
        self.answer.as_deref()
    }

    /// How many operations were refused because nobody was there to confirm them.
    #[must_use]
    pub fn needed(&self) -> usize {
        self.needed
    }

    /// How it ended, unless a signal ended it.
    #[must_use]
    pub fn end(&self, state: &State) -> End {
        if state.journal_trouble.is_some() {
            End::Journal
        } else if state.paused().is_some() {
            End::Limit
        } else if self.failed || self.answer.is_none() {
            End::ModelFailed
        } else if self.refused > 0 {
            End::Refused
        } else {
            End::Done
        }
    }

    /// The last event, `exit` milliseconds after the start.
    #[must_use]
    pub fn ended(&self, status: End, exit: u8, milliseconds: u64) -> Happened {
        Happened::Ended {
            status,
            exit,
            answer: self.answer.clone(),
            ran: self.ran,
            refused: self.refused,
            input: self.input,
            output: self.output,
            milliseconds,
        }
    }
}

fn ended(outcome: &Outcome) -> (Ended, String) {
    match outcome {
        Outcome::Succeeded { summary } => (Ended::Succeeded, summary.clone()),
        Outcome::Failed { reason } => (Ended::Failed, capped(reason.clone()).0),
        Outcome::Cancelled => (Ended::Cancelled, "it was stopped".to_owned()),
        Outcome::TimedOut { seconds } => (Ended::TimedOut, format!("the limit is {seconds} s")),
        Outcome::Lost => (Ended::Lost, "nobody knows how it ended".to_owned()),
    }
}

fn word(decider: &Decider) -> &'static str {
    match decider {
        Decider::Person | Decider::PersonAll => "person",
        Decider::TurnApproval => "turn-approval",
        Decider::Rule => "rule",
        Decider::Claim => "claim",
        Decider::Whitelist => "whitelist",
        Decider::AllowAll => "allow-all",
        Decider::Policy => "policy",
        Decider::Interrupt => "interrupt",
    }
}

/// The beginning of a text, and how many bytes of it were left out.
fn capped(mut text: String) -> (String, usize) {
    let end = text.floor_char_boundary(MOST);
    let left_out = text.len() - end;
    text.truncate(end);
    (text, left_out)
}
