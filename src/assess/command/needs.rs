//! What a run of a reading program needs beyond reading files: the network, or the sockets of a daemon. The rule
//! files say it of each entry; a subcommand's daemon listens where its program's does.

use serde::Deserialize;

use super::table::Table;
use crate::domain::Need;

/// What an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Needs {
    Daemon,
    Network,
    Web,
}

/// What of this machine an entry lists, which walls would hide from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sees {
    Processes,
    Interfaces,
}

/// A way out of containment that a reader needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way<'t> {
    /// Whether it connects to other machines, or to servers of this one.
    pub(super) network: bool,
    /// Whether it only looks at public hosts, which a proxy of ours leads to.
    pub(super) web: bool,
    /// Sockets, or folders of them, any of which it may connect to. `$HOME`, `$UID`, `$XDG_RUNTIME_DIR` and
    /// `$TMUX_TMPDIR` stand for the person's.
    pub(super) sockets: &'t [String],
    /// What it must be able to see.
    pub(super) sees: &'t [Sees],
}

impl Way<'_> {
    /// The same in the terms of containment.
    pub(super) fn needs(&self) -> impl Iterator<Item = Need> {
        let network = self.network.then_some(Need::Network);
        let sockets = self.sockets.iter().map(|socket| Need::Socket(socket.into()));
        let sees = self.sees.iter().map(|sees| match sees {
            Sees::Processes => Need::Processes,
            Sees::Interfaces => Need::Interfaces,
        });
        network.into_iter().chain(self.web.then_some(Need::Web)).chain(sockets).chain(sees)
    }

    /// Whether it can't have its way out beside what goes by the proxy: in whose network nothing else is.
    pub(super) fn beside_web(&self) -> bool {
        self.network || !self.sockets.is_empty() || self.sees.contains(&Sees::Interfaces)
    }
}

impl Table {
    /// The way out that a reader needs, by its name in the table (`docker ps`).
    pub(super) fn way(&self, reader: &str) -> Option<Way<'_>> {
        let entry = self.entry(reader)?;
        let program = reader.split(' ').next().and_then(|program| self.entry(program));
        let of_program = program.map(|program| program.sockets.as_slice()).unwrap_or_default();
        let sockets = if entry.sockets.is_empty() { of_program } else { &entry.sockets };
        // A server may listen here as well as elsewhere.
        let sockets = if matches!(entry.needs, Some(Needs::Daemon | Needs::Network)) { sockets } else { &[] };
        let needs = |needs| entry.needs == Some(needs);
        let way = Way { network: needs(Needs::Network), web: needs(Needs::Web), sockets, sees: &entry.sees };
        (way.network || way.web || !way.sockets.is_empty() || !way.sees.is_empty()).then_some(way)
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::table;
    use super::*;

    #[test]
    fn every_daemon_has_a_place_where_it_listens() {
        for name in table().names() {
            let daemon = table().entry(name).is_some_and(|entry| entry.needs == Some(Needs::Daemon));
            let sockets = table().way(name).map(|way| way.sockets).unwrap_or_default();
            assert!(!daemon || !sockets.is_empty(), "where the daemon of `{name}` listens isn't said");
            for socket in sockets {
                let known = ["/", "$HOME/", "$XDG_RUNTIME_DIR/", "$TMUX_TMPDIR/"];
                assert!(known.iter().any(|start| socket.starts_with(start)), "{name}: {socket}");
            }
        }
    }

    #[test]
    fn a_subcommand_has_the_sockets_of_its_program() {
        let way = table().way("docker ps").unwrap();
        assert!(!way.network && way.sockets.contains(&"/run/docker.sock".to_owned()), "{way:?}");
        assert!(table().way("gh pr view").unwrap().network);
        assert_eq!(table().way("ls"), None);
        assert_eq!(table().way("ps").unwrap().needs().collect::<Vec<_>>(), [Need::Processes]);
    }
}
