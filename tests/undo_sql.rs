//! What SQL changed comes back, to the last bit: generated statements are run, taken back and done again, and the
//! whole table is compared each time. SQLite always; the servers that `COUNTERSIGN_POSTGRES` and
//! `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/dice.rs"]
mod dice;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Dialect, Outcome, Remedy, RunEvent};
use countersign::tools::Tool as _;
use databases::{Desk, desks, mariadb, postgres, three, undoable};
use dice::Dice;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Statements for each engine.
const STATEMENTS: usize = 60;

/// A table of many types, with values that are easily bent.
struct World {
    dialect: Dialect,
    /// Makes the table `undo_types` with the key `id`, and fills it.
    make: &'static [&'static str],
    /// Each row as one text that tells it exactly.
    told: &'static str,
    /// Columns other than the key, each with values to set.
    columns: &'static [(&'static str, &'static [&'static str])],
}

const SQLITE: World = World {
    dialect: Dialect::Sqlite,
    make: &[
        "DROP TABLE IF EXISTS undo_types",
        "CREATE TABLE undo_types (id INTEGER PRIMARY KEY, t TEXT COLLATE NOCASE, b BLOB, n NUMERIC, r REAL, x, \
         g INTEGER GENERATED ALWAYS AS (id * 2) STORED, v AS (length(t)))",
        r"INSERT INTO undo_types (id, t, b, n, r, x) VALUES (1, 'it''s \ here', x'00ff27', 9223372036854775807, 0.1, 'a' || char(0) || 'b'),
          (2, '', x'', '1e3', 1e308, NULL), (-3, 'ä 中 🦀', NULL, -0.5, 9e999, 1), (4, NULL, zeroblob(3), '0012', -1.7976931348623157e308, 1.0),
          (9223372036854775807, char(10) || char(9) || '--', x'5c', NULL, 5e-324, '1'), (-9223372036854775808, 'A', 'text', 7, 2.0, x'31')",
    ],
    told: "SELECT group_concat(id || '|' || typeof(t) || coalesce(hex(t), '') || '|' || quote(b) || '|' || quote(n) || typeof(n) || '|' || \
           coalesce(printf('%!.26e', r), '') || '|' || typeof(x) || coalesce(hex(x), '') || '|' || g || '|' || coalesce(v, '')) \
           FROM (SELECT * FROM undo_types ORDER BY id)",
    columns: &[
        ("t", &["'it''s'", "NULL", "''", "t || 'ß'", "char(0) || 'x'", "upper(t)", r"'\'"]),
        ("b", &["x'0027'", "NULL", "zeroblob(5)", "'text'"]),
        ("n", &["-9223372036854775808", "0.1 + 0.2", "NULL", "'abc'"]),
        ("r", &["1.0 / 3", "9e999", "NULL", "id * 1.1", "-0.0", "2.2250738585072014e-308"]),
        ("x", &["1", "'1'", "1.5", "x'00'", "NULL", "id"]),
    ],
};

const POSTGRES: World = World {
    dialect: Dialect::Postgres,
    make: &[
        "DROP TABLE IF EXISTS undo_types",
        "DROP TYPE IF EXISTS undo_mood; DROP TYPE IF EXISTS undo_pair",
        "CREATE TYPE undo_mood AS ENUM ('sad', 'it''s ok')",
        "CREATE TYPE undo_pair AS (a int, b text)",
        "CREATE TABLE undo_types (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, t text, c char(5), b bytea, n numeric, m numeric(12, 3), \
         f float8, r real, d date, z timestamptz, s timestamp, i interval, j json, k jsonb, a text[], w int4range, e undo_mood, p undo_pair, \
         u uuid, o bool, x xml, y point, q inet, l bit varying, h \"char\", g bigint GENERATED ALWAYS AS (id * 2) STORED)",
        r#"INSERT INTO undo_types OVERRIDING SYSTEM VALUE VALUES
          (1, 'it''s \ here', 'ab', '\x00ff27', 1.00, 1.5, 'NaN', 0.1, '0044-03-15 BC', '2024-03-31 01:30:00.123456+02', 'infinity', '1 mon -3 days 04:05:06.7',
           '{ "a":  1, "a": 2 }', '{"b": "\\u00e4"}', '{NULL,"NULL","a,b\""}', '[1,5)', 'it''s ok', '(1,"a,""b")', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
           true, '<a>1</a>', '(1.5,2)', '10.0.0.1/8', B'101', 'x', DEFAULT),
          (2, '', '', '', 12345678901234567890123456789.123456789, -0.001, '-infinity', 'NaN', 'infinity', '-infinity', '0001-01-01 BC', '30 days',
           'null', 'null', '{}', 'empty', NULL, '(,)', NULL, false, NULL, NULL, '::1', B'', '', DEFAULT),
          (9223372036854775807 / 2, NULL, NULL, NULL, NULL, NULL, 1e-307, 3.4e38, NULL, '1900-01-01 00:00+00:19', NULL, NULL,
           NULL, NULL, '{{1,2},{3,4}}', '(,)', 'sad', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT)"#,
        "ALTER TABLE undo_types ALTER COLUMN id RESTART WITH 100",
    ],
    told: "SELECT string_agg(t::text, E'\\n' ORDER BY id) FROM undo_types t",
    columns: &[
        ("t", &["'it''s'", "NULL", "''", "t || 'ß'", r"E'\\x'", "E'\\n\\t'"]),
        ("c", &["'x'", "NULL", "''"]),
        ("b", &[r"'\x00'", "NULL", "''"]),
        ("n", &["n + 0.10", "'NaN'", "NULL", "1.0000"]),
        ("m", &["1", "NULL"]),
        ("f", &["1.0 / 3", "'infinity'", "NULL", "'-0'"]),
        ("r", &["1.1", "NULL"]),
        ("z", &["'2024-10-27 02:30:00.000001 Europe/Berlin'", "NULL", "now()"]),
        ("i", &["'1 month'", "'30 days'", "NULL"]),
        ("j", &["'[1,  2]'", "NULL"]),
        ("k", &["'[1,  2]'", "NULL"]),
        ("a", &["'{x}'", "NULL", "ARRAY[t, NULL]"]),
        ("e", &["'sad'", "NULL"]),
        ("p", &["'(2,)'", "NULL"]),
        ("o", &["NOT o", "NULL"]),
        ("x", &["'<b/>'", "NULL"]),
        ("y", &["'(0,0)'", "NULL"]),
    ],
};

const MARIADB: World = World {
    dialect: Dialect::Mysql,
    make: &[
        "CREATE DATABASE IF NOT EXISTS countersign_undo",
        "DROP TABLE IF EXISTS countersign_undo.undo_types",
        "CREATE TABLE countersign_undo.undo_types (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, t VARCHAR(60) CHARACTER SET utf8mb4, \
         l VARCHAR(60) CHARACTER SET latin1, c CHAR(5), b BLOB, y BINARY(4), n DECIMAL(30, 10), d DOUBLE, f FLOAT, k BIT(10), e ENUM('a', 'it''s'), \
         s SET('p', 'q'), z TIMESTAMP(6) NULL, u TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, w DATETIME(3), v DATE, i TIME(2), \
         r YEAR, j JSON, q UUID, g DECIMAL(31, 10) AS (n * 2) STORED, h INT AS (LENGTH(t)) VIRTUAL) ENGINE=InnoDB",
        r"INSERT INTO countersign_undo.undo_types (id, t, l, c, b, y, n, d, f, k, e, s, z, w, v, i, r, j, q) VALUES
          (1, 'it''s \\ here', 'é', 'ab', x'00ff27', 'ab', 12345678901234567890.0123456789, 0.1, 0.1, b'1010101010', 'it''s', 'p,q', '2024-10-27 00:30:00.123456',
           '2024-01-01 00:00:00.5', '0000-00-00', '-800:00:00.5', 2024, '[1,   2]', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'),
          (2, '', '', '', '', '', -0.5, -1.7976931348623157e308, 3.4e38, 0, 'a', '', '1970-01-01 00:00:01', '9999-12-31 23:59:59.999', '2024-02-29', '00:00:00', 0, 'null', NULL),
          (10000000000000000000, NULL, NULL, NULL, NULL, NULL, NULL, 5e-324, 16777217, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    ],
    told: "SELECT GROUP_CONCAT(CONCAT_WS('|', id, IFNULL(HEX(t), '-'), IFNULL(HEX(l), '-'), IFNULL(HEX(c), '-'), IFNULL(HEX(b), '-'), IFNULL(HEX(y), '-'), \
           IFNULL(n, '-'), IFNULL(d, '-'), IFNULL(f * 1e0, '-'), IFNULL(k + 0, '-'), IFNULL(e, '-'), IFNULL(s, '-'), IFNULL(z, '-'), IFNULL(u, '-'), \
           IFNULL(w, '-'), IFNULL(v, '-'), IFNULL(i, '-'), IFNULL(r, '-'), IFNULL(HEX(j), '-'), IFNULL(q, '-'), IFNULL(g, '-'), IFNULL(h, '-')) ORDER BY id) \
           FROM countersign_undo.undo_types",
    columns: &[
        ("t", &["'it''s'", "NULL", "''", "CONCAT(t, 'ß')", r"'\\'", "UPPER(t)", "CONCAT(t, ' ')"]),
        ("l", &["'ü'", "NULL", "UPPER(l)"]),
        ("c", &["'x'", "NULL", "''"]),
        ("b", &["x'0027'", "NULL", "''"]),
        ("y", &["'x'", "NULL"]),
        ("n", &["n + 0.1", "NULL", "-1"]),
        ("d", &["1e0 / 3", "NULL", "d / 7"]),
        ("f", &["0.3", "NULL", "f / 7"]),
        ("k", &["b'1'", "NULL"]),
        ("e", &["'a'", "NULL"]),
        ("z", &["'2024-10-27 01:30:00.000001'", "NULL", "NOW(6)"]),
        ("w", &["NULL", "NOW(3)"]),
        ("i", &["'12:00:00.25'", "NULL"]),
        ("j", &["'[1,  2]'", "NULL"]),
        ("q", &["UUID()", "NULL"]),
    ],
};

impl World {
    fn table(&self) -> &'static str {
        if self.dialect == Dialect::Mysql { "countersign_undo.undo_types" } else { "undo_types" }
    }

    async fn told(&self, desk: &Desk) -> String {
        let (events, report) = desk.call(&json!({ "sql": self.told }).to_string()).await;
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{}", report.result);
        let table = events.iter().rev().find_map(|event| match event {
            RunEvent::Table(table) => Some(table.rows[0][0].clone().unwrap_or_default()),
            _ => None,
        });
        table.unwrap()
    }

    fn statement(&self, dice: &mut Dice) -> String {
        let table = self.table();
        let at = |dice: &mut Dice| usize::try_from(dice.roll(self.columns.len() as u64)).unwrap();
        let narrowed = match dice.roll(4) {
            0 => String::new(),
            1 => format!(" WHERE id {} 2", dice.pick(&["<", ">", "<=", "<>"])),
            2 => format!(" WHERE {} IS NOT NULL", self.columns[at(dice)].0),
            _ => " WHERE id > 0".to_owned(),
        };
        match dice.roll(5) {
            0 => format!("DELETE FROM {table}{narrowed}"),
            1 => {
                let (column, values) = self.columns[at(dice)];
                let plain: Vec<&str> = values
                    .iter()
                    .copied()
                    .filter(|value| {
                        !["||", "id", "NOT", "(t", "(l", "n +", "d /", "f /", "[t", "(t,"]
                            .iter()
                            .any(|part| value.contains(part))
                    })
                    .collect();
                let value = dice.pick(if plain.is_empty() { &["NULL"] } else { &plain });
                format!("INSERT INTO {table} ({column}) VALUES ({value}), (NULL);\n-- two")
            }
            _ => {
                let (one, other) = (self.columns[at(dice)], self.columns[at(dice)]);
                let mut set = vec![format!("{} = {}", one.0, dice.pick(one.1))];
                if one.0 != other.0 {
                    set.push(format!("{} = {}", other.0, dice.pick(other.1)));
                }
                format!("UPDATE {table} SET {}{narrowed}", set.join(", "))
            }
        }
    }
}

fn note(events: &[RunEvent]) -> Option<String> {
    events.iter().find_map(|event| match event {
        RunEvent::Note(note) => Some(note.clone()),
        _ => None,
    })
}

async fn succeeded(desk: &Desk, arguments: &str) -> Option<String> {
    let (events, report) = desk.call(arguments).await;
    assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{arguments}: {}", report.result);
    assert_eq!(note(&events), None, "{arguments}");
    undoable(&events)
}

async fn comes_back(world: &World, desk: &Desk) {
    for sql in world.make {
        desk.approved(sql).await;
    }
    let mut dice = Dice(20_261_122);
    let (mut undone, mut idle) = (0, 0);
    for _ in 0..STATEMENTS {
        let sql = world.statement(&mut dice);
        let before = world.told(desk).await;
        let back = succeeded(desk, &json!({ "sql": sql }).to_string()).await;
        let after = world.told(desk).await;
        let Some(back) = back else {
            assert_eq!(before, after, "{sql}: changed something that can't be taken back");
            idle += 1;
            continue;
        };
        let again = succeeded(desk, &back).await.unwrap();
        assert_eq!(world.told(desk).await, before, "{sql}: not taken back by\n{back}");
        let back = succeeded(desk, &again).await.unwrap();
        assert_eq!(world.told(desk).await, after, "{sql}: not done again by\n{again}");
        if dice.roll(3) > 0 {
            succeeded(desk, &back).await.unwrap();
            assert_eq!(world.told(desk).await, before, "{sql}: not taken back a second time");
        }
        undone += 1;
        if world.told(desk).await.len() < 60 {
            for sql in world.make {
                desk.approved(sql).await;
            }
        }
    }
    assert!(undone > STATEMENTS / 2, "{undone}");
    println!(
        "{}: {undone} of {STATEMENTS} statements taken back and done again, {idle} changed nothing",
        world.dialect.word()
    );
}

fn file() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?mode=rwc", folder.path().join("u.db").display());
    (folder, url)
}

#[tokio::test]
async fn everything_comes_back_in_sqlite() {
    let (_folder, url) = file();
    comes_back(&SQLITE, &Desk::keeping(&url)).await;
}

#[tokio::test]
async fn everything_comes_back_in_postgres() {
    if let Some(url) = postgres().await {
        comes_back(&POSTGRES, &Desk::keeping(&url)).await;
    }
}

#[tokio::test]
async fn everything_comes_back_in_mariadb() {
    if let Some(url) = mariadb().await {
        comes_back(&MARIADB, &Desk::keeping(&url)).await;
    }
}

#[tokio::test]
async fn what_was_changed_since_stays() {
    for (dialect, desk) in desks().await {
        three(&desk, "undo_since").await;
        let all = "SELECT max(id), min(name), max(name), count(*) FROM undo_since";
        let back = succeeded(&desk, r#"{"sql":"UPDATE undo_since SET name = 'x'"}"#).await.unwrap();
        desk.approved("UPDATE undo_since SET name = 'X' WHERE id = 2").await;
        let before = desk.row(all).await;
        let (_, report) = desk.call(&back).await;
        let Outcome::Failed { reason } = report.outcome else { panic!("{dialect:?}: {}", report.result) };
        assert!(reason.starts_with("1 of 3 rows are no longer as they were left, so nothing was changed"), "{reason}");
        assert_eq!(desk.row(all).await, before, "{dialect:?}");
        // Somebody took the place of what was deleted.
        let back = succeeded(&desk, r#"{"sql":"DELETE FROM undo_since WHERE id > 1"}"#).await.unwrap();
        desk.approved("INSERT INTO undo_since VALUES (3, 'new')").await;
        let (_, report) = desk.call(&back).await;
        assert!(matches!(report.outcome, Outcome::Failed { .. }), "{dialect:?}: {}", report.result);
        assert_eq!(desk.row("SELECT count(*), max(name) FROM undo_since").await, ["2", "x"].map(str::to_owned));
        desk.approved("UPDATE undo_since SET name = name").await;
    }
}

#[tokio::test]
async fn an_open_transaction_is_left_alone() {
    for (dialect, desk) in desks().await {
        three(&desk, "undo_open").await;
        desk.approved("BEGIN").await;
        let (events, _) = desk.call(r#"{"sql":"DELETE FROM undo_open"}"#).await;
        let said = note(&events).unwrap();
        assert!(said.contains("a transaction that was open"), "{dialect:?}: {said}");
        desk.approved("ROLLBACK").await;
        assert_eq!(desk.row("SELECT count(*) FROM undo_open").await, ["3"], "{dialect:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_taken_back_says_so_before_and_after() {
    for (dialect, desk) in desks().await {
        three(&desk, "undo_not").await;
        for sql in [
            "DROP TABLE IF EXISTS undo_child",
            "DROP TABLE IF EXISTS undo_keyless",
            "CREATE TABLE undo_keyless (a int)",
            "INSERT INTO undo_keyless VALUES (1)",
            "CREATE TABLE undo_child (p int, FOREIGN KEY (p) REFERENCES undo_not (id) ON DELETE CASCADE)",
        ] {
            desk.approved(sql).await;
        }
        for (sql, why) in [
            ("DELETE FROM undo_keyless", "undo_keyless has no key"),
            ("DELETE FROM undo_not WHERE id = 3", "rows of undo_child go along"),
            ("UPDATE undo_not SET id = id + 10 WHERE id = 2", "it changes the key"),
        ] {
            let told = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
            // SQLite numbers the rows of a table without a key.
            if dialect == Dialect::Sqlite && !sql.starts_with("UPDATE") {
                assert!(matches!(told.remedy, Remedy::Possible(_)), "{sql}: {:?}", told.remedy);
                continue;
            }
            let Remedy::Impossible(said) = &told.remedy else { panic!("{dialect:?} {sql}: {:?}", told.remedy) };
            assert!(said.contains(why), "{dialect:?} {sql}: {said}");
            let (events, _) = desk.call(&json!({ "sql": sql }).to_string()).await;
            assert!(undoable(&events).is_none());
            let said = note(&events).unwrap();
            assert!(said.contains(why), "{dialect:?} {sql}: {said}");
        }
        let sql = "UPDATE undo_not SET name = 'z'";
        let told = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
        assert!(matches!(told.remedy, Remedy::Possible(_)), "{dialect:?}: {:?}", told.remedy);
        desk.approved("DROP TABLE undo_child").await;
    }
}

/// What only the database knows of a statement may leave more behind than the rows that it changes.
#[tokio::test]
async fn what_runs_code_of_the_database_cannot_be_undone() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::keeping(&url);
    for sql in [
        "DROP TABLE IF EXISTS undo_logged, undo_coded, undo_made",
        "DROP FUNCTION IF EXISTS undo_logs() CASCADE; DROP FUNCTION IF EXISTS undo_makes(int) CASCADE",
        "CREATE TABLE undo_logged (at int)",
        "CREATE FUNCTION undo_logs() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO undo_logged VALUES (1); RETURN 7; END'",
        "CREATE FUNCTION undo_makes(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1; END'",
        "CREATE TABLE undo_coded (id serial PRIMARY KEY, n int, m int DEFAULT undo_logs())",
        "CREATE TABLE undo_made (id int PRIMARY KEY, g int GENERATED ALWAYS AS (undo_makes(id)) STORED)",
    ] {
        desk.approved(sql).await;
    }
    for (sql, name) in [
        ("INSERT INTO undo_coded (n) VALUES (1)", Some("undo_logs")),
        ("UPDATE undo_coded SET n = undo_logs()", Some("undo_logs")),
        ("UPDATE undo_coded SET m = DEFAULT", Some("undo_logs")),
        ("INSERT INTO undo_made VALUES (1)", Some("undo_makes")),
        // It sets what it names, and the default is for what nobody sets.
        ("UPDATE undo_coded SET n = 2", None),
    ] {
        let told = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
        let (events, report) = desk.call(&json!({ "sql": sql }).to_string()).await;
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{sql}: {}", report.result);
        match (&told.remedy, name) {
            (Remedy::Impossible(said), Some(name)) => {
                assert!(
                    said.starts_with("nobody knows what else it does. The function") && said.contains(name),
                    "{said}"
                );
                assert_eq!(undoable(&events), None, "{sql}");
                assert!(note(&events).unwrap().contains(name), "{sql}");
            }
            (Remedy::Possible(_), None) => assert!(undoable(&events).is_some(), "{sql}"),
            (other, _) => panic!("{sql}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_stopped_while_its_rows_are_read_does_not_run_without() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::keeping(&url);
    three(&desk, "undo_slow").await;
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(700)).await;
        stop.cancel();
    });
    let slow = "(SELECT count(*) FROM pg_class, pg_class b, pg_class c, pg_class d) > 0";
    let sql = format!("UPDATE undo_slow SET name = 'z' WHERE {slow}");
    let (_, report) = desk.with(&sql, databases::As::Approved, cancel).await;
    assert_eq!(report.result, "cancelled; it was stopped in the database");
}

#[tokio::test]
async fn too_many_rows_are_said_beforehand() {
    for (dialect, desk) in desks().await {
        desk.approved("DROP TABLE IF EXISTS undo_many").await;
        desk.approved("CREATE TABLE undo_many (id int NOT NULL PRIMARY KEY, s varchar(10))").await;
        let digits = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 \
            UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
        let fill = format!(
            "INSERT INTO undo_many SELECT a.d + b.d * 10 + c.d * 100 + e.d * 1000 + f.d * 10000, 'x' \
             FROM {digits} a, {digits} b, {digits} c, {digits} e, {digits} f WHERE f.d < 2"
        );
        desk.approved(&fill).await;
        for (sql, possible) in [("DELETE FROM undo_many", false), ("DELETE FROM undo_many WHERE id < 10000", true)] {
            let told = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
            match &told.remedy {
                Remedy::Possible(_) if possible => {}
                Remedy::Impossible(why) if !possible => assert!(why.starts_with("too many rows"), "{why}"),
                other => panic!("{dialect:?} {sql}: {other:?}"),
            }
        }
        let started = std::time::Instant::now();
        let back = succeeded(&desk, r#"{"sql":"UPDATE undo_many SET s = 'y' WHERE id < 10000"}"#).await.unwrap();
        let kept = started.elapsed();
        let started = std::time::Instant::now();
        succeeded(&desk, &back).await.unwrap();
        println!("{}: 10,000 rows kept in {kept:?}, taken back in {:?}", dialect.word(), started.elapsed());
        assert_eq!(desk.row("SELECT count(*), max(s), min(s) FROM undo_many").await, ["20000", "x", "x"]);
        desk.approved("DROP TABLE undo_many").await;
    }
}

#[tokio::test]
async fn rows_that_a_limit_picks_by_a_key_come_back() {
    let Some(url) = mariadb().await else { return };
    let desk = Desk::keeping(&url);
    let rows = async || desk.read("SELECT id, name FROM undo_some ORDER BY id").await.0.rows;
    databases::three(&desk, "undo_some").await;
    let before = rows().await;
    for (sql, kept) in [
        ("UPDATE undo_some SET name = 'x' ORDER BY id DESC LIMIT 2", true),
        ("DELETE FROM undo_some WHERE id > 1 ORDER BY name, id LIMIT 1", true),
        ("UPDATE undo_some SET name = 'x' ORDER BY name LIMIT 2", false),
        ("DELETE FROM undo_some LIMIT 1", false),
    ] {
        let remedy = desk.told(sql).await.remedy;
        assert_eq!(matches!(remedy, Remedy::Possible(_)), kept, "{sql}: {remedy:?}");
        let (events, _) = desk.call(&json!({ "sql": sql }).to_string()).await;
        assert_ne!(rows().await, before, "{sql}");
        let back = undoable(&events);
        assert_eq!(back.is_some(), kept, "{sql}: {events:?}");
        if let Some(back) = back {
            succeeded(&desk, &back).await;
            assert_eq!(rows().await, before, "{sql}");
        }
    }
    desk.approved("DROP TABLE undo_some").await;
}
