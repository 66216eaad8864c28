//! What `ALTER TABLE` does that the parser doesn't know: by its first words. What it does to single partitions, and of
//! which table everything else is.

use sqlparser::ast::{Ident, ObjectName};

use super::super::lex::{self, Kind, Token};
use super::{Act, Reads, count, whole};
use crate::domain::Dialect;

/// What becomes of partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The table, as the statement spells it.
    pub table: String,
    /// The partitions, as it spells them.
    pub names: String,
    /// What is done.
    pub deed: PartDeed,
    /// Counts their rows.
    pub rows: String,
    /// Counts the rows of the table.
    pub all: String,
}

/// What is done to a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartDeed {
    /// `DROP PARTITION`
    Drop,
    /// `TRUNCATE PARTITION`
    Empty,
    /// `DETACH PARTITION`
    Detach,
}

/// First words of statements that touch no rows of a table, whatever comes behind them.
const ROWLESS: [&str; 29] = [
    "analyze",
    "attach",
    "check",
    "checkpoint",
    "checksum",
    "cluster",
    "comment",
    "deallocate",
    "detach",
    "discard",
    "flush",
    "grant",
    "kill",
    "listen",
    "lock",
    "notify",
    "optimize",
    "pragma",
    "refresh",
    "reindex",
    "repair",
    "reset",
    "revoke",
    "security",
    "set",
    "show",
    "unlisten",
    "unlock",
    "vacuum",
];

/// The tokens of the one statement of a text.
fn one(dialect: Dialect, sql: &str) -> Option<Vec<Token>> {
    let quoting = *lex::quotings(dialect, sql).first()?;
    let tokens = lex::lex(sql, dialect, quoting).ok()?.tokens;
    let mut statements = tokens.split(|token| token.mark(';')).filter(|tokens| !tokens.is_empty());
    let first = statements.next()?;
    statements.next().is_none().then(|| first.to_vec())
}

/// Whether a statement that isn't understood touches no rows all the same.
pub(super) fn rowless(dialect: Dialect, sql: &str) -> bool {
    one(dialect, sql).is_some_and(|tokens| ROWLESS.iter().any(|word| tokens[0].is(word)))
}

/// A name that may have a schema, and how many tokens it takes.
fn name(dialect: Dialect, sql: &str, tokens: &[Token]) -> Option<(ObjectName, usize)> {
    let ident = |token: &Token| {
        let quote = if dialect == Dialect::Mysql { '`' } else { '"' };
        match token.kind {
            Kind::Word => Some(Ident::new(sql.get(token.span.clone())?)),
            Kind::Name => Some(Ident::with_quote(quote, token.text.replace(quote, &format!("{quote}{quote}")))),
            Kind::Text | Kind::Number | Kind::Mark(_) => None,
        }
    };
    let first = ident(tokens.first()?)?;
    match tokens.get(1) {
        Some(point) if point.mark('.') => Some((ObjectName::from(vec![first, ident(tokens.get(2)?)?]), 3)),
        _ => Some((ObjectName::from(vec![first]), 1)),
    }
}

/// The table of an `ALTER TABLE`, whether it leaves out what inherits from it, and what comes behind.
fn table(dialect: Dialect, sql: &str, tokens: &[Token]) -> Option<(ObjectName, bool, usize)> {
    let mut at = 0;
    let mut skip = |words: &[&str]| {
        let there = tokens.get(at..at + words.len()).is_some_and(|some| some.iter().zip(words).all(|(t, w)| t.is(w)));
        at += if there { words.len() } else { 0 };
        there
    };
    if !skip(&["alter"]) {
        return None;
    }
    while dialect == Dialect::Mysql && (skip(&["online"]) || skip(&["ignore"])) {}
    if !skip(&["table"]) {
        return None;
    }
    skip(&["if", "exists"]);
    let only = dialect == Dialect::Postgres && skip(&["only"]);
    let (name, taken) = name(dialect, sql, tokens.get(at..)?)?;
    Some((name, only, at + taken))
}

/// The reads for a table that is altered in a way that the parser doesn't know.
pub(super) fn altered(dialect: Dialect, sql: &str) -> Option<Reads> {
    let tokens = one(dialect, sql)?;
    let (name, only, _) = table(dialect, sql, &tokens)?;
    Some(whole(dialect, Act::Alter, &name, only))
}

/// What becomes of single partitions, if that is what a statement does.
#[must_use]
pub fn parts(dialect: Dialect, sql: &str) -> Option<Parts> {
    let tokens = one(dialect, sql)?;
    let (table, _, behind) = table(dialect, sql, &tokens)?;
    let does = tokens.get(behind..)?;
    let leads = |words: &[&str]| does.len() > words.len() && words.iter().zip(does).all(|(word, token)| token.is(word));
    let all = format!("SELECT {} FROM {table}", count(dialect));
    let spelled = table.to_string();
    if dialect == Dialect::Postgres && leads(&["detach", "partition"]) {
        let (part, _) = name(dialect, sql, &does[2..])?;
        let rows = format!("SELECT {} FROM {part}", count(dialect));
        return Some(Parts { table: spelled, names: part.to_string(), deed: PartDeed::Detach, rows, all });
    }
    if dialect != Dialect::Mysql {
        return None;
    }
    let (deed, at) = if leads(&["drop", "partition", "if", "exists"]) {
        (PartDeed::Drop, 4)
    } else if leads(&["drop", "partition"]) {
        (PartDeed::Drop, 2)
    } else if leads(&["truncate", "partition"]) {
        (PartDeed::Empty, 2)
    } else {
        return None;
    };
    if does[at].is("all") && does.len() == at + 1 {
        return Some(Parts { table: spelled, names: "all partitions".to_owned(), deed, rows: all.clone(), all });
    }
    let mut names = Vec::new();
    for (place, token) in does[at..].iter().enumerate() {
        match place % 2 {
            0 => names.push(name(dialect, sql, std::slice::from_ref(token))?.0.to_string()),
            _ if token.mark(',') => {}
            _ => return None,
        }
    }
    let names = names.join(", ");
    let rows = format!("SELECT count(*) FROM {table} PARTITION ({names})");
    Some(Parts { table: spelled, names, deed, rows, all })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_becomes_of_partitions_is_counted_by_their_names() {
        for (dialect, sql, deed, rows) in [
            (
                Dialect::Mysql,
                "ALTER TABLE s.Ev DROP PARTITION p1, `p 2`",
                PartDeed::Drop,
                "SELECT count(*) FROM s.Ev PARTITION (p1, `p 2`)",
            ),
            (Dialect::Mysql, "alter table ev truncate partition all;", PartDeed::Empty, "SELECT count(*) FROM ev"),
            (
                Dialect::Postgres,
                "ALTER TABLE IF EXISTS ev DETACH PARTITION s.\"Ev24\" CONCURRENTLY",
                PartDeed::Detach,
                "SELECT pg_catalog.count(*) FROM s.\"Ev24\"",
            ),
        ] {
            let parts = parts(dialect, sql).unwrap();
            assert_eq!((parts.deed, parts.rows.as_str()), (deed, rows), "{sql}");
        }
        for sql in [
            "ALTER TABLE ev DROP COLUMN a",
            "ALTER TABLE ev DROP PARTITION",
            "DROP TABLE ev; ALTER TABLE ev DROP \
            PARTITION p",
        ] {
            assert_eq!(parts(Dialect::Mysql, sql), None, "{sql}");
        }
    }

    #[test]
    fn what_the_parser_does_not_know_is_of_a_table_or_of_none() {
        let told = altered(Dialect::Mysql, "ALTER ONLINE TABLE `a b` ENGINE=InnoDB").unwrap();
        assert_eq!((told.act, told.place.1.as_str()), (Act::Alter, "a b"));
        assert_eq!(altered(Dialect::Mysql, "ALTER VIEW v AS SELECT 1"), None);
        assert!(rowless(Dialect::Sqlite, "PRAGMA foreign_keys=OFF"));
        for sql in ["PRAGMA x; DELETE FROM t", "DELETE FROM t", "", "CALL p()"] {
            assert!(!rowless(Dialect::Sqlite, sql), "{sql}");
        }
    }
}
