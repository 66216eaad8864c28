//! Rows that an `INSERT` brings as a table for reads of our own, with the values of its keys as their columns keep them:
//! a number is rounded, a text compared by the column's rules.

use super::brought::{Brought, Key, Own};
use crate::domain::Dialect;

/// The name of that table: the one that conditions of the statement itself know.
pub(super) const KEPT: &str = "excluded";
/// Most rows of a text that are looked at.
const ROWS: usize = 1000;

/// The rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// What stands before a read of them.
    pub with: String,
    /// The columns of each key, quoted.
    pub keys: Vec<Vec<String>>,
    /// The condition of those that aren't left out for a NULL.
    pub present: String,
    /// The condition of those of which it can't be told what a column keeps.
    pub odd: String,
}

impl Brought {
    /// The rows for a table with these columns, by keys of it. `named` are the columns that the statement names. None
    /// if what a key gets can't be told.
    pub(super) fn kept(
        &self,
        dialect: Dialect,
        (named, own): (&[String], &[Own]),
        keys: &[&Key],
        ignores: bool,
    ) -> Option<Kept> {
        let given = given(dialect, named, own)?;
        let (mut told, mut compared): (Vec<Vec<String>>, Vec<&Own>) = (Vec::new(), Vec::new());
        for key in keys {
            let columns: Vec<&Own> = key.columns.iter().map(|name| find(dialect, own, name)).collect::<Option<_>>()?;
            let missing: Vec<&&Own> = columns.iter().filter(|column| !given.contains(column)).collect();
            if missing.iter().any(|column| column.filled || column.required) {
                return None;
            }
            // What isn't given is NULL there, or a new number: nothing is in its way.
            if missing.is_empty() {
                told.push(columns.iter().map(|column| column.quoted.clone()).collect());
                compared.extend(columns);
            }
        }
        let rows = self.rows(dialect, &given, &compared)?;
        let loses = ignores && dialect == Dialect::Sqlite;
        if loses && own.iter().any(|column| column.required && !column.filled && !given.contains(&column)) {
            return None;
        }
        let required = given.iter().filter(|column| loses && column.required);
        let present: Vec<String> = required.map(|column| format!("{} IS NOT NULL", column.quoted)).collect();
        let quoted: Vec<&str> = given.iter().map(|column| column.quoted.as_str()).collect();
        let item = |column: &&Own| {
            if compared.contains(column) {
                format!("{} AS {}", column.kept(dialect), column.quoted)
            } else {
                column.quoted.clone()
            }
        };
        let mut odd: Vec<String> = compared.iter().filter_map(|column| column.odd(dialect, ignores)).collect();
        odd.dedup();
        // What is odd is told by the values as they come.
        let mark =
            if odd.is_empty() { "0".to_owned() } else { format!("CASE WHEN {} THEN 1 ELSE 0 END", odd.join(" OR ")) };
        let items: Vec<String> = given.iter().map(item).collect();
        let with = format!(
            "WITH countersign_brought ({}) AS ({rows}), {KEPT} AS (SELECT {}, {mark} AS countersign_odd FROM countersign_brought)",
            quoted.join(", "),
            items.join(", ")
        );
        let present = if present.is_empty() { "1 = 1".to_owned() } else { format!("({})", present.join(" AND ")) };
        Some(Kept { with, keys: told, present, odd: "countersign_odd = 1".to_owned() })
    }

    /// The rows as a query. None where a default stands for what is compared.
    fn rows(&self, dialect: Dialect, given: &[&Own], compared: &[&Own]) -> Option<String> {
        let rows = match self {
            Self::Query(query) => return Some(query.clone()),
            Self::Values(rows) if rows.len() <= ROWS => rows,
            Self::Values(_) => return None,
        };
        let one = |row: &Vec<Option<String>>| {
            let default = |(value, column): (&Option<String>, &&Own)| {
                value.is_none() && column.filled && compared.contains(column)
            };
            if row.len() != given.len() || row.iter().zip(given).any(default) {
                return None;
            }
            let value = |(value, column): (&Option<String>, &&Own)| {
                let value = value.as_deref().unwrap_or("NULL");
                // Otherwise all rows would have to have the type of the first one.
                let loose = column.loose().filter(|_| dialect == Dialect::Postgres);
                loose.map_or_else(|| value.to_owned(), |kind| format!("CAST({value} AS {kind})"))
            };
            let values: Vec<String> = row.iter().zip(given).map(value).collect();
            Some(format!("({})", values.join(", ")))
        };
        let rows: Vec<String> = rows.iter().map(one).collect::<Option<_>>()?;
        Some(format!("VALUES {}", rows.join(", ")))
    }
}

/// The columns that get a value.
pub(super) fn given<'o>(dialect: Dialect, named: &[String], own: &'o [Own]) -> Option<Vec<&'o Own>> {
    if named.is_empty() {
        return Some(own.iter().collect());
    }
    named.iter().map(|name| find(dialect, own, name)).collect()
}

/// The column of a name. None where none or several have it.
pub(super) fn find<'o>(dialect: Dialect, own: &'o [Own], name: &str) -> Option<&'o Own> {
    let mut found = own.iter().filter(|column| column.name.eq_ignore_ascii_case(name));
    match (found.next(), found.next()) {
        (Some(one), None) => Some(one),
        (Some(_), Some(_)) if dialect == Dialect::Postgres => own.iter().find(|column| column.name == name),
        _ => None,
    }
}

impl Own {
    /// Its type without what bounds it. None for one that somebody made. Of PostgreSQL.
    fn loose(&self) -> Option<String> {
        let kind = &self.kind;
        if kind.is_empty() || kind.contains(['.', '"']) {
            return None;
        }
        let (name, rest) = kind.split_once('(').unwrap_or((kind, ""));
        let rest = rest.split_once(')').map_or("", |(_, rest)| rest);
        // Without its length it would be one of one character, or one bit.
        let name = match name {
            "character" => "bpchar",
            "bit" => "bit varying",
            name => name,
        };
        Some(format!("{name}{rest}"))
    }

    /// A value as the column keeps and compares it.
    fn kept(&self, dialect: Dialect) -> String {
        let name = &self.quoted;
        match dialect {
            Dialect::Postgres => format!("CAST({name} AS {})", self.kind),
            Dialect::Sqlite => name.clone(),
            Dialect::Mysql => match (self.whole(), self.collation.split_once('/')) {
                (Some(_), _) if self.kind.contains("unsigned") => format!("CAST({name} AS unsigned)"),
                (Some(_), _) => format!("CAST({name} AS signed)"),
                (None, Some((letters, collation))) => {
                    let text = format!("CONVERT({name} USING {letters}) COLLATE {collation}");
                    // A word as the list spells it, whichever way it came.
                    let word = |words: &str| {
                        format!("CONVERT(ELT(FIELD({text}, {words}), {words}) USING {letters}) COLLATE {collation}")
                    };
                    self.words().map_or_else(|| text.clone(), word)
                }
                (None, None) => self.cast().map_or_else(|| name.clone(), |kind| format!("CAST({name} AS {kind})")),
            },
        }
    }

    /// The condition of values of which that isn't sure.
    fn odd(&self, dialect: Dialect, ignores: bool) -> Option<String> {
        let (name, kind) = (&self.quoted, self.kind.to_ascii_lowercase());
        let has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
        // A default may take the place of a NULL.
        let filled = if self.filled { format!(" OR {name} IS NULL") } else { String::new() };
        let typed = |sorts: &str| Some(format!("typeof({name}) NOT IN ({sorts}, 'null'){filled}"));
        match dialect {
            Dialect::Postgres => None,
            Dialect::Sqlite if has(&["int"]) => typed("'integer', 'real'"),
            Dialect::Sqlite if has(&["char", "clob", "text"]) => typed("'text'"),
            Dialect::Sqlite if kind.is_empty() || has(&["blob"]) => self.filled.then(|| format!("{name} IS NULL")),
            // A text stays one, unless it is that of a number.
            Dialect::Sqlite => Some(format!(
                "typeof({name}) NOT IN ('integer', 'real', 'null') AND (typeof({name}) <> 'text' OR {name} = CAST({name} AS numeric)){filled}"
            )),
            Dialect::Mysql => {
                let longest: Option<&str> = kind.split_once("char(").and_then(|(_, rest)| rest.split(')').next());
                let fits = match (self.whole(), longest) {
                    // A larger one is cut to it where it isn't refused.
                    (Some(most), _) => format!("{name} <> {} OR ABS({name}) > {most}", self.kept(dialect)),
                    (None, Some(longest)) => format!("CHAR_LENGTH({name}) > {longest}"),
                    (None, None) => self.unfit(&kind),
                };
                let other = match (self.counts, self.required && ignores) {
                    (true, _) => format!(" OR {name} = 0"),
                    (false, true) => format!(" OR {name} IS NULL"),
                    (false, false) => String::new(),
                };
                Some(format!("{fits}{other}"))
            }
        }
    }

    /// The condition of values that a column of another type makes something else of, or refuses; of MySQL.
    fn unfit(&self, kind: &str) -> String {
        let (name, kept) = (&self.quoted, self.kept(Dialect::Mysql));
        let none = format!("{name} IS NOT NULL AND {kept} IS NULL");
        let bare = kind.split(['(', ' ']).next().unwrap_or_default();
        match bare {
            "enum" if self.words().is_some() => none,
            _ if self.cast().is_none() => "1 = 1".to_owned(),
            "decimal" if kind.contains("unsigned") => format!("{name} <> {kept} OR {name} < 0"),
            "decimal" => format!("{name} <> {kept}"),
            // Around an hour that a zone has twice, or not at all, one text stands for two moments or for none.
            "timestamp" => format!(
                "{none} OR {name} IS NULL AND {} OR {name} IS NOT NULL AND (CAST({name} AS datetime(6)) <> {kept} OR NOT \
                 (UNIX_TIMESTAMP({kept} + INTERVAL 2 HOUR) - UNIX_TIMESTAMP({kept} - INTERVAL 2 HOUR) <=> 14400))",
                if self.required { "1 = 1" } else { "1 = 0" }
            ),
            "datetime" => format!("{none} OR CAST({name} AS datetime(6)) <> {kept}"),
            "binary" | "varbinary" => {
                let longest = kind.split(['(', ')']).nth(1).unwrap_or("0");
                format!("OCTET_LENGTH({name}) > {longest}")
            }
            _ => none,
        }
    }

    /// The type that a value is cast to as the column would keep it. None for a type of which that isn't sure; of MySQL.
    fn cast(&self) -> Option<String> {
        let kind = self.kind.to_ascii_lowercase();
        let (bare, rest) = kind.split_once(['(', ' ']).unwrap_or((&kind, ""));
        let within = kind.split(['(', ')']).nth(1).filter(|_| kind.contains('(')).unwrap_or("0");
        let plain = within.chars().all(|letter| letter.is_ascii_digit() || letter == ',');
        match bare {
            _ if !plain => None,
            "date" | "uuid" | "inet4" | "inet6" if rest.is_empty() => Some(bare.to_owned()),
            "decimal" | "binary" => Some(format!("{bare}({within})")),
            "datetime" | "timestamp" => Some(format!("datetime({within})")),
            "varbinary" => Some("binary".to_owned()),
            _ => None,
        }
    }

    /// The words of a list, as its type spells them. None where one may be read otherwise: a number stands for a place.
    fn words(&self) -> Option<&str> {
        let list = self.kind.strip_prefix("enum(")?.strip_suffix(')')?;
        let odd = list.contains('\\')
            || list.split(',').any(|word| {
                word.trim_start_matches('\'').starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
            });
        (!odd && !list.contains("''")).then_some(list)
    }

    /// The largest number of a type of whole numbers, of MySQL.
    pub(super) fn whole(&self) -> Option<u64> {
        match self.kind.to_ascii_lowercase().split(['(', ' ']).next()? {
            "tinyint" => Some(127),
            "smallint" => Some(32_767),
            "mediumint" => Some(8_388_607),
            "int" => Some(2_147_483_647),
            "bigint" => Some(9_223_372_036_854_775_807),
            _ => None,
        }
    }
}
