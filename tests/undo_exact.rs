//! Undo writes back exactly what was there, whatever encoding a session talks in and whatever a collation calls equal;
//! where it can't, it says so.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Outcome, Remedy, RunEvent};
use databases::{Desk, desks, mariadb, postgres, three, undoable, within};
use serde_json::json;

/// How a write is taken back.
async fn kept(desk: &Desk, sql: &str) -> String {
    let (events, report) = desk.call(&json!({ "sql": sql }).to_string()).await;
    assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{sql}: {}", report.result);
    undoable(&events).unwrap_or_else(|| panic!("{sql}: {events:?}"))
}

/// Why a write can't be taken back, said once it ran.
async fn not_kept(desk: &Desk, sql: &str) -> String {
    let (events, report) = desk.call(&json!({ "sql": sql }).to_string()).await;
    assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{sql}: {}", report.result);
    assert_eq!(undoable(&events), None, "{sql}");
    let note = events.into_iter().find_map(|event| if let RunEvent::Note(note) = event { Some(note) } else { None });
    note.unwrap_or_else(|| panic!("{sql}"))
}

async fn in_another_encoding(desk: &Desk, talks: &[&str], usual: &str) {
    for sql in [
        "DROP TABLE IF EXISTS undo_talks",
        "CREATE TABLE undo_talks (id int NOT NULL PRIMARY KEY, s varchar(20))",
        "INSERT INTO undo_talks VALUES (1, 'é'), (2, 'ü')",
    ] {
        desk.approved(sql).await;
    }
    let all = "SELECT min(s), max(s) FROM undo_talks";
    let before = desk.row(all).await;
    for talk in talks {
        // What was kept before comes back whole, and the session goes on as it was set.
        let back = kept(desk, "UPDATE undo_talks SET s = 'ß'").await;
        desk.approved(talk).await;
        let (_, report) = desk.call(&back).await;
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{talk}: {}", report.result);
        assert_eq!(desk.row(all).await, before, "{talk}");
        let said = not_kept(desk, "UPDATE undo_talks SET s = s").await;
        assert!(said.contains("an encoding of its own"), "{talk}: {said}");
        desk.approved(usual).await;
    }
    desk.approved("DROP TABLE undo_talks").await;
}

#[tokio::test]
async fn a_session_in_another_encoding_corrupts_nothing() {
    if let Some(url) = postgres().await {
        let desk = Desk::keeping(&url);
        in_another_encoding(&desk, &["SET client_encoding TO 'LATIN1'"], "SET client_encoding TO 'UTF8'").await;
    }
    if let Some(url) = mariadb().await {
        let desk = Desk::keeping(&url);
        let talks = ["SET NAMES latin1", "SET character_set_results = 'ascii'", "SET character_set_results = NULL"];
        in_another_encoding(&desk, &talks, "SET NAMES utf8mb4").await;
    }
}

#[tokio::test]
async fn texts_of_no_encoding_are_not_kept() {
    let Some(url) = postgres().await else { return };
    Desk::new(&url).approved("DROP DATABASE IF EXISTS countersign_ascii").await;
    let make = "CREATE DATABASE countersign_ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
    Desk::new(&url).approved(make).await;
    let desk = Desk::keeping(&within(&url, "countersign_ascii"));
    three(&desk, "undo_ascii").await;
    let sql = "DELETE FROM undo_ascii";
    let Remedy::Impossible(said) = desk.told(sql).await.remedy else { panic!() };
    assert_eq!(said, "of undo_ascii: nobody knows the encoding of its texts.");
    assert!(not_kept(&desk, sql).await.contains(&said));
}

#[tokio::test]
async fn a_sqlite_file_in_utf_16_says_that_nothing_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?mode=rwc", folder.path().join("u.db").display());
    let made = Desk::new(&url);
    made.approved("PRAGMA encoding = 'UTF-16le'").await;
    three(&made, "undo_wide").await;
    let desk = Desk::keeping(&url);
    let sql = "UPDATE undo_wide SET name = 'x'";
    let Remedy::Impossible(said) = desk.told(sql).await.remedy else { panic!() };
    assert_eq!(said, "of undo_wide: its texts are not in UTF-8.");
    assert!(not_kept(&desk, sql).await.contains(&said));
}

#[tokio::test]
async fn what_only_a_collation_calls_equal_is_somebodys_change() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::keeping(&url);
    for sql in [
        "DROP TABLE IF EXISTS undo_equal",
        "DROP COLLATION IF EXISTS undo_loose",
        "CREATE COLLATION undo_loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE TABLE undo_equal (id int PRIMARY KEY, t text COLLATE undo_loose, a text[] COLLATE undo_loose, b bpchar, f float8)",
    ] {
        desk.approved(sql).await;
    }
    let row = "INSERT INTO undo_equal VALUES (1, 'hello', '{x}', 'a', '0')";
    for change in ["t = 'HELLO'", "a = '{X}'", "b = 'a  '", "f = '-0'"] {
        desk.approved("DELETE FROM undo_equal").await;
        let back = kept(&desk, row).await;
        desk.approved(&format!("UPDATE undo_equal SET {change}")).await;
        let (_, report) = desk.call(&back).await;
        assert!(matches!(report.outcome, Outcome::Failed { .. }), "{change}: {}", report.result);
        // What nobody changed since comes back.
        let back = kept(&desk, "UPDATE undo_equal SET t = 'Other', a = '{}', b = 'c', f = 1").await;
        let (_, report) = desk.call(&back).await;
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{change}: {}", report.result);
    }
    desk.approved("DROP TABLE undo_equal").await;
}

#[tokio::test]
async fn a_table_that_replaces_rows_in_the_way_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::keeping(&format!("sqlite:{}?mode=rwc", folder.path().join("u.db").display()));
    for sql in [
        "CREATE TABLE goes (id INTEGER PRIMARY KEY, k INT UNIQUE ON CONFLICT REPLACE)",
        "INSERT INTO goes VALUES (1, 1), (2, 2)",
        "CREATE TABLE stays (id INTEGER PRIMARY KEY, k INT UNIQUE ON CONFLICT IGNORE)",
        "INSERT INTO stays VALUES (1, 1)",
    ] {
        desk.approved(sql).await;
    }
    for (sql, effect) in [
        (
            "UPDATE goes SET k = 2 WHERE id = 1",
            "Changes 1 of 2 rows (50.0 %) of goes. Rows that are in their way are deleted",
        ),
        ("INSERT INTO goes VALUES (3, 2)", "Adds 1 row to goes. Rows that are in their way are deleted"),
        ("INSERT INTO stays VALUES (3, 1)", "Adds at most 1 row to stays."),
        // What puts the row back could replace another.
        ("DELETE FROM goes WHERE id = 3", "Deletes 1 of "),
    ] {
        let told = desk.told(sql).await;
        assert!(told.effects[0].starts_with(effect), "{sql}: {:?}", told.effects);
        let Remedy::Impossible(said) = told.remedy else { panic!("{sql}: {:?}", told.remedy) };
        assert!(said.ends_with("says itself what happens to rows that are in the way."), "{sql}: {said}");
        assert!(not_kept(&desk, sql).await.contains(&said), "{sql}");
    }
}

#[tokio::test]
async fn that_a_unique_column_may_stand_in_the_way_of_undo_is_said() {
    for (dialect, desk) in desks().await {
        for sql in [
            "DROP TABLE IF EXISTS undo_places",
            "CREATE TABLE undo_places (id int NOT NULL PRIMARY KEY, pos int UNIQUE, n int)",
            "INSERT INTO undo_places VALUES (1, 1, 0), (2, 2, 0)",
        ] {
            desk.approved(sql).await;
        }
        for (sql, fails) in [
            ("UPDATE undo_places SET pos = pos - 1", true),
            ("UPDATE undo_places SET pos = 7 WHERE id = 1", false),
            ("UPDATE undo_places SET n = n - 1", false),
        ] {
            let Remedy::Possible(said) = desk.told(sql).await.remedy else { panic!("{dialect:?} {sql}") };
            assert_eq!(said.ends_with("That may fail: pos is unique."), fails, "{dialect:?} {sql}: {said}");
        }
        desk.approved("DROP TABLE undo_places").await;
    }
}

#[tokio::test]
async fn rows_of_sqlite_are_told_apart_by_their_number_where_no_key_does() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::keeping(&format!("sqlite:{}?mode=rwc", folder.path().join("u.db").display()));
    for (table, columns) in [
        ("text_key", "id TEXT PRIMARY KEY, v"),
        ("two_keys", "id, v, PRIMARY KEY (id, v)"),
        ("int_key", "id INT PRIMARY KEY, v"),
        ("down_key", "id INTEGER PRIMARY KEY DESC, v"),
        ("no_key", "id, v"),
        ("named", "id, v, rowid, oid"),
    ] {
        desk.approved(&format!("CREATE TABLE {table} ({columns})")).await;
        let number = if table == "named" { "_rowid_" } else { "rowid" };
        let told = format!(
            "SELECT count(*), group_concat(n || typeof(id) || coalesce(id, '') || v) \
             FROM (SELECT {number} AS n, id, v FROM {table} ORDER BY 1)"
        );
        desk.approved(&format!("INSERT INTO {table} (id, v) VALUES ('5', 1), (NULL, 2)")).await;
        for sql in [
            format!("UPDATE {table} SET v = v + 1"),
            format!("DELETE FROM {table} WHERE v > 1"),
            format!("INSERT INTO {table} (id, v) VALUES ('7', 3), ('8', 3)"),
            format!("DELETE FROM {table}"),
        ] {
            let preview = desk.told(&sql).await;
            assert!(matches!(preview.remedy, Remedy::Possible(_)), "{sql}: {:?}", preview.remedy);
            let before = desk.row(&told).await;
            let (events, report) = desk.call(&json!({ "sql": sql }).to_string()).await;
            let back = undoable(&events).unwrap_or_else(|| panic!("{sql}: {} {events:?}", report.result));
            let after = desk.row(&told).await;
            let (events, _) = desk.call(&back).await;
            assert_eq!(desk.row(&told).await, before, "{sql}");
            let (events, _) = desk.call(&undoable(&events).unwrap()).await;
            assert_eq!(desk.row(&told).await, after, "{sql}");
            desk.call(&undoable(&events).unwrap()).await;
            assert_eq!(desk.row(&told).await, before, "{sql}");
        }
        let sql = format!("UPDATE {table} SET {number} = {number}");
        let preview = desk.told(&sql).await;
        assert!(matches!(preview.remedy, Remedy::Impossible(_)), "{sql}: {:?}", preview.remedy);
    }
}
