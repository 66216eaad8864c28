//! The program's own files that decide: configuration, rules, trusted settings, servers. A command that a person approves
//! runs with their rights, and no wall keeps it from writing them under a name that its text doesn't show. So they are
//! looked at before and after, and what changed meanwhile doesn't count until the person looked at it.

use std::path::{Path, PathBuf};

use tokio::task::spawn_blocking;

use crate::private::{Run, Touched};

/// Most letters of a command that are told of it later.
const TOLD: usize = 80;

/// The files, and the folder that remembers which of them were changed.
#[derive(Clone, Debug, Default)]
pub struct OwnFiles(Option<(Vec<PathBuf>, Touched)>);

/// What each of them held.
#[derive(Debug)]
pub(super) struct Before(Option<(Run, Touched)>);

impl OwnFiles {
    /// These files, and the data folder.
    #[must_use]
    pub fn new(files: Vec<PathBuf>, data: &Path) -> Self {
        Self(Some((files, Touched::at(data))))
    }

    /// Looks what they hold, right before `command` runs; or says why it must not run.
    pub(super) async fn look(&self, command: &str) -> Result<Before, String> {
        let Some((files, touched)) = self.0.clone() else { return Ok(Before(None)) };
        let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
        let mut gist: String = command.chars().map(plain).take(TOLD).collect();
        if gist.len() < command.len() {
            gist.push('…');
        }
        let begun = spawn_blocking(move || Ok((touched.begin(&files, &format!("`{gist}`"))?, touched))).await;
        begun.unwrap_or_else(|error| Err(std::io::Error::other(error))).map(|run| Before(Some(run))).map_err(
            |error: std::io::Error| {
                format!("it was not run, as what Countersign's own files hold before it can't be written down: {error}")
            },
        )
    }
}

impl Before {
    /// What the person is told where any of them changed since.
    pub(super) async fn told(self) -> Option<String> {
        let (run, touched) = self.0?;
        let ended = spawn_blocking(move || touched.end(&run)).await;
        match ended.unwrap_or_else(|error| Err(std::io::Error::other(error))) {
            Ok(noted) if noted.is_empty() => None,
            Ok(noted) => {
                let names: Vec<String> = noted.iter().map(|file| file.display().to_string()).collect();
                Some(format!(
                    "Countersign's own files changed while it ran: {}. This session goes on by what it read before. \
                     From the next on nothing in them counts, and everything asks, until you looked at them and ran \
                     `countersign config accept`.",
                    names.join(", ")
                ))
            }
            Err(error) => Some(format!(
                "Countersign's own files changed while it ran. That can't be written down ({error}), and they may \
                 hold from the next start on: look at configuration, rules, trust and MCP servers before that."
            )),
        }
    }
}
