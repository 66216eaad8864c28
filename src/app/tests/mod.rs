//! The core by events: scripts of what happens, and what the state wants done. No terminal, no clock, no tasks.

mod answers;
mod compaction;
mod composing;
mod decisions;
mod edits;
mod foresight;
mod limits;
mod linear;
mod looks;
mod memory;
mod output;
mod pickers;
mod promises;
mod resume;
mod reviewing;
mod setting_up;
mod several;
mod staged;
mod storm;
mod switching;
mod terminal;
mod trial;
mod turns;
mod typing;
mod unattended;
mod undo;
mod unsent;

use std::collections::VecDeque;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::domain::{
    ApprovalMode, Assessment, Class, CommandOperation, Danger, Facts, Finding, JournalEntry, JournalEvent, Kept,
    Message, ModelEvent, Operation, OperationId, OperationKind, Origin, Outcome, Prepared, Printed, RiskLevel,
    RunEvent, RunReport, Shape, StepId, StopReason, Stream, ToolCall, ToolResult, Usage,
};

/// A state with the edges played by hand: what a command is decides how it is judged.
pub(super) struct World {
    pub state: State,
    pub executed: Vec<(OperationId, String)>,
    /// What went to the journal, as the engine orders it.
    pub journal: Vec<crate::domain::JournalEntry>,
    pub requests: Vec<Vec<std::sync::Arc<Message>>>,
    pub cancelled: Vec<OperationId>,
    /// What went into terminals.
    pub typed: Vec<(OperationId, crate::domain::Typed)>,
    /// What was to be measured, and what no longer.
    pub measuring: Vec<(OperationId, crate::domain::Seal)>,
    pub unmeasured: Vec<OperationId>,
    /// Runs whose changes were dropped.
    pub dropped: Vec<OperationId>,
    /// Calls whose answers to servers were not given.
    pub declined: Vec<ToolCall>,
    /// Texts that were opened in the person's own editor.
    pub opened: Vec<String>,
    /// Parts of kept output that were asked for, what was copied, what was to be saved where.
    pub looks: Vec<(OperationId, crate::domain::Look)>,
    pub copied: Vec<String>,
    pub collected: Vec<Content>,
    /// Rows of kept results that were asked for, and texts that were to be counted.
    pub leaves: Vec<(OperationId, u64)>,
    pub counts: Vec<(OperationId, String)>,
    pub saved: Vec<(String, Content)>,
    /// What was to be kept for later sessions, and how often files were to be listed.
    pub remembered: Vec<String>,
    pub unsent: Vec<String>,
    /// Looks that were shown, and what the person was told who looked at something else.
    pub looks_shown: Vec<String>,
    pub tidings: Vec<String>,
    pub listings: usize,
    /// What the first start wanted done, which models were wanted, and which were taken into use.
    pub setups: Vec<SetupStep>,
    pub switches: Vec<(u64, Wanted)>,
    pub adopted: Vec<u64>,
    waiting: VecDeque<Effect>,
    step: StepId,
    /// Facts are different the second time for commands that contain this.
    pub changing: &'static str,
    /// What a command would do right before its start.
    pub otherwise: Option<crate::domain::Foresight>,
}

impl World {
    pub fn new() -> Self {
        Self::in_mode(ApprovalMode::Guarded)
    }

    pub fn in_mode(mode: ApprovalMode) -> Self {
        let briefing = Briefing { system: "".into(), tools: [].into(), notes: false };
        let policy = Policy { mode, ..Policy::default() };
        let state =
            State::new(briefing, policy, Enforceable::default(), Keymap::default(), Setting::default(), (120, 40));
        Self {
            state,
            executed: Vec::new(),
            journal: Vec::new(),
            requests: Vec::new(),
            cancelled: Vec::new(),
            typed: Vec::new(),
            measuring: Vec::new(),
            unmeasured: Vec::new(),
            dropped: Vec::new(),
            declined: Vec::new(),
            opened: Vec::new(),
            looks: Vec::new(),
            copied: Vec::new(),
            collected: Vec::new(),
            leaves: Vec::new(),
            counts: Vec::new(),
            saved: Vec::new(),
            remembered: Vec::new(),
            unsent: Vec::new(),
            looks_shown: Vec::new(),
            tidings: Vec::new(),
            listings: 0,
            setups: Vec::new(),
            switches: Vec::new(),
            adopted: Vec::new(),
            waiting: VecDeque::new(),
            step: StepId(0),
            changing: "\0",
            otherwise: None,
        }
    }

    /// One event, `after` milliseconds later, and what follows of it at the edges.
    pub fn feed(&mut self, after: u64, event: Event) {
        let now = self.state.now.plus(after);
        let effects = update(&mut self.state, now, event);
        self.waiting.extend(effects);
        while let Some(effect) = self.waiting.pop_front() {
            self.perform(effect);
        }
    }

    fn perform(&mut self, effect: Effect) {
        let follow = match effect {
            Effect::Prepare { id, origin, call } => {
                let proposal = propose(id, origin, &call);
                if let Proposal::Ready(prepared) = &proposal {
                    self.journal.push(JournalEntry::of(id, JournalEvent::Proposed { prepared: prepared.clone() }));
                }
                Event::Proposed(id, proposal)
            }
            Effect::Assess { draft, id, origin, call } => Event::Assessed(draft, propose(id, origin, &call)),
            Effect::Refresh(operation, expected) => {
                let OperationKind::Command(command) = &operation.kind else {
                    let prepared = applying(*operation);
                    return self.feed(0, Event::Refreshed(prepared.operation.id, Proposal::Ready(Box::new(prepared))));
                };
                let mut prepared = judged(&operation, &command.command);
                if command.command.contains(self.changing) {
                    prepared.facts.programs.insert("changed".to_owned(), None);
                }
                let now = self.otherwise.as_ref();
                let why = expected.zip(now).and_then(|(expected, now)| expected.unlike(Some(now)));
                match now.cloned().zip(why) {
                    Some((now, why)) => Event::Otherwise(operation.id, Box::new(prepared), now, why),
                    None => Event::Refreshed(operation.id, Proposal::Ready(Box::new(prepared))),
                }
            }
            Effect::Execute(countersigned, _) => {
                let operation = countersigned.operation();
                let (decider, judgement) = (countersigned.decider().clone(), countersigned.judgement().clone());
                let yes =
                    JournalEvent::Decided { decider, allowed: true, judgement, reason: None, waited: None, left: None };
                let started = JournalEvent::Started { containment: countersigned.containment() };
                self.journal.extend([yes, started].map(|event| JournalEntry::of(operation.id, event)));
                self.executed.push((operation.id, operation.kind.gist()));
                Event::Run(operation.id, RunEvent::Started)
            }
            Effect::Record(entries) => {
                self.journal.extend(entries);
                return;
            }
            Effect::StartStep(step, request) => {
                self.step = step;
                self.requests.push(request.messages);
                return;
            }
            Effect::Cancel(id) => {
                self.cancelled.push(id);
                return;
            }
            Effect::Type(id, typed) => {
                self.typed.push((id, typed));
                return;
            }
            Effect::Measure(prepared, seal) => {
                self.measuring.push((prepared.operation.id, seal));
                return;
            }
            Effect::StopMeasuring(id) => {
                self.unmeasured.push(id);
                return;
            }
            Effect::DropStaged(run) => {
                self.dropped.push(run);
                return;
            }
            Effect::Decline(call) => {
                self.declined.push(call);
                return;
            }
            Effect::OpenEditor { text, .. } => {
                self.opened.push(text);
                return;
            }
            Effect::Look(id, look) => {
                self.looks.push((id, look));
                return;
            }
            Effect::Leaf(id, at) => {
                self.leaves.push((id, at));
                return;
            }
            Effect::Count(id, text) => {
                self.counts.push((id, text));
                return;
            }
            Effect::Copy(text) => {
                self.copied.push(text);
                return;
            }
            Effect::Collect(content) => {
                self.collected.push(content);
                return;
            }
            Effect::Save(path, content) => {
                self.saved.push((path, content));
                return;
            }
            Effect::KeepTyped(text) => {
                self.remembered.push(text);
                return;
            }
            Effect::KeepUnsent(text) => {
                self.unsent.push(text);
                return;
            }
            Effect::Theme(name) => {
                self.looks_shown.push(name);
                return;
            }
            Effect::Notify(said) => {
                self.tidings.push(said);
                return;
            }
            Effect::ListFiles { .. } => {
                self.listings += 1;
                return;
            }
            Effect::Setup(step) => {
                self.setups.push(step);
                return;
            }
            Effect::SwitchModel(number, wanted) => {
                self.switches.push((number, wanted));
                return;
            }
            Effect::Adopt(number) => {
                self.adopted.push(number);
                return;
            }
            // The folder's notes come once a test says so.
            Effect::KnowFolder
            | Effect::ListModels(_)
            | Effect::ChooseConnection(..)
            | Effect::StopStep
            | Effect::Page(_)
            | Effect::Redraw
            | Effect::Recall(_)
            | Effect::ListSessions(_)
            | Effect::Switch(_)
            | Effect::ReadHistory
            | Effect::Remember(_)
            | Effect::Forget(_)
            | Effect::KeepTheme(_)
            | Effect::Servers(_)
            | Effect::Quit => return,
        };
        self.feed(0, follow);
    }

    /// The person types a message and sends it.
    pub fn say(&mut self, text: &str) {
        for letter in text.chars() {
            self.press(KeyCode::Char(letter));
        }
        self.press(KeyCode::Enter);
    }

    /// A key, and the moment after which it counts.
    pub fn press(&mut self, code: KeyCode) {
        self.tap(20, code);
        if self.state.held.is_some() {
            self.feed(250, Event::Wake);
        }
    }

    /// A key so long after what came before it.
    pub fn tap(&mut self, after: u64, code: KeyCode) {
        self.feed(after, Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }

    pub fn control(&mut self, letter: char) {
        self.feed(20, Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)));
    }

    pub fn type_in(&mut self, text: &str) {
        for letter in text.chars() {
            self.press(KeyCode::Char(letter));
        }
    }

    /// A frame was drawn: the dialog in it, its end visible or not, or those of all that are listed in it.
    pub fn draw(&mut self, end: bool) {
        let ends = match &self.state.modal {
            Some(Modal::Confirm(dialog)) => match &dialog.asking {
                Asking::All { high, .. } if end => high.clone(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        let dialog = match &self.state.modal {
            Some(Modal::Confirm(dialog)) => Some((dialog.seal, end)),
            Some(Modal::Edit(_) | Modal::Pick(_) | Modal::Page { .. } | Modal::Setup(_)) | None => None,
        };
        self.feed(1, Event::Drawn(Box::new(Sight { dialog, ends, ..Sight::default() })));
    }

    /// A frame, and enough time for the dialog's keys to count.
    pub fn look(&mut self) {
        self.draw(true);
        self.feed(GUARD, Event::Wake);
    }

    /// The model's message: text, then calls of commands with a claim or none.
    pub fn model(&mut self, text: &str, commands: &[(&str, Option<&str>)]) {
        let step = self.step;
        if !text.is_empty() {
            self.feed(5, Event::Model(step, ModelEvent::Text(text.to_owned())));
        }
        for (number, (command, claim)) in commands.iter().enumerate() {
            let arguments = match claim {
                Some(claim) => serde_json::json!({ "command": command, "risk_level": claim }),
                None => serde_json::json!({ "command": command }),
            };
            let call = ToolCall {
                id: format!("{}-{number}", step.0),
                name: "execute_command".to_owned(),
                arguments: arguments.to_string(),
            };
            self.feed(1, Event::Model(step, ModelEvent::Call(call)));
        }
        let reason = if commands.is_empty() { StopReason::Done } else { StopReason::ToolCalls };
        self.feed(1, Event::Model(step, ModelEvent::Ended(reason, Usage::default())));
    }

    /// A running operation ends.
    pub fn finish(&mut self, id: u64) {
        let report = RunReport {
            outcome: Outcome::Succeeded { summary: "exit 0".to_owned() },
            result: format!("output of {id}"),
            took: std::time::Duration::from_millis(3),
        };
        let kept = Kept::Here(vec![Printed { stream: Stream::Out, text: format!("output of {id}").into() }]);
        let (outcome, result) = (report.outcome.clone(), report.result.clone());
        let event = JournalEvent::Finished { outcome, milliseconds: 3, result, kept };
        self.journal.push(JournalEntry::of(OperationId(id), event));
        self.feed(5, Event::Run(OperationId(id), RunEvent::Finished(report)));
    }

    pub fn status(&self, id: u64) -> &Status {
        &self.state.queue.get(OperationId(id)).unwrap().status
    }

    pub fn commands(&self) -> Vec<&str> {
        self.executed.iter().map(|(_, command)| command.as_str()).collect()
    }

    /// The results that went back with the latest request.
    pub fn results(&self) -> Vec<ToolResult> {
        let found = self.requests.last().into_iter().flatten().rev().find_map(|message| match message.as_ref() {
            Message::Results(results) => Some(results.clone()),
            Message::User(_) | Message::Assistant { .. } => None,
        });
        found.unwrap_or_default()
    }

    pub fn dialog(&self) -> Option<OperationId> {
        match &self.state.modal {
            Some(Modal::Confirm(dialog)) => Some(dialog.id),
            Some(Modal::Edit(_) | Modal::Pick(_) | Modal::Page { .. } | Modal::Setup(_)) | None => None,
        }
    }
}

fn propose(id: OperationId, origin: Origin, call: &ToolCall) -> Proposal {
    if call.name == crate::domain::APPLY {
        let kind = OperationKind::Apply(crate::domain::ApplyOperation {
            of: OperationId(1),
            workspace: "/w".into(),
            changes: Vec::new(),
        });
        let (tool, claim, cwd) = (call.name.clone(), crate::domain::Claim::Absent, "/w".into());
        return Proposal::Ready(Box::new(applying(Operation { id, origin, tool, claim, kind, cwd })));
    }
    if call.name == crate::domain::ANSWER {
        return answers::proposal(id, origin, call);
    }
    if call.name != "execute_command" {
        return Proposal::Refused(format!("there is no tool `{}`", call.name));
    }
    let Ok(arguments) = crate::domain::Arguments::parse(&call.arguments) else {
        return Proposal::Refused("bad arguments".to_owned());
    };
    let command = arguments.text("command").unwrap_or_default();
    let terminal = arguments.flag("terminal").unwrap_or_default();
    let operation = Operation {
        id,
        origin,
        tool: call.name.clone(),
        claim: arguments.claim,
        kind: OperationKind::Command(CommandOperation { command: command.clone(), timeout: None, terminal }),
        cwd: "/w".into(),
    };
    Proposal::Ready(Box::new(judged(&operation, &command)))
}

/// Putting changes in place, or answering a server, judged as ever.
fn applying(operation: Operation) -> Prepared {
    use crate::assess::{AnswerAssessor, ApplyAssessor, AssessSettings, RiskAssessor, Subject, assess};
    let (facts, settings) = (Facts::default(), AssessSettings::default());
    let answers = matches!(operation.kind, OperationKind::Answer(_));
    let assessor: &dyn RiskAssessor = if answers { &AnswerAssessor } else { &ApplyAssessor };
    let assessment = assess(assessor, Subject { operation: &operation, facts: &facts, settings: &settings });
    Prepared { operation, facts, assessment }
}

/// `ls…` is whitelisted, `rm…` destructive, `cat .env` sensitive, `make…` unknown.
fn judged(operation: &Operation, command: &str) -> Prepared {
    let mut assessment = match command.split(' ').next() {
        Some("ls") => Assessment::whitelisted("command.whitelisted", "ls only reads."),
        Some("rm") => {
            Assessment::of(Finding::new("command.rm", Class::Declared(Danger::Destructive), "rm deletes files."))
        }
        Some("cat") => {
            Assessment::of(Finding::new("command.sensitive", Class::Declared(Danger::Sensitive), ".env is sensitive."))
        }
        _ => Assessment::of(Finding::new("command.unknown-program", Class::Unknown, "No rule covers it.")),
    };
    assessment.shapes = vec![Shape::new([("program", command.split(' ').next().unwrap_or_default())])];
    assessment.forms = command.split(" && ").map(form).collect();
    assessment.target = "/w".to_owned();
    assessment.secrets = command.match_indices("hunter2").map(|(at, text)| at..at + text.len()).collect();
    assert_eq!(assessment.level() == RiskLevel::High, command.starts_with("rm"));
    Prepared { operation: operation.clone(), facts: Facts::default(), assessment }
}

/// The form of one command of the test world: its operand is a file of the workspace.
fn form(command: &str) -> Shape {
    let (program, arguments) = command.split_once(' ').unwrap_or((command, ""));
    let parts = [("program", program), ("flags", ""), ("arguments", arguments), ("folder", "the workspace")];
    let placed = ["mkdir", "rm", "touch"].contains(&program).then_some(("place", "workspace"));
    Shape::new(parts.into_iter().chain(placed))
}
