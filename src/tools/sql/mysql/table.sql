-- What is known of one table: what it is, its columns, its unique keys, its triggers, and what refers to it. The name
-- is spelled out in each part, as the server would look at every table otherwise. Six columns: sort, and five that
-- depend on it.
SELECT 'table', TABLE_SCHEMA, TABLE_NAME,
  CASE
    WHEN TABLE_TYPE LIKE '%VIEW' THEN 'it is a view'
    WHEN TABLE_TYPE <> 'BASE TABLE' THEN 'it is no plain table'
    WHEN ENGINE <> 'InnoDB' THEN CONCAT('its engine, ', ENGINE, ', can take nothing back')
    WHEN @@character_set_client <> 'utf8mb4' OR @@character_set_connection <> 'utf8mb4'
      OR IFNULL(@@character_set_results, '') <> 'utf8mb4' THEN 'this connection tells texts in an encoding of its own'
    ELSE ''
  END, DATA_LENGTH + INDEX_LENGTH, 0
FROM information_schema.TABLES WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name}
UNION ALL
SELECT 'column', COLUMN_NAME,
  CASE
    WHEN DATA_TYPE IN ('tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal', 'year') THEN 'number'
    WHEN DATA_TYPE = 'double' THEN 'double'
    WHEN DATA_TYPE = 'float' THEN 'float'
    WHEN DATA_TYPE = 'bit' THEN 'bits'
    WHEN DATA_TYPE = 'json' THEN 'json'
    WHEN DATA_TYPE = 'timestamp' THEN 'stamp'
    WHEN DATA_TYPE IN ('date', 'time', 'datetime', 'uuid', 'inet4', 'inet6') THEN 'plain'
    WHEN DATA_TYPE IN ('binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob') THEN 'bytes'
    WHEN CHARACTER_SET_NAME IN ('utf8mb4', 'utf8mb3', 'utf8', 'ascii', 'latin1') THEN 'text'
    ELSE 'inexact'
  END,
  CONCAT_WS(' ', IF(IFNULL(GENERATION_EXPRESSION, '') <> '', 'generated', NULL),
    IF(EXTRA LIKE '%on update%', 'renewed', NULL), IF(IFNULL(COLUMN_DEFAULT, 'NULL') <> 'NULL', 'filled', NULL),
    IF(EXTRA LIKE '%auto_increment%', 'counts', NULL),
    IF(IS_NULLABLE = 'NO' AND EXTRA NOT LIKE '%auto_increment%', 'required', NULL),
    CONCAT('by:', CHARACTER_SET_NAME, '/', COLLATION_NAME)),
  COLUMN_TYPE, ORDINAL_POSITION
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name}
UNION ALL
SELECT 'key', INDEX_NAME, COLUMN_NAME, IF(SUB_PART IS NOT NULL, 'part', IF(NULLABLE = 'YES', 'null', '')), '',
  IF(INDEX_NAME = 'PRIMARY', 0, 1000) + SEQ_IN_INDEX
FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND NON_UNIQUE = 0
UNION ALL
SELECT 'trigger', TRIGGER_NAME, LOWER(EVENT_MANIPULATION), '', IF(ACTION_TIMING = 'BEFORE', 'early', ''), 0
FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = {schema} AND EVENT_OBJECT_TABLE = {name}
UNION ALL
-- For what else than a key it may refuse a row.
SELECT 'refuses', '', '', '', '', 0
FROM information_schema.TABLE_CONSTRAINTS
WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND CONSTRAINT_TYPE IN ('FOREIGN KEY', 'CHECK')
UNION ALL
SELECT 'refuses', '', '', '', '', 0
FROM information_schema.TABLES
WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND CREATE_OPTIONS LIKE '%partitioned%'
UNION ALL
SELECT 'refers', r.TABLE_NAME,
  IF(@@foreign_key_checks, CONCAT_WS(' ', IF(r.DELETE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT'), 'delete', 'no-delete'),
    IF(r.UPDATE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT'), 'update', 'no-update')), ''),
  '', '', 0
FROM information_schema.REFERENTIAL_CONSTRAINTS r
WHERE r.UNIQUE_CONSTRAINT_SCHEMA = {schema} AND r.REFERENCED_TABLE_NAME = {name}
ORDER BY 6
