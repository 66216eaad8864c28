//! What is kept on disk: the journal, one SQLite file of its own, whose owner is one task; everybody else holds
//! a [`Journal`] and waits for its word. Beside it the [`Images`] for undo and the [`Layers`] of
//! staged runs. Imports `domain` alone.

mod database;
mod error;
mod images;
mod journal;
mod layers;

pub use error::JournalError;
pub use images::{Images, LARGEST as LARGEST_IMAGE, digest, prune};
pub use journal::{Journal, session_id};
pub use layers::{Held, Layer, Layers, prune_layers};
