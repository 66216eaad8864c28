//! What an operation can't find because the one that was to make it was denied.

use super::queue::{Item, Queue, Status};
use crate::domain::{FileOperation, OperationId, OperationKind};

/// Bytes of an operation's text that are looked through.
const SOUGHT: usize = 10_000;

/// A file that was to be written first, and won't be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The file, as it was spelled.
    pub path: String,
    /// The operation that was to write it, denied.
    pub by: OperationId,
}

impl Queue {
    /// What an operation that has not started will miss: a file of the same turn whose writing was denied and that it
    /// names.
    #[must_use]
    pub fn lacks(&self, id: OperationId) -> Option<Lack> {
        let item = self.get(id).filter(|item| matches!(item.status, Status::Waiting | Status::Allowed { .. }))?;
        let same_turn = self.before(id).take_while(|other| other.turn == item.turn);
        let mut denied = same_turn.filter(|other| matches!(other.status, Status::Denied { .. }));
        denied.find_map(|other| {
            let path = written(other).filter(|path| names(item, path))?;
            Some(Lack { path: path.to_owned(), by: other.id })
        })
    }
}

/// The file that an operation was to write.
fn written(item: &Item) -> Option<&str> {
    match &item.prepared.as_ref()?.operation.kind {
        OperationKind::File(FileOperation::Write { path, .. } | FileOperation::Edit { path, .. }) => Some(path),
        OperationKind::File(FileOperation::Move { destination, .. }) => Some(destination),
        _ => None,
    }
}

/// Whether an operation's text names a path as a word of its own.
fn names(item: &Item, path: &str) -> bool {
    let Some(prepared) = &item.prepared else { return false };
    let plain = |path: &str| path.trim_start_matches("./").to_owned();
    match &prepared.operation.kind {
        OperationKind::File(file) => plain(file.path()) == plain(path),
        OperationKind::Command(command) => {
            let text = &command.command[..command.command.floor_char_boundary(SOUGHT)];
            let apart = |c: char| c.is_whitespace() || "\"'`=:;,()<>|&".contains(c);
            text.split(apart).any(|word| plain(word) == plain(path))
        }
        _ => false,
    }
}
