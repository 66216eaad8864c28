//! Models behind one small trait: a request in, a stream of events out. Dropping the stream cancels it.
//! May reach the network and knows nothing of tools, gate or screen. The runtime makes one provider at the
//! start, from settings that the config file, the flags or the environment gave.

mod completions;
mod environment;
mod failure;
mod frames;
mod makers;
mod practice;
pub mod prompt;
mod remote;
mod reply;
mod settings;
mod wire;

use std::sync::Arc;

use futures::stream::BoxStream;

use crate::domain::{ModelEvent, ModelRequest, Prices};

pub use environment::{detect, found};
pub use makers::{MAKERS, Maker};
pub use practice::{Practice, PracticeWorld, WorldError};
pub use remote::{Answered, Listed, answers, models, try_out};
pub use settings::{ProviderKind, ProviderSettings};

/// A model at a provider.
pub trait Provider: Send + Sync {
    /// Name for the status line, such as `gpt-5 (openai)`.
    fn label(&self) -> String;

    /// Whether messages and results leave this machine.
    fn remote(&self) -> bool;

    /// Tokens that one request may hold, as far as that is known; rather too few. May grow once the server was asked.
    fn context(&self) -> u64;

    /// What its tokens cost, where the configuration says so.
    fn prices(&self) -> Option<Prices>;

    /// Starts one request. The stream ends with exactly one `Ended` or `Failed`; dropping it cancels.
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent>;
}

/// Why no provider can be made of some settings.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The base URL can't be used.
    #[error("the base URL `{url}` can't be used: {reason}. Give one such as http://localhost:11434/v1")]
    BaseUrl {
        /// What the person wrote, without user and password.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The provider's own service needs a key and there is none.
    #[error(
        "{host} needs a key. Set {variable}, or name where it is kept (key_env, key_command or key_keyring) in the configuration, and start again"
    )]
    NoKey {
        /// The service.
        host: String,
        /// The environment variable to set.
        variable: &'static str,
    },
    /// A practice session that can't be read.
    #[error("the session {place} can't be used: {reason}")]
    Session {
        /// The file, or what was read.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A provider that speaks to what the settings name. Builds no client yet: the first request does.
pub fn from_settings(settings: ProviderSettings) -> Result<Arc<dyn Provider>, ProviderError> {
    Ok(Arc::new(remote::Remote::new(settings)?))
}
