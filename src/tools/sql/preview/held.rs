//! Rows of other tables that keep a statement from what it would do: they refer to rows that it would delete, or whose
//! key it would change, and their foreign key forbids that. Counted along the same foreign keys as what goes along.

use super::super::table::{Fate, Known, Link};
use super::super::value::quoted_name;
use super::desk::Desk;
use super::reach::{Event, Place, Step};
use super::told::counted;
use crate::assess::sql_foresee::{Act, NewValue, Reads};
use crate::domain::number::thousands;
use crate::domain::{Dialect, Preview, Remedy};

/// How a warning begins that leaves no doubt.
pub(super) const FAILS: &str = "It would fail: ";

/// A foreign key that may forbid a statement.
pub(super) struct Bar {
    place: Place,
    /// The table of the rows that refer, quoted.
    spelled: String,
    /// The condition of those rows.
    behind: String,
    event: Event,
    /// It forbids it before anything else that goes is gone.
    at_once: bool,
    /// Those rows, where there are any, surely forbid it.
    sure: bool,
    /// There may be some that nobody here sees.
    guarded: bool,
}

/// Rows that go.
pub(super) struct Gone {
    pub(super) place: Place,
    pub(super) condition: String,
    /// The statement deletes them itself: they don't only go along.
    pub(super) itself: bool,
}

/// A table that forbids a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    table: String,
    /// Its rows that do, where they surely do.
    rows: Option<u64>,
    /// The column of theirs that would become NULL, where it takes none.
    null: Option<String>,
}

impl Held {
    /// One that may.
    pub(super) fn maybe(table: &str) -> Self {
        Self { table: table.to_owned(), rows: None, null: None }
    }

    /// One whose rows would have NULL in a column that takes none.
    pub(super) fn null(table: &str, column: &str, rows: u64) -> Self {
        Self { table: table.to_owned(), rows: Some(rows), null: Some(column.to_owned()) }
    }

    /// The same, unless rows of that table go: those have nothing to lose.
    pub(super) fn unless_gone(self, gone: &[Gone]) -> Self {
        let goes = self.null.is_some() && gone.iter().any(|gone| gone.place.1 == self.table);
        if goes { Self { rows: None, ..self } } else { self }
    }

    /// The same where that isn't sure.
    pub(super) fn doubted(&self) -> Self {
        Self::maybe(&self.table)
    }

    /// What has to be said of it.
    fn told(&self) -> String {
        let table = &self.table;
        if let Some(column) = &self.null {
            let begins = if self.rows.is_some() { FAILS } else { "It may fail: " };
            let rows = self.rows.map_or_else(|| "rows".to_owned(), counted);
            return format!("{begins}{rows} of {table} would have no {column}, which takes no NULL.");
        }
        match self.rows {
            Some(1) => format!("{FAILS}1 row of {table} refers to them."),
            Some(rows) => format!("{FAILS}{} rows of {table} refer to them.", thousands(rows)),
            None => format!("It may fail: {table} refers to it."),
        }
    }
}

impl Bar {
    /// The foreign key of a link, where it may forbid what happens to the rows of a step.
    pub(super) fn of(dialect: Dialect, reads: &Reads, step: &Step, link: &Link) -> Option<Self> {
        if !step.stays(link) {
            return None;
        }
        let fate = if step.event == Event::Deleted { link.on_delete } else { link.on_update };
        let quoted = |name: &String| quoted_name(dialect, name);
        let refers: Vec<String> = step.refers(link).iter().map(quoted).collect();
        let columns: Vec<String> = link.pairs.iter().map(|(child, _)| quoted(child)).collect();
        let place = (link.schema.clone(), link.table.clone());
        let own = place == step.place();
        let at_once = fate == Fate::Forbid;
        let values = match step.event {
            Event::Changed if step.depth == 0 && !own => new_keys(dialect, &reads.new, step, link),
            Event::Changed | Event::Deleted => None,
        };
        let behind = match &values {
            None => format!("({}) IN (SELECT {} {})", columns.join(", "), refers.join(", "), step.rows),
            Some(values) => changed(dialect, (&columns, &refers, values), &step.rows, at_once),
        };
        // What comes back under the same key, and what is left to chance, may not be in the way.
        let back = reads.act == Act::Add && dialect == Dialect::Sqlite && !at_once;
        let exact = !reads.chance && !reads.bounded && !link.part && !link.off && !back;
        let sure = exact && (step.event == Event::Deleted || values.is_some()) && step.plain();
        let spelled = link.place(dialect);
        Some(Self { place, spelled, behind, event: step.event, at_once, sure, guarded: link.guarded })
    }
}

/// What the columns that a foreign key leads to are after a change. None if that isn't told.
fn new_keys(dialect: Dialect, new: &[NewValue], step: &Step, link: &Link) -> Option<Vec<String>> {
    let value = |name: String| {
        let kind = step.known.columns.iter().find(|column| column.name == name).map(|column| column.kind.as_str());
        match new.iter().find(|new| new.column.eq_ignore_ascii_case(&name)) {
            Some(new) => Some(new.cast(dialect, kind?)),
            None if step.set.iter().any(|set| set == "*" || *set == name.to_lowercase()) => None,
            None => Some(quoted_name(dialect, &name)),
        }
    };
    step.refers(link).into_iter().map(value).collect()
}

/// The condition of rows that refer to a key which changes, and which no row has afterwards.
fn changed(
    dialect: Dialect,
    (columns, refers, values): (&[String], &[String], &[String]),
    rows: &str,
    at_once: bool,
) -> String {
    let differs = |(old, new): (&String, &String)| match dialect {
        Dialect::Postgres => format!("{old} IS DISTINCT FROM ({new})"),
        Dialect::Mysql => format!("NOT ({old} <=> ({new}))"),
        Dialect::Sqlite => format!("{old} IS NOT ({new})"),
    };
    let differs: Vec<String> = refers.iter().zip(values).map(differs).collect();
    let keys: Vec<String> = refers.iter().enumerate().map(|(at, old)| format!("{old} AS k{at}")).collect();
    let names: Vec<String> = (0..refers.len()).map(|at| format!("k{at}")).collect();
    let (columns, names) = (columns.join(", "), names.join(", "));
    let inner = format!("SELECT {}, ({}) AS differs {rows}", keys.join(", "), differs.join(" OR "));
    let old = format!("({columns}) IN (SELECT {names} FROM ({inner}) AS changed WHERE differs)");
    if at_once {
        return old;
    }
    format!("{old} AND (({columns}) IN (SELECT {} {rows})) IS NOT TRUE", values.join(", "))
}

impl Desk<'_> {
    /// Which of the foreign keys forbid it, as things are; `whole` says whether all that goes is known.
    pub(super) async fn held(&self, bars: Vec<Bar>, gone: &[Gone], whole: bool) -> Vec<Held> {
        let mut held: Vec<Held> = Vec::new();
        for bar in bars {
            let Some(one) = self.holds(&bar, gone, whole).await else { continue };
            match held.iter_mut().find(|other| other.table == one.table) {
                // A row may refer in two ways: the larger number is right in any case.
                Some(other) => other.rows = other.rows.max(one.rows),
                None => held.push(one),
            }
        }
        held
    }

    async fn holds(&self, bar: &Bar, gone: &[Gone], whole: bool) -> Option<Held> {
        let maybe = || Some(Held::maybe(&bar.place.1));
        let surely = |rows: u64, child: Option<Known>| {
            let plain = child.is_some_and(|child| child.objection.is_empty() && !child.collated);
            if plain && bar.sure && whole {
                Some(Held { table: bar.place.1.clone(), rows: Some(rows), null: None })
            } else {
                maybe()
            }
        };
        let rows = format!("FROM {} WHERE {}", bar.spelled, bar.behind);
        match self.count(&rows).await {
            None => return maybe(),
            Some(0) if bar.guarded => return maybe(),
            Some(0) => return None,
            Some(rows) if bar.event == Event::Changed => return surely(rows, self.child(&bar.place).await),
            Some(_) => {}
        }
        let others = || gone.iter().filter(|gone| gone.place == bar.place);
        let stay: Vec<String> = others().map(|gone| format!(" AND ({}) IS NOT TRUE", gone.condition)).collect();
        match self.count(&format!("{rows}{}", stay.concat())).await {
            None => maybe(),
            Some(0) if bar.guarded => maybe(),
            Some(0) => match self.dialect {
                Dialect::Sqlite if !bar.at_once => None,
                // Its looks come behind the statement's own rows, between those that go along.
                Dialect::Postgres if others().all(|gone| gone.itself) => None,
                Dialect::Sqlite | Dialect::Postgres | Dialect::Mysql => maybe(),
            },
            Some(rows) => surely(rows, self.child(&bar.place).await),
        }
    }
}

/// Says that a statement would fail or may fail, and promises nothing where it would.
pub(super) fn warn(preview: &mut Preview, held: &[Held]) {
    for said in held.iter().map(Held::told) {
        if !preview.warnings.contains(&said) {
            preview.warnings.push(said);
        }
    }
    if held.iter().any(|held| held.rows.is_some()) {
        fails(preview);
    }
}

/// The same, by what depends on a table.
pub(super) fn depended(preview: &mut Preview, said: Vec<String>) {
    let surely = said.iter().any(|said| said.starts_with(FAILS));
    preview.warnings.extend(said);
    if surely {
        fails(preview);
    }
}

/// Where it fails, nothing is there to be undone.
fn fails(preview: &mut Preview) {
    "would fail".clone_into(&mut preview.brief);
    preview.remedy = Remedy::Unknown;
}

/// Why a table can't be emptied or dropped, whatever its rows, by what refers to it and what reads it. SQLite deletes
/// its rows first, which these may forbid.
pub(super) fn needed(dialect: Dialect, reads: &Reads, known: &Known) -> Vec<String> {
    let dependent = match (reads.act, dialect) {
        (Act::Empty, Dialect::Postgres) => !reads.cascade,
        (Act::Drop, Dialect::Postgres) if reads.cascade => return Vec::new(),
        (Act::Drop, Dialect::Postgres) | (Act::Empty | Act::Drop, Dialect::Mysql) => true,
        _ => return Vec::new(),
    };
    let others = known.referrers.iter().filter(|referrer| referrer.table != known.name && !referrer.along.is_empty());
    let mut tables: Vec<&str> = others.map(|referrer| referrer.table.as_str()).filter(|_| dependent).collect();
    tables.sort_unstable();
    tables.dedup();
    // What leads to a whole may be something else for its part.
    let begins = if known.kin().len() > 1 { "It may fail: " } else { FAILS };
    let say = |names: &[&str], one: &str, several: &str| {
        let word = if names.len() == 1 { one } else { several };
        (!names.is_empty()).then(|| format!("{begins}{} {word}.", names.join(", ")))
    };
    let read = dialect == Dialect::Postgres && reads.act == Act::Drop;
    let views: Vec<&str> = known.views.iter().map(String::as_str).filter(|_| read).collect();
    let rules: Vec<&str> = known.named_by.iter().map(String::as_str).filter(|_| read).collect();
    [
        say(&tables, "refers to it", "refer to it"),
        say(&views, "reads it", "read it"),
        say(&rules, "names it", "name it"),
    ]
    .into_iter()
    .flatten()
    .collect()
}
