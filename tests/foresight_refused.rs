//! Statements that an engine refuses are told before they run: what it says as it prepares them. SQLite always; the
//! servers that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Dialect, Outcome, Remedy, Trial};
use databases::{As, Desk, desks, postgres};
use tokio_util::sync::CancellationToken;

/// Whether it runs.
async fn runs(desk: &Desk, sql: &str) -> bool {
    let (_, report) = desk.with(sql, As::Approved, CancellationToken::new()).await;
    matches!(report.outcome, Outcome::Succeeded { .. })
}

async fn make(desk: &Desk, statements: &[&str]) {
    for sql in statements {
        desk.approved(sql).await;
    }
}

#[tokio::test]
async fn what_is_refused_as_it_is_prepared_would_fail() {
    for (dialect, desk) in desks().await {
        make(
            &desk,
            &[
                "DROP VIEW IF EXISTS refused_v",
                "DROP TABLE IF EXISTS refused",
                "CREATE TABLE refused (id int PRIMARY KEY, a int, g int GENERATED ALWAYS AS (a * 2) STORED)",
                "INSERT INTO refused (id, a) VALUES (1, 1), (2, 2)",
                "CREATE VIEW refused_v AS SELECT a, count(*) AS n FROM refused GROUP BY a",
            ],
        )
        .await;
        for (sql, words) in [
            ("UPDATE refused SET nocol = 1", "nocol"),
            ("UPDATE refused SET a = 1 WHERE nocol = 2", "nocol"),
            ("DELETE FROM refused WHERE nocol = 2", "nocol"),
            ("INSERT INTO refused_not VALUES (1)", "refused_not"),
            ("DELETE FROM refused_not", "refused_not"),
            ("INSERT INTO refused (id) SELECT id FROM refused_not", "refused_not"),
            ("INSERT INTO refused (id, a) VALUES (3, 4, 5)", ""),
            ("UPDATE refused SET g = 4", "g"),
            ("DELETE FROM refused_v", "refused_v"),
            ("UPDATE refused SET a = 1, a = 2", if dialect == Dialect::Postgres { "multiple assignments" } else { "" }),
            (
                "DELETE FROM sqlite_master",
                if dialect == Dialect::Sqlite { "may not be modified" } else { "sqlite_master" },
            ),
        ] {
            // MariaDB looks at what it computes only row by row.
            if dialect == Dialect::Mysql && sql.contains("SET g") {
                continue;
            }
            let preview = desk.told(sql).await;
            if runs(&desk, sql).await {
                assert!(!preview.brief.contains("fail"), "{dialect:?}: {sql}: {preview:?}");
                continue;
            }
            let said = preview.warnings.first().unwrap_or_else(|| panic!("{dialect:?}: {sql}: {preview:?}"));
            assert!(said.starts_with("It would fail: ") && said.contains(words), "{dialect:?}: {sql}: {said}");
            assert_eq!(preview.brief, "would fail", "{dialect:?}: {sql}");
            assert_eq!((preview.remedy, preview.trial), (Remedy::Unknown, Trial::None), "{dialect:?}: {sql}");
        }
        // What is prepared stays as it is, and what somebody made meanwhile is seen.
        assert_eq!(desk.row("SELECT count(*) FROM refused WHERE g = a * 2").await, ["2"], "{dialect:?}");
        desk.approved("ALTER TABLE refused ADD COLUMN nocol int").await;
        assert_eq!(desk.told("UPDATE refused SET nocol = 1").await.warnings, ["That is every row of refused."]);
        if dialect == Dialect::Postgres {
            let said = desk.told("UPDATE refused SET a = 'x'").await.warnings;
            assert_eq!(said, ["It would fail: invalid input syntax for type integer: \"x\" (22P02)."]);
        }
        if dialect == Dialect::Sqlite {
            let said = desk.told("ALTER TABLE refused DROP COLUMN nowhere").await.warnings;
            assert_eq!(said, ["It would fail: no such column: \"nowhere\"."]);
        }
        make(&desk, &["DROP VIEW refused_v", "DROP TABLE refused"]).await;
    }
}

#[tokio::test]
async fn what_a_lock_keeps_from_being_looked_up_may_be_kept_all_the_same() {
    let Some(url) = postgres().await else { return };
    let (desk, other) = (Desk::keeping(&url), Desk::new(&url));
    make(
        &other,
        &[
            "DROP TABLE IF EXISTS refused_locked",
            "CREATE TABLE refused_locked (id int PRIMARY KEY)",
            "INSERT INTO refused_locked VALUES (1)",
            "BEGIN",
            "LOCK TABLE refused_locked IN ACCESS EXCLUSIVE MODE",
        ],
    )
    .await;
    let sql = "DELETE FROM refused_locked WHERE id = 1";
    let preview = desk.told(sql).await;
    assert!(matches!(preview.remedy, Remedy::Unsure(_)), "{preview:?}");
    // Nothing is taken for a refusal of its text.
    assert_eq!(preview.warnings, [""; 0], "{preview:?}");
    other.approved("ROLLBACK").await;
    let preview = desk.told(sql).await;
    assert!(matches!(preview.remedy, Remedy::Possible(_)), "{preview:?}");
    other.approved("DROP TABLE refused_locked").await;
}
