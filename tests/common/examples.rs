//! Command lines to test with: what the entries of the rule files promise to allow and to ask for, and the commands
//! of the labelled corpora where those are on this machine.

#![allow(dead_code)] // each test binary uses its own part

use std::path::{Path, PathBuf};

use countersign::domain::Dialect;
use serde_json::Value;

/// One command line that an entry of the rule files promises something about.
pub struct Example {
    /// The command line.
    pub command: String,
    /// What a run of it needs beyond reading files: `daemon`, `network` or nothing.
    pub needs: Option<String>,
}

/// What the entries promise to allow.
pub fn allowed() -> Vec<Example> {
    promised("allow")
}

/// What the entries promise to ask for.
pub fn asked() -> Vec<Example> {
    promised("ask")
}

fn promised(promise: &str) -> Vec<Example> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/rules");
    let mut examples = Vec::new();
    for file in files(&folder, "toml") {
        let table: toml::Table = toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let entries = table.get("program").and_then(toml::Value::as_array);
        for entry in entries.into_iter().flatten() {
            let needs = entry.get("needs").and_then(toml::Value::as_str).map(str::to_owned);
            let commands = entry.get(promise).and_then(toml::Value::as_array).into_iter().flatten();
            examples.extend(
                commands.map(|command| Example { command: command.as_str().unwrap().to_owned(), needs: needs.clone() }),
            );
        }
    }
    assert!(examples.len() > 100, "only {} examples", examples.len());
    examples
}

/// The command lines of the corpora in the folder that `COUNTERSIGN_CORPUS` names; none where it isn't set. With
/// `safe`, only those that are labelled so.
pub fn corpus(safe: bool) -> Option<Vec<String>> {
    let wanted = |call: &Value| call["tool"] == "execute_command" && (!safe || call["truth"] == "safe");
    let command = |call: &Value| call["arguments"]["command"].as_str().map(str::to_owned);
    Some(calls()?.iter().filter(|call| wanted(call)).filter_map(command).collect())
}

/// The statements of the corpora, each with its dialect; none where `COUNTERSIGN_CORPUS` isn't set.
pub fn statements() -> Option<Vec<(Option<Dialect>, String)>> {
    let statement = |call: &Value| {
        let dialect = serde_json::from_value(call["dialect"].clone()).ok();
        call["arguments"]["sql"].as_str().map(|sql| (dialect, sql.to_owned()))
    };
    Some(calls()?.iter().filter(|call| call["tool"] == "execute_sql").filter_map(statement).collect())
}

fn calls() -> Option<Vec<Value>> {
    let folder = std::env::var_os("COUNTERSIGN_CORPUS").map(PathBuf::from).filter(|folder| folder.is_dir())?;
    let mut calls = Vec::new();
    for file in files(&folder, "jsonl") {
        let text = std::fs::read_to_string(file).unwrap();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        calls.extend(lines.map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    Some(calls)
}

fn files(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == suffix));
    files.sort();
    files
}
