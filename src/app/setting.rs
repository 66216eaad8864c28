//! What the status line says beside the mode: who answers, where it works, and on what.

use std::collections::BTreeMap;

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
    /// Where the person's own SQL goes, where the model's goes elsewhere or nowhere.
    pub own: Option<OwnDatabase>,
    /// The connections by their names, those of the person's own SQL among them, with what each is: engine, database and
    /// host, as shown.
    pub connections: BTreeMap<String, String>,
}

/// A database that is the person's alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnDatabase {
    /// Its connection's name, with its engine.
    pub label: String,
    /// Whether it is production.
    pub production: bool,
}

/// The name of a connection, without its engine.
fn bare(label: &str) -> &str {
    label.rsplit_once(" (").map_or(label, |(name, _)| name)
}

impl Setting {
    /// The default connection's name, without its engine.
    #[must_use]
    pub fn connection_name(&self) -> Option<&str> {
        self.connection.as_deref().map(bare)
    }

    /// The name of the connection that the person's own SQL goes to.
    #[must_use]
    pub fn own_name(&self) -> Option<&str> {
        self.own.as_ref().map(|own| bare(&own.label)).or_else(|| self.connection_name())
    }
}

impl State {
    /// A connection was reached, or wasn't. True if that is news.
    pub(super) fn reached(&mut self, connection: String, reached: bool) -> bool {
        if reached { self.unreached.remove(&connection) } else { self.unreached.insert(connection) }
    }

    /// Whether the connection of that label was not reached when it was last used.
    #[must_use]
    pub fn unreached(&self, label: &str) -> bool {
        self.unreached.contains(bare(label))
    }

    /// What the role of the connection of that label may do beyond its data, in a few words; none for an ordinary role.
    #[must_use]
    pub fn powers(&self, label: &str) -> Option<String> {
        self.powers_of(bare(label))
    }
}
