//! Fuzzy search: which texts have the letters typed, in their order, and how well. Words apart by blanks each count.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// What is searched for, ready to be compared with many texts.
pub struct Fuzzy {
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
}

impl Fuzzy {
    /// A search for what was typed; capitals don't matter.
    #[must_use]
    pub fn new(typed: &str) -> Self {
        Self::over(typed, Config::DEFAULT)
    }

    /// The same over paths, where what follows a `/` counts more.
    #[must_use]
    pub fn paths(typed: &str) -> Self {
        Self::over(typed, Config::DEFAULT.match_paths())
    }

    fn over(typed: &str, config: Config) -> Self {
        let pattern = Pattern::new(typed, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
        Self { pattern, matcher: Matcher::new(config), buffer: Vec::new() }
    }

    /// How well a text fits, more being better; none if it doesn't.
    pub fn score(&mut self, text: &str) -> Option<u32> {
        self.pattern.score(Utf32Str::new(text, &mut self.buffer), &mut self.matcher)
    }

    /// Which letters of a text fit, counted as a reader counts them: by graphemes, from 0, in order.
    pub fn marks(&mut self, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        self.pattern.indices(Utf32Str::new(text, &mut self.buffer), &mut self.matcher, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_order_fit_and_whole_words_fit_better() {
        let mut fuzzy = Fuzzy::new("del ord");
        let whole = fuzzy.score("Delete the ordered").unwrap();
        let spread = fuzzy.score("a dealer of words").unwrap();
        assert!(whole > spread);
        assert_eq!(fuzzy.score("order"), None);
        assert_eq!(fuzzy.marks("Delete the ordered"), [0, 1, 2, 11, 12, 13]);
        assert_eq!(Fuzzy::new("").score("anything"), Some(0));
        assert!(Fuzzy::paths("keys").score("src/app/keys.rs") > Fuzzy::paths("keys").score("src/monkeys.rs"));
    }

    #[test]
    fn marks_count_graphemes() {
        assert_eq!(Fuzzy::new("f").marks("e\u{301}宽f"), [2]);
    }
}
