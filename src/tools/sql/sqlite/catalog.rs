//! Asks SQLite what the names in a statement lead to. Its databases hold no code but views, and the functions in
//! those are the engine's own.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::Row as _;
use sqlx::sqlite::SqliteConnection;

use super::super::session::Access;
use super::authorizer;
use crate::assess::sql_catalog::{function_acts, function_reads};
use crate::domain::{Catalog, CatalogEntry, Dialect, Maker, Meaning, Sort};

/// Modules of virtual tables that keep their rows in the database itself, or compute them.
const MODULES: &str = " fts3 fts4 fts4aux fts3tokenize fts5 fts5vocab rtree rtree_i32 geopoly dbstat generate_series ";

/// Asks.
pub(super) async fn ask(connection: &mut SqliteConnection, access: Access, sql: &str) -> Result<Catalog, sqlx::Error> {
    let mut handle = connection.lock_handle().await?;
    let uses = authorizer::uses(handle.as_raw_handle().as_ptr(), access, sql);
    drop(handle);
    let mut entries: Vec<CatalogEntry> = Vec::new();
    for name in &uses.functions {
        entries.extend(function(name));
    }
    let kept = kept(connection).await?;
    let modules = modules(connection).await?;
    for name in &uses.tables {
        let folded = name.to_ascii_lowercase();
        match kept.get(&folded) {
            Some(Some(module)) if MODULES.contains(&format!(" {module} ")) => {}
            Some(Some(module)) => entries.push(CatalogEntry {
                sort: Sort::Table,
                name: name.clone(),
                meaning: Meaning::Outside(format!("it is kept by the module {module}")),
            }),
            // A table that nobody made is a function that yields rows.
            None if modules.contains(&folded) || folded.starts_with("pragma_") => entries.extend(function(name)),
            // Or one of SQLite's own, or the statement's name for a query in it.
            Some(None) | None => {}
        }
    }
    entries.sort();
    Ok(Catalog { entries, ..Catalog::default() })
}

fn function(name: &str) -> Option<CatalogEntry> {
    let name = name.to_ascii_lowercase();
    let reads = function_reads(Dialect::Sqlite, &name) && !function_acts(Dialect::Sqlite, &name);
    (!reads).then_some(CatalogEntry { sort: Sort::Function, name, meaning: Meaning::Code(Maker::Engine) })
}

/// The tables and views that the database keeps, by folded name; for a virtual table its module.
async fn kept(connection: &mut SqliteConnection) -> Result<BTreeMap<String, Option<String>>, sqlx::Error> {
    let sql = "SELECT lower(name), sql FROM sqlite_schema WHERE type IN ('table', 'view')";
    let rows = sqlx::query(sql).persistent(false).fetch_all(connection).await?;
    let mut kept = BTreeMap::new();
    for row in rows {
        let (name, made): (String, Option<String>) = (row.try_get(0)?, row.try_get(1)?);
        kept.insert(name, made.as_deref().and_then(module));
    }
    Ok(kept)
}

/// The modules that there are, by folded name: those of functions that yield rows among them.
async fn modules(connection: &mut SqliteConnection) -> Result<BTreeSet<String>, sqlx::Error> {
    let sql = "SELECT lower(name) FROM pragma_module_list";
    let rows = sqlx::query(sql).persistent(false).fetch_all(connection).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// The module of a virtual table, from the statement that made it: `CREATE VIRTUAL TABLE … USING module(…)`.
fn module(made: &str) -> Option<String> {
    let folded = made.to_ascii_lowercase();
    let mut words = folded.split_whitespace();
    if !(words.next() == Some("create") && words.next() == Some("virtual")) {
        return None;
    }
    // Whatever stands there: what isn't a known module is an unknown one.
    let behind = words.skip_while(|word| *word != "using").nth(1).unwrap_or_default();
    Some(behind.split('(').next().unwrap_or_default().trim_matches(['"', '`', '[', ']', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_of_a_virtual_table_is_told() {
        assert_eq!(module("CREATE VIRTUAL TABLE t USING fts5(a, b)").as_deref(), Some("fts5"));
        assert_eq!(module("create virtual table \"t\" using \"CSV\" (filename='x')").as_deref(), Some("csv"));
        assert_eq!(module("CREATE TABLE using (a)"), None);
    }
}
