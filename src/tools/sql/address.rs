//! Reads the address of a database: which engine, where, and a label that can be shown. Opens nothing.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use sqlx::mysql::MySqlConnectOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use url::Url;

use super::SqlError;
use crate::domain::{Dialect, mask};

/// What each engine needs to connect.
#[derive(Clone, Debug)]
pub(super) enum Options {
    Sqlite(Box<SqliteFile>),
    Postgres(Box<PgConnectOptions>),
    Mysql(Box<MySqlConnectOptions>),
}

/// A SQLite database as its URL describes it.
#[derive(Clone, Debug)]
pub(super) struct SqliteFile {
    pub(super) options: SqliteConnectOptions,
    /// The file; none for one in memory.
    pub(super) path: Option<PathBuf>,
    /// The URL itself says that it is only read.
    pub(super) read_only: bool,
    /// The URL says that it may be created.
    pub(super) create: bool,
}

/// Where a database is, read from its URL.
#[derive(Clone)]
pub struct Address {
    /// Its engine.
    pub dialect: Dialect,
    /// What can be shown of it, such as `orders@db.example (postgres)`.
    pub label: String,
    /// Name or file of the database, where the URL says it.
    pub(super) database: Option<String>,
    /// The host; none for a file.
    pub(super) host: Option<String>,
    pub(super) options: Options,
    /// Texts that no message may hold.
    pub(super) secrets: Vec<String>,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.label)
    }
}

impl Address {
    /// The same, but never written where it is one of these files.
    #[must_use]
    pub fn sparing(mut self, spared: impl Fn(&Path) -> bool) -> Self {
        if let Options::Sqlite(file) = &mut self.options {
            let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path));
            let path = file.path.as_deref().and_then(|path| real(path).ok());
            if path.is_some_and(|path| spared(&path)) {
                (file.read_only, file.create) = (true, false);
            }
        }
        self
    }

    /// The host as it is shown: with its port where that isn't the usual one.
    pub(super) fn shown_host(&self) -> Option<String> {
        let host = self.host.as_ref()?;
        let port = match &self.options {
            Options::Sqlite(_) => None,
            Options::Postgres(server) => Some(server.get_port()).filter(|port| *port != 5432),
            Options::Mysql(server) => Some(server.get_port()).filter(|port| *port != 3306),
        };
        Some(port.map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
    }

    /// What tells it from another one of the same name: user, host and port of a server, the real path of a file. None
    /// for one in memory.
    pub(super) fn place(&self) -> Option<String> {
        let of = |user: &str, host: &str, port: u16, socket: Option<&PathBuf>| match socket {
            Some(socket) => format!("{user} by {}:{port}", socket.display()),
            None => format!("{user} at {host}:{port}"),
        };
        match &self.options {
            Options::Sqlite(file) => {
                let path = file.path.as_deref()?;
                let real = path.canonicalize().or_else(|_| std::path::absolute(path)).ok()?;
                Some(real.display().to_string())
            }
            Options::Postgres(server) => {
                Some(of(server.get_username(), server.get_host(), server.get_port(), server.get_socket()))
            }
            Options::Mysql(server) => {
                Some(of(server.get_username(), server.get_host(), server.get_port(), server.get_socket()))
            }
        }
    }

    /// The file that holds it, as its URL says; none for a server, and for one in memory.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match &self.options {
            Options::Sqlite(file) => file.path.as_deref(),
            Options::Postgres(_) | Options::Mysql(_) => None,
        }
    }

    /// The file that should hold it, where it isn't there and won't be made.
    pub(super) fn missing(&self) -> Option<&Path> {
        match &self.options {
            Options::Sqlite(file) if !file.create => file.path.as_deref().filter(|path| !path.exists()),
            Options::Sqlite(_) | Options::Postgres(_) | Options::Mysql(_) => None,
        }
    }

    /// Reads a URL, or the path of a SQLite file.
    ///
    /// # Errors
    /// An unknown scheme, or a URL that its engine can't read.
    pub fn parse(text: &str) -> Result<Self, SqlError> {
        let text = text.trim();
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            Some("postgres" | "postgresql") => postgres(text),
            Some("mysql" | "mariadb") => mysql(text),
            Some("sqlite" | "file") | None => sqlite(text),
            Some(other) => Err(SqlError::UnknownScheme(other.to_owned())),
        }
    }

    /// Takes everything secret out of a message.
    pub(super) fn mask(&self, message: &str) -> String {
        self.secrets.iter().fold(message.to_owned(), |text, secret| text.replace(secret, &mask(secret.chars().count())))
    }
}

fn postgres(text: &str) -> Result<Address, SqlError> {
    let url = url(text)?;
    let options = PgConnectOptions::from_str(text).map_err(|error| unread(&error, &url))?;
    let options = options.application_name("countersign");
    let database = options.get_database().filter(|name| !name.is_empty());
    let (host, label) = (options.get_host(), label(database, options.get_host(), Dialect::Postgres));
    Ok(Address {
        dialect: Dialect::Postgres,
        label,
        database: database.map(str::to_owned),
        host: Some(host.to_owned()),
        secrets: secrets(&url),
        options: Options::Postgres(options.into()),
    })
}

fn mysql(text: &str) -> Result<Address, SqlError> {
    let url = url(text)?;
    // The server's own settings count, as they do in every other client.
    let options = MySqlConnectOptions::from_str(text)
        .map_err(|error| unread(&error, &url))?
        .pipes_as_concat(false)
        .no_engine_substitution(false)
        .timezone(None);
    let database = options.get_database().filter(|name| !name.is_empty());
    let (host, label) = (options.get_host(), label(database, options.get_host(), Dialect::Mysql));
    Ok(Address {
        dialect: Dialect::Mysql,
        label,
        database: database.map(str::to_owned),
        host: Some(host.to_owned()),
        secrets: secrets(&url),
        options: Options::Mysql(options.into()),
    })
}

fn sqlite(text: &str) -> Result<Address, SqlError> {
    let (rest, parameters) = match text.split_once(':').filter(|(scheme, _)| matches!(*scheme, "sqlite" | "file")) {
        Some((_, rest)) => {
            let rest = rest.strip_prefix("//").unwrap_or(rest);
            rest.split_once('?').unwrap_or((rest, ""))
        }
        // A plain path: a question mark is part of its name.
        None => (text, ""),
    };
    let rest = &at_home(rest);
    if rest.is_empty() {
        return Err(SqlError::BadUrl("it names no file".to_owned()));
    }
    let value = |name: &str| {
        url::form_urlencoded::parse(parameters.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value)
    };
    let mode = value("mode");
    let memory = rest == ":memory:" || mode.as_deref() == Some("memory");
    let options = if memory || !parameters.is_empty() {
        let url = format!("sqlite://{rest}{}{parameters}", if parameters.is_empty() { "" } else { "?" });
        SqliteConnectOptions::from_str(&url).map_err(|error| SqlError::BadUrl(error.to_string()))?
    } else {
        SqliteConnectOptions::new().filename(rest)
    };
    let path = options.get_filename().to_owned();
    let name = if memory { "memory".to_owned() } else { file_name(&path) };
    let file = SqliteFile {
        read_only: mode.as_deref() == Some("ro"),
        create: memory || mode.as_deref() == Some("rwc"),
        path: (!memory).then_some(path),
        options,
    };
    let (dialect, options) = (Dialect::Sqlite, Options::Sqlite(Box::new(file)));
    let label = format!("{name} (sqlite)");
    Ok(Address { dialect, label, database: Some(name), host: None, secrets: Vec::new(), options })
}

fn url(text: &str) -> Result<Url, SqlError> {
    Url::parse(text).map_err(|error| SqlError::BadUrl(error.to_string()))
}

fn label(database: Option<&str>, host: &str, dialect: Dialect) -> String {
    match database {
        Some(database) => format!("{database}@{host} ({})", dialect.word()),
        None => format!("{host} ({})", dialect.word()),
    }
}

/// A path that begins with `~/` lies in the home folder.
fn at_home(path: &str) -> String {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest).to_string_lossy().into_owned(),
        _ => path.to_owned(),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// The password of a URL, as it is spelled and as it is meant.
fn secrets(url: &Url) -> Vec<String> {
    let mut secrets: Vec<String> = url.password().map(str::to_owned).into_iter().collect();
    let parameters = url.query_pairs().filter(|(key, _)| key.contains("password")).map(|(_, value)| value.into_owned());
    secrets.extend(parameters);
    let encoded = secrets.first().map(|spelled| format!("p={}", spelled.replace('+', "%2B")));
    let decoded = encoded
        .and_then(|pair| url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned()));
    secrets.extend(decoded);
    // What the address says openly as well (`postgres:postgres@`) is none: a mask would hide that word everywhere, and
    // tell where it stands.
    let open = [url.scheme(), url.username(), url.host_str().unwrap_or_default(), url.path().trim_start_matches('/')];
    secrets.retain(|secret| !secret.is_empty() && !open.contains(&secret.as_str()));
    secrets
}

fn unread(error: &sqlx::Error, url: &Url) -> SqlError {
    let message =
        secrets(url).iter().fold(error.to_string(), |text, secret| text.replace(secret, &mask(secret.chars().count())));
    SqlError::BadUrl(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_the_address_says_openly_too_is_no_secret() {
        let secrets = |url: &str| secrets(&Url::parse(url).unwrap());
        for url in
            ["postgres://postgres:postgres@h/shop", "mysql://a:shop@h/shop", "mysql://a:db@db/shop", "mysql://a@h/b"]
        {
            assert!(secrets(url).is_empty(), "{url}");
        }
        assert!(secrets("postgres://a:postgres1@h/shop").contains(&"postgres1".to_owned()));
    }

    #[test]
    fn an_address_is_told_from_its_url_without_its_password() {
        let cases = [
            ("postgres://ann:s%2Bcret@db.example/orders", Dialect::Postgres, "orders@db.example (postgres)"),
            ("postgresql://db.example", Dialect::Postgres, "db.example (postgres)"),
            ("mysql://root:pw@127.0.0.1:3306/shop", Dialect::Mysql, "shop@127.0.0.1 (mysql)"),
            ("mariadb://root@localhost", Dialect::Mysql, "localhost (mysql)"),
            ("sqlite:data/shop.db", Dialect::Sqlite, "shop.db (sqlite)"),
            ("sqlite:///data/shop.db?mode=rwc", Dialect::Sqlite, "shop.db (sqlite)"),
            ("data/what?.db", Dialect::Sqlite, "what?.db (sqlite)"),
            ("sqlite::memory:", Dialect::Sqlite, "memory (sqlite)"),
        ];
        for (url, dialect, label) in cases {
            let address = Address::parse(url).unwrap();
            assert_eq!((address.dialect, address.label.as_str()), (dialect, label), "{url}");
        }
        let address = Address::parse(cases[0].0).unwrap();
        assert_eq!(address.mask("no s+cret and no s%2Bcret"), format!("no {} and no {}", mask(6), mask(8)));
    }

    #[test]
    fn an_address_that_cannot_be_read_says_why() {
        let error = Address::parse("oracle://x").unwrap_err().to_string();
        assert!(error.starts_with("`oracle` is not a kind of database"), "{error}");
        for url in
            ["postgres://ann:hunter2@db:notaport/x", "mysql://ann:hunter2@db:99999/x", "sqlite:", "sqlite:a?mode=x"]
        {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(error.starts_with("the database's URL can't be read") && !error.contains("hunter2"), "{error}");
        }
    }
}
