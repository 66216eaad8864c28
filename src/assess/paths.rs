//! Lists of paths, read from data: names anywhere, places in a home folder, whole paths. One list answers for whole
//! paths (name by name from the end, entries found by the last one) and for patterns with unknown parts (laid over the
//! entries).

mod entry;

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use self::entry::{Anchor, Entry};
use super::overlap::{Ends, Name, alternatives};
use super::spelling;
use super::written::{ALTERNATIVES_CAP, HOME, Pattern, Written, below_home, candidates};
use crate::domain::Place;

/// Most parts of a path, which is compared folder by folder.
const PARTS_CAP: usize = 256;

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
    /// Whether whoever only enters or opens a folder obeys what lies in it, so that it matters wherever it is.
    pub entered: bool,
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

/// Entries in order. Those that a whole path may match are found by its last name.
#[derive(Debug)]
pub(super) struct List {
    entries: Vec<Entry>,
    /// What each is called, which only a hit needs.
    labels: Vec<String>,
    /// The folders of all entries, each once: from the home folder, and from the root.
    home_folders: BTreeSet<String>,
    root_folders: BTreeSet<String>,
    /// Entries whose last name is plain, by that.
    plain: HashMap<String, Vec<usize>>,
    /// All others, and those of them that mean everything below.
    loose: Vec<usize>,
    loose_below: Vec<usize>,
    /// Those with a `**`, which only a configuration writes.
    deep: GlobSet,
    deep_at: Vec<usize>,
    /// Those of a single name that may stand anywhere, and all others.
    singles: Vec<usize>,
    paths: Vec<usize>,
    harmless: Vec<Name>,
    harmless_folders: Vec<String>,
    /// The same entries for git, as far as they may be anywhere.
    attributes: String,
}

impl List {
    /// Reads a list's text, JSON as the build makes it of a rule file. Text that doesn't parse would name every path; a
    /// test reads each list.
    pub fn parse(text: &str) -> Self {
        Self::parse_kinds(text, |_| true)
    }

    /// The same of some of its kinds.
    pub fn parse_kinds(text: &str, wanted: impl Fn(&Kind) -> bool) -> Self {
        let data = serde_json::from_str(text).map(|mut data: Data| {
            data.kind.retain(wanted);
            data
        });
        Self::of(data.unwrap_or_else(|_| Data {
            kind: vec![Kind { what: "unreadable list".to_owned(), system: vec!["**".to_owned()], ..Kind::default() }],
            ..Data::default()
        }))
    }

    /// Compiles a list.
    pub fn of(data: Data) -> Self {
        let harmless = data.harmless.iter().flat_map(|text| alternatives(text, ALTERNATIVES_CAP).unwrap_or_default());
        let mut list = Self {
            entries: Vec::new(),
            labels: Vec::new(),
            home_folders: BTreeSet::new(),
            root_folders: BTreeSet::new(),
            plain: HashMap::new(),
            loose: Vec::new(),
            loose_below: Vec::new(),
            deep: GlobSet::empty(),
            deep_at: Vec::new(),
            singles: Vec::new(),
            paths: Vec::new(),
            harmless: harmless.map(|text| Name::glob(&text)).collect(),
            attributes: attributes(&data),
            harmless_folders: data.harmless_folders,
        };
        let mut deep = GlobSetBuilder::new();
        for kind in &data.kind {
            for text in &kind.files {
                list.add(&mut deep, kind, Anchor::Anywhere, false, text);
            }
            for text in &kind.folders {
                list.add(&mut deep, kind, Anchor::Anywhere, true, text);
            }
            for text in &kind.home {
                list.add(&mut deep, kind, Anchor::Home, true, text);
            }
            for text in &kind.system {
                list.add(&mut deep, kind, Anchor::Root, true, text);
            }
            for text in &kind.own {
                let text = text.trim_end_matches("/**");
                let (anchor, rest) = match (text.strip_prefix("~/"), text.starts_with('/')) {
                    (Some(rest), _) => (Anchor::Home, rest),
                    (None, true) => (Anchor::Root, text),
                    (None, false) => (Anchor::Anywhere, text),
                };
                list.add(&mut deep, kind, anchor, true, rest);
            }
        }
        list.deep = deep.build().unwrap_or_else(|_| GlobSet::empty());
        list
    }

    /// What git is told of its entries, in lines of a file of attributes (gitattributes(5)): what they name has no text
    /// that could be shown.
    pub fn attributes(&self) -> &str {
        &self.attributes
    }

    /// Adds one entry.
    fn add(&mut self, deep: &mut GlobSetBuilder, kind: &Kind, anchor: Anchor, below: bool, text: &str) {
        let label = format!("{} (`{text}`)", kind.what);
        for text in alternatives(text, ALTERNATIVES_CAP).unwrap_or_default() {
            let text = text.to_lowercase();
            let text = text.trim_matches('/');
            let names: Vec<Name> = text.split('/').map(Name::glob).collect();
            let Some(last) = names.last() else { continue };
            let at = self.entries.len();
            if text.contains("**") {
                let start = match anchor {
                    Anchor::Anywhere => "**/",
                    Anchor::Home => HOME,
                    Anchor::Root => "/",
                };
                let Ok(glob) = GlobBuilder::new(&format!("{start}{text}")).literal_separator(true).build() else {
                    continue;
                };
                deep.add(glob);
                self.deep_at.push(at);
            } else if last.literal() {
                self.plain.entry(last.letters_alone()).or_default().push(at);
            } else {
                self.loose.push(at);
                if below {
                    self.loose_below.push(at);
                }
            }
            let folders = match anchor {
                Anchor::Anywhere | Anchor::Home => &mut self.home_folders,
                Anchor::Root => &mut self.root_folders,
            };
            folders.insert(literal_folder(text).to_owned());
            self.labels.push(label.clone());
            let start = names.first().map_or(last.ends(), Name::ends);
            let entry = Entry { anchor, below, start, ends: last.ends(), names };
            if entry.single() {
                self.singles.push(at);
            } else {
                self.paths.push(at);
            }
            self.entries.push(entry);
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
            Ok(patterns) => self.named_by(patterns),
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
        let leads = |entry: &Entry| {
            entry.names.len() > names.len()
                && anchors.contains(&entry.anchor)
                && entry.names.iter().zip(&names).all(|(entry, name)| name.meets(entry))
        };
        match names.first().map(Name::ends) {
            // A single name is below nothing but the home folder and the root.
            Some(start) => {
                let paths = self.paths.iter().map(|at| &self.entries[*at]);
                paths.filter(|entry| entry.start.agree(start)).any(leads)
            }
            None => self.entries.iter().any(leads),
        }
    }

    /// The folders in which its entries lie: in the home folder, or in the system.
    pub fn folders<'a>(&'a self, place: &'a Place) -> impl Iterator<Item = PathBuf> + 'a {
        let in_home = place.home.iter().flat_map(|home| self.home_folders.iter().map(|folder| home.join(folder)));
        in_home.chain(self.root_folders.iter().map(|folder| Path::new("/").join(folder)))
    }

    /// Whether an entry means this path, or for a folder all that is in it. Quick: the path is real, and no folder that
    /// it lies in is meant.
    pub fn means(&self, path: &str, folder: bool, place: &Place) -> bool {
        if !self.may_end_so(path) {
            return false;
        }
        if self.harmless_folders.iter().any(|harmless| spelling::within(path, harmless)) {
            return false;
        }
        let path = path.to_lowercase();
        let home = spelling::home(place).to_lowercase();
        let own = path.strip_prefix(&home).filter(|_| home.len() > 1).and_then(|rest| rest.strip_prefix('/'));
        let in_home = own.or_else(|| below_home(&path)).map(|rest| format!("{HOME}{rest}"));
        let mut paths = in_home.iter().chain([&path]);
        paths.any(|path| self.first(path, folder, || !self.harmless(path)).is_some())
    }

    /// Whether some entry may end as a path does: most names are told apart by that.
    fn may_end_so(&self, path: &str) -> bool {
        let last = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let ends = Ends::of(&last);
        let loose = |at: &usize| {
            let entry = &self.entries[*at];
            entry.ends.agree(ends) && entry.names.last().is_some_and(|name| name.matches(&last))
        };
        !self.deep_at.is_empty() || self.plain.contains_key(&last) || self.loose.iter().any(loose)
    }

    /// The label of the entry that a whole path matches.
    fn entry_of(&self, path: &str) -> Option<String> {
        if self.entries.is_empty() || self.harmless_folders.iter().any(|folder| spelling::within(path, folder)) {
            return None;
        }
        let folders = path.match_indices('/').skip(1).map(|(end, _)| &path[..end]);
        let harmless = LazyCell::new(|| self.harmless(path));
        let mut hits = folders.filter_map(|folder| self.first(folder, true, || true));
        let hit = hits.next().or_else(|| self.first(path, false, || !*harmless))?;
        Some(self.labels[hit].clone())
    }

    /// Whether the name of a path only looks like an entry's.
    fn harmless(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or_default();
        self.harmless.iter().any(|harmless| harmless.matches(name))
    }

    /// The first entry that a whole path matches: one that means everything below, or, unless only such count, one
    /// that counts for others.
    fn first(&self, path: &str, below: bool, counts: impl Fn() -> bool) -> Option<usize> {
        let last = path.rsplit('/').next().unwrap_or_default();
        let ends = Ends::of(last);
        let plain = self.plain.get(last).into_iter().flatten();
        let loose = if below { &self.loose_below } else { &self.loose };
        let loose = loose.iter().filter(|at| self.entries[**at].ends.agree(ends));
        let meant = |at: &usize| {
            let entry = &self.entries[*at];
            (entry.below || !below) && entry.is(path) && (entry.below || counts())
        };
        let deep = if self.deep.is_match(path) { self.deep.matches(path) } else { Vec::new() };
        let deep = deep.into_iter().map(|hit| self.deep_at[hit]);
        let deep = deep.filter(|at| self.entries[*at].below || !below && counts());
        plain.chain(loose).copied().filter(meant).chain(deep).min()
    }

    /// The label of an entry at which a pattern's own letters point.
    fn named_by(&self, patterns: &[Pattern]) -> Option<String> {
        // A pattern that may begin anywhere comes as several, with the same names behind unknown ones.
        let mut tried: Vec<(&Name, bool)> = Vec::new();
        for pattern in patterns {
            if self.harmless_folders.iter().any(|folder| spelling::within(&pattern.path, folder)) {
                continue;
            }
            let mut hit = None;
            for (behind, name) in pattern.names.iter().rev().enumerate() {
                let leads = behind > 0;
                if name.anything() || tried.iter().any(|(before, led)| *before == name && (leads || !led)) {
                    continue;
                }
                tried.push((name, leads));
                hit = earlier(hit, self.single_named_by(name, leads));
            }
            let mut paths = self.paths.iter().copied();
            hit = earlier(hit, paths.find(|at| self.entries[*at].may_be_named_by(pattern)));
            if let Some(at) = hit {
                return Some(self.labels[at].clone());
            }
        }
        None
    }

    /// The first entry of a single name, meant wherever it stands, at which a name of a pattern points. A name that
    /// leads to others is met only by one that means everything below.
    fn single_named_by(&self, name: &Name, leads: bool) -> Option<usize> {
        let pointed_at = |at: &usize| {
            let entry = &self.entries[*at];
            name.ends().agree(entry.ends)
                && entry.single()
                && (entry.below || !leads)
                && entry.laid_over(std::slice::from_ref(name))
        };
        if !name.literal() {
            return self.singles.iter().copied().find(pointed_at);
        }
        let plain = self.plain.get(&name.letters_alone()).into_iter().flatten().copied().find(pointed_at);
        earlier(plain, self.loose.iter().chain(&self.deep_at).copied().filter(pointed_at).min())
    }
}

/// The earlier of two entries.
fn earlier(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    a.into_iter().chain(b).min()
}

/// What stands before the last name of an entry, up to the first name that may become anything.
fn literal_folder(text: &str) -> &str {
    let known = text.find(['*', '?', '[', '{']).map_or(text, |at| &text[..at]);
    known.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The entries that may be anywhere, as git reads them. The last line that matches decides: what only looks like an
/// entry is shown, but nothing in a folder that is one.
fn attributes(data: &Data) -> String {
    let all = |texts: fn(&Kind) -> &Vec<String>| data.kind.iter().flat_map(texts);
    let mut lines = String::new();
    let mut say = |text: &str, below: bool, what: &str| {
        for text in alternatives(text, ALTERNATIVES_CAP).unwrap_or_default() {
            let text = any_case(text.trim_matches('/')).replace('\\', "\\\\").replace('"', "\\\"");
            let anywhere = if text.contains('/') || below { "**/" } else { "" };
            let below = if below { "/**" } else { "" };
            lines.push_str(&format!("\"{anywhere}{text}{below}\" {what}\n"));
        }
    };
    all(|kind| &kind.files).for_each(|text| say(text, false, "-diff"));
    data.harmless.iter().for_each(|text| say(text, false, "!diff"));
    all(|kind| &kind.folders).for_each(|text| say(text, true, "-diff"));
    for text in all(|kind| &kind.own).filter(|text| !text.starts_with(['~', '/'])) {
        let text = text.trim_end_matches("/**");
        say(text, false, "-diff");
        say(text, true, "-diff");
    }
    lines
}

/// A pattern that matches a name in whatever case: git tells `.env` from `.Env`.
fn any_case(text: &str) -> String {
    let mut within = false;
    let mut pattern = String::with_capacity(text.len() * 4);
    for letter in text.chars() {
        let (low, high) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
        match letter {
            _ if within && low != high => pattern.extend([low, high]),
            _ if low != high => pattern.extend(['[', low, high, ']']),
            _ => pattern.push(letter),
        }
        within = letter == '[' || within && letter != ']';
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every list that is data.
    const LISTS: [&str; 2] = [
        include_str!(concat!(env!("OUT_DIR"), "/sensitive.json")),
        include_str!(concat!(env!("OUT_DIR"), "/run-later.json")),
    ];

    #[test]
    fn every_list_is_read_whole() {
        for list in LISTS {
            let data: Data = serde_json::from_str(list).unwrap();
            let texts =
                |kind: &'_ Kind| [&kind.files, &kind.folders, &kind.home, &kind.system].map(Clone::clone).concat();
            for text in data.kind.iter().flat_map(texts).chain(data.harmless) {
                assert!(!text.contains("**"), "{text}");
                assert!(!alternatives(&text, ALTERNATIVES_CAP).unwrap().is_empty(), "{text}");
                assert_eq!(text, text.to_lowercase(), "entries are compared in lower case");
            }
            assert!(List::parse(list).entries.len() > 100);
        }
    }

    #[test]
    fn a_list_that_cannot_be_read_names_everything() {
        assert!(List::parse("{\"kind\": 1}").entry(&Written::new("README.md", &Place::default())).is_some());
    }
}
