//! The small statements that look at things: `SHOW`, `DESCRIBE`, `EXPLAIN` and `PRAGMA`. Each answers with what
//! remains to be read as a query, or with an objection. Called by `mod.rs`.

use super::lex::{Kind, Token};
use super::statements;
use crate::domain::{Class, Dialect, Finding};

/// What is left to judge of such a statement.
#[derive(Debug)]
pub(super) enum Form<'a> {
    /// It only looks; the expressions in it, if any, are read as those of a query that runs.
    Looks(&'a [Token]),
    /// It only looks, and has no expressions.
    Tells,
    /// It runs this statement.
    Runs(&'a [Token]),
    /// It plans this statement and runs nothing.
    Plans(&'a [Token]),
    /// It isn't one of the forms that only look.
    Objection(Finding),
}

fn holds(list: &str, word: &str) -> bool {
    list.contains(&format!(" {word} "))
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|token| token.kind == Kind::Word).map_or("", |token| token.text.as_str())
}

/// `SHOW …`.
pub(super) fn show(dialect: Dialect, tokens: &[Token]) -> Form<'_> {
    match dialect {
        Dialect::Sqlite => Form::Objection(statements::written(dialect, tokens)),
        Dialect::Postgres => {
            let names = |token: &Token| token.names() || token.mark('.');
            if tokens.len() > 1 && tokens.iter().all(names) { Form::Looks(tokens) } else { unreadable(dialect, tokens) }
        }
        Dialect::Mysql if word(tokens, 1) == "create" && matches!(word(tokens, 2), "user" | "server") => {
            let sentence = "Shows how somebody signs in, with the password or its hash.";
            let class = Class::Declared(crate::domain::Danger::Sensitive);
            Form::Objection(Finding::new("sql.secret", class, sentence))
        }
        Dialect::Mysql if word(tokens, 1) == "grants" => {
            let sentence = "Shows what a user may do, in MariaDB with the hash of the password.";
            let class = Class::Declared(crate::domain::Danger::Sensitive);
            Form::Objection(Finding::new("sql.secret", class, sentence))
        }
        Dialect::Mysql if matches!(word(tokens, 1), "binlog" | "relaylog") => {
            let sentence = "Shows what everybody wrote, hashes of passwords included.";
            let class = Class::Declared(crate::domain::Danger::Sensitive);
            Form::Objection(Finding::new("sql.secret", class, sentence))
        }
        // Plugins add things to show; whatever follows, `SHOW` changes nothing but by a function in its `WHERE`.
        Dialect::Mysql if !word(tokens, 1).is_empty() => Form::Looks(tokens),
        Dialect::Mysql => unreadable(dialect, tokens),
    }
}

fn unreadable(dialect: Dialect, tokens: &[Token]) -> Form<'_> {
    Form::Objection(statements::written(dialect, tokens))
}

/// `EXPLAIN …`, `DESCRIBE …`, `DESC …`.
pub(super) fn explain(dialect: Dialect, tokens: &[Token]) -> Form<'_> {
    match dialect {
        Dialect::Sqlite => sqlite_explain(tokens),
        Dialect::Postgres if tokens[0].is("explain") => postgres_explain(tokens),
        Dialect::Postgres => unreadable(dialect, tokens),
        Dialect::Mysql => mysql_explain(tokens),
    }
}

fn sqlite_explain(tokens: &[Token]) -> Form<'_> {
    let skipped = if word(tokens, 1) == "query" && word(tokens, 2) == "plan" { 3 } else { 1 };
    match word(tokens, skipped) {
        // Some take effect while they are planned.
        "pragma" => pragma(&tokens[skipped..]),
        _ => planned(Dialect::Sqlite, tokens, skipped),
    }
}

fn postgres_explain(tokens: &[Token]) -> Form<'_> {
    if tokens.get(1).is_some_and(|token| token.mark('(')) && !opens_query(tokens, 2) {
        let Some(close) = tokens.iter().position(|token| token.mark(')')) else {
            return unreadable(Dialect::Postgres, tokens);
        };
        return if analyzes(&tokens[2..close]) {
            Form::Runs(&tokens[close + 1..])
        } else {
            planned(Dialect::Postgres, tokens, close + 1)
        };
    }
    let runs = matches!(word(tokens, 1), "analyze" | "analyse");
    let skipped = 1 + usize::from(runs);
    let skipped = skipped + usize::from(word(tokens, skipped) == "verbose");
    if runs { Form::Runs(&tokens[skipped..]) } else { planned(Dialect::Postgres, tokens, skipped) }
}

fn opens_query(tokens: &[Token], at: usize) -> bool {
    let inner = tokens.iter().skip(at).find(|token| !token.mark('('));
    inner.is_some_and(|token| ["select", "with", "values", "table"].iter().any(|word| token.is(word)))
}

/// Whether the options switch running on: `ANALYZE` without a value, or with any but a plain no.
fn analyzes(options: &[Token]) -> bool {
    options.split(|token| token.mark(',')).any(|option| {
        let named = option.first().is_some_and(|name| matches!(name.text.as_str(), "analyze" | "analyse"));
        let no = option.get(1).is_some_and(|value| matches!(value.text.as_str(), "false" | "off" | "0"));
        named && !(no && option.len() == 2)
    })
}

fn mysql_explain(tokens: &[Token]) -> Form<'_> {
    let mut at = 1;
    let mut runs = false;
    loop {
        match word(tokens, at) {
            "extended" | "partitions" => at += 1,
            "analyze" => (runs, at) = (true, at + 1),
            "format" if tokens.get(at + 1).is_some_and(|token| token.mark('=')) => at += 3,
            "for" if matches!(word(tokens, at + 1), "schema" | "database") => at += 3,
            _ => break,
        }
    }
    let rest = tokens.get(at..).unwrap_or_default();
    if statement(Dialect::Mysql, rest) {
        return if runs { Form::Runs(rest) } else { planned(Dialect::Mysql, tokens, at) };
    }
    if runs { unreadable(Dialect::Mysql, tokens) } else { described(tokens, rest) }
}

/// `DESCRIBE table [column]`, `EXPLAIN FOR CONNECTION 5`.
fn described<'a>(tokens: &'a [Token], rest: &[Token]) -> Form<'a> {
    let connection = word(rest, 0) == "for" && word(rest, 1) == "connection" && rest.len() == 3;
    let names = rest.iter().all(|token| token.names() || token.mark('.') || token.kind == Kind::Text);
    if connection || (names && !rest.is_empty() && rest.len() <= 6) {
        Form::Looks(tokens)
    } else {
        unreadable(Dialect::Mysql, tokens)
    }
}

/// `XA RECOVER [CONVERT XID]` lists what is prepared. Nothing where it is another form.
pub(super) fn recover(tokens: &[Token]) -> Option<Form<'_>> {
    let said: Vec<&str> = (0..tokens.len()).map(|at| word(tokens, at)).collect();
    matches!(said.as_slice(), ["xa", "recover"] | ["xa", "recover", "convert", "xid"]).then_some(Form::Tells)
}

/// MariaDB's `ANALYZE [FORMAT=JSON] statement` runs the statement. Nothing where it maintains tables.
pub(super) fn analyze(tokens: &[Token]) -> Option<Form<'_>> {
    if !tokens.first()?.is("analyze") {
        return None;
    }
    let format = word(tokens, 1) == "format" && tokens.get(2).is_some_and(|token| token.mark('='));
    let rest = tokens.get(if format { 4 } else { 1 }..)?;
    (!rest.first()?.is("table") && statement(Dialect::Mysql, rest)).then_some(Form::Runs(rest))
}

/// MySQL's `HELP 'topic'`, which reads the server's own tables of help.
pub(super) fn help(tokens: &[Token]) -> Form<'_> {
    match tokens {
        [_, topic] if topic.names() || topic.kind == Kind::Text => Form::Tells,
        _ => unreadable(Dialect::Mysql, tokens),
    }
}

/// The verb of a change that `EXPLAIN` plans: MySQL and MariaDB do so in no transaction that only reads.
pub(super) fn planned_change(tokens: &[Token]) -> Option<String> {
    let Form::Plans(inner) = explain(Dialect::Mysql, tokens) else { return None };
    let changes = |token: &&Token| ["insert", "update", "delete", "replace"].iter().any(|verb| token.is(verb));
    let behind = inner.windows(2).filter(|pair| pair[0].mark(')')).map(|pair| &pair[1]);
    let first = inner.first()?;
    let verb = if first.is("with") { behind.into_iter().find(changes) } else { Some(first).filter(changes) };
    verb.map(|verb| verb.text.clone())
}

/// Whether a statement starts here that `EXPLAIN` can plan.
fn statement(dialect: Dialect, tokens: &[Token]) -> bool {
    let Some(first) = tokens.first() else { return false };
    let verb = match first.kind {
        Kind::Mark('(') => return opens_query(tokens, 0),
        Kind::Word => first.text.as_str(),
        _ => return false,
    };
    match dialect {
        Dialect::Sqlite => {
            let reads_or_changes =
                matches!(verb, "select" | "values" | "with" | "insert" | "update" | "delete" | "replace");
            let defines = matches!(verb, "create" | "drop" | "reindex" | "begin" | "commit" | "rollback");
            reads_or_changes || defines
        }
        Dialect::Postgres if matches!(verb, "create" | "declare") => stores_query(tokens),
        Dialect::Postgres => {
            matches!(verb, "select" | "values" | "table" | "with" | "insert" | "update" | "delete" | "merge")
        }
        Dialect::Mysql => {
            let table = verb == "table" && tokens.len() > 1;
            table || matches!(verb, "select" | "values" | "with" | "insert" | "update" | "delete" | "replace")
        }
    }
}

/// `CREATE TABLE … AS query`, `CREATE MATERIALIZED VIEW … AS query`, `DECLARE … CURSOR FOR query`.
fn stores_query(tokens: &[Token]) -> bool {
    let leads = |token: &Token| token.is("as") || token.is("for");
    let kind = |token: &Token| ["table", "materialized", "cursor"].iter().any(|word| token.is(word));
    let Some(lead) = tokens.iter().position(leads) else { return false };
    tokens[..lead].iter().any(kind) && opens_query(tokens, lead + 1)
}

fn planned(dialect: Dialect, tokens: &[Token], skipped: usize) -> Form<'_> {
    let rest = tokens.get(skipped..).unwrap_or_default();
    if dialect == Dialect::Postgres && word(rest, 0) == "execute" && rest.get(1).is_some_and(Token::names) {
        // A prepared statement is planned too, but its arguments are computed at once.
        return match &rest[2..] {
            [] => Form::Tells,
            [open, .., close] if open.mark('(') && close.mark(')') => Form::Looks(&rest[2..]),
            _ => unreadable(dialect, tokens),
        };
    }
    if statement(dialect, rest) { Form::Plans(rest) } else { unreadable(dialect, tokens) }
}

/// PRAGMAs that tell something, without a value.
const TELLS: &str = " analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill \
    cell_size_check checkpoint_fullfsync collation_list compile_options count_changes data_version database_list \
    default_cache_size defer_foreign_keys encoding foreign_keys freelist_count full_column_names fullfsync \
    function_list hard_heap_limit ignore_check_constraints integrity_check journal_mode journal_size_limit \
    legacy_alter_table legacy_file_format locking_mode max_page_count mmap_size module_list page_count page_size \
    pragma_list query_only quick_check read_uncommitted recursive_triggers reverse_unordered_selects schema_version \
    secure_delete short_column_names soft_heap_limit stats synchronous table_list temp_store temp_store_directory \
    threads trusted_schema user_version wal_autocheckpoint writable_schema foreign_key_check ";

/// PRAGMAs whose value only says what to tell about.
const TELLS_ABOUT: &str = " foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check \
    quick_check table_info table_list table_xinfo ";

/// `PRAGMA [schema.]name`, `PRAGMA name(value)`, `PRAGMA name = value`.
pub(super) fn pragma(tokens: &[Token]) -> Form<'_> {
    let (name, rest) = match tokens {
        [_, schema, dot, name, rest @ ..] if dot.mark('.') && schema.names() && name.names() => (name, rest),
        [_, name, rest @ ..] if name.names() => (name, rest),
        _ => return unreadable(Dialect::Sqlite, tokens),
    };
    let name = name.text.to_ascii_lowercase();
    let about = holds(TELLS_ABOUT, &name);
    let (told, value) = match rest {
        [] => (about || holds(TELLS, &name), false),
        [open, value, close] if open.mark('(') && close.mark(')') => (about && plain(value), true),
        [equal, value] if equal.mark('=') => (about && plain(value), true),
        _ => (false, true),
    };
    if told { Form::Tells } else { Form::Objection(pragma_objection(&name, value)) }
}

/// Whether a PRAGMA of this folded name only tells something, with or without a value.
pub(super) fn pragma_tells(name: &str, value: bool) -> bool {
    holds(TELLS_ABOUT, name) || (!value && holds(TELLS, name))
}

/// Whether it asks for the journal mode of the database that is open.
pub(super) fn asks_journal_mode(tokens: &[Token]) -> bool {
    let (name, schema) = match tokens {
        [_, name] => (name, None),
        [_, schema, dot, name] if dot.mark('.') => (name, Some(schema)),
        _ => return false,
    };
    let is = |token: &Token, word: &str| token.names() && token.text.eq_ignore_ascii_case(word);
    tokens[0].is("pragma") && is(name, "journal_mode") && schema.is_none_or(|schema| is(schema, "main"))
}

fn plain(value: &Token) -> bool {
    !matches!(value.kind, Kind::Mark(_))
}

fn pragma_objection(name: &str, value: bool) -> Finding {
    if value {
        return Finding::new(
            "sql.pragma-sets",
            Class::Unknown,
            format!("Sets `{name}` of the database or the connection."),
        );
    }
    Finding::new("sql.pragma-unknown", Class::Unknown, format!("No rule says that `PRAGMA {name}` only reads."))
}
