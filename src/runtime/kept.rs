//! What operations printed and is kept on disk: parts of it for the screen, counts, and copies in files of the person's.
//! All of it off the loop.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;

use super::bus::Work;
use super::engine::Engine;
use crate::app::Content;
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

    /// Saves what the person looks at in a file of the person's workspace.
    pub fn save(&self, path: String, content: Content) {
        let workspace = self.person_side.bench.workspace.clone();
        self.read_kept(move |outputs| {
            let saved = save::create(&workspace, &path).and_then(|mut file| {
                write(outputs, &content, &mut file).map_err(|error| format!("{path} can't be written: {error}."))
            });
            Work::Saved(saved.map_or_else(|why| why, |bytes| told(&content, bytes, &path)))
        });
    }
}

/// What was saved where, and what of it wasn't.
fn told(content: &Content, bytes: u64, path: &str) -> String {
    match content.lacks() {
        Some((rows, why)) => format!("Saved {rows} in {path}{why}."),
        None => format!("Saved {} in {path}.", size(bytes)),
    }
}

/// Writes it into a file. Gives how many bytes.
fn write(outputs: &Outputs, content: &Content, file: &mut File) -> io::Result<u64> {
    match content {
        Content::Text(text, _) => file.write_all(text.as_bytes())?,
        Content::Part(id, number) => drop(copy(outputs.open_part(*id, *number)?, file)?),
        Content::Printed(id, pieces) => match outputs.open(*id) {
            Ok(kept) => drop(copy(kept, file)?),
            Err(_) => pieces.iter().try_for_each(|piece| file.write_all(piece.text.as_bytes()))?,
        },
        Content::Rows(id, like, export) => {
            let mut file = BufWriter::new(&mut *file);
            export.write_rows(like, outputs.all_rows(*id)?, &mut file)?;
            file.flush()?;
        }
    }
    Ok(file.metadata()?.len())
}
