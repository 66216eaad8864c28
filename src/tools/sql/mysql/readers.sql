-- The views that read a table, by their texts, in which the server writes every table with its schema. Two columns.
SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.VIEWS
WHERE TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys') AND INSTR(VIEW_DEFINITION, {place}) > 0
ORDER BY 1, 2 LIMIT 100
