//! The plan of a layer: where the changes of a staged command land in place of its workspace, and which workspaces
//! can have one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A copy-on-write layer over a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// Root of the workspace, after links.
    #[serde(with = "crate::domain::path")]
    pub workspace: PathBuf,
    /// The folder that holds what was changed, and the kernel's room to work in. Nothing in it is seen inside.
    #[serde(with = "crate::domain::path")]
    pub folder: PathBuf,
}

impl Layer {
    /// What was changed.
    #[must_use]
    pub fn upper(&self) -> PathBuf {
        self.folder.join("upper")
    }

    /// The kernel's room to work in.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.folder.join("work")
    }
}

/// Whether a workspace can have a layer at all; `own` are the program's files and folders.
///
/// # Errors
/// One sentence without its end: why it can't.
pub fn stageable(workspace: &Path, home: Option<&Path>, own: &[PathBuf]) -> Result<(), String> {
    if workspace.parent().is_none() {
        return Err("the workspace is the whole disk".to_owned());
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if home.is_some_and(|home| real(home).starts_with(workspace)) {
        return Err("the workspace is the home folder or lies above it".to_owned());
    }
    if own.iter().any(|own| real(own).starts_with(workspace)) {
        return Err("the workspace lies above folders of the program itself".to_owned());
    }
    let mounts =
        std::fs::read_to_string("/proc/self/mountinfo").map_err(|error| format!("mounts are unknown: {error}"))?;
    match mounts.lines().filter_map(mounted).find(|at| at.starts_with(workspace) && at != workspace) {
        // Nobody without rights may look at what lies below such a mount, and a layer would: the kernel refuses it.
        Some(at) => Err(format!("another disk is mounted at {} in the workspace", at.display())),
        None => Ok(()),
    }
}

/// Where a line of `mountinfo` says that something is mounted. Blanks and the like are written as octal numbers there.
fn mounted(line: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let field = line.split(' ').nth(4)?.as_bytes();
    let mut path = Vec::with_capacity(field.len());
    let mut at = 0;
    while let Some(byte) = field.get(at) {
        let number = field.get(at + 1..at + 4).filter(|_| *byte == b'\\');
        let number = number.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        path.push(number.unwrap_or(*byte));
        at += if number.is_some() { 4 } else { 1 };
    }
    Some(std::ffi::OsString::from_vec(path).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_of_its_own_can_have_a_layer() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (work, home, own) = (root.join("work"), root.join("home"), root.join("home/data"));
        std::fs::create_dir_all(&work).unwrap();
        std::fs::create_dir_all(&own).unwrap();
        let refused = |workspace: &Path| stageable(workspace, Some(&home), std::slice::from_ref(&own)).unwrap_err();
        assert!(stageable(&work, Some(&home), std::slice::from_ref(&own)).is_ok());
        assert!(stageable(&own.join("practice"), Some(&home), std::slice::from_ref(&own)).is_ok());
        assert!(refused(Path::new("/")).contains("whole disk"));
        assert!(refused(&home).contains("home folder") && refused(&root).contains("home folder"));
        assert!(stageable(&home, None, std::slice::from_ref(&own)).unwrap_err().contains("program itself"));
    }

    #[test]
    fn a_place_with_blanks_is_read_as_it_is() {
        let line = r"36 35 98:0 /mnt1 /mnt/a\040b\134c rw,noatime master:1 - ext3 /dev/root rw";
        assert_eq!(mounted(line), Some(r"/mnt/a b\c".into()));
    }
}
