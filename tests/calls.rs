//! Calls of files, requests and searches with what must become of them: everyday looks run unasked, and nothing
//! that changes, sends, leaks or reaches elsewhere does, whatever the model claims.

#![allow(clippy::unwrap_used, clippy::panic)]

use countersign::cli::Terms;
use countersign::cli::assess::run;
use countersign::domain::ApprovalMode;
use serde_json::{Value, json};

const SAFE: &str = include_str!("calls/safe.jsonl");
const UNSAFE: &str = include_str!("calls/unsafe.jsonl");

/// Each call with the word that the program answers, as happening in an empty folder.
fn answered(calls: &str, claim: Option<&str>) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let lines = calls.lines().map(|line| {
        let mut call: Value = serde_json::from_str(line).unwrap();
        call["cwd"] = json!(folder.path());
        if let (Some(claim), Some(arguments)) = (claim, call["arguments"].as_object_mut()) {
            arguments.insert("risk_level".to_owned(), json!(claim));
        }
        call.to_string()
    });
    let input: Vec<String> = lines.collect();
    let mut output = Vec::new();
    run(Terms::of(ApprovalMode::Guarded), input.join("\n").as_bytes(), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let answers = output.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let decisions = answers.map(|answer| answer["decision"].as_str().unwrap().to_owned());
    let answered: Vec<_> = calls.lines().map(str::to_owned).zip(decisions).collect();
    assert_eq!(answered.len(), input.len());
    answered
}

#[test]
fn everyday_looks_run_unasked() {
    for claim in [None, Some("low")] {
        for (call, decision) in answered(SAFE, claim) {
            assert_eq!(decision, "allow", "{call}");
        }
    }
    for (call, decision) in answered(SAFE, Some("high")) {
        assert_eq!(decision, "ask", "{call}");
    }
}

#[test]
fn nothing_that_changes_sends_or_leaks_runs_unasked() {
    for claim in [None, Some("low"), Some("medium"), Some("nonsense")] {
        for (call, decision) in answered(UNSAFE, claim) {
            assert_ne!(decision, "allow", "{call}");
        }
    }
}
