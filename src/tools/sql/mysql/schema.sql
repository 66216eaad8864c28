-- What is in a database: the database itself, its tables, its views. Two columns: sort and name.
SELECT 'schema' AS sort, SCHEMA_NAME AS name FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = {name}
UNION ALL
SELECT IF(TABLE_TYPE LIKE '%VIEW', 'view', 'table'), TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = {name}
ORDER BY sort, name
