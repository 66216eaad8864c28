//! Rows that an `INSERT` brings, or that an `UPDATE` leaves, which break what their own table demands of them: its unique
//! keys, its columns without NULL, its checks, the length of a text, the size of a number. Counted by reads.

use super::super::lex;
use super::brought::{Brought, Key, Own};
use super::kept::{KEPT, Kept, find, given};
use super::{Reads, count};
use crate::domain::Dialect;

/// The name of a column for what it was before a change: by its place, as a longer one might be too long.
fn old(own: &[Own], name: &str) -> String {
    let at = own.iter().position(|own| own.name == name);
    format!("countersign_old_{}", at.unwrap_or(own.len()))
}

/// What a table demands of its rows.
#[derive(Clone, Copy, Debug)]
pub struct Demands<'a> {
    /// The table with its schema, quoted.
    pub table: &'a str,
    /// Its columns.
    pub own: &'a [Own],
    /// Its unique keys, where a row that is in the way of another makes the statement fail.
    pub keys: &'a [Key],
    /// Conditions that none of its rows may miss.
    pub checks: &'a [Check],
    /// What a column can't hold is refused, not made fit.
    pub strict: bool,
}

/// A condition that none of a table's rows may miss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// It, as the engine prints it.
    pub text: String,
}

/// What rows break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Break {
    /// A unique key of these columns: a row of the table has the same.
    Taken(String),
    /// The same: another of them has.
    Repeated(String),
    /// The same: another of them has until it is changed, too. In the right order that does no harm.
    Moving(String),
    /// A column that takes no NULL.
    Null(String),
    /// A check.
    Check(String),
    /// A column that takes no more than so many characters.
    Long(String, u64),
    /// A column of a type that takes no such value.
    Unfit(String, String),
    /// What no number can be divided by.
    Divided,
    /// A column that the engine computes gets a value.
    Computed(String),
}

/// A read that counts some of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// It gives a number for each of these, and then that of the rows of which it can't be told.
    pub sql: String,
    /// What they break.
    pub breaks: Vec<Break>,
}

/// Columns as a text names them: `a`, `(a, b)`.
fn named(columns: &[String]) -> String {
    if let [one] = columns { one.clone() } else { format!("({})", columns.join(", ")) }
}

/// A read of these numbers of rows.
pub(super) fn look(dialect: Dialect, rows: &Kept, numbers: Vec<(Break, String)>) -> Option<Look> {
    let (breaks, mut parts): (Vec<Break>, Vec<String>) = numbers.into_iter().unzip();
    parts.push(format!("SELECT {} FROM {KEPT} WHERE {}", count(dialect), rows.odd));
    let numbered = parts.iter().enumerate().map(|(at, part)| format!("({part}) AS n{at}"));
    let sql = format!("{} SELECT {}", rows.with, numbered.collect::<Vec<_>>().join(", "));
    (!breaks.is_empty()).then_some(Look { sql, breaks })
}

/// The condition that two rows have the same in some columns.
fn alike(own: (&str, &[String]), other: (&str, &[String])) -> String {
    let pairs = own.1.iter().zip(other.1);
    let pairs: Vec<String> = pairs.map(|(one, two)| format!("{}.{one} = {}.{two}", own.0, other.0)).collect();
    pairs.join(" AND ")
}

/// How often a key repeats among rows that meet a condition.
fn repeated(dialect: Dialect, key: &[String], condition: &str) -> String {
    let count = count(dialect);
    let given: Vec<String> = key.iter().map(|name| format!("{name} IS NOT NULL")).collect();
    let some = format!("FROM {KEPT} WHERE {condition} AND {}", given.join(" AND "));
    let key = key.join(", ");
    format!("(SELECT {count} {some}) - (SELECT {count} FROM (SELECT DISTINCT {key} {some}) AS countersign_one)")
}

impl Brought {
    /// The reads for what an `INSERT` brings. `names` are the columns that it names.
    #[must_use]
    pub fn broken(&self, dialect: Dialect, names: &[String], demands: &Demands) -> Vec<Look> {
        let rows = |keys: &[&Key]| self.kept(dialect, (names, demands.own), keys, false);
        let mut looks = Vec::new();
        for key in demands.keys.iter().filter(|key| !key.partial) {
            let Some(rows) = rows(&[key]) else { continue };
            let Some(columns) = rows.keys.first() else { continue };
            let sure = format!("NOT ({})", rows.odd);
            let taken = format!(
                "SELECT {} FROM {KEPT} WHERE {sure} AND EXISTS (SELECT 1 FROM {} AS countersign_own WHERE {})",
                count(dialect),
                demands.table,
                alike(("countersign_own", columns), (KEPT, columns))
            );
            let twice = format!("SELECT {}", repeated(dialect, columns, &sure));
            let called = named(&key.columns);
            let numbers = vec![(Break::Taken(called.clone()), taken), (Break::Repeated(called), twice)];
            looks.extend(look(dialect, &rows, numbers));
        }
        let Some(given) = given(dialect, names, demands.own) else { return looks };
        let missing: Vec<&Own> = demands.own.iter().filter(|own| !given.contains(own)).collect();
        looks.extend(self.single(dialect, names, &given, demands));
        let bare: Vec<&&Own> = missing.iter().filter(|own| own.required && !own.filled).collect();
        if let Some(rows) = rows(&[]).filter(|_| demands.strict) {
            let every = format!("SELECT {} FROM {KEPT}", count(dialect));
            looks.extend(look(
                dialect,
                &rows,
                bare.into_iter().map(|own| (Break::Null(own.name.clone()), every.clone())).collect(),
            ));
        }
        for check in demands.checks {
            looks.extend(self.unchecked(dialect, names, (&given, &missing), check, &[]));
        }
        looks
    }

    /// The reads for single values, of the columns that get any: NULL where none may be, what is too long or too large.
    fn single(&self, dialect: Dialect, names: &[String], given: &[&Own], demands: &Demands) -> Vec<Look> {
        let rows = |keys: &[&Key]| self.kept(dialect, (names, demands.own), keys, false);
        let mut looks = Vec::new();
        for own in given {
            let counted = |condition: String| format!("SELECT {} FROM {KEPT} WHERE {condition}", count(dialect));
            let name = &own.quoted;
            let Some(rows) = rows(&[]).filter(|_| demands.strict && self.gives(own, given)) else { continue };
            // MySQL may put the time of day there.
            if own.required && !own.kind.starts_with("timestamp") {
                let null = vec![(Break::Null(own.name.clone()), counted(format!("{name} IS NULL")))];
                looks.extend(look(dialect, &rows, null));
            }
            if let Some(most) = own.longest().filter(|_| dialect != Dialect::Sqlite) {
                let text = if dialect == Dialect::Postgres { format!("CAST({name} AS text)") } else { name.clone() };
                // Blanks at the end are cut off.
                let long = counted(format!("CHAR_LENGTH(TRIM(TRAILING ' ' FROM {text})) > {most}"));
                looks.extend(look(dialect, &rows, vec![(Break::Long(own.name.clone(), most), long)]));
            }
            if let Some((least, most)) = own.range().filter(|_| dialect == Dialect::Mysql) {
                let range = counted(format!("ROUND({name}) < {least} OR ROUND({name}) > {most}"));
                let kind = own.kind.clone();
                looks.extend(look(dialect, &rows, vec![(Break::Unfit(own.name.clone(), kind), range)]));
            }
        }
        looks
    }

    /// Whether they give a column a value of their own, in each row.
    #[must_use]
    pub fn gives_all(&self, names: &[String], own: &[Own], name: &str) -> bool {
        let given = given(Dialect::Mysql, names, own);
        let own = given.as_ref().and_then(|given| given.iter().find(|own| own.name.eq_ignore_ascii_case(name)));
        given.as_ref().zip(own).is_some_and(|(given, own)| self.gives(own, given))
    }

    /// Whether all of them say what a column gets, and none leaves it to a default.
    fn gives(&self, own: &Own, given: &[&Own]) -> bool {
        let Self::Values(rows) = self else { return true };
        let at = given.iter().position(|given| *given == own);
        at.is_some_and(|at| !own.filled || rows.iter().all(|row| row.get(at).is_some_and(Option::is_some)))
    }

    /// A read that computes all that they bring, as the columns keep it: where a value can't be kept, it fails as the
    /// statement would. Of PostgreSQL; the others tell nothing by that.
    #[must_use]
    pub fn computed(&self, dialect: Dialect, names: &[String], own: &[Own]) -> Option<String> {
        let given = given(dialect, names, own).filter(|_| dialect == Dialect::Postgres)?;
        let told = given.iter().filter(|own| self.gives(own, &given));
        let keys: Vec<Key> = told.map(|own| Key { columns: vec![own.name.clone()], ..Key::default() }).collect();
        let rows = self.kept(dialect, (names, own), &keys.iter().collect::<Vec<_>>(), false)?;
        let all: Vec<String> = rows.keys.iter().flatten().map(|name| format!("pg_catalog.count({name})")).collect();
        (!all.is_empty()).then(|| format!("{} SELECT {} FROM {KEPT}", rows.with, all.join(", ")))
    }

    /// The read for rows that miss a check. `set` are the columns that change, where it is a change.
    fn unchecked(
        &self,
        dialect: Dialect,
        names: &[String],
        (given, missing): (&[&Own], &[&Own]),
        check: &Check,
        set: &[String],
    ) -> Option<Look> {
        if !set.is_empty() {
            let words = words(dialect, &check.text)?;
            let mentions = |own: &&&Own| words.iter().any(|word| word.eq_ignore_ascii_case(&own.name));
            given.iter().filter(mentions).find(|own| sets(set, &own.name))?;
        }
        let (rows, row) = self.worked_out(dialect, names, (given, missing), &check.text)?;
        let missed = format!(
            "SELECT {} FROM ({row}) AS countersign_row WHERE NOT ({}) AND NOT ({})",
            count(dialect),
            rows.odd,
            check.text
        );
        look(dialect, &rows, vec![(Break::Check(check.text.clone()), missed)])
    }
}

impl Brought {
    /// The rows, and a read of them with what they leave out as NULL, for something that is worked out from them. None
    /// where it needs what a default gives.
    pub(super) fn worked_out(
        &self,
        dialect: Dialect,
        names: &[String],
        (given, missing): (&[&Own], &[&Own]),
        text: &str,
    ) -> Option<(Kept, String)> {
        let words = words(dialect, text)?;
        let mentions = |own: &&&Own| words.iter().any(|word| word.eq_ignore_ascii_case(&own.name));
        let (told, left): (Vec<&&Own>, Vec<&&Own>) =
            (given.iter().filter(mentions).collect(), missing.iter().filter(mentions).collect());
        if left.iter().any(|own| own.filled) {
            return None;
        }
        let all: Vec<Own> = given.iter().map(|own| (*own).clone()).collect();
        let keys: Vec<Key> = told.iter().map(|own| Key { columns: vec![own.name.clone()], ..Key::default() }).collect();
        // Those that aren't given are NULL.
        let names = if names.is_empty() { Vec::new() } else { all.iter().map(|own| own.name.clone()).collect() };
        let rows = self.kept(dialect, (&names, &all), &keys.iter().collect::<Vec<_>>(), false)?;
        let null = |own: &&&Own| match dialect {
            Dialect::Postgres => format!(", CAST(NULL AS {}) AS {}", own.kind, own.quoted),
            Dialect::Sqlite | Dialect::Mysql => format!(", NULL AS {}", own.quoted),
        };
        let left: String = left.iter().map(null).collect();
        let row = format!("SELECT {KEPT}.*{left} FROM {KEPT}");
        Some((rows, row))
    }
}

/// Whether a column is among those that are set, in small letters.
fn sets(set: &[String], name: &str) -> bool {
    set.iter().any(|set| set == "*" || *set == name.to_lowercase())
}

/// The words and names of a condition.
fn words(dialect: Dialect, text: &str) -> Option<Vec<String>> {
    let quoting = *lex::quotings(dialect, text).first()?;
    let tokens = lex::lex(text, dialect, quoting).ok()?.tokens;
    Some(tokens.into_iter().filter(lex::Token::names).map(|token| token.text).collect())
}

impl Own {
    /// Characters that it takes at most.
    fn longest(&self) -> Option<u64> {
        let kind = self.kind.to_ascii_lowercase();
        let lead = ["character varying(", "character(", "varchar(", "char("];
        let rest = lead.iter().find_map(|lead| kind.strip_prefix(lead))?;
        rest.strip_suffix(')')?.parse().ok()
    }

    /// The least and the largest number of a type of whole numbers, of MySQL.
    fn range(&self) -> Option<(i128, i128)> {
        let most = i128::from(self.whole()?);
        Some(if self.kind.contains("unsigned") { (0, 2 * most + 1) } else { (-most - 1, most) })
    }
}

impl Reads {
    /// A read that computes what an `UPDATE` leaves, as [`Brought::computed`].
    #[must_use]
    pub fn computed(&self, dialect: Dialect, own: &[Own]) -> Option<String> {
        let (rows, after) = self.left(own)?;
        let set: Vec<Own> = after.iter().filter(|own| sets(&self.updates, &own.name)).cloned().collect();
        let Brought::Query(query) = rows else { return None };
        let names: Vec<&str> = after.iter().map(|own| own.quoted.as_str()).collect();
        let wanted: Vec<&str> = set.iter().map(|own| own.quoted.as_str()).collect();
        let some = format!("SELECT {} FROM ({query}) AS countersign_after ({})", wanted.join(", "), names.join(", "));
        Brought::Query(some).computed(dialect, &[], &set)
    }

    /// The rows of an `UPDATE` as they are after it, with what they were before. None if they can't be told.
    fn after(&self, demands: &Demands) -> Option<(Brought, Vec<Own>)> {
        let from = self.from.as_ref()?;
        let plain = |own: &Own| Own { filled: false, counts: false, ..own.clone() };
        let mut columns: Vec<(String, Own)> = Vec::new();
        for own in demands.own {
            match self.new.iter().find(|new| new.column.eq_ignore_ascii_case(&own.name)) {
                Some(new) => columns.push((format!("({})", new.value), plain(own))),
                // What it gets isn't told.
                None if sets(&self.updates, &own.name) => {}
                None => columns.push((own.quoted.clone(), plain(own))),
            }
        }
        for own in demands.own.iter().filter(|own| demands.keys.iter().any(|key| key.columns.contains(&own.name))) {
            let name = old(demands.own, &own.name);
            let quoted = name.clone();
            columns.push((own.quoted.clone(), Own { name, quoted, ..plain(own) }));
        }
        let values: Vec<&str> = columns.iter().map(|(value, _)| value.as_str()).collect();
        let query = Brought::Query(format!("SELECT {} {from}", values.join(", ")));
        Some((query, columns.into_iter().map(|(_, own)| own).collect()))
    }

    /// The rows of an `UPDATE` as they are after it. None if they can't be told.
    pub(super) fn left(&self, own: &[Own]) -> Option<(Brought, Vec<Own>)> {
        self.after(&Demands { table: "", own, keys: &[], checks: &[], strict: true })
    }

    /// The reads for what an `UPDATE` leaves.
    #[must_use]
    pub fn broken(&self, dialect: Dialect, demands: &Demands) -> Vec<Look> {
        let Some((rows, own)) = self.after(demands) else { return Vec::new() };
        let kept = |keys: &[&Key]| rows.kept(dialect, (&[], &own), keys, false);
        let mut looks = Vec::new();
        for key in demands.keys.iter().filter(|key| !key.partial) {
            if !key.columns.iter().any(|name| sets(&self.updates, name)) {
                continue;
            }
            let before =
                Key { columns: key.columns.iter().map(|name| old(demands.own, name)).collect(), ..key.clone() };
            let Some(rows) = kept(&[key, &before]) else { continue };
            let [new, old] = rows.keys.as_slice() else { continue };
            looks.extend(look(
                dialect,
                &rows,
                moved(dialect, demands.table, &named(&key.columns), (new, old), &rows.odd),
            ));
        }
        let set: Vec<&Own> = own.iter().filter(|own| sets(&self.updates, &own.name)).collect();
        looks.extend(rows.single(dialect, &[], &set, &Demands { own: &own, ..*demands }));
        let given: Vec<&Own> = own.iter().collect();
        let hidden: Vec<Own> = demands.own.iter().map(|own| Own { filled: true, ..own.clone() }).collect();
        let missing: Vec<&Own> = hidden.iter().filter(|hidden| find(dialect, &own, &hidden.name).is_none()).collect();
        for check in demands.checks {
            looks.extend(rows.unchecked(dialect, &[], (&given, &missing), check, &self.updates));
        }
        looks
    }
}

/// What becomes of a unique key that changes: rows that get one which a row has that stays as it is, which another of
/// them gets, too, or which another of them still has.
fn moved(
    dialect: Dialect,
    table: &str,
    called: &str,
    (new, old): (&[String], &[String]),
    odd: &str,
) -> Vec<(Break, String)> {
    let count = count(dialect);
    let had = format!(
        "EXISTS (SELECT 1 FROM {KEPT} AS countersign_other WHERE {})",
        alike(("countersign_other", old), (KEPT, new))
    );
    let there = format!(
        "EXISTS (SELECT 1 FROM {table} AS countersign_own WHERE {})",
        alike(("countersign_own", new), (KEPT, new))
    );
    let same = alike((KEPT, new), (KEPT, old));
    vec![
        (
            Break::Taken(called.to_owned()),
            format!("SELECT {count} FROM {KEPT} WHERE NOT ({odd}) AND NOT {had} AND {there}"),
        ),
        (Break::Repeated(called.to_owned()), format!("SELECT {}", repeated(dialect, new, &format!("NOT ({odd})")))),
        (Break::Moving(called.to_owned()), format!("SELECT {count} FROM {KEPT} WHERE ({same}) IS NOT TRUE AND {had}")),
    ]
}
