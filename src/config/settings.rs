//! What the configuration says, typed. No secret is in here in the clear, and none comes out by `Debug`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::file;
use super::{Connection, Environment, Folders, KeySource, Problem};
use crate::domain::{ApprovalMode, Policy, Rule};

/// A sort of model provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProviderKind {
    /// Any endpoint that speaks OpenAI's format.
    Openai,
    /// Anthropic.
    Anthropic,
    /// Ollama.
    Ollama,
    /// The built-in practice model.
    Practice,
}

impl ProviderKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Openai, Self::Anthropic, Self::Ollama, Self::Practice];

    /// The word that is configured and shown.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
            Self::Practice => "practice",
        }
    }

    /// The variable that usually holds its key.
    #[must_use]
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Openai => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Ollama | Self::Practice => None,
        }
    }

    /// The variable that usually holds its address.
    #[must_use]
    pub fn address_variable(self) -> Option<&'static str> {
        match self {
            Self::Openai => Some("OPENAI_BASE_URL"),
            Self::Anthropic => Some("ANTHROPIC_BASE_URL"),
            Self::Ollama => Some("OLLAMA_HOST"),
            Self::Practice => None,
        }
    }
}

/// How to reach one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// Who serves it.
    pub kind: ProviderKind,
    /// Where, if not at the provider's usual address.
    pub base_url: Option<String>,
    /// The provider's name of the model; none means its default.
    pub model: Option<String>,
    /// Where the key comes from.
    pub key: KeySource,
}

impl ModelSettings {
    /// The provider's usual place, without a model or a key of its own.
    #[must_use]
    pub fn of(kind: ProviderKind) -> Self {
        Self { kind, base_url: None, model: None, key: KeySource::Usual }
    }
}

/// What one run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Default time limit of a command, a query or a request, in seconds.
    pub time_limit: u64,
    /// How much of an operation's output is kept, in bytes.
    pub output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time_limit: 120, output: 4 * 1024 * 1024 }
    }
}

/// Everything that the configuration file can say.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The mode.
    pub mode: ApprovalMode,
    /// The model that is used: `[provider]`, or the named one that `model` chooses. None means that the
    /// environment decides, and practice takes over where it says nothing.
    pub provider: Option<ModelSettings>,
    /// Models by name.
    pub models: BTreeMap<String, ModelSettings>,
    /// Databases by name.
    pub connections: BTreeMap<String, Connection>,
    /// Names of the connections that the command line opened.
    pub opened: Vec<String>,
    /// The connection that is used when none is named.
    pub default_connection: Option<String>,
    /// Globs of further sensitive paths.
    pub sensitive: Vec<String>,
    /// Hosts that the person named.
    pub hosts: BTreeSet<String>,
    /// True if catastrophes ask, rather than being denied.
    pub catastrophes_ask: bool,
    /// Rules, none of them objectionable.
    pub rules: Vec<Rule>,
    /// Limits of one run.
    pub limits: Limits,
    /// Name of the theme.
    pub theme: Option<String>,
    /// A keymap of the person's own.
    pub keymap: Option<PathBuf>,
}

impl Settings {
    /// Reads the configuration file. With any problem the mode is strict, and what would loosen anything is
    /// left out: allow rules and the line about catastrophes.
    #[must_use]
    pub fn load(folders: &Folders) -> (Self, Vec<Problem>) {
        let text = match file::read(&folders.config) {
            Ok(Some(text)) => text,
            Ok(None) if folders.config_named => {
                let sentence = "there is no such file. Create it, or leave `--config` and COUNTERSIGN_CONFIG away.";
                return (Self::strict(), vec![Problem::whole(&folders.config, sentence)]);
            }
            Ok(None) => return (Self::default(), Vec::new()),
            Err(problem) => return (Self::strict(), vec![problem]),
        };
        Self::parse(&text, folders)
    }

    /// The settings that ask for everything.
    fn strict() -> Self {
        Self { mode: ApprovalMode::Strict, ..Self::default() }
    }

    /// What the gate decides by.
    #[must_use]
    pub fn policy(&self) -> Policy {
        Policy {
            mode: self.mode,
            rules: self.rules.clone(),
            deny_catastrophes: !self.catastrophes_ask,
            named_hosts: self.hosts.clone(),
        }
    }

    /// Globs of sensitive paths: the configured ones and the program's own places.
    #[must_use]
    pub fn sensitive_globs(&self, folders: &Folders) -> Vec<String> {
        self.sensitive.iter().cloned().chain(folders.own_globs()).collect()
    }

    /// The model to use: the configured one, else the one that the environment points to, else practice.
    /// An address in the usual variable counts where the configuration names none.
    #[must_use]
    pub fn model(&self, environment: Environment<'_>) -> ModelSettings {
        let mut model = self.provider.clone().unwrap_or_else(|| {
            let found = ProviderKind::ALL.into_iter().find(|kind| {
                let variables = [kind.key_variable(), kind.address_variable()];
                variables.into_iter().flatten().any(|variable| environment(variable).is_some())
            });
            ModelSettings::of(found.unwrap_or(ProviderKind::Practice))
        });
        if model.base_url.is_none() {
            model.base_url = model.kind.address_variable().and_then(environment);
        }
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_configured_model_the_environment_decides_and_then_practice() {
        let settings = Settings::default();
        assert_eq!(settings.model(&|_| None).kind, ProviderKind::Practice);
        let ollama = |name: &str| (name == "OLLAMA_HOST").then(|| "127.0.0.1:11434".to_owned());
        assert_eq!(settings.model(&ollama).base_url.as_deref(), Some("127.0.0.1:11434"));
        let key = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "k".to_owned());
        assert_eq!(settings.model(&key), ModelSettings::of(ProviderKind::Anthropic));
        let configured = Settings { provider: Some(ModelSettings::of(ProviderKind::Ollama)), ..Settings::default() };
        assert_eq!(configured.model(&key).kind, ProviderKind::Ollama);
    }
}
