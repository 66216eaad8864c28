//! What is kept on disk: the journal, one SQLite file of its own. Its owner is one task; everybody else holds
//! a [`Journal`] and waits for its word. Imports `domain` alone.

mod database;
mod error;
mod journal;

pub use error::JournalError;
pub use journal::Journal;
