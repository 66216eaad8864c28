//! The names of the files that git tracks, as its index has them (gitformat-index(5)): whether one, or a part of one that
//! comes apart at a blank, may be a flag of a program that takes it. Another format is unknown.

use std::path::Path;

use super::parts::may_be_flag;
use super::repository::own;
use crate::private;

/// Largest index that is read, in bytes, and most names in it that are looked at.
const INDEX: u64 = 64 * 1024 * 1024;
const NAMES: usize = 200_000;
/// Bytes before the first entry, and in one before its id, of an id, and of what says how long the name is.
const HEADER: usize = 12;
const DATA: usize = 40;
const ID: usize = 20;
const FLAGS: usize = 2;
/// What says that two bytes more follow, and how long a name is, where that fits.
const EXTENDED: u16 = 0x4000;
const LENGTH: u16 = 0x0fff;

/// Whether a name that is tracked in the repository of a folder may be a flag, a file of flags or a file of a revision
/// (`HEAD:x`), as git names it from there or from the top; none where nobody could tell.
pub(super) fn dashed(folder: &Path) -> Option<bool> {
    let index = private::read(&own(folder)?.join("index"), INDEX).ok()?;
    let top = folder.ancestors().find(|up| up.join(".git").symlink_metadata().is_ok())?;
    told(&index, &folder.strip_prefix(top).ok()?.to_string_lossy())
}

/// Whether one of the names does, in a folder below the top.
fn told(index: &[u8], folder: &str) -> Option<bool> {
    let begins = |name: &str| name.starts_with(['+', '@']);
    let inner = |name: &str| name.strip_prefix(folder).and_then(|name| name.strip_prefix('/')).is_some_and(begins);
    let number = |at: usize| Some(u32::from_be_bytes(*index.get(at..)?.first_chunk()?));
    let version = number(4).filter(|version| index.starts_with(b"DIRC") && [2, 3].contains(version))?;
    let count = usize::try_from(number(8)?).ok().filter(|count| *count <= NAMES)?;
    let mut at = HEADER;
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
        let name = String::from_utf8_lossy(&index[start..start + length]);
        if name.split('/').any(may_be_flag) || name.contains(':') || begins(&name) || inner(&name) {
            return Some(true);
        }
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
    (index.len().checked_sub(at)? == ID).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

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
        assert_eq!(told(&index, ""), Some(false));
        for cut in 0..index.len() {
            assert_eq!(told(&index[..cut], ""), None, "{cut}");
        }
        let changed = |place: usize, byte: u8| {
            let mut index = index.clone();
            index[place] = byte;
            told(&index, "")
        };
        assert_eq!(changed(7, 4), None, "another version");
        assert_eq!(changed(11, 2), None, "more entries than there are");
        assert_eq!(changed(HEADER + DATA + ID + 1, 2), None, "another length");
        let mut split = index[..index.len() - ID].to_vec();
        split.extend_from_slice(b"link\0\0\0\x04abcd");
        split.extend_from_slice(&[0; ID]);
        assert_eq!(told(&split, ""), None, "the rest is in another file");
        git(at, &["update-index", "--index-version", "4"]);
        assert_eq!(dashed(at), None);
    }
}
