//! Whether a pattern that a command reads by matches a sensitive file, as the shell would expand it now: `cat *` beside
//! an `id_rsa`, `cat n*` beside a link that leads to one. Its letters alone don't say so.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::look::{Below, Look, located};
use crate::assess::{LISTED, Sensitive};
use crate::domain::{GlobFact, SecretFact};

/// There are more patterns than are read.
struct TooMany;

/// Most paths that a pattern becomes; each is judged.
const MATCHES: usize = 2_000;
/// Most parts of a pattern's path, and how many names take as long to look through as a part to read.
const PARTS: usize = 100;
const READ: usize = 20;

impl Look<'_> {
    /// Expands a pattern as far as names may still be looked through.
    pub(super) fn glob(&mut self, pattern: &str, sensitive: &Sensitive) -> GlobFact {
        let place = self.place();
        let Some(found) = self.expand(&located(pattern, place)) else { return GlobFact::TooMany };
        let means = |path: &Path| sensitive.entry(&path.to_string_lossy(), place).is_some();
        let hit = found.into_iter().find(|path| means(path) || means(&self.path(path, false).real));
        hit.map_or(GlobFact::Nothing, |path| GlobFact::Sensitive(path.to_string_lossy().into_owned()))
    }

    /// Whether a name that a pattern, or the beginning of it up to some folder, matches has a blank, or what makes it
    /// a pattern itself; so too where there are more than may be looked through.
    pub(super) fn parted(&mut self, pattern: &str) -> bool {
        let apart = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'*' | b'?' | b'[');
        located(pattern, self.place()).ancestors().any(|start| {
            if start.file_name().is_none_or(|part| !picks(part)) {
                return false;
            }
            let Some(found) = self.expand(start) else { return true };
            found.iter().filter_map(|path| path.file_name()).any(|name| name.as_encoded_bytes().iter().any(apart))
        })
    }

    /// Every path that a pattern becomes; none where there are more names than may be looked through.
    fn expand(&mut self, whole: &Path) -> Option<Vec<PathBuf>> {
        let mut found = vec![PathBuf::new()];
        if whole.components().nth(PARTS).is_some() {
            return None;
        }
        for part in whole.components() {
            let part = part.as_os_str();
            let Some(matcher) = self.matcher(part).ok()? else {
                for path in &mut found {
                    path.push(part);
                }
                continue;
            };
            let mut next = Vec::new();
            for folder in found {
                if !self.matches(&folder, &matcher, part, &mut next) {
                    return None;
                }
            }
            found = next;
        }
        Some(found)
    }

    /// Reads a part of a pattern, once for all who have it, unless there were too many: none for a part without a pattern,
    /// and for one that can't be read as one, which the shell takes for itself then.
    fn matcher(&mut self, part: &OsStr) -> Result<Option<GlobMatcher>, TooMany> {
        if !picks(part) {
            return Ok(None);
        }
        if let Some(known) = self.matchers.get(part) {
            return Ok(known.clone());
        }
        if !(0..READ).all(|_| self.may_list()) {
            return Err(TooMany);
        }
        let glob = part.to_str().and_then(|text| GlobBuilder::new(text).backslash_escape(true).build().ok());
        let matcher = glob.map(|glob| glob.compile_matcher());
        self.matchers.insert(part.to_owned(), matcher.clone());
        Ok(matcher)
    }

    /// What a pattern of names matches now, sorted, as the shell spells it; none where these are many or odd.
    pub(super) fn list(&mut self, pattern: &str) -> Option<Vec<String>> {
        let folders = pattern.ends_with('/');
        let found = self.expand(&located(pattern, self.place()))?;
        // The pattern's own folders may lead nowhere.
        let there = |path: &PathBuf| if folders { path.is_dir() } else { path.symlink_metadata().is_ok() };
        let found: Vec<PathBuf> = found.into_iter().filter(there).take(LISTED + 1).collect();
        let spelled = |path: &PathBuf| {
            let path = path.to_str().filter(|path| !path.contains(char::is_control))?;
            Some(format!("{path}{}", if folders { "/" } else { "" }))
        };
        let mut names: Vec<String> = found.iter().map(spelled).collect::<Option<_>>()?;
        names.sort();
        (names.len() <= LISTED).then_some(names)
    }

    /// What lies below each folder that a pattern matches now, taken together; too many names where it may match more than
    /// are looked through.
    pub(super) fn below_each(&mut self, pattern: &str, everything: bool, sensitive: &Sensitive) -> Below {
        let whole = located(pattern, self.place());
        let mut all = Below { all: everything, parted: GlobFact::Nothing, dashed: None, secret: SecretFact::Nothing };
        let Some(found) = self.expand(&whole) else {
            return Below { parted: GlobFact::TooMany, secret: SecretFact::TooMany, ..all };
        };
        for folder in found.into_iter().filter(|path| path.is_dir()) {
            let Some(folder) = folder.to_str() else {
                return Below { parted: GlobFact::TooMany, secret: SecretFact::TooMany, ..all };
            };
            let below = self.below(folder, everything, sensitive);
            if matters(&below.parted) > matters(&all.parted) {
                all.parted = below.parted;
            }
            if plainness(&below.secret) > plainness(&all.secret) {
                all.secret = below.secret;
            }
        }
        all
    }

    /// Adds the names in a folder that match. False if there are more than may be looked through.
    fn matches(&mut self, folder: &Path, matcher: &GlobMatcher, part: &OsStr, into: &mut Vec<PathBuf>) -> bool {
        if !self.may_list() {
            return false;
        }
        let Ok(names) = std::fs::read_dir(folder) else { return true };
        let hidden = part.as_encoded_bytes().starts_with(b".");
        for name in names.flatten() {
            if !self.may_list() {
                return false;
            }
            if into.len() > MATCHES {
                return false;
            }
            let name = name.file_name();
            let dotted = name.as_encoded_bytes().starts_with(b".");
            if (!dotted || hidden) && matcher.is_match(&name) {
                into.push(folder.join(name));
            }
        }
        true
    }
}

/// How much what was found says of links that lead out.
fn matters(parted: &GlobFact) -> u8 {
    match parted {
        GlobFact::Nothing | GlobFact::Listed(_) | GlobFact::Tracked(_) => 0,
        GlobFact::Sensitive(_) => 1,
        GlobFact::TooMany => 2,
        GlobFact::Behind(_) => 3,
        GlobFact::Linked(_) => 4,
    }
}

/// How many searches come to a sensitive file.
fn plainness(secret: &SecretFact) -> u8 {
    match secret {
        SecretFact::Nothing => 0,
        SecretFact::HiddenTooMany => 1,
        SecretFact::Hidden(_) => 2,
        SecretFact::TooMany => 3,
        SecretFact::Plain(_) => 4,
    }
}

/// Whether a part of a path may be a pattern.
fn picks(part: &OsStr) -> bool {
    part.to_str().is_some_and(|text| text.contains(['*', '?', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Place;
    use crate::tools::Seen;

    #[test]
    fn a_name_that_comes_apart_is_seen_wherever_a_pattern_matches_it() {
        for (name, pattern, apart) in [
            ("a b.txt", "*.txt", true),
            ("a b.txt", "*.md", false),
            ("a*.txt", "?*.txt", true),
            ("a\nb", "*", true),
            ("-o.txt", "*.txt", false),
            ("a b/c.txt", "*/*.txt", true),
            ("a b/c.txt", "*/*.md", true),
            ("a/b c.txt", "*/*.md", false),
            ("a/b c.txt", "a/*", true),
            ("a/b c.txt", "*", false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "").unwrap();
            let place = Place { cwd: root.clone(), workspace: root, home: None };
            let seen = Look::new(&place, None, &mut Seen::default()).parted(pattern);
            assert_eq!(seen, apart, "{name:?} {pattern}");
        }
    }

    #[test]
    fn a_pattern_is_known_by_what_it_matches_now() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["notes.txt", "id_rsa", ".env", "in/a.md", "in/server.pem", "[x].txt"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(root.join(".env"), root.join("link.txt")).unwrap();
        let place = Place { cwd: root.clone(), workspace: root.clone(), home: None };
        let hit = |pattern: &str| {
            let mut seen = Seen::default();
            match Look::new(&place, None, &mut seen).glob(pattern, &Sensitive::default()) {
                GlobFact::Sensitive(path) => path.rsplit('/').next().map(str::to_owned),
                GlobFact::Nothing
                | GlobFact::Linked(_)
                | GlobFact::Behind(_)
                | GlobFact::Listed(_)
                | GlobFact::Tracked(_) => None,
                GlobFact::TooMany => Some("too many".to_owned()),
            }
        };
        for (pattern, path) in [("*", "id_rsa"), ("i*", "id_rsa"), ("l*.txt", "link.txt"), ("*/s*", "server.pem")] {
            assert!(hit(pattern).is_some_and(|found| found == path || pattern == "*"), "{pattern}");
        }
        for pattern in ["n*", "*.md", "*/*.md", "in/[a-b]*", "nowhere/*", "\\[x*"] {
            assert_eq!(hit(pattern), None, "{pattern}");
        }
    }
}
