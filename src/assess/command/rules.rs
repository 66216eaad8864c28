//! What the build made of the rule files (`assets/rules/build.rs`): a file there for each sort of programs, one entry
//! for each program or subcommand. An entry is read when it is asked for.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use serde::de::value::StrDeserializer;

use super::index::Index;
use super::kind::Kind;
use super::needs::{Needs, Sees};
use super::table::{Entry, Produces, Style, Table, Takes};

/// What the build wrote.
macro_rules! made {
    (count) => {
        include!(concat!(env!("OUT_DIR"), "/count.rs"))
    };
    (index $kind:literal) => {
        Index {
            text: made!(text $kind, ".txt"),
            slots: include_bytes!(concat!(env!("OUT_DIR"), "/", $kind, ".slots")),
        }
    };
    (text $name:literal, $extension:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name, $extension))
    };
}

/// How many entries there are, the groups that only subcommands tell of among them.
pub(super) const ENTRIES: usize = made!(count);

pub(super) static TABLE: Table = Table {
    programs: made!(index "programs"),
    dangers: made!(index "dangers"),
    help: made!(index "help"),
    hosts: made!(index "hosts"),
    plugins: made!(index "plugins"),
    read: [const { OnceLock::new() }; ENTRIES],
    starred: OnceLock::new(),
    obeys: OnceLock::new(),
};

/// The text of every entry, as JSON.
const TEXTS: &str = made!(text "entries", ".json");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)]
struct SourceEntry {
    name: String,
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
    hidden: String,
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
    follows: String,
    #[serde(default)]
    raw: bool,
    #[serde(default)]
    beyond: String,
    #[serde(default)]
    fetches: String,
    #[serde(default)]
    keeps: String,
    #[serde(default)]
    values: HashMap<String, HashSet<String>>,
    #[serde(default)]
    reasons: HashMap<String, String>,
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
    apart: Vec<String>,
    #[serde(default)]
    requires: String,
    #[serde(default)]
    early: bool,
    #[serde(default)]
    group: bool,
    #[serde(default)]
    words: Option<String>,
    #[serde(default)]
    produces: Produces,
    #[serde(default)]
    bare: bool,
    #[serde(default)]
    hashes: String,
    #[serde(default)]
    beside: String,
    #[serde(default)]
    calls: Vec<String>,
    #[serde(default)]
    column: String,
    #[serde(default)]
    column_of: String,
    #[serde(default)]
    numbers: Vec<String>,
    #[serde(default)]
    labels: Vec<String>,
    needs: Option<Needs>,
    #[serde(default)]
    sees: Vec<Sees>,
    #[serde(default)]
    blind: String,
    #[serde(default)]
    socket: Vec<String>,
    #[serde(default)]
    staged: bool,
    #[serde(default)]
    checks: bool,
    #[serde(default)]
    prints: String,
    #[serde(default)]
    shared: String,
    #[serde(default)]
    but: String,
    #[serde(default)]
    toolchain: bool,
    #[serde(default)]
    through: bool,
    #[serde(default)]
    response: bool,
    splits: Option<String>,
}

/// Reads the entry whose text stands at a place of the texts. None if it can't be read. Where nothing stands it is a
/// group of that name which only its subcommands tell of.
pub(super) fn entry(name: &str, place: &str) -> Option<Entry> {
    let (start, end) = place.split_once('\t')?;
    match TEXTS.get(start.parse().ok()?..end.parse().ok()?)? {
        "" => Some(Entry { name: name.to_owned(), group: true, acts: true, ..Entry::default() }),
        text => entry_of(serde_json::from_str(text).ok()?),
    }
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

/// The flags that a text lists, with what each takes.
fn flags_of(text: &str) -> Option<HashMap<String, Takes>> {
    let mut flags = HashMap::new();
    for flag in text.split_whitespace() {
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
    Some(flags)
}

fn entry_of(source: SourceEntry) -> Option<Entry> {
    Some(Entry {
        name: source.name,
        flags: flags_of(&source.flags)?,
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
        hidden: set(&source.hidden),
        leads: set(&source.leads),
        quiet: set(&source.quiet),
        loud: set(&source.loud),
        alters: set(&source.alters),
        recurses: set(&source.recurses),
        follows: set(&source.follows),
        raw: source.raw,
        beyond: set(&source.beyond),
        fetches: set(&source.fetches),
        keeps: set(&source.keeps),
        values: source.values,
        reasons: source.reasons,
        choices: source.choices.iter().map(|choice| set(choice)).collect(),
        not: set(&source.not),
        never: set(&source.never),
        bundled: source.bundled,
        acts: source.acts,
        pipes: source.pipes,
        plus: source.plus,
        clash: set(&source.clash),
        unless: set(&source.unless),
        apart: source.apart.iter().map(|flags| set(flags)).collect(),
        requires: set(&source.requires),
        group: source.group,
        words: source.words.as_deref().map(set),
        produces: source.produces,
        bare: source.bare,
        hashes: set(&source.hashes),
        beside: set(&source.beside),
        calls: source.calls.into_iter().collect(),
        column: set(&source.column),
        column_of: set(&source.column_of),
        numbers: source.numbers,
        labels: source.labels,
        needs: source.needs,
        sockets: source.socket,
        sees: source.sees,
        blind: source.blind,
        staged: source.staged,
        checks: source.checks,
        prints: set(&source.prints),
        shared: flags_of(&source.shared)?,
        but: set(&source.but),
        toolchain: source.toolchain,
        // Programs that read their flags by themselves know no end of them.
        through: source.through || source.style == Style::Single,
        // Go's own reading of flags ends with the first operand.
        early: source.early || source.style == Style::Go,
        response: source.response,
        splits: source.splits.as_deref().map(set),
    })
}

/// Command lines that an entry promises to allow, and to ask for.
#[cfg(test)]
#[derive(Debug, Deserialize)]
pub(super) struct Examples {
    pub(super) name: String,
    pub(super) allow: Vec<String>,
    pub(super) ask: Vec<String>,
}

/// What every entry promises.
#[cfg(test)]
pub(super) fn examples() -> Vec<Examples> {
    serde_json::from_str(made!(text "examples", ".json")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::danger_kind::DangerKind;
    use super::super::obeys;
    use super::*;

    #[test]
    fn the_rule_files_are_sound() {
        for name in TABLE.names() {
            assert!(name.contains('*') || TABLE.entry(name).is_some(), "{name}: {:?}", TABLE.programs.find(name));
        }
        for (name, known) in TABLE.dangers.iter() {
            let kind = known.split_once('\t').and_then(|(kind, _)| DangerKind::named(kind));
            assert!(kind.is_some(), "{name}: {known}");
        }
        assert!(obeys::rules().is_some());
    }

    #[test]
    fn braces_in_names_stand_for_each() {
        for name in ["jmod list", "jmod describe"] {
            assert!(TABLE.names_exactly(name), "{name}");
        }
        assert!(TABLE.names().all(|name| !name.contains(['{', '}'])));
    }

    #[test]
    fn every_subcommand_stands_in_groups() {
        for name in TABLE.names().filter(|name| name.contains(' ')) {
            let (above, _) = name.rsplit_once(' ').unwrap();
            assert!(TABLE.names_exactly(above), "{name}");
        }
    }
}
