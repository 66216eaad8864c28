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

/// Whether all shells see the same quotes in a word within `${…}`: they close, and nothing in them could open or close
/// anything. Within other quotes some shells take them for the end of those, so that nothing else may be in them.
pub(super) fn plainly_quoted(raw: &str, within: bool) -> bool {
    let quote = if raw.contains('"') { '"' } else { '\'' };
    let parts: Vec<&str> = raw.split(quote).collect();
    let variables = |part: &str| {
        let mut behind = part.split('$').skip(1);
        quote == '"' && behind.all(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
    };
    let inside = |part: &str| {
        let opens = part.contains(['\'', '\\', '`', '{', '}', '(', ')', '<', '>', '\n']);
        is_plain(part) || !within && !opens && (!part.contains('$') || variables(part))
    };
    let outside = |part: &str| !part.contains(['\'', '\\', '`']) && !part.ends_with('$');
    parts.len() % 2 == 1
        && parts.iter().step_by(2).all(|part| outside(part))
        && parts.iter().skip(1).step_by(2).all(|part| inside(part))
}

/// Whether a raw word is one variable in quotes, maybe with nothing in its place: `"$x"`, `"${x}"`, `"${x:-}"`.
pub(super) fn one_variable(raw: &str) -> bool {
    let quoted = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
    let bare = |raw: &str| {
        let inside = raw.strip_prefix('{').and_then(|raw| raw.strip_suffix('}'));
        let name = inside.map_or(raw, |inside| inside.trim_end_matches('-').trim_end_matches(':')).to_owned();
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    quoted.and_then(|raw| raw.strip_prefix('$')).is_some_and(bare)
}

/// Whether a raw word is its own text.
pub(super) fn is_plain(raw: &str) -> bool {
    raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./:@%+,=-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::{plainly_quoted, quoted};

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

    #[test]
    fn quotes_in_an_expansion_are_plain_if_nothing_in_them_opens_or_closes() {
        for (raw, within) in [
            ("\"none\"", true),
            ("a\"b\"c", true),
            ("\"$dir\"/", false),
            ("\"a b\"", false),
            ("'a b'", false),
            ("-\"$x\"-\"$y\"", false),
        ] {
            assert!(plainly_quoted(raw, within), "{raw}");
        }
        for (raw, within) in [
            ("\"$dir\"", true),
            ("\"a b\"", true),
            ("'a b'", true),
            ("\"", false),
            ("\"a\"\"", false),
            ("\"}\"", false),
            ("\"${a}\"", false),
            ("\"$(a)\"", false),
            ("'a\"b'", false),
            ("\"a'b\"", false),
            ("$\"a\"", false),
            ("\"a$\"", false),
            ("'$a'", false),
            ("\\\"a\"", false),
        ] {
            assert!(!plainly_quoted(raw, within), "{raw}");
        }
    }
}
