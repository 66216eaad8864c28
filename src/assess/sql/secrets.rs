//! The tables, columns and settings that hold passwords, keys and connection strings, from
//! `assets/rules/sql/secrets.toml`. Called for every statement.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;

use super::lex::{Kind, Token};
use crate::domain::{Class, Danger, Dialect, Finding};

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
}

/// The same by the word that a token is.
#[derive(Debug)]
struct Secret {
    dialect: Dialect,
    names: HashMap<String, Vec<Name>>,
    settings: HashSet<String>,
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
        for at in 0..tokens.len() {
            if let Some(name) = secret.at(tokens, at) {
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
        Self { dialect: source.dialect, names, settings: source.settings.into_iter().collect() }
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
