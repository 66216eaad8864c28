//! What a session knew to be secret, before the eyes of those who don't know it.

use super::*;

#[tokio::test]
async fn what_a_session_knew_to_be_secret_is_masked_by_those_who_know_it_not() {
    let home = tempfile::tempdir().unwrap();
    let secret = "plain-horse-42".to_owned();
    let session = Session { id: "0004-dddd4444".into(), ..Session::new(home.path()) };
    let log = Journal::open(&kept(home.path()).join("journal.sqlite"), session).await.unwrap();
    let said = JournalEvent::Said { text: format!("the key is {secret}") };
    let entry = JournalEntry::of_session(said);
    let known = Known::of([secret.clone()]);
    let line = Line::hiding(&entry, &|text| known_spans(text, &known)).unwrap();
    log.append_lines(vec![line], Kept::Synced).await.unwrap();
    log.close().await.unwrap();
    let mut run = Writer::open(&kept(home.path()), "0005-eeee5555", home.path()).await;
    let echo = json!({"command": format!("echo {secret}")});
    let (echo, judgement) = run.proposed("execute_command", &echo, ApprovalMode::Strict);
    run.propose(&echo).await;
    run.decide(echo.operation.id, judgement, (Decider::Person, false, Some(9)), Some(&secret)).await;
    run.journal.close().await.unwrap();
    for words in [
        &["journal", "show"][..],
        &["journal", "show", "eeee5555#1"],
        &["journal", "show", "eeee5555#1", "--json"],
        &["journal", "tail", "--json"],
        &["journal", "replay"],
        &["sessions"],
        &["sessions", "show", "dddd4444"],
        &["sessions", "search", &secret],
    ] {
        let output = countersign(home.path(), words);
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(!told.is_empty() && !told.contains("horse"), "{words:?}: {told}");
    }
}

#[tokio::test]
async fn what_tells_no_text_looks_for_no_secrets() {
    let home = tempfile::tempdir().unwrap();
    recorded(home.path()).await;
    // A noted secret that can't be read.
    let path = kept(home.path()).join("journal.sqlite");
    let mut hand = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let statements = "INSERT INTO entries (session, seq, at_ms, event, version, digest, hash)
            VALUES ('0002-bbbb2222', 99, 1, 'said', 1, zeroblob(32), zeroblob(32));
        INSERT INTO bodies VALUES (last_insert_rowid(), x'00', CAST(x'ff' || ',\"hidden\":[[' AS TEXT))";
    sqlx::raw_sql(statements).execute(&mut hand).await.unwrap();
    assert!(journal(home.path(), &["stats"]).contains("5 operations"));
    assert_eq!(refused(home.path(), &["show"]).0, 1);
    let deleted = countersign(home.path(), &["sessions", "delete", "--yes", "aaaa1111"]);
    assert!(deleted.status.success(), "{deleted:?}");
    assert!(!countersign(home.path(), &["sessions"]).status.success());
}
