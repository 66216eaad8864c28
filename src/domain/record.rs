//! What the journal keeps, versioned: of each operation its proposal, decision, start and end; of the conversation
//! every message. In their order they are the session: what a program reads back to go on with it.

use serde::{Deserialize, Serialize};

use super::chat::ToolCall;
use super::mask::masked;
use super::operation::{OperationId, Origin, Prepared};
use super::output::{Kept, Outcome};
use super::policy::{ApprovalMode, Containment, Judgement};
use super::risk::Span;
use super::undo::Undoable;

/// Longest title of a session, in characters.
const TITLE: usize = 120;

/// Finds the secrets in a text: byte ranges, in order and apart.
pub type Finder<'a> = &'a dyn Fn(&str) -> Vec<Span>;

/// Who or what decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decider {
    /// The person, by a key on a drawn dialog.
    Person,
    /// The person, by "approve all" or "deny all", listed with it.
    PersonAll,
    /// The turn's approval, given earlier in the turn.
    TurnApproval,
    /// A rule of the configuration.
    Rule,
    /// The model's claim.
    Claim,
    /// The whitelist.
    Whitelist,
    /// Mode `allow-all`.
    AllowAll,
    /// The policy, without a person: catastrophe, deny rule, nobody there to ask.
    Policy,
    /// The end of the turn, Esc or a new message.
    Interrupt,
}

/// What of a call is left to another agent, which only asked us what we think of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Left {
    /// It was told to ask the person.
    Question,
    /// It was told nothing, and goes by its own rules.
    Everything,
}

impl Left {
    /// The same as journals of earlier versions have it: in the sentence that stands where the person's reason would.
    #[must_use]
    pub fn of_earlier(decider: &Decider, allowed: bool, reason: Option<&str>) -> Option<Self> {
        let by_person = matches!(decider, Decider::Person | Decider::PersonAll | Decider::Interrupt);
        let reason = reason.filter(|_| !allowed && !by_person)?;
        if reason.starts_with("It is left to ") && reason.ends_with(" to ask.") {
            Some(Self::Question)
        } else if reason.starts_with("No opinion: it is left to ") || reason == CONTAINED {
            Some(Self::Everything)
        } else {
            None
        }
    }
}

/// What is noted of a call of another agent's that runs behind our walls.
pub const CONTAINED: &str = "It runs contained, by way of countersign exec.";

/// One entry of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The operation; none for what is about the session.
    pub operation: Option<OperationId>,
    /// What happened.
    pub event: JournalEvent,
}

impl JournalEntry {
    /// Something that happened in the session.
    #[must_use]
    pub fn of_session(event: JournalEvent) -> Self {
        Self { operation: None, event }
    }

    /// Something that happened to an operation.
    #[must_use]
    pub fn of(id: OperationId, event: JournalEvent) -> Self {
        Self { operation: Some(id), event }
    }
}

/// Why the contents of a session were deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Forgetting {
    /// The person deleted it.
    Person,
    /// It was kept for as long as the configuration says.
    Expiry,
}

/// What happened: to an operation, or in its session. Further fields of a body have defaults, so that what an earlier
/// version wrote is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum JournalEvent {
    /// It was proposed: the operation, its facts and its assessment, so that a replay is pure. Once more under the same
    /// number if the person edited it.
    Proposed {
        /// Everything it was judged on.
        prepared: Box<Prepared>,
    },
    /// It was decided.
    Decided {
        /// Who decided.
        decider: Decider,
        /// True for run.
        allowed: bool,
        /// The derivation.
        judgement: Judgement,
        /// The person's reason, if one was given; else what there is to note.
        reason: Option<String>,
        /// How long it waited for the decision, in milliseconds; none where nobody had to be asked.
        #[serde(default)]
        waited: Option<u64>,
        /// What of it was left to another agent, whose call it is. It is neither allowed nor denied then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<Left>,
    },
    /// It started.
    Started {
        /// What is enforced while it runs.
        containment: Containment,
    },
    /// It ended.
    Finished {
        /// How.
        outcome: Outcome,
        /// Time it took, in milliseconds.
        milliseconds: u64,
        /// What the model reads of it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        result: String,
        /// Where what it printed is kept.
        #[serde(default)]
        kept: Kept,
    },
    /// The person sent a message.
    Said {
        /// It.
        text: String,
    },
    /// The model's message ended, or as far as it came.
    Answered {
        /// Its text.
        text: String,
        /// The calls at its end.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
    },
    /// The calls of the model's latest message became operations, in order, this one the first.
    Taken,
    /// Nobody reads the calls of the model's latest message: each has this as its result.
    Untaken {
        /// The result.
        text: String,
    },
    /// Somebody else than the model asked for an operation, or a person edited what waited under this number.
    Asked {
        /// Who.
        origin: Origin,
        /// The call.
        call: ToolCall,
        /// What it takes back, if it does.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        takes_back: Vec<OperationId>,
        /// What it tries, if it is a trial.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tries: Option<OperationId>,
    },
    /// It was never judged, or can't run any more.
    Dropped {
        /// Why, in one sentence.
        reason: String,
        /// The person stopped it; otherwise it is no operation, such as a call of an unknown tool.
        stopped: bool,
    },
    /// What it did can be taken back.
    Undoable {
        /// How.
        how: Undoable,
    },
    /// The model's call has its result.
    Told {
        /// The result; none where it is what the end of the operation says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// What the model is told with the person's next message.
    Aside {
        /// It.
        text: String,
    },
    /// A text stands for the first messages of the conversation from now on, as the model is given it.
    Summarised {
        /// How many messages it stands for.
        messages: u64,
        /// It.
        text: String,
    },
    /// The program said something.
    Notice {
        /// The sentence.
        text: String,
        /// Something went wrong.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        trouble: bool,
    },
    /// Another mode holds from now on.
    Mode {
        /// Which.
        mode: ApprovalMode,
    },
    /// The contents of the session's entries before this one were deleted.
    Forgotten {
        /// Why.
        cause: Forgetting,
        /// How many entries.
        entries: u64,
    },
}

impl JournalEvent {
    /// Version of the bodies. A field that older versions don't know needs no higher one.
    pub const VERSION: i64 = 1;

    /// An end with nothing to read or to show.
    #[must_use]
    pub fn ended(outcome: Outcome, milliseconds: u64) -> Self {
        Self::Finished { outcome, milliseconds, result: String::new(), kept: Kept::Nothing }
    }

    /// What a session that begins with it may be called: the first line of a message, or what the person ran. Its
    /// secrets are masked, before it is cut.
    #[must_use]
    pub fn title(&self, secrets: Finder<'_>) -> Option<String> {
        let text = match self {
            Self::Said { text } => text.clone(),
            Self::Asked { origin: Origin::Person, call, .. } => {
                let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
                let text = |name: &str| arguments.get(name).and_then(serde_json::Value::as_str);
                match (text("command"), text("sql")) {
                    (Some(command), _) => format!("! {command}"),
                    (None, Some(sql)) => sql.to_owned(),
                    (None, None) => format!("{} {}", call.name, call.arguments),
                }
            }
            _ => return None,
        };
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        Some(masked(line, &secrets(line)).chars().take(TITLE).collect())
    }

    /// The word for it in the journal; the same as in its body.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Proposed { .. } => "proposed",
            Self::Decided { .. } => "decided",
            Self::Started { .. } => "started",
            Self::Finished { .. } => "finished",
            Self::Said { .. } => "said",
            Self::Answered { .. } => "answered",
            Self::Taken => "taken",
            Self::Untaken { .. } => "untaken",
            Self::Asked { .. } => "asked",
            Self::Dropped { .. } => "dropped",
            Self::Undoable { .. } => "undoable",
            Self::Told { .. } => "told",
            Self::Aside { .. } => "aside",
            Self::Summarised { .. } => "summarised",
            Self::Notice { .. } => "notice",
            Self::Mode { .. } => "mode",
            Self::Forgotten { .. } => "forgotten",
        }
    }
}
