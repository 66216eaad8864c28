//! The session by plain lines, with the real binary behind pipes: what is told, what a line decides, and what it
//! can't.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long anything may take; generous, since other tests run beside it.
const PATIENCE: Duration = Duration::from_mins(1);
/// Longer than what was told needs before a line may decide it.
const LOOKED: Duration = Duration::from_millis(600);

struct Session {
    child: Child,
    input: Option<ChildStdin>,
    told: Arc<Mutex<String>>,
    folder: tempfile::TempDir,
}

fn spawn(home: &Path, workspace: &Path, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["--linear", "--workspace", "."])
        .args(more)
        .env_clear()
        .env("HOME", home)
        .env("COUNTERSIGN_DATA", home.join("data"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LANG", "C.UTF-8")
        .current_dir(workspace)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

impl Session {
    fn start() -> Self {
        Self::with(&[])
    }

    fn with(more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        let mut child = spawn(folder.path(), &workspace, more);
        let told = Arc::new(Mutex::new(String::new()));
        let (out, kept) = (child.stdout.take().unwrap(), Arc::clone(&told));
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let mut told = kept.lock().unwrap();
                told.push_str(&line);
                told.push('\n');
            }
        });
        let input = child.stdin.take();
        let mut session = Self { child, input, told, folder };
        session.wait_for("type a message");
        session
    }

    fn told(&self) -> String {
        self.told.lock().unwrap().clone()
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn wait_for(&mut self, text: &str) {
        let began = Instant::now();
        while !self.told().contains(text) {
            assert!(began.elapsed() < PATIENCE, "not told: {text}\n{}", self.told());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the input and waits for the end of the program.
    fn end(mut self) -> String {
        drop(self.input.take());
        let began = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < PATIENCE, "it doesn't leave\n{}", self.told());
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(100));
        assert!(self.child.wait().unwrap().success());
        self.told()
    }

    fn cancelled_orders(&self) -> i64 {
        use sqlx::{Connection as _, SqliteConnection};
        let mut worlds = std::fs::read_dir(self.folder.path().join("data/practice")).unwrap();
        let path: PathBuf = worlds.next().unwrap().unwrap().path().join("shop.db");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut connection =
                SqliteConnection::connect(&format!("sqlite:{}?mode=ro", path.display())).await.unwrap();
            let sql = "SELECT count(*) FROM orders WHERE status = 'cancelled'";
            let (count,): (i64,) = sqlx::query_as(sql).fetch_one(&mut connection).await.unwrap();
            count
        })
    }
}

/// The number of the operation that waits, from its line.
fn waiting(told: &str, what: &str) -> String {
    let line = told.lines().find(|line| line.contains(" waits: ") && line.contains(what)).unwrap();
    line.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn a_database_that_cant_be_reached_is_told_at_once_and_nobody_is_asked() {
    let mut it = Session::with(&["--db", "postgres://ann:secret-word@127.0.0.1:1/shop"]);
    it.wait_for("shop@127.0.0.1 (postgres) can't be reached");
    for sql in ["SELECT 1", "DELETE FROM orders"] {
        it.say(&format!("/sql {sql}"));
    }
    it.wait_for("operation 2 refused: ");
    let told = it.end();
    assert!(told.contains("operation 1 refused: ") && !told.contains(" waits: "), "{told}");
    assert!(told.contains("Check that it runs, and the address") && !told.contains("secret-word"), "{told}");
}

#[test]
fn a_session_with_a_database_of_ones_own_goes_on_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    std::fs::write(workspace.join("shop.sqlite"), "").unwrap();
    let database = ["--db", "shop.sqlite"];
    for more in [&database[..], &[database[0], database[1], "--continue"]] {
        let mut child = spawn(folder.path(), &workspace, more);
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "/sql SELECT 40 + 2").unwrap();
        std::thread::sleep(Duration::from_secs(3));
        drop(input);
        let told = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        assert!(told.contains("Your own SQL goes to shop;") && told.contains("42"), "{told}");
        assert!(!told.contains("no connection"), "{told}");
    }
}

#[test]
fn the_main_job_by_lines() {
    let mut it = Session::start();
    it.say("delete the cancelled orders");
    it.wait_for("DELETE FROM orders");
    it.wait_for("approve ");
    let number = waiting(&it.told(), "DELETE FROM orders");
    std::thread::sleep(LOOKED);
    // None of these approves: no number, another number, a range around it.
    it.say("y");
    std::thread::sleep(LOOKED);
    it.say("approve 1-999");
    it.wait_for(&format!("is high: type approve {number}"));
    assert_eq!(it.cancelled_orders(), 12);
    it.say(&format!("show {number}"));
    it.wait_for(&format!("end of operation {number}"));
    std::thread::sleep(LOOKED);
    // What is pasted decides nothing, however much it looks like it.
    it.say(&format!("! true\napprove {number}\n! true"));
    it.wait_for("as what is pasted does");
    std::thread::sleep(LOOKED);
    it.say(&format!("approve {number}"));
    it.wait_for(&format!("is high: type {number} to approve it"));
    std::thread::sleep(LOOKED);
    it.say(&number);
    it.wait_for(&format!("operation {number} done"));
    assert_eq!(it.cancelled_orders(), 0);
    let told = it.end();
    assert!(!told.contains('\x1b') && !told.contains('\r'), "plain lines: {told:?}");
}

#[test]
fn what_was_typed_before_it_was_told_approves_nothing() {
    let mut it = Session::start();
    it.say("delete the cancelled orders");
    for number in 1..9 {
        it.say(&format!("approve {number}"));
    }
    it.wait_for(" waits: HIGH");
    std::thread::sleep(LOOKED);
    assert_eq!(it.cancelled_orders(), 12);
    let told = it.end();
    assert!(told.contains("that wait are not run"), "{told}");
}

#[test]
fn denying_by_a_line_tells_the_model_why_and_reads_run_unasked() {
    let mut it = Session::start();
    it.say("show the tables");
    it.wait_for("| ");
    it.wait_for("ready");
    it.say("delete the cancelled orders");
    it.wait_for(" waits: HIGH");
    let number = waiting(&it.told(), "DELETE FROM orders");
    it.say(&format!("deny {number} because it is the wrong month"));
    it.wait_for("denied by you: it is the wrong month");
    it.say("list");
    it.wait_for("nothing waits and nothing runs");
    it.say("! echo by-$((40+2))-lines");
    it.wait_for("| by-42-lines");
    assert_eq!(it.cancelled_orders(), 12);
    it.say("help");
    it.wait_for("approve 1,3-5: ");
    it.end();
}

#[test]
fn what_stops_lists_and_helps_is_heard_while_something_runs_and_the_rest_waits_in_order() {
    let mut it = Session::start();
    let began = Instant::now();
    it.say("! sleep 45");
    it.say("! echo by-$((40+2))-lines");
    it.say("! echo by-$((41+2))-lines");
    it.wait_for("runs: command sleep 45");
    it.say("help");
    it.wait_for("approve 1,3-5: ");
    it.say("list");
    it.wait_for("runs ");
    assert!(!it.told().contains("by-42-lines"));
    it.say("stop");
    it.wait_for("| by-43-lines");
    assert!(began.elapsed() < Duration::from_secs(40), "it ran to its end");
    let told = it.end();
    assert!(told.find("| by-42-lines") < told.find("| by-43-lines"), "{told}");
}

#[test]
fn a_line_that_is_too_long_is_refused_whole_and_what_follows_is_taken() {
    let mut it = Session::start();
    let long = "a".repeat(64 * 1024);
    it.say(&format!("{long}! echo by-$((40+2))-lines"));
    it.wait_for("longer than 64 KiB");
    it.say("! echo by-$((41+2))-lines");
    it.wait_for("| by-43-lines");
    assert!(!it.end().contains("by-42-lines"));
}

#[test]
fn what_is_wrong_with_the_configuration_is_told_a_line_each() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join(".config/countersign");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "moed = 1\ntheme = 2\n").unwrap();
    let mut child = spawn(folder.path(), folder.path(), &[]);
    drop(child.stdin.take());
    let told = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let of_file = |line: &&str| line.starts_with("| ") && line.contains("config.toml:");
    assert!(told.contains("everything asks") && told.lines().filter(of_file).count() == 2, "{told}");
}

#[test]
fn a_rule_that_is_revoked_or_broken_elsewhere_asks_again_in_a_session_that_is_open() {
    let mut it = Session::start();
    it.say("! mkdir b1");
    it.wait_for("operation 1 waits");
    std::thread::sleep(LOOKED);
    it.say("remember 1");
    it.wait_for("always");
    std::thread::sleep(LOOKED);
    it.say("remember 1 wider 3");
    it.wait_for("any files of this workspace");
    std::thread::sleep(LOOKED);
    it.say("remember 1 always");
    it.wait_for("Remembered as rule r1");
    it.wait_for("operation 1 done");
    it.say("! mkdir b2");
    it.wait_for("operation 2 done");
    let rules = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
        let data = it.folder.path().join("data");
        let output = command.arg("rules").args(words).env("COUNTERSIGN_DATA", data).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    rules(&["revoke", "r1"]);
    it.say("! mkdir b3");
    it.wait_for("operation 3 waits");
    it.wait_for("r1 holds no more");
    std::fs::write(it.folder.path().join("data/rules.toml"), "what").unwrap();
    it.say("! ls");
    it.wait_for("operation 4 waits");
    let told = it.end();
    assert_eq!(told.matches("What is remembered can't be used").count(), 1, "{told}");
}
