//! Hidden or confusable text: control characters, bidi, zero-width, look-alike letters.

use crate::domain::{Finding, OperationKind};

/// Findings about characters that a person can't see or would take for others.
pub(super) fn findings(_kind: &OperationKind) -> Vec<Finding> {
    Vec::new()
}
