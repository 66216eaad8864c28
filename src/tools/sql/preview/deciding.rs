//! Which triggers of views decided what statements did: engines don't count what those change.

use super::super::connections::Source;
use super::super::session::Access;
use super::super::table::Known;
use super::told::events;
use crate::assess::sql_catalog::statements;
use crate::assess::sql_foresee::reads;

/// Most statements of one text that are looked at.
const STATEMENTS: usize = 5;
/// Seconds that the catalog may take.
const PATIENCE: u64 = 2;

/// The triggers, by the catalog as it is now.
pub(in super::super) async fn deciding(source: &Source, sql: &str) -> Vec<String> {
    let dialect = source.dialect();
    let mut names = Vec::new();
    for sql in statements(dialect, sql).unwrap_or_default().into_iter().take(STATEMENTS) {
        let Ok(Some(reads)) = reads(dialect, sql) else { continue };
        let Ok(mut session) = source.take(Access::ReadOnly, PATIENCE).await else { continue };
        let (schema, name) = &reads.place;
        let known = Known::ask(session.as_mut(), dialect, &reads.table, (schema.as_deref(), name)).await;
        let Ok(known) = known else { continue };
        source.give_back(Access::ReadOnly, session).await;
        let known = known.unwrap_or_default();
        names.extend(known.deciding(&events(dialect, &reads), &reads.updates).into_iter().map(str::to_owned));
    }
    names
}
