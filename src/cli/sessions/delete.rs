//! Deleting sessions: what was said and printed in them goes, with the files beside; the chain stays whole.

use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;

use super::{Desk, attended, journal, named, wrong};
use crate::config::ConfigError;
use crate::domain::{Forgetting, number};
use crate::store::{Claims, Listed, remove_beside};
use crate::ui::plain;

impl Desk {
    pub(super) async fn delete(&mut self, ids: &[String], yes: bool) -> Result<ExitCode, ConfigError> {
        // All are there, or none is deleted.
        let chosen: Vec<Listed> =
            ids.iter().map(|id| named(&self.sessions, id).cloned()).collect::<Result<_, ConfigError>>()?;
        let claims = Claims::open(&self.folders.data).map_err(|error| wrong(error.to_string()))?;
        for listed in &chosen {
            let taken = claims.claim(&listed.id).map_err(|error| wrong(error.to_string()))?;
            taken.map_err(|taken| wrong(format!("the session {} can't be deleted: {taken}", listed.short())))?;
        }
        if !yes && !self.confirmed(&chosen)? {
            crate::say!("Nothing was deleted.");
            return Ok(ExitCode::FAILURE);
        }
        for listed in &chosen {
            let entries = self.archive.forget(&listed.id, Forgetting::Person).await.map_err(journal)?;
            remove_beside(&listed.id, &self.folders.of_sessions()).map_err(|error| wrong(error.to_string()))?;
            let entries = number::thousands(entries);
            super::say(&format!("Deleted {}: the contents of {entries} entries, and its files.\n", listed.short()));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn confirmed(&self, chosen: &[Listed]) -> Result<bool, ConfigError> {
        if !attended() {
            return Err(wrong("nobody is there to confirm it: add --yes to delete all the same".to_owned()));
        }
        // What isn't shown isn't confirmed.
        let mut shown = io::stderr();
        let told = |error: io::Error| wrong(error.to_string());
        for listed in chosen {
            writeln!(shown, "{:8}  {}", listed.short(), plain(&self.title(listed))).map_err(told)?;
        }
        let sessions = number::count(chosen.len(), "session");
        write!(shown, "Delete {sessions}? It can't be undone. Type yes: ").map_err(told)?;
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map_err(|error| wrong(error.to_string()))?;
        Ok(line.trim() == "yes")
    }
}
