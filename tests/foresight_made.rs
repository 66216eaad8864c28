//! What is told of statements that make, alter and hand out things, against what the engine then does: functions and views
//! that take the place of others, indexes, columns that go or become another type's, rights. SQLite always; the servers
//! that `COUNTERSIGN_POSTGRES` and `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Detail, Dialect, Outcome, Preview, Remedy};
use databases::{As, Desk, desks, three};
use tokio_util::sync::CancellationToken;

async fn runs(desk: &Desk, sql: &str) -> bool {
    let (_, report) = desk.with(sql, As::Approved, CancellationToken::new()).await;
    matches!(report.outcome, Outcome::Succeeded { .. })
}

fn diff(preview: &Preview) -> String {
    let of = |detail: &Detail| if let Detail::Diff { text, .. } = detail { Some(text.clone()) } else { None };
    preview.details.iter().find_map(of).unwrap_or_else(|| panic!("no diff: {preview:?}"))
}

#[tokio::test]
async fn a_view_that_takes_the_place_of_another_is_compared_with_it() {
    for (dialect, desk) in desks().await {
        if dialect == Dialect::Sqlite {
            continue;
        }
        desk.approved("DROP VIEW IF EXISTS made_view").await;
        three(&desk, "made_t").await;
        desk.approved("CREATE VIEW made_view AS SELECT id, name FROM made_t").await;
        let sql = "CREATE OR REPLACE VIEW made_view AS SELECT id, name, id + 1 AS next FROM made_t WHERE id > 1";
        let told = desk.told(sql).await;
        assert!(told.effects.contains(&"Columns that are new: next.".to_owned()), "{dialect:?}: {told:?}");
        assert!(told.warnings.is_empty(), "{dialect:?}: {told:?}");
        assert!(diff(&told).contains("+WHERE"), "{dialect:?}: {told:?}");
        assert!(runs(&desk, sql).await);
        for sql in [
            "CREATE OR REPLACE VIEW made_view AS SELECT id FROM made_t",
            "CREATE OR REPLACE VIEW made_view (id, name, other) AS SELECT id, name, id + 1 FROM made_t",
            "CREATE OR REPLACE VIEW made_view AS SELECT id, name, 'x' AS next FROM made_t",
            "CREATE OR REPLACE VIEW made_view AS SELECT id, name, id + 2 AS next, 7 AS more FROM made_t",
        ] {
            let told = desk.told(sql).await;
            let fails = told.warnings.iter().any(|said| said.starts_with("It would fail: "));
            assert_eq!(fails, !runs(&desk, sql).await, "{dialect:?}: {sql}: {told:?}");
        }
        desk.approved("DROP VIEW made_view").await;
    }
}

#[tokio::test]
async fn a_function_that_takes_the_place_of_another_is_compared_with_it() {
    let Some(url) = databases::postgres().await else { return };
    let desk = Desk::keeping(&url);
    for sql in ["DROP TABLE IF EXISTS made_log", "DROP FUNCTION IF EXISTS made_f(int), made_g()"] {
        desk.approved(sql).await;
    }
    let sql = "CREATE FUNCTION made_f(a int) RETURNS int LANGUAGE sql AS $$\nSELECT a + 1\n$$";
    let told = desk.told(sql).await;
    assert_eq!(told.brief, "new function");
    assert!(matches!(&told.remedy, Remedy::ByHand(how) if how.starts_with("`DROP FUNCTION made_f(INT)` ")), "{told:?}");
    desk.approved(sql).await;
    assert_eq!(desk.told(sql).await.brief, "would fail");
    assert!(!runs(&desk, sql).await);
    let told = desk.told(&sql.replace("CREATE", "CREATE OR REPLACE").replace("+ 1", "+ 2")).await;
    assert_eq!(told.effects, ["Replaces the function made_f(INT)."]);
    let diff = diff(&told);
    assert!(diff.contains("-SELECT a + 1") && diff.contains("+SELECT a + 2"), "{diff}");
    let other = "CREATE OR REPLACE FUNCTION made_f(a text) RETURNS int LANGUAGE sql AS 'SELECT 1'";
    assert_eq!(desk.told(other).await.brief, "new function");
    for sql in [
        "CREATE FUNCTION made_g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TABLE made_log (a int)",
        "CREATE TRIGGER made_tr BEFORE INSERT ON made_log FOR EACH ROW EXECUTE FUNCTION made_g()",
    ] {
        desk.approved(sql).await;
    }
    let sql = "CREATE OR REPLACE FUNCTION made_g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'";
    let told = desk.told(sql).await;
    assert!(told.effects.contains(&"Triggers that run it: made_tr of made_log.".to_owned()), "{told:?}");
}

#[tokio::test]
async fn an_index_says_how_long_its_table_is() {
    for (dialect, desk) in desks().await {
        three(&desk, "made_i").await;
        let told = desk.told("CREATE INDEX made_index ON made_i (name)").await;
        assert!(told.effects[1].starts_with("made_i has 3 rows"), "{dialect:?}: {told:?}");
        let said = match dialect {
            Dialect::Postgres => "Until it is done, others read it, but nobody writes to it.",
            Dialect::Mysql => "Others go on writing to it meanwhile.",
            Dialect::Sqlite => "Until it is done, nobody else writes to this database.",
        };
        assert_eq!(told.effects[2], said, "{dialect:?}");
        if dialect == Dialect::Postgres {
            let told = desk.told("CREATE INDEX CONCURRENTLY made_index ON made_i (name)").await;
            assert_eq!(told.effects[2], "Others go on writing to it meanwhile.");
        }
    }
}

#[tokio::test]
async fn values_that_go_and_that_another_type_refuses_are_counted() {
    for (dialect, desk) in desks().await {
        three(&desk, "made_c").await;
        desk.approved("UPDATE made_c SET name = NULL WHERE id = 2").await;
        let told = desk.told("ALTER TABLE made_c DROP COLUMN name").await;
        let said = "The column name goes with its values: 2 of 3 rows have one.".to_owned();
        assert!(told.effects.contains(&said), "{dialect:?}: {told:?}");
        let alter = |kind: &str| match dialect {
            Dialect::Mysql => format!("ALTER TABLE made_c MODIFY name {kind}"),
            _ => format!("ALTER TABLE made_c ALTER COLUMN name TYPE {kind}"),
        };
        if dialect == Dialect::Sqlite {
            continue;
        }
        let told = desk.told(&alter("varchar(2)")).await;
        let fails = "1 row of made_c has a longer name than 2 letters.";
        assert!(told.warnings.iter().any(|said| said.ends_with(fails)), "{dialect:?}: {told:?}");
        assert!(!runs(&desk, &alter("varchar(2)")).await, "{dialect:?}");
        assert!(desk.told(&alter("varchar(3)")).await.warnings.is_empty(), "{dialect:?}");
        assert!(runs(&desk, &alter("varchar(3)")).await, "{dialect:?}");
        if dialect == Dialect::Postgres {
            let sql = alter("int USING name::int");
            let told = desk.told(&sql).await;
            assert_eq!(told.brief, "would fail", "{told:?}");
            assert!(told.warnings[0].contains("can't become INT in each row: "), "{told:?}");
            assert!(!runs(&desk, &sql).await);
            let sql = alter("int USING length(name)");
            assert!(desk.told(&sql).await.warnings.is_empty());
            assert!(runs(&desk, &sql).await);
        }
    }
}

#[tokio::test]
async fn rights_are_told_in_words() {
    for (dialect, desk) in desks().await {
        if dialect == Dialect::Sqlite {
            continue;
        }
        three(&desk, "made_r").await;
        let told = desk.told("GRANT SELECT, INSERT ON made_r TO made_role").await;
        assert_eq!(told.brief, "gives rights", "{dialect:?}");
        assert_eq!(told.effects[0], "Gives SELECT, INSERT on made_r to made_role.", "{dialect:?}");
        assert!(matches!(&told.remedy, Remedy::ByHand(how) if how.starts_with("`REVOKE ")), "{told:?}");
        let told = desk.told("REVOKE INSERT ON made_r FROM made_role").await;
        assert_eq!(told.effects[0], "Takes INSERT on made_r from made_role.", "{dialect:?}");
    }
}
