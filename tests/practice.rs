//! What the practice session shows is true: each request it knows leads to calls that run or ask as it says.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use countersign::cli::Terms;
use countersign::cli::assess::run;
use countersign::domain::{ApprovalMode, Message, ModelEvent, ModelRequest};
use countersign::providers::{Practice, Provider};
use futures::StreamExt;
use serde_json::{Value, json};

const SESSION: &str = include_str!("../assets/practice/session.toml");

/// The names of the requests, each of which is also a way to say it.
fn requests() -> Vec<String> {
    let session: toml::Table = SESSION.parse().unwrap();
    let entries = session["entry"].as_array().unwrap();
    entries.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
}

fn practice() -> Practice {
    Practice::from_text(SESSION).unwrap().with_server("http://127.0.0.1:4999")
}

/// How the calls of the first answer to `said` are decided, in order, in a folder like the practice folder.
async fn decided(practice: &Practice, mode: ApprovalMode, said: &str) -> String {
    let messages = vec![Arc::new(Message::User(said.to_owned()))];
    let request = ModelRequest { system: "".into(), messages, tools: Vec::new().into() };
    let events: Vec<ModelEvent> = practice.stream(request).collect().await;
    let folder = tempfile::tempdir().unwrap();
    let mut input = String::new();
    for event in events {
        if let ModelEvent::Call(call) = event {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            let line = json!({
                "id": call.id, "tool": call.name, "arguments": arguments, "dialect": "sqlite", "cwd": folder.path(),
            });
            input.push_str(&format!("{line}\n"));
        }
    }
    let mut output = Vec::new();
    run(Terms::of(mode), input.as_bytes(), &mut output).unwrap();
    let answers = String::from_utf8(output).unwrap();
    let decisions = answers.lines().map(|line| {
        let answer: Value = serde_json::from_str(line).unwrap();
        answer["decision"].as_str().unwrap().to_owned()
    });
    decisions.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn in_guarded_mode_looks_run_and_everything_else_asks() {
    let (practice, mut table) = (practice(), String::new());
    for name in requests() {
        table.push_str(&format!("{name}: {}\n", decided(&practice, ApprovalMode::Guarded, &name).await));
    }
    insta::assert_snapshot!(table);
}

#[tokio::test]
async fn the_wrong_claim_runs_in_smart_mode_and_asks_in_guarded_mode_as_the_session_says() {
    let (practice, said) = (practice(), "tidy the logs");
    assert_eq!(decided(&practice, ApprovalMode::Guarded, said).await, "ask");
    assert_eq!(decided(&practice, ApprovalMode::Smart, said).await, "allow");
    assert_eq!(decided(&practice, ApprovalMode::Strict, "show the tables").await, "ask");
}
