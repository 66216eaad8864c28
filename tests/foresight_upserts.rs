//! What an `INSERT` that says what becomes of rows in its way would add, change or leave out, counted beforehand and
//! compared with what happens, over generated statements. In SQLite always; in the servers that `COUNTERSIGN_POSTGRES`
//! and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/dice.rs"]
mod dice;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Dialect, Outcome};
use databases::{As, Desk, desks};
use dice::Dice;
use tokio_util::sync::CancellationToken;

/// Statements for each engine.
const STATEMENTS: usize = 60;

async fn make(desk: &Desk, made: &[&str]) {
    for sql in made {
        desk.approved(sql).await;
    }
}

async fn count(desk: &Desk, rows: &str) -> u64 {
    desk.row(&format!("SELECT count(*) FROM {rows}")).await[0].parse().unwrap()
}

/// Whether it runs when somebody approves it.
async fn runs(desk: &Desk, sql: &str) -> bool {
    let (_, report) = desk.with(sql, As::Approved, CancellationToken::new()).await;
    matches!(report.outcome, Outcome::Succeeded { .. })
}

/// Two unique keys, and a table that rows come from.
const MAKE: [&str; 4] = [
    "DROP TABLE IF EXISTS ups",
    "DROP TABLE IF EXISTS ups_news",
    "CREATE TABLE ups (id int NOT NULL PRIMARY KEY, mail varchar(20) UNIQUE, n int)",
    "CREATE TABLE ups_news (id int, mail varchar(20))",
];

async fn seed(desk: &Desk) {
    make(desk, &["DELETE FROM ups", "DELETE FROM ups_news"]).await;
    let rows: Vec<String> = (0..20).map(|id| format!("({id}, 'm{id}', {})", id + 100)).collect();
    desk.approved(&format!("INSERT INTO ups VALUES {}", rows.join(", "))).await;
    desk.approved(
        "INSERT INTO ups_news VALUES (3, 'm3'), (18, 'm18'), (30, 'm30'), (31, NULL), (32, 'm32'), (33, 'm5')",
    )
    .await;
}

/// Rows that a statement brings: written down, or read.
fn brought(dice: &mut Dice) -> String {
    if dice.roll(3) == 0 {
        return format!("SELECT id, mail, 1 FROM ups_news WHERE id > {}", dice.roll(33));
    }
    let mut row = || {
        let id = dice.roll(40);
        let mail = match dice.roll(6) {
            0 => format!("'m{}'", dice.roll(40)),
            1 => "NULL".to_owned(),
            _ => format!("'m{id}'"),
        };
        format!("({id}, {mail}, 1)")
    };
    let rows: Vec<String> = (0..4).map(|_| row()).collect();
    let some = usize::try_from(dice.roll(4)).unwrap() + 1;
    format!("VALUES {}", rows[..some].join(", "))
}

fn statement(dice: &mut Dice, dialect: Dialect) -> String {
    let brought = brought(dice);
    let narrowed = dice.pick(&["", " WHERE ups.n > 109"]);
    // `SELECT … ON` would be a join to SQLite.
    let ends = if dialect == Dialect::Sqlite && !brought.contains(" WHERE ") && brought.starts_with('S') {
        " WHERE 1"
    } else {
        ""
    };
    match (dialect, dice.roll(4)) {
        (Dialect::Mysql, 0) => format!("INSERT IGNORE INTO ups {brought}"),
        (Dialect::Mysql, 1) => format!("REPLACE INTO ups {brought}"),
        (Dialect::Mysql, _) => format!("INSERT INTO ups {brought} ON DUPLICATE KEY UPDATE n = 777"),
        (Dialect::Sqlite, 0) => format!("INSERT OR IGNORE INTO ups {brought}"),
        (_, 0) => format!("INSERT INTO ups {brought} ON CONFLICT ON CONSTRAINT ups_pkey DO NOTHING"),
        (Dialect::Sqlite, 1) => format!("INSERT OR REPLACE INTO ups {brought}"),
        (_, 1) => format!("INSERT INTO ups {brought}{ends} ON CONFLICT DO NOTHING"),
        (_, 2) => format!("INSERT INTO ups {brought}{ends} ON CONFLICT (id) DO UPDATE SET n = 777{narrowed}"),
        _ => format!("INSERT INTO ups {brought}{ends} ON CONFLICT (id) DO UPDATE SET id = excluded.id, n = 777"),
    }
}

/// A number that is told, and whether it is exact.
fn number(text: &str) -> (u64, bool) {
    let words = text.trim_start_matches("and ");
    let exact = words.trim_start_matches("at most ");
    let digits: String = exact.chars().take_while(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or(0), exact == words)
}

#[tokio::test]
async fn what_is_told_of_rows_in_the_way_is_what_happens() {
    for (dialect, desk) in desks().await {
        make(&desk, &MAKE).await;
        let mut dice = Dice(20_261_128);
        let (mut exact, mut ran) = (0, 0);
        for _ in 0..STATEMENTS {
            seed(&desk).await;
            let sql = statement(&mut dice, dialect);
            let preview = desk.told(&sql).await;
            let fails = preview.warnings.iter().any(|warning| warning.starts_with("It would fail"));
            if !runs(&desk, &sql).await {
                continue;
            }
            assert!(!fails, "{dialect:?}: {sql}: {preview:?}");
            ran += 1;
            let (added, others) = preview.brief.split_once(", ").unwrap_or((&preview.brief, ""));
            let goes = sql.contains("REPLACE");
            let there = count(&desk, "ups").await - 20;
            let changed = count(&desk, "ups WHERE n = 777 AND id < 20").await;
            let new = count(&desk, "ups WHERE n IN (1, 777)").await - changed;
            let happened = if goes { new } else { there };
            let (told, sure) = number(added);
            let agree = if sure { told == happened } else { told >= happened };
            assert!(agree, "{dialect:?}: {sql}: {}, but {happened} added", preview.brief);
            exact += usize::from(sure);
            if others.contains("changed") || sql.contains("777") && sure {
                let (told, sure) = number(others);
                let agree = if sure { told == changed } else { told >= changed };
                assert!(agree, "{dialect:?}: {sql}: {}, but {changed} changed", preview.brief);
            }
            let gone = 20 - count(&desk, "ups WHERE n <> 1").await;
            assert!(!goes || number(others).0 == gone, "{dialect:?}: {sql}: {}, but {gone} gone", preview.brief);
        }
        println!("{}: of {STATEMENTS} statements {ran} ran, {exact} were counted exactly", dialect.word());
        assert!(exact * 4 > ran * 3, "{dialect:?}: {exact} of {ran}");
    }
}

#[tokio::test]
async fn what_a_column_makes_of_a_value_is_not_told_as_certain() {
    for (dialect, desk) in desks().await {
        let made = match dialect {
            Dialect::Mysql => "CREATE TABLE ups_odd (id int PRIMARY KEY AUTO_INCREMENT, n int)",
            Dialect::Postgres => "CREATE TABLE ups_odd (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int)",
            Dialect::Sqlite => "CREATE TABLE ups_odd (id INTEGER PRIMARY KEY, n int)",
        };
        make(&desk, &["DROP TABLE IF EXISTS ups_odd", made, "INSERT INTO ups_odd VALUES (1, 1)"]).await;
        let clause = match dialect {
            Dialect::Mysql => "ON DUPLICATE KEY UPDATE n = 5",
            Dialect::Postgres | Dialect::Sqlite => "ON CONFLICT (id) DO UPDATE SET n = 5",
        };
        for (values, told) in [
            // A 0 is a number of its own, or stands for a new one.
            ("(0, 1), (0, 2)", if dialect == Dialect::Mysql { "at most 2 rows added or changed" } else { "" }),
            ("('1', 1)", "0 rows, and 1 changed"),
            ("(1.4, 1)", if dialect == Dialect::Postgres { "0 rows, and 1 changed" } else { "" }),
        ] {
            let brief = desk.told(&format!("INSERT INTO ups_odd (id, n) VALUES {values} {clause}")).await.brief;
            let open = dialect == Dialect::Sqlite && values.starts_with("('1'");
            assert!(told.is_empty() || open || brief == told, "{dialect:?}: {values}: {brief}");
            assert!(!open || brief == "at most 1 row added or changed", "{dialect:?}: {values}: {brief}");
        }
    }
}

#[tokio::test]
async fn rows_in_the_way_are_told_in_words() {
    for (dialect, desk) in desks().await {
        make(&desk, &MAKE).await;
        seed(&desk).await;
        let two = "VALUES (3, 'm3', 1), (30, 'm30', 1)";
        let (change, stay) = match dialect {
            Dialect::Mysql => ("ON DUPLICATE KEY UPDATE n = VALUES(n)", "INSERT IGNORE INTO ups"),
            Dialect::Postgres => ("ON CONFLICT (id) DO UPDATE SET n = excluded.n", "INSERT INTO ups"),
            Dialect::Sqlite => ("ON CONFLICT (id) DO UPDATE SET n = excluded.n", "INSERT OR IGNORE INTO ups"),
        };
        let preview = desk.told(&format!("INSERT INTO ups {two} {change}")).await;
        assert_eq!(preview.brief, "1 row, and 1 changed", "{dialect:?}");
        assert_eq!(preview.effects[0], "Adds 1 row to ups, and changes 1 row that is in the way.", "{dialect:?}");
        let ends = if dialect == Dialect::Postgres { " ON CONFLICT DO NOTHING" } else { "" };
        let preview = desk.told(&format!("{stay} {two}{ends}")).await;
        assert_eq!(preview.brief, "1 row, and 1 left out", "{dialect:?}");
        assert_eq!(preview.effects[0], "Adds 1 row to ups, and leaves out 1 row.", "{dialect:?}");
        // A key that changes may be in the way of the next row.
        let rekeyed = change.split(" n = ").next().unwrap();
        let preview = desk.told(&format!("INSERT INTO ups {two} {rekeyed} id = 99")).await;
        assert_eq!(preview.brief, "at most 2 rows added or changed", "{dialect:?}");
        assert_eq!(preview.effects[0], "Adds or changes at most 2 rows of ups.", "{dialect:?}");
        if dialect == Dialect::Postgres {
            let sql = format!("INSERT INTO ups VALUES (3, 'm3', 1), (3, 'm3', 2) {change}");
            let preview = desk.told(&sql).await;
            assert_eq!(preview.warnings, ["It would fail: some of its rows have the same key."]);
            assert!(!runs(&desk, &sql).await);
        }
    }
}
