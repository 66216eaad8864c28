//! The tables, columns and settings that hold passwords, keys and connection strings, from
//! `assets/rules/sql/secrets.toml`. Called for every statement.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;

use super::figures::{Columns, figures_alone, goes_on};
use super::functions;
use super::lex::{Kind, Token};
use crate::domain::{Class, Danger, Dialect, Finding};

/// Words of a query over one relation.
const GRAMMAR: [&str; 36] = [
    "select", "distinct", "from", "where", "and", "or", "not", "in", "like", "ilike", "is", "null", "between", "order",
    "by", "group", "having", "asc", "desc", "limit", "offset", "nulls", "first", "last", "as", "true", "false", "case",
    "when", "then", "else", "end", "count", "min", "max", "explain",
];

#[derive(Debug, Default, Deserialize)]
struct Source {
    secret: Vec<SourceSecret>,
}

#[derive(Debug, Deserialize)]
struct SourceSecret {
    dialect: Dialect,
    /// Names that are secret wherever they stand; `schema.table` needs its schema.
    #[serde(default)]
    names: Vec<String>,
    /// Settings whose value is secret, also as strings.
    #[serde(default)]
    settings: Vec<String>,
    /// By name, the columns that hold no secret.
    #[serde(default)]
    plain: HashMap<String, String>,
    /// By name, the columns that hold values of other tables, where all others hold figures.
    #[serde(default)]
    values: HashMap<String, String>,
}

/// The same by the word that a token is.
#[derive(Debug)]
struct Secret {
    dialect: Dialect,
    names: HashMap<String, Vec<Name>>,
    settings: HashSet<String>,
    plain: HashMap<String, HashSet<String>>,
    values: HashMap<String, HashSet<String>>,
}

/// A secret name as it is listed, and the schema that it needs, if any.
#[derive(Debug)]
struct Name {
    whole: String,
    schema: Option<String>,
}

fn table() -> &'static [Secret] {
    static TABLE: OnceLock<Vec<Secret>> = OnceLock::new();
    let source = include_str!("../../../assets/rules/sql/secrets.toml");
    TABLE.get_or_init(|| {
        let source: Source = toml::from_str(source).unwrap_or_default();
        source.secret.into_iter().map(Secret::of).collect()
    })
}

/// The secrets that a statement names.
pub(super) fn findings(dialect: Dialect, tokens: &[Token]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for secret in table().iter().filter(|secret| secret.dialect == dialect) {
        let shown = secret.shown_plainly(tokens);
        for at in 0..tokens.len() {
            if let Some(name) = secret.at(tokens, at).filter(|name| shown != Some(name)) {
                let sentence = format!("`{name}` holds passwords or keys.");
                let finding = Finding::new("sql.secret", Class::Declared(Danger::Sensitive), sentence);
                found.push(finding.at(tokens[at].span.clone()));
            }
        }
    }
    let computed = (0..tokens.len()).filter(|at| dialect == Dialect::Postgres && computed_setting(tokens, *at));
    found.extend(computed.map(|at| {
        let sentence = "`current_setting` of a computed name may show a password or key.";
        Finding::new("sql.secret", Class::Declared(Danger::Sensitive), sentence).at(tokens[at].span.clone())
    }));
    found
}

/// Whether the value of a setting is asked for whose name is not a plain text: also by `x.current_setting`, which calls
/// it for x.
fn computed_setting(tokens: &[Token], at: usize) -> bool {
    let mark = |place: usize, wanted: char| tokens.get(place).is_some_and(|token| token.mark(wanted));
    if !tokens[at].names() || tokens[at].text != "current_setting" {
        return false;
    }
    if !mark(at + 1, '(') {
        return at > 0 && mark(at - 1, '.');
    }
    // The server writes the text of a policy as `'a.b'::text`.
    let cast = mark(at + 3, ':') && mark(at + 4, ':') && tokens.get(at + 5).is_some_and(|name| name.is("text"));
    let behind = at + if cast { 6 } else { 3 };
    let plain = |name: &Token| name.kind == Kind::Text && !name.text.contains('\\');
    !(tokens.get(at + 2).is_some_and(plain) && (mark(behind, ')') || mark(behind, ',')))
}

/// The relation with secrets of which a statement shows none, though it names it.
pub(super) fn shown_plainly(dialect: Dialect, tokens: &[Token]) -> Option<String> {
    let mut of_engine = table().iter().filter(|secret| secret.dialect == dialect);
    of_engine.find_map(|secret| secret.shown_plainly(tokens)).cloned()
}

/// The finding about a relation of the engine, if it holds secrets.
pub(super) fn relation(dialect: Dialect, name: &str) -> Option<Finding> {
    let names = |secret: &Secret| secret.names.values().flatten().any(|known| known.whole == name);
    let secret = |secret: &Secret| secret.dialect == dialect && names(secret);
    table().iter().any(secret).then(|| {
        let sentence = format!("`{name}` holds passwords or keys.");
        Finding::new("sql.secret", Class::Declared(Danger::Sensitive), sentence)
    })
}

impl Secret {
    fn of(source: SourceSecret) -> Self {
        let mut names: HashMap<String, Vec<Name>> = HashMap::new();
        for whole in source.names {
            let (schema, table) = match whole.split_once('.') {
                Some((schema, table)) => (Some(schema.to_owned()), table.to_owned()),
                None => (None, whole.clone()),
            };
            names.entry(table).or_default().push(Name { whole, schema });
        }
        let columns = |list: String| list.split_whitespace().map(str::to_owned).collect();
        let sets =
            |lists: HashMap<String, String>| lists.into_iter().map(|(name, list)| (name, columns(list))).collect();
        let (plain, values) = (sets(source.plain), sets(source.values));
        Self { dialect: source.dialect, names, settings: source.settings.into_iter().collect(), plain, values }
    }

    /// The name of which a statement shows plain columns alone: it stands behind one `FROM`, and every word else is one
    /// of these columns or of the grammar. What gives columns other names, or takes a row whole, has other words.
    fn shown_plainly(&self, tokens: &[Token]) -> Option<&String> {
        let mut named = (0..tokens.len()).filter_map(|at| Some((at, self.at(tokens, at)?)));
        let (at, name) = named.next()?;
        let figures = self.plain.get(name).zip(self.values.get(name));
        if let Some((figures, values)) = figures
            && named.clone().all(|(_, other)| other == name)
            && figures_alone(tokens, name, &Columns { figures, values })
        {
            return Some(name);
        }
        if named.next().is_some() {
            return None;
        }
        let schema = if at >= 2 && tokens[at - 1].mark('.') { 2 } else { 0 };
        let start = at - schema;
        if self.dialect == Dialect::Mysql && tells_columns(&tokens[..start], &tokens[at + 1..]) {
            return Some(name);
        }
        let columns = self.plain.get(name)?;
        let of_engine = schema == 0 || ["pg_catalog", "mysql"].iter().any(|schema| tokens[start].is(schema));
        if !of_engine || !tokens.get(start.checked_sub(1)?).is_some_and(|before| before.is("from")) {
            return None;
        }
        let mut behind = at + 1;
        let said = tokens.get(behind).is_some_and(|token| token.is("as"));
        behind += usize::from(said);
        let alias = tokens.get(behind).filter(|token| token.names() && (said || !goes_on(token)));
        behind += usize::from(alias.is_some());
        // By an alias PostgreSQL gives the whole row, so it must be no word that stands for something else.
        let column = |token: &Token| columns.contains(&token.text.to_ascii_lowercase());
        let ambiguous =
            alias.is_some_and(|alias| GRAMMAR.contains(&&*alias.text.to_ascii_lowercase()) || column(alias));
        if ambiguous || tokens.get(behind).is_some_and(|token| token.mark('(')) {
            return None;
        }
        let plain = |at: usize| {
            let (token, next) = (&tokens[at], tokens.get(at + 1));
            match token.kind {
                Kind::Mark('*') => at > 1 && tokens[at - 1].mark('(') && tokens[at - 2].is("count"),
                Kind::Text => !token.double,
                Kind::Mark(_) | Kind::Number => true,
                Kind::Word | Kind::Name => {
                    let of_alias = alias.is_some_and(|alias| alias.text == token.text);
                    of_alias && next.is_some_and(|next| next.mark('.'))
                        || is_grammar(tokens, at)
                        || column(token)
                        || gives_name(tokens, at)
                        || self.dialect == Dialect::Mysql && computes(tokens, at)
                }
            }
        };
        (0..start).chain(behind..tokens.len()).all(plain).then_some(name)
    }

    fn at(&self, tokens: &[Token], at: usize) -> Option<&String> {
        let token = &tokens[at];
        if matches!(token.kind, Kind::Mark(_) | Kind::Number) {
            return None;
        }
        let upper = token.text.bytes().any(|byte| byte.is_ascii_uppercase());
        let text = if upper { Cow::Owned(token.text.to_ascii_lowercase()) } else { Cow::Borrowed(&*token.text) };
        let named = || {
            let names = self.names.get(text.as_ref())?;
            names.iter().find(|name| name.is(tokens, at)).map(|name| &name.whole)
        };
        self.settings.get(text.as_ref()).or_else(named)
    }
}

/// Whether a word is of the grammar where it stands. Some could be a name elsewhere, and all could behind a point.
fn is_grammar(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let next = tokens.get(at + 1);
    let here = match tokens[at].text.as_str() {
        "count" | "min" | "max" => next.is_some_and(|next| next.mark('(')),
        "first" | "last" => before.is_some_and(|before| before.is("nulls")),
        "nulls" => next.is_some_and(|next| next.is("first") || next.is("last")),
        "explain" => at == 0,
        _ => true,
    };
    here && !before.is_some_and(|before| before.mark('.')) && GRAMMAR.iter().any(|word| tokens[at].is(word))
}

/// `… AS name`, which gives a name and shows nothing by it.
fn gives_name(tokens: &[Token], at: usize) -> bool {
    let is_as = |at: &usize| tokens[*at].is("as");
    let Some(said) = at.checked_sub(1).filter(is_as) else { return false };
    said.checked_sub(1).is_some_and(|before| !tokens[before].mark('.') && !is_as(&before))
}

/// A function of MySQL that only reads: there it gets no more than the columns that it is given.
fn computes(tokens: &[Token], at: usize) -> bool {
    let called = tokens[at].kind == Kind::Word && tokens.get(at + 1).is_some_and(|next| next.mark('('));
    let qualified = at > 0 && tokens[at - 1].mark('.');
    called && !qualified && functions::reads(Dialect::Mysql, &tokens[at].text)
}

/// Whether a statement of MySQL tells which columns a table has: `DESCRIBE table [column]`, `SHOW COLUMNS FROM table
/// [LIKE …]`, `SHOW CREATE TABLE table`.
fn tells_columns(before: &[Token], behind: &[Token]) -> bool {
    let words: Vec<&str> = before.iter().filter(|token| token.kind == Kind::Word).map(|token| &*token.text).collect();
    let described = match words.as_slice() {
        ["describe" | "desc" | "explain"] => behind.iter().all(|token| token.names() || token.kind == Kind::Text),
        ["show", "create", "table"] => behind.is_empty(),
        ["show", "columns" | "fields" | "index" | "indexes" | "keys", "from" | "in"]
        | ["show", "full", "columns" | "fields", "from" | "in"] => match behind {
            [] => true,
            [like, pattern] => like.is("like") && pattern.kind == Kind::Text,
            _ => false,
        },
        _ => false,
    };
    described && words.len() == before.len() && behind.len() <= 2
}

impl Name {
    fn is(&self, tokens: &[Token], at: usize) -> bool {
        match &self.schema {
            None => {
                // In some modes of MySQL a string after these is a name.
                let named = |before: &Token| before.mark('.') || before.is("from") || before.is("join");
                let before = at.checked_sub(1).map(|before| &tokens[before]);
                tokens[at].kind != Kind::Text || before.is_some_and(named)
            }
            Some(schema) => at >= 2 && tokens[at - 1].mark('.') && tokens[at - 2].text.eq_ignore_ascii_case(schema),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lex;
    use super::*;

    fn plain(dialect: Dialect, sql: &str) -> bool {
        let quoting = lex::quotings(dialect, sql)[0];
        shown_plainly(dialect, &lex::lex(sql, dialect, quoting).unwrap().tokens).is_some()
    }

    #[test]
    fn columns_without_secrets_are_shown_plainly() {
        for sql in [
            "SELECT attname, n_distinct FROM pg_stats WHERE tablename = 'orders' AND null_frac > 0.1 ORDER BY 2 DESC",
            "SELECT s.attname FROM pg_catalog.pg_stats AS s WHERE s.tablename LIKE 'o%'",
            "SELECT count(*) FROM pg_stats",
            "SELECT \"rolname\", rolsuper FROM pg_authid WHERE rolcanlogin",
            "SELECT a.rolname AS who, max(a.oid) AS top FROM pg_authid a GROUP BY a.rolname ORDER BY 2 DESC NULLS LAST",
            "SELECT rolname FROM pg_authid WHERE oid BETWEEN 1 AND 9 LIMIT 3",
        ] {
            assert!(plain(Dialect::Postgres, sql), "{sql}");
        }
        for sql in [
            "SELECT user, host FROM mysql.user",
            "select User,Host from mysql.user u where u.host = '%'",
            "SELECT CONCAT(user, '@', host) AS account, Super_priv, is_role FROM mysql.user",
            "DESC mysql.user user",
            "SHOW COLUMNS FROM mysql.global_priv",
            "SHOW CREATE TABLE mysql.user",
        ] {
            assert!(plain(Dialect::Mysql, sql), "{sql}");
        }
    }

    #[test]
    fn what_may_show_another_column_is_not() {
        for sql in [
            "SELECT * FROM pg_stats",
            "SELECT s FROM pg_stats s",
            "SELECT pg_stats FROM pg_stats",
            "SELECT s.* FROM pg_stats s",
            "SELECT most_common_vals FROM pg_stats",
            "SELECT attname FROM pg_stats WHERE histogram_bounds IS NOT NULL",
            "SELECT first FROM pg_stats s(schemaname, tablename, attname, inherited, null_frac, avg_width, last, asc, first)",
            "SELECT row_to_json(pg_stats) FROM pg_stats",
            "SELECT attname FROM pg_stats NATURAL JOIN t",
            "SELECT attname FROM t, pg_stats",
            "TABLE pg_stats",
            "SELECT rolname FROM pg_authid UNION SELECT rolpassword FROM pg_authid",
            "SELECT rolname FROM own.pg_authid",
            "SELECT max FROM pg_authid max",
            "SELECT last FROM pg_authid last",
            "SELECT count FROM pg_authid AS count",
            "SELECT between FROM pg_authid AS between",
            "SELECT max FROM pg_authid \"max\"",
            "SELECT \"OID\" FROM pg_authid \"OID\"",
            "SELECT \"where\" FROM pg_authid \"where\"",
            "SELECT first FROM pg_stats first",
            "SELECT nulls FROM pg_subscription nulls",
            "SELECT a.max FROM pg_authid a",
            "SELECT (a).rolname FROM pg_authid a",
            "SELECT max(a) FROM pg_authid a",
            "SELECT attname AS most_common_vals, most_common_vals FROM pg_stats",
            "SELECT attname AS as, most_common_vals FROM pg_stats",
        ] {
            assert!(!plain(Dialect::Postgres, sql), "{sql}");
        }
        for sql in [
            "SELECT * FROM mysql.user",
            "SELECT user, password FROM mysql.user",
            "TABLE mysql.user",
            "SELECT user, \"authentication_string\" FROM mysql.user",
            "SELECT user FROM mysql.user ORDER BY \"Password\"",
            "SELECT CONCAT(user, Password) FROM mysql.user",
            "SELECT own(user) FROM mysql.user",
            "SELECT user_attributes FROM mysql.user",
            "SHOW COLUMNS FROM mysql.user WHERE Field IN (SELECT Password FROM t)",
            "EXPLAIN SELECT Password FROM mysql.user",
        ] {
            assert!(!plain(Dialect::Mysql, sql), "{sql}");
        }
    }
}
