//! Rows that are there and break what a statement newly demands of them, and what needs a thing that it drops: both make
//! it fail.

use super::broken::short;
use super::desk::Desk;
use super::held::FAILS;
use super::needed::Part;
use super::told::counted;
use crate::assess::sql_foresee::{Gone, Reads, Unmet, gone, newly};
use crate::domain::Dialect;

/// How a sentence begins about what isn't sure to fail.
pub(super) const MAY_FAIL: &str = "It may fail: ";

/// Most demands, or parts, that are looked at.
const LOOKED_AT: usize = 10;

impl Desk<'_> {
    /// What has to be said of rows that break what a statement newly demands.
    pub(super) async fn unmet(&self, sql: &str) -> Vec<String> {
        let mut said = Vec::new();
        for new in newly(self.dialect, sql).into_iter().take(LOOKED_AT) {
            let found = self.numbers(&new.sql).await.ok().and_then(|numbers| numbers.first().copied());
            let Some(rows) = found.filter(|rows| *rows > 0) else { continue };
            // What MySQL does with a NULL there depends on its mode.
            let lax = self.dialect == Dialect::Mysql && matches!(new.breaks, Unmet::Null(_));
            let sure = new.alone && !lax && self.source.database.reading.is_none();
            said.push(sentence(&new.breaks, &new.table, rows, if sure { FAILS } else { MAY_FAIL }));
        }
        said
    }

    /// What has to be said of things that need what a statement drops of its table.
    pub(super) async fn needing_parts(&self, sql: &str, reads: &Reads) -> Vec<String> {
        let mut said = Vec::new();
        let (schema, table) = &reads.place;
        for Gone { sort, name, alone } in gone(self.dialect, sql).into_iter().take(LOOKED_AT) {
            let part = Part { spelled: &reads.table, place: (schema.as_deref(), table), sort, name: &name };
            // What needs it may be dropped by another part, and another role may find other things.
            let sure = alone && self.source.database.reading.is_none();
            let told = self.needing(&part).await;
            said.extend(told.map(|told| if sure { told } else { told.replacen(FAILS, MAY_FAIL, 1) }));
        }
        said
    }
}

fn sentence(breaks: &Unmet, table: &str, rows: u64, begins: &str) -> String {
    let say =
        |one: &str, several: &str| format!("{} of {table} {}", counted(rows), if rows == 1 { one } else { several });
    match breaks {
        Unmet::Unique(key) => {
            format!("{begins}{key} is to be unique, and {} one that another of them has.", say("has", "have"))
        }
        Unmet::Null(column) => format!("{begins}{} no {column}, which is to take no NULL.", say("has", "have")),
        Unmet::Bare(column) => format!("{begins}{} have no {column}, which takes no NULL.", say("would", "would")),
        Unmet::Check(text) => {
            format!("{begins}{} the check {}.", say("breaks", "break"), short(text))
        }
        Unmet::Parent(parent) => format!("{begins}{} to no row of {parent}.", say("refers", "refer")),
    }
}
