//! How the operations are listed: in which order, which of them, and which the person marked to decide together.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::numbers::Numbers;
use super::queue::{Item, Status};
use crate::domain::{OperationId, RiskLevel};

/// Bytes of what an operation would do that a filter looks at.
const SOUGHT: usize = 1_000;
/// Longest filter, in characters.
const LONGEST: usize = 100;

/// In which order operations are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// What waits and what runs as proposed, what is done newest first.
    #[default]
    State,
    /// Highest risk first.
    Risk,
    /// The same sort of operation together.
    Tool,
    /// As they were proposed.
    Number,
}

impl Order {
    /// The word for it in the list's title.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::State => "by state",
            Self::Risk => "by risk",
            Self::Tool => "by tool",
            Self::Number => "by number",
        }
    }

    fn next(self) -> Self {
        match self {
            Self::State => Self::Risk,
            Self::Risk => Self::Tool,
            Self::Tool => Self::Number,
            Self::Number => Self::State,
        }
    }
}

/// What is being typed in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typing {
    /// Words that choose what is listed.
    Filter,
    /// Numbers of operations to mark.
    Pick(String),
}

/// How the operations are listed.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    order: Order,
    filter: String,
    typing: Option<Typing>,
    marked: BTreeSet<OperationId>,
}

impl Plan {
    /// In which order.
    #[must_use]
    pub fn order(&self) -> Order {
        self.order
    }

    /// The words that choose what is listed; empty for everything.
    #[must_use]
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// What is being typed, if anything is.
    #[must_use]
    pub fn typing(&self) -> Option<&Typing> {
        self.typing.as_ref()
    }

    /// Whether an operation is marked.
    #[must_use]
    pub fn marks(&self, id: OperationId) -> bool {
        self.marked.contains(&id)
    }

    /// Whether an operation is listed: every word of the filter holds for it.
    #[must_use]
    pub fn shows(&self, item: &Item) -> bool {
        self.filter.split_whitespace().all(|word| holds(&word.to_lowercase(), item))
    }

    /// Brings the operations of one section into the order.
    pub(super) fn sort(&self, items: &mut [&Item]) {
        match self.order {
            Order::State => {}
            Order::Number => items.sort_by_key(|item| item.id),
            Order::Risk => items.sort_by_key(|item| Reverse(item.judgement.as_ref().map(|judgement| judgement.risk))),
            Order::Tool => items.sort_by(|a, b| a.word().cmp(b.word())),
        }
    }

    pub(super) fn next_order(&mut self) {
        self.order = self.order.next();
    }

    pub(super) fn start(&mut self, typing: Typing) {
        self.typing = Some(typing);
    }

    /// Ends the typing; gives back what it was.
    pub(super) fn stop(&mut self) -> Option<Typing> {
        self.typing.take()
    }

    /// Takes a letter as typing.
    pub(super) fn letter(&mut self, letter: char) {
        let text = match &mut self.typing {
            Some(Typing::Filter) => &mut self.filter,
            Some(Typing::Pick(typed)) => typed,
            None => return,
        };
        if text.chars().count() < LONGEST && !letter.is_control() {
            text.push(letter);
        }
    }

    pub(super) fn backspace(&mut self) {
        match &mut self.typing {
            Some(Typing::Filter) => self.filter.pop(),
            Some(Typing::Pick(typed)) => typed.pop(),
            None => None,
        };
    }

    /// Marks an operation, or no longer.
    pub(super) fn toggle(&mut self, id: OperationId) {
        if !self.marked.remove(&id) {
            self.marked.insert(id);
        }
    }

    pub(super) fn mark(&mut self, ids: impl IntoIterator<Item = OperationId>) {
        self.marked.extend(ids);
    }

    pub(super) fn unmark(&mut self, id: OperationId) {
        self.marked.remove(&id);
    }

    /// Everything is listed again.
    pub(super) fn show_all(&mut self) {
        self.filter.clear();
    }

    /// One step back to the usual list: typing ends, then marks go, then the filter, then the order. False if it is usual.
    pub(super) fn step_back(&mut self) -> bool {
        if let Some(typing) = self.typing.take() {
            if typing == Typing::Filter {
                self.filter.clear();
            }
        } else if !self.marked.is_empty() {
            self.marked.clear();
        } else if !self.filter.is_empty() {
            self.filter.clear();
        } else if self.order != Order::State {
            self.order = Order::State;
        } else {
            return false;
        }
        true
    }
}

/// Whether a word of a filter, in small letters, holds for an operation: a risk, a state, numbers, or a part of what
/// it would do.
fn holds(word: &str, item: &Item) -> bool {
    let risk = |level| item.judgement.as_ref().is_some_and(|judgement| judgement.risk == level);
    match word {
        "high" => return risk(RiskLevel::High),
        "med" | "medium" => return risk(RiskLevel::Medium),
        "low" => return risk(RiskLevel::Low),
        "waiting" | "pending" => return item.status == Status::Waiting,
        "running" => return matches!(item.status, Status::Running { .. }),
        "done" => return item.status.closed(),
        "denied" => return matches!(item.status, Status::Denied { .. }),
        _ => {}
    }
    if let Some(numbers) = Numbers::parse(word) {
        return numbers.contains(item.id);
    }
    let gist = item.gist();
    item.word().contains(word) || gist[..gist.floor_char_boundary(SOUGHT)].to_lowercase().contains(word)
}
