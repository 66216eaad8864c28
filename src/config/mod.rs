//! Finds and reads the configuration file and the environment into [`Settings`]. A file that can't be used
//! as it is never stops the program: everything asks then, and the [`Problem`]s say what to correct.
//! Reads one file and may run a key command; decides nothing, and prints no secret. Called by `cli`.

mod connection;
mod file;
mod folders;
mod keyring;
mod model;
mod overrides;
mod parse;
mod problem;
mod programs;
mod reach;
mod reader;
mod rules;
mod secret;
mod settings;
mod show;
mod switch;
mod workspace;
mod write;

pub use connection::Connection;
pub use folders::{Environment, Folders, process_environment};
pub use keyring::keeping;
pub use model::{ChosenModel, ModelSettings, ProviderName};
pub use overrides::Overrides;
pub use parse::{KEYMAPS, THEMES};
pub use problem::Problem;
pub use programs::{chosen_editor, chosen_pager};
pub use reach::{Reach, around};
pub use secret::{KeySource, UrlSource, mask_url};
pub use settings::{Limits, Notify, Production, Retention, Settings};
pub use workspace::{Brought, stricter};

/// What can fail for good around the configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// No home folder, and no variable that stands in for it.
    #[error("your home folder is not known; set HOME, or COUNTERSIGN_CONFIG (a file) and COUNTERSIGN_DATA (a folder)")]
    NoHome,
    /// A variable that the configuration names isn't set.
    #[error("{what} is to be read from the variable {variable}, which is not set; set it and start again")]
    Unset {
        /// What needs it.
        what: String,
        /// The variable.
        variable: String,
    },
    /// A key command failed. What it printed is never shown.
    #[error("the key command {program} {how}; run it in a shell to see why")]
    KeyCommand {
        /// Its program.
        program: String,
        /// What happened.
        how: String,
    },
    /// The system's keyring gave no key.
    #[error("the keyring has no key for `{service}` ({how}). Put one there: {keeping}")]
    Keyring {
        /// Its name there.
        service: String,
        /// What happened.
        how: String,
        /// The command that puts a key there.
        keeping: String,
    },
    /// An option of the command line doesn't fit the configuration.
    #[error("{0}")]
    Option(String),
}
