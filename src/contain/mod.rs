//! What a containment means on this machine. Today: SQL alone is enforced, by its engine; commands are not,
//! and nothing claims it.

use crate::domain::Enforceable;

/// What this machine enforces.
#[must_use]
pub fn probe() -> Enforceable {
    Enforceable { read_only_command: false, read_only_sql: true, staged_command: false }
}
