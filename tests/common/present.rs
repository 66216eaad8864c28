//! Which programs of a line are on this machine.

#![allow(dead_code)] // each test binary uses its own part

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

use countersign::assess::{AssessSettings, read};
use countersign::domain::{Facts, Place};

/// The programs that a line runs.
pub fn programs(line: &str) -> BTreeSet<String> {
    let place = Place { cwd: "/tmp".into(), workspace: "/tmp".into(), home: None };
    let facts = Facts { place, ..Facts::default() };
    let commands = read(line, &facts, &AssessSettings::default());
    commands.iter().filter_map(|command| command.words.first()?.text().map(str::to_owned)).collect()
}

/// Those that aren't here.
pub fn missing(line: &str) -> BTreeSet<String> {
    programs(line).into_iter().filter(|name| !present(name)).collect()
}

/// Whether a name is a builtin of bash or a program.
fn present(name: &str) -> bool {
    const BUILTINS: &str = "echo printf test [ cd pwd true false : read type hash times umask ulimit jobs wait local \
        declare export set shopt unset command builtin let return exit break continue shift trap alias dirs pushd popd \
        mapfile readarray getopts eval exec history fg bg disown enable help kill typeset readonly compgen complete";
    static KNOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if BUILTINS.split_whitespace().any(|builtin| builtin == name) || KNOWN.lock().unwrap().contains(name) {
        return true;
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&folders).any(|folder| folder.join(name).exists())
        || name.contains('/') && Path::new(name).exists();
    if there {
        KNOWN.lock().unwrap().insert(name.to_owned());
    }
    there
}
