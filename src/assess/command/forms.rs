//! The forms of a command, which what a person remembers matches against: each simple command with its flags, its
//! arguments and where they lead. A text that is more than a list or pipeline of plain commands has none, nor has one
//! that runs code: a rule couldn't see what it allows.

use std::collections::BTreeSet;
use std::path::Path;

use super::judge::Judge;
use super::programs::{plain_name, subcommand_of};
use super::word::Word;
use crate::domain::{Shape, runs_code};

/// Programs whose operands are files, and that do nothing but what their name says with them.
const FILES: [&str; 14] = [
    "mkdir",
    "touch",
    "rm",
    "rmdir",
    "unlink",
    "mv",
    "cp",
    "ln",
    "gzip",
    "gunzip",
    "git add",
    "git rm",
    "git mv",
    "git restore",
];
/// Subcommands whose words are names and texts that nothing obeys.
const TEXTS: [&str; 3] = ["git commit", "git tag", "git branch"];
/// The shell's own words that change what later commands do: never free.
const STATE: [&str; 18] = [
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "unset",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "set",
    "let",
    "hash",
    "alias",
    "popd",
    "pushd",
    "printf",
    "exec",
];
/// Most operands that are looked at.
const OPERANDS: usize = 50;

/// What is known of a simple command before it is judged.
pub(super) struct Before {
    findings: usize,
    dispatched: usize,
    folder: Option<String>,
    placed: bool,
}

impl Judge<'_> {
    /// Called before a simple command is judged.
    pub(super) fn before_form(&mut self, argv: &[Word]) -> Before {
        let folder = self.scope.cwd.clone();
        let placed = self.all_in_workspace(argv);
        Before { findings: self.findings.len(), dispatched: self.dispatched, folder, placed }
    }

    /// Keeps the form of a simple command that was judged.
    pub(super) fn form(&mut self, argv: &[Word], before: &Before) {
        // What runs another command, or a function, says more than its own words.
        self.odd |= self.dispatched != before.dispatched + 1;
        let clean = self.findings.len() == before.findings;
        let Some((first, words)) = argv.split_first() else { return };
        let Some(name) = first.text().map(plain_name) else {
            self.odd = true;
            return;
        };
        let mut form = Shape::new([("program", name)]);
        let mut put = |part: &str, value: String| form.0.insert(part.to_owned(), value);
        let at = subcommand_of(name, words);
        if let Some(subcommand) = at.and_then(|at| words[at].text()) {
            put("subcommand", subcommand.to_owned());
        }
        let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
        let rest: Option<Vec<&str>> = texts.map(|texts| {
            texts.into_iter().enumerate().filter(|(place, _)| Some(*place) != at).map(|(_, text)| text).collect()
        });
        let known = rest.as_ref().is_some_and(|rest| {
            let flags: BTreeSet<&str> = rest.iter().copied().filter(|word| word.starts_with('-')).collect();
            put("flags", flags.iter().copied().collect::<Vec<_>>().join(" "));
            put("arguments", rest.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
            flags.iter().all(|flag| !flag.contains(char::is_whitespace))
        });
        if let Some(folder) = &before.folder {
            let here = Path::new(folder) == self.place.workspace;
            put("folder", if here { "the workspace".to_owned() } else { folder.clone() });
        }
        if self.fed {
            put("fed", "yes".to_owned());
        }
        if self.feeds {
            put("feeds", "yes".to_owned());
        }
        if clean && !self.feeds && !STATE.contains(&name) {
            put("clean", "yes".to_owned());
        } else if known && before.folder.is_some() && (clean || !runs_code(name)) {
            let whole =
                at.and_then(|at| words[at].text()).map_or_else(|| name.to_owned(), |sub| format!("{name} {sub}"));
            // Settings before the subcommand are git's own way of running what it is told.
            let settings = name == "git" && at != Some(0);
            self.odd |= settings;
            if before.placed && FILES.contains(&whole.as_str()) {
                put("place", "workspace".to_owned());
            } else if TEXTS.contains(&whole.as_str()) && !self.fed {
                put("free", "yes".to_owned());
            }
        } else {
            self.odd = true;
        }
        if self.forms.contains(&form) {
            return;
        }
        // What isn't kept no rule can fit.
        if self.forms.len() < OPERANDS {
            self.forms.push(form);
        } else {
            self.odd = true;
        }
    }

    /// Keeps the form of a redirection to a file.
    pub(super) fn redirect_form(&mut self, word: &Word, appends: bool) {
        let Some(path) = word.text().and_then(|text| self.normal(text)) else {
            self.odd = true;
            return;
        };
        let mut form = Shape::new([("redirect", path)]);
        if appends {
            form.0.insert("appends".to_owned(), "yes".to_owned());
        }
        if self.in_workspace(word) {
            form.0.insert("place".to_owned(), "workspace".to_owned());
        }
        if !self.forms.contains(&form) {
            self.forms.push(form);
        }
    }

    /// Whether every operand of a program of files is an ordinary file of the workspace.
    fn all_in_workspace(&mut self, argv: &[Word]) -> bool {
        let Some((first, words)) = argv.split_first() else { return false };
        let Some(name) = first.text().map(plain_name) else { return false };
        let at = subcommand_of(name, words);
        let whole = at.and_then(|at| words[at].text()).map_or_else(|| name.to_owned(), |sub| format!("{name} {sub}"));
        if !FILES.contains(&whole.as_str()) {
            return false;
        }
        let operands: Vec<&Word> = words
            .iter()
            .enumerate()
            .filter(|(place, word)| Some(*place) != at && !word.prefix().starts_with('-'))
            .map(|(_, word)| word)
            .collect();
        (1..=OPERANDS).contains(&operands.len()) && operands.into_iter().all(|word| self.in_workspace(word))
    }

    /// Whether a word names, by its letters and as it really leads, something in the workspace that is neither
    /// sensitive nor run by others later.
    fn in_workspace(&mut self, word: &Word) -> bool {
        let Some(text) = word.text() else { return false };
        let Some(normal) = self.normal(text) else { return false };
        let workspace = self.place.workspace.clone();
        let inside = |path: &Path| path.starts_with(&workspace) && path != workspace;
        let ordinary = !self.run_later(word) && self.sensitive_entry(text).is_none();
        let spelled = self.absolute_if_moved(text);
        let real = self.facts.and_then(|facts| facts.paths.get(&spelled));
        ordinary && inside(Path::new(&normal)) && real.is_some_and(|fact| inside(&fact.real))
    }
}

/// A word as a shell would take it for one.
fn quoted(word: &str) -> String {
    let plain =
        !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c.is_control() || "'\"\\".contains(c));
    if plain { word.to_owned() } else { format!("{word:?}") }
}
