-- What the names in a statement lead to: everything that the engine didn't bring itself (number 16384 and up), the
-- engine's functions of such names, and the role.
-- $1 names, $2 schemas of the search path, $3 names that are called, $4 names behind a point, $5 operators,
-- $6 whether a write may be planned, $7 whether defaults may be used then,
-- $8 names that are called in the engine's own schema.
WITH RECURSIVE
place AS (
  SELECT n.oid, n.nspname FROM pg_namespace n WHERE n.nspname = ANY ($2) OR n.nspname = ANY ($1)
),
-- Relations of these names, and all that reading them reads: what views and policies name, and partitions.
relation AS (
  SELECT c.oid FROM pg_class c JOIN place ON place.oid = c.relnamespace
  WHERE c.relname = ANY ($1) AND c.oid >= 16384 AND c.relkind NOT IN ('i', 'I')
  UNION
  SELECT further.oid
  FROM relation r
  CROSS JOIN LATERAL (
    SELECT d.refobjid
    FROM pg_rewrite w
    JOIN pg_class c ON c.oid = w.ev_class
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
    WHERE w.ev_class = r.oid AND c.relkind <> 'm' AND (w.ev_type = '1' OR $6)
    UNION ALL
    SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = r.oid
    UNION ALL
    SELECT d.refobjid
    FROM pg_policy p
    JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_class'::regclass
    WHERE p.polrelid = r.oid
  ) AS further (oid)
  WHERE further.oid >= 16384
),
-- Types of their columns and of these names, and what those are made of.
kind AS (
  SELECT a.atttypid AS oid
  FROM pg_attribute a JOIN relation r ON r.oid = a.attrelid
  WHERE a.attnum > 0 AND NOT a.attisdropped AND a.atttypid >= 16384
  UNION
  SELECT t.oid FROM pg_type t JOIN place ON place.oid = t.typnamespace WHERE t.typname = ANY ($1) AND t.oid >= 16384
  UNION
  SELECT further.oid
  FROM kind k
  JOIN pg_type t ON t.oid = k.oid
  CROSS JOIN LATERAL (
    SELECT t.typelem
    UNION ALL SELECT t.typbasetype
    UNION ALL SELECT a.atttypid FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL SELECT g.rngsubtype FROM pg_range g WHERE g.rngtypid = t.oid
    UNION ALL
    SELECT d.refobjid FROM pg_depend d
    WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.refclassid = 'pg_type'::regclass
  ) AS further (oid)
  WHERE further.oid >= 16384
),
-- The policies that are in force.
policy AS (
  SELECT p.oid, p.polname, p.polrelid, p.polqual, p.polwithcheck
  FROM pg_policy p JOIN relation r ON r.oid = p.polrelid JOIN pg_class c ON c.oid = p.polrelid
  WHERE c.relrowsecurity AND (p.polcmd IN ('r', '*') OR $6)
),
-- Columns that are computed when they are read; of a write also those that are computed then.
computed AS (
  SELECT x.oid, x.adrelid, x.adnum, x.adbin, a.attname, a.attgenerated
  FROM pg_attrdef x
  JOIN relation r ON r.oid = x.adrelid
  JOIN pg_attribute a ON a.attrelid = x.adrelid AND a.attnum = x.adnum
  WHERE a.attgenerated = 'v' OR ($6 AND (a.attgenerated <> '' OR $7))
),
-- Everything whose code reading may run, or the planner may run ahead.
part (classid, objid) AS (
  SELECT 'pg_class'::regclass::oid, r.oid FROM relation r
  UNION ALL
  SELECT 'pg_rewrite'::regclass, w.oid
  FROM pg_rewrite w JOIN relation r ON r.oid = w.ev_class JOIN pg_class c ON c.oid = w.ev_class
  WHERE c.relkind <> 'm' AND (w.ev_type = '1' OR $6)
  UNION ALL
  SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index i JOIN relation r ON r.oid = i.indrelid
  UNION ALL
  SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint k JOIN relation r ON r.oid = k.conrelid WHERE k.contype = 'c'
  UNION ALL
  SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint k JOIN kind t ON t.oid = k.contypid
  UNION ALL
  SELECT 'pg_statistic_ext'::regclass, s.oid FROM pg_statistic_ext s JOIN relation r ON r.oid = s.stxrelid
  UNION ALL
  SELECT 'pg_policy'::regclass, p.oid FROM policy p
  UNION ALL
  SELECT 'pg_attrdef'::regclass, x.oid FROM computed x
),
need AS (
  SELECT DISTINCT d.refclassid, d.refobjid
  FROM part JOIN pg_depend d ON d.classid = part.classid AND d.objid = part.objid
  WHERE d.refobjid >= 16384
),
-- The engine's own functions and relations aren't kept as dependencies: they stand in the stored expressions alone.
stored (tree) AS (
  SELECT w.ev_action::text
  FROM pg_rewrite w JOIN relation r ON r.oid = w.ev_class JOIN pg_class c ON c.oid = w.ev_class
  WHERE c.relkind <> 'm' AND (w.ev_type = '1' OR $6)
  UNION ALL
  SELECT concat(p.polqual::text, p.polwithcheck::text) FROM policy p
  UNION ALL
  SELECT x.adbin::text FROM computed x
),
called AS (
  SELECT DISTINCT number[1]::oid AS oid, true AS sure
  FROM stored CROSS JOIN LATERAL regexp_matches(tree, ':(?:funcid|aggfnoid|winfnoid) (\d+)', 'g') AS number
  UNION ALL
  SELECT n.refobjid, true FROM need n WHERE n.refclassid = 'pg_proc'::regclass
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
    CASE WHEN p.oid < 16384 THEN 'engine'
      WHEN bool_or(m.sound OR p.prolang IN (12, 13)) THEN 'extension ' || min(m.extname)
      ELSE 'database' END,
    NULL::text
  FROM called f
  JOIN pg_proc p ON p.oid = f.oid
  JOIN pg_namespace s ON s.oid = p.pronamespace
  LEFT JOIN member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
  GROUP BY p.oid, p.proname, s.nspname, p.prolang
  UNION
  SELECT 'operator', s.nspname || '.' || o.oprname,
    CASE WHEN m.sound THEN 'extension ' || m.extname ELSE 'database' END, NULL
  FROM pg_operator o
  JOIN pg_namespace s ON s.oid = o.oprnamespace
  LEFT JOIN member m ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid
  WHERE o.oid >= 16384
    AND (o.oid IN (SELECT n.refobjid FROM need n WHERE n.refclassid = 'pg_operator'::regclass)
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
  FROM need n
  JOIN pg_opclass o ON n.refclassid = 'pg_opclass'::regclass AND o.oid = n.refobjid
  JOIN pg_namespace s ON s.oid = o.opcnamespace
  LEFT JOIN member m ON m.classid = 'pg_opclass'::regclass AND m.objid = o.oid
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
  SELECT 'column', s.nspname || '.' || c.relname || '.' || x.attname, 'text', pg_get_expr(x.adbin, x.adrelid)
  FROM computed x JOIN pg_class c ON c.oid = x.adrelid JOIN pg_namespace s ON s.oid = c.relnamespace
  WHERE x.attgenerated <> ''
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
  FROM stored CROSS JOIN LATERAL regexp_matches(tree, ':relid (\d+)', 'g') AS number
  JOIN pg_class c ON c.oid = number[1]::oid
  WHERE c.oid < 16384
)
(SELECT sort, name, maker, detail FROM answer LIMIT 1001)
