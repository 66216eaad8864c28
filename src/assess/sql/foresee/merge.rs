//! The reads for a `MERGE`: rows that meet one of the source, by what becomes of them, and rows of the source that meet
//! none.

use sqlparser::ast::{Merge, MergeAction, MergeClauseKind, MergeUpdateKind, TableFactor};

use super::super::touch::columns;
use super::{Act, Reads, SAMPLE, count, lead, whole};
use crate::domain::Dialect;

/// What clauses of one sort do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// `Change`, `Delete` or `Add`.
    pub act: Act,
    /// The rows of the table that it does that to, as what stands behind the list of a `SELECT`. Empty for `Add`.
    pub rows: String,
    /// The columns that it sets, in small letters.
    pub set: Vec<String>,
}

impl Reads {
    /// The reads for what one sort of clauses does.
    #[must_use]
    pub fn of(&self, part: &Part) -> Self {
        Self { act: part.act, from: Some(part.rows.clone()), parts: Vec::new(), ..self.clone() }
    }
}

/// What an action does. None for nothing.
fn act(action: &MergeAction) -> Option<Act> {
    match action {
        MergeAction::Insert(_) => Some(Act::Add),
        MergeAction::Update(_) => Some(Act::Change),
        MergeAction::Delete { .. } => Some(Act::Delete),
        MergeAction::DoNothing { .. } => None,
    }
}

/// The rows that meet one of the source and what a clause does with them; the rows of the source that meet none.
pub(super) fn merged(dialect: Dialect, merge: &Merge, only: bool) -> Result<Reads, String> {
    let unclear = || "Its rows can't be counted beforehand: it merges in a way that no rule knows.".to_owned();
    let TableFactor::Table { name, args: None, .. } = &merge.table else { return Err(unclear()) };
    let (mut matched, mut added) = (Vec::new(), Vec::new());
    let mut set = Vec::new();
    for clause in &merge.clauses {
        let condition =
            clause.predicate.as_ref().map_or_else(|| "TRUE".to_owned(), |predicate| format!("({predicate})"));
        let does = (condition, act(&clause.action));
        match clause.clause_kind {
            MergeClauseKind::Matched => matched.push(does),
            MergeClauseKind::NotMatched | MergeClauseKind::NotMatchedByTarget => added.push(does),
            MergeClauseKind::NotMatchedBySource => return Err(unclear()),
        }
        if let MergeAction::Update(update) = &clause.action {
            match &update.kind {
                MergeUpdateKind::Set(assignments) => set.extend(columns(assignments)),
                MergeUpdateKind::Wildcard => return Err(unclear()),
            }
        }
    }
    let (table, source, on) = (format!("{}{}", lead(only), merge.table), &merge.source, &merge.on);
    let count = count(dialect);
    let any = |does: Option<Act>| does.is_some();
    let met = format!("FROM {table} JOIN {source} ON {on} WHERE {}", decided(&matched, any));
    // A row that several of the source meet is one all the same.
    let when = decided(&matched, any);
    let once = format!("FROM {table} WHERE EXISTS (SELECT 1 FROM {source} WHERE ({on}) AND {when})");
    let unmet =
        format!("FROM {source} WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE {on}) AND {}", decided(&added, any));
    let sample = |clauses: &[(String, Option<Act>)], from: &str| {
        (!clauses.is_empty()).then(|| format!("SELECT * {from} LIMIT {SAMPLE}"))
    };
    let does = |act: Act| matched.iter().chain(&added).any(|(_, does)| *does == Some(act));
    let part = |act: Act| {
        let when = decided(&matched, |does| does == Some(act));
        let rows = format!("FROM {table} WHERE EXISTS (SELECT 1 FROM {source} WHERE ({on}) AND {when})");
        Part {
            act,
            rows: if act == Act::Add { String::new() } else { rows },
            set: if act == Act::Change { set.clone() } else { Vec::new() },
        }
    };
    let parts = [Act::Change, Act::Delete, Act::Add].into_iter().filter(|act| does(*act)).map(part).collect();
    Ok(Reads {
        sample: sample(&matched, &met),
        added_sample: sample(&added, &unmet),
        touched: Some(format!("SELECT {count} {once}")),
        pairs: (!matched.is_empty()).then(|| format!("SELECT {count} {met}")),
        added: Some(format!("SELECT {count} {unmet}")),
        parts,
        ..whole(dialect, Act::Merge, name, only)
    })
}

/// The condition that the clause which decides does such a thing: the first one that fits.
fn decided(clauses: &[(String, Option<Act>)], such: impl Fn(Option<Act>) -> bool) -> String {
    if clauses.is_empty() {
        return "FALSE".to_owned();
    }
    let when = |(condition, does): &(String, Option<Act>)| {
        format!("WHEN {condition} THEN {}", if such(*does) { "TRUE" } else { "FALSE" })
    };
    format!("CASE {} ELSE FALSE END", clauses.iter().map(when).collect::<Vec<_>>().join(" "))
}
