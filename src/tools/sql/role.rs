//! As whom a database is used, and how to make a role that only reads: the wall that no mistake of ours can open.
//! Shown by `countersign doctor`; changes nothing.

use std::time::Duration;

use tokio::time::timeout;

use super::Connections;
use super::address::Options;
use super::connections::Source;
use super::session::Access;
use crate::domain::{Dialect, Role};

/// Time that one database has to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Name of the role that is proposed.
const READER: &str = "countersign_reader";

/// What is known of the roles of one connection.
#[derive(Clone, Debug)]
pub struct Roles {
    /// Its name and place, as shown.
    pub label: String,
    /// The role that reads unasked, or why it couldn't be asked.
    pub reading: Result<Role, String>,
    /// Whether what runs unasked has a URL of its own.
    pub apart: bool,
    /// Statements that make a role which only reads; none where there is one, or where there are no roles.
    pub advice: Vec<String>,
}

impl Connections {
    /// Asks every database as whom it is read.
    pub async fn roles(&self) -> Vec<Roles> {
        let mut all = Vec::new();
        for source in self.sources() {
            let asked = timeout(PATIENCE, ask(source)).await;
            let reading = asked.unwrap_or_else(|_| Err(format!("no answer within {} s", PATIENCE.as_secs())));
            let powerful = reading.as_ref().is_ok_and(|role| !role.powers.is_empty());
            let apart = source.database.reading.is_some();
            let advice = if powerful || !apart { advice(source) } else { Vec::new() };
            all.push(Roles {
                label: format!("{}: {}", source.name, source.database.address.label),
                reading,
                apart,
                advice,
            });
        }
        all
    }
}

async fn ask(source: &Source) -> Result<Role, String> {
    let mut session = source.take(Access::ReadOnly, PATIENCE.as_secs()).await.map_err(|error| error.to_string())?;
    session.role().await.map_err(|failure| source.explain(failure).to_string())
}

/// The statements, for an administrator to run.
fn advice(source: &Source) -> Vec<String> {
    let lines: Vec<String> = match (&source.database.address.options, source.dialect()) {
        (Options::Postgres(options), _) => {
            let database = quoted(options.get_database().unwrap_or(options.get_username()), '"');
            vec![
                format!("CREATE ROLE {READER} LOGIN PASSWORD '…' NOINHERIT CONNECTION LIMIT 10;"),
                format!("GRANT CONNECT ON DATABASE {database} TO {READER};"),
                format!("GRANT USAGE ON SCHEMA public TO {READER};"),
                format!("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER};"),
                format!("ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO {READER};"),
                format!("ALTER ROLE {READER} SET default_transaction_read_only = on;"),
            ]
        }
        (Options::Mysql(options), _) => {
            let database = options.get_database().map_or_else(|| "*".to_owned(), |name| quoted(name, '`'));
            vec![
                format!("CREATE USER '{READER}'@'%' IDENTIFIED BY '…';"),
                format!("GRANT SELECT, SHOW VIEW ON {database}.* TO '{READER}'@'%';"),
            ]
        }
        (Options::Sqlite(_), Dialect::Sqlite | Dialect::Postgres | Dialect::Mysql) => Vec::new(),
    };
    lines
}

fn quoted(name: &str, quote: char) -> String {
    format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")))
}
