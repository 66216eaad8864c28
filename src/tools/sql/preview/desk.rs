//! Where the reads of a preview are run: judged like any other, behind the same walls, each for a short time.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::super::along::{Along, along, references};
use super::super::code;
use super::super::connections::Source;
use super::super::inverse::Plan;
use super::super::rows::Rows;
use super::super::session::Access;
use super::super::table::{Known, Link};
use super::super::value::quoted_text;
use super::super::{End, RunPort, SqlError, Work, execute, look};
use super::told::Counts;
use crate::assess::sql_foresee::{Act, Reads};
use crate::assess::{AssessSettings, SqlAssessor, Subject, assess};
use crate::domain::{Catalog, Class, Dialect, Facts, Operation, OperationKind, Prepared, SqlOperation, SqlWay, Table};

/// Seconds that each read may take.
pub(super) const PATIENCE: u64 = 2;

/// Rows of another table that go along, or change.
pub(super) struct Follower {
    pub(super) place: (String, String),
    pub(super) rows: u64,
    pub(super) bytes: u64,
    /// Why they aren't kept, where there is any.
    pub(super) unkept: Option<String>,
}

/// Why a read gave no rows.
pub(super) struct Unread {
    /// In a full sentence.
    pub(super) why: String,
    /// The engine's SQLSTATE, where it refused.
    code: Option<String>,
}

impl From<String> for Unread {
    fn from(why: String) -> Self {
        Self { why, code: None }
    }
}

impl Unread {
    /// Whether it is for a value that can't be computed, or kept: the classes of PostgreSQL
    /// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
    pub(super) fn is_of_a_value(&self) -> bool {
        self.code.as_ref().is_some_and(|code| code.len() == 5 && (code.starts_with("22") || code.starts_with("23")))
    }
}

/// Where reads are run.
pub(super) struct Desk<'a> {
    pub(super) source: &'a Source,
    pub(super) prepared: &'a Prepared,
    pub(super) dialect: Dialect,
    pub(super) cancel: &'a CancellationToken,
}

impl Desk<'_> {
    /// Whether a foreign key is looked at only after it: a trial is rolled back before.
    pub(super) fn outlives(&self, link: &Link) -> bool {
        link.late && self.tries()
    }

    /// Whether it is only tried.
    pub(super) fn tries(&self) -> bool {
        matches!(&self.prepared.operation.kind, OperationKind::Sql(sql) if sql.way == SqlWay::Trial)
    }

    /// Counts in one read; what takes too long together is left out but for the rows that it touches.
    pub(super) async fn counts(&self, reads: &Reads, plan: Option<&Plan>) -> Result<Counts, String> {
        let touched = reads.touched.clone().unwrap_or_else(|| format!("SELECT {}", reads.rows));
        let added = reads.added.clone().unwrap_or_else(|| "SELECT 0".to_owned());
        let measured = plan.filter(|plan| !plan.target.rows.is_empty()).map(Plan::size);
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
        Ok(Counts { touched, added, all: at(2), bytes: at(3), size, gone: None, met: None })
    }

    /// The size of a table with its indexes. SQLite walks through its pages for it.
    async fn size(&self, reads: &Reads) -> Option<u64> {
        if self.dialect != Dialect::Sqlite {
            return None;
        }
        let name = quoted_text(self.dialect, &reads.place.1);
        let sql = format!(
            "SELECT sum(pgsize) FROM dbstat WHERE aggregate = 1 AND name IN \
             (SELECT name FROM sqlite_schema WHERE lower(tbl_name) = lower({name}))"
        );
        self.numbers(&sql).await.ok()?.first().copied()
    }

    /// The numbers in the one row of a read.
    pub(super) async fn numbers(&self, sql: &str) -> Result<Vec<u64>, String> {
        let table = self.rows(sql).await?;
        let row = table.rows.first().map(Vec::as_slice).unwrap_or_default();
        let numbers: Option<Vec<u64>> = row.iter().map(|cell| cell.as_ref()?.parse().ok()).collect();
        numbers.ok_or_else(|| "the database gave no number.".to_owned())
    }

    /// What the catalog says of the table.
    pub(super) async fn known(&self, reads: &Reads) -> Result<Option<Known>, String> {
        self.table(reads.act, &reads.table, &reads.place).await
    }

    /// The same of any table, as a statement spells it.
    pub(super) async fn table(
        &self,
        act: Act,
        spelled: &str,
        (schema, name): &(Option<String>, String),
    ) -> Result<Option<Known>, String> {
        let told = |error: &dyn std::fmt::Display| format!("its table can't be looked up: {error}.");
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.map_err(|error| told(&error))?;
        let known = Known::ask(session.as_mut(), self.dialect, spelled, (schema.as_deref(), name)).await;
        let mut known = known.map_err(|failure| told(&self.source.explain(failure)))?;
        if let (Some(known), Act::Drop | Act::Alter) = (&mut known, act) {
            let found = known.find_readers(session.as_mut(), self.dialect).await;
            found.map_err(|failure| told(&self.source.explain(failure)))?;
        }
        self.source.give_back(Access::ReadOnly, session).await;
        Ok(known)
    }

    /// What the catalog says of the names in the statement, as a write.
    pub(super) async fn catalog(&self, sql: &str, along: &[Along]) -> Result<Catalog, String> {
        let names = code::names(self.dialect, sql, along);
        look(self.source, sql, names, PATIENCE).await.map_err(|error| format!("{error}."))
    }

    /// What follows rows that it deletes.
    pub(super) async fn along(&self, plan: &Plan, known: &Known) -> Result<Vec<Along>, String> {
        if known.taken_along("delete", &[]).is_empty() || plan.target.act == Act::Change {
            return Ok(Vec::new());
        }
        let told = |error: &dyn std::fmt::Display| format!("what goes along can't be looked up: {error}.");
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.map_err(|error| told(&error))?;
        let along = match plan.target.act {
            // What is added is followed by nothing; that what may follow it by then can be told is all that counts.
            Act::Add if !plan.deletes() => {
                let found = references(session.as_mut(), self.dialect, (plan, known)).await;
                found.map(|found| found.map(|_| Vec::new()))
            }
            _ => along(session.as_mut(), self.dialect, (plan, known), &mut Vec::new()).await,
        };
        let along = along.map_err(|failure| told(&self.source.explain(failure)))?;
        self.source.give_back(Access::ReadOnly, session).await;
        along
    }

    /// How much follows, table by table.
    pub(super) async fn followers(&self, plan: &Plan, along: &[Along]) -> Result<Vec<Follower>, String> {
        let mut followers = Vec::new();
        let own = plan.own();
        for (along, rows) in along.iter().flat_map(|along| along.all(plan, &own)) {
            let numbers = self.numbers(&along.plan.measure_of(&rows)).await?;
            let at = |at: usize| numbers.get(at).copied().unwrap_or_default();
            let place = along.place();
            let unkept = along.unkept.clone().filter(|_| at(0) > 0);
            followers.push(Follower { place, rows: at(0), bytes: at(1), unkept });
        }
        Ok(followers)
    }

    /// The rows of a read, if it is one.
    pub(super) async fn rows(&self, sql: &str) -> Result<Table, String> {
        self.read(sql).await.map_err(|unread| unread.why)
    }

    /// Why a value can't be computed or kept, in the engine's words, where a read of it fails for that.
    pub(super) async fn refused_value(&self, sql: &str) -> Option<String> {
        self.read(sql)
            .await
            .err()
            .filter(Unread::is_of_a_value)
            .map(|unread| unread.why.trim_end_matches('.').to_owned())
    }

    pub(super) async fn read(&self, sql: &str) -> Result<Table, Unread> {
        self.judged(sql)?;
        let id = self.prepared.operation.id;
        // Nobody listens: the rows are taken at the end.
        let mut rows = Rows::new(RunPort::new(id, mpsc::channel(1).0));
        match execute(self.source, Access::ReadOnly, (Work::Run, sql), PATIENCE, &mut rows, self.cancel).await {
            End::Done(Ok(_)) => Ok(rows.last().cloned().ok_or_else(|| "the database gave no rows.".to_owned())?),
            // Nobody can call it again: it is a read of our own.
            End::Done(Err(SqlError::Walled(why))) => Err(why.into()),
            End::Done(Err(SqlError::Refused { message, code })) => Err(Unread { why: format!("{message}."), code }),
            End::Done(Err(error)) => Err(format!("{error}.").into()),
            End::Stopped(..) => Err(format!("counting took longer than {PATIENCE} s.").into()),
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
