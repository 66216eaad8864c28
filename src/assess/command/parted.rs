//! Values put into words. Outside of quotes the shell splits them at blanks, and takes each part for a pattern again:
//! a name that a pattern matched comes apart so, and a part of it may be a flag or another file.

use super::expand::Quotes;
use super::judge::Judge;
use super::word::{Piece, Reach, Word};
use crate::domain::{GlobFact, SecretFact, each, named_in, only_of};

/// To which files below a folder a search comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// Not to hidden ones and build products.
    Plain,
    /// To all.
    All,
}

/// What is told where git names files of other revisions.
const HISTORIC: &str = "Git may name a sensitive file there that it doesn't track now.";

/// What a search below a folder reads.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub(super) depth: Depth,
    /// Files of these names alone, as a glob says them plainly; of any where there are none.
    pub(super) only: Vec<String>,
}

/// A pattern that may match names of any folder.
const ANY: &str = "**";

/// Puts a variable's value into a word.
pub(super) fn place(value: &Word, quotes: Quotes, word: &mut Word) {
    word.bare |= quotes != Quotes::Double;
    word.many |= quotes != Quotes::Double;
    if word.large() {
        word.push(quotes.unknown());
        return;
    }
    let origin = origin(value);
    let matched = !origin.is_empty();
    word.parted |= value.parted || matched && quotes == Quotes::None;
    for origin in value.origins.iter().chain(Some(&origin).filter(|_| matched)) {
        if !word.origins.contains(origin) {
            word.origins.push(origin.clone());
        }
    }
    if quotes == Quotes::Double {
        for piece in &value.pieces {
            word.push(piece.clone());
        }
        return;
    }
    let splits = |text: &str| text.is_empty() || text.contains([' ', '\t', '\n', '*', '?', '[']);
    if value.pieces.is_empty() {
        word.push(Piece::Words);
    }
    // Split at blanks, each part of a path that was found may be anything that begins like one.
    if let Some(reach) = value.found().filter(|_| !value.vague()) {
        let behind =
            value.pieces.iter().skip_while(|piece| !matches!(piece, Piece::Found(_) | Piece::Whole(_))).skip(1);
        word.push(Piece::Found(reach));
        for piece in behind {
            word.push(piece.clone());
        }
        return;
    }
    for piece in &value.pieces {
        word.push(match piece {
            Piece::Exact(text) if !splits(text) => Piece::Exact(text.clone()),
            Piece::Exact(_) | Piece::Any | Piece::Words => Piece::Words,
            Piece::Pattern(_)
            | Piece::Number
            | Piece::Digits
            | Piece::Numbers
            | Piece::Hashes
            | Piece::Names
            | Piece::Refs
            | Piece::Label
            | Piece::Account
            | Piece::Found(_)
            | Piece::Whole(_) => piece.clone(),
        });
    }
}

/// A pattern for at least the names that a value's pattern matches; empty for a value without one.
fn origin(value: &Word) -> String {
    let mut origin = String::new();
    if !value.pieces.iter().any(|piece| matches!(piece, Piece::Pattern(_))) {
        return origin;
    }
    for piece in &value.pieces {
        match piece {
            // It would mean more to one who looks the names up.
            Piece::Exact(text) if text.contains(['{', '}', '\\', '*', '?', '[']) => return ANY.to_owned(),
            Piece::Pattern(text) if text == "[" => return ANY.to_owned(),
            // Which letters are in a class depends on the language.
            Piece::Pattern(text) if text.starts_with('[') => origin.push('?'),
            Piece::Exact(text) | Piece::Pattern(text) => origin.push_str(text),
            Piece::Number
            | Piece::Digits
            | Piece::Numbers
            | Piece::Hashes
            | Piece::Names
            | Piece::Refs
            | Piece::Label
            | Piece::Account
            | Piece::Found(_)
            | Piece::Whole(_)
            | Piece::Any
            | Piece::Words => origin.push('*'),
        }
    }
    origin
}

/// Whether a script sets an option of the shell by which a pattern may match more: any but those for one that matches
/// nothing.
fn matches_more(script: &str) -> bool {
    let harmless = |rest: &str| {
        let rest = rest.strip_prefix(" -s nullglob").or_else(|| rest.strip_prefix(" -s failglob"));
        rest.is_some_and(|rest| rest.starts_with([';', '\n']) || rest.starts_with(" &&"))
    };
    !script.split("shopt").skip(1).all(harmless)
}

impl Judge<'_> {
    /// Paths that a search found are read, and may come apart at blanks and ends of lines: then a part of one may be the
    /// name of a sensitive file.
    pub(super) fn parts_of_found(&mut self) {
        for folder in self.links_of_found() {
            match self.facts.and_then(|facts| facts.below.get(&folder)) {
                Some(GlobFact::Sensitive(path)) => {
                    self.sensitive(format!("{path} is split at its blanks, and a part of it names a sensitive file."));
                }
                Some(
                    GlobFact::Nothing
                    | GlobFact::Linked(_)
                    | GlobFact::Behind(_)
                    | GlobFact::Listed(_)
                    | GlobFact::Tracked(_)
                    | GlobFact::TooMany,
                )
                | None => {}
            }
        }
    }

    /// How far into a folder a search for lines looks that is handed what was found there.
    pub(super) fn depth_of_found(&self, word: &Word, reach: Reach) -> Option<Depth> {
        // A pattern behind what was found matches names that nothing found.
        let patterned = || word.pieces.iter().any(|piece| matches!(piece, Piece::Pattern(_)));
        match reach {
            _ if self.recurses => self.seeks.as_ref().map(|search| search.depth),
            Reach::Named if !patterned() => None,
            Reach::Named | Reach::Chosen => Some(Depth::Plain),
            Reach::Hidden | Reach::Everything => Some(Depth::All),
        }
    }

    /// Git named files below a folder, and lines of them are searched for.
    pub(super) fn lines_of_tracked(&mut self, folder: &str) {
        if let Some(GlobFact::Tracked(path)) = self.facts.and_then(|facts| facts.below.get(folder))
            && self.recalled
        {
            self.lines = Some(format!("{path} is sensitive, and is read, too."));
        }
        if self.historic {
            self.lines = Some(HISTORIC.to_owned());
        }
    }

    /// What a search found is read, and links among it are followed to where they lead. Gives the folders.
    pub(super) fn links_of_found(&mut self) -> Vec<String> {
        let folders: Vec<String> = self.searched.iter().flatten().chain(&self.reached).cloned().collect();
        if self.historic && self.prints {
            self.walled = Some(HISTORIC.to_owned());
        }
        let only = self.only.clone().filter(|names| !names.is_empty() && !self.recurses);
        for folder in &folders {
            self.links_below(folder);
            let listed = match self.facts.and_then(|facts| facts.below.get(folder)) {
                Some(GlobFact::Listed(path)) => Some(path),
                Some(GlobFact::Tracked(path)) => Some(path).filter(|_| self.recalled),
                _ => None,
            };
            if let Some(names) = only.as_deref().filter(|_| self.prints) {
                let listed = listed.is_some();
                self.shown_by_name(folder, names, listed);
            } else if let Some(path) = listed.filter(|_| self.prints) {
                self.walled = Some(format!("It may find {path}, which is sensitive, and show all of it."));
            }
        }
        folders
    }

    /// Files below a folder are shown whose names are these. Walls hide what is sensitive of them, if it `counts` what lies
    /// there.
    pub(super) fn shown_by_name(&mut self, folder: &str, names: &[String], counts: bool) {
        let wanted = only_of(folder, names);
        self.mentions.sought.insert(wanted.clone(), true);
        if !counts {
            return;
        }
        match self.facts.and_then(|facts| facts.secrets.get(&wanted)) {
            Some(SecretFact::Plain(path) | SecretFact::Hidden(path)) => {
                self.walled = Some(format!("It may find {path}, which is sensitive, and show all of it."));
            }
            Some(SecretFact::TooMany | SecretFact::HiddenTooMany) => {
                self.walled =
                    Some(format!("There are very many files below {folder}: one that it shows may be sensitive."));
            }
            None if self.walled.is_none() => {
                self.walled = Some(format!("Whether it shows a sensitive file below {folder} wasn't looked for."));
            }
            Some(SecretFact::Nothing) | None => {}
        }
    }

    /// All that lies below a folder is read.
    pub(super) fn all_below(&mut self, folder: &str) {
        if self.follows {
            self.links_below(folder);
        }
        if let Some(Search { depth, only }) = self.seeks.clone() {
            self.lines_below(only_of(folder, &only), depth);
        }
    }

    /// What lies below a folder, or is named so there, is searched for lines. Walls hide what is sensitive of it.
    pub(super) fn lines_below(&mut self, name: String, depth: Depth) {
        // A link may lead to what it leaves out.
        let depth = if self.follows { Depth::All } else { depth };
        let folder = named_in(&name).0;
        let fact = self.facts.and_then(|facts| facts.secrets.get(&name));
        let found =
            fact.filter(|fact| depth == Depth::All || matches!(fact, SecretFact::Plain(_) | SecretFact::TooMany));
        match found {
            Some(SecretFact::Plain(path) | SecretFact::Hidden(path)) => {
                self.lines = Some(format!("{path} is sensitive, and is read, too."));
            }
            Some(SecretFact::TooMany | SecretFact::HiddenTooMany) => {
                self.lines = Some(format!("There are very many files below {folder}: one may be sensitive."));
            }
            None if fact.is_none() && self.lines.is_none() => {
                self.lines = Some(format!("Whether a sensitive file lies below {folder} wasn't looked for."));
            }
            Some(SecretFact::Nothing) | None => {}
        }
        *self.mentions.sought.entry(name).or_default() |= depth == Depth::All;
    }

    /// All that lies below each folder that a pattern matches is read.
    pub(super) fn all_below_each(&mut self, pattern: &str) {
        let pattern = self.absolute_if_moved(pattern);
        let folder = each(&pattern);
        if let Some(Search { depth, only }) = self.seeks.clone() {
            self.lines_below(only_of(&folder, &only), depth);
        }
        if self.follows {
            self.links_among(&folder);
            self.mentions.each.insert(pattern);
        }
    }

    /// What lies below a folder is read, and links are followed there. Walls hide what is sensitive where they lead.
    pub(super) fn links_below(&mut self, folder: &str) {
        self.links_among(folder);
        self.mentions.below.insert(folder.to_owned());
    }

    fn links_among(&mut self, folder: &str) {
        let walled = match self.facts.and_then(|facts| facts.below.get(folder)) {
            Some(GlobFact::Linked(path)) => {
                format!("{path} is a link to something sensitive, or to a folder elsewhere.")
            }
            Some(GlobFact::Behind(path)) if self.follows || self.through => {
                format!("{path} is a link to a folder with something sensitive in it.")
            }
            // Only one thing is told of a folder.
            Some(GlobFact::Sensitive(path)) => format!("Beside {path} a link may lead to something sensitive."),
            Some(GlobFact::TooMany) => {
                format!(
                    "There are very many names below {folder}: one, or a part of one, may lead to a sensitive file."
                )
            }
            Some(GlobFact::Nothing | GlobFact::Behind(_) | GlobFact::Listed(_) | GlobFact::Tracked(_)) | None => return,
        };
        self.walled = Some(walled);
    }

    /// Whether a word is a pattern of names in which there are no blanks and no ends of lines.
    pub(super) fn matches_whole_names(&mut self, word: &Word) -> bool {
        let plain = |piece: &Piece| match piece {
            Piece::Exact(text) => text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte)),
            Piece::Pattern(_) => true,
            _ => false,
        };
        let origin = origin(word);
        let known = !origin.is_empty() && word.pieces.iter().all(plain);
        known && !self.comes_apart(&Word { parted: true, origins: vec![origin], ..Word::default() })
    }

    /// Whether a name that came into a word by a variable without quotes comes apart there, as far as is known what
    /// the patterns match: whether one has a blank, or is a pattern itself.
    pub(super) fn comes_apart(&mut self, word: &Word) -> bool {
        if !word.parted {
            return false;
        }
        // By what `shopt` sets, a pattern matches more.
        if matches_more(self.text) || word.origins.iter().any(|origin| origin.contains(ANY)) {
            return true;
        }
        let mut patterns = Vec::new();
        for folder in self.stood_in.iter().cloned().chain([self.folder()]) {
            let Some(folder) = folder.filter(|folder| !folder.contains(['*', '?', '[', '{', '\\'])) else {
                return true;
            };
            let folder = folder.trim_end_matches('/');
            patterns.extend(
                word.origins
                    .iter()
                    .map(|origin| if origin.starts_with('/') { origin.clone() } else { format!("{folder}/{origin}") }),
            );
        }
        self.mentions.parted.extend(patterns.iter().cloned());
        // While it is asked what should be looked at, whatever follows counts too.
        let Some(facts) = self.facts else { return false };
        patterns.iter().any(|pattern| facts.parted.get(pattern).is_none_or(|parted| *parted))
    }
}
