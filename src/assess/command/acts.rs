//! What the commands of a text would do to files and to a repository, as far as their words tell: the material of
//! a preview. Told from what the judging walk read; decides nothing.

mod bringing;
mod filing;
mod made;
mod signals;

pub use self::bringing::{Bringer, Bringing, Strip};
use self::filing::{copying, flagged, installing, linking, making, moving, permitting};
pub use self::made::{Made, Making, made, named_from};
pub use self::signals::{Receivers, Signal};
use super::git;
use super::otherwise::{goes, goes_by_links, matches_otherwise, patterned};
use super::programs::plain_name;
use super::reading::{ReadCommand, Reading, reading};
use super::rewriting;
use super::searching::{self, Search};
use super::table::Takes;
use super::word::Word;
use crate::assess::AssessSettings;
use crate::domain::{Facts, Span};

/// One thing that a command would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// What.
    pub does: Does,
    /// The folder that its names start from; none if that may be any.
    pub folder: Option<String>,
    /// The folders that were gone into before: if one isn't there, it happens elsewhere, or not.
    pub entered: Vec<String>,
    /// Whether it may happen more than once.
    pub again: bool,
}

/// What happens to a file where another one goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// It is replaced.
    Replaced,
    /// It is replaced if it is the older of the two.
    Older,
    /// It is left as it is.
    Kept,
    /// It gets another name.
    Renamed,
}

/// Where files are moved or copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// To another name, or into a folder.
    pub to: Word,
    /// It has to be a folder.
    pub folder: bool,
    /// It is that very name, even if a folder is there.
    pub exact: bool,
    /// What goes there goes with the folders that its name is written with.
    pub whole: bool,
    /// What happens to what is there.
    pub clash: Clash,
}

/// How links are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linking {
    /// By a name, which need not be there.
    pub symbolic: bool,
    /// A link to a folder is what they take the place of, not a way into the folder.
    pub replaces_links: bool,
}

/// The size that a file gets, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// This one.
    Exactly(u64),
    /// More by so much.
    More(u64),
    /// Less by so much.
    Less(u64),
    /// What it has, if that is no more.
    AtMost(u64),
    /// What it has, if that is no less.
    AtLeast(u64),
    /// The next smaller multiple.
    Down(u64),
    /// The next larger multiple.
    Up(u64),
}

impl Size {
    /// The size of a file that has `now`.
    #[must_use]
    pub fn of(self, now: u64) -> u64 {
        match self {
            Self::Exactly(bytes) => bytes,
            Self::More(bytes) => now.saturating_add(bytes),
            Self::Less(bytes) => now.saturating_sub(bytes),
            Self::AtMost(bytes) => now.min(bytes),
            Self::AtLeast(bytes) => now.max(bytes),
            Self::Down(bytes) => now - now.checked_rem(bytes).unwrap_or_default(),
            Self::Up(bytes) => now.checked_next_multiple_of(bytes).unwrap_or(now),
        }
    }
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
    /// Deletes what another program lists of these, taken apart at blanks.
    Listed {
        /// Which.
        names: Vec<Word>,
        /// Folders too, with everything in them.
        recursive: bool,
        /// Of a folder its name is listed, not what is in it.
        whole: bool,
    },
    /// Moves files and folders.
    Move {
        /// Which.
        names: Vec<Word>,
        /// Where.
        goal: Goal,
    },
    /// Copies files, or with `recursive` folders too.
    Copy {
        /// Which.
        names: Vec<Word>,
        /// Where.
        goal: Goal,
        /// With everything in them.
        recursive: bool,
        /// Links as links, not what they lead to.
        links: bool,
    },
    /// Makes links.
    Link {
        /// To which.
        names: Vec<Word>,
        /// Where; what is there is kept, or replaced.
        goal: Goal,
        /// How.
        how: Linking,
    },
    /// Changes rights or owners.
    Rights {
        /// Of which.
        names: Vec<Word>,
        /// And of everything in them.
        recursive: bool,
        /// Of what a link leads to, not of the link itself.
        follows: bool,
    },
    /// Writes a file anew, or adds to it.
    Redirect {
        /// Which.
        name: Word,
        /// Adds to it.
        appends: bool,
    },
    /// Sets the size of files.
    Resize {
        /// Which.
        names: Vec<Word>,
        /// To which size.
        to: Size,
        /// Creates those that aren't there.
        creates: bool,
    },
    /// Puts files with other text in the place of files.
    Rewrite {
        /// Which.
        names: Vec<Word>,
        /// What is put behind the names under which they are kept.
        suffix: Option<String>,
        /// What a link leads to, not the link itself.
        follows: bool,
    },
    /// Makes files or folders that aren't there yet.
    Make {
        /// Which.
        names: Vec<Word>,
        /// Folders, not files.
        folders: bool,
        /// Takes one that is there for done, and makes those above it.
        parents: bool,
    },
    /// Copies files and gives them rights of their own, or makes folders: not measured.
    Install {
        /// Which.
        names: Vec<Word>,
        /// Where; none for folders.
        goal: Option<Goal>,
    },
    /// Deletes or moves what a search finds.
    Search(Search),
    /// Brings files out of an archive, or out of a folder as they are there.
    Bring(Bringing),
    /// Sends a signal to processes.
    Signal(Signal),
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
    let otherwise = commands.iter().any(matches_otherwise) || command.contains("GLOBIGNORE");
    // What these say, here or in what was exported before, isn't looked up.
    let steered = ["TAR_OPTIONS", "UNZIP", "RSYNC_", "POSIXLY_CORRECT", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];
    let steered = steered.iter().any(|name| command.contains(name));
    let start = facts.place.cwd.to_string_lossy();
    let elsewhere = command.contains("CDPATH") || commands.iter().any(goes_by_links);
    let mut entered: Vec<String> = Vec::new();
    let mut add = |does: Does, folder: Option<String>, entered: &[String], again: bool| match acts
        .iter_mut()
        .find(|act| act.does == does && act.folder == folder)
    {
        Some(act) => act.again = true,
        None => acts.push(Act { does, folder, entered: entered.to_vec(), again }),
    };
    // Whether it stands in another folder than its words tell.
    let mut gone = false;
    // A search before which nothing but `cd` was: all that flows into what stands behind it is its own.
    let mut searched: Option<ReadCommand> = None;
    let mut first = true;
    let mut asked: Vec<(Vec<Word>, Option<Span>)> = Vec::new();
    let mut commands = commands.into_iter();
    while let Some(mut command) = commands.next() {
        let search = searched.take();
        if first && !goes(&command) {
            first = false;
            searched = Some(command.clone());
        }
        command.folder = command.folder.filter(|_| !gone);
        gone |= elsewhere && goes(&command);
        if let Some(folder) = command.folder.as_ref().filter(|folder| **folder != start && !entered.contains(folder)) {
            entered.push(folder.clone());
        }
        if command.wraps {
            let run = commands.as_slice().first();
            let fed = || searching::fed(search.as_ref()?, &command, run?);
            let open =
                |does: &Does| matches!(does, Does::Listed { names, .. } if otherwise && names.iter().any(patterned));
            if let Some(does) = searching::runs(&command).map(Does::Search).or_else(fed).filter(|does| !open(does)) {
                // What it runs is told with it.
                let _run = commands.next();
                add(does, command.folder, &entered, command.repeated);
            }
            continue;
        }
        // In a further pass of a loop, what is said of it was said before.
        if !command.objected && !asked.iter().any(|(words, span)| *words == command.words && *span == command.span) {
            continue;
        }
        asked.push((command.words.clone(), command.span.clone()));
        match command.words.split_first() {
            Some((first, words)) if otherwise && words.iter().any(patterned) || steered && obeys(first) => {
                add(Does::Unmeasured(first.shown()), command.folder, &entered, command.repeated);
            }
            Some((first, words)) => {
                for (does, folder) in told(first, words, command.folder) {
                    add(does, folder, &entered, command.repeated);
                }
            }
            None => {
                let does = Does::Unmeasured("a command without a name".to_owned());
                add(does, command.folder, &entered, command.repeated);
            }
        }
    }
    for redirect in redirects {
        let does = if otherwise && patterned(&redirect.word) {
            Does::Unmeasured(redirect.word.shown())
        } else {
            Does::Redirect { name: redirect.word, appends: redirect.appends }
        };
        add(does, redirect.folder.filter(|_| !gone), &entered, false);
    }
    acts
}

/// Whether a variable may say what a program does beside its words.
fn obeys(first: &Word) -> bool {
    matches!(first.text().map(plain_name), Some("tar" | "gtar" | "unzip" | "rsync" | "git"))
}

/// What happens, each with the folder that its names start from.
type Placed = (Does, Option<String>);

fn told(first: &Word, words: &[Word], folder: Option<String>) -> Vec<Placed> {
    match first.text().and_then(|first| rewriting::told(plain_name(first), words)) {
        Some(does) => does.into_iter().map(|does| (does, folder.clone())).collect(),
        None => vec![act(first, words, folder)],
    }
}

fn act(first: &Word, words: &[Word], folder: Option<String>) -> Placed {
    let Some(name) = first.text().map(plain_name) else {
        return (Does::Unmeasured(first.shown()), folder);
    };
    let does = match name {
        // Whether somebody answers its questions isn't known.
        "rm" => flagged(words, &[]).filter(|read| !read.has(&["-i", "-I"]) && !read.shortened("--interactive")).map(
            |read| {
                let recursive = read.has(&["-r", "-R"]) || read.shortened("--recursive");
                Does::Delete { names: read.operands, recursive }
            },
        ),
        "unlink" | "rmdir" => flagged(words, &[]).map(|read| Does::Delete { names: read.operands, recursive: false }),
        "mv" => moving(words),
        "cp" => copying(words),
        "ln" => linking(words),
        "install" => installing(words),
        "chmod" | "chown" | "chgrp" => permitting(name, words),
        "mkdir" | "touch" => making(name, words),
        "tar" | "gtar" | "unzip" | "rsync" => bringing::told(name, words).map(Does::Bring),
        "kill" | "pkill" | "killall" => signals::told(name, words).map(Does::Signal),
        "git" => return of_git(words, folder),
        _ => None,
    };
    (does.unwrap_or_else(|| Does::Unmeasured(name.to_owned())), folder)
}

/// A git command: the folder that `-C` names counts, another repository or setting can't be told.
fn of_git(words: &[Word], folder: Option<String>) -> Placed {
    let unmeasured = |folder| (Does::Unmeasured("git".to_owned()), folder);
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
            (Does::Git { subcommand, words }, folder)
        }
        None => unmeasured(folder),
    }
}

#[cfg(test)]
mod tests;
