//! The sensitive paths: one list for every tool and every spelling.

use crate::domain::Place;

/// The list of "How a decision is made" and what the configuration adds.
#[derive(Clone, Debug, Default)]
pub struct Sensitive {
    extra: Vec<String>,
}

impl Sensitive {
    /// The list with the configuration's own globs.
    #[must_use]
    pub fn with(extra: Vec<String>) -> Self {
        Self { extra }
    }

    /// Why a path (as spelled, or real) is sensitive: the entry of the list that it matches.
    #[must_use]
    pub fn entry(&self, _path: &str, _place: &Place) -> Option<String> {
        None
    }

    /// Whether a glob, or a path with parts that may become anything, may match a sensitive path.
    #[must_use]
    pub fn may_match(&self, _pattern: &str, _place: &Place) -> Option<String> {
        None
    }
}
