//! The first start in the real program, against a server on this machine that answers as Ollama does.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::driver::Driver;

/// What the folder's notes say: the server tells a request that holds it from one that doesn't.
const NOTES: &str = "Build it with quokka.";

/// A server of two models that answers everything with one word.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || drop(answer(stream)));
        }
    });
    port
}

fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (kind, text) = if first.starts_with("GET /v1/models ") {
        ("application/json", r#"{"data":[{"id":"tiny"},{"id":"large-coder"}]}"#.to_owned())
    } else {
        let notes =
            if String::from_utf8_lossy(&body).contains(NOTES) { "pong, by the notes" } else { "pong from the model" };
        let said =
            format!(r#"data: {{"choices":[{{"index":0,"delta":{{"content":"{notes}"}},"finish_reason":"stop"}}]}}"#);
        let counted = r#"data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#;
        ("text/event-stream", format!("{said}\n\n{counted}\n\ndata: [DONE]\n\n"))
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    )
}

#[test]
fn the_first_start_finds_a_server_tries_a_model_and_writes_it_down() {
    let host = format!("127.0.0.1:{}", server());
    let variables = [("OLLAMA_HOST", host.as_str())];
    let mut it = Driver::first_start(100, 30, &["--workspace", "."], &variables);
    it.wait_for("Who serves the model?");
    it.wait_for(&format!("answers at {host}, 2 models"));
    it.wait_until("what answers is chosen", |it| it.shows().lines().any(|line| line.contains("▸ Ollama")));
    it.keys("\r");
    it.wait_for("large-coder");
    it.keys("coder\r");
    it.wait_for("✓ large-coder");
    assert!(it.shows().contains("▸ guarded"), "{}", it.shows());
    it.keys("\r");
    it.wait_for("Written to");
    it.wait_for("large-coder (");
    let config = it.home().join(".config/countersign/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.contains("kind = \"ollama\"") && text.contains("model = \"large-coder\""), "{text}");
    assert_eq!(std::fs::metadata(&config).unwrap().permissions().mode() & 0o777, 0o600);
    it.say("ping");
    it.wait_for("pong from the model");
    it.wait_for("10 tokens");
    it.keys("\x11");
    it.wait_for_exit();

    let mut it = it.start_again(&["--workspace", "."], &variables);
    it.wait_for("large-coder");
    assert!(!it.shows().contains("Who serves the model?"), "{}", it.shows());
    it.keys("\x11");
    it.wait_for_exit();
}

#[test]
fn esc_starts_the_practice_model_and_it_is_not_asked_again() {
    let mut it = Driver::first_start(80, 24, &["--workspace", "."], &[("OPENAI_API_KEY", "")]);
    it.wait_for("Who serves the model?");
    it.keys("\x1b");
    it.wait_for("no settings were written.");
    assert!(!it.home().join(".config/countersign/config.toml").exists());
    it.say("show the tables");
    it.wait_for("orders");
    it.keys("\x11");
    it.wait_for_exit();
    let mut it = it.start_again(&["--workspace", "."], &[]);
    it.wait_for("practice model");
    assert!(!it.shows().contains("Who serves the model?"), "{}", it.shows());
    it.keys("\x11");
    it.wait_for_exit();
    let mut it = it.start_again(&["--workspace", ".", "setup"], &[]);
    it.wait_for("Who serves the model?");
    it.keys("\x1b");
    it.wait_for("Nothing was changed.");
    it.keys("\x11");
    it.wait_for_exit();
}

#[test]
fn by_lines_the_first_start_tells_which_servers_answer() {
    let host = format!("127.0.0.1:{}", server());
    let mut it = Driver::first_start(100, 40, &["--linear", "--workspace", "."], &[("OLLAMA_HOST", host.as_str())]);
    it.wait_for("type a number or skip");
    let shown = it.shows();
    assert!(shown.contains(&format!("1: Ollama – answers at {host}, 2 models")), "{shown}");
    assert_eq!(shown.matches("Who serves the model?").count(), 1, "{shown}");
    it.keys("skip\r");
    it.wait_for("no settings were written.");
    it.keys("/quit\r");
    it.wait_for_exit();
}

#[test]
fn the_notes_of_a_folder_are_read_once_the_person_said_to_work_there() {
    let url = format!("http://127.0.0.1:{}/v1", server());
    let program = Path::new(env!("CARGO_BIN_EXE_countersign"));
    let mut it = Driver::start_program(program, &["--base-url", &url, "--model", "tiny"], 80, 24, &[]);
    it.wait_for("New folder: work here?");
    // What is written only now wasn't read before.
    std::fs::write(it.workspace().join("AGENTS.md"), NOTES).unwrap();
    it.keys("y\r");
    it.wait_for("The model is given AGENTS.md");
    it.say("ping");
    it.wait_for("pong, by the notes");
    it.keys("\x11");
    it.wait_for_exit();
}
