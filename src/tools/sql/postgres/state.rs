//! What decides in a session which rows a statement means.

use super::super::session::{Answer, Holds, State};
use super::super::table::lossy;

/// Asks for the settings that may matter, who is asked, and whether there is anything that only this session sees.
/// Left out is what bounds, plans or logs alike. Every name is the engine's own, whatever the search path says.
pub(super) const QUESTION: &str = include_str!("state.sql");

/// The answer, by name.
pub(super) fn read(answer: Answer) -> State {
    let texts = answer.rows.into_iter().map(|row| {
        let mut texts = row.into_iter().map(|value| value.map_or_else(String::new, |bytes| lossy(&bytes)));
        let mut next = || texts.next().unwrap_or_default();
        let (name, value) = (next(), next());
        (name, Holds { value, own: next() == "own" })
    });
    texts.collect()
}
