-- What the rows of one table refer to: each of its foreign keys, then its columns in pairs. Six columns: sort, and five
-- that depend on it.
SELECT 'link', f.id, 'main', f."table", '/' || CASE WHEN lower(m.sql) LIKE '%deferred%' THEN '/late' ELSE '' END, 0
FROM pragma_foreign_keys k JOIN sqlite_schema m JOIN pragma_foreign_key_list({name}) f
WHERE m.type = 'table' AND lower(m.name) = lower({name}) AND k.foreign_keys = 1 AND f.seq = 0
UNION ALL
SELECT 'pair', f.id, f."from", coalesce(f."to", (SELECT c.name FROM pragma_table_xinfo(f."table") c WHERE c.pk = f.seq + 1), ''),
  '', 1 + f.seq
FROM pragma_foreign_key_list({name}) f
ORDER BY 6
