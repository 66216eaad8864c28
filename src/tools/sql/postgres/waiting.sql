-- Other sessions that have worked on a table for longer than a read of ours may take, and the seconds since the first of
-- them began, where this role may see that. What is done to a whole table waits until they have ended.
SELECT count(DISTINCT l.pid), coalesce(max(extract(epoch FROM clock_timestamp() - a.xact_start))::bigint, 0)
FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_catalog.pg_backend_pid()
  AND l.relation = pg_catalog.to_regclass({table})
  AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
  AND (a.xact_start IS NULL OR a.xact_start < clock_timestamp() - interval '{patience} seconds')
