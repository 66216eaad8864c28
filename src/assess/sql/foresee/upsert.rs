//! What an `INSERT` does that says what becomes of rows in its way, as one read: how many of the rows that it brings are
//! new, how many rows of the table they meet.

use sqlparser::ast::{
    Assignment, ConflictTarget, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Insert, ObjectNamePart,
    OnConflictAction, OnInsert, SetExpr, SqliteOnConflict,
};

use super::super::touch::{bare, columns, steady};
use super::brought::Own;
use super::kept::{KEPT, Kept};
use super::{Brought, InTheWay, Key, count};
use crate::domain::Dialect;

/// What it says of rows that are in its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upsert {
    by: By,
    /// What fails for another reason is left out, too: `IGNORE`.
    pub ignores: bool,
    /// Under which condition those rows are changed.
    condition: Option<String>,
    /// The columns that it sets in them, in small letters, but for those that get what the row brings.
    sets: Vec<String>,
    /// The same, and those.
    all: Vec<String>,
    /// What stands before the columns of the table.
    called: String,
    /// The places of values that are left to chance; none for that of a query, all of which is.
    pub(super) chance: Option<Vec<usize>>,
}

/// By which keys rows are in its way.
#[derive(Clone, Debug, PartialEq, Eq)]
enum By {
    /// By any.
    Any,
    /// By the one of these columns.
    Columns(Vec<String>),
    /// By the one of this name.
    Named(String),
}

/// A read that counts them, and how its numbers are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The read.
    pub sql: String,
    /// Counts the rows of the table that it changes, where a condition says which of those that are in its way.
    pub changed: Option<String>,
    keys: usize,
    way: InTheWay,
}

/// What was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// Rows that are added: so many, or at most so many.
    pub added: Most,
    /// Rows that it brings and leaves out, or rows of the table that it changes.
    pub others: Most,
    /// Rows that it brings have the same key, which meets the same row of the table for one of them.
    pub twice: bool,
}

/// A number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// It.
    pub rows: u64,
    /// It is exactly that; otherwise there may be fewer.
    pub sure: bool,
}

pub(super) fn folded(dialect: Dialect, ident: &Ident) -> String {
    match (dialect, ident.quote_style) {
        (Dialect::Postgres, None) => ident.value.to_lowercase(),
        _ => bare(ident),
    }
}

impl Upsert {
    /// What a statement says. None where rows in its way make it fail, or where it says two things.
    pub(in super::super) fn of(dialect: Dialect, insert: &Insert) -> Option<Self> {
        let table = insert.table.to_string();
        let called = insert.table_alias.as_ref().map_or(table, |alias| alias.alias.to_string());
        let ignores = insert.ignore || insert.or == Some(SqliteOnConflict::Ignore);
        if insert.or.is_some() && insert.on.is_some() {
            return None;
        }
        let (sets, all, chance) = (Vec::new(), Vec::new(), left_to_chance(insert));
        let plain = Self { by: By::Any, ignores, condition: None, sets, all, called, chance };
        match &insert.on {
            Some(OnInsert::DuplicateKeyUpdate(assignments)) => Some(plain.setting(assignments)),
            Some(OnInsert::OnConflict(conflict)) => {
                let by = match &conflict.conflict_target {
                    None => By::Any,
                    Some(ConflictTarget::Columns(names)) => {
                        By::Columns(names.iter().map(|name| folded(dialect, name)).collect())
                    }
                    Some(ConflictTarget::OnConstraint(name)) => {
                        By::Named(folded(dialect, name.0.last().and_then(ObjectNamePart::as_ident)?))
                    }
                };
                let upsert = Self { by, ..plain };
                Some(match &conflict.action {
                    OnConflictAction::DoNothing => upsert,
                    OnConflictAction::DoUpdate(update) => Self {
                        condition: update.selection.as_ref().map(ToString::to_string),
                        ..upsert.setting(&update.assignments)
                    },
                })
            }
            Some(_) => None,
            None => (insert.replace_into || ignores || insert.or == Some(SqliteOnConflict::Replace)).then_some(plain),
        }
    }

    fn setting(self, assignments: &[Assignment]) -> Self {
        let own = |assignment: &&Assignment| {
            let [column] = columns(std::slice::from_ref(assignment)).try_into().unwrap_or_else(|_| [String::new()]);
            !same(&assignment.value, &column, &self.called)
        };
        let sets = assignments.iter().filter(own).flat_map(|one| columns(std::slice::from_ref(one))).collect();
        Self { sets, all: columns(assignments), ..self }
    }

    /// The read that counts, for rows that go to a table with these columns and keys. `named` are the columns that the
    /// statement names. None if it can't be told.
    #[must_use]
    pub fn count(
        &self,
        dialect: Dialect,
        way: InTheWay,
        (brought, named): (&Brought, &[String]),
        (table, own, unique): (&str, &[Own], &[Key]),
    ) -> Option<Count> {
        let keys = self.keys(dialect, unique)?;
        let sets = if keys.len() == 1 { &self.sets } else { &self.all };
        let key =
            |name: &String| keys.iter().any(|key| key.columns.iter().any(|column| column.to_lowercase() == *name));
        if sets.iter().any(|set| set == "*" || key(set)) {
            return None;
        }
        let rows = brought.kept(dialect, (named, own), &keys, self.ignores)?;
        Some(self.reads(dialect, way, table, &rows))
    }

    /// The columns that it sets in rows that are in its way, in small letters.
    #[must_use]
    pub fn set(&self) -> Vec<String> {
        self.all.clone()
    }

    /// The columns that it sets to something else than they are, in small letters: not those of the one key by which
    /// rows are in its way, where they get what that has.
    #[must_use]
    pub fn moved(&self) -> Vec<String> {
        let By::Columns(names) = &self.by else { return self.all.clone() };
        let same = |set: &&String| !self.sets.contains(set) && names.iter().any(|name| name.to_lowercase() == **set);
        self.all.iter().filter(|set| !same(set)).cloned().collect()
    }

    /// The keys by which rows are in its way.
    pub(super) fn keys<'k>(&self, dialect: Dialect, unique: &'k [Key]) -> Option<Vec<&'k Key>> {
        let same = |one: &str, other: &str| match dialect {
            Dialect::Postgres => one == other,
            Dialect::Mysql | Dialect::Sqlite => one.eq_ignore_ascii_case(other),
        };
        let keys: Vec<&Key> = match &self.by {
            By::Any => unique.iter().collect(),
            By::Named(name) => unique.iter().filter(|key| key.name == *name).collect(),
            By::Columns(names) => {
                let holds = |key: &Key, name: &String| key.columns.iter().any(|column| same(column, name));
                let fits = |key: &&Key| key.columns.len() == names.len() && names.iter().all(|name| holds(key, name));
                // Two keys of the same columns say the same.
                unique.iter().filter(|key| !key.partial).filter(fits).take(1).collect()
            }
        };
        let told = !keys.is_empty() || self.by == By::Any;
        (told && !keys.iter().any(|key| key.partial)).then_some(keys)
    }

    fn reads(&self, dialect: Dialect, way: InTheWay, table: &str, rows: &Kept) -> Count {
        let (count, with) = (count(dialect), &rows.with);
        let any = |parts: Vec<String>| if parts.is_empty() { "1 = 0".to_owned() } else { parts.join(" OR ") };
        let alike = |own: &str, key: &[String]| {
            let parts: Vec<String> = key.iter().map(|name| format!("{own}.{name} = {KEPT}.{name}")).collect();
            format!("({})", parts.join(" AND "))
        };
        let own = "countersign_own";
        let keys = &rows.keys;
        let exists = |key: &Vec<String>| format!("EXISTS (SELECT 1 FROM {table} AS {own} WHERE {})", alike(own, key));
        let met = if way == InTheWay::Go { any(Vec::new()) } else { any(keys.iter().map(exists).collect()) };
        let within = |key: &Vec<String>| format!("({0}) IN (SELECT {0} FROM {KEPT})", key.join(", "));
        let there = any(keys.iter().map(within).collect());
        let pairs = any(keys.iter().map(|key| alike(own, key)).collect());
        let (present, odd) = (&rows.present, &rows.odd);
        let mut numbers = vec![
            format!("SELECT {count} FROM {KEPT}"),
            format!("SELECT {count} FROM {KEPT} WHERE {present} AND ({met})"),
            format!("SELECT {count} FROM {KEPT} WHERE NOT ({present})"),
            format!("SELECT {count} FROM {KEPT} WHERE {odd}"),
        ];
        numbers.extend(match way {
            InTheWay::Change => [
                format!("SELECT {count} FROM {table} WHERE {there}"),
                format!("SELECT {count} FROM {table} AS {own} JOIN {KEPT} ON {pairs}"),
            ],
            InTheWay::Fail | InTheWay::Stay | InTheWay::Go => ["SELECT 0".to_owned(), "SELECT 0".to_owned()],
        });
        // A row that changes another may meet what one before it brought.
        let free = keys.len() == 1 || way != InTheWay::Change;
        let free = if free { format!("{present} AND NOT ({met})") } else { present.clone() };
        for key in keys {
            let given: Vec<String> = key.iter().map(|name| format!("{name} IS NOT NULL")).collect();
            let some = format!("FROM {KEPT} WHERE {free} AND {}", given.join(" AND "));
            numbers.push(format!("SELECT {count} {some}"));
            numbers.push(format!("SELECT {count} FROM (SELECT DISTINCT {} {some}) AS countersign_one", key.join(", ")));
        }
        let numbers: Vec<String> =
            numbers.iter().enumerate().map(|(at, number)| format!("({number}) AS n{at}")).collect();
        let changed = self.condition.as_ref().zip(keys.first()).filter(|_| keys.len() == 1).map(|(condition, key)| {
            let (called, names) = (&self.called, key.iter().map(|name| format!("{}.{name}", self.called)));
            let names = names.collect::<Vec<_>>().join(", ");
            format!(
                "{with} SELECT {count} FROM (SELECT DISTINCT {names} FROM {table} AS {called} JOIN {KEPT} ON {} \
                 WHERE {condition}) AS countersign_one",
                alike(called, key)
            )
        });
        // A name with a schema can't be another one.
        let changed = changed.filter(|_| !self.called.contains('.'));
        Count { sql: format!("{with} SELECT {}", numbers.join(", ")), changed, keys: keys.len(), way }
    }

    /// Whether a condition says which rows are changed.
    #[must_use]
    pub fn conditional(&self) -> bool {
        self.condition.is_some()
    }
}

/// Whether a value is that of a column itself, or what the row brings for it. `called` stands before the table's columns.
fn same(value: &Expr, column: &str, called: &str) -> bool {
    let is = |ident: &Ident| bare(ident).to_lowercase() == column;
    match value {
        Expr::Identifier(name) => is(name),
        Expr::CompoundIdentifier(names) => {
            let Some((last, table)) = names.split_last() else { return false };
            let table = table.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
            is(last) && (table.eq_ignore_ascii_case(called) || table.eq_ignore_ascii_case("excluded"))
        }
        Expr::Function(function) => {
            let brings = ["values", "value", "last_insert_id"];
            let FunctionArguments::List(list) = &function.args else { return false };
            let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(name)))] = list.args.as_slice() else {
                return false;
            };
            brings.contains(&function.name.to_string().to_lowercase().as_str()) && is(name)
        }
        _ => false,
    }
}

/// The places of values that give something else each time. None if they are those of a query.
fn left_to_chance(insert: &Insert) -> Option<Vec<usize>> {
    let places = |rows: &[&[Expr]]| {
        let mut places: Vec<usize> = rows
            .iter()
            .flat_map(|row| row.iter().enumerate())
            .filter(|(_, value)| steady(*value).is_err())
            .map(|(at, _)| at)
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    };
    if !insert.assignments.is_empty() {
        let row: Vec<Expr> = insert.assignments.iter().map(|assignment| assignment.value.clone()).collect();
        return Some(places(&[&row]));
    }
    let query = insert.source.as_deref()?;
    match query.body.as_ref() {
        SetExpr::Values(values) => Some(places(&values.rows.iter().map(|row| row.as_slice()).collect::<Vec<_>>())),
        _ if steady(query).is_ok() => Some(Vec::new()),
        _ => None,
    }
}

impl Count {
    /// What its numbers tell.
    #[must_use]
    pub fn told(&self, numbers: &[u64]) -> Option<Met> {
        let [brought, met, out, odd, there, pairs, keys @ ..] = numbers else { return None };
        let twice: Vec<u64> = keys.chunks(2).map(|key| key[0].saturating_sub(*key.get(1).unwrap_or(&0))).collect();
        if *odd > 0 {
            return None;
        }
        let repeated = twice.iter().max().copied().unwrap_or_default();
        let free = brought.saturating_sub(met + out);
        let single = self.keys < 2;
        let added =
            Most { rows: free.saturating_sub(if single { repeated } else { 0 }), sure: single || repeated == 0 };
        let others = match self.way {
            InTheWay::Change => Most { rows: *there, sure: single || (repeated == 0 && pairs == met && there == met) },
            InTheWay::Stay => Most { rows: brought.saturating_sub(added.rows), sure: added.sure },
            InTheWay::Fail | InTheWay::Go => Most { rows: 0, sure: true },
        };
        Some(Met { added, others, twice: repeated > 0 || (single && pairs > there) })
    }
}
