//! What a statement newly demands of rows that are there, and what needs a thing that it drops, is told beforehand, and
//! happens as told. In SQLite always; in the servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Dialect, Outcome, Remedy};
use databases::{As, Desk, desks, postgres};
use tokio_util::sync::CancellationToken;

async fn make(desk: &Desk, statements: &[&str]) {
    for sql in statements {
        desk.approved(sql).await;
    }
}

/// Whether it runs when somebody approves it.
async fn runs(desk: &Desk, sql: &str) -> bool {
    let (_, report) = desk.with(sql, As::Approved, CancellationToken::new()).await;
    matches!(report.outcome, Outcome::Succeeded { .. })
}

/// What is told of a statement, which then fails, or runs where nothing is.
async fn as_told(desk: &Desk, dialect: Dialect, sql: &str, said: &str) {
    let preview = desk.told(sql).await;
    let told: Vec<&String> = preview.warnings.iter().filter(|warning| warning.contains("fail")).collect();
    if said.is_empty() {
        assert!(told.is_empty(), "{dialect:?}: {sql}: {told:?}");
    } else {
        assert_eq!(told, [&format!("It would fail: {said}")], "{dialect:?}: {sql}");
        assert_eq!((preview.brief.as_str(), preview.remedy), ("would fail", Remedy::Unknown), "{dialect:?}: {sql}");
    }
    assert_eq!(runs(desk, sql).await, said.is_empty(), "{dialect:?}: {sql}");
}

#[tokio::test]
async fn rows_that_break_what_is_newly_demanded_are_counted() {
    let twice = "a is to be unique, and 2 rows of newly have one that another of them has.";
    let null = "1 row of newly has no b, which is to take no NULL.";
    for (dialect, desk) in desks().await {
        make(
            &desk,
            &[
                "DROP TABLE IF EXISTS newly",
                "DROP TABLE IF EXISTS newly_of",
                "CREATE TABLE newly_of (id int NOT NULL PRIMARY KEY)",
                "CREATE TABLE newly (id int NOT NULL PRIMARY KEY, a int, b int)",
                "INSERT INTO newly_of VALUES (1)",
                "INSERT INTO newly VALUES (1, 1, 1), (2, 1, 2), (3, 3, NULL), (4, NULL, 4), (5, NULL, 5)",
            ],
        )
        .await;
        as_told(&desk, dialect, "CREATE UNIQUE INDEX newly_a ON newly (a)", twice).await;
        as_told(&desk, dialect, "CREATE UNIQUE INDEX newly_a ON newly (a, b)", "").await;
        if dialect != Dialect::Sqlite {
            let checked = "2 rows of newly break the check b < 4.";
            as_told(&desk, dialect, "ALTER TABLE newly ADD CONSTRAINT newly_c CHECK (b < 4)", checked).await;
            as_told(&desk, dialect, "ALTER TABLE newly ADD CONSTRAINT newly_c CHECK (b < 6)", "").await;
            as_told(&desk, dialect, "ALTER TABLE newly ADD CONSTRAINT newly_u UNIQUE (a)", twice).await;
            let sql = "ALTER TABLE newly ADD CONSTRAINT newly_f FOREIGN KEY (a) REFERENCES newly_of (id)";
            as_told(&desk, dialect, sql, "1 row of newly refers to no row of newly_of.").await;
        }
        match dialect {
            Dialect::Postgres => as_told(&desk, dialect, "ALTER TABLE newly ALTER COLUMN b SET NOT NULL", null).await,
            // Without a strict mode it puts a zero there.
            Dialect::Mysql => {
                let sql = "ALTER TABLE newly MODIFY b int NOT NULL";
                assert_eq!(desk.told(sql).await.warnings, [format!("It may fail: {null}")]);
                assert!(!runs(&desk, sql).await, "{sql}");
            }
            Dialect::Sqlite => {}
        }
        let bare = "5 rows of newly would have no c, which takes no NULL.";
        let said = if dialect == Dialect::Mysql { "" } else { bare };
        as_told(&desk, dialect, "ALTER TABLE newly ADD COLUMN c int NOT NULL", said).await;
        make(&desk, &["DROP TABLE newly", "DROP TABLE newly_of"]).await;
    }
}

#[tokio::test]
async fn what_needs_a_thing_that_is_dropped_is_named() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    make(
        &desk,
        &[
            "DROP TABLE IF EXISTS needed_by, needed CASCADE",
            "CREATE TABLE needed (id int PRIMARY KEY, a int, b int)",
            "CREATE TABLE needed_by (n int REFERENCES needed)",
            "CREATE VIEW needed_v AS SELECT a FROM needed",
            "CREATE VIEW needed_w AS SELECT a FROM needed_v",
            "CREATE INDEX needed_b ON needed (b)",
        ],
    )
    .await;
    for (sql, said) in [
        ("ALTER TABLE needed DROP COLUMN a", "view needed_v needs it."),
        (
            "ALTER TABLE needed DROP CONSTRAINT needed_pkey",
            "constraint needed_by_n_fkey on table public.needed_by needs it.",
        ),
        (
            "DROP INDEX needed_pkey",
            "constraint needed_by_n_fkey on table public.needed_by, constraint needed_pkey on table public.needed need it.",
        ),
        ("DROP VIEW needed_v", "view needed_w needs it."),
        ("DROP INDEX needed_b", ""),
        ("ALTER TABLE needed DROP COLUMN b", ""),
        ("DROP VIEW needed_w, needed_v", ""),
    ] {
        as_told(&desk, Dialect::Postgres, sql, said).await;
    }
    make(&desk, &["DROP TABLE needed_by, needed CASCADE"]).await;
}

#[tokio::test]
async fn a_new_name_changes_no_rows() {
    for (dialect, desk) in desks().await {
        make(&desk, &["DROP TABLE IF EXISTS renamed", "DROP TABLE IF EXISTS renamed_b"]).await;
        make(&desk, &["CREATE TABLE renamed (id int)", "INSERT INTO renamed VALUES (1), (2)"]).await;
        for sql in ["ALTER TABLE renamed RENAME COLUMN id TO a", "ALTER TABLE renamed RENAME TO renamed_b"] {
            let preview = desk.told(sql).await;
            assert_eq!(preview.brief, "no rows", "{dialect:?}: {sql}");
            let effect = &preview.effects[0];
            assert!(
                effect.starts_with("Alters renamed, which has 2 rows") && effect.ends_with("; none of them changes."),
                "{effect}"
            );
            assert!(runs(&desk, sql).await, "{dialect:?}: {sql}");
        }
        make(&desk, &["DROP TABLE renamed_b"]).await;
    }
}
