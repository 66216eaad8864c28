//! What git shows of files whose names aren't in the command: of all that it tracks. In our runs what is sensitive of that
//! is left out of what is printed; where another program runs git, nobody does that.

use std::path::Path;

use super::judge::Judge;
use super::word::Word;

/// Subcommands that show lines of files unless a flag says otherwise.
const SHOWING: [&str; 6] = ["diff", "show", "grep", "format-patch", "range-diff", "archive"];
/// Those that show lines with a flag alone, `git stash show` among them.
const ASKED: [&str; 8] = ["log", "whatchanged", "rev-list", "reflog", "diff-tree", "diff-index", "diff-files", "stash"];
/// Flags with which they show lines (git-diff(1), git-log(1)).
const PATCH: [&str; 14] = [
    "--patch",
    "--binary",
    "--check",
    "--unified",
    "--cc",
    "--word-diff",
    "--color-words",
    "--function-context",
    "--remerge-diff",
    "--dd",
    "--patch-with-stat",
    "--patch-with-raw",
    "--diff-merges",
    "--word-diff-regex",
];
/// Flags with which they show names and numbers instead.
const NAMES: [&str; 19] = [
    "--stat",
    "--shortstat",
    "--numstat",
    "--dirstat",
    "--summary",
    "--compact-summary",
    "--cumulative",
    "--name-only",
    "--name-status",
    "--raw",
    "--no-patch",
    "--quiet",
    "--count",
    "--files-with-matches",
    "--files-without-match",
    "-s",
    "-q",
    "-l",
    "-L",
];

impl Judge<'_> {
    /// Remembers that a subcommand of git shows lines of a sensitive file that git tracks, where nobody leaves them out.
    pub(super) fn shows_recorded(&mut self, subcommand: &str, words: &[Word]) {
        let Some(path) = self.repository_here().and_then(|fact| fact.tracks.clone()) else { return };
        if !shows(subcommand, words) {
            return;
        }
        let named = words.iter().skip_while(|word| word.text() != Some("--")).skip(1);
        // A pattern, and what begins with a colon, may name more than it seems to.
        let written = |text: &&str| !text.contains([':', '*', '?', '[', '\\']);
        let whole = words.iter().any(|word| word.text() == Some("--full-diff"));
        let places = named.map(|word| self.normal(word.text().filter(written).filter(|_| !whole)?));
        let places: Option<Vec<String>> = places.collect();
        let apart = |place: &String| !path.is_empty() && !Path::new(&path).starts_with(place);
        if places.is_some_and(|places| !places.is_empty() && places.iter().all(apart)) {
            return;
        }
        self.lines = Some(if path.is_empty() {
            "Git may track sensitive files, and shows lines of them, too.".to_owned()
        } else {
            format!("{path} is sensitive, git tracks it, and shows lines of it, too.")
        });
    }
}

/// Whether a subcommand shows lines of whatever it comes to.
fn shows(subcommand: &str, words: &[Word]) -> bool {
    let flags: Vec<&str> = words.iter().map_while(|word| word.text().filter(|text| *text != "--")).collect();
    let long = |known: &[&str]| flags.iter().any(|flag| known.contains(&flag.split('=').next().unwrap_or_default()));
    let short = |letters: &[u8]| {
        let cluster = |flag: &&str| flag.starts_with('-') && !flag.starts_with("--");
        flags
            .iter()
            .filter(|flag| cluster(flag))
            .any(|flag| flag.bytes().skip(1).any(|letter| letters.contains(&letter)))
    };
    let patch = long(&PATCH) || subcommand != "grep" && short(b"puUcW");
    let operands = || flags.iter().filter(|flag| !flag.starts_with('-'));
    match subcommand {
        // Each is a file of a revision, which is judged by its name.
        "show" if operands().count() > 0 && operands().all(|operand| of_revision(operand)) => false,
        _ if SHOWING.contains(&subcommand) => patch || !long(&NAMES),
        _ => ASKED.contains(&subcommand) && patch,
    }
}

/// Whether a word is plainly a file of a revision: `HEAD:src/a.rs`.
fn of_revision(word: &str) -> bool {
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./~^-".contains(&byte));
    word.split_once(':').is_some_and(|(revision, path)| {
        !revision.is_empty() && plain(revision) && !path.is_empty() && plain(path) && !path.ends_with(['/', '.'])
    })
}
