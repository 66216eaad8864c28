//! Saves what the person looks at where the person said: a file of its own inside the workspace, for its owner alone.
//! Nothing is ever replaced, and no link is followed. It is the person's own act, typed by hand; no model can ask for it.

use std::fs::File;
use std::path::{Component, Path};

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;

use super::nolink;

/// Makes the file.
///
/// # Errors
/// The path leads out of the workspace, through a link, or to something that is there; in a sentence.
pub fn create(workspace: &Path, path: &str) -> Result<File, String> {
    let given = Path::new(path);
    let inner = given.strip_prefix(workspace).unwrap_or(given);
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let (Some(name), true) = (inner.file_name(), inner.components().all(plain)) else {
        return Err(format!("{path} is not inside the workspace: name a file in {}.", workspace.display()));
    };
    let inside: std::path::PathBuf =
        inner.parent().into_iter().flat_map(Path::components).filter(|part| *part != Component::CurDir).collect();
    let why = |errno: nix::errno::Errno| match errno {
        nix::errno::Errno::EEXIST => format!("{path} is there already; nothing is replaced. Name another file."),
        nix::errno::Errno::ENOENT => format!("{path} can't be made: its folder isn't there."),
        nix::errno::Errno::ELOOP | nix::errno::Errno::ENOTDIR => format!("{path} leads through a link or a file."),
        other => format!("{path} can't be made: {}.", other.desc()),
    };
    let folder = nolink::folder(&workspace.join(inside), false).map_err(why)?;
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(folder, name, flags, Mode::S_IRUSR | Mode::S_IWUSR).map(File::from).map_err(why)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_new_files_inside_the_workspace_are_made() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let workspace = root.join("workspace");
        std::fs::create_dir_all(workspace.join("sub")).unwrap();
        std::os::unix::fs::symlink(&root, workspace.join("out")).unwrap();
        std::fs::write(workspace.join("there"), "old").unwrap();
        for good in ["a.txt", "./sub/b.txt", &workspace.join("c.txt").display().to_string()] {
            assert!(create(&workspace, good).is_ok(), "{good}");
        }
        assert_eq!(workspace.join("a.txt").metadata().unwrap().permissions().mode() & 0o777, 0o600);
        for bad in ["there", "../x", "/etc/x", "out/x", "sub/../../x", "none/x", "", ".", "a.txt"] {
            assert!(create(&workspace, bad).is_err(), "{bad}");
        }
        assert_eq!(std::fs::read_to_string(workspace.join("there")).unwrap(), "old");
    }
}
