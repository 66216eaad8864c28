//! Tokens as the provider counts them, and what they cost by the configured prices: of the turn and of the session.

use super::State;
use crate::domain::{Cost, Usage, number};

/// Tokens, and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tokens that the model read.
    pub read: u64,
    /// Tokens that it wrote.
    pub written: u64,
    /// What they cost, where prices are configured.
    pub cost: Cost,
}

impl Tally {
    fn told(self, priced: bool) -> String {
        if self.read == 0 && self.written == 0 {
            return "no tokens reported".to_owned();
        }
        let cost = if priced { format!(", cost {}", self.cost.amount().shown()) } else { String::new() };
        format!("{} tokens read, {} written{cost}", number::thousands(self.read), number::thousands(self.written))
    }
}

/// What the model used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tallies {
    /// In this turn.
    pub turn: Tally,
    /// In this session.
    pub session: Tally,
}

impl State {
    /// A request ended.
    pub(super) fn count(&mut self, usage: Usage) {
        let prices = self.setting.prices;
        self.spent.message(usage, prices);
        for tally in [&mut self.tallies.turn, &mut self.tallies.session] {
            tally.read = tally.read.saturating_add(usage.input);
            tally.written = tally.written.saturating_add(usage.output);
            if let Some(prices) = prices {
                tally.cost.add(usage, prices);
            }
        }
    }

    /// Tokens of this session and their cost, for the status line: `12,345 tokens, 0.04`. None before the first.
    #[must_use]
    pub fn used(&self) -> Option<String> {
        let Tally { read, written, cost } = self.tallies.session;
        let tokens = read.saturating_add(written);
        if tokens == 0 {
            return None;
        }
        let shown = number::tokens(tokens);
        Some(if self.setting.prices.is_some() { format!("{shown}, {}", cost.amount().shown()) } else { shown })
    }

    /// `/usage`
    pub(super) fn tell_usage(&mut self) {
        let priced = self.setting.prices.is_some();
        let (turn, session) = (self.tallies.turn.told(priced), self.tallies.session.told(priced));
        // What no provider has counted yet is an estimate of what each request carries, and nothing that was sent.
        let size = number::thousands(self.chat.tokens());
        let room = match self.setting.context {
            0 | u64::MAX => String::new(),
            most => format!(", of {} that the model takes", number::thousands(most)),
        };
        let advice =
            if priced { "" } else { " For the cost, set price_in and price_out of the model in the configuration." };
        let said = if self.setting.practice {
            // Another model may have answered in this session before.
            let before = if self.used().is_some() { format!(" This session: {session}.") } else { String::new() };
            format!("The practice model is a part of this program: it takes no tokens and costs nothing.{before}")
        } else if self.chat.history().is_empty() {
            format!(
                "Nothing was sent yet. Instructions and tools, which go with every request, have about {size} \
                 tokens{room}.{advice}"
            )
        } else {
            format!(
                "This turn: {turn}. This session: {session}. The next request has about {size} tokens with its \
                 instructions and tools{room}.{advice}"
            )
        };
        self.chat.notice(said, false);
    }
}
