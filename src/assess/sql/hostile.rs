//! Statements that must never run unasked, by engine, in `hostile/*.txt`: whatever the model claims of them.

use super::*;

/// The statements of a list.
fn statements(list: &str) -> impl Iterator<Item = String> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.map(|line| if line.starts_with('"') { serde_json::from_str(line).unwrap() } else { line.to_owned() })
}

#[track_caller]
fn none_runs_unasked(dialect: Dialect, list: &str) {
    let mut allowed = Vec::new();
    for sql in statements(list) {
        for dialect in [Some(dialect), None] {
            let connection = "main".to_owned();
            let kind = OperationKind::Sql(SqlOperation { connection, dialect, sql: sql.clone(), way: SqlWay::Plain });
            // A claim never helps: nothing unknown in SQL can be staged.
            if classes(&kind).is_none_or(|class| class == Class::Whitelisted) {
                allowed.push(sql.clone());
            }
        }
    }
    assert!(allowed.is_empty(), "{} of them:\n{}", allowed.len(), allowed.join("\n"));
    assert!(statements(list).count() > 200);
}

/// The class of an operation, hidden text included.
fn classes(kind: &OperationKind) -> Option<Class> {
    let operation = crate::domain::Operation {
        id: crate::domain::OperationId(1),
        origin: crate::domain::Origin::Person,
        tool: "execute_sql".to_owned(),
        claim: crate::domain::Claim::Absent,
        kind: kind.clone(),
        cwd: "/".into(),
    };
    let facts = crate::domain::Facts::default();
    let settings = crate::assess::AssessSettings::default();
    let subject = Subject { operation: &operation, facts: &facts, settings: &settings };
    let assessment = crate::assess::assess(&SqlAssessor, subject);
    (!assessment.claim_eligible).then(|| assessment.class())
}

#[test]
fn nothing_hostile_runs_unasked_in_postgres() {
    none_runs_unasked(Dialect::Postgres, include_str!("hostile/postgres.txt"));
}

#[test]
fn nothing_hostile_runs_unasked_in_mysql() {
    none_runs_unasked(Dialect::Mysql, include_str!("hostile/mysql.txt"));
}

#[test]
fn nothing_hostile_runs_unasked_in_sqlite() {
    none_runs_unasked(Dialect::Sqlite, include_str!("hostile/sqlite.txt"));
}
