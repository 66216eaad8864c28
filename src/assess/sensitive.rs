//! The sensitive paths: one list for every tool and every spelling. The entries are data in
//! `assets/rules/sensitive.toml`; the configuration adds its own.

use std::sync::{Arc, LazyLock};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use super::overlap::{Name, alternatives};
use super::spelling;
use crate::domain::Place;

/// The built-in list, embedded.
const LIST: &str = include_str!("../../assets/rules/sensitive.toml");

/// Longest pattern that is looked at, in bytes, and most alternatives of its braces.
const PATTERN_CAP: usize = 4096;
const ALTERNATIVES_CAP: usize = 64;

/// The list of "How a decision is made" and what the configuration adds.
#[derive(Clone, Debug, Default)]
pub struct Sensitive {
    extra: Option<Arc<List>>,
}

impl Sensitive {
    /// The list with the configuration's own globs: a name, the end of a path, or a whole path (which may
    /// begin with `~`), each with everything below it.
    #[must_use]
    pub fn with(extra: Vec<String>) -> Self {
        let kind = Kind { what: "named sensitive by your configuration".to_owned(), own: extra, ..Kind::default() };
        let data = Data { kind: vec![kind], ..Data::default() };
        Self { extra: Some(Arc::new(List::of(data))) }
    }

    /// Why a path (as spelled, or real) is sensitive: the kind of thing and the entry that it matches, as in
    /// "private key or key store (`*.pem`)". A sensitive folder itself counts too.
    #[must_use]
    pub fn entry(&self, path: &str, place: &Place) -> Option<String> {
        let paths = candidates(path, place);
        self.lists().find_map(|list| paths.iter().find_map(|path| list.entry(path)))
    }

    /// Why a glob, or a path with parts that may become anything (`*`), may name a sensitive path. Only its
    /// own letters count: `.e*`, `*.pem` and `~/.ssh/*` may, `*`, `*.txt` and `src/*` don't.
    #[must_use]
    pub fn may_match(&self, pattern: &str, place: &Place) -> Option<String> {
        if let Some(entry) = self.entry(pattern, place) {
            return Some(entry);
        }
        if pattern.len() > PATTERN_CAP {
            return Some("a pattern too long to be compared".to_owned());
        }
        if !pattern.contains(['*', '?', '[', '{', '\\']) {
            return None;
        }
        let Some(patterns) = alternatives(pattern, ALTERNATIVES_CAP) else {
            return Some("a pattern with too many alternatives".to_owned());
        };
        patterns.iter().flat_map(|pattern| floating(pattern)).find_map(|pattern| {
            let paths = candidates(&pattern, place);
            self.lists().find_map(|list| paths.iter().find_map(|path| list.may_match(path)))
        })
    }

    fn lists(&self) -> impl Iterator<Item = &List> {
        std::iter::once(&*BUILT_IN).chain(self.extra.as_deref())
    }
}

/// Parsed once. Text that doesn't parse would make everything sensitive; a test reads it.
static BUILT_IN: LazyLock<List> = LazyLock::new(|| {
    let data = toml::from_str(LIST).unwrap_or_else(|_| Data {
        kind: vec![Kind { what: "unreadable list".to_owned(), system: vec!["/".to_owned()], ..Kind::default() }],
        ..Data::default()
    });
    List::of(data)
});

/// The file's form.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Data {
    harmless: Vec<String>,
    harmless_folders: Vec<String>,
    kind: Vec<Kind>,
}

/// One kind of sensitive thing.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Kind {
    what: String,
    files: Vec<String>,
    folders: Vec<String>,
    home: Vec<String>,
    system: Vec<String>,
    /// The configuration's: whole paths, or ends of a path.
    #[serde(skip)]
    own: Vec<String>,
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
    label: String,
}

/// Entries, and the same compiled: one set over whole paths, whose indices lead back to the entries.
#[derive(Debug)]
struct List {
    entries: Vec<Entry>,
    set: GlobSet,
    owners: Vec<usize>,
    harmless: GlobSet,
    harmless_folders: Vec<String>,
}

impl List {
    fn of(data: Data) -> Self {
        let mut list = Self {
            entries: Vec::new(),
            set: GlobSet::empty(),
            owners: Vec::new(),
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
                let (anchor, rest) = match (text.strip_prefix("~/"), text.starts_with('/')) {
                    (Some(rest), _) => (Anchor::Home, rest),
                    (None, true) => (Anchor::Root, text.as_str()),
                    (None, false) => (Anchor::Anywhere, text.as_str()),
                };
                list.add(&mut globs, kind, anchor, true, rest);
            }
        }
        list.set = compiled(&globs);
        list
    }

    /// Adds one entry: its names for patterns, its globs for paths.
    fn add(&mut self, globs: &mut Vec<Glob>, kind: &Kind, anchor: Anchor, below: bool, text: &str) {
        let label = format!("{} (`{text}`)", kind.what);
        for text in alternatives(text, ALTERNATIVES_CAP).unwrap_or_default() {
            let text = text.to_lowercase();
            let text = text.trim_matches('/');
            let starts: &[&str] = match anchor {
                Anchor::Anywhere => &["/**/"],
                Anchor::Home => &["/home/*/", "/users/*/", "/root/"],
                Anchor::Root => &["/"],
            };
            let names = text.split('/').map(Name::glob).collect();
            self.entries.push(Entry { anchor, below, names, label: label.clone() });
            for start in starts {
                let ends: &[&str] = if below { &["", "/**"] } else { &[""] };
                for glob in ends.iter().filter_map(|end| glob(&format!("{start}{text}{end}"))) {
                    globs.push(glob);
                    self.owners.push(self.entries.len() - 1);
                }
            }
        }
    }

    /// The label of the entry that a whole path matches.
    fn entry(&self, path: &str) -> Option<String> {
        if self.harmless_folders.iter().any(|folder| spelling::within(path, folder)) {
            return None;
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let harmless = self.harmless.is_match(name);
        let hits = self.set.matches(path);
        let mut entries = hits.into_iter().filter_map(|hit| self.entries.get(*self.owners.get(hit)?));
        entries.find(|entry| entry.below || !harmless).map(|entry| entry.label.clone())
    }

    /// The label of an entry at which a pattern's own letters point.
    fn may_match(&self, pattern: &str) -> Option<String> {
        if self.harmless_folders.iter().any(|folder| spelling::within(pattern, folder)) {
            return None;
        }
        let names: Vec<Name> = pattern.split('/').skip(1).map(Name::glob).collect();
        self.entries.iter().find(|entry| entry.may_be_named_by(&names)).map(|entry| entry.label.clone())
    }
}

impl Entry {
    /// Whether the names of a pattern, laid over the entry where it may begin, meet it and point at it.
    fn may_be_named_by(&self, pattern: &[Name]) -> bool {
        let last = pattern.len().saturating_sub(self.names.len());
        let ends = |start: &usize| self.below || start + self.names.len() == pattern.len();
        let fits = |start: &usize| pattern.len() >= start + self.names.len() && self.laid_over(&pattern[*start..]);
        match self.anchor {
            Anchor::Anywhere => (0..=last).any(|start| ends(&start) && fits(&start)),
            Anchor::Root => ends(&0) && fits(&0),
            Anchor::Home => home_depth(pattern).is_some_and(|start| ends(&start) && fits(&start)),
        }
    }

    fn laid_over(&self, pattern: &[Name]) -> bool {
        let Some((last, before)) = self.names.split_last() else { return false };
        let met = self.names.iter().zip(pattern).all(|(entry, name)| name.meets(entry));
        let points = |(entry, name): (&Name, &Name)| name.points_at(entry) || entry.anything();
        let name = &pattern[before.len()];
        // A lone `*` doesn't name what begins with a dot.
        let spared = name.anything() && last.begins_with_dot();
        let led = before.iter().any(|entry| !entry.anything());
        let named = !last.anything() && name.points_at(last);
        met && (named || led && !spared && before.iter().zip(pattern).all(points))
    }
}

/// How many names of a pattern lead to a home folder.
fn home_depth(pattern: &[Name]) -> Option<usize> {
    let first = pattern.first()?;
    let homes = |text: &str| !first.anything() && first.meets(&Name::glob(text));
    if homes("home") || homes("users") { Some(2) } else { homes("root").then_some(1) }
}

/// The whole paths that a spelling may stand for, in lower case, with this person's home among the homes.
fn candidates(path: &str, place: &Place) -> Vec<String> {
    let home = spelling::home(place).to_lowercase();
    spelling::absolute(path, place)
        .into_iter()
        .map(|path| path.to_lowercase())
        .map(|path| match path.strip_prefix(&home).filter(|rest| home.len() > 1 && rest.starts_with('/')) {
            Some(rest) => format!("/home/~{rest}"),
            None => path,
        })
        .collect()
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

    fn place() -> Place {
        Place { cwd: "/home/ann/work".into(), workspace: "/home/ann/work".into(), home: Some("/home/ann".into()) }
    }

    fn entry(path: &str) -> Option<String> {
        Sensitive::default().entry(path, &place())
    }

    fn may_match(pattern: &str) -> Option<String> {
        Sensitive::default().may_match(pattern, &place())
    }

    #[test]
    fn the_list_is_read_whole() {
        let data: Data = toml::from_str(LIST).unwrap();
        let texts = data.kind.iter().flat_map(|kind| [&kind.files, &kind.folders, &kind.home, &kind.system]).flatten();
        for text in texts.chain(&data.harmless) {
            assert!(glob(text).is_some(), "{text}");
            assert!(!alternatives(text, ALTERNATIVES_CAP).unwrap().is_empty(), "{text}");
            assert_eq!(text, &text.to_lowercase(), "entries are compared in lower case");
        }
        assert!(BUILT_IN.set.len() > 300);
    }

    #[test]
    fn sensitive_paths_are_known_in_every_spelling() {
        for path in [
            ".env",
            "app/.env.production",
            "src/../.ENV",
            "'.env'",
            ".env~",
            "~/.aws/credentials",
            "$HOME/.aws",
            "/home/bob/.ssh/id_rsa",
            "/root/.ssh/config",
            "~root/.netrc",
            "deploy/id_ed25519",
            "/etc//shadow",
            "/etc/ssh/../shadow-",
            "../../../../etc/sudoers.d/ann",
            "file://host/etc/passwd",
            "%2e%2e/%2e%2e/%2e%2e/etc/gshadow",
            "/proc/1/environ",
            "/proc/self/root/etc/shadow",
            "/dev/sda1",
            "/dev/nvme0n1",
            "tls/server.key",
            "config/secrets.yml",
            "infra/terraform.tfstate.backup",
            "~/.m2/settings-security.xml",
            "~/.gitconfig",
            "~/.local/share/keyrings/login.keyring",
            "~/.mozilla/firefox/a.default/key4.db",
        ] {
            assert!(entry(path).is_some(), "{path}");
        }
    }

    #[test]
    fn ordinary_paths_are_not() {
        for path in [
            "",
            ".",
            "README.md",
            ".env.example",
            "deploy/.env.sample",
            "secrets.yml.template",
            ".dockerignore",
            ".gitignore",
            "src/env.ts",
            "src/secrets_manager.rs",
            "src/id_map.rs",
            "migrations/002_add_api_keys.sql",
            "package.json",
            ".git/config",
            "/etc/hosts",
            "/etc/os-release",
            "/proc/cpuinfo",
            "/dev/null",
            "/dev/urandom",
            "/etc/ssl/certs/ca-certificates.pem",
            "~",
            "~/notes.txt",
            "/home/ann/work/keys.ts",
        ] {
            assert_eq!(entry(path), None, "{path}");
        }
    }

    #[test]
    fn patterns_that_point_at_an_entry_are_known() {
        for pattern in [
            ".e*",
            ".env*",
            ".*",
            "src/.e?v",
            "~/.ssh/*",
            "~/.s*/id*",
            "*.pem",
            "certs/*.k*",
            "id_*",
            "/etc/sh*dow",
            "/etc/s*w",
            "/e*/shadow",
            "*/shadow",
            "*/.env",
            "{README.md,.env}",
            "/etc/{hosts,pass*}",
            "/home/*/.gitconf*",
            "**/.aws/**",
        ] {
            assert!(may_match(pattern).is_some(), "{pattern}");
        }
    }

    #[test]
    fn patterns_that_say_little_are_not() {
        for pattern in ["*", "*.txt", "src/*", "*.json", "**/*.rs", "~/*", "a[0-9]", "/usr/share/*", "{a,b}.md", "*/*"]
        {
            assert_eq!(may_match(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn the_configuration_adds_names_ends_and_paths() {
        let own = vec!["private".to_owned(), "/srv/vault/**".to_owned(), "~/diary".to_owned()];
        let sensitive = Sensitive::with(own);
        for path in ["private", "a/private/b.txt", "/srv/vault/x", "~/diary/monday.md", ".env"] {
            assert!(sensitive.entry(path, &place()).is_some(), "{path}");
        }
        assert_eq!(sensitive.entry("public", &place()), None);
        assert!(sensitive.may_match("priv*", &place()).is_some());
    }
}
