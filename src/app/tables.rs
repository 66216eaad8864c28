//! `/tables`: what tables a database has, in the words of its engine; and what to type where somebody asks it in the
//! words of another one's shell.

use serde_json::json;

use super::State;
use super::event::Effect;
use super::setting::Setting;
use crate::domain::{OperationId, OperationKind, Outcome};

/// Engines, as a connection's label names them, and what lists the tables of each.
const TABLES: [(&str, &str); 3] = [
    (
        "sqlite",
        "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name",
    ),
    (
        "postgres",
        "SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema NOT IN \
         ('pg_catalog', 'information_schema') ORDER BY table_schema, table_name",
    ),
    ("mysql", "SHOW TABLES"),
];
/// How shells of databases and other engines are asked for tables.
const ELSEWHERE: [&str; 5] = [".tables", "\\dt", "\\d", "show tables", "list tables"];

/// What is said of a word of another program's shell.
pub(super) const FOREIGN: &str =
    "That is for another program's shell: type /sql and SQL, or /tables to see what there is.";

/// Whether a message is a command of psql's, such as `\d orders`.
pub(super) fn elsewhere(typed: &str) -> bool {
    let mut words = typed.split_whitespace();
    let first = words.next().and_then(|word| word.strip_prefix('\\'));
    let command = first
        .is_some_and(|word| (1..=5).contains(&word.len()) && word.chars().all(|c| c.is_ascii_alphabetic() || c == '+'));
    command && words.count() < 2
}

/// What lists the tables of the database that the person's own SQL goes to.
fn query(setting: &Setting) -> Option<&'static str> {
    let label = setting.own.as_ref().map(|own| own.label.as_str()).or(setting.connection.as_deref())?;
    let engine = label.rsplit_once(" (")?.1.trim_end_matches(')');
    TABLES.iter().find(|(known, _)| *known == engine).map(|(_, query)| *query)
}

/// What to type instead of SQL that this engine doesn't know as such; none for what it may know.
pub(super) fn instead(setting: &Setting, typed: &str) -> Option<String> {
    let asked = typed.trim().trim_end_matches(';').trim_end().to_ascii_lowercase();
    let known = query(setting)?.eq_ignore_ascii_case(&asked);
    if ELSEWHERE.contains(&asked.as_str()) && !known {
        Some("/tables lists the tables of this database.".to_owned())
    } else if asked.starts_with(['.', '\\']) {
        Some(FOREIGN.to_owned())
    } else {
        None
    }
}

impl State {
    /// `/tables`
    pub(super) fn list_tables(&mut self, effects: &mut Vec<Effect>) -> Result<(), String> {
        let query = query(&self.setting).ok_or_else(|| super::switch::NO_CONNECTION.to_owned())?;
        self.direct("execute_sql", &json!({ "sql": query }), effects);
        Ok(())
    }

    /// A statement of the person's own named a table that isn't there: says how to see those that are.
    pub(super) fn hint_tables(&mut self, id: OperationId, outcome: &Outcome) {
        let Outcome::Failed { reason } = outcome else { return };
        let own = self.queue.get(id).filter(|item| !item.origin.by_model()).and_then(|item| item.prepared.as_ref());
        let sql = own.is_some_and(|prepared| matches!(prepared.operation.kind, OperationKind::Sql(_)));
        let reason = reason.to_ascii_lowercase();
        let missing = ["no such table", "doesn't exist", "does not exist"].iter().any(|said| reason.contains(said));
        let named = (reason.contains("table") || reason.contains("relation")) && !reason.contains("column");
        if sql && missing && named {
            self.hint = Some("/tables lists the tables that there are.".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::setting::OwnDatabase;
    use super::*;

    #[test]
    fn tables_are_asked_for_in_the_words_of_the_engine() {
        let mut setting = Setting { connection: Some("practice (sqlite)".to_owned()), ..Setting::default() };
        assert!(query(&setting).unwrap().contains("sqlite_master"));
        for typed in [".tables", "show tables;", r"\dt", ".schema orders"] {
            assert!(instead(&setting, typed).unwrap().contains("/tables"), "{typed}");
        }
        assert_eq!(instead(&setting, "SELECT 1"), None);
        for (typed, foreign) in [(r"\d", true), (r"\d+ orders", true), (r"\alpha is a letter", false), ("d", false)] {
            assert_eq!(elsewhere(typed), foreign, "{typed}");
        }
        setting.own = Some(OwnDatabase { label: "shop (mysql)".to_owned(), production: false });
        assert_eq!((query(&setting), instead(&setting, "show tables;")), (Some("SHOW TABLES"), None));
        assert_eq!(query(&Setting::default()), None);
    }
}
