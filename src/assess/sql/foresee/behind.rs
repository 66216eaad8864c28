//! The reads for a change behind a `WITH`: those of the change by itself, with the same `WITH` before each.

use sqlparser::ast::{Query, SetExpr, With};

use super::super::touch::{bare, steady};
use super::{After, Brought, Parsed, Reads, of, writes};
use crate::domain::Dialect;

/// The reads.
///
/// # Errors
/// The `WITH` changes rows itself, or names a table as the change does.
pub(super) fn behind(dialect: Dialect, query: Query, only: bool) -> Result<Option<Reads>, String> {
    let unclear = || "Its rows can't be counted beforehand: it changes rows within or behind a `WITH`.".to_owned();
    let (Some(with), SetExpr::Delete(statement) | SetExpr::Update(statement) | SetExpr::Insert(statement)) =
        (query.with, *query.body)
    else {
        return Err(unclear());
    };
    if writes(&with) {
        return Err(unclear());
    }
    let Some(reads) = of(dialect, Parsed { statement, only, ignores: false })? else { return Err(unclear()) };
    // Where it wasn't found, the parser takes `ONLY` for the table.
    let taken = dialect == Dialect::Postgres && reads.place.1.eq_ignore_ascii_case("only");
    if taken || hides(&with, &reads.place.1) {
        return Err(unclear());
    }
    let chance = reads.chance || steady(&with).is_err();
    let led = |read: String| format!("{with} {read}");
    // A query that begins with one of its own can't stand behind another.
    let brought = match reads.brought {
        Some(Brought::Query(query)) if steady(&with).is_ok() && !query.to_lowercase().starts_with("with") => {
            Some(Brought::Query(led(query)))
        }
        _ => None,
    };
    let from = reads.from.as_ref().map(|from| format!("FROM ({with} SELECT * {from}) AS touched"));
    Ok(Some(Reads {
        touched: reads.touched.map(led),
        sample: reads.sample.map(led),
        pairs: reads.pairs.map(led),
        after: reads.after.map(|after| After { sample: led(after.sample), ..after }),
        from,
        brought,
        chance,
        ..reads
    }))
}

/// Whether a query of a `WITH` is called as a table is: a change means the table, a read would mean the query.
pub(in super::super) fn hides(with: &With, table: &str) -> bool {
    with.cte_tables.iter().any(|cte| bare(&cte.alias.name).eq_ignore_ascii_case(table))
}
