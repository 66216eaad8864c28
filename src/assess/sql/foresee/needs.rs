//! What of SQLite's schema needs a column, by the statements that made it: what names it in a check, a key or an index.

use std::ops::ControlFlow;

use sqlparser::ast::{ColumnOption, CreateTable, Expr, Ident, IndexColumn, Statement, TableConstraint, Visit, Visitor};

use super::super::touch::bare;
use super::statement;
use crate::domain::Dialect;

/// Whether columns of that name stand in a condition or an expression.
fn names(within: &impl Visit, column: &str) -> bool {
    struct Look<'a>(&'a str);
    impl Visitor for Look<'_> {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            let last = match expr {
                Expr::Identifier(name) => Some(name),
                Expr::CompoundIdentifier(names) => names.last(),
                _ => None,
            };
            // In double quotes, it may be a text.
            let named = |name: &Ident| name.quote_style != Some('"') && bare(name).eq_ignore_ascii_case(self.0);
            if last.is_some_and(named) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    within.visit(&mut Look(column)).is_break()
}

/// What of a table itself needs one of its columns, beside the column's own clauses. None where its text can't be read.
#[must_use]
pub fn table_needs(made: &str, column: &str) -> Option<Vec<String>> {
    let Statement::CreateTable(CreateTable { columns, constraints, .. }) = statement(Dialect::Sqlite, made)?.statement
    else {
        return None;
    };
    let is = |name: &Ident| bare(name).eq_ignore_ascii_case(column);
    let of_key = |columns: &[IndexColumn]| {
        columns.iter().any(|one| matches!(&one.column.expr, Expr::Identifier(name) if is(name)))
    };
    let whole = constraints.iter().filter_map(|constraint| match constraint {
        TableConstraint::Check(check) if names(&check.expr, column) => Some(format!("the check {}", check.expr)),
        TableConstraint::ForeignKey(key) if key.columns.iter().any(is) => {
            Some(format!("the foreign key to {}", key.foreign_table))
        }
        TableConstraint::Unique(key) if of_key(&key.columns) => Some("a unique key".to_owned()),
        TableConstraint::PrimaryKey(key) if of_key(&key.columns) => Some("the primary key".to_owned()),
        _ => None,
    });
    let others = columns.iter().filter(|other| !is(&other.name)).filter(|other| {
        other.options.iter().any(|option| match &option.option {
            ColumnOption::Check(check) => names(&check.expr, column),
            ColumnOption::Generated { generation_expr: Some(expr), .. } => names(expr, column),
            _ => false,
        })
    });
    Some(whole.chain(others.map(|other| format!("column {}", bare(&other.name)))).collect())
}

/// Whether an index needs a column: it orders by it, or holds by it for some rows alone.
#[must_use]
pub fn index_needs(made: &str, column: &str) -> bool {
    let Some(Statement::CreateIndex(index)) = statement(Dialect::Sqlite, made).map(|parsed| parsed.statement) else {
        return false;
    };
    index.columns.iter().any(|one| names(&one.column.expr, column))
        || index.predicate.is_some_and(|some| names(&some, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_a_column_needs_it() {
        let made = "CREATE TABLE t (a int CHECK (a > 0), b int REFERENCES p (id), c int AS (a + 1), d int, \
            CHECK (b > 0 OR D > 1), FOREIGN KEY (d) REFERENCES q (id), UNIQUE (a, d))";
        let needs = |column| table_needs(made, column).unwrap().join(", ");
        assert_eq!(needs("a"), "a unique key, column c");
        assert_eq!(needs("b"), "the check b > 0 OR D > 1");
        assert_eq!(needs("d"), "the check b > 0 OR D > 1, the foreign key to q, a unique key");
        assert_eq!(needs("c"), "");
        assert!(
            index_needs("CREATE INDEX i ON t (lower(a)) WHERE b", "B") && index_needs("CREATE INDEX i ON t (a)", "a")
        );
        assert!(!index_needs("CREATE INDEX a ON t (lower(\"b\"), 'a')", "a") && table_needs("garbage", "a").is_none());
    }
}
