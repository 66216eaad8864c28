//! MCP servers: what good ones are used for, and what bad ones can't do. The servers are small scripts, and those that
//! their makers publish where they are installed.

#![allow(clippy::unwrap_used, clippy::panic)]

mod asking;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/left_out.rs"]
mod left_out;
mod listing;
mod published;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{bench, countersigned, facts, run};
use countersign::domain::{Arguments, Assessment, Facts, Outcome, RunEvent, RunReport};
use countersign::tools::mcp::{Places, Servers, Standing, Trust};
use countersign::tools::{Registry, Tool};
use left_out::left_out;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How long anything may take; generous, since other tests run beside it.
const PATIENCE: Duration = Duration::from_secs(40);

/// A python that can run the script; none is said once for each test.
fn python() -> Option<&'static str> {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|said| said.status.success());
    if !there {
        left_out("a test of MCP servers", "install python3");
    }
    there.then_some("python3")
}

/// The servers of a file in a folder of their own.
struct Desk {
    folder: tempfile::TempDir,
    servers: Arc<Servers>,
    registry: Registry,
    news: mpsc::Receiver<String>,
}

impl Desk {
    /// The servers that `servers` names, in a folder where they may leave notes.
    fn new(servers: impl FnOnce(&Path) -> Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        std::fs::write(&file, json!({ "mcpServers": servers(folder.path()) }).to_string()).unwrap();
        let workspace = folder.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        let (told, news) = mpsc::channel(16);
        let servers = Servers::new(
            Places { file, logs: folder.path().join("logs"), trust: Trust::none() },
            bench(&workspace),
            told,
        );
        let mut registry = Registry::default();
        registry.join(Arc::clone(&servers));
        Self { folder, servers, registry, news }
    }

    /// One server `s` that behaves so; none without a python.
    fn script(mode: &str, extra: &Value) -> Option<Self> {
        let python = python()?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/server.py");
        let entry = |folder: &Path| {
            let mut entry = json!({ "command": python, "args": [script, mode, folder.join("notes")] });
            entry.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            json!({ "s": entry })
        };
        Some(Self::new(entry))
    }

    fn notes(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("notes")).unwrap_or_default()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("logs/s.log")).unwrap_or_default()
    }

    async fn start(&self) -> Result<(), String> {
        self.servers.all()[0].start().await
    }

    fn tool(&self, name: &str) -> Arc<dyn Tool> {
        self.registry.get(name).unwrap_or_else(|| panic!("no {name} among {:?}", self.registry.names()))
    }

    /// A call that was allowed as the tool is described now.
    async fn call(&self, name: &str, arguments: Value, cancel: CancellationToken) -> (Vec<RunEvent>, RunReport) {
        let tool = self.tool(name);
        let parse = if tool.takes_claim() { Arguments::parse } else { Arguments::verbatim };
        let kind = tool.prepare(&parse(&arguments.to_string()).unwrap()).unwrap();
        let facts = Facts { declared: tool.declared().cloned(), ..facts(self.folder.path()) };
        let allowed = countersigned(kind, facts, Assessment::default());
        tokio::time::timeout(PATIENCE, run(tool.as_ref(), allowed, cancel)).await.unwrap()
    }

    async fn say(&self, name: &str, arguments: Value) -> RunReport {
        self.call(name, arguments, CancellationToken::new()).await.1
    }
}

fn text(events: &[RunEvent]) -> String {
    let tails = events.iter().filter_map(|event| match event {
        RunEvent::Tail(tail) => Some(tail.pieces.iter().map(|piece| piece.text.to_string()).collect::<String>()),
        _ => None,
    });
    tails.collect::<Vec<_>>().join("|")
}

fn reason(report: &RunReport) -> &str {
    match &report.outcome {
        Outcome::Failed { reason } => reason,
        other => panic!("{other:?}: {}", report.result),
    }
}

fn alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits until something holds.
async fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "not yet: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_started_used_and_ended() {
    let environment = json!({ "env": { "GIVEN": "hunter2hunter2" } });
    let Some(desk) = Desk::script("good", &environment) else { return };
    assert_eq!(desk.servers.all()[0].standing(), Standing::Idle);
    assert!(desk.notes().is_empty() && desk.registry.specs().is_empty(), "nothing is started before it is needed");
    desk.start().await.unwrap();
    let echo = desk.registry.specs().into_iter().find(|spec| spec.name == "mcp__s__echo").unwrap();
    assert_eq!(echo.parameters["properties"]["risk_level"]["enum"], json!(["low", "medium", "high"]));
    assert!(echo.description.ends_with("Says the text again."));
    let report = desk.say("mcp__s__echo", json!({ "text": "hello", "risk_level": "low" })).await;
    assert_eq!(
        (report.result.as_str(), report.outcome),
        ("hello", Outcome::Succeeded { summary: "1 line".to_owned() })
    );
    let failed = desk.say("mcp__s__fail", json!({})).await;
    assert_eq!(reason(&failed), "fail says that it failed: no such thing");
    assert!(failed.result.starts_with("error: "));
    // The tool's own argument of that name reaches it, and no claim is offered.
    let level = desk.registry.specs().into_iter().find(|spec| spec.name == "mcp__s__level").unwrap();
    assert_eq!(level.parameters["properties"], json!({ "risk_level": { "type": "integer" } }));
    assert_eq!(desk.say("mcp__s__level", json!({ "risk_level": 3 })).await.result, r#"{"risk_level": 3}"#);
    let names = desk.say("mcp__s__environment", json!({})).await.result;
    let names: Vec<&str> = names.split(' ').collect();
    assert!(names.contains(&"GIVEN") && names.contains(&"PATH"));
    assert!(
        names.iter().all(|name| !name.starts_with("CARGO_MANIFEST") && !name.starts_with("COUNTERSIGN")),
        "{names:?}"
    );
    desk.servers.close().await;
    assert!(desk.log().contains("hello from the server"));
    assert_eq!(desk.notes().lines().count(), 1, "started once");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_shown_and_a_cancellation_reaches_the_server() {
    let Some(desk) = Desk::script("good", &json!({})) else { return };
    desk.start().await.unwrap();
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stop.cancel();
    });
    let (events, report) = desk.call("mcp__s__slow", json!({}), cancel).await;
    assert_eq!(report.outcome, Outcome::Cancelled);
    assert!(text(&events).contains("progress 3 of 3: step 3"), "{}", text(&events));
    until("the server was told", || desk.notes().contains("cancelled stopped by the person")).await;
    // The server goes on.
    assert_eq!(desk.say("mcp__s__echo", json!({ "text": "after" })).await.result, "after");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_at_its_time_limit() {
    let Some(desk) = Desk::script("good", &json!({ "timeoutSeconds": 1 })) else { return };
    desk.start().await.unwrap();
    let report = desk.say("mcp__s__slow", json!({})).await;
    assert_eq!(report.outcome, Outcome::TimedOut { seconds: 1 });
    until("the server was told", || desk.notes().contains("cancelled time limit")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_reads_nothing_holds_neither_a_call_nor_its_own_end() {
    let Some(desk) = Desk::script("blocks", &json!({ "timeoutSeconds": 1 })) else { return };
    desk.start().await.unwrap();
    let long = json!({ "text": "x".repeat(400_000) });
    let began = Instant::now();
    assert_eq!(desk.say("mcp__s__echo", long).await.outcome, Outcome::TimedOut { seconds: 1 });
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let notes = desk.notes();
    let pid = notes.lines().last().unwrap();
    assert!(alive(pid), "{notes}");
    desk.servers.close().await;
    until("it ended", || !alive(pid)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_nobody_waits_for_leaves_no_server_behind() {
    let Some(desk) = Desk::script("mute", &json!({})) else { return };
    let starting = tokio::spawn({
        let server = Arc::clone(&desk.servers.all()[0]);
        async move { server.start().await }
    });
    until("it was asked for its tools", || desk.notes().lines().count() == 2).await;
    let notes = desk.notes();
    let pid = notes.lines().last().unwrap();
    assert!(alive(pid), "{notes}");
    starting.abort();
    until("it ended", || !alive(pid)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_tools_without_an_end_is_refused() {
    let Some(desk) = Desk::script("long", &json!({})) else { return };
    assert_eq!(desk.start().await.unwrap_err(), "its list of tools is too long");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_does_not_repeat_what_was_put_into_the_arguments() {
    let Some(python) = python() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/server.py");
    let secret = "--token=${COUNTERSIGN_NOT_SET:-hunter2hunter2}";
    let desk =
        Desk::new(|_| json!({ "s": { "command": python, "args": [script, "good", "/dev/null", secret, "plain"] } }));
    desk.start().await.unwrap();
    until("it was logged", || desk.log().contains("it was given [secret] plain")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_changed_since_it_was_allowed_is_not_called() {
    let Some(desk) = Desk::script("good", &json!({})) else { return };
    desk.start().await.unwrap();
    let (tool, before) = (desk.tool("mcp__s__change"), desk.tool("mcp__s__change").declared().cloned());
    assert!(matches!(desk.say("mcp__s__change", json!({})).await.outcome, Outcome::Succeeded { .. }));
    until("the new list", || desk.tool("mcp__s__change").declared() != before.as_ref()).await;
    assert!(desk.tool("mcp__s__change").declared().unwrap().description.contains("Deletes everything"));
    let kind = tool.prepare(&Arguments::parse("{}").unwrap()).unwrap();
    let facts = Facts { declared: before, ..facts(desk.folder.path()) };
    let allowed = countersigned(kind, facts, Assessment::default());
    let (_, report) = run(tool.as_ref(), allowed, CancellationToken::new()).await;
    assert!(reason(&report).contains("changed since it was approved"), "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_dies_floods_never_ends_a_line_or_breaks_its_frames_harms_its_own_call_alone() {
    for (mode, why) in [
        ("dies", "it said last: out of cheese"),
        ("flood", "more than 5000 messages in 10 seconds"),
        ("line", "a message of more than 8 MB"),
    ] {
        let Some(mut desk) = Desk::script(mode, &json!({})) else { return };
        desk.start().await.unwrap();
        let report = desk.say("mcp__s__echo", json!({ "text": "x" })).await;
        assert!(reason(&report).contains(why), "{mode}: {}", reason(&report));
        let news = desk.news.recv().await.unwrap();
        assert!(news.contains("MCP server s doesn't run") && news.contains("logs/s.log"), "{news}");
        // It is started again, three times in all.
        for _ in 0..2 {
            let report = desk.say("mcp__s__echo", json!({})).await;
            assert!(reason(&report).contains(why), "{mode}: {}", reason(&report));
        }
        let report = desk.say("mcp__s__echo", json!({})).await;
        assert!(reason(&report).contains("started 3 times in 5 minutes"), "{mode}: {}", reason(&report));
    }
    for mode in ["broken", "liar"] {
        let Some(desk) = Desk::script(mode, &json!({})) else { return };
        desk.start().await.unwrap();
        for said in ["one", "two"] {
            assert_eq!(desk.say("mcp__s__echo", json!({ "text": said })).await.result, said, "{mode}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_name_of_a_server_takes_the_place_of_ours_and_what_it_hides_is_left_out() {
    let Some(desk) = Desk::script("liar", &json!({})) else { return };
    desk.start().await.unwrap();
    assert!(desk.registry.names().iter().all(|name| name.starts_with("mcp__s__")), "{:?}", desk.registry.names());
    assert_eq!(desk.servers.all()[0].left_out(), ["echo: there is another tool of that name"]);
    let hidden = desk.registry.specs().into_iter().find(|spec| spec.name.contains("hid")).unwrap();
    assert!(hidden.description.ends_with("xy") && hidden.name.is_ascii(), "{hidden:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_asks_of_us_is_refused_but_for_the_roots_that_the_person_allows() {
    for (more, knows) in [(json!({}), false), (json!({ "roots": true }), true)] {
        let Some(desk) = Desk::script("asks", &more) else { return };
        desk.start().await.unwrap();
        let said = desk.say("mcp__s__echo", json!({})).await.result;
        let answers: Value = serde_json::from_str(&said).unwrap();
        assert!(answers["sampling"]["error"]["code"] == -32601, "{answers}");
        assert_eq!(answers["elicitation"]["result"]["action"], "decline", "{answers}");
        assert_eq!(answers["roots"].to_string().contains("workspace"), knows, "{answers}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_hangs_or_is_not_there_delays_nobody_else() {
    let Some(python) = python() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/server.py");
    let entry = |mode: &str| json!({ "command": python, "args": [script, mode] });
    let desk = Desk::new(|_| json!({ "good": entry("good"), "hangs": entry("hangs"), "none": { "command": "/none" } }));
    let began = Instant::now();
    let _late = tokio::time::timeout(Duration::from_secs(5), desk.servers.wake()).await;
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(desk.registry.get("mcp__good__echo").is_some());
    assert_eq!(desk.servers.get("hangs").unwrap().standing(), Standing::Starting);
    let Standing::Failed(why) = desk.servers.get("none").unwrap().standing() else { panic!() };
    assert!(why.contains("/none couldn't be run"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_does_not_want_to_end_is_ended_with_all_it_started() {
    let Some(desk) = Desk::script("deaf", &json!({})) else { return };
    desk.start().await.unwrap();
    let notes = desk.notes();
    let pids: Vec<&str> = notes.lines().next().unwrap().split(' ').collect();
    assert!(pids.iter().all(|pid| alive(pid)), "{pids:?}");
    desk.servers.close().await;
    until("all of it ended", || pids.iter().all(|pid| !alive(pid))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_workspace_brings_is_not_started() {
    let desk = Desk::new(|_| json!({}));
    let brought = json!({ "mcpServers": { "theirs": { "command": "touch", "args": ["started"] } } });
    std::fs::write(desk.folder.path().join("workspace/.mcp.json"), brought.to_string()).unwrap();
    desk.servers.wake().await.unwrap();
    let theirs = desk.servers.get("theirs").unwrap();
    assert_eq!(theirs.standing(), Standing::Untrusted);
    assert!(theirs.start().await.unwrap_err().contains("don't trust"));
    assert!(!desk.folder.path().join("workspace/started").exists());
}

/// The program with files of its own in `home`.
fn program(home: &Path, workspace: &Path, arguments: &[&str]) -> (bool, String) {
    let said = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .env("COUNTERSIGN_CONFIG", home.join("own/config.toml"))
        .env("COUNTERSIGN_DATA", home.join("data"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(workspace)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    (said.status.success(), String::from_utf8(said.stdout).unwrap())
}

#[test]
fn servers_are_taken_over_one_by_one_and_no_value_is_shown() {
    let Some(python) = python() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/server.py");
    let folder = tempfile::tempdir().unwrap();
    let (home, workspace) = (folder.path().join("home"), folder.path().join("workspace"));
    for made in [home.join(".cursor"), home.join("own"), workspace.clone()] {
        std::fs::create_dir_all(made).unwrap();
    }
    std::fs::write(home.join("own/config.toml"), "").unwrap();
    let entry = json!({ "command": python, "args": [script], "env": { "API_TOKEN": "hunter2hunter2" } });
    std::fs::write(home.join(".cursor/mcp.json"), json!({ "mcpServers": { "one": entry, "two": entry } }).to_string())
        .unwrap();
    std::fs::write(workspace.join(".mcp.json"), json!({ "mcpServers": { "theirs": entry } }).to_string()).unwrap();
    let run = |arguments: &[&str]| program(&home, &workspace, arguments);
    let (_, listed) = run(&["mcp", "list"]);
    assert!(listed.contains("theirs") && listed.contains("not started"), "{listed}");
    // Trusted as it stands, and no longer once it changed.
    let (_, shown) = run(&["trust"]);
    let digest = shown.trim().rsplit(' ').next().unwrap();
    assert!(shown.contains("none of its servers is started") && run(&["trust", digest]).0, "{shown}");
    let (worked, tried) = run(&["mcp", "test", "theirs"]);
    assert!(worked && tried.contains("✓ small 1 answered"), "{tried}");
    let other = json!({ "mcpServers": { "theirs": { "command": "touch", "args": ["started"] } } });
    std::fs::write(workspace.join(".mcp.json"), other.to_string()).unwrap();
    let (worked, tried) = run(&["mcp", "test", "theirs"]);
    assert!(!worked && tried.contains("don't trust its file"), "{tried}");
    assert!(!workspace.join("started").exists());
    std::fs::write(workspace.join(".mcp.json"), json!({ "mcpServers": { "theirs": entry } }).to_string()).unwrap();
    assert!(run(&["trust", "--revoke"]).0 && !run(&["mcp", "test", "theirs"]).0);
    let (_, shown) = run(&["mcp", "import"]);
    assert!(shown.contains("one from") && shown.contains("environment API_TOKEN"), "{shown}");
    assert!(!shown.contains("hunter2") && shown.contains("Nothing was imported"), "{shown}");
    assert!(!home.join("own/mcp.json").exists());
    let (_, taken) = run(&["mcp", "import", "--yes", "one", "--yes", "theirs"]);
    assert!(taken.contains("Imported 2"), "{taken}");
    let (worked, tried) = run(&["mcp", "test", "theirs"]);
    assert!(worked && tried.contains("✓ small 1 answered"), "{tried}");
    let (_, tools) = run(&["mcp", "tools", "one"]);
    assert!(tools.contains("mcp__one__wipe, says that it may destroy") && tools.contains("schema "), "{tools}");
    let (worked, removed) = run(&["mcp", "remove", "one"]);
    assert!(worked && removed.contains("is removed"), "{removed}");
    let (_, listed) = run(&["mcp", "list"]);
    assert!(!listed.contains("one:") && listed.contains("theirs:") && !listed.contains("not started"), "{listed}");
}

#[test]
fn nothing_of_a_server_outlives_the_program_not_even_after_kill_9() {
    let Some(python) = python() else { return };
    if !cfg!(target_os = "linux") {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/server.py");
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    std::fs::create_dir(folder.path().join("own")).unwrap();
    std::fs::write(folder.path().join("own/config.toml"), "").unwrap();
    // The second one never answers, so that the program waits.
    let servers = json!({ "mcpServers": {
        "deaf": { "command": python, "args": [script, "deaf", notes] },
        "hangs": { "command": python, "args": [script, "hangs"] }
    } });
    std::fs::write(folder.path().join("own/mcp.json"), servers.to_string()).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["mcp", "tools"])
        .env("HOME", folder.path())
        .env("COUNTERSIGN_CONFIG", folder.path().join("own/config.toml"))
        .env("COUNTERSIGN_DATA", folder.path().join("data"))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let told = || std::fs::read_to_string(&notes).unwrap_or_default();
    while !told().contains("started") {
        assert!(began.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let told = told();
    let pids: Vec<&str> = told.lines().next().unwrap().split(' ').collect();
    while pids.iter().any(|pid| alive(pid)) {
        assert!(began.elapsed() < PATIENCE, "still there: {pids:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_wants_a_sign_in_or_speaks_the_old_transport_says_what_to_do() {
    for (status, more, why) in [
        ("401 Unauthorized", "WWW-Authenticate: Bearer\r\n", "get a token where the server gives them"),
        ("403 Forbidden", "", "get a token where the server gives them"),
        ("404 Not Found", "", "An address that ends in /sse belongs to the old transport"),
        ("405 Method Not Allowed", "", "An address that ends in /sse belongs to the old transport"),
    ] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _read = std::io::Read::read(&mut stream, &mut vec![0; 65536]);
                let answer = format!("HTTP/1.1 {status}\r\n{more}Content-Length: 0\r\nConnection: close\r\n\r\n");
                let _gone = std::io::Write::write_all(&mut stream, answer.as_bytes());
            }
        });
        let desk = Desk::new(|_| json!({ "s": { "url": url } }));
        let said = desk.start().await.unwrap_err();
        assert!(said.contains(why), "{status}: {said}");
    }
}
