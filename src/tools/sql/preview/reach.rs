//! How many rows of other tables go along with those that a statement deletes or changes, or change with them: counted
//! table by table along the foreign keys, whether or not they could be kept. A bounded number of reads, for a short time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::super::inverse::ROWS;
use super::super::session::Access;
use super::super::table::{Fate, Known, Link};
use super::super::value::quoted_name;
use super::desk::{Desk, Follower};
use super::told::counted;
use crate::assess::sql_foresee::{Act, Reads};
use crate::domain::Dialect;

/// Longest chain of tables.
const DEPTH: usize = 5;
/// Most foreign keys that are followed.
pub(super) const KEYS: usize = 20;
/// Time after which no other key is followed.
pub(super) const TIME: Duration = Duration::from_secs(1);
/// Seconds that a question to the catalog may take.
pub(super) const PATIENCE: u64 = 2;

/// Schema and name of a table.
pub(super) type Place = (String, String);

/// What was counted of other tables.
#[derive(Debug, Default)]
pub(super) struct Reach {
    tables: Vec<Reached>,
    /// What refers to those wasn't counted to its end.
    pub(super) more: bool,
}

/// Rows of one other table.
#[derive(Debug)]
struct Reached {
    place: Place,
    rows: Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Exactly(u64),
    About(u64),
    /// More than are kept.
    Many,
    /// They couldn't be counted.
    Unknown,
}

impl Reach {
    /// What would be kept: counted already.
    pub(super) fn kept(followers: &[Follower]) -> Self {
        let mut reach = Self::default();
        for Follower { place, rows, .. } in followers {
            reach.add(place, if *rows > ROWS { Number::Many } else { Number::Exactly(*rows) });
        }
        reach
    }

    /// The same with what was counted elsewhere.
    pub(super) fn join(&mut self, other: &Self) {
        for reached in &other.tables {
            self.add(&reached.place, reached.rows);
        }
        self.more |= other.more;
    }

    /// The same without some tables.
    pub(super) fn leave_out(&mut self, places: &[Place]) {
        self.tables.retain(|reached| !places.contains(&reached.place));
    }

    pub(super) fn add(&mut self, place: &Place, rows: Number) {
        match self.tables.iter_mut().find(|reached| reached.place == *place) {
            Some(reached) => {
                reached.rows = match (reached.rows, rows) {
                    (Number::Exactly(one), Number::Exactly(other)) => Number::Exactly(one + other),
                    (Number::Unknown, _) | (_, Number::Unknown) => Number::Unknown,
                    (Number::Many, _) | (_, Number::Many) => Number::Many,
                    (Number::Exactly(one) | Number::About(one), Number::Exactly(other) | Number::About(other)) => {
                        Number::About(one + other)
                    }
                };
            }
            None => self.tables.push(Reached { place: place.clone(), rows }),
        }
    }

    /// The tables with their rows: those that refer directly, and of the others what isn't empty; all, if none is said to
    /// refer directly. Only their names, if nothing was counted.
    pub(super) fn told(&self, direct: &[&str]) -> Vec<String> {
        if self.tables.is_empty() {
            return direct.iter().map(|&name| name.to_owned()).collect();
        }
        let counted = |name: &str| self.tables.iter().any(|reached| reached.place.1 == name);
        let missing = direct.iter().filter(|name| !counted(name)).map(|name| format!("{name} (not counted)"));
        let told = |reached: &Reached| {
            let name = &reached.place.1;
            let direct = direct.is_empty() || direct.contains(&name.as_str());
            (direct || reached.rows != Number::Exactly(0)).then(|| format!("{name} ({})", reached.rows.told()))
        };
        self.tables.iter().filter_map(told).chain(missing).collect()
    }
}

impl Number {
    fn told(self) -> String {
        match self {
            Self::Exactly(rows) => counted(rows),
            Self::About(rows) => format!("about {}", counted(rows)),
            Self::Many => format!("more than {}", counted(ROWS)),
            Self::Unknown => "not counted".to_owned(),
        }
    }
}

/// What happens to rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Deleted,
    Changed,
}

/// Rows whose followers are counted next.
struct Step {
    known: Known,
    /// The rows, as what stands behind the list of a `SELECT`.
    rows: String,
    event: Event,
    /// The columns that change, in small letters; `*` for any.
    set: Vec<String>,
    depth: usize,
}

impl Step {
    /// What happens to the rows behind a foreign key.
    fn follows(&self, link: &Link) -> Option<Event> {
        let fate = if self.event == Event::Deleted { link.on_delete } else { link.on_update };
        match fate {
            Fate::Stay => None,
            _ if self.event == Event::Changed && !self.sets(link) => None,
            Fate::Cascade => Some(self.event),
            Fate::SetNull | Fate::Other => Some(Event::Changed),
        }
    }

    fn sets(&self, link: &Link) -> bool {
        self.refers(link).iter().any(|name| self.set.iter().any(|set| set == "*" || *set == name.to_lowercase()))
    }

    /// The columns that a foreign key leads to.
    fn refers(&self, link: &Link) -> Vec<String> {
        let key = self.known.keys.first();
        let name = |(at, (_, parent)): (usize, &(String, String))| {
            if parent.is_empty() { key.and_then(|key| key.get(at)).cloned() } else { Some(parent.clone()) }
        };
        link.pairs.iter().enumerate().filter_map(name).collect()
    }
}

impl Desk<'_> {
    /// Counts what goes along with the rows that a statement touches, or changes with them. `met` holds what was counted
    /// of each table, so that no row of it counts twice.
    pub(super) async fn reach(
        &self,
        reads: &Reads,
        set: &[String],
        known: &Known,
        met: &mut Vec<(Place, String)>,
    ) -> Reach {
        let mut reach = Reach::default();
        let Some(from) = &reads.from else { return reach };
        let event = if reads.act == Act::Change { Event::Changed } else { Event::Deleted };
        let first = Step { known: known.clone(), rows: from.clone(), event, set: set.to_vec(), depth: 0 };
        let (started, mut keys, mut kin) = (Instant::now(), 0, Vec::new());
        let mut steps = VecDeque::from([first]);
        while let Some(step) = steps.pop_front() {
            let links = if step.depth < DEPTH { self.links(&step.known).await } else { None };
            let Some(links) = links else {
                reach.more = true;
                continue;
            };
            for link in links {
                let Some(event) = step.follows(&link) else { continue };
                if keys == KEYS || started.elapsed() > TIME || self.cancel.is_cancelled() {
                    reach.more = true;
                    return reach;
                }
                keys += 1;
                let place = (link.schema.clone(), link.table.clone());
                let behind = self.behind(&step, &link, met);
                let rows = format!("FROM {} WHERE {behind}", link.place(self.dialect));
                let Some(number) = self.count(&rows).await else {
                    reach.add(&place, Number::Unknown);
                    reach.more = true;
                    continue;
                };
                let child = if number > 0 || step.known.collated { self.child(&link).await } else { None };
                let collated = step.known.collated || child.as_ref().is_some_and(|child| child.collated);
                kin.extend(step.known.kin().into_iter().skip(1));
                // Of tables that share rows with another, one may be counted twice.
                let about = reads.chance || reads.bounded || collated || link.part || kin.contains(&place);
                reach.add(&place, if about { Number::About(number) } else { Number::Exactly(number) });
                match child {
                    Some(known) if number > 0 => {
                        let set = link.pairs.iter().map(|(child, _)| child.to_lowercase()).collect();
                        steps.push_back(Step { known, rows, event, set, depth: step.depth + 1 });
                    }
                    None if number > 0 => reach.more = true,
                    _ => {}
                }
            }
        }
        reach
    }

    /// The condition of the rows behind a foreign key, without those that were counted before.
    fn behind(&self, step: &Step, link: &Link, met: &mut Vec<(Place, String)>) -> String {
        let quoted =
            |names: &[String]| names.iter().map(|name| quoted_name(self.dialect, name)).collect::<Vec<_>>().join(", ");
        let refers = quoted(&step.refers(link));
        let those = format!("IN (SELECT {refers} {})", step.rows);
        let own = (step.known.schema.clone(), step.known.name.clone());
        if !met.iter().any(|(place, _)| *place == own) {
            met.push((own, format!("({refers}) {those}")));
        }
        let columns: Vec<String> = link.pairs.iter().map(|(child, _)| child.clone()).collect();
        let condition = format!("({}) {those}", quoted(&columns));
        let place = (link.schema.clone(), link.table.clone());
        let before = met.iter().filter(|(table, _)| *table == place);
        let before = before.map(|(_, condition)| format!("({condition}) IS NOT TRUE"));
        let all: Vec<String> = std::iter::once(condition.clone()).chain(before).collect();
        met.push((place, condition));
        all.join(" AND ")
    }

    pub(super) async fn count(&self, rows: &str) -> Option<u64> {
        let count = if self.dialect == Dialect::Postgres { "pg_catalog.count(*)" } else { "count(*)" };
        self.numbers(&format!("SELECT {count} {rows}")).await.ok()?.first().copied()
    }

    /// The foreign keys that lead to a table. None if the catalog doesn't tell.
    async fn links(&self, known: &Known) -> Option<Vec<Link>> {
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.ok()?;
        let links = known.links(session.as_mut(), self.dialect).await.ok()?;
        self.source.give_back(Access::ReadOnly, session).await;
        Some(links)
    }

    /// The table of the rows behind a foreign key. None if the catalog doesn't tell.
    async fn child(&self, link: &Link) -> Option<Known> {
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.ok()?;
        let place = (Some(link.schema.as_str()), link.table.as_str());
        let spelled = format!("{}.{}", quoted_name(self.dialect, &link.schema), quoted_name(self.dialect, &link.table));
        let child = Known::ask(session.as_mut(), self.dialect, &spelled, place).await.ok()?;
        self.source.give_back(Access::ReadOnly, session).await;
        child
    }
}
