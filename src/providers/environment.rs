//! Finds a provider in the usual environment variables. Pure: the caller, the configuration, hands in the lookup.

use secrecy::SecretString;

use super::makers::{MAKERS, Maker};
use super::settings::{ProviderKind, ProviderSettings, ollama};

/// The provider that the environment names, if it names one. A key or an address is enough; with several, the first
/// in the list of makers is taken.
pub fn detect(env: &dyn Fn(&str) -> Option<String>) -> Option<ProviderSettings> {
    MAKERS.iter().find_map(|maker| found(maker, env))
}

/// A maker's service, if the environment has its key, its address, or both.
pub fn found(maker: &'static Maker, env: &dyn Fn(&str) -> Option<String>) -> Option<ProviderSettings> {
    let env = |name: &str| env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let (key, base_url) = (maker.key.and_then(env), maker.address.and_then(env));
    (key.is_some() || base_url.is_some()).then(|| ProviderSettings {
        key: key.map(SecretString::from),
        base_url: base_url.map(|url| if maker.kind == ProviderKind::Ollama { ollama(&url) } else { url }),
        ..ProviderSettings::of(maker)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pairs: &[(&str, &str)]) -> Option<ProviderSettings> {
        detect(&|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn nothing_set_finds_nothing() {
        assert!(found(&[]).is_none());
        assert!(found(&[("OPENAI_API_KEY", " ")]).is_none());
    }

    #[test]
    fn a_base_url_alone_is_enough_for_a_local_server() {
        let settings = found(&[("OPENAI_BASE_URL", "http://localhost:8080")]).unwrap();
        assert_eq!(settings.kind(), ProviderKind::OpenAi);
        assert!(settings.key.is_none());
        assert_eq!(settings.base_url.as_deref(), Some("http://localhost:8080"));
    }

    #[test]
    fn a_key_chooses_its_maker() {
        assert_eq!(found(&[("ANTHROPIC_API_KEY", "k")]).unwrap().kind(), ProviderKind::Anthropic);
        assert_eq!(found(&[("GEMINI_API_KEY", "k")]).unwrap().kind(), ProviderKind::Gemini);
        let both = found(&[("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")]).unwrap();
        assert_eq!(both.kind(), ProviderKind::OpenAi);
        let local = found(&[("OLLAMA_HOST", "0.0.0.0")]).unwrap();
        assert_eq!((local.kind(), local.base_url.as_deref()), (ProviderKind::Ollama, Some("http://127.0.0.1:11434/")));
    }
}
