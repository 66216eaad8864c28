//! The walls around a contained command, by name, and what each promises.

use serde::{Deserialize, Serialize};

/// One promise to the person about a contained command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wall {
    /// Nothing on the disk changes.
    Write,
    /// Sensitive files can't be read.
    Secrets,
    /// Nothing is sent or received.
    Network,
    /// No socket of another program is reached.
    Sockets,
    /// No other process is signalled, traced or looked into.
    Processes,
    /// No terminal is typed into.
    Terminal,
    /// No rights are gained, no walls taken down.
    Rights,
}

impl Wall {
    /// Every wall, in the order in which they are told.
    pub const ALL: [Self; 7] =
        [Self::Write, Self::Secrets, Self::Network, Self::Sockets, Self::Processes, Self::Terminal, Self::Rights];

    /// What it promises of a staged run.
    #[must_use]
    pub fn staged(self) -> &'static str {
        match self {
            Self::Write => "changes of the workspace land in a layer, and nothing else on the disk can be changed",
            other => other.promise(),
        }
    }

    /// What it promises, in a few plain words.
    #[must_use]
    pub fn promise(self) -> &'static str {
        match self {
            Self::Write => "nothing on the disk can be changed",
            Self::Secrets => "sensitive files can't be read",
            Self::Network => "nothing can be sent over the network",
            Self::Sockets => "no other program's socket can be reached",
            Self::Processes => "other processes can't be signalled or looked into",
            Self::Terminal => "no terminal can be typed into",
            Self::Rights => "no rights can be gained, no walls taken down",
        }
    }
}
