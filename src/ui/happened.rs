//! What a run without a person tells, one event a line, as `assets/run-events.schema.json` says them.

use serde::Serialize;

use super::text;
use crate::domain::{Containment, RiskLevel, Step, Verdict, number};

/// Version of the events.
const VERSION: u8 = 1;

/// One thing that happened.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Happened {
    /// The run begins.
    Started {
        /// The journal's name of it.
        session: String,
        /// Of this program.
        version: &'static str,
        /// The model's name.
        model: String,
        /// Whether messages and results leave this machine.
        remote: bool,
        /// What decides.
        mode: &'static str,
        /// Where it works.
        workspace: String,
        /// The default database.
        connection: Option<String>,
    },
    /// The model said something: whole lines, but for the last of a message.
    Text {
        /// Which of the model's messages, from 1.
        message: u64,
        /// What it said.
        text: String,
    },
    /// The model calls a tool, or the program proposes what came of a call.
    Call {
        /// Number of the operation, from 1.
        id: u64,
        /// The tool.
        tool: String,
        /// Who asks.
        origin: &'static str,
        /// What the model claims of it.
        claim: Option<RiskLevel>,
        /// What it acts on; none where it couldn't be read.
        target: Option<String>,
        /// What it would do, on one line.
        what: String,
        /// Its whole text.
        text: String,
        /// Bytes of the text that were left out.
        left_out: usize,
    },
    /// It was decided, on this derivation.
    Decided {
        /// Number of the operation.
        id: u64,
        /// Run or not.
        verdict: Verdict,
        /// Who or what decided.
        decider: Option<&'static str>,
        /// The step of "first match decides".
        step: Step,
        /// The step's number.
        number: u8,
        /// How bad it could be.
        risk: RiskLevel,
        /// Why, in a sentence.
        reason: String,
        /// What is enforced while it runs.
        containment: Containment,
        /// Whether this machine enforces that.
        enforced: bool,
        /// What the rules found.
        findings: Vec<Found>,
    },
    /// What came of an operation, as the model reads it.
    Output {
        /// Number of the operation.
        id: u64,
        /// The text.
        text: String,
        /// Bytes of the text that were left out here.
        left_out: usize,
    },
    /// An operation ended.
    Finished {
        /// Number of the operation.
        id: u64,
        /// What it did, on one line.
        what: String,
        /// How it ended.
        outcome: Ended,
        /// A figure, or why it failed.
        summary: String,
        /// How long it ran.
        milliseconds: u64,
    },
    /// An operation was not run.
    Refused {
        /// Number of the operation.
        id: u64,
        /// What it would have done, on one line.
        what: String,
        /// What sort of refusal.
        cause: Cause,
        /// Why, in a sentence.
        reason: String,
    },
    /// What a message of the model cost.
    Usage {
        /// Which message.
        message: u64,
        /// Tokens read.
        input: u64,
        /// Tokens written.
        output: u64,
    },
    /// A sentence of the program's own.
    Notice {
        /// The sentence.
        text: String,
        /// Something went wrong.
        trouble: bool,
    },
    /// The run is over.
    Ended {
        /// How.
        status: End,
        /// The exit code.
        exit: u8,
        /// The model's last message, if it came to one.
        answer: Option<String>,
        /// Operations that ran.
        ran: usize,
        /// Operations that were refused because they need a confirmation or are denied.
        refused: usize,
        /// Tokens read in all.
        input: u64,
        /// Tokens written in all.
        output: u64,
        /// How long it took.
        milliseconds: u64,
    },
}

/// What a rule found.
#[derive(Debug, Serialize)]
pub struct Found {
    pub(super) rule: String,
    pub(super) risk: RiskLevel,
    pub(super) sentence: String,
}

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// It did what it was asked.
    Succeeded,
    /// It failed.
    Failed,
    /// It was stopped.
    Cancelled,
    /// It took too long.
    TimedOut,
    /// Nobody knows.
    Lost,
}

/// Why an operation wasn't run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It needs a confirmation, and nobody is there.
    NeedsConfirmation,
    /// A catastrophe or a deny rule.
    Denied,
    /// The call isn't one: no such tool, or bad arguments.
    Malformed,
    /// The journal can't be written.
    Journal,
    /// The run was stopped before.
    Interrupted,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The model came to its last word, and nothing was refused.
    Done,
    /// It did, but something was refused.
    Refused,
    /// The model failed, or its answer is empty or cut off.
    ModelFailed,
    /// A limit of the turn was reached.
    Limit,
    /// The journal can't be written.
    Journal,
    /// It was stopped by a signal.
    Interrupted,
}

impl End {
    /// The exit code; of an interrupted one that of the usual interrupt.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 3,
            Self::ModelFailed => 4,
            Self::Journal => 5,
            Self::Limit => 6,
            Self::Interrupted => 130,
        }
    }
}

/// An event as it is written.
#[derive(Serialize)]
struct Versioned<'a> {
    v: u8,
    #[serde(flatten)]
    happened: &'a Happened,
}

impl Happened {
    /// It as a line for a program.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(&Versioned { v: VERSION, happened: self }).unwrap_or_default()
    }

    /// It as a line for a person, and whether that is told even where nobody watches.
    #[must_use]
    pub fn progress(&self) -> Option<(String, bool)> {
        match self {
            Self::Finished { id, what, outcome, summary, milliseconds } => {
                let how = match outcome {
                    Ended::Succeeded => "ran",
                    Ended::Failed => "failed",
                    Ended::Cancelled => "was stopped",
                    Ended::TimedOut => "timed out",
                    Ended::Lost => "was lost",
                };
                let took = number::duration(*milliseconds);
                Some((format!("#{id} {how}: {} ({}, {took})", text::line(what), text::line(summary)), false))
            }
            Self::Refused { id, what, reason, .. } => {
                Some((format!("#{id} refused: {} – {}", text::line(what), text::line(reason)), true))
            }
            Self::Notice { text: said, trouble } => Some((text::line(said), *trouble)),
            Self::Started { .. }
            | Self::Text { .. }
            | Self::Call { .. }
            | Self::Decided { .. }
            | Self::Output { .. }
            | Self::Usage { .. }
            | Self::Ended { .. } => None,
        }
    }
}
