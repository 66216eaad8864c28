//! Whether a statement that writes does no more than it says: one table, no other that it reads, no function that does
//! anything. Only such a one can be told by its verb, table and WHERE, which is what a remembered rule names.

use std::collections::HashSet;

use super::functions::Calls;
use super::lex::{Kind, Token};
use super::reading::Reading;
use super::statements::{name, target_at};
use crate::domain::Dialect;

/// Words that bring another table, a query, or something else than rows into it.
const MORE: [&str; 15] = [
    "select",
    "with",
    "table",
    "returning",
    "using",
    "from",
    "join",
    "outfile",
    "dumpfile",
    "into",
    "file",
    "program",
    "execute",
    "call",
    "partition",
];

/// Whether the tokens of one statement are such a plain write.
pub(super) fn writes(dialect: Dialect, tokens: &[Token]) -> bool {
    let Some(verb) = tokens.first().filter(|token| token.kind == Kind::Word) else { return false };
    let Some(at) = target_at(tokens) else { return false };
    let behind = at + 2 * name(&tokens[at..]).matches('.').count() + 1;
    // Between the verb and its table stands nothing but what leads to it: no other kind of thing that has such a name.
    let before = &tokens[1..at];
    let only = |words: &[&str]| before.iter().all(|token| words.iter().any(|word| token.is(word)));
    let rest = tokens.get(behind..).unwrap_or_default();
    let begins = |words: &[&str]| rest.first().is_none_or(|token| words.iter().any(|word| token.is(word)));
    let shaped = match verb.text.as_str() {
        "delete" => only(&["from", "only"]) && begins(&["where", "limit"]),
        "update" => only(&["only", "or", "ignore", "replace"]) && begins(&["set"]),
        "insert" | "replace" => {
            let listed = rest.first().is_some_and(|token| token.mark('('));
            only(&["into", "or", "ignore", "replace"]) && (listed || begins(&["values"]))
        }
        "truncate" => only(&["table"]) && rest.is_empty(),
        _ => false,
    };
    // The list of columns looks like a call of the table's name.
    let clause = rest.iter().position(|token| ["set", "values", "where"].iter().any(|word| token.is(word)));
    let clause = clause.map_or(&[][..], |at| &rest[at + 1..]);
    let listed = clause.len() < rest.len() || rest.is_empty();
    let more = |token: &Token| token.kind == Kind::Word && MORE.contains(&token.text.as_str());
    let quiet = || {
        let reading = Reading { dialect, calls: Calls::Run, aliases: &HashSet::new(), tokens: clause };
        reading.objections().iter().all(|finding| !finding.rule.starts_with("sql.function"))
    };
    shaped && listed && !rest.iter().any(more) && quiet()
}

#[cfg(test)]
mod tests {
    use super::super::tests::in_postgres;

    #[test]
    fn only_a_write_that_says_all_of_itself_has_a_form() {
        for sql in [
            "DELETE FROM orders WHERE id = 3",
            "DELETE FROM orders",
            "UPDATE public.orders SET paid = true WHERE id = 3 AND lower(name) = 'x'",
            "INSERT INTO orders (id, name) VALUES (1, 'a'), (2, 'b')",
            "TRUNCATE TABLE orders",
        ] {
            assert_eq!(in_postgres(sql).forms.len(), 1, "{sql}");
        }
        for sql in [
            "DELETE FROM orders WHERE id IN (SELECT id FROM other)",
            "DELETE FROM orders USING other WHERE orders.id = other.id",
            "DELETE FROM orders WHERE pg_terminate_backend(3)",
            "UPDATE orders SET a = lo_import('/etc/passwd') WHERE id = 1",
            "UPDATE orders SET a = b.c FROM b WHERE b.id = 1",
            "INSERT INTO orders SELECT * FROM other",
            "INSERT INTO orders (a) VALUES (dblink_exec('x'))",
            "WITH x AS (DELETE FROM a RETURNING *) DELETE FROM orders WHERE id = 1",
            "DELETE FROM orders WHERE id = 1; DROP TABLE orders",
            "DROP TABLE orders",
            "TRUNCATE orders, other",
            "CREATE TABLE orders (id int)",
            "SELECT 1",
        ] {
            assert!(in_postgres(sql).forms.is_empty(), "{sql}");
        }
    }
}
