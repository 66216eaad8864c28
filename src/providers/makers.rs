//! Who serves models: names, addresses, variables. One entry each; a new one is added here and nowhere else.
//! Pure data; the configuration, the first start and `countersign doctor` go by it.

use super::ProviderKind;

/// Who serves models.
#[derive(Debug, PartialEq, Eq)]
pub struct Maker {
    /// The word that is configured and shown in short.
    pub word: &'static str,
    /// Its own name.
    pub name: &'static str,
    /// The wire format it speaks.
    pub kind: ProviderKind,
    /// Base URL of its own service, or where its server usually listens on this machine.
    pub home: &'static str,
    /// The environment variable that usually holds its key; none where none is needed.
    pub key: Option<&'static str>,
    /// The environment variable that names another address.
    pub address: Option<&'static str>,
    /// The model that is asked at its own service when nobody named one; none asks the server for its first.
    pub model: Option<&'static str>,
    /// Tokens that its models take at least, if neither the configuration nor the server says more. Rather too few:
    /// the conversation is then summarised earlier than it had to be.
    pub context: u64,
}

/// Every one of them. Where several have a key in the environment, the first is taken.
pub static MAKERS: [Maker; 12] = [
    Maker {
        word: "openai",
        name: "OpenAI",
        kind: ProviderKind::OpenAi,
        home: "https://api.openai.com/v1/",
        key: Some("OPENAI_API_KEY"),
        address: Some("OPENAI_BASE_URL"),
        model: Some("gpt-5-mini"),
        context: 128_000,
    },
    Maker {
        word: "anthropic",
        name: "Anthropic",
        kind: ProviderKind::Anthropic,
        home: "https://api.anthropic.com/v1/",
        key: Some("ANTHROPIC_API_KEY"),
        address: Some("ANTHROPIC_BASE_URL"),
        model: Some("claude-sonnet-4-6"),
        context: 180_000,
    },
    Maker {
        word: "gemini",
        name: "Google Gemini",
        kind: ProviderKind::Gemini,
        home: "https://generativelanguage.googleapis.com/v1beta/",
        key: Some("GEMINI_API_KEY"),
        address: Some("GEMINI_BASE_URL"),
        model: Some("gemini-2.5-flash"),
        context: 200_000,
    },
    Maker {
        word: "openrouter",
        name: "OpenRouter",
        kind: ProviderKind::OpenAi,
        home: "https://openrouter.ai/api/v1/",
        key: Some("OPENROUTER_API_KEY"),
        address: None,
        model: None,
        context: 64_000,
    },
    Maker {
        word: "mistral",
        name: "Mistral",
        kind: ProviderKind::OpenAi,
        home: "https://api.mistral.ai/v1/",
        key: Some("MISTRAL_API_KEY"),
        address: None,
        model: None,
        context: 32_000,
    },
    Maker {
        word: "groq",
        name: "Groq",
        kind: ProviderKind::OpenAi,
        home: "https://api.groq.com/openai/v1/",
        key: Some("GROQ_API_KEY"),
        address: None,
        model: None,
        context: 32_000,
    },
    Maker {
        word: "deepseek",
        name: "DeepSeek",
        kind: ProviderKind::OpenAi,
        home: "https://api.deepseek.com/v1/",
        key: Some("DEEPSEEK_API_KEY"),
        address: None,
        model: None,
        context: 64_000,
    },
    Maker {
        word: "xai",
        name: "xAI",
        kind: ProviderKind::OpenAi,
        home: "https://api.x.ai/v1/",
        key: Some("XAI_API_KEY"),
        address: None,
        model: None,
        context: 128_000,
    },
    Maker {
        word: "ollama",
        name: "Ollama",
        kind: ProviderKind::Ollama,
        home: "http://127.0.0.1:11434/v1/",
        key: None,
        address: Some("OLLAMA_HOST"),
        model: None,
        context: 32_000,
    },
    Maker {
        word: "llamacpp",
        name: "llama.cpp",
        kind: ProviderKind::OpenAi,
        home: "http://127.0.0.1:8080/v1/",
        key: None,
        address: None,
        model: None,
        context: 16_000,
    },
    Maker {
        word: "lmstudio",
        name: "LM Studio",
        kind: ProviderKind::OpenAi,
        home: "http://127.0.0.1:1234/v1/",
        key: None,
        address: None,
        model: None,
        context: 16_000,
    },
    Maker {
        word: "vllm",
        name: "vLLM",
        kind: ProviderKind::OpenAi,
        home: "http://127.0.0.1:8000/v1/",
        key: None,
        address: None,
        model: None,
        context: 16_000,
    },
];

impl Maker {
    /// The one of this word.
    #[must_use]
    pub fn named(word: &str) -> Option<&'static Self> {
        MAKERS.iter().find(|maker| maker.word == word)
    }

    /// Whether it is a server on this machine, unless another address is named.
    #[must_use]
    pub fn local(&self) -> bool {
        self.home.starts_with("http://127.0.0.1:")
    }
}

impl ProviderKind {
    /// Who made this wire format.
    #[must_use]
    pub fn maker(self) -> &'static Maker {
        MAKERS.iter().find(|maker| maker.kind == self).unwrap_or(&MAKERS[0])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::settings::Endpoint;
    use super::*;

    #[test]
    fn every_entry_can_be_told_apart_and_reached() {
        let words: BTreeSet<&str> = MAKERS.iter().map(|maker| maker.word).collect();
        assert_eq!(words.len(), MAKERS.len());
        for maker in &MAKERS {
            let endpoint = Endpoint::read(maker.kind, maker.home).unwrap();
            assert_eq!(endpoint.0.as_str(), maker.home, "{} is written as it is used", maker.word);
            assert_eq!(endpoint.loopback(), maker.local(), "{}", maker.word);
            assert!(maker.local() != maker.key.is_some(), "{} needs a key, or is here", maker.word);
            assert!(maker.local() || maker.home.starts_with("https://"), "{}", maker.word);
        }
        for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Gemini, ProviderKind::Ollama] {
            assert_eq!(kind.maker().word, kind.name());
        }
    }
}
