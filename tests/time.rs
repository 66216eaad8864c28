//! Hostile calls of every kind are answered soon and on the stack that the program has: as long as is judged at
//! all, nested, repeated and unfinished.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "bench/call.rs"]
mod call;
#[path = "bench/hostile.rs"]
mod hostile;

use std::time::{Duration, Instant};

use call::{Bench, Call, spent};
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

/// How much longer four times the text may take: less than eight times as long, where sixteen would be its square.
/// What ends within this time is too short to compare.
const GROWTH: u32 = 8;
const SHORT: Duration = Duration::from_millis(40);
/// Stack of the thread that judges, as `countersign assess` gives it.
const STACK: usize = 64 * 1024 * 1024;

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

/// The time that a call takes of the processor: the shorter of two, since the first one may read tables.
fn taken(bench: &Bench, call: &Call) -> Duration {
    let once = || {
        let before = spent();
        bench.judged(call);
        spent().saturating_sub(before)
    };
    once().min(once())
}

#[test]
fn time_grows_with_the_text_and_no_faster() {
    let judged = || {
        let bench = Bench::new();
        let texts = hostile::SIZES.map(hostile::hostile);
        let mut slowest = Vec::new();
        // In a debug build all of them take many minutes: one of so many, or of as many as is asked for.
        let step = std::env::var("COUNTERSIGN_GROWTH").ok().and_then(|step| step.parse().ok()).unwrap_or(12);
        for nth in (0..texts[0].len()).step_by(std::cmp::max(step, 1)) {
            let calls = texts.each_ref().map(|texts| &texts[nth]);
            let times = calls.map(|call| taken(&bench, call));
            for (pair, call) in times.windows(2).zip(&calls[1..]) {
                let long = pair[1] > SHORT && pair[1] > pair[0] * GROWTH;
                assert!(!long, "{} of {} bytes: {times:?}", call.name, call.size);
            }
            slowest.push((times, calls[0].name.clone()));
        }
        slowest.sort_by_key(|(times, _)| std::cmp::Reverse(times.iter().max().copied()));
        for (times, name) in slowest.iter().take(20) {
            eprintln!("{name:<50} {times:?}");
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(judged).unwrap().join().unwrap();
}
