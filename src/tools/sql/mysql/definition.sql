-- What lies under a name, or an index of the table of that name: its sort, its schema and name, and for a view or an
-- index what makes it. Four columns.
SELECT 'table', TABLE_SCHEMA, TABLE_NAME, ''
FROM information_schema.TABLES
WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND TABLE_TYPE NOT LIKE '%VIEW' AND {index} = ''
UNION ALL
SELECT 'view', TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION
FROM information_schema.VIEWS WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND {index} = ''
UNION ALL
SELECT 'index', TABLE_SCHEMA, INDEX_NAME,
  CONCAT(IF(MIN(NON_UNIQUE) = 0, 'UNIQUE ', ''), 'INDEX ', INDEX_NAME, ' ON ', MIN(TABLE_NAME), ' (',
    GROUP_CONCAT(IFNULL(COLUMN_NAME, '…') ORDER BY SEQ_IN_INDEX SEPARATOR ', '), ')')
FROM information_schema.STATISTICS
WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND INDEX_NAME = {index} GROUP BY TABLE_SCHEMA, INDEX_NAME
