//! Statements that break what their own table demands are told to fail, and only those: over generated statements,
//! compared with what happens. In SQLite always; in the servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/dice.rs"]
mod dice;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Dialect, Outcome, Preview, Remedy};
use databases::{As, Desk, desks, mariadb};
use dice::Dice;
use tokio_util::sync::CancellationToken;

/// Of those that make the same tables, one test runs at a time.
static BROKEN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
/// Statements for each engine.
const STATEMENTS: usize = 70;

async fn make(desk: &Desk, made: &[&str]) {
    for sql in made {
        desk.approved(sql).await;
    }
}

/// Why it doesn't run when somebody approves it; empty if it does.
async fn refusal(desk: &Desk, sql: &str) -> String {
    let (_, report) = desk.with(sql, As::Approved, CancellationToken::new()).await;
    match report.outcome {
        Outcome::Succeeded { .. } => String::new(),
        _ => report.result,
    }
}

fn says(preview: &Preview, begins: &str) -> bool {
    preview.warnings.iter().any(|warning| warning.starts_with(begins))
}

const MAKE: [&str; 4] = [
    "DROP TABLE IF EXISTS broken",
    "DROP TABLE IF EXISTS broken_news",
    "CREATE TABLE broken (id int NOT NULL PRIMARY KEY, mail varchar(8) UNIQUE, a int NOT NULL, b int DEFAULT 7, \
     n int CHECK (n > 0), UNIQUE (a, b), CHECK (n < 500 OR mail LIKE 'm%'))",
    "CREATE TABLE broken_news (id int, mail varchar(20), a int)",
];

async fn seed(desk: &Desk) {
    make(desk, &["DELETE FROM broken", "DELETE FROM broken_news"]).await;
    let rows: Vec<String> = (0..20).map(|id| format!("({id}, 'm{id}', {id}, {id}, {})", id + 1)).collect();
    desk.approved(&format!("INSERT INTO broken VALUES {}", rows.join(", "))).await;
    desk.approved("INSERT INTO broken_news VALUES (3, 'm3', 1), (18, 'x', 18), (30, 'm30', NULL), (31, NULL, 31), (32, 'm32', 32)")
        .await;
}

/// A statement that breaks something, or nothing.
fn statement(dice: &mut Dice) -> String {
    match dice.roll(6) {
        0..=2 => {
            let mut row = || {
                let id = dice.roll(60);
                let mail = match dice.roll(8) {
                    0 => format!("'m{}'", dice.roll(40)),
                    1 => "NULL".to_owned(),
                    2 => format!("'x{id}'"),
                    _ => format!("'m{id}'"),
                };
                let a = if dice.roll(9) == 0 { "NULL".to_owned() } else { (id * 2).to_string() };
                let n = dice.pick(&["1", "5", "NULL", "600", "-1 + 2", "0 + 1", "3 - 2", "1 - 1"]);
                format!("({id}, {mail}, {a}, {}, {n})", id / 2)
            };
            let rows: Vec<String> = (0..4).map(|_| row()).collect();
            let some = usize::try_from(dice.roll(3)).unwrap() + 1;
            format!("INSERT INTO broken VALUES {}", rows[..some].join(", "))
        }
        3 => {
            let from = dice.roll(33);
            let rows = dice.pick(&[
                "(id, mail, a) SELECT id, mail, a",
                "(id, mail, a, b) SELECT id, mail, 77, a",
                "(id, mail) SELECT id, mail",
            ]);
            format!("INSERT INTO broken {rows} FROM broken_news WHERE id > {from}")
        }
        4 => {
            let (from, to) = (dice.roll(20), dice.roll(30));
            let set = match dice.roll(6) {
                0 => format!("id = {to}"),
                1 => "mail = 'm3'".to_owned(),
                2 => "a = NULL".to_owned(),
                3 => format!("n = n - {to}"),
                4 => format!("a = {to}, b = {}", dice.roll(30)),
                _ => "mail = NULL, n = 600".to_owned(),
            };
            format!("UPDATE broken SET {set} WHERE id >= {from} AND id < {}", from + 1 + dice.roll(2))
        }
        _ => {
            let (from, by) = (dice.roll(20), dice.roll(25));
            format!("UPDATE broken SET id = id + {by} WHERE id > {from}")
        }
    }
}

#[tokio::test]
async fn what_a_table_refuses_is_told_and_nothing_else() {
    let _alone = BROKEN.lock().await;
    for (dialect, desk) in desks().await {
        make(&desk, &MAKE).await;
        let mut dice = Dice(20_261_129);
        let (mut failed, mut open) = (0, 0);
        for _ in 0..STATEMENTS {
            seed(&desk).await;
            let sql = statement(&mut dice);
            let preview = desk.told(&sql).await;
            let refused = refusal(&desk, &sql).await;
            let (would, may) = (says(&preview, "It would fail"), says(&preview, "It may fail"));
            open += usize::from(may && !would);
            failed += usize::from(!refused.is_empty());
            if refused.is_empty() {
                assert!(!would, "{dialect:?}: {sql}: {preview:?}");
            } else {
                assert!(would || may, "{dialect:?}: {sql}: {refused}: {preview:?}");
            }
            assert!(
                !would || (preview.brief.as_str(), &preview.remedy) == ("would fail", &Remedy::Unknown),
                "{preview:?}"
            );
        }
        println!("{}: of {STATEMENTS} statements {failed} failed, of {open} it wasn't sure", dialect.word());
        assert!(failed > STATEMENTS / 4 && failed < STATEMENTS && open < STATEMENTS / 5, "{failed} {open}");
        make(&desk, &["DROP TABLE broken", "DROP TABLE broken_news"]).await;
    }
}

#[tokio::test]
async fn what_triggers_change_or_chance_brings_is_not_told_as_certain() {
    for (dialect, desk) in desks().await {
        let trigger = match dialect {
            Dialect::Sqlite => {
                "CREATE TRIGGER broken_early BEFORE INSERT ON broken_fired BEGIN DELETE FROM broken_fired; END"
            }
            Dialect::Postgres => {
                "CREATE OR REPLACE FUNCTION broken_early() RETURNS trigger LANGUAGE plpgsql \
                 AS 'BEGIN NEW.id := NEW.id + 100; RETURN NEW; END'; \
                 CREATE TRIGGER broken_early BEFORE INSERT ON broken_fired FOR EACH ROW EXECUTE FUNCTION broken_early()"
            }
            Dialect::Mysql => {
                "CREATE TRIGGER broken_early BEFORE INSERT ON broken_fired FOR EACH ROW SET NEW.id = NEW.id + 100"
            }
        };
        let table = "CREATE TABLE broken_fired (id int NOT NULL PRIMARY KEY, a int NOT NULL)";
        make(&desk, &["DROP TABLE IF EXISTS broken_fired", table, "INSERT INTO broken_fired VALUES (1, 1)", trigger])
            .await;
        let sql = "INSERT INTO broken_fired VALUES (1, 1)";
        let preview = desk.told(sql).await;
        let said = "It may fail: id is unique, and 1 of its rows has one that is there already.";
        assert_eq!(preview.warnings, [said], "{dialect:?}");
        assert_eq!(refusal(&desk, sql).await, "", "{dialect:?}");
        make(&desk, &["DROP TABLE broken_fired"]).await;
    }
}

/// What is told of a statement, which then fails.
async fn fails(desk: &Desk, sql: &str, said: &str) {
    let warnings = desk.told(sql).await.warnings;
    assert!(warnings.contains(&format!("It would fail: {said}")), "{sql}: {warnings:?}");
    assert!(!refusal(desk, sql).await.is_empty(), "{sql}");
}

#[tokio::test]
async fn values_that_a_column_cannot_hold_are_told() {
    for (dialect, desk) in desks().await {
        let table = "CREATE TABLE broken_kind (id int NOT NULL PRIMARY KEY, s varchar(4), n smallint, d decimal(4,1))";
        make(
            &desk,
            &[
                "DROP TABLE IF EXISTS broken_kind",
                table,
                "INSERT INTO broken_kind VALUES (1, 'a', 0, 1), (2, 'b', 2, 2)",
            ],
        )
        .await;
        let long = "1 of its rows has more than 4 characters in s.";
        let both: &[(&str, &str)] = match dialect {
            // It holds anything.
            Dialect::Sqlite => &[],
            Dialect::Postgres => &[
                ("UPDATE broken_kind SET d = 1 / n", "division by zero (22012)."),
                ("UPDATE broken_kind SET n = n + 40000", "smallint out of range (22003)."),
                ("INSERT INTO broken_kind VALUES (3, 'abcde', 1, 1)", long),
                (
                    "INSERT INTO broken_kind (id, n) SELECT 3, CAST(s AS int) FROM broken_kind",
                    "invalid input syntax for type integer: \"a\" (22P02).",
                ),
            ],
            Dialect::Mysql => &[
                ("UPDATE broken_kind SET d = id / n", "1 of its rows divides by zero."),
                ("INSERT INTO broken_kind (id, d) VALUES (3, 1 / 0)", "1 of its rows divides by zero."),
                (
                    "UPDATE broken_kind SET n = n + 40000",
                    "2 of its rows have a value for n that smallint(6) can't hold.",
                ),
                ("INSERT INTO broken_kind VALUES (3, 'abcde', 1, 1)", long),
                (
                    "INSERT INTO broken_kind VALUES (3, 'a', 'x', 1)",
                    "1 of its rows has a value for n that smallint(6) can't hold.",
                ),
                ("UPDATE broken_kind SET n = 'x'", "2 of its rows have a value for n that smallint(6) can't hold."),
            ],
        };
        for (sql, said) in both {
            fails(&desk, sql, said).await;
        }
        for sql in [
            "INSERT INTO broken_kind VALUES (4, 'abcd   ', 1.4, 99.94), (5, NULL, NULL, NULL)",
            "UPDATE broken_kind SET d = CASE WHEN n > 0 THEN id / n END",
            "INSERT INTO broken_kind (id, s) VALUES (6, 7), (7, 'x')",
        ] {
            let warnings = desk.told(sql).await.warnings;
            assert!(!warnings.iter().any(|warning| warning.contains("fail")), "{dialect:?}: {sql}: {warnings:?}");
            assert_eq!(refusal(&desk, sql).await, "", "{dialect:?}: {sql}");
        }
        make(&desk, &["DROP TABLE broken_kind"]).await;
    }
}

#[tokio::test]
async fn a_value_for_what_mariadb_computes_is_refused() {
    let Some(url) = mariadb().await else { return };
    let desk = Desk::new(&url);
    let table = "CREATE TABLE broken_sum (id int NOT NULL PRIMARY KEY, g int GENERATED ALWAYS AS (id * 2) STORED)";
    make(&desk, &["DROP TABLE IF EXISTS broken_sum", table, "INSERT INTO broken_sum (id) VALUES (1)"]).await;
    fails(&desk, "INSERT INTO broken_sum (id, g) VALUES (2, 5)", "the engine computes g, and takes no value for it.")
        .await;
    fails(&desk, "UPDATE broken_sum SET g = 4", "the engine computes g, and takes no value for it.").await;
    make(&desk, &["DROP TABLE broken_sum"]).await;
}

#[tokio::test]
async fn what_a_table_refuses_is_told_in_words() {
    let _alone = BROKEN.lock().await;
    for (dialect, desk) in desks().await {
        make(&desk, &MAKE).await;
        seed(&desk).await;
        for (sql, said) in [
            (
                "INSERT INTO broken VALUES (3, 'm40', 40, 40, 1)",
                "id is unique, and 1 of its rows has one that is there already.",
            ),
            (
                "INSERT INTO broken VALUES (40, 'm40', 3, 3, 1), (41, 'm41', 4, 4, 1)",
                "(a, b) is unique, and 2 of its rows have one that is there already.",
            ),
            (
                "INSERT INTO broken VALUES (40, 'm40', 40, 40, 1), (40, 'm41', 41, 41, 1)",
                "id is unique, and 1 of its rows has one that another of them has.",
            ),
            ("INSERT INTO broken (id, mail) VALUES (40, 'm40')", "1 of its rows has no a, which takes no NULL."),
            (
                "INSERT INTO broken (id, a, b) SELECT id, a, id FROM broken_news WHERE a IS NULL",
                "1 of its rows has no a, which takes no NULL.",
            ),
            ("UPDATE broken SET a = NULL WHERE id < 3", "3 of its rows have no a, which takes no NULL."),
            (
                "UPDATE broken SET mail = 'm5' WHERE id = 3",
                "mail is unique, and 1 of its rows has one that is there already.",
            ),
            (
                "UPDATE broken SET mail = 'm50' WHERE id < 3",
                "mail is unique, and 2 of its rows have one that another of them has.",
            ),
        ] {
            let warnings = desk.told(sql).await.warnings;
            assert!(warnings.contains(&format!("It would fail: {said}")), "{dialect:?}: {sql}: {warnings:?}");
            assert!(!refusal(&desk, sql).await.is_empty(), "{dialect:?}: {sql}");
        }
        let warnings = desk.told("UPDATE broken SET n = n - 3").await.warnings;
        let said = "It would fail: 3 of its rows break the check ";
        assert!(warnings.iter().any(|warning| warning.starts_with(said)), "{dialect:?}: {warnings:?}");
        let warnings = desk.told("UPDATE broken SET id = id + 1").await.warnings;
        let said = "It may fail: id is unique, and 19 of its rows get one that another of them still has.";
        assert!(warnings.contains(&said.to_owned()), "{dialect:?}: {warnings:?}");
        make(&desk, &["DROP TABLE broken", "DROP TABLE broken_news"]).await;
    }
}
