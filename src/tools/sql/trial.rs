//! Tries a write: runs it in a transaction, counts, shows some of its rows as they would be, each new value behind the
//! old one, or those that would go, and rolls it back. Only where everything that it does is undone by that: tables that
//! are local and transactional, no code that nobody knows.

use super::along::{self, Along};
use super::code;
use super::connections::Failure;
use super::inverse::{Plan, Row};
use super::rows::Rows;
use super::session::{Begun, Scope, Session};
use super::table::Known;
use crate::assess::sql_foresee::{Act, InTheWay, Reads};
use crate::assess::sql_touch::target;
use crate::domain::{Catalog, Dialect, Table};

/// Rows that are shown of a change, or of what goes.
const SHOWN: usize = 50;

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
    if matches!(reads.act, Act::Empty | Act::Drop | Act::Alter) {
        return Err("only what changes rows can be tried.".to_owned());
    }
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
    let Ok(Some(target)) = target(dialect, sql) else { return session.run(sql, rows).await };
    let returns = match target.act {
        Act::Add => session.returns(),
        // Of what changes MySQL returns nothing.
        _ => dialect != Dialect::Mysql,
    };
    let returning = format!("{}\nRETURNING *", target.text);
    let returning = if returns && !target.returning { returning.as_str() } else { sql };
    // Where it picks rows, those that are read before may be others than those that it then meets: only what it yields
    // itself is shown.
    match target.act {
        _ if target.picks => {}
        Act::Change => {
            if let Ok(plan) = Plan::new(dialect, target, &known) {
                return changed(session, &plan, sql, rows).await;
            }
        }
        Act::Delete => {
            if let Ok(plan) = Plan::of(dialect, target, &known) {
                return gone(session, &plan, sql, rows).await;
            }
        }
        _ => {}
    }
    session.run(returning, rows).await
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

/// Some of the rows that it changes, as they were and as they would be.
async fn changed(session: &mut dyn Session, plan: &Plan, sql: &str, rows: &mut Rows) -> Result<(), Failure> {
    let some: Vec<Row> = session.ask(&plan.some(SHOWN)).await?.rows;
    if some.is_empty() {
        return session.run(sql, rows).await;
    }
    let shown = plan.shown(&some);
    let (mut was, mut is) = (rows.beside(), rows.beside());
    session.run(&shown, &mut was).await?;
    session.run(sql, rows).await?;
    // It may yield rows by itself.
    if rows.last().is_some() {
        return Ok(());
    }
    session.run(&shown, &mut is).await?;
    if let (Some(was), Some(is)) = (was.last(), is.last()) {
        rows.shows(compared(was, is, &plan.key_names()), rows.touched());
    }
    Ok(())
}

/// Some of the rows that it deletes.
async fn gone(session: &mut dyn Session, plan: &Plan, sql: &str, rows: &mut Rows) -> Result<(), Failure> {
    let mut were = rows.beside();
    session.run(&plan.going(SHOWN), &mut were).await?;
    session.run(sql, rows).await?;
    if let (None, Some(were)) = (rows.last(), were.last()) {
        rows.shows(were.clone(), rows.touched());
    }
    Ok(())
}

/// Rows as they were, behind each value that changed the new one; the key first, then what changed. Where they can't be
/// told to be the same rows, those that are.
fn compared(was: &Table, is: &Table, key: &[&str]) -> Table {
    let same = was.columns == is.columns && was.rows.len() == is.rows.len();
    let place = |name: &&str| was.columns.iter().position(|column| column == name);
    let keys: Vec<usize> = key.iter().filter_map(place).collect();
    let pairs = || was.rows.iter().zip(&is.rows);
    let differs = |at: usize| pairs().any(|(was, is)| was.get(at) != is.get(at));
    if !same || keys.iter().any(|at| differs(*at)) {
        return is.clone();
    }
    let (moved, still): (Vec<usize>, Vec<usize>) =
        (0..was.columns.len()).filter(|at| !keys.contains(at)).partition(|at| differs(*at));
    let mut table = Table { total: is.total, ..Table::default() };
    table.rows = vec![Vec::new(); was.rows.len()];
    let mut add = |from: &Table, at: usize, name: String| {
        table.columns.push(name);
        table.types.push(from.types.get(at).cloned().unwrap_or_default());
        for (row, cells) in table.rows.iter_mut().zip(&from.rows) {
            row.push(cells.get(at).cloned().flatten());
        }
    };
    for at in keys {
        add(was, at, was.columns[at].clone());
    }
    for at in moved {
        add(was, at, was.columns[at].clone());
        add(is, at, format!("new {}", was.columns[at]));
    }
    for at in still {
        add(was, at, was.columns[at].clone());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 3]]) -> Table {
        let row = |row: &[&str; 3]| row.map(|cell| Some(cell.to_owned()).filter(|cell| cell != "NULL")).to_vec();
        Table {
            columns: ["note", "id", "n"].map(str::to_owned).to_vec(),
            types: ["text", "integer", "integer"].map(str::to_owned).to_vec(),
            rows: rows.iter().map(row).collect(),
            total: rows.len() as u64,
            ..Table::default()
        }
    }

    #[test]
    fn each_new_value_stands_behind_the_old_one() {
        let (was, is) =
            (table(&[["a", "1", "10"], ["b", "2", "NULL"]]), table(&[["a", "1", "11"], ["b", "2", "NULL"]]));
        let told = compared(&was, &is, &["id"]);
        assert_eq!(told.columns, ["id", "n", "new n", "note"]);
        assert_eq!(told.types, ["integer", "integer", "integer", "text"]);
        let rows: Vec<Vec<&str>> =
            told.rows.iter().map(|row| row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect()).collect();
        assert_eq!(rows, [["1", "10", "11", "a"], ["2", "NULL", "NULL", "b"]]);
    }

    #[test]
    fn other_rows_are_not_compared() {
        let was = table(&[["a", "1", "10"]]);
        for is in [table(&[["a", "2", "11"]]), table(&[["a", "1", "11"], ["b", "2", "1"]]), table(&[])] {
            assert_eq!(compared(&was, &is, &["id"]), is);
        }
    }
}
