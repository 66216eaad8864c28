//! Rows that an `INSERT` brings whose foreign key leads to no row, counted by a read.

use super::brought::{Brought, Key, Own};
use super::count;
use super::kept::KEPT;
use crate::domain::Dialect;

/// The read that counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// It.
    pub sql: String,
    /// None of them may refer to another row that is brought.
    pub sure: bool,
}

impl Brought {
    /// The read for a foreign key, given by its columns in pairs with those that they refer to, of a table that may be
    /// the rows' own. `named` are the columns that the statement names. None if it can't be told.
    #[must_use]
    pub fn lost(
        &self,
        dialect: Dialect,
        (named, own): (&[String], &[Own]),
        pairs: &[(String, String)],
        (parent, itself): (&str, bool),
    ) -> Option<Lost> {
        let key = |names: Vec<String>| Key { columns: names, ..Key::default() };
        let refers = key(pairs.iter().map(|(child, _)| child.clone()).collect());
        let referred = key(pairs.iter().map(|(_, parent)| parent.clone()).collect());
        let brought = itself.then(|| self.kept(dialect, (named, own), &[&refers, &referred], false)).flatten();
        // What the engine numbers may be what others refer to.
        let known = brought.filter(|rows| rows.keys.len() == 2);
        let sure = !itself || known.is_some();
        let rows = match known {
            Some(rows) => rows,
            None => self.kept(dialect, (named, own), &[&refers], false)?,
        };
        let columns = rows.keys.first()?;
        let quote = if dialect == Dialect::Mysql { '`' } else { '"' };
        let quoted = |name: &String| format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")));
        let parents: Vec<String> = referred.columns.iter().map(quoted).collect();
        let alike = |table: &str| {
            let pairs = columns.iter().zip(&parents);
            let pairs: Vec<String> =
                pairs.map(|(child, parent)| format!("{table}.{parent} = {KEPT}.{child}")).collect();
            pairs.join(" AND ")
        };
        let none =
            |table: &str, name: &str| format!("NOT EXISTS (SELECT 1 FROM {table} AS {name} WHERE {})", alike(name));
        let mut parts: Vec<String> = columns.iter().map(|column| format!("{column} IS NOT NULL")).collect();
        parts.push(format!("NOT ({})", rows.odd));
        parts.push(none(parent, "countersign_own"));
        if itself && sure {
            parts.push(none(KEPT, "countersign_other"));
        }
        let sql = format!("{} SELECT {} FROM {KEPT} WHERE {}", rows.with, count(dialect), parts.join(" AND "));
        Some(Lost { sql, sure })
    }
}
