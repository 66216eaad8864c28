-- What may need a column of a table: the statements that made the table, its indexes, views and triggers. Three columns: sort,
-- name, and the statement.
SELECT m.type, m.name, m.sql
FROM sqlite_schema m
WHERE {sort} = 'column' AND m.sql IS NOT NULL AND (
  m.type IN ('table', 'index') AND lower(m.tbl_name) = lower({name})
  OR m.type IN ('view', 'trigger') AND instr(lower(replace(replace(m.sql, '""', '"'), '``', '`')), lower(replace(replace({part}, '""', '"'), '``', '`'))) > 0
)
