//! The person's own editor: a text in a file that they alone can read, removed afterwards. It is their program and
//! runs as they would start it.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;

use super::lent;
use crate::config::{chosen_editor, process_environment};
use crate::domain::OperationId;

/// Longest text that is taken back, in bytes.
const LONGEST: u64 = 4 * 1024 * 1024;
/// How long the terminal's reader may take to let go of it.
const SETTLE: Duration = Duration::from_millis(50);

/// Opens a text in `$VISUAL`, `$EDITOR` or `vi`, and gives back what it became.
///
/// # Errors
/// It can't be opened, or ends as failed; in one sentence.
pub async fn edit(
    folder: &Path,
    id: OperationId,
    text: &str,
    suffix: &str,
    back: &CancellationToken,
) -> Result<String, String> {
    let path = folder.join(format!("edit-{}-{}.{suffix}", std::process::id(), id.0));
    let file = Scratch::write(path, text).map_err(|error| format!("The text can't be put into a file: {error}."))?;
    tokio::time::sleep(SETTLE).await;
    let chosen = chosen_editor(&process_environment);
    let mut words = chosen.split_whitespace().map(OsString::from);
    let program = words.next().ok_or("Set EDITOR to an editor.")?;
    let mut command = tokio::process::Command::new(&program);
    command.args(words).arg(&file.0).kill_on_drop(true);
    let child = command.spawn().map_err(|error| format!("{chosen} can't be started: {error}."))?;
    let status = lent::wait(child, back).await.map_err(|error| format!("{chosen}'s end couldn't be seen: {error}."))?;
    if !status.success() {
        return Err(format!("{chosen} ended with a failure: the text stays as it was."));
    }
    let read = async {
        let mut read = String::new();
        tokio::fs::File::open(&file.0).await?.take(LONGEST + 1).read_to_string(&mut read).await?;
        std::io::Result::Ok(read)
    };
    let read = read.await.map_err(|error| format!("What {chosen} left can't be read: {error}."))?;
    if read.len() as u64 > LONGEST {
        return Err("The text became too long: it stays as it was.".to_owned());
    }
    Ok(taken(&read, text))
}

/// What an editor left instead of a text, with the line ends of one that is typed here.
fn taken(read: &str, before: &str) -> String {
    let mut read = read.replace("\r\n", "\n").replace('\r', "\n");
    // Most editors end the last line.
    if !before.ends_with('\n') && read.ends_with('\n') {
        read.pop();
    }
    read
}

/// A file that goes when nobody needs it any more.
struct Scratch(PathBuf);

impl Scratch {
    fn write(path: PathBuf, text: &str) -> std::io::Result<Self> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path)?;
        let scratch = Self(path);
        file.write_all(text.as_bytes())?;
        Ok(scratch)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::warn!("{} can't be removed: {error}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_come_back_as_they_are_typed_here() {
        assert_eq!(taken("SELECT 1\r\nFROM t\r\n", "SELECT 1"), "SELECT 1\nFROM t");
        assert_eq!(taken("a\rb\n", "a\n"), "a\nb\n");
    }
}
