//! Which of the models can be used, for `countersign doctor`: whether their keys can be read and their servers answer.
//! Asks nobody beyond this machine unless that is wanted. No key is in what it tells.

use super::{Environment, KeySource, ModelSettings, ProviderName, Settings};
use crate::providers::{MAKERS, ProviderSettings, answers, found, models, try_out};

/// What is known of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// What it is called: its name in the configuration, or its provider.
    pub name: String,
    /// Whether a session would begin with it.
    pub used: bool,
    /// Where its key comes from, or why it can't be read; none where it needs none.
    pub key: Option<Result<String, String>>,
    /// What its server said; none where it wasn't asked, since it is on another machine.
    pub answer: Option<Result<String, String>>,
}

impl Reach {
    /// Whether a session can't work because of it.
    #[must_use]
    pub fn broken(&self) -> bool {
        self.used && (matches!(self.key, Some(Err(_))) || matches!(self.answer, Some(Err(_))))
    }
}

impl Settings {
    /// The model that a session would begin with, and every other of the configuration. With `connect`, those on
    /// other machines are asked too.
    pub async fn reach(&self, environment: Environment<'_>, connect: bool) -> Vec<Reach> {
        let used = self.in_use(environment);
        let mut reached = Vec::new();
        if used.kind != ProviderName::Practice {
            reached.push(reach(used.kind.word(), &used, true, environment, connect).await);
        }
        for (name, model) in self.models.iter().filter(|(_, model)| **model != used) {
            reached.push(reach(name, model, false, environment, connect).await);
        }
        reached
    }
}

async fn reach(name: &str, model: &ModelSettings, used: bool, environment: Environment<'_>, connect: bool) -> Reach {
    let model_name = model.model.as_deref().map(|model| format!(" {model}")).unwrap_or_default();
    let name = format!("{name}{model_name}");
    let ProviderName::Of(maker) = model.kind else {
        return Reach { name, used, key: None, answer: Some(Ok("built in".to_owned())) };
    };
    let (settings, key) = match model.provider(environment).await {
        Ok(Some(settings)) => {
            let source = model.key.told(maker.key);
            let key = match (&settings.key, &model.key, maker.key) {
                (Some(_), _, _) => Some(Ok(source)),
                (None, KeySource::Usual, Some(variable)) if !settings.local() && settings.base_url.is_none() => {
                    Some(Err(format!("{variable} is not set")))
                }
                (None, ..) => None,
            };
            (settings, key)
        }
        Ok(None) => return Reach { name, used, key: None, answer: None },
        Err(error) => return Reach { name, used, key: Some(Err(error.to_string())), answer: None },
    };
    let lacks = matches!(key, Some(Err(_)));
    let answer = match (settings.local(), connect) {
        _ if lacks => None,
        (false, false) => None,
        (true, _) | (_, true) if used => Some(
            try_out(settings).await.map(|said| format!("{} answers", said.label)).map_err(|failure| failure.message),
        ),
        _ => Some(
            models(settings)
                .await
                .map(|listed| format!("answers, {}", crate::domain::number::count(listed.len(), "model")))
                .map_err(|failure| failure.message),
        ),
    };
    Reach { name, used, key, answer }
}

/// Servers of models that answer on this machine, and keys that the environment has: each in a few words.
pub async fn around(environment: Environment<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for maker in &MAKERS {
        let set = found(maker, environment);
        if maker.local() {
            let here = set.unwrap_or_else(|| ProviderSettings::of(maker));
            let place = here.base_url.clone().unwrap_or_else(|| maker.home.to_owned());
            if let Some(listed) = answers(here).await {
                let models = crate::domain::number::count(listed.len(), "model");
                lines.push(format!("{} answers at {}, {models}", maker.name, super::mask_url(&place)));
            }
        } else if let (Some(variable), Some(_)) = (maker.key, set.and_then(|set| set.key)) {
            lines.push(format!("{}: {variable} is set", maker.name));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_key_that_cannot_be_read_is_said_and_nobody_elsewhere_is_asked() {
        let _already = rustls::crypto::ring::default_provider().install_default();
        let named = |word: &str| ModelSettings::of(ProviderName::named(word).unwrap());
        let gone = ModelSettings { key: KeySource::Variable("GONE".to_owned()), ..named("openai") };
        let mut settings = Settings { provider: Some(gone), ..Settings::default() };
        settings.models.insert("far".to_owned(), named("anthropic"));
        let environment = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "sk-hunter2".to_owned());
        let reached = settings.reach(&environment, false).await;
        assert!(reached[0].broken() && matches!(&reached[0].key, Some(Err(why)) if why.contains("GONE")));
        assert_eq!(reached[1].key, Some(Ok("ANTHROPIC_API_KEY".to_owned())));
        assert_eq!(reached[1].answer, None);
        assert!(!format!("{reached:?}").contains("hunter2"));
    }

    #[tokio::test]
    async fn a_server_here_that_does_not_answer_breaks_only_the_model_in_use() {
        let _already = rustls::crypto::ring::default_provider().install_default();
        let base_url = Some("http://127.0.0.1:9/v1".to_owned());
        let model = ModelSettings {
            base_url,
            model: Some("m".to_owned()),
            ..ModelSettings::of(ProviderName::named("llamacpp").unwrap())
        };
        let mut settings = Settings::default();
        settings.models.insert("near".to_owned(), model.clone());
        let reached = settings.reach(&|_| None, false).await;
        assert!(matches!(&reached[..], [only] if !only.broken() && matches!(only.answer, Some(Err(_)))), "{reached:?}");
        settings.provider = Some(model);
        assert!(settings.reach(&|_| None, false).await[0].broken());
    }
}
