//! What is kept of a session, told from its entries with secrets masked: who said what, what ran and what came of it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::assess::{Known, call_shown, conceal_text, table_shown};
use crate::domain::{
    Decider, JournalEvent, Kept, Left, OperationId, Origin, Outcome, Prepared, Recalled, RiskLevel, Table, ToolCall,
    masked,
};
use crate::store::{Content, Outputs, Stored};

/// Bytes of what one operation printed that are told.
const PRINTED: usize = 256 * 1024;

/// What came of an operation that somebody decided not to run.
pub const DENIED: &str = "denied";
/// What came of one that belonged to what was stopped.
const NOT_STARTED: &str = "not started";

/// One thing of a session, in its order.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Piece {
    /// A message of the person's.
    Person {
        /// When, in milliseconds since 1970.
        at_ms: i64,
        /// It.
        text: String,
    },
    /// A message of the model's.
    Model {
        /// When it ended.
        at_ms: i64,
        /// Its text.
        text: String,
    },
    /// A sentence of the program's own.
    Notice {
        /// When.
        at_ms: i64,
        /// It.
        text: String,
    },
    /// An operation.
    Operation(Box<Told>),
}

/// An operation as it is told.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Told {
    /// When it was asked for, in milliseconds since 1970.
    pub at_ms: i64,
    /// Its number.
    pub number: u64,
    /// Who asked for it.
    pub asked_by: String,
    /// The tool.
    pub tool: String,
    /// What it would do in a few words.
    pub title: String,
    /// Its text.
    pub text: String,
    /// The language of that.
    pub language: &'static str,
    /// How it was judged.
    pub risk: Option<RiskLevel>,
    /// Why.
    pub reason: Option<String>,
    /// Who or what decided.
    pub decided_by: Option<Decider>,
    /// Whether it was to run.
    pub allowed: Option<bool>,
    /// What became of it.
    pub outcome: String,
    /// How long it took, in milliseconds.
    pub took_ms: Option<u64>,
    /// What it printed.
    pub printed: String,
    #[serde(skip)]
    prepared: Option<Box<Prepared>>,
}

/// Reads a session entry by entry.
#[derive(Debug)]
pub struct Transcript<'a> {
    known: &'a Known,
    outputs: &'a Outputs,
    pieces: Vec<Piece>,
    /// Where each operation's piece is.
    places: BTreeMap<OperationId, usize>,
    /// Calls of the model's latest message.
    calls: Vec<ToolCall>,
    /// Entries that this version can't read.
    pub unreadable: usize,
}

impl<'a> Transcript<'a> {
    /// Nothing was read yet.
    #[must_use]
    pub fn new(known: &'a Known, outputs: &'a Outputs) -> Self {
        let (pieces, places, calls) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { known, outputs, pieces, places, calls, unreadable: 0 }
    }

    /// Everything that was read.
    #[must_use]
    pub fn pieces(self) -> Vec<Piece> {
        self.pieces
    }

    /// The next entry.
    pub fn entry(&mut self, stored: Stored) {
        let at_ms = stored.at_ms;
        match (stored.content, stored.operation) {
            (Content::Event(event), None) => self.session(at_ms, *event),
            (Content::Event(event), Some(id)) => self.operation(at_ms, id, *event),
            (Content::Unreadable(_), _) => self.unreadable += 1,
            (Content::Deleted, _) => {}
        }
    }

    fn shown(&self, text: &str) -> String {
        conceal_text(text, self.known)
    }

    fn session(&mut self, at_ms: i64, event: JournalEvent) {
        let piece = match event {
            JournalEvent::Said { text } => Piece::Person { at_ms, text: self.shown(&text) },
            JournalEvent::Answered { text, calls } => {
                self.calls = calls;
                if text.trim().is_empty() {
                    return;
                }
                Piece::Model { at_ms, text: self.shown(&text) }
            }
            JournalEvent::Notice { text, .. } => Piece::Notice { at_ms, text: self.shown(&text) },
            JournalEvent::Forgotten { .. } => Piece::Notice { at_ms, text: "What came before was deleted.".to_owned() },
            _ => return,
        };
        self.pieces.push(piece);
    }

    fn operation(&mut self, at_ms: i64, id: OperationId, event: JournalEvent) {
        match event {
            JournalEvent::Taken => {
                for (id, call) in (id.0..).map(OperationId).zip(std::mem::take(&mut self.calls)) {
                    self.asked(at_ms, id, "the model".to_owned(), &call);
                }
            }
            JournalEvent::Asked { origin, call, .. } => self.asked(at_ms, id, asker(&origin), &call),
            event => {
                let known = self.known.clone();
                let printed = match &event {
                    JournalEvent::Finished { kept, result, .. } => self.printed(id, kept, result),
                    _ => String::new(),
                };
                // Sessions of an earlier version have no more of it than this.
                let Some(told) = self.told(at_ms, id) else { return };
                happened(told, event, printed, &known);
            }
        }
    }

    fn told(&mut self, at_ms: i64, id: OperationId) -> Option<&mut Told> {
        let end = self.pieces.len();
        let place = *self.places.entry(id).or_insert(end);
        if place == end {
            let told = Told { at_ms, number: id.0, outcome: "never decided".to_owned(), ..Told::default() };
            self.pieces.push(Piece::Operation(Box::new(told)));
        }
        match self.pieces.get_mut(place) {
            Some(Piece::Operation(told)) => Some(told),
            _ => None,
        }
    }

    fn asked(&mut self, at_ms: i64, id: OperationId, by: String, call: &ToolCall) {
        let text = self.shown(&call_shown(&call.name, &call.arguments));
        let Some(told) = self.told(at_ms, id) else { return };
        told.asked_by = by;
        told.tool.clone_from(&call.name);
        (told.text, told.language, told.prepared) = (text, "text", None);
    }

    /// What it printed, as far as it is kept; what the model read of it where that is all there is.
    fn printed(&self, id: OperationId, kept: &Kept, result: &str) -> String {
        self.known.learn(self.outputs.secrets(id));
        let whole = match kept {
            Kept::Nothing => return String::new(),
            Kept::Here(pieces) => pieces.iter().map(|piece| piece.text.as_ref()).collect(),
            Kept::Apart { .. } => match self.outputs.recall(id) {
                Ok(Recalled::Table(table)) => rows(&table_shown(&table, self.known)),
                Ok(Recalled::Text(page)) => {
                    let text: String = page.pieces.iter().map(|piece| piece.text.as_ref()).collect();
                    if page.from > 0 { format!("[… {} bytes before]\n{text}", page.from) } else { text }
                }
                Err(_) => result.to_owned(),
            },
        };
        self.shown(&whole[whole.floor_char_boundary(whole.len().saturating_sub(PRINTED))..])
    }
}

/// Rows as lines, their cells apart by bars.
fn rows(table: &Table) -> String {
    let cell = |value: &Option<String>| value.as_deref().unwrap_or("NULL").replace(['\n', '\r'], " ");
    let mut text = format!("{}\n", table.columns.join(" | "));
    for row in &table.rows {
        text.push_str(&row.iter().map(cell).collect::<Vec<_>>().join(" | "));
        text.push('\n');
    }
    let shown = table.rows.len() as u64;
    if table.total > shown {
        text.push_str(&format!("… {} more rows\n", table.total - shown));
    }
    text
}

fn happened(told: &mut Told, event: JournalEvent, printed: String, known: &Known) {
    let shown = |text: &str| conceal_text(text, known);
    match event {
        JournalEvent::Proposed { prepared } => {
            let text = prepared.operation.kind.text();
            let body = masked(&text.body, &prepared.assessment.secrets);
            if told.asked_by.is_empty() {
                told.asked_by = asker(&prepared.operation.origin);
            }
            told.tool.clone_from(&prepared.operation.tool);
            (told.text, told.language) = (shown(&body), text.language);
            told.title = shown(&prepared.hidden(&prepared.title()));
            told.risk = Some(prepared.assessment.level());
            told.prepared = Some(prepared);
        }
        JournalEvent::Decided { decider, allowed, judgement, reason, left, .. } => {
            let left = left.or_else(|| Left::of_earlier(&decider, allowed, reason.as_deref()));
            let why = reason.filter(|_| left.is_none()).unwrap_or(judgement.reason);
            let why = told.prepared.as_ref().map_or_else(|| why.clone(), |prepared| prepared.hidden(&why));
            told.reason = Some(shown(&why));
            told.risk = Some(judgement.risk);
            let outcome = match left {
                Some(Left::Question) => "the agent was told to ask",
                Some(Left::Everything) => "left to the agent",
                None if allowed => "approved, not started",
                None if decider == Decider::Interrupt => NOT_STARTED,
                None => DENIED,
            };
            outcome.clone_into(&mut told.outcome);
            told.decided_by = Some(decider).filter(|_| left.is_none());
            told.allowed = Some(allowed).filter(|_| left.is_none());
        }
        JournalEvent::Started { .. } => "started; its end is not known".clone_into(&mut told.outcome),
        JournalEvent::Finished { outcome, milliseconds, .. } => {
            told.outcome = shown(&ended(&outcome));
            told.took_ms = Some(milliseconds).filter(|_| outcome != Outcome::Lost);
            told.printed = printed;
        }
        JournalEvent::Dropped { reason, stopped } => {
            // Who stopped it knows why.
            told.outcome = if stopped { NOT_STARTED.to_owned() } else { shown(&format!("refused: {reason}")) };
        }
        _ => {}
    }
}

fn asker(origin: &Origin) -> String {
    match origin {
        Origin::Model { .. } => "the model".to_owned(),
        Origin::Person | Origin::Again { .. } | Origin::Beside { .. } => "you".to_owned(),
        Origin::Program { .. } => "the program".to_owned(),
        Origin::Edited { of, what } => format!("{}, {} by you", asker(of), what.done()),
    }
}

/// How it ended, in a few words.
pub fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Succeeded { summary } => summary.clone(),
        Outcome::Failed { reason } => format!("failed: {reason}"),
        Outcome::Cancelled => "stopped".to_owned(),
        Outcome::TimedOut { seconds } => format!("timed out after {seconds} s"),
        Outcome::Lost => "interrupted, outcome unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stream;

    #[test]
    fn a_secret_that_only_the_session_knew_is_masked_in_what_is_kept_apart() {
        let root = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(root.path(), "s", 1 << 20);
        let id = OperationId(1);
        let mut spool = outputs.begin(id).unwrap().unwrap();
        spool.write(Stream::Out, format!("{} plain-horse-42 {}", "x\n".repeat(9_000), "y\n".repeat(9_000)).as_bytes());
        outputs.note_secrets(id, &["plain-horse-42".to_owned()]).unwrap();
        let known = Known::default();
        let mut transcript = Transcript::new(&known, &outputs);
        let outcome = Outcome::Succeeded { summary: "exit 0".to_owned() };
        // What the model read of it had the middle left out, so the entry has no note of its own.
        let event = JournalEvent::Finished {
            outcome,
            milliseconds: 1,
            result: "x\ny".to_owned(),
            kept: Kept::Apart { lines: 18_001, bytes: 36_016 },
        };
        let content = Content::Event(Box::new(event));
        let word = "finished".to_owned();
        transcript.entry(Stored {
            number: 1,
            session: "s".to_owned(),
            agent: None,
            at_ms: 0,
            operation: Some(id),
            word,
            content,
        });
        let [Piece::Operation(told)] = &transcript.pieces()[..] else { panic!("one operation") };
        assert!(told.printed.contains("⟦masked") && !told.printed.contains("horse"), "{:?}", told.printed);
    }
}
