//! Run when the program is built: makes of the rule files what it can look up without parsing them, as it and its
//! hooks start in less time than these files take to read. A file that can't be read ends the build with its name, and
//! so does an entry that says what nobody knows, or what another one says already.
//!
//! Of `programs`, `dangers`, `help`, `hosts` and `plugins` it writes an [`index`], and of each entry its text as JSON,
//! without its examples, which go to a file for the tests. The other files become JSON as they are.

#![allow(clippy::unwrap_used, clippy::panic)] // they end the build, with the reason

#[path = "../../src/assess/command/danger_kind.rs"]
mod danger_kind;
#[path = "../../src/assess/command/index.rs"]
#[allow(dead_code)] // the program looks up in it
mod index;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use danger_kind::DangerKind;
use serde_json::{Map, Value};

/// What the files come to.
#[derive(Default)]
struct Tables {
    /// The name of the file that is read.
    file: String,
    /// The file of each program's entry and of each danger, by `sort name`.
    places: BTreeMap<String, String>,
    /// Each name, aliases and groups too: the number of its entry, and where the text of that is.
    programs: BTreeMap<String, String>,
    dangers: BTreeMap<String, String>,
    help: BTreeSet<String>,
    hosts: BTreeSet<String>,
    plugins: BTreeSet<String>,
    entries: usize,
    texts: String,
    examples: Vec<Value>,
}

fn main() {
    let (here, out) = (std::env::var("CARGO_MANIFEST_DIR").unwrap(), std::env::var("OUT_DIR").unwrap());
    let folder = Path::new(&here).join("assets/rules");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let mut tables = Tables::default();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let read = toml::from_str(&text).map_err(|error| error.to_string());
        let read = read.and_then(|read| {
            let json = Path::new(&out).join(file.with_extension("json").file_name().unwrap());
            let name = file.file_name().unwrap().to_string_lossy();
            if tables.file(&name, &read)? {
                Ok(())
            } else {
                std::fs::write(json, to_json(&read)).map_err(|e| e.to_string())
            }
        });
        read.unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    }
    tables.groups();
    tables.write(Path::new(&out));
}

fn to_json(read: &Map<String, Value>) -> String {
    serde_json::to_string(read).unwrap()
}

impl Tables {
    /// Takes what a file says of programs, if it is about them.
    fn file(&mut self, name: &str, file: &Map<String, Value>) -> Result<bool, String> {
        name.clone_into(&mut self.file);
        if !["program", "danger"].iter().any(|key| file.contains_key(*key)) {
            return Ok(false);
        }
        if let Some(key) =
            file.keys().find(|key| !["help", "hosts", "plugins", "program", "danger"].contains(&key.as_str()))
        {
            return Err(format!("nothing reads `{key}`"));
        }
        self.help.extend(words(file.get("help")));
        self.hosts.extend(words(file.get("hosts")));
        self.plugins.extend(words(file.get("plugins")));
        for entry in tables(file.get("program")) {
            self.program(entry.clone())?;
        }
        for entry in tables(file.get("danger")) {
            let text = |key: &str| entry.get(key).and_then(Value::as_str);
            let (Some(kind), Some(does)) = (text("kind"), text("does")) else {
                return Err(format!("a danger without its kind or what it does: {entry:?}"));
            };
            if DangerKind::named(kind).is_none() {
                let known = DangerKind::ALL.map(|(word, _)| word).join(", ");
                return Err(format!("the danger `{does}` has the kind `{kind}`, which isn't one of {known}"));
            }
            for name in words(entry.get("programs")) {
                let name = text("of").map_or(name.clone(), |of| format!("{of} {}", name.replace('_', " ")));
                self.once("danger", &name)?;
                self.dangers.insert(name, format!("{kind}\t{does}"));
            }
        }
        Ok(true)
    }

    /// Says no to a second entry of a sort for a name: the later one would silently take the place of the other.
    fn once(&mut self, sort: &str, name: &str) -> Result<(), String> {
        match self.places.insert(format!("{sort} {name}"), self.file.clone()) {
            None => Ok(()),
            Some(before) => Err(format!("a second {sort} entry for `{name}`; the first is in {before}")),
        }
    }

    fn program(&mut self, mut entry: Map<String, Value>) -> Result<(), String> {
        let also: Vec<_> = entry.remove("also").iter().filter_map(Value::as_array).flatten().cloned().collect();
        let names = entry.get("name").ok_or("an entry without a name")?;
        let names: Vec<String> =
            std::iter::once(names).chain(&also).filter_map(Value::as_str).flat_map(spelled).collect();
        let [allow, ask] = ["allow", "ask"].map(|key| entry.remove(key).unwrap_or(Value::Array(Vec::new())));
        let name = entry["name"].clone();
        self.examples.push(Value::Object(Map::from_iter([
            ("name".to_owned(), name),
            ("allow".to_owned(), allow),
            ("ask".to_owned(), ask),
        ])));
        let start = self.texts.len();
        writeln!(self.texts, "{}", Value::Object(entry)).unwrap();
        let place = format!("{}\t{start}\t{}", self.entries, self.texts.len());
        self.entries += 1;
        // One entry may spell a name twice, by its braces and its other names.
        for name in names.into_iter().collect::<BTreeSet<_>>() {
            self.once("program", &name)?;
            self.programs.insert(name, place.clone());
        }
        Ok(())
    }

    /// The groups above a subcommand that have no entry of their own.
    fn groups(&mut self) {
        let names: Vec<String> = self.programs.keys().cloned().collect();
        for above in names.iter().flat_map(|name| index::groups(name)) {
            if !self.programs.contains_key(above) {
                self.programs.insert(above.to_owned(), format!("{}\t0\t0", self.entries));
                self.entries += 1;
            }
        }
    }

    fn write(&self, out: &Path) {
        let set = |words: &BTreeSet<String>| words.iter().map(|word| (word.clone(), String::new())).collect();
        for (kind, lines) in [
            ("programs", self.programs.clone()),
            ("dangers", self.dangers.clone()),
            ("help", set(&self.help)),
            ("hosts", set(&self.hosts)),
            ("plugins", set(&self.plugins)),
        ] {
            let (text, slots) = index::made(&lines);
            std::fs::write(out.join(format!("{kind}.txt")), text).unwrap();
            std::fs::write(out.join(format!("{kind}.slots")), slots).unwrap();
        }
        std::fs::write(out.join("entries.json"), &self.texts).unwrap();
        std::fs::write(out.join("count.rs"), self.entries.to_string()).unwrap();
        std::fs::write(out.join("examples.json"), Value::Array(self.examples.clone()).to_string()).unwrap();
    }
}

fn tables(value: Option<&Value>) -> impl Iterator<Item = &Map<String, Value>> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

fn words(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_str).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// The names that braces in one stand for: `a {b,c}` is `a b` and `a c`.
fn spelled(name: &str) -> Vec<String> {
    let Some((before, rest)) = name.split_once('{') else { return vec![name.to_owned()] };
    let Some((choices, after)) = rest.split_once('}') else { return vec![name.to_owned()] };
    choices.split(',').flat_map(|choice| spelled(&format!("{before}{choice}{after}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of files, read in this order.
    fn read(files: &[(&str, &str)]) -> Result<Tables, String> {
        let mut tables = Tables::default();
        for (name, text) in files {
            tables.file(name, &toml::from_str(text).unwrap())?;
        }
        Ok(tables)
    }

    #[test]
    fn a_kind_that_nobody_knows_is_rejected_with_its_entry() {
        let of =
            |kind: &str| read(&[("a.toml", &format!("[[danger]]\nkind = '{kind}'\ndoes = 'sends'\nprograms = 'x'"))]);
        let why = of("externl").err().unwrap();
        assert_eq!(
            why,
            "the danger `sends` has the kind `externl`, which isn't one of destructive, external, sensitive, runs, works, wraps"
        );
        assert_eq!(of("external").ok().unwrap().dangers["x"], "external\tsends");
    }

    #[test]
    fn a_second_entry_for_a_name_is_rejected_with_the_file_of_the_first() {
        let danger =
            |of: &str, name: &str| format!("[[danger]]\nkind = 'runs'\ndoes = 'runs'\n{of}programs = '{name}'\n");
        let program = |name: &str| format!("[[program]]\nname = '{name}'\n");
        let second = |first: &str, other: &str| read(&[("a.toml", first), ("b.toml", other)]).err();
        let told = |sort: &str, name: &str| Some(format!("a second {sort} entry for `{name}`; the first is in a.toml"));
        assert_eq!(second(&danger("", "x y"), &danger("", "z x")), told("danger", "x"));
        assert_eq!(second(&danger("of = 'git'\n", "a_b"), &danger("of = 'git a'\n", "b")), told("danger", "git a b"));
        assert_eq!(second(&program("git {log,diff}"), &program("git diff")), told("program", "git diff"));
        assert_eq!(second(&program("git log"), &danger("", "git")), None, "what it does beside how it only looks");
    }
}
