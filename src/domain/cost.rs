//! What tokens cost, by the prices that the configuration gives. Whole numbers only: sums of millions of small
//! amounts stay exact. No price is known to the program itself.

use serde::{Deserialize, Serialize};

use super::Usage;

/// Parts of one unit of money that are told apart.
const PARTS: u64 = 1_000_000;

/// An amount of money in millionths of the unit that the prices are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Amount(pub u64);

impl Amount {
    /// Reads `2`, `0.15` or `2.500001`; none for anything else, and for more than a billion.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, parts) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(parts) || parts.len() > 6 {
            return None;
        }
        let whole: u64 = whole.parse().ok().filter(|whole| *whole <= 1_000_000_000)?;
        let parts: u64 = format!("{parts:0<6}").parse().ok()?;
        Some(Self(whole * PARTS + parts))
    }

    /// As it is told: two places, more where it is small, `0.0042`.
    #[must_use]
    pub fn shown(self) -> String {
        let (whole, parts) = (self.0 / PARTS, self.0 % PARTS);
        let places = format!("{parts:06}");
        let places = if whole == 0 && parts < 100_000 { &places[..] } else { &places[..2] };
        let least = if places.len() == 2 { places } else { places.trim_end_matches('0') };
        let places = if least.len() < 2 { &places[..2] } else { least };
        format!("{}.{places}", super::number::thousands(whole))
    }
}

/// Prices of a model, each for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    /// Of what it reads.
    pub input: Amount,
    /// Of what it writes.
    pub output: Amount,
}

/// What tokens cost so far, exactly: millionths of a millionth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost(u128);

impl Cost {
    /// Adds the tokens of one request.
    pub fn add(&mut self, usage: Usage, prices: Prices) {
        let part = |tokens: u64, price: Amount| u128::from(tokens) * u128::from(price.0);
        self.0 = self.0.saturating_add(part(usage.input, prices.input) + part(usage.output, prices.output));
    }

    /// The amount, rounded down.
    #[must_use]
    pub fn amount(self) -> Amount {
        Amount(u64::try_from(self.0 / u128::from(PARTS)).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_told_exactly() {
        for (written, shown) in [
            ("2", "2.00"),
            ("0.15", "0.15"),
            ("1234.5", "1,234.50"),
            ("0.0042", "0.0042"),
            ("0", "0.00"),
            ("0.1", "0.10"),
        ] {
            assert_eq!(Amount::parse(written).map(Amount::shown).as_deref(), Some(shown), "{written}");
        }
        for wrong in ["", ".5", "-1", "1e3", "1,5", "0.0000001", "9999999999"] {
            assert_eq!(Amount::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_thousand_small_requests_cost_what_one_large_does() {
        let prices = Prices { input: Amount(150_000), output: Amount(600_000) };
        let mut small = Cost::default();
        (0..1_000).for_each(|_| small.add(Usage { input: 7, output: 3 }, prices));
        let mut large = Cost::default();
        large.add(Usage { input: 7_000, output: 3_000 }, prices);
        assert_eq!(small, large);
        assert_eq!(large.amount(), Amount(2_850));
    }
}
