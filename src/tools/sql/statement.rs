//! What can be told of a statement from its first word alone, for wording: it decides nothing.

/// First words of statements that yield rows, even if there are none.
const YIELDING: [&str; 9] = ["SELECT", "SHOW", "WITH", "VALUES", "TABLE", "EXPLAIN", "DESCRIBE", "DESC", "PRAGMA"];

/// First words of statements that may change rows.
const CHANGING: [&str; 5] = ["INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"];

/// What a statement answers with, even if it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// Rows.
    Rows,
    /// How many rows changed.
    Changes,
    /// That it is done: `CREATE`, `DROP`, `SET`.
    Nothing,
}

/// What a statement answers with.
pub(super) fn answers(sql: &str) -> Answers {
    match first(sql).as_str() {
        word if YIELDING.contains(&word) => Answers::Rows,
        word if CHANGING.contains(&word) || word == "MERGE" => Answers::Changes,
        _ => Answers::Nothing,
    }
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
        assert_eq!(answers("-- all of them\n /* really */ (select 1)"), Answers::Rows);
        assert_eq!(answers("UPDATE a SET b = 1"), Answers::Changes);
        assert_eq!(answers("DROP TABLE a"), Answers::Nothing);
        assert_eq!(answers("/* open"), Answers::Nothing);
    }
}
