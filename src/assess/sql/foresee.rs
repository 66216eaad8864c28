//! The reads that tell beforehand what a statement would do: its condition in a counting `SELECT`, some of the rows
//! that it meets, and all the rows of its table. Text to text, by the syntax tree; each read is judged like any
//! other before somebody runs it.

use sqlparser::ast::{
    Assignment, AssignmentTarget, Delete, Expr, FromTable, Insert, ObjectName, ObjectType, SetExpr, Statement,
    TableFactor, TableObject, TableWithJoins, Update, UpdateTableFromKind,
};

use super::lex;
use super::tree;
use crate::domain::Dialect;

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
}

/// What to read to tell what a statement would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reads {
    /// What it does.
    pub act: Act,
    /// The table, as the statement spells it.
    pub table: String,
    /// Counts the rows that it touches. None if the text itself says how many: `rows`.
    pub touched: Option<String>,
    /// Rows that the text itself brings.
    pub rows: u64,
    /// Counts the rows of the table.
    pub all: String,
    /// Shows some of the rows that it touches; for a change, with the new values behind the old ones.
    pub sample: Option<String>,
    /// It may touch fewer rows than are counted, or others: it says what to do when they are there already.
    pub at_most: bool,
}

/// The reads for a statement. None for one that touches no rows of a table.
///
/// # Errors
/// A full sentence: it touches rows, and can't be told which.
pub fn reads(dialect: Dialect, sql: &str) -> Result<Option<Reads>, String> {
    let statement =
        statement(dialect, sql).ok_or("Its rows can't be counted beforehand: it is not understood whole.")?;
    match statement {
        Statement::Delete(delete) => deleted(dialect, delete).map(Some),
        Statement::Update(update) => changed(dialect, update).map(Some),
        Statement::Insert(insert) => added(&insert).map(Some),
        Statement::Truncate(truncate) => match truncate.table_names.as_slice() {
            [one] => Ok(Some(whole(Act::Empty, &one.name))),
            _ => Err(several()),
        },
        Statement::Drop { object_type: ObjectType::Table, names, .. } => match names.as_slice() {
            [one] => Ok(Some(whole(Act::Drop, one))),
            _ => Err(several()),
        },
        Statement::AlterTable(alter) => Ok(Some(whole(Act::Alter, &alter.name))),
        Statement::Merge(_) => Err("Its rows can't be counted beforehand: it merges.".to_owned()),
        _ => Ok(None),
    }
}

fn statement(dialect: Dialect, sql: &str) -> Option<Statement> {
    let quoting = *lex::quotings(dialect, sql).first()?;
    let tokens = lex::lex(sql, dialect, quoting).ok()?.tokens;
    let mut statements = tree::parse(dialect, &tokens, sql)?;
    let one = statements.pop()?;
    statements.is_empty().then_some(one)
}

fn several() -> String {
    "Its rows can't be counted beforehand: it names several tables.".to_owned()
}

fn whole(act: Act, name: &ObjectName) -> Reads {
    let count = format!("SELECT count(*) FROM {name}");
    let (table, all) = (name.to_string(), count.clone());
    Reads { act, table, touched: Some(count), rows: 0, all, sample: None, at_most: false }
}

/// One plain table, maybe under another name.
fn plain(tables: &[TableWithJoins]) -> Result<(&ObjectName, String), String> {
    let [TableWithJoins { relation, joins }] = tables else { return Err(several()) };
    match relation {
        TableFactor::Table { name, args: None, .. } if joins.is_empty() => Ok((name, relation.to_string())),
        _ => Err(several()),
    }
}

/// `WHERE` of a read: the statement's own condition, and that a row of the other tables meets it, too.
fn condition(selection: Option<&Expr>, others: &[TableWithJoins]) -> String {
    let own = selection.map(|condition| format!(" WHERE {condition}")).unwrap_or_default();
    if others.is_empty() {
        return own;
    }
    let others: Vec<String> = others.iter().map(ToString::to_string).collect();
    format!(" WHERE EXISTS (SELECT 1 FROM {}{own})", others.join(", "))
}

/// `ORDER BY … LIMIT …` of MySQL's and SQLite's own forms.
fn bounds(order: &[impl ToString], limit: Option<&Expr>) -> String {
    let order: Vec<String> = order.iter().map(ToString::to_string).collect();
    let order = if order.is_empty() { String::new() } else { format!(" ORDER BY {}", order.join(", ")) };
    limit.map_or(String::new(), |limit| format!("{order} LIMIT {limit}"))
}

fn touching(act: Act, name: &ObjectName, from: &str, narrowed: &str, bounds: &str, new: &str) -> Reads {
    let touched = if bounds.is_empty() {
        format!("SELECT count(*) FROM {from}{narrowed}")
    } else {
        format!("SELECT count(*) FROM (SELECT 1 FROM {from}{narrowed}{bounds}) AS touched")
    };
    let sample = if bounds.is_empty() {
        format!("SELECT *{new} FROM {from}{narrowed} LIMIT {SAMPLE}")
    } else {
        format!("SELECT * FROM (SELECT *{new} FROM {from}{narrowed}{bounds}) AS touched LIMIT {SAMPLE}")
    };
    Reads {
        act,
        table: name.to_string(),
        touched: Some(touched),
        rows: 0,
        all: format!("SELECT count(*) FROM {name}"),
        sample: Some(sample),
        at_most: false,
    }
}

fn deleted(dialect: Dialect, delete: Delete) -> Result<Reads, String> {
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
    let others = delete.using.unwrap_or_default();
    // MySQL's `USING` repeats the table itself.
    if !delete.tables.is_empty() || (dialect == Dialect::Mysql && !others.is_empty()) {
        return Err(several());
    }
    let (name, spelled) = plain(from)?;
    let narrowed = condition(delete.selection.as_ref(), &others);
    let bounds = bounds(&delete.order_by, delete.limit.as_ref());
    Ok(touching(Act::Delete, name, &spelled, &narrowed, &bounds, ""))
}

fn changed(dialect: Dialect, update: Update) -> Result<Reads, String> {
    let others = match update.from {
        Some(UpdateTableFromKind::BeforeSet(tables) | UpdateTableFromKind::AfterSet(tables)) => tables,
        None => Vec::new(),
    };
    let tables = [update.table];
    let (name, spelled) = plain(&tables)?;
    let narrowed = condition(update.selection.as_ref(), &others);
    let bounds = bounds(&update.order_by, update.limit.as_ref());
    // With other tables, a new value may name a row that the sample doesn't hold.
    let new = if others.is_empty() { new_values(dialect, &update.assignments) } else { String::new() };
    let mut reads = touching(Act::Change, name, &spelled, &narrowed, &bounds, &new);
    reads.at_most = update.or.is_some();
    Ok(reads)
}

/// `, value AS "new column"` for each plain assignment.
fn new_values(dialect: Dialect, assignments: &[Assignment]) -> String {
    let quote = if dialect == Dialect::Mysql { '`' } else { '"' };
    let one = |assignment: &Assignment| {
        let AssignmentTarget::ColumnName(column) = &assignment.target else { return None };
        let plain: String = column.to_string().chars().filter(|letter| !matches!(letter, '"' | '`' | '\\')).collect();
        (!assignment.value.to_string().eq_ignore_ascii_case("default"))
            .then(|| format!(", {} AS {quote}new {plain}{quote}", assignment.value))
    };
    assignments.iter().filter_map(one).collect()
}

fn added(insert: &Insert) -> Result<Reads, String> {
    let TableObject::TableName(name) = &insert.table else { return Err(several()) };
    let mut reads = whole(Act::Add, name);
    reads.at_most = insert.on.is_some() || insert.ignore || insert.or.is_some();
    if insert.replace_into {
        return Err("How many rows it replaces can't be told beforehand.".to_owned());
    }
    (reads.touched, reads.rows) = match insert.source.as_deref() {
        None => (None, 1),
        Some(query) => match query.body.as_ref() {
            SetExpr::Values(values) if query.with.is_none() && query.limit_clause.is_none() => {
                (None, values.rows.len() as u64)
            }
            _ => {
                reads.sample = Some(format!("SELECT * FROM ({query}) AS added LIMIT {SAMPLE}"));
                (Some(format!("SELECT count(*) FROM ({query}) AS added")), 0)
            }
        },
    };
    Ok(reads)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(dialect: Dialect, sql: &str) -> (String, String) {
        let reads = reads(dialect, sql).unwrap().unwrap();
        (reads.touched.unwrap_or_else(|| reads.rows.to_string()), reads.sample.unwrap_or_default())
    }

    #[test]
    fn a_condition_becomes_a_count_and_a_sample() {
        let (count, sample) = told(Dialect::Sqlite, "DELETE FROM orders WHERE status = 'x' AND total > 3");
        assert_eq!(count, "SELECT count(*) FROM orders WHERE status = 'x' AND total > 3");
        assert_eq!(sample, "SELECT * FROM orders WHERE status = 'x' AND total > 3 LIMIT 5");
        let (count, sample) = told(Dialect::Postgres, "UPDATE t AS o SET a = a + 1, b = DEFAULT WHERE o.c IS NULL");
        assert_eq!(count, "SELECT count(*) FROM t AS o WHERE o.c IS NULL");
        assert_eq!(sample, "SELECT *, a + 1 AS \"new a\" FROM t AS o WHERE o.c IS NULL LIMIT 5");
        let (count, _) = told(Dialect::Postgres, "DELETE FROM a USING b WHERE a.i = b.i");
        assert_eq!(count, "SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.i = b.i)");
        let (count, _) = told(Dialect::Mysql, "DELETE FROM t WHERE a > 1 ORDER BY a LIMIT 3");
        assert_eq!(count, "SELECT count(*) FROM (SELECT 1 FROM t WHERE a > 1 ORDER BY a LIMIT 3) AS touched");
        assert_eq!(told(Dialect::Sqlite, "INSERT INTO t VALUES (1), (2)").0, "2");
        assert_eq!(
            told(Dialect::Sqlite, "INSERT INTO t SELECT * FROM u").0,
            "SELECT count(*) FROM (SELECT * FROM u) AS added"
        );
        assert_eq!(told(Dialect::Postgres, "TRUNCATE t").0, "SELECT count(*) FROM t");
        assert_eq!(reads(Dialect::Postgres, "CREATE TABLE t (a int)"), Ok(None));
    }

    #[test]
    fn what_cannot_be_told_says_so() {
        for (dialect, sql) in [
            (Dialect::Mysql, "DELETE a, b FROM a JOIN b ON a.i = b.i"),
            (Dialect::Mysql, "UPDATE a, b SET a.x = 1 WHERE a.i = b.i"),
            (Dialect::Mysql, "REPLACE INTO t VALUES (1)"),
            (Dialect::Postgres, "DELETE FROM a; DELETE FROM b"),
            (Dialect::Postgres, "DELETE FRM a"),
        ] {
            assert!(reads(dialect, sql).is_err(), "{sql}");
        }
    }
}
