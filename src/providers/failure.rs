//! Turns every trouble with a provider into one sentence that says what happened, where, and what to do next.
//! No key is ever in it. Called by `remote` alone.

use std::error::Error as StdError;
use std::time::Duration;

use genai::webc::StreamTimeout;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use secrecy::ExposeSecret;
use serde_json::Value;

use super::reply::Fault;
use super::settings::ProviderSettings;
use crate::domain::{FailureKind, ModelFailure};

/// Longest piece of a provider's own words that is shown.
const MOST_WORDS: usize = 300;

/// A failure, and whether trying again by ourselves makes sense.
#[derive(Debug)]
pub(super) struct Trouble {
    /// What the person is told.
    pub(super) failure: ModelFailure,
    /// When to try again: none is never, zero is when we like.
    pub(super) again: Option<Duration>,
}

/// What a message says of where the trouble is.
#[derive(Clone, Debug)]
pub(super) struct Scene<'a> {
    /// Kind, key and where the key came from.
    pub(super) settings: &'a ProviderSettings,
    /// Host and port.
    pub(super) place: &'a str,
    /// The model that was asked.
    pub(super) model: &'a str,
    /// Longest silence that is waited for.
    pub(super) patience: Duration,
    /// Whether the answer had begun, in the right format.
    pub(super) begun: bool,
}

/// Why an answer couldn't be read on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    /// The kept client says so.
    #[error(transparent)]
    Client(#[from] genai::Error),
    /// The connection broke.
    #[error(transparent)]
    Connection(reqwest::Error),
    /// A piece isn't of the protocol.
    #[error("a piece can't be read")]
    Unreadable,
    /// A piece has no end.
    #[error("a piece is too long")]
    TooLong,
    /// The server tells of an error of its own.
    #[error("the server tells of an error")]
    Announced(Value),
}

impl Scene<'_> {
    /// What broke an answer.
    pub(super) fn broken(&self, broken: &Broken) -> Trouble {
        match broken {
            Broken::Client(error) => self.client(error),
            Broken::Connection(error) => self.connection(error),
            Broken::Unreadable => self.unreadable(),
            Broken::TooLong => self.fault(Fault::TooLong),
            Broken::Announced(error) => self.announced(error),
        }
    }

    /// A failure that is final.
    fn final_of(kind: FailureKind, message: String) -> Trouble {
        Trouble { failure: ModelFailure { kind, message }, again: None }
    }

    /// A failure that may pass by itself.
    fn passing(kind: FailureKind, message: String, again: Duration) -> Trouble {
        Trouble { failure: ModelFailure { kind, message }, again: Some(again) }
    }

    /// An error of the kept client.
    pub(super) fn client(&self, error: &genai::Error) -> Trouble {
        match error {
            genai::Error::WebStream { error, .. } => self.transport(error.as_ref()),
            genai::Error::HttpError { status, body, headers, .. } => self.status(status.as_u16(), body, headers),
            genai::Error::ChatResponse { body, .. } => self.announced(body),
            genai::Error::StreamParse { .. } | genai::Error::JsonValueExt(_) | genai::Error::SerdeJson(_) => {
                self.unreadable()
            }
            other => {
                // Its text can hold the whole request, so only its first line goes on.
                let line = other.to_string().lines().next().unwrap_or_default().to_owned();
                let message = format!("The request to {} could not be made: {}.", self.place, self.clean(&line));
                Self::final_of(FailureKind::BadReply, message)
            }
        }
    }

    /// An error below the client: its own for a status, or the connection's.
    fn transport(&self, error: &(dyn StdError + Send + Sync + 'static)) -> Trouble {
        if let Some(error) = error.downcast_ref::<genai::Error>() {
            return self.client(error);
        }
        if error.downcast_ref::<StreamTimeout>().is_some() {
            return self.silent();
        }
        error.downcast_ref::<reqwest::Error>().map_or_else(|| self.unreadable(), |error| self.connection(error))
    }

    /// A connection that was not made, or broke.
    pub(super) fn connection(&self, error: &reqwest::Error) -> Trouble {
        if error.is_body() || error.is_decode() {
            return self.fault(Fault::CutOff);
        }
        if error.is_timeout() && !error.is_connect() {
            return self.silent();
        }
        let why = innermost(error);
        let message = format!(
            "{} can't be reached ({}). Check that it runs and that the base URL is right, then send the message again.",
            self.place,
            self.clean(&why)
        );
        Self::passing(FailureKind::Unreachable, message, Duration::ZERO)
    }

    /// No sign of life for too long.
    pub(super) fn silent(&self) -> Trouble {
        let message = format!(
            "{} said nothing for {} seconds. Check that it is working, then send the message again.",
            self.place,
            self.patience.as_secs()
        );
        Self::final_of(FailureKind::Unreachable, message)
    }

    /// A piece that can't be read: after a good beginning it was cut, otherwise it never was of this protocol.
    fn unreadable(&self) -> Trouble {
        if self.begun { self.fault(Fault::CutOff) } else { self.garbled() }
    }

    /// A success that holds nothing.
    pub(super) fn nothing(&self) -> Trouble {
        let message = format!(
            "{} answered nothing. Check that {} works there, then send the message again.",
            self.place, self.model
        );
        Self::final_of(FailureKind::BadReply, message)
    }

    /// An answer whose text is not of this protocol.
    pub(super) fn garbled(&self) -> Trouble {
        let message = format!(
            "{} answers, but not in the format of {}. Check the base URL, the provider and the account, then send the message again.",
            self.place,
            self.settings.kind().name()
        );
        Self::final_of(FailureKind::BadReply, message)
    }

    /// An answer that ended wrongly.
    pub(super) fn fault(&self, fault: Fault) -> Trouble {
        let (kind, message) = match fault {
            Fault::CutOff => (
                FailureKind::CutOff,
                format!(
                    "The answer of {} broke off in the middle; no call of it was run. Send the message again.",
                    self.place
                ),
            ),
            Fault::TooLong => (
                FailureKind::BadReply,
                format!(
                    "The answer of {} passed 8 MB or 4,096 calls and was stopped. Ask for less at a time.",
                    self.model
                ),
            ),
            Fault::NoCall => (
                FailureKind::BadReply,
                format!(
                    "{} said that it calls a tool, but sent no call that can be read. Send the message again, or try \
                     another model.",
                    self.model
                ),
            ),
        };
        Self::final_of(kind, message)
    }

    /// An error that came inside the stream.
    fn announced(&self, body: &Value) -> Trouble {
        let kind = text_at(body, &["/error/type", "/type"]).unwrap_or_default();
        let headers = HeaderMap::new();
        let status = body
            .pointer("/code")
            .and_then(Value::as_u64)
            .and_then(|code| u16::try_from(code).ok())
            .filter(|code| (400..600).contains(code));
        let status = status.unwrap_or(match kind {
            "overloaded_error" => 529,
            "rate_limit_error" | "rate_limit_exceeded" => 429,
            "authentication_error" => 401,
            "permission_error" => 403,
            "not_found_error" => 404,
            "invalid_request_error" => 400,
            _ => 500,
        });
        self.status(status, &body.to_string(), &headers)
    }

    /// A status that is no success.
    pub(super) fn status(&self, status: u16, body: &str, headers: &HeaderMap) -> Trouble {
        let (place, source, model) = (self.place, &self.settings.key_source, self.model);
        let words = self.words(body);
        match status {
            401 if self.settings.key.is_none() => Self::final_of(
                FailureKind::Unauthorised,
                format!("{place} wants a key (401). Set {source} and start again."),
            ),
            // What it says of a key may quote the key.
            401 => Self::final_of(
                FailureKind::Unauthorised,
                format!("{place} refused the key (401). Check {source}, then send the message again."),
            ),
            403 => Self::final_of(
                FailureKind::Unauthorised,
                format!("{place} doesn't allow this (403).{words} Check {source} and what the account may use."),
            ),
            404 => Self::final_of(
                FailureKind::NotFound,
                format!(
                    "{place} doesn't have `{model}`, or nothing is at this base URL (404).{words} Check the model and the base URL."
                ),
            ),
            429 => self.slow_down(&words, headers),
            408 | 500..=599 => Self::passing(
                FailureKind::Unavailable,
                format!("{place} has trouble ({status}).{words} Wait a little, then send the message again."),
                retry_after(headers).unwrap_or(Duration::ZERO),
            ),
            300..=399 => {
                let to = headers.get("location").and_then(|to| to.to_str().ok()).unwrap_or("another address");
                let to = self.clean(to);
                Self::final_of(
                    FailureKind::BadReply,
                    format!(
                        "{place} sends us to {to} ({status}), which is not followed with a key. Set that as the base URL."
                    ),
                )
            }
            402 => Self::final_of(
                FailureKind::BadReply,
                format!("{place} wants to be paid first (402).{words} Check the account, then send the message again."),
            ),
            413 => Self::final_of(FailureKind::TooLong, too_long(place, status, &words)),
            400 | 422 if tells_of_length(&words) => {
                Self::final_of(FailureKind::TooLong, too_long(place, status, &words))
            }
            _ => Self::final_of(
                FailureKind::BadReply,
                format!(
                    "{place} refused the request ({status}).{words} Change the message or the model, then send it again."
                ),
            ),
        }
    }

    /// 429, with how long to wait where the provider says it. Used-up credit doesn't pass by waiting.
    fn slow_down(&self, words: &str, headers: &HeaderMap) -> Trouble {
        let place = self.place;
        if words.contains("quota") || words.contains("credit") {
            let message = format!("{place} says that the credit is used up (429).{words} Check the account.");
            return Self::final_of(FailureKind::RateLimited, message);
        }
        let wait = retry_after(headers);
        let how_long = wait.map_or_else(|| "a little".to_owned(), |wait| format!("{} seconds", wait.as_secs().max(1)));
        let message = format!("{place} asks to slow down (429).{words} Wait {how_long}, then send the message again.");
        Self::passing(FailureKind::RateLimited, message, wait.unwrap_or(Duration::ZERO))
    }

    /// What the provider itself says, as a sentence to put in; empty if it says nothing that can be read.
    fn words(&self, body: &str) -> String {
        let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        text_at(&value, &["/error/message", "/message", "/error", "/detail"])
            .map(|text| self.clean(text))
            .filter(|text| !text.is_empty())
            .map(|text| format!(" It says: \"{text}\"."))
            .unwrap_or_default()
    }

    /// One line without control characters and without the key, cut where it says so.
    fn clean(&self, text: &str) -> String {
        let key = self.settings.key.as_ref().map(ExposeSecret::expose_secret).filter(|key| !key.is_empty());
        let text = key.map_or_else(|| text.to_owned(), |key| text.replace(key, "(key)"));
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = line.trim().trim_end_matches('.');
        let rest = line.chars().count().saturating_sub(MOST_WORDS);
        let shown: String = line.chars().take(MOST_WORDS).collect();
        if rest == 0 { shown } else { format!("{shown}… ({rest} more characters)") }
    }
}

fn too_long(place: &str, status: u16, words: &str) -> String {
    format!("The conversation is too long for {place} ({status}).{words} Send /compact, or start a new session.")
}

/// Whether a refusal is about the length of the conversation, in the words of those who serve models.
fn tells_of_length(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    let says = |part: &str| words.contains(part);
    says("context length")
        || says("context window")
        || says("context size")
        || says("context_length")
        || says("prompt is too long")
        || (says("token") && (says("exceed") || says("too many") || says("too long")))
}

/// The first text that is at one of these places.
fn text_at<'a>(value: &'a Value, places: &[&str]) -> Option<&'a str> {
    places.iter().find_map(|place| value.pointer(place).and_then(Value::as_str))
}

/// The cause at the bottom, which is the one that tells something, such as `Connection refused`.
fn innermost(error: &dyn StdError) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let text = cause.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// How long the provider wants us to wait, in seconds or milliseconds. A date is not read: then we choose.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number(RETRY_AFTER.as_str()))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;
    use crate::providers::ProviderKind;

    fn told(status: u16, body: &str, headers: &[(&'static str, &str)]) -> Trouble {
        let settings = ProviderSettings {
            key: Some(SecretString::from("sk-hunter2")),
            ..ProviderSettings::new(ProviderKind::OpenAi)
        };
        let scene =
            Scene { settings: &settings, place: "x.test", model: "m", patience: Duration::from_mins(2), begun: false };
        let headers = headers.iter().map(|(name, value)| ((*name).parse().unwrap(), value.parse().unwrap())).collect();
        scene.status(status, body, &headers)
    }

    #[test]
    fn a_refused_key_names_where_it_came_from_and_never_the_key() {
        let trouble = told(401, r#"{"error":{"message":"Incorrect API key: sk-hunter2"}}"#, &[]);
        assert_eq!(
            trouble.failure.message,
            "x.test refused the key (401). Check OPENAI_API_KEY, then send the message again."
        );
        assert!(trouble.again.is_none());
        let other = told(400, r#"{"error":{"message":"odd header sk-hunter2.\nmore"}}"#, &[]);
        assert_eq!(
            other.failure.message,
            "x.test refused the request (400). It says: \"odd header (key). more\". Change the message or the model, \
             then send it again."
        );
    }

    #[test]
    fn a_limit_says_how_long_to_wait_and_used_up_credit_is_final() {
        let trouble = told(429, "", &[("retry-after", "7")]);
        assert!(trouble.failure.message.contains("Wait 7 seconds"), "{}", trouble.failure.message);
        assert_eq!(trouble.again, Some(Duration::from_secs(7)));
        let spent = told(429, r#"{"error":{"message":"You exceeded your current quota"}}"#, &[]);
        assert!(spent.again.is_none());
    }

    #[test]
    fn long_words_say_how_much_is_left_out() {
        let body = format!(r#"{{"error":"{}"}}"#, "x".repeat(400));
        assert!(told(500, &body, &[]).failure.message.contains("… (100 more characters)"));
        assert!(!told(500, "<html><body>Bad gateway</body></html>", &[]).failure.message.contains("html"));
    }
}
