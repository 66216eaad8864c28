//! The table of programs that only look, from the rules embedded with the program. Parsed once. One entry says
//! which flags keep a program reading and what its words mean; `argv` judges by it.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use serde::de::value::StrDeserializer;

use super::kind::Kind;
use super::needs::{Needs, Sees};
use super::obeys::{Rule, rules};

const SOURCES: [(&str, &str); 20] = [
    ("coreutils.toml", include_str!("../../../assets/rules/coreutils.toml")),
    ("shell.toml", include_str!("../../../assets/rules/shell.toml")),
    ("text.toml", include_str!("../../../assets/rules/text.toml")),
    ("tabular.toml", include_str!("../../../assets/rules/tabular.toml")),
    ("search.toml", include_str!("../../../assets/rules/search.toml")),
    ("git.toml", include_str!("../../../assets/rules/git.toml")),
    ("archives.toml", include_str!("../../../assets/rules/archives.toml")),
    ("media.toml", include_str!("../../../assets/rules/media.toml")),
    ("binaries.toml", include_str!("../../../assets/rules/binaries.toml")),
    ("crypto.toml", include_str!("../../../assets/rules/crypto.toml")),
    ("system.toml", include_str!("../../../assets/rules/system.toml")),
    ("services.toml", include_str!("../../../assets/rules/services.toml")),
    ("network.toml", include_str!("../../../assets/rules/network.toml")),
    ("disks.toml", include_str!("../../../assets/rules/disks.toml")),
    ("hardware.toml", include_str!("../../../assets/rules/hardware.toml")),
    ("desktop.toml", include_str!("../../../assets/rules/desktop.toml")),
    ("virtual.toml", include_str!("../../../assets/rules/virtual.toml")),
    ("containers.toml", include_str!("../../../assets/rules/containers.toml")),
    ("packages.toml", include_str!("../../../assets/rules/packages.toml")),
    ("languages.toml", include_str!("../../../assets/rules/languages.toml")),
];
const DANGERS: &str = include_str!("../../../assets/rules/danger.toml");

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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    #[serde(default)]
    program: Vec<SourceEntry>,
    #[serde(default)]
    help: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)]
struct SourceEntry {
    name: String,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    flags: String,
    #[serde(default)]
    writes: String,
    #[serde(default)]
    free: bool,
    #[serde(default)]
    style: Style,
    #[serde(default)]
    first: Vec<Kind>,
    #[serde(default)]
    rest: Kind,
    max: Option<usize>,
    #[serde(default)]
    min: usize,
    #[serde(default)]
    whole: String,
    #[serde(default)]
    opens: String,
    #[serde(default)]
    lists: String,
    #[serde(default)]
    leads: String,
    #[serde(default)]
    loud: String,
    #[serde(default)]
    alters: String,
    #[serde(default)]
    quiet: String,
    #[serde(default)]
    recurses: String,
    #[serde(default)]
    choices: Vec<String>,
    #[serde(default)]
    not: String,
    #[serde(default)]
    never: String,
    #[serde(default)]
    bundled: bool,
    #[serde(default)]
    acts: bool,
    #[serde(default)]
    pipes: bool,
    #[serde(default)]
    plus: bool,
    #[serde(default)]
    clash: String,
    #[serde(default)]
    unless: String,
    #[serde(default)]
    requires: String,
    #[serde(default)]
    group: bool,
    #[serde(default)]
    words: Option<String>,
    #[serde(default)]
    produces: Produces,
    #[serde(default)]
    numbers: Vec<String>,
    needs: Option<Needs>,
    #[serde(default)]
    sees: Vec<Sees>,
    #[serde(default)]
    socket: Vec<String>,
    #[serde(default)]
    staged: bool,
    #[serde(default)]
    allow: Vec<String>,
    #[serde(default)]
    ask: Vec<String>,
}

/// One program, or one subcommand of a program (`docker ps`).
#[derive(Debug)]
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
    /// What the first operands may be; `*` for anything.
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
    /// One of these flags must be there.
    pub(super) requires: HashSet<String>,
    /// Its first operand names a subcommand with an entry of its own.
    pub(super) group: bool,
    /// The only operands it may have.
    pub(super) words: Option<HashSet<String>>,
    pub(super) produces: Produces,
    /// With exactly these words it prints one whole number, and nothing else.
    pub(super) numbers: Vec<String>,
    pub(super) needs: Option<Needs>,
    /// Where its daemon listens; of a program's group, where that of its subcommands does.
    pub(super) sockets: Vec<String>,
    /// What of this machine it must be able to see.
    pub(super) sees: Vec<Sees>,
    /// A test runner: runs staged.
    pub(super) staged: bool,
    #[cfg_attr(not(test), allow(dead_code))]
    pub(super) examples: Examples,
}

/// Command lines that an entry promises to allow, and to ask for.
#[derive(Debug, Default)]
#[cfg_attr(not(test), allow(dead_code))]
pub(super) struct Examples {
    pub(super) allow: Vec<String>,
    pub(super) ask: Vec<String>,
}

/// A kind of declared danger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DangerKind {
    Destructive,
    External,
    /// Runs code that isn't shown: unknown, and never on a claim.
    Runs,
    /// Runs the command in its words, in a way that isn't taken apart: the same, but a catastrophe there is one.
    Wraps,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DangerSource {
    danger: Vec<DangerEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DangerEntry {
    kind: DangerKind,
    does: String,
    programs: String,
    #[serde(default)]
    of: String,
}

/// What a program, or a subcommand of it, is known to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) kind: DangerKind,
    pub(super) does: String,
}

/// The tables.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    by_name: HashMap<String, usize>,
    dangers: HashMap<String, Declared>,
    help: HashSet<String>,
    obeys: Vec<Rule>,
}

impl Table {
    /// Whether a program only prints about itself with a word: `--help` and `--version`, or what the rules say of it
    /// (`curl:-V`).
    pub(super) fn explains_itself(&self, name: &str, word: &str) -> bool {
        matches!(word, "--help" | "--version") && self.help.contains(name)
            || self.help.contains(&format!("{name}:{word}"))
    }

    /// Which files of a workspace programs obey.
    pub(super) fn obeys(&self) -> &[Rule] {
        &self.obeys
    }

    /// Every entry, for the tests of their examples.
    #[cfg(test)]
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The name of every entry, aliases too.
    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The entry of a program or subcommand.
    pub(super) fn entry(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(name).map(|&at| &self.entries[at])
    }

    /// What is declared of a program or subcommand.
    pub(super) fn danger(&self, name: &str) -> Option<&Declared> {
        self.dangers.get(name)
    }
}

/// The tables, parsed at first use.
pub(super) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| build().unwrap_or_default())
}

/// Why the rule files can't be used, if so; a test rules it out. Then nothing is whitelisted.
fn build() -> Result<Table, String> {
    let mut table = Table { obeys: rules()?, ..Table::default() };
    for (file, text) in SOURCES {
        let source: Source = toml::from_str(text).map_err(|error| format!("{file}: {error}"))?;
        table.help.extend(set(&source.help));
        for entry in source.program {
            for name in std::iter::once(&entry.name).chain(&entry.also) {
                if table.by_name.insert(name.clone(), table.entries.len()).is_some() {
                    return Err(format!("{file}: two entries for {name}"));
                }
            }
            let name = entry.name.clone();
            table
                .entries
                .push(entry_of(entry).ok_or_else(|| format!("{file}: a flag of {name} takes an unknown kind"))?);
        }
    }
    let source: DangerSource = toml::from_str(DANGERS).map_err(|error| format!("danger.toml: {error}"))?;
    for entry in source.danger {
        for name in entry.programs.split_whitespace() {
            let name =
                if entry.of.is_empty() { name.to_owned() } else { format!("{} {}", entry.of, name.replace('_', " ")) };
            table.dangers.insert(name, Declared { kind: entry.kind, does: entry.does.clone() });
        }
    }
    Ok(table)
}

fn set(text: &str) -> HashSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn kind_named(name: &str) -> Option<Kind> {
    if name.is_empty() {
        return Some(Kind::Text);
    }
    let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
    Kind::deserialize(name).ok()
}

fn entry_of(source: SourceEntry) -> Option<Entry> {
    let mut flags = HashMap::new();
    for flag in source.flags.split_whitespace() {
        let (names, takes) = match flag.split_once(['=', '?']) {
            None => (flag, Takes::Nothing),
            Some((names, kind)) => {
                if let Some(second) = kind.strip_prefix("pair") {
                    let second = kind_named(second.strip_prefix(':').unwrap_or_default())?;
                    flags.insert(names.to_owned(), Takes::Pair(second));
                    continue;
                }
                let kind = kind_named(kind)?;
                (names, if flag.contains('?') { Takes::Attached(kind) } else { Takes::Value(kind) })
            }
        };
        for name in names.split('|') {
            flags.insert(name.to_owned(), takes);
        }
    }
    Some(Entry {
        name: source.name,
        flags,
        writes: set(&source.writes),
        free: source.free,
        style: source.style,
        first: source.first,
        rest: source.rest,
        max: source.max,
        min: source.min,
        whole: set(&source.whole),
        opens: set(&source.opens),
        lists: set(&source.lists),
        leads: set(&source.leads),
        quiet: set(&source.quiet),
        loud: set(&source.loud),
        alters: set(&source.alters),
        recurses: set(&source.recurses),
        choices: source.choices.iter().map(|choice| set(choice)).collect(),
        not: set(&source.not),
        never: set(&source.never),
        bundled: source.bundled,
        acts: source.acts,
        pipes: source.pipes,
        plus: source.plus,
        clash: set(&source.clash),
        unless: set(&source.unless),
        requires: set(&source.requires),
        group: source.group,
        words: source.words.as_deref().map(set),
        produces: source.produces,
        numbers: source.numbers,
        needs: source.needs,
        sockets: source.socket,
        sees: source.sees,
        staged: source.staged,
        examples: Examples { allow: source.allow, ask: source.ask },
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_rule_files_are_sound() {
        super::build().unwrap();
    }
}
