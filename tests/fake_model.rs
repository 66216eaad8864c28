//! Models behind a real HTTP server of a third party that speaks OpenAI's and Anthropic's formats. It is started
//! from the folder that `COUNTERSIGN_SERVICES` names; without it the tests say aloud that they were left out.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use std::sync::Arc;

#[path = "common/left_out.rs"]
mod left_out;
#[path = "common/model_server.rs"]
mod model_server;

use countersign::domain::{FailureKind, Message, ModelEvent, ModelRequest, StopReason, ToolCall, ToolResult, ToolSpec};
use countersign::providers::{Provider, ProviderKind, ProviderSettings, from_settings};
use futures::StreamExt;
use model_server::server;
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
    let Some(server) = server(FIXTURES) else { return };
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
            let [tries @ .., ModelEvent::Failed(failure)] = &events[..] else { panic!("{kind:?}: {events:?}") };
            assert!(tries.iter().all(|event| matches!(event, ModelEvent::Again(_))), "{kind:?}: {events:?}");
            assert_eq!(failure.kind, expected, "{failure:?}");
            assert!(!failure.message.contains("hunter2") && failure.message.ends_with('.'), "{}", failure.message);
        }
    }
}
