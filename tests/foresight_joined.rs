//! What a change of rows of joined tables does is told beforehand, table by table, and is what happens: MySQL's own
//! `UPDATE a, b SET …`, `DELETE a FROM a JOIN b …` and their kin. In the server that `COUNTERSIGN_MARIADB` names.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/dice.rs"]
mod dice;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Detail, Preview, Remedy};
use databases::{Desk, mariadb, within};
use dice::Dice;

/// Generated statements.
const STATEMENTS: usize = 120;

async fn desk() -> Option<Desk> {
    let url = mariadb().await?;
    Desk::new(&url).approved("CREATE DATABASE IF NOT EXISTS countersign_joined").await;
    Some(Desk::keeping(&within(&url, "countersign_joined")))
}

/// The tables of the generated statements, with how many rows of each changed or went since they were filled.
const TABLES: [(&str, u64); 3] = [("mix_a", 12), ("mix_b", 15), ("mix_c", 9)];

async fn make(desk: &Desk) {
    for sql in [
        "DROP TABLE IF EXISTS mix_a, mix_b, mix_c",
        "CREATE TABLE mix_a (id int NOT NULL PRIMARY KEY, n int, mark int NOT NULL DEFAULT 0) ENGINE=InnoDB",
        "CREATE TABLE mix_b (id int NOT NULL, a int, mark int NOT NULL DEFAULT 0, UNIQUE (id)) ENGINE=InnoDB",
        "CREATE TABLE mix_c (x varchar(9) NOT NULL, `y z` int NOT NULL, mark int NOT NULL DEFAULT 0, PRIMARY KEY (x, `y z`)) ENGINE=InnoDB",
    ] {
        desk.approved(sql).await;
    }
}

async fn fill(desk: &Desk) {
    // Several for one of the first table, some for none, and NULLs.
    desk.approved(
        "BEGIN; DELETE FROM mix_a; DELETE FROM mix_b; DELETE FROM mix_c;
        INSERT INTO mix_a (id, n) SELECT seq, seq % 5 FROM seq_1_to_12;
        INSERT INTO mix_b (id, a) SELECT seq, IF(seq % 6 = 0, NULL, seq * 7 % 18) FROM seq_1_to_15;
        INSERT INTO mix_c (x, `y z`) SELECT CONCAT('k', seq % 3), seq FROM seq_1_to_9; COMMIT",
    )
    .await;
}

fn statement(dice: &mut Dice) -> String {
    let number = dice.roll(15);
    let more = match dice.roll(4) {
        0 => String::new(),
        1 => format!(" AND q.id {} {number}", dice.pick(&["<", ">", "<>"])),
        2 => format!(" AND p.n IN ({number}, {}, NULL, 3)", dice.roll(5)),
        _ => format!(" AND NOT (p.id > {number} OR q.a IS NULL)"),
    };
    let on = dice.pick(&["q.a = p.id", "q.id > p.id", "q.a = p.n", "q.a <=> p.n"]);
    let set = dice.pick(&["p.mark = p.mark + 1", "q.mark = q.mark + 1, p.mark = 1 + p.mark", "q.mark = 7"]);
    let gone = dice.pick(&["p", "q", "p, q", "q.*"]);
    match dice.roll(12) {
        0 => format!("UPDATE mix_a p, mix_b AS q SET {set} WHERE {on}{more}"),
        1 => format!("UPDATE mix_a AS p JOIN mix_b q ON {on}{more} SET {set}"),
        2 => format!("UPDATE LOW_PRIORITY mix_a p LEFT JOIN mix_b q ON {on} SET {set} WHERE p.id > {number}{more}"),
        3 => {
            format!("UPDATE mix_c, mix_a p RIGHT JOIN mix_b q ON {on} SET {set}, mix_c.mark = 3 WHERE `y z` < {number}")
        }
        4 => format!("UPDATE mix_b p, mix_b q SET p.mark = p.mark + 1 WHERE p.a = q.id AND q.id < {number}"),
        5 => "UPDATE mix_a p JOIN (SELECT a, count(*) AS many FROM mix_b GROUP BY a) s ON s.a = p.id SET mark = many"
            .to_owned(),
        6 => format!("UPDATE mix_a p JOIN mix_b USING (id) SET p.mark = 1, mix_b.mark = 2 WHERE p.n <> {number}"),
        7 => format!("DELETE {gone} FROM mix_a p JOIN mix_b q ON {on}{more}"),
        8 => format!("DELETE {gone} FROM mix_a AS p, mix_b AS q WHERE {on}{more}"),
        9 => format!("DELETE QUICK FROM p USING mix_a p LEFT JOIN mix_b q ON {on} WHERE q.id IS NULL"),
        10 => format!("DELETE FROM mix_c, q USING mix_c JOIN (mix_a p JOIN mix_b q ON {on}) ON `y z` = q.id{more}"),
        _ => format!("DELETE mix_a FROM mix_a WHERE n < {number}"),
    }
}

/// Rows that are told of a table: `Changes 3 of 12 rows (…) of mix_a.`
fn said(preview: &Preview, table: &str) -> u64 {
    let of = format!(" of {table}.");
    let line = preview.effects.iter().find(|effect| effect.ends_with(&of));
    line.and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or_default()
}

#[tokio::test]
async fn told_is_what_happens_to_joined_tables() {
    let Some(desk) = desk().await else { return };
    make(&desk).await;
    let mut dice = Dice(20_261_125);
    let mut some = 0;
    for _ in 0..STATEMENTS {
        fill(&desk).await;
        let sql = statement(&mut dice);
        let preview = desk.told(&sql).await;
        desk.approved(&sql).await;
        for (table, rows) in TABLES {
            let left = desk.row(&format!("SELECT count(*) FROM {table} WHERE mark = 0")).await[0].parse::<u64>();
            let happened = rows - left.unwrap();
            some += happened.min(1);
            assert_eq!(said(&preview, table), happened, "{sql}: {table}: {:?}", preview.effects);
        }
        let sum: u64 = TABLES.iter().map(|(table, _)| said(&preview, table)).sum();
        let brief: String = preview.brief.chars().take_while(char::is_ascii_digit).collect();
        assert_eq!(brief, sum.to_string(), "{sql}: {}", preview.brief);
    }
    println!("mariadb: told and happened agree on {STATEMENTS} statements; {some} tables changed");
    assert!(some > STATEMENTS as u64 / 2, "{some}");
}

#[tokio::test]
async fn each_of_several_tables_is_told_with_what_it_sets_off() {
    let Some(desk) = desk().await else { return };
    for sql in [
        "DROP TABLE IF EXISTS own_child, own_b, own_a, own_bare",
        "CREATE TABLE own_a (id int NOT NULL PRIMARY KEY, x int)",
        "CREATE TABLE own_b (id int NOT NULL PRIMARY KEY, a int, y int, FOREIGN KEY (a) REFERENCES own_a (id) ON DELETE CASCADE)",
        "CREATE TABLE own_child (b int, FOREIGN KEY (b) REFERENCES own_b (id) ON DELETE SET NULL ON UPDATE CASCADE)",
        "CREATE TABLE own_bare (a int, z int)",
        "INSERT INTO own_a VALUES (1, 0), (2, 0), (3, 0)",
        "INSERT INTO own_b VALUES (10, 1, 0), (11, 1, 0), (12, 2, 0), (13, NULL, 0)",
        "INSERT INTO own_child VALUES (10), (11), (11), (12), (NULL)",
        "INSERT INTO own_bare VALUES (1, 0), (1, 0), (2, 0)",
        "CREATE TRIGGER own_noted AFTER UPDATE ON own_b FOR EACH ROW SET @noted = 1",
    ] {
        desk.approved(sql).await;
    }
    let along = "Rows of other tables that go along or change: ";
    for (sql, brief, effects) in [
        (
            "UPDATE own_a, own_b SET x = 1, y = 2 WHERE own_a.id = own_b.a",
            "5 rows of 2 tables",
            vec![
                "Changes 2 of 3 rows (66.7 %) of own_a.".to_owned(),
                "Changes 3 of 4 rows (75.0 %) of own_b.".to_owned(),
                "Triggers that fire: own_noted.".to_owned(),
            ],
        ),
        (
            "UPDATE own_a JOIN own_b ON own_b.a = own_a.id SET own_b.id = own_b.id + 100",
            "3 of 4 rows",
            vec![
                "Changes 3 of 4 rows (75.0 %) of own_b.".to_owned(),
                "Triggers that fire: own_noted.".to_owned(),
                format!("{along}own_child (4 rows)."),
            ],
        ),
        (
            "DELETE own_a FROM own_a JOIN own_b ON own_b.a = own_a.id WHERE own_b.id = 11",
            "1 of 3 rows",
            vec![
                "Deletes 1 of 3 rows (33.3 %) of own_a.".to_owned(),
                format!("{along}own_b (2 rows), own_child (3 rows)."),
            ],
        ),
        (
            // Rows that it deletes itself don't count among those that go along.
            "DELETE a, b FROM own_a AS a JOIN own_b AS b ON b.a = a.id WHERE b.id = 11",
            "2 rows of 2 tables",
            vec![
                "Deletes 1 of 3 rows (33.3 %) of own_a.".to_owned(),
                format!("{along}own_b (1 row), own_child (1 row)."),
                "Deletes 1 of 4 rows (25.0 %) of own_b.".to_owned(),
                format!("{along}own_child (2 rows)."),
            ],
        ),
        (
            "UPDATE own_bare JOIN own_a ON own_a.id = own_bare.a SET z = 1, x = 1",
            "rows of 2 tables",
            vec![
                "Changes rows of own_bare; how many isn't counted: no key tells its rows apart.".to_owned(),
                "Changes 2 of 3 rows (66.7 %) of own_a.".to_owned(),
            ],
        ),
        (
            "UPDATE IGNORE own_a, own_b SET own_a.x = 4 WHERE own_a.id = own_b.a",
            "at most 2 of 3 rows",
            vec!["Changes at most 2 of 3 rows (66.7 %) of own_a.".to_owned()],
        ),
        (
            "DELETE IGNORE a FROM own_a a, own_child WHERE a.id = 3",
            "at most 1 of 3 rows",
            vec!["Deletes at most 1 of 3 rows (33.3 %) of own_a.".to_owned(), format!("{along}own_b (0 rows).")],
        ),
    ] {
        let preview = desk.told(sql).await;
        assert_eq!((preview.brief.as_str(), &preview.effects), (brief, &effects), "{sql}");
        assert_eq!(preview.remedy, Remedy::Impossible("it names several tables.".to_owned()), "{sql}");
    }
    let preview = desk.told("DELETE a, b FROM own_a AS a JOIN own_b AS b ON b.a = a.id").await;
    let titles: Vec<(&str, usize)> = preview
        .details
        .iter()
        .filter_map(|detail| match detail {
            Detail::Rows { title, table } => Some((title.as_str(), table.rows.len())),
            _ => None,
        })
        .collect();
    assert_eq!(titles, [("rows of own_a that match", 2), ("rows of own_b that match", 3)]);
    assert!(preview.warnings.is_empty(), "{:?}", preview.warnings);
    // As told, so it happens.
    desk.approved("DELETE a, b FROM own_a AS a JOIN own_b AS b ON b.a = a.id WHERE b.id = 11").await;
    for (table, left) in [("own_a", "2"), ("own_b", "2"), ("own_child WHERE b IS NULL", "4")] {
        assert_eq!(desk.row(&format!("SELECT count(*) FROM {table}")).await, [left], "{table}");
    }
}

#[tokio::test]
async fn what_cannot_be_told_of_joined_tables_says_why() {
    let Some(desk) = desk().await else { return };
    for sql in [
        "DROP TABLE IF EXISTS why_a, why_b",
        "CREATE TABLE why_a (id int NOT NULL PRIMARY KEY, x int)",
        "CREATE TABLE why_b (id int NOT NULL PRIMARY KEY, x int)",
    ] {
        desk.approved(sql).await;
    }
    for (sql, why) in [
        ("UPDATE why_a, why_b SET x = 1", "it isn't clear whose x is."),
        (
            "UPDATE why_a, why_b SET why_a.x = 1 WHERE why_a.id = @one",
            "it reads variables that only its session knows.",
        ),
        ("UPDATE why_a, why_b SET why_a.x = 1 WHERE sleep(why_a.id)", "`sleep`"),
    ] {
        let preview = desk.told(sql).await;
        assert!(preview.effects.concat().contains(why), "{sql}: {:?}", preview.effects);
        assert_eq!(preview.remedy, Remedy::Impossible("it names several tables.".to_owned()), "{sql}");
    }
    for (sql, name) in [
        ("UPDATE why_a, why_none SET why_none.x = 1", "why_none'"),
        ("UPDATE why_a, why_b SET why_c.x = 1", "why_c.x'"),
    ] {
        let preview = desk.told(sql).await;
        let said = preview.warnings.first().unwrap_or_else(|| panic!("{sql}: {preview:?}"));
        assert!(said.starts_with("It would fail: ") && said.contains(name), "{sql}: {said}");
        assert_eq!(preview.remedy, Remedy::Unknown, "{sql}");
    }
}
