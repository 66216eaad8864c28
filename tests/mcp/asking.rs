//! What a server asks while a call of it runs: each an operation of its own, answered only once the person agreed.

use countersign::domain::{
    ANSWER, AnswerOperation, Asks, ModelEvent, ModelRequest, OperationId, OperationKind, StopReason, ToolCall, Usage,
};
use countersign::tools::RunPort;
use countersign::tools::mcp::{AnswerTool, Sampler};
use futures::StreamExt as _;
use tokio::task::JoinHandle;

use super::*;

/// A call of `echo` that runs, and what it says meanwhile.
struct Running {
    events: mpsc::Receiver<(OperationId, RunEvent)>,
    call: JoinHandle<RunReport>,
    cancel: CancellationToken,
}

impl Desk {
    /// Starts a call and waits until the server asks.
    async fn asked(&self) -> (ToolCall, Running) {
        let tool = self.tool("mcp__s__echo");
        let kind = tool.prepare(&Arguments::parse("{}").unwrap()).unwrap();
        let facts = Facts { declared: tool.declared().cloned(), ..facts(self.folder.path()) };
        let allowed = countersigned(kind, facts, Assessment::default());
        let (lane, mut events) = mpsc::channel(64);
        let cancel = CancellationToken::new();
        let (port, stop) = (RunPort::new(OperationId(1), lane), cancel.clone());
        let call = tokio::spawn(async move { tool.run(allowed, port, stop).await });
        let asked = async {
            loop {
                if let RunEvent::Asks(call) = events.recv().await.unwrap().1 {
                    return call;
                }
            }
        };
        let asked = tokio::time::timeout(PATIENCE, asked).await.unwrap();
        assert_eq!(asked.name, ANSWER);
        (asked, Running { events, call, cancel })
    }

    fn read(&self, arguments: &str) -> Result<AnswerOperation, String> {
        let tool = AnswerTool::new(&self.servers);
        match tool.prepare(&Arguments::parse(arguments).unwrap()) {
            Ok(OperationKind::Answer(answer)) => Ok(answer),
            Ok(other) => panic!("{other:?}"),
            Err(why) => Err(why.0),
        }
    }

    /// Answers as the person agreed to.
    async fn answer(&self, answer: AnswerOperation, model: Option<Sampler>) -> RunReport {
        let allowed = countersigned(OperationKind::Answer(answer), facts(self.folder.path()), Assessment::default());
        let (lane, mut events) = mpsc::channel(64);
        tokio::spawn(async move { while events.recv().await.is_some() {} });
        let port = RunPort::new(OperationId(2), lane);
        let port = model.map_or(port.clone(), |model| port.asking(model));
        AnswerTool::new(&self.servers).run(allowed, port, CancellationToken::new()).await
    }
}

impl Running {
    async fn result(self) -> Value {
        drop(self.events);
        let report = tokio::time::timeout(PATIENCE, self.call).await.unwrap().unwrap();
        serde_json::from_str(&report.result).unwrap_or_else(|_| panic!("{report:?}"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_answered_with_what_the_person_typed_and_never_without() {
    let Some(desk) = Desk::script("form", &json!({ "elicitation": true })) else { return };
    desk.start().await.unwrap();
    let (call, running) = desk.asked().await;
    let blank = desk.read(&call.arguments).unwrap();
    assert!(blank.is_open() && blank.text().contains("Who are you?"), "{}", blank.text());
    assert!(blank.text().contains("# Your name (needed; text)\nname: \n"), "{}", blank.text());
    let typed = |lines: &str| json!({ "request": blank.request, "answers": lines }).to_string();
    let wrong = desk.read(&typed("name: Ann\nsize: 12")).unwrap();
    assert!(wrong.is_open(), "{wrong:?}");
    let filled = desk.read(&typed("name: Ann\nsize: 7")).unwrap();
    let Asks::Form { answers, .. } = &filled.asks else { panic!("{filled:?}") };
    assert_eq!(Value::Object(answers.clone()), json!({ "name": "Ann", "size": 7 }));
    assert!(matches!(desk.answer(filled.clone(), None).await.outcome, Outcome::Succeeded { .. }));
    assert_eq!(running.result().await, json!({ "action": "accept", "content": { "name": "Ann", "size": 7 } }));
    let again = desk.answer(filled, None).await;
    assert!(reason(&again).contains("waits for it no more"), "{again:?}");

    let (call, running) = desk.asked().await;
    desk.servers.decline(&call);
    assert_eq!(running.result().await["action"], "decline");
    let (call, running) = desk.asked().await;
    let open = desk.answer(desk.read(&call.arguments).unwrap(), None).await;
    assert!(reason(&open).contains("still open: name"), "{open:?}");
    assert_eq!(running.result().await["action"], "decline");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_waits_for_the_person_past_the_calls_limit_and_is_gone_with_the_call() {
    let Some(desk) = Desk::script("form", &json!({ "elicitation": true, "timeoutSeconds": 1 })) else { return };
    desk.start().await.unwrap();
    let (call, running) = desk.asked().await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert!(!running.call.is_finished(), "the server's time doesn't run while it waits for the person");
    running.cancel.cancel();
    let report = tokio::time::timeout(PATIENCE, running.call).await.unwrap().unwrap();
    assert_eq!(report.outcome, Outcome::Cancelled);
    drop(running.events);
    until("it is gone with the call", || desk.read(&call.arguments).is_err()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_is_asked_without_tools_up_to_the_servers_limit() {
    let Some(desk) = Desk::script("sample", &json!({ "sampling": true })) else { return };
    desk.start().await.unwrap();
    let (call, running) = desk.asked().await;
    let asked = desk.read(&call.arguments).unwrap();
    assert!(asked.text().contains("instructions:\nBe short.") && asked.text().contains("user:\nSay hi."));
    let model = Sampler::new("small".to_owned(), |request: ModelRequest| {
        assert!(request.tools.is_empty() && &*request.system == "Be short." && request.messages.len() == 1);
        let usage = Usage { input: 5, output: 9 };
        let said = ["hi there, ", "and so on for long"].map(|text| ModelEvent::Text(text.to_owned()));
        futures::stream::iter(said.into_iter().chain([ModelEvent::Ended(StopReason::Done, usage)])).boxed()
    });
    assert!(matches!(desk.answer(asked, Some(model)).await.outcome, Outcome::Succeeded { .. }));
    let told = running.result().await;
    assert_eq!((&told["model"], &told["stopReason"]), (&json!("small"), &json!("maxTokens")), "{told}");
    assert_eq!(told["content"]["text"], "hi there, and so o", "three tokens are about so long");

    let (call, running) = desk.asked().await;
    desk.servers.decline(&call);
    assert!(running.result().await["message"].as_str().unwrap().contains("denied"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_asks_for_a_password_is_refused_where_forms_are_allowed_too() {
    let Some(desk) = Desk::script("asks", &json!({ "elicitation": true })) else { return };
    desk.start().await.unwrap();
    let (events, report) = desk.call("mcp__s__echo", json!({}), CancellationToken::new()).await;
    let answers: Value = serde_json::from_str(&report.result).unwrap();
    assert_eq!(answers["elicitation"]["result"]["action"], "decline", "{answers}");
    assert!(events.iter().all(|event| !matches!(event, RunEvent::Asks(_))));
    let noted = |event: &RunEvent| matches!(event, RunEvent::Note(why) if why.contains("asks for a secret (password)"));
    assert!(events.iter().any(noted), "{events:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_on_and_on_is_refused_after_a_while() {
    let Some(desk) = Desk::script("nags", &json!({ "elicitation": true })) else { return };
    desk.start().await.unwrap();
    let (first, mut running) = desk.asked().await;
    desk.servers.decline(&first);
    let servers = Arc::clone(&desk.servers);
    let deny = tokio::spawn(async move {
        let mut asked = 1;
        while let Some((_, event)) = running.events.recv().await {
            if let RunEvent::Asks(call) = event {
                asked += 1;
                servers.decline(&call);
            }
        }
        (asked, running.call.await.unwrap())
    });
    let (asked, report) = tokio::time::timeout(PATIENCE, deny).await.unwrap().unwrap();
    assert_eq!(asked, 10, "{report:?}");
    assert_eq!(report.result, format!("{}cancel cancel", "decline ".repeat(10)));
}
