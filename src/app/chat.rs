//! The conversation as the person sees it and as the model is given it, and how far the turn has come.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::compact;
use super::event::Millis;
use super::modal::GUARD;
use super::scroll::Scroll;
use crate::domain::{
    JournalEntry, Message, ModelRequest, OperationId, StepId, ToolCall, ToolResult, ToolSpec, TurnId, Usage,
};

/// One entry of the conversation on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The person's message.
    Person(String),
    /// The model's text.
    Model {
        /// What it said so far.
        text: String,
        /// The question with which it ended, without calls.
        question: Option<Question>,
    },
    /// An operation, by its number; the queue has the rest.
    Operation(OperationId),
    /// A sentence of the program's own.
    Notice {
        /// The sentence.
        text: String,
        /// Something went wrong.
        trouble: bool,
    },
}

/// A question of the model's, as it is answered with a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The answers that it numbers, in its words.
    pub choices: Vec<String>,
    /// When a frame first showed it.
    drawn: Option<Millis>,
}

impl Question {
    /// Whether a key answers it: whoever pressed one right after it came meant something else, such as esc and a
    /// digit, which many terminals send as alt and that digit.
    #[must_use]
    pub fn answerable(&self, now: Millis) -> bool {
        self.drawn.is_some_and(|drawn| now.since(drawn) >= GUARD)
    }
}

/// A call of the model's latest message and its result, once there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// The operation that was made of it.
    pub operation: OperationId,
    /// The call.
    pub call: ToolCall,
    /// Its one result.
    pub result: Option<ToolResult>,
}

/// How far the turn has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing is under way.
    #[default]
    Idle,
    /// The model is speaking.
    Streaming {
        /// The request it answers.
        step: StepId,
        /// What it said so far, whatever stands between its pieces on the screen.
        text: String,
        /// Its calls so far.
        calls: Vec<ToolCall>,
        /// When and why it is asked again, where nothing came yet.
        again: Option<String>,
        /// When it was asked.
        since: Millis,
    },
    /// Its calls are being judged, decided and run.
    Working {
        /// Every call of the message, in order.
        calls: Vec<OpenCall>,
    },
}

/// What a model is told besides the conversation.
#[derive(Clone, Debug)]
pub struct Briefing {
    /// The system prompt.
    pub system: Arc<str>,
    /// The tools on offer.
    pub tools: Arc<[ToolSpec]>,
    /// Whether the system prompt holds text of the person's: the folder's notes. It counts as read.
    pub notes: bool,
}

/// The conversation.
#[derive(Debug)]
pub struct Chat {
    entries: Vec<Entry>,
    history: Vec<Arc<Message>>,
    briefing: Briefing,
    pub(super) phase: Phase,
    pub(super) turn: TurnId,
    next_step: u64,
    /// How many messages the provider counted last, and how many tokens they were.
    measured: Option<(usize, u64)>,
    /// What the model is told with the results of calls that were not taken.
    pub(super) untaken: String,
    /// A message that was recorded while calls were open; it goes with their results.
    pub(super) held: Option<String>,
    /// A message that was sent while the model answers or calls are open; it goes once they ended.
    pub(super) upcoming: Option<String>,
    /// What the person asked for last, word for word.
    pub(super) asked: String,
    /// What the person did directly since the last message; it joins the next one.
    pub(super) asides: Vec<String>,
    pub(super) scroll: Scroll,
    /// The entry that the person chose.
    pub(super) chosen: Option<usize>,
    /// The entry whose code the key before copied, and which block of it.
    pub(super) copied: Option<(usize, usize)>,
    /// Calls whose first lines of output are shown below them.
    pub(super) unfolded: BTreeSet<OperationId>,
    /// What the current event adds to the journal.
    pub(super) kept: Vec<JournalEntry>,
}

impl Chat {
    /// An empty conversation.
    #[must_use]
    pub fn new(briefing: Briefing) -> Self {
        Self {
            entries: Vec::new(),
            history: Vec::new(),
            briefing,
            phase: Phase::Idle,
            turn: TurnId(0),
            next_step: 1,
            measured: None,
            untaken: String::new(),
            held: None,
            upcoming: None,
            asked: String::new(),
            asides: Vec::new(),
            scroll: Scroll::END,
            chosen: None,
            copied: None,
            unfolded: BTreeSet::new(),
            kept: Vec::new(),
        }
    }

    /// Tells the model something more than its briefing says.
    pub(super) fn brief(&mut self, more: &str) {
        self.briefing.system = format!("{}{more}", self.briefing.system).into();
    }

    /// What is shown, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The conversation as the model is given it.
    #[must_use]
    pub fn history(&self) -> &[Arc<Message>] {
        &self.history
    }

    /// How far the turn has come.
    #[must_use]
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// The turn's number.
    #[must_use]
    pub fn turn(&self) -> TurnId {
        self.turn
    }

    /// Where it is scrolled to.
    #[must_use]
    pub fn scroll(&self) -> Scroll {
        self.scroll
    }

    /// Whether the first lines of a call's output are shown below it.
    #[must_use]
    pub fn unfolds(&self, id: OperationId) -> bool {
        self.unfolded.contains(&id)
    }

    /// A message of a session that is gone on with, which waits for open calls.
    #[must_use]
    pub fn held(&self) -> Option<&str> {
        self.held.as_deref()
    }

    /// A message that waits for the end of an answer, or for open calls, and can be taken back.
    #[must_use]
    pub fn upcoming(&self) -> Option<&str> {
        self.upcoming.as_deref()
    }

    /// The question that the model asked last, if it waits for an answer.
    #[must_use]
    pub fn question(&self) -> Option<&Question> {
        match (&self.phase, self.entries.iter().rev().find(|entry| !matches!(entry, Entry::Notice { .. }))) {
            (Phase::Idle, Some(Entry::Model { question, .. })) => question.as_ref(),
            _ => None,
        }
    }

    pub(super) fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Something that came in between while the model may be speaking: it goes before what is being said, which stays
    /// in one piece.
    pub(super) fn interject(&mut self, entry: Entry) {
        match self.speaking() {
            Some(at) => {
                self.entries.insert(at, entry);
                self.chosen = self.chosen.map(|chosen| chosen + usize::from(chosen >= at));
            }
            None => self.push(entry),
        }
    }

    /// The entry that the model is saying just now; only sentences of the program's may follow it.
    fn speaking(&self) -> Option<usize> {
        let Phase::Streaming { text, .. } = &self.phase else { return None };
        let last = self.entries.iter().rposition(|entry| !matches!(entry, Entry::Notice { .. }))?;
        let speaks = matches!(self.entries[last], Entry::Model { question: None, .. }) && !text.is_empty();
        speaks.then_some(last)
    }

    /// A sentence of the program's own that only this sitting needs.
    pub(super) fn remark(&mut self, text: impl Into<String>, trouble: bool) {
        self.push(Entry::Notice { text: text.into(), trouble });
    }

    pub(super) fn remember(&mut self, message: Message) {
        self.history.push(Arc::new(message));
    }

    /// A request begins.
    pub(super) fn begin_step(&mut self, now: Millis) -> StepId {
        let step = StepId(self.next_step);
        self.next_step += 1;
        self.phase = Phase::Streaming { step, text: String::new(), calls: Vec::new(), again: None, since: now };
        step
    }

    /// The next request: everything said so far.
    pub(super) fn request(&mut self, now: Millis) -> (StepId, ModelRequest) {
        let step = self.begin_step(now);
        let request = ModelRequest {
            system: Arc::clone(&self.briefing.system),
            messages: self.history.clone(),
            tools: Arc::clone(&self.briefing.tools),
        };
        (step, request)
    }

    /// The model's request was counted: everything up to now, its answer among it.
    pub(super) fn counted(&mut self, usage: Usage) {
        if usage.input > 0 {
            self.measured = Some((self.history.len(), usage.input.saturating_add(usage.output)));
        }
    }

    /// How long the next request is, in tokens: as the provider counted it, and about what came since.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let (from, counted) = self.measured.unwrap_or_else(|| {
            let tools: usize = self
                .briefing
                .tools
                .iter()
                .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len())
                .sum();
            (0, (self.briefing.system.len() + tools) as u64 / 4)
        });
        let since = self.history.get(from..).unwrap_or_default();
        counted.saturating_add(since.iter().map(|message| compact::tokens(message)).sum())
    }

    /// Puts a text in the place of the first messages. It joins the person's next one, since two of theirs in a row
    /// are refused by some models.
    pub(super) fn replace(&mut self, cut: usize, text: String) {
        let mut rest = self.history.split_off(cut.min(self.history.len()));
        match rest.first().map(AsRef::as_ref) {
            None => self.asides.insert(0, text),
            Some(Message::User(said)) => rest[0] = Arc::new(Message::User(format!("{text}\n\n{said}"))),
            Some(Message::Assistant { .. } | Message::Results(_)) => rest.insert(0, Arc::new(Message::User(text))),
        }
        self.history = rest;
        self.measured = None;
    }

    /// A piece of a text that isn't shown.
    pub(super) fn mutter(&mut self, piece: &str) {
        if let Phase::Streaming { text, .. } = &mut self.phase {
            text.push_str(piece);
        }
    }

    /// Another briefing, from the next request on.
    pub(super) fn brief_anew(&mut self, briefing: Briefing) {
        self.briefing = briefing;
        self.measured = None;
    }

    /// A piece of the model's text.
    pub(super) fn say(&mut self, piece: &str) {
        let speaking = self.speaking();
        if let Phase::Streaming { text, .. } = &mut self.phase {
            text.push_str(piece);
        }
        if let Some(Entry::Model { text, .. }) = speaking.and_then(|at| self.entries.get_mut(at)) {
            text.push_str(piece);
        } else if let Some(Entry::Model { text, question: None }) = self.entries.last_mut() {
            text.push_str(piece);
        } else {
            self.push(Entry::Model { text: piece.to_owned(), question: None });
        }
    }

    /// Takes what the model said in this step, which ends.
    pub(super) fn take_said(&mut self) -> String {
        match &mut self.phase {
            Phase::Streaming { text, .. } => std::mem::take(text),
            Phase::Idle | Phase::Working { .. } => String::new(),
        }
    }

    /// Marks the model's last text as a question with numbered choices, or none.
    pub(super) fn mark_question(&mut self, choices: Vec<String>) {
        let last = self.entries.iter_mut().rev().find(|entry| !matches!(entry, Entry::Notice { .. }));
        if let Some(Entry::Model { question, .. }) = last {
            *question = Some(Question { choices, drawn: None });
        }
    }

    /// A frame showed the question that waits.
    pub(super) fn drawn(&mut self, now: Millis) {
        let last = self.entries.iter_mut().rev().find(|entry| !matches!(entry, Entry::Notice { .. }));
        if let (Phase::Idle, Some(Entry::Model { question: Some(question), .. })) = (&self.phase, last) {
            question.drawn.get_or_insert(now);
        }
    }

    /// Takes the asides as a text before the person's next message.
    pub(super) fn with_asides(&mut self, message: &str) -> String {
        let mut text = String::new();
        for aside in self.asides.drain(..) {
            text.push_str(&aside);
            text.push_str("\n\n");
        }
        text.push_str(message);
        text
    }
}

/// Whether a model's message without calls asks the person something.
#[must_use]
pub fn asks(text: &str) -> bool {
    text.trim_end().trim_end_matches(['*', '_', '"', ')', '`']).ends_with(['?', '？', '؟'])
}
