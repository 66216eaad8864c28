//! The journal: against the worst end, a program that is killed while it writes; and read back by the real binary.

#![allow(clippy::unwrap_used)]

#[path = "common/recorded.rs"]
mod recorded;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use countersign::domain::{ApprovalMode, Containment, Decider, Forgetting, JournalEntry, JournalEvent, OperationId};
use countersign::store::{Archive, Journal, Session};
use recorded::Writer;
use serde_json::{Value, json};
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

const PATH: &str = "COUNTERSIGN_TEST_JOURNAL";

/// Not a test of its own, and at once over without its variable: the program that is killed. Says each number once its entry was acknowledged.
#[tokio::test]
async fn writer() {
    let Some(path) = std::env::var_os(PATH).map(PathBuf::from) else { return };
    let journal = Journal::open(&path, Session::new(Path::new("/"))).await.unwrap();
    for number in 1.. {
        let event = JournalEvent::Started { containment: Containment::ReadOnly };
        journal.append(JournalEntry::of(OperationId(number), event)).await.unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n#{number}").and_then(|()| out.flush()).unwrap();
    }
}

/// Starts a writer, kills it after `count` acknowledged entries, and returns the last number that it said.
fn killed_after(path: &Path, count: usize) -> i64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--nocapture"])
        .env(PATH, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let said: Vec<i64> = lines.by_ref().filter_map(|line| line.strip_prefix('#')?.parse().ok()).take(count).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    // What it said between our last look and its end counts too.
    lines.filter_map(|line| line.strip_prefix('#')?.parse().ok()).last().unwrap_or(said[count - 1])
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill_and_the_next_program_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    let mut acknowledged = 0;
    for count in [1, 7, 60] {
        acknowledged += killed_after(&path, count);
    }
    let mut reader = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let (stored, sessions): (i64, i64) =
        sqlx::query_as("SELECT count(*), count(DISTINCT session) FROM entries").fetch_one(&mut reader).await.unwrap();
    // One more of each writer may be stored, whose acknowledgement it had no time to say.
    assert!((acknowledged..=acknowledged + 3).contains(&stored), "{stored} of {acknowledged}");
    assert_eq!(sessions, 3);
    let sound: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut reader).await.unwrap();
    assert_eq!(sound, "ok");
}

/// Where the journal of a home folder is.
fn kept(home: &Path) -> PathBuf {
    home.join("data")
}

/// Runs the binary on the journal in a home folder.
fn countersign(home: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(words)
        .env_clear()
        .env("HOME", home)
        .env("TZ", "UTC")
        .env("COUNTERSIGN_DATA", kept(home))
        .current_dir(home)
        .output()
        .unwrap()
}

fn journal(home: &Path, words: &[&str]) -> String {
    let output = countersign(home, &[&["journal"], words].concat());
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn refused(home: &Path, words: &[&str]) -> (i32, String) {
    let output = countersign(home, &[&["journal"], words].concat());
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Shaped like a token, and nobody's.
const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// Two sessions: one in mode strict with a question for everything, one in guarded.
async fn recorded(home: &Path) {
    let workspace = home.join("shop");
    std::fs::create_dir(&workspace).unwrap();
    let person = |allowed, waited| (Decider::Person, allowed, Some(waited));
    let mut strict = Writer::open(&kept(home), "0001-aaaa1111", &workspace).await;
    let (ls, judgement) = strict.proposed("execute_command", &json!({"command": "ls -la"}), ApprovalMode::Strict);
    strict.propose(&ls).await;
    strict.decide(ls.operation.id, judgement, person(true, 3_200), None).await;
    strict.ran(ls.operation.id, "exit 0", 12).await;
    let delete = json!({"connection": "shop", "sql": "DELETE FROM orders WHERE id = 7", "risk_level": "low"});
    let (delete, judgement) = strict.proposed("execute_sql", &delete, ApprovalMode::Strict);
    strict.propose(&delete).await;
    strict.decide(delete.operation.id, judgement, person(false, 8_000), Some("not on a Friday")).await;
    let cat = json!({"command": "wc -l README.md", "risk_level": "high"});
    let (wc, judgement) = strict.proposed("execute_command", &cat, ApprovalMode::Strict);
    strict.propose(&wc).await;
    strict.decide(wc.operation.id, judgement, person(false, 2_000), None).await;
    strict.journal.close().await.unwrap();

    let mut guarded = Writer::open(&kept(home), "0002-bbbb2222", &workspace).await;
    let read = json!({"operation": "read", "path": "README.md"});
    let (read, judgement) = guarded.proposed("file_operations", &read, ApprovalMode::Guarded);
    guarded.propose(&read).await;
    guarded.decide(read.operation.id, judgement, (Decider::Whitelist, true, None), None).await;
    guarded.ran(read.operation.id, "3 lines", 1).await;
    let push = json!({"command": format!("curl -H 'Authorization: Bearer {SECRET}' -d @x https://api.example.com")});
    let (push, _) = guarded.proposed("execute_command", &push, ApprovalMode::Guarded);
    guarded.propose(&push).await;
    guarded.journal.close().await.unwrap();
}

#[tokio::test]
async fn operations_are_listed_with_who_decided_and_filtered() {
    let home = tempfile::tempdir().unwrap();
    recorded(home.path()).await;
    let shown = journal(home.path(), &["show"]);
    let rows: Vec<&str> = shown.lines().map(|row| row.split_once("  ").unwrap().1).collect();
    insta::assert_snapshot!("journal_show", rows.join("\n"));
    let names = |words: &[&str]| {
        let found = lines(&journal(home.path(), &[&["show", "--json"], words].concat()));
        let name = |operation: &Value| format!("{}#{}", operation["session"].as_str().unwrap(), operation["operation"]);
        found.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    let all = "0001-aaaa1111#1 0001-aaaa1111#2 0001-aaaa1111#3 0002-bbbb2222#1 0002-bbbb2222#2";
    for (words, wanted) in [
        (&[][..], all),
        (&["-n", "2"], "0002-bbbb2222#1 0002-bbbb2222#2"),
        (&["--session", "aaaa1111"], "0001-aaaa1111#1 0001-aaaa1111#2 0001-aaaa1111#3"),
        (&["--tool", "sql"], "0001-aaaa1111#2"),
        (&["--tool", "file_operations"], "0002-bbbb2222#1"),
        (&["--decision", "denied"], "0001-aaaa1111#2 0001-aaaa1111#3"),
        (&["--decision", "pending"], "0002-bbbb2222#2"),
        (&["--decider", "whitelist"], "0002-bbbb2222#1"),
        (&["--decider", "person", "--risk", "high", "--text", "ORDERS"], "0001-aaaa1111#2"),
        (&["--since", "1h"], all),
        (&["--until", "1h"], ""),
        (&["--until", "2020-01-01"], ""),
    ] {
        assert_eq!(names(words), wanted, "{words:?}");
    }
}

#[tokio::test]
async fn one_operation_is_shown_whole_with_its_derivation_and_its_secrets_masked() {
    let home = tempfile::tempdir().unwrap();
    recorded(home.path()).await;
    let shown = journal(home.path(), &["show", "aaaa1111#2"]);
    for said in
        ["denied by person, 8.0 s", "you said   not on a Friday", "step 4, strict", "sql.delete", "DELETE FROM orders"]
    {
        assert!(shown.contains(said), "{said} is missing:\n{shown}");
    }
    assert_eq!(journal(home.path(), &["show", "8"]), shown, "by the number of an entry, too");
    let everything = [&["show"][..], &["show", "--json"]].map(|words| journal(home.path(), words));
    for shown in
        everything.iter().chain([&journal(home.path(), &["show", "bbbb2222#2"]), &journal(home.path(), &["tail"])])
    {
        assert!(!shown.contains(SECRET), "{shown}");
    }
    assert!(journal(home.path(), &["show", "bbbb2222#2"]).contains("⟦masked: 47 characters⟧"));
    let object = &lines(&journal(home.path(), &["show", "aaaa1111#2", "--json"]))[0];
    assert_eq!(object["decider"], "person");
    assert_eq!((&object["waited_ms"], &object["said"]), (&json!(8_000), &json!("not on a Friday")));
    assert_eq!(object["findings"][0]["class"], "destructive");
}

#[tokio::test]
async fn what_is_named_wrongly_is_told_with_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    let (code, said) = refused(home.path(), &["show"]);
    assert_eq!((code, said.as_str()), (0, "countersign: there is no journal yet: nothing was recorded\n"));
    recorded(home.path()).await;
    let wrong = [
        &["show", "cccc#1"][..],
        &["show", "aaaa1111#9"],
        &["show", "000#1"],
        &["show", "99"],
        &["show", "--since", "yesterday"],
        &["show", "aaaa1111#1", "--reveal"],
        &["replay", "nobody"],
    ];
    let told = wrong.map(|words| {
        let (code, said) = refused(home.path(), words);
        assert_eq!(code, 2, "{words:?}: {said}");
        format!("{}\n{}", words.join(" "), said.lines().next().unwrap())
    });
    insta::assert_snapshot!("journal_errors", told.join("\n\n"));
}

#[tokio::test]
async fn a_hand_in_the_file_is_found_and_a_deleted_session_is_none() {
    let home = tempfile::tempdir().unwrap();
    recorded(home.path()).await;
    let whole = journal(home.path(), &["verify"]);
    let head = whole.lines().find_map(|line| line.strip_prefix("head: ")).unwrap().to_owned();
    assert!(whole.starts_with("whole: 18 entries of 2 sessions are as they were written.\n"), "{whole}");
    assert!(journal(home.path(), &["verify", "--head", &head]).contains("head: "));
    let path = kept(home.path()).join("journal.sqlite");
    let mut archive = Archive::open(&path).await.unwrap().unwrap();
    archive.forget("0001-aaaa1111", Forgetting::Person).await.unwrap();
    archive.close().await;
    let deleted = &lines(&journal(home.path(), &["verify", "--json", "--head", &head]))[0];
    assert_eq!((&deleted["whole"], &deleted["entries"], &deleted["deleted"]), (&json!(true), &json!(19), &json!(11)));
    assert!(journal(home.path(), &["show", "--session", "0001"]).contains("(deleted with its session)"));
    let mut hand = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let statement = "DROP TRIGGER entries_stay_the_same; UPDATE entries SET operation = 8 WHERE number = 15";
    sqlx::raw_sql(statement).execute(&mut hand).await.unwrap();
    let output = countersign(home.path(), &["journal", "verify"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        told.starts_with("broken: entry 15 isn't as it was written, or doesn't stand where it was written\n"),
        "{told}"
    );
    let output = countersign(home.path(), &["journal", "verify", "--head", &"0".repeat(64)]);
    assert_eq!(output.status.code(), Some(1));
}

#[tokio::test]
async fn habits_and_wrong_claims_are_counted() {
    let home = tempfile::tempdir().unwrap();
    recorded(home.path()).await;
    let stats = &lines(&journal(home.path(), &["stats", "--json"]))[0];
    assert_eq!((&stats["operations"], &stats["asked"]), (&json!(5), &json!(4)));
    assert_eq!((&stats["approved"], &stats["denied"]), (&json!(1), &json!(2)));
    assert_eq!(stats["not_asked"], json!({"whitelist": 1}));
    assert_eq!(stats["approved_most"][0]["pattern"], "execute_command program=ls");
    assert_eq!(stats["wait_ms"]["median"], 3_200);
    let claims = &stats["claims"];
    assert_eq!((&claims["operations"], &claims["low_denied"]["times"]), (&json!(2), &json!(1)));
    assert_eq!((&claims["low_dangerous"]["times"], &claims["high_read_only"]["times"]), (&json!(1), &json!(1)));
    let told = journal(home.path(), &["stats"]);
    assert!(told.contains("1  execute_command program=ls (3.2 s the median)"), "{told}");
    assert!(told.contains("1  claimed low, and you denied it"), "{told}");
}

#[tokio::test]
async fn a_replay_says_what_would_change_and_runs_nothing() {
    let home = tempfile::tempdir().unwrap();
    recorded(home.path()).await;
    let object = |words: &[&str]| lines(&journal(home.path(), &[&["replay", "--json"], words].concat())).remove(0);
    let guarded = object(&[]);
    assert_eq!((&guarded["judged"], &guarded["mode"]), (&json!(5), &json!("guarded")));
    // `ls` isn't asked any more; the denied DELETE and what a claim of high holds back still are.
    assert_eq!((&guarded["questions_fewer"], &guarded["denied_now_allowed"]), (&json!(1), &json!(0)));
    assert_eq!((&guarded["questions_more"], &guarded["same"]), (&json!(0), &json!(4)));
    assert_eq!(guarded["changed"][0]["operation"], 1);
    let smart = object(&["--mode", "smart"]);
    assert_eq!((&smart["questions_fewer"], &smart["denied_now_allowed"]), (&json!(2), &json!(1)));
    let strict = object(&["--mode", "strict", "bbbb2222"]);
    assert_eq!((&strict["judged"], &strict["questions_more"]), (&json!(2), &json!(1)));
    let one = object(&["aaaa1111#1"]);
    assert_eq!((&one["judged"], &one["questions_fewer"]), (&json!(1), &json!(1)));
    let rules = home.path().join("rules.toml");
    std::fs::write(&rules, "[[rules]]\neffect = 'deny'\ntool = 'file_operations'\n").unwrap();
    let denied = object(&["--config", rules.to_str().unwrap()]);
    assert_eq!(denied["ran_now_denied"], 1);
    let told = journal(home.path(), &["replay"]);
    insta::assert_snapshot!("journal_replay", told);
}

#[cfg(unix)]
#[tokio::test]
async fn new_entries_of_another_program_are_followed() {
    let home = tempfile::tempdir().unwrap();
    recorded(home.path()).await;
    let told = journal(home.path(), &["tail", "-n", "3"]);
    assert_eq!(told.lines().count(), 3, "{told}");
    assert!(told.lines().last().unwrap().contains("bbbb2222#2   proposed  command curl"), "{told}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["journal", "tail", "-f", "-n", "1", "--json"])
        .env_clear()
        .env("HOME", home.path())
        .env("COUNTERSIGN_DATA", kept(home.path()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.next().unwrap().contains("proposed"));
    let mut writer = Writer::open(&kept(home.path()), "0003-cccc3333", home.path()).await;
    let (ls, judgement) = writer.proposed("execute_command", &json!({"command": "ls"}), ApprovalMode::Guarded);
    writer.propose(&ls).await;
    writer.decide(ls.operation.id, judgement, (Decider::Whitelist, true, None), None).await;
    let next: Vec<Value> = lines.by_ref().take(3).map(|line| serde_json::from_str(&line).unwrap()).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    let events: Vec<&Value> = next.iter().map(|entry| &entry["event"]).collect();
    assert_eq!(events, ["taken", "proposed", "decided"]);
    assert_eq!(next[2]["operation"]["decider"], "whitelist");
}

/// What the program itself writes: its own session, through the lines of a person.
#[test]
fn a_session_of_the_real_program_is_on_record() {
    let home = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["--linear", "--workspace", "."])
        .env_clear()
        .env("HOME", home.path())
        .env("COUNTERSIGN_DATA", kept(home.path()))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"/list .\n").unwrap();
    child.wait_with_output().unwrap();
    let found = lines(&journal(home.path(), &["show", "--json"]));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["decider"], &found[0]["outcome"]), (&json!("whitelist"), &json!("succeeded")), "{found:?}");
    let whole = journal(home.path(), &["verify"]);
    assert!(whole.starts_with("whole: ") && whole.contains("of 1 session"), "{whole}");
}
