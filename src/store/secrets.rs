//! Where kept outputs hold secrets that only their session knew by value: noted beside each, as byte ranges of its own
//! files. The files themselves stay as they were printed.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};

use super::Outputs;
use super::outputs::part;
use crate::domain::OperationId;
use crate::private::{Rights, replace};

/// Bytes that are looked through at a time.
const STEP: u64 = 4 * 1024 * 1024;
/// The endings of the files that are looked through: what was printed, the rows that are shown of it, all of its rows.
const ENDINGS: [&str; 3] = ["txt", "json", "rows"];
/// Longest secret that is looked for, in bytes.
const LONGEST: usize = 64 * 1024;

/// Where one secret stands; once is enough to know it.
#[derive(Debug, Deserialize, Serialize)]
struct Place {
    file: String,
    from: u64,
    to: u64,
}

impl Outputs {
    /// Notes where what is kept of an output holds these values, for those who show it later and don't know them. Costs a
    /// look at all of it.
    ///
    /// # Errors
    /// It can't be read, or the note can't be written.
    pub fn note_secrets(&self, id: OperationId, values: &[String]) -> io::Result<()> {
        let Some(folder) = self.folder() else { return Ok(()) };
        let mut places = Vec::new();
        for ending in ENDINGS {
            let name = format!("{}.{ending}", id.0);
            let file = match File::open(folder.join(&name)) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let written: Vec<String> = values.iter().filter_map(|value| spelled(ending, value)).collect();
            let found = find(&file, &written)?;
            places.extend(found.into_iter().map(|(from, to)| Place { file: ending.to_owned(), from, to }));
        }
        if !places.is_empty() {
            replace(&self.note(id)?, &serde_json::to_vec(&places)?, Rights::Private)?;
        }
        Ok(())
    }

    /// The same for every output that is kept of the session: these values were learnt only now.
    ///
    /// # Errors
    /// One can't be read, or its note can't be written.
    pub fn note_secrets_of_all(&self, values: &[String]) -> io::Result<()> {
        let files = match self.folder().map(fs::read_dir) {
            None => return Ok(()),
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Some(files) => files?,
        };
        let mut ids = std::collections::BTreeSet::new();
        for file in files {
            let name = file?.file_name();
            let id = name.to_str().and_then(|name| name.split_once('.')).filter(|(_, ending)| ENDINGS.contains(ending));
            ids.extend(id.and_then(|(id, _)| id.parse().ok()).map(OperationId));
        }
        ids.into_iter().try_for_each(|id| self.note_secrets(id, values))
    }

    /// The secrets that were noted of an output. None where there is no note; where it can't be read, none either: what
    /// is known by its shape is masked all the same.
    #[must_use]
    pub fn secrets(&self, id: OperationId) -> Vec<String> {
        let read = || -> io::Result<Vec<String>> {
            let places: Vec<Place> = serde_json::from_slice(&fs::read(self.note(id)?)?)?;
            let folder = self.folder().ok_or(io::ErrorKind::NotFound)?;
            let mut values = Vec::new();
            for Place { file, from, to } in places.into_iter().filter(|place| ENDINGS.contains(&place.file.as_str())) {
                let bytes =
                    part(&File::open(folder.join(format!("{}.{file}", id.0)))?, from, to.min(from + LONGEST as u64))?;
                values.extend(String::from_utf8(bytes).ok().and_then(|written| meant(&file, &written)));
            }
            Ok(values)
        };
        read().unwrap_or_default()
    }

    fn note(&self, id: OperationId) -> io::Result<PathBuf> {
        Ok(self.folder().ok_or(io::ErrorKind::NotFound)?.join(format!("{}.secrets", id.0)))
    }
}

/// A value as a file of this ending has it.
fn spelled(ending: &str, value: &str) -> Option<String> {
    let spelled = match ending {
        "json" | "rows" => serde_json::to_string(value).ok()?.strip_prefix('"')?.strip_suffix('"')?.to_owned(),
        _ => value.to_owned(),
    };
    (!spelled.is_empty() && spelled.len() <= LONGEST).then_some(spelled)
}

/// The value that a file of this ending has like this.
fn meant(ending: &str, written: &str) -> Option<String> {
    match ending {
        "json" | "rows" => serde_json::from_str(&format!("\"{written}\"")).ok(),
        _ => Some(written.to_owned()),
    }
}

/// Where each of these texts first stands in a file, if it does.
fn find(file: &File, texts: &[String]) -> io::Result<Vec<(u64, u64)>> {
    let longest = texts.iter().map(String::len).max().unwrap_or(0) as u64;
    let mut sought: Vec<&String> = texts.iter().collect();
    // One pass tells for most steps that there is nothing.
    let any = AhoCorasick::new(texts).map_err(io::Error::other)?;
    let (mut found, mut from, size) = (Vec::new(), 0, file.metadata()?.len());
    while from < size && !sought.is_empty() {
        // What is cut by a step's end is found by the next, as steps overlap.
        let bytes = part(file, from, from.saturating_add(STEP + longest).min(size))?;
        if bytes.is_empty() {
            break;
        }
        if any.is_match(&bytes) {
            sought.retain(|text| match memchr::memmem::find(&bytes, text.as_bytes()) {
                Some(at) => {
                    found.push((from + at as u64, from + (at + text.len()) as u64));
                    false
                }
                None => true,
            });
        }
        from += STEP;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Stream, Table};

    #[test]
    fn a_secret_in_a_long_output_is_known_from_its_note_wherever_it_stands() {
        let root = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(root.path(), "s", 64 << 20);
        let values = ["plain-horse-42", "nowhere", "a\"b\\c\nd"].map(str::to_owned);
        let step = usize::try_from(STEP).unwrap();
        for (id, before) in [(1, 9), (2, step - 5), (3, step), (4, 2 * step - 1)] {
            let mut spool = outputs.begin(OperationId(id)).unwrap().unwrap();
            spool.write(Stream::Out, "x".repeat(before).as_bytes());
            spool.write(Stream::Out, b"plain-horse-42 and the rest");
            outputs.note_secrets(OperationId(id), &values).unwrap();
            assert_eq!(outputs.secrets(OperationId(id)), values[..1], "{before}");
        }
        let table =
            Table { rows: vec![vec![Some(values[2].clone())]], columns: vec!["c".to_owned()], ..Table::default() };
        outputs.keep_table(OperationId(5), &table).unwrap();
        assert!(outputs.secrets(OperationId(5)).is_empty(), "nobody knew it yet");
        outputs.note_secrets_of_all(&values).unwrap();
        assert_eq!(outputs.secrets(OperationId(5)), values[2..]);
        let mut spool = outputs.begin(OperationId(6)).unwrap().unwrap();
        spool.write(Stream::Out, b"nothing");
        outputs.note_secrets(OperationId(6), &values).unwrap();
        let names: Vec<_> =
            fs::read_dir(root.path().join("s")).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert!(!names.iter().any(|name| name == "6.secrets"), "{names:?}");
        for name in names.iter().filter(|name| name.to_string_lossy().ends_with("secrets")) {
            let text = fs::read_to_string(root.path().join("s").join(name)).unwrap();
            assert!(!text.contains("horse"), "{text}");
        }
    }
}
