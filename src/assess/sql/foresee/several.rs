//! The reads for a change of rows of joined tables, for each table that it changes: MySQL's `UPDATE a, b SET …`,
//! `UPDATE a JOIN b …`, `DELETE a FROM a JOIN b …` and `DELETE FROM a USING …`. And what of such texts the parser
//! doesn't know, read for it.

use std::ops::Range;

use sqlparser::ast::{
    AssignmentTarget, FromTable, Ident, ObjectName, ObjectNamePart, Query, SetExpr, SqliteOnConflict, Statement,
    TableFactor, TableWithJoins, Update, UpdateTableFromKind,
};

use super::super::lex::{self, Quoting, Token};
use super::super::touch::{bare, steady};
use super::super::tree;
use super::{
    Act, After, InTheWay, NewValue, Parsed, Reads, SAMPLE, condition, parsed, place, plain, said, statement,
    values_each, whole,
};
use crate::domain::Dialect;

/// A change of rows of joined tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Several {
    /// What it does: `Change` or `Delete`.
    pub act: Act,
    /// The tables that it joins.
    pub tables: Vec<Joined>,
    /// What it changes of them.
    pub changes: Vec<Change>,
    /// The joined rows that it meets, as what stands behind the list of a `SELECT`.
    rows: String,
    in_the_way: InTheWay,
    chance: bool,
}

/// One of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Its schema and name.
    pub place: (Option<String>, String),
    name: ObjectName,
    /// What stands before its columns, as the statement spells it.
    alias: String,
    /// The same without quotes, and its schema where that may stand before it.
    called: (Option<String>, String),
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which of the tables. None if the statement doesn't say.
    pub table: Option<usize>,
    /// The column that it sets, in small letters. None for a row that goes.
    pub column: Option<String>,
    /// What it gets, where that can be told.
    pub value: Option<NewValue>,
}

/// What a statement changes of joined tables. None for one that joins none.
///
/// # Errors
/// A full sentence: it can't be told which rows it touches.
#[must_use]
pub fn joins(dialect: Dialect, sql: &str) -> Option<Result<Several, String>> {
    if dialect != Dialect::Mysql {
        return None;
    }
    of(&statement(dialect, sql)?)
}

/// The names of the tables that a statement changes, where it joins tables; else nothing.
pub(in super::super) fn changes(dialect: Dialect, tokens: &[Token], masked: &str) -> Vec<String> {
    if dialect != Dialect::Mysql || !tokens.first().is_some_and(|verb| verb.is("update") || verb.is("delete")) {
        return Vec::new();
    }
    let quoting = Quoting { single: false, double: false };
    let parsed = parsed(dialect, tokens.to_vec(), masked.to_owned(), quoting);
    let Some(Ok(several)) = parsed.as_ref().and_then(of) else { return Vec::new() };
    let name = |at: usize| {
        let idents = several.tables[at].name.0.iter().filter_map(ObjectNamePart::as_ident);
        idents.map(bare).collect::<Vec<_>>().join(".")
    };
    let which = several.changes.iter().map(|change| change.table).collect::<Option<Vec<_>>>();
    let mut names: Vec<String> =
        which.unwrap_or_else(|| (0..several.tables.len()).collect()).into_iter().map(name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn of(Parsed { statement, ignores, .. }: &Parsed) -> Option<Result<Several, String>> {
    match statement {
        Statement::Update(update) => {
            let tables = joined(update);
            plain(&tables, false).is_err().then(|| updated(update, &tables))
        }
        Statement::Delete(delete) => {
            let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
            let (tables, names) = match &delete.using {
                Some(using) => (using, from.iter().map(name).collect()),
                None if delete.tables.is_empty() => return None,
                None => (from, Some(delete.tables.iter().collect())),
            };
            let bounded = delete.limit.is_some() || !delete.order_by.is_empty();
            Some(names.filter(|_| !bounded).ok_or_else(unclear).and_then(|names: Vec<&ObjectName>| {
                let mut several = Several::joining(Act::Delete, tables, delete.selection.as_ref())?;
                if *ignores {
                    several.in_the_way = InTheWay::Stay;
                }
                for name in names {
                    let table = several.called(&name.0).ok_or_else(unclear)?;
                    several.changes.push(Change { table: Some(table), column: None, value: None });
                }
                Ok(several)
            }))
        }
        _ => None,
    }
}

fn unclear() -> String {
    "Its rows can't be counted beforehand: it joins tables in a way that no rule knows.".to_owned()
}

/// All that stands before `SET`.
fn joined(update: &Update) -> Vec<TableWithJoins> {
    let mut tables = vec![update.table.clone()];
    if let Some(UpdateTableFromKind::BeforeSet(more)) = &update.from {
        tables.extend_from_slice(more);
    }
    tables
}

fn updated(update: &Update, tables: &[TableWithJoins]) -> Result<Several, String> {
    if update.limit.is_some() || !update.order_by.is_empty() {
        return Err(unclear());
    }
    let mut several = Several::joining(Act::Change, tables, update.selection.as_ref())?;
    several.in_the_way = update.or.map_or(InTheWay::Fail, said);
    let values = values_each(Dialect::Mysql, &update.assignments);
    for (assignment, value) in update.assignments.iter().zip(values) {
        let AssignmentTarget::ColumnName(column) = &assignment.target else { return Err(unclear()) };
        let (column, table) = column.0.split_last().ok_or_else(unclear)?;
        let column = bare(column.as_ident().ok_or_else(unclear)?).to_lowercase();
        let table = if table.is_empty() { None } else { Some(several.called(table).ok_or_else(unclear)?) };
        several.changes.push(Change { table, column: Some(column), value });
    }
    Ok(several)
}

/// A table's name alone.
fn name(table: &TableWithJoins) -> Option<&ObjectName> {
    match &table.relation {
        TableFactor::Table { name, alias: None, args: None, .. } if table.joins.is_empty() => Some(name),
        _ => None,
    }
}

impl Several {
    fn joining(act: Act, tables: &[TableWithJoins], selection: Option<&sqlparser::ast::Expr>) -> Result<Self, String> {
        let from: Vec<String> = tables.iter().map(ToString::to_string).collect();
        let rows = format!("FROM {}{}", from.join(", "), condition(selection, &[]));
        let chance = steady(&selection.cloned()).and(steady(&tables.to_vec())).is_err();
        let mut several =
            Self { act, tables: Vec::new(), changes: Vec::new(), rows, in_the_way: InTheWay::Fail, chance };
        for table in tables {
            several.join(table);
        }
        if several.tables.is_empty() { Err(unclear()) } else { Ok(several) }
    }

    fn join(&mut self, tables: &TableWithJoins) {
        for factor in std::iter::once(&tables.relation).chain(tables.joins.iter().map(|join| &join.relation)) {
            match factor {
                TableFactor::Table { name, alias, args: None, .. } => {
                    let place = place(Dialect::Mysql, name);
                    let (alias, called) = match alias {
                        Some(alias) => (alias.name.to_string(), (None, bare(&alias.name))),
                        None => (name.to_string(), place.clone()),
                    };
                    self.tables.push(Joined { place, name: name.clone(), alias, called });
                }
                TableFactor::NestedJoin { table_with_joins, alias: None } => self.join(table_with_joins),
                _ => {}
            }
        }
    }

    /// The table that a name means. None if that isn't clear.
    fn called(&self, path: &[ObjectNamePart]) -> Option<usize> {
        let idents: Vec<&Ident> = path.iter().map(ObjectNamePart::as_ident).collect::<Option<_>>()?;
        let (schema, name) = match idents.as_slice() {
            [name] => (None, bare(name)),
            [schema, name] => (Some(bare(schema)), bare(name)),
            _ => return None,
        };
        let meant = |table: &Joined, same: fn(&str, &str) -> bool| {
            let schemas = schema.as_ref().zip(table.called.0.as_ref());
            same(&table.called.1, &name) && schemas.is_none_or(|(one, other)| same(one, other))
        };
        // On some servers the case of a name matters.
        let all = |same| (0..self.tables.len()).filter(|at| meant(&self.tables[*at], same)).collect::<Vec<_>>();
        let exact = all(|one, other| one == other);
        let found = if exact.is_empty() { all(str::eq_ignore_ascii_case) } else { exact };
        if let [one] = found.as_slice() { Some(*one) } else { None }
    }

    /// As the statement spells a table.
    #[must_use]
    pub fn spelled(&self, at: usize) -> String {
        self.tables[at].name.to_string()
    }

    /// The condition of the rows that it touches in a table that stands at these places among the joined ones. Each row
    /// counts once, however many others it meets: it is told by its key, whose columns are given as the engine quotes them.
    #[must_use]
    pub fn condition(&self, tables: &[usize], key: &[String]) -> String {
        let one = |at: &usize| {
            let alias = &self.tables[*at].alias;
            let columns: Vec<String> = key.iter().map(|column| format!("{alias}.{column}")).collect();
            format!("({}) IN (SELECT {} {})", key.join(", "), columns.join(", "), self.rows)
        };
        tables.iter().map(one).collect::<Vec<_>>().join(" OR ")
    }

    /// The reads for the rows of a table that meet a condition; `values` are those that its columns get, one for each
    /// that is set.
    #[must_use]
    pub fn reads(&self, at: usize, condition: &str, values: &[Option<NewValue>]) -> Reads {
        let name = &self.tables[at].name;
        let from = format!("FROM {name} WHERE {condition}");
        let new = values.iter().flatten().cloned().collect();
        Reads {
            pairs: Some(format!("SELECT count(*) {}", self.rows)),
            after: After::of(&self.tables[at].alias, new, values.len(), &self.rows),
            touched: Some(format!("SELECT count(*) {from}")),
            sample: Some(format!("SELECT * {from} LIMIT {SAMPLE}")),
            from: Some(from),
            in_the_way: self.in_the_way,
            chance: self.chance,
            ..whole(Dialect::Mysql, self.act, name, false)
        }
    }
}

/// What the parser wasn't given of a statement.
#[derive(Default)]
pub(super) struct Left {
    /// All that an `UPDATE` names before `SET`, where those are several.
    tables: Vec<TableWithJoins>,
    /// Rows that are in its way are left out.
    ignores: bool,
}

/// Takes out of a text what the parser doesn't know: words that change no rows, `.*` behind a table, several tables
/// before `SET`. None where those can't be read.
pub(super) fn loosened(tokens: &mut Vec<Token>, text: &mut String, first: usize, quoting: Quoting) -> Option<Left> {
    let mut left = Left::default();
    let (updates, deletes) = (tokens[first].is("update"), tokens[first].is("delete"));
    if !updates && !deletes {
        return Some(left);
    }
    let at = first + 1;
    let idle = |token: &Token| token.is("low_priority") || token.is("ignore") || deletes && token.is("quick");
    while tokens.get(at).is_some_and(idle) {
        left.ignores |= tokens[at].is("ignore");
        blank(tokens, text, at..at + 1);
    }
    if deletes {
        let ends = |token: &Token| ["from", "using", "where"].iter().any(|word| token.is(word));
        let end = tokens.iter().skip(at + 1).position(ends).map_or(at, |end| end + at + 1);
        for star in (at + 1..end).rev() {
            if tokens[star].mark('*') && tokens[star - 1].mark('.') {
                blank(tokens, text, star - 1..star + 1);
            }
        }
        return Some(left);
    }
    let mut depth = 0_usize;
    let mut commas = false;
    let mut end = at;
    for token in &tokens[at..] {
        match () {
            () if token.mark('(') => depth += 1,
            () if token.mark(')') => depth = depth.saturating_sub(1),
            () if depth == 0 && token.is("set") => break,
            () => commas |= depth == 0 && token.mark(','),
        }
        end += 1;
    }
    if commas && end > at {
        let span = tokens[at].span.start..tokens[end - 1].span.end;
        left.tables = listed(text.get(span.clone())?, quoting)?;
        // One name stands for all of them.
        blank(tokens, text, at..end);
        text.replace_range(span.start..=span.start, "t");
    }
    Some(left)
}

/// Takes tokens out of a text: blanks stand for them.
fn blank(tokens: &mut Vec<Token>, text: &mut String, which: Range<usize>) {
    let span = tokens[which.start].span.start..tokens[which.end - 1].span.end;
    text.replace_range(span.clone(), &" ".repeat(span.len()));
    tokens.drain(which);
}

/// Tables with commas between them. What stands before `SET` is to the server what stands behind `FROM`.
fn listed(tables: &str, quoting: Quoting) -> Option<Vec<TableWithJoins>> {
    let text = format!("SELECT 1 FROM {tables}");
    let tokens = lex::lex(&text, Dialect::Mysql, quoting).ok()?.tokens;
    let statements = tree::written(Dialect::Mysql, &tokens, &text)?;
    let [Statement::Query(query)] = statements.as_slice() else { return None };
    let Query { body, .. } = query.as_ref();
    let SetExpr::Select(select) = body.as_ref() else { return None };
    let from: Vec<String> = select.from.iter().map(ToString::to_string).collect();
    // Nothing else stands there.
    (query.to_string() == format!("SELECT 1 FROM {}", from.join(", "))).then(|| select.from.clone())
}

impl Left {
    /// Gives it back to the statement. Whether rows that are in its way, or can't go, are left out.
    pub(super) fn join(self, statement: &mut Statement) -> bool {
        let Statement::Update(update) = statement else { return self.ignores };
        if self.ignores {
            update.or = Some(SqliteOnConflict::Ignore);
        }
        let mut tables = self.tables.into_iter();
        if let Some(first) = tables.next() {
            update.table = first;
            update.from = Some(UpdateTableFromKind::BeforeSet(tables.collect()));
        }
        self.ignores
    }
}
