//! What an ordinary role can plant in a PostgreSQL database so that an administrator's read runs it: code in the
//! checks of types, operator classes, and what changes between the look and the run. None of it runs unasked. The
//! server that `COUNTERSIGN_POSTGRES` names.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/databases.rs"]
mod databases;
#[path = "common/left_out.rs"]
mod left_out;
#[path = "common/traps.rs"]
mod traps;

use databases::{Desk, postgres};
use traps::{all_ask, all_run, dropped, trapped};

/// What an ordinary role can plant: code in the checks of types, reached from a view, a policy, an index or a value.
const PLANTED: &str = r#"
CREATE EXTENSION dblink; CREATE SCHEMA mal; SET search_path = mal, public;
CREATE TABLE public.canary (i int); INSERT INTO public.canary VALUES (1);
CREATE FUNCTION steal() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE DOMAIN d2 AS int CHECK (mal.steal() = 1);
CREATE DOMAIN d3 AS d2; CREATE TYPE comp AS (a d3); CREATE TYPE span AS RANGE (subtype = d2);
CREATE TABLE c (id int); INSERT INTO c VALUES (1);
CREATE VIEW report AS SELECT id FROM c WHERE (id::d2)::int > 0;
CREATE VIEW outer_report AS SELECT id FROM report;
CREATE VIEW listed AS SELECT id FROM c WHERE id = ANY ('{1}'::d2[]);
CREATE VIEW whole AS SELECT id FROM c WHERE ROW(id)::comp IS NOT NULL;
CREATE VIEW filled AS SELECT json_populate_record(NULL::comp, '{"a":1}') IS NULL AS x FROM c;
CREATE VIEW named AS SELECT x.a::int AS a FROM json_to_record('{"a":1}') AS x (a d2);
CREATE VIEW ranged AS SELECT id FROM c WHERE '[1,5)'::span IS NOT NULL;
CREATE TABLE guarded (id int); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON guarded USING (id::d2 > 0);
CREATE TABLE indexed (id int); CREATE INDEX ON indexed ((id::d2));
CREATE TABLE limited (id int CHECK (id::d2 > 0));
CREATE TABLE counted (id int); CREATE STATISTICS known ON (id::d2) FROM counted;
CREATE TABLE parted (id int) PARTITION BY RANGE ((id::d2)); CREATE FUNCTION body() RETURNS comp LANGUAGE sql AS 'SELECT NULL::mal.comp';
CREATE DOMAIN d_exp AS int CHECK (lo_export(VALUE::oid, '/tmp/none/x') IS NOT NULL);
CREATE DOMAIN d_term AS int CHECK (pg_terminate_backend(VALUE));
CREATE DOMAIN d_xml AS int CHECK (query_to_xml('SELECT mal.steal()', true, true, '') IS NOT NULL);
CREATE DOMAIN d_lock AS int CHECK (pg_advisory_lock(VALUE) IS NOT NULL);
CREATE DOMAIN d_stat AS int CHECK (pg_stat_reset() IS NOT NULL);
CREATE DOMAIN d_emit AS int CHECK (pg_logical_emit_message(false, 'a', 'b') IS NOT NULL);
CREATE DOMAIN d_sleep AS int CHECK (pg_sleep(VALUE) IS NOT NULL);
CREATE DOMAIN d_read AS text CHECK (pg_read_file(VALUE) <> '');
CREATE TYPE ts AS (id int, v d_stat); CREATE VIEW kept AS SELECT (id::d_stat)::int AS id FROM c;
CREATE TABLE logged (id int CHECK (pg_sleep(id) IS NOT NULL));
CREATE DOMAIN email AS text CHECK (VALUE ~ '^[^@]+@[^@]+$' AND length(VALUE) < 200);
CREATE DOMAIN positive AS int DEFAULT 1 CHECK (VALUE > 0);
CREATE TYPE floats AS RANGE (subtype = float8, subtype_diff = float8mi);
CREATE TABLE tame (id positive, mail email, f floats, at date CHECK (at > '2000-01-01'), CHECK (lower(mail) = mail));
INSERT INTO tame VALUES (1, 'a@b', '[1,2)', '2020-01-01'); CREATE INDEX ON tame (lower(mail)) WHERE id > 0;
CREATE STATISTICS tame_known ON lower(mail), (id + 1) FROM tame;
CREATE VIEW tame_view AS SELECT id, mail::text, (id + 1)::positive AS next FROM tame WHERE mail = 'a@b'::email;
CREATE TABLE tame_parts (id positive, mail email) PARTITION BY HASH (lower(mail));
CREATE TABLE tame_part PARTITION OF tame_parts FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE SEQUENCE tame_numbers OWNED BY tame.id;
CREATE OR REPLACE FUNCTION steal() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
  PERFORM public.dblink_exec('host=127.0.0.1 user=' || current_user || ' dbname=' || current_database(), 'DELETE FROM public.canary');
  RETURN 1; END $$;
CREATE OR REPLACE VIEW information_schema.enabled_roles AS
  SELECT 'a'::information_schema.sql_identifier AS role_name WHERE mal.steal() = 1;
"#;

#[tokio::test]
async fn code_in_the_checks_of_types_asks_wherever_it_is_reached_from() {
    let Some(url) = postgres().await else { return };
    let (url, admin) = trapped(&url, "countersign_planted").await;
    let desk = Desk::new(&url);
    desk.approved(PLANTED).await;
    let stolen = "`mal.steal`";
    let given = "given as a number or text";
    let traps = [
        ("SELECT * FROM mal.report", stolen),
        ("SELECT count(*) FROM mal.outer_report", stolen),
        ("SELECT * FROM mal.listed", stolen),
        ("SELECT * FROM mal.whole", stolen),
        ("SELECT * FROM mal.filled", stolen),
        ("SELECT * FROM mal.named", stolen),
        ("SELECT * FROM mal.ranged", stolen),
        ("SELECT * FROM mal.guarded", stolen),
        ("SELECT * FROM information_schema.enabled_roles", stolen),
        ("SELECT * FROM mal.indexed", stolen),
        ("SELECT * FROM mal.limited", stolen),
        ("SELECT * FROM mal.counted", stolen),
        ("SELECT * FROM mal.parted", stolen),
        ("EXPLAIN SELECT * FROM mal.report", stolen),
        ("SELECT '(1)'::mal.comp", stolen),
        ("SELECT 5::mal.d_exp", "`lo_export`"),
        ("SELECT 5::mal.d_term", "`pg_terminate_backend`"),
        ("SELECT 5::mal.d_xml", "`query_to_xml`"),
        ("SELECT 5::mal.d_lock", "`pg_advisory_lock`"),
        ("SELECT 5::mal.d_stat", "`pg_stat_reset`"),
        ("SELECT 5::mal.d_emit", "`pg_logical_emit_message`"),
        ("SELECT 5::mal.d_sleep", "`pg_sleep`"),
        ("SELECT '/etc/passwd'::mal.d_read", "`pg_read_file`"),
        ("SELECT json_populate_record(NULL::mal.ts, '{\"id\":1,\"v\":3}')", "`pg_stat_reset`"),
        ("SELECT * FROM json_to_record('{\"a\":1}') AS x (a mal.d_stat)", "`pg_stat_reset`"),
        ("SELECT '{1}'::mal._d_stat", "`pg_stat_reset`"),
        ("SELECT * FROM mal.kept", "`pg_stat_reset`"),
        ("SELECT * FROM mal.logged", "`pg_sleep`"),
        ("SELECT array_in('{5}', 'mal.d2'::regtype, -1)::text", given),
        ("SELECT domain_in('5', 'mal.d2'::regtype, -1)::text", given),
        ("SELECT record_in('(1)', 'mal.comp'::regtype, -1)::text", given),
        ("SELECT range_in('[1,5]', 'mal.span'::regtype, -1)::text", given),
        ("SELECT multirange_in('{[1,5]}', 16400, -1)::text", given),
        ("SELECT satisfies_hash_partition('mal.parted'::regclass, 4, 0, 1)", given),
        ("SELECT pg_get_partition_constraintdef('mal.parted'::regclass)", given),
        ("SELECT fmgr_sql_validator('mal.body'::regproc)", given),
        ("SELECT histogram_bounds FROM pg_stats WHERE tablename = 'pg_authid'", "`pg_stats` holds"),
        ("SELECT stavalues1 FROM pg_statistic WHERE starelid = 1260", "`pg_statistic` holds"),
        ("SELECT * FROM pg_toast.pg_toast_1260", "`pg_toast_1260` holds"),
    ];
    all_ask(&desk, &traps).await;
    all_run(
        &desk,
        &[
            "SELECT id, mail, f FROM mal.tame WHERE f @> 1.5::float8 AND mail = 'a@b' ORDER BY id",
            "SELECT DISTINCT mail, next FROM mal.tame_view GROUP BY 1, 2",
            "SELECT 'x@y'::mal.email, 5::mal.positive, '{1}'::mal.positive[]",
            "SELECT (json_populate_record(NULL::mal.tame, '{\"id\":1}')).id",
            "SELECT * FROM mal.tame_part WHERE mail = 'a@b'",
            "SELECT max(id) FROM mal.tame_parts",
            "SELECT last_value FROM mal.tame_numbers",
            "EXPLAIN INSERT INTO mal.tame (mail) VALUES ('c@d')",
            "EXPLAIN (ANALYZE, COSTS off) SELECT * FROM mal.tame_view",
            "SELECT relname, n_live_tup FROM pg_stat_user_tables",
            "SELECT to_regtype('mal.d2')::oid > 0, pg_get_viewdef('mal.report'::regclass)",
        ],
    )
    .await;
    assert_eq!(desk.row("SELECT count(*) FROM public.canary").await, ["1"]);
    drop(desk);
    dropped(&admin, &url).await;
}

#[tokio::test]
async fn operator_classes_that_sorting_takes_without_a_name_ask() {
    let Some(url) = postgres().await else { return };
    let (url, admin) = trapped(&url, "countersign_classes").await;
    let desk = Desk::new(&url);
    desk.approved(
        "CREATE TABLE public.places (p point); INSERT INTO places VALUES ('(1,2)'); CREATE SCHEMA hid;
        CREATE FUNCTION hid.less(int, int) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT $1 < $2';
        CREATE FUNCTION hid.compare(int, int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1 - $2; END';
        CREATE OPERATOR hid.< (LEFTARG = int, RIGHTARG = int, FUNCTION = hid.less);
        CREATE OPERATOR CLASS hid.numbers FOR TYPE int USING btree AS OPERATOR 1 hid.<, FUNCTION 1 hid.compare(int, int);
        CREATE TYPE hid.span AS RANGE (subtype = int, subtype_opclass = hid.numbers);
        CREATE TABLE spans (s hid.span)",
    )
    .await;
    all_ask(&desk, &[("SELECT s FROM spans ORDER BY s", "`hid.numbers`")]).await;
    all_run(&desk, &["SELECT p FROM places"]).await;
    desk.approved(
        "CREATE FUNCTION hid.nearer(point, point) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT false';
        CREATE FUNCTION hid.order_of(point, point) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 0; END';
        CREATE OPERATOR hid.< (LEFTARG = point, RIGHTARG = point, FUNCTION = hid.nearer);
        CREATE OPERATOR CLASS hid.points DEFAULT FOR TYPE point USING btree
          AS OPERATOR 1 hid.<, FUNCTION 1 hid.order_of(point, point)",
    )
    .await;
    all_ask(&desk, &[("SELECT DISTINCT p::text, p FROM places ORDER BY p", "`hid.points`")]).await;
    drop(desk);
    dropped(&admin, &url).await;
}

#[tokio::test]
async fn a_view_that_somebody_replaces_between_the_look_and_the_run_never_fires() {
    let Some(url) = postgres().await else { return };
    let (url, admin) = trapped(&url, "countersign_race").await;
    let keeper = Desk::new(&url);
    keeper
        .approved(
            "CREATE FUNCTION fire() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''fired''; END';
            CREATE FUNCTION fixed(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''fired''; END';
            CREATE VIEW turned AS SELECT 1 AS x; CREATE VIEW around AS SELECT x FROM turned",
        )
        .await;
    let (stop, turning) = (tokio_util::sync::CancellationToken::new(), Desk::new(&url));
    let ended = stop.clone();
    let turn = tokio::spawn(async move {
        while !ended.is_cancelled() {
            turning.approved("CREATE OR REPLACE VIEW turned AS SELECT 1 AS x").await;
            turning.approved("CREATE OR REPLACE VIEW turned AS SELECT fire() + fixed(1) AS x").await;
        }
    });
    let desk = Desk::new(&url);
    let (mut ran, mut refused) = (0, 0);
    for sql in ["SELECT x FROM turned", "SELECT x FROM around", "EXPLAIN SELECT x FROM around"].repeat(50) {
        let report = desk.read(sql).await.1;
        assert!(!report.result.contains("fired"), "{sql}: {}", report.result);
        if report.result.starts_with("error") {
            refused += 1;
        } else {
            ran += 1;
        }
    }
    println!("{ran} ran, {refused} were refused");
    stop.cancel();
    turn.await.unwrap();
    drop(desk);
    drop(keeper);
    dropped(&admin, &url).await;
}
