//! What a provider is made of: the wire format, where it is, which model, which key. Mends what people write
//! for a base URL. Reads nothing from outside; the config and the environment fill it in.

use std::net::IpAddr;
use std::time::Duration;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::ProviderError;
use super::makers::Maker;
use crate::domain::Prices;

/// The wire format of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// Chat completions: OpenAI, and what speaks like it (llama.cpp, vLLM, LM Studio, OpenRouter, …).
    OpenAi,
    /// Ollama, by its endpoint in OpenAI's format. Its address is written as in `OLLAMA_HOST`.
    Ollama,
    /// Anthropic messages.
    Anthropic,
    /// Google Gemini.
    Gemini,
}

impl ProviderKind {
    /// Its name in flags, config and status line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Whether it speaks OpenAI's format.
    pub(super) const fn speaks_openai(self) -> bool {
        match self {
            Self::OpenAi | Self::Ollama => true,
            Self::Anthropic | Self::Gemini => false,
        }
    }

    /// The version segment that its base URLs end in.
    const fn version(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Ollama | Self::Anthropic => "v1",
            Self::Gemini => "v1beta",
        }
    }

    /// What people paste after the base URL because a manual shows the whole address.
    const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi | Self::Ollama => &["/chat/completions", "/completions", "/models", "/responses"],
            Self::Anthropic => &["/messages", "/models"],
            Self::Gemini => &["/models"],
        }
    }
}

/// Everything needed to speak to one provider.
#[derive(Clone, Debug)]
pub struct ProviderSettings {
    /// Who serves it, and so the wire format.
    pub maker: &'static Maker,
    /// Where it is, as the person wrote it; none is the maker's own service.
    pub base_url: Option<String>,
    /// Which model; none asks the server for its first one, or the maker's usual one.
    pub model: Option<String>,
    /// The key, if it takes one.
    pub key: Option<SecretString>,
    /// Where the key came from, for messages: a variable's name or `the config file`.
    pub key_source: String,
    /// Longest silence that is waited for; none is 2 minutes, 10 for a model on this machine.
    pub patience: Option<Duration>,
    /// Tokens that the model takes, where the configuration says so.
    pub context: Option<u64>,
    /// What its tokens cost, where the configuration says so.
    pub prices: Option<Prices>,
}

impl ProviderSettings {
    /// The service of whoever made a wire format, without a key.
    #[must_use]
    pub fn new(kind: ProviderKind) -> Self {
        Self::of(kind.maker())
    }

    /// A maker's own service, without a key.
    #[must_use]
    pub fn of(maker: &'static Maker) -> Self {
        Self {
            maker,
            base_url: None,
            model: None,
            key: None,
            key_source: maker.key.unwrap_or("a key for it").to_owned(),
            patience: None,
            context: None,
            prices: None,
        }
    }

    /// The wire format.
    #[must_use]
    pub const fn kind(&self) -> ProviderKind {
        self.maker.kind
    }

    /// Whether it is on this machine. An address that can't be read isn't.
    #[must_use]
    pub fn local(&self) -> bool {
        let address = self.base_url.as_deref().unwrap_or(self.maker.home);
        Endpoint::read(self.kind(), address).is_ok_and(|endpoint| endpoint.loopback())
    }
}

/// Where a provider is: a base URL in the form that joining needs, ending in `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint(pub(super) Url);

impl Endpoint {
    /// Reads what a person wrote: with or without scheme, version, trailing slash or the path of one call.
    pub(super) fn read(kind: ProviderKind, written: &str) -> Result<Self, ProviderError> {
        let mut url = match kind {
            ProviderKind::Ollama => parse(&ollama(written.trim()))?,
            ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Gemini => parse(written.trim())?,
        };
        let mut path = url.path().trim_end_matches('/').to_owned();
        for ending in kind.endings() {
            if let Some(rest) = path.strip_suffix(ending) {
                path = rest.to_owned();
            }
        }
        if !path.split('/').any(is_version) {
            path = format!("{path}/{}", kind.version());
        }
        url.set_path(&format!("{path}/"));
        url.set_fragment(None);
        Ok(Self(url))
    }

    /// Address of one call below the base.
    pub(super) fn call(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{path}", self.0.path()));
        url
    }

    /// Host and port, for the status line and messages: never user, password or query.
    pub(super) fn place(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Whether it is on this machine.
    pub(super) fn loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => IpAddr::V6(address).to_canonical().is_loopback(),
            None => false,
        }
    }
}

/// The address of an Ollama server from what its own variable holds: what the server listens on, which may be
/// every address, a bare port or a bare host.
pub(super) fn ollama(written: &str) -> String {
    let (scheme, rest) = written.split_once("://").unwrap_or(("http", written));
    let (address, path) = rest.split_once('/').unwrap_or((rest, ""));
    let usual = match scheme {
        "https" => "443",
        _ if written.contains("://") => "80",
        _ => "11434",
    };
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (address, usual),
    };
    let host = match host {
        "" | "0.0.0.0" | "[::]" => "127.0.0.1",
        host => host,
    };
    format!("{scheme}://{host}:{port}/{path}")
}

/// Parses with the scheme added where it is missing: http on this machine, https elsewhere.
fn parse(written: &str) -> Result<Url, ProviderError> {
    let refused =
        |url: &str, reason: &str| ProviderError::BaseUrl { url: without_user(url), reason: reason.to_owned() };
    let full = if written.contains("://") {
        written.to_owned()
    } else {
        let guess = format!("http://{written}");
        let local = Url::parse(&guess).is_ok_and(|url| Endpoint(url).loopback());
        if local { guess } else { format!("https://{written}") }
    };
    let url = Url::parse(&full).map_err(|error| refused(written, &error.to_string()))?;
    match url.scheme() {
        "http" | "https" if url.host_str().is_some_and(|host| !host.is_empty()) => Ok(url),
        "http" | "https" => Err(refused(written, "it names no host")),
        other => Err(refused(written, &format!("{other} isn't http or https"))),
    }
}

/// Takes user and password out of a text that may be no URL at all.
fn without_user(written: &str) -> String {
    match written.rsplit_once('@') {
        Some((_, rest)) => format!("…@{rest}"),
        None => written.to_owned(),
    }
}

/// Whether a path segment is a version such as `v1` or `v1beta`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(kind: ProviderKind, written: &str) -> String {
        Endpoint::read(kind, written).map_or_else(|error| error.to_string(), |endpoint| endpoint.0.to_string())
    }

    #[test]
    fn every_way_to_write_a_base_url_means_the_same() {
        for written in [
            "http://localhost:8080",
            "http://localhost:8080/",
            "http://localhost:8080/v1",
            "http://localhost:8080/v1/",
            "localhost:8080",
            " localhost:8080/v1/chat/completions ",
        ] {
            assert_eq!(base(ProviderKind::OpenAi, written), "http://localhost:8080/v1/", "{written}");
        }
        assert_eq!(base(ProviderKind::OpenAi, "openrouter.ai/api/v1"), "https://openrouter.ai/api/v1/");
        assert_eq!(base(ProviderKind::OpenAi, "https://x.test/api/paas/v4"), "https://x.test/api/paas/v4/");
        assert_eq!(base(ProviderKind::Anthropic, "https://api.anthropic.com"), ProviderKind::Anthropic.maker().home);
        assert_eq!(base(ProviderKind::Anthropic, "https://x.test/v1/messages"), "https://x.test/v1/");
        assert_eq!(
            base(ProviderKind::OpenAi, "https://x.test/openai/v1?api-version=1"),
            "https://x.test/openai/v1/?api-version=1"
        );
    }

    #[test]
    fn every_way_to_write_the_ollama_host_is_read() {
        for (written, url) in [
            ("127.0.0.1:11434", "http://127.0.0.1:11434/v1/"),
            ("0.0.0.0", "http://127.0.0.1:11434/v1/"),
            (":9000", "http://127.0.0.1:9000/v1/"),
            ("box", "http://box:11434/v1/"),
            ("http://box", "http://box/v1/"),
            ("https://box.test/ollama", "https://box.test/ollama/v1/"),
            ("[::1]:11434", "http://[::1]:11434/v1/"),
        ] {
            assert_eq!(base(ProviderKind::Ollama, written), url, "{written}");
        }
    }

    #[test]
    fn a_base_url_that_cannot_be_used_is_refused_without_its_password() {
        assert!(base(ProviderKind::OpenAi, "ftp://x.test").contains("ftp isn't http or https"));
        let text = base(ProviderKind::OpenAi, "http://me:hunter2@:99999");
        assert!(text.contains("can't be used") && !text.contains("hunter2"), "{text}");
    }

    #[test]
    fn only_this_machine_is_not_remote() {
        let loopback = |url: &str| Endpoint::read(ProviderKind::OpenAi, url).is_ok_and(|end| end.loopback());
        for url in ["http://127.0.0.1:1", "http://localhost", "http://[::1]:8080", "http://[::ffff:127.0.0.1]"] {
            assert!(loopback(url), "{url}");
        }
        for url in ["http://192.168.1.5", "http://localhost.test", "https://api.openai.com", "http://0.0.0.0:1"] {
            assert!(!loopback(url), "{url}");
        }
    }

    #[test]
    fn the_place_of_a_provider_shows_neither_user_nor_query() {
        let endpoint = Endpoint::read(ProviderKind::OpenAi, "http://me:hunter2@x.test:81/v1?key=1").unwrap();
        assert_eq!(endpoint.place(), "x.test:81");
        assert_eq!(endpoint.call("models").path(), "/v1/models");
    }
}
