-- What the names in a statement lead to: everything that the engine didn't bring itself (number 16384 and up), the
-- engine's functions of such names, and the role.
-- $1 names, $2 schemas of the search path, $3 names that are called, $4 names behind a point, $5 operators,
-- $6 whether a write may be planned, $7 whether defaults may be used then,
-- $8 names that are called in the engine's own schema.
WITH RECURSIVE
place AS (
  SELECT n.oid, n.nspname FROM pg_namespace n WHERE n.nspname = ANY ($2) OR n.nspname = ANY ($1)
),
-- Every stored expression, by what it belongs to. Later versions alone have those of statistics.
tree (classid, objid, tree) AS NOT MATERIALIZED (
  SELECT 'pg_rewrite'::regclass::oid, w.oid, w.ev_action::text FROM pg_rewrite w
  UNION ALL
  SELECT 'pg_policy'::regclass::oid, p.oid, concat(p.polqual::text, p.polwithcheck::text) FROM pg_policy p
  UNION ALL
  SELECT 'pg_attrdef'::regclass::oid, x.oid, x.adbin::text FROM pg_attrdef x
  UNION ALL
  SELECT 'pg_constraint'::regclass::oid, k.oid, k.conbin::text FROM pg_constraint k
  UNION ALL
  SELECT 'pg_class'::regclass::oid, i.indexrelid, concat(i.indexprs::text, i.indpred::text) FROM pg_index i
  UNION ALL
  SELECT 'pg_class'::regclass::oid, t.partrelid, t.partexprs::text FROM pg_partitioned_table t
  UNION ALL
  SELECT 'pg_statistic_ext'::regclass::oid, s.oid, to_jsonb(s) ->> 'stxexprs' FROM pg_statistic_ext s
  UNION ALL
  SELECT 'pg_type'::regclass::oid, t.oid, t.typdefaultbin::text FROM pg_type t WHERE $6 AND $7
),
-- Relations and types of these names, and all that reading them reads or runs, or that the planner may run ahead.
thing (classid, objid) AS (
  SELECT 'pg_class'::regclass::oid, c.oid FROM pg_class c JOIN place ON place.oid = c.relnamespace
  WHERE c.relname = ANY ($1) AND c.oid >= 16384 AND c.relkind NOT IN ('i', 'I')
  UNION
  SELECT 'pg_type'::regclass::oid, t.oid FROM pg_type t JOIN place ON place.oid = t.typnamespace
  WHERE t.typname = ANY ($1) AND t.oid >= 16384
  UNION
  -- A view of the engine's own that somebody replaced keeps its number, but not what it is made of.
  SELECT 'pg_rewrite'::regclass::oid, w.oid
  FROM pg_rewrite w JOIN pg_class c ON c.oid = w.ev_class JOIN place ON place.oid = c.relnamespace
  WHERE c.relname = ANY ($1) AND c.oid < 16384
    AND EXISTS (
      SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refobjid >= 16384)
  UNION
  SELECT further.classid, further.objid
  FROM thing
  CROSS JOIN LATERAL (
    -- Of a relation: its rules, partitions, indexes, checks, statistics, policies in force and types of columns;
    -- columns that are computed when they are read, and of a write also those that are computed then.
    SELECT 'pg_rewrite'::regclass::oid, w.oid
    FROM pg_rewrite w JOIN pg_class c ON c.oid = w.ev_class
    WHERE thing.classid = 'pg_class'::regclass AND w.ev_class = thing.objid
      AND c.relkind <> 'm' AND (w.ev_type = '1' OR $6)
    UNION ALL
    SELECT 'pg_class'::regclass, i.inhrelid FROM pg_inherits i
    WHERE thing.classid = 'pg_class'::regclass AND i.inhparent = thing.objid
    UNION ALL
    SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index i
    WHERE thing.classid = 'pg_class'::regclass AND i.indrelid = thing.objid
    UNION ALL
    SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint k
    WHERE thing.classid = 'pg_class'::regclass AND k.conrelid = thing.objid AND k.contype = 'c'
    UNION ALL
    SELECT 'pg_statistic_ext'::regclass, s.oid FROM pg_statistic_ext s
    WHERE thing.classid = 'pg_class'::regclass AND s.stxrelid = thing.objid
    UNION ALL
    SELECT 'pg_policy'::regclass, p.oid
    FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
    WHERE thing.classid = 'pg_class'::regclass AND p.polrelid = thing.objid
      AND c.relrowsecurity AND (p.polcmd IN ('r', '*') OR $6)
    UNION ALL
    SELECT 'pg_attrdef'::regclass, x.oid
    FROM pg_attrdef x JOIN pg_attribute a ON a.attrelid = x.adrelid AND a.attnum = x.adnum
    WHERE thing.classid = 'pg_class'::regclass AND x.adrelid = thing.objid
      AND (a.attgenerated = 'v' OR ($6 AND (a.attgenerated <> '' OR $7)))
    UNION ALL
    SELECT 'pg_type'::regclass, a.atttypid FROM pg_attribute a
    WHERE thing.classid = 'pg_class'::regclass AND a.attrelid = thing.objid AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    -- Of a type: what it is made of, and what its values are checked against.
    SELECT 'pg_type'::regclass, made.oid
    FROM pg_type t
    CROSS JOIN LATERAL (
      SELECT t.typelem
      UNION ALL SELECT t.typbasetype
      UNION ALL
      SELECT a.atttypid FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL SELECT g.rngsubtype FROM pg_range g WHERE g.rngtypid = t.oid
    ) AS made (oid)
    WHERE thing.classid = 'pg_type'::regclass AND t.oid = thing.objid
    UNION ALL
    SELECT 'pg_opclass'::regclass, g.rngsubopc FROM pg_range g
    WHERE thing.classid = 'pg_type'::regclass AND g.rngtypid = thing.objid
    UNION ALL
    SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint k
    WHERE thing.classid = 'pg_type'::regclass AND k.contypid = thing.objid
    UNION ALL
    -- Of any: what it depends on. A relation depends on its parent, too, which reading it doesn't read.
    SELECT d.refclassid, d.refobjid FROM pg_depend d
    WHERE d.classid = thing.classid AND d.objid = thing.objid
      AND (d.refclassid = 'pg_type'::regclass
        OR (d.refclassid = 'pg_class'::regclass AND thing.classid NOT IN ('pg_class'::regclass, 'pg_type'::regclass))
        OR (d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass)
          AND thing.classid <> 'pg_type'::regclass))
    UNION ALL
    -- Types that stand in an expression, whether or not they are kept as dependencies.
    SELECT 'pg_type'::regclass, number[1]::oid
    FROM tree CROSS JOIN LATERAL regexp_matches(tree.tree, ':[a-z_]*(?:type|types|typeid|typid) [(]?(?:o )?([1-9][0-9]{4,9})', 'g') AS number
    WHERE tree.classid = thing.classid AND tree.objid = thing.objid
  ) AS further (classid, objid)
  WHERE further.objid >= 16384
),
relation AS (
  SELECT c.oid FROM thing JOIN pg_class c ON thing.classid = 'pg_class'::regclass AND c.oid = thing.objid
  WHERE c.relkind NOT IN ('i', 'I')
),
kind AS (
  SELECT thing.objid AS oid FROM thing WHERE thing.classid = 'pg_type'::regclass
),
policy AS (
  SELECT p.oid, p.polname, p.polrelid, p.polqual, p.polwithcheck
  FROM thing JOIN pg_policy p ON thing.classid = 'pg_policy'::regclass AND p.oid = thing.objid
),
-- The engine's own functions and relations aren't kept as dependencies: they stand in the stored expressions alone.
stored (tree) AS (
  SELECT tree.tree FROM thing JOIN tree ON tree.classid = thing.classid AND tree.objid = thing.objid
),
called AS (
  SELECT DISTINCT number[1]::oid AS oid, true AS sure
  FROM stored CROSS JOIN LATERAL regexp_matches(tree, ':(?:funcid|aggfnoid|winfnoid) ([0-9]+)', 'g') AS number
  UNION ALL
  SELECT thing.objid, true FROM thing WHERE thing.classid = 'pg_proc'::regclass
  UNION ALL
  SELECT g.rngsubdiff, true FROM pg_range g JOIN kind t ON t.oid = g.rngtypid WHERE g.rngsubdiff >= 16384
  UNION ALL
  SELECT g.rngcanonical, true FROM pg_range g JOIN kind t ON t.oid = g.rngtypid WHERE g.rngcanonical >= 16384
  UNION ALL
  SELECT p.oid, p.proname = ANY ($3) OR (place.nspname = 'pg_catalog' AND p.proname = ANY ($8))
  FROM pg_proc p JOIN place ON place.oid = p.pronamespace
  WHERE p.prokind <> 'p' AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
    AND (p.proname = ANY ($3)
      OR (place.nspname = 'pg_catalog' AND p.proname = ANY ($8))
      OR (p.proname = ANY ($4) AND p.pronargs > 0 AND (p.pronargs - p.pronargdefaults <= 1 OR p.provariadic <> 0)))
),
-- Who brought it: an extension counts if only an administrator could have put this into it.
member AS (
  SELECT d.classid, d.objid, e.extname, COALESCE(o.rolsuper, false) AS sound
  FROM pg_depend d
  JOIN pg_extension e ON e.oid = d.refobjid
  LEFT JOIN pg_roles o ON o.oid = e.extowner
  WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
),
answer (sort, name, maker, detail) AS (
  SELECT CASE WHEN bool_or(f.sure) THEN 'function' ELSE 'field' END,
    CASE WHEN p.oid < 16384 AND s.nspname = 'pg_catalog' THEN p.proname::text ELSE s.nspname || '.' || p.proname END,
    -- One that somebody replaced keeps its number. Its row is younger than the last database that came with the engine; of
    -- those in C and of its own that says only that somebody else may call them.
    CASE WHEN p.oid < 16384 AND (p.prolang IN (12, 13) OR p.prolang = 14 AND p.xmin::text::bigint <= COALESCE((
          SELECT d.xmin::text::bigint FROM pg_database d WHERE d.datname = 'template0'), p.xmin::text::bigint)) THEN 'engine'
      WHEN bool_or(m.extname IS NOT NULL AND (m.sound OR p.prolang IN (12, 13))) THEN 'extension ' || min(m.extname)
      ELSE 'database' END,
    NULL::text
  FROM called f
  JOIN pg_proc p ON p.oid = f.oid
  JOIN pg_namespace s ON s.oid = p.pronamespace
  LEFT JOIN member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
  GROUP BY p.oid, p.proname, s.nspname, p.prolang, p.xmin::text::bigint
  UNION
  SELECT 'operator', s.nspname || '.' || o.oprname,
    CASE WHEN m.sound THEN 'extension ' || m.extname ELSE 'database' END, NULL
  FROM pg_operator o
  JOIN pg_namespace s ON s.oid = o.oprnamespace
  LEFT JOIN member m ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid
  WHERE o.oid >= 16384
    AND (o.oid IN (SELECT thing.objid FROM thing WHERE thing.classid = 'pg_operator'::regclass)
      OR (o.oprnamespace IN (SELECT place.oid FROM place)
        -- Those that the grammar writes by itself: IN, BETWEEN, LIKE, CASE, USING and their kin.
        AND (o.oprname = ANY ($5) OR o.oprname IN ('=', '<>', '<', '>', '<=', '>=', '~~', '!~~', '~~*', '!~~*', '~', '-', '+'))))
  UNION
  SELECT 'cast', format_type(k.castsource, NULL) || ' to ' || format_type(k.casttarget, NULL),
    CASE WHEN m.sound THEN 'extension ' || m.extname ELSE 'database' END, NULL
  FROM pg_cast k
  LEFT JOIN member m ON m.classid = 'pg_cast'::regclass AND m.objid = k.oid
  WHERE k.oid >= 16384 AND k.castfunc >= 16384
    AND (k.castsource < 16384 OR k.castsource IN (SELECT kind.oid FROM kind)
      OR k.castsource IN (SELECT c.reltype FROM pg_class c JOIN relation r ON r.oid = c.oid))
    AND (k.casttarget < 16384 OR k.casttarget IN (SELECT kind.oid FROM kind)
      OR k.casttarget IN (SELECT c.reltype FROM pg_class c JOIN relation r ON r.oid = c.oid)
      OR k.castcontext = 'i')
  UNION
  SELECT 'type', format_type(t.oid, NULL), CASE WHEN m.sound THEN 'extension ' || m.extname ELSE 'database' END, NULL
  FROM kind
  JOIN pg_type t ON t.oid = kind.oid
  LEFT JOIN member m ON m.classid = 'pg_type'::regclass AND m.objid = t.oid
  WHERE t.typtype = 'b' AND t.typinput <> 'array_in'::regproc
  UNION
  SELECT 'operator-class', s.nspname || '.' || o.opcname,
    CASE WHEN m.sound THEN 'extension ' || m.extname ELSE 'database' END, NULL
  FROM pg_opclass o
  JOIN pg_am y ON y.oid = o.opcmethod
  JOIN pg_namespace s ON s.oid = o.opcnamespace
  LEFT JOIN member m ON m.classid = 'pg_opclass'::regclass AND m.objid = o.oid
  WHERE o.oid >= 16384
    AND (o.oid IN (SELECT thing.objid FROM thing WHERE thing.classid = 'pg_opclass'::regclass)
      -- Sorting and grouping take these without a name, in whatever schema they are.
      OR (o.opcdefault AND y.amname IN ('btree', 'hash')
        AND (o.opcintype < 16384 OR o.opcintype IN (SELECT kind.oid FROM kind))))
  UNION
  SELECT 'view', s.nspname || '.' || c.relname, 'text', pg_get_viewdef(c.oid)
  FROM relation r JOIN pg_class c ON c.oid = r.oid JOIN pg_namespace s ON s.oid = c.relnamespace
  WHERE c.relkind = 'v'
  UNION
  SELECT 'policy', s.nspname || '.' || c.relname || ' ' || p.polname, 'text', pg_get_expr(expression, p.polrelid)
  FROM policy p
  JOIN pg_class c ON c.oid = p.polrelid
  JOIN pg_namespace s ON s.oid = c.relnamespace
  CROSS JOIN LATERAL (VALUES (p.polqual), (p.polwithcheck)) AS written (expression)
  WHERE expression IS NOT NULL
  UNION
  SELECT 'column', s.nspname || '.' || c.relname || '.' || a.attname, 'text', pg_get_expr(x.adbin, x.adrelid)
  FROM thing
  JOIN pg_attrdef x ON thing.classid = 'pg_attrdef'::regclass AND x.oid = thing.objid
  JOIN pg_attribute a ON a.attrelid = x.adrelid AND a.attnum = x.adnum
  JOIN pg_class c ON c.oid = x.adrelid
  JOIN pg_namespace s ON s.oid = c.relnamespace
  WHERE a.attgenerated <> ''
  UNION
  SELECT 'table', s.nspname || '.' || c.relname, 'outside', 'the server ' || v.srvname || ' (' || w.fdwname || ')'
  FROM relation r
  JOIN pg_class c ON c.oid = r.oid
  JOIN pg_namespace s ON s.oid = c.relnamespace
  JOIN pg_foreign_table f ON f.ftrelid = c.oid
  JOIN pg_foreign_server v ON v.oid = f.ftserver
  JOIN pg_foreign_data_wrapper w ON w.oid = v.srvfdw
  UNION
  SELECT 'relation', s.nspname || '.' || c.relname, 'hidden', NULL
  FROM relation r JOIN pg_class c ON c.oid = r.oid JOIN pg_namespace s ON s.oid = c.relnamespace
  WHERE c.relkind NOT IN ('r', 'p', 'v', 'm', 'f', 'S', 't', 'c')
  UNION
  SELECT 'relation', c.relname::text, 'engine', NULL
  FROM pg_class c JOIN place ON place.oid = c.relnamespace WHERE c.relname = ANY ($1) AND c.oid < 16384
  UNION
  SELECT 'relation', c.relname::text, 'engine', NULL
  FROM stored CROSS JOIN LATERAL regexp_matches(tree, ':relid ([0-9]+)', 'g') AS number
  JOIN pg_class c ON c.oid = number[1]::oid
  WHERE c.oid < 16384
),
-- Which rows of the catalog all this was told from: equal as long as nobody changed any of it.
state (line) AS (
  SELECT concat('pg_class', c.oid, ':', c.xmin)
  FROM thing JOIN pg_class c ON thing.classid = 'pg_class'::regclass AND c.oid = thing.objid
  UNION
  SELECT concat('pg_rewrite', w.oid, ':', w.xmin)
  FROM thing JOIN pg_rewrite w ON thing.classid = 'pg_rewrite'::regclass AND w.oid = thing.objid
  UNION
  SELECT concat('pg_policy', p.oid, ':', p.xmin)
  FROM thing JOIN pg_policy p ON thing.classid = 'pg_policy'::regclass AND p.oid = thing.objid
  UNION
  SELECT concat('pg_attrdef', x.oid, ':', x.xmin)
  FROM thing JOIN pg_attrdef x ON thing.classid = 'pg_attrdef'::regclass AND x.oid = thing.objid
  UNION
  SELECT concat('pg_constraint', k.oid, ':', k.xmin)
  FROM thing JOIN pg_constraint k ON thing.classid = 'pg_constraint'::regclass AND k.oid = thing.objid
  UNION
  SELECT concat('pg_type', t.oid, ':', t.xmin)
  FROM thing JOIN pg_type t ON thing.classid = 'pg_type'::regclass AND t.oid = thing.objid
  UNION
  SELECT concat('pg_proc', p.oid, ':', p.xmin) FROM called JOIN pg_proc p ON p.oid = called.oid
  UNION
  SELECT concat('other', thing.classid, ' ', thing.objid) FROM thing
)
(SELECT sort, name, maker, detail FROM answer LIMIT 1001)
UNION ALL
SELECT 'state', encode(sha256(convert_to(COALESCE(string_agg(line, ',' ORDER BY line), ''), 'UTF8')), 'hex'), 'state', NULL
FROM state
