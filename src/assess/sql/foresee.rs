//! The reads that tell beforehand what a statement would do: its condition in a counting `SELECT`, some of the rows
//! that it meets, and all the rows of its table. Text to text, by the syntax tree; each read is judged like any
//! other before somebody runs it.

use sqlparser::ast::{
    Assignment, AssignmentTarget, CascadeOption, Delete, Expr, FromTable, Insert, Merge, MergeAction, MergeClauseKind,
    ObjectName, ObjectType, SetExpr, Statement, TableFactor, TableObject, TableWithJoins, Update, UpdateTableFromKind,
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
    /// `MERGE`
    Merge,
}

/// What to read to tell what a statement would do.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// It may touch fewer rows than are counted, or others: it says what to do when they are there already.
    pub at_most: bool,
    /// Counts the rows that it adds beside those that it touches: of a `MERGE`.
    pub added: Option<String>,
    /// What depends on the table goes along: `CASCADE`.
    pub cascade: bool,
    /// How many of the new values the sample shows.
    pub new_values: NewValues,
}

/// How many of the values that a change sets are shown behind the old ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewValues {
    /// None.
    None,
    /// Those that are told one by one; not defaults, nor those that come together.
    Some,
    /// All.
    All,
}

/// A statement, and whether it leaves out the tables that inherit from its own: `ONLY`, which the parser takes for a name.
pub(super) struct Parsed {
    pub statement: Statement,
    pub only: bool,
}

/// What stands before the table then.
pub(super) fn lead(only: bool) -> &'static str {
    if only { "ONLY " } else { "" }
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
    let Parsed { statement, only } =
        statement(dialect, sql).ok_or("Its rows can't be counted beforehand: it is not understood whole.")?;
    match statement {
        Statement::Delete(delete) => deleted(dialect, delete, only).map(Some),
        Statement::Update(update) => changed(dialect, update, only).map(Some),
        Statement::Insert(insert) => added(dialect, &insert).map(Some),
        Statement::Truncate(truncate) => match truncate.table_names.as_slice() {
            [one] => Ok(Some(Reads {
                cascade: truncate.cascade == Some(CascadeOption::Cascade),
                ..whole(dialect, Act::Empty, &one.name, one.only)
            })),
            _ => Err(several()),
        },
        Statement::Drop { object_type: ObjectType::Table, names, cascade, .. } => match names.as_slice() {
            [one] => Ok(Some(Reads { cascade, ..whole(dialect, Act::Drop, one, false) })),
            _ => Err(several()),
        },
        Statement::AlterTable(alter) => Ok(Some(whole(dialect, Act::Alter, &alter.name, alter.only))),
        Statement::Merge(merge) => merged(dialect, &merge, only).map(Some),
        _ => Ok(None),
    }
}

pub(super) fn statement(dialect: Dialect, sql: &str) -> Option<Parsed> {
    let quoting = *lex::quotings(dialect, sql).first()?;
    let mut tokens = lex::lex(sql, dialect, quoting).ok()?.tokens;
    let first = tokens.iter().position(|token| !token.mark(';'))?;
    let leads = |words: &[&str]| words.iter().zip(&tokens[first..]).all(|(word, token)| token.is(word));
    let before = match tokens[first].text.as_str() {
        "update" => 1,
        "delete" if leads(&["delete", "from"]) => 2,
        "merge" if leads(&["merge", "into"]) => 2,
        _ => 0,
    };
    let at = first + before;
    let only = dialect == Dialect::Postgres && before > 0 && tokens.get(at).is_some_and(|token| token.is("only"));
    let mut text = sql.to_owned();
    if only {
        let word = tokens.remove(at).span;
        text.replace_range(word.clone(), &" ".repeat(word.len()));
    }
    let mut statements = tree::parse(dialect, &tokens, &text)?;
    let statement = statements.pop()?;
    statements.is_empty().then_some(Parsed { statement, only })
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
        at_most: false,
        added: None,
        cascade: false,
        new_values: NewValues::None,
    }
}

fn place(dialect: Dialect, name: &ObjectName) -> (Option<String>, String) {
    super::touch::parts(dialect, name).unwrap_or_else(|_| (None, name.to_string()))
}

/// The rows that meet one of the source and what a clause does with them; the rows of the source that meet none.
fn merged(dialect: Dialect, merge: &Merge, only: bool) -> Result<Reads, String> {
    let unclear = || "Its rows can't be counted beforehand: it merges in a way that no rule knows.".to_owned();
    let TableFactor::Table { name, args: None, .. } = &merge.table else { return Err(unclear()) };
    let (mut matched, mut added) = (Vec::new(), Vec::new());
    for clause in &merge.clauses {
        let acts = !matches!(clause.action, MergeAction::DoNothing { .. });
        let condition =
            clause.predicate.as_ref().map_or_else(|| "TRUE".to_owned(), |predicate| format!("({predicate})"));
        // The first clause that fits decides.
        let when = format!("WHEN {condition} THEN {}", if acts { "TRUE" } else { "FALSE" });
        match clause.clause_kind {
            MergeClauseKind::Matched => matched.push(when),
            MergeClauseKind::NotMatched | MergeClauseKind::NotMatchedByTarget => added.push(when),
            MergeClauseKind::NotMatchedBySource => return Err(unclear()),
        }
    }
    let decided = |clauses: &[String]| match clauses {
        [] => "FALSE".to_owned(),
        clauses => format!("CASE {} ELSE FALSE END", clauses.join(" ")),
    };
    let (table, source, on) = (format!("{}{}", lead(only), merge.table), &merge.source, &merge.on);
    let count = count(dialect);
    Ok(Reads {
        touched: Some(format!("SELECT {count} FROM {table} JOIN {source} ON {on} WHERE {}", decided(&matched))),
        added: Some(format!(
            "SELECT {count} FROM {source} WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE {on}) AND {}",
            decided(&added)
        )),
        ..whole(dialect, Act::Merge, name, only)
    })
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
    Reads { touched: Some(touched), sample: Some(sample), ..whole(dialect, act, name, only) }
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
    Ok(touching(dialect, Act::Delete, name, (&spelled, &narrowed, &bounds), "", only))
}

fn changed(dialect: Dialect, update: Update, only: bool) -> Result<Reads, String> {
    let others = match update.from {
        Some(UpdateTableFromKind::BeforeSet(tables) | UpdateTableFromKind::AfterSet(tables)) => tables,
        None => Vec::new(),
    };
    let tables = [update.table];
    let (name, spelled) = plain(&tables, only)?;
    let narrowed = condition(update.selection.as_ref(), &others);
    let bounds = bounds(&update.order_by, update.limit.as_ref());
    // With other tables, a new value may name a row that the sample doesn't hold.
    let new = if others.is_empty() { new_values(dialect, &update.assignments) } else { Vec::new() };
    let from = (spelled.as_str(), narrowed.as_str(), bounds.as_str());
    let mut reads = touching(dialect, Act::Change, name, from, &new.concat(), only);
    reads.new_values = match new.len() {
        0 => NewValues::None,
        shown if shown == update.assignments.len() => NewValues::All,
        _ => NewValues::Some,
    };
    reads.at_most = update.or.is_some();
    Ok(reads)
}

/// `, value AS "new column"` for each plain assignment.
fn new_values(dialect: Dialect, assignments: &[Assignment]) -> Vec<String> {
    let quote = if dialect == Dialect::Mysql { '`' } else { '"' };
    let one = |assignment: &Assignment| {
        let AssignmentTarget::ColumnName(column) = &assignment.target else { return None };
        let plain: String = column.to_string().chars().filter(|letter| !matches!(letter, '"' | '`' | '\\')).collect();
        (!assignment.value.to_string().eq_ignore_ascii_case("default"))
            .then(|| format!(", {} AS {quote}new {plain}{quote}", assignment.value))
    };
    assignments.iter().filter_map(one).collect()
}

fn added(dialect: Dialect, insert: &Insert) -> Result<Reads, String> {
    let TableObject::TableName(name) = &insert.table else { return Err(several()) };
    let mut reads = whole(dialect, Act::Add, name, false);
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
                (Some(format!("SELECT {} FROM ({query}) AS added", count(dialect))), 0)
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
        assert_eq!(count, "SELECT pg_catalog.count(*) FROM t AS o WHERE o.c IS NULL");
        assert_eq!(sample, "SELECT *, a + 1 AS \"new a\" FROM t AS o WHERE o.c IS NULL LIMIT 5");
        let (count, _) = told(Dialect::Postgres, "DELETE FROM a USING b WHERE a.i = b.i");
        assert_eq!(count, "SELECT pg_catalog.count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.i = b.i)");
        let (count, _) = told(Dialect::Mysql, "DELETE FROM t WHERE a > 1 ORDER BY a LIMIT 3");
        assert_eq!(count, "SELECT count(*) FROM (SELECT 1 FROM t WHERE a > 1 ORDER BY a LIMIT 3) AS touched");
        assert_eq!(told(Dialect::Sqlite, "INSERT INTO t VALUES (1), (2)").0, "2");
        assert_eq!(
            told(Dialect::Sqlite, "INSERT INTO t SELECT * FROM u").0,
            "SELECT count(*) FROM (SELECT * FROM u) AS added"
        );
        assert_eq!(told(Dialect::Postgres, "TRUNCATE t").0, "SELECT pg_catalog.count(*) FROM t");
        assert_eq!(reads(Dialect::Postgres, "CREATE TABLE t (a int)"), Ok(None));
    }

    #[test]
    fn a_merge_is_counted_by_its_first_clause_that_fits() {
        let sql = "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED AND u.b > 3 THEN DELETE WHEN MATCHED THEN DO NOTHING \
            WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a)";
        let told = reads(Dialect::Postgres, sql).unwrap().unwrap();
        let touched = "SELECT pg_catalog.count(*) FROM t JOIN u ON t.a = u.a WHERE CASE WHEN (u.b > 3) THEN TRUE WHEN TRUE THEN FALSE \
            ELSE FALSE END";
        assert_eq!(told.touched.as_deref(), Some(touched));
        let added = "SELECT pg_catalog.count(*) FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.a = u.a) AND CASE WHEN TRUE THEN TRUE \
            ELSE FALSE END";
        assert_eq!(told.added.as_deref(), Some(added));
    }

    #[test]
    fn only_leaves_out_what_inherits() {
        for (sql, touched) in [
            ("DELETE FROM ONLY par WHERE a = 1", "FROM ONLY par WHERE a = 1"),
            ("; delete from only s.par", "FROM ONLY s.par"),
            ("UPDATE ONLY par p SET a = 1", "FROM ONLY par p"),
            ("TRUNCATE ONLY par", "FROM ONLY par"),
            ("ALTER TABLE ONLY par ADD b int", "FROM ONLY par"),
            ("MERGE INTO ONLY par USING u ON par.a = u.a WHEN MATCHED THEN DELETE", "FROM ONLY par JOIN u ON"),
        ] {
            let told = reads(Dialect::Postgres, sql).unwrap().unwrap();
            assert_eq!(told.place.1, "par", "{sql}");
            let counted = told.touched.unwrap();
            assert!(counted.starts_with(&format!("SELECT pg_catalog.count(*) {touched}")), "{sql}: {counted}");
            assert!(told.all.contains("FROM ONLY "), "{sql}: {}", told.all);
        }
        // It is a name like any other elsewhere.
        assert_eq!(reads(Dialect::Sqlite, "DELETE FROM only").unwrap().unwrap().table, "only");
    }

    #[test]
    fn the_sample_says_how_many_new_values_it_shows() {
        for (sql, shown) in [
            ("UPDATE t SET a = 1, b = a", NewValues::All),
            ("UPDATE t SET a = 1, b = DEFAULT", NewValues::Some),
            ("UPDATE t SET a = 1, (b, c) = (SELECT 1, 2)", NewValues::Some),
            ("UPDATE t SET (a, b) = (SELECT 1, 2)", NewValues::None),
            ("UPDATE t SET a = u.a FROM u WHERE t.i = u.i", NewValues::None),
        ] {
            assert_eq!(reads(Dialect::Postgres, sql).unwrap().unwrap().new_values, shown, "{sql}");
        }
    }

    #[test]
    fn what_goes_along_is_told() {
        let cascade = |sql: &str| reads(Dialect::Postgres, sql).unwrap().unwrap().cascade;
        assert!(cascade("DROP TABLE t CASCADE") && cascade("TRUNCATE t CASCADE"));
        assert!(!cascade("DROP TABLE t") && !cascade("TRUNCATE t RESTRICT"));
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
