//! The ways out of containment that a reader may need. Its entry in the table says which; it gets those and no other.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// One way out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// Connections to other machines and to servers of this one.
    Network,
    /// Looks at public hosts, by a proxy of ours.
    Web,
    /// The socket of a daemon, or a folder of such sockets.
    Socket(#[serde(with = "super::path")] PathBuf),
    /// A look at the processes of this machine.
    Processes,
    /// A look at the network interfaces, routes and open ports of this machine.
    Interfaces,
}

impl Need {
    /// The socket, if that is what is needed.
    #[must_use]
    pub fn socket(&self) -> Option<&Path> {
        match self {
            Self::Socket(path) => Some(path),
            Self::Network | Self::Web | Self::Processes | Self::Interfaces => None,
        }
    }
}
