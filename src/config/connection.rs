//! The `[connections]` of the configuration: how a database is reached, as whom it is read, and whether its rows may
//! leave this machine.

use toml::de::DeTable;

use super::UrlSource;
use super::reader::Reader;

/// Schemes of connection URLs.
pub(super) const SCHEMES: [&str; 5] = ["sqlite", "postgres", "postgresql", "mysql", "mariadb"];

/// A database that can be connected to by name.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Its URL.
    pub url: UrlSource,
    /// The URL of a role that can only read: what runs unasked uses it.
    pub read_url: Option<UrlSource>,
    /// True if its rows stay on this machine: the model gets columns, types and counts alone.
    pub local_results: bool,
}

impl From<UrlSource> for Connection {
    fn from(url: UrlSource) -> Self {
        Self { url, read_url: None, local_results: false }
    }
}

impl Connection {
    /// Reads the table of one connection.
    pub(super) fn parse(reader: &mut Reader<'_>, name: &str, table: &DeTable<'_>) -> Option<Self> {
        reader.only(table, &["url", "url_env", "read_url", "read_url_env", "results"], |_| None);
        let url = source(reader, table, "url", "url_env");
        if url.is_none() && !table.contains_key("url") && !table.contains_key("url_env") {
            let at = table.keys().next().map_or(0, |key| key.span().start);
            reader.object(at, format!("the connection `{name}` needs a `url`, or a `url_env` that names a variable."));
        }
        let read_url = source(reader, table, "read_url", "read_url_env");
        let local_results = reader.choice(table, "results", &[("model", false), ("local", true)]);
        // What was meant to be narrower isn't used wider because of a mistake in it.
        let meant = |key: &str, known: bool| known || !table.contains_key(key);
        let sound = meant("read_url", read_url.is_some()) && meant("read_url_env", read_url.is_some());
        let sound = sound && meant("results", local_results.is_some());
        url.filter(|_| sound).map(|url| Self { url, read_url, local_results: local_results.unwrap_or_default() })
    }
}

/// A URL, or the variable that holds it.
fn source(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str, variable_key: &str) -> Option<UrlSource> {
    match (reader.text(table, key), reader.text(table, variable_key)) {
        (Some((_, place)), Some(_)) => {
            reader.object(place.start, format!("give either `{key}` or `{variable_key}`, not both."));
            None
        }
        (Some((url, place)), None) => {
            let scheme = url.split_once(':').map(|(scheme, _)| scheme);
            if scheme.is_some_and(|scheme| SCHEMES.contains(&scheme)) {
                return Some(UrlSource::Url(url.into()));
            }
            let schemes = "`sqlite:`, `postgres://`, `mysql://` or `mariadb://`";
            reader.object(place.start, format!("`{key}` must start with {schemes}."));
            None
        }
        (None, Some((variable, _))) => Some(UrlSource::Variable(variable)),
        (None, None) => None,
    }
}
