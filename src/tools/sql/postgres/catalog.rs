//! Asks PostgreSQL what the names in a statement lead to, inside the transaction that may then run it. Every name
//! of our own question is the engine's, whatever the search path says.

use std::collections::BTreeSet;

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row as _};

use super::run_quietly;
use crate::assess::sql_catalog::{Names, function_reads, relation_is_secret};
use crate::domain::{Catalog, CatalogEntry, Dialect, Maker, Meaning, Role, Sort};

/// What names lead to, and the role.
const QUESTION: &str = concat!(include_str!("catalog.sql"), "\nUNION ALL\n", include_str!("role.sql"));
/// The role alone.
const WHO: &str = include_str!("role.sql");
/// What holds for our own questions alone, until they are undone.
const ASIDE: &str = "SAVEPOINT look; SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL jit = off; \
    SET LOCAL plan_cache_mode = force_generic_plan";
/// Most things that names lead to; one more is asked for.
const ENTRIES: usize = 1000;

/// What the catalog says of a statement's names, and which of its rows say so: equal to an earlier answer as long as
/// nobody changed any of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) catalog: Catalog,
    state: String,
}

/// Asks. The transaction goes on as it was.
pub(super) async fn ask(connection: &mut PgConnection, names: &Names) -> Result<Told, sqlx::Error> {
    let schemas: Vec<String> = sqlx::query_scalar("SELECT pg_catalog.current_schemas(true)::pg_catalog.text[]")
        .fetch_one(&mut *connection)
        .await?;
    run_quietly(connection, ASIDE).await?;
    let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>();
    let rows = sqlx::query(AssertSqlSafe(QUESTION))
        .bind(list(&names.words))
        .bind(schemas)
        .bind(list(&names.called))
        .bind(list(&names.fields))
        .bind(list(&names.operators))
        .bind(names.planned)
        .bind(defaults(names))
        .bind(list(&names.engine))
        .fetch_all(&mut *connection)
        .await?;
    run_quietly(connection, "ROLLBACK TO SAVEPOINT look").await?;
    let mut state = String::new();
    if rows.len() > ENTRIES {
        let catalog = Catalog::unknown(format!("its names lead to more than {ENTRIES} things"));
        return Ok(Told { catalog, state });
    }
    let mut catalog = Catalog::default();
    for row in rows {
        let (sort, name, maker): (String, String, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let detail: Option<String> = row.try_get(3)?;
        match sort.as_str() {
            "role" => catalog.role = role(name, detail.as_deref().unwrap_or_default()),
            "state" => state = name,
            _ => catalog.entries.extend(entry(&sort, name, &maker, detail)),
        }
    }
    catalog.entries.sort();
    Ok(Told { catalog, state })
}

/// Whether a write may use the default of a column that it doesn't set: only a change or a deletion doesn't, unless it
/// says so.
fn defaults(names: &Names) -> bool {
    !matches!(names.verb.as_str(), "update" | "delete") || names.words.contains("default")
}

/// Asks who the role is.
pub(super) async fn who(connection: &mut PgConnection) -> Result<Role, sqlx::Error> {
    run_quietly(connection, ASIDE).await?;
    let row = sqlx::query(WHO).fetch_one(&mut *connection).await?;
    let (name, powers): (String, Option<String>) = (row.try_get(1)?, row.try_get(3)?);
    Ok(role(name, powers.as_deref().unwrap_or_default()))
}

fn role(name: String, powers: &str) -> Role {
    Role { name, powers: powers.split(", ").filter(|power| !power.is_empty()).map(str::to_owned).collect() }
}

/// One row of the answer; none for what the engine brought and is known to be harmless.
fn entry(sort: &str, name: String, maker: &str, detail: Option<String>) -> Option<CatalogEntry> {
    let sort = match sort {
        "function" => Sort::Function,
        "field" => Sort::Field,
        "operator" => Sort::Operator,
        "cast" => Sort::Cast,
        "type" => Sort::Type,
        "operator-class" => Sort::OperatorClass,
        "view" => Sort::View,
        "policy" => Sort::Policy,
        "column" => Sort::Column,
        "table" => Sort::Table,
        _ => Sort::Relation,
    };
    let meaning = match (maker.split_once(' '), detail) {
        (Some((_, extension)), _) => Meaning::Code(Maker::Extension(extension.to_owned())),
        (None, _) if maker == "engine" => Meaning::Code(Maker::Engine),
        (None, _) if maker == "database" => Meaning::Code(Maker::Database),
        (None, Some(text)) if maker == "text" => Meaning::Text(text),
        (None, Some(place)) if maker == "outside" => Meaning::Outside(place),
        (None, _) => Meaning::Hidden,
    };
    let harmless = || match sort {
        Sort::Relation => !relation_is_secret(Dialect::Postgres, &name),
        _ => function_reads(Dialect::Postgres, &name),
    };
    let known = meaning == Meaning::Code(Maker::Engine) && harmless();
    (!known).then_some(CatalogEntry { sort, name, meaning })
}
