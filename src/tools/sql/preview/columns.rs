//! What an `ALTER TABLE` makes of the values that its columns hold: how many go, and which the new type can't take.

use super::desk::Desk;
use super::held::FAILS;
use super::newly::MAY_FAIL;
use super::told::counted;
use crate::assess::sql_foresee::{Reads, Values, column_values};
use crate::domain::number::thousands;
use crate::domain::{Dialect, Preview};

use super::super::table::Known;

/// Most columns that are looked at.
const LOOKED_AT: usize = 10;

impl Desk<'_> {
    /// Says which values go; gives why it would fail.
    pub(super) async fn values_of_columns(
        &self,
        preview: &mut Preview,
        sql: &str,
        reads: &Reads,
        known: &Known,
    ) -> Vec<String> {
        let (table, mut needs) = (&reads.table, Vec::new());
        for of in column_values(self.dialect, sql).into_iter().take(LOOKED_AT) {
            match of {
                Values::Go { column, sql } => {
                    let there = known.columns.iter().any(|own| spells(&column, &own.name));
                    if !there {
                        continue;
                    }
                    let numbers = format!("SELECT ({sql}) AS held, ({}) AS rows_in_all", reads.all);
                    let said = match self.numbers(&numbers).await.as_deref() {
                        Ok([0, _]) => format!("The column {column} goes; no row has a value in it."),
                        Ok([held, all]) => {
                            let has = if *all == 1 { "has" } else { "have" };
                            format!(
                                "The column {column} goes with its values: {} of {} {has} one.",
                                thousands(*held),
                                counted(*all)
                            )
                        }
                        _ => format!("The column {column} goes with its values, which can't be counted."),
                    };
                    preview.effects.push(said);
                }
                Values::Become { column, kind, tried, longer } => {
                    let sure = self.dialect == Dialect::Postgres && self.source.database.reading.is_none();
                    let begins = if sure { FAILS } else { MAY_FAIL };
                    if let Some((sql, most)) = longer
                        && let Ok([rows]) = self.numbers(&sql).await.as_deref()
                        && *rows > 0
                    {
                        let (rows, have) = (counted(*rows), if *rows == 1 { "has" } else { "have" });
                        needs.push(format!(
                            "{begins}{rows} of {table} {have} a longer {column} than {} letters.",
                            thousands(most)
                        ));
                        continue;
                    }
                    let refused = match &tried {
                        Some(sql) => self.refused_value(sql).await,
                        None => None,
                    };
                    if let Some(why) = refused {
                        needs.push(format!("{begins}{column} can't become {kind} in each row: {why}."));
                    }
                }
            }
        }
        needs
    }
}

/// Whether a name as a statement writes it, with its quotes, is this one.
fn spells(written: &str, name: &str) -> bool {
    let inner = ['"', '`'].iter().find_map(|quote| {
        let inner = written.strip_prefix(*quote)?.strip_suffix(*quote)?;
        Some(inner.replace(&format!("{quote}{quote}"), &quote.to_string()))
    });
    inner.as_deref().unwrap_or(written).eq_ignore_ascii_case(name)
}
