//! Judges a model's second look at what an operation of its own printed: it shows only what the model may see already,
//! and is refused for every other.

use super::{RiskAssessor, Subject};
use crate::domain::Assessment;

/// The assessor of `read_output`.
#[derive(Clone, Copy, Debug)]
pub struct RereadAssessor;

impl RiskAssessor for RereadAssessor {
    fn assess(&self, _subject: Subject<'_>) -> Assessment {
        let sentence = "Only reads more of what an operation of the model printed.";
        Assessment::whitelisted("output.read", sentence)
    }
}
