//! What the journal keeps of each operation: proposal, decision, start and end, versioned.

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
    /// The operation.
    pub id: OperationId,
    /// What happened to it.
    pub event: JournalEvent,
}

/// What happened to an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum JournalEvent {
    /// It was proposed: the operation, its facts and its assessment, so that a replay is pure.
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
}
