//! What statements leave in a session that writes: another database, other settings, an open transaction, tables of its
//! own. What is counted in another session then needn't be what the next statement touches.

use crate::assess::sql_catalog::{names, statements};
use crate::domain::Dialect;

/// How the sessions of a connection that write stand to a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Turned {
    /// As it.
    #[default]
    No,
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
/// Words with which such a statement doesn't.
const LASTING: [&str; 3] = ["set_config", "temp", "temporary"];

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
            (Self::By(verb), _) => Self::By(verb),
            (now, verb) if PLAIN.contains(&verb) && !own() => now,
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
            Self::No => None,
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

/// Whether statements go over to another database of the server.
pub(super) fn moves(dialect: Dialect, sql: &str) -> bool {
    let goes = |sql: &str| names(dialect, sql).is_some_and(|names| names.verb == "use");
    dialect == Dialect::Mysql && statements(dialect, sql).unwrap_or_default().into_iter().any(goes)
}

/// Why nothing can be counted for such a statement in another session, in a sentence.
pub(super) fn variables(dialect: Dialect, sql: &str) -> Option<String> {
    let reads = names(dialect, sql).is_some_and(|names| names.operators.iter().any(|operator| operator.contains('@')));
    (dialect == Dialect::Mysql && reads)
        .then(|| "Its rows can't be counted beforehand: it reads variables that only its session knows.".to_owned())
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
        assert!(variables(maria, "DELETE FROM o WHERE id > @x").is_some());
        assert!(variables(maria, "DELETE FROM o WHERE m = 'a@b'").is_none());
        for (dialect, sql) in [
            (maria, "USE h"),
            (maria, "/*! USE h */"),
            (maria, "SET NAMES latin1"),
            (maria, "CREATE TEMPORARY TABLE t (a INT)"),
            (post, "SET search_path TO s"),
            (post, "SELECT set_config('search_path', 's', false)"),
            (post, "SELECT 1 AS a INTO TEMP t"),
            (post, "CREATE TEMP TABLE t (a int)"),
            (post, "CREATE TABLE pg_temp.t (a int)"),
            (post, "DO $$ BEGIN PERFORM 1; END $$"),
            (lite, "ATTACH 'x' AS y"),
            (lite, "PRAGMA foreign_keys = off"),
        ] {
            assert!(matches!(after(&[(dialect, sql), (dialect, "COMMIT")]), Turned::By(_)), "{sql}");
        }
        assert!(moves(maria, "SELECT 1; USE h") && !moves(maria, "SELECT 1 AS `use`"));
        assert!(Turned::No.why().is_none());
        assert!(after(&[(maria, "USE h")]).why().unwrap().contains("`USE` ran on this connection"));
    }
}
