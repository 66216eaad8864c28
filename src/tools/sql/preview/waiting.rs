//! Who keeps waiting what is done to a whole table: PostgreSQL lets nobody else near it meanwhile, so it waits until all
//! who work on it have ended, and whoever comes after waits behind it.

use super::super::session::Access;
use super::super::table::lossy;
use super::super::value::quoted_text;
use super::desk::{Desk, PATIENCE};
use crate::assess::sql_foresee::{Act, Reads};
use crate::domain::Dialect;
use crate::domain::number::{duration, thousands};

const WAITING: &str = include_str!("../postgres/waiting.sql");

impl Desk<'_> {
    /// What has to be said of other sessions that work on a table which is emptied, dropped or altered.
    pub(super) async fn kept_waiting(&self, reads: &Reads) -> Option<String> {
        let whole = matches!(reads.act, Act::Empty | Act::Drop | Act::Alter);
        if !whole || self.dialect != Dialect::Postgres {
            return None;
        }
        let table = quoted_text(self.dialect, &reads.table);
        let asked = WAITING.replace("{patience}", &PATIENCE.to_string()).replace("{table}", &table);
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.ok()?;
        let answer = session.ask(&asked).await.ok()?;
        self.source.give_back(Access::ReadOnly, session).await;
        let row = answer.rows.into_iter().next()?;
        let numbers = row.into_iter().map(|value| lossy(&value?).parse().ok()).collect::<Option<Vec<u64>>>()?;
        let &[sessions, seconds] = numbers.as_slice() else { return None };
        let who = match sessions {
            0 => return None,
            1 => "Another session works".to_owned(),
            more => format!("{} other sessions work", thousands(more)),
        };
        let since = if seconds > 0 { format!(", for {} by now", duration(seconds * 1_000)) } else { String::new() };
        // Few things that are altered lock less.
        let may = if reads.act == Act::Alter { "may wait" } else { "waits" };
        Some(format!(
            "{who} on {}{since}: it {may} until that has ended, and whoever needs the table after it waits behind it.",
            reads.table
        ))
    }
}
