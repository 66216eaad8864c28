//! Which model is used: what the file and the command line say of one, what the environment adds, and what
//! the providers need to be told in the end.

use super::{ConfigError, Environment, KeySource, Settings};
use crate::domain::Prices;
use crate::providers::{MAKERS, Maker, ProviderSettings, detect, found};

/// A provider by the word that people write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderName {
    /// The built-in practice model.
    Practice,
    /// One of those that serve models.
    Of(&'static Maker),
}

impl ProviderName {
    /// Every name; practice is the last.
    pub fn all() -> impl Iterator<Item = Self> {
        MAKERS.iter().map(Self::Of).chain([Self::Practice])
    }

    /// The word that is configured and shown.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Practice => "practice",
            Self::Of(maker) => maker.word,
        }
    }

    /// The provider of this word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::all().find(|name| name.word() == word)
    }

    /// OpenAI, or any endpoint that speaks its format.
    #[must_use]
    pub fn openai() -> Self {
        Self::Of(&MAKERS[0])
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
    /// Tokens that it takes.
    pub context: Option<u64>,
    /// What its tokens cost.
    pub prices: Option<Prices>,
}

impl ModelSettings {
    /// The provider's usual place, without a model or a key of its own.
    #[must_use]
    pub fn of(kind: ProviderName) -> Self {
        Self { kind, base_url: None, model: None, key: KeySource::Usual, context: None, prices: None }
    }

    /// What the provider needs to be told; none for the practice model. Reads the key, which may run a program.
    ///
    /// # Errors
    /// The key can't be read.
    pub async fn provider(&self, environment: Environment<'_>) -> Result<Option<ProviderSettings>, ConfigError> {
        let Some(mut settings) = self.keyless(environment) else { return Ok(None) };
        settings.key = self.key.read(settings.maker.key, environment).await?;
        Ok(Some(settings))
    }

    /// The same without reading the key.
    #[must_use]
    pub fn keyless(&self, environment: Environment<'_>) -> Option<ProviderSettings> {
        let ProviderName::Of(maker) = self.kind else { return None };
        let mut settings = found(maker, environment).unwrap_or_else(|| ProviderSettings::of(maker));
        settings.key = None;
        if self.key != KeySource::Usual {
            settings.key_source = self.key.told(maker.key);
        }
        if self.base_url.is_some() {
            settings.base_url.clone_from(&self.base_url);
        }
        settings.model.clone_from(&self.model);
        (settings.context, settings.prices) = (self.context, self.prices);
        Some(settings)
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
    use crate::providers::ProviderKind;
    use secrecy::ExposeSecret as _;

    fn named(word: &str) -> ProviderName {
        ProviderName::named(word).unwrap()
    }

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
        assert_eq!(chosen(None, &[("ANTHROPIC_API_KEY", "k")]).await.unwrap().kind(), ProviderKind::Anthropic);
        let configured = ModelSettings::of(named("ollama"));
        let settings = chosen(Some(configured), &[("ANTHROPIC_API_KEY", "k")]).await.unwrap();
        assert!(settings.maker.word == "ollama" && settings.local() && settings.key.is_none());
        assert!(chosen(Some(ModelSettings::of(ProviderName::Practice)), &[("OPENAI_API_KEY", "k")]).await.is_none());
    }

    #[tokio::test]
    async fn a_configured_model_takes_key_and_address_from_the_usual_variables_where_it_names_none() {
        let variables = [("OPENAI_API_KEY", "k-1"), ("OPENAI_BASE_URL", "http://127.0.0.1:1"), ("TEAM_KEY", "k-2")];
        let model = ModelSettings::of(ProviderName::openai());
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
        let provider = Some(ModelSettings { key, ..ModelSettings::of(ProviderName::openai()) });
        let settings = Settings { provider, ..Settings::default() };
        let error = settings.chosen_model(&|_| None).await.unwrap_err();
        assert!(error.to_string().contains("GONE, which is not set"), "{error}");
    }
}
