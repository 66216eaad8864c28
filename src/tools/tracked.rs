//! The names of the files that git tracks, as its index has them (gitformat-index(5)): whether one, or a part of one that
//! comes apart at a blank, may be a flag of a program that takes it, or names a sensitive file. Another format is unknown.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::look::{Look, located};
use super::parts::{comes_apart, may_be_flag, names_sensitive};
use super::repository::own;
use crate::assess::Sensitive;
use crate::domain::{GlobFact, Place};
use crate::private;

/// Largest index that is read, in bytes, and all of one operation together, and most names in it that are looked at.
pub(super) const INDEX: u64 = 64 * 1024 * 1024;
const NAMES: usize = 200_000;
/// Most of them that are kept for what they say.
const KEPT: usize = 64;
/// Bytes before the first entry, and in one before its id, of an id, and of what says how long the name is.
const HEADER: usize = 12;
const DATA: usize = 40;
const ID: usize = 20;
const FLAGS: usize = 2;
/// What says that two bytes more follow, and how long a name is, where that fits.
const EXTENDED: u16 = 0x4000;
const LENGTH: u16 = 0x0fff;

/// What the names of an index say.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracked {
    /// Whether one may be a flag wherever it is named, or a file of a revision (`HEAD:x`).
    dashed: bool,
    /// The folders from which one begins like a file of flags, as they are named from the top.
    begins: BTreeSet<String>,
    /// Names that come apart into a sensitive one, and sensitive ones that are there, as many as are kept.
    parted: Vec<String>,
    secret: Vec<String>,
}

/// What they say in one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// Whether one may be a flag, a file of flags or a file of a revision, as git names it from there or from the top; none
    /// where nobody could tell.
    pub(super) dashed: Option<bool>,
    /// Whether one below it is sensitive, or comes apart into one that is; too many where nobody could tell.
    pub(super) names: GlobFact,
    /// Everything of that sort in the whole repository, which most of git's subcommands show from any of its folders;
    /// empty names where nobody could tell.
    pub(super) all: Vec<String>,
}

impl Look<'_> {
    /// What git tracks in a folder. Its index is read once for all folders of the repository.
    pub(super) fn tracked(&mut self, folder: &str, sensitive: &Sensitive) -> Told {
        let folder = located(folder, self.place());
        let folder = folder.canonicalize().unwrap_or(folder);
        let index = own(&folder).map(|own| own.join("index")).and_then(|index| index.canonicalize().ok());
        let top = folder.ancestors().find(|up| up.join(".git").symlink_metadata().is_ok());
        let (Some(index), Some(top)) = (index, top) else {
            // It names nothing.
            return Told { dashed: None, names: GlobFact::Nothing, all: Vec::new() };
        };
        let inner = folder.strip_prefix(top).map(|inner| inner.to_string_lossy().into_owned());
        let about = (index, self.place().clone());
        let known = self.seen.tracked.get(&about).cloned();
        let read = known.unwrap_or_else(|| {
            let bytes = private::read(&about.0, self.left_index).ok();
            self.left_index -= bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
            let names = bytes.and_then(|bytes| names(&bytes));
            let read = names.map(|names| Arc::new(Tracked::of(&names, top, sensitive, self.place())));
            if self.left_index > 0 {
                self.seen.tracked.insert(about, read.clone());
            }
            read
        });
        match (read, inner) {
            (Some(read), Ok(inner)) => read.told(top, &inner),
            (None, _) | (_, Err(_)) => Told { dashed: None, names: GlobFact::TooMany, all: vec![String::new()] },
        }
    }
}

impl Tracked {
    fn of(names: &[String], top: &Path, sensitive: &Sensitive, place: &Place) -> Self {
        let mut told = Self::default();
        let mut folders = HashSet::new();
        for name in names {
            told.dashed |= name.contains(':') || name.split('/').any(may_be_flag);
            for (at, part) in
                std::iter::once(0).chain(name.match_indices('/').map(|(at, _)| at + 1)).map(|at| (at, &name[at..]))
            {
                if part.starts_with(['+', '@']) {
                    told.begins.insert(name[..at.saturating_sub(1)].to_owned());
                }
            }
            if told.parted.len() < KEPT && comes_apart(name) && names_sensitive(Path::new(name), sensitive, place) {
                told.parted.push(name.clone());
            }
            let means = |path: &str, folder| sensitive.means(&top.join(path).to_string_lossy(), folder, place);
            let within = Path::new(name).ancestors().skip(1).take_while(|up| folders.insert((*up).to_path_buf()));
            let within = within.fold(false, |any, up| any | means(&up.to_string_lossy(), true));
            if told.secret.len() < KEPT && (within || means(name, false)) && top.join(name).symlink_metadata().is_ok() {
                told.secret.push(name.clone());
            }
        }
        told
    }

    /// What they say in a folder, as it is named from the top.
    fn told(&self, top: &Path, folder: &str) -> Told {
        let dashed = self.dashed || self.begins.contains("") || self.begins.contains(folder);
        let below = |name: &&String| Path::new(name).starts_with(folder);
        let full = |kept: &[String]| kept.len() >= KEPT;
        let path = |name: &String| top.join(name).to_string_lossy().into_owned();
        let names = match (self.parted.iter().find(below), self.secret.iter().find(below)) {
            (Some(name), _) => GlobFact::Sensitive(path(name)),
            (None, _) if full(&self.parted) => GlobFact::TooMany,
            (None, Some(name)) => GlobFact::Tracked(path(name)),
            (None, None) if full(&self.secret) => GlobFact::TooMany,
            (None, None) => GlobFact::Nothing,
        };
        let more = (full(&self.parted) || full(&self.secret)).then(String::new);
        let all = self.parted.iter().chain(&self.secret).map(path).chain(more).collect();
        Told { dashed: Some(dashed), names, all }
    }
}

/// The names of an index; none where it isn't all understood.
fn names(index: &[u8]) -> Option<Vec<String>> {
    let number = |at: usize| Some(u32::from_be_bytes(*index.get(at..)?.first_chunk()?));
    let version = number(4).filter(|version| index.starts_with(b"DIRC") && [2, 3].contains(version))?;
    let count = usize::try_from(number(8)?).ok().filter(|count| *count <= NAMES)?;
    let mut at = HEADER;
    let mut names = Vec::new();
    for _ in 0..count {
        let flags = u16::from_be_bytes(*index.get(at + DATA + ID..)?.first_chunk()?);
        let extended = flags & EXTENDED != 0;
        if extended && version < 3 {
            return None;
        }
        let start = at + DATA + ID + FLAGS + if extended { FLAGS } else { 0 };
        let length = memchr::memchr(0, index.get(start..)?)?;
        let said = usize::from(flags & LENGTH);
        if length == 0 || said != length.min(LENGTH.into()) {
            return None;
        }
        names.push(String::from_utf8_lossy(&index[start..start + length]).into_owned());
        // At least one zero byte, up to a place that eight divides from where the entry begins.
        at += (start - at + length + 8) / 8 * 8;
    }
    // Behind the names stands what git may do without, by a name in capitals, and a hash of it all.
    while index.len().saturating_sub(at) > ID {
        if !index.get(at)?.is_ascii_uppercase() {
            return None;
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(number(at + 4)?).ok()?)?;
    }
    (index.len().checked_sub(at)? == ID).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    use crate::tools::Seen;

    /// Whether a name may be a flag there.
    fn dashed(folder: &Path) -> Option<bool> {
        let place = Place { cwd: folder.to_path_buf(), workspace: folder.to_path_buf(), home: None };
        Look::new(&place, None, &mut Seen::default()).tracked(".", &Sensitive::default()).dashed
    }

    fn told(index: &[u8]) -> Option<usize> {
        names(index).map(|names| names.len())
    }

    fn git(folder: &Path, words: &[&str]) {
        let words = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"].iter().chain(words);
        let ran = Command::new("git").args(words).current_dir(folder).env("HOME", folder).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }

    #[test]
    fn a_tracked_name_that_may_be_a_flag_is_seen_though_the_file_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        assert_eq!(dashed(at), None, "no repository");
        git(at, &["init", "-q"]);
        assert_eq!(dashed(at), None, "no index");
        std::fs::create_dir(at.join("src")).unwrap();
        for name in ["a", "bb", "src/ccc", "src/a-b.rs", "a b.txt", "[id]", "seven77", "eight888", "ü"] {
            std::fs::write(at.join(name), "x").unwrap();
            git(at, &["add", "--", name]);
            assert_eq!(dashed(&at.join("src")), Some(false), "{name}");
        }
        git(at, &["commit", "-qm", "a"]);
        git(at, &["status"]);
        assert_eq!(dashed(at), Some(false));
        for name in ["-i", "src/-i", "src/a -i.ts", "src/a\n-i", "z\nz", "+1", "@args", "HEAD:x"] {
            std::fs::write(at.join(name), "x").unwrap();
            git(at, &["add", "--", name]);
            std::fs::remove_file(at.join(name)).unwrap();
            assert_eq!(dashed(at), Some(true), "{name:?}");
            git(at, &["rm", "-q", "--cached", "--", name]);
            assert_eq!(dashed(at), Some(false), "{name:?}");
        }
        std::fs::write(at.join("src/@args"), "x").unwrap();
        git(at, &["add", "src/@args"]);
        assert_eq!((dashed(at), dashed(&at.join("src"))), (Some(false), Some(true)), "as it is named from there");
        git(at, &["add", "-N", "a"]);
        git(at, &["update-index", "--skip-worktree", "bb"]);
        assert_eq!(dashed(at), Some(false), "an extended entry");
    }

    #[test]
    fn an_index_that_isnt_all_understood_tells_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        git(at, &["init", "-q"]);
        std::fs::write(at.join("a"), "x").unwrap();
        git(at, &["add", "a"]);
        let index = std::fs::read(at.join(".git/index")).unwrap();
        assert_eq!(told(&index), Some(1));
        for cut in 0..index.len() {
            assert_eq!(told(&index[..cut]), None, "{cut}");
        }
        let changed = |place: usize, byte: u8| {
            let mut index = index.clone();
            index[place] = byte;
            told(&index)
        };
        assert_eq!(changed(7, 4), None, "another version");
        assert_eq!(changed(11, 2), None, "more entries than there are");
        assert_eq!(changed(HEADER + DATA + ID + 1, 2), None, "another length");
        let mut split = index[..index.len() - ID].to_vec();
        split.extend_from_slice(b"link\0\0\0\x04abcd");
        split.extend_from_slice(&[0; ID]);
        assert_eq!(told(&split), None, "the rest is in another file");
        git(at, &["update-index", "--index-version", "4"]);
        assert_eq!(dashed(at), None);
    }
}
