//! Code that a write sets off beside what its text says: defaults, checks, generated columns, casts and functions that
//! somebody put into the database. What such code does, no rollback and no statement of ours surely takes back. Asked of
//! the catalog for a preview, and again inside the transaction that tries or keeps.

use super::along::Along;
use super::connections::Failure;
use super::session::Session;
use crate::assess::sql_catalog::{self, Names};
use crate::domain::{Catalog, Class, Danger, Dialect, Finding};

/// The names in a write, and the tables whose rows go along with its own; none if they can't be told apart.
pub(super) fn names(dialect: Dialect, sql: &str, along: &[Along]) -> Option<Names> {
    let mut names = sql_catalog::names(dialect, sql)?;
    names.planned = true;
    for (schema, table) in along.iter().flat_map(Along::tables) {
        names.words.extend([schema, table]);
    }
    Some(names)
}

/// What is known of a text whose names can't be told apart.
pub(super) fn unclear() -> Catalog {
    Catalog::unknown("its names can't be told apart")
}

/// Asks on a session, in the transaction that is open there.
pub(super) async fn ask(
    session: &mut dyn Session,
    dialect: Dialect,
    sql: &str,
    along: &[Along],
) -> Result<Catalog, Failure> {
    match names(dialect, sql, along) {
        Some(names) => session.look(sql, &names).await,
        None => Ok(unclear()),
    }
}

/// Whether a rollback takes back all that it sets off.
///
/// # Errors
/// Why not: a full sentence.
pub(super) fn tried(dialect: Dialect, catalog: &Catalog) -> Result<(), String> {
    objections(dialect, catalog).into_iter().next().map_or(Ok(()), |finding| Err(finding.sentence))
}

/// Whether all that it sets off is told by the rows that it changes.
///
/// # Errors
/// Why not: a sentence that begins small.
pub(super) fn kept(dialect: Dialect, catalog: &Catalog) -> Result<(), String> {
    // That it reads what is secret leaves nothing behind.
    let acts = |finding: &Finding| finding.class != Class::Declared(Danger::Sensitive);
    let found = objections(dialect, catalog).into_iter().find(acts);
    found.map_or(Ok(()), |finding| Err(format!("nobody knows what else it does. {}", finding.sentence)))
}

fn objections(dialect: Dialect, catalog: &Catalog) -> Vec<Finding> {
    // That numbers stay taken is said.
    let entries = catalog.entries.iter().filter(|entry| entry.name != "nextval").cloned().collect();
    sql_catalog::objections(dialect, &Names::default(), &Catalog { entries, ..catalog.clone() })
}
