//! How long a replay takes: `cargo bench --bench replay`. 10,000 recorded operations, the calls of the corpora in
//! `COUNTERSIGN_CORPUS` or else a few ordinary ones, once more through the real binary, from its start to its end.
//! Under `cargo test --benches` there are 50, and nothing is timed.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../common/recorded.rs"]
mod recorded;

use std::process::Command;
use std::time::Instant;

use countersign::domain::{ApprovalMode, Arguments, Decider, OperationKind};
use recorded::Writer;
use serde_json::{Value, json};

/// Operations that are judged again.
const COUNT: usize = 10_000;
/// Longest call that is recorded, in bytes: what people's sessions hold.
const LONGEST: usize = 2_000;

fn calls() -> Vec<(String, Value)> {
    let folder = std::env::var_os("COUNTERSIGN_CORPUS").map(std::path::PathBuf::from);
    let files = folder.and_then(|folder| folder.read_dir().ok()).into_iter().flatten();
    let files = files.map(|file| file.unwrap().path());
    let texts = files.filter(|file| file.extension().is_some_and(|suffix| suffix == "jsonl"));
    let lines: Vec<String> = texts
        .flat_map(|file| std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let of = |line: &String| {
        let line: Value = serde_json::from_str(line).ok()?;
        let (tool, arguments) = (line["tool"].as_str()?.to_owned(), line["arguments"].clone());
        let read = OperationKind::read(&tool, &Arguments::parse(&arguments.to_string()).ok()?);
        matches!(read, Some(Ok(_))).then_some((tool, arguments))
    };
    let mut calls: Vec<_> = lines.iter().filter(|line| line.len() < LONGEST).filter_map(of).collect();
    if calls.is_empty() {
        let command = |text: &str| ("execute_command".to_owned(), json!({"command": text}));
        calls = [
            "ls -la",
            "git log --oneline | head -5",
            "rm -rf build",
            "cargo test",
            "find . -name '*.rs' | xargs wc -l",
        ]
        .map(command)
        .to_vec();
        calls.push(("execute_sql".to_owned(), json!({"sql": "SELECT name FROM users WHERE id = 42"})));
        calls.push(("execute_sql".to_owned(), json!({"sql": "DELETE FROM users WHERE id = 42"})));
    }
    calls
}

#[tokio::main]
async fn main() {
    let timed = std::env::args().any(|word| word == "--bench");
    let count = if timed { COUNT } else { 50 };
    let folder = tempfile::tempdir().unwrap();
    let calls = calls();
    let mut writer = Writer::open(folder.path(), "bench", folder.path()).await;
    let mut batch = Vec::new();
    for (tool, arguments) in calls.iter().cycle().take(count) {
        let (prepared, judgement) = writer.proposed(tool, arguments, ApprovalMode::Guarded);
        batch.push((prepared, judgement));
    }
    for chunk in batch.chunks(100) {
        // Together, so that they share their transactions.
        futures::future::join_all(chunk.iter().map(|(prepared, judgement)| async {
            writer.propose(prepared).await;
            let decided = (Decider::Person, true, Some(1_000));
            writer.decide(prepared.operation.id, judgement.clone(), decided, None).await;
        }))
        .await;
    }
    writer.journal.close().await.unwrap();
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["journal", "replay", "--json"])
        .env_clear()
        .env("HOME", folder.path())
        .env("COUNTERSIGN_DATA", folder.path())
        .output()
        .unwrap();
    let took = start.elapsed();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["judged"], count);
    if timed {
        println!("{count} operations of {} calls judged again in {took:.2?}", calls.len());
    }
}
