//! Another model while a session runs: which one a name means.

use super::problem::suggestion;
use super::{ConfigError, Environment, ModelSettings, ProviderName, Settings};
use crate::providers::detect;

impl Settings {
    /// The model that a name means: one of the configuration; `practice`; a provider, or `ollama:qwen3`; else the
    /// provider's own name of another model of the one that is `now` in use.
    ///
    /// # Errors
    /// It means none.
    pub fn meant(&self, name: &str, now: Option<&ModelSettings>) -> Result<ModelSettings, ConfigError> {
        if let Some(model) = self.models.get(name) {
            return Ok(model.clone());
        }
        let (word, model) = name.split_once(':').map_or((name, None), |(word, model)| (word, Some(model)));
        if let Some(kind) = ProviderName::named(word) {
            let base = self.provider.as_ref().filter(|provider| provider.kind == kind).cloned();
            let mut found = base.unwrap_or_else(|| ModelSettings::of(kind));
            if let Some(model) = model.filter(|model| !model.is_empty()) {
                found.model = Some(model.to_owned());
                (found.context, found.prices) = (None, None);
            }
            return Ok(found);
        }
        if let Some(now) = now.filter(|now| now.kind != ProviderName::Practice) {
            return Ok(ModelSettings { model: Some(name.to_owned()), context: None, prices: None, ..now.clone() });
        }
        let mut known: Vec<&str> = self.models.keys().map(String::as_str).collect();
        known.extend(ProviderName::all().map(|name| -> &str { name.word() }));
        let advice = suggestion(name, known.iter().copied());
        Err(ConfigError::Option(format!("There is no model `{name}`. {advice}")))
    }

    /// The model in use as settings: the configured one, else the one that the environment points to, else practice.
    #[must_use]
    pub fn in_use(&self, environment: Environment<'_>) -> ModelSettings {
        let found = || detect(environment).map(|found| ModelSettings::of(ProviderName::Of(found.maker)));
        self.provider.clone().or_else(found).unwrap_or_else(|| ModelSettings::of(ProviderName::Practice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_a_configured_model_a_provider_or_another_model_of_the_same_one() {
        let named = |word: &str| ModelSettings::of(ProviderName::named(word).unwrap());
        let mut settings = Settings::default();
        settings.models.insert("small".to_owned(), named("ollama"));
        let meant = |name: &str, now: Option<&ModelSettings>| {
            settings.meant(name, now).map(|model| (model.kind.word(), model.model)).map_err(|error| error.to_string())
        };
        assert_eq!(meant("small", None), Ok(("ollama", None)));
        assert_eq!(meant("practice", Some(&named("ollama"))), Ok(("practice", None)));
        assert_eq!(meant("ollama:qwen3:8b", None), Ok(("ollama", Some("qwen3:8b".to_owned()))));
        assert_eq!(meant("gpt-x", Some(&named("openai"))), Ok(("openai", Some("gpt-x".to_owned()))));
        assert_eq!(
            meant("smal", Some(&named("practice"))),
            Err("There is no model `smal`. Did you mean `small`?".to_owned())
        );
    }
}
