//! What the command line says on top of the configuration file.

use secrecy::{ExposeSecret as _, SecretString};

use super::connection::SCHEMES;
use super::parse::check_address;
use super::problem::suggestion;
use super::{ConfigError, ModelSettings, Problem, ProviderName, Settings, UrlSource, mask_url};
use crate::domain::ApprovalMode;

/// What the command line says.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--mode`, or `-y`.
    pub mode: Option<ApprovalMode>,
    /// `--db`, each a URL, the name of a connection or an SQLite file.
    pub databases: Vec<SecretString>,
    /// `--model`: a named model, or the provider's own name of one.
    pub model: Option<String>,
    /// `--provider`.
    pub provider: Option<ProviderName>,
    /// `--base-url`.
    pub base_url: Option<String>,
    /// `--theme`.
    pub theme: Option<String>,
}

impl Settings {
    /// Applies the command line. While the file has problems the mode stays strict, whatever is asked for.
    ///
    /// # Errors
    /// An option that names nothing there is.
    pub fn overridden(mut self, by: &Overrides, problems: &[Problem]) -> Result<Self, ConfigError> {
        if let Some(mode) = by.mode.filter(|_| problems.is_empty()) {
            self.mode = mode;
        }
        for database in &by.databases {
            self.open(database.expose_secret())?;
        }
        if let Some(first) = self.opened.first() {
            self.default_connection = Some(first.clone());
        }
        if let Some(theme) = &by.theme {
            self.theme = Some(theme.clone());
        }
        self.choose_model(by)?;
        Ok(self)
    }

    fn choose_model(&mut self, by: &Overrides) -> Result<(), ConfigError> {
        let named = by.model.as_ref().and_then(|name| self.models.get(name)).cloned();
        let by_name = named.is_some();
        // Practice that the first start wrote down stands for no model at all: who names an address or a model here
        // means another one.
        let elsewhere = by.base_url.is_some() || by.model.is_some();
        let configured = self.provider.clone().filter(|model| model.kind != ProviderName::Practice || !elsewhere);
        let mut model = named.or(configured);
        if let Some(kind) = by.provider {
            match &model {
                Some(found) if found.kind == kind => {}
                Some(_) if by_name => {
                    let sentence = "--provider contradicts the named model; leave one of them away";
                    return Err(ConfigError::Option(sentence.to_owned()));
                }
                _ => model = Some(ModelSettings::of(kind)),
            }
        }
        if let Some(url) = &by.base_url {
            check_address(url)
                .map_err(|why| ConfigError::Option(format!("--base-url {}", why.trim_end_matches('.'))))?;
            let model = model.get_or_insert_with(|| ModelSettings::of(ProviderName::openai()));
            model.base_url = Some(url.clone());
        }
        if let Some(name) = by.model.as_ref().filter(|_| !by_name) {
            let elsewhere = by.provider.is_some() || by.base_url.is_some();
            match &mut model {
                // It is nobody else's model, whoever is configured.
                _ if name == ProviderName::Practice.word() && !elsewhere => {
                    model = Some(ModelSettings::of(ProviderName::Practice));
                }
                Some(model) => model.model = Some(name.clone()),
                None => {
                    let meant = self.meant(name, None).map_err(|_| ConfigError::Option(self.unknown_model(name)))?;
                    model = Some(meant);
                }
            }
        }
        self.provider = model;
        Ok(())
    }

    fn unknown_model(&self, name: &str) -> String {
        let advice = if self.models.is_empty() {
            "Say whose it is, for example with --provider openai.".to_owned()
        } else {
            suggestion(name, self.models.keys().map(String::as_str))
        };
        format!("there is no model named `{name}` in the configuration, and no provider to ask for it. {advice}")
    }

    /// Opens what one `--db` names.
    fn open(&mut self, database: &str) -> Result<(), ConfigError> {
        let name = if self.connections.contains_key(database) {
            database.to_owned()
        } else {
            let url = as_url(database).ok_or_else(|| ConfigError::Option(self.unknown_connection(database)))?;
            let name = self.free_name(&url);
            self.connections.insert(name.clone(), UrlSource::Url(SecretString::from(url)).into());
            name
        };
        if !self.opened.contains(&name) {
            self.opened.push(name);
        }
        Ok(())
    }

    fn unknown_connection(&self, database: &str) -> String {
        let shown = if database.contains("://") { mask_url(database) } else { database.to_owned() };
        let advice = if self.connections.is_empty() {
            "Give a URL such as postgres://user@host/name, or a file such as shop.db.".to_owned()
        } else {
            suggestion(database, self.connections.keys().map(String::as_str))
        };
        format!("--db {shown} is neither a connection of the configuration, nor a URL, nor an SQLite file. {advice}")
    }

    /// A name for a connection that the command line gives by URL: the database's own, with a number if taken.
    fn free_name(&self, url: &str) -> String {
        let plain = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
        let last = plain.rsplit(['/', ':']).next().unwrap_or_default();
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
        let sound: String = stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(36).collect();
        let base = if sound.is_empty() || last.contains('@') { "database".to_owned() } else { sound };
        let free = |name: &String| !self.connections.contains_key(name);
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        std::iter::once(base.clone()).chain(numbered).find(free).unwrap_or(base)
    }
}

/// The URL that a `--db` stands for: one of a known scheme, or an SQLite file by its name.
fn as_url(database: &str) -> Option<String> {
    if let Some((scheme, _)) = database.split_once(':') {
        return SCHEMES.contains(&scheme).then(|| database.to_owned());
    }
    let file = std::path::Path::new(database);
    let suffix = file.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
    let sqlite = ["db", "sqlite", "sqlite3"].iter().any(|known| suffix.eq_ignore_ascii_case(known));
    // From the root: the workspace may be another folder than the one that this is relative to.
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
    sqlite.then(|| format!("sqlite:{}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let mut settings = Settings::default();
        settings.connections.insert("shop".to_owned(), UrlSource::Variable("SHOP_URL".to_owned()).into());
        settings.models.insert("small".to_owned(), ModelSettings::of(ProviderName::named("ollama").unwrap()));
        settings
    }

    fn with(by: &Overrides) -> Result<Settings, String> {
        settings().overridden(by, &[]).map_err(|error| error.to_string())
    }

    #[test]
    fn databases_are_named_connections_urls_or_files() {
        let databases =
            ["shop", "postgres://ann:hunter2@db.example/shop?sslmode=require", "data/books.db", "mysql://h/"];
        let by = Overrides { databases: databases.map(SecretString::from).to_vec(), ..Overrides::default() };
        let settings = with(&by).unwrap();
        assert_eq!(settings.opened, ["shop", "shop-2", "books", "h"]);
        assert_eq!(settings.default_connection.as_deref(), Some("shop"));
        let shown = settings.connections["books"].url.shown();
        assert!(shown.starts_with("sqlite:/") && shown.ends_with("/data/books.db"), "{shown}");
        let by = Overrides { databases: vec!["shp".into()], ..Overrides::default() };
        assert!(with(&by).unwrap_err().ends_with("Did you mean `shop`?"));
        let by = Overrides { databases: vec!["oracle://ann:hunter2@x/y".into()], ..Overrides::default() };
        assert!(!with(&by).unwrap_err().contains("hunter2"));
    }

    #[test]
    fn a_model_is_a_named_one_or_the_providers() {
        let by = |model: &str, provider| Overrides { model: Some(model.to_owned()), provider, ..Overrides::default() };
        assert_eq!(with(&by("small", None)).unwrap().provider.unwrap().kind, ProviderName::named("ollama").unwrap());
        let chosen = with(&by("gpt-x", Some(ProviderName::openai()))).unwrap().provider.unwrap();
        assert_eq!((chosen.kind, chosen.model.as_deref()), (ProviderName::openai(), Some("gpt-x")));
        assert_eq!(with(&by("practice", None)).unwrap().provider.unwrap().kind, ProviderName::Practice);
        let configured = Settings { provider: Some(ModelSettings::of(ProviderName::openai())), ..settings() };
        let practice = configured.overridden(&by("practice", None), &[]).unwrap().provider.unwrap();
        assert_eq!((practice.kind, practice.model), (ProviderName::Practice, None), "whoever is configured");
        let ollama = with(&by("ollama:qwen3", None)).unwrap().provider.unwrap();
        assert_eq!((ollama.kind.word(), ollama.model.as_deref()), ("ollama", Some("qwen3")));
        assert!(with(&by("smal", None)).unwrap_err().ends_with("Did you mean `small`?"));
        assert!(with(&by("small", Some(ProviderName::openai()))).is_err());
    }

    #[test]
    fn an_address_alone_means_an_endpoint_of_openais_format() {
        let by = Overrides { base_url: Some("http://127.0.0.1:8080/v1".to_owned()), ..Overrides::default() };
        assert_eq!(with(&by).unwrap().provider.unwrap().kind, ProviderName::openai());
        let by = Overrides { base_url: Some("ftp://127.0.0.1".to_owned()), ..Overrides::default() };
        assert!(with(&by).is_err());
    }

    #[test]
    fn an_address_or_a_model_is_meant_for_another_than_the_practice_that_was_written_down() {
        let practising = || Settings { provider: Some(ModelSettings::of(ProviderName::Practice)), ..settings() };
        let url = Some("http://127.0.0.1:8080/v1".to_owned());
        let by = Overrides { base_url: url, model: Some("qwen3".to_owned()), ..Overrides::default() };
        let chosen = practising().overridden(&by, &[]).unwrap().provider.unwrap();
        assert_eq!((chosen.kind, chosen.model.as_deref()), (ProviderName::openai(), Some("qwen3")));
        let by = Overrides { model: Some("qwen3".to_owned()), ..Overrides::default() };
        assert!(practising().overridden(&by, &[]).unwrap_err().to_string().contains("there is no model named `qwen3`"));
        let kept = practising().overridden(&Overrides::default(), &[]).unwrap().provider.unwrap();
        assert_eq!(kept.kind, ProviderName::Practice);
    }

    #[test]
    fn no_option_loosens_a_file_with_problems() {
        let by = Overrides { mode: Some(ApprovalMode::AllowAll), ..Overrides::default() };
        let strict = Settings { mode: ApprovalMode::Strict, ..Settings::default() };
        let problems = [Problem::whole("config.toml", "unreadable")];
        assert_eq!(strict.clone().overridden(&by, &problems).unwrap().mode, ApprovalMode::Strict);
        assert_eq!(strict.overridden(&by, &[]).unwrap().mode, ApprovalMode::AllowAll);
    }
}
