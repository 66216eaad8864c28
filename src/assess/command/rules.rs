//! Reads the tables from the rule files embedded with the program: a file for each sort of programs, one entry for
//! each program or subcommand.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use serde::de::value::StrDeserializer;

use super::kind::Kind;
use super::needs::{Needs, Sees};
use super::obeys;
use super::table::{DangerKind, Declared, Entry, Examples, Produces, Style, Table, Takes, Written};

const SOURCES: [(&str, &str); 32] = [
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
    ("machine.toml", include_str!("../../../assets/rules/machine.toml")),
    ("filters.toml", include_str!("../../../assets/rules/filters.toml")),
    ("building.toml", include_str!("../../../assets/rules/building.toml")),
];
const DANGERS: &str = include_str!("../../../assets/rules/danger.toml");

/// What stands in a file above its entries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    #[serde(default)]
    help: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)]
struct SourceEntry {
    name: String,
    #[serde(default, rename = "also")]
    _also: Vec<String>, // read with the name of every entry, by `names`
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
    bare: bool,
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
        let (head, entries) = parts(text);
        let head: Head = toml::from_str(head).map_err(|error| format!("{file}: {error}"))?;
        table.help.extend(set(&head.help));
        for text in entries {
            let at = table.entries.len();
            let mut names = names(text);
            for name in names.clone().flat_map(spelled) {
                if let Some(other) = table.by_name.insert(name.clone(), at).filter(|other| *other != at) {
                    return Err(format!("{file}: two entries for {name}, one for {}", table.entries[other].name));
                }
            }
            let name = names.next().ok_or_else(|| format!("{file}: an entry without a name"))?.to_owned();
            table.entries.push(Written { name, text: Some(text), entry: OnceLock::new() });
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

/// What stands above the entries of a file, and the text of each. To parse all of them takes longer than most programs
/// run; a test compares this with what a parser of the whole file sees.
fn parts(text: &str) -> (&str, impl Iterator<Item = &str>) {
    let mut parts = text.split("[[program]]\n");
    (parts.next().unwrap_or_default(), parts)
}

/// The names in the text of an entry, the first one first.
fn names(text: &str) -> impl Iterator<Item = &str> + Clone {
    let named = text.lines().filter(|line| line.starts_with("name = ") || line.starts_with("also = "));
    named.flat_map(|line| line.split('"').skip(1).step_by(2))
}

/// Reads one entry. None if it can't be read; then no rule covers the program.
pub(super) fn entry(written: &Written) -> Option<Entry> {
    match written.text {
        Some(text) => entry_of(toml::from_str(text).ok()?),
        None => Some(Entry { name: written.name.clone(), group: true, acts: true, ..Entry::default() }),
    }
}

/// The names that braces in one stand for: `a {b,c}` is `a b` and `a c`.
fn spelled(name: &str) -> Vec<String> {
    let Some((before, rest)) = name.split_once('{') else { return vec![name.to_owned()] };
    let Some((choices, after)) = rest.split_once('}') else { return vec![name.to_owned()] };
    choices.split(',').flat_map(|choice| spelled(&format!("{before}{choice}{after}"))).collect()
}

/// Adds what the names imply: the groups above a subcommand, and the names that stand for many.
fn complete(table: &mut Table) {
    let names: Vec<String> = table.by_name.keys().filter(|name| name.contains(' ')).cloned().collect();
    for above in names.iter().flat_map(|name| groups(name)) {
        if !table.by_name.contains_key(above) {
            table.by_name.insert(above.to_owned(), table.entries.len());
            table.entries.push(Written { name: above.to_owned(), text: None, entry: OnceLock::new() });
        }
    }
    let starred = table.by_name.iter().filter(|(name, _)| name.contains('*'));
    table.patterns = starred.map(|(name, &at)| (name.split(' ').map(str::to_owned).collect(), at)).collect();
}

/// The names of the groups that a subcommand is in: `a` and `a b` of `a b c`.
pub(super) fn groups(name: &str) -> impl Iterator<Item = &str> {
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
        bare: source.bare,
        numbers: source.numbers,
        needs: source.needs,
        sockets: source.socket,
        sees: source.sees,
        staged: source.staged,
        checks: source.checks,
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
        let table = build().unwrap();
        for (at, written) in table.entries.iter().enumerate() {
            assert!(table.at(at).is_some(), "{}: {:?}", written.name, written.text);
        }
    }

    #[test]
    fn files_come_apart_as_a_parser_sees_them() {
        #[derive(Deserialize)]
        struct Whole {
            program: Vec<toml::Table>,
        }
        for (file, text) in SOURCES {
            let whole: Whole = toml::from_str(text).unwrap();
            let (_, entries) = parts(text);
            let entries: Vec<&str> = entries.collect();
            assert_eq!(entries.len(), whole.program.len(), "{file}");
            for (text, program) in entries.into_iter().zip(whole.program) {
                assert_eq!(toml::from_str::<toml::Table>(text).unwrap(), program, "{file}");
                let text_of = |value: &toml::Value| value.as_str().unwrap().to_owned();
                let also = program.get("also").map(|also| also.as_array().unwrap().as_slice()).unwrap_or_default();
                let all: Vec<String> = std::iter::once(&program["name"]).chain(also).map(text_of).collect();
                assert_eq!(names(text).collect::<Vec<_>>(), all, "{file}");
            }
        }
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
