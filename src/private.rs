//! Files for the person alone: folders and files that nobody else reads, and files that are replaced whole or not at all.

mod pending;
mod touched;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::path::Path;

pub use touched::{Run, Touched, lock};

/// Largest file of rules or of git's that is read, in bytes.
pub const SMALL: u64 = 256 * 1024;

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

/// Opens a regular file for reading, and nothing else that stands in its place.
///
/// # Errors
/// It is none, or can't be opened.
pub fn open_regular(path: &Path) -> Result<File> {
    let odd = || Error::new(ErrorKind::InvalidInput, "it is no regular file");
    // To open a device may do something already.
    if !path.metadata()?.is_file() {
        return Err(odd());
    }
    let file = open_at_once(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(odd()) }
}

/// Reads a regular file whole, if it has no more bytes than `most`. Whoever can write to a folder may put a pipe there,
/// or a link to a device that has no end.
///
/// # Errors
/// It is longer or no regular file, or it can't be read.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let long = || Error::new(ErrorKind::FileTooLarge, format!("it is longer than {most} bytes"));
    let file = open_regular(path)?;
    if file.metadata()?.len() > most {
        return Err(long());
    }
    let mut bytes = Vec::new();
    // It may grow meanwhile, and what the kernel makes up as it is read has no length.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(long()) } else { Ok(bytes) }
}

/// The same of a text.
///
/// # Errors
/// As for `read`, or it is no text.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}

/// The same; none where there is no such file. One that is there and can't be read isn't taken for absent: others may
/// read it.
///
/// # Errors
/// As for `read_text`.
pub fn read_if_there(path: &Path, most: u64) -> Result<Option<String>> {
    match read_text(path, most) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        read => read.map(Some),
    }
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

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_or_waits_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        assert_eq!(read_text(&at("link"), 4).unwrap(), "text");
        assert_eq!(read(&at("file"), 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        std::os::unix::fs::symlink("/dev/zero", at("endless")).unwrap();
        nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        for name in ["endless", "pipe", "."] {
            assert_eq!(read(&at(name), 1024).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
        }
        // It says that it has no bytes.
        assert!(read(Path::new("/proc/self/maps"), 16).is_err());
        assert_eq!(read(&at("none"), 16).unwrap_err().kind(), ErrorKind::NotFound);
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
