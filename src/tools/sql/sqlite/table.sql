-- What is known of one table: what it is, its columns, its unique keys, the number of its rows, the
-- statement that made it, its triggers, and what refers to it. Six columns: sort, and five that depend on it.
SELECT 'table', 'main', m.name,
  CASE
    WHEN m.type = 'view' THEN 'it is a view'
    WHEN lower(m.sql) LIKE 'create virtual%' THEN 'a module keeps its rows'
    WHEN m.name LIKE 'sqlite\_%' ESCAPE '\' THEN 'it belongs to the engine'
    WHEN EXISTS (SELECT 1 FROM sqlite_temp_schema s WHERE lower(s.name) = lower({name}) AND s.type IN ('table', 'view'))
      THEN 'a temporary table hides it'
    WHEN (SELECT e.encoding FROM pragma_encoding e) <> 'UTF-8' THEN 'its texts are not in UTF-8'
    ELSE ''
  END, lower(m.sql) LIKE '%collate%' OR EXISTS (
    SELECT 1 FROM pragma_index_list({name}) l JOIN pragma_index_xinfo(l.name) x
    WHERE l."unique" = 1 AND x."key" = 1 AND upper(x.coll) <> 'BINARY'
  ), 0
FROM sqlite_schema m WHERE lower(m.name) = lower({name}) AND m.type IN ('table', 'view')
UNION ALL
SELECT 'column', c.name, CASE WHEN c.hidden = 1 THEN 'inexact' ELSE 'any' END,
  CASE WHEN c.hidden IN (2, 3) THEN 'generated' WHEN upper(c.dflt_value) <> 'NULL' THEN 'filled' ELSE '' END
    || CASE
      WHEN c."notnull" = 1 AND NOT (c.pk > 0 AND upper(c.type) = 'INTEGER') THEN ' required'
      WHEN c.pk > 0 AND EXISTS (SELECT 1 FROM pragma_table_list({name}) l WHERE l.schema = 'main' AND l.wr = 1) THEN ' required'
      ELSE ''
    END, c.type, c.cid
FROM pragma_table_xinfo({name}) c
UNION ALL
-- The primary key of an ordinary table may hold NULLs, unless it is the number of the row.
SELECT 'key', 'primary', c.name,
  CASE
    WHEN c."notnull" = 1 THEN ''
    WHEN upper(c.type) = 'INTEGER' AND NOT EXISTS (SELECT 1 FROM pragma_index_list({name}) l WHERE l.origin = 'pk') THEN ''
    ELSE 'null'
  END, '', c.pk
FROM pragma_table_xinfo({name}) c WHERE c.pk > 0
UNION ALL
SELECT 'key', l.name, coalesce(i.name, ''),
  CASE
    WHEN l.partial THEN 'part'
    WHEN (SELECT c."notnull" FROM pragma_table_xinfo({name}) c WHERE c.cid = i.cid) = 1 THEN ''
    ELSE 'null'
  END,
  '', 1000 + i.seqno
FROM pragma_index_list({name}) l JOIN pragma_index_info(l.name) i WHERE l."unique" = 1 AND l.origin <> 'pk'
UNION ALL
-- The number of a row, by a name that no column has.
SELECT 'number', (
  SELECT n.column1 FROM (VALUES ('rowid'), ('_rowid_'), ('oid')) n
  WHERE NOT EXISTS (SELECT 1 FROM pragma_table_xinfo({name}) c WHERE lower(c.name) = n.column1) LIMIT 1
), '', '', '', 0
FROM pragma_table_list({name}) l WHERE l.schema = 'main' AND l.type = 'table' AND l.wr = 0
UNION ALL
SELECT 'made', m.sql, '', '', '', 0
FROM sqlite_schema m WHERE lower(m.name) = lower({name}) AND m.type = 'table'
UNION ALL
SELECT 'trigger', m.name, 'text', m.sql, '', 0
FROM (SELECT name, tbl_name, type, sql FROM sqlite_schema UNION ALL SELECT name, tbl_name, type, sql FROM sqlite_temp_schema) m
WHERE m.type = 'trigger' AND lower(m.tbl_name) = lower({name})
UNION ALL
SELECT 'refers', m.name,
  CASE WHEN k.foreign_keys = 0 THEN '' ELSE
    CASE WHEN f.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT') THEN 'delete' ELSE 'no-delete' END
    || CASE WHEN f.on_update IN ('CASCADE', 'SET NULL', 'SET DEFAULT') THEN ' update' ELSE ' no-update' END
  END, coalesce(f."to", (SELECT c.name FROM pragma_table_xinfo({name}) c WHERE c.pk = f.seq + 1), ''), '', 0
FROM pragma_foreign_keys k JOIN sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
WHERE m.type = 'table' AND lower(f."table") = lower({name})
UNION ALL
SELECT 'view', m.name, 'text', m.sql, '', 0
FROM sqlite_schema m WHERE m.type = 'view'
  -- A quote within a name is written twice.
  AND instr(lower(replace(replace(m.sql, '""', '"'), '``', '`')), lower(replace(replace({name}, '""', '"'), '``', '`'))) > 0
ORDER BY 6
