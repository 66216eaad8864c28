//! The words of what moves, copies, links or makes files, or changes their rights: which files, and where they go.

use super::{Clash, Does, Goal, Linking};
use crate::assess::command::rewriting::Spelled;
use crate::assess::command::word::Word;

/// Flags that `mv` and `cp` share, beside those of [`Read::clash`]. Others change where things go.
const SHARED: [&str; 6] = ["-v", "--verbose", "-t", "--target-directory", "-T", "--no-target-directory"];
/// Flags of `cp` that change nothing of what is copied.
const COPYING: [&str; 13] = [
    "--parents",
    "-p",
    "-x",
    "-d",
    "-P",
    "-r",
    "-R",
    "-a",
    "--recursive",
    "--archive",
    "--preserve",
    "--no-dereference",
    "--one-file-system",
];
/// Flags that change nothing of what `chmod` and its kin touch.
const PERMITTING: [&str; 11] = [
    "-R",
    "--recursive",
    "-v",
    "--verbose",
    "-c",
    "--changes",
    "-f",
    "--silent",
    "--quiet",
    "--preserve-root",
    "--no-preserve-root",
];
/// Rights that `chmod` takes away: they look like flags.
const TAKEN: [&str; 6] = ["-r", "-w", "-x", "-X", "-s", "-t"];

pub(super) fn moving(words: &[Word]) -> Option<Does> {
    let read = flagged(words, &["-t"])?;
    let clash = read.clash(&SHARED)?;
    let (names, goal) = read.going(clash)?;
    Some(Does::Move { names, goal })
}

pub(super) fn copying(words: &[Word]) -> Option<Does> {
    let read = flagged(words, &["-t"])?;
    let recursive = read.has(&["-r", "-R", "-a", "--recursive", "--archive"]);
    let links = recursive || read.has(&["-d", "-P", "--no-dereference"]);
    let clash = read.clash(&[SHARED.as_slice(), &COPYING].concat())?;
    let (names, goal) = read.going(clash)?;
    Some(Does::Copy { names, goal, recursive, links })
}

pub(super) fn linking(words: &[Word]) -> Option<Does> {
    const KNOWN: [&str; 15] = [
        "-s",
        "--symbolic",
        "-f",
        "--force",
        "-n",
        "--no-dereference",
        "-v",
        "--verbose",
        "-r",
        "--relative",
        "-T",
        "--no-target-directory",
        "-t",
        "--target-directory",
        "-h",
    ];
    let mut read = flagged(words, &["-t"])?;
    if !read.flags.iter().all(|flag| KNOWN.contains(&flag.split('=').next().unwrap_or(flag))) {
        return None;
    }
    let symbolic = read.has(&["-s", "--symbolic"]);
    let replaces_links = read.has(&["-n", "-h", "--no-dereference"]);
    let clash = if read.has(&["-f", "--force"]) { Clash::Replaced } else { Clash::Kept };
    // Alone, it is linked to here.
    if let ([_], None) = (read.operands.as_slice(), &read.target) {
        read.target = Some(Word::exact("."));
    }
    let (names, goal) = read.going(clash)?;
    Some(Does::Link { names, goal, how: Linking { symbolic, replaces_links } })
}

pub(super) fn installing(words: &[Word]) -> Option<Does> {
    const VALUED: [&str; 8] = ["-m", "--mode", "-o", "--owner", "-g", "--group", "-S", "--suffix"];
    const KNOWN: [&str; 17] = [
        "-b",
        "-C",
        "--compare",
        "-c",
        "-D",
        "-d",
        "--directory",
        "-p",
        "--preserve-timestamps",
        "-s",
        "--strip",
        "-t",
        "--target-directory",
        "-T",
        "--no-target-directory",
        "-v",
        "--verbose",
    ];
    let read = flagged(words, &[VALUED.as_slice(), &["-t"]].concat())?;
    let known = |flag: &str| KNOWN.contains(&flag) || VALUED.contains(&flag);
    if !read.flags.iter().all(|flag| known(flag.split('=').next().unwrap_or(flag))) {
        return None;
    }
    if read.has(&["-d", "--directory"]) {
        return Some(Does::Install { names: read.operands, goal: None });
    }
    let (names, goal) = read.going(Clash::Replaced)?;
    Some(Does::Install { names, goal: Some(goal) })
}

pub(super) fn permitting(name: &str, words: &[Word]) -> Option<Does> {
    let read = flagged(words, &[])?;
    let recursive = read.has(&["-R", "--recursive"]);
    let itself = read.has(&["-h", "--no-dereference"]);
    let (rights, flags) = read.flags.iter().partition::<Vec<_>, _>(|flag| name == "chmod" && TAKEN.contains(&&***flag));
    let known = |flag: &&String| {
        PERMITTING.contains(&&***flag) || name != "chmod" && ["-h", "--no-dereference"].contains(&&***flag)
    };
    if !flags.iter().all(known) {
        return None;
    }
    // The first word says which rights, unless a flag does.
    let names = read.operands.into_iter().skip(usize::from(rights.is_empty())).collect();
    // Going into folders, `chown` leaves alone what links lead to.
    let follows = name == "chmod" || !itself && !recursive;
    Some(Does::Rights { names, recursive, follows })
}

pub(super) fn making(name: &str, words: &[Word]) -> Option<Does> {
    let folders = name == "mkdir";
    let read = flagged(words, if folders { &["-m", "--mode"] } else { &["-d", "-t", "--date", "--time"] })?;
    let parents = read.has(&["-p", "--parents"]);
    let known: &[&str] = if folders {
        &["-p", "--parents", "-v", "--verbose", "-m", "--mode"]
    } else {
        &["-a", "-m", "-d", "--date", "--time"]
    };
    let all = read.flags.iter().all(|flag| known.contains(&flag.split('=').next().unwrap_or(flag)));
    all.then_some(Does::Make { names: read.operands, folders, parents })
}

/// What flags and operands a command has.
pub(super) struct Read {
    pub(super) operands: Vec<Word>,
    /// The folder of `-t`.
    target: Option<Word>,
    /// Each letter by itself, long ones as they are written.
    flags: Vec<String>,
}

impl Read {
    /// Whether one of the flags is there.
    pub(super) fn has(&self, wanted: &[&str]) -> bool {
        self.flags.iter().any(|flag| wanted.contains(&flag.as_str()))
    }

    /// Whether a long flag is there, maybe shortened.
    pub(super) fn shortened(&self, long: &str) -> bool {
        self.flags.iter().any(|flag| flag.len() > 2 && long.starts_with(flag.as_str()))
    }

    /// What happens to what is there. None if the flags say several things, or one is not `known`.
    fn clash(&self, known: &[&str]) -> Option<Clash> {
        let mut clash = None;
        for flag in &self.flags {
            let next = match flag.as_str() {
                "-n" | "--no-clobber" | "--update=none" => Clash::Kept,
                "-u" | "--update" | "--update=older" => Clash::Older,
                "-b" | "--backup" => Clash::Renamed,
                "-f" | "--force" | "-i" | "--interactive" | "--update=all" => Clash::Replaced,
                flag if known.contains(&flag.split('=').next().unwrap_or(flag)) => continue,
                _ => return None,
            };
            if *clash.get_or_insert(next) != next {
                return None;
            }
        }
        Some(clash.unwrap_or(Clash::Replaced))
    }

    /// The operands without the last, and that one as where they go; or all of them, with `-t`.
    fn going(mut self, clash: Clash) -> Option<(Vec<Word>, Goal)> {
        let exact = self.has(&["-T", "--no-target-directory"]);
        let whole = self.has(&["--parents"]);
        let folder = self.target.is_some() || self.operands.len() > 2 || whole;
        if exact && folder {
            return None;
        }
        let to = match self.target {
            Some(target) => target,
            None => self.operands.pop()?,
        };
        (!self.operands.is_empty()).then_some((self.operands, Goal { to, folder, exact, whole, clash }))
    }
}

/// Reads words as flags and operands: those of `valued` take the next word. None if a word may be a flag or anything.
pub(super) fn flagged(words: &[Word], valued: &[&str]) -> Option<Read> {
    const TARGET: [&str; 2] = ["-t", "--target-directory"];
    let spelled = Spelled::of(words, &[valued, &TARGET[1..]].concat(), &[])?;
    let target = spelled.values(&TARGET).last().cloned();
    let written = |(name, value): (String, Option<Word>)| match value.as_ref().and_then(Word::text) {
        Some(value) if name.starts_with("--") => format!("{name}={value}"),
        Some(_) | None => name,
    };
    Some(Read { target, flags: spelled.flags.into_iter().map(written).collect(), operands: spelled.operands })
}
