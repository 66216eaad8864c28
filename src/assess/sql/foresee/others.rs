//! What a statement does that touches no rows of a table: it drops a view or an index, or makes something that a `DROP`
//! takes away again. And whether a text replaces anything at all.

use sqlparser::ast::{ObjectName, ObjectType, Statement};

use super::super::lex;
use super::{InTheWay, Parsed, Parts, parts, place, statement};
use crate::domain::Dialect;

/// First words of statements that replace nothing.
const PLAIN: [&str; 10] =
    ["begin", "desc", "describe", "explain", "savepoint", "select", "show", "table", "values", "with"];

/// A view, an index or a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// `VIEW`
    View,
    /// `MATERIALIZED VIEW`
    Stored,
    /// `INDEX`
    Index,
    /// `TABLE`
    Table,
}

impl Thing {
    /// As a sentence names one of them.
    #[must_use]
    pub fn one(self) -> &'static str {
        match self {
            Self::View => "a view",
            Self::Stored => "a materialized view",
            Self::Index => "an index",
            Self::Table => "a table",
        }
    }

    /// As a sentence names it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Stored => "materialized view",
            Self::Index => "index",
            Self::Table => "table",
        }
    }
}

/// Something that a statement drops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// What it is.
    pub thing: Thing,
    /// Its name, as the statement spells it.
    pub spelled: String,
    /// Schema and name to look for: of MySQL's index, its table.
    pub place: (Option<String>, String),
    /// What depends on it goes along: `CASCADE`.
    pub cascade: bool,
}

/// A schema or database that a statement drops with what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// `schema` or `database`.
    pub word: &'static str,
    /// Its name, as the statement spells it.
    pub spelled: String,
    /// Its name, as the engine folds it.
    pub name: String,
    /// It needn't be empty: `CASCADE`.
    pub cascade: bool,
}

/// What a statement does that touches no rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Other {
    /// Drops views or indexes.
    Drops(Vec<Dropped>),
    /// Drops a schema or a database.
    Whole(Whole),
    /// Does something to single partitions.
    Parts(Parts),
    /// Makes something new.
    Makes {
        /// What it is.
        thing: Thing,
        /// Its name, as the statement spells it.
        spelled: String,
        /// Schema and name to look for: of MySQL's index, its table.
        place: (Option<String>, String),
        /// The statement that takes it away again.
        back: String,
        /// What becomes of one that is there: nothing is made, it stays, or it is replaced.
        in_the_way: InTheWay,
    },
}

/// What a statement does, if it is one of these.
#[must_use]
pub fn other(dialect: Dialect, sql: &str) -> Option<Other> {
    let Some(Parsed { statement, .. }) = statement(dialect, sql) else {
        return parts(dialect, sql).map(Other::Parts);
    };
    match statement {
        // Another database of PostgreSQL can't be looked into.
        Statement::Drop { object_type: sort @ (ObjectType::Schema | ObjectType::Database), names, cascade, .. } => {
            let word = match (dialect, sort) {
                (Dialect::Mysql, _) => "database",
                (Dialect::Postgres, ObjectType::Schema) => "schema",
                (Dialect::Postgres | Dialect::Sqlite, _) => return None,
            };
            let [one] = names.as_slice() else { return None };
            Some(Other::Whole(Whole { word, spelled: one.to_string(), name: place(dialect, one).1, cascade }))
        }
        Statement::Drop { object_type, names, cascade, table, temporary: false, .. } => {
            let thing = match object_type {
                ObjectType::View => Thing::View,
                ObjectType::MaterializedView => Thing::Stored,
                ObjectType::Index => Thing::Index,
                _ => return None,
            };
            let one = |name: &ObjectName| Dropped {
                thing,
                spelled: name.to_string(),
                place: place(dialect, table.as_ref().unwrap_or(name)),
                cascade,
            };
            Some(Other::Drops(names.iter().map(one).collect()))
        }
        Statement::CreateTable(made) if !made.temporary => {
            Some(makes(dialect, Thing::Table, &made.name, settled(made.or_replace, made.if_not_exists)))
        }
        Statement::CreateView(made) if !made.temporary => {
            let thing = if made.materialized { Thing::Stored } else { Thing::View };
            Some(makes(dialect, thing, &made.name, settled(made.or_replace, made.if_not_exists)))
        }
        Statement::CreateIndex(made) => {
            let (name, table) = (made.name?, made.table_name);
            let back = match (dialect, table.0.as_slice()) {
                (Dialect::Mysql, _) => format!("{name} ON {table}"),
                // An index lies where its table does.
                (Dialect::Postgres, [schema, _]) => format!("{schema}.{name}"),
                _ => name.to_string(),
            };
            let in_the_way = settled(false, made.if_not_exists);
            let at = match dialect {
                Dialect::Mysql => place(dialect, &table),
                Dialect::Postgres => (place(dialect, &table).0, place(dialect, &name).1),
                Dialect::Sqlite => place(dialect, &name),
            };
            let (spelled, back) = (name.to_string(), format!("DROP INDEX {back}"));
            Some(Other::Makes { thing: Thing::Index, spelled, place: at, back, in_the_way })
        }
        _ => None,
    }
}

fn settled(replaces: bool, stays: bool) -> InTheWay {
    match (replaces, stays) {
        (true, _) => InTheWay::Go,
        (false, true) => InTheWay::Stay,
        (false, false) => InTheWay::Fail,
    }
}

fn makes(dialect: Dialect, thing: Thing, name: &ObjectName, in_the_way: InTheWay) -> Other {
    let back = format!("DROP {} {name}", thing.word().to_uppercase());
    Other::Makes { thing, spelled: name.to_string(), place: place(dialect, name), back, in_the_way }
}

/// Whether a text may replace something: one of its statements begins neither like a query nor like a transaction. What can't be read does.
#[must_use]
pub fn replaces(dialect: Dialect, sql: &str) -> bool {
    let Some(quoting) = lex::quotings(dialect, sql).first().copied() else { return true };
    let Ok(lexed) = lex::lex(sql, dialect, quoting) else { return true };
    let mut statements = lexed.tokens.split(|token| token.mark(';'));
    statements.any(|tokens| {
        let Some(first) = tokens.iter().find(|token| !token.mark('(')) else { return false };
        let holds = |words: &[&str]| tokens.iter().any(|token| words.iter().any(|word| token.is(word)));
        let within = first.is("with") || first.is("explain") && holds(&["analyze"]);
        !PLAIN.iter().any(|word| first.is(word)) || within && holds(&["insert", "update", "delete", "merge"])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_is_dropped_by_its_own_name() {
        for (dialect, sql, told) in [
            (Dialect::Sqlite, "CREATE TABLE t (a)", "DROP TABLE t"),
            (Dialect::Postgres, "CREATE TABLE s.\"T\" AS SELECT 1", "DROP TABLE s.\"T\""),
            (Dialect::Postgres, "CREATE MATERIALIZED VIEW v AS SELECT 1", "DROP MATERIALIZED VIEW v"),
            (Dialect::Postgres, "CREATE INDEX i ON s.t (a)", "DROP INDEX s.i"),
            (Dialect::Mysql, "CREATE UNIQUE INDEX i ON t (a)", "DROP INDEX i ON t"),
        ] {
            let Some(Other::Makes { back, in_the_way: InTheWay::Fail, .. }) = other(dialect, sql) else {
                panic!("{sql}")
            };
            assert_eq!(back, told, "{sql}");
        }
        for (sql, told) in [
            ("CREATE TABLE IF NOT EXISTS t (a int)", InTheWay::Stay),
            ("CREATE OR REPLACE VIEW v AS SELECT 1", InTheWay::Go),
        ] {
            let Some(Other::Makes { in_the_way, .. }) = other(Dialect::Postgres, sql) else { panic!("{sql}") };
            assert_eq!(in_the_way, told, "{sql}");
        }
        for sql in ["CREATE TEMP TABLE t (a int)", "CREATE INDEX ON t (a)", "DROP TABLE t", "VACUUM", "SET a = 1"] {
            assert_eq!(other(Dialect::Postgres, sql), None, "{sql}");
        }
    }

    #[test]
    fn what_is_dropped_is_looked_for_where_it_lies() {
        let Some(Other::Drops(dropped)) = other(Dialect::Mysql, "DROP INDEX i ON s.t") else { panic!() };
        assert_eq!((dropped[0].spelled.as_str(), &dropped[0].place.1), ("i", &"t".to_owned()));
        let Some(Other::Drops(dropped)) = other(Dialect::Postgres, "DROP VIEW A, s.b CASCADE") else { panic!() };
        assert_eq!((dropped.len(), dropped[0].place.1.as_str(), dropped[1].cascade), (2, "a", true));
    }

    #[test]
    fn a_query_replaces_nothing() {
        for sql in
            ["(SELECT 1)", "WITH x AS (SELECT 1) SELECT 1", "SHOW TABLES", "; VALUES (1)", "EXPLAIN DELETE FROM t"]
        {
            assert!(!replaces(Dialect::Postgres, sql), "{sql}");
        }
        for sql in [
            "VACUUM",
            "SELECT 1; SET a = 1",
            "DROP DATABASE d",
            "GRANT ALL ON t TO u",
            "WITH x AS (SELECT 1) DELETE FROM t",
            "EXPLAIN ANALYZE DELETE FROM t",
        ] {
            assert!(replaces(Dialect::Postgres, sql), "{sql}");
        }
    }
}
