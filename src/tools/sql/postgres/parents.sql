-- What the rows of the table whose number is in the setting `countersign.table` refer to: each of its foreign keys, then
-- its columns in pairs. Six columns: sort, and five that depend on it.
WITH t AS (SELECT current_setting('countersign.table')::oid AS oid),
f AS (SELECT k.* FROM t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'f')
SELECT 'link', f.oid::text, n.nspname::text, o.relname::text,
  '/' || CASE WHEN f.condeferred THEN '/late' ELSE '' END
    || CASE WHEN current_setting('session_replication_role') = 'replica'
      OR NOT EXISTS (SELECT FROM pg_trigger g WHERE g.tgconstraint = f.oid)
      OR EXISTS (SELECT FROM pg_trigger g WHERE g.tgconstraint = f.oid AND g.tgenabled = 'D') THEN '/off' ELSE '' END, 0::bigint
FROM f JOIN pg_class o ON o.oid = f.confrelid JOIN pg_namespace n ON n.oid = o.relnamespace
UNION ALL
SELECT 'pair', f.oid::text, c.attname::text, p.attname::text, '', k.place
FROM f
CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (child, parent, place)
JOIN pg_attribute c ON c.attrelid = f.conrelid AND c.attnum = k.child
JOIN pg_attribute p ON p.attrelid = f.confrelid AND p.attnum = k.parent
ORDER BY 6
