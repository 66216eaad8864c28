//! Keys and connection URLs: held so that no message, log or debug output shows them.

use std::fmt;
use std::process::Stdio;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use tokio::process::Command;
use url::Url;

use super::{ConfigError, Environment};

/// Longest that a key command may take: a password manager may ask the person first.
const KEY_COMMAND_LIMIT: Duration = Duration::from_mins(1);

/// Longest output of a key command that is read as a key.
const KEY_CAP: usize = 64 * 1024;

/// Query parameters of a connection URL that are no secrets. Everything else is masked.
const PLAIN_PARAMETERS: [&str; 12] = [
    "mode",
    "cache",
    "immutable",
    "vfs",
    "sslmode",
    "ssl-mode",
    "charset",
    "collation",
    "application_name",
    "host",
    "port",
    "dbname",
];

/// Where a model's key comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeySource {
    /// Nowhere: the provider needs none, or its usual variable holds it.
    #[default]
    Usual,
    /// A variable of the environment.
    Variable(String),
    /// The first line that a program prints.
    Command(Vec<String>),
    /// The system's keyring, under the name of a service.
    Keyring(String),
}

impl KeySource {
    /// Reads the key. `usual` is the provider's usual variable, if it has one.
    ///
    /// # Errors
    /// A variable that the configuration names isn't set, or the key command failed.
    pub async fn read(
        &self,
        usual: Option<&str>,
        environment: Environment<'_>,
    ) -> Result<Option<SecretString>, ConfigError> {
        match self {
            Self::Usual => Ok(usual.and_then(environment).map(SecretString::from)),
            Self::Variable(name) => environment(name)
                .map(|key| Some(key.into()))
                .ok_or_else(|| ConfigError::Unset { what: "the model's key".to_owned(), variable: name.clone() }),
            Self::Command(words) => run_key_command(words).await.map(Some),
            Self::Keyring(service) => from_keyring(service).await.map(Some),
        }
    }

    /// Where it comes from, in words for messages.
    #[must_use]
    pub fn told(&self, usual: Option<&str>) -> String {
        match self {
            Self::Usual => usual.unwrap_or("no key").to_owned(),
            Self::Variable(name) => name.clone(),
            Self::Command(words) => format!("the key command {}", words.first().map_or("", String::as_str)),
            Self::Keyring(service) => format!("the keyring's key for `{service}`"),
        }
    }
}

/// Reads a key from the system's keyring.
async fn from_keyring(service: &str) -> Result<SecretString, ConfigError> {
    let failed = |how: String| ConfigError::Keyring {
        service: service.to_owned(),
        how,
        keeping: super::keyring::keeping(service),
    };
    let Some(words) = super::keyring::command(service) else {
        return Err(failed("this platform has no tool for it; use key_env or key_command".to_owned()));
    };
    run_key_command(&words).await.map_err(|error| match error {
        ConfigError::KeyCommand { program, how } => failed(format!("{program} {how}")),
        other => other,
    })
}

/// Runs a key command without a shell, and takes the first line of what it prints.
async fn run_key_command(words: &[String]) -> Result<SecretString, ConfigError> {
    let program = words.first().cloned().unwrap_or_default();
    let failed = |how: String| ConfigError::KeyCommand { program: program.clone(), how };
    let mut command = Command::new(&program);
    command.args(words.get(1..).unwrap_or_default()).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(KEY_COMMAND_LIMIT, command.output())
        .await
        .map_err(|_| failed(format!("took longer than {} seconds", KEY_COMMAND_LIMIT.as_secs())))?
        .map_err(|error| failed(format!("couldn't be started ({})", error.kind())))?;
    if !output.status.success() {
        return Err(failed(match output.status.code() {
            Some(code) => format!("ended with exit code {code}"),
            None => "was ended by a signal".to_owned(),
        }));
    }
    if output.stdout.len() > KEY_CAP {
        return Err(failed("printed more than a key".to_owned()));
    }
    let text = String::from_utf8(output.stdout).map_err(|_| failed("printed something that isn't text".to_owned()))?;
    match text.lines().next().map(str::trim).filter(|key| !key.is_empty()) {
        Some(key) => Ok(key.to_owned().into()),
        None => Err(failed("printed no key on its first line".to_owned())),
    }
}

/// Where the URL of a database comes from.
#[derive(Clone)]
pub enum UrlSource {
    /// The configuration or the command line.
    Url(SecretString),
    /// A variable of the environment.
    Variable(String),
}

impl UrlSource {
    /// The URL, for the connection of that name.
    ///
    /// # Errors
    /// The variable that holds it isn't set.
    pub fn read(&self, name: &str, environment: Environment<'_>) -> Result<SecretString, ConfigError> {
        match self {
            Self::Url(url) => Ok(url.clone()),
            Self::Variable(variable) => environment(variable).map(SecretString::from).ok_or_else(|| {
                ConfigError::Unset { what: format!("the URL of the connection {name}"), variable: variable.clone() }
            }),
        }
    }

    /// What may be shown of it.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Url(url) => mask_url(url.expose_secret()),
            Self::Variable(variable) => format!("${variable}"),
        }
    }
}

impl fmt::Debug for UrlSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UrlSource").field(&self.shown()).finish()
    }
}

/// A URL as it may be shown: no password, no query parameter that isn't known to be plain. Text that isn't
/// a URL shows nothing but its scheme.
#[must_use]
pub fn mask_url(text: &str) -> String {
    let hidden = || match text.split_once(':') {
        Some((scheme, _)) if scheme.len() <= 16 && scheme.chars().all(|c| c.is_ascii_alphanumeric()) => {
            format!("{scheme}:***")
        }
        _ => "***".to_owned(),
    };
    let Ok(mut url) = Url::parse(text) else { return hidden() };
    // An unescaped `#`, `/` or `?` in a password ends up behind the host.
    if url.scheme() != "sqlite" && (url.path().contains('@') || !url.has_host()) {
        return hidden();
    }
    if url.password().is_some() && url.set_password(Some("***")).is_err() {
        return hidden();
    }
    if url.fragment().is_some() {
        url.set_fragment(Some("***"));
    }
    let query = url.query().map(mask_query);
    url.set_query(query.as_deref());
    url.into()
}

fn mask_query(query: &str) -> String {
    let plain = |pair: &&str| pair.split_once('=').is_some_and(|(name, _)| PLAIN_PARAMETERS.contains(&name));
    query.split('&').map(|pair| if plain(&pair) { pair } else { "***" }).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_url_has_no_password() {
        for (url, shown) in [
            (
                "postgres://ann:hunter2@db.example/shop?sslmode=require",
                "postgres://ann:***@db.example/shop?sslmode=require",
            ),
            ("mysql://ann@db.example/shop?ssl-key=hunter2", "mysql://ann@db.example/shop?***"),
            ("sqlite:shop.db", "sqlite:shop.db"),
            ("sqlite://shop.db?mode=ro", "sqlite://shop.db?mode=ro"),
            ("sqlite::memory:", "sqlite::memory:"),
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ] {
            assert_eq!(mask_url(url), shown);
        }
        for url in [
            "postgres://ann:hun#ter2@db.example/shop",
            "postgres://ann:1#hunter2@db.example/shop",
            "postgres://ann:1/hunter2@db.example/shop",
            "postgres://ann:1?hunter2@db.example/shop",
            "hunter2",
            "postgres:hunter2",
        ] {
            assert!(!mask_url(url).contains("ter2"), "{url} shows {}", mask_url(url));
        }
    }

    #[test]
    fn debug_output_shows_no_secret() {
        let source = UrlSource::Url("postgres://ann:hunter2@db.example/shop".to_owned().into());
        assert_eq!(format!("{source:?}"), r#"UrlSource("postgres://ann:***@db.example/shop")"#);
    }

    #[tokio::test]
    async fn a_key_comes_from_a_variable_or_the_first_line_of_a_command() {
        let environment = |name: &str| (name == "TEAM_KEY").then(|| "k-1".to_owned());
        let read = KeySource::Variable("TEAM_KEY".to_owned()).read(None, &environment).await.unwrap();
        assert_eq!(read.unwrap().expose_secret(), "k-1");
        assert!(KeySource::Usual.read(Some("OTHER"), &environment).await.unwrap().is_none());
        let command = |words: &[&str]| KeySource::Command(words.iter().map(ToString::to_string).collect());
        let read = command(&["printf", "k-2\nlogin: ann\n"]).read(None, &environment).await.unwrap();
        assert_eq!(read.unwrap().expose_secret(), "k-2");
    }

    #[tokio::test]
    async fn a_key_command_that_fails_says_how_and_never_what_it_printed() {
        let environment = |_: &str| None;
        for (words, how) in [
            (vec!["sh", "-c", "echo hunter2; exit 3"], "ended with exit code 3"),
            (vec!["/nonexistent/pass"], "couldn't be started"),
            (vec!["true"], "printed no key"),
        ] {
            let source = KeySource::Command(words.into_iter().map(ToOwned::to_owned).collect());
            let message = source.read(None, &environment).await.unwrap_err().to_string();
            assert!(message.contains(how) && !message.contains("hunter2"), "{message}");
        }
    }
}
