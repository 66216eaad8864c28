//! Keeps what SQLite's `UPDATE OR REPLACE` changes, and the rows that it deletes because they are in the way: those whose
//! unique keys are what it sets. That no others went is told by the number of the table's rows.

use std::collections::{BTreeMap, BTreeSet};

use super::differ::Differ;
use super::inverse::{BYTES, Plan, ROWS, Row, Script, too_many};
use super::keep::{Kept, Stop, without};
use super::rows::Rows;
use super::session::Session;
use super::table::Known;
use super::upsert::UNTOLD;
use super::value::quoted_name;

/// Rows that are read again at once.
const CHUNK: usize = 1000;

/// The condition of the rows that may be in the way of what a change sets.
///
/// # Errors
/// Why they can't be told, in words that begin small.
pub(super) fn condition(plan: &Plan, known: &Known) -> Result<String, String> {
    let (target, untold) = (&plan.target, || UNTOLD.to_owned());
    if known.collated {
        return Err(untold());
    }
    let sets = |name: &String| target.set.iter().any(|set| set == "*" || *set == name.to_lowercase());
    let mut conditions = Vec::new();
    for key in
        known.unique.iter().filter(|key| key.partial || key.columns.iter().any(|name| name.is_empty() || sets(name)))
    {
        if key.partial || key.columns.iter().any(String::is_empty) {
            return Err(untold());
        }
        let value = |name: &String| {
            if !sets(name) {
                return Some(quoted_name(plan.dialect, name));
            }
            let told = target.values.iter().flatten().find(|(column, _)| column.eq_ignore_ascii_case(name));
            told.map(|(_, value)| format!("({value})"))
        };
        let values: Vec<String> = key.columns.iter().map(value).collect::<Option<_>>().ok_or_else(untold)?;
        let names: Vec<String> = key.columns.iter().map(|name| quoted_name(plan.dialect, name)).collect();
        let (with, rows) = (&target.with, &target.rows);
        conditions.push(format!("({}) IN ({with}SELECT {} {rows})", names.join(", "), values.join(", ")));
    }
    Ok(if conditions.is_empty() { "1 = 0".to_owned() } else { conditions.join(" OR ") })
}

/// Runs it, and keeps what it changed and deleted.
pub(super) async fn run(
    session: &mut dyn Session,
    (plan, condition): (&Plan, &str),
    rows: &mut Rows,
) -> Result<Option<Kept>, Stop> {
    let unsure = || Stop::Without("it met other rows than those that were read beforehand.".to_owned());
    let met = plan.rows_that(condition);
    let mut held = (0, 0);
    for measure in [plan.measure(), plan.measure_of(&met)] {
        let measured = session.ask(&measure).await.map_err(without)?;
        held = (held.0 + measured.number(0), held.1 + measured.number(1));
        if let Some(why) = too_many(held.0, held.1) {
            return Err(Stop::Without(why));
        }
    }
    let keyed = |rows: Vec<Row>| rows.into_iter().map(|row| (plan.key_of(&row), row)).collect::<BTreeMap<_, _>>();
    let touched = keyed(session.ask(&plan.before()).await.map_err(without)?.rows);
    let own: BTreeSet<Row> = touched.keys().cloned().collect();
    let mut before = keyed(session.ask(&plan.before_of(&met)).await.map_err(without)?.rows);
    before.extend(touched);
    let all = session.ask(&plan.all()).await.map_err(without)?.number(0);
    let answer = session.yields(&plan.returning(), plan.width(), rows).await?;
    if answer.cut || answer.rows.len() as u64 > ROWS {
        return Err(Stop::Without(too_many(ROWS + 1, BYTES + 1).unwrap_or_default()));
    }
    let left = session.ask(&plan.all()).await.map_err(without)?.number(0);
    let mut after = BTreeMap::new();
    for some in before.values().cloned().collect::<Vec<_>>().chunks(CHUNK) {
        after.extend(keyed(session.ask(&plan.after(some)).await.map_err(without)?.rows));
    }
    let gone = before.keys().filter(|key| !after.contains_key(*key)).count() as u64;
    if all.checked_sub(left) != Some(gone) || !answer.rows.iter().all(|row| own.contains(&plan.key_of(row))) {
        return Err(unsure());
    }
    let differ = Differ::of(plan, &before, &after);
    let (back, again) = (differ.back(plan, &[]), differ.again(plan, &[]));
    Ok(Some(Kept { back: Script::joined(back), again: Script::joined(again) }))
}
