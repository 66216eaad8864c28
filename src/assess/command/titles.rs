//! What the commands of a text would do in a few words: `Delete files`, `Push`, `Run command: make`. Of those that
//! only read, nothing is said beside others.

use super::word::Word;
use crate::domain;

/// Longest name in it, in characters.
const NAME: usize = 30;

/// Programs by what they do.
const PROGRAMS: [(&str, &str); 11] = [
    ("rm unlink rmdir shred", "Delete files"),
    ("mv", "Move files"),
    ("cp", "Copy files"),
    ("chmod chown chgrp", "Change rights"),
    ("ln", "Link files"),
    ("mkdir", "Create folder"),
    ("touch", "Create file or set its time"),
    ("tee", "Write file"),
    ("truncate", "Empty file"),
    ("kill pkill killall", "End processes"),
    ("crontab at", "Plan commands"),
];

/// Subcommands of git by what they do. What a branch is told of is added where it is known.
const GIT: [(&str, &str); 18] = [
    ("push", "Push"),
    ("commit", "Commit"),
    ("merge", "Merge"),
    ("rebase", "Rebase"),
    ("reset", "Reset"),
    ("checkout switch", "Switch branch"),
    ("branch", "Change branches"),
    ("tag", "Change tags"),
    ("clean", "Delete untracked files"),
    ("stash", "Stash changes"),
    ("pull", "Pull"),
    ("fetch", "Fetch"),
    ("clone", "Clone repository"),
    ("add", "Stage files"),
    ("restore", "Restore files"),
    ("revert cherry-pick", "Add commits"),
    ("rm", "Remove tracked files"),
    ("mv", "Move tracked files"),
];

/// What is named last where there is no room for all.
const MILD: [&str; 8] = [
    "Create folder",
    "Create file or set its time",
    "Link files",
    "Copy files",
    "Stage files",
    "Fetch",
    "Switch branch",
    "Change branches",
];

/// Managers of packages.
const MANAGERS: &str = " npm pnpm yarn bun pip pip3 apt apt-get dnf brew gem cargo go poetry uv composer ";

/// What one command would do.
pub(super) fn title(name: &str, words: &[Word]) -> String {
    let holds = |list: &str, word: &str| list.split(' ').any(|each| each == word);
    let listed = |table: &[(&str, &str)], word: &str| {
        table.iter().find(|(names, _)| holds(names, word)).map(|(_, title)| (*title).to_owned())
    };
    // The value of a flag that stands before the subcommand is none.
    let takes = |word: &Word| name == "git" && matches!(word.text(), Some("-C" | "-c" | "--git-dir" | "--work-tree"));
    let valued = |at: usize| at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(takes);
    let apart = words.iter().enumerate().filter(|(at, _)| !valued(*at));
    let subcommand = apart.filter_map(|(_, word)| word.text()).find(|text| !text.starts_with('-'));
    let files = || words.iter().any(|word| matches!(word.text(), Some("--" | ".")));
    let told = match (name, subcommand) {
        ("git", Some("checkout")) if files() => Some("Restore files".to_owned()),
        ("git", Some(subcommand)) => {
            listed(&GIT, subcommand).or_else(|| Some(format!("Run git {}", short(subcommand))))
        }
        (_, Some("install" | "add" | "i")) if holds(MANAGERS, name) => Some("Install packages".to_owned()),
        _ => listed(&PROGRAMS, name),
    };
    told.unwrap_or_else(|| format!("Run command: {}", short(name)))
}

/// What several commands would do.
pub(super) fn joined(acts: &[String], writes: bool) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for act in acts.iter().map(String::as_str).chain(writes.then_some("Write file")) {
        if distinct.iter().all(|known| known != act) {
            distinct.push(act.to_owned());
        }
    }
    domain::joined(&distinct, &MILD)
}

fn short(name: &str) -> String {
    let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
    let mut letters = name.chars();
    let short: String = letters.by_ref().take(NAME).collect();
    if letters.next().is_some() { format!("{short}…") } else { short }
}
