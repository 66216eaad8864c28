//! What a statement does beyond the rows of its own table, told beforehand: rows of other tables that go along, views
//! and indexes, and whether it could be undone. In SQLite always; in the servers that `COUNTERSIGN_POSTGRES` and
//! `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Detail, Dialect, Preview, Remedy};
use countersign::tools::Tool as _;
use databases::{Desk, desks, mariadb, postgres};
use tokio_util::sync::CancellationToken;

/// Whether it can be undone, in a few words.
fn undo(preview: &Preview) -> String {
    match &preview.remedy {
        Remedy::Unknown => "unknown".to_owned(),
        Remedy::Possible(how) => format!("yes: {how}"),
        Remedy::ByHand(how) => format!("by hand: {how}"),
        Remedy::Impossible(why) => format!("no: {why}"),
        Remedy::Unsure(why) => format!("unsure: {why}"),
    }
}

/// Tables that refer to one another, none of whose rows could be kept: `reach_c` has no key.
const MAKE: [&str; 13] = [
    "DROP TABLE IF EXISTS reach_g",
    "DROP TABLE IF EXISTS reach_c",
    "DROP TABLE IF EXISTS reach_n",
    "DROP TABLE IF EXISTS reach_p",
    "CREATE TABLE reach_p (id int NOT NULL PRIMARY KEY, boss int, \
     FOREIGN KEY (boss) REFERENCES reach_p (id) ON DELETE CASCADE)",
    "CREATE TABLE reach_c (code int, p int, UNIQUE (code), \
     FOREIGN KEY (p) REFERENCES reach_p (id) ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE reach_g (c int, FOREIGN KEY (c) REFERENCES reach_c (code) ON DELETE CASCADE)",
    "CREATE TABLE reach_n (p int, q int, FOREIGN KEY (p) REFERENCES reach_p (id) ON DELETE SET NULL, \
     FOREIGN KEY (q) REFERENCES reach_p (id) ON DELETE CASCADE)",
    // 2 and 3 go with 1, 4 with 3.
    "INSERT INTO reach_p VALUES (1, NULL), (2, 1), (3, 1), (4, 3), (5, NULL)",
    "INSERT INTO reach_c VALUES (10, 1), (11, 4), (12, 5), (13, NULL)",
    "INSERT INTO reach_g VALUES (10), (10), (11), (12), (NULL)",
    // Once, although it refers in two ways.
    "INSERT INTO reach_n VALUES (1, 1), (2, 5), (5, 5)",
    "DROP TABLE IF EXISTS reach_none",
];

#[tokio::test]
async fn what_goes_along_is_counted_by_table_where_it_is_not_kept() {
    for (dialect, desk) in desks().await {
        for sql in MAKE {
            desk.approved(sql).await;
        }
        for (sql, along) in [
            (
                "DELETE FROM reach_p WHERE id = 1",
                "reach_c (2 rows), reach_n (2 rows), reach_p (3 rows), reach_g (3 rows)",
            ),
            ("DELETE FROM reach_c WHERE code = 10", "reach_g (2 rows)"),
            ("UPDATE reach_p SET id = 50 WHERE id = 5", "reach_c (1 row)"),
            ("DELETE FROM reach_c WHERE code = 13", "reach_g (0 rows)"),
        ] {
            let preview = desk.told(sql).await;
            let mut said: Vec<&str> = preview.effects[1]
                .strip_prefix("Rows of other tables that go along or change: ")
                .unwrap()
                .trim_end_matches('.')
                .split(", ")
                .collect();
            let mut along: Vec<&str> = along.split(", ").collect();
            said.sort_unstable();
            along.sort_unstable();
            assert_eq!(said, along, "{dialect:?}: {sql}");
            // SQLite numbers the rows of a table without a key.
            let kept = dialect == Dialect::Sqlite && sql.starts_with("DELETE FROM reach_c");
            // By the other key of reach_n it may not change.
            let fails = sql.starts_with("UPDATE");
            let warned = preview.warnings == ["It would fail: 2 rows of reach_n refer to them."];
            assert_eq!(warned, fails, "{dialect:?}: {sql}: {:?}", preview.warnings);
            assert_eq!(undo(&preview).starts_with("no: "), !kept && !fails, "{dialect:?}: {sql}: {}", undo(&preview));
        }
        if dialect == Dialect::Mysql {
            let preview = desk.told("DELETE FROM reach_p ORDER BY id LIMIT 1").await;
            assert!(preview.effects[1].contains("reach_g (3 rows)"), "{:?}", preview.effects);
        }
        // What is set of rows in the way is what matters.
        let clause =
            if dialect == Dialect::Mysql { "ON DUPLICATE KEY UPDATE" } else { "ON CONFLICT (id) DO UPDATE SET" };
        for (set, along) in [("boss = 1", None), ("id = 50", Some("reach_c"))] {
            let preview = desk.told(&format!("INSERT INTO reach_p VALUES (5, NULL) {clause} {set}")).await;
            let said = along.map(|table| {
                format!("Rows of other tables that go along or change: {table}, and what refers to those.")
            });
            assert_eq!(preview.effects.get(1), said.as_ref(), "{dialect:?}: {set}");
            let warned = preview.warnings.iter().any(|said| said == "It may fail: reach_n refers to it.");
            assert_eq!(warned, along.is_some(), "{dialect:?}: {set}: {:?}", preview.warnings);
        }
        // As told, so it happens.
        let count = |table: &str| format!("SELECT count(*) FROM {table}");
        desk.approved("DELETE FROM reach_p WHERE id = 1").await;
        for (table, left) in [("reach_p", "1"), ("reach_c", "2"), ("reach_g", "2"), ("reach_n", "2")] {
            // Of two rows that changed, one is there, with less.
            assert_eq!(desk.row(&count(table)).await, [left], "{dialect:?}: {table}");
        }
    }
}

#[tokio::test]
async fn a_chain_that_is_too_long_says_that_more_may_go() {
    for (dialect, desk) in desks().await {
        for sql in [
            "DROP TABLE IF EXISTS reach_chain",
            "CREATE TABLE reach_chain (id int NOT NULL PRIMARY KEY, boss int, \
             FOREIGN KEY (boss) REFERENCES reach_chain (id) ON DELETE CASCADE)",
            "INSERT INTO reach_chain VALUES (1, NULL), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (7, 6), (8, 7)",
        ] {
            desk.approved(sql).await;
        }
        let preview = desk.told("DELETE FROM reach_chain WHERE id = 1").await;
        assert_eq!(
            preview.effects[1],
            "Rows of other tables that go along or change: reach_chain (5 rows), and what refers to those.",
            "{dialect:?}"
        );
    }
}

#[tokio::test]
async fn what_could_be_undone_or_not_is_said_of_every_write() {
    let nothing = "no: nothing of what it changes is kept.";
    for (dialect, desk) in desks().await {
        for sql in [
            "DROP VIEW IF EXISTS said_over",
            "DROP VIEW IF EXISTS said_view",
            "DROP TABLE IF EXISTS said",
            "DROP TABLE IF EXISTS said_new",
            "CREATE TABLE said (id int NOT NULL PRIMARY KEY, a int)",
            "CREATE UNIQUE INDEX said_index ON said (a)",
            "CREATE VIEW said_view AS SELECT a FROM said",
            "CREATE VIEW said_over AS SELECT a FROM said_view",
        ] {
            desk.approved(sql).await;
        }
        let dropped = desk.told("DROP VIEW said_view").await;
        let (brief, warned): (&str, &[&str]) = match dialect {
            Dialect::Postgres => ("would fail", &["It would fail: view said_over needs it."]),
            Dialect::Sqlite | Dialect::Mysql => ("drops a view", &[]),
        };
        assert_eq!(
            (dropped.brief.as_str(), dropped.warnings.as_slice()),
            (brief, warned.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice())
        );
        assert_eq!(dropped.effects, ["Drops the view said_view.", "Views that read it: said_over."], "{dialect:?}");
        let [Detail::Text(text)] = dropped.details.as_slice() else { panic!("{dialect:?}: {:?}", dropped.details) };
        assert!(text.body.to_lowercase().contains("select") && text.body.contains("said"), "{}", text.body);
        assert_eq!(undo(&dropped), if dialect == Dialect::Postgres { "unknown" } else { nothing });
        let table = desk.told("DROP TABLE said").await;
        assert!(table.effects.contains(&"Views that read it: said_view.".to_owned()), "{dialect:?}: {table:?}");
        let on = if dialect == Dialect::Mysql { " ON said" } else { "" };
        let index = desk.told(&format!("DROP INDEX said_index{on}")).await;
        let [Detail::Text(text)] = index.details.as_slice() else { panic!("{dialect:?}: {:?}", index.details) };
        assert!(text.body.contains("UNIQUE") && text.body.contains("said_index"), "{}", text.body);
        assert_eq!((index.brief.as_str(), undo(&index).as_str()), ("drops an index", nothing));
        for (sql, brief, says) in [
            ("CREATE TABLE said_new (a int)", "new table", "by hand: `DROP TABLE said_new` undoes it."),
            ("CREATE VIEW said_more AS SELECT 1 AS a", "new view", "by hand: `DROP VIEW said_more` undoes it."),
            ("CREATE TABLE IF NOT EXISTS said_new (a int)", "new table", "by hand: `DROP TABLE said_new` undoes it."),
            ("CREATE TABLE IF NOT EXISTS said (a int)", "nothing new", "unknown"),
            ("CREATE TABLE said (a int)", "would fail", "unknown"),
            ("DROP VIEW said_nowhere", "drops a view", nothing),
        ] {
            let preview = desk.told(sql).await;
            assert_eq!((preview.brief.as_str(), undo(&preview).as_str()), (brief, says), "{dialect:?}: {sql}");
        }
        assert_eq!(desk.told("DROP VIEW said_nowhere").await.effects, ["There is no view said_nowhere."]);
        assert_eq!(desk.told("DROP VIEW said").await.warnings, ["It would fail: said is no view (table)."]);
        let made = desk.told("CREATE INDEX said_more ON said (id)").await;
        let back = if dialect == Dialect::Mysql { "said_more ON said" } else { "said_more" };
        assert_eq!(undo(&made), format!("by hand: `DROP INDEX {back}` undoes it."), "{dialect:?}");
        if dialect != Dialect::Sqlite {
            let replaced = desk.told("CREATE OR REPLACE VIEW said_view AS SELECT 1 AS a").await;
            assert_eq!((replaced.brief.as_str(), undo(&replaced).as_str()), ("replaces a view", nothing));
            assert_eq!(replaced.details.len(), 1);
            for sql in ["DROP DATABASE said_base", "SET time_zone = '+01:00'"] {
                assert_eq!(undo(&desk.told(sql).await), nothing, "{dialect:?}: {sql}");
            }
            let granted = desk.told("GRANT SELECT ON said TO somebody").await;
            let taken = "by hand: `REVOKE SELECT ON said FROM somebody` takes it away again";
            assert!(undo(&granted).starts_with(taken), "{dialect:?}: {granted:?}");
        }
        if dialect == Dialect::Mysql {
            for (sql, says) in [
                ("UPDATE said JOIN said_view USING (a) SET said.a = 1", "no: it names several tables."),
                ("UPDATE said, said_view SET said.a = 1", "no: it names several tables."),
                ("DELETE said FROM said JOIN said_view USING (a)", "no: it names several tables."),
            ] {
                assert_eq!(undo(&desk.told(sql).await), says, "{sql}");
            }
        } else {
            assert_eq!(undo(&desk.told("VACUUM").await), nothing);
        }
        if dialect == Dialect::Postgres {
            // One in another schema of the search path is not in the way.
            let made = desk.told("CREATE TABLE pg_class (a int)").await;
            assert_eq!(undo(&made), "by hand: `DROP TABLE \"public\".pg_class` undoes it.");
        }
        let read = desk.judged("SELECT a FROM said FOR UPDATE").await;
        if dialect != Dialect::Sqlite {
            let preview = desk.tool.preview(&read, CancellationToken::new()).await.unwrap().unwrap();
            assert!(preview.effects[0].starts_with("It gives rows. What else it does isn't known"), "{preview:?}");
        }
    }
}

#[tokio::test]
async fn rows_that_a_query_brings_are_headed_by_the_columns_they_go_to() {
    for (dialect, desk) in desks().await {
        for sql in [
            "DROP TABLE IF EXISTS headed",
            "CREATE TABLE headed (id int NOT NULL PRIMARY KEY, name varchar(9), more int)",
        ] {
            desk.approved(sql).await;
        }
        for (sql, columns) in [
            ("INSERT INTO headed SELECT 1, 'a', 2 * 3", ["id", "name", "more"].as_slice()),
            ("INSERT INTO headed (more, id) SELECT 1 + 1, 7", &["more", "id"]),
        ] {
            let preview = desk.told(sql).await;
            let [Detail::Rows { table, .. }] = preview.details.as_slice() else { panic!("{:?}", preview.details) };
            assert_eq!(table.columns, columns, "{dialect:?}: {sql}");
        }
    }
}

#[tokio::test]
async fn triggers_and_cascades_of_servers_are_named() {
    if let Some(url) = postgres().await {
        let desk = Desk::new(&url);
        for sql in [
            "DROP TABLE IF EXISTS foresight_child, foresight_parent",
            "CREATE TABLE foresight_parent (id int PRIMARY KEY)",
            "CREATE TABLE foresight_child (p int REFERENCES foresight_parent ON DELETE CASCADE)",
            "CREATE OR REPLACE FUNCTION foresight_note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'",
            "CREATE TRIGGER noted BEFORE DELETE ON foresight_parent FOR EACH ROW EXECUTE FUNCTION foresight_note()",
        ] {
            desk.approved(sql).await;
        }
        let told = desk.told("DELETE FROM Foresight_parent").await;
        assert_eq!(
            told.effects[1..],
            ["Triggers that fire: noted.", "Rows of other tables that go along or change: foresight_child (0 rows)."]
        );
    }
    if let Some(url) = mariadb().await {
        let desk = Desk::new(&url);
        for sql in [
            "DROP TABLE IF EXISTS foresight_child",
            "DROP TABLE IF EXISTS foresight_parent",
            "CREATE TABLE foresight_parent (id int PRIMARY KEY) ENGINE=InnoDB",
            "CREATE TABLE foresight_child (p int, FOREIGN KEY (p) REFERENCES foresight_parent (id) ON DELETE CASCADE) ENGINE=InnoDB",
            "CREATE TRIGGER noted BEFORE DELETE ON foresight_parent FOR EACH ROW SET @noted = 1",
        ] {
            desk.approved(sql).await;
        }
        let told = desk.told("DELETE FROM foresight_parent").await;
        assert_eq!(
            told.effects[1..],
            ["Triggers that fire: noted.", "Rows of other tables that go along or change: foresight_child (0 rows)."]
        );
    }
}

#[tokio::test]
async fn triggers_of_rows_that_go_along_are_named() {
    for (dialect, desk) in desks().await {
        // MariaDB fires none for what its keys do.
        let trigger = match dialect {
            Dialect::Mysql => continue,
            Dialect::Sqlite => "CREATE TRIGGER fired_gone AFTER DELETE ON fired_c BEGIN SELECT 1; END",
            Dialect::Postgres => {
                "CREATE OR REPLACE FUNCTION fired_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'; \
                 CREATE TRIGGER fired_gone AFTER DELETE ON fired_c FOR EACH ROW EXECUTE FUNCTION fired_gone()"
            }
        };
        for sql in [
            "DROP TABLE IF EXISTS fired_c",
            "DROP TABLE IF EXISTS fired_p",
            "CREATE TABLE fired_p (id int NOT NULL PRIMARY KEY)",
            "CREATE TABLE fired_c (p int, FOREIGN KEY (p) REFERENCES fired_p (id) ON DELETE CASCADE)",
            trigger,
            "INSERT INTO fired_p VALUES (1), (2)",
            "INSERT INTO fired_c VALUES (1)",
        ] {
            desk.approved(sql).await;
        }
        let said = "Triggers that fire for rows that go along or change: fired_gone (of fired_c).".to_owned();
        assert!(desk.told("DELETE FROM fired_p WHERE id = 1").await.effects.contains(&said), "{dialect:?}");
        assert!(!desk.told("DELETE FROM fired_p WHERE id = 2").await.effects.contains(&said), "{dialect:?}");
        desk.approved("DROP TABLE fired_c").await;
        desk.approved("DROP TABLE fired_p").await;
    }
}

#[tokio::test]
async fn triggers_of_rows_that_move_between_partitions_are_named() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    for sql in [
        "DROP TABLE IF EXISTS fired_part",
        "CREATE TABLE fired_part (id int, n int) PARTITION BY RANGE (id)",
        "CREATE TABLE fired_part1 PARTITION OF fired_part FOR VALUES FROM (0) TO (10)",
        "CREATE TABLE fired_part2 PARTITION OF fired_part FOR VALUES FROM (10) TO (20)",
        "CREATE OR REPLACE FUNCTION fired_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'",
        "CREATE TRIGGER fired_moves AFTER DELETE ON fired_part1 FOR EACH ROW EXECUTE FUNCTION fired_gone()",
        "INSERT INTO fired_part VALUES (1, 1)",
    ] {
        desk.approved(sql).await;
    }
    let said = "Triggers that fire for rows that move to another part: fired_moves.".to_owned();
    assert!(desk.told("UPDATE fired_part SET id = id + 10").await.effects.contains(&said));
    assert!(!desk.told("UPDATE fired_part SET n = 2").await.effects.contains(&said));
    desk.approved("DROP TABLE fired_part").await;
}
