//! The syntax tree's own word on a query: which tables it names, which names are mere aliases, and what in it
//! does more than read. Only for text that can't make the parser slow or deep. Called by `mod.rs`.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Ident, ObjectName, ObjectNamePart, Query, Select, SetExpr, Statement, TableAlias, TableFactor, Visit, Visitor,
};
use sqlparser::dialect::{MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::{Parser, ParserOptions};

use super::functions::{self, Calls};
use super::grammar;
use super::lex::{Kind, Token};
use super::statements;
use crate::domain::{Class, Dialect, Finding, Span};

/// Texts with more tokens aren't parsed.
const TOKEN_CAP: usize = 4000;
/// Nor those with deeper brackets.
const DEPTH_CAP: usize = 24;

/// What the tree says.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Tables that it names, without common table expressions.
    pub tables: BTreeSet<String>,
    /// Where aliases begin, in the whole text.
    pub aliases: HashSet<usize>,
    /// What does more than read.
    pub objections: Vec<Finding>,
}

/// Parses one query and walks over it. None where the parser refuses it or may take too long.
pub(super) fn query(dialect: Dialect, calls: Calls, tokens: &[Token], masked: &str) -> Option<Tree> {
    let statements = parse(dialect, tokens, masked)?;
    let span = tokens.first()?.span.start..tokens.last()?.span.end;
    let text = masked.get(span.clone())?;
    let mut walk = Walk {
        dialect,
        calls,
        span: span.clone(),
        tree: Tree::default(),
        named: HashSet::new(),
        places: BTreeSet::new(),
    };
    if statements.len() != 1 {
        walk.object("sql.several", "The parser sees several statements.");
    }
    let _ = statements.visit(&mut walk);
    let Walk { mut tree, named, places, .. } = walk;
    tree.tables.retain(|table| !named.contains(table));
    tree.aliases = offsets(text, &places).map(|at| at + span.start).collect();
    Some(tree)
}

/// The statements of a text. None where the parser refuses it or may take too long.
pub(super) fn parse(dialect: Dialect, tokens: &[Token], text: &str) -> Option<Vec<Statement>> {
    parsed(dialect, tokens, text, true)
}

/// The same with each name and text as it is written, quotes within it twice: only so are they written again as they were.
pub(super) fn written(dialect: Dialect, tokens: &[Token], text: &str) -> Option<Vec<Statement>> {
    parsed(dialect, tokens, text, false)
}

fn parsed(dialect: Dialect, tokens: &[Token], text: &str, unescape: bool) -> Option<Vec<Statement>> {
    if !parsable(tokens) {
        return None;
    }
    let text = text.get(tokens.first()?.span.start..tokens.last()?.span.end)?;
    let engine: &dyn sqlparser::dialect::Dialect = match dialect {
        Dialect::Sqlite => &SQLiteDialect {},
        Dialect::Postgres => &PostgreSqlDialect {},
        Dialect::Mysql => &MySqlDialect {},
    };
    let options = ParserOptions::new().with_unescape(unescape);
    Parser::new(engine).with_options(options).try_with_sql(text).ok()?.parse_statements().ok()
}

/// The bytes at which these places (line and column, from 1, as the parser counts) are.
fn offsets<'a>(text: &'a str, places: &'a BTreeSet<(u64, u64)>) -> impl Iterator<Item = usize> + 'a {
    let (mut line, mut column) = (1, 1);
    text.char_indices().filter_map(move |(at, letter)| {
        let here = (line, column);
        (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
        places.contains(&here).then_some(at)
    })
}

/// Whether the parser takes this in its stride: brackets, `CASE` and operators nest it, and some forms never end.
fn parsable(tokens: &[Token]) -> bool {
    let mut depth = 0_usize;
    let mut cases = 0_usize;
    let mut run = 0_usize;
    for token in tokens {
        match token.kind {
            Kind::Mark('(' | '[' | '{' | '<') => (depth, run) = (depth + 1, run),
            Kind::Mark(')' | ']' | '}' | '>') => (depth, run) = (depth.saturating_sub(1), 0),
            Kind::Word if token.text == "case" => (cases, run) = (cases + 1, run + 1),
            Kind::Word if token.text == "not" => run += 1,
            Kind::Word if matches!(token.text.as_str(), "match_recognize" | "json_table" | "nullable" | "nested") => {
                return false;
            }
            Kind::Mark('-' | '+' | '~' | '!' | '@') => run += 1,
            Kind::Word | Kind::Name | Kind::Text | Kind::Number | Kind::Mark(_) => run = 0,
        }
        if depth > DEPTH_CAP || run > 16 || cases > 200 {
            return false;
        }
    }
    tokens.len() <= TOKEN_CAP
}

struct Walk {
    dialect: Dialect,
    calls: Calls,
    span: Span,
    tree: Tree,
    /// Names of common table expressions and of aliases with columns: no tables.
    named: HashSet<String>,
    /// Line and column of every alias.
    places: BTreeSet<(u64, u64)>,
}

impl Walk {
    fn object(&mut self, rule: &str, sentence: &str) {
        let finding = Finding::new(rule, Class::Unknown, sentence).at(self.span.clone());
        if self.tree.objections.len() < 50 && !self.tree.objections.contains(&finding) {
            self.tree.objections.push(finding);
        }
    }

    fn folded(&self, ident: &Ident) -> String {
        match (self.dialect, ident.quote_style) {
            (Dialect::Postgres, Some(_)) => ident.value.clone(),
            _ => ident.value.to_ascii_lowercase(),
        }
    }

    fn call(&mut self, name: &ObjectName) {
        let path: Vec<String> = name
            .0
            .iter()
            .map(|part| match part {
                ObjectNamePart::Identifier(ident) => self.folded(ident),
                ObjectNamePart::Function(_) => "…".to_owned(),
            })
            .collect();
        if let [ObjectNamePart::Identifier(ident)] = name.0.as_slice()
            && ident.quote_style.is_none()
            && keyword(&ident.value.to_ascii_lowercase(), self.dialect)
        {
            return;
        }
        if let Some(finding) = functions::objection(self.dialect, &path, self.calls, self.span.clone()) {
            let finding = Finding { span: None, ..finding };
            if self.tree.objections.len() < 50 && !self.tree.objections.contains(&finding) {
                self.tree.objections.push(finding);
            }
        }
    }

    fn alias(&mut self, alias: Option<&TableAlias>) {
        if let Some(alias) = alias.filter(|alias| !alias.columns.is_empty()) {
            self.name(alias);
        }
    }

    fn name(&mut self, alias: &TableAlias) {
        let start = alias.name.span.start;
        self.places.insert((start.line, start.column));
        let name = self.folded(&alias.name);
        self.named.insert(name);
    }
}

/// Whether the parser may take a keyword of the grammar for a function; the reading of tokens tells which it is.
fn keyword(word: &str, dialect: Dialect) -> bool {
    grammar::reserved(word, dialect) || grammar::contextual(word)
}

impl Visitor for Walk {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        if !matches!(statement, Statement::Query(_)) && self.calls == Calls::Run {
            self.object("sql.writes", "It holds a statement that does more than read.");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.name(&cte.alias);
        }
        let runs = self.calls == Calls::Run;
        if runs && !query.locks.is_empty() {
            self.object("sql.locks", "Locks the rows that it reads.");
        }
        if query.for_clause.is_some() || query.settings.is_some() || query.format_clause.is_some() {
            self.object("sql.clause-unknown", "It has a clause that no rule knows.");
        }
        if !query.pipe_operators.is_empty() {
            self.object("sql.clause-unknown", "It has a clause that no rule knows.");
        }
        match query.body.as_ref() {
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) if runs => {
                self.object("sql.writes", "It holds a statement that does more than read.");
            }
            SetExpr::Table(table) => {
                self.tree.tables.extend(table.table_name.iter().map(|name| name.to_ascii_lowercase()));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        if select.into.is_some() && self.calls == Calls::Run {
            self.object("sql.select-into", "It stores its result.");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        let parts: Vec<String> =
            relation.0.iter().filter_map(ObjectNamePart::as_ident).map(|ident| self.folded(ident)).collect();
        self.tree.tables.insert(parts.join("."));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { name, alias, args, .. } => {
                self.alias(alias.as_ref());
                if args.is_some() {
                    self.call(name);
                }
            }
            TableFactor::Function { name, alias, .. } => {
                self.alias(alias.as_ref());
                self.call(name);
            }
            TableFactor::Derived { alias, .. }
            | TableFactor::TableFunction { alias, .. }
            | TableFactor::UNNEST { alias, .. }
            | TableFactor::JsonTable { alias, .. }
            | TableFactor::NestedJoin { alias, .. }
            | TableFactor::XmlTable { alias, .. } => self.alias(alias.as_ref()),
            _ => self.object("sql.clause-unknown", "It reads from something that no rule knows."),
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expr {
            self.call(&function.name);
        }
        ControlFlow::Continue(())
    }
}

/// The tables behind `FROM` and `JOIN`, for text that has no tree.
pub(super) fn tables_by_tokens(tokens: &[Token]) -> BTreeSet<String> {
    let behind = |pair: &&[Token]| pair[0].is("from") || pair[0].is("join") || pair[0].is("table");
    let starts = tokens.windows(2).enumerate().filter(|(_, pair)| behind(pair) && pair[1].names());
    starts.map(|(at, _)| statements::name(&tokens[at + 1..])).take(50).collect()
}
