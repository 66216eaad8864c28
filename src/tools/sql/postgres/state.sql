SELECT s.name, s.setting,
  -- Where it holds for more than this role and this session, it holds for every session of the database.
  CASE WHEN s.source OPERATOR(pg_catalog.~)
    '^(default|environment variable|configuration file|command line|global|database|override)$' THEN '' ELSE 'own' END
FROM pg_catalog.pg_settings AS s
WHERE s.context OPERATOR(pg_catalog.~) '^(user|superuser)$' AND s.name OPERATOR(pg_catalog.!~)
  '(timeout|_cost|_mem|collapse_limit)$|^(default_transaction|transaction|enable|jit|geqo|log|track|debug|max_parallel)_|^(jit|geqo|application_name|client_min_messages|client_connection_check_interval|synchronous_commit)$'
  -- Those of a library are there once something loaded it.
  AND NOT (s.name OPERATOR(pg_catalog.~) '[.]' AND s.source OPERATOR(pg_catalog.=) 'default')
UNION ALL
SELECT 'role', pg_catalog.concat(session_user, ' ', current_user), ''
UNION ALL
SELECT 'temporary tables', pg_catalog.count(*)::pg_catalog.text, '' FROM pg_catalog.pg_depend AS d
WHERE d.refclassid OPERATOR(pg_catalog.=) 2615::pg_catalog.oid
  AND d.refobjid OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema()
