-- What must not get through as a read, one statement a line. {dir} holds the canary.
-- Files.
VACUUM INTO '{dir}/out'
ATTACH '{dir}/out' AS out
ATTACH '{dir}/test.db' AS other
DETACH main
SELECT readfile('{dir}/secret')
SELECT writefile('{dir}/out', 'x')
SELECT load_extension('{dir}/secret')
SELECT * FROM loader
SELECT edit('x')
SELECT * FROM fsdir('{dir}')
SELECT fts3_tokenizer('simple', x'0000000000000000')
PRAGMA temp_store_directory = '{dir}'
PRAGMA journal_mode = WAL
PRAGMA journal_mode = DELETE
PRAGMA wal_checkpoint(TRUNCATE)
SELECT * FROM pragma_wal_checkpoint
-- Ways out of reading.
PRAGMA query_only = off
PRAGMA query_only = off; DELETE FROM canary
PRAGMA query_only(0)
PRAGMA trusted_schema = on
PRAGMA writable_schema = on
PRAGMA writable_schema = RESET
PRAGMA locking_mode = EXCLUSIVE
BEGIN IMMEDIATE
BEGIN EXCLUSIVE; DELETE FROM canary; COMMIT
SAVEPOINT a
SELECT 1; DELETE FROM canary
SELECT 1;;;DELETE FROM canary
-- Changes by themselves.
DELETE FROM canary
DELETE FROM loader
INSERT INTO canary VALUES (9, 9)
REPLACE INTO canary VALUES (1, 9)
UPDATE canary SET j = 0 RETURNING j
WITH a AS (SELECT 1) DELETE FROM canary
DROP TABLE canary
ALTER TABLE canary ADD k
CREATE TABLE new_table (i)
CREATE TEMP TABLE new_table (i)
CREATE TEMP TRIGGER away AFTER INSERT ON canary BEGIN DELETE FROM t; END
INSERT INTO words(words) VALUES ('rebuild')
VACUUM
REINDEX
ANALYZE
PRAGMA user_version = 7
PRAGMA application_id(7)
PRAGMA schema_version = 99
PRAGMA auto_vacuum = FULL
PRAGMA incremental_vacuum(5)
PRAGMA encoding = 'UTF-16'
PRAGMA optimize
PRAGMA foreign_keys = on
PRAGMA page_size = 8192
PRAGMA secure_delete = on
EXPLAIN DELETE FROM canary
-- More than there is memory.
SELECT zeroblob(900000000)
SELECT replace(hex(zeroblob(100000000)), '00', 'aaaaaaaaaaaaaaaa')
