//! Brace expansion: `{a,b}`, `{1..9}`. Raw words in, raw words out, at most so many; `expand` calls it.

use brush_parser::word::{BraceExpressionMember, BraceExpressionOrText, parse_brace_expansions};

use super::parse::options;

/// Most words that braces may expand to.
const BRACE_WORDS: usize = 64;

/// The raw words that braces expand to; none if too many.
pub(super) fn braces(raw: &str) -> Option<Vec<String>> {
    if raw.bytes().filter(|&byte| byte == b'{').count() > 6 {
        return None;
    }
    let raw = &padded(raw)?;
    match parse_brace_expansions(raw, &options()) {
        Ok(Some(parts)) => product(&parts),
        Ok(None) => Some(vec![raw.to_owned()]),
        Err(_) => None,
    }
}

/// The same with every sequence that a shell pads with zeros written out: `{08..10}` as `{08,09,10}`.
fn padded(raw: &str) -> Option<String> {
    let mut whole = String::new();
    let mut rest = raw;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at + 1);
        let sequence = after.find('}').map(|end| &after[..end]);
        let ends = sequence.and_then(|text| text.split_once(".."));
        let zero = |text: &str| text.len() > 1 && text.trim_start_matches('-').starts_with('0');
        match ends.filter(|(first, last)| zero(first) || zero(last)) {
            None => whole.push_str(before),
            Some((first, last)) => {
                let digits = |text: &str| text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit());
                if !digits(first) || !digits(last) {
                    return None;
                }
                let width = first.len().max(last.len());
                let steps = steps(first.parse().ok()?, last.parse().ok()?, 1)?;
                let words: Vec<String> = steps.iter().map(|step| format!("{step:0width$}")).collect();
                let bare = words.len() == 1;
                whole.push_str(if bare { before.strip_suffix('{')? } else { before });
                whole.push_str(&words.join(","));
                rest = &after[first.len() + 2 + last.len() + usize::from(bare)..];
                continue;
            }
        }
        rest = after;
    }
    whole.push_str(rest);
    Some(whole)
}

fn product(parts: &[BraceExpressionOrText]) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for part in parts {
        let choices = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut choices = Vec::new();
                for member in members {
                    choices.extend(member_words(member)?);
                    if choices.len() > BRACE_WORDS {
                        return None;
                    }
                }
                choices
            }
        };
        if words.len() * choices.len() > BRACE_WORDS {
            return None;
        }
        words = words.iter().flat_map(|word| choices.iter().map(move |choice| format!("{word}{choice}"))).collect();
    }
    Some(words)
}

fn member_words(member: &BraceExpressionMember) -> Option<Vec<String>> {
    match member {
        BraceExpressionMember::Child(parts) => product(parts),
        BraceExpressionMember::NumberSequence { start, end, increment } => {
            let steps = steps(*start, *end, *increment)?;
            Some(steps.iter().map(i64::to_string).collect())
        }
        BraceExpressionMember::CharSequence { start, end, increment } => {
            let steps = steps(i64::from(u32::from(*start)), i64::from(u32::from(*end)), *increment)?;
            let letter =
                |step: &i64| u32::try_from(*step).ok().and_then(char::from_u32).filter(char::is_ascii_alphabetic);
            steps.iter().map(|step| letter(step).map(String::from)).collect()
        }
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
    fn sequences_are_padded_as_the_shell_does() {
        for (raw, words) in [
            ("{0..3}", "0 1 2 3"),
            ("{08..10}", "08 09 10"),
            ("a{1..03}b", "a01b a02b a03b"),
            ("{05..5}", "05"),
            ("{x,{09..11}}", "x 09 10 11"),
            ("{a,b}{01..02}", "a01 a02 b01 b02"),
        ] {
            assert_eq!(braces(raw).map(|words| words.join(" ")).as_deref(), Some(words), "{raw}");
        }
        for raw in ["{-01..2}", "{01..9999999999999}", "{01..5..2}", "{00..99}"] {
            assert_eq!(braces(raw), None, "{raw}");
        }
    }
}
