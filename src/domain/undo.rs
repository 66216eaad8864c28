//! What a change to files replaced, so that it can be taken back: one `Change` for each path, and the operation
//! that puts things back. Contents are kept beside the journal, by digest.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::operation::OperationId;

/// Name of the tool that puts things back.
pub const UNDO: &str = "undo";

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Image {
    /// Nothing.
    Nothing,
    /// A regular file.
    File {
        /// SHA-256 of its content, in hexadecimal.
        digest: String,
        /// Its size in bytes.
        size: u64,
        /// Its permission bits.
        mode: u32,
    },
    /// An empty folder.
    Folder {
        /// Its permission bits.
        mode: u32,
    },
    /// A link.
    Link {
        /// Where it leads, as it is written.
        #[serde(with = "super::path")]
        target: PathBuf,
    },
}

/// One change to one path, with what it needs to be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum Change {
    /// What stands at a path became something else.
    Replaced {
        /// The real path.
        #[serde(with = "super::path")]
        path: PathBuf,
        /// What stood there.
        before: Image,
        /// What stands there since.
        after: Image,
    },
    /// Something went to another path, whole.
    Moved {
        /// The real path it had.
        #[serde(with = "super::path")]
        from: PathBuf,
        /// The real path it has since.
        #[serde(with = "super::path")]
        to: PathBuf,
        /// Device and number of what was moved.
        identity: (u64, u64),
    },
}

impl Change {
    /// What taking it back does, in one line.
    #[must_use]
    pub fn taken_back(&self) -> String {
        match self {
            Self::Moved { from, to, .. } => format!("move {} back to {}", to.display(), from.display()),
            Self::Replaced { path, before: Image::Nothing, .. } => format!("delete {}", path.display()),
            Self::Replaced { path, before: Image::File { size, .. }, .. } => {
                format!("put back the former content of {} ({size} bytes)", path.display())
            }
            Self::Replaced { path, before: Image::Folder { mode }, after: Image::Folder { .. } } => {
                format!("set the permissions of {} back to {mode:03o}", path.display())
            }
            Self::Replaced { path, before: Image::Folder { .. }, .. } => format!("make the folder {}", path.display()),
            Self::Replaced { path, before: Image::Link { target }, .. } => {
                format!("make {} a link to {} again", path.display(), target.display())
            }
        }
    }

    /// The real paths that it touches.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        let (one, other) = match self {
            Self::Replaced { path, .. } => (path, None),
            Self::Moved { from, to, .. } => (to, Some(from)),
        };
        std::iter::once(one).chain(other)
    }
}

/// Puts back what operations changed, the latest first. Taking that back again is doing them again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoOperation {
    /// The operations that are taken back, latest first.
    pub operations: Vec<OperationId>,
    /// Their changes, in the order in which they are taken back.
    pub changes: Vec<Change>,
}

impl UndoOperation {
    /// `#5, #3`.
    #[must_use]
    pub fn numbers(&self) -> String {
        self.operations.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// How an operation that ran can be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undoable {
    /// What it replaced was kept.
    Kept,
    /// By a call of the same tool that does the opposite: its arguments.
    Call(String),
}
