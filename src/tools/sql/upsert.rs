//! Keeps what an `INSERT` replaces that says what becomes of rows in its way: the rows that it may change or delete are
//! read by the keys of those that it brings, and again once it ran. What it returns shows whether these were its keys.

use std::collections::{BTreeMap, BTreeSet};

use super::along::{self, Along, Reference};
use super::differ::Differ;
use super::displaced;
use super::inverse::{BYTES, Plan, ROWS, Row, Script, too_many};
use super::keep::{Kept, Stop, without};
use super::preview::own;
use super::rows::Rows;
use super::session::Session;
use super::table::Known;
use crate::assess::sql_foresee::{Act, InTheWay, Key, Keys, reads};
use crate::assess::sql_touch::Target;
use crate::domain::Dialect;

/// Keys whose rows are read at once.
const CHUNK: usize = 1000;
/// Why it isn't known which rows are in its way.
pub(super) const UNTOLD: &str = "which rows are in its way can't be told beforehand.";

impl Plan {
    /// How the rows of a statement are kept, and the keys of those that it brings where it changes or deletes what is in
    /// their way.
    ///
    /// # Errors
    /// Why they can't be kept: a sentence that begins small.
    pub(super) fn for_statement(
        dialect: Dialect,
        target: Target,
        known: &Known,
        sql: &str,
    ) -> Result<(Self, Option<Keys>), String> {
        let deletes = target.act == Act::Delete || target.act == Act::Add && target.in_the_way == InTheWay::Go;
        let mut plan = if deletes { Self::of(dialect, target, known)? } else { Self::new(dialect, target, known)? };
        if plan.target.act == Act::Change && plan.target.in_the_way == InTheWay::Go {
            plan.displaced = Some(displaced::condition(&plan, known)?);
        }
        let keys = keys(dialect, sql, &plan, known)?;
        Ok((plan, keys))
    }

    /// Whether it deletes rows that are there.
    pub(super) fn deletes(&self) -> bool {
        let Target { act, in_the_way, .. } = &self.target;
        *act == Act::Delete || *act == Act::Add && *in_the_way == InTheWay::Go
    }
}

/// The keys of the rows that a statement brings, where it changes or deletes those that are in their way.
///
/// # Errors
/// Why they can't be told, in words that begin small.
fn keys(dialect: Dialect, sql: &str, plan: &Plan, known: &Known) -> Result<Option<Keys>, String> {
    if plan.target.act != Act::Add || !matches!(plan.target.in_the_way, InTheWay::Change | InTheWay::Go) {
        return Ok(None);
    }
    let untold = || UNTOLD.to_owned();
    let reads = reads(dialect, sql)?.ok_or_else(untold)?;
    let (upsert, brought) = reads.upsert.zip(reads.brought).ok_or_else(untold)?;
    // PostgreSQL's `=` may be another one than that of a text.
    let exact = |key: &&Key| dialect != Dialect::Postgres || known.exact(&key.columns);
    let unique: Vec<Key> = known.unique.iter().filter(exact).cloned().collect();
    let keys = upsert.brought_keys(dialect, (&brought, &reads.columns), (&own(dialect, known), &unique));
    let keys = keys.filter(|_| !known.collated).ok_or_else(untold)?;
    // By what a row is told from others, and by what it is met, must both be read.
    let told = keys.given.iter().chain(&keys.left).flatten().all(|name| plan.column(name).is_some());
    if told { Ok(Some(keys)) } else { Err(untold()) }
}

/// The keys that rows bring, one after the other.
#[derive(Default)]
struct Brought {
    /// Where the columns of each stand among those of the table.
    places: Vec<Vec<usize>>,
    /// Its values, without those that hold a NULL: nothing is in the way of these.
    values: Vec<BTreeSet<Row>>,
    /// The largest number there was of those that the engine numbers, by the place of their column.
    numbers: BTreeMap<usize, Option<i128>>,
    /// Where the columns of the keys stand that no row gives.
    left: Vec<Vec<usize>>,
}

impl Brought {
    /// Reads them.
    async fn read(session: &mut dyn Session, plan: &Plan, keys: &Keys) -> Result<Self, Stop> {
        let place = |name: &String| plan.column(name).map(|(at, _)| at);
        let places = |keys: &[Vec<String>]| -> Option<Vec<Vec<usize>>> {
            keys.iter().map(|key| key.iter().map(place).collect()).collect()
        };
        let untold = || Stop::Without(UNTOLD.to_owned());
        let (given, left) = (places(&keys.given).ok_or_else(untold)?, places(&keys.left).ok_or_else(untold)?);
        let mut brought = Self { values: vec![BTreeSet::new(); given.len()], places: given, left, ..Self::default() };
        let image =
            |name: &str, quoted: &str| plan.column(name).map_or_else(String::new, |(_, form)| form.image(quoted));
        let mut numbered: BTreeSet<usize> = brought.left.iter().filter_map(|key| single(key)).collect();
        if let Some(sql) = keys.read(image, ROWS + 1) {
            let answer = session.ask(&sql).await.map_err(without)?;
            if answer.cut || answer.rows.len() as u64 > ROWS {
                return Err(Stop::Without(too_many(ROWS + 1, BYTES + 1).unwrap_or_default()));
            }
            for row in answer.rows {
                let (odd, mut values) =
                    row.split_last().map(|(odd, values)| (odd, values.iter())).ok_or_else(untold)?;
                if odd.as_deref() != Some(b"0") {
                    return Err(untold());
                }
                for (key, places) in brought.values.iter_mut().zip(&brought.places) {
                    let value: Row = values.by_ref().take(places.len()).cloned().collect();
                    if value.iter().any(Option::is_none) {
                        numbered.extend(single(places));
                    } else {
                        key.insert(value);
                    }
                }
            }
        }
        for at in numbered {
            let largest = session.ask(&plan.largest(at)).await.map_err(without)?;
            let largest = largest.rows.into_iter().next().and_then(|row| row.into_iter().next()).flatten();
            // Where it isn't a number, the engine gives none.
            match largest.map(|image| number(&image)) {
                Some(None) => {}
                Some(Some(largest)) => drop(brought.numbers.insert(at, Some(largest))),
                None => drop(brought.numbers.insert(at, None)),
            }
        }
        Ok(brought)
    }

    /// The rows of the table that they meet, by what tells these from others, with those that follow where they are
    /// deleted. `held` counts rows and bytes of all of it.
    async fn met(
        &self,
        session: &mut dyn Session,
        plan: &Plan,
        held: &mut (u64, u64),
    ) -> Result<BTreeMap<Row, Row>, Stop> {
        let mut met = BTreeMap::new();
        for (places, values) in self.places.iter().zip(&self.values) {
            let values: Vec<&Row> = values.iter().collect();
            for some in values.chunks(CHUNK) {
                let rows = plan.rows_by(places, some);
                let measured = session.ask(&plan.measure_of(&rows)).await.map_err(without)?;
                *held = (held.0 + measured.number(0), held.1 + measured.number(1));
                if let Some(why) = too_many(held.0, held.1) {
                    return Err(Stop::Without(why));
                }
                let found = session.ask(&plan.before_of(&rows)).await.map_err(without)?.rows;
                met.extend(found.into_iter().map(|row| (plan.key_of(&row), row)));
            }
        }
        Ok(met)
    }

    /// Whether a row that was returned has the keys that were read, so that all that was in its way was read with them.
    fn holds(&self, row: &Row) -> bool {
        let given = self.places.iter().zip(&self.values).map(|(places, values)| (places, Some(values)));
        let left = self.left.iter().map(|places| (places, None));
        given.chain(left).all(|(places, values)| {
            let value: Row = places.iter().map(|at| row[*at].clone()).collect();
            let new = |at: usize| match (self.numbers.get(&at), row[at].as_deref().and_then(number)) {
                (Some(Some(largest)), Some(number)) => number > *largest,
                // There was none.
                (Some(None), _) => true,
                (Some(Some(_)), None) | (None, _) => false,
            };
            let free = value.iter().any(Option::is_none) || single(places).is_some_and(new);
            free || values.is_some_and(|values| values.contains(&value))
        })
    }
}

/// The place of a key of one column.
fn single(places: &[usize]) -> Option<usize> {
    if let [one] = places { Some(*one) } else { None }
}

fn number(image: &[u8]) -> Option<i128> {
    std::str::from_utf8(image).ok()?.parse().ok()
}

/// Runs it, and keeps what it changed, deleted and added. `references` are those by which others may come to refer to rows
/// that it adds.
pub(super) async fn run(
    session: &mut dyn Session,
    (plan, keys): (&Plan, &Keys),
    (along, references): (&[Along], &[Reference]),
    rows: &mut Rows,
) -> Result<Option<Kept>, Stop> {
    let unsure = || Stop::Without("it met other rows than those that were read beforehand.".to_owned());
    let brought = Brought::read(session, plan, keys).await?;
    let mut held = (0, 0);
    let before = brought.met(session, plan, &mut held).await?;
    let met: Vec<Row> = before.values().cloned().collect();
    let followed = along::follow(session, (plan, &met), along, &mut held).await.map_err(without)?;
    let mut branches = followed.map_err(Stop::Without)?;
    let answer = session.yields(&plan.returning(), plan.width(), rows).await?;
    if answer.cut || answer.rows.len() as u64 > ROWS {
        return Err(Stop::Without(too_many(ROWS + 1, BYTES + 1).unwrap_or_default()));
    }
    // Where rows go, any of those that it brings may be what they were in the way of.
    let told = |row: &Row| {
        let there = plan.target.in_the_way == InTheWay::Change && before.contains_key(&plan.key_of(row));
        there || brought.holds(row)
    };
    if !answer.rows.iter().all(told) {
        return Err(unsure());
    }
    let mut all = before.clone();
    all.extend(answer.rows.into_iter().map(|row| (plan.key_of(&row), row)));
    let mut after = BTreeMap::new();
    for some in all.into_values().collect::<Vec<_>>().chunks(CHUNK) {
        let left = session.ask(&plan.after(some)).await.map_err(without)?.rows;
        after.extend(left.into_iter().map(|row| (plan.key_of(&row), row)));
    }
    if !along::look(session, &mut branches).await.map_err(without)? {
        return Err(unsure());
    }
    let followers: Vec<&Reference> = along.iter().map(|along| &along.reference).chain(references).collect();
    let differ = Differ::of(plan, &before, &after);
    let (mut back, mut again) = (differ.back(plan, &followers), Vec::new());
    for branch in &branches {
        branch.back(&mut back);
        branch.again(&mut again);
    }
    again.extend(differ.again(plan, &followers));
    Ok(Some(Kept { back: Script::joined(back), again: Script::joined(again) }))
}
