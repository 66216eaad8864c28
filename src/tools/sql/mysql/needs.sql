-- What may need a column or an index of a table. Three columns: `need`, and a description of what surely needs the column
-- that goes; `index`, `key` or `counts`, a name, and a column of that index, of that foreign key, or that counts: by these
-- it is told whether an index is needed.
SELECT 'need', CONCAT('the foreign key ', CONSTRAINT_NAME), ''
FROM information_schema.KEY_COLUMN_USAGE
WHERE {sort} = 'column' AND TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND COLUMN_NAME = {part}
  AND REFERENCED_TABLE_NAME IS NOT NULL
UNION ALL
SELECT 'need', CONCAT('the foreign key ', CONSTRAINT_NAME, ' of ', TABLE_NAME), ''
FROM information_schema.KEY_COLUMN_USAGE
WHERE {sort} = 'column' AND REFERENCED_TABLE_SCHEMA = {schema} AND REFERENCED_TABLE_NAME = {name}
  AND REFERENCED_COLUMN_NAME = {part} AND @@foreign_key_checks
UNION ALL
-- What stands in quotes isn't a name.
SELECT 'need', CONCAT('column ', COLUMN_NAME), ''
FROM information_schema.COLUMNS
WHERE {sort} = 'column' AND TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND COLUMN_NAME <> {part}
  AND INSTR(GENERATION_EXPRESSION, CONCAT('`', REPLACE({part}, '`', '``'), '`')) > 0 AND INSTR(GENERATION_EXPRESSION, '''') = 0
UNION ALL
SELECT 'need', CONCAT('the unique key ', INDEX_NAME), ''
FROM information_schema.STATISTICS
WHERE {sort} = 'column' AND TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND NON_UNIQUE = 0
  AND VERSION() LIKE '%MariaDB%' -- MySQL takes the column out of the key
GROUP BY INDEX_NAME HAVING COUNT(*) > 1 AND SUM(COLUMN_NAME = {part}) > 0
UNION ALL
(SELECT 'index', INDEX_NAME, IF(SUB_PART IS NULL, COLUMN_NAME, '')
FROM information_schema.STATISTICS
WHERE {sort} = 'index' AND TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} ORDER BY INDEX_NAME, SEQ_IN_INDEX LIMIT 1000)
UNION ALL
(SELECT 'key', CONCAT('the foreign key ', CONSTRAINT_NAME), COLUMN_NAME
FROM information_schema.KEY_COLUMN_USAGE
WHERE {sort} = 'index' AND TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND REFERENCED_TABLE_NAME IS NOT NULL AND @@foreign_key_checks
ORDER BY CONSTRAINT_NAME, ORDINAL_POSITION LIMIT 1000)
UNION ALL
(SELECT 'key', CONCAT('the foreign key ', CONSTRAINT_NAME, ' of ', TABLE_NAME), REFERENCED_COLUMN_NAME
FROM information_schema.KEY_COLUMN_USAGE
WHERE {sort} = 'index' AND REFERENCED_TABLE_SCHEMA = {schema} AND REFERENCED_TABLE_NAME = {name} AND @@foreign_key_checks
ORDER BY CONSTRAINT_SCHEMA, CONSTRAINT_NAME, ORDINAL_POSITION LIMIT 1000)
UNION ALL
SELECT 'counts', CONCAT('column ', COLUMN_NAME), COLUMN_NAME
FROM information_schema.COLUMNS
WHERE {sort} = 'index' AND TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND EXTRA LIKE '%auto_increment%'
