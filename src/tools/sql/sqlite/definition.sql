-- What lies under a name: its sort, its schema and name, and the statement that made it. Four columns.
SELECT m.type, 'main', m.name, coalesce(m.sql, '')
FROM sqlite_schema m WHERE lower(m.name) = lower({name}) AND m.type IN ('table', 'view', 'index')
