//! What the commands of a text would make or write, by name: what another one misses where they didn't run.

use std::path::PathBuf;

use super::{Does, Goal, acts};
use crate::assess::command::rewriting::Spelled;
use crate::assess::command::word::Word;
use crate::assess::{AssessSettings, spelling};
use crate::domain::{Facts, PathKind, Place};

/// Most that is told of one text.
const MOST: usize = 100;
/// Flags of `git clone` with a value behind them.
const VALUED: [&str; 22] = [
    "-b",
    "--branch",
    "--revision",
    "-o",
    "--origin",
    "-u",
    "--upload-pack",
    "-c",
    "--config",
    "-j",
    "--jobs",
    "--depth",
    "--filter",
    "--template",
    "--reference",
    "--reference-if-able",
    "--separate-git-dir",
    "--server-option",
    "--shallow-since",
    "--shallow-exclude",
    "--bundle-uri",
    "--ref-format",
];

/// A file or a folder that a command would make or write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its name as it is spelled, or as the spelling leads to it.
    pub name: String,
    /// Where that is.
    pub path: PathBuf,
    /// What would be done to it.
    pub way: Making,
}

/// What is done to what a command makes or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Making {
    /// It isn't there, and is created.
    Created,
    /// It is written, whatever was there.
    Written,
    /// What is there is changed.
    Changed,
}

/// The path that a word of a command names from a folder. Text alone: links aren't followed.
#[must_use]
pub fn named_from(word: &str, place: &Place) -> PathBuf {
    spelling::join(&spelling::rooted(word, place)).into()
}

/// What the commands of a text would make or write, as far as their words tell for sure.
#[must_use]
pub fn made(command: &str, facts: &Facts) -> Vec<Made> {
    let mut made = Vec::new();
    for act in acts(command, facts, &AssessSettings::default()) {
        let Some(folder) = act.folder else { continue };
        let there = There { facts, place: Place { cwd: folder.into(), ..facts.place.clone() } };
        let (names, way) = there.named(&act.does);
        let told = names.into_iter().map(|name| Made { path: named_from(&name, &there.place), name, way });
        // The folder where it runs is there.
        made.extend(told.filter(|made| !made.path.starts_with("/dev") && !there.place.cwd.starts_with(&made.path)));
        if made.len() > MOST {
            made.truncate(MOST);
            break;
        }
    }
    made
}

/// The folder where a command runs, and what is known of what is there.
struct There<'f> {
    facts: &'f Facts,
    place: Place,
}

impl There<'_> {
    /// The names of what is made or written.
    fn named(&self, does: &Does) -> (Vec<String>, Making) {
        match does {
            Does::Redirect { name, .. } => (texts(std::slice::from_ref(name)), Making::Written),
            Does::Resize { names, creates: true, .. } => (texts(names), Making::Written),
            Does::Resize { names, .. } | Does::Rewrite { names, .. } => (texts(names), Making::Changed),
            Does::Move { names, goal }
            | Does::Copy { names, goal, .. }
            | Does::Link { names, goal, .. }
            | Does::Install { names, goal: Some(goal) } => (self.ends(names, goal), Making::Written),
            Does::Make { names, .. } | Does::Install { names, goal: None } => {
                let missing = |name: &String| matches!(self.kind(name), None | Some(PathKind::Missing));
                (texts(names).into_iter().filter(missing).collect(), Making::Created)
            }
            Does::Git { subcommand, words } if subcommand == "clone" => {
                (cloned(words).into_iter().collect(), Making::Created)
            }
            Does::Delete { .. }
            | Does::Listed { .. }
            | Does::Rights { .. }
            | Does::Search(_)
            | Does::Bring(_)
            | Does::Signal(_)
            | Does::Git { .. }
            | Does::Unmeasured(_) => (Vec::new(), Making::Changed),
        }
    }

    /// Where things go: to that name, or below it if it is a folder. Nothing if that isn't known.
    fn ends(&self, names: &[Word], goal: &Goal) -> Vec<String> {
        let Some(to) = goal.to.text() else { return Vec::new() };
        let folder = match self.kind(to) {
            _ if goal.folder => true,
            _ if goal.exact => false,
            _ if matches!(to, "." | "..") => true,
            Some(PathKind::Folder) => true,
            Some(PathKind::Missing | PathKind::File) => false,
            Some(PathKind::Special | PathKind::Unreadable) | None => return Vec::new(),
        };
        if !folder {
            return vec![to.to_owned()];
        }
        let last = |name: String| name.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let last = texts(names).into_iter().map(last).filter(|name| !matches!(name.as_str(), "" | "." | ".."));
        last.map(|name| format!("{}/{name}", to.trim_end_matches('/'))).collect()
    }

    /// What is there by a name, if it was looked at.
    fn kind(&self, name: &str) -> Option<PathKind> {
        let path = named_from(name, &self.place);
        let known = |spelled: &str| named_from(spelled, &self.facts.place) == path;
        self.facts.paths.iter().find(|(spelled, _)| known(spelled)).map(|(_, fact)| fact.kind)
    }
}

/// The words that are exactly one text.
fn texts(words: &[Word]) -> Vec<String> {
    words.iter().filter_map(Word::text).map(str::to_owned).collect()
}

/// The folder that `git clone` makes: the one that it names, or what its source is called.
fn cloned(words: &[Word]) -> Option<String> {
    let read = Spelled::of(words, &VALUED, &[])?;
    match read.operands.as_slice() {
        [_, folder] => folder.text().map(str::to_owned),
        [source] if !read.flags.iter().any(|(flag, _)| matches!(flag.as_str(), "--bare" | "--mirror")) => {
            let source = source.text()?.trim_end_matches('/');
            let source = source.strip_suffix("/.git").unwrap_or(source);
            let name = source.rsplit(['/', ':']).next().unwrap_or_default();
            let name = name.strip_suffix(".git").unwrap_or(name);
            (!name.is_empty()).then(|| name.to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::PathFact;

    fn told(command: &str) -> Vec<String> {
        let place = Place { cwd: "/w".into(), workspace: "/w".into(), home: Some("/home/a".into()) };
        let mut facts = Facts { place, ..Facts::default() };
        let there = [("dir", PathKind::Folder), ("/w/sub/in", PathKind::Folder), ("old", PathKind::File)];
        for (name, kind) in there.into_iter().chain([("b", PathKind::Missing), ("/w/sub/b", PathKind::Missing)]) {
            let fact = PathFact { real: name.into(), kind, size: 0, content: None };
            facts.paths.insert(name.to_owned(), fact);
        }
        let shown = |made: Made| {
            let word = match made.way {
                Making::Created => "new ",
                Making::Written => "",
                Making::Changed => "changed ",
            };
            format!("{word}{} {}", made.name, made.path.display())
        };
        made(command, &facts).into_iter().map(shown).collect()
    }

    #[test]
    fn what_a_command_makes_or_writes_is_told_by_its_words() {
        for (command, wanted) in [
            ("echo x > ./out.txt", vec!["./out.txt /w/out.txt"]),
            ("ls | tee -a x ~/y", vec!["x /w/x", "/home/a/y /home/a/y"]),
            ("touch 'a b' dir/c", vec!["new a b /w/a b", "new dir/c /w/dir/c"]),
            ("touch old", vec![]),
            ("mkdir -p dir deep/er", vec!["new deep/er /w/deep/er"]),
            ("cp a b", vec!["b /w/b"]),
            ("cp a old", vec!["old /w/old"]),
            ("cp x/a dir", vec!["dir/a /w/dir/a"]),
            ("cp a nobody-looked", vec![]),
            ("cd sub && mv a b && mv c in", vec!["b /w/sub/b", "in/c /w/sub/in/c"]),
            ("mv x y z", vec!["z/x /w/z/x", "z/y /w/z/y"]),
            ("mv $x dir", vec![]),
            ("ln -s ../a", vec!["./a /w/a"]),
            ("ln -sT a l", vec!["l /w/l"]),
            ("install -Dm644 a b", vec!["b /w/b"]),
            ("install -d -o root deep", vec!["new deep /w/deep"]),
            ("install -t dir a", vec!["dir/a /w/dir/a"]),
            ("sed -i s/a/b/ old", vec!["changed old /w/old"]),
            ("git clone --depth 1 https://a.example/b/shop.git", vec!["new shop /w/shop"]),
            ("git clone -b main a:b/shop there", vec!["new there /w/there"]),
            ("git clone --mirror a:b/shop", vec![]),
            ("sudo touch a", vec!["new a /w/a"]),
            ("rm a; chmod 600 b; git pull; make", vec![]),
            ("ls | tee /dev/stderr", vec![]),
            ("mkdir -p . ..; git clone a:b .", vec![]),
        ] {
            assert_eq!(told(command), wanted, "{command}");
        }
    }
}
