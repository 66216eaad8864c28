//! Promises of the SQL assessor that hold for any text: it ends, soon and on a small stack, and what is added to
//! a query never makes it look harmless.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::assess::TEXT_CAP;

const DIALECTS: [Option<Dialect>; 4] = [Some(Dialect::Sqlite), Some(Dialect::Postgres), Some(Dialect::Mysql), None];

fn assessed(sql: &str, dialect: Option<Dialect>) -> Assessment {
    judge(&SqlOperation { connection: "main".to_owned(), dialect, sql: sql.to_owned(), way: SqlWay::Plain })
}

fn reads(sql: &str, dialect: Option<Dialect>) -> bool {
    assessed(sql, dialect).class() == Class::Whitelisted
}

/// Pieces that nest, chain or confuse, each repeated up to the cap.
const PIECES: [(&str, &str); 109] = [
    ("", "("),
    ("SELECT ", "("),
    ("SELECT * FROM ", "("),
    ("SELECT ", "1+"),
    ("SELECT ", "- "),
    ("SELECT ", "NOT "),
    ("SELECT ", "~"),
    ("SELECT ", "CASE WHEN "),
    ("SELECT ", "CASE "),
    ("SELECT 1 WHERE a", " AND a"),
    ("SELECT 1 WHERE a", " OR a = 1"),
    ("SELECT 1 WHERE a", " IN (1) IN (1)"),
    ("SELECT a", ".a"),
    ("SELECT a", ".a."),
    ("SELECT ", "f("),
    ("SELECT ", "a(b)"),
    ("SELECT ", ")a(b)"),
    ("SELECT ", "(a)b(c)"),
    ("SELECT ", "a.a.a.a.a.a.a.a("),
    ("SELECT CAST(x AS ", "Nullable("),
    ("SELECT CAST(x AS ", "ARRAY<"),
    ("SELECT CAST(x AS ", "STRUCT<a "),
    ("SELECT CAST(x AS ", "Map(a, "),
    ("SELECT x", "::int"),
    ("SELECT x", "::int[]"),
    ("SELECT x", "[1]"),
    ("SELECT ", "ARRAY["),
    ("SELECT ", "["),
    ("SELECT ", "{"),
    ("SELECT '", "''"),
    ("SELECT ", "'a' "),
    ("SELECT ", "E'a'\n"),
    ("SELECT ", "$a$ $a$"),
    ("SELECT 1 ", "/*"),
    ("SELECT 1 ", "/* */"),
    ("SELECT 1 ", "/*!"),
    ("SELECT 1 ", "--\n"),
    ("SELECT 1", " UNION SELECT 1"),
    ("", "WITH a AS ("),
    ("", "SELECT 1;"),
    ("", ";"),
    ("", "EXPLAIN "),
    ("", "EXPLAIN ("),
    ("SELECT * FROM a", " JOIN a ON 1"),
    ("SELECT * FROM a", ", a"),
    ("SELECT * FROM ", "a JOIN ("),
    ("SELECT * FROM a MATCH_RECOGNIZE(PATTERN (", "(A)"),
    ("SELECT * FROM JSON_TABLE(a, '$' COLUMNS (", "NESTED PATH '$' COLUMNS ("),
    ("SELECT 1 ", "insert a "),
    ("SELECT (", "(insert a) "),
    ("DELETE FROM t WHERE ", "("),
    ("DELETE FROM t WHERE a", " OR 1 = 2"),
    ("DELETE FROM t WHERE ", "NOT "),
    ("SELECT INTERVAL ", "INTERVAL "),
    ("SELECT EXISTS ", "EXISTS "),
    ("SELECT a ", "BETWEEN a AND "),
    ("SELECT a", "->a"),
    ("SELECT a", " COLLATE a"),
    ("SELECT a", " IS NULL"),
    ("SELECT ", "@a := "),
    ("SELECT ", "SELECT "),
    ("SELECT a FROM t LIMIT ", "(SELECT a FROM t LIMIT "),
    ("SELECT * FROM a WHERE a IN ", "(("),
    ("VALUES ", "("),
    ("SELECT 1 GROUP BY ", "("),
    ("SELECT 1 ORDER BY ", "("),
    ("SELECT ", "CAST("),
    ("SELECT ", "(SELECT "),
    ("", "(SELECT "),
    ("SELECT * FROM ", "LATERAL ("),
    ("SELECT * FROM ", "(a JOIN "),
    ("SELECT ", "EXTRACT(DAY FROM "),
    ("SELECT ", "SUBSTRING("),
    ("SELECT ", "TRIM(BOTH "),
    ("SELECT ", "(a, "),
    ("SELECT ", "f(a => "),
    ("SELECT ", "f(x -> "),
    ("SELECT ", "CASE a WHEN (1) THEN ("),
    ("SELECT 1 ", "+*"),
    ("SELECT 1 ", "<> "),
    ("SELECT 1 ", "@#"),
    ("SELECT 1 ", "OPERATOR(pg_catalog.+) 1"),
    ("SELECT OPERATOR(", "a."),
    ("SELECT ", "$a::"),
    ("SELECT ", "$a::b, "),
    ("SELECT ", "B'0'"),
    ("SELECT ", "B'0"),
    ("SELECT ", "\\N, "),
    ("SELECT * FROM t ", "t(a) "),
    ("SELECT * FROM t AS ", "t(a), t AS "),
    ("WITH ", "a(b) AS (SELECT 1), "),
    ("EXPLAIN EXECUTE p(", "1, "),
    ("EXPLAIN EXECUTE p(", "("),
    ("SHOW ", "a "),
    ("SELECT ", "error("),
    ("SELECT 1 ", "drop table "),
    ("SELECT a ", "filter (over "),
    ("SELECT ", "\u{ff23}"),
    ("SELECT ", "`\u{ff23}a` "),
    ("SELECT ", "'\u{a0}' "),
    ("SELECT 1", " /*+ set */"),
    ("SELECT ", "(a).b."),
    ("SELECT ", "\""),
    ("SELECT ", "`"),
    ("SELECT [", "["),
    ("", "\n"),
    ("", "'"),
    ("", "/"),
    ("", "-"),
];

#[test]
fn hostile_text_ends_soon_on_a_small_stack() {
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let run = || {
        for (prefix, piece) in PIECES {
            for count in [20, TEXT_CAP / 16 / piece.len(), TEXT_CAP / piece.len()] {
                let text = format!("{prefix}{}", piece.repeat(count));
                for closed in [text.clone(), format!("{text}{}", closing(&text))] {
                    let start = Instant::now();
                    let _ = assessed(&closed, None);
                    let took = start.elapsed();
                    assert!(took < Duration::from_secs(10), "{prefix}{piece}… × {count}: {took:?}");
                }
            }
        }
    };
    small.spawn(run).unwrap().join().unwrap();
}

/// Queries that run unasked in at least one dialect.
const QUERIES: [&str; 8] = [
    "SELECT a, b AS total FROM t AS u (x) WHERE c = 'x' AND d IN (1, 2) GROUP BY a HAVING count(*) > 1 ORDER BY a DESC LIMIT 5",
    "WITH r (a, b) AS (SELECT 1, 2), s AS (SELECT * FROM r) SELECT * FROM r JOIN s USING (a) LEFT JOIN q ON q.a = r.b",
    "SELECT CASE WHEN a > 1 THEN lower(b) ELSE upper(c) END, CAST(d AS varchar(10)) FROM (SELECT * FROM t) v",
    "SELECT rank() OVER (PARTITION BY a ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t WINDOW w AS (ORDER BY c)",
    "SELECT DISTINCT a FROM t UNION ALL (SELECT b FROM u WHERE EXISTS (SELECT 1 FROM v WHERE v.a = u.a)) ORDER BY 1",
    "VALUES (1, 'a'), (2, 'b')",
    "SELECT DISTINCT ON (a) a, (b).c FROM t, LATERAL (SELECT a::numeric(3) FROM u) w(n) WHERE ARRAY[1] @> x",
    "SELECT IF(a, 1, 2), `b` FROM t USE INDEX (i) WHERE MATCH (a) AGAINST ('x' IN BOOLEAN MODE)",
];

/// Calls that never run unasked, wherever they stand.
const ACTS: [(Dialect, &str); 7] = [
    (Dialect::Postgres, "pg_sleep(1)"),
    (Dialect::Postgres, "\"pg_read_file\" ('x')"),
    (Dialect::Postgres, "pg_catalog . nextval/**/('s')"),
    (Dialect::Postgres, "own.lower('s')"),
    (Dialect::Mysql, "sleep (1)"),
    (Dialect::Mysql, "`load_file` ('x')"),
    (Dialect::Sqlite, "load_extension('x')"),
];

/// What closes every open bracket of a text.
fn closing(text: &str) -> String {
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            '<' => open.push('>'),
            ')' | ']' | '}' | '>' => drop(open.pop()),
            _ => {}
        }
    }
    open.into_iter().rev().collect()
}

/// Text that looks like SQL: words, quotes, comments and marks in any order.
fn sqlish() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "SELECT",
        "a",
        "b",
        "1",
        "*",
        "FROM",
        "t",
        "WHERE",
        "(",
        ")",
        ",",
        ".",
        "'x'",
        "\"x\"",
        "`x`",
        "[x]",
        "'",
        "\"",
        "\\",
        "$$",
        "$a$",
        "--",
        "/*",
        "*/",
        "/*!",
        "#",
        "\n",
        " ",
        "=",
        "<",
        ">",
        "::",
        ":",
        "@",
        "WITH",
        "AS",
        "lower",
        "count",
        "pg_sleep",
        "sleep",
        "load_extension",
        "DELETE",
        "UPDATE",
        "SET",
        "INSERT",
        "INTO",
        "VALUES",
        "TABLE",
        "SHOW",
        "EXPLAIN",
        "ANALYZE",
        "PRAGMA",
        "table_info",
        "FOR",
        "LOCK",
        "IN",
        "CASE",
        "WHEN",
        "END",
        "E'",
        "U&'",
        "x'",
        "DISTINCT",
        "ON",
        "UNION",
        "LIMIT",
        ";",
        "é",
        "\u{a0}",
        "[",
        "]",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.join(" ").replace(" .", "."))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_judged_without_panic(text in "\\PC{0,300}", sql in sqlish()) {
        for dialect in DIALECTS {
            let _ = assessed(&text, dialect);
            let _ = assessed(&sql, dialect);
        }
    }

    #[test]
    fn a_deletion_behind_a_query_is_never_allowed(sql in sqlish()) {
        for dialect in DIALECTS {
            if reads(&sql, dialect) {
                let line = format!("{sql}\n; DELETE FROM t");
                prop_assert!(!reads(&line, dialect), "{line}");
                let nested = format!("WITH x AS (DELETE FROM t RETURNING 1) {sql}");
                prop_assert!(!reads(&nested, dialect), "{nested}");
            }
        }
    }

    #[test]
    fn no_place_in_a_query_hides_a_call_that_acts(query in prop::sample::select(QUERIES.to_vec()), place in 0_usize..60) {
        for (dialect, call) in ACTS {
            let usual = lex::quotings(dialect, query)[0];
            let Ok(lexed) = lex::lex(query, dialect, usual) else { continue };
            let Some(token) = lexed.tokens.get(place) else { continue };
            let (before, behind) = query.split_at(token.span.end);
            let line = format!("{before} {call} {behind}");
            prop_assert!(!reads(&line, Some(dialect)), "{line}");
        }
    }

    #[test]
    fn blanks_and_comments_around_change_nothing(sql in sqlish()) {
        for dialect in DIALECTS {
            let plain = assessed(&sql, dialect);
            if reads(&sql, dialect) {
                let wrapped = assessed(&format!("  -- a ' quote\n/* b \" */ {sql}\n"), dialect);
                prop_assert_eq!(plain.class(), wrapped.class());
                prop_assert_eq!(&plain.shapes, &wrapped.shapes);
            }
        }
    }

    #[test]
    fn what_one_dialect_refuses_no_dialect_allows(sql in sqlish()) {
        let all = DIALECTS.iter().take(3).all(|dialect| reads(&sql, *dialect));
        prop_assert_eq!(reads(&sql, None), all);
    }

    #[test]
    fn the_masked_text_keeps_every_place(sql in sqlish()) {
        for dialect in DIALECTS.into_iter().flatten() {
            for quoting in lex::quotings(dialect, &sql) {
                if let Ok(lexed) = lex::lex(&sql, dialect, quoting) {
                    prop_assert_eq!(lexed.masked.len(), sql.len());
                    for token in &lexed.tokens {
                        prop_assert!(lexed.masked.get(token.span.clone()).is_some());
                    }
                }
            }
        }
    }
}
