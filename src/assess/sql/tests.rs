//! What the SQL assessor promises, case by case.

use super::*;
use crate::domain::{
    Claim, Danger, Draft, Facts, Grants, Operation, OperationId, Origin, Prepared, RiskLevel, SqlWay, TakeBack,
};

fn assessed(sql: &str, dialect: Option<Dialect>) -> Assessment {
    judge(&SqlOperation { connection: "main".to_owned(), dialect, sql: sql.to_owned(), way: SqlWay::Plain })
}

pub(super) fn in_postgres(sql: &str) -> Assessment {
    assessed(sql, Some(Dialect::Postgres))
}

pub(super) fn in_mysql(sql: &str) -> Assessment {
    assessed(sql, Some(Dialect::Mysql))
}

fn in_sqlite(sql: &str) -> Assessment {
    assessed(sql, Some(Dialect::Sqlite))
}

fn reads(assessment: &Assessment) -> bool {
    assessment.class() == Class::Whitelisted
}

#[track_caller]
fn all_read(judge: fn(&str) -> Assessment, cases: &[&str]) {
    for case in cases {
        let assessment = judge(case);
        assert!(reads(&assessment), "{case}: {:?}", assessment.findings);
    }
}

#[track_caller]
fn none_reads(judge: fn(&str) -> Assessment, cases: &[&str]) {
    for case in cases {
        assert!(!reads(&judge(case)), "{case}");
    }
}

#[track_caller]
pub(super) fn says(judge: fn(&str) -> Assessment, case: &str, rule: &str, class: Class, sentence: &str) {
    let assessment = judge(case);
    let leading = assessment.leading().unwrap();
    assert_eq!((leading.rule.as_str(), leading.class, leading.sentence.as_str()), (rule, class, sentence), "{case}");
}

pub(super) const DESTRUCTIVE: Class = Class::Declared(Danger::Destructive);
const EXTERNAL: Class = Class::Declared(Danger::External);
const SENSITIVE: Class = Class::Declared(Danger::Sensitive);

#[test]
fn everyday_queries_run_unasked_in_postgres() {
    all_read(
        in_postgres,
        &[
            "SELECT id, name FROM customers WHERE city = 'Graz' ORDER BY name LIMIT 20",
            "SELECT (t.address).city FROM t",
            "SELECT (o).id, (p.address).city, (c).name FROM orders o JOIN shop.people AS p ON true, (SELECT 1 FROM c) x",
            "SELECT x.all, a AS \"as\", b AS into FROM x",
            "SELECT attname, n_distinct, correlation FROM pg_stats WHERE tablename = 't'",
            "select count(*) filter (where paid) over (partition by month) from orders;",
            "WITH recent(id) AS (SELECT id FROM orders), big(id, total) AS NOT MATERIALIZED (SELECT id, 5 FROM recent) TABLE big",
            "VALUES (1, 'a'), (2, 'b')",
            "TABLE customers",
            "SELECT * FROM generate_series(1, 5) g(n), LATERAL (SELECT n * 2) d(twice)",
            "SELECT data->>'name', data @> '{\"a\": 1}' FROM events WHERE tags && ARRAY['x']::varchar(10)[]",
            "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price) FROM items GROUP BY GROUPING SETS ((a), (b))",
            "SELECT pg_size_pretty(pg_total_relation_size('orders')), version(), current_user, now()",
            "SELECT pg_catalog.lower('X'), \"upper\"('x')",
            "SELECT * FROM json_to_recordset('[]') AS x(a int, b varchar(5))",
            "SELECT $$; DROP TABLE t$$, 'it''s; DELETE FROM t', E'it\\'s; DELETE'",
            "SELECT /* /* nested */ ; DROP TABLE t */ 1",
            "SELECT update, delete FROM logs WHERE insert > 3",
            "SELECT x AS into FROM t",
            "SELECT (json_each(data)).value, (pg_catalog.pg_identify_object(1, 2, 3)).type FROM t",
            "SELECT user, current_date, a.second FROM a",
            "SHOW search_path",
            "SHOW ALL",
            "EXPLAIN (ANALYZE, BUFFERS) SELECT 1",
            "EXPLAIN (ANALYZE off) DELETE FROM t",
            "EXPLAIN UPDATE t SET a = 1",
            "EXPLAIN WITH x AS (UPDATE t SET a = 1 RETURNING a) SELECT a FROM x",
            "EXPLAIN (COSTS OFF) WITH d AS MATERIALIZED (DELETE FROM t RETURNING a) SELECT a FROM d",
            "EXPLAIN WITH i AS (INSERT INTO t VALUES (1) RETURNING a) SELECT a FROM i",
            "EXPLAIN SELECT nextval('s')",
            "EXPLAIN CREATE TABLE t AS SELECT 1",
            "EXPLAIN EXECUTE plan(1, 'a')",
            "SELECT regtype('int4'), tsquery('a & b'), int4in('1'), inet('::1')",
            "SELECT a || b -> 'c' #>> '{d}', -1 OPERATOR(pg_catalog.+) 2, a <-> b, a@>b, 1+-2 FROM t ORDER BY a USING >",
            "SELECT * FROM own_rows AS r(a, b) JOIN t own(c, d) ON true WHERE own.c > 1",
            "SELECT x FROM t TABLESAMPLE bernoulli (10) REPEATABLE (1) GROUP BY ROLLUP (a), CUBE (b), GROUPING SETS ((a), ())",
            "SELECT sum(a) FILTER (WHERE b) OVER (PARTITION BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t FETCH FIRST (1 + 1) ROWS ONLY",
            "SELECT interval '1' second(3), a::numeric(5, 2), x::character varying(10), now() AT TIME ZONE ('utc') FROM t",
            "SELECT B'01''1', X'1F', 'a' \n 'b', $é$x$é$",
        ],
    );
}

#[test]
fn everyday_queries_run_unasked_in_mysql() {
    all_read(
        in_mysql,
        &[
            "SELECT `name`, COUNT(*) FROM `orders` USE INDEX (ix) WHERE note = \"it's; fine\" GROUP BY 1",
            "SELECT 1 # ; DROP TABLE t",
            "SELECT 1--1",
            "SELECT 'it\\'s'",
            "SHOW FULL COLUMNS FROM orders LIKE 'a%'",
            "SHOW CREATE TABLE orders",
            "SHOW VARIABLES WHERE variable_name IN ('a', 'b')",
            "DESCRIBE orders",
            "DESC orders total",
            "EXPLAIN FORMAT=JSON SELECT a FROM t",
            "SELECT @@version, @a",
            "SELECT GROUP_CONCAT(DISTINCT a ORDER BY b SEPARATOR ', '), IF(a, 1, 2), MATCH (a) AGAINST ('x') FROM t",
            "SELECT \\N, CAST(a AS INTERVAL DAY_SECOND(6)), a NOT REGEXP ('b'), a DIV (2), 1 XOR (0) FROM t",
            "SELECT * FROM { OJ (a LEFT JOIN b ON a.x = b.x) }",
            "SELECT * FROM t PROCEDURE ANALYSE(10, 2000)",
            "SHOW PLUGINS SONAME LIKE 'ha%'",
            "SHOW QUERY_RESPONSE_TIME",
            "SELECT IS_FREE_LOCK('a'), `Ｃ１` FROM `Ｔ１` AS ｔ",
            "SELECT @a.b, @größe, @@global.max_connections, @a AS b FROM t WHERE @as = t.into",
            "HELP 'SELECT'",
            "HELP contents",
            "EXPLAIN FORMAT=TREE FOR SCHEMA shop SELECT id FROM orders",
            "EXPLAIN FOR DATABASE shop UPDATE orders SET id = 1",
            "SELECT CONCAT(User, '@', Host) AS account, Super_priv FROM mysql.user WHERE plugin <> '' ORDER BY 1",
            "DESCRIBE mysql.user",
            "SHOW FULL COLUMNS FROM mysql.user LIKE '%priv'",
            "SHOW CREATE TABLE mysql.user",
            "XA RECOVER",
            "XA RECOVER CONVERT XID",
        ],
    );
}

#[test]
fn the_plan_of_a_write_is_looked_at_and_not_what_it_runs() {
    for sql in ["EXPLAIN UPDATE t SET a = 1", "EXPLAIN DELETE FROM t"] {
        let classes = [in_mysql(sql), in_postgres(sql), in_sqlite(sql)].map(|assessment| assessment.class());
        assert_eq!(classes, [Class::Whitelisted; 3], "{sql}");
    }
    for sql in ["EXPLAIN FORMAT=JSON DELETE FROM t", "DESC INSERT INTO t VALUES (1)"] {
        assert_eq!(in_mysql(sql).class(), Class::Whitelisted, "{sql}");
    }
    for sql in [
        "ANALYZE UPDATE t SET a = 1",
        "EXPLAIN ANALYZE DELETE FROM t",
        "EXPLAIN UPDATE t SET a = sleep(9)",
        "EXPLAIN SELECT * FROM t WHERE id = 1 FOR UPDATE",
        "SELECT last_insert_id(42)",
        "SELECT s.\"nextval\"",
    ] {
        assert_ne!(in_mysql(sql).class(), Class::Whitelisted, "{sql}");
    }
}

#[test]
fn everyday_queries_run_unasked_in_sqlite() {
    all_read(
        in_sqlite,
        &[
            "SELECT [order id], \"total\" FROM main.orders WHERE date(at) > date('now', '-1 month')",
            "PRAGMA table_info(orders)",
            "PRAGMA main.table_xinfo = 'orders'",
            "SELECT name FROM pragma_table_info('orders')",
            "EXPLAIN QUERY PLAN SELECT * FROM t",
            "SELECT * FROM docs WHERE docs MATCH 'a' ORDER BY bm25(docs)",
            "VALUES (1)",
            "SELECT $::name, $space::name, :a, @b, ?1",
            "SELECT * FROM t WHERE name = 'pragma_list'",
            "EXPLAIN PRAGMA table_info(t)",
            "EXPLAIN DROP TABLE t",
            "EXPLAIN CREATE TABLE IF NOT EXISTS t (a INT CHECK (length(a) > 1), b REFERENCES u (id))",
            "EXPLAIN QUERY PLAN CREATE INDEX i ON t (a)",
            "PRAGMA journal_mode",
            "PRAGMA main.journal_mode",
            "SELECT * FROM pragma_foreign_keys, pragma_synchronous",
            "WITH replace AS (SELECT 1) SELECT replace('a', 'b', 'c') FROM replace",
        ],
    );
}

#[test]
fn what_writes_locks_sleeps_or_leaves_never_runs_unasked() {
    none_reads(
        in_postgres,
        &[
            "SELECT 1; SELECT 2",
            "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
            "SELECT * FROM (WITH x AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM x) y",
            "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a",
            "WITH RECURSIVE a AS (SELECT 1) CYCLE x SET y USING z DELETE FROM t",
            "SELECT * INTO copy FROM t",
            "SELECT * FROM t FOR UPDATE",
            "SELECT * FROM t FOR NO KEY UPDATE",
            "SELECT pg_sleep(5)",
            "SELECT * FROM pg_read_file('/etc/hostname')",
            "SELECT a FROM t ORDER BY nextval('s')",
            "SELECT set_config('x', 'y', false)",
            "SELECT \"pg_terminate_backend\"(1)",
            "SELECT pg_catalog . pg_terminate_backend (1)",
            "SELECT pg_catalog/**/./**/pg_sleep/**/(1)",
            "SELECT other.lower('x')",
            "SELECT \"Lower\"('x')",
            "SELECT DISTINCT ON (a) own(a) FROM t",
            "SELECT ('/etc/hostname'::text).pg_read_file",
            "SELECT (ARRAY['/etc/hostname'])[1].pg_read_file",
            "SELECT f.pg_sleep FROM generate_series(1, 2) f",
            "SELECT (a).own FROM t",
            "SELECT (o).own FROM own(1) o",
            "SELECT o, (o).own FROM t, o(1)",
            "SELECT (a + 1).own FROM t",
            "SELECT (a).pg_sleep FROM t",
            "SELECT 'x' OPERATOR(pg_catalog.||) own(a) FROM t",
            "WITH RECURSIVE t AS (SELECT 1 a) CYCLE a SET b USING over DELETE FROM x",
            "WITH pg_sleep(a) AS (SELECT 1) SELECT pg_sleep(a) FROM pg_sleep",
            "SELECT U&\"\\0070g_sleep\"(1)",
            "SELECT '\\'; DROP TABLE t; --'",
            "SELECT E'a'\n'\\'; DROP TABLE t --'",
            "EXPLAIN ANALYZE DELETE FROM t",
            "EXPLAIN (ANALYZE) DELETE FROM t",
            "EXPLAIN (ANALYZE 'on', COSTS off) DELETE FROM t",
            "EXPLAIN (ANALYZE false, ANALYZE) DELETE FROM t",
            "SELECT 1 \\g out",
            "\\! ls",
            "COPY t TO STDOUT",
            "",
            ";",
        ],
    );
    none_reads(
        in_mysql,
        &[
            "SELECT * FROM t INTO OUTFILE '/tmp/x'",
            "SELECT 1 INTO @a",
            "SELECT @a := 1",
            "SELECT * FROM t LOCK IN SHARE MODE",
            "SELECT /*! SLEEP(5) */ 1",
            "SELECT 1 /*M! ; DROP TABLE t */",
            "SELECT /*+ SET_VAR(sql_mode='') */ 1",
            "SELECT \"sleep\"(5)",
            "SELECT `sleep`(5)",
            "SELECT 'a\\'; DROP TABLE t; -- '",
            "SELECT 'a\\'; DROP TABLE t; it'",
            "SELECT 'a\\'; DROP TABLE t '",
            "SELECT 1 --\u{a0}; DROP TABLE t",
            "SELECT NEXT VALUE FOR s",
            "SHOW TABLES WHERE SLEEP(5)",
            "XA COMMIT 'a'",
            "XA RECOVER, XA",
            "SHOW CREATE USER me",
            "SHOW BINLOG EVENTS IN 'binlog.000001'",
            "SHOW RELAYLOG EVENTS",
            "HANDLER t OPEN",
            "EXPLAIN ANALYZE DELETE FROM t",
        ],
    );
    none_reads(
        in_sqlite,
        &[
            "SELECT * FROM pragma_journal_mode",
            "EXPLAIN CREATE TABLE t AS SELECT load_extension('x')",
            "EXPLAIN CREATE TABLE t (a CHECK (own(a)))",
            "PRAGMA journal_mode = wal",
            "PRAGMA journal_mode(wal)",
            "PRAGMA optimize",
            "SELECT * FROM pragma_wal_checkpoint",
            "SELECT * FROM 'fsdir'('/')",
            "SELECT * FROM fsdir WHERE path = '/'",
            "SELECT \"load_extension\"('x')",
            "SELECT $a('), load_extension(')",
            "EXPLAIN PRAGMA journal_mode = wal",
            "ATTACH 'x' AS y",
            ".shell ls",
        ],
    );
}

#[test]
fn sentences_name_what_would_happen() {
    let every = "Deletes every row of `users`: no WHERE clause.";
    says(in_postgres, "DELETE FROM users", "sql.delete-without-where", DESTRUCTIVE, every);
    let some = "Deletes rows of `orders` that match its WHERE clause.";
    says(in_postgres, "DELETE FROM orders WHERE id = 3", "sql.delete", DESTRUCTIVE, some);
    let always = "Changes every row of `app.users`: its WHERE clause is always true.";
    says(
        in_mysql,
        "UPDATE app.users SET a = 1 WHERE b = 2 OR (1 = 1)",
        "sql.update-where-always-true",
        DESTRUCTIVE,
        always,
    );
    let narrow = "Deletes every row of `t`: no WHERE clause.";
    says(in_sqlite, "WITH x AS (SELECT 1 WHERE 1) DELETE FROM t", "sql.delete-without-where", DESTRUCTIVE, narrow);
    says(in_sqlite, "DROP TABLE IF EXISTS old", "sql.drop", DESTRUCTIVE, "Drops the table `old`.");
    let program = "Sends `t` to a program on the database server.";
    says(in_postgres, "COPY t TO PROGRAM 'sh'", "sql.copy-out", EXTERNAL, program);
    let file = "Reads files of the database server with `pg_read_file`.";
    says(in_postgres, "SELECT pg_read_file('x')", "sql.function-reads-file", EXTERNAL, file);
    let secret = "`pg_authid` holds passwords or keys.";
    says(in_postgres, "SELECT * FROM pg_catalog.pg_authid", "sql.secret", SENSITIVE, secret);
    let unknown = "No rule says that `own()` only reads.";
    says(in_postgres, "SELECT own(1)", "sql.function-unknown", Class::Unknown, unknown);
    let several = "It holds 2 statements; only a single one that reads runs unasked.";
    says(in_postgres, "SELECT 1; SELECT 2", "sql.several", Class::Unknown, several);
    says(in_sqlite, "SELEC 1", "sql.unparsed", Class::Unreadable, "It could not be parsed as SQLite SQL.");
}

#[test]
fn what_stands_behind_many_statements_counts() {
    for many in ["INSERT INTO a VALUES (1);", "UPDATE a SET b = 1 WHERE c = 2;", "SELECT 1;", "SELECT f(1);"] {
        let judged = in_postgres(&format!("{}DROP TABLE t", many.repeat(300)));
        assert_eq!((judged.class(), judged.level()), (DESTRUCTIVE, RiskLevel::High), "{many}");
        assert!(judged.findings.iter().any(|finding| finding.rule == "sql.drop"), "{many}");
        let drops = |shape: &Shape| shape.0.get("statement").is_some_and(|statement| statement == "drop");
        assert!(judged.shapes.iter().any(drops), "{many}: a rule would not see it");
    }
}

#[test]
fn the_worst_statement_and_the_worst_dialect_count() {
    let several = in_postgres("SELECT 1; DROP TABLE t");
    assert_eq!((several.class(), several.level()), (DESTRUCTIVE, RiskLevel::High));
    assert!(reads(&assessed("SELECT a FROM t", None)));
    assert!(!reads(&assessed("PRAGMA table_info(t)", None)));
    assert!(!reads(&assessed("SELECT 1 /*! , SLEEP(1) */", None)));
}

#[test]
fn shapes_carry_statement_table_where_and_connection() {
    let shapes = in_postgres("DELETE FROM public.orders WHERE id = 1").shapes;
    let expected = [("connection", "main"), ("statement", "delete"), ("table", "public.orders"), ("where", "yes")];
    assert_eq!(shapes, vec![Shape::new(expected)]);
    let joined = in_postgres("WITH c AS (SELECT 1) SELECT * FROM a JOIN b USING (x), c").shapes;
    let tables: Vec<&str> = joined.iter().filter_map(|shape| shape.0.get("table")).map(String::as_str).collect();
    assert_eq!(tables, ["a", "b"]);
}

#[test]
fn a_statement_where_only_a_query_can_stand_asks() {
    for sql in [
        "SELECT 1 UNION ALL DELETE FROM t WHERE a = 1",
        "SELECT 1 UNION SET work_mem = '1GB'",
        "SELECT (COPY t TO '/tmp/x')",
        "SELECT EXISTS (TRUNCATE users)",
        "WITH x AS (GRANT ALL ON users TO evil) SELECT * FROM x",
        "SELECT * FROM (PRAGMA user_version = 1) AS x",
        "SELECT 1 FROM t ORDER BY (COMMENT ON TABLE t IS 'x')",
        "VALUES ((LOAD 'x'))",
    ] {
        for judge in [in_sqlite, in_postgres, in_mysql] {
            none_reads(judge, &[sql]);
        }
    }
    for sql in [
        "SELECT (load IS NULL), max(comment), (start + 1) FROM t WHERE (close > 1 AND release LIKE 'x')",
        "SELECT a FROM t UNION (SELECT b FROM u) EXCEPT SELECT c FROM v",
        "SELECT sum(CASE WHEN (end IS NULL) THEN 1 ELSE 0 END) FROM t ORDER BY (reset) DESC",
    ] {
        for judge in [in_sqlite, in_postgres, in_mysql] {
            all_read(judge, &[sql]);
        }
    }
}

#[test]
fn a_clause_counts_behind_a_name_that_is_a_keyword() {
    none_reads(
        in_mysql,
        &[
            "SELECT @as INTO OUTFILE '/tmp/x'",
            "SELECT @a. INTO DUMPFILE '/tmp/x'",
            "SELECT @. INTO @h",
            "SELECT @a.b.as INTO @h",
            "SELECT @é. INTO @h",
            "SELECT @\u{a0}. INTO @h",
            "SELECT 'x' AS c, t.as INTO OUTFILE '/tmp/x' FROM (SELECT 1 AS `as`) t",
            "SELECT nested FROM t WHERE @a. FOR UPDATE",
            "SELECT nested FROM t WHERE @as FOR UPDATE",
            "SELECT nested FROM t WHERE t.as FOR SHARE",
            "SELECT nested FROM t WHERE @as LOCK IN SHARE MODE",
            "SELECT nested FROM t WHERE @a. PROCEDURE own()",
            "EXPLAIN SELECT @a. INTO OUTFILE '/tmp/x'",
            "SHOW TABLES WHERE @a. FOR UPDATE",
        ],
    );
    none_reads(
        in_postgres,
        &[
            "SELECT id, nested AS as INTO copy FROM t",
            "SELECT 1 AS as INTO t FROM (SELECT 1 AS nested) x",
            "SELECT x.as INTO copy FROM x, nested",
            "SELECT x.id FROM t x, LATERAL (SELECT 1 AS nested) y WHERE x.as FOR UPDATE",
            "EXPLAIN ANALYZE SELECT nested AS as INTO t FROM u",
        ],
    );
    assert!(!reads(&assessed("SELECT id, nested AS as INTO copy FROM t", None)));
}

#[test]
fn variables_that_are_compared_are_not_said_to_be_the_same() {
    for (judge, sql) in [
        (in_mysql as fn(&str) -> Assessment, "DELETE FROM t WHERE @a = @b"),
        (in_postgres, "DELETE FROM t WHERE $1 = $2"),
        (in_sqlite, "DELETE FROM t WHERE :a = :b OR :a IS NULL OR :b IS NOT NULL"),
    ] {
        assert_eq!(judge(sql).leading().unwrap().rule, "sql.delete", "{sql}");
    }
}

#[test]
fn the_name_of_a_setting_is_seen_however_it_is_given() {
    for sql in [
        "SELECT \"current_setting\"('primary' || '_conninfo')",
        "SELECT pg_catalog.current_setting('primary' || '_conninfo')",
        r"SELECT current_setting(E'primary\137conninfo')",
        r"SELECT current_setting(U&'primary\005fconninfo')",
        "SELECT current_setting(U&'primary!005fconninfo' UESCAPE '!')",
        r"SELECT current_setting('primary\137conninfo')",
        "SELECT ('primary' || '_conninfo').current_setting",
        "SELECT f.current_setting FROM unnest(ARRAY['primary' || '_conninfo']) f",
    ] {
        assert_eq!(in_postgres(sql).class(), SENSITIVE, "{sql}");
    }
    all_read(in_postgres, &["SELECT current_setting('app.tenant'), current_setting('work_mem', true)"]);
}

#[test]
fn a_turns_approval_covers_no_other_way_to_run_the_same() {
    let prepared = |way: SqlWay| {
        let sql = "UPDATE orders SET n = 5 WHERE id = 1".to_owned();
        let kind = OperationKind::Sql(SqlOperation {
            connection: "main".to_owned(),
            dialect: Some(Dialect::Postgres),
            sql,
            way,
        });
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Model { call_id: "1".to_owned() },
            tool: "execute_sql".to_owned(),
            claim: Claim::Absent,
            kind,
            cwd: "/".into(),
        };
        let facts = Facts::default();
        let settings = crate::assess::AssessSettings::default();
        let assessment =
            crate::assess::assess(&SqlAssessor, Subject { operation: &operation, facts: &facts, settings: &settings });
        Prepared { operation, facts, assessment }
    };
    assert_eq!(prepared(SqlWay::Trial).assessment.level(), RiskLevel::Medium, "its rows are as they were at the end");
    assert_eq!(prepared(SqlWay::Plain).assessment.level(), RiskLevel::High);
    let back = SqlWay::TakeBack(TakeBack { kept: "0".to_owned(), again: false, rows: 1 });
    let ways = [SqlWay::Plain, SqlWay::Trial, back].map(prepared);
    // Of what is asked each time only the plain way can be remembered: a rule doesn't tell them apart.
    let kept: Vec<bool> = ways.iter().map(|way| Draft::allow(way).is_ok()).collect();
    assert_eq!(kept, [true, false, false]);
    for (approved, one) in ways.iter().enumerate() {
        let mut grants = Grants::default();
        grants.extend(one);
        let covered: Vec<bool> = ways.iter().map(|other| grants.cover(other)).collect();
        let alone: Vec<bool> = (0..ways.len()).map(|at| at == approved).collect();
        assert_eq!(covered, alone, "{:?}", one.operation.kind);
    }
}
