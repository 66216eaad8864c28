//! Runs statements, takes them back and does them again, comparing a whole table each time.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)] // each test binary uses its own part

use countersign::domain::{Cells, Outcome, Remedy, RunEvent};
use serde_json::json;

use crate::databases::{Desk, undoable};

pub async fn make(desk: &Desk, made: &[&str]) {
    for sql in made {
        desk.approved(sql).await;
    }
}

pub async fn rows(desk: &Desk, sql: &str) -> Vec<Cells> {
    desk.read(sql).await.0.rows
}

/// Runs a call. Gives how it can be taken back, and what was noted.
pub async fn ran(desk: &Desk, arguments: &str) -> Result<(Option<String>, String), String> {
    let (events, report) = desk.call(arguments).await;
    let note = events.iter().find_map(|event| if let RunEvent::Note(note) = event { Some(note.clone()) } else { None });
    match report.outcome {
        Outcome::Succeeded { .. } => Ok((undoable(&events), note.unwrap_or_default())),
        _ => Err(report.result),
    }
}

/// Runs a statement, takes it back and does it again, comparing a read each time. Gives whether it changed anything.
pub async fn there_and_back(desk: &Desk, sql: &str, all: &str) -> bool {
    let before = rows(desk, all).await;
    let told = desk.told(sql).await;
    let (back, note) = ran(desk, &json!({ "sql": sql }).to_string()).await.unwrap_or_else(|why| panic!("{sql}: {why}"));
    let after = rows(desk, all).await;
    assert_eq!(note, "", "{sql}");
    let may_fail = matches!(&told.remedy, Remedy::Possible(how) if how.contains("That may fail"));
    let Some(mut back) = back else {
        assert_eq!(before, after, "{sql}: changed something that can't be taken back");
        return false;
    };
    for _ in 0..2 {
        let again = match ran(desk, &back).await {
            Ok((again, _)) => again.unwrap(),
            Err(why) => {
                assert!(may_fail, "{sql}: {back}: {why}");
                assert_eq!(rows(desk, all).await, after, "{sql}: taken back by half");
                return true;
            }
        };
        assert_eq!(rows(desk, all).await, before, "{sql}: not taken back by\n{back}");
        back = ran(desk, &again).await.unwrap_or_else(|why| panic!("{sql}: {again}: {why}")).0.unwrap();
        assert_eq!(rows(desk, all).await, after, "{sql}: not done again by\n{again}");
    }
    true
}
