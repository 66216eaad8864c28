//! What is told of a statement beforehand is what happens: rows counted by the preview against rows that the engine
//! says it changed, over generated statements. SQLite always; the servers that `COUNTERSIGN_POSTGRES` and
//! `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/dice.rs"]
mod dice;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Detail, Dialect, Preview, Remedy};
use countersign::tools::Tool as _;
use databases::{Desk, mariadb, postgres};
use dice::Dice;
use tokio_util::sync::CancellationToken;

/// Statements for each engine, unless `COUNTERSIGN_STATEMENTS` says how many.
const STATEMENTS: usize = 200;

fn condition(dice: &mut Dice, depth: u32) -> String {
    let number = dice.roll(50);
    match dice.roll(if depth > 0 { 11 } else { 8 }) {
        0 => format!("a {} {number}", dice.pick(&["<", "<=", "=", "<>", ">", ">="])),
        1 => format!("a BETWEEN {number} AND {}", number + dice.roll(20)),
        2 => format!("a IN ({number}, {}, {})", dice.roll(50), dice.roll(50)),
        3 => format!("s LIKE '{}%'", dice.pick(&["x", "y", "z", "xy"])),
        4 => format!("n IS {}NULL", dice.pick(&["", "NOT "])),
        5 => format!("a % {} = 0", dice.roll(5) + 1),
        6 => format!("coalesce(n, {number}) > {}", dice.roll(50)),
        7 => format!("a IN (SELECT b FROM foresight_other WHERE b > {number})"),
        8 => format!("({} AND {})", condition(dice, depth - 1), condition(dice, depth - 1)),
        9 => format!("({} OR {})", condition(dice, depth - 1), condition(dice, depth - 1)),
        _ => format!("NOT ({})", condition(dice, depth - 1)),
    }
}

fn statement(dice: &mut Dice, dialect: Dialect) -> String {
    let narrowed = if dice.roll(12) == 0 { String::new() } else { format!(" WHERE {}", condition(dice, 2)) };
    let limit = match dialect {
        Dialect::Mysql if dice.roll(3) == 0 => format!(" ORDER BY a, s LIMIT {}", dice.roll(30)),
        Dialect::Mysql | Dialect::Postgres | Dialect::Sqlite => String::new(),
    };
    match dice.roll(if dialect == Dialect::Mysql { 4 } else { 5 }) {
        0 | 1 => format!("UPDATE foresight SET n = a + {}, s = 'y'{narrowed}{limit}", dice.roll(9)),
        2 => format!("DELETE FROM foresight{narrowed}{limit}"),
        3 => format!(
            "INSERT INTO foresight (a, n, s) SELECT b, NULL, 'xyz' FROM foresight_other WHERE b < {}",
            dice.roll(50)
        ),
        _ => match dialect {
            Dialect::Postgres => "DELETE FROM foresight USING foresight_other o WHERE a = o.b AND a > 20".to_owned(),
            Dialect::Sqlite | Dialect::Mysql => {
                "UPDATE foresight SET n = 1 FROM foresight_other o WHERE a = o.b AND a > 20".to_owned()
            }
        },
    }
}

/// Why a statement can't be counted; then it couldn't be undone either, or that shows when it runs.
async fn uncounted(desk: &Desk, sql: &str) -> String {
    let told = preview(desk, sql).await.unwrap().unwrap();
    let said = matches!(told.remedy, Remedy::Impossible(_) | Remedy::Unsure(_));
    assert!(said && told.brief.is_empty(), "{sql}: {told:?}");
    told.effects.join(" ")
}

async fn preview(desk: &Desk, sql: &str) -> Result<Option<Preview>, String> {
    desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await
}

/// The number at the beginning of a text; none is zero.
fn number(text: &str) -> u64 {
    text.chars()
        .filter(|letter| *letter != ',')
        .take_while(char::is_ascii_digit)
        .collect::<String>()
        .parse()
        .unwrap_or(0)
}

/// The two tables, empty. In MariaDB they need no disk, which would take most of the time.
async fn make(desk: &Desk, dialect: Dialect) {
    let engine = if dialect == Dialect::Mysql { " ENGINE=MEMORY" } else { "" };
    for (table, columns) in [("foresight", "a int, n int, s varchar(20)"), ("foresight_other", "b int")] {
        desk.approved(&format!("DROP TABLE IF EXISTS {table}")).await;
        desk.approved(&format!("CREATE TABLE {table} ({columns}){engine}")).await;
    }
}

async fn seed(desk: &Desk) {
    desk.approved("DELETE FROM foresight").await;
    desk.approved("DELETE FROM foresight_other").await;
    let rows: Vec<String> = (0..120)
        .map(|row| {
            let n = if row % 3 == 0 { "NULL".to_owned() } else { (row * 7 % 50).to_string() };
            format!("({}, {n}, '{}')", row % 50, ["x", "xy", "y", "zz"][row % 4])
        })
        .collect();
    desk.approved(&format!("INSERT INTO foresight VALUES {}", rows.join(", "))).await;
    desk.approved("INSERT INTO foresight_other VALUES (1), (5), (5), (17), (23), (31), (44)").await;
}

async fn told_is_what_happens(desk: &Desk, dialect: Dialect) {
    make(desk, dialect).await;
    let mut dice = Dice(20_261_122);
    let mut took = std::time::Duration::ZERO;
    let asked = std::env::var("COUNTERSIGN_STATEMENTS").ok().and_then(|count| count.parse().ok());
    let statements: usize = asked.unwrap_or(STATEMENTS);
    for count in 0..statements {
        if count % 8 == 0 {
            seed(desk).await;
        }
        let sql = statement(&mut dice, dialect);
        let prepared = desk.judged(&sql).await;
        let started = std::time::Instant::now();
        let told = desk.tool.preview(&prepared, CancellationToken::new()).await;
        took += started.elapsed();
        let told = told.unwrap_or_else(|reason| panic!("{sql}: {reason}")).unwrap();
        let happened = desk.approved(&sql).await;
        assert_eq!(number(&told.brief), number(&happened), "{sql}: told {}, happened {happened}", told.brief);
    }
    let each = took.as_millis() / statements.max(1) as u128;
    println!("{}: told and happened agree on {statements} of {statements} statements, {each} ms each", dialect.word());
}

#[tokio::test]
async fn told_is_what_happens_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(&format!("sqlite:{}?mode=rwc", folder.path().join("f.db").display()));
    told_is_what_happens(&desk, Dialect::Sqlite).await;
}

#[tokio::test]
async fn nothing_is_counted_where_an_earlier_statement_may_have_changed_what_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(&format!("sqlite:{}?mode=rwc", folder.path().join("f.db").display()));
    desk.approved("CREATE TABLE o (a)").await;
    desk.approved("INSERT INTO o VALUES (1)").await;
    let told = async || preview(&desk, "DELETE FROM o").await;
    assert_eq!(told().await.unwrap().unwrap().brief, "1 of 1 row");
    desk.approved("BEGIN").await;
    desk.approved("INSERT INTO o VALUES (2)").await;
    assert!(uncounted(&desk, "DELETE FROM o").await.contains("a transaction is open"));
    desk.approved("ROLLBACK").await;
    assert_eq!(told().await.unwrap().unwrap().brief, "1 of 1 row");
    desk.approved("CREATE TEMP TABLE o (a)").await;
    assert!(uncounted(&desk, "DELETE FROM o").await.contains("`CREATE` ran on this connection"));
}

#[tokio::test]
async fn told_is_what_happens_in_postgres() {
    if let Some(url) = postgres().await {
        told_is_what_happens(&Desk::new(&url), Dialect::Postgres).await;
    }
}

#[tokio::test]
async fn told_is_what_happens_in_mariadb() {
    if let Some(url) = mariadb().await {
        told_is_what_happens(&Desk::new(&url), Dialect::Mysql).await;
    }
}

#[tokio::test]
async fn a_sample_shows_old_and_new_values_and_nothing_runs() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(&format!("sqlite:{}?mode=rwc", folder.path().join("f.db").display()));
    make(&desk, Dialect::Sqlite).await;
    seed(&desk).await;
    desk.approved("CREATE TRIGGER noted AFTER DELETE ON foresight BEGIN UPDATE foresight_other SET b = 0; END").await;
    let told = preview(&desk, "UPDATE foresight SET a = a + 100 WHERE a = 3").await.unwrap().unwrap();
    assert_eq!(told.effects[0], "Changes 3 of 120 rows (2.5 %) of foresight.");
    let [Detail::Rows { table, .. }] = told.details.as_slice() else { panic!("{:?}", told.details) };
    assert_eq!(table.columns, ["a", "new a", "n", "s"]);
    assert_eq!((table.rows[0][0].as_deref(), table.rows[0][1].as_deref()), (Some("3"), Some("103")));
    let told = preview(&desk, "DELETE FROM foresight").await.unwrap().unwrap();
    assert_eq!(told.warnings, ["That is every row of foresight."]);
    assert!(told.effects[1].contains("noted"), "{:?}", told.effects);
    assert_eq!(desk.row("SELECT count(*), min(a), max(a) FROM foresight").await, ["120", "0", "49"]);
    // What a condition calls may be anything: it isn't called to count.
    let refused = uncounted(&desk, "DELETE FROM foresight WHERE load_extension('x') = 1").await;
    assert!(refused.starts_with("Its rows can't be counted beforehand"));
}

#[tokio::test]
async fn what_a_drop_takes_along_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(&format!("sqlite:{}?mode=rwc", folder.path().join("f.db").display()));
    for sql in [
        "CREATE TABLE parent (id INTEGER PRIMARY KEY, s TEXT)",
        "INSERT INTO parent (s) VALUES ('a'), ('b')",
        "CREATE TABLE child (p REFERENCES parent ON DELETE CASCADE, q REFERENCES parent (id) ON UPDATE SET NULL)",
        "CREATE VIEW seen AS SELECT s FROM Parent",
        "CREATE VIEW other AS SELECT 'parental' AS s",
        "CREATE TRIGGER noted AFTER DELETE ON parent BEGIN SELECT 1; END",
    ] {
        desk.approved(sql).await;
    }
    let effects = async |sql: &str| preview(&desk, sql).await.unwrap().unwrap().effects;
    let deleted = effects("DELETE FROM parent WHERE s = 'a'").await;
    assert_eq!(
        deleted[1..],
        ["Triggers that fire: noted.", "Rows of other tables that go along or change: child (0 rows)."]
    );
    let changed = effects("UPDATE parent SET id = id + 1").await;
    assert_eq!(changed[1..], ["Rows of other tables that go along or change: child (0 rows)."]);
    assert_eq!(effects("UPDATE parent SET s = 'c'").await.len(), 1);
    let dropped = effects("DROP TABLE parent").await;
    assert_eq!(dropped[0], "Drops parent with 2 rows, 4.1 kB with its indexes.");
    assert!(dropped.contains(&"Views that read it: seen.".to_owned()), "{dropped:?}");
    desk.approved("PRAGMA foreign_keys = off").await;
    if let Some(url) = postgres().await {
        let desk = Desk::new(&url);
        for sql in [
            "DROP SCHEMA IF EXISTS foresight_ddl CASCADE",
            "CREATE SCHEMA foresight_ddl",
            "CREATE TABLE foresight_ddl.parent (id int PRIMARY KEY, s text)",
            "INSERT INTO foresight_ddl.parent SELECT g, 'x' FROM generate_series(1, 10) g",
            "CREATE TABLE foresight_ddl.child (p int REFERENCES foresight_ddl.parent)",
            "CREATE VIEW foresight_ddl.seen AS SELECT s FROM foresight_ddl.parent",
            "CREATE TABLE foresight_ddl.news (id int, s text, d bool)",
            "INSERT INTO foresight_ddl.news VALUES (1, 'y', true), (2, 'y', false), (50, 'y', false), (51, 'y', true)",
        ] {
            desk.approved(sql).await;
        }
        let effects = async |sql: &str| preview(&desk, sql).await.unwrap().unwrap().effects;
        let dropped = effects("DROP TABLE foresight_ddl.parent CASCADE").await;
        assert!(dropped[0].starts_with("Drops foresight_ddl.parent with 10 rows, 33 kB"), "{dropped:?}");
        assert_eq!(
            dropped[1..],
            [
                "Views that go, too: seen, and what reads those.",
                "Tables that lose the key by which they refer to it: child."
            ]
        );
        let emptied = effects("TRUNCATE foresight_ddl.parent CASCADE").await;
        assert_eq!(emptied[1..], ["Tables that are emptied, too: child (0 rows)."]);
        let sql = "MERGE INTO foresight_ddl.parent p USING foresight_ddl.news n ON p.id = n.id \
            WHEN MATCHED AND n.d THEN DELETE WHEN MATCHED THEN UPDATE SET s = n.s \
            WHEN NOT MATCHED AND n.d THEN INSERT VALUES (n.id, n.s)";
        let told = preview(&desk, sql).await.unwrap().unwrap();
        assert_eq!(told.effects[0], "Changes or deletes 2 of 10 rows (20.0 %) of foresight_ddl.parent, and adds 1.");
        let [Detail::Rows { table: met, .. }, Detail::Rows { title, table: added }] = told.details.as_slice() else {
            panic!("{:?}", told.details)
        };
        assert_eq!((met.total, met.columns.len(), title.as_str()), (2, 5, "rows of the source that are added"));
        assert_eq!(added.rows, [[Some("51".to_owned()), Some("y".to_owned()), Some("t".to_owned())]]);
        assert_eq!(number(&told.brief), number(&desk.approved(sql).await), "{}", told.brief);
    }
}

/// What SQLite and the servers are told of one statement, and what its first effects are.
async fn begin(desk: &Desk, cases: &[(&str, &[&str])]) {
    for (sql, effects) in cases {
        let told = preview(desk, sql).await.unwrap().unwrap();
        assert!(told.effects.iter().zip(*effects).all(|(said, begins)| said.starts_with(begins)), "{sql}: {told:?}");
        assert!(told.effects.len() >= effects.len(), "{sql}: {:?}", told.effects);
    }
}

#[tokio::test]
async fn rows_in_the_way_and_rows_left_to_chance_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(&format!("sqlite:{}?mode=rwc", folder.path().join("f.db").display()));
    desk.approved(
        "CREATE TABLE way (id INTEGER PRIMARY KEY, a INT); INSERT INTO way VALUES (1, 1), (2, 2);
        CREATE TABLE child (p REFERENCES way (id) ON DELETE CASCADE); CREATE VIEW seen AS SELECT * FROM way;
        CREATE TRIGGER added INSTEAD OF UPDATE ON seen BEGIN SELECT 1; END",
    )
    .await;
    let gone = "Adds 1 row to way. Rows that are in their way are deleted: 1 row.";
    let child = "Rows of other tables that go along or change: child";
    begin(
        &desk,
        &[
            ("INSERT OR REPLACE INTO way VALUES (1, 9)", &[gone, child]),
            ("REPLACE INTO way VALUES (1, 9)", &[gone, child]),
            ("UPDATE OR REPLACE way SET id = 1", &["Changes 2 of 2 rows (100.0 %) of way. Rows that are", child]),
            (
                "INSERT INTO way VALUES (1, 9), (3, 3) ON CONFLICT (id) DO UPDATE SET a = 5",
                &["Adds 1 row to way, and changes 1 row that is in the way."],
            ),
            ("INSERT OR IGNORE INTO way VALUES (1, 9)", &["Adds 0 rows to way, and leaves out 1 row."]),
            ("UPDATE way SET a = 1 WHERE random() < 0", &["Changes about "]),
            (
                "UPDATE seen SET a = 1",
                &["The view's trigger decides what it does: added. Its own text meets 2 of 2 rows of seen."],
            ),
        ],
    )
    .await;
    for sql in [
        "WITH way AS (SELECT 1 AS i) UPDATE way SET a = 1 WHERE id IN (SELECT 1)",
        "WITH Way AS (SELECT 1) DELETE FROM way",
    ] {
        assert!(uncounted(&desk, sql).await.contains("behind a `WITH`"), "{sql}");
    }
    if let Some(url) = postgres().await {
        let desk = Desk::new(&url);
        desk.approved("DROP TABLE IF EXISTS foresight_way").await;
        desk.approved("CREATE TABLE foresight_way (id int PRIMARY KEY, a int)").await;
        desk.approved("INSERT INTO foresight_way SELECT g, g FROM generate_series(1, 100) g").await;
        begin(&desk, &[("UPDATE foresight_way SET a = 0 WHERE random() < 0.5", &["Changes about "])]).await;
        let sql = "WITH x AS (DELETE FROM foresight_way RETURNING id) INSERT INTO foresight_way SELECT id FROM x";
        assert!(uncounted(&desk, sql).await.contains("can't be counted beforehand"), "{sql}");
        desk.approved("DROP TABLE foresight_way").await;
    }
    if let Some(url) = mariadb().await {
        let desk = Desk::keeping(&url);
        for sql in [
            "DROP TABLE IF EXISTS foresight_way",
            "CREATE TABLE foresight_way (id int PRIMARY KEY, a int) ENGINE=InnoDB",
            "INSERT INTO foresight_way VALUES (1, 1), (2, 2)",
            "CREATE OR REPLACE VIEW foresight_seen AS SELECT * FROM foresight_way",
            "CREATE TRIGGER foresight_gone BEFORE DELETE ON foresight_way FOR EACH ROW SET @gone = 1",
        ] {
            desk.approved(sql).await;
        }
        begin(
            &desk,
            &[
                ("REPLACE INTO foresight_way VALUES (1, 9)", &["Adds 1 row to", "Triggers that fire: foresight_gone."]),
                (
                    "INSERT INTO foresight_way VALUES (1, 9) ON DUPLICATE KEY UPDATE a = 5",
                    &["Adds 0 rows to foresight_way, and changes 1 row that is in the way."],
                ),
                (
                    "UPDATE foresight_seen SET a = 1",
                    &["Changes 2 of 2 rows", "foresight_seen is a view: triggers of the tables"],
                ),
            ],
        )
        .await;
        let (events, _) = desk.call(r#"{"sql": "UPDATE foresight_seen SET a = 1"}"#).await;
        let said = format!("{events:?}");
        assert!(said.contains("it is a view") && !said.contains("temporary"), "{said}");
        for sql in ["DROP VIEW foresight_seen", "DROP TABLE foresight_way"] {
            desk.approved(sql).await;
        }
    }
}

#[tokio::test]
async fn what_rules_and_heirs_make_of_a_statement_is_told() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    for sql in [
        "DROP SCHEMA IF EXISTS foresight_rules CASCADE",
        "CREATE SCHEMA foresight_rules",
        "CREATE TABLE foresight_rules.gone (id int PRIMARY KEY, a int, b int)",
        "INSERT INTO foresight_rules.gone VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)",
        "CREATE TABLE foresight_rules.log (id int)",
        "CREATE VIEW foresight_rules.seen AS SELECT a FROM foresight_rules.gone",
        "CREATE RULE kept AS ON DELETE TO foresight_rules.gone DO INSTEAD NOTHING",
        "CREATE RULE noted AS ON UPDATE TO foresight_rules.gone DO ALSO INSERT INTO foresight_rules.log VALUES (old.id)",
        "CREATE RULE low AS ON INSERT TO foresight_rules.gone WHERE new.id < 0 DO INSTEAD NOTHING",
        "CREATE RULE asks AS ON DELETE TO foresight_rules.log DO ALSO SELECT count(*) FROM foresight_rules.gone",
        "CREATE TABLE foresight_rules.par (id int)",
        "CREATE TABLE foresight_rules.heir () INHERITS (foresight_rules.par)",
        "INSERT INTO foresight_rules.par VALUES (1), (2)",
        "INSERT INTO foresight_rules.heir VALUES (3)",
    ] {
        desk.approved(sql).await;
    }
    let told = async |sql: &str| preview(&desk, sql).await.unwrap().unwrap();
    let deleted = told("DELETE FROM foresight_rules.gone").await;
    assert_eq!(
        (deleted.brief.as_str(), deleted.effects[0].as_str()),
        ("replaced by a rule", "A rule replaces it: kept. Its own text meets 3 of 3 rows of foresight_rules.gone.")
    );
    let changed = told("UPDATE foresight_rules.gone SET a = 0 WHERE id = 1").await;
    assert_eq!(changed.effects[1], "Rules that add to it: noted.");
    let added = told("INSERT INTO foresight_rules.gone VALUES (-1, 0, 0)").await;
    assert_eq!(added.effects[1], "Rules that replace it for some rows: low.");
    let dropped = told("DROP TABLE foresight_rules.gone CASCADE").await;
    assert_eq!(
        dropped.effects[1..],
        ["Views that go, too: seen, and what reads those.", "Rules that go, too: asks of log."][..]
    );
    for (sql, effect) in [
        ("DELETE FROM ONLY foresight_rules.par", "Deletes 2 of 2 rows (100.0 %) of foresight_rules.par."),
        ("UPDATE ONLY foresight_rules.par SET id = 9", "Changes 2 of 2 rows (100.0 %) of foresight_rules.par."),
        ("DELETE FROM foresight_rules.par", "Deletes 3 of 3 rows (100.0 %) of foresight_rules.par."),
    ] {
        let told = told(sql).await;
        assert_eq!(told.effects[0], effect, "{sql}");
        assert_eq!(number(&told.brief), number(&desk.approved(&format!("BEGIN; {sql}; ROLLBACK")).await), "{sql}");
    }
    for (sql, title) in [
        ("UPDATE foresight_rules.log SET id = 1 + id", "rows that match, each new value behind the old one"),
        ("UPDATE foresight_rules.gone SET (a, b) = (SELECT 5, 6)", "rows that match"),
        (
            "UPDATE foresight_rules.gone g SET a = p.id FROM foresight_rules.par p WHERE g.id = p.id",
            "rows that match, each new value behind the old one",
        ),
    ] {
        desk.approved("INSERT INTO foresight_rules.log VALUES (1)").await;
        let told = told(sql).await;
        let [Detail::Rows { title: said, .. }] = told.details.as_slice() else { panic!("{sql}: {:?}", told.details) };
        assert_eq!(said, title, "{sql}");
    }
}

#[tokio::test]
async fn a_row_of_values_that_becomes_several_is_counted() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    for sql in [
        "DROP TABLE IF EXISTS foresight_sets",
        "CREATE TABLE foresight_sets (id int, s text DEFAULT 'x')",
        "CREATE OR REPLACE FUNCTION foresight_several() RETURNS SETOF int LANGUAGE sql AS 'SELECT 1 UNION SELECT 2'",
    ] {
        desk.approved(sql).await;
    }
    for sql in [
        "INSERT INTO foresight_sets (id) VALUES (generate_series(1, 1000))",
        "INSERT INTO foresight_sets VALUES (generate_series(1, 3), DEFAULT)",
        "INSERT INTO foresight_sets VALUES (length('abc'), lower('X'))",
    ] {
        let told = preview(&desk, sql).await.unwrap().unwrap();
        assert_eq!(number(&told.brief), number(&desk.approved(sql).await), "{sql}: {}", told.brief);
    }
    let sql = "INSERT INTO foresight_sets (id) VALUES (foresight_several())";
    assert!(uncounted(&desk, sql).await.contains("foresight_several"));
    desk.approved("DROP TABLE foresight_sets").await;
}

/// A function of the database that has the name of one of the engine's is not what our own reads mean.
#[tokio::test]
async fn a_function_called_sum_does_not_stop_counting() {
    let Some(url) = postgres().await else { return };
    Desk::new(&url).approved("DROP DATABASE IF EXISTS countersign_sums").await;
    Desk::new(&url).approved("CREATE DATABASE countersign_sums").await;
    let desk = Desk::keeping(&databases::within(&url, "countersign_sums"));
    for sql in [
        "CREATE FUNCTION public.sum(int, int) RETURNS int LANGUAGE sql AS 'SELECT $1 + $2'",
        "CREATE FUNCTION public.count(int) RETURNS int LANGUAGE sql AS 'SELECT $1'",
        "CREATE FUNCTION public.own(int) RETURNS int LANGUAGE sql AS 'SELECT $1'",
        "CREATE TABLE p (id int PRIMARY KEY, n int)",
        "INSERT INTO p VALUES (1, 1), (2, 2)",
        "CREATE TABLE checked (id int CHECK (own(id) > 0))",
    ] {
        desk.approved(sql).await;
    }
    let told = preview(&desk, "DELETE FROM p WHERE id = 1").await.unwrap().unwrap();
    assert_eq!(told.brief, "1 of 2 rows");
    assert!(matches!(told.remedy, Remedy::Possible(_)), "{:?}", told.remedy);
    let refused = uncounted(&desk, "DELETE FROM checked").await;
    assert_eq!(
        refused,
        "Its rows can't be counted beforehand: The function `public.own` was put into this database, \
         and no rule says that it only reads."
    );
    // Those that a statement means by such a name are looked at as before.
    let sql = "DELETE FROM p WHERE sum(id, 1) = 1";
    assert!(uncounted(&desk, sql).await.contains("public.sum"));
    // Nor would it be kept.
    let remedy = preview(&desk, sql).await.unwrap().unwrap().remedy;
    assert!(matches!(&remedy, Remedy::Impossible(why) if why.contains("public.sum")), "{remedy:?}");
}
