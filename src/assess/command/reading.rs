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
    /// The folder that it would run in; none if that may be any.
    pub folder: Option<String>,
    /// Whether it is more than a reader: the judge objected to it.
    pub objected: bool,
    /// Whether it runs the commands that follow it here.
    pub wraps: bool,
}

/// A redirection to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The file.
    pub word: Word,
    /// The folder that it is named from; none if that may be any.
    pub folder: Option<String>,
    /// Whether it adds to the file, rather than beginning it anew.
    pub appends: bool,
}

/// Everything that a text was read as.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The commands, in order.
    pub commands: Vec<ReadCommand>,
    /// The redirections to files, in order.
    pub redirects: Vec<Redirect>,
}

/// The commands that a text would run, each as often as it was judged: the bodies of loops once for each pass,
/// and what wrappers run (`env`, `xargs`, `sh -c`) after the wrapper. Nothing runs.
#[must_use]
pub fn read(command: &str, facts: &Facts, settings: &AssessSettings) -> Vec<ReadCommand> {
    reading(command, facts, settings).commands
}

/// The same with the redirections.
pub(super) fn reading(command: &str, facts: &Facts, settings: &AssessSettings) -> Reading {
    let mut judge = Judge::new(&facts.place, Some(facts), &settings.sensitive, command);
    judge.read = Some(Reading::default());
    judge.whole(command);
    judge.read.unwrap_or_default()
}
