//! The table of programs that only look. One entry says which flags keep a program reading and what its words mean;
//! `rules` has what the build made of the rule files, and reads an entry when it is first asked for. `argv` judges
//! by it.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;

pub(super) use super::danger_kind::DangerKind;
use super::index::{Index, groups};
use super::kind::Kind;
use super::needs::{Needs, Sees};
use super::obeys::{self, Rules};
use super::rules;

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// A value, attached or in the next word.
    Value(Kind),
    /// Two values, in the next words: the text of the first is harmless, the second means this.
    Pair(Kind),
    /// A value only if attached.
    Attached(Kind),
}

/// How a program reads its flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Style {
    /// `-abc --long=x`, anywhere.
    #[default]
    Gnu,
    /// The same, only before the first operand.
    Posix,
    /// One dash, whole names: `-name x`, `-name=x`.
    Single,
    /// The same, where a second dash changes nothing.
    Go,
}

/// What flows out of a program, for a reader behind a pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Produces {
    #[default]
    Text,
    /// Paths that a search found.
    Paths,
    /// What flowed in, less or in another order.
    Same,
}

/// One program, or one subcommand of a program (`docker ps`).
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent traits of a program, as the rule files spell them
pub(super) struct Entry {
    #[cfg_attr(not(test), allow(dead_code))] // the tests of every example name it
    pub(super) name: String,
    pub(super) flags: HashMap<String, Takes>,
    pub(super) writes: HashSet<String>,
    /// No flag can do harm.
    pub(super) free: bool,
    pub(super) style: Style,
    /// What the first operands mean, and every other.
    pub(super) first: Vec<Kind>,
    pub(super) rest: Kind,
    /// Most and fewest operands.
    pub(super) max: Option<usize>,
    pub(super) min: usize,
    /// Flags with which the first operand isn't what `first` says, but one of the rest.
    pub(super) whole: HashSet<String>,
    /// With one of these flags every operand is text, however many.
    pub(super) opens: HashSet<String>,
    /// With one of these flags it prints the paths it found.
    pub(super) lists: HashSet<String>,
    /// With one of these flags, or always (`*`), a search comes to hidden files, too, and prints their paths.
    pub(super) hidden: HashSet<String>,
    /// Words that may stand before all others and change nothing.
    pub(super) leads: HashSet<String>,
    /// With one of these flags, or always (`*`), it shows nothing of what it reads but names and numbers.
    pub(super) quiet: HashSet<String>,
    /// With one of these flags it shows content, whatever `quiet` says.
    pub(super) loud: HashSet<String>,
    /// With one of these flags it passes on something other than what came in.
    pub(super) alters: HashSet<String>,
    /// With one of these flags, or always (`*`), it reads everything below the folders it is given, or its own.
    pub(super) recurses: HashSet<String>,
    /// It shows what is no text, too.
    pub(super) raw: bool,
    /// With one of these flags links that it finds there are followed.
    pub(super) follows: HashSet<String>,
    /// With one of these flags, or always (`*`), it shows files that those which it is given name. Walls hide the sensitive
    /// ones among them.
    pub(super) beyond: HashSet<String>,
    /// Without one of these flags it fetches what files of the workspace name. Walls cut it off.
    pub(super) fetches: HashSet<String>,
    /// Without one of these flags it writes files of its own as it looks, or asks for news of itself. Walls keep it from both.
    pub(super) keeps: HashSet<String>,
    /// The only values that a flag may have.
    pub(super) values: HashMap<String, HashSet<String>>,
    /// What a flag does with another value: it shows something sensitive.
    pub(super) reasons: HashMap<String, String>,
    /// What the first operands may be; `*` for anything, empty for what `first` and `rest` say.
    pub(super) choices: Vec<HashSet<String>>,
    /// What the first operand may not be.
    pub(super) not: HashSet<String>,
    /// What no operand may be.
    pub(super) never: HashSet<String>,
    /// The first word may be flags without a dash.
    pub(super) bundled: bool,
    /// A group that does something without a subcommand.
    pub(super) acts: bool,
    /// Without operands it only passes on what comes in.
    pub(super) pipes: bool,
    /// Words that begin with `+` are flags too.
    pub(super) plus: bool,
    /// With one of these flags one of `unless` must be there too.
    pub(super) clash: HashSet<String>,
    pub(super) unless: HashSet<String>,
    /// Flags that never stand together: not one of each of these.
    pub(super) apart: Vec<HashSet<String>>,
    /// One of these flags must be there.
    pub(super) requires: HashSet<String>,
    /// Before the first operand: behind one the program takes it for another, or acts before it sees it.
    pub(super) early: bool,
    /// Its first operand names a subcommand with an entry of its own.
    pub(super) group: bool,
    /// The only operands it may have.
    pub(super) words: Option<HashSet<String>>,
    pub(super) produces: Produces,
    /// The paths that it prints say nothing of the folders that were named.
    pub(super) bare: bool,
    /// With one of these flags it prints identifiers in hexadecimal, and nothing else as long as no other flags than
    /// those of `beside` stand there.
    pub(super) hashes: HashSet<String>,
    pub(super) beside: HashSet<String>,
    /// With one of these flags (`--flag=value`) it prints what its things are called, no word of which begins with a
    /// dash, and nothing else under the same condition.
    pub(super) calls: HashSet<String>,
    /// With no other flags than these it prints a table whose first column is what its things are called, if its
    /// first word is one of `column_of`, where any stand there.
    pub(super) column: HashSet<String>,
    pub(super) column_of: HashSet<String>,
    /// With exactly these words it prints one whole number, and nothing else.
    pub(super) numbers: Vec<String>,
    /// With exactly these words it prints one word that begins with a letter or a digit, and no slash is in it.
    pub(super) labels: Vec<String>,
    pub(super) needs: Option<Needs>,
    /// Where its daemon listens; of a program's group, where that of its subcommands does.
    pub(super) sockets: Vec<String>,
    /// What of this machine it must be able to see.
    pub(super) sees: Vec<Sees>,
    /// What walls keep from its sight all the same, which its output doesn't say: a sentence; empty where nothing is.
    pub(super) blind: String,
    /// It runs code of the workspace, as a test runner does: staged.
    pub(super) staged: bool,
    /// It checks with code of the workspace and is no test runner: unknown, and on a claim it runs staged.
    pub(super) checks: bool,
    /// Flags with which, without operands, it only prints about itself.
    pub(super) prints: HashSet<String>,
    /// Flags that its subcommands take too.
    pub(super) shared: HashMap<String, Takes>,
    /// Names that no subcommand with a `*` in its name may have.
    pub(super) but: HashSet<String>,
    /// A first word `+name` chooses a toolchain.
    pub(super) toolchain: bool,
    /// What follows `--` are flags too.
    pub(super) through: bool,
    /// A word `@file` stands for the words that the file holds, flags among them.
    pub(super) response: bool,
    /// A script whose words come apart at blanks, and stand for files, on their way to the program that it calls: not its
    /// files, nor the patterns of these flags.
    pub(super) splits: Option<HashSet<String>>,
}

impl Entry {
    /// Whether all operands mean the same and no flag changes what they mean: a word that is taken for a value is missed
    /// by nobody.
    pub(super) fn even(&self) -> bool {
        let sets = [&self.requires, &self.unless, &self.quiet, &self.whole, &self.opens, &self.lists];
        self.first.is_empty()
            && self.choices.is_empty()
            && self.words.is_none()
            && sets.iter().all(|set| set.is_empty())
    }

    /// Whether a long flag is the beginning of one that the entry knows: programs take it for that one.
    pub(super) fn shortens(&self, flag: &str) -> bool {
        let sets = [
            &self.whole,
            &self.opens,
            &self.lists,
            &self.quiet,
            &self.loud,
            &self.hidden,
            &self.alters,
            &self.recurses,
            &self.follows,
        ];
        let mut known = self.flags.keys().chain(sets.into_iter().flatten());
        flag.starts_with("--") && flag.len() > 2 && known.any(|known| known != flag && known.starts_with(flag))
    }
}

/// What a program, or a subcommand of it, is known to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) kind: DangerKind,
    pub(super) does: &'static str,
}

/// The tables.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) programs: Index,
    pub(super) dangers: Index,
    pub(super) help: Index,
    /// Programs that run a word which is none of their subcommands: a script, a file, a package.
    pub(super) hosts: Index,
    /// Programs of which a subcommand that isn't their own is another program: a plugin, or an alias that somebody made.
    pub(super) plugins: Index,
    /// What was read of each entry: none if it can't be read, which a test rules out; then no rule covers it.
    pub(super) read: [OnceLock<Option<Box<Entry>>>; rules::ENTRIES],
    /// Names with a `*` at the end of some word, which stands for any rest of it, by their first word; those of which it
    /// is the first by nothing.
    pub(super) starred: OnceLock<HashMap<&'static str, Vec<&'static str>>>,
    pub(super) obeys: OnceLock<Option<Rules>>,
}

impl Table {
    /// Whether a program, or a subcommand of it, only prints about itself with a word: `--help` and `--version`, or what
    /// the rules say of it (`curl:-V`). Where a subcommand that nobody knows may be code, only those in the table do, and
    /// those that the rules name as its own (`kubectl_diff`).
    pub(super) fn explains_itself(&self, name: &str, word: &str) -> bool {
        let (program, subcommands) = name.split_once(' ').unwrap_or((name, ""));
        if !subcommands.split(' ').all(is_name) {
            return false;
        }
        if !subcommands.is_empty() && self.hosts.has(program) {
            // What only stands before others' names (`zig build`, before `zig build test`) may run what lies here.
            let known = match self.exactly(name) {
                Some(entry) => !entry.staged && !entry.checks,
                None => self.dangers.has(name) || self.help.has(&name.replace(' ', "_")),
            };
            if !known {
                return false;
            }
        }
        if let Some(subcommand) = subcommands.split(' ').next().filter(|word| !word.is_empty())
            && self.plugins.has(program)
        {
            let own = format!("{program} {subcommand}");
            // Under this one `kubectl` runs others' programs, too.
            if subcommand == "create" && subcommands.contains(' ') && self.entry(name).is_none() {
                return false;
            }
            let listed = || self.help.has(&own.replace(' ', "_"));
            if !self.programs.has(&own) && !self.dangers.has(&own) && !self.continues(&own) && !listed() {
                return false;
            }
        }
        matches!(word, "--help" | "--version") && self.help.has(program) || self.help.has(&format!("{program}:{word}"))
    }

    /// Which files of a workspace programs obey. None if the rules can't be read, which a test rules out.
    pub(super) fn obeys(&self) -> Option<&Rules> {
        self.obeys.get_or_init(obeys::rules).as_ref()
    }

    /// The name of every entry, aliases too.
    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.programs.iter().map(|(name, _)| name)
    }

    /// The entry of a program or subcommand.
    pub(super) fn entry(&self, name: &str) -> Option<&Entry> {
        match self.programs.find(name) {
            Some(place) => self.at(name, place),
            None => self.like(name),
        }
    }

    fn exactly(&self, name: &str) -> Option<&Entry> {
        self.at(name, self.programs.find(name)?)
    }

    /// The entry of that place, with the flags that the groups above share with it.
    fn at(&self, name: &str, place: &str) -> Option<&Entry> {
        let (number, place) = place.split_once('\t')?;
        let read = || {
            let mut entry = rules::entry(name, place)?;
            // Those of its first name alone: another name of it may be in a group that shares others.
            for above in groups(&entry.name.clone()).filter_map(|above| self.exactly(above)) {
                for (flag, &takes) in &above.shared {
                    entry.flags.entry(flag.clone()).or_insert(takes);
                }
            }
            Some(Box::new(entry))
        };
        self.read.get(number.parse::<usize>().ok()?)?.get_or_init(read).as_deref()
    }

    /// Whether a name is one that an entry, a declared danger or the code is about.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.entry(name).is_some() || self.danger(name).is_some() || super::programs::SPECIAL.contains(&name)
    }

    /// Whether there is an entry of this name, not of one like it.
    pub(super) fn names_exactly(&self, name: &str) -> bool {
        self.programs.has(name)
    }

    /// Whether there are entries of subcommands of a name.
    pub(super) fn continues(&self, name: &str) -> bool {
        self.programs.begins(&format!("{name} "))
    }

    /// The entry whose name has a `*` where this one has something else.
    fn like(&self, name: &str) -> Option<&Entry> {
        self.alike(name).filter(|entry| !bars(entry, name))
    }

    /// The same, whatever it bars; rather one of a subcommand than of a group.
    fn alike(&self, name: &str) -> Option<&Entry> {
        let fits = |pattern: &str, word: &str| match pattern.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == pattern,
        };
        let same = |pattern: &str| {
            let mut patterns = pattern.split(' ');
            let all = name.split(' ').all(|word| patterns.next().is_some_and(|pattern| fits(pattern, word)));
            all && patterns.next().is_none()
        };
        let starred = self.starred.get_or_init(|| {
            let mut starred: HashMap<&str, Vec<&str>> = HashMap::new();
            for name in self.programs.iter().map(|(name, _)| name).filter(|name| name.contains('*')) {
                let first = name.split(' ').next().filter(|first| !first.contains('*')).unwrap_or_default();
                starred.entry(first).or_default().push(name);
            }
            starred
        });
        let first = name.split(' ').next().unwrap_or_default();
        let starred = [first, ""].into_iter().filter_map(|first| starred.get(first)).flatten();
        let found = starred.filter(|pattern| same(pattern)).filter_map(|name| self.exactly(name));
        found.min_by_key(|entry| entry.group)
    }

    /// Whether an entry with a `*` in its name would be this one's, if it didn't say that this one shows secrets, by itself.
    pub(super) fn bars(&self, name: &str) -> bool {
        self.alike(name).is_some_and(|entry| bars(entry, name))
    }

    /// What is declared of a program or subcommand.
    pub(super) fn danger(&self, name: &str) -> Option<Declared> {
        let (kind, does) = self.dangers.find(name)?.split_once('\t')?;
        // What is no kind would be the worst of them; the build rules it out.
        Some(Declared { kind: DangerKind::named(kind).unwrap_or(DangerKind::Runs), does })
    }
}

/// Whether a name has what an entry's names may not have.
fn bars(entry: &Entry, name: &str) -> bool {
    let parts = name.replace(' ', "-");
    let barred =
        |but: &String| [format!("-{but}-"), format!("-{but}s-")].iter().any(|b| format!("{parts}-").contains(b));
    entry.but.iter().any(barred)
}

/// Whether a word is a name as subcommands have them, not a path, a file or a toolchain.
fn is_name(word: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':');
    word.bytes().all(known) && !word.starts_with(['-', ':'])
}

/// The tables that the program has in it.
pub(super) fn table() -> &'static Table {
    &rules::TABLE
}
