//! The reads for an `INSERT`: the rows that it brings, told by its text or counted by its own query.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Assignment, Expr, Ident, Insert, ObjectName, ObjectNamePart, OnConflictAction, OnInsert, SelectItem, SetExpr,
    TableObject, Visit, Visitor,
};

use super::super::functions;
use super::super::touch::{bare, columns, steady};
use super::{Act, Brought, InTheWay, Reads, SAMPLE, Upsert, count, said, several, whole};
use crate::domain::Dialect;

/// Functions of PostgreSQL and its extensions that return any number of rows, but for those whose names begin with
/// `pg` or `st_`.
const SETS: &str = " _pg_expandarray aclexplode each generate_series generate_subscripts json_array_elements \
    json_array_elements_text json_each json_each_text json_object_keys json_populate_recordset json_to_recordset \
    jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys jsonb_path_query \
    jsonb_path_query_tz jsonb_populate_recordset jsonb_to_recordset normal_rand regexp_matches regexp_split_to_table \
    skeys string_to_table svals ts_debug ts_parse ts_stat ts_token_type txid_snapshot_xip unnest ";

/// Whether none of PostgreSQL's functions that are called there may return several rows.
fn single(values: &impl Visit) -> bool {
    struct Look;
    impl Visitor for Look {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
            let folded = |ident: &Ident| match ident.quote_style {
                None => ident.value.to_lowercase(),
                Some(_) => bare(ident),
            };
            let parts = function.name.0.iter().map(|part| part.as_ident().map(folded));
            let path: Option<Vec<String>> = parts.collect();
            let name = match path.as_deref() {
                Some([name]) => name,
                Some([schema, name]) if schema == "pg_catalog" => name,
                Some(_) | None => return ControlFlow::Break(()),
            };
            let sets = ["pg", "st_"].iter().any(|lead| name.starts_with(lead)) || SETS.contains(&format!(" {name} "));
            if sets || !functions::known(Dialect::Postgres, name) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        }
    }
    values.visit(&mut Look).is_continue()
}

/// A row of values as a read.
fn selected(row: &[Expr]) -> String {
    let value = |value: &Expr| {
        let value = value.to_string();
        if value.eq_ignore_ascii_case("default") { "NULL".to_owned() } else { value }
    };
    format!("SELECT {}", row.iter().map(value).collect::<Vec<_>>().join(", "))
}

/// The columns and values of MySQL's `SET`.
fn assigned(assignments: &[Assignment]) -> (Vec<String>, Vec<Expr>) {
    let one = |assignment: &Assignment| (columns(std::slice::from_ref(assignment)).concat(), assignment.value.clone());
    assignments.iter().map(one).unzip()
}

/// How many columns the query of an `INSERT` has, where its text says so.
fn width(insert: &Insert) -> Option<usize> {
    if !insert.columns.is_empty() {
        return Some(insert.columns.len());
    }
    let SetExpr::Select(select) = insert.source.as_ref()?.body.as_ref() else { return None };
    let plain = |item: &SelectItem| matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. });
    select.projection.iter().all(plain).then_some(select.projection.len())
}

/// A query whose columns have names of our own: MySQL reads from none where two have the same.
fn named(query: &str, columns: usize) -> String {
    let names: Vec<String> = (0..columns).map(|at| format!("c{at}")).collect();
    format!("WITH countersign_added ({}) AS ({query}) SELECT * FROM countersign_added", names.join(", "))
}

/// What it says of rows that are in its way.
pub(in super::super) fn said_of(insert: &Insert) -> InTheWay {
    match &insert.on {
        _ if insert.replace_into => InTheWay::Go,
        Some(OnInsert::DuplicateKeyUpdate(_)) => InTheWay::Change,
        Some(OnInsert::OnConflict(conflict)) => match conflict.action {
            OnConflictAction::DoNothing => InTheWay::Stay,
            OnConflictAction::DoUpdate(_) => InTheWay::Change,
        },
        Some(_) => InTheWay::Go,
        None if insert.ignore => InTheWay::Stay,
        None => insert.or.map_or(InTheWay::Fail, said),
    }
}

pub(super) fn added(dialect: Dialect, insert: &Insert) -> Result<Reads, String> {
    let TableObject::TableName(name) = &insert.table else { return Err(several()) };
    let mut reads = whole(dialect, Act::Add, name, false);
    reads.in_the_way = said_of(insert);
    reads.updates = match &insert.on {
        Some(OnInsert::DuplicateKeyUpdate(assignments)) => columns(assignments),
        Some(OnInsert::OnConflict(conflict)) => match &conflict.action {
            OnConflictAction::DoUpdate(update) => columns(&update.assignments),
            OnConflictAction::DoNothing => Vec::new(),
        },
        _ => Vec::new(),
    };
    reads.upsert = Upsert::of(dialect, insert);
    reads.chance = steady(&insert.source).is_err();
    let last = |name: &ObjectName| name.0.last().and_then(ObjectNamePart::as_ident).map(bare);
    reads.columns = insert.columns.iter().filter_map(last).collect();
    if !insert.assignments.is_empty() {
        let (columns, row) = assigned(&insert.assignments);
        (reads.columns, reads.brought) = (columns, Brought::values(&[&row]));
    }
    let query = match insert.source.as_deref() {
        None => {
            reads.touched = None;
            reads.rows = 1;
            return Ok(reads);
        }
        Some(query) => match query.body.as_ref() {
            SetExpr::Values(values) if query.with.is_none() && query.limit_clause.is_none() => {
                reads.brought = Brought::values(&values.rows.iter().map(|row| row.as_slice()).collect::<Vec<_>>());
                match values.rows.as_slice() {
                    // One row alone is a `SELECT`: a function in it may make several of it.
                    [row] if dialect == Dialect::Postgres && !single(row) => selected(row),
                    rows => {
                        reads.touched = None;
                        reads.rows = rows.len() as u64;
                        return Ok(reads);
                    }
                }
            }
            _ => query.to_string(),
        },
    };
    if reads.brought.is_none() {
        reads.brought = Some(Brought::Query(query.clone()));
    }
    let query = match width(insert) {
        Some(columns) if dialect == Dialect::Mysql => named(&query, columns),
        _ => query,
    };
    reads.sample = Some(format!("SELECT * FROM ({query}) AS added LIMIT {SAMPLE}"));
    reads.touched = Some(format!("SELECT {} FROM ({query}) AS added", count(dialect)));
    Ok(reads)
}
