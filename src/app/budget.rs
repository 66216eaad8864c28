//! What one turn may use before the person is asked to go on: calls, time, tokens, cost. Asking approves nothing.

use super::event::Effect;
use super::{Phase, State};
use crate::domain::{Amount, Cost, JournalEvent, Message, Prices, ToolCall, ToolResult, Usage, number};

/// Share of a limit, in percent, from which on the status line tells how much is left.
const NEAR: u64 = 80;
const MINUTE: u64 = 60_000;

/// A limit of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Calls that the model makes.
    Calls,
    /// Time in which the model speaks or its operations run.
    Minutes,
    /// Tokens that its requests cost, read and written, as the provider counts them.
    Tokens,
    /// What these cost, by the configured prices, in millionths.
    Cost,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Self; 4] = [Self::Calls, Self::Minutes, Self::Tokens, Self::Cost];

    /// The word that is typed and shown.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Minutes => "minutes",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
        }
    }

    /// Reads a figure; none for what is no figure of this limit or out of its range.
    #[must_use]
    pub fn read(self, figure: &str) -> Option<u64> {
        let figure = figure.replace(',', "");
        let read = match self {
            Self::Cost => Amount::parse(&figure)?.0,
            Self::Calls | Self::Minutes | Self::Tokens => figure.parse().ok()?,
        };
        let (least, most) = self.range();
        (least..=most).contains(&read).then_some(read)
    }

    /// A figure as it is told: `41`, `2.50`.
    #[must_use]
    pub fn figure(self, figure: u64) -> String {
        match self {
            Self::Cost => Amount(figure).shown(),
            Self::Calls | Self::Minutes | Self::Tokens => number::thousands(figure),
        }
    }

    /// So much of so much: `41 of 50 calls`, `cost 1.90 of 2.00`.
    fn told(self, spent: u64, most: u64) -> String {
        let (spent, most) = (self.figure(spent), self.figure(most));
        match self {
            Self::Cost => format!("cost {spent} of {most}"),
            Self::Calls | Self::Minutes | Self::Tokens => format!("{spent} of {most} {}", self.word()),
        }
    }

    /// The least and the most that it can be set to.
    #[must_use]
    pub fn range(self) -> (u64, u64) {
        match self {
            Self::Calls => (1, 10_000),
            Self::Minutes => (1, 1_440),
            Self::Tokens => (1_000, 1_000_000_000),
            Self::Cost => (1, 1_000_000_000_000),
        }
    }
}

/// What one turn may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Calls.
    pub calls: u64,
    /// Minutes.
    pub minutes: u64,
    /// Tokens; none for no limit.
    pub tokens: Option<u64>,
    /// Cost; none for no limit.
    pub cost: Option<Amount>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { calls: 50, minutes: 30, tokens: None, cost: None }
    }
}

impl Budget {
    fn of(self, limit: Limit) -> Option<u64> {
        match limit {
            Limit::Calls => Some(self.calls),
            Limit::Minutes => Some(self.minutes),
            Limit::Tokens => self.tokens,
            Limit::Cost => self.cost.map(|cost| cost.0),
        }
    }
}

/// What a turn used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spent {
    calls: u64,
    milliseconds: u64,
    tokens: u64,
    cost: Cost,
    /// What it had used of each when it was last let go on: its limits are raised by that.
    raised: [u64; Limit::ALL.len()],
}

impl Spent {
    fn of(self, limit: Limit) -> u64 {
        match limit {
            Limit::Calls => self.calls,
            Limit::Minutes => self.milliseconds / MINUTE,
            Limit::Tokens => self.tokens,
            Limit::Cost => self.cost.amount().0,
        }
    }

    /// By how much a limit is raised.
    fn raised(self, limit: Limit) -> u64 {
        self.raised[limit as usize]
    }

    /// The turn goes on, with as much again.
    fn raise(&mut self) {
        self.raised = Limit::ALL.map(|limit| self.of(limit));
    }

    /// Time passed in which something of the turn was under way.
    pub(super) fn pass(&mut self, milliseconds: u64) {
        self.milliseconds = self.milliseconds.saturating_add(milliseconds);
    }

    /// A message of the model ended.
    pub(super) fn message(&mut self, usage: Usage, prices: Option<Prices>) {
        self.tokens = self.tokens.saturating_add(usage.input).saturating_add(usage.output);
        if let Some(prices) = prices {
            self.cost.add(usage, prices);
        }
    }

    /// Calls are taken in.
    pub(super) fn call(&mut self, calls: usize) {
        self.calls = self.calls.saturating_add(calls as u64);
    }
}

/// A turn that reached a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paused {
    /// Which.
    pub limit: Limit,
    /// Calls of the model's latest message, which nobody has read yet.
    calls: Vec<ToolCall>,
}

impl State {
    /// The turn that waits for the person at a limit, if it does.
    #[must_use]
    pub fn paused(&self) -> Option<&Paused> {
        self.paused.as_ref()
    }

    /// The limits that the turn comes near to, in a few words: `41 of 50 calls`.
    #[must_use]
    pub fn near(&self) -> Option<String> {
        let near = |limit: &Limit| {
            let (spent, most) = (self.spent.of(*limit), self.most(*limit)?);
            let raised = self.spent.raised(*limit);
            let near = (spent - raised).saturating_mul(100) >= (most - raised).saturating_mul(NEAR);
            near.then(|| limit.told(spent, most))
        };
        Limit::ALL.iter().find_map(near)
    }

    /// What this turn may use, raised by what it had used when it was let go on; none for no limit.
    fn most(&self, limit: Limit) -> Option<u64> {
        self.budget.of(limit).map(|most| most.saturating_add(self.spent.raised(limit)))
    }

    /// Pauses the turn if a limit is reached, with calls that nobody has read yet. False if it may go on.
    pub(super) fn pause(&mut self, calls: &[ToolCall]) -> bool {
        let mut next = self.spent;
        next.call(calls.len());
        let over = |limit: &Limit| {
            let (spent, next) = (self.spent.of(*limit), next.of(*limit));
            // A message alone may hold more calls than a whole turn: it is asked about once.
            self.most(*limit).is_some_and(|most| spent >= most || next > most)
        };
        let Some(limit) = Limit::ALL.into_iter().find(over) else { return false };
        let most = self.most(limit).unwrap_or_default();
        let figure = limit.figure(most);
        let said = match limit {
            Limit::Cost => format!("Limit of a turn's cost, {figure}, reached"),
            Limit::Calls | Limit::Minutes | Limit::Tokens => {
                let word = if most == 1 { limit.word().trim_end_matches('s') } else { limit.word() };
                // A message alone may be what goes over it.
                let how = if self.spent.of(limit) >= most { "reached" } else { "would be passed" };
                format!("Limit of {figure} {word} a turn {how}")
            }
        };
        let open = match calls.len() {
            0 => String::new(),
            open => format!(" ({} more wanted, not read yet)", number::count(open, "call")),
        };
        let next = if self.attended() {
            let stop = if self.linear { "stop ends it" } else { "esc stops" };
            format!("enter goes on, {stop}. /limit changes it.")
        } else {
            format!("the run ends here. --max-{} changes it.", limit.word())
        };
        self.chat.notice(format!("{said}{open}: {next}"), !self.attended());
        self.paused = Some(Paused { limit, calls: calls.to_vec() });
        true
    }

    /// The person lets the turn go on, with as much again.
    pub(super) fn go_on(&mut self, effects: &mut Vec<Effect>) {
        let Some(paused) = self.paused.take() else {
            if std::mem::take(&mut self.unanswered) && self.chat.phase == Phase::Idle {
                self.handed_over = true;
                self.request_next(effects);
            }
            return;
        };
        self.spent.raise();
        self.handed_over = true;
        if paused.calls.is_empty() {
            self.request_next(effects);
        } else {
            self.take_calls(paused.calls, effects);
        }
    }

    /// The turn ends at its limit: calls that nobody has read are answered. True if it was paused.
    pub(super) fn end_paused(&mut self) -> bool {
        let Some(paused) = self.paused.take() else { return false };
        self.untaken(paused.calls, "cancelled: The person ended the turn at its limit.");
        true
    }

    /// Calls that nobody reads any more are answered.
    pub(super) fn untaken(&mut self, calls: Vec<ToolCall>, text: &str) {
        if calls.is_empty() {
            return;
        }
        self.keep(JournalEvent::Untaken { text: text.to_owned() });
        let answer = |call: ToolCall| ToolResult { call_id: call.id, tool: call.name, text: text.to_owned() };
        self.chat.remember(Message::Results(calls.into_iter().map(answer).collect()));
    }

    /// `/limit`, `/limit calls 100`.
    pub(super) fn limit(&mut self, change: Option<(Limit, u64)>) {
        match change {
            Some((Limit::Calls, most)) => self.budget.calls = most,
            Some((Limit::Minutes, most)) => self.budget.minutes = most,
            Some((Limit::Tokens, most)) => self.budget.tokens = Some(most),
            Some((Limit::Cost, most)) => self.budget.cost = Some(Amount(most)),
            None => {}
        }
        let told = Limit::ALL.map(|limit| match (limit, self.most(limit)) {
            (_, Some(most)) => {
                let spent = self.spent.of(limit);
                let of = if spent > most { ", past the limit of" } else { " of" };
                let raised = match self.budget.of(limit).filter(|first| *first < most) {
                    Some(first) => format!(" (raised from {} when you let it go on)", limit.figure(first)),
                    None => String::new(),
                };
                format!("{} {}{of} {}{raised}", limit.word(), limit.figure(spent), limit.figure(most))
            }
            (Limit::Cost, None) if self.setting.prices.is_none() => "cost unknown (no prices configured)".to_owned(),
            (_, None) => format!("{} {} (no limit)", limit.word(), limit.figure(self.spent.of(limit))),
        });
        let unpriced = matches!(change, Some((Limit::Cost, _))) && self.setting.prices.is_none();
        let prices =
            if unpriced { " This model has no prices in the configuration: its cost isn't counted." } else { "" };
        self.chat
            .notice(format!("This turn used {}. `/limit calls 100` changes one.{prices}", told.join(" · ")), false);
    }
}
