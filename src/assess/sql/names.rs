//! The names in a statement that its engine's catalog has to be asked about, because the text alone doesn't say
//! what they lead to. More names than are meant do no harm, one less would: so every reading of the text counts,
//! and no grammar is needed. Called by the tool that holds the connection.

use std::collections::{BTreeMap, BTreeSet};

use super::forms::{self, Form};
use super::lex::{self, Kind, Lexed, Token};
use super::secrets;
use crate::domain::Dialect;

/// Characters that PostgreSQL's operators are made of.
const OPERATOR: &str = "+-*/<>=~!@#%^&|`?";
/// Longest run of them whose parts are told apart; the engine knows no longer operator.
const RUN: usize = 63;
/// Most names; with more nobody is asked.
const NAMES: usize = 2000;
/// Longest name that PostgreSQL doesn't cut, in bytes.
const NAME: usize = 63;

/// The names in a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Every word and every quoted name, as written and as the engine folds it.
    pub words: BTreeSet<String>,
    /// Those before a bracket.
    pub called: BTreeSet<String>,
    /// Those before a bracket that name PostgreSQL's own schema: no other function is meant.
    pub engine: BTreeSet<String>,
    /// Those behind a point.
    pub fields: BTreeSet<String>,
    /// Operators: each run of their characters, and each part of one.
    pub operators: BTreeSet<String>,
    /// The first word.
    pub verb: String,
    /// The relation with secrets of which it shows none.
    pub plain: Option<String>,
    /// It is planned and not run.
    pub planned: bool,
    /// The verb of a change that it plans, which MySQL and MariaDB do only where they may change something.
    pub planned_change: Option<String>,
    /// Where the statement begins that a PostgreSQL `EXPLAIN` explains.
    pub inner: Option<usize>,
    /// It holds a comment that some servers run.
    pub conditional: bool,
    /// It begins like a statement that shows or explains, and does more than that.
    pub does_more: bool,
}

/// The names in a text; none if it can't be read, or holds more than can be looked up.
#[must_use]
pub fn names(dialect: Dialect, sql: &str) -> Option<Names> {
    let mut found = Names::default();
    for (at, quoting) in lex::quotings(dialect, sql).into_iter().enumerate() {
        match lex::lex(sql, dialect, quoting) {
            Ok(lexed) => found.take(dialect, sql, &lexed, at == 0),
            Err(_) if at == 0 => return None,
            Err(broken) => found.take(dialect, sql, &broken.before, false),
        }
    }
    (found.words.len() <= NAMES && found.operators.len() <= NAMES).then_some(found)
}

impl Names {
    fn take(&mut self, dialect: Dialect, sql: &str, lexed: &Lexed, usual: bool) {
        let tokens = &lexed.tokens;
        for (at, token) in tokens.iter().enumerate() {
            let names = token.names() || (dialect == Dialect::Mysql && token.kind == Kind::Text);
            if !names {
                continue;
            }
            let spellings = spellings(dialect, sql, token);
            let called = tokens.get(at + 1).is_some_and(|next| next.mark('('));
            if called && dialect == Dialect::Postgres && engines(&tokens[..at]) {
                self.engine.extend(spellings.iter().cloned());
                self.words.extend(spellings);
                continue;
            }
            if called {
                self.called.extend(spellings.iter().cloned());
            }
            if at > 0 && tokens[at - 1].mark('.') {
                self.fields.extend(spellings.iter().cloned());
            }
            self.words.extend(spellings);
        }
        self.operators(tokens);
        let end = tokens.iter().rposition(|token| !token.mark(';')).map_or(0, |last| last + 1);
        let tokens = &tokens[..end];
        let plain = secrets::shown_plainly(dialect, tokens);
        self.plain = plain.filter(|plain| usual || self.plain.as_ref() == Some(plain));
        self.conditional |= lexed.conditional.is_some() || lexed.hint.is_some();
        if usual {
            self.verb =
                tokens.iter().find(|token| !token.mark('(')).map(|first| first.text.clone()).unwrap_or_default();
            self.does_more = does_more(dialect, &self.verb, tokens);
            let explains = ["explain", "describe", "desc"].contains(&self.verb.as_str());
            let plans = dialect == Dialect::Mysql && explains;
            self.planned_change = plans.then(|| forms::planned_change(tokens)).flatten();
            if dialect == Dialect::Postgres && self.verb == "explain" {
                let form = forms::explain(dialect, tokens);
                self.planned = matches!(form, Form::Plans(_));
                if let Form::Plans(inner) | Form::Runs(inner) = form {
                    self.inner = inner.first().map(|first| first.span.start);
                }
            }
        }
    }

    fn operators(&mut self, tokens: &[Token]) {
        let mut run = String::new();
        let mut end = 0;
        for token in tokens {
            if token.span.start != end {
                self.parts(&std::mem::take(&mut run));
            }
            match token.kind {
                Kind::Mark(mark) if OPERATOR.contains(mark) => run.push(mark),
                _ => self.parts(&std::mem::take(&mut run)),
            }
            end = token.span.end;
        }
        self.parts(&run);
    }

    fn parts(&mut self, run: &str) {
        let run = &run[..run.len().min(RUN)];
        for from in 0..run.len() {
            self.operators.extend((from + 1..=run.len()).map(|to| run[from..to].to_owned()));
        }
    }
}

/// The statements of a text; none if it can't be read, or servers may read it in several ways.
#[must_use]
pub fn statements(dialect: Dialect, sql: &str) -> Option<Vec<&str>> {
    if !sql.trim_end().trim_end_matches(';').contains(';') {
        return Some(vec![sql]);
    }
    let [quoting] = lex::quotings(dialect, sql)[..] else { return None };
    let tokens = lex::lex(sql, dialect, quoting).ok()?.tokens;
    let parts = tokens.split(|token| token.mark(';'));
    Some(parts.filter_map(|part| Some(&sql[part.first()?.span.start..part.last()?.span.end])).collect())
}

/// The databases that a statement of MySQL or MariaDB may name: what stands before a dot, and what `USE` and the like
/// name. With each goes whether it is that wherever it stands: the name of a table or its alias stands alone somewhere.
#[must_use]
pub fn databases(sql: &str) -> BTreeMap<String, bool> {
    const VERBS: [&str; 3] = ["use", "database", "schema"];
    let mut found = BTreeMap::new();
    for quoting in lex::quotings(Dialect::Mysql, sql) {
        let tokens = match lex::lex(sql, Dialect::Mysql, quoting) {
            Ok(lexed) => lexed.tokens,
            Err(broken) => broken.before.tokens,
        };
        let dot = |at: Option<usize>| at.and_then(|at| tokens.get(at)).is_some_and(|token| token.mark('.'));
        let heads = |at: usize| dot(Some(at + 1)) && !dot(at.checked_sub(1));
        let (mut named, mut alone) = (BTreeSet::new(), BTreeSet::new());
        let between = |token: &&Token| ["if", "not", "exists"].iter().any(|word| token.is(word));
        let can = |token: &Token| (token.names() || token.kind == Kind::Text) && !between(&token);
        // A variable, and the rows that a trigger sees.
        let other = |at: usize| at > 0 && tokens[at - 1].mark('@') || tokens[at].is("new") || tokens[at].is("old");
        for (at, token) in tokens.iter().enumerate().filter(|(at, token)| can(token) && !other(*at)) {
            let said = tokens[..at].iter().rev().find(|token| !between(token));
            let told = said.is_some_and(|said| VERBS.iter().any(|verb| said.is(verb)));
            let name = token.text.to_lowercase();
            if heads(at) || told {
                named.insert(name)
            } else {
                alone.insert(name)
            };
        }
        for name in named {
            let only = !alone.contains(&name);
            *found.entry(name).or_insert(false) |= only;
        }
    }
    found
}

/// Whether what stands before a name makes it one of the engine's own schema, and nothing else: `pg_catalog.`, without
/// anything that it could be a field of.
fn engines(before: &[Token]) -> bool {
    match before {
        [further @ .., schema, point] => {
            point.mark('.') && schema.is("pg_catalog") && !further.last().is_some_and(|token| token.mark('.'))
        }
        _ => false,
    }
}

/// Whether a statement that begins like one that tells or explains does more: it shows what is secret, sets, or runs
/// something that isn't a query. In PostgreSQL a read-only transaction lets `EXPLAIN ANALYZE CREATE TABLE … AS` run.
fn does_more(dialect: Dialect, verb: &str, tokens: &[Token]) -> bool {
    let form = match verb {
        "show" => forms::show(dialect, tokens),
        "explain" | "describe" | "desc" => forms::explain(dialect, tokens),
        "help" => forms::help(tokens),
        "pragma" => forms::pragma(tokens),
        "analyze" => match forms::analyze(tokens) {
            Some(form) => form,
            None => return true,
        },
        _ => return false,
    };
    match form {
        Form::Objection(_) => true,
        Form::Runs(inner) => !super::reads(dialect, inner),
        Form::Looks(_) | Form::Tells | Form::Plans(_) => false,
    }
}

/// A name as it is written without its quotes, and as the engine may fold and cut it.
fn spellings(dialect: Dialect, sql: &str, token: &Token) -> BTreeSet<String> {
    let written = &sql[token.span.clone()];
    let mut letters = written.chars();
    let bare = match (token.kind, letters.next(), letters.next_back()) {
        (Kind::Name | Kind::Text, Some(open), Some(close)) => {
            let close = close.to_string();
            let inner = letters.as_str();
            if open == '[' { inner.to_owned() } else { inner.replace(&close.repeat(2), &close) }
        }
        _ => written.to_owned(),
    };
    let mut all = BTreeSet::from([bare.to_ascii_lowercase(), bare.to_lowercase(), bare]);
    if dialect == Dialect::Postgres {
        let cut: Vec<String> = all
            .iter()
            .filter(|name| name.len() > NAME)
            .map(|name| name[..name.floor_char_boundary(NAME)].to_owned())
            .collect();
        all.extend(cut);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_stands_before_a_dot_or_behind_use() {
        let told = |sql| databases(sql).into_iter().filter_map(|(name, only)| only.then_some(name)).collect::<Vec<_>>();
        assert_eq!(told("DELETE FROM shop.orders WHERE orders.id = 1"), ["shop"]);
        assert_eq!(told("DELETE FROM `Shop` . orders o WHERE o.id = 'x.y'"), ["shop"]);
        assert_eq!(told("UPDATE orders o JOIN other.t AS t ON t.id = o.id SET o.n = t.n"), ["other"]);
        for sql in ["USE shop", "DROP DATABASE IF EXISTS shop", "CREATE SCHEMA shop"] {
            assert_eq!(told(sql), ["shop"], "{sql}");
        }
        assert_eq!(databases("DELETE FROM prod.orders AS prod").get("prod"), Some(&false));
        for sql in ["DELETE FROM orders WHERE id = 1.5", "SET @@session.sql_mode = ''", "SET NEW.a = OLD.a"] {
            assert!(told(sql).is_empty(), "{sql}");
        }
    }

    fn list(names: &BTreeSet<String>) -> Vec<&str> {
        names.iter().map(String::as_str).collect()
    }

    #[test]
    fn every_name_counts_as_it_is_written_and_as_it_is_folded() {
        let found = names(Dialect::Postgres, "SELECT Lower(a), (x).Own FROM \"A\"\"b\" WHERE 'no' <> b").unwrap();
        assert_eq!(list(&found.called), ["Lower", "lower"]);
        assert_eq!(list(&found.fields), ["Own", "own"]);
        assert_eq!(list(&found.operators), ["<", "<>", ">"]);
        assert!(["A\"b", "a\"b", "a", "b", "from"].iter().all(|name| found.words.contains(*name)));
        assert!(!found.words.contains("no") && found.verb == "select" && !found.planned);
    }

    #[test]
    fn every_way_to_read_the_quotes_counts() {
        let found = names(Dialect::Mysql, r"SELECT 'a\', sleep(1), ''b'").unwrap();
        assert!(found.called.contains("sleep"));
        assert!(names(Dialect::Postgres, "SELECT U&\"\\0070g_sleep\"(1)").is_none());
        assert!(names(Dialect::Postgres, "SELECT 'a").is_none());
    }

    #[test]
    fn what_names_the_engines_schema_means_no_other_function() {
        let sql = "SELECT pg_catalog.sum(a), avg(b), c.pg_catalog.min(d), \"PG_CATALOG\".max(e)";
        let found = names(Dialect::Postgres, sql).unwrap();
        assert_eq!(list(&found.engine), ["sum"]);
        assert_eq!(list(&found.called), ["avg", "max", "min"]);
        assert!(!found.fields.contains("sum") && found.words.contains("sum"));
        assert!(names(Dialect::Mysql, sql).unwrap().engine.is_empty());
    }

    #[test]
    fn a_plan_is_told_from_a_run() {
        let planned = |sql: &str| names(Dialect::Postgres, sql).unwrap().planned;
        assert!(planned("EXPLAIN SELECT 1") && planned("EXPLAIN (COSTS off) DELETE FROM t"));
        assert!(!planned("EXPLAIN ANALYZE SELECT 1") && !planned("SELECT 1"));
    }

    #[test]
    fn what_is_explained_begins_behind_the_options() {
        let inner = |sql: &'static str| names(Dialect::Postgres, sql).unwrap().inner.map(|start| &sql[start..]);
        assert_eq!(inner("EXPLAIN (COSTS off) SELECT 1"), Some("SELECT 1"));
        assert_eq!(inner("EXPLAIN ANALYZE VERBOSE /* é */ (SELECT 1)"), Some("(SELECT 1)"));
        assert_eq!(inner("SELECT 1"), None);
    }

    #[test]
    fn what_shows_or_explains_and_does_more_is_told() {
        let more = |dialect, sql: &str| names(dialect, sql).unwrap().does_more;
        for sql in ["SHOW CREATE USER ann", "ANALYZE TABLE t", "ANALYZE DELETE FROM t"] {
            assert!(more(Dialect::Mysql, sql), "{sql}");
        }
        assert!(more(Dialect::Postgres, "EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1"));
        assert!(!more(Dialect::Mysql, "SHOW TABLES") && !more(Dialect::Postgres, "EXPLAIN (ANALYZE) SELECT 1"));
    }

    #[test]
    fn a_name_that_is_too_long_is_also_looked_up_cut() {
        let long = "n".repeat(70);
        let found = names(Dialect::Postgres, &format!("SELECT {long}(1)")).unwrap();
        assert!(found.called.contains(&"n".repeat(63)) && found.called.contains(&long));
    }
}
