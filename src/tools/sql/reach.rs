//! Whether a database can be reached at all: found out before anybody is asked about a statement for it.

use std::sync::PoisonError;

use super::address::Options;
use super::connections::{Connections, Source};
use super::error::SqlError;
use super::session::Access;

/// Seconds that a statement of a session may take that is made to see whether one can be had.
const LIMIT: u64 = 2;

impl Source {
    /// Whether there is nothing yet that could be reached: a file that its first use makes, or a database in memory.
    pub(super) fn is_unmade(&self) -> bool {
        match &self.database.address.options {
            Options::Sqlite(file) => file.create && file.path.as_ref().is_none_or(|path| !path.exists()),
            Options::Postgres(_) | Options::Mysql(_) => false,
        }
    }

    /// Finds out whether it can be reached, by what is to write too. Makes no file.
    async fn reach(&self, writes: bool) -> Result<(), SqlError> {
        if self.is_unmade() {
            return Ok(());
        }
        let session = self.take(Access::ReadOnly, LIMIT).await?;
        self.give_back(Access::ReadOnly, session).await;
        if writes && self.database.reading.is_some() {
            self.connect(Access::Full, LIMIT).await?;
        }
        Ok(())
    }
}

impl Connections {
    /// Finds out whether a connection can be reached, by what is to write too. Makes no file.
    ///
    /// # Errors
    /// It can't be, in full sentences that say what to do.
    pub async fn reach(&self, name: &str, writes: bool) -> Result<(), String> {
        let Ok(source) = self.find(name) else { return Ok(()) };
        source.reach(writes).await.map_err(|error| error.advised())
    }

    /// Whether a connection was reached when it was last needed; none before.
    #[must_use]
    pub fn reached(&self, name: &str) -> Option<bool> {
        *self.find(name).ok()?.reached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file of a connection that is not there, nor would be made, told in full sentences.
    #[must_use]
    pub fn missing(&self, name: &str) -> Option<String> {
        let missing = self.address(name)?.missing()?;
        Some(SqlError::NoFile(missing.display().to_string()).advised())
    }
}
