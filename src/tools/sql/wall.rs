//! What a session that only reads refuses, whatever was judged before: the second wall, built from what the engine
//! itself says of a statement. Called by each engine's session, inside the transaction it reads in.

use super::connections::Failure;
use crate::assess::sql_catalog::{self, Names};
use crate::domain::{Catalog, Dialect};

/// First words of what may run there.
fn leads(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Postgres => &["select", "with", "values", "table", "show", "explain"],
        Dialect::Mysql => {
            &["select", "with", "values", "table", "show", "explain", "describe", "desc", "analyze", "help"]
        }
        Dialect::Sqlite => &["select", "with", "values", "explain", "pragma"],
    }
}

/// The names in a statement; refuses a text that isn't one by its first word.
pub(super) fn names(dialect: Dialect, sql: &str) -> Result<Names, Failure> {
    let names =
        sql_catalog::names(dialect, sql).ok_or_else(|| Failure::Walled("Its names can't be told apart.".to_owned()))?;
    if !leads(dialect).contains(&names.verb.as_str()) {
        let word: String = names.verb.chars().take(40).collect();
        return Err(Failure::Walled(format!("`{}` is no word that a read begins with.", word.to_uppercase())));
    }
    if names.does_more {
        return Err(Failure::Walled("It does more than tell or explain.".to_owned()));
    }
    if names.conditional {
        return Err(Failure::Walled("It holds a comment that the server may run.".to_owned()));
    }
    Ok(names)
}

/// Refuses what the catalog objects to.
pub(super) fn pass(dialect: Dialect, names: &Names, catalog: &Catalog) -> Result<(), Failure> {
    match sql_catalog::objections(dialect, names, catalog).into_iter().next() {
        Some(finding) => Err(Failure::Walled(finding.sentence)),
        None => Ok(()),
    }
}

/// Refuses what somebody changes while it is looked at, before it runs.
pub(super) fn still(same: bool) -> Result<(), Failure> {
    let sentence = "What its names lead to changed while it was looked up. Ask again once that has settled.";
    if same { Ok(()) } else { Err(Failure::Walled(sentence.to_owned())) }
}

/// Refuses what the engine says yields no rows: whatever it is, it isn't a read.
pub(super) fn yields(columns: usize) -> Result<(), Failure> {
    if columns == 0 { Err(Failure::Walled("The database says that it yields no rows.".to_owned())) } else { Ok(()) }
}

/// Refuses what a statement yielded, if its names led elsewhere while it ran than when they were judged.
pub(super) fn same(judged: &Catalog, ran: &Catalog) -> Result<(), Failure> {
    if judged == ran { Ok(()) } else { Err(Failure::Moved) }
}
