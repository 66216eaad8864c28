//! The reads that tell beforehand what a statement would do: its condition in a counting `SELECT`, some of the rows
//! that it meets, and all the rows of its table. Text to text, by the syntax tree; each read is judged like any
//! other before somebody runs it.

mod alter;
mod behind;
mod broken;
mod brought;
mod code;
mod columns;
mod each;
mod insert;
mod kept;
mod keys;
mod lost;
mod made;
mod merge;
mod needs;
mod newly;
mod others;
mod parsed;
mod rights;
mod sees;
mod several;
mod singular;
mod unfit;
mod upsert;
mod values;

use std::ops::ControlFlow;

use sqlparser::ast::{
    AlterTableOperation, CascadeOption, Delete, DropBehavior, Expr, FromTable, ObjectName, ObjectType,
    SqliteOnConflict, Statement, TableFactor, TableWithJoins, Update, UpdateTableFromKind, Visit, Visitor,
};

use super::touch::{columns, ordered, steady};
use crate::domain::Dialect;

pub use alter::{PartDeed, Parts, parts};
pub(super) use behind::hides;
pub use broken::{Break, Check, Demands, Look};
pub use brought::{Brought, Key, Own};
pub use code::{Function, Indexed, function, indexed, spread, viewed};
pub use columns::{Values, values as column_values};
pub use each::each;
pub(super) use insert::said_of;
pub use keys::Keys;
pub use made::{Fired, checks, fired, table_says};
pub use merge::Part;
pub use needs::{index_needs, table_needs};
pub use newly::{Gone, Newly, Unmet, gone, newly};
pub use others::{Dropped, Other, Thing, Whole, other, replaces};
use parsed::parsed;
pub(super) use parsed::{Parsed, lead, statement};
pub use rights::{Rights, rights};
pub use sees::Sees;
use sees::names;
pub(super) use several::changes;
pub use several::{Change, Joined, Several, joins};
pub use singular::{Singular, singular};
pub use upsert::{Met, Most, Upsert};
use values::new_values;
pub(super) use values::values_each;
pub use values::{After, NewValue, NewValues};

/// Rows of a sample.
const SAMPLE: usize = 5;
/// What a statement does with the rows that it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// `UPDATE`
    Change,
    /// `DELETE`
    Delete,
    /// `INSERT`, `REPLACE`
    Add,
    /// `TRUNCATE`
    Empty,
    /// `DROP TABLE`
    Drop,
    /// `ALTER TABLE`
    Alter,
    /// `MERGE`
    Merge,
}

/// What to read to tell what a statement would do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent facts of one statement
pub struct Reads {
    /// What it does.
    pub act: Act,
    /// The table, as the statement spells it.
    pub table: String,
    /// Its schema and name, as the engine folds them.
    pub place: (Option<String>, String),
    /// Counts the rows that it touches. None if the text itself says how many: `rows`.
    pub touched: Option<String>,
    /// Rows that the text itself brings.
    pub rows: u64,
    /// Counts the rows of the table.
    pub all: String,
    /// Shows some of the rows that it touches; for a change, with the new values behind the old ones.
    pub sample: Option<String>,
    /// What becomes of rows that are in the way of those that it brings or changes.
    pub in_the_way: InTheWay,
    /// Which rows it meets is left to chance: it may meet others than are counted.
    pub chance: bool,
    /// What is counted may be too much: triggers or the table may leave rows out.
    pub fewer: bool,
    /// Counts the rows that it adds beside those that it touches: of a `MERGE`.
    pub added: Option<String>,
    /// What depends on the table goes along: `CASCADE`.
    pub cascade: bool,
    /// Nothing but names change: of an `ALTER TABLE`.
    pub renames: bool,
    /// How the rows that are counted stand to those that it meets.
    pub sees: Sees,
    /// Its condition names columns of its own table.
    pub narrowed: bool,
    /// How many of the new values the sample shows.
    pub new_values: NewValues,
    /// Those that it shows.
    pub new: Vec<NewValue>,
    /// The rows that it touches, as what stands behind the list of a `SELECT`, where they are those of one table.
    pub from: Option<String>,
    /// Whether it bounds how many rows it touches: which they are may be left to chance.
    pub bounded: bool,
    /// The columns by which it orders them, in small letters.
    pub ordered: Vec<String>,
    /// The columns that it names for the rows that it brings: of an `INSERT`.
    pub columns: Vec<String>,
    /// Shows some of the rows that it adds beside those that it touches: of a `MERGE`.
    pub added_sample: Option<String>,
    /// Counts its rows that it touches as often as rows of other tables meet them: of a `MERGE`, or of an `UPDATE` that
    /// joins.
    pub pairs: Option<String>,
    /// A sample with new values, which stands where no row is met twice: of an `UPDATE` that joins.
    pub after: Option<After>,
    /// What its clauses do: of a `MERGE`.
    pub parts: Vec<Part>,
    /// The rows that it brings, where that tells which are in their way: of an `INSERT`.
    pub brought: Option<Brought>,
    /// What it says itself of rows in its way, where it goes on: of an `INSERT`.
    pub upsert: Option<Upsert>,
    /// The columns that it sets, in small letters: of an `INSERT`, in rows that are in its way.
    pub updates: Vec<String>,
    /// It leaves out the tables that inherit from its own.
    pub only: bool,
}

/// What a statement says of rows that are in its way: those with the same key. The worst comes last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum InTheWay {
    /// Nothing: it fails.
    #[default]
    Fail,
    /// They stay, and what they are in the way of is left out.
    Stay,
    /// They are changed instead.
    Change,
    /// They are deleted.
    Go,
}

/// The engine's own count, whatever functions of that name somebody made.
fn count(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Postgres => "pg_catalog.count(*)",
        Dialect::Sqlite | Dialect::Mysql => "count(*)",
    }
}

/// The reads for a statement. None for one that touches no rows of a table.
///
/// # Errors
/// A full sentence: it touches rows, and can't be told which.
pub fn reads(dialect: Dialect, sql: &str) -> Result<Option<Reads>, String> {
    match statement(dialect, sql) {
        Some(parsed) => of(dialect, parsed),
        None if alter::rowless(dialect, sql) => Ok(None),
        None => match alter::altered(dialect, sql) {
            Some(reads) => Ok(Some(reads)),
            None => Err("Its rows can't be counted beforehand: the statement isn't fully understood.".to_owned()),
        },
    }
}

fn of(dialect: Dialect, Parsed { statement, only, ignores }: Parsed) -> Result<Option<Reads>, String> {
    match statement {
        Statement::Delete(delete) => {
            let in_the_way = if ignores { InTheWay::Stay } else { InTheWay::Fail };
            deleted(dialect, delete, only).map(|reads| Some(Reads { in_the_way, ..reads }))
        }
        Statement::Update(update) => changed(dialect, update, only).map(Some),
        Statement::Insert(insert) => insert::added(dialect, &insert).map(Some),
        // What begins with `WITH` is a query to the parser, whatever it ends as.
        Statement::Query(query) if writes(&query) => behind::behind(dialect, *query, only),
        Statement::Explain { analyze: true, statement, .. } if writes(&statement) => {
            Err("Its rows can't be counted beforehand: it runs the statement that it explains.".to_owned())
        }
        Statement::Copy { to: false, .. } | Statement::LoadData { .. } => {
            Err("Its rows can't be counted beforehand: they come from outside of the database.".to_owned())
        }
        Statement::Drop { object_type: ObjectType::Schema | ObjectType::Database, .. } => {
            Err("What goes can't be counted beforehand: it drops a schema or database with what is in it.".to_owned())
        }
        Statement::Drop { object_type, cascade: true, .. } if object_type != ObjectType::Table => {
            Err("What goes can't be counted beforehand: it drops everything that depends on it, too.".to_owned())
        }
        Statement::Truncate(truncate) => match truncate.table_names.as_slice() {
            [one] => Ok(Some(each::emptied(dialect, one, truncate.cascade == Some(CascadeOption::Cascade)))),
            _ => Err(several()),
        },
        Statement::Drop { object_type: ObjectType::Table, temporary: true, .. } => {
            Err("Only a temporary table goes. Its rows can't be counted beforehand: no other session sees them."
                .to_owned())
        }
        Statement::Drop { object_type: ObjectType::Table, names, cascade, .. } => match names.as_slice() {
            [one] => Ok(Some(each::dropped(dialect, one, cascade))),
            _ => Err(several()),
        },
        Statement::AlterTable(alter) => {
            let cascade = alter.operations.iter().any(drops_along);
            let renames = alter.operations.iter().all(renames);
            Ok(Some(Reads { cascade, renames, ..whole(dialect, Act::Alter, &alter.name, alter.only) }))
        }
        Statement::Merge(merge) => merge::merged(dialect, &merge, only).map(Some),
        _ => Ok(None),
    }
}

/// Whether what depends on what it takes out of a table goes along.
fn drops_along(operation: &AlterTableOperation) -> bool {
    let (AlterTableOperation::DropColumn { drop_behavior, .. }
    | AlterTableOperation::DropConstraint { drop_behavior, .. }) = operation
    else {
        return false;
    };
    *drop_behavior == Some(DropBehavior::Cascade)
}

/// Whether it gives something a new name, and no more.
fn renames(operation: &AlterTableOperation) -> bool {
    matches!(
        operation,
        AlterTableOperation::RenameTable { .. }
            | AlterTableOperation::RenameColumn { .. }
            | AlterTableOperation::RenameConstraint { .. }
    )
}

/// Whether a statement that changes rows stands within this one.
pub(super) fn writes(within: &impl Visit) -> bool {
    struct Look;
    impl Visitor for Look {
        type Break = ();

        fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
            match statement {
                Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) | Statement::Merge(_) => {
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            }
        }
    }
    within.visit(&mut Look).is_break()
}

pub(super) fn several() -> String {
    "Its rows can't be counted beforehand: it names several tables.".to_owned()
}

fn whole(dialect: Dialect, act: Act, name: &ObjectName, only: bool) -> Reads {
    let count = format!("SELECT {} FROM {}{name}", count(dialect), lead(only));
    let (table, all) = (name.to_string(), count.clone());
    Reads {
        act,
        place: place(dialect, name),
        table,
        touched: Some(count),
        rows: 0,
        all,
        sample: None,
        in_the_way: InTheWay::Fail,
        chance: false,
        fewer: false,
        added: None,
        cascade: false,
        renames: false,
        sees: Sees::Same,
        narrowed: false,
        new_values: NewValues::None,
        new: Vec::new(),
        from: None,
        bounded: false,
        ordered: Vec::new(),
        columns: Vec::new(),
        added_sample: None,
        pairs: None,
        after: None,
        parts: Vec::new(),
        brought: None,
        upsert: None,
        updates: Vec::new(),
        only,
    }
}

fn place(dialect: Dialect, name: &ObjectName) -> (Option<String>, String) {
    super::touch::parts(dialect, name).unwrap_or_else(|_| (None, name.to_string()))
}

/// One plain table, maybe under another name, as it stands behind `FROM`.
pub(super) fn plain(tables: &[TableWithJoins], only: bool) -> Result<(&ObjectName, String), String> {
    let [TableWithJoins { relation, joins }] = tables else { return Err(several()) };
    match relation {
        TableFactor::Table { name, args: None, .. } if joins.is_empty() => {
            Ok((name, format!("{}{relation}", lead(only))))
        }
        _ => Err(several()),
    }
}

/// `WHERE` of a read: the statement's own condition, and that a row of the other tables meets it, too.
pub(super) fn condition(selection: Option<&Expr>, others: &[TableWithJoins]) -> String {
    let own = selection.map(|condition| format!(" WHERE {condition}")).unwrap_or_default();
    if others.is_empty() {
        return own;
    }
    let others: Vec<String> = others.iter().map(ToString::to_string).collect();
    format!(" WHERE EXISTS (SELECT 1 FROM {}{own})", others.join(", "))
}

/// `ORDER BY … LIMIT …` of MySQL's and SQLite's own forms.
pub(super) fn bounds(order: &[impl ToString], limit: Option<&Expr>) -> String {
    let order: Vec<String> = order.iter().map(ToString::to_string).collect();
    let order = if order.is_empty() { String::new() } else { format!(" ORDER BY {}", order.join(", ")) };
    limit.map_or(String::new(), |limit| format!("{order} LIMIT {limit}"))
}

fn touching(
    dialect: Dialect,
    act: Act,
    name: &ObjectName,
    (from, narrowed, bounds): (&str, &str, &str),
    new: &str,
    only: bool,
) -> Reads {
    let count = count(dialect);
    let touched = if bounds.is_empty() {
        format!("SELECT {count} FROM {from}{narrowed}")
    } else {
        format!("SELECT {count} FROM (SELECT 1 FROM {from}{narrowed}{bounds}) AS touched")
    };
    let sample = if bounds.is_empty() {
        format!("SELECT *{new} FROM {from}{narrowed} LIMIT {SAMPLE}")
    } else {
        format!("SELECT * FROM (SELECT *{new} FROM {from}{narrowed}{bounds}) AS touched LIMIT {SAMPLE}")
    };
    let rows = if bounds.is_empty() {
        format!("FROM {from}{narrowed}")
    } else {
        format!("FROM (SELECT * FROM {from}{narrowed}{bounds}) AS touched")
    };
    Reads {
        touched: Some(touched),
        sample: Some(sample),
        from: Some(rows),
        bounded: !bounds.is_empty(),
        ..whole(dialect, act, name, only)
    }
}

fn deleted(dialect: Dialect, delete: Delete, only: bool) -> Result<Reads, String> {
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
    let others = delete.using.unwrap_or_default();
    // MySQL's `USING` repeats the table itself.
    if !delete.tables.is_empty() || (dialect == Dialect::Mysql && !others.is_empty()) {
        return Err(several());
    }
    let (name, spelled) = plain(from, only)?;
    let narrowed = condition(delete.selection.as_ref(), &others);
    let bounds = bounds(&delete.order_by, delete.limit.as_ref());
    let chance = steady(&delete.selection).and(steady(&others)).is_err();
    let ordered = ordered(&delete.order_by);
    let touching = touching(dialect, Act::Delete, name, (&spelled, &narrowed, &bounds), "", only);
    Ok(Reads { chance, ordered, narrowed: others.is_empty() && names(delete.selection.as_ref()), ..touching })
}

fn changed(dialect: Dialect, update: Update, only: bool) -> Result<Reads, String> {
    let others = match update.from {
        Some(UpdateTableFromKind::BeforeSet(tables) | UpdateTableFromKind::AfterSet(tables)) => tables,
        None => Vec::new(),
    };
    let tables = [update.table];
    // MySQL's are all before `SET`, and any of them may change.
    if dialect == Dialect::Mysql && !others.is_empty() {
        return Err(several());
    }
    let (name, spelled) = plain(&tables, only)?;
    let narrowed = condition(update.selection.as_ref(), &others);
    let bounds = bounds(&update.order_by, update.limit.as_ref());
    let all = new_values(dialect, &update.assignments);
    // With other tables, a new value may name a row that the sample doesn't hold.
    let new = if others.is_empty() { all.clone() } else { Vec::new() };
    let from = (spelled.as_str(), narrowed.as_str(), bounds.as_str());
    let items: String = new.iter().map(|new| new.item.as_str()).collect();
    let mut reads = touching(dialect, Act::Change, name, from, &items, only);
    reads.new_values = NewValues::of(new.len(), update.assignments.len());
    reads.new = new;
    if !others.is_empty() && bounds.is_empty() {
        let more: Vec<String> = others.iter().map(ToString::to_string).collect();
        let met = format!("FROM {spelled}, {}{}", more.join(", "), condition(update.selection.as_ref(), &[]));
        reads.pairs = Some(format!("SELECT {} {met}", count(dialect)));
        reads.after = After::of(&called(&tables), all, update.assignments.len(), &met);
    }
    reads.narrowed = others.is_empty() && names(update.selection.as_ref());
    reads.updates = columns(&update.assignments);
    reads.in_the_way = update.or.map_or(InTheWay::Fail, said);
    reads.chance = steady(&update.selection).and(steady(&others)).is_err();
    reads.ordered = ordered(&update.order_by);
    Ok(reads)
}

/// By what name a statement knows its table.
pub(super) fn called(tables: &[TableWithJoins]) -> String {
    match tables.first().map(|table| &table.relation) {
        Some(TableFactor::Table { alias: Some(alias), .. }) => alias.name.to_string(),
        Some(TableFactor::Table { name, .. }) => name.to_string(),
        _ => String::new(),
    }
}

/// What SQLite's `OR …` says of rows that are in the way.
pub(super) fn said(or: SqliteOnConflict) -> InTheWay {
    match or {
        SqliteOnConflict::Replace => InTheWay::Go,
        SqliteOnConflict::Ignore | SqliteOnConflict::Fail => InTheWay::Stay,
        SqliteOnConflict::Rollback | SqliteOnConflict::Abort => InTheWay::Fail,
    }
}

#[cfg(test)]
mod tests;
