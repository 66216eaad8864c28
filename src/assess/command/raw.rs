//! Raw words as the syntax tree has them, and what can be told of them without expanding anything. Asked by `expand`.

/// The name and `=` that a raw word begins with, if it looks like an assignment, and the rest.
pub(super) fn assignment(raw: &str) -> (&str, &str) {
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let at = raw.find(|c| !letters(c)).unwrap_or(raw.len());
    let named = at > 0 && !raw.starts_with(|c: char| c.is_ascii_digit());
    match raw[at..].strip_prefix('+').unwrap_or(&raw[at..]).strip_prefix('=') {
        Some(rest) if named => raw.split_at(raw.len() - rest.len()),
        Some(_) | None => ("", raw),
    }
}

/// The text of a raw word that is one text in quotes, in which nothing is expanded.
pub(super) fn quoted(raw: &str) -> Option<&str> {
    let inner = |quote: char| raw.strip_prefix(quote)?.strip_suffix(quote);
    let single = inner('\'').filter(|text| !text.contains('\''));
    single.or_else(|| inner('"').filter(|text| !text.contains(['"', '$', '`', '\\'])))
}

/// Whether a raw word is its own text.
pub(super) fn is_plain(raw: &str) -> bool {
    raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./:@%+,=-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_word_in_one_pair_of_quotes_is_its_own_text() {
        for (raw, text) in
            [("'*.rs'", "*.rs"), ("'a \"$b\"'", "a \"$b\""), ("\"a 'b' *\"", "a 'b' *"), ("''", ""), ("\"\"", "")]
        {
            assert_eq!(quoted(raw), Some(text), "{raw}");
        }
        for raw in
            ["'a'b", "'a''b'", "'a'\"b\"'c'", "\"$a\"", "\"a\\b\"", "\"`a`\"", "\"a\"\"b\"", "'", "\"", "$'a'", "a", ""]
        {
            assert_eq!(quoted(raw), None, "{raw}");
        }
    }
}
