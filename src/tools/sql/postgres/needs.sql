-- What needs a thing and keeps it from being dropped: a relation, whose number is in the setting `countersign.table`, or a
-- column or a constraint of it. What belongs to the thing goes with it. Two columns: `need`, and its
-- description.
WITH RECURSIVE own AS (
  SELECT 'pg_class'::regclass::oid AS class, current_setting('countersign.table')::oid AS thing, 0 AS part WHERE {sort} = 'relation'
  UNION
  SELECT 'pg_class'::regclass, a.attrelid, a.attnum FROM pg_attribute a
  WHERE {sort} = 'column' AND a.attrelid = current_setting('countersign.table')::oid AND a.attname = {part} AND NOT a.attisdropped
  UNION
  SELECT 'pg_constraint'::regclass, k.oid, 0 FROM pg_constraint k
  WHERE {sort} = 'constraint' AND k.conrelid = current_setting('countersign.table')::oid AND k.conname = {part}
  UNION
  SELECT d.classid, d.objid, d.objsubid
  FROM own JOIN pg_depend d ON d.refclassid = own.class AND d.refobjid = own.thing AND own.part IN (0, d.refobjsubid)
  WHERE d.deptype IN ('a', 'i', 'P', 'S')
)
SELECT DISTINCT 'need', CASE
  WHEN w.oid IS NULL THEN pg_describe_object(d.classid, d.objid, d.objsubid)
  WHEN w.ev_type = '1' THEN 'view ' || v.relname
  ELSE 'rule ' || w.rulename || ' of ' || v.relname
END
FROM own JOIN pg_depend d ON d.refclassid = own.class AND d.refobjid = own.thing AND own.part IN (0, d.refobjsubid)
LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
LEFT JOIN pg_class v ON v.oid = w.ev_class
WHERE d.deptype = 'n'
  AND NOT EXISTS (SELECT FROM own o WHERE o.class = d.classid AND o.thing = d.objid AND o.part IN (0, d.objsubid))
UNION
-- What it is a part of itself.
SELECT 'need', pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
FROM pg_depend d
WHERE {sort} = 'relation' AND d.classid = 'pg_class'::regclass AND d.objid = current_setting('countersign.table')::oid
  AND d.deptype = 'i' AND d.refclassid = 'pg_constraint'::regclass
ORDER BY 2
