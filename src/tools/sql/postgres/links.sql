-- What goes along with deleted or changed rows of the table whose number is in the setting `countersign.table`, or
-- changes: each foreign key that leads to it, with what it says of both, then its columns in pairs. Six columns: sort,
-- and five that depend on it.
WITH f AS (
  SELECT * FROM pg_constraint
  WHERE confrelid = current_setting('countersign.table')::oid AND contype = 'f' AND conparentid = 0
    AND (confdeltype IN ('c', 'n', 'd') OR confupdtype IN ('c', 'n', 'd'))
)
SELECT 'link', f.oid::text, n.nspname::text, o.relname::text,
  CASE f.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'd' THEN 'set default' ELSE '' END || '/'
    || CASE f.confupdtype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'd' THEN 'set default' ELSE '' END, 0::bigint
FROM f JOIN pg_class o ON o.oid = f.conrelid JOIN pg_namespace n ON n.oid = o.relnamespace
UNION ALL
SELECT 'pair', f.oid::text, c.attname::text, p.attname::text, '', k.place
FROM f
CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (child, parent, place)
JOIN pg_attribute c ON c.attrelid = f.conrelid AND c.attnum = k.child
JOIN pg_attribute p ON p.attrelid = f.confrelid AND p.attnum = k.parent
ORDER BY 6
