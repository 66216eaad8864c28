//! What is kept on disk: the journal, one SQLite file of its own, whose owner is one task; everybody else holds
//! a [`Journal`] and waits for its word. Beside it the [`Images`] for undo, the [`Layers`] of
//! staged runs, the [`Outputs`] of what ran and the composer's [`History`] and [`Unsent`] text. Imports `domain` alone.

mod archive;
mod chain;
mod claims;
mod database;
mod error;
mod expire;
mod hidden;
mod history;
mod images;
mod journal;
mod layers;
mod line;
mod log;
mod migrate;
mod outputs;
mod recorded;
mod rows;
mod secrets;
mod unsent;
mod verify;

#[cfg(test)]
mod chain_tests;

pub use archive::{Archive, Content, Listed, Stored, Wanted, goes_by, remove_beside, short};
pub use claims::{Claims, Taken};
pub use error::JournalError;
pub use expire::expire;
pub use history::History;
pub use images::{Images, LARGEST as LARGEST_IMAGE, digest, prune};
pub use journal::{AGENT, Journal, Kept, Session};
pub use layers::{Held, Layer, Layers, prune_layers};
pub use line::Line;
pub use outputs::{Outputs, Spool, copy, prune_outputs};
pub use recorded::{Decided, Page, Recorded, Untold};
pub use rows::RowSpool;
pub use unsent::Unsent;
pub use verify::{Broken, Flaw, Walk};
