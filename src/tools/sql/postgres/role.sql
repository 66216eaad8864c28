-- The role, and what it may do beyond the data.
SELECT 'role', current_user::text, 'role', concat_ws(', ',
  CASE WHEN o.rolsuper THEN 'superuser' END,
  CASE WHEN o.rolcreaterole AND NOT o.rolsuper THEN 'creates roles' END,
  CASE WHEN o.rolreplication AND NOT o.rolsuper THEN 'replicates' END,
  CASE WHEN o.rolbypassrls AND NOT o.rolsuper THEN 'bypasses row policies' END,
  CASE WHEN NOT o.rolsuper THEN (
    SELECT string_agg(g.rolname, ', ' ORDER BY g.rolname) FROM pg_roles g
    WHERE g.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program',
        'pg_signal_backend', 'pg_write_all_data', 'pg_maintain', 'pg_checkpoint')
      AND pg_has_role(current_user, g.oid, 'USAGE')
  ) END)
FROM pg_roles o WHERE o.rolname = current_user
