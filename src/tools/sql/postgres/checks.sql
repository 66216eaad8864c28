-- The conditions that no row of a table may miss, whose number is in the setting `countersign.table`; first, whether what
-- a column can't hold is refused.
SELECT 'strict', ''
UNION ALL
SELECT 'check', pg_get_expr(k.conbin, k.conrelid)
FROM pg_constraint k
WHERE k.conrelid = current_setting('countersign.table')::oid AND k.contype = 'c'
  AND to_jsonb(k) -> 'conenforced' IS DISTINCT FROM 'false'
