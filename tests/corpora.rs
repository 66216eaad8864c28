//! Scores `countersign assess` on labelled calls from a folder named by `COUNTERSIGN_CORPUS`: JSON Lines, each a
//! call with its `truth` (`safe`, `unsafe`, `either`). What is unsafe must never run unasked.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::cast_precision_loss)]

#[path = "common/left_out.rs"]
mod left_out;

use std::path::{Path, PathBuf};

use countersign::cli::Terms;
use countersign::cli::assess::run;
use countersign::domain::{ApprovalMode, Enforceable};
use left_out::left_out;
use serde_json::{Map, Value, json};

/// A machine that enforces everything.
const EVERYTHING: Enforceable = Enforceable { read_only_command: true, read_only_sql: true, staged_command: true };

/// What became of one corpus.
#[derive(Default)]
struct Score {
    safe: usize,
    safe_allowed: usize,
    unsafe_calls: usize,
    either: usize,
    either_allowed: usize,
    /// Unsafe calls that would run in a layer over the workspace: nothing that was there changes unseen.
    staged: Vec<String>,
    /// Unsafe calls that would run: id and call.
    wrong: Vec<String>,
    /// Safe calls that would not.
    missed: Vec<String>,
}

/// The corpora; none after saying that they are left out.
fn corpora() -> Vec<PathBuf> {
    let folder = std::env::var_os("COUNTERSIGN_CORPUS").map(PathBuf::from).filter(|folder| folder.is_dir());
    let Some(folder) = folder else {
        left_out("the scores over the labelled corpora", "set COUNTERSIGN_CORPUS to their folder");
        return Vec::new();
    };
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|suffix| suffix == "jsonl"));
    files.sort();
    files
}

/// Writes out `{"$repeat": {"prefix", "unit", "count", "suffix"}}`.
fn expanded(value: Value) -> Value {
    match value {
        Value::Object(map) => match map.get("$repeat") {
            Some(repeat) => {
                let text = |name: &str| repeat[name].as_str().unwrap_or_default();
                let count = usize::try_from(repeat["count"].as_u64().unwrap_or_default()).unwrap();
                Value::String(format!("{}{}{}", text("prefix"), text("unit").repeat(count), text("suffix")))
            }
            None => Value::Object(map.into_iter().map(|(key, value)| (key, expanded(value))).collect()),
        },
        Value::Array(items) => Value::Array(items.into_iter().map(expanded).collect()),
        other => other,
    }
}

/// The calls of a corpus with their truths, as happening in `folder`.
fn calls(file: &Path, folder: &Path, claim: Option<&str>) -> Vec<(String, Value)> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let mut call = expanded(serde_json::from_str(line).unwrap());
            let truth = call["truth"].as_str().unwrap().to_owned();
            call.as_object_mut().unwrap().entry("cwd").or_insert_with(|| json!(folder));
            if let (Some(claim), Some(arguments)) = (claim, call["arguments"].as_object_mut()) {
                arguments.insert("risk_level".to_owned(), json!(claim));
            }
            (truth, call)
        })
        .collect()
}

fn score(file: &Path, mode: ApprovalMode, claim: Option<&str>, enforced: Enforceable) -> Score {
    let folder = tempfile::tempdir().unwrap();
    let calls = calls(file, folder.path(), claim);
    let input = calls.iter().map(|(_, call)| call.to_string()).collect::<Vec<_>>().join("\n");
    let mut output = Vec::new();
    run(Terms { enforced, ..Terms::of(mode) }, input.as_bytes(), &mut output).unwrap();
    let answers: Vec<Map<String, Value>> =
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), calls.len(), "every call has one answer");
    let mut score = Score::default();
    for ((truth, call), answer) in calls.iter().zip(&answers) {
        assert_eq!(call["id"], answer["id"], "answers come in order");
        let allowed = answer["decision"] == "allow";
        let told = || {
            let call: String = format!("{} {}", call["id"], call["arguments"]).chars().take(300).collect();
            format!("{call} -- {} {}", answer["rule"], answer["reason"])
        };
        match truth.as_str() {
            "safe" => {
                score.safe += 1;
                score.safe_allowed += usize::from(allowed);
                score.missed.extend((!allowed).then(told));
            }
            "unsafe" => {
                score.unsafe_calls += 1;
                let staged = allowed && answer["containment"] == "staged";
                let found = if staged { &mut score.staged } else { &mut score.wrong };
                found.extend(allowed.then(told));
            }
            "either" => {
                score.either += 1;
                score.either_allowed += usize::from(allowed);
            }
            other => panic!("{} has a truth `{other}`", file.display()),
        }
    }
    score
}

#[test]
fn nothing_unsafe_runs_unasked() {
    let files = corpora();
    let mut wrong = Vec::new();
    for claim in [None, Some("low")] {
        println!("claim: {}", claim.unwrap_or("none"));
        println!(
            "{:<24} {:>16} {:>16} {:>16} {:>16}",
            "corpus", "safe allowed", "unsafe allowed", "unsafe staged", "either allowed"
        );
        for file in &files {
            let score = score(file, ApprovalMode::Guarded, claim, EVERYTHING);
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let share = 100.0 * score.safe_allowed as f64 / score.safe.max(1) as f64;
            let safe = format!("{share:.1} % of {}", score.safe);
            let unsafe_calls = format!("{} of {}", score.wrong.len(), score.unsafe_calls);
            let either = format!("{} of {}", score.either_allowed, score.either);
            println!("{name:<24} {safe:>16} {unsafe_calls:>16} {:>16} {either:>16}", score.staged.len());
            if std::env::var_os("COUNTERSIGN_STAGED").is_some() {
                score.staged.iter().for_each(|call| println!("  staged: {call}"));
            }
            if std::env::var_os("COUNTERSIGN_MISSED").is_some() && claim.is_none() {
                score.missed.iter().for_each(|call| println!("  asks: {call}"));
            }
            wrong.extend(score.wrong);
        }
    }
    assert!(wrong.is_empty(), "{} unsafe calls would run:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nothing_is_staged_where_that_is_not_enforced() {
    for file in corpora() {
        let score = score(&file, ApprovalMode::Guarded, Some("low"), Enforceable::default());
        assert_eq!((score.wrong.len(), score.staged.len()), (0, 0), "{}", file.display());
    }
}

#[test]
fn strict_asks_for_everything() {
    for file in corpora() {
        let score = score(&file, ApprovalMode::Strict, Some("low"), EVERYTHING);
        assert_eq!((score.safe_allowed, score.wrong.len(), score.either_allowed), (0, 0, 0), "{}", file.display());
    }
}
