//! Which runs of programs that nothing here knows no claim may lift: what lasts beyond the run, by the names that
//! people give it, and what names something sensitive.

use super::judge::Judge;
use super::word::Word;

/// Words, and parts of words, by which people name what sends, publishes, installs, stays or asks for a person: never
/// for a claim to lift, whatever runs it.
const LASTING: [&str; 45] = [
    "admin",
    "attach",
    "auth",
    "bump",
    "clean",
    "commit",
    "daemon",
    "delete",
    "deploy",
    "destroy",
    "dev",
    "download",
    "drop",
    "email",
    "fetch",
    "install",
    "login",
    "logout",
    "mail",
    "migrate",
    "pip",
    "prune",
    "publish",
    "pull",
    "push",
    "release",
    "remote",
    "rollback",
    "runserver",
    "send",
    "serve",
    "server",
    "start",
    "sync",
    "systemctl",
    "tag",
    "tunnel",
    "twine",
    "uninstall",
    "unlink",
    "update",
    "upgrade",
    "upload",
    "watch",
    "wipe",
];

/// Whether a word names something of that kind, or may become any word.
pub(super) fn lasts(word: &Word) -> bool {
    let Some(text) = word.text() else { return true };
    // Code is longer than a name, and has blanks or brackets.
    let name = text.len() <= 80 && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:/@=".contains(c));
    let mut parts = text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
    name && parts.any(|part| LASTING.contains(&part.as_str()))
}

impl Judge<'_> {
    /// Whether no claim may let a program run with these words: they name what lasts, or something sensitive.
    pub(super) fn beyond_claims(&self, words: &[Word]) -> bool {
        let pieces = |text: &str| {
            let ends = |c: char| c.is_whitespace() || "'\"`()[]{}<>|;,=".contains(c);
            text.split(ends)
                .filter(|piece| !piece.is_empty())
                .any(|piece| self.sensitive.entry(piece, self.place).is_some())
        };
        words.iter().any(|word| lasts(word) || word.text().is_some_and(pieces))
    }
}
