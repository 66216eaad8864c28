//! What the journal keeps of a session: each operation's proposal, decision, start and end, versioned.

use serde::{Deserialize, Serialize};

use super::operation::{OperationId, Prepared};
use super::output::Outcome;
use super::policy::{Containment, Judgement};

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

/// One entry of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The operation; none for what is about the session.
    pub operation: Option<OperationId>,
    /// What happened.
    pub event: JournalEvent,
}

impl JournalEntry {
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
        /// The person's reason, if one was given.
        reason: Option<String>,
        /// How long it waited for the decision, in milliseconds; none where nobody had to be asked.
        #[serde(default)]
        waited: Option<u64>,
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

    /// The word for it in the journal; the same as in its body.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Proposed { .. } => "proposed",
            Self::Decided { .. } => "decided",
            Self::Started { .. } => "started",
            Self::Finished { .. } => "finished",
            Self::Forgotten { .. } => "forgotten",
        }
    }
}
