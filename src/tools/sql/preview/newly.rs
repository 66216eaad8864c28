//! Rows that are there and break what a statement newly demands of them, and what needs a thing that it drops: both make
//! it fail.

use super::super::session::Access;
use super::super::table::{lossy, question_with};
use super::super::value::quoted_text;
use super::broken::short;
use super::desk::Desk;
use super::held::FAILS;
use super::reach::PATIENCE;
use super::told::counted;
use crate::assess::sql_foresee::{Unmet, gone, newly};
use crate::domain::Dialect;
use crate::domain::number::thousands;

const NEEDS: &str = include_str!("../postgres/needs.sql");

/// How a sentence begins about what isn't sure to fail.
const MAY_FAIL: &str = "It may fail: ";

/// Most demands, or parts, that are looked at.
const LOOKED_AT: usize = 10;
/// Most things that are named.
const NAMED: usize = 5;

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

    /// What has to be said of things that need what a statement drops of a table, as it spells that. Of PostgreSQL.
    pub(super) async fn needing_parts(&self, sql: &str, table: &str) -> Vec<String> {
        let mut said = Vec::new();
        for gone in gone(self.dialect, sql).into_iter().take(LOOKED_AT) {
            // What needs it may be dropped by another part.
            let told = self.needing(table, gone.sort, &gone.name).await;
            said.extend(told.map(|told| if gone.alone { told } else { told.replacen(FAILS, MAY_FAIL, 1) }));
        }
        said
    }

    /// The same of one thing: of a `relation`, or of a `column` or `constraint` of it.
    pub(super) async fn needing(&self, spelled: &str, sort: &str, part: &str) -> Option<String> {
        if self.dialect != Dialect::Postgres {
            return None;
        }
        let text = |text: &str| quoted_text(Dialect::Postgres, text);
        let (sort, part) = (text(sort), text(part));
        let values = [("{sort}", sort.as_str()), ("{part}", part.as_str())];
        let asked = question_with(self.dialect, ["", NEEDS, ""], spelled, None, "", &values);
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.ok()?;
        let answer = session.ask(&asked).await.ok()?;
        self.source.give_back(Access::ReadOnly, session).await;
        // Questions around it yield a row of their own.
        let found = answer.rows.into_iter().filter(|row| row.len() == 2);
        let names = found.filter_map(|row| row.into_iter().nth(1).flatten());
        barred(&names.map(|name| lossy(&name)).collect::<Vec<_>>())
    }
}

/// `It would fail: view v needs it.`
fn barred(things: &[String]) -> Option<String> {
    let left = things.len().saturating_sub(NAMED);
    let mut named = things.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if left > 0 {
        named.push_str(&format!(" and {} more", thousands(left as u64)));
    }
    let verb = if things.len() == 1 { "needs" } else { "need" };
    (!things.is_empty()).then(|| format!("{FAILS}{named} {verb} it."))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_thing_is_named() {
        let names: Vec<String> = (1..=7).map(|at| format!("view v{at}")).collect();
        assert_eq!(barred(&names[..1]).unwrap(), "It would fail: view v1 needs it.");
        let said = "It would fail: view v1, view v2, view v3, view v4, view v5 and 2 more need it.";
        assert_eq!(barred(&names).unwrap(), said);
        assert_eq!(barred(&[]), None);
    }
}
