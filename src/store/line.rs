//! One entry of the journal in the form of its table.

use super::JournalError;
use super::hidden::noted;
use super::journal::milliseconds;
use crate::domain::{Finder, JournalEntry};

/// One entry as it is stored.
#[derive(Debug)]
pub struct Line {
    pub(super) at_ms: i64,
    pub(super) operation: Option<i64>,
    pub(super) event: &'static str,
    pub(super) body: String,
    /// What its session may be called from now on.
    pub(super) title: Option<String>,
}

impl Line {
    /// An entry in the form of the table.
    ///
    /// # Errors
    /// It can't be expressed; that says nothing of any other.
    pub fn of(entry: &JournalEntry) -> Result<Self, JournalError> {
        Self::made(entry, None)
    }

    /// The same with a note of where secrets stand in it. What lists say of the session has them masked.
    ///
    /// # Errors
    /// As for [`Line::of`].
    pub fn hiding(entry: &JournalEntry, secrets: Finder<'_>) -> Result<Self, JournalError> {
        Self::made(entry, Some(secrets))
    }

    fn made(entry: &JournalEntry, secrets: Option<Finder<'_>>) -> Result<Self, JournalError> {
        let wrong = |error: &dyn std::fmt::Display| JournalError::Entry(error.to_string());
        let body = serde_json::to_string(&entry.event).map_err(|error| wrong(&error))?;
        let operation = entry.operation.map(|id| i64::try_from(id.0)).transpose().map_err(|error| wrong(&error))?;
        let title = entry.event.title(secrets.unwrap_or(&|_| Vec::new()));
        let mut body = match secrets {
            Some(secrets) => noted(body, secrets),
            None => body,
        };
        // A long answer waits here for the disk, in room for up to two of it.
        body.shrink_to_fit();
        Ok(Self { at_ms: milliseconds(), operation, event: entry.event.word(), body, title })
    }
}
