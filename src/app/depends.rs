//! What an operation can't find because the one that was to make it was denied.

use super::queue::{Item, Queue, Status};
use crate::domain::{FileOperation, OperationId, OperationKind};

/// Bytes of an operation's text that are looked through.
const SOUGHT: usize = 10_000;

/// A file or a table that was to be there first, and won't be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// Its name, as it was spelled.
    pub name: String,
    /// What was to become of it: `written`, `created`.
    pub what: &'static str,
    /// The operation that was to do it, denied.
    pub by: OperationId,
}

impl Queue {
    /// What an operation that has not started will miss: what another one of the same turn was to write or create, which
    /// was denied, and that it names.
    #[must_use]
    pub fn lacks(&self, id: OperationId) -> Option<Lack> {
        let item = self.get(id).filter(|item| matches!(item.status, Status::Waiting | Status::Allowed { .. }))?;
        let same_turn = self.before(id).take_while(|other| other.turn == item.turn);
        let mut denied = same_turn.filter(|other| matches!(other.status, Status::Denied { .. }));
        denied.find_map(|other| {
            let (name, what) = made(other).into_iter().find(|(name, _)| names(item, name))?;
            Some(Lack { name: name.to_owned(), what, by: other.id })
        })
    }
}

/// What an operation was to write or create, and which of both.
fn made(item: &Item) -> Vec<(&str, &'static str)> {
    let Some(prepared) = &item.prepared else { return Vec::new() };
    let parts = |part: &'static str| prepared.assessment.shapes.iter().filter_map(move |shape| shape.0.get(part));
    match &prepared.operation.kind {
        OperationKind::File(FileOperation::Write { path, .. } | FileOperation::Edit { path, .. }) => {
            vec![(path, "written")]
        }
        OperationKind::File(FileOperation::Move { destination, .. }) => vec![(destination, "written")],
        OperationKind::Command(_) => parts("redirect").map(|path| (path.as_str(), "written")).collect(),
        OperationKind::Sql(sql) if creates(&sql.sql) => {
            parts("table").map(|table| (table.as_str(), "created")).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a statement makes a table or a view.
fn creates(sql: &str) -> bool {
    let mut words = sql.split_whitespace().map(str::to_ascii_lowercase);
    let between = ["or", "replace", "temp", "temporary", "unlogged", "materialized"];
    words.next().is_some_and(|word| word == "create")
        && words.find(|word| !between.contains(&word.as_str())).is_some_and(|word| word == "table" || word == "view")
}

/// Whether an operation names a path as a word of its own, or a table.
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
        OperationKind::Sql(_) => {
            prepared.assessment.shapes.iter().any(|shape| shape.0.get("table").is_some_and(|table| table == path))
        }
        _ => false,
    }
}
