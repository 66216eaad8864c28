//! Words of the grammar that look like names: those that stand before a bracket without being called, and
//! those behind which an expression starts. None of them is a function that acts. Called by `reading.rs`.

use crate::domain::Dialect;

/// Keywords and type names that a bracket may follow.
const BEFORE_BRACKET: &str = " all and any array as asc at between both by case cast check collate columns cross default \
    desc distinct div else empty end error escape except exclude exists explain fetch filter first following for from \
    full group grouping groups having ilike in inner intersect into is isnull join lateral leading left like limit \
    materialized minus mod natural nested next not notnull nulls of offset on only operator or order ordinality outer \
    over partition passing path preceding qualify range recursive regexp returning right rlike rollup cube row rows \
    select set sets similar some sounds straight_join table then to trailing union using values when where window with \
    within without xor zone \
    bigint binary bit blob bpchar char character date datetime dec decimal double enum fixed float float4 float8 int \
    integer interval json mediumint national nchar number numeric nvarchar precision real signed smallint text time \
    timestamp timestamptz timetz tinyint unsigned varbinary varbit varchar varchar2 varying vector halfvec year ";

/// More of them in MySQL: index hints, full text search.
const MYSQL: &str = " against ignore index key force use member straight_join high_priority sql_no_cache \
    sql_calc_found_rows sql_small_result sql_big_result sql_buffer_result sql_cache distinctrow system_time dual transaction day_second ";

/// More of them in PostgreSQL.
const POSTGRES: &str = " repeatable conflict xmlnamespaces second ";

/// More of them in SQLite.
const SQLITE: &str = " glob match indexed conflict ";

/// Keywords behind which a name or an expression stands, never a statement. All are reserved: a word that may be
/// a name itself could end a clause in front of a statement.
const BEFORE_EXPRESSION: &str = " select distinct all as and or not where on having when then else case like ilike in \
    is from join using limit offset returning collate only lateral table with ";

fn holds(list: &str, word: &str) -> bool {
    let wanted = format!(" {word} ");
    list.contains(&wanted)
}

/// Whether a bracket after this keyword is no call.
pub(super) fn before_bracket(word: &str, dialect: Dialect) -> bool {
    let more = match dialect {
        Dialect::Sqlite => SQLITE,
        Dialect::Postgres => POSTGRES,
        Dialect::Mysql => MYSQL,
    };
    holds(BEFORE_BRACKET, word) || holds(more, word)
}

/// Whether only a name or an expression can follow this keyword.
pub(super) fn before_expression(word: &str) -> bool {
    holds(BEFORE_EXPRESSION, word)
}
