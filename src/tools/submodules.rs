//! What the submodules of a repository would make git do. Git enters them with processes of its own, where our settings
//! no longer hold: each obeys the configuration of the submodule, which lies in `.git/modules` or, embedded, in the
//! submodule's folder. `repository` adds what is found here to what it says of the repository itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::repository::{add, common, configured, entries, misunderstood, pointed};
use crate::domain::RepositoryFact;
use crate::private::{self, SMALL};

/// Most folders of submodules that are looked at.
const MODULES: usize = 20_000;
/// Largest index that is looked through.
const INDEX: u64 = 512 * 1024 * 1024;
/// The mode of a submodule, with the two empty bytes before it, as an index has it.
const SUBMODULE: [u8; 4] = [0, 0, 0xe0, 0];
/// The key that says where the files of a submodule lie.
const WORKTREE: &str = "core.worktree";
/// Folders of a git folder in which no submodule's git folder lies.
const OWN: [&str; 9] = ["objects", "refs", "logs", "hooks", "info", "lfs", "branches", "rebase-merge", "rebase-apply"];

/// Adds what the submodules of a repository say, theirs too, by the repository's git folder and top folder.
pub(super) fn add_all(fact: &mut RepositoryFact, own: &Path, top: &Path) {
    let common = common(own);
    // A linked working tree is told what those of the first one say too.
    let first = common.canonicalize().ok().and_then(|common| Some(common.parent()?.to_path_buf()));
    let trees = [top.canonicalize().ok(), first];
    let mut found = Submodules { fact, seen: BTreeSet::new(), trees };
    for at in BTreeSet::from([own.join("modules"), common.join("modules")]) {
        found.kept(&at, Path::new(""));
    }
    found.named(own, top, Path::new(""));
}

/// A walk through the submodules of one repository.
struct Submodules<'f> {
    fact: &'f mut RepositoryFact,
    /// The folders that were looked at, and whether for what an index names in them.
    seen: BTreeSet<(PathBuf, bool)>,
    /// The top folders of the outermost repository, in which the files of all of them lie.
    trees: [Option<PathBuf>; 2],
}

impl Submodules<'_> {
    /// Adds the submodules that are kept below a folder. A name may have slashes, so they lie at any depth.
    fn kept(&mut self, folder: &Path, name: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let within = is_git(folder);
        for at in entries.flatten().map(|entry| entry.path()).filter(|at| at.is_dir()) {
            let part = at.file_name().unwrap_or_default();
            if within && OWN.iter().any(|own| part == *own) || !self.is_new(&at, false) {
                continue;
            }
            let name = name.join(part);
            if is_git(&at) {
                self.told(&at, &name);
            }
            self.kept(&at, &name);
        }
    }

    /// Adds the submodules that the index of a git folder names, where their git folders are there, and those in them.
    fn named(&mut self, own: &Path, files: &Path, name: &Path) {
        let paths = in_index(own).unwrap_or_else(|why| {
            self.fact.foreign_keys.push(why.to_owned());
            Vec::new()
        });
        for path in paths {
            let (files, name) = (files.join(&path), name.join(path));
            let git = files.join(".git");
            if git.symlink_metadata().is_err() {
                continue;
            }
            let odd = misunderstood(&git).map(|key| format!("{key} of the submodule {}", name.display()));
            self.fact.foreign_keys.extend(odd);
            let own = pointed(&git).unwrap_or(git);
            if self.is_new(&own, true) {
                self.told(&own, &name);
                self.kept(&own, &name);
                self.named(&own, &files, &name);
            }
        }
    }

    /// Adds what one submodule says.
    fn told(&mut self, own: &Path, name: &Path) {
        let mut told = RepositoryFact::default();
        add(&mut told, own);
        let inside = self.lies_inside(own);
        let foreign = told.foreign_keys.into_iter().filter(|key| key != WORKTREE || !inside);
        self.fact.foreign_keys.extend(foreign.map(|key| format!("{key} of the submodule {}", name.display())));
        self.fact.own_attributes |= told.own_attributes;
    }

    /// Whether the files of a submodule are said to lie in the repository: of others git would show what they hold.
    fn lies_inside(&self, own: &Path) -> bool {
        configured(own).iter().all(|file| {
            let text = private::read_text(file, SMALL).unwrap_or_default();
            entries(&text).into_iter().all(|(key, value)| key != WORKTREE || self.holds(&common(own), &value))
        })
    }

    fn holds(&self, from: &Path, value: &str) -> bool {
        let plain = !value.is_empty() && !value.contains(['"', '\\', '#', ';', '~', '%']);
        // One that isn't checked out has no files that could be shown.
        let inside = |at: PathBuf| self.trees.iter().flatten().any(|tree| at.starts_with(tree));
        plain && from.join(value).canonicalize().map_or(true, inside)
    }

    /// Whether a folder wasn't looked at before; notes it, and that there are too many.
    fn is_new(&mut self, at: &Path, named: bool) -> bool {
        if self.seen.len() >= MODULES {
            self.fact.foreign_keys.push("more submodules than are looked at".to_owned());
            return false;
        }
        self.seen.insert((at.canonicalize().unwrap_or_else(|_| at.to_path_buf()), named))
    }
}

/// Whether a folder is a git folder, or would pass for one.
fn is_git(folder: &Path) -> bool {
    ["HEAD", "config"].iter().any(|file| folder.join(file).symlink_metadata().is_ok())
}

/// The paths of the submodules that the indices of a git folder name.
fn in_index(own: &Path) -> Result<Vec<PathBuf>, &'static str> {
    let mut paths = Vec::new();
    let Ok(names) = std::fs::read_dir(own) else { return Ok(paths) };
    let indices = names.flatten().filter(|entry| {
        let name = entry.file_name();
        name == "index" || name.as_encoded_bytes().starts_with(b"sharedindex.")
    });
    for file in indices.map(|entry| entry.path()) {
        let bytes = private::read(&file, INDEX).map_err(|_| "an index that can't be read")?;
        if memchr::memmem::find(&bytes, &SUBMODULE).is_some() {
            let found = submodules(&bytes, 20).or_else(|| submodules(&bytes, 32));
            paths.extend(found.ok_or("submodules in an index that isn't understood")?);
        }
    }
    Ok(paths)
}

/// The paths of the submodules in an index whose hashes have a size. None if it isn't understood. From git's
/// index-format(5).
fn submodules(bytes: &[u8], hash: usize) -> Option<Vec<PathBuf>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let version = number(4).filter(|version| bytes.starts_with(b"DIRC") && (2..=4).contains(version))?;
    let mut found = Vec::new();
    let (mut at, mut name) = (12, Vec::new());
    for _ in 0..number(8)? {
        let mode = number(at + 24)?;
        let flags = at + 40 + hash;
        let extended = version > 2 && bytes.get(flags)? & 0x40 != 0;
        let mut path = flags + if extended { 4 } else { 2 };
        if version == 4 {
            let (dropped, next) = varint(bytes, path)?;
            name.truncate(name.len().checked_sub(dropped)?);
            path = next;
        } else {
            name.clear();
        }
        let length = memchr::memchr(0, bytes.get(path..)?)?;
        name.extend_from_slice(&bytes[path..path + length]);
        at = if version == 4 { path + length + 1 } else { at + ((path + length - at) / 8 + 1) * 8 };
        match mode >> 12 {
            // In a split index an entry that replaces another has no name.
            0o16 if name.is_empty() => return None,
            0o16 => found.push(PathBuf::from(std::str::from_utf8(&name).ok()?)),
            // A folder of a sparse index has nothing checked out.
            0o4 | 0o10 | 0o12 => {}
            _ => return None,
        }
    }
    // What stands behind the entries is an extension or the hash at the end.
    let rest = bytes.len().checked_sub(at)?;
    let extension = || bytes[at..at + 4].iter().all(u8::is_ascii_alphabetic);
    (rest == hash || rest > hash && extension()).then_some(found)
}

/// A number as the fourth version of the index has it, and where the next thing begins.
fn varint(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut number = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        number = number.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
    }
    Some((number, at + 1))
}

#[cfg(test)]
#[path = "submodules_tests.rs"]
mod tests;
