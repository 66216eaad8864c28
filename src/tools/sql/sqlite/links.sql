-- What goes along with deleted or changed rows of one table, changes, or forbids that: each foreign key that leads to it, with what it
-- says of both, then its columns in pairs. Six columns: sort, and five that depend on it.
SELECT 'link', m.name || '/' || f.id, 'main', m.name, lower(f.on_delete) || '/' || lower(f.on_update)
  || CASE WHEN lower(m.sql) LIKE '%deferred%' THEN '/late' ELSE '' END, 0
FROM pragma_foreign_keys k JOIN sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
WHERE m.type = 'table' AND lower(f."table") = lower({name}) AND k.foreign_keys = 1 AND f.seq = 0
UNION ALL
SELECT 'pair', m.name || '/' || f.id, f."from",
  coalesce(f."to", (SELECT c.name FROM pragma_table_xinfo({name}) c WHERE c.pk = f.seq + 1), ''), '', 1 + f.seq
FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
WHERE m.type = 'table' AND lower(f."table") = lower({name})
ORDER BY 6
