//! Reads the configuration file, and refuses one that somebody else could have written: it can start a
//! program (`key_command`) and say where keys are sent.

use std::io::{ErrorKind, Read as _};
use std::path::Path;

use super::Problem;
use crate::private;

/// Largest configuration file that is read.
const CAP: u64 = 1024 * 1024;

/// The file's text; none if there is no file.
pub(super) fn read(path: &Path) -> Result<Option<String>, Problem> {
    let file = match private::open_at_once(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Problem::whole(path, format!("it can't be opened ({error}). Make it readable."))),
    };
    let metadata = file.metadata().map_err(|error| Problem::whole(path, format!("it can't be read ({error}).")))?;
    if !metadata.is_file() {
        return Err(Problem::whole(path, "it isn't a regular file. Put the configuration into one."));
    }
    if metadata.len() > CAP {
        return Err(Problem::whole(path, "it is larger than 1 MiB. Shorten it."));
    }
    if let Some(sentence) = stranger(path, &metadata) {
        return Err(Problem::whole(path, sentence));
    }
    let mut text = String::new();
    match file.take(CAP).read_to_string(&mut text) {
        Ok(_) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(Problem::whole(path, "it isn't UTF-8 text. Save it as UTF-8."))
        }
        Err(error) => Err(Problem::whole(path, format!("it can't be read ({error})."))),
    }
}

/// Why others could have written the file, if they could.
#[cfg(unix)]
fn stranger(path: &Path, metadata: &std::fs::Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let me = nix::unistd::geteuid().as_raw();
    let ours = nix::unistd::getegid().as_raw();
    if metadata.uid() != me && metadata.uid() != 0 {
        return Some("it belongs to somebody else, so nothing in it is used. Make it your own file.".to_owned());
    }
    let group_writes = metadata.mode() & 0o020 != 0 && metadata.gid() != ours;
    if metadata.mode() & 0o002 != 0 || group_writes {
        let sentence = format!(
            "others may write to it, so nothing in it is used. Check what it says, then run: chmod 600 {}",
            path.display()
        );
        return Some(sentence);
    }
    let folder = std::fs::metadata(path.parent()?).ok()?;
    let sticky = folder.mode() & 0o1000 != 0;
    (folder.mode() & 0o002 != 0 && !sticky).then(|| {
        "anybody may replace files in its folder, so nothing in it is used. Take that right away (chmod o-w) or move \
         the file."
            .to_owned()
    })
}

#[cfg(not(unix))]
fn stranger(_path: &Path, _metadata: &std::fs::Metadata) -> Option<String> {
    None
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn file(text: &[u8], mode: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        (folder, path)
    }

    #[test]
    fn a_private_file_is_read_and_a_missing_one_is_none() {
        let (_folder, path) = file(b"mode = 'smart'", 0o600);
        assert_eq!(read(&path).unwrap().as_deref(), Some("mode = 'smart'"));
        assert_eq!(read(&path.with_extension("gone")).unwrap(), None);
    }

    #[test]
    fn a_file_that_others_may_write_is_not_used() {
        let (_folder, path) = file(b"mode = 'smart'", 0o666);
        assert!(read(&path).unwrap_err().sentence.contains("others may write to it"));
        let (folder, path) = file(b"mode = 'smart'", 0o600);
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(read(&path).unwrap_err().sentence.contains("anybody may replace"));
    }

    #[test]
    fn a_folder_a_pipe_and_binary_data_are_refused_without_waiting() {
        let (folder, path) = file(b"\xff\xfe", 0o600);
        assert!(read(&path).unwrap_err().sentence.contains("UTF-8"));
        assert!(read(folder.path()).unwrap_err().sentence.contains("regular file"));
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(read(&pipe).unwrap_err().sentence.contains("regular file"));
    }
}
