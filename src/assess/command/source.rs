//! Where in the command's text something stands. The parser counts characters of the script that it is given, which
//! may be a substitution within the text, or what `sh -c` runs; here these become byte ranges of the whole text.
//! What doesn't stand there word for word has no place, and its finding points at the command around it.

use brush_parser::SourceSpan;
use brush_parser::ast::Word as Raw;

use super::judge::Judge;
use super::word::Word;
use crate::domain::Span;

/// Most bytes of a word that a sentence repeats as the text has it.
const WRITTEN: usize = 60;

/// A script as a part of the whole text.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Byte of the whole text at which it begins; none if it isn't a part of it.
    start: Option<usize>,
    /// Byte offset of each of its characters; none if they are the same.
    offsets: Option<Vec<usize>>,
}

impl Source {
    /// A script that begins there.
    pub(super) fn new(script: &str, start: Option<usize>) -> Self {
        let counted = start.is_some() && !script.is_ascii();
        let offsets =
            counted.then(|| script.char_indices().map(|(at, _)| at).chain([script.len()]).collect::<Vec<_>>());
        Self { start, offsets }
    }

    /// The byte range of the whole text.
    pub(super) fn span(&self, location: &SourceSpan) -> Option<Span> {
        let start = self.start?;
        let (from, to) = (location.start.index, location.end.index);
        match &self.offsets {
            None => Some(start + from..start + to),
            Some(offsets) => Some(start + offsets.get(from)?..start + offsets.get(to)?),
        }
    }
}

impl Judge<'_> {
    /// Where a raw word stands.
    pub(super) fn place_of(&self, raw: &Raw) -> Option<Span> {
        let span = self.source.span(raw.loc.as_ref()?)?;
        (self.text.get(span.clone()) == Some(raw.value.as_str())).then_some(span)
    }

    /// Where a script begins that stands within a part of the text, word for word.
    pub(super) fn begins(&self, within: Option<&Span>, script: &str) -> Option<usize> {
        let within = within?;
        self.text.get(within.clone())?.find(script).map(|at| within.start + at)
    }

    /// The word that a redirection leads to, with its operator.
    pub(super) fn with_operator(&self, word: Option<Span>) -> Option<Span> {
        let word = word?;
        let before = self.text.get(..word.start)?.trim_end_matches([' ', '\t']);
        let operator = before.trim_end_matches(['>', '<', '&', '|']);
        let descriptor = operator.trim_end_matches(|c: char| c.is_ascii_digit());
        let apart = descriptor.is_empty() || descriptor.ends_with(|c: char| c.is_whitespace() || ";&|()".contains(c));
        Some(if apart { descriptor.len() } else { operator.len() }..word.end)
    }

    /// A word for a person: as the text has it where it may become more than one thing, else what it becomes.
    pub(super) fn spelt(&self, word: &Word) -> String {
        let in_text = || self.text.get(word.span.clone()?);
        match in_text().filter(|text| word.vague() && text.len() <= WRITTEN && !text.contains(['`', '\n'])) {
            Some(text) => format!("`{text}`"),
            None => word.shown(),
        }
    }

    /// Judges something about a word: what is objected to points at it.
    pub(super) fn about<T>(&mut self, word: &Word, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.around(word.span.clone(), inner)
    }

    /// Judges something about a part of the text, or about what is judged anyway where that has no place.
    pub(super) fn around<T>(&mut self, span: Option<Span>, inner: impl FnOnce(&mut Self) -> T) -> T {
        let Some(span) = span else { return inner(self) };
        let outer = self.span.replace(span);
        let result = inner(self);
        self.span = outer;
        result
    }
}

/// From the first of some words to the last, where any of them has a place.
pub(super) fn over(words: &[Word]) -> Option<Span> {
    let spans = || words.iter().filter_map(|word| word.span.as_ref());
    let start = spans().map(|span| span.start).min()?;
    let end = spans().map(|span| span.end).max()?;
    Some(start..end)
}
