//! The grammar of `countersign journal`.

use clap::{Args, Subcommand, ValueEnum};

use super::super::arguments::Mode;
use super::when;
use crate::domain::RiskLevel;

/// What can be done with the journal. Nothing of it runs anything.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum JournalCommand {
    /// List operations, one a line, the newest last; with an ID, show one whole with its derivation
    Show {
        /// An operation as lists name it (89abcdef#3), the number of an entry, or a session, whose operations are listed
        #[arg(value_name = "ID")]
        id: Option<String>,
        /// How many to list at most, the newest
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
        limit: usize,
        /// Show secrets as they are; on a terminal only
        #[arg(long)]
        reveal: bool,
        #[command(flatten)]
        filters: Filters,
    },
    /// Print the latest entries of all programs, one a line
    Tail {
        /// Go on with new ones as they are written, until ctrl+c
        #[arg(short, long)]
        follow: bool,
        /// How many to begin with
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 10)]
        limit: u32,
        #[command(flatten)]
        filters: Filters,
    },
    /// Walk along the chain, and name the first entry that isn't as it was written
    ///
    /// Fails with exit code 1 if there is one.
    Verify {
        /// A head that an earlier walk printed: fails unless the chain still leads through it
        #[arg(long, value_name = "HASH")]
        head: Option<String>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Say what you approve most, what claims got wrong, how many questions there were and how long they took
    Stats {
        #[command(flatten)]
        filters: Filters,
    },
    /// Judge recorded operations again by today's rules and configuration, and say what would change; runs nothing
    ///
    /// Goes by what was recorded of each operation: its text and what was found on the disk then. What the person
    /// approved or denied for the rest of a turn isn't replayed.
    Replay {
        /// Sessions or operations; all without
        #[arg(value_name = "ID")]
        ids: Vec<String>,
        /// The mode to judge in, instead of the configured one
        #[arg(long, value_enum)]
        mode: Option<Mode>,
        #[command(flatten)]
        filters: Filters,
    },
}

/// Which operations are meant.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct Filters {
    /// Only of this session: its id, or the beginning or end of it
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Only from this time on: 2026-11-22, 2026-11-22T13:00, or an age such as 30m, 2h, 7d
    #[arg(long, value_name = "TIME", value_parser = when::parse)]
    pub(super) since: Option<when::When>,
    /// Only before this time
    #[arg(long, value_name = "TIME", value_parser = when::parse)]
    pub(super) until: Option<when::When>,
    /// Only of this tool: execute_sql, or its short word, sql
    #[arg(long, value_name = "NAME")]
    pub(super) tool: Option<String>,
    /// Only what was decided so
    #[arg(long, value_enum)]
    pub(super) decision: Option<Decision>,
    /// Only what this decided: person, turn-approval, rule, claim, whitelist, allow-all, policy, interrupt
    #[arg(long, value_enum, hide_possible_values = true)]
    pub(super) decider: Option<DeciderWord>,
    /// Only of this risk
    #[arg(long, value_enum)]
    pub(super) risk: Option<Risk>,
    /// Only what has this text, in whichever case
    #[arg(long, value_name = "TEXT")]
    pub(super) text: Option<String>,
    /// JSON instead of lines for people; the README has its fields
    #[arg(long)]
    pub(super) json: bool,
}

impl Filters {
    /// What is said where no operation is meant.
    pub(super) fn nothing(&self) -> &'static str {
        let all = Self { json: self.json, ..Self::default() };
        if *self == all { "no operation is in the journal yet" } else { "no operation in the journal fits" }
    }
}

/// How it was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Decision {
    /// It may run
    Allowed,
    /// It may not
    Denied,
    /// Another agent was told to ask
    Asked,
    /// It was left to another agent, which was told nothing
    Left,
    /// Nobody decided yet, or the program ended before
    Pending,
    /// It went without a decision
    Dropped,
}

/// Who or what decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DeciderWord {
    /// The person, one by one or several at once
    Person,
    /// The approval of the rest of a turn
    TurnApproval,
    /// A rule of the configuration
    Rule,
    /// The model's claim
    Claim,
    /// The whitelist
    Whitelist,
    /// Mode allow-all
    AllowAll,
    /// The policy, with nobody asked
    Policy,
    /// The end of the turn
    Interrupt,
}

/// The risks as words of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Risk {
    /// Reads and looks
    Low,
    /// Not known to be harmless
    Medium,
    /// Could harm
    High,
}

impl From<Risk> for RiskLevel {
    fn from(risk: Risk) -> Self {
        match risk {
            Risk::Low => Self::Low,
            Risk::Medium => Self::Medium,
            Risk::High => Self::High,
        }
    }
}
