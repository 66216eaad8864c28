//! Risk levels, the model's claim, findings and the assessment they add up to.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::need::Need;
use super::policy::Containment;
use super::rule::Shape;

/// Byte range of the judged text that a finding is about.
pub type Span = Range<usize>;

/// How bad it could be. The order is the severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// Reads and looks.
    Low,
    /// Not known to be harmless.
    Medium,
    /// Deletes, overwrites, sends, can't be undone or can't be read.
    High,
}

impl RiskLevel {
    /// The word that is shown and serialised.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for RiskLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What the model claimed of its own call (`risk_level`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// Absent, null or empty.
    #[default]
    Absent,
    /// One of the three words.
    Level(RiskLevel),
    /// Any other value: counts as high, and the finding says so.
    Unreadable(String),
    /// The key came twice: counts as high.
    Repeated,
}

impl Claim {
    /// Reads the value of the `risk_level` argument.
    #[must_use]
    pub fn read(value: &Value) -> Self {
        match value {
            Value::Null => Self::Absent,
            Value::String(text) => match text.as_str() {
                "" => Self::Absent,
                "low" => Self::Level(RiskLevel::Low),
                "medium" => Self::Level(RiskLevel::Medium),
                "high" => Self::Level(RiskLevel::High),
                other => Self::Unreadable(other.chars().take(40).collect()),
            },
            other => Self::Unreadable(other.to_string().chars().take(40).collect()),
        }
    }

    /// The level that the claim counts as, if there is one.
    #[must_use]
    pub fn level(&self) -> Option<RiskLevel> {
        match self {
            Self::Absent => None,
            Self::Level(level) => Some(*level),
            Self::Unreadable(_) | Self::Repeated => Some(RiskLevel::High),
        }
    }
}

/// The three kinds of declared danger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Danger {
    /// Changes or deletes what is there.
    Destructive,
    /// Touches a sensitive file, table or value.
    Sensitive,
    /// A third party's tool, or something that leaves this machine.
    External,
}

/// The class of an operation or of one finding, from the table in "How a decision is made".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Clearly read-only.
    Whitelisted,
    /// Neither clearly read-only nor declared dangerous.
    Unknown,
    /// Declared dangerous by the tool for these arguments.
    Declared(Danger),
    /// Not fully understood, an error, a timeout or over a cap.
    Unreadable,
    /// Never run: `rm -r /`, a raw disk, a fork bomb, …
    Catastrophe,
}

/// One rule's hit: which rule, what class, and one sentence that names what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Rule id, `kind.problem`, such as `sql.delete`.
    pub rule: String,
    /// Its class.
    pub class: Class,
    /// How bad.
    pub level: RiskLevel,
    /// One full sentence for the person.
    pub sentence: String,
    /// The text it is about.
    pub span: Option<Span>,
}

impl Finding {
    /// A finding of `class` with the level that the table gives that class.
    pub fn new(rule: impl Into<String>, class: Class, sentence: impl Into<String>) -> Self {
        let level = match class {
            Class::Whitelisted => RiskLevel::Low,
            Class::Unknown | Class::Declared(Danger::Sensitive | Danger::External) => RiskLevel::Medium,
            Class::Declared(Danger::Destructive) | Class::Unreadable | Class::Catastrophe => RiskLevel::High,
        };
        Self { rule: rule.into(), class, level, sentence: sentence.into(), span: None }
    }

    /// The same finding about a byte range of the text.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// The same finding at another level.
    #[must_use]
    pub fn level(mut self, level: RiskLevel) -> Self {
        self.level = level;
        self
    }
}

/// All findings about one operation and what they add up to. Without a whitelisting finding, or with
/// any worse one beside it, it is not whitelisted: an empty assessment is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // independent facts, each as the journal has it
pub struct Assessment {
    /// Every rule that hit.
    pub findings: Vec<Finding>,
    /// What containment the entry asks for when it runs unasked.
    pub containment: Containment,
    /// The ways out of that containment that its entries need.
    #[serde(default)]
    pub needs: BTreeSet<Need>,
    /// What it may show of sensitive files unless walls hide them, in a sentence: without walls it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub walled: Option<String>,
    /// What it may show of lines of sensitive files among those that it searches, unless walls hide them, in a sentence:
    /// without walls it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<String>,
    /// What it may start unless walls limit it, many processes side by side or what a file names, in a sentence: without
    /// walls it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crowds: Option<String>,
    /// It shows names of files and data about them alone, nothing of what they hold.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub listing: bool,
    /// What walls keep from its sight, which its output doesn't say: a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blind: Option<String>,
    /// It shows what is in files that a search finds, whatever they are called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub finds: bool,
    /// True if a claim of low may let it run `staged` in guarded mode: never for what writes version
    /// control, sends, takes privilege, or writes files that others run later.
    pub claim_eligible: bool,
    /// Why no claim may, where a word of its text says it: in words that end a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlasts: Option<String>,
    /// Typed forms of each part, which rules match against.
    pub shapes: Vec<Shape>,
    /// The same in full, which what is remembered matches against; none where a rule couldn't see what it allows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<Shape>,
    /// What it acts on, for grants and for the person: a connection, a host, a workspace.
    pub target: String,
    /// Whether a command writes over what is there, as far as is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replaces: bool,
    /// The public hosts, each with its port, that a command looks at if it is whitelisted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hosts: BTreeSet<String>,
    /// What it would do in a few words, such as `Delete rows`; empty where its kind says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub act: String,
    /// Where its text holds secrets, in order and apart: masked on the screen until the person asks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<Span>,
    /// Why what it hits is production, in a few words each; empty if it isn't.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub production: Vec<String>,
}

impl Assessment {
    /// An assessment with one finding.
    #[must_use]
    pub fn of(finding: Finding) -> Self {
        Self { findings: vec![finding], ..Self::default() }
    }

    /// A whitelisted assessment, contained read-only.
    pub fn whitelisted(rule: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self { containment: Containment::ReadOnly, ..Self::of(Finding::new(rule, Class::Whitelisted, sentence)) }
    }

    /// An unreadable assessment.
    pub fn unreadable(rule: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self::of(Finding::new(rule, Class::Unreadable, sentence))
    }

    /// The worst class of its findings; unknown without any.
    #[must_use]
    pub fn class(&self) -> Class {
        self.findings.iter().map(|finding| finding.class).max().unwrap_or(Class::Unknown)
    }

    /// Why it asks where no walls are, if it does, in sentences.
    #[must_use]
    pub fn without_walls(&self) -> Option<String> {
        let hidden = self.walled.as_ref().or(self.searched.as_ref());
        let hidden = hidden.map(|why| format!("{why} No walls hide it here."));
        hidden.or_else(|| self.crowds.as_ref().map(|why| format!("{why} No walls limit them here.")))
    }

    /// The worst level of its findings; medium without any.
    #[must_use]
    pub fn level(&self) -> RiskLevel {
        self.findings.iter().map(|finding| finding.level).max().unwrap_or(RiskLevel::Medium)
    }

    /// The findings that stand in the way of running unasked.
    pub fn objections(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.class != Class::Whitelisted)
    }

    /// Whether something sensitive is among what it does, which no rule lifts.
    #[must_use]
    pub fn touches_secrets(&self) -> bool {
        self.findings.iter().any(|finding| finding.class == Class::Declared(Danger::Sensitive))
    }

    /// Whether it hits production.
    #[must_use]
    pub fn hits_production(&self) -> bool {
        !self.production.is_empty()
    }

    /// The first finding of the worst class, of dangers the first high one: the reason in one sentence.
    #[must_use]
    pub fn leading(&self) -> Option<&Finding> {
        let class = self.class();
        let danger = |class| matches!(class, Class::Declared(_));
        let worst = |finding: &&Finding| finding.class == class || danger(class) && danger(finding.class);
        let high = self.findings.iter().filter(worst).find(|finding| finding.level == RiskLevel::High);
        high.or_else(|| self.findings.iter().find(|finding| finding.class == class))
    }
}
