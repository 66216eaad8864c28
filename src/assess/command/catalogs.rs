//! What `psql` may be asked of a server's own catalogues. Nothing looks up here what a name leads to, as it is done for
//! `execute_sql`, so only such a SELECT passes in which nobody's own table, function or operator can take part: one
//! relation of the server, columns by their names alone (`t.f` may be a call of `f`), comparisons with a text, which
//! take the operator of the column's own type.

use std::sync::LazyLock;

use regex::Regex;

use crate::assess::sql::only_reads;
use crate::domain::Dialect;

/// Relations that are found first, whatever else has their name, and tell no secrets.
const RELATIONS: &str = "pg_stat_activity pg_stat_database pg_stat_user_tables pg_stat_all_tables pg_stat_user_indexes \
    pg_stat_all_indexes pg_statio_user_tables pg_stat_bgwriter pg_stat_wal pg_stat_archiver pg_stat_ssl \
    pg_stat_progress_vacuum pg_stat_progress_create_index pg_stat_progress_analyze pg_database pg_tables pg_views \
    pg_matviews pg_indexes pg_sequences pg_locks pg_extension pg_available_extensions pg_namespace pg_class \
    pg_attribute pg_index pg_constraint pg_type pg_proc pg_trigger pg_roles pg_tablespace pg_policies \
    pg_replication_slots pg_stat_replication pg_prepared_xacts pg_publication pg_publication_tables pg_language \
    pg_enum pg_depend pg_inherits pg_operator pg_opclass pg_collation pg_timezone_names pg_cursors \
    information_schema.tables information_schema.columns information_schema.schemata information_schema.views \
    information_schema.table_constraints information_schema.key_column_usage \
    information_schema.constraint_column_usage information_schema.referential_constraints \
    information_schema.sequences information_schema.triggers information_schema.routines \
    information_schema.table_privileges information_schema.role_table_grants";

static SHAPE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let column = "[a-z_][a-z0-9_]*";
    let item = format!(r"(?:\*|count\(\*\)|{column})(?:\s+(?:as\s+)?{column})?");
    let text = r"'[^'\\]*'";
    let term = format!(
        r"(?:not\s+)?{column}(?:\s*(?:=|<>|!=)\s*{text}|\s+is\s+(?:not\s+)?null|\s+(?:not\s+)?in\s*\(\s*{text}(?:\s*,\s*{text})*\s*\))"
    );
    let order = format!(r"(?:{column}|[0-9]+)(?:\s+(?:asc|desc))?(?:\s+nulls\s+(?:first|last))?");
    Regex::new(&format!(
        r"(?i)^\s*select\s+(?:distinct\s+)?{item}(?:\s*,\s*{item})*\s+from\s+(?:pg_catalog\.)?(?<relation>[a-z_.]+)(?:\s+where\s+{term}(?:\s+(?:and|or)\s+{term})*)?(?:\s+group\s+by\s+(?:{column}|[0-9]+)(?:\s*,\s*(?:{column}|[0-9]+))*)?(?:\s+order\s+by\s+{order}(?:\s*,\s*{order})*)?(?:\s+limit\s+[0-9]+)?\s*;?\s*$"
    ))
    .ok()
});

/// Whether a text is such a SELECT.
pub(super) fn asks_the_server_alone(text: &str) -> bool {
    let relation = SHAPE.as_ref().and_then(|shape| shape.captures(text)).map(|found| found["relation"].to_lowercase());
    relation.is_some_and(|relation| RELATIONS.split_ascii_whitespace().any(|known| known == relation))
        && only_reads(Dialect::Postgres, text)
}

#[cfg(test)]
mod tests {
    use super::asks_the_server_alone;

    #[test]
    fn nobodys_own_table_function_or_operator_takes_part() {
        for text in [
            "SELECT pid, state, query FROM pg_stat_activity WHERE state <> 'idle' LIMIT 10",
            "select count(*) from pg_stat_activity;",
            "select table_name from information_schema.tables where table_schema='public' order by 1",
            "select relname, n_live_tup from pg_stat_user_tables order by 2 desc nulls last limit 10",
            "select datname as name from pg_catalog.pg_database where datname not in ('a', 'b') or datname is null",
            "select state, count(*) n from pg_stat_activity group by state",
        ] {
            assert!(asks_the_server_alone(text), "{text}");
        }
        for text in [
            "select * from users",
            "select f(pid) from pg_stat_activity",
            "select pg_stat_activity.evil from pg_stat_activity",
            "select (pg_stat_activity).evil from pg_stat_activity",
            "select * from pg_evil",
            "select * from public.pg_stat_activity",
            "select * from pg_stat_activity, users",
            "select * from pg_stat_activity a join users b on true",
            "select * from pg_stat_activity where pid = 5",
            "select * from pg_stat_activity where state like 'x%'",
            "select * from pg_stat_activity where f('x')",
            "select * from pg_stat_activity where state = 'x'; drop table y",
            "select * from pg_stat_activity where state = 'x\\' or f()",
            "select * from pg_stat_activity where state = 'x'::evil",
            "select * from pg_authid",
            "select * from pg_user_mapping",
            "select * into x from pg_stat_activity",
            "select * from pg_stat_activity order by f()",
            "select * from pg_stat_activity for update",
            "select * from pg_stat_activity /* x */",
            "select * from pg_stat_activity limit 1 \\gexec",
            "select 'a' from pg_stat_activity",
        ] {
            assert!(!asks_the_server_alone(text), "{text}");
        }
    }
}
