//! The kinds of declared danger, by the words that the rule files have for them. The build reads them too, and rejects
//! any other word.

/// A kind of declared danger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DangerKind {
    Destructive,
    External,
    /// Shows what is secret.
    Sensitive,
    /// Runs code that isn't shown: unknown, and never on a claim.
    Runs,
    /// Runs code of the workspace, or of its own words: unknown, and on a claim it may run staged.
    Works,
    /// Runs the command in its words, in a way that isn't taken apart: the same, but a catastrophe there is one.
    Wraps,
}

impl DangerKind {
    /// Every kind with its word.
    pub(super) const ALL: [(&str, Self); 6] = [
        ("destructive", Self::Destructive),
        ("external", Self::External),
        ("sensitive", Self::Sensitive),
        ("runs", Self::Runs),
        ("works", Self::Works),
        ("wraps", Self::Wraps),
    ];

    /// The kind of a word.
    pub(super) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find_map(|(known, kind)| (known == word).then_some(kind))
    }
}
