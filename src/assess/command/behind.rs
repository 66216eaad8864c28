//! What stands behind a wrapper whose words can't be taken apart for sure: `sudo` with flags that nobody lists,
//! `strace`, `su -c`, `eval`. The wrapper itself asks; here its words are looked at for catastrophes alone.

use super::judge::Judge;
use super::programs::plain_name;
use super::table::table;
use super::word::Word;
use crate::domain::Class;

/// Flags before a script, alone or as the last letter of several.
const SCRIPT: [&str; 4] = ["--command", "--session-command", "--split-string", "-S"];

impl Judge<'_> {
    /// Looks for catastrophes in what a program may run: the script behind `-c`, the command that begins with the
    /// first known program among its words, or a word that is a whole script. The caller has objected already.
    pub(super) fn behind(&mut self, words: &[Word]) {
        for (at, word) in words.iter().enumerate() {
            let head = word.prefix();
            if SCRIPT.contains(&head) || head.starts_with('-') && !head.starts_with("--") && head.contains('c') {
                let script = words[at + 1..].iter().find(|word| !word.prefix().starts_with('-'));
                if let Some((word, script)) = script.and_then(|word| word.text().map(|script| (word, script))) {
                    self.script_in(word, script);
                }
            } else if let Some((_, script)) = word.text().filter(|_| head.starts_with("--")).and_then(attached) {
                self.script_in(word, script);
            }
        }
        if let Some(at) = words.iter().position(is_program) {
            self.trial(|judge| judge.dispatch(&words[at..]));
            return;
        }
        for word in words {
            if let Some(script) = word.text().filter(|text| text.contains(' ')) {
                self.script_in(word, script);
            }
        }
    }

    /// Looks for catastrophes in a script that a word is, or ends with.
    fn script_in(&mut self, word: &Word, script: &str) {
        let start = self.begins(word.span.as_ref(), script);
        self.trial(|judge| judge.script(script, start));
    }

    /// Looks for catastrophes in a script that its words are joined to.
    pub(super) fn behind_joined(&mut self, words: &[Word]) {
        let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
        if let Some(texts) = texts {
            self.trial(|judge| judge.script(&texts.join(" "), None));
        }
    }

    /// Judges something that may run, and keeps what is a catastrophe of it.
    pub(super) fn trial(&mut self, look: impl FnOnce(&mut Self)) {
        let scope = self.scope.clone();
        let before = self.findings.len();
        let read = self.read.take();
        self.deeper(look);
        self.read = read;
        let found = self.findings.split_off(before);
        self.findings.extend(found.into_iter().filter(|finding| finding.class == Class::Catastrophe));
        self.scope = scope;
    }
}

/// The script in `--command=SCRIPT`.
fn attached(text: &str) -> Option<(&str, &str)> {
    text.split_once('=').filter(|(flag, _)| SCRIPT.contains(flag))
}

/// Whether a word is the name of a program that something here knows.
fn is_program(word: &Word) -> bool {
    const DESTROYERS: [&str; 13] =
        ["rm", "rmdir", "shred", "chmod", "chown", "chgrp", "dd", "cp", "mv", "truncate", "sh", "bash", "dash"];
    word.text().map(plain_name).is_some_and(|name| {
        DESTROYERS.contains(&name)
            || name.starts_with("mkfs")
            || table().entry(name).is_some()
            || table().danger(name).is_some()
    })
}
