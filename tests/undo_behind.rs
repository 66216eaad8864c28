//! What a change behind a `WITH` did comes back, and what one did that says `OR REPLACE` or `OR IGNORE`, or that a query with a
//! `LIMIT` picks rows for: generated statements are run, taken back and done again, and the whole table is compared each
//! time. SQLite always; the servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/dice.rs"]
mod dice;
#[path = "common/left_out.rs"]
mod left_out;
#[path = "common/there_and_back.rs"]
mod there_and_back;

use countersign::domain::{Dialect, Outcome, Remedy, RunEvent, Undoable};
use databases::{As, Desk, desks};
use dice::Dice;
use serde_json::json;
use there_and_back::{make, ran, rows, there_and_back};
use tokio_util::sync::CancellationToken;

/// Statements for each engine.
const STATEMENTS: usize = 80;

const MAKE: [&str; 4] = [
    "DROP TABLE IF EXISTS beh",
    "DROP TABLE IF EXISTS beh_other",
    "CREATE TABLE beh (id int NOT NULL PRIMARY KEY, mail varchar(20) UNIQUE, a int, b int, n int, UNIQUE (a, b))",
    "CREATE TABLE beh_other (id int, mail varchar(20), n int)",
];
const ALL: &str = "SELECT id, mail, a, b, n FROM beh ORDER BY id";

async fn seed(desk: &Desk) {
    make(desk, &["DELETE FROM beh", "DELETE FROM beh_other"]).await;
    let row = |id: i32| format!("({id}, 'm{id}', {}, {}, {})", id / 4, id % 4, id % 7);
    let rows: Vec<String> = (0..20).map(row).collect();
    desk.approved(&format!("INSERT INTO beh VALUES {}", rows.join(", "))).await;
    desk.approved("UPDATE beh SET mail = NULL WHERE id IN (4, 5)").await;
    desk.approved("INSERT INTO beh_other VALUES (3, 'm3', 1), (8, 'o8', 2), (9, 'm1', 2), (30, 'o30', 3)").await;
}

/// What stands behind `SET`.
fn sets(dice: &mut Dice) -> String {
    let (id, number) = (dice.roll(24), dice.roll(6));
    match dice.roll(6) {
        0 => format!("mail = 'm{id}'"),
        1 => format!("a = {number}, n = 9"),
        2 => "b = 1 + b, a = 5 - a".to_owned(),
        3 => "mail = 'x' || id".to_owned(),
        4 => "mail = NULL, n = NULL".to_owned(),
        _ => "n = n + 1".to_owned(),
    }
}

/// A condition, by a query before it or one of its own.
fn narrowed(dice: &mut Dice) -> String {
    let (low, some) = (dice.roll(20), dice.roll(4) + 1);
    match dice.roll(5) {
        0 => format!("id IN (SELECT id FROM few WHERE id > {low})"),
        1 => format!("id IN (SELECT id FROM few) OR id = {low}"),
        2 => format!("id IN (SELECT id FROM beh_other LIMIT {some})"),
        3 => format!("n >= (SELECT max(n) FROM few) AND id < {low}"),
        _ => format!("EXISTS (SELECT 1 FROM few WHERE few.id = beh.id AND few.id < {low})"),
    }
}

fn statement(dice: &mut Dice, dialect: Dialect) -> String {
    let (low, some) = (dice.roll(20), dice.roll(4) + 1);
    let few =
        dice.pick(&["n > 3", "n > 3 ORDER BY n LIMIT 5", "id < 15", "n IS NULL OR id > 10 ORDER BY id DESC LIMIT 7"]);
    let (sets, narrowed) = (sets(dice), narrowed(dice));
    let with = if narrowed.contains("few") {
        format!("WITH few AS (SELECT id, n FROM beh WHERE {few}) ")
    } else {
        String::new()
    };
    let back = dice.pick(&["", "", " RETURNING id, n", " RETURNING *"]);
    let or = dice.pick(&["", " OR REPLACE", " OR IGNORE", " OR REPLACE"]);
    let plain = dice.pick(&["id > 4", "n = 3", "id IN (1, 2, 17)", "mail IS NULL", "id % 2 = 0"]);
    match (dialect, dice.roll(7)) {
        // MariaDB knows no `WITH` before a change.
        (Dialect::Mysql, 0 | 1) => {
            let query = format!("SELECT id FROM (SELECT id FROM beh ORDER BY n, id LIMIT {some}) AS few");
            format!("DELETE FROM beh WHERE id IN ({query})")
        }
        (Dialect::Mysql, 2) => format!("DELETE FROM beh WHERE {plain}{}", back.trim_end_matches(", n")),
        (Dialect::Mysql, _) => {
            format!("UPDATE beh SET n = n + 1 WHERE id IN (SELECT id FROM beh_other WHERE id > {low})")
        }
        (Dialect::Sqlite, 0..=2) => format!("UPDATE{or} beh SET {sets} WHERE {plain}{back}"),
        (_, 3) => format!("{with}DELETE FROM beh WHERE {narrowed}{back}"),
        (_, 4) => {
            let with = "WITH few AS (SELECT id, n FROM beh_other ORDER BY id)";
            format!("{with} UPDATE beh SET n = few.n FROM few WHERE few.id = beh.id AND beh.id > {low}")
        }
        (_, 5) => {
            let with = "WITH RECURSIVE few (id) AS (SELECT 25 UNION ALL SELECT id + 1 FROM few WHERE id < 28)";
            format!("{with} INSERT INTO beh (id, n) SELECT id, {low} FROM few WHERE id > 26{back}")
        }
        _ => format!("{with}UPDATE beh SET {sets} WHERE {narrowed}{back}"),
    }
}

#[tokio::test]
async fn what_changed_behind_a_with_comes_back() {
    for (dialect, desk) in desks().await {
        make(&desk, &MAKE).await;
        let mut dice = Dice(20_261_129);
        let (mut undone, mut failed, mut said) = (0, 0, 0);
        for _ in 0..STATEMENTS {
            seed(&desk).await;
            let sql = statement(&mut dice, dialect);
            let remedy = desk.told(&sql).await.remedy;
            let before = rows(&desk, ALL).await;
            if let Err(why) = ran(&desk, &json!({ "sql": sql }).to_string()).await {
                assert_eq!(rows(&desk, ALL).await, before, "{dialect:?}: {sql}: {why}");
                failed += 1;
                continue;
            }
            seed(&desk).await;
            assert!(matches!(remedy, Remedy::Possible(_)), "{dialect:?}: {sql}: {remedy:?}");
            said += 1;
            undone += usize::from(there_and_back(&desk, &sql, ALL).await);
        }
        println!("{}: {undone} of {STATEMENTS} taken back and done again, {failed} failed", dialect.word());
        assert!(said + failed == STATEMENTS && undone > STATEMENTS / 3, "{dialect:?}: {undone}");
    }
}

/// What a statement returns is shown as it would be by itself, without what is read along with it.
#[tokio::test]
async fn what_is_returned_is_its_own() {
    for (dialect, desk) in desks().await {
        make(&desk, &MAKE).await;
        seed(&desk).await;
        let change = if dialect == Dialect::Mysql {
            "ON DUPLICATE KEY UPDATE n = 5"
        } else {
            "ON CONFLICT (id) DO UPDATE SET n = 5"
        };
        for (sql, columns, first) in [
            (
                "INSERT INTO beh (id, n) VALUES (40, 1), (41, 2) RETURNING n * 10 AS ten, id",
                vec!["ten", "id"],
                ["10", "40"].as_slice(),
            ),
            (
                "INSERT INTO beh (id, n) VALUES (50, 1) RETURNING *",
                vec!["id", "mail", "a", "b", "n"],
                &["50", "", "", "", "1"],
            ),
            (&format!("INSERT INTO beh (id, n) VALUES (3, 1) {change} RETURNING id, n"), vec!["id", "n"], &["3", "5"]),
        ] {
            let (events, report) = desk.events(sql, As::Approved, CancellationToken::new()).await;
            assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{dialect:?}: {sql}: {}", report.result);
            let table = events.iter().rev().find_map(|event| match event {
                RunEvent::Table(table) => Some(table),
                _ => None,
            });
            let table = table.unwrap();
            assert_eq!(table.columns, columns, "{dialect:?}: {sql}");
            let told: Vec<String> = table.rows[0].iter().map(|cell| cell.clone().unwrap_or_default()).collect();
            assert_eq!(told, first, "{dialect:?}: {sql}");
            let kept = events.iter().any(|event| matches!(event, RunEvent::Undoable(Undoable::Call(_))));
            assert!(kept, "{dialect:?}: {sql}: {events:?}");
        }
    }
}

/// Why what isn't kept isn't.
#[tokio::test]
async fn what_is_not_kept_says_why() {
    for (dialect, desk) in desks().await {
        make(&desk, &MAKE).await;
        seed(&desk).await;
        let cases: &[(&str, &str)] = match dialect {
            Dialect::Postgres => &[
                (
                    "WITH gone AS (DELETE FROM beh WHERE id = 3 RETURNING id, mail, n) INSERT INTO beh_other SELECT * FROM gone",
                    "it changes rows within its `WITH`.",
                ),
                (
                    "WITH beh AS (SELECT 3 AS id) DELETE FROM beh WHERE id IN (SELECT id FROM beh)",
                    "a query of its `WITH` is called beh, too.",
                ),
            ],
            Dialect::Sqlite => &[
                (
                    "UPDATE OR FAIL beh SET n = 8 WHERE id = 3",
                    "it says itself what happens to rows that are in its way.",
                ),
                ("UPDATE OR REPLACE beh SET id = id + 1 WHERE id = 3", "it changes the key of beh."),
                (
                    "UPDATE OR REPLACE beh SET mail = hex(randomblob(4)) WHERE id = 7",
                    "which rows are in its way can't be told beforehand.",
                ),
            ],
            Dialect::Mysql => &[(
                "UPDATE beh SET n = 8 WHERE id IN (SELECT id FROM (SELECT id FROM beh ORDER BY n LIMIT 2) AS few)",
                "a query in it may pick other rows the second time.",
            )],
        };
        for (sql, why) in cases {
            let Remedy::Impossible(said) = desk.told(sql).await.remedy else { panic!("{dialect:?}: {sql}") };
            assert_eq!(said, *why, "{dialect:?}: {sql}");
            let (back, note) = ran(&desk, &json!({ "sql": sql }).to_string()).await.unwrap();
            assert!(back.is_none() && note.ends_with(why), "{dialect:?}: {sql}: {note}");
        }
    }
}
