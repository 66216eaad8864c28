//! The tables, columns and settings that hold passwords, keys and connection strings, from
//! `assets/rules/sql/secrets.toml`. Called for every statement.

use std::sync::OnceLock;

use serde::Deserialize;

use super::lex::{Kind, Token};
use crate::domain::{Class, Danger, Dialect, Finding};

#[derive(Debug, Default, Deserialize)]
struct Secrets {
    secret: Vec<Secret>,
}

#[derive(Debug, Deserialize)]
struct Secret {
    dialect: Dialect,
    /// Names that are secret wherever they stand; `schema.table` needs its schema.
    #[serde(default)]
    names: Vec<String>,
    /// Settings whose value is secret, also as strings.
    #[serde(default)]
    settings: Vec<String>,
}

fn table() -> &'static [Secret] {
    static TABLE: OnceLock<Secrets> = OnceLock::new();
    &TABLE
        .get_or_init(|| toml::from_str(include_str!("../../../assets/rules/sql/secrets.toml")).unwrap_or_default())
        .secret
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
    found
}

/// The finding about a relation of the engine, if it holds secrets.
pub(super) fn relation(dialect: Dialect, name: &str) -> Option<Finding> {
    let secret = |secret: &Secret| secret.dialect == dialect && secret.names.iter().any(|known| known == name);
    table().iter().any(secret).then(|| {
        let sentence = format!("`{name}` holds passwords or keys.");
        Finding::new("sql.secret", Class::Declared(Danger::Sensitive), sentence)
    })
}

impl Secret {
    fn at(&self, tokens: &[Token], at: usize) -> Option<&String> {
        let text = tokens[at].text.to_ascii_lowercase();
        if tokens[at].kind == Kind::Text && self.settings.contains(&text) {
            return self.settings.iter().find(|setting| **setting == text);
        }
        if matches!(tokens[at].kind, Kind::Mark(_) | Kind::Number) {
            return None;
        }
        self.settings
            .iter()
            .find(|setting| **setting == text)
            .or_else(|| self.names.iter().find(|name| is(name, &text, tokens, at)))
    }
}

fn is(name: &str, text: &str, tokens: &[Token], at: usize) -> bool {
    let Some((schema, table)) = name.split_once('.') else {
        // In some modes of MySQL a string after these is a name.
        let named = |before: &Token| before.mark('.') || before.is("from") || before.is("join");
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        return name == text && (tokens[at].kind != Kind::Text || before.is_some_and(named));
    };
    table == text && at >= 2 && tokens[at - 1].mark('.') && tokens[at - 2].text.eq_ignore_ascii_case(schema)
}
