-- A function by its name and the types of what it takes, as the search path finds it: its whole text, its body, and the
-- triggers that run it. Three columns, and no row where there is none.
SELECT pg_catalog.pg_get_functiondef(p.oid), p.prosrc,
  (SELECT pg_catalog.string_agg(t.tgname::pg_catalog.text OPERATOR(pg_catalog.||) ' of ' OPERATOR(pg_catalog.||) c.relname::pg_catalog.text, ', ' ORDER BY t.tgname)
    FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.tgrelid
    WHERE t.tgfoid OPERATOR(pg_catalog.=) p.oid AND NOT t.tgisinternal)
FROM pg_catalog.pg_proc p
WHERE p.oid OPERATOR(pg_catalog.=) pg_catalog.to_regprocedure({function})::pg_catalog.oid
  AND p.prokind OPERATOR(pg_catalog.<>) 'a'::pg_catalog."char"
