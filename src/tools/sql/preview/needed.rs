//! What needs a column or an index that a statement drops, and keeps it from being dropped.

use super::super::session::Access;
use super::super::table::{lossy, question_with};
use super::super::value::quoted_text;
use super::desk::Desk;
use super::held::FAILS;
use super::newly::MAY_FAIL;
use super::reach::PATIENCE;
use crate::assess::sql_catalog;
use crate::assess::sql_foresee::{index_needs, table_needs};
use crate::domain::Dialect;
use crate::domain::number::thousands;

const POSTGRES: &str = include_str!("../postgres/needs.sql");
const MYSQL: &str = include_str!("../mysql/needs.sql");
const SQLITE: &str = include_str!("../sqlite/needs.sql");

/// Most things that are named.
const NAMED: usize = 5;

/// What is dropped: of which table, what it is, its name.
pub(super) struct Part<'p> {
    /// The table, or the thing itself, as a statement spells it.
    pub(super) spelled: &'p str,
    /// Schema and name of it.
    pub(super) place: (Option<&'p str>, &'p str),
    /// `relation`, or `column`, `constraint` or `index` of it.
    pub(super) sort: &'p str,
    pub(super) name: &'p str,
}

impl Desk<'_> {
    /// What has to be said of things that need it.
    pub(super) async fn needing(&self, part: &Part<'_>) -> Option<String> {
        let (sort, name) = (quoted_text(self.dialect, part.sort), quoted_text(self.dialect, part.name));
        let values = [("{sort}", sort.as_str()), ("{part}", name.as_str())];
        let texts = [SQLITE, POSTGRES, MYSQL];
        let asked = question_with(self.dialect, texts, part.spelled, part.place.0, part.place.1, &values);
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.ok()?;
        let answer = session.ask(&asked).await.ok()?;
        self.source.give_back(Access::ReadOnly, session).await;
        let rows = answer.rows.into_iter().map(|row| {
            row.into_iter().map(|value| value.map_or_else(String::new, |bytes| lossy(&bytes))).collect::<Vec<String>>()
        });
        // Questions around it yield a row of their own.
        let width = if self.dialect == Dialect::Postgres { 2 } else { 3 };
        let rows: Vec<Vec<String>> = rows.filter(|row| row.len() == width).collect();
        match self.dialect {
            Dialect::Postgres => {
                barred(FAILS, &rows.into_iter().filter_map(|row| row.into_iter().nth(1)).collect::<Vec<_>>())
            }
            Dialect::Mysql => barred(FAILS, &served(&rows, part.name)),
            Dialect::Sqlite => named(&rows, part),
        }
    }
}

/// By the rows of MySQL's question: what surely needs a column, or an index, where no other takes its place.
fn served(rows: &[Vec<String>], index: &str) -> Vec<String> {
    let of = |sort: &'static str| rows.iter().filter(move |row| row[0] == sort);
    let grouped = |sort: &'static str| {
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for row in of(sort) {
            match groups.iter_mut().find(|(name, _)| *name == row[1]) {
                Some((_, columns)) => columns.push(&row[2]),
                None => groups.push((&row[1], vec![&row[2]])),
            }
        }
        groups
    };
    let indexes = grouped("index");
    let own = |name: &str| name.eq_ignore_ascii_case(index);
    let same = |one: &str, other: &str| one.to_lowercase() == other.to_lowercase();
    let leads = |columns: &[&str], key: &[&str]| {
        columns.len() >= key.len() && columns.iter().zip(key).all(|(one, other)| same(one, other))
    };
    // The engine adds the primary key to an index, and so one that begins alike may do.
    let begins = |columns: &[&str], key: &[&str]| columns.iter().zip(key).all(|(one, other)| same(one, other));
    let mut needs: Vec<String> = of("need").map(|row| row[1].clone()).collect();
    let Some((_, columns)) = indexes.iter().find(|(name, _)| own(name)) else { return needs };
    let others = || indexes.iter().filter(|(name, _)| !own(name));
    for (key, parts) in grouped("key") {
        if leads(columns, &parts) && !others().any(|(_, other)| begins(other, &parts)) {
            needs.push(key.to_owned());
        }
    }
    for row in of("counts") {
        let holds = |columns: &[&str]| columns.iter().any(|column| same(column, &row[2]));
        if holds(columns) && !others().any(|(_, other)| holds(other)) {
            needs.push(row[1].clone());
        }
    }
    needs
}

/// By the statements of SQLite's schema: what surely needs a column, else what may.
fn named(rows: &[Vec<String>], part: &Part<'_>) -> Option<String> {
    let (mut needs, mut may) = (Vec::new(), Vec::new());
    for row in rows {
        let (sort, name, made) = (row[0].as_str(), &row[1], &row[2]);
        match sort {
            "table" => needs.extend(table_needs(made, part.name).unwrap_or_default()),
            "index" if index_needs(made, part.name) => needs.push(format!("index {name}")),
            "view" | "trigger" if mentions(made, part) => may.push(format!("{sort} {name}")),
            _ => {}
        }
    }
    barred(FAILS, &needs).or_else(|| barred(MAY_FAIL, &may))
}

/// Whether a text names a column and its table.
fn mentions(made: &str, part: &Part<'_>) -> bool {
    let names = sql_catalog::names(Dialect::Sqlite, made);
    let has = |wanted: &str| {
        names.as_ref().is_none_or(|names| names.words.iter().any(|word| word.eq_ignore_ascii_case(wanted)))
    };
    has(part.name) && has(part.place.1)
}

/// `It would fail: view v needs it.`
fn barred(begins: &str, things: &[String]) -> Option<String> {
    let left = things.len().saturating_sub(NAMED);
    let mut named = things.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if left > 0 {
        named.push_str(&format!(" and {} more", thousands(left as u64)));
    }
    let verb = if things.len() == 1 { "needs" } else { "need" };
    (!things.is_empty()).then(|| format!("{begins}{named} {verb} it."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_thing_is_named() {
        let names: Vec<String> = (1..=7).map(|at| format!("view v{at}")).collect();
        assert_eq!(barred(FAILS, &names[..1]).unwrap(), "It would fail: view v1 needs it.");
        let said = "It would fail: view v1, view v2, view v3, view v4, view v5 and 2 more need it.";
        assert_eq!(barred(FAILS, &names).unwrap(), said);
        assert_eq!(barred(FAILS, &[]), None);
    }

    #[test]
    fn an_index_is_needed_where_no_other_serves() {
        let rows = |texts: &[[&str; 3]]| -> Vec<Vec<String>> {
            texts.iter().map(|row| row.iter().map(|&text| text.to_owned()).collect()).collect()
        };
        let key = [["key", "f", "a"], ["key", "f", "b"], ["index", "i", "a"], ["index", "i", "B"]];
        assert_eq!(served(&rows(&key), "I"), ["f"]);
        for other in [&[["index", "j", "a"], ["index", "j", "b"]][..], &[["index", "j", "a"]]] {
            assert_eq!(served(&rows(&[&key[..], other].concat()), "i"), [""; 0]);
        }
        let other = [["index", "j", "b"], ["index", "j", "a"]];
        assert_eq!(served(&rows(&[&key[..], &other].concat()), "i"), ["f"]);
        let counts = [["index", "PRIMARY", "id"], ["counts", "column id", "id"]];
        assert_eq!(served(&rows(&counts), "PRIMARY"), ["column id"]);
    }
}
