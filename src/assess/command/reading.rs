//! What a command's text was read as: the commands that a shell would run, after quotes and expansions. The same
//! walk that judges tells it, so what is shown and tested is what was judged.

use std::collections::BTreeMap;

use super::judge::Judge;
use super::parse;
use super::word::Word;
use crate::assess::AssessSettings;
use crate::domain::{Facts, Span};

/// Variables that say which cluster, account or daemon a program reaches.
pub(super) const POINTING: [&str; 5] = ["AWS_PROFILE", "DOCKER_CONTEXT", "DOCKER_HOST", "KUBECONFIG", "TF_WORKSPACE"];

/// One command, as its program would be given it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadCommand {
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// Where the text has it; none if no part of the text is this command.
    pub span: Option<Span>,
    /// The folder that it would run in; none if that may be any.
    pub folder: Option<String>,
    /// What the text says in the variables that point somewhere: before the command, or by itself.
    pub variables: BTreeMap<String, Word>,
    /// Whether it is more than a reader: the judge objected to it.
    pub objected: bool,
    /// Whether it runs the commands that follow it here.
    pub wraps: bool,
    /// Whether it may run any number of times.
    pub repeated: bool,
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

impl Judge<'_> {
    /// Judges what runs with variables before it.
    pub(super) fn giving(&mut self, given: impl IntoIterator<Item = (String, Word)>, inner: impl FnOnce(&mut Self)) {
        let before = self.given.len();
        self.given.extend(given.into_iter().filter(|(name, _)| POINTING.contains(&name.as_str())));
        inner(self);
        self.given.truncate(before);
    }
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
    parse::forget();
    judge.read.unwrap_or_default()
}
