//! Statements that the engine refuses before it runs anything of them: it is asked to prepare them, which runs nothing.

use std::time::Duration;

use tokio::time::timeout;

use super::super::connections::Failure;
use super::super::session::Access;
use super::super::{SqlError, code};
use super::desk::Desk;
use super::held::FAILS;
use crate::assess::sql_catalog::names;
use crate::domain::{Dialect, Preview};

/// Seconds that it may take.
const PATIENCE: u64 = 2;
/// First words of statements that every engine looks through as it prepares them.
const VERBS: [&str; 6] = ["delete", "insert", "merge", "replace", "update", "with"];
/// Of what else SQLite compiles whole.
const COMPILED: [&str; 3] = ["alter", "create", "drop"];

impl Desk<'_> {
    /// What is told of a statement that the engine refuses. None if it takes it, or doesn't say.
    pub(super) async fn refused(&self, sql: &str) -> Option<Preview> {
        let names = names(self.dialect, sql)?;
        let verb = names.verb.as_str();
        let prepared = VERBS.contains(&verb) || self.dialect == Dialect::Sqlite && COMPILED.contains(&verb);
        if !prepared || names.conditional {
            return None;
        }
        // Reading its values by their types may run somebody's code.
        let catalog = self.catalog(sql, &[]).await.ok()?;
        code::tried(self.dialect, &catalog).ok()?;
        let refusal = timeout(Duration::from_secs(PATIENCE), self.refusal(sql)).await.ok()??;
        let SqlError::Refused { message, .. } = self.source.explain(refusal) else { return None };
        let message = message.trim_end_matches('.');
        // Another role may find other things under the same names.
        let (begins, brief) = match self.source.database.reading {
            Some(_) => ("It may fail: ", "may fail"),
            None => (FAILS, "would fail"),
        };
        Some(Preview { brief: brief.to_owned(), warnings: vec![format!("{begins}{message}.")], ..Preview::default() })
    }

    async fn refusal(&self, sql: &str) -> Option<Failure> {
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.ok()?;
        let refusal = session.refusal(sql).await.ok()?;
        self.source.give_back(Access::ReadOnly, session).await;
        refusal
    }
}
