//! How rows that are counted by a read stand to those that a statement meets: where policies decide which rows a role sees,
//! they may decide otherwise which of them it changes.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, Visit, Visitor};

/// How rows that are counted stand to those that a statement meets, where policies decide which rows a role sees, changes
/// or deletes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sees {
    /// They are the same.
    #[default]
    Same,
    /// They are the same; there may be others in the table.
    Own,
    /// It meets some of them, or all.
    Fewer,
    /// It meets them, and maybe others.
    More,
    /// It may meet others.
    Others,
}

/// Whether a condition names columns outside of any query in it: those of its own table, if there is no other.
pub(super) fn names(condition: Option<&Expr>) -> bool {
    struct Look(usize);
    impl Visitor for Look {
        type Break = ();

        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Continue(())
        }

        fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.0 -= 1;
            ControlFlow::Continue(())
        }

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            let names = matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
            if names && self.0 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    condition.is_some_and(|condition| condition.visit(&mut Look(0)).is_break())
}

#[cfg(test)]
mod tests {
    use super::super::reads;
    use crate::domain::Dialect;

    #[test]
    fn a_condition_that_names_columns_of_its_table_reads_it() {
        for (sql, narrowed) in [
            ("DELETE FROM t", false),
            ("DELETE FROM t WHERE true", false),
            ("DELETE FROM t WHERE a > 1", true),
            ("UPDATE t SET a = b", false),
            ("UPDATE t SET a = 1 WHERE t.a IN (SELECT b FROM u)", true),
            // That may be a column of the other table.
            ("DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE b = 1)", false),
            ("DELETE FROM t USING u WHERE a = 1", false),
        ] {
            assert_eq!(reads(Dialect::Postgres, sql).unwrap().unwrap().narrowed, narrowed, "{sql}");
        }
    }
}
