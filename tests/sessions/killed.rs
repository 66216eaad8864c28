//! `kill -9` at random moments: after each the next program goes on, and in the end everything that anybody saw
//! happen is in the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::Path;
use std::time::Duration;

use countersign::domain::{JournalEvent, OperationId, OperationKind, Outcome};
use countersign::store::{Archive, Content, Wanted};
use serde_json::Value;

use crate::model::Model;
use crate::sitting::Sitting;

/// How often it is killed, where the variable `COUNTERSIGN_KILLS` doesn't say.
const KILLS: u64 = 10;

/// Every entry of the one session.
fn journal(home: &Path) -> Vec<(Option<OperationId>, JournalEvent)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut archive = Archive::open(&home.join("data/journal.sqlite")).await.unwrap().unwrap();
        assert_eq!(archive.verify(None).await.unwrap().broken, None, "the chain");
        assert!(archive.sessions().await.unwrap().len() <= 1, "every sitting goes on with the same session");
        let mut entries = Vec::new();
        let mut after = 0;
        loop {
            let page = archive.entries(&Wanted::default(), after, 1_000).await.unwrap();
            let Some(last) = page.last() else { break };
            after = last.number;
            for stored in page {
                let Content::Event(event) = stored.content else { panic!("entry {} is unreadable", stored.number) };
                entries.push((stored.operation, *event));
            }
        }
        archive.close().await;
        entries
    })
}

/// What one request held: what the person said, and the result of each call.
fn held(messages: &[Value]) -> (Vec<String>, BTreeMap<String, String>) {
    let said = messages.iter().filter(|message| message["role"] == "user");
    let said = said.map(|message| message["content"].as_str().unwrap().to_owned()).collect();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    let text = |message: &Value| {
        (message["tool_call_id"].as_str().unwrap().to_owned(), message["content"].as_str().unwrap().to_owned())
    };
    (said, results.map(text).collect())
}

/// Every call of a request is answered before anything else is said.
fn answered(messages: &[Value]) {
    let mut open = BTreeSet::new();
    for message in messages {
        match message["role"].as_str().unwrap() {
            "tool" => assert!(open.remove(message["tool_call_id"].as_str().unwrap()), "{message}"),
            _ => assert!(open.is_empty(), "{open:?} are not answered: {messages:#?}"),
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            assert!(open.insert(call["id"].as_str().unwrap()), "{call}");
        }
    }
    assert!(open.is_empty(), "{open:?} are not answered");
}

#[test]
fn a_kill_at_any_moment_loses_nothing_that_was_seen_and_nothing_runs_twice() {
    let kills = std::env::var("COUNTERSIGN_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let home = crate::home();
    let model = Model::start();
    let words = ["--base-url", &model.url, "--model", "scripted", "--provider", "openai"];
    let mut told = String::new();
    for kill in 0..=kills {
        let random = RandomState::new().build_hasher().finish();
        let mut options = words.to_vec();
        let begun = home.path().join("data/journal.sqlite").exists() && crate::sessions(home.path(), &[]).1;
        if begun {
            options.push("--continue");
        }
        // Some sittings run everything unasked; what was pending before asks all the same.
        if !random.is_multiple_of(3) {
            options.push("--allow-all");
        }
        let mut it =
            Sitting::start(home.path(), &options, move |line| Some(!(line.len() as u64 + kill).is_multiple_of(4)));
        it.say(&format!("task {kill}"));
        if kill < kills {
            std::thread::sleep(Duration::from_millis(random / 7 % 2_500));
            told = it.kill();
        } else {
            // The last one is left in order, once everything is decided and done.
            it.wait_until("all of it is done", |told| told.ends_with("| All of that is done.\nready\n"));
            let (text, status) = it.end();
            assert!(status.success(), "{text}");
            told = text;
        }
        check(&home, &model, &told);
    }
    let entries = journal(home.path());
    let lost = entries
        .iter()
        .filter(|(_, event)| matches!(event, JournalEvent::Finished { outcome: Outcome::Lost, .. }))
        .count();
    let runs = entries.iter().filter(|(_, event)| matches!(event, JournalEvent::Started { .. })).count();
    eprintln!("{kills} kills: {runs} runs, {lost} of them interrupted, {} requests", model.heard().len());
    assert!(told.contains("ready"));
}

fn check(home: &tempfile::TempDir, model: &Model, told: &str) {
    let heard = model.heard();
    if !home.path().join("data/journal.sqlite").exists() {
        assert!(heard.is_empty(), "the model was asked before anything was kept");
        return;
    }
    let entries = journal(home.path());
    let mut said = Vec::new();
    let (mut results, mut allowed) = (Vec::new(), BTreeSet::new());
    let (mut started, mut ended) = (BTreeMap::<OperationId, usize>::new(), BTreeSet::new());
    let mut commands: BTreeMap<String, OperationId> = BTreeMap::new();
    for (id, event) in &entries {
        match (id, event) {
            (None, JournalEvent::Said { text }) => said.push(text.clone()),
            (None, JournalEvent::Untaken { text }) | (Some(_), JournalEvent::Told { text: Some(text) }) => {
                results.push(text.clone());
            }
            (Some(id), JournalEvent::Proposed { prepared }) => {
                if let OperationKind::Command(command) = &prepared.operation.kind {
                    commands.insert(command.command.clone(), *id);
                }
            }
            (Some(id), JournalEvent::Decided { allowed: true, .. }) => _ = allowed.insert(*id),
            (Some(id), JournalEvent::Started { .. }) => {
                assert!(allowed.contains(id), "{id} started before it was decided");
                *started.entry(*id).or_default() += 1;
            }
            (Some(id), JournalEvent::Finished { result, .. }) => {
                results.push(result.clone());
                assert!(ended.insert(*id), "{id} ended twice");
            }
            _ => {}
        }
    }
    assert!(started.values().all(|times| *times == 1), "an operation started twice: {started:?}");
    let known: BTreeSet<&String> = results.iter().collect();
    for messages in &heard {
        answered(messages);
        let (asked, returned) = held(messages);
        for text in asked {
            // The results of the person's own commands stand before it.
            assert!(said.iter().any(|said| text.ends_with(said.as_str())), "{text:?} was sent and isn't kept");
        }
        for (call, text) in returned {
            assert!(known.contains(&text), "{call} had a result that isn't kept: {text:?}\n{told}");
        }
    }
    // Each request says what the one before it said, and goes on from there.
    for pair in heard.windows(2) {
        assert_eq!(pair[0], pair[1][..pair[0].len().min(pair[1].len())], "the conversation was not rebuilt");
    }
    let log = std::fs::read_to_string(home.path().join("workspace/log.txt")).unwrap_or_default();
    let mut lines = BTreeSet::new();
    for line in log.lines() {
        assert!(lines.insert(line), "{line} was run twice");
        let command = commands.iter().find(|(command, _)| command.contains(&format!("echo {line} ")));
        let Some((_, id)) = command else { panic!("{line} ran and was never proposed") };
        assert!(started.contains_key(id), "{id} ran and isn't kept");
    }
}
