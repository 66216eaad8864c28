//! Finds a provider in the usual environment variables. Pure: the caller hands in the lookup.

use secrecy::SecretString;

use super::settings::{ProviderKind, ProviderSettings};

/// Port that Ollama listens on unless told otherwise.
const OLLAMA_PORT: &str = "11434";

/// The provider that the environment names, if it names one. A key or a base URL is enough; with several, the
/// first of OpenAI, Anthropic, Gemini, Ollama is taken.
pub fn detect(env: &dyn Fn(&str) -> Option<String>) -> Option<ProviderSettings> {
    let env = |name: &str| env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    keyed(ProviderKind::OpenAi, "OPENAI_BASE_URL", &env)
        .or_else(|| keyed(ProviderKind::Anthropic, "ANTHROPIC_BASE_URL", &env))
        .or_else(|| keyed(ProviderKind::Gemini, "GEMINI_BASE_URL", &env))
        .or_else(|| ollama(&env))
}

/// A provider by its key, its base URL, or both.
fn keyed(kind: ProviderKind, base: &str, env: &dyn Fn(&str) -> Option<String>) -> Option<ProviderSettings> {
    let (key, base_url) = (env(kind.key_variable()), env(base));
    (key.is_some() || base_url.is_some()).then(|| ProviderSettings {
        key: key.map(SecretString::from),
        base_url,
        ..ProviderSettings::new(kind)
    })
}

/// Ollama speaks OpenAI's format below `/v1`. Its variable holds what its server listens on, which may be
/// every address, a bare port or a bare host.
fn ollama(env: &dyn Fn(&str) -> Option<String>) -> Option<ProviderSettings> {
    let written = env("OLLAMA_HOST")?;
    let (scheme, rest) = written.split_once("://").unwrap_or(("http", &written));
    let (address, path) = rest.split_once('/').unwrap_or((rest, ""));
    let port_usual = match scheme {
        "https" => "443",
        _ if written.contains("://") => "80",
        _ => OLLAMA_PORT,
    };
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !port.is_empty() => (host, port),
        _ => (address, port_usual),
    };
    let host = match host {
        "" | "0.0.0.0" | "[::]" | "::" => "127.0.0.1",
        host => host,
    };
    Some(ProviderSettings {
        base_url: Some(format!("{scheme}://{host}:{port}/{path}")),
        ..ProviderSettings::new(ProviderKind::OpenAi)
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
        assert_eq!(settings.kind, ProviderKind::OpenAi);
        assert!(settings.key.is_none());
        assert_eq!(settings.base_url.as_deref(), Some("http://localhost:8080"));
    }

    #[test]
    fn a_key_chooses_its_maker() {
        assert_eq!(found(&[("ANTHROPIC_API_KEY", "k")]).unwrap().kind, ProviderKind::Anthropic);
        assert_eq!(found(&[("GEMINI_API_KEY", "k")]).unwrap().kind, ProviderKind::Gemini);
        let both = found(&[("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")]).unwrap();
        assert_eq!(both.kind, ProviderKind::OpenAi);
    }

    #[test]
    fn every_way_to_write_the_ollama_host_is_read() {
        for (written, base) in [
            ("127.0.0.1:11434", "http://127.0.0.1:11434/"),
            ("0.0.0.0", "http://127.0.0.1:11434/"),
            (":9000", "http://127.0.0.1:9000/"),
            ("box", "http://box:11434/"),
            ("http://box", "http://box:80/"),
            ("https://box.test/ollama", "https://box.test:443/ollama"),
            ("[::1]:11434", "http://[::1]:11434/"),
        ] {
            assert_eq!(found(&[("OLLAMA_HOST", written)]).unwrap().base_url.as_deref(), Some(base), "{written}");
        }
    }
}
