//! `countersign run` with the real binary: what it answers, refuses and tells, its exit codes, and how it ends.

#![allow(clippy::unwrap_used, clippy::panic)]

mod keyring;
#[path = "../common/left_out.rs"]
mod left_out;
mod model;
mod schema;
mod servers;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use model::{Model, Reply, command};
use serde_json::{Value, json};

/// How long anything may take; generous, since other tests run beside it.
const PATIENCE: Duration = Duration::from_mins(1);

/// A home folder with a workspace in it.
struct World {
    home: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("workspace")).unwrap();
        Self { home }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join("workspace").join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
        command
            .arg("run")
            .args(words)
            .env_clear()
            .env("HOME", self.home.path())
            .env("COUNTERSIGN_DATA", self.home.path().join("data"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TERM", "dumb")
            .current_dir(self.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &[&str]) -> Ended {
        Ended::of(self.command(words).output().unwrap())
    }

    /// Asks a scripted model.
    fn ask(&self, model: &Model, words: &[&str]) -> Ended {
        self.run(&[&["--base-url", &model.url, "--model", "scripted"], words].concat())
    }

    /// Who decided what, from the journal: event and body of each entry.
    fn journal(&self) -> Vec<Value> {
        use sqlx::{Connection as _, SqliteConnection};
        let path = self.home.path().join("data/journal.sqlite");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let bodies: Vec<(String,)> = runtime.block_on(async {
            let url = format!("sqlite:{}?mode=ro", path.display());
            let mut connection = SqliteConnection::connect(&url).await.unwrap();
            sqlx::query_as("SELECT body FROM bodies ORDER BY number").fetch_all(&mut connection).await.unwrap()
        });
        bodies.iter().map(|(body,)| serde_json::from_str(body).unwrap()).collect()
    }
}

/// A run that is over.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    out: String,
    error: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), error: text(output.stderr) }
    }

    /// Its events, each of which the schema knows.
    fn events(&self) -> Vec<Value> {
        events(&self.out)
    }
}

fn events(out: &str) -> Vec<Value> {
    let schema = published();
    let read = |line: &str| {
        assert_eq!(schema::objection(&schema, line), None, "{line}");
        serde_json::from_str::<Value>(line).unwrap()
    };
    out.lines().map(read).collect()
}

fn published() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/run-events.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

#[test]
fn the_answer_alone_is_on_standard_output() {
    let world = World::new();
    world.file("notes.txt", "buy milk\n");
    let model = Model::start(vec![
        Reply::Calls("Let me look.", vec![("execute_command", json!({ "command": "cat notes.txt" }))]),
        Reply::Text("You wanted \x1b[31mmilk.\n\nThat is all."),
    ]);
    let ended = world.ask(&model, &["what did I want to buy?"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.out, "You wanted ␛[31mmilk.\n\nThat is all.\n");
    assert_eq!(ended.error, "", "nobody watches");
    assert!(model.asked(0).contains("what did I want to buy?") && model.asked(0).contains("Nobody is there"));
    assert!(model.asked(1).contains("buy milk"));
}

#[test]
fn what_needs_a_confirmation_is_refused_and_the_model_is_told_why() {
    let world = World::new();
    let notes = world.file("notes.txt", "buy milk\n");
    let model = Model::start(vec![command("rm notes.txt"), Reply::Text("I couldn't delete it.")]);
    let ended = world.ask(&model, &["delete my notes"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(3), "I couldn't delete it.\n"), "{ended:?}");
    assert!(notes.exists());
    let why = "Nobody is there to confirm it (step 9).";
    assert!(ended.error.contains("#1 refused: command rm notes.txt") && ended.error.contains(why), "{ended:?}");
    assert!(ended.error.contains("-y runs"), "{ended:?}");
    let told = model.asked(1);
    assert!(told.contains("cancelled: It is not run:") && told.contains(why), "{told}");
    let journal = world.journal();
    let decided: Vec<&Value> = journal.iter().filter(|entry| entry["event"] == "decided").collect();
    assert_eq!(decided.len(), 1, "{journal:?}");
    assert_eq!((&decided[0]["decider"], &decided[0]["allowed"]), (&json!("policy"), &json!(false)));
    assert!(!journal.iter().any(|entry| entry["event"] == "started"));
}

#[test]
fn allow_all_runs_it_but_no_catastrophe_and_nothing_that_a_deny_rule_names() {
    let world = World::new();
    let notes = world.file("notes.txt", "buy milk\n");
    let model = Model::start(vec![command("rm notes.txt"), Reply::Text("It is gone.")]);
    let ended = world.ask(&model, &["-y", "delete my notes"]);
    assert_eq!((ended.code, ended.out.as_str(), ended.error.as_str()), (Some(0), "It is gone.\n", ""));
    assert!(!notes.exists());

    let kept = world.file("kept.txt", "buy bread\n");
    let home = world.home.path().display().to_string();
    let config = world.home.path().join("config.toml");
    let rule = "[[rules]]\neffect = 'deny'\ntool = 'execute_command'\nmatch = { program = 'rm' }\n";
    for (text, rules) in [(format!("rm -rf {home}"), ""), ("rm kept.txt".to_owned(), rule)] {
        std::fs::write(&config, rules).unwrap();
        let model = Model::start(vec![command(&text), Reply::Text("No.")]);
        let ended = world.ask(&model, &["-y", "--config", config.to_str().unwrap(), "delete everything"]);
        assert_eq!(ended.code, Some(3), "{text}: {ended:?}");
        assert!(ended.error.contains("#1 refused") && !ended.error.contains("-y runs"), "{text}: {ended:?}");
        assert!(kept.exists());
    }
    std::fs::create_dir(world.path(".countersign")).unwrap();
    world.file(".countersign/config.toml", "mode = 'strict'\n");
    let model = Model::start(vec![command("rm kept.txt"), Reply::Text("No.")]);
    let ended = world.ask(&model, &["-y", "delete it"]);
    assert!(ended.error.contains("didn't get it: mode strict asks for everything"), "{ended:?}");
}

#[test]
fn events_are_those_of_the_schema() {
    let world = World::new();
    world.file("notes.txt", "buy milk\n");
    let calls = vec![
        ("execute_command", json!({ "command": "cat notes.txt", "risk_level": "low" })),
        ("execute_command", json!({ "command": "rm notes.txt", "risk_level": "high" })),
        ("fly", json!({ "to": "the moon" })),
    ];
    let model = Model::start(vec![Reply::Calls("I look.", calls), Reply::Text("Milk.\nNothing is deleted.")]);
    let ended = world.ask(&model, &["--json", "what did I want to buy?"]);
    assert_eq!((ended.code, ended.error.as_str()), (Some(3), ""), "{ended:?}");
    let events = ended.events();
    assert_eq!(events[0]["type"], "started");
    assert_eq!(events[0]["mode"], "guarded");
    let texts: Vec<_> = of(&events, "text").iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["I look.", "Milk.\n", "Nothing is deleted."]);
    assert_eq!(of(&events, "call").len(), 3);
    let mut decided = of(&events, "decided");
    decided.sort_by_key(|event| event["id"].as_u64());
    assert_eq!((&decided[0]["verdict"], &decided[0]["step"]), (&json!("allow"), &json!("whitelisted")));
    assert_eq!((&decided[1]["verdict"], &decided[1]["step"]), (&json!("deny"), &json!("claimed-risk")));
    assert_eq!(decided[1]["findings"][0]["rule"].as_str().map(|rule| rule.starts_with("command.")), Some(true));
    assert_eq!(of(&events, "output")[0]["text"], "exit 0\nbuy milk\n");
    assert_eq!(of(&events, "finished").len(), 1);
    let causes: Vec<_> = of(&events, "refused").iter().map(|event| event["cause"].as_str().unwrap()).collect();
    assert!(causes.contains(&"needs-confirmation") && causes.contains(&"malformed") && causes.len() == 2, "{causes:?}");
    assert_eq!(of(&events, "usage").len(), 2);
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["status"], &last["exit"]), (&json!("ended"), &json!("refused"), &json!(3)));
    assert_eq!(last["answer"], "Milk.\nNothing is deleted.");
    assert_eq!((&last["ran"], &last["refused"]), (&json!(1), &json!(1)));

    let schema = published();
    for wrong in [
        r#"{"v":2,"type":"usage","message":1,"input":1,"output":1}"#,
        r#"{"v":1,"type":"usage","message":1,"input":1}"#,
        r#"{"v":1,"type":"usage","message":1,"input":1,"output":"1"}"#,
        r#"{"v":1,"type":"usage","message":0,"input":1,"output":1}"#,
        r#"{"v":1,"type":"usage","message":1,"input":1,"output":1,"more":1}"#,
        r#"{"v":1,"type":"flown"}"#,
    ] {
        assert!(schema::objection(&schema, wrong).is_some(), "{wrong}");
    }
    let printed = world.run(&["--schema"]);
    assert_eq!(serde_json::from_str::<Value>(&printed.out).unwrap(), schema);
}

#[cfg(target_os = "linux")]
#[test]
fn who_ignores_the_end_of_children_starts_a_program_that_hears_of_it() {
    let world = World::new();
    let calls = ["true", "touch made"].map(|command| ("execute_command", json!({ "command": command })));
    let model = Model::start(vec![Reply::Calls("", calls.to_vec()), Reply::Text("Done.")]);
    let ours = world.command(&["-y", "--base-url", &model.url, "--model", "scripted", "go"]);
    let mut command = Command::new("timeout");
    command.args(["60", "env", "--ignore-signal=CHLD"]).arg(ours.get_program()).args(ours.get_args()).env_clear();
    command.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(world.path(""));
    let ended = Ended::of(command.stdin(Stdio::null()).output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(world.path("made").exists());
}

#[test]
fn bad_usage_is_said_before_anything_is_asked() {
    let world = World::new();
    let broken = world.file("broken.toml", "mode = 'guarded'\nlimit = 1\n");
    let broken = broken.to_str().unwrap();
    for (words, said) in [
        (&["look"][..], "no model is configured"),
        (&["--model", "practice", ""], "empty"),
        (&["--model", "practice"], "empty"),
        (&["--model", "practice", "-y", "--mode", "smart", "look"], "cannot be used with"),
        (&["--model", "practice", "--max-calls", "0", "look"], "--max-calls"),
        (&["--model", "practice", "--config", broken, "look"], "broken.toml:2:1"),
        (&["--model", "practice", "--db", "oracle://ann:hunter2@x/y", "look"], "neither a connection"),
        (&["--model", "practice", "--db", "gone.sqlite", "look"], "gone.sqlite is not there. Check its path."),
        (&["--base-url", "http://127.0.0.1:1/v1", "--workspace", "/nonexistent", "look"], "can't be opened"),
    ] {
        let ended = world.run(words);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{words:?}: {ended:?}");
        assert!(ended.error.contains(said) && !ended.error.contains("hunter2"), "{words:?}: {ended:?}");
    }
    assert!(!world.home.path().join("data/journal.sqlite").exists());
}

#[test]
fn a_model_that_fails_is_told_by_the_exit_code() {
    let world = World::new();
    for (reply, said) in [
        (Reply::Status(500), ""),
        (Reply::Status(401), "key"),
        (Reply::Cut("Half an "), "broke off"),
        (Reply::Text("  "), "answered nothing"),
    ] {
        let model = Model::start(vec![reply]);
        let ended = world.ask(&model, &["hello"]);
        assert_eq!((ended.code, ended.out.as_str()), (Some(4), ""), "{ended:?}");
        assert!(ended.error.contains(said) && ended.error.starts_with("countersign: "), "{said}: {ended:?}");
    }
    let model = Model::start(vec![Reply::Long("It goes on and")]);
    let ended = world.ask(&model, &["hello"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(4), "It goes on and\n"), "{ended:?}");
    assert!(ended.error.contains("length limit"), "{ended:?}");
    let model = Model::start(vec![Reply::Status(500)]);
    let ended = world.ask(&model, &["--json", "hello"]);
    let events = ended.events();
    assert_eq!(events.last().unwrap()["status"], "model-failed");
    assert!(of(&events, "notice").iter().any(|event| event["trouble"] == true), "{events:?}");
}

#[test]
fn a_limit_ends_the_run_and_says_so() {
    let world = World::new();
    let model = Model::start(vec![command("ls")]);
    let ended = world.ask(&model, &["--max-calls", "2", "go on for ever"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(6), ""), "{ended:?}");
    assert!(ended.error.contains("Limit of 2 calls") && ended.error.contains("--max-calls"), "{ended:?}");
    let ended = world.ask(&model, &["--json", "--max-tokens", "1000", "go on for ever"]);
    let events = ended.events();
    assert_eq!((ended.code, &events.last().unwrap()["status"]), (Some(6), &json!("limit")), "{ended:?}");
    assert_eq!(events.last().unwrap()["input"], 700);
}

#[test]
fn without_the_journal_nothing_is_even_asked() {
    let world = World::new();
    std::fs::create_dir(world.home.path().join("data")).unwrap();
    std::fs::write(world.home.path().join("data/journal.sqlite"), "not a journal, but long enough to be one").unwrap();
    let model = Model::start(vec![command("ls"), Reply::Text("Done.")]);
    let ended = world.ask(&model, &["look"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(5), ""), "{ended:?}");
    assert!(ended.error.contains("journal"), "{ended:?}");
}

#[test]
fn the_prompt_comes_from_standard_input_and_what_is_piped_in_is_attached() {
    let world = World::new();
    let fed = |words: &[&str], input: &str| {
        let model = Model::start(vec![Reply::Text("Yes.")]);
        let all = [&["--base-url", &model.url, "--model", "scripted"], words].concat();
        let mut child = world.command(&all).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let ended = Ended::of(child.wait_with_output().unwrap());
        assert_eq!((ended.code, ended.out.as_str()), (Some(0), "Yes.\n"), "{ended:?}");
        model.asked(0)
    };
    assert!(fed(&[], "is it so?").ends_with("is it so?\n"));
    assert!(fed(&["-"], "is it so?").ends_with("is it so?\n"));
    let both = fed(&["is this so?"], "a log\nof two lines\n");
    assert!(both.contains("is this so?\n\nWhat follows was read from standard input. It is material"), "{both}");
    assert!(both.ends_with("a log\nof two lines\n\n"), "{both:?}");
}

#[test]
fn the_practice_model_works_when_it_is_named() {
    let world = World::new();
    for words in [&["--model", "practice", "show the tables"], &["--provider", "practice", "show the tables"]] {
        let ended = world.run(words);
        assert_eq!((ended.code, ended.error.as_str()), (Some(0), ""), "{ended:?}");
        assert!(ended.out.contains("order_items"), "{ended:?}");
    }
    let ended = world.run(&["--model", "practice", "delete the cancelled orders"]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(ended.error.contains("DELETE FROM orders"), "{ended:?}");
}

#[test]
fn secrets_are_masked_in_events() {
    let world = World::new();
    world.file("notes.txt", "the word is tangerine-51-sky\npassword = \"swordfish-99\"\n");
    let model =
        Model::start(vec![command("cat notes.txt; echo tangerine-51-sky"), Reply::Text("It is tangerine-51-sky.")]);
    let words = ["--base-url", &model.url, "--model", "scripted", "--json", "what is the word?"];
    let ended = Ended::of(world.command(&words).env("SHOP_TOKEN", "tangerine-51-sky").output().unwrap());
    let events = ended.events();
    assert!(of(&events, "output")[0]["text"].as_str().unwrap().contains("the word is ⟦masked: 16"), "{events:?}");
    assert!(!ended.out.contains("tangerine") && !ended.out.contains("swordfish"), "{}", ended.out);
}

#[test]
fn long_output_is_capped() {
    let world = World::new();
    world.file("long.txt", &"0123456789abcde\n".repeat(40_000));
    let model = Model::start(vec![command("cat long.txt"), Reply::Text("Long.")]);
    let ended = world.ask(&model, &["--json", "look"]);
    assert_eq!(ended.code, Some(0), "{}", ended.error);
    let events = ended.events();
    let text = of(&events, "output")[0]["text"].as_str().unwrap();
    assert!(text.len() < 70_000 && text.contains("left out"), "{} bytes", text.len());
}

/// Processes whose command line holds a text.
fn processes(text: &str) -> usize {
    let listed = Command::new("ps").args(["-eo", "args"]).output().unwrap();
    String::from_utf8_lossy(&listed.stdout)
        .lines()
        .filter(|line| line.contains(text) && !line.contains("ps -eo"))
        .count()
}

fn wait_until(what: &str, so: impl Fn() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(child: &Child, signal: nix::sys::signal::Signal) {
    let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(id, signal).unwrap();
}

#[test]
fn a_signal_ends_the_children_and_that_is_recorded() {
    use nix::sys::signal::Signal;
    for (number, code, seconds) in [(Signal::SIGINT, 130, "86101"), (Signal::SIGTERM, 143, "86102")] {
        let world = World::new();
        let sleep = format!("sleep {seconds}");
        let model = Model::start(vec![command(&sleep), Reply::Text("Done.")]);
        let words = ["--base-url", &model.url, "--model", "scripted", "-y", "--json", "wait"];
        let child = world.command(&words).spawn().unwrap();
        wait_until("it doesn't start", || processes(&sleep) > 0);
        signal(&child, number);
        let ended = Ended::of(child.wait_with_output().unwrap());
        assert_eq!(ended.code, Some(code), "{ended:?}");
        wait_until("it sleeps on", || processes(&sleep) == 0);
        let events = ended.events();
        assert_eq!(of(&events, "finished")[0]["outcome"], "cancelled", "{events:?}");
        assert_eq!(events.last().unwrap()["status"], "interrupted");
        let journal = world.journal();
        let finished = journal.iter().find(|entry| entry["event"] == "finished").unwrap();
        assert_eq!(finished["outcome"], "Cancelled");
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let world = World::new();
    let sleep = "sleep 86103";
    let calls =
        vec![("execute_command", json!({ "command": "echo one" })), ("execute_command", json!({ "command": sleep }))];
    let model = Model::start(vec![Reply::Calls("", calls), Reply::Text("Done.")]);
    let words = ["--base-url", &model.url, "--model", "scripted", "-y", "--json", "wait"];
    let mut child = world.command(&words).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(events(&line)[0]["type"], "started");
    drop(out);
    let mut error = String::new();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    assert_eq!((child.wait().unwrap().code(), error.as_str()), (Some(141), ""));
    assert_eq!(processes(sleep), 0);
}

#[test]
fn calls_of_one_message_are_on_record_in_their_order_however_long_each_takes_to_judge() {
    let world = World::new();
    let names: Vec<String> = (0..400).map(|number| format!("a{number}/b{number}/c{number}.txt")).collect();
    let long = format!("cat {}", names.join(" "));
    let call = |text: &str| ("execute_command", json!({ "command": text }));
    let calls = vec![call(&long), call("pwd"), call("pwd -P"), call("true")];
    let model = Model::start(vec![Reply::Calls("", calls), Reply::Text("Done.")]);
    world.ask(&model, &["look"]);
    let proposed: Vec<Value> = world.journal().into_iter().filter(|entry| entry["event"] == "proposed").collect();
    let order: Vec<&Value> = proposed.iter().map(|entry| &entry["prepared"]["operation"]["id"]).collect();
    assert_eq!(order, [1, 2, 3, 4]);
}

#[test]
fn in_a_terminal_each_operation_is_a_line_without_colour() {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    let world = World::new();
    let notes = world.file("notes.txt", "buy milk\n");
    let calls = vec![
        ("execute_command", json!({ "command": "cat notes.txt" })),
        ("execute_command", json!({ "command": "rm notes.txt" })),
    ];
    let model = Model::start(vec![Reply::Calls("I look.", calls), Reply::Text("You wanted milk.")]);
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 400, ..PtySize::default() }).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_countersign"));
    command.args(["run", "--base-url", &model.url, "--model", "scripted", "what did I want?"]);
    command.env_clear();
    command.env("HOME", world.home.path());
    command.env("COUNTERSIGN_DATA", world.home.path().join("data"));
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command.env("TERM", "dumb");
    command.cwd(world.path(""));
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut said = Vec::new();
    // A terminal whose last program is gone ends in an error.
    let _hung_up = reader.read_to_end(&mut said);
    let said = String::from_utf8(said).unwrap();
    assert_eq!(child.wait().unwrap().exit_code(), 3, "{said}");
    for line in
        ["I look.", "#1 ran: command cat notes.txt (", "#2 refused: command rm notes.txt – ", "You wanted milk."]
    {
        assert!(said.contains(line), "{line} is missing:\n{said}");
    }
    assert!(!said.contains('\x1b') && notes.exists(), "{said:?}");
}
