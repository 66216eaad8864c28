//! How many rows of other tables PostgreSQL's `TRUNCATE … CASCADE` takes along.

use std::time::Instant;

use super::super::session::Access;
use super::super::table::{Known, lossy, question_with};
use super::super::value::quoted_name;
use super::desk::Desk;
use super::reach::{KEYS, Number, PATIENCE, Reach, TIME};
use crate::assess::sql_foresee::Reads;

const EMPTIED: &str = include_str!("../postgres/emptied.sql");

/// Most tables that are named.
const NAMED: usize = 40;

impl Desk<'_> {
    /// Counts the rows of the tables that are emptied together with the one that a statement names.
    pub(super) async fn emptied(&self, reads: &Reads, known: &Known) -> Reach {
        let mut reach = Reach::default();
        let Some(tables) = self.refer(reads, known).await else {
            reach.more = true;
            return reach;
        };
        let started = Instant::now();
        reach.more = tables.len() > NAMED;
        for (at, (schema, name, whole)) in tables.into_iter().take(NAMED).enumerate() {
            let stops = at >= KEYS || started.elapsed() > TIME || self.cancel.is_cancelled();
            let place = format!("{}.{}", quoted_name(self.dialect, &schema), quoted_name(self.dialect, &name));
            let only = if whole { "" } else { "ONLY " };
            let rows = if stops { None } else { self.count(&format!("FROM {only}{place}")).await };
            reach.add(&(schema, name), rows.map_or(Number::Unknown, Number::Exactly));
        }
        reach
    }

    /// Schema and name of those tables, and whether the rows of what inherits from them are theirs. None if the catalog
    /// doesn't tell.
    async fn refer(&self, reads: &Reads, known: &Known) -> Option<Vec<(String, String, bool)>> {
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.ok()?;
        let spelled = known.place(self.dialect);
        let heirs = [("{heirs}", if reads.only { "false" } else { "true" })];
        let asked = question_with(self.dialect, ["", EMPTIED, ""], &spelled, None, &known.name, &heirs);
        let answer = session.ask(&asked).await.ok()?;
        self.source.give_back(Access::ReadOnly, session).await;
        let tables = answer.rows.into_iter().filter(|row| row.len() == 3).map(|row| {
            let mut texts = row.into_iter().map(|value| value.map_or_else(String::new, |bytes| lossy(&bytes)));
            let [schema, name, whole] = std::array::from_fn(|_| texts.next().unwrap_or_default());
            (schema, name, whole == "whole")
        });
        Some(tables.collect())
    }
}
