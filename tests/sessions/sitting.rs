//! One sitting at the real program by plain lines: a thread reads what is told and decides what waits, the test says
//! messages, waits, or kills the program.

use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long anything may take; generous, since other tests run beside it.
const PATIENCE: Duration = Duration::from_mins(1);
/// Longer than what was told needs before a line may decide it.
const LOOKED: Duration = Duration::from_millis(500);

pub struct Sitting {
    pub child: Child,
    input: Arc<Mutex<Option<ChildStdin>>>,
    told: Arc<Mutex<String>>,
}

/// The program in a home of its own.
pub fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command
        .env_clear()
        .env("HOME", home)
        .env("COUNTERSIGN_DATA", home.join("data"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LANG", "C.UTF-8")
        .current_dir(home.join("workspace"));
    command
}

/// What `countersign sessions …` prints, and whether it succeeded.
pub fn sessions(home: &Path, words: &[&str]) -> (String, bool) {
    let output = program(home).arg("sessions").args(words).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (text, output.status.success())
}

impl Sitting {
    /// Starts it; `decide` says whether an operation that waits is approved, or nothing to leave it.
    pub fn start(home: &Path, words: &[&str], decide: impl Fn(&str) -> Option<bool> + Send + 'static) -> Self {
        let goes_on = words.iter().any(|word| ["--continue", "--resume"].contains(word));
        // Whoever names the folder isn't asked whether to work there.
        let folder: &[&str] = if goes_on { &[] } else { &["--workspace", "."] };
        let mut child = program(home)
            .arg("--linear")
            .args(folder)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = Arc::new(Mutex::new(child.stdin.take()));
        let told = Arc::new(Mutex::new(String::new()));
        let errors = child.stderr.take().unwrap();
        let mut it = Self { child, input, told };
        it.read(errors, |_| None);
        let out = it.child.stdout.take().unwrap();
        it.read(out, decide);
        it
    }

    fn read(
        &mut self,
        out: impl std::io::Read + Send + 'static,
        decide: impl Fn(&str) -> Option<bool> + Send + 'static,
    ) {
        let (told, input) = (Arc::clone(&self.told), Arc::clone(&self.input));
        // Lines to type, and when. One hand types them all: what comes between the two lines of a high one takes the
        // first back.
        let lines = Arc::new(Mutex::new(VecDeque::<(Instant, String)>::new()));
        let typed = Arc::clone(&lines);
        std::thread::spawn(move || {
            while input.lock().unwrap().is_some() {
                let due = typed.lock().unwrap().pop_front_if(|(at, _)| *at <= Instant::now());
                let Some((_, line)) = due else {
                    std::thread::sleep(Duration::from_millis(10));
                    continue;
                };
                if let Some(input) = &mut *input.lock().unwrap() {
                    let _killed_meanwhile = writeln!(input, "{line}");
                    // What comes at once with other lines decides nothing.
                    std::thread::sleep(Duration::from_millis(250));
                }
            }
        });
        std::thread::spawn(move || {
            let mut decided = BTreeSet::new();
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                *told.lock().unwrap() += &format!("{line}\n");
                let at = Instant::now() + LOOKED;
                if let Some((_, asked)) = line.split_once(" is high: type ") {
                    // A high one takes a second line, before any other.
                    let number = asked.trim_end_matches(" to approve it.").to_owned();
                    lines.lock().unwrap().push_front((at, number));
                } else if line.contains(" waits: ") && decided.insert(line.clone()) {
                    let Some(yes) = decide(&line) else { continue };
                    let number = line.split(' ').nth(1).unwrap();
                    let answer = format!("{} {number}", if yes { "approve" } else { "deny" });
                    lines.lock().unwrap().push_back((at, answer));
                } else if line.contains("Nothing was decided or sent") {
                    // Something was typed between the two lines: what still waits is decided anew.
                    decided.clear();
                }
            }
        });
    }

    pub fn told(&self) -> String {
        self.told.lock().unwrap().clone()
    }

    pub fn say(&mut self, line: &str) {
        if let Some(input) = &mut *self.input.lock().unwrap() {
            let _killed_meanwhile = writeln!(input, "{line}");
            std::thread::sleep(Duration::from_millis(250));
        }
    }

    pub fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |told| told.contains(text));
    }

    pub fn wait_until(&mut self, what: &str, so: impl Fn(&str) -> bool) {
        let began = Instant::now();
        while !so(&self.told()) {
            assert!(began.elapsed() < PATIENCE, "not told: {what}\n{}", self.told());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Has all of a high operation told, approves it, and waits for its end. What is typed sooner than a person could have
    /// read what was told doesn't count.
    pub fn look_and_approve(&mut self, number: u64) {
        std::thread::sleep(Duration::from_millis(600));
        self.say(&format!("show {number}"));
        self.wait_for(&format!("end of operation {number}"));
        std::thread::sleep(Duration::from_millis(600));
        self.say(&format!("approve {number}"));
        self.wait_for(&format!("type {number} to approve it"));
        std::thread::sleep(Duration::from_millis(600));
        self.say(&number.to_string());
        self.wait_for(&format!("operation {number} done"));
    }

    pub fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.told()
    }

    /// Ends the input and waits for the end of the program.
    pub fn end(mut self) -> (String, ExitStatus) {
        drop(self.input.lock().unwrap().take());
        let began = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < PATIENCE, "it doesn't leave\n{}", self.told());
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(100));
        let status = self.child.wait().unwrap();
        (self.told(), status)
    }
}
