-- What must not get through as a read, one statement a line. {dir} holds the canary, {pid} is another session.
-- Files of the server and of this machine.
SELECT * FROM canary INTO OUTFILE '{dir}/out'
SELECT 1 INTO DUMPFILE '{dir}/out'
SELECT * INTO OUTFILE '{dir}/out' FROM canary
(SELECT 1) UNION (SELECT 2) INTO OUTFILE '{dir}/out'
SELECT i FROM canary LIMIT 1 INTO @a
SELECT LOAD_FILE('{dir}/secret')
SELECT CONCAT(load_file ('{dir}/secret'))
SELECT `load_file`('{dir}/secret')
SELECT * FROM canary WHERE LOAD_FILE('{dir}/secret') IS NOT NULL
SELECT 1 ORDER BY LOAD_FILE('{dir}/secret')
WITH a AS (SELECT LOAD_FILE('{dir}/secret') x) SELECT x FROM a
VALUES (LOAD_FILE('{dir}/secret'))
LOAD DATA INFILE '{dir}/secret' INTO TABLE t (b)
LOAD DATA LOCAL INFILE '{dir}/secret' INTO TABLE t (b)
LOAD XML INFILE '{dir}/secret' INTO TABLE t
SELECT 1 /*! INTO OUTFILE '{dir}/out' */
SELECT 1 /*M!100100 INTO OUTFILE '{dir}/out' */
-- Waits, locks and other sessions.
SELECT SLEEP(60)
SELECT * FROM slow
SELECT BENCHMARK(100000000000, MD5('x'))
SELECT GET_LOCK('canary', 0)
SELECT RELEASE_ALL_LOCKS()
SELECT MASTER_POS_WAIT('x', 4, 60)
DO SLEEP(60)
DO GET_LOCK('canary', 0)
KILL {pid}
KILL QUERY {pid}
KILL SOFT USER root
LOCK TABLES canary WRITE
HANDLER canary OPEN
FLUSH TABLES
FLUSH TABLES WITH READ LOCK
FLUSH PRIVILEGES
BACKUP LOCK canary
SELECT * FROM canary FOR UPDATE
-- Ways out of the transaction.
COMMIT
COMMIT; DELETE FROM canary
SET SESSION TRANSACTION READ WRITE
SET SESSION TRANSACTION READ WRITE; DELETE FROM canary
SET tx_read_only = 0
SET autocommit = 0
SET STATEMENT tx_read_only = 0 FOR DELETE FROM canary
START TRANSACTION READ WRITE
BEGIN NOT ATOMIC COMMIT; DELETE FROM canary; END
EXECUTE IMMEDIATE 'DELETE FROM canary'
PREPARE p FROM 'DELETE FROM canary'
SELECT 1; DELETE FROM canary
XA START 'proof'
-- Changes by themselves.
DELETE FROM canary
DELETE FROM old
INSERT INTO canary VALUES (9, 9)
REPLACE INTO canary VALUES (1, 9)
UPDATE old SET a = 9
TRUNCATE TABLE old
TRUNCATE canary
DROP TABLE canary
ALTER TABLE canary ADD k INT
RENAME TABLE canary TO gone
CREATE TABLE new_table AS SELECT * FROM canary
CREATE TEMPORARY TABLE new_table (i INT)
OPTIMIZE TABLE old
ANALYZE TABLE old
REPAIR TABLE old
CHECK TABLE old
ANALYZE DELETE FROM old
ANALYZE FORMAT=JSON UPDATE old SET a = 9
EXPLAIN DELETE FROM old
CALL act()
SELECT NEXT VALUE FOR counter
SELECT NEXTVAL(counter)
SELECT SETVAL(counter, 99)
SELECT i FROM canary WHERE i < NEXTVAL(counter)
SET GLOBAL long_query_time = 9
SET PASSWORD FOR '{user}'@'127.0.0.1' = PASSWORD('x')
CREATE USER countersign_proof_new
GRANT ALL ON *.* TO '{user}'@'127.0.0.1'
ALTER USER '{user}'@'127.0.0.1' ACCOUNT LOCK
INSTALL SONAME 'no_such_plugin'
CREATE FUNCTION loaded RETURNS INTEGER SONAME 'no_such.so'
RESET QUERY CACHE
PURGE BINARY LOGS BEFORE '2000-01-01'
CREATE EVENT away ON SCHEDULE EVERY 1 DAY DO DELETE FROM canary
-- Code that somebody put there.
SELECT own()
SELECT `own`()
SELECT * FROM remote
SELECT COUNT(*) FROM further
EXPLAIN SELECT * FROM further
SELECT * FROM (SELECT x FROM further) q
-- Secrets.
SELECT user, authentication_string FROM mysql.user
SELECT * FROM mysql.global_priv
SELECT * FROM `mysql` . `global_priv`
TABLE mysql.user
SELECT * FROM hashes
SHOW CREATE USER '{user}'@'127.0.0.1'
SHOW GRANTS FOR '{user}'@'127.0.0.1'
