//! Proof of the second wall: every statement that is known to be unsafe is run as if it had been judged to only
//! read. Nothing may change, no file may be written, no secret may come back and no other session may end. The
//! statements are those below and the unsafe ones of the corpus that `COUNTERSIGN_CORPUS` names. SQLite always; the
//! servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name, as an administrator and as an ordinary role.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use databases::{Desk, mariadb, postgres, within};
use regex::Regex;
use serde_json::Value;

const POSTGRES: &str = include_str!("proof_sql/postgres.sql");
const MARIADB: &str = include_str!("proof_sql/mariadb.sql");
const SQLITE: &str = include_str!("proof_sql/sqlite.sql");

/// What a file that nobody may read holds, and a row that nobody may read.
const CANARY: &str = "canary-in-the-mine";

/// The statements of a list, one a line, without its comments.
fn list(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with("-- ")).map(str::to_owned)
}

/// The unsafe statements of the corpus in a dialect, and those that name none.
fn corpus(dialect: &str) -> Vec<String> {
    let Some(folder) = std::env::var_os("COUNTERSIGN_CORPUS") else {
        left_out::left_out("the corpus's statements", "set COUNTERSIGN_CORPUS to its folder");
        return Vec::new();
    };
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|suffix| suffix != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let call: Value = serde_json::from_str(line).unwrap();
            let meant = call["tool"] == "execute_sql" && call["truth"] == "unsafe";
            if meant && (call["dialect"] == dialect || call["dialect"].is_null()) {
                found.push(spelled(&call["arguments"]["sql"]));
            }
        }
    }
    found
}

/// A text, or one that is written as a repetition.
fn spelled(value: &Value) -> String {
    let repeat = &value["$repeat"];
    let part = |name: &str| repeat[name].as_str().unwrap_or_default().to_owned();
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    let count = usize::try_from(repeat["count"].as_u64().unwrap_or_default()).unwrap();
    format!("{}{}{}", part("prefix"), part("unit").repeat(count), part("suffix"))
}

/// How the statements ended.
#[derive(Debug, Default)]
struct Tally {
    walled: u32,
    refused: u32,
    ran: Vec<String>,
}

/// Files that a statement names, and what is in the folder of the canary, each with its age and size.
fn files(sql: &str, folder: &Path) -> BTreeSet<(PathBuf, Option<SystemTime>, u64)> {
    let paths = Regex::new(r"/[A-Za-z0-9_.\-][A-Za-z0-9_./\-]*").unwrap();
    let named = paths.find_iter(sql).map(|found| PathBuf::from(found.as_str()));
    let kept = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let look = |path: PathBuf| {
        let found = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        let size = found.len();
        Some((path, found.modified().ok(), size))
    };
    named.filter(|path| !path.starts_with("/proc") && !path.starts_with("/dev")).chain(kept).filter_map(look).collect()
}

/// Runs every statement as a read that nobody was asked about, and compares the world around each.
async fn prove(
    who: &str,
    desk: &Desk,
    folder: &Path,
    statements: &[String],
    secrets: &[&str],
    world: impl AsyncFn() -> String,
) {
    let mut tally = Tally::default();
    let mut before = world().await;
    for sql in statements {
        let kept = files(sql, folder);
        let (table, report) = desk.read(sql).await;
        let after = world().await;
        assert_eq!(before, after, "{who}: {sql}\nchanged something and gave {}", report.result);
        before = after;
        assert_eq!(kept, files(sql, folder), "{who}: {sql}\nwrote a file");
        let seen = format!("{} {:?}", report.result, table.rows);
        for secret in secrets {
            assert!(!seen.contains(secret), "{who}: {sql}\nread a secret: {seen}");
        }
        if report.result.contains("nobody was asked") {
            tally.walled += 1;
        } else if report.result.starts_with("error") || report.result.contains("time limit") {
            tally.refused += 1;
        } else {
            tally.ran.push(sql.chars().take(200).collect());
        }
    }
    let (count, walled, refused, ran) = (statements.len(), tally.walled, tally.refused, tally.ran.len());
    let told =
        format!("{who}: {count} unsafe statements: {walled} stopped by the wall, {refused} by the database, {ran} ran");
    let _unseen = writeln!(std::io::stderr(), "{told} without effect\n  {}", tally.ran.join("\n  "));
}

/// A folder that any server can reach, with the canary in it.
fn mine() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path, mode| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    open(folder.path(), 0o777);
    let file = folder.path().join("secret");
    std::fs::write(&file, CANARY).unwrap();
    open(&file, 0o644);
    folder
}

fn filled(text: &str, parts: &[(&str, &str)]) -> Vec<String> {
    let fill =
        |line: String| parts.iter().fold(line, |line, (name, value)| line.replace(&format!("{{{name}}}"), value));
    list(text).map(fill).collect()
}

const POSTGRES_WORLD: &str = r"
CREATE EXTENSION dblink; CREATE EXTENSION file_fdw; CREATE EXTENSION adminpack;
CREATE TABLE canary (i int, j int); INSERT INTO canary SELECT g, g FROM generate_series(1, 20) g;
CREATE TABLE users (id int PRIMARY KEY, name text, a int, b text); INSERT INTO users VALUES (1, 'ann', 1, 'x'), (2, 'bob', 2, 'y');
CREATE TABLE t (id int, a int, b text, name text); INSERT INTO t VALUES (1, 1, 'x', 'n'), (2, 2, 'y', 'm');
CREATE TABLE u (a int); CREATE TABLE x (a int); CREATE TABLE b (a int); CREATE TABLE y (a int); CREATE TABLE orders (id int, status text);
INSERT INTO u VALUES (1); INSERT INTO b VALUES (1); INSERT INTO y VALUES (1); INSERT INTO orders VALUES (1, 'new');
CREATE INDEX i ON t (a); CREATE SEQUENCE s; CREATE SEQUENCE counter; SELECT lo_from_bytea(4242, 'canary');
CREATE FUNCTION own() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
  PERFORM dblink_exec('host=127.0.0.1 user=' || current_user || ' dbname=' || current_database(), 'DELETE FROM canary');
  RETURN 1; END $$;
CREATE FUNCTION fixed(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
CREATE FUNCTION lower(int) RETURNS int LANGUAGE sql AS 'SELECT own()';
CREATE PROCEDURE act(INOUT x int) LANGUAGE plpgsql AS $$ BEGIN x := own(); END $$;
CREATE VIEW remote AS SELECT own() AS x;
CREATE VIEW further AS SELECT x FROM remote;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE TABLE bent (i int); CREATE INDEX ON bent ((i + fixed(1)));
CREATE TABLE ruled (i int); CREATE RULE away AS ON DELETE TO ruled DO INSTEAD SELECT fixed(1);
CREATE OR REPLACE FUNCTION fixed(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN own(); END $$";

const POSTGRES_STATE: &str = r"SELECT md5(concat(
    (SELECT string_agg(q::text, ',' ORDER BY q.i) FROM canary q), (SELECT string_agg(q::text, ',' ORDER BY q.id) FROM users q),
    (SELECT string_agg(q::text, ',' ORDER BY q.id) FROM t q), (SELECT string_agg(q::text, ',') FROM u q),
    (SELECT string_agg(q::text, ',') FROM b q), (SELECT string_agg(q::text, ',') FROM y q),
    (SELECT string_agg(q::text, ',') FROM orders q), (SELECT count(*) FROM x), (SELECT count(*) FROM ruled),
    (SELECT last_value FROM s), (SELECT is_called FROM s), (SELECT last_value FROM counter),
    (SELECT string_agg(concat(relname, relkind, relfilenode, relacl::text, relrowsecurity), ',' ORDER BY oid) FROM pg_class
      WHERE oid >= 16384 AND relpersistence <> 't'),
    (SELECT string_agg(md5(data) || loid || pageno, ',' ORDER BY loid, pageno) FROM pg_largeobject),
    (SELECT string_agg(oid::text, ',' ORDER BY oid) FROM pg_largeobject_metadata),
    (SELECT string_agg(md5(prosrc) || proname, ',' ORDER BY oid) FROM pg_proc WHERE oid >= 16384),
    (SELECT string_agg(nspname, ',' ORDER BY oid) FROM pg_namespace WHERE nspname NOT LIKE 'pg\_t%'),
    (SELECT string_agg(typname, ',' ORDER BY oid) FROM pg_type WHERE oid >= 16384),
    (SELECT string_agg(concat(extname, extversion), ',' ORDER BY oid) FROM pg_extension),
    (SELECT string_agg(tgname, ',' ORDER BY oid) FROM pg_trigger), (SELECT string_agg(subname, ',') FROM pg_subscription),
    (SELECT string_agg(concat(rolname, rolsuper, md5(rolpassword)), ',' ORDER BY oid) FROM pg_authid
      WHERE rolname NOT LIKE 'countersign\_%' OR rolname LIKE 'countersign\_proof%'),
    (SELECT string_agg(concat(setdatabase, setrole, setconfig), ',' ORDER BY setdatabase, setrole) FROM pg_db_role_setting),
    (SELECT string_agg(slot_name, ',') FROM pg_replication_slots), (SELECT pg_conf_load_time()),
    (SELECT string_agg(gid, ',') FROM pg_prepared_xacts),
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())),
    (SELECT count(*) FROM pg_file_settings)))";

#[tokio::test]
async fn postgres_stays_as_it_is() {
    let Some(server) = postgres().await else { return };
    let name = format!("countersign_proof_{}", std::process::id());
    let admin = Desk::new(&server);
    admin.approved(&format!("DROP DATABASE IF EXISTS {name}")).await;
    admin.approved(&format!("CREATE DATABASE {name}")).await;
    admin
        .approved(&format!("DROP ROLE IF EXISTS {name}; CREATE ROLE {name} LOGIN PASSWORD '{CANARY}'; GRANT pg_read_all_stats TO {name}"))
        .await;
    let url = within(&server, &name);
    let keeper = Desk::new(&url);
    let folder = mine();
    let place = folder.path().display().to_string();
    keeper.approved(POSTGRES_WORLD).await;
    keeper
        .approved(&format!(
            "CREATE FOREIGN TABLE far (line text) SERVER files OPTIONS (program 'touch {place}/ran; cat {place}/secret');
            CREATE TABLE split (line text) PARTITION BY LIST (line);
            CREATE FOREIGN TABLE split_a PARTITION OF split FOR VALUES IN ('a') SERVER files OPTIONS (filename '{place}/secret');
            GRANT ALL ON ALL TABLES IN SCHEMA public TO {name}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {name};
            GRANT ALL ON SCHEMA public TO {name}"
        ))
        .await;
    let pid = keeper.row("SELECT pg_backend_pid()").await.remove(0);
    let world = async || {
        let state =
            keeper.with(POSTGRES_STATE, databases::As::Approved, tokio_util::sync::CancellationToken::new()).await;
        let alive = keeper.row("SELECT pg_backend_pid()").await.remove(0);
        assert!(state.1.result.starts_with("1 row"), "{}", state.1.result);
        format!("{} {alive}", state.1.result)
    };
    let mut statements = filled(POSTGRES, &[("dir", &place), ("pid", &pid), ("role", &name), ("database", &name)]);
    statements.extend(corpus("postgres"));
    let (_, place_of) = url.rsplit_once('@').unwrap();
    for (who, url) in [
        ("PostgreSQL as an administrator", url.clone()),
        ("PostgreSQL as an ordinary role", format!("postgres://{name}:{CANARY}@{place_of}")),
    ] {
        prove(who, &Desk::limited(&url, 1), folder.path(), &statements, &[CANARY, "SCRAM-SHA", "root:x:0"], &world)
            .await;
    }
    admin.approved(&format!("DROP DATABASE {name} WITH (FORCE)")).await;
    admin.approved(&format!("DROP ROLE {name}")).await;
}

const MARIADB_WORLD: &str = "
CREATE TABLE canary (i INT PRIMARY KEY, j INT) ENGINE=InnoDB; INSERT INTO canary VALUES (1, 1), (2, 2);
CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(20), a INT) ENGINE=InnoDB; INSERT INTO users VALUES (1, 'ann', 1), (2, 'bob', 2);
CREATE TABLE t (id INT, a INT, b VARCHAR(9), name VARCHAR(9)) ENGINE=InnoDB; INSERT INTO t VALUES (1, 1, 'x', 'n');
CREATE TABLE old (a INT) ENGINE=MyISAM; INSERT INTO old VALUES (1), (2);
CREATE TABLE orders (id INT, status VARCHAR(9)); INSERT INTO orders VALUES (1, 'new');
CREATE SEQUENCE s; CREATE SEQUENCE counter;
CREATE FUNCTION own() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM old; RETURN 1; END;
CREATE PROCEDURE act() BEGIN SELECT 1; DELETE FROM old; END;
CREATE VIEW remote AS SELECT own() AS x;
CREATE VIEW further AS SELECT x FROM remote;
CREATE VIEW slow AS SELECT SLEEP(0.1), GET_LOCK('canary', 0) AS x;
CREATE VIEW hashes AS SELECT * FROM mysql.global_priv";

const MARIADB_STATE: [&str; 12] = [
    "SELECT CONCAT(i, j) FROM canary ORDER BY 1",
    "SELECT CONCAT(id, name, a) FROM users ORDER BY 1",
    "SELECT CONCAT(id, a, b, name) FROM t ORDER BY 1",
    "SELECT a FROM old ORDER BY 1",
    "SELECT CONCAT(id, status) FROM orders ORDER BY 1",
    "SELECT next_not_cached_value FROM s",
    "SELECT next_not_cached_value FROM counter",
    "SELECT CONCAT(table_name, IFNULL(create_time, '')) FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1",
    "SELECT CONCAT(routine_name, last_altered) FROM information_schema.routines WHERE routine_schema = DATABASE() ORDER BY 1",
    "SELECT CONCAT(user, host, priv) FROM mysql.global_priv WHERE user NOT LIKE 'countersign\\_%' OR user LIKE 'countersign\\_proof%' ORDER BY 1",
    "SELECT CONCAT(variable_name, '=', variable_value) FROM information_schema.global_variables
      WHERE variable_name NOT LIKE 'gtid%' AND variable_name NOT IN ('timestamp', 'rand_seed1', 'rand_seed2') ORDER BY 1",
    "SELECT IS_FREE_LOCK('canary')",
];

#[tokio::test]
async fn mariadb_stays_as_it_is() {
    let Some(server) = mariadb().await else { return };
    let name = format!("countersign_proof_{}", std::process::id());
    let admin = Desk::new(&server);
    admin
        .approved(&format!(
            "CREATE OR REPLACE DATABASE {name}; CREATE OR REPLACE USER '{name}'@'127.0.0.1' IDENTIFIED BY 'known';
            GRANT ALL ON {name}.* TO '{name}'@'127.0.0.1'"
        ))
        .await;
    let url = within(&server, &name);
    let keeper = Desk::new(&url);
    keeper.approved(MARIADB_WORLD).await;
    let hash = keeper.row("SELECT PASSWORD('known')").await.remove(0);
    let folder = mine();
    let place = folder.path().display().to_string();
    let pid = keeper.row("SELECT CONNECTION_ID()").await.remove(0);
    let world = async || {
        let mut state = keeper.row("SELECT CONNECTION_ID()").await;
        for sql in MARIADB_STATE {
            let asked = keeper.with(sql, databases::As::Approved, tokio_util::sync::CancellationToken::new()).await;
            assert!(!asked.1.result.starts_with("error"), "{sql}: {}", asked.1.result);
            state.extend(asked.0.rows.into_iter().flatten().flatten());
        }
        state.join("\n")
    };
    let mut statements = filled(MARIADB, &[("dir", &place), ("pid", &pid), ("user", &name)]);
    statements.extend(corpus("mysql"));
    let (_, place_of) = url.rsplit_once('@').unwrap();
    for (who, url) in [
        ("MariaDB as an administrator", url.clone()),
        ("MariaDB as an ordinary role", format!("mysql://{name}:known@{place_of}")),
    ] {
        prove(who, &Desk::limited(&url, 1), folder.path(), &statements, &[CANARY, &hash, "root:x:0"], &world).await;
    }
    admin.approved(&format!("DROP DATABASE {name}; DROP USER '{name}'@'127.0.0.1'")).await;
}

#[tokio::test]
async fn sqlite_stays_as_it_is() {
    let folder = mine();
    let file = folder.path().join("test.db");
    let url = format!("sqlite:{}?mode=rwc", file.display());
    let keeper = Desk::new(&url);
    keeper
        .approved(
            "CREATE TABLE canary (i INTEGER PRIMARY KEY, j); INSERT INTO canary VALUES (1, 1), (2, 2);
            CREATE TABLE users (id INTEGER PRIMARY KEY, name, a); INSERT INTO users VALUES (1, 'ann', 1);
            CREATE TABLE t (id, a, b, name); INSERT INTO t VALUES (1, 1, 'x', 'n');
            CREATE TABLE t1 (a, b); CREATE TABLE orders (id, status); INSERT INTO orders VALUES (1, 'new');
            CREATE VIEW loader AS SELECT load_extension('x') AS x; CREATE VIRTUAL TABLE words USING fts5(word);
            CREATE TRIGGER away INSTEAD OF DELETE ON loader BEGIN DELETE FROM canary; END; CREATE INDEX by_a ON t (a)",
        )
        .await;
    drop(keeper);
    let world = async || {
        let bytes = std::fs::read(&file).unwrap();
        format!(
            "{} {:?}",
            bytes.len(),
            std::hash::BuildHasher::hash_one(
                &std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default(),
                &bytes
            )
        )
    };
    let mut statements = filled(SQLITE, &[("dir", &folder.path().display().to_string())]);
    statements.extend(corpus("sqlite"));
    prove("SQLite", &Desk::limited(&url, 1), folder.path(), &statements, &[CANARY, "root:x:0"], &world).await;
}
