//! One file of the data folder: read whole, changed under a lock that another program waits for, put in place whole.

use std::io::{ErrorKind, Read as _};
use std::path::Path;

use super::MemoryError;
use crate::private::{self, Rights, Touched, lock};

/// Most bytes that are read.
const CAP: u64 = 1024 * 1024;

fn failed(path: &Path) -> impl Fn(std::io::Error) -> MemoryError {
    let path = path.display().to_string();
    move |error| MemoryError::File(path.clone(), error)
}

/// The file's text; empty if there is none.
pub fn read(path: &Path) -> Result<String, MemoryError> {
    let file = match private::open_at_once(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(failed(path)(error)),
    };
    let about = file.metadata().map_err(failed(path))?;
    if !about.is_file() || about.len() > CAP {
        return Err(MemoryError::Broken(format!("{} isn't a regular file of up to 1 MiB", path.display())));
    }
    if let Some(why) = stranger(&about) {
        return Err(MemoryError::Broken(format!("{} {why}", path.display())));
    }
    let mut text = String::new();
    file.take(CAP).read_to_string(&mut text).map_err(failed(path))?;
    Ok(text)
}

/// Changes the file: `change` gets what it holds and gives what it shall hold.
pub fn change<T>(path: &Path, change: impl FnOnce(&str) -> Result<(String, T), MemoryError>) -> Result<T, MemoryError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    private::make_folder(folder).map_err(failed(folder))?;
    let lock = lock(&path.with_extension("lock")).map_err(failed(path))?;
    let (text, told) = change(&read(path)?)?;
    Touched::at(folder).write(path, text.as_bytes(), Rights::Private).map_err(failed(path))?;
    drop(lock);
    Ok(told)
}

/// Why somebody else could have written it, if they could.
#[cfg(unix)]
fn stranger(about: &std::fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt as _;
    let ours = about.uid() == nix::unistd::geteuid().as_raw();
    let open = about.mode() & 0o022 != 0;
    (!ours || open).then_some("belongs to somebody else, or others may write to it; make it your own (chmod 600)")
}

#[cfg(not(unix))]
fn stranger(_about: &std::fs::Metadata) -> Option<&'static str> {
    None
}
