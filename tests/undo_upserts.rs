//! What an `INSERT` changed, deleted or added that says what becomes of rows in its way comes back: generated statements
//! are run, taken back and done again, and the whole table is compared each time. SQLite always; the servers that
//! `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

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

use countersign::domain::{Dialect, Remedy};
use databases::{Desk, desks};
use dice::Dice;
use serde_json::json;
use there_and_back::{make, ran, rows, there_and_back};

/// Statements for each engine.
const STATEMENTS: usize = 80;

const MAKE: [&str; 4] = [
    "DROP TABLE IF EXISTS und",
    "DROP TABLE IF EXISTS und_news",
    "CREATE TABLE und (id int NOT NULL PRIMARY KEY, mail varchar(20) UNIQUE, a int, b int, n int, t varchar(20), UNIQUE (a, b))",
    "CREATE TABLE und_news (id int, mail varchar(20))",
];

/// Who uses the table `und` of a server.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

async fn seed(desk: &Desk) {
    make(desk, &["DELETE FROM und", "DELETE FROM und_news"]).await;
    let row = |id: i32| format!("({id}, 'm{id}', {}, {}, {}, 't''{id}')", id / 4, id % 4, id + 100);
    let rows: Vec<String> = (0..20).map(row).collect();
    desk.approved(&format!("INSERT INTO und VALUES {}", rows.join(", "))).await;
    desk.approved("UPDATE und SET mail = NULL WHERE id IN (4, 5)").await;
    desk.approved(
        "INSERT INTO und_news VALUES (3, 'm3'), (18, 'm18'), (30, 'm30'), (31, NULL), (32, 'm32'), (33, 'm6')",
    )
    .await;
}

/// Rows that a statement brings: written down, or read.
fn brought(dice: &mut Dice) -> String {
    if dice.roll(4) == 0 {
        return format!("SELECT id, mail, NULL, 1, 1, 'news' FROM und_news WHERE id > {}", dice.roll(33));
    }
    let mut row = || {
        let id = dice.roll(30);
        let mail = match dice.roll(6) {
            0 => format!("'m{}'", dice.roll(30)),
            1 => "NULL".to_owned(),
            _ => format!("'m{id}'"),
        };
        let a = if dice.roll(3) == 0 { "NULL".to_owned() } else { (id / 4).to_string() };
        format!("({id}, {mail}, {a}, {}, 1, 'new \\ ''{id}')", id % 4)
    };
    let rows: Vec<String> = (0..4).map(|_| row()).collect();
    let some = usize::try_from(dice.roll(4)).unwrap() + 1;
    format!("VALUES {}", rows[..some].join(", "))
}

fn statement(dice: &mut Dice, dialect: Dialect) -> String {
    let brought = brought(dice);
    let brought = if dialect == Dialect::Mysql { brought.replace('\\', "\\\\") } else { brought };
    // `SELECT … ON` would be a join to SQLite.
    let narrowed = dice.pick(&["", "", " WHERE und.n > 109"]);
    let sets =
        dice.pick(&["n = 777", "t = excluded.t, n = und.n + 1", "id = excluded.id, n = 5, t = NULL", "a = NULL"]);
    let values =
        dice.pick(&["n = 777", "t = VALUES(t), n = und.n + 1", "mail = VALUES(mail), n = 5", "a = NULL, b = 1"]);
    // A query of its own in front, and rows that come back.
    let with = match (dialect, brought.starts_with("SELECT"), dice.roll(2)) {
        (Dialect::Sqlite | Dialect::Postgres, true, 0) => {
            "WITH fresh AS (SELECT id, mail FROM und_news ORDER BY id LIMIT 4) "
        }
        _ => "",
    };
    let brought = if with.is_empty() { brought } else { brought.replace("FROM und_news", "FROM fresh") };
    let back = dice.pick(&["", "", " RETURNING id", " RETURNING *, n + 1 AS more"]);
    let statement = match (dialect, dice.roll(5)) {
        (Dialect::Mysql, 0) => format!("INSERT IGNORE INTO und {brought}"),
        (Dialect::Mysql, 1 | 2) => format!("REPLACE INTO und {brought}"),
        (Dialect::Mysql, _) => format!("INSERT INTO und {brought} ON DUPLICATE KEY UPDATE {values}"),
        (Dialect::Sqlite, 0) => format!("INSERT OR IGNORE INTO und {brought}"),
        (Dialect::Sqlite, 1) => format!("INSERT OR REPLACE INTO und {brought}"),
        (Dialect::Sqlite, 2) if with.is_empty() => format!("REPLACE INTO und {brought}"),
        (_, 0 | 1) => format!("INSERT INTO und {brought} ON CONFLICT DO NOTHING"),
        (_, 2) => format!("INSERT INTO und {brought} ON CONFLICT (mail) DO UPDATE SET n = 777, mail = excluded.mail"),
        _ => format!("INSERT INTO und {brought} ON CONFLICT (id) DO UPDATE SET {sets}{narrowed}"),
    };
    // Where backslashes may be read in two ways, so may what stands behind a semicolon.
    let end = dice.pick(&["", " -- so", if dialect == Dialect::Mysql { "" } else { "; -- so" }]);
    format!("{with}{statement}{back}{end}")
}

#[tokio::test]
async fn rows_that_were_in_the_way_come_back() {
    let _alone = ALONE.lock().await;
    for (dialect, desk) in desks().await {
        make(&desk, &MAKE).await;
        let all = "SELECT id, mail, a, b, n, t FROM und ORDER BY id";
        let mut dice = Dice(20_261_128);
        let (mut undone, mut failed, mut said) = (0, 0, 0);
        for _ in 0..STATEMENTS {
            seed(&desk).await;
            let sql = statement(&mut dice, dialect);
            let told = desk.told(&sql).await;
            let before = rows(&desk, all).await;
            if let Err(why) = ran(&desk, &json!({ "sql": sql }).to_string()).await {
                assert_eq!(rows(&desk, all).await, before, "{dialect:?}: {sql}: {why}");
                failed += 1;
                continue;
            }
            seed(&desk).await;
            assert!(matches!(told.remedy, Remedy::Possible(_)), "{dialect:?}: {sql}: {told:?}");
            said += 1;
            undone += usize::from(there_and_back(&desk, &sql, all).await);
        }
        println!("{}: {undone} of {STATEMENTS} taken back and done again, {failed} failed", dialect.word());
        assert_eq!(said + failed, STATEMENTS, "{dialect:?}: it is said of all that run");
        assert!(undone > STATEMENTS / 3, "{dialect:?}: {undone}");
    }
}

/// Keys that the engine gives, and those of several columns.
#[tokio::test]
async fn rows_that_the_engine_numbers_are_taken_away_again() {
    for (dialect, desk) in desks().await {
        let (numbered, way) = match dialect {
            Dialect::Mysql => ("int AUTO_INCREMENT PRIMARY KEY", "ON DUPLICATE KEY UPDATE n = 9"),
            Dialect::Postgres => (
                "int GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
                "ON CONFLICT (day, who) DO UPDATE SET n = und_days.n + 1",
            ),
            Dialect::Sqlite => ("INTEGER PRIMARY KEY", "ON CONFLICT (day, who) DO UPDATE SET n = n + 1"),
        };
        let table = format!(
            "CREATE TABLE und_days (id {numbered}, day date NOT NULL, who varchar(9) NOT NULL, n int, UNIQUE (day, who))"
        );
        make(&desk, &["DROP TABLE IF EXISTS und_days", &table]).await;
        make(&desk, &["INSERT INTO und_days (day, who, n) VALUES ('2026-01-01', 'ann', 1), ('2026-01-02', 'bob', 1)"])
            .await;
        let all = "SELECT id, day, who, n FROM und_days ORDER BY id";
        for sql in [
            format!(
                "INSERT INTO und_days (day, who, n) VALUES ('2026-01-02', 'bob', 1), ('2026-01-03', 'cy', 1) {way}"
            ),
            format!("INSERT INTO und_days (who, day, n) VALUES ('dee', '2026-01-02', 1) {way}"),
            format!("INSERT INTO und_days (who, day, n) SELECT who, day, 1 FROM und_days WHERE n > 0 {way}"),
        ] {
            let told = desk.told(&sql).await;
            assert!(matches!(told.remedy, Remedy::Possible(_)), "{dialect:?}: {sql}: {told:?}");
            assert!(there_and_back(&desk, &sql, all).await, "{dialect:?}: {sql}");
        }
        if dialect != Dialect::Postgres {
            let sql = "REPLACE INTO und_days (day, who, n) VALUES ('2026-01-01', 'ann', 7), ('2026-02-01', 'eve', 1)";
            assert!(there_and_back(&desk, sql, all).await, "{dialect:?}");
        }
    }
}

/// A number that the engine gives may be one that somebody set: the row that has it was read by nobody.
#[tokio::test]
async fn a_row_that_a_number_of_the_engine_meets_is_not_taken_for_a_new_one() {
    let Some(url) = databases::mariadb().await else { return };
    let desk = Desk::keeping(&url);
    make(
        &desk,
        &[
            "DROP TABLE IF EXISTS und_met",
            "CREATE TABLE und_met (id int AUTO_INCREMENT PRIMARY KEY, mail varchar(9) UNIQUE, n int)",
            "INSERT INTO und_met (mail, n) VALUES ('a', 1), ('b', 2)",
            "UPDATE und_met SET id = 3 WHERE id = 1",
        ],
    )
    .await;
    let sql = "INSERT INTO und_met (mail, n) VALUES ('new', 9) ON DUPLICATE KEY UPDATE mail = VALUES(mail), n = 9";
    let (back, note) = ran(&desk, &json!({ "sql": sql }).to_string()).await.unwrap();
    let now = rows(&desk, "SELECT id, mail FROM und_met ORDER BY id").await;
    match back {
        // The first try took the number; the second gave a new one.
        Some(_) => assert_eq!(now.len(), 3, "{now:?}"),
        None => assert!(note.contains("it met other rows than those that were read beforehand"), "{note}"),
    }
}

/// Keys of types that keep a value otherwise than it comes: rounded, padded, as a word of a list, as a moment.
#[tokio::test]
async fn keys_of_other_types_are_met_exactly() {
    let Some(url) = databases::mariadb().await else { return };
    let desk = Desk::keeping(&url);
    let mut dice = Dice(20_261_130);
    for (kind, values) in [
        ("decimal(8,2)", ["1.00", "2.5", "'3.25'", "10"]),
        ("decimal(20,0) unsigned", ["12345678901234567890", "7", "'8'", "9.0"]),
        ("datetime(3)", ["'2024-01-01 10:00:00'", "'2024-02-29 23:59:59.123'", "20240301120000", "'2024-1-5'"]),
        ("timestamp", ["'2024-01-01 10:00:00'", "'2024-06-29 23:59:59'", "20240301120000", "'2024-1-5'"]),
        ("date", ["'2024-01-01'", "20240301", "'2024-1-5'", "'9999-12-31'"]),
        ("enum('new','Old','gone')", ["'NEW'", "'old'", "'gone'", "'new'"]),
        ("binary(4)", ["'a'", "x'00ff'", "'abcd'", "'é'"]),
        ("varbinary(6)", ["'a'", "x'00ff'", "'abcd'", "'é'"]),
        (
            "uuid",
            [
                "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
                "'A0EEBC999C0B4EF8BB6D6BB9BD380A12'",
                "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a13'",
                "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a14'",
            ],
        ),
    ] {
        let table = format!("CREATE TABLE und_typed (k {kind} NOT NULL PRIMARY KEY, o {kind} NULL UNIQUE, n int)");
        make(&desk, &["DROP TABLE IF EXISTS und_typed", &table]).await;
        let all = "SELECT HEX(k), HEX(o), n FROM und_typed ORDER BY 1";
        let mut undone = 0;
        for _ in 0..8 {
            let seeded = format!("INSERT INTO und_typed VALUES ({0}, {0}, 1), ({1}, {1}, 2)", values[0], values[1]);
            make(&desk, &["DELETE FROM und_typed", &seeded]).await;
            let mut row = || {
                let (key, other) = (dice.pick(&values), dice.pick(&values));
                let other = if dice.roll(3) == 0 { "NULL" } else { other };
                format!("({key}, {other}, {})", dice.roll(9))
            };
            let rows_brought = format!("{}, {}", row(), row());
            let (one, both) = (row(), rows_brought);
            let sql = match dice.roll(4) {
                0 => format!("REPLACE INTO und_typed VALUES {both}"),
                1 => format!("INSERT IGNORE INTO und_typed VALUES {both}"),
                2 => format!("INSERT INTO und_typed VALUES {one} ON DUPLICATE KEY UPDATE n = n + 10"),
                _ => format!("INSERT INTO und_typed VALUES {both} ON DUPLICATE KEY UPDATE n = VALUES(n)"),
            };
            let told = desk.told(&sql).await;
            assert!(matches!(told.remedy, Remedy::Possible(_)), "{kind}: {sql}: {told:?}");
            undone += usize::from(there_and_back(&desk, &sql, all).await);
            // What is said to be added is: by a statement that leaves no choice of rows.
            let exact = told.effects[0].strip_prefix("Adds ").filter(|_| !sql.starts_with("REPLACE"));
            let Some(exact) = exact.filter(|said| !said.starts_with("at most")) else { continue };
            let said: i64 = exact.split(' ').next().unwrap().parse().unwrap();
            let now = rows(&desk, all).await.len();
            assert_eq!(i64::try_from(now).unwrap() - 2, said, "{kind}: {sql}: {told:?}");
        }
        assert!(undone > 3, "{kind}: {undone}");
    }
    make(&desk, &["DROP TABLE und_typed"]).await;
}

const FAMILY: [&str; 8] = [
    "DROP TABLE IF EXISTS und_child",
    "DROP TABLE IF EXISTS und_loose",
    "DROP TABLE IF EXISTS und_parent",
    "CREATE TABLE und_parent (id int NOT NULL PRIMARY KEY, mail varchar(9) UNIQUE, n int)",
    "CREATE TABLE und_child (id int NOT NULL PRIMARY KEY, p int, FOREIGN KEY (p) REFERENCES und_parent (id) ON DELETE CASCADE)",
    "CREATE TABLE und_loose (id int NOT NULL PRIMARY KEY, p int, FOREIGN KEY (p) REFERENCES und_parent (id) ON DELETE SET NULL)",
    "INSERT INTO und_parent VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)",
    "INSERT INTO und_child VALUES (1, 1), (2, 1), (3, 2)",
];

#[tokio::test]
async fn what_goes_along_with_replaced_rows_comes_back() {
    for (dialect, desk) in desks().await {
        make(&desk, &FAMILY).await;
        desk.approved("INSERT INTO und_loose VALUES (1, 1), (2, 3)").await;
        let all = "SELECT 1 AS k, id, mail, n FROM und_parent UNION ALL SELECT 2, id, '', p FROM und_child \
            UNION ALL SELECT 3, id, '', p FROM und_loose ORDER BY 1, 2";
        if dialect == Dialect::Postgres {
            let sql = "INSERT INTO und_parent VALUES (1, 'x', 5), (9, 'y', 9) ON CONFLICT (id) DO UPDATE SET mail = excluded.mail";
            assert!(there_and_back(&desk, sql, all).await);
            // A key that others follow.
            let sql = "INSERT INTO und_parent VALUES (1, 'x', 5) ON CONFLICT (id) DO UPDATE SET id = 40";
            assert!(matches!(desk.told(sql).await.remedy, Remedy::Impossible(_) | Remedy::Unknown));
            continue;
        }
        for sql in [
            "REPLACE INTO und_parent VALUES (1, 'b', 9)",
            "REPLACE INTO und_parent VALUES (1, 'z', 9), (3, 'c', 4), (7, 'y', 1)",
        ] {
            let told = desk.told(sql).await;
            assert!(matches!(told.remedy, Remedy::Possible(_)), "{dialect:?}: {sql}: {told:?}");
            assert!(told.effects.iter().any(|effect| effect.contains("und_child (")), "{dialect:?}: {sql}: {told:?}");
            assert!(there_and_back(&desk, sql, all).await, "{dialect:?}: {sql}");
            make(&desk, &FAMILY).await;
            desk.approved("INSERT INTO und_loose VALUES (1, 1), (2, 3)").await;
        }
        // What refers to an added row since would go along.
        let (back, _) = ran(&desk, r#"{"sql":"REPLACE INTO und_parent VALUES (8, 'h', 9)"}"#).await.unwrap();
        desk.approved("INSERT INTO und_child VALUES (50, 8)").await;
        let refused = ran(&desk, &back.unwrap()).await.unwrap_err();
        assert!(refused.contains("no longer as they were left"), "{dialect:?}: {refused}");
    }
}

#[tokio::test]
async fn whether_it_can_be_undone_is_said_before() {
    let _alone = ALONE.lock().await;
    for (dialect, desk) in desks().await {
        make(&desk, &MAKE).await;
        seed(&desk).await;
        let (change, random, row) = match dialect {
            Dialect::Mysql => ("ON DUPLICATE KEY UPDATE n = 5", "UUID_SHORT()", "(3, 'm3', 0, 3, 1, '')"),
            Dialect::Postgres | Dialect::Sqlite => {
                ("ON CONFLICT (id) DO UPDATE SET n = 5", "RANDOM() * 100", "(3, 'm3', 0, 3, 1, '')")
            }
        };
        let Remedy::Possible(said) = desk.told(&format!("INSERT INTO und VALUES {row} {change}")).await.remedy else {
            panic!("{dialect:?}")
        };
        let kept = "rows in its way are kept first, and what it adds is noted.";
        assert_eq!(said, kept, "{dialect:?}");
        // A key that is left to chance, and one that moves.
        for sql in [
            format!("INSERT INTO und (id, n) VALUES ({random}, 1) {change}"),
            format!(
                "INSERT INTO und VALUES {row} {}",
                change
                    .replace(" n = 5", " id = id + 40")
                    .replace("id + ", if dialect == Dialect::Postgres { "und.id + " } else { "id + " })
            ),
        ] {
            let told = desk.told(&sql).await;
            let Remedy::Impossible(why) = told.remedy else { panic!("{dialect:?}: {sql}: {told:?}") };
            // A number that no column holds.
            let Ok((back, note)) = ran(&desk, &json!({ "sql": sql }).to_string()).await else { continue };
            assert!(back.is_none() && note.ends_with(&why), "{dialect:?}: {sql}: {note}, but {why}");
            seed(&desk).await;
        }
        // A trigger may do anything.
        let trigger = match dialect {
            Dialect::Mysql => "CREATE TRIGGER und_t BEFORE UPDATE ON und FOR EACH ROW SET NEW.t = 'x'",
            Dialect::Sqlite => "CREATE TRIGGER und_t AFTER UPDATE ON und BEGIN DELETE FROM und_news; END",
            Dialect::Postgres => {
                "CREATE FUNCTION und_f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; \
                CREATE TRIGGER und_t BEFORE UPDATE ON und FOR EACH ROW EXECUTE FUNCTION und_f()"
            }
        };
        desk.approved(trigger).await;
        let sql = format!("INSERT INTO und VALUES {row} {change}");
        let Remedy::Impossible(why) = desk.told(&sql).await.remedy else { panic!("{dialect:?}") };
        assert_eq!(why, "the trigger und_t fires, and nobody knows what takes that back.");
        let (back, note) = ran(&desk, &json!({ "sql": sql }).to_string()).await.unwrap();
        assert!(back.is_none() && note.contains(&why), "{dialect:?}: {note}");
        make(&desk, &["DROP TABLE und"]).await;
        if dialect == Dialect::Postgres {
            desk.approved("DROP FUNCTION und_f").await;
        }
    }
}

/// What a collation calls equal is met, too.
#[tokio::test]
async fn rows_that_only_a_collation_calls_equal_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut all =
        vec![(Dialect::Sqlite, Desk::keeping(&format!("sqlite:{}?mode=rwc", folder.path().join("u.db").display())))];
    if let Some(url) = databases::mariadb().await {
        all.push((Dialect::Mysql, Desk::keeping(&url)));
    }
    for (dialect, desk) in all {
        make(
            &desk,
            &[
                "DROP TABLE IF EXISTS und_case",
                "CREATE TABLE und_case (id int NOT NULL PRIMARY KEY, mail varchar(9), n int)",
                if dialect == Dialect::Sqlite {
                    "CREATE UNIQUE INDEX und_case_i ON und_case (mail COLLATE NOCASE)"
                } else {
                    "CREATE UNIQUE INDEX und_case_i ON und_case (mail)"
                },
                "INSERT INTO und_case VALUES (1, 'abc', 1), (2, 'def', 2)",
            ],
        )
        .await;
        let sql = "REPLACE INTO und_case VALUES (7, 'ABC', 9)";
        let told = desk.told(sql).await;
        let read = "SELECT id, mail, n FROM und_case ORDER BY id";
        if dialect == Dialect::Sqlite {
            let Remedy::Impossible(why) = told.remedy else { panic!("{told:?}") };
            assert_eq!(why, "which rows are in its way can't be told beforehand.");
            let (back, note) = ran(&desk, &json!({ "sql": sql }).to_string()).await.unwrap();
            assert!(back.is_none() && note.contains(&why), "{note}");
        } else {
            assert!(matches!(told.remedy, Remedy::Possible(_)), "{told:?}");
            assert!(there_and_back(&desk, sql, read).await);
        }
    }
}
