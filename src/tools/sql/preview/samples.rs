//! Some of the rows that a statement would touch, as a preview shows them.

use std::collections::BTreeSet;

use super::super::table::Known;
use super::desk::{Desk, Unread};
use super::told::Counts;
use crate::assess::sql_foresee::{Act, After, NewValue, NewValues, Reads};
use crate::domain::{Detail, Dialect, Preview, Table};

impl Desk<'_> {
    /// Shows some of the rows. Gives why one of the new values can't be computed, in the engine's words.
    pub(super) async fn samples(
        &self,
        preview: &mut Preview,
        reads: &Reads,
        counts: &Counts,
        known: Option<&Known>,
    ) -> Option<String> {
        let (sample, new, shows) = match self.once(reads, counts).await {
            Some(After { sample, new, shows }) => (Some(sample), new, *shows),
            None => (reads.sample.as_ref(), &reads.new, reads.new_values),
        };
        if let Some(sql) = sample.filter(|_| counts.touched > 0).map(|sql| with_kept(self.dialect, sql, new, known)) {
            let mut table = match self.read(&sql).await {
                Ok(table) => table,
                Err(unread) if unread.is_of_a_value() => return Some(unread.why.trim_end_matches('.').to_owned()),
                Err(Unread { why, .. }) => {
                    preview.effects.push(format!("Its rows can't be shown beforehand: {why}"));
                    return None;
                }
            };
            let title = match reads.act {
                Act::Change => match shows {
                    NewValues::All => "rows that match, each new value behind the old one",
                    NewValues::Some => "rows that match, some of the new values, each behind the old one",
                    NewValues::None => "rows that match",
                },
                Act::Add => "rows that it brings",
                Act::Merge => "rows that match, the source's values behind them",
                Act::Delete | Act::Empty | Act::Drop | Act::Alter => "rows that match",
            };
            if reads.act == Act::Change && shows != NewValues::None {
                changed_first(&mut table, known);
            }
            if reads.act == Act::Add {
                named(&mut table, self.dialect, reads, known);
            }
            let table = Table { total: counts.touched, ..table };
            preview.details.push(Detail::Rows { title: title.to_owned(), table });
        }
        if let Some(sql) = reads.added_sample.as_ref().filter(|_| counts.added > 0)
            && let Ok(table) = self.rows(sql).await
        {
            let (title, table) =
                ("rows of the source that are added".to_owned(), Table { total: counts.added, ..table });
            preview.details.push(Detail::Rows { title, table });
        }
        None
    }

    /// The sample of a change that joins, where no row of its table is met twice: which of the values it got then, nobody
    /// could tell.
    async fn once<'r>(&self, reads: &'r Reads, counts: &Counts) -> Option<&'r After> {
        let (after, pairs) = reads.after.as_ref().zip(reads.pairs.as_ref())?;
        let pairs = self.numbers(pairs).await.ok()?.first().copied()?;
        (pairs == counts.touched).then_some(after)
    }

    /// Shows some of the rows that are in the way of others.
    pub(super) async fn sample_of_gone(&self, preview: &mut Preview, gone: Option<&Reads>, counts: &Counts) {
        let (Some(gone), Some(total)) = (gone, counts.gone.filter(|rows| *rows > 0)) else { return };
        if let Some(sql) = &gone.sample
            && let Ok(table) = self.rows(sql).await
        {
            let title = "rows in their way, which are deleted".to_owned();
            preview.details.push(Detail::Rows { title, table: Table { total, ..table } });
        }
    }
}

/// Puts the key first and then what changes, old and new: of a wide table the rest may have no room.
fn changed_first(table: &mut Table, known: Option<&Known>) {
    let place = |name: &str| table.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    let keys = known.and_then(|known| known.keys.first()).into_iter().flatten();
    let mut order: Vec<usize> = keys.filter_map(|name| place(name)).collect();
    for (at, column) in table.columns.iter().enumerate() {
        if let Some(old) = column.strip_prefix("new ").and_then(place) {
            order.extend([old, at]);
        }
    }
    order.extend(0..table.columns.len());
    let mut seen = BTreeSet::new();
    order.retain(|at| seen.insert(*at));
    let types = std::mem::take(&mut table.types);
    table.types = order.iter().filter_map(|at| types.get(*at).cloned()).collect();
    table.columns = order.iter().map(|at| table.columns[*at].clone()).collect();
    for row in &mut table.rows {
        *row = order.iter().map(|at| row.get(*at).cloned().flatten()).collect();
    }
}

/// A sample whose new values are what their columns make of them.
fn with_kept(dialect: Dialect, sample: &str, new: &[NewValue], known: Option<&Known>) -> String {
    let mut sample = sample.to_owned();
    for new in new {
        let column = known.and_then(|known| known.columns.iter().find(|column| column.name == new.column));
        if let Some(kept) = column.and_then(|column| new.kept_as(dialect, &column.kind)) {
            sample = sample.replacen(&new.item, &kept, 1);
        }
    }
    sample
}

/// Heads the columns of rows that it brings by the names of those that they go to.
fn named(table: &mut Table, dialect: Dialect, reads: &Reads, known: Option<&Known>) {
    // Without a list, values go to the columns in their order; SQLite leaves out what it computes.
    let own = known.into_iter().flat_map(|known| &known.columns);
    let own = own.filter(|column| dialect != Dialect::Sqlite || !column.generated).map(|column| &column.name);
    let names: Vec<&String> = if reads.columns.is_empty() { own.collect() } else { reads.columns.iter().collect() };
    if names.len() >= table.columns.len() {
        table.columns.iter_mut().zip(names).for_each(|(column, name)| column.clone_from(name));
    }
}
