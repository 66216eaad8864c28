//! What the page of the first start offers, and what of it was chosen.

use crate::domain::ApprovalMode;

/// Somebody who can be chosen to serve the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The word of the configuration.
    pub word: String,
    /// Its own name.
    pub name: String,
    /// What was found: `OPENAI_API_KEY is set`, `answers at 127.0.0.1:11434`.
    pub note: String,
    /// Whether it can be used as it is.
    pub found: bool,
    /// Where it usually is.
    pub place: String,
    /// The variable that usually holds its key, if it needs one and that isn't set.
    pub lacks: Option<String>,
    /// What kind of row it is.
    pub sort: Sort,
    /// Whether it is the one that the configuration names.
    pub configured: bool,
}

impl Offer {
    /// What is configured comes first, then what was found, then what always works, then what needs more.
    pub(super) fn rank(&self) -> u8 {
        match (self.found, self.sort) {
            _ if self.configured => 0,
            (true, Sort::Provider | Sort::Address) => 1,
            (_, Sort::Practice) => 2,
            (false, Sort::Provider | Sort::Address) => 3,
        }
    }
}

/// What choosing a row leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// A provider.
    #[default]
    Provider,
    /// A server whose address is typed.
    Address,
    /// The built-in practice model.
    Practice,
}

/// Where a key comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeyWay {
    /// The provider's usual variable, or none is needed.
    #[default]
    Usual,
    /// Another variable.
    Variable(String),
    /// A program that prints it, in words.
    Command(Vec<String>),
    /// The system's keyring.
    Keyring(String),
}

impl KeyWay {
    /// The row of the ways to a key that it is, the usual one being the first.
    #[must_use]
    pub fn row(&self) -> usize {
        match self {
            Self::Usual => 0,
            Self::Variable(_) => 1,
            Self::Command(_) => 2,
            Self::Keyring(_) => 3,
        }
    }

    /// What is typed for it.
    pub(super) fn typed(&self) -> String {
        match self {
            Self::Usual => String::new(),
            Self::Variable(name) | Self::Keyring(name) => name.clone(),
            Self::Command(words) => words.join(" "),
        }
    }
}

/// What was chosen so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// The word of the provider.
    pub provider: String,
    /// Its address, where it isn't the usual one.
    pub address: Option<String>,
    /// Where its key comes from.
    pub key: KeyWay,
    /// Its model; none for its first or usual one.
    pub model: Option<String>,
    /// What runs unasked.
    pub mode: ApprovalMode,
}
