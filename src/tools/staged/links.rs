//! Where a link that a run made leads. What the run changed may be put in place in part only: the rest waits, and what
//! stood before stands on. So each name of a path may be what the layer has, or what the workspace has; a link leads out
//! if it does in any mix of the two.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// Most names that are looked up for one link, all its ways together.
const STEPS: usize = 1_000;

/// What a name may be.
#[derive(PartialEq, Eq)]
enum Named {
    Nothing,
    /// A file, or what stands for something deleted: it leads nowhere.
    End,
    Folder,
    Link(PathBuf),
}

/// A path that is being walked: the names that are behind, none of them a link, and those that are still to come.
struct Walk {
    behind: Vec<OsString>,
    /// Whether what is behind is a folder.
    folder: bool,
    ahead: Vec<OsString>,
}

/// Whether a link at a path may lead out of the workspace, now or once something in between becomes another link. What
/// can't be followed to its end does.
pub(super) fn leads_out(upper: &Path, workspace: &Path, path: &Path, target: &Path) -> bool {
    let Some(folder) = path.parent() else { return true };
    // By its letters it would stay, but what a name leads to is another's to say, also after it was looked at.
    let mut named = false;
    for part in target.components() {
        match part {
            Component::Normal(_) => named = true,
            Component::ParentDir if named => return true,
            Component::ParentDir | Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    let start = Walk { behind: folder.iter().map(OsStr::to_owned).collect(), folder: true, ahead: names(target) };
    let mut walks = vec![start];
    let mut steps = 0;
    while let Some(walk) = walks.pop() {
        steps += 1;
        if steps > STEPS {
            return true;
        }
        match walk.step(upper, workspace) {
            Some(next) => walks.extend(next),
            None => return true,
        }
    }
    false
}

impl Walk {
    /// Goes on by one name. None if that leads out, or nowhere that is known.
    fn step(mut self, upper: &Path, workspace: &Path) -> Option<Vec<Self>> {
        let Some(name) = self.ahead.pop() else { return Some(Vec::new()) };
        if name == ".." {
            if !self.folder {
                return None;
            }
            self.behind.pop()?;
            return Some(vec![self]);
        }
        let at: PathBuf = self.behind.iter().collect::<PathBuf>().join(&name);
        let (made, stood) = (look(&upper.join(&at))?, look(&workspace.join(&at))?);
        let made = (made != Named::Nothing && made != stood).then_some(made);
        let mut next = Vec::new();
        for named in made.into_iter().chain([stood]) {
            let (mut behind, mut ahead) = (self.behind.clone(), self.ahead.clone());
            let folder = match named {
                Named::Link(target) => {
                    ahead.extend(within(&target, workspace, &mut behind)?);
                    true
                }
                Named::Folder | Named::End | Named::Nothing => {
                    behind.push(name.clone());
                    matches!(named, Named::Folder)
                }
            };
            next.push(Self { behind, folder, ahead });
        }
        Some(next)
    }
}

/// The names of a link's target in the order in which they are taken from the end. One that begins at the root starts
/// from the workspace, if it leads there.
fn within(target: &Path, workspace: &Path, behind: &mut Vec<OsString>) -> Option<Vec<OsString>> {
    if !target.is_absolute() {
        return Some(names(target));
    }
    behind.clear();
    target.strip_prefix(workspace).ok().map(names)
}

/// The names of a path, the last one first.
fn names(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

/// What stands at a path. None if that can't be told.
fn look(path: &Path) -> Option<Named> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match path.symlink_metadata() {
        Ok(about) if about.is_symlink() => path.read_link().ok().map(Named::Link),
        Ok(about) if about.is_dir() => Some(Named::Folder),
        Ok(_) => Some(Named::End),
        Err(error) if [NotFound, NotADirectory].contains(&error.kind()) => Some(Named::Nothing),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    use super::*;

    /// A layer over a workspace.
    fn ground() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (upper, workspace) = (root.join("upper"), root.join("work"));
        create_dir_all(&upper).unwrap();
        create_dir_all(&workspace).unwrap();
        (folder, upper, workspace)
    }

    #[test]
    fn a_link_leads_out_through_what_the_run_made_and_what_stood_there() {
        let (_folder, upper, work) = ground();
        let out = |at: &str, target: &str| leads_out(&upper, &work, Path::new(at), Path::new(target));
        create_dir_all(upper.join("q/q/q/q/q")).unwrap();
        symlink("../../../../..", upper.join("q/q/q/q/q/top")).unwrap();
        create_dir_all(upper.join("k")).unwrap();
        symlink("..", upper.join("k/up")).unwrap();
        symlink("deep/../../x", upper.join("k/back")).unwrap();
        symlink("a", upper.join("b")).unwrap();
        symlink("b", upper.join("a")).unwrap();
        symlink("/etc", work.join("stood")).unwrap();
        create_dir_all(upper.join("stood")).unwrap();
        create_dir_all(work.join("made")).unwrap();
        symlink("../..", upper.join("made")).unwrap();
        symlink(work.join("made"), work.join("whole")).unwrap();
        symlink("made/../../x", work.join("old")).unwrap();
        symlink("gone/../x", work.join("lost")).unwrap();
        for (at, target) in [
            ("x", "/etc"),
            ("x", "../x"),
            ("k/x", "../../x"),
            ("docs", "q/q/q/q/q/top/../../../../.."),
            ("tricky", "k/up/../outside"),
            ("x", "new/../../x"),
            ("x", "new/../y"),
            ("x", "k/back"),
            ("x", "a"),
            ("x", "stood/passwd"),
            ("x", "made/y"),
            ("x", "whole"),
            ("x", "old"),
            ("x", "lost"),
        ] {
            assert!(out(at, target), "{at} -> {target}");
        }
    }

    #[test]
    fn a_link_within_is_one_however_it_gets_there() {
        let (_folder, upper, work) = ground();
        let out = |at: &str, target: &str| leads_out(&upper, &work, Path::new(at), Path::new(target));
        create_dir_all(upper.join("k/deep")).unwrap();
        symlink("..", upper.join("k/up")).unwrap();
        symlink("../made/..", upper.join("k/back")).unwrap();
        create_dir_all(work.join("made")).unwrap();
        symlink(work.join("made"), work.join("whole")).unwrap();
        write(work.join("file"), "").unwrap();
        for (at, target) in [
            ("x", "k"),
            ("x", "new/y"),
            ("x", "."),
            ("k/deep/x", "../../file"),
            ("x", "k/up/k/up/file"),
            ("x", "k/back"),
            ("x", "whole/y"),
            ("node_modules/.bin/x", "../x/cli.js"),
        ] {
            assert!(!out(at, target), "{at} -> {target}");
        }
    }
}
