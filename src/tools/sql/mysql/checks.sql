-- The conditions that no row of a table may miss; first, whether what a column can't hold is refused, and
-- what divides by zero. MariaDB names checks
-- table by table, MySQL schema by schema: what the two tables of the catalog share tells them apart in both.
SELECT 'strict', '' FROM DUAL WHERE @@sql_mode LIKE '%STRICT\_%TABLES%'
UNION ALL
SELECT 'divides', '' FROM DUAL WHERE @@sql_mode LIKE '%ERROR\_FOR\_DIVISION\_BY\_ZERO%'
UNION ALL
SELECT 'check', CHECK_CLAUSE
FROM information_schema.CHECK_CONSTRAINTS NATURAL JOIN information_schema.TABLE_CONSTRAINTS
WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND CONSTRAINT_TYPE = 'CHECK'
