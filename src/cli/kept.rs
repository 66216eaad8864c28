//! The files of databases whose rows stay with the person. What holds for their rows in SQL holds for the files: another
//! program that reads one would tell the model what was kept from it.

use std::path::{Path, PathBuf};

use secrecy::ExposeSecret as _;

use crate::config::{Settings, process_environment};
use crate::tools::Connections;

/// What SQLite writes beside a database, which holds its rows, too.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// These files of the connections with `results = "local"`, as they are spelled and after links.
pub(super) fn kept(settings: &Settings) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for (name, connection) in settings.connections.iter().filter(|(_, connection)| connection.local_results) {
        for source in std::iter::once(&connection.url).chain(&connection.read_url) {
            let Ok(url) = source.read(name, &process_environment) else { continue };
            let Ok(address) = Connections::parse_url(url.expose_secret()) else { continue };
            files.extend(address.file().into_iter().flat_map(spellings));
        }
    }
    files.sort();
    files.dedup();
    files
}

/// A database's files by each of its names: the one that is written, and the one after links.
fn spellings(file: &Path) -> impl Iterator<Item = PathBuf> {
    let names = [std::path::absolute(file).ok(), real(file)];
    names.into_iter().flatten().flat_map(|name| {
        let beside = |end: &str| {
            let mut name = name.clone().into_os_string();
            name.push(end);
            PathBuf::from(name)
        };
        let beside: Vec<_> = BESIDE.into_iter().map(beside).collect();
        std::iter::once(name).chain(beside)
    })
}

/// Where a file really is, or will be.
fn real(file: &Path) -> Option<PathBuf> {
    file.canonicalize().ok().or_else(|| {
        let folder = std::path::absolute(file).ok()?.parent()?.canonicalize().ok()?;
        Some(folder.join(file.file_name()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Folders;

    #[test]
    fn the_files_of_a_database_are_kept_where_its_rows_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("real.db"), "").unwrap();
        std::os::unix::fs::symlink("real.db", root.join("link.db")).unwrap();
        let at = |name: &str| root.join(name);
        let text = format!(
            "[connections.a]\nurl = 'sqlite:{}?mode=rw'\nresults = 'local'\n[connections.b]\nurl = 'sqlite:{}'\n\
             [connections.c]\nurl = 'sqlite::memory:'\nresults = 'local'\n\
             [connections.d]\nurl = 'sqlite:{}'\nresults = 'local'",
            at("link.db").display(),
            at("open.db").display(),
            at("x/../new.db").display(),
        );
        std::fs::create_dir(at("x")).unwrap();
        let folders = Folders::find(None, &|_| Some(at("data").display().to_string())).unwrap();
        let (settings, problems) = Settings::parse(&text, &folders);
        assert!(problems.is_empty(), "{problems:?}");
        let kept = kept(&settings);
        for name in ["real.db", "real.db-wal", "link.db", "link.db-journal", "new.db", "new.db-shm"] {
            assert!(kept.contains(&at(name)), "{name}: {kept:?}");
        }
        assert!(!kept.iter().any(|file| file.starts_with(at("open.db"))));
    }
}
