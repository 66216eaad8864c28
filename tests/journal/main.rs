//! The journal read back by the real binary.

#![allow(clippy::unwrap_used)]

#[path = "../common/recorded.rs"]
mod recorded;
mod replay;
mod secrets;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use countersign::assess::{Known, known_spans};
use countersign::domain::{
    ApprovalMode, Decider, Draft, Enforceable, Forgetting, Grants, JournalEntry, JournalEvent, Judgement, Policy,
    RuleId, Verdict, judge,
};
use countersign::memory::Rules;
use countersign::store::{Archive, Journal, Kept, Line, Session};
use recorded::Writer;
use serde_json::{Value, json};
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

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
        ["denied by you, 8.0 s", "you said   not on a Friday", "step 4, strict", "sql.delete", "DELETE FROM orders"]
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
    // The first line says when.
    insta::assert_snapshot!("journal_stats", told.split_once('\n').unwrap().1);
}

#[tokio::test]
async fn what_earlier_versions_wrote_of_other_agents_calls_is_no_denial() {
    let home = tempfile::tempdir().unwrap();
    let mut hook = Writer::of_agent(&kept(home.path()), ("claude-code-abc", "claude-code"), home.path()).await;
    for (command, decider, said) in [
        ("rm x", Decider::Policy, Some("It is left to Claude Code to ask.")),
        ("ls", Decider::Whitelist, Some("No opinion: it is left to Claude Code.")),
        ("rm -rf /", Decider::Policy, None),
    ] {
        let (asked, judgement) =
            hook.proposed("execute_command", &json!({ "command": command }), ApprovalMode::Guarded);
        hook.propose(&asked).await;
        hook.decide(asked.operation.id, judgement, (decider, false, None), said).await;
    }
    // What a person says of their own is theirs, whatever it is.
    let (asked, judgement) = hook.proposed("execute_command", &json!({ "command": "rm y" }), ApprovalMode::Guarded);
    hook.propose(&asked).await;
    let said = "It is left to Claude Code to ask.";
    hook.decide(asked.operation.id, judgement, (Decider::Person, false, Some(1)), Some(said)).await;
    hook.journal.close().await.unwrap();

    let told = lines(&journal(home.path(), &["show", "--json"]));
    let decisions: Vec<_> = told.iter().map(|row| row["decision"].as_str().unwrap()).collect();
    assert_eq!(decisions, ["asked", "left", "denied", "denied"]);
    assert_eq!((&told[0]["said"], &told[0]["decider"], &told[3]["said"]), (&Value::Null, &Value::Null, &json!(said)));
    assert_eq!(lines(&journal(home.path(), &["show", "--json", "--decision", "left"])).len(), 1);
    let stats: Value = serde_json::from_str(&journal(home.path(), &["stats", "--json"])).unwrap();
    assert_eq!((&stats["denied"], &stats["left"], &stats["not_asked"]["left"]), (&json!(1), &json!(1), &json!(1)));
    let replay: Value = serde_json::from_str(&journal(home.path(), &["replay", "--json"])).unwrap();
    assert_eq!((&replay["same"], &replay["denied_now_allowed"]), (&json!(4), &json!(0)), "{replay}");
}

#[tokio::test]
async fn whose_calls_a_session_holds_is_on_record_and_not_in_its_id() {
    let home = tempfile::tempdir().unwrap();
    for (id, agent) in [("0003-abc", "codex"), ("codex-0004-def", "countersign"), ("codex-0005-ghi", "codex")] {
        let mut writer = Writer::of_agent(&kept(home.path()), (id, agent), home.path()).await;
        let (asked, judgement) =
            writer.proposed("execute_command", &json!({ "command": "rm x" }), ApprovalMode::Guarded);
        writer.propose(&asked).await;
        let said = Some("It is left to Codex to ask.");
        writer.decide(asked.operation.id, judgement, (Decider::Policy, false, None), said).await;
        writer.journal.close().await.unwrap();
    }
    let told = journal(home.path(), &["show"]);
    let rows: Vec<&str> = told.lines().collect();
    assert!(rows[0].contains("  abc#1 ") && rows[0].contains("asked by codex"), "{told}");
    assert!(rows[1].contains("  def#1 ") && rows[1].contains("asked by the agent"), "{told}");
    assert!(rows[2].contains("  codex-ghi#1 ") && rows[2].contains("asked by codex"), "{told}");
}

#[tokio::test]
async fn a_row_says_what_is_missing_of_a_long_text() {
    let home = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(&kept(home.path()), "0001-aaaa1111", home.path()).await;
    let long = format!("echo {}", "x".repeat(40_000));
    let (echo, _) = writer.proposed("execute_command", &json!({ "command": long }), ApprovalMode::Guarded);
    writer.propose(&echo).await;
    writer.journal.close().await.unwrap();
    let row = journal(home.path(), &["show"]);
    assert!(row.len() < 1_000 && row.contains("… (39,505 more characters)"), "{row}");
    assert!(journal(home.path(), &["show", "aaaa1111#1"]).contains(&long));
}

#[tokio::test]
async fn the_walk_along_the_chain_is_told_in_words() {
    let home = tempfile::tempdir().unwrap();
    recorded(home.path()).await;
    let verify = |words: &[&str]| {
        let output = countersign(home.path(), &[&["journal", "verify"], words].concat());
        let told = String::from_utf8(output.stdout).unwrap();
        let plain = |line: &str| line.split_once("head: ").map_or_else(|| line.to_owned(), |_| "head: HASH".to_owned());
        let lines: Vec<String> = told.lines().map(plain).collect();
        format!(
            "verify {}\n{}\nexit {}",
            words.join(" ").replace(&"0".repeat(64), "HASH"),
            lines.join("\n"),
            output.status.code().unwrap()
        )
    };
    let mut told = vec![verify(&[]), verify(&["--head", &"0".repeat(64)])];
    let path = kept(home.path()).join("journal.sqlite");
    let mut archive = Archive::open(&path).await.unwrap().unwrap();
    archive.forget("0001-aaaa1111", Forgetting::Person).await.unwrap();
    archive.close().await;
    told.push(verify(&[]));
    let mut hand = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let statement = "DROP TRIGGER entries_stay_the_same; UPDATE entries SET at_ms = 8 WHERE number = 4";
    sqlx::raw_sql(statement).execute(&mut hand).await.unwrap();
    told.push(verify(&[]));
    insta::assert_snapshot!("journal_verify", told.join("\n\n"));
}

#[tokio::test]
async fn a_rule_is_named_where_it_decided_and_says_what_it_would_have_covered() {
    let home = tempfile::tempdir().unwrap();
    let workspace = home.path().join("shop");
    std::fs::create_dir(&workspace).unwrap();
    let mut writer = Writer::open(&kept(home.path()), "0003-cccc3333", &workspace).await;
    let mut mkdir = |name: &str| {
        writer.proposed("execute_command", &json!({ "command": format!("mkdir {name}") }), ApprovalMode::Guarded)
    };
    let ((asked, asks), (ran, _)) = (mkdir("a"), mkdir("b"));
    let (other, other_asks) =
        writer.proposed("execute_command", &json!({ "command": "touch c" }), ApprovalMode::Guarded);
    let mut draft = Draft::allow(&asked).unwrap();
    assert!(draft.set_scope("always"));
    let rules = Rules::at(&kept(home.path()));
    let rule = rules.save(draft.rule(RuleId(String::new()), 1).unwrap()).unwrap();
    let policy = Policy { remembered: vec![rule], ..Policy::default() };
    let allows = judge(&ran, &policy, &Grants::default(), Enforceable::default(), false);
    for prepared in [&asked, &ran, &other] {
        writer.propose(prepared).await;
    }
    let person = (Decider::Person, true, Some(1_000));
    // Judged once more right before its start, when the rule was made of it already.
    assert_eq!(asks.verdict, Verdict::Ask);
    writer.decide(asked.operation.id, allows.clone(), person.clone(), None).await;
    writer.decide(ran.operation.id, allows, (Decider::Rule, true, None), None).await;
    writer.decide(other.operation.id, other_asks, person, None).await;
    writer.journal.close().await.unwrap();

    let shown = journal(home.path(), &["show"]);
    assert!(shown.lines().next().unwrap().contains("allowed by you, 1.0 s "), "{shown}");
    assert!(shown.lines().nth(1).unwrap().contains("allowed by rule r1 "), "{shown}");
    assert!(journal(home.path(), &["show", "cccc3333#2"]).contains("by rule    r1\n"));
    assert_eq!(lines(&journal(home.path(), &["show", "--json", "--decider", "rule"]))[0]["by_rule"], "r1");
    let output = countersign(home.path(), &["rules", "test", "r1"]);
    let told = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<&str> = told.lines().collect();
    assert!(rows[0].contains("mkdir a") && rows[1].contains("mkdir b"), "{told}");
    let sum = "r1 would have covered 2 of 3 recorded operations; 1 of them asked, and would not have.";
    assert_eq!(rows[2..], [sum], "{told}");
    let none = countersign(home.path(), &["rules", "test", "r9"]);
    let said = String::from_utf8(none.stderr).unwrap();
    assert_eq!(none.status.code(), Some(2));
    assert!(said.contains("there is no rule r9; `countersign rules list` names those there are"), "{said}");
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
