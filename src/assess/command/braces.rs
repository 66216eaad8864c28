//! Brace expansion: `{a,b}`, `{1..9}`. Raw words in, raw words out, at most so many; `expand` calls it.

use brush_parser::word::{BraceExpressionMember, BraceExpressionOrText, parse_brace_expansions};

use super::parse::options;

/// Most words that braces may expand to.
const BRACE_WORDS: usize = 64;

/// The raw words that braces expand to; none if too many.
pub(super) fn braces(raw: &str) -> Option<Vec<String>> {
    if raw.bytes().filter(|&byte| byte == b'{').count() > 6 || raw.contains("{0") || raw.contains("..0") {
        return None;
    }
    match parse_brace_expansions(raw, &options()) {
        Ok(Some(parts)) => product(&parts),
        Ok(None) => Some(vec![raw.to_owned()]),
        Err(_) => None,
    }
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
