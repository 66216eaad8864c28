//! Models behind a real HTTP server of a third party that speaks OpenAI's and Anthropic's formats. It is started
//! from the folder that `COUNTERSIGN_SERVICES` names; without it the tests say aloud that they were left out.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use countersign::domain::{FailureKind, Message, ModelEvent, ModelRequest, StopReason, ToolCall, ToolResult, ToolSpec};
use countersign::providers::{Provider, ProviderKind, ProviderSettings, from_settings};
use futures::StreamExt;
use serde_json::json;

/// What the server answers.
const FIXTURES: &str = r#"{"fixtures": [
    {"match": {"userMessage": "how many orders", "hasToolResult": false}, "response": {
        "content": "I will count them.",
        "toolCalls": [
            {"id": "call_count", "name": "execute_sql", "arguments": {"sql": "SELECT count(*) FROM orders"}},
            {"id": "call_ls", "name": "execute_command", "arguments": {"command": "ls -la", "risk_level": "low"}}
        ]}},
    {"match": {"toolCallId": "call_ls"}, "response": {"content": "There are 340 orders.",
        "usage": {"prompt_tokens": 120, "completion_tokens": 9, "total_tokens": 129}}},
    {"match": {"userMessage": "overloaded"},
        "response": {"error": {"message": "Overloaded, try later", "type": "overloaded_error"}, "status": 529}},
    {"match": {"userMessage": "wrong key"},
        "response": {"error": {"message": "bad key sk-hunter2", "type": "authentication_error"}, "status": 401}}
]}"#;

/// The running server; it is stopped when this is dropped.
struct Server {
    child: Child,
    url: String,
    _folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // TERM, so that the script stops its own child too.
        let _asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        let _ended = self.child.wait();
    }
}

/// The first start installs the server: one at a time.
static STARTING: Mutex<()> = Mutex::new(());

/// Starts the server; none if its script isn't on this machine, which fails where nothing may be left out.
fn server() -> Option<Server> {
    let Some(script) = std::env::var_os("COUNTERSIGN_SERVICES").map(|folder| Path::new(&folder).join("fake-llm"))
    else {
        let required = std::env::var_os("COUNTERSIGN_REQUIRE").is_some();
        assert!(!required, "COUNTERSIGN_SERVICES is not set, and COUNTERSIGN_REQUIRE lets nothing be left out");
        eprintln!(
            "LEFT OUT: the tests against a fake model server; set COUNTERSIGN_SERVICES to the folder with fake-llm"
        );
        return None;
    };
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let fixtures = folder.path().join("fixtures.json");
    std::fs::write(&fixtures, FIXTURES).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut child = Command::new(script)
        .arg(port.to_string())
        .arg(&fixtures)
        .args(["--chunk-size", "7"])
        // The folder with the scripts is not where the server's own files go.
        .env_remove("COUNTERSIGN_SERVICES")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let url = url.trim().to_owned();
    assert!(url.starts_with("http://127.0.0.1:"), "the fake model server didn't start: {url:?}");
    Some(Server { child, url, _folder: folder })
}

fn provider(kind: ProviderKind, url: &str) -> Arc<dyn Provider> {
    let _already = rustls::crypto::ring::default_provider().install_default();
    let settings = ProviderSettings {
        base_url: Some(url.to_owned()),
        model: Some("any-model".to_owned()),
        key: Some("sk-hunter2".into()),
        ..ProviderSettings::new(kind)
    };
    from_settings(settings).unwrap()
}

async fn ask(provider: &dyn Provider, messages: Vec<Message>) -> Vec<ModelEvent> {
    let spec = |name: &str, argument: &str| ToolSpec {
        name: name.to_owned(),
        description: format!("{name} on this machine"),
        parameters: json!({"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}),
    };
    let request = ModelRequest {
        system: "Be brief.".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: vec![spec("execute_sql", "sql"), spec("execute_command", "command")].into(),
    };
    provider.stream(request).collect().await
}

fn text(events: &[ModelEvent]) -> String {
    events
        .iter()
        .filter_map(|event| if let ModelEvent::Text(text) = event { Some(text.as_str()) } else { None })
        .collect()
}

fn calls(events: &[ModelEvent]) -> Vec<ToolCall> {
    events
        .iter()
        .filter_map(|event| if let ModelEvent::Call(call) = event { Some(call.clone()) } else { None })
        .collect()
}

/// Runs a test on a runtime that ends before the server does, which waits for open connections.
fn against_the_server(test: impl AsyncFnOnce(&str)) {
    let Some(server) = server() else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let limit = std::time::Duration::from_mins(1);
    let ended = runtime.block_on(async { tokio::time::timeout(limit, test(&server.url)).await });
    drop(runtime);
    ended.unwrap();
}

#[test]
fn a_task_with_two_calls_and_their_results_runs_in_both_formats() {
    against_the_server(two_calls);
}

async fn two_calls(url: &str) {
    for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic] {
        let provider = provider(kind, url);
        let first = ask(&*provider, vec![Message::User("how many orders are there".to_owned())]).await;
        assert_eq!(text(&first), "I will count them.", "{kind:?}: {first:?}");
        let calls = calls(&first);
        assert_eq!(calls.len(), 2, "{kind:?}: {first:?}");
        let sql: serde_json::Value = serde_json::from_str(&calls[0].arguments).unwrap();
        assert_eq!(sql, json!({"sql": "SELECT count(*) FROM orders"}));
        assert!(matches!(first.last(), Some(ModelEvent::Ended(StopReason::ToolCalls, _))), "{kind:?}: {first:?}");
        let results = calls
            .iter()
            .map(|call| ToolResult { call_id: call.id.clone(), tool: call.name.clone(), text: "1 row\n340".to_owned() })
            .collect();
        let told = vec![
            Message::User("how many orders are there".to_owned()),
            Message::Assistant { text: text(&first), calls },
            Message::Results(results),
        ];
        let second = ask(&*provider, told).await;
        assert_eq!(text(&second), "There are 340 orders.", "{kind:?}: {second:?}");
        assert!(matches!(second.last(), Some(ModelEvent::Ended(StopReason::Done, _))), "{kind:?}: {second:?}");
    }
}

#[test]
fn an_overloaded_server_and_a_wrong_key_end_in_a_sentence() {
    against_the_server(troubles);
}

async fn troubles(url: &str) {
    for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic] {
        let provider = provider(kind, url);
        for (asked, expected) in [("overloaded", FailureKind::Unavailable), ("wrong key", FailureKind::Unauthorised)] {
            let events = ask(&*provider, vec![Message::User(asked.to_owned())]).await;
            let [ModelEvent::Failed(failure)] = &events[..] else { panic!("{kind:?}: {events:?}") };
            assert_eq!(failure.kind, expected, "{failure:?}");
            assert!(!failure.message.contains("hunter2") && failure.message.ends_with('.'), "{}", failure.message);
        }
    }
}
