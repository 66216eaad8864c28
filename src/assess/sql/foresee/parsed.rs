//! The one statement of a text as the parser takes it, once what it doesn't know is put in its words.

use sqlparser::ast::Statement;

use super::super::lex::{self, Quoting, Token};
use super::super::tree;
use super::several::{self, Left};
use crate::domain::Dialect;

/// What the parser knows in the place of a `REPLACE` behind a `WITH`: SQLite takes the one for the other.
const REPLACES: &str = "INSERT OR REPLACE";

/// A statement, and whether it leaves out the tables that inherit from its own: `ONLY`, which the parser takes for a name.
pub(in super::super) struct Parsed {
    pub statement: Statement,
    pub only: bool,
    /// MySQL's `IGNORE`: what fails for a row leaves it out.
    pub ignores: bool,
}

/// What stands before the table then.
pub(in super::super) fn lead(only: bool) -> &'static str {
    if only { "ONLY " } else { "" }
}

pub(in super::super) fn statement(dialect: Dialect, sql: &str) -> Option<Parsed> {
    let quoting = *lex::quotings(dialect, sql).first()?;
    let tokens = lex::lex(sql, dialect, quoting).ok()?.tokens;
    parsed(dialect, tokens, sql.to_owned(), quoting)
}

/// The one statement of a text.
pub(super) fn parsed(dialect: Dialect, mut tokens: Vec<Token>, mut text: String, quoting: Quoting) -> Option<Parsed> {
    let first = tokens.iter().position(|token| !token.mark(';'))?;
    let verb = verb(&tokens, first);
    if dialect == Dialect::Sqlite && verb > first && tokens[verb].is("replace") {
        let span = tokens[verb].span.clone();
        let more = REPLACES.len() - span.len();
        text.replace_range(span, REPLACES);
        tokens[verb].span.end += more;
        for token in &mut tokens[verb + 1..] {
            token.span.start += more;
            token.span.end += more;
        }
    }
    let leads = |words: &[&str]| words.iter().zip(&tokens[verb..]).all(|(word, token)| token.is(word));
    let before = match tokens[verb].text.as_str() {
        "update" => 1,
        "delete" if leads(&["delete", "from"]) => 2,
        "merge" if leads(&["merge", "into"]) => 2,
        _ => 0,
    };
    let at = verb + before;
    let only = dialect == Dialect::Postgres && before > 0 && tokens.get(at).is_some_and(|token| token.is("only"));
    if only {
        let word = tokens.remove(at).span;
        text.replace_range(word.clone(), &" ".repeat(word.len()));
    }
    let mysql = dialect == Dialect::Mysql;
    let left = if mysql { several::loosened(&mut tokens, &mut text, first, quoting)? } else { Left::default() };
    let mut statements = tree::written(dialect, &tokens, &text)?;
    let mut statement = statements.pop()?;
    let ignores = left.join(&mut statement);
    statements.is_empty().then_some(Parsed { statement, only, ignores })
}

/// Where a statement says what it does: in its first word, or behind the queries of its `WITH`.
fn verb(tokens: &[Token], first: usize) -> usize {
    const VERBS: [&str; 7] = ["update", "delete", "merge", "insert", "replace", "select", "values"];
    if !tokens[first].is("with") {
        return first;
    }
    let mut depth = 0_usize;
    for (at, pair) in tokens.windows(2).enumerate().skip(first) {
        let [before, token] = pair else { break };
        if before.mark('(') {
            depth += 1;
        } else if before.mark(')') {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 && before.mark(')') && VERBS.iter().any(|verb| token.is(verb)) {
            return at + 1;
        }
    }
    first
}
