//! The format of a session: which requests it knows, what it says and calls, and what comes after the results.
//! Pure; a script with a mistake is refused whole, with the entry named.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::domain::{FailureKind, RiskLevel};

/// Largest compiled pattern of an entry.
const MOST_PATTERN: usize = 1 << 20;

/// A placeholder in a text: `{name}`, or `{name:sql}` and `{name:sh}` for a value that is quoted.
pub(super) static PLACEHOLDER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\{([a-z_]+)(?:\.([0-9]))?(?::(sql|sh))?\}").ok());

/// What a placeholder can always name; further ones are groups of the entry's pattern and its defaults.
const ALWAYS: [&str; 10] =
    ["server", "result", "rows", "body", "first_line", "last_line", "outcome", "reason", "requests", "requests_count"];

/// A whole session.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// What is said where an entry says nothing for an outcome, and where no entry fits.
    #[serde(default)]
    pub(super) otherwise: Otherwise,
    /// The requests it knows.
    #[serde(default, rename = "entry")]
    pub(super) entries: Vec<Entry>,
}

/// What is said where the entries say nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Otherwise {
    /// No entry fits.
    pub(super) unknown: String,
    /// Everything ran.
    pub(super) succeeded: String,
    /// The person said no to everything.
    pub(super) cancelled: String,
    /// Nothing worked.
    pub(super) failed: String,
    /// Some ran and some didn't.
    pub(super) partly: String,
}

impl Default for Otherwise {
    fn default() -> Self {
        Self {
            unknown: "This session has no answer to that.".to_owned(),
            succeeded: "```\n{result}\n```".to_owned(),
            cancelled: "Not done: {reason}.".to_owned(),
            failed: "That failed: {first_line}".to_owned(),
            partly: "```\n{result}\n```".to_owned(),
        }
    }
}

/// One request that it knows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// Name in messages about the script, and in the list of what it knows.
    pub(super) name: String,
    /// Words that must all occur, in this order, with others between them: `a|b` is either, `a*` a beginning.
    #[serde(default)]
    pub(super) phrases: Vec<String>,
    /// A pattern that also fits; its groups become placeholders.
    #[serde(default)]
    pattern: Option<String>,
    /// The pattern, compiled.
    #[serde(skip)]
    pub(super) regex: Option<Regex>,
    /// Values of placeholders that the pattern doesn't find.
    #[serde(default)]
    pub(super) defaults: BTreeMap<String, String>,
    /// What it says, first that fits.
    #[serde(rename = "say")]
    pub(super) says: Vec<Say>,
}

/// How the calls of one step came out, all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Result {
    /// Each did what it was asked.
    Succeeded,
    /// The person, or a rule, said no to each.
    Cancelled,
    /// Each failed.
    Failed,
    /// They differ.
    Partly,
}

/// A person's answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Answer {
    /// Yes.
    Yes,
    /// No.
    No,
}

/// One message of the model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Say {
    /// After how many rounds of results in this turn.
    #[serde(default)]
    pub(super) after: usize,
    /// Only if those results came out so.
    #[serde(default)]
    pub(super) when: Option<Result>,
    /// Only as the answer to the person's answer to the entry's question.
    #[serde(default)]
    pub(super) answer: Option<Answer>,
    /// The text.
    #[serde(default)]
    pub(super) text: String,
    /// The calls.
    #[serde(default)]
    pub(super) calls: Vec<Call>,
    /// Milliseconds of silence before it.
    #[serde(default)]
    pub(super) delay_ms: u64,
    /// How it ends, if not well.
    #[serde(default)]
    pub(super) end: Ending,
}

/// How a message ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Ending {
    /// As it should.
    #[default]
    Done,
    /// At the length limit.
    Length,
    /// Never.
    Hang,
    /// It fails so.
    CutOff,
    /// It fails so.
    Unauthorised,
    /// It fails so.
    NotFound,
    /// It fails so.
    RateLimited,
    /// It fails so.
    Unavailable,
    /// It fails so.
    Unreachable,
    /// It fails so.
    BadReply,
}

impl Ending {
    /// The failure that it is, if it is one.
    pub(super) const fn failure(self) -> Option<FailureKind> {
        match self {
            Self::Done | Self::Length | Self::Hang => None,
            Self::CutOff => Some(FailureKind::CutOff),
            Self::Unauthorised => Some(FailureKind::Unauthorised),
            Self::NotFound => Some(FailureKind::NotFound),
            Self::RateLimited => Some(FailureKind::RateLimited),
            Self::Unavailable => Some(FailureKind::Unavailable),
            Self::Unreachable => Some(FailureKind::Unreachable),
            Self::BadReply => Some(FailureKind::BadReply),
        }
    }
}

/// One tool call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// The tool.
    pub(super) tool: String,
    /// Its arguments.
    #[serde(default)]
    pub(super) arguments: Map<String, Value>,
    /// The claim, if it makes one.
    #[serde(default)]
    pub(super) claim: Option<RiskLevel>,
    /// The text of the arguments as it is, in place of both: for what no model should say.
    #[serde(default)]
    pub(super) raw: Option<String>,
}

impl Script {
    /// Reads a session.
    ///
    /// # Errors
    /// Says which entry is wrong, and how.
    pub(super) fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut script: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        for entry in &mut script.entries {
            entry.prepare().map_err(|reason| format!("entry `{}`: {reason}", entry.name))?;
        }
        Ok(script)
    }
}

impl Entry {
    /// Compiles the pattern and checks that each placeholder can be filled.
    fn prepare(&mut self) -> std::result::Result<(), String> {
        if let Some(pattern) = &self.pattern {
            let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(MOST_PATTERN).build();
            self.regex = Some(built.map_err(|error| error.to_string())?);
        }
        if self.phrases.is_empty() && self.regex.is_none() {
            return Err("it needs phrases or a pattern".to_owned());
        }
        let groups: Vec<&str> = self.regex.iter().flat_map(|regex| regex.capture_names().flatten()).collect();
        for say in &self.says {
            for text in say.texts() {
                let unknown = placeholders(text).find(|name| {
                    !ALWAYS.contains(name) && !groups.contains(name) && !self.defaults.contains_key(*name)
                });
                if let Some(name) = unknown {
                    return Err(format!("nothing fills the placeholder {{{name}}}"));
                }
            }
        }
        Ok(())
    }
}

impl Say {
    /// Every text in it that may hold placeholders.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let arguments = self.calls.iter().flat_map(|call| call.arguments.values().filter_map(Value::as_str));
        std::iter::once(self.text.as_str()).chain(arguments)
    }
}

/// The names of the placeholders in a text.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let found = PLACEHOLDER.as_ref().map(|regex| regex.captures_iter(text));
    found.into_iter().flatten().filter_map(|captures| captures.get(1)).map(|name| name.as_str())
}
