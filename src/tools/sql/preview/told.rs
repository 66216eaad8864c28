//! What was measured of a statement, in sentences: how many rows it touches, what it sets off.

use super::super::table::{Does, Known};
use super::reach::Reach;
use crate::assess::sql_foresee::{Act, InTheWay, Met, Most, Part, Reads, Sees};
use crate::domain::number::{count, percent, size, thousands};
use crate::domain::{Dialect, Preview, Share};

/// What fires triggers and meets rules.
pub(super) fn events(dialect: Dialect, reads: &Reads) -> Vec<&'static str> {
    match (reads.act, reads.in_the_way) {
        // SQLite fires nothing for a row that goes because it is in the way.
        (Act::Add, InTheWay::Go) if dialect != Dialect::Sqlite => return vec!["insert", "delete"],
        (Act::Add, InTheWay::Change) => return vec!["insert", "update"],
        _ => {}
    }
    match reads.act {
        Act::Change => vec!["update"],
        Act::Delete => vec!["delete"],
        Act::Add => vec!["insert"],
        Act::Empty => vec!["truncate"],
        Act::Merge => reads.parts.iter().flat_map(|part| events(dialect, &reads.of(part))).collect(),
        Act::Drop | Act::Alter => vec![],
    }
}

/// Says what a view's triggers and what rules make of it: it may do something else than its text says.
pub(super) fn rewritten(preview: &mut Preview, dialect: Dialect, reads: &Reads, known: &Known) {
    let rules = |does| known.rewriting(&events(dialect, reads), does).join(", ");
    let triggers = known.deciding(&events(dialect, reads), &reads.updates).join(", ");
    if !triggers.is_empty() {
        let rows = &preview.brief;
        let table = &reads.table;
        preview.effects =
            vec![format!("The view's trigger decides what it does: {triggers}. Its own text meets {rows} of {table}.")];
        "its trigger decides".clone_into(&mut preview.brief);
    }
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

/// The tables whose rows refer to those that it touches and go along with them or change.
pub(super) fn going_along<'k>(dialect: Dialect, reads: &Reads, known: &'k Known, set: &[String]) -> Vec<&'k str> {
    match reads.act {
        Act::Change | Act::Add if reads.in_the_way == InTheWay::Go => known.taken_along("delete", &[]),
        Act::Add if reads.in_the_way == InTheWay::Change => known.taken_along("update", set),
        Act::Change => known.taken_along("update", set),
        Act::Delete => known.taken_along("delete", &[]),
        Act::Merge => {
            let along = |part: &Part| going_along(dialect, &reads.of(part), known, &part.set);
            let mut along: Vec<&str> = reads.parts.iter().flat_map(along).collect();
            along.sort_unstable();
            along.dedup();
            along
        }
        // SQLite empties a table before it drops it.
        Act::Drop if dialect == Dialect::Sqlite => known.taken_along("delete", &[]),
        Act::Add | Act::Empty | Act::Drop | Act::Alter => Vec::new(),
    }
}

/// What else it does, in full sentences.
pub(super) fn set_off(
    dialect: Dialect,
    reads: &Reads,
    known: &Known,
    (along, reach): (&[&str], &Reach),
) -> Vec<String> {
    let mut said = Vec::new();
    let mut names = |label: &str, names: &[&str], end: &str| {
        if !names.is_empty() {
            said.push(format!("{label}: {}{end}.", names.join(", ")));
        }
    };
    let events = events(dialect, reads);
    let deciding = known.deciding(&events, &reads.updates);
    let mut firing = known.firing(&events, &reads.updates);
    firing.retain(|name| !deciding.contains(name));
    names("Triggers that fire", &firing, "");
    let moving = if reads.act == Act::Change { known.firing_for_moves(&reads.updates) } else { Vec::new() };
    names("Triggers that fire for rows that move to another part", &moving, "");
    let fires: Vec<&str> = reach.fires.iter().map(String::as_str).collect();
    names("Triggers that fire for rows that go along or change", &fires, "");
    let along = reach.told(along, &known.name);
    let along: Vec<&str> = along.iter().map(String::as_str).collect();
    let end = if reach.more { ", and what refers to those" } else { "" };
    if reads.act != Act::Empty {
        names("Rows of other tables that go along or change", &along, end);
    }
    let mut referrers: Vec<&str> = known.referrers.iter().map(|referrer| referrer.table.as_str()).collect();
    referrers.sort_unstable();
    referrers.dedup();
    let views: Vec<&str> = known.views.iter().map(String::as_str).collect();
    let named_by: Vec<&str> = known.named_by.iter().map(String::as_str).collect();
    match reads.act {
        Act::Empty if reads.cascade => {
            let emptied = if reach.more && along.is_empty() { &referrers } else { &along };
            names("Tables that are emptied, too", emptied, end);
        }
        Act::Drop if reads.cascade => {
            names("Views that go, too", &views, ", and what reads those");
            names("Rules that go, too", &named_by, "");
            names("Tables that lose the key by which they refer to it", &referrers, "");
        }
        Act::Alter if reads.cascade => {
            names("Views that go, too, where they use what it drops", &views, ", and what reads those");
            names("Rules that go, too, where they use what it drops", &named_by, "");
            let label = "Tables that lose the key by which they refer to it, where that uses what it drops";
            names(label, &referrers, "");
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
    if known.is_view() && deciding.is_empty() && !matches!(reads.act, Act::Drop | Act::Alter) {
        let table = &reads.table;
        said.push(format!(
            "{table} is a view: triggers of the tables behind it fire, too, and what refers to their rows may go along."
        ));
    }
    said
}

/// How many rows a statement touches.
pub(super) struct Counts {
    pub(super) touched: u64,
    pub(super) added: u64,
    /// Rows of the table, where that could be counted.
    pub(super) all: Option<u64>,
    /// Bytes of the rows that it touches, if they were asked for; of more rows than are kept, of some.
    pub(super) bytes: Option<u64>,
    /// Bytes of the table.
    pub(super) size: Option<u64>,
    /// Rows that go because they are in the way of those that it brings, where that could be counted.
    pub(super) gone: Option<u64>,
    /// What becomes of rows that it brings, and of others in their way, where that could be counted.
    pub(super) met: Option<Met>,
}

/// `3 rows`, `at most 3 rows`.
fn at_most(most: Most) -> String {
    format!("{}{}", if most.sure { "" } else { "at most " }, counted(most.rows))
}

/// What stands before a number that may be too large.
fn most(reads: &Reads) -> &'static str {
    match reads.in_the_way {
        _ if reads.chance || reads.sees == Sees::Others || reads.sees == Sees::More && reads.fewer => "about ",
        _ if reads.sees == Sees::More => "at least ",
        _ if reads.sees == Sees::Fewer || reads.fewer => "at most ",
        InTheWay::Stay | InTheWay::Change => "at most ",
        InTheWay::Fail | InTheWay::Go => "",
    }
}

fn rows(reads: &Reads, touched: u64) -> String {
    format!("{}{}", most(reads), counted(touched))
}

/// `3 rows`.
pub(super) fn counted(rows: u64) -> String {
    count(rows, "row")
}

/// How many of the table's rows it touches.
pub(super) fn brief(reads: &Reads, counts: &Counts) -> String {
    let touched = counts.touched + counts.added;
    match (reads.act, counts.all) {
        (Act::Alter, _) if reads.renames => "no rows".to_owned(),
        (Act::Change | Act::Delete, Some(all)) if all > 0 => {
            format!("{}{} of {}", most(reads), thousands(touched), counted(all))
        }
        (Act::Add, _) if reads.in_the_way == InTheWay::Go => {
            let gone =
                counts.gone.map_or_else(|| "those".to_owned(), |gone| format!("{}{}", most(reads), thousands(gone)));
            let added = counts.met.map_or_else(|| rows(reads, touched), |met| at_most(met.added));
            format!("{added}, and {gone} in their way")
        }
        (Act::Add, _) if reads.in_the_way != InTheWay::Fail => match counts.met {
            Some(Met { added, others, .. }) => {
                let does = if reads.in_the_way == InTheWay::Change { "changed" } else { "left out" };
                let most = if others.sure { "" } else { "at most " };
                let rest = format!(", and {most}{} {does}", thousands(others.rows));
                format!("{}{}", at_most(added), if others.rows > 0 { rest } else { String::new() })
            }
            None if reads.in_the_way == InTheWay::Change => format!("{} added or changed", rows(reads, touched)),
            None => rows(reads, touched),
        },
        _ => rows(reads, touched),
    }
}

/// The share of the table that it changes or deletes.
pub(super) fn share(reads: &Reads, counts: &Counts) -> Option<Share> {
    let changes = matches!(reads.act, Act::Change | Act::Delete);
    counts.all.filter(|_| changes).map(|of| Share { rows: counts.touched, of })
}

fn are(rows: &str) -> &'static str {
    if rows.ends_with("row") { "is" } else { "are" }
}

/// What it does, in a full sentence.
pub(super) fn effect(reads: &Reads, counts: &Counts) -> String {
    let (touched, rows, table) = (counts.touched, rows(reads, counts.touched), &reads.table);
    let share = counts
        .all
        .filter(|all| *all > 0)
        .map(|all| format!("{}{} of {} ({} %)", most(reads), thousands(touched), counted(all), percent(touched, all)));
    let part = share.unwrap_or_else(|| rows.clone());
    let size = counts.size.map(|bytes| format!(", {} with its indexes", size(bytes))).unwrap_or_default();
    match reads.act {
        Act::Change | Act::Add if reads.in_the_way == InTheWay::Go => {
            let added = counts.met.map_or(rows, |met| at_most(met.added));
            let does = if reads.act == Act::Add { format!("Adds {added} to") } else { format!("Changes {part} of") };
            match counts.gone {
                Some(gone) => {
                    let gone = format!("{}{}", most(reads), counted(gone));
                    format!("{does} {table}. Rows that are in their way are deleted: {gone}.")
                }
                None => format!("{does} {table}. Rows that are in their way are deleted; how many isn't counted."),
            }
        }
        Act::Add if reads.in_the_way == InTheWay::Change => match counts.met {
            Some(Met { added, others, .. }) => {
                let (added, others) = (at_most(added), at_most(others));
                format!("Adds {added} to {table}, and changes {others} that {} in the way.", are(&others))
            }
            None => format!("Adds or changes {rows} of {table}."),
        },
        Act::Add if reads.in_the_way == InTheWay::Stay => match counts.met {
            Some(Met { added, others, .. }) if added.sure && others.rows > 0 => {
                format!("Adds {} to {table}, and leaves out {}.", at_most(added), counted(others.rows))
            }
            Some(Met { added, .. }) => format!("Adds {} to {table}.", at_most(added)),
            None => format!("Adds {rows} to {table}."),
        },
        Act::Change => format!("Changes {part} of {table}."),
        Act::Delete => format!("Deletes {part} of {table}."),
        Act::Add => format!("Adds {rows} to {table}."),
        Act::Empty => format!("Empties {table}: {rows}{size}."),
        Act::Drop => format!("Drops {table} with {rows}{size}."),
        Act::Alter if reads.renames => format!("Alters {table}, which has {rows}{size}; none of them changes."),
        Act::Alter => format!("Alters {table}, which has {rows}{size}."),
        Act::Merge => merged(reads, &part, counts),
    }
}

/// What a `MERGE` does.
fn merged(reads: &Reads, part: &str, counts: &Counts) -> String {
    let does = |act: Act| reads.parts.iter().any(|part| part.act == act);
    let added = thousands(counts.added);
    let verb = match (does(Act::Change), does(Act::Delete)) {
        (true, true) => "Changes or deletes",
        (true, false) => "Changes",
        (false, true) => "Deletes",
        (false, false) => return format!("Adds {} to {}.", counted(counts.added), reads.table),
    };
    let adds = if does(Act::Add) { format!(", and adds {added}") } else { String::new() };
    format!("{verb} {part} of {}{adds}.", reads.table)
}
