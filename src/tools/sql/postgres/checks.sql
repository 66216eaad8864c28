-- The conditions that no row of a table may miss, whose number is in the setting `countersign.table`; first, whether what
-- a column can't hold is refused.
SELECT 'strict', ''
UNION ALL
SELECT 'check', pg_get_expr(k.conbin, k.conrelid)
FROM pg_constraint k
WHERE k.conrelid = current_setting('countersign.table')::oid AND k.contype = 'c'
  AND to_jsonb(k) -> 'conenforced' IS DISTINCT FROM 'false'
UNION ALL
-- Unique keys for some rows alone, of what is worked out, or that are looked at late; of others the question about a table
-- tells.
SELECT 'unique', concat_ws(chr(30), CASE WHEN i.indimmediate THEN '' ELSE 'late' END, COALESCE(pg_get_expr(i.indpred, i.indrelid), ''), (
  SELECT string_agg(pg_get_indexdef(i.indexrelid, k.place, false), chr(31) ORDER BY k.place)
  FROM generate_series(1, i.indnkeyatts::int) AS k (place)
))
FROM pg_index i
WHERE i.indrelid = current_setting('countersign.table')::oid AND i.indisunique AND i.indisvalid
  AND (NOT i.indimmediate OR i.indpred IS NOT NULL OR i.indexprs IS NOT NULL)
  AND to_jsonb(i) -> 'indnullsnotdistinct' IS DISTINCT FROM 'true'
