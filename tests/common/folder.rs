//! What stands in a folder, so that a test can tell whether anything changed it.

#![allow(dead_code)] // each test binary uses its own part

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Each path below a folder with its mode, time of change and content. The folder itself is `.`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<String, (u32, i64, i64, Vec<u8>)>);

impl Snapshot {
    /// Looks at everything below a folder. Follows no link.
    pub fn of(folder: &Path) -> Self {
        let mut found = BTreeMap::new();
        look(folder, folder, &mut found);
        Self(found)
    }

    /// The paths that differ, each with how.
    pub fn changes(&self, later: &Self) -> Vec<String> {
        let gone = self.0.keys().filter(|path| !later.0.contains_key(*path)).map(|path| format!("gone: {path}"));
        let other = later.0.iter().filter_map(|(path, now)| match self.0.get(path) {
            None => Some(format!("new: {path}")),
            Some(before) if before.3 != now.3 => Some(format!("content: {path}")),
            Some(before) if before.0 != now.0 => Some(format!("mode: {path}")),
            Some(before) if before != now => Some(format!("time: {path}")),
            Some(_) => None,
        });
        gone.chain(other).collect()
    }
}

fn look(root: &Path, path: &Path, found: &mut BTreeMap<String, (u32, i64, i64, Vec<u8>)>) {
    let Ok(data) = path.symlink_metadata() else { return };
    let content = if data.is_file() {
        std::fs::read(path).unwrap_or_default()
    } else if data.is_symlink() {
        std::fs::read_link(path).unwrap_or_default().into_os_string().into_encoded_bytes()
    } else {
        Vec::new()
    };
    let name = path.strip_prefix(root).ok().filter(|name| *name != Path::new("")).unwrap_or(Path::new("."));
    let entry = (data.permissions().mode(), data.mtime(), data.mtime_nsec(), content);
    found.insert(name.to_string_lossy().into_owned(), entry);
    if data.is_dir() {
        for entry in path.read_dir().into_iter().flatten().flatten() {
            look(root, &entry.path(), found);
        }
    }
}
