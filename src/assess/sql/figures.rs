//! Statements over a relation of which some columns hold values of other tables, as the planner's statistics do: whether
//! they show figures alone, though they join it with others. By what must not stand in them: these columns, a `*`, and a
//! row taken whole. Asked by `secrets`.

use std::collections::HashSet;

use super::lex::{Kind, Token};

/// The columns of a relation: those that hold figures, and those that hold values.
pub(super) struct Columns<'a> {
    pub figures: &'a HashSet<String>,
    pub values: &'a HashSet<String>,
}

/// Whether a statement that names a relation of the engine shows nothing of the columns that hold values.
pub(super) fn figures_alone(tokens: &[Token], relation: &str, columns: &Columns<'_>) -> bool {
    let lower = |token: &Token| token.text.to_ascii_lowercase();
    let mark = |at: usize, wanted: char| tokens.get(at).is_some_and(|token| token.mark(wanted));
    let opens = |at: usize| at.checked_sub(1).is_some_and(|at| tokens[at].is("from") || tokens[at].is("join"));
    // The names by which a row of it could be taken whole, and where they are given.
    let (mut rows, mut given) = (HashSet::new(), HashSet::new());
    // It compares columns that it doesn't name.
    if tokens.iter().any(|token| token.is("natural")) {
        return false;
    }
    for at in 0..tokens.len() {
        // A join in brackets has a name by which its rows are taken whole.
        let lists = opens(at) || at > 0 && mark(at - 1, ',') || at > 0 && tokens[at - 1].is("lateral");
        let query =
            ["select", "values", "with"].iter().any(|word| tokens.get(at + 1).is_some_and(|next| next.is(word)));
        if lists && mark(at, '(') && !query {
            return false;
        }
        if !tokens[at].names() || lower(&tokens[at]) != relation {
            continue;
        }
        let qualified = at >= 2 && mark(at - 1, '.') && tokens[at - 2].is("pg_catalog");
        if !opens(if qualified { at - 2 } else { at }) {
            // `pg_stats.attname` names a column.
            if !mark(at + 1, '.') || mark(at.wrapping_sub(1), '.') {
                return false;
            }
            continue;
        }
        rows.insert(relation.to_owned());
        given.insert(at);
        let named = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|next| next.is("as")));
        if let Some(alias) = tokens.get(named).filter(|alias| alias.names() && !goes_on(alias)) {
            rows.insert(lower(alias));
            given.insert(named);
        }
        if mark(at + 1, '(') || mark(named, '(') || mark(named + 1, '(') {
            return false;
        }
    }
    let shows_none = |at: usize| {
        let (token, before) = (&tokens[at], at.checked_sub(1));
        match token.kind {
            Kind::Mark('*') => {
                // Of a product, and of `count(*)`: something that can be computed with stands before it.
                let computed = |token: &Token| token.kind == Kind::Number || token.mark(')') || token.names();
                let counts = at > 1 && mark(at - 1, '(') && tokens[at - 2].is("count");
                let left = before.is_some_and(|before| computed(&tokens[before]) && !starts(&tokens[before]));
                let right = tokens.get(at + 1).is_some_and(|next| {
                    next.mark('(') || next.kind == Kind::Number || next.names() && !next.is("from")
                });
                counts || left && right
            }
            Kind::Word | Kind::Name => {
                let row = rows.contains(&lower(token)) && !given.contains(&at);
                let row = row && !before.is_some_and(|before| mark(before, '.'));
                // What is no column is a function that gets the row (`s.row_to_json`).
                let column = tokens.get(at + 2).is_some_and(|column| columns.figures.contains(&lower(column)));
                !columns.values.contains(&lower(token)) && (!row || mark(at + 1, '.') && column)
            }
            Kind::Text | Kind::Number | Kind::Mark(_) => true,
        }
    };
    !rows.is_empty() && (0..tokens.len()).all(shows_none)
}

/// Whether a word behind a relation goes on with the query.
pub(super) fn goes_on(token: &Token) -> bool {
    const WORDS: [&str; 18] = [
        "where",
        "order",
        "group",
        "having",
        "limit",
        "offset",
        "join",
        "left",
        "right",
        "inner",
        "full",
        "cross",
        "natural",
        "on",
        "using",
        "union",
        "except",
        "intersect",
    ];
    token.kind == Kind::Word && WORDS.contains(&token.text.as_str())
}

/// Whether a `*` behind a word means columns, not a product.
fn starts(token: &Token) -> bool {
    ["select", "distinct", "all", "returning"].iter().any(|word| token.is(word))
}

#[cfg(test)]
mod tests {
    use super::super::lex;
    use super::*;
    use crate::domain::Dialect;

    fn alone(sql: &str) -> bool {
        let quoting = lex::Quoting { single: false, double: false };
        let tokens = lex::lex(sql, Dialect::Postgres, quoting).unwrap().tokens;
        let values = &["most_common_vals", "histogram_bounds"].map(str::to_owned).into();
        let figures =
            &["schemaname", "tablename", "attname", "null_frac", "avg_width", "inherited"].map(str::to_owned).into();
        figures_alone(&tokens, "pg_stats", &Columns { figures, values })
    }

    #[test]
    fn joins_show_figures_alone() {
        for sql in [
            "SELECT s.null_frac, c.relname FROM pg_stats s JOIN pg_class c ON c.relname = s.tablename",
            "SELECT a.null_frac, b.ma FROM pg_stats a, (SELECT 1 AS ma) b",
            "SELECT hdr FROM (SELECT schemaname, null_frac AS hdr FROM pg_stats) x",
            "SELECT sum((1 - s.null_frac) * s.avg_width), count(*) FROM pg_catalog.pg_stats AS s WHERE s.inherited",
            "SELECT pg_stats.attname FROM pg_class c LEFT JOIN pg_stats ON c.relname = pg_stats.tablename",
            "SELECT 1 + count(*) FROM pg_stats s, pg_class c WHERE (SELECT 1 + max(avg_width) FROM pg_stats s2) > 8",
        ] {
            assert!(alone(sql), "{sql}");
        }
        for sql in [
            "SELECT s.*, c.relname FROM pg_stats s JOIN pg_class c ON true",
            "SELECT * FROM pg_class c JOIN pg_stats s ON true",
            "SELECT s FROM pg_class c JOIN pg_stats s ON true",
            "SELECT (s).histogram_bounds FROM pg_stats s, pg_class",
            "SELECT s.\"most_common_vals\" FROM pg_stats s, pg_class",
            "SELECT j FROM (pg_stats s JOIN pg_class c ON true) AS j",
            "SELECT j FROM pg_type t, (pg_class c JOIN pg_stats s ON true) j",
            "SELECT z FROM pg_stats AS s(a, b, c, d, e, f, g, h, i, z)",
            "SELECT z FROM pg_stats s(a, b, c, d, e, f, g, h, i, z), pg_class",
            "SELECT row_to_json(s) FROM pg_stats s, pg_class",
            "SELECT pg_stats FROM pg_stats, pg_class",
            "SELECT DISTINCT * FROM pg_stats s, pg_class",
            "WITH x AS (TABLE pg_stats) SELECT x FROM x",
            "SELECT x FROM (SELECT DISTINCT s.* FROM pg_stats s) x",
            "SELECT 1, * FROM pg_stats s, pg_class",
            "SELECT ALL * FROM pg_stats s, pg_class",
            "SELECT (s) FROM pg_stats s, pg_class",
            "SELECT DISTINCT ON (1) * FROM pg_class c JOIN pg_stats s ON true",
            "SELECT s.row_to_json FROM pg_class c JOIN pg_stats s ON true",
            "SELECT pg_stats.to_jsonb FROM pg_class c, pg_stats",
            "SELECT c, pg_stats s FROM pg_class c, pg_stats",
        ] {
            assert!(!alone(sql), "{sql}");
        }
    }
}
