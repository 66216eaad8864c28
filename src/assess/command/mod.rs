//! Not written yet.

use super::{RiskAssessor, Subject};
use crate::domain::Assessment;

/// Placeholder.
#[derive(Clone, Copy, Debug)]
pub struct CommandAssessor;

impl RiskAssessor for CommandAssessor {
    fn assess(&self, _subject: Subject<'_>) -> Assessment {
        Assessment::default()
    }
}
