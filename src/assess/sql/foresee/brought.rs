//! Rows that are in the way of those that an `INSERT` or `REPLACE` brings: those with the same values in the columns of
//! a unique key, found by a read of the table alone. Of MySQL and SQLite.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Visit, Visitor};

use crate::domain::Dialect;

/// Rows that a statement brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Brought {
    /// As its text tells them: each value, or nothing for NULL and a default.
    Values(Vec<Vec<Option<String>>>),
    /// By a query.
    Query(String),
}

/// A column of the table that they go to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Its name.
    pub name: String,
    /// The same, quoted.
    pub quoted: String,
    /// It gets a value where none is given.
    pub filled: bool,
    /// It takes no NULL, nor makes a number of one.
    pub required: bool,
    /// A 0 becomes a new number. Of MySQL.
    pub counts: bool,
    /// Its type, as the engine spells it.
    pub kind: String,
    /// Character set and collation of its texts, of MySQL.
    pub collation: String,
}

/// A unique key of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Its own name.
    pub name: String,
    /// The names of its columns; an empty one for an expression.
    pub columns: Vec<String>,
    /// It holds for some rows alone, or for the beginning of a value.
    pub partial: bool,
}

impl Brought {
    /// Rows as a text tells them. None if a value depends on what stands elsewhere.
    pub(super) fn values(rows: &[&[Expr]]) -> Option<Self> {
        struct Look;
        impl Visitor for Look {
            type Break = ();

            fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
                match expr {
                    Expr::Identifier(name) if !name.value.eq_ignore_ascii_case("default") => ControlFlow::Break(()),
                    Expr::CompoundIdentifier(_) => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            }
        }
        let alone = |value: &Expr| value.visit(&mut Look).is_continue();
        if !rows.iter().all(|row| row.iter().all(alone)) {
            return None;
        }
        let value = |value: &Expr| {
            let text = value.to_string();
            let none = ["default", "null"].iter().any(|word| text.eq_ignore_ascii_case(word));
            (!none).then_some(text)
        };
        Some(Self::Values(rows.iter().map(|row| row.iter().map(value).collect()).collect()))
    }

    /// The condition of the rows of the table that are in their way. `named` are the columns that the statement names.
    /// None if that can't be told.
    #[must_use]
    pub fn in_the_way(&self, dialect: Dialect, named: &[String], own: &[Own], keys: &[Key]) -> Option<String> {
        let find = |name: &String| own.iter().find(|column| column.name.eq_ignore_ascii_case(name));
        let given: Vec<&Own> =
            if named.is_empty() { own.iter().collect() } else { named.iter().map(find).collect::<Option<_>>()? };
        let mut conditions = Vec::new();
        for key in keys {
            if key.partial {
                return None;
            }
            let columns: Vec<&Own> = key.columns.iter().map(find).collect::<Option<_>>()?;
            let places: Vec<Option<usize>> =
                columns.iter().map(|column| given.iter().position(|given| given == column)).collect();
            let missing = |(column, place): (&&Own, &Option<usize>)| place.is_none() && column.filled;
            if columns.iter().zip(&places).any(missing) {
                return None;
            }
            // What isn't given is NULL there, or a new number: nothing is in its way.
            let Some(places) = places.into_iter().collect::<Option<Vec<usize>>>() else { continue };
            conditions.extend(self.alike(dialect, &given, &places)?);
        }
        Some(if conditions.is_empty() { "1 = 0".to_owned() } else { conditions.join(" OR ") })
    }

    /// The conditions of the rows that have the same values in some columns, given by their places: one, or none if no
    /// row has. None if that can't be told.
    fn alike(&self, dialect: Dialect, given: &[&Own], places: &[usize]) -> Option<Vec<String>> {
        let quoted = |columns: &[&Own]| columns.iter().map(|own| own.quoted.clone()).collect::<Vec<_>>().join(", ");
        let key = quoted(&places.iter().map(|at| given[*at]).collect::<Vec<_>>());
        match self {
            Self::Query(query) => {
                let all = quoted(given);
                let brought =
                    format!("WITH countersign_brought ({all}) AS ({query}) SELECT {key} FROM countersign_brought");
                Some(vec![format!("({key}) IN ({brought})")])
            }
            Self::Values(rows) => {
                let mut values = Vec::new();
                for row in rows {
                    let filled = places.iter().any(|at| given[*at].filled && row.get(*at).is_none_or(Option::is_none));
                    if filled || row.len() != given.len() {
                        return None;
                    }
                    let row: Option<Vec<&str>> = places.iter().map(|at| row[*at].as_deref()).collect();
                    values.extend(row.map(|row| format!("({})", row.join(", "))));
                }
                let lead = if dialect == Dialect::Sqlite { "VALUES " } else { "" };
                let condition = || format!("({key}) IN ({lead}{})", values.join(", "));
                Some((!values.is_empty()).then(condition).into_iter().collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reads;
    use super::*;

    fn own(name: &str, filled: bool) -> Own {
        Own { name: name.to_owned(), quoted: format!("`{name}`"), filled, ..Own::default() }
    }

    fn told(dialect: Dialect, sql: &str) -> Option<String> {
        let own = [own("id", false), own("a", false), own("b", true)];
        let columns = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let key = |names: &[&str]| Key { columns: columns(names), ..Key::default() };
        let reads = reads(dialect, sql).unwrap().unwrap();
        reads.brought?.in_the_way(dialect, &reads.columns, &own, &[key(&["id"]), key(&["a", "b"])])
    }

    #[test]
    fn rows_in_the_way_have_the_same_key() {
        for (dialect, sql, condition) in [
            (
                Dialect::Mysql,
                "REPLACE INTO t VALUES (1, 'x', 3), (2, NULL, 4)",
                "(`id`) IN ((1), (2)) OR (`a`, `b`) IN (('x', 3))",
            ),
            (Dialect::Sqlite, "REPLACE INTO t (b, A) VALUES (1, 2)", "(`a`, `b`) IN (VALUES (2, 1))"),
            (Dialect::Mysql, "REPLACE t SET a = 5, b = 6", "(`a`, `b`) IN ((5, 6))"),
            (Dialect::Mysql, "REPLACE INTO t (a, b) VALUES (NULL, 1)", "1 = 0"),
            (
                Dialect::Sqlite,
                "INSERT OR REPLACE INTO t (id, b) SELECT 1, 2",
                "(`id`) IN (WITH countersign_brought (`id`, `b`) AS (SELECT 1, 2) SELECT `id` FROM countersign_brought)",
            ),
        ] {
            assert_eq!(told(dialect, sql).as_deref(), Some(condition), "{sql}");
        }
        for (dialect, sql) in [
            // A default that nobody knows, a column that means another row's, values that are too few.
            (Dialect::Mysql, "REPLACE INTO t (id, a) VALUES (1, 2)"),
            (Dialect::Mysql, "REPLACE INTO t VALUES (1, 2, DEFAULT)"),
            (Dialect::Mysql, "REPLACE INTO t VALUES (id + 1, 2, 3)"),
            (Dialect::Mysql, "REPLACE INTO t VALUES (1, 2)"),
            (Dialect::Mysql, "REPLACE INTO t (id, c) VALUES (1, 2)"),
            (Dialect::Sqlite, "REPLACE INTO t DEFAULT VALUES"),
        ] {
            assert_eq!(told(dialect, sql), None, "{sql}");
        }
    }
}
