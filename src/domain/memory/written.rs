//! Patterns: what each part of an operation must be. They are written into the file of remembered rules as they are.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::Shape;

/// What one part must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Want {
    /// Exactly this.
    Is(String),
    /// A path: this folder, or what lies in it.
    #[serde(rename_all = "lowercase")]
    Within {
        /// The folder, from the root.
        within: String,
    },
    /// Words: none but these.
    Among {
        /// The words.
        among: Vec<String>,
    },
    /// Anything.
    Any {
        /// Always true: how a file writes it.
        any: bool,
    },
}

impl Want {
    /// Anything.
    #[must_use]
    pub fn any() -> Self {
        Self::Any { any: true }
    }

    /// Whether it is anything.
    #[must_use]
    pub fn is_any(&self) -> bool {
        matches!(self, Self::Any { .. })
    }

    /// What it wants of a part, in words, given what other parts it `has`: the same where a rule is made, listed and
    /// told. Not neutralised.
    pub(super) fn says(&self, part: &str, has: impl Fn(&str) -> bool) -> String {
        match (self, part) {
            (Self::Any { .. }, "arguments" | "redirect") if has("place") => "any files of this workspace".to_owned(),
            (Self::Any { .. }, "arguments") if has("clean") => "any with which it only reads".to_owned(),
            (Self::Any { .. }, "program") if has("clean") => "any that only reads".to_owned(),
            (Self::Any { .. }, _) => "any".to_owned(),
            (Self::Is(value), _) if value.is_empty() => "none".to_owned(),
            (Self::Is(value), "flags") => format!("exactly {value}"),
            (Self::Is(value), "where") if value == "yes" => "any condition".to_owned(),
            (Self::Is(value), _) => value.clone(),
            (Self::Within { within }, _) => format!("in {within}"),
            (Self::Among { among }, _) => format!("{} or fewer", among.join(" ")),
        }
    }

    /// Whether a value is what is wanted.
    #[must_use]
    pub fn takes(&self, value: &str) -> bool {
        match self {
            Self::Is(wanted) => wanted == value,
            Self::Within { within } => lies_in(value, within),
            Self::Among { among } => value.split_whitespace().all(|word| among.iter().any(|known| known == word)),
            Self::Any { any } => *any,
        }
    }
}

/// Whether a path lies in a folder by its own letters: one that could climb out again when somebody else reads it does
/// not.
fn lies_in(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    let Some(rest) = path.strip_prefix(folder) else { return false };
    let lower = rest.to_ascii_lowercase();
    let climbs = rest.split('/').any(|part| matches!(part, "." | ".."))
        || ["%2e", "%2f", "%5c", "%25", "\\", ";"].iter().any(|spelling| lower.contains(spelling));
    (rest.is_empty() || rest.starts_with('/')) && !climbs
}

/// What the parts of a form must be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pattern(pub BTreeMap<String, Want>);

impl Pattern {
    /// Whether a form is one of these: every part that either of them has must be there and be what is wanted. A part
    /// that the pattern doesn't know is one that nobody decided about.
    #[must_use]
    pub fn fits(&self, form: &Shape) -> bool {
        let known = form.0.keys().all(|part| self.0.contains_key(part));
        known
            && self.0.iter().all(|(part, want)| match form.0.get(part) {
                Some(value) => want.takes(value),
                None => want.is_any(),
            })
    }

    /// Whether a shape has all that is named, whatever else it has.
    #[must_use]
    pub fn hits(&self, shape: &Shape) -> bool {
        let named =
            |(part, want): (&String, &Want)| want.is_any() || shape.0.get(part).is_some_and(|value| want.takes(value));
        !self.is_open() && self.0.iter().all(named)
    }

    /// Whether it names nothing.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.values().all(Want::is_any)
    }

    /// What a part must be exactly, if it must.
    #[must_use]
    pub fn exact(&self, part: &str) -> Option<&str> {
        match self.0.get(part)? {
            Want::Is(value) => Some(value),
            Want::Within { .. } | Want::Among { .. } | Want::Any { .. } => None,
        }
    }
}

impl Pattern {
    /// What it says of each part, in words and in the order of the screen; not neutralised.
    #[must_use]
    pub fn told(&self) -> Vec<(&str, String)> {
        let says = |part| self.0.get(part).map(|want| (part, want.says(part, |other| self.0.contains_key(other))));
        ordered(self.0.keys()).into_iter().filter(|part| shown(part)).filter_map(says).collect()
    }
}

impl fmt::Display for Pattern {
    /// `program rm, flags exactly -r`; what may be anything isn't named. Not neutralised.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<String> = self
            .told()
            .into_iter()
            .filter(|(_, says)| says != "any")
            .map(|(part, says)| format!("{part} {says}"))
            .collect();
        f.write_str(&named.join(", "))
    }
}

/// Whether a part has a row: what can't be anything else, and says how others are meant, has none.
pub(super) fn shown(part: &str) -> bool {
    !matches!(part, "place" | "folder" | "clean" | "free" | "fed" | "feeds" | "plain" | "appends")
}

/// Parts in the order of the screen: what says most comes first.
pub(super) fn ordered<'a>(parts: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    const FIRST: [&str; 15] = [
        "program",
        "subcommand",
        "flags",
        "arguments",
        "connection",
        "statement",
        "table",
        "where",
        "method",
        "scheme",
        "host",
        "port",
        "operation",
        "server",
        "tool",
    ];
    let mut parts: Vec<&str> = parts.map(String::as_str).collect();
    parts.sort_by_key(|part| FIRST.iter().position(|first| first == part).unwrap_or(FIRST.len()));
    parts
}
