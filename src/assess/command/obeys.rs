//! Files of a workspace that programs obey even where they only look: `.cargo/config.toml`, `.yarnrc.yml`,
//! `.hg/hgrc`, … Where one is present, what such a program runs is not in the command, so it asks. The names stand
//! in a table; whether they exist is told by the facts. `programs` calls it for each program that passed.

use std::collections::HashMap;

use serde::Deserialize;

use super::git;
use super::judge::Judge;
use super::plain::{UNREADABLE, can_be_plain, of_python};
use super::word::Word;
use crate::domain::PathKind;

const RULES: &str = include_str!(concat!(env!("OUT_DIR"), "/obeys.json"));
/// Most folders, from the one it runs in upwards, that are looked into.
const FOLDERS: usize = 40;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    rule: Vec<Rule>,
}

/// What some programs obey.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // independent traits, as the rule file spells them
struct Rule {
    programs: Vec<String>,
    files: Vec<String>,
    /// Others that it reads by itself, and whose lines it may show where it doesn't understand them: they matter only where
    /// they are links to something else.
    #[serde(default)]
    linked: Vec<String>,
    /// Flags that name another folder, or a file in it, where they are looked for too.
    #[serde(default)]
    folders: Vec<String>,
    /// Flags that name such a file, whatever it is called.
    #[serde(default)]
    named: Vec<String>,
    /// Looked for in the folder itself alone, not in those above.
    #[serde(default)]
    here: bool,
    /// Only where the program found is a version manager's.
    #[serde(default)]
    shim: bool,
    /// The program runs git, which obeys the repository.
    #[serde(default)]
    repository: bool,
    /// It loads modules of Python from the folder, where there are any of that name, before its own.
    #[serde(default)]
    modules: bool,
    /// Only where nothing is put up around commands: all it can do is write, which walls would stop.
    #[serde(default)]
    unguarded: bool,
    /// Of its programs, those that reach no registry: which one the files name is nothing to them.
    #[serde(default)]
    offline: Vec<String>,
    /// Keys of its files, where those alone matter.
    #[serde(default)]
    matters: Vec<String>,
    /// Flags with which nothing of its files matters.
    #[serde(default)]
    unless: Vec<String>,
    /// Without one of these flags it writes a cache to the folder, where nothing is put up around commands.
    #[serde(default)]
    cache: Vec<String>,
}

impl Rule {
    /// Whether it is about a program or subcommand.
    fn covers(&self, reader: &str) -> bool {
        self.programs.iter().any(|program| match program.strip_suffix('*') {
            Some(start) => reader.starts_with(start),
            None => is_or_below(reader, program),
        })
    }

    /// Whether what its file of a name holds is looked at: settings of a project in Python are many programs'.
    fn reads(&self, file: &str) -> bool {
        can_be_plain(file) && (!self.matters.is_empty() || !of_python(file))
    }

    /// Whether a key of one of its files means nothing to a program or subcommand.
    fn passes_over(&self, reader: &str, key: &str) -> bool {
        if !self.matters.is_empty() {
            return key != UNREADABLE && !self.matters.iter().any(|matters| matters == key);
        }
        let registry = key == "registry" || key.ends_with(":registry") || key.starts_with("//");
        registry && self.offline.iter().any(|program| is_or_below(reader, program))
    }
}

/// The rules, found by the program that they are about.
#[derive(Debug)]
pub(super) struct Rules {
    all: Vec<Rule>,
    /// By a program's name, without its subcommands.
    by: HashMap<String, Vec<usize>>,
    /// Those about names of which only the beginning is told.
    open: Vec<usize>,
}

impl Rules {
    fn of(all: Vec<Rule>) -> Self {
        let (mut by, mut open) = (HashMap::<String, Vec<usize>>::new(), Vec::new());
        for (at, rule) in all.iter().enumerate() {
            for program in &rule.programs {
                let of = match program.split_once(' ') {
                    Some((name, _)) => by.entry(name.to_owned()).or_default(),
                    None if program.ends_with('*') => &mut open,
                    None => by.entry(program.clone()).or_default(),
                };
                if of.last() != Some(&at) {
                    of.push(at);
                }
            }
        }
        Self { all, by, open }
    }

    /// The rules about a program or subcommand, in their order.
    fn about(&self, reader: &str) -> impl Iterator<Item = &Rule> {
        let name = reader.split(' ').next().unwrap_or_default();
        let mut at: Vec<usize> = self.by.get(name).into_iter().flatten().chain(&self.open).copied().collect();
        at.sort_unstable();
        at.dedup();
        at.into_iter().filter_map(|at| self.all.get(at)).filter(move |rule| rule.covers(reader))
    }
}

/// Whether a program or subcommand is another one, or a subcommand of it.
pub(super) fn is_or_below(reader: &str, program: &str) -> bool {
    reader.strip_prefix(program).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The rules embedded with the program (`assets/rules/obeys.toml`).
pub(super) fn rules() -> Option<Rules> {
    serde_json::from_str(RULES).ok().map(|source: Source| Rules::of(source.rule))
}

impl Judge<'_> {
    /// Asks if a file that a program obeys is present. `reader` is the program or subcommand that passed as one
    /// that only looks, `words` what follows the program's name.
    pub(super) fn obeys(&mut self, rules: &Rules, reader: &str, words: &[Word]) {
        for rule in rules.about(reader) {
            if rule.shim && !self.shim(reader) || rule.unguarded && self.facts.is_some_and(|facts| !facts.unguarded) {
                continue;
            }
            if rule.repository {
                git::repository(self);
            }
            if rule.modules {
                self.obeys_modules(reader);
            }
            let flags = words.iter().take_while(|word| word.text() != Some("--"));
            let without = |flag: &String| flags.clone().any(|word| word.text() == Some(flag));
            if rule.unless.iter().any(without) {
                continue;
            }
            let caches = !rule.cache.is_empty() && !rule.cache.iter().any(without);
            if caches && self.facts.is_some_and(|facts| facts.unguarded) {
                let flag = &rule.cache[0];
                let sentence = format!("Nothing keeps `{reader}` from writing its cache here, which `{flag}` would.");
                self.unknown("command.writes-cache", sentence);
            }
            // Behind the subcommand the same letter may mean something else.
            let subcommand = reader.rsplit_once(' ').map(|(_, last)| last);
            let before = words.iter().rposition(|word| word.text() == subcommand).unwrap_or(words.len());
            for file in rule.named.iter().flat_map(|flag| flag_values(&words[..before], flag)) {
                // What flows in isn't looked at.
                match file.text().filter(|file| *file != "-").and_then(|file| self.normal(file)) {
                    Some(file) => self.obeyed_by_name(reader, file),
                    None => self
                        .unreadable("command.obeyed-file", format!("Which file `{reader}` is to obey is not known.")),
                }
            }
            match self.folders(rule, words) {
                Some(folders) => folders.iter().for_each(|folder| self.obeys_in(rule, reader, folder)),
                None => self.unreadable(
                    "command.obeyed-folder",
                    format!("In which folder `{reader}` would look for files that it obeys is not known."),
                ),
            }
        }
    }

    /// Objects where modules of the folder would be loaded in place of Python's own.
    fn obeys_modules(&mut self, reader: &str) {
        let Some(folder) = self.folder() else { return };
        self.mentions.modules.insert(folder.clone());
        let Some(facts) = self.facts else { return };
        if facts.modules.get(&folder).is_none_or(|shadowed| *shadowed) {
            self.ineligible = true;
            self.unknown(
                "command.obeyed-file",
                format!(
                    "`{reader}` loads modules of {folder} in place of Python's own, where they have the same name."
                ),
            );
        }
    }

    /// The folders that a program starts looking from; none where they are not known.
    fn folders(&self, rule: &Rule, words: &[Word]) -> Option<Vec<String>> {
        let mut folders = vec![self.folder()?];
        for (at, word) in words.iter().enumerate() {
            for flag in &rule.folders {
                let Some(value) = flag_value(word, words.get(at + 1), flag) else { continue };
                let path = self.normal(value.text()?)?;
                folders.push(match path.rsplit_once('/') {
                    Some((parent, file))
                        if file.contains('.') && matches!(flag.as_str(), "--manifest-path" | "-f" | "--file") =>
                    {
                        if parent.is_empty() {
                            "/".to_owned()
                        } else {
                            parent.to_owned()
                        }
                    }
                    Some(_) | None => path,
                });
            }
        }
        Some(folders)
    }

    fn obeys_in(&mut self, rule: &Rule, reader: &str, folder: &str) {
        if self.leads_elsewhere(folder) {
            self.ineligible = true;
            self.unknown(
                "command.obeyed-folder",
                format!("`{reader}` obeys files of the folder that {folder} is a link to, which were not looked at."),
            );
        }
        let home = self.place.home.as_ref().filter(|home| !home.starts_with(&self.place.workspace));
        let home = home.map(|home| home.to_string_lossy().into_owned());
        let mut at = Some(folder.trim_end_matches('/'));
        for _ in 0..FOLDERS {
            let Some(parent) = at else { return };
            // What lies in the home folder itself is the person's own, unless that is where the work is done.
            if home.as_deref() != Some(parent) && !self.obeyed_files(rule, reader, parent) {
                return;
            }
            at = parent.rsplit_once('/').map(|(above, _)| above).filter(|_| !rule.here);
        }
        if at.is_some() {
            self.unreadable("command.obeyed-folder", format!("{folder} lies deeper than {FOLDERS} folders."));
        }
    }

    /// Objects to the first file that is present in a folder; false if there is one.
    fn obeyed_files(&mut self, rule: &Rule, reader: &str, folder: &str) -> bool {
        for file in &rule.linked {
            self.obeyed_link(reader, folder, file);
        }
        for file in &rule.files {
            let path = format!("{folder}/{file}");
            let plain = rule.reads(file);
            self.obeyed_link(reader, folder, file);
            if plain {
                self.mentions.settings.insert(path.clone());
            }
            let keys = self.facts.and_then(|facts| facts.settings.get(&path)).filter(|_| plain);
            let means = |key: &&String| !rule.passes_over(reader, key);
            if keys.is_some_and(|keys| !keys.iter().any(|key| means(&key))) {
                self.mentions.paths.insert(path);
                continue;
            }
            let fact = self.facts.and_then(|facts| facts.paths.get(&path));
            let present = fact.is_some_and(|fact| fact.kind != PathKind::Missing);
            self.mentions.paths.insert(path);
            if present {
                let place = if folder == self.place.cwd.to_string_lossy().trim_end_matches('/') {
                    "this folder".to_owned()
                } else {
                    format!("{folder}/")
                };
                self.ineligible = true;
                let by =
                    keys.and_then(|keys| keys.iter().find(means)).map(|key| format!(" by `{key}`")).unwrap_or_default();
                self.unknown(
                    "command.obeyed-file",
                    format!("`{reader}` obeys {file} of {place}, which can make it run or change something{by}."),
                );
                return false;
            }
        }
        true
    }

    /// Objects to a file that is a link to another one: a program that doesn't understand what it reads shows lines of it.
    fn obeyed_link(&mut self, reader: &str, folder: &str, file: &str) {
        let path = format!("{folder}/{file}");
        let fact = self.facts.and_then(|facts| facts.paths.get(&path));
        let leads = fact.filter(|fact| fact.kind != PathKind::Missing && !fact.real.ends_with(file));
        if let Some(real) = leads.map(|fact| fact.real.display().to_string()) {
            self.ineligible = true;
            let sentence = format!("`{reader}` reads {file}, which is a link to {real}, and may show lines of that.");
            self.unknown("command.obeyed-link", sentence);
        }
        self.mentions.paths.insert(path);
    }

    /// Objects to a file that the command names, unless what it holds is known to run nothing.
    fn obeyed_by_name(&mut self, reader: &str, file: String) {
        let keys = self.facts.and_then(|facts| facts.settings.get(&file));
        let present =
            self.facts.and_then(|facts| facts.paths.get(&file)).map(|fact| fact.kind) != Some(PathKind::Missing);
        if self.facts.is_some() && present && keys.is_none_or(|keys| !keys.is_empty()) {
            let by = keys.and_then(|keys| keys.first()).map(|key| format!(" by `{key}`")).unwrap_or_default();
            self.ineligible = true;
            self.unknown(
                "command.obeyed-file",
                format!("`{reader}` obeys {file}, which can make it run or change something{by}."),
            );
        }
        self.mentions.settings.insert(file.clone());
        self.mentions.paths.insert(file);
    }

    /// Whether a folder other than the one that the command starts in is reached by a link.
    fn leads_elsewhere(&mut self, folder: &str) -> bool {
        if self.place.cwd.as_path() == std::path::Path::new(folder) {
            return false;
        }
        self.mentions.paths.insert(folder.to_owned());
        let fact = self.facts.and_then(|facts| facts.paths.get(folder));
        fact.is_some_and(|fact| fact.kind != PathKind::Missing && fact.real != std::path::Path::new(folder))
    }

    /// Whether a program's name leads to a version manager; unknown, and so asked about, before the facts are there.
    fn shim(&self, reader: &str) -> bool {
        let Some(facts) = self.facts else { return true };
        let name = reader.split(' ').next().unwrap_or(reader);
        let Some(Some(path)) = facts.programs.get(name) else { return false };
        let manager = path.file_name().is_some_and(|file| file == "mise" || file == "asdf");
        manager || path.components().any(|part| part.as_os_str() == "shims")
    }
}

/// The values of a flag, wherever it stands.
pub(super) fn flag_values<'a>(words: &'a [Word], flag: &'a str) -> impl Iterator<Item = Word> + 'a {
    words.iter().enumerate().filter_map(move |(at, word)| flag_value(word, words.get(at + 1), flag))
}

/// The value of a flag: attached to it, or the next word. None if the word is another.
pub(super) fn flag_value(word: &Word, next: Option<&Word>, flag: &str) -> Option<Word> {
    if word.text() == Some(flag) {
        return next.cloned();
    }
    let rest = word.prefix().strip_prefix(flag)?;
    match (flag.starts_with("--"), rest.starts_with('=')) {
        (true, false) => None,
        (true | false, true) => Some(word.after(flag.len() + 1)),
        (false, false) => Some(word.after(flag.len())),
    }
}
