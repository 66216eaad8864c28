-- What goes along with deleted or changed rows of the table whose number is in the setting `countersign.table`, changes,
-- or forbids that: each foreign key that leads to it, to what it is a part of, or to a part of it, with what it says of both,
-- then its columns in pairs. Six columns: sort, and five that depend on it.
WITH RECURSIVE t AS (SELECT current_setting('countersign.table')::oid AS oid),
above AS (SELECT p.relid AS oid FROM t CROSS JOIN LATERAL pg_partition_ancestors(t.oid) AS p),
below AS (
  SELECT oid FROM t
  UNION
  SELECT i.inhrelid FROM below JOIN pg_inherits i ON i.inhparent = below.oid
),
f AS (
  SELECT * FROM pg_constraint
  WHERE confrelid IN (SELECT oid FROM above UNION SELECT oid FROM below) AND contype = 'f' AND conparentid = 0
)
SELECT 'link', f.oid::text, n.nspname::text, o.relname::text,
  CASE f.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'd' THEN 'set default' WHEN 'r' THEN 'restrict' ELSE '' END || '/'
    || CASE f.confupdtype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'd' THEN 'set default' WHEN 'r' THEN 'restrict' ELSE '' END
    || CASE WHEN f.confrelid <> t.oid AND f.confrelid IN (SELECT oid FROM below) THEN '/part' ELSE '' END
    || CASE WHEN f.condeferred THEN '/late' ELSE '' END
    || CASE WHEN row_security_active(f.conrelid) THEN '/guarded' ELSE '' END
    || CASE WHEN current_setting('session_replication_role') = 'replica'
      OR EXISTS (SELECT FROM pg_trigger g WHERE g.tgconstraint = f.oid AND g.tgenabled = 'D') THEN '/off' ELSE '' END, 0::bigint
FROM t, f JOIN pg_class o ON o.oid = f.conrelid JOIN pg_namespace n ON n.oid = o.relnamespace
UNION ALL
SELECT 'pair', f.oid::text, c.attname::text, p.attname::text, '', k.place
FROM f
CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (child, parent, place)
JOIN pg_attribute c ON c.attrelid = f.conrelid AND c.attnum = k.child
JOIN pg_attribute p ON p.attrelid = f.confrelid AND p.attnum = k.parent
ORDER BY 6
