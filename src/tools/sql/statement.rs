//! What can be told of a statement from its first word alone, for wording: it decides nothing.

/// First words of statements that yield rows, even if there are none.
const YIELDING: [&str; 9] = ["SELECT", "SHOW", "WITH", "VALUES", "TABLE", "EXPLAIN", "DESCRIBE", "DESC", "PRAGMA"];

/// First words of statements that may change rows.
const CHANGING: [&str; 5] = ["INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"];

/// Whether a statement without rows still answered with rows: none.
pub(super) fn yields_rows(sql: &str) -> bool {
    YIELDING.contains(&first(sql).as_str())
}

/// Whether a statement may change rows of a table.
pub(super) fn changes_rows(sql: &str) -> bool {
    CHANGING.contains(&first(sql).as_str())
}

/// The first word, in capital letters.
fn first(sql: &str) -> String {
    let word: String = beginning(sql).chars().take_while(char::is_ascii_alphabetic).collect();
    word.to_ascii_uppercase()
}

/// The text after blanks, brackets and comments at its beginning.
fn beginning(mut sql: &str) -> &str {
    loop {
        sql = sql.trim_start_matches(|c: char| c.is_whitespace() || c == '(' || c == ';');
        let rest = if let Some(comment) = sql.strip_prefix("--").or_else(|| sql.strip_prefix('#')) {
            comment.split_once('\n').map(|(_, rest)| rest)
        } else if let Some(comment) = sql.strip_prefix("/*") {
            comment.split_once("*/").map(|(_, rest)| rest)
        } else {
            return sql;
        };
        match rest {
            Some(rest) => sql = rest,
            None => return "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_found_behind_comments() {
        assert!(yields_rows("-- all of them\n /* really */ (select 1)"));
        assert!(!yields_rows("UPDATE a SET b = 1"));
        assert!(!yields_rows("/* open"));
    }
}
