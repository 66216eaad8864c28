//! What the commands of a text would do to files and to a repository, as far as their words tell: the material of
//! a preview. Told from what the judging walk read; decides nothing.

use super::git;
use super::programs::plain_name;
use super::reading::{Reading, reading};
use super::table::Takes;
use super::word::Word;
use crate::assess::AssessSettings;
use crate::domain::Facts;

/// One thing that a command would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// What.
    pub does: Does,
    /// The folder that its names start from; none if that may be any.
    pub folder: Option<String>,
}

/// What a command would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// Deletes files, or with `recursive` folders too.
    Delete {
        /// Which.
        names: Vec<Word>,
        /// With everything in them.
        recursive: bool,
    },
    /// Moves files and folders.
    Move {
        /// Which.
        names: Vec<Word>,
        /// To another name, or into a folder.
        to: Word,
        /// Nothing is overwritten: it is left alone, or kept under another name.
        spares: bool,
    },
    /// Copies files, or with `recursive` folders too.
    Copy {
        /// Which.
        names: Vec<Word>,
        /// To another name, or into a folder.
        to: Word,
        /// With everything in them.
        recursive: bool,
        /// Nothing is overwritten: it is left alone, or kept under another name.
        spares: bool,
    },
    /// Changes rights or owners.
    Rights {
        /// Of which.
        names: Vec<Word>,
        /// And of everything in them.
        recursive: bool,
    },
    /// Writes a file anew, or adds to it.
    Redirect {
        /// Which.
        name: Word,
        /// Adds to it.
        appends: bool,
    },
    /// A subcommand of git.
    Git {
        /// Such as `push`.
        subcommand: String,
        /// The words after it.
        words: Vec<Word>,
    },
    /// Something that nothing here measures: the program, or why its words don't tell.
    Unmeasured(String),
}

/// What the commands of a text would do, in order, each thing once. What only reads does nothing.
#[must_use]
pub fn acts(command: &str, facts: &Facts, settings: &AssessSettings) -> Vec<Act> {
    let Reading { commands, redirects } = reading(command, facts, settings);
    let mut acts: Vec<Act> = Vec::new();
    let told = commands.into_iter().filter(|command| command.objected && !command.wraps).map(|command| {
        let folder = command.folder;
        match command.words.split_first() {
            Some((first, words)) => act(first, words, folder),
            None => Act { does: Does::Unmeasured("a command without a name".to_owned()), folder },
        }
    });
    let written = redirects.into_iter().map(|redirect| Act {
        does: Does::Redirect { name: redirect.word, appends: redirect.appends },
        folder: redirect.folder,
    });
    for act in told.chain(written) {
        if !acts.contains(&act) {
            acts.push(act);
        }
    }
    acts
}

fn act(first: &Word, words: &[Word], folder: Option<String>) -> Act {
    let Some(name) = first.text().map(plain_name) else {
        return Act { does: Does::Unmeasured(first.shown()), folder };
    };
    let does = match name {
        "rm" => flagged(words, &["-r", "-R", "--recursive"], &[])
            .map(|read| Does::Delete { names: read.operands, recursive: read.found }),
        "unlink" | "rmdir" | "shred" => {
            flagged(words, &[], &["-n", "-s"]).map(|read| Does::Delete { names: read.operands, recursive: false })
        }
        "mv" => flagged(words, &[], &["-S"]).and_then(|read| {
            let spares = read.spares;
            let (names, to) = read.with_target()?;
            Some(Does::Move { names, to, spares })
        }),
        "cp" => flagged(words, &["-r", "-R", "-a", "--recursive", "--archive"], &["-S"]).and_then(|read| {
            let (recursive, spares) = (read.found, read.spares);
            let (names, to) = read.with_target()?;
            Some(Does::Copy { names, to, recursive, spares })
        }),
        "chmod" | "chown" | "chgrp" => flagged(words, &["-R", "--recursive"], &[]).map(|read| {
            let names = read.operands.into_iter().skip(1).collect();
            Does::Rights { names, recursive: read.found }
        }),
        "git" => return of_git(words, folder),
        _ => None,
    };
    Act { does: does.unwrap_or_else(|| Does::Unmeasured(name.to_owned())), folder }
}

/// What flags and operands a command has.
struct Read {
    operands: Vec<Word>,
    /// The folder of `-t`.
    target: Option<Word>,
    /// One of the flags that were looked for.
    found: bool,
    /// A flag that keeps what is there.
    spares: bool,
}

/// Flags of `mv` and `cp` that keep what is there.
const SPARING: [&str; 6] = ["-n", "-b", "-u", "--no-clobber", "--backup", "--update"];

impl Read {
    /// The operands without the last, and that one as where they go; or all of them, with `-t`.
    fn with_target(mut self) -> Option<(Vec<Word>, Word)> {
        let to = match self.target {
            Some(target) => target,
            None => self.operands.pop()?,
        };
        (!self.operands.is_empty()).then_some((self.operands, to))
    }
}

/// Reads words as flags and operands: which of the flags `wanted` are there; those of `valued`, and `-t`, take the
/// next word. None if a word may be a flag or anything.
fn flagged(words: &[Word], wanted: &[&str], valued: &[&str]) -> Option<Read> {
    let mut read = Read { operands: Vec::new(), target: None, found: false, spares: false };
    let mut words = words.iter();
    let mut flags = true;
    while let Some(word) = words.next() {
        let head = word.prefix();
        if !flags || !head.starts_with('-') || word.text() == Some("-") {
            if word.may_be_flag() && word.vague() {
                return None;
            }
            read.operands.push(word.clone());
            continue;
        }
        let text = word.text()?;
        if text == "--" {
            flags = false;
        } else if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            if name == "target-directory" {
                read.target = Some(value.map_or_else(|| words.next().cloned(), |value| Some(Word::exact(value)))?);
            }
            // Shortened forms count where they can mean nothing else.
            read.spares |= SPARING.contains(&&*format!("--{name}"));
            read.found |= wanted.iter().filter_map(|flag| flag.strip_prefix("--")).any(|flag| flag.starts_with(name));
        } else {
            for (at, letter) in text.char_indices().skip(1) {
                let flag = format!("-{letter}");
                let rest = &text[at + letter.len_utf8()..];
                read.found |= wanted.contains(&flag.as_str());
                read.spares |= SPARING.contains(&flag.as_str());
                if flag == "-t" || valued.contains(&flag.as_str()) {
                    let value = if rest.is_empty() { words.next().cloned()? } else { Word::exact(rest) };
                    if flag == "-t" {
                        read.target = Some(value);
                    }
                    break;
                }
            }
        }
    }
    Some(read)
}

/// A git command: the folder that `-C` names counts, another repository or setting can't be told.
fn of_git(words: &[Word], folder: Option<String>) -> Act {
    let unmeasured = |folder| Act { does: Does::Unmeasured("git".to_owned()), folder };
    let mut folder = folder;
    let mut at = 0;
    while let Some(text) = words.get(at).map(|word| word.text().unwrap_or("-")).filter(|text| text.starts_with('-')) {
        match (text, git::leading_flag(text)) {
            ("-C", _) => {
                let Some(path) = words.get(at + 1).and_then(Word::text) else { return unmeasured(folder) };
                folder = if path.starts_with('/') {
                    Some(path.to_owned())
                } else {
                    folder.map(|folder| format!("{folder}/{path}"))
                };
                at += 2;
            }
            (_, Some(Takes::Nothing)) if text != "--bare" => at += 1,
            _ => return unmeasured(folder),
        }
    }
    match words.get(at).and_then(Word::text) {
        Some(subcommand) => {
            let (subcommand, words) = (subcommand.to_owned(), words[at + 1..].to_vec());
            Act { does: Does::Git { subcommand, words }, folder }
        }
        None => unmeasured(folder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Place;

    fn told(command: &str) -> Vec<String> {
        let place = Place { cwd: "/w".into(), workspace: "/w".into(), home: Some("/home/a".into()) };
        let facts = Facts { place, ..Facts::default() };
        let names = |names: &[Word]| names.iter().map(Word::shown).collect::<Vec<_>>().join(" ");
        let deep = |recursive: bool| if recursive { " with everything in it" } else { "" };
        acts(command, &facts, &AssessSettings::default())
            .iter()
            .map(|act| {
                let does = match &act.does {
                    Does::Delete { names: which, recursive } => format!("delete {}{}", names(which), deep(*recursive)),
                    Does::Move { names: which, to, .. } => format!("move {} to {}", names(which), to.shown()),
                    Does::Copy { names: which, to, recursive, .. } => {
                        format!("copy {} to {}{}", names(which), to.shown(), deep(*recursive))
                    }
                    Does::Rights { names: which, recursive } => format!("rights {}{}", names(which), deep(*recursive)),
                    Does::Redirect { name, appends } => {
                        format!("{} {}", if *appends { "append" } else { "write" }, name.shown())
                    }
                    Does::Git { subcommand, words } => format!("git {subcommand} {}", names(words)),
                    Does::Unmeasured(what) => format!("? {what}"),
                };
                format!("{}: {does}", act.folder.as_deref().unwrap_or("anywhere"))
            })
            .collect()
    }

    #[test]
    fn what_the_words_tell_is_told() {
        for (command, does) in [
            ("rm -rf build *.log", "/w: delete build *.log with everything in it"),
            ("rm -- -r", "/w: delete -r"),
            ("rm --recurs a 'b c'", "/w: delete a b c with everything in it"),
            ("cd sub && rm a", "/w/sub: delete a"),
            ("sudo rm -r /x", "/w: delete /x with everything in it"),
            ("mv -t there a b", "/w: move a b to there"),
            ("mv --target-directory=there a", "/w: move a to there"),
            ("mv a b/", "/w: move a to b/"),
            ("cp -a a b", "/w: copy a to b with everything in it"),
            ("chmod -R 777 .", "/w: rights . with everything in it"),
            ("ls > out.txt", "/w: write out.txt"),
            ("ls >> out.txt 2>/dev/null", "/w: append out.txt"),
            ("ls &>> out.txt", "/w: append out.txt"),
            ("git -C sub reset --hard HEAD~1", "/w/sub: git reset --hard HEAD~1"),
            ("git --no-pager push -f", "/w: git push -f"),
            ("git -c core.pager=x push", "/w: ? git"),
            ("make clean", "/w: ? make"),
            ("rm $x", "/w: ? rm"),
            ("mv a", "/w: ? mv"),
        ] {
            assert_eq!(told(command), [does], "{command}");
        }
        assert!(told("ls -la | wc -l").is_empty());
        assert_eq!(told("make && rm a && ls && rm a"), ["/w: ? make", "/w: delete a"]);
        assert_eq!(told("for f in *.log; do rm \"$f\"; done").len(), 1);
    }
}
