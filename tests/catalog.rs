//! What a statement's names lead to, asked of real engines: what somebody put into a database asks, by its name, and
//! plain reading runs on. SQLite always; the servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;
#[path = "common/traps.rs"]
mod traps;

use databases::{Desk, mariadb, postgres, within};
use traps::{all_ask, all_run, dropped, reads, sentences, trapped};

const POSTGRES: &str = r#"
CREATE EXTENSION dblink; CREATE EXTENSION file_fdw; CREATE EXTENSION pg_trgm; CREATE EXTENSION pgcrypto;
CREATE EXTENSION hstore; CREATE EXTENSION citext; CREATE EXTENSION btree_gist;
CREATE TABLE canary (i int); INSERT INTO canary SELECT generate_series(1, 10);
CREATE FUNCTION own() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
  PERFORM dblink_exec('host=127.0.0.1 user=' || current_user || ' dbname=' || current_database(), 'DELETE FROM canary');
  RETURN 1; END $$;
CREATE FUNCTION fixed(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN own(); END $$;
CREATE FUNCTION lower(int) RETURNS int LANGUAGE sql AS 'SELECT own()';
CREATE FUNCTION "Odd ""name"(int) RETURNS int LANGUAGE sql AS 'SELECT own()';
CREATE TABLE plain (i int PRIMARY KEY, name text, tags text[]); INSERT INTO plain VALUES (1, 'one', '{a}');
CREATE FUNCTION secret(plain) RETURNS int LANGUAGE sql AS 'SELECT own()';
CREATE VIEW tame AS SELECT i, upper(name) AS name FROM plain WHERE i > 0;
CREATE VIEW one AS SELECT own() AS x;
CREATE VIEW two AS SELECT x FROM one, tame;
CREATE VIEW remote AS SELECT * FROM dblink('host=127.0.0.1 dbname=none', 'DELETE FROM canary RETURNING i') AS d (i int);
CREATE VIEW ender AS SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid();
CREATE VIEW hidden AS SELECT rolname, rolpassword FROM pg_authid;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE far (line text) SERVER files OPTIONS (program 'echo 1');
CREATE TABLE parted (line text) PARTITION BY LIST (line);
CREATE TABLE parted_a PARTITION OF parted FOR VALUES IN ('a');
CREATE TABLE split (line text) PARTITION BY LIST (line);
CREATE FOREIGN TABLE split_a PARTITION OF split FOR VALUES IN ('a') SERVER files OPTIONS (program 'echo a');
CREATE FUNCTION plus(text, text) RETURNS int LANGUAGE sql AS 'SELECT own()';
CREATE OPERATOR %% (LEFTARG = text, RIGHTARG = text, FUNCTION = plus);
CREATE TYPE pair AS (a int, b int);
CREATE FUNCTION pair_text(pair) RETURNS text LANGUAGE sql AS 'SELECT own()::text';
CREATE TYPE spot AS (x int, y int); CREATE TABLE spots (s spot);
CREATE TABLE pairs (p pair); INSERT INTO pairs VALUES ('(1,2)');
CREATE CAST (pair AS text) WITH FUNCTION pair_text(pair) AS IMPLICIT;
CREATE DOMAIN checked AS int CHECK (fixed(VALUE) > 0);
CREATE DOMAIN simple AS text CHECK (VALUE <> '');
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE moods (m mood, s simple, t citext, h hstore);
CREATE INDEX ON moods USING gist (t gist_trgm_ops);
CREATE FUNCTION gap(int, int) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT own()::float8';
CREATE TYPE span AS RANGE (subtype = int, subtype_diff = gap);
CREATE TABLE spans (s span);
CREATE TABLE tenants (t int); ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE FUNCTION tenant() RETURNS int STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN own(); END $$;
CREATE POLICY mine ON tenants USING (t = tenant());
CREATE TABLE owned (o text); ALTER TABLE owned ENABLE ROW LEVEL SECURITY;
CREATE POLICY theirs ON owned FOR SELECT USING (o = current_setting('app.owner', true));
CREATE TABLE indexed (i int); INSERT INTO indexed VALUES (1); CREATE INDEX ON indexed ((i + length('x')));
CREATE TABLE bent (i int); CREATE INDEX ON bent ((i + fixed(i)));
CREATE TABLE ruled (i int); CREATE RULE away AS ON DELETE TO ruled DO INSTEAD SELECT fixed(1);
CREATE TABLE filled (i int DEFAULT fixed(1));
CREATE SEQUENCE counter; CREATE MATERIALIZED VIEW kept AS SELECT 1 AS a;
CREATE VIEW alike AS SELECT similarity(name, 'x') AS s, (ROW(1, name, NULL)::plain).name AS n FROM plain;
CREATE AGGREGATE joined (text) (SFUNC = textcat, STYPE = text, INITCOND = '');
CREATE VIEW heaped AS SELECT joined(name) AS n FROM plain;
CREATE OR REPLACE FUNCTION pg_catalog.lpad(text, int) RETURNS text IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
  AS 'SELECT public.own()::text';
CREATE SCHEMA app; CREATE VIEW app.inner_view AS SELECT own();
"#;

#[tokio::test]
async fn postgres_names_that_lead_to_code_or_elsewhere_ask() {
    let Some(url) = postgres().await else { return };
    let (url, admin) = trapped(&url, "countersign_catalog").await;
    let desk = Desk::new(&url);
    desk.approved(POSTGRES).await;
    let traps = [
        ("SELECT lower(1)", "`public.lower`"),
        ("SELECT \"lower\"('X')", "`public.lower`"),
        ("SELECT plain.secret FROM plain", "`public.secret`"),
        ("SELECT * FROM one", "`public.own`"),
        ("SELECT count(*) FROM two", "`public.own`"),
        ("TABLE one", "`public.own`"),
        ("WITH c AS (SELECT * FROM one) SELECT 1 FROM plain", "`public.own`"),
        ("SELECT * FROM remote", "Reaches another server with `dblink`."),
        ("SELECT * FROM ender", "In the view `public.ender`: Stops what others run"),
        ("SELECT rolname FROM hidden", "`pg_authid` holds passwords"),
        ("SELECT * FROM far", "`public.far` reads from outside of the database: the server files (file_fdw)"),
        ("SELECT * FROM split", "`public.split_a` reads from outside"),
        ("SELECT name %% name FROM plain", "The operator `public.%%`"),
        ("SELECT length(p) FROM pairs", "The cast `public.pair to text`"),
        ("SELECT (pairs.p).pair_text FROM pairs", "`public.pair_text`"),
        ("SELECT 1::checked", "`public.fixed`"),
        ("SELECT * FROM spans", "`public.gap`"),
        ("SELECT * FROM tenants", "`public.tenant`"),
        ("SELECT * FROM bent", "`public.fixed`"),
        ("EXPLAIN DELETE FROM ruled", "`public.fixed`"),
        ("EXPLAIN INSERT INTO filled DEFAULT VALUES", "`public.fixed`"),
        ("EXPLAIN SELECT * FROM one", "`public.own`"),
        ("SELECT * FROM app.inner_view", "`public.own`"),
        ("SELECT * FROM heaped", "`public.joined`"),
        ("SELECT lpad(name, 9) FROM plain", "`lpad`"),
    ];
    all_ask(&desk, &traps).await;
    all_run(
        &desk,
        &[
            "SELECT i, name, tags[1] FROM plain WHERE i IN (1, 2) AND name LIKE 'o%' ORDER BY name",
            "SELECT p.name, count(*) AS n FROM plain p JOIN tame t USING (i) GROUP BY p.name HAVING count(*) > 0",
            "WITH a (x) AS (SELECT 1) SELECT x, sum(x) OVER (ORDER BY x) FROM a",
            "SELECT * FROM parted UNION ALL SELECT 'x'",
            "SELECT m, s, t || 'x', h -> 'a' FROM moods WHERE t = 'x' AND m = 'sad'",
            "SELECT similarity(name, 'one'), encode(digest(name, 'sha256'), 'hex') FROM plain",
            "SELECT * FROM alike",
            "SELECT * FROM owned",
            "SELECT * FROM indexed WHERE i = 1",
            "SELECT * FROM kept",
            "SELECT * FROM pg_stat_activity",
            "SELECT rpad(name, 9) FROM plain",
            // Of types that no library knows yet.
            "SELECT * FROM pg_class LIMIT 1",
            "SELECT * FROM pg_proc LIMIT 1",
            "SELECT adbin FROM pg_attrdef",
            "EXPLAIN SELECT * FROM pg_type",
            "SELECT (spots.s).x FROM spots",
            "SELECT attname, n_distinct, correlation FROM pg_stats WHERE tablename = 'plain'",
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
            "SELECT column_name, column_default FROM information_schema.columns WHERE column_default LIKE 'nextval(%'",
            "SHOW search_path",
            "EXPLAIN SELECT nextval('counter')",
            "EXPLAIN ANALYZE SELECT * FROM plain",
            "VALUES (1), (2)",
        ],
    )
    .await;
    // A name in the catalog that its text would hide by quoting.
    let judged = desk.judged("SELECT \"Odd \"\"name\"(1)").await;
    assert!(!reads(&judged), "{}", sentences(&judged));
    assert_eq!(desk.row("SELECT count(*) FROM canary").await, ["10"]);
    drop(desk);
    dropped(&admin, &url).await;
}

#[tokio::test]
async fn postgres_looks_at_the_search_path_that_holds() {
    let Some(url) = postgres().await else { return };
    let (url, admin) = trapped(&url, "countersign_path").await;
    let name = url.rsplit('/').next().unwrap();
    let first = Desk::new(&url);
    first
        .approved(
            "CREATE SCHEMA bad; CREATE TABLE canary (i int); INSERT INTO canary VALUES (1);
            CREATE FUNCTION bad.same(int, int) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''ran''; END';
            CREATE OPERATOR bad.= (LEFTARG = int, RIGHTARG = int, FUNCTION = bad.same);
            CREATE FUNCTION bad.count(text) RETURNS int LANGUAGE sql AS 'SELECT 1';
            CREATE VIEW bad.pg_class AS SELECT bad.count('x') AS relname",
        )
        .await;
    all_run(&first, &["SELECT count(*) FROM canary WHERE i = 1", "SELECT relname FROM pg_class LIMIT 1"]).await;
    first.approved(&format!("ALTER DATABASE {name} SET search_path = bad, pg_catalog, public")).await;
    drop(first);
    let desk = Desk::new(&url);
    let traps = [
        ("SELECT i = 1 FROM canary", "The operator `bad.=`"),
        ("SELECT i IN (1) FROM canary", "The operator `bad.=`"),
        ("SELECT count('x')", "`bad.count`"),
        ("SELECT relname FROM pg_class", "`bad.count`"),
    ];
    all_ask(&desk, &traps).await;
    drop(desk);
    dropped(&admin, &url).await;
}

#[tokio::test]
async fn mariadb_names_that_lead_to_code_ask() {
    let Some(url) = mariadb().await else { return };
    let name = format!("countersign_catalog_{}", std::process::id());
    let admin = Desk::new(&url);
    admin.approved(&format!("CREATE OR REPLACE DATABASE {name}")).await;
    let desk = Desk::new(&within(&url, &name));
    desk.approved(
        "CREATE TABLE plain (i INT PRIMARY KEY, name VARCHAR(20), twice INT AS (i * 2) VIRTUAL);
        INSERT INTO plain (i, name) VALUES (1, 'one'), (2, 'two');
        CREATE SEQUENCE s;
        CREATE FUNCTION own() RETURNS INT RETURN 1;
        CREATE FUNCTION `count`(x INT) RETURNS INT RETURN 1;
        CREATE VIEW tame AS SELECT i, UPPER(name) AS name FROM plain WHERE i > 0;
        CREATE VIEW Slow AS SELECT SLEEP(0) AS x;
        CREATE VIEW one AS SELECT own() AS x;
        CREATE VIEW two AS SELECT one.x FROM one JOIN tame ON tame.i = one.x;
        CREATE VIEW reader AS SELECT LOAD_FILE('/etc/hostname') AS line;
        CREATE VIEW users AS SELECT user, authentication_string FROM mysql.user",
    )
    .await;
    let own = format!("`{name}.own`");
    let traps = [
        ("SELECT own()", "`own()`"),
        ("SELECT * FROM one AS x", own.as_str()),
        ("SELECT * FROM one", &own),
        ("SELECT * FROM two", &own),
        ("SELECT x FROM Slow", "Waits with `sleep`"),
        ("SELECT * FROM reader", "Reads files of the database server with `load_file`"),
        ("SELECT user FROM users", "holds passwords or keys"),
        ("SELECT count(1)", "`countersign_catalog_"),
        ("EXPLAIN DELETE FROM plain", "explain `DELETE` only where it could also run"),
        ("DESC FORMAT=JSON UPDATE plain SET i = 3", "explain `UPDATE` only where it could also run"),
    ];
    all_ask(&desk, &traps).await;
    all_run(
        &desk,
        &[
            "SELECT i, twice, LOWER(name) FROM plain WHERE name LIKE 'o%' ORDER BY i",
            "SELECT t.name, MAX(p.i) FROM plain p JOIN tame t USING (i) GROUP BY t.name",
            "WITH a (x) AS (SELECT 1) SELECT x, SUM(x) OVER (ORDER BY x) FROM a",
            "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()",
            "SHOW TABLES",
            "SHOW CREATE TABLE plain",
            "SELECT user, host FROM mysql.user",
            "DESCRIBE plain",
            "SELECT CONCAT(user, '@', host) AS account, super_priv, is_role FROM mysql.user",
            "DESCRIBE mysql.user",
            "SHOW COLUMNS FROM mysql.user",
            "SHOW CREATE TABLE mysql.user;",
            "HELP 'contents'",
            "EXPLAIN SELECT * FROM plain",
            "SELECT * FROM seq_1_to_3",
            "SELECT * FROM s",
            "SHOW TABLE STATUS",
            "SELECT table_name, table_rows FROM information_schema.tables WHERE table_schema = DATABASE()",
        ],
    )
    .await;
    let engine = "SELECT count(*) FROM information_schema.ENGINES WHERE ENGINE = 'FEDERATED' AND SUPPORT = 'YES'";
    let install = "INSTALL SONAME 'ha_federatedx'";
    let (_, installed) = admin.with(install, databases::As::Approved, tokio_util::sync::CancellationToken::new()).await;
    if admin.row(engine).await == ["1"] {
        let far = within(&url, &name);
        desk.approved(&format!("CREATE TABLE far (i INT NOT NULL) ENGINE=FEDERATED CONNECTION='{far}/plain'")).await;
        let traps = [
            ("SELECT i FROM far", ".far` reads from outside of the database: it is kept by FEDERATED"),
            ("SELECT table_name, table_rows FROM information_schema.tables", "it is kept by FEDERATED, which is asked"),
            ("SELECT partition_name FROM information_schema.PARTITIONS", "it is kept by FEDERATED, which is asked"),
            ("SHOW TABLE STATUS", "it is kept by FEDERATED, which is asked"),
            ("SHOW INDEX FROM far", "it is kept by FEDERATED"),
        ];
        all_ask(&desk, &traps).await;
        all_run(&desk, &["SHOW TABLES", "SELECT i FROM plain", "SHOW STATUS LIKE 'Uptime'"]).await;
        desk.approved("DROP TABLE far").await;
    } else {
        left_out::left_out("tables that lie on another server", &installed.result);
    }
    if !installed.result.starts_with("error") {
        drop(desk);
        admin.approved("UNINSTALL SONAME 'ha_federatedx'").await;
    }
    admin.approved(&format!("DROP DATABASE {name}")).await;
}

/// The table is locked, so that the read waits after its judgement; meanwhile its view is swapped.
#[tokio::test]
async fn mariadb_holds_back_the_rows_of_a_view_that_was_swapped_after_its_judgement() {
    let Some(url) = mariadb().await else { return };
    let name = format!("countersign_swapped_{}", std::process::id());
    let admin = Desk::new(&url);
    admin.approved(&format!("CREATE OR REPLACE DATABASE {name}")).await;
    let url = within(&url, &name);
    let (reader, holder, swapper) = (Desk::new(&url), Desk::new(&url), Desk::new(&url));
    swapper
        .approved(
            "CREATE TABLE base (i INT); INSERT INTO base VALUES (1);
            CREATE FUNCTION own() RETURNS VARCHAR(20) RETURN '4711';
            CREATE VIEW one AS SELECT 'calm' AS x",
        )
        .await;
    let sql = "SELECT one.x FROM base JOIN one";
    all_run(&reader, &[sql]).await;
    holder.approved("LOCK TABLES base WRITE").await;
    let swap = async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        swapper.approved("CREATE OR REPLACE VIEW one AS SELECT own() AS x").await;
        holder.approved("UNLOCK TABLES").await;
    };
    let ((table, report), ()) = tokio::join!(reader.read(sql), swap);
    assert!(report.result.contains("its rows are held back"), "{}", report.result);
    assert!(table.rows.is_empty() && !report.result.contains("4711"), "{table:?}");
    assert!(reader.refused(sql).await.contains("nobody was asked"));
    admin.approved(&format!("DROP DATABASE {name}")).await;
}

#[tokio::test]
async fn a_view_that_cannot_be_looked_into_asks() {
    let Some(url) = mariadb().await else { return };
    let name = format!("countersign_hidden_{}", std::process::id());
    let admin = Desk::new(&url);
    admin
        .approved(&format!(
            "CREATE OR REPLACE DATABASE {name}; CREATE TABLE {name}.t (i INT); CREATE VIEW {name}.v AS SELECT * FROM {name}.t;
            CREATE OR REPLACE USER '{name}'@'127.0.0.1' IDENTIFIED BY 'secret';
            GRANT SELECT ON {name}.* TO '{name}'@'127.0.0.1'"
        ))
        .await;
    let (_, place) = url.rsplit_once('@').unwrap();
    let (place, _) = place.rsplit_once('/').unwrap();
    let desk = Desk::new(&format!("mysql://{name}:secret@{place}/{name}"));
    all_run(&desk, &["SELECT * FROM t"]).await;
    all_ask(&desk, &[("SELECT * FROM v", "can't look into the view")]).await;
    admin.approved(&format!("DROP DATABASE {name}; DROP USER '{name}'@'127.0.0.1'")).await;
}

#[tokio::test]
async fn sqlite_says_itself_what_a_statement_uses() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(&format!("sqlite:{}?mode=rwc", folder.path().join("test.db").display()));
    desk.approved(
        "CREATE TABLE plain (i INTEGER PRIMARY KEY, name TEXT, long AS (length(name)));
        INSERT INTO plain (name) VALUES ('one'), ('two');
        CREATE VIEW tame AS SELECT i, upper(name) AS name FROM plain;
        CREATE VIEW loader AS SELECT load_extension('x') AS x;
        CREATE VIEW nested AS SELECT x FROM loader JOIN tame;
        CREATE VIRTUAL TABLE words USING fts5(word); INSERT INTO words VALUES ('a b c');
        CREATE VIRTUAL TABLE boxes USING rtree(id, a, b); INSERT INTO boxes VALUES (1, 2, 3)",
    )
    .await;
    // What a view may not call doesn't even compile, as the schema isn't trusted.
    for sql in ["SELECT x FROM loader", "SELECT * FROM nested"] {
        assert_eq!(desk.refused(sql).await, "unsafe use of load_extension()", "{sql}");
    }
    for sql in ["SELECT load_extension('x')", "SELECT fts3_tokenizer('simple')"] {
        let judged = desk.judged(sql).await;
        assert!(!reads(&judged), "{sql}: {}", sentences(&judged));
        assert!(desk.refused(sql).await.contains("nobody was asked"), "{sql}");
    }
    all_run(
        &desk,
        &[
            "SELECT i, name, long FROM plain WHERE name LIKE 'o%' ORDER BY name",
            "SELECT * FROM tame",
            "SELECT snippet(words, 0, '[', ']', '', 5) FROM words WHERE words MATCH 'b'",
            "SELECT * FROM boxes WHERE a > 1",
            "SELECT key, value FROM json_each('[1, 2]')",
            "SELECT name FROM pragma_table_info('plain')",
            "PRAGMA table_info(plain)",
            "PRAGMA foreign_key_check",
            "SELECT name FROM sqlite_master",
            "EXPLAIN QUERY PLAN SELECT * FROM plain",
            "EXPLAIN QUERY PLAN DELETE FROM plain WHERE i = 1",
            "EXPLAIN INSERT INTO plain (name) VALUES ('three')",
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3) SELECT * FROM c",
            "WITH r AS (SELECT 1 AS x) SELECT count(*) FROM r",
            "SELECT count(*) FROM (SELECT 1)",
            "SELECT count(*) FROM json_each('[1]')",
            "PRAGMA journal_mode",
            "SELECT * FROM pragma_foreign_keys",
            "EXPLAIN CREATE TABLE other (a, b)",
            "EXPLAIN QUERY PLAN CREATE INDEX i ON plain (name)",
        ],
    )
    .await;
    let reason = desk.refused("SELECT length(randomblob(900000000))").await;
    assert!(reason.contains("too big"), "{reason}");
}

#[tokio::test]
async fn a_database_that_does_not_answer_asks() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let silent = Desk::new(&format!("mysql://ann@127.0.0.1:{port}/shop"));
    let judged = silent.judged("SELECT 1").await;
    assert!(sentences(&judged).contains("no answer within 2 s"), "{}", sentences(&judged));
}
