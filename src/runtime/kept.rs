//! What operations printed and is kept on disk: parts of it for the screen, counts, and copies in files of the person's.
//! All of it off the loop.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;

use memchr::memchr;

use super::bus::Work;
use super::engine::Engine;
use crate::app::{CLIPBOARD, Collected, Content};
use crate::domain::{Look, OperationId, number::size};
use crate::store::{Outputs, copy};
use crate::tools::save;

impl Engine {
    /// Reads what is kept, and says what came of it.
    fn read_kept(&self, read: impl FnOnce(&Outputs) -> Work + Send + 'static) {
        let (outputs, lane) = (Arc::clone(&self.person_side.bench.outputs), self.lanes.work.clone());
        tokio::task::spawn_blocking(move || {
            let _leaving = lane.blocking_send(read(&outputs));
        });
    }

    /// Reads back what an operation printed in an earlier sitting.
    pub fn recall(&self, id: OperationId) {
        self.read_kept(move |outputs| Work::Recalled(id, outputs.recall(id).ok()));
    }

    /// Reads a part of what an operation printed.
    pub fn look(&self, id: OperationId, look: Look) {
        self.read_kept(move |outputs| {
            let page = outputs.look(id, &look).ok().flatten();
            Work::Looked(id, look, page)
        });
    }

    /// Reads rows of a result.
    pub fn leaf(&self, id: OperationId, at: u64) {
        self.read_kept(move |outputs| Work::Leafed(id, at, outputs.leaf(id, at).ok()));
    }

    /// Counts the lines of an output that hold a text.
    pub fn count(&self, id: OperationId, text: String) {
        self.read_kept(move |outputs| {
            let lines = outputs.count(id, &text).unwrap_or(0);
            Work::Counted(id, text, lines)
        });
    }

    /// Reads what is kept of an output to be copied.
    pub fn collect(&self, content: Content) {
        self.read_kept(move |outputs| {
            let kept = collected(outputs, &content).unwrap_or(Collected::Gone);
            Work::Collected(content, kept)
        });
    }

    /// Saves what the person looks at in a file of the person's workspace.
    pub fn save(&self, path: String, content: Content) {
        let workspace = self.person_side.bench.workspace.clone();
        self.read_kept(move |outputs| {
            let saved = save::create(&workspace, &path).and_then(|mut file| {
                write(outputs, &content, &mut file).map_err(|error| format!("{path} can't be written: {error}."))
            });
            let named = match content {
                Content::Part(_, number) => format!("{number} {path}"),
                Content::Printed(..) | Content::Rows(..) | Content::Text(..) => path.clone(),
            };
            Work::Saved(saved.map(|bytes| told(&content, bytes, &path)).map_err(|why| (named, why)))
        });
    }
}

/// What is kept, as far as a clipboard takes it.
fn collected(outputs: &Outputs, content: &Content) -> io::Result<Collected> {
    match content {
        Content::Printed(id, _) => {
            let (_, size) = outputs.text(*id, 0, 0)?;
            let (bytes, _) = outputs.text(*id, size.saturating_sub(CLIPBOARD as u64), CLIPBOARD)?;
            let whole = bytes.len() as u64 >= size;
            let begin = if whole { 0 } else { memchr(b'\n', &bytes).map_or(0, |newline| newline + 1) };
            let text = String::from_utf8_lossy(&bytes[begin..]).into_owned();
            Ok(if whole { Collected::Whole(text) } else { Collected::End(text) })
        }
        Content::Rows(id, like, export) => {
            let mut room = Room::default();
            match export.write_rows(like, outputs.all_rows(*id)?, &mut room) {
                _ if room.full => Ok(Collected::TooLong),
                written => written.map(|()| Collected::Whole(String::from_utf8_lossy(&room.taken).into_owned())),
            }
        }
        Content::Text(text, _) => Ok(Collected::Whole(text.clone())),
        Content::Part(..) => Ok(Collected::Gone),
    }
}

/// What a clipboard takes, and an error beyond it.
#[derive(Default)]
struct Room {
    taken: Vec<u8>,
    full: bool,
}

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.taken.len() + bytes.len() > CLIPBOARD {
            self.full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.taken.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What was saved where, and what of it wasn't.
fn told(content: &Content, bytes: u64, path: &str) -> String {
    match content.lacks() {
        Some((rows, why)) => format!("Saved {rows} in {path}{why}."),
        None => match content {
            Content::Printed(_, tail) if tail.bytes > bytes => {
                let (kept, all) = (size(bytes), size(tail.bytes));
                format!("Saved {kept} in {path}, of the {all} that were printed; the rest isn't kept (kept_output).")
            }
            _ => format!("Saved {} in {path}.", size(bytes)),
        },
    }
}

/// Writes it into a file. Gives how many bytes.
fn write(outputs: &Outputs, content: &Content, file: &mut File) -> io::Result<u64> {
    match content {
        Content::Text(text, _) => file.write_all(text.as_bytes())?,
        Content::Part(id, number) => drop(copy(outputs.open_part(*id, *number)?, file)?),
        Content::Printed(id, tail) => match outputs.open(*id) {
            Ok(kept) => drop(copy(kept, file)?),
            Err(_) => tail.pieces.iter().try_for_each(|piece| file.write_all(piece.text.as_bytes()))?,
        },
        Content::Rows(id, like, export) => {
            let mut file = BufWriter::new(&mut *file);
            export.write_rows(like, outputs.all_rows(*id)?, &mut file)?;
            file.flush()?;
        }
    }
    Ok(file.metadata()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Stream, Tail};

    #[test]
    fn a_copy_is_the_whole_output_or_its_last_lines_up_to_what_a_clipboard_takes() {
        let root = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(root.path(), "s", 1 << 30);
        let keep = |number: u64, lines: usize| {
            let id = OperationId(number);
            let mut spool = outputs.begin(id).unwrap().unwrap();
            let text: String = (1..=lines).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
            assert!(spool.write(Stream::Out, text.as_bytes()));
            drop(spool);
            (collected(&outputs, &Content::Printed(id, Tail::default())).unwrap(), text)
        };
        let (whole, text) = keep(1, 1_000);
        assert_eq!(whole, Collected::Whole(text));
        let (end, text) = keep(2, 100_000);
        let Collected::End(end) = end else { panic!("too long") };
        assert!(
            end.len() <= CLIPBOARD && end.starts_with("line ") && text.ends_with(&end) && end.len() > CLIPBOARD - 20
        );
        assert!(collected(&outputs, &Content::Printed(OperationId(3), Tail::default())).is_err());
    }

    #[test]
    fn what_was_not_kept_of_an_output_is_not_said_to_be_saved() {
        let all = |bytes| Content::Printed(OperationId(1), Tail { bytes, ..Tail::default() });
        assert_eq!(told(&all(5), 5, "a.txt"), "Saved 5 B in a.txt.");
        let cut = told(&all(2_000_000_000), 268_435_456, "a.txt");
        assert_eq!(cut, "Saved 268.4 MB in a.txt, of the 2.0 GB that were printed; the rest isn't kept (kept_output).");
    }
}
