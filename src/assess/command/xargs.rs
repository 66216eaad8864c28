//! `xargs`: the program it runs is judged with words that may be anything, or with paths that a search found.

use super::judge::{Feed, Judge};
use super::programs::leading;
use super::table::table;
use super::word::{Piece, Word};

/// Judges the words of `xargs`.
pub(super) fn judge(judge: &mut Judge<'_>, words: &[Word]) {
    let Some(inner) = table().entry("xargs").and_then(|entry| leading(entry, words)) else {
        judge.ineligible = true;
        judge.unknown("command.unknown-flag", "No rule knows these flags of `xargs`.");
        judge.behind(words);
        return;
    };
    let flags = &words[..words.len() - inner.len()];
    let from_file = flags.iter().any(|word| word.prefix().starts_with("-a") || word.prefix().starts_with("--arg-file"));
    for (at, word) in flags.iter().enumerate() {
        let head = word.prefix();
        if matches!(head, "-a" | "--arg-file") {
            judge.reads(flags.get(at + 1).unwrap_or(word));
        } else if let Some(skip) = ["--arg-file=", "-a"].iter().find(|flag| head.starts_with(**flag)) {
            judge.reads(&word.after(skip.len()));
        }
    }
    let ended =
        flags.iter().filter_map(Word::text).any(|text| text == "--null" || matches!(text, "-0" | "-0r" | "-r0"));
    let found = match judge.feed {
        Feed::Whole(reach) if !from_file && ended => Some(Piece::Whole(reach)),
        Feed::Paths(reach) | Feed::Whole(reach) if !from_file => Some(Piece::Found(reach)),
        Feed::Hashes if !from_file => Some(Piece::Hashes),
        Feed::Paths(_) | Feed::Whole(_) | Feed::Hashes | Feed::Text | Feed::Download | Feed::Nothing => None,
    };
    let fed = Word::from(found.clone().unwrap_or(Piece::Words));
    let mut argv: Vec<Word> = if inner.is_empty() { vec![Word::exact("echo")] } else { inner.to_vec() };
    match placeholder(flags) {
        None => argv.push(fed),
        Some(mark) => argv = argv.iter().map(|word| replaced(word, &mark, found.as_ref())).collect(),
    }
    let before = judge.findings.len();
    judge.deeper(|judge| judge.dispatch(&argv));
    if judge.findings.len() > before {
        judge.ineligible = true;
    } else {
        judge.readers.insert("xargs".to_owned());
    }
}

/// The text that is replaced, with `-I`, `-i` or `--replace`.
fn placeholder(flags: &[Word]) -> Option<String> {
    let mut texts = flags.iter().filter_map(Word::text);
    while let Some(text) = texts.next() {
        if text == "-I" {
            return texts.next().map(str::to_owned);
        }
        if let Some(mark) = text.strip_prefix("-I").or_else(|| text.strip_prefix("--replace=")) {
            return Some(mark.to_owned());
        }
        if let Some(mark) = text.strip_prefix("-i") {
            return Some(if mark.is_empty() { "{}".to_owned() } else { mark.to_owned() });
        }
        if text == "--replace" {
            return Some("{}".to_owned());
        }
    }
    None
}

fn replaced(word: &Word, mark: &str, found: Option<&Piece>) -> Word {
    let Some(text) = word.text() else { return word.clone() };
    if mark.is_empty() {
        return Word::from(Piece::Words).at(word.span.clone());
    }
    let Some((before, after)) = text.split_once(mark) else { return word.clone() };
    let mut whole = Word::default().at(word.span.clone());
    if !before.is_empty() {
        whole.push(Piece::Exact(before.to_owned()));
    }
    whole.push(found.filter(|_| before.is_empty()).cloned().unwrap_or(Piece::Any));
    if !after.is_empty() {
        whole.push(if after.contains(mark) { Piece::Any } else { Piece::Exact(after.to_owned()) });
    }
    whole
}
