//! What a statement does to less than a whole table or row: columns that set triggers off, rows that may be left out,
//! partitions. In SQLite always; in the servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Dialect, Remedy};
use databases::{Desk, desks, mariadb, postgres, within};

async fn make(desk: &Desk, made: &[&str]) {
    for sql in made {
        desk.approved(sql).await;
    }
}

/// The server of PostgreSQL, with these things.
async fn in_postgres(made: &[&str]) -> Option<Desk> {
    let desk = Desk::keeping(&postgres().await?);
    make(&desk, made).await;
    Some(desk)
}

/// The server of MariaDB, with these things.
async fn in_mariadb(made: &[&str]) -> Option<Desk> {
    let url = mariadb().await?;
    Desk::keeping(&url).approved("CREATE DATABASE IF NOT EXISTS countersign_less").await;
    let desk = Desk::keeping(&within(&url, "countersign_less"));
    make(&desk, made).await;
    Some(desk)
}

#[tokio::test]
async fn a_trigger_of_some_columns_fires_for_those_alone() {
    let (_, lite) = desks().await.remove(0);
    make(
        &lite,
        &[
            "CREATE TABLE less_of (id int NOT NULL PRIMARY KEY, v int, w int)",
            "CREATE TRIGGER less_fires AFTER UPDATE OF v ON less_of BEGIN SELECT 1; END",
        ],
    )
    .await;
    let post = in_postgres(&[
        "DROP TABLE IF EXISTS less_of",
        "CREATE TABLE less_of (id int PRIMARY KEY, v int, w int, u int GENERATED ALWAYS AS (w + 1) STORED)",
        "CREATE OR REPLACE FUNCTION less_note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TRIGGER less_fires AFTER UPDATE OF v ON less_of FOR EACH ROW EXECUTE FUNCTION less_note()",
    ])
    .await;
    for desk in [Some(lite), post].into_iter().flatten() {
        desk.approved("INSERT INTO less_of (id, v, w) VALUES (1, 1, 1), (2, 2, 2)").await;
        for (sql, fires) in [
            ("UPDATE less_of SET v = 5", true),
            ("UPDATE less_of SET w = 1, V = 5", true),
            ("UPDATE less_of SET w = 5", false),
            ("INSERT INTO less_of (id, v, w) VALUES (1, 1, 1) ON CONFLICT (id) DO UPDATE SET v = 1", true),
            ("INSERT INTO less_of (id, v, w) VALUES (1, 1, 1) ON CONFLICT (id) DO UPDATE SET w = 1", false),
        ] {
            let preview = desk.told(sql).await;
            let said = preview.effects.iter().any(|said| said == "Triggers that fire: less_fires.");
            assert_eq!(said, fires, "{sql}: {:?}", preview.effects);
            if sql.starts_with("UPDATE") {
                assert_eq!(matches!(preview.remedy, Remedy::Possible(_)), !fires, "{sql}: {:?}", preview.remedy);
            }
        }
    }
    let Some(desk) = in_postgres(&[
        "DROP TRIGGER less_fires ON less_of",
        "CREATE TRIGGER less_computes AFTER UPDATE OF u ON less_of FOR EACH ROW EXECUTE FUNCTION less_note()",
    ])
    .await
    else {
        return;
    };
    let preview = desk.told("UPDATE less_of SET w = 5").await;
    assert!(preview.effects.contains(&"Triggers that fire: less_computes.".to_owned()), "{:?}", preview.effects);
}

#[tokio::test]
async fn rows_that_may_be_left_out_are_at_most_so_many() {
    let (_, desk) = desks().await.remove(0);
    make(
        &desk,
        &[
            "CREATE TABLE less_way (id int PRIMARY KEY ON CONFLICT REPLACE, s text UNIQUE ON CONFLICT IGNORE)",
            "INSERT INTO less_way VALUES (1, 'a'), (2, 'b')",
            "CREATE TABLE less_skips (id int NOT NULL PRIMARY KEY)",
            "INSERT INTO less_skips VALUES (1), (2)",
            "CREATE TRIGGER less_ignores BEFORE DELETE ON less_skips WHEN OLD.id = 1 BEGIN SELECT RAISE(IGNORE); END",
            "CREATE TABLE less_c (id int NOT NULL PRIMARY KEY, p int REFERENCES less_skips (id) ON DELETE CASCADE)",
        ],
    )
    .await;
    let said = &desk.told("INSERT INTO less_way VALUES (1, 'b'), (3, 'c')").await.effects[0];
    assert!(
        said.starts_with("Adds at most 2 rows to less_way. Rows that are in their way are deleted: at most"),
        "{said}"
    );
    let preview = desk.told("DELETE FROM less_skips").await;
    assert_eq!(preview.brief, "at most 2 of 2 rows");
    assert_eq!(preview.effects[0], "Deletes at most 2 of 2 rows (100.0 %) of less_skips.");
    let said = &desk.told("UPDATE less_skips SET id = 9 WHERE id = 1").await.effects[0];
    assert_eq!(said, "Changes 1 of 2 rows (50.0 %) of less_skips.");
    let said = &desk.told("UPDATE OR REPLACE less_skips SET id = 2").await.effects[1..];
    let behind = "Rows of other tables that go along or change: less_c, and what refers to those.";
    assert!(said.contains(&behind.to_owned()), "{said:?}");
    let Some(desk) = in_postgres(&[
        "DROP TABLE IF EXISTS less_skips",
        "CREATE TABLE less_skips (id int PRIMARY KEY)",
        "INSERT INTO less_skips VALUES (1), (2)",
        "CREATE OR REPLACE FUNCTION less_skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "CREATE TRIGGER less_before BEFORE DELETE ON less_skips FOR EACH ROW EXECUTE FUNCTION less_skip()",
        "CREATE TRIGGER less_after AFTER UPDATE ON less_skips FOR EACH ROW EXECUTE FUNCTION less_skip()",
    ])
    .await
    else {
        return;
    };
    assert_eq!(desk.told("DELETE FROM less_skips WHERE id = 1").await.brief, "at most 1 of 2 rows");
    assert_eq!(desk.told("UPDATE less_skips SET id = 3 WHERE id = 1").await.brief, "1 of 2 rows");
}

#[tokio::test]
async fn what_a_bounded_update_does_not_set_changes_nothing_elsewhere() {
    let Some(desk) = in_mariadb(&[
        "DROP TABLE IF EXISTS less_c",
        "DROP TABLE IF EXISTS less_p",
        "CREATE TABLE less_p (id int PRIMARY KEY, v int)",
        "CREATE TABLE less_c (p int, FOREIGN KEY (p) REFERENCES less_p (id) ON DELETE CASCADE ON UPDATE CASCADE)",
        "INSERT INTO less_p VALUES (1, 1), (2, 2)",
        "INSERT INTO less_c VALUES (1)",
    ])
    .await
    else {
        return;
    };
    for sql in ["UPDATE less_p SET v = 5 ORDER BY v, id LIMIT 1", "UPDATE IGNORE less_p SET v = 5"] {
        assert_eq!(desk.told(sql).await.effects.len(), 1, "{sql}");
    }
    for sql in ["UPDATE less_p SET v = 5 ORDER BY v LIMIT 1", "DELETE FROM less_p LIMIT 1"] {
        let preview = desk.told(sql).await;
        let unclear = "Which of the matching rows it takes isn't known: no key orders them.";
        assert_eq!((preview.effects[1].as_str(), preview.details.len()), (unclear, 0), "{sql}");
        let why = "its LIMIT may pick other rows the second time.".to_owned();
        assert_eq!(preview.remedy, Remedy::Impossible(why), "{sql}");
    }
    let said = desk.told("UPDATE less_p SET id = 5 ORDER BY id LIMIT 1").await.effects;
    assert_eq!(said[1], "Rows of other tables that go along or change: less_c (1 row).");
}

#[tokio::test]
async fn rows_of_partitions_are_counted() {
    if let Some(desk) = in_mariadb(&[
        "CREATE OR REPLACE TABLE less_ev (id int PRIMARY KEY) PARTITION BY RANGE (id) \
         (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN (100))",
        "INSERT INTO less_ev VALUES (1), (2), (3), (11)",
    ])
    .await
    {
        for (sql, said) in [
            ("ALTER TABLE less_ev DROP PARTITION p1", "Drops p1 of less_ev with its rows: 3 of 4 rows."),
            ("ALTER TABLE less_ev TRUNCATE PARTITION p1, p2", "Empties p1, p2 of less_ev: 4 of 4 rows."),
            ("ALTER TABLE less_ev ENGINE=InnoDB", "Alters less_ev, which has 4 rows"),
        ] {
            let preview = desk.told(sql).await;
            assert!(preview.effects[0].starts_with(said), "{sql}: {:?}", preview.effects);
            assert!(matches!(preview.remedy, Remedy::Impossible(_)), "{sql}: {:?}", preview.remedy);
        }
    }
    if let Some(desk) = in_postgres(&[
        "DROP TABLE IF EXISTS less_ev",
        "CREATE TABLE less_ev (id int) PARTITION BY RANGE (id)",
        "CREATE TABLE less_ev1 PARTITION OF less_ev FOR VALUES FROM (0) TO (10)",
        "CREATE TABLE less_ev2 PARTITION OF less_ev FOR VALUES FROM (10) TO (100)",
        "INSERT INTO less_ev VALUES (1), (2), (3), (11)",
    ])
    .await
    {
        let preview = desk.told("ALTER TABLE less_ev DETACH PARTITION less_ev1").await;
        let said = "Takes less_ev1 out of less_ev: 3 of 4 rows leave it, and stay in less_ev1.";
        assert_eq!((preview.effects[0].as_str(), preview.brief.as_str()), (said, "3 of 4 rows"));
    }
}

#[tokio::test]
async fn what_has_no_rows_is_not_said_to_have_some_that_cannot_be_counted() {
    for (dialect, desk) in desks().await {
        let sql = match dialect {
            Dialect::Sqlite => "PRAGMA foreign_keys=OFF",
            Dialect::Postgres => "REFRESH MATERIALIZED VIEW CONCURRENTLY less_none",
            Dialect::Mysql => "FLUSH TABLES",
        };
        let said = desk.told(sql).await.effects;
        assert_eq!(said, ["What it does isn't known beforehand: nothing is looked up for such a statement."], "{sql}");
    }
}

#[tokio::test]
async fn what_goes_along_with_rows_behind_a_with_is_counted() {
    for (dialect, desk) in desks().await.into_iter().filter(|(dialect, _)| *dialect != Dialect::Mysql) {
        make(
            &desk,
            &[
                "DROP TABLE IF EXISTS less_c",
                "DROP TABLE IF EXISTS less_p",
                "CREATE TABLE less_p (id int NOT NULL PRIMARY KEY, v int)",
                "CREATE TABLE less_c (p int, FOREIGN KEY (p) REFERENCES less_p (id) ON DELETE CASCADE)",
                "INSERT INTO less_p VALUES (1, 1), (2, 2)",
                "INSERT INTO less_c VALUES (1), (1), (2)",
            ],
        )
        .await;
        let sql = "WITH low AS (SELECT id FROM less_p WHERE v < 2) DELETE FROM less_p WHERE id IN (SELECT id FROM low)";
        let said = desk.told(sql).await.effects;
        let along = "Rows of other tables that go along or change: less_c (2 rows).";
        assert_eq!(said[1], along, "{dialect:?}");
    }
}

#[tokio::test]
async fn a_schema_goes_with_its_tables_and_their_rows() {
    if let Some(desk) = in_postgres(&[
        "DROP SCHEMA IF EXISTS less_whole CASCADE",
        "CREATE SCHEMA less_whole",
        "CREATE TABLE less_whole.\"A\" (id int)",
        "CREATE TABLE less_whole.b (id int) PARTITION BY RANGE (id)",
        "CREATE TABLE less_whole.b1 PARTITION OF less_whole.b FOR VALUES FROM (0) TO (10)",
        "CREATE VIEW less_whole.seen AS SELECT id FROM less_whole.b",
        "INSERT INTO less_whole.b VALUES (1), (2)",
    ])
    .await
    {
        let preview = desk.told("DROP SCHEMA less_whole CASCADE").await;
        let said = [
            "Drops the schema less_whole with 2 tables: A (0 rows), b (2 rows).",
            "Views that go, too: seen.",
            "What else is in it or depends on it goes, too; that isn't looked up.",
        ];
        assert_eq!((preview.effects, preview.brief.as_str()), (said.map(str::to_owned).to_vec(), "2 tables"));
        assert!(matches!(preview.remedy, Remedy::Impossible(_)), "{:?}", preview.remedy);
        assert_eq!(desk.told("DROP SCHEMA less_whole").await.warnings, ["It would fail: less_whole isn't empty."]);
        desk.approved("DROP SCHEMA less_whole CASCADE").await;
        assert_eq!(desk.told("DROP SCHEMA less_whole").await.effects, ["There is no schema less_whole."]);
    }
    if let Some(url) = mariadb().await {
        let desk = Desk::keeping(&url);
        let made = ["CREATE OR REPLACE DATABASE less_whole", "CREATE TABLE less_whole.a (id int)"];
        make(&desk, &made).await;
        let said = desk.told("DROP DATABASE less_whole").await.effects;
        assert_eq!(said[0], "Drops the database less_whole with 1 table: a (0 rows).");
        desk.approved("DROP DATABASE less_whole").await;
    }
}

#[tokio::test]
async fn statements_of_one_text_are_counted_one_by_one() {
    for (dialect, desk) in desks().await {
        make(
            &desk,
            &[
                "DROP TABLE IF EXISTS less_two",
                "DROP TABLE IF EXISTS less_one",
                "CREATE TABLE less_one (id int NOT NULL PRIMARY KEY)",
                "CREATE TABLE less_two (id int, FOREIGN KEY (id) REFERENCES less_one (id))",
                "INSERT INTO less_one VALUES (1), (2)",
                "INSERT INTO less_two VALUES (1)",
            ],
        )
        .await;
        let preview = desk.told("DELETE FROM less_two; DELETE FROM less_one WHERE id = 1").await;
        let [one, two, all, _] = preview.effects.as_slice() else { panic!("{dialect:?}: {:?}", preview.effects) };
        assert_eq!(one, "1: Deletes 1 of 1 row (100.0 %) of less_two.", "{dialect:?}");
        assert_eq!(two, "2: Deletes 1 of 2 rows (50.0 %) of less_one.", "{dialect:?}");
        assert_eq!(all, "Each is counted as things are before the first.", "{dialect:?}");
        let warned = "2: As things are now, it would fail: 1 row of less_two refers to them.".to_owned();
        assert!(preview.warnings.contains(&warned), "{dialect:?}: {:?}", preview.warnings);
        assert!(matches!(preview.remedy, Remedy::Impossible(_)), "{dialect:?}: {:?}", preview.remedy);
        // What comes later may mean another table.
        let said = desk.told("DROP TABLE less_two; DELETE FROM less_one").await.effects;
        assert!(!said[0].starts_with("1: "), "{dialect:?}: {said:?}");
    }
}

#[tokio::test]
async fn the_trigger_of_a_view_decides() {
    for (dialect, desk) in desks().await {
        let (triggers, names) = match dialect {
            Dialect::Mysql => continue,
            Dialect::Sqlite => (
                vec![
                    "CREATE TRIGGER set_part INSTEAD OF UPDATE ON seen_part BEGIN UPDATE whole_part SET a = new.a WHERE id = old.id; END",
                    "CREATE TRIGGER add_part INSTEAD OF INSERT ON seen_part BEGIN INSERT INTO whole_part VALUES (new.id, new.a); END",
                ],
                ["set_part", "add_part"],
            ),
            Dialect::Postgres => (
                vec![
                    "CREATE OR REPLACE FUNCTION set_part() RETURNS trigger LANGUAGE plpgsql AS \
                     'BEGIN UPDATE whole_part SET a = new.a WHERE id = old.id; RETURN NULL; END'",
                    "CREATE OR REPLACE FUNCTION add_part() RETURNS trigger LANGUAGE plpgsql AS \
                     'BEGIN INSERT INTO whole_part VALUES (new.id, new.a); RETURN NULL; END'",
                    "CREATE TRIGGER set_part INSTEAD OF UPDATE ON seen_part FOR EACH ROW EXECUTE FUNCTION set_part()",
                    "CREATE TRIGGER add_part INSTEAD OF INSERT ON seen_part FOR EACH ROW EXECUTE FUNCTION add_part()",
                ],
                ["set_part", "add_part"],
            ),
        };
        for sql in [
            "DROP VIEW IF EXISTS seen_part",
            "DROP TABLE IF EXISTS whole_part",
            "CREATE TABLE whole_part (id int NOT NULL PRIMARY KEY, a int)",
            "INSERT INTO whole_part VALUES (1, 1), (2, 2)",
            "CREATE VIEW seen_part AS SELECT id, a FROM whole_part",
        ]
        .into_iter()
        .chain(triggers)
        {
            desk.approved(sql).await;
        }
        for (sql, name, meets) in [
            ("UPDATE seen_part SET a = 9 WHERE id = 2", names[0], "1 of 2 rows"),
            ("INSERT INTO seen_part VALUES (3, 3)", names[1], "1 row"),
        ] {
            let preview = desk.told(sql).await;
            let said =
                format!("The view's trigger decides what it does: {name}. Its own text meets {meets} of seen_part.");
            assert_eq!(preview.effects, [said], "{dialect:?}: {sql}");
            assert_eq!(preview.brief, "its trigger decides", "{dialect:?}: {sql}");
            assert_eq!(desk.approved(sql).await, format!("the view's trigger decided: {name}"), "{dialect:?}: {sql}");
        }
        assert_eq!(desk.row("SELECT count(*), sum(a) FROM whole_part").await, ["3", "13"], "{dialect:?}");
        assert_eq!(desk.approved("UPDATE whole_part SET a = 1 WHERE id = 7").await, "no rows changed", "{dialect:?}");
    }
}
