//! What a hook costs an agent: the time from the start of the process to its end, with its answer read and its entry in
//! the journal. `cargo bench --bench hook` prints it by sort of call; the number of starts may follow `--`. Under
//! `cargo test --benches` each starts once.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Starts of each sort, unless the command line says how many.
const STARTS: usize = 200;
/// What a call may take.
const LIMIT: Duration = Duration::from_millis(20);

fn main() {
    let measuring = std::env::args().any(|word| word == "--bench");
    let starts = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let starts = starts.unwrap_or(if measuring { STARTS } else { 1 });
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let work = home.join("work");
    std::fs::create_dir(&work).unwrap();
    let git = Command::new("git").args(["init", "-q"]).current_dir(&work).env("HOME", &home).status();
    assert!(git.unwrap().success());
    let sorts = [
        ("ls -la", "Bash", json!({ "command": "ls -la" })),
        ("git log | head", "Bash", json!({ "command": "git log --oneline -20 | head -5" })),
        ("a longer one", "Bash", json!({ "command": LONGER })),
        ("rm -rf build", "Bash", json!({ "command": "rm -rf build" })),
        ("read a file", "Read", json!({ "file_path": work.join("a") })),
        ("edit a file", "Edit", json!({ "file_path": work.join("a"), "old_string": "a", "new_string": "b" })),
        ("fetch a page", "WebFetch", json!({ "url": "https://example.org/a", "prompt": "x" })),
    ];
    let nothing: Vec<Duration> = (0..starts).map(|_| timed(Command::new("/bin/true"), "")).collect();
    println!("{:>16}: {}", "/bin/true", figures(nothing));
    for (name, tool, input) in sorts {
        let sent = json!({
            "session_id": "bench", "cwd": work, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        });
        let mut times = Vec::new();
        for round in 0..starts + 3 {
            let time = once(&home, &work, &sent);
            // The first ones make the journal and warm up.
            if round >= 3 {
                times.push(time);
            }
        }
        let over = times.iter().filter(|time| **time > LIMIT).count();
        println!("{name:>16}: {}; {over} of {starts} over {} ms", figures(times), LIMIT.as_millis());
    }
}

/// A command line of the sort that agents write.
const LONGER: &str = "cd src && for f in $(find . -name '*.rs' | head -20); do echo \"== $f\"; grep -n 'fn main' \"$f\" | \
                      sed -e 's/^/  /' | sort -u; done; git status --short 2>/dev/null || echo 'no repository' && \
                      awk -F: '{ print $1 }' Cargo.toml | uniq -c | tail -5";

fn once(home: &Path, work: &Path, sent: &Value) -> Duration {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.args(["hook", "claude-code"]).env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin").current_dir(work);
    timed(command, &sent.to_string())
}

/// From the start of a process to its end, its output read.
fn timed(mut command: Command, input: &str) -> Duration {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // A program that reads nothing may be gone already.
    let _early = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let took = started.elapsed();
    assert!(output.status.success() && (input.is_empty() || output.stdout.starts_with(b"{\"hook")), "{output:?}");
    took
}

fn figures(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    format!("median {:.1} ms, 95 % {:.1} ms, longest {:.1} ms", at(50), at(95), at(100))
}
