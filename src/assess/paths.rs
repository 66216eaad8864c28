//! Lists of paths, read from data: names anywhere, places in a home folder, whole paths. One list compiled once
//! answers for whole paths (a glob set) and for patterns with unknown parts (laid over the entries).

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use super::overlap::{Ends, Name, alternatives};
use super::spelling;
use crate::domain::Place;

/// Most parts of a path, which is compared folder by folder.
const PARTS_CAP: usize = 256;
/// Longest pattern that is looked at, in bytes, and most alternatives of its braces.
const PATTERN_CAP: usize = 4096;
const ALTERNATIVES_CAP: usize = 64;

/// How every home folder is written while paths are compared.
const HOME: &str = "/~/";

/// First names of paths to home folders: those with a user's name behind them, and those without.
static HOMES: LazyLock<([Name; 2], [Name; 2])> =
    LazyLock::new(|| ([Name::glob("home"), Name::glob("users")], [Name::glob("root"), Name::glob("~")]));

/// The form of a list in its file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Data {
    /// Names that look like an entry of `files` but are harmless.
    pub harmless: Vec<String>,
    /// Folders below which nothing is meant.
    pub harmless_folders: Vec<String>,
    /// The entries.
    pub kind: Vec<Kind>,
}

/// Entries of one kind.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Kind {
    /// What they are, in the singular.
    pub what: String,
    /// The end of a path, anywhere.
    pub files: Vec<String>,
    /// The end of a path, anywhere, with everything below.
    pub folders: Vec<String>,
    /// Only in a home folder, with everything below.
    pub home: Vec<String>,
    /// Whole paths, with everything below.
    pub system: Vec<String>,
    /// The configuration's: whole paths, or ends of a path, with everything below.
    #[serde(skip)]
    pub own: Vec<String>,
}

/// Where an entry's path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Anywhere,
    Home,
    Root,
}

#[derive(Debug)]
struct Entry {
    anchor: Anchor,
    /// Everything below is meant too.
    below: bool,
    names: Vec<Name>,
    /// The ends of its first name.
    ends: Ends,
    label: String,
    /// The folder that it is looked for in, as far as its name is known.
    folder: String,
}

/// Entries, and the same compiled in the same order: all of them, for whole paths, and those that mean everything
/// below, for the folders that a path is in.
#[derive(Debug)]
pub(super) struct List {
    entries: Vec<Entry>,
    all: GlobSet,
    below: GlobSet,
    /// Which entries `below` holds.
    below_at: Vec<usize>,
    harmless: GlobSet,
    harmless_folders: Vec<String>,
}

/// A path or a pattern as it is written, and what that may stand for: worked out once, for any number of lists.
#[derive(Debug)]
pub(super) struct Written<'a> {
    text: &'a str,
    place: &'a Place,
    paths: Vec<String>,
    patterns: OnceCell<Result<Vec<Pattern>, &'static str>>,
}

/// One whole path with unknown parts that a pattern may stand for.
#[derive(Debug)]
struct Pattern {
    path: String,
    names: Vec<Name>,
    ends: Vec<Ends>,
    /// How many of its names lead to a home folder.
    home: Option<usize>,
}

impl<'a> Written<'a> {
    /// What a text may stand for.
    pub fn new(text: &'a str, place: &'a Place) -> Self {
        Self { text, place, paths: candidates(text, place), patterns: OnceCell::new() }
    }

    /// The patterns that it comes to; none for a plain path. What can't be compared says what it is.
    fn patterns(&self) -> &Result<Vec<Pattern>, &'static str> {
        self.patterns.get_or_init(|| {
            if self.text.len() > PATTERN_CAP {
                return Err("a pattern too long to be compared");
            }
            if !self.text.contains(['*', '?', '[', '{', '\\']) {
                return Ok(Vec::new());
            }
            let Some(texts) = alternatives(self.text, ALTERNATIVES_CAP) else {
                return Err("a pattern with too many alternatives");
            };
            let texts = texts.iter().flat_map(|text| floating(text));
            Ok(texts.flat_map(|text| candidates(&text, self.place)).map(Pattern::new).collect())
        })
    }
}

impl Pattern {
    fn new(path: String) -> Self {
        let names: Vec<Name> = path.split('/').skip(1).map(Name::glob).collect();
        let ends = names.iter().map(Name::ends).collect();
        let home = home_depth(&names);
        Self { path, names, ends, home }
    }
}

impl List {
    /// Reads a list's text. Text that doesn't parse would name every path; a test reads each list.
    pub fn parse(text: &str) -> Self {
        Self::of(toml::from_str(text).unwrap_or_else(|_| Data {
            kind: vec![Kind { what: "unreadable list".to_owned(), system: vec!["**".to_owned()], ..Kind::default() }],
            ..Data::default()
        }))
    }

    /// Compiles a list.
    pub fn of(data: Data) -> Self {
        let mut list = Self {
            entries: Vec::new(),
            all: GlobSet::empty(),
            below: GlobSet::empty(),
            below_at: Vec::new(),
            harmless: compiled(&data.harmless.iter().filter_map(|text| glob(text)).collect::<Vec<_>>()),
            harmless_folders: data.harmless_folders,
        };
        let mut globs = Vec::new();
        for kind in &data.kind {
            for text in &kind.files {
                list.add(&mut globs, kind, Anchor::Anywhere, false, text);
            }
            for text in &kind.folders {
                list.add(&mut globs, kind, Anchor::Anywhere, true, text);
            }
            for text in &kind.home {
                list.add(&mut globs, kind, Anchor::Home, true, text);
            }
            for text in &kind.system {
                list.add(&mut globs, kind, Anchor::Root, true, text);
            }
            for text in &kind.own {
                let text = text.trim_end_matches("/**");
                let (anchor, rest) = match (text.strip_prefix("~/"), text.starts_with('/')) {
                    (Some(rest), _) => (Anchor::Home, rest),
                    (None, true) => (Anchor::Root, text),
                    (None, false) => (Anchor::Anywhere, text),
                };
                list.add(&mut globs, kind, anchor, true, rest);
            }
        }
        list.all = compiled(&globs);
        list.below_at = (0..globs.len()).filter(|at| list.entries[*at].below).collect();
        list.below = compiled(&list.below_at.iter().map(|at| globs[*at].clone()).collect::<Vec<_>>());
        list
    }

    /// Adds one entry: its names for patterns, its globs for paths.
    fn add(&mut self, globs: &mut Vec<Glob>, kind: &Kind, anchor: Anchor, below: bool, text: &str) {
        let label = format!("{} (`{text}`)", kind.what);
        for text in alternatives(text, ALTERNATIVES_CAP).unwrap_or_default() {
            let text = text.to_lowercase();
            let text = text.trim_matches('/');
            let start = match anchor {
                Anchor::Anywhere => "**/",
                Anchor::Home => HOME,
                Anchor::Root => "/",
            };
            if let Some(glob) = glob(&format!("{start}{text}")) {
                let names: Vec<Name> = text.split('/').map(Name::glob).collect();
                let (ends, folder) = (names[0].ends(), literal_folder(text).to_owned());
                self.entries.push(Entry { anchor, below, names, ends, label: label.clone(), folder });
                globs.push(glob);
            }
        }
    }

    /// The kind and the entry that a path matches, however it is spelled.
    pub fn entry(&self, written: &Written<'_>) -> Option<String> {
        if written.paths.iter().any(|path| path.matches('/').count() > PARTS_CAP) {
            return Some("a path of too many parts to be compared".to_owned());
        }
        written.paths.iter().find_map(|path| self.entry_of(path))
    }

    /// The kind and the entry at which the letters of a pattern point.
    pub fn may_match(&self, written: &Written<'_>) -> Option<String> {
        self.entry(written).or_else(|| match written.patterns() {
            Ok(patterns) => patterns.iter().find_map(|pattern| self.named_by(pattern)),
            Err(what) => Some((*what).to_owned()),
        })
    }

    /// Whether a folder, however it is spelled, holds something of the list somewhere below: `/etc`, a home folder.
    /// Only whole paths and homes count; names that may be anywhere may be in any folder.
    pub fn lies_below(&self, folder: &str, place: &Place) -> bool {
        let home = spelling::home(place).to_lowercase();
        candidates(folder, place).iter().any(|path| {
            let of_homes = format!("{home}/").starts_with(&format!("{}/", path.trim_end_matches('/')));
            of_homes || matches!(path.as_str(), "/home" | "/users" | "/root") || self.led_to_by(path)
        })
    }

    /// Whether an entry's path begins with a whole path, and goes on.
    fn led_to_by(&self, path: &str) -> bool {
        let (anchors, rest) = match path.strip_prefix(HOME) {
            Some(rest) => ([Anchor::Home, Anchor::Anywhere], rest),
            None => ([Anchor::Root; 2], path),
        };
        let names: Vec<Name> = rest.split('/').filter(|name| !name.is_empty()).map(Name::glob).collect();
        let leads = |entry: &&Entry| {
            entry.names.len() > names.len() && entry.names.iter().zip(&names).all(|(entry, name)| name.meets(entry))
        };
        self.entries.iter().filter(|entry| anchors.contains(&entry.anchor)).any(|entry| leads(&entry))
    }

    /// The folders in which its entries lie: in the home folder, or in the system.
    pub fn folders<'a>(&'a self, place: &'a Place) -> impl Iterator<Item = PathBuf> + 'a {
        self.entries.iter().filter_map(|entry| match entry.anchor {
            Anchor::Anywhere | Anchor::Home => place.home.as_ref().map(|home| home.join(&entry.folder)),
            Anchor::Root => Some(Path::new("/").join(&entry.folder)),
        })
    }

    /// Whether an entry means this path, or for a folder all that is in it. Quick: the path is real, and no folder that
    /// it lies in is meant.
    pub fn means(&self, path: &str, folder: bool, place: &Place) -> bool {
        if self.harmless_folders.iter().any(|harmless| spelling::within(path, harmless)) {
            return false;
        }
        let path = path.to_lowercase();
        let home = spelling::home(place).to_lowercase();
        let own = path.strip_prefix(&home).filter(|_| home.len() > 1).and_then(|rest| rest.strip_prefix('/'));
        let in_home = own.or_else(|| below_home(&path)).map(|rest| format!("{HOME}{rest}"));
        let harmless = self.harmless.is_match(path.rsplit('/').next().unwrap_or_default());
        let mut paths = in_home.iter().chain([&path]);
        paths.any(|path| self.below.is_match(path) || !folder && !harmless && self.all.is_match(path))
    }

    /// The label of the entry that a whole path matches.
    fn entry_of(&self, path: &str) -> Option<String> {
        if self.entries.is_empty() || self.harmless_folders.iter().any(|folder| spelling::within(path, folder)) {
            return None;
        }
        let label = |at: usize| self.entries.get(at).map(|entry| entry.label.clone());
        let mut hits = Vec::new();
        for (end, _) in path.match_indices('/').skip(1) {
            self.below.matches_into(&path[..end], &mut hits);
            if let Some(hit) = hits.first() {
                return label(self.below_at[*hit]);
            }
        }
        self.all.matches_into(path, &mut hits);
        let harmless = || self.harmless.is_match(path.rsplit('/').next().unwrap_or_default());
        let meant = |hit: &&usize| self.entries.get(**hit).is_some_and(|entry| entry.below) || !harmless();
        hits.iter().find(meant).and_then(|hit| label(*hit))
    }

    /// The label of an entry at which a pattern's own letters point.
    fn named_by(&self, pattern: &Pattern) -> Option<String> {
        if self.harmless_folders.iter().any(|folder| spelling::within(&pattern.path, folder)) {
            return None;
        }
        self.entries.iter().find(|entry| entry.may_be_named_by(pattern)).map(|entry| entry.label.clone())
    }
}

impl Entry {
    /// Whether a pattern, laid over the entry where that may begin, points at it and meets it.
    fn may_be_named_by(&self, pattern: &Pattern) -> bool {
        let Some(last) = pattern.names.len().checked_sub(self.names.len()) else { return false };
        let fits = |start: usize| self.ends.agree(pattern.ends[start]) && self.laid_over(&pattern.names[start..]);
        match self.anchor {
            Anchor::Anywhere if self.below => (0..=last).any(fits),
            Anchor::Anywhere => fits(last),
            Anchor::Root => (self.below || last == 0) && fits(0),
            Anchor::Home => {
                pattern.home.is_some_and(|start| start <= last && (self.below || start == last) && fits(start))
            }
        }
    }

    fn laid_over(&self, pattern: &[Name]) -> bool {
        let Some((last, before)) = self.names.split_last() else { return false };
        let points = |(entry, name): (&Name, &Name)| name.points_at(entry) || entry.anything();
        let name = &pattern[before.len()];
        // A lone `*` doesn't name what begins with a dot.
        let spared = name.anything() && last.begins_with_dot();
        let led = before.iter().any(|entry| !entry.anything());
        let before_pointed_at = || before.iter().zip(pattern).all(points);
        // A plain name says enough by itself; an ending such as `*.json` needs its folder.
        let named = !last.anything() && name.points_at(last) && (last.literal() || before_pointed_at());
        let pointed_at = named || led && !spared && before_pointed_at();
        pointed_at && self.names.iter().zip(pattern).all(|(entry, name)| name.meets(entry))
    }
}

/// What stands before the last name of an entry, up to the first name that may become anything.
fn literal_folder(text: &str) -> &str {
    let known = text.find(['*', '?', '[', '{']).map_or(text, |at| &text[..at]);
    known.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// How many names of a pattern lead to a home folder.
fn home_depth(pattern: &[Name]) -> Option<usize> {
    let first = pattern.first().filter(|first| !first.anything())?;
    let meets = |homes: &[Name]| homes.iter().any(|home| first.meets(home));
    let depth = |homes, depth| meets(homes).then_some(depth);
    depth(&HOMES.0, 2).or_else(|| depth(&HOMES.1, 1))
}

/// The whole paths that a spelling may stand for, in lower case, with this person's home among the homes.
fn candidates(path: &str, place: &Place) -> Vec<String> {
    let home = spelling::home(place).to_lowercase();
    let mut paths = Vec::new();
    for path in spelling::absolute(path, place) {
        let path = path.to_lowercase();
        let own = path.strip_prefix(&home).filter(|_| home.len() > 1).and_then(|rest| rest.strip_prefix('/'));
        paths.extend(own.or_else(|| below_home(&path)).map(|rest| format!("{HOME}{rest}")));
        paths.push(path);
    }
    paths
}

/// What follows the home folder of anybody.
fn below_home(path: &str) -> Option<&str> {
    let user = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/users/"));
    user.and_then(|rest| rest.split_once('/').map(|(_, rest)| rest)).or_else(|| path.strip_prefix("/root/"))
}

/// A pattern that begins with an unknown part may begin anywhere.
fn floating(pattern: &str) -> Vec<String> {
    let mut patterns = vec![pattern.to_owned()];
    if pattern.starts_with('*') {
        patterns.extend([format!("/{pattern}"), format!("/*/{pattern}")]);
    }
    patterns
}

fn glob(text: &str) -> Option<Glob> {
    GlobBuilder::new(text).literal_separator(true).build().ok()
}

fn compiled(globs: &[Glob]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        builder.add(glob.clone());
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every list that is data.
    const LISTS: [&str; 2] =
        [include_str!("../../assets/rules/sensitive.toml"), include_str!("../../assets/rules/run-later.toml")];

    #[test]
    fn every_list_is_read_whole() {
        for list in LISTS {
            let data: Data = toml::from_str(list).unwrap();
            let texts =
                |kind: &'_ Kind| [&kind.files, &kind.folders, &kind.home, &kind.system].map(Clone::clone).concat();
            for text in data.kind.iter().flat_map(texts).chain(data.harmless) {
                assert!(glob(&text).is_some(), "{text}");
                assert!(!alternatives(&text, ALTERNATIVES_CAP).unwrap().is_empty(), "{text}");
                assert_eq!(text, text.to_lowercase(), "entries are compared in lower case");
            }
            assert!(List::parse(list).all.len() > 100);
        }
    }

    #[test]
    fn a_list_that_cannot_be_read_names_everything() {
        assert!(List::parse("kind = 1").entry(&Written::new("README.md", &Place::default())).is_some());
    }
}
