//! Statements: by the grammar of the three engines; real ones, changed; nesting; noise.

use super::random::{Random, mutated, noise};

/// What mutations put in.
const MARKS: &[&str] = &[
    " ",
    "\n",
    ";",
    ",",
    "(",
    ")",
    "'",
    "\"",
    "`",
    "[",
    "]",
    "$$",
    "$a$",
    "--",
    "/*",
    "*/",
    "/*!",
    "/*+",
    "#",
    "\\",
    ".",
    "*",
    "=",
    "::",
    ":=",
    "@x",
    "@@x",
    "?",
    "$1",
    "\0",
    "\u{a0}",
    "e'",
    "x'",
    "U&'",
    "N'",
    " UNION ",
    " FROM ",
    " WHERE ",
    " AS ",
    " IN (",
    "SELECT ",
    "WITH x AS (",
    " INTO x",
    " FOR UPDATE",
    " RETURNING *",
    "DELETE FROM t",
    "UPDATE t SET a = 1",
    "INSERT INTO t VALUES (1)",
    "DROP TABLE t",
    "PRAGMA user_version = 1",
    "ATTACH 'x' AS y",
    "pg_sleep(1)",
    "load_extension('x')",
    "sleep(1)",
    "writefile('x', 'y')",
    "EXPLAIN ",
    "ANALYZE ",
    "lower(",
    "count(*)",
    " OVER (",
    " LIMIT 1",
    " COLLATE nocase",
    "CASE WHEN ",
    " END",
    "CAST(",
    "REPLACE ",
];

const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("SELECT (", ")"),
    ("SELECT * FROM (", ") x"),
    ("WITH a AS (", ") SELECT 1"),
    ("NOT ", ""),
    ("- ", ""),
    ("CASE WHEN ", " THEN 1 END"),
    ("f(", ")"),
    ("1 + ", ""),
    ("a AND ", ""),
    ("/*", "*/"),
    ("'", "'"),
    ("\"", "\""),
    ("$a$", "$a$"),
    ("a.", ""),
    ("[", "]"),
    ("EXPLAIN ", ""),
    ("SELECT 1 UNION ", ""),
    ("EXISTS (SELECT ", ")"),
    ("CAST(", " AS int)"),
    ("x::", ""),
    ("VALUES (", ")"),
    (";", ""),
];

/// One statement.
pub fn statement(random: &mut Random, real: &[String]) -> String {
    match random.below(20) {
        0..=7 => generated(random),
        8..=15 => {
            let text = random.of(real).to_owned();
            mutated(random, &text, real, MARKS)
        }
        16 => [random.of(real), random.of(real)].join(random.pick(&["; ", " UNION ", " ", "\n"])),
        17 => {
            let (open, close) = NESTS[random.below(NESTS.len())];
            let cap =
                if random.one_in(50) { 64 * 1024 } else { [20, 20, 200, 200, 200, 2_000, 2_000][random.below(7)] };
            let times = 1 + random.below(cap) / (open.len() + close.len());
            format!("SELECT {}1{}", open.repeat(times), close.repeat(if random.one_in(3) { 0 } else { times }))
        }
        18 => (0..random.below(20)).map(|_| random.pick(MARKS)).collect::<Vec<_>>().join(random.pick(&["", " "])),
        _ => noise(random),
    }
}

fn generated(random: &mut Random) -> String {
    match random.below(12) {
        0 => format!("DELETE FROM t WHERE {}", expression(random, 0)),
        1 => format!("UPDATE t SET a = {}", expression(random, 0)),
        2 => format!("INSERT INTO t (a) {}", select(random, 1)),
        3 => format!("EXPLAIN {}", select(random, 0)),
        4 => {
            let name = random.pick(&[
                "table_info",
                "user_version",
                "journal_mode",
                "index_list",
                "foreign_keys",
                "cache_size",
                "wal_checkpoint",
            ]);
            let value = random.pick(&["", "(t)", " = 1", "(1)", " = wal", "('t')"]);
            format!("PRAGMA {name}{value}")
        }
        5 => format!("WITH w (a) AS ({}) {}", select(random, 1), select(random, 0)),
        6 => format!("WITH RECURSIVE w (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM w LIMIT 9) {}", select(random, 0)),
        7 => random
            .pick(&[
                "SHOW TABLES",
                "DESCRIBE t",
                "TABLE t",
                "BEGIN",
                "VACUUM",
                "REINDEX t",
                "ANALYZE",
                "ATTACH 'x' AS y",
            ])
            .to_owned(),
        8 => format!(
            "CREATE {} AS {}",
            random.pick(&["TABLE v", "TEMP VIEW v", "TABLE IF NOT EXISTS t"]),
            select(random, 1)
        ),
        _ => select(random, 0),
    }
}

fn select(random: &mut Random, depth: usize) -> String {
    let mut text = format!("SELECT {}{}", random.pick(&["", "", "DISTINCT "]), column(random, depth));
    while random.one_in(3) {
        text += &format!(", {}", column(random, depth));
    }
    if !random.one_in(5) {
        text += &format!(" FROM {}", source(random, depth));
        while random.one_in(4) {
            let on = expression(random, depth);
            text +=
                &format!(" {} {} ON {on}", random.pick(&["JOIN", "LEFT JOIN", "CROSS JOIN"]), source(random, depth));
        }
    }
    if random.one_in(2) {
        text += &format!(" WHERE {}", expression(random, depth));
    }
    if random.one_in(4) {
        text += &format!(" GROUP BY {} HAVING {}", expression(random, depth), expression(random, depth));
    }
    if depth < 2 && random.one_in(6) {
        text +=
            &format!(" {} {}", random.pick(&["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]), select(random, depth + 1));
    }
    if random.one_in(3) {
        text += &format!(" ORDER BY {} LIMIT {}", expression(random, depth), random.below(9));
    }
    if random.one_in(12) {
        text += random.pick(&[
            " FOR UPDATE",
            " FOR SHARE",
            " INTO v",
            " INTO OUTFILE 'x'",
            " LOCK IN SHARE MODE",
            " RETURNING a",
        ]);
    }
    text
}

fn column(random: &mut Random, depth: usize) -> String {
    match random.below(4) {
        0 => "*".to_owned(),
        1 => format!("{} AS {}", expression(random, depth), random.pick(&["x", "\"y z\"", "'q'", "`b`"])),
        _ => expression(random, depth),
    }
}

fn source(random: &mut Random, depth: usize) -> String {
    match random.below(8) {
        0 if depth < 2 => format!("({}) AS s", select(random, depth + 1)),
        1 => random
            .pick(&[
                "json_each('[1]')",
                "pragma_table_info('t')",
                "generate_series(1, 3)",
                "pg_ls_dir('.')",
                "sqlite_master",
            ])
            .to_owned(),
        2 => format!("t AS {}", random.pick(&["a", "b", "\"c d\""])),
        _ => random.pick(&["t", "u", "t", "u", "main.t", "\"t\"", "`t`", "[t]", "temp.x"]).to_owned(),
    }
}

fn expression(random: &mut Random, depth: usize) -> String {
    const CALLS: &[&str] = &[
        "lower",
        "count",
        "max",
        "abs",
        "coalesce",
        "random",
        "pg_sleep",
        "sleep",
        "load_extension",
        "nextval",
        "length",
        "json_extract",
        "substr",
        "replace",
        "date",
        "printf",
        "sum",
        "group_concat",
        "unheard_of",
        "\"lower\"",
        "changes",
        "last_insert_rowid",
        "readfile",
        "zeroblob",
        "fts3_tokenizer",
        "writefile",
        "pg_read_file",
        "load_file",
        "hex",
        "iif",
        "glob",
        "like",
        "typeof",
        "likely",
    ];
    const PLAIN: &[&str] =
        &["lower", "count", "max", "abs", "coalesce", "length", "substr", "date", "sum", "hex", "typeof"];
    if depth > 2 {
        return random.pick(&["a", "b", "1", "'x'", "NULL"]).to_owned();
    }
    let mut inner = || expression(random, depth + 1);
    let (one, two) = (inner(), inner());
    match random.below(14) {
        0 => format!("{one} + {two}"),
        1 => format!("{one} = {two}"),
        2 => format!("({one} AND {two})"),
        3 => format!("{one} IN ({two}, 1)"),
        4 if depth < 2 => format!("({})", select(random, depth + 1)),
        5 if depth < 2 => format!("EXISTS ({})", select(random, depth + 1)),
        6 => format!("CASE WHEN {one} THEN {two} ELSE 0 END"),
        7 => format!("CAST({one} AS {})", random.pick(&["int", "text", "numeric(3, 1)"])),
        8 => format!("{}({one})", random.pick(PLAIN)),
        9 if random.one_in(4) => {
            format!("{}({one}{})", random.pick(CALLS), random.pick(&["", ", 1", ", 'x'", ", '$.a'"]))
        }
        10 => format!("{one} {} {two}", random.pick(&["LIKE", "IS NOT", "||", "->>", "GLOB", "<>", "BETWEEN 1 AND"])),
        11 => format!("{one} COLLATE nocase"),
        _ => random
            .pick(&[
                "a",
                "b",
                "t.a",
                "1",
                "1.5e3",
                "'it''s'",
                "NULL",
                "x'00'",
                "\"a\"",
                "?",
                ":p",
                "rowid",
                "CURRENT_TIME",
            ])
            .to_owned(),
    }
}
