//! Keys that hold for some rows alone, that are worked out, or that are looked at late; what needs a column or an index that
//! goes; dates that aren't: what is told to fail fails, and what runs wasn't told to. In SQLite always; in the servers that
//! `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/dice.rs"]
mod dice;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Dialect, Outcome};
use databases::{As, Desk, desks, mariadb};
use dice::Dice;
use tokio_util::sync::CancellationToken;

/// Statements for each engine.
const STATEMENTS: usize = 60;

async fn make(desk: &Desk, made: &[&str]) {
    for sql in made {
        desk.approved(sql).await;
    }
}

/// What fails when somebody approves it.
async fn fails(desk: &Desk, sql: &str) -> bool {
    let (_, report) = desk.with(sql, As::Approved, CancellationToken::new()).await;
    !matches!(report.outcome, Outcome::Succeeded { .. })
}

/// Warnings that leave no doubt.
async fn surely(desk: &Desk, sql: &str) -> Vec<String> {
    let told = desk.told(sql).await;
    told.warnings.into_iter().filter(|warning| warning.starts_with("It would fail")).collect()
}

async fn keyed(desk: &Desk, dialect: Dialect) {
    make(
        desk,
        &[
            "DROP TABLE IF EXISTS key_t",
            "CREATE TABLE key_t (id int NOT NULL PRIMARY KEY, mail varchar(20), live int, a int, b int)",
            "CREATE UNIQUE INDEX key_mail ON key_t (lower(mail))",
            "CREATE UNIQUE INDEX key_live ON key_t (a) WHERE live = 1",
        ],
    )
    .await;
    if dialect == Dialect::Postgres {
        make(desk, &["ALTER TABLE key_t ADD CONSTRAINT key_late UNIQUE (b) DEFERRABLE INITIALLY DEFERRED"]).await;
    }
    let row = |id: i32| format!("({id}, 'Mail{id}', {}, {}, {id})", id % 2, id / 2);
    let rows: Vec<String> = (0..12).map(row).collect();
    desk.approved(&format!("INSERT INTO key_t VALUES {}", rows.join(", "))).await;
}

fn statement(dice: &mut Dice) -> String {
    let id = dice.roll(12);
    let mut row = |at: u64| {
        let mail = dice.pick(&["MAIL", "mail", "other", "new"]);
        let (mail, live, a, b) = (format!("'{mail}{}'", dice.roll(30)), dice.roll(2), dice.roll(12), dice.roll(30));
        let a = if dice.roll(5) == 0 { "NULL".to_owned() } else { a.to_string() };
        format!("({}, {mail}, {live}, {a}, {b})", 20 + at)
    };
    let rows = [row(0), row(1)];
    let (n, mail) = (dice.roll(14), dice.roll(14));
    match dice.roll(7) {
        0 => format!("INSERT INTO key_t VALUES {}", rows.join(", ")),
        1 => format!("INSERT INTO key_t (id, mail, a) VALUES (40, 'mAIL{mail}', {n})"),
        2 => format!("UPDATE key_t SET mail = 'MAIL{mail}' WHERE id = {id}"),
        3 => format!("UPDATE key_t SET live = 1 WHERE id > {id}"),
        4 => format!("UPDATE key_t SET a = {n}, b = b + 1 WHERE live = 1 AND id = {id}"),
        5 => format!("UPDATE key_t SET b = {n}, mail = upper(mail) WHERE id = {id}"),
        _ => format!("INSERT INTO key_t SELECT id + 50, mail || '{n}', 1, a, b + {n} FROM key_t WHERE id < {id}"),
    }
}

#[tokio::test]
async fn keys_of_any_sort_are_told_where_they_fail() {
    for (dialect, desk) in desks().await {
        if dialect == Dialect::Mysql {
            continue;
        }
        let mut dice = Dice(20_261_128);
        let (mut failed, mut told) = (0, 0);
        for _ in 0..STATEMENTS {
            keyed(&desk, dialect).await;
            let sql = statement(&mut dice);
            let said = surely(&desk, &sql).await;
            let fails = fails(&desk, &sql).await;
            assert!(fails || said.is_empty(), "{dialect:?}: {sql}: {said:?}, but it ran");
            failed += usize::from(fails);
            told += usize::from(!said.is_empty());
        }
        println!("{}: {failed} of {STATEMENTS} failed, {told} told beforehand", dialect.word());
        assert!(told * 10 >= failed * 9, "{dialect:?}: {told} of {failed}");
        keyed(&desk, dialect).await;
        assert_eq!(
            surely(&desk, "INSERT INTO key_t VALUES (30, 'MAIL3', 0, 1, 90)").await,
            ["It would fail: lower(mail) is unique, and 1 of its rows has one that is there already.".to_owned()].map(
                |said| if dialect == Dialect::Postgres {
                    said.replace("lower(mail)", "lower((mail)::text)")
                } else {
                    said
                }
            )
        );
    }
}

#[tokio::test]
async fn a_key_that_is_looked_at_late_fails_no_trial() {
    let Some(url) = databases::postgres().await else { return };
    let desk = Desk::keeping(&url);
    for sql in [
        "DROP TABLE IF EXISTS key_deferred",
        "CREATE TABLE key_deferred (id int PRIMARY KEY, pos int UNIQUE DEFERRABLE INITIALLY DEFERRED)",
        "INSERT INTO key_deferred VALUES (1, 1), (2, 2), (3, 3)",
    ] {
        desk.approved(sql).await;
    }
    let sql = "UPDATE key_deferred SET pos = 2 WHERE id = 1";
    assert_eq!(
        surely(&desk, sql).await,
        ["It would fail: pos is unique, and 1 of its rows has one that is there already."]
    );
    let tried = desk.told_of(&serde_json::json!({ "sql": sql, "trial": true }).to_string()).await;
    assert_eq!(tried.warnings, [""; 0], "{tried:?}");
    assert!(fails(&desk, sql).await);
    // In whatever order they are changed, they are apart in the end.
    let sql = "UPDATE key_deferred SET pos = 4 - pos";
    let told = desk.told(sql).await;
    assert_eq!(told.warnings, ["That is every row of key_deferred."], "{told:?}");
    assert!(!fails(&desk, sql).await);
}

#[tokio::test]
async fn what_needs_a_column_or_an_index_of_mariadb_is_named() {
    let Some(url) = mariadb().await else { return };
    let desk = Desk::keeping(&url);
    let made = [
        "DROP TABLE IF EXISTS need_c, need_p, need_g, need_n",
        "CREATE TABLE need_p (id int PRIMARY KEY, a int, b int, KEY ab (a, b), KEY abx (a, b, id), KEY ba (b, a))",
        "CREATE TABLE need_c (id int PRIMARY KEY, pa int, pb int, m int, KEY kp (pa, pb), KEY km (m), \
         CONSTRAINT need_f FOREIGN KEY (pa, pb) REFERENCES need_p (a, b))",
        "CREATE TABLE need_g (id int PRIMARY KEY, `a``b` int, b int, d int, e int CHECK (e > 0), s int GENERATED ALWAYS AS (`a``b` + 1) STORED, \
         UNIQUE ub (b, d), KEY de (d, e))",
        "CREATE TABLE need_n (id int AUTO_INCREMENT PRIMARY KEY, x int)",
    ];
    for (sql, why) in [
        ("ALTER TABLE need_c DROP COLUMN pa", "the foreign key need_f needs it"),
        ("ALTER TABLE need_p DROP COLUMN b", "the foreign key need_f of need_c needs it"),
        ("DROP INDEX kp ON need_c", "the foreign key need_f needs it"),
        ("ALTER TABLE need_c DROP INDEX kp", "the foreign key need_f needs it"),
        ("DROP INDEX `ab` ON need_p", ""),
        ("DROP INDEX km ON need_c", ""),
        ("ALTER TABLE need_c DROP COLUMN m", ""),
        ("ALTER TABLE need_g DROP COLUMN `a``b`", "column s needs it"),
        ("ALTER TABLE need_g DROP COLUMN d", "the unique key ub needs it"),
        ("ALTER TABLE need_g DROP COLUMN e", ""),
        ("ALTER TABLE need_g DROP COLUMN s", ""),
        ("ALTER TABLE need_n DROP PRIMARY KEY", "column id needs it"),
        ("ALTER TABLE need_n DROP COLUMN id", ""),
        ("ALTER TABLE need_n DROP COLUMN x", ""),
    ] {
        make(&desk, &made).await;
        let said = surely(&desk, sql).await;
        let fails = fails(&desk, sql).await;
        assert_eq!(said.is_empty(), why.is_empty(), "{sql}: {said:?}");
        assert!(said.iter().all(|said| said.contains(why)), "{sql}: {said:?}");
        assert_eq!(fails, !why.is_empty(), "{sql}");
    }
}

#[tokio::test]
async fn what_needs_a_column_of_sqlite_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let made = [
        "CREATE TABLE p (id integer primary key, a int unique, b int, n int, k int, r int references p (id), \
         g int generated always as (k + 1), w int check (w > 0), free int, q int, check (n > 0), unique (q, b))",
        "CREATE INDEX ie ON p (lower(r))",
        "CREATE INDEX ip ON p (id) WHERE w > 1",
        "CREATE TABLE c (x int, y int references p (a), z int, foreign key (z) references p (id))",
        "CREATE VIEW v AS SELECT x AS free FROM c",
    ];
    for (at, (sql, why)) in [
        ("ALTER TABLE p DROP COLUMN b", "It would fail: a unique key needs it."),
        ("ALTER TABLE p DROP COLUMN n", "It would fail: the check n > 0 needs it."),
        ("ALTER TABLE p DROP COLUMN k", "It would fail: column g needs it."),
        ("ALTER TABLE p DROP COLUMN r", "It would fail: index ie needs it."),
        ("ALTER TABLE p DROP COLUMN w", "It would fail: index ip needs it."),
        ("ALTER TABLE p DROP COLUMN free", ""),
        ("ALTER TABLE p DROP COLUMN g", ""),
        ("ALTER TABLE c DROP COLUMN y", ""),
        ("ALTER TABLE c DROP COLUMN z", "It would fail: the foreign key to p needs it."),
        ("ALTER TABLE c DROP COLUMN x", "It may fail: view v needs it."),
    ]
    .into_iter()
    .enumerate()
    {
        let desk = Desk::keeping(&format!("sqlite:{}?mode=rwc", folder.path().join(format!("{at}.db")).display()));
        make(&desk, &made).await;
        let warnings = desk.told(sql).await.warnings.join(" ");
        let fails = fails(&desk, sql).await;
        assert_eq!(warnings, why, "{sql}");
        assert_eq!(fails, !why.is_empty(), "{sql}");
    }
}

#[tokio::test]
async fn a_date_that_is_none_is_told_where_it_is_refused() {
    let Some(url) = mariadb().await else { return };
    let (mut told, mut refused) = (0, 0);
    // Where somebody set another mode, nothing is told.
    for mode in ["", "NO_ZERO_DATE,STRICT_TRANS_TABLES", "ALLOW_INVALID_DATES,STRICT_TRANS_TABLES", "ANSI"] {
        let desk = Desk::keeping(&url);
        if !mode.is_empty() {
            desk.approved(&format!("SET sql_mode = '{mode}'")).await;
        }
        for value in [
            "2024-02-30",
            "2024-02-29",
            "2024-13-01",
            "0000-00-00",
            "2024-00-10",
            "2024-01-05 10:00:00",
            "2024-01-05x",
            "20240230",
            "10:11:12",
            "1",
        ] {
            for (column, kind) in [("d", "date"), ("t", "datetime"), ("f", "datetime(3)")] {
                make(
                    &desk,
                    &[
                        "DROP TABLE IF EXISTS key_dates",
                        "CREATE TABLE key_dates (id int PRIMARY KEY, d date, t datetime, f datetime(3))",
                    ],
                )
                .await;
                desk.approved("INSERT INTO key_dates (id) VALUES (1), (2)").await;
                for sql in [
                    format!("INSERT INTO key_dates (id, {column}) VALUES (8, '{value}'), (9, NULL)"),
                    format!("UPDATE key_dates SET {column} = '{value}' WHERE id < 9"),
                ] {
                    let said = surely(&desk, &sql).await;
                    let fails = fails(&desk, &sql).await;
                    assert!(fails || said.is_empty(), "{mode}: {kind}: {sql}: {said:?}, but it ran");
                    told += usize::from(!said.is_empty());
                    refused += usize::from(fails && mode.is_empty());
                }
            }
        }
    }
    println!("{refused} refused, {told} of them told beforehand");
    assert!(told * 2 > refused, "{told} of {refused}");
}
