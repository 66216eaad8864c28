//! What takes a statement back, as SQL: rows that were deleted are inserted, changed ones changed back by their key,
//! added ones deleted. Each statement names all that its row holds, so that it finds only rows which nobody changed
//! since. And the same the other way round, to do it again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::along::Reference;
use super::table::{Column, Known};
use super::value::{Form, found_by, holds, literal, quoted_name};
use crate::assess::sql_foresee::{Act, InTheWay};
use crate::assess::sql_touch::Target;
use crate::domain::Dialect;
use crate::domain::number::thousands;

/// Most rows that are kept.
pub(super) const ROWS: u64 = 10_000;
/// Most bytes of values that are kept.
pub(super) const BYTES: u64 = 1024 * 1024;
/// Rows that one `INSERT` puts back.
const CHUNK: usize = 200;

/// A row, each column as its image.
pub(super) type Row = Vec<Option<Vec<u8>>>;

/// SQL and the rows that it must change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Script {
    pub(super) sql: String,
    pub(super) rows: u64,
}

/// How the rows of one statement are kept.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) dialect: Dialect,
    pub(super) target: Target,
    /// The table with its schema, quoted.
    place: String,
    columns: Vec<(Column, Form)>,
    /// Which of them are the key.
    key: Vec<usize>,
    collated: bool,
    /// Rows that change are deleted and added anew: none then takes what another still has.
    pub(super) anew: bool,
    /// The condition of rows that a change may put out of its way.
    pub(super) displaced: Option<String>,
}

impl Plan {
    /// How rows are kept.
    ///
    /// # Errors
    /// Why they can't be: a sentence that begins small.
    pub(super) fn new(dialect: Dialect, target: Target, known: &Known) -> Result<Self, String> {
        let along = match (target.act, target.in_the_way) {
            (Act::Change, _) | (Act::Add, InTheWay::Change) => known.taken_along("update", &target.set),
            _ => Vec::new(),
        };
        match along.first() {
            Some(table) => Err(format!("rows of {table} go along or change with them, and aren't kept.")),
            None => Self::of(dialect, target, known),
        }
    }

    /// The same without rows of other tables that go along, which somebody else keeps.
    ///
    /// # Errors
    /// Why they can't be: a sentence that begins small.
    pub(super) fn of(dialect: Dialect, target: Target, known: &Known) -> Result<Self, String> {
        if !known.objection.is_empty() {
            return Err(format!("of {}: {}.", target.spelled, known.objection));
        }
        let displaces = target.act == Act::Change && target.in_the_way == InTheWay::Go;
        if displaces && let Some(table) = known.taken_along("delete", &[]).first() {
            return Err(format!("rows of {table} go along or change with them, and aren't kept."));
        }
        if known.in_the_way != InTheWay::Fail {
            return Err(format!("{} says itself what happens to rows that are in the way.", target.spelled));
        }
        let events: &[&str] = match (target.act, target.in_the_way) {
            (Act::Change, InTheWay::Go) => &["update", "delete"],
            (Act::Change, _) => &["update"],
            (Act::Add, InTheWay::Change | InTheWay::Go) => &["insert", "update", "delete"],
            _ => &["insert", "delete"],
        };
        if let Some(trigger) = known.firing(events, &target.set).first() {
            return Err(format!("the trigger {trigger} fires, and nobody knows what takes that back."));
        }
        // By a whole key, it picks the same ones each time.
        if target.bounded && !known.orders(&target.ordered) {
            return Err("its LIMIT may pick other rows the second time.".to_owned());
        }
        // What was met is told by what it returns, or by what is gone.
        if target.picks && target.act == Act::Change && dialect == Dialect::Mysql {
            return Err("a query in it may pick other rows the second time.".to_owned());
        }
        if target.act == Act::Add && !known.returns {
            return Err("this server doesn't tell which rows were added.".to_owned());
        }
        let set = target.moved.as_slice();
        let stored = known.columns.iter().filter(|column| !column.generated);
        let mut columns: Vec<(Column, Form)> = stored
            .map(|column| match column.form {
                Some(form) => Ok((column.clone(), form)),
                None => Err(format!("no text tells a {} exactly, which {} is.", column.kind, column.name)),
            })
            .collect::<Result<_, _>>()?;
        let at = |name: &String| columns.iter().position(|(column, _)| column.name == *name);
        let fixed = |name: &String| !set.iter().any(|set| set == "*" || *set == name.to_lowercase());
        let keys: Vec<Vec<usize>> = known
            .keys
            .iter()
            .filter(|key| key.iter().all(fixed))
            .filter_map(|key| key.iter().map(at).collect())
            .collect();
        let number = numbered(known, set);
        let key = match (keys.into_iter().find(|key| !key.is_empty()), number) {
            (Some(key), _) => key,
            (None, Some(number)) => {
                columns.push((number, Form::Any));
                vec![columns.len() - 1]
            }
            (None, None) if known.keys.is_empty() => {
                return Err(format!("{} has no key that tells its rows apart.", target.spelled));
            }
            (None, None) => return Err(format!("it changes the key of {}.", target.spelled)),
        };
        let place = known.place(dialect);
        // What refers to a row and stays may forbid that it goes even for a moment.
        let anew = target.in_the_way == InTheWay::Go && known.held_by("delete", &[]).is_empty();
        Ok(Self { dialect, target, place, columns, key, collated: known.collated, anew, displaced: None })
    }

    /// Where a column stands, and how its values are told.
    pub(super) fn column(&self, name: &str) -> Option<(usize, Form)> {
        let exactly = self.columns.iter().position(|(column, _)| column.name == name);
        // Two names of PostgreSQL may differ in this alone.
        let alike = || self.columns.iter().position(|(column, _)| column.name.eq_ignore_ascii_case(name));
        let at = if self.dialect == Dialect::Postgres { exactly } else { exactly.or_else(alike) }?;
        Some((at, self.columns[at].1))
    }

    /// The name of a column, quoted.
    pub(super) fn name(&self, at: usize) -> String {
        quoted_name(self.dialect, &self.columns[at].0.name)
    }

    /// The value of a column as a literal. None for NULL.
    pub(super) fn value(&self, row: &Row, at: usize) -> Option<String> {
        Some(literal(self.dialect, self.columns[at].1, row[at].as_deref())).filter(|value| value != "NULL")
    }

    /// The expressions that read a row.
    pub(super) fn images(&self) -> String {
        let read = |(column, form): &(Column, Form)| form.image(&quoted_name(self.dialect, &column.name));
        self.columns.iter().map(read).collect::<Vec<_>>().join(", ")
    }

    /// Counts the rows that it touches and their bytes, no more rows than one too many.
    pub(super) fn measure(&self) -> String {
        format!("{}{}", self.target.with, self.measure_of(&self.target.rows))
    }

    /// The same of other rows: what stands between the list of a `SELECT` and its end.
    pub(super) fn measure_of(&self, rows: &str) -> String {
        let count = if self.dialect == Dialect::Postgres { "pg_catalog.count(*)" } else { "count(*)" };
        format!("SELECT {count}, {}", self.bytes(rows))
    }

    /// Counts the bytes of the rows that it touches.
    pub(super) fn size(&self) -> String {
        format!("{}SELECT {}", self.target.with, self.bytes(&self.target.rows))
    }

    /// The rows that it touches, as they may stand in another read: MySQL takes no bounds inside of a condition.
    pub(super) fn own(&self) -> String {
        let Target { with, rows, bounded, .. } = &self.target;
        if with.is_empty() && !bounded { rows.clone() } else { format!("FROM ({with}SELECT * {rows}) AS touched") }
    }

    fn bytes(&self, rows: &str) -> String {
        let size = |(column, _): &(Column, Form)| {
            let name = quoted_name(self.dialect, &column.name);
            match self.dialect {
                Dialect::Postgres => format!("coalesce(pg_catalog.pg_column_size({name}), 0)"),
                Dialect::Mysql => format!("coalesce(octet_length({name}), 0)"),
                Dialect::Sqlite => format!("coalesce(length(CAST({name} AS BLOB)), 0)"),
            }
        };
        let size: Vec<String> = self.columns.iter().map(size).collect();
        let limit = if self.target.bounded { String::new() } else { format!(" LIMIT {}", ROWS + 1) };
        let sum = if self.dialect == Dialect::Postgres { "pg_catalog.sum" } else { "sum" };
        format!("coalesce({sum}(size), 0) FROM (SELECT {} AS size {rows}{limit}) AS kept", size.join(" + "))
    }

    /// Reads the rows that it touches, and keeps others from changing them.
    pub(super) fn before(&self) -> String {
        format!("{}{}", self.target.with, self.before_of(&self.target.rows))
    }

    /// The same of other rows.
    pub(super) fn before_of(&self, rows: &str) -> String {
        let lock = if self.dialect == Dialect::Sqlite { "" } else { " FOR UPDATE" };
        format!("SELECT {} {rows}{lock}", self.images())
    }

    /// Reads some of the rows that it touches.
    pub(super) fn some(&self, rows: usize) -> String {
        let Target { with, rows: own, bounded, .. } = &self.target;
        if *bounded {
            return format!("{with}SELECT * FROM (SELECT {} {own}) AS touched LIMIT {rows}", self.images());
        }
        format!("{with}SELECT {} {own} LIMIT {rows}", self.images())
    }

    /// Reads rows again by the keys that they had.
    pub(super) fn after(&self, rows: &[Row]) -> String {
        format!("SELECT {} FROM {} WHERE {}", self.images(), self.place, self.keyed(rows))
    }

    /// Reads some rows by their keys, as they are shown, in the order of these.
    pub(super) fn shown(&self, rows: &[Row]) -> String {
        let key: Vec<String> = self.key.iter().map(|at| self.name(*at)).collect();
        format!("SELECT * FROM {} WHERE {} ORDER BY {}", self.place, self.keyed(rows), key.join(", "))
    }

    /// Reads some of the rows that it touches, as they are shown.
    pub(super) fn going(&self, rows: usize) -> String {
        let Target { with, rows: own, bounded, .. } = &self.target;
        let own = if *bounded { format!("FROM (SELECT * {own}) AS touched") } else { own.clone() };
        format!("{with}SELECT * {own} LIMIT {rows}")
    }

    /// The columns that tell rows from one another.
    pub(super) fn key_names(&self) -> Vec<&str> {
        self.key.iter().map(|at| self.columns[*at].0.name.as_str()).collect()
    }

    fn keyed(&self, rows: &[Row]) -> String {
        let keys: Vec<Row> = rows.iter().map(|row| self.key_of(row)).collect();
        self.within(&self.key, &keys.iter().collect::<Vec<_>>())
    }

    /// What tells a row from others.
    pub(super) fn key_of(&self, row: &Row) -> Row {
        self.key.iter().map(|at| row[*at].clone()).collect()
    }

    /// The condition that some columns hold one of these values.
    fn within(&self, places: &[usize], values: &[&Row]) -> String {
        let name = |at: &usize| quoted_name(self.dialect, &self.columns[*at].0.name);
        let literals = |row: &&Row| -> Vec<String> {
            let values = places.iter().zip(row.iter());
            values.map(|(at, value)| literal(self.dialect, self.columns[*at].1, value.as_deref())).collect()
        };
        if let [at] = places {
            let values: Vec<String> = values.iter().flat_map(literals).collect();
            return format!("{} IN ({})", name(at), values.join(", "));
        }
        let names: Vec<String> = places.iter().map(name).collect();
        let tuples: Vec<String> = values.iter().map(|row| format!("({})", literals(row).join(", "))).collect();
        let values = if self.dialect == Dialect::Sqlite { "VALUES " } else { "" };
        format!("({}) IN ({values}{})", names.join(", "), tuples.join(", "))
    }

    /// The rows in which some columns hold one of these values, as what stands behind the list of a `SELECT`.
    pub(super) fn rows_by(&self, places: &[usize], values: &[&Row]) -> String {
        format!("FROM {} WHERE {}", self.place, self.within(places, values))
    }

    /// The rows that meet a condition, as what stands behind the list of a `SELECT`.
    pub(super) fn rows_that(&self, condition: &str) -> String {
        format!("FROM {} WHERE {condition}", self.place)
    }

    /// The rows that meet a condition are those that it touches.
    pub(super) fn meets(&mut self, condition: &str) {
        self.target.rows = self.rows_that(condition);
        self.target.with.clear();
    }

    /// Counts the rows of the table.
    pub(super) fn all(&self) -> String {
        format!("SELECT count(*) FROM {}", self.place)
    }

    /// Reads the largest value of a column.
    pub(super) fn largest(&self, at: usize) -> String {
        let largest = if self.dialect == Dialect::Postgres { "pg_catalog.max" } else { "max" };
        let image = self.columns[at].1.image(&format!("{largest}({})", self.name(at)));
        format!("SELECT {image} FROM {}", self.place)
    }

    /// The statement, which returns the rows that it adds or changes. On a line of its own: it may end in a comment.
    /// What it returns itself stands before that.
    pub(super) fn returning(&self) -> String {
        let lead = if self.target.returning { "," } else { "RETURNING" };
        // Other tables that it names may have columns of these names; SQLite's returns none of theirs.
        let named = self.target.act == Act::Change && self.dialect == Dialect::Postgres;
        let called = if named { format!("{}.", self.target.called) } else { String::new() };
        let read = |(column, form): &(Column, Form)| {
            form.image(&format!("{called}{}", quoted_name(self.dialect, &column.name)))
        };
        let images: Vec<String> = self.columns.iter().map(read).collect();
        format!("{}\n{lead} {}", self.target.text, images.join(", "))
    }

    /// How many values of each row it returns are ours.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Whether the rows that it met must be compared with those that were read: otherwise their number tells.
    pub(super) fn compares(&self) -> bool {
        let Target { act, in_the_way, picks, .. } = &self.target;
        *act == Act::Change && (*picks || *in_the_way != InTheWay::Fail)
    }

    /// The columns of a unique key that rows may take from one another when they are put back, if there is one.
    pub(super) fn swaps<'k>(&self, known: &'k Known) -> Option<&'k str> {
        if self.anew {
            return None;
        }
        if self.target.in_the_way != InTheWay::Go {
            return known.unique_among(&self.target.moved);
        }
        let own: Vec<&String> = self.key.iter().map(|at| &self.columns[*at].0.name).collect();
        let others = known.unique.iter().filter(|key| !key.columns.iter().eq(own.iter().copied()));
        others.flat_map(|key| &key.columns).find(|name| !name.is_empty()).map(String::as_str)
    }

    /// The condition that a row is still there as it was.
    fn unchanged(&self, row: &Row) -> String {
        let mut parts = Vec::new();
        for at in &self.key {
            let (column, form) = &self.columns[*at];
            parts.extend(found_by(self.dialect, column, *form, row[*at].as_deref()));
        }
        for ((column, form), image) in self.columns.iter().zip(row) {
            let part = holds(self.dialect, column, self.collated, *form, image.as_deref());
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(" AND ")
    }

    /// Puts rows into the table.
    pub(super) fn insert(&self, rows: &[Row]) -> Script {
        let names: Vec<String> =
            self.columns.iter().map(|(column, _)| quoted_name(self.dialect, &column.name)).collect();
        let numbered = self.columns.iter().any(|(column, _)| column.numbered);
        let overriding = if numbered { " OVERRIDING SYSTEM VALUE" } else { "" };
        let values = |row: &Row| {
            let values = self.columns.iter().zip(row);
            let values = values.map(|((_, form), image)| literal(self.dialect, *form, image.as_deref()));
            format!("({})", values.collect::<Vec<_>>().join(", "))
        };
        let statements = rows.chunks(CHUNK).map(|chunk| {
            let values: Vec<String> = chunk.iter().map(values).collect();
            format!("INSERT INTO {} ({}){overriding} VALUES\n  {}", self.place, names.join(", "), values.join(",\n  "))
        });
        script(statements, rows.len())
    }

    /// Deletes rows that are as they were, and that nothing refers to by which it would go along.
    pub(super) fn delete(&self, rows: &[Row], references: &[&Reference]) -> Script {
        let one = |row: &Row| {
            let free = references.iter().filter_map(|reference| reference.free(self, row));
            let parts: Vec<String> = std::iter::once(self.unchanged(row)).chain(free).collect();
            format!("DELETE FROM {} WHERE {}", self.place, parts.join(" AND "))
        };
        script(rows.iter().map(one), rows.len())
    }

    /// Makes the rows of each pair that are as in the first what they are in the second.
    pub(super) fn update<'a>(&self, pairs: impl Iterator<Item = (&'a Row, &'a Row)>) -> Script {
        let mut statements = Vec::new();
        for (now, then) in pairs {
            let set: Vec<String> = (self.columns.iter().zip(now.iter().zip(then)))
                .filter(|((column, _), (now, then))| now != then || column.renewed)
                .map(|((column, form), (_, then))| {
                    let value = literal(self.dialect, *form, then.as_deref());
                    format!("{} = {value}", quoted_name(self.dialect, &column.name))
                })
                .collect();
            let unchanged = self.unchanged(now);
            statements.push(format!("UPDATE {} SET {} WHERE {unchanged}", self.place, set.join(", ")));
        }
        let rows = statements.len();
        script(statements.into_iter(), rows)
    }

    /// The pairs of rows, by key, that differ. None if their keys aren't the same.
    pub(super) fn changed<'a>(&self, before: &'a [Row], after: &'a [Row]) -> Option<Vec<(&'a Row, &'a Row)>> {
        let key = |row: &'a Row| self.key.iter().map(|at| &row[*at]).collect::<Vec<_>>();
        let after: BTreeMap<_, &Row> = after.iter().map(|row| (key(row), row)).collect();
        let pairs: Option<Vec<_>> = before.iter().map(|row| Some((row, *after.get(&key(row))?))).collect();
        Some(pairs?.into_iter().filter(|(before, after)| before != after).collect())
    }
}

/// The number of SQLite's rows, where they have one that isn't set and no key, which may be that number.
fn numbered(known: &Known, set: &[String]) -> Option<Column> {
    let sets = set.iter().any(|set| ["*", "rowid", "_rowid_", "oid"].contains(&set.as_str()));
    (known.keys.is_empty() && !known.number.is_empty() && !sets).then(|| Column {
        name: known.number.clone(),
        form: Some(Form::Any),
        kind: "integer".to_owned(),
        generated: false,
        numbered: false,
        renewed: false,
        filled: false,
        required: false,
        counts: false,
        collation: String::new(),
    })
}

impl Script {
    /// Several, one after the other.
    pub(super) fn joined(scripts: Vec<Self>) -> Self {
        let rows = scripts.iter().map(|script| script.rows).sum();
        let parts: Vec<String> = scripts.into_iter().map(|script| script.sql).filter(|sql| !sql.is_empty()).collect();
        Self { sql: parts.join(";\n"), rows }
    }
}

fn script(statements: impl Iterator<Item = String>, rows: usize) -> Script {
    Script { sql: statements.collect::<Vec<_>>().join(";\n"), rows: rows as u64 }
}

/// Why so many rows or bytes aren't kept, if they are too many.
pub(super) fn too_many(rows: u64, bytes: u64) -> Option<String> {
    if rows > ROWS {
        return Some(format!("too many rows, only up to {} are kept.", thousands(ROWS)));
    }
    (bytes > BYTES).then(|| "too large, only up to 1 MiB is kept.".to_owned())
}
