//! New values that a preview shows are those that the columns keep: rounded as they are, and none where each look would
//! give another.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Detail, Dialect, Remedy, Table};
use countersign::tools::Tool as _;
use databases::{Desk, desks, mariadb, postgres};
use tokio_util::sync::CancellationToken;

/// The rows that a preview shows.
async fn shown(desk: &Desk, sql: &str) -> Table {
    let preview = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
    let Some(Detail::Rows { table, .. }) = preview.details.into_iter().next() else { panic!("{sql}: no rows") };
    table
}

/// One value of the first row, by its column.
fn value(table: &Table, column: &str) -> Option<String> {
    let at = table.columns.iter().position(|name| name == column)?;
    table.rows[0][at].clone()
}

async fn rounds(url: &str, money: &str) {
    let desk = Desk::new(url);
    let table = "foresight_values";
    for sql in [
        format!("DROP TABLE IF EXISTS {table}"),
        format!("CREATE TABLE {table} (id int PRIMARY KEY, amount {money}, n int, name varchar(20))"),
        format!("INSERT INTO {table} VALUES (1, 1, 1, 'Ann')"),
    ] {
        desk.approved(&sql).await;
    }
    let rounded = shown(&desk, &format!("UPDATE {table} SET amount = amount + 0.239, n = 40.55, name = 'Bo'")).await;
    let told = ["new amount", "new n", "new name"].map(|column| value(&rounded, column).unwrap_or_default());
    desk.approved(&format!("UPDATE {table} SET amount = amount + 0.239, n = 40.55, name = 'Bo'")).await;
    let kept = shown(&desk, &format!("UPDATE {table} SET id = 2")).await;
    assert_eq!(told, ["amount", "n", "name"].map(|column| value(&kept, column).unwrap_or_default()), "{url}");
    let chance = shown(
        &desk,
        &format!("UPDATE {table} SET n = {} * 100", if money.starts_with('n') { "random()" } else { "rand()" }),
    )
    .await;
    assert_eq!(value(&chance, "new n"), None, "{chance:?}");
    desk.approved(&format!("DROP TABLE {table}")).await;
}

#[tokio::test]
async fn new_values_are_what_postgres_keeps() {
    if let Some(url) = postgres().await {
        rounds(&url, "numeric(8,2)").await;
    }
}

#[tokio::test]
async fn new_values_are_what_mariadb_keeps() {
    if let Some(url) = mariadb().await {
        rounds(&url, "decimal(8,2)").await;
    }
}

#[tokio::test]
async fn a_change_behind_a_with_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut desks = vec![Desk::new(&format!("sqlite:{}?mode=rwc", folder.path().join("f.db").display()))];
    if let Some(url) = postgres().await {
        desks.push(Desk::new(&url));
    }
    for desk in desks {
        for sql in [
            "DROP TABLE IF EXISTS with_t",
            "CREATE TABLE with_t (id int NOT NULL PRIMARY KEY, n int)",
            "INSERT INTO with_t VALUES (1, 1), (2, 2), (3, 3)",
        ] {
            desk.approved(sql).await;
        }
        for (sql, counted) in [
            ("WITH x AS (SELECT max(id) AS m FROM with_t) INSERT INTO with_t SELECT m + 1, 0 FROM x", "1 row"),
            (
                "WITH x AS (SELECT id FROM with_t WHERE n > 1) UPDATE with_t SET n = 9 WHERE id IN (SELECT id FROM x)",
                "2 of 4 rows",
            ),
            (
                "WITH x AS (SELECT id FROM with_t WHERE n < 9) DELETE FROM with_t WHERE id IN (SELECT id FROM x)",
                "2 of 4 rows",
            ),
        ] {
            let preview = desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await.unwrap().unwrap();
            assert_eq!(preview.brief, counted, "{sql}: {:?}", preview.effects);
            assert!(matches!(preview.remedy, Remedy::Impossible(_)), "{sql}: {:?}", preview.remedy);
            let happened = desk.approved(sql).await;
            assert!(happened.starts_with(&counted[..1]), "{sql}: {happened}");
        }
    }
}

#[tokio::test]
async fn a_change_that_joins_shows_its_new_values() {
    for (dialect, desk) in desks().await {
        for sql in [
            "DROP TABLE IF EXISTS join_t",
            "DROP TABLE IF EXISTS join_u",
            "CREATE TABLE join_t (id int NOT NULL PRIMARY KEY, n int)",
            "CREATE TABLE join_u (id int, n int)",
            "INSERT INTO join_t VALUES (1, 1), (2, 2), (3, 3)",
            "INSERT INTO join_u VALUES (1, 10), (2, 20)",
        ] {
            desk.approved(sql).await;
        }
        let sql = match dialect {
            Dialect::Mysql => "UPDATE join_t t JOIN join_u u ON t.id = u.id SET t.n = u.n + t.n",
            Dialect::Sqlite | Dialect::Postgres => {
                "UPDATE join_t AS t SET n = u.n + t.n FROM join_u u WHERE t.id = u.id"
            }
        };
        let table = shown(&desk, sql).await;
        assert_eq!((table.columns.as_slice(), table.total), (["id", "n", "new n"].map(str::to_owned).as_slice(), 2));
        assert_eq!(value(&table, "new n"), Some("11".to_owned()), "{dialect:?}");
        // Which of two it gets, nobody knows.
        desk.approved("INSERT INTO join_u VALUES (1, 30)").await;
        let table = shown(&desk, sql).await;
        assert_eq!((value(&table, "new n"), table.total), (None, 2), "{dialect:?}");
        desk.approved("DROP TABLE join_t").await;
        desk.approved("DROP TABLE join_u").await;
    }
}
