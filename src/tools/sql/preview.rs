//! What a waiting statement would do: how many rows it touches, of how many, and some of them. Counted by reads of our
//! own making, which are judged like any other and run behind the same walls; the statement itself is never run.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::connections::Source;
use super::rows::Rows;
use super::session::Access;
use super::{End, RunPort, execute, related};
use crate::assess::sql_foresee::{Act, Reads, reads};
use crate::assess::{AssessSettings, SqlAssessor, Subject, assess};
use crate::domain::number::{count, thousands};
use crate::domain::{
    Class, Detail, Dialect, Facts, Measurement, Operation, OperationKind, Prepared, Preview, Remedy, SqlOperation,
    Table,
};

/// Seconds that each read may take.
const PATIENCE: u64 = 2;

/// Measures a statement. None for one that touches no rows.
pub(super) async fn measure(
    source: &Source,
    prepared: &Prepared,
    operation: &SqlOperation,
    cancel: &CancellationToken,
) -> Measurement {
    let dialect = source.dialect();
    let desk = Desk { source, prepared, dialect, cancel };
    let Some(reads) = reads(dialect, &operation.sql)? else { return Ok(None) };
    let touched = match &reads.touched {
        Some(sql) => {
            desk.number(sql).await.map_err(|reason| format!("Its rows can't be counted beforehand: {reason}"))?
        }
        None => reads.rows,
    };
    let all = desk.number(&reads.all).await.ok();
    let mut preview = Preview {
        brief: brief(&reads, touched),
        effects: vec![effect(&reads, touched, all)],
        // The words of one sentence behind "undo".
        remedy: Remedy::Impossible("nothing is kept of what SQL replaces.".to_owned()),
        ..Preview::default()
    };
    if let (Act::Change | Act::Delete, Some(all)) = (reads.act, all)
        && touched == all
        && all > 0
    {
        preview.warnings.push(format!("That is every row of {}.", reads.table));
    }
    if let Some(sql) = reads.sample.as_ref().filter(|_| touched > 0)
        && let Ok(table) = desk.rows(sql).await
    {
        let title = match reads.act {
            Act::Change => "rows that match, new values behind the old ones",
            Act::Add => "rows that it brings",
            Act::Delete | Act::Empty | Act::Drop | Act::Alter => "rows that match",
        };
        preview.details.push(Detail::Rows { title: title.to_owned(), table: Table { total: touched, ..table } });
    }
    for (label, sql) in related::questions(dialect, &reads) {
        if let Ok(table) = desk.rows(&sql).await {
            let names: Vec<String> =
                table.rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect();
            if !names.is_empty() {
                preview.effects.push(format!("{label}: {}.", names.join(", ")));
            }
        }
    }
    Ok(Some(preview))
}

/// What stands before a number that may be too large.
fn most(reads: &Reads) -> &'static str {
    if reads.at_most { "at most " } else { "" }
}

fn brief(reads: &Reads, touched: u64) -> String {
    format!("{}{}", most(reads), count(usize::try_from(touched).unwrap_or(usize::MAX), "row"))
}

fn effect(reads: &Reads, touched: u64, all: Option<u64>) -> String {
    let rows = brief(reads, touched);
    let table = &reads.table;
    let share = all.filter(|all| *all > 0).map(|all| {
        // Tenths of a percent, in whole numbers.
        let share = u128::from(touched) * 1000 / u128::from(all);
        format!("{}{} of {} rows ({}.{} %)", most(reads), thousands(touched), thousands(all), share / 10, share % 10)
    });
    let part = share.unwrap_or_else(|| rows.clone());
    match reads.act {
        Act::Change => format!("Changes {part} of {table}."),
        Act::Delete => format!("Deletes {part} of {table}."),
        Act::Add => format!("Adds {rows} to {table}."),
        Act::Empty => format!("Empties {table}: {rows}."),
        Act::Drop => format!("Drops {table} with {rows}."),
        Act::Alter => format!("Alters {table}, which has {rows}."),
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
    async fn number(&self, sql: &str) -> Result<u64, String> {
        let table = self.rows(sql).await?;
        let cell = table.rows.first().and_then(|row| row.first()).and_then(Option::as_ref);
        cell.and_then(|number| number.parse().ok()).ok_or_else(|| "the database gave no number.".to_owned())
    }

    /// The rows of a read, if it is one.
    async fn rows(&self, sql: &str) -> Result<Table, String> {
        self.judged(sql)?;
        let id = self.prepared.operation.id;
        // Nobody listens: the rows are taken at the end.
        let mut rows = Rows::new(RunPort::new(id, mpsc::channel(1).0));
        match execute(self.source, Access::ReadOnly, sql, PATIENCE, &mut rows, self.cancel).await {
            End::Done(Ok(())) => rows.last().cloned().ok_or_else(|| "the database gave no rows.".to_owned()),
            End::Done(Err(error)) => Err(format!("{error}.")),
            End::Stopped(..) => Err(format!("counting took longer than {PATIENCE} s.")),
        }
    }

    /// Our own reads are judged like a model's: what a condition calls may be anything.
    fn judged(&self, sql: &str) -> Result<(), String> {
        let connection = self.source.name.clone();
        let kind = OperationKind::Sql(SqlOperation { connection, dialect: Some(self.dialect), sql: sql.to_owned() });
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
