//! Statements and the reads that tell what they would do.

use super::*;

fn told(dialect: Dialect, sql: &str) -> (String, String) {
    let reads = reads(dialect, sql).unwrap().unwrap();
    (reads.touched.unwrap_or_else(|| reads.rows.to_string()), reads.sample.unwrap_or_default())
}

#[test]
fn a_condition_becomes_a_count_and_a_sample() {
    let (count, sample) = told(Dialect::Sqlite, "DELETE FROM orders WHERE status = 'x' AND total > 3");
    assert_eq!(count, "SELECT count(*) FROM orders WHERE status = 'x' AND total > 3");
    assert_eq!(sample, "SELECT * FROM orders WHERE status = 'x' AND total > 3 LIMIT 5");
    let (count, sample) = told(Dialect::Postgres, "UPDATE t AS o SET a = a + 1, b = DEFAULT WHERE o.c IS NULL");
    assert_eq!(count, "SELECT pg_catalog.count(*) FROM t AS o WHERE o.c IS NULL");
    assert_eq!(sample, "SELECT *, a + 1 AS \"new a\" FROM t AS o WHERE o.c IS NULL LIMIT 5");
    let (count, _) = told(Dialect::Postgres, "DELETE FROM a USING b WHERE a.i = b.i");
    assert_eq!(count, "SELECT pg_catalog.count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.i = b.i)");
    let (count, _) = told(Dialect::Mysql, "DELETE FROM t WHERE a > 1 ORDER BY a LIMIT 3");
    assert_eq!(count, "SELECT count(*) FROM (SELECT 1 FROM t WHERE a > 1 ORDER BY a LIMIT 3) AS touched");
    assert_eq!(told(Dialect::Sqlite, "INSERT INTO t VALUES (1), (2)").0, "2");
    assert_eq!(
        told(Dialect::Sqlite, "INSERT INTO t SELECT * FROM u").0,
        "SELECT count(*) FROM (SELECT * FROM u) AS added"
    );
    assert_eq!(told(Dialect::Postgres, "TRUNCATE t").0, "SELECT pg_catalog.count(*) FROM t");
    assert_eq!(reads(Dialect::Postgres, "CREATE TABLE t (a int)"), Ok(None));
}

#[test]
fn columns_of_one_name_are_counted_in_mysql_too() {
    for (sql, columns) in [
        ("INSERT INTO t SELECT a, a FROM u", Some("c0, c1")),
        ("INSERT INTO t (x, y) SELECT * FROM u", Some("c0, c1")),
        ("INSERT INTO t SELECT u.*, a FROM u", None),
        ("INSERT INTO t SELECT 1 UNION SELECT 2", None),
    ] {
        let query = &sql[sql.find("SELECT").unwrap()..];
        let rows = columns.map_or(query.to_owned(), |columns| {
            format!("WITH countersign_added ({columns}) AS ({query}) SELECT * FROM countersign_added")
        });
        assert_eq!(told(Dialect::Mysql, sql).0, format!("SELECT count(*) FROM ({rows}) AS added"), "{sql}");
    }
}

#[test]
fn a_merge_is_counted_by_its_first_clause_that_fits() {
    let sql = "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED AND u.b > 3 THEN DELETE WHEN MATCHED THEN DO NOTHING \
        WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a)";
    let told = reads(Dialect::Postgres, sql).unwrap().unwrap();
    let decides = "CASE WHEN (u.b > 3) THEN TRUE WHEN TRUE THEN FALSE ELSE FALSE END";
    let pairs = format!("SELECT pg_catalog.count(*) FROM t JOIN u ON t.a = u.a WHERE {decides}");
    assert_eq!(told.pairs.as_ref(), Some(&pairs));
    let touched =
        format!("SELECT pg_catalog.count(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE (t.a = u.a) AND {decides})");
    assert_eq!(told.touched, Some(touched));
    let added = "SELECT pg_catalog.count(*) FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.a = u.a) AND CASE WHEN TRUE THEN TRUE \
        ELSE FALSE END";
    assert_eq!(told.added.as_deref(), Some(added));
    assert_eq!(told.sample.unwrap(), pairs.replace("pg_catalog.count(*)", "*") + " LIMIT 5");
    assert_eq!(told.added_sample.unwrap(), added.replace("pg_catalog.count(*)", "*") + " LIMIT 5");
}

#[test]
fn rows_are_told_for_what_refers_to_them_and_columns_for_what_they_bring() {
    let from = |dialect, sql: &str| reads(dialect, sql).unwrap().unwrap().from.unwrap_or_default();
    assert_eq!(from(Dialect::Postgres, "DELETE FROM ONLY t o WHERE a = 1"), "FROM ONLY t o WHERE a = 1");
    assert_eq!(from(Dialect::Sqlite, "UPDATE t SET a = 1"), "FROM t");
    assert_eq!(
        from(Dialect::Mysql, "DELETE FROM t ORDER BY a LIMIT 3"),
        "FROM (SELECT * FROM t ORDER BY a LIMIT 3) AS touched"
    );
    assert_eq!(from(Dialect::Postgres, "TRUNCATE t"), "");
    let columns = |sql: &str| reads(Dialect::Postgres, sql).unwrap().unwrap().columns;
    assert_eq!(columns("INSERT INTO t (a, \"B\") SELECT 1, 2"), ["a", "B"]);
    assert!(columns("INSERT INTO t SELECT 1, 2").is_empty());
}

#[test]
fn only_leaves_out_what_inherits() {
    for (sql, touched) in [
        ("DELETE FROM ONLY par WHERE a = 1", "FROM ONLY par WHERE a = 1"),
        ("; delete from only s.par", "FROM ONLY s.par"),
        ("UPDATE ONLY par p SET a = 1", "FROM ONLY par p"),
        ("TRUNCATE ONLY par", "FROM ONLY par"),
        ("ALTER TABLE ONLY par ADD b int", "FROM ONLY par"),
        ("MERGE INTO ONLY par USING u ON par.a = u.a WHEN MATCHED THEN DELETE", "FROM ONLY par WHERE EXISTS"),
    ] {
        let told = reads(Dialect::Postgres, sql).unwrap().unwrap();
        assert_eq!(told.place.1, "par", "{sql}");
        let counted = told.touched.unwrap();
        assert!(counted.starts_with(&format!("SELECT pg_catalog.count(*) {touched}")), "{sql}: {counted}");
        assert!(told.all.contains("FROM ONLY "), "{sql}: {}", told.all);
    }
    let sql = "WITH x AS (SELECT (1) AS a), y AS (SELECT 2) DELETE FROM ONLY par p WHERE p.a IN (SELECT a FROM x)";
    let told = reads(Dialect::Postgres, sql).unwrap().unwrap();
    assert_eq!((told.only, told.place.1.as_str()), (true, "par"));
    let counted = told.touched.unwrap();
    assert!(counted.starts_with("WITH x AS (SELECT (1) AS a), y AS (SELECT 2) SELECT "), "{counted}");
    assert!(counted.ends_with("FROM ONLY par p WHERE p.a IN (SELECT a FROM x)"), "{counted}");
    // It is a name like any other elsewhere.
    assert_eq!(reads(Dialect::Sqlite, "DELETE FROM only").unwrap().unwrap().table, "only");
}

#[test]
fn the_sample_says_how_many_new_values_it_shows() {
    for (sql, shown) in [
        ("UPDATE t SET a = 1, b = a", NewValues::All),
        ("UPDATE t SET a = 1, b = DEFAULT", NewValues::Some),
        ("UPDATE t SET a = 1, (b, c) = (SELECT 1, 2)", NewValues::Some),
        ("UPDATE t SET (a, b) = (SELECT 1, 2)", NewValues::None),
        ("UPDATE t SET a = u.a FROM u WHERE t.i = u.i", NewValues::None),
        ("UPDATE t SET a = random() * 100", NewValues::None),
        ("UPDATE t SET a = a + 1, b = a", NewValues::All),
    ] {
        assert_eq!(reads(Dialect::Postgres, sql).unwrap().unwrap().new_values, shown, "{sql}");
    }
    for (sql, shown) in [
        ("UPDATE t SET a = a + 1, b = concat(b, a)", NewValues::Some),
        ("UPDATE t SET t.A = t.a + 1, b = `a`", NewValues::Some),
        ("UPDATE t SET a = a + 1, b = b - 1", NewValues::All),
    ] {
        assert_eq!(reads(Dialect::Mysql, sql).unwrap().unwrap().new_values, shown, "{sql}");
    }
}

#[test]
fn a_new_number_is_what_its_column_keeps() {
    let told = reads(Dialect::Postgres, "UPDATE t SET a = 1.239, b = 'x'").unwrap().unwrap();
    let kept: Vec<_> = told.new.iter().map(|new| new.kept_as(Dialect::Postgres, "numeric(8,2)")).collect();
    assert_eq!(kept[0].as_deref(), Some(", CAST(1.239 AS numeric(8,2)) AS \"new a\""));
    assert_eq!(
        told.new[0].kept_as(Dialect::Mysql, "decimal(8,2) unsigned").unwrap(),
        ", CAST(1.239 AS decimal(8,2)) AS \"new a\""
    );
    assert_eq!(told.new[0].kept_as(Dialect::Postgres, "text"), None);
    assert_eq!(told.new[0].kept_as(Dialect::Sqlite, "integer"), None);
}

#[test]
fn what_goes_along_is_told() {
    let cascade = |sql: &str| reads(Dialect::Postgres, sql).unwrap().unwrap().cascade;
    assert!(cascade("DROP TABLE t CASCADE") && cascade("TRUNCATE t CASCADE"));
    assert!(!cascade("DROP TABLE t") && !cascade("TRUNCATE t RESTRICT"));
}

#[test]
fn what_cannot_be_told_says_so() {
    for (dialect, sql) in [
        (Dialect::Mysql, "DELETE a, b FROM a JOIN b ON a.i = b.i"),
        (Dialect::Mysql, "UPDATE a, b SET a.x = 1 WHERE a.i = b.i"),
        (Dialect::Postgres, "DELETE FROM a; DELETE FROM b"),
        (Dialect::Postgres, "DELETE FRM a"),
        (Dialect::Postgres, "WITH x AS (DELETE FROM t RETURNING a) INSERT INTO u SELECT a FROM x"),
        (Dialect::Postgres, "WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x"),
        (Dialect::Sqlite, "WITH t AS (SELECT 1 AS a) UPDATE t SET b = 1 WHERE a IN (SELECT 1)"),
        (Dialect::Postgres, "DROP SCHEMA s CASCADE"),
        (Dialect::Mysql, "DROP DATABASE s"),
        (Dialect::Postgres, "DROP TYPE s CASCADE"),
        (Dialect::Postgres, "EXPLAIN ANALYZE DELETE FROM t"),
        (Dialect::Postgres, "COPY t FROM '/x'"),
    ] {
        assert!(reads(dialect, sql).is_err(), "{sql}");
    }
    for sql in ["WITH x AS (SELECT 1 AS a) SELECT a FROM x", "EXPLAIN DELETE FROM t", "DROP INDEX i"] {
        assert_eq!(reads(Dialect::Postgres, sql), Ok(None), "{sql}");
    }
}

#[test]
fn what_becomes_of_rows_in_the_way_and_what_is_left_to_chance_is_told() {
    for (dialect, sql, told) in [
        (Dialect::Mysql, "REPLACE INTO t VALUES (1)", InTheWay::Go),
        (Dialect::Sqlite, "REPLACE INTO t VALUES (1)", InTheWay::Go),
        (Dialect::Sqlite, "INSERT OR REPLACE INTO t VALUES (1)", InTheWay::Go),
        (Dialect::Sqlite, "WITH x AS (SELECT 1 AS a) REPLACE INTO t SELECT a, 'replace' FROM x", InTheWay::Go),
        (Dialect::Sqlite, "UPDATE OR REPLACE t SET a = 1", InTheWay::Go),
        (Dialect::Sqlite, "INSERT OR IGNORE INTO t VALUES (1)", InTheWay::Stay),
        (Dialect::Mysql, "INSERT IGNORE INTO t VALUES (1)", InTheWay::Stay),
        (Dialect::Postgres, "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", InTheWay::Stay),
        (Dialect::Postgres, "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 1", InTheWay::Change),
        (Dialect::Mysql, "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 2", InTheWay::Change),
        (Dialect::Mysql, "INSERT INTO t VALUES (1)", InTheWay::Fail),
    ] {
        assert_eq!(reads(dialect, sql).unwrap().unwrap().in_the_way, told, "{sql}");
    }
    for (sql, chance) in [
        ("UPDATE t SET a = 1 WHERE random() < 0.5", true),
        ("DELETE FROM t WHERE a = gen_random_uuid()", true),
        ("INSERT INTO t SELECT a FROM u WHERE random() < 0.5", true),
        ("UPDATE t SET a = random()", false),
    ] {
        assert_eq!(reads(Dialect::Postgres, sql).unwrap().unwrap().chance, chance, "{sql}");
    }
}

#[test]
fn what_a_table_says_of_rows_in_the_way_is_read_from_its_text() {
    for (made, told) in [
        ("CREATE TABLE t (k INT UNIQUE ON CONFLICT REPLACE)", InTheWay::Go),
        (
            "CREATE TABLE t (a INT NOT NULL on /* x */ conflict ignore, PRIMARY KEY (a) ON CONFLICT [Replace])",
            InTheWay::Go,
        ),
        ("CREATE TABLE t (a INT PRIMARY KEY ON CONFLICT FAIL, b UNIQUE ON CONFLICT ABORT)", InTheWay::Stay),
        ("CREATE TABLE t (a INT PRIMARY KEY ON CONFLICT ROLLBACK)", InTheWay::Fail),
        (
            "CREATE TABLE t (conflict TEXT, \"ON CONFLICT REPLACE\" DEFAULT 'on conflict replace') -- on conflict replace",
            InTheWay::Fail,
        ),
    ] {
        assert_eq!(table_says(made).0, told, "{made}");
    }
}

#[test]
fn values_of_postgres_are_counted_where_a_function_may_return_several_rows() {
    for sql in ["INSERT INTO t VALUES (1, now(), lower('A'))", "INSERT INTO t VALUES (nextval('s'), DEFAULT)"] {
        assert_eq!(told(Dialect::Postgres, sql).0, "1", "{sql}");
    }
    for (sql, read) in [
        ("INSERT INTO t VALUES (DEFAULT, generate_series(1, 9))", "SELECT NULL, generate_series(1, 9)"),
        ("INSERT INTO t VALUES (1 + pg_catalog.unnest(a))", "SELECT 1 + pg_catalog.unnest(a)"),
        ("INSERT INTO t VALUES (own(1))", "SELECT own(1)"),
        ("INSERT INTO t VALUES (public.lower('a'))", "SELECT public.lower('a')"),
    ] {
        assert_eq!(told(Dialect::Postgres, sql).0, format!("SELECT pg_catalog.count(*) FROM ({read}) AS added"));
    }
    // The server refuses such a function in several rows of values.
    assert_eq!(told(Dialect::Postgres, "INSERT INTO t VALUES (generate_series(1, 9)), (1)").0, "2");
    assert_eq!(told(Dialect::Sqlite, "INSERT INTO t VALUES (own(1))").0, "1");
}

#[test]
fn joined_tables_are_read_as_the_server_reads_them() {
    let told = |sql: &str| joins(Dialect::Mysql, sql).unwrap().unwrap();
    let changed = |several: &Several| {
        let change = |change: &Change| {
            let table = change.table.map_or("?".to_owned(), |at| several.spelled(at));
            change.column.as_ref().map_or(table.clone(), |column| format!("{table}.{column}"))
        };
        several.changes.iter().map(change).collect::<Vec<_>>().join(" ")
    };
    for (sql, what, condition) in [
        // A comma binds less than a join: it is none that the parser could take for it.
        (
            "UPDATE a, s.`b c` RIGHT JOIN d USING (i) SET s.`b c`.X = 1, d.y = a.z WHERE a.i = d.i",
            "s.`b c`.x d.y",
            "(k) IN (SELECT a.k FROM a, s.`b c` RIGHT JOIN d USING(i) WHERE a.i = d.i)",
        ),
        (
            "UPDATE low_priority ignore a AS p, (SELECT 1 AS i, 2) q SET P.x = 1, y = 2",
            "a.x ?.y",
            "(k) IN (SELECT p.k FROM a AS p, (SELECT 1 AS i, 2) q)",
        ),
        ("DELETE p.*, b FROM a p JOIN b ON p.i = b.i", "a b", "(k) IN (SELECT p.k FROM a p JOIN b ON p.i = b.i)"),
        ("DELETE FROM a USING a, b WHERE b.i > 1", "a", "(k) IN (SELECT a.k FROM a, b WHERE b.i > 1)"),
        ("; DELETE quick a FROM a WHERE i = 1;", "a", "(k) IN (SELECT a.k FROM a WHERE i = 1)"),
    ] {
        let several = told(sql);
        assert_eq!(changed(&several), what, "{sql}");
        let whitespace = several.condition(&[0], &["k".to_owned()]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(whitespace, condition, "{sql}");
    }
    for sql in ["UPDATE IGNORE a, b SET a.x = 1", "DELETE IGNORE a FROM a, b"] {
        assert_eq!(told(sql).reads(0, "TRUE", &[]).in_the_way, InTheWay::Stay, "{sql}");
    }
    let alone = reads(Dialect::Mysql, "DELETE LOW_PRIORITY QUICK IGNORE FROM a WHERE i = 1").unwrap().unwrap();
    assert_eq!((alone.in_the_way, alone.table.as_str()), (InTheWay::Stay, "a"));
    for sql in [
        "UPDATE a, b SET c.x = 1",
        "UPDATE a, b SET a.x = 1 LIMIT 3",
        "UPDATE (SELECT 1 AS x) a, (SELECT 2 AS y) b SET x = 1",
        "DELETE c FROM a, b",
        "UPDATE a, a SET a.x = 1",
    ] {
        assert!(joins(Dialect::Mysql, sql).unwrap().is_err(), "{sql}");
    }
    for (dialect, sql) in [
        (Dialect::Mysql, "UPDATE a SET x = (SELECT max(i) FROM b, c)"),
        (Dialect::Mysql, "UPDATE IGNORE a SET x = 1, y = 2"),
        (Dialect::Mysql, "UPDATE , SET x = 1"),
        (Dialect::Mysql, "UPDATE a,"),
        (Dialect::Mysql, "DELETE"),
        (Dialect::Mysql, "DELETE FROM a WHERE i = 1"),
        (Dialect::Postgres, "DELETE FROM a USING b WHERE a.i = b.i"),
        (Dialect::Sqlite, "UPDATE a SET x = 1 FROM b"),
    ] {
        assert_eq!(joins(dialect, sql), None, "{sql}");
    }
}

#[test]
fn a_change_behind_a_with_is_read_behind_the_same_with() {
    let of = |dialect, sql: &str| reads(dialect, sql).unwrap().unwrap();
    let told = of(
        Dialect::Postgres,
        "WITH big AS (SELECT id FROM o WHERE n > 3) DELETE FROM t WHERE id IN (SELECT id FROM big)",
    );
    assert_eq!((told.act, told.place.1.as_str()), (Act::Delete, "t"));
    let from =
        "FROM (WITH big AS (SELECT id FROM o WHERE n > 3) SELECT * FROM t WHERE id IN (SELECT id FROM big)) AS touched";
    assert_eq!(told.from.as_deref(), Some(from));
    let touched = told.touched.unwrap();
    assert!(touched.starts_with("WITH big AS (SELECT id FROM o WHERE n > 3) SELECT pg_catalog.count(*)"), "{touched}");
    assert_eq!(
        of(Dialect::Sqlite, "WITH x AS (SELECT 1 AS a) UPDATE t SET a = 2 WHERE a IN (SELECT a FROM x)").act,
        Act::Change
    );
    assert!(
        of(Dialect::Sqlite, "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x")
            .touched
            .unwrap()
            .starts_with("WITH x")
    );
    for sql in [
        "WITH t AS (SELECT 1 AS id) DELETE FROM t WHERE id = 1",
        "WITH d AS (DELETE FROM o RETURNING id) DELETE FROM t WHERE id IN (SELECT id FROM d)",
        "WITH d AS (DELETE FROM o RETURNING id) SELECT * FROM d",
    ] {
        assert!(reads(Dialect::Postgres, sql).unwrap_err().contains("within or behind a `WITH`"), "{sql}");
    }
}

#[test]
fn a_temporary_table_is_not_the_one_of_that_name() {
    for sql in ["DROP TEMPORARY TABLE t", "DROP TEMPORARY TABLE IF EXISTS t, u"] {
        assert!(reads(Dialect::Mysql, sql).unwrap_err().starts_with("Only a temporary table goes."), "{sql}");
        assert!(each(Dialect::Mysql, sql).is_empty() && other(Dialect::Mysql, sql).is_none(), "{sql}");
    }
    assert_eq!(each(Dialect::Mysql, "DROP TABLE t, u").len(), 2);
}
