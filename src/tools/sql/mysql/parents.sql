-- What the rows of one table refer to: each of its foreign keys, then its columns in pairs. Six columns: sort, and five
-- that depend on it.
SELECT 'link', k.CONSTRAINT_NAME, k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, '/', 0
FROM information_schema.KEY_COLUMN_USAGE k
WHERE k.TABLE_SCHEMA = {schema} AND k.TABLE_NAME = {name} AND k.REFERENCED_TABLE_NAME IS NOT NULL
  AND k.ORDINAL_POSITION = 1 AND @@foreign_key_checks
UNION ALL
SELECT 'pair', k.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_COLUMN_NAME, '', k.ORDINAL_POSITION
FROM information_schema.KEY_COLUMN_USAGE k
WHERE k.TABLE_SCHEMA = {schema} AND k.TABLE_NAME = {name} AND k.REFERENCED_TABLE_NAME IS NOT NULL
ORDER BY 6
