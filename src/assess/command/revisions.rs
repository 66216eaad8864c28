//! What git prints, where that is known to be nothing but revisions, paths of the repository, or its top folder: then
//! a substitution of it can't become a flag, nor a path that matters.

use super::judge::{Feed, Judge, Objects};
use super::word::{Piece, Word};
use super::{columns, numbers, refs};

/// Flags with which `git rev-list`, and `git log` with a format of one hash, print no more than hashes.
const SHORTER: &str = " -s -q --all --branches --first-parent --max-count --merges --no-merges --no-patch --quiet --remotes \
    --reverse --skip --tags --topo-order --date-order ";
/// The same with a value after `=`.
const WITH_VALUE: [&str; 12] = [
    "--after",
    "--author",
    "--before",
    "--committer",
    "--diff-filter",
    "--grep",
    "--max-count",
    "--max-parents",
    "--min-parents",
    "--since",
    "--skip",
    "--until",
];

impl Judge<'_> {
    /// Remembers what a subcommand of git that only reads prints.
    pub(super) fn git_prints(&mut self, subcommand: &str, words: &[Word]) {
        let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
        if subcommand == "rev-parse" && texts.as_deref() == Some(&["--show-toplevel"]) {
            self.printed = root(self).map(Word::exact);
        } else if let Some(told) = numbers::of_git(subcommand, words, |word| named(word) || shorter(word)) {
            self.numbers(told);
        } else if hashes(subcommand, words) || subcommand == "rev-parse" && self.one_revision(words) {
            self.printed = Some(Piece::Hashes.into());
            self.produced = Feed::Hashes;
        } else if columns::hashed(subcommand, words, |word| named(word) || shorter(word)) {
            self.produced = Feed::Hashed;
        } else if refs::named(subcommand, words) && self.plain_refs()
            || subcommand == "describe" && refs::described(words) && self.plain_tags()
        {
            self.produced = Feed::Refs;
        } else if names(subcommand, words) {
            let reach = self.folder().map(|folder| self.reach(&Word::exact(folder)));
            self.searched_here(None);
            self.recalls(&format!("git {subcommand}"), words);
            self.led = false;
            self.unearths = Objects::None;
            self.produced = reach.map_or(Feed::Text, Feed::Paths);
        }
    }

    /// Whether `git rev-parse` prints one hash. Where there is no such revision it prints the word that asked for it, if
    /// a file of that name is there: so the word must be one that matters to nobody, unless `--verify` keeps it quiet.
    fn one_revision(&mut self, words: &[Word]) -> bool {
        let short = |text: &str| {
            text.strip_prefix("--short=").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let plain = |text: &str| matches!(text, "--verify" | "--short" | "-q" | "--quiet") || short(text);
        let mut asked = words.iter().filter(|word| !word.text().is_some_and(plain));
        let (Some(word), None) = (asked.next(), asked.next()) else { return false };
        let verified = words.iter().any(|word| word.text() == Some("--verify"));
        named(word) && (verified || word.text().is_some_and(|text| branch(text) && self.told(false, text).is_none()))
    }
}

/// Whether a word is the name of a branch or a tag, of this repository or of the usual remotes, or `HEAD`.
fn branch(text: &str) -> bool {
    let name = ["origin/", "upstream/"].iter().find_map(|remote| text.strip_prefix(remote)).unwrap_or(text);
    let name = name.split_once(['~', '^', '@']).map_or(name, |(name, _)| name);
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) && !text.ends_with('/')
}

/// The top folder of the repository, where that is the workspace, of which more is known. While it is asked what
/// should be looked at, it is taken to be.
fn root(judge: &Judge<'_>) -> Option<String> {
    let workspace = judge.place.workspace.as_path();
    let folder = judge.folder()?;
    let same = match judge.facts {
        None => true,
        Some(facts) => facts.repositories.get(&folder)?.root.as_deref() == Some(workspace),
    };
    same.then(|| workspace.to_string_lossy().into_owned())
}

/// Whether it prints hashes alone: `git show` doesn't, as it shows what is no commit whole.
fn hashes(subcommand: &str, words: &[Word]) -> bool {
    match subcommand {
        "merge-base" => {
            words.iter().all(|word| named(word) || matches!(word.text(), Some("--all" | "-a" | "--fork-point")))
        }
        "rev-list" => {
            let end = words.iter().position(|word| word.text() == Some("--")).unwrap_or(words.len());
            words[..end].iter().all(|word| named(word) || shorter(word))
        }
        "log" => {
            let one = ["%H", "%h", "%T", "%t"].iter().flat_map(|hash| {
                [format!("--format={hash}"), format!("--pretty=format:{hash}"), format!("--pretty={hash}")]
            });
            let formats: Vec<String> = one.collect();
            let end = words.iter().position(|word| word.text() == Some("--")).unwrap_or(words.len());
            let (flags, _) = words.split_at(end);
            let (format, others): (Vec<&Word>, Vec<&Word>) = flags
                .iter()
                .partition(|word| word.text().is_some_and(|text| formats.iter().any(|format| format == text)));
            format.len() == 1 && others.into_iter().all(|word| named(word) || shorter(word))
        }
        _ => false,
    }
}

/// Whether a word names one revision or some, and is no flag.
fn named(word: &Word) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./~@{}-^".contains(&byte);
    let known = |piece: &Piece| match piece {
        Piece::Exact(text) => text.bytes().all(plain),
        Piece::Hashes | Piece::Refs => true,
        _ => false,
    };
    !word.prefix().starts_with(['-', '^']) && word.text() != Some("") && word.pieces().iter().all(known)
}

/// Whether a flag makes the list of hashes shorter, or orders it.
fn shorter(word: &Word) -> bool {
    let Some(text) = word.text() else { return false };
    let number = text.strip_prefix("-n").or_else(|| text.strip_prefix('-')).unwrap_or("-");
    match text.split_once('=') {
        Some((flag, _)) => WITH_VALUE.contains(&flag),
        None => {
            SHORTER.contains(&format!(" {text} ")) || text == "-n" || number.bytes().all(|byte| byte.is_ascii_digit())
        }
    }
}

/// Whether it prints names of the repository's files alone.
fn names(subcommand: &str, words: &[Word]) -> bool {
    let compares = ["diff", "diff-files", "diff-index", "diff-tree"].contains(&subcommand);
    let given = |flag: &str| words.iter().any(|word| word.text() == Some(flag));
    // Two paths that lie elsewhere are compared too, and listed by their names there.
    let climbs = |word: &Word| word.pattern().split('/').any(|part| part == "..");
    // Of the files that a pattern names, too, but not by its magic words.
    let glob = |byte: u8| byte.is_ascii_alphanumeric() || b"_./*-".contains(&byte);
    let pathspec = |word: &Word| {
        word.text().is_some_and(|text| !text.is_empty() && !text.starts_with('-') && text.bytes().all(glob))
    };
    let here = |word: &Word| (named(word) || pathspec(word)) && !word.prefix().starts_with('/') && !climbs(word);
    let plain = |word: &Word| {
        matches!(
            word.text(),
            Some(
                "--" | "--name-only"
                    | "--cached"
                    | "--staged"
                    | "-r"
                    | "--no-commit-id"
                    | "--no-renames"
                    | "--merge-base"
            )
        ) || word.prefix().starts_with("--diff-filter=") && word.text().is_some()
            || here(word)
            || word.begins_with_pattern()
    };
    compares && given("--name-only") && words.iter().all(plain)
}
