//! Questions to an engine's own catalog about what a statement sets off beyond its rows: triggers that fire, rows of
//! other tables that go along.

use crate::assess::sql_foresee::{Act, Reads};
use crate::domain::Dialect;

/// Each question with the words before its answer. The answers are names, one a row.
pub(super) fn questions(dialect: Dialect, reads: &Reads) -> Vec<(&'static str, String)> {
    let event = match reads.act {
        Act::Change => "UPDATE",
        Act::Delete => "DELETE",
        Act::Add => "INSERT",
        Act::Empty => "TRUNCATE",
        Act::Drop | Act::Alter => "",
    };
    let (schema, name) = parts(dialect, &reads.table);
    let mut questions = Vec::new();
    let text = |value: &str| format!("'{}'", value.replace('\\', "\\\\").replace('\'', "''"));
    let plain = |value: &str| format!("'{}'", value.replace('\'', "''"));
    let cascades = matches!(reads.act, Act::Delete | Act::Change);
    let (fires, goes) = ("Triggers that fire", "Tables whose rows refer to it and go along or change");
    match dialect {
        Dialect::Postgres => {
            let of = |column: &str| {
                let schema = schema.as_deref().map_or("pg_catalog.pg_table_is_visible(c.oid)".to_owned(), |schema| {
                    format!("n.nspname = {}", plain(schema))
                });
                format!(
                    "JOIN pg_catalog.pg_class c ON c.oid = {column} JOIN pg_catalog.pg_namespace n \
                     ON n.oid = c.relnamespace WHERE c.relname = {} AND {schema}",
                    plain(&name)
                )
            };
            // Bits of `tgtype`: https://github.com/postgres/postgres/blob/REL_15_STABLE/src/include/catalog/pg_trigger.h
            let bit = match reads.act {
                Act::Add => 4,
                Act::Delete => 8,
                Act::Change => 16,
                Act::Empty => 32,
                Act::Drop | Act::Alter => 0,
            };
            if bit > 0 {
                let wanted =
                    format!("AND NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgtype & {bit} <> 0 ORDER BY 1");
                questions.push((
                    fires,
                    format!("SELECT t.tgname FROM pg_catalog.pg_trigger t {} {wanted}", of("t.tgrelid")),
                ));
            }
            if cascades {
                let action = if reads.act == Act::Delete { "confdeltype" } else { "confupdtype" };
                let wanted = format!("AND f.contype = 'f' AND f.{action} IN ('c', 'n', 'd') ORDER BY 1");
                let other = "JOIN pg_catalog.pg_class o ON o.oid = f.conrelid";
                let from = of("f.confrelid");
                questions
                    .push((goes, format!("SELECT o.relname FROM pg_catalog.pg_constraint f {other} {from} {wanted}")));
            }
        }
        Dialect::Mysql => {
            let schema = schema.as_deref().map_or("DATABASE()".to_owned(), text);
            if !event.is_empty() && reads.act != Act::Empty {
                questions.push((
                    fires,
                    format!(
                        "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = {schema} \
                         AND EVENT_OBJECT_TABLE = {} AND EVENT_MANIPULATION = '{event}' ORDER BY 1",
                        text(&name)
                    ),
                ));
            }
            if cascades {
                let action = if reads.act == Act::Delete { "DELETE_RULE" } else { "UPDATE_RULE" };
                questions.push((
                    goes,
                    format!(
                        "SELECT TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS \
                         WHERE UNIQUE_CONSTRAINT_SCHEMA = {schema} AND REFERENCED_TABLE_NAME = {} \
                         AND {action} IN ('CASCADE', 'SET NULL', 'SET DEFAULT') ORDER BY 1",
                        text(&name)
                    ),
                ));
            }
        }
        Dialect::Sqlite => {
            if !event.is_empty() {
                questions.push((
                    "Triggers on the table",
                    format!(
                        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower({}) ORDER BY 1",
                        plain(&name)
                    ),
                ));
            }
        }
    }
    questions
}

/// Schema and name of a table as the engine takes its spelling.
fn parts(dialect: Dialect, table: &str) -> (Option<String>, String) {
    let taken = |part: &str| {
        let bare = part.trim_matches(['"', '`']);
        if dialect == Dialect::Postgres && bare == part { part.to_lowercase() } else { bare.to_owned() }
    };
    match table.rsplit_once('.') {
        Some((schema, name)) => (Some(taken(schema.rsplit('.').next().unwrap_or(schema))), taken(name)),
        None => (None, taken(table)),
    }
}
