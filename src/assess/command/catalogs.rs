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

/// Relations of MySQL's and MariaDB's own that tell names, and the columns for which no table is opened: what one
/// that lies on another server holds is asked for there.
const NAMES: &str = " table_catalog table_schema table_name table_type engine column_name ordinal_position \
    column_default is_nullable data_type character_maximum_length numeric_precision numeric_scale column_type column_key \
    extra column_comment schema_name catalog_name default_character_set_name default_collation_name constraint_name \
    constraint_schema constraint_type referenced_table_name referenced_table_schema referenced_column_name \
    update_rule delete_rule routine_name routine_schema routine_type trigger_name trigger_schema event_manipulation \
    event_object_table action_timing ";

static SHAPE_OF_MYSQL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let column = "[a-z_]+";
    let text = r#"(?:'[^'\\\n]*'|"[^"\\\n]*")"#;
    let term = format!(
        r"(?:not +)?{column}(?: *(?:=|<>|!=) *(?:{text}|database\(\))| +(?:not +)?like +{text}| +(?:not +)?in *\( *{text}(?: *, *{text})* *\))"
    );
    let order = format!(r"(?:{column}|[0-9]+)(?: +(?:asc|desc))?");
    Regex::new(&format!(
        r"(?i)^ *select +(?:distinct +)?(?<columns>(?:count\(\*\)|{column})(?: *, *{column})*) +from +information_schema\.(?:tables|columns|schemata|key_column_usage|table_constraints|referential_constraints|routines|triggers)(?: +where +(?<terms>{term}(?: +(?:and|or) +{term})*))?(?: +order +by +(?<order>{order}(?: *, *{order})*))?(?: +limit +[0-9]+)? *;? *$"
    ))
    .ok()
});

/// Whether a text asks MySQL for names of what there is, on one line: of several each could be a command of the client.
pub(super) fn names_of_mysql(text: &str) -> bool {
    let Some(found) = SHAPE_OF_MYSQL.as_ref().and_then(|shape| shape.captures(text)) else { return false };
    let words = |part: &str| {
        // What stands in quotes is sought, and no column.
        let part = found.name(part).map_or("", |part| part.as_str()).replace('"', "'").to_lowercase();
        let bare: Vec<String> = part.split('\'').step_by(2).map(str::to_owned).collect();
        bare.join(" ")
    };
    let known = |word: &str| {
        const OTHERS: &str = " count not and or in like database asc desc distinct ";
        NAMES.contains(&format!(" {word} ")) || OTHERS.contains(&format!(" {word} "))
    };
    let listed = |part: &str| {
        let text = words(part);
        let mut names = text.split(|c: char| !(c.is_ascii_alphabetic() || c == '_')).filter(|word| !word.is_empty());
        names.all(known)
    };
    ["columns", "terms", "order"].into_iter().all(listed)
}

#[cfg(test)]
mod tests {
    use super::{asks_the_server_alone, names_of_mysql};

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

    #[test]
    fn names_of_what_there_is_are_told_without_opening_a_table() {
        for text in [
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop'",
            "select count(*) from information_schema.tables where table_schema=database();",
            "select column_name, data_type from information_schema.columns where table_name in ('a', \"b\") order by 1",
            "select distinct table_schema from information_schema.tables where table_name like '%user%' limit 5",
            "select table_name from information_schema.tables where table_schema not in ('sys') and table_type = 'VIEW'",
        ] {
            assert!(names_of_mysql(text), "{text}");
        }
        for text in [
            "select * from information_schema.tables",
            "select table_rows from information_schema.tables",
            "select table_name from information_schema.tables where data_length = '1'",
            "select table_name from information_schema.tables order by table_rows desc",
            "select f(table_name) from information_schema.tables",
            "select table_name from information_schema.processlist",
            "select table_name,\nsource x from information_schema.tables",
            "select table_name from information_schema.tables where table_name = 'a\\' or f()'",
            "select table_name from information_schema.tables; drop table x",
            "select table_name from information_schema.tables where table_name = 'a'\n\\! id",
            "select table_name from information_schema.tables union select user from mysql.user",
            "select table_name into outfile 'x' from information_schema.tables",
            "select table_name from information_schema.tables where table_name = 'a' or sleep(9)",
            "select table_name from shop.tables",
        ] {
            assert!(!names_of_mysql(text), "{text}");
        }
    }
}
