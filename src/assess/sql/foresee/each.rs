//! The reads for a statement that empties or drops several tables.

use sqlparser::ast::{CascadeOption, ObjectName, ObjectType, Statement, TruncateTableTarget};

use super::{Act, Reads, statement, whole};
use crate::domain::Dialect;

/// The reads for each of the tables that a statement empties or drops, where those are several; else nothing.
#[must_use]
pub fn each(dialect: Dialect, sql: &str) -> Vec<Reads> {
    let all: Vec<Reads> = match statement(dialect, sql).map(|parsed| parsed.statement) {
        Some(Statement::Truncate(truncate)) => {
            let cascade = truncate.cascade == Some(CascadeOption::Cascade);
            truncate.table_names.iter().map(|one| emptied(dialect, one, cascade)).collect()
        }
        Some(Statement::Drop { object_type: ObjectType::Table, names, cascade, temporary: false, .. }) => {
            names.iter().map(|one| dropped(dialect, one, cascade)).collect()
        }
        _ => Vec::new(),
    };
    if all.len() > 1 { all } else { Vec::new() }
}

/// The reads for a table that is emptied.
pub(super) fn emptied(dialect: Dialect, one: &TruncateTableTarget, cascade: bool) -> Reads {
    Reads { cascade, ..whole(dialect, Act::Empty, &one.name, one.only) }
}

/// The reads for a table that is dropped.
pub(super) fn dropped(dialect: Dialect, one: &ObjectName, cascade: bool) -> Reads {
    Reads { cascade, from: Some(format!("FROM {one}")), ..whole(dialect, Act::Drop, one, false) }
}
