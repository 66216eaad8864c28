//! What row policies say, as the catalog tells it.

/// What policies say of an event, beside those that decide which rows are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Policies {
    /// None lets it happen to any row.
    Forbid,
    /// The same.
    Same,
    /// Something else.
    Other,
}

impl Policies {
    /// Those of that name in `table.sql`.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "none" => Self::Forbid,
            "same" => Self::Same,
            _ => Self::Other,
        }
    }
}
