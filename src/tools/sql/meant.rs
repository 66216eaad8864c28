//! A table's name that was misspelt: the one that was probably meant stands behind the database's own words.

use super::session::Session;
use crate::domain::nearest;

/// How SQLite says that a table isn't there.
const MISSING: &str = "no such table: ";
/// The tables and views of a SQLite database, those of the connection alone included.
const TABLES: &str = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') \
    UNION SELECT name FROM sqlite_temp_master WHERE type IN ('table', 'view')";

/// Names the table that was meant, if the message says that one is missing and one is called nearly so.
pub(super) async fn add(session: &mut dyn Session, message: &mut String) {
    let Some(missing) = message.strip_prefix(MISSING) else { return };
    let missing = missing.strip_prefix("main.").unwrap_or(missing).to_owned();
    let Ok(answer) = session.ask(TABLES).await else { return };
    let names = answer.rows.iter().filter_map(|row| std::str::from_utf8(row.first()?.as_deref()?).ok());
    if let Some(name) = nearest(&missing, names) {
        message.push_str(". Did you mean ");
        message.push_str(name);
        message.push('?');
    }
}
