//! Where paths lead after links. Before every start some hundred paths are asked for that lie in a few folders, and most
//! of which aren't there: as long as such a folder doesn't change, they are not looked at again.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::stamp::Stamp;

/// Most paths that are remembered.
const MOST: usize = 4096;
/// Where the kernel makes folders up, which change without a sign.
const MADE_UP: [&str; 2] = ["/proc", "/sys"];

/// What was seen of paths.
#[derive(Debug, Default)]
pub struct Leads(Mutex<HashMap<PathBuf, Seen>>);

/// A path that is no link: whether it is there, as long as its folder has this stamp.
#[derive(Debug)]
struct Seen {
    within: Stamp,
    there: bool,
}

/// A folder as it is now.
#[derive(Clone, Debug)]
struct Folder {
    real: PathBuf,
    stamp: Option<Stamp>,
}

impl Leads {
    /// Where absolute paths lead after links, those that lead somewhere.
    pub fn real<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>) -> Vec<PathBuf> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() > MOST {
            seen.clear();
        }
        let mut look = Look { seen: &mut seen, folders: HashMap::new() };
        paths.into_iter().filter_map(|path| look.real(path.as_ref())).collect()
    }
}

/// One look at many paths. Each folder is looked at once.
struct Look<'a> {
    seen: &'a mut HashMap<PathBuf, Seen>,
    folders: HashMap<PathBuf, Option<Folder>>,
}

impl Look<'_> {
    fn real(&mut self, path: &Path) -> Option<PathBuf> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return path.canonicalize().ok() };
        let folder = self.folder(folder)?;
        let here = folder.real.join(name);
        if let Some(seen) = self.seen.get(&here)
            && folder.stamp == Some(seen.within)
        {
            return seen.there.then_some(here);
        }
        let about = here.symlink_metadata().ok();
        if about.as_ref().is_some_and(fs::Metadata::is_symlink) {
            self.seen.remove(&here);
            return here.canonicalize().ok();
        }
        let there = about.is_some();
        if let Some(within) = folder.stamp {
            self.seen.insert(here.clone(), Seen { within, there });
        }
        there.then_some(here)
    }

    fn folder(&mut self, path: &Path) -> Option<Folder> {
        if let Some(known) = self.folders.get(path) {
            return known.clone();
        }
        let found = self.real(path).and_then(|real| {
            let about = real.symlink_metadata().ok().filter(fs::Metadata::is_dir)?;
            let made_up = MADE_UP.iter().any(|made_up| real.starts_with(made_up));
            Some(Folder { stamp: Stamp::settled(&about).filter(|_| !made_up), real })
        });
        self.folders.insert(path.to_path_buf(), found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(leads: &Leads, path: &Path) -> Option<PathBuf> {
        leads.real([path]).pop()
    }

    #[test]
    fn a_path_leads_where_the_system_says() {
        let kept = tempfile::tempdir().unwrap();
        let root = kept.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/file"), "").unwrap();
        let links = [("a", "link"), ("gone", "broken"), ("loop", "loop"), ("../a/b", "a/back")];
        for (to, at) in links {
            std::os::unix::fs::symlink(to, root.join(at)).unwrap();
        }
        let names = [
            "",
            "a",
            "a/b",
            "a/file",
            "link",
            "link/b",
            "a/back",
            "a/back/..",
            "broken",
            "loop/x",
            "none/x",
            "a/file/x",
        ];
        let leads = Leads::default();
        std::thread::sleep(std::time::Duration::from_millis(60));
        for _ in 0..2 {
            let paths = names.iter().map(|name| root.join(name));
            for path in paths.chain(["/".into(), "/..".into(), "/proc/self/cwd".into()]) {
                assert_eq!(real(&leads, &path), path.canonicalize().ok(), "{}", path.display());
            }
        }
    }

    #[test]
    fn what_comes_goes_or_becomes_a_link_is_seen() {
        let kept = tempfile::tempdir().unwrap();
        let root = kept.path().canonicalize().unwrap();
        let (secret, other) = (root.join("a/secret"), root.join("other"));
        fs::create_dir_all(root.join("a")).unwrap();
        fs::create_dir_all(&other).unwrap();
        let leads = Leads::default();
        let changes: [&dyn Fn(); 5] = [
            &|| fs::create_dir(&secret).unwrap(),
            &|| fs::remove_dir(&secret).unwrap(),
            &|| std::os::unix::fs::symlink(&other, &secret).unwrap(),
            &|| fs::rename(root.join("a"), root.join("b")).unwrap(),
            &|| std::os::unix::fs::symlink("b", root.join("a")).unwrap(),
        ];
        for settles in [true, false] {
            for change in changes {
                if settles {
                    std::thread::sleep(std::time::Duration::from_millis(60));
                }
                assert_eq!(real(&leads, &secret), secret.canonicalize().ok());
                change();
                assert_eq!(real(&leads, &secret), secret.canonicalize().ok());
            }
            fs::remove_file(root.join("a")).unwrap();
            fs::rename(root.join("b"), root.join("a")).unwrap();
            fs::remove_file(&secret).unwrap();
        }
    }
}
