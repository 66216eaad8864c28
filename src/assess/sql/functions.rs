//! What each engine's functions do, from the tables in `assets/rules/sql/`. A function that isn't in its
//! engine's table is unknown. Called by the reading of tokens and by the walk over the tree.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::danger::Act;
use crate::domain::{Class, Dialect, Finding, Span};

#[derive(Deserialize)]
struct Table {
    reads: Vec<Reads>,
    #[serde(default)]
    acts: Vec<Acts>,
    records: Option<Reads>,
}

#[derive(Deserialize)]
struct Reads {
    names: String,
}

#[derive(Deserialize)]
struct Acts {
    #[serde(flatten)]
    act: Act,
    #[serde(default)]
    volatile: bool,
    names: String,
}

/// What a function does.
#[derive(Clone, Debug)]
enum Deed {
    Reads,
    /// Reads, and its result has columns.
    Record,
    Acts {
        act: Act,
        volatile: bool,
    },
}

/// When the functions of a statement would be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calls {
    /// It runs.
    Run,
    /// It is only planned: PostgreSQL then calls nothing that it knows to be volatile.
    Planned,
}

/// The table of one engine. One that can't be read knows nothing, so that everything asks.
fn table(dialect: Dialect) -> &'static HashMap<String, Deed> {
    static TABLES: [OnceLock<HashMap<String, Deed>>; 3] = [OnceLock::new(), OnceLock::new(), OnceLock::new()];
    let (index, source) = match dialect {
        Dialect::Sqlite => (0, include_str!("../../../assets/rules/sql/sqlite.toml")),
        Dialect::Postgres => (1, include_str!("../../../assets/rules/sql/postgres.toml")),
        Dialect::Mysql => (2, include_str!("../../../assets/rules/sql/mysql.toml")),
    };
    TABLES[index].get_or_init(|| toml::from_str(source).map(deeds).unwrap_or_default())
}

fn deeds(table: Table) -> HashMap<String, Deed> {
    let mut deeds = HashMap::new();
    for reads in table.reads {
        deeds.extend(reads.names.split_whitespace().map(|name| (name.to_owned(), Deed::Reads)));
    }
    for name in table.records.iter().flat_map(|records| records.names.split_whitespace()) {
        deeds.insert(name.to_owned(), Deed::Record);
    }
    for Acts { act, volatile, names } in table.acts {
        for name in names.split_whitespace() {
            deeds.insert(name.to_owned(), Deed::Acts { act: act.clone(), volatile });
        }
    }
    deeds
}

/// What stands in the way of calling a function. `path` is its name by parts, folded as the engine folds.
pub(super) fn objection(dialect: Dialect, path: &[String], calls: Calls, span: Span) -> Option<Finding> {
    let (name, schema) = path.split_last()?;
    let known = match schema {
        [] => table(dialect).get(name),
        [schema] if dialect == Dialect::Postgres && schema == "pg_catalog" => table(dialect).get(name),
        [schema] if dialect == Dialect::Postgres && schema == "information_schema" => {
            table(dialect).get(name).filter(|_| name.starts_with("_pg_"))
        }
        _ => table(dialect).get(&path.join(".")),
    };
    match known {
        Some(Deed::Reads | Deed::Record) => None,
        Some(Deed::Acts { volatile: true, .. }) if calls == Calls::Planned => None,
        Some(Deed::Acts { act, .. }) => Some(act.finding(&path.join("."), span)),
        None => {
            let sentence = format!("No rule says that `{}()` only reads.", path.join("."));
            Some(Finding::new("sql.function-unknown", Class::Unknown, sentence).at(span))
        }
    }
}

/// Whether the engine's table says that the function only reads.
pub(super) fn reads(dialect: Dialect, name: &str) -> bool {
    matches!(table(dialect).get(name), Some(Deed::Reads | Deed::Record))
}

/// Whether the engine's table has the function.
pub(super) fn known(dialect: Dialect, name: &str) -> bool {
    table(dialect).contains_key(name)
}

/// Whether PostgreSQL's function returns columns.
pub(super) fn returns_columns(name: &str) -> bool {
    matches!(table(Dialect::Postgres).get(name), Some(Deed::Record))
}

/// What a function that is known to do more than read does.
pub(super) fn act(dialect: Dialect, name: &str, calls: Calls, span: Span) -> Option<Finding> {
    match table(dialect).get(name)? {
        Deed::Acts { act, volatile } if !(*volatile && calls == Calls::Planned) => Some(act.finding(name, span)),
        Deed::Reads | Deed::Record | Deed::Acts { .. } => None,
    }
}

/// A function that does more than read and that SQLite offers as a table without brackets (`FROM fsdir`).
pub(super) fn acts_as_table(name: &str, span: Span) -> Option<Finding> {
    if name.starts_with("pragma_") && !reads(Dialect::Sqlite, name) {
        let sentence = format!("No rule says that `{name}` only reads.");
        return Some(Finding::new("sql.function-unknown", Class::Unknown, sentence).at(span));
    }
    match table(Dialect::Sqlite).get(name) {
        Some(Deed::Acts { act, .. }) if act.rule.ends_with("-file") => Some(act.finding(name, span)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Dialect; 3] = [Dialect::Sqlite, Dialect::Postgres, Dialect::Mysql];

    #[test]
    fn every_table_is_readable_and_knows_count() {
        for dialect in ALL {
            assert!(reads(dialect, "count"), "{}", dialect.word());
        }
    }

    #[test]
    fn no_name_both_reads_and_acts() {
        for source in [
            include_str!("../../../assets/rules/sql/sqlite.toml"),
            include_str!("../../../assets/rules/sql/postgres.toml"),
            include_str!("../../../assets/rules/sql/mysql.toml"),
        ] {
            let table: Table = toml::from_str(source).unwrap();
            let reads: Vec<&str> = table.reads.iter().flat_map(|reads| reads.names.split_whitespace()).collect();
            for acts in &table.acts {
                for name in acts.names.split_whitespace() {
                    assert!(!reads.contains(&name), "{name}");
                    assert_eq!(name, name.to_ascii_lowercase());
                }
            }
        }
    }
}
