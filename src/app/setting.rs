//! What the status line says beside the mode: who answers, where it works, and on what.

use super::State;
use crate::domain::Prices;

/// What the status line says that doesn't change by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// The model's name.
    pub model: String,
    /// Whether it is the practice model.
    pub practice: bool,
    /// Whether messages and results leave this machine.
    pub remote: bool,
    /// The default connection's name, masked.
    pub connection: Option<String>,
    /// Whether that is production.
    pub production: bool,
    /// The workspace, as shown.
    pub workspace: String,
    /// The folder that the person started in, as shown.
    pub folder: String,
    /// Tokens that one request may hold, as far as that is known; zero for no limit.
    pub context: u64,
    /// What the model's tokens cost, by the configuration.
    pub prices: Option<Prices>,
    /// Names of the connections.
    pub connections: Vec<String>,
}

impl Setting {
    /// The default connection's name, without its engine.
    #[must_use]
    pub fn connection_name(&self) -> Option<&str> {
        let label = self.connection.as_deref()?;
        Some(label.rsplit_once(" (").map_or(label, |(name, _)| name))
    }
}

impl State {
    /// A connection was reached, or wasn't. True if that is news.
    pub(super) fn reached(&mut self, connection: String, reached: bool) -> bool {
        if reached { self.unreached.remove(&connection) } else { self.unreached.insert(connection) }
    }

    /// Whether the default connection was not reached when it was last used.
    #[must_use]
    pub fn unreached(&self) -> bool {
        self.setting.connection_name().is_some_and(|name| self.unreached.contains(name))
    }
}
