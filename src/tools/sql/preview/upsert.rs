//! How many of the rows that an `INSERT` brings are added, and how many are left out or change others, where it says what
//! becomes of rows in its way.

use super::super::inverse::Plan;
use super::super::table::Known;
use super::super::upsert::UNTOLD;
use super::desk::Desk;
use super::replaced::own;
use super::told;
use crate::assess::sql_foresee::{Act, InTheWay, Keys, Met, Most, Reads, Sees};
use crate::domain::Dialect;

impl Desk<'_> {
    /// How a statement's rows are kept, once it is known which rows it meets by the keys of those that it brings.
    ///
    /// # Errors
    /// Why that can't be told, in words that begin small.
    pub(super) async fn meeting(&self, mut plan: Plan, keys: Option<Keys>) -> Result<Plan, String> {
        let Some(keys) = keys else { return Ok(plan) };
        if let Some(odd) = keys.odd(self.dialect) {
            match self.numbers(&odd).await.as_deref() {
                Ok([0]) => {}
                Ok(_) | Err(_) => return Err(UNTOLD.to_owned()),
            }
        }
        plan.meets(&keys.meets());
        Ok(plan)
    }

    /// Why a `MERGE` is refused that meets a row more than once.
    pub(super) async fn met_again(&self, reads: &Reads, touched: u64) -> Option<String> {
        let pairs =
            self.numbers(reads.pairs.as_ref().filter(|_| reads.act == Act::Merge)?).await.ok()?.first().copied()?;
        // A row that a trigger leaves as it is may be met again.
        let sure = !reads.chance && !reads.fewer && reads.sees == Sees::Same && self.source.database.reading.is_none();
        let would = if sure { "would" } else { "may" };
        (pairs > touched).then(|| {
            let table = &reads.table;
            format!(
                "It {would} fail: several rows of its source meet the same row of {table}, which it can't change twice."
            )
        })
    }

    /// Counts them. None where that can't be told.
    pub(super) async fn met(&self, reads: &Reads, known: &Known) -> Option<Met> {
        let (upsert, brought) = (reads.upsert.as_ref()?, reads.brought.as_ref()?);
        // What the table, a trigger or a rule makes of it, no read tells.
        let plain = known.objection.is_empty()
            && known.in_the_way == InTheWay::Fail
            && known.firing(&told::events(self.dialect, reads), &reads.updates).is_empty()
            && !known.leaves_out
            && !(upsert.ignores && known.refuses)
            && !known.collated
            && !(known.guarded && self.source.database.reading.is_some())
            && !reads.chance;
        let exact = self.dialect != Dialect::Postgres || known.unique.iter().all(|key| known.exact(&key.columns));
        if reads.act != Act::Add || !plain || !exact {
            return None;
        }
        let table = known.place(self.dialect);
        let own = own(self.dialect, known);
        let count =
            upsert.count(self.dialect, reads.in_the_way, (brought, &reads.columns), (&table, &own, &known.unique))?;
        let mut met = count.told(&self.numbers(&count.sql).await.ok()?)?;
        if upsert.conditional() {
            let counted = match &count.changed {
                Some(sql) => self.numbers(sql).await.ok().and_then(|numbers| numbers.first().copied()),
                None => None,
            };
            met.others = counted.map_or(Most { sure: false, ..met.others }, |rows| Most { rows, ..met.others });
        }
        Some(met)
    }
}

/// Why PostgreSQL refuses to change a row twice.
pub(super) fn twice(dialect: Dialect, reads: &Reads, met: Option<&Met>) -> Option<String> {
    let refused = dialect == Dialect::Postgres && reads.in_the_way == InTheWay::Change;
    met.filter(|met| refused && met.twice)?;
    let sure = reads.upsert.as_ref().is_some_and(|upsert| !upsert.conditional());
    Some(format!("It {} fail: some of its rows have the same key.", if sure { "would" } else { "may" }))
}
