//! Numbers as a person writes several of them: `1,3-5`.

use std::ops::RangeInclusive;

use crate::domain::OperationId;

/// Longest text that is read as numbers, in bytes.
const LONGEST: usize = 200;

/// Several numbers of operations, none of them told apart from its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers(Vec<RangeInclusive<u64>>);

impl Numbers {
    /// Reads `1,3-5`: numbers and ranges, separated by commas or blanks. None if it is anything else, or nothing.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let parts = text.split([',', ' ']).map(str::trim).filter(|part| !part.is_empty());
        let ranges: Option<Vec<_>> = parts
            .map(|part| match part.split_once('-') {
                Some((from, to)) => {
                    let (from, to) = (number(from)?, number(to)?);
                    Some(from.min(to)..=from.max(to))
                }
                None => number(part).map(|number| number..=number),
            })
            .collect();
        ranges.filter(|ranges| !ranges.is_empty()).map(Self)
    }

    /// One alone.
    #[must_use]
    pub fn one(id: OperationId) -> Self {
        Self(vec![id.0..=id.0])
    }

    /// Whether an operation is among them.
    #[must_use]
    pub fn contains(&self, id: OperationId) -> bool {
        self.0.iter().any(|range| range.contains(&id.0))
    }

    /// Whether an operation's own number was written, not a range around it.
    #[must_use]
    pub fn names(&self, id: OperationId) -> bool {
        self.0.contains(&(id.0..=id.0))
    }

    /// The numbers that were written: each alone, and both ends of a range.
    pub fn ends(&self) -> impl Iterator<Item = OperationId> + '_ {
        self.0.iter().flat_map(|range| [OperationId(*range.start()), OperationId(*range.end())])
    }

    /// The number, if it is one alone.
    #[must_use]
    pub fn single(&self) -> Option<OperationId> {
        match self.0.as_slice() {
            [one] if one.start() == one.end() => Some(OperationId(*one.start())),
            _ => None,
        }
    }
}

fn number(text: &str) -> Option<u64> {
    let digits = text.trim().trim_start_matches('#');
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_are_read_in_any_order() {
        let numbers = Numbers::parse("1, 5-3 #9").unwrap();
        let chosen: Vec<u64> = (0..12).filter(|id| numbers.contains(OperationId(*id))).collect();
        assert_eq!(chosen, [1, 3, 4, 5, 9]);
        assert_eq!(Numbers::parse("7").unwrap().single(), Some(OperationId(7)));
        assert_eq!(numbers.single(), None);
    }

    #[test]
    fn anything_else_is_none() {
        for text in ["", ",", "a", "1-", "-2", "1-2-3", "+1", "1.5", "99999999999999999999"] {
            assert_eq!(Numbers::parse(text), None, "{text}");
        }
    }
}
