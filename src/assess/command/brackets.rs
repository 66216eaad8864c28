//! Texts whose brackets and comments the parser reads in another way than bash, told by the tokens and by what stands
//! between them. `parse` refuses them: what isn't read as bash reads it can't be judged.
//!
//! Bash (parse.y, `parse_dparen`) takes `((` for arithmetic only if `))` ends it, both without a blank; the parser takes
//! `( (…) )` for it, too. Within arithmetic, and right behind the `)` of `<(…)` and of an array, `#` is a letter to bash
//! and the beginning of a comment to the parser, which then doesn't see what follows.

use std::ops::Range;

use brush_parser::Token;

/// Says why a text can't be read, if the parser and bash disagree on its brackets or its comments.
pub(super) fn agreed(text: &str, tokens: &[Token]) -> Result<(), String> {
    if !text.contains(['(', '#', '[']) {
        return Ok(());
    }
    let letters = Letters::of(text);
    let computed = computed(tokens)?;
    // The tokens of a here-document stand before the line end that it begins behind, with its last line in their place.
    let mut end = 0;
    for (at, token) in tokens.iter().enumerate() {
        let (place, text) = (token.location(), token.to_str());
        let gap = letters.between(end, place.start.index);
        let written = letters.between(place.start.index, place.end.index);
        end = end.max(place.end.index);
        let document = written.starts_with(text);
        let lead = if document { "" } else { written.strip_suffix(text).unwrap_or_else(|| lead(written)) };
        let behind = at.checked_sub(1).map(|before| &tokens[before]);
        let computed = computed.iter().any(|range| range.contains(&at));
        commented([gap, lead], behind, computed)?;
        if let (Token::Word(word, _), false) = (token, document) {
            whole(word, &written[lead.len()..])?;
        }
    }
    commented([letters.between(end, usize::MAX), ""], tokens.last(), false)
}

/// Where arithmetic commands begin and end, by tokens.
fn computed(tokens: &[Token]) -> Result<Vec<Range<usize>>, String> {
    let sign = |at: usize| match tokens.get(at) {
        Some(Token::Operator(sign, _)) => sign.as_str(),
        Some(Token::Word(..)) | None => "",
    };
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        match sign(at) {
            "(" => open.push(at),
            ")" => {
                let Some(inner) = open.pop() else { continue };
                let Some(outer) = inner.checked_sub(1).filter(|outer| open.last() == Some(outer)) else { continue };
                if sign(at + 1) != ")" {
                    continue;
                }
                if !touch(&tokens[outer], &tokens[inner]) || !touch(&tokens[at], &tokens[at + 1]) {
                    return Err("It has `( (` and `) )`, which may be arithmetic or commands.".to_owned());
                }
                found.push(inner..at + 2);
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The blanks and comments that a text begins with.
pub(super) fn lead(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        if let Some(joined) = rest.strip_prefix("\\\n") {
            rest = joined;
        } else if rest.starts_with('#') {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else {
            return &text[..text.len() - rest.len()];
        }
    }
}

/// Refuses what the parser took for a comment, if it stands in arithmetic or right behind a bracket.
fn commented(between: [&str; 2], behind: Option<&Token>, computed: bool) -> Result<(), String> {
    if !between.iter().any(|text| text.contains('#')) {
        return Ok(());
    }
    let closing = matches!(behind, Some(Token::Operator(sign, _)) if sign == ")");
    let glued = || between.concat().trim_start_matches("\\\n").starts_with('#');
    if computed || closing && glued() {
        return Err("It has a `#` that may begin a comment or not.".to_owned());
    }
    Ok(())
}

/// Whether nothing stands between two tokens.
fn touch(first: &Token, second: &Token) -> bool {
    first.location().end.index == second.location().start.index
}

/// Refuses a word of which the parser left something out that may not be a comment, or blanks that keep brackets apart.
fn whole(word: &str, written: &str) -> Result<(), String> {
    if word == written || !word.contains('(') && !word.contains('[') {
        return Ok(());
    }
    let kept = |text: &str| text.replace("\\\n", "");
    let same = kept(word) == kept(written);
    // Comments in a substitution are left out; so are blanks where arithmetic ends.
    let apart = written.contains("((") || written.contains("$[");
    let glued = kept(written).contains(")#");
    if same || !apart && !glued {
        return Ok(());
    }
    Err("It has brackets or a `#` in a substitution that may be read in two ways.".to_owned())
}

/// A text by the numbers of its letters, as the tokens count them.
pub(super) struct Letters<'a> {
    text: &'a str,
    /// Byte of each letter; none if they are the same.
    bytes: Option<Vec<usize>>,
}

impl<'a> Letters<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let bytes = (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).collect());
        Self { text, bytes }
    }

    pub(super) fn between(&self, from: usize, to: usize) -> &'a str {
        let byte = |at: usize| match &self.bytes {
            Some(bytes) => bytes.get(at).copied().unwrap_or(self.text.len()),
            None => at.min(self.text.len()),
        };
        self.text.get(byte(from)..byte(to).max(byte(from))).unwrap_or_default()
    }
}
