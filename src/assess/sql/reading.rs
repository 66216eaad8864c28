//! Reads a query by its tokens and says what in it does more than read: calls, writes, locks, secrets. It needs
//! no grammar: every name before a bracket is a call unless it provably isn't, every verb that writes counts
//! unless it provably is a name. So it holds for text that the parser refuses, too. Called by `mod.rs`.

use std::collections::HashSet;

use super::functions::{self, Calls};
use super::grammar;
use super::lex::{Kind, Token};
use super::{operators, secrets};
use crate::domain::{Class, Dialect, Finding};

/// With more objections than this nothing new is learnt.
const FINDINGS_CAP: usize = 40;
/// Tokens among which a table is looked for by its name.
const RELATIONS_CAP: usize = 500;
/// Longest dotted name that is followed back.
const PATH_CAP: usize = 6;

/// How a query is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading<'a> {
    /// The engine.
    pub dialect: Dialect,
    /// Whether it runs or is only planned.
    pub calls: Calls,
    /// Where the tree has seen aliases begin.
    pub aliases: &'a HashSet<usize>,
    /// The tokens of one statement.
    pub tokens: &'a [Token],
}

impl Reading<'_> {
    /// Everything in the query that does more than read.
    pub fn objections(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        if let Some(finding) = self.unbalanced() {
            return vec![finding];
        }
        for (at, token) in self.tokens.iter().enumerate() {
            if found.len() > FINDINGS_CAP {
                break;
            }
            match token.kind {
                Kind::Word => {
                    found.extend(self.call(at));
                    found.extend(self.word(at));
                    found.extend(self.field(at));
                    found.extend(self.table_function(at));
                }
                Kind::Name => {
                    found.extend(self.call(at));
                    found.extend(self.field(at));
                    found.extend(self.table_function(at));
                }
                // SQLite takes a string for a name, MySQL takes "…" for one in some modes.
                Kind::Text if self.dialect != Dialect::Postgres => {
                    found.extend(self.call(at));
                    found.extend(self.field(at));
                    found.extend(self.table_function(at));
                }
                Kind::Text | Kind::Number => {}
                Kind::Mark(mark) => {
                    found.extend(self.assignment(at, mark));
                    found.extend(self.operator(at));
                }
            }
        }
        found.extend(secrets::findings(self.dialect, self.tokens));
        found
    }

    pub(super) fn at(&self, index: usize) -> Option<&Token> {
        self.tokens.get(index)
    }

    pub(super) fn before(&self, index: usize, steps: usize) -> Option<&Token> {
        index.checked_sub(steps).and_then(|index| self.tokens.get(index))
    }

    pub(super) fn is(&self, index: usize, word: &str) -> bool {
        self.at(index).is_some_and(|token| token.is(word))
    }

    fn unbalanced(&self) -> Option<Finding> {
        let mut open = Vec::new();
        for token in self.tokens {
            match token.kind {
                Kind::Mark(mark @ ('(' | '[')) => open.push(mark),
                Kind::Mark(')') if open.pop() != Some('(') => return Some(unparsed(self.dialect)),
                Kind::Mark(']') if open.pop() != Some('[') => return Some(unparsed(self.dialect)),
                Kind::Mark(_) | Kind::Word | Kind::Name | Kind::Text | Kind::Number => {}
            }
        }
        (!open.is_empty()).then(|| unparsed(self.dialect))
    }

    /// A name before a bracket.
    fn call(&self, at: usize) -> Option<Finding> {
        if !self.at(at + 1)?.mark('(') {
            return None;
        }
        let path = self.path(at);
        let bare = path.len() == 1 && self.at(at)?.kind == Kind::Word;
        if bare && (self.is_grammar(at, &path[0]) || self.sample(at)) {
            return None;
        }
        let span = self.at(at)?.span.clone();
        // With a value it sets what the session tells without one.
        if self.dialect == Dialect::Mysql && path == ["last_insert_id"] && !self.at(at + 2)?.mark(')') {
            let sentence = "`last_insert_id` with a value changes what it tells later.";
            return Some(Finding::new("sql.function-writes", Class::Unknown, sentence).at(span));
        }
        let innocent =
            path.len() == 1 && self.is_alias(at) || self.is_type(at, path.len()) || self.is_target(at, &path);
        if innocent && functions::act(self.dialect, path.last()?, self.calls, span.clone()).is_none() {
            return None;
        }
        functions::objection(self.dialect, &path, self.calls, span)
    }

    /// Whether a word before a bracket is a keyword there.
    fn is_grammar(&self, at: usize, word: &str) -> bool {
        if grammar::reserved(word, self.dialect) {
            return true;
        }
        if word == "operator" && self.dialect == Dialect::Postgres {
            return operators::named(self.tokens, at + 1);
        }
        let analyses = word == "analyse" && self.before(at, 1).is_some_and(|token| token.is("procedure"));
        analyses || grammar::contextual(word) && !self.opens_expression(at)
    }

    /// Whether an expression may start at a token, so that a name there is a function's or a column's.
    fn opens_expression(&self, at: usize) -> bool {
        let Some(before) = self.before(at, 1) else { return true };
        match before.kind {
            // `SELECT * EXCLUDE (a)`.
            Kind::Mark('*') => {
                !self.before(at, 2).is_some_and(|token| token.mark('(') || token.mark(',') || token.is("select"))
            }
            Kind::Mark(mark) => !matches!(mark, ')' | ']'),
            Kind::Word if before.text == "not" => !self.before(at, 2).is_some_and(|token| token.is("as")),
            Kind::Word if before.text == "to" => !self.is(at, "second"),
            Kind::Word => grammar::opens_expression(&before.text),
            Kind::Name | Kind::Text | Kind::Number => false,
        }
    }

    /// The dotted name that ends at a token, folded as the engine folds function names.
    fn path(&self, at: usize) -> Vec<String> {
        let mut path = vec![self.folded(at)];
        let mut at = at;
        while self.before(at, 1).is_some_and(|token| token.mark('.')) {
            match self.before(at, 2) {
                Some(token)
                    if path.len() < PATH_CAP && token.kind != Kind::Number && !matches!(token.kind, Kind::Mark(_)) =>
                {
                    at -= 2;
                    path.insert(0, self.folded(at));
                }
                _ => {
                    path.insert(0, "…".to_owned());
                    break;
                }
            }
        }
        path
    }

    fn folded(&self, at: usize) -> String {
        let Some(token) = self.at(at) else { return String::new() };
        if self.dialect == Dialect::Postgres { token.text.clone() } else { token.text.to_ascii_lowercase() }
    }

    fn sample(&self, at: usize) -> bool {
        self.before(at, 1).is_some_and(|token| token.is("tablesample"))
            && (self.is(at, "system") || self.is(at, "bernoulli"))
    }

    /// `AS name (…)`, `WITH name (…)`, `, name (…) AS (SELECT`, `FROM (…) name (a, b)`, and what the tree knows.
    fn is_alias(&self, at: usize) -> bool {
        let Some(before) = self.before(at, 1) else { return false };
        let seen = self.aliases.contains(&self.tokens[at].span.start);
        if before.is("as") || before.is("with") || before.is("recursive") || seen {
            return true;
        }
        let Some(close) = self.columns(at + 1) else { return false };
        if before.mark(',') {
            return self.body(close + 1);
        }
        self.dialect == Dialect::Postgres && before.mark(')') && self.is_source(at - 1)
    }

    /// The end of a list of bare names that opens at a token.
    fn columns(&self, open: usize) -> Option<usize> {
        let mut at = open + 1;
        loop {
            if !self.at(at)?.names() {
                return None;
            }
            match self.at(at + 1)?.kind {
                Kind::Mark(',') => at += 2,
                Kind::Mark(')') => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// `AS [NOT] [MATERIALIZED] (SELECT`: the body of a common table expression.
    fn body(&self, at: usize) -> bool {
        let mut at = at;
        if !self.is(at, "as") {
            return false;
        }
        at += 1;
        while self.is(at, "not") || self.is(at, "materialized") {
            at += 1;
        }
        self.at(at).is_some_and(|token| token.mark('(')) && (self.is(at + 1, "select") || self.is(at + 1, "with"))
    }

    /// The bracket that a closing bracket closes.
    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (0..=close).rev() {
            match self.tokens[at].kind {
                Kind::Mark(')' | ']') => depth += 1,
                Kind::Mark('(' | '[') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Whether a closing bracket ends something to select from: `FROM (…)`, `JOIN f(…)`, `, LATERAL (…)`.
    fn is_source(&self, close: usize) -> bool {
        let Some(open) = self.opening(close) else { return false };
        let name = self.before(open, 1).is_some_and(Token::names) && !self.introduces(open);
        let start = if name { open + 1 - 2 * self.path(open - 1).len() } else { open };
        self.introduces(start)
    }

    fn introduces(&self, at: usize) -> bool {
        let introduces =
            |token: &Token| token.mark(',') || ["from", "join", "lateral"].iter().any(|word| token.is(word));
        self.before(at, 1).is_some_and(introduces)
    }

    /// `x.name` may call a function in PostgreSQL: `(x).name` does where x has no such column, `t.name` where t
    /// is a function's result. MariaDB's `s.nextval` takes from a sequence.
    fn field(&self, at: usize) -> Option<Finding> {
        let name = self.at(at)?;
        if !self.before(at, 1)?.mark('.') || self.at(at + 1).is_some_and(|next| next.mark('(')) {
            return None;
        }
        let computed = matches!(self.before(at, 2)?.kind, Kind::Mark(')' | ']'));
        match self.dialect {
            Dialect::Mysql if name.text.eq_ignore_ascii_case("nextval") => {
                functions::act(self.dialect, "nextval", self.calls, name.span.clone())
            }
            Dialect::Mysql | Dialect::Sqlite => None,
            Dialect::Postgres
                if computed
                    && !self.has_columns(at - 2)
                    && !self.column_alone(at - 2)
                    && !functions::known(self.dialect, &name.text) =>
            {
                let sentence = format!("`.{}` may call a function, and no rule says that it only reads.", name.text);
                Some(Finding::new("sql.function-unknown", Class::Unknown, sentence).at(name.span.clone()))
            }
            Dialect::Postgres => functions::act(self.dialect, &name.text, self.calls, name.span.clone()),
        }
    }

    /// Whether a closing bracket ends `(t)` or `(t.a)`, the row of a table or a column that has parts: then a name behind
    /// it is no more than one behind `t.`, which the catalog is asked about.
    fn column_alone(&self, close: usize) -> bool {
        let Some(open) = self.opening(close) else { return false };
        match &self.tokens[open + 1..close] {
            [row] => row.names() && self.names_relation(row),
            inner => {
                let part = |(at, token): (usize, &Token)| if at % 2 == 0 { token.names() } else { token.mark('.') };
                inner.iter().enumerate().all(part) && inner.len() % 2 == 1
            }
        }
    }

    /// Whether a name is a table's of this query, or its alias: `FROM name`, `JOIN table [AS] name`.
    fn names_relation(&self, name: &Token) -> bool {
        let source = |end: usize| {
            let start = (end + 2).checked_sub(2 * self.path(end).len());
            start.and_then(|start| self.before(start, 1)).is_some_and(|token| token.is("from") || token.is("join"))
        };
        let names = |(at, token): (usize, &Token)| {
            let said = usize::from(self.before(at, 1).is_some_and(|before| before.is("as")));
            let of = at.checked_sub(1 + said).filter(|of| self.tokens[*of].names());
            token.names() && token.text == name.text && (source(at) || of.is_some_and(source))
        };
        self.tokens.iter().enumerate().take(RELATIONS_CAP).any(names)
    }

    /// Whether a closing bracket ends `(f(…))` of a function whose result has columns.
    fn has_columns(&self, close: usize) -> bool {
        let inner = close.checked_sub(1).filter(|inner| self.tokens[*inner].mark(')'));
        let Some(called) = inner.and_then(|inner| self.opening(inner)) else { return false };
        let Some(open) = self.opening(close) else { return false };
        let Some(at) = called.checked_sub(1).filter(|at| self.tokens[*at].names()) else { return false };
        let path = self.path(at);
        let alone = at + 2 == open + 1 + 2 * path.len();
        let system = matches!(path.as_slice(), [_]) || matches!(path[0].as_str(), "pg_catalog" | "information_schema");
        alone && system && path.last().is_some_and(|name| functions::returns_columns(name))
    }

    /// `x::name(3)`.
    fn is_type(&self, at: usize, parts: usize) -> bool {
        let start = at.saturating_sub(2 * (parts - 1));
        self.dialect == Dialect::Postgres
            && self.before(start, 1).is_some_and(|token| token.mark(':'))
            && self.before(start, 2).is_some_and(|token| token.mark(':'))
    }

    /// `INSERT INTO name (…)`, `CREATE TABLE name (…)`, `CREATE INDEX … ON name (…)`, where it is only planned.
    fn is_target(&self, at: usize, path: &[String]) -> bool {
        let start = at.saturating_sub(2 * (path.len() - 1));
        let leads = |token: &Token| match token.text.as_str() {
            "into" => true,
            "table" | "exists" | "on" | "references" => self.is(0, "create"),
            _ => false,
        };
        let led = self.before(start, 1).is_some_and(|token| token.kind == Kind::Word && leads(token));
        self.calls == Calls::Planned && led
    }

    /// `FROM name` of a table that is a function.
    fn table_function(&self, at: usize) -> Option<Finding> {
        let token = self.at(at)?;
        if self.dialect != Dialect::Sqlite || self.at(at + 1).is_some_and(|next| next.mark('(')) {
            return None;
        }
        let table = |token: &Token| {
            token.mark(',') || token.mark('(') || token.mark('.') || token.is("from") || token.is("join")
        };
        if token.kind == Kind::Text && !self.before(at, 1).is_some_and(table) {
            return None;
        }
        functions::acts_as_table(&token.text.to_ascii_lowercase(), token.span.clone())
    }

    /// `@name := value`.
    fn assignment(&self, at: usize, mark: char) -> Option<Finding> {
        let assigns = mark == ':' && self.at(at + 1)?.mark('=') && self.dialect == Dialect::Mysql;
        assigns.then(|| {
            Finding::new("sql.assigns-variable", Class::Unknown, "Sets a variable of the session.")
                .at(self.tokens[at].span.clone())
        })
    }

    /// An operator of PostgreSQL that nobody knows.
    fn operator(&self, at: usize) -> Option<Finding> {
        if self.dialect != Dialect::Postgres {
            return None;
        }
        let operator = operators::at(self.tokens, at)?;
        (!operators::known(&operator)).then(|| operators::unknown(&operator, &self.tokens[at]))
    }
}

/// What isn't the dialect's SQL.
pub(super) fn unparsed(dialect: Dialect) -> Finding {
    let name = match dialect {
        Dialect::Sqlite => "SQLite",
        Dialect::Postgres => "PostgreSQL",
        Dialect::Mysql => "MySQL",
    };
    Finding::new("sql.unparsed", Class::Unreadable, format!("It could not be parsed as {name} SQL."))
}
