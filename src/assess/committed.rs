//! What version control prints of sensitive files: the lines of a diff that belong to one, and what a search in what is
//! committed found in one. No path of a command names them, so they are told by what is printed. Entered by anything that
//! may be the head of such a part, left only by what is certainly the head of another.

use super::AssessSettings;
use super::masks::joined;
use super::sensitive::Sensitive;
use super::{Known, withheld_spans};
use crate::domain::{Facts, Place, Span, masked};

/// Most letters of a line that are looked at for the head of a part.
const HEAD: usize = 4 * 1024;
/// How a diff of one file begins.
const DIFFS: [&str; 3] = ["diff --git ", "diff --cc ", "diff --combined "];
/// How a note of what is left out of an output begins.
const CUT: &str = "… ";

/// Reads lines in order and says which of them come from sensitive files.
#[derive(Clone, Debug)]
pub struct Committed {
    sensitive: Sensitive,
    place: Place,
    /// The same, in the root of the workspace.
    root: Place,
    git: bool,
    grep: bool,
    heading: bool,
    state: State,
}

/// Of what the next line is a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing sensitive.
    Plain,
    /// A sensitive file.
    Hidden,
    /// A file whose name was left out.
    Unknown,
}

impl Committed {
    /// For what a command prints, by what is known of it; without its text it may be any that starts there.
    #[must_use]
    pub fn of(command: Option<&str>, facts: &Facts, settings: &AssessSettings) -> Self {
        let (place, runs_git) = (&facts.place, !facts.repositories.is_empty());
        // The shell drops quotes within a name (`g\it`), and puts others together (`${x}t`).
        let bare = command.map(|command| command.replace(['\\', '"', '\''], ""));
        let says = |word: &str| bare.as_ref().is_none_or(|command| command.contains(word));
        let made = command.is_none_or(|command| command.contains(['$', '`', '*', '?', '[', '{']));
        let git = runs_git || says("git");
        Self {
            sensitive: settings.sensitive.clone(),
            place: place.clone(),
            root: Place { cwd: place.workspace.clone(), ..place.clone() },
            git,
            grep: git && (says("grep") || runs_git && made),
            heading: command.is_some_and(|command| command.contains("--heading")),
            state: State::Plain,
        }
    }

    /// Whether a line, or the beginning of one, is to be hidden. Called once for each.
    pub fn hides(&mut self, line: &str) -> bool {
        if !self.git {
            return false;
        }
        let line = plain(&line[..line.floor_char_boundary(HEAD)]);
        let head = heads(&line);
        // Among hidden lines, one that only speaks of a diff is hidden like the rest.
        if let Some(paths) = paths(&line).filter(|_| head || self.state != State::Hidden) {
            if self.named(paths) {
                self.state = State::Hidden;
                return false;
            }
            if head {
                self.state = State::Plain;
                return false;
            }
        }
        match self.state {
            State::Plain => self.grep && self.found(&line),
            _ if begins_commit(&line) => {
                self.state = State::Plain;
                false
            }
            State::Hidden => true,
            State::Unknown => line.starts_with(['+', '-', ' ']),
        }
    }

    /// Lines were left out: the next ones may be of any file.
    pub fn cut(&mut self) {
        if self.git && self.state == State::Plain {
            self.state = State::Unknown;
        }
    }

    /// Where the lines of a text are that are to be hidden, in order.
    #[must_use]
    pub fn spans(mut self, text: &str) -> Vec<Span> {
        let (mut spans, mut at) = (Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            let letters = line.trim_end_matches(['\n', '\r']);
            if letters.starts_with(CUT) && letters.ends_with(" …") {
                self.cut();
            } else if self.hides(letters) && !letters.is_empty() {
                spans.push(at..at + letters.len());
            }
            at += line.len();
        }
        spans
    }

    /// Whether one of the names in the head of a diff is a sensitive path: as it stands, and without the folder that
    /// tells the sides apart.
    fn named(&self, paths: &str) -> bool {
        let bare = |word: &str| word.trim_matches('"').to_owned();
        paths.split([' ', '\t']).map(bare).filter(|word| !word.is_empty()).any(|word| {
            let within = word.split_once('/').map(|(_, rest)| rest.to_owned());
            [Some(word), within].into_iter().flatten().any(|path| self.is(&path))
        })
    }

    fn is(&self, path: &str) -> bool {
        self.sensitive.entry(path, &self.root).is_some() || self.sensitive.entry(path, &self.place).is_some()
    }

    /// Whether a line of a search is one of a sensitive file: `path:…`, `REV:path:…`, `path-…` around what was found.
    fn found(&mut self, line: &str) -> bool {
        // What `grep` says of a file that it couldn't open.
        if line.starts_with("grep: ") && line.ends_with(": Permission denied") {
            return false;
        }
        // The sign for a zero byte stands for it in what a model gets.
        let parts: Vec<&str> = line.splitn(4, [':', '\0', '\u{2400}']).collect();
        if self.heading && parts.len() <= 2 && parts.last().is_some_and(|path| !path.is_empty() && self.is(path)) {
            self.state = State::Hidden;
            return false;
        }
        let whole = parts.len().saturating_sub(1).min(3);
        let around = parts.iter().take(2).flat_map(|part| {
            part.match_indices(['-', '=']).take(16).map(|(at, _)| &part[..at]).filter(|path| !path.is_empty())
        });
        let mut paths = parts.iter().take(whole).copied().filter(|path| !path.is_empty()).chain(around);
        paths.any(|path| self.is(path))
    }
}

/// What a command printed that nobody was asked about, as a model may have it: with masks in the place of what is
/// certainly a secret and of what stands in sensitive files, and how many those are. None where there is none.
#[must_use]
pub fn printed_withheld(text: &str, known: &Known, committed: Committed) -> Option<(String, usize)> {
    let spans = joined(withheld_spans(text, known).into_iter().chain(committed.spans(text)).collect());
    (!spans.is_empty()).then(|| (masked(text, &spans), spans.len()))
}

/// The names in a line that may be the head of a diff, wherever in it that begins.
fn paths(line: &str) -> Option<&str> {
    let diff = DIFFS.iter().find_map(|diff| line.find(diff).map(|at| &line[at + diff.len()..]));
    // Diffs of diffs.
    let of_diffs = || line.trim().strip_prefix("## ").and_then(|rest| rest.strip_suffix(" ##"));
    let side = || line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "));
    diff.or_else(of_diffs).or_else(side)
}

/// Whether such a line certainly is the head of a diff.
fn heads(line: &str) -> bool {
    let line = ungraphed(line);
    DIFFS.iter().any(|diff| line.starts_with(diff))
}

/// Whether a line certainly is the first of a commit.
fn begins_commit(line: &str) -> bool {
    let hash = ungraphed(line).strip_prefix("commit ");
    hash.is_some_and(|hash| hash.len() >= 40 && hash.bytes().take(40).all(|byte| byte.is_ascii_hexdigit()))
}

/// A line without the graph that is drawn before it.
fn ungraphed(line: &str) -> &str {
    let drawn = line.starts_with(['|', '*', '/', '\\']);
    if drawn { line.trim_start_matches(['|', '*', '/', '\\', '_', ' ']) } else { line }
}

/// A line without colours.
fn plain(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\u{1b}') {
        shown.push_str(&rest[..at]);
        let after = rest[at + 1..].strip_prefix('[').unwrap_or(&rest[at + 1..]);
        let end = after.find(|letter: char| letter.is_ascii_alphabetic());
        rest = end.map_or("", |end| &after[end + 1..]);
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is hidden of what a command prints.
    fn hidden(command: &str, text: &str) -> Vec<String> {
        let place = Place { cwd: "/w/sub".into(), workspace: "/w".into(), home: Some("/home/ann".into()) };
        let settings = AssessSettings {
            sensitive: Sensitive::default().keeping(vec!["/w/data/x.db".into()]),
            ..AssessSettings::default()
        };
        let facts = Facts { place, ..Facts::default() };
        let spans = Committed::of(Some(command), &facts, &settings).spans(text);
        spans.into_iter().map(|span| text[span].to_owned()).collect()
    }

    #[test]
    fn the_lines_of_a_sensitive_file_are_hidden_in_every_kind_of_diff() {
        let hash = "0123456789".repeat(4);
        let diff = |head: &str| format!("commit {hash}\n\n    Words\n\n{head}\n@@ -1 +1,2 @@\n a\n+B=1\n");
        let of_env = ["@@ -1 +1,2 @@", " a", "+B=1"];
        for head in [
            "diff --git a/.env b/.env",
            "diff --git .env .env",
            "diff --git a/x.txt b/deploy/server.key",
            "diff --git \"a/\\303\\274.pem\" \"b/\\303\\274.pem\"",
            "diff --git a/data/x.db b/data/x.db",
            "diff --cc .env",
            "diff --combined conf/.env",
            "\u{1b}[1mdiff --git a/.env b/.env\u{1b}[m",
        ] {
            assert_eq!(hidden("git log -p", &diff(head)), of_env, "{head}");
            let more = format!("{}{}", diff(head), diff("diff --git a/a.rs b/a.rs"));
            assert_eq!(hidden("git log -p", &more), of_env, "{head}");
        }
        assert!(hidden("git show", &diff("diff --git a/src/env.rs b/src/env.rs")).is_empty());
        assert!(hidden("cat notes", &diff("diff --git a/.env b/.env")).is_empty());
        let graph = format!("* commit {hash}\n| diff --git a/.env b/.env\n| +B=1\n| * commit {hash}\n|   Words\n");
        assert_eq!(hidden("git log --graph -p", &graph), ["| +B=1"]);
        let behind = "+diff --git a/.env b/.env\n++B=1\n+diff --git a/a b/a\n++C=1\n";
        assert_eq!(hidden("git show --line-prefix=+", behind), ["++B=1", "+diff --git a/a b/a", "++C=1"]);
        let inside = "diff --git a/.env b/.env\n+diff --git a/a b/a\n+B=1\n";
        assert_eq!(hidden("git show", inside), ["+diff --git a/a b/a", "+B=1"]);
        assert_eq!(hidden("git show", "diff --git a/.env b/.env\n+++ b\n"), ["+++ b"]);
        assert_eq!(hidden("git range-diff a...b", " ## .env ##\n+B=1\n"), ["+B=1"]);
    }

    #[test]
    fn what_a_search_found_in_a_sensitive_file_is_hidden() {
        for line in [
            "HEAD:.env:A=1",
            "HEAD:.env\u{2400}A=1",
            "HEAD:.env\0A=1",
            "HEAD~2:.env:12:A=1",
            ".env:A=1",
            "HEAD:a/server.key-3-x",
            ".env=A",
            "v1:.env-A",
        ] {
            assert_eq!(hidden("git grep A HEAD", line), [line], "{line}");
        }
        for line in ["HEAD:src/a.rs:12: see .env: it", "src/a-b.rs-3-x", "HEAD:README.md:a", "a.env.example:1"] {
            assert!(hidden("git grep A HEAD", line).is_empty(), "{line}");
        }
        assert_eq!(hidden("git grep --heading A HEAD", "HEAD:.env\nA=1\n"), ["A=1"]);
    }

    #[test]
    fn behind_what_was_left_out_lines_of_a_diff_are_hidden_until_it_is_known_whose_they_are() {
        let text = "commit x\n… 9 bytes (1 lines) left out …\n+B=1\n a\n@@ -1 +1 @@\ndiff --git a/a b/a\n+C=1\n";
        assert_eq!(hidden("git log -p", text), ["+B=1", " a"]);
        assert!(hidden("cat x", text).is_empty());
        assert!(hidden("git log --oneline", "a1 x\n… 9 bytes (1 lines) left out …\nb2 y\n").is_empty());
    }
}
