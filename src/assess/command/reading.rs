//! What a command's text was read as: the commands that a shell would run, after quotes and expansions. The same
//! walk that judges tells it, so what is shown and tested is what was judged.

use super::judge::Judge;
use super::word::Word;
use crate::assess::AssessSettings;
use crate::domain::{Facts, Span};

/// One command, as its program would be given it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadCommand {
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// Where the text has it; none if no part of the text is this command.
    pub span: Option<Span>,
}

/// The commands that a text would run, each as often as it was judged: the bodies of loops once for each pass,
/// and what wrappers run (`env`, `xargs`, `sh -c`) after the wrapper. Nothing runs.
#[must_use]
pub fn read(command: &str, facts: &Facts, settings: &AssessSettings) -> Vec<ReadCommand> {
    let mut judge = Judge::new(&facts.place, Some(facts), &settings.sensitive, command);
    judge.read = Some(Vec::new());
    judge.whole(command);
    judge.read.unwrap_or_default()
}
