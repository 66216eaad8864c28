-- What is in a schema: the schema itself, its tables without their partitions, its views. Two columns: sort and name. The
-- engine's own operators, whatever the search path says.
SELECT 'schema' AS sort, n.nspname::pg_catalog.text AS name
FROM pg_catalog.pg_namespace n WHERE n.nspname OPERATOR(pg_catalog.=) {name}
UNION ALL
SELECT CASE WHEN c.relkind OPERATOR(pg_catalog.=) ANY ('{v,m}'::pg_catalog."char"[]) THEN 'view' ELSE 'table' END,
  c.relname::pg_catalog.text
FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid
WHERE n.nspname OPERATOR(pg_catalog.=) {name} AND NOT c.relispartition
  AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,f,v,m}'::pg_catalog."char"[])
ORDER BY sort, name
