//! Reads a query by its tokens and says what in it does more than read: calls, writes, locks, secrets. It needs
//! no grammar: every name before a bracket is a call unless it provably isn't, every verb that writes counts
//! unless it provably is a name. So it holds for text that the parser refuses, too. Called by `mod.rs`.

use std::collections::HashSet;

use super::functions::{self, Calls};
use super::grammar;
use super::lex::{Kind, Token};
use super::{operators, secrets, statements};
use crate::domain::{Class, Danger, Dialect, Finding, RiskLevel};

/// With more objections than this nothing new is learnt.
const FINDINGS_CAP: usize = 40;
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

    fn at(&self, index: usize) -> Option<&Token> {
        self.tokens.get(index)
    }

    fn before(&self, index: usize, steps: usize) -> Option<&Token> {
        index.checked_sub(steps).and_then(|index| self.tokens.get(index))
    }

    fn is(&self, index: usize, word: &str) -> bool {
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

    /// Whether a closing bracket ends `(t.a)`, a column that has parts: then a name behind it is no more than one behind
    /// `t.`, which the catalog is asked about.
    fn column_alone(&self, close: usize) -> bool {
        let Some(open) = self.opening(close) else { return false };
        let inner = &self.tokens[open + 1..close];
        let path =
            inner.iter().enumerate().all(|(at, token)| if at % 2 == 0 { token.names() } else { token.mark('.') });
        path && inner.len() % 2 == 1 && inner.len() > 1
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

    /// `INSERT INTO name (…)`, where it is only planned.
    fn is_target(&self, at: usize, path: &[String]) -> bool {
        let start = at.saturating_sub(2 * (path.len() - 1));
        self.calls == Calls::Planned && self.before(start, 1).is_some_and(|token| token.is("into"))
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

    fn word(&self, at: usize) -> Option<Finding> {
        let token = &self.tokens[at];
        if self.before(at, 1).is_some_and(|before| before.mark('.') || before.is("as")) {
            return None;
        }
        let span = token.span.clone();
        match token.text.as_str() {
            "into" if self.calls == Calls::Run || self.writes_file(at) => Some(self.into(at)),
            "for" if (self.calls == Calls::Run || self.dialect == Dialect::Mysql) && self.locks(at) => {
                Some(Finding::new("sql.locks", Class::Unknown, "Locks the rows that it reads.").at(span))
            }
            "lock" if self.dialect == Dialect::Mysql && self.is(at + 1, "in") => {
                Some(Finding::new("sql.locks", Class::Unknown, "Locks the rows that it reads.").at(span))
            }
            "procedure" if self.dialect == Dialect::Mysql && !self.is(0, "show") && !self.is(at + 1, "analyse") => {
                Some(Finding::new("sql.procedure", Class::Unknown, "Runs a procedure over its result.").at(span))
            }
            "drop" | "alter" | "create" | "truncate" | "grant" | "revoke" if self.is_foreign(at) => {
                Some(unparsed(self.dialect).at(span))
            }
            "next" if self.is(at + 1, "value") && self.is(at + 2, "for") => {
                let sentence = "Takes the next value of a sequence.";
                Some(Finding::new("sql.function-writes", Class::Declared(Danger::Destructive), sentence).at(span))
            }
            "insert" | "update" | "delete" | "merge" | "replace" if self.calls == Calls::Run && self.is_verb(at) => {
                Some(statements::written(self.dialect, self.part(at)))
            }
            "union" | "intersect" | "except" if self.combines_no_query(at) => Some(unparsed(self.dialect).at(span)),
            _ if self.is_misplaced(at) => Some(unparsed(self.dialect).at(span)),
            _ => None,
        }
    }

    /// Another statement that goes on without a `;`: nothing that these engines take, but nothing that reads.
    fn is_foreign(&self, at: usize) -> bool {
        at > 0 && !self.is(0, "show") && self.at(at + 1).is_some_and(grammar::kind_of_object)
    }

    /// Whether nothing that reads follows `UNION` and its kind. No engine takes it, but nothing says that it reads.
    fn combines_no_query(&self, at: usize) -> bool {
        let next = at + 1 + usize::from(self.is(at + 1, "all") || self.is(at + 1, "distinct"));
        let bracket = self.at(next).is_some_and(|token| token.mark('('));
        let table = self.is(next, "table") && self.dialect != Dialect::Sqlite;
        !bracket && !table && !["select", "values", "with"].iter().any(|word| self.is(next, word))
    }

    /// Another statement in the brackets of a subquery. No engine takes it, but nothing says that it reads. A verb
    /// alone, or before a sign, is a column there.
    fn is_misplaced(&self, at: usize) -> bool {
        let before = |steps| self.before(at, steps);
        let bracket = before(1).is_some_and(|token| token.mark('('))
            && before(2)
                .is_none_or(|token| token.mark('(') || token.kind == Kind::Word && grammar::before_query(&token.text));
        let goes_on = self.at(at + 1).is_some_and(|next| match next.kind {
            Kind::Word => !grammar::after_expression(&next.text),
            Kind::Name | Kind::Text | Kind::Number => true,
            Kind::Mark(_) => false,
        });
        let verb = self.tokens[at].text.as_str();
        bracket && goes_on && (statements::begins(verb) || verb == "table" && self.dialect == Dialect::Sqlite)
    }

    /// `FOR UPDATE`, `FOR NO KEY UPDATE`, `FOR SHARE`, `FOR KEY SHARE`.
    fn locks(&self, at: usize) -> bool {
        ["update", "share", "no", "key"].iter().any(|word| self.is(at + 1, word))
    }

    fn writes_file(&self, into: usize) -> bool {
        self.is(into + 1, "outfile") || self.is(into + 1, "dumpfile")
    }

    fn into(&self, at: usize) -> Finding {
        let span = self.tokens[at].span.clone();
        if self.writes_file(at) {
            let class = Class::Declared(Danger::External);
            return Finding::new("sql.into-file", class, "Writes a file on the database server.")
                .level(RiskLevel::High)
                .at(span);
        }
        if self.dialect == Dialect::Mysql {
            return Finding::new("sql.into-variable", Class::Unknown, "Stores its result in a variable.").at(span);
        }
        let sentence = format!("Creates {} from its result.", statements::object(&self.tokens[at + 1..], "a table"));
        Finding::new("sql.select-into", Class::Unknown, sentence).at(span)
    }

    /// A verb that writes, rather than a name: not where only an expression or an alias can stand.
    fn is_verb(&self, at: usize) -> bool {
        let next = self.at(at + 1).is_some_and(|next| !matches!(next.kind, Kind::Mark(_)) && !next.is("as"));
        let locked = [1, 2, 3].iter().map_while(|steps| self.before(at, *steps)).find(|token| !is_lock(token));
        let locks = locked.is_some_and(|token| token.is("for")) && self.is(at, "update");
        let before = match self.before(at, 1) {
            Some(before) => match before.kind {
                Kind::Mark(mark) => matches!(mark, '(' | ')'),
                Kind::Word => !self.expects_name(at, &before.text),
                Kind::Name | Kind::Text | Kind::Number => true,
            },
            None => true,
        };
        next && before && !locks
    }

    /// Whether a name rather than a statement follows a keyword.
    fn expects_name(&self, at: usize, keyword: &str) -> bool {
        match keyword {
            "by" => self
                .before(at, 2)
                .is_some_and(|token| ["order", "group", "partition"].iter().any(|word| token.is(word))),
            "recursive" => self.before(at, 2).is_some_and(|token| token.is("with")),
            _ => grammar::before_expression(keyword),
        }
    }

    /// The tokens from a verb to the end of its bracket.
    fn part(&self, at: usize) -> &[Token] {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(at) {
            match token.kind {
                Kind::Mark('(') => depth += 1,
                Kind::Mark(')') if depth == 0 => return &self.tokens[at..index],
                Kind::Mark(')') => depth -= 1,
                _ => {}
            }
        }
        &self.tokens[at..]
    }
}

/// The words between `FOR` and `UPDATE`.
fn is_lock(token: &Token) -> bool {
    token.is("no") || token.is("key")
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
