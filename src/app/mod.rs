//! The pure state and its one `update`: events in, effects out. No IO, no clock, no tasks. `mod.rs` holds the
//! state and routes; `turn` runs the conversation, `decide` the queue, `keys` and `dialog` what the person
//! presses, `sight` scrolling and the mouse.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod answer;
mod arrival;
mod budget;
mod chat;
mod choices;
mod chosen;
mod compact;
mod complete;
mod composer;
mod copy;
mod decide;
mod deny;
mod depends;
mod dialog;
mod direct;
mod edit;
mod event;
mod export;
mod find;
mod foresee;
mod fuzzy;
mod grid;
mod interrupt;
mod kept;
mod key;
mod keymap;
mod keys;
mod leaf;
mod letter;
mod linear;
mod looks;
mod modal;
mod notify;
mod numbers;
mod output;
mod palette;
mod pick;
mod picker;
mod plan;
mod prompt;
mod queue;
mod reader;
mod reading;
mod remember;
mod resume;
mod rhythm;
mod roles;
mod row;
mod rules;
mod saying;
mod scroll;
mod second;
mod secrets;
mod sessions;
mod setting;
mod setup;
mod sight;
mod slash;
mod staged;
mod switch;
mod tables;
mod trial;
mod turn;
mod typed;
mod unattended;
mod undo;
mod unsent;
mod untaken;
mod upcoming;
mod usage;
mod welcome;

pub use crate::assess::unusual_blank;
pub use budget::{Budget, Limit, Paused};
pub use chat::{Briefing, Chat, Entry, OpenCall, Phase, Question};
pub use chosen::{Chosen, KeyWay, Offer, Sort};
pub use complete::Completion;
pub use composer::{Composer, HISTORY};
pub use copy::CLIPBOARD;
pub use depends::Lack;
pub use edit::{Draft, Editor};
pub use event::{Another, Collected, Content, Effect, Event, Found, Millis, Pane, Proposal, Rows, Sight};
pub use export::Export;
pub use find::{Find, Finds, Within};
pub use foresee::{Expected, leads};
pub use fuzzy::Fuzzy;
pub use grid::{Gather, Grid, Shape};
pub use keymap::{Command, Context, Keymap};
pub use linear::{LINES, Ruling, Said, Told};
pub use looks::Looks;
pub use modal::{Asking, Dialog, GUARD, Modal, Page, Placing, Reach};
pub use numbers::Numbers;
pub use output::{Output, Printout};
pub use picker::{Form, Picker, PickerId};
pub use plan::{Order, Plan, Typing};
pub use prompt::{Ask, Prompt};
pub use queue::{Item, Queue, Status, Undo};
pub use remember::Remembering;
pub use resume::{Resumed, Unreadable};
pub use row::{Fit, Pick, Row};
pub use scroll::Scroll;
pub use secrets::{MaskStamp, Masks};
pub use setting::{OwnDatabase, Setting};
pub use setup::{Done, Fetched, KEYS, MODES, Setup, Stage, Step as SetupStep};
pub use slash::{SLASH, Slash, typed};
pub use switch::{Switched, Wanted};
pub use usage::{Tallies, Tally};

use std::collections::{BTreeMap, BTreeSet};

use crossterm::event::KeyEvent;

use crate::domain::{Enforceable, Gate, OperationId, Policy, Role};

/// How long nobody must have typed before a dialog opens by itself, in milliseconds.
const QUIET: u64 = 1_000;

/// Everything the screen shows and the person can change.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // independent facts, none of them a hidden state machine
pub struct State {
    /// The conversation.
    pub chat: Chat,
    /// The operations.
    pub queue: Queue,
    /// Their output.
    pub output: Output,
    /// What is being typed.
    pub composer: Composer,
    /// What floats above.
    pub modal: Option<Modal>,
    /// Where keys go.
    pub focus: Pane,
    /// The pane that a narrow screen shows.
    pub tab: Pane,
    /// Whether a screen that has room for several panes shows that one alone.
    pub zoomed: bool,
    /// The keys in force.
    pub keymap: Keymap,
    /// What the status line says.
    pub setting: Setting,
    /// What the last frame showed.
    pub sight: Sight,
    /// The time of the latest event.
    pub now: Millis,
    /// Size of the terminal: columns, rows.
    pub size: (u16, u16),
    /// As whom databases are read, by connection, as far as they said.
    pub roles: BTreeMap<String, Role>,
    /// Connections that were not reached when they were last used.
    unreached: BTreeSet<String>,
    /// What is looked for.
    pub finds: Finds,
    /// Secrets in what is shown.
    pub masks: Masks,
    /// A sentence for the footer until the next key.
    pub hint: Option<String>,
    /// Why nothing more runs, if the journal failed.
    pub journal_trouble: Option<String>,
    /// What a turn may use before the person is asked to go on.
    pub budget: Budget,
    /// Tokens of the turn and of the session.
    pub tallies: Tallies,
    /// A summary of earlier messages that is being written.
    compacting: Option<compact::Compacting>,
    /// How often another model or connection was asked for: what comes late for an earlier one is dropped.
    switches: u64,
    spent: budget::Spent,
    paused: Option<Paused>,
    /// Decisions come as lines: no dialog opens.
    linear: bool,
    /// Nobody is there to ask.
    unattended: bool,
    /// Keys go into the terminal of this one.
    typing_into: Option<OperationId>,
    /// They will, as soon as there is one, unless a key or a click comes before.
    enters: Option<OperationId>,
    /// What was told of those that wait.
    told: BTreeMap<OperationId, Told>,
    /// What the last line approves once the next one says so.
    second: Option<second::Second>,
    prompt: Option<Prompt>,
    last_typed: Option<Millis>,
    rhythm: rhythm::Rhythm,
    /// A letter in a dialog that counts once nothing follows it.
    held: Option<letter::Held>,
    unsent: unsent::Unsent,
    /// The operation over whose dialog the person types a message.
    over: Option<OperationId>,
    /// The person sent a message and typed nothing since: a dialog may open at once.
    handed_over: bool,
    told_remote: bool,
    /// The conversation was resumed where the model hasn't answered yet: the person's key asks it.
    unanswered: bool,
    stops: interrupt::Stops,
    /// Digits picked in the dialog: when the last was typed, and the number so far.
    picked: (u64, u64),
    /// Drafts of edited operations that were judged so far.
    drafts: u64,
    /// Lists opened so far.
    pickers: u64,
    /// The looks there are, and which one is shown.
    pub looks: Looks,
    /// The first of two keys that mean something together.
    before: Option<KeyEvent>,
    /// The terminal said that it lost the focus.
    away: bool,
    /// What is offered for what is being typed.
    completion: Option<Completion>,
    files: complete::Files,
    /// What was chosen from lists lately, the latest first.
    lately: Vec<Pick>,
    /// Rules of this session that were made so far.
    made: u64,
    /// The rule that a line told last.
    rule_told: Option<remember::RuleTold>,
    /// The person was not asked yet whether to work in this folder.
    arriving: bool,
    /// The person said to work in this folder, and its notes for the model are being read.
    unbriefed: bool,
    dirty: bool,
}

impl State {
    /// A fresh session.
    #[must_use]
    pub fn new(
        briefing: Briefing,
        policy: Policy,
        enforceable: Enforceable,
        keymap: Keymap,
        setting: Setting,
        size: (u16, u16),
    ) -> Self {
        Self {
            queue: Queue::new(Gate::new(policy, enforceable).having_read(briefing.notes)),
            chat: Chat::new(briefing),
            output: Output::default(),
            composer: Composer::default(),
            modal: None,
            focus: Pane::Composer,
            tab: Pane::Chat,
            zoomed: false,
            keymap,
            setting,
            sight: Sight::default(),
            now: Millis(0),
            size,
            roles: BTreeMap::new(),
            unreached: BTreeSet::new(),
            finds: Finds::default(),
            masks: Masks::default(),
            hint: None,
            journal_trouble: None,
            budget: Budget::default(),
            tallies: Tallies::default(),
            compacting: None,
            switches: 0,
            spent: budget::Spent::default(),
            paused: None,
            linear: false,
            unattended: false,
            typing_into: None,
            enters: None,
            told: BTreeMap::new(),
            second: None,
            prompt: None,
            last_typed: None,
            rhythm: rhythm::Rhythm::default(),
            held: None,
            unsent: unsent::Unsent::default(),
            over: None,
            handed_over: false,
            told_remote: false,
            unanswered: false,
            stops: interrupt::Stops::default(),
            picked: (0, 0),
            drafts: 0,
            pickers: 0,
            looks: Looks::default(),
            before: None,
            away: false,
            completion: None,
            files: complete::Files::default(),
            lately: Vec::new(),
            made: 0,
            rule_told: None,
            arriving: false,
            unbriefed: false,
            dirty: true,
        }
    }

    /// Whether the screen must be drawn again; asking clears it.
    pub fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.dirty)
    }

    /// When `Event::Wake` is wanted, if at all: nothing ticks at rest.
    #[must_use]
    pub fn deadline(&self) -> Option<Millis> {
        let dialog = match &self.modal {
            Some(Modal::Confirm(dialog)) => dialog.live_at().filter(|at| *at > self.now),
            Some(Modal::Edit(_) | Modal::Pick(_) | Modal::Page { .. } | Modal::Setup(_)) | None => None,
        };
        let opening = (self.modal.is_none() && self.composer.is_empty() && self.next_unseen().is_some())
            .then(|| self.last_typed.map_or(self.now, |typed| typed.plus(QUIET)))
            .filter(|at| *at > self.now);
        let letter = self.held.map(|held| held.due());
        let spinner = self.moving().then(|| self.now.plus(250));
        [dialog, opening, letter, self.unsent.due(), spinner].into_iter().flatten().min()
    }

    /// Whether something is under way that the screen shows moving.
    #[must_use]
    pub fn moving(&self) -> bool {
        matches!(self.chat.phase, Phase::Streaming { .. })
            || self.queue.running().any(|item| matches!(item.status, Status::Running { .. }))
    }

    /// Where keys go right now.
    #[must_use]
    pub fn context(&self) -> Context {
        match (&self.modal, self.focus) {
            (Some(Modal::Confirm(dialog)), _) if matches!(dialog.asking, Asking::Remember(_)) => Context::Remember,
            (Some(Modal::Confirm(_)), _) => Context::Dialog,
            (Some(Modal::Edit(_)), _) => Context::Editor,
            (Some(Modal::Pick(_)), _) => Context::Picker,
            (Some(Modal::Page { .. } | Modal::Setup(_)), _) | (None, Pane::Chat) => Context::Chat,
            (None, Pane::Composer) => Context::Composer,
            (None, Pane::Queue) => Context::Queue,
            (None, Pane::Output) if self.typing_into.is_some() => Context::Terminal,
            (None, Pane::Output) => Context::Output,
        }
    }
}

/// The one transition. Routes; each file has its own part.
pub fn update(state: &mut State, now: Millis, event: Event) -> Vec<Effect> {
    let now = state.now.max(now);
    if state.chat.phase != Phase::Idle && state.moving() {
        state.spent.pass(now.since(state.now));
    }
    state.now = now;
    let mut effects = Vec::new();
    let before = state.standing();
    let settled = state.settle_letter(&mut effects);
    state.dirty = match event {
        Event::Drawn(sight) => {
            state.drawn(*sight);
            state.fit_terminal(&mut effects);
            state.probe(&mut effects);
            state.dirty
        }
        Event::Key(key) => {
            state.key(key, false, &mut effects);
            true
        }
        Event::Keys(keys) => state.keys(keys, &mut effects),
        Event::Paste(text) => {
            state.paste(&text, &mut effects);
            true
        }
        Event::Mouse(mouse) => state.mouse(mouse, &mut effects) || state.dirty,
        Event::Resize(columns, rows) => {
            state.size = (columns, rows);
            true
        }
        Event::Model(step, event) => {
            state.model(step, event, &mut effects);
            true
        }
        Event::Proposed(id, proposal) => {
            state.proposed(id, proposal, &mut effects);
            true
        }
        Event::Assessed(draft, proposal) => state.assessed(draft, proposal, &mut effects) || state.dirty,
        Event::Refreshed(id, proposal) => {
            state.refreshed(id, proposal, &mut effects);
            true
        }
        Event::Otherwise(id, prepared, foresight, why) => {
            state.otherwise(id, *prepared, (foresight, why), &mut effects)
        }
        Event::Measured(id, seal, foresight) => state.measured(id, seal, foresight) || state.dirty,
        Event::Run(id, event) => {
            state.run(id, event, &mut effects);
            true
        }
        Event::Looked(id, look, page) => {
            state.looked(id, &look, page, &mut effects);
            true
        }
        Event::Leafed(id, at, leaf) => {
            state.leafed(id, at, leaf);
            true
        }
        Event::Counted(id, text, lines) => state.counted(id, &text, lines) || state.dirty,
        Event::Filled(id, rows) => state.filled(id, rows) || state.dirty,
        Event::Recalled(id, recalled) => state.recalled(id, recalled),
        Event::Collected(content, kept) => state.collected(&content, kept, &mut effects),
        Event::Paged(trouble) => {
            // Else what was said of it when it began stands.
            state.hint = trouble.or(state.hint.take());
            true
        }
        Event::Saved(saved) => state.saved(saved),
        Event::Earlier(earlier) => state.remember_earlier(earlier) || state.dirty,
        Event::Files(listed) => state.files(listed),
        Event::JournalFailed(reason) => {
            state.journal_failed(reason, &mut effects);
            true
        }
        Event::Proved(enforceable) => {
            let before = state.queue.gate.enforceable();
            state.queue.gate.set_enforceable(enforceable);
            state.dirty || before != enforceable
        }
        Event::SetUp(done) => {
            state.setup_done(done, &mut effects);
            true
        }
        Event::Switched(number, outcome) => {
            state.switched(number, outcome, &mut effects);
            true
        }
        Event::Context(tokens) => {
            state.setting.context = tokens;
            state.dirty
        }
        Event::Reached(connection, reached) => state.reached(connection, reached),
        Event::Briefed(notes) => {
            state.briefed(&notes);
            state.dirty
        }
        Event::Notice(text) => {
            state.chat.remark(text, false);
            true
        }
        Event::Told(id, seal, whole) => {
            state.told(id, seal, whole);
            state.dirty
        }
        Event::Said(said, typed) => {
            state.said(said, typed, &mut effects);
            true
        }
        Event::Task(prompt, attached) => {
            state.task(prompt, attached, &mut effects);
            true
        }
        Event::Clock(now) => {
            state.queue.gate.set_clock(now);
            state.dirty
        }
        Event::History(earlier) => state.history(earlier) || state.dirty,
        Event::Ruled(kept, wrong) => {
            state.ruled(kept, wrong.as_deref(), &mut effects);
            true
        }
        Event::Remembered(saved) => {
            state.remembered(*saved, &mut effects);
            true
        }
        Event::Edited(id, text) => {
            state.edited_outside(id, text, &mut effects);
            true
        }
        Event::Focus(here) => {
            state.away = !here;
            state.dirty
        }
        Event::Wake => true,
    };
    state.dirty |= settled;
    state.send_upcoming(&mut effects);
    state.foresee(&mut effects);
    state.insist();
    if state.prompt.is_none() {
        state.open_by_itself();
    }
    state.read_back(&mut effects);
    state.keep_unsent(&mut effects);
    state.hand_over_kept(&mut effects);
    state.settle_look(&mut effects);
    state.tidings(before, &mut effects);
    effects
}

#[cfg(test)]
mod tests;
