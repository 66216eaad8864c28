//! Hostile calls of every kind are answered soon and on the stack that the program has: as long as is judged at
//! all, nested, repeated and unfinished.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::{Duration, Instant};

use countersign::cli::Terms;
use countersign::cli::assess::run;
use countersign::domain::ApprovalMode;
use serde_json::{Value, json};

/// As long as a text may be to be judged.
const LENGTH: usize = 64 * 1024;
/// Much more than any needs, also in a debug build on a busy machine.
const LIMIT: Duration = Duration::from_secs(5);

/// What is repeated: separators, escapes, brackets, quotes, marks of patterns, letters of other scripts.
const PIECES: [&str; 40] = [
    "a",
    "/",
    "../",
    "./",
    "%2e",
    "%25",
    "%",
    "\\",
    "~",
    "$HOME/",
    "*",
    "**/",
    "?",
    "[",
    "[a-z]",
    "{",
    "{a,b}",
    "{a,",
    "}",
    "!",
    "'",
    "\"",
    " ",
    "\n",
    "\0",
    ".",
    "@",
    ":",
    "#",
    "&a=",
    ";a=",
    "=",
    "file://",
    ".env/",
    "\u{202e}",
    "\u{ff0f}",
    "\u{430}a",
    "é",
    "👩\u{200d}",
    "aB3",
];

fn answered(call: &Value) -> Duration {
    let mut output = Vec::new();
    let start = Instant::now();
    run(Terms::of(ApprovalMode::Guarded), call.to_string().as_bytes(), &mut output).unwrap();
    let answer: Value = serde_json::from_slice(&output).unwrap();
    assert!(answer["decision"].is_string());
    start.elapsed()
}

fn all(calls: impl Fn(&str) -> Vec<Value>) {
    // The lists of rules are read once.
    answered(&json!({"tool": "file_operations", "arguments": {"operation": "read", "path": ".env"}}));
    for piece in PIECES {
        for count in [2, 500, LENGTH / piece.len()] {
            for call in calls(&piece.repeat(count)) {
                let took = answered(&call);
                assert!(took < LIMIT, "{piece:?} × {count} took {took:?}: {}", &call.to_string()[..60]);
            }
        }
    }
}

#[test]
fn paths_and_patterns() {
    all(|text| {
        vec![
            json!({"tool": "file_operations", "arguments": {"operation": "read", "path": text}}),
            json!({"tool": "file_operations", "arguments": {"operation": "delete", "path": format!("/home/{text}")}}),
            json!({"tool": "search_files", "arguments": {"pattern": text, "path": text, "glob": text}}),
            json!({"tool": "find_files", "arguments": {"glob": text}}),
            json!({"tool": "find_files", "arguments": {"glob": format!("**/{text}"), "path": "src"}}),
        ]
    });
}

#[test]
fn requests() {
    all(|text| {
        let url = "https://example.org/";
        vec![
            json!({"tool": "http_request", "arguments": {"url": text}}),
            json!({"tool": "http_request", "arguments": {"url": format!("https://{text}")}}),
            json!({"tool": "http_request", "arguments": {"url": format!("{url}?{text}")}}),
            json!({"tool": "http_request", "arguments": {"url": url, "method": text}}),
            json!({"tool": "http_request", "arguments": {"url": url, "headers": {"Accept": text, text: "a"}}}),
            json!({"tool": "http_request", "arguments": {"url": url, "method": "POST", "body": text}}),
        ]
    });
}
