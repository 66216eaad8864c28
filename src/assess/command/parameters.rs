//! Values of parameters, and what is left of one where a script takes an end, a beginning, its folder or its name: `${f%.c}`,
//! `${f##*/}`, `$(dirname "$f")`, `$(basename "$f" .ts)`. Where a value is a pattern, that is what is left of its names.

use brush_parser::word::{Parameter, ParameterTestType};

use super::expand::Quotes;
use super::judge::Judge;
use super::parted::place;
use super::raw::is_plain;
use super::word::{Piece, Word};

/// What a script takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// `%`
    End,
    /// `%%`
    LongEnd,
    /// `#`
    Beginning,
    /// `##`
    LongBeginning,
}

impl Judge<'_> {
    /// What a parameter that the script itself gave a value, or none, becomes where another stands for an empty one.
    pub(super) fn or_default(&self, parameter: &Parameter, when: &ParameterTestType, default: &str) -> Option<Word> {
        let home = || self.place.home.as_ref().map(|home| Word::exact(&*home.to_string_lossy()));
        let value = match parameter {
            Parameter::Named(name) if name == "HOME" => &self.scope.get(name).cloned().or_else(home)?,
            Parameter::Named(name) => self.scope.get(name)?,
            // One that must be there ends the script.
            Parameter::Positional(_) if self.wordless() && default.is_empty() => return None,
            Parameter::Positional(number) => argument(self.scope.arguments()?, *number as usize)?,
            Parameter::Special(_) | Parameter::NamedWithIndex { .. } | Parameter::NamedWithAllIndices { .. } => {
                return None;
            }
        };
        let unset = matches!(parameter, Parameter::Positional(_)) || matches!(when, ParameterTestType::UnsetOrNull);
        match value.text() {
            Some("") if unset && is_plain(default) => Some(Word::exact(default)),
            Some(text) if !text.is_empty() => Some(value.clone()),
            Some(_) | None => None,
        }
    }

    /// Whether the script has no words of its own, outside of its functions.
    pub(super) fn wordless(&self) -> bool {
        self.locals.is_none() && self.scope.arguments().is_some_and(|words| words.len() == 1)
    }

    /// The name that the script or function was called by and its words, where it was given some: what a script does with
    /// its own is judged though it has none.
    pub(super) fn words_given(&self) -> Option<&[Word]> {
        self.scope.arguments().filter(|_| !self.wordless())
    }

    /// Puts what is left of a parameter's value into a word.
    pub(super) fn cut(
        &mut self,
        (parameter, indirect): (&Parameter, bool),
        pattern: Option<&str>,
        how: Cut,
        (quotes, word): (Quotes, &mut Word),
    ) {
        self.used(parameter, indirect, quotes);
        self.inner(pattern, Quotes::Pattern);
        let value = match parameter {
            Parameter::Named(name) => self.scope.get(name).cloned(),
            Parameter::Positional(number) => {
                self.words_given().and_then(|words| argument(words, *number as usize)).cloned()
            }
            Parameter::Special(_) | Parameter::NamedWithIndex { .. } | Parameter::NamedWithAllIndices { .. } => None,
        };
        let left = value.filter(|_| !indirect).and_then(|value| self.left(&value, pattern.unwrap_or_default(), how));
        match left {
            Some(left) => place(&left, quotes, word),
            None => word.push(quotes.unknown()),
        }
    }

    /// What is left of a value; none where that isn't known.
    fn left(&mut self, value: &Word, pattern: &str, how: Cut) -> Option<Word> {
        match (how, pattern) {
            (Cut::End, "/*") => self.before_last_slash(value),
            (Cut::LongBeginning, "*/") => self.name_of_value(value),
            (Cut::End | Cut::LongEnd, ending) if literal(ending) => without_end(value, ending),
            (Cut::End, ".*") => in_last(value, |text| text.rfind('.').map(|at| text[..at].to_owned())),
            (_, pattern) => {
                let text = value.text()?;
                let left = match (how, pattern) {
                    (Cut::LongEnd, ".*" | "/*") => text.split(&pattern[..1]).next(),
                    (Cut::Beginning, "*/" | "*.") => text.split_once(&pattern[1..]).map(|(_, left)| left),
                    (Cut::LongBeginning, "*.") => text.rsplit('.').next(),
                    (Cut::Beginning | Cut::LongBeginning, start) if literal(start) => text.strip_prefix(start),
                    _ => return None,
                };
                Some(Word::exact(left.unwrap_or(text)))
            }
        }
    }

    /// Remembers what `dirname` and `basename` print of one path.
    pub(super) fn prints_part(&mut self, name: &str, words: &[Word]) {
        let (path, ending) = match (name, words) {
            ("dirname" | "basename", [path]) => (path, None),
            ("basename", [path, ending]) => (path, ending.text().filter(|ending| literal(ending))),
            _ => return,
        };
        if words.len() > 1 && ending.is_none() || !self.operand_alone(path) {
            return;
        }
        let path = without_slash(path);
        let root = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b'/');
        self.printed = match (name, ending) {
            ("dirname", _) => self.folder_of_value(&path),
            _ if path.text().is_some_and(root) => Some(Word::exact("/")),
            (_, None) => self.name_of_value(&path),
            // A name is left as it is where nothing would be left of it.
            (_, Some(ending)) => self
                .name_of_value(&path)
                .and_then(|name| if name.text() == Some(ending) { Some(name) } else { without_end(&name, ending) }),
        };
    }

    /// What stands before the last slash of a value, letter for letter: nothing of `/x`, and all of a name alone.
    fn before_last_slash(&self, value: &Word) -> Option<Word> {
        if let Some(text) = value.text() {
            return Some(Word::exact(text.rfind('/').map_or(text, |at| &text[..at])));
        }
        if let Some(folder) = self.folder_of_found(value) {
            return Some(folder);
        }
        let Some((mut pieces, before)) = split_at_last_slash(self.steady(value)?) else { return Some(value.clone()) };
        if !before.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Exact(before));
        }
        Some(Word { pieces, ..value.clone() })
    }

    /// The folder of a path as `dirname` prints it: of a name alone it is the one that it stands in.
    fn folder_of_value(&self, value: &Word) -> Option<Word> {
        if let Some(folder) = self.folder_of_found(value) {
            return Some(folder);
        }
        let Some((mut pieces, before)) = split_at_last_slash(self.steady(value)?) else {
            return Some(Word::exact("."));
        };
        match before.trim_end_matches('/') {
            "" if pieces.is_empty() => pieces.push(Piece::Exact("/".to_owned())),
            "" => {}
            folder => pieces.push(Piece::Exact(folder.to_owned())),
        }
        Some(Word { pieces, ..value.clone() })
    }

    /// The folder of a path that a search found. One that began where it stands, or below, found nothing else than
    /// what has its folder there.
    fn folder_of_found(&self, value: &Word) -> Option<Word> {
        let reach = value.found().filter(|_| value.only_found() && !self.climbs)?;
        Some(Word { pieces: vec![Piece::Found(reach)], ..value.clone() })
    }

    /// The last part of a path. What begins a flag is then a name in the folder of the path.
    fn name_of_value(&mut self, value: &Word) -> Option<Word> {
        let pieces = self.steady(value)?;
        let slash = |piece: &Piece| matches!(piece, Piece::Exact(text) if text.contains('/'));
        let Some(at) = pieces.iter().rposition(slash) else { return Some(value.clone()) };
        let (Piece::Exact(text), behind) = (&pieces[at], &pieces[at + 1..]) else { return None };
        let (folder, name) = text.rsplit_once('/')?;
        let mut left = Vec::new();
        if !name.is_empty() {
            left.push(Piece::Exact(name.to_owned()));
        }
        left.extend_from_slice(behind);
        if !behind.is_empty() {
            if at > 0 {
                return None;
            }
            let folder = self.normal(if folder.is_empty() { "/" } else { folder })?;
            self.stood_in.insert(Some(folder));
        }
        Some(Word { pieces: left, ..value.clone() })
    }

    /// The pieces of a value that is written out, or names that a pattern matches which stand in one folder each.
    fn steady<'w>(&self, value: &'w Word) -> Option<&'w [Piece]> {
        let plain = |piece: &Piece| match piece {
            Piece::Exact(_) => true,
            Piece::Pattern(text) => text != "[" && !text.contains('/'),
            _ => false,
        };
        let many = |pair: &[Piece]| pair.iter().all(|piece| matches!(piece, Piece::Pattern(text) if text == "*"));
        let pieces = value.pieces();
        // By what these say a pattern matches other names, and goes into folders.
        let otherwise = ["shopt", "GLOBIGNORE", "globstar"].iter().any(|word| self.text.contains(word));
        let known = pieces.iter().all(plain) && !pieces.windows(2).any(many) && !pieces.is_empty();
        let text = value.text().is_some();
        (known && (text || !otherwise)).then_some(pieces)
    }
}

/// What stands before the last slash that is written out: the pieces, and the text behind them; none where there is none.
fn split_at_last_slash(pieces: &[Piece]) -> Option<(Vec<Piece>, String)> {
    pieces.iter().enumerate().rev().find_map(|(at, piece)| match piece {
        Piece::Exact(text) => Some((pieces[..at].to_vec(), text[..text.rfind('/')?].to_owned())),
        _ => None,
    })
}

/// What the shell puts in the place of a command that prints a word: without the ends of lines at its end. None where a
/// name that ends in one may be another without it.
pub(super) fn without_last_lines(printed: &Word) -> Option<Word> {
    if let Some(text) = printed.text() {
        let left = text.trim_end_matches('\n');
        return Some(if left == text { printed.clone() } else { Word::exact(left) });
    }
    let ends = |piece: Option<&Piece>| matches!(piece, Some(Piece::Exact(text)) if text.ends_with('\n'));
    let mut pieces = printed.pieces().iter().rev();
    let kept = match pieces.next() {
        // The name without it matches, too.
        Some(Piece::Pattern(text)) if text == "*" => {
            let before = pieces.next();
            !ends(before) && !matches!(before, Some(Piece::Pattern(_)))
        }
        Some(Piece::Pattern(_)) => false,
        last => !ends(last),
    };
    kept.then(|| printed.clone())
}

/// Whether a pattern is nothing but the text that it is.
fn literal(pattern: &str) -> bool {
    !pattern.is_empty()
        && !pattern.starts_with('-')
        && pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte))
}

/// A value without a text at its end, where it has that.
fn without_end(value: &Word, ending: &str) -> Option<Word> {
    in_last(value, |text| match text.strip_suffix(ending) {
        Some(left) => Some(left.to_owned()),
        None if value.text().is_some() || !ending.ends_with(text) => Some(text.to_owned()),
        None => None,
    })
}

/// A value with another text in the place of its last piece; where the value is a text, it stays what it is without one.
fn in_last(value: &Word, change: impl FnOnce(&str) -> Option<String>) -> Option<Word> {
    if let Some(text) = value.text() {
        return Some(Word::exact(change(text).unwrap_or_else(|| text.to_owned())));
    }
    let known = |piece: &Piece| matches!(piece, Piece::Exact(_) | Piece::Pattern(_));
    let (last, before) = value.pieces().split_last()?;
    let Piece::Exact(text) = last else { return None };
    if !before.iter().all(known) {
        return None;
    }
    let mut pieces = before.to_vec();
    let left = change(text)?;
    if !left.is_empty() {
        pieces.push(Piece::Exact(left));
    }
    Some(Word { pieces, ..value.clone() })
}

/// A path without slashes at its end.
fn without_slash(path: &Word) -> Word {
    let mut path = path.clone();
    let single = path.pieces.len() == 1;
    if let Some(Piece::Exact(text)) = path.pieces.last_mut() {
        let left = text.trim_end_matches('/');
        if left.is_empty() && !single {
            path.pieces.pop();
        } else if !left.is_empty() {
            *text = left.to_owned();
        }
    }
    path
}

/// The argument of a number; an empty one behind the last, none where it isn't known which it is.
pub(super) fn argument(words: &[Word], number: usize) -> Option<&Word> {
    static EMPTY: Word =
        Word { pieces: Vec::new(), bare: false, many: false, parted: false, origins: Vec::new(), span: None };
    let one = |word: &Word| !word.several();
    let before = words.iter().take(number).all(one);
    // What a search found is at least one path: otherwise nothing would run, or the last is empty.
    let at = words.get(number).unwrap_or(&EMPTY);
    (before && (one(at) || at.found().is_some() && number + 1 == words.len())).then_some(at)
}
