//! Rows of other tables that go along with deleted ones, or lose what they refer to, come back with them: in SQLite
//! always; in the servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Outcome, Remedy, RunEvent, Undoable};
use countersign::tools::Tool as _;
use databases::{Desk, mariadb, postgres};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const MAKE: [&str; 12] = [
    "DROP TABLE IF EXISTS along_n",
    "DROP TABLE IF EXISTS along_g",
    "DROP TABLE IF EXISTS along_c",
    "DROP TABLE IF EXISTS along_p",
    "CREATE TABLE along_p (id int NOT NULL PRIMARY KEY, name varchar(20))",
    "CREATE TABLE along_c (id int NOT NULL PRIMARY KEY, p int, note varchar(20), \
     FOREIGN KEY (p) REFERENCES along_p (id) ON DELETE CASCADE)",
    "CREATE TABLE along_g (a int NOT NULL, b int NOT NULL, c int, note varchar(20), PRIMARY KEY (a, b), \
     FOREIGN KEY (c) REFERENCES along_c (id) ON DELETE CASCADE)",
    "CREATE TABLE along_n (id int NOT NULL PRIMARY KEY, p int, note varchar(20), \
     FOREIGN KEY (p) REFERENCES along_p (id) ON DELETE SET NULL)",
    "INSERT INTO along_p VALUES (1, 'ann'), (2, 'bob'), (3, 'cy')",
    "INSERT INTO along_c VALUES (10, 1, 'it''s'), (11, 1, NULL), (12, 3, 'stays'), (13, NULL, 'stays'), (14, 2, '')",
    "INSERT INTO along_g VALUES (1, 1, 10, 'deep'), (1, 2, 12, 'stays'), (2, 1, 14, 'ä'), (2, 2, NULL, 'stays')",
    "INSERT INTO along_n VALUES (20, 1, 'x'), (21, 2, 'y'), (22, 3, 'stays'), (23, NULL, 'stays')",
];
const MAKE_SELF: [&str; 3] = [
    "DROP TABLE IF EXISTS along_self",
    "CREATE TABLE along_self (id int NOT NULL PRIMARY KEY, boss int, \
     FOREIGN KEY (boss) REFERENCES along_self (id) ON DELETE CASCADE)",
    "INSERT INTO along_self VALUES (1, NULL), (2, 1), (3, 2)",
];

/// Each engine that is there, with tables of its own.
async fn desks(make: &[&str]) -> Vec<(&'static str, Desk)> {
    let folder = tempfile::tempdir().unwrap().keep();
    let url = format!("sqlite:{}?mode=rwc", folder.join("u.db").display());
    let mut desks = vec![("sqlite", Desk::keeping(&url))];
    if let Some(url) = postgres().await {
        desks.push(("postgres", Desk::keeping(&url)));
    }
    if let Some(url) = mariadb().await {
        Desk::keeping(&url).approved("CREATE DATABASE IF NOT EXISTS countersign_along").await;
        desks.push(("mariadb", Desk::keeping(&databases::within(&url, "countersign_along"))));
    }
    for (_, desk) in &desks {
        for sql in make {
            desk.approved(sql).await;
        }
    }
    desks
}

/// All tables, told so that any other value or place shows.
async fn told(desk: &Desk) -> Vec<String> {
    let mut told = Vec::new();
    for (table, number) in [
        ("along_p", "id"),
        ("along_c", "id * 100 + p"),
        ("along_g", "a * 100 + b * 10 + c"),
        ("along_n", "id * 100 + p"),
    ] {
        let note = if table == "along_p" { "name" } else { "note" };
        let sql = format!("SELECT count(*), count({note}), min({note}), max({note}), sum({number}) FROM {table}");
        told.extend(desk.row(&sql).await);
    }
    told
}

async fn call(desk: &Desk, arguments: &str) -> Result<String, String> {
    let (events, report) = desk.call(arguments).await;
    match report.outcome {
        Outcome::Succeeded { .. } => {}
        other => return Err(format!("{other:?}")),
    }
    let back = events.iter().find_map(|event| match event {
        RunEvent::Undoable(Undoable::Call(arguments)) => Some(arguments.clone()),
        _ => None,
    });
    back.ok_or_else(|| format!("{events:?}"))
}

#[tokio::test]
async fn what_goes_along_comes_back() {
    for (engine, desk) in desks(&MAKE).await {
        let sql = "DELETE FROM along_p WHERE id < 3";
        let preview = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
        assert!(matches!(preview.remedy, Remedy::Possible(_)), "{engine}: {:?}", preview.remedy);
        let effects = preview.effects.join(" ");
        for part in ["along_c (3 rows)", "along_g (2 rows)", "along_n (2 rows)"] {
            assert!(effects.contains(part), "{engine}: {effects}");
        }
        let before = told(&desk).await;
        let back = call(&desk, &json!({ "sql": sql }).to_string()).await.unwrap();
        let after = told(&desk).await;
        assert_eq!(desk.row("SELECT count(*) FROM along_c").await, ["2"], "{engine}");
        let again = call(&desk, &back).await.unwrap();
        assert_eq!(told(&desk).await, before, "{engine}: {back}");
        let back = call(&desk, &again).await.unwrap();
        assert_eq!(told(&desk).await, after, "{engine}: {again}");
        let again = call(&desk, &back).await.unwrap();
        assert_eq!(told(&desk).await, before, "{engine}");
        // What refers to it since would go along unseen.
        for (put, take) in [
            ("INSERT INTO along_c VALUES (19, 2, 'new')", "DELETE FROM along_c WHERE id = 19"),
            ("INSERT INTO along_g VALUES (9, 9, 11, 'new')", "DELETE FROM along_g WHERE a = 9"),
            ("UPDATE along_n SET p = 1 WHERE id = 23", "UPDATE along_n SET p = NULL WHERE id = 23"),
            (
                "UPDATE along_g SET note = 'other' WHERE a = 1 AND b = 1",
                "UPDATE along_g SET note = 'deep' WHERE a = 1 AND b = 1",
            ),
        ] {
            desk.approved(put).await;
            let now = told(&desk).await;
            let refused = call(&desk, &again).await.unwrap_err();
            assert!(refused.contains("no longer as they were left"), "{engine} {put}: {refused}");
            assert_eq!(told(&desk).await, now, "{engine} {put}");
            desk.approved(take).await;
        }
        // And what stands in the way of coming back.
        let back = call(&desk, &again).await.unwrap();
        for (put, take) in [
            ("INSERT INTO along_c VALUES (10, 3, 'new')", "DELETE FROM along_c WHERE id = 10"),
            ("UPDATE along_n SET p = 3 WHERE id = 20", "UPDATE along_n SET p = NULL WHERE id = 20"),
        ] {
            desk.approved(put).await;
            let now = told(&desk).await;
            call(&desk, &back).await.unwrap_err();
            assert_eq!(told(&desk).await, now, "{engine} {put}");
            desk.approved(take).await;
        }
        call(&desk, &back).await.unwrap();
        assert_eq!(told(&desk).await, before, "{engine}");
        if engine == "mariadb" {
            bounded(&desk, &before).await;
        }
    }
}

/// Rows that are bounded by a whole key are the same each time, and so is what goes along.
async fn bounded(desk: &Desk, before: &[String]) {
    for (order, kept) in [("id", true), ("name, along_p.id DESC", true), ("name", false)] {
        let sql = format!("DELETE FROM along_p ORDER BY {order} LIMIT 2");
        let preview = desk.tool.preview(&desk.judged(&sql).await, CancellationToken::new()).await.unwrap().unwrap();
        assert_eq!(matches!(preview.remedy, Remedy::Possible(_)), kept, "{sql}: {:?}", preview.remedy);
        let about = preview.effects.join(" ").contains("along_c (about ");
        assert_eq!(about, !kept, "{sql}: {:?}", preview.effects);
        if kept {
            let back = call(desk, &json!({ "sql": sql }).to_string()).await.unwrap();
            assert_ne!(told(desk).await, before, "{sql}");
            call(desk, &back).await.unwrap();
            assert_eq!(told(desk).await, before, "{sql}");
        }
    }
}

#[tokio::test]
async fn what_goes_along_in_more_than_one_way_is_not_kept() {
    for (engine, desk) in desks(&MAKE_SELF).await {
        let sql = "DELETE FROM along_self WHERE id = 1";
        let preview = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
        let Remedy::Impossible(why) = preview.remedy else { panic!("{engine}: {:?}", preview.remedy) };
        assert!(why.contains("along_self go along or change in more than one way"), "{engine}: {why}");
        assert!(call(&desk, &json!({ "sql": sql }).to_string()).await.is_err(), "{engine}: nothing is kept");
        assert_eq!(desk.row("SELECT count(*) FROM along_self").await, ["0"], "{engine}: it ran all the same");
    }
}

/// The tables of `ADDED`, told so that any other value shows.
async fn added(desk: &Desk) -> Vec<String> {
    let mut told = desk.row("SELECT count(*), sum(id), min(name), max(name) FROM added_p").await;
    told.extend(desk.row("SELECT count(*), count(p), sum(p) FROM added_c").await);
    told.extend(desk.row("SELECT count(*), count(p), sum(p) FROM added_n").await);
    told
}

const ADDED: [&str; 8] = [
    "DROP TABLE IF EXISTS added_n",
    "DROP TABLE IF EXISTS added_c",
    "DROP TABLE IF EXISTS added_p",
    "CREATE TABLE added_p (id int NOT NULL PRIMARY KEY, name varchar(20))",
    // Without a key, its rows couldn't be kept.
    "CREATE TABLE added_c (p int, FOREIGN KEY (p) REFERENCES added_p (id) ON DELETE CASCADE)",
    "CREATE TABLE added_n (p int, FOREIGN KEY (p) REFERENCES added_p (id) ON DELETE SET NULL)",
    "INSERT INTO added_p VALUES (1, 'ann')",
    "INSERT INTO added_n VALUES (1), (NULL)",
];

#[tokio::test]
async fn what_is_added_can_be_taken_back_unless_something_refers_to_it_since() {
    for (engine, desk) in desks(&ADDED).await {
        let sql = "INSERT INTO added_p VALUES (4, 'dee'), (5, 'eve')";
        let preview = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
        assert!(matches!(preview.remedy, Remedy::Possible(_)), "{engine}: {:?}", preview.remedy);
        let before = added(&desk).await;
        let back = call(&desk, &json!({ "sql": sql }).to_string()).await.unwrap();
        let after = added(&desk).await;
        // What refers to it since would go along, or lose what it refers to.
        for (put, take) in [
            ("INSERT INTO added_c VALUES (5)", "DELETE FROM added_c WHERE p = 5"),
            ("UPDATE added_n SET p = 4 WHERE p IS NULL", "UPDATE added_n SET p = NULL WHERE p = 4"),
        ] {
            desk.approved(put).await;
            let now = added(&desk).await;
            let refused = call(&desk, &back).await.unwrap_err();
            assert!(refused.contains("no longer as they were left"), "{engine} {put}: {refused}");
            assert_eq!(added(&desk).await, now, "{engine} {put}");
            desk.approved(take).await;
        }
        let again = call(&desk, &back).await.unwrap();
        assert_eq!(added(&desk).await, before, "{engine}: {back}");
        call(&desk, &again).await.unwrap();
        assert_eq!(added(&desk).await, after, "{engine}: {again}");
    }
}

const PARTS: [&str; 9] = [
    "DROP TABLE IF EXISTS part_n, part_c, part_up, part_of, part_p",
    "CREATE TABLE part_p (id int PRIMARY KEY, v int) PARTITION BY RANGE (id)",
    "CREATE TABLE part_low PARTITION OF part_p FOR VALUES FROM (0) TO (100) PARTITION BY RANGE (id)",
    "CREATE TABLE part_high PARTITION OF part_p FOR VALUES FROM (100) TO (200)",
    "CREATE TABLE part_least PARTITION OF part_low FOR VALUES FROM (0) TO (50)",
    "CREATE TABLE part_c (id int PRIMARY KEY, p int REFERENCES part_p ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE part_n (id int PRIMARY KEY, p int REFERENCES part_p ON DELETE SET NULL)",
    "INSERT INTO part_p VALUES (1, 1), (2, 2), (101, 3)",
    "INSERT INTO part_c VALUES (1, 1), (2, 2), (3, 101)",
];

#[tokio::test]
async fn what_refers_to_a_partitioned_table_refers_to_its_parts() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::keeping(&url);
    for sql in PARTS {
        desk.approved(sql).await;
    }
    desk.approved("INSERT INTO part_n SELECT * FROM part_c").await;
    let all = async || {
        let mut all = desk.row("SELECT count(*), sum(id), sum(v) FROM part_p").await;
        all.extend(desk.row("SELECT count(*), sum(p) FROM part_c").await);
        all.extend(desk.row("SELECT count(*), sum(p) FROM part_n").await);
        all
    };
    let before = all().await;
    for table in ["part_least", "part_low"] {
        let sql = format!("DELETE FROM {table}");
        let preview = desk.tool.preview(&desk.judged(&sql).await, CancellationToken::new()).await.unwrap().unwrap();
        assert!(matches!(preview.remedy, Remedy::Possible(_)), "{table}: {:?}", preview.remedy);
        let effects = preview.effects.join(" ");
        assert!(["part_c", "part_n"].iter().all(|table| effects.contains(&format!("{table} (2 rows)"))), "{effects}");
        let back = call(&desk, &json!({ "sql": sql }).to_string()).await.unwrap();
        let after = all().await;
        assert_eq!(desk.row("SELECT count(*), count(p) FROM part_n").await, ["3", "1"], "{table}");
        let again = call(&desk, &back).await.unwrap();
        assert_eq!(all().await, before, "{table}: {back}");
        let back = call(&desk, &again).await.unwrap();
        assert_eq!(all().await, after, "{table}");
        call(&desk, &back).await.unwrap();
    }
    for sql in [
        "UPDATE part_least SET id = id + 5",
        "MERGE INTO part_least p USING (SELECT 1 AS i) s ON p.id = s.i WHEN MATCHED THEN DELETE",
    ] {
        let preview = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
        // A key that others refer to may not change.
        let fails = sql.starts_with("UPDATE");
        assert_eq!(matches!(preview.remedy, Remedy::Impossible(_)), !fails, "{sql}: {:?}", preview.remedy);
        assert_eq!(preview.warnings.contains(&"It would fail: 2 rows of part_n refer to them.".to_owned()), fails);
        if fails {
            let why = call(&desk, &json!({ "sql": sql }).to_string()).await.unwrap_err();
            assert!(why.contains("foreign key"), "{why}");
        }
        assert!(preview.effects.join(" ").contains("part_c ("), "{sql}: {:?}", preview.effects);
    }
    // What refers to a part alone, where others may hold the same key; and to what the rows are a part of.
    for sql in [
        "CREATE TABLE part_of (id int PRIMARY KEY, p int REFERENCES part_least ON DELETE CASCADE)",
        "INSERT INTO part_of VALUES (1, 1)",
    ] {
        desk.approved(sql).await;
    }
    let sql = "DELETE FROM part_p WHERE id = 1";
    let preview = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
    assert!(preview.effects.join(" ").contains("part_of (about 1 row)"), "{:?}", preview.effects);
    let Remedy::Impossible(why) = preview.remedy else { panic!("{:?}", preview.remedy) };
    assert!(why.contains("rows of part_of go along or change, and aren't kept: they refer to a part of it."), "{why}");
    desk.approved("DROP TABLE part_of").await;
    desk.approved("UPDATE part_p SET v = 1 WHERE id <> 1").await;
    desk.approved("UPDATE part_p SET v = NULL WHERE id = 1").await;
    desk.approved("ALTER TABLE part_p ADD FOREIGN KEY (v) REFERENCES part_p ON DELETE CASCADE").await;
    let sql = "DELETE FROM part_least WHERE id = 1";
    let preview = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
    assert!(preview.effects.join(" ").contains("part_p (about 2 rows)"), "{:?}", preview.effects);
    let Remedy::Impossible(why) = preview.remedy else { panic!("{:?}", preview.remedy) };
    assert!(why.contains("in more than one way"), "{why}");
}

#[tokio::test]
async fn rows_that_would_get_another_value_matter_only_where_there_are_any() {
    let make = [
        "DROP TABLE IF EXISTS default_c",
        "DROP TABLE IF EXISTS default_p",
        "CREATE TABLE default_p (id int NOT NULL PRIMARY KEY)",
        "CREATE TABLE default_c (id int NOT NULL PRIMARY KEY, p int DEFAULT 0, \
         FOREIGN KEY (p) REFERENCES default_p (id) ON DELETE SET DEFAULT)",
        "INSERT INTO default_p VALUES (0), (1), (2)",
        "INSERT INTO default_c VALUES (1, 2)",
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut desks = vec![Desk::keeping(&format!("sqlite:{}?mode=rwc", folder.path().join("u.db").display()))];
    if let Some(url) = postgres().await {
        desks.push(Desk::keeping(&url));
    }
    for desk in desks {
        for sql in make {
            desk.approved(sql).await;
        }
        let remedy = async |sql: &str| {
            desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap().remedy
        };
        let (none, one) = ("DELETE FROM default_p WHERE id = 1", "DELETE FROM default_p WHERE id = 2");
        assert!(matches!(remedy(none).await, Remedy::Possible(_)));
        let Remedy::Impossible(why) = remedy(one).await else { panic!() };
        assert_eq!(why, "rows of default_c get another value, and aren't kept.");
        let back = call(&desk, &json!({ "sql": none }).to_string()).await.unwrap();
        assert_eq!(desk.row("SELECT count(*) FROM default_p").await, ["2"]);
        call(&desk, &back).await.unwrap();
        assert_eq!(desk.row("SELECT count(*) FROM default_p").await, ["3"]);
        let said = call(&desk, &json!({ "sql": one }).to_string()).await.unwrap_err();
        assert!(said.contains(&why), "{said}");
    }
}
