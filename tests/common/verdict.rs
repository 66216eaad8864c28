//! The verdict on a command or a statement, as the default mode gives it, in an ordinary place where nothing was
//! looked at.

#![allow(dead_code)] // each test binary uses its own part

use countersign::assess::{AssessSettings, CommandAssessor, RiskAssessor, SqlAssessor, Subject, assess};
use countersign::domain::{
    Claim, Class, CommandOperation, Dialect, Enforceable, Facts, Grants, Operation, OperationId, OperationKind, Origin,
    Place, Policy, Prepared, SqlOperation, SqlWay, Verdict, judge,
};

/// A verdict with what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Run, ask or deny.
    pub verdict: Verdict,
    /// The worst class of what was found.
    pub class: Class,
    /// The rule that leads.
    pub rule: String,
}

impl Judged {
    /// Whether it runs unasked.
    pub fn runs(&self) -> bool {
        self.verdict == Verdict::Allow
    }
}

/// A command line without a claim.
pub fn command(line: &str) -> Judged {
    claimed(line, Claim::Absent)
}

/// A command line with a claim.
pub fn claimed(line: &str, claim: Claim) -> Judged {
    let kind = OperationKind::Command(CommandOperation { command: line.to_owned(), timeout: None, terminal: false });
    judged(&CommandAssessor, "execute_command", kind, claim)
}

/// A statement without a claim.
pub fn statement(sql: &str, dialect: Option<Dialect>) -> Judged {
    let kind = OperationKind::Sql(SqlOperation {
        connection: "main".to_owned(),
        dialect,
        sql: sql.to_owned(),
        way: SqlWay::Plain,
    });
    judged(&SqlAssessor, "execute_sql", kind, Claim::Absent)
}

/// Reads a command line as everything else but the verdict does.
pub fn read(line: &str) {
    let kind = OperationKind::Command(CommandOperation { command: line.to_owned(), timeout: None, terminal: false });
    let facts = Facts { place: place(), ..Facts::default() };
    drop(CommandAssessor.mentions(&kind, &facts.place));
    drop(countersign::assess::read(line, &facts, &AssessSettings::default()));
}

fn place() -> Place {
    let (home, work) = ("/home/me", "/home/me/project");
    Place { cwd: work.into(), workspace: work.into(), home: Some(home.into()) }
}

fn judged(assessor: &dyn RiskAssessor, tool: &str, kind: OperationKind, claim: Claim) -> Judged {
    let facts = Facts { place: place(), ..Facts::default() };
    let cwd = facts.place.cwd.clone();
    let origin = Origin::Model { call_id: "1".to_owned() };
    let operation = Operation { id: OperationId(1), origin, tool: tool.to_owned(), claim, kind, cwd };
    let settings = AssessSettings::default();
    let assessment = assess(assessor, Subject { operation: &operation, facts: &facts, settings: &settings });
    let prepared = Prepared { operation, facts, assessment };
    let walls = Enforceable { read_only_command: true, read_only_sql: true, staged_command: false };
    let verdict = judge(&prepared, &Policy::default(), &Grants::default(), walls, false).verdict;
    let rule = prepared.assessment.leading().map(|finding| finding.rule.clone()).unwrap_or_default();
    Judged { verdict, class: prepared.assessment.class(), rule }
}
