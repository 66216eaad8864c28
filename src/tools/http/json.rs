//! Lays JSON out over lines without touching a value: numbers and strings stay as the server wrote them.

use serde::de::IgnoredAny;

/// Longest body that is laid out anew, in bytes.
const LONGEST: usize = 1024 * 1024;

/// The text laid out, if it is JSON.
pub(super) fn laid_out(text: &str) -> Option<String> {
    if text.len() > LONGEST || serde_json::from_str::<IgnoredAny>(text).is_err() {
        return None;
    }
    let mut out = String::with_capacity(text.len() * 2);
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let mut characters = text.chars().filter(|c| !c.is_ascii_control() || *c == '\u{7f}').peekable();
    while let Some(c) = characters.next() {
        if quoted {
            out.push(c);
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            ' ' => {}
            '"' => {
                quoted = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                while characters.next_if_eq(&' ').is_some() {}
                if let Some(close) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => out.push(c),
        }
    }
    Some(out)
}

/// A new line, set in by its depth; deep ones no further than a screen is wide.
fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', 2 * depth.min(40)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_as_they_were_written() {
        let text = r#"{"a":[1.10, 12345678901234567890123],"b":{ },"c":"x, {\"y\": [\\","d":[]}"#;
        let expected = "{\n  \"a\": [\n    1.10,\n    12345678901234567890123\n  ],\n  \"b\": {},\n  \
                        \"c\": \"x, {\\\"y\\\": [\\\\\",\n  \"d\": []\n}";
        assert_eq!(laid_out(text).unwrap(), expected);
        assert_eq!(laid_out("{\"a\": }"), None);
    }
}
