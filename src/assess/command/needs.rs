//! What a run of a reading program needs beyond reading files: the network, or the sockets of a daemon. The rule
//! files say it of each entry; a subcommand's daemon listens where its program's does.

use serde::Deserialize;

use super::table::Table;

/// What an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Needs {
    Daemon,
    Network,
}

/// A way out of containment that a reader needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way<'t> {
    /// Whether it connects to other machines, or to servers of this one.
    pub(super) network: bool,
    /// Sockets, or folders of them, any of which it may connect to. `$HOME`, `$UID`, `$XDG_RUNTIME_DIR` and
    /// `$TMUX_TMPDIR` stand for the person's.
    pub(super) sockets: &'t [String],
}

impl Table {
    /// The way out that a reader needs, by its name in the table (`docker ps`).
    pub(super) fn way(&self, reader: &str) -> Option<Way<'_>> {
        let entry = self.entry(reader)?;
        let program = reader.split(' ').next().and_then(|program| self.entry(program));
        let of_program = program.map(|program| program.sockets.as_slice()).unwrap_or_default();
        let sockets = if entry.sockets.is_empty() { of_program } else { &entry.sockets };
        Some(Way { network: entry.needs? == Needs::Network, sockets })
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::table;

    #[test]
    fn every_daemon_has_a_place_where_it_listens() {
        for name in table().names() {
            let Some(way) = table().way(name) else { continue };
            assert!(way.network || !way.sockets.is_empty(), "where the daemon of `{name}` listens isn't said");
            for socket in way.sockets {
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
    }
}
