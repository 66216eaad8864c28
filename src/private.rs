//! Files for the person alone: folders and files that nobody else reads, and files that are replaced whole or not at all.

mod pending;
mod touched;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Result, Write as _};
use std::path::Path;

pub use touched::{Run, Touched, lock};

/// Makes a folder and those above it that are missing, for their owner alone; one that is there stays as it is.
///
/// # Errors
/// It can't be made.
pub fn make_folder(folder: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file as `options` say; one that is made by it is its owner's alone.
///
/// # Errors
/// It can't be opened.
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}

/// Opens a file for reading without waiting: a pipe in its place must not hold the program up.
///
/// # Errors
/// It can't be opened.
pub fn open_at_once(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::fcntl::OFlag::O_NONBLOCK.bits());
    options.read(true).open(path)
}

/// Who may read a file that is replaced. A new one is its owner's alone in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Its owner alone.
    Private,
    /// Whoever could before.
    Kept,
}

/// Replaces a file whole or not at all, and makes its folder for its owner alone where there is none. A link stays, and
/// what it leads to is replaced.
///
/// # Errors
/// It can't be written; then it is as it was.
pub fn replace(path: &Path, text: &[u8], rights: Rights) -> Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.new", std::process::id()));
    // Of a program that was killed and had the same number.
    let _left_over = std::fs::remove_file(&beside);
    let mut file = open(&beside, OpenOptions::new().write(true).create_new(true))?;
    let written = file.write_all(text).and_then(|()| file.sync_all()).and_then(|()| {
        if let (Rights::Kept, Ok(about)) = (rights, std::fs::metadata(&path)) {
            file.set_permissions(about.permissions())?;
        }
        std::fs::rename(&beside, &path)
    });
    if written.is_err() {
        // It is of no use to anybody.
        let _gone = std::fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_file_is_replaced_through_its_link_with_its_rights_and_a_new_one_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let new = folder.path().join("deep/er/file.toml");
        replace(&new, b"one", Rights::Kept).unwrap();
        assert_eq!((rights(&new), rights(new.parent().unwrap())), (0o600, 0o700));
        let shared = folder.path().join("shared.json");
        std::fs::write(&shared, "{}").unwrap();
        std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o644)).unwrap();
        let link = folder.path().join("link.json");
        std::os::unix::fs::symlink(&shared, &link).unwrap();
        replace(&link, b"[]", Rights::Kept).unwrap();
        assert!(link.is_symlink() && std::fs::read(&shared).unwrap() == b"[]");
        assert_eq!(rights(&shared), 0o644);
        replace(&link, b"{}", Rights::Private).unwrap();
        assert_eq!(rights(&shared), 0o600);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left beside them");
    }

    #[test]
    fn what_cannot_be_replaced_stays_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        std::fs::create_dir_all(taken.join("in the way")).unwrap();
        assert!(replace(&taken, b"text", Rights::Private).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
