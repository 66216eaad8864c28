//! Rows that are deleted because they are in the way of those that a `REPLACE` brings, or an `INSERT` that says so.

use super::super::table::Known;
use super::super::value::quoted_name;
use crate::assess::sql_foresee::{Act, InTheWay, Own, Reads};
use crate::domain::Dialect;

/// The reads for those rows. None if there are none to be told.
pub(super) fn replaced(dialect: Dialect, reads: &Reads, known: &Known) -> Option<Reads> {
    // Keys may compare texts by rules of their own, which a read of the table doesn't follow.
    if reads.act != Act::Add || reads.in_the_way != InTheWay::Go || known.collated || known.is_view() {
        return None;
    }
    let own = own(dialect, known);
    let condition = reads.brought.as_ref()?.in_the_way(dialect, &reads.columns, &own, &known.unique)?;
    let from = format!("FROM {} WHERE {condition}", known.place(dialect));
    Some(Reads {
        act: Act::Delete,
        touched: Some(format!("SELECT count(*) {from}")),
        sample: Some(format!("SELECT * {from} LIMIT 5")),
        from: Some(from),
        ..reads.clone()
    })
}

/// The columns of a table that rows are brought to.
pub(in super::super) fn own(dialect: Dialect, known: &Known) -> Vec<Own> {
    let own = known.columns.iter().filter(|column| dialect != Dialect::Sqlite || !column.generated);
    let own = own.map(|column| Own {
        name: column.name.clone(),
        quoted: quoted_name(dialect, &column.name),
        filled: column.filled || column.generated,
        required: column.required,
        counts: column.counts,
        kind: column.kind.clone(),
        collation: column.collation.clone(),
    });
    own.collect()
}
