//! Rows that an `INSERT` brings and that refer to nothing: their foreign key leads to no row, and forbids that.

use super::super::session::Access;
use super::super::table::{Known, Link};
use super::desk::Desk;
use super::reach::PATIENCE;
use super::replaced::own;
use super::told;
use crate::assess::sql_foresee::{Act, InTheWay, Reads};
use crate::domain::Dialect;
use crate::domain::number::thousands;

impl Desk<'_> {
    /// What has to be said of them, table by table.
    pub(super) async fn orphans(&self, reads: &Reads, known: &Known) -> Vec<String> {
        // MySQL's `IGNORE` leaves them out.
        let leaves = self.dialect == Dialect::Mysql && reads.in_the_way == InTheWay::Stay;
        if reads.act != Act::Add || reads.brought.is_none() || leaves || known.is_view() {
            return Vec::new();
        }
        let mut said = Vec::new();
        for link in self.parents(known).await.unwrap_or_default() {
            if !link.off && !self.outlives(&link) {
                said.extend(self.orphan(reads, known, &link).await);
            }
        }
        said
    }

    async fn orphan(&self, reads: &Reads, known: &Known, link: &Link) -> Option<String> {
        let itself = link.schema == known.schema && link.table.eq_ignore_ascii_case(&known.name);
        let own = own(self.dialect, known);
        let place = link.place(self.dialect);
        let brought = reads.brought.as_ref()?;
        let lost = brought.lost(self.dialect, (&reads.columns, &own), &link.pairs, (&place, itself))?;
        let rows = self.numbers(&lost.sql).await.ok()?.first().copied().filter(|rows| *rows > 0)?;
        let parent = self.child(&(link.schema.clone(), link.table.clone())).await;
        // Rows that are left out or changed instead aren't looked at, nor those that a trigger makes others of.
        let sure = lost.sure
            && matches!(reads.in_the_way, InTheWay::Fail | InTheWay::Go)
            && !(itself && reads.in_the_way == InTheWay::Go)
            && !reads.chance
            && !reads.fewer
            && [Some(known), parent.as_ref()]
                .iter()
                .all(|one| one.is_some_and(|one| one.objection.is_empty() && !one.collated))
            && known.firing(&told::events(self.dialect, reads), &[]).is_empty();
        let (would, refer) = (if sure { "would" } else { "may" }, if rows == 1 { "refers" } else { "refer" });
        Some(format!("It {would} fail: {} of its rows {refer} to no row of {}.", thousands(rows), link.table))
    }

    /// The foreign keys of a table. None if the catalog doesn't tell.
    async fn parents(&self, known: &Known) -> Option<Vec<Link>> {
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.ok()?;
        let links = known.parents(session.as_mut(), self.dialect).await.ok()?;
        self.source.give_back(Access::ReadOnly, session).await;
        Some(links)
    }
}
