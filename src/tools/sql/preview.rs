//! What a waiting statement would do: how many rows it touches, of how many, and some of them; what it sets off, and
//! whether it could be taken back or tried. Counted by reads of our own making, which are judged like any other and run
//! behind the same walls, and by questions to the catalog; the statement itself is never run.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::along::{Along, along};
use super::code;
use super::connections::Source;
use super::inverse::{Plan, ROWS, too_many};
use super::rows::Rows;
use super::session::Access;
use super::table::{Does, Known};
use super::turned::variables;
use super::{End, RunPort, SqlError, Work, execute, trial};
use crate::assess::sql_foresee::{Act, InTheWay, NewValues, Reads, reads};
use crate::assess::sql_touch::target;
use crate::assess::{AssessSettings, SqlAssessor, Subject, assess};
use crate::domain::number::{count, size, thousands};
use crate::domain::{
    Catalog, Class, Detail, Dialect, Facts, Measurement, Operation, OperationKind, Prepared, Preview, Remedy,
    SqlOperation, SqlWay, Table, TakeBack, Trial,
};
use crate::store::Images;

/// Seconds that each read may take.
const PATIENCE: u64 = 2;

/// Measures a statement. None for one that touches no rows.
pub(super) async fn measure(
    source: &Source,
    images: &Images,
    prepared: &Prepared,
    operation: &SqlOperation,
    cancel: &CancellationToken,
) -> Measurement {
    let dialect = source.dialect();
    let desk = Desk { source, prepared, dialect, cancel };
    if let SqlWay::TakeBack(back) = &operation.way {
        return Ok(Some(taken_back(back)));
    }
    let Some(mut reads) = reads(dialect, &operation.sql)? else { return Ok(None) };
    if let Some(why) = source.turned().why().or_else(|| variables(dialect, &operation.sql)) {
        return Err(why);
    }
    let known = desk.known(&reads).await;
    if let (Act::Change | Act::Add, Ok(Some(known))) = (reads.act, &known) {
        reads.in_the_way = reads.in_the_way.max(known.in_the_way);
    }
    let plan = planned(dialect, &known, &operation.sql);
    let along = match (&plan, &known) {
        (Ok(plan), Ok(Some(known))) if plan.target.act == Act::Delete => desk.along(plan, known).await,
        _ => Ok(Vec::new()),
    };
    let mut counts = desk.counts(&reads, plan.as_ref().ok()).await?;
    counts.size = counts.size.or_else(|| known.as_ref().ok()?.as_ref()?.size);
    let (touched, all) = (counts.touched, counts.all);
    let mut preview =
        Preview { brief: brief(&reads, &counts), effects: vec![effect(&reads, &counts)], ..Preview::default() };
    if let Ok(Some(known)) = &known {
        rewritten(&mut preview, dialect, &reads, known);
    }
    if let (Act::Change | Act::Delete, Some(all)) = (reads.act, all)
        && touched == all
        && all > 0
        && !reads.chance
    {
        preview.warnings.push(format!("That is every row of {}.", reads.table));
    }
    if let Some(sql) = reads.sample.as_ref().filter(|_| touched > 0)
        && let Ok(table) = desk.rows(sql).await
    {
        let title = match reads.act {
            Act::Change => match reads.new_values {
                NewValues::All => "rows that match, new values behind the old ones",
                NewValues::Some => "rows that match, some of the new values behind the old ones",
                NewValues::None => "rows that match",
            },
            Act::Add => "rows that it brings",
            Act::Delete | Act::Empty | Act::Drop | Act::Alter | Act::Merge => "rows that match",
        };
        preview.details.push(Detail::Rows { title: title.to_owned(), table: Table { total: touched, ..table } });
    }
    let followers = match (&plan, &along) {
        (Ok(plan), Ok(along)) => desk.followers(plan, along).await,
        _ => Ok(Vec::new()),
    };
    if let Ok(Some(known)) = &known {
        let told = followers.as_deref().unwrap_or_default();
        preview.effects.extend(set_off(dialect, &reads, known, told, &operation.sql));
    }
    if source.database.reading.is_some() {
        preview.effects.push("Counted over `read_url`, where other rows may be seen than it touches.".to_owned());
    }
    if operation.way == SqlWay::Trial {
        preview.remedy = Remedy::Possible("it is rolled back at the end.".to_owned());
        return Ok(Some(preview));
    }
    let catalog = desk.catalog(&operation.sql, along.as_deref().unwrap_or_default()).await;
    let code = catalog.as_ref().map_err(Clone::clone).and_then(|catalog| code::kept(dialect, catalog));
    let unique = match (&plan, &known) {
        (Ok(plan), Ok(Some(known))) if touched > 1 => known.unique_among(&plan.target.set),
        _ => None,
    };
    let followers = plan.and(along).and(code).and(followers);
    preview.remedy = match followers.and_then(|followers| kept(images, &counts, &followers)) {
        Ok(()) => {
            let kept = "its rows are kept as they are now, and an undo proposes what puts them back.";
            // Row by row, one may get a value that another still has.
            let fails = unique.map(|column| format!(" That may fail: {column} is unique.")).unwrap_or_default();
            Remedy::Possible(format!("{kept}{fails}"))
        }
        Err(why) => Remedy::Impossible(why),
    };
    preview.trial = match (reads.act, known) {
        (Act::Empty | Act::Drop | Act::Alter, _) => Trial::None,
        (_, Ok(Some(known))) => {
            match catalog.and_then(|catalog| trial::allowed(dialect, &known, reads.act, &catalog)) {
                Ok(()) => Trial::Offered,
                Err(why) => Trial::Refused(why),
            }
        }
        (_, Ok(None)) => Trial::Refused(format!("{} is not found.", reads.table)),
        (_, Err(why)) => Trial::Refused(why),
    };
    Ok(Some(preview))
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

/// How the rows of a statement would be kept; if they can't be, why.
fn planned(dialect: Dialect, known: &Result<Option<Known>, String>, sql: &str) -> Result<Plan, String> {
    let target = target(dialect, sql)?.ok_or("nothing is kept of what such a statement replaces.")?;
    let known = known.as_ref().map_err(Clone::clone)?;
    let known = known.as_ref().ok_or_else(|| format!("{} is not found.", target.spelled))?;
    if target.act == Act::Delete { Plan::of(dialect, target, known) } else { Plan::new(dialect, target, known) }
}

/// Whether so many rows would be kept; if not, why.
fn kept(images: &Images, counts: &Counts, followers: &[Follower]) -> Result<(), String> {
    let bytes = counts.bytes.ok_or("how large its rows are can't be told beforehand.")?;
    let bytes = bytes + followers.iter().map(|follower| follower.bytes).sum::<u64>();
    let rows = counts.touched + followers.iter().map(|follower| follower.rows).sum::<u64>();
    match too_many(rows, bytes) {
        Some(why) => Err(why),
        None if !images.would_keep(bytes) => Err("nothing is kept here.".to_owned()),
        None => Ok(()),
    }
}

/// What fires triggers and meets rules.
fn events(dialect: Dialect, reads: &Reads) -> &'static [&'static str] {
    match (reads.act, reads.in_the_way) {
        // SQLite fires nothing for a row that goes because it is in the way.
        (Act::Add, InTheWay::Go) if dialect != Dialect::Sqlite => return &["insert", "delete"],
        (Act::Add, InTheWay::Change) => return &["insert", "update"],
        _ => {}
    }
    match reads.act {
        Act::Change => &["update"],
        Act::Delete => &["delete"],
        Act::Add => &["insert"],
        Act::Empty => &["truncate"],
        Act::Merge => &["update", "delete", "insert"],
        Act::Drop | Act::Alter => &[],
    }
}

/// Says what rules make of it: it may do something else than its text says.
fn rewritten(preview: &mut Preview, dialect: Dialect, reads: &Reads, known: &Known) {
    let rules = |does| known.rewriting(events(dialect, reads), does).join(", ");
    let (replace, some, add) = (rules(Does::Replaces), rules(Does::ReplacesSome), rules(Does::Adds));
    if !replace.is_empty() {
        let rows = &preview.brief;
        preview.effects = vec![format!("A rule replaces it: {replace}. Its own text meets {rows} of {}.", reads.table)];
        "replaced by a rule".clone_into(&mut preview.brief);
    }
    if !some.is_empty() {
        preview.effects.push(format!("Rules that replace it for some rows: {some}."));
    }
    if !add.is_empty() {
        preview.effects.push(format!("Rules that add to it: {add}."));
    }
}

/// What else it does, in full sentences.
fn set_off(dialect: Dialect, reads: &Reads, known: &Known, followers: &[Follower], sql: &str) -> Vec<String> {
    let mut said = Vec::new();
    let mut names = |label: &str, names: &[&str], end: &str| {
        if !names.is_empty() {
            said.push(format!("{label}: {}{end}.", names.join(", ")));
        }
    };
    names("Triggers that fire", &known.firing(events(dialect, reads)), "");
    let set = target(dialect, sql).ok().flatten().map_or_else(|| vec!["*".to_owned()], |target| target.set);
    let along = match reads.act {
        Act::Change | Act::Add if reads.in_the_way == InTheWay::Go => known.taken_along("delete", &[]),
        Act::Add if reads.in_the_way == InTheWay::Change => known.taken_along("update", &set),
        Act::Change => known.taken_along("update", &set),
        Act::Delete | Act::Merge => known.taken_along("delete", &[]),
        // SQLite empties a table before it drops it.
        Act::Drop if dialect == Dialect::Sqlite => known.taken_along("delete", &[]),
        Act::Add | Act::Empty | Act::Drop | Act::Alter => Vec::new(),
    };
    let told: Vec<String> = followers
        .iter()
        .map(|Follower { table, rows, .. }| {
            let most = if *rows > ROWS { "more than " } else { "" };
            format!("{table} ({most}{})", counted((*rows).min(ROWS)))
        })
        .collect();
    let along = if told.is_empty() { along } else { told.iter().map(String::as_str).collect() };
    names("Tables whose rows refer to it and go along or change", &along, "");
    let mut referrers: Vec<&str> = known.referrers.iter().map(|referrer| referrer.table.as_str()).collect();
    referrers.sort_unstable();
    referrers.dedup();
    let views: Vec<&str> = known.views.iter().map(String::as_str).collect();
    let named_by: Vec<&str> = known.named_by.iter().map(String::as_str).collect();
    match reads.act {
        Act::Empty if reads.cascade => names("Tables that are emptied, too", &referrers, ", and what refers to those"),
        Act::Drop if reads.cascade => {
            names("Views that go, too", &views, ", and what reads those");
            names("Rules that go, too", &named_by, "");
            names("Tables that lose the key by which they refer to it", &referrers, "");
        }
        Act::Empty | Act::Drop | Act::Alter => {
            if reads.act != Act::Empty {
                names("Views that read it", &views, "");
                names("Rules that name it", &named_by, "");
            }
            names("Tables that refer to it", &referrers, "");
        }
        Act::Change | Act::Delete | Act::Add | Act::Merge => {}
    }
    if known.is_view() && !matches!(reads.act, Act::Drop | Act::Alter) {
        let table = &reads.table;
        said.push(format!(
            "{table} is a view: triggers of the tables behind it fire, too, and what refers to their rows may go along."
        ));
    }
    said
}

/// Rows of another table that go along, or change.
struct Follower {
    table: String,
    rows: u64,
    bytes: u64,
}

/// How many rows a statement touches.
struct Counts {
    touched: u64,
    added: u64,
    /// Rows of the table, where that could be counted.
    all: Option<u64>,
    /// Bytes of the rows that it touches, if they were asked for; of more rows than are kept, of some.
    bytes: Option<u64>,
    /// Bytes of the table.
    size: Option<u64>,
}

/// What stands before a number that may be too large.
fn most(reads: &Reads) -> &'static str {
    match reads.in_the_way {
        _ if reads.chance => "about ",
        InTheWay::Stay | InTheWay::Change => "at most ",
        InTheWay::Fail | InTheWay::Go => "",
    }
}

fn rows(reads: &Reads, touched: u64) -> String {
    format!("{}{}", most(reads), counted(touched))
}

fn counted(rows: u64) -> String {
    count(rows, "row")
}

/// How many of the table's rows it touches.
fn brief(reads: &Reads, counts: &Counts) -> String {
    let touched = counts.touched + counts.added;
    match (reads.act, counts.all) {
        (Act::Change | Act::Delete, Some(all)) if all > 0 => {
            format!("{}{} of {}", most(reads), thousands(touched), counted(all))
        }
        (Act::Add, _) if reads.in_the_way == InTheWay::Go => {
            format!("{}, and those in their way", rows(reads, touched))
        }
        _ => rows(reads, touched),
    }
}

fn effect(reads: &Reads, counts: &Counts) -> String {
    let (touched, rows, table) = (counts.touched, rows(reads, counts.touched), &reads.table);
    let share = counts.all.filter(|all| *all > 0).map(|all| {
        // Tenths of a percent, in whole numbers.
        let share = u128::from(touched) * 1000 / u128::from(all);
        format!("{}{} of {} ({}.{} %)", most(reads), thousands(touched), counted(all), share / 10, share % 10)
    });
    let part = share.unwrap_or_else(|| rows.clone());
    let size = counts.size.map(|bytes| format!(", {} with its indexes", size(bytes))).unwrap_or_default();
    match reads.act {
        Act::Change | Act::Add if reads.in_the_way == InTheWay::Go => {
            let does = if reads.act == Act::Add { format!("Adds {rows} to") } else { format!("Changes {part} of") };
            format!("{does} {table}. Rows that are in their way are deleted; how many isn't counted.")
        }
        Act::Add if reads.in_the_way == InTheWay::Change => {
            format!("Adds {rows} to {table}, or changes the ones that are in their way.")
        }
        Act::Change => format!("Changes {part} of {table}."),
        Act::Delete => format!("Deletes {part} of {table}."),
        Act::Add => format!("Adds {rows} to {table}."),
        Act::Empty => format!("Empties {table}: {rows}{size}."),
        Act::Drop => format!("Drops {table} with {rows}{size}."),
        Act::Alter => format!("Alters {table}, which has {rows}{size}."),
        Act::Merge => format!("Changes or deletes {part} of {table}, and adds {}.", thousands(counts.added)),
    }
}

/// Where reads are run.
struct Desk<'a> {
    source: &'a Source,
    prepared: &'a Prepared,
    dialect: Dialect,
    cancel: &'a CancellationToken,
}

impl Desk<'_> {
    /// Counts in one read; what takes too long together is left out but for the rows that it touches.
    async fn counts(&self, reads: &Reads, plan: Option<&Plan>) -> Result<Counts, String> {
        let touched = reads.touched.clone().unwrap_or_else(|| format!("SELECT {}", reads.rows));
        let added = reads.added.clone().unwrap_or_else(|| "SELECT 0".to_owned());
        let measured = plan.filter(|plan| plan.target.act != Act::Add).map(Plan::size);
        let bytes = measured.unwrap_or_else(|| "SELECT 0".to_owned());
        let own = format!("SELECT ({touched}) AS touched, ({added}) AS added");
        let whole = format!("{own}, ({}) AS rows_in_all, ({bytes}) AS bytes", reads.all);
        let numbers = match self.numbers(&whole).await {
            Ok(numbers) => numbers,
            Err(_) if reads.touched.is_none() => vec![reads.rows, 0],
            Err(_) => {
                let told = self.numbers(&own).await;
                told.map_err(|reason| format!("Its rows can't be counted beforehand: {reason}"))?
            }
        };
        let at = |at: usize| numbers.get(at).copied();
        let size = match reads.act {
            Act::Empty | Act::Drop | Act::Alter => self.size(reads).await,
            Act::Change | Act::Delete | Act::Add | Act::Merge => None,
        };
        let (touched, added) = (at(0).unwrap_or_default(), at(1).unwrap_or_default());
        Ok(Counts { touched, added, all: at(2), bytes: at(3), size })
    }

    /// The size of a table with its indexes. SQLite walks through its pages for it.
    async fn size(&self, reads: &Reads) -> Option<u64> {
        if self.dialect != Dialect::Sqlite {
            return None;
        }
        let name = super::value::quoted_text(self.dialect, &reads.place.1);
        let sql = format!(
            "SELECT sum(pgsize) FROM dbstat WHERE aggregate = 1 AND name IN \
             (SELECT name FROM sqlite_schema WHERE lower(tbl_name) = lower({name}))"
        );
        self.numbers(&sql).await.ok()?.first().copied()
    }

    /// The numbers in the one row of a read.
    async fn numbers(&self, sql: &str) -> Result<Vec<u64>, String> {
        let table = self.rows(sql).await?;
        let row = table.rows.first().map(Vec::as_slice).unwrap_or_default();
        let numbers: Option<Vec<u64>> = row.iter().map(|cell| cell.as_ref()?.parse().ok()).collect();
        numbers.ok_or_else(|| "the database gave no number.".to_owned())
    }

    /// What the catalog says of the table.
    async fn known(&self, reads: &Reads) -> Result<Option<Known>, String> {
        let told = |error: &dyn std::fmt::Display| format!("its table can't be looked up: {error}.");
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.map_err(|error| told(&error))?;
        let (schema, name) = &reads.place;
        let known = Known::ask(session.as_mut(), self.dialect, &reads.table, (schema.as_deref(), name)).await;
        let known = known.map_err(|failure| told(&self.source.explain(failure)))?;
        self.source.give_back(Access::ReadOnly, session).await;
        Ok(known)
    }

    /// What the catalog says of the names in the statement, as a write.
    async fn catalog(&self, sql: &str, along: &[Along]) -> Result<Catalog, String> {
        let names = code::names(self.dialect, sql, along);
        super::look(self.source, sql, names, PATIENCE).await.map_err(|error| format!("{error}."))
    }

    /// What follows rows that it deletes.
    async fn along(&self, plan: &Plan, known: &Known) -> Result<Vec<Along>, String> {
        if known.taken_along("delete", &[]).is_empty() {
            return Ok(Vec::new());
        }
        let told = |error: &dyn std::fmt::Display| format!("what goes along can't be looked up: {error}.");
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.map_err(|error| told(&error))?;
        let along = along(session.as_mut(), self.dialect, (plan, known), &mut Vec::new()).await;
        let along = along.map_err(|failure| told(&self.source.explain(failure)))?;
        self.source.give_back(Access::ReadOnly, session).await;
        along
    }

    /// How much follows, table by table.
    async fn followers(&self, plan: &Plan, along: &[Along]) -> Result<Vec<Follower>, String> {
        let mut followers = Vec::new();
        for (along, rows) in along.iter().flat_map(|along| along.all(plan, &plan.target.rows)) {
            let numbers = self.numbers(&along.plan.measure_of(&rows)).await?;
            let at = |at: usize| numbers.get(at).copied().unwrap_or_default();
            followers.push(Follower { table: along.table.clone(), rows: at(0), bytes: at(1) });
        }
        followers.retain(|follower| follower.rows > 0);
        Ok(followers)
    }

    /// The rows of a read, if it is one.
    async fn rows(&self, sql: &str) -> Result<Table, String> {
        self.judged(sql)?;
        let id = self.prepared.operation.id;
        // Nobody listens: the rows are taken at the end.
        let mut rows = Rows::new(RunPort::new(id, mpsc::channel(1).0));
        match execute(self.source, Access::ReadOnly, (Work::Run, sql), PATIENCE, &mut rows, self.cancel).await {
            End::Done(Ok(_)) => rows.last().cloned().ok_or_else(|| "the database gave no rows.".to_owned()),
            // Nobody can call it again: it is a read of our own.
            End::Done(Err(SqlError::Walled(why))) => Err(why),
            End::Done(Err(error)) => Err(format!("{error}.")),
            End::Stopped(..) => Err(format!("counting took longer than {PATIENCE} s.")),
        }
    }

    /// Our own reads are judged like a model's: what a condition calls may be anything.
    fn judged(&self, sql: &str) -> Result<(), String> {
        let connection = self.source.name.clone();
        let kind = OperationKind::Sql(SqlOperation {
            connection,
            dialect: Some(self.dialect),
            sql: sql.to_owned(),
            way: SqlWay::Plain,
        });
        let operation = Operation { kind, ..self.prepared.operation.clone() };
        let facts = Facts { place: self.prepared.facts.place.clone(), ..Facts::default() };
        let settings = AssessSettings::default();
        let assessment = assess(&SqlAssessor, Subject { operation: &operation, facts: &facts, settings: &settings });
        match assessment.leading() {
            Some(finding) if assessment.class() != Class::Whitelisted => Err(finding.sentence.clone()),
            _ => Ok(()),
        }
    }
}
