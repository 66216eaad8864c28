//! A path or a pattern as somebody wrote it, and the whole paths that it may stand for.

use std::cell::OnceCell;
use std::sync::LazyLock;

use super::overlap::{Name, alternatives};
use super::spelling;
use crate::domain::Place;

/// Longest pattern that is looked at, in bytes.
const PATTERN_CAP: usize = 4096;
/// Most alternatives of a pattern's braces.
pub(super) const ALTERNATIVES_CAP: usize = 64;

/// How every home folder is written while paths are compared.
pub(super) const HOME: &str = "/~/";

/// First names of paths to home folders: those with a user's name behind them, and those without.
static HOMES: LazyLock<([Name; 2], [Name; 2])> =
    LazyLock::new(|| ([Name::glob("home"), Name::glob("users")], [Name::glob("root"), Name::glob("~")]));

/// A path or a pattern as it is written, and what that may stand for: worked out once, for any number of lists.
#[derive(Debug)]
pub(super) struct Written<'a> {
    text: &'a str,
    place: &'a Place,
    pub paths: Vec<String>,
    patterns: OnceCell<Result<Vec<Pattern>, &'static str>>,
}

/// One whole path with unknown parts that a pattern may stand for.
#[derive(Debug)]
pub(super) struct Pattern {
    pub path: String,
    pub names: Vec<Name>,
    /// How many of its names lead to a home folder.
    pub home: Option<usize>,
}

impl<'a> Written<'a> {
    /// What a text may stand for.
    pub fn new(text: &'a str, place: &'a Place) -> Self {
        Self { text, place, paths: candidates(text, place), patterns: OnceCell::new() }
    }

    /// The patterns that it comes to; none for a plain path. What can't be compared says what it is.
    pub fn patterns(&self) -> &Result<Vec<Pattern>, &'static str> {
        self.patterns.get_or_init(|| {
            if self.text.len() > PATTERN_CAP {
                return Err("a pattern too long to be compared");
            }
            if !self.text.contains(['*', '?', '[', '{', '\\']) {
                return Ok(Vec::new());
            }
            let Some(texts) = alternatives(self.text, ALTERNATIVES_CAP) else {
                return Err("a pattern with too many alternatives");
            };
            let texts = texts.iter().flat_map(|text| floating(text));
            Ok(texts.flat_map(|text| candidates(&text, self.place)).map(Pattern::new).collect())
        })
    }
}

impl Pattern {
    fn new(path: String) -> Self {
        let names: Vec<Name> = path.split('/').skip(1).map(Name::glob).collect();
        let home = home_depth(&names);
        Self { path, names, home }
    }
}

/// How many names of a pattern lead to a home folder.
fn home_depth(pattern: &[Name]) -> Option<usize> {
    let first = pattern.first().filter(|first| !first.anything())?;
    let meets = |homes: &[Name]| homes.iter().any(|home| first.meets(home));
    let depth = |homes, depth| meets(homes).then_some(depth);
    depth(&HOMES.0, 2).or_else(|| depth(&HOMES.1, 1))
}

/// The whole paths that a spelling may stand for, in lower case, with this person's home among the homes.
pub(super) fn candidates(path: &str, place: &Place) -> Vec<String> {
    let home = spelling::home(place).to_lowercase();
    let mut paths = Vec::new();
    for path in spelling::absolute(path, place) {
        let path = path.to_lowercase();
        let own = path.strip_prefix(&home).filter(|_| home.len() > 1).and_then(|rest| rest.strip_prefix('/'));
        paths.extend(own.or_else(|| below_home(&path)).map(|rest| format!("{HOME}{rest}")));
        paths.push(path);
    }
    paths
}

/// What follows the home folder of anybody.
pub(super) fn below_home(path: &str) -> Option<&str> {
    let user = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/users/"));
    user.and_then(|rest| rest.split_once('/').map(|(_, rest)| rest)).or_else(|| path.strip_prefix("/root/"))
}

/// A pattern that begins with an unknown part may begin anywhere.
fn floating(pattern: &str) -> Vec<String> {
    let mut patterns = vec![pattern.to_owned()];
    if pattern.starts_with('*') {
        patterns.extend([format!("/{pattern}"), format!("/*/{pattern}")]);
    }
    patterns
}
