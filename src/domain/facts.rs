//! What local reading found about the things an operation names, taken when it was proposed and again
//! right before it starts. Two equal `Facts` mean that what was shown is what runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::catalog::Catalog;
use super::mcp::Declared;
use super::target::Target;

/// Where an operation happens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Folder that relative paths start from.
    #[serde(with = "super::path")]
    pub cwd: PathBuf,
    /// Root of the workspace.
    #[serde(with = "super::path")]
    pub workspace: PathBuf,
    /// The person's home folder, where known.
    #[serde(default, with = "super::path")]
    pub home: Option<PathBuf>,
}

impl Place {
    /// Whether a layer over the workspace is not one over everything: it is neither the whole disk, nor the home folder,
    /// nor above that.
    #[must_use]
    pub fn stageable(&self) -> bool {
        let whole = self.workspace == std::path::Path::new("/");
        !whole && self.home.as_ref().is_none_or(|home| !home.starts_with(&self.workspace))
    }
}

/// What kind of thing a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathKind {
    /// Nothing there.
    Missing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A device, socket or pipe.
    Special,
    /// It couldn't be looked at.
    Unreadable,
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathFact {
    /// The path after `..` and symlinks; for a missing one, its nearest existing parent resolved plus the rest.
    #[serde(with = "super::path")]
    pub real: PathBuf,
    /// What is there.
    pub kind: PathKind,
    /// Size in bytes.
    pub size: u64,
    /// Identity of its content: a hash for a file that will be edited or overwritten, else nothing.
    pub content: Option<u64>,
}

/// What a git repository's own configuration holds that its whitelisted commands would obey.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryFact {
    /// Configuration keys outside the allow-list, such as `filter.x.clean`.
    pub foreign_keys: Vec<String>,
    /// `.git/info/attributes` is present.
    pub own_attributes: bool,
    /// The top folder of its working tree, after links; none where git would find none or another.
    #[serde(default, with = "super::path")]
    pub root: Option<PathBuf>,
    /// What else git would obey where nobody guards its run, as ends of sentences. Ours are guarded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unguarded: Vec<String>,
    /// Sensitive files that git tracks, where nobody leaves them out of what git prints; an empty name where it isn't
    /// known which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tracks: Vec<String>,
}

/// What the names in a folder may do to a command in which a pattern becomes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderFact {
    /// Some name begins with a dash, or what else makes a flag or a file of flags (`+`, `@`), or holds a blank at which it
    /// may be split, or nobody could tell.
    pub dashed: bool,
}

/// What a pattern by which files are read matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GlobFact {
    /// Nothing sensitive.
    Nothing,
    /// A sensitive file, or a link to one: its path, one of maybe several.
    Sensitive(String),
    /// Nothing by its name, but a link leads to something sensitive, or to a folder elsewhere: its path.
    Linked(String),
    /// Nothing of that, but below a folder a link leads to another folder of the workspace, which has a sensitive file or a
    /// link out: the path of the first link.
    Behind(String),
    /// Below a folder: no part of a path, but one as a whole, which a listing without hidden files shows.
    Listed(String),
    /// The same, but only a listing by git shows it.
    Tracked(String),
    /// There are more names than are looked through.
    TooMany,
}

/// What was found where sensitive files were looked for below a folder: one of maybe several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SecretFact {
    /// No sensitive file.
    Nothing,
    /// Its path: a search comes to it that leaves hidden files and build products out.
    Plain(String),
    /// Its path: only a search of hidden files or build products comes to it.
    Hidden(String),
    /// Nobody knows: there are more names than are looked through.
    TooMany,
    /// The same, but all were looked at that a search comes to which leaves hidden files and build products out.
    HiddenTooMany,
}

/// A shell that runs commands, as far as it reads them in its own way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shell {
    /// As everything here is read.
    #[default]
    Bash,
    /// It computes what `[` compares, doesn't split variables, and has much of its own.
    Zsh,
    /// A small one (dash), or ksh, that doesn't know what bash added.
    Other,
    /// One with a language of its own, as fish has: `\'` in quotes, `(…)` and `^` mean something else there.
    Foreign,
}

/// Everything that local reading found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Where it happens.
    pub place: Place,
    /// By the spelling that the operation uses.
    pub paths: BTreeMap<String, PathFact>,
    /// Program names by what they resolve to on the child's `PATH`; none means not found.
    #[serde(with = "super::path")]
    pub programs: BTreeMap<String, Option<PathBuf>>,
    /// By folder: the repository that a git command there would use.
    pub repositories: BTreeMap<String, RepositoryFact>,
    /// What the database says of the names in a statement that would run unasked; none where none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<Catalog>,
    /// What an MCP server says of the tool, now; none for a tool of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    /// By folder, where a pattern picks names in it.
    #[serde(default)]
    pub folders: BTreeMap<String, FolderFact>,
    /// By pattern, where files are read by one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub globs: BTreeMap<String, GlobFact>,
    /// By pattern that a variable brings along without quotes: whether names of it come apart at a blank, or are patterns.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parted: BTreeMap<String, bool>,
    /// By folder: whether no branch or tag of the repository there has a name that begins with a dash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refs: BTreeMap<String, bool>,
    /// By folder: the same of that, and of the names that its tags bear themselves.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub described: BTreeMap<String, bool>,
    /// By folder: whether a file that the repository there tracks has a name of which a part may be a flag; none where nobody
    /// could tell.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tracked: BTreeMap<String, Option<bool>>,
    /// By folder and id, a colon between them: whether what git keeps there under it is a file, as far as is known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub objects: BTreeMap<String, bool>,
    /// By folder: whether a part of a path below it, split at blanks, may be a flag; none where nobody could tell.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dashed: BTreeMap<String, Option<bool>>,
    /// By folder: whether a path below it, split at blanks, names a sensitive file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub below: BTreeMap<String, GlobFact>,
    /// By folder: whether a sensitive file lies below it, where that was looked for. So too by pattern, under [`each`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, SecretFact>,
    /// By pattern: the names that it matches, where each is judged by itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lists: BTreeMap<String, Vec<String>>,
    /// What it would hit beside the workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
    /// By folder: whether Python would find modules there that take the place of its own.
    #[serde(default)]
    pub modules: BTreeMap<String, bool>,
    /// By settings file that may be plain: its settings that aren't. None where it isn't there or can't be read.
    #[serde(default)]
    pub settings: BTreeMap<String, Vec<String>>,
    /// Whether it is another program that runs it: nothing of ours holds a client of a database to reading there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unguarded: bool,
    /// The shell that runs a command.
    #[serde(default)]
    pub shell: Shell,
    /// Trouble while looking: makes the operation unreadable.
    pub trouble: Option<String>,
}

/// By what name stands among what lies below folders what lies below each of those that a pattern matches: no folder's name
/// ends so.
#[must_use]
pub fn each(pattern: &str) -> String {
    format!("{pattern}/")
}

/// The pattern that stands under such a name.
#[must_use]
pub fn pattern_of(name: &str) -> Option<&str> {
    name.strip_suffix('/').filter(|pattern| !pattern.is_empty())
}

/// By what name stands what lies below folders where files of some names alone count: no path has that letter.
#[must_use]
pub fn only_of(folder: &str, names: &[String]) -> String {
    std::iter::once(folder).chain(names.iter().map(String::as_str)).collect::<Vec<_>>().join("\0")
}

/// The folder that stands under such a name, and the names.
#[must_use]
pub fn named_in(name: &str) -> (&str, Vec<&str>) {
    let mut parts = name.split('\0');
    (parts.next().unwrap_or_default(), parts.collect())
}

/// A file or folder as a person is told of it: from the home folder where it is below it.
#[must_use]
pub fn below_home(folder: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| folder.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => folder.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_below_home_is_told_from_there() {
        let told = |folder: &str| below_home(Path::new(folder), Some(Path::new("/home/ann")));
        assert_eq!(["/home/ann", "/home/ann/shop", "/home/anna"].map(told), ["~", "~/shop", "/home/anna"]);
        assert_eq!(below_home(Path::new("/srv"), None), "/srv");
    }
}
