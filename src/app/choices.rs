//! The numbered choices of a question that the model asks in text. Choosing sends a message and approves nothing.

/// Most choices that have a key.
const MOST: usize = 9;
/// Longest text of a choice that is sent, in characters.
const LONGEST: usize = 200;

/// Lines between a list and a question behind it that still is about the list.
const NEAR: usize = 3;
/// How far back from a text's end they are looked for, in bytes: a question stands at the end, and a text may be long.
const BACK: usize = 8 * 1024;

/// The choices `1) …  2) …` or `1. …` of a text, the last such list of it; none if there are fewer than two.
pub(super) fn choices(text: &str) -> Vec<String> {
    let text = end(text);
    let found = list(text);
    let ends = found.iter().skip(1).map(|(start, ..)| *start).chain([text.len()]);
    let choice = |((_, _, from), end): (&(usize, usize, usize), usize)| {
        let said = text[*from..end].trim();
        let said = said.lines().next().unwrap_or_default().trim_matches(['*', '_', ' ', ',', ';', '?']);
        said.chars().take(LONGEST).collect()
    };
    found.iter().zip(ends).map(choice).collect()
}

/// Whether the list of choices of a text is its question: the line before the list ends in a question mark, and nothing
/// stands behind the list, or what stands there ends in one.
pub(super) fn asks_before(text: &str) -> bool {
    let text = end(text);
    let found = list(text);
    let (Some((start, ..)), Some((last, ..))) = (found.first().copied(), found.last().copied()) else { return false };
    let asks = |said: &str| said.trim_end_matches(['*', '_', ' ', '\n', '\r', ')', '"']).ends_with('?');
    let before = text[..start].trim_end();
    let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
    // What goes on with the last choice is indented.
    let behind = |line: &&str| !line.trim().is_empty() && !line.starts_with([' ', '\t']);
    let after = text[last..].lines().skip(1).filter(behind).count();
    let closed = after == 0;
    let question = text.trim_end().rsplit('\n').next().unwrap_or_default();
    // A question far behind a list asks about something else.
    asks(line) && closed || asks(text) && (closed || after <= NEAR && !wants_a_yes(question))
}

/// Whether a question behind a list is about all of it: a yes or a no answers it.
fn wants_a_yes(question: &str) -> bool {
    const BEGINNINGS: [&str; 12] = [
        "shall i",
        "should i",
        "do you want",
        "would you like",
        "may i",
        "can i",
        "is that",
        "is this",
        "are these",
        "ok to",
        "want me to",
        "ready",
    ];
    let sentence =
        question.trim_end_matches(['?', '*', '_', ' ']).rsplit(['.', '!', ':', '?']).next().unwrap_or_default();
    let sentence = sentence.trim_start_matches(['*', '_', ' ', '>']).to_lowercase();
    BEGINNINGS.iter().any(|beginning| sentence.starts_with(beginning))
        && !["which", " or ", "number", "one of"].iter().any(|word| sentence.contains(word))
}

/// The last list of a text: where each choice begins, its number stands, and its words begin.
fn list(text: &str) -> Vec<(usize, usize, usize)> {
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (at, digit) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        let Some(start) = starts(text, at) else { continue };
        let number = digit.to_digit(10).unwrap_or_default() as usize;
        if number == 1 {
            found.clear();
        }
        if number == found.len() + 1 && number <= MOST {
            found.push((start, at, at + 2));
        }
    }
    if found.len() < 2 {
        found.clear();
    }
    found
}

/// The end of a text, from a line's start.
fn end(text: &str) -> &str {
    if text.len() <= BACK {
        return text;
    }
    let end = &text[text.ceil_char_boundary(text.len() - BACK)..];
    end.find('\n').map_or("", |line| &end[line + 1..])
}

/// Where the sign of a choice begins, if the digit at a place is one: at a line's start, or `1)` after a blank.
fn starts(text: &str, at: usize) -> Option<usize> {
    let (before, after) = (&text[..at], &text.as_bytes()[at + 1..]);
    // Looked at first: hardly any digit is a sign.
    let (Some(sign @ (b')' | b'.')), Some(b' ')) = (after.first(), after.get(1)) else { return None };
    if *sign == b')' && (before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || c == '(')) {
        return Some(at);
    }
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    line.trim_matches([' ', '\t', '-', '*', '_', '(', '>']).is_empty().then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_from_lines_and_from_one_line() {
        assert_eq!(choices("Which one?\n\n1. The *orders*\n2. The rows\n3) Both"), ["The *orders", "The rows", "Both"]);
        assert_eq!(choices("Shall I 1) drop it, 2) keep it or 3) ask?"), ["drop it", "keep it or", "ask"]);
        assert_eq!(choices("- **1) This**\n- **2) That**"), ["This", "That"]);
    }

    #[test]
    fn other_numbers_are_no_choices() {
        for text in ["It took 1.5 s. 2. times", "1) only one?", "2) b\n3) c", "version 1.2?", "", "1)a 2)b"] {
            assert!(choices(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_question_elsewhere_asks_for_no_choice() {
        assert!(asks_before("Which one?\n\n1. a\n2. b") && asks_before("1) a\n2) b\n\nOr what?"));
        assert!(!asks_before("- why? Because.\n\nDone:\n1. a\n2. b") && !asks_before("Really?"));
        assert!(!asks_before("What did I do? This:\n1. a\n2. b\n\nThe end.") && !asks_before("Why?\n1. a\n2. b\nSo."));
        assert!(!asks_before("Done:\n1. a\n2. b\n\n```rust\nformat!(\"{:?}\", x)\n```"));
        assert!(!asks_before("I found:\n1. a\n2. b\n\nThat is all. Shall I delete them all?"));
        assert!(!asks_before("Files:\n1. a\n2. b\n\n**Do you want me to go on?**"));
        assert!(asks_before("1. a\n2. b\n\nShall I do 1 or 2?") && asks_before("1. a\n2. b\n\nWhich one do you want?"));
        assert!(asks_before("Which?\n1. a\n   the first\n2. b\n   the second\n"));
    }

    #[test]
    fn the_last_list_counts() {
        assert_eq!(choices("Done:\n1. a\n2. b\n\nNow?\n1. c\n2. d"), ["c", "d"]);
    }
    #[test]
    fn only_the_end_of_a_long_text_is_looked_at() {
        let list = "Which?\n1. a\n2. b";
        assert_eq!(choices(&format!("{}\n{list}", "1) é ".repeat(100_000))), ["a", "b"]);
        assert!(choices(&format!("{list}\n{}", "é".repeat(100_000))).is_empty());
        assert!(choices(&"1".repeat(400_000)).is_empty());
    }
}
