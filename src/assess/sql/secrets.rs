//! The tables, columns and settings that hold passwords, keys and connection strings, from
//! `assets/rules/sql/secrets.toml`. Called for every statement.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;

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
}

/// The same by the word that a token is.
#[derive(Debug)]
struct Secret {
    dialect: Dialect,
    names: HashMap<String, Vec<Name>>,
    settings: HashSet<String>,
    plain: HashMap<String, HashSet<String>>,
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
    let computed = (0..tokens.len()).filter(|at| dialect == Dialect::Postgres && computed_setting(&tokens[*at..]));
    found.extend(computed.map(|at| {
        let sentence = "`current_setting` of a computed name may show a password or key.";
        Finding::new("sql.secret", Class::Declared(Danger::Sensitive), sentence).at(tokens[at].span.clone())
    }));
    found
}

/// Whether the value of a setting is asked for whose name is not a plain text.
fn computed_setting(tokens: &[Token]) -> bool {
    let mark = |at: usize, wanted: char| tokens.get(at).is_some_and(|token| token.mark(wanted));
    if !tokens[0].is("current_setting") || !mark(1, '(') {
        return false;
    }
    // The server writes the text of a policy as `'a.b'::text`.
    let cast = mark(3, ':') && mark(4, ':') && tokens.get(5).is_some_and(|name| name.is("text"));
    let behind = if cast { 6 } else { 3 };
    !(tokens.get(2).is_some_and(|name| name.kind == Kind::Text) && (mark(behind, ')') || mark(behind, ',')))
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
        let plain = source.plain.into_iter().map(|(name, list)| (name, columns(list))).collect();
        Self { dialect: source.dialect, names, settings: source.settings.into_iter().collect(), plain }
    }

    /// The name of which a statement shows plain columns alone: it stands behind one `FROM`, and every word else is one
    /// of these columns or of the grammar. What gives columns other names, or takes a row whole, has other words.
    fn shown_plainly(&self, tokens: &[Token]) -> Option<&String> {
        let mut named = (0..tokens.len()).filter_map(|at| Some((at, self.at(tokens, at)?)));
        let (Some((at, name)), None) = (named.next(), named.next()) else { return None };
        let columns = self.plain.get(name)?;
        let schema = if at >= 2 && tokens[at - 1].mark('.') { 2 } else { 0 };
        let start = at - schema;
        let of_engine = schema == 0 || ["pg_catalog", "mysql"].iter().any(|schema| tokens[start].is(schema));
        if !of_engine || !tokens.get(start.checked_sub(1)?).is_some_and(|before| before.is("from")) {
            return None;
        }
        let grammar = |token: &Token| GRAMMAR.iter().any(|word| token.is(word));
        let mut behind = at + 1;
        behind += usize::from(tokens.get(behind).is_some_and(|token| token.is("as")));
        let alias = tokens.get(behind).filter(|token| token.names() && !grammar(token));
        behind += usize::from(alias.is_some());
        if tokens.get(behind).is_some_and(|token| token.mark('(')) {
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
                        || grammar(token)
                        || columns.contains(&token.text.to_ascii_lowercase())
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
        ] {
            assert!(plain(Dialect::Postgres, sql), "{sql}");
        }
        for sql in ["SELECT user, host FROM mysql.user", "select User,Host from mysql.user u where u.host = '%'"] {
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
            "SELECT row_to_json(attname) FROM pg_stats",
            "SELECT attname FROM pg_stats NATURAL JOIN t",
            "SELECT attname FROM t, pg_stats",
            "TABLE pg_stats",
            "SELECT rolname FROM pg_authid UNION SELECT rolpassword FROM pg_authid",
            "SELECT rolname FROM own.pg_authid",
        ] {
            assert!(!plain(Dialect::Postgres, sql), "{sql}");
        }
        for sql in [
            "SELECT * FROM mysql.user",
            "SELECT user, password FROM mysql.user",
            "TABLE mysql.user",
            "SELECT user, \"authentication_string\" FROM mysql.user",
            "SELECT user FROM mysql.user ORDER BY \"Password\"",
        ] {
            assert!(!plain(Dialect::Mysql, sql), "{sql}");
        }
    }
}
