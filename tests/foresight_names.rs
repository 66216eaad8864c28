//! Names that look like something else (places in our own texts, quotes, ends of statements, keywords) are told, counted
//! and undone like any: each world of odd names is compared with one of plain names, statement by statement. SQLite
//! always; the servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Cells, Detail, Dialect, Outcome, Preview, Remedy, Trial};
use databases::{Desk, desks, undoable};
use serde_json::json;

/// The names of one world: schema, two tables, three columns, an index, a view.
type Names = [&'static str; 8];

const PLAIN: Names = ["pschema", "pparent", "pchild", "pkey", "pmail", "pnum", "pindex", "pview"];

/// PostgreSQL's names have 63 bytes at most, those that begin with `new ` for a new value among them.
const ODD: [Names; 14] = [
    ["{schema}", "{name}", "{part}", "{sort}", "{index}", "{place}", "{name}{schema}", "{view}"],
    ["a\"b", "t\"; DELETE FROM canary; --", "c\"\"d", "k\"k", "m\"", "n\"\"", "i\"", "\"\"v"],
    ["a'b", "t'; DELETE FROM canary; --", "c''d", "k'k", "m'", "n''", "i'", "''v"],
    ["a`b", "t`; DELETE FROM canary; --", "c``d", "k`k", "m`", "n``", "i`", "``v"],
    ["%s", "%d%%", "$1", "?", ":a1", "@b1", "#c1", "%s%s"],
    ["case", "group", "having", "using", "union", "default", "between", "returning"],
    ["a.b", "t.u", ".c", "k..k", "m.l", ".n.", "i.j.k", "v.w"],
    ["schéma", "täble ß", "子表", "ключ", "mäil", "n\u{301}", "İı", "ﬁview"],
    ["a b", " lead", "tab\tbed", "new\nline", "-- x", "/* y */", "# z", "v w"],
    ["MixedS", "CASED", "ChildC", "KeyK", "MAILM", "NumN", "IndexI", "ViewV"],
    ["a\\b", "t\\'x", "c\\", "k\\n", "m\\\\", "n\\\"", "i\\'", "v\\%"],
    ["$$a", "$tag$", "||", "a;b", "(k", "m)", ",n", "};{"],
    [
        "countersign_look",
        "countersign_table",
        "touched",
        "countersign_new",
        "countersign_own",
        "k0",
        "countersign_after",
        "countersign_there",
    ],
    [
        "llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll1",
        "llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll2",
        "llllllllllllllllllllllllllllllllllllllllllllllllllllll3",
        "lllllllllllllllllllllllllllllllllllllllllllllllllllllllll4",
        "lllllllllllllllllllllllllllllllllllllllllllllllllllllllll5",
        "lllllllllllllllllllllllllllllllllllllllllllllllllllllllll6",
        "llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll7",
        "llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll8",
    ],
];

/// One in so many worlds is made in each engine unless `COUNTERSIGN_NAMES` is `all`, which takes minutes.
const SHARE: usize = 3;

/// One world in one engine.
struct World<'d> {
    dialect: Dialect,
    desk: &'d Desk,
    names: Names,
}

impl World<'_> {
    fn quoted(&self, name: &str) -> String {
        let quote = if self.dialect == Dialect::Mysql { '`' } else { '"' };
        format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")))
    }

    /// A statement of this world: `S.` the schema, `T` and `C` the tables, `K`, `M` and `N` the columns, `I` the index,
    /// `V` the view, each with a `$` before it.
    fn of(&self, sql: &str) -> String {
        let mut filled = String::new();
        let mut parts = sql.split('$');
        filled.push_str(parts.next().unwrap());
        for part in parts {
            let at = "STCKMNIV".find(&part[..1]).unwrap();
            let (name, rest) = (self.quoted(self.names[at]), &part[1..]);
            let within = ["T", "C", "V"].contains(&&part[..1]) && self.dialect != Dialect::Sqlite;
            let schema = if within { format!("{}.", self.quoted(self.names[0])) } else { String::new() };
            filled.push_str(&format!("{schema}{name}{rest}"));
        }
        filled
    }

    async fn make(&self) {
        let schema = match self.dialect {
            Dialect::Sqlite => &[][..],
            Dialect::Postgres => &["DROP SCHEMA IF EXISTS $S CASCADE", "CREATE SCHEMA $S"][..],
            Dialect::Mysql => &["DROP DATABASE IF EXISTS $S", "CREATE DATABASE $S"][..],
        };
        let index = "CREATE INDEX $I ON $T ($N)";
        let tables = [
            "DROP VIEW IF EXISTS $V",
            "DROP TABLE IF EXISTS $C",
            "DROP TABLE IF EXISTS $T",
            "CREATE TABLE $T ($K int NOT NULL PRIMARY KEY, $M varchar(30) UNIQUE, $N int NOT NULL)",
            "CREATE TABLE $C ($K int NOT NULL PRIMARY KEY, $N int, FOREIGN KEY ($N) REFERENCES $T ($K) ON DELETE CASCADE)",
            "INSERT INTO $T VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 20)",
            "INSERT INTO $C VALUES (1, 1), (2, 1), (3, 2)",
            index,
            "CREATE VIEW $V AS SELECT $K, $N FROM $T",
        ];
        for sql in schema.iter().chain(&tables) {
            self.desk.approved(&self.of(sql)).await;
        }
    }

    /// All that is in it.
    async fn all(&self) -> Vec<Cells> {
        let sql =
            "SELECT 1 AS w, $K AS k, $M AS m, $N AS n FROM $T UNION ALL SELECT 2, $K, '', $N FROM $C ORDER BY 1, 2";
        self.desk.read(&self.of(sql)).await.0.rows
    }

    /// A text in which its names are the plain ones.
    fn plain(&self, text: &str) -> String {
        let mut pairs: Vec<(String, &str)> = Vec::new();
        for (name, plain) in self.names.iter().zip(PLAIN) {
            pairs.push((self.quoted(name), plain));
            pairs.push(((*name).to_owned(), plain));
            pairs.push((name.to_lowercase(), plain));
        }
        pairs.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let (mut told, mut rest) = (String::new(), text);
        while let Some(first) = rest.chars().next() {
            if let Some((name, plain)) = pairs.iter().find(|(name, _)| rest.starts_with(name.as_str())) {
                told.push_str(plain);
                rest = &rest[name.len()..];
            } else {
                told.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        told
    }

    /// What is told of a statement, under plain names.
    async fn told(&self, sql: &str) -> Vec<String> {
        let Preview { brief, effects, warnings, remedy, trial, details, .. } = self.desk.told(&self.of(sql)).await;
        let mut told = vec![brief];
        told.extend(effects);
        told.extend(warnings);
        told.push(match remedy {
            Remedy::Possible(how) => format!("possible: {how}"),
            Remedy::Impossible(why) => format!("impossible: {why}"),
            Remedy::ByHand(how) => format!("by hand: {how}"),
            Remedy::Unsure(why) => format!("unsure: {why}"),
            Remedy::Unknown => "unknown".to_owned(),
        });
        told.push(if let Trial::Refused(why) = trial { why } else { format!("{trial:?}") });
        for detail in details {
            match detail {
                Detail::Rows { title, table } => {
                    told.push(title);
                    told.extend(table.columns);
                    told.extend(table.rows.iter().map(|row| format!("{row:?}")));
                }
                Detail::Text(text) => told.push(text.body),
                Detail::Diff { .. } => told.push(format!("{detail:?}")),
            }
        }
        // Sizes aren't the names'.
        told.retain(|line| !line.contains("with its indexes"));
        told.iter().map(|line| ordered(&self.plain(line))).collect()
    }

    async fn ran(&self, arguments: &str) -> Result<Option<String>, String> {
        let (events, report) = self.desk.call(arguments).await;
        match report.outcome {
            Outcome::Succeeded { .. } => Ok(undoable(&events)),
            _ => Err(self.plain(&report.result)),
        }
    }

    /// What each step of running, taking back and doing again leaves.
    async fn steps(&self, sql: &str) -> (Vec<Vec<Cells>>, bool) {
        let mut left = vec![self.all().await];
        let mut call = Ok(Some(json!({ "sql": self.of(sql) }).to_string()));
        for _ in 0..3 {
            let Ok(Some(arguments)) = call else { break };
            call = self.ran(&arguments).await;
            left.push(self.all().await);
        }
        if left.len() == 4 {
            assert_eq!(left[0], left[2], "{}: not taken back", self.of(sql));
            assert_eq!(left[1], left[3], "{}: not done again", self.of(sql));
        }
        let undone = left.len() == 4;
        (left, undone)
    }
}

/// A sentence whose list of tables goes by their plain names.
fn ordered(line: &str) -> String {
    let Some((lead, list)) = line.trim_end_matches('.').split_once(" tables: ") else { return line.to_owned() };
    let mut list: Vec<&str> = list.split(", ").collect();
    list.sort_unstable();
    format!("{lead} tables: {}.", list.join(", "))
}

/// Statements that change rows: run, taken back and done again.
fn changing(dialect: Dialect) -> Vec<&'static str> {
    let mut all = vec![
        "UPDATE $T SET $N = $N + 1 WHERE $K > 1",
        "UPDATE $T SET $M = 'x' WHERE $K = 1",
        "UPDATE $T SET $M = 'x'",
        "UPDATE $T SET $K = $K + 10",
        "UPDATE $T SET $N = NULL WHERE $M = 'b'",
        "DELETE FROM $T WHERE $K = 1",
        "DELETE FROM $T",
        "DELETE FROM $C WHERE $N IN (SELECT $K FROM $T WHERE $N > 15)",
        "INSERT INTO $T ($K, $M, $N) VALUES (1, 'z', 1)",
        "INSERT INTO $T ($N, $K) VALUES (1, 8), (2, 9)",
        "INSERT INTO $T SELECT $K + 20, NULL, $N FROM $T",
        "INSERT INTO $C VALUES (9, 77)",
    ];
    match dialect {
        Dialect::Mysql => all.extend([
            "INSERT INTO $T VALUES (2, 'q', 1), (7, 'r', 2) ON DUPLICATE KEY UPDATE $N = VALUES($N), $M = 'new'",
            "INSERT IGNORE INTO $T VALUES (2, 'q', 1), (7, 'r', 2)",
            "REPLACE INTO $T VALUES (3, 'b', 1), (7, 'r', 2)",
            "UPDATE $T JOIN $C ON $T.$K = $C.$N SET $T.$N = 5 WHERE $C.$K < 3",
            "DELETE $C FROM $C JOIN $T ON $T.$K = $C.$N WHERE $T.$M = 'a'",
        ]),
        Dialect::Sqlite => all.extend([
            "INSERT INTO $T VALUES (2, 'q', 1), (7, 'r', 2) ON CONFLICT ($K) DO UPDATE SET $N = excluded.$N",
            "INSERT OR IGNORE INTO $T VALUES (2, 'q', 1), (7, 'r', 2)",
            "REPLACE INTO $T VALUES (3, 'b', 1), (7, 'r', 2)",
            "INSERT OR REPLACE INTO $T ($N, $K) SELECT $N, $K + 1 FROM $T",
        ]),
        Dialect::Postgres => all.extend([
            "INSERT INTO $T VALUES (2, 'q', 1), (7, 'r', 2) ON CONFLICT ($K) DO UPDATE SET $N = excluded.$N WHERE excluded.$N < 5",
            "INSERT INTO $T AS x VALUES (2, 'q', 1) ON CONFLICT ($M) DO UPDATE SET $N = x.$N + 1",
            "INSERT INTO $T VALUES (2, 'q', 1), (7, 'r', 2) ON CONFLICT DO NOTHING",
            "UPDATE $T AS x SET $N = y.$K FROM $C AS y WHERE x.$K = y.$N AND y.$K > 1",
            "DELETE FROM $C AS y USING $T AS x WHERE x.$K = y.$N AND x.$M = 'a'",
            "MERGE INTO $T AS x USING $C AS y ON x.$K = y.$K WHEN MATCHED THEN UPDATE SET $N = y.$N WHEN NOT MATCHED THEN DO NOTHING",
        ]),
    }
    all
}

/// Statements that are told alone.
fn told(dialect: Dialect) -> Vec<&'static str> {
    let mut all = vec![
        "DROP TABLE $T",
        "DROP TABLE $C",
        "DROP TABLE IF EXISTS $T",
        "DROP VIEW $V",
        "ALTER TABLE $T DROP COLUMN $N",
        "ALTER TABLE $T RENAME COLUMN $N TO $I",
        "CREATE UNIQUE INDEX pnew ON $T ($N)",
        "CREATE TABLE $T ($K int)",
        "CREATE VIEW $V AS SELECT 1",
        "UPDATE $V SET $N = 1",
    ];
    match dialect {
        Dialect::Sqlite => all.push("DROP INDEX $I"),
        Dialect::Postgres => all.extend([
            "TRUNCATE $T CASCADE",
            "TRUNCATE $T, $C",
            "DROP TABLE $T CASCADE",
            "DROP SCHEMA $S CASCADE",
            "DROP SCHEMA $S",
            "ALTER TABLE $T ALTER COLUMN $M SET NOT NULL",
            "ALTER TABLE $T ADD CONSTRAINT pnew UNIQUE ($N)",
            "ALTER TABLE $T ADD CHECK ($N < 15)",
        ]),
        Dialect::Mysql => all.extend([
            "TRUNCATE $T",
            "DROP INDEX $I ON $T",
            "DROP DATABASE $S",
            "ALTER TABLE $T ADD UNIQUE pnew ($N)",
        ]),
    }
    all
}

#[tokio::test]
async fn odd_names_are_names() {
    for (turn, (dialect, desk)) in desks().await.into_iter().enumerate() {
        for sql in ["DROP TABLE IF EXISTS canary", "CREATE TABLE canary (id int)", "INSERT INTO canary VALUES (1)"] {
            desk.approved(sql).await;
        }
        let plain = World { dialect, desk: &desk, names: PLAIN };
        plain.make().await;
        let (mut wanted, mut left) = (Vec::new(), Vec::new());
        for sql in told(dialect).into_iter().chain(changing(dialect)) {
            wanted.push(plain.told(sql).await);
        }
        for sql in changing(dialect) {
            left.push(plain.steps(sql).await.0);
            plain.make().await;
        }
        let (mut same, mut undone) = (0, 0);
        // MariaDB derives the name of a foreign key from that of its table: the longest have no room for it.
        let worlds = if dialect == Dialect::Mysql { ODD.len() - 1 } else { ODD.len() };
        let share = if std::env::var("COUNTERSIGN_NAMES").is_ok_and(|which| which == "all") { 1 } else { SHARE };
        // Each engine has its turn at other names.
        let first = turn % share;
        for names in ODD.into_iter().take(worlds).skip(first).step_by(share) {
            let odd = World { dialect, desk: &desk, names };
            odd.make().await;
            let before = odd.all().await;
            for (sql, wanted) in told(dialect).into_iter().chain(changing(dialect)).zip(&wanted) {
                assert_eq!(odd.told(sql).await, *wanted, "{dialect:?}: {}", odd.of(sql));
                same += 1;
            }
            assert_eq!(odd.all().await, before, "{dialect:?}: {names:?}");
            for (sql, wanted) in changing(dialect).into_iter().zip(&left) {
                let (steps, back) = odd.steps(sql).await;
                assert_eq!(steps, *wanted, "{dialect:?}: {}", odd.of(sql));
                undone += usize::from(back);
                if steps.last() != Some(&before) {
                    odd.make().await;
                }
            }
            assert_eq!(desk.row("SELECT count(*) FROM canary").await, ["1"], "{dialect:?}: {names:?}");
            let goes = match dialect {
                Dialect::Sqlite => continue,
                Dialect::Postgres => "DROP SCHEMA $S CASCADE",
                Dialect::Mysql => "DROP DATABASE $S",
            };
            desk.approved(&odd.of(goes)).await;
        }
        println!("{}: {same} statements told alike, {undone} taken back and done again", dialect.word());
    }
}
