//! Tries a write: runs it in a transaction, counts, shows some of its rows as they would be, rolls it back. Only where
//! everything that it does is undone by that: tables that are local and transactional, no code that nobody knows.

use super::along::{self, Along};
use super::code;
use super::connections::Failure;
use super::inverse::{Plan, Row};
use super::rows::Rows;
use super::session::{Begun, Scope, Session};
use super::table::Known;
use crate::assess::sql_foresee::{Act, InTheWay, Reads};
use crate::assess::sql_touch::{Target, target};
use crate::domain::{Catalog, Dialect};

/// Rows that are shown.
const SHOWN: usize = 5;

/// Whether a statement can be tried, by its table, by what goes along with its rows, where that could all be kept, and by
/// what the catalog says of the names of both.
///
/// # Errors
/// Why not: a sentence.
pub(super) fn allowed(
    dialect: Dialect,
    known: &Known,
    reads: &Reads,
    along: &[Along],
    catalog: &Catalog,
) -> Result<(), String> {
    harmless(dialect, known, reads, along)?;
    code::tried(dialect, catalog)
}

/// Whether the table itself sets nothing off that a rollback may not take back.
fn harmless(dialect: Dialect, known: &Known, reads: &Reads, kept: &[Along]) -> Result<(), String> {
    let set = reads.updates.as_slice();
    if !known.objection.is_empty() {
        return Err(format!("of {}: {}.", known.name, known.objection));
    }
    // What SQLite's triggers do stays in the same file.
    let (events, along): (&[&str], &[&str]) = match (reads.act, reads.in_the_way) {
        (Act::Change, _) => (&["update"], &["update"]),
        (Act::Delete, _) => (&["delete"], &["delete"]),
        (Act::Add, InTheWay::Go) => (&["insert", "delete"], &["delete"]),
        (Act::Add, InTheWay::Change) => (&["insert", "update"], &["update"]),
        (Act::Add, InTheWay::Fail | InTheWay::Stay) => (&["insert"], &[]),
        _ => (&["insert", "update", "delete"], &["delete", "update"]),
    };
    if let Some(trigger) = known.firing(events, set).first().filter(|_| dialect != Dialect::Sqlite) {
        return Err(format!("the trigger {trigger} fires, and what it does may outlive a rollback."));
    }
    // What could be kept lies in plain tables of this server, and sets no code of anybody's off.
    if !kept.is_empty() {
        return Ok(());
    }
    let any = ["*".to_owned()];
    let set: &[String] = if set.is_empty() { &any } else { set };
    let mut along = along.iter().flat_map(|event| known.taken_along(event, set));
    if let Some(table) = along.next().filter(|_| dialect == Dialect::Postgres) {
        return Err(format!("rows of {table} go along or change, and what that sets off may outlive a rollback."));
    }
    Ok(())
}

/// Tries it.
pub(super) async fn run(
    session: &mut dyn Session,
    dialect: Dialect,
    sql: &str,
    rows: &mut Rows,
) -> Result<(), Failure> {
    match session.begin(Scope::Write).await? {
        Begun::Ours => {}
        Begun::Within => return Err(Failure::Open),
        Begun::Unsure => {
            return Err(Failure::Untried("this server doesn't say whether a transaction is open.".to_owned()));
        }
    }
    let tried = within(session, dialect, sql, rows).await;
    let ended = session.ask("ROLLBACK").await;
    tried?;
    ended?;
    Ok(())
}

async fn within(session: &mut dyn Session, dialect: Dialect, sql: &str, rows: &mut Rows) -> Result<(), Failure> {
    // The table may be another one by now, or hidden by one of this session.
    let reads = crate::assess::sql_foresee::reads(dialect, sql).map_err(Failure::Untried)?;
    let reads = reads.ok_or_else(|| Failure::Untried("it touches no rows.".to_owned()))?;
    let (schema, name) = &reads.place;
    let known = Known::ask(session, dialect, &reads.table, (schema.as_deref(), name)).await?;
    let known = known.ok_or_else(|| Failure::Untried(format!("{} is not found.", reads.table)))?;
    let along = along_of(session, dialect, sql, &known).await?;
    let catalog = code::ask(session, dialect, sql, &along).await?;
    allowed(dialect, &known, &reads, &along, &catalog).map_err(Failure::Untried)?;
    if session.hides(&known.schema, &known.name).await? {
        return Err(Failure::Untried("a temporary table hides it.".to_owned()));
    }
    match target(dialect, sql) {
        Ok(Some(target)) if target.act == Act::Add && matches!(target.in_the_way, InTheWay::Fail | InTheWay::Stay) => {
            return added(session, &target, sql, rows).await;
        }
        Ok(Some(target)) if target.act == Act::Change => {
            if let Ok(plan) = Plan::new(dialect, target, &known) {
                return changed(session, &plan, sql, rows).await;
            }
        }
        Ok(_) | Err(_) => {}
    }
    session.run(sql, rows).await
}

/// What goes along with rows that it deletes. Nothing, where that can't be told whole.
async fn along_of(
    session: &mut dyn Session,
    dialect: Dialect,
    sql: &str,
    known: &Known,
) -> Result<Vec<Along>, Failure> {
    let Ok(Some(target)) = target(dialect, sql) else { return Ok(Vec::new()) };
    if target.act != Act::Delete {
        return Ok(Vec::new());
    }
    let Ok(plan) = Plan::of(dialect, target, known) else { return Ok(Vec::new()) };
    Ok(along::along(session, dialect, (&plan, known), &mut Vec::new()).await?.unwrap_or_default())
}

/// Rows that it would bring, as the engine returns them.
async fn added(session: &mut dyn Session, target: &Target, sql: &str, rows: &mut Rows) -> Result<(), Failure> {
    if target.returning || !session.returns() {
        return session.run(sql, rows).await;
    }
    session.run(&format!("{}\nRETURNING *", target.text), rows).await
}

/// Some of the rows that it changes, as they would be.
async fn changed(session: &mut dyn Session, plan: &Plan, sql: &str, rows: &mut Rows) -> Result<(), Failure> {
    let some: Vec<Row> = session.ask(&plan.some(SHOWN)).await?.rows;
    session.run(sql, rows).await?;
    if !some.is_empty() && rows.last().is_none() {
        let touched = rows.touched();
        session.run(&plan.shown(&some), rows).await?;
        rows.says(touched);
    }
    Ok(())
}
