//! The paths that a word of a command becomes, as a shell would expand it now: quotes and variables are the judge's
//! work, patterns are looked up here. Reads names in folders, nothing else; bounded.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use tokio_util::sync::CancellationToken;

use crate::assess::{Piece, Word};

/// Most paths that one pattern becomes.
const MATCHES: usize = 10_000;
/// Most names of one folder that are looked at.
const NAMES: usize = 100_000;

/// The paths that a word becomes, seen from `folder`. A pattern that matches nothing stays itself.
///
/// # Errors
/// What it becomes isn't known, or is too much, as what isn't known.
pub(super) fn paths(word: &Word, folder: &Path, cancel: &CancellationToken) -> Result<Vec<PathBuf>, String> {
    let parts = parts(word)?;
    let absolute = parts.len() > 1 && parts[0].text.is_empty();
    let start = if absolute { PathBuf::from("/") } else { folder.to_path_buf() };
    let literal = parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("/");
    if literal.is_empty() {
        return Err("what an empty name leads to".to_owned());
    }
    if parts.iter().all(|part| part.glob.is_none()) {
        return Ok(vec![folder.join(literal)]);
    }
    let mut found = vec![start];
    for part in parts.iter().filter(|part| !part.text.is_empty()) {
        found = part.step(&found, cancel)?;
    }
    if parts.last().is_some_and(|last| last.text.is_empty()) {
        found.retain(|path| path.is_dir());
        for path in &mut found {
            path.push("");
        }
    }
    // One that is written with a dash stands behind a `--`.
    let open = parts[0].glob.is_some() && !parts[0].text.starts_with('-');
    let dash = |path: &PathBuf| {
        path.strip_prefix(folder).is_ok_and(|name| name.as_os_str().as_encoded_bytes().starts_with(b"-"))
    };
    if open && found.iter().any(dash) {
        return Err(format!("what {} becomes (a name there begins with a dash, and may be a flag)", word.shown()));
    }
    Ok(if found.is_empty() { vec![folder.join(literal)] } else { found })
}

/// The first part of a word that is a pattern, and the folder in which the shell would look that up.
pub(super) fn pattern(word: &Word, folder: &Path) -> Option<(PathBuf, GlobMatcher)> {
    let parts = parts(word).ok()?;
    let at = parts.iter().position(|part| part.glob.is_some())?;
    let before: Vec<&str> = parts[..at].iter().map(|part| part.text.as_str()).collect();
    let written = if before.is_empty() { String::new() } else { before.join("/") + "/" };
    let place = folder.join(written);
    Some((place.canonicalize().unwrap_or(place), parts[at].matcher().ok()?))
}

/// The parts of a word, between its slashes.
fn parts(word: &Word) -> Result<Vec<Part>, String> {
    let mut parts = vec![Part::default()];
    let unknown = || match word.shown().as_str() {
        // Nothing of it is written there.
        "…" => "which files it is about".to_owned(),
        shown => format!("what {shown} becomes"),
    };
    for (at, piece) in word.pieces().iter().enumerate() {
        let closes = |piece: &Piece| matches!(piece, Piece::Exact(text) | Piece::Pattern(text) if text.contains(']'));
        let (text, pattern) = match piece {
            Piece::Exact(text) => (text, false),
            // Parts of a class stand in quotes, or it names letters by their kind.
            Piece::Pattern(text) if text == "[" && word.pieces()[at..].iter().any(closes) => return Err(unknown()),
            Piece::Pattern(text) if text[1..].contains(['[', '\\']) => return Err(unknown()),
            Piece::Pattern(text) => (text, text != "["),
            Piece::Number
            | Piece::Digits
            | Piece::Numbers
            | Piece::Hashes
            | Piece::Names
            | Piece::Refs
            | Piece::Label
            | Piece::Account
            | Piece::Found(_)
            | Piece::Whole(_)
            | Piece::Any
            | Piece::Words => {
                return Err(unknown());
            }
        };
        for (at, text) in text.split('/').enumerate() {
            if at > 0 {
                parts.push(Part::default());
            }
            if let Some(part) = parts.last_mut() {
                part.push(text, pattern);
            }
        }
    }
    Ok(parts)
}

/// One part of a path, between slashes.
#[derive(Default)]
struct Part {
    /// As it is written, without quotes.
    text: String,
    /// As a glob, if it holds a pattern.
    glob: Option<String>,
}

impl Part {
    fn push(&mut self, text: &str, pattern: bool) {
        if pattern {
            self.glob.get_or_insert_with(|| globset::escape(&self.text)).push_str(text);
        } else if let Some(glob) = &mut self.glob {
            glob.push_str(&globset::escape(text));
        }
        self.text.push_str(text);
    }

    /// What finds the names that it matches.
    fn matcher(&self) -> Result<GlobMatcher, String> {
        let glob = GlobBuilder::new(self.glob.as_deref().unwrap_or_default())
            .literal_separator(true)
            .backslash_escape(false)
            .build();
        let unknown = |_| format!("what the pattern {} matches", self.text);
        Ok(glob.map_err(unknown)?.compile_matcher())
    }

    /// What it becomes in each of the folders.
    fn step(&self, folders: &[PathBuf], cancel: &CancellationToken) -> Result<Vec<PathBuf>, String> {
        if self.glob.is_none() {
            let next = folders.iter().map(|folder| folder.join(&self.text));
            return Ok(next.filter(|path| path.symlink_metadata().is_ok()).collect());
        }
        let matcher = self.matcher()?;
        if [".", ".."].iter().any(|dots| self.text.starts_with('.') && matcher.is_match(dots)) {
            return Err(format!("what {} becomes (shells differ in whether `..` is among it)", self.text));
        }
        let mut found = Vec::new();
        for folder in folders {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            for entry in entries.flatten().take(NAMES) {
                if cancel.is_cancelled() {
                    return Err(format!("all that {} matches (looking takes too long)", self.text));
                }
                let name = entry.file_name();
                let hidden = name.as_encoded_bytes().starts_with(b".") && !self.text.starts_with('.');
                if !hidden && matcher.is_match(Path::new(&name)) {
                    found.push(folder.join(name));
                }
                if found.len() > MATCHES {
                    return Err(format!("all that {} matches (more than {MATCHES} names)", self.text));
                }
            }
        }
        found.sort();
        Ok(found)
    }
}
