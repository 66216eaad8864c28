//! A function, a view or an index that a statement makes: what it is called, what makes it up, and on which table it is.

use std::ops::ControlFlow;

use sqlparser::ast::{
    ArgMode, CastKind, CreateFunctionBody, DataType, Expr, ObjectNamePart, Statement, TableFactor, Value, Visit,
    VisitMut, Visitor, VisitorMut,
};

use super::super::touch::bare;
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
    let names = made.columns.iter().map(|column| bare(&column.name)).collect();
    Some((made.query.to_string(), names))
}

/// A text that makes a view, or its query alone, one clause a line. None for one that isn't understood.
#[must_use]
pub fn spread(dialect: Dialect, sql: &str) -> Option<String> {
    let sql = sql.trim_end_matches(|letter: char| letter == ';' || letter.is_whitespace());
    let mut query = match statement(dialect, sql)?.statement {
        Statement::CreateView(made) => made.query,
        Statement::Query(query) => query,
        _ => return None,
    };
    if dialect == Dialect::Postgres {
        let mut tables = Tables::default();
        let _ = Visit::visit(&*query, &mut tables);
        let _ = VisitMut::visit(&mut *query, &mut Plain { table: tables.only() });
    }
    Some(format!("{query:#}\n"))
}

/// The names by which a query knows what it reads.
#[derive(Default)]
struct Tables(Vec<Option<String>>);

impl Tables {
    /// The only one, if there is no other.
    fn only(self) -> Option<String> {
        match <[_; 1]>::try_from(self.0) {
            Ok([one]) => one,
            Err(_) => None,
        }
    }
}

impl Visitor for Tables {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        self.0.push(match factor {
            TableFactor::Table { alias: Some(alias), .. } => Some(bare(&alias.name)),
            TableFactor::Table { name, alias: None, .. } => name.0.last().and_then(ObjectNamePart::as_ident).map(bare),
            _ => None,
        });
        ControlFlow::Continue(())
    }
}

/// Takes away what PostgreSQL adds as it writes a view down: the table before each column, where there is one table, and
/// that a text is a text.
struct Plain {
    table: Option<String>,
}

impl VisitorMut for Plain {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let plain = match expr {
            Expr::CompoundIdentifier(names) => match names.as_slice() {
                [table, column] if self.table.as_ref() == Some(&bare(table)) => Expr::Identifier(column.clone()),
                _ => return ControlFlow::Continue(()),
            },
            Expr::Cast { expr: inner, data_type: DataType::Text, kind: CastKind::DoubleColon, .. } if matches!(&**inner, Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_))) => {
                (**inner).clone()
            }
            _ => return ControlFlow::Continue(()),
        };
        *expr = plain;
        ControlFlow::Continue(())
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
        // As the server writes it down.
        assert_eq!(
            spread(Dialect::Postgres, "SELECT t.a, t.b AS c FROM s.t WHERE t.b = 'x'::text;"),
            spread(Dialect::Postgres, "CREATE VIEW v AS SELECT a, b AS c FROM s.t WHERE b = 'x'")
        );
        let joined = spread(Dialect::Postgres, "SELECT t.a FROM t, u").unwrap();
        assert!(joined.contains("t.a"), "{joined}");
        let told = indexed(Dialect::Postgres, "CREATE INDEX CONCURRENTLY i ON s.T (a)").unwrap();
        assert_eq!((told.place, told.apart), ((Some("s".to_owned()), "t".to_owned()), true));
    }
}
