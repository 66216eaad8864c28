//! Files of the workspace that say something to this program: `AGENTS.md` for the model, `.countersign/config.toml`. Read
//! only as regular files inside, through no link, and only so far.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use super::Trusted;

/// Most bytes of `AGENTS.md` that the model gets.
const NOTES_CAP: u64 = 32 * 1024;
/// Its name.
const NOTES: &str = "AGENTS.md";

/// The project's own notes for whoever works on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// The text, without control characters and hidden letters.
    pub text: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// Whether there is more than is taken.
    pub cut: bool,
    /// Letters that mark where it begins and ends, which its own text can't foretell.
    pub mark: String,
}

/// The notes of a workspace, if it has any; or why they can't be read.
///
/// # Errors
/// In one sentence: it is a link, no regular file, or can't be read.
pub fn instructions(workspace: &Path) -> Result<Option<Instructions>, String> {
    let Some((bytes, length)) = inside(workspace, Path::new(NOTES), NOTES_CAP)? else { return Ok(None) };
    let raw = String::from_utf8_lossy(&bytes);
    let text: String = raw.chars().filter(|letter| !hidden(*letter)).collect();
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mark = Trusted::digest(&format!("{}{text}", workspace.display()))[..12].to_owned();
    Ok(Some(Instructions { text, bytes: length, cut: length > NOTES_CAP, mark }))
}

/// The first bytes of a regular file in the workspace, and how many it has; none if there is no such file.
///
/// # Errors
/// In one sentence.
pub fn inside(workspace: &Path, name: &Path, cap: u64) -> Result<Option<(Vec<u8>, u64)>, String> {
    let path = workspace.join(name);
    let shown = name.display();
    match path.symlink_metadata() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(format!("{shown} can't be read ({error})")),
        Ok(about) if !about.is_file() => return Err(format!("{shown} isn't read: it is a link, or no regular file")),
        Ok(_) => {}
    }
    if path.canonicalize().ok().as_deref() != Some(path.as_path()) {
        return Err(format!("{shown} isn't read: a link leads to it"));
    }
    let failed = |error: std::io::Error| format!("{shown} can't be read ({error})");
    let file = open(&path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err(format!("{shown} isn't read: it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.take(cap).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some((bytes, about.len())))
}

#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = nix::fcntl::OFlag::O_NONBLOCK | nix::fcntl::OFlag::O_NOFOLLOW;
    std::fs::OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

/// Letters that a person wouldn't see.
fn hidden(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t')
        || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::fs::write;

    #[test]
    fn notes_are_read_only_as_a_regular_file_of_the_workspace() {
        let outer = tempfile::tempdir().unwrap();
        let outer = outer.path().canonicalize().unwrap();
        let workspace = outer.join("w");
        std::fs::create_dir(&workspace).unwrap();
        assert_eq!(instructions(&workspace), Ok(None));
        write(workspace.join(NOTES), "Run\u{202e} the tests.\u{1b}[2J\n").unwrap();
        let read = instructions(&workspace).unwrap().unwrap();
        assert_eq!((read.text.as_str(), read.cut), ("Run the tests.[2J\n", false));
        write(workspace.join(NOTES), "x".repeat(40_000)).unwrap();
        let read = instructions(&workspace).unwrap().unwrap();
        assert_eq!((read.text.len(), read.bytes, read.cut), (32 * 1024, 40_000, true));
        std::fs::remove_file(workspace.join(NOTES)).unwrap();
        write(outer.join("secret"), "hunter2").unwrap();
        std::os::unix::fs::symlink(outer.join("secret"), workspace.join(NOTES)).unwrap();
        assert!(instructions(&workspace).unwrap_err().contains("a link"));
        std::fs::remove_file(workspace.join(NOTES)).unwrap();
        nix::unistd::mkfifo(&workspace.join(NOTES), nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(instructions(&workspace).unwrap_err().contains("no regular file"));
        std::os::unix::fs::symlink(&outer, workspace.join("out")).unwrap();
        assert!(inside(&workspace, Path::new("out/secret"), 10).unwrap_err().contains("a link leads to it"));
    }
}
