//! Brace expansion: `{a,b}`, `{1..9}`. Raw words in, raw words out, at most so many; `expand` calls it. It follows
//! bash's own scanner, quirks too: which braces belong together depends on the commas and dots between them.

#![allow(clippy::option_option)] // three answers: it isn't one, it is one that can't be told, this is it

/// Most words that braces may expand to.
const BRACE_WORDS: usize = 64;
/// Most opening braces in a word.
const BRACES: usize = 6;

/// The raw words that braces expand to, the word itself where they don't; none if too many, or if bash may see it
/// in another way.
pub(super) fn braces(raw: &str) -> Option<Vec<String>> {
    // A quote within `$'…'` is escaped in a way that the scanner doesn't know.
    if opening(raw).is_none_or(|count| count > BRACES) || raw.contains("$'") && raw.contains("\\'") {
        return None;
    }
    expanded(raw)
}

/// How many braces open outside quotes and substitutions, as [`scan`] reads them; none if that isn't clear.
fn opening(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut quote, mut count) = (0, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if quote != b'\'' => at += 1,
            b'$' | b'<' | b'>'
                if matches!(quote, 0 | b'"') && bytes.get(at + 1) == Some(&b'(') && (quote == 0 || byte == b'$') =>
            {
                at = substitution_end(bytes, at + 2)?;
            }
            _ if quote != 0 => quote = if byte == quote { 0 } else { quote },
            b'"' | b'\'' | b'`' => quote = byte,
            b'{' => count += 1,
            _ => {}
        }
        at += 1;
    }
    Some(count)
}

fn expanded(text: &str) -> Option<Vec<String>> {
    let Some((open, close)) = first_braces(text)? else { return Some(vec![text.to_owned()]) };
    let (before, inside, after) = (&text[..open], &text[open + 1..close], &text[close + 1..]);
    let mut choices = Vec::new();
    let mut rest = inside;
    while let Some(comma) = scan(rest, 0, b',')? {
        choices.extend(expanded(&rest[..comma])?);
        rest = &rest[comma + 1..];
    }
    if rest.len() < inside.len() {
        choices.extend(expanded(rest)?);
    } else if inside.contains([',', '{']) {
        return None;
    } else {
        choices = sequence(inside)?.unwrap_or_else(|| vec![format!("{{{inside}}}")]);
    }
    let ends = expanded(after)?;
    if choices.len() * ends.len() > BRACE_WORDS {
        return None;
    }
    Some(choices.iter().flat_map(|choice| ends.iter().map(move |end| format!("{before}{choice}{end}"))).collect())
}

/// The first braces that expand: where they open and close. The outer `None` is for text that isn't understood.
fn first_braces(text: &str) -> Option<Option<(usize, usize)>> {
    let mut from = 0;
    while let Some(open) = scan(text, from, b'{')? {
        if let Some(close) = scan(text, open + 1, b'}')? {
            return Some(Some((open, close)));
        }
        from = open + 1;
    }
    Some(None)
}

/// Where an unquoted character stands that isn't within further braces; a closing brace only after a comma or dots.
fn scan(text: &str, from: usize, wanted: u8) -> Option<Option<usize>> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut quote) = (from, 0_usize, 0);
    let mut several = wanted != b'}';
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        match byte {
            b'\\' if quote != b'\'' => at += 1,
            b'$' if quote != b'\'' && next == Some(&b'{') => {
                depth += usize::from(quote == 0);
                at += 1;
            }
            b'$' | b'<' | b'>' if matches!(quote, 0 | b'"') && next == Some(&b'(') && (quote == 0 || byte == b'$') => {
                at = substitution_end(bytes, at + 2)?;
            }
            _ if quote != 0 => quote = if byte == quote { 0 } else { quote },
            b'"' | b'\'' | b'`' => quote = byte,
            _ if byte == wanted && depth == 0 && several => return Some(Some(at)),
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => several = true,
            b'.' if depth == 0 && next == Some(&b'.') && bytes.get(at + 2) != Some(&b'}') => several = true,
            _ => {}
        }
        at += 1;
    }
    Some(None)
}

/// Where the parenthesis closes that was opened before `at`; none if that isn't clear.
fn substitution_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let (mut depth, mut quote) = (1_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if quote != b'\'' => at += 1,
            b'(' if quote != b'\'' => depth += 1,
            b')' if quote != b'\'' => depth -= 1,
            _ if quote != 0 => quote = if byte == quote { 0 } else { quote },
            b'"' | b'\'' => quote = byte,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Whether a word is a run of numbers and nothing else, however long.
pub(super) fn counts(raw: &str) -> bool {
    let number = |text: &str| text.len() < 10 && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let inside = raw.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inside.is_some_and(|run| run.split("..").count() > 1 && run.split("..").all(number))
}

/// The words of `1..9`, `01..10..3`, `a..e`; the inner `None` if it is no sequence, the outer if it is one that isn't
/// followed.
fn sequence(text: &str) -> Option<Option<Vec<String>>> {
    let parts: Vec<&str> = text.split("..").collect();
    let (first, last, step) = match parts.as_slice() {
        [first, last] => (*first, *last, 1),
        [first, last, step] => match step.parse::<i64>() {
            Ok(step) => (*first, *last, step),
            Err(_) => return Some(None),
        },
        _ => return Some(None),
    };
    if let (Ok(from), Ok(to)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let zero = |text: &str| text.len() > 1 && text.trim_start_matches('-').starts_with('0');
        let width = if zero(first) || zero(last) { first.len().max(last.len()) } else { 0 };
        return Some(Some(steps(from, to, step)?.iter().map(|number| format!("{number:0width$}")).collect()));
    }
    let (mut from, mut to) = (first.chars(), last.chars());
    match (from.next(), from.next(), to.next(), to.next()) {
        (Some(from), None, Some(to), None) if from.is_ascii_alphabetic() && to.is_ascii_alphabetic() => {
            // Between the cases lie characters that mean something to the shell.
            if from.is_ascii_lowercase() != to.is_ascii_lowercase() {
                return None;
            }
            let letter = |code: &i64| u32::try_from(*code).ok().and_then(char::from_u32).map(String::from);
            let codes = steps(i64::from(u32::from(from)), i64::from(u32::from(to)), step)?;
            Some(Some(codes.iter().filter_map(letter).collect()))
        }
        _ => Some(None),
    }
}

fn steps(start: i64, end: i64, increment: i64) -> Option<Vec<i64>> {
    let step = i64::try_from(increment.unsigned_abs().max(1)).ok()?;
    let count = usize::try_from(start.abs_diff(end)).ok()? / usize::try_from(step).ok()? + 1;
    if count > BRACE_WORDS {
        return None;
    }
    let direction = if end >= start { step } else { -step };
    (0..count).map(|nth| start.checked_add(direction.checked_mul(i64::try_from(nth).ok()?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::braces;

    #[test]
    fn braces_expand_as_in_bash() {
        for (raw, words) in [
            ("a{b,c}d", "abd acd"),
            ("{a,{b,c}}", "a b c"),
            ("{a,b}{1..2}", "a1 a2 b1 b2"),
            ("{a}{b,c}", "{a}b {a}c"),
            ("{a},b}", "a} b"),
            ("{{a,b}", "{a {b"),
            ("{a,b", "{a,b"),
            ("{3..1}", "3 2 1"),
            ("{08..10}", "08 09 10"),
            ("{-1..1}", "-1 0 1"),
            ("{1..10..4}", "1 5 9"),
            ("{a..c}", "a b c"),
            ("{1..a}", "{1..a}"),
            ("{a\\,b,c}", "a\\,b c"),
            ("{'a,b',c}", "'a,b' c"),
            ("\"{01..3}\"", "\"{01..3}\""),
            ("${a,b}", "${a,b}"),
            ("${v}{a,b}", "${v}a ${v}b"),
            ("$(ls {a,b}){c,d}", "$(ls {a,b})c $(ls {a,b})d"),
        ] {
            assert_eq!(braces(raw).unwrap().join(" "), words, "{raw}");
        }
        assert_eq!(braces("{a,}").unwrap(), ["a", ""]);
        let quoted = "'table {{.ID}},{{.Names}},{{.Status}},{{.Image}}'";
        assert_eq!(braces(quoted).unwrap(), [quoted]);
        for raw in ["{1..100}", "{Z..a}", "{1..9}{1..9}", "{1..{a,b}}"] {
            assert_eq!(braces(raw), None, "{raw}");
        }
    }
}
