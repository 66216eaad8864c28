//! Against servers on this machine that answer as providers do, well and badly.

use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wiremock::matchers::{body_partial_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::domain::{StopReason, ToolCall, ToolResult, ToolSpec, Usage};

fn remote(kind: ProviderKind, base: &str, model: Option<&str>) -> Remote {
    let _already = rustls::crypto::ring::default_provider().install_default();
    let settings = ProviderSettings {
        base_url: Some(base.to_owned()),
        model: model.map(str::to_owned),
        key: Some(SecretString::from("sk-hunter2")),
        patience: Some(Duration::from_millis(700)),
        ..ProviderSettings::new(kind)
    };
    Remote::pausing(settings, Duration::from_millis(5)).unwrap()
}

fn request() -> ModelRequest {
    let call =
        ToolCall { id: "old".to_owned(), name: "execute_sql".to_owned(), arguments: "{\"sql\":\"DEL".to_owned() };
    let result =
        ToolResult { call_id: "old".to_owned(), tool: "execute_sql".to_owned(), text: "not complete".to_owned() };
    let tool = ToolSpec {
        name: "execute_sql".to_owned(),
        description: "Runs SQL".to_owned(),
        parameters: json!({"type": "object", "properties": {"sql": {"type": "string"}}}),
    };
    ModelRequest {
        system: "Be brief.".into(),
        messages: vec![
            Arc::new(Message::User("hello".to_owned())),
            Arc::new(Message::Assistant { text: String::new(), calls: vec![call] }),
            Arc::new(Message::Results(vec![result])),
        ],
        tools: vec![tool].into(),
    }
}

/// Lines of `data:` with JSON chunks in OpenAI's format, then what ends the stream.
fn openai(chunks: &[Value], end: &str) -> ResponseTemplate {
    let mut body = String::new();
    for chunk in chunks {
        body.push_str(&format!(
            "data: {}

",
            json!({ "choices": [chunk] })
        ));
    }
    body.push_str(end);
    ResponseTemplate::new(200).set_body_raw(body, "text/event-stream")
}

fn anthropic(events: &[(&str, Value)]) -> ResponseTemplate {
    let mut body = String::new();
    for (name, data) in events {
        body.push_str(&format!(
            "event: {name}
data: {data}

"
        ));
    }
    ResponseTemplate::new(200).set_body_raw(body, "text/event-stream")
}

async fn said(provider: &Remote) -> Vec<ModelEvent> {
    let said: Vec<ModelEvent> = provider.stream(request()).collect().await;
    said.into_iter().filter(|event| !matches!(event, ModelEvent::Again(_))).collect()
}

async fn said_to(kind: ProviderKind, answer: ResponseTemplate) -> Vec<ModelEvent> {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(answer).mount(&server).await;
    said(&remote(kind, &server.uri(), Some("m"))).await
}

fn failed(events: &[ModelEvent]) -> (FailureKind, String) {
    match events.last() {
        Some(ModelEvent::Failed(failure)) => (failure.kind, failure.message.clone()),
        other => panic!("no failure but {other:?}"),
    }
}

fn call(id: &str, name: &str, arguments: &str) -> ModelEvent {
    ModelEvent::Call(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() })
}

fn piece(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let mut call = json!({"index": index, "function": {"arguments": arguments}});
    if let (Some(id), Some(name)) = (id, name) {
        call["id"] = json!(id);
        call["function"]["name"] = json!(name);
    }
    json!({"delta": {"tool_calls": [call]}, "finish_reason": null})
}

#[tokio::test]
async fn openai_streams_text_and_several_calls_that_come_in_pieces() {
    let chunks = [
        json!({"delta": {"role": "assistant", "content": "Let me "}}),
        json!({"delta": {"content": "look."}}),
        piece(0, Some("a"), Some("execute_sql"), ""),
        piece(0, None, None, "{\"sql\":"),
        piece(1, Some("b"), Some("execute_command"), "{\"command\":\"ls\"}"),
        // Some servers name the reason before the last pieces of the arguments.
        json!({"delta": {}, "finish_reason": "tool_calls"}),
        piece(0, None, None, "\"SELECT 1\"}"),
    ];
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n";
    let events = said_to(ProviderKind::OpenAi, openai(&chunks, usage)).await;
    assert_eq!(
        events,
        [
            ModelEvent::Text("Let me ".to_owned()),
            ModelEvent::Text("look.".to_owned()),
            call("a", "execute_sql", "{\"sql\":\"SELECT 1\"}"),
            call("b", "execute_command", "{\"command\":\"ls\"}"),
            ModelEvent::Ended(StopReason::ToolCalls, Usage { input: 7, output: 3 }),
        ]
    );
}

#[tokio::test]
async fn anthropic_streams_text_and_a_call() {
    let events = [
        ("message_start", json!({"message": {"usage": {"input_tokens": 7, "output_tokens": 1}}})),
        ("content_block_start", json!({"index": 0, "content_block": {"type": "text", "text": ""}})),
        ("content_block_delta", json!({"index": 0, "delta": {"type": "text_delta", "text": "Hi"}})),
        ("content_block_stop", json!({"index": 0})),
        ("content_block_start", json!({"content_block": {"type": "tool_use", "id": "t1", "name": "one", "input": {}}})),
        ("content_block_delta", json!({"delta": {"type": "input_json_delta", "partial_json": "{\"a\""}})),
        ("ping", json!({})),
        ("content_block_delta", json!({"delta": {"type": "input_json_delta", "partial_json": ":1}"}})),
        ("content_block_stop", json!({})),
        ("content_block_start", json!({"content_block": {"type": "tool_use", "id": "t2", "name": "two", "input": {}}})),
        ("content_block_stop", json!({})),
        ("message_delta", json!({"delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}})),
        ("message_stop", json!({})),
    ];
    let said = said_to(ProviderKind::Anthropic, anthropic(&events)).await;
    assert_eq!(said[..3], [ModelEvent::Text("Hi".to_owned()), call("t1", "one", "{\"a\":1}"), call("t2", "two", "")]);
    assert!(matches!(said[3], ModelEvent::Ended(StopReason::ToolCalls, Usage { output: 9, .. })), "{said:?}");
}

#[tokio::test]
async fn an_overloaded_anthropic_is_tried_three_times_then_told() {
    let busy =
        anthropic(&[("error", json!({"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}))]);
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(busy).expect(3).mount(&server).await;
    let events = said(&remote(ProviderKind::Anthropic, &server.uri(), Some("m"))).await;
    let (kind, message) = failed(&events);
    assert_eq!(kind, FailureKind::Unavailable);
    assert!(message.contains("(529)") && message.contains("Busy"), "{message}");
}

#[tokio::test]
async fn truncated_arguments_reach_us_as_they_are() {
    let chunks = [
        piece(0, Some("a"), Some("execute_sql"), "{\"sql\":\"DELETE FRO"),
        json!({"delta": {}, "finish_reason": "length"}),
    ];
    let events = said_to(ProviderKind::OpenAi, openai(&chunks, "data: [DONE]\n\n")).await;
    assert_eq!(events[0], call("a", "execute_sql", "{\"sql\":\"DELETE FRO"));
    assert!(matches!(events[1], ModelEvent::Ended(StopReason::Length, _)));
}

#[tokio::test]
async fn a_stream_without_its_end_fails_and_hands_out_no_call() {
    let chunks = [json!({"delta": {"content": "Let me"}}), piece(0, Some("a"), Some("execute_sql"), "{}")];
    let events = said_to(ProviderKind::OpenAi, openai(&chunks, "")).await;
    assert_eq!(events[0], ModelEvent::Text("Let me".to_owned()));
    assert_eq!(events.len(), 2);
    assert_eq!(failed(&events).0, FailureKind::CutOff);
    let started = [("message_start", json!({"message": {"usage": {"input_tokens": 7}}}))];
    assert_eq!(failed(&said_to(ProviderKind::Anthropic, anthropic(&started)).await).0, FailureKind::CutOff);
}

/// A server that sends `answer` to every connection and then closes it, or keeps it open.
async fn raw(answer: &'static str, keep: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut asked = [0; 16384];
            let _asked = socket.read(&mut asked).await;
            let _sent = socket.write_all(answer.as_bytes()).await;
            if keep {
                tokio::time::sleep(Duration::from_secs(30)).await;
            }
        }
    });
    format!("http://{address}")
}

#[tokio::test]
async fn a_connection_that_breaks_in_the_middle_is_a_cut_off_answer() {
    let part = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9000\r\n\r\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
    let base = raw(part, false).await;
    let events = said(&remote(ProviderKind::OpenAi, &base, Some("m"))).await;
    assert_eq!(events[0], ModelEvent::Text("Hel".to_owned()));
    assert_eq!(failed(&events).0, FailureKind::CutOff);
}

#[tokio::test]
async fn silence_and_refusal_end_in_a_sentence() {
    let base = raw("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", true).await;
    let (kind, message) = failed(&said(&remote(ProviderKind::OpenAi, &base, Some("m"))).await);
    assert_eq!(kind, FailureKind::Unreachable);
    assert!(message.contains("said nothing for"), "{message}");
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    for base in [closed, raw("", false).await] {
        let (kind, message) = failed(&said(&remote(ProviderKind::OpenAi, &base, Some("m"))).await);
        assert_eq!(kind, FailureKind::Unreachable);
        assert!(message.contains("can't be reached"), "{message}");
    }
}

#[tokio::test]
async fn each_status_ends_in_a_sentence_that_says_what_to_do() {
    for (status, kind, words) in [
        (401, FailureKind::Unauthorised, "Check OPENAI_API_KEY"),
        (403, FailureKind::Unauthorised, "doesn't allow"),
        (404, FailureKind::NotFound, "`m`"),
        (429, FailureKind::RateLimited, "slow down"),
        (500, FailureKind::Unavailable, "Wait a little"),
        (529, FailureKind::Unavailable, "Wait a little"),
        (400, FailureKind::BadReply, "It says: \"no such thing\""),
        (302, FailureKind::BadReply, "base URL"),
    ] {
        let answer = ResponseTemplate::new(status)
            .insert_header("location", "https://elsewhere.test/")
            .set_body_json(json!({"error": {"message": "no such thing"}}));
        let (found, message) = failed(&said_to(ProviderKind::OpenAi, answer).await);
        assert_eq!(found, kind, "{status}: {message}");
        assert!(message.contains(words) && message.contains(&status.to_string()), "{status}: {message}");
        assert!(!message.contains("hunter2"), "{message}");
    }
}

#[tokio::test]
async fn what_is_no_stream_of_a_model_says_to_check_the_base_url() {
    for (body, mime) in [
        ("<html>Welcome</html>", "text/html"),
        ("{\"object\":\"chat.completion\"}", "application/json"),
        ("data: not json\n\n", "text/event-stream"),
    ] {
        let answer = ResponseTemplate::new(200).set_body_raw(body, mime);
        let (kind, message) = failed(&said_to(ProviderKind::OpenAi, answer).await);
        assert_eq!(kind, FailureKind::BadReply, "{body}");
        assert!(message.contains("base URL"), "{message}");
    }
}

#[tokio::test]
async fn a_stream_cut_inside_a_line_broke_off_and_the_base_url_is_not_blamed() {
    let chunks = [json!({"delta": {"content": "Let me"}}), piece(0, Some("a"), Some("execute_sql"), "{}")];
    let events = said_to(ProviderKind::OpenAi, openai(&chunks, "data: {\"id\":\"c\",\"obj")).await;
    assert_eq!(events.len(), 2, "no call of it is handed out: {events:?}");
    let (kind, message) = failed(&events);
    assert_eq!(kind, FailureKind::CutOff);
    assert!(message.contains("broke off in the middle") && !message.contains("base URL"), "{message}");
}

#[tokio::test]
async fn an_answer_that_names_its_reason_to_stop_is_complete_without_an_end_marker() {
    let text = [json!({"delta": {"content": "Hi"}}), json!({"delta": {}, "finish_reason": "stop"})];
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n";
    for end in ["", usage, "data: {\"choices\":[],\"usa"] {
        let events = said_to(ProviderKind::OpenAi, openai(&text, end)).await;
        let counted = if end == usage { Usage { input: 7, output: 3 } } else { Usage::default() };
        assert_eq!(events, [ModelEvent::Text("Hi".to_owned()), ModelEvent::Ended(StopReason::Done, counted)], "{end}");
    }
    let called = |arguments| [piece(0, Some("a"), Some("one"), arguments), json!({"finish_reason": "tool_calls"})];
    let events = said_to(ProviderKind::OpenAi, openai(&called("{\"x\":1}"), "")).await;
    assert_eq!(events[0], call("a", "one", "{\"x\":1}"));
    assert!(matches!(events[1], ModelEvent::Ended(StopReason::ToolCalls, _)), "{events:?}");
    let events = said_to(ProviderKind::OpenAi, openai(&called("{\"x\":"), "")).await;
    assert_eq!((events.len(), failed(&events).0), (1, FailureKind::CutOff), "a call that lacks its end isn't run");
}

#[tokio::test]
async fn an_empty_success_and_one_that_is_no_stream_say_so() {
    let (kind, message) = failed(&said_to(ProviderKind::OpenAi, ResponseTemplate::new(200)).await);
    assert_eq!(kind, FailureKind::BadReply);
    assert!(message.contains("answered nothing"), "{message}");
    for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Gemini] {
        let long = format!("quota exceeded\u{1b}[2J for sk-hunter2 {}", "x".repeat(400));
        let answer = ResponseTemplate::new(200).set_body_json(json!({"error": {"message": long}}));
        let (_, message) = failed(&said_to(kind, answer).await);
        assert!(message.contains("but not in the format of") && !message.contains("hunter2"), "{message}");
    }
}

#[tokio::test]
async fn a_passing_trouble_is_tried_again_but_a_long_wait_is_told() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(503)).up_to_n_times(2).mount(&server).await;
    let well = openai(&[json!({"delta": {"content": "Hi"}, "finish_reason": "stop"})], "data: [DONE]\n\n");
    Mock::given(method("POST")).respond_with(well).expect(1).mount(&server).await;
    let events = said(&remote(ProviderKind::OpenAi, &server.uri(), Some("m"))).await;
    assert_eq!(events[0], ModelEvent::Text("Hi".to_owned()));
    assert!(matches!(events[1], ModelEvent::Ended(StopReason::Done, _)));

    let server = MockServer::start().await;
    let limited = ResponseTemplate::new(429).insert_header("retry-after-ms", "20");
    Mock::given(method("POST")).respond_with(limited).expect(3).mount(&server).await;
    let events: Vec<ModelEvent> =
        remote(ProviderKind::OpenAi, &server.uri(), Some("m")).stream(request()).collect().await;
    let again = ModelEvent::Again("trying again: rate limit".to_owned());
    assert_eq!(events[..2], [again.clone(), again]);
    assert_eq!(failed(&events[2..]).0, FailureKind::RateLimited);

    let server = MockServer::start().await;
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "60");
    Mock::given(method("POST")).respond_with(limited).expect(1).mount(&server).await;
    let (_, message) = failed(&said(&remote(ProviderKind::OpenAi, &server.uri(), Some("m"))).await);
    assert!(message.contains("Wait 60 seconds"), "{message}");
}

#[tokio::test]
async fn the_request_carries_key_model_tools_and_what_was_said() {
    let server = MockServer::start().await;
    let well = openai(&[json!({"delta": {"content": "Hi"}, "finish_reason": "stop"})], "data: [DONE]\n\n");
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", "Bearer sk-hunter2"))
        // A model's own name isn't taken apart.
        .and(body_partial_json(json!({
            "model": "maker::coder-high",
            "stream": true,
            "tools": [{"function": {"name": "execute_sql"}}],
        })))
        .respond_with(well)
        .expect(1)
        .mount(&server)
        .await;
    let provider = remote(ProviderKind::OpenAi, &server.uri(), Some("maker::coder-high"));
    assert!(matches!(said(&provider).await.last(), Some(ModelEvent::Ended(..))));
    let requests = server.received_requests().await.unwrap();
    // Beside it the server is asked how much the model takes.
    let sent = requests.iter().find(|request| request.method == "POST").unwrap();
    let sent: Value = sent.body_json().unwrap();
    assert!(sent.get("reasoning_effort").is_none(), "{sent}");
    let roles: Vec<&str> = sent["messages"].as_array().unwrap().iter().filter_map(|m| m["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    let again = &sent["messages"][2]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(again, "{\"unreadable_arguments\":\"{\\\"sql\\\":\\\"DEL\"}");
}

#[tokio::test]
async fn without_a_model_the_first_one_that_chats_is_asked() {
    let server = MockServer::start().await;
    let list = json!({"data": [{"id": "nomic-embed-text"}, {"id": "qwen"}]});
    Mock::given(method("GET"))
        .and(path("/v1/models"))
        .respond_with(ResponseTemplate::new(200).set_body_json(list))
        .expect(1)
        .mount(&server)
        .await;
    let well = openai(&[json!({"delta": {"content": "Hi"}, "finish_reason": "stop"})], "data: [DONE]\n\n");
    Mock::given(method("POST"))
        .and(body_partial_json(json!({"model": "qwen"})))
        .respond_with(well)
        .expect(2)
        .mount(&server)
        .await;
    let provider = remote(ProviderKind::OpenAi, &server.uri(), None);
    assert!(provider.label().starts_with("first model (127.0.0.1:"));
    said(&provider).await;
    assert!(matches!(said(&provider).await.last(), Some(ModelEvent::Ended(..))));
    assert!(provider.label().starts_with("qwen (127.0.0.1:"));
    assert!(!provider.remote());
}

#[tokio::test]
async fn gemini_is_given_back_the_signatures_of_its_thoughts() {
    let server = MockServer::start().await;
    let chunk = json!({"candidates": [{
        "content": {"parts": [{"functionCall": {"name": "one", "args": {"a": 1}}, "thoughtSignature": "sig"}]},
        "finishReason": "STOP",
    }]});
    let answer = ResponseTemplate::new(200).set_body_raw(format!("data: {chunk}\n\n"), "text/event-stream");
    Mock::given(path("/v1beta/models/m:streamGenerateContent")).respond_with(answer).mount(&server).await;
    let provider = remote(ProviderKind::Gemini, &server.uri(), Some("m"));
    let events = said(&provider).await;
    let ModelEvent::Call(made) = &events[0] else { panic!("{events:?}") };
    assert_eq!(made.arguments, "{\"a\":1}");
    let mut next = request();
    next.messages.push(Arc::new(Message::Assistant { text: String::new(), calls: vec![made.clone()] }));
    provider.stream(next).collect::<Vec<_>>().await;
    let sent = String::from_utf8(server.received_requests().await.unwrap()[1].body.clone()).unwrap();
    assert!(sent.contains("\"thoughtSignature\":\"sig\""), "{sent}");
}

#[test]
fn the_makers_own_service_without_a_key_is_refused_at_the_start() {
    let error = Remote::new(ProviderSettings::new(ProviderKind::Anthropic)).err().unwrap();
    assert_eq!(
        error.to_string(),
        "api.anthropic.com needs a key. Set ANTHROPIC_API_KEY, or name where it is kept (key_env, key_command or key_keyring) in \
         the configuration, and start again"
    );
}
