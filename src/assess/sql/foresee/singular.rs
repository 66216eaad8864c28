//! Unique keys that hold for some rows alone, or of what is worked out from a row, or that are looked at only at the end of
//! a statement or of its transaction: rows that an `INSERT` brings, or that an `UPDATE` leaves, which have one that is there.

use sqlparser::ast::{CreateIndex, Expr, Statement};

use super::broken::{Break, Look, look};
use super::brought::{Brought, Own};
use super::kept::given;
use super::{Parsed, Reads, count, statement};
use crate::domain::Dialect;

/// Such a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Singular {
    /// Its columns, or what is worked out, as SQL.
    pub parts: Vec<String>,
    /// For which rows it holds, where not for all.
    pub condition: Option<String>,
    /// It is looked at no sooner than at the end.
    pub late: bool,
}

/// The key of one of SQLite's indexes, by the statement that made it. None for an ordinary one, or one that isn't understood.
#[must_use]
pub fn singular(sql: &str) -> Option<Singular> {
    let Parsed { statement: Statement::CreateIndex(index), .. } = statement(Dialect::Sqlite, sql)? else { return None };
    let CreateIndex { unique: true, columns, predicate, .. } = index else { return None };
    let plain = columns.iter().all(|column| matches!(column.column.expr, Expr::Identifier(_)));
    let parts = columns.iter().map(|column| column.column.expr.to_string()).collect();
    let condition = predicate.map(|condition| condition.to_string());
    (!plain || condition.is_some()).then_some(Singular { parts, condition, late: false })
}

impl Singular {
    /// Its name in a sentence: `lower(mail)`, `(a, b) where c`.
    fn called(&self) -> String {
        let parts = self.parts.join(", ");
        let parts = if self.parts.len() == 1 { parts } else { format!("({parts})") };
        self.condition.as_ref().map_or_else(|| parts.clone(), |condition| format!("{parts} where {condition}"))
    }

    fn text(&self) -> String {
        let parts = self.parts.iter().chain(&self.condition);
        parts.cloned().collect::<Vec<_>>().join(" ")
    }

    /// The keys of some rows, those without one left out.
    fn of(&self, rows: &str) -> String {
        let items: Vec<String> = self.parts.iter().enumerate().map(|(at, part)| format!("({part}) AS k{at}")).collect();
        let given = self.parts.iter().map(|part| format!("({part}) IS NOT NULL"));
        let conditions = given.chain(self.condition.iter().map(|condition| format!("({condition})")));
        format!("SELECT {} {rows} WHERE {}", items.join(", "), conditions.collect::<Vec<_>>().join(" AND "))
    }

    fn names(&self) -> Vec<String> {
        (0..self.parts.len()).map(|at| format!("k{at}")).collect()
    }

    /// What they break: how many of `new` have one that is in `there`, but not in `old`; how many have one that another has.
    fn numbers(&self, dialect: Dialect, (new, there): (&str, &str), old: Option<&str>) -> Vec<(Break, String)> {
        let (count, names) = (count(dialect), self.names().join(", "));
        let alike = |other: &str| {
            let pairs = self.names().into_iter().map(|name| format!("{other}.{name} = countersign_new.{name}"));
            pairs.collect::<Vec<_>>().join(" AND ")
        };
        let exists =
            |keys: &str, called: &str| format!("EXISTS (SELECT 1 FROM ({keys}) AS {called} WHERE {})", alike(called));
        let taken = exists(there, "countersign_there");
        let kept = old.map(|old| format!(" AND NOT {}", exists(old, "countersign_old"))).unwrap_or_default();
        let taken = format!("SELECT {count} FROM ({new}) AS countersign_new WHERE {taken}{kept}");
        let twice = format!(
            "SELECT (SELECT {count} FROM ({new}) AS countersign_new) - \
             (SELECT {count} FROM (SELECT DISTINCT {names} FROM ({new}) AS countersign_new) AS countersign_one)"
        );
        vec![(Break::Taken(self.called()), taken), (Break::Repeated(self.called()), twice)]
    }
}

impl Brought {
    /// The read for rows that an `INSERT` brings with such a key that is there. `names` are the columns that it names.
    #[must_use]
    pub fn singular(
        &self,
        dialect: Dialect,
        names: &[String],
        (table, own): (&str, &[Own]),
        key: &Singular,
    ) -> Option<Look> {
        let given = given(dialect, names, own)?;
        let missing: Vec<&Own> = own.iter().filter(|own| !given.contains(own)).collect();
        let (rows, row) = self.worked_out(dialect, names, (&given, &missing), &key.text())?;
        let new = key.of(&format!("FROM ({row} WHERE NOT ({})) AS countersign_row", rows.odd));
        let numbers = key.numbers(dialect, (&new, &key.of(&format!("FROM {table}"))), None);
        look(dialect, &rows, numbers)
    }
}

impl Reads {
    /// The read for rows that an `UPDATE` leaves with such a key that is there, in a row that it doesn't touch.
    #[must_use]
    pub fn singular(&self, dialect: Dialect, (table, own): (&str, &[Own]), key: &Singular) -> Option<Look> {
        let (rows, after) = self.left(own)?;
        let given: Vec<&Own> = after.iter().collect();
        let hidden: Vec<Own> = own
            .iter()
            .filter(|own| !after.iter().any(|after| after.name == own.name))
            .map(|own| Own { filled: true, ..own.clone() })
            .collect();
        let (rows, row) = rows.worked_out(dialect, &[], (&given, &hidden.iter().collect::<Vec<_>>()), &key.text())?;
        let new = key.of(&format!("FROM ({row} WHERE NOT ({})) AS countersign_row", rows.odd));
        let old = key.of(&format!("FROM (SELECT * {}) AS countersign_before", self.from.as_ref()?));
        look(dialect, &rows, key.numbers(dialect, (&new, &key.of(&format!("FROM {table}"))), Some(&old)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reads;
    use super::*;

    #[test]
    fn an_index_for_some_rows_is_known_by_its_text() {
        let key = singular("CREATE UNIQUE INDEX i ON t (lower(a), b DESC) WHERE c > 0").unwrap();
        assert_eq!(
            (key.parts.as_slice(), key.condition.as_deref()),
            (["lower(a)", "b"].map(str::to_owned).as_slice(), Some("c > 0"))
        );
        assert_eq!(key.called(), "(lower(a), b) where c > 0");
        for sql in ["CREATE UNIQUE INDEX i ON t (a)", "CREATE INDEX i ON t (lower(a))", "CREATE TABLE t (a)"] {
            assert_eq!(singular(sql), None, "{sql}");
        }
    }

    #[test]
    fn what_comes_is_compared_with_what_is_there() {
        let own = ["a", "b"].map(|name| Own { name: name.to_owned(), quoted: format!("\"{name}\""), ..Own::default() });
        let key = Singular { parts: vec!["lower(a)".to_owned()], condition: Some("b".to_owned()), late: false };
        let told = reads(Dialect::Sqlite, "INSERT INTO t (a) VALUES ('X')").unwrap().unwrap();
        let look = told.brought.unwrap().singular(Dialect::Sqlite, &told.columns, ("\"t\"", &own), &key).unwrap();
        let new = "SELECT (lower(a)) AS k0 FROM (SELECT excluded.*, NULL AS \"b\" FROM excluded WHERE NOT (countersign_odd = 1)) \
            AS countersign_row WHERE (lower(a)) IS NOT NULL AND (b)";
        assert!(look.sql.contains(new), "{}", look.sql);
        assert_eq!(look.breaks[0], Break::Taken("lower(a) where b".to_owned()));
        let told = reads(Dialect::Sqlite, "UPDATE t SET a = 'X' WHERE b > 1").unwrap().unwrap();
        let look = told.singular(Dialect::Sqlite, ("\"t\"", &own), &key).unwrap();
        assert!(look.sql.contains("FROM (SELECT * FROM t WHERE b > 1) AS countersign_before"), "{}", look.sql);
    }
}
