//! Whether the names of a repository's branches and tags may be taken for flags. Read from its files, as git keeps them
//! (gitrepository-layout(5)); another format is unknown.

use std::path::Path;

use super::repository::{common, pointed};
use crate::private::{self, SMALL};

/// Most entries of the folders of names that are looked through, and most bytes of the packed ones.
const ENTRIES: usize = 20_000;
const PACKED: u64 = 16 * 1024 * 1024;

/// Whether no branch, tag or other name of the repository in a folder has a part that begins with a dash. False where
/// nobody could tell.
pub(super) fn plain(folder: &Path) -> bool {
    let named = folder.ancestors().map(|up| up.join(".git")).find(|git| git.symlink_metadata().is_ok());
    let Some(own) = named.map(|git| pointed(&git).unwrap_or(git)) else { return false };
    let common = common(&own);
    let mut left = ENTRIES;
    let head = private::read_text(&own.join("HEAD"), SMALL);
    // Elsewhere lists of branches say in free words where it stands.
    let steady = ["rebase-merge", "rebase-apply", "BISECT_START"].iter().all(|state| !own.join(state).exists());
    steady
        && head.is_ok_and(|head| head.starts_with("ref: refs/heads/") && !head.contains("/-"))
        && !common.join("reftable").exists()
        && packed(&common.join("packed-refs"))
        && [common.join("refs"), own.join("refs")].iter().all(|folder| loose(folder, &mut left))
}

fn packed(file: &Path) -> bool {
    match private::read(file, PACKED) {
        Ok(bytes) => !bytes.windows(2).any(|pair| pair == b"/-"),
        Err(_) => file.metadata().is_err(),
    }
}

fn loose(folder: &Path, left: &mut usize) -> bool {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Some(fewer) = left.checked_sub(1) else { return false };
            *left = fewer;
            if entry.file_name().as_encoded_bytes().starts_with(b"-") {
                return false;
            }
            // Which branch a remote has by default is a name in it, whether or not that is there.
            if entry.file_name() == "HEAD" {
                let target = private::read(&entry.path(), SMALL).unwrap_or_default();
                if !target.starts_with(b"ref: refs/") || target.windows(2).any(|pair| pair == b"/-") {
                    return false;
                }
            }
            if entry.file_type().is_ok_and(|kind| !kind.is_file()) {
                folders.push(entry.path());
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_name_that_may_be_a_flag_is_seen_wherever_git_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        assert!(!plain(folder.path()), "no repository");
        std::fs::create_dir_all(git.join("refs/heads/x")).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(git.join("refs/heads/x/a-b"), "").unwrap();
        std::fs::write(git.join("packed-refs"), "# pack-refs\n0123 refs/tags/v1-rc\n").unwrap();
        assert!(plain(&folder.path().join("deep")), "found from below");
        for (file, text) in [
            ("packed-refs", "0123 refs/tags/--output=x\n"),
            ("HEAD", "ref: refs/heads/--output=x\n"),
            ("refs/tags/-x", ""),
            ("refs/remotes/-x/main", ""),
            ("refs/remotes/x/HEAD", "ref: refs/heads/--output=x\n"),
            ("refs/remotes/x/HEAD", "ref: --output=x\n"),
            ("reftable/tables.list", ""),
            ("HEAD", "0123456789012345678901234567890123456789\n"),
            ("rebase-merge/head-name", "refs/heads/x --output=y"),
        ] {
            let path = git.join(file);
            let before = std::fs::read(&path).ok();
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            assert!(!plain(folder.path()), "{file}");
            match before {
                Some(before) => std::fs::write(&path, before).unwrap(),
                None if file.starts_with('r') && !file.starts_with("refs") => {
                    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
                }
                None => std::fs::remove_dir_all(git.join(file.rsplit_once('/').unwrap().0)).unwrap(),
            }
        }
        assert!(plain(folder.path()));
    }
}
