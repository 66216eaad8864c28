//! What a foreign key or a dependent thing forbids is told beforehand, and happens as told: in SQLite always; in the
//! servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Dialect, Outcome, Remedy};
use databases::{As, Desk, desks, mariadb, postgres, within};
use tokio_util::sync::CancellationToken;

/// Of those that make the same tables, one test runs at a time.
static HELD: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

async fn make(desk: &Desk, made: &[&str]) {
    for sql in made {
        desk.approved(sql).await;
    }
}

/// Whether it runs when somebody approves it.
async fn runs(desk: &Desk, sql: &str) -> bool {
    let (_, report) = desk.with(sql, As::Approved, CancellationToken::new()).await;
    matches!(report.outcome, Outcome::Succeeded { .. })
}

/// A table whose rows are referred to in each way, one behind another, and one that refers to itself.
const MAKE: [&str; 15] = [
    "DROP TABLE IF EXISTS held_self",
    "DROP TABLE IF EXISTS held_deep",
    "DROP TABLE IF EXISTS held_go",
    "DROP TABLE IF EXISTS held_bar",
    "DROP TABLE IF EXISTS held",
    "CREATE TABLE held (id int NOT NULL PRIMARY KEY, a int)",
    "CREATE TABLE held_bar (h int, FOREIGN KEY (h) REFERENCES held (id) ON DELETE RESTRICT)",
    "CREATE TABLE held_go (id int NOT NULL PRIMARY KEY, h int, \
     FOREIGN KEY (h) REFERENCES held (id) ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE held_deep (g int, FOREIGN KEY (g) REFERENCES held_go (id))",
    "CREATE TABLE held_self (id int NOT NULL PRIMARY KEY, boss int, FOREIGN KEY (boss) REFERENCES held_self (id))",
    "INSERT INTO held VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)",
    "INSERT INTO held_bar VALUES (1), (1), (NULL)",
    "INSERT INTO held_go VALUES (10, 2), (11, 3)",
    "INSERT INTO held_deep VALUES (10), (NULL)",
    "INSERT INTO held_self VALUES (1, NULL), (2, 1), (3, 2)",
];

#[tokio::test]
async fn rows_that_forbid_a_change_are_counted() {
    let bar = "It would fail: 2 rows of held_bar refer to them.";
    let deep = "It would fail: 1 row of held_deep refers to them.";
    let own = "It would fail: 1 row of held_self refers to them.";
    let doubt = "It may fail: held_self refers to it.";
    let _alone = HELD.lock().await;
    for (dialect, desk) in desks().await {
        for (sql, warned) in [
            ("DELETE FROM held WHERE id = 1", vec![bar]),
            ("DELETE FROM held WHERE id < 3", vec![bar, deep]),
            ("DELETE FROM held WHERE a = 2", vec![deep]),
            ("DELETE FROM held WHERE id > 2", vec![]),
            ("DELETE FROM held_go WHERE id = 11", vec![]),
            ("UPDATE held SET id = 9 WHERE id = 1", vec![bar]),
            ("UPDATE held SET id = '9' WHERE id = 1", vec![bar]),
            ("UPDATE held SET id = id WHERE id = 1", vec![]),
            ("UPDATE held SET id = id + 20 WHERE id > 1", vec![]),
            ("UPDATE held SET a = 9", vec![]),
            ("DELETE FROM held_self WHERE id = 1", vec![own]),
            // Row after row, MariaDB looks at once.
            ("DELETE FROM held_self", if dialect == Dialect::Mysql { vec![doubt] } else { vec![] }),
            ("UPDATE held_self SET id = id + 10 WHERE id < 3", vec![doubt]),
        ] {
            make(&desk, &MAKE).await;
            let preview = desk.told(sql).await;
            let said: Vec<&str> = preview.warnings.iter().map(String::as_str).collect();
            let said: Vec<&str> = said.into_iter().filter(|said| said.contains("fail")).collect();
            assert_eq!(said, warned, "{dialect:?}: {sql}: {:?}", preview.effects);
            let fails = warned.iter().any(|warned| warned.starts_with("It would fail"));
            assert_eq!(preview.brief == "would fail", fails, "{dialect:?}: {sql}: {}", preview.brief);
            assert!(!fails || preview.remedy == Remedy::Unknown, "{dialect:?}: {sql}: {:?}", preview.remedy);
            // As told, so it happens.
            let ran = runs(&desk, sql).await;
            assert!(warned.contains(&doubt) || ran != fails, "{dialect:?}: {sql}: {ran}");
        }
        if dialect == Dialect::Sqlite {
            desk.approved("DROP TABLE held_deep").await;
            for (sql, warned) in [
                ("REPLACE INTO held VALUES (1, 9)", &[bar] as &[&str]),
                ("REPLACE INTO held VALUES (5, 9)", &[]),
                ("DROP TABLE held", &[bar]),
                ("DROP TABLE held_go", &[]),
            ] {
                assert_eq!(desk.told(sql).await.warnings, warned, "{sql}");
                assert_eq!(runs(&desk, sql).await, warned.is_empty(), "{sql}");
            }
            desk.approved("DELETE FROM held_bar").await;
            assert!(desk.told("DROP TABLE held").await.warnings.is_empty());
        }
        if dialect == Dialect::Mysql {
            make(&desk, &MAKE).await;
            let warned = desk.told("REPLACE INTO held VALUES (1, 9)").await.warnings;
            assert_eq!(warned, [bar]);
            let warned = desk.told("DELETE IGNORE FROM held WHERE id = 1").await.warnings;
            assert!(warned.is_empty(), "{warned:?}");
            let warned = desk.told("DELETE held FROM held JOIN held_go g ON g.h = held.id").await.warnings;
            assert_eq!(warned, [deep]);
        }
    }
}

#[tokio::test]
async fn code_of_somebody_leaves_it_open_whether_rows_forbid_it() {
    let (_, desk) = desks().await.remove(0);
    make(&desk, &MAKE).await;
    desk.approved("CREATE TRIGGER held_frees BEFORE DELETE ON held BEGIN DELETE FROM held_bar; END").await;
    let sql = "DELETE FROM held WHERE id = 1";
    assert_eq!(desk.told(sql).await.warnings, ["It may fail: held_bar refers to it."]);
    assert!(runs(&desk, sql).await);
}

#[tokio::test]
async fn tables_that_others_depend_on_are_not_emptied_or_dropped() {
    let refers = "It would fail: held_bar, held_go refer to it.";
    let _alone = HELD.lock().await;
    for (dialect, desk) in desks().await.into_iter().filter(|(dialect, _)| *dialect != Dialect::Sqlite) {
        make(&desk, &["DROP VIEW IF EXISTS held_seen"]).await;
        make(&desk, &MAKE).await;
        for (sql, warned) in [
            ("DROP TABLE held", &[refers] as &[&str]),
            ("TRUNCATE TABLE held", &[refers]),
            ("TRUNCATE TABLE held_self", &[]),
            ("DROP TABLE held_self", &[]),
        ] {
            let preview = desk.told(sql).await;
            assert_eq!(preview.warnings, warned, "{dialect:?}: {sql}");
            assert_eq!(preview.remedy == Remedy::Unknown, !warned.is_empty(), "{dialect:?}: {sql}");
            assert_eq!(runs(&desk, sql).await, warned.is_empty(), "{dialect:?}: {sql}");
        }
        desk.approved("CREATE VIEW held_seen AS SELECT g FROM held_deep").await;
        let warned = desk.told("DROP TABLE held_deep").await.warnings;
        let reads = ["It would fail: held_seen reads it."];
        assert_eq!(warned, if dialect == Dialect::Postgres { &reads as &[&str] } else { &[] });
        assert_eq!(runs(&desk, "DROP TABLE held_deep").await, dialect == Dialect::Mysql);
        desk.approved("DROP VIEW held_seen").await;
        if dialect == Dialect::Postgres {
            make(&desk, &MAKE).await;
            for sql in
                ["TRUNCATE held CASCADE", "DROP TABLE held, held_bar, held_go, held_deep", "DROP TABLE held CASCADE"]
            {
                let preview = desk.told(sql).await;
                assert!(preview.warnings.is_empty(), "{sql}: {:?}", preview.warnings);
            }
            let warned = desk.told("TRUNCATE held, held_go").await.warnings;
            assert_eq!(warned, ["It would fail: held_bar refers to it.", "It would fail: held_deep refers to it."]);
        }
    }
}

#[tokio::test]
async fn what_is_looked_at_only_at_the_end_fails_as_well() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::keeping(&url);
    make(
        &desk,
        &[
            "DROP TABLE IF EXISTS held_late, held_early",
            "CREATE TABLE held_early (id int PRIMARY KEY)",
            "CREATE TABLE held_late (h int REFERENCES held_early DEFERRABLE INITIALLY DEFERRED)",
            "INSERT INTO held_early VALUES (1)",
            "INSERT INTO held_late VALUES (1)",
        ],
    )
    .await;
    let warned = desk.told("DELETE FROM held_early").await.warnings;
    assert_eq!(warned[1..], ["It would fail: 1 row of held_late refers to them."]);
    assert!(!runs(&desk, "DELETE FROM held_early").await);
    desk.approved("ALTER TABLE held_early DISABLE TRIGGER ALL").await;
    let warned = desk.told("DELETE FROM held_early").await.warnings;
    assert_eq!(warned[1..], ["It may fail: held_late refers to it."]);
    assert!(runs(&desk, "DELETE FROM held_early").await);
}

#[tokio::test]
async fn a_table_of_another_schema_of_mariadb_may_forbid_it() {
    let Some(url) = mariadb().await else { return };
    let server = Desk::keeping(&url);
    make(
        &server,
        &["CREATE DATABASE IF NOT EXISTS countersign_held", "CREATE DATABASE IF NOT EXISTS countersign_holds"],
    )
    .await;
    let desk = Desk::keeping(&within(&url, "countersign_held"));
    make(
        &desk,
        &[
            "DROP TABLE IF EXISTS countersign_holds.far",
            "CREATE OR REPLACE TABLE near (id int PRIMARY KEY)",
            "CREATE TABLE countersign_holds.far (n int, FOREIGN KEY (n) REFERENCES countersign_held.near (id))",
            "INSERT INTO near VALUES (1)",
        ],
    )
    .await;
    assert_eq!(desk.told("DELETE FROM near WHERE id = 1").await.warnings[1..], ["It may fail: far refers to it."]);
    make(&server, &["DROP DATABASE countersign_holds", "DROP DATABASE countersign_held"]).await;
}

#[tokio::test]
async fn rows_that_refer_to_nothing_are_counted() {
    // Tables of its own: other tests make those at the same time.
    let made = MAKE.map(|sql| sql.replace("held", "lost"));
    for (dialect, desk) in desks().await {
        for (sql, warned) in [
            ("INSERT INTO lost_bar VALUES (9), (1), (NULL), (8)", "2 of its rows refer to no row of lost."),
            ("INSERT INTO lost_bar VALUES (5), (NULL)", ""),
            ("INSERT INTO lost_go (h, id) VALUES (9, 20)", "1 of its rows refers to no row of lost."),
            ("INSERT INTO lost_go (id) VALUES (20)", ""),
            ("INSERT INTO lost_bar SELECT a + 3 FROM lost", "3 of its rows refer to no row of lost."),
            ("INSERT INTO lost_self VALUES (7, 7), (8, 7), (9, 3)", ""),
            ("INSERT INTO lost_self VALUES (7, 8), (9, 4)", "2 of its rows refer to no row of lost_self."),
        ] {
            make(&desk, &made.iter().map(String::as_str).collect::<Vec<_>>()).await;
            let preview = desk.told(sql).await;
            let said = if warned.is_empty() { vec![] } else { vec![format!("It would fail: {warned}")] };
            assert_eq!(preview.warnings, said, "{dialect:?}: {sql}: {:?}", preview.effects);
            assert_eq!(preview.brief == "would fail", !warned.is_empty(), "{dialect:?}: {sql}");
            // As told, so it happens.
            assert_eq!(runs(&desk, sql).await, warned.is_empty(), "{dialect:?}: {sql}");
        }
        let warned = match dialect {
            Dialect::Mysql => desk.told("INSERT IGNORE INTO lost_bar VALUES (9)").await.warnings,
            _ => desk.told("INSERT INTO lost_bar VALUES (9) ON CONFLICT DO NOTHING").await.warnings,
        };
        let may = ["It may fail: 1 of its rows refers to no row of lost."];
        assert_eq!(warned, if dialect == Dialect::Mysql { &[] } else { &may as &[&str] }, "{dialect:?}");
    }
}

#[tokio::test]
async fn a_trial_ends_before_a_late_key_is_looked_at() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::keeping(&url);
    let sql = "INSERT INTO held_after VALUES (2)";
    for (late, fails) in [("DEFERRABLE INITIALLY DEFERRED", false), ("DEFERRABLE", true)] {
        make(
            &desk,
            &[
                "DROP TABLE IF EXISTS held_after, held_before",
                "CREATE TABLE held_before (id int PRIMARY KEY)",
                &format!("CREATE TABLE held_after (h int REFERENCES held_before {late})"),
                "INSERT INTO held_before VALUES (1)",
                "INSERT INTO held_after VALUES (1)",
            ],
        )
        .await;
        for (sql, warned) in [
            (sql, "It would fail: 1 of its rows refers to no row of held_before."),
            ("DELETE FROM held_before WHERE id = 1", "It would fail: 1 row of held_after refers to them."),
        ] {
            let warns = |warnings: &[String]| warnings.iter().any(|warning| warning == warned);
            let preview = desk.told(sql).await;
            assert!(warns(&preview.warnings), "{late}: {sql}: {:?}", preview.warnings);
            let arguments = serde_json::json!({ "sql": sql, "trial": true }).to_string();
            let tried = desk.told_of(&arguments).await;
            assert_eq!(warns(&tried.warnings), fails, "{late}: {sql}: {:?}", tried.warnings);
            let (_, report) = desk.call(&arguments).await;
            assert_eq!(matches!(report.outcome, Outcome::Succeeded { .. }), !fails, "{late}: {sql}: {report:?}");
        }
    }
}

#[tokio::test]
async fn rows_that_may_not_lose_what_they_refer_to_forbid_it() {
    for (dialect, desk) in desks().await {
        // MariaDB takes no such key.
        if dialect == Dialect::Mysql {
            continue;
        }
        make(
            &desk,
            &[
                "DROP TABLE IF EXISTS held_null",
                "DROP TABLE IF EXISTS held_of",
                "CREATE TABLE held_of (id int NOT NULL PRIMARY KEY)",
                "CREATE TABLE held_null (h int NOT NULL, FOREIGN KEY (h) REFERENCES held_of (id) ON DELETE SET NULL)",
                "INSERT INTO held_of VALUES (1), (2), (3)",
                "INSERT INTO held_null VALUES (1), (1)",
            ],
        )
        .await;
        let preview = desk.told("DELETE FROM held_of WHERE id < 3").await;
        assert_eq!(preview.warnings, ["It would fail: 2 rows of held_null would have no h, which takes no NULL."]);
        assert!(!runs(&desk, "DELETE FROM held_of WHERE id < 3").await, "{dialect:?}");
        assert_eq!(desk.told("DELETE FROM held_of WHERE id = 2").await.warnings, [""; 0], "{dialect:?}");
        make(&desk, &["DROP TABLE held_null", "DROP TABLE held_of"]).await;
    }
}
