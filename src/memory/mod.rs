//! What the person decided for later, kept in files of the program's own data folder: remembered rules, the folders
//! they work in, the settings of a workspace that they trust, the theme. Each file is read whole, changed under a lock, and put in
//! place whole, readable by its owner alone. Called by `cli` and `runtime`.

mod file;
mod folders;
mod instructions;
mod rules;
mod theme;
mod trust;

pub use folders::Workspaces;
pub use instructions::{Instructions, inside, instructions};
pub use rules::Rules;
pub use theme::ThemeChoice;
pub use trust::Trusted;

/// What can fail around these files.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A file of the data folder can't be read or written.
    #[error("{0} can't be used ({1})")]
    File(String, std::io::Error),
    /// A file isn't what it should be.
    #[error("{0}")]
    Broken(String),
}
