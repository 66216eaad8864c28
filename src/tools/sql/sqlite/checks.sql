-- The statement that made a table, which holds the conditions that none of its rows may miss, unless they are turned off;
-- first, whether what a column can't hold is refused.
SELECT 'strict', ''
UNION ALL
SELECT 'made', m.sql FROM sqlite_schema m
WHERE lower(m.name) = lower({name}) AND m.type = 'table' AND (SELECT p.ignore_check_constraints FROM pragma_ignore_check_constraints p) = 0
UNION ALL
SELECT 'index', m.sql FROM sqlite_schema m WHERE m.type = 'index' AND lower(m.tbl_name) = lower({name}) AND m.sql IS NOT NULL
