//! Sessions with the real program: left in order or by `kill -9` at any moment, gone on with, listed, exported, deleted.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod full;
mod kept;
mod killed;
#[path = "../common/left_out.rs"]
mod left_out;
mod model;
#[cfg(target_os = "linux")]
mod orphans;
mod own;
mod sitting;
mod staged;
mod summarised;

use std::path::Path;

use sitting::{Sitting, program, sessions};

/// A home with an empty workspace.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("workspace")).unwrap();
    home
}

/// The id of the newest session.
fn newest(home: &Path) -> String {
    let (text, _) = sessions(home, &["--json"]);
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    all[0]["session"].as_str().unwrap().to_owned()
}

/// A session in which something was said, ran and waits; left in order.
fn left(home: &Path) {
    let mut it = Sitting::start(home, &[], |_| None);
    it.say("! echo token ghp_0123456789abcdefghijABCDEFGHIJ012345 by-$((40+2))");
    it.wait_for("by-42");
    it.say("delete the cancelled orders");
    it.wait_for("DELETE FROM orders");
    it.wait_for(" waits: HIGH");
    assert!(it.end().1.success());
}

#[test]
fn a_session_that_was_left_goes_on_with_what_waits() {
    let home = home();
    left(home.path());
    let mut it = Sitting::start(home.path(), &["--continue"], |_| None);
    it.wait_for("this session goes on after 1 message and");
    it.wait_for("operation 3 waits: HIGH");
    it.wait_for("It waited when the session was left");
    // What was printed before is there.
    it.say("output 1");
    it.wait_for("by-42");
    it.look_and_approve(3);
    it.say("! echo number-$((50+1))");
    it.wait_for("| number-51");
    assert!(it.told().contains("operation 4 done"), "{}", it.told());
    assert!(it.end().1.success());
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&sessions(home.path(), &["--json"]).0)
            .unwrap()
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_session_is_listed_searched_shown_exported_and_deleted_with_secrets_masked() {
    let home = home();
    assert_eq!(sessions(home.path(), &[]), ("No session was kept yet.\n".to_owned(), false));
    left(home.path());
    let id = newest(home.path());
    let short = id.rsplit('-').next().unwrap();
    let (list, _) = sessions(home.path(), &[]);
    assert!(list.starts_with(short) && list.contains("! echo token ⟦masked"), "{list}");
    for (words, wanted) in [
        (&["search", "CANCELLED orders"][..], "delete the cancelled orders"),
        (&["show", short], "▏ token ⟦masked: 40 characters⟧ by-42"),
        (&["export", short], "## You, "),
        (&["export", &id, "--format", "json"], "\"version\": 1"),
    ] {
        let (text, found) = sessions(home.path(), words);
        assert!(found && text.contains(wanted) && !text.contains("ghp_0123"), "{words:?}\n{text}");
    }
    let file = home.path().join("out.md");
    let words = ["export", short, "--output", file.to_str().unwrap()];
    assert!(sessions(home.path(), &words).1 && std::fs::read_to_string(&file).unwrap().contains("DELETE FROM orders"));
    assert!(!sessions(home.path(), &words).1, "a file that is there stays as it is");
    assert!(sessions(home.path(), &["search", "no such text"]).0.contains("stands in no session"));

    let (refused, _) = sessions(home.path(), &["delete", short]);
    assert!(refused.contains("add --yes"), "{refused}");
    let (deleted, done) = sessions(home.path(), &["delete", short, "--yes"]);
    assert!(done && deleted.contains("Deleted"), "{deleted}");
    let gone = sessions(home.path(), &["show", short]);
    assert!(!gone.1 && gone.0.contains("there is no session"), "{gone:?}");
    for file in ["journal.sqlite", "journal.sqlite-wal"] {
        let bytes = std::fs::read(home.path().join("data").join(file)).unwrap_or_default();
        assert!(!bytes.windows(8).any(|found| found == b"ghp_0123"), "{file} still has it");
    }
}

#[test]
fn a_session_that_is_open_is_refused_elsewhere_and_names_the_process() {
    let home = home();
    left(home.path());
    let id = newest(home.path());
    let mut one = Sitting::start(home.path(), &["--resume", &id], |_| None);
    one.wait_for("this session goes on");
    let process = one.child.id();
    for words in [&["--linear", "--resume", &id][..], &["sessions", "delete", &id, "--yes"]] {
        let output = program(home.path()).args(words).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(&format!("(process {process}) has it open")), "{said}");
    }
    assert!(sessions(home.path(), &[]).0.contains("· open"));
    one.kill();
    let mut two = Sitting::start(home.path(), &["--resume", &id], |_| None);
    two.wait_for("this session goes on");
    two.end();
}

#[test]
fn a_session_works_where_it_worked_or_says_why_it_cannot() {
    let home = home();
    left(home.path());
    let id = newest(home.path());
    let mut it = Sitting::start(home.path(), &["--resume", &id, "--workspace", "."], |_| None);
    it.wait_for("this session goes on");
    it.end();
    let failed = |words: &[&str]| {
        let output = program(home.path()).arg("--linear").args(words).current_dir(home.path()).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(failed(&["--continue"]).contains("no session worked in"));
    assert!(failed(&["--resume", &id, "--workspace", "."]).contains("leave out --workspace"));
    assert!(failed(&["--resume", "nonsense"]).contains("there is no session nonsense"));
    std::fs::rename(home.path().join("workspace"), home.path().join("elsewhere")).unwrap();
    let gone = failed(&["--resume", &id]);
    assert!(gone.contains("which is gone") && gone.contains("countersign sessions show"), "{gone}");
}

#[test]
fn a_run_goes_on_with_a_session_and_refuses_what_was_pending() {
    let home = home();
    left(home.path());
    let run = |words: &[&str]| {
        let words = [&["run", "--model", "practice"], words].concat();
        let output = program(home.path()).args(&words).stdin(std::process::Stdio::null()).output().unwrap();
        let [told, said] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code().unwrap(), told, said)
    };
    let (code, told, said) = run(&["--continue", "-y", "show the tables"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("#3 refused: ") && said.contains("It waited when its session was left"), "{said}");
    assert!(!said.contains("#1") && !said.contains("#2"), "what is over isn't told again: {said}");
    assert!(told.contains("orders"), "{told}");
    let short = newest(home.path()).rsplit('-').next().unwrap().to_owned();
    let (code, told, said) = run(&["--resume", &short, "show the tables"]);
    assert_eq!((code, said.as_str()), (0, ""), "{told}");
    assert!(sessions(home.path(), &["show", &short]).0.matches("show the tables").count() >= 2);
    let all: serde_json::Value = serde_json::from_str(&sessions(home.path(), &["--json"]).0).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 1, "no other session was begun");
    assert_eq!(run(&["--continue", "--resume", &short, "x"]).0, 2);
    let output = program(home.path()).args(["--resume", "run", "--model", "practice", "x"]).output().unwrap();
    assert!(!output.status.success());
}
