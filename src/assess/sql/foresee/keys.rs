//! The keys of the rows that an `INSERT` brings which says what becomes of rows in its way: by these it meets them. Told
//! for whoever keeps those rows before they change.

use super::brought::{Brought, Key, Own};
use super::kept::{KEPT, Kept, find, given};
use super::{Upsert, count};
use crate::domain::Dialect;

/// The keys by which rows of a table may be in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The columns of each key that all rows give a value, by their names.
    pub given: Vec<Vec<String>>,
    /// Those of each key that has a column which they give none: it stays NULL, or the engine numbers it.
    pub left: Vec<Vec<String>>,
    /// The rows that give them. None where no key is given.
    rows: Option<Kept>,
}

impl Upsert {
    /// The keys of the rows that a statement brings to a table with these columns and unique keys. `named` are the columns
    /// that it names. None if they can't be told.
    #[must_use]
    pub fn brought_keys(
        &self,
        dialect: Dialect,
        (brought, named): (&Brought, &[String]),
        (own, unique): (&[Own], &[Key]),
    ) -> Option<Keys> {
        let given = given(dialect, named, own)?;
        let (mut told, mut left): (Vec<&Key>, Vec<&Key>) = (Vec::new(), Vec::new());
        for key in self.keys(dialect, unique)? {
            let columns: Vec<&Own> = key.columns.iter().map(|name| find(dialect, own, name)).collect::<Option<_>>()?;
            let missing: Vec<&&Own> = columns.iter().filter(|column| !given.contains(column)).collect();
            if missing.iter().any(|column| column.filled || column.required) {
                return None;
            }
            if missing.is_empty() { told.push(key) } else { left.push(key) }
        }
        let columns = |keys: &[&Key]| keys.iter().map(|key| key.columns.clone()).collect();
        let (columns, left) = (columns(&told), columns(&left));
        if told.is_empty() {
            return Some(Keys { given: columns, left, rows: None });
        }
        let places = |own: &&Own| told.iter().any(|key| key.columns.contains(&own.name));
        let places: Vec<usize> = (0..given.len()).filter(|at| places(&given[*at])).collect();
        let rows = match brought {
            Brought::Values(rows) => {
                if self.chance.as_ref()?.iter().any(|at| places.contains(at)) {
                    return None;
                }
                // Nothing but the keys is worked out.
                let narrowed: Option<Vec<Vec<Option<String>>>> =
                    rows.iter().map(|row| places.iter().map(|at| row.get(*at).cloned()).collect()).collect();
                let wanted: Vec<String> = places.iter().map(|at| given[*at].name.clone()).collect();
                Brought::Values(narrowed?).kept(dialect, (&wanted, own), &told, false)?
            }
            Brought::Query(_) => {
                self.chance.as_ref()?;
                brought.kept(dialect, (named, own), &told, false)?
            }
        };
        Some(Keys { given: columns, left, rows: Some(rows) })
    }
}

impl Keys {
    /// Reads them, each column by the expression that is told for it, and whether it can't be told what a column makes of
    /// one: 1 where it can't. None where no key is given.
    #[must_use]
    pub fn read(&self, item: impl Fn(&str, &str) -> String, most: u64) -> Option<String> {
        let rows = self.rows.as_ref()?;
        let names = self.given.iter().flatten().zip(rows.keys.iter().flatten());
        let items: Vec<String> = names.map(|(name, quoted)| item(name, quoted)).collect();
        Some(format!("{} SELECT {}, countersign_odd FROM {KEPT} LIMIT {most}", rows.with, items.join(", ")))
    }

    /// The condition of the rows of the table that they meet.
    #[must_use]
    pub fn meets(&self) -> String {
        let Some(rows) = &self.rows else { return "1 = 0".to_owned() };
        let one = |key: &Vec<String>| {
            let key = key.join(", ");
            format!("({key}) IN ({} SELECT {key} FROM {KEPT})", rows.with)
        };
        rows.keys.iter().map(one).collect::<Vec<_>>().join(" OR ")
    }

    /// Counts the rows of which it can't be told what a column makes of a key. None where no key is given.
    #[must_use]
    pub fn odd(&self, dialect: Dialect) -> Option<String> {
        let rows = self.rows.as_ref()?;
        Some(format!("{} SELECT {} FROM {KEPT} WHERE {}", rows.with, count(dialect), rows.odd))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reads;
    use super::*;

    fn own(name: &str, filled: bool) -> Own {
        Own { name: name.to_owned(), quoted: format!("\"{name}\""), filled, ..Own::default() }
    }

    fn told(dialect: Dialect, sql: &str) -> Option<Keys> {
        let own = [own("id", false), own("mail", false), own("n", true)];
        let key = |name: &str| Key { columns: vec![name.to_owned()], ..Key::default() };
        let reads = reads(dialect, sql).unwrap().unwrap();
        let brought = reads.brought?;
        reads.upsert?.brought_keys(dialect, (&brought, &reads.columns), (&own, &[key("id"), key("mail")]))
    }

    #[test]
    fn keys_are_read_without_what_comes_with_them() {
        let sql = "INSERT INTO t (n, mail) VALUES (random(), 'a'), (2, 'b') ON CONFLICT (mail) DO UPDATE SET n = 3";
        let keys = told(Dialect::Sqlite, sql).unwrap();
        assert_eq!((keys.given.as_slice(), keys.left.len()), ([vec!["mail".to_owned()]].as_slice(), 0));
        let with = "WITH countersign_brought (\"mail\") AS (VALUES ('a'), ('b')), excluded AS (SELECT \"mail\" AS \"mail\", \
            0 AS countersign_odd FROM countersign_brought)";
        assert_eq!(keys.meets(), format!("(\"mail\") IN ({with} SELECT \"mail\" FROM excluded)"));
        let read = keys.read(|name, quoted| format!("hex({quoted}) AS {name}"), 9).unwrap();
        assert_eq!(read, format!("{with} SELECT hex(\"mail\") AS mail, countersign_odd FROM excluded LIMIT 9"));
    }

    #[test]
    fn keys_that_are_left_to_the_engine_are_told_from_others() {
        let keys = told(Dialect::Mysql, "REPLACE INTO t (mail, n) VALUES ('a', 1)").unwrap();
        assert_eq!((keys.given.concat(), keys.left.concat()), (vec!["mail".to_owned()], vec!["id".to_owned()]));
        let keys = told(Dialect::Sqlite, "REPLACE INTO t (n) VALUES (1)").unwrap();
        assert_eq!((keys.meets(), keys.odd(Dialect::Sqlite)), ("1 = 0".to_owned(), None));
    }

    #[test]
    fn keys_that_are_left_to_chance_are_none() {
        for (dialect, sql) in [
            (Dialect::Sqlite, "REPLACE INTO t VALUES (random(), 'a', 1)"),
            (Dialect::Sqlite, "REPLACE INTO t SELECT random(), 'a', 1"),
            (Dialect::Mysql, "INSERT INTO t SET id = uuid_short(), n = 1 ON DUPLICATE KEY UPDATE n = 2"),
        ] {
            assert_eq!(told(dialect, sql), None, "{sql}");
        }
        assert!(told(Dialect::Mysql, "INSERT INTO t SET id = 1, n = rand() ON DUPLICATE KEY UPDATE n = 2").is_some());
    }
}
