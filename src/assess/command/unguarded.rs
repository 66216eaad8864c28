//! What a view does beyond its words where nothing is put up around commands: it shows files that others name, or
//! fetches what they name, or writes into folders of its own. Behind walls it can't. Called for each program that an entry of the table is about.

use super::dialect::{only_bash, plain_everywhere, zsh_reads};
use super::flags::Flags;
use super::judge::Judge;
use super::kind::Kind;
use super::table::Entry;
use crate::domain::{Class, Danger, Finding, Shell};

/// Whether it is only what a program looks at that a finding objects to.
pub(super) fn only_looks(finding: &Finding) -> bool {
    finding.class == Class::Declared(Danger::Sensitive)
        || matches!(&*finding.rule, "command.reads-beyond" | "command.fetches" | "command.keeps")
}

impl Judge<'_> {
    /// Objects to text of which nobody knows that the shell that runs it reads it as it was read here.
    pub(super) fn of_shell(&mut self, text: &str) {
        let alike = match self.shell {
            Shell::Bash => true,
            Shell::Zsh => zsh_reads(text),
            Shell::Other => !only_bash(text) && zsh_reads(text),
            Shell::Foreign => plain_everywhere(text),
        };
        if !alike && self.findings.is_empty() {
            self.span = None;
            self.unreadable("command.dialect", "Your shell isn't `bash`, and may read parts of that in its own way.");
        }
    }

    /// Objects to what a view would show, fetch or write that its words don't name, if nothing guards it.
    pub(super) fn beyond_the_words(&mut self, entry: &Entry, name: &str, given: &Flags, operands: usize) {
        if !self.facts.is_some_and(|facts| facts.unguarded) {
            return;
        }
        // Without an operand most only tell of themselves.
        let reads = operands > 0 || entry.rest == Kind::None;
        if reads && (entry.beyond.contains("*") || given.carry(&entry.beyond)) {
            let sentence = format!(
                "Nothing guards `{name}` in this run: what it reads may name other files, and it shows lines of those too."
            );
            self.unknown("command.reads-beyond", sentence);
        }
        if !entry.fetches.is_empty() && !given.carry(&entry.fetches) {
            let without = entry.fetches.iter().filter(|flag| flag.starts_with('-')).min();
            let instead = without.map(|flag| format!(", which `{flag}` keeps it from")).unwrap_or_default();
            let sentence = format!(
                "Nothing guards `{name}` in this run, and it may fetch what files of the workspace name{instead}."
            );
            self.unknown("command.fetches", sentence);
        }
        if !entry.keeps.is_empty() && !given.carry(&entry.keeps) {
            let sentence = format!("Nothing guards `{name}` in this run, and it writes files of its own as it looks.");
            self.unknown("command.keeps", sentence);
        }
    }
}
