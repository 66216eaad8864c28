-- What must not get through as a read, one statement a line. {dir} holds the canary, {pid} is another session.
-- Files and programs of the server.
COPY canary TO PROGRAM 'cat > {dir}/out'
COPY canary TO '{dir}/out'
COPY (SELECT 1) TO PROGRAM 'touch {dir}/out'
COPY canary FROM PROGRAM 'touch {dir}/out; echo 1'
COPY t (b) FROM '{dir}/secret'
SELECT pg_read_file('{dir}/secret')
SELECT * FROM pg_read_file('{dir}/secret') AS f (x)
SELECT ('{dir}/secret'::text).pg_read_file
SELECT "pg_catalog" . "pg_read_file" ('{dir}/secret')
SELECT convert_from(pg_read_binary_file('{dir}/secret'), 'UTF8')
SELECT x FROM (SELECT 1) q, LATERAL pg_read_file('{dir}/secret') x
SELECT CASE WHEN true THEN pg_read_file('{dir}/secret') END
SELECT string_agg(pg_read_file('{dir}/secret'), '') FROM canary
SELECT 1 ORDER BY pg_read_file('{dir}/secret')
SELECT 1 LIMIT length(pg_read_file('{dir}/secret'))
EXPLAIN ANALYZE SELECT pg_read_file('{dir}/secret')
SELECT pg_ls_dir('{dir}')
SELECT pg_stat_file('{dir}/secret')
SELECT pg_file_write('{dir}/out', 'x', false)
SELECT lo_import('{dir}/secret')
SELECT lo_export(4242, '{dir}/out')
SELECT * FROM far
SELECT count(*) FROM far
SELECT * FROM split
WITH a AS (TABLE far) SELECT 1 FROM a
EXPLAIN SELECT * FROM far
LOAD '{dir}/secret'
-- Large objects and sequences.
SELECT lo_create(4243)
SELECT lo_unlink(4242)
SELECT lo_put(4242, 0, 'gone')
SELECT lo_from_bytea(0, 'new')
SELECT lowrite(lo_open(4242, 131072), 'gone')
SELECT lo_truncate(lo_open(4242, 131072), 0)
SELECT nextval('counter')
SELECT setval('counter', 99)
SELECT * FROM t WHERE a < nextval('counter')
-- Other sessions.
SELECT pg_terminate_backend({pid})
SELECT pg_cancel_backend({pid})
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}' AND pid <> pg_backend_pid()
WITH x AS (SELECT pg_terminate_backend({pid})) TABLE x
VALUES (pg_terminate_backend({pid}))
SELECT ({pid}).pg_terminate_backend
SELECT pg_notify('c', 'x')
NOTIFY c
LISTEN c
LOCK TABLE canary
SELECT pg_advisory_lock(1)
SELECT pg_advisory_xact_lock(1) FROM canary
SELECT pg_sleep(60)
SELECT * FROM canary FOR UPDATE
SELECT * FROM canary FOR KEY SHARE
-- Ways out of the transaction.
COMMIT
COMMIT; DELETE FROM canary
END; TRUNCATE canary; BEGIN
ROLLBACK; BEGIN READ WRITE; DELETE FROM canary; COMMIT
SET TRANSACTION READ WRITE
SET TRANSACTION READ WRITE; DELETE FROM canary
SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE
SET default_transaction_read_only = off
SELECT set_config('transaction_read_only', 'off', false)
SELECT set_config('default_transaction_read_only', 'off', false)
RESET ALL
DISCARD ALL
SAVEPOINT a
PREPARE TRANSACTION 'proof'
SELECT 1; DELETE FROM canary
SELECT 1;; COMMIT;; DELETE FROM canary
-- Changes by themselves.
DELETE FROM canary
INSERT INTO canary VALUES (9, 9)
UPDATE canary SET j = 0
TRUNCATE canary
DROP TABLE canary
CREATE TABLE new_table (i int)
CREATE TEMP TABLE new_table (i int)
SELECT * INTO new_table FROM canary
CREATE TABLE new_table AS SELECT * FROM canary
WITH d AS (DELETE FROM canary RETURNING *) SELECT * FROM d
EXPLAIN ANALYZE DELETE FROM canary
EXPLAIN (ANALYZE true) INSERT INTO canary VALUES (9, 9)
EXPLAIN ANALYZE CREATE TABLE new_table AS SELECT 1
EXPLAIN ANALYZE SELECT * INTO new_table FROM canary
EXPLAIN ANALYZE CREATE MATERIALIZED VIEW new_view AS SELECT 1
DO $$ BEGIN DELETE FROM canary; END $$
CALL act(1)
ALTER SYSTEM SET work_mem = '5MB'
ALTER ROLE {role} SUPERUSER
CREATE ROLE countersign_proof_new
GRANT ALL ON canary TO PUBLIC
COMMENT ON TABLE canary IS 'x'
SECURITY LABEL ON TABLE canary IS 'x'
VACUUM canary
ANALYZE canary
REINDEX TABLE t
CLUSTER t USING i
CHECKPOINT
REFRESH MATERIALIZED VIEW none
DECLARE c CURSOR FOR SELECT own()
PREPARE p AS DELETE FROM canary
EXECUTE p
SELECT pg_reload_conf()
SELECT pg_rotate_logfile()
SELECT pg_switch_wal()
SELECT pg_create_restore_point('proof')
SELECT pg_logical_emit_message(false, 'a', 'b')
SELECT pg_create_physical_replication_slot('proof')
SELECT pg_stat_reset()
SELECT txid_current()
SELECT pg_current_xact_id()
SELECT query_to_xml('DELETE FROM canary RETURNING i', true, true, '')
SELECT query_to_xml('SELECT pg_read_file(''{dir}/secret'')', true, true, '')
SELECT * FROM ts_stat('SELECT to_tsvector(pg_read_file(''{dir}/secret''))')
SELECT database_to_xml(true, true, '')
-- Code that somebody put there.
SELECT own()
SELECT fixed(1)
EXPLAIN SELECT fixed(1)
SELECT lower(1)
SELECT "lower"(1)
SELECT public.lower(1)
SELECT * FROM remote
SELECT count(*) FROM further
TABLE further
SELECT * FROM (SELECT x FROM further) q WHERE x > 0
SELECT * FROM bent
EXPLAIN SELECT * FROM bent
EXPLAIN DELETE FROM ruled
SELECT * FROM dblink('host=127.0.0.1 dbname={database}', 'DELETE FROM canary RETURNING i') AS d (i int)
SELECT dblink_exec('host=127.0.0.1 dbname={database} user=' || current_user, 'DELETE FROM canary')
-- Secrets.
SELECT rolname, rolpassword FROM pg_authid
TABLE pg_authid
SELECT passwd FROM pg_shadow
SELECT row_to_json(a) FROM pg_authid a
SELECT usename, passwd FROM pg_catalog.pg_shadow
SELECT * FROM pg_hba_file_rules
SELECT umoptions FROM pg_user_mapping
