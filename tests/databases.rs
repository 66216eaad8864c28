//! SQL on real engines: values of every common type, limits on reading, and statements that stop in the
//! server. SQLite always; the servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use std::path::Path;
use std::time::Duration;

use countersign::domain::Outcome;
use countersign::tools::{Connections, Database, Results};
use databases::{As, Desk, as_user, mariadb, postgres, within};
use tokio_util::sync::CancellationToken;

fn file(folder: &Path) -> String {
    format!("sqlite:{}?mode=rwc", folder.join("test.db").display())
}

#[tokio::test]
async fn sqlite_tells_every_type_of_value() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(&file(folder.path()));
    desk.approved("CREATE TABLE t (i INTEGER, r REAL, t TEXT, b BLOB, n, d DATETIME)").await;
    let changed =
        desk.approved("INSERT INTO t VALUES (9007199254740993, 1.0, 'ü|\nx', x'00ff', NULL, '2024-02-30')").await;
    assert_eq!(changed, "1 row changed");
    let row = desk.row("SELECT * FROM t").await;
    assert_eq!(row, ["9007199254740993", "1.0", "ü|\nx", "x'00ff'", "NULL", "2024-02-30"]);
    let (table, report) = desk.read("SELECT i AS number, n FROM t").await;
    assert_eq!(table.columns, ["number", "n"]);
    assert_eq!(report.result, "1 row\nnumber | n\n9007199254740993 | NULL\n");
    assert_eq!(desk.read("SELECT * FROM t WHERE i = 0").await.1.result, "0 rows");
    assert_eq!(desk.approved("UPDATE t SET i = 2 WHERE i = 0").await, "no rows changed");
}

#[tokio::test]
async fn sqlite_reads_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(&file(folder.path()));
    desk.approved("CREATE TABLE t (i); INSERT INTO t VALUES (1)").await;
    let copy = folder.path().join("copy.db");
    for sql in [
        "DELETE FROM t".to_owned(),
        "CREATE TABLE u (i)".to_owned(),
        format!("VACUUM INTO '{}'", copy.display()),
        "PRAGMA user_version = 7".to_owned(),
        "PRAGMA query_only = off; DELETE FROM t".to_owned(),
        "SELECT 1; SELECT 2".to_owned(),
        format!("ATTACH '{}' AS other", copy.display()),
        "SELECT load_extension('x')".to_owned(),
        "SELECT 1\0; DELETE FROM t".to_owned(),
    ] {
        desk.refused(&sql).await;
    }
    assert!(!copy.exists());
    assert_eq!(desk.row("SELECT count(*) FROM t -- still there ;").await, ["1"]);
    let reason = desk.refused("SELECT none_such FROM t").await;
    assert_eq!(reason, "no such column: none_such");
    assert_eq!(desk.refused("SELECT * FROM tt").await, "no such table: tt. Did you mean t?");
    assert_eq!(desk.refused("SELECT * FROM elsewhere").await, "no such table: elsewhere");
}

#[tokio::test]
async fn sqlite_counts_all_rows_and_keeps_the_first() {
    let desk = Desk::new("sqlite::memory:");
    desk.approved(
        "CREATE TABLE t AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 20000) SELECT x FROM c",
    )
    .await;
    let (table, report) = desk.read("SELECT * FROM t").await;
    assert_eq!((table.rows.len(), table.total), (1000, 20_000));
    assert!(report.result.starts_with("20,000 rows\nx\n1\n2\n") && report.result.len() < 11_000);
    assert!(report.result.ends_with("more rows\n"), "{}", &report.result[report.result.len() - 50..]);
}

#[tokio::test]
async fn sqlite_reads_stay_within_their_memory_and_say_when_they_cannot() {
    let desk = Desk::new("sqlite::memory:");
    let many = |value: &str, count: usize| format!("SELECT {}", vec![value; count].join(", "));
    for sql in [
        many("length(hex(zeroblob(100000000)))", 12),
        many("length(hex(zeroblob(30000000)))", 12),
        many("zeroblob(200000000)", 20),
        many("zeroblob(60000000)", 20),
    ] {
        let reason = desk.refused(&sql).await;
        assert!(reason.contains("too big") || reason.contains("out of memory"), "{reason}");
    }
    // Wherever the memory ends, a row that isn't there is never called one.
    for count in (1..=19).step_by(3) {
        let values = vec!["length(hex(zeroblob(16000000)))"; count].join(" + ");
        let (table, report) =
            desk.read(&format!("SELECT {values} AS a, 1 AS b UNION ALL SELECT zeroblob(30000000), 2")).await;
        let whole = report.outcome == Outcome::Succeeded { summary: "2 rows".to_owned() };
        assert!(
            if whole { table.total == 2 } else { report.result.starts_with("error") },
            "{count}: {}",
            report.result
        );
    }
    assert_eq!(desk.row("SELECT length(zeroblob(30000000))").await, ["30000000"]);
    let told = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        told.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    assert!(peak.is_none_or(|peak| peak < 1_200_000), "{peak:?} kB");
}

#[tokio::test]
async fn a_sqlite_read_leaves_no_file_beside_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let url = file(folder.path());
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    {
        let writer = Desk::new(&url);
        writer.approved("PRAGMA journal_mode = WAL").await;
        writer.approved("CREATE TABLE t (i); INSERT INTO t VALUES (1)").await;
    }
    for _ in 0..100 {
        // The writer's session closes behind its desk.
        if files() == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let reader = Desk::new(&url);
    assert_eq!(reader.row("SELECT i FROM t").await, ["1"]);
    for sql in ["PRAGMA journal_mode", "pragma \"main\".Journal_Mode;"] {
        assert_eq!(reader.row(sql).await, ["wal"], "{sql}");
    }
    assert_eq!(files(), 1);
    let slow =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3000000) SELECT max(x), i FROM c, t";
    let writer = Desk::new(&url);
    let write = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        writer.approved("INSERT INTO t VALUES (2)").await;
    };
    let ((table, report), ()) = tokio::join!(reader.read(slow), write);
    assert!(report.result.contains("its rows are held back") && table.rows.is_empty(), "{}", report.result);
    assert_eq!(reader.row("SELECT count(*) FROM t").await, ["2"], "what is being written is read as ever");
}

#[tokio::test]
async fn sqlite_stops_when_asked_and_at_its_limit() {
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c";
    let desk = Desk::limited("sqlite::memory:", 1);
    assert!(desk.cancelled(endless).await < Duration::from_secs(1));
    let (_, report) = desk.read(endless).await;
    assert_eq!(report.outcome, Outcome::TimedOut { seconds: 1 });
    assert_eq!(desk.row("SELECT 'works'").await, ["works"], "the session is of use afterwards");
}

#[tokio::test]
async fn trouble_with_a_database_is_one_sentence_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.db");
    let reason = Desk::new(missing.to_str().unwrap()).unreached("SELECT 1").await;
    let file = missing.display();
    let advice = format!("Check its path. As sqlite:{file}?mode=rwc the file is made at the first use.");
    assert_eq!(reason, format!("the database file {file} is not there. {advice}"));
    std::fs::write(folder.path().join("text.db"), "not a database, but long enough to look at it".repeat(50)).unwrap();
    let reason = Desk::new(folder.path().join("text.db").to_str().unwrap()).refused("SELECT * FROM t").await;
    assert!(reason.contains("not a database"), "{reason}");
    for scheme in ["postgres", "mysql"] {
        let reason = Desk::new(&format!("{scheme}://ann:hunter2@127.0.0.1:1/shop")).unreached("SELECT 1").await;
        assert!(reason.starts_with("shop@127.0.0.1") && reason.contains("can't be reached"), "{reason}");
        assert!(!reason.contains("hunter2"), "{reason}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_the_login_was_reached() {
    for (server, name) in [(postgres().await, "postgres"), (mariadb().await, "mysql")] {
        let Some(url) = server else { continue };
        let (_, rest) = url.split_once('@').unwrap();
        let desk = Desk::new(&format!("{name}://nobody_here:hunter2@{rest}"));
        let reason = desk.unreached("SELECT 1").await;
        assert!(reason.contains(" answered, but refused the login: ") && reason.contains("28"), "{reason}");
        assert!(reason.contains("Check the user and the password") && !reason.contains("be reached"), "{reason}");
        assert!(!reason.contains("hunter2"), "{reason}");
    }
}

#[tokio::test]
async fn a_server_that_never_answers_does_not_hold_anybody_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let desk = Desk::new(&format!("postgres://ann@127.0.0.1:{port}/shop?sslmode=disable"));
    assert!(desk.cancelled("SELECT 1").await < Duration::from_secs(2));
}

#[tokio::test]
async fn postgres_tells_every_type_of_value() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    let row = desk
        .row(
            "SELECT 12345678901234567890.0100::numeric, 1.5::float8, true, 'x'::text, 'c'::char(3), '\\x00ff'::bytea,
             '2024-02-29'::date, '2024-02-29 12:00:00.5'::timestamp, '2024-02-29 12:00+02'::timestamptz, '1 day'::interval,
             '12:30'::time, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid, '{\"a\": [1, null]}'::jsonb, ARRAY[1, NULL, 3],
             '10.0.0.0/8'::cidr, int4range(1, 5), point(1, 2), ROW(1, 'a'), to_tsvector('cats'), 12::money, B'101', NULL::int",
        )
        .await;
    assert_eq!(row[0], "12345678901234567890.0100");
    assert_eq!(&row[1..8], ["1.5", "t", "x", "c  ", "\\x00ff", "2024-02-29", "2024-02-29 12:00:00.5"]);
    assert_eq!(
        &row[8..13],
        ["2024-02-29 10:00:00+00", "1 day", "12:30:00", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "{\"a\": [1, null]}"]
    );
    assert_eq!(&row[13..19], ["{1,NULL,3}", "10.0.0.0/8", "[1,5)", "(1,2)", "(1,a)", "'cat':1"]);
    assert_eq!(&row[20..], ["101", "NULL"]);
    let (table, _) = desk.read("SELECT * FROM generate_series(1, 3000) AS number").await;
    assert_eq!((table.columns[0].as_str(), table.types[0].as_str(), table.total), ("number", "int4", 3000));
}

#[tokio::test]
async fn postgres_reads_cannot_write() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    let table = format!("countersign_test_{}", std::process::id());
    desk.approved(&format!("CREATE TABLE {table} (i int)")).await;
    assert_eq!(desk.approved(&format!("INSERT INTO {table} VALUES (1), (2)")).await, "2 rows changed");
    for sql in [
        format!("DELETE FROM {table}"),
        format!("COMMIT; DELETE FROM {table}"),
        format!("SET TRANSACTION READ WRITE; DELETE FROM {table}"),
        format!("WITH d AS (DELETE FROM {table} RETURNING i) SELECT * FROM d"),
        format!("EXPLAIN ANALYZE DELETE FROM {table}"),
        format!("SELECT * FROM {table} FOR UPDATE"),
        format!("CREATE TABLE {table}_b (i int)"),
        format!("TRUNCATE {table}"),
    ] {
        let reason = desk.refused(&sql).await;
        assert!(
            ["read-only transaction", "more than one", "nobody was asked"].iter().any(|part| reason.contains(part)),
            "{sql}: {reason}"
        );
    }
    // One that ends the transaction, or makes it writable, does nothing by itself, and the next is reading again.
    for sql in ["COMMIT", "SET TRANSACTION READ WRITE", "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE"] {
        desk.read(sql).await;
        assert!(
            desk.refused(&format!("WITH d AS (DELETE FROM {table} RETURNING i) SELECT * FROM d"))
                .await
                .contains("read-only"),
            "{sql}"
        );
    }
    assert_eq!(desk.row(&format!("SELECT count(*) FROM {table}")).await, ["2"]);
    let reason = desk.refused("SELECT nothing FROM pg_class").await;
    assert!(reason.contains("column \"nothing\" does not exist (42703)"), "{reason}");
    desk.approved(&format!("DROP TABLE {table}")).await;
}

#[tokio::test]
async fn postgres_stops_a_statement_in_the_server() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::limited(&url, 1);
    let mark = format!("stop_{}", std::process::id());
    let slow = format!("SELECT count(*) AS {mark} FROM pg_class, pg_class b, pg_class c, pg_class d, pg_class e");
    assert!(desk.cancelled(&slow).await < Duration::from_secs(2));
    let still = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%AS {mark} FROM%' AND pid <> pg_backend_pid()"
    );
    assert_eq!(desk.row(&still).await, ["0"]);
    let (_, report) = desk.read(&slow).await;
    assert_eq!(report.outcome, Outcome::TimedOut { seconds: 1 });
    assert_eq!(desk.row(&still).await, ["0"]);
}

#[tokio::test]
async fn postgres_connects_again_after_its_session_is_gone() {
    let Some(url) = postgres().await else { return };
    let (desk, other) = (Desk::new(&url), Desk::new(&url));
    let process = desk.row("SELECT pg_backend_pid()").await.remove(0);
    other.approved(&format!("SELECT pg_terminate_backend({process})")).await;
    assert_ne!(desk.row("SELECT pg_backend_pid()").await[0], process);
    let running = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        other
            .approved(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT count(*) AS end_me %'",
            )
            .await
    });
    let reason = desk.refused("SELECT count(*) AS end_me FROM pg_class, pg_class b, pg_class c, pg_class d").await;
    assert!(reason.starts_with("the connection to "), "{reason}");
    running.await.unwrap();
    assert_eq!(desk.row("SELECT 1").await, ["1"]);
}

#[tokio::test]
async fn postgres_survives_what_its_protocol_cannot_do_here() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    for (sql, expected) in [
        ("COPY (SELECT 1) TO STDOUT", "error: COPY to or from standard input or output doesn't work here"),
        ("COPY pg_class FROM STDIN", "error: COPY to or from standard input or output doesn't work here"),
        ("", "done"),
        ("-- nothing", "done"),
    ] {
        let (_, report) = desk.with(sql, As::Approved, CancellationToken::new()).await;
        assert!(report.result.starts_with(expected), "{sql}: {}", report.result);
        assert_eq!(desk.approved("SELECT 1").await, "1 row", "{sql}");
    }
}

#[tokio::test]
async fn mariadb_tells_every_type_of_value() {
    let Some(url) = mariadb().await else { return };
    let desk = Desk::new(&url);
    let database = format!("countersign_types_{}", std::process::id());
    desk.approved(&format!("CREATE DATABASE {database} CHARACTER SET utf8mb4")).await;
    let inner = Desk::new(&within(&url, &database));
    inner
        .approved(
            "CREATE TABLE t (a TINYINT, b BIGINT UNSIGNED, c DECIMAL(20,5), d DOUBLE, e BIT(9), f VARCHAR(9), g TEXT,
             h VARBINARY(4), i BLOB, j DATE, k DATETIME(3), l TIME, m YEAR, n ENUM('x','y'), o SET('p','q'), p JSON, q POINT,
             r INT, s TINYINT(1))",
        )
        .await;
    inner
        .approved(
            "INSERT INTO t VALUES (-1, 18446744073709551615, 1.10000, 2.5, b'100000001', 'ü', 'long', x'00ff', 'blob',
             '2024-02-29', '2024-02-29 12:00:00.125', '-25:00:00', 2024, 'y', 'p,q', '{\"a\": 1}', POINT(1, 2), NULL, 1)",
        )
        .await;
    let row = inner.row("SELECT * FROM t").await;
    assert_eq!(&row[..8], ["-1", "18446744073709551615", "1.10000", "2.5", "257", "ü", "long", "0x00ff"]);
    assert_eq!(&row[8..14], ["blob", "2024-02-29", "2024-02-29 12:00:00.125", "-25:00:00", "2024", "y"]);
    assert_eq!(&row[14..16], ["p,q", "{\"a\": 1}"]);
    assert!(row[16].starts_with("0x"), "{}", row[16]);
    assert_eq!(&row[17..], ["NULL", "1"]);
    assert_eq!(inner.read("SHOW TABLES").await.1.result, format!("1 row\nTables_in_{database}\nt\n"));
    assert_eq!(inner.read("DESCRIBE t").await.0.total, 19);
    desk.approved(&format!("DROP DATABASE {database}")).await;
}

#[tokio::test]
async fn mariadb_reads_cannot_write() {
    let Some(url) = mariadb().await else { return };
    let desk = Desk::new(&url);
    let database = format!("countersign_reads_{}", std::process::id());
    desk.approved(&format!("CREATE DATABASE {database}")).await;
    let inner = Desk::new(&within(&url, &database));
    inner.approved("CREATE TABLE t (i INT) ENGINE=InnoDB").await;
    assert_eq!(inner.approved("INSERT INTO t VALUES (1), (2)").await, "2 rows changed");
    for sql in [
        "DELETE FROM t",
        "TRUNCATE TABLE t",
        "CREATE TABLE u (i INT)",
        "DROP TABLE t",
        "SELECT * FROM t FOR UPDATE",
        "COMMIT; DELETE FROM t",
        "SET SESSION TRANSACTION READ WRITE; DELETE FROM t",
        "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE t",
    ] {
        let reason = inner.refused(sql).await;
        assert!(!reason.contains("broke"), "{sql}: {reason}");
    }
    // It refuses to plan a write, too: that is asked about, and planned where it may write.
    inner.refused("EXPLAIN DELETE FROM t").await;
    assert!(inner.approved("EXPLAIN DELETE FROM t").await.contains("1 row"));
    for sql in ["COMMIT", "SET SESSION TRANSACTION READ WRITE", "SET autocommit = 0"] {
        inner.read(sql).await;
        inner.refused("DELETE FROM t").await;
        inner.refused("TRUNCATE TABLE t").await;
    }
    assert_eq!(inner.row("SELECT count(*) FROM t").await, ["2"]);
    desk.approved(&format!("DROP DATABASE {database}")).await;
}

#[tokio::test]
async fn mariadb_stops_a_statement_in_the_server() {
    let Some(url) = mariadb().await else { return };
    let desk = Desk::limited(&url, 1);
    let slow = "SELECT 31, count(*) FROM seq_1_to_100000 a, seq_1_to_100000 b, seq_1_to_100000 c";
    let still = "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT 31, count(*)%'";
    assert!(desk.cancelled(slow).await < Duration::from_secs(2));
    assert_eq!(desk.row(still).await, ["0"]);
    assert_eq!(desk.read(slow).await.1.outcome, Outcome::TimedOut { seconds: 1 });
    assert_eq!(desk.row(still).await, ["0"]);
}

#[tokio::test]
async fn mariadb_shows_what_it_says_has_no_columns() {
    let Some(url) = mariadb().await else { return };
    let desk = Desk::new(&url);
    for sql in ["SHOW FULL PROCESSLIST", "SHOW PROCESSLIST", "SHOW ENGINE INNODB STATUS", "show engines;"] {
        let (table, report) = desk.read(sql).await;
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }) && table.total > 0, "{sql}: {}", report.result);
    }
    // Whose plan it is to show doesn't run anything: that is the server's word, and it is told.
    let reason = desk.refused("SHOW EXPLAIN FOR 1").await;
    assert!(!reason.contains("nobody was asked"), "{reason}");
    assert!(desk.refused("SHOW ENGINES; DELETE FROM t").await.contains("more than one"));
}

/// A server that takes no second connection can't be told to stop; its own word comes before ours.
#[tokio::test]
async fn a_statement_at_its_limit_is_known_to_have_stopped() {
    let slow = "SELECT count(*) FROM pg_class, pg_class b, pg_class c, pg_class d";
    let user = "countersign_alone";
    let mut cases = Vec::new();
    if let Some(url) = postgres().await {
        let desk = Desk::new(&url);
        desk.approved(&format!("DROP ROLE IF EXISTS {user}")).await;
        desk.approved(&format!("CREATE ROLE {user} LOGIN CONNECTION LIMIT 1")).await;
        cases.push((as_user(&url, user), slow.to_owned()));
    }
    if let Some(url) = mariadb().await {
        let desk = Desk::new(&url);
        desk.approved(&format!("DROP USER IF EXISTS {user}@'%', {user}@localhost, {user}@'127.0.0.1'")).await;
        // A fresh server's nameless user of this machine comes before anybody's `%`.
        for host in ["%", "localhost"] {
            desk.approved(&format!("CREATE USER {user}@'{host}' WITH MAX_USER_CONNECTIONS 1")).await;
            desk.approved(&format!("GRANT SELECT ON *.* TO {user}@'{host}'")).await;
        }
        let slow = "SELECT count(*) FROM seq_1_to_100000 a, seq_1_to_100000 b, seq_1_to_100000 c";
        cases.push((as_user(&url, user), slow.to_owned()));
    }
    for (url, slow) in cases {
        let (_, report) = Desk::limited(&url, 2).read(&slow).await;
        assert_eq!(report.outcome, Outcome::TimedOut { seconds: 2 }, "{url}: {}", report.result);
        assert!(report.result.starts_with("time limit of 2 s reached; it was stopped"), "{}", report.result);
    }
}

#[tokio::test]
async fn mariadb_connects_again_after_its_session_is_gone() {
    let Some(url) = mariadb().await else { return };
    let (desk, other) = (Desk::new(&url), Desk::new(&url));
    let thread = desk.row("SELECT CONNECTION_ID()").await.remove(0);
    other.approved(&format!("KILL {thread}")).await;
    assert_ne!(desk.row("SELECT CONNECTION_ID()").await[0], thread);
}

#[tokio::test]
async fn what_runs_unasked_uses_the_url_for_reading() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let url = format!("sqlite:{}?mode=rwc", folder.path().join(name).display());
        Connections::parse_url(&url).unwrap()
    };
    for name in ["full.db", "read.db"] {
        Desk::of(file(name), 5).approved(&format!("CREATE TABLE t AS SELECT '{name}' AS name")).await;
    }
    let reading = Some(file("read.db"));
    let desk = Desk::of(Database { reading, ..Database::from(file("full.db")) }, 5);
    assert_eq!(desk.row("SELECT name FROM t").await, ["read.db"]);
    desk.approved("UPDATE t SET name = 'changed'").await;
    assert_eq!(desk.row("SELECT name FROM t").await, ["read.db"]);
    assert_eq!(Desk::of(file("full.db"), 5).row("SELECT name FROM t").await, ["changed"]);
}

#[tokio::test]
async fn rows_that_stay_here_are_shown_to_the_person_alone() {
    let mut urls = vec!["sqlite::memory:".to_owned()];
    urls.extend(postgres().await);
    urls.extend(mariadb().await);
    for url in urls {
        let address = Connections::parse_url(&url).unwrap();
        let desk = Desk::of(Database { results: Results::Local, ..Database::from(address) }, 5);
        for how in [As::Read, As::Approved] {
            let sql = "SELECT 4711 AS number, 'hidden' AS word";
            let (table, report) = desk.with(sql, how, CancellationToken::new()).await;
            assert_eq!(table.rows, [[Some("4711".to_owned()), Some("hidden".to_owned())]], "{url}");
            assert!(report.result.starts_with("1 row\ncolumns: number "), "{url}: {}", report.result);
            assert!(report.result.contains("rows: 1") && !report.result.contains("hidden"), "{url}: {}", report.result);
        }
        if !url.starts_with("sqlite") {
            // An error may quote a row: the person reads it, the model doesn't.
            let wrong = if url.starts_with("postgres") { "CAST('hidden' AS int)" } else { "hidden.x" };
            let (_, report) = desk.with(&format!("SELECT {wrong}"), As::Approved, CancellationToken::new()).await;
            let Outcome::Failed { reason } = &report.outcome else { panic!("{url}: {}", report.result) };
            assert!(reason.contains("hidden") && !report.result.contains("hidden"), "{url}: {}", report.result);
            assert!(report.result.contains("(SQLSTATE "), "{url}: {}", report.result);
        }
    }
}

#[tokio::test]
async fn a_role_says_what_it_may_do_beyond_its_data() {
    for (url, power) in [(postgres().await, "superuser"), (mariadb().await, "FILE")] {
        let Some(url) = url else { continue };
        let mut connections = Connections::default();
        connections.add("main", Connections::parse_url(&url).unwrap());
        let known = connections.roles().await.remove(0);
        let role = known.reading.unwrap();
        assert!(role.powers.iter().any(|held| held == power), "{role:?}");
        assert!(known.advice.iter().any(|statement| statement.contains("countersign_reader")), "{:?}", known.advice);
        let judged = Desk::new(&url).judged("SELECT 1").await;
        assert_eq!(judged.facts.catalog.unwrap().role, role);
    }
}
