-- What goes along with deleted or changed rows of one table, changes, or forbids that: each foreign key of its schema that leads to
-- it, with what it says of both, then its columns in pairs. The schema is spelled out in each part, as the server would look at every table otherwise. Six
-- columns: sort, and five that depend on it.
SELECT 'link', CONCAT(r.TABLE_NAME, '/', r.CONSTRAINT_NAME), r.CONSTRAINT_SCHEMA, r.TABLE_NAME,
  LOWER(CONCAT(r.DELETE_RULE, '/', r.UPDATE_RULE)), 0
FROM information_schema.REFERENTIAL_CONSTRAINTS r
WHERE r.CONSTRAINT_SCHEMA = {schema} AND r.UNIQUE_CONSTRAINT_SCHEMA = {schema} AND r.REFERENCED_TABLE_NAME = {name}
  AND @@foreign_key_checks
UNION ALL
SELECT 'pair', CONCAT(k.TABLE_NAME, '/', k.CONSTRAINT_NAME), k.COLUMN_NAME, k.REFERENCED_COLUMN_NAME, '', k.ORDINAL_POSITION
FROM information_schema.KEY_COLUMN_USAGE k
WHERE k.TABLE_SCHEMA = {schema} AND k.REFERENCED_TABLE_SCHEMA = {schema} AND k.REFERENCED_TABLE_NAME = {name}
ORDER BY 6
