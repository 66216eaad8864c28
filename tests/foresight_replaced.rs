//! Rows that a statement deletes without naming them, counted beforehand and compared with what happens: those in the
//! way of a `REPLACE`, those that a `MERGE` or a `TRUNCATE … CASCADE` takes along. In SQLite always; in the servers that
//! `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Detail, Dialect, Preview, Remedy};
use databases::{As, Desk, desks, postgres};
use tokio_util::sync::CancellationToken;

async fn count(desk: &Desk, rows: &str) -> u64 {
    desk.row(&format!("SELECT count(*) FROM {rows}")).await[0].parse().unwrap()
}

const ALONG: &str = "Rows of other tables that go along or change: ";

/// Tables where a row may be in the way by either of two keys.
const KEYED: [&str; 9] = [
    "DROP TABLE IF EXISTS way_n",
    "DROP TABLE IF EXISTS way_c",
    "DROP TABLE IF EXISTS way_p",
    "CREATE TABLE way_p (id int NOT NULL PRIMARY KEY, a int, b int, name varchar(9) DEFAULT 'x', UNIQUE (a, b))",
    "CREATE TABLE way_c (p int, FOREIGN KEY (p) REFERENCES way_p (id) ON DELETE CASCADE)",
    "CREATE TABLE way_n (p int, FOREIGN KEY (p) REFERENCES way_p (id) ON DELETE SET NULL)",
    "INSERT INTO way_p VALUES (1, 1, 1, 'a'), (2, 2, 2, 'b'), (3, 3, NULL, 'c'), (4, 4, 4, 'd')",
    "INSERT INTO way_c VALUES (1), (1), (2), (3), (4), (NULL)",
    "INSERT INTO way_n VALUES (2), (4)",
];

#[tokio::test]
async fn rows_in_the_way_are_counted_with_what_goes_along() {
    for (dialect, desk) in desks().await {
        if dialect == Dialect::Postgres {
            continue;
        }
        for (sql, brought, gone, along) in [
            ("REPLACE INTO way_p VALUES (1, 2, 2, 'x'), (9, 9, 9, 'y')", 2, "2 rows", [3, 1]),
            ("REPLACE INTO way_p (name, id) VALUES ('it''s', 3)", 1, "1 row", [1, 0]),
            ("REPLACE INTO way_p VALUES (8, 3, NULL, 'x')", 1, "0 rows", [0, 0]),
            ("REPLACE INTO way_p SELECT id + 1, NULL, NULL, 'q' FROM way_p WHERE id < 4", 3, "3 rows", [3, 2]),
            ("REPLACE INTO way_p (id, b, a) SELECT 20 + id, b, a FROM way_p WHERE id > 1", 3, "2 rows", [2, 2]),
            ("REPLACE INTO way_p VALUES ('4', 1 + 0, 1, NULL)", 1, "2 rows", [3, 1]),
            ("REPLACE INTO way_p VALUES (1, 7, 7, 'x'), (1, 8, 8, 'y')", 1, "1 row", [2, 0]),
        ] {
            for made in KEYED {
                desk.approved(made).await;
            }
            let preview = desk.told(sql).await;
            let ends = format!(" to way_p. Rows that are in their way are deleted: {gone}.");
            assert!(preview.effects[0].ends_with(&ends), "{dialect:?}: {sql}: {:?}", preview.effects);
            let rows = |rows: u64| if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
            let names = format!("{ALONG}way_c ({}), way_n ({}).", rows(along[0]), rows(along[1]));
            let other = format!("{ALONG}way_n ({}), way_c ({}).", rows(along[1]), rows(along[0]));
            assert!([names, other].contains(&preview.effects[1]), "{dialect:?}: {sql}: {:?}", preview.effects);
            let number: u64 = gone.split(' ').next().unwrap().parse().unwrap();
            let shown = preview.details.iter().any(|detail| match detail {
                Detail::Rows { title, table } => {
                    title == "rows in their way, which are deleted" && table.total == number
                }
                _ => false,
            });
            assert_eq!(shown, number > 0, "{dialect:?}: {sql}: {:?}", preview.details);
            // As told, so it happens.
            desk.approved(sql).await;
            assert_eq!(count(&desk, "way_p").await, 4 + brought - number, "{dialect:?}: {sql}");
            assert_eq!(count(&desk, "way_c").await, 6 - along[0], "{dialect:?}: {sql}");
            assert_eq!(count(&desk, "way_n WHERE p IS NULL").await, along[1], "{dialect:?}: {sql}");
        }
        let brief = desk.told("REPLACE INTO way_p VALUES (1, 2, 2, 'x'), (50, 9, 9, 'y')").await.brief;
        assert_eq!(brief, "2 rows, and 2 in their way", "{dialect:?}");
    }
}

#[tokio::test]
async fn rows_in_the_way_that_cannot_be_told_are_said_not_to_be_counted() {
    for (dialect, desk) in desks().await {
        if dialect == Dialect::Postgres {
            continue;
        }
        for sql in [
            "DROP TABLE IF EXISTS way_filled",
            "CREATE TABLE way_filled (id int NOT NULL PRIMARY KEY, a int DEFAULT 5, UNIQUE (a))",
            "INSERT INTO way_filled VALUES (1, 5)",
        ] {
            desk.approved(sql).await;
        }
        for sql in [
            "REPLACE INTO way_filled (id) VALUES (2)",
            "REPLACE INTO way_filled VALUES (2, (SELECT max(a) FROM way_filled))",
        ] {
            let said = &desk.told(sql).await.effects[0];
            assert_eq!(
                said,
                "Adds 1 row to way_filled. Rows that are in their way are deleted; how many isn't counted."
            );
        }
        // Which rows the query brings is left to chance.
        let random = if dialect == Dialect::Mysql { "rand() < 2" } else { "random() <> 0.5" };
        let sql = format!("REPLACE INTO way_filled SELECT id, a FROM way_filled WHERE {random}");
        let said = &desk.told(&sql).await.effects[0];
        assert_eq!(said, "Adds about 1 row to way_filled. Rows that are in their way are deleted: about 1 row.");
        if dialect == Dialect::Sqlite {
            desk.approved("CREATE UNIQUE INDEX way_partial ON way_filled (a) WHERE id > 3").await;
        } else {
            desk.approved("ALTER TABLE way_filled ADD s varchar(20), ADD UNIQUE (s(3))").await;
        }
        let more = if dialect == Dialect::Sqlite { "" } else { ", 'x'" };
        let said = &desk.told(&format!("REPLACE INTO way_filled VALUES (1, 2{more})")).await.effects[0];
        assert!(said.ends_with("how many isn't counted."), "{dialect:?}: {said}");
    }
}

#[tokio::test]
async fn a_merge_that_meets_a_row_twice_would_fail() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    for sql in [
        "DROP TABLE IF EXISTS mer_twice, mer_news",
        "CREATE TABLE mer_twice (id int PRIMARY KEY, n int)",
        "CREATE TABLE mer_news (id int, n int)",
        "INSERT INTO mer_twice VALUES (1, 1), (2, 2), (3, 3)",
        "INSERT INTO mer_news VALUES (1, 5), (1, 6), (2, 7), (1, -1)",
    ] {
        desk.approved(sql).await;
    }
    let into = "MERGE INTO mer_twice t USING mer_news s ON t.id = s.id WHEN MATCHED";
    let preview = desk.told(&format!("{into} THEN UPDATE SET n = s.n")).await;
    assert_eq!(preview.effects[0], "Changes 2 of 3 rows (66.7 %) of mer_twice.");
    let said = "It would fail: several rows of its source meet the same row of mer_twice, which it can't change twice.";
    assert_eq!((preview.warnings.as_slice(), preview.brief.as_str()), ([said.to_owned()].as_slice(), "would fail"));
    let (_, report) =
        desk.with(&format!("{into} THEN UPDATE SET n = s.n"), As::Approved, CancellationToken::new()).await;
    assert!(report.result.contains("second time"), "{}", report.result);
    let once = format!("{into} AND s.n IN (6, 7) THEN UPDATE SET n = s.n WHEN MATCHED THEN DO NOTHING");
    let preview = desk.told(&once).await;
    assert_eq!(
        (preview.effects[0].as_str(), preview.warnings.len()),
        ("Changes 2 of 3 rows (66.7 %) of mer_twice.", 0)
    );
    desk.approved(&once).await;
    desk.approved("DROP TABLE mer_twice, mer_news").await;
}

#[tokio::test]
async fn what_goes_along_with_a_merge_is_counted() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    let make = [
        "DROP TABLE IF EXISTS mer_far, mer_child, mer_kept, mer_t, mer_s",
        "CREATE TABLE mer_t (id int PRIMARY KEY, k int UNIQUE, n int)",
        "CREATE TABLE mer_s (id int, n int)",
        "CREATE TABLE mer_child (id int PRIMARY KEY, t int REFERENCES mer_t ON DELETE CASCADE)",
        "CREATE TABLE mer_far (c int REFERENCES mer_child ON DELETE CASCADE)",
        "CREATE TABLE mer_kept (k int REFERENCES mer_t (k) ON UPDATE CASCADE ON DELETE SET NULL)",
        "INSERT INTO mer_t SELECT g, g * 10, g FROM generate_series(1, 6) g",
        "INSERT INTO mer_s VALUES (1, 0), (2, 5), (3, 5), (8, 5), (9, 0)",
        "INSERT INTO mer_child VALUES (1, 1), (2, 1), (3, 2), (4, 6)",
        "INSERT INTO mer_far VALUES (1), (1), (3), (4)",
        "INSERT INTO mer_kept VALUES (10), (20), (20), (30), (60), (NULL)",
    ];
    let into = "MERGE INTO mer_t AS t USING mer_s s ON t.id = s.id";
    for (clauses, effects, left) in [
        (
            "WHEN MATCHED AND s.n = 0 THEN DELETE WHEN MATCHED AND t.id = 3 THEN DO NOTHING \
             WHEN MATCHED THEN UPDATE SET k = t.k + 1 WHEN NOT MATCHED AND s.n > 0 THEN INSERT VALUES (s.id, s.id, 0)",
            [
                "Changes or deletes 2 of 6 rows (33.3 %) of mer_t, and adds 1.",
                "mer_child (2 rows), mer_far (2 rows), mer_kept (3 rows)",
            ],
            [6, 2, 2, 2],
        ),
        (
            "WHEN MATCHED THEN DELETE",
            ["Deletes 3 of 6 rows (50.0 %) of mer_t.", "mer_child (3 rows), mer_far (3 rows), mer_kept (4 rows)"],
            [3, 1, 1, 5],
        ),
        (
            "WHEN MATCHED THEN UPDATE SET k = -t.k WHEN NOT MATCHED THEN DO NOTHING",
            ["Changes 3 of 6 rows (50.0 %) of mer_t.", "mer_kept (4 rows)"],
            [6, 4, 4, 1],
        ),
        ("WHEN MATCHED THEN UPDATE SET n = 0", ["Changes 3 of 6 rows (50.0 %) of mer_t.", ""], [6, 4, 4, 1]),
        ("WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)", ["Adds 2 rows to mer_t.", ""], [8, 4, 4, 1]),
    ] {
        for sql in make {
            desk.approved(sql).await;
        }
        let sql = format!("{into} {clauses}");
        let preview = desk.told(&sql).await;
        assert_eq!(preview.effects[0], effects[0], "{sql}");
        let said = preview.effects.get(1).map_or("", |said| said.strip_prefix(ALONG).unwrap().trim_end_matches('.'));
        let mut said: Vec<&str> = said.split(", ").collect();
        said.sort_unstable();
        assert_eq!(said.join(", "), effects[1], "{sql}");
        // As told, so it happens.
        desk.approved(&sql).await;
        for (table, rows) in ["mer_t", "mer_child", "mer_far", "mer_kept WHERE k IS NULL"].into_iter().zip(left) {
            assert_eq!(count(&desk, table).await, rows, "{sql}: {table}");
        }
    }
}

#[tokio::test]
async fn tables_that_are_emptied_together_are_counted() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    for sql in [
        "DROP SCHEMA IF EXISTS emptied CASCADE",
        "CREATE SCHEMA emptied",
        "CREATE TABLE emptied.a (id int PRIMARY KEY, up int REFERENCES emptied.a)",
        "CREATE TABLE emptied.heir (UNIQUE (id)) INHERITS (emptied.a)",
        "CREATE TABLE emptied.b (id int PRIMARY KEY, a int REFERENCES emptied.a)",
        "CREATE TABLE emptied.b_heir () INHERITS (emptied.b)",
        "CREATE TABLE emptied.c (b int REFERENCES emptied.b, a int REFERENCES emptied.a)",
        "CREATE TABLE emptied.h (id int REFERENCES emptied.heir (id))",
        "CREATE TABLE emptied.parts (b int REFERENCES emptied.b) PARTITION BY RANGE (b)",
        "CREATE TABLE emptied.parts_low PARTITION OF emptied.parts FOR VALUES FROM (0) TO (5)",
        "CREATE TABLE emptied.parts_high PARTITION OF emptied.parts FOR VALUES FROM (5) TO (100)",
        "CREATE TABLE emptied.other (id int)",
        "INSERT INTO emptied.a SELECT g, 1 FROM generate_series(1, 9) g",
        "INSERT INTO emptied.heir VALUES (100, NULL), (101, NULL)",
        "INSERT INTO emptied.b SELECT g, g FROM generate_series(1, 8) g",
        "INSERT INTO emptied.b_heir VALUES (200, NULL)",
        "INSERT INTO emptied.c VALUES (1, 1), (2, NULL)",
        "INSERT INTO emptied.h VALUES (100)",
        "INSERT INTO emptied.parts VALUES (1), (6), (7)",
        "INSERT INTO emptied.other VALUES (1)",
    ] {
        desk.approved(sql).await;
    }
    let preview = desk.told("TRUNCATE emptied.b CASCADE").await;
    assert_eq!(preview.effects[1], "Tables that are emptied, too: c (2 rows), parts (3 rows).");
    let preview = desk.told("TRUNCATE ONLY emptied.a CASCADE").await;
    assert_eq!(preview.effects[1], "Tables that are emptied, too: b (8 rows), c (2 rows), parts (3 rows).");
    let preview = desk.told("TRUNCATE emptied.a CASCADE").await;
    assert!(preview.effects[0].starts_with("Empties emptied.a: 11 rows"), "{:?}", preview.effects);
    assert_eq!(preview.effects[1], "Tables that are emptied, too: b (8 rows), c (2 rows), h (1 row), parts (3 rows).");
    assert_eq!(desk.told("TRUNCATE emptied.other CASCADE").await.effects.len(), 1);
    let preview = desk.told("TRUNCATE emptied.other, emptied.b, emptied.c CASCADE").await;
    let said: Vec<&str> = preview.effects.iter().map(|effect| effect.split(", ").next().unwrap()).collect();
    let empties = |table: &str, rows: &str| format!("Empties emptied.{table}: {rows}");
    assert_eq!(
        (said, preview.brief.as_str()),
        (
            vec![
                empties("other", "1 row").as_str(),
                empties("b", "9 rows").as_str(),
                "Tables that are emptied",
                empties("c", "2 rows").as_str(),
            ],
            "12 rows of 3 tables"
        )
    );
    assert_eq!(preview.effects[2], "Tables that are emptied, too: parts (3 rows).");
    // As told, so it happens: what inherits from one that goes along stays.
    desk.approved("TRUNCATE emptied.a CASCADE").await;
    for (table, left) in [("a", 0), ("b", 1), ("c", 0), ("h", 0), ("parts", 0), ("other", 1)] {
        assert_eq!(count(&desk, &format!("emptied.{table}")).await, left, "{table}");
    }
    desk.approved("DROP SCHEMA emptied CASCADE").await;
}

#[tokio::test]
async fn several_tables_that_go_are_told_one_by_one() {
    for (dialect, desk) in desks().await {
        // SQLite drops one at a time.
        if dialect == Dialect::Sqlite {
            continue;
        }
        for sql in [
            "DROP VIEW IF EXISTS go_seen",
            "DROP TABLE IF EXISTS go_c, go_b, go_a",
            "CREATE TABLE go_a (id int NOT NULL PRIMARY KEY)",
            "CREATE TABLE go_b (a int, FOREIGN KEY (a) REFERENCES go_a (id))",
            "CREATE TABLE go_c (a int, FOREIGN KEY (a) REFERENCES go_a (id))",
            "CREATE VIEW go_seen AS SELECT a FROM go_b",
            "INSERT INTO go_a VALUES (1), (2)",
            "INSERT INTO go_b VALUES (1)",
        ] {
            desk.approved(sql).await;
        }
        assert_eq!(desk.told("DROP TABLE IF EXISTS go_none").await.effects, ["There is no table go_none."]);
        let preview = desk.told("DROP TABLE IF EXISTS go_b, go_none, go_a").await;
        let begins: Vec<&str> = preview.effects.iter().map(|effect| effect.split(',').next().unwrap()).collect();
        assert_eq!(
            begins,
            [
                "Drops go_b with 1 row",
                "Views that read it: go_seen.",
                "There is no table go_none.",
                "Drops go_a with 2 rows",
                "Tables that refer to it: go_c.",
            ],
            "{dialect:?}"
        );
        assert_eq!((preview.brief.as_str(), preview.remedy), ("would fail", Remedy::Unknown), "{dialect:?}");
        let refers = "It would fail: go_c refers to it.".to_owned();
        assert!(preview.warnings.contains(&refers), "{dialect:?}: {:?}", preview.warnings);
        desk.approved("DROP VIEW go_seen").await;
        let preview = desk.told("DROP TABLE IF EXISTS go_b, go_none, go_c, go_a").await;
        assert!(preview.warnings.is_empty(), "{dialect:?}: {:?}", preview.warnings);
        assert_eq!(preview.brief, "3 rows of 3 tables", "{dialect:?}");
        let Remedy::Impossible(why) = preview.remedy else { panic!("{dialect:?}: {:?}", preview.remedy) };
        assert_eq!(why, "nothing of what it changes is kept.", "{dialect:?}");
    }
}

#[tokio::test]
async fn a_text_with_letters_of_four_bytes_is_looked_up_like_any_other() {
    for (dialect, desk) in desks().await {
        // A server's own may be one without these letters.
        let letters = if dialect == Dialect::Mysql { " CHARACTER SET utf8mb4" } else { "" };
        for sql in [
            "DROP TABLE IF EXISTS wide",
            &format!("CREATE TABLE wide (id int NOT NULL PRIMARY KEY, name varchar(9)){letters}"),
            "INSERT INTO wide VALUES (1, 'a'), (2, 'b')",
        ] {
            desk.approved(sql).await;
        }
        let preview = desk.told("DELETE FROM wide WHERE name = '😀' OR id = 2").await;
        assert_eq!(preview.effects[0], "Deletes 1 of 2 rows (50.0 %) of wide.", "{dialect:?}");
        assert!(matches!(preview.remedy, Remedy::Possible(_)), "{dialect:?}: {:?}", preview.remedy);
        assert_eq!(desk.row("SELECT 1 FROM wide WHERE name = '😀' OR id = 1").await, ["1"], "{dialect:?}");
    }
}

#[tokio::test]
async fn what_goes_with_a_table_that_is_replaced_is_told_as_for_one_that_is_dropped() {
    for (dialect, desk) in desks().await {
        if dialect != Dialect::Mysql {
            continue;
        }
        for sql in [
            "DROP VIEW IF EXISTS taken_view",
            "CREATE OR REPLACE TABLE taken (a int)",
            "INSERT INTO taken VALUES (1), (2), (3)",
            "CREATE VIEW taken_view AS SELECT a FROM taken",
        ] {
            desk.approved(sql).await;
        }
        let preview = desk.told("CREATE OR REPLACE TABLE taken AS SELECT 1 AS a").await;
        assert_eq!(preview.effects[0], "Replaces the table taken.");
        assert!(preview.effects[1].starts_with("Drops taken with 3 rows, "), "{:?}", preview.effects);
        assert!(preview.effects.contains(&"Views that read it: taken_view.".to_owned()), "{:?}", preview.effects);
        assert_eq!(preview.brief, "replaces a table, 3 rows");
    }
}

#[tokio::test]
async fn what_goes_along_with_a_column_or_a_key_is_told() {
    for (dialect, desk) in desks().await {
        if dialect != Dialect::Postgres {
            continue;
        }
        for sql in [
            "DROP SCHEMA IF EXISTS alter_along CASCADE",
            "CREATE SCHEMA alter_along",
            "CREATE TABLE alter_along.t (a int PRIMARY KEY, c int)",
            "CREATE TABLE alter_along.r (t int REFERENCES alter_along.t)",
            "CREATE VIEW alter_along.v AS SELECT c FROM alter_along.t",
            "CREATE MATERIALIZED VIEW alter_along.m AS SELECT c FROM alter_along.t",
        ] {
            desk.approved(sql).await;
        }
        let all = |preview: Preview| preview.effects.join(" ");
        let column = all(desk.told("ALTER TABLE alter_along.t DROP COLUMN c CASCADE").await);
        assert!(column.contains("Views that go, too, where they use what it drops: "), "{column}");
        assert!(column.contains('m') && column.contains("and what reads those."), "{column}");
        let key = all(desk.told("ALTER TABLE alter_along.t DROP CONSTRAINT t_pkey CASCADE").await);
        assert!(key.contains("Tables that lose the key by which they refer to it, where that uses"), "{key}");
        let plain = all(desk.told("ALTER TABLE alter_along.t DROP COLUMN c").await);
        assert!(plain.contains("Views that read it: "), "{plain}");
        desk.approved("DROP SCHEMA alter_along CASCADE").await;
    }
}
