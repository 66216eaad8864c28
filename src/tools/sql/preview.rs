//! What a waiting statement would do: how many rows it touches, of how many, and some of them; what it sets off, and
//! whether it could be taken back or tried. Counted by reads of our own making, which are judged like any other and run
//! behind the same walls, and by questions to the catalog; the statement itself is never run.

mod broken;
mod columns;
mod deciding;
mod desk;
mod each;
mod emptied;
mod guarded;
mod held;
mod made;
mod needed;
mod newly;
mod one_by_one;
mod orphans;
mod others;
mod reach;
mod refused;
mod replaced;
mod samples;
mod schema;
mod several;
mod told;
mod upsert;
mod waiting;

use tokio_util::sync::CancellationToken;

pub(super) use self::deciding::deciding;
use self::desk::{Desk, Follower};
use self::reach::{Event, Reach};
pub(super) use self::replaced::own;
use self::replaced::replaced;
use self::told::{Counts, brief, counted, effect, going_along, rewritten, set_off, share};
use super::code;
use super::connections::Source;
use super::inverse::{Plan, too_many};
use super::table::Known;
use super::trial;
use super::turned::{Turned, variables};
use crate::assess::sql_catalog::{names, statements};
use crate::assess::sql_foresee::{
    Act, InTheWay, Keys, Reads, Sees, each, function, joins, other, reads, replaces, rights,
};
use crate::assess::sql_touch::target;
use crate::domain::{
    Class, Danger, Dialect, Measurement, OperationKind, Prepared, Preview, Remedy, SqlOperation, SqlWay, TakeBack,
    Trial,
};
use crate::store::Images;

/// Why most statements can't be taken back.
const NOTHING: &str = "nothing of what it changes is kept.";

/// Measures a text. None for a statement that replaces nothing.
pub(super) async fn measure(
    source: &Source,
    images: &Images,
    prepared: &Prepared,
    operation: &SqlOperation,
    cancel: &CancellationToken,
) -> Measurement {
    let measured = match one_by_one::one_by_one(source, images, prepared, operation, cancel).await {
        Some(told) => Ok(Some(told)),
        None => statement(source, images, prepared, operation, cancel).await,
    };
    let Some(halfway) = halfway(source.dialect(), prepared, &operation.sql) else { return measured };
    let mut preview = match measured {
        Ok(Some(preview)) => preview,
        Ok(None) => return Ok(None),
        Err(why) => Preview { effects: vec![why], ..Preview::default() },
    };
    preview.effects.push(halfway.to_owned());
    Ok(Some(preview))
}

/// What several statements leave where one of them fails. PostgreSQL ends those that come in one message together
/// (<https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-MULTI-STATEMENT>), unless they say
/// themselves where that is.
fn halfway(dialect: Dialect, prepared: &Prepared, sql: &str) -> Option<&'static str> {
    const ENDS: [&str; 7] = ["abort", "begin", "commit", "end", "rollback", "savepoint", "start"];
    if matches!(&prepared.operation.kind, OperationKind::Sql(sql) if matches!(sql.way, SqlWay::TakeBack(_))) {
        return None;
    }
    let several = prepared.assessment.findings.iter().any(|finding| finding.rule == "sql.several");
    let statements = statements(dialect, sql).filter(|_| several)?;
    let first = |sql: &&str| sql.split(|letter: char| !letter.is_ascii_alphanumeric()).next().map(str::to_lowercase);
    let bounded = statements.iter().filter_map(first).any(|first| ENDS.contains(&first.as_str()));
    (!bounded).then_some(match dialect {
        Dialect::Postgres => "If one of its statements fails, none of them takes effect.",
        Dialect::Mysql | Dialect::Sqlite => "If one of its statements fails, what those before it did stays.",
    })
}

/// Measures one statement.
async fn statement(
    source: &Source,
    images: &Images,
    prepared: &Prepared,
    operation: &SqlOperation,
    cancel: &CancellationToken,
) -> Measurement {
    let (dialect, sql) = (source.dialect(), operation.sql.as_str());
    let desk = Desk { source, prepared, dialect, cancel };
    if let SqlWay::TakeBack(back) = &operation.way {
        return Ok(Some(taken_back(back)));
    }
    if let Some(rights) = rights(dialect, sql) {
        return Ok(Some(Preview {
            brief: rights.brief.to_owned(),
            effects: rights.told,
            remedy: Remedy::ByHand(rights.back),
            ..Preview::default()
        }));
    }
    let turned = source.turned().await;
    let why = || turned.why().or_else(|| variables(dialect, sql, &turned, prepared.facts.catalog.as_ref()));
    if let Some(other) = other(dialect, sql) {
        return match why() {
            None => Ok(Some(desk.other(&other, sql).await)),
            Some(why) => uncounted(why, Remedy::Impossible(NOTHING.to_owned())),
        };
    }
    if let Some(function) = function(dialect, sql).filter(|_| why().is_none()) {
        return Ok(Some(desk.function(&function).await));
    }
    let all = each(dialect, sql);
    if !all.is_empty() {
        return match why() {
            None => Ok(Some(desk.each(&all).await)),
            Some(why) => uncounted(why, Remedy::Impossible(NOTHING.to_owned())),
        };
    }
    if why().is_none()
        && let Some(refused) = desk.refused(sql).await
    {
        return Ok(Some(refused));
    }
    if let Some(several) = joins(dialect, sql) {
        let measured = match (why(), several) {
            (Some(why), _) | (None, Err(why)) => Err(why),
            (None, Ok(several)) => desk.several(&several).await,
        };
        return match measured {
            Ok(preview) => Ok(Some(preview)),
            Err(why) => uncounted(why, hopeless(dialect, sql, &turned)),
        };
    }
    let mut reads = match reads(dialect, sql) {
        Ok(Some(reads)) => reads,
        Ok(None) => return Ok(untouching(prepared, dialect, sql)),
        Err(why) => return uncounted(why, hopeless(dialect, sql, &turned)),
    };
    if let Some(why) = why() {
        return uncounted(why, hopeless(dialect, sql, &turned));
    }
    let known = desk.known(&reads).await;
    if let (Act::Change | Act::Add, Ok(Some(known))) = (reads.act, &known) {
        reads.in_the_way = reads.in_the_way.max(known.in_the_way);
    }
    if let Ok(Some(known)) = &known {
        reads.fewer = known.skips(&told::events(dialect, &reads), &reads.updates);
        reads.sees = guarded::sees(&reads, known, source);
    }
    let unclear = picking(&mut reads, known.as_ref().ok().and_then(Option::as_ref));
    let plan = match planned(dialect, &known, sql) {
        Ok((plan, keys)) => desk.meeting(plan, keys).await,
        Err(why) => Err(why),
    };
    let along = match (&plan, &known) {
        (Ok(plan), Ok(Some(known))) => desk.along(plan, known).await,
        _ => Ok(Vec::new()),
    };
    let mut counts = match desk.counts(&reads, plan.as_ref().ok()).await {
        Ok(counts) => counts,
        Err(_) if reads.act == Act::Drop && known == Ok(None) => {
            let effects = vec![format!("There is no table {}.", reads.table)];
            return Ok(Some(Preview { effects, remedy: Remedy::Impossible(NOTHING.to_owned()), ..Preview::default() }));
        }
        Err(why) => {
            let catalog = desk.catalog(sql, along.as_deref().unwrap_or_default()).await;
            // What can't be looked up now may be by the time that it runs.
            if known.is_err() || catalog.is_err() {
                return uncounted(why, hopeless(dialect, sql, &turned));
            }
            let code = catalog.and_then(|catalog| code::kept(dialect, &catalog));
            let hope = plan.map(drop).and(along.map(drop)).and(code);
            return uncounted(why, hope.err().map_or_else(unsure, Remedy::Impossible));
        }
    };
    counts.size = counts.size.or_else(|| known.as_ref().ok()?.as_ref()?.size);
    let gone = known.as_ref().ok().and_then(Option::as_ref).and_then(|known| replaced(dialect, &reads, known));
    if let Some(touched) = gone.as_ref().and_then(|gone| gone.touched.as_ref()) {
        counts.gone = desk.numbers(touched).await.ok().and_then(|numbers| numbers.first().copied());
    }
    if let Ok(Some(known)) = &known {
        counts.met = desk.met(&reads, known).await;
    }
    let mut preview = told(&reads, &counts);
    preview.effects.extend(unclear);
    if let Ok(Some(known)) = &known {
        rewritten(&mut preview, dialect, &reads, known);
    }
    let refused = desk.samples(&mut preview, &reads, &counts, known.as_ref().ok().and_then(Option::as_ref)).await;
    desk.sample_of_gone(&mut preview, gone.as_ref(), &counts).await;
    let followers = match (&plan, &along) {
        (Ok(plan), Ok(along)) => desk.followers(plan, along).await,
        _ => Ok(Vec::new()),
    };
    let (mut needs, mut holds) = (Vec::new(), Vec::new());
    if let Ok(Some(known)) = &known {
        let set = match target(dialect, sql) {
            Ok(Some(target)) => target.set,
            _ if !reads.updates.is_empty() => reads.updates.clone(),
            _ => vec!["*".to_owned()],
        };
        let along = going_along(dialect, &reads, known, &set);
        let mut reach = desk.around(&reads, &set, known, gone.as_ref()).await;
        if let Ok(followers) = &followers
            && !followers.is_empty()
        {
            reach = Reach::kept(followers, reach);
        }
        preview.effects.extend(set_off(dialect, &reads, known, (&along, &reach)));
        preview.effects.extend(guarded::told(&reads, known, source));
        needs = held::needed(dialect, &reads, known);
        needs.extend(guarded::refused(&reads, known, counts.touched));
        needs.extend(upsert::twice(dialect, &reads, counts.met.as_ref()));
        if reads.act == Act::Alter {
            needs.extend(desk.values_of_columns(&mut preview, sql, &reads, known).await);
            needs.extend(desk.unmet(sql).await);
            needs.extend(desk.needing_parts(sql, &reads).await);
        }
        needs.extend(desk.met_again(&reads, counts.touched).await);
        needs.extend(desk.orphans(&reads, known).await);
        needs.extend(desk.broken(&reads, known, counts.touched).await);
        if let Some(why) = refused.filter(|why| !needs.iter().any(|said| said.contains(why))) {
            let sure = !reads.chance && known.objection.is_empty() && source.database.reading.is_none();
            needs.push(format!("It {} fail: {why}.", if sure { "would" } else { "may" }));
        }
        holds = reach.held;
    }
    preview.effects.extend(elsewhere(source));
    preview.warnings.extend(desk.kept_waiting(&reads).await);
    if operation.way == SqlWay::Trial {
        preview.effects.push("All of it is rolled back at the end.".to_owned());
        held::warn(&mut preview, &holds);
        held::depended(&mut preview, needs);
        return Ok(Some(preview));
    }
    let catalog = desk.catalog(sql, along.as_deref().unwrap_or_default()).await;
    let code = catalog.as_ref().map_err(Clone::clone).and_then(|catalog| code::kept(dialect, catalog));
    let unique = match (&plan, &known) {
        (Ok(plan), Ok(Some(known))) if counts.touched > 1 => plan.swaps(known),
        _ => None,
    };
    let followers = plan.and(along.as_ref().map(|_| ()).map_err(Clone::clone)).and(code).and(followers);
    let followed = along.unwrap_or_default();
    preview.remedy = match followers.and_then(|followers| kept(images, &counts, &followers)) {
        Ok(()) => {
            let kept = match reads.act {
                Act::Add if matches!(reads.in_the_way, InTheWay::Fail | InTheWay::Stay) => "what it adds is noted.",
                Act::Add => "rows in its way are kept first, and what it adds is noted.",
                _ => "its rows are kept first.",
            };
            // Row by row, one may get a value that another still has.
            let fails = unique.map(|column| format!(" That may fail: {column} is unique.")).unwrap_or_default();
            Remedy::Possible(format!("{kept}{fails}"))
        }
        // What can't be looked up now may be by the time that it runs.
        Err(_) if known.is_err() || catalog.is_err() => hopeless(dialect, sql, &turned),
        Err(why) => Remedy::Impossible(why),
    };
    preview.trial = match (reads.act, known) {
        (Act::Empty | Act::Drop | Act::Alter, _) => Trial::None,
        (_, Ok(Some(known))) => {
            match catalog.and_then(|catalog| trial::allowed(dialect, &known, &reads, &followed, &catalog)) {
                Ok(()) => Trial::Offered,
                Err(why) => Trial::Refused(why),
            }
        }
        (_, Ok(None)) => Trial::Refused(format!("{} is not found.", reads.table)),
        (_, Err(why)) => Trial::Refused(why),
    };
    held::warn(&mut preview, &holds);
    held::depended(&mut preview, needs);
    Ok(Some(preview))
}

/// Says where a `LIMIT` leaves open which rows it picks; ordered by a whole key, they are the same each time.
fn picking(reads: &mut Reads, known: Option<&Known>) -> Option<String> {
    if !reads.bounded {
        return None;
    }
    reads.bounded = !known.is_some_and(|known| known.orders(&reads.ordered));
    reads.sample = reads.sample.take().filter(|_| !reads.bounded);
    reads.bounded.then(|| "Which of the matching rows it takes isn't known: no key orders them.".to_owned())
}

/// What can't be counted, and what is known of an undo all the same.
fn uncounted(why: String, remedy: Remedy) -> Measurement {
    match remedy {
        Remedy::Unknown => Err(why),
        Remedy::Impossible(_) | Remedy::Unsure(_) | Remedy::Possible(_) | Remedy::ByHand(_) => {
            Ok(Some(Preview { effects: vec![why], remedy, ..Preview::default() }))
        }
    }
}

/// What is said of a statement whose rows would be kept, but can't be counted.
fn unsure() -> Remedy {
    Remedy::Unsure("its rows can't be counted now; what it replaces is kept if they can be when it runs.".to_owned())
}

/// What is known of a statement of which no rows are counted, if it isn't one that only reads.
fn untouching(prepared: &Prepared, dialect: Dialect, sql: &str) -> Option<Preview> {
    let reads = |class: Class| matches!(class, Class::Whitelisted | Class::Declared(Danger::Sensitive));
    if prepared.assessment.class() == Class::Whitelisted {
        return None;
    }
    let remedy = if replaces(dialect, sql) { Remedy::Impossible(NOTHING.to_owned()) } else { Remedy::Unknown };
    if remedy == Remedy::Unknown && prepared.assessment.objections().all(|finding| reads(finding.class)) {
        return None;
    }
    let why = unmeasured(dialect, &names(dialect, sql).map(|names| names.verb).unwrap_or_default());
    Some(Preview { effects: vec![why.to_owned()], remedy, ..Preview::default() })
}

/// What is said of a statement of which nothing is measured, by its first word.
fn unmeasured(dialect: Dialect, verb: &str) -> &'static str {
    match verb {
        // MySQL's ends a transaction that is open.
        "begin" | "start" if dialect != Dialect::Mysql => "Changes no rows by itself.",
        "savepoint" => "Changes no rows by itself.",
        "begin" | "start" | "commit" | "end" | "release" | "rollback" | "abort" => {
            "What it keeps or drops isn't known beforehand: nobody else sees what the transaction changed."
        }
        "call" | "do" | "execute" | "exec" => {
            "What it does isn't known beforehand: it runs code that the database or its session holds."
        }
        "select" | "with" | "values" | "table" | "explain" | "show" | "describe" | "desc" => {
            "It gives rows. What else it does isn't known beforehand: the views and functions it uses aren't looked through."
        }
        "create" | "drop" | "alter" | "rename" => {
            "What it changes isn't known beforehand: only tables, views and indexes are looked up."
        }
        _ => "What it does isn't known beforehand: nothing is looked up for such a statement.",
    }
}

/// Whether it is clear from the text that nothing would be kept, and why.
fn hopeless(dialect: Dialect, sql: &str, turned: &Turned) -> Remedy {
    match target(dialect, sql) {
        Ok(Some(_)) if *turned == Turned::Open => Remedy::Impossible("a transaction is open.".to_owned()),
        Ok(None) if replaces(dialect, sql) => Remedy::Impossible(NOTHING.to_owned()),
        Ok(Some(_)) => unsure(),
        Ok(None) => Remedy::Unknown,
        Err(why) => Remedy::Impossible(why),
    }
}

/// What has to be said of numbers that another server may have told.
fn elsewhere(source: &Source) -> Option<String> {
    let said = "Counted by the role of `read_url`, which may see other rows.";
    source.database.reading.is_some().then(|| said.to_owned())
}

/// What it does to the rows that were counted.
fn told(reads: &Reads, counts: &Counts) -> Preview {
    let every = matches!(reads.act, Act::Change | Act::Delete) && counts.all == Some(counts.touched);
    let warnings = if every && counts.touched > 0 && !reads.chance {
        let seen = if reads.sees == Sees::Same { "" } else { " that this role sees" };
        vec![format!("That is every row of {}{seen}.", reads.table)]
    } else {
        Vec::new()
    };
    Preview {
        brief: brief(reads, counts),
        effects: vec![effect(reads, counts)],
        share: share(reads, counts),
        warnings,
        ..Preview::default()
    }
}

impl Desk<'_> {
    /// What goes along with the rows that it touches, or changes with them, and what forbids that.
    async fn around(&self, reads: &Reads, set: &[String], known: &Known, gone: Option<&Reads>) -> Reach {
        let mut met = Vec::new();
        match (reads.act, gone) {
            (Act::Empty, _) if reads.cascade => self.emptied(reads, known).await,
            (Act::Merge, _) => {
                let mut reach = Reach::default();
                for part in &reads.parts {
                    let own = reads.of(part);
                    if self.referred(&own, &part.set, known) {
                        reach.join(&self.reach(&own, &part.set, known, &mut met).await);
                    }
                }
                reach
            }
            _ if !self.referred(reads, set, known) => Reach::default(),
            (_, Some(gone)) => self.reach(gone, &[], known, &mut met).await,
            _ if reads.in_the_way == InTheWay::Go => self.unclear(Event::Deleted, &[], known).await,
            (Act::Add, None) => self.unclear(Event::Changed, set, known).await,
            _ => self.reach(reads, set, known, &mut met).await,
        }
    }

    /// Whether rows of other tables may go along with those that it touches, or forbid what it does.
    fn referred(&self, reads: &Reads, set: &[String], known: &Known) -> bool {
        let event = match (reads.act, reads.in_the_way) {
            (Act::Change | Act::Add, InTheWay::Go) | (Act::Delete, _) => "delete",
            (Act::Add, InTheWay::Change) | (Act::Change, _) => "update",
            // SQLite empties a table before it drops it.
            (Act::Drop, _) if self.dialect == Dialect::Sqlite => "delete",
            _ => return false,
        };
        // MySQL doesn't say beforehand to which columns.
        let unclear = self.dialect == Dialect::Mysql && !known.referrers.is_empty();
        unclear || !known.taken_along(event, set).is_empty() || !known.held_by(event, set).is_empty()
    }
}

/// What taking something back does: its text says the rest.
fn taken_back(back: &TakeBack) -> Preview {
    let rows = counted(back.rows);
    Preview {
        effects: vec![format!("Changes {rows}, if all of them are as they were left; else nothing.")],
        brief: rows,
        remedy: Remedy::Possible("an undo proposes what does the opposite.".to_owned()),
        ..Preview::default()
    }
}

/// How the rows of a statement would be kept, and by which keys it meets them; if they can't be, why.
fn planned(dialect: Dialect, known: &Result<Option<Known>, String>, sql: &str) -> Result<(Plan, Option<Keys>), String> {
    let target = target(dialect, sql)?.ok_or(NOTHING)?;
    let known = known.as_ref().map_err(Clone::clone)?;
    let known = known.as_ref().ok_or_else(|| format!("{} is not found.", target.spelled))?;
    Plan::for_statement(dialect, target, known, sql)
}

/// Whether so many rows would be kept; if not, why.
fn kept(images: &Images, counts: &Counts, followers: &[Follower]) -> Result<(), String> {
    if let Some(why) = followers.iter().find_map(|follower| follower.unkept.as_ref()) {
        return Err(why.clone());
    }
    let bytes = counts.bytes.ok_or("how large its rows are can't be told beforehand.")?;
    let bytes = bytes + followers.iter().map(|follower| follower.bytes).sum::<u64>();
    let rows = counts.touched + followers.iter().map(|follower| follower.rows).sum::<u64>();
    match too_many(rows, bytes) {
        Some(why) => Err(why),
        None if !images.would_keep(bytes) => Err("nothing is kept here.".to_owned()),
        None => Ok(()),
    }
}
