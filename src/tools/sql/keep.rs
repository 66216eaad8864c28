//! Keeps what a write replaces. Rows are read and locked, the write runs, and what it left is read, all in one
//! transaction; the statements that take it back are on disk before that ends. Where that can't be, the write runs as
//! it would have without, and says why nothing was kept.

use std::collections::BTreeSet;
use std::io::Read as _;

use serde::{Deserialize, Serialize};

use super::along::{self, Along, Reference};
use super::code;
use super::connections::Failure;
use super::displaced;
use super::inverse::{BYTES, Plan, ROWS, Row, Script, too_many};
use super::rows::Rows;
use super::session::{Begun, Scope, Session};
use super::table::Known;
use super::upsert;
use crate::assess::sql_foresee::{Act, InTheWay};
use crate::assess::sql_touch::{Target, target};
use crate::domain::Dialect;
use crate::store::Images;

/// Most bytes of the two scripts of one operation.
const LONGEST: usize = 16 * 1024 * 1024;

/// What is kept of one operation: what takes it back, and what does it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) back: Script,
    pub(super) again: Script,
}

impl Kept {
    /// What was kept under a digest.
    pub(super) fn open(images: &Images, digest: &str) -> Result<Self, String> {
        let gone = |error: &dyn std::fmt::Display| format!("what it replaced is not kept any more ({error})");
        let mut text = Vec::new();
        let file = images.open(digest).map_err(|error| gone(&error))?;
        file.take(LONGEST as u64).read_to_end(&mut text).map_err(|error| gone(&error))?;
        serde_json::from_slice(&text).map_err(|error| gone(&error))
    }
}

/// What became of keeping.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Keeping {
    /// There was nothing to keep: it changed no row.
    Nothing,
    /// It is kept under this digest.
    Under(String),
    /// It isn't, for this reason, which begins small.
    Not(String),
}

/// Why keeping ended early.
pub(super) enum Stop {
    /// The write goes on without.
    Without(String),
    /// The write failed, or must not be.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What a failed read of ours means for a write.
pub(super) fn without(failure: Failure) -> Stop {
    match failure {
        // Somebody stopped it: it doesn't go on.
        failure if failure.stopped() => Stop::Failed(failure),
        // What the database refuses to tell beforehand, it may still do.
        Failure::Engine(sqlx::Error::Database(refusal)) => {
            Stop::Without(format!("its rows can't be read beforehand ({}).", refusal.message()))
        }
        other => Stop::Failed(other),
    }
}

/// Runs a statement, keeping the rows that it changes where that can be.
pub(super) async fn run(
    session: &mut dyn Session,
    dialect: Dialect,
    sql: &str,
    images: &Images,
    rows: &mut Rows,
) -> Result<Keeping, Failure> {
    let why = match target(dialect, sql) {
        Ok(Some(target)) if images.would_keep(0) => {
            match attempt(session, dialect, (target, sql), images, rows).await {
                Ok(keeping) => return Ok(keeping),
                Err(Stop::Failed(failure)) => return Err(failure),
                Err(Stop::Without(why)) => why,
            }
        }
        Ok(Some(_)) => "nothing is kept here.".to_owned(),
        Ok(None) => {
            session.run(sql, rows).await?;
            return Ok(Keeping::Nothing);
        }
        Err(why) => why,
    };
    rows.clear();
    session.run(sql, rows).await?;
    Ok(Keeping::Not(why))
}

async fn attempt(
    session: &mut dyn Session,
    dialect: Dialect,
    (target, sql): (Target, &str),
    images: &Images,
    rows: &mut Rows,
) -> Result<Keeping, Stop> {
    match session.begin(Scope::Write).await? {
        Begun::Ours => {}
        Begun::Within => return Err(Stop::Without("it ran inside a transaction that was open.".to_owned())),
        Begun::Unsure => {
            return Err(Stop::Without("this server doesn't say whether a transaction is open.".to_owned()));
        }
    }
    let kept = within(session, dialect, (target, sql), images, rows).await;
    let end = if kept.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = session.ask(end).await;
    let keeping = kept?;
    ended?;
    Ok(keeping)
}

async fn within(
    session: &mut dyn Session,
    dialect: Dialect,
    (target, sql): (Target, &str),
    images: &Images,
    rows: &mut Rows,
) -> Result<Keeping, Stop> {
    let known = Known::of(session, dialect, &target).await.map_err(without)?;
    let known = known.ok_or_else(|| Stop::Without(format!("{} is not found.", target.spelled)))?;
    if dialect == Dialect::Mysql && session.hides(&known.schema, &known.name).await.map_err(without)? {
        return Err(Stop::Without("a temporary table hides it.".to_owned()));
    }
    let (plan, keys) = Plan::for_statement(dialect, target, &known, sql).map_err(Stop::Without)?;
    let along = if plan.deletes() {
        let found = along::along(session, dialect, (&plan, &known), &mut Vec::new()).await.map_err(without)?;
        found.map_err(Stop::Without)?
    } else {
        Vec::new()
    };
    let references = if plan.target.act == Act::Add && !plan.deletes() {
        along::references(session, dialect, (&plan, &known)).await.map_err(without)?.map_err(Stop::Without)?
    } else {
        Vec::new()
    };
    let catalog = code::ask(session, dialect, sql, &along).await.map_err(without)?;
    code::kept(dialect, &catalog).map_err(Stop::Without)?;
    let kept = match (plan.target.act, &keys) {
        (Act::Change, _) if plan.displaced.is_some() => {
            displaced::run(session, (&plan, plan.displaced.as_deref().unwrap_or_default()), rows).await?
        }
        (_, Some(keys)) => upsert::run(session, (&plan, keys), (&along, &references), rows).await?,
        (Act::Add, None) => added(session, (&plan, &references), rows).await?,
        (_, None) => touched(session, (&plan, &along, sql), rows).await?,
    };
    let Some(kept) = kept.filter(|kept| kept.back.rows > 0) else { return Ok(Keeping::Nothing) };
    let text = serde_json::to_vec(&kept).map_err(|error| Failure::NotKept(error.to_string()))?;
    if text.len() > LONGEST {
        return Err(Stop::Without("too large to be kept.".to_owned()));
    }
    match images.keep(&mut text.as_slice()) {
        Ok(Some(digest)) => Ok(Keeping::Under(digest)),
        Ok(None) => Err(Stop::Without("there is no room left to keep it.".to_owned())),
        Err(error) => Err(Stop::Failed(Failure::NotKept(error.to_string()))),
    }
}

/// Rows that are there before: changed or deleted.
async fn touched(
    session: &mut dyn Session,
    (plan, along, sql): (&Plan, &[Along], &str),
    rows: &mut Rows,
) -> Result<Option<Kept>, Stop> {
    let measured = session.ask(&plan.measure()).await.map_err(without)?;
    let (count, bytes) = (measured.number(0), measured.number(1));
    if let Some(why) = too_many(count, bytes) {
        return Err(Stop::Without(why));
    }
    let before = session.ask(&plan.before()).await.map_err(without)?.rows;
    let mut held = (count, bytes);
    let followed = along::follow(session, (plan, &before), along, &mut held).await.map_err(without)?;
    let mut branches = followed.map_err(Stop::Without)?;
    let unsure = || Stop::Without("it met other rows than those that were read beforehand.".to_owned());
    if plan.compares() {
        let told = session.yields(&plan.returning(), plan.width(), rows).await?;
        let keys: BTreeSet<Row> = before.iter().map(|row| plan.key_of(row)).collect();
        if told.cut || !told.rows.iter().all(|row| keys.contains(&plan.key_of(row))) {
            return Err(unsure());
        }
    } else {
        session.run(sql, rows).await?;
    }
    // What is in its way may leave some as they are.
    let fewer = plan.target.in_the_way == InTheWay::Stay && rows.touched() < before.len() as u64;
    if rows.touched() != before.len() as u64 && !fewer {
        return Err(unsure());
    }
    if before.is_empty() {
        return Ok(None);
    }
    let mut after: Vec<Row> = Vec::new();
    for some in before.chunks(1000) {
        after.extend(session.ask(&plan.after(some)).await.map_err(without)?.rows);
    }
    if plan.target.act == Act::Delete {
        // As many as were read are gone; none of those that were read is left: then they are the same.
        if !after.is_empty() || !along::look(session, &mut branches).await.map_err(without)? {
            return Err(unsure());
        }
        let (mut back, mut again) = (vec![plan.insert(&before)], Vec::new());
        for branch in &branches {
            branch.back(&mut back);
            branch.again(&mut again);
        }
        again.push(plan.delete(&before, &along.iter().map(|along| &along.reference).collect::<Vec<_>>()));
        return Ok(Some(Kept { back: Script::joined(back), again: Script::joined(again) }));
    }
    let changed = plan.changed(&before, &after).ok_or_else(unsure)?;
    Ok(Some(Kept {
        back: plan.update(changed.iter().map(|(before, after)| (*after, *before))),
        again: plan.update(changed.iter().copied()),
    }))
}

/// Rows that it brings: the engine returns them.
async fn added(
    session: &mut dyn Session,
    (plan, references): (&Plan, &[Reference]),
    rows: &mut Rows,
) -> Result<Option<Kept>, Stop> {
    let answer = session.yields(&plan.returning(), plan.width(), rows).await?;
    if answer.cut || answer.rows.len() as u64 > ROWS {
        let why = too_many(ROWS + 1, BYTES + 1).unwrap_or_default();
        return Err(Stop::Without(why));
    }
    Ok(Some(Kept {
        back: plan.delete(&answer.rows, &references.iter().collect::<Vec<_>>()),
        again: plan.insert(&answer.rows),
    }))
}

/// Takes something back: all of its statements, each of which must find its row as it was left, or nothing.
pub(super) async fn take_back(
    session: &mut dyn Session,
    sql: &str,
    expected: u64,
    rows: &mut Rows,
) -> Result<(), Failure> {
    if session.begin(Scope::Own).await? != Begun::Ours {
        return Err(Failure::Open);
    }
    let done = session.ask(sql).await;
    let found = done.as_ref().map_or(0, |answer| answer.changed);
    let whole = done.is_ok() && found == expected;
    let ended = session.ask(if whole { "COMMIT" } else { "ROLLBACK" }).await;
    let restored = session.restore().await;
    done?;
    ended?;
    restored?;
    if !whole {
        return Err(Failure::Changed { found, expected });
    }
    rows.end_set(found);
    Ok(())
}
