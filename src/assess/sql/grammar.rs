//! Words of the grammar that look like names: those that stand before a bracket without being called, and
//! those behind which an expression starts. None of them is a function that acts. Called by `reading.rs`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::lex::Token;
use crate::domain::Dialect;

/// Keywords and type names that a bracket may follow, and that no function can have as its bare name.
static RESERVED: Words = Words::new(|| {
    words(
        " all and any array as asc both by case cast check collate cross default desc distinct else \
    except exists fetch for from full group grouping having ilike in inner intersect into is isnull join lateral \
    leading left like limit natural not notnull offset on only or order outer returning right rollup cube row select \
    similar some table then to trailing union using values when where window with xmlnamespaces \
    between bigint binary bit char character dec decimal float int integer interval national nchar numeric precision \
    real smallint time timestamp varchar ",
    )
});

/// More of them in MySQL: operators, index hints, modifiers of `SELECT`.
static MYSQL: Words = Words::new(|| {
    words(
        " div mod over partition range recursive regexp rlike rows set xor straight_join ignore index key force \
    use high_priority sql_no_cache sql_calc_found_rows sql_small_result sql_big_result sql_buffer_result sql_cache \
    distinctrow day_second blob double mediumint tinyint unsigned varbinary varying oj ",
    )
});

/// More of them in the other two.
static CONFLICT: Words = Words::new(|| words(" conflict "));

/// Keywords and type names that may be a function's name too: they are what the grammar means only where no
/// expression starts.
static CONTEXTUAL: Words = Words::new(|| {
    words(
        " at columns div empty error escape exclude filter first following groups materialized member \
    minus mod nested next nulls of ordinality over partition passing path preceding qualify range recursive regexp \
    rename repeatable rlike rows second set sets sounds straight_join system_time transaction within without xor zone \
    against dual glob indexed match \
    blob bpchar date datetime double enum fixed float4 float8 halfvec json mediumint number nvarchar signed text \
    timestamptz timetz tinyint unsigned varbinary varbit varchar2 varying vector year ",
    )
});

/// Keywords behind which an expression may start.
static OPENS_EXPRESSION: Words = Words::new(|| {
    words(
        " all and any between by case distinct else escape from having ilike in interval join \
    lateral like limit not offset on only or overlaps returning select similar some then to using values when where zone ",
    )
});

/// Keywords behind which a name or an expression stands, never a statement. All are reserved: a word that may be
/// a name itself could end a clause in front of a statement.
static BEFORE_EXPRESSION: Words = Words::new(|| {
    words(
        " select distinct all as and or not where on having when then else case like ilike in \
    is from join using limit offset returning collate only lateral table with ",
    )
});

/// Further keywords behind which a bracket may hold a query.
static BEFORE_QUERY: Words = Words::new(|| words(" array as exists from materialized "));

/// Words that go on after a name in an expression, or end it.
static AFTER_EXPRESSION: Words = Words::new(|| {
    words(
        " and as asc at between binary collate desc div else end escape except fetch filter \
    glob group having ilike in intersect is isnull join like limit match member mod not notnull nulls offset operator or \
    order over overlaps regexp rlike separator similar sounds then union using when where window within xor ",
    )
});

/// What statements make, change and drop.
const OBJECTS: [&str; 16] = [
    "table",
    "view",
    "index",
    "database",
    "schema",
    "trigger",
    "function",
    "procedure",
    "user",
    "role",
    "sequence",
    "extension",
    "event",
    "server",
    "tablespace",
    "temporary",
];

/// Words of one sort, told apart at first use.
type Words = LazyLock<HashSet<&'static str>>;

fn words(text: &'static str) -> HashSet<&'static str> {
    text.split_whitespace().collect()
}

fn holds(list: &Words, word: &str) -> bool {
    list.contains(word)
}

/// Whether a bracket after this keyword is no call, wherever it stands.
pub(super) fn reserved(word: &str, dialect: Dialect) -> bool {
    let more = match dialect {
        Dialect::Sqlite | Dialect::Postgres => &CONFLICT,
        Dialect::Mysql => &MYSQL,
    };
    holds(&RESERVED, word) || holds(more, word)
}

/// Whether a bracket after this keyword is no call where no expression can start.
pub(super) fn contextual(word: &str) -> bool {
    holds(&CONTEXTUAL, word)
}

/// Whether an expression may start behind this keyword.
pub(super) fn opens_expression(word: &str) -> bool {
    holds(&OPENS_EXPRESSION, word)
}

/// Whether only a name or an expression can follow this keyword.
pub(super) fn before_expression(word: &str) -> bool {
    holds(&BEFORE_EXPRESSION, word)
}

/// Whether a bracket after this keyword may hold a query.
pub(super) fn before_query(word: &str) -> bool {
    opens_expression(word) || holds(&BEFORE_QUERY, word)
}

/// Whether a word may follow a name in an expression.
pub(super) fn after_expression(word: &str) -> bool {
    holds(&AFTER_EXPRESSION, word)
}

/// Whether a token says what kind of object a statement is about.
pub(super) fn kind_of_object(token: &Token) -> bool {
    OBJECTS.iter().any(|kind| token.is(kind))
}
