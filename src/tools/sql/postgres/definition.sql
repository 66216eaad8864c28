-- What lies under a name, whose number is in the setting `countersign.table`: its sort, its schema and name, and for a
-- view or an index the statement that makes it. Four columns.
SELECT CASE WHEN c.relkind = 'v' THEN 'view' WHEN c.relkind = 'm' THEN 'materialized view'
    WHEN c.relkind IN ('i', 'I') THEN 'index' ELSE 'table' END,
  n.nspname::text, c.relname::text,
  CASE
    WHEN c.relkind = 'v' THEN format('CREATE VIEW %I.%I AS%s', n.nspname, c.relname, chr(10) || pg_get_viewdef(c.oid, true))
    WHEN c.relkind = 'm' THEN format('CREATE MATERIALIZED VIEW %I.%I AS%s', n.nspname, c.relname, chr(10) || pg_get_viewdef(c.oid, true))
    WHEN c.relkind IN ('i', 'I') THEN pg_get_indexdef(c.oid)
    ELSE ''
  END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = current_setting('countersign.table')::oid
