//! The reads for a change behind a `WITH`: those of the change by itself, with the same `WITH` before each.

use sqlparser::ast::{Query, SetExpr};

use super::super::touch::{bare, steady};
use super::{After, Parsed, Reads, of, writes};
use crate::domain::Dialect;

/// The reads.
///
/// # Errors
/// The `WITH` changes rows itself, or names a table as the change does.
pub(super) fn behind(dialect: Dialect, query: Query) -> Result<Option<Reads>, String> {
    let unclear = || "Its rows can't be counted beforehand: it changes rows within or behind a `WITH`.".to_owned();
    let (Some(with), SetExpr::Delete(statement) | SetExpr::Update(statement) | SetExpr::Insert(statement)) =
        (query.with, *query.body)
    else {
        return Err(unclear());
    };
    if writes(&with) {
        return Err(unclear());
    }
    let Some(reads) = of(dialect, Parsed { statement, only: false, ignores: false })? else { return Err(unclear()) };
    // The change means the table, a read would mean the query of that name.
    let hides = with.cte_tables.iter().any(|cte| bare(&cte.alias.name).eq_ignore_ascii_case(&reads.place.1));
    if hides {
        return Err(unclear());
    }
    let chance = reads.chance || steady(&with).is_err();
    let led = |read: String| format!("{with} {read}");
    let from = reads.from.as_ref().map(|from| format!("FROM ({with} SELECT * {from}) AS touched"));
    Ok(Some(Reads {
        touched: reads.touched.map(led),
        sample: reads.sample.map(led),
        pairs: reads.pairs.map(led),
        after: reads.after.map(|after| After { sample: led(after.sample), ..after }),
        from,
        brought: None,
        chance,
        ..reads
    }))
}
