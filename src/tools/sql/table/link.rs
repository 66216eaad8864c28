//! A foreign key, and what it does with rows that refer to others.

use super::super::value::quoted_name;
use crate::domain::Dialect;

/// What becomes of rows when what they refer to is deleted, or changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Fate {
    /// They stay as they are, and forbid it, unless they are gone at its end.
    Stay,
    /// They stay as they are, and forbid it at once.
    Forbid,
    /// They go, too, or change with it.
    Cascade,
    /// They refer to nothing then.
    SetNull,
    /// They refer to something else then.
    Other,
}

impl Fate {
    /// The fate of that name in `links.sql`. MySQL and MariaDB look at nothing later.
    pub(super) fn named(dialect: Dialect, name: &str) -> Self {
        match name {
            "cascade" => Self::Cascade,
            "set null" => Self::SetNull,
            "set default" => Self::Other,
            "restrict" => Self::Forbid,
            _ if dialect == Dialect::Mysql => Self::Forbid,
            _ => Self::Stay,
        }
    }

    /// Whether they stay as they are.
    pub(in super::super) fn stays(self) -> bool {
        matches!(self, Self::Stay | Self::Forbid)
    }
}

/// A foreign key that leads to a table, or from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent facts of one foreign key
pub(in super::super) struct Link {
    /// The table at its other end.
    pub(in super::super) schema: String,
    pub(in super::super) table: String,
    pub(in super::super) on_delete: Fate,
    pub(in super::super) on_update: Fate,
    /// It leads to a part of the table: other parts may hold rows of the same key.
    pub(in super::super) part: bool,
    /// Somebody turned off what looks after it.
    pub(in super::super) off: bool,
    /// It is looked at only when the transaction ends.
    pub(in super::super) late: bool,
    /// Policies decide which rows of the table at its other end are seen.
    pub(in super::super) guarded: bool,
    /// Their columns, each with the one that it refers to; empty for that of the key at the same place.
    pub(in super::super) pairs: Vec<(String, String)>,
}

impl Link {
    /// The table at its other end, quoted.
    pub(in super::super) fn place(&self, dialect: Dialect) -> String {
        place(dialect, &self.schema, &self.table)
    }
}

/// A table with its schema, quoted.
pub(super) fn place(dialect: Dialect, schema: &str, name: &str) -> String {
    match dialect {
        // A name alone may be that of a temporary table, or of one that a query makes up.
        Dialect::Sqlite => format!("main.{}", quoted_name(dialect, name)),
        Dialect::Postgres | Dialect::Mysql => {
            format!("{}.{}", quoted_name(dialect, schema), quoted_name(dialect, name))
        }
    }
}
