//! Loops over a pattern, with each name that it matches taken as if it were written out: where that was looked at, and
//! there are few. Otherwise the variable is any one of them.

use brush_parser::ast::Word as Raw;

use super::judge::Judge;
use super::word::{Piece, Word};

/// Most patterns of a command whose names are asked for.
const PATTERNS: usize = 4;
/// What else means something to one who expands a pattern.
const SPECIAL: [char; 7] = ['?', '[', ']', '{', '}', '\\', '!'];

impl Judge<'_> {
    /// The values that a loop's variable takes of one word; whether the names were listed.
    pub(super) fn values_of(&mut self, raw: &Raw) -> (Vec<Word>, bool) {
        let words = self.some_of(&raw.value).unwrap_or_else(|| self.words(raw));
        let mut values = Vec::new();
        let mut listed = false;
        for word in words {
            // Each of the numbers that a program prints is one.
            if word.pieces == [Piece::Numbers] {
                values.push(Word::from(Piece::Number).at(word.span));
                continue;
            }
            match self.names_of(&raw.value, &word) {
                Some(names) => {
                    listed = true;
                    values.extend(names.into_iter().map(|name| Word::exact(name).at(word.span.clone())));
                }
                None => values.push(word),
            }
        }
        (values, listed)
    }

    /// The names that a word's pattern matches, or the pattern itself, which stays where it matches nothing.
    fn names_of(&mut self, raw: &str, word: &Word) -> Option<Vec<String>> {
        let folder = self.folder()?;
        let pattern = plain_pattern(raw, word)?;
        let relative = pattern.strip_prefix("./").unwrap_or(&pattern);
        let folder = if relative.starts_with('/') { "" } else { folder.trim_end_matches('/') };
        let start = if relative.starts_with('/') { String::new() } else { format!("{folder}/") };
        let key = format!("{start}{relative}");
        // In some shells those that begin with a dot may be `..`.
        let odd = |part: &str| part.is_empty() || part.starts_with('.') || part.contains("**");
        let parts = relative.strip_prefix('/').unwrap_or(relative);
        let odd = parts.strip_suffix('/').unwrap_or(parts).split('/').any(odd);
        if odd || folder.contains(SPECIAL) || folder.contains('*') || self.text.contains("shopt") {
            return None;
        }
        if !self.lists.contains_key(&key) && self.facts.is_none() && self.mentions.lists.len() < PATTERNS {
            self.mentions.lists.insert(key.clone());
        }
        let dot = &pattern[..pattern.len() - relative.len()];
        let names = self.lists.get(&key)?.iter().map(|path| Some(format!("{dot}{}", path.strip_prefix(&start)?)));
        let mut names: Vec<String> = names.collect::<Option<_>>()?;
        // So it does where the shell is told not to expand any.
        let stays = ["set", "noglob", "sh -"].iter().any(|mark| self.text.contains(mark));
        if names.is_empty() || stays {
            names.push(pattern.clone());
        }
        Some(names)
    }
}

/// A word as a pattern of `*`, if that stands in the script itself and nothing else in it means something to one
/// who expands it.
fn plain_pattern(raw: &str, word: &Word) -> Option<String> {
    let (mut pattern, mut count) = (String::new(), 0);
    for piece in &word.pieces {
        match piece {
            Piece::Pattern(text) if text.bytes().all(|byte| byte == b'*') => {
                count += text.len();
                pattern.push_str(text);
            }
            Piece::Exact(text) if !text.contains('*') && !text.contains(SPECIAL) => pattern.push_str(text),
            _ => return None,
        }
    }
    // A variable may bring a pattern along from where it was set.
    let own = count > 0 && !word.bare && raw.matches('*').count() == count;
    own.then_some(pattern)
}
