//! How many rows of other tables go along with those that a statement deletes or changes, or change with them: counted
//! table by table along the foreign keys, whether or not they could be kept. A bounded number of reads, for a short time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::super::inverse::ROWS;
use super::super::session::Access;
use super::super::table::{Fate, Known, Link};
use super::super::value::quoted_name;
use super::desk::{Desk, Follower};
use super::held::{Bar, Gone, Held};
use super::told::counted;
use crate::assess::sql_foresee::{Act, InTheWay, Reads};
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
    /// What forbids it.
    pub(super) held: Vec<Held>,
    /// Triggers that fire for rows of other tables, each with its table.
    pub(super) fires: Vec<String>,
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
    /// What would be kept, counted already, with what forbids it.
    pub(super) fn kept(followers: &[Follower], counted: Self) -> Self {
        let mut reach = Self { held: counted.held, fires: counted.fires, ..Self::default() };
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
        self.fire(other.fires.iter().cloned());
        self.held.extend(other.held.iter().filter(|held| !self.held.contains(held)).cloned().collect::<Vec<_>>());
    }

    fn fire(&mut self, triggers: impl Iterator<Item = String>) {
        for trigger in triggers {
            if !self.fires.contains(&trigger) {
                self.fires.push(trigger);
            }
        }
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
    /// refer directly. Only their names, if nothing was counted. Of the statement's own table none that it touches itself.
    pub(super) fn told(&self, direct: &[&str], own: &str) -> Vec<String> {
        if self.tables.is_empty() {
            return direct.iter().map(|&name| name.to_owned()).collect();
        }
        let counted = |name: &str| self.tables.iter().any(|reached| reached.place.1 == name);
        let missing = direct.iter().filter(|name| !counted(name)).map(|name| format!("{name} (not counted)"));
        let told = |reached: &Reached| {
            let name = &reached.place.1;
            let direct = name != own && (direct.is_empty() || direct.contains(&name.as_str()));
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
pub(super) enum Event {
    Deleted,
    Changed,
}

/// Rows whose followers are counted next.
pub(super) struct Step {
    pub(super) known: Known,
    /// The rows, as what stands behind the list of a `SELECT`.
    pub(super) rows: String,
    pub(super) event: Event,
    /// The columns that change, in small letters; `*` for any.
    pub(super) set: Vec<String>,
    pub(super) depth: usize,
}

impl Step {
    /// What happens to the rows behind a foreign key.
    fn follows(&self, link: &Link) -> Option<Event> {
        let fate = if self.event == Event::Deleted { link.on_delete } else { link.on_update };
        match fate {
            Fate::Stay | Fate::Forbid => None,
            _ if self.event == Event::Changed && !self.sets(link) => None,
            Fate::Cascade => Some(self.event),
            Fate::SetNull | Fate::Other => Some(Event::Changed),
        }
    }

    pub(super) fn place(&self) -> Place {
        (self.known.schema.clone(), self.known.name.clone())
    }

    /// Whether its rows are a plain table's, and no code of somebody's runs with what happens to them.
    pub(super) fn plain(&self) -> bool {
        let event = if self.event == Event::Deleted { "delete" } else { "update" };
        self.known.objection.is_empty() && !self.known.collated && self.known.firing(&[event], &self.set).is_empty()
    }

    /// Its rows as those that go. None where nothing tells them from others.
    fn gone(&self, dialect: Dialect) -> Option<Gone> {
        let number = Some(vec![self.known.number.clone()]).filter(|number| !number[0].is_empty());
        let key = self.known.keys.first().cloned().or(number)?;
        let key: Vec<String> = key.iter().map(|name| quoted_name(dialect, name)).collect();
        let key = key.join(", ");
        let condition = format!("({key}) IN (SELECT {key} {})", self.rows);
        Some(Gone { place: self.place(), condition, itself: true })
    }

    pub(super) fn sets(&self, link: &Link) -> bool {
        self.refers(link).iter().any(|name| self.set.iter().any(|set| set == "*" || *set == name.to_lowercase()))
    }

    /// What forbids that rows behind a foreign key lose what they refer by: a column that takes no NULL.
    fn nulls(&self, link: &Link, child: &Known, rows: u64, exact: bool) -> Option<Held> {
        let fate = if self.event == Event::Deleted { link.on_delete } else { link.on_update };
        let required =
            |(name, _): &&(String, String)| child.columns.iter().any(|column| column.name == *name && column.required);
        let (column, _) = link.pairs.iter().find(required).filter(|_| fate == Fate::SetNull && !link.off)?;
        // PostgreSQL may leave some of several columns as they are.
        let sure = exact
            && link.pairs.iter().all(|pair| required(&pair))
            && self.plain()
            && child.objection.is_empty()
            && child.firing(&["update"], &[]).is_empty();
        let held = Held::null(&link.table, column, rows);
        Some(if sure { held } else { held.doubted() })
    }

    /// Whether the rows behind a foreign key stay, and may forbid it.
    pub(super) fn stays(&self, link: &Link) -> bool {
        match self.event {
            Event::Deleted => link.on_delete.stays(),
            Event::Changed => link.on_update.stays() && self.sets(link),
        }
    }

    /// The columns that a foreign key leads to.
    pub(super) fn refers(&self, link: &Link) -> Vec<String> {
        let key = self.known.keys.first();
        let name = |(at, (_, parent)): (usize, &(String, String))| {
            if parent.is_empty() { key.and_then(|key| key.get(at)).cloned() } else { Some(parent.clone()) }
        };
        link.pairs.iter().enumerate().filter_map(name).collect()
    }
}

/// What is gathered on the way along the foreign keys.
struct Walk {
    /// What was counted of each table.
    met: Vec<(Place, String)>,
    gone: Vec<Gone>,
    bars: Vec<Bar>,
    /// No code of somebody's runs on the way.
    plain: bool,
}

impl Default for Walk {
    fn default() -> Self {
        Self { met: Vec::new(), gone: Vec::new(), bars: Vec::new(), plain: true }
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
        let event = if reads.act == Act::Change { Event::Changed } else { Event::Deleted };
        let Some(from) = &reads.from else { return self.unclear(event, set, known).await };
        let first = Step { known: known.clone(), rows: from.clone(), event, set: set.to_vec(), depth: 0 };
        let mut walk = Walk { met: std::mem::take(met), ..Walk::default() };
        walk.gone.extend(first.gone(self.dialect).filter(|_| event == Event::Deleted));
        let mut reach = self.walk(reads, first, &mut walk).await;
        *met = std::mem::take(&mut walk.met);
        reach.held = reach.held.into_iter().map(|held| held.unless_gone(&walk.gone)).collect();
        // What MySQL's `IGNORE` can't delete or change, it leaves.
        if self.dialect != Dialect::Mysql || reads.in_the_way != InTheWay::Stay {
            let whole = !reach.more && walk.plain;
            reach.held.extend(self.held(walk.bars, &walk.gone, whole).await);
        }
        reach
    }

    /// What may forbid a statement whose rows can't be told; what goes along is only named.
    pub(super) async fn unclear(&self, event: Event, set: &[String], known: &Known) -> Reach {
        let mut reach = Reach { more: true, ..Reach::default() };
        let step = Step { known: known.clone(), rows: String::new(), event, set: set.to_vec(), depth: 0 };
        for link in self.links(known).await.unwrap_or_default() {
            let held = Held::maybe(&link.table);
            if step.stays(&link) && !self.outlives(&link) && !reach.held.contains(&held) {
                reach.held.push(held);
            }
        }
        reach
    }

    async fn walk(&self, reads: &Reads, first: Step, walk: &mut Walk) -> Reach {
        let mut reach = Reach::default();
        let (started, mut keys, mut kin) = (Instant::now(), 0, Vec::new());
        let mut steps = VecDeque::from([first]);
        while let Some(step) = steps.pop_front() {
            let links = if step.depth < DEPTH { self.links(&step.known).await } else { None };
            let Some(links) = links else {
                reach.more = true;
                continue;
            };
            walk.plain &= step.plain();
            // MySQL tells of tables of other schemas only that they refer to it.
            let event = if step.event == Event::Deleted { "delete" } else { "update" };
            let strange = step.known.held_by(event, &step.set).into_iter();
            let strange = strange.filter(|table| !links.iter().any(|link| link.table == **table));
            reach.held.extend(strange.filter(|_| self.dialect == Dialect::Mysql).map(Held::maybe));
            for link in links {
                let Some(event) = step.follows(&link) else {
                    let bar = Bar::of(self.dialect, reads, &step, &link);
                    walk.bars.extend(bar.filter(|_| !self.outlives(&link)));
                    continue;
                };
                if keys == KEYS || started.elapsed() > TIME || self.cancel.is_cancelled() {
                    reach.more = true;
                    return reach;
                }
                keys += 1;
                let place = (link.schema.clone(), link.table.clone());
                let behind = self.behind(&step, &link, walk);
                let rows = format!("FROM {} WHERE {behind}", link.place(self.dialect));
                let Some(number) = self.count(&rows).await else {
                    reach.add(&place, Number::Unknown);
                    reach.more = true;
                    continue;
                };
                let child = if number > 0 || step.known.collated { self.child(&place).await } else { None };
                let collated = step.known.collated || child.as_ref().is_some_and(|child| child.collated);
                kin.extend(step.known.kin().into_iter().skip(1));
                // Of tables that share rows with another, one may be counted twice.
                let about =
                    reads.chance || reads.bounded || collated || link.part || link.guarded || kin.contains(&place);
                // What nobody here sees goes along all the same.
                let unseen = link.guarded && number == 0;
                reach.more |= unseen;
                reach.add(
                    &place,
                    match number {
                        0 if unseen => Number::Unknown,
                        _ if about => Number::About(number),
                        _ => Number::Exactly(number),
                    },
                );
                if let Some(known) = child.as_ref().filter(|_| number > 0) {
                    reach.held.extend(step.nulls(&link, known, number, !about));
                }
                match child {
                    Some(known) if number > 0 => {
                        let set: Vec<String> = link.pairs.iter().map(|(child, _)| child.to_lowercase()).collect();
                        // MySQL fires none for what its keys do.
                        if self.dialect != Dialect::Mysql {
                            let event = if event == Event::Deleted { "delete" } else { "update" };
                            let firing = known.firing(&[event], &set).into_iter();
                            reach.fire(firing.map(|name| format!("{name} (of {})", known.name)));
                        }
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
    fn behind(&self, step: &Step, link: &Link, walk: &mut Walk) -> String {
        let met = &mut walk.met;
        let quoted =
            |names: &[String]| names.iter().map(|name| quoted_name(self.dialect, name)).collect::<Vec<_>>().join(", ");
        let refers = quoted(&step.refers(link));
        let those = format!("IN (SELECT {refers} {})", step.rows);
        let own = step.place();
        if !met.iter().any(|(place, _)| *place == own) {
            met.push((own, format!("({refers}) {those}")));
        }
        let columns: Vec<String> = link.pairs.iter().map(|(child, _)| child.clone()).collect();
        let condition = format!("({}) {those}", quoted(&columns));
        let place = (link.schema.clone(), link.table.clone());
        let before = met.iter().filter(|(table, _)| *table == place);
        let before = before.map(|(_, condition)| format!("({condition}) IS NOT TRUE"));
        let all: Vec<String> = std::iter::once(condition.clone()).chain(before).collect();
        if step.follows(link) == Some(Event::Deleted) {
            walk.gone.push(Gone { place: place.clone(), condition: condition.clone(), itself: false });
        }
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
    pub(super) async fn child(&self, (schema, table): &Place) -> Option<Known> {
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.ok()?;
        let place = (Some(schema.as_str()), table.as_str());
        let spelled = format!("{}.{}", quoted_name(self.dialect, schema), quoted_name(self.dialect, table));
        let child = Known::ask(session.as_mut(), self.dialect, &spelled, place).await.ok()?;
        self.source.give_back(Access::ReadOnly, session).await;
        child
    }
}
