-- The tables that `TRUNCATE … CASCADE` empties together with the one whose number is in the setting `countersign.table`:
-- all that refer to it or to the tables that inherit from it, and what refers to those. A partition is in its table. Three
-- columns: schema, name, and whether its rows are those of tables that inherit from it, too.
WITH RECURSIVE own AS (
  SELECT current_setting('countersign.table')::oid AS oid
  UNION
  SELECT i.inhrelid FROM own JOIN pg_inherits i ON i.inhparent = own.oid WHERE {heirs}
),
emptied AS (
  SELECT own.oid FROM own
  UNION
  SELECT f.conrelid FROM emptied JOIN pg_constraint f ON f.confrelid = emptied.oid AND f.contype = 'f'
)
SELECT n.nspname::text, c.relname::text, CASE WHEN c.relkind = 'p' THEN 'whole' ELSE '' END
FROM emptied JOIN pg_class c ON c.oid = emptied.oid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid NOT IN (SELECT own.oid FROM own) AND NOT EXISTS (
  SELECT FROM pg_partition_ancestors(c.oid) AS a
  WHERE c.relispartition AND a.relid <> c.oid AND a.relid IN (SELECT emptied.oid FROM emptied)
)
ORDER BY 1, 2
