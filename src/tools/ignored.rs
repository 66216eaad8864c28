//! What `.gitignore` names: nested, negated, and by the folders above. For both searches, and for what is a build product.
//! Whoever writes to a workspace writes these files, and git brings them: one that is no regular file, or too long, names
//! nothing and holds nobody up.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::repository::{common, pointed};
use crate::private::{self, SMALL};

/// A file that says what git leaves aside.
pub(super) const IGNORED: &str = ".gitignore";

/// The rules of the folders on the way to what is asked about, as they stand there.
#[derive(Debug)]
pub(super) struct Ignored {
    /// The outermost folder whose rules count.
    root: PathBuf,
    /// Whether `.ignore` counts, as for searches, and what the person leaves aside everywhere.
    everywhere: Option<Gitignore>,
    /// Each folder lies in the one before.
    levels: Vec<Level>,
}

/// The rules of one folder.
#[derive(Debug)]
struct Level {
    folder: PathBuf,
    /// Of `.ignore`.
    searches: Gitignore,
    git: Gitignore,
    /// Of a repository, that are not part of its files.
    exclude: Gitignore,
    /// The folders around a repository have no say in it.
    repository: bool,
}

impl Ignored {
    /// What git leaves aside below a folder.
    pub(super) fn by_git(root: PathBuf) -> Self {
        Self { root, everywhere: None, levels: Vec::new() }
    }

    /// What searches leave out, wherever they look.
    pub(super) fn by_searches() -> Self {
        Self { everywhere: Some(Gitignore::global().0), ..Self::by_git(PathBuf::from("/")) }
    }

    /// Whether the rules name what stands at a path. What lies in a folder that they name isn't asked about.
    pub(super) fn name(&mut self, path: &Path, folder: bool) -> bool {
        let Some(parent) = path.parent().filter(|parent| parent.starts_with(&self.root)) else { return false };
        self.go_to(parent);
        let levels = || self.levels.iter().rev().filter(|level| parent.starts_with(&level.folder));
        let within = levels().position(|level| level.repository).map_or(usize::MAX, |at| at + 1);
        let told = |rules: &Gitignore| match rules.matched(path, folder) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        };
        let searches = levels().filter(|_| self.everywhere.is_some()).find_map(|level| told(&level.searches));
        let git = || levels().take(within).find_map(|level| told(&level.git));
        let exclude = || levels().take(within).find_map(|level| told(&level.exclude));
        let everywhere = || self.everywhere.as_ref().and_then(told);
        searches.or_else(git).or_else(exclude).or_else(everywhere).unwrap_or(false)
    }

    /// Whether some rule admits again what stands at a path, whatever others say of it.
    pub(super) fn admit(&mut self, path: &Path, folder: bool) -> bool {
        let Some(parent) = path.parent().filter(|parent| parent.starts_with(&self.root)) else { return false };
        self.go_to(parent);
        let mut levels = self.levels.iter().filter(|level| parent.starts_with(&level.folder));
        levels.any(|level| {
            [&level.searches, &level.git, &level.exclude].iter().any(|rules| rules.matched(path, folder).is_whitelist())
        })
    }

    /// Whether the rules name a folder, or one that it lies in.
    pub(super) fn hold(&mut self, folder: &Path) -> bool {
        let mut way: Vec<&Path> = folder.ancestors().take_while(|up| **up != self.root).collect();
        way.reverse();
        way.into_iter().any(|up| self.name(up, true))
    }

    /// Reads the rules of a folder and of those that it lies in. Those of folders below it are kept.
    fn go_to(&mut self, folder: &Path) {
        let apart = |level: &Level| !folder.starts_with(&level.folder) && !level.folder.starts_with(folder);
        self.levels.truncate(self.levels.iter().position(apart).unwrap_or(self.levels.len()));
        let mut missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|up| {
                up.starts_with(&self.root) && self.levels.last().is_none_or(|last| !last.folder.starts_with(up))
            })
            .collect();
        missing.reverse();
        self.levels.extend(missing.into_iter().map(|folder| Level::of(folder, self.everywhere.is_some())));
    }
}

impl Level {
    fn of(folder: &Path, searches: bool) -> Self {
        let git = folder.join(".git");
        let repository = git.symlink_metadata().is_ok();
        let exclude = || common(&pointed(&git).unwrap_or_else(|| git.clone())).join("info/exclude");
        Self {
            folder: folder.to_path_buf(),
            searches: if searches { rules(folder, &folder.join(".ignore")) } else { Gitignore::empty() },
            git: rules(folder, &folder.join(IGNORED)),
            exclude: if repository { rules(folder, &exclude()) } else { Gitignore::empty() },
            repository,
        }
    }
}

/// The rules of a file, for what lies in a folder.
fn rules(folder: &Path, file: &Path) -> Gitignore {
    let Ok(bytes) = private::read(file, SMALL) else { return Gitignore::empty() };
    let mut builder = GitignoreBuilder::new(folder);
    for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
        // A line that can't be read names nothing.
        let _unread = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    #[test]
    fn the_nearest_rules_decide_and_those_around_a_repository_have_no_say_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join("own/.git/info")).unwrap();
        fs::write(root.join(IGNORED), "\u{feff}*.log\nout/\n/top\n").unwrap();
        fs::write(root.join("a/.gitignore"), "!kept.log\n/b/one\n").unwrap();
        fs::write(root.join("a/.ignore"), "!*.log\n").unwrap();
        fs::write(root.join("own/.git/info/exclude"), "apart\n").unwrap();
        let (mut git, mut searches) = (Ignored::by_git(root.clone()), Ignored::by_searches());
        for (path, by_git, by_searches) in [
            ("x.log", true, true),
            ("a/x.log", true, false),
            ("a/b/kept.log", false, false),
            ("a/b/one", true, true),
            ("a/one", false, false),
            ("top", true, true),
            ("a/top", false, false),
            ("out", true, true),
            ("own/x.log", false, false),
            ("own/deep/apart", true, true),
            ("a/apart", false, false),
        ] {
            let path = root.join(path);
            assert_eq!(
                (git.name(&path, true), searches.name(&path, true)),
                (by_git, by_searches),
                "{}",
                path.display()
            );
        }
        assert!(
            git.hold(&root.join("a/out/deep/er")) && !git.hold(&root.join("a/b")) && git.hold(&root.join("x.log/y"))
        );
    }

    #[test]
    fn rules_without_end_and_a_pipe_name_nothing_and_hold_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, other) in [("a", "b"), ("c", "d")] {
            fs::create_dir_all(root.join(name)).unwrap();
            symlink("/dev/zero", root.join(name).join(IGNORED)).unwrap();
            mkfifo(&root.join(name).join(".ignore"), Mode::S_IRWXU).unwrap();
            fs::create_dir_all(root.join(other)).unwrap();
            fs::write(root.join(other).join(IGNORED), "x").unwrap();
        }
        let mut ignored = Ignored::by_searches();
        for (path, named) in [("a/x", false), ("b/x", true), ("c/x", false), ("d/x", true)] {
            assert_eq!(ignored.name(&root.join(path), false), named, "{path}");
        }
        fs::write(root.join("a").join("long"), vec![b'x'; 300 * 1024]).unwrap();
        symlink("long", root.join("a/.gitignore2")).unwrap();
        assert!(rules(&root, &root.join("a/.gitignore2")).is_empty());
    }
}
