-- What is known of one table, whose number is in the setting `countersign.table`: what it is, its columns, its unique
-- keys without NULLs, its triggers and rules, what refers to it, and the tables that share rows with it. Six columns:
-- sort, and five that depend on it.
WITH RECURSIVE t AS (
  SELECT c.*, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid = current_setting('countersign.table')::oid
),
tree AS (
  SELECT t.oid FROM t
  UNION
  SELECT p.relid FROM t CROSS JOIN LATERAL pg_partition_tree(t.oid) AS p WHERE t.relkind = 'p'
),
-- Tables whose rows are its own, too: what it is a part of, its parts, and what inherits from it.
kin AS (
  SELECT t.oid FROM t
  UNION
  SELECT p.relid FROM t CROSS JOIN LATERAL pg_partition_ancestors(t.oid) AS p
  UNION
  SELECT i.inhrelid FROM kin JOIN pg_inherits i ON i.inhparent = kin.oid
  WHERE NOT EXISTS (
    SELECT FROM t CROSS JOIN LATERAL pg_partition_ancestors(t.oid) AS p WHERE p.relid = kin.oid AND p.relid <> t.oid
  )
)
SELECT 'table', t.nspname::text, t.relname::text,
  CASE
    WHEN t.relkind IN ('v', 'm') THEN 'it is a view'
    WHEN t.relkind = 'f' THEN 'its rows lie on another server'
    WHEN t.relkind NOT IN ('r', 'p') THEN 'it is no plain table'
    WHEN t.oid < 16384 THEN 'it belongs to the engine'
    WHEN t.relpersistence = 't' THEN 'it is temporary'
    WHEN row_security_active(t.oid) THEN 'row policies decide what is seen of it'
    WHEN EXISTS (SELECT FROM pg_rewrite w WHERE w.ev_class = t.oid AND w.ev_type <> '1') THEN 'rules rewrite what is done to it'
    WHEN t.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = t.oid) THEN 'other tables inherit from it'
    WHEN EXISTS (SELECT FROM tree JOIN pg_class c USING (oid) WHERE c.relkind = 'f') THEN 'a part of it lies on another server'
    WHEN current_setting('DateStyle') NOT LIKE 'ISO%' OR current_setting('IntervalStyle') <> 'postgres'
      OR current_setting('extra_float_digits')::int < 1 THEN 'this connection prints values in a form of its own'
    WHEN pg_client_encoding() <> 'UTF8' THEN 'this connection tells texts in an encoding of its own'
    WHEN current_setting('server_encoding') = 'SQL_ASCII' THEN 'nobody knows the encoding of its texts'
    ELSE ''
  END,
  (SELECT sum(pg_total_relation_size(tree.oid)) FROM tree)::text, 0
FROM t
UNION ALL
SELECT 'column', a.attname::text,
  CASE
    WHEN b.oid IN (790, 24, 2202, 2203, 2204, 2205, 2206, 3734, 3769, 4089, 4096, 4191)
      OR b.typelem IN (790, 24, 2202, 2203, 2204, 2205, 2206, 3734, 3769, 4089, 4096, 4191) OR b.typtype = 'p' THEN 'inexact'
    WHEN b.typtype = 'e' OR (b.oid = 1700 AND a.atttypmod >= 0) THEN 'plain'
    WHEN (b.oid IN (16, 17, 18, 19, 20, 21, 23, 25, 26, 1043, 1082, 1083, 1114, 1184, 2950)
      OR (b.oid = 1042 AND a.atttypmod >= 0)) AND COALESCE(l.collisdeterministic, true) THEN 'plain'
    ELSE 'printed'
  END,
  concat_ws(' ', CASE WHEN a.attgenerated <> '' THEN 'generated' END, CASE WHEN a.attidentity = 'a' THEN 'always' END,
    CASE WHEN a.atthasdef OR a.attidentity <> '' OR y.typdefault IS NOT NULL THEN 'filled' END, CASE WHEN a.attnotnull THEN 'required' END),
  format_type(a.atttypid, a.atttypmod), a.attnum
FROM t
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type y ON y.oid = a.atttypid
JOIN pg_type b ON b.oid = CASE WHEN y.typtype = 'd' THEN y.typbasetype ELSE y.oid END
LEFT JOIN pg_collation l ON l.oid = a.attcollation
UNION ALL
-- One that compares by other rules than its column does is none of those by which we tell rows apart.
SELECT 'key', i.indexrelid::text, a.attname::text,
  CASE WHEN z.otherwise THEN 'part' WHEN a.attnotnull THEN '' ELSE 'null' END, x.relname::text,
  CASE WHEN i.indisprimary THEN 0 ELSE 1000 END + k.place
FROM t
JOIN pg_index i ON i.indrelid = t.oid AND i.indisunique AND i.indisvalid AND i.indimmediate
  AND i.indpred IS NULL AND i.indexprs IS NULL AND to_jsonb(i) -> 'indnullsnotdistinct' IS DISTINCT FROM 'true'
JOIN pg_class x ON x.oid = i.indexrelid
CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, place)
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
LEFT JOIN LATERAL (
  SELECT o.oid >= 16384 AND NOT o.opcdefault OR u.coll <> a.attcollation AND NOT l.collisdeterministic AS otherwise
  FROM unnest(i.indclass::oid[], i.indcollation::oid[]) WITH ORDINALITY AS u (class, coll, place)
  JOIN pg_opclass o ON o.oid = u.class LEFT JOIN pg_collation l ON l.oid = u.coll
  WHERE u.place = k.place
) AS z ON true
WHERE k.place <= i.indnkeyatts
UNION ALL
-- Other keys by which a row may be in the way of another.
SELECT 'key', i.indexrelid::text, '', 'part', x.relname::text, 2000
FROM t
JOIN pg_index i ON i.indrelid = t.oid AND (i.indisunique OR i.indisexclusion) AND i.indimmediate
  AND (i.indisexclusion OR i.indpred IS NOT NULL OR i.indexprs IS NOT NULL
    OR to_jsonb(i) -> 'indnullsnotdistinct' IS NOT DISTINCT FROM 'true')
JOIN pg_class x ON x.oid = i.indexrelid
UNION ALL
SELECT DISTINCT 'trigger', g.tgname::text,
  concat_ws(' ', CASE WHEN g.tgtype & 4 <> 0 THEN 'insert' END, CASE WHEN g.tgtype & 8 <> 0 THEN 'delete' END,
    CASE WHEN g.tgtype & 16 <> 0 THEN 'update' END, CASE WHEN g.tgtype & 32 <> 0 THEN 'truncate' END),
  -- A column that is computed changes with others.
  COALESCE((
    SELECT string_agg(a.attname::text, chr(31)) FROM unnest(g.tgattr::int2[]) AS k (attnum)
    JOIN pg_attribute a ON a.attrelid = g.tgrelid AND a.attnum = k.attnum HAVING NOT bool_or(a.attgenerated <> '')
  ), ''), CASE WHEN g.tgtype & 64 <> 0 THEN 'instead' WHEN g.tgtype & 3 = 3 THEN 'skips'
    WHEN g.tgtype & 2 = 2 THEN 'early' ELSE '' END, 0
FROM tree JOIN pg_trigger g ON g.tgrelid = tree.oid WHERE NOT g.tgisinternal AND g.tgenabled <> 'D'
UNION ALL
-- A row that moves from one part to another is deleted there and added here.
SELECT DISTINCT 'moves', g.tgname::text, COALESCE(a.attname::text, '*'), '', '', 0
FROM tree JOIN pg_partitioned_table p ON p.partrelid = tree.oid
CROSS JOIN LATERAL unnest(p.partattrs::int2[]) AS k (attnum)
LEFT JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = k.attnum AND k.attnum > 0
CROSS JOIN tree AS part JOIN pg_trigger g ON g.tgrelid = part.oid
WHERE NOT g.tgisinternal AND g.tgenabled <> 'D' AND g.tgtype & 1 = 1 AND g.tgtype & 12 <> 0
UNION ALL
SELECT 'refers', o.relname::text,
  concat_ws(' ', CASE WHEN f.confdeltype IN ('c', 'n', 'd') THEN 'delete' ELSE 'no-delete' END,
    CASE WHEN f.confupdtype IN ('c', 'n', 'd') THEN 'update' ELSE 'no-update' END),
  a.attname::text, '', 0
FROM kin
JOIN pg_constraint f ON f.confrelid = kin.oid AND f.contype = 'f' AND f.conparentid = 0
JOIN pg_class o ON o.oid = f.conrelid
CROSS JOIN LATERAL unnest(f.confkey) AS k (attnum)
JOIN pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.attnum
UNION ALL
SELECT 'kin', n.nspname::text, c.relname::text, '', '', 0
FROM kin JOIN pg_class c USING (oid) JOIN pg_namespace n ON n.oid = c.relnamespace
UNION ALL
SELECT 'rule', w.rulename::text, CASE w.ev_type WHEN '2' THEN 'update' WHEN '3' THEN 'insert' ELSE 'delete' END,
  CASE WHEN NOT w.is_instead THEN 'adds' WHEN w.ev_qual::text = '<>' THEN 'replaces' ELSE 'replaces some' END, '', 0
FROM t JOIN pg_rewrite w ON w.ev_class = t.oid AND w.ev_type <> '1' AND w.ev_enabled <> 'D'
UNION ALL
-- Whether policies may decide what of it a role sees; and for whom they do, those for each event beside those by which this
-- role sees rows: none that lets it, the same, or others.
SELECT 'guarded', e.event, CASE
    WHEN NOT COALESCE(bool_or(p.polpermissive) FILTER (WHERE p.polcmd IN ('*', e.command)), false) THEN 'none'
    WHEN array_agg(p.said ORDER BY p.said) FILTER (WHERE p.polcmd IN ('*', e.command))
      IS NOT DISTINCT FROM array_agg(p.said ORDER BY p.said) FILTER (WHERE p.polcmd IN ('*', 'r')) THEN 'same'
    ELSE 'others'
  END, '', '', 0
FROM t
CROSS JOIN (VALUES ('insert', 'a'), ('update', 'w'), ('delete', 'd')) AS e (event, command)
LEFT JOIN LATERAL (
  SELECT y.polpermissive, y.polcmd::text, y.polpermissive::text || COALESCE(pg_get_expr(y.polqual, y.polrelid), '') AS said
  FROM pg_policy y WHERE y.polrelid = t.oid
    AND EXISTS (SELECT FROM unnest(y.polroles) AS r (oid) WHERE r.oid = 0 OR pg_has_role(r.oid, 'USAGE'))
) AS p ON true
WHERE t.relrowsecurity AND row_security_active(t.oid)
GROUP BY e.event, e.command
UNION ALL
SELECT 'guarded', '', '', '', '', 0 FROM t WHERE t.relrowsecurity
UNION ALL
-- What a view reads is a rule, too.
SELECT DISTINCT CASE WHEN w.ev_type = '1' THEN 'view' ELSE 'names' END,
  CASE WHEN w.ev_type = '1' THEN v.relname::text ELSE w.rulename || ' of ' || v.relname END, '', '', '', 0
FROM t
JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid AND d.classid = 'pg_rewrite'::regclass
JOIN pg_rewrite w ON w.oid = d.objid AND w.ev_class <> t.oid
JOIN pg_class v ON v.oid = w.ev_class
ORDER BY 6
