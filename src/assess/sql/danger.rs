//! How the tables spell a danger, and the findings made from it. Called by everything here that objects.

use serde::Deserialize;

use crate::domain::{Class, Danger, Finding, RiskLevel, Span};

/// The classes that a table may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Named {
    Unknown,
    Destructive,
    Sensitive,
    External,
}

/// What a function or a statement does beyond reading.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Act {
    /// Rule id.
    pub rule: String,
    class: Named,
    level: Option<RiskLevel>,
    sentence: String,
}

impl Act {
    /// The finding about `what`, which takes the place of `{}` in the sentence.
    pub fn finding(&self, what: &str, span: Span) -> Finding {
        let class = match self.class {
            Named::Unknown => Class::Unknown,
            Named::Destructive => Class::Declared(Danger::Destructive),
            Named::Sensitive => Class::Declared(Danger::Sensitive),
            Named::External => Class::Declared(Danger::External),
        };
        let finding = Finding::new(self.rule.as_str(), class, self.sentence.replace("{}", what)).at(span);
        match self.level {
            Some(level) => finding.level(level),
            None => finding,
        }
    }
}
