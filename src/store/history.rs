//! What the person sent in earlier sessions, for the composer: one JSON string a line in a file for them alone. It is a
//! comfort, not a record: what can't be read or written is passed over.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use crate::private::{Rights, make_folder, open, replace};

/// Most that is read, in bytes from the end.
const READ: u64 = 512 * 1024;
/// Longest message that is kept, in bytes.
const LONGEST: usize = 16 * 1024;

/// The file.
#[derive(Clone, Debug)]
pub struct History {
    path: PathBuf,
}

impl History {
    /// The history in this file, which need not be there.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The newest messages, at most so many, the newest last. A file that grew long is cut to them.
    ///
    /// # Errors
    /// It is there and can't be read.
    pub fn read(&self, most: usize) -> io::Result<Vec<String>> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(READ)))?;
        let mut bytes = Vec::new();
        file.take(READ).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        // A line that was cut is no JSON.
        let mut kept: Vec<String> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        kept.drain(..kept.len().saturating_sub(most));
        if length > 2 * READ {
            replace(&self.path, kept.iter().map(|text| line(text)).collect::<String>().as_bytes(), Rights::Private)?;
        }
        Ok(kept)
    }

    /// Adds a message; one that is too long is left out.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn add(&self, text: &str) -> io::Result<()> {
        if text.len() > LONGEST {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            make_folder(folder)?;
        }
        // One write at the end: two programs don't mix their lines.
        open(&self.path, OpenOptions::new().append(true).create(true))?.write_all(line(text).as_bytes())
    }
}

fn line(text: &str) -> String {
    format!("{}\n", serde_json::Value::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_comes_back_in_order_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::new(folder.path().join("sub/history"));
        assert_eq!(history.read(10).unwrap(), Vec::<String>::new());
        for text in ["one", "two\nlines \"quoted\"", "three"] {
            history.add(text).unwrap();
        }
        history.add(&"x".repeat(LONGEST + 1)).unwrap();
        assert_eq!(history.read(2).unwrap(), ["two\nlines \"quoted\"", "three"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(folder.path().join("sub/history")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_file_that_grew_long_is_cut_and_a_broken_line_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        let history = History::new(path.clone());
        std::fs::write(&path, format!("{}\n{{broken\n\"last\"\n", "x".repeat(2_000_000))).unwrap();
        assert_eq!(history.read(10).unwrap(), ["last"]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "\"last\"\n");
    }
}
