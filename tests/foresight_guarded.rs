//! Where row policies decide which rows a role sees, what is told of a statement stands beside what it does: counted as a
//! role that is bound by them, run by the same one. In the server that `COUNTERSIGN_POSTGRES` names.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::domain::{Outcome, Preview, Remedy};
use countersign::tools::{Connections, Database};
use databases::{Desk, as_user, postgres};
use serde_json::json;
use tokio::sync::Mutex;

/// They share a role and its tables: one at a time.
static TURN: Mutex<()> = Mutex::const_new(());

/// A role that row policies bind, and the tables that it may change.
const MAKE: [&str; 12] = [
    "DROP TABLE IF EXISTS gua_child, gua_rows, gua_free",
    "DROP ROLE IF EXISTS gua_role",
    "CREATE ROLE gua_role LOGIN",
    "CREATE TABLE gua_rows (id int PRIMARY KEY, owner text NOT NULL, n int, locked bool NOT NULL DEFAULT false)",
    "CREATE TABLE gua_child (id int PRIMARY KEY, p int REFERENCES gua_rows ON DELETE CASCADE, owner text)",
    "CREATE TABLE gua_free (id int PRIMARY KEY, p int REFERENCES gua_rows)",
    "INSERT INTO gua_rows SELECT i, CASE WHEN i % 2 = 0 THEN 'gua_role' ELSE 'other' END, i, i % 4 = 0 FROM generate_series(1, 20) i",
    "INSERT INTO gua_child SELECT i, i, CASE WHEN i % 3 = 0 THEN 'gua_role' ELSE 'other' END FROM generate_series(1, 20) i",
    "ALTER TABLE gua_rows ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE gua_child ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY own ON gua_child USING (owner = current_user)",
    "GRANT ALL ON gua_rows, gua_child, gua_free TO gua_role",
];

/// What makes a world, and statements with how what is told of each compares with what happens.
type Guarded = (&'static [&'static str], &'static [(&'static str, char)]);

/// Policies, the statements that they are tried with, and how the number that is told stands to what happens: `=`, `<` for
/// "at most", `~` for "about".
const WORLDS: [Guarded; 4] = [
    (
        &["CREATE POLICY own ON gua_rows USING (owner = current_user)"],
        &[
            ("UPDATE gua_rows SET n = 0", '='),
            ("UPDATE gua_rows SET n = 0 WHERE id < 9", '='),
            ("DELETE FROM gua_rows WHERE n > 3", '='),
            ("DELETE FROM gua_rows", '='),
        ],
    ),
    (
        &[
            "CREATE POLICY own ON gua_rows FOR SELECT USING (true)",
            "CREATE POLICY change ON gua_rows FOR UPDATE USING (owner = current_user)",
            "CREATE POLICY remove ON gua_rows FOR DELETE USING (owner = current_user AND NOT locked)",
        ],
        &[
            ("UPDATE gua_rows SET n = 0 WHERE id < 9", '<'),
            ("DELETE FROM gua_rows WHERE n > 3", '<'),
            ("UPDATE gua_rows SET n = 0", '~'),
            ("DELETE FROM gua_rows", '~'),
        ],
    ),
    (
        // It may delete what it doesn't see.
        &[
            "CREATE POLICY own ON gua_rows FOR SELECT USING (owner = current_user)",
            "CREATE POLICY remove ON gua_rows FOR DELETE USING (true)",
        ],
        &[
            ("DELETE FROM gua_rows", '~'),
            ("DELETE FROM gua_rows WHERE n > 3", '<'),
            ("UPDATE gua_rows SET n = 0 WHERE id < 9", '<'),
        ],
    ),
    (
        &[
            "CREATE POLICY own ON gua_rows USING (owner = current_user)",
            "CREATE POLICY fixed ON gua_rows AS RESTRICTIVE FOR UPDATE USING (NOT locked)",
        ],
        &[("UPDATE gua_rows SET n = 0 WHERE id < 9", '<'), ("DELETE FROM gua_rows WHERE id < 9", '=')],
    ),
];

async fn make(admin: &Desk, made: &[&str]) {
    for sql in made {
        admin.approved(sql).await;
    }
}

/// The number that is told first, and what stands before it.
fn number(told: &Preview) -> (u64, char) {
    let brief = told.brief.as_str();
    let (sign, rest) = [("at most ", '<'), ("about ", '~'), ("at least ", '>')]
        .iter()
        .find_map(|(lead, sign)| Some((*sign, brief.strip_prefix(lead)?)))
        .unwrap_or(('=', brief));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or_else(|_| panic!("{told:?}")), sign)
}

/// The rows that a statement changed, by its summary.
async fn changed(desk: &Desk, sql: &str) -> u64 {
    let (_, report) = desk.call(&json!({ "sql": sql }).to_string()).await;
    let Outcome::Succeeded { summary } = report.outcome else { panic!("{sql}: {}", report.result) };
    summary.split(' ').next().unwrap().replace("no", "0").parse().unwrap()
}

#[tokio::test]
async fn what_a_bound_role_does_is_told_with_how_sure_it_is() {
    let Some(url) = postgres().await else { return };
    let _turn = TURN.lock().await;
    let admin = Desk::keeping(&url);
    let bound = as_user(&url, "gua_role");
    for (policies, statements) in WORLDS {
        for (sql, sign) in statements {
            make(&admin, &MAKE).await;
            make(&admin, policies).await;
            let desk = Desk::keeping(&bound);
            let told = desk.told(sql).await;
            let (rows, said) = number(&told);
            let happened = changed(&desk, sql).await;
            println!("{}: {happened} for {sql}", told.brief);
            let agree = match said {
                '=' => rows == happened,
                '<' => rows >= happened,
                '>' => rows <= happened,
                _ => true,
            };
            assert!(agree && said == *sign, "{policies:?}: {sql}: {happened}, told {told:?}");
            assert!(told.effects.iter().any(|effect| effect.to_lowercase().contains("row polic")), "{sql}: {told:?}");
            assert!(!told.warnings.contains(&"That is every row of gua_rows.".to_owned()), "{sql}: {told:?}");
            let Remedy::Impossible(why) = &told.remedy else { panic!("{sql}: {told:?}") };
            assert_eq!(why, "of gua_rows: row policies decide what is seen of it.", "{sql}");
        }
    }
}

#[tokio::test]
async fn rows_that_a_role_does_not_see_go_along() {
    let Some(url) = postgres().await else { return };
    let _turn = TURN.lock().await;
    let admin = Desk::keeping(&url);
    make(&admin, &MAKE).await;
    make(&admin, &["CREATE POLICY own ON gua_rows USING (owner = current_user)", "INSERT INTO gua_free VALUES (1, 6)"])
        .await;
    let desk = Desk::keeping(&as_user(&url, "gua_role"));
    // Of the children it sees one in three; all of them go.
    let told = desk.told("DELETE FROM gua_rows WHERE id = 2").await;
    assert!(told.effects.iter().any(|effect| effect.contains("gua_child (not counted)")), "{told:?}");
    let told = desk.told("DELETE FROM gua_rows WHERE id IN (12, 18)").await;
    assert!(told.effects.iter().any(|effect| effect.contains("gua_child (about 2 rows)")), "{told:?}");
    let told = desk.told("DELETE FROM gua_rows WHERE id = 6").await;
    assert!(told.warnings.iter().any(|warning| warning.contains("fail: ") && warning.contains("gua_free")), "{told:?}");
    for sql in ["TRUNCATE gua_child", "TRUNCATE gua_child, gua_free"] {
        let told = desk.told(sql).await;
        assert!(told.effects[0].starts_with("Empties gua_child: at least 6 rows"), "{told:?}");
        assert!(told.effects.iter().any(|effect| effect.contains("row policies hide from this role")), "{told:?}");
    }
    assert_eq!(changed(&desk, "DELETE FROM gua_rows WHERE id = 2").await, 1);
    assert_eq!(admin.row("SELECT count(*) FROM gua_child WHERE p = 2").await, ["0"]);
    // A parent that it doesn't see is there all the same.
    let sql = "INSERT INTO gua_child VALUES (50, 3, 'gua_role')";
    let told = desk.told(sql).await;
    assert!(!told.warnings.iter().any(|warning| warning.starts_with("It would fail")), "{told:?}");
    assert_eq!(changed(&desk, sql).await, 1);
}

#[tokio::test]
async fn a_role_that_no_policy_lets_add_rows_is_told_so() {
    let Some(url) = postgres().await else { return };
    let _turn = TURN.lock().await;
    let admin = Desk::keeping(&url);
    make(&admin, &MAKE).await;
    make(&admin, &["CREATE POLICY own ON gua_rows FOR SELECT USING (owner = current_user)"]).await;
    let desk = Desk::keeping(&as_user(&url, "gua_role"));
    let sql = "INSERT INTO gua_rows VALUES (30, 'gua_role', 1)";
    let told = desk.told(sql).await;
    assert_eq!(told.warnings, ["It would fail: no row policy of gua_rows lets this role add rows."], "{told:?}");
    let (_, report) = desk.call(&json!({ "sql": sql }).to_string()).await;
    assert!(report.result.contains("row-level security"), "{}", report.result);
    let told = desk.told("DELETE FROM gua_rows WHERE id > 0").await;
    assert!(
        told.effects.contains(&"No row policy of gua_rows lets this role do that to any of them.".to_owned()),
        "{told:?}"
    );
    assert_eq!(changed(&desk, "DELETE FROM gua_rows WHERE id > 0").await, 0);
    // What it may add is decided row by row.
    make(&admin, &["CREATE POLICY adds ON gua_rows FOR INSERT WITH CHECK (n > 5)"]).await;
    let told = desk.told(sql).await;
    assert_eq!(told.warnings, [""; 0], "{told:?}");
    assert!(
        told.effects.contains(&"Row policies of gua_rows decide which rows this role may add.".to_owned()),
        "{told:?}"
    );
}

/// Who isn't bound by them sees, changes and keeps all rows.
#[tokio::test]
async fn a_role_that_is_not_bound_is_told_as_ever() {
    let Some(url) = postgres().await else { return };
    let _turn = TURN.lock().await;
    let admin = Desk::keeping(&url);
    make(&admin, &MAKE).await;
    make(&admin, &["CREATE POLICY own ON gua_rows USING (owner = current_user)"]).await;
    let told = admin.told("DELETE FROM gua_child WHERE id < 9").await;
    assert_eq!((told.brief.as_str(), told.effects.len()), ("8 of 20 rows", 1), "{told:?}");
    assert!(matches!(told.remedy, Remedy::Possible(_)), "{told:?}");
    // Counted by another role than it runs as.
    let database = Database {
        reading: Some(Connections::parse_url(&as_user(&url, "gua_role")).unwrap()),
        ..Connections::parse_url(&url).unwrap().into()
    };
    let told = Desk::of(database, 30).told("DELETE FROM gua_child WHERE id < 9").await;
    assert_eq!(told.brief, "about 2 of 6 rows", "{told:?}");
    assert!(told.effects.contains(&"Row policies decide who sees which rows of gua_child.".to_owned()), "{told:?}");
}
