//! What statements leave in a session that writes: another database, other settings, an open transaction, tables of its
//! own. What is counted in another session then needn't be what the next statement touches.

use std::collections::BTreeSet;

use crate::assess::sql_catalog::{names, statements};
use crate::domain::{Catalog, Dialect, Meaning};

/// How the sessions of a connection that write stand to a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Turned {
    /// As it: none ran anything that lasts.
    #[default]
    No,
    /// As it: they were compared. Settings that somebody made up can't be.
    Same,
    /// Other than it, in these words.
    Apart(String),
    /// A transaction is open, whose changes nobody else sees.
    Open,
    /// A statement that begins so may have changed what the next one means.
    By(String),
}

/// Statements that leave a session as it was.
const PLAIN: [&str; 23] = [
    "select", "with", "values", "table", "insert", "update", "delete", "merge", "replace", "truncate", "drop", "alter",
    "create", "rename", "explain", "show", "describe", "desc", "analyze", "vacuum", "comment", "grant", "revoke",
];
/// The same of an engine's own. MySQL's `FLUSH` and `UNLOCK` may end a lock, and leave none but with the word for it.
const OWN: [(Dialect, &[&str]); 2] = [
    (Dialect::Sqlite, &["reindex"]),
    (Dialect::Mysql, &["optimize", "check", "repair", "checksum", "flush", "unlock", "kill"]),
];
/// SQLite's settings that are the file's, or nobody's, and the words with them.
const PRAGMAS: [&str; 17] = [
    "pragma",
    "main",
    "user_version",
    "application_id",
    "optimize",
    "wal_checkpoint",
    "integrity_check",
    "quick_check",
    "incremental_vacuum",
    "journal_mode",
    "wal",
    "delete",
    "truncate",
    "persist",
    "passive",
    "full",
    "restart",
];
/// What a refused statement may have done a part of.
const PARTLY: [&str; 8] = ["call", "execute", "do", "begin", "commit", "rollback", "end", "set"];
/// Words with which such a statement doesn't.
const LASTING: [&str; 5] = ["set_config", "temp", "temporary", "lock", "export"];

impl Turned {
    /// What holds behind statements that ran, or were begun.
    pub(super) fn after(self, dialect: Dialect, sql: &str) -> Self {
        let whole = names(dialect, sql).filter(|names| !names.conditional);
        match whole.and_then(|whole| Some((whole, statements(dialect, sql)?))) {
            Some((whole, statements)) => {
                let open = self == Self::Open;
                let after = statements.into_iter().fold(self, |now, sql| now.behind(dialect, sql));
                // The `END` of a body ends no transaction.
                let body = whole.verb == "create" && whole.words.contains("begin");
                if open && body && after == Self::No { Self::Open } else { after }
            }
            None => Self::By("a statement that can't be read".to_owned()),
        }
    }

    fn behind(self, dialect: Dialect, sql: &str) -> Self {
        let Some(names) = names(dialect, sql) else { return Self::By("a statement".to_owned()) };
        let has = |word: &str| names.words.contains(word);
        let own = || LASTING.into_iter().any(has) || names.words.iter().any(|word| word.starts_with("pg_temp"));
        match (self, names.verb.as_str()) {
            (now @ (Self::By(_) | Self::Apart(_)), _) => now,
            (now, verb) if (PLAIN.contains(&verb) || passing(dialect, verb, &names.words)) && !own() => now,
            (_, "begin" | "start") => Self::Open,
            (Self::No, "savepoint") if dialect == Dialect::Sqlite => Self::Open,
            (now, "commit" | "rollback") if has("chain") && !has("no") => now,
            (Self::Open, "commit" | "end" | "abort") => Self::No,
            (Self::Open, "rollback") if !has("to") => Self::No,
            (now, "commit" | "end" | "abort" | "rollback" | "savepoint" | "release") => now,
            (_, verb) => Self::By(format!("`{}`", verb.to_uppercase())),
        }
    }

    /// Why nothing can be counted for a statement beforehand, in a sentence.
    pub(super) fn why(&self) -> Option<String> {
        match self {
            Self::No | Self::Same => None,
            Self::Apart(why) => Some(format!("Its rows can't be counted beforehand: {why}.")),
            Self::Open => Some(
                "Its rows can't be counted beforehand: a transaction is open, and nobody else sees what it changed."
                    .to_owned(),
            ),
            Self::By(what) => Some(format!(
                "Its rows can't be counted beforehand: {what} ran on this connection, and may have changed what it touches."
            )),
        }
    }
}

/// Whether a statement of an engine leaves a session as it was.
fn passing(dialect: Dialect, verb: &str, words: &BTreeSet<String>) -> bool {
    let own = OWN.iter().any(|(engine, verbs)| *engine == dialect && verbs.contains(&verb));
    let pragma = dialect == Dialect::Sqlite && verb == "pragma";
    own || pragma && words.iter().all(|word| PRAGMAS.contains(&word.to_lowercase().as_str()))
}

/// Whether a text is one statement that does nothing where it is refused.
pub(super) fn whole(dialect: Dialect, sql: &str) -> bool {
    let Some(names) = names(dialect, sql).filter(|names| !names.conditional) else { return false };
    let one = statements(dialect, sql).is_some_and(|statements| statements.len() == 1);
    one && !PARTLY.contains(&names.verb.as_str())
}

/// Whether statements go over to another database of the server.
pub(super) fn moves(dialect: Dialect, sql: &str) -> bool {
    let goes = |sql: &str| names(dialect, sql).is_some_and(|names| names.verb == "use");
    dialect == Dialect::Mysql && statements(dialect, sql).unwrap_or_default().into_iter().any(goes)
}

/// Functions that tell what only their session knows.
const SESSION: [(Dialect, &[&str]); 3] = [
    (Dialect::Mysql, &["last_insert_id", "found_rows", "row_count", "connection_id"]),
    (Dialect::Sqlite, &["last_insert_rowid", "changes", "total_changes"]),
    (Dialect::Postgres, &["pg_backend_pid"]),
];
/// PostgreSQL's function that reads a setting.
const SETTING: &str = "current_setting";

/// Why nothing can be counted for such a statement in another session, in a sentence.
pub(super) fn variables(dialect: Dialect, sql: &str, turned: &Turned, catalog: Option<&Catalog>) -> Option<String> {
    let names = names(dialect, sql)?;
    let is = |one: &str| names.called.iter().any(|called| called.eq_ignore_ascii_case(one));
    let has = |word: &str| names.words.contains(word);
    // How many rows its values are stands in the text.
    let values = names.verb == "insert" && !has("select") && !has("replace");
    let functions = SESSION.iter().filter(|(engine, _)| *engine == dialect && !values).flat_map(|(_, names)| *names);
    let why = if dialect == Dialect::Mysql && names.operators.iter().any(|operator| operator.contains('@')) {
        "it reads variables that only its session knows".to_owned()
    } else if let Some(function) = functions.copied().find(|function| is(function)) {
        format!("what `{function}` gives, only its session knows")
    } else if dialect == Dialect::Postgres && *turned == Turned::Same && reads_setting(has(SETTING), catalog) {
        "it reads settings that only its session may know".to_owned()
    } else {
        return None;
    };
    Some(format!("Its rows can't be counted beforehand: {why}."))
}

/// Whether a statement, or what its names lead to, reads a setting: somebody may have made it up, and no catalog lists
/// those.
fn reads_setting(itself: bool, catalog: Option<&Catalog>) -> bool {
    let mut entries = catalog.iter().flat_map(|catalog| &catalog.entries);
    itself || entries.any(|entry| matches!(&entry.meaning, Meaning::Text(text) if text.contains(SETTING)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_statement_leaves_is_known_by_its_verb() {
        let after = |statements: &[(Dialect, &str)]| {
            statements.iter().fold(Turned::No, |turned, (dialect, sql)| turned.after(*dialect, sql))
        };
        let (maria, post, lite) = (Dialect::Mysql, Dialect::Postgres, Dialect::Sqlite);
        let plain = [
            (maria, "DELETE FROM o WHERE id = 1"),
            (post, "WITH x AS (SELECT 1) INSERT INTO o SELECT * FROM x"),
            (lite, "CREATE TABLE t (a)"),
            (post, "COMMIT"),
        ];
        assert_eq!(after(&plain), Turned::No);
        let open = (post, "BEGIN");
        assert_eq!(after(&[open, plain[0]]), Turned::Open);
        assert_eq!(after(&[(post, "BEGIN; DELETE FROM o; ROLLBACK")]), Turned::No);
        assert_eq!(after(&[open, (post, "ROLLBACK TO SAVEPOINT s")]), Turned::Open);
        assert_eq!(after(&[(maria, "START TRANSACTION"), (maria, "ROLLBACK")]), Turned::No);
        assert_eq!(after(&[(maria, r"UPDATE o SET p = 'C:\\x'")]), Turned::No);
        assert_eq!(after(&[(lite, "SAVEPOINT s")]), Turned::Open);
        assert_eq!(after(&[open, (post, "COMMIT AND CHAIN")]), Turned::Open);
        assert_eq!(after(&[open, (post, "COMMIT AND NO CHAIN")]), Turned::No);
        let body = "CREATE TRIGGER t AFTER INSERT ON o BEGIN DELETE FROM x; END";
        assert_eq!(after(&[(lite, "BEGIN"), (lite, body)]), Turned::Open);
        let reads = |dialect, sql: &str| variables(dialect, sql, &Turned::Same, None);
        assert!(reads(maria, "DELETE FROM o WHERE id > @x").is_some());
        assert!(reads(maria, "DELETE FROM o WHERE m = 'a@b' AND row_count = 1").is_none());
        assert!(reads(maria, "DELETE FROM o WHERE id = LAST_INSERT_ID()").unwrap().contains("`last_insert_id`"));
        assert!(reads(post, "DELETE FROM o WHERE t = current_setting('my.tenant')").is_some());
        assert_eq!(variables(post, "DELETE FROM o WHERE t = current_setting('my.tenant')", &Turned::No, None), None);
        assert_eq!(reads(maria, "INSERT INTO o VALUES (LAST_INSERT_ID(), 1)"), None);
        assert!(reads(maria, "INSERT INTO o SELECT LAST_INSERT_ID()").is_some());
        assert!(reads(lite, "DELETE FROM o WHERE id = last_insert_rowid()").is_some());
        for (dialect, sql) in [
            (lite, "REINDEX"),
            (lite, "PRAGMA main.journal_mode = WAL"),
            (lite, "PRAGMA user_version = 5"),
            (lite, "PRAGMA optimize"),
            (maria, "OPTIMIZE TABLE o"),
            (maria, "FLUSH TABLES"),
            (maria, "UNLOCK TABLES"),
        ] {
            assert_eq!(after(&[(dialect, sql)]), Turned::No, "{sql}");
        }
        assert!(whole(maria, "KILL 9") && whole(lite, "ATTACH 'x' AS y"));
        assert!(!whole(maria, "CALL p()") && !whole(maria, "CREATE TEMPORARY TABLE t (a INT); SELECT 1"));
        for (dialect, sql) in [
            (maria, "USE h"),
            (maria, "/*! USE h */"),
            (maria, "SET NAMES latin1"),
            (maria, "FLUSH TABLES WITH READ LOCK"),
            (maria, "FLUSH TABLES o FOR EXPORT"),
            (maria, "CREATE TEMPORARY TABLE t (a INT)"),
            (post, "SET search_path TO s"),
            (post, "SELECT set_config('search_path', 's', false)"),
            (post, "SELECT 1 AS a INTO TEMP t"),
            (post, "CREATE TEMP TABLE t (a int)"),
            (post, "CREATE TABLE pg_temp.t (a int)"),
            (post, "DO $$ BEGIN PERFORM 1; END $$"),
            (lite, "ATTACH 'x' AS y"),
            (lite, "PRAGMA foreign_keys = off"),
            (lite, "PRAGMA foreign_keys = optimize"),
        ] {
            assert!(matches!(after(&[(dialect, sql), (dialect, "COMMIT")]), Turned::By(_)), "{sql}");
        }
        assert!(moves(maria, "SELECT 1; USE h") && !moves(maria, "SELECT 1 AS `use`"));
        assert!(Turned::No.why().is_none());
        assert!(after(&[(maria, "USE h")]).why().unwrap().contains("`USE` ran on this connection"));
    }
}
