//! Dangers that depend on a program's words: what `rm`, `dd`, `chmod`, `mkfs` and their kind act on, and which of it
//! is a catastrophe. What a program always does stands in the table of dangers.

use super::flags::leading;
use super::git;
use super::judge::{Feed, Judge};
use super::programs::first_word;
use super::table::{DangerKind, Declared, table};
use super::web::sends;
use super::word::{Piece, Word};
use crate::domain::{Finding, PathKind};

/// Words that say of a subcommand that it looks, more likely than not.
const LOOKS: [&str; 13] = [
    "--list",
    "-l",
    "--get",
    "--get-regexp",
    "--dry-run",
    "--list-only",
    "list",
    "ls",
    "show",
    "status",
    "info",
    "get",
    "describe",
];

/// Whether nothing but the host stands against a look at one: that says more than what the program does.
pub(super) fn told(findings: &[Finding]) -> bool {
    let host =
        |finding: &Finding| matches!(&*finding.rule, "http.private" | "http.catcher" | "http.host" | "http.port");
    !findings.is_empty() && findings.iter().all(host)
}

/// Judges a program that is dangerous by its words; false if it isn't one.
pub(super) fn judge(judge: &mut Judge<'_>, name: &str, words: &[Word]) -> bool {
    match name {
        "rm" | "unlink" | "rmdir" | "shred" | "srm" | "trash" => delete(judge, name, words),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => owner(judge, name, words),
        "mv" | "cp" | "install" | "ln" | "truncate" | "rename" => overwrite(judge, name, words),
        "mkdir" | "touch" => create(judge, name, words),
        "dd" => dd(judge, words),
        "sudo" | "doas" | "pkexec" | "run0" | "gosu" | "su-exec" | "su" | "runuser" => privilege(judge, name, words),
        "python" | "python3" | "node" | "perl" | "ruby" | "php" | "zsh" | "ksh" | "fish"
            if judge.feed == Feed::Download && !only_looks(judge, name, words) =>
        {
            judge.ineligible = true;
            judge.destructive("command.download-and-run", format!("It runs what it downloads with `{name}`."));
        }
        "curl" | "wget" => {
            let looks = only_looks(judge, name, words);
            if looks && !guarded(judge) {
                judge.ineligible = true;
                let sentence = format!(
                    "Nothing guards `{name}` in this run: its settings at home, a name or a redirect may lead it elsewhere."
                );
                judge.unknown("command.client-unguarded", sentence);
            } else if !looks {
                judge.ineligible = true;
                match sends(words) {
                    Some(sent) => {
                        judge.destructive(
                            "command.sends",
                            format!("`{name}` {sent} to another machine, which may change something there."),
                        );
                    }
                    None => judge.external(&format!("command.{name}"), format!("`{name}` reaches another machine.")),
                }
            }
            judge.produced = Feed::Download;
        }
        _ if over_disk(name, words) => {
            judge.ineligible = true;
            match operands(words).find(|word| judge.raw_device(&word.pattern())).map(Word::shown) {
                Some(device) => {
                    judge.catastrophe("command.raw-device", format!("`{name}` destroys what is on {device}."));
                }
                None => judge.destructive("command.disk", format!("`{name}` changes disks.")),
            }
        }
        "wipefs" | "fdisk" | "sfdisk" | "parted" if only_looks(judge, name, words) => {}
        _ if name.starts_with("mkfs")
            || matches!(name, "wipefs" | "fdisk" | "sfdisk" | "parted" | "mkswap" | "blkdiscard") =>
        {
            judge.ineligible = true;
            let device = words.iter().find(|word| judge.raw_device(&word.pattern())).map(Word::shown);
            match device {
                Some(device) if !matches!(name, "fdisk" | "sfdisk" | "parted") => {
                    judge.catastrophe("command.raw-device", format!("`{name}` destroys what is on {device}."));
                }
                Some(_) | None => judge.destructive("command.disk", format!("`{name}` changes disks.")),
            }
        }
        _ => return false,
    }
    true
}

/// Whether these words make a program write over a whole disk, or its table of parts.
fn over_disk(name: &str, words: &[Word]) -> bool {
    let any = |wanted: &[&str]| words.iter().any(|word| word.text().is_some_and(|text| wanted.contains(&text)));
    match name {
        "badblocks" => words.iter().any(|word| {
            let head = word.prefix();
            head.starts_with('-') && !head.starts_with("--") && head.contains('w')
        }),
        "sgdisk" => any(&["-Z", "-z", "-o", "--zap-all", "--zap", "--clear"]),
        "hdparm" => words.iter().any(|word| word.prefix().starts_with("--security-erase")),
        "parted" => any(&["mklabel", "mktable"]),
        _ => false,
    }
}

/// Whether it is we who run it: nothing else holds a client to public hosts, or keeps its settings at home from it.
fn guarded(judge: &Judge<'_>) -> bool {
    judge.facts.is_none_or(|facts| !facts.unguarded)
}

/// Whether the table says that the program only looks with these words; then it has passed.
fn only_looks(judge: &mut Judge<'_>, name: &str, words: &[Word]) -> bool {
    let before = judge.findings.len();
    if table().entry(name).is_some() {
        judge.subcommand(name, words);
    }
    judge.findings.len() == before && judge.readers.iter().any(|reader| first_word(reader) == name)
}

pub(super) fn operands(words: &[Word]) -> impl Iterator<Item = &Word> {
    let ended = words.iter().position(|word| word.text() == Some("--")).unwrap_or(words.len());
    words
        .iter()
        .enumerate()
        .filter(move |(at, word)| *at > ended || !word.prefix().starts_with('-'))
        .map(|(_, word)| word)
}

pub(super) fn recursive(words: &[Word]) -> bool {
    words.iter().filter_map(Word::text).any(|text| {
        text.starts_with("--r") || text.starts_with('-') && !text.starts_with("--") && text.contains(['r', 'R'])
    })
}

/// Names in a sentence; the others are counted.
const NAMED: usize = 4;

fn named<'w>(words: impl Iterator<Item = &'w Word>) -> String {
    let found = |word: &Word| word.pieces.iter().any(|piece| matches!(piece, Piece::Found(_) | Piece::Whole(_)));
    let shown = |word: &Word| match word.shown() {
        _ if found(word) => "what a search finds".to_owned(),
        shown if shown == "…" => "what isn't written out".to_owned(),
        shown => shown,
    };
    let mut names: Vec<String> = words.map(shown).collect();
    let more = names.len().saturating_sub(NAMED);
    if more > 0 {
        names.truncate(NAMED);
        names.push(format!("and {more} more"));
    }
    if names.is_empty() { "what is piped to it".to_owned() } else { names.join(", ") }
}

fn delete(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    judge.ineligible = true;
    let deep = recursive(words);
    let vital = operands(words).find(|word| judge.vital(word)).map(Word::shown);
    if name == "shred"
        && let Some(device) = operands(words).find(|word| judge.raw_device(&word.pattern()))
    {
        judge.catastrophe("command.raw-device", format!("`shred` destroys what is on {}.", judge.spelt(device)));
        return;
    }
    match vital {
        Some(path) if deep => {
            judge.catastrophe("command.rm-everything", format!("`{name}` would delete everything in `{path}`."));
        }
        Some(_) | None => {
            judge.destructive(&format!("command.{name}"), format!("`{name}` deletes {}.", named(operands(words))));
        }
    }
}

fn owner(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    judge.ineligible = true;
    let vital = operands(words).skip(1).find(|word| judge.vital(word)).map(Word::shown);
    match vital {
        Some(path) if recursive(words) => {
            judge.catastrophe("command.chmod-everything", format!("`{name}` would change everything in `{path}`."));
        }
        Some(_) | None => {
            judge.destructive(
                &format!("command.{name}"),
                format!("`{name}` changes the rights of {}.", named(operands(words).skip(1))),
            );
        }
    }
}

/// What only adds is neither harmless nor dangerous, unless others run what is there later.
fn create(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    if operands(words).any(|word| judge.writes_later(word)) {
        overwrite(judge, name, words);
        return;
    }
    judge.beyond_claims(None, words);
    let does = if name == "mkdir" { "makes folders" } else { "makes files, or sets their time" };
    judge.unknown(&format!("command.{name}"), format!("`{name}` {does}: {}.", named(operands(words))));
}

fn overwrite(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    judge.ineligible |= operands(words).any(|word| judge.writes_later(word));
    if operands(words).any(|word| judge.raw_device(&word.pattern())) && matches!(name, "cp" | "mv" | "truncate") {
        judge.catastrophe("command.raw-device", format!("`{name}` writes straight to a device."));
    }
    let targets = words.iter().any(|word| word.prefix().starts_with("-t") || word.prefix().starts_with("--target"));
    let all: Vec<&Word> = operands(words).collect();
    match all.split_last() {
        Some((to, from @ [_, ..])) if !targets && name != "truncate" => {
            let kind = judge.lands_on(to);
            let within = |word: &Word| {
                let file = word.text()?.trim_end_matches('/').rsplit('/').next()?;
                Some(Word::exact(format!("{}/{file}", to.text()?.trim_end_matches('/'))))
            };
            if judge.facts.is_none() || kind == Some(PathKind::Folder) {
                for word in from {
                    judge.lands_on(&within(word).unwrap_or_else(Word::any));
                }
            }
        }
        _ => judge.replaces = true,
    }
    let does = match (name, all.split_last()) {
        ("cp" | "install", Some((to, from @ [_, ..]))) if !targets => {
            format!("copies {} to {}", named(from.iter().copied()), judge.spelt(to))
        }
        ("mv", Some((to, from @ [_, ..]))) if !targets => {
            format!("moves {} to {}", named(from.iter().copied()), judge.spelt(to))
        }
        ("truncate", _) => {
            let takes = |word: &Word| matches!(word.text(), Some("-s" | "--size" | "-r" | "--reference"));
            let size =
                |word: &Word| words.windows(2).any(|pair| takes(&pair[0]) && std::ptr::eq(&raw const pair[1], word));
            format!("changes {}", named(all.into_iter().filter(|word| !size(word))))
        }
        _ => format!("changes {}", named(all.into_iter())),
    };
    judge.destructive(&format!("command.{name}"), format!("`{name}` {does}."));
}

fn dd(judge: &mut Judge<'_>, words: &[Word]) {
    let before = judge.findings.len();
    for word in words {
        let head = word.prefix();
        if judge.comes_apart(word) {
            judge
                .unreadable("command.vague-flag", format!("{} may become another operand of `dd`.", judge.spelt(word)));
        } else if let Some(file) = head.starts_with("of=").then(|| word.after(3)) {
            judge.writes("dd", &file);
        } else if let Some(file) = head.starts_with("if=").then(|| word.after(3)) {
            judge.reads(&file);
        } else if word.may_be_flag() || !head.contains('=') {
            judge.about(word, |judge| {
                judge.unknown("command.operand", format!("No rule says that `dd {}` only reads.", word.shown()));
            });
        }
    }
    if judge.findings.len() == before {
        judge.readers.insert("dd".to_owned());
    }
}

/// What is declared of a program or subcommand: of the longest name that it makes with the words behind it.
pub(super) fn longest(name: &str, words: &[Word]) -> Option<(String, Declared)> {
    let mut names = vec![name.to_owned()];
    let plain = |text: &&str| !text.starts_with('-') && !text.contains(char::is_whitespace);
    for word in words.iter().map_while(|word| word.text().filter(plain)).take(3) {
        names.push(format!("{} {word}", names[names.len() - 1]));
    }
    // A flag may make another program of it: with `-S` PHP serves.
    let flags = words.iter().filter_map(Word::text).take_while(|text| text.starts_with('-') && *text != "--");
    let of_flag = |text: &str| match text.strip_prefix("--") {
        Some(_) => text.split('=').next().map(str::to_owned),
        None => text.get(..2).filter(|flag| flag.starts_with('-')).map(str::to_owned),
    };
    let flagged = flags.filter_map(of_flag).map(|flag| format!("{name} {flag}"));
    let known = |name: String| table().danger(&name).map(|declared| (name, declared));
    flagged.chain(names.into_iter().rev()).find_map(known)
}

/// Privilege is always a danger; what it runs is judged too, so that a catastrophe is still one.
fn privilege(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    judge.ineligible = true;
    judge.destructive("command.privilege", format!("`{name}` runs with another user's rights."));
    let Some(inner) = table().entry(name).and_then(|entry| leading(entry, words)) else {
        judge.behind(words);
        return;
    };
    let inner = if matches!(name, "gosu" | "su-exec") { inner.get(1..).unwrap_or_default() } else { inner };
    let assigned = inner.iter().take_while(|word| word.prefix().contains('=')).count();
    if inner.len() > assigned {
        judge.deeper(|judge| judge.dispatch(&inner[assigned..]));
    }
}

impl Judge<'_> {
    /// Objects as the table of dangers says.
    pub(super) fn declared(&mut self, name: &str, declared: Declared, words: &[Word]) {
        self.ineligible |= declared.kind != DangerKind::Works;
        self.beyond_claims(None, words);
        let looks = words.iter().filter_map(Word::text).any(|text| LOOKS.contains(&text));
        let sentence = if looks && declared.kind == DangerKind::Destructive {
            format!("`{name}` {} in some uses, and no rule says that this one only reads.", declared.does)
        } else {
            format!("`{name}` {}.", declared.does)
        };
        match declared.kind {
            DangerKind::Destructive => self.destructive(&format!("command.{}", first_word(name)), sentence),
            DangerKind::External if name == "git push" && git::forces(words) => {
                self.destructive("command.git", "`git push` by force drops what is there.");
            }
            DangerKind::External => self.external(&format!("command.{}", first_word(name)), sentence),
            DangerKind::Sensitive => self.sensitive(sentence),
            DangerKind::Runs | DangerKind::Works | DangerKind::Wraps => self.unknown("command.runs-code", sentence),
        }
        self.handed(name, words);
    }
}
