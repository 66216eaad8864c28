//! The tables of functions, operators and types against the engines themselves: everything that an engine brings
//! is in exactly one class, and what changes something is in none that reads.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;

use countersign::assess::{AssessSettings, SqlAssessor, Subject, assess, sql_catalog};
use countersign::domain::{
    Claim, Class, Dialect, Facts, Operation, OperationId, OperationKind, Origin, SqlOperation, SqlWay,
};
use databases::{Desk, mariadb, postgres};

/// PostgreSQL calls these volatile, and all that they do is look: at the clock, the catalog, the session, the log
/// position, what is measured, or a random number.
const LOOKS: &str = " clock_timestamp current_query currtid2 currval gen_random_uuid lastval lo_get \
    pg_blocking_pids pg_collation_actual_version pg_control_checkpoint pg_control_init pg_control_recovery \
    pg_control_system pg_current_logfile pg_current_wal_flush_lsn pg_current_wal_insert_lsn pg_current_wal_lsn \
    pg_database_collation_actual_version pg_database_size pg_get_backend_memory_contexts pg_get_multixact_members \
    pg_get_shmem_allocations pg_get_wal_replay_pause_state pg_get_wal_resource_managers pg_indexes_size \
    pg_is_in_recovery pg_is_wal_replay_paused pg_isolation_test_session_is_blocked pg_jit_available \
    pg_last_committed_xact pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp \
    pg_lock_status pg_notification_queue_usage pg_partition_ancestors pg_partition_tree pg_prepared_xact \
    pg_relation_size pg_replication_origin_progress pg_replication_origin_session_is_setup \
    pg_safe_snapshot_blocking_pids pg_sequence_last_value pg_show_replication_origin_status \
    pg_stat_get_recovery_prefetch pg_stat_get_xact_blocks_fetched pg_stat_get_xact_blocks_hit \
    pg_stat_get_xact_function_calls pg_stat_get_xact_function_self_time pg_stat_get_xact_function_total_time \
    pg_stat_get_xact_numscans pg_stat_get_xact_tuples_deleted pg_stat_get_xact_tuples_fetched \
    pg_stat_get_xact_tuples_hot_updated pg_stat_get_xact_tuples_inserted pg_stat_get_xact_tuples_returned \
    pg_stat_get_xact_tuples_updated pg_stat_have_stats pg_table_size pg_tablespace_size pg_total_relation_size \
    pg_xact_commit_timestamp pg_xact_commit_timestamp_origin pg_xact_status random timeofday \
    txid_status ";

/// Every function with whether all of its forms take or give what no statement can, and whether any is volatile.
const FUNCTIONS: &str = "SELECT proname::text, \
    bool_and(2281 = ANY (proargtypes) OR prorettype::regtype::text IN ('trigger', 'event_trigger', 'internal', \
        'language_handler', 'fdw_handler', 'index_am_handler', 'table_am_handler', 'tsm_handler')), \
    bool_or(provolatile = 'v'), bool_and(provolatile = 'v') \
    FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace GROUP BY 1 ORDER BY 1";

fn allowed(dialect: Dialect, sql: &str) -> bool {
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Person,
        tool: "execute_sql".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Sql(SqlOperation {
            connection: "main".to_owned(),
            dialect: Some(dialect),
            sql: sql.to_owned(),
            way: SqlWay::Plain,
        }),
        cwd: "/".into(),
    };
    let (facts, settings) = (Facts::default(), AssessSettings::default());
    let subject = Subject { operation: &operation, facts: &facts, settings: &settings };
    assess(&SqlAssessor, subject).class() == Class::Whitelisted
}

/// All rows of a query, read in parts, as only so many are kept.
async fn rows(desk: &Desk, sql: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    loop {
        let (table, _) = desk.read(&format!("{sql} LIMIT 500 OFFSET {}", all.len())).await;
        let count = table.rows.len();
        all.extend(
            table.rows.into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()),
        );
        if count < 500 {
            return all;
        }
    }
}

/// Whether exactly one table has a function.
fn in_one_class(dialect: Dialect, name: &str) -> bool {
    sql_catalog::function_reads(dialect, name) != sql_catalog::function_acts(dialect, name)
}

#[tokio::test]
async fn every_function_of_postgres_is_in_one_class_and_none_that_acts_is_called_a_read() {
    let Some(url) = postgres().await else { return };
    let functions = rows(&Desk::new(&url), FUNCTIONS).await;
    assert!(functions.len() > 2000);
    let mut wrong = Vec::new();
    for row in functions {
        let [name, inner, volatile, always] = row.try_into().unwrap();
        let reads = sql_catalog::function_reads(Dialect::Postgres, &name);
        let called = format!("SELECT pg_catalog.\"{name}\"()");
        if inner == "t" {
            wrong.extend((reads || allowed(Dialect::Postgres, &called)).then(|| format!("{name} can't be called")));
            continue;
        }
        wrong.extend((!in_one_class(Dialect::Postgres, &name)).then(|| format!("{name} is in no class or in two")));
        // Which setting it tells has to be a plain text.
        let called = if name == "current_setting" { called.replace("()", "('work_mem')") } else { called };
        wrong.extend((allowed(Dialect::Postgres, &called) != reads).then(|| format!("{name} is judged otherwise")));
        let looks = LOOKS.contains(&format!(" {name} "));
        wrong.extend((reads && volatile == "t" && !looks).then(|| format!("{name} reads, but is volatile")));
        // A plan calls what isn't volatile.
        let planned = !reads && allowed(Dialect::Postgres, &format!("EXPLAIN {called}"));
        wrong.extend((planned && always != "t").then(|| format!("{name} may be called by a plan")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn every_operator_and_type_of_postgres_is_known() {
    let Some(url) = postgres().await else { return };
    let desk = Desk::new(&url);
    let system = "WHERE oprnamespace = 'pg_catalog'::regnamespace";
    for row in rows(&desk, &format!("SELECT DISTINCT oprname::text FROM pg_operator {system} ORDER BY 1")).await {
        let sql = format!("SELECT a {0} b, a OPERATOR(pg_catalog.{0}) b FROM t", row[0]);
        assert!(allowed(Dialect::Postgres, &sql), "{sql}");
    }
    let types = "SELECT typname::text FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace \
        AND typtype IN ('b', 'r', 'm') AND typelem = 0 ORDER BY 1";
    for row in rows(&desk, types).await {
        let sql = format!("SELECT \"{0}\"('x'), 'x'::\"{0}\", CAST('x' AS \"{0}\")", row[0]);
        assert!(allowed(Dialect::Postgres, &sql), "{sql}");
    }
}

#[tokio::test]
async fn every_function_of_mariadb_is_in_one_class() {
    let Some(url) = mariadb().await else { return };
    let desk = Desk::new(&url);
    let own = "SELECT LOWER(function) FROM information_schema.sql_functions ORDER BY 1";
    let sys = "SELECT CONCAT('sys.', routine_name) FROM information_schema.routines \
        WHERE routine_schema = 'sys' AND routine_type = 'FUNCTION' ORDER BY 1";
    let mut names = rows(&desk, own).await.concat();
    names.extend(rows(&desk, sys).await.concat());
    assert!(names.len() > 250);
    let wrong: Vec<_> = names.iter().filter(|name| !in_one_class(Dialect::Mysql, name)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[tokio::test]
async fn every_function_of_the_own_sqlite_is_in_one_class() {
    let desk = Desk::new("sqlite::memory:");
    let names = rows(&desk, "SELECT DISTINCT lower(name) FROM pragma_function_list ORDER BY 1").await.concat();
    assert!(names.len() > 100);
    let operators = ["->", "->>"];
    let missing = |name: &&String| !operators.contains(&name.as_str()) && !in_one_class(Dialect::Sqlite, name);
    let wrong: Vec<_> = names.iter().filter(missing).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[tokio::test]
async fn pragma_tables_that_are_called_reads_change_nothing() {
    let desk = Desk::new("sqlite::memory:");
    let names = rows(&desk, "SELECT name FROM pragma_pragma_list ORDER BY 1").await.concat();
    for name in names {
        let table = format!("pragma_{name}");
        let telling = allowed(Dialect::Sqlite, &format!("SELECT * FROM {table}"));
        assert_eq!(telling, sql_catalog::function_reads(Dialect::Sqlite, &table), "{name}");
        let sets = ["journal_mode", "wal_checkpoint", "optimize", "incremental_vacuum", "shrink_memory"];
        assert!(!(telling && sets.contains(&name.as_str())), "{name}");
        let setting = format!("PRAGMA {name}");
        if !telling || !sql_catalog::pragma_reads(&name, false) {
            continue;
        }
        let before = desk.read(&setting).await.0.rows;
        for given in ["(1)", "('on')", "(7, 'main')", " WHERE arg = 1", " WHERE schema = 'main'"] {
            desk.read(&format!("SELECT * FROM {table}{given}")).await;
        }
        // What the reads before brought along is listed, too.
        let listed = matches!(name.as_str(), "module_list" | "function_list");
        assert!(listed || desk.read(&setting).await.0.rows == before, "{name}");
    }
}
