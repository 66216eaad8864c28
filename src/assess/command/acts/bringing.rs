//! The words of what brings many files at once: `tar` and `unzip` out of an archive, `rsync` out of a folder. Each
//! becomes the same program's own listing of what it would bring. Material of a preview, as in `acts`; decides nothing.

use super::Clash;
use crate::assess::command::word::Word;

/// Flags of `tar` without a value that change which names come, or how the archive is read: the listing gets them, too.
const TAR_READING: [&str; 15] = [
    "--gzip",
    "--bzip2",
    "--xz",
    "--zstd",
    "--lzma",
    "--lzip",
    "--lzop",
    "--uncompress",
    "--wildcards",
    "--no-wildcards",
    "--anchored",
    "--no-anchored",
    "--ignore-case",
    "--no-ignore-case",
    "--ignore-zeros",
];
/// Those that change neither names nor what is there.
const TAR_PLAIN: [&str; 13] = [
    "--extract",
    "--get",
    "--auto-compress",
    "--verbose",
    "--totals",
    "--touch",
    "--numeric-owner",
    "--same-owner",
    "--no-same-owner",
    "--same-permissions",
    "--preserve-permissions",
    "--no-same-permissions",
    "--unlink-first",
];
/// Flags of `rsync` of which its listing says what they do. Its answer is the same without those that only say more.
const RSYNC: [&str; 25] = [
    "--archive",
    "--recursive",
    "--links",
    "--copy-links",
    "--perms",
    "--times",
    "--group",
    "--owner",
    "--devices",
    "--specials",
    "--update",
    "--compress",
    "--one-file-system",
    "--hard-links",
    "--delete",
    "--delete-after",
    "--delete-excluded",
    "--existing",
    "--ignore-existing",
    "--ignore-times",
    "--size-only",
    "--no-owner",
    "--no-group",
    "--no-perms",
    "--prune-empty-dirs",
];
const RSYNC_SAYING: [&str; 6] =
    ["--verbose", "--human-readable", "--itemize-changes", "--stats", "--progress", "--partial"];

/// What brings files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bringer {
    /// `tar`, out of an archive.
    Tar,
    /// `unzip`.
    Unzip,
    /// `rsync`, out of folders of this machine; it may delete what they lack.
    Rsync,
}

impl Bringer {
    /// The name of the program.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tar => "tar",
            Self::Unzip => "unzip",
            Self::Rsync => "rsync",
        }
    }
}

/// Files that come from elsewhere, many at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bringing {
    /// By which program.
    pub by: Bringer,
    /// Its words, behind the program, which list instead.
    pub words: Vec<String>,
    /// The archive, or the folders and files.
    pub from: Vec<String>,
    /// The folder where they go; empty for the one where it runs.
    pub to: String,
    /// How many parts are taken from the front of each name.
    pub strip: Strip,
    /// What happens to what is there. None if it asks.
    pub clash: Option<Clash>,
}

/// What is left of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strip {
    /// All but so many parts.
    Parts(usize),
    /// The last part.
    Folders,
}

/// What such a program does, if its words tell.
pub(super) fn told(name: &str, words: &[Word]) -> Option<Bringing> {
    let texts: Vec<&str> = words.iter().map(Word::text).collect::<Option<_>>()?;
    match name {
        "tar" | "gtar" => tar(&texts),
        "unzip" => unzip(&texts),
        "rsync" => rsync(&texts),
        _ => None,
    }
}

/// One word, or a letter of one, with its value.
enum Part<'w> {
    Flag(String, Option<&'w str>),
    Operand(&'w str),
}

/// Takes words apart; of `valued`, a flag has a value. None if one lacks it.
fn parts<'w>(texts: &[&'w str], valued: &[&str]) -> Option<Vec<Part<'w>>> {
    let (mut parts, mut ended) = (Vec::new(), false);
    let mut texts = texts.iter().copied();
    while let Some(text) = texts.next() {
        if ended || !text.starts_with('-') || text == "-" {
            parts.push(Part::Operand(text));
        } else if text == "--" {
            ended = true;
        } else if text.starts_with("--") {
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None if valued.contains(&text) => (text, Some(texts.next()?)),
                None => (text, None),
            };
            parts.push(Part::Flag(name.to_owned(), value));
        } else {
            for (at, letter) in text.char_indices().skip(1) {
                let (name, rest) = (format!("-{letter}"), &text[at + letter.len_utf8()..]);
                if valued.contains(&name.as_str()) {
                    let value = if rest.is_empty() { texts.next()? } else { rest };
                    parts.push(Part::Flag(name, Some(value)));
                    break;
                }
                parts.push(Part::Flag(name, None));
            }
        }
    }
    Some(parts)
}

fn tar(texts: &[&str]) -> Option<Bringing> {
    const VALUED: [&str; 6] = ["-f", "--file", "-C", "--directory", "--strip-components", "--exclude"];
    let mut read = Vec::new();
    let mut rest = texts;
    // The old way: letters without a dash, and their values behind them.
    if let Some((first, behind)) = texts.split_first().filter(|(first, _)| !first.starts_with('-')) {
        rest = behind;
        for letter in first.chars() {
            let name = format!("-{letter}");
            let value = match rest.split_first() {
                Some((value, behind)) if VALUED.contains(&name.as_str()) => {
                    rest = behind;
                    Some(*value)
                }
                None if VALUED.contains(&name.as_str()) => return None,
                Some(_) | None => None,
            };
            read.push(Part::Flag(name, value));
        }
    }
    read.extend(parts(rest, &VALUED)?);
    let (mut extracts, mut archive, mut to, mut strip) = (false, None, None, 0);
    let (mut clash, mut words, mut members) = (Clash::Replaced, Vec::new(), Vec::new());
    for part in read {
        match part {
            Part::Operand(member) => members.push(member.to_owned()),
            Part::Flag(name, value) => match (name.as_str(), value) {
                ("-x" | "--extract" | "--get", None) => extracts = true,
                ("-f" | "--file", Some(value)) if archive.is_none() && value != "-" => archive = Some(value.to_owned()),
                // One behind a name holds for those that follow.
                ("-C" | "--directory", Some(value)) if to.is_none() && members.is_empty() => {
                    to = Some(value.to_owned());
                }
                ("--strip-components", Some(value)) => strip = value.parse().ok()?,
                ("--exclude", Some(value)) => words.push(format!("--exclude={value}")),
                ("-k" | "--keep-old-files" | "--skip-old-files", None) => clash = Clash::Kept,
                ("-z" | "-j" | "-J" | "-Z", None) => words.push(name),
                (name, None) if TAR_READING.contains(&name) => words.push(name.to_owned()),
                ("-v" | "-p" | "-m" | "-o" | "-a" | "-U", None) => {}
                (name, None) if TAR_PLAIN.contains(&name) => {}
                _ => return None,
            },
        }
    }
    let archive = archive.filter(|_| extracts)?;
    let head = ["-t", "--quoting-style=escape", "-f", &archive].map(str::to_owned);
    // A name may look like a flag behind them.
    if !members.is_empty() {
        members.insert(0, "--".to_owned());
    }
    Some(Bringing {
        by: Bringer::Tar,
        words: [head.to_vec(), words, members].concat(),
        from: vec![archive],
        to: to.unwrap_or_default(),
        strip: Strip::Parts(strip),
        clash: Some(clash),
    })
}

fn unzip(texts: &[&str]) -> Option<Bringing> {
    let (mut to, mut strip, mut clash) = (None, Strip::Parts(0), None);
    let mut operands = Vec::new();
    // What stands behind `-x` stays where it is.
    let (texts, left) = match texts.iter().position(|text| *text == "-x") {
        Some(at) => (&texts[..at], &texts[at + 1..]),
        None => (texts, [].as_slice()),
    };
    for part in parts(&[texts, &[]].concat(), &["-d"])? {
        match part {
            Part::Operand(name) => operands.push(name.to_owned()),
            Part::Flag(name, value) => match (name.as_str(), value) {
                ("-d", Some(value)) if to.is_none() => to = Some(value.to_owned()),
                ("-j", None) => strip = Strip::Folders,
                ("-o", None) if clash.is_none() => clash = Some(Clash::Replaced),
                ("-n", None) if clash.is_none() => clash = Some(Clash::Kept),
                ("-q", None) => {}
                _ => return None,
            },
        }
    }
    // Behind those that stay, a flag may stand again.
    if left.iter().any(|text| text.starts_with('-')) {
        return None;
    }
    let archive = operands.first()?.clone();
    let left = if left.is_empty() { Vec::new() } else { [&["-x"], left].concat() };
    let words = ["-Z1".to_owned()].into_iter().chain(operands).chain(left.iter().map(|text| (*text).to_owned()));
    Some(Bringing {
        by: Bringer::Unzip,
        words: words.collect(),
        from: vec![archive],
        to: to.unwrap_or_default(),
        strip,
        clash,
    })
}

fn rsync(texts: &[&str]) -> Option<Bringing> {
    const VALUED: [&str; 4] = ["--exclude", "--include", "--max-size", "--min-size"];
    let (mut words, mut operands) = (vec!["-n".to_owned(), "-i".to_owned()], Vec::new());
    for part in parts(texts, &VALUED)? {
        match part {
            Part::Operand(name) => operands.push(name.to_owned()),
            Part::Flag(name, value) => match (name.as_str(), value) {
                (name, Some(value)) if VALUED.contains(&name) => words.push(format!("{name}={value}")),
                ("-v" | "-h" | "-i" | "-q" | "-P", None) => {}
                (name, None) if RSYNC_SAYING.contains(&name) => {}
                (
                    "-a" | "-r" | "-l" | "-L" | "-p" | "-t" | "-g" | "-o" | "-D" | "-u" | "-z" | "-x" | "-H" | "-m",
                    None,
                ) => words.push(name),
                (name, None) if RSYNC.contains(&name) => words.push(name.to_owned()),
                _ => return None,
            },
        }
    }
    let to = operands.pop().filter(|_| !operands.is_empty())?;
    words.push("--".to_owned());
    Some(Bringing {
        by: Bringer::Rsync,
        words: [words, operands.clone(), vec![to.clone()]].concat(),
        from: operands,
        to,
        strip: Strip::Parts(0),
        clash: Some(Clash::Replaced),
    })
}
