//! Tests of `http_request` against a loopback server.

use std::path::Path;

use tokio::sync::mpsc;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::domain::{
    Admission, ApprovalMode, Assessment, Claim, Enforceable, Facts, Gate, Operation, OperationId, Origin, Policy,
    Prepared, Release,
};

/// An operation that went through the gate: allowed by mode, or unasked.
fn countersigned(url: &str, headers: &[(&str, &str)], unasked: bool) -> Countersigned {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let operation = HttpOperation { method: "GET".to_owned(), url: url.to_owned(), headers, body: None };
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Person,
        tool: "http_request".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Http(operation),
        cwd: Path::new("/").to_owned(),
    };
    let (assessment, mode) = if unasked {
        let mut assessment = Assessment::whitelisted("test", "It reads.");
        assessment.containment = crate::domain::Containment::None;
        (assessment, ApprovalMode::Guarded)
    } else {
        (Assessment::default(), ApprovalMode::AllowAll)
    };
    let mut gate = Gate::new(Policy { mode, ..Policy::default() }, Enforceable::default());
    let prepared = Prepared { operation, facts: Facts::default(), assessment };
    assert!(matches!(gate.admit(prepared.clone()), Admission::Allowed(_)));
    match gate.release(OperationId(1), prepared) {
        Release::Run(run) => *run,
        other => panic!("{other:?}"),
    }
}

async fn run(url: &str, headers: &[(&str, &str)], unasked: bool) -> RunReport {
    let bench = Workbench { time_limit: 5, ..Workbench::new("/".into(), None, "/".into()) };
    let tool = HttpTool::new(Arc::new(bench));
    let (lane, mut events) = mpsc::channel(8);
    let drain = tokio::spawn(async move { while events.recv().await.is_some() {} });
    let port = RunPort::new(OperationId(1), lane);
    let report = tool.run(countersigned(url, headers, unasked), port, CancellationToken::new()).await;
    drain.await.unwrap();
    report
}

async fn server(answers: &[(&str, ResponseTemplate)]) -> MockServer {
    let server = MockServer::start().await;
    for (at, answer) in answers {
        Mock::given(method("GET")).and(path(*at)).respond_with(answer.clone()).mount(&server).await;
    }
    server
}

#[tokio::test]
async fn an_answer_is_told_with_status_headers_and_body() {
    let json = ResponseTemplate::new(200).set_body_raw(r#"{"id":12345678901234567890123}"#, "application/json");
    let image = ResponseTemplate::new(200).set_body_raw(vec![137, 80, 0, 255], "image/png");
    let text = ResponseTemplate::new(404).set_body_string("nothing här").append_header("set-cookie", "secret=1");
    let server = server(&[("/json", json), ("/image", image), ("/text", text)]).await;
    let report = run(&format!("{}/json", server.uri()), &[], false).await;
    assert_eq!(report.outcome, Outcome::Succeeded { summary: "200 OK, 30 B".to_owned() });
    assert!(report.result.contains("\n\n{\n  \"id\": 12345678901234567890123\n}"), "{}", report.result);
    let report = run(&format!("{}/image", server.uri()), &[], false).await;
    assert!(report.result.ends_with("[binary body, 4 bytes, image/png]\n"), "{}", report.result);
    let report = run(&format!("{}/text", server.uri()), &[], false).await;
    assert_eq!(report.outcome, Outcome::Failed { reason: "404 Not Found, 12 B".to_owned() });
    assert!(report.result.ends_with("nothing här") && !report.result.contains("secret"), "{}", report.result);
}

#[tokio::test]
async fn a_run_that_nobody_allowed_sends_nothing_to_a_private_address() {
    let server = server(&[("/", ResponseTemplate::new(200))]).await;
    let port = server.address().port();
    for host in ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "[::ffff:127.0.0.1]"] {
        let report = run(&format!("http://{host}:{port}/"), &[], true).await;
        let Outcome::Failed { reason } = report.outcome else { panic!("{host}: {}", report.result) };
        assert!(reason.contains("not a public address; nothing was sent"), "{host}: {reason}");
    }
    assert!(server.received_requests().await.unwrap().is_empty());
}

/// A request that waited, and that the person approved.
fn approved(url: &str, origin: Origin) -> Countersigned {
    let operation = HttpOperation { method: "POST".to_owned(), url: url.to_owned(), headers: vec![], body: None };
    let operation = Operation {
        id: OperationId(1),
        origin,
        tool: "http_request".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Http(operation),
        cwd: Path::new("/").to_owned(),
    };
    let prepared = Prepared { operation, facts: Facts::default(), assessment: Assessment::default() };
    let mut gate = Gate::new(Policy::default(), Enforceable::default());
    assert!(matches!(gate.admit(prepared.clone()), Admission::Waiting(_)));
    let seal = gate.seal(OperationId(1)).unwrap();
    assert!(gate.approve(OperationId(1), seal));
    match gate.release(OperationId(1), prepared) {
        Release::Run(run) => *run,
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_approves_a_public_name_approves_no_private_address() {
    let dialled = |url: &str, origin| reach(&approved(url, origin), &Url::parse(url).unwrap());
    let offered = Origin::Program { after: OperationId(1), of: Box::new(Origin::Person) };
    for (url, origin, wanted) in [
        ("https://api.example.com/", Origin::Person, Reach::Public),
        ("https://api.example.com/", offered, Reach::Any),
        ("http://127.0.0.1:8080/", Origin::Person, Reach::Any),
        ("http://localhost/", Origin::Person, Reach::Any),
        ("http://169.254.169.254/", Origin::Person, Reach::Any),
    ] {
        assert_eq!(dialled(url, origin), wanted, "{url}");
    }
}

#[tokio::test]
async fn a_name_that_leads_to_a_private_address_is_offered_with_its_address() {
    let bench = Workbench { time_limit: 5, ..Workbench::new("/".into(), None, "/".into()) };
    let tool = HttpTool::new(Arc::new(bench));
    let (lane, mut events) = mpsc::channel(8);
    let port = RunPort::new(OperationId(1), lane);
    let unasked = countersigned("http://localhost:1/", &[], true);
    let report = tool.run(unasked, port, CancellationToken::new()).await;
    assert!(matches!(report.outcome, Outcome::Failed { .. }));
    let mut said = Vec::new();
    while let Some((_, event)) = events.recv().await {
        said.push(event);
    }
    assert!(said.iter().any(|event| matches!(event, RunEvent::Note(note) if note.contains("nothing was sent"))));
    assert!(said.iter().any(|event| matches!(event, RunEvent::Stopped)), "{said:?}");
}

#[tokio::test]
async fn only_our_own_headers_go_along_and_nothing_is_kept() {
    let cookie = ResponseTemplate::new(200).append_header("set-cookie", "session=1; Path=/");
    let server = server(&[("/", cookie)]).await;
    let tool = HttpTool::new(Arc::new(Workbench::new("/".into(), None, "/".into())));
    for _ in 0..2 {
        let (lane, mut events) = mpsc::channel(8);
        let drain = tokio::spawn(async move { while events.recv().await.is_some() {} });
        let port = RunPort::new(OperationId(1), lane);
        let run = countersigned(&format!("{}/", server.uri()), &[], false);
        tool.run(run, port, CancellationToken::new()).await;
        drain.await.unwrap();
    }
    for request in server.received_requests().await.unwrap() {
        let mut names: Vec<&str> = request.headers.keys().map(reqwest::header::HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["accept", "accept-encoding", "host", "user-agent"]);
    }
}

#[tokio::test]
async fn a_redirect_is_followed_at_the_same_server() {
    let other = server(&[("/end", ResponseTemplate::new(200))]).await;
    let to = |url: &str| ResponseTemplate::new(302).append_header("location", url);
    let first = server(&[
        ("/start", to("/next")),
        ("/next", to("end?x=1")),
        ("/end", ResponseTemplate::new(200).set_body_string("arrived")),
        ("/away", to(&format!("{}/end", other.uri()))),
        ("/loop", to("/loop")),
        ("/file", to("file:///etc/passwd")),
    ])
    .await;
    let get = async |path: &str| run(&format!("{}{path}", first.uri()), &[], false).await.result;
    let told = get("/start").await;
    assert!(told.ends_with("arrived") && told.contains("302 Found redirects to"), "{told}");
    assert!(get("/loop").await.contains("5 redirects were followed, no more"));
    assert!(get("/file").await.contains("leads to file, which is not http or https"));
    // Nobody agreed to another server on a private address, and to send the same again would lead there again.
    let away = format!("{}/away", first.uri());
    let (lane, mut events) = mpsc::channel(64);
    let tool = HttpTool::new(Arc::new(Workbench::new("/".into(), None, "/".into())));
    let asked = countersigned(&away, &[], false);
    let report = tool.run(asked, RunPort::new(OperationId(1), lane), CancellationToken::new()).await;
    assert!(report.result.contains("not a public address; nothing was sent"), "{}", report.result);
    assert!(report.result.contains("Request it by itself"), "{}", report.result);
    while let Some((_, event)) = events.recv().await {
        assert!(!matches!(event, RunEvent::Stopped));
    }
    assert!(other.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_cannot_be_sent_or_reached_is_one_sentence() {
    for (url, expected) in [
        ("ftp://example.org/", "the URL can't be read: ftp is not http or https"),
        ("nonsense", "the URL can't be read"),
        ("http://127.0.0.1:1/?token=secret", "127.0.0.1 can't be reached"),
    ] {
        let Outcome::Failed { reason } = run(url, &[], false).await.outcome else { panic!("{url}") };
        assert!(reason.starts_with(expected) && !reason.contains("secret"), "{reason}");
    }
    let Outcome::Failed { reason } = run("http://127.0.0.1:1/", &[("a b", "c")], false).await.outcome else { panic!() };
    assert_eq!(reason, "the header `a b` can't be sent");
}

#[tokio::test]
async fn a_long_body_and_a_slow_server_are_bounded() {
    let long = ResponseTemplate::new(200).set_body_string("0123456789abcde\n".repeat(400_000));
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(59));
    let server = server(&[("/long", long), ("/slow", slow)]).await;
    let report = run(&format!("{}/long", server.uri()), &[], false).await;
    assert!(report.result.contains("only the first 5242880 bytes") && report.result.len() < 12_000);
    let report = run(&format!("{}/slow", server.uri()), &[], false).await;
    assert_eq!(report.outcome, Outcome::TimedOut { seconds: 5 });
}
