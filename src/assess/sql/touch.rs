//! What a statement touches, told for whoever keeps the rows before they change: its table, the rows as a read of
//! them, the columns that it sets. Text to text, by the syntax tree. Only of one plain `UPDATE`, `DELETE` or `INSERT`
//! on one table, behind a `WITH` maybe; for everything else a sentence says why its rows can't be kept.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Assignment, AssignmentTarget, BinaryOperator, Distinct, Expr, FromTable, Ident, ObjectName, ObjectNamePart,
    OrderByExpr, Query, Select, SetExpr, SqliteOnConflict, Statement, TableObject, UpdateTableFromKind, Visit, Visitor,
};

use super::foresee::{
    Act, InTheWay, Parsed, Upsert, bounds, called, condition, hides, plain, said, said_of, statement, values_each,
    writes as changes,
};
use super::lex;
use crate::domain::Dialect;

/// Functions that give something else each time: rows that they pick are others the second time.
const CHANCE: &str = " rand random random_normal randomblob uuid uuid_short uuidv4 uuidv7 gen_random_uuid \
    clock_timestamp timeofday nextval lastval currval setval last_insert_id row_count found_rows sleep pg_sleep \
    get_lock release_lock sysdate changes total_changes last_insert_rowid ";

/// What a statement touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// What it does: `Change`, `Delete` or `Add`.
    pub act: Act,
    /// Schema and name of its table, as the engine folds them.
    pub table: (Option<String>, String),
    /// The table as the statement spells it.
    pub spelled: String,
    /// The rows that it touches: what stands between the list of a `SELECT` and its end. Empty for `Add`.
    pub rows: String,
    /// Whether it bounds how many rows it touches.
    pub bounded: bool,
    /// The columns by which it orders them, in small letters.
    pub ordered: Vec<String>,
    /// Names of the columns that it sets in rows that are there, folded to lower case.
    pub set: Vec<String>,
    /// Those of them that may get another value: not the key by which an `INSERT` meets a row, where it sets that to itself.
    pub moved: Vec<String>,
    /// What becomes of rows that are in its way: of an `INSERT`.
    pub in_the_way: InTheWay,
    /// The statement alone: no semicolon or comment behind it.
    pub text: String,
    /// Whether it yields rows by itself.
    pub returning: bool,
    /// What stands before a read of its rows: its `WITH` and a blank, or nothing.
    pub with: String,
    /// By what name it knows its table.
    pub called: String,
    /// A query in it may pick other rows the second time: which it met has to be compared.
    pub picks: bool,
    /// The values that its columns get, by their names; none for one that isn't told. Of an `UPDATE`.
    pub values: Vec<Option<(String, String)>>,
}

impl Target {
    /// One of its table alone, of which nothing else is told.
    #[must_use]
    pub fn new(act: Act, table: (Option<String>, String), spelled: String) -> Self {
        Self {
            act,
            table,
            called: spelled.clone(),
            spelled,
            rows: String::new(),
            bounded: false,
            ordered: Vec::new(),
            set: Vec::new(),
            moved: Vec::new(),
            in_the_way: InTheWay::Fail,
            text: String::new(),
            returning: false,
            with: String::new(),
            picks: false,
            values: Vec::new(),
        }
    }
}

/// What a statement touches. None for one that is no `UPDATE`, `DELETE` or `INSERT`.
///
/// # Errors
/// Why its rows can't be kept: a full sentence that begins small, to stand behind a colon.
pub fn target(dialect: Dialect, sql: &str) -> Result<Option<Target>, String> {
    let (Some(parsed), Some(text)) = (statement(dialect, sql), alone(dialect, sql)) else {
        return if writes(dialect, sql) { Err("the statement isn't fully understood.".to_owned()) } else { Ok(None) };
    };
    touched(dialect, parsed, text)
}

/// Whether a statement of a text that isn't understood begins like one that changes rows.
fn writes(dialect: Dialect, sql: &str) -> bool {
    let Some(quoting) = lex::quotings(dialect, sql).first().copied() else { return true };
    let Ok(lexed) = lex::lex(sql, dialect, quoting) else { return true };
    let verbs = ["update", "delete", "insert", "replace", "with"];
    lexed
        .tokens
        .split(|token| token.mark(';'))
        .any(|tokens| tokens.first().is_some_and(|first| verbs.iter().any(|verb| first.is(verb))))
}

fn touched(
    dialect: Dialect,
    Parsed { statement, only, ignores }: Parsed,
    text: String,
) -> Result<Option<Target>, String> {
    match statement {
        Statement::Delete(delete) => {
            let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
            let others = delete.using.unwrap_or_default();
            if !delete.tables.is_empty() || (dialect == Dialect::Mysql && !others.is_empty()) {
                return Err(several());
            }
            if ignores {
                return Err("it says itself what happens to rows that can't be deleted.".to_owned());
            }
            let (name, spelled) = plain(from, only).map_err(|_| several())?;
            steady(&delete.selection)?;
            steady(&others)?;
            let narrowed = condition(delete.selection.as_ref(), &others);
            let bounds = bounds(&delete.order_by, delete.limit.as_ref());
            Ok(Some(Target {
                bounded: !bounds.is_empty(),
                ordered: ordered(&delete.order_by),
                rows: format!("FROM {spelled}{narrowed}{bounds}"),
                text,
                returning: delete.returning.is_some(),
                called: called(from),
                picks: picks(&delete.selection) || picks(&others),
                ..Target::new(Act::Delete, parts(dialect, name)?, name.to_string())
            }))
        }
        Statement::Update(update) => {
            let others = match update.from {
                Some(UpdateTableFromKind::BeforeSet(tables) | UpdateTableFromKind::AfterSet(tables)) => tables,
                None => Vec::new(),
            };
            if dialect == Dialect::Mysql && !others.is_empty() {
                return Err(several());
            }
            // What stops halfway keeps what it did until then, which no transaction of ours may take back.
            let halfway = matches!(update.or, Some(SqliteOnConflict::Fail | SqliteOnConflict::Rollback));
            if halfway || update.or.is_some() && dialect != Dialect::Sqlite {
                return Err("it says itself what happens to rows that are in its way.".to_owned());
            }
            let in_the_way = update.or.map_or(InTheWay::Fail, said);
            let tables = [update.table];
            let (name, spelled) = plain(&tables, only).map_err(|_| several())?;
            steady(&update.selection)?;
            steady(&others)?;
            let narrowed = condition(update.selection.as_ref(), &others);
            let bounds = bounds(&update.order_by, update.limit.as_ref());
            let values = values_each(dialect, &update.assignments).into_iter();
            // With other tables, a new value may be one of theirs.
            let values = values.map(|new| new.filter(|_| others.is_empty()).map(|new| (new.column, new.value)));
            Ok(Some(Target {
                bounded: !bounds.is_empty(),
                ordered: ordered(&update.order_by),
                rows: format!("FROM {spelled}{narrowed}{bounds}"),
                set: columns(&update.assignments),
                moved: columns(&update.assignments),
                in_the_way,
                text,
                returning: update.returning.is_some(),
                called: called(&tables),
                picks: picks(&update.selection) || picks(&others),
                values: values.collect(),
                ..Target::new(Act::Change, parts(dialect, name)?, name.to_string())
            }))
        }
        Statement::Insert(insert) => {
            let TableObject::TableName(name) = &insert.table else { return Err(several()) };
            unset(&insert)?;
            let in_the_way = said_of(&insert);
            let upsert = Upsert::of(dialect, &insert);
            // What stops halfway keeps what it did until then, which no transaction of ours may take back.
            let halfway = matches!(insert.or, Some(SqliteOnConflict::Fail | SqliteOnConflict::Rollback));
            if insert.overwrite || halfway || in_the_way != InTheWay::Fail && upsert.is_none() {
                return Err("it says itself what happens to rows that are in its way.".to_owned());
            }
            let said = upsert.as_ref();
            Ok(Some(Target {
                set: said.map(Upsert::set).unwrap_or_default(),
                moved: said.map(Upsert::moved).unwrap_or_default(),
                in_the_way,
                text,
                returning: insert.returning.is_some(),
                ..Target::new(Act::Add, parts(dialect, name)?, name.to_string())
            }))
        }
        Statement::Query(query) if changes(&query) => behind(dialect, *query, only, text),
        _ => Ok(None),
    }
}

/// What a change behind a `WITH` touches.
fn behind(dialect: Dialect, query: Query, only: bool, text: String) -> Result<Option<Target>, String> {
    let within = || "it changes rows within its `WITH`.".to_owned();
    let (Some(with), SetExpr::Delete(statement) | SetExpr::Update(statement) | SetExpr::Insert(statement)) =
        (query.with, *query.body)
    else {
        return Err(within());
    };
    if changes(&with) {
        return Err(within());
    }
    let Some(target) = touched(dialect, Parsed { statement, only, ignores: false }, text)? else {
        return Err(within());
    };
    if hides(&with, &target.table.1) {
        return Err(format!("a query of its `WITH` is called {}, too.", target.spelled));
    }
    if target.act == Act::Add {
        unset(&with)?;
    } else {
        steady(&with)?;
    }
    let picks = target.picks || picks(&with);
    Ok(Some(Target { with: format!("{with} "), picks, ..target }))
}

/// Whether a query in it may give other rows the second time: by a `LIMIT`, by numbers that it gives to rows, or as it leaves
/// out what somebody else works on.
fn picks(part: &impl Visit) -> bool {
    struct Look;
    impl Visitor for Look {
        type Break = ();

        fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
            let bounded = query.limit_clause.is_some() || query.fetch.is_some() || !query.locks.is_empty();
            if bounded { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }

        fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
            if matches!(select.distinct, Some(Distinct::On(_))) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        }

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            match expr {
                Expr::Function(function) if function.over.is_some() => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    part.visit(&mut Look).is_break()
}

/// A name without its quotes.
pub(super) fn bare(ident: &Ident) -> String {
    match ident.quote_style {
        Some(quote) if quote != '[' => ident.value.replace(&format!("{quote}{quote}"), &quote.to_string()),
        Some(_) | None => ident.value.clone(),
    }
}

fn several() -> String {
    "it names several tables.".to_owned()
}

/// The one statement, from its first token to its last.
fn alone(dialect: Dialect, sql: &str) -> Option<String> {
    let quoting = *lex::quotings(dialect, sql).first()?;
    let tokens = lex::lex(sql, dialect, quoting).ok()?.tokens;
    let first = tokens.iter().find(|token| !token.mark(';'))?;
    let last = tokens.iter().rfind(|token| !token.mark(';'))?;
    sql.get(first.span.start..last.span.end).map(str::to_owned)
}

/// Schema and name. A name with a catalog before them is somebody else's.
pub(super) fn parts(dialect: Dialect, name: &ObjectName) -> Result<(Option<String>, String), String> {
    let idents: Option<Vec<&Ident>> = name.0.iter().map(ObjectNamePart::as_ident).collect();
    let folded = |ident: &Ident| match (dialect, ident.quote_style) {
        (Dialect::Postgres, None) => ident.value.to_lowercase(),
        _ => bare(ident),
    };
    match idents.as_deref() {
        Some([name]) => Ok((None, folded(name))),
        Some([schema, name]) => Ok((Some(folded(schema)), folded(name))),
        Some(_) | None => Err("its table is not named plainly.".to_owned()),
    }
}

/// The plain columns by which rows are ordered.
pub(super) fn ordered(order: &[OrderByExpr]) -> Vec<String> {
    let plain = |order: &OrderByExpr| match &order.expr {
        Expr::Identifier(name) => Some(bare(name).to_lowercase()),
        Expr::CompoundIdentifier(names) => names.last().map(|name| bare(name).to_lowercase()),
        _ => None,
    };
    order.iter().filter_map(plain).collect()
}

/// The columns that are set; a name that can't be told is every column.
pub(super) fn columns(assignments: &[Assignment]) -> Vec<String> {
    let last = |name: &ObjectName| {
        let ident = name.0.last().and_then(ObjectNamePart::as_ident);
        ident.map_or_else(|| "*".to_owned(), |ident| bare(ident).to_lowercase())
    };
    let of = |assignment: &Assignment| match &assignment.target {
        AssignmentTarget::ColumnName(name) => vec![last(name)],
        AssignmentTarget::Tuple(names) => names.iter().map(last).collect(),
    };
    assignments.iter().flat_map(of).collect()
}

/// Refuses what sets a variable: read once before, rows would meet another value of it.
fn unset(part: &impl Visit) -> Result<(), String> {
    struct Look;
    impl Visitor for Look {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            match expr {
                Expr::BinaryOp { op: BinaryOperator::Assignment, .. } => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    match part.visit(&mut Look) {
        ControlFlow::Break(()) => Err("it sets a variable as it meets rows.".to_owned()),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Refuses a condition that leaves to chance which rows it meets.
pub(super) fn steady(condition: &impl Visit) -> Result<(), String> {
    struct Look(Option<String>);
    impl Visitor for Look {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            if let Expr::Function(function) = expr {
                let last = function.name.0.last().and_then(ObjectNamePart::as_ident);
                let name = last.map(|ident| bare(ident).to_ascii_lowercase()).unwrap_or_default();
                if CHANCE.contains(&format!(" {name} ")) {
                    self.0 = Some(name);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        }
    }
    unset(condition)?;
    let mut look = Look(None);
    let _ = condition.visit(&mut look);
    match look.0 {
        Some(name) => Err(format!("`{name}` leaves open which rows it meets.")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_touched_is_told_as_a_read() {
        let told =
            target(Dialect::Postgres, "-- x\nUPDATE Shop.Orders o SET a = 1, (b, c) = (2, 3) WHERE id = 3; -- y")
                .unwrap()
                .unwrap();
        assert_eq!((told.act, told.rows.as_str()), (Act::Change, "FROM Shop.Orders o WHERE id = 3"));
        assert_eq!(told.table, (Some("shop".to_owned()), "orders".to_owned()));
        assert_eq!(told.set, ["a", "b", "c"]);
        assert!(told.text.starts_with("UPDATE") && told.text.ends_with("id = 3"), "{}", told.text);
        let told = target(Dialect::Mysql, "DELETE FROM `a``b` WHERE x > 1 ORDER BY x LIMIT 3").unwrap().unwrap();
        assert_eq!((told.bounded, told.table.1.as_str()), (true, "a`b"));
        assert_eq!(told.ordered, ["x"]);
        let told = target(Dialect::Mysql, "UPDATE t SET a = 1 ORDER BY b, t.c DESC LIMIT 2").unwrap().unwrap();
        assert_eq!(
            (told.ordered, told.rows.as_str()),
            (vec!["b".to_owned(), "c".to_owned()], "FROM t ORDER BY b, t.c DESC LIMIT 2")
        );
        assert_eq!(target(Dialect::Sqlite, "INSERT INTO t DEFAULT VALUES").unwrap().unwrap().act, Act::Add);
    }

    #[test]
    fn what_stands_behind_a_with_is_told_with_it() {
        let sql = "WITH x AS (SELECT 3 AS a) UPDATE t AS o SET b = 1 FROM x WHERE o.a = x.a";
        let told = target(Dialect::Postgres, sql).unwrap().unwrap();
        assert_eq!(
            (told.act, told.with.as_str(), told.called.as_str()),
            (Act::Change, "WITH x AS (SELECT 3 AS a) ", "o")
        );
        assert_eq!(told.rows, "FROM t AS o WHERE EXISTS (SELECT 1 FROM x WHERE o.a = x.a)");
        assert_eq!((told.text.as_str(), told.picks), (sql, false));
        let sql = "WITH x AS (SELECT 3 AS a) DELETE FROM ONLY t WHERE a IN (SELECT a FROM x)";
        let told = target(Dialect::Postgres, sql).unwrap().unwrap();
        assert_eq!((told.rows.as_str(), told.table.1.as_str()), ("FROM ONLY t WHERE a IN (SELECT a FROM x)", "t"));
        let sql = "WITH x AS (SELECT 3 AS a) REPLACE INTO t SELECT a FROM x";
        let told = target(Dialect::Sqlite, sql).unwrap().unwrap();
        assert_eq!((told.in_the_way, told.text.as_str()), (InTheWay::Go, sql));
        for sql in [
            "WITH x AS (SELECT a FROM u ORDER BY b LIMIT 3) DELETE FROM t WHERE a IN (SELECT a FROM x)",
            "DELETE FROM t WHERE a IN (SELECT a FROM u FETCH FIRST 3 ROWS ONLY)",
            "UPDATE t SET b = 1 FROM (SELECT a, row_number() OVER (ORDER BY b) AS n FROM t) x WHERE x.a = t.a AND n > 1",
            "UPDATE t SET b = 1 WHERE a IN (SELECT DISTINCT ON (c) a FROM t)",
            "UPDATE t SET b = 1 WHERE a IN (SELECT a FROM t FOR UPDATE SKIP LOCKED)",
        ] {
            assert!(target(Dialect::Postgres, sql).unwrap().unwrap().picks, "{sql}");
        }
        let told = target(Dialect::Sqlite, "UPDATE OR REPLACE t SET a = a + 1, B = 2").unwrap().unwrap();
        let values = [("a", "a + 1"), ("B", "2")].map(|(name, value)| Some((name.to_owned(), value.to_owned())));
        assert_eq!((told.in_the_way, told.values.as_slice()), (InTheWay::Go, values.as_slice()));
    }

    #[test]
    fn what_becomes_of_rows_in_the_way_is_told() {
        for (dialect, sql, in_the_way, set, moved) in [
            (Dialect::Mysql, "REPLACE INTO t VALUES (1)", InTheWay::Go, "", ""),
            (Dialect::Sqlite, "INSERT OR ABORT INTO t VALUES (1)", InTheWay::Fail, "", ""),
            (Dialect::Postgres, "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", InTheWay::Stay, "", ""),
            (
                Dialect::Postgres,
                "INSERT INTO t VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET a = excluded.a, B = 3",
                InTheWay::Change,
                "a b",
                "b",
            ),
            (
                Dialect::Mysql,
                "INSERT INTO t VALUES (1, 2) ON DUPLICATE KEY UPDATE a = VALUES(a), b = 3",
                InTheWay::Change,
                "a b",
                "a b",
            ),
        ] {
            let told = target(dialect, sql).unwrap().unwrap();
            let all = (told.act, told.in_the_way, told.set.join(" "), told.moved.join(" "));
            assert_eq!(all, (Act::Add, in_the_way, set.to_owned(), moved.to_owned()), "{sql}");
        }
    }

    #[test]
    fn what_cannot_be_kept_says_why() {
        for (dialect, sql) in [
            (Dialect::Postgres, "DELETE FROM t WHERE random() < 0.5"),
            (Dialect::Sqlite, "UPDATE t SET a = 1 WHERE b IN (SELECT abs(random()) FROM u)"),
            (Dialect::Mysql, "UPDATE t, u SET t.a = 1"),
            (Dialect::Mysql, "DELETE FROM t WHERE (@n := @n + 1) < 5"),
            (Dialect::Mysql, "REPLACE INTO t SELECT id, @n := @n + 1 FROM s"),
            (Dialect::Mysql, "INSERT INTO t SELECT id, @n := @n + 1 FROM s ON DUPLICATE KEY UPDATE v = VALUES(v)"),
            (Dialect::Sqlite, "INSERT OR FAIL INTO t VALUES (1)"),
            (Dialect::Sqlite, "INSERT OR ROLLBACK INTO t VALUES (1)"),
            (Dialect::Sqlite, "UPDATE OR FAIL t SET a = 1"),
            (Dialect::Mysql, "UPDATE IGNORE t SET a = 1"),
            (Dialect::Postgres, "WITH d AS (DELETE FROM t RETURNING a) INSERT INTO u SELECT a FROM d"),
            (Dialect::Postgres, "WITH d AS (UPDATE t SET a = 1 RETURNING a) SELECT a FROM d"),
            (Dialect::Postgres, "WITH t AS (SELECT 1 AS a) DELETE FROM t WHERE a IN (SELECT a FROM t)"),
            (Dialect::Postgres, "WITH x AS (SELECT random() AS a) DELETE FROM t USING x WHERE x.a > t.a"),
            (Dialect::Postgres, "DELETE FROM a; DELETE FROM b"),
        ] {
            assert!(target(dialect, sql).is_err(), "{sql}");
        }
        for sql in ["TRUNCATE t", "SELECT 1; SELECT 2", "VACUUM (ANALYZE) t", "BEGIN", "WITH x AS (SELECT 1) SELECT 1"]
        {
            assert_eq!(target(Dialect::Postgres, sql), Ok(None), "{sql}");
        }
    }
}
