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
/// Flags with which they show names and numbers instead, and those of `git grep`.
const NAMES: [&str; 12] = [
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
    "-s",
];
const FOUND: [&str; 9] =
    ["--name-only", "--count", "--files-with-matches", "--files-without-match", "--quiet", "-c", "-l", "-L", "-q"];
/// Flags whose value may be the next word, which then is no flag itself (git-diff(1), git-log(1), git-grep(1),
/// git-archive(1)): their beginnings are them, too.
const VALUED: [&str; 39] = [
    "--unified",
    "--inter-hunk-context",
    "--diff-algorithm",
    "--stat-width",
    "--stat-name-width",
    "--stat-graph-width",
    "--stat-count",
    "--word-diff-regex",
    "--output",
    "--src-prefix",
    "--dst-prefix",
    "--line-prefix",
    "--ws-error-highlight",
    "--color-moved-ws",
    "--anchored",
    "--skip-to",
    "--rotate-to",
    "--find-object",
    "--diff-filter",
    "--ignore-matching-lines",
    "--max-count",
    "--max-depth",
    "--skip",
    "--since",
    "--after",
    "--until",
    "--before",
    "--author",
    "--committer",
    "--grep",
    "--date",
    "--encoding",
    "--exclude",
    "--glob",
    "--context",
    "--after-context",
    "--before-context",
    "--threads",
    "--prefix",
];
/// The letters of those where nothing is behind them in the same word, and those of `git grep`.
const LETTERS: &str = "lGSOUIo";
const GREP: &str = "efABCm";

impl Judge<'_> {
    /// Remembers that a subcommand of git shows lines of a sensitive file that git tracks, where nobody leaves them out.
    pub(super) fn shows_recorded(&mut self, subcommand: &str, words: &[Word]) {
        let tracked = self.repository_here().map(|fact| fact.tracks.clone()).unwrap_or_default();
        if tracked.is_empty() || !shows(subcommand, words) {
            return;
        }
        let named = words.iter().skip_while(|word| word.text() != Some("--")).skip(1);
        // A pattern, and what begins with a colon, may name more than it seems to.
        let written = |text: &&str| !text.contains([':', '*', '?', '[', '\\']);
        let whole = words.iter().any(|word| word.text() == Some("--full-diff"));
        let places = named.map(|word| self.normal(word.text().filter(written).filter(|_| !whole)?));
        let places: Option<Vec<String>> = places.collect();
        let places = places.filter(|places| !places.is_empty());
        let met = |path: &&String| {
            let within = |place: &String| path.is_empty() || Path::new(path.as_str()).starts_with(place);
            places.as_ref().is_none_or(|places| places.iter().any(within))
        };
        let Some(path) = tracked.iter().find(met) else { return };
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
    let letters = if subcommand == "grep" { GREP } else { LETTERS };
    let value = |at: usize| at > 0 && takes_next(flags[at - 1], letters);
    let names = |known: &[&str]| {
        let told =
            |(at, flag): (usize, &&str)| known.contains(&flag.split('=').next().unwrap_or_default()) && !value(at);
        flags.iter().enumerate().any(told)
    };
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
        "grep" => !names(&FOUND),
        "status" => short(b"v") || flags.iter().any(|flag| flag.starts_with("--v")),
        _ if SHOWING.contains(&subcommand) => patch || !names(&NAMES),
        _ => ASKED.contains(&subcommand) && patch,
    }
}

/// Whether the word behind a flag may be its value.
fn takes_next(flag: &str, letters: &str) -> bool {
    match flag.strip_prefix("--") {
        Some(name) if !name.is_empty() => !flag.contains('=') && VALUED.iter().any(|known| known.starts_with(flag)),
        _ => flag.starts_with('-') && flag.ends_with(|letter: char| letters.contains(letter)),
    }
}

/// Whether a word is plainly a file of a revision: `HEAD:src/a.rs`.
fn of_revision(word: &str) -> bool {
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./~^-".contains(&byte));
    word.split_once(':').is_some_and(|(revision, path)| {
        !revision.is_empty() && plain(revision) && !path.is_empty() && plain(path) && !path.ends_with(['/', '.'])
    })
}
