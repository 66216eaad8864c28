//! Statements that do more than read: which rule and sentence each gets, what it names, and whether a `WHERE`
//! narrows it. Called by `mod.rs` for whole statements and by `reading.rs` for those inside a query.

use std::sync::OnceLock;

use serde::Deserialize;

use super::danger::Act;
use super::lex::{Kind, Token};
use super::reading::unparsed;
use crate::domain::{Class, Danger, Dialect, Finding, RiskLevel, Span};

#[derive(Debug, Default, Deserialize)]
struct Table {
    statement: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    verbs: Vec<String>,
    #[serde(flatten)]
    act: Act,
}

fn entries() -> &'static [Entry] {
    static TABLE: OnceLock<Table> = OnceLock::new();
    let source = include_str!("../../../assets/rules/sql/statements.toml");
    &TABLE.get_or_init(|| toml::from_str(source).unwrap_or_default()).statement
}

/// Whether a statement that isn't a query may begin with a word.
pub(super) fn begins(word: &str) -> bool {
    matches!(word, "delete" | "update" | "show" | "explain" | "describe" | "desc" | "pragma")
        || entries().iter().flat_map(|entry| &entry.verbs).any(|verb| verb.split(' ').next() == Some(word))
}

/// What kinds of thing a statement may name, in front of the name.
const KINDS: &str = " access aggregate cast collation column connection constraint conversion data database dictionary \
    domain event extension family foreign function group index language large mapping materialized method object \
    operator package policy procedure publication role routine rule schema search sequence server statistics \
    subscription system table tables tablespace text trigger type user view virtual wrapper ";

/// Words between a verb and the name that say nothing about it.
const FILLERS: &str = " concurrently default delayed exists force from full global high_priority if ignore into local \
    low_priority no_write_to_binlog not on only or owned quick recursive replace temp temporary unique unlogged abort \
    fail rollback verbose freeze analyze constraint by infile with ";

fn holds(list: &str, word: &str) -> bool {
    list.contains(&format!(" {word} "))
}

/// Whether a `WHERE` clause narrows a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Narrowing {
    /// There is none.
    None,
    /// There is one that is always true.
    Always,
    /// There is one.
    Clause,
}

/// The finding for a statement that isn't a query.
pub(super) fn written(dialect: Dialect, tokens: &[Token]) -> Finding {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return unparsed(dialect) };
    let span = first.span.start..last.span.end;
    let act = |text: &str| entries().iter().find(|entry| entry.verbs.iter().any(|verb| verb == text));
    match first.text.as_str() {
        _ if first.kind != Kind::Word => unparsed(dialect).at(span),
        "delete" => rows("delete", "Deletes", &object(&tokens[1..], "a table"), narrowing(tokens), span),
        "update" => rows("update", "Changes", &object(&tokens[1..], "a table"), narrowing(tokens), span),
        "insert" if overwrites(tokens) => {
            let sentence = format!("Overwrites rows of {} that are already there.", object(&tokens[1..], "a table"));
            Finding::new("sql.insert-overwrites", Class::Declared(Danger::Destructive), sentence).at(span)
        }
        "copy" => copy(tokens, span),
        verb => {
            let pair = tokens.get(1).map(|second| format!("{verb} {}", second.text));
            match pair.as_deref().and_then(act).or_else(|| act(verb)) {
                Some(entry) => entry.act.finding(&objects(tokens, &format!("`{}`", verb.to_uppercase())), span),
                None => unparsed(dialect).at(span),
            }
        }
    }
}

/// The finding for MySQL's change of rows of joined tables.
pub(super) fn joined(tokens: &[Token], tables: &[String]) -> Finding {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return unparsed(Dialect::Mysql) };
    let (rule, verb) = if first.is("delete") { ("delete", "Deletes") } else { ("update", "Changes") };
    let names = listed(tables);
    let narrowing = narrowing(tokens);
    // How they are joined may narrow it, too.
    let names = if narrowing == Narrowing::Clause { names } else { format!("{names} that it joins") };
    rows(rule, verb, &names, narrowing, first.span.start..last.span.end)
}

/// `Deletes every row of …: no WHERE clause.` and its kin.
fn rows(rule: &str, verb: &str, table: &str, narrowing: Narrowing, span: Span) -> Finding {
    let (rule, sentence) = match narrowing {
        Narrowing::None => {
            (format!("sql.{rule}-without-where"), format!("{verb} every row of {table}: no WHERE clause."))
        }
        Narrowing::Always => {
            let sentence = format!("{verb} every row of {table}: its WHERE clause is always true.");
            (format!("sql.{rule}-where-always-true"), sentence)
        }
        Narrowing::Clause => (format!("sql.{rule}"), format!("{verb} rows of {table} that match its WHERE clause.")),
    };
    Finding::new(rule, Class::Declared(Danger::Destructive), sentence).at(span)
}

/// `INSERT OR REPLACE`, `ON CONFLICT … DO UPDATE`, `ON DUPLICATE KEY UPDATE`, `INSERT OVERWRITE`.
fn overwrites(tokens: &[Token]) -> bool {
    let pair = |first: &str, second: &str| tokens.windows(2).any(|two| two[0].is(first) && two[1].is(second));
    pair("insert", "overwrite") || pair("or", "replace") || pair("do", "update") || pair("on", "duplicate")
}

fn copy(tokens: &[Token], span: Span) -> Finding {
    let table = object(&tokens[1..], "a query's result");
    let after = |word: &str| {
        let at = tokens.iter().position(|token| token.is(word))?;
        tokens.get(at + 1)
    };
    let file = |token: &&Token| token.kind == Kind::Text || token.is("program");
    let (rule, sentence) = if let Some(target) = after("to").filter(file) {
        let what = if target.is("program") { "a program" } else { "a file" };
        ("sql.copy-out", format!("Sends {table} to {what} on the database server."))
    } else if let Some(source) = after("from").filter(file) {
        let what = if source.is("program") { "a program" } else { "a file" };
        ("sql.copy-in", format!("Fills {table} from {what} on the database server."))
    } else {
        let sentence = format!("Copies rows of {table} over the connection.");
        return Finding::new("sql.copy", Class::Declared(Danger::Destructive), sentence).at(span);
    };
    Finding::new(rule, Class::Declared(Danger::External), sentence).level(RiskLevel::High).at(span)
}

/// What a statement names, for a sentence: "the table `users`".
pub(super) fn object(tokens: &[Token], otherwise: &str) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Word if holds(FILLERS, &token.text) => {}
            Kind::Word if holds(KINDS, &token.text) && tokens.get(at + 1).is_some_and(follows) => {
                kinds.push(&token.text);
            }
            Kind::Word | Kind::Name | Kind::Text => {
                let name = name(&tokens[at..]);
                return if kinds.is_empty() {
                    format!("`{name}`")
                } else {
                    format!("the {} `{name}`", kinds.join(" "))
                };
            }
            Kind::Number | Kind::Mark(_) => break,
        }
    }
    if kinds.is_empty() { otherwise.to_owned() } else { format!("the {}", kinds.join(" ")) }
}

/// The same of a statement that may name several: "the tables `users` and `orders`".
fn objects(tokens: &[Token], otherwise: &str) -> String {
    let one = object(&tokens[1..], otherwise);
    let names = targets(tokens);
    let kind = names.first().and_then(|first| one.strip_suffix(&format!("`{first}`")));
    let (Some(kind), true) = (kind, names.len() > 1) else { return one };
    let kind = match kind.trim_end() {
        "" => String::new(),
        kind if kind.ends_with('x') => format!("{kind}es "),
        kind => format!("{kind}s "),
    };
    format!("{kind}{}", listed(&names))
}

/// `a`, `b` and `c`.
fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        _ => quoted.concat(),
    }
}

/// Whether a word in front of this token may say what kind of thing it is.
fn follows(token: &Token) -> bool {
    matches!(token.kind, Kind::Word | Kind::Name | Kind::Text)
}

/// The dotted name at the start.
pub(super) fn name(tokens: &[Token]) -> String {
    let mut name = tokens.first().map(|token| token.text.clone()).unwrap_or_default();
    for pair in tokens[1.min(tokens.len())..].chunks_exact(2).take(4) {
        if !pair[0].mark('.') || matches!(pair[1].kind, Kind::Mark(_)) {
            break;
        }
        name.push('.');
        name.push_str(&pair[1].text);
    }
    name
}

/// The bare names of the tables that a statement writes, for its shapes: all of those that it drops or empties.
pub(super) fn targets(tokens: &[Token]) -> Vec<String> {
    let Some(mut at) = target_at(tokens) else { return Vec::new() };
    let mut names = vec![name(&tokens[at..])];
    let several = tokens[0].is("drop") || tokens[0].is("truncate");
    while several && tokens.get(at).is_some_and(follows) {
        at += 1;
        while tokens.get(at).is_some_and(|token| token.mark('.')) {
            at += 2;
        }
        if !tokens.get(at).is_some_and(|token| token.mark(',')) {
            break;
        }
        at += 1;
        at += usize::from(tokens.get(at).is_some_and(|token| token.is("only")));
        names.extend(tokens.get(at).filter(|token| follows(token)).map(|_| name(&tokens[at..])));
    }
    names
}

/// Where that name stands.
pub(super) fn target_at(tokens: &[Token]) -> Option<usize> {
    let skipped =
        |token: &&Token| token.kind == Kind::Word && (holds(FILLERS, &token.text) || holds(KINDS, &token.text));
    let start = 1 + tokens.iter().skip(1).take_while(skipped).count();
    tokens.get(start).filter(|token| follows(token)).map(|_| start)
}

/// Whether a `WHERE` at the statement's own level narrows it.
pub(super) fn narrowing(tokens: &[Token]) -> Narrowing {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Mark('(') => depth += 1,
            Kind::Mark(')') => depth = depth.saturating_sub(1),
            Kind::Word if depth == 0 && token.text == "where" => {
                let clause = &tokens[at + 1..];
                let ends = |token: &Token| ["returning", "order", "limit"].iter().any(|word| token.is(word));
                let end = clause.iter().position(ends).unwrap_or(clause.len());
                return if always(&clause[..end], 0) { Narrowing::Always } else { Narrowing::Clause };
            }
            _ => {}
        }
    }
    Narrowing::None
}

/// Whether a condition is plainly always true: `true`, `1`, `1 = 1`, `x = x`, `… OR 1 = 1`.
fn always(condition: &[Token], depth: usize) -> bool {
    if depth > 8 {
        return false;
    }
    if let Some((left, right)) = split(condition, "or") {
        let opposite = complement(left, right) || complement(right, left);
        return opposite || always(left, depth + 1) || always(right, depth + 1);
    }
    // The `AND` of a `BETWEEN` belongs to it, and what it bounds isn't told here.
    if let Some((left, right)) =
        split(condition, "and").filter(|(left, _)| !left.iter().any(|token| token.is("between")))
    {
        return always(left, depth + 1) && always(right, depth + 1);
    }
    match condition {
        [open, inner @ .., close] if open.mark('(') && close.mark(')') => always(inner, depth + 1),
        [one] => one.is("true") || (one.kind == Kind::Number && one.text.bytes().any(|digit| digit > b'0')),
        [not, rest] => not.is("not") && rest.is("false"),
        [left, equal, right] => equal.mark('=') && same(left, right),
        [left, one, two, right] => {
            same(left, right) && two.mark('=') && (one.mark('=') || one.mark('<') || one.mark('>'))
        }
        _ => false,
    }
}

/// Whether two operands are the same. A number without a text is a variable, and which one isn't told.
fn same(left: &Token, right: &Token) -> bool {
    left.kind == right.kind && left.text == right.text && (left.kind != Kind::Number || !left.text.is_empty())
}

/// The parts of a condition around the first such word at its own level.
fn split<'a>(condition: &'a [Token], word: &str) -> Option<(&'a [Token], &'a [Token])> {
    let mut level = 0_usize;
    for (at, token) in condition.iter().enumerate() {
        match token.kind {
            Kind::Mark('(') => level += 1,
            Kind::Mark(')') => level = level.saturating_sub(1),
            Kind::Word if level == 0 && token.text == word => return Some((&condition[..at], &condition[at + 1..])),
            _ => {}
        }
    }
    None
}

/// `x IS NULL` beside `x IS NOT NULL`.
fn complement(one: &[Token], other: &[Token]) -> bool {
    let (Some((null, one)), Some((last, other))) = (one.split_last(), other.split_last()) else { return false };
    let (Some((is, one)), Some((not, other))) = (one.split_last(), other.split_last()) else { return false };
    let Some((too, other)) = other.split_last() else { return false };
    let words = null.is("null") && is.is("is") && last.is("null") && not.is("not") && too.is("is");
    let alike = one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other));
    words && alike && !one.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DESTRUCTIVE, in_mysql, in_postgres, says};

    #[test]
    fn all_that_is_dropped_or_emptied_is_named() {
        for (sql, rule, sentence) in [
            ("DROP TABLE IF EXISTS a, s.\"B c\", d CASCADE", "sql.drop", "Drops the tables `a`, `s.B c` and `d`."),
            ("TRUNCATE a, ONLY b", "sql.truncate", "Deletes every row of `a` and `b`."),
            ("DROP INDEX i, j", "sql.drop", "Drops the indexes `i` and `j`."),
            ("DROP TABLE a,", "sql.drop", "Drops the table `a`."),
        ] {
            says(in_postgres, sql, rule, DESTRUCTIVE, sentence);
        }
        assert_eq!(in_postgres("TRUNCATE a, b").shapes.len(), 2);
        assert!(in_postgres("TRUNCATE a, b").forms.is_empty());
    }

    #[test]
    fn what_replaces_purges_or_runs_what_it_holds_is_destructive() {
        for (sql, rule, sentence) in [
            ("CREATE OR REPLACE TABLE t AS SELECT 1", "sql.replaces", "Replaces the table `t`, if there is one."),
            ("CREATE OR REPLACE VIEW v AS SELECT 1", "sql.replaces", "Replaces the view `v`, if there is one."),
            ("BEGIN NOT ATOMIC DROP TABLE t; END", "sql.runs-code", "Runs statements that stand in it."),
            ("SET STATEMENT x=1 FOR DROP TABLE t", "sql.runs-code", "Runs statements that stand in it."),
            ("EXECUTE IMMEDIATE 'DROP TABLE t'", "sql.runs-code", "Runs statements that stand in it."),
            (
                "PURGE BINARY LOGS TO 'x'",
                "sql.purges",
                "Deletes logs of the server, by which others follow it and backups are brought up to date.",
            ),
            ("SET PASSWORD FOR x = 'y'", "sql.alter", "Changes a password."),
        ] {
            says(in_mysql, sql, rule, DESTRUCTIVE, sentence);
        }
    }

    #[test]
    fn a_change_of_joined_tables_names_those_that_it_changes() {
        for (sql, rule, sentence, tables) in [
            (
                "UPDATE a, b SET a.x = 1 WHERE a.i = b.i",
                "sql.update",
                "Changes rows of `a` that match its WHERE clause.",
                1,
            ),
            (
                "UPDATE s.a p JOIN b ON p.i = b.i SET p.x = 1, b.y = 2",
                "sql.update-without-where",
                "Changes every row of `b` and `s.a` that it joins: no WHERE clause.",
                2,
            ),
            // A column alone may be any table's.
            (
                "UPDATE a, b SET x = 'it''s' WHERE a.i = b.i",
                "sql.update",
                "Changes rows of `a` and `b` that match its WHERE clause.",
                2,
            ),
            (
                "DELETE a, b.* FROM a, b, c WHERE a.i = b.i",
                "sql.delete",
                "Deletes rows of `a` and `b` that match its WHERE clause.",
                2,
            ),
            (
                "DELETE FROM b USING a JOIN b USING (i) WHERE TRUE",
                "sql.delete-where-always-true",
                "Deletes every row of `b` that it joins: its WHERE clause is always true.",
                1,
            ),
        ] {
            says(in_mysql, sql, rule, DESTRUCTIVE, sentence);
            assert_eq!((in_mysql(sql).shapes.len(), in_mysql(sql).forms.len()), (tables, 0), "{sql}");
        }
    }
}
