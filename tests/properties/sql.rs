//! Statements, what a database ignores in them, and what may be put around them.

use countersign::domain::Dialect::{self, Mysql, Postgres, Sqlite};

use super::Change;
use super::Promise::{Asks, NoBetter, Same};

/// Our own statements, each for the dialects that read it.
pub fn own() -> Vec<(Option<Dialect>, String)> {
    const EVERYWHERE: [&str; 22] = [
        "SELECT a, b FROM t WHERE c = 'x;y' ORDER BY a",
        "SELECT count(*) FROM t GROUP BY a HAVING count(*) > 1",
        "WITH r AS (SELECT 1 AS a) SELECT * FROM r",
        "SELECT a FROM t UNION ALL SELECT b FROM u",
        "SELECT t.a, upper(u.b) FROM t JOIN u ON u.a = t.a LIMIT 5",
        "SELECT CASE WHEN a > 1 THEN 'x' ELSE 'y' END FROM t",
        "SELECT * FROM (SELECT a FROM t) AS v WHERE EXISTS (SELECT 1 FROM u)",
        "EXPLAIN SELECT * FROM t",
        "DELETE FROM t",
        "DELETE FROM t WHERE a = 1",
        "UPDATE t SET a = 1 WHERE b = 'x'",
        "INSERT INTO t (a) VALUES (1)",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN b int",
        "CREATE TABLE u AS SELECT * FROM t",
        "CREATE INDEX i ON t (a)",
        "SELECT unheard_of(a) FROM t",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE t",
        "BEGIN",
        "COMMIT",
        "VACUUM",
    ];
    const ONE: [(Dialect, &str); 26] = [
        (Postgres, "SELECT pg_sleep(1)"),
        (Postgres, "SELECT * FROM pg_read_file('x')"),
        (Postgres, "SELECT nextval('s')"),
        (Postgres, "SELECT a FROM t FOR UPDATE"),
        (Postgres, "SELECT * INTO u FROM t"),
        (Postgres, "EXPLAIN ANALYZE DELETE FROM t"),
        (Postgres, "COPY t TO '/tmp/x'"),
        (Postgres, "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d"),
        (Postgres, "SELECT rolpassword FROM pg_authid"),
        (Postgres, "SHOW work_mem"),
        (Postgres, "SET work_mem = '1GB'"),
        (Postgres, "TABLE t"),
        (Postgres, "VALUES (1), (2)"),
        (Mysql, "SELECT sleep(1)"),
        (Mysql, "SELECT load_file('/etc/passwd')"),
        (Mysql, "SELECT a FROM t INTO OUTFILE '/tmp/x'"),
        (Mysql, "SELECT a INTO @x FROM t"),
        (Mysql, "SHOW TABLES"),
        (Mysql, "SHOW CREATE TABLE t"),
        (Mysql, "HANDLER t OPEN"),
        (Mysql, "CALL p()"),
        (Mysql, "DESCRIBE t"),
        (Sqlite, "PRAGMA table_info(t)"),
        (Sqlite, "PRAGMA journal_mode = wal"),
        (Sqlite, "ATTACH 'x' AS y"),
        (Sqlite, "SELECT load_extension('x')"),
    ];
    let everywhere = EVERYWHERE
        .iter()
        .flat_map(|sql| [Some(Sqlite), Some(Postgres), Some(Mysql), None].map(|dialect| (dialect, (*sql).to_owned())));
    let one = ONE.iter().flat_map(|(dialect, sql)| [(Some(*dialect), (*sql).to_owned()), (None, (*sql).to_owned())]);
    everywhere.chain(one).collect()
}

/// The changes.
pub fn changes() -> Vec<Change> {
    let around = |before: &'static str, after: &'static str, promise| {
        Change::new(&format!("{before}…{after}"), promise, move |sql| Some(format!("{before}{sql}{after}")))
    };
    let mut changes = vec![
        around("  \n\t", "\n ", Same),
        around("/* it is */ ", "", Same),
        around("-- it is\n", "", Same),
        around("", "\n-- it is", Same),
        around("", "\n/* it is */", Same),
        Change::new("a semicolon behind", Same, |sql| ends(sql).then(|| format!("{sql}\n;"))),
        Change::new("two blanks", Same, |sql| plain(sql).then(|| sql.replace(' ', "  "))),
        // Many empty lines would be padding, which asks.
        Change::new("lines for blanks", Same, |sql| {
            (plain(sql) && !sql.contains("  ")).then(|| sql.replace(' ', "\n"))
        }),
        Change::new("comments for blanks", Same, |sql| plain(sql).then(|| sql.replace(' ', "/**/ "))),
        Change::new("small letters", Same, |sql| plain(sql).then(|| sql.to_ascii_lowercase())),
        Change::new("large letters", Same, |sql| plain(sql).then(|| sql.to_ascii_uppercase())),
        Change::new("letters by turns", Same, |sql| {
            let turned = |(place, letter): (usize, char)| {
                if place % 2 == 0 { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
            };
            plain(sql).then(|| sql.chars().enumerate().map(turned).collect())
        }),
    ];
    let wrappers = [
        ("(", "\n)"),
        ("((", "\n))"),
        ("WITH x AS (", "\n) SELECT * FROM x"),
        ("WITH RECURSIVE x AS (", "\n) SELECT 1"),
        ("WITH x AS MATERIALIZED (", "\n) TABLE x"),
        ("SELECT * FROM (", "\n) AS x"),
        ("SELECT * FROM LATERAL (", "\n) AS x"),
        ("SELECT (", "\n)"),
        ("SELECT EXISTS (", "\n)"),
        ("SELECT 1 WHERE 1 IN (", "\n)"),
        ("SELECT ARRAY(", "\n)"),
        ("SELECT 1 UNION ALL ", ""),
        ("EXPLAIN ANALYZE ", ""),
        ("SELECT 1 FROM t ORDER BY (", "\n) LIMIT 1"),
        ("VALUES ((", "\n))"),
    ];
    // A word alone is a name in brackets, whatever it means as a statement, and what `sqlite3` would take for a command
    // of its own is no SQL.
    let wrapped = |before: &'static str, after: &'static str| {
        Change::new(&format!("{before}…{after}"), NoBetter, move |sql| {
            (sql.trim().contains(char::is_whitespace) && !sql.starts_with('.') && ends(sql))
                .then(|| format!("{before}{sql}{after}"))
        })
    };
    changes.extend(wrappers.map(|(before, after)| wrapped(before, after)));
    let others = ["DROP TABLE t", "DELETE FROM t", "SELECT 1", "INSERT INTO t VALUES (1)"];
    changes.extend(others.map(|other| {
        Change::new(&format!("…; {other}"), Asks, move |sql| ends(sql).then(|| format!("{sql}\n; {other}")))
    }));
    changes.extend(others.map(|other| {
        let two = move |sql: &str| sql.contains(char::is_alphanumeric).then(|| format!("{other}; {sql}"));
        Change::new(&format!("{other}; …"), Asks, two)
    }));
    let executable = ["/*! INTO OUTFILE 'x' */", "/*!50000 FOR UPDATE */", "/*M! INTO @x */"];
    changes.extend(executable.map(|it| {
        // It would end a comment that is open.
        Change::new(&format!("… {it}"), NoBetter, move |sql| (!sql.contains("/*")).then(|| format!("{sql} {it}")))
    }));
    changes
}

/// Whether a semicolon behind it is its first.
fn ends(sql: &str) -> bool {
    !sql.trim_end().ends_with(';')
}

/// Whether nothing in it is quoted or a comment, and case means nothing.
fn plain(sql: &str) -> bool {
    !sql.contains(['\'', '"', '`', '$', '\\', '[', '#', '@']) && !sql.contains("--") && !sql.contains("/*")
}
