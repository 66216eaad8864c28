//! What a statement newly demands of the rows that are there (`ADD UNIQUE`, `ADD CHECK`, `SET NOT NULL`, …), as reads for
//! those that break it; and the parts of a table that it drops, which something else may need.

use sqlparser::ast::{
    AlterColumnOperation, AlterTableOperation, ColumnDef, ColumnOption, CreateIndex, DataType, DropBehavior, Expr,
    ForeignKeyConstraint, Ident, IndexColumn, NullsDistinctOption, ObjectName, Statement, TableConstraint,
};

use super::upsert::folded;
use super::{Parsed, count, lead, statement};
use crate::domain::Dialect;

/// Something that a statement newly demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newly {
    /// What the rows break.
    pub breaks: Unmet,
    /// Counts them.
    pub sql: String,
    /// The table, as the statement spells it.
    pub table: String,
    /// Nothing else that the statement does comes before.
    pub alone: bool,
}

/// What rows break that are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// These columns are to be unique.
    Unique(String),
    /// A column is to take no NULL.
    Null(String),
    /// A new column takes no NULL, and has nothing else.
    Bare(String),
    /// A check.
    Check(String),
    /// They refer to no row of a table.
    Parent(String),
}

/// A part of a table that a statement drops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// `column`, `constraint` or `index`.
    pub sort: &'static str,
    /// Its name, as the engine folds it.
    pub name: String,
    /// The statement does nothing else.
    pub alone: bool,
}

/// What a statement newly demands of rows that are there.
#[must_use]
pub fn newly(dialect: Dialect, sql: &str) -> Vec<Newly> {
    let Some(Parsed { statement, .. }) = statement(dialect, sql) else { return Vec::new() };
    match statement {
        Statement::CreateIndex(index) => indexed(dialect, &index).into_iter().collect(),
        Statement::AlterTable(alter) => {
            let table = Table { dialect, from: format!("{}{}", lead(alter.only), alter.name), name: &alter.name };
            let alone = alter.operations.len() == 1;
            let all = alter.operations.iter().filter_map(|operation| table.added(operation));
            let all = all.flatten();
            all.map(|(breaks, sql)| Newly { breaks, sql, table: alter.name.to_string(), alone }).collect()
        }
        _ => Vec::new(),
    }
}

/// What a statement drops of a table, unless what needs it goes along.
#[must_use]
pub fn gone(dialect: Dialect, sql: &str) -> Vec<Gone> {
    let Some(Parsed { statement: Statement::AlterTable(alter), .. }) = statement(dialect, sql) else {
        return Vec::new();
    };
    let cascades = |drop_behavior: &Option<DropBehavior>| *drop_behavior == Some(DropBehavior::Cascade);
    let alone = alter.operations.len() == 1;
    let part = |sort, name: &Ident| Gone { sort, name: folded(dialect, name), alone };
    let one = |operation: &AlterTableOperation| match operation {
        AlterTableOperation::DropColumn { column_names, drop_behavior, .. } if !cascades(drop_behavior) => {
            column_names.iter().map(|name| part("column", name)).collect()
        }
        AlterTableOperation::DropConstraint { name, drop_behavior, .. } if !cascades(drop_behavior) => {
            vec![part("constraint", name)]
        }
        AlterTableOperation::DropIndex { name } => vec![part("index", name)],
        AlterTableOperation::DropPrimaryKey { .. } => vec![part("index", &Ident::new("PRIMARY"))],
        _ => Vec::new(),
    };
    alter.operations.iter().flat_map(one).collect()
}

fn indexed(dialect: Dialect, index: &CreateIndex) -> Option<Newly> {
    // What inherits from it has indexes of its own.
    let only = if dialect == Dialect::Postgres { "ONLY " } else { "" };
    let table = Table { dialect, from: format!("{only}{}", index.table_name), name: &index.table_name };
    let narrowed = index.predicate.as_ref();
    let nulls = index.nulls_distinct == Some(false);
    let (breaks, sql) = table.unique(&index.columns, narrowed, nulls).filter(|_| index.unique)?;
    Some(Newly { breaks, sql, table: index.table_name.to_string(), alone: true })
}

/// The table that a statement alters.
struct Table<'a> {
    dialect: Dialect,
    from: String,
    name: &'a ObjectName,
}

impl Table<'_> {
    fn added(&self, operation: &AlterTableOperation) -> Option<Vec<(Unmet, String)>> {
        let one = |unmet: Option<(Unmet, String)>| unmet.map(|unmet| vec![unmet]);
        match operation {
            AlterTableOperation::AddConstraint { not_valid: false, constraint } => match constraint {
                TableConstraint::Unique(unique) => {
                    let nulls = unique.nulls_distinct == NullsDistinctOption::NotDistinct;
                    one(self.unique(&unique.columns, None, nulls))
                }
                TableConstraint::PrimaryKey(key) => {
                    let names = key.columns.iter().map(|column| self.null(&column.column.expr.to_string()));
                    Some(names.chain(self.unique(&key.columns, None, false)).collect())
                }
                TableConstraint::Check(check) if check.enforced != Some(false) => {
                    let text = check.expr.to_string();
                    Some(vec![(Unmet::Check(text.clone()), self.rows(&format!("NOT ({text})")))])
                }
                TableConstraint::ForeignKey(key) => one(self.refers(key)),
                _ => None,
            },
            AlterTableOperation::AlterColumn { column_name, op: AlterColumnOperation::SetNotNull } => {
                Some(vec![self.null(&column_name.to_string())])
            }
            AlterTableOperation::ModifyColumn { col_name, options, .. } if options.contains(&ColumnOption::NotNull) => {
                Some(vec![self.null(&col_name.to_string())])
            }
            AlterTableOperation::AddColumn { column_def, if_not_exists: false, .. } => one(self.bare(column_def)),
            _ => None,
        }
    }

    fn rows(&self, condition: &str) -> String {
        format!("SELECT {} FROM {} WHERE {condition}", count(self.dialect), self.from)
    }

    fn null(&self, column: &str) -> (Unmet, String) {
        (Unmet::Null(column.to_owned()), self.rows(&format!("{column} IS NULL")))
    }

    /// Rows that share a key with another.
    fn unique(&self, columns: &[IndexColumn], narrowed: Option<&Expr>, nulls: bool) -> Option<(Unmet, String)> {
        // MySQL's may be the beginning of a column.
        let plain = |column: &IndexColumn| matches!(column.column.expr, Expr::Identifier(_));
        if columns.is_empty() || self.dialect != Dialect::Postgres && !columns.iter().all(plain) {
            return None;
        }
        let names: Vec<String> = columns.iter().map(|column| column.column.expr.to_string()).collect();
        let given = names.iter().filter(|_| !nulls).map(|name| format!("({name}) IS NOT NULL"));
        let parts: Vec<String> = given.chain(narrowed.map(|condition| format!("({condition})"))).collect();
        let condition = if parts.is_empty() { String::new() } else { format!(" WHERE {}", parts.join(" AND ")) };
        let (count, all) = (count(self.dialect), names.join(", "));
        let sum = if self.dialect == Dialect::Postgres { "pg_catalog.sum" } else { "sum" };
        let sql = format!(
            "SELECT COALESCE({sum}(n), 0) FROM (SELECT {count} AS n FROM {}{condition} GROUP BY {all} HAVING {count} > 1) \
             AS countersign_one",
            self.from
        );
        let called = if names.len() == 1 { all } else { format!("({all})") };
        Some((Unmet::Unique(called), sql))
    }

    /// Rows that refer to nothing.
    fn refers(&self, key: &ForeignKeyConstraint) -> Option<(Unmet, String)> {
        if key.referred_columns.len() != key.columns.len() || key.match_kind.is_some() {
            return None;
        }
        // Names of our own would hide the statement's, and the table may refer to itself.
        let pairs = key.columns.iter().zip(&key.referred_columns);
        let pairs: Vec<String> =
            pairs.map(|(own, parent)| format!("countersign_own.{own} = countersign_parent.{parent}")).collect();
        let given: Vec<String> = key.columns.iter().map(|own| format!("countersign_own.{own} IS NOT NULL")).collect();
        let sql = format!(
            "SELECT {} FROM {} AS countersign_own WHERE {} AND NOT EXISTS (SELECT 1 FROM {} AS countersign_parent WHERE {})",
            count(self.dialect),
            self.from,
            given.join(" AND "),
            key.foreign_table,
            pairs.join(" AND ")
        );
        Some((Unmet::Parent(key.foreign_table.to_string()), sql))
    }

    /// Rows that a new column leaves without a value. MySQL puts a zero there.
    fn bare(&self, column: &ColumnDef) -> Option<(Unmet, String)> {
        let has = |such: fn(&ColumnOption) -> bool| column.options.iter().any(|option| such(&option.option));
        let demands = has(|option| matches!(option, ColumnOption::NotNull | ColumnOption::PrimaryKey(_)));
        let plain = |option: &ColumnOption| {
            matches!(option, ColumnOption::NotNull | ColumnOption::Null | ColumnOption::Check(_))
        };
        let given = column.options.iter().any(|option| !plain(&option.option));
        let numbers = column.data_type.to_string().to_lowercase().contains("serial");
        // A type of somebody's own may bring a default.
        let own = matches!(column.data_type, DataType::Custom(..)) && self.dialect == Dialect::Postgres;
        if self.dialect == Dialect::Mysql || !demands || given || numbers || own || self.name.0.is_empty() {
            return None;
        }
        Some((Unmet::Bare(column.name.to_string()), format!("SELECT {} FROM {}", count(self.dialect), self.from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_newly_demanded_is_looked_for_in_the_rows() {
        let some = |dialect, sql: &str| -> Vec<(Unmet, String)> {
            newly(dialect, sql).into_iter().map(|newly| (newly.breaks, newly.sql)).collect()
        };
        let n = |name: &str| name.to_owned();
        for (dialect, sql, breaks, read) in [
            (
                Dialect::Sqlite,
                "CREATE UNIQUE INDEX i ON t (a, b) WHERE c > 0",
                Unmet::Unique(n("(a, b)")),
                "SELECT COALESCE(sum(n), 0) FROM (SELECT count(*) AS n FROM t WHERE (a) IS NOT NULL AND (b) IS NOT NULL \
                 AND (c > 0) GROUP BY a, b HAVING count(*) > 1) AS countersign_one",
            ),
            (
                Dialect::Postgres,
                "ALTER TABLE ONLY t ALTER COLUMN \"A b\" SET NOT NULL",
                Unmet::Null(n("\"A b\"")),
                "SELECT pg_catalog.count(*) FROM ONLY t WHERE \"A b\" IS NULL",
            ),
            (
                Dialect::Mysql,
                "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)",
                Unmet::Check(n("a > 0")),
                "SELECT count(*) FROM t WHERE NOT (a > 0)",
            ),
            (Dialect::Sqlite, "ALTER TABLE t ADD COLUMN c int NOT NULL", Unmet::Bare(n("c")), "SELECT count(*) FROM t"),
        ] {
            assert_eq!(some(dialect, sql), [(breaks, read.to_owned())], "{sql}");
        }
        for (dialect, sql) in [
            (Dialect::Sqlite, "CREATE INDEX i ON t (a)"),
            (Dialect::Postgres, "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID"),
            (Dialect::Postgres, "ALTER TABLE t ADD COLUMN c int NOT NULL DEFAULT 1"),
            (Dialect::Mysql, "ALTER TABLE t ADD COLUMN c int NOT NULL"),
            (Dialect::Sqlite, "DROP TABLE t"),
        ] {
            assert_eq!(newly(dialect, sql), [], "{sql}");
        }
    }

    #[test]
    fn what_is_dropped_of_a_table_is_named() {
        let all = gone(Dialect::Postgres, "ALTER TABLE t DROP COLUMN A, DROP CONSTRAINT \"B\", DROP COLUMN c CASCADE");
        let names: Vec<(&str, &str)> = all.iter().map(|gone| (gone.sort, gone.name.as_str())).collect();
        assert_eq!(names, [("column", "a"), ("constraint", "B")]);
    }
}
