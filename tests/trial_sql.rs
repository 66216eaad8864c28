//! A trial of SQL leaves everything as it was, and where that isn't sure there is none: in SQLite always; in the servers
//! that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Dialect, Outcome, RunEvent, Trial};
use countersign::tools::Tool as _;
use databases::{Desk, desks, mariadb, postgres, three, undoable};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// The last table that was shown: `id,name: 1,ann 2,bob`, its rows in the order of their first column.
fn seen(events: &[RunEvent]) -> String {
    let mut tables = events.iter().rev().filter_map(|event| match event {
        RunEvent::Table(table) => Some(table),
        _ => None,
    });
    let Some(table) = tables.next() else { return String::new() };
    let row = |row: &Vec<Option<String>>| {
        row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect::<Vec<_>>().join(",")
    };
    let mut rows: Vec<String> = table.rows.iter().map(row).collect();
    rows.sort();
    format!("{}: {}", table.columns.join(","), rows.join(" "))
}

#[tokio::test]
async fn a_trial_leaves_everything_as_it_was() {
    for (dialect, desk) in desks().await {
        three(&desk, "undo_trial").await;
        for (sql, rows, shown) in [
            ("UPDATE undo_trial SET name = 'new' WHERE id > 1", 2, "id,name,new name: 2,bob,new 3,cy,new"),
            ("DELETE FROM undo_trial", 3, "id,name: 1,ann 2,bob 3,cy"),
            ("INSERT INTO undo_trial VALUES (9, 'nine');", 1, "id,name: 9,nine"),
        ] {
            let told = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
            assert_eq!(told.trial, Trial::Offered, "{dialect:?} {sql}");
            let (events, report) = desk.call(&json!({ "sql": sql, "trial": true }).to_string()).await;
            let Outcome::Succeeded { summary } = &report.outcome else {
                panic!("{dialect:?} {sql}: {}", report.result)
            };
            let word = if rows == 1 { "row" } else { "rows" };
            assert_eq!(*summary, format!("{rows} {word} would change; rolled back"), "{dialect:?} {sql}");
            assert_eq!(undoable(&events), None);
            assert_eq!(seen(&events), shown, "{dialect:?} {sql}");
            let now = desk.row("SELECT count(*), min(name), max(name), max(id) FROM undo_trial").await;
            assert_eq!(now, ["3", "ann", "cy", "3"], "{dialect:?} {sql}");
        }
        if dialect != Dialect::Mysql {
            let sql = "WITH few AS (SELECT 3 AS id) DELETE FROM undo_trial WHERE id IN (SELECT id FROM few)";
            let (events, _) = desk.call(&json!({ "sql": sql, "trial": true }).to_string()).await;
            assert_eq!(seen(&events), "id,name: 3,cy", "{dialect:?}");
        }
        // Of rows that it picks itself, those that it met are shown, where the engine yields them.
        let sql = "DELETE FROM undo_trial WHERE id IN (SELECT id FROM (SELECT id FROM undo_trial LIMIT 1) few)";
        let (events, report) = desk.call(&json!({ "sql": sql, "trial": true }).to_string()).await;
        let told = format!("{:?} {}", report.outcome, report.result);
        assert!(told.contains("1 row would change; rolled back"), "{dialect:?}: {told}");
        let shown = if dialect == Dialect::Mysql { "" } else { "id,name: 1,ann" };
        assert_eq!(seen(&events), shown, "{dialect:?}");
        desk.approved("BEGIN").await;
        let (_, report) = desk.call(r#"{"sql":"DELETE FROM undo_trial","trial":true}"#).await;
        assert!(report.result.contains("a transaction is open"), "{dialect:?}: {}", report.result);
        desk.approved("ROLLBACK").await;
    }
}

#[tokio::test]
async fn what_goes_along_is_tried_where_it_could_be_kept() {
    for (dialect, desk) in desks().await {
        for sql in [
            "DROP TABLE IF EXISTS trial_c",
            "DROP TABLE IF EXISTS trial_p",
            "CREATE TABLE trial_p (id int NOT NULL PRIMARY KEY)",
            "CREATE TABLE trial_c (id int NOT NULL PRIMARY KEY, p int, \
             FOREIGN KEY (p) REFERENCES trial_p (id) ON DELETE CASCADE ON UPDATE CASCADE)",
            "INSERT INTO trial_p VALUES (1), (2)",
            "INSERT INTO trial_c VALUES (1, 1), (2, 1)",
        ] {
            desk.approved(sql).await;
        }
        let told = async |sql: &str| {
            desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap().trial
        };
        let sql = "DELETE FROM trial_p WHERE id = 1";
        assert_eq!(told(sql).await, Trial::Offered, "{dialect:?}");
        let (_, report) = desk.call(&json!({ "sql": sql, "trial": true }).to_string()).await;
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{dialect:?}: {}", report.result);
        assert_eq!(desk.row("SELECT count(*), min(p) FROM trial_c").await, ["2", "1"], "{dialect:?}");
        if dialect != Dialect::Postgres {
            continue;
        }
        assert!(matches!(told("UPDATE trial_p SET id = 5").await, Trial::Refused(_)));
        for sql in [
            "CREATE OR REPLACE FUNCTION trial_note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'",
            "CREATE TRIGGER noted AFTER DELETE ON trial_c FOR EACH ROW EXECUTE FUNCTION trial_note()",
        ] {
            desk.approved(sql).await;
        }
        assert!(matches!(told(sql).await, Trial::Refused(_)), "a trigger of what goes along");
        let (_, report) = desk.call(&json!({ "sql": sql, "trial": true }).to_string()).await;
        assert!(report.result.contains("nothing was run"), "{}", report.result);
        desk.approved("DROP TABLE trial_c, trial_p").await;
    }
}

#[tokio::test]
async fn what_may_outlive_a_rollback_is_not_tried() {
    let refused = async |desk: &Desk, sql: &str| {
        let told = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
        let Trial::Refused(why) = told.trial else { panic!("{sql}: {:?}", told.trial) };
        why
    };
    if let Some(url) = postgres().await {
        let desk = Desk::keeping(&url);
        for sql in [
            "DROP TABLE IF EXISTS undo_fires, undo_calls, undo_serial",
            "DROP FUNCTION IF EXISTS undo_note() CASCADE; DROP FUNCTION IF EXISTS undo_own() CASCADE",
            "CREATE FUNCTION undo_note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
            "CREATE FUNCTION undo_own() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "CREATE TABLE undo_fires (id int PRIMARY KEY)",
            "CREATE TRIGGER noted BEFORE INSERT ON undo_fires FOR EACH ROW EXECUTE FUNCTION undo_note()",
            "CREATE TABLE undo_calls (id int PRIMARY KEY, n int DEFAULT undo_own())",
            "CREATE TABLE undo_serial (id serial PRIMARY KEY, n int)",
            "DROP TABLE IF EXISTS undo_checked; DROP FUNCTION IF EXISTS undo_ok(int) CASCADE",
            "DROP SEQUENCE IF EXISTS undo_outlives; CREATE SEQUENCE undo_outlives",
            "CREATE FUNCTION undo_ok(int) RETURNS bool LANGUAGE plpgsql AS \
             'BEGIN PERFORM nextval(''undo_outlives''); RETURN true; END'",
            "CREATE TABLE undo_checked (id int PRIMARY KEY, n int CHECK (undo_ok(n)))",
            "INSERT INTO undo_checked VALUES (1, 1)",
        ] {
            desk.approved(sql).await;
        }
        // Beforehand its rows can't even be counted; and when it is to run, the catalog is asked again.
        let reached = async || desk.row("SELECT last_value FROM undo_outlives").await;
        let before = reached().await;
        for sql in ["UPDATE undo_checked SET n = 5", "INSERT INTO undo_checked VALUES (2, 2)"] {
            let (_, report) = desk.call(&json!({ "sql": sql, "trial": true }).to_string()).await;
            assert!(report.result.contains("nothing was run: The function `public.undo_ok`"), "{}", report.result);
        }
        assert_eq!(reached().await, before, "the check ran");
        assert!(refused(&desk, "INSERT INTO undo_fires VALUES (1)").await.contains("trigger noted"));
        assert!(refused(&desk, "INSERT INTO undo_calls VALUES (1)").await.contains("undo_own"));
        assert!(refused(&desk, "UPDATE undo_serial SET n = undo_own()").await.contains("undo_own"));
        let sql = "INSERT INTO undo_serial (n) VALUES (1)";
        let told = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
        assert_eq!(told.trial, Trial::Offered, "a sequence that goes on is said");
    }
    if let Some(url) = mariadb().await {
        let desk = Desk::keeping(&url);
        desk.approved("CREATE DATABASE IF NOT EXISTS countersign_undo").await;
        desk.approved("CREATE OR REPLACE TABLE countersign_undo.undo_old (id INT PRIMARY KEY) ENGINE=MyISAM").await;
        assert!(refused(&desk, "DELETE FROM countersign_undo.undo_old").await.contains("MyISAM"));
        // What comes changes or deletes what is in its way, which fires triggers, too.
        for sql in [
            "CREATE OR REPLACE TABLE countersign_undo.undo_way (id INT PRIMARY KEY)",
            "CREATE TRIGGER countersign_undo.undo_changed AFTER UPDATE ON countersign_undo.undo_way FOR EACH ROW SET @a = 1",
            "CREATE TRIGGER countersign_undo.undo_gone AFTER DELETE ON countersign_undo.undo_way FOR EACH ROW SET @a = 1",
        ] {
            desk.approved(sql).await;
        }
        let add = "INTO countersign_undo.undo_way VALUES (1)";
        assert!(refused(&desk, &format!("REPLACE {add}")).await.contains("trigger undo_gone"));
        let upsert = format!("INSERT {add} ON DUPLICATE KEY UPDATE id = 2");
        assert!(refused(&desk, &upsert).await.contains("trigger undo_changed"));
        let sql = format!("INSERT {add}");
        let told = desk.tool.preview(&desk.judged(&sql).await, CancellationToken::new()).await.unwrap().unwrap();
        assert_eq!(told.trial, Trial::Offered, "a plain one fires neither");
    }
}

#[tokio::test]
async fn rows_are_shown_without_a_key_and_beside_others_as_far_as_the_engine_returns_them() {
    for (dialect, desk) in desks().await {
        for sql in [
            "DROP TABLE IF EXISTS trial_keyless",
            "CREATE TABLE trial_keyless (a int, b varchar(20))",
            "INSERT INTO trial_keyless VALUES (1, 'x'), (2, 'y')",
        ] {
            desk.approved(sql).await;
        }
        let tried = async |sql: &str| {
            let (events, report) = desk.call(&json!({ "sql": sql, "trial": true }).to_string()).await;
            assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{dialect:?}: {}", report.result);
            seen(&events)
        };
        let (changed, gone) =
            (tried("UPDATE trial_keyless SET b = 'z' WHERE a = 2").await, tried("DELETE FROM trial_keyless").await);
        match dialect {
            // Its rows have numbers.
            Dialect::Sqlite => assert_eq!((changed.as_str(), gone.as_str()), ("b,new b,a: y,z,2", "a,b: 1,x 2,y")),
            Dialect::Postgres => assert_eq!((changed.as_str(), gone.as_str()), ("a,b: 2,z", "a,b: 1,x 2,y")),
            Dialect::Mysql => assert_eq!((changed.as_str(), gone.as_str()), ("", "")),
        }
        three(&desk, "trial_upsert").await;
        let upsert = match dialect {
            Dialect::Mysql => {
                "INSERT INTO trial_upsert VALUES (3, 'new'), (4, 'dee') ON DUPLICATE KEY UPDATE name = 'new'"
            }
            _ => {
                "INSERT INTO trial_upsert VALUES (3, 'new'), (4, 'dee') \
                 ON CONFLICT (id) DO UPDATE SET name = excluded.name"
            }
        };
        assert_eq!(tried(upsert).await, "id,name: 3,new 4,dee", "{dialect:?}");
        assert_eq!(desk.row("SELECT count(*), max(name) FROM trial_upsert").await, ["3", "cy"], "{dialect:?}");
        desk.approved("DROP TABLE trial_keyless").await;
    }
}

#[tokio::test]
async fn what_drops_or_empties_a_table_is_never_tried() {
    for (dialect, desk) in desks().await {
        three(&desk, "trial_dropped").await;
        for sql in ["DROP TABLE trial_dropped", "TRUNCATE TABLE trial_dropped", "ALTER TABLE trial_dropped ADD x int"] {
            if dialect == Dialect::Sqlite && sql.starts_with("TRUNCATE") {
                continue;
            }
            let (_, report) = desk.call(&json!({ "sql": sql, "trial": true }).to_string()).await;
            assert!(report.result.contains("nothing was run"), "{dialect:?} {sql}: {}", report.result);
            assert_eq!(desk.row("SELECT count(*) FROM trial_dropped").await, ["3"], "{dialect:?} {sql}");
        }
    }
}
