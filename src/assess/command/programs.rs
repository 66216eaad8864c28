//! From one simple command's words to a judgement: the name, wrappers, special programs, declared dangers, the
//! table. What nothing here knows is unknown.

use std::collections::BTreeMap;

use super::flags::Flags;
use super::judge::Judge;
use super::reading::{POINTING, ReadCommand};
use super::source::over;
use super::table::{DangerKind, Entry, Takes, table};
use super::word::{Piece, Word};
use super::{builtin, clients, danger, fd, find, git, lines, ps, titles, unguarded, wrapper, xargs};
use crate::domain::{Finding, Shape};

/// Folders whose programs are the ones in the table.
const SYSTEM: [&str; 8] = [
    "/bin/",
    "/usr/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
    "/snap/bin/",
];

/// Names that are judged by code of their own, of the shell's own words those that may have no entry.
pub(super) const SPECIAL: [&str; 24] = [
    "cd",
    "pushd",
    "popd",
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
    "let",
    "exec",
    "pwd",
    "set",
    "command",
    "builtin",
    "hash",
    "eval",
    "source",
    "trap",
    "alias",
];

impl Judge<'_> {
    /// Judges one command: what a shell runs, or what a wrapper does.
    pub(super) fn dispatch(&mut self, argv: &[Word]) {
        self.dispatched += 1;
        self.around(over(argv), |judge| judge.dispatched(argv));
    }

    fn dispatched(&mut self, argv: &[Word]) {
        let Some((first, words)) = argv.split_first() else { return };
        if first.text() == Some("--") {
            // Behind `time` it ends the flags of that, and what stands behind it runs.
            self.unreadable("command.unreadable", "`--` stands where a program should.");
            self.trial(|judge| judge.dispatch(words));
            return;
        }
        let (at, before, acts) = (self.note(argv), self.findings.len(), self.acts.len());
        self.known(first, words);
        self.spare_decisions(first, words);
        self.spare_own(first.text().map_or("…", plain_name), words, before);
        // What a wrapper runs says more than the wrapper.
        if self.findings.len() > before {
            self.names_secrets(words);
        }
        if self.findings.len() > before && self.acts.len() == acts {
            self.acts.push(titles::title(first.text().map_or("…", plain_name), words));
        }
        if let (Some(at), Some(read)) = (at, &mut self.read) {
            read.commands[at].objected = self.findings.len() > before;
            read.commands[at].wraps = read.commands.len() > at + 1;
        }
    }

    /// Keeps what was read, if anybody wants to know; says where.
    fn note(&mut self, argv: &[Word]) -> Option<usize> {
        let read = self.read.as_mut()?;
        let (words, span, folder) = (argv.to_vec(), self.span.clone(), self.scope.cwd.clone());
        let known = |name: &&str| self.scope.get(name).filter(|value| !value.vague()).cloned();
        let set = |name: &&str| Some(((*name).to_owned(), known(name)?));
        let mut variables: BTreeMap<_, _> = POINTING.iter().filter_map(set).collect();
        variables.extend(self.given.iter().cloned());
        let repeated = self.repeats > 0;
        read.commands.push(ReadCommand { words, span, folder, variables, objected: false, wraps: false, repeated });
        Some(read.commands.len() - 1)
    }

    fn known(&mut self, first: &Word, words: &[Word]) {
        let Some(written) = first.text() else {
            self.ineligible = true;
            self.shapes.push(Shape::new([("program", "?")]));
            self.about(first, |judge| judge.unreadable("command.vague-program", "Which program it runs is not known."));
            return;
        };
        let name = plain_name(written);
        self.shaped(name, words);
        if name.contains(['/', ' ']) || name.is_empty() {
            self.beyond_claims(Some(first), words);
            self.about(first, |judge| {
                let sentence = format!("`{name}` is a file, not a program of the system.");
                judge.unknown("command.unknown-program", sentence);
            });
            return;
        }
        if !self.about(first, |judge| judge.trusted(name)) {
            return;
        }
        let outer = (std::mem::take(&mut self.readers), std::mem::take(&mut self.staged));
        // By a path it is another program, which changes nothing here.
        self.perhaps(name != written, |judge| judge.program(name, first, words));
        let readers = std::mem::replace(&mut self.readers, outer.0);
        // What runs staged runs the workspace's code anyway.
        if !self.staged {
            for reader in readers.iter().filter(|reader| first_word(reader) == name) {
                self.exposes(reader, words);
                match table().obeys() {
                    Some(rules) => self.obeys(rules, reader, words),
                    None => self.unreadable("command.obeyed", format!("What `{reader}` obeys can't be told.")),
                }
            }
        }
        self.readers.extend(readers);
        self.staged |= outer.1;
    }

    /// Judges a program of the system by whoever knows it.
    fn program(&mut self, name: &str, first: &Word, words: &[Word]) {
        if self.shell_word(name, words) {
            return;
        }
        self.numbers_of(name, words);
        match name {
            "cd" | "pushd" => builtin::cd(self, name, words),
            "popd" => {
                self.stood_in.insert(self.scope.cwd.clone());
                self.scope.cwd = None;
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => builtin::declare(self, name, words),
            "unset" => builtin::unset(self, words),
            "read" => lines::read(self, words),
            "mapfile" | "readarray" => lines::mapfile(self, words),
            "." | "source" if matches!(words, [file] if builtin::of_the_release(file)) => builtin::system_release(self),
            "getopts" => builtin::getopts(self, words),
            "let" => builtin::arithmetic(self, words),
            // Alone it only opens and closes what its redirections name, which are judged.
            "exec" if words.is_empty() => _ = self.readers.insert(name.to_owned()),
            // The program takes the place of the shell.
            "exec" if words[0].text().is_some_and(|program| !program.starts_with('-')) => self.outside(words),
            "trap" if builtin::untraps(words) => _ = self.readers.insert(name.to_owned()),
            "trap" if builtin::traps(self, words) => {}
            "pwd" => builtin::pwd(self, words),
            "echo" => builtin::echo(self, words),
            "date" => {
                self.looked_up(name, first, words);
                // A day that it doesn't understand is nothing at all.
                if words.len() > 1 {
                    let number = self.printed.take().filter(|word| word.pieces == [Piece::Number]);
                    self.printed = number.map(|_| Piece::Digits.into());
                }
            }
            "break" | "continue" | "return" => {
                self.left.push(self.scope.clone());
                self.looked_up(name, first, words);
            }
            "shift" => {
                self.scope.take_arguments(None);
                self.looked_up(name, first, words);
            }
            "set" => builtin::set(self, words),
            "command" | "builtin" => wrapper::command(self, name, words),
            "type" | "hash" => builtin::look_up(self, name, words),
            "printf" | "test" | "[" => builtin::test_or_print(self, name, words),
            "timeout" | "nice" | "ionice" | "nohup" | "stdbuf" | "time" | "setsid" | "chronic" | "ifne" => {
                wrapper::peel(self, name, words);
            }
            "watch" => wrapper::watch(self, words),
            "env" => wrapper::env(self, words),
            "sh" | "bash" | "dash" | "zsh" => wrapper::shell(self, name, words),
            "xargs" => xargs::judge(self, words),
            "find" => find::judge(self, words),
            "fd" | "fdfind" => fd::judge(self, name, words),
            "git" => git::judge(self, words),
            "ps" => ps::judge(self, first, words),
            "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" => clients::compiler(self, name, first, words),
            "sqlite3" => clients::sqlite(self, first, words),
            "tar" | "gtar" | "bsdtar" => clients::tar(self, name, first, words),
            _ => self.looked_up(name, first, words),
        }
    }

    /// Judges by the tables alone.
    pub(super) fn looked_up(&mut self, name: &str, first: &Word, words: &[Word]) {
        if danger::judge(self, name, words) {
            return;
        }
        if table().entry(name).is_some() {
            self.subcommand(name, words);
            return;
        }
        match danger::longest(name, words) {
            Some((named, declared)) => {
                self.declared(&named, declared, words);
                match (declared.kind, name) {
                    (DangerKind::Wraps, "eval") => self.behind_joined(words),
                    (DangerKind::Wraps, _) => self.behind(words),
                    (
                        DangerKind::Destructive
                        | DangerKind::External
                        | DangerKind::Sensitive
                        | DangerKind::Runs
                        | DangerKind::Works,
                        _,
                    ) => {}
                }
            }
            None => self.about(first, |judge| {
                judge.beyond_claims(Some(first), words);
                let gone = judge.facts.is_some_and(|facts| facts.programs.get(name) == Some(&None));
                let more = if gone { " No such program is found here." } else { "" };
                judge.unknown("command.unknown-program", format!("No rule covers `{name}`.{more}"));
            }),
        }
    }

    /// Judges a program or subcommand that is told from its name: by the entry of the longest name that its words
    /// make, and by what is declared of it if that objects.
    pub(super) fn subcommand(&mut self, name: &str, words: &[Word]) {
        if only_word(words).is_some_and(|word| table().explains_itself(name, word)) {
            self.readers.insert(name.to_owned());
            return;
        }
        let (before, outer, outlasts) = (self.findings.len(), self.ineligible, self.outlasts.clone());
        let entry = table().entry(name);
        if words.first().is_some_and(|word| word.text().is_none() && !word.prefix().starts_with('-'))
            && table().continues(name)
        {
            self.unreadable("command.vague-flag", format!("What follows `{name}` may become any subcommand of it."));
        }
        // What a longer name stands for was judged as that.
        let mut handed = false;
        let named = entry.is_some_and(|entry| without_toolchain(entry, words).len() < words.len());
        if named && self.facts.is_some_and(|facts| facts.unguarded) {
            let sentence =
                format!("Nothing guards `{name}` in this run, and it may fetch the toolchain that it names.");
            self.unknown("command.toolchain", sentence);
        }
        match entry {
            Some(entry) if entry.group => handed = self.group(entry, name, without_toolchain(entry, words)),
            Some(entry) => {
                let words = without_toolchain(entry, words);
                if entry.toolchain && words.first().is_some_and(|word| word.prefix().starts_with('+')) {
                    self.unknown("command.toolchain", format!("`{name}` runs what lies in the folder that it names."));
                }
                match words.first().and_then(|word| longer(name, word)) {
                    Some(longer) => {
                        self.subcommand(&longer, &words[1..]);
                        handed = true;
                    }
                    None => self.by_entry(entry, name, words),
                }
            }
            None if table().danger(name).is_none() => self.uncovered(name),
            None => {}
        }
        if self.findings.len() == before && entry.is_some() || self.shows_unnamed(name, before) {
            return;
        }
        // What a program of the table does in ways that the table doesn't list is not for a claim to lift, but where
        // it is known to run what is here.
        let declared = danger::longest(name, words);
        self.outlasts = outlasts;
        let found = &self.findings[before..];
        let checks = !found.is_empty() && found.iter().all(|finding| finding.rule == "command.checks");
        if !handed && !checks {
            let of_workspace = declared.as_ref().is_some_and(|(_, declared)| declared.kind == DangerKind::Works);
            self.ineligible = outer || !of_workspace;
        }
        let Some((name, declared)) = declared else { return };
        // What would only look, at something sensitive or beyond its words, does nothing else.
        let looks = !found.is_empty() && found.iter().all(unguarded::only_looks);
        if !looks && !danger::told(found) {
            // What it does says more than that it wasn't called for a look.
            let found = self.findings.split_off(before);
            let vague = |finding: &Finding| matches!(&*finding.rule, "command.needs-flag" | "command.operands");
            self.findings.extend(found.into_iter().filter(|finding| !vague(finding)));
            self.declared(&name, declared, words);
        }
    }

    /// A program with subcommands: flags before the subcommand, then the subcommand's own entry. False where it didn't
    /// come to that.
    fn group(&mut self, entry: &Entry, name: &str, words: &[Word]) -> bool {
        let mut at = 0;
        let mut looks = !entry.acts;
        let mut leading = Vec::new();
        while let Some(word) = words.get(at) {
            let Some(text) = word.text() else {
                self.about(word, |judge| {
                    let sentence = format!("{} may become any subcommand of `{name}`.", judge.spelt(word));
                    judge.unreadable("command.vague-flag", sentence);
                });
                return false;
            };
            if !text.starts_with('-') || longer(name, word).is_some() {
                break;
            }
            let flag = text.split_once('=').map_or(text, |(flag, _)| flag);
            looks |= entry.requires.contains(flag);
            let start = at;
            match entry.flags.get(flag) {
                Some(Takes::Value(kind)) if flag == text => {
                    if self.uncertain_value(name, words.get(at + 1)) {
                        return false;
                    }
                    if let Some(value) = words.get(at + 1) {
                        self.about(value, |judge| judge.meant(*kind, name, value));
                    }
                    at += 1;
                }
                Some(Takes::Value(kind) | Takes::Attached(kind)) => {
                    let value = word.after(flag.len() + usize::from(flag != text));
                    self.about(word, |judge| judge.meant(*kind, name, &value));
                }
                Some(Takes::Nothing | Takes::Pair(_)) if flag == text => {}
                Some(Takes::Nothing | Takes::Pair(_)) | None => {
                    self.about(word, |judge| {
                        let sentence = format!("No rule says that `{name}` with `{flag}` only reads.");
                        judge.unknown("command.unknown-flag", sentence);
                    });
                    return false;
                }
            }
            at += 1;
            leading.push((flag.to_owned(), words.get(start..at).unwrap_or_default()));
        }
        let Some(subcommand) = words.get(at).and_then(Word::text) else {
            if looks {
                self.beyond_the_words(entry, name, &Flags::of(entry, words), 0);
                self.readers.insert(name.to_owned());
            } else {
                self.unknown("command.no-subcommand", format!("`{name}` without a subcommand does more than look."));
            }
            return false;
        };
        if subcommand.contains(char::is_whitespace) {
            self.unknown("command.unknown-subcommand", format!("`{subcommand}` is no subcommand of `{name}`."));
            return false;
        }
        let name = format!("{name} {subcommand}");
        // `apt-get -s install x` is `apt-get install -s x`, and what a flag may be there it may be here.
        let own = table().entry(&name);
        let alike = |flag: &String| match (own.and_then(|own| own.flags.get(flag)), entry.flags.get(flag)) {
            (Some(own), Some(above)) => std::mem::discriminant(own) == std::mem::discriminant(above),
            _ => false,
        };
        let passed = leading.into_iter().filter(|(flag, _)| alike(flag)).flat_map(|(_, words)| words);
        let words: Vec<Word> = passed.chain(&words[at + 1..]).cloned().collect();
        self.subcommand(&name, &words);
        true
    }

    /// Words that a shell takes for its own, and help or version of a program of the table.
    fn shell_word(&mut self, name: &str, words: &[Word]) -> bool {
        if only_word(words).is_some_and(|word| table().explains_itself(name, word)) {
            self.readers.insert(name.to_owned());
            return true;
        }
        false
    }

    /// What a name resolves to must be a program of the system.
    fn trusted(&mut self, name: &str) -> bool {
        self.mentions.programs.insert(name.to_owned());
        let Some(Some(path)) = self.facts.and_then(|facts| facts.programs.get(name)) else { return true };
        let open = ["/tmp", "/var/tmp", "/dev/shm"];
        // A workspace that holds the system's own folders doesn't make them its own.
        let system = SYSTEM.iter().any(|folder| path.starts_with(folder) && !self.place.workspace.starts_with(folder));
        if path.starts_with(&self.place.workspace) && !system || open.iter().any(|folder| path.starts_with(folder)) {
            self.ineligible = true;
            self.unreadable(
                "command.planted-program",
                format!("`{name}` is {}, a file that anybody may have put there.", path.display()),
            );
            return false;
        }
        true
    }

    /// What rules compare: the program, and its subcommand where it has one. Where that isn't sure, no allow rule with
    /// a subcommand fits, and every deny rule whose subcommand may be meant does.
    fn shaped(&mut self, name: &str, words: &[Word]) {
        let program = || Shape::new([("program", name)]);
        let both = |subcommand| Shape::new([("program", name), ("subcommand", subcommand)]);
        let grouped = table().entry(name).filter(|entry| entry.group);
        let words = grouped.map_or(words, |entry| without_toolchain(entry, words));
        let found = match grouped {
            _ if name == "git" => Some(subcommand_at(words, git::leading_flag)),
            Some(entry) => Some(subcommand_at(words, |flag| entry.flags.get(flag).copied())),
            None => None,
        };
        match found {
            Some(Ok(at)) => match words.get(at).and_then(Word::text) {
                Some(subcommand) => self.shapes.push(both(subcommand)),
                None => self.shapes.push(program()),
            },
            Some(Err(at)) => {
                self.shapes.push(program());
                let maybe = words[at..].iter().filter_map(Word::text).filter(|text| !text.starts_with('-'));
                self.shapes.extend(maybe.map(both));
            }
            None => self.shapes.push(program()),
        }
    }
}

/// Where the subcommand of a program that has such stands among its words, if that is sure.
pub(super) fn subcommand_of(name: &str, words: &[Word]) -> Option<usize> {
    let found = if name == "git" {
        subcommand_at(words, git::leading_flag)
    } else {
        let entry = table().entry(name).filter(|entry| entry.group)?;
        subcommand_at(words, |flag| entry.flags.get(flag).copied())
    };
    found.ok().filter(|at| words.get(*at).is_some_and(|word| word.text().is_some()))
}

/// The words without a toolchain that the first of them chooses by its name.
fn without_toolchain<'w>(entry: &Entry, words: &'w [Word]) -> &'w [Word] {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let chosen = words.first().and_then(Word::text).and_then(|text| text.strip_prefix('+'));
    match chosen {
        Some(name) if entry.toolchain && name.starts_with(char::is_alphanumeric) && name.chars().all(plain) => {
            &words[1..]
        }
        Some(_) | None => words,
    }
}

/// The name with a word added, if there is an entry for that.
fn longer(name: &str, word: &Word) -> Option<String> {
    let word = word.text().filter(|text| !text.contains(char::is_whitespace))?;
    let longer = format!("{name} {word}");
    table().names_exactly(&longer).then_some(longer)
}

/// Where the subcommand stands, or from where on it may be any word.
fn subcommand_at(words: &[Word], takes: impl Fn(&str) -> Option<Takes>) -> Result<usize, usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text().ok_or(at)?;
        if !text.starts_with('-') {
            break;
        }
        let flag = text.split_once('=').map_or(text, |(flag, _)| flag);
        at += match takes(flag) {
            None => return Err(at),
            Some(Takes::Value(_)) if flag == text => 2,
            Some(Takes::Nothing | Takes::Attached(_) | Takes::Value(_) | Takes::Pair(_)) => 1,
        };
    }
    Ok(at)
}

/// The only word.
fn only_word(words: &[Word]) -> Option<&str> {
    match words {
        [only] => only.text(),
        _ => None,
    }
}

/// A program's name without the folder of the system that it is in; another folder is left where it stands.
pub(super) fn plain_name(written: &str) -> &str {
    match SYSTEM.iter().find_map(|folder| written.strip_prefix(folder)) {
        Some(name) if !name.contains('/') => name,
        _ => written,
    }
}

pub(super) fn first_word(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}
