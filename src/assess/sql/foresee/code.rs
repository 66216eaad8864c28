//! A function, a view or an index that a statement makes: what it is called, what makes it up, and on which table it is.

use sqlparser::ast::{ArgMode, CreateFunctionBody, Expr, Statement, Value};

use super::{Parsed, place, statement};
use crate::domain::Dialect;

/// A function that a statement makes; of PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name with the types of what it takes, as the engine finds it by them.
    pub spelled: String,
    /// Its body, where the text tells it.
    pub body: Option<String>,
    /// It takes the place of one that is there.
    pub replaces: bool,
}

/// The function that a statement makes.
#[must_use]
pub fn function(dialect: Dialect, sql: &str) -> Option<Function> {
    if dialect != Dialect::Postgres {
        return None;
    }
    let Parsed { statement: Statement::CreateFunction(made), .. } = statement(dialect, sql)? else { return None };
    let taken = made.args.as_deref().unwrap_or_default().iter().filter(|arg| arg.mode != Some(ArgMode::Out));
    let kinds: Vec<String> = taken.map(|arg| arg.data_type.to_string()).collect();
    let body = match &made.function_body {
        Some(
            CreateFunctionBody::AsBeforeOptions { body, link_symbol: None } | CreateFunctionBody::AsAfterOptions(body),
        ) => text(body),
        _ => None,
    };
    Some(Function { spelled: format!("{}({})", made.name, kinds.join(", ")), body, replaces: made.or_replace })
}

/// What a text literal says.
fn text(value: &Expr) -> Option<String> {
    let Expr::Value(value) = value else { return None };
    match &value.value {
        Value::SingleQuotedString(text) => Some(text.clone()),
        Value::DollarQuotedString(text) => Some(text.value.clone()),
        _ => None,
    }
}

/// The query of a view that a statement makes, and the names that it gives to its columns.
#[must_use]
pub fn viewed(dialect: Dialect, sql: &str) -> Option<(String, Vec<String>)> {
    let Parsed { statement: Statement::CreateView(made), .. } = statement(dialect, sql)? else { return None };
    let names = made.columns.iter().map(|column| super::super::touch::bare(&column.name)).collect();
    Some((made.query.to_string(), names))
}

/// A text that makes a view, or its query alone, one clause a line. None for one that isn't understood.
#[must_use]
pub fn spread(dialect: Dialect, sql: &str) -> Option<String> {
    match statement(dialect, sql.trim_end_matches(|letter: char| letter == ';' || letter.is_whitespace()))?.statement {
        Statement::CreateView(made) => Some(format!("{:#}\n", made.query)),
        Statement::Query(query) => Some(format!("{query:#}\n")),
        _ => None,
    }
}

/// The table of an index that a statement makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indexed {
    /// It, as the statement spells it.
    pub table: String,
    /// Its schema and name, as the engine folds them.
    pub place: (Option<String>, String),
    /// Others go on writing meanwhile: `CONCURRENTLY`.
    pub apart: bool,
    /// It is an ordinary one: no index of words or places.
    pub plain: bool,
}

/// The table of an index that a statement makes.
#[must_use]
pub fn indexed(dialect: Dialect, sql: &str) -> Option<Indexed> {
    let Parsed { statement: Statement::CreateIndex(made), .. } = statement(dialect, sql)? else { return None };
    Some(Indexed {
        table: made.table_name.to_string(),
        place: place(dialect, &made.table_name),
        apart: made.concurrently,
        plain: made.using.is_none() && made.alter_options.is_empty(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_is_found_by_its_name() {
        let sql = "CREATE OR REPLACE FUNCTION s.f(a int, OUT b text, c numeric(8,2) DEFAULT 1) RETURNS text LANGUAGE sql AS $$ SELECT 1 $$";
        let told = function(Dialect::Postgres, sql).unwrap();
        assert!(told.spelled.starts_with("s.f(INT, ") && told.replaces, "{told:?}");
        assert_eq!(told.body.as_deref(), Some(" SELECT 1 "));
        let told = viewed(Dialect::Postgres, "CREATE OR REPLACE VIEW v (x, \"Y\") AS SELECT a, b FROM t").unwrap();
        assert_eq!(told, ("SELECT a, b FROM t".to_owned(), vec!["x".to_owned(), "Y".to_owned()]));
        assert_eq!(
            spread(Dialect::Postgres, "SELECT a FROM t;"),
            spread(Dialect::Postgres, "CREATE VIEW v AS select a from t")
        );
        let told = indexed(Dialect::Postgres, "CREATE INDEX CONCURRENTLY i ON s.T (a)").unwrap();
        assert_eq!((told.place, told.apart), ((Some("s".to_owned()), "t".to_owned()), true));
    }
}
