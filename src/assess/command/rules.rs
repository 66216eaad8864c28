//! Reads the tables from the rule files embedded with the program: a file for each sort of programs, one entry for
//! each program or subcommand.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use serde::de::value::StrDeserializer;

use super::kind::Kind;
use super::needs::{Needs, Sees};
use super::obeys;
use super::table::{DangerKind, Declared, Entry, Examples, Produces, Style, Table, Takes};

const SOURCES: [(&str, &str); 29] = [
    ("coreutils.toml", include_str!("../../../assets/rules/coreutils.toml")),
    ("shell.toml", include_str!("../../../assets/rules/shell.toml")),
    ("text.toml", include_str!("../../../assets/rules/text.toml")),
    ("tabular.toml", include_str!("../../../assets/rules/tabular.toml")),
    ("search.toml", include_str!("../../../assets/rules/search.toml")),
    ("git.toml", include_str!("../../../assets/rules/git.toml")),
    ("versions.toml", include_str!("../../../assets/rules/versions.toml")),
    ("hosting.toml", include_str!("../../../assets/rules/hosting.toml")),
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
    ("clusters.toml", include_str!("../../../assets/rules/clusters.toml")),
    ("clouds.toml", include_str!("../../../assets/rules/clouds.toml")),
    ("infrastructure.toml", include_str!("../../../assets/rules/infrastructure.toml")),
    ("databases.toml", include_str!("../../../assets/rules/databases.toml")),
    ("packages.toml", include_str!("../../../assets/rules/packages.toml")),
    ("dependencies.toml", include_str!("../../../assets/rules/dependencies.toml")),
    ("languages.toml", include_str!("../../../assets/rules/languages.toml")),
    ("toolchains.toml", include_str!("../../../assets/rules/toolchains.toml")),
    ("checks.toml", include_str!("../../../assets/rules/checks.toml")),
];
const DANGERS: &str = include_str!("../../../assets/rules/danger.toml");

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
    allow: Vec<String>,
    #[serde(default)]
    ask: Vec<String>,
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

/// Why the rule files can't be used, if so; a test rules it out. Then nothing is whitelisted.
pub(super) fn build() -> Result<Table, String> {
    let mut table = Table { obeys: obeys::rules()?, ..Table::default() };
    for (file, text) in SOURCES {
        let source: Source = toml::from_str(text).map_err(|error| format!("{file}: {error}"))?;
        table.help.extend(set(&source.help));
        for entry in source.program {
            for name in std::iter::once(&entry.name).chain(&entry.also).flat_map(|name| spelled(name)) {
                let other = table.by_name.insert(name.clone(), table.entries.len());
                if other.is_some_and(|other| other != table.entries.len()) {
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
    complete(&mut table);
    Ok(table)
}

/// The names that braces in one stand for: `a {b,c}` is `a b` and `a c`.
fn spelled(name: &str) -> Vec<String> {
    let Some((before, rest)) = name.split_once('{') else { return vec![name.to_owned()] };
    let Some((choices, after)) = rest.split_once('}') else { return vec![name.to_owned()] };
    choices.split(',').flat_map(|choice| spelled(&format!("{before}{choice}{after}"))).collect()
}

/// Adds what the names imply: the groups above a subcommand, and the flags that these share with it.
fn complete(table: &mut Table) {
    let names: Vec<String> = table.by_name.keys().cloned().collect();
    for above in names.iter().flat_map(|name| groups(name)) {
        if !table.by_name.contains_key(above) {
            table.by_name.insert(above.to_owned(), table.entries.len());
            table.entries.push(Entry { name: above.to_owned(), group: true, acts: true, ..Entry::default() });
        }
    }
    for at in 0..table.entries.len() {
        // Those of its first name alone: another name of it may be in a group that shares others.
        let name = table.entries[at].name.clone();
        let above =
            groups(&name).filter_map(|above| table.by_name.get(above)).map(|&group| &table.entries[group].shared);
        let shared: Vec<(String, Takes)> = above.flatten().map(|(flag, &takes)| (flag.clone(), takes)).collect();
        for (flag, takes) in shared {
            table.entries[at].flags.entry(flag).or_insert(takes);
        }
    }
    let starred = table.by_name.iter().filter(|(name, _)| name.contains('*'));
    table.patterns = starred.map(|(name, &at)| (name.split(' ').map(str::to_owned).collect(), at)).collect();
}

/// The names of the groups that a subcommand is in: `a` and `a b` of `a b c`.
fn groups(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices(' ').map(|(at, _)| &name[..at])
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
        prints: set(&source.prints),
        shared: flags_of(&source.shared)?,
        but: set(&source.but),
        toolchain: source.toolchain,
        through: source.through,
        examples: Examples { allow: source.allow, ask: source.ask },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_files_are_sound() {
        build().unwrap();
    }

    #[test]
    fn braces_in_names_stand_for_each() {
        assert_eq!(spelled("a b"), ["a b"]);
        assert_eq!(spelled("{a,b} {c,d}"), ["a c", "a d", "b c", "b d"]);
    }

    #[test]
    fn every_subcommand_stands_in_groups() {
        let table = build().unwrap();
        for name in table.names().filter(|name| name.contains(' ')) {
            let (above, _) = name.rsplit_once(' ').unwrap();
            assert!(table.entry(above).is_some(), "{name}");
        }
    }
}
