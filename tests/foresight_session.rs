//! What is counted in one session is what the statement touches in another: told from the sessions themselves in
//! PostgreSQL, from the statements that ran elsewhere. SQLite always; the servers that `COUNTERSIGN_POSTGRES` and
//! `COUNTERSIGN_MARIADB` name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::Remedy;
use countersign::tools::{Connections, Database, Tool as _};
use databases::{Desk, mariadb, postgres, within};
use tokio_util::sync::CancellationToken;

/// What is counted, or why nothing is.
async fn told(desk: &Desk, sql: &str) -> String {
    match desk.tool.preview(&desk.judged(sql).await, CancellationToken::new()).await {
        Ok(Some(preview)) => preview.effects.join(" "),
        Ok(None) => "nothing".to_owned(),
        Err(why) => why,
    }
}

const MAKE: [&str; 13] = [
    "CREATE SCHEMA s2",
    "CREATE TABLE public.item (id int PRIMARY KEY, qty int)",
    "CREATE TABLE s2.item (id int PRIMARY KEY, qty int)",
    "INSERT INTO public.item VALUES (1, 1), (2, 3)",
    "INSERT INTO s2.item VALUES (1, 9), (2, 9), (3, 9)",
    "CREATE TABLE noted (a int)",
    "CREATE FUNCTION sp() RETURNS int LANGUAGE plpgsql AS \
     'BEGIN PERFORM set_config(''search_path'', ''s2,public'', false); RETURN 1; END'",
    "CREATE FUNCTION temps() RETURNS int LANGUAGE plpgsql AS \
     'BEGIN CREATE TEMP TABLE IF NOT EXISTS item AS SELECT 1 AS id, 5 AS qty; RETURN 1; END'",
    "CREATE FUNCTION still() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
    "CREATE FUNCTION fired() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM public.sp(); RETURN NEW; END'",
    "CREATE TRIGGER fires BEFORE INSERT ON noted FOR EACH ROW EXECUTE FUNCTION fired()",
    "CREATE MATERIALIZED VIEW stored AS SELECT count(*) FROM public.item",
    "CREATE TABLE tenant (a text)",
];
const DELETE: &str = "DELETE FROM item WHERE qty > 2";

#[tokio::test]
async fn postgres_tells_whether_the_session_that_writes_means_the_same_tables() {
    let Some(server) = postgres().await else { return };
    let admin = Desk::new(&server);
    admin.approved("DROP DATABASE IF EXISTS countersign_session").await;
    admin.approved("CREATE DATABASE countersign_session").await;
    let url = within(&server, "countersign_session");
    let desk = Desk::new(&url);
    for sql in MAKE {
        desk.approved(sql).await;
    }
    let counted = "Deletes 1 of 2 rows (50.0 %) of item.";
    // What changes nothing of the session leaves counting as it is.
    for sql in [
        "SELECT still()",
        "REFRESH MATERIALIZED VIEW stored",
        "DO $$ BEGIN PERFORM 1; END $$",
        "NOTIFY a",
        "SET statement_timeout = '20s'",
        "SET search_path TO DEFAULT",
    ] {
        desk.approved(sql).await;
        assert!(told(&desk, DELETE).await.starts_with(counted), "{sql}: {}", told(&desk, DELETE).await);
    }
    let differs = "the session that writes differs from the one that counts";
    for sql in [
        "SELECT sp()",
        "INSERT INTO noted VALUES (1)",
        "CREATE TABLE made AS SELECT public.sp()",
        "VALUES (public.sp())",
        "SET search_path TO s2",
    ] {
        desk.approved(sql).await;
        let why = told(&desk, DELETE).await;
        assert!(why.contains(&format!("{differs} (search_path).")), "{sql}: {why}");
        desk.approved("RESET search_path").await;
        assert!(told(&desk, DELETE).await.starts_with(counted), "{sql}");
    }
    desk.approved("BEGIN").await;
    assert!(told(&desk, DELETE).await.contains("a transaction is open"));
    desk.approved("ROLLBACK").await;
    // What somebody made up, no catalog lists.
    let tenant = "DELETE FROM tenant WHERE a = current_setting('my.tenant', true)";
    assert!(told(&desk, tenant).await.contains("settings that only its session may know"));
    assert!(told(&Desk::new(&url), tenant).await.starts_with("Deletes 0 rows of tenant."));
    desk.approved("SELECT temps()").await;
    let why = told(&desk, DELETE).await;
    assert!(why.contains(&format!("{differs} (temporary tables).")), "{why}");
    desk.approved("DISCARD TEMP").await;
    assert!(told(&desk, DELETE).await.starts_with(counted));
    // New sessions mean another table than the one that writes.
    desk.approved("ALTER DATABASE countersign_session SET search_path = s2, public").await;
    let other = Desk::new(&url);
    assert!(told(&other, DELETE).await.starts_with("Deletes 3 of 3 rows"));
    other.approved("SELECT 1").await;
    desk.approved("SET search_path TO public").await;
    let why = told(&desk, DELETE).await;
    assert!(why.contains(differs), "{why}");
}

#[tokio::test]
async fn what_only_one_of_two_roles_may_see_ends_no_counting() {
    let Some(server) = postgres().await else { return };
    let admin = Desk::new(&server);
    admin.approved("DROP DATABASE IF EXISTS countersign_seen").await;
    admin.approved("DROP ROLE IF EXISTS countersign_seer").await;
    admin.approved("CREATE DATABASE countersign_seen").await;
    admin.approved("CREATE ROLE countersign_seer LOGIN").await;
    let url = within(&server, "countersign_seen");
    let mut reading = url::Url::parse(&url).unwrap();
    reading.set_username("countersign_seer").unwrap();
    let address = |url: &str| Connections::parse_url(url).unwrap();
    let reading = Some(address(reading.as_str()));
    let desk = Desk::of(Database { reading, ..Database::from(address(&url)) }, 5);
    for sql in [
        "CREATE TABLE item (id int PRIMARY KEY, qty int)",
        "INSERT INTO item VALUES (1, 1), (2, 3)",
        "GRANT SELECT ON item TO countersign_seer",
    ] {
        desk.approved(sql).await;
    }
    let counted = "Deletes 1 of 2 rows (50.0 %) of item.";
    assert!(told(&desk, DELETE).await.starts_with(counted), "{}", told(&desk, DELETE).await);
    // What is set for the session that writes alone is told, whoever may see it.
    for name in ["dynamic_library_path", "search_path"] {
        desk.approved(&format!("SET {name} = 'public'")).await;
        let why = told(&desk, DELETE).await;
        assert!(why.contains(&format!("differs from the one that counts ({name}).")), "{why}");
        desk.approved(&format!("RESET {name}")).await;
        assert!(told(&desk, DELETE).await.starts_with(counted), "{name}");
    }
    drop(desk);
    admin.approved("DROP DATABASE countersign_seen WITH (FORCE)").await;
    admin.approved("DROP ROLE countersign_seer").await;
}

#[tokio::test]
async fn what_only_the_session_of_mariadb_knows_is_not_counted_elsewhere() {
    let Some(url) = mariadb().await else { return };
    let desk = Desk::new(&url);
    for sql in [
        "DROP TABLE IF EXISTS session_ai",
        "CREATE TABLE session_ai (id int AUTO_INCREMENT PRIMARY KEY, v varchar(9))",
        "INSERT INTO session_ai (v) VALUES ('x'), ('y')",
        "OPTIMIZE TABLE session_ai",
        "CHECK TABLE session_ai",
        "FLUSH TABLES",
    ] {
        desk.approved(sql).await;
    }
    assert!(told(&desk, "DELETE FROM session_ai WHERE id = 2").await.starts_with("Deletes 1 of 2 rows"));
    for function in ["last_insert_id", "found_rows", "row_count", "connection_id"] {
        let why = told(&desk, &format!("DELETE FROM session_ai WHERE id = {function}()")).await;
        assert!(why.contains(&format!("what `{function}` gives, only its session knows")), "{why}");
    }
    desk.approved("SET NAMES latin1").await;
    assert!(told(&desk, "DELETE FROM session_ai").await.contains("`SET` ran on this connection"));
}

#[tokio::test]
async fn what_leaves_nothing_in_a_session_of_sqlite_does_not_end_counting() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(&format!("sqlite:{}?mode=rwc", folder.path().join("f.db").display()));
    for sql in
        ["CREATE TABLE o (a)", "INSERT INTO o VALUES (1)", "REINDEX", "PRAGMA user_version = 5", "PRAGMA optimize"]
    {
        desk.approved(sql).await;
    }
    let (_, refused) = desk.call(r#"{"sql": "DETACH nowhere"}"#).await;
    assert!(refused.result.starts_with("error: "), "{}", refused.result);
    assert_eq!(told(&desk, "DELETE FROM o").await, "Deletes 1 of 1 row (100.0 %) of o.");
    desk.approved("PRAGMA foreign_keys = off").await;
    assert!(told(&desk, "DELETE FROM o").await.contains("`PRAGMA` ran on this connection"));
    // What would be kept may be kept all the same: that is said.
    let preview = desk.tool.preview(&desk.judged("DELETE FROM o").await, CancellationToken::new()).await;
    let remedy = preview.unwrap().unwrap().remedy;
    assert!(matches!(&remedy, Remedy::Unsure(why) if why.contains("can't be counted now")), "{remedy:?}");
}

#[tokio::test]
async fn what_is_not_measured_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(&format!("sqlite:{}?mode=rwc", folder.path().join("f.db").display()));
    for sql in ["VACUUM", "PRAGMA user_version = 5", "DROP TRIGGER t"] {
        assert!(told(&desk, sql).await.contains("isn't known beforehand: "), "{sql}: {}", told(&desk, sql).await);
    }
    if let Some(url) = postgres().await {
        let desk = Desk::new(&url);
        for sql in [
            "SELECT setval('nowhere', 3)",
            "SELECT 1 AS a INTO session_into",
            "DROP FUNCTION nowhere() CASCADE",
            "CALL nowhere()",
            "COPY pg_class TO '/tmp/nowhere'",
            "DROP SEQUENCE nowhere",
        ] {
            let told = told(&desk, sql).await;
            assert!(
                told.contains("be counted beforehand: ") || told.contains("isn't known beforehand: "),
                "{sql}: {told}"
            );
        }
    }
}

/// What is done to a whole table waits for those who work on it: that is told, of what has lasted longer than a look.
#[tokio::test]
async fn who_keeps_a_table_waiting_is_told_in_postgres() {
    let Some(server) = postgres().await else { return };
    let (desk, other) = (Desk::new(&server), Desk::new(&server));
    for sql in [
        "DROP TABLE IF EXISTS kept_waiting",
        "CREATE TABLE kept_waiting (id int)",
        "INSERT INTO kept_waiting VALUES (1)",
    ] {
        desk.approved(sql).await;
    }
    let whole = ["ALTER TABLE kept_waiting ADD n int", "DROP TABLE kept_waiting", "TRUNCATE kept_waiting"];
    let warned = async |sql: &str| desk.told(sql).await.warnings.join(" ");
    for sql in whole {
        assert!(!warned(sql).await.contains("session"), "{sql}");
    }
    other.approved("BEGIN").await;
    other.approved("SELECT * FROM kept_waiting").await;
    tokio::time::sleep(std::time::Duration::from_millis(2_300)).await;
    for (sql, waits) in whole.into_iter().zip(["may wait", "waits", "waits"]) {
        let told = warned(sql).await;
        assert!(told.contains("Another session works on kept_waiting, for "), "{sql}: {told}");
        assert!(told.contains(&format!(": it {waits} until that has ended")), "{sql}: {told}");
    }
    // Rows are changed beside it.
    assert!(!warned("UPDATE kept_waiting SET id = 2").await.contains("session"));
    other.approved("COMMIT").await;
    assert!(!warned("DROP TABLE kept_waiting").await.contains("session"));
    desk.approved("DROP TABLE kept_waiting").await;
}
