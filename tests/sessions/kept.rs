//! Sessions as the journal of another day holds them: long ones, and those of an earlier version.

use std::path::Path;
use std::time::{Duration, Instant};

use countersign::domain::{
    Assessment, Claim, CommandOperation, Containment, Decider, Facts, JournalEntry, JournalEvent, Judgement, Kept,
    Operation, OperationId, OperationKind, Origin, Outcome, Prepared, RiskLevel, Step, ToolCall, Verdict,
};
use countersign::store::{Journal, Session};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use crate::sitting::{Sitting, program, sessions};

/// Most memory that a session of 1,000 turns may need, in kB.
const MOST: u64 = 100_000;

fn prepared(id: OperationId, command: &str) -> Box<Prepared> {
    let operation = Operation {
        id,
        origin: Origin::Model { call_id: format!("call_{}", id.0) },
        tool: "execute_command".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false }),
        cwd: "/".into(),
    };
    let assessment = Assessment::whitelisted("command.whitelisted", "Only reads.");
    Box::new(Prepared { operation, facts: Facts::default(), assessment })
}

/// What one operation leaves in the journal.
fn operation(id: OperationId, command: &str, result: &str) -> [JournalEntry; 4] {
    let judgement = Judgement {
        verdict: Verdict::Allow,
        step: Step::Whitelisted,
        risk: RiskLevel::Low,
        containment: Containment::ReadOnly,
        enforced: true,
        reason: "Only reads.".to_owned(),
        by_rule: None,
        unattended: false,
    };
    let decided = JournalEvent::Decided {
        decider: Decider::Whitelist,
        allowed: true,
        judgement,
        reason: None,
        waited: None,
        left: None,
    };
    let outcome = Outcome::Succeeded { summary: "exit 0".to_owned() };
    let (result, kept) = (result.to_owned(), Kept::Nothing);
    [
        JournalEvent::Proposed { prepared: prepared(id, command) },
        decided,
        JournalEvent::Started { containment: Containment::ReadOnly },
        JournalEvent::Finished { outcome, milliseconds: 3, result, kept },
    ]
    .map(|event| JournalEntry::of(id, event))
}

#[test]
fn a_thousand_turns_come_back_soon_and_in_little_memory() {
    let home = crate::home();
    let workspace = home.path().join("workspace").canonicalize().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let path = home.path().join("data/journal.sqlite");
        let journal = Journal::open(&path, Session::new(&workspace)).await.unwrap();
        for turn in 1..=1_000 {
            let id = OperationId(turn);
            let command = format!("cat file-{turn}");
            let arguments = format!("{{\"command\":\"{command}\"}}");
            let call = ToolCall { id: format!("call_{turn}"), name: "execute_command".to_owned(), arguments };
            let mut entries = vec![
                JournalEntry::of_session(JournalEvent::Said { text: format!("look at file {turn}") }),
                JournalEntry::of_session(JournalEvent::Answered { text: "I look.".to_owned(), calls: vec![call] }),
                JournalEntry::of(id, JournalEvent::Taken),
            ];
            entries.extend(operation(id, &command, &"a line of a file\n".repeat(300)));
            entries.push(JournalEntry::of(id, JournalEvent::Told { text: None }));
            let text = format!("File {turn} says a line of a file, again and again. ").repeat(10);
            entries.push(JournalEntry::of_session(JournalEvent::Answered { text, calls: Vec::new() }));
            journal.append_all(&entries).await.unwrap();
        }
        journal.close().await.unwrap();
    });
    let began = Instant::now();
    let mut it = Sitting::start(home.path(), &["--continue"], |_| None);
    it.wait_for("this session goes on after 1,000 messages and 1,000 operations");
    let took = began.elapsed();
    let status = std::fs::read_to_string(format!("/proc/{}/status", it.child.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    eprintln!("1,000 turns: {} ms, {peak} kB at most", took.as_millis());
    assert!(peak < MOST, "{peak} kB");
    assert!(took < Duration::from_secs(20), "{took:?}");
    it.end();
}

/// Writes a journal as the first version did: one table, operations alone.
fn first_version(path: &Path, workspace: &Path) {
    let mut prepared = prepared(OperationId(1), "cat old-file");
    prepared.facts.place.workspace = workspace.to_path_buf();
    let mut events: Vec<serde_json::Value> = operation(OperationId(1), "cat old-file", "")
        .into_iter()
        .map(|entry| serde_json::to_value(&entry.event).unwrap())
        .collect();
    events[0] = serde_json::to_value(JournalEvent::Proposed { prepared }).unwrap();
    events[1].as_object_mut().unwrap().remove("waited");
    events[3].as_object_mut().unwrap().remove("kept");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut file = SqliteConnectOptions::new().filename(path).create_if_missing(true).connect().await.unwrap();
        for sql in [
            "CREATE TABLE entries (session TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL,
                operation INTEGER NOT NULL, event TEXT NOT NULL, body TEXT NOT NULL, version INTEGER NOT NULL,
                PRIMARY KEY (session, seq)) STRICT",
            "PRAGMA application_id = 1131636590",
            "PRAGMA user_version = 1",
        ] {
            sqlx::query(sql).execute(&mut file).await.unwrap();
        }
        for (seq, event) in events.iter().enumerate() {
            sqlx::query("INSERT INTO entries VALUES ('0190-1-0ldsess1', ?, 1700000000000, 1, ?, ?, 1)")
                .bind(i64::try_from(seq).unwrap())
                .bind(event["event"].as_str().unwrap())
                .bind(event.to_string())
                .execute(&mut file)
                .await
                .unwrap();
        }
        file.close().await.unwrap();
    });
}

#[test]
fn a_session_of_the_first_version_is_shown_and_otherwise_left_alone() {
    let home = crate::home();
    let journal = home.path().join("data/journal.sqlite");
    first_version(&journal, &home.path().join("workspace").canonicalize().unwrap());
    let (list, found) = sessions(home.path(), &[]);
    assert!(found && list.contains("0ldsess1") && list.contains("1 operation"), "{list}");
    let (shown, _) = sessions(home.path(), &["show", "0ldsess1"]);
    assert!(shown.contains("cat old-file") && shown.contains("allowed by the whitelist"), "{shown}");
    let output = program(home.path()).args(["--linear", "--continue"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("kept by an earlier version, without its messages"), "{said}");
    assert!(said.contains("countersign sessions show 0ldsess1"), "{said}");
}

#[test]
fn a_session_of_a_newer_version_is_left_alone() {
    let home = crate::home();
    let workspace = home.path().join("workspace").canonicalize().unwrap();
    let path = home.path().join("data/journal.sqlite");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let journal = Journal::open(&path, Session::new(&workspace)).await.unwrap();
        journal
            .append(JournalEntry::of_session(JournalEvent::Said { text: "from tomorrow".to_owned() }))
            .await
            .unwrap();
        journal.close().await.unwrap();
        let mut file = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
        // An entry whose form nobody knows yet.
        sqlx::query("DROP TRIGGER bodies_stay_the_same").execute(&mut file).await.unwrap();
        sqlx::query("UPDATE bodies SET body = '{\"event\":\"sung\"}'").execute(&mut file).await.unwrap();
        file.close().await.unwrap();
    });
    let output = program(home.path()).args(["--linear", "--continue"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("in a form that this one doesn't know"), "{said}");
    let id = crate::newest(home.path());
    assert!(sessions(home.path(), &["show", &id]).0.contains("1 entry of another version"));
}
