//! Which model is used: what the file and the command line say of one, what the environment adds, and what
//! the providers need to be told in the end.

use super::{ConfigError, Environment, KeySource, Settings};
use crate::providers::{ProviderKind, ProviderSettings, detect};

/// Address of an Ollama on this machine.
const OLLAMA: &str = "127.0.0.1:11434";

/// A provider by the word that people write. More words than wire formats: Ollama speaks OpenAI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProviderName {
    /// OpenAI, or any endpoint that speaks its format.
    Openai,
    /// Anthropic.
    Anthropic,
    /// Google Gemini.
    Gemini,
    /// Ollama.
    Ollama,
    /// The built-in practice model.
    Practice,
}

impl ProviderName {
    /// Every name.
    pub const ALL: [Self; 5] = [Self::Openai, Self::Anthropic, Self::Gemini, Self::Ollama, Self::Practice];

    /// The word that is configured and shown.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Practice => "practice",
        }
    }

    /// The provider without a model, address or key of its own: where its usual variables or its maker say.
    fn usual(self, environment: Environment<'_>) -> Option<ProviderSettings> {
        let (kind, address) = match self {
            Self::Practice => return None,
            Self::Ollama => {
                let host = environment("OLLAMA_HOST").unwrap_or_else(|| OLLAMA.to_owned());
                return detect(&|name| (name == "OLLAMA_HOST").then(|| host.clone()));
            }
            Self::Openai => (ProviderKind::OpenAi, "OPENAI_BASE_URL"),
            Self::Anthropic => (ProviderKind::Anthropic, "ANTHROPIC_BASE_URL"),
            Self::Gemini => (ProviderKind::Gemini, "GEMINI_BASE_URL"),
        };
        Some(ProviderSettings { base_url: environment(address), ..ProviderSettings::new(kind) })
    }

    /// The variable that usually holds its key.
    fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Openai => Some(ProviderKind::OpenAi.key_variable()),
            Self::Anthropic => Some(ProviderKind::Anthropic.key_variable()),
            Self::Gemini => Some(ProviderKind::Gemini.key_variable()),
            Self::Ollama | Self::Practice => None,
        }
    }
}

/// How to reach one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// Who serves it.
    pub kind: ProviderName,
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
    pub fn of(kind: ProviderName) -> Self {
        Self { kind, base_url: None, model: None, key: KeySource::Usual }
    }

    /// What the provider needs to be told; none for the practice model. Reads the key.
    async fn provider(&self, environment: Environment<'_>) -> Result<Option<ProviderSettings>, ConfigError> {
        let Some(mut settings) = self.kind.usual(environment) else { return Ok(None) };
        settings.key = self.key.read(self.kind.key_variable(), environment).await?;
        match &self.key {
            KeySource::Usual => {}
            KeySource::Variable(name) => settings.key_source.clone_from(name),
            KeySource::Command(_) => "the key command".clone_into(&mut settings.key_source),
        }
        if self.base_url.is_some() {
            settings.base_url.clone_from(&self.base_url);
        }
        settings.model.clone_from(&self.model);
        Ok(Some(settings))
    }
}

/// The model of a session.
#[derive(Clone, Debug)]
pub enum ChosenModel {
    /// The built-in one: it was asked for, or nothing else is configured.
    Practice,
    /// One behind a provider.
    Provider(ProviderSettings),
}

impl Settings {
    /// Whether a model is named, rather than practice standing in where there is none.
    #[must_use]
    pub fn names_a_model(&self, environment: Environment<'_>) -> bool {
        self.provider.is_some() || detect(environment).is_some()
    }

    /// The model to use: the one of the command line or the file, else the one that the environment's usual
    /// variables point to, else practice. Reads its key, which may run a key command: call it before the
    /// screen opens.
    ///
    /// # Errors
    /// The key can't be read. Practice never stands in for a model that was configured.
    pub async fn chosen_model(&self, environment: Environment<'_>) -> Result<ChosenModel, ConfigError> {
        let found = match &self.provider {
            Some(model) => model.provider(environment).await?,
            None => detect(environment),
        };
        Ok(found.map_or(ChosenModel::Practice, ChosenModel::Provider))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    async fn chosen(provider: Option<ModelSettings>, variables: &[(&str, &str)]) -> Option<ProviderSettings> {
        let settings = Settings { provider, ..Settings::default() };
        let lookup = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        match settings.chosen_model(&lookup).await.unwrap() {
            ChosenModel::Practice => None,
            ChosenModel::Provider(settings) => Some(settings),
        }
    }

    #[tokio::test]
    async fn without_a_configured_model_the_environment_decides_and_then_practice() {
        assert!(chosen(None, &[]).await.is_none());
        assert_eq!(chosen(None, &[("ANTHROPIC_API_KEY", "k")]).await.unwrap().kind, ProviderKind::Anthropic);
        let configured = ModelSettings::of(ProviderName::Ollama);
        let settings = chosen(Some(configured), &[("ANTHROPIC_API_KEY", "k")]).await.unwrap();
        assert!(settings.base_url.unwrap().starts_with("http://127.0.0.1:11434") && settings.key.is_none());
        assert!(chosen(Some(ModelSettings::of(ProviderName::Practice)), &[("OPENAI_API_KEY", "k")]).await.is_none());
    }

    #[tokio::test]
    async fn a_configured_model_takes_key_and_address_from_the_usual_variables_where_it_names_none() {
        let variables = [("OPENAI_API_KEY", "k-1"), ("OPENAI_BASE_URL", "http://127.0.0.1:1"), ("TEAM_KEY", "k-2")];
        let model = ModelSettings::of(ProviderName::Openai);
        let settings = chosen(Some(model.clone()), &variables).await.unwrap();
        assert_eq!(settings.key.unwrap().expose_secret(), "k-1");
        assert_eq!(settings.base_url.as_deref(), Some("http://127.0.0.1:1"));
        let key = KeySource::Variable("TEAM_KEY".to_owned());
        let model = ModelSettings { base_url: Some("https://x.example".to_owned()), key, ..model };
        let settings = chosen(Some(model), &variables).await.unwrap();
        assert_eq!(settings.key.unwrap().expose_secret(), "k-2");
        assert_eq!(
            (settings.base_url.as_deref(), settings.key_source.as_str()),
            (Some("https://x.example"), "TEAM_KEY")
        );
    }

    #[tokio::test]
    async fn a_key_that_cannot_be_read_is_an_error_and_never_practice() {
        let key = KeySource::Variable("GONE".to_owned());
        let provider = Some(ModelSettings { key, ..ModelSettings::of(ProviderName::Openai) });
        let settings = Settings { provider, ..Settings::default() };
        let error = settings.chosen_model(&|_| None).await.unwrap_err();
        assert!(error.to_string().contains("GONE, which is not set"), "{error}");
    }
}
